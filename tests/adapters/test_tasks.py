"""What runs on executors, with lists in the place of a cluster: shuffled, cut into batches, sorted by source."""

from __future__ import annotations

import random
from collections import Counter, defaultdict
from collections.abc import Callable, Iterator
from dataclasses import replace
from typing import Any

import orjson
import pytest
from archives_by_hand import SAMPLED, Facts, documents, make_mixed_archive, mine_locally

pa = pytest.importorskip("pyarrow")

from templatemine.adapters import tasks  # noqa: E402
from templatemine.api import mine  # noqa: E402
from templatemine.cleaning.records import RecordCleaner, RecordConfig  # noqa: E402
from templatemine.config import CleanConfig, MarkupConfig, PipelineConfig, ReadConfig  # noqa: E402
from templatemine.io.pending import Items  # noqa: E402
from templatemine.mining.methods import resolve_defaults  # noqa: E402
from templatemine.mining.stages import SourceReport, count_queries  # noqa: E402
from templatemine.model import Document  # noqa: E402
from templatemine.pipeline import Executor, drive  # noqa: E402

Rows = list[dict[str, Any]]


def batches(rows: Rows, size: int, schema: Any = None) -> Iterator[Any]:
    for start in range(0, len(rows), size):
        yield pa.RecordBatch.from_pylist(rows[start : start + size], schema=schema)


def shuffled(rows: Rows, partitions: int, by: str, order: tuple[str, ...], task: Callable[[Any], Any]) -> Rows:
    """A stage: rows go to their partition, and each partition is sorted and given to the task."""
    places: dict[int, Rows] = defaultdict(list)
    for row in rows:
        places[row[by] % partitions].append(row)
    out: Rows = []
    for part in sorted(places):
        places[part].sort(key=lambda row: tuple(row[name] for name in order))
        for batch in task(batches(places[part], 7)):
            out += batch.to_pylist()
    return out


ORDER = ("source", "kind", "number", "piece")


class ListExecutor(Executor[Rows, Rows, Facts]):
    """The stages of `spark.SparkExecutor`."""

    def __init__(self, rows: Rows, config: PipelineConfig, partitions: int, bits: int) -> None:
        options = resolve_defaults(config)
        counts = Counter(row["source"] for row in rows)
        bodies = defaultdict(set)
        for row in rows:
            bodies[row["source"]].add(row["html"] or row["text"])
        giants = {
            source: (count, len(bodies[source]) > 1)
            for source, count in counts.items()
            if count > config.sample.documents
        }
        self.plan = tasks.Plan(options=options, bits=bits, floor=0, sampled=giants)
        self.partitions = partitions
        part_of = {source: place % partitions for place, source in enumerate(sorted(counts))}
        self.placed = [{"part": part_of[row["source"]], **row} for row in rows]

    def map_documents(self) -> Rows:
        sample: Rows = []
        config = self.plan.options.sample
        for source in self.plan.sampled:
            mine_of = sorted(
                (row for row in self.placed if row["source"] == source),
                key=lambda row: tasks.sample_keys([row["id"]], config),
            )
            sample += mine_of[: config.documents + self.partitions - 1]  # to the document, or some too many
        kept = [row for row in self.placed if row["source"] not in self.plan.sampled] + sample
        return shuffled(kept, self.partitions, "part", ("source", "id"), lambda some: tasks.mine(some, self.plan))

    def reduce(self, kept: Rows) -> Rows:
        sent = [row for row in kept if row["kind"] == tasks.STRINGS]
        return shuffled(sent, 2**self.plan.bits, "number", ("number", "source"), tasks.compare_strings)

    def map_candidates(self, kept: Rows, table: Rows) -> Facts:
        known = [row for row in kept if row["kind"] != tasks.STRINGS] + table
        steps = self.by_source(known, lambda some: tasks.decide(some, self.plan))
        reports = [row for row in steps if row["kind"] == tasks.REPORT]
        for _ in range(count_queries(self.plan.options)):
            assert {row["source"] for row in steps if row["kind"] == tasks.QUERY} == {"big"}
            steps = self.by_source(self.answered(steps), lambda some: tasks.proceed(some, self.plan))
        reports += steps
        facts = shuffled(reports, 1, "part", ORDER, tasks.read_reports)
        return {row["source"]: (row["documents"], row["templates"], row["note"], row["pack"]) for row in facts}

    def by_source(self, rows: Rows, task: Callable[[Any], Any]) -> Rows:
        return shuffled(rows, self.partitions, "part", ORDER, task)

    def answered(self, steps: Rows) -> Rows:
        """What all documents of giants answer to their queries, in three parts, beside the state of each."""
        queries: dict[str, bytes] = {}
        for row in steps:
            if row["kind"] == tasks.QUERY:
                queries[row["source"]] = queries.get(row["source"], b"") + row["data"]
        everything = [row for row in self.placed if row["source"] in queries]
        said = [row for row in steps if row["kind"] == tasks.STATE]
        for number in range(3):
            for batch in tasks.answer_queries(batches(everything[number::3], 11), queries, self.plan.options):
                said += [{**row, "number": number} for row in batch.to_pylist()]
        return said


