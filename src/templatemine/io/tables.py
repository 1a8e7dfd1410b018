"""Tables of Arrow: batches of rows in, records out; and back into tables with every other column as it was.

What the formats with columns share.  A row is a record, a column a field; `Rows` are some rows on their way to another
process, which cleans them without looking at the columns it has no use for.
"""

from __future__ import annotations

import base64
import datetime
import decimal
import shutil
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import Any, BinaryIO

import pyarrow as pa
from pyarrow import ipc

from templatemine.config import ReadConfig
from templatemine.errors import CorpusError, spelled
from templatemine.io.charset import decode_page, note_all
from templatemine.io.decompression import check_expansion
from templatemine.io.fields import (
    build_document,
    check_fields,
    check_names,
    check_same_fields,
    check_size,
    order_columns,
)
from templatemine.io.files import READ_ERRORS, Report, place_of, read_error, stem
from templatemine.io.jsonl import decode_line, encode_line
from templatemine.io.pending import Rows
from templatemine.model import Record

READ_ROWS = 256
"""Rows in a batch; see `read.BATCH_RECORDS`."""


@contextmanager
def read_errors(place: str, what: str) -> Iterator[None]:
    """Raise complaints of Arrow and of the file as fatal errors that name the file."""
    try:
        yield
    except pa.ArrowException as error:
        problem = str(error).splitlines()[0] if str(error) else type(error).__name__
        raise CorpusError(f"cannot be read as {what}: {problem}", place, fatal=True) from error
    except UnicodeDecodeError as error:  # strings are validated; the names of columns come as Python strings at once
        raise CorpusError(f"cannot be read as {what}: the name of a column is no UTF-8", place, fatal=True) from error
    except READ_ERRORS as error:
        raise read_error(error, place) from error


def check_batches(batches: Iterable[Any], schema: Any, place: str, packed: Callable[[], int]) -> Iterator[Any]:
    """Yield the batches of a file that has taken ``packed()`` bytes so far; if there are none, one without rows, for
    its columns.

    Two columns of one name are refused, since one would be lost as a field of a record; so are batches that reach
    outside their own memory, or are no UTF-8, for Arrow does not check the offsets of a file.
    """
    check_names(schema.names, place)
    found, whole = False, 0
    for batch in batches:
        found = True
        whole += batch.nbytes
        check_expansion(packed(), whole)
        batch.validate(full=True)
        yield batch
    if not found:
        yield pa.RecordBatch.from_pylist([], schema=schema)


def spool(path: str, stream: Any, copy: BinaryIO, head: bytes = b"") -> Any:
    """Return a stream that can be searched from its end: the given one, or else a copy, which begins with `head`."""
    if path != "-" and stream.seekable():
        return stream
    copy.write(head)
    shutil.copyfileobj(stream, copy)
    return copy


# -------------------------------------------------------------------------------------------------------------- rows


OpenTable = Callable[[str], Iterator[Any]]
"""Path of a table -> its batches."""


def read_batches(
    open_table: OpenTable, path: str, config: ReadConfig, report: Report, most: int, size: int
) -> Iterator[Rows]:
    """Yield the rows of a table unchanged, in `Rows` of at most `READ_ROWS` rows and about `size` bytes; at least one,
    so that the columns are known."""
    place, source, number = place_of(path), stem(path), 1
    for batch in open_table(path):
        step = max(1, min(READ_ROWS, int(batch.num_rows * size / max(1, batch.nbytes))))
        for start in range(0, batch.num_rows, step) if batch.num_rows else (0,):
            part = batch.slice(start, step)
            yield Rows(place, source, number, _serialize(part))
            number += part.num_rows


def _serialize(batch: Any) -> bytes:
    sink = pa.BufferOutputStream()
    with ipc.new_stream(sink, batch.schema) as writer:
        writer.write_batch(batch)
    return bytes(sink.getvalue())


def read(open_table: OpenTable, path: str, config: ReadConfig, report: Report) -> Iterator[Record]:
    """Yield a record for each row of a table; all columns are its fields, as values that JSON can hold.

    Raises
    ------
    CorpusError
        Fatal: no permission, another format, damaged or truncated, two columns of one name.
    """
    place, source, number = place_of(path), stem(path), 0
    for batch in open_table(path):
        for start in range(0, batch.num_rows, READ_ROWS):
            for fields in _fields(batch.slice(start, READ_ROWS), config, None):
                number += 1
                try:
                    note_all(report, _decode_bodies(fields, config))
                    found = build_document(fields, config, source, number, place)
                    check_size(config, found.text, found.html)
                except ValueError as error:
                    report(CorpusError.of(error, f"{place}:{number}"))
                    continue
                yield Record(document=found, fields=fields, where=f"{place}:{number}")


