"""Records of mixed sources -> files in which those of a source stand together, in bounded memory.

The first pass hashes sources into a fixed number of files.  The sizes of all sources are known then, so what must be
read to mine a source can be planned: a file that fits the budget is one `Unit` with all its sources; one that does not
is split once more, by name, into units that do; a source that is larger than the budget is a unit of its own, which is
read as a stream.  Files are opened for each block that is appended, so the limit of open files never matters.

It is how the WC Cleaner thesis sorts crawls (section 2.1, Sorting), with a fixed number of files in place of one a
source.  Memory holds a block a file, and a name and three numbers a source; the cost is that of packing.
"""

from __future__ import annotations

import os
import sys
from bisect import bisect_right
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, fields
from hashlib import blake2b
from typing import overload

import orjson

from templatemine.archive.frames import Frame, KeyedBody, cannot_write, frames, pack_frame, records
from templatemine.io.jsonl import decode_line, encode_line
from templatemine.io.write import sync
from templatemine.model import Document

__all__ = [
    "BUCKETS",
    "FOLDERS",
    "Sizes",
    "Splitter",
    "StoredDocuments",
    "Unit",
    "bucket",
    "decode",
    "encode",
    "held",
    "key_of",
    "plan",
    "source_of",
    "split_again",
]

FOLDERS = ("split", "units")
"""What the folder of a partition holds: files of the first pass, and of the second."""

BUCKETS = 128
"""Files of the first pass.  With 50,000 sources each gets some 400; a block for each is 8 MB."""

BLOCK = 1 << 16
"""Bytes that are packed together: larger ones pack hardly better."""

WAITING = 1 << 24
"""Bytes that wait for their blocks to fill, in all files together."""

_RECORD = 160
"""Bytes of memory that a waiting record takes beside its text."""

_NAMES = tuple(one.name for one in fields(Document) if one.name != "source")


def key_of(source: str) -> bytes:
    """A source as it is written in frames."""
    return source.encode("utf-8", "surrogatepass")


def source_of(key: bytes) -> str:
    """The inverse of `key_of`."""
    return key.decode("utf-8", "surrogatepass")


def encode(document: Document, own_id: bool) -> bytes:
    """A document as the body of a record; `own_id` says whether its id was in its file."""
    values = [own_id, *(getattr(document, name) for name in _NAMES)]
    try:
        return bytes(
            memoryview(orjson.dumps(values))
        )  # a copy: what orjson gives keeps the room that it was written in
    except orjson.JSONEncodeError:  # a lone surrogate
        return encode_line({"": values})


def decode(key: bytes, body: bytes) -> tuple[Document, bool]:
    """The inverse of `encode`."""
    values = orjson.loads(body) if body.startswith(b"[") else decode_line(body)[""]
    return Document(source=source_of(key), **dict(zip(_NAMES, values[1:], strict=True))), values[0]


@dataclass(slots=True)
class Sizes:
    """What is known of a source after the first pass: documents, bytes that its texts are in memory, and bytes that
    mining all of it takes (see `held`)."""

    documents: int = 0
    text: int = 0
    cost: int = 0


def held(document: Document) -> tuple[int, int]:
    """Bytes of memory that a document takes, and that mining takes for each such document.

    The second is what docs/performance.md says, with a token for four bytes of text, and one for three where the text
    is of three bytes a character (Chinese, Japanese, Thai), in which every character is a token and strings abound.
    """
    body = document.body
    text = sum(sys.getsizeof(one) for one in (document.text, document.html, document.url, document.title) if one)
    size = len(body) if body.isascii() else len(body.encode("utf-8", "surrogatepass"))
    return text + _OBJECT, text + _OBJECT + (_BYTE_DENSE if size > 2 * len(body) else _BYTE) * size


_OBJECT = 400
_BYTE, _BYTE_DENSE = 6, 14
"""Measured peaks, see docs/scale.md."""


