"""Dates as blogs write them -> ISO 8601.

Forms that read one way only are known here: ISO 8601 and its relatives, dates with the month by name in the languages
of `text.calendars`, with full stops (the day comes first), Chinese, Japanese and Korean ones.  `find_dates` also reads
numbers that could mean two days, as far as their page says which comes first (`date_order`), and tells the dated event:
the publication of a page or a change.  For all others the system for blogs asks dateparser where it is installed (extra
``blog``), to which 12/10/2009 is a date, month first.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from datetime import UTC, date, datetime, timedelta, timezone
from functools import lru_cache
from typing import Any

from templatemine.text.calendars import month_number
from templatemine.text.patterns import WEEKDAY_NAMES

Order = Callable[[str], bool | None]
"""Separator of the numbers of a date -> whether the day comes first, None if that is not known."""

MAX_DATE_LENGTH = 80
"""Characters of a text that may be a date, with the text beside it (author, number of comments)."""

_ISO_DATE = re.compile(
    r"(?<!\d)(?P<y>\d{4})[-/.](?P<m>\d{1,2})[-/.](?P<d>\d{1,2})"
    r"(?:[T ](?P<h>\d{1,2}):(?P<min>\d\d)(?::(?P<s>\d\d)(?:\.\d{1,9})?)?\s?(?P<zone>Z|[+-]\d\d:?\d\d)?)?(?!\d)",
)
_BASIC = re.compile(r"(?P<y>(?:19|20)\d\d)(?P<m>\d\d)(?P<d>\d\d)")
"""ISO 8601 without signs, where a text is nothing else."""
_NAME = r"(?P<name>jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec)[a-z]{0,6}\.?"
_DAY = r"(?<!\d)(?P<d>\d{1,2})(?:st|nd|rd|th)?"
_YEAR = r"(?P<y>\d{4})(?!\d)"
_LONG_NUMBERS = re.compile(r"(?=.*\d{4})(?:\D*\d){5}", re.DOTALL)
"""All forms but the one of short years have a year of four digits, and a day."""
_ELEVENTH = "listopada"
"""November in Polish, October in Croatian; there are more Polish pages."""
_MONTH_WORD = r"[^\s\d.,;:/_()-]{2,15}"
"""May be a month: the table says whether it is."""
_NAMED = (
    re.compile(rf"\b{_NAME}\s+{_DAY},?\s+{_YEAR}", re.IGNORECASE),
    re.compile(rf"{_DAY}[\s-]+(?:of\s+)?{_NAME},?[\s-]+{_YEAR}", re.IGNORECASE),
    re.compile(
        rf"(?<!\d)(?P<d>\d{{1,2}})(?:\.|er|º|ª)?\s?(?:de\s)?(?<!\w)(?P<name>{_MONTH_WORD})\.?(?:\s(?:de|del))?,?\s{_YEAR}",
        re.IGNORECASE,
    ),
    re.compile(rf"(?<![\d.])(?P<d>\d{{1,2}})\.\s?(?P<m>\d{{1,2}})\.\s?{_YEAR}"),
    re.compile(r"(?<!\d)(?P<y>\d{4})\s?[年년]\s?(?P<m>\d{1,2})\s?[月월]\s?(?P<d>\d{1,2})\s?[日일]"),
    re.compile(r"(?<!\d)(?P<m>\d{1,2})\s?月\s?(?P<d>\d{1,2}),\s?(?P<y>\d{4})(?!\d)"),
)
AMBIGUOUS_DATE = re.compile(
    r"(?<![\w./-])(?P<a>[0-9]{1,2})(?P<mark>[/.-])(?P<b>[0-9]{1,2})(?P=mark)(?P<y>[0-9]{4}|[0-9]{2})(?![0-9]|[./-][0-9])"
)
"""Day and month, or month and day, as numbers before the year."""
CENTURY_PIVOT = 70
"""Years of two digits below it are of this century."""
_FORMS = tuple(
    (pattern, frozenset(marks))
    for pattern, marks in zip(
        (_ISO_DATE, *_NAMED[:3], AMBIGUOUS_DATE, *_NAMED[3:]),
        ("-/.", "", "", "", "-/.", ".", "年년", "月"),
        strict=True,
    )
)
"""Expressions of dates, the surest first where several match, and characters of which every match has one; of those
without any every match has a `_LATE_YEAR`."""
_LATE_YEAR = re.compile(r"[\s-]\d{4}(?!\d)")
_CHANGE_WORDS = (
    r"updated?|modified|revised|edited|last\s+(?:change|review)\w*|aktuali\w+|geändert|änderung|stand(?=\W)|mise?\s+à\s+jour"
    r"|modifié\w*|actuali\w+|modificad[oa]|modificación|atuali\w+|aggiornat[oa]|aggiornamento|modifica|bijgewerkt"
    r"|gewijzigd|uppdatera[dt]|oppdatert|opdatere[td]|zaktualizowan[oya]|aktualizacja|обновлен\w*|изменен\w*|оновлен\w*"
    r"|güncelle\w+|更新|修订|갱신|수정|تحديث"
)
_PUBLICATION_WORDS = (
    r"publi\w+|posted|created|submitted|issued|written\s+on|veröffentlich\w+|erschienen|erstellt|paru|pubblica\w+"
    r"|gepubliceerd|geplaatst|opublikowan[oya]|dodano|опубликован\w*|опубліковано|yayım?\w*|yayın\w*|公開|投稿|掲載|発表|发布"
    r"|發布|등록|입력|نشر"
)
_INITIALS = "".join(sorted({word[0] for word in f"{_CHANGE_WORDS}|{_PUBLICATION_WORDS}".split("|")}))
_DATE_LABEL = re.compile(
    rf"(?<![^\W_])(?=[{_INITIALS}])(?:(?P<change>{_CHANGE_WORDS})|{_PUBLICATION_WORDS})", re.IGNORECASE
)
"""Label of a date: a change, or the publication.  Few words begin as these do."""
_WORD = re.compile(r"[^\W\d_]+")
_FILLER_WORDS = frozenset(
    (
        "a am at bst cest cet cst cdt by date dated edt est et gmt in on of p pdt pm pst posted published the t uhr "
        "utc z 年 月 日 投稿日 公開日"
    ).split()
)


def normalise_date(text: str, *, whole: bool = False, use_dateparser: bool = False) -> str | None:
    """Return the date in a text of up to `MAX_DATE_LENGTH` characters, as YYYY-MM-DD, with the time if it is in ISO
    8601.

    `whole` asks for a text that is nothing but a date, with a weekday, a time or a preposition perhaps;
    `use_dateparser` asks dateparser for forms that are not known here.
    """
    text = " ".join(text.split())
    if not text or len(text) > MAX_DATE_LENGTH or not any(map(str.isdigit, text)):
        return None
    return _parse_date(text, whole, use_dateparser)


def is_date(text: str) -> bool:
    """Return whether a text is a date and nothing else."""
    return normalise_date(text, whole=True) is not None


def is_labelled(text: str) -> bool:
    """Return whether a text says which event a date in it is of: "posted on", "last updated"."""
    return _DATE_LABEL.search(text) is not None


def ends_in_change(text: str) -> bool:
    """Return whether the last label in a text is that of a change, and hardly anything follows it."""
    labels = list(_DATE_LABEL.finditer(text))
    return bool(labels) and labels[-1]["change"] is not None and _has_only_fillers(text[labels[-1].end() :])


def _has_numbers(text: str) -> bool:
    """Return whether a text has the numbers of a date."""
    return _LONG_NUMBERS.match(text) is not None or AMBIGUOUS_DATE.search(text) is not None


def find_dates(text: str, order: Order | None = None, short: bool = False) -> list[tuple[str, bool]]:
    """Return the dates in a text, in its order, and of each whether it is that of a change ("updated on ...").

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
    matches: list[tuple[int, int, int, str]] = []
    has_late_year, characters = _LATE_YEAR.search(text) is not None, set(text)
    for rank, (pattern, marks) in enumerate(_FORMS):
        if marks.isdisjoint(characters) if marks else not has_late_year:
            continue
        for match in pattern.finditer(text):
            ordered = _order_date(match, order, short) if pattern is AMBIGUOUS_DATE else _format_date(match.groupdict())
            if ordered is not None:
                matches.append((match.start(), rank, match.end(), ordered))
    position = 0
    dates: list[tuple[str, str, str]] = []
    for start, _, end, day in sorted(matches):
        if start >= position:
            if dates:
                dates[-1] = (*dates[-1][:2], text[position:start])
            dates.append((text[position:start], day, text[end:]))
            position = end
    # Text between two dates is about the second one, but for a label in brackets.
    last = len(dates) - 1
    return [
        (
            day,
            _is_of_change(
                "" if place and _ends_label(before) else before, after if place == last or _ends_label(after) else ""
            ),
        )
        for place, (before, day, after) in enumerate(dates)
    ]


