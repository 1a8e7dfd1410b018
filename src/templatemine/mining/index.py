"""Corpus -> Index: rare forms become breaks, the rest is renumbered.

A form that is in fewer documents than the floor can't be part of a string that reaches the floor, because a
string is in no more documents than each of its tokens; so a break in its place loses nothing (a property test
compares with and without).  What is left mostly fits 16 bits.

Time O(n); memory: 8 bytes a token of the source at most, 4 of which stay.
"""

from __future__ import annotations

import math

import numpy as np

from templatemine import _core
from templatemine.config import MineConfig
from templatemine.errors import CapacityError
from templatemine.mining.corpus import Corpus, Index
from templatemine.model import IntArray, LongArray

INT32_MAX = 2**31 - 1


def document_floor(documents: int, config: MineConfig) -> int:
    """Return the least number of documents a string must be in (step 7 of the method)."""
    return max(config.min_df, math.ceil((config.min_share or 0.0) * documents))


def build_index(corpus: Corpus, config: MineConfig) -> Index:
    """Return the reduced token sequence of a source.

    Raises
    ------
    CapacityError
        More than 2^31 - 1 documents.
    """
    if corpus.documents > INT32_MAX:
        raise CapacityError(f"{corpus.source}: {corpus.documents} documents; the limit is 2^31 - 1")
    frequent = np.flatnonzero(corpus.df >= document_floor(corpus.documents, config))
    if corpus.lines:
        frequent = frequent[frequent > 0]
    symbol_of = np.zeros(max(len(corpus.form_names), 1), np.int32)
    symbol_of[frequent] = np.arange(1, len(frequent) + 1, dtype=np.int32)
    # Documents and tokens are asked of few places: bounds take a tenth of the memory of a number for each.
    symbols, doc_starts, runs, run_tokens = _core.reduce_tokens(
        corpus.forms, corpus.doc_starts, symbol_of, corpus.lines
    )
    return Index(
        symbols=symbols,
        forms=np.concatenate([np.zeros(1, np.int32), frequent.astype(np.int32)]),
        doc_starts=doc_starts,
        runs=runs,
        run_tokens=run_tokens,
    )


def documents_at(index: Index, positions: LongArray) -> IntArray:
    """Return the document that holds each place of an index."""
    return _last_start(index.doc_starts, positions).astype(np.int32)


def tokens_at(index: Index, positions: LongArray) -> IntArray:
    """Return the token of its document, counted from 0, that is at each place of an index."""
    run = _last_start(index.runs, positions)
    return (index.run_tokens[run] + positions - index.runs[run]).astype(np.int32)


def _last_start(starts: LongArray, places: LongArray) -> LongArray:
    return np.searchsorted(starts, places, side="right") - 1
