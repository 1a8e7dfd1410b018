"""Archives larger than memory on the command line: mine --memory, sort."""

from __future__ import annotations

import json
import signal
import subprocess
import sys
from pathlib import Path

import pytest
from cli_support import command, everything, records, wait_for, write

from conftest import Cli
from templatemine.io import lock


def packs(folder: Path) -> dict[str, bytes]:
    return {path.name: path.read_bytes() for path in folder.iterdir() if not path.name.startswith(".")}


def test_the_same_packs_and_the_same_summary(cli: Cli, tmp_path: Path) -> None:
    archive = write(tmp_path / "a.jsonl.gz", [*records(), b"no json"])
    one = cli("mine", archive, "-o", tmp_path / "memory", "--json")
    two = cli("mine", archive, "-o", tmp_path / "disk", "--json", "--memory", "200M")
    assert one.code == two.code == 1
    assert packs(tmp_path / "disk") == packs(tmp_path / "memory")
    facts = [json.loads(ran.out) for ran in (one, two)]
    for fact in facts:
        fact.pop("seconds")
        for source in fact["sources"]:
            source["pack"] = Path(source["pack"]).name
    assert facts[0] == facts[1]
    assert "skipped: " in two.err
    again = cli("mine", archive, "-o", tmp_path / "disk", "--memory", "200M")
    assert "an earlier run has done all of it" in again.err


def test_strict_stops(cli: Cli, tmp_path: Path) -> None:
    archive = write(tmp_path / "a.jsonl", [*records(), b"no json"])
    assert cli("mine", archive, "-o", tmp_path / "out", "--memory", "200M", "--strict").code == 1
    assert not packs(tmp_path / "out")


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (["--memory", "5M"], "memory: expected a size of at least 128M, got 5,242,880 bytes"),
        (["--memory", "much"], "expected a size such as 500M or 2G, got 'much'"),
        (["--restart"], "--restart needs --memory"),
    ],
)
def test_wrong_options(cli: Cli, tmp_path: Path, options: list[str], message: str) -> None:
    archive = write(tmp_path / "a.jsonl", records())
    assert message in cli("mine", archive, "-o", tmp_path / "out", *options).error
    assert everything(tmp_path) == ["a.jsonl"]


def test_two_runs_on_one_output(cli: Cli, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(lock, "SHORT_WAIT", 0.1)
    archive = write(tmp_path / "a.jsonl", records())
    with subprocess.Popen(
        command("mine", "-", "-o", tmp_path / "out", "--memory", "200M"), stdin=subprocess.PIPE
    ) as held:
        try:
            # What comes on standard input is told by how it begins, so something must come.
            assert held.stdin is not None
            held.stdin.write(archive.read_bytes()[:64])
            held.stdin.flush()
            wait_for(lambda: (tmp_path / "out" / ".templatemine-work" / "run.json").exists())
            for more in ([], ["--memory", "200M"], ["--force"]):
                ran = cli("mine", archive, "-o", tmp_path / "out", *more)
                assert "another run is writing to this folder" in ran.error
        finally:
            held.send_signal(signal.SIGKILL)
    assert cli("mine", archive, "-o", tmp_path / "out").code == 0


@pytest.mark.skipif(sys.platform != "linux", reason="limits the size of files")
@pytest.mark.parametrize("memory", [[], ["--memory", "200M"]])
def test_no_room_for_a_file(tmp_path: Path, memory: list[str]) -> None:
    """A file that must not grow is what a full disk is: one line, no pack, and the next run ends well."""
    archive = write(tmp_path / "a.jsonl", records())
    code = (
        "import resource, signal, sys; signal.signal(signal.SIGXFSZ, signal.SIG_IGN);"
        "resource.setrlimit(resource.RLIMIT_FSIZE, (2000, resource.RLIM_INFINITY));"
        "from templatemine.__main__ import main; sys.exit(main(sys.argv[1:]))"
    )
    args = ["mine", str(archive), "-o", str(tmp_path / "out"), *memory]
    done = subprocess.run([sys.executable, "-c", code, *args], capture_output=True, text=True, check=False)
    assert done.returncode == 2
    assert "cannot be written: File too large" in done.stderr
    assert "Traceback" not in done.stderr
    assert not (tmp_path / "out").exists() or not packs(tmp_path / "out")
    assert subprocess.run(command(*args), check=False).returncode == 0
    assert len(packs(tmp_path / "out")) == 6


def test_sort(cli: Cli, tmp_path: Path) -> None:
    articles = records()
    archive = write(tmp_path / "a.jsonl", [*articles, b"no json"])
    ran = cli("sort", archive, "-o", tmp_path / "sites", "--json")
    assert ran.code == 1
    facts = json.loads(ran.out)
    assert (facts["documents"], facts["skipped"]) == (len(articles), 1)
    assert [one["documents"] for one in facts["sources"]] == [40, 40, 40]
    assert everything(tmp_path / "sites") == [f"{name}.example.jsonl.gz" for name in ("alpha", "beta", "gamma")]
    cli("mine", archive, "-o", tmp_path / "one")
    cli("mine", *sorted((tmp_path / "sites").iterdir()), "-o", tmp_path / "two")
    assert packs(tmp_path / "one") == packs(tmp_path / "two")
    assert "exists; use --force" in cli("sort", archive, "-o", tmp_path / "sites").error
    table = cli("sort", archive, "-o", tmp_path / "sites", "--force").err
    assert "120 documents of 3 sources in " in table
    assert "alpha.example" in table
    assert "expected a folder" in cli("sort", archive, "-o", "-").error