def _ends_label(text: str) -> bool:
    """Return whether the text between two dates is a label of the first one: it ends in a bracket or at a comma."""
    labels = list(_DATE_LABEL.finditer(text))
    return bool(labels) and text[labels[-1].end() :].lstrip()[:1] in (")", "]", ",", ";")


def _is_of_change(before: str, after: str) -> bool:
    """Return whether a date is that of a change, by the text before it, else behind."""
    labels = list(_DATE_LABEL.finditer(before))
    label = labels[-1] if labels else _DATE_LABEL.search(after)
    return label is not None and label["change"] is not None


def _order_date(match: re.Match[str], order: Order | None, short: bool) -> str | None:
    """Return the day of three numbers with the year last, None if it could be two days, or the year may be none."""
    first, second, year = int(match["a"]), int(match["b"]), int(match["y"])
    if len(match["y"]) == 2:
        text = match.string
        if not (
            short or _DATE_LABEL.search(text) or _has_only_fillers(text[: match.start()] + " " + text[match.end() :])
        ):
            return None
        year += 2000 if year < CENTURY_PIVOT else 1900
    day_first = True if first == second or first > 12 else False if second > 12 else None
    if day_first is None:
        day_first = None if order is None else order(match["mark"])
        if day_first is None and match["mark"] == "." and (order is None or len(match["y"]) == 4):
            day_first = True
    if day_first is None:
        return None
    day, month = (first, second) if day_first else (second, first)
    return _format_date({"y": year, "m": month, "d": day})


