"""``templatemine bench``: what it tells of an archive, and that it tells the truth about what it did."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest
from cli_support import everything, page, records, write

from conftest import Cli
from templatemine.config import PipelineConfig, SampleConfig
from templatemine.errors import ConfigError, CorpusError
from templatemine.measure import STAGES, MeasureConfig, measure
from templatemine.model import Document
from templatemine.pipeline import mine


@pytest.fixture
def archive(tmp_path: Path) -> Path:
    return write(tmp_path / "archive.jsonl", records(documents=30))


def documents(sources: tuple[str, ...] = ("alpha.example", "beta.example", "gamma.example")) -> list[Document]:
    return [Document(source=row["source"], id=row["id"], text=row["text"]) for row in records(sources, documents=30)]


def test_stages_are_told_to_people(cli: Cli, archive: Path, tmp_path: Path) -> None:
    ran = cli("bench", archive, "--runs", "2")
    assert (ran.code, ran.err) == (0, "")
    lines = ran.out.splitlines()
    assert [line.removeprefix("- ").split()[0] for line in lines[1 : 1 + len(STAGES)]] == [
        name.removeprefix("- ") for name in STAGES
    ]
    assert lines[-1].startswith("90 documents of 3 sources, 0.")
    assert "; 2 runs; templatemine " in lines[-1]
    assert everything(tmp_path) == ["archive.jsonl"]


def test_json(cli: Cli, archive: Path) -> None:
    ran = cli("bench", archive, "--runs", "2", "--json")
    facts = json.loads(ran.out)
    assert (ran.err, facts["documents"], facts["sources"], facts["skipped"]) == ("", 90, 3, 0)
    assert facts["bytes"] == sum(len(row["text"].encode()) for row in records(documents=30))
    stages = {stage["stage"]: stage for stage in facts["stages"]}
    assert [len(stage["seconds"]) for stage in stages.values()] == [1, 2, 2, 2, 2, 2]
    for stage in stages.values():
        assert 0 <= stage["min_s"] <= stage["median_s"]
        assert 10**7 < stage["peak_memory"] <= facts["peak_memory"]
    parts = [stage["min_s"] for stage in facts["stages"] if stage["part_of"] == "mine"]
    assert sum(parts) <= stages["mine"]["median_s"] * 1.01


def test_bad_documents_and_small_sources_are_counted(cli: Cli, tmp_path: Path) -> None:
    rows = [*records(["alpha.example"], 20), b"bad", *records(["beta.example"], 3)]
    ran = cli("bench", write(tmp_path / "a.jsonl", rows), "--runs", "1")
    assert "a.jsonl:21: expected a JSON object" in ran.err
    assert "23 documents of 2 sources (1 too small to be mined)" in ran.out
    assert "; 1 document skipped; " in ran.out


def test_pages(cli: Cli, tmp_path: Path) -> None:
    pages = [page(row) for row in records(["page.example"], 20)]
    facts = json.loads(cli("bench", write(tmp_path / "a.jsonl", pages), "--runs", "1", "--json").out)
    assert facts["bytes"] == sum(len(row["html"].encode()) for row in pages)


@pytest.mark.parametrize(
    ("rows", "options", "message"),
    [
        (0, [], "expected a source with at least 5 documents, found at most 0 of one"),
        (3, [], "expected a source with at least 5 documents, found at most 3 of one"),
        (20, ["--runs", "0"], "argument --runs: expected a whole number of at least 1, got '0'"),
    ],
)
def test_refused(cli: Cli, tmp_path: Path, rows: int, options: list[str], message: str) -> None:
    assert message in cli("bench", write(tmp_path / "a.jsonl", records(documents=rows)), *options).error


def test_help_answers_at_once(cli: Cli) -> None:
    assert max(len(line) for line in cli("bench", "--help").out.splitlines()) <= 80
    run = "from templatemine.__main__ import main; main(['bench', '--help'])"
    code = f"import sys; {run}; sys.exit(bool({{'numpy', 'rich', 'regex', 'orjson'}} & set(sys.modules)))"
    assert subprocess.run([sys.executable, "-c", code], capture_output=True, check=False).returncode == 0


@pytest.mark.parametrize("exact", [False, True])
def test_what_is_measured_is_what_mine_does(exact: bool) -> None:
    config = PipelineConfig(sample=SampleConfig(documents=20, exact=exact))
    measured = measure(iter(documents()), MeasureConfig(runs=1, pipeline=config))
    packs = mine(documents(), config)
    assert measured.templates == sum(len(pack.templates) for pack in packs.values()) > 0


def test_progress_and_errors() -> None:
    steps: list[tuple[str, int, int | None]] = []
    measure(documents(), MeasureConfig(runs=2), progress=lambda *step: steps.append(step))
    assert steps == [("read", 90, 90), ("mine", 1, 2), ("mine", 2, 2), ("clean", 1, 2), ("clean", 2, 2)]
    with pytest.raises(CorpusError, match="at least 5 documents"):
        measure([])
    with pytest.raises(ConfigError, match="runs: expected at least 1"):
        MeasureConfig(runs=0)
