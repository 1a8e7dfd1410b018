"""What mining keeps of sources between its two maps, on disk: bounded memory for any number of sources.

`dump` and `load` write and read `SourceCandidates`: a line of JSON that says which arrays follow, then the arrays.
`RateFile` is the reduce: it sees the strings of all sources a range of hashes at a time, and keeps those that are in
two sources or more.  What it says of a source is what a `RateTable` of all sources would.
"""

from __future__ import annotations

import json
import mmap
import os
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import fields, is_dataclass
from typing import Any, BinaryIO

import numpy as np
import orjson
from numpy.typing import NDArray

from templatemine.archive.frames import cannot_write, flushed
from templatemine.errors import CorpusError
from templatemine.mining.candidates import CandidateStrings, SourceCandidates, Verdicts
from templatemine.mining.cross_source import CrossSourceCounts, RateTable, SourceRates, gather_rows
from templatemine.mining.shared_pack import Claims
from templatemine.mining.tokenise import Vocabulary
from templatemine.model import PageHistory, PathVote, RepeatedText, Repeats

__all__ = ["RateFile", "dump", "load", "read_claims", "write_claims", "write_rates"]

_RECORDS: Mapping[str, type[Any]] = {
    "SourceCandidates": SourceCandidates,
    "Strings": CandidateStrings,
    "Repeats": Repeats,
    "Verdicts": Verdicts,
    "PageHistory": PageHistory,
    "PathVote": PathVote,
    "RepeatedText": RepeatedText,
}
"""Records by their names on disk."""
_RECORD_NAMES = {record: name for name, record in _RECORDS.items()}


_HEAD = 1 << 12
"""A guess at how long the first line is."""


def dump(candidates: SourceCandidates, before: int = 0) -> list[bytes | memoryview]:
    """All that is kept of a source, as pieces of bytes; they are views of its arrays.

    `load` need not copy an array if so many bytes stand `before` the first piece where they are read.
    """
    arrays: list[NDArray[Any]] = []
    plain = _plain(candidates, arrays)
    shapes = [[one.dtype.str, len(one)] for one in arrays]
    head = orjson.dumps([plain, shapes])
    pieces: list[bytes | memoryview] = [head, b" " * _behind(before + len(head) + 1) + b"\n"]
    for one in arrays:
        if len(one):
            pieces += [np.ascontiguousarray(one).data.cast("B"), bytes(_behind(one.nbytes))]
    return pieces


def _behind(size: int) -> int:
    """Bytes to fill up so many, so that what follows begins where numbers of eight bytes may."""
    return -size % 8


def _plain(value: Any, arrays: list[NDArray[Any]]) -> Any:
    if isinstance(value, np.ndarray):
        arrays.append(value)
        return {"array": len(arrays) - 1}
    if isinstance(value, Vocabulary):
        return {"Forms": [_plain(value.arena, arrays), _plain(value.offsets, arrays)]}
    if is_dataclass(value):
        return {
            _RECORD_NAMES[type(value)]: {one.name: _plain(getattr(value, one.name), arrays) for one in fields(value)}
        }
    if isinstance(value, tuple):
        return {"tuple": [_plain(one, arrays) for one in value]}
    if isinstance(value, str):  # JSON of orjson holds no lone surrogate
        return {"text": value.encode("utf-8", "surrogatepass").hex()} if not _fit(value) else value
    return value


def _fit(text: str) -> bool:
    try:
        text.encode()
    except UnicodeEncodeError:
        return False
    return True


def load(data: bytes | memoryview) -> SourceCandidates:
    """The inverse of `dump`, from one piece; the arrays are views of it where they begin as the native core, and many a
    processor, must have them: at a multiple of the size of their numbers."""
    offset = _HEAD
    while b"\n" not in (head := bytes(data[:offset])) and offset < len(data):
        offset *= 2
    head = head.partition(b"\n")[0]
    plain, shapes = orjson.loads(head)
    arrays, offset = [], len(head) + 1
    for kind, length in shapes:
        one = np.frombuffer(data, kind, length, offset)
        arrays.append(one if one.flags.aligned else one.copy())
        offset += one.nbytes + _behind(one.nbytes)
    candidates = _whole(plain, arrays)
    assert isinstance(candidates, SourceCandidates)
    return candidates


def _whole(value: Any, arrays: Sequence[NDArray[Any]]) -> Any:
    if not isinstance(value, dict):
        return value
    ((kind, held),) = value.items()
    if kind == "array":
        return arrays[held]
    if kind == "tuple":
        return tuple(_whole(one, arrays) for one in held)
    if kind == "text":
        return bytes.fromhex(held).decode("utf-8", "surrogatepass")
    if kind == "Forms":
        return Vocabulary(*(_whole(one, arrays) for one in held))
    return _RECORDS[kind](**{name: _whole(one, arrays) for name, one in held.items()})


# ---------------------------------------------------------------------------------------------------------- the claims


def write_claims(path: str, claims: Iterable[Claims]) -> None:
    """Write what some sources claim for the shared pack, a line each; surrogates without a partner are escaped."""
    with cannot_write(path), open(path, "wb") as handle:
        for one in claims:
            handle.write(json.dumps(one.as_dict()).encode() + b"\n")
        flushed(handle)


