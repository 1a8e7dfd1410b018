"""The newest documents of a source, by day, from which a pack that follows its site is mined.

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

from templatemine.archive.partition import max_document_cost, memory_cost
from templatemine.bounds import Options
from templatemine.model import Document
from templatemine.text.dates import resolve_days


@dataclass(frozen=True, slots=True, kw_only=True)
class WindowConfig(Options):
    """days : of the window.  least : documents that a window holds at least, if its source has had as many.

    docs/research/mining.md says what fewer of them cost.
    """

    days: int = 14
    least: int = 500


@dataclass(frozen=True, slots=True)
class DatedDocument:
    """A document, its day, and whether its id was in its file."""

    day: str
    document: Document
    own_id: bool


def day_after(day: str, days: int) -> str:
    """Return the day so many days later; text that is no day comes back unchanged."""
    try:
        return (date.fromisoformat(day) + timedelta(days=days)).isoformat()
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
        Bytes that mining the window may take (`partition.memory_cost`); the oldest go if it takes more, and a
        document that alone takes more than `partition.max_document_cost`.

    Attributes
    ----------
    replaced : int
        New documents that took the place of one with the same id and another text.
    left_out : int
        Documents that the budget had no room for.
    """

    def __init__(self, old: Iterable[DatedDocument], today: str, config: WindowConfig, budget: int) -> None:
        self._documents = {_document_key(dated): dated for dated in old}
        self._old_documents = dict(self._documents)
        self._today = today
        self._config = config
        self._budget = budget
        self.replaced = 0
        self.left_out = 0

    def add(self, new: Iterable[tuple[Document, bool]]) -> None:
        """Take documents in, in the order they came, each with whether its id was in its file."""
        new_documents = list(new)
        days = self._days([document.date for document, _ in new_documents])
        newest = max((dated.day for dated in self._documents.values()), default="")
        undated = next((day for day in days if day is not None), self._today)
        for (document, own_id), own_day in zip(new_documents, days, strict=True):
            if memory_cost(document) > max_document_cost(self._budget):
                self.left_out += 1
                continue
            day = own_day or newest or undated
            newest = max(newest, day)
            dated = DatedDocument(day, document, own_id)
            old = self._documents.pop(key := _document_key(dated), None)
            self.replaced += old is not None and _is_changed(old, dated)
            self._documents[key] = dated
        by_day = sorted(self._documents.items(), key=lambda item: item[1].day)
        first = day_after(newest, 1 - self._config.days)
        count = max(sum(item[1].day >= first for item in by_day), self._config.least)
        self._documents = dict(self._fit_budget(by_day[-count:]))

    def _days(self, dates: Sequence[str | None]) -> list[str | None]:
        """Return the days of new documents, of those that tell one that has come.

        What reads two ways in a day's articles may be settled by those of the window, and what did in the window by
        those of the day.  As long as no document of the source tells a day, all are of that of their update; the first
        ones that do tell say of which day at the latest those before them were.
        """
        days = self._told_days(chain(dates, (dated.document.date for dated in self._documents.values())))
        new, old = days[: len(dates)], days[len(dates) :]
        first = next((day for day in new if day is not None), None)
        at_latest = first if not any(old) else None
        for (key, dated), own_day in zip(self._documents.items(), old, strict=True):
            day = own_day or (min(dated.day, at_latest) if at_latest else dated.day)
            if day != dated.day:
                self._documents[key] = replace(dated, day=day)
        return new

    def _told_days(self, dates: Iterable[str | None]) -> list[str | None]:
        """Return the days that dates tell; None for a day yet to come."""
        latest = day_after(self._today, 1)
        read = resolve_days(dates)
        return [None if day is None or day > latest or day_after(day, 1) == day else day for day in read]

    def _fit_budget(self, by_day: Sequence[tuple[bytes, DatedDocument]]) -> list[tuple[bytes, DatedDocument]]:
        budget_left = self._budget
        fitting: list[tuple[bytes, DatedDocument]] = []
        for item in reversed(by_day):
            budget_left -= memory_cost(item[1].document)
            if budget_left < 0:
                self.left_out += len(by_day) - len(fitting)
                break
            fitting.append(item)
        return fitting[::-1]

    @property
    def documents(self) -> list[DatedDocument]:
        """Return the documents by day, and within a day in the order in which they came."""
        return list(self._documents.values())

    @property
    def bounds(self) -> tuple[str, str]:
        """Return the first and the last day of the documents; empty ones if none of them tells a day, for then all are
        of that of their update."""
        if not any(self._told_days(dated.document.date for dated in self._documents.values())):
            return "", ""
        days = [dated.day for dated in self._documents.values()]
        return min(days), max(days)

    @property
    def new(self) -> int:
        """Count the documents of the window that are new or changed."""
        return sum(
            self._old_documents.get(key) is not dated and _is_changed(self._old_documents.get(key), dated)
            for key, dated in self._documents.items()
        )


def _is_changed(old: DatedDocument | None, new: DatedDocument) -> bool:
    return old is None or old.document.body != new.document.body


def _document_key(dated: DatedDocument) -> bytes:
    document = dated.document
    identity = f"i{document.id}" if dated.own_id else f"b{document.url or ''}\0{document.body}"
    return blake2b(identity.encode("utf-8", "surrogatepass"), digest_size=16).digest()
