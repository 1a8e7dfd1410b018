"""The second level: strings that other sources use too are idioms or agency prose, not templates (section 3.3).

It sees strings, not articles, and only as 61-bit hashes of their normalised tokens with their rates, so that the
strings of thousands of sources fit in memory: 20 bytes a string.  Two different strings share a hash with a chance of
about m^2 / 2^62 for m strings.

`RateTable` holds the strings of all sources; one source needs of it the columns of
`CrossSourceCounts`, a row for each of its own strings.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, fields
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from templatemine import _core
from templatemine.parallel.threads import map_as_completed

_HASHES = 1 << 61
"""Hashes are below."""


class SourceRates(NamedTuple):
    """The columns of a source that are compared: hashes of its strings, ascending and each at most once, and how many
    times a token of the source each occurs, and occurs within prose."""

    hashes: NDArray[np.uint64]
    rates: NDArray[np.float32]
    prose_rates: NDArray[np.float32]


@dataclass(frozen=True, kw_only=True)
class CrossSourceCounts:
    """Counts of the strings of one source in others, a row for each string.

    Attributes
    ----------
    sources : int32 array
        How many other sources have the string.
    rates, prose_rates : float32 arrays
        The greatest rate (occurrences a token) of the string in any other source, and within the prose of any other.
    """

    sources: NDArray[np.int32]
    rates: NDArray[np.float32]
    prose_rates: NDArray[np.float32]

    @staticmethod
    def zeros(size: int) -> CrossSourceCounts:
        """Return the counts of strings that no other source has."""
        return CrossSourceCounts(
            sources=np.zeros(size, np.int32), rates=np.zeros(size, np.float32), prose_rates=np.zeros(size, np.float32)
        )

    def take(self, rows: NDArray[np.int64]) -> CrossSourceCounts:
        """Return the counts of some of the strings."""
        return CrossSourceCounts(sources=self.sources[rows], rates=self.rates[rows], prose_rates=self.prose_rates[rows])

    def scatter(self, rows: NDArray[np.int64], size: int) -> CrossSourceCounts:
        """Return the counts of `size` strings: these at `rows`, zeros elsewhere."""
        scattered = CrossSourceCounts.zeros(size)
        scattered.sources[rows], scattered.rates[rows], scattered.prose_rates[rows] = (
            self.sources,
            self.rates,
            self.prose_rates,
        )
        return scattered


@dataclass(frozen=True, kw_only=True)
class RateTable:
    """The sources of each string, as far as the comparison asks.

    Attributes
    ----------
    hashes : uint64 array, shape (distinct,)
        Ascending.
    sources : int32 array
        How many sources have the string.
    owner : int32 array
        Number of the source with the greatest rate.
    greatest, second : float32 arrays
        The greatest rate of any source, and of any but `owner`; 0 if there is none.
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

    def lookup(self, hashes: NDArray[np.uint64], source_number: int) -> CrossSourceCounts:
        """Return the counts of the strings of source `source_number` in other sources; the table has all of them."""
        rows = np.searchsorted(self.hashes, hashes)
        return CrossSourceCounts(
            sources=self.sources[rows] - 1,
            rates=np.where(self.owner[rows] == source_number, self.second[rows], self.greatest[rows]),
            prose_rates=np.where(
                self.prose_owner[rows] == source_number, self.prose_second[rows], self.prose_greatest[rows]
            ),
        )


def gather(sources: Sequence[SourceRates], jobs: int = 1) -> RateTable:
    """Reduce: the strings of all sources, numbered as they come, by so many threads, each with a range of hashes."""
    bounds = np.array([_HASHES // jobs * part_index for part_index in range(1, jobs)], np.uint64)
    edges = [[0, *np.searchsorted(source.hashes, bounds).tolist(), len(source.hashes)] for source in sources]

    def gather_part(part_index: int) -> RateTable:
        stretches = [slice(*ends[part_index : part_index + 2]) for ends in edges]
        hashes, rates, prose_rates = (
            np.concatenate(
                [
                    np.empty(0, dtype),
                    *(source[column][stretch] for source, stretch in zip(sources, stretches, strict=True)),
                ]
            )
            for column, dtype in enumerate((np.uint64, np.float32, np.float32))
        )
        sizes = [stretch.stop - stretch.start for stretch in stretches]
        return gather_rows(hashes, rates, prose_rates, np.repeat(np.arange(len(sizes), dtype=np.int32), sizes))

    parts = dict(map_as_completed(gather_part, range(jobs), jobs))
    columns: dict[str, list[Any]] = {
        column.name: [getattr(parts[part_index], column.name) for part_index in range(jobs)]
        for column in fields(RateTable)
    }
    return RateTable(**{name: column[0] if jobs == 1 else np.concatenate(column) for name, column in columns.items()})


def gather_rows(
    hashes: NDArray[np.uint64], rates: NDArray[np.float32], prose: NDArray[np.float32], source: NDArray[np.int32]
) -> RateTable:
    """Call `gather` for strings in any order, each with the number of its source."""
    # Where each source's hashes ascend, a stable sort merges a few runs.
    order = np.argsort(hashes, kind="stable")
    hashes, source = hashes[order], source[order]
    first, sources, owner, greatest, second = _core.group_rates(hashes, rates[order], source)
    _, _, prose_owner, prose_greatest, prose_second = _core.group_rates(hashes, prose[order], source)
    return RateTable(
        hashes=hashes[first],
        sources=sources,
        owner=owner,
        greatest=greatest,
        second=second,
        prose_owner=prose_owner,
        prose_greatest=prose_greatest,
        prose_second=prose_second,
    )
