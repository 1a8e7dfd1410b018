"""Parquet: a row is a record.  Memory holds some thousand rows of a row group at a time."""

from __future__ import annotations

import os
import tempfile
from collections.abc import Iterator, Mapping
from typing import Any, BinaryIO

from pyarrow import parquet

from templatemine.config import ReadConfig
from templatemine.io import tables
from templatemine.io.files import Report, open_input, place_of, stem
from templatemine.io.pending import Rows
from templatemine.model import Record

_ROWS = 1024
"""Rows that are read in one go."""


def read(path: str, config: ReadConfig, report: Report) -> Iterator[Record]:
    """Yield a record for each row; see `tables.read`.

    Raises
    ------
    CorpusError
        Fatal: no permission, no Parquet file, damaged or truncated, two columns of one name.
    """
    return tables.read(_batches(path), place_of(path), stem(path), config, report)


def batches(path: str, config: ReadConfig, report: Report, most: int, size: int) -> Iterator[Rows]:
    """Yield the rows unchanged."""
    return tables.rows_of(_batches(path), place_of(path), stem(path), size)


def _batches(path: str) -> Iterator[Any]:
    place = place_of(path)
    with tables.read_errors(place, "Parquet"), open_input(path) as stream, tempfile.TemporaryFile() as copy:
        source = tables.spool(path, stream, copy)  # the index is at the end
        packed = source.seek(0, os.SEEK_END)
        file = parquet.ParquetFile(source)
        yield from tables.check_batches(file.iter_batches(batch_size=_ROWS), file.schema_arrow, place, lambda: packed)


def writer(stream: BinaryIO, place: str, columns: Mapping[str, Any]) -> tables.TableWriter:
    """Make the writer of cleaned rows; see `tables.TableWriter`."""
    output = tables.ArrowOutput(stream)
    return tables.TableWriter(place, lambda schema: parquet.ParquetWriter(output, schema), columns)
