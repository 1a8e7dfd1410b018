"""Dates of blogs as ISO 8601."""

from __future__ import annotations

import calendar
from datetime import datetime, timedelta, timezone

import pytest
from hypothesis import given
from hypothesis import strategies as st

from strategies import examples
from templatemine.pages.page_dates import MAX_DATE_LENGTH, is_date, normalise_date


@pytest.mark.parametrize(
    ("text", "date"),
    [
        ("2009-03-01", "2009-03-01"),
        ("2009/3/1", "2009-03-01"),
        ("2009-03-01T09:30:00.002Z", "2009-03-01T09:30:00+00:00"),
        ("2009-03-01 09:30", "2009-03-01T09:30:00"),
        ("2009-03-01T09:30:00+1000", "2009-03-01T09:30:00+10:00"),
        ("Friday, March 30, 2007", "2007-03-30"),
        ("Posted by Anna on Sept. 3rd, 2004 | 3 Comments", "2004-09-03"),
        ("1st of May 2011", "2011-05-01"),
        ("30-Mar-2007", "2007-03-30"),
        ("20090301", "2009-03-01"),
        (" 20090301\n", "2009-03-01"),
        ("20091301", None),
        ("20090301 20090302", None),
        ("2020年8月13日", "2020-08-13"),
        ("8月 13, 2020", "2020-08-13"),
        ("2020년 8월 13일", "2020-08-13"),
        ("2009-13-01", None),
        ("February 30, 2009", None),
        ("12/10/2009", None),
        ("12. März 2009", "2009-03-12"),
        ("Montag, 5. Oktober 2020 um 12:30", "2020-10-05"),
        ("le 1er août 2019", "2019-08-01"),
        ("12 de março de 2018", "2018-03-12"),
        ("3 мая 2020 г.", "2020-05-03"),
        ("١٢ مارس ٢٠٢٠", "2020-03-12"),
        ("10.12.2009, 9 Uhr", "2009-12-10"),
        ("1. 2. 2010", "2010-02-01"),
        ("10.13.2009", None),
        ("5 \u017fep 2010", None),
        ("5 ma\u0131 2010", None),
        ("5 MA\u0130 2010", None),
        ("1.10.12.2009", None),
        ("luglio 5, 2020", None),
        ("5 maison 2020", None),
        ("March 2009", None),
        ("12009-03-01", None),
        ("", None),
        ("March 30, 2007" + " and more" * MAX_DATE_LENGTH, None),
    ],
)
def test_forms(text: str, date: str | None) -> None:
    assert normalise_date(text) == date


def test_a_text_that_is_a_date() -> None:
    for text in ("2009-03-01", "Posted on Friday, March 30, 2007", "30 Mar 2007 at 9:15 am", "8月 13, 2020"):
        assert is_date(text), text
    for text in ("The fire of March 30, 2007", "March 30, 2007 was a Friday to remember", "Home", "2009"):
        assert not is_date(text), text


@examples(200)
@given(st.datetimes(datetime(1990, 1, 1), datetime(2100, 1, 1)), st.integers(-12, 14))
def test_every_day_comes_back(at: datetime, zone: int) -> None:
    at = at.replace(microsecond=0)
    day = at.date().isoformat()
    for text in (
        f"{calendar.month_name[at.month]} {at.day}, {at.year}",
        f"{at.day} {calendar.month_abbr[at.month]} {at.year}",
        f"{at.year}年{at.month}月{at.day}日",
    ):
        assert normalise_date(text) == day
    zoned = at.replace(tzinfo=timezone(timedelta(hours=zone)))
    assert normalise_date(zoned.isoformat()) == zoned.isoformat()


def test_dateparser_is_asked_on_request() -> None:
    pytest.importorskip("dateparser")
    assert normalise_date("12/10/2009") is None
    assert normalise_date("12/10/2009", use_dateparser=True) == "2009-12-10"
    assert normalise_date("12/10/2009", whole=True, use_dateparser=True) is None
    assert normalise_date("mars 2009", use_dateparser=True) is None
    assert normalise_date("il y a 3 jours", use_dateparser=True) is None
