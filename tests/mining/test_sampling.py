"""Sampled mining against exact mining."""

from __future__ import annotations

import random
import sys
from dataclasses import fields
from pathlib import Path

import numpy as np
import pytest

from templatemine.config import CopyConfig, PipelineConfig, SampleConfig
from templatemine.mining.candidates import inner
from templatemine.mining.counting import recounted
from templatemine.mining.cross_source import Elsewhere
from templatemine.mining.features import Evidence
from templatemine.mining.methods import resolve_defaults
from templatemine.mining.sampling import choose
from templatemine.mining.stages import CountStep, SlotStep, SourceReport, completed, decide_source, mine_source
from templatemine.model import Document
from templatemine.pipeline import mine

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
    assert mine_source("x", archive, resolve_defaults(PipelineConfig())).sample is None


def test_candidates_counted_in_parts_give_the_pack_of_the_whole() -> None:
    archive = documents(300, 1)
    options = resolve_defaults(PipelineConfig(sample=SampleConfig(documents=200)))
    mined = mine_source("x", archive, options)
    elsewhere = Elsewhere.of_none(len(mined.hashes))
    step = decide_source(mined, elsewhere, options)
    assert isinstance(step, CountStep)
    assert len(step.query.rows) > 0
    parts = [step.query.answer(archive[place::3], options) for place in range(3)]
    counts = parts[2] + step.query.answer([], options) + parts[0] + parts[1]
    assert (counts.documents, counts.dates) == (300, step.query.answer(archive, options).dates)
    slots = step.proceed(counts, archive, options)
    assert isinstance(slots, SlotStep)
    one, two, three = (slots.query.answer(archive[place::3], options) for place in range(3))
    report = slots.proceed(one + two + three, archive, options)
    assert isinstance(report, SourceReport)
    whole = completed(step, archive, options)
    assert report.pack is not None
    assert whole.pack is not None
    assert report.pack.to_json() == whole.pack.to_json()


def hiding() -> list[Document]:
    """All documents end with "Read more at the Lantern today", but the last of them says "tonight"."""
    archive = []
    for number in range(400):
        day = "tonight" if number == 399 else "today"
        text = f"Story {number} of w{number} went on.\nRead more at the Lantern {day}\nw{number} ends it."
        archive.append(Document(source="x", id=str(number), text=text))
    return archive


def _chosen(archive: list[Document], config: SampleConfig) -> list[int]:
    places = choose(archive, config)
    assert places is not None
    return [int(place) for place in places]


@pytest.mark.parametrize("there", [True, False])
def test_what_only_the_sample_hides_is_found(there: bool) -> None:
    """The odd document is not in the sample; with it, "Read more at the Lantern" is maximal in the whole alone."""
    archive = hiding() if there else hiding()[:399]
    seeds = (seed for seed in range(99) if 399 not in _chosen(archive, SampleConfig(documents=100, seed=seed)))
    seed = next(seeds)
    config = PipelineConfig(sample=SampleConfig(documents=100, seed=seed))
    mined = mine_source("x", archive, resolve_defaults(config))
    assert mined.before is not None
    assert mined.after is not None
    hidden = np.flatnonzero((mined.before >= 0) | (mined.after >= 0))
    assert len(hidden) > 0
    words = (b"Read", b"more", b"at", b"the", b"Lantern")
    names = {tuple(mined.strings.names[token] for token in mined.strings.ids(row)): row for row in hidden.tolist()}
    row = names[words]
    assert (mined.before[row], mined.strings.names[int(mined.after[row])]) == (-1, b"today")
    exact = mine(archive, PipelineConfig(sample=SampleConfig(exact=True)))["x"]
    sampled = mine(archive, config)["x"]
    assert [(one.tokens, one.df, one.count) for one in sampled.templates] == [
        (one.tokens, one.df, one.count) for one in exact.templates
    ]
    found = {one.tokens: one.df for one in sampled.templates}
    assert found.get(tuple(word.decode() for word in words)) == (400 if there else None)


