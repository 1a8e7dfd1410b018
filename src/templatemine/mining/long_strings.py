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

__all__ = ["find_string_edges"]

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


def find_string_edges(corpus: Corpus, *, spaceless: bool) -> LongArray:
    """Places in `corpus.forms` that begin a long string, or stand behind the end of one; ascending.  `spaceless` says
    whether characters are tokens."""
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
    """The documents of a corpus in parts of some `_PART` tokens, so that memory does not grow with them."""
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
    """Those of the edges in a part that segments end at: places in its tokens."""
    # A label behind a fixed line is none of it: so much of a string as a short window lies in the line of its edge.
    line, document = part.line, part.document
    begins = begins[line[begins + least - 1] == line[begins]]
    ends = ends[line[ends - least] == line[ends - 1]]
    begins, ends = _drop_labels(begins, ends, line, label)
    ends = ends[ends < len(line)]
    return np.union1d(begins, ends[document[ends] == document[ends - 1]])


def _drop_labels(begins: LongArray, ends: LongArray, line: LongArray, label: int) -> tuple[LongArray, LongArray]:
    """The edges but those of short strings that begin or end their line: labels, which may have fillers (`labels`)."""
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
    """Where windows of one size begin that so many documents have, and what is behind them: numbers of tokens."""
    floor = max(MIN_DF, math.ceil(share * corpus.documents))
    is_rare = corpus.df < floor
    # Hashes of one source are compared with each other alone.
    symbols = np.arange(1, len(corpus.form_names) + 1, dtype=np.uint64) * np.uint64(_STEP)
    symbols ^= symbols >> np.uint64(29)
    half = size // 2
    starts, df = _count_windows(corpus, is_rare, symbols, size, 0, size)
    # A window that joins what is frequent with what is much less so has no edge of its own.
    is_edge = df >= floor
    for offset in (0, size - half):
        is_edge &= MAX_DROP * _count_windows(corpus, is_rare, symbols, size, offset, half)[1] <= df
    follows = starts[1:] == starts[:-1] + 1
    before = np.concatenate([np.zeros(1, np.int32), np.where(follows, df[:-1], 0)])[: len(df)]
    behind = np.concatenate([np.where(follows, df[1:], 0), np.zeros(1, np.int32)])[: len(df)]
    return starts[is_edge & (before < MAX_DROP * df)], starts[is_edge & (behind < MAX_DROP * df)] + size


def _count_windows(
    corpus: Corpus, is_rare: NDArray[np.bool_], symbols: NDArray[np.uint64], size: int, offset: int, length: int
) -> tuple[LongArray, IntArray]:
    """The windows without a rare token, by their first token, and the documents that have so many tokens from `offset`
    on in such a window."""
    starts, documents, hashes = [np.empty(0, np.int64)], [np.empty(0, np.int32)], [np.empty(0, np.uint64)]
    for part in _read_parts(corpus):
        rare = np.concatenate([np.zeros(1, np.int32), np.cumsum(is_rare[part.tokens], dtype=np.int32)])
        whole = (rare[size:] == rare[:-size]) & (part.document[size - 1 :] == part.document[: 1 - size])
        own = np.flatnonzero(whole)
        starts.append(own + part.first)
        documents.append(part.document[own])
        hashes.append(_core.hash_strings(part.tokens, symbols, own + offset, np.full(len(own), length, np.int32)))
    number, df = _core.number_hashes(np.concatenate(hashes), np.concatenate(documents))
    counts: IntArray = df[number]
    return np.concatenate(starts), counts
