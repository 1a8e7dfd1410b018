"""The second level: a string that other sources use too is an idiom or agency prose, not a template (section 3.3).

It sees strings, not articles, and only as 61-bit hashes of their normalised tokens, so that the strings of thousands of
sources fit in memory: eight bytes a string.  Two different strings share a hash with a chance of m^2 / 2^62 for m strings.
"""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np
from numpy.typing import NDArray

from templatemine.config import CrossSiteConfig

__all__ = ["shared_strings", "split_shared"]


def shared_strings(strings_by_source: Iterable[NDArray[np.uint64]], config: CrossSiteConfig) -> NDArray[np.uint64]:
    """Hashes that stand among the strings of more than `max_sources` sources, ascending.

    Parameters
    ----------
    strings_by_source : iterable of uint64 arrays
        The strings of each source, each at most once.
    """
    arrays = list(strings_by_source)
    if not arrays:
        return np.empty(0, np.uint64)
    values, sources = np.unique(np.concatenate(arrays), return_counts=True)
    return values[sources > config.max_sources]


def split_shared(hashes: NDArray[np.uint64], shared: NDArray[np.uint64]) -> NDArray[np.bool_]:
    """True for each string of a source that is shared with at least `max_sources` others."""
    return np.isin(hashes, shared)
