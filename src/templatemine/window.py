"""The newest documents of a source, by day: what a pack that follows its site is mined of.

A window holds the documents of the last days before the newest one (two weeks: enough for a moderately prolific source,
Foschini section 5.1), or the newest so many documents of a source that writes less.  A document that comes again takes
the place of the old one.  The day is that of its date (see `dates`); a document without one, or of
a day yet to come, is of the newest day seen before it; the first ones are of the first day there is, or of today.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import date, timedelta
from hashlib import blake2b
from itertools import chain

from templatemine.dates import days_of
from templatemine.errors import ConfigError
from templatemine.model import Document
from templatemine.partition import held

__all__ = ["Dated", "WindowConfig", "day_after", "merge"]


@dataclass(frozen=True, slots=True, kw_only=True)
class WindowConfig:
    """days : of the window.  least : documents that a window holds at least, if its source has had as many.

    docs/scale.md says what fewer of them cost.
    """

    days: int = 14
    least: int = 500

    def __post_init__(self) -> None:
        if self.days < 1 or self.least < 1:
            raise ConfigError(f"window: expected at least one day and one document, got {self.days} and {self.least}")


@dataclass(frozen=True, slots=True)
class Dated:
    """A document, its day, and whether its id stood in its file."""

    day: str
    document: Document
    own_id: bool


def day_after(day: str, number: int) -> str:
    """The day so many days later; of what is no day, itself."""
    try:
        return (date.fromisoformat(day) + timedelta(days=number)).isoformat()
    except (ValueError, OverflowError):
        return day


def merge(
    old: Iterable[Dated], new: Iterable[tuple[Document, bool]], today: str, config: WindowConfig, budget: int
) -> tuple[list[Dated], int]:
    """A window after new documents have come, by day and then as they came.

    Parameters
    ----------
    old : iterable of Dated
        The window before.
    new : iterable of (Document, bool)
        In the order they came; whether the id stood in the file.
    budget : int
        Bytes that mining the window may take (`partition.held`); the oldest go if it takes more.

    Returns
    -------
    window : list of Dated
    number : int
        New documents that are in the window and were not, as they are, before.
    """
    kept: dict[bytes, Dated] = {}
    newest = ""
    for one in old:
        kept[_key(one)] = one
        newest = max(newest, one.day)
    before = dict(kept)
    latest = day_after(today, 1)
    came = list(new)
    # What reads two ways in a day's articles may be settled by those of the window.
    read = days_of(chain((document.date for document, _ in came), (one.document.date for one in kept.values())))
    days = [None if day is None or day > latest or day_after(day, 1) == day else day for day in read[: len(came)]]
    undated = next((day for day in days if day is not None), today)
    for (document, own_id), known in zip(came, days, strict=True):
        day = known or newest or undated
        newest = max(newest, day)
        one = Dated(day, document, own_id)
        kept.pop(key := _key(one), None)
        kept[key] = one
    ordered = sorted(kept.items(), key=lambda item: item[1].day)
    first = day_after(newest, 1 - config.days)
    count = max(sum(item[1].day >= first for item in ordered), config.least)
    ordered = _within(ordered[-count:], budget)
    fresh = sum(before.get(key) is not one and _differs(before.get(key), one) for key, one in ordered)
    return [one for _, one in ordered], fresh


def _within(ordered: Sequence[tuple[bytes, Dated]], budget: int) -> list[tuple[bytes, Dated]]:
    chosen: list[tuple[bytes, Dated]] = []
    for item in reversed(ordered):
        budget -= held(item[1].document)[1]
        if budget < 0:
            break
        chosen.append(item)
    return chosen[::-1]


def _differs(old: Dated | None, new: Dated) -> bool:
    return old is None or old.document.body != new.document.body


def _key(one: Dated) -> bytes:
    document = one.document
    what = f"i{document.id}" if one.own_id else f"b{document.url or ''}\0{document.body}"
    return blake2b(what.encode("utf-8", "surrogatepass"), digest_size=16).digest()
