"""Dates as blogs write them -> ISO 8601.

Forms that read one way only are known here: ISO 8601 and its relatives, dates with the month by name in the languages
of `text.dates`, with full stops (the day comes first), Chinese, Japanese and Korean ones.  `stated` also reads numbers
that could mean two days, as far as their page says which comes first (`date_order`), and tells what is dated: the
publication of a page or a change.  For all others the system for blogs asks dateparser where it is installed (extra
``blog``), to which 12/10/2009 is a date, month first.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from datetime import UTC, datetime, timedelta, timezone
from functools import lru_cache
from typing import Any

from templatemine.text.dates import MONTH_NUMBERS
from templatemine.text.patterns import TABLE

__all__ = ["EITHER", "LONGEST", "Order", "is_date", "is_labelled", "normalised", "stated"]

Order = Callable[[str], bool | None]
"""What parts the numbers of a date -> whether the day comes first, None if that is not known."""

LONGEST = 80
"""Characters of a text that may be a date, with what stands beside it (author, number of comments)."""

_ISO = re.compile(
    r"(?<!\d)(?P<y>\d{4})[-/.](?P<m>\d{1,2})[-/.](?P<d>\d{1,2})"
    r"(?:[T ](?P<h>\d{1,2}):(?P<min>\d\d)(?::(?P<s>\d\d)(?:\.\d{1,9})?)?\s?(?P<zone>Z|[+-]\d\d:?\d\d)?)?(?!\d)",
)
_BASIC = re.compile(r"(?P<y>(?:19|20)\d\d)(?P<m>\d\d)(?P<d>\d\d)")
"""ISO 8601 without signs, where a text is nothing else."""
_MONTHS = ["jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec"]
_NAME = r"(?P<name>jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec)[a-z]{0,6}\.?"
_DAY = r"(?<!\d)(?P<d>\d{1,2})(?:st|nd|rd|th)?"
_YEAR = r"(?P<y>\d{4})(?!\d)"
_YEARLIKE = re.compile(r"\d{4}")
DIGITS = 5
"""All forms have a year of four digits, and a day."""
_SPELT = {"ابريل": 4, "إبريل": 4, "اغسطس": 8, "اكتوبر": 10, "listopada": 11}
"""Arabic months with a bare or another alif; and what is a month of Poles, and another one of Croats."""
_MONTH_OF = {**MONTH_NUMBERS, **_SPELT, **{word: place for place, word in enumerate(_MONTHS, 1)}}
_OTHER = r"[^\s\d.,;:/_()-]{2,15}"
"""May be a month: the table says whether it is."""
_NAMED = (
    re.compile(rf"\b{_NAME}\s+{_DAY},?\s+{_YEAR}", re.IGNORECASE),
    re.compile(rf"{_DAY}[\s-]+(?:of\s+)?{_NAME},?[\s-]+{_YEAR}", re.IGNORECASE),
    re.compile(
        rf"(?<!\d)(?P<d>\d{{1,2}})(?:\.|er|º|ª)?\s?(?:de\s)?(?<!\w)(?P<name>{_OTHER})\.?(?:\s(?:de|del))?,?\s{_YEAR}",
        re.IGNORECASE,
    ),
    re.compile(rf"(?<![\d.])(?P<d>\d{{1,2}})\.\s?(?P<m>\d{{1,2}})\.\s?{_YEAR}"),
    re.compile(r"(?<!\d)(?P<y>\d{4})\s?[年년]\s?(?P<m>\d{1,2})\s?[月월]\s?(?P<d>\d{1,2})\s?[日일]"),
    re.compile(r"(?<!\d)(?P<m>\d{1,2})\s?月\s?(?P<d>\d{1,2}),\s?(?P<y>\d{4})(?!\d)"),
)
EITHER = re.compile(
    r"(?<![\w./-])(?P<a>[0-9]{1,2})(?P<mark>[/.-])(?P<b>[0-9]{1,2})(?P=mark)(?P<y>[0-9]{4}|[0-9]{2})(?![0-9]|[./-][0-9])"
)
"""Day and month, or month and day, as numbers before the year."""
SHORT = 70
"""Years of two digits below it are of this century."""
_CHANGES = (
    r"updated?|modified|revised|edited|last\s+(?:change|review)\w*|aktuali\w+|geändert|änderung|stand(?=\W)|mise?\s+à\s+jour"
    r"|modifié\w*|actuali\w+|modificad[oa]|modificación|atuali\w+|aggiornat[oa]|aggiornamento|modifica|bijgewerkt"
    r"|gewijzigd|uppdatera[dt]|oppdatert|opdatere[td]|zaktualizowan[oya]|aktualizacja|обновлен\w*|изменен\w*|оновлен\w*"
    r"|güncelle\w+|更新|修订|갱신|수정|تحديث"
)
_DEEDS = (
    r"publi\w+|posted|created|submitted|issued|written\s+on|veröffentlich\w+|erschienen|erstellt|paru|pubblica\w+"
    r"|gepubliceerd|geplaatst|opublikowan[oya]|dodano|опубликован\w*|опубліковано|yayım?\w*|yayın\w*|公開|投稿|掲載|発表|发布"
    r"|發布|등록|입력|نشر"
)
_LABEL = re.compile(rf"(?<![^\W_])(?:(?P<change>{_CHANGES})|{_DEEDS})", re.IGNORECASE)
"""What a date is told to be of: a change, or the publication."""
_WEEKDAYS = frozenset(word.lower() for row in TABLE if row.name.startswith("weekday") for word in row.words)
_WORD = re.compile(r"[^\W\d_]+")
_SMALL = frozenset(
    [
        "a",
        "am",
        "at",
        "bst",
        "cest",
        "cet",
        "cst",
        "cdt",
        "by",
        "date",
        "dated",
        "edt",
        "est",
        "et",
        "gmt",
        "in",
        "on",
        "of",
        "p",
        "pdt",
        "pm",
        "pst",
        "posted",
        "published",
        "the",
        "t",
        "uhr",
        "utc",
        "z",
        "年",
        "月",
        "日",
        "投稿日",
        "公開日",
    ]
)


def normalised(text: str, *, whole: bool = False, ask: bool = False) -> str | None:
    """The date in a text of up to `LONGEST` characters, as YYYY-MM-DD, with the time if it comes with one in ISO 8601.

    `whole` asks for a text that is nothing but a date, with a weekday, a time or a preposition perhaps; `ask` for
    dateparser's opinion on forms that are not known here.
    """
    text = " ".join(text.split())
    if not text or len(text) > LONGEST or not any(map(str.isdigit, text)):
        return None
    return _known(text, whole, ask)


def is_date(text: str) -> bool:
    """The text is a date and nothing else."""
    return normalised(text, whole=True) is not None


def is_labelled(text: str) -> bool:
    """The text says of what a date in it would be: "posted on", "last updated"."""
    return _LABEL.search(text) is not None


def _has_numbers(text: str) -> bool:
    """The text has the numbers of a date."""
    whole = _YEARLIKE.search(text) is not None and sum(map(str.isdigit, text)) >= DIGITS
    return whole or EITHER.search(text) is not None


def stated(text: str, order: Order | None = None, short: bool = False) -> list[tuple[str, bool]]:
    """The dates in a text, in its order, and of each whether it is that of a change ("updated on ...").

    Parameters
    ----------
    order : callable, optional
        What the page says of numbers that could mean two days; without it the day comes first before full stops, and
        all others that could are left out.
    short : bool, default False
        Years may have two digits, as the text is known to be a date.  They may as well where nothing else is said, or
        what the date is of.
    """
    if not _has_numbers(text):
        return []
    found = sorted(
        (match.start(), rank, match.end(), date)
        for rank, pattern in enumerate((_ISO, *_NAMED[:3], EITHER, *_NAMED[3:]))
        for match in pattern.finditer(text)
        if (date := _ordered(match, order, short) if pattern is EITHER else _written(match.groupdict())) is not None
    )
    last, dates = 0, list[tuple[str, str, str]]()
    for start, _, end, date in found:
        if start >= last:
            if dates:
                dates[-1] = (*dates[-1][:2], text[last:start])
            dates.append((text[last:start], date, text[end:]))
            last = end
    return [(date, _of_change(before, behind)) for before, date, behind in dates]


def _of_change(before: str, behind: str) -> bool:
    """Whether a date is that of a change, by what stands before it, else behind."""
    labels = list(_LABEL.finditer(before)) or list(_LABEL.finditer(behind))[:1]
    return bool(labels) and labels[-1]["change"] is not None


def _ordered(match: re.Match[str], order: Order | None, short: bool) -> str | None:
    """The day of three numbers with the year last, None if it could be two days, or the year may be none."""
    first, second, year = int(match["a"]), int(match["b"]), int(match["y"])
    if len(match["y"]) == 2:
        text = match.string
        if not (short or _LABEL.search(text) or _spare(text[: match.start()] + " " + text[match.end() :])):
            return None
        year += 2000 if year < SHORT else 1900
    day_first = True if first == second or first > 12 else False if second > 12 else None
    if day_first is None:
        day_first = None if order is None else order(match["mark"])
        if day_first is None and match["mark"] == "." and (order is None or len(match["y"]) == 4):
            day_first = True
    if day_first is None:
        return None
    day, month = (first, second) if day_first else (second, first)
    return _written({"y": year, "m": month, "d": day})


@lru_cache(maxsize=4096)
def _known(text: str, whole: bool, ask: bool) -> str | None:
    if (basic := _BASIC.fullmatch(text)) is not None:
        return _written(basic.groupdict())
    for pattern in (_ISO, *_NAMED):
        if (found := pattern.search(text)) is not None:
            if whole and not _spare(text[: found.start()] + " " + text[found.end() :]):
                return None
            return _written(found.groupdict())
    return _asked(text) if ask and not whole else None


def _spare(rest: str) -> bool:
    """What stands beside a date says nothing else."""
    words = [word.lower() for word in _WORD.findall(rest)]
    return len(words) <= 4 and all(word in _SMALL or word in _WEEKDAYS for word in words)


def _written(part: dict[str, Any]) -> str | None:
    # Expressions that ignore case take a long s or a dotless i for these letters; no month is called so.
    month = part["m"] if part.get("m") is not None else _MONTH_OF.get(part["name"].lower(), 0)
    try:
        day = datetime(int(part["y"]), int(month), int(part["d"]))
        if not part.get("h"):
            return day.date().isoformat()
        at = day.replace(hour=int(part["h"]), minute=int(part["min"]), second=int(part["s"] or 0))
        return at.replace(tzinfo=_zone(part["zone"])).isoformat()
    except ValueError:
        return None


def _zone(text: str | None) -> timezone | None:
    if not text or text == "Z":
        return UTC if text else None
    sign = -1 if text[0] == "-" else 1
    return timezone(sign * timedelta(hours=int(text[1:3]), minutes=int(text[-2:])))


def _asked(text: str) -> str | None:
    try:
        from dateparser.date import DateDataParser
    except ImportError:
        return None
    found = _parser(DateDataParser).get_date_data(text)
    whole = found is not None and found.date_obj is not None and found.period == "day"
    return found.date_obj.date().isoformat() if whole else None


@lru_cache(maxsize=1)
def _parser(kind: Any) -> Any:
    """One parser, for making it is dear.  A date must be whole: no "last week", no "May 2009"."""
    return kind(settings={"REQUIRE_PARTS": ["day", "month", "year"], "PARSERS": ["absolute-time"]})
