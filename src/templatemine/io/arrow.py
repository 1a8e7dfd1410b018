"""Arrow IPC: files (Feather is another name for them) and streams.  Memory holds a batch of the file at a time."""

from __future__ import annotations

import os
import tempfile
from collections.abc import Iterator, Mapping
from functools import partial
from typing import Any, BinaryIO

import pyarrow as pa
from pyarrow import ipc

from templatemine.errors import CorpusError
from templatemine.io import tables
from templatemine.io.files import open_input, place_of

_MAGIC = b"ARROW1"


def _batches(path: str) -> Iterator[Any]:
    """Yield the batches of a file by the index at its end, which alone holds its schema and their places."""
    place = place_of(path)
    with tables.read_errors(place, "Arrow"), open_input(path) as stream, tempfile.TemporaryFile() as copy:
        head = stream.read(8)
        if head.startswith(b"FEA1"):
            raise CorpusError("expected Feather version 2 or later, found version 1", place, fatal=True)
        if not head.startswith(_MAGIC):
            prefixed = _PrefixedStream(head, stream)
            reader = ipc.open_stream(prefixed)
            yield from tables.check_batches(reader, reader.schema, place, lambda: prefixed.size)
            return
        source = tables.spool(path, stream, copy, head)
        source.seek(-len(_MAGIC), os.SEEK_END)
        if source.read(len(_MAGIC)) != _MAGIC:
            raise CorpusError("cannot be read as Arrow: the file is truncated", place, fatal=True)
        packed = source.tell()
        source.seek(0)
        reader = ipc.open_file(source)
        batches = (reader.get_batch(at) for at in range(reader.num_record_batches))
        yield from tables.check_batches(batches, reader.schema, place, lambda: packed)


read, batches = partial(tables.read, _batches), partial(tables.read_batches, _batches)


class _PrefixedStream:
    """A stream with bytes before it that were read already; `size` counts what was read."""

    closed = False

    def __init__(self, head: bytes, stream: Any) -> None:
        self._head = head
        self._stream = stream
        self.size = 0

    def read(self, size: int = -1) -> bytes:
        head = self._head if size < 0 else self._head[:size]
        self._head = self._head[len(head) :]
        found = head + bytes(self._stream.read(size if size < 0 else size - len(head)))
        self.size += len(found)
        return found

    def close(self) -> None:
        """Leave the stream open: whoever opened it closes it."""


def writer(stream: BinaryIO, place: str, columns: Mapping[str, Any]) -> tables.TableWriter:
    """Make the writer of cleaned rows; a name of ``.arrows`` asks for a stream instead of a file."""
    output = pa.PythonFile(tables.ArrowOutput(stream), mode="w")
    make = ipc.new_stream if place.lower().endswith(".arrows") or place == "stdout" else ipc.new_file
    return tables.TableWriter(place, lambda schema: make(output, schema), columns)
