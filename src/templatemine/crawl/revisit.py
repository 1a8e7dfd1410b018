"""The time of the next visit of a feed, from the rate of its new items and the limits of the feed and of the options.

Also reads the pauses that sites ask for: skipHours and Retry-After.
"""

from __future__ import annotations

import re
import time
from dataclasses import dataclass, replace
from email.utils import mktime_tz, parsedate_tz

_ITEMS_PER_VISIT = 5
"""New items that a visit should find: with rarer visits feeds lose items, with more frequent ones most find none."""

_HISTORY_WEIGHT = 0.5
"""Decay of the history at each visit: only the last few count, so that the schedule follows nights and redesigns."""

_MAX_GROWTH = 2.0
"""Largest growth of an interval at a visit, so that a quiet night does not turn an hourly feed into a daily one."""

_FIRST_INTERVAL = 3600.0
"""Seconds until the second visit, when no rate is known; the most frequent `ttl` of feeds."""


@dataclass(frozen=True, slots=True)
class RevisitSchedule:
    """The schedule of a feed, as far as it is known.

    visited : time of the last successful visit, in seconds; 0 if there was none.
    every : current interval between visits, in seconds.
    fresh, span : number of new items, and the seconds in which they appeared; older visits count less.
    """

    visited: float = 0.0
    every: float = _FIRST_INTERVAL
    fresh: float = 0.0
    span: float = 0.0


def update_schedule(
    previous: RevisitSchedule, now: float, new: int, items: int, bounds: tuple[float, float], ttl: float = 0.0
) -> RevisitSchedule:
    """Return the schedule after a visit.

    Parameters
    ----------
    now : float
        Seconds.
    new, items : int
        New items, and all items of the feed; 0 and 0 if the feed had not changed.
    bounds : (least, most)
        Seconds; these limits override the rate of items and `ttl`.
    ttl : float
        Seconds that the feed asks to wait before the next visit; 0 if it does not ask.
    """
    shortest, longest = bounds
    fresh, span, every = previous.fresh, previous.span, previous.every
    if previous.visited:  # at the first visit all items are new, which gives no rate
        fresh = _HISTORY_WEIGHT * fresh + new
        span = _HISTORY_WEIGHT * span + max(now - previous.visited, 1.0)
        # A short feed must be visited before half of its items are gone.
        target = max(1.0, min(_ITEMS_PER_VISIT, items / 2)) if items else _ITEMS_PER_VISIT
        every = min(target * span / fresh if fresh else float("inf"), _MAX_GROWTH * every)
    return RevisitSchedule(visited=now, every=min(max(every, ttl, shortest), longest), fresh=fresh, span=span)


def slow_down(previous: RevisitSchedule, bounds: tuple[float, float]) -> RevisitSchedule:
    """Return the schedule after a failed visit: visits become half as frequent."""
    return replace(previous, every=min(max(_MAX_GROWTH * previous.every, bounds[0]), bounds[1]))


_SKIP_HOURS = re.compile(rb"<skipHours\b[^>]*>(.{0,4000}?)</skipHours\s*>", re.IGNORECASE | re.DOTALL)
_HOUR = re.compile(rb"<hour\b[^>]*>\s*(\d{1,2})\s*</hour", re.IGNORECASE)


def parse_skip_hours(data: bytes) -> frozenset[int]:
    """Return the hours (GMT) in which a feed asks not to be visited (RSS 2.0, skipHours); 24 is midnight, as in RSS
    0.91."""
    match = _SKIP_HOURS.search(data)
    return frozenset(int(hour) % 24 for hour in _HOUR.findall(match[1]) if int(hour) <= 24) if match else frozenset()


def skip_hours(start: float, hours: frozenset[int]) -> float:
    """Return `start`, or the beginning of the next hour that is not skipped; `start` if all hours are skipped."""
    if len(hours) >= 24:
        return start
    while time.gmtime(start).tm_hour in hours:
        start = (start // 3600 + 1) * 3600
    return start


def parse_retry_after(after: str | None, date: str | None, now: float) -> float:
    """Return the seconds that a response asks to wait in its Retry-After (RFC 9110, section 10.2.3); 0 if it does not
    ask.

    A date is compared with the date of the response, since clocks differ; without one, with our clock.
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
    """Return a date of HTTP as seconds; None if it is invalid."""
    parts = parsedate_tz(date)
    try:
        return None if parts is None else float(mktime_tz((*parts[:9], parts[9] or 0)))
    except (OverflowError, ValueError):
        return None
