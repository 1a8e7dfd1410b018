"""Near duplicates and clusters: by hand, against a slow twin, and with systems of which the outcome is known."""

from __future__ import annotations

import random
import re
import sys
from collections.abc import Sequence
from dataclasses import replace
from itertools import combinations

import pytest

import reference
from templatemine.errors import ConfigError, CorpusError, MissingExtraError, pip_line
from templatemine.evaluation.retrieval import (
    RetrievalConfig,
    evaluate_clustering,
    evaluate_near_duplicates,
    find_near_duplicates,
    make_shingles,
)
from templatemine.model import Cleaned, Document

CONFIG = RetrievalConfig(sample=None)


def nothing(history: Sequence[Document], documents: Sequence[Document]) -> list[Cleaned]:
    return [Cleaned(one.body, ()) for one in documents]


def everything(history: Sequence[Document], documents: Sequence[Document]) -> list[Cleaned]:
    return [Cleaned("", ()) for _ in documents]


def article(source: str, place: int, vocabulary: str = "", length: int = 40) -> Document:
    rng = random.Random(f"{source} {place}")
    words = [
        f"{vocabulary}{rng.randrange(60)}" if rng.random() < 0.5 else f"w{rng.randrange(400)}" for _ in range(length)
    ]
    return Document(source=source, id=f"{source}/{place}", text=" ".join(words))


def test_shingles() -> None:
    assert make_shingles("A b, a B c", 2) == {("a", "b"), ("b", "a"), ("b", "c")}
    assert make_shingles("one", 3) == {("one",)}
    assert make_shingles("...", 3) == frozenset()


def test_pairs_are_those_of_the_twin() -> None:
    """Texts of which each changes some words of an earlier one."""
    rng = random.Random(3)
    texts = [article("a", place).body for place in range(6)]
    for place in range(24):
        words = texts[place].split()
        for _ in range(rng.randrange(1, 9)):
            words[rng.randrange(len(words))] = f"new{rng.randrange(99)}"
        texts.append(" ".join(words))
    pytest.importorskip("datasketch")
    expected = {
        pair
        for pair in combinations(range(len(texts)), 2)
        if reference.jaccard(texts[pair[0]], texts[pair[1]], 3) >= CONFIG.threshold
    }
    found = find_near_duplicates(texts, CONFIG)
    assert found <= expected
    assert len(found) >= 0.95 * len(expected) > 5  # MinHash may miss a pair, rarely
    assert found == find_near_duplicates(texts, CONFIG)


def test_pairs_just_above_the_threshold_are_found() -> None:
    """40 words, of which the last 9 are others: 29 of the 47 sets of three are in both."""
    pytest.importorskip("datasketch")
    texts = []
    for place in range(150):
        words = [f"w{place}x{number}" for number in range(40)]
        texts.append(" ".join(words))
        texts.append(" ".join([*words[:-9], *(f"new{place}x{number}" for number in range(9))]))
    (index,) = {reference.jaccard(texts[place], texts[place + 1], 3) for place in range(0, 300, 2)}
    assert 0.6 < index < 0.62
    assert len(find_near_duplicates(texts, CONFIG)) >= 149


def test_any_seed_will_do() -> None:
    pytest.importorskip("datasketch")
    pytest.importorskip("sklearn")
    config = RetrievalConfig(seed=2**40 + 1, sample=None)
    documents = [article(f"s{place % 2}", place, vocabulary="xy"[place % 2]) for place in range(12)]
    evaluate_near_duplicates(documents, nothing, config)
    evaluate_clustering(documents, {one.id: one.source for one in documents}, nothing, config)


def test_too_few_words_in_common_to_cluster() -> None:
    pytest.importorskip("sklearn")
    documents = [article(f"s{place % 2}", place) for place in range(3)]
    with pytest.raises(CorpusError, match="3 articles share too few words"):
        evaluate_clustering(documents, {one.id: one.source for one in documents}, nothing, CONFIG)


