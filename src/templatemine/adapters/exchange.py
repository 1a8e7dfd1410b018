"""The comparison of sources in parts: their strings go to the part that the hash decides, answers go back.

A part holds the strings of all sources whose hashes lie in one range, so it needs nothing of the other parts, and what
`cross_source.gather` says of it is what it says of the whole.  Strings that are in no other source, most of them,
need no answer.  A row takes 16 bytes a string: hash, rate, and rate within prose as a share; an answer takes 16.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from templatemine.mining.candidates import SourceCandidates
from templatemine.mining.cross_source import CrossSourceCounts, RateTable, SourceRates, gather

_HASH_BITS = 61
"""Hashes of strings are below 2 to this power, see `_core.hash_strings`."""

_RATE_ROW = np.dtype([("hash", "<u8"), ("rate", "<f4"), ("within", "<f4")])
_ANSWER_ROW = np.dtype([("row", "<i4"), ("sources", "<i4"), ("rate", "<f4"), ("prose_rate", "<f4")])

Answers = dict[int, bytes]
"""By part."""


def _select_rows(candidates: SourceCandidates, floor: int) -> NDArray[np.int64]:
    """Select the strings that take part: those in at least `floor` documents of their source."""
    return np.flatnonzero(candidates.repeats.df >= floor)


def partition_rates(candidates: SourceCandidates, bits: int, floor: int) -> dict[int, bytes]:
    """Divide the strings of a source among the parts.

    Parameters
    ----------
    bits : int
        There are ``2 ** bits`` parts.
    floor : int
        Strings in fewer documents of their source take no part.
    """
    rows = _select_rows(candidates, floor)
    table = np.zeros(len(rows), _RATE_ROW)
    table["hash"] = candidates.hashes[rows]
    table["rate"] = candidates.rates[rows]
    table["within"] = np.float32(1)
    return {part: table[start:end].tobytes() for part, start, end in _part_ranges(table["hash"], bits)}


def _part_ranges(hashes: NDArray[np.uint64], bits: int) -> list[tuple[int, int, int]]:
    """Return part, first row and end of those parts that some ascending hashes are in."""
    edges = np.arange(2**bits + 1, dtype=np.uint64) << np.uint64(_HASH_BITS - bits)
    bounds = np.searchsorted(hashes, edges).tolist()
    return [(part, bounds[part], bounds[part + 1]) for part in range(2**bits) if bounds[part] < bounds[part + 1]]


def compare_part(tables: Sequence[bytes]) -> list[bytes]:
    """Return the answer for each source of one part: what the others have of its strings.

    Parameters
    ----------
    tables : sequence of bytes
        Rates of the sources, one each.
    """
    columns = [np.frombuffer(table, _RATE_ROW) for table in tables]
    hashes = [np.ascontiguousarray(one["hash"]) for one in columns]
    table = gather(
        [SourceRates(own, one["rate"], one["rate"] * one["within"]) for own, one in zip(hashes, columns, strict=True)]
    )
    return [_build_answer(table, number, one) for number, one in enumerate(hashes)]


def _build_answer(table: RateTable, number: int, hashes: NDArray[np.uint64]) -> bytes:
    found = table.lookup(hashes, number)
    rows = np.flatnonzero(found.sources)
    answer = np.zeros(len(rows), _ANSWER_ROW)
    answer["row"], answer["sources"] = rows, found.sources[rows]
    answer["rate"], answer["prose_rate"] = found.rates[rows], found.prose_rates[rows]
    return answer.tobytes()


def collect_counts(candidates: SourceCandidates, answers: Answers, bits: int, floor: int) -> CrossSourceCounts:
    """Return what `gather` would have said of one source, from all the answers it was given."""
    rows = _select_rows(candidates, floor)
    tables, places = [np.empty(0, _ANSWER_ROW)], [np.empty(0, np.int64)]
    for part, start, _ in _part_ranges(candidates.hashes[rows], bits):
        tables.append(np.frombuffer(answers.get(part, b""), _ANSWER_ROW))
        places.append(rows[start + tables[-1]["row"]])
    table = np.concatenate(tables)
    found = CrossSourceCounts(sources=table["sources"], rates=table["rate"], prose_rates=table["prose_rate"])
    return found.scatter(np.concatenate(places), len(candidates.hashes))