@lru_cache(maxsize=4096)
def _parse_date(text: str, whole: bool, use_dateparser: bool) -> str | None:
    if (basic := _BASIC.fullmatch(text)) is not None:
        return _format_date(basic.groupdict())
    for pattern in (_ISO_DATE, *_NAMED):
        if (match := pattern.search(text)) is not None:
            if whole and not _has_only_fillers(text[: match.start()] + " " + text[match.end() :]):
                return None
            return _format_date(match.groupdict())
    return _ask_dateparser(text) if use_dateparser and not whole else None


def _has_only_fillers(text: str) -> bool:
    """Return whether the text beside a date says nothing else."""
    words = [word.lower() for word in _WORD.findall(text)]
    return len(words) <= 4 and all(word in _FILLER_WORDS or word in WEEKDAY_NAMES for word in words)


def _format_date(parts: dict[str, Any]) -> str | None:
    month = parts["m"] if parts.get("m") is not None else _read_month(parts["name"])
    try:
        day = int(parts["y"]), int(month), int(parts["d"])
        if not parts.get("h"):
            return date(*day).isoformat()
        clock = int(parts["h"]), int(parts["min"]), int(parts["s"] or 0)
        return datetime(*day, *clock, tzinfo=_parse_zone(parts["zone"])).isoformat()
    except ValueError:
        return None


def _read_month(name: str) -> int:
    return 11 if name.lower() == _ELEVENTH else month_number(name)


def _parse_zone(text: str | None) -> timezone | None:
    if not text or text == "Z":
        return UTC if text else None
    sign = -1 if text[0] == "-" else 1
    return timezone(sign * timedelta(hours=int(text[1:3]), minutes=int(text[-2:])))


def _ask_dateparser(text: str) -> str | None:
    try:
        from dateparser.date import DateDataParser
    except ImportError:
        return None
    parsed = _dateparser(DateDataParser).get_date_data(text)
    is_day = parsed is not None and parsed.date_obj is not None and parsed.period == "day"
    return parsed.date_obj.date().isoformat() if is_day else None


@lru_cache(maxsize=1)
def _dateparser(parser_class: Any) -> Any:
    """Return the one parser, which is slow to make.  A date must be complete: no "last week", no "May 2009"."""
    return parser_class(settings={"REQUIRE_PARTS": ["day", "month", "year"], "PARSERS": ["absolute-time"]})
