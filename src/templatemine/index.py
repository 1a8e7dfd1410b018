"""Corpus -> Index: rare forms become breaks, the rest is renumbered, then suffix array and LCP.

A form that stands in fewer documents than the floor can't be part of a string that reaches the floor, because a
string stands in no more documents than each of its tokens; so a break in its place loses nothing (a property test
compares with and without).  What is left mostly fits 16 bits, and `pydivsufsort` sorts two bytes a token twice as
fast as four.

Time O(n) but for the sorting; memory: 8 bytes a token for symbols and documents, 12 for suffix array, LCP and its
scratch, and while sorting 8 more bytes for each byte of a symbol.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pydivsufsort
from numpy.typing import NDArray

from templatemine import _core
from templatemine.config import MineConfig
from templatemine.errors import CapacityError
from templatemine.model import Corpus, Index, IntArray

__all__ = ["build_index", "document_floor", "suffix_array"]

INT32_MAX = 2**31 - 1


def document_floor(documents: int, config: MineConfig) -> int:
    """Least number of documents a string must stand in (step 7 of the method)."""
    return max(config.min_df, math.ceil((config.min_share or 0.0) * documents))


def suffix_array(symbols: IntArray, *, force64: bool = False) -> NDArray[Any]:
    """Suffix array of non-negative symbols under some fixed order of the symbols.

    Returns
    -------
    int32 array, or int64 beyond 2^31 - 1 tokens or with `force64`.
    """
    if len(symbols) == 0:
        return np.empty(0, np.int64 if force64 else np.int32)
    narrow = np.uint8 if symbols.max() < 2**8 else np.uint16 if symbols.max() < 2**16 else np.uint32
    order = pydivsufsort.divsufsort(symbols.astype(narrow), force64=force64)
    wide = force64 or len(symbols) > INT32_MAX
    return np.ascontiguousarray(order, dtype=np.int64 if wide else np.int32)


def build_index(corpus: Corpus, config: MineConfig) -> Index:
    """Suffix array and LCP of a source.

    Raises
    ------
    CapacityError
        More than 2^31 - 1 documents.
    """
    if corpus.documents > INT32_MAX:
        raise CapacityError(f"{corpus.source}: {corpus.documents} documents; the limit is 2^31 - 1")
    df = _core.document_frequency(corpus.forms, corpus.doc_starts, len(corpus.form_names))
    if corpus.lines:
        df[:1] = 0
    kept = np.flatnonzero(df >= document_floor(corpus.documents, config))
    symbol_of = np.zeros(max(len(corpus.form_names), 1), np.int32)
    symbol_of[kept] = np.arange(1, len(kept) + 1, dtype=np.int32)
    symbols, doc_of, token_of, edges = _core.reduce_tokens(corpus.forms, corpus.doc_starts, symbol_of, corpus.lines)
    sa = suffix_array(symbols, force64=config.force64)
    lcp = (_core.lcp_i64 if sa.dtype == np.int64 else _core.lcp_i32)(symbols, sa)
    return Index(
        symbols=symbols,
        forms=np.concatenate([np.zeros(1, np.int32), kept.astype(np.int32)]),
        doc_of=doc_of,
        token_of=token_of,
        edges=edges,
        sa=sa,
        lcp=lcp,
    )
