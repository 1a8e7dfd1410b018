"""Feeds against pages, worked out by hand."""

from __future__ import annotations

from collections.abc import Sequence

import pytest

from templatemine.errors import ConfigError, CorpusError
from templatemine.evaluation.feeds import FeedConfig, evaluate_feed
from templatemine.evaluation.plain import plain_text, strip_markup
from templatemine.model import Cleaned, Document

CONFIG = FeedConfig(folds=1, least=2, full=4)


def as_text(history: Sequence[Document], documents: Sequence[Document]) -> list[Cleaned]:
    return [Cleaned(one.body.removeprefix("<p>"), ()) for one in documents]


def page(source: str, name: str, text: str) -> Document:
    return Document(source=source, id=name, html="<p>" + text)


@pytest.mark.parametrize(
    ("value", "text"),
    [
        ("plain &amp; simple", "plain & simple"),
        ("<p>One</p><p>two <b>three</b></p>", "One two three"),
        ("&lt;p&gt;One&lt;/p&gt;two", "One two"),
        ("<script>no()</script>yes<style>p {}</style>", "yes"),
        ("a &lt; b", "a < b"),
        ("", ""),
    ],
)
def test_text_of_a_feed(value: str, text: str) -> None:
    assert strip_markup(value) == text


def test_the_whole_text_of_a_document() -> None:
    assert plain_text(page("a", "1", "one &amp; <b>two</b>")) == "one & two"
    assert plain_text(Document(source="a", id="1", text="<p>as it\nis")) == "<p>as it\nis"


def test_whole_texts_are_judged_both_ways_and_excerpts_by_recall() -> None:
    pages = [page("a", "1", "one two three four menu"), page("a", "2", "five six seven"), page("b", "3", "eight nine")]
    feeds = {"1": "one two three four", "2": "five six …", "3": "x"}
    result = evaluate_feed(pages, feeds, as_text, CONFIG)
    assert result.row(source="a", feed="whole text") == {
        "source": "a",
        "feed": "whole text",
        "pages": 1,
        "recall": 1.0,
        "precision": 0.8,
        "f1": pytest.approx(8 / 9),
        "words left": 5,
    }
    excerpt = result.row(source="all", feed="excerpt")
    assert (excerpt["pages"], excerpt["recall"], excerpt["precision"], excerpt["f1"]) == (1, 1.0, None, None)
    assert result.settings["with a feed text"] == 2  # that of 3 has a single word


@pytest.mark.parametrize("end", ["…", " ...", " [...]", "[…]"])
def test_an_ellipsis_marks_an_excerpt(end: str) -> None:
    result = evaluate_feed(
        [page("a", "1", "one two three four five")], {"1": "one two three four five" + end}, as_text, CONFIG
    )
    assert [row["feed"] for row in result.rows] == ["excerpt", "excerpt"]


def test_a_system_that_cuts_all_is_found_out() -> None:
    result = evaluate_feed(
        [page("a", "1", "one two")],
        {"1": "one two three four"},
        lambda history, rows: [Cleaned("", ())] * len(rows),
        CONFIG,
    )
    assert result.row(source="all")["recall"] == 0.0


def test_what_it_refuses() -> None:
    with pytest.raises(CorpusError, match="at least 2 words"):
        evaluate_feed([page("a", "1", "one two")], {"1": None}, as_text, CONFIG)
    with pytest.raises(ConfigError):
        FeedConfig(folds=0)
