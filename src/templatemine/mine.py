"""Index -> Repeats: every maximal string with its occurrences and its document frequency (steps 4 to 6 of the method).

A string is kept if it has at least `min_tokens` tokens, stands in at least as many documents as the floor, and cannot
be extended by one token to either side without losing occurrences (Foschini, section 3.2, step 6).  One pass over the
LCP array with a stack; the document frequency is the colour set size of Hui (CPM 1992).  O(n log n) at worst, in
practice linear; no input makes it quadratic.
"""

from __future__ import annotations

import numpy as np

from templatemine import _core
from templatemine.config import MineConfig
from templatemine.model import Index, Repeats

__all__ = ["find_repeats"]


def find_repeats(index: Index, documents: int, floor: int, config: MineConfig) -> Repeats:
    """All maximal strings of a source.

    Parameters
    ----------
    index : Index
    documents : int
        Documents of the source.
    floor : int
        Least document frequency.
    config : MineConfig
    """
    kernel = _core.repeats_i64 if index.sa.dtype == np.int64 else _core.repeats_i32
    rank, length, count, df = kernel(
        index.symbols, index.doc_of, index.sa, index.lcp, documents, config.min_tokens or 1, floor
    )
    return Repeats(rank=rank, length=length, count=count, df=df)
