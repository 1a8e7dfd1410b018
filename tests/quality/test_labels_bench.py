"""The yardstick of single decisions: its measures by hand and by a slow twin, publishers left out, the page."""

from __future__ import annotations

import sys
from itertools import product
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

ROOT = Path(__file__).resolve().parents[2]
sys.path[:0] = [str(ROOT / folder) for folder in ("bench", "datasets", "datasets/templates")]

from score_model import LabelledCandidates, SourceExamples, part_pieces  # noqa: E402
from training_data import BOILERPLATE_KINDS, FILLERS, UNITS, AnnotatedSource  # noqa: E402

from quality import archives, labels  # noqa: E402
from quality.labels import (  # noqa: E402
    area_under_curve,
    measure_decisions,
    render_page,
    score_decisions,
    split_publishers,
)
from templatemine.config import SelectConfig  # noqa: E402
from templatemine.mining._candidates import PIECES  # noqa: E402
from templatemine.mining.features import FEATURES, SURROUNDINGS  # noqa: E402
from templatemine.mining.labels import KINDS, PREFIX  # noqa: E402
from templatemine.mining.wording import Wording, Words  # noqa: E402


@given(st.lists(st.tuples(st.sampled_from([0.0, 0.25, 0.5, 1.0]), st.integers(0, 1)), max_size=12))
def test_the_area_is_the_share_of_pairs_in_order(rows: list[tuple[float, int]]) -> None:
    ones, others = ([score for score, label in rows if label == wanted] for wanted in (1, 0))
    pairs = [1.0 if one > other else 0.5 if one == other else 0.0 for one, other in product(ones, others)]
    area = area_under_curve(np.array([score for score, _ in rows]), np.array([label for _, label in rows], np.int8))
    assert area == (pytest.approx(sum(pairs) / len(pairs)) if pairs else None)


def table(*rows: tuple[str, int, float, int, float, int, int]) -> dict[str, Any]:
    """Unit, label, score, filler, score of the filler, kind, kind that is said."""
    units, label, score, filler, filler_score, kind, said = zip(*rows, strict=True)
    return {
        "source": np.array([f"source {place}" for place in range(len(rows))], object),
        "unit": np.array([UNITS.index(unit) for unit in units], np.int8),
        "label": np.array(label, np.int8),
        "score": np.array(score, np.float32),
        "filler": np.array(filler, np.int8),
        "filler_score": np.array(filler_score, np.float32),
        "kind": np.array(kind),
        "said_kind": np.array(said),
    }


CONTENT, SENTENCE, LINE = (FILLERS.index(name) for name in ("content", "sentence", "line"))
DECISIONS = table(
    ("segment", 1, 0.9, -1, 0, 2, 2),
    ("segment", 1, 0.5, -1, 0, 3, 2),
    ("segment", 0, 0.6, -1, 0, -1, 2),
    ("segment", 0, 0.1, -1, 0, -1, 2),
    ("prefix", 1, 0.95, LINE, 0.9, 1, 1),
    ("prefix", 1, 0.78, SENTENCE, 0.95, 1, 1),
    ("prefix", 1, 0.99, CONTENT, 0.2, 1, 1),
    ("prefix", 0, 0.92, -1, 0.5, -1, 1),
)


def test_decisions_are_those_at_the_thresholds() -> None:
    rows = {
        row["decision"]: row for row in measure_decisions(DECISIONS, SelectConfig(segment=0.7, label=0.9, filler=0.7))
    }
    segments, prefixes, fillers = rows["segments"], rows["prefixes"], rows["fillers of prefixes"]
    assert (segments["number"], segments["boilerplate"], segments["auc"]) == (4, 2, 0.75)
    assert (segments["error"], segments["missed"], segments["false"]) == (0.25, 0.5, 0.0)
    assert (prefixes["error"], prefixes["missed"], prefixes["false"]) == (0.5, pytest.approx(1 / 3), 1.0)
    # The second goes by its filler, and not as a label: so not both.
    assert (fillers["number"], fillers["boilerplate"], fillers["auc"]) == (3, 2, 1.0)
    assert (fillers["error"], fillers["both gone"]) == (0.0, 0.5)
    assert (rows["strings"]["number"], rows["strings"]["auc"], rows["strings"]["interval"]) == (0, None, None)
    assert rows["kinds"] == {"decision": "kinds", "number": 5, "error": pytest.approx(1 / 5)}
    low, high = segments["interval"]
    assert 0 <= low <= 0.75 <= high <= 1


def test_publishers_are_in_one_part_each() -> None:
    sources = [
        AnnotatedSource(name=f"{name}/{place}", publisher=name, documents=())
        for name in "abcdefg"
        for place in range(2)
    ]
    folds = split_publishers(sources, 3)
    assert sorted(name for fold in folds for name in fold) == list("abcdefg")
    assert {len(fold) for fold in folds} == {2, 3}
    assert folds == split_publishers(sources[::-1], 3)


