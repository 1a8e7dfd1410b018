"""Training data of `crf`: labels from golds of three kinds, and figures."""

from __future__ import annotations

import argparse
import json
import sys
import tempfile
from importlib.resources import files
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from invented_pages import page
from strategies import examples
from templatemine.pages.baselines.crf import (
    LABELS,
    ChainWeights,
    compute_features,
    find_runs,
    hash_weights,
)
from templatemine.pages.blocks import Page

pytest.importorskip("pycrfsuite")
pytest.importorskip("rapidfuzz")
sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "datasets" / "pages"))

import train_crf
from alignment import describe_provenance


def named(labels: np.ndarray) -> list[str]:
    return [LABELS[label] for label in labels.tolist()]


def test_sets_of_each_form(tmp_path: Path) -> None:
    """Labels of people; a gold in mark-up, each page a site; and a text, of which headings of the page are headers."""
    html = "<ul><li><a href=/>Home</a></ul><h1>Low tide</h1><p>The sea went out on Monday.</p><h2>Read next</h2>"
    gold = "Low tide\n\nThe sea went out on Monday."
    sets: dict[str, list[dict[str, Any]]] = {
        "pages": [{"id": "x/1.html", "source": "a.example", "html": html}],
        "blocks": [{"id": "1.html", "blocks": [[2, "Low tide"], [1, "The sea went out on Monday."], [0, "Home"]]}],
        "marks": [{"id": "2", "html": html, "gold": "<p>Low tide<h>The sea went out on Monday."}],
        "wcxb": [
            {"id": "3", "source": "b.example", "html": html, "gold": gold},
            {"id": "4", "html": html, "gold": None},
        ],
    }
    for name, rows in sets.items():
        (tmp_path / name).write_text("".join(json.dumps(row) + "\n" for row in rows))
    paths = [str(tmp_path / name) for name in sets]
    pages = train_crf.load_pages(argparse.Namespace(sets=paths, labelled=[], language=[], parts=False, seed=1))
    assert [(page.site, named(page.labels)) for page in pages] == [
        ("a.example", ["other", "text", "header", "other"]),
        ("2", ["other", "text", "header", "other"]),
        ("b.example", ["other", "header", "text", "other"]),
    ]
    told = describe_provenance("train_crf.py", paths)
    assert told["licences"] == {"pages": "unstated", "blocks": "unstated", "marks": "unstated", "wcxb": "CC-BY-4.0"}
    assert told["command"] == "train_crf.py pages blocks marks wcxb"


@pytest.mark.parametrize("name", ["crf", "shallow"])
def test_models_that_ship_are_of_sets_that_may_be_passed_on(name: str) -> None:
    text = files("templatemine.pages.baselines").joinpath(f"{name}.json").read_text(encoding="utf-8")
    told = json.loads(text)
    assert set(told["licences"].values()) == {"MIT", "CC-BY-4.0"}
    assert list(told["licences"]) == list(told["sets"]) == [one for one in told["command"].split()[1:] if one[0] != "-"]


@examples(12)
@given(st.integers(0, 10**6), st.sampled_from(["lbfgs", "l2sgd"]))
def test_the_table_says_what_the_library_says(seed: int, algorithm: str) -> None:
    """Weights as read from the file, marginals by our own passes."""
    pycrfsuite = pytest.importorskip("pycrfsuite")
    draw = np.random.default_rng(seed)
    values = [compute_features(find_runs(Page(page(int(number))))) for number in draw.integers(0, 10**6, size=3)]
    trainer = pycrfsuite.Trainer(verbose=False, algorithm=algorithm)
    trainer.set_params({"max_iterations": 15, "feature.possible_transitions": True})
    for one in values[:2]:
        trainer.append(train_crf.crf_attributes(one), [LABELS[label] for label in draw.integers(0, 3, size=len(one))])
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "one.model"
        trainer.train(str(path))
        model = path.read_bytes()
    tagger = pycrfsuite.Tagger()
    tagger.open_inmemory(model)
    tagger.set(train_crf.crf_attributes(values[2]))
    wanted = [[tagger.marginal(label, at) for label in LABELS] for at in range(len(values[2]))]
    assert ChainWeights.from_table(train_crf.read_weights(model)).marginals(values[2]) == pytest.approx(
        np.array(wanted), abs=1e-6
    )


def test_a_model_is_written_a_line_an_attribute() -> None:
    values = compute_features(find_runs(Page(page(1))))
    labels = np.arange(len(values)) % 3
    table = train_crf.train([train_crf.LabelledRuns("a.example", values, labels)])
    text = train_crf.format_model({"pages": 1, "sha256": hash_weights(table)}, table)
    again = json.loads(text)
    assert (again["steps"], again["weights"]) == (table["steps"], table["weights"])
    assert again["sha256"] == hash_weights(again)
    assert len(text.splitlines()) == 11 + len(table["weights"])