def test_what_stands_within_a_template_nearly_always_is_none_by_itself() -> None:
    """Words that end no line and begin none; one document has them in another line, and the sample does not hold it."""
    line = "Again and again from the harbour desk of Lantern and Partners"
    inside = line.removeprefix("Again and ").removesuffix(" and Partners")

    def packs(others: int) -> list[dict[tuple[str, ...] | None, tuple[int, int]]]:
        archive = []
        for number in range(400):
            said = line if number < 400 - others else f"w{number} {inside} m{number}"
            # The words stand elsewhere too, so they are not bound to each other.
            rng = random.Random(number)
            words = ["".join(rng.choices("abcdefgh", k=6)) for _ in range(200)]
            for word in 3 * inside.split():
                words[rng.randrange(200)] = word
            archive.append(Document(source="x", id=str(number), text=f"{' '.join(words)}.\n{said}\nIts end."))
        seeds = (seed for seed in range(99) if 399 not in _chosen(archive, SampleConfig(documents=100, seed=seed)))
        samples = SampleConfig(exact=True), SampleConfig(documents=100, seed=next(seeds))
        found = [mine(archive, PipelineConfig(sample=one))["x"].templates for one in samples]
        return [{one.tokens: (one.df, one.count) for one in some} for some in found]

    exact, sampled = packs(1)
    assert exact == sampled
    assert exact[tuple(line.split())] == (399, 399)
    assert tuple(inside.split()) not in exact
    # Here a fifth of its occurrences is elsewhere.
    exact, sampled = packs(80)
    assert exact == sampled
    assert exact[tuple(inside.split())] == (400, 400)


@pytest.mark.parametrize("stretches", [1, 7, 1 << 20])
def test_which_strings_stand_within_others(monkeypatch: pytest.MonkeyPatch, stretches: int) -> None:
    monkeypatch.setattr("templatemine.mining.candidates._STRETCHES", stretches)
    texts = ["a b c d e", "b c d", "b c", "c d e a", "x b c d y", "a b c d e c", "c", "d c b"]
    archive = [Document(source="x", id=str(place), text=text) for place, text in enumerate(texts * 3)]
    mined = mine_source("x", archive, resolve_defaults(PipelineConfig(copies=CopyConfig(alike=2.0))))
    strings = [mined.strings.ids(row) for row in range(len(mined.hashes))]
    rows, wanted = np.arange(0, len(strings), 2), np.flatnonzero(np.arange(len(strings)) % 3)
    expected = {
        (place, short)
        for place, row in enumerate(rows.tolist())
        for short in wanted.tolist()
        for start in range(1, len(strings[row]) - len(strings[short]))
        if strings[row][start : start + len(strings[short])] == strings[short]
    }
    assert expected
    assert set(zip(*(column.tolist() for column in inner(mined, rows, wanted)), strict=True)) == expected
    assert [len(column) for column in inner(mined, rows, wanted[:0])] == [0, 0]
    assert [len(column) for column in inner(mined, rows[:0], wanted)] == [0, 0]


def test_tables_are_counted_in_all_documents() -> None:
    """What is in a table in two documents of five is boilerplate, whatever the sample holds of them."""
    archive = []
    for number in range(500):
        rows = [f"{key}: {number}" for key in ("Height", "Weight", "Depth", "Length", "Price")]
        table = "\n".join([*rows[: 5 if number % 5 < 2 else 1], "Subscribe to our weekly letter", "Depth: 1"])
        archive.append(Document(source="x", id=str(number), text=f"Story {number} of w{number} went on.\n\n{table}"))
    config = PipelineConfig(sample=SampleConfig(documents=120))
    packs = [mine(archive, one)["x"] for one in (config, PipelineConfig(sample=SampleConfig(exact=True)))]
    sampled, exact = ({one.tokens: (one.df, one.count) for one in pack.templates} for pack in packs)
    assert sampled == exact
    options = resolve_defaults(config)
    mined = mine_source("x", archive, options)
    elsewhere = Elsewhere.of_none(len(mined.hashes))
    step = decide_source(mined, elsewhere, options)
    assert isinstance(step, CountStep)
    counts = step.query.answer(archive, options)
    whole = mine_source("x", archive, resolve_defaults(PipelineConfig(sample=SampleConfig(exact=True))))
    place = {value: row for row, value in enumerate(whole.hashes.tolist())}
    again, _ = recounted(mined, elsewhere, step.query, counts)
    rows = [row for row in range(len(again.hashes)) if again.hashes[row] in set(mined.hashes[step.query.rows].tolist())]
    assert rows
    assert again.evidence is not None
    assert whole.evidence is not None
    for row in rows:
        other = place[int(again.hashes[row])]
        for one in fields(Evidence):
            mine_, theirs = (getattr(each, one.name) for each in (again.evidence, whole.evidence))
            assert mine_[row] == theirs[other], one.name