class Scorer:
    """Says the first feature, and of fillers the second."""

    wording = Wording(
        weights=np.zeros((PIECES, len(BOILERPLATE_KINDS) - 1), np.int8),
        scales=np.zeros(len(BOILERPLATE_KINDS) - 1, np.float32),
        biases=np.zeros(len(BOILERPLATE_KINDS) - 1, np.float32),
    )

    def scores(self, kind: str, matrix: Any) -> Any:
        return matrix[:, 0]

    def fillers(self, kind: str, matrix: Any, scores: Any) -> Any:
        return matrix[:, 1]

    def boilerplate_kinds(self, rows: Any, words: Any) -> Any:
        return np.full(len(rows), 5)


def make_examples(label: list[int]) -> SourceExamples:
    size = len(label)
    kinds = np.zeros((size, len(BOILERPLATE_KINDS)), np.int64)
    kinds[np.array(label) == 1, 4] = 9
    matrix = np.zeros((size, len(FEATURES[PREFIX])), np.float32)
    matrix[:, :2] = np.arange(2 * size).reshape(size, 2)
    own = LabelledCandidates(
        matrix=matrix,
        surroundings=np.zeros((size, len(SURROUNDINGS)), np.float32),
        usual=matrix[0],
        size=np.full(size, 9),
        boilerplate=np.full(size, 9),
        rest=np.zeros(size, np.int64),
        rest_boilerplate=np.zeros(size, np.int64),
        kinds=kinds,
        label=np.array(label, np.int8),
        filler=np.full(size, LINE, np.int8),
        unit=np.full(size, UNITS.index("prefix"), np.int8),
        pieces=part_pieces(
            Words(
                np.arange(3 * size, dtype=np.int32), np.arange(0, 3 * size + 1, 3), np.arange(size), np.arange(size + 1)
            )
        ),
    )
    none = own.take(np.arange(0))
    return SourceExamples(source="s", publisher="s", kinds={kind: own if kind == PREFIX else none for kind in KINDS})


def test_labelled_candidates_alone_are_decisions() -> None:
    scorer: Any = Scorer()
    found = score_decisions([make_examples([-1, 1, 0])], scorer)
    assert {name: column.tolist() for name, column in found.items()} == {
        "source": ["s", "s"],
        "unit": [UNITS.index("prefix")] * 2,
        "label": [1, 0],
        "filler": [LINE, LINE],
        "kind": [4, -1],
        "score": [2.0, 4.0],
        "filler_score": [3.0, 5.0],
        "said_kind": [5, 5],
    }
    assert score_decisions([make_examples([-1])], scorer) == {}


def test_a_fold_is_scored_by_a_model_of_the_others(monkeypatch: pytest.MonkeyPatch) -> None:
    fitted: list[list[str]] = []

    def fit(examples: Any) -> dict[str, Any]:
        fitted.append([one.publisher for one in examples])
        return {}

    one = make_examples([1, 0])
    examples = [SourceExamples(source=name, publisher=name[0], kinds=one.kinds) for name in ("a1", "a2", "b", "c")]
    monkeypatch.setattr(labels, "_examples", examples)
    monkeypatch.setattr(labels.score_model, "fit", fit)
    monkeypatch.setattr(labels, "model_from_tables", lambda columns: Scorer())
    found = labels._score_fold(frozenset("a"))
    assert fitted == [["b", "c"]]
    assert found["source"].tolist() == ["a1", "a1", "a2", "a2"]


def test_the_page_has_all_decisions_that_there_are() -> None:
    head: dict[str, Any] = dict.fromkeys(("date", "command", "code", "python", "processor"), "known")
    head["counts"] = {"strings": 9574, "sources": 109, "publishers": 98, "candidates": 9000}
    rows = measure_decisions(DECISIONS)
    page = render_page(
        {"head": {**head, "seconds": 60.4}, "parts": {"Articles": {"ours": rows}, "Feeds": {"ours": []}}}
    )
    lines = page.splitlines()
    assert "None" not in page
    (row,) = (line for line in lines if line.startswith("| fillers of prefixes, ours |"))
    assert row.split(" | ")[1:3] == ["3", "2"]
    assert row.endswith("| 50.0 |")
    assert any(line.startswith("| segments, ours | 4 | 2 | 0.750 (") for line in lines)
    assert "| kinds, ours | 5 | 5 | – | 20.0 | – | – | – |" in lines
    assert not any(line.startswith("| strings") for line in lines)
    assert "60 seconds, while other work ran on the machine." in lines


def test_without_the_archives_it_says_so(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    monkeypatch.setattr(archives, "SHARED", Path("nowhere"))
    monkeypatch.setattr(labels, "ROOT", tmp_path)
    assert labels.main([]) == 2
    assert "../shared) are not here" in capsys.readouterr().err
    assert labels.main(["--render"]) == 2
    assert "nothing was measured yet" in capsys.readouterr().err
