"""``templatemine mine``: what it writes, what it says, and what it does with each kind of bad input."""

from __future__ import annotations

import csv
import gzip
import json
import os
import shlex
import shutil
from dataclasses import replace
from datetime import datetime
from importlib.resources import files
from pathlib import Path
from random import Random
from typing import Any

import pytest
from cli_support import CALL, CREDIT, SOURCES, everything, no_large_files, record, records, write

import templatemine
import templatemine.io.jsonl
from conftest import Cli
from scale import scaled
from templatemine.config import SHIPPED, ReadConfig
from templatemine.errors import ConfigError, CorpusError
from templatemine.mining.stages import SourceReport
from templatemine.model import Document
from templatemine.packs import pack_json
from templatemine.packs.pack import Pack
from templatemine.packs.pack_folder import PackFiles, SourceOutcome, read_rejected
from templatemine.pipeline import Miner
from templatemine.text import linear

MODEL = Path(str(files("templatemine.mining").joinpath("model.npz")))

FILES = sorted(name for source in SOURCES for name in (f"{source}.rejected.jsonl.gz", f"{source}.json"))


@pytest.fixture
def archive(tmp_path: Path) -> Path:
    return write(tmp_path / "archive.jsonl.gz", records())


def test_packs_and_rejected_strings(cli: Cli, archive: Path, tmp_path: Path) -> None:
    ran = cli("mine", archive, "-o", tmp_path / "deep" / "packs")
    assert ran.code == 0
    assert ran.out == ""
    assert everything(tmp_path / "deep" / "packs") == FILES
    pack = Pack.load(tmp_path / "deep" / "packs" / "alpha.example.json")
    assert pack.documents == 40
    assert tuple(CALL.format("Alpha").split()) in [template.tokens for template in pack.templates]
    rejected = list(read_rejected(tmp_path / "deep" / "packs" / "alpha.example.json"))
    assert len(rejected) == sum(pack.rejected.values())
    assert all(one.reason in pack.rejected and one.tokens and one.count >= one.df >= 1 for one in rejected)
    lines = ran.err.splitlines()
    assert lines[0].split() == ["source", "documents", "templates", "rejected", "note"]
    assert [line.split()[:3] for line in lines[1:4]] == [
        [source, "40", str(len(PackFiles([tmp_path / "deep" / "packs"]).load_all()[source].templates))]
        for source in SOURCES
    ]
    assert lines[-3].startswith("3 packs with ")
    assert lines[-1].startswith("next, see what it cuts: templatemine explain ")
    assert cli(*shlex.split(lines[-1].partition("templatemine ")[2])).code == 0
    assert lines[-2].startswith("120 documents in ")


def test_the_next_command_knows_the_fields(cli: Cli, tmp_path: Path) -> None:
    """It failed where a field has another name."""
    rows = [{"site": row["source"], "body": row["text"]} for row in records()]
    options = ("--text-field", "body", "--source-of", "field:site")
    ran = cli("mine", write(tmp_path / "a.jsonl", rows), "-o", tmp_path / "p", *options)
    told = ran.err.splitlines()[-1].partition("templatemine ")[2]
    assert told.endswith(" --text-field body --source-of field:site")
    assert "2 parts removed" in cli(*shlex.split(told)).out


def test_json(cli: Cli, archive: Path, tmp_path: Path) -> None:
    ran = cli("mine", archive, "-o", tmp_path / "packs", "--json")
    summary = json.loads(ran.out)
    assert ran.err == ""
    assert summary["documents"] == 120
    assert summary["skipped"] == summary["duplicate_ids"] == 0
    assert [one["source"] for one in summary["sources"]] == list(SOURCES)
    assert summary["sources"][0]["pack"] == str(tmp_path / "packs" / "alpha.example.json")
    assert sum(summary["sources"][0]["rejected"].values()) == len(list(read_rejected(summary["sources"][0]["pack"])))


def test_quiet(cli: Cli, archive: Path, tmp_path: Path) -> None:
    ran = cli("mine", archive, "-o", tmp_path / "packs", "--quiet")
    assert (ran.code, ran.out, ran.err) == (0, "", "")


@pytest.mark.parametrize("method", ["learned", "energy", "thesis"])
def test_options_reach_the_library(
    cli: Cli, archive: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, method: str
) -> None:
    seen: list[Any] = []
    original = Miner.__init__

    def init(self: Miner, config: Any = None, **options: Any) -> None:
        seen.append(config)
        original(self, config, **options)

    monkeypatch.setattr(Miner, "__init__", init)
    patterns = tmp_path / "own.toml"
    patterns.write_text('[[pattern]]\nname = "case"\nregex = "[A-Z]{2}[0-9]{6}"\n')
    options = [
        "--method",
        method,
        "--patterns-file",
        patterns,
        "--separators=-|",
        "--min-docs",
        "5",
        "--exact",
    ]
    scores = method == "learned"
    options += ["--caution", "2", "--model", MODEL] if scores else ["--min-df", "4", "--min-share", "0.1"]
    options += [] if scores else ["--max-sources", "3"]
    assert cli("mine", archive, "-o", tmp_path / "packs", *options).code == 0
    (config,) = seen
    assert config.method == method
    assert (config.select.caution, config.model) == ((2.0, os.fspath(MODEL)) if scores else (1.0, SHIPPED))
    assert config.tokenise.separators == "-|"
    assert [own.name for own in config.tokenise.user_patterns] == ["case"]
    mine = config.mine
    assert mine.min_docs == 5
    assert (mine.min_df, mine.min_share, mine.max_sources) == ((3, None, 2) if scores else (4, 0.1, 3))
    assert Pack.load(tmp_path / "packs" / "alpha.example.json").method == method


@pytest.mark.parametrize("memory", [[], ["--memory", "200M"]])
def test_a_pack_keeps_its_caution(cli: Cli, archive: Path, tmp_path: Path, memory: list[str]) -> None:
    """It is told by `show` and the report, and `update` mines by it; packs of the default say nothing of it."""
    packs = tmp_path / "packs"
    assert cli("mine", archive, "-o", packs, "--caution", "0.5", *memory).code == 0
    path = packs / "alpha.example.json"
    assert json.loads(path.read_text())["caution"] == Pack.load(path).caution == 0.5
    assert "method      learned, caution 0.5 (templatemine" in cli("show", path).out
    assert json.loads(cli("show", path, "--json").out)["caution"] == 0.5
    new = write(tmp_path / "new.jsonl", records(seed=2, documents=200))
    assert cli("update", packs, new).code == 0
    assert Pack.load(path).documents == 200
    assert Pack.load(path).caution == 0.5
    assert cli("mine", archive, "-o", packs, "--method", "energy", "--force", *memory).code == 0
    assert "caution" not in json.loads(path.read_text())


