"""The kind of a page: what tells it, what it decides, and how it is given."""

from __future__ import annotations

import math

import hypothesis
import numpy as np
import pytest
from hypothesis import strategies as st

from strategies import examples
from templatemine import extract
from templatemine.config import CleanConfig, ExtractConfig, PageConfig
from templatemine.errors import ConfigError
from templatemine.pages import _scores
from templatemine.pages.blocks import Page
from templatemine.pages.page_kind import KINDS, VALUES, describe_page, load_kind_model, read_address

PLACES = ("mill", "pond", "barn", "orchard", "bridge", "chapel", "smithy", "well")
STORY = "".join(
    f"<p>The {place} at Overbeck was built by the miller's family, who sold their meadow for it and never said a word,"
    f" and the {place} has stood beside the brook since then, through two floods and a fire.</p>"
    for place in PLACES
)
ARTICLE = f"<title>The mill | Overbeck Post</title><body><article><h1>The mill</h1>{STORY}</article>"
POSTS = [
    f"I have mended the {place} myself and it took me three days, do you think that the hinges need oil, too?"
    for place in PLACES
]
THREAD = (
    "<title>Hinges of old doors - Overbeck forum</title><link rel=canonical href='https://forum.overbeck.example/thread/7'>"
    "<body class=forum><div class=topic><h1>Hinges of old doors</h1>"
    + "".join(
        f"<div class='post reply'><div class='author avatar'>user{number}</div><div class=vote>3 votes</div>"
        f"<div class=comment-body><p>{text}</p></div><div class=signature>Quote Reply Report</div></div>"
        for number, text in enumerate(POSTS)
    )
    + "</div>"
)


def given(kind: str) -> ExtractConfig:
    return ExtractConfig(clean=CleanConfig(page=PageConfig(kind=kind)))


def test_articles_and_threads_are_told_apart() -> None:
    article, thread = extract(ARTICLE, url="https://overbeck.example/2024/01/02/the-mill"), extract(THREAD)
    assert article.kind == "article"
    assert article.kind_probability is not None
    assert article.kind_probability > 0.9
    assert thread.kind == "forum"
    assert thread.as_dict()["kind"] == "forum"
    assert 0 < thread.as_dict()["kind_probability"] <= 1


def test_all_posts_of_a_thread_are_main_text() -> None:
    text = extract(THREAD, config=given("forum")).text
    assert [post for post in POSTS if post not in text] == []


def test_comments_below_an_article_go() -> None:
    comments = "".join(f"<div class=comment><p>{text}</p></div>" for text in POSTS)
    page = f"{ARTICLE}<div id=comments>{comments}</div>"
    assert not any(post in extract(page, config=given("article")).text for post in POSTS)


@pytest.mark.parametrize("kind", KINDS)
def test_a_given_kind_is_certain(kind: str) -> None:
    found = extract(ARTICLE, config=given(kind))
    assert (found.kind, found.kind_probability) == (kind, 1.0)


def test_a_given_article_has_the_scores_of_the_page_model_alone() -> None:
    page, article = Page(THREAD), Page(THREAD, kind="article")
    assert not np.array_equal(Page(THREAD, kind="forum").scores, article.scores)
    assert np.array_equal(Page(THREAD.replace("canonical", "x")).scores, article.scores)  # no address
    assert page.kind == "forum"


def test_kinds_that_there_are_not_are_refused() -> None:
    with pytest.raises(ConfigError, match="kind: expected auto, article, forum"):
        PageConfig(kind="blog")


def test_other_systems_tell_no_kind() -> None:
    found = extract(ARTICLE, "bte")
    assert found.kind is None
    assert "kind" not in found.as_dict()


@pytest.mark.parametrize(
    "html",
    ["x", "<p>x", "<p>1</p>" * 50, "<meta property=og:type><p>a", '<link rel=canonical><p>a"@type":"Product"', THREAD],
)
def test_values_are_numbers_and_chances_add_up(html: str) -> None:
    page = Page(html)
    values = describe_page(page, page.scores)
    assert values.shape == (len(VALUES),)
    assert np.isfinite(values).all()
    assert page.kind_chances.sum() == pytest.approx(1)
    assert page.kind_chances.min() >= 0


def test_chances_are_those_of_a_regression() -> None:
    page, model = Page(THREAD), load_kind_model()
    values = describe_page(page, Page(THREAD, kind="article").scores)
    odds = []
    for weights, own in zip(model.weights, model.intercept, strict=True):
        standard = [(value - mean) / scale for value, mean, scale in zip(values, model.mean, model.scale, strict=True)]
        odds.append(own + sum(w * min(max(x, -4), 4) for w, x in zip(weights, standard, strict=True)))
    total = sum(map(math.exp, odds))
    assert page.kind_chances.tolist() == pytest.approx([math.exp(one) / total for one in odds])


def test_doubt_is_that_of_each_word() -> None:
    scores, words = np.array([0.0, 100.0, math.log(3)]), np.array([2, 5, 1], np.int32)
    assert _scores.measure_doubt(scores, words) == pytest.approx((2 * 1.0 + 5 * 0 + 1 * 4 * 0.75 * 0.25) / 8, abs=1e-6)


def test_runs_of_main_text_are_counted() -> None:
    page = Page("<p>a b<p>c<p>d e f<p>g")
    scores = np.array([5.0, -5.0, 5.0, 5.0])
    named = dict(zip(VALUES, describe_page(page, scores).tolist(), strict=True))
    assert (named["main_runs"], named["main_longest"]) == (2, pytest.approx(4 / 6))


@pytest.mark.parametrize(
    ("head", "address"),
    [
        ("<link rel=canonical href=https://a.example/b>", "https://a.example/b"),
        ("<link href='https://a.example/b' rel='canonical'>", "https://a.example/b"),
        ('<meta property="og:url" content="https://a.example/c">', "https://a.example/c"),
        ("<p>canonical", ""),
        ("", ""),
    ],
)
def test_the_address_is_the_canonical_one_or_that_of_open_graph(head: str, address: str) -> None:
    assert read_address(Page(head)) == address


@examples(300)
@hypothesis.given(
    st.lists(st.sampled_from(["rel=", "rel", "=", '"', "'", "next", "n", "ext", " ", "page"]), max_size=10)
)
def test_a_link_to_the_next_page_counts_wherever_it_stands(pieces: list[str]) -> None:
    html = f"<p>A story of some words.<a {''.join(pieces)}>"
    names_next = any(sign in html for sign in ('rel="next"', "rel='next'", "rel=next"))
    page = Page(html)
    assert describe_page(page, page.scores)[VALUES.index("next")] == names_next
