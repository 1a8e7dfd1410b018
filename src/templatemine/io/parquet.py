"""Parquet: a row is a record.  Memory holds some thousand rows of a row group at a time."""

from __future__ import annotations

import os
import tempfile
from collections.abc import Iterator, Mapping
from functools import partial
from typing import Any, BinaryIO

from pyarrow import parquet

from templatemine.io import tables
from templatemine.io.files import open_input, place_of

_ROWS = 1024
"""Rows that are read in one go."""


def _batches(path: str) -> Iterator[Any]:
    place = place_of(path)
    with tables.read_errors(place, "Parquet"), open_input(path) as stream, tempfile.TemporaryFile() as copy:
        source = tables.spool(path, stream, copy)  # the index is at the end
        packed = source.seek(0, os.SEEK_END)
        file = parquet.ParquetFile(source)
        yield from tables.check_batches(file.iter_batches(batch_size=_ROWS), file.schema_arrow, place, lambda: packed)


read, batches = partial(tables.read, _batches), partial(tables.read_batches, _batches)


def writer(stream: BinaryIO, place: str, columns: Mapping[str, Any]) -> tables.TableWriter:
    """Make the writer of cleaned rows; see `tables.TableWriter`."""
    output = tables.ArrowOutput(stream)
    return tables.TableWriter(place, lambda schema: parquet.ParquetWriter(output, schema), columns)