def signed(rows: list[dict[str, Any]], every: int) -> list[dict[str, Any]]:
    """Add a name to some articles of each source: a template, but not with much caution."""
    for number, row in enumerate(rows):
        row["text"] += "\nAnn Reed" * (number // len(SOURCES) % every == 0)
    return rows


def test_an_update_with_caution(cli: Cli, tmp_path: Path) -> None:
    """It counts for sources with a pack and without, the packs keep it, and what it holds back is counted as by `mine`."""
    archive = write(tmp_path / "archive.jsonl", signed(records(), 6))
    new = write(tmp_path / "new.jsonl", signed(records(documents=200), 29))
    named = "alpha.example"
    for name, caution in (("usual", []), ("careful", ["--caution", "100"])):
        assert cli("mine", new, "-o", tmp_path / name, *caution).code == 0
    mined = {name: Pack.load(tmp_path / name / f"{named}.json") for name in ("usual", "careful")}
    assert len(mined["careful"].templates) < len(mined["usual"].templates)
    for begun in (True, False):
        packs = tmp_path / f"packs {begun}"
        if begun:
            assert cli("mine", archive, "-o", packs).code == 0
        ran = cli("update", "--new-sources", packs, new, "--caution", "100", "--json")
        (told,) = (one for one in json.loads(ran.out)["sources"] if one["source"] == named)
        pack = Pack.load(packs / f"{named}.json")
        assert pack.templates == mined["careful"].templates
        assert pack.caution == 100
        assert told["rejected"] == dict(pack.rejected) == dict(mined["careful"].rejected)
        assert told["kept"] == 0
        ran = cli("update", packs, new)  # as the packs say
        assert Pack.load(packs / f"{named}.json") == pack
        _, header, *rows = (line.split() for line in ran.err.splitlines())
        row = next(row for row in rows if row[0] == named)
        assert f"{sum(pack.rejected.values()):,}" in row
        assert "rejected" in header


def test_a_model_of_ones_own_in_memory_and_on_disk(cli: Cli, tmp_path: Path) -> None:
    archive = write(tmp_path / "archive.jsonl", signed(records(documents=200), 29))
    for name, options in (("memory", ()), ("disk", ("--memory", "200M"))):
        ran = cli("mine", archive, "-o", tmp_path / name, "--model", MODEL, "--caution", "100", *options)
        assert ran.code == 0
        found = {one.example for one in Pack.load(tmp_path / name / "alpha.example.json").templates}
        assert found == {CALL.format("Alpha"), CREDIT.format("Alpha")}
    assert cli("mine", archive, "-o", tmp_path / "packs", "--model", archive).error.startswith("--model: ")
    assert cli("mine", archive, "-o", tmp_path / "packs", "--caution", "0").error.startswith("--caution: ")
    # 300 was taken, and left packs without a template and without a word.
    told = "expected a number of at most 100, got {}; 3 is careful, and at 100 few templates are left"
    assert f"--caution: {told.format(repr('300'))}" in cli("mine", archive, "-o", "x", "--caution", "300").error
    with pytest.raises(ConfigError, match=f"^caution: {told.format(300)}"):
        templatemine.mine(archive, caution=300)


def test_a_pack_of_more_caution_than_is_taken_today_is_updated(cli: Cli, archive: Path, tmp_path: Path) -> None:
    assert cli("mine", archive, "-o", tmp_path / "packs", "--caution", "100").code == 0
    path = tmp_path / "packs" / "alpha.example.json"
    path.write_text(json.dumps(json.loads(path.read_text()) | {"caution": 300}))
    ran = cli("update", tmp_path / "packs", archive)
    assert (ran.code, Pack.load(path).caution) == (0, 100)


def test_jobs_change_nothing(cli: Cli, archive: Path, tmp_path: Path) -> None:
    for jobs in "12":
        assert cli("mine", archive, "-o", tmp_path / jobs, "--jobs", jobs).code == 0
    for name in FILES:
        assert (tmp_path / "1" / name).read_bytes() == (tmp_path / "2" / name).read_bytes()


def test_fields_by_option(cli: Cli, tmp_path: Path) -> None:
    lines = [{"body": one["text"], "paper": one["source"], "key": one["id"]} for one in records()]
    options = ["--text-field", "body", "--source-field", "paper", "--id-field", "key"]
    assert cli("mine", write(tmp_path / "a.jsonl", lines), "-o", tmp_path / "packs", *options).code == 0
    assert everything(tmp_path / "packs") == FILES


@pytest.mark.parametrize("memory", [[], ["--memory", "200M"]])
def test_csv_of_a_spreadsheet(cli: Cli, tmp_path: Path, memory: list[str]) -> None:
    """Semicolons and Windows-1252 were refused, without a way out."""
    rows = records(["alpha.example"])
    rows = [{**one, "text": one["text"].replace("morning letter", "“café” letter")} for one in rows]
    with (tmp_path / "a.csv").open("w", newline="", encoding="cp1252") as file:
        table = csv.DictWriter(file, ("id", "source", "text"), delimiter=";", extrasaction="ignore")
        table.writeheader()
        table.writerows(rows)
    ran = cli("mine", tmp_path / "a.csv", "-o", tmp_path / "packs", *memory)
    assert (ran.code, ran.err.count("--csv-encoding names another encoding")) == (2, 2)  # in the list, and at the end
    assert "--csv-encoding names another encoding" in ran.error
    ran = cli("mine", tmp_path / "a.csv", "-o", tmp_path / "packs", "--csv-encoding", "cp1252", *memory)
    assert (ran.code, ran.err.count("skipped")) == (0, 0)
    templates = Pack.load(tmp_path / "packs" / "alpha.example.json").templates
    assert any("“café”" in template.example for template in templates)
    options = ["-p", tmp_path / "packs", "-o", tmp_path / "clean.csv", "--csv-delimiter"]
    assert cli("clean", tmp_path / "a.csv", *options, ";", "--csv-encoding", "cp1252").code == 0
    with (tmp_path / "clean.csv").open(newline="", encoding="utf-8") as file:
        cleaned = list(csv.DictReader(file))
    assert [one["id"] for one in cleaned] == [one["id"] for one in rows]
    assert not any("café" in one["text"] for one in cleaned)


@pytest.mark.parametrize("memory", [[], ["--memory", "200M"]])
def test_dates_by_option_and_as_numbers(cli: Cli, tmp_path: Path, memory: list[str]) -> None:
    rows = records(["alpha.example"])
    for name, made in {
        "named": [{**one, "date": "none", "when": one["date"]} for one in rows],
        "seconds": [{**one, "when": datetime.fromisoformat(f"{one['date']}T23:00Z").timestamp()} for one in rows],
    }.items():
        options = ["--date-field", "when", *memory]
        assert cli("mine", write(tmp_path / f"{name}.jsonl", made), "-o", tmp_path / name, *options).code == 0
        pack = Pack.load(tmp_path / name / "alpha.example.json")
        assert (pack.first_date, pack.last_date) == ("2024-01-01", "2024-01-28")


@pytest.mark.parametrize("memory", [[], ["--memory", "200M"]])
def test_dates_that_cannot_be_read_are_told(cli: Cli, tmp_path: Path, memory: list[str]) -> None:
    """They were none without a word."""
    rows = records(["alpha.example"])
    rows = [{**one, "date": "last week"} if number in (3, 7) else one for number, one in enumerate(rows)]
    rows[9]["date"], rows[10]["date"] = True, None
    new = write(tmp_path / "a.jsonl", rows)
    ran = cli("mine", new, "-o", tmp_path / "packs", "--quiet", *memory)
    told = f"templatemine: 3 dates could not be read, first: 'last week' ({new}:4)\n"
    assert (ran.code, ran.err) == (0, told)
    ran = cli("mine", new, "-o", tmp_path / "packs", "--json", *memory, *([] if memory else ["--force"]))
    assert json.loads(ran.out)["unreadable_dates"] == 3
    assert ran.err.endswith(told)
    plain = write(
        tmp_path / "b.jsonl", [{**one, "date": f"{number % 12 + 1}/2/2024"} for number, one in enumerate(rows)]
    )
    ran = cli("mine", plain, "-o", tmp_path / "packs", "--force", *memory)
    assert "36 dates of 'alpha.example' could not be read, as day and month may be either, first: '1/2/2024'" in ran.err


@pytest.mark.parametrize("options", [[], ["--jobs", "2"], ["--memory", "200M"]])
def test_a_pattern_that_takes_too_long_is_told_with_its_document(
    cli: Cli, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, options: list[str]
) -> None:
    """The error named neither the pattern nor the document."""
    monkeypatch.setattr(linear, "SECONDS", 0.002)
    monkeypatch.setattr(linear, "SECONDS_PER_CHARACTER", 0.0)
    rows = records(["alpha.example"])
    rows[7]["text"] += "a" * 5_000
    own = tmp_path / "own.toml"
    own.write_text('[[pattern]]\nname = "slow"\nregex = "aa.*~|aa"\n')
    new = write(tmp_path / "a.jsonl", rows)
    ran = cli("mine", new, "-o", tmp_path / "packs", "--patterns-file", own, *options)
    assert ran.error.startswith(
        "alpha.example: document 'alpha.example/7': pattern 'slow': the expression 'aa.*~|aa' takes longer than 0.002 s"
    )
    assert ran.err.count("\n") == 1
    assert not list((tmp_path / "packs").glob("*.json"))


def test_the_floors_are_those_of_the_methods_that_have_them(cli: Cli, archive: Path, tmp_path: Path) -> None:
    """The help promised them for all methods; the default one took no notice of them."""
    told = "--min-df: expected --method energy or thesis, got learned"
    assert cli("mine", archive, "-o", tmp_path / "one", "--min-df", "30").error == told
    told = " ".join(cli("mine", "--help-all").out.split())
    assert "--min-df N energy and thesis: minimum document frequency" in told


def test_one_name_for_two_fields(cli: Cli, archive: Path, tmp_path: Path) -> None:
    ran = cli("mine", archive, "-o", tmp_path / "packs", "--text-field", "html")
    assert ran.error == "--text-field and --html-field: expected two names, got 'html' for both"


def test_without_a_source_the_file_is_one(cli: Cli, tmp_path: Path) -> None:
    lines = [{"text": one["text"]} for one in records(["paper"])]
    assert cli("mine", write(tmp_path / "daily.jsonl", lines), "-o", tmp_path / "packs").code == 0
    assert Pack.load(tmp_path / "packs" / "daily.json").source == "daily"


@pytest.mark.parametrize("memory", [[], ["--memory", "200M"]])
def test_addresses_of_several_sites_in_one_source_are_told(cli: Cli, tmp_path: Path, memory: list[str]) -> None:
    rows = [{"url": f"https://www.{one['source']}/{one['id']}", "text": one["text"]} for one in records()]
    path = write(tmp_path / "mine.jsonl", rows)
    ran = cli("mine", path, "-o", tmp_path / "one", *memory)
    told = f"{len(rows)} records without a field 'source': the name of the file is their source, though they come from"
    assert f"{told} www.alpha.example" in ran.err
    assert "--source-of host" in ran.err
    packs = ["mine.json", "mine.rejected.jsonl.gz"]
    assert everything(tmp_path / "one") == ([".templatemine-run.json", *packs] if memory else packs)
    if memory:  # found done, it tells it again
        again = cli("mine", path, "-o", tmp_path / "one", *memory)
        assert "an earlier run has done all of it" in again.err
        assert f"{told} www.alpha.example" in again.err
    for option, lines in ((["--source-of", "host"], rows), ([], rows[:: len(SOURCES)])):  # by rule; of one site
        path = write(tmp_path / "mine.jsonl", lines)
        assert "without a field" not in cli("mine", path, "-o", tmp_path / "two", "--force", *option, *memory).err


def test_folders(cli: Cli, tmp_path: Path) -> None:
    for one in records(["alpha.example", "beta.example"]):
        file = tmp_path / "pages" / f"{one['id']}.txt"
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(one["text"])
    assert cli("mine", tmp_path / "pages", "-o", tmp_path / "packs").code == 0
    assert sorted(PackFiles([tmp_path / "packs"]).load_all()) == ["alpha.example", "beta.example"]


def test_standard_input(cli: Cli, tmp_path: Path) -> None:
    lines = b"".join(json.dumps(one).encode() + b"\n" for one in records())
    assert cli("mine", "-", "-o", tmp_path / "packs", stdin=lines).code == 0
    assert everything(tmp_path / "packs") == FILES
    assert cli("mine", "-", "-", "-o", tmp_path / "more").error == "-: standard input can be read only once"


def test_smoke(program: Cli, archive: Path, tmp_path: Path) -> None:
    ran = program("mine", archive, "-o", tmp_path / "packs", "--jobs", "2")
    assert ran.code == 0
    assert "\x1b" not in ran.err  # no bars where there is no terminal
    assert everything(tmp_path / "packs") == FILES


# ------------------------------------------------------------------------------------------------ what exists already


@pytest.mark.parametrize("memory", [(), ("--memory", "200M")])
def test_existing_packs_are_refused_before_mining(
    cli: Cli, archive: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, memory: tuple[str, ...]
) -> None:
    packs = tmp_path / "packs"
    packs.mkdir()
    (packs / "beta.example.json").write_text("mine")
    (packs / "other.json").write_text("theirs")
    for executor in ("pipeline", "archive.disk"):
        monkeypatch.setattr(f"templatemine.{executor}.mine_source", lambda *args: pytest.fail("mining began"))
    ran = cli("mine", archive, "-o", packs, *memory)
    assert ran.error == (
        f"{packs}: holds 2 packs, that of 'beta.example' among them; give another folder, or use --force to replace the "
        "packs of the sources of this archive"
    )
    assert [name for name in everything(packs) if not name.startswith(".")] == ["beta.example.json", "other.json"]
    assert (packs / "beta.example.json").read_text() == "mine"


@pytest.mark.parametrize("memory", [(), ("--memory", "200M")])
def test_existing_packs_are_refused_while_the_archive_comes(
    cli: Cli, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, memory: tuple[str, ...]
) -> None:
    """Not at its end, which may be hours away, or never come; another source may join them."""
    read = templatemine.io.jsonl.build_document
    numbers: list[int] = []

    def counting(fields: object, config: ReadConfig, source: str, number: int, place: str) -> Document:
        numbers.append(number)
        return read(fields, config, source, number, place)

    packs = tmp_path / "packs"
    archive = write(tmp_path / "a.jsonl", records(["alpha.example"], 40))
    assert cli("mine", archive, "-o", packs, *memory).code == 0
    assert cli("mine", write(tmp_path / "b.jsonl", records(["beta.example"], 40)), "-o", packs, *memory).code == 0
    monkeypatch.setattr("templatemine.io.jsonl.build_document", counting)
    both = write(tmp_path / "both.jsonl", [*records(["gamma.example"], 3), *records(["alpha.example"], 40)])
    assert "holds 2 packs, that of 'alpha.example' among them" in cli("mine", both, "-o", packs, *memory).error
    assert numbers[-1] == 8
    few = write(tmp_path / "few.jsonl", [*records(["gamma.example"], 30), *records(["alpha.example"], 4)])
    assert cli("mine", few, "-o", packs, *memory).code == 0


def test_existing_rejected_strings_are_refused(cli: Cli, archive: Path, tmp_path: Path) -> None:
    packs = tmp_path / "packs"
    packs.mkdir()
    (packs / "beta.example.rejected.jsonl.gz").write_text("mine")
    assert "beta.example.rejected.jsonl.gz: exists; use --force" in cli("mine", archive, "-o", packs).error


def test_force(cli: Cli, archive: Path, tmp_path: Path) -> None:
    packs = tmp_path / "packs"
    packs.mkdir()
    (packs / "beta.example.json").write_text("mine")
    (packs / "other.json").write_text("mine")
    assert cli("mine", archive, "-o", packs, "--force").code == 0
    assert everything(packs) == sorted([*FILES, "other.json"])
    assert Pack.load(packs / "beta.example.json").source == "beta.example"
    assert (packs / "other.json").read_text() == "mine"


def test_the_output_is_a_file(cli: Cli, archive: Path, tmp_path: Path) -> None:
    (tmp_path / "packs").write_text("mine")
    ran = cli("mine", archive, "-o", tmp_path / "packs", "--force")
    assert ran.error == f"{tmp_path}/packs: expected a folder, found a file"
    assert "found standard output" in cli("mine", archive, "-o", "-").error


def test_a_failure_in_the_middle_leaves_nothing(
    cli: Cli, archive: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    original = pack_json.write

    def fail(pack: Pack) -> str:
        if pack.source == "gamma.example":
            raise CorpusError("cannot be written: No space left on device", "gamma", fatal=True)
        return original(pack)

    monkeypatch.setattr(pack_json, "write", fail)
    ran = cli("mine", archive, "-o", tmp_path / "deep" / "packs")
    assert "No space left" in ran.error
    assert everything(tmp_path) == ["archive.jsonl.gz"]


@pytest.mark.parametrize("memory", [(), ("--memory", "200M")])
def test_a_pack_that_nobody_could_read_is_a_bug_and_leaves_the_old_one(
    cli: Cli, archive: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, memory: tuple[str, ...]
) -> None:
    packs = tmp_path / "packs"
    assert cli("mine", archive, "-o", packs).code == 0
    before = {path.name: path.read_bytes() for path in packs.iterdir() if path.is_file()}
    original = pack_json.write

    def spoil(pack: Pack) -> str:
        text = original(pack)
        return text.replace('"html": false', '"html": 0') if pack.source == "gamma.example" else text

    monkeypatch.setattr(pack_json, "write", spoil)
    ran = cli("mine", archive, "-o", packs, "--force", "--caution", "1.5", *memory)
    assert ran.code == 1
    assert "pack skipped: gamma.example: tokeniser: html: expected true or false, got int; so this pack" in ran.err
    assert "is a bug of templatemine" in ran.err
    assert "the pack of an earlier run stays" in ran.err
    after = {path.name: path.read_bytes() for path in packs.iterdir() if path.name in before}
    assert [name for name in sorted(before) if after[name] == before[name] and name.endswith(".json")] == [
        "gamma.example.json"
    ]
    if not memory:
        before = {path.name: path.read_bytes() for path in packs.iterdir() if path.is_file()}
        ran = cli("mine", archive, "-o", packs, "--force", "--strict")
        assert ran.code == 1
        assert {path.name: path.read_bytes() for path in packs.iterdir() if path.is_file()} == before


def test_articles_too_large_for_the_memory_are_skipped_and_counted(cli: Cli, tmp_path: Path) -> None:
    """All of a source were: it was mined from a sample of 0, and its good pack replaced by an empty one."""
    rows = records()
    small = write(tmp_path / "small.jsonl", rows)
    packs = tmp_path / "packs"
    assert cli("mine", small, "-o", packs).code == 0
    before, templates = (packs / "alpha.example.json").read_bytes(), Pack.load(packs / "alpha.example.json").templates
    huge = [{**row, "text": f"{row['text']} " * 4000} for row in rows if row["source"] == "alpha.example"][:3]
    archive = write(tmp_path / "huge.jsonl", huge)
    ran = cli("mine", archive, "-o", packs, "--force", "--memory", "128M")
    assert f"alpha.example: {len(huge)} documents skipped, as one takes more than 3 MB to mine" in ran.err
    assert f"{len(huge)} documents skipped" in ran.err
    assert "too large for --memory; the pack of an earlier run stays" in ran.err
    assert (packs / "alpha.example.json").read_bytes() == before
    # Among others such articles change nothing.
    mixed = write(tmp_path / "mixed.jsonl", [*rows, *[{**row, "id": f"h{n}"} for n, row in enumerate(huge)]])
    ran = cli("mine", mixed, "-o", packs, "--force", "--memory", "128M")
    assert f"{len(huge)} documents skipped" in ran.err
    assert Pack.load(packs / "alpha.example.json").templates == templates


@pytest.mark.parametrize("existing", [False, True])
def test_a_full_disk(program: Cli, archive: Path, tmp_path: Path, existing: bool) -> None:
    packs = tmp_path / "packs"
    if existing:
        packs.mkdir()
        (packs / "alpha.example.json").write_text("mine")
    before = everything(tmp_path)
    ran = program("mine", archive, "-o", packs, "--force", preexec_fn=no_large_files)
    assert ran.error == f"{packs}/alpha.example.json: cannot be written: File too large"
    assert everything(tmp_path) == before
    assert not existing or (packs / "alpha.example.json").read_text() == "mine"


@pytest.mark.skipif(os.geteuid() == 0, reason="root may write anywhere")
def test_no_permission(cli: Cli, archive: Path, tmp_path: Path) -> None:
    (tmp_path / "packs").mkdir(mode=0o500)
    assert cli("mine", archive, "-o", tmp_path / "packs").error.endswith("cannot be written: Permission denied")


# ----------------------------------------------------------------------------------------------- names of the sources


def test_names_of_sources_are_made_safe(cli: Cli, tmp_path: Path) -> None:
    names = [
        "../../etc/x",
        "/etc/passwd",
        "x" * 300,
        "x" * 301,
        "Alpha",
        "alpha",
        "",
        ".hidden",
        "con",
        "a\x00b",
        "新华社",
        "\ud800",
    ]
    lines = [{**one, "source": name} for name in names for one in records(["alpha.example"], 12)]
    (tmp_path / "in").mkdir()
    ran = cli("mine", write(tmp_path / "in" / "a.jsonl", lines), "-o", tmp_path / "in" / "packs")
    assert ran.code == 0
    assert everything(tmp_path)[0] == "in"
    assert len(everything(tmp_path / "in" / "packs")) == 2 * len(names)
    assert all(len(name.encode()) < 200 and "/" not in name for name in everything(tmp_path / "in" / "packs"))
    # An empty one is none, and then the name of the file is that of the source.
    assert sorted(PackFiles([tmp_path / "in" / "packs"]).load_all()) == sorted(name or "a" for name in names)
    assert "../../etc/x" in ran.err


# ----------------------------------------------------------------------------------- sources of which nothing is learnt


def test_small_and_equal_sources_are_said_so(cli: Cli, tmp_path: Path) -> None:
    lines = [
        *records(),
        *records(["small.example"], 3),
        *({"source": "same.example", "text": "One and the same text."} for _ in range(20)),
    ]
    archive = write(tmp_path / "a.jsonl", lines)
    ran = cli("mine", archive, "-o", tmp_path / "packs")
    assert ran.code == 0
    assert everything(tmp_path / "packs") == FILES
    notes = {line.split()[0]: line.partition("no pack: ")[2] for line in ran.err.splitlines() if "no pack" in line}
    assert notes["small.example"] == "3 documents, at least 5 are needed"
    assert notes["same.example"] == "all documents are equal, so nothing can be learnt"
    summary = json.loads(cli("mine", archive, "-o", tmp_path / "packs", "--force", "--json").out)
    assert {one["source"]: one["pack"] for one in summary["sources"]}["same.example"] is None


def test_a_source_without_templates_is_said_so(cli: Cli, tmp_path: Path) -> None:
    random = Random(3)
    lines = [
        {"source": "prose", "text": " ".join(f"w{random.randrange(10**9):x}" for _ in range(50))} for _ in range(30)
    ]
    ran = cli("mine", write(tmp_path / "a.jsonl", lines), "-o", tmp_path / "packs")
    assert ran.code == 0
    assert Pack.load(tmp_path / "packs" / "prose.json").templates == ()
    assert "no templates: " in ran.err


def test_no_pack_at_all(cli: Cli, tmp_path: Path) -> None:
    ran = cli("mine", write(tmp_path / "a.jsonl", records(documents=2)), "-o", tmp_path / "packs")
    assert ran.code == 1
    assert "\nno pack is written\n" in ran.err
    assert ran.err.endswith(
        "templatemine: no pack: expected a source with 5 documents or more, found 3 sources, the largest "
        "'alpha.example' with 2 documents (2 documents, at least 5 are needed); give more of each, --source NAME if all "
        "are of one source, or a smaller --min-docs\n"
    )
    assert "no pack: expected" in cli("mine", tmp_path / "a.jsonl", "-o", tmp_path / "packs", "--quiet").err
    one = write(tmp_path / "one.jsonl", [{"text": "A story."}])
    assert cli("mine", one, "-o", tmp_path / "others", "--memory", "200M").code == 1
    assert everything(tmp_path / "packs") == []


def test_many_sources_are_not_all_listed(cli: Cli, tmp_path: Path) -> None:
    ran = cli(
        "mine",
        write(tmp_path / "a.jsonl", [{"source": f"s{number}", "text": "x"} for number in range(100)]),
        "-o",
        tmp_path / "packs",
    )
    assert "and 60 more sources, 60 with a note (--json lists all)" in ran.err


def test_sources_with_a_note_come_before_larger_ones(cli: Cli, tmp_path: Path) -> None:
    lines = records([f"s{number:02}.example" for number in range(45)], 12)
    few = [{"source": "few.example", "text": f"Story {number}."} for number in range(3)]
    archive, packs = write(tmp_path / "a.jsonl", [*lines, *few]), tmp_path / "packs"
    told = cli("mine", archive, "-o", packs).err.splitlines()
    assert told[1].split()[0] == "few.example"
    assert "and 6 more sources, none with a note (--json lists all); above, those with a note come first" in told[41]
    cleaned = cli("clean", archive, "-p", packs, "--dry-run").err.splitlines()
    assert cleaned[1].split() == ["few.example", "3", "0", "0", "-", "no", "pack:", "unchanged"]
    assert cleaned[2].split()[0] == "s00.example"
    assert cleaned[41].startswith("and 6 more sources, none with a note")


def test_duplicate_ids_are_counted(cli: Cli, archive: Path, tmp_path: Path) -> None:
    ran = cli("mine", archive, archive, "-o", tmp_path / "packs", "--method", "energy")
    assert "240 documents in " in ran.err
    assert "120 documents with an id seen before (kept)" in ran.err
    assert Pack.load(tmp_path / "packs" / "alpha.example.json").documents == 80


def test_copies_are_counted_and_not_learnt_from(cli: Cli, archive: Path, tmp_path: Path) -> None:
    ran = cli("mine", archive, archive, "-o", tmp_path / "packs", "--json")
    (alpha,) = (one for one in json.loads(ran.out)["sources"] if one["source"] == "alpha.example")
    assert alpha["documents"] == 80
    pack = Pack.load(tmp_path / "packs" / "alpha.example.json")
    assert " near-duplicates ignored" in pack.cutoff.note
    assert alpha["copies"] == 40
    assert pack.documents == 80


@pytest.mark.parametrize("memory", [(), ("--memory", "200M")])
def test_the_table_tells_of_many_copies(cli: Cli, archive: Path, tmp_path: Path, memory: tuple[str, ...]) -> None:
    """Half of a source was ignored, and only its pack said so."""

    def note(*rows: dict[str, Any]) -> str:
        more = write(tmp_path / "more.jsonl", rows)
        ran = cli("mine", archive, more, "-o", tmp_path / "packs", "--force", *memory)
        (row,) = (line for line in ran.err.splitlines() if line.startswith("alpha.example"))
        return " ".join(row.split()[4:])

    again = [one for one in records() if one["source"] == "alpha.example"]
    assert note(*again) == "40 near-duplicates ignored"
    assert note(*again[:5]) == "5 near-duplicates ignored"
    assert note(*again[:4]) == ""


def test_made_up_ids_are_no_duplicates(cli: Cli, tmp_path: Path) -> None:
    for folder in ("a", "b"):
        (tmp_path / folder).mkdir()
        write(tmp_path / folder / "daily.jsonl", [{"text": one["text"]} for one in records(["x"], 12)])
    ran = cli(
        "mine", tmp_path / "a" / "daily.jsonl", tmp_path / "b" / "daily.jsonl", "-o", tmp_path / "packs", "--json"
    )
    assert json.loads(ran.out)["duplicate_ids"] == 0


# --------------------------------------------------------------------------------------------------------- bad records

BAD = [
    b"{not json",
    b'{"id": "x", "source": "alpha.example"}',
    b'{"source": "alpha.example", "text": 7}',
    b'{"source": "alpha.example", "text": null}',
    b'{"source": "alpha.example", "text": "\xff\xfe"}',
    b"[1, 2]",
    b'{"source": ["alpha"], "text": "x"}',
]


def test_bad_records_are_skipped_named_and_counted(cli: Cli, tmp_path: Path) -> None:
    archive = write(tmp_path / "a.jsonl", [*BAD, *records()])
    ran = cli("mine", archive, "-o", tmp_path / "packs")
    assert ran.code == 1
    named = [line for line in ran.err.splitlines() if line.startswith("templatemine: skipped: ")]
    assert [line.split()[2] for line in named[:5]] == [f"{archive}:{number}:" for number in range(1, 6)]
    assert named[5:] == ["templatemine: skipped: and 2 more"]
    assert ran.err.splitlines()[-2] == "7 documents skipped"
    assert everything(tmp_path / "packs") == FILES


@pytest.mark.parametrize("bad", BAD)
def test_strict_stops_at_the_first(cli: Cli, tmp_path: Path, bad: bytes) -> None:
    archive = write(tmp_path / "a.jsonl", [*records(), bad])
    ran = cli("mine", archive, "-o", tmp_path / "packs", "--strict")
    assert ran.code == 1
    assert ran.err.startswith(f"templatemine: error: {archive}:121: expected ")
    assert ran.err.endswith("(stopped because of --strict)\n")
    assert ran.err.count("\n") == 1
    assert everything(tmp_path) == ["a.jsonl"]


def test_odd_characters_pass(cli: Cli, tmp_path: Path) -> None:
    lines = [{**one, "text": one["text"] + "\n\n\ud800 lone \x00 nul \u202e turned"} for one in records()]
    ran = cli("mine", write(tmp_path / "a.jsonl", lines), "-o", tmp_path / "packs", "--strict")
    assert ran.code == 0
    pack = Pack.load(tmp_path / "packs" / "alpha.example.json")
    strings = [tokens for tokens, *_ in read_rejected(tmp_path / "packs" / "alpha.example.json")]
    assert any("\ud800" in tokens for tokens in [*strings, *(template.tokens or () for template in pack.templates)])


@pytest.mark.parametrize("content", [b"", b"\n \n", gzip.compress(b"")])
def test_an_empty_archive(cli: Cli, tmp_path: Path, content: bytes) -> None:
    archive = tmp_path / "a.jsonl"
    archive.write_bytes(content)
    ran = cli("mine", archive, "-o", tmp_path / "packs")
    assert ran.error == f"{archive}: expected documents, found none"
    assert everything(tmp_path) == ["a.jsonl"]


def test_records_without_the_field_that_is_asked_for(cli: Cli, tmp_path: Path) -> None:
    archive = write(tmp_path / "a.jsonl", records())
    for more in ((), ("--memory", "1G")):
        ran = cli("mine", archive, "-o", tmp_path / "packs", "--text-field", "body", *more)
        assert "cannot be read, all for one reason: expected a field 'body' or 'html', found only 'id', " in ran.error
        assert "'text', 'tags' (--text-field names another; --text-field text?)" in ran.error


@pytest.mark.parametrize("more", [(), ("--memory", "1G")])
def test_what_learns_nothing_leaves_no_folder(cli: Cli, tmp_path: Path, more: tuple[str, ...]) -> None:
    archive = write(tmp_path / "a.jsonl", [{"source": "a", "text": "x"}])
    ran = cli("mine", archive, "-o", tmp_path / "packs", *more)
    assert (ran.code, everything(tmp_path)) == (1, ["a.jsonl"])
    assert "no pack is written\n" in ran.err
    (tmp_path / "old").mkdir()
    assert cli("mine", archive, "-o", tmp_path / "old", *more).code == 1
    assert (tmp_path / "old").is_dir()  # it was there before


def test_only_bad_records(cli: Cli, tmp_path: Path) -> None:
    archive = write(tmp_path / "a.jsonl", BAD)
    assert (
        cli("mine", archive, "-o", tmp_path / "packs").error
        == f"{archive}: expected documents, found 7 that cannot be read"
    )


def test_truncated_gzip(cli: Cli, archive: Path, tmp_path: Path) -> None:
    archive.write_bytes(archive.read_bytes()[:-500])
    ran = cli("mine", archive, "-o", tmp_path / "packs")
    assert ran.code == 1
    assert "the gzip data ends too early" in ran.err
    assert everything(tmp_path / "packs") == FILES
    assert cli("mine", archive, "-o", tmp_path / "strict", "--strict").code == 1
    assert not (tmp_path / "strict").exists()


def test_damaged_gzip(cli: Cli, archive: Path, tmp_path: Path) -> None:
    data = bytearray(archive.read_bytes())
    data[len(data) // 2] ^= 0xFF
    archive.write_bytes(data)
    ran = cli("mine", archive, "-o", tmp_path / "packs")
    assert ran.code == 1
    assert "the gzip data is damaged" in ran.err


@pytest.mark.parametrize(
    ("name", "message"),
    [
        ("gone.jsonl", "cannot be read: No such file or directory"),
        ("a.doc", "expected a file named .jsonl"),
        ("empty", "found none"),
    ],
)
def test_inputs_that_are_none(cli: Cli, archive: Path, tmp_path: Path, name: str, message: str) -> None:
    (tmp_path / "a.doc").write_text("a,b\n")
    (tmp_path / "empty").mkdir()
    before = everything(tmp_path)
    ran = cli("mine", archive, tmp_path / name, "-o", tmp_path / "packs")
    assert ran.error.startswith(f"{tmp_path / name}: ")
    assert message in ran.error
    assert everything(tmp_path) == before


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (None, "cannot be read: No such file or directory"),
        ("[[pattern]\n", "not TOML"),
        ('[[pattern]]\nname = "x"\nregex = "("\n', "does not compile"),
    ],
)
def test_patterns_that_cannot_be_used(
    cli: Cli, archive: Path, tmp_path: Path, content: str | None, message: str
) -> None:
    file = tmp_path / "own.toml"
    if content is not None:
        file.write_text(content)
    ran = cli("mine", archive, "-o", tmp_path / "packs", "--patterns-file", file)
    assert message in ran.error
    assert not (tmp_path / "packs").exists()


# ---------------------------------------------------------------------------------------------------------- large input


def test_a_document_of_50_megabytes(cli: Cli, tmp_path: Path) -> None:
    """Or of five; with a hundred thousand different words either way."""
    random, count = Random(5), scaled(7_500_000)
    lines = records(["alpha.example"], 30)
    words = [f"w{number}" for number in range(100_000)]
    lines.append(
        {
            **record("alpha.example", 99, random),
            "text": " ".join(random.choices(words, k=count)) + "\n\n" + CALL.format("Alpha"),
        }
    )
    assert len(lines[-1]["text"]) > 6.5 * count
    archive = write(tmp_path / "a.jsonl", lines)
    assert cli("mine", archive, "-o", tmp_path / "packs").code == 0
    assert cli("clean", archive, "-p", tmp_path / "packs", "-o", tmp_path / "c.jsonl").code == 0
    last = json.loads((tmp_path / "c.jsonl").read_bytes().splitlines()[-1])
    assert last["removed"][-1]["end"] == len(lines[-1]["text"])
    assert len(last["text"]) < len(lines[-1]["text"])


def test_100_000_documents_of_one_token(cli: Cli, tmp_path: Path) -> None:
    count = scaled(100_000)
    archive = write(tmp_path / "a.jsonl", [{"text": f"w{number % 1000}"} for number in range(count)])
    ran = cli("mine", archive, "-o", tmp_path / "packs", "--json")
    (source,) = json.loads(ran.out)["sources"]
    assert source["documents"] == count
    assert cli("clean", archive, "-p", tmp_path / "packs", "-o", tmp_path / "c.jsonl").code == 0
    assert (tmp_path / "c.jsonl").read_bytes().count(b"\n") == count


def test_reports_fit_the_shelf() -> None:
    """`pack_folder.ReportLike` is what `save` needs of a report; a type checker holds the two together, this keeps it honest."""
    from templatemine.packs.pack_folder import ReportLike

    result: ReportLike = SourceReport(source="x", documents=1, pack=None, note="")
    assert result.pack is None


def test_overrides_of_a_pack_are_kept(cli: Cli, tmp_path: Path) -> None:
    archive = write(tmp_path / "archive.jsonl", records())
    assert cli("mine", archive, "-o", tmp_path / "packs").code == 0
    path = tmp_path / "packs" / "alpha.example.json"
    pack = Pack.load(path)
    gone = pack.templates[0]
    data = json.loads(path.read_text(encoding="utf-8"))
    data["overrides"] = [{"action": "reject", "id": gone.id, "by": "Ann"}]
    path.write_text(json.dumps(data), encoding="utf-8")
    ran = cli("mine", archive, "-o", tmp_path / "packs", "--force")
    assert "1 override kept" in ran.err
    again = Pack.load(path)
    assert [one.id for one in again.templates] == [one.id for one in pack.templates if one.id != gone.id]
    assert [one.id for one in again.overrides.removed] == [gone.id]
    data["overrides"] = [{"action": "burn"}]
    path.write_text(json.dumps(data), encoding="utf-8")
    assert "overrides[0]: action: expected one of" in cli("mine", archive, "-o", tmp_path / "packs", "--force").error
    assert "burn" in path.read_text(encoding="utf-8")


@pytest.mark.parametrize("memory", [[], ["--memory", "128M"]])
def test_a_pack_that_is_not_replaced_for_want_of_a_new_one_is_told(cli: Cli, tmp_path: Path, memory: list[str]) -> None:
    packs = tmp_path / "packs"
    assert cli("mine", write(tmp_path / "old.jsonl", records(["alpha.example"])), "-o", packs).code == 0
    before = (packs / "alpha.example.json").read_bytes()
    few = write(tmp_path / "few.jsonl", records(["alpha.example", "beta.example"], 3))
    ran = cli("mine", few, "-o", packs, "--force", *memory)
    (alpha, beta) = (line for line in ran.err.splitlines() if ".example" in line and "no pack: expected" not in line)
    assert alpha.endswith("no pack: 3 documents, at least 5 are needed; the pack of an earlier run stays")
    assert beta.endswith("no pack: 3 documents, at least 5 are needed")
    assert (packs / "alpha.example.json").read_bytes() == before


@pytest.mark.parametrize("memory", [(), ("--memory", "200M")])
def test_fields_that_are_probably_the_source_are_named(cli: Cli, tmp_path: Path, memory: tuple[str, ...]) -> None:
    """Newspapers became one pack, and only records with an address were counted."""
    rows = [{"site" if name == "source" else name: value for name, value in row.items()} for row in records()]
    for number, row in enumerate(rows):
        row |= {"url": f"https://{row['site']}/{number}"} if number % 2 else {}
    path = write(tmp_path / "a.jsonl", rows)
    ran = cli("mine", path, "-o", tmp_path / "packs", *memory)
    told = f"{len(rows)} records without a field 'source': the name of the file is their source, though their field "
    assert f"{told}'site' names alpha.example, beta.example, gamma.example; --source-field site takes" in ran.err
    ran = cli("mine", path, "-o", tmp_path / "two", "--source-field", "site", *memory)
    assert "without a field" not in ran.err


def test_an_archive_is_no_pack(cli: Cli, tmp_path: Path) -> None:
    path = write(tmp_path / "a.jsonl.gz", records())
    assert cli("show", path).error == f"{path}: expected a pack, found a compressed file; packs are plain JSON"


def test_where_nothing_is_found_what_came_near_is_next(cli: Cli, tmp_path: Path) -> None:
    """There was no next step where a newcomer needs one most."""
    rows = [
        one | {"text": one["text"].replace("\n\n", " ")[60:200] + f" {n}."}
        for n, one in enumerate(records([SOURCES[0]]))
    ]
    archive = write(tmp_path / "a.jsonl", rows)
    ran = cli("mine", archive, "-o", tmp_path / "packs", "--caution", "100")
    assert ran.code == 0
    assert f"next, see what came near: templatemine show {tmp_path}/packs --rejected --limit 10\n" in ran.err


def test_packs_of_other_runs_in_the_folder_are_told(cli: Cli, tmp_path: Path) -> None:
    """They stayed beside the new ones, without a word, and clean used them."""
    archives = [write(tmp_path / f"{name}.jsonl", records([name])) for name in SOURCES]
    (tmp_path / "packs").mkdir()
    (tmp_path / "packs" / "notes.json").write_text('{"a": 1}')  # no pack
    for archive in archives:
        ran = cli("mine", archive, "-o", tmp_path / "packs", "--force")
    others = f"2 packs of earlier runs, which this one left as they are: {', '.join(sorted(SOURCES[:2]))}"
    assert f"\n{tmp_path}/packs also holds {others}\n" in ran.err
    assert "also holds" not in cli("mine", *archives, "-o", tmp_path / "packs", "--force").err
    assert "also holds" not in cli("mine", archives[0], "-o", tmp_path / "packs", "--force", "--quiet").err


def test_packs_are_no_archive(cli: Cli, mined: Path, tmp_path: Path) -> None:
    """Each rejected candidate was told to be no article."""
    ran = cli("mine", mined, "-o", tmp_path / "out")
    assert ran.code == 2
    assert ran.error == f"{mined}: expected an archive, found a folder of packs, which templatemine show lists"
    shutil.copytree(mined, beside := tmp_path / "beside")
    (beside / "desk.sqlite").write_bytes(b"SQLite format 3\0")  # as a desk leaves it
    assert "found a folder of packs" in cli("mine", beside, "-o", tmp_path / "out").error
    shutil.rmtree(beside)
    pack = next(mined.glob("*.json"))
    told = f"{pack}: expected an archive, found a pack, which templatemine show prints"
    for given in (
        ("clean", pack, "-o", tmp_path / "c.jsonl"),
        ("report", pack, "-o", tmp_path / "r.html"),
        ("ask", pack),
    ):
        assert cli(*given, "-p", mined).error == told  # how to give several packs helps nobody here
        more = cli(given[0], "-p", mined, *given[1:]).error
        assert more == f"{told}; --packs takes one path each time: -p A -p B"
    inputs = write(tmp_path / "r.jsonl", records())
    for swapped in (("clean", "-p", inputs, pack), ("explain", "-p", inputs, pack), ("update", inputs, pack)):
        assert cli(*swapped).error == f"{told}; {inputs} is no pack: have the two been swapped?"
    inputs.unlink()
    both = cli("ask", "one", "-p", "two", "-a", "x").error
    assert "expected one of them, got both: one and --packs two; for all of them write --packs one --packs two" in both
    assert not [*tmp_path.iterdir()]
    among = cli("mine", write(tmp_path / "r.jsonl", records()), pack, "-o", tmp_path / "out")
    assert (among.code, "expected articles, found a pack" in among.err) == (1, True)
    assert [*(tmp_path / "out").glob("*.json")]
    archive = write(tmp_path / "a.json", records()[:1])
    ran = cli("clean", archive, "-p", archive, "-o", tmp_path / "c.jsonl")
    assert ran.error.endswith("object with a field 'schema'; found an article: mine makes packs of an archive")


def test_python_says_of_a_source_without_templates_what_the_command_does(cli: Cli, tmp_path: Path) -> None:
    """Nothing was said of near-duplicates, nor of articles that have nothing in common."""
    random = Random(4)
    words = ["".join(random.choices("bdfgklmnprstaeiou", k=7)) for _ in range(400)]
    rows = [{"source": "unlike.example", "text": " ".join(random.sample(words, 60))} for _ in range(12)]
    rows += [{"source": "like.example", "text": f"Visitor {number}.\n{' '.join(words[:50])}."} for number in range(12)]
    rows += [{"source": "small.example", "text": f"Visitor {number}."} for number in range(3)]
    table = cli("mine", write(tmp_path / "a.jsonl", rows), "-o", tmp_path / "packs").err.splitlines()
    told = {line.split()[0]: line.split("no templates: ")[1] for line in table if "no templates: " in line}
    assert told == {
        "like.example": "nothing is likely enough to be a template; 11 near-duplicates ignored",
        "unlike.example": "nothing is likely enough to be a template",
    }
    with pytest.warns(UserWarning, match="no pack of|no templates of") as warned:
        packs = templatemine.mine(rows)
    named = "; ".join(f"{source} ({note})" for source, note in told.items())
    assert [str(one.message) for one in warned] == [
        "no pack of small.example (3 documents, at least 5 are needed)",
        f"no templates of {named}",
    ]
    assert repr(packs) == f"<Packs of 2 sources: 0 templates; none of {named}>"
    assert all(f"<td>{note}</td>" in packs._repr_html_() for note in told.values())
    assert packs.report(tmp_path / "report.html", rows)[2] == f"2 sources without templates: {named}."
    assert repr(templatemine.Packs.load(tmp_path / "packs")) == repr(packs)


def test_a_source_that_loses_its_last_template_says_so(tmp_path: Path) -> None:
    """It had "1 by their scores" for the reason that there is none."""
    (pack,) = templatemine.mine(records(SOURCES[:1])).values()
    empty = SourceReport(source="x", documents=9, pack=replace(pack, templates=()), note=pack.cutoff.note)
    assert SourceOutcome.from_report(empty, "x.json").note == "nothing is left of what scores chose"
