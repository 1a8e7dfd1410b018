"""Dates as archives write them -> days, ISO 8601.

Read at once is what can be read one way only: year, month, day (2006-01-02, 2006/01/02, 20060102, 2006年1月2日,
2006. 1. 2., with a time behind it or not), and days with the month by name (Mon, 02 Jan 2006 15:04:05 GMT; January 2,
2006; 2 de janeiro de 2006; २ जनवरी २००६).  Digits may be of any script.
02/01/2006 is settled by its source: a date there of the same form whose first number is above 12 says that days come
first, one whose second is that months do.  If there is none, or both are, all that read two ways are unknown: nothing
is guessed.  The day is the one that is written, in whatever time zone: that of the site, as a rule; that of seconds
since 1970 is the day in UTC.
"""

from __future__ import annotations

import re
import unicodedata
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from datetime import date as calendar_date
from functools import lru_cache
from itertools import pairwise
from typing import Any

from templatemine.errors import counted
from templatemine.text.calendars import month_number
from templatemine.text.patterns import WEEKDAY_NAMES

_END = r"(?![0-9])"
_YEAR_FIRST = re.compile(
    # Of ten and of thirteen digits no day is read: see `_SINCE_1970`.  With a time there are twelve or fourteen.
    rf"([12][0-9]{{3}})[-/]?([01][0-9])[-/]?([0-3][0-9])(?:{_END}|(?=[0-9]{{4}}(?:[0-9]{{2}})?{_END}))"
)
# Seconds since 1970, or their thousandths, as databases and data frames write them into JSON: from 2001 to 2030, when
# they begin to look like an hour of the past century, 1999010203.
_SINCE_1970 = re.compile(rf"(1[0-8][0-9]{{8}})(?:[0-9]{{3}}|\.[0-9]+)?{_END}\s*\Z")
# As Chinese, Japanese and Koreans write them; with blanks or without.
_EAST = re.compile(
    r"([12][0-9]{3})\s?(?:年|년|\.)\s?([01]?[0-9])\s?(?:月|월|\.)\s?([0-3]?[0-9])(?:\s?(?:日|일|号)|(?![0-9]))"
)
# Before a comma any word is a weekday, elsewhere those that are known.
_WEEKDAY = r"(?:[^\W\d_]{2,15}[,.]{1,2}\s+)?"
_FIRST_WORD = re.compile(r"([^\s\d.,/_-]{2,20})\s+")
# Vowels of Indic scripts are marks, which are no letters to `re`.
_NAME = r"([^\s\d.,/_-]{2,15})\.?"
_DAY_FIRST = re.compile(
    rf"{_WEEKDAY}([0-9]{{1,2}})(?:st|nd|rd|th|er|\.|º)?(?:\s+de\s+|[\s-]+){_NAME},?(?:\s+de\s+|[\s-]+)([12][0-9]{{3}}){_END}",
    re.IGNORECASE,
)
_MONTH_FIRST = re.compile(
    rf"{_WEEKDAY}{_NAME}\s+([0-9]{{1,2}})(?:st|nd|rd|th)?,?\s+([12][0-9]{{3}}){_END}", re.IGNORECASE
)
_EITHER = re.compile(rf"([0-9]{{1,2}})([/.-])([0-9]{{1,2}})\2([12][0-9]{{3}}){_END}")

_AmbiguousDate = tuple[str, int, int, int]
"""A date that may read two ways: its separator, the two numbers, the year."""


def _iso_day(year: int, month: int, day: int) -> str | None:
    try:
        return calendar_date(year, month, day).isoformat()
    except ValueError:
        return None


def _to_ascii_digits(text: str) -> str:
    """Replace digits of all scripts by those of ASCII."""
    if text.isascii():
        return text
    return "".join(str(unicodedata.decimal(char, char)) for char in text)


