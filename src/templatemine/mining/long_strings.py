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
from collections.abc import Iterator
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from templatemine import _core
from templatemine.model import Corpus, IntArray, LongArray

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
_PART = 1 << 18
"""Tokens that are looked at at a time."""
_STEP = 0x9E3779B97F4A7C15
"""Odd, so that it has an inverse modulo 2^64."""
_TABLE_BITS = 18
_TABLE_MASK = np.uint64((1 << _TABLE_BITS) - 1)
"""Of a hash, those that windows are counted by first: a table of two megabytes."""
_FEW_TOKENS = 1 << 19
"""Of an archive, for all of whose windows there is memory."""


def find_string_edges(corpus: Corpus, *, spaceless: bool) -> LongArray:
    """Find places in `corpus.forms` that begin a long string, or are behind the end of one; ascending.  `spaceless`
    says whether characters are tokens."""
    windows = SPACELESS_WINDOWS if spaceless else WINDOWS
    label = SPACELESS_LABEL if spaceless else LABEL
    found = [_find_edges(corpus, size, share) for size, share in windows]
    begins, ends = (np.unique(np.concatenate(edges)) for edges in zip(*found, strict=True))
    edges = [np.empty(0, np.int64)]
    for part in _read_parts(corpus):
        last = part.first + len(part.tokens)
        own_begins = begins[slice(*np.searchsorted(begins, (part.first, last)))] - part.first
        # The end of a part is behind its last token.
        own_ends = ends[slice(*np.searchsorted(ends, (part.first, last), "right"))] - part.first
        edges.append(part.places[_choose_edges(part, own_begins, own_ends, windows[-1][0], label)])
    return np.concatenate(edges)


class _Part(NamedTuple):
    """Some documents of a corpus, without line breaks.

    Attributes
    ----------
    tokens : int32 array
    first : int
        Tokens of the documents before them.
    places, line, document : int64 and int32 arrays, shape (tokens,)
        Of each token, its place in the forms of the corpus, a number for its line, and its document.
    """

    tokens: IntArray
    first: int
    places: LongArray
    line: LongArray
    document: IntArray


def _read_parts(corpus: Corpus) -> Iterator[_Part]:
    """Yield the documents of a corpus in parts of about `_PART` tokens, so that memory does not grow with them."""
    starts, first, token = corpus.doc_starts, 0, 0
    while first < corpus.documents:
        end = max(first + 1, int(np.searchsorted(starts, starts[first] + _PART, side="right")) - 1)
        forms = corpus.forms[starts[first] : starts[end]]
        places = np.flatnonzero(forms != 0) if corpus.lines else np.arange(len(forms))
        document = (np.searchsorted(starts[first:end], places + starts[first], side="right") + first - 1).astype(
            np.int32
        )
        yield _Part(forms[places], token, places + starts[first], places - np.arange(len(places)), document)
        first, token = end, token + len(places)


def _choose_edges(part: _Part, begins: LongArray, ends: LongArray, least: int, label: int) -> LongArray:
    """Choose the edges of a part at which segments end: places in its tokens."""
    # A label behind a fixed line is none of it: so much of a string as a short window lies in the line of its edge.
    line, document = part.line, part.document
    begins = begins[line[begins + least - 1] == line[begins]]
    ends = ends[line[ends - least] == line[ends - 1]]
    begins, ends = _drop_labels(begins, ends, line, label)
    ends = ends[ends < len(line)]
    return np.union1d(begins, ends[document[ends] == document[ends - 1]])


def _drop_labels(begins: LongArray, ends: LongArray, line: LongArray, label: int) -> tuple[LongArray, LongArray]:
    """Drop the edges of short strings that begin or end their line: labels, which may have fillers (`labels`)."""
    new_line = np.flatnonzero(line[1:] != line[:-1]) + 1
    bounds = np.concatenate([np.zeros(1, np.int64), new_line, np.full(1, len(line))])
    line_end = bounds[np.searchsorted(bounds, begins, side="right")]
    line_begin = bounds[np.searchsorted(bounds, ends, side="left") - 1]
    following = np.append(ends, len(line))[np.searchsorted(ends, begins, side="right")]
    preceding = np.append(-1, begins)[np.searchsorted(begins, ends, side="left")]
    is_suffix = (line_end - begins <= label) & (following >= line_end)
    is_prefix = (ends - line_begin <= label) & (preceding <= line_begin)
    return begins[~is_suffix], ends[~is_prefix]


def _find_edges(corpus: Corpus, size: int, share: float) -> tuple[LongArray, LongArray]:
    """Find where windows of one size begin that so many documents have, and what is behind them: numbers of tokens."""
    windows = _Windows(corpus, size, max(MIN_DF, math.ceil(share * corpus.documents)))
    starts, df = windows.count_frequent()
    # A window that joins what is frequent with what is much less so has no edge of its own.
    is_edge = df >= windows.floor
    half = size // 2
    for offset in (0, size - half):
        rows = np.flatnonzero(is_edge)
        is_edge[rows] = MAX_DROP * windows.count_parts(starts[rows], offset, half) <= df[rows]
    follows = starts[1:] == starts[:-1] + 1
    before = np.concatenate([np.zeros(1, np.int32), np.where(follows, df[:-1], 0)])[: len(df)]
    behind = np.concatenate([np.where(follows, df[1:], 0), np.zeros(1, np.int32)])[: len(df)]
    return starts[is_edge & (before < MAX_DROP * df)], starts[is_edge & (behind < MAX_DROP * df)] + size


