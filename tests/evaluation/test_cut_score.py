"""How much of all boilerplate goes and what is cut in part: by hand, by a slow twin, and as the script beside the data."""

from __future__ import annotations

import gzip
import json
import subprocess
import sys
from pathlib import Path
from random import Random
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from templatemine.errors import CorpusError
from templatemine.evaluation.cut_score import CutScore, KindCount, average_kinds, compare_kinds, score_cuts
from templatemine.evaluation.metrics import STATUSES, SpanScore, score_spans

SHARED = Path(__file__).resolve().parents[3] / "shared"
TEXT = "Related: A headline\nStory text. By Ann, Agency"
GOLD = [(0, 8, "template"), (9, 19, "dynamic"), (32, 46, "dynamic")]


def test_a_label_without_its_headline_is_torn() -> None:
    """Both labels are one stretch; of the byline nothing is cut, so that it is not torn."""
    score = score_cuts(TEXT, GOLD, [(0, 8)])
    spans = score_spans(TEXT, GOLD, [(0, 8)])
    assert score == CutScore(
        spans, dynamic=21, removed_dynamic=0, cut_stretches=1, partial_stretches=1, wounds=0, articles=1
    )
    assert score.boilerplate_recall == pytest.approx(8 / 29)
    assert score.partial_share == 1.0


def test_without_boilerplate_or_cuts_nothing_is_told() -> None:
    score = score_cuts("a story", [], [(0, 1)])
    assert (score.boilerplate_recall, score.partial_share) == (None, None)
    assert score_cuts(TEXT, GOLD, []).partial_share is None
    assert score_cuts("", [], []) == CutScore(articles=1)
    assert CutScore().wound_rate == 0.0


@pytest.mark.parametrize(
    ("removed", "wounds"),
    [
        ([(0, 3), (4, 9)], 1),  # white space that stays does not part a wound
        ([(0, 3), (10, 13)], 2),
        ([(9, 10)], 0),  # a sign alone is none
        ([(0, 26)], 2),  # what is no content parts two of them
        ([(15, 20)], 0),
        ([(15, 26)], 1),
    ],
)
def test_wounds_are_places_at_which_letters_of_content_go(removed: list[tuple[int, int]], wounds: int) -> None:
    text = "One story, and Ann B. more"
    gold = [(15, 18, "optional", "byline"), (18, 21, "dynamic", "byline")]
    score = score_cuts(text, gold, removed)
    assert (score.wounds, score.wound_rate) == (wounds, 100.0 * wounds)


def test_optional_text_is_not_counted_and_kinds_are() -> None:
    gold = [(0, 8, "template", "related"), (9, 19, "optional", "related"), (32, 46, "dynamic", "byline")]
    score = score_cuts(TEXT, gold, [(0, 19), (32, 35)])
    assert score.spans == SpanScore(8, 10, 8, 0)
    assert score.kinds == {"related": KindCount(8, 8, 17), "byline": KindCount(12, 2, 2)}
    assert score_cuts(TEXT, [*gold, (9, 19, "dynamic")], [(9, 19)]).removed_dynamic == 9  # then it is boilerplate
    assert average_kinds([score, score_cuts("By Ann", [(0, 6, "dynamic", "byline")], [(0, 6)])]) == {
        "byline": (pytest.approx((2 / 12 + 1) / 2), 2, 17),
        "related": (1.0, 1, 8),
    }


def test_kinds_of_cuts_are_right_where_gold_says_the_same() -> None:
    gold = [(0, 8, "template", "related"), (9, 19, "optional", "note"), (32, 46, "dynamic", "other")]
    cuts = [(0, 14, "related"), (14, 19, "note"), (20, 30, "note"), (32, 46, "legal")]
    assert score_cuts(TEXT, gold, cuts).kinds == {
        "related": KindCount(8, 8, 8, told=12, right=8),
        "note": KindCount(0, 0, 9, told=5, right=5),  # content, and what gold knows no kind of, say nothing
        "other": KindCount(12, 12, 12),
    }
    assert compare_kinds([score_cuts(TEXT, gold, cuts)] * 2)["related"] == KindCount(16, 16, 16, 24, 16)


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


def count_wounds(text: str, label: dict[int, str], cut: set[int]) -> int:
    """Character by character."""
    wounds, wounded = 0, False
    for place, char in enumerate(text):
        if place in cut and place not in label:
            wounds += char.isalnum() and not wounded
            wounded = wounded or char.isalnum()
        elif not char.isspace():
            wounded = False
    return wounds


