"""What of the main text is headline, byline and date."""

from __future__ import annotations

import numpy as np
import pytest

from invented_pages import page
from templatemine import PageCleaner, extract
from templatemine.config import CleanConfig, ExtractConfig, PageConfig
from templatemine.errors import ConfigError
from templatemine.pages import _html
from templatemine.pages.blocks import Page
from templatemine.pages.decode import HEAD, REASONS
from templatemine.pages.headline import LIST_LINES, MAX_DISTANCE, OPENING_WORDS, find_head

DROP = PageConfig(headline="drop")


def counts(*blocks: tuple[int, str]) -> np.ndarray:
    """Of each block its words, and what it names."""
    table = np.zeros((len(blocks), len(_html.COUNTS)), np.int32)
    for row, (words, mark) in zip(table, blocks, strict=True):
        row[_html.COUNTS.index("words")] = words
        if mark:
            row[_html.COUNTS.index(mark)] = 1
    return table


def head(table: np.ndarray, headline: int, main: list[int] | None = None) -> list[bool]:
    mask = np.ones(len(table), np.bool_) if main is None else np.isin(np.arange(len(table)), main)
    return find_head(table, headline, mask).tolist()


def test_headline_byline_and_date_above_the_story() -> None:
    table = counts((3, "year"), (6, ""), (2, "by"), (3, "month"), (9, ""), (OPENING_WORDS, "month"), (4, "year"))
    assert head(table, 1) == [False, True, True, True, False, False, False]


@pytest.mark.parametrize(
    ("paths", "dateline"),
    [
        (None, False),
        ([0, 1, 2, 3], True),  # a standfirst, then the date, then the story
        ([0, 3, 2, 3], False),  # all of it is story
    ],
)
def test_a_standfirst_does_not_end_the_head(paths: list[int] | None, dateline: bool) -> None:
    table = counts((6, ""), (OPENING_WORDS, ""), (5, "clock"), (20 * OPENING_WORDS, ""))
    keys = None if paths is None else np.array(paths, np.uint64)
    assert find_head(table, 0, np.ones(4, np.bool_), keys).tolist() == [True, False, dateline, False]


def test_a_story_of_many_paths_begins_with_its_first_long_block() -> None:
    table = counts((6, ""), (5, "clock"), *[(OPENING_WORDS, "")] * 20)
    paths = np.arange(22, dtype=np.uint64)
    assert find_head(table, 0, np.ones(22, np.bool_), paths).tolist() == [True, True] + [False] * 20


def test_a_long_line_with_a_date_is_no_dateline() -> None:
    table = counts((6, ""), (MAX_DISTANCE + 1, "month"), (40, ""))
    assert head(table, 0, main=[0, 2]) == [True, False, False]


@pytest.mark.parametrize("headline", [-1, 2, 3])
def test_without_a_headline_above_a_story_nothing_is_head(headline: int) -> None:
    assert not any(head(counts((6, ""), (2, "by"), (OPENING_WORDS, ""), (5, "")), headline))


def test_a_story_far_off_is_another_one() -> None:
    near = counts((6, ""), *[(2, "")] * (MAX_DISTANCE - 1), (OPENING_WORDS, ""))
    assert head(near, 0) == [True] + [False] * MAX_DISTANCE
    assert not any(head(counts((6, ""), *[(2, "")] * MAX_DISTANCE, (OPENING_WORDS, "")), 0))


def test_what_is_no_main_text_does_not_part_headline_and_story() -> None:
    """Pictures, menus to share and the like stand between them."""
    table = counts((6, ""), (2, "by"), *[(2, "")] * (2 * MAX_DISTANCE), (OPENING_WORDS, ""))
    keys, last = np.zeros(len(table), np.uint64), len(table) - 1
    few = np.isin(np.arange(len(table)), [0, 1, last])
    assert np.flatnonzero(find_head(table, 0, few, keys)).tolist() == [0, 1]
    assert not find_head(table, 0, np.ones(len(table), np.bool_), np.arange(len(table), dtype=np.uint64)).any()


