"""Dates on pages that could mean two days, and what they are dates of."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from templatemine import extract
from templatemine.pages.blocks import Page
from templatemine.pages.date_order import DateOrder
from templatemine.pages.page_dates import find_dates

STORY = "<p>La junta del puerto se reunió el lunes para hablar de grúas y de barcos, y de quién va a pagarlos.</p>" * 20
ENGLISH = (
    "<p>The harbour board met on Monday to talk of the cranes and of the boats, and of who is to pay for them.</p>" * 4
)


def about(body: str, html: str = "<html>", story: str = STORY) -> dict[str, Any]:
    return extract(f"{html}<title>The crane</title><h1>The crane</h1>{body}{story}").metadata.as_dict()


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Published 1 May 2019, updated 3 May 2019", [("2019-05-01", False), ("2019-05-03", True)]),
        ("Updated May 3, 2019. Published: May 1, 2019", [("2019-05-03", True), ("2019-05-01", False)]),
        ("5/5/20'de güncellendi.", [("2020-05-05", True)]),
        ("Last updated: 23/1/21", [("2021-01-23", True)]),
        ("Stand: 03.04.2015", [("2015-04-03", True)]),
        ("Standard of 03.04.2015", [("2015-04-03", False)]),
        ("11/19/19 06:56 AM EST", [("2019-11-19", False)]),
        ("12 Σεπτεμβρίου 2012", [("2012-09-12", False)]),
        ("5 Eylül 2013", [("2013-09-05", False)]),
        ("10.13.2009", [("2009-10-13", False)]),
        ("3/4/2015", []),
        ("version 1.2.10 of the tool", []),
        ("31/31/2015 0/0/00", []),
        ("1.10.12.2009", []),
        ("", []),
    ],
)
def test_what_is_dated(text: str, expected: list[tuple[str, bool]]) -> None:
    assert find_dates(text) == expected


@pytest.mark.parametrize(
    ("html", "body", "others", "expected"),
    [
        ("<html lang=en-US>", "<p>Posted 3/4/2015</p>", "", "2015-03-04"),
        ("<html lang=en-GB>", "<p>Posted 3/4/2015</p>", "", "2015-04-03"),
        ("<html lang=es>", "<p>Posted 3/4/15</p>", "", "2015-04-03"),
        ("<html lang=en>", "<p>Posted 3/4/2015</p>", "", None),
        ("<html lang=en>", "<p>Posted 3/4/2015</p>", "<li>12/25/2014<li>11/30/2014", "2015-03-04"),
        ("<html lang=es>", "<p>Posted 3/4/2015</p>", "<li>12/25/2014<li>30/11/2014", None),
        ("<html>", "<p class=post-date>03.04.15</p>", "", "2015-04-03"),
        ("<html>", "<p class=post-date>03.04.2015</p>", "<li>12.25.2014", "2015-03-04"),
    ],
)
def test_the_page_says_what_comes_first(html: str, body: str, others: str, expected: str | None) -> None:
    assert about(body, html, f"{STORY}<ul>{others}</ul>").get("date") == expected


def test_short_years_before_full_stops_are_not_read_in_english() -> None:
    assert "date" not in about("<p class=post-date>03.04.15</p>", story=ENGLISH)
    assert about("<p class=post-date>03.24.15</p>", story=ENGLISH)["date"] == "2015-03-24"


def test_a_change_is_no_publication() -> None:
    found = about("<p>Updated 3 May 2019</p><p>Published 1 May 2019</p>")
    assert (found["date"], found["modified"]) == ("2019-05-01", "2019-05-03")
    assert about("<time class=updated datetime=2019-05-03>then</time>")["modified"] == "2019-05-03"


def test_a_date_at_the_headline_comes_before_those_of_other_stories() -> None:
    teasers = "<aside class=more><p class=date>5 May 2018</p><p class=date>6 May 2018</p></aside>"
    page = f"<title>The crane</title>{teasers * 9}<h1>The crane</h1><p>3 May 2019</p>{STORY}"
    assert extract(page).metadata.date == "2019-05-03"


def test_a_label_anywhere_counts_if_it_is_the_only_one() -> None:
    foot = "<footer><p>Publicado el 3 de mayo de 2019</p></footer>"
    assert about("", story=STORY + foot)["date"] == "2019-05-03"
    assert "date" not in about("", story=STORY + foot + foot.replace("3 de", "4 de"))


@given(st.text(alphabet="0123456789/.-年 abcMay", max_size=40))
def test_any_text_may_be_dated(text: str) -> None:
    order = DateOrder(Page(f"<html lang=en-US><p>{text}"))
    for date, _ in find_dates(text, order, short=True):
        assert len(date.partition("T")[0]) == 10
