"""The newest documents of a source, by day: what a pack that follows its site is mined of.

A window holds the documents of the last days before the newest one (two weeks: enough for a moderately prolific source,
Foschini section 5.1), or the newest so many documents of a source that writes less.  A document that comes again takes
the place of the old one.  The day is that of its date (see `dates`); a document without one, or of
a day yet to come, is of the newest day seen before it; the first ones are of the first day there is, or of that of
their update until there is one.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from datetime import date, timedelta
from hashlib import blake2b
from itertools import chain

from templatemine.archive.partition import held
from templatemine.errors import ConfigError
from templatemine.model import Document
from templatemine.text.dates import days_of

__all__ = ["DatedDocument", "Window", "WindowConfig", "day_after"]


@dataclass(frozen=True, slots=True, kw_only=True)
class WindowConfig:
    """days : of the window.  least : documents that a window holds at least, if its source has had as many.

    docs/research/mining.md says what fewer of them cost.
    """

    days: int = 14
    least: int = 500

    def __post_init__(self) -> None:
        if self.days < 1 or self.least < 1:
            raise ConfigError(f"window: expected at least one day and one document, got {self.days} and {self.least}")


@dataclass(frozen=True, slots=True)
class DatedDocument:
    """A document, its day, and whether its id was in its file."""

    day: str
    document: Document
    own_id: bool


def day_after(day: str, number: int) -> str:
    """The day so many days later; of what is no day, itself."""
    try:
        return (date.fromisoformat(day) + timedelta(days=number)).isoformat()
    except (ValueError, OverflowError):
        return day


class Window:
    """The window of a source, which new documents come into, in however many parts.

    Parameters
    ----------
    old : iterable of DatedDocument
        The window before.
    today : str
        ISO.
    budget : int
        Bytes that mining the window may take (`partition.held`); the oldest go if it takes more, and a document that
        alone takes a sixteenth of that, for a few of them would be all of it.

    Attributes
    ----------
    replaced : int
        New documents that took the place of one with the same id and another text.
    left_out : int
        Documents that the budget had no room for.
    """

    def __init__(self, old: Iterable[DatedDocument], today: str, config: WindowConfig, budget: int) -> None:
        self._kept = {_key(one): one for one in old}
        self._before = dict(self._kept)
        self._today = today
        self._config = config
        self._budget = budget
        self.replaced = 0
        self.left_out = 0

    def add(self, new: Iterable[tuple[Document, bool]]) -> None:
        """Take documents in, in the order they came, each with whether its id was in its file."""
        came = list(new)
        days = self._days([document.date for document, _ in came])
        newest = max((one.day for one in self._kept.values()), default="")
        undated = next((day for day in days if day is not None), self._today)
        for (document, own_id), known in zip(came, days, strict=True):
            if held(document)[1] > self._budget // 16:
                self.left_out += 1
                continue
            day = known or newest or undated
            newest = max(newest, day)
            one = DatedDocument(day, document, own_id)
            there = self._kept.pop(key := _key(one), None)
            self.replaced += there is not None and _differs(there, one)
            self._kept[key] = one
        ordered = sorted(self._kept.items(), key=lambda item: item[1].day)
        first = day_after(newest, 1 - self._config.days)
        count = max(sum(item[1].day >= first for item in ordered), self._config.least)
        self._kept = dict(self._within(ordered[-count:]))

    def _days(self, dates: Sequence[str | None]) -> list[str | None]:
        """The days of new documents, of those that tell one that has come.

        What reads two ways in a day's articles may be settled by those of the window.  As long as no document of the
        source tells a day, all are of that of their update; the first ones that do tell say of which day at the latest
        those before them were.
        """
        latest = day_after(self._today, 1)
        read = days_of(chain(dates, (one.document.date for one in self._kept.values())))
        days = [None if day is None or day > latest or day_after(day, 1) == day else day for day in read]
        new, old = days[: len(dates)], days[len(dates) :]
        first = next((day for day in new if day is not None), None)
        if first is not None and not any(old):
            self._kept = {key: replace(one, day=min(one.day, first)) for key, one in self._kept.items()}
        return new

    def _within(self, ordered: Sequence[tuple[bytes, DatedDocument]]) -> list[tuple[bytes, DatedDocument]]:
        room = self._budget
        chosen: list[tuple[bytes, DatedDocument]] = []
        for item in reversed(ordered):
            room -= held(item[1].document)[1]
            if room < 0:
                self.left_out += len(ordered) - len(chosen)
                break
            chosen.append(item)
        return chosen[::-1]

    @property
    def documents(self) -> list[DatedDocument]:
        """By day, and then as they came."""
        return list(self._kept.values())

    @property
    def new(self) -> int:
        """New documents that are in the window and were not, as they are, before."""
        return sum(
            self._before.get(key) is not one and _differs(self._before.get(key), one) for key, one in self._kept.items()
        )


def _differs(old: DatedDocument | None, new: DatedDocument) -> bool:
    return old is None or old.document.body != new.document.body


def _key(one: DatedDocument) -> bytes:
    document = one.document
    what = f"i{document.id}" if one.own_id else f"b{document.url or ''}\0{document.body}"
    return blake2b(what.encode("utf-8", "surrogatepass"), digest_size=16).digest()
