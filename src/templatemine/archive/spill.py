"""The candidates of sources between the two maps, on disk: bounded memory for any number of sources.

`dump_candidates` and `load_candidates` write and read `SourceCandidates`: its values as JSON, and behind it the arrays,
which the JSON says the places of.
`SharedStringsFile` is the reduce: it sees the strings of all sources a range of hashes at a time, and keeps those that
are in two sources or more.
"""

from __future__ import annotations

import json
import mmap
import os
import shutil
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import ExitStack
from dataclasses import fields, is_dataclass
from tempfile import TemporaryFile
from typing import Any, BinaryIO

import numpy as np
from numpy.typing import NDArray

from templatemine.archive.frames import Frame, body_offset, pack_pieces, read_single_body
from templatemine.archive.partition import encode_source
from templatemine.errors import CorpusError
from templatemine.io.write import atomic_writer, write_errors
from templatemine.mining.candidates import CandidateStrings, SourceCandidates, Verdicts
from templatemine.mining.corpus import Repeats, Vocabulary
from templatemine.mining.cross_source import HASH_BITS, SharedStrings, count_sources
from templatemine.mining.shared_pack import Claims
from templatemine.model import PageHistory, PathVote, RepeatedText
from templatemine.text.reading import ReadingRules

_RECORDS: Mapping[str, type[Any]] = {
    record.__name__: record
    for record in (
        *(SourceCandidates, CandidateStrings, Vocabulary, Repeats, Verdicts),
        *(PageHistory, PathVote, RepeatedText, ReadingRules),
    )
}

_LENGTH_BYTES = 8
"""Of the length of the JSON, with which a dump begins."""


def dump_candidates(candidates: SourceCandidates, offset: int = 0) -> list[bytes | memoryview]:
    """Return the candidates of a source as pieces of bytes; they are views of its arrays.

    `load_candidates` need not copy an array if the first piece is read from `offset` bytes on.
    """
    pieces: list[bytes | memoryview] = []
    size = 0

    def to_plain(value: Any) -> dict[str, Any]:
        nonlocal size
        if isinstance(value, np.ndarray):
            place, padding = size, bytes(-value.nbytes % 8)  # numbers of eight bytes may follow
            if len(value):
                pieces.extend((np.ascontiguousarray(value).data.cast("B"), padding))
            size += value.nbytes + len(padding)
            return {"array": [value.dtype.str, len(value), place]}
        names = [field.name for field in fields(value)] if is_dataclass(value) else vars(value)
        return {"record": type(value).__name__, **{name: getattr(value, name) for name in names}}

    head = json.dumps(candidates, default=to_plain).encode()
    head += b" " * (-(offset + _LENGTH_BYTES + len(head)) % 8)
    return [len(head).to_bytes(_LENGTH_BYTES, "little"), head, *pieces]


def load_candidates(data: bytes | memoryview) -> SourceCandidates:
    """Invert `dump_candidates`, from one piece; the arrays are views of it where they begin at a multiple of the size
    of their numbers, as the native core, and many a processor, must have them."""
    end = _LENGTH_BYTES + int.from_bytes(data[:_LENGTH_BYTES], "little")

    def from_plain(value: dict[str, Any]) -> Any:
        if "array" in value:
            kind, length, place = value["array"]
            array = np.frombuffer(data, kind, length, end + place)
            return array if array.flags.aligned else array.copy()
        record = _RECORDS[value.pop("record")]
        return record(**{name: tuple(item) if isinstance(item, list) else item for name, item in value.items()})

    candidates = json.loads(bytes(data[_LENGTH_BYTES:end]), object_hook=from_plain)
    assert isinstance(candidates, SourceCandidates)
    return candidates


def pack_candidates(candidates: SourceCandidates) -> bytes:
    """Return the candidates of a source as a frame, which has the source as its key."""
    key = encode_source(candidates.source)
    return pack_pieces(key, dump_candidates(candidates, body_offset(key)))


def read_candidates(path: str, frame: Frame) -> SourceCandidates:
    """Read the frame that `pack_candidates` made."""
    return load_candidates(read_single_body(path, frame))


# ---------------------------------------------------------------------------------------------------------- the claims


