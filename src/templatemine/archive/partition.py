"""Records of mixed sources -> files in which those of a source are together, in bounded memory.

The first pass hashes sources into a fixed number of files.  The sizes of all sources are known then, so what must be
read to mine a source can be planned: a file that fits the budget is one `MiningUnit` with all its sources; one that
does not is split once more, by name, into units that do; a source that is larger than the budget is a unit of its own,
which is read as a stream.  Files are opened for each block that is appended, so the limit of open files never matters.

It is how the WC Cleaner thesis sorts crawls (section 2.1, Sorting), with a fixed number of files in place of one a
source.  Memory holds a block a file, and a name and three numbers a source; the cost is that of packing.
"""

from __future__ import annotations

import os
import shutil
import sys
from array import array
from bisect import bisect_right
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, fields
from hashlib import blake2b
from typing import overload

import orjson

from templatemine.archive.frames import Frame, KeyedBody, list_frames, pack_frame, read_bodies
from templatemine.io.jsonl import decode_line, encode_line
from templatemine.io.write import sync, write_errors
from templatemine.model import Document

FOLDERS = ("split", "units")
"""Folders of a partition: files of the first pass, and of the second."""

BUCKET_COUNT = 128
"""Files of the first pass.  With 50,000 sources each gets some 400; a block for each is 8 MB."""

BLOCK_BYTES = 1 << 16
"""Bytes that are packed together: larger ones pack hardly better."""

MAX_WAITING_BYTES = 1 << 24
"""Bytes that wait for their blocks to fill, in all files together."""

_RECORD_OVERHEAD = 160
"""Bytes of memory that a waiting record takes beside its text."""

_DOCUMENT_FIELDS = tuple(field.name for field in fields(Document) if field.name != "source")


def make_folders(work: str, *others: str) -> None:
    """Make the folders of a partition, and others beside them, anew in the folder of a run."""
    shutil.rmtree(work, ignore_errors=True)
    with write_errors(work):
        for name in (*FOLDERS, *others):
            os.makedirs(os.path.join(work, name))


def encode_source(source: str) -> bytes:
    """Return a source as it is written in frames."""
    return source.encode("utf-8", "surrogatepass")


def decode_source(key: bytes) -> str:
    """Invert `encode_source`."""
    return key.decode("utf-8", "surrogatepass")


def encode_document(document: Document, own_id: bool) -> bytes:
    """Return a document as the body of a record; `own_id` says whether its id was in its file."""
    values = [own_id, *(getattr(document, name) for name in _DOCUMENT_FIELDS)]
    try:
        return bytes(
            memoryview(orjson.dumps(values))
        )  # a copy: what orjson gives keeps the room that it was written in
    except orjson.JSONEncodeError:  # a lone surrogate
        return encode_line({"": values})


def decode_document(key: bytes, body: bytes) -> tuple[Document, bool]:
    """Invert `encode_document`."""
    values = orjson.loads(body) if body.startswith(b"[") else decode_line(body)[""]
    return Document(source=decode_source(key), **dict(zip(_DOCUMENT_FIELDS, values[1:], strict=True))), values[0]


@dataclass(slots=True)
class SourceSizes:
    """The sizes of a source after the first pass: documents, and bytes that mining all of it takes, and its largest
    document alone (see `memory_cost`)."""

    documents: int = 0
    cost: int = 0
    largest: int = 0

    def add(self, cost: int) -> None:
        """Count a document by its cost."""
        self.documents += 1
        self.cost += cost
        self.largest = max(self.largest, cost)


def memory_cost(document: Document) -> int:
    """Return the bytes of memory that mining takes for a document, those of the document itself among them.

    It is what docs/performance.md says, with a token for four bytes of text, and one for three where the text
    is of three bytes a character (Chinese, Japanese, Thai), in which every character is a token and strings abound.
    """
    body = document.body
    text = sum(sys.getsizeof(value) for value in (document.text, document.html, document.url, document.title) if value)
    size = len(body) if body.isascii() else len(body.encode("utf-8", "surrogatepass"))
    return text + _DOCUMENT_OVERHEAD + (_COST_PER_DENSE_BYTE if size > 2 * len(body) else _COST_PER_BYTE) * size


_DOCUMENT_OVERHEAD = 400
_COST_PER_BYTE, _COST_PER_DENSE_BYTE = 6, 14
"""Measured peaks, see docs/scale.md."""

_LARGE_SHARE = 16


def max_document_cost(budget: int) -> int:
    """Limit the memory of mining one document: of one that takes more, a few would be all that is mined."""
    return budget // _LARGE_SHARE


class Splitter:
    """Appends records to the files of a partition.

    Parameters
    ----------
    folder : str
        Must be there.
    place : callable
        Source -> name of its file.
    """

    def __init__(self, folder: str, file_of: Callable[[bytes], str], block: int = BLOCK_BYTES) -> None:
        self._folder = folder
        self._file_of = file_of
        self._block = block
        self._waiting: dict[str, list[KeyedBody]] = {}
        self._waiting_bytes: dict[str, int] = {}
        self._total_waiting = 0
        self._grown_files: set[str] = set()

    def add(self, key: bytes, body: bytes) -> None:
        """Take a record; it is on disk after the next `flush`."""
        name = self._file_of(key)
        self._waiting.setdefault(name, []).append((key, body))
        record_bytes = len(body) + _RECORD_OVERHEAD
        size = self._waiting_bytes.get(name, 0) + record_bytes
        self._waiting_bytes[name] = size
        self._total_waiting += record_bytes
        if size >= self._block:
            self._write(name)
        elif self._total_waiting >= MAX_WAITING_BYTES:
            for waiting in sorted(self._waiting):
                self._write(waiting)

    def flush(self) -> dict[str, int]:
        """Put everything on disk; the length of each file that has grown since the last time."""
        for name in sorted(self._waiting):
            self._write(name)
        lengths = {}
        for name in sorted(self._grown_files):
            path = os.path.join(self._folder, name)
            with write_errors(path):
                sync(path)
                lengths[name] = os.stat(path).st_size
        self._grown_files.clear()
        return lengths

    def _write(self, name: str) -> None:
        path = os.path.join(self._folder, name)
        with write_errors(path), open(path, "ab") as handle:
            handle.write(pack_frame(self._waiting.pop(name)))
        self._total_waiting -= self._waiting_bytes.pop(name)
        self._grown_files.add(name)


