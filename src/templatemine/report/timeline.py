"""Days -> periods for a drawing: days, weeks, months or years, whichever gives a readable number."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterable, Mapping, Sequence
from datetime import date, timedelta
from itertools import pairwise

Period = tuple[str, str]
"""First day, and first day of the next one, ISO 8601."""

_MAX_PERIODS = 180
"""Most periods that are distinguishable in a drawing."""


def split_periods(days: Iterable[str]) -> list[Period]:
    """Return periods without gaps from the first day to the last."""
    known = sorted(days)
    if not known:
        return []
    first, last = date.fromisoformat(known[0]), date.fromisoformat(known[-1])
    size = (last - first).days + 1
    if size <= 7 * _MAX_PERIODS:
        edges = _day_edges(first, last, 1 if size <= _MAX_PERIODS else 7)
    else:
        edges = _month_edges(first, last, 1 if size <= 30 * _MAX_PERIODS else 12)
    return [(a.isoformat(), b.isoformat()) for a, b in pairwise(edges)]


def _day_edges(first: date, last: date, step: int) -> list[date]:
    if step == 7:
        first -= timedelta(first.weekday())
    number = (last - first).days // step + 1
    return [
        first + timedelta(step * place) for place in range(number + 1) if first <= date.max - timedelta(step * place)
    ]


def _month_edges(first: date, last: date, step: int) -> list[date]:
    months = range(first.year * 12 + first.month - 1, last.year * 12 + last.month + step, step)
    if step == 12:
        months = range(first.year * 12, (last.year + 1) * 12 + 1, 12)
    return [date(month // 12, month % 12 + 1, 1) for month in months if month // 12 <= date.max.year]


def count_by_period(counts: Mapping[str, int], steps: Sequence[Period]) -> list[int]:
    """Add up counts by day for each period."""
    firsts = [first for first, _ in steps]
    out = [0] * len(steps)
    for day, count in counts.items():
        out[bisect_right(firsts, day) - 1] += count
    return out
