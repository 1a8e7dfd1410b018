"""Boilerplate of its time: found where dates are known, and left alone where news come and go."""

from __future__ import annotations

import random
from collections.abc import Sequence
from dataclasses import replace
from datetime import date, timedelta

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from strategies import corpora, corpus_of, examples
from templatemine.config import EvidenceConfig, MineConfig, PipelineConfig, SampleConfig
from templatemine.mining import periods as module
from templatemine.mining.index import build_index, documents_at
from templatemine.mining.periods import periods
from templatemine.mining.repeats import find_repeats
from templatemine.model import Document
from templatemine.pipeline import mine

LETTERS = "abcdefghijklmnoprstuvw"
BANNER = "Follow the harbour race on our pages."
DAYS = 2000


def day(number: int) -> str:
    return (date(2016, 1, 1) + timedelta(days=number)).isoformat()


def prose(rng: random.Random, number: int = 30) -> list[str]:
    return ["".join(rng.choices(LETTERS, k=5)) for _ in range(number)]


def archive(dates: bool = True, during: range = range(700, 740), every: int = 4, story: bool = False) -> list[Document]:
    """One article a day; for some weeks every few of them ends a caption with a banner, or tells a running story."""
    rng = random.Random(1)
    documents = []
    for number in range(DAYS):
        said, caption = prose(rng), prose(rng, 6)
        if number in during and number % every == 0:
            (said if story else caption).insert(20, BANNER)
        text = f"{' '.join(said)}.\n\n{' '.join(caption)}"
        documents.append(
            Document(source="port.example", id=str(number), text=text, date=day(number) if dates else None)
        )
    return documents


def found(documents: Sequence[Document], config: PipelineConfig | None = None) -> set[str]:
    pack = mine(documents, config)["port.example"]
    return {" ".join(template.tokens or ()) for template in pack.templates}


def test_a_banner_of_some_weeks_is_found_where_dates_are_known() -> None:
    assert BANNER in found(archive())
    assert BANNER not in found(archive(dates=False))
    assert BANNER not in found(archive(), PipelineConfig(evidence=EvidenceConfig(period_share=2.0)))


def test_a_story_of_some_weeks_is_none() -> None:
    assert found(archive(story=True)) == set()


def test_what_is_rare_in_its_time_too_is_not_boilerplate() -> None:
    assert BANNER not in found(archive(during=range(100, 700), every=60))


def test_a_document_without_a_day_has_all_the_time() -> None:
    documents = archive()
    once = [replace(one, date=None) if one.id == "704" else one for one in documents]
    assert BANNER not in found(once)
    other = [replace(one, date=None) if one.id == "3" else one for one in documents]
    assert BANNER in found(other)


def test_a_sample_has_times_too() -> None:
    documents = archive(during=range(700, 800), every=8)
    assert BANNER in found(documents, PipelineConfig(sample=SampleConfig(documents=1400)))


@examples(60)
@given(corpora(), st.randoms(use_true_random=False))
def test_times_are_those_from_first_to_last_day(documents: list[list[int]], rng: random.Random) -> None:
    corpus = corpus_of(documents)
    mine_config = MineConfig(min_df=2, min_tokens=1)
    index = build_index(corpus, mine_config)
    strings = find_repeats(index, corpus.documents, 2, mine_config)
    config = EvidenceConfig(period_least=2, often_share=1.1, quiet=1.0)
    dates = [rng.choice([None, *(f"2024-01-{number:02}" for number in range(1, 8))]) for _ in documents]
    lasted = periods(index, strings, dates, config)
    if not any(dates):
        assert lasted is None
        return
    assert lasted is not None
    known = [one for one in dates if one is not None]
    for row, got in enumerate(lasted.tolist()):
        rank, count = int(strings.repeats.rank[row]), int(strings.repeats.count[row])
        places = strings.places[rank : rank + count].astype(np.int64)
        seen = [dates[at] for at in documents_at(index, places).tolist()]
        if None in seen or count > module._MOST * strings.repeats.df[row]:
            assert got == len(dates)
        else:
            days = [one for one in seen if one is not None]
            between = sum(min(days) <= one <= max(days) for one in known)
            assert got == min(len(dates), -(-between * len(dates) // len(known)))


def test_pieces_give_what_one_go_gives(monkeypatch: pytest.MonkeyPatch) -> None:
    whole = found(archive())
    monkeypatch.setattr(module, "_OCCURRENCES", 3)
    assert found(archive()) == whole
