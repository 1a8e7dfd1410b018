"""Inputs that are not quite what they should be: what is whole is used, told and counted, and each hint comes once."""

from __future__ import annotations

import csv
import errno
import gzip
import json
import os
import shutil
import sys
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

import pytest
from cli_support import read, records, write

from conftest import Cli


@pytest.mark.parametrize("command", ["mine", "clean"])
def test_a_folder_that_nobody_may_read(
    cli: Cli, mined: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, command: str
) -> None:
    """It was "Permission denied", without what cannot be done, and what helps."""

    def refuse(path: Any, name: str) -> Any:
        if path == str(tmp_path / "in"):  # the tests may run as root, who may read everything
            raise PermissionError(errno.EACCES, "Permission denied", path)
        return real[name](path)

    (tmp_path / "in").mkdir()
    real = {name: getattr(os, name) for name in ("listdir", "scandir")}
    for name in real:
        monkeypatch.setattr(os, name, partial(refuse, name=name))
    words = ("-o", tmp_path / "out") if command == "mine" else ("--dry-run", "-p", mined / "alpha.example.json")
    told = "cannot be read: Permission denied; its owner can give you access, by chmod u+rX or o+rX"
    assert cli(command, tmp_path / "in", *words).error == f"{tmp_path}/in: {told}"


@pytest.mark.parametrize("command", ["show", "clean", "diff", "report"])
def test_packs_that_nobody_may_read(
    cli: Cli, mined: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, command: str
) -> None:
    """The remedy was told of inputs, and not of packs; it is told once, however many they are."""
    told = "cannot be read: Permission denied; its owner can give you access, by chmod u+rX or o+rX"
    closed: set[str] = set()

    def refuse(path: Any, *words: Any, call: Callable[..., Any], **more: Any) -> Any:
        if str(path) in closed:  # the tests may run as root, who may read everything
            raise PermissionError(errno.EACCES, "Permission denied", path)
        return call(path, *words, **more)

    for module, name in (("builtins", "open"), ("os", "listdir"), ("os", "lstat")):
        call = vars(sys.modules[module])[name]
        monkeypatch.setattr(f"{module}.{name}", partial(refuse, call=call))
    new = write(tmp_path / "new.jsonl", records())
    words = {"clean": (new, "--dry-run", "-p", mined), "diff": (mined, mined), "report": (mined, "-o", tmp_path / "r")}
    closed.add(str(mined))
    assert cli(command, *words.get(command, (mined,))).error == f"{mined}: {told}"
    if command == "clean":
        one, two = sorted(str(path) for path in mined.glob("*.json"))[:2]
        closed.clear()
        closed.update((one, two))
        ran = cli("clean", *words["clean"])
        assert ran.code == 1
        assert f"pack skipped: {one}: {told}\n" in ran.err
        assert f"pack skipped: {two}: {told.partition(';')[0]}\n" in ran.err


@pytest.mark.parametrize("option", ["--cues", "--model", "--patterns-file"])
def test_a_file_of_an_option_that_cannot_be_read(cli: Cli, tmp_path: Path, option: str) -> None:
    """It was "[Errno 2] No such file", behind an expectation of UTF-8."""
    archive, gone = write(tmp_path / "a.jsonl", records()), tmp_path / "gone"
    told = cli("mine", archive, "-o", tmp_path / "packs", option, gone).error
    assert told.removeprefix(f"{option}: ") == f"{gone}: cannot be read: No such file or directory"


def test_a_field_of_the_source_that_is_misspelt(cli: Cli, tmp_path: Path) -> None:
    """Each record was told to have no source, beside its address; nothing was said of its fields."""
    archive = write(tmp_path / "a.jsonl", records())
    ran = cli("mine", archive, "-o", tmp_path / "packs", "--source-of", "field:sorce")
    assert "expected a source by the rule 'field:sorce', found no such field; did you mean source?" in ran.error
    ran = cli("mine", archive, "-o", tmp_path / "packs", "--source-field", "sorce")
    assert "though their field 'source' names alpha.example, " in ran.err
    assert "; --source-field source takes the source from it\n" in ran.err


@pytest.mark.parametrize("command", ["ask", "report"])
def test_a_pack_that_was_skipped_is_not_said_to_be_missing(cli: Cli, mined: Path, tmp_path: Path, command: str) -> None:
    shutil.copytree(mined, packs := tmp_path / "packs")
    bad = packs / "beta.example.json"
    bad.write_bytes(bad.read_bytes()[:999])
    words = ("-o", tmp_path / "r.html") if command == "report" else ()
    told = "--only: the pack of 'beta.example' was skipped, for the error above"
    assert cli(command, packs, *words, "--only", "beta.example").error == told
    new = write(tmp_path / "new.jsonl", records())
    ran = cli("explain", new, "-p", packs, "--only", "beta.example", "-n", "1")
    assert (ran.code, "the pack of beta.example has an error: unchanged" in ran.out) == (1, True)