def _fields(batch: Any, config: ReadConfig, wanted: frozenset[str] | None) -> Iterator[dict[str, Any]]:
    """Yield the rows of a batch as fields: of all columns, or of those that are wanted."""
    columns, names = [], []
    for name, column in zip(batch.schema.names, batch.columns, strict=True):
        if wanted is None or name in wanted:
            keep = name in (config.text_field, config.html_field)  # bytes of these are text
            columns.append(
                column.to_pylist() if keep or _is_json_type(column.type) else map(to_json_value, column.to_pylist())
            )
            names.append(name)
    if not columns:
        yield from ({} for _ in range(batch.num_rows))
    for values in zip(*columns, strict=True):
        yield dict(zip(names, values, strict=True))


def _decode_bodies(fields: dict[str, Any], config: ReadConfig) -> list[str]:
    """Decode the bytes of the text and of the page in place; return notes on the page."""
    text, html = fields.get(config.text_field), fields.get(config.html_field)
    if type(text) is bytes:
        try:
            fields[config.text_field] = text.decode()
        except UnicodeDecodeError as error:
            fields[config.text_field] = None
            found = f"byte 0x{text[error.start]:02x} at byte offset {error.start}"
            raise ValueError(f"expected UTF-8 in field {config.text_field!r}, found {found}") from None
    if type(html) is bytes:
        fields[config.html_field], notes = decode_page(html)
        return notes
    return []


def _is_json_type(kind: Any) -> bool:
    of = pa.types
    return any(
        test(kind)
        for test in (of.is_string, of.is_large_string, of.is_string_view, of.is_integer, of.is_boolean, of.is_null)
    ) or (of.is_floating(kind) and not of.is_float16(kind))


