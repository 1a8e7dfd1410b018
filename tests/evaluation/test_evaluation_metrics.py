"""The measures: examples computed by hand, and slow twins that agree on anything."""

from __future__ import annotations

import re
import sys

import pytest
from hypothesis import given
from hypothesis import strategies as st

import reference
from templatemine.errors import CorpusError, MissingExtraError, pip_line
from templatemine.evaluation.metrics import (
    SpanScore,
    WordScore,
    cleaneval_score,
    harmonic_mean,
    macro_average,
    score_spans,
    score_words,
    span_mask,
    split_segments,
    split_words,
    word_distance,
)

TEXT = "Story one. SIGN UP By Ann"


def test_spans_counted_by_hand() -> None:
    """Without blanks the story has 9 characters and the call 6; "one. SIGN" is cut, 4 of each, and the byline."""
    gold = [(11, 18, "template"), (19, 25, "dynamic")]
    score = score_spans(TEXT, gold, [(6, 15), (19, 25)])
    assert score == SpanScore(template=6, content=9, removed_template=4, removed_content=4)
    assert score.recall == pytest.approx(4 / 6)
    assert score.precision == pytest.approx(4 / 8)
    assert score.f1 == pytest.approx(2 * (4 / 6) * 0.5 / (4 / 6 + 0.5))
    assert score.loss == pytest.approx(4 / 9)
    assert score.per_10k == pytest.approx(40_000 / 9)


def test_removing_nothing_and_everything() -> None:
    gold = [(11, 18, "template")]
    nothing, everything = score_spans(TEXT, gold, []), score_spans(TEXT, gold, [(0, len(TEXT))])
    assert (nothing.recall, nothing.precision, nothing.f1, nothing.loss) == (0.0, 1.0, 0.0, 0.0)
    assert (everything.recall, everything.loss) == (1.0, 1.0)
    assert everything.precision == pytest.approx(6 / 20)


def test_without_templates_only_the_loss_is_told() -> None:
    score = score_spans("abcd", [], [(0, 1)])
    assert (score.recall, score.precision, score.f1, score.loss) == (None, None, None, 0.25)
    assert score_spans("", [], []).loss == 0.0


def test_means_leave_out_sources_without_templates() -> None:
    mean = macro_average([SpanScore(10, 10, 5, 0), SpanScore(0, 10, 0, 5), SpanScore(10, 10, 10, 10)])
    assert mean == {
        "recall": 0.75,
        "precision": 0.75,
        "f1": pytest.approx((2 / 3 + 2 / 3) / 2),
        "loss": pytest.approx(0.5),
    }
    assert macro_average([]) == {"recall": None, "precision": None, "f1": None, "loss": None}


def test_spans_must_be_in_the_text_and_labels_known() -> None:
    with pytest.raises(CorpusError, match="within 4 characters, found \\[3, 5\\)"):
        score_spans("abcd", [], [(3, 5)])
    with pytest.raises(CorpusError, match="found 'advert'"):
        score_spans("abcd", [(0, 1, "advert")], [])
    with pytest.raises(CorpusError):
        span_mask(3, [(2, 1)])


def test_words() -> None:
    assert split_words("It's 5 o'clock, naïve: 日本 テレ x2") == [
        "It",
        "s",
        "5",
        "o",
        "clock",
        "naïve",
        "日",
        "本",
        "テ",
        "レ",
        "x2",
    ]
    assert split_words(" .,- ") == []


def test_words_scored_by_hand() -> None:
    """Common subsequence: a c d."""
    score = score_words(["a", "b", "c", "d"], ["a", "c", "x", "d", "y"])
    assert score == WordScore(3, 4, 5)
    assert (score.precision, score.recall) == (0.75, 0.6)
    assert score.f1 == pytest.approx(2 / 3)


def test_empty_texts() -> None:
    assert score_words([], ["a"]).f1 == 0.0
    assert score_words(["a"], []).precision == 0.0
    assert harmonic_mean(0.0, 0.0) == 0.0
    assert word_distance("", "") == 0.0
    assert word_distance("a b", "") == 1.0


def test_distance_by_hand() -> None:
    """One replaced, one inserted, of four."""
    assert word_distance("the old man", "the young man sat") == 0.5


WORDS = st.lists(st.sampled_from("abcd"), max_size=12)


@given(WORDS, WORDS)
def test_word_scores_are_those_of_the_twin(one: list[str], other: list[str]) -> None:
    score = score_words(one, other)
    assert score.match == reference.common_subsequence(one, other)
    if one or other:
        distance = len(one) + len(other) - 2 * score.match
        assert score.f1 == pytest.approx(1 - distance / (len(one) + len(other)))
    longest = max(len(one), len(other))
    assert word_distance(" ".join(one), " ".join(other)) == pytest.approx(
        reference.edits(one, other) / longest if longest else 0.0
    )


def test_segments() -> None:
    assert split_segments("<h>Head\n\n<p>One two &amp; three\n<L>item") == [
        "<h>",
        "Head",
        "<p>",
        "One",
        "two",
        "three",
        "<l>",
        "item",
    ]
    assert split_segments("One two\n\n three\n") == ["<p>", "One", "two", "<p>", "three"]
    assert split_segments("") == []


def test_cleaneval_by_hand() -> None:
    """Of 3 words 3 match; with bounds 2 of 2 + 3; with labels the heading is taken for a paragraph."""
    score = cleaneval_score("Head\none two", "<h>Head\n<p>one two")
    assert score.text == WordScore(3, 3, 3)
    assert score.bounds == WordScore(5, 5, 5)
    assert score.marked == WordScore(4, 5, 5)


def test_cleaneval_misses_words_and_bounds() -> None:
    """One paragraph of "one two menu" against two of "one" and "two": words 2 of 3, segments 1 of 2."""
    score = cleaneval_score("one two menu", "<p>one\n<p>two")
    assert score.text == WordScore(2, 3, 2)
    assert score.marked == WordScore(3, 4, 4)


def test_without_rapidfuzz_the_pip_line_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "rapidfuzz", None)
    with pytest.raises(MissingExtraError, match=re.escape(pip_line("eval"))):
        score_words(["a"], ["b"])
