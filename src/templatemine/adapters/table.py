"""Cleaning tables of any library that speaks Arrow: pandas, polars, pyarrow, DuckDB, datasets, Ray and others::

    from templatemine.adapters.table import clean_table

    clean = polars.DataFrame(clean_table(polars.read_parquet("articles.parquet"), "packs/"))

Tables come in by the Arrow PyCapsule interface and go out by it, a batch at a time, so that none need be in memory.
"""

from __future__ import annotations

from typing import Any

from templatemine.adapters.rows import Packs, RowCleaner, body_columns
from templatemine.config import CleanConfig, ReadConfig
from templatemine.errors import ConfigError, needs_extra
from templatemine.io.capsule import ArrowTable, batches_of, open_table

with needs_extra("tables need pyarrow", "tables"):
    import pyarrow as pa

from templatemine.io.tables import SPANS

__all__ = ["TableCleaner", "clean_table"]


class TableCleaner:
    """Table -> the same table with its texts cleaned, each with the pack of its source.

    A function for ``Dataset.map`` of datasets (``with_format("arrow")``) and for ``map_batches`` of Ray
    (``batch_format="pyarrow"``).  It may be pickled; the other process gets the packs.

    Parameters
    ----------
    packs : mapping, path, or RowCleaner
    read : ReadConfig, optional
        Names of the columns; a column of text or of HTML may be missing.
    clean : CleanConfig, optional
        Not for a `RowCleaner`, which has its own.
    removed_column : str
        For the cuts: lists of structs (start, end, templates, kind) in code points of the original, null where the
        source has no pack.  ``{removed_column}_stub`` is true where nearly all of a text is boilerplate.
    """

    def __init__(
        self,
        packs: Packs | RowCleaner,
        read: ReadConfig | None = None,
        *,
        clean: CleanConfig | None = None,
        removed_column: str = "removed",
    ) -> None:
        self.rows = packs if isinstance(packs, RowCleaner) else RowCleaner(packs, clean)
        self.read = read or ReadConfig()
        self.removed_column = removed_column

    def __call__(self, table: ArrowTable) -> pa.Table:
        """Clean the whole table."""
        return self.stream(table).read_all()

    def stream(self, table: ArrowTable) -> pa.RecordBatchReader:
        """Yield the batches of a table, cleaned as they are read.

        Raises
        ------
        ConfigError
            A column that is not there, or no strings.
        """
        reader = open_table(table)
        schema = self.schema(reader.schema)
        return pa.RecordBatchReader.from_batches(schema, (self.batch(one, schema) for one in batches_of(reader)))

    def schema(self, schema: pa.Schema) -> pa.Schema:
        """Return the columns of a table after cleaning: the text in its place, new ones behind all others."""
        names = self.read
        for name in body_columns(names, schema.names, self.removed_column):
            _check_type(schema.field(name), _is_text)
        _check_type(schema.field(names.source_field), _is_source)
        listed = schema.names
        text = schema.field(names.text_field).type if names.text_field in listed else None
        added = {
            names.text_field: text if text is not None and _is_string(text) else pa.string(),
            self.removed_column: SPANS,
            f"{self.removed_column}_stub": pa.bool_(),
        }
        for name, kind in added.items():
            field = pa.field(name, kind)
            schema = schema.set(listed.index(name), field) if name in listed else schema.append(field)
        return schema

    def batch(self, batch: pa.RecordBatch, schema: pa.Schema) -> pa.RecordBatch:
        """Clean one batch; a row that cannot be cleaned stays as it was, and has nothing removed."""
        names, removed = self.read, self.removed_column
        held = batch.schema.names

        def column(name: str) -> list[Any] | None:
            return batch[name].to_pylist() if held.count(name) == 1 else None

        sources = column(names.source_field) or []
        fields = (names.text_field, names.html_field, names.url_field, removed, f"{removed}_stub")
        done = self.rows.columns(sources, *map(column, fields))
        made = {names.text_field: done.texts, removed: done.removed, f"{removed}_stub": done.stub}
        arrays = [
            pa.array(made[field.name], field.type) if field.name in made else batch.column(place)
            for place, field in enumerate(schema)
        ]
        return pa.RecordBatch.from_arrays(arrays, schema=schema)


def clean_table(
    table: ArrowTable,
    packs: Packs | RowCleaner,
    read: ReadConfig | None = None,
    *,
    clean: CleanConfig | None = None,
    removed_column: str = "removed",
) -> pa.RecordBatchReader:
    """Clean the texts of a table, each with the pack of its source; parameters as of `TableCleaner`.

    Returns
    -------
    RecordBatchReader
        The rows in their order and the other columns as they were.  It is read once, by whatever takes Arrow:
        ``polars.DataFrame(...)``, ``pyarrow.table(...)``, ``duckdb.from_arrow(...)``; ``.read_pandas()`` gives a data
        frame with its index.

    Raises
    ------
    ConfigError
        A column that is not there, or no strings.

    Examples
    --------
    >>> clean_table(frame, "packs/").read_pandas()  # doctest: +SKIP
    """
    return TableCleaner(packs, read, clean=clean, removed_column=removed_column).stream(table)


def _check_type(field: pa.Field, fits: Any) -> None:
    """Refuse a column of numbers, bytes and the like, of which not one row could be cleaned."""
    kind = field.type.value_type if pa.types.is_dictionary(field.type) else field.type
    if not fits(kind):
        raise ConfigError(f"column {field.name}: expected strings, found {field.type}")


def _is_string(kind: pa.DataType) -> bool:
    return any((pa.types.is_string(kind), pa.types.is_large_string(kind), pa.types.is_string_view(kind)))


def _is_text(kind: pa.DataType) -> bool:
    return _is_string(kind) or pa.types.is_null(kind)


def _is_source(kind: pa.DataType) -> bool:
    """Return whether a column can name sources; numbers can, as they do in files."""
    return _is_text(kind) or pa.types.is_integer(kind) or pa.types.is_floating(kind)
