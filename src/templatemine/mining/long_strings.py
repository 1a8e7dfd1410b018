"""Corpus -> edges of long strings: where a stretch that many documents have begins and ends.

A block of boilerplate may begin and end in the middle of a line, without any mark.  What tells its edges is that the
strings across them are in far fewer documents: a maximal string loses occurrences if it is extended (thesis, section
3.2).  Here strings of one length, windows of `WINDOW` tokens, stand for all longer ones: of a maximal string of at least
that length, the first window and the last have its document frequency, and the windows one token before and behind have
less.  At such edges segments end (`segments`).

Windows with a token that is in too few documents are passed over, as most of prose are; time is linear in the tokens.
"""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

from templatemine import _core
from templatemine.mining.tokenise import Vocabulary
from templatemine.model import Corpus, IntArray, LongArray

__all__ = ["find_string_edges"]

WINDOW = 12
"""Tokens of a window: some 80 bits in news, 40 at least."""
SPACELESS_WINDOW = 20
"""Of a source where a character is a token."""
MIN_DF, MIN_SHARE = 4, 0.02
"""Documents, and share of them, that must have a window."""
MAX_DROP = 0.5
"""An edge is where the next window has less than this share of the documents."""
_OWN = 4
"""The trait of a token that is a character of a script without spaces (`segments.OWN`)."""
_STEP = 0x9E3779B97F4A7C15
"""Odd, so that it has an inverse modulo 2^64."""


def find_string_edges(corpus: Corpus) -> LongArray:
    """Places in `corpus.forms` that begin a long string, or stand behind the end of one; ascending."""
    floor = max(MIN_DF, math.ceil(MIN_SHARE * corpus.documents))
    forms = corpus.forms
    places = np.flatnonzero(forms != 0) if corpus.lines else np.arange(len(forms))
    document = (np.searchsorted(corpus.doc_starts, places, side="right") - 1).astype(np.int32)
    tokens = forms[places]
    spaceless = np.count_nonzero(corpus.traits[tokens] & _OWN)
    size = SPACELESS_WINDOW if spaceless > 0.3 * max(1, len(tokens)) else WINDOW
    if len(tokens) <= size:
        return np.empty(0, np.int64)
    rare = (corpus.df < floor)[tokens]
    rare_sum = np.concatenate([np.zeros(1, np.int64), np.cumsum(rare)])
    count = len(tokens) - size + 1
    valid = (rare_sum[size:] == rare_sum[:-size]) & (document[size - 1 :] == document[:count])
    starts = np.flatnonzero(valid)
    if not len(starts):
        return np.empty(0, np.int64)
    names = corpus.form_names
    assert isinstance(names, Vocabulary)
    symbols = (np.arange(1, len(names) + 1, dtype=np.uint64) * np.uint64(_STEP)).astype(np.uint64)
    symbols ^= symbols >> np.uint64(29)
    hashes = _core.hash_strings(tokens, symbols, starts, np.full(len(starts), size, np.int32))
    number, df = _core.number_hashes(hashes, document[starts])
    frequency = np.zeros(count + 1, np.int32)
    frequency[starts] = df[number]
    before = np.concatenate([np.zeros(1, np.int32), frequency[: count - 1]])
    behind = frequency[1 : count + 1]
    own = frequency[:count]
    enough = own >= floor
    enough[starts] &= ~_is_mixed(tokens, symbols, starts, document, size, own[starts])
    begins = np.flatnonzero(enough & (before < MAX_DROP * own))
    ends = np.flatnonzero(enough & (behind < MAX_DROP * own)) + size
    edges = np.union1d(begins, ends[ends < len(places)])
    return places[edges].astype(np.int64)


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
