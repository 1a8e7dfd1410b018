"""Training data of `crf`: labels from golds of three kinds, and figures."""

from __future__ import annotations

import sys
from pathlib import Path

import numpy as np
import pytest

from templatemine.pages.blocks import Page
from templatemine.pages.crf import LABELS

pytest.importorskip("pycrfsuite")
pytest.importorskip("rapidfuzz")
sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "datasets" / "pages"))

import train_crf


def named(labels: np.ndarray) -> list[str]:
    return [LABELS[label] for label in labels.tolist()]


def test_labels_by_the_words_of_the_gold() -> None:
    texts = ["Home", "Low tide", "The sea", "went", ".", "All rights reserved"]
    gold = [("other", "Home"), ("header", "Low tide"), ("text", "The sea went.")]
    assert named(train_crf.aligned(texts, gold)) == ["other", "header", "text", "text", "text", "other"]


def test_pieces_of_a_gold_in_mark_up() -> None:
    assert train_crf.marked("URL: http://a.example\n<h>Low tide\n<p>The sea\n<l>one")[1:] == [
        ("header", "Low tide\n"), ("text", "The sea\n"), ("text", "one"),
    ]  # fmt: skip


def test_labels_by_place_as_the_desk_exports_them() -> None:
    html = "<h1>Head</h1><p>té <b>xt</b></p><ul><li>item</ul><p>foot"
    places = {text: (html.index(text), html.index(text) + len(text)) for text in ("Head", "té <b>xt", "item", "foot")}
    kinds = zip(places.values(), ("header", "text", "list", "other"), strict=True)
    got = train_crf.by_offsets(Page(html), [(start, end, kind) for (start, end), kind in kinds])
    assert named(got) == ["header", "text", "text", "text", "other"]
    assert named(train_crf.by_offsets(Page(html), [])) == ["other"] * 5


def test_figures() -> None:
    true = np.array([0, 1, 1, 2, 2])
    chances = np.array([[0.8, 0.1, 0.1], [0.6, 0.2, 0.2], [0.1, 0.3, 0.6], [0.1, 0.5, 0.4], [0, 0, 1.0]])
    assert train_crf.figures(true, chances) == (0.4, 0.6, pytest.approx(2 / 3), pytest.approx(2 / 3))
    assert train_crf.figures(true, chances, 0.3)[2:] == (1.0, pytest.approx(2 / 3))
    assert train_crf.drawn([(0.8, 0.8)] * len(train_crf.THRESHOLDS)).count("<circle") == len(train_crf.THRESHOLDS)
