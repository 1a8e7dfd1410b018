"""Dates of archives as days: what reads one way, what its source settles, what stays unknown."""

from __future__ import annotations

import calendar
import json
from collections import Counter
from collections.abc import Iterable
from dataclasses import asdict
from datetime import date, datetime
from email.utils import format_datetime
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from strategies import examples
from templatemine.archive.window import DatedDocument, Window, WindowConfig
from templatemine.config import PipelineConfig
from templatemine.mining.methods import resolve_defaults
from templatemine.mining.stages import mine_source
from templatemine.model import Document
from templatemine.text.calendars import SPELLINGS
from templatemine.text.dates import (
    Calendar,
    UnreadableDates,
    covered_days,
    day_or_text,
    resolve_day,
    resolve_days,
    settle_texts,
)

DAYS = st.dates(date(1900, 1, 1), date(2100, 1, 1))


@pytest.mark.parametrize(
    ("text", "day"),
    [
        ("2024-05-31", "2024-05-31"),
        ("2024/05/31 10:00", "2024-05-31"),
        ("2024-05-31T23:30:00-07:00", "2024-05-31"),
        ("20240531", "2024-05-31"),
        ("20240531T101500Z", "2024-05-31"),
        ("20240531101500", "2024-05-31"),
        ("Mon, 02 Jan 2006 15:04:05 GMT", "2006-01-02"),
        (" 2 January 2006", "2006-01-02"),
        ("2-Jan-2006", "2006-01-02"),
        ("January 2, 2006", "2006-01-02"),
        ("Monday 2 January 2006 10.00 GMT", "2006-01-02"),
        ("Monday, Sept. 3rd, 2007 at noon", "2007-09-03"),
        ("Senin 11 Mei 2020 23:31 WIB", "2020-05-11"),
        ("lundi 2 janvier 2006", "2006-01-02"),
        ("सोमवार 2 जनवरी 2006", "2006-01-02"),
        ("Mon 25/3/2019", "2019-03-25"),
        ("Tuesday January 3, 2006", "2006-01-03"),
        ("5 de março de 2017", "2017-03-05"),
        ("Mittwoch, 3. Mai 2017", "2017-05-03"),
        ("1er août 2009", "2009-08-01"),
        ("13/02/2006 17h30", "2006-02-13"),
        ("2006年1月2日", "2006-01-02"),
        ("2006 年 12 月 31 日 10:00", "2006-12-31"),
        ("2006. 1. 2.", "2006-01-02"),
        ("2006년 1월 2일", "2006-01-02"),
        ("2006.01.02", "2006-01-02"),
        ("２００６年１月２日", "2006-01-02"),
        ("٢٠٠٦-٠١-٠٢", "2006-01-02"),
        ("२ जनवरी २००६", "2006-01-02"),
        ("2 Ocak 2006", "2006-01-02"),
        ("2 января 2006", "2006-01-02"),
        ("2 Ιανουαρίου 2006", "2006-01-02"),
        ("2 de enero de 2006", "2006-01-02"),
        ("3 listopada 2006", None),  # November in Polish, October in Croatian
        ("2006年13月2日", None),
        ("2006. 1. 234", None),
        ("02/13/2006", "2006-02-13"),
        ("02/02/2006", "2006-02-02"),
        ("02/03/2006", None),
        ("31/02/2006", None),
        ("2024-13-01", None),
        ("2024-02-30", None),
        ("1512012345", "2017-11-30"),  # seconds since 1970
        ("1512012345.25", "2017-11-30"),
        ("1512012345678", "2017-11-30"),
        ("1512086399", "2017-11-30"),
        ("1512086400", "2017-12-01"),
        ("1999010203", None),
        ("0512012345", None),
        ("0201-12-14", None),
        ("02/13/06", None),
        ("3 Mayhem 2017", None),
        ("June 2006", None),
        ("about 2 January 2006", None),
        ("", None),
        (None, None),
    ],
)
def test_a_date_alone(text: str | None, day: str | None) -> None:
    assert resolve_day(text) == day


def test_its_source_settles_a_date_that_reads_two_ways() -> None:
    assert resolve_days(["03/04/2017", "31/03/2017", None, "04-03-2017"]) == ["2017-04-03", "2017-03-31", None, None]
    assert resolve_days(["03/04/2017", "03/31/2017"]) == ["2017-03-04", "2017-03-31"]
    assert resolve_days(["03/04/2017", "05/05/2017"]) == [None, "2017-05-05"]


def test_days_come_first_before_full_stops() -> None:
    """Unless the source has dates that say otherwise."""
    assert resolve_days(["04.03.2017"]) == ["2017-03-04"]
    assert resolve_days(["04.03.2017", "03.31.2017"]) == ["2017-04-03", "2017-03-31"]
    assert resolve_days(["04.03.2017", "03.31.2017", "31.03.2017"]) == [None, None, None]


