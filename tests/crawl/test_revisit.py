"""When feeds are visited."""

from __future__ import annotations

import calendar

import pytest
from hypothesis import given
from hypothesis import strategies as st

from templatemine.crawl.revisit import (
    RevisitSchedule,
    parse_retry_after,
    parse_skip_hours,
    skip_hours,
    slow_down,
    update_schedule,
)

BOUNDS = (900.0, 86_400.0)


def simulate_visits(every_item: float, days: float = 6.0, items: int = 30, ttl: float = 0.0) -> RevisitSchedule:
    """Visit a feed that gets an item every so many seconds."""
    schedule, now, seen = RevisitSchedule(), 1.0, 0
    while now < days * 86_400:
        there = int(now / every_item)
        schedule = update_schedule(schedule, now, there - seen, items, BOUNDS, ttl)
        seen = there
        now += schedule.every
    return schedule


@pytest.mark.parametrize(("every_item", "least", "most"), [(60, 900, 900), (600, 2400, 3600), (86_400, 43_200, 86_400)])
def test_follows_how_often_items_appear(every_item: float, least: float, most: float) -> None:
    assert least <= simulate_visits(every_item).every <= most


def test_a_feed_of_few_items_is_seen_before_they_are_gone() -> None:
    assert simulate_visits(600, items=4).every <= 2 * 600 * 1.5


def test_a_feed_that_asks_for_time_gets_it() -> None:
    assert simulate_visits(60, ttl=7200).every == 7200


@given(
    st.lists(st.tuples(st.floats(0, 1e6), st.integers(0, 1000), st.integers(0, 1000), st.booleans()), max_size=20),
    st.floats(0, 1e9),
)
def test_stays_within_its_bounds(visits: list[tuple[float, int, int, bool]], ttl: float) -> None:
    schedule, now = RevisitSchedule(), 1e9
    for pause, new, more, fails in visits:
        now += pause
        schedule = (
            slow_down(schedule, BOUNDS) if fails else update_schedule(schedule, now, new, new + more, BOUNDS, ttl)
        )
        assert BOUNDS[0] <= schedule.every <= BOUNDS[1]


def test_a_clock_that_goes_back_does_no_harm() -> None:
    schedule = update_schedule(RevisitSchedule(visited=1e9), 1e9 - 500, 3, 30, BOUNDS)
    assert BOUNDS[0] <= schedule.every <= BOUNDS[1]


def test_skipped_hours() -> None:
    data = b"<rss><skipHours>\n<hour>0</hour><hour> 5 </hour><hour>24</hour><hour>99</hour></skipHours></rss>"
    assert parse_skip_hours(data) == {0, 5}
    assert parse_skip_hours(b"<rss></rss>") == frozenset()


def test_waits_for_an_hour_that_is_not_skipped() -> None:
    at_three = calendar.timegm((2026, 1, 5, 3, 20, 0))
    assert skip_hours(at_three, frozenset()) == at_three
    assert skip_hours(at_three, frozenset({3, 4})) == calendar.timegm((2026, 1, 5, 5, 0, 0))
    assert skip_hours(at_three, frozenset(range(24))) == at_three


NOW = float(calendar.timegm((2026, 1, 5, 3, 20, 0)))


@pytest.mark.parametrize(
    ("after", "date", "seconds"),
    [
        ("120", None, 120.0),
        (" 7 ", "Mon, 05 Jan 2026 03:10:00 GMT", 7.0),
        ("99999999999999999999", None, 999_999_999.0),
        ("Mon, 05 Jan 2026 03:21:30 GMT", None, 90.0),
        # By the clock of the site, which is ten minutes slow; RFC 850 and asctime, as clients must take them.
        ("Mon, 05 Jan 2026 03:11:00 GMT", "Mon, 05 Jan 2026 03:10:00 GMT", 60.0),
        ("Monday, 05-Jan-26 03:20:05 GMT", None, 5.0),
        ("Mon Jan  5 03:20:05 2026", None, 5.0),
        ("Mon, 05 Jan 2026 03:00:00 GMT", None, 0.0),
        ("Mon, 05 Jan 2026 03:21:00 GMT", "no date", 60.0),
        (None, None, 0.0),
        ("", "", 0.0),
        ("-5", None, 0.0),
        ("1.5", None, 0.0),
        ("\u0665", None, 0.0),
        ("soon", None, 0.0),
    ],
)
def test_what_an_answer_asks_for(after: str | None, date: str | None, seconds: float) -> None:
    assert parse_retry_after(after, date, NOW) == seconds


HEADER = st.text("0123456789 ,:-+MonJaGMT\u0665", max_size=32)


@given(HEADER, HEADER)
def test_any_header_gives_a_pause(after: str, date: str) -> None:
    assert parse_retry_after(after, date, NOW) >= 0
