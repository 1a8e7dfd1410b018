"""Dates as blogs write them -> ISO 8601.

Forms that read one way only are known here: ISO 8601 and its relatives, dates with the month by name in eleven
languages, with full stops (the day comes first), Chinese, Japanese and Korean ones.  For all others the system for
blogs asks dateparser where it is installed (extra ``blog``), to which 12/10/2009 is a date, month first.
"""

from __future__ import annotations

import re
from datetime import UTC, datetime, timedelta, timezone
from functools import lru_cache
from typing import Any

from templatemine.text.patterns import TABLE

__all__ = ["LONGEST", "is_date", "normalised", "stated"]

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
_OTHERS = (
    "januar jänner janvier enero janeiro gennaio januari января stycznia يناير",
    "februar feber février febrero fevereiro febbraio februari февраля lutego فبراير",
    "märz mrz mars marzo março maart марта marca مارس",
    "avril abril aprile апреля kwietnia أبريل ابريل إبريل",
    "mai mayo maio maggio mei maj мая maja مايو",
    "juni juin junio junho giugno июня czerwca يونيو",
    "juli juillet julio julho luglio июля lipca يوليو",
    "août agosto augustus augusti августа sierpnia أغسطس اغسطس",
    "septembre septiembre setiembre setembro settembre сентября września سبتمبر",
    "oktober octobre octubre outubro ottobre октября października أكتوبر اكتوبر",
    "novembre noviembre novembro ноября listopada نوفمبر",
    "dezember décembre diciembre dezembro dicembre december декабря grudnia ديسمبر",
)
"""Months of other languages as dates have them, whole words, January first: German, French, Spanish, Portuguese,
Italian, Dutch, Swedish, Russian, Polish, Arabic.  All these have the day before the month."""
_MONTH_OF = {word: place for rows in (_MONTHS, _OTHERS) for place, row in enumerate(rows, 1) for word in row.split()}
_OTHER = "|".join(sorted(" ".join(_OTHERS).split(), key=len, reverse=True))
_NAMED = (
    re.compile(rf"\b{_NAME}\s+{_DAY},?\s+{_YEAR}", re.IGNORECASE),
    re.compile(rf"{_DAY}[\s-]+(?:of\s+)?{_NAME},?[\s-]+{_YEAR}", re.IGNORECASE),
    re.compile(
        rf"(?<!\d)(?P<d>\d{{1,2}})(?:\.|er|º|ª)?\s?(?:\b(?:de\s)?(?P<name>{_OTHER})\b)\.?(?:\s(?:de|del))?,?\s{_YEAR}",
        re.IGNORECASE,
    ),
    re.compile(rf"(?<![\d.])(?P<d>\d{{1,2}})\.\s?(?P<m>\d{{1,2}})\.\s?{_YEAR}"),
    re.compile(r"(?<!\d)(?P<y>\d{4})\s?[年년]\s?(?P<m>\d{1,2})\s?[月월]\s?(?P<d>\d{1,2})\s?[日일]"),
    re.compile(r"(?<!\d)(?P<m>\d{1,2})\s?月\s?(?P<d>\d{1,2}),\s?(?P<y>\d{4})(?!\d)"),
)
_WEEKDAYS = frozenset(word.lower() for row in TABLE if row.name.startswith("weekday") for word in row.words)
_WORD = re.compile(r"[^\W\d_]+")
_SMALL = frozenset(
    [
        "a",
        "am",
        "at",
        "by",
        "date",
        "dated",
        "in",
        "on",
        "of",
        "p",
        "pm",
        "posted",
        "published",
        "the",
        "t",
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


def stated(text: str) -> str | None:
    """The first date in a text in a form that reads one way only."""
    if _YEARLIKE.search(text) is None or sum(map(str.isdigit, text)) < DIGITS:
        return None
    found = min((match for pattern in (_ISO, *_NAMED) if (match := pattern.search(text))), key=_place, default=None)
    return None if found is None else _written(found.groupdict())


def _place(found: re.Match[str]) -> int:
    return found.start()


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
    month = part.get("m") or _MONTH_OF.get(part["name"].lower(), 0)
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
