"""How far each run of text is from the language of its page: the features langid1 and langid2 of `train_crf.py`.

Spousta et al. (2008), section 3.2, have the probability that a block is Czech, by Beesley (1988) and by Cavnar and
Trenkle (1994).  Pages here are of any language, so that the language meant is that of the page itself.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

PRIOR = 0.5
"""Added to the count of each pair of characters; so much for one that was never seen is Jeffreys' choice."""


def measure_pair_bits(texts: Sequence[str]) -> NDArray[np.float64]:
    """Beesley: bits that each character costs where the one before it is known, by the pairs of all other texts.

    A text of one character, or on a page without others, has 0.
    """
    codes = [np.frombuffer(f" {text.lower()} ".encode("utf-32-le", "surrogatepass"), np.uint32) for text in texts]
    found = np.zeros(len(texts))
    if not codes:
        return found
    homes = np.repeat(np.arange(len(codes)), [len(code) - 1 for code in codes])
    letters, number = np.unique(np.concatenate(codes), return_inverse=True)
    edges = np.cumsum([0, *map(len, codes)])
    first = np.delete(number, edges[1:] - 1)
    both = first * len(letters) + np.delete(number, edges[:-1])
    bits = -np.log2((_count_in_others(both, homes) + PRIOR) / (_count_in_others(first, homes) + PRIOR * len(letters)))
    sizes = np.bincount(homes, minlength=len(codes))
    found = np.bincount(homes, bits, len(codes)) / sizes
    found[(sizes < 3) | (len(texts) < 2)] = 0
    return found


def _count_in_others(keys: NDArray[np.int64], homes: NDArray[np.int64]) -> NDArray[np.int64]:
    """How often each key occurs in other texts than its own."""
    _, place, count = np.unique(keys, return_inverse=True, return_counts=True)
    _, own_place, own = np.unique(place * (homes.max() + 1) + homes, return_inverse=True, return_counts=True)
    return count[place] - own[own_place]


def measure_rank_distance(texts: Sequence[str]) -> NDArray[np.float64]:
    """Cavnar and Trenkle: distance of rank-ordered n-grams from the profile of the page's language, by resiliparse."""
    from resiliparse.parse.lang import detect_fast

    target, _ = detect_fast(" ".join(texts)[:100_000], cutoff=10**6)
    return np.array([detect_fast(text, cutoff=10**6, langs=[target])[1] for text in texts], np.float64)


LANGUAGE_FEATURES = {"langid1": measure_pair_bits, "langid2": measure_rank_distance}
"""By the names of the features in `pages.crf`."""
