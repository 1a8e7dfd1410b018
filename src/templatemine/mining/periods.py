"""Dates -> the time of each string: how many documents a source published while the string was seen.

A call for a race, a banner of two weeks: where dates are known, boilerplate is compared with the documents of its own
time.  Looked at are strings that are too rare to be frequent in the whole source and are hardly ever in prose, where
what comes and goes is news.  Memory is bounded by looking at some of them at a time.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from templatemine.config import EvidenceConfig
from templatemine.mining.features import POSITIONS
from templatemine.mining.index import documents_at
from templatemine.model import Index, MaximalRepeats
from templatemine.text.dates import days_of

__all__ = ["periods"]

_OCCURRENCES = 1 << 18
"""Looked at in one go."""

_MOST = 8
"""Times a document: what is there more often is no boilerplate, and of one token for ever there is no end."""


def periods(
    index: Index, found: MaximalRepeats, dates: Sequence[str | None], config: EvidenceConfig
) -> NDArray[np.int32] | None:
    """Documents from the first day to the last on which each string was seen; all documents for what is not looked at.

    Parameters
    ----------
    dates : sequence of str or None
        Of each document of the index.  A string in an undated document has no period of its own; other undated
        documents count to all periods alike.

    Returns
    -------
    int32 array, shape (strings,), or None if no day is known
    """
    n, repeats = len(dates), found.repeats
    days = np.array([day or "" for day in days_of(dates)], dtype="U10")
    known = days != ""
    if not known.any():
        return None
    ordered = np.sort(days[known])
    low = np.where(known, np.searchsorted(ordered, days, "left"), -len(ordered))
    high = np.where(known, np.searchsorted(ordered, days, "right"), 2 * len(ordered))
    quiet = found.position_counts[:, POSITIONS.index("prose")] <= config.quiet * repeats.count
    able = quiet & (repeats.df >= config.period_least) & (repeats.df < config.often_share * n)
    rows = np.flatnonzero(able & (repeats.count <= _MOST * repeats.df))
    count = repeats.count[rows].astype(np.int64)
    lasted = np.empty(len(rows), np.int64)
    ends = np.cumsum(count)
    first = 0
    while first < len(rows):
        done = ends[first] - count[first]
        last = max(first + 1, int(np.searchsorted(ends, done + _OCCURRENCES, "right")))
        starts = ends[first:last] - count[first:last] - done
        places = np.repeat(repeats.rank[rows[first:last]] - starts, count[first:last]) + np.arange(
            ends[last - 1] - done
        )
        documents = documents_at(index, found.places[places].astype(np.int64))
        lasted[first:last] = np.maximum.reduceat(high[documents], starts) - np.minimum.reduceat(low[documents], starts)
        first = last
    out = np.full(len(repeats), n, np.int32)
    out[rows] = np.minimum(n, np.ceil(lasted * (n / len(ordered)))).astype(np.int32)
    return out
