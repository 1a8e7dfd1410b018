"""The second level: what other sources use too is an idiom or agency prose, not a template (section 3.3).

It sees strings, not articles, and only as 61-bit hashes of their normalised tokens with their rates, so that the
strings of thousands of sources fit in memory: 20 bytes a string.  Two different strings share a hash with a chance of
about m^2 / 2^62 for m strings.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, fields
from typing import Any

import numpy as np
from numpy.typing import NDArray

from templatemine import _core
from templatemine.parallel.threads import as_finished

__all__ = ["Peers", "gather", "gather_rows"]

_HASHES = 1 << 61
"""Hashes are below."""


@dataclass(frozen=True, kw_only=True)
class Peers:
    """Which strings stand in which sources, as far as the filter asks.

    Attributes
    ----------
    hashes : uint64 array, shape (distinct,)
        Ascending.
    sources : int32 array
        How many sources have the string.
    owner : int32 array
        Place of the source with the greatest rate.
    greatest, second : float32 arrays
        The greatest rate (occurrences a token) of any source, and of any but `owner`; 0 if there is none.
    prose_owner, prose_greatest, prose_second : arrays
        The same for the rates of occurrences within prose.
    """

    hashes: NDArray[np.uint64]
    sources: NDArray[np.int32]
    owner: NDArray[np.int32]
    greatest: NDArray[np.float32]
    second: NDArray[np.float32]
    prose_owner: NDArray[np.int32]
    prose_greatest: NDArray[np.float32]
    prose_second: NDArray[np.float32]

    def others(self, hashes: NDArray[np.uint64]) -> NDArray[np.int32]:
        """Number of other sources that have each of a source's strings."""
        return self.sources[np.searchsorted(self.hashes, hashes)] - 1

    def elsewhere(self, hashes: NDArray[np.uint64], place: int) -> NDArray[np.float32]:
        """Greatest rate of each of the strings of source `place` in any other source."""
        rows = np.searchsorted(self.hashes, hashes)
        return np.where(self.owner[rows] == place, self.second[rows], self.greatest[rows])

    def in_prose_elsewhere(self, hashes: NDArray[np.uint64], place: int) -> NDArray[np.float32]:
        """Greatest rate of each of them within the prose of any other source."""
        rows = np.searchsorted(self.hashes, hashes)
        return np.where(self.prose_owner[rows] == place, self.prose_second[rows], self.prose_greatest[rows])


def gather(
    hashes: Sequence[NDArray[np.uint64]],
    rates: Sequence[NDArray[np.float32]],
    prose: Sequence[NDArray[np.float32]],
    jobs: int = 1,
) -> Peers:
    """Reduce: the strings of all sources.

    Parameters
    ----------
    hashes, rates : sequences of arrays, one a source
        The strings of each source, ascending and each at most once, and their occurrences a token.
    prose : sequence of arrays
        Occurrences within prose a token.
    jobs : int
        Threads; each takes a range of hashes.
    """
    bounds = np.array([_HASHES // jobs * number for number in range(1, jobs)], np.uint64)
    edges = [[0, *np.searchsorted(one, bounds).tolist(), len(one)] for one in hashes]

    def part(number: int) -> Peers:
        stretches = [slice(*ends[number : number + 2]) for ends in edges]
        every = np.concatenate([np.empty(0, np.uint64), *_cut(hashes, stretches)])
        rate, within = (np.concatenate([np.empty(0, np.float32), *_cut(one, stretches)]) for one in (rates, prose))
        sizes = [stretch.stop - stretch.start for stretch in stretches]
        return gather_rows(every, rate, within, np.repeat(np.arange(len(sizes), dtype=np.int32), sizes))

    parts = dict(as_finished(part, range(jobs), jobs))
    columns = {one.name: [getattr(parts[number], one.name) for number in range(jobs)] for one in fields(Peers)}
    return Peers(**{name: some[0] if jobs == 1 else np.concatenate(some) for name, some in columns.items()})


def _cut(columns: Sequence[NDArray[Any]], stretches: Sequence[slice]) -> list[NDArray[Any]]:
    return [one[stretch] for one, stretch in zip(columns, stretches, strict=True)]


def gather_rows(
    hashes: NDArray[np.uint64], rates: NDArray[np.float32], prose: NDArray[np.float32], source: NDArray[np.int32]
) -> Peers:
    """`gather` of strings in any order, each with the number of its source."""
    # Where each source's hashes ascend, a stable sort merges a few runs.
    order = np.argsort(hashes, kind="stable")
    hashes, source = hashes[order], source[order]
    first, sources, owner, greatest, second = _core.group_rates(hashes, rates[order], source)
    _, _, prose_owner, prose_greatest, prose_second = _core.group_rates(hashes, prose[order], source)
    return Peers(
        hashes=hashes[first],
        sources=sources,
        owner=owner,
        greatest=greatest,
        second=second,
        prose_owner=prose_owner,
        prose_greatest=prose_greatest,
        prose_second=prose_second,
    )