def bucket_name(key: bytes) -> str:
    """Return the file of a source in the first pass."""
    return f"{int.from_bytes(blake2b(key, digest_size=4).digest(), 'little') % BUCKET_COUNT:03}"


@dataclass(frozen=True, slots=True)
class MiningUnit:
    """Sources that are read and mined together.

    Attributes
    ----------
    name : str
        Of its file.
    sources : tuple of str
        Ascending.
    giant : bool
        One source that does not fit the budget.
    """

    name: str
    sources: tuple[str, ...]
    giant: bool = False

    def path(self, work: str) -> str:
        """Return the path of the file, in the folder of a partition."""
        return os.path.join(work, FOLDERS["-" in self.name], self.name)


def plan_units(sizes: Mapping[str, SourceSizes], budget: int) -> dict[str, list[MiningUnit]]:
    """Return the units of each file of the first pass; a file of one unit need not be split again."""
    by_bucket: dict[str, list[str]] = {}
    for source in sorted(sizes):
        by_bucket.setdefault(bucket_name(encode_source(source)), []).append(source)
    return {name: _group_sources(name, by_bucket[name], sizes, budget) for name in sorted(by_bucket)}


def _group_sources(
    name: str, sources: Sequence[str], sizes: Mapping[str, SourceSizes], budget: int
) -> list[MiningUnit]:
    groups: list[list[str]] = []
    budget_left = 0
    for source in sources:
        cost = sizes[source].cost
        if cost > budget_left or not groups:
            groups.append([])
            budget_left = budget
        groups[-1].append(source)
        budget_left -= cost
    if len(groups) == 1:
        return [MiningUnit(name, tuple(groups[0]), sizes[groups[0][0]].cost > budget)]
    return [
        MiningUnit(f"{name}-{number:05}", tuple(group), sizes[group[0]].cost > budget)
        for number, group in enumerate(groups)
    ]


def split_units(
    work: str, units_by_file: Mapping[str, Sequence[MiningUnit]], progress: Callable[[int], None] = lambda done: None
) -> None:
    """Make files of their own for the units of a file that does not fit the budget; killed, it may be called again."""
    for done, (name, units_of_file) in enumerate(units_by_file.items()):
        path = os.path.join(work, FOLDERS[0], name)
        if len(units_of_file) < 2 or not os.path.exists(path):
            continue
        file_of = {encode_source(source): unit.name for unit in units_of_file for source in unit.sources}
        for unit in units_of_file:  # from a run that was killed here
            with suppress(FileNotFoundError):
                os.unlink(unit.path(work))
        splitter = Splitter(os.path.join(work, FOLDERS[1]), file_of.__getitem__)
        for key, body in read_bodies(path):
            splitter.add(key, body)
        splitter.flush()
        os.unlink(path)
        progress(done)


class StoredDocuments(Sequence[Document]):
    """The documents of one source in a file of its own, read as they are asked for; memory holds a frame.

    Parameters
    ----------
    path : str
    max_cost : int, optional
        Those that take more to mine (`memory_cost`) are left out, and `left_out` counts them.
    """

    def __init__(self, path: str, max_cost: int | None = None) -> None:
        self._path = path
        self._max_cost = max_cost
        self._frames = list_frames(path)
        self._first_index = [0]
        for frame in self._frames:
            self._first_index.append(self._first_index[-1] + frame.records)
        self._open_frame: tuple[Frame, list[Document]] | None = None
        self._kept: array[int] | None = None
        self.left_out = 0
        if max_cost is not None:
            self._kept = array("q", (index for index, one in enumerate(self._all()) if memory_cost(one) <= max_cost))
            self.left_out = self._first_index[-1] - len(self._kept)

    def __len__(self) -> int:
        return self._first_index[-1] - self.left_out

    def _all(self) -> Iterator[Document]:
        for key, body in read_bodies(self._path):
            yield decode_document(key, body)[0]

    def __iter__(self) -> Iterator[Document]:
        for document in self._all():
            if self._max_cost is None or memory_cost(document) <= self._max_cost:
                yield document

    @overload
    def __getitem__(self, index: int) -> Document: ...
    @overload
    def __getitem__(self, index: slice) -> list[Document]: ...
    def __getitem__(self, index: int | slice) -> Document | list[Document]:
        if isinstance(index, slice):
            return [self[position] for position in range(*index.indices(len(self)))]
        if not -len(self) <= index < len(self):
            raise IndexError(index)
        index %= len(self)
        if self._kept is not None:
            index = self._kept[index]
        frame_index = bisect_right(self._first_index, index) - 1
        frame = self._frames[frame_index]
        if self._open_frame is None or self._open_frame[0] is not frame:
            self._open_frame = frame, [decode_document(*record)[0] for record in read_bodies(self._path, frame)]
        return self._open_frame[1][index - self._first_index[frame_index]]
