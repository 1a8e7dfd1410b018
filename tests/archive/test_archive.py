"""Runs on disk: the packs of a run in memory, whatever happens on the way."""

from __future__ import annotations

import errno
import json
import multiprocessing
import os
import time
from collections.abc import Callable
from dataclasses import replace
from functools import cache
from importlib.resources import files
from itertools import product
from pathlib import Path
from random import Random
from typing import Any

import numpy as np
import pytest

from archive_support import BUDGET, CONFIG, contents, run, run_small, small_budget, write_archive
from io_support import response
from scale import scaled
from templatemine.archive import disk, first_pass, manifest, partition
from templatemine.archive import run as archive
from templatemine.archive.apply_overrides import apply_rules
from templatemine.archive.archive_report import DocumentCounter, SourcelessRecords
from templatemine.archive.disk import choose_sample_within
from templatemine.archive.run import MIN_MEMORY, ArchiveRun, RunConfig
from templatemine.config import PipelineConfig, ReadConfig, SampleConfig, SharedConfig, TokeniseConfig
from templatemine.errors import CapacityError, ConfigError, CorpusError
from templatemine.io.files import Report
from templatemine.io.read import read_documents
from templatemine.mining.sampling import choose_sample
from templatemine.model import Document, Record
from templatemine.packs.overrides import Rule
from templatemine.packs.pack import Pack
from templatemine.packs.pack_folder import SourceOutcome, open_pack_folder
from templatemine.pipeline import Miner

MODEL = Path(str(files("templatemine.mining").joinpath("model.npz")))


def mine_in_memory(paths: list[str], output: Path, config: PipelineConfig = CONFIG) -> list[SourceOutcome]:
    reports = Miner(config).run(read_documents(paths, ReadConfig(), lambda error: None))
    with open_pack_folder(output) as shelf:
        return [shelf.save(report) for report in reports]


@pytest.fixture
def paths(tmp_path: Path) -> list[str]:
    return write_archive(tmp_path)


InMemory = Callable[[str], tuple[list[SourceOutcome], dict[str, bytes]]]


@pytest.fixture(scope="module")
def in_memory(tmp_path_factory: pytest.TempPathFactory) -> InMemory:
    """What a run in memory makes of the archive of `paths`, by method, once."""

    @cache
    def mined(method: str) -> tuple[list[SourceOutcome], dict[str, bytes]]:
        folder = tmp_path_factory.mktemp(method)
        outcomes = mine_in_memory(write_archive(folder), folder / "packs", replace(CONFIG, method=method))
        return outcomes, contents(folder / "packs")

    return mined


@pytest.fixture
def whole(in_memory: InMemory) -> dict[str, bytes]:
    """The packs of a run that nothing disturbs: those of a run in memory, which other tests here hold it to."""
    return in_memory("learned")[1]


@pytest.fixture(autouse=True)
def quick(monkeypatch: pytest.MonkeyPatch) -> None:
    """Waiting for the disk would take most of the time, and only a loss of power would show."""
    monkeypatch.setattr(os, "fsync", lambda descriptor: None)
    monkeypatch.setattr(partition, "BUCKET_COUNT", 8)