def test_groups_that_are_known() -> None:
    pytest.importorskip("datasketch")
    text = article("a", 1).body
    documents = [Document(source="a", id=str(place), text=text) for place in range(3)] + [article("b", 2)]
    result = evaluate_near_duplicates(documents, everything, CONFIG, {"0": "x", "1": "x", "b/2": "x"})
    before, after = result.rows
    assert (before["pairs"], before["said to be"]) == (3, 3)
    assert before["recall"] == before["precision"] == pytest.approx(1 / 3)
    assert (after["said to be"], after["recall"], after["precision"]) == (0, 0.0, 1.0)
    with pytest.raises(CorpusError, match="no two documents"):
        evaluate_near_duplicates(documents, nothing, CONFIG, {"0": "x"})


def test_copies_are_made_and_an_oracle_finds_them() -> None:
    pytest.importorskip("datasketch")
    documents = [article("a", place, length=60) for place in range(20)]
    originals = {one.id: one.body for one in documents}

    def oracle(history: Sequence[Document], rows: Sequence[Document]) -> list[Cleaned]:
        return [Cleaned(originals[one.id], ()) for one in rows]

    result = evaluate_near_duplicates(documents, oracle, CONFIG)
    before, after = result.rows
    assert (before["documents"], before["pairs"]) == (40, 20)
    assert before["recall"] < 0.5
    assert (after["recall"], after["precision"]) == (1.0, 1.0)
    assert evaluate_near_duplicates(documents, nothing, CONFIG).rows[1]["recall"] == before["recall"]
    assert evaluate_near_duplicates(documents[::-1], oracle, CONFIG) == result


def test_articles_alike_by_themselves_count_neither_way() -> None:
    pytest.importorskip("datasketch")
    documents = [article("a", place, length=60) for place in range(12)]
    documents.append(replace(documents[0], id="a/again"))
    originals = {one.id: one.body for one in documents}

    def oracle(history: Sequence[Document], rows: Sequence[Document]) -> list[Cleaned]:
        return [Cleaned(originals[one.id], ()) for one in rows]

    row = evaluate_near_duplicates(documents, oracle, CONFIG).row(articles="cleaned")
    assert (row["pairs"], row["precision"], row["recall"]) == (13, 1.0, 1.0)


def test_clusters_of_subjects_under_common_boilerplate() -> None:
    """Two subjects; long boilerplate that has nothing to do with them hides them until it is gone."""
    pytest.importorskip("sklearn")
    documents = [article(f"s{place % 4}", place, vocabulary="xy"[place % 2]) for place in range(60)]
    labels = {one.id: "xy"[place % 2] for place, one in enumerate(documents)}
    bare = {one.id: one.body for one in documents}
    rng = random.Random(1)
    boxes = [" ".join(f"box{rng.randrange(4)}{letter}" for _ in range(80)) for letter in "abc"]
    dressed = [replace(one, text=f"{one.text} {boxes[place % 3]}") for place, one in enumerate(documents)]

    def oracle(history: Sequence[Document], rows: Sequence[Document]) -> list[Cleaned]:
        return [Cleaned(bare[one.id], ()) for one in rows]

    result = evaluate_clustering(dressed, labels, oracle, CONFIG)
    before, after = result.rows
    assert after["adjusted Rand"] > 0.9 > before["adjusted Rand"]
    assert after["labels"] == 2
    assert evaluate_clustering(dressed[::-1], labels, oracle, CONFIG) == result


def test_labels_must_be_there() -> None:
    documents = [article("a", place) for place in range(4)]
    for labels in ({}, {one.id: "x" for one in documents}, {one.id: one.id for one in documents}):
        with pytest.raises(CorpusError, match="expected at least two labels"):
            evaluate_clustering(documents, labels, nothing, CONFIG)


def test_options_and_extras(monkeypatch: pytest.MonkeyPatch) -> None:
    for options in ({"threshold": 1.0}, {"changed": 1.0}, {"shingle": 0}):
        with pytest.raises(ConfigError):
            RetrievalConfig(**options)
    monkeypatch.setitem(sys.modules, "datasketch", None)
    monkeypatch.setitem(sys.modules, "sklearn", None)
    with pytest.raises(MissingExtraError, match=re.escape(f"datasketch: {pip_line('eval')}")):
        find_near_duplicates(["a"], CONFIG)
    documents = [article("a", place) for place in range(4)]
    with pytest.raises(MissingExtraError, match="scikit-learn"):
        evaluate_clustering(
            documents, {one.id: (one.id[-1] > "1" and "x") or "y" for one in documents}, nothing, CONFIG
        )
