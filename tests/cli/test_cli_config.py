"""Defaults from a file, and completion in shells."""

from __future__ import annotations

import json
import shutil
import subprocess
from pathlib import Path

import pytest
from cli_support import records, write

from conftest import Cli


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, cli: Cli) -> Path:
    monkeypatch.chdir(tmp_path)
    write(tmp_path / "a.jsonl", records(documents=40))
    assert cli("mine", "a.jsonl", "-o", "packs").code == 0
    return tmp_path


def test_no_file(cli: Cli, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "pyproject.toml").write_text('[project]\nname = "x"\n')
    ran = cli("config")
    assert (ran.code, ran.err) == (0, "")
    assert ran.out == "no templatemine.toml here, and no table tool.templatemine in pyproject.toml\n"
    assert json.loads(cli("config", "--json").out) == {"file": None, "defaults": {}}


@pytest.mark.parametrize("name", ["templatemine.toml", "pyproject.toml"])
def test_defaults_of_a_file(cli: Cli, folder: Path, name: str) -> None:
    tool = "tool.templatemine." if name == "pyproject.toml" else ""
    (folder / name).write_text(f'[{tool}clean]\npacks = ["packs"]\noutput = "out.jsonl"\ndry-run = true\nguard = 0.5\n')
    ran = cli("clean", "a.jsonl")
    assert ran.code == 0, ran
    assert f"defaults from {name}: packs, output, dry-run, guard" in ran.err
    assert not (folder / "out.jsonl").exists()  # dry-run
    told = cli("config")
    assert told.out == f'# {name}\n\n[clean]\npacks = ["packs"]\noutput = "out.jsonl"\ndry-run = true\nguard = 0.5\n'
    assert json.loads(cli("config", "--json").out)["defaults"]["clean"]["guard"] == 0.5


def test_a_byte_order_mark_does_no_harm(cli: Cli, folder: Path) -> None:
    """As editors on Windows write one; it was an invalid statement."""
    (folder / "templatemine.toml").write_bytes(b'\xef\xbb\xbf[mine]\r\npatterns-file = "own.toml"\r\n')
    (folder / "own.toml").write_bytes(b'\xef\xbb\xbf[[pattern]]\r\nname = "case"\r\nregex = "[A-Z]{2}[0-9]{6}"\r\n')
    ran = cli("mine", "a.jsonl", "-o", "more")
    assert ran.code == 0, ran
    assert "defaults from templatemine.toml: patterns-file" in ran.err


def test_what_is_given_counts_instead(cli: Cli, folder: Path) -> None:
    (folder / "templatemine.toml").write_text('[clean]\npacks = ["nowhere"]\noutput = "one.jsonl"\n')
    ran = cli("clean", "a.jsonl", "-ppacks", "--output=two.jsonl")
    assert ran.code == 0, ran
    assert (folder / "two.jsonl").exists()
    assert "defaults" not in ran.err
    assert cli("clean", "a.jsonl").code == 2


@pytest.mark.parametrize(
    ("text", "words", "replaced"),
    [
        ('[clean]\npacks = ["nowhere"]\noutput = "o.jsonl"\n', "clean packs -a a.jsonl", "packs"),
        ('[report]\narchive = ["nowhere"]\noutput = "o.html"\n', "report a.jsonl -p packs", "archive"),
        ('[report]\narchive = ["nowhere"]\noutput = "o.html"\n', "report -p packs a.jsonl", "archive"),
    ],
)
def test_what_is_given_without_an_option_counts_instead(
    cli: Cli, folder: Path, text: str, words: str, replaced: str
) -> None:
    """It was added to what the file has."""
    (folder / "templatemine.toml").write_text(text)
    ran = cli(*words.split())
    assert ran.code == 0, ran
    assert "defaults from templatemine.toml: output\n" in ran.err
    (folder / "templatemine.toml").write_text(text.replace("nowhere", "packs" if replaced == "packs" else "a.jsonl"))
    words = {"clean": "clean -a a.jsonl", "report": "report -p packs"}[words.split()[0]]
    ran = cli(*words.split(), "--force")
    assert ran.code == 0, ran
    assert f"defaults from templatemine.toml: {replaced}, output\n" in ran.err


def test_its_own_file_comes_first(cli: Cli, folder: Path) -> None:
    (folder / "templatemine.toml").write_text("[mine]\nexact = true\n")
    (folder / "pyproject.toml").write_text("[tool.templatemine.mine]\nnothing = 1\n")
    assert json.loads(cli("config", "--json").out)["defaults"] == {"mine": {"exact": True}}


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ("[clean]\ngaurd = 0.5\n", "templatemine.toml: clean.gaurd: no such option; did you mean guard?"),
        ("[clean]\narchive = 'a'\n", "templatemine.toml: clean.archive: it is for the command line only"),
        ("[clean]\nhelp = true\n", "templatemine.toml: clean.help: it is for the command line only"),
        ("[clean]\narchiv = 'a'\n", "templatemine.toml: clean.archiv: no such option\n"),
        ("[clean]\nguard = 7\n", "templatemine.toml: clean.guard: expected"),
        ("[clean]\nstubs = 'some'\n", "templatemine.toml: clean.stubs: expected mark, keep, drop or clean, got 'some'"),
        ("[clean]\ndry-run = 1\n", "templatemine.toml: clean.dry-run: expected true or false, got 1"),
        ("[clean]\nguard = []\n", "templatemine.toml: clean.guard: expected a string or a number, got []"),
        ("[claen]\nguard = 1\n", "templatemine.toml: 'claen' is not a command; did you mean clean?"),
        ("clean = 1\n", "templatemine.toml: clean: expected a table for a command, such as [clean]"),
        ("clean", "templatemine.toml: "),
    ],
)
def test_wrong_files(cli: Cli, folder: Path, text: str, problem: str) -> None:
    (folder / "templatemine.toml").write_text(text)
    for command in (("config",), ("clean", "a.jsonl", "-p", "packs")):
        ran = cli(*command)
        assert ran.code == 2
        assert ran.err.startswith(f"templatemine: error: {problem}")
        assert ran.err.count("\n") == 1


@pytest.mark.parametrize("shell", ["bash", "zsh"])
def test_completion(cli: Cli, shell: str) -> None:
    pytest.importorskip("shtab")
    ran = cli("complete", shell)
    assert (ran.code, ran.err) == (0, "")
    for word in ("mine", "clean", "--guard", "--caution"):
        assert word in ran.out
    if shutil.which(shell):
        subprocess.run([shell, "-n"], input=ran.out, text=True, check=True)


@pytest.mark.skipif(shutil.which("bash") is None, reason="no bash")
def test_bash_completes_options(cli: Cli, tmp_path: Path) -> None:
    pytest.importorskip("shtab")
    (tmp_path / "script").write_text(cli("complete", "bash").out)
    ask = """source ./script; COMP_WORDS=(templatemine clean --gu); COMP_CWORD=2; COMP_LINE="templatemine clean --gu"
    $(complete -p templatemine | sed 's/.*-F \\([^ ]*\\).*/\\1/') templatemine --gu clean; echo "${COMPREPLY[@]}" """
    ran = subprocess.run(["bash", "-c", ask], cwd=tmp_path, capture_output=True, text=True, check=True)
    assert ran.stdout.split() == ["--guard"]
