"""Passages that articles of a running story repeat: where they go, and what is learnt from them."""

from __future__ import annotations

import random
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
sys.path[:0] = [str(ROOT / "datasets"), str(ROOT / "datasets" / "templates")]

import score_model  # noqa: E402
from running_stories import MAX_SIZE, MIN_SIZE, repeat_passages  # noqa: E402
from training_data import AnnotatedSource  # noqa: E402

from templatemine.mining.labels import KINDS, SEGMENT  # noqa: E402
from templatemine.model import Document  # noqa: E402

FOOTER = "Sign up for our newsletter, which tells each morning what the harbour has seen."


def make_articles(separator: str, number: int = 30) -> list[Document]:
    """Articles of six sentences and a footer, of two topics."""
    rng = random.Random(3)

    def sentence(topic: str) -> str:
        words = [topic + rng.choice("aeiou"), *("".join(rng.choices("aeioubcdlmnrst", k=7)) for _ in range(14))]
        return " ".join(words).capitalize() + "."

    texts = [separator.join([*(sentence("ab"[n % 2] * 4) for _ in range(6)), FOOTER]) for n in range(number)]
    return [Document(source="s", id=str(place), text=text) for place, text in enumerate(texts)]


def spans_of(articles: list[Document], origins: list[int]) -> dict[str, list[tuple[int, int]]]:
    return {articles[one].id: [(articles[one].body.index(FOOTER), len(articles[one].body))] for one in origins}


@pytest.mark.parametrize("separator", ["\n", "\n\n", " "])
def test_passages_are_whole_and_stand_in_other_articles(separator: str) -> None:
    articles, origins = make_articles(separator), [0, 1]
    repeated, passages = repeat_passages(articles, origins, spans_of(articles, origins), seed=1)
    assert {one.origin for one in passages} == {0, 1}
    assert [repeated[one] for one in origins] == [articles[one] for one in origins]
    texts = [one.body for one in articles]
    for one in passages:
        assert one.text in texts[one.origin]
        assert MIN_SIZE <= len(one.text) <= MAX_SIZE
        assert FOOTER not in one.text
        assert not texts[one.origin].startswith(one.text)
        assert one.followers
        assert all(one.text in repeated[place].body and one.text not in texts[place] for place in one.followers)
        # Nothing of theirs is lost, and they begin as they did.
        assert all(len(repeated[place].body) > len(texts[place]) for place in one.followers)
        assert all(repeated[place].body.startswith(texts[place][:20]) for place in one.followers)
    assert repeat_passages(articles, origins, {}, seed=1)[1] != repeat_passages(articles, origins, {}, seed=2)[1]


def test_few_articles_repeat_nothing() -> None:
    articles = make_articles("\n", 2)
    assert repeat_passages(articles, [0, 1], {}, seed=1) == (articles, [])
    assert repeat_passages([], [], {}, seed=1) == ([], [])


def test_what_is_learnt_of_them_are_segments_of_content() -> None:
    articles, origins = make_articles("\n"), [0, 1, 2, 3]
    gold = {
        name: [(start, end, "template", "promotion") for start, end in spans]
        for name, spans in spans_of(articles, origins).items()
    }
    source = AnnotatedSource(name="s", publisher="s", documents=tuple(articles), gold=gold)
    kinds = score_model.make_running_examples(source, 1).kinds
    assert len(kinds[SEGMENT].size) >= 4
    assert not kinds[SEGMENT].boilerplate.any()
    assert [len(kinds[kind].size) for kind in KINDS if kind != SEGMENT] == [0, 0]
    assert score_model.make_examples(source).kinds[SEGMENT].boilerplate.any()
