"""Corpus -> edges of long strings: where a stretch that many documents have begins and ends.

A block of boilerplate may begin and end in the middle of a line, without any mark.  What tells its edges is that the
strings across them are in far fewer documents: a maximal string loses occurrences if it is extended (thesis, section
3.2).  Here strings of two lengths, windows of so many tokens, stand for all longer ones: of a maximal string of at
least that length, the first window and the last have its document frequency, and the windows one token before and
behind have less.  At such edges segments end (`segments`).

Windows with a token that is in too few documents are passed over, as most of prose are; time is linear in the tokens.
"""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from templatemine import _core
from templatemine.mining.corpus import Corpus
from templatemine.model import LongArray

WINDOWS = ((12, 0.02), (5, 0.05))
"""Tokens of a window, and the least share of the documents that have it: long ones are some 80 bits in news, and no
chance; short ones have to be frequent."""
SPACELESS_WINDOWS = ((20, 0.02), (9, 0.05))
"""Of a source where a character is a token."""
LABEL, SPACELESS_LABEL = 12, 24
"""Tokens of a label, see `labels`; the second where a character is a token."""
MIN_DF = 4
"""Documents that must have a window."""
MAX_DROP = 0.5
"""An edge is where the next window has less than this share of the documents."""


def find_string_edges(corpus: Corpus, *, spaceless: bool) -> LongArray:
    """Find places in `corpus.forms` that begin a long string, or are behind the end of one; ascending.  `spaceless`
    says whether characters are tokens."""
    windows = SPACELESS_WINDOWS if spaceless else WINDOWS
    found = [_find_edges(corpus, size, share) for size, share in windows]
    lines = _Lines(corpus)
    begins, ends = (unite_places(lines.tokens + 1, *edges) for edges in zip(*found, strict=True))
    # A label behind a fixed line is none of it: so much of a string as a short window lies in the line of its edge.
    least = windows[-1][0]
    begins = begins[lines.number(begins + least - 1) == lines.number(begins)]
    ends = ends[lines.number(ends - least) == lines.number(ends - 1)]
    begins, ends = _drop_labels(begins, ends, lines, SPACELESS_LABEL if spaceless else LABEL)
    ends = ends[ends < lines.tokens]
    is_within = lines.document(ends) == lines.document(ends - 1)
    return lines.place(unite_places(lines.tokens, begins, ends[is_within]))


def unite_places(size: int, *places: LongArray) -> LongArray:
    """Return the different ones of some places below a size, ascending."""
    is_there = np.zeros(size, np.bool_)
    for some in places:
        is_there[some] = True
    return np.flatnonzero(is_there)


class _Lines:
    """The lines of a corpus, by numbers of tokens: those of all documents in a row, without line breaks."""

    def __init__(self, corpus: Corpus) -> None:
        breaks = np.flatnonzero(corpus.forms == 0) if corpus.lines else np.empty(0, np.int64)
        self.tokens = len(corpus.forms) - len(breaks)
        self._ends = breaks - np.arange(len(breaks))
        self._doc_starts = corpus.doc_starts

    @property
    def bounds(self) -> LongArray:
        """Where lines with tokens begin, and the end of the last one."""
        bounds = np.concatenate([np.zeros(1, np.int64), self._ends, np.full(1, self.tokens)])
        different: LongArray = bounds[np.append(True, bounds[1:] > bounds[:-1])]
        return different

    def number(self, tokens: LongArray) -> LongArray:
        """Return a number of the line of each token: line breaks before it."""
        return np.searchsorted(self._ends, tokens, side="right")

    def place(self, tokens: LongArray) -> LongArray:
        """Return the place of each token in the forms of the corpus."""
        places: LongArray = tokens + self.number(tokens)
        return places

    def document(self, tokens: LongArray) -> LongArray:
        """Return the document of each token."""
        return np.searchsorted(self._doc_starts, self.place(tokens), side="right") - 1


def _drop_labels(begins: LongArray, ends: LongArray, lines: _Lines, label: int) -> tuple[LongArray, LongArray]:
    """Drop the edges of short strings that begin or end their line: labels, which may have fillers (`labels`)."""
    bounds = lines.bounds
    line_end = bounds[np.searchsorted(bounds, begins, side="right")]
    line_begin = bounds[np.searchsorted(bounds, ends, side="left") - 1]
    following = np.append(ends, lines.tokens)[np.searchsorted(ends, begins, side="right")]
    preceding = np.append(-1, begins)[np.searchsorted(begins, ends, side="left")]
    is_suffix = (line_end - begins <= label) & (following >= line_end)
    is_prefix = (ends - line_begin <= label) & (preceding <= line_begin)
    return begins[~is_suffix], ends[~is_prefix]


def _find_edges(corpus: Corpus, size: int, share: float) -> tuple[LongArray, LongArray]:
    """Find where windows of one size begin that so many documents have, and what is behind them: numbers of tokens."""
    floor = max(MIN_DF, math.ceil(share * corpus.documents))
    is_rare = (corpus.df < floor).view(np.uint8)
    windows = _core.Windows(corpus.forms, corpus.doc_starts, corpus.lines, is_rare, size)
    half = size // 2
    halves = [(0, half), (size - half, half)]
    # Most windows are in too few documents.  So all are counted in a small table by some bits of their hashes first,
    # and only those are kept whose place has enough: memory grows with what repeats, not with the archive.
    is_frequent = (windows.count() >= MAX_DROP * floor).view(np.uint8)
    starts, documents, hashes = windows.find([(0, size), *halves], is_frequent)
    number, counts = _core.number_hashes(np.ascontiguousarray(hashes[:, 0]), documents)
    df = counts[number]
    # A window that joins what is frequent with what is much less so has no edge of its own.
    is_edge = df >= floor
    rows = np.flatnonzero(is_edge)
    if not len(rows):  # as in most sources of few documents
        return np.empty(0, np.int64), np.empty(0, np.int64)
    is_edge[rows] = (MAX_DROP * _count_parts(windows, halves, hashes[rows, 1:]) <= df[rows, None]).all(axis=1)
    follows = starts[1:] == starts[:-1] + 1
    before = np.concatenate([np.zeros(1, np.int32), np.where(follows, df[:-1], 0)])[: len(df)]
    behind = np.concatenate([np.where(follows, df[1:], 0), np.zeros(1, np.int32)])[: len(df)]
    return starts[is_edge & (before < MAX_DROP * df)], starts[is_edge & (behind < MAX_DROP * df)] + size


def _count_parts(
    windows: _core.Windows, parts: Sequence[tuple[int, int]], wanted: NDArray[np.uint64]
) -> NDArray[np.int32]:
    """Count the documents that have each of some parts of windows: int32 array, shape (windows, parts), as `wanted`."""
    counts = []
    for part, column in zip(parts, wanted.T, strict=True):  # one after the other, to hold the hashes of one alone
        own = np.ascontiguousarray(column)
        is_wanted = np.zeros(windows.slots, np.uint8)
        is_wanted[(own & np.uint64(windows.slots - 1)).view(np.int64)] = True
        _, documents, hashes = windows.find([part], is_wanted)
        counts.append(_core.count_holders(own, hashes[:, 0], documents))
    return np.stack(counts, axis=1)