@lru_cache(maxsize=1 << 14)
def _parse_date(text: str) -> str | _AmbiguousDate | None:
    """Return the day, or a date that only its source can settle."""
    text = _to_ascii_digits(text.lstrip())
    if (match := _FIRST_WORD.match(text)) and match[1].lower() in WEEKDAY_NAMES:
        text = text[match.end() :]
    if match := _YEAR_FIRST.match(text):
        return _iso_day(*map(int, match.groups()))
    if match := _EAST.match(text):
        return _iso_day(*map(int, match.groups()))
    if match := _EITHER.match(text):
        first, mark, second, year = match.groups()
        return mark, int(first), int(second), int(year)
    if match := _SINCE_1970.match(text):
        return datetime.fromtimestamp(int(match[1]), UTC).date().isoformat()
    for form, (day, month) in ((_DAY_FIRST, (1, 2)), (_MONTH_FIRST, (2, 1))):
        if (match := form.match(text)) and (number := month_number(match[month])):
            return _iso_day(int(match[3]), number, int(match[day]))
    return None


def _resolve(ambiguous: _AmbiguousDate, day_first: bool | None) -> str | None:
    _, first, second, year = ambiguous
    if first == second:
        return _iso_day(year, first, second)
    return None if day_first is None else _iso_day(year, *((second, first) if day_first else (first, second)))


def _is_day_first(separator: str, has_days_first: bool, has_months_first: bool) -> bool | None:
    """Return whether days come first in dates of a source, by its unambiguous ones; None if that is not known.  Nobody
    writes the month first before a full stop."""
    if has_days_first == has_months_first:
        return True if separator == "." and not has_days_first else None
    return has_days_first


class Calendar:
    """The days of the dates of one source, in whatever order they come; memory grows with its days.

    Examples
    --------
    >>> calendar = Calendar(["03/04/2017", "Mon, 02 Jan 2017 10:00:00 +0100"])
    >>> calendar.days()
    ['2017-01-02']
    >>> calendar.add("31/03/2017")
    >>> calendar.days()
    ['2017-01-02', '2017-03-31', '2017-04-03']
    """

    def __init__(self, dates: Iterable[str | None] = ()) -> None:
        self._days: Counter[str] = Counter()
        self._ambiguous: Counter[_AmbiguousDate] = Counter()
        for date in dates:
            self.add(date)

    def add(self, date: str | None) -> None:
        parsed = _parse_date(date) if date else None
        if isinstance(parsed, str):
            self._days[parsed] += 1
        elif parsed is not None:
            self._ambiguous[parsed] += 1

    def day_first(self, separator: str) -> bool | None:
        """Return whether days come first in dates with `separator`; None if that is not known."""
        pairs = [(first, second) for mark, first, second, _ in self._ambiguous if mark == separator]
        return _is_day_first(separator, any(first > 12 for first, _ in pairs), any(second > 12 for _, second in pairs))

    def days(self) -> list[str]:
        """Return the days that are known, ascending, each once."""
        return sorted(self.counts())

    def counts(self) -> Counter[str]:
        """Count the dates of each day that is known."""
        order = {mark: self.day_first(mark) for mark in {ambiguous[0] for ambiguous in self._ambiguous}}
        counts = Counter(self._days)
        for ambiguous, number in self._ambiguous.items():
            day = _resolve(ambiguous, order[ambiguous[0]])
            if day is not None:
                counts[day] += number
        return counts


_MAX_STRAY_SHARE = 0.01
"""Documents at either end that may be misdated: one in a hundred, but one of five or more."""
_MIN_STRAY_DAYS = 365
"""And so many days at least must lie between them and the others."""


