"""When to visit a feed again: by the rate of its new items, within the limits of the feed and of the options.

And for how long a site asks to be left alone.
"""

from __future__ import annotations

import re
import time
from dataclasses import dataclass, replace
from email.utils import mktime_tz, parsedate_tz

__all__ = ["FeedRhythm", "slow_down", "update_rhythm", "parse_retry_after", "parse_skip_hours", "skip_hours"]

_ITEMS_PER_VISIT = 5
"""New items that a visit should find: with fewer visits long feeds lose items, with more most visits find none."""

_HISTORY_WEIGHT = 0.5
"""Weight of the history at each visit: only the last few visits count, so that nights and redesigns are followed."""

_MAX_GROWTH = 2.0
"""An interval grows by no more than this at a time: a quiet night does not make a daily feed of an hourly one."""

_FIRST_INTERVAL = 3600.0
"""Seconds until the second visit, when nothing is known; the most frequent wish of feeds."""


@dataclass(frozen=True, slots=True)
class FeedRhythm:
    """The known rhythm of a feed.

    visited : time of the last visit that was answered, in seconds; 0 if there was none.
    every : seconds between visits, as things stand.
    fresh, span : new items, and the seconds in which they came, older ones counting less.
    """

    visited: float = 0.0
    every: float = _FIRST_INTERVAL
    fresh: float = 0.0
    span: float = 0.0


def update_rhythm(
    previous: FeedRhythm, now: float, new: int, items: int, bounds: tuple[float, float], ttl: float = 0.0
) -> FeedRhythm:
    """The rhythm after a visit.

    Parameters
    ----------
    previous : Rhythm
    now : float
        Seconds.
    new, items : int
        Items that were not known, of those that the feed holds; 0 of 0 if it had not changed.
    bounds : (least, most)
        Seconds; they come before all else.
    ttl : float
        Seconds for which the feed asks to be left alone; 0 if it does not.
    """
    shortest, longest = bounds
    fresh, span, every = previous.fresh, previous.span, previous.every
    if previous.visited:  # the first visit finds everything new, which says nothing
        fresh = _HISTORY_WEIGHT * fresh + new
        span = _HISTORY_WEIGHT * span + max(now - previous.visited, 1.0)
        # A feed of a few items must be seen before half of them have gone.
        target = max(1.0, min(_ITEMS_PER_VISIT, items / 2)) if items else _ITEMS_PER_VISIT
        every = min(target * span / fresh if fresh else float("inf"), _MAX_GROWTH * every)
    return FeedRhythm(visited=now, every=min(max(every, ttl, shortest), longest), fresh=fresh, span=span)


def slow_down(previous: FeedRhythm, bounds: tuple[float, float]) -> FeedRhythm:
    """The rhythm after a visit that failed: half as often."""
    return replace(previous, every=min(max(_MAX_GROWTH * previous.every, bounds[0]), bounds[1]))


_SKIP_HOURS = re.compile(rb"<skipHours\b[^>]*>(.{0,4000}?)</skipHours\s*>", re.IGNORECASE | re.DOTALL)
_HOUR = re.compile(rb"<hour\b[^>]*>\s*(\d{1,2})\s*</hour", re.IGNORECASE)


def parse_skip_hours(data: bytes) -> frozenset[int]:
    """Hours (GMT) in which a feed asks not to be visited (RSS 2.0, skipHours); 24 is midnight, as in RSS 0.91."""
    match = _SKIP_HOURS.search(data)
    return frozenset(int(hour) % 24 for hour in _HOUR.findall(match[1]) if int(hour) <= 24) if match else frozenset()


def skip_hours(start: float, hours: frozenset[int]) -> float:
    """`start`, or the beginning of the first hour after it that is not among those skipped (if not all are)."""
    if len(hours) >= 24:
        return start
    while time.gmtime(start).tm_hour in hours:
        start = (start // 3600 + 1) * 3600
    return start


def parse_retry_after(after: str | None, date: str | None, now: float) -> float:
    """Seconds that an answer asks to wait by its Retry-After (RFC 9110, section 10.2.3); 0 if none.

    A date is read against that of the answer, for clocks differ; if it tells none, against ours.
    """
    after = (after or "").strip()
    if after.isascii() and after.isdigit():
        return float(after[:9])
    until = _parse_http_date(after)
    if until is None:
        return 0.0
    since = _parse_http_date(date or "")
    return max(0.0, until - (now if since is None else since))


def _parse_http_date(date: str) -> float | None:
    """A date of HTTP as seconds; None if it is invalid."""
    parts = parsedate_tz(date)
    try:
        return None if parts is None else float(mktime_tz((*parts[:9], parts[9] or 0)))
    except (OverflowError, ValueError):
        return None