@pytest.fixture
def small(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(archive, "_BASE_MEMORY", archive._BASE_MEMORY)
    small_budget()
    assert RunConfig(memory=MIN_MEMORY).budget in range(BUDGET - 2, BUDGET + 2)


@pytest.mark.parametrize("method", ["learned", "energy"])
@pytest.mark.parametrize("jobs", [1, 3])
def test_the_packs_are_those_of_a_run_in_memory(
    tmp_path: Path, paths: list[str], in_memory: InMemory, jobs: int, method: str
) -> None:
    outcomes, packs = in_memory(method)
    mined = run(paths, str(tmp_path / "disk"), pipeline=replace(CONFIG, method=method), jobs=jobs)
    assert contents(tmp_path / "disk") == packs
    assert [one.source for one in mined.outcomes] == [one.source for one in outcomes]
    assert [(one.templates, one.note, one.documents) for one in mined.outcomes] == [
        (one.templates, one.note, one.documents) for one in outcomes
    ]
    assert mined.skipped == 1
    assert mined.documents == sum(one.documents for one in outcomes)
    ids = [(one.source, one.id) for one in read_documents(paths, ReadConfig(), lambda error: None)]
    assert mined.duplicates == len(ids) - len(set(ids)) > 0


@pytest.mark.usefixtures("small")
def test_units_smaller_than_a_bucket(tmp_path: Path, paths: list[str], whole: dict[str, bytes]) -> None:
    """Splitting again, and a giant of which the usual sample fits: still the same bytes."""
    told: list[str] = []
    run(paths, str(tmp_path / "disk"), told)
    assert contents(tmp_path / "disk") == whole
    assert not told
    pack = Pack.load(tmp_path / "disk" / "giant.example.json")
    assert "found in a sample of 25 documents" in pack.cutoff.note
    assert pack.documents == 90


@pytest.mark.usefixtures("small")
def test_a_source_larger_than_the_budget_is_sampled_and_says_so(tmp_path: Path) -> None:
    paths = write_archive(tmp_path, giant=300)
    told: list[str] = []
    config = PipelineConfig(mine=CONFIG.mine)
    run(paths, str(tmp_path / "disk"), told, pipeline=config)
    (line,) = told
    assert line.startswith("giant.example: 300 documents take ")
    pack = Pack.load(tmp_path / "disk" / "giant.example.json")
    assert pack.documents == 300
    assert "found in a sample of" in pack.cutoff.note
    calls = [one for one in pack.templates if one.example.startswith("Sign up")]
    assert [one.df for one in calls] == [300]


@pytest.mark.usefixtures("small")
def test_exact_says_what_it_would_take(tmp_path: Path) -> None:
    paths = write_archive(tmp_path, giant=300)
    config = PipelineConfig(mine=CONFIG.mine, sample=SampleConfig(exact=True))
    with pytest.raises(CapacityError, match=r"'giant\.example'.*takes about"):
        run(paths, str(tmp_path / "disk"), pipeline=config)


def test_the_sample_is_that_of_choose() -> None:
    documents = [Document(source="s", id=f"{place % 70}", text="x" * (place % 13)) for place in range(100)]
    config = SampleConfig(documents=40)
    places = choose_sample(documents, config)
    assert places is not None
    found, chosen = choose_sample_within(documents, config, 10**9)
    assert found == places.tolist()
    assert chosen == [documents[place] for place in found]


def test_a_sample_that_is_cut_short_knows_no_order() -> None:
    random = Random(3)
    documents = [Document(source="s", id=str(place), text="x" * random.choice([1, 10, 500])) for place in range(200)]
    config = SampleConfig(documents=150)
    wanted = None
    for _ in range(5):
        chosen = {one.id for one in choose_sample_within(documents, config, 60_000)[1]}
        assert 10 < len(chosen) < 150
        assert wanted is None or chosen == wanted
        wanted = chosen
        random.shuffle(documents)


def test_document_counter() -> None:
    fields: list[dict[str, Any]] = [
        {"id": "1"},
        {"id": "1"},
        {},
        {},
        {"id": None},
        {"id": 2},
        {"id": "2"},
        {"id": ""},
        {"id": ""},
    ]
    records = [
        Record(document=Document(source="s", id=str(one.get("id") or "made up"), text="x"), fields=one, where="f")
        for one in fields
    ]
    counter = DocumentCounter(ReadConfig())
    assert len(list(counter.count_documents(records))) == 9
    assert counter.sources == {"s": 9}
    assert counter.duplicates == 2


# ------------------------------------------------------------------------------------------------------ going on


def stop_at(monkeypatch: pytest.MonkeyPatch, name: str, call: int) -> None:
    """Let the run fail when a step is taken for the so-manieth time."""
    homes: tuple[Any, ...] = (first_pass, disk, archive)
    home = next(one for one in homes if hasattr(one, name))
    real, calls = getattr(home, name), []

    def step(*args: object, **options: object) -> object:
        calls.append(1)
        if len(calls) == call:
            raise KeyboardInterrupt
        return real(*args, **options)

    monkeypatch.setattr(home, name, step)


@pytest.mark.usefixtures("small")
def test_the_shared_pack_is_that_of_a_run_in_memory(tmp_path: Path) -> None:
    """Though units hold a few sources each; and a run that goes on has no need to make it again."""
    random, words = Random(3), [f"{a}{b}{c}" for a in "bdfgk" for b in "aeiou" for c in ("m", "n", "rst")]
    rows = []
    for source, place in product(range(12), range(14)):
        said = "\n".join(" ".join(random.choices(words, k=30)).capitalize() + "." for _ in range(3))
        text = f"{said}\nAll papers of the Northern Press Group are paid for by their readers.\nPaper number {source}"
        rows.append({"source": f"paper{source}.example", "id": str(place), "date": "2024-03-01", "text": text})
    random.shuffle(rows)
    (tmp_path / "papers.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
    config = PipelineConfig(mine=CONFIG.mine, shared=SharedConfig())
    outcomes = mine_in_memory([str(tmp_path / "papers.jsonl")], tmp_path / "memory", config)
    mined = run([str(tmp_path / "papers.jsonl")], str(tmp_path / "disk"), pipeline=config)
    assert contents(tmp_path / "memory") == contents(tmp_path / "disk")
    assert [(one.source, one.templates, one.rejected) for one in mined.outcomes] == [
        (one.source, one.templates, one.rejected) for one in outcomes
    ]
    assert mined.outcomes[0].source == "_shared"
    assert mined.outcomes[0].templates >= 1
    assert mined.documents == 168
    told: list[str] = []
    run([str(tmp_path / "papers.jsonl")], str(tmp_path / "disk"), told, pipeline=config)
    assert told == ["an earlier run has done all of it; --force does it again"]


@pytest.mark.usefixtures("small")
@pytest.mark.parametrize(
    ("name", "call"),
    [
        *(
            ("encode_document", 70),
            ("encode_document", 200),
            ("split_units", 1),
            ("mine_source", 3),
            ("write_hashes", 9),
        ),
        *(
            ("decide_source", 2),
            ("skip_source", 7),
            ("_move_into_place", 1),
            ("_move_into_place", 5),
            ("_file_state", 1),
        ),
    ],
)
def test_a_run_goes_on_where_it_stopped(
    tmp_path: Path, paths: list[str], whole: dict[str, bytes], monkeypatch: pytest.MonkeyPatch, name: str, call: int
) -> None:
    with monkeypatch.context() as patch:
        stop_at(patch, name, call)
        with pytest.raises(KeyboardInterrupt):
            run(paths, str(tmp_path / "disk"))
    told: list[str] = []
    mined = run(paths, str(tmp_path / "disk"), told)
    assert told == ["going on where an earlier run stopped"]
    assert mined.skipped == 1
    assert contents(tmp_path / "disk") == whole


@pytest.mark.usefixtures("small")
@pytest.mark.parametrize("call", [2, 11, 25, 39])
def test_a_run_that_goes_on_counts_what_it_meets_once(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, call: int
) -> None:
    for library in ("fastwarc", "resiliparse", "tldextract"):
        pytest.importorskip(library)
    paths = []
    for number in range(4):
        page, gone = (response(f"http://a.example/{number}/{place}") for place in range(2)), response(status="404 Gone")
        path = tmp_path / f"{number}.warc"
        path.write_bytes(b"".join([gone, *page, *(response(f"http://b.example/{n}") for n in range(8)), gone, gone]))
        paths.append(str(path))

    def ends(output: str) -> dict[str, int]:
        report = Report()
        config = RunConfig(pipeline=CONFIG, memory=archive.MIN_MEMORY, checkpoint=0.0)
        ArchiveRun(paths, str(tmp_path / output), config, on_error=report).run()
        return report.notes

    with monkeypatch.context() as patch:
        stop_at(patch, "encode_document", call)
        with pytest.raises(KeyboardInterrupt):
            ends("disk")
    assert ends("disk") == {"responses that report an error or lead elsewhere": 12}
    assert ends("disk") == {"responses that report an error or lead elsewhere": 12}


@pytest.mark.parametrize("call", [1, 90, 170])
def test_records_without_a_source_are_counted_once(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, call: int) -> None:
    paths = [str(tmp_path / f"{name}.jsonl") for name in ("one", "two")]
    for path in paths:
        rows = [
            {"url": f"https://www.{'ab'[place % 2]}.example/{place}", "text": f"Text {place}"} for place in range(100)
        ]
        Path(path).write_text("".join(json.dumps(row) + "\n" for row in rows))

    def mined() -> SourcelessRecords:
        config = RunConfig(pipeline=CONFIG, memory=archive.MIN_MEMORY, checkpoint=0.0)
        return ArchiveRun(paths, str(tmp_path / "disk"), config).run().nameless

    with monkeypatch.context() as patch:
        stop_at(patch, "encode_document", call)
        with pytest.raises(KeyboardInterrupt):
            mined()
    expected = SourcelessRecords(200, {"a.example": "www.a.example", "b.example": "www.b.example"})
    assert mined() == expected
    assert mined() == expected  # of a run that is found done


@pytest.mark.parametrize("call", [1, 90, 170])
def test_unreadable_dates_are_counted_once(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, call: int) -> None:
    paths = [str(tmp_path / f"{name}.jsonl") for name in ("one", "two")]
    for path in paths:
        dates = ["none", "3/4/2024", "2024-05-31", True, "31.12.2024"] * 20
        rows = [{"source": "a", "date": date, "text": f"Text {place}"} for place, date in enumerate(dates)]
        Path(path).write_text("".join(json.dumps(row) + "\n" for row in rows))

    def mined() -> tuple[int, str]:
        config = RunConfig(pipeline=CONFIG, memory=archive.MIN_MEMORY, checkpoint=0.0)
        dates = ArchiveRun(paths, str(tmp_path / "disk"), config).run().dates
        return dates.total(), dates.describe()

    with monkeypatch.context() as patch:
        stop_at(patch, "encode_document", call)
        with pytest.raises(KeyboardInterrupt):
            mined()
    told = f"80 dates could not be read, first: 'none' ({paths[0]}:1); 40 dates of 'a' could not be read, as day and "
    remedy = "write them as 2024-05-31, or add one with a day above 12"
    expected = 120, f"{told}month may be either, first: '3/4/2024' ({paths[0]}:2); {remedy}"
    assert mined() == expected
    assert mined() == expected  # of a run that is found done


@pytest.mark.usefixtures("small")
def test_without_hard_links_no_pack_is_replaced(
    tmp_path: Path, paths: list[str], whole: dict[str, bytes], monkeypatch: pytest.MonkeyPatch
) -> None:
    def none(source: str, target: str) -> None:
        if theirs and target.endswith("small3.example.json"):
            Path(target).write_text("theirs")  # after the last look
        raise OSError(95, "Operation not supported")

    theirs = True
    monkeypatch.setattr(os, "link", none)
    with pytest.raises(CorpusError, match="small3.example.json: appeared while it was being written"):
        run(paths, str(tmp_path / "disk"))
    pack = tmp_path / "disk" / "small3.example.json"
    assert pack.read_text() == "theirs"
    pack.unlink()
    theirs = False
    run(paths, str(tmp_path / "disk"))
    assert contents(tmp_path / "disk") == whole


@pytest.mark.usefixtures("small")
def test_what_was_done_is_not_done_again(tmp_path: Path, paths: list[str], monkeypatch: pytest.MonkeyPatch) -> None:
    with monkeypatch.context() as patch:
        stop_at(patch, "decide_source", 1)
        with pytest.raises(KeyboardInterrupt):
            run(paths, str(tmp_path / "disk"))
    monkeypatch.setattr(disk, "mine_source", None)
    monkeypatch.setattr(first_pass, "encode_document", None)
    run(paths, str(tmp_path / "disk"))


def test_decisions_between_a_run_and_its_end_are_kept(
    tmp_path: Path, paths: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """A run that was killed when its packs were made, and goes on when somebody has decided about those that stand."""
    run(paths, str(tmp_path / "packs"))
    pack = tmp_path / "packs" / "small1.example.json"
    with monkeypatch.context() as patch:
        patch.setattr(ArchiveRun, "_publish", killed)
        with pytest.raises(KeyboardInterrupt):
            run(paths, str(tmp_path / "packs"), force=True)
    before = Pack.load(pack)
    gone = before.templates[0]
    apply_rules(before, (), [Rule(action="reject", id=gone.id)]).save(pack, force=True)
    told: list[str] = []
    run(paths, str(tmp_path / "packs"), told, force=True)
    assert told == ["going on where an earlier run stopped"]
    after = Pack.load(pack)
    assert after.overrides.rules == (Rule(action="reject", id=gone.id),)
    assert gone not in after.templates
    assert after.overrides.removed == (gone,)


def killed(self: object) -> None:
    raise KeyboardInterrupt


def test_a_run_that_is_done_is_done(tmp_path: Path, paths: list[str], monkeypatch: pytest.MonkeyPatch) -> None:
    first = run(paths, str(tmp_path / "disk"))
    told: list[str] = []
    monkeypatch.setattr(disk, "mine_source", None)
    again = run(paths, str(tmp_path / "disk"), told)
    assert told == ["an earlier run has done all of it; --force does it again"]
    assert again == first
    (tmp_path / "disk" / "small1.example.json").write_text("edited")
    with pytest.raises(CorpusError, match="holds .* packs?, .* or use force=True"):
        run(paths, str(tmp_path / "disk"))


@pytest.mark.parametrize("change", ["input", "time", "options", "files", "asked"])
def test_what_has_changed_starts_over_with_a_word(
    tmp_path: Path, paths: list[str], whole: dict[str, bytes], monkeypatch: pytest.MonkeyPatch, change: str
) -> None:
    with monkeypatch.context() as patch:
        stop_at(patch, "decide_source", 3)
        with pytest.raises(KeyboardInterrupt):
            run(paths, str(tmp_path / "disk"))
    options: dict[str, object] = {}
    why = {
        "input": f"{paths[1]} is not what it was",
        "time": f"{paths[1]} is not what it was",
        "options": "its options were others",
        "files": "its inputs were others",
        "asked": "as asked",
    }[change]
    if change == "input":
        before = os.stat(paths[1])
        data = Path(paths[1]).read_bytes()
        Path(paths[1]).write_bytes(data.replace(b"Sign up", b"Sing up"))  # of the same length, and the clock went back
        os.utime(paths[1], ns=(before.st_atime_ns, before.st_mtime_ns))
    elif change == "time":
        os.utime(paths[1], (1, 1))
    elif change == "options":
        options["pipeline"] = PipelineConfig(mine=CONFIG.mine)
    elif change == "files":
        paths = paths[:2]
    else:
        options["restart"] = True
    told: list[str] = []
    run(paths, str(tmp_path / "disk"), told, **options)
    assert told == [f"an earlier run stopped before its end; starting over: {why}"]
    if change in ("input", "options", "files"):
        run(paths, str(tmp_path / "fresh"), **options)
        whole = contents(tmp_path / "fresh")
    assert contents(tmp_path / "disk") == whole


def test_a_model_that_changes_under_its_name_starts_over(
    tmp_path: Path, paths: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    table = tmp_path / "model.npz"
    with np.load(MODEL) as shipped:
        columns = dict(shipped)

    def written(shift: float) -> None:
        values = columns["segment.leaf"] + np.float32(shift)
        np.savez(table, **{**columns, "segment.leaf": values})

    written(0.0)
    options = {"pipeline": replace(CONFIG, model=str(table))}
    with monkeypatch.context() as patch:
        stop_at(patch, "decide_source", 3)
        with pytest.raises(KeyboardInterrupt):
            run(paths, str(tmp_path / "disk"), **options)
    before = os.stat(table)
    written(0.5)
    os.utime(table, ns=(before.st_atime_ns, before.st_mtime_ns))
    told: list[str] = []
    run(paths, str(tmp_path / "disk"), told, **options)
    assert told == ["an earlier run stopped before its end; starting over: its model has changed"]
    run(paths, str(tmp_path / "disk"), told, **options)
    assert told[1:] == ["an earlier run has done all of it; --force does it again"]
    # What is done was by another model.
    written(0.0)
    with pytest.raises(CorpusError, match="holds .* packs?, .* or use force=True"):
        run(paths, str(tmp_path / "disk"), **options)


def test_standard_input_starts_over(tmp_path: Path, paths: list[str], monkeypatch: pytest.MonkeyPatch) -> None:
    data = Path(paths[0]).read_bytes()

    def stdin() -> None:
        import io
        import sys

        monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(data)))

    stdin()
    with monkeypatch.context() as patch:
        stop_at(patch, "decide_source", 1)
        with pytest.raises(KeyboardInterrupt):
            run(["-"], str(tmp_path / "disk"))
    stdin()
    told: list[str] = []
    run(["-"], str(tmp_path / "disk"), told)
    assert told[0].endswith("starting over: standard input cannot be read from where it stopped")


def test_a_file_that_grows_is_told_of(tmp_path: Path, paths: list[str], monkeypatch: pytest.MonkeyPatch) -> None:
    real = first_pass.encode_document

    def encode(document: Document, own: bool) -> bytes:
        with open(paths[0], "ab") as handle:
            handle.write(b"\n")
        return real(document, own)

    monkeypatch.setattr(first_pass, "encode_document", encode)
    told: list[str] = []
    run(paths[:1], str(tmp_path / "disk"), told)
    assert told[0].startswith(f"{paths[0]} changed while it was read")


def test_a_clock_that_goes_back_changes_nothing(
    tmp_path: Path, paths: list[str], whole: dict[str, bytes], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(time, "time", iter(range(10**9, 0, -1)).__next__)
    with monkeypatch.context() as patch:
        stop_at(patch, "decide_source", 3)
        with pytest.raises(KeyboardInterrupt):
            run(paths, str(tmp_path / "disk"))
    told: list[str] = []
    run(paths, str(tmp_path / "disk"), told)
    assert told == ["going on where an earlier run stopped"]
    assert contents(tmp_path / "disk") == whole


# ------------------------------------------------------------------------------------------------------ trouble


@pytest.mark.usefixtures("small")
@pytest.mark.parametrize("call", [1, 4, 30, 60, 110])
def test_a_full_disk(
    tmp_path: Path, paths: list[str], whole: dict[str, bytes], monkeypatch: pytest.MonkeyPatch, call: int
) -> None:
    """At the so-manieth sync nothing more can be written; when there is room again, the run goes on."""
    calls = []

    def fsync(descriptor: int) -> None:
        calls.append(1)
        if len(calls) >= call:
            raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    with monkeypatch.context() as patch:
        patch.setattr(os, "fsync", fsync)
        with pytest.raises(CorpusError, match="No space left") as caught:
            run(paths, str(tmp_path / "disk"))
        assert caught.value.fatal
    if (tmp_path / "disk").exists():
        assert [path.name for path in (tmp_path / "disk").iterdir()] in ([], [".templatemine-work"])
    run(paths, str(tmp_path / "disk"))
    assert contents(tmp_path / "disk") == whole


def test_no_documents_leave_nothing(tmp_path: Path) -> None:
    (tmp_path / "empty.jsonl").write_bytes(b"none\n")
    with pytest.raises(CorpusError, match="expected documents, found 1 that cannot be read"):
        run([str(tmp_path / "empty.jsonl")], str(tmp_path / "disk"))
    assert not (tmp_path / "disk").exists()


def test_an_input_that_is_not_there_leaves_nothing(tmp_path: Path) -> None:
    with pytest.raises(CorpusError, match="nowhere"):
        run([str(tmp_path / "nowhere.jsonl")], str(tmp_path / "disk"))
    assert not (tmp_path / "disk").exists()


def test_packs_that_exist(tmp_path: Path, paths: list[str], whole: dict[str, bytes]) -> None:
    (tmp_path / "disk").mkdir()
    (tmp_path / "disk" / "small1.example.json").write_text("mine")
    with pytest.raises(CorpusError, match="holds .* packs?, .* or use force=True"):
        run(paths, str(tmp_path / "disk"))
    assert (tmp_path / "disk" / "small1.example.json").read_text() == "mine"
    run(paths, str(tmp_path / "disk"), force=True)
    assert contents(tmp_path / "disk") == whole


def test_a_damaged_partition_is_named(tmp_path: Path, paths: list[str], monkeypatch: pytest.MonkeyPatch) -> None:
    with monkeypatch.context() as patch:
        stop_at(patch, "mine_source", 1)
        with pytest.raises(KeyboardInterrupt):
            run(paths, str(tmp_path / "disk"))
    for path in (tmp_path / "disk" / ".templatemine-work" / "split").iterdir():
        path.write_bytes(path.read_bytes()[:-3])
    with pytest.raises(CorpusError, match="damaged"):
        run(paths, str(tmp_path / "disk"))
    run(paths, str(tmp_path / "disk"), restart=True)


def test_killed_while_it_notes_the_end(
    tmp_path: Path, paths: list[str], whole: dict[str, bytes], monkeypatch: pytest.MonkeyPatch
) -> None:
    """What is left of the file that was being written then goes with the work."""
    write_json = manifest.write_json

    def killed(path: str, value: object) -> None:
        if isinstance(value, dict) and "outcomes" in value and "files" in value:
            Path(path).with_name(".templatemine-0.tmp").write_bytes(b"")
            raise KeyboardInterrupt
        write_json(path, value)

    with monkeypatch.context() as patch:
        patch.setattr(manifest, "write_json", killed)
        with pytest.raises(KeyboardInterrupt):
            run(paths, str(tmp_path / "disk"))
    run(paths, str(tmp_path / "disk"))
    assert contents(tmp_path / "disk") == whole


@pytest.mark.parametrize("options", [{"memory": 1000}, {"jobs": 0}])
def test_options_that_make_no_sense(options: dict[str, int]) -> None:
    with pytest.raises(ConfigError):
        RunConfig(**options)  # type: ignore[arg-type]


def test_sources_are_given_as_any_collection() -> None:
    """A list was kept as it is: the options had no hash, and changed with it; a tuple was refused."""
    names = ["a", "b"]
    configs = [RunConfig(only=given) for given in (names, ("a", "b"), {"b", "a"}, dict.fromkeys(names).keys())]
    names.append("c")
    assert {(one, one.only) for one in configs} == {(configs[0], ("a", "b"))}
    for wrong in ("a", b"a", 1):
        with pytest.raises(ConfigError, match="^only: expected a list or tuple, got "):
            RunConfig(only=wrong)  # type: ignore[arg-type]
    assert hash(TokeniseConfig(user_patterns=[])) == hash(TokeniseConfig())  # type: ignore[arg-type]


# ------------------------------------------------------------------------------------------------------ kill -9

KILLS = scaled(200)


def test_killed_at_any_moment(tmp_path: Path) -> None:
    """Killed by SIGKILL, twenty times or two hundred, a run started again ends with the bytes of one that was left alone.

    The processes are forks of a server that has everything imported, so that each is killed at its work.
    """
    paths = write_archive(tmp_path)
    context = multiprocessing.get_context("forkserver")
    context.set_forkserver_preload(["archive_support", "templatemine.archive.run", "templatemine.pages.history"])
    output = tmp_path / "whole"

    def start(output: Path) -> multiprocessing.process.BaseProcess:
        process = context.Process(target=run_small, args=(paths, str(output)))
        process.start()
        return process

    took = []
    for _ in range(2):
        began = time.monotonic()
        process = start(output)
        process.join(60)
        took.append(time.monotonic() - began)
        assert process.exitcode == 0
        wanted = contents(output)
        output = tmp_path / "again"
    assert contents(tmp_path / "again") == contents(tmp_path / "whole") == wanted
    random, kills, rounds = Random(200), 0, 0
    phases: set[str] = set()

    def goes_on() -> bool:
        """On a busy machine the first kills may all fall into one phase."""
        return kills < KILLS or (rounds < 4 * KILLS and not {"split", "mine"} <= phases)

    while goes_on():
        output = tmp_path / f"round{rounds}"
        rounds += 1
        for attempt in range(200):
            process = start(output)
            process.join(random.uniform(0, min(took)) if attempt < 25 and goes_on() else 60)
            if process.exitcode is None:
                process.kill()
                process.join(60)
            if process.exitcode == 0:
                break
            assert process.exitcode == -9
            kills += 1
            phases.add(_phase(output))
            assert not _half_written(output, wanted)
        assert contents(output) == wanted
    assert rounds > KILLS // 20
    assert {"split", "mine"} <= phases


def _phase(output: Path) -> str:
    try:
        return str(json.loads((output / ".templatemine-work" / "run.json").read_bytes())["phase"])
    except OSError:
        return "none"


def _half_written(output: Path, wanted: dict[str, bytes]) -> list[str]:
    """Packs in their places that are not whole."""
    if not output.exists():
        return []
    return [
        path.name
        for path in output.iterdir()
        if path.is_file() and not path.name.startswith(".") and path.read_bytes() != wanted[path.name]
    ]