@pytest.mark.parametrize(("partitions", "bits", "piece"), [(1, 0, 1 << 25), (3, 4, 1000)])
@pytest.mark.parametrize("method", ["learned", "energy"])
def test_tasks_give_the_bytes_of_a_local_run(
    partitions: int, bits: int, piece: int, method: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(tasks, "MAX_ROW_BYTES", piece)
    monkeypatch.setattr(tasks, "MAX_BUFFERED", 10_000)
    config = PipelineConfig(method=method, sample=SAMPLED.sample)
    rows = make_mixed_archive()
    wanted = mine_locally(sorted(documents(rows), key=lambda one: (one.source, one.id)), config)
    random.Random(partitions).shuffle(rows)
    found = drive(ListExecutor(rows, config, partitions, bits))
    assert found == wanted
    assert "found in a sample of 120 documents" in wanted["big"][2]
    # Documents that are not in the sample say that no names stand there.
    assert method == "energy" or '"{slot:60}"' in str(wanted["big"][3])
    assert wanted["small"][3] is wanted["same"][3] is None
    assert wanted["few pages"][3] is not None


def test_packed_values_come_back() -> None:
    value = {"a": [Document(source="s", id="1", text="\ud800")], "b": b"\0" * 1000}
    assert tasks.deserialize(tasks.serialize(value)) == value
    assert len(tasks.serialize(value)) < 500


def test_packs_are_unpacked_when_they_are_asked_for() -> None:
    """Not for each row: whether there is one is asked there."""
    packs = tasks._LazyPacks({"a": b"no pack"})
    assert "a" in packs
    assert "b" not in packs
    assert (list(packs), len(packs)) == (["a"], 1)


def test_cleaning_is_that_of_the_command_line() -> None:
    rows = make_mixed_archive()
    packs = mine(documents(rows))
    read = ReadConfig()
    for row in rows:
        row["n"] = len(row["text"] or row["html"])
    rows += [
        {"source": None, "id": "x", "text": "no source", "html": None, "date": None, "n": 1},
        {"source": "big", "id": "y", "text": None, "html": None, "date": None, "n": 2},
        {"source": "unknown", "id": "z", "text": "a text", "html": None, "date": None, "n": 3},
        {
            "source": "unknown",
            "id": "z",
            "text": None,
            "html": "<p>A page of its own, with a few words.</p>",
            "date": None,
            "n": 4,
        },
    ]
    shipped = {source: tasks.serialize(pack) for source, pack in packs.items()}
    found: Rows = []
    schema = pa.RecordBatch.from_pylist(rows).schema
    for batch in tasks.clean(batches(rows, 50, schema), shipped, RecordConfig()):
        assert batch.schema.names == ["source", "id", "text", "html", "date", "title", "n", "removed", "removed_stub"]
        found += batch.to_pylist()
    assert [(row["id"], row["n"], row["html"]) for row in found] == [(row["id"], row["n"], row["html"]) for row in rows]
    cleaner = RecordCleaner(packs)
    for row, one in zip(rows, found, strict=True):
        fields = {name: row[name] for name in (read.text_field, read.html_field) if row[name] is not None}
        if row["source"] is None:
            assert (one["text"], one["removed"]) == (row["text"], None)
            continue
        wanted = orjson.loads(cleaner.clean_batch(Items([(row["source"], "", fields)])).data)
        assert one["text"] == wanted.get("text")
        removed = wanted.get("removed")  # of a page no kind is told
        assert one["removed"] == (removed and [{"kind": None, **span} for span in removed])
        assert one["removed_stub"] == wanted.get("removed_stub", False)
    assert sum(bool(row["removed"]) for row in found) > 100


def test_pages_have_addresses_where_a_column_has_them() -> None:
    page = "<html><body><p>" + "The council met <a href=b.html>at length</a> and talked. " * 20
    config = RecordConfig(clean=CleanConfig(text_format="markdown", markup=MarkupConfig(links=True)))
    batch = pa.RecordBatch.from_pylist([{"source": "x", "html": page, "url": "http://x.org/d/a"}])
    twice = pa.RecordBatch.from_arrays([*batch.columns, batch["url"]], [*batch.schema.names, "url"])
    for given, link in ((batch, "[at length](http://x.org/d/b.html)"), (twice, "[at length](b.html)")):
        (done,) = tasks.clean([given], {}, config)
        assert f"The council met {link}" in done["text"][0].as_py()
    other = RecordConfig(read=ReadConfig(url_field="link"), clean=config.clean)
    (done,) = tasks.clean([batch.rename_columns(["source", "html", "link"])], {}, other)
    assert "[at length](http://x.org/d/b.html)" in done["text"][0].as_py()


def test_packs_are_checked_before_they_are_broadcast() -> None:
    pack = next(iter(mine(documents(make_mixed_archive())).values()))
    good = [{"source": pack.source, "pack": pack.to_json()}]
    (batch,) = tasks.check_packs(batches(good, 5))
    assert tasks.deserialize(batch.to_pylist()[0]["pack"]).to_json() == pack.to_json()
    evil = {"source": "evil", "pack": pack.to_json().replace('"documents"', '"docs"')}
    (batch,) = tasks.check_packs(batches([evil, *good], 5))
    first, second = batch.to_pylist()
    assert first == {"source": "evil", "pack": None, "problem": "pack of evil: the field 'documents' is missing"}
    assert (second["source"], second["problem"]) == (pack.source, None)


def test_a_pack_that_nobody_could_read_is_none_in_the_report() -> None:
    pack = next(iter(mine(documents(make_mixed_archive())).values()))
    bad = replace(pack, templates=(*pack.templates, pack.templates[0]))
    reports = [SourceReport(source="s", documents=9, pack=one, note="note") for one in (bad, pack)]
    rows = tasks._to_batches(row for part, one in enumerate(reports) for row in tasks._report_rows(part, one))
    told, whole = (row for batch in tasks.read_reports(rows) for row in batch.to_pylist())
    assert told["pack"] is None
    assert "is a bug of templatemine" in told["note"]
    assert whole["pack"] == pack.to_json()
