"""What annotated articles answer to questions, and the halves they are split in."""

from __future__ import annotations

import sys
from dataclasses import replace
from pathlib import Path
from random import Random

import pytest

from strategies import make_pack

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "bench"))

from quality.simulated_answers import score_after_answers, simulate_answer, split_halves
from templatemine.archive.apply_answers import ALL, LABEL, STORY
from templatemine.config import PipelineConfig
from templatemine.model import Document, Question
from templatemine.text.patterns import pattern_set

TEXT = "A story.\nRelated: Another one\nAnd it ends."
PACK = make_pack([([b"no", b"such"], "no such")], pattern_set("news"), "-", False)
LABELLED = Question(
    tokens=("Related:",), df=1, count=1, anchor="start", filled="end", example="Related:", score=0.5, stake=100
)


def _gold(*parts: str) -> dict[str, list[tuple[int, int, str]]]:
    return {"a": [(TEXT.index(part), TEXT.index(part) + len(part), "template") for part in parts]}


@pytest.mark.parametrize(
    ("gold", "told"),
    [
        (_gold("Related: Another one"), ALL),
        (_gold("Related:"), LABEL),
        (_gold("Related: An"), LABEL),
        (_gold("Another one"), STORY),
        (_gold(), STORY),
    ],
)
def test_annotations_answer(gold: dict[str, list[tuple[int, int, str]]], told: str) -> None:
    articles = [Document(source="s", id="a", text=TEXT)]
    assert simulate_answer(PACK, LABELLED, articles, gold) == told
    alone = replace(LABELLED, filled="")
    assert simulate_answer(PACK, alone, articles, gold) == (STORY if told == STORY else ALL)
    assert simulate_answer(PACK, replace(LABELLED, tokens=("Elsewhere",)), articles, gold) is None


def test_halves_are_apart_and_the_same_each_time() -> None:
    gold = {str(number): [] for number in range(9)}
    (one, other), (third, fourth) = split_halves(gold, 7)
    assert one | other == set(gold)
    assert not one & other
    assert (third, fourth) == (other, one)
    assert split_halves(gold, 7) == [(one, other), (other, one)] != split_halves(gold, 8)


def test_answers_bring_what_mining_missed() -> None:
    """A label with a headline in every second article, of a few: mining is careful, a person says what it is."""
    random = Random(1)

    def prose(size: int = 12) -> str:
        return " ".join("".join(random.choices("aeioubcdfglmnprst", k=7)) for _ in range(size)) + "."

    rows, gold = [], {}
    for number in range(40):
        credit = f"Contributing: {prose(3).capitalize()}"
        text = "\n".join([prose(), prose(), *([credit] if number % 2 else [])])
        rows.append(Document(source="s", id=str(number), text=text))
        if number < 12:
            gold[str(number)] = [(text.index(credit), len(text), "dynamic")] if number % 2 else []
    scores, given = score_after_answers(rows, gold, PipelineConfig(), (0, 10), 1)
    assert min(given) >= 1
    assert scores[10].boilerplate_recall >= max(scores[0].boilerplate_recall, 0.99)
    assert scores[10].spans.loss == 0
