"""Probabilities of blocks -> the blocks that are the main text.

The set of blocks with the greatest expected F1 over words is sought, not the blocks above one half: with block i of w_i
words and probability p_i, F1 of a set S is about 2 sum_S(p w) / (sum_S(w) + sum_all(p w)), and the best S of each size
is a prefix of the blocks by falling p.  Then gaps between chosen blocks are filled, and of a text that occurs under
several paths only the one under that of its likeliest block is taken: under the same one a story says it again.
Where no block is likely enough, the run of blocks is taken that has most above the page's mean.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from templatemine.config import PageConfig
from templatemine.pages import _scores

DROPPED, SELECTED, FILLED, BEST_RUN, REPEATED = range(len(_scores.CODES))
HEAD, HIDDEN, KEPT_COMMENT, DROPPED_COMMENT, FOOTNOTE, PART, NOTICE, FURTHER = range(REPEATED + 1, REPEATED + 9)
REASONS = (
    "not main text",
    "main text",
    "between blocks of the main text, and like them",
    "best stretch of a page without a sure main text",
    "a copy of what stands elsewhere on the page",
    "headline, byline or date, which are not asked for",
    "hidden by an attribute or its style",
    "a comment, which is asked for",
    "a comment below the main text",
    "a footnote of the main text",
    "part of the main text by the structure of the page",
    "a notice, an offer or a label in place of the main text",
    "beside the main text: another article, the name of the site, numbers of lines",
)
"""By code."""

_KEPT = np.array(
    [code not in (DROPPED, REPEATED, HEAD, HIDDEN, DROPPED_COMMENT, NOTICE, FURTHER) for code in range(len(REASONS))],
    np.bool_,
)

SHORT = 3
"""A text of fewer words may be said twice (a name, a year)."""


def is_kept(code: NDArray[np.int8]) -> NDArray[np.bool_]:
    """Return whether blocks of these codes are given out."""
    return _KEPT.take(code)


def decode(
    scores: NDArray[np.float64],
    words: NDArray[np.int32],
    paths: NDArray[np.uint64],
    texts: NDArray[np.uint64],
    config: PageConfig,
) -> NDArray[np.int8]:
    """Return a code of `REASONS` for each block; at least one block is chosen if there are any.

    Parameters
    ----------
    scores : float64 array, shape (blocks,)
        Log odds.
    paths, texts : uint64 arrays, shape (blocks,)
        Equal for equal paths and texts.
    """
    return _scores.decode_blocks(scores, words, paths, texts, config.least, config.fill, config.fill_share, SHORT)
