"""Index -> MaximalRepeats: every maximal string, its occurrences and document frequency (steps 4 to 6 of the method).

A string is kept if it has at least `min_tokens` tokens, is in at least as many documents as the floor, and cannot
be extended by one token to either side without losing occurrences (Foschini, section 3.2, step 6).

Two ways give the same strings, which a property test holds.  Strings are **grown** token by token
(`_core.grow_strings`), which costs a few steps a token on any archive: suffixes that nobody repeats are never sorted.
Where the steps do not suffice (one token for ever, whole documents repeated with a shift), or there are 2^31 tokens,
all suffixes are **sorted**: suffix array, LCP, and one pass over the LCP array with a stack; the document frequency is
the colour set size of Hui (CPM 1992).  That is O(n log n) whatever the input.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from templatemine import _core
from templatemine.config import MineConfig
from templatemine.mining.corpus import Index, MaximalRepeats, Repeats
from templatemine.model import IntArray

INT32_MAX = 2**31 - 1
"""Tokens, beyond which suffix arrays are of 64 bits, and strings are not grown."""

STEPS_PER_TOKEN = 32
"""A token of the text.  News take 2, Chinese, where a character is a token, 5; sorting costs as much as some 20."""
POWER_TOKENS, MAX_TOKENS, MIN_TOKENS = 2, 16, 1 << 20
"""Tokens of powers together, and of all strings, for each token of the text, and so many anyway.  Archives have 0.1 to
0.7, and up to some ten where a long letter is changed at a few places.  But a line of numbers is one token for ever, of
which each power is maximal: a line of 100,000 of them has 5,000,000,000."""
MAX_PERIOD = 8
"""Tokens that a power repeats, at most."""


def find_repeats(index: Index, documents: int, floor: int, config: MineConfig) -> MaximalRepeats:
    """Find all maximal strings of a source, without the longest powers where they would be too much (`POWER_TOKENS`).

    Parameters
    ----------
    index : Index
    documents : int
        Documents of the source.
    floor : int
        Least document frequency.
    config : MineConfig
    """
    size, min_tokens = len(index.symbols), config.min_tokens or 1
    if size < INT32_MAX:
        grown = _core.grow_strings(index.symbols, index.doc_starts, min_tokens, floor, STEPS_PER_TOKEN * size + 1024)
        if grown is not None:
            positions, rank, first, length, count, df = grown
            repeats = Repeats(rank=rank, length=length, count=count, df=df)
            repeats_found = MaximalRepeats(repeats=repeats, positions=positions, first=first.astype(np.int64))
            return _limit_tokens(repeats_found, index.symbols)
    return _limit_tokens(_find_by_sorting(index, documents, floor, min_tokens), index.symbols)


def _limit_tokens(repeats: MaximalRepeats, symbols: IntArray) -> MaximalRepeats:
    """Return the strings without the longest powers, and then without the longest of all, beyond the tokens there may
    be."""
    lengths = repeats.repeats.length
    if lengths.sum(dtype=np.int64) <= max(MIN_TOKENS, POWER_TOKENS * len(symbols)):
        return repeats
    is_kept = np.ones(len(lengths), np.bool_)
    for group, tokens in ((_find_powers(repeats, symbols), POWER_TOKENS), (np.ones_like(is_kept), MAX_TOKENS)):
        group_lengths = np.sort(lengths[group & is_kept])
        sums = np.cumsum(group_lengths, dtype=np.int64)
        first_over = int(np.searchsorted(sums, max(MIN_TOKENS, tokens * len(symbols)), side="right"))
        if first_over < len(group_lengths):
            is_kept &= ~group | (lengths < group_lengths[first_over])
    rows = np.flatnonzero(is_kept)
    return repeats.take(rows)


def _find_powers(repeats: MaximalRepeats, symbols: IntArray) -> NDArray[np.bool_]:
    """Mark strings that repeat their first few tokens to their end, once at least."""
    size, lengths, first = len(symbols), repeats.repeats.length, repeats.first
    powers = np.zeros(len(lengths), np.bool_)
    for period in range(1, MAX_PERIOD + 1):
        # Of each place, the next one that differs from the token a period later.
        next_mismatch = np.arange(size, dtype=np.int64)
        next_mismatch[: size - period][symbols[period:] == symbols[:-period]] = size
        next_mismatch = np.minimum.accumulate(next_mismatch[::-1])[::-1]
        powers |= (lengths >= 2 * period) & (next_mismatch[first] - first >= lengths - period)
    return powers


def _find_by_sorting(index: Index, documents: int, floor: int, min_tokens: int) -> MaximalRepeats:
    symbols, sa = index.symbols, suffix_array(index.symbols)
    doc_of = np.repeat(np.arange(documents, dtype=np.int32), np.diff(index.doc_starts))
    lcp = _core.lcp(symbols, sa)
    rank, length, count, df = _core.find_repeats(symbols, doc_of, sa, lcp, documents, min_tokens, floor)
    # Nested repeats (one token for ever) have more occurrences than a few a token: then some of each string's must do.
    max_steps = STEPS_PER_TOKEN * len(symbols)
    max_occurrences = len(symbols) if count.sum(dtype=np.int64) <= max_steps else max_steps // len(count)
    first = _core.find_first_positions(rank, count, sa.astype(np.int64, copy=False), max(1, max_occurrences))
    return MaximalRepeats(repeats=Repeats(rank=rank, length=length, count=count, df=df), positions=sa, first=first)


def suffix_array(symbols: IntArray) -> NDArray[Any]:
    """Return the suffix array of non-negative symbols under some fixed order of the symbols; two bytes a token where
    they suffice.

    Returns
    -------
    int32 array, or int64 beyond `INT32_MAX` tokens.
    """
    import pydivsufsort

    if len(symbols) == 0:
        return np.empty(0, np.int32)
    narrow = np.uint8 if symbols.max() < 2**8 else np.uint16 if symbols.max() < 2**16 else np.uint32
    order = pydivsufsort.divsufsort(symbols.astype(narrow))
    return np.ascontiguousarray(order, dtype=np.int64 if len(symbols) > INT32_MAX else np.int32)
