"""Sampled mining against exact mining."""

from __future__ import annotations

import random
import sys
from pathlib import Path

import numpy as np
import pytest

from templatemine.api import mine
from templatemine.config import PipelineConfig, SampleConfig
from templatemine.mining.methods import resolve_defaults
from templatemine.mining.sampling import choose_sample
from templatemine.mining.stages import SourceReport, complete_step, count_queries, decide_source, mine_source
from templatemine.model import Document, Template
from templatemine.packs.pack import Pack

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "datasets"))
from generate import ArchiveSpec, generate


def documents(count: int, sources: int = 3) -> list[Document]:
    spec = ArchiveSpec(seed=5, sources=sources, documents=count, kilobytes=1.0)
    return [Document(source=row["source"], id=row["id"], text=row["text"], date=row["date"]) for row in generate(spec)]


def _is_member(template: Template, pack: Pack) -> bool:
    """Whether a template for names of a pack takes its place there, by their strings."""
    text = " ".join(template.tokens or ())
    others = [(one.slot, " ".join(one.string or ())) for one in pack.templates if one.filler == "names"]
    return any(text.endswith(string) if slot == "start" else text.startswith(string) for slot, string in others)


def test_a_sample_finds_the_templates_of_the_whole_with_the_same_counts() -> None:
    archive = documents(2400, sources=1)
    # Copies are left out of the sample; what is found is counted in all documents, copies with them.
    exact = mine(archive, PipelineConfig(sample=SampleConfig(exact=True), keep_copies=True))
    sampled = mine(archive, PipelineConfig(sample=SampleConfig(documents=1600)))
    same = total = 0
    for source, pack in exact.items():
        # A template for names has the counts of its members, of which a sample finds fewer.
        frequent = [template for template in pack.templates if template.df >= 24 and template.filler != "names"]
        frequent = [template for template in frequent if not _is_member(template, sampled[source])]
        wanted = {template.tokens: (template.df, template.count) for template in frequent}
        found = {template.tokens: (template.df, template.count) for template in sampled[source].templates}
        same += sum(found.get(tokens) == counts for tokens, counts in wanted.items())
        total += len(wanted)
        clear = [template.tokens for template in frequent if template.score and template.score >= 0.75]
        assert len(clear) > total / 2
        assert all(found.get(tokens) == wanted[tokens] for tokens in clear)
        assert sampled[source].documents == 2400
        assert "found in a sample of 1600 documents, counted in all" in sampled[source].cutoff.note
    # Scores of the sample are not those of the whole: what is near the threshold may fall to either side.
    assert same >= 0.85 * total > 0


def test_the_sample_does_not_depend_on_the_order_of_documents() -> None:
    archive = documents(60, 1)
    config = SampleConfig(documents=20)
    places = choose_sample(archive, config)
    assert places is not None
    first = {archive[place].id for place in places}
    random.Random(2).shuffle(archive)
    again = choose_sample(archive, config)
    assert again is not None
    assert {archive[place].id for place in again} == first
    other = choose_sample(archive, SampleConfig(documents=20, seed=2))
    assert other is not None
    assert {archive[place].id for place in other} != first


def test_small_sources_and_exact_runs_are_not_sampled() -> None:
    archive = documents(30, 1)
    assert choose_sample(archive, SampleConfig(documents=30)) is None
    assert choose_sample(archive, SampleConfig(documents=10, exact=True)) is None
    assert mine_source("x", archive, resolve_defaults(PipelineConfig())).sample is None


@pytest.mark.parametrize("method", ["learned", "energy"])
def test_candidates_counted_in_parts_give_the_pack_of_the_whole(method: str) -> None:
    archive = documents(300, 1)
    options = resolve_defaults(PipelineConfig(method=method, sample=SampleConfig(documents=200)))
    mined = mine_source("x", archive, options)
    step = decide_source(mined, np.zeros(len(mined.hashes), np.int32), options)
    whole = complete_step(step, archive, options)
    asked = 0
    while not isinstance(step, SourceReport):
        parts = [step.query.answer(archive[place::3], options) for place in range(3)]
        counts = parts[2] + step.query.answer([], options) + parts[0] + parts[1]
        assert (counts.documents, counts.days) == (300, step.query.answer(archive, options).days)
        step = step.proceed(counts, archive, options)
        asked += 1
    assert asked == count_queries(options)
    assert step.pack is not None
    assert whole.pack is not None
    assert step.pack.templates
    assert step.pack.to_json() == whole.pack.to_json()


def test_counts_are_those_of_all_documents() -> None:
    """Of what the sample says of a line that stands in two documents of five."""
    archive = []
    for number in range(500):
        rng = random.Random(number)
        words = ["".join(rng.choices("abcdefghilmnorst", k=7)) for _ in range(60)]
        lines = [" ".join(words[:30]).capitalize() + ".", " ".join(words[30:]).capitalize() + "."]
        lines += ["Subscribe to our weekly letter"] * (number % 5 < 2)
        archive.append(Document(source="x", id=str(number), text="\n\n".join(lines)))
    pack = mine(archive, PipelineConfig(sample=SampleConfig(documents=120)))["x"]
    (found,) = (one for one in pack.templates if one.tokens == ("Subscribe", "to", "our", "weekly", "letter"))
    assert (found.df, found.count) == (200, 200)