def read_claims(path: str) -> Iterator[Claims]:
    """Yield what `write_claims` wrote, a source at a time."""
    with open(path, "rb") as handle:
        for line in handle:
            yield Claims.from_dict(json.loads(line))


# ---------------------------------------------------------------------------------------------------------- the reduce

_RATES = (("hashes", np.uint64), ("rates", np.float32), ("prose", np.float32), ("source", np.int32))
_RATE_BYTES = sum(np.dtype(kind).itemsize for _, kind in _RATES)
_WORK_BYTES = 160
"""Memory that a string takes while its range is reduced: the columns, an order, sorted columns and results."""

_SHARED = (
    ("hashes", np.uint64),
    *(("sources", np.int32), ("owner", np.int32), ("greatest", np.float32), ("second", np.float32)),
    *(("prose_owner", np.int32), ("prose_greatest", np.float32), ("prose_second", np.float32)),
)
_HASH_BITS = 61


def write_rates(handle: BinaryIO, sources: Sequence[tuple[int, SourceRates]]) -> None:
    """Write what the reduce asks of some sources, each with its number, in order of hashes."""
    numbered = [(*rates, np.full(len(rates.hashes), number, np.int32)) for number, rates in sources]
    columns: list[list[NDArray[Any]]] = [[one[place] for one in numbered] for place in range(len(_RATES))]
    whole = [
        np.concatenate([np.empty(0, kind), *column]).astype(kind)
        for column, (_, kind) in zip(columns, _RATES, strict=True)
    ]
    order = np.argsort(whole[0], kind="stable")
    for values in whole:
        handle.write(values[order].tobytes())


class _Mapped:
    """Columns of a file, one after the other, of which memory holds no more than what is being looked at."""

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

    def forget(self) -> None:
        """Let the system have the memory of what was looked at."""
        if self._map is not None and hasattr(mmap, "MADV_DONTNEED"):
            self._map.madvise(mmap.MADV_DONTNEED)


class RateFile:
    """Which strings are in more than one source, on disk.

    Made by `RateFile.write`.
    """

    def __init__(self, path: str) -> None:
        self._mapped = _Mapped(path, _SHARED)
        self._rows: int = self._mapped.rows

    @staticmethod
    def write(path: str, parts: Iterable[str], memory: int) -> None:
        """Reduce: the strings of all sources, from the files of `write_rates`, in about `memory` bytes."""
        parts = list(parts)
        total = sum(os.path.getsize(one) for one in parts) // _RATE_BYTES
        ranges = max(1, -(-total * _WORK_BYTES // max(1, memory)))
        scratch = [f"{path}.{name}" for name, _ in _SHARED]
        with cannot_write(path):
            for one in scratch:
                open(one, "wb").close()
            for number in range(ranges):
                found = _reduce(parts, number * 2**_HASH_BITS // ranges, (number + 1) * 2**_HASH_BITS // ranges)
                for one, (name, kind) in zip(scratch, _SHARED, strict=True):
                    with open(one, "ab") as handle:
                        handle.write(getattr(found, name).astype(kind).tobytes())
            with open(f"{path}.new", "wb") as whole:
                for one in scratch:
                    with open(one, "rb") as handle:
                        while piece := handle.read(1 << 20):
                            whole.write(piece)
                    os.unlink(one)
                flushed(whole)
            os.replace(f"{path}.new", path)

    def lookup(self, hashes: NDArray[np.uint64], number: int) -> CrossSourceCounts:
        """What the other sources have of the strings of source `number`."""
        table = self._mapped.columns
        place = np.minimum(np.searchsorted(table["hashes"], hashes), max(0, self._rows - 1))
        known = np.flatnonzero(table["hashes"][place] == hashes) if self._rows else np.empty(0, np.int64)
        rows = place[known]
        shared = RateTable(**{name: table[name][rows] for name, _ in _SHARED})
        found = shared.lookup(hashes[known], number).scatter(known, len(hashes))
        self._mapped.forget()
        return found


def _reduce(parts: Sequence[str], low: int, high: int) -> RateTable:
    """The strings with hashes from `low` to below `high` that more than one source has."""
    pieces: list[tuple[NDArray[Any], ...]] = []
    for part in parts:
        mapped = _Mapped(part, _RATES)
        if mapped.rows:
            hashes = mapped.columns["hashes"]
            edges = np.searchsorted(hashes, np.array([low, high], np.uint64))
            pieces.append(tuple(mapped.columns[name][edges[0] : edges[1]].copy() for name, _ in _RATES))
    hashes, rates, prose, source = (
        np.concatenate([one[place] for one in pieces]) if pieces else np.empty(0, kind)
        for place, (_, kind) in enumerate(_RATES)
    )
    order = np.argsort(source, kind="stable")  # where two rates are equal, the first source counts
    table = gather_rows(hashes[order], rates[order], prose[order], source[order])
    more = table.sources > 1
    return RateTable(**{one.name: getattr(table, one.name)[more] for one in fields(RateTable)})
