"""The comparison of sources in parts: their strings go to the part that the hash decides, answers go back.

A part holds the strings of all sources whose hashes lie in one range, so it needs nothing of the other parts, and what
`cross_source.count_sources` says of it is what it says of the whole.  Most strings are in no other source, and need no
answer.  A string takes 8 bytes, its hash, and so does an answer.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from templatemine.mining.candidates import SourceCandidates
from templatemine.mining.cross_source import HASH_BITS, count_sources

_ANSWER_ROW = np.dtype([("row", "<i4"), ("sources", "<i4")])

Answers = dict[int, bytes]
"""By part."""


def _select_rows(candidates: SourceCandidates, floor: int) -> NDArray[np.int64]:
    """Select the strings that take part: those in at least `floor` documents of their source."""
    return np.flatnonzero(candidates.repeats.df >= floor)


def partition_hashes(candidates: SourceCandidates, bits: int, floor: int) -> dict[int, bytes]:
    """Divide the strings of a source among the parts.

    Parameters
    ----------
    bits : int
        There are ``2 ** bits`` parts.
    floor : int
        Strings in fewer documents of their source take no part.
    """
    hashes = candidates.hashes[_select_rows(candidates, floor)]
    return {part: hashes[start:end].tobytes() for part, start, end in _part_ranges(hashes, bits)}


def _part_ranges(hashes: NDArray[np.uint64], bits: int) -> list[tuple[int, int, int]]:
    """Return part, first row and end of those parts that some ascending hashes are in."""
    edges = np.arange(2**bits + 1, dtype=np.uint64) << np.uint64(HASH_BITS - bits)
    bounds = np.searchsorted(hashes, edges).tolist()
    return [(part, bounds[part], bounds[part + 1]) for part in range(2**bits) if bounds[part] < bounds[part + 1]]


def compare_part(tables: Sequence[bytes]) -> list[bytes]:
    """Return the answer for each source of one part: how many others have its strings.

    Parameters
    ----------
    tables : sequence of bytes
        Hashes of the sources, one each.
    """
    hashes = [np.frombuffer(table, np.uint64) for table in tables]
    shared = count_sources(hashes)
    answers = []
    for own in hashes:
        found = shared.lookup(own)
        rows = np.flatnonzero(found)
        answer = np.zeros(len(rows), _ANSWER_ROW)
        answer["row"], answer["sources"] = rows, found[rows]
        answers.append(answer.tobytes())
    return answers


def collect_counts(candidates: SourceCandidates, answers: Answers, bits: int, floor: int) -> NDArray[np.int32]:
    """Return what `SharedStrings.lookup` would have said of one source, from all the answers it was given."""
    rows = _select_rows(candidates, floor)
    found = np.zeros(len(candidates.hashes), np.int32)
    for part, start, _ in _part_ranges(candidates.hashes[rows], bits):
        answer = np.frombuffer(answers.get(part, b""), _ANSWER_ROW)
        found[rows[start + answer["row"]]] = answer["sources"]
    return found