class Splitter:
    """Appends records to the files of a partition.

    Parameters
    ----------
    folder : str
        Must be there.
    place : callable
        Source -> name of its file.
    """

    def __init__(self, folder: str, place: Callable[[bytes], str], block: int = BLOCK) -> None:
        self._folder = folder
        self._place = place
        self._block = block
        self._waiting: dict[str, list[KeyedBody]] = {}
        self._size: dict[str, int] = {}
        self._total = 0
        self._touched: set[str] = set()

    def add(self, key: bytes, body: bytes) -> None:
        """Take a record; it is on disk after the next `flush`."""
        name = self._place(key)
        self._waiting.setdefault(name, []).append((key, body))
        taken = len(body) + _RECORD
        size = self._size.get(name, 0) + taken
        self._size[name] = size
        self._total += taken
        if size >= self._block:
            self._write(name)
        elif self._total >= WAITING:
            for waiting in sorted(self._waiting):
                self._write(waiting)

    def flush(self) -> dict[str, int]:
        """Put everything on disk; the length of each file that has grown since the last time."""
        for name in sorted(self._waiting):
            self._write(name)
        lengths = {}
        for name in sorted(self._touched):
            path = os.path.join(self._folder, name)
            with cannot_write(path):
                sync(path)
                lengths[name] = os.stat(path).st_size
        self._touched.clear()
        return lengths

    def _write(self, name: str) -> None:
        path = os.path.join(self._folder, name)
        with cannot_write(path), open(path, "ab") as handle:
            handle.write(pack_frame(self._waiting.pop(name)))
        self._total -= self._size.pop(name)
        self._touched.add(name)


def bucket(key: bytes) -> str:
    """The file of a source in the first pass."""
    return f"{int.from_bytes(blake2b(key, digest_size=4).digest(), 'little') % BUCKETS:03}"


@dataclass(frozen=True, slots=True)
class Unit:
    """What is read and mined together.

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
        """Its file, in the folder of a partition."""
        return os.path.join(work, FOLDERS["-" in self.name], self.name)


def plan(sizes: Mapping[str, Sizes], budget: int) -> dict[str, list[Unit]]:
    """The units of each file of the first pass; a file of one unit need not be split again."""
    by_bucket: dict[str, list[str]] = {}
    for source in sorted(sizes):
        by_bucket.setdefault(bucket(key_of(source)), []).append(source)
    return {name: _units(name, by_bucket[name], sizes, budget) for name in sorted(by_bucket)}


def _units(name: str, sources: Sequence[str], sizes: Mapping[str, Sizes], budget: int) -> list[Unit]:
    groups: list[list[str]] = []
    room = 0
    for source in sources:
        cost = sizes[source].cost
        if cost > room or not groups:
            groups.append([])
            room = budget
        groups[-1].append(source)
        room -= cost
    if len(groups) == 1:
        return [Unit(name, tuple(groups[0]), sizes[groups[0][0]].cost > budget)]
    return [
        Unit(f"{name}-{number:05}", tuple(group), sizes[group[0]].cost > budget) for number, group in enumerate(groups)
    ]


def split_again(
    work: str, units: Mapping[str, Sequence[Unit]], progress: Callable[[int], None] = lambda done: None
) -> None:
    """Make files of their own for the units of a file that does not fit the budget; killed, it may be called again."""
    for done, (name, several) in enumerate(units.items()):
        path = os.path.join(work, FOLDERS[0], name)
        if len(several) < 2 or not os.path.exists(path):
            continue
        home = {key_of(source): unit.name for unit in several for source in unit.sources}
        for unit in several:  # from a run that was killed here
            with suppress(FileNotFoundError):
                os.unlink(unit.path(work))
        splitter = Splitter(os.path.join(work, FOLDERS[1]), home.__getitem__)
        for key, body in records(path):
            splitter.add(key, body)
        splitter.flush()
        os.unlink(path)
        progress(done)


class StoredDocuments(Sequence[Document]):
    """The documents of one source in a file of its own, read as they are asked for; memory holds a frame."""

    def __init__(self, path: str) -> None:
        self._path = path
        self._frames = frames(path)
        self._first = [0]
        for frame in self._frames:
            self._first.append(self._first[-1] + frame.records)
        self._open: tuple[Frame, list[Document]] | None = None

    def __len__(self) -> int:
        return self._first[-1]

    def __iter__(self) -> Iterator[Document]:
        for key, body in records(self._path):
            yield decode(key, body)[0]

    @overload
    def __getitem__(self, place: int) -> Document: ...
    @overload
    def __getitem__(self, place: slice) -> list[Document]: ...
    def __getitem__(self, place: int | slice) -> Document | list[Document]:
        if isinstance(place, slice):
            return [self[one] for one in range(*place.indices(len(self)))]
        if not -len(self) <= place < len(self):
            raise IndexError(place)
        place %= len(self)
        number = bisect_right(self._first, place) - 1
        frame = self._frames[number]
        if self._open is None or self._open[0] is not frame:
            self._open = frame, [decode(*record)[0] for record in records(self._path, frame)]
        return self._open[1][place - self._first[number]]