def covered_days(counts: Mapping[str, int]) -> tuple[str, str] | tuple[()]:
    """Return the first and the last day of an archive, by the number of its documents of each day; none without days.

    A few documents of a mistaken date (a typing error in the year, 1970 for no date) must not date all of them.  So a
    hundredth of the documents at either end (at least one, of five or more) counts only if it lies near the others:
    nearer than a year, or than twice the longest time without a document among them.

    >>> covered_days({"2024-01-01": 20, "2024-01-02": 19, "2034-01-02": 1})
    ('2024-01-01', '2024-01-02')
    >>> covered_days({"2024-01-01": 1, "2034-01-02": 1})
    ('2024-01-01', '2034-01-02')
    """
    days = sorted(counts)
    if not days:
        return ()
    documents = sum(counts.values())
    strays = max(1, int(documents * _MAX_STRAY_SHARE)) if documents >= 5 else 0
    ordinals = [calendar_date.fromisoformat(day).toordinal() for day in days]
    first, last = _skip_documents(days, counts, strays), len(days) - 1 - _skip_documents(days[::-1], counts, strays)
    longest = max((later - earlier for earlier, later in pairwise(ordinals[first : last + 1])), default=0)
    limit = max(_MIN_STRAY_DAYS, 2 * longest)
    while first > 0 and ordinals[first] - ordinals[first - 1] <= limit:
        first -= 1
    while last < len(days) - 1 and ordinals[last + 1] - ordinals[last] <= limit:
        last += 1
    return days[first], days[last]


def _skip_documents(days: Sequence[str], counts: Mapping[str, int], documents: int) -> int:
    """Count the days, from the first on, that hold no more than so many documents."""
    number = 0
    while number < len(days) and (documents := documents - counts[days[number]]) >= 0:
        number += 1
    return number


def resolve_days(dates: Iterable[str | None]) -> list[str | None]:
    """Return the day of each date of one source."""
    all_dates = list(dates)
    calendar = Calendar(all_dates)
    order = {mark: calendar.day_first(mark) for mark in "/.-"}

    def day(date: str | None) -> str | None:
        parsed = _parse_date(date) if date else None
        return _resolve(parsed, order[parsed[0]]) if isinstance(parsed, tuple) else parsed

    return [day(date) for date in all_dates]


def resolve_day(date: str | None) -> str | None:
    """Return the day of a date alone, ``2024-05-31``; None for one that reads two ways."""
    return resolve_days([date])[0]


def day_or_text(date: str | None) -> str:
    """Return the day of a date alone; of one whose day and month its source tells, a short text for `settle_texts`;
    "" of any other."""
    parsed = _parse_date(date) if date else None
    if isinstance(parsed, tuple):
        mark, *numbers = parsed
        return mark.join(map(str, numbers))
    return parsed or ""


def settle_texts(texts: Iterable[str]) -> dict[str, str]:
    """Return the day of each text that `day_or_text` gave of dates of one source; "" where it stays unknown.

    >>> settle_texts(["3/4/2017", "31/3/2017", "2017-01-02", ""])
    {'3/4/2017': '2017-04-03', '31/3/2017': '2017-03-31', '2017-01-02': '2017-01-02', '': ''}
    """
    each = list(texts)
    return {text: day or "" for text, day in zip(each, resolve_days(each), strict=True)}


_MAX_SHOWN = 40
"""Characters of a date in a message."""
_MAX_NAMED = 3
"""Sources in a message."""


@dataclass(slots=True)
class _DateOrder:
    """The ambiguous dates of a source with one separator: how many documents have those that days come first in, those
    that months do, and those that read both ways; which of the first two there are, in other documents as well."""

    separator: str
    days_first: int = 0
    months_first: int = 0
    either: int = 0
    has_days_first: bool = False
    has_months_first: bool = False
    example: str = ""

    @property
    def unreadable(self) -> int:
        """Count the dates that nothing settles, see `Calendar.day_first`."""
        if _is_day_first(self.separator, self.has_days_first, self.has_months_first) is not None:
            return 0
        return self.days_first + self.months_first + self.either


