"""Where templates occur, and what is in danger: against the expressions."""

from __future__ import annotations

from dataclasses import replace
from itertools import pairwise
from pathlib import Path

import pytest

from templatemine.cleaning.regex_engine import ManualExpressions, RegexEngine
from templatemine.config import ReadConfig
from templatemine.io.read import read_documents
from templatemine.model import Document, Template
from templatemine.packs.pack import Pack
from templatemine.report.risk import (
    Occurrences,
    is_scored,
    story_probability,
)

GOLDEN = Path(__file__).resolve().parents[1] / "golden" / "lantern"


@pytest.fixture(scope="module")
def documents() -> list[Document]:
    return list(read_documents([GOLDEN / "articles.jsonl"], ReadConfig()))


@pytest.fixture(scope="module")
def pack() -> Pack:
    return Pack.load(GOLDEN / "learned.pack.json")


def test_occurrences_are_those_of_the_expressions(pack: Pack, documents: list[Document]) -> None:
    """Templates, those within longer ones, and an expression by hand whose matches overlap."""
    by_hand = Template(id="h1", regex="a[a-z]+", tokens=None, df=1, count=1, example="and")
    pack = replace(pack, templates=(*pack.templates, by_hand))
    occurrences = Occurrences(pack)
    engine, written = RegexEngine(pack), ManualExpressions(pack)
    for document in documents[:40]:
        text = document.body
        starts, ends, places = occurrences.find(text)
        own = {n for start, end in zip(starts.tolist(), ends.tolist(), strict=True) for n in range(start, end)}
        assert own == {
            n for start, end, _ in [*engine.matches(text), *written.matches(text)] for n in range(start, end)
        }
        for place in set(places.tolist()):
            rows = [
                (s, e) for s, e, p in zip(starts.tolist(), ends.tolist(), places.tolist(), strict=True) if p == place
            ]
            assert all(one[1] <= other[0] for one, other in pairwise(rows))


def test_no_templates_and_no_text(pack: Pack) -> None:
    assert len(Occurrences(replace(pack, templates=())).find("A text.").starts) == 0
    assert len(Occurrences(pack).find("").starts) == 0


def test_doubt_is_what_the_score_leaves(pack: Pack) -> None:
    template = replace(pack.templates[0], score=0.8)
    assert story_probability(template) == pytest.approx(0.2)
    assert story_probability(replace(template, score=None)) == 1
    assert story_probability(template, by_hand=True) == story_probability(replace(template, tokens=None)) == 0
    assert is_scored(replace(pack, templates=(template,)))
    assert not is_scored(Pack.load(GOLDEN / "thesis.pack.json"))
