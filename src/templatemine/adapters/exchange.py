"""The cross-site filter in parts: each source tells its strings, hashes decide which part they go to, answers go back.

A part holds the strings of all sources whose hashes lie in one range, so it needs nothing of the other parts, and what
`crosssite.gather` says of it is what it says of the whole.  Strings that stand in no other source, most of them, need
no answer.  What is told is 16 bytes a string: hash, rate, and rate within prose as a share; an answer takes 16.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from templatemine.mining.candidates import Mined, within_prose
from templatemine.mining.cross_source import Peers, gather

__all__ = ["HASH_BITS", "Answers", "answers", "asked", "peers_of", "told"]

HASH_BITS = 61
"""Hashes of strings are below 2 to this power, see `_core.string_hashes`."""

_TOLD = np.dtype([("hash", "<u8"), ("rate", "<f4"), ("within", "<f4")])
_ANSWER = np.dtype([("row", "<i4"), ("others", "<i4"), ("elsewhere", "<f4"), ("in_prose", "<f4")])

Answers = dict[int, bytes]
"""By part."""


def asked(mined: Mined, floor: int) -> NDArray[np.int64]:
    """Strings that take part: those in at least `floor` documents of their source."""
    return np.flatnonzero(mined.repeats.df >= floor)


def told(mined: Mined, bits: int, floor: int) -> dict[int, bytes]:
    """The strings of a source by part.

    Parameters
    ----------
    bits : int
        There are ``2 ** bits`` parts.
    floor : int
        See `asked`.
    """
    rows = asked(mined, floor)
    table = np.zeros(len(rows), _TOLD)
    table["hash"] = mined.hashes[rows]
    table["rate"] = mined.rates[rows]
    table["within"] = within_prose(mined)[rows]
    return {part: table[start:end].tobytes() for part, start, end in _ranges(table["hash"], bits)}


def _ranges(hashes: NDArray[np.uint64], bits: int) -> list[tuple[int, int, int]]:
    """Part, first row and end of those parts that some ascending hashes lie in."""
    edges = np.arange(2**bits + 1, dtype=np.uint64) << np.uint64(HASH_BITS - bits)
    bounds = np.searchsorted(hashes, edges).tolist()
    return [(part, bounds[part], bounds[part + 1]) for part in range(2**bits) if bounds[part] < bounds[part + 1]]


def answers(tables: Sequence[bytes]) -> list[bytes]:
    """What each source of one part needs to know of the others.

    Parameters
    ----------
    tables : sequence of bytes
        What the sources told, one each.
    """
    columns = [np.frombuffer(table, _TOLD) for table in tables]
    hashes = [np.ascontiguousarray(one["hash"]) for one in columns]
    peers = gather(hashes, [one["rate"] for one in columns], [one["rate"] * one["within"] for one in columns])
    return [_answer(peers, place, one) for place, one in enumerate(hashes)]


def _answer(peers: Peers, place: int, hashes: NDArray[np.uint64]) -> bytes:
    others = peers.others(hashes)
    rows = np.flatnonzero(others)
    table = np.zeros(len(rows), _ANSWER)
    table["row"], table["others"] = rows, others[rows]
    table["elsewhere"] = peers.elsewhere(hashes[rows], place)
    table["in_prose"] = peers.in_prose_elsewhere(hashes[rows], place)
    return table.tobytes()


@dataclass(frozen=True)
class _Columns:
    others: NDArray[np.int32]
    elsewhere: NDArray[np.float32]
    in_prose: NDArray[np.float32]


def peers_of(mined: Mined, given: Answers, bits: int, floor: int) -> Peers:
    """What `gather` would have said of one source, which has place 0 in it."""
    rows, size = asked(mined, floor), len(mined.hashes)
    columns = _Columns(np.zeros(size, np.int32), np.zeros(size, np.float32), np.zeros(size, np.float32))
    for part, start, _ in _ranges(mined.hashes[rows], bits):
        table = np.frombuffer(given.get(part, b""), _ANSWER)
        places = rows[start + table["row"]]
        columns.others[places] = table["others"]
        columns.elsewhere[places] = table["elsewhere"]
        columns.in_prose[places] = table["in_prose"]
    owner, own = np.zeros(size, np.int32), np.zeros(size, np.float32)
    return Peers(
        hashes=mined.hashes,
        sources=columns.others + np.int32(1),
        owner=owner,
        # Of the source that is asked for, only the second greatest rate is looked at: the greatest of the others.
        greatest=own,
        second=columns.elsewhere,
        prose_owner=owner,
        prose_greatest=own,
        prose_second=columns.in_prose,
    )
