"""``--only`` of the commands that read an archive: the records of other sources might not be there."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from cli_support import SOURCES, everything, records, write

from conftest import Cli


@pytest.fixture
def archive(tmp_path: Path) -> Path:
    return write(tmp_path / "a.jsonl", records())


@pytest.mark.parametrize("memory", [[], ["--memory", "200M"]])
def test_mine(cli: Cli, archive: Path, tmp_path: Path, memory: list[str]) -> None:
    first, second, *_ = SOURCES
    alone = write(tmp_path / "alone.jsonl", [row for row in records() if row["source"] == first])
    assert cli("mine", alone, "-o", tmp_path / "alone", *memory).code == 0
    ran = cli("mine", archive, "-o", tmp_path / "packs", "--only", first, *memory)
    assert (ran.code, everything(tmp_path / "packs")) == (0, everything(tmp_path / "alone"))
    name = f"{first}.json"
    assert (tmp_path / "packs" / name).read_bytes() == (tmp_path / "alone" / name).read_bytes()
    assert f"records of other sources left out: {40 * (len(SOURCES) - 1)}\n" in ran.err
    ran = cli("mine", archive, "-o", tmp_path / "two", "--only", first, "--only", second, "--json", *memory)
    assert {one["source"] for one in json.loads(ran.out)["sources"]} == {first, second}


@pytest.mark.parametrize("memory", [[], ["--memory", "200M"]])
def test_a_source_that_no_record_is_of(cli: Cli, archive: Path, tmp_path: Path, memory: list[str]) -> None:
    ran = cli("mine", archive, "-o", tmp_path / "packs", "--only", SOURCES[0][:-1], *memory)
    assert ran.code == 2
    assert ran.error.startswith(f"--only: no record is of {SOURCES[0][:-1]}; they are of {SOURCES[0]}")
    assert ran.error.endswith(f"; did you mean {SOURCES[0]}?")
    assert not (tmp_path / "packs").exists()
    ran = cli("mine", archive, "-o", tmp_path / "packs", "--only", SOURCES[0], "--only", "zzz", *memory)
    assert ran.code == 0
    assert "templatemine: --only: no record that was read is of zzz\n" in ran.err


def test_an_earlier_run_on_disk_does_not_go_on_with_other_sources(cli: Cli, archive: Path, tmp_path: Path) -> None:
    mine = ("mine", archive, "-o", tmp_path / "packs", "--memory", "200M", "--force")
    assert cli(*mine, "--only", SOURCES[0]).code == 0
    assert "an earlier run" not in cli(*mine).err
    assert f"{SOURCES[1]}.json" in everything(tmp_path / "packs")


def test_update(cli: Cli, archive: Path, tmp_path: Path) -> None:
    packs = tmp_path / "packs"
    assert cli("mine", archive, "-o", packs).code == 0
    before = {path.name: path.read_bytes() for path in packs.glob("*.json")}
    ran = cli("update", packs, archive, "--only", SOURCES[0], "--json")
    assert [one["source"] for one in json.loads(ran.out)["sources"]] == [SOURCES[0]]
    assert all((packs / f"{source}.json").read_bytes() == before[f"{source}.json"] for source in SOURCES[1:])
    ran = cli("update", packs, archive, "--only", "zzz")
    assert (ran.code, ran.error[:33]) == (2, "--only: no record is of zzz; they")


def test_evaluate(cli: Cli, archive: Path) -> None:
    told = json.loads(cli("evaluate", "residue", archive, "--only", SOURCES[0], "--quiet", "--json").out)
    assert (told["documents"], [one["source"] for one in told["results"][0]["rows"]]) == (40, [SOURCES[0], "all"])
    assert told["met"] == {"records of other sources left out": 80}
    assert cli("evaluate", "residue", archive, "--only", "zzz").error.startswith("--only: no record is of zzz; they")


def test_report(cli: Cli, archive: Path, tmp_path: Path) -> None:
    packs, file = tmp_path / "packs", tmp_path / "r.html"
    assert cli("mine", archive, "-o", packs).code == 0
    report = ("report", packs, "-a", archive, "-o", file, "--force", "--json")
    told = json.loads(cli(*report, "--only", SOURCES[0]).out)
    assert [one["source"] for one in told["sources"]] == [SOURCES[0]]
    assert (told["sources"][0]["documents"], told["without_pack"]) == (40, {})
    assert SOURCES[1] not in file.read_text(encoding="utf-8")
    assert cli(*report, "--only", "zzz").error == "--only: there is no pack of 'zzz'"
    other = write(tmp_path / "b.jsonl", [{"source": "b", "text": "A story."}])
    told = cli("report", packs, "-a", other, "-o", file, "--force", "--only", SOURCES[0]).error
    assert told == f"--only: no record is of {SOURCES[0]}; they are of b"
