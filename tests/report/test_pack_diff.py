"""The differences of packs: which templates, and which characters, against sets of places."""

from __future__ import annotations

from dataclasses import replace
from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st

import templatemine
from templatemine.cleaning.cleaner import Cleaner
from templatemine.model import Document, Span
from templatemine.packs.pack import Pack
from templatemine.report.explain import Explanation
from templatemine.report.pack_diff import CutDifference, deviation, diff_packs, measure_diffs, uncovered_length

SIZE = 40


def disjoint(edges: list[int]) -> list[Span]:
    places = sorted(set(edges))
    return [Span(a, b, (f"t{a % 3}",)) for a, b in zip(places[::2], places[1::2], strict=False)]


SPANS = st.lists(st.integers(0, SIZE), max_size=10).map(disjoint)


def places(spans: list[Span]) -> set[int]:
    return {at for span in spans for at in range(span.start, span.end)}


@given(SPANS, SPANS)
def test_characters_are_those_of_sets(old: list[Span], new: list[Span]) -> None:
    found = CutDifference()
    found.add(*(Explanation(spans=spans, size=SIZE, cut=len(places(spans))) for spans in (old, new)))
    assert (found.characters, found.old_cut, found.new_cut) == (SIZE, len(places(old)), len(places(new)))
    assert found.only_old == len(places(old) - places(new))
    assert found.only_new == len(places(new) - places(old))
    assert found.differing == (places(old) != places(new))
    assert sum(found.old_by_template.values()) == found.only_old  # one template each
    for span in old:
        assert uncovered_length(span, new) == len(places([span]) - places(new))


def make_articles(number: int = 60) -> list[Document]:
    dice = Random(4)
    words = [f"{a}{b}{c}" for a in "bdfgklmnprst" for b in "aeiou" for c in ("m", "n", "rst", "lk")]
    return [
        Document(
            source="a.example",
            id=str(index),
            text=f"{' '.join(dice.choices(words, k=60)).capitalize()}.\n"
            "Sign up for the morning letter of Example.\nAll rights reserved by Example House.",
        )
        for index in range(number)
    ]


@pytest.fixture(scope="module")
def packs() -> dict[str, Pack]:
    return templatemine.mine(make_articles())


def test_nothing_differs_of_the_same_packs(packs: dict[str, Pack]) -> None:
    (one,) = diff_packs(packs, packs, measured=True)
    assert not one
    assert measure_diffs([one], make_articles()) == 0
    assert one.cuts is not None
    assert (one.cuts.differing, one.cuts.only_old, one.cuts.only_new, one.cuts.documents) == (0, 0, 0, 60)
    assert one.cuts.old_cut == one.cuts.new_cut > 0


def test_a_template_that_is_gone(packs: dict[str, Pack]) -> None:
    pack = packs["a.example"]
    gone = next(one for one in pack.templates if one.example.startswith("Sign up"))
    less = replace(pack, templates=tuple(one for one in pack.templates if one is not gone))
    (one,) = diff_packs(packs, {"a.example": less}, measured=True)
    assert [template.id for template in one.changes.removed] == [gone.id]
    assert not one.changes.added
    articles = make_articles()
    measure_diffs([one], articles)
    assert one.cuts is not None
    lost = sum(
        len(Cleaner(less).clean(article.body).text) - len(Cleaner(pack).clean(article.body).text)
        for article in articles
    )
    assert 0 < one.cuts.only_old <= lost
    assert one.cuts.only_new == 0
    assert one.cuts.old_by_template[gone.id] == one.cuts.only_old
    assert one.cuts.differing == len(articles)


def test_a_share_that_moved(packs: dict[str, Pack]) -> None:
    pack = packs["a.example"]
    first = pack.templates[0]
    moved = replace(pack, templates=(replace(first, df=first.df // 2), *pack.templates[1:]))
    (one,) = diff_packs(packs, {"a.example": moved})
    assert [(a.df, b.df) for a, b in one.moved] == [(first.df, first.df // 2)]
    assert not one.changes
    assert one


@given(st.integers(1, 500), st.integers(1, 500), st.data())
def test_deviation(documents: int, others: int, data: st.DataObject) -> None:
    df, other = data.draw(st.integers(0, documents)), data.draw(st.integers(0, others))
    found = deviation(df, documents, other, others)
    assert found >= 0
    assert found == pytest.approx(deviation(other, others, df, documents))
    assert found == pytest.approx(deviation(documents - df, documents, others - other, others), abs=1e-9)
    assert deviation(df, documents, df, documents) == 0


def test_few_documents_tell_little() -> None:
    assert deviation(5, 5, 3, 5) < 3 < deviation(500, 500, 300, 500)


def test_sources_of_one_side(packs: dict[str, Pack]) -> None:
    (gone,) = diff_packs(packs, {}, measured=True)
    assert gone
    assert gone.new is None
    assert len(gone.changes.removed) == len(packs["a.example"].templates)
    (come,) = diff_packs({}, packs)
    assert len(come.changes.added) == len(packs["a.example"].templates)
    assert measure_diffs([gone], [Document(source="b.example", id="1", text="x"), *make_articles()]) == 1
    assert gone.cuts is not None
    # Each article ends in two lines of boilerplate: the line break before them goes, too.
    assert 0 < gone.cuts.only_old == gone.cuts.old_cut - 60
