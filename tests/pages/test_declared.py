"""What a page declares of its story, against what stands in its text."""

from __future__ import annotations

import json
import time
from html import escape
from typing import Any

import pytest

from invented_pages import page
from templatemine import extract
from templatemine.pages import declared
from templatemine.pages.blocks import Page
from templatemine.pages.declared import NGRAM, PUBLISHED, STORY_LIMIT, STORY_WORDS
from templatemine.pages.scanner import META_PARTS

STORY = " ".join(
    f"Keeper {n} wrote in book {7 * n} that barge {13 * n} had passed lock {n} with {3 * n} sacks."
    for n in range(2, 14)
)
NOTE = "most of the story that it declares (articleBody) is not in its text"


def find_missing_story(page: Page) -> str:
    return declared.find_missing_story(page, declared.find_articles(page.data))


def script(declared: Any) -> str:
    return f"<script type='application/ld+json'>{json.dumps(declared)}</script>"


def article(body: Any, kind: Any = "NewsArticle") -> dict[str, Any]:
    return {"@context": "https://schema.org", "@type": kind, "headline": "The ledger", "articleBody": body}


SHELL = "<title>The ledger</title><div id=root></div><p>Turn on JavaScript to read this page.</p>"


def test_a_story_that_only_scripts_write_is_told_of() -> None:
    assert len(STORY.split()) > STORY_WORDS
    for html in (SHELL, "", "<title>The ledger</title>", page(3)):
        assert find_missing_story(Page(html + script(article(STORY))))
        found = extract(html + script(article(STORY)))
        assert (found.note, found.declared, found.as_dict()["declared"]) == (NOTE, STORY, STORY)
        assert STORY not in found.text
        assert "declared" not in extract(html).as_dict()
        assert not find_missing_story(Page(html))


@pytest.mark.parametrize(
    "declared",
    [
        {"@graph": [{"@type": "WebSite"}, article("Short."), article(STORY), article("A teaser " * 20)]},
        [article(None), {"@type": "WebPage", "mainEntity": article(STORY, ["Thing", "BlogPosting"])}],
        article(f"<p>{escape(STORY)}</p><p>{escape(STORY)}</p>"),
        article(escape(f"<p>{STORY}</p>")),
        article("港口委员会在星期二开会讨论新起重机的费用。" * 4 + "渡轮停运之后岛民自己买了一条船轮流掌舵。" * 4),
    ],
)
def test_the_longest_body_of_any_article_counts(declared: Any) -> None:
    assert find_missing_story(Page(SHELL + script(declared)))
    assert not find_missing_story(Page(f"{SHELL}<p>{declared}</p>{script(declared)}"))


@pytest.mark.parametrize(
    "shown",
    [
        f"<p>{STORY}",
        f"<P>{STORY.upper()}",
        "".join(f"<p>{line}." for line in STORY.split(". ")),
        "".join(f"{word}<br>" for word in STORY.split()),
        STORY.replace("the", "<b>the</b>"),
        f"<p>{' '.join(STORY.split()[: len(STORY.split()) * 3 // 5])}",
        f"<div hidden>{STORY}</div>",
    ],
)
def test_a_story_in_the_text_is_not(shown: str) -> None:
    assert not find_missing_story(Page(SHELL + shown + script(article(STORY))))


@pytest.mark.parametrize("share", [0.1, 0.3, 0.45])
def test_the_beginning_before_a_wall_is_not_the_story(share: float) -> None:
    words = STORY.split()
    assert find_missing_story(Page(f"<p>{' '.join(words[: int(len(words) * share)])}{script(article(STORY))}"))


@pytest.mark.parametrize(
    "declared",
    [
        article(" ".join(STORY.split()[: STORY_WORDS - 1])),  # a teaser
        article("  \n"),
        article([STORY]),
        article({"@value": STORY}),
        article(STORY, "WebPage"),
        article(STORY, None),
        {"@type": "Review", "reviewBody": STORY},
    ],
)
def test_what_is_no_story_is_passed_over(declared: Any) -> None:
    assert not find_missing_story(Page(SHELL + script(declared)))


@pytest.mark.parametrize(
    "html",
    [
        "<script type=application/ld+json>" + json.dumps(article(STORY))[:-1] + "</script>",
        "<script type=application/ld+json>" + '{"articleBody":' * 10**5 + "</script>",
        "<script type=application/ld+json>" + json.dumps(article(STORY)),  # does not end
        f"<script>{json.dumps(article(STORY))}</script>",  # data of a program
        f"<div itemprop='articleBody'>{STORY}</div>",
        '<p>"articleBody": is a word of schema.org</p>',
    ],
)
def test_what_cannot_be_read_is_passed_over(html: str) -> None:
    assert not find_missing_story(Page(SHELL + html))


@pytest.mark.parametrize("kind", ["body", "text", "bodies", "nested"])
def test_time_is_linear(kind: str) -> None:
    def made(size: int) -> str:
        words = " ".join(f"word{number}" for number in range(size // 8))
        if kind == "body":
            return script(article(words))
        if kind == "text":
            return f"<p>{words}{script(article(STORY))}"
        if kind == "bodies":
            return script([article(STORY)] * (size // len(STORY)))
        return "<p>a b" * (size // 20) + script({"a": [[[article(STORY)]] * (size // len(STORY) // 2)]})

    def spent(size: int) -> float:
        html, best = made(size), 1e9
        for _ in range(2):
            one = Page(html)
            begin = time.process_time()
            assert find_missing_story(one)
            best = min(best, time.process_time() - begin)
        return best

    assert spent(20 * STORY_LIMIT) < 3 * 8 * max(spent(20 * STORY_LIMIT // 8), 0.002)


def test_runs_do_not_end_with_blocks() -> None:
    """A poem, three words a line."""
    assert NGRAM > 3
    words = STORY.split()
    lines = "".join(f"<p>{' '.join(words[place : place + 3])}" for place in range(0, len(words), 3))
    assert not find_missing_story(Page(lines + script(article(STORY))))


def test_a_meta_of_each_wanted_name_is_found() -> None:
    names = ("og:title", "og:type", "og:url", *PUBLISHED)
    assert all(any(part.decode() in name for part in META_PARTS) for name in names)
