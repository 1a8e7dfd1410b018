"""Segments -> candidates: whole segments that repeat, and what those begin or end with that do not.

Three kinds.  A **segment** that is in several documents, told apart by whether it is alone on its line.  A **prefix**
("Related:", "By", "LONDON (Reuters) -") and a **suffix** ("/ The Courier") of segments that do not repeat as a whole:
of one to twelve tokens, in several documents, and maximal, that is, no longer one has nearly all of its occurrences.
They are counted among such segments only, for else those that repeat would hide them.

Prefixes grow token by token, and what too few segments begin with is not grown any further; so it costs some sorts of
the segments, each of fewer.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from templatemine.mining.segments import Segments
from templatemine.model import IntArray, LongArray

__all__ = ["KINDS", "PREFIX", "SEGMENT", "SUFFIX", "Candidates", "find_candidates"]

SEGMENT, PREFIX, SUFFIX = KINDS = ("segment", "prefix", "suffix")

_SEGMENT_DF = 2
"""Documents that a segment must be in."""
_LABEL_DF = 5
"""And a label: fewer tell nothing of what fills it."""
REPEATS = 3
"""From so many documents on a segment counts as one that repeats."""
_LABEL_TOKENS, _SPACELESS_TOKENS = 12, 24
"""Tokens of a label at most; where a character is a token."""
_MAXIMAL = 0.9
"""A label is one if no longer one has this share of its occurrences."""


@dataclass(frozen=True, kw_only=True)
class Candidates:
    """The candidates of one kind.

    Attributes
    ----------
    kind : str
    segment : int64 array, shape (occurrences,)
        The segment of each occurrence, one candidate after the other, ascending within each.
    bounds : int64 array, shape (candidates + 1,)
        Candidate i occurs in ``segment[bounds[i]:bounds[i + 1]]``.
    length : int32 array, shape (candidates,)
        Tokens.
    df : int32 array, shape (candidates,)
    longer, shorter : float32 arrays, shape (candidates,)
        Of a label: which share of its occurrences the most frequent longer one has; and which share of those of the
        label without its last token (its first, of a suffix) it has itself.  0 and 1 of segments.
    """

    kind: str
    segment: LongArray
    bounds: LongArray
    length: IntArray
    df: IntArray
    longer: NDArray[np.float32]
    shorter: NDArray[np.float32]

    def __len__(self) -> int:
        return len(self.length)

    @property
    def first(self) -> LongArray:
        """The segment of one occurrence of each."""
        return self.segment[self.bounds[:-1]]

    @property
    def count(self) -> LongArray:
        """Occurrences of each."""
        return np.diff(self.bounds)

    def starts(self, segments: Segments, occurrences: LongArray, length: IntArray | LongArray) -> LongArray:
        """Where in `segments.tokens` strings of some lengths begin in some segments."""
        if self.kind == SUFFIX:
            return segments.bounds[occurrences + 1] - length
        return segments.bounds[occurrences]


def find_candidates(segments: Segments) -> tuple[Candidates, Candidates, Candidates]:
    """The candidates of a source, in the order of `KINDS`."""
    return _whole(segments), _labels(segments, PREFIX), _labels(segments, SUFFIX)


class _Runs:
    """Segments by some key: each stretch of equal ones, in which segments ascend."""

    def __init__(self, key: LongArray, segment: LongArray, document: IntArray) -> None:
        order = np.argsort(key, kind="stable")
        ordered = key[order]
        new = np.ones(len(key), np.bool_)
        new[1:] = ordered[1:] != ordered[:-1]
        first = np.flatnonzero(new)
        self.segment = segment[order]
        self.bounds = np.append(first, len(key))
        self.size = np.diff(self.bounds)
        self.key = ordered[first]
        self.number = np.cumsum(new) - 1
        own = document[self.segment]
        new[1:] |= own[1:] != own[:-1]
        self.df = np.bincount(self.number[new], minlength=len(first)).astype(np.int32)

    def take(self, rows: LongArray) -> tuple[LongArray, LongArray]:
        """The segments of some stretches one after the other, and where each stretch begins."""
        size = self.size[rows]
        bounds = _bounds(size)
        return self.segment[np.repeat(self.bounds[rows] - bounds[:-1], size) + np.arange(bounds[-1])], bounds


def _bounds(sizes: LongArray) -> LongArray:
    return np.concatenate([np.zeros(1, np.int64), np.cumsum(sizes, dtype=np.int64)])


def _whole(segments: Segments) -> Candidates:
    """Segments that repeat, those that are alone on their line apart from the others."""
    alone = segments.begins_line & segments.ends_line
    able = np.flatnonzero(segments.string_df >= _SEGMENT_DF)
    runs = _Runs(2 * segments.string[able] + alone[able], able, segments.document)
    rows = np.flatnonzero(runs.df >= _SEGMENT_DF)
    segment, bounds = runs.take(rows)
    return Candidates(
        kind=SEGMENT,
        segment=segment,
        bounds=bounds,
        length=segments.length[segment[bounds[:-1]]],
        df=runs.df[rows],
        longer=np.zeros(len(rows), np.float32),
        shorter=np.ones(len(rows), np.float32),
    )


def _labels(segments: Segments, kind: str) -> Candidates:
    """What segments that do not repeat begin (end) with, the shortest first."""
    longest = _SPACELESS_TOKENS if segments.spaceless else _LABEL_TOKENS
    symbols = np.int64(len(segments.traits) + 1)
    single = np.flatnonzero((segments.string_df < REPEATS) & (segments.length > 1))
    among = np.full(1, len(single))
    parent = np.zeros(len(single), np.int64)
    runs: _Runs | None = None
    parts: list[Candidates] = []
    shorter = np.zeros(0, np.int64)
    for size in range(1, longest + 2):
        if runs is not None and not len(single):  # nothing is any longer
            parts.append(_maximal(kind, size - 1, runs, shorter, (single, single)))
            break
        edge = segments.bounds[single] + size - 1 if kind == PREFIX else segments.bounds[single + 1] - size
        grown = _Runs(parent * symbols + segments.tokens[edge], single, segments.document)
        owner = grown.key // symbols
        if runs is not None:
            parts.append(_maximal(kind, size - 1, runs, shorter, (owner, grown.size)))
        shorter, among, runs = among[owner], grown.size, grown
        # A label has something beside it; one that is a token too long is asked of the others only.
        able = (grown.size >= _LABEL_DF)[grown.number] & (segments.length[grown.segment] > min(size + 1, longest))
        single, parent = grown.segment[able], grown.number[able]
    columns = {
        name: np.concatenate([getattr(one, name) for one in parts])
        for name in ("segment", "length", "df", "longer", "shorter")
    }
    sizes = np.concatenate([one.count for one in parts])
    return Candidates(kind=kind, bounds=_bounds(sizes), **columns)


def _maximal(kind: str, size: int, runs: _Runs, shorter: LongArray, longer: tuple[LongArray, LongArray]) -> Candidates:
    """The labels of one length that are in enough documents, and of which no longer one has nearly all occurrences.

    Parameters
    ----------
    shorter : int64 array
        Occurrences of each without its last token.
    longer : (int64 array, int64 array)
        Of those with one token more, which of `runs` it begins with, and its occurrences.
    """
    most = np.zeros(len(runs.size), np.int64)
    np.maximum.at(most, *longer)
    rows = np.flatnonzero((runs.df >= _LABEL_DF) & (most < _MAXIMAL * runs.size))
    segment, bounds = runs.take(rows)
    return Candidates(
        kind=kind,
        segment=segment,
        bounds=bounds,
        length=np.full(len(rows), size, np.int32),
        df=runs.df[rows],
        longer=(most / runs.size)[rows].astype(np.float32),
        shorter=(runs.size / np.maximum(1, shorter))[rows].astype(np.float32),
    )
