"""Comments of readers are no main text where a story stands before them."""

from __future__ import annotations

import numpy as np
import pytest

from templatemine.config import PageConfig
from templatemine.pages.blocks import Page
from templatemine.pages.comments import find_kept_comments
from templatemine.pages.decode import DROPPED_COMMENT, is_kept
from templatemine.pages.history import select_blocks

SAID = (
    "<div class=comment><cite>Jo {0}</cite><p>I was there {0} times, and I did not like at all what I heard.</p></div>"
)
THREAD = "".join(SAID.format(number) for number in range(40))


def page(words: int, thread: str = "comments", around: str = "page") -> Page:
    """A story of so many words, and a thread several times as long."""
    story = " ".join(f"word{number}" for number in range(words))
    return Page(f'<body class="{around}"><div><p>{story}.</p></div><div class="{thread}">{THREAD}</div></body>')


@pytest.mark.parametrize(
    ("one", "story"),
    [
        (page(99), None),  # a forum, whose thread is the main text
        (page(100), 1),
        (page(150), 1),
        (page(150, around="comments-open"), 1),  # what holds the story is named after the page
        (page(150, thread="answers"), 1),  # each of them is named
    ],
)
def test_a_thread_below_a_story_is_left_out(one: Page, story: int | None) -> None:
    every = np.ones(len(one), np.bool_)
    found = find_kept_comments(one, every)
    left = every if found is None else ~found
    assert left.tolist() == [story is None or place < story for place in range(len(one))]


def test_a_thread_of_another_name_stays() -> None:
    one = Page(page(150).html.replace("comment", "entry"))
    assert find_kept_comments(one, np.ones(len(one), np.bool_)) is None


def test_only_what_is_kept_is_looked_at() -> None:
    one = page(150)
    none = np.zeros(len(one), np.bool_)
    assert find_kept_comments(one, none) is None
    story = none.copy()
    story[0] = True
    assert find_kept_comments(one, story) is None
    some = story.copy()
    some[4] = True
    found = find_kept_comments(one, some)
    assert found is not None
    assert np.flatnonzero(found).tolist() == [4]


def test_a_page_without_blocks() -> None:
    empty = Page("")
    assert find_kept_comments(empty, np.zeros(len(empty), np.bool_)) is None


def test_chosen_blocks_say_why_comments_go_and_all_keeps_them() -> None:
    one = page(150)
    sure = np.full(len(one), 4.0)
    code = select_blocks(one, sure, PageConfig())
    assert is_kept(code).tolist() == [place == 0 for place in range(len(one))]
    assert set(code[1:].tolist()) == {DROPPED_COMMENT}
    every = select_blocks(one, sure, PageConfig(keep="all"))
    assert DROPPED_COMMENT not in every.tolist()
    assert is_kept(every)[1:].any()