def test_a_source_that_contradicts_itself_settles_nothing() -> None:
    assert resolve_days(["03/04/2017", "31/03/2017", "03/31/2017"]) == [None, None, None]


@examples(200)
@given(st.lists(st.tuples(DAYS, st.integers(0, 7)), min_size=1), st.booleans())
def test_days_come_back(written: list[tuple[date, int]], day_first: bool) -> None:
    """In whatever form they are; of numbers alone where a day above the twelfth says which way, and else never wrong."""
    numbers = "{d:02}/{m:02}/{y}" if day_first else "{m:02}/{d:02}/{y}"

    def form(day: date, kind: int) -> str:
        names: dict[str, Any] = {"d": day.day, "m": day.month, "y": day.year, "name": calendar.month_name[day.month]}
        return (
            day.isoformat(),
            day.strftime("%Y%m%d"),
            datetime(day.year, day.month, day.day, 7).isoformat() + "+09:00",
            format_datetime(datetime(day.year, day.month, day.day, 7)),
            "{d} {name} {y}".format(**names),
            "{name} {d}, {y}".format(**names),
            numbers.format(**names),
            numbers.format(**names) + " 10:30",
        )[kind]

    days = [day for day, _ in written]
    texts = [form(*one) for one in written]
    found = resolve_days(texts)
    sure = any(kind >= 6 and day.day > 12 for day, kind in written)
    for (day, kind), got in zip(written, found, strict=True):
        known = kind < 6 or sure or day.day == day.month
        assert got == (day.isoformat() if known else None)
    assert Calendar(texts).days() == sorted({day for day in found if day})
    assert sure <= (set(found) == {day.isoformat() for day in days})


def test_every_month_has_names_of_its_own() -> None:
    names = [name for row in SPELLINGS for name in row.split()]
    assert len(SPELLINGS) == 12
    assert len(names) == len(set(names))


def documents(dates: list[str]) -> list[Document]:
    return [
        Document(source="a", id=str(place), text=f"Word{place} word{place + 1} here.", date=day)
        for place, day in enumerate(dates)
    ]


def merged(old: Iterable[DatedDocument], new: list[Document]) -> list[DatedDocument]:
    """A window after new documents have come."""
    window = Window(old, "2017-03-25", WindowConfig(days=30, least=1), 1 << 30)
    window.add((one, True) for one in new)
    return window.documents


def test_a_pack_and_a_window_know_the_days_of_such_a_source() -> None:
    dates = [f"{day:02}/03/2017" for day in range(1, 21)]
    mined = mine_source("a", documents(dates), resolve_defaults(PipelineConfig()))
    assert (mined.first_date, mined.last_date) == ("2017-03-01", "2017-03-20")
    # The second update brings a day that reads two ways alone; the documents of the window say which it is.
    window = merged((), documents(dates))
    late = Document(source="a", id="late", text="Later.", date="04/03/2017")
    window = merged(window, [late])
    assert next(one.day for one in window if one.document.id == "late") == "2017-03-04"
    alone = merged((), [late])
    assert alone[0].day == "2017-03-25"
    # A later day says it of those that came before it.
    window = merged(alone, [Document(source="a", id="sure", text="Sure.", date="20/03/2017")])
    assert [(one.document.id, one.day) for one in window] == [("late", "2017-03-04"), ("sure", "2017-03-20")]


def test_the_texts_of_dates_are_settled_together() -> None:
    written = ["03/04/2017 10:00", "Fri 31/03/2017", "3/4/2017", "2017-01-02", "none", None, "31/02/2017"]
    texts = [day_or_text(one) for one in written]
    assert texts == ["3/4/2017", "31/3/2017", "3/4/2017", "2017-01-02", "", "", "31/2/2017"]
    assert [settle_texts(texts)[text] or None for text in texts] == resolve_days(written)
    assert settle_texts(["3/4/2017"]) == {"3/4/2017": ""}


WRITTEN = st.sampled_from(
    ["2024-05-31", "31 May 2024", "yesterday", "2024-02-31", "", " ", None]
    + [f"{first}{mark}{second}/2024".replace("/", mark) for mark in "/." for first, second in ((3, 4), (5, 5))]
    + ["13/04/2024", "04/13/2024", "13.04.2024", "31/02/2024", "13/13/2024", "1.14.2024"]
)