@dataclass(slots=True)
class UnreadableDates:
    """Counts the dates that give no day, as `resolve_days` reads them; documents without a date do not count.

    Memory grows with the sources that have such dates, or dates of which day and month can be confused.

    Attributes
    ----------
    wrong : dict of str to int
        By source, texts that are no date.
    orders : dict of str to dict of str to _DateOrder
        By source and separator, the evidence on dates that nothing settles.
    example : str
        The first of them, and its place.
    """

    wrong: dict[str, int] = field(default_factory=dict)
    orders: dict[str, dict[str, _DateOrder]] = field(default_factory=dict)
    example: str = ""

    @classmethod
    def from_dict(cls, fields: Mapping[str, Any]) -> UnreadableDates:
        """Restore the record from its `dataclasses.asdict`."""
        orders = {
            source: {separator: _DateOrder(**order) for separator, order in of_source.items()}
            for source, of_source in fields.get("orders", {}).items()
        }
        return cls(**{**fields, "orders": orders})

    def add(self, source: str, written: object, date: str | None, where: str) -> None:
        """Count the date of a document.

        Parameters
        ----------
        written : object
            What its field holds.
        date : str or None
            The same as a string; None if it can be none.
        where : str
            Place of the document.
        """
        parsed = _parse_date(date) if date else None
        if isinstance(parsed, str):
            return
        missing = written is None or written != written or (isinstance(written, str) and not written.strip())
        if parsed is None and not missing:
            self._add_wrong(source, written, where)
        elif parsed is not None:
            order, (_, first, second, year) = self._add_order(source, parsed), parsed
            if first <= 12 and second <= 12:
                order.either += first != second
            elif (first > 12 and second > 12) or _iso_day(year, min(first, second), max(first, second)) is None:
                self._add_wrong(source, written, where)
                return
            else:
                order.days_first += first > 12
                order.months_first += second > 12
            order.example = order.example or f"{date!r} ({where})"

    def settle(self, source: str, date: str | None) -> None:
        """Use the evidence of the date of an earlier document, without counting it."""
        parsed = _parse_date(date) if date else None
        if isinstance(parsed, tuple):
            self._add_order(source, parsed)

    def _add_wrong(self, source: str, written: object, where: str) -> None:
        self.wrong[source] = self.wrong.get(source, 0) + 1
        if not self.example:
            shown = repr(written)
            shown = shown if len(shown) <= _MAX_SHOWN else f"{shown[: _MAX_SHOWN - 1]}…"
            self.example = f"{shown} ({where})"

    def _add_order(self, source: str, ambiguous: _AmbiguousDate) -> _DateOrder:
        separator, first, second, _ = ambiguous
        order = self.orders.setdefault(source, {}).setdefault(separator, _DateOrder(separator))
        order.has_days_first |= first > 12
        order.has_months_first |= second > 12
        return order

    def of_source(self, source: str) -> int:
        """Count the unreadable dates of a source."""
        return self.wrong.get(source, 0) + sum(order.unreadable for order in self.orders.get(source, {}).values())

    def total(self) -> int:
        """Count the unreadable dates of all sources."""
        return sum(map(self.of_source, self.wrong.keys() | self.orders.keys()))

    def describe(self) -> str:
        """Describe the unreadable dates in one line, with the first of them, and of those that read two ways the
        sources, and what helps; empty if there is none."""
        wrong = sum(self.wrong.values())
        sources = {
            source: [order for order in of_source.values() if order.unreadable]
            for source, of_source in self.orders.items()
        }
        sources = {source: orders for source, orders in sources.items() if orders}
        unsettled = [order for orders in sources.values() for order in orders]
        parts = [f"{counted(wrong, 'date')} could not be read, first: {self.example}"] if wrong else []
        if unsettled:
            number = counted(sum(order.unreadable for order in unsettled), "date")
            first = unsettled[0]
            both = first.has_days_first and first.has_months_first
            why = "some begin with the day, some with the month" if both else "day and month may be either"
            named = ", ".join(map(repr, [*sources][:_MAX_NAMED]))
            more = f" and {len(sources) - _MAX_NAMED:,} more" if len(sources) > _MAX_NAMED else ""
            remedy = "write them as 2024-05-31" + ("" if both else ", or add one with a day above 12")
            parts.append(f"{number} of {named}{more} could not be read, as {why}, first: {first.example}; {remedy}")
        return "; ".join(parts)
