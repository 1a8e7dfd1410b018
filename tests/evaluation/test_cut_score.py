"""How much of all boilerplate goes and what is cut in part: by hand, by a slow twin, and as the script beside the data."""

from __future__ import annotations

import gzip
import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from templatemine.errors import CorpusError
from templatemine.evaluation.cut_score import CutScore, score_cuts
from templatemine.evaluation.metrics import SpanScore, score_spans

SHARED = Path(__file__).resolve().parents[3] / "shared"
TEXT = "Related: A headline\nStory text. By Ann, Agency"
GOLD = [(0, 8, "template"), (9, 19, "dynamic"), (32, 46, "dynamic")]


def test_a_label_without_its_headline_is_torn() -> None:
    """Both labels are one stretch; of the byline nothing is cut, so that it is not torn."""
    score = score_cuts(TEXT, GOLD, [(0, 8)])
    assert score == CutScore(
        score_spans(TEXT, GOLD, [(0, 8)]), dynamic=21, removed_dynamic=0, cut_stretches=1, partial_stretches=1
    )
    assert score.boilerplate_recall == pytest.approx(8 / 29)
    assert score.partial_share == 1.0


def test_what_goes_whole_is_not_torn() -> None:
    score = score_cuts(TEXT, GOLD, [(0, 19), (32, 46)])
    assert (score.boilerplate_recall, score.partial_share, score.cut_stretches) == (1.0, 0.0, 2)


def test_a_stretch_ends_with_its_line() -> None:
    gold = [(0, 7, "template")]
    assert score_cuts("one\ntwo", gold, [(0, 3)]) == CutScore(SpanScore(6, 0, 3, 0), cut_stretches=1)
    assert score_cuts("one two", gold, [(0, 3)]).partial_share == 1.0


def test_without_boilerplate_or_cuts_nothing_is_told() -> None:
    score = score_cuts("a story", [], [(0, 1)])
    assert (score.boilerplate_recall, score.partial_share) == (None, None)
    assert score_cuts(TEXT, GOLD, []).partial_share is None
    assert score_cuts("", [], []) == CutScore()


def test_scores_add_up() -> None:
    one, other = score_cuts(TEXT, GOLD, [(0, 8)]), score_cuts(TEXT, GOLD, [(32, 46)])
    both = one + other
    assert (both.cut_stretches, both.partial_stretches, both.dynamic, both.removed_dynamic) == (2, 1, 42, 12)
    assert both.spans == one.spans + other.spans
    with pytest.raises(CorpusError):
        score_cuts("abc", [(0, 4, "template")], [])


SPANS = st.lists(st.tuples(st.integers(0, 14), st.integers(0, 14)).map(sorted).map(tuple), max_size=4)


def stretches(text: str, label: dict[int, str], cut: set[int]) -> list[tuple[int, int]]:
    """(kept, removed) characters of each stretch: character by character."""
    found, kept, gone = [], 0, 0
    for place, char in enumerate(text + "\n"):
        if char == "\n" or (place not in label and not char.isspace()):
            found.append((kept, gone))
            kept = gone = 0
        elif place in label and not char.isspace():
            kept, gone = kept + (place not in cut), gone + (place in cut)
    return [one for one in found if one != (0, 0)]


@given(st.text(alphabet="ab \n\u3000字", min_size=14, max_size=14), SPANS, SPANS, SPANS)
def test_scores_are_those_of_the_twin(text: str, template: Any, dynamic: Any, removed: Any) -> None:
    gold = [(*span, "template") for span in template] + [(*span, "dynamic") for span in dynamic]
    label = {place: "dynamic" for start, end in dynamic for place in range(start, end)}
    label.update({place: "template" for start, end in template for place in range(start, end)})
    cut = {place for start, end in removed for place in range(start, end)}
    other = [place for place, name in label.items() if name == "dynamic" and not text[place].isspace()]
    runs = stretches(text, label, cut)
    score = score_cuts(text, gold, removed)
    assert score.spans == score_spans(text, gold, removed)
    assert (score.dynamic, score.removed_dynamic) == (len(other), sum(place in cut for place in other))
    assert score.cut_stretches == sum(gone > 0 for _, gone in runs)
    assert score.partial_stretches == sum(gone > 0 and kept > 0 for kept, gone in runs)


@pytest.mark.skipif(not (SHARED / "score").is_dir(), reason="the real archives (../shared) are not here")
def test_scores_are_those_of_the_script_beside_the_data(tmp_path: Path) -> None:
    """Two sources, every third line of their annotated articles cut."""
    names = ("smax", "movie-enter")
    gold: dict[str, list[tuple[int, int, str]]] = {}
    files = tmp_path / "gold"
    files.mkdir()
    for file in SHARED.glob("data/gold/*.jsonl"):
        if file.stem in names:
            (files / file.name).write_bytes(file.read_bytes())
            for line in file.read_text(encoding="utf-8").splitlines():
                row = json.loads(line)
                gold[row["id"]] = [(start, end, label) for start, end, label in row["spans"]]
    total, cleaned = CutScore(), tmp_path / "cleaned.jsonl"
    texts = SHARED / "data" / "text" / "livedoor.jsonl.gz"
    with gzip.open(texts, "rt", encoding="utf-8") as rows, cleaned.open("w", encoding="utf-8") as out:
        for row in map(json.loads, rows):
            if row["id"] not in gold:
                continue
            at, removed = 0, []
            for number, line in enumerate(row["text"].splitlines(keepends=True)):
                if number % 3 == 0:
                    removed.append((at, at + 2 * len(line) // 3))
                at += len(line)
            total += score_cuts(row["text"], gold[row["id"]], removed)
            out.write(json.dumps({"id": row["id"], "removed": removed}) + "\n")
    script = [sys.executable, str(SHARED / "score" / "score_spans.py"), str(files), str(cleaned)]
    told = subprocess.run([*script, "--texts", str(texts), "--json"], check=True, capture_output=True, text=True)
    own = json.loads(told.stdout)["mean"]
    figures = {name: getattr(total.spans, name) for name in ("recall", "precision", "f1", "loss")}
    assert own == pytest.approx({**figures, "whole": total.boilerplate_recall, "torn": total.partial_share})