@given(st.text(alphabet="ab. \n\u3000字", min_size=14, max_size=14), SPANS, SPANS, SPANS, SPANS, st.booleans())
def test_scores_are_those_of_the_twin(
    text: str, template: Any, dynamic: Any, optional: Any, removed: Any, told: bool
) -> None:
    gold: list[Any] = [(*span, "template", "note") for span in template]
    gold += [(*span, "dynamic") for span in dynamic] + [(*span, "optional", "note") for span in optional]
    label: dict[int, str] = {}
    for start, end, status, *_ in reversed(gold):
        label.update(dict.fromkeys(range(start, end), status))
    cut = {place for start, end in removed for place in range(start, end)}
    visible = {place for place, char in enumerate(text) if not char.isspace()}
    places = {
        status: {place for place in visible if label.get(place) == status} for status in ("template", "dynamic", None)
    }
    runs = stretches(text, {place: name for place, name in label.items() if name != "optional"}, cut)
    score = score_cuts(text, gold, [(*span, "note") for span in removed] if told else removed)
    template_places, content = places["template"], places[None]
    assert score.spans == score_spans(text, gold, removed)
    assert score.spans == SpanScore(len(template_places), len(content), len(template_places & cut), len(content & cut))
    assert (score.dynamic, score.removed_dynamic) == (len(places["dynamic"]), len(places["dynamic"] & cut))
    assert score.cut_stretches == sum(gone > 0 for _, gone in runs)
    assert score.partial_stretches == sum(gone > 0 and kept > 0 for kept, gone in runs)
    assert score.wounds == count_wounds(text, label, cut)
    notes, others = (
        [place for start, end in some for place in range(start, end) if place in visible]
        for some in (template, optional)
    )
    said = [place for start, end in removed for place in range(start, end) if place in {*notes, *others}]
    own = len(said) if told else 0
    count = KindCount(
        len(notes), sum(place in cut for place in notes), sum(place in cut for place in notes + others), own, own
    )
    assert score.kinds == ({"note": count} if template or optional else {})


# ------------------------------------------------------------------------------------------- the script beside the data

needs_data = pytest.mark.skipif(not (SHARED / "score").is_dir(), reason="the real archives (../shared) are not here")
Article = tuple[str, str, str, list[Any], list[tuple[int, int]]]
"""Source, id, text, gold, removed."""


def check_against_the_script(folder: Path, articles: list[Article]) -> None:
    """All figures of all sources, and those of kinds, are those of score_spans.py."""
    scores: dict[str, CutScore] = {}
    files: dict[str, list[dict[str, Any]]] = {"texts.jsonl": [], "cleaned.jsonl": []}
    for source, name, text, gold, removed in articles:
        scores[source] = scores.get(source, CutScore()) + score_cuts(text, gold, removed)
        files["texts.jsonl"].append({"id": name, "text": text})
        files["cleaned.jsonl"].append({"id": name, "removed": removed})
        files.setdefault(f"gold/{source}.jsonl", []).append({"id": name, "spans": gold})
    (folder / "gold").mkdir(parents=True)
    for name, rows in files.items():
        (folder / name).write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
    script = [sys.executable, str(SHARED / "score" / "score_spans.py"), "gold", "cleaned.jsonl"]
    script += ["--texts", "texts.jsonl", "--json", "--kinds"]
    told = json.loads(subprocess.run(script, check=True, capture_output=True, text=True, cwd=folder).stdout)
    for source, score in scores.items():
        spans = {name: getattr(score.spans, name) for name in ("recall", "precision", "f1", "loss")}
        own = {"whole": score.boilerplate_recall, "torn": score.partial_share, "wounds": score.wound_rate / 100}
        assert told[source] == pytest.approx({**spans, **own}), source
    kinds = {kind: tuple(row.values()) for kind, row in told["kinds"].items()}
    assert kinds == {kind: pytest.approx(figures) for kind, figures in average_kinds(scores.values()).items()}
    assert told["wounds"] == pytest.approx(sum(score.wound_rate for score in scores.values()) / 100 / len(scores))


@needs_data
def test_scores_are_those_of_the_script_on_random_spans(tmp_path: Path) -> None:
    random = Random(7)

    def draw(size: int) -> tuple[int, int]:
        start, end = sorted(random.choices(range(size + 1), k=2))
        return start, end

    articles: list[Article] = []
    for number in range(120):
        text = "".join(random.choices("abc1. ,\n\u3000字", k=random.randrange(60)))
        gold = [
            [*draw(len(text)), random.choice(STATUSES), random.choice(("note", "byline", "media"))]
            for _ in range(random.randrange(6))
        ]
        removed = [draw(len(text)) for _ in range(random.randrange(5))]
        articles.append((f"source {number % 7}", str(number), text, gold, removed))
    check_against_the_script(tmp_path, articles)


@needs_data
@pytest.mark.slow  # reads four real archives
def test_scores_are_those_of_the_script_on_real_articles(tmp_path: Path) -> None:
    """Of each annotated source in some archives, every third line cut to two thirds of its length, and more or less
    of its annotation."""
    gold = {
        row["id"]: row["spans"]
        for folder in ("gold2", "feeds/gold")
        for file in (SHARED / "data" / folder).glob("*.jsonl")
        for row in map(json.loads, file.read_text(encoding="utf-8").splitlines())
    }
    articles: list[Article] = []
    for archive in ("text/livedoor", "text/world", "publishers/publishers", "feeds/feeds"):
        with gzip.open(SHARED / "data" / f"{archive}.jsonl.gz", "rt", encoding="utf-8") as rows:
            for row in map(json.loads, rows):
                if row["id"] not in gold:
                    continue
                at, removed = 0, [(start, end) for start, end, *_ in gold[row["id"]][::2]]
                for number, line in enumerate(row["text"].splitlines(keepends=True)):
                    if number % 3 == 0:
                        removed.append((at, at + 2 * len(line) // 3))
                    at += len(line)
                articles.append((row["source"], row["id"], row["text"], gold[row["id"]], removed))
    assert len(articles) > 600
    check_against_the_script(tmp_path, articles)
