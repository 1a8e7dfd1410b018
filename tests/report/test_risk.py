"""What templates do alone, and what is in danger: against sets of characters, and the expressions."""

from __future__ import annotations

from dataclasses import replace
from itertools import pairwise
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from templatemine.cleaning.regex_engine import ManualExpressions, RegexEngine
from templatemine.config import ReadConfig
from templatemine.io.read import read_documents
from templatemine.model import Document, Template
from templatemine.packs.pack import Pack
from templatemine.report.risk import (
    OccurrenceColumns,
    Occurrences,
    exclusive_lengths,
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


SIZE = 30
STRETCHES = st.lists(
    st.tuples(st.integers(0, 3), st.integers(0, SIZE), st.integers(0, SIZE)).map(
        lambda row: (row[0], min(row[1:]), max(row[1:]))
    ),
    max_size=12,
)


def apart(rows: list[tuple[int, int, int]]) -> list[tuple[int, int, int]]:
    """Rows by place and start, those of one place disjoint, as `Occurrences` gives them."""
    kept: list[tuple[int, int, int]] = []
    for place, start, end in sorted(rows):
        if not kept or kept[-1][0] != place or start >= kept[-1][2]:
            kept.append((place, start, end))
    return kept


@given(STRETCHES, st.lists(st.booleans(), min_size=4, max_size=4))
def test_alone_is_what_no_other_template_covers(rows: list[tuple[int, int, int]], kept: list[bool]) -> None:
    rows = apart(rows)
    columns = [np.array([row[at] for row in rows], np.int64) for at in (1, 2, 0)]
    found = exclusive_lengths(OccurrenceColumns(*columns), SIZE, np.array(kept))
    covered = {place: {n for own, s, e in rows if own == place for n in range(s, e)} for place in range(4)}
    for (place, start, end), number in zip(rows, found.tolist(), strict=True):
        others = set().union(*(covered[other] for other in range(4) if kept[other] and other != place))
        assert number == len(set(range(start, end)) - others)


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