def write_claims(path: str, claims: Iterable[Claims]) -> None:
    """Write the claims of some sources for the shared pack, a line each; surrogates without a partner are escaped."""
    with atomic_writer(path, force=True) as handle:
        for source_claims in claims:
            handle.write(json.dumps(source_claims.as_dict()).encode() + b"\n")


def read_claims(path: str) -> Iterator[Claims]:
    """Yield the claims that `write_claims` wrote, a source at a time."""
    with open(path, "rb") as handle:
        for line in handle:
            yield Claims.from_dict(json.loads(line))


# ---------------------------------------------------------------------------------------------------------- the reduce

_PART_COLUMNS = (("hashes", np.uint64),)
_TABLE_COLUMNS = (("hashes", np.uint64), ("sources", np.int32))
_REDUCE_BYTES = 48
"""Memory that a string takes while its range is reduced: its hash, a sorted copy, and results."""


def write_hashes(handle: BinaryIO, sources: Sequence[NDArray[np.uint64]]) -> None:
    """Write the hashes of the strings of some sources for the reduce, ascending; those of several come as often."""
    handle.write(np.sort(np.concatenate([np.empty(0, np.uint64), *sources])).tobytes())


class _MappedColumns:
    """Columns of a file, one after the other, of which memory holds only the part in use."""

    def __init__(self, path: str, kinds: Sequence[tuple[str, Any]]) -> None:
        size = os.path.getsize(path)
        width = sum(np.dtype(kind).itemsize for _, kind in kinds)
        if size % width:
            raise CorpusError(
                f"expected rows of {width} bytes, found {size} bytes: the file is damaged", path, fatal=True
            )
        rows = size // width
        self._map = None
        data: Any = b""
        if size:
            with open(path, "rb") as handle:
                data = self._map = mmap.mmap(handle.fileno(), 0, access=mmap.ACCESS_READ)
        self.columns: dict[str, NDArray[Any]] = {}
        offset = 0
        for name, kind in kinds:
            self.columns[name] = np.frombuffer(data, kind, rows, offset)
            offset += self.columns[name].nbytes

    def release_memory(self) -> None:
        """Give the memory of the mapped file back to the system."""
        if self._map is not None and hasattr(mmap, "MADV_DONTNEED"):
            self._map.madvise(mmap.MADV_DONTNEED)


class SharedStringsFile:
    """The strings that several sources have, on disk; what it says is what `SharedStrings` says.

    Made by `SharedStringsFile.write`.
    """

    def __init__(self, path: str) -> None:
        self._mapped = _MappedColumns(path, _TABLE_COLUMNS)

    @staticmethod
    def write(path: str, parts: Sequence[str], memory: int) -> None:
        """Reduce: the strings of all sources, from the files of `write_hashes`, in about `memory` bytes."""
        total = sum(os.path.getsize(part) for part in parts) // np.dtype(np.uint64).itemsize
        ranges = max(1, -(-total * _REDUCE_BYTES // max(1, memory)))
        with write_errors(path), ExitStack() as stack:
            folder = os.path.dirname(path)
            scratch = [stack.enter_context(TemporaryFile(dir=folder)) for _ in _TABLE_COLUMNS]
            for place in range(ranges):
                some = _reduce_range(parts, (place << HASH_BITS) // ranges, ((place + 1) << HASH_BITS) // ranges)
                for handle, (name, _) in zip(scratch, _TABLE_COLUMNS, strict=True):
                    handle.write(getattr(some, name).tobytes())
            output = stack.enter_context(atomic_writer(path, force=True))
            for handle in scratch:
                handle.seek(0)
                shutil.copyfileobj(handle, output, 1 << 20)
                handle.close()

    def lookup(self, hashes: NDArray[np.uint64]) -> NDArray[np.int32]:
        """Return how many other sources have each string of a source."""
        found = SharedStrings(**self._mapped.columns).lookup(hashes)
        self._mapped.release_memory()
        return found


def _reduce_range(parts: Sequence[str], low: int, high: int) -> SharedStrings:
    """Return the strings with hashes from `low` to below `high` that several sources have."""
    pieces: list[NDArray[np.uint64]] = []
    for part in parts:
        hashes = _MappedColumns(part, _PART_COLUMNS).columns["hashes"]
        first, end = np.searchsorted(hashes, np.array([low, high], np.uint64)).tolist()
        pieces.append(hashes[first:end].copy())
    return count_sources(pieces)
