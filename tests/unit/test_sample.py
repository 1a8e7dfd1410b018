"""Sampled mining against exact mining."""

from __future__ import annotations

import random
import sys
from pathlib import Path

from templatemine.config import CopyConfig, PipelineConfig, SampleConfig
from templatemine.model import Document
from templatemine.pipeline import candidates, count_candidates, finish_counted, finish_source, mine, mine_source, shared
from templatemine.sample import choose

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "datasets"))
from generate import ArchiveSpec, generate


def documents(count: int, sources: int = 3) -> list[Document]:
    spec = ArchiveSpec(seed=5, sources=sources, documents=count, kilobytes=1.0)
    return [Document(source=row["source"], id=row["id"], text=row["text"], date=row["date"]) for row in generate(spec)]


def test_a_sample_finds_the_templates_of_the_whole_with_the_same_counts() -> None:
    archive = documents(2400)
    # Copies are left out of the sample; what is found is counted in all documents, copies with them.
    exact = mine(archive, PipelineConfig(sample=SampleConfig(exact=True), copies=CopyConfig(alike=2.0)))
    sampled = mine(archive, PipelineConfig(sample=SampleConfig(documents=1600)))
    same = total = 0
    for source, pack in exact.items():
        wanted = {template.tokens: (template.df, template.count) for template in pack.templates if template.df >= 24}
        found = {template.tokens: (template.df, template.count) for template in sampled[source].templates}
        same += sum(found.get(tokens) == counts for tokens, counts in wanted.items())
        total += len(wanted)
        assert sampled[source].documents == 2400
        assert "found in a sample of 1600 documents, counted in all" in sampled[source].cutoff.note
    assert same >= 0.99 * total > 0


def test_the_sample_does_not_depend_on_the_order_of_documents() -> None:
    archive = documents(60, 1)
    config = SampleConfig(documents=20)
    places = choose(archive, config)
    assert places is not None
    first = {archive[place].id for place in places}
    random.Random(2).shuffle(archive)
    again = choose(archive, config)
    assert again is not None
    assert {archive[place].id for place in again} == first
    other = choose(archive, SampleConfig(documents=20, seed=2))
    assert other is not None
    assert {archive[place].id for place in other} != first


def test_small_sources_and_exact_runs_are_not_sampled() -> None:
    archive = documents(30, 1)
    assert choose(archive, SampleConfig(documents=30)) is None
    assert choose(archive, SampleConfig(documents=10, exact=True)) is None
    assert mine_source("x", archive, PipelineConfig()).chosen is None


def test_candidates_counted_in_parts_give_the_pack_of_the_whole() -> None:
    archive = documents(300, 1)
    config = PipelineConfig(sample=SampleConfig(documents=200))
    mined = mine_source("x", archive, config)
    peers = shared([mined])
    wanted = candidates(mined, peers, 0, config)
    assert len(wanted.rows) > 0
    parts = [count_candidates(wanted, archive[place::3], config) for place in range(3)]
    counted = parts[2] + count_candidates(wanted, [], config) + parts[0] + parts[1]
    assert (counted.documents, counted.dates) == (300, count_candidates(wanted, archive, config).dates)
    report = finish_counted(mined, peers, 0, archive, wanted, counted, config)
    whole = finish_source(mined, peers, 0, archive, config)
    assert report.pack is not None
    assert whole.pack is not None
    assert report.pack.to_json() == whole.pack.to_json()
