"""Gold standards: their formats, what is wrong with them, and scores worked out by hand."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path

import pytest

from templatemine.errors import ConfigError, CorpusError
from templatemine.evaluation.gold import (
    ALL_PAGES,
    TEXT_FORMS,
    GoldConfig,
    evaluate_annotation,
    evaluate_texts,
    gold_texts,
    read_spans,
)
from templatemine.evaluation.protocol import assign_folds, cross_clean, run_system, sample_documents
from templatemine.evaluation.trial_config import FORM_NAMES
from templatemine.model import Cleaned, Document, Span


def document(source: str, name: str, text: str) -> Document:
    return Document(source=source, id=name, text=text)


def nothing(history: Sequence[Document], documents: Sequence[Document]) -> list[Cleaned]:
    return [Cleaned(one.body, ()) for one in documents]


def first_word(history: Sequence[Document], documents: Sequence[Document]) -> list[Cleaned]:
    """Cuts the first word of each text."""
    ends = [len(one.body.split()[0]) for one in documents]
    return [Cleaned(one.body[end:].strip(), (Span(0, end),)) for one, end in zip(documents, ends, strict=True)]


def test_spans_of_a_folder(tmp_path: Path) -> None:
    (tmp_path / "a.jsonl").write_text('{"id": "a/1", "spans": [[0, 3, "template"]]}\n\n', encoding="utf-8")
    (tmp_path / "b.jsonl").write_text('{"id": "b/1", "spans": [[1, 2, "optional", "note"]]}\n', encoding="utf-8")
    assert read_spans(tmp_path) == {"a/1": [(0, 3, "template")], "b/1": [(1, 2, "optional", "note")]}
    assert read_spans(tmp_path / "b.jsonl") == {"b/1": [(1, 2, "optional", "note")]}


@pytest.mark.parametrize(
    "line",
    [
        "{",
        '{"id": "a"}',
        '{"id": "a", "spans": [[1, 2]]}',
        '{"id": "a", "spans": [[1, 2, "template", "note", 1]]}',
        '{"id": "a", "spans": [[2, 1, "template"]]}',
        '{"id": "a", "spans": [[-1, 1, "template"]]}',
        '{"id": "a", "spans": [[1, 2, "advert"]]}',
        "[]",
    ],
)
def test_bad_spans_are_told_with_their_place(tmp_path: Path, line: str) -> None:
    file = tmp_path / "a.jsonl"
    file.write_text('{"id": "b", "spans": []}\n' + line + "\n", encoding="utf-8")
    with pytest.raises(CorpusError, match=r"a\.jsonl:2: expected ") as error:
        read_spans(file)
    assert error.value.fatal


def test_an_id_annotated_twice_and_a_folder_of_nothing(tmp_path: Path) -> None:
    with pytest.raises(CorpusError, match="found none"):
        read_spans(tmp_path)
    (tmp_path / "a.jsonl").write_text('{"id": "b", "spans": []}\n' * 2, encoding="utf-8")
    with pytest.raises(CorpusError, match="second time"):
        read_spans(tmp_path)
    with pytest.raises(CorpusError, match="cannot be read"):
        read_spans(tmp_path / "none.jsonl")


def test_spans_scored_by_hand() -> None:
    documents = [
        document("a", "a/1", "Call us"),
        document("a", "a/2", "Call me now"),
        document("b", "b/1", "Prose it is"),
    ]
    gold = {"a/1": [(0, 4, "template")], "a/2": [(0, 7, "template")], "b/1": []}
    result = evaluate_annotation(documents, gold, first_word)[0]
    assert result.row(source="a") == {
        "source": "a",
        "documents": 2,
        "recall": 8 / 10,
        "precision": 1.0,
        "f1": pytest.approx(16 / 18),
        "loss": 0.0,
        "wounds": 0.0,
    }
    assert result.row(source="b")["loss"] == 5 / 9
    assert (result.row(source="b")["wounds"], result.row(source="mean")["wounds"]) == (100.0, 50.0)
    assert result.row(source="mean")["recall"] == 0.8  # b holds no template
    assert result.row(source="mean")["loss"] == pytest.approx(5 / 18)
    assert evaluate_annotation(documents, gold, nothing)[0].row(source="mean")["recall"] == 0.0


def test_recall_by_kind_is_a_mean_over_sources() -> None:
    documents = [document("a", "a/1", "Call us"), document("b", "b/1", "Note this"), document("b", "b/2", "One word")]
    gold = {
        "a/1": [(0, 4, "template", "contact"), (5, 7, "dynamic", "contact")],
        "b/1": [(0, 4, "dynamic", "contact")],
        "b/2": [(0, 3, "optional", "note"), (4, 8, "template", "other")],
    }
    spans, kinds = evaluate_annotation(documents, gold, first_word)
    assert spans.row(source="b")["wounds"] == 0.0  # what is optional is no content
    assert kinds.row(kind="contact") == {
        "kind": "contact",
        "sources": 2,
        "characters": 10,
        "recall": pytest.approx((4 / 6 + 1) / 2),
        "cut": 8,
        "kind recall": None,  # this system says of no cut what it is
        "kind precision": None,
    }
    assert kinds.row(kind="other")["recall"] == 0.0
    assert [row["kind"] for row in kinds.rows] == ["contact", "note", "other"]
    assert len(evaluate_annotation(documents, dict.fromkeys(gold, ()), first_word)) == 1


def test_kinds_of_what_is_removed_are_judged() -> None:
    documents = [document("a", "a/1", "Call us"), document("b", "b/1", "Note this"), document("b", "b/2", "One word")]
    gold = {"a/1": [(0, 7, "template", "contact")], "b/1": [(0, 4, "optional", "note")], "b/2": [(0, 3, "template")]}

    def call_first_words_contacts(history: Sequence[Document], some: Sequence[Document]) -> list[Cleaned]:
        cleaned = first_word(history, some)
        return [Cleaned(one.text, tuple(cut._replace(kind="contact") for cut in one.removed)) for one in cleaned]

    kinds = evaluate_annotation(documents, gold, call_first_words_contacts)[1]
    judged = {row["kind"]: (row["cut"], row["kind recall"], row["kind precision"]) for row in kinds.rows}
    assert judged == {"contact": (4, 1.0, 0.5), "note": (4, 0.0, None), "all": (8, 0.5, 0.5)}


def test_annotated_documents_must_be_there() -> None:
    with pytest.raises(CorpusError, match="1 of 1 annotated documents are not in the archive, e.g. b"):
        evaluate_annotation([document("a", "a", "x")], {"b": []}, nothing)
    with pytest.raises(CorpusError, match="several documents"):
        evaluate_annotation([document("a", "a", "x")] * 2, {"a": []}, nothing)
    with pytest.raises(CorpusError, match="a: expected a span within 1 characters"):
        evaluate_annotation([document("a", "a", "x")], {"a": [(0, 9, "template")]}, nothing)


def test_a_sample_keeps_the_annotated() -> None:
    documents = [document("a", str(place), "one two") for place in range(30)]
    seen: list[int] = []

    def system(history: Sequence[Document], rows: Sequence[Document]) -> list[Cleaned]:
        seen.append(len(history))
        return nothing(history, rows)

    result = evaluate_annotation(documents, {str(place): [] for place in range(30)}, system, GoldConfig(sample=5))[0]
    assert seen == [30]
    evaluate_annotation(documents, {"3": []}, system, GoldConfig(sample=5))
    assert seen[1] in (5, 6)
    assert result.settings["seed"] == 1


def test_forms() -> None:
    assert tuple(TEXT_FORMS) == FORM_NAMES
    assert TEXT_FORMS["plain"]("a <p>") == "a <p>"
    assert TEXT_FORMS["cleaneval"]("URL: http://x\n<h>A &amp; B\n<l>c").split() == ["A", "&", "B", "c"]
    assert TEXT_FORMS["dragnet"]("a\n!@#$%^&*()  COMMENTS\nb") == "a\n"
    assert TEXT_FORMS["auto"](" URL: x\n<P>a &lt;\n!@#$%^&*()  COMMENTS\nb").split() == ["a", "<"]


def test_texts_scored_by_hand() -> None:
    documents = [
        document("a", "a/1", "menu one two"),
        document("b", "b/1", "menu three four five"),
        document("b", "b/2", "x y"),
    ]
    gold = {"a/1": "one two", "b/1": "menu three", "b/2": None}
    result = evaluate_texts(documents, gold, first_word)
    assert result.row(source="a") == {"source": "a", "pages": 1, "precision": 1.0, "recall": 1.0, "f1": 1.0}
    assert result.row(source="b")["precision"] == pytest.approx(1 / 3)
    assert result.row(source="b")["recall"] == 0.5
    assert result.row(source=ALL_PAGES)["pages"] == 2
    assert result.row(source=ALL_PAGES)["f1"] == pytest.approx((1 + 0.4) / 2)


def test_cleaneval_has_columns_of_its_own() -> None:
    gold = {"a/1": "URL: http://x\n<h>one\n<p>two"}
    result = evaluate_texts([document("a", "a/1", "x one\ntwo")], gold, first_word, GoldConfig(form="cleaneval"))
    row = result.row(source=ALL_PAGES)
    assert (row["f1"], row["bounds f1"], row["marked f1"]) == (1.0, 1.0, 0.75)
    assert list(result.units) == [
        "source",
        "pages",
        "precision",
        "recall",
        "f1",
        "bounds f1",
        "marked recall",
        "marked f1",
    ]


def test_mark_up_of_a_system_is_no_text() -> None:
    pytest.importorskip("rapidfuzz")

    def marked(history: Sequence[Document], rows: Sequence[Document]) -> list[Cleaned]:
        return [Cleaned("<h>one\n<l>two", ()) for _ in rows]

    result = evaluate_texts([document("a", "a/1", "x")], {"a/1": "<h>one<p>two"}, marked, GoldConfig(form="cleaneval"))
    row = result.row(source="all pages")
    assert (row["precision"], row["recall"], row["bounds f1"], row["marked f1"]) == (1, 1, 1, 0.75)


def test_bad_gold() -> None:
    one = document("a", "a/1", "x y")
    with pytest.raises(CorpusError, match="none of the documents has a gold text"):
        evaluate_texts([one], {"a/1": None}, nothing)
    with pytest.raises(CorpusError, match="found list"):
        gold_texts([(one, ["x"])])
    with pytest.raises(ConfigError, match="form: expected one of auto"):
        GoldConfig(form="xml")
    with pytest.raises(ConfigError, match="folds"):
        GoldConfig(folds=0)


def test_no_page_is_cleaned_with_itself() -> None:
    documents = [document(source, f"{source}/{place}", "x") for source in "ab" for place in range(10)]

    def system(history: Sequence[Document], rows: Sequence[Document]) -> list[Cleaned]:
        known = {row.id for row in history}
        assert not known & {row.id for row in rows}
        assert len(history) == 16
        return [Cleaned(row.id, ()) for row in rows]

    assert [one.text for one in cross_clean(system, documents, 5, 1)] == [row.id for row in documents]


def test_folds_and_picks_depend_on_seed_and_ids_alone() -> None:
    documents = [document(source, f"{source}/{place}", "x") for source in "ab" for place in range(50)]
    turned = documents[::-1]
    assert assign_folds(turned, 5, 3)[::-1] == assign_folds(documents, 5, 3) != assign_folds(documents, 5, 4)
    assert (
        sample_documents(turned, 7, 3)[::-1] == sample_documents(documents, 7, 3) != sample_documents(documents, 7, 4)
    )
    assert len(sample_documents(documents, 7, 3)) == 14
    assert sample_documents(documents, None, 3) == documents
    for source in "ab":
        own = [fold for fold, row in zip(assign_folds(documents, 5, 3), documents, strict=True) if row.source == source]
        assert sorted(own) == sorted([0, 1, 2, 3, 4] * 10)


def test_a_system_must_answer_for_all_and_within_the_text() -> None:
    rows = [document("a", "a/1", "abc")]
    with pytest.raises(CorpusError, match="the system gave 0"):
        run_system(lambda history, documents: [], rows, rows)
    with pytest.raises(CorpusError, match=r"a/1: expected spans within 3 characters, found \[0, 9\)"):
        run_system(lambda history, documents: [Cleaned("", (Span(0, 9),))], rows, rows)


def test_facts_are_json() -> None:
    result = evaluate_texts([document("a", "a/1", "x y")], {"a/1": "y"}, first_word)
    assert json.loads(json.dumps(result.as_dict()))["rows"][0]["f1"] == 1.0