class _Windows:
    """The windows of one size without a rare token.

    Most windows of an archive are in too few documents.  So all are counted in a small table by some bits of their
    hashes first, and only those are kept whose place has enough: memory grows with what repeats, not with the archive.
    """

    def __init__(self, corpus: Corpus, size: int, floor: int) -> None:
        self.floor = floor
        self._corpus, self._size, self._is_rare = corpus, size, corpus.df < floor
        # Hashes of one source are compared with each other alone.
        symbols = np.arange(1, len(corpus.form_names) + 1, dtype=np.uint64) * np.uint64(_STEP)
        self._symbols = symbols ^ (symbols >> np.uint64(29))

    def count_frequent(self) -> tuple[LongArray, IntArray]:
        """Return the windows that so many documents may have that one beside them has no edge, by their first tokens,
        and the documents that have each; those left out are in fewer."""
        is_frequent = np.ones(1 << _TABLE_BITS, np.bool_)
        if len(self._corpus.forms) > _FEW_TOKENS:
            counts = np.zeros(1 << _TABLE_BITS, np.int64)
            for _, _, hashes in self._read(0, self._size):
                counts += np.bincount((hashes & _TABLE_MASK).view(np.int64), minlength=len(counts))
            is_frequent = counts >= MAX_DROP * self.floor
        kept = [(np.empty(0, np.int64), np.empty(0, np.int32), np.empty(0, np.uint64))]
        for starts, documents, hashes in self._read(0, self._size):
            rows = np.flatnonzero(is_frequent[(hashes & _TABLE_MASK).view(np.int64)])
            kept.append((starts[rows], documents[rows], hashes[rows]))
        starts, documents, hashes = (np.concatenate(columns) for columns in zip(*kept, strict=True))
        number, df = _core.number_hashes(hashes, documents)
        counted: IntArray = df[number]
        return starts, counted

    def count_parts(self, windows: LongArray, offset: int, length: int) -> IntArray:
        """Count the documents that have so many tokens of some windows, from `offset` on, in a window without rare
        tokens."""
        wanted = np.concatenate([np.empty(0, np.uint64), *self._hash_windows(windows, offset, length)])
        distinct = np.unique(wanted)
        is_wanted = np.zeros(1 << _TABLE_BITS, np.bool_)
        is_wanted[(distinct & _TABLE_MASK).view(np.int64)] = True
        seen = [(np.empty(0, np.int32), np.empty(0, np.uint64))]
        for _, documents, hashes in self._read(offset, length):
            rows = np.flatnonzero(is_wanted[(hashes & _TABLE_MASK).view(np.int64)])
            seen.append((documents[rows], hashes[rows]))
        documents, hashes = (np.concatenate(columns) for columns in zip(*seen, strict=True))
        number, df = _core.number_hashes(hashes, documents)
        # What only shares its place in the table with another is put where it hurts nothing.
        places = np.minimum(np.searchsorted(distinct, hashes), len(distinct))
        by_hash = np.zeros(len(distinct) + 1, np.int32)
        is_own = np.append(distinct, np.uint64(0))[places] == hashes
        by_hash[places[is_own]] = df[number[is_own]]
        counted: IntArray = by_hash[np.searchsorted(distinct, wanted)]
        return counted

    def _hash_windows(self, windows: LongArray, offset: int, length: int) -> Iterator[NDArray[np.uint64]]:
        """Yield hashes of a part of some windows, ascending."""
        for part in _read_parts(self._corpus) if len(windows) else ():
            own = windows[slice(*np.searchsorted(windows, (part.first, part.first + len(part.tokens))))] - part.first
            yield _core.hash_strings(part.tokens, self._symbols, own + offset, np.full(len(own), length, np.int32))

    def _read(self, offset: int, length: int) -> Iterator[tuple[LongArray, IntArray, NDArray[np.uint64]]]:
        """Yield, by part of the archive, the first tokens of the windows, their documents, and hashes of a part of
        each."""
        size = self._size
        for part in _read_parts(self._corpus):
            rare = np.concatenate([np.zeros(1, np.int32), np.cumsum(self._is_rare[part.tokens], dtype=np.int32)])
            whole = (rare[size:] == rare[:-size]) & (part.document[size - 1 :] == part.document[: 1 - size])
            own = np.flatnonzero(whole)
            lengths = np.full(len(own), length, np.int32)
            yield (
                own + part.first,
                part.document[own],
                _core.hash_strings(part.tokens, self._symbols, own + offset, lengths),
            )
