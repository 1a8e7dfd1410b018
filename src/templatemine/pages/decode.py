"""Probabilities of blocks -> the blocks that are the main text.

The set of blocks with the greatest expected F1 over words is sought, not the blocks above one half: with block i of w_i
words and probability p_i, F1 of a set S is about 2 sum_S(p w) / (sum_S(w) + sum_all(p w)), and the best S of each size
is a prefix of the blocks by falling p.  Then gaps between chosen blocks are filled, and of a text that stands under
several paths only what stands under one is taken.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from templatemine.config import PageConfig
from templatemine.pages import _model

__all__ = [
    "CHOSEN",
    "COMMENT",
    "FILLED",
    "HEAD",
    "LEFT",
    "REASONS",
    "HIDDEN",
    "REPEATED",
    "STRETCH",
    "chances",
    "decode",
    "kept",
]

LEFT, CHOSEN, FILLED, STRETCH, REPEATED, HEAD, HIDDEN, COMMENT = range(8)
REASONS = (
    "not main text",
    "main text",
    "between blocks of the main text, and like them",
    "best stretch of a page without a sure main text",
    "a copy of what stands elsewhere on the page",
    "headline, byline or date, which are not asked for",
    "hidden by an attribute or its style",
    "a comment, which is asked for",
)
"""By code."""

_KEPT = np.array([code not in (LEFT, REPEATED, HEAD, HIDDEN) for code in range(len(REASONS))], np.bool_)

SHORT = 3
"""A text of fewer words may be said twice (a name, a year)."""


def kept(code: NDArray[np.int8]) -> NDArray[np.bool_]:
    """Whether blocks of these codes are given out."""
    return _KEPT[code]


def chances(scores: NDArray[np.float64]) -> NDArray[np.float64]:
    """Log odds as probabilities."""
    return 1 / (1 + np.exp(-np.minimum(np.maximum(scores, -30), 30)))


def decode(
    scores: NDArray[np.float64],
    words: NDArray[np.int32],
    paths: NDArray[np.uint64],
    texts: NDArray[np.uint64],
    config: PageConfig,
) -> NDArray[np.int8]:
    """A code of `REASONS` for each block; at least one block is chosen if there are any.

    Parameters
    ----------
    scores : float64 array, shape (blocks,)
        Log odds.
    paths, texts : uint64 arrays, shape (blocks,)
        Equal for equal paths and texts.
    """
    if not len(scores):
        return np.empty(0, np.int8)
    probability = chances(scores)
    if probability.max() < config.least:
        code = _stretch(probability, words)
    else:
        code = _expected_f1(probability, words)
        _fill(code, probability, words, paths, config)
    _once(code, scores, words, paths, texts)
    return code


def _expected_f1(probability: NDArray[np.float64], words: NDArray[np.int32]) -> NDArray[np.int8]:
    order = np.argsort(-probability, kind="stable")
    sure = (probability * words)[order]
    gain = 2 * np.cumsum(sure) / (np.cumsum(words[order]) + sure.sum())
    code = np.zeros(len(words), np.int8)
    code[order[: int(np.argmax(gain)) + 1]] = CHOSEN
    return code


def _stretch(probability: NDArray[np.float64], words: NDArray[np.int32]) -> NDArray[np.int8]:
    """The run of blocks with the greatest sum of what is above the page's mean, in words."""
    above = words * (probability - np.average(probability, weights=words))
    sums = np.concatenate([np.zeros(1), np.cumsum(above)])
    least = np.minimum.accumulate(sums)
    end = int(np.argmax(sums[1:] - least[:-1])) + 1
    code = np.zeros(len(words), np.int8)
    code[int(np.argmin(sums[:end])) : end] = STRETCH
    return code


def _fill(
    code: NDArray[np.int8],
    probability: NDArray[np.float64],
    words: NDArray[np.int32],
    paths: NDArray[np.uint64],
    config: PageConfig,
) -> None:
    chosen = np.flatnonzero(code == CHOSEN)
    between = np.flatnonzero(code[: chosen[-1]] == LEFT)
    between = between[(between > chosen[0]) & (probability[between] >= config.fill)]
    if not len(between):
        return
    place = _model.firsts(paths)
    share = np.bincount(place[chosen], weights=words[chosen], minlength=len(place))
    common = (share > 0) & (share >= config.fill_share * float(words[chosen].sum()))
    code[between[common[place[between]]]] = FILLED


def _once(
    code: NDArray[np.int8],
    scores: NDArray[np.float64],
    words: NDArray[np.int32],
    paths: NDArray[np.uint64],
    texts: NDArray[np.uint64],
) -> None:
    """A text under other paths than that of its likeliest block is a copy; under the same one a story says it again."""
    kept = np.flatnonzero((code > LEFT) & (words >= SHORT))
    kept = kept[np.argsort(-scores[kept], kind="stable")]
    code[kept[paths[kept] != paths[kept[_model.firsts(texts[kept])]]]] = REPEATED
