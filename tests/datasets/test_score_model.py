"""What the score is trained on: shares of annotated articles, labels of strings, kinds; on invented articles."""

from __future__ import annotations

import json
import runpy
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pytest

ROOT = Path(__file__).resolve().parents[2]
sys.path[:0] = [str(ROOT / "datasets"), str(ROOT / "datasets" / "templates")]

import score_model  # noqa: E402
from training_data import BOILERPLATE_KINDS, AnnotatedSource, LabelledString  # noqa: E402

from templatemine.mining.labels import PREFIX, SEGMENT  # noqa: E402
from templatemine.mining.score import load_model  # noqa: E402
from templatemine.model import Document  # noqa: E402

CALL, LABEL = "Sign up for our newsletter now!", "Related:"
WORDS = ("low", "tide", "harbour", "boat", "gull", "mast", "rope", "net", "pier", "sail", "oar", "wave", "cove", "buoy")


def make_articles(source: str, number: int = 14) -> list[Document]:
    texts = [f"The {WORDS[n]} {n} came.\n{LABEL} {WORDS[n]} day {n} seen\nIt left {n}.\n{CALL}" for n in range(number)]
    return [Document(source=source, id=f"{source}/{n}", text=text) for n, text in enumerate(texts)]


ARTICLES = make_articles("s")


def span(document: Document, text: str, *status: str) -> Any:
    start = document.body.index(text)
    return (start, start + len(text), *status)


def labelled(text: str, label: str, filler: str | None, documents: Sequence[Document] = ARTICLES) -> LabelledString:
    places = tuple((one.id, *span(one, text)) for one in documents[:3])
    return LabelledString("prefix", text, 14, 14, label, filler, places)


def source(gold: Any = None, labels: Sequence[LabelledString] = (), name: str = "s") -> AnnotatedSource:
    documents = tuple(make_articles(name))
    return AnnotatedSource(name=name, publisher=name, documents=documents, gold=gold or {}, labels=labels)


def gold_of(documents: Sequence[Document]) -> dict[str, list[Any]]:
    return {
        one.id: [
            span(one, CALL, "template", "promotion"),
            span(one, LABEL, "template", "related"),
            span(one, " day", "optional", "note"),
        ]
        for one in documents[:2]
    }


def test_of_annotated_articles_a_candidate_has_the_share_that_is_boilerplate() -> None:
    kinds = score_model.make_examples(source(gold_of(ARTICLES))).kinds
    (row,) = np.flatnonzero(kinds[SEGMENT].boilerplate)
    size = 2 * len(CALL.replace(" ", ""))
    assert (kinds[SEGMENT].size[row], kinds[SEGMENT].boilerplate[row]) == (size, size)
    assert kinds[SEGMENT].kinds[row].tolist() == [size * (kind == "promotion") for kind in BOILERPLATE_KINDS]
    (row,) = np.flatnonzero(kinds[PREFIX].boilerplate == 2 * len(LABEL))
    # The rest of the line without what is optional.
    rest = sum(len(f"{WORDS[number]}{number}seen") for number in range(2))
    assert (kinds[PREFIX].rest[row], kinds[PREFIX].rest_boilerplate[row]) == (rest, 0)
    assert (kinds[PREFIX].label[row], kinds[PREFIX].filler[row]) == (-1, -1)


def test_a_model_is_trained_on_articles_and_labels(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    pytest.importorskip("lightgbm")
    for folder in ("gold", "labels"):
        (tmp_path / folder).mkdir()
    rows = []
    for name in ("a", "b", "c", "d", "e", "f"):
        documents = make_articles(name)
        rows += [{"source": name, "id": one.id, "text": one.body} for one in documents]
        if name < "d":
            spans = [{"id": key, "spans": own} for key, own in gold_of(documents).items()]
            (tmp_path / "gold" / f"{name}.jsonl").write_text("\n".join(map(json.dumps, spans)))
        else:
            string = labelled(LABEL, "related", "line", documents)._asdict()
            (tmp_path / "labels" / f"{name}.jsonl").write_text(json.dumps(string))
    (tmp_path / "texts.jsonl").write_text("\n".join(map(json.dumps, rows)))
    output = tmp_path / "model.npz"
    arguments = [str(tmp_path / "texts.jsonl"), "--gold", str(tmp_path / "gold"), "--labels", str(tmp_path / "labels")]
    monkeypatch.setattr(sys, "argv", ["train.py", *arguments, "--dressed", "0", "-o", str(output)])
    monkeypatch.setattr(score_model, "TREES", 2)
    monkeypatch.setattr(score_model, "FILLER_TREES", 2)
    # By its path: the trainer of the page model has the same name.
    runpy.run_path(str(ROOT / "datasets" / "templates" / "train.py"), run_name="__main__")
    load_model(str(output))
    card = json.loads(output.with_suffix(".json").read_text())
    assert card["command"] == "train.py texts.jsonl --gold gold --labels labels"
    assert (card["sources"]["a"]["annotated"], card["sources"]["a"]["labelled"]) == (2, 0)
    assert (card["sources"]["d"]["annotated"], card["sources"]["d"]["labelled"]) == (0, 1)
    assert card["sources"]["d"]["candidates"][PREFIX] == 1