@pytest.mark.parametrize("below", [0, 1, 2, 5, 20])
def test_a_story_in_dated_lines_is_no_head(below: int) -> None:
    """A calendar: no line of it is long, or but one below it."""
    lines = [(6, "month")] * 12
    for rest in ([], [(OPENING_WORDS, "")]):
        table = counts((4, ""), (3, "year"), *lines, *[(2, "")] * below, *rest)
        paths = np.array([0, 1, *[2] * len(lines), *[3] * below, *[4] * len(rest)], np.uint64)
        assert np.flatnonzero(find_head(table, 0, np.ones(len(table), np.bool_), paths)).tolist() == [0, 1]


@pytest.mark.parametrize("lines", range(1, 8))
def test_a_head_has_few_lines_of_a_kind(lines: int) -> None:
    """A programme above a story of several times its length."""
    table = counts((4, ""), *[(8, "clock")] * lines, (50 * OPENING_WORDS, ""))
    paths = np.array([0, *[1] * lines, 2], np.uint64)
    assert find_head(table, 0, np.ones(len(table), np.bool_), paths).sum() == 1 + (lines if lines < LIST_LINES else 0)


def test_a_line_with_a_date_among_those_of_the_story_is_story() -> None:
    """What a review begins with: who tested, when, for how much."""
    table = counts((4, ""), (3, "month"), (13, "by"), *[(60, "")] * 3)
    paths = np.array([0, 1, 2, 2, 2, 2], np.uint64)
    assert np.flatnonzero(find_head(table, 0, np.ones(6, np.bool_), paths)).tolist() == [0, 1]


def test_a_calendar_stays_without_its_headline() -> None:
    rows = [f"Round {n}: {n} March 2018 in the harbour of Town {n}" for n in range(1, 15)]
    body = "".join(f"<p>{row}</p>" for row in rows)
    html = (
        "<title>Calendar of the rowing season</title><body><nav><a href=/>Home</a></nav><article>"
        "<h1>Calendar of the rowing season</h1><span class=date>22 January 2018</span>"
        f"<div class=story>{body}</div></article><footer>All rights reserved</footer>"
    )
    left = PageCleaner(config=CleanConfig(page=DROP)).clean(html).text.split("\n")
    assert left == [line for line in PageCleaner().clean(html).text.split("\n") if line in rows]
    assert left == rows


def test_what_is_dropped_anyhow_is_not_said_to_be_head() -> None:
    html = page(1).replace("<h1", "<nav><a href=x>May 2020</a></nav><h1", 1)
    html = html.replace("</h1>", "</h1><ul class=share-menu><li><a href=/x>Share, May 2020</a></ul>", 1)
    kept = {block.text: block.kept for block in extract(html).blocks}
    for block in extract(html, config=ExtractConfig(clean=CleanConfig(page=DROP))).blocks:
        assert kept[block.text] or block.reason != REASONS[HEAD]


def test_the_headline_of_a_page() -> None:
    found = Page(page(1))
    assert found.text(found.headline).startswith("Story number 1 of the harbour")
    assert Page("<title>Other</title><p>No such words here").headline == -1


def test_dropped_on_request_and_the_rest_is_as_it_was() -> None:
    kept = PageCleaner().clean(page(1)).text.split("\n")
    left = PageCleaner(config=CleanConfig(page=DROP)).clean(page(1)).text.split("\n")
    assert kept[0] not in left
    assert left == [line for line in kept if line in left]
    assert max(len(line.split()) for line in kept if line not in left) <= MAX_DISTANCE
    blocks = extract(page(1), config=ExtractConfig(clean=CleanConfig(page=DROP))).blocks
    assert [block.text for block in blocks if block.reason == REASONS[HEAD]] == [x for x in kept if x not in left]
    assert not any(block.kept for block in blocks if block.reason == REASONS[HEAD])


def test_other_choices_are_refused() -> None:
    with pytest.raises(ConfigError, match="headline: expected keep or drop, got 'hide'"):
        PageConfig(headline="hide")
