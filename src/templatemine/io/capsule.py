"""Tables of any library that speaks Arrow -> batches of rows: the Arrow PyCapsule interface (`__arrow_c_stream__`).

Data frames of pandas and polars, tables of pyarrow, relations of DuckDB and the like have it; none is imported here.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator
from typing import TYPE_CHECKING, Any, Protocol, TypeGuard, runtime_checkable

from templatemine.errors import ConfigError, needs_extra

if TYPE_CHECKING:
    import pyarrow as pa

__all__ = ["ArrowTable", "batches_of", "is_table", "load_pyarrow", "open_table", "table_rows"]

BATCH_ROWS = 4096
"""Rows that are looked at in one: a frame in memory may be one batch of all of its rows."""


@runtime_checkable
class ArrowTable(Protocol):
    """Objects that export themselves as a stream of Arrow batches."""

    def __arrow_c_stream__(self, requested_schema: object | None = None) -> object: ...


def is_table(value: object) -> TypeGuard[ArrowTable]:
    """Return whether an object is a table that exports itself."""
    return hasattr(value, "__arrow_c_stream__")


def load_pyarrow() -> Any:
    """Return pyarrow, which all tables are read with.

    Raises
    ------
    MissingExtraError
        It is not installed.
    """
    with needs_extra("tables need pyarrow", "tables"):
        import pyarrow
    return pyarrow


def open_table(table: ArrowTable) -> pa.RecordBatchReader:
    """Open the batches of a table.

    Raises
    ------
    MissingExtraError
        pyarrow is not installed.
    ConfigError
        It is no table, or one that Arrow cannot hold, as a column of strings and numbers, or a single column.
    """
    pa = load_pyarrow()
    if not is_table(table):
        raise ConfigError(f"table: expected one that Arrow can read (__arrow_c_stream__), got {type(table).__name__}")
    try:
        return pa.RecordBatchReader.from_stream(table)
    except (pa.ArrowException, TypeError, ValueError) as error:
        problem = " ".join(map(str, error.args)).splitlines()[0]
        raise ConfigError(
            f"table: expected a frame with columns of one type each, such as 'source' and 'text', got "
            f"{type(table).__name__}, of which Arrow says: {problem}"
        ) from error


def batches_of(reader: pa.RecordBatchReader) -> Iterator[pa.RecordBatch]:
    """Yield the batches of a reader, of no more than `BATCH_ROWS` rows each."""
    for batch in reader:
        for start in range(0, batch.num_rows, BATCH_ROWS):
            yield batch.slice(start, BATCH_ROWS)


def table_rows(table: ArrowTable, wanted: Collection[str] | None = None) -> Iterator[dict[str, Any]]:
    """Yield the rows of a table as dicts.

    Parameters
    ----------
    wanted : collection of str, optional
        Columns that are asked for.  Others of pandas are not read, since they may hold anything.
    """
    if wanted is not None and hasattr(table, "loc") and hasattr(table, "columns"):
        table = table[[name for name in table.columns if name in wanted]]  # type: ignore[index]
    for batch in batches_of(open_table(table)):
        yield from batch.to_pylist()
