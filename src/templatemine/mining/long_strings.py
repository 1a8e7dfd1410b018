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
_OWN = 4
"""The trait of a token that is a character of a script without spaces (`segments.OWN`)."""
_SPACELESS_SHARE = 0.3
"""As `segments` has it."""
_STEP = 0x9E3779B97F4A7C15
"""Odd, so that it has an inverse modulo 2^64."""


def find_string_edges(corpus: Corpus) -> LongArray:
    """Places in `corpus.forms` that begin a long string, or stand behind the end of one; ascending."""
    forms = corpus.forms
    places = np.flatnonzero(forms != 0) if corpus.lines else np.arange(len(forms))
    tokens = forms[places]
    document = (np.searchsorted(corpus.doc_starts, places, side="right") - 1).astype(np.int32)
    spaceless = np.count_nonzero(corpus.traits[tokens] & _OWN) > _SPACELESS_SHARE * max(1, len(tokens))
    # Hashes of one source are compared with each other alone.
    symbols = np.arange(1, len(corpus.form_names) + 1, dtype=np.uint64) * np.uint64(_STEP)
    symbols ^= symbols >> np.uint64(29)
    windows = SPACELESS_WINDOWS if spaceless else WINDOWS
    found = []
    for size, share in windows:
        floor = max(MIN_DF, math.ceil(share * corpus.documents))
        found.append(_find_edges(tokens, symbols, document, (corpus.df < floor)[tokens], size, floor))
    begins, ends = (np.unique(np.concatenate(edges)) for edges in zip(*found, strict=True))
    # A label behind a fixed line is none of it: so much of a string as a short window lies in the line of its edge.
    line, least = places - np.arange(len(places)), windows[-1][0]
    begins = begins[line[begins + least - 1] == line[begins]]
    ends = ends[line[ends - least] == line[ends - 1]]
    begins, ends = _drop_labels(begins, ends, line, SPACELESS_LABEL if spaceless else LABEL)
    edges: LongArray = places[np.union1d(begins, ends[ends < len(places)])].astype(np.int64)
    return edges


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


def _find_edges(
    tokens: IntArray,
    symbols: NDArray[np.uint64],
    document: IntArray,
    rare: NDArray[np.bool_],
    size: int,
    floor: int,
) -> tuple[LongArray, LongArray]:
    """Where windows of one size that are in so many documents begin, and what is behind them: places in `tokens`."""
    count = len(tokens) - size + 1
    if count <= 0:
        return np.empty(0, np.int64), np.empty(0, np.int64)
    rare_before = np.concatenate([np.zeros(1, np.int64), np.cumsum(rare)])
    starts = np.flatnonzero((rare_before[size:] == rare_before[:-size]) & (document[size - 1 :] == document[:count]))
    hashes = _core.hash_strings(tokens, symbols, starts, np.full(len(starts), size, np.int32))
    number, df = _core.number_hashes(hashes, document[starts])
    frequency = np.zeros(count + 2, np.int32)
    frequency[starts + 1] = df[number]
    before, own, behind = frequency[:-2], frequency[1:-1], frequency[2:]
    enough = own >= floor
    enough[starts] &= ~_is_mixed(tokens, symbols, starts, document, size, own[starts])
    begins = np.flatnonzero(enough & (before < MAX_DROP * own))
    ends = np.flatnonzero(enough & (behind < MAX_DROP * own)) + size
    return begins, ends


def _is_mixed(
    tokens: IntArray, symbols: NDArray[np.uint64], starts: LongArray, document: IntArray, size: int, df: IntArray
) -> NDArray[np.bool_]:
    """Which windows join what is frequent with what is much less so: one half has more than twice the documents."""
    half, mixed = size // 2, np.zeros(len(starts), np.bool_)
    for offset in (0, size - half):
        hashes = _core.hash_strings(tokens, symbols, starts + offset, np.full(len(starts), half, np.int32))
        number, half_df = _core.number_hashes(hashes, document[starts])
        mixed |= MAX_DROP * half_df[number] > df
    return mixed