@given(st.lists(st.tuples(st.sampled_from("ab"), WRITTEN), max_size=12), st.integers(0, 12))
def test_unreadable_dates_are_those_without_a_day(rows: list[tuple[str, str | None]], kept: int) -> None:
    counted, earlier = UnreadableDates(), rows[:kept]
    for number, (source, written) in enumerate(rows):
        counted.add(source, written, written, f"f:{number}")
        counted = UnreadableDates.from_dict(json.loads(json.dumps(asdict(counted))))
    for one in "ab":
        dates = [text for source, text in rows if source == one]
        unknown = [text for text, day in zip(dates, resolve_days(dates), strict=True) if day is None]
        assert counted.of_source(one) == sum(bool(text and text.strip()) for text in unknown)
    assert counted.total() == counted.of_source("a") + counted.of_source("b")
    assert bool(counted.describe()) == bool(counted.total())
    counted = UnreadableDates()
    for source, written in earlier:
        counted.settle(source, written)
    for source, written in rows[kept:]:
        counted.add(source, written, written, "f:1")
    for one in "ab":
        before = [text for source, text in earlier if source == one]
        dates = [text for source, text in rows[kept:] if source == one]
        days = resolve_days(before + dates)[len(before) :]
        assert counted.of_source(one) == sum(
            day is None and bool(text and text.strip()) for text, day in zip(dates, days, strict=True)
        )


def test_unreadable_dates_are_told_in_a_line() -> None:
    dates = UnreadableDates()
    for written in (None, "", float("nan"), "2024-05-31"):
        dates.add("a", written, written if isinstance(written, str) else None, "f:0")
    assert (dates.total(), dates.describe()) == (0, "")
    dates.add("a", ["2024"], None, "f:1")
    dates.add("b", "x" * 100, "x" * 100, "f:2")
    assert dates.describe() == "2 dates could not be read, first: ['2024'] (f:1)"
    dates.add("b", "03/04/2024", "03/04/2024", "f:3")
    told = (
        "1 date of 'b' could not be read, as day and month may be either, first: '03/04/2024' (f:3); "
        "write them as 2024-05-31, or add one with a day above 12"
    )
    assert dates.describe() == f"2 dates could not be read, first: ['2024'] (f:1); {told}"
    dates.add("b", "31/04/2024", "31/04/2024", "f:4")
    assert dates.describe() == "3 dates could not be read, first: ['2024'] (f:1)"
    dates = UnreadableDates()
    for place, written in enumerate(("31/05/2024", "03/14/2024")):
        dates.add("b", written, written, f"f:{place}")
    told = "some begin with the day, some with the month, first: '31/05/2024' (f:0)"
    assert dates.describe() == f"2 dates of 'b' could not be read, as {told}; write them as 2024-05-31"
    dates = UnreadableDates()
    for source in "abcdea":
        dates.add(source, "3/4/2024", "3/4/2024", "f:1")
    assert dates.describe().startswith("6 dates of 'a', 'b', 'c' and 2 more could not be read, as day and month may be")
    dates = UnreadableDates()
    dates.add("b", "x" * 100, "x" * 100, "f:2")
    assert dates.describe() == f"1 date could not be read, first: '{'x' * 38}… (f:2)"


@pytest.mark.parametrize("number", [5, 40, 1000])
@pytest.mark.parametrize("stray", ["2034-05-01", "1970-01-01", "0001-01-01"])
def test_one_article_does_not_date_an_archive(number: int, stray: str) -> None:
    days = [f"2024-{1 + place // 28 % 12:02}-{1 + place % 28:02}" for place in range(number)]
    pack = mine_source("a", documents([*days, stray]), resolve_defaults(PipelineConfig()))
    assert (pack.first_date, pack.last_date) == (min(days), max(days))


@pytest.mark.parametrize(
    "days",
    [
        ["2024-01-01", "2034-01-01"],
        ["2024-01-01"] * 3 + ["2034-01-01"],
        ["2001-01-01", "2003-01-01", "2005-01-01", "2007-01-01", "2009-01-01"],
        ["2024-01-01"] * 40 + ["2024-12-01"],
        ["2024-01-01"] * 50 + ["2034-01-01"] * 50,
        ["2010-01-01"] * 20 + ["2020-01-01"] * 20 + ["2034-01-01"],
    ],
)
def test_what_lies_near_or_is_much_dates_an_archive(days: list[str]) -> None:
    assert covered_days(Counter(days)) == (min(days), max(days))


def test_days_of_parts_add_up() -> None:
    assert covered_days({}) == ()
    days = ["2024-01-01"] * 4 + ["2024-03-01"] * 5 + ["2034-01-01"]
    parts = [Calendar(days[start::3]).counts() for start in range(3)]
    assert sum(parts, Counter[str]()) == Calendar(days).counts()
    assert covered_days(sum(parts, Counter[str]())) == ("2024-01-01", "2024-03-01")