def to_json_value(value: Any) -> Any:
    """Return a value as JSON can hold it: times in ISO 8601, decimals as they are written, bytes in base 64."""
    if isinstance(value, datetime.datetime | datetime.date | datetime.time):
        return value.isoformat()
    if isinstance(value, decimal.Decimal | datetime.timedelta):
        return str(value)
    if isinstance(value, bytes):
        return base64.b64encode(value).decode("ascii")
    if isinstance(value, dict):
        return {str(key): to_json_value(item) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [to_json_value(item) for item in value]
    if type(value).__module__ == "numpy":  # half floats
        return float(value)
    return value if value is None or isinstance(value, str | int | float) else str(value)


def read_rows(
    rows: Rows,
    config: ReadConfig,
    report: Callable[[CorpusError], None],
    wanted: frozenset[str] | None,
    *,
    nulls: bool = False,
) -> Iterator[tuple[int, str, str, dict[str, Any]]]:
    """Yield place in `rows`, source, place and fields of each record; the fields are the caller's to change.

    With `nulls` also those whose text and page are null, if the table has a column of either; else they are reported.
    """
    with ipc.open_stream(rows.data) as stream:
        batch = stream.read_next_batch()
    for place, fields in enumerate(_fields(batch, config, wanted)):
        number = rows.number + place
        try:
            _decode_bodies(fields, config)
            source, _, text, html = check_fields(fields, config, rows.source, number, rows.place, nulls=nulls)
            check_size(config, text, html)
        except ValueError as error:
            report(CorpusError.of(error, f"{rows.place}:{number}"))
            continue
        yield place, source, f"{rows.place}:{number}", fields


# ------------------------------------------------------------------------------------------------- cleaned rows, out

SPANS = pa.list_(
    pa.struct(  # see `model.Span`
        [("start", pa.int64()), ("end", pa.int64()), ("templates", pa.list_(pa.string())), ("kind", pa.string())]
    )
)
BLOCKS = pa.list_(
    pa.struct(
        [
            *(("start", pa.int64()), ("end", pa.int64()), ("score", pa.float64()), ("page", pa.float64())),
            *(("path", pa.float64()), ("df", pa.int64()), ("reason", pa.string())),
        ]
    )
)


def cleaned_columns(text_field: str, removed_field: str, blocks_field: str | None) -> dict[str, Any]:
    """Return the columns that cleaning makes; None for the type that the column has (string, if it is new)."""
    columns = {text_field: None, removed_field: SPANS, f"{removed_field}_stub": pa.bool_()}
    return columns if blocks_field is None else {**columns, blocks_field: BLOCKS}


class OutputRows:
    """Cleaned rows: the batch they came in, with the columns that cleaning adds.

    Parameters
    ----------
    columns : mapping of str to DataType or None
        See `cleaned_columns`; they are put at the end in this order, if they are not there.
    """

    def __init__(self, rows: Rows, columns: Mapping[str, Any]) -> None:
        with ipc.open_stream(rows.data) as stream:
            self._batch = stream.read_next_batch()
        self._columns = columns
        self._place = rows.place
        self._kept: list[int] = []
        self._values: dict[str, list[Any]] = {name: [] for name in columns}

    def add(self, place: int, fields: Mapping[str, Any]) -> None:
        """Keep a row, with the new values in `fields`."""
        self._kept.append(place)
        for name, values in self._values.items():
            values.append(fields.get(name))

    def serialize(self) -> bytes:
        """Return the rows that were kept, as a stream of Arrow."""
        batch = self._batch
        if len(self._kept) < batch.num_rows:
            batch = _take_rows(batch, self._kept)
        for name, kind in self._columns.items():
            at = batch.schema.get_field_index(name)
            if kind is None:
                kind = pa.string() if at < 0 else batch.schema.field(at).type
            try:
                column = _build_column(self._values[name], kind)
            except _VALUE_ERRORS as error:
                raise _type_error(error, name, self._place) from error
            field = pa.field(name, column.type)
            if at < 0:
                batch = batch.append_column(field, column)
            else:
                batch = batch.set_column(at, field.with_metadata(batch.schema.field(at).metadata), column)
        return _serialize(batch)


def _take_rows(batch: Any, rows: Sequence[int]) -> Any:
    """Take some rows of a batch, ascending, by joining slices: Arrow takes no single rows of columns of views."""
    runs: list[list[int]] = []
    for row in rows:
        if runs and runs[-1][1] == row:
            runs[-1][1] += 1
        else:
            runs.append([row, row + 1])
    parts = [batch.slice(start, end - start) for start, end in runs]
    found = pa.Table.from_batches(parts, batch.schema).combine_chunks().to_batches()
    return found[0] if found else batch.slice(0, 0)


_VALUE_ERRORS = (pa.ArrowException, OverflowError, TypeError)
"""Errors of Arrow for a value that a column cannot hold; its own exceptions are those of Python as well."""


def _type_error(error: Exception, name: str, place: str) -> CorpusError:
    found = str(error).partition("\n")[0]
    wanted = f"expected values of field {name!r} that its column in the output can hold"
    option = spelled("--removed-field", "removed_field=")
    return CorpusError(f"{wanted}, found others ({option} names another column): {found}", place, fatal=True)


def _build_column(values: Sequence[Any], kind: Any) -> Any:
    of = pa.types
    text = of.is_dictionary(kind) or of.is_binary(kind) or of.is_large_binary(kind) or of.is_binary_view(kind)
    # A column of nothing but nulls can hold no text.
    return (
        pa.array(values, pa.string()).cast(kind)
        if text
        else pa.array(values, pa.string() if of.is_null(kind) else kind)
    )


class TableWriter:
    """Pieces of a table in, a file out.

    Parameters
    ----------
    place : str
        The file, as errors name it.
    open_writer : callable
        Schema -> what writes tables of it and is closed.
    columns : mapping of str to DataType or None
        The columns that cleaning makes, with their types; see `cleaned_columns`.  Of pieces that are JSON lines, the
        first gives the columns and types of the others; values with fields of their own, and of different types, are
        written as JSON.
    """

    ROWS = 1 << 14
    SIZE = 1 << 26
    """A group of rows is written when it has so many, or so many bytes: large enough to be packed well and read by
    column, small enough for memory."""

    def __init__(self, place: str, open_writer: Callable[[Any], Any], columns: Mapping[str, Any]) -> None:
        self._place = place
        self._open = open_writer
        self._columns = columns
        self._writer: Any = None
        self._schema: Any = None
        self._as_json: set[str] = set()
        self._read = 0
        self._batches: list[Any] = []

    def write(self, piece: bytes) -> None:
        """Write a piece: a stream of Arrow (see `OutputRows.serialize`) or JSON lines."""
        if not piece:
            return
        if piece[:4] != _STREAM:
            self._add(self._from_lines(piece))
        else:
            with ipc.open_stream(piece) as stream:
                for batch in stream:
                    self._add(batch)

    def _from_lines(self, piece: bytes) -> Any:
        records = [decode_line(line) for line in piece.splitlines()]
        first, self._read = self._read + 1, self._read + len(records)
        names = list(dict.fromkeys(name for fields in records for name in fields)) if self._schema is None else None
        if names is not None:
            fixed = {name: kind or pa.string() for name, kind in self._columns.items()}
            ordered = order_columns(names, fixed)
            kinds = {name: fixed[name] if name in fixed else _infer_type(records, name) for name in ordered}
            self._as_json = {name for name, kind in kinds.items() if kind is None}
            self._schema = pa.schema([(name, kind or pa.string()) for name, kind in kinds.items()])
        columns = []
        for number, fields in enumerate(records, first):
            check_same_fields(fields, self._schema.names, number, self._place)
        for field in self._schema:
            values = [fields.get(field.name) for fields in records]
            if field.name in self._as_json:
                values = [None if one is None else encode_line({"": one})[4:-2].decode() for one in values]
            try:
                columns.append(pa.array(values, field.type))
            except _VALUE_ERRORS as error:
                number = first + _find_wrong(values, field.type)
                raise _type_error(error, field.name, f"{self._place}: record {number:,}") from error
        return pa.RecordBatch.from_arrays(columns, schema=self._schema)

    def _add(self, batch: Any) -> None:
        if self._schema is None:
            self._schema = batch.schema
        if not batch.schema.equals(self._schema):
            raise CorpusError(
                f"expected inputs with the same columns, found {_columns(self._schema)} and {_columns(batch.schema)}",
                self._place,
                fatal=True,
            )
        self._batches.append(batch)
        if sum(one.num_rows for one in self._batches) >= self.ROWS or (
            sum(one.nbytes for one in self._batches) >= self.SIZE
        ):
            self._flush()

    def _flush(self) -> None:
        if self._writer is None:
            self._writer = self._open(self._schema)
        self._writer.write_table(pa.Table.from_batches(self._batches, self._schema).combine_chunks())
        self._batches = []

    def close(self) -> None:
        """Write the rest and the end of the file; no pieces at all make a table without rows."""
        if self._schema is None:
            self._schema = pa.schema([(name, kind or pa.string()) for name, kind in self._columns.items()])
        if self._batches or self._writer is None:
            self._flush()
        self._writer.close()


_STREAM = b"\xff\xff\xff\xff"
"""The beginning of a stream of Arrow, and of no text in UTF-8."""


def _infer_type(records: Sequence[Mapping[str, Any]], name: str) -> Any:
    """Return the type of a field by some records, string if they have none; None for values that only JSON holds: of
    an object Arrow would drop the keys that the first ones have not."""
    values = [fields.get(name) for fields in records]
    try:
        kind = pa.array(values).type
    except _VALUE_ERRORS:
        return None
    if pa.types.is_null(kind):
        return pa.string()
    inner = kind.value_type if pa.types.is_list(kind) else kind
    return None if pa.types.is_nested(inner) or pa.types.is_null(inner) else kind


def _find_wrong(values: Sequence[Any], kind: Any) -> int:
    """Return the place of the first value that a column cannot hold."""
    for place, value in enumerate(values):
        try:
            pa.array([value], kind)
        except _VALUE_ERRORS:
            return place
    return 0


def _columns(schema: Any) -> str:
    return "(" + ", ".join(f"{field.name}: {field.type}" for field in schema) + ")"


class ArrowOutput:
    """The sink of Arrow's writers: a handle that cannot seek, with the place counted."""

    def __init__(self, stream: Any) -> None:
        self._stream = stream
        self._at = 0
        self.closed = False

    def write(self, data: Any) -> int:
        size = len(data)
        if not self._stream.closed:  # as it is after an error, when Arrow lets go of its writer and ends the file
            self._stream.write(data)
        self._at += size
        return size

    def tell(self) -> int:
        return self._at

    def flush(self) -> None:
        """Do nothing: whoever opened the handle below flushes it."""

    def close(self) -> None:
        self.closed = True
