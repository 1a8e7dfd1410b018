"""Mirrors: two copies with different boilerplate, and copies that exist."""

from __future__ import annotations

from collections.abc import Sequence

import pytest

from templatemine.errors import ConfigError, CorpusError
from templatemine.evaluation.mirror import MirrorConfig, compare_copies, evaluate_mirror, synthetic_copy
from templatemine.model import Cleaned, Document

ARTICLES = [
    Document(source=source, id=f"{source}/{place}", text=f"Day {place}.\n\nWord{place} and {source}word{place} went.")
    for place in range(20)
    for source in ("a", "b")
]


def nothing(history: Sequence[Document], documents: Sequence[Document]) -> list[Cleaned]:
    return [Cleaned(one.body, ()) for one in documents]


def everything(history: Sequence[Document], documents: Sequence[Document]) -> list[Cleaned]:
    return [Cleaned("", ()) for _ in documents]


def oracle(history: Sequence[Document], documents: Sequence[Document]) -> list[Cleaned]:
    originals = {one.id: one.body for one in ARTICLES}
    return [Cleaned(originals[one.id], ()) for one in documents]


def test_a_system_that_cuts_nothing_leaves_the_copies_apart() -> None:
    row = evaluate_mirror(ARTICLES, nothing).row(source="all")
    assert row["distance after"] == row["distance before"] > 0.3
    assert (row["equal after"], row["left as it is"], row["article kept"]) == (0.0, 1.0, 1.0)


def test_a_system_that_cuts_all_is_found_out() -> None:
    row = evaluate_mirror(ARTICLES, everything).row(source="all")
    assert (row["distance after"], row["equal after"], row["left as it is"]) == (0.0, 1.0, 0.0)


def test_an_oracle_makes_them_equal() -> None:
    result = evaluate_mirror(ARTICLES, oracle)
    assert [row["source"] for row in result.rows] == ["a", "b", "all"]
    for row in result.rows:
        assert (row["distance after"], row["equal after"], row["left as it is"], row["article kept"]) == (0, 1, 1, 1)
    assert result.row(source="a")["documents"] == 20


def test_copies_differ_and_stay_in_order() -> None:
    left, right = (synthetic_copy(ARTICLES, 6, 1, name) for name in ("left", "right"))
    assert [one.id for one in left] == [one.id for one in ARTICLES]
    assert left == synthetic_copy(ARTICLES[::-1], 6, 1, "left")[::-1]
    assert left != synthetic_copy(ARTICLES, 6, 2, "left")
    assert sum(one.text != other.text for one, other in zip(left, right, strict=True)) >= 38
    for bare, one in zip(ARTICLES, left, strict=True):
        assert f"Word{bare.id[2:]}" in one.body


def test_existing_copies_are_matched_by_id() -> None:
    """One word of four differs in one pair, the other pair is equal; 3 has no partner."""
    one = [Document(source="x", id=name, text=text) for name, text in (("1", "a b c d"), ("2", "e"), ("3", "f"))]
    other = [Document(source="y", id=name, text=text) for name, text in (("2", "e"), ("1", "a b c x"))]
    result = compare_copies(one, other, nothing)
    row = result.row(source="all")
    assert row == {
        "source": "all",
        "documents": 2,
        "distance before": 0.125,
        "distance after": 0.125,
        "equal after": 0.5,
    }
    assert "article kept" not in result.units


def test_existing_copies_may_be_pages() -> None:
    one = [Document(source="x", id="1", html="<p class=a>one <i>two</i>")]
    other = [Document(source="y", id="1", html="<div id=b>one two")]
    assert compare_copies(one, other, everything).row(source="all")["distance before"] == 0.0


def test_what_it_refuses() -> None:
    with pytest.raises(CorpusError, match="no id is in both copies"):
        compare_copies(ARTICLES[:1], ARTICLES[1:2], nothing)
    with pytest.raises(CorpusError, match="found HTML"):
        evaluate_mirror([Document(source="a", id="1", html="<p>x")], nothing)
    with pytest.raises(CorpusError, match="no documents"):
        evaluate_mirror([], nothing)
    with pytest.raises(ConfigError):
        MirrorConfig(templates=0)