@pytest.mark.parametrize("memory", [(), ("--memory", "200M")])
def test_a_truncated_archive(cli: Cli, tmp_path: Path, memory: tuple[str, ...]) -> None:
    archive = write(tmp_path / "a.jsonl.gz", records())
    archive.write_bytes(archive.read_bytes()[:-200])
    packs = tmp_path / "packs"
    ran = cli("mine", archive, "-o", packs, *memory)
    assert ran.code == 1
    assert ran.err.count("the gzip data ends too early after line 1") == 1
    assert "; what is whole is used\n" in ran.err
    assert "\n1 document skipped\n" in ran.err
    assert len(list(packs.glob("[!.]*.json"))) == 3
    assert cli("mine", archive, "-o", tmp_path / "strict", "--strict", *memory).code == 1
    assert not list(tmp_path.glob("strict/[!.]*.json"))
    for jobs in "12":
        ran = cli("clean", archive, "-p", packs, "-o", tmp_path / f"{jobs}.jsonl", "--jobs", jobs)
        assert ran.code == 1
        assert ran.err.endswith("\n1 skipped\n")
    assert (tmp_path / "1.jsonl").read_bytes() == (tmp_path / "2.jsonl").read_bytes()
    assert 100 < len(read(tmp_path / "1.jsonl")) < 120
    both = cli(
        "clean", archive, write(tmp_path / "b.jsonl", records(documents=1)), "-p", packs, "-o", tmp_path / "c.jsonl"
    )
    assert both.code == 1
    assert len(read(tmp_path / "c.jsonl")) == len(read(tmp_path / "1.jsonl")) + 3


def test_a_truncated_table(cli: Cli, tmp_path: Path) -> None:
    rows = records()
    text = "source,text\n" + "".join(f'{row["source"]},"{row["text"]}"\n' for row in rows)
    archive = tmp_path / "a.csv.gz"
    archive.write_bytes(gzip.compress(text.encode())[:-200])
    ran = cli("mine", archive, "-o", tmp_path / "packs")
    assert ran.code == 1
    assert "the gzip data ends too early after row 1" in ran.err


def test_a_list_of_records(cli: Cli, tmp_path: Path) -> None:
    (tmp_path / "a.json").write_text(json.dumps(records(), indent=1))
    packs = tmp_path / "packs"
    assert cli("mine", tmp_path / "a.json", "-o", packs).code == 0
    assert cli("clean", tmp_path / "a.json", "-p", packs, "-o", tmp_path / "c.jsonl").code == 0
    assert cli("clean", write(tmp_path / "a.jsonl", records()), "-p", packs, "-o", tmp_path / "d.jsonl").code == 0
    assert read(tmp_path / "c.jsonl") == read(tmp_path / "d.jsonl")
    assert all(row["removed"] for row in read(tmp_path / "c.jsonl"))


@pytest.mark.parametrize("mark", [",", ";"])
def test_headers_in_other_cases(cli: Cli, tmp_path: Path, mark: str) -> None:
    archive = tmp_path / "a.csv"
    with archive.open("w", newline="") as handle:
        writer = csv.writer(handle, delimiter=mark)
        writer.writerow(["ID", "Source", "TEXT", "Tags"])
        writer.writerows((row["id"], row["source"], row["text"], "x") for row in records())
    packs = tmp_path / "packs"
    ran = cli("mine", archive, "-o", packs)
    assert ran.code == 0
    assert len(list(packs.glob("[!.]*.json"))) == 3
    assert "column 'TEXT' is read, and written, as 'text': 1" in ran.err
    assert cli("clean", archive, "-p", packs, "-o", tmp_path / "c.csv").code == 0
    with (tmp_path / "c.csv").open(newline="") as handle:
        done = list(csv.DictReader(handle))
    assert list(done[0])[:4] == ["id", "source", "text", "Tags"]
    assert all(row["removed"] != "[]" for row in done)


def test_headers_that_are_alike_stay(cli: Cli, tmp_path: Path) -> None:
    (tmp_path / "a.csv").write_text("text,Text,SOURCE,Source\n" + "a,b,c,d\n" * 5)
    ran = cli("mine", tmp_path / "a.csv", "-o", tmp_path / "packs", "--json")
    assert [one["source"] for one in json.loads(ran.out)["sources"]] == ["a"]
    assert json.loads(ran.out)["met"] == {}


def test_one_hint(cli: Cli, tmp_path: Path) -> None:
    rows = [{"body": "A story."}] * 8
    ran = cli("mine", write(tmp_path / "a.jsonl", [*rows, *records()]), "-o", tmp_path / "packs")
    assert ran.err.count("skipped: ") == 6
    assert ran.err.count("(--text-field names another") == 1
    assert ran.err.count("expected a field 'text'") == 1  # what is the same reason is told once
    assert f"skipped: {tmp_path / 'a.jsonl'}:2: the same\n" in ran.err
    (tmp_path / "a.csv").write_bytes(b"source,text\n" + b"a,caf\xe9\n" * 8)
    ran = cli("mine", tmp_path / "a.csv", "-o", tmp_path / "others")
    assert ran.err.count("--csv-encoding names another encoding") == 2  # in the list, and in the error that ends it
    (tmp_path / "b.jsonl").write_text(json.dumps({"text": "A story."}, indent=1) * 3)
    assert cli("mine", tmp_path / "b.jsonl", "-o", tmp_path / "others").err.count("jq -c") <= 1
