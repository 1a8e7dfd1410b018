"""The candidates of sources between the two maps, on disk: bounded memory for any number of sources.

`dump_candidates` and `load_candidates` write and read `SourceCandidates`: a line of JSON that says which arrays
follow, then the arrays.
`RateFile` is the reduce: it sees the strings of all sources a range of hashes at a time, and keeps those that are in
two sources or more.  What it says of a source is what a `RateTable` of all sources would.
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
import orjson
from numpy.typing import NDArray

from templatemine.errors import CorpusError
from templatemine.io.write import atomic_writer, write_errors
from templatemine.mining.candidates import CandidateStrings, SourceCandidates, Verdicts
from templatemine.mining.cross_source import CrossSourceCounts, RateTable, SourceRates, gather_rows
from templatemine.mining.shared_pack import Claims
from templatemine.mining.tokenise import Vocabulary
from templatemine.model import PageHistory, PathVote, RepeatedText, Repeats
from templatemine.text.reading import ReadingRules

_RECORDS: Mapping[str, type[Any]] = {
    "SourceCandidates": SourceCandidates,
    "Strings": CandidateStrings,
    "Repeats": Repeats,
    "Verdicts": Verdicts,
    "PageHistory": PageHistory,
    "PathVote": PathVote,
    "RepeatedText": RepeatedText,
    "ReadingRules": ReadingRules,
}
"""Records by their names on disk."""
_RECORD_NAMES = {record: name for name, record in _RECORDS.items()}


_HEAD_BYTES = 1 << 12
"""A guess at how long the first line is."""


def dump_candidates(candidates: SourceCandidates, offset: int = 0) -> list[bytes | memoryview]:
    """Return the candidates of a source as pieces of bytes; they are views of its arrays.

    `load_candidates` need not copy an array if the first piece is read from `offset` bytes on.
    """
    arrays: list[NDArray[Any]] = []
    plain = _to_plain(candidates, arrays)
    shapes = [[array.dtype.str, len(array)] for array in arrays]
    head = orjson.dumps([plain, shapes])
    pieces: list[bytes | memoryview] = [head, b" " * _padding(offset + len(head) + 1) + b"\n"]
    for array in arrays:
        if len(array):
            pieces += [np.ascontiguousarray(array).data.cast("B"), bytes(_padding(array.nbytes))]
    return pieces


def _padding(size: int) -> int:
    """Return the number of bytes to fill up, so that numbers of eight bytes may follow."""
    return -size % 8


def _to_plain(value: Any, arrays: list[NDArray[Any]]) -> Any:
    if isinstance(value, np.ndarray):
        arrays.append(value)
        return {"array": len(arrays) - 1}
    if isinstance(value, Vocabulary):
        return {"Forms": [_to_plain(value.arena, arrays), _to_plain(value.offsets, arrays)]}
    if is_dataclass(value):
        return {
            _RECORD_NAMES[type(value)]: {
                field.name: _to_plain(getattr(value, field.name), arrays) for field in fields(value)
            }
        }
    if isinstance(value, tuple):
        return {"tuple": [_to_plain(item, arrays) for item in value]}
    if isinstance(value, str):  # JSON of orjson holds no lone surrogate
        return {"text": value.encode("utf-8", "surrogatepass").hex()} if not _is_encodable(value) else value
    return value


def _is_encodable(text: str) -> bool:
    try:
        text.encode()
    except UnicodeEncodeError:
        return False
    return True


def load_candidates(data: bytes | memoryview) -> SourceCandidates:
    """Invert `dump_candidates`, from one piece; the arrays are views of it where they begin at a multiple of the size
    of their numbers, as the native core, and many a processor, must have them."""
    offset = _HEAD_BYTES
    while b"\n" not in (head := bytes(data[:offset])) and offset < len(data):
        offset *= 2
    head = head.partition(b"\n")[0]
    plain, shapes = orjson.loads(head)
    arrays, offset = [], len(head) + 1
    for kind, length in shapes:
        array = np.frombuffer(data, kind, length, offset)
        arrays.append(array if array.flags.aligned else array.copy())
        offset += array.nbytes + _padding(array.nbytes)
    candidates = _from_plain(plain, arrays)
    assert isinstance(candidates, SourceCandidates)
    return candidates


def _from_plain(value: Any, arrays: Sequence[NDArray[Any]]) -> Any:
    if not isinstance(value, dict):
        return value
    ((kind, content),) = value.items()
    if kind == "array":
        return arrays[content]
    if kind == "tuple":
        return tuple(_from_plain(item, arrays) for item in content)
    if kind == "text":
        return bytes.fromhex(content).decode("utf-8", "surrogatepass")
    if kind == "Forms":
        return Vocabulary(*(_from_plain(item, arrays) for item in content))
    return _RECORDS[kind](**{name: _from_plain(item, arrays) for name, item in content.items()})


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

_RATE_COLUMNS = (("hashes", np.uint64), ("rates", np.float32), ("prose", np.float32), ("source", np.int32))
_RATE_BYTES = sum(np.dtype(kind).itemsize for _, kind in _RATE_COLUMNS)
_REDUCE_BYTES = 160
"""Memory that a string takes while its range is reduced: the columns, an order, sorted columns and results."""

_TABLE_COLUMNS = (
    ("hashes", np.uint64),
    *(("sources", np.int32), ("owner", np.int32), ("greatest", np.float32), ("second", np.float32)),
    *(("prose_owner", np.int32), ("prose_greatest", np.float32), ("prose_second", np.float32)),
)
_HASH_BITS = 61


def write_rates(handle: BinaryIO, sources: Sequence[tuple[int, SourceRates]]) -> None:
    """Write the rates of some sources for the reduce, each with its number, in order of hashes."""
    numbered = [(*rates, np.full(len(rates.hashes), number, np.int32)) for number, rates in sources]
    columns: list[list[NDArray[Any]]] = [
        [row[column_index] for row in numbered] for column_index in range(len(_RATE_COLUMNS))
    ]
    merged = [
        np.concatenate([np.empty(0, kind), *column]).astype(kind)
        for column, (_, kind) in zip(columns, _RATE_COLUMNS, strict=True)
    ]
    order = np.argsort(merged[0], kind="stable")
    for values in merged:
        handle.write(values[order].tobytes())


class _MappedColumns:
    """Columns of a file, one after the other, of which memory holds only the part in use."""

    def __init__(self, path: str, kinds: Sequence[tuple[str, Any]]) -> None:
        size = os.path.getsize(path)
        width = sum(np.dtype(kind).itemsize for _, kind in kinds)
        if size % width:
            raise CorpusError(
                f"expected rows of {width} bytes, found {size} bytes: the file is damaged", path, fatal=True
            )
        self.rows = size // width
        self._map = None
        data: Any = b""
        if size:
            with open(path, "rb") as handle:
                data = self._map = mmap.mmap(handle.fileno(), 0, access=mmap.ACCESS_READ)
        self.columns: dict[str, NDArray[Any]] = {}
        offset = 0
        for name, kind in kinds:
            self.columns[name] = np.frombuffer(data, kind, self.rows, offset)
            offset += self.columns[name].nbytes

    def release_memory(self) -> None:
        """Give the memory of the mapped file back to the system."""
        if self._map is not None and hasattr(mmap, "MADV_DONTNEED"):
            self._map.madvise(mmap.MADV_DONTNEED)


class RateFile:
    """The strings that more than one source has, on disk.

    Made by `RateFile.write`.
    """

    def __init__(self, path: str) -> None:
        self._mapped = _MappedColumns(path, _TABLE_COLUMNS)
        self._rows: int = self._mapped.rows

    @staticmethod
    def write(path: str, parts: Iterable[str], memory: int) -> None:
        """Reduce: the strings of all sources, from the files of `write_rates`, in about `memory` bytes."""
        parts = list(parts)
        total = sum(os.path.getsize(part) for part in parts) // _RATE_BYTES
        ranges = max(1, -(-total * _REDUCE_BYTES // max(1, memory)))
        with write_errors(path), ExitStack() as stack:
            folder = os.path.dirname(path)
            scratch = [stack.enter_context(TemporaryFile(dir=folder)) for _ in _TABLE_COLUMNS]
            for range_index in range(ranges):
                table = _reduce_range(
                    parts, range_index * 2**_HASH_BITS // ranges, (range_index + 1) * 2**_HASH_BITS // ranges
                )
                for handle, (name, kind) in zip(scratch, _TABLE_COLUMNS, strict=True):
                    handle.write(getattr(table, name).astype(kind).tobytes())
            output = stack.enter_context(atomic_writer(path, force=True))
            for handle in scratch:
                handle.seek(0)
                shutil.copyfileobj(handle, output, 1 << 20)
                handle.close()

    def lookup(self, hashes: NDArray[np.uint64], source_number: int) -> CrossSourceCounts:
        """Return the counts of the strings of source `source_number` in other sources."""
        table = self._mapped.columns
        positions = np.minimum(np.searchsorted(table["hashes"], hashes), max(0, self._rows - 1))
        shared_rows = np.flatnonzero(table["hashes"][positions] == hashes) if self._rows else np.empty(0, np.int64)
        rows = positions[shared_rows]
        shared = RateTable(**{name: table[name][rows] for name, _ in _TABLE_COLUMNS})
        counts = shared.lookup(hashes[shared_rows], source_number).scatter(shared_rows, len(hashes))
        self._mapped.release_memory()
        return counts


def _reduce_range(parts: Sequence[str], low: int, high: int) -> RateTable:
    """Return the strings with hashes from `low` to below `high` that more than one source has."""
    pieces: list[tuple[NDArray[Any], ...]] = []
    for part in parts:
        mapped = _MappedColumns(part, _RATE_COLUMNS)
        if mapped.rows:
            hashes = mapped.columns["hashes"]
            edges = np.searchsorted(hashes, np.array([low, high], np.uint64))
            pieces.append(tuple(mapped.columns[name][edges[0] : edges[1]].copy() for name, _ in _RATE_COLUMNS))
    hashes, rates, prose, source = (
        np.concatenate([piece[index] for piece in pieces]) if pieces else np.empty(0, kind)
        for index, (_, kind) in enumerate(_RATE_COLUMNS)
    )
    order = np.argsort(source, kind="stable")  # where two rates are equal, the first source counts
    table = gather_rows(hashes[order], rates[order], prose[order], source[order])
    is_shared = table.sources > 1
    return RateTable(**{column.name: getattr(table, column.name)[is_shared] for column in fields(RateTable)})
