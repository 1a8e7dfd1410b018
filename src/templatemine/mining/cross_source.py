"""The second level: strings that other sources use too are idioms or agency prose, not templates (section 3.3).

It sees strings, not articles, and only as 61-bit hashes of their normalised tokens, so that the strings of thousands of
sources fit in memory: 8 bytes a string.  Two different strings share a hash with a chance of about m^2 / 2^62 for m
strings.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from templatemine.parallel.threads import map_as_completed

HASH_BITS = 61
"""Hashes are below 2 to this power."""


@dataclass(frozen=True, slots=True)
class SharedStrings:
    """The strings that several sources have: their hashes, ascending, and how many sources have each."""

    hashes: NDArray[np.uint64]
    sources: NDArray[np.int32]

    def lookup(self, hashes: NDArray[np.uint64]) -> NDArray[np.int32]:
        """Return how many other sources have each string of a source."""
        if not len(self.hashes):
            return np.zeros(len(hashes), np.int32)
        rows = np.minimum(np.searchsorted(self.hashes, hashes), len(self.hashes) - 1)
        return np.where(self.hashes[rows] == hashes, self.sources[rows] - 1, 0).astype(np.int32)


def count_sources(hashes: Sequence[NDArray[np.uint64]], jobs: int = 1) -> SharedStrings:
    """Reduce: the strings of all sources, by so many threads, each with a range of hashes.

    Parameters
    ----------
    hashes : sequence of uint64 arrays
        Of the strings of each source, ascending and each at most once.
    """
    bounds = np.array([(part << HASH_BITS) // jobs for part in range(1, jobs)], np.uint64)
    edges = [[0, *np.searchsorted(own, bounds).tolist(), len(own)] for own in hashes]

    def count_part(part: int) -> SharedStrings:
        own = [some[ends[part] : ends[part + 1]] for some, ends in zip(hashes, edges, strict=True)]
        distinct, sources = np.unique(np.concatenate([np.empty(0, np.uint64), *own]), return_counts=True)
        return SharedStrings(distinct[sources > 1], sources[sources > 1].astype(np.int32))

    parts = dict(map_as_completed(count_part, range(jobs), jobs))
    columns = zip(*((parts[part].hashes, parts[part].sources) for part in range(jobs)), strict=True)
    return SharedStrings(*map(np.concatenate, columns))
