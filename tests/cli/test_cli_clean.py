"""``templatemine clean``: what happens to records, what is refused, and that nothing is half-written."""

from __future__ import annotations

import csv
import gzip
import json
import os
import re
import shlex
import shutil
import subprocess
import sys
from dataclasses import replace
from pathlib import Path
from typing import Any
from zlib import crc32

import pytest
from cli_support import CALL, CREDIT, SOURCES, command, everything, no_large_files, page, read, records, write

from conftest import Cli
from templatemine.archive.apply_overrides import apply_rules
from templatemine.cleaning.cleaner import Cleaner
from templatemine.cleaning.tally import SourceTally, TextSample
from templatemine.cli.cmd_clean import _format_kinds
from templatemine.io import read as batches
from templatemine.packs.overrides import Rule
from templatemine.packs.pack import Pack
from templatemine.packs.pack_record import bare_template


@pytest.fixture
def new(tmp_path: Path) -> Path:
    """Articles that the packs were not mined from."""
    return write(tmp_path / "new.jsonl", records(seed=2, documents=20))


def test_round_trip(cli: Cli, mined: Path, new: Path, tmp_path: Path) -> None:
    ran = cli("clean", new, "--packs", mined, "-o", tmp_path / "c.jsonl")
    assert (ran.code, ran.out) == (0, "")
    before, after = read(new), read(tmp_path / "c.jsonl")
    assert len(before) == len(after) == 60
    for old, fresh in zip(before, after, strict=True):
        assert list(fresh) == [*old, "removed"]
        assert {**fresh, "text": old["text"]} == {**old, "removed": fresh["removed"]}
        name = old["source"].partition(".")[0].capitalize()
        assert CALL.format(name) not in fresh["text"]
        cut = [old["text"][span["start"] : span["end"]] for span in fresh["removed"]]
        assert CALL.format(name) in cut
        assert all(list(span)[:3] == ["start", "end", "templates"] and span["templates"] for span in fresh["removed"])
        assert all(list(span)[3:] in ([], ["kind"]) for span in fresh["removed"])
        cleaned = Cleaner(Pack.load(mined / f"{old['source']}.json")).clean(old["text"])
        assert fresh["text"] == cleaned.text


def test_summary(cli: Cli, mined: Path, new: Path, tmp_path: Path) -> None:
    ran = cli("clean", new, "-p", mined, "-o", tmp_path / "c.jsonl")
    lines = ran.err.splitlines()
    assert [line.split()[:3] for line in lines[1:4]] == [[source, "20", "20"] for source in SOURCES]
    assert lines[-4].startswith(f"60 records written to {tmp_path}/c.jsonl in ")
    before, after = (sum(len(one["text"]) for one in read(path)) for path in (new, tmp_path / "c.jsonl"))
    lost = before - after
    assert lines[-3] == f"60 changed; characters removed: {lost:,} ({lost / before:.1%})"
    assert lines[-2].startswith("spans by kind: ")
    assert "promotion" in lines[-2]
    sizes = [int(size.replace(",", "")) for size in re.findall(r" ([\d,]+) \(\d+%\)", lines[-2])]
    assert lines[-1] == f"outside the spans, such as white space: {lost - sum(sizes):,}"
    ran = cli("clean", new, "-p", mined, "-o", tmp_path / "c.jsonl", "--force", "--json")
    summary = json.loads(ran.out)
    assert ran.err == ""
    assert (summary["records"], summary["changed"], summary["no_pack"], summary["skipped"]) == (60, 60, 0, 0)
    assert summary["spans"] == sum(len(one["removed"]) for one in read(tmp_path / "c.jsonl"))
    assert (summary["characters"], summary["characters_cut"]) == (before, lost)
    assert sum(summary["kinds"].values()) == sum(sizes)
    ran = cli("clean", new, "-p", mined, "-o", tmp_path / "m.jsonl", "--mark")
    assert f"60 marked; characters marked: {lost:,} (" in ran.err
    for most, code in ((lost / before - 0.001, 1), (lost / before + 0.001, 0)):
        ran = cli("clean", new, "-p", mined, "--dry-run", "--check", most, "--max-torn", 1)
        assert ("characters, more than" in ran.err) == bool(code) == (ran.code == 1)
    assert [one["source"] for one in summary["sources"]] == list(SOURCES)
    ran = cli("clean", new, "-p", mined, "-o", tmp_path / "c.jsonl", "--force", "--quiet")
    assert (ran.out, ran.err) == ("", "")


@pytest.mark.parametrize(
    ("cut", "rest"),
    [
        (12, ["outside the spans, such as white space: 2"]),
        (10, []),
        (9, ["white space of the spans that stays: 1"]),
    ],
)
def test_kinds_add_up_to_what_is_removed(cut: int, rest: list[str]) -> None:
    counts = SourceTally(characters=100, cut=cut, kinds={"legal": 8, "": 2})
    assert _format_kinds(counts) == ["spans by kind: legal 8 (80%), no known kind 2 (20%)", *rest]


def test_every_field_survives(cli: Cli, mined: Path, tmp_path: Path) -> None:
    odd = {
        "source": "alpha.example",
        "text": "\ud800 \x00 \U0001f600\n" + CALL.format("Alpha"),
        "huge": 2**200,
        "float": 1e300,
        "small": 0.1,
        "none": None,
        "deep": {"a": [{"b": [[], {}]}]},
        "lone \udfff": "\udfff",
        "date": "2024-01-01",
    }
    line = (
        json.dumps(odd).encode()
        + b"\n"
        + b'{"text": "a", "source": "alpha.example", "nan": NaN, "inf": -Infinity, "id": 7}\n'
    )
    (tmp_path / "n.jsonl").write_bytes(line)
    assert cli("clean", tmp_path / "n.jsonl", "-p", mined, "-o", tmp_path / "c.jsonl", "--strict").code == 0
    first, second = read(tmp_path / "c.jsonl")
    assert {**first, "text": odd["text"]} == {**odd, "removed": first["removed"]}
    assert first["text"] == "\ud800 \x00 \U0001f600"
    assert second["nan"] != second["nan"]
    assert (second["inf"], second["id"]) == (float("-inf"), 7)


def test_jobs_change_nothing(cli: Cli, mined: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(batches, "BATCH_RECORDS", 7)
    new = write(tmp_path / "n.jsonl", [*records([*SOURCES, "other.example"], 30, seed=3), b"bad", *records(seed=4)])
    for jobs in "123":
        ran = cli("clean", new, "-p", mined, "-o", tmp_path / jobs, "--jobs", jobs)
        assert ran.code == 1
        assert "n.jsonl:121: expected a JSON object" in ran.err
        assert "240 records" in ran.err
    assert (tmp_path / "1").read_bytes() == (tmp_path / "2").read_bytes() == (tmp_path / "3").read_bytes()


def test_engines_agree(cli: Cli, mined: Path, new: Path, tmp_path: Path) -> None:
    for engine in ("native", "regex"):
        assert cli("clean", new, "-p", mined, "-o", tmp_path / engine, "--engine", engine).code == 0
    assert read(tmp_path / "native") == read(tmp_path / "regex")


def test_kinds_that_are_kept(cli: Cli, mined: Path, new: Path, tmp_path: Path) -> None:
    def clean(*options: str) -> list[dict[str, Any]]:
        ran = cli("clean", new, "-p", mined, "-o", tmp_path / "c.jsonl", "--force", *options)
        assert ran.code == 0, ran.err
        return [row for record in read(tmp_path / "c.jsonl") for row in record["removed"]]

    cut = {row.get("kind") for row in clean()}
    assert "promotion" in cut
    assert {row.get("kind") for row in clean("--keep", "promotion,note")} == cut - {"promotion"}
    for option in ("--policy", "archive"), ("--mark",):
        ran = cli("clean", new, "-p", mined, "-o", tmp_path / "m.jsonl", "--force", *option)
        marked = read(tmp_path / "m.jsonl")
        assert [record["text"] for record in marked] == [record["text"] for record in read(new)]
        assert cut <= {row.get("kind") for record in marked for row in record["spans"]}
    assert {row.get("kind") for row in clean("--cut-only", "promotion")} <= {"promotion", None}
    for options, why in (
        (("--keep", "promotions"), "--keep: expected kinds of promotion, "),
        (("--keep", "note", "--cut-only", "note"), "--cut-only: expected no --keep beside it"),
    ):
        ran = cli("clean", new, "-p", mined, "-o", tmp_path / "d.jsonl", *options)
        assert ran.code == 2
        assert why in ran.err
        assert not (tmp_path / "d.jsonl").exists()


def test_the_summary_of_clean_says_how_many_records_got_something(cli: Cli, mined: Path, tmp_path: Path) -> None:
    """It was told neither there nor in the short help."""
    texts = (
        "By Ines Harper\nThe story.",
        "BRIDGEBRIDGE, March 3 (Reuters)\nThe story.",
        "By Ann Doe\nOne.",
        "A story.",
    )
    archive = tmp_path / "a.jsonl"
    archive.write_text("".join(json.dumps({"source": "a", "text": text}) + "\n" for text in texts), encoding="utf-8")
    templates = (
        replace(bare_template(("By", "{slot}")), anchor="line", example="By Ann Doe", kind="byline"),
        replace(bare_template(("{slot}", "(Reuters)")), anchor="line", example="RIVA (Reuters)", kind="dateline"),
    )
    pack = replace(Pack.load(mined / f"{SOURCES[0]}.json"), source="a", templates=templates, questions=(), mined=None)
    pack.save(tmp_path / "a.json")
    clean = ("clean", archive, "-p", tmp_path / "a.json", "-o", tmp_path / "out.jsonl", "--force")
    assert "\n3 got a field 'found': byline 2, agency 1, place 1\n" in cli(*clean, "--found", "--jobs", 2).err
    assert "\n3 would get a field 'found': byline 2, agency 1, place 1\n" in cli(*clean, "--found", "--dry-run").err
    facts = json.loads(cli(*clean, "--found", "--json").out)
    assert (facts["with_found"], facts["sources"][0]["found"]) == (3, {"byline": 2, "agency": 1, "place": 1})
    assert "found" not in cli(*clean).err
    assert "found" not in json.loads(cli(*clean, "--json").out)
    assert "--found" in cli("clean", "--help").out


@pytest.mark.parametrize("options", [(), ("--jobs", 2), ("--found",), ("--output-format", "csv")])
def test_one_source_of_several(cli: Cli, mined: Path, new: Path, tmp_path: Path, options: tuple[object, ...]) -> None:
    clean = ("clean", new, "-p", mined, "--force", *options)
    ran = cli(*clean, "-o", tmp_path / "one", "--only", SOURCES[1])
    assert (ran.code, ran.err.splitlines()[1].split()[0]) == (0, SOURCES[1])
    others = sum(record["source"] != SOURCES[1] for record in read(new))
    assert f"\n{others} of other sources left out (--only)\n" in ran.err
    rows = [record for record in read(new) if record["source"] == SOURCES[1]]
    alone = write(tmp_path / "alone.jsonl", rows)
    assert cli("clean", alone, *clean[2:], "-o", tmp_path / "two").code == 0
    assert (tmp_path / "one").read_bytes() == (tmp_path / "two").read_bytes()


def test_a_source_that_no_record_is_of_is_told(cli: Cli, mined: Path, new: Path, tmp_path: Path) -> None:
    near = SOURCES[1][:-1]
    for words in (("clean", "-o", tmp_path / "none.jsonl"), ("clean", "--diff"), ("explain",)):
        told = cli(*words, new, "-p", mined, "--only", near).error
        assert told.startswith(f"--only: no record is of {near}; they are of {SOURCES[0]}, ")
        assert told.endswith(f"; did you mean {SOURCES[1]}?")
    assert not (tmp_path / "none.jsonl").exists()
    shown = [
        json.loads(line) for line in cli("explain", new, "-p", mined, "--only", SOURCES[1], "--json").out.splitlines()
    ]
    assert {one["source"] for one in shown} == {SOURCES[1]}
    facts = json.loads(cli("clean", new, "-p", mined, "--only", SOURCES[1], "--json", "-o", tmp_path / "c.jsonl").out)
    assert (len(facts["sources"]), facts["records"] + facts["left_out"]) == (1, len(read(new)))


def test_a_source_that_no_record_is_of_is_told_beside_others(cli: Cli, mined: Path, new: Path, tmp_path: Path) -> None:
    only = ("--only", SOURCES[0], "--only", "nope", "--only", SOURCES[1].upper())
    told = "templatemine: --only: no record that was read is of nope, BETA.EXAMPLE"
    for words in (
        ("clean", new, "-p", mined, "-q", "-o", tmp_path / "c.jsonl"),
        ("clean", new, "-p", mined, "--diff"),
        ("explain", new, "-p", mined),
        ("explain", new, "-p", mined, "-n", "0"),
        ("explain", new, "-p", mined, "--id", read(new)[0]["id"]),
    ):
        ran = cli(*words, *only)
        assert (ran.code, told in ran.err.splitlines()) == (0, True), ran.err
        assert "--only: " not in cli(*words, *only[:2], *(["-f"] if "-q" in words else [])).err
    assert "--only: " not in cli("explain", new, "-p", mined, "-n", "1", *only[:2], "--only", SOURCES[1]).err


def test_a_source_of_all_records_is_told_where_none_is_of_another(cli: Cli, mined: Path, new: Path) -> None:
    told = cli("explain", new, "-p", mined, "--only", SOURCES[1], "--source", SOURCES[0]).error
    assert told == (
        f"--only: no record is of {SOURCES[1]}; they are of {SOURCES[0]}; --source {SOURCES[0]} overrules the sources "
        f"that records name; did you mean {SOURCES[0]}?"
    )


def test_an_article_that_is_left_out_is_told(cli: Cli, mined: Path, new: Path) -> None:
    asked = next(one["id"] for one in read(new) if one["source"] == SOURCES[1])
    told = cli("explain", new, "-p", mined, "--only", SOURCES[0], "--id", asked).error
    assert told == f"--id: no article with the id {asked!r}; --only leaves out {asked!r} of {SOURCES[1]}"


def test_metadata_of_bylines_go_into_json_lines_only(cli: Cli, mined: Path, new: Path, tmp_path: Path) -> None:
    """A table of CSV had a column for them, if its first record had some, and ended else."""
    for suffix in ("csv", "parquet"):
        told = cli("clean", new, "-p", mined, "--found", "-o", tmp_path / f"c.{suffix}").error
        assert told == f"--found: expected JSON lines as output (--output-format jsonl), got {suffix}"
    assert not any(tmp_path.glob("c.*"))


def test_check_names_what_is_wrong_with_each_source(cli: Cli, mined: Path, new: Path, tmp_path: Path) -> None:
    stub = {"source": SOURCES[0], "id": "stub", "text": CALL.format(SOURCES[0].partition(".")[0].capitalize())}
    stubs, other = [stub, stub], {"source": "other.org", "id": "x", "text": "A story."}
    path = write(tmp_path / "with.jsonl", [*read(new), *stubs, other])
    share = 2 / (2 + sum(one["source"] == SOURCES[0] for one in read(new)))
    ran = cli("clean", path, "-p", mined, "-o", tmp_path / "c.jsonl", "--check", "0.99", "--whole-lines")
    assert ran.code == 1
    told = [line.partition("check: ")[2] for line in ran.err.splitlines() if "check: " in line]
    limit = "more than 5% (--max-stubs; --stubs drop leaves them out)"
    assert told == [
        f"{SOURCES[0]} has 2 stubs, {share:.1%} of its records, {limit}",
        "other.org has no pack that can be used",
    ]
    command = f"templatemine report {mined} --archive {path} -o report.html"
    assert ran.err.splitlines()[-1] == f"next, see what tears and takes too much: {command}"
    lacking = write(tmp_path / "other.jsonl", [*read(new), other])
    ran = cli("clean", lacking, "-p", mined, "-o", tmp_path / "g.jsonl", "--check", "0.99", "--whole-lines")
    assert (
        ran.err.splitlines()[-1] == "templatemine: check: other.org has no pack that can be used"
    )  # which tears nothing
    ran = cli("clean", new, "-p", mined, "-o", tmp_path / "d.jsonl", "--check", "0.99", "--whole-lines")
    assert ran.code == 0, ran.err
    changed = ran.err.partition(" changed;")[0].rpartition("\n")[2]
    last = ran.err.splitlines()[-1]
    assert last == f"check: 3 sources within the limits; no torn sentence in {changed} changed texts"
    ran = cli("clean", new, "-p", mined, "-o", tmp_path / "e.jsonl", "--check", "0.001")
    assert ran.code == 1
    assert ran.err.count("of its characters, more than 0.1% (--check)") == len(SOURCES)
    ran = cli("clean", path, "-p", mined, "-o", tmp_path / "f.jsonl", "--stubs", "drop")
    assert [one["id"] for one in read(tmp_path / "f.jsonl")] == [one["id"] for one in read(path) if one["id"] != "stub"]
    assert "2 with more than 90% boilerplate: stubs, left out" in ran.err
    written = [bool(one.get("removed")) for one in read(tmp_path / "f.jsonl")]
    assert f"{len(written)} records written to " in ran.err
    assert f"\n{sum(written)} changed; " in ran.err
    rows = [line.split() for line in ran.err.splitlines() if line.startswith((*SOURCES, "other.org"))]
    assert sum(int(row[2]) for row in rows) == sum(written)
    ran = cli("clean", path, "-p", mined, "--dry-run", "--stubs", "drop", "--json")
    assert json.loads(ran.out)["torn_looked"] == sum(written)


def test_check_allows_a_share_of_stubs(cli: Cli, mined: Path, new: Path, tmp_path: Path) -> None:
    """One stub among thousands of articles failed a run."""
    stub = {"source": SOURCES[0], "text": CALL.format(SOURCES[0].partition(".")[0].capitalize())}
    share = 2 / (2 + sum(one["source"] == SOURCES[0] for one in read(new)))

    def check(stubs: int, *options: object) -> tuple[int | None, list[str]]:
        path = write(tmp_path / "some.jsonl", [*read(new), *[stub] * stubs])
        ran = cli("clean", path, "-p", mined, "--dry-run", "--check", "0.99", "--whole-lines", *options)
        return ran.code, [line.partition("check: ")[2] for line in ran.err.splitlines() if "check: " in line]

    assert check(1)[0] == 0  # which shows nothing of a source
    assert check(1, "--max-stubs", 0)[0] == 1  # unless none is allowed
    assert check(2)[0] == 1
    assert check(2, "--max-stubs", share)[0] == 0
    code, told = check(2, "--max-stubs", share / 2)
    limit = f"more than {50 * share:.4g}% (--max-stubs; --stubs drop leaves them out)"
    assert (code, told) == (1, [f"{SOURCES[0]} has 2 stubs, {share:.1%} of its records, {limit}"])
    assert check(2, "--stubs", "drop")[0] == 0


def test_json_tells_a_failed_check_from_skipped_records(cli: Cli, mined: Path, new: Path, tmp_path: Path) -> None:
    """Both end with 1."""
    words = ("-p", mined, "-o", tmp_path / "c.jsonl", "--json", "--force")
    ran = cli("clean", new, *words, "--check", "0.001")
    told = json.loads(ran.out)
    assert (ran.code, told["skipped"], len(told["check"])) == (1, 0, len(SOURCES))
    assert told["check"][0] in ran.err
    bad = write(tmp_path / "b.jsonl", [b"{", *(one.encode() for one in new.read_text().splitlines())])
    ran = cli("clean", bad, *words, "--check", "0.99", "--max-torn", 1, "--max-rests", 1)
    told = json.loads(ran.out)
    assert (ran.code, told["skipped"], told["check"]) == (1, 1, [])
    assert "check" not in json.loads(cli("clean", new, *words).out)


def test_check_alone_is_that_of_the_documentation(cli: Cli, mined: Path, new: Path, tmp_path: Path) -> None:
    """It was an error; now it is half of the characters."""
    call = CALL.format(SOURCES[0].partition(".")[0].capitalize())
    rows = [{"source": SOURCES[0], "id": str(n), "text": f"The mayor spoke {n}.\n{call}"} for n in range(9)]
    path = write(tmp_path / "half.jsonl", rows)
    for words in (("--check",), ("--check=0.5",)):
        ran = cli("clean", path, "-p", mined, "--dry-run", *words)
        assert (ran.code, "of its characters, more than 50% (--check)" in ran.err) == (1, True)
    assert cli("clean", "--check", "-p", mined, "--dry-run", "-a", new).code == 0


def test_check_of_nothing_fails(cli: Cli, mined: Path, new: Path, tmp_path: Path) -> None:
    """An empty archive was "within the limits", and so was one that had been cleaned before, or one of empty texts."""
    empty, again = write(tmp_path / "empty.jsonl", []), tmp_path / "again.jsonl"
    blank = write(tmp_path / "blank.jsonl", [{**row, "text": ""} for row in read(new)])
    assert cli("clean", new, "-p", mined, "-o", again).code == 0
    number = len(read(again))
    none = f"none in {number} records that can be cleaned"
    for path, found in ((empty, "none"), (again, none), (blank, none)):
        for words in (("--dry-run",), ("-o", tmp_path / "out.jsonl", "--force"), ("--diff",)):
            ran = cli("clean", path, "-p", mined, "--check", "0.5", *words)
            assert ran.code == 1
            assert f"\ntemplatemine: check: expected documents, found {found}: nothing was checked\n" in f"\n{ran.err}"
            assert "within the limits" not in ran.err
        assert cli("clean", path, "-p", mined, "--dry-run").code == 0


def test_a_source_that_takes_the_records_of_others_says_so(cli: Cli, mined: Path, new: Path) -> None:
    """One pack cut the articles of all sources, without a word."""
    ran = cli("clean", new, "-p", mined, "--dry-run", "--quiet", "--source", SOURCES[0])
    assert ran.err.startswith(f"templatemine: --source {SOURCES[0]}: its pack also cleans records of {SOURCES[1]}, ")
    assert cli("clean", new, "-p", mined, "--dry-run", "--quiet").err == ""
    told = f"templatemine: --source {SOURCES[0]} makes one source of 2 that records name, "
    explain, diff = ("explain", new, "--limit", "0", "-p", mined), ("clean", new, "--diff", "-p", mined)
    for words in (explain, diff, ("diff", mined, mined, "-a", new)):
        ran = cli(*words, "--source", SOURCES[0])
        assert told in ran.err
        assert (", --only NAME takes one of them, " in ran.err) == (words[0] != "diff")  # which has no such option


def test_check_names_sources_with_torn_sentences(cli: Cli, mined: Path, new: Path, tmp_path: Path) -> None:
    """By articles, however many of their cuts do; `evaluate residue` gives the same share."""
    cut = CALL.format(SOURCES[1].partition(".")[0].capitalize())
    torn = {"source": SOURCES[1], "text": f"The mayor said that\n{cut}\nnobody came, and\n{cut}\nthat all was well."}
    path = write(tmp_path / "torn.jsonl", [*read(new), torn, torn])
    share = 2 / (2 + sum(one["source"] == SOURCES[1] for one in read(new)))

    def check(*options: object) -> tuple[int | None, list[str]]:
        ran = cli("clean", path, "-p", mined, "-o", tmp_path / "t.jsonl", "--force", "--check", "0.99", *options)
        return ran.code, [line.partition("check: ")[2] for line in ran.err.splitlines() if "check: " in line]

    told = f"{SOURCES[1]} has torn sentences in {share:.1%} of its changed records, more than"
    for options in ((), ("--diff",), ("--jobs", "2")):
        assert check(*options) == (1, [f"{told} 5% (--max-torn)"])
    assert cli("clean", path, "-p", mined, "--dry-run").err.count("torn sentences in 2\n") == 1  # unasked
    assert cli("explain", path, "-p", mined, "-n", "0").out.count("; 2 cuts may tear a sentence or a headline\n") == 2
    assert check("--max-torn", share / 2) == (1, [f"{told} {50 * share:.4g}% (--max-torn)"])
    assert check("--max-torn", share) == (0, ["3 sources within the limits"])
    assert f" {share:.1%} " in cli("evaluate", "residue", path, "--packs", mined).out
    # One article may have been torn before; none may be if none is allowed.
    write(path, [*read(new), torn])
    assert check() == (0, ["3 sources within the limits"])
    assert check("--max-torn", 0)[0] == 1


def write_rows(path: Path, rows: list[dict[str, str]]) -> None:
    """Write records as JSON lines, or as a table."""
    if path.suffix != ".csv":
        write(path, rows)
        return
    with path.open("w", newline="") as stream:
        writer = csv.DictWriter(stream, rows[0])
        writer.writeheader()
        writer.writerows(rows)


@pytest.mark.parametrize("suffix", [".jsonl", ".csv"])
def test_check_names_sources_whose_cuts_leave_what_articles_share(
    cli: Cli, mined: Path, new: Path, tmp_path: Path, suffix: str
) -> None:
    """A promotion was cut in part, the rest of it stood in the articles, and nothing counted it."""
    cut = CALL.format(SOURCES[1].partition(".")[0].capitalize())
    rest = "All views are those of the author."
    stories = [one for one in read(new) if one["source"] == SOURCES[1]]
    path = tmp_path / f"rests{suffix}"

    def check(articles: int, *options: object) -> tuple[int | None, list[str]]:
        rows = [{**one, "text": f"{one['text']}\n{cut}\n{rest}"} for one in stories[:articles]]
        rows = [{key: one[key] for key in ("source", "id", "text")} for one in (*rows, *stories[articles:])]
        write_rows(path, rows)
        ran = cli("clean", path, "-p", mined, "--dry-run", "--check", "0.99", "--max-torn", "1", *options)
        return ran.code, [line.partition("check: ")[2] for line in ran.err.splitlines() if "check: " in line]

    share = 3 / len(stories)
    told = f"{SOURCES[1]} leaves rests that others share in {share:.1%} of {len(stories)} changed records, such as '{rest}'"
    assert check(3) == check(3, "--jobs", "2") == (1, [f"{told}, more than 5% (--max-rests)"])
    assert check(3, "--max-rests", share)[0] == check(2)[0] == 0


@pytest.mark.parametrize("suffix", [".jsonl", ".csv"])
def test_check_names_sources_of_which_nothing_takes_a_long_string(
    cli: Cli, mined: Path, new: Path, tmp_path: Path, suffix: str
) -> None:
    """Where no cut is, nothing was left beside one, and a block in a third of the articles was within the limits."""
    string = "All that is said in this block is said in many articles of the source, and no template takes it away"
    some = [
        {"source": SOURCES[1], "id": str(place), "text": f"Nobody came on the {'I' * (place + 1)}.\nIt rained."}
        for place in range(60)
    ]
    path = tmp_path / f"uncut{suffix}"

    def check(articles: int, *options: object) -> tuple[int | None, str]:
        rows = [{**one, "text": f"{one['text']}\n{string}"} for one in some[:articles]] + some[articles:]
        write_rows(path, rows)
        ran = cli("clean", path, "-p", mined, "--dry-run", "--check", *options)
        return ran.code, ran.err

    code, told = check(12)
    assert code == 1
    beginning = f"such as one of {len(string)} characters: '{string[:60]} …', more than 5% (--max-rests)"
    said = f"check: {SOURCES[1]} leaves strings that articles still share in 12 of 60 records (20.0%), {beginning}"
    assert f"templatemine: {said}\n" in told
    command = f"templatemine ask {mined} --archive {path}"
    assert told.splitlines()[-1] == f"to decide on strings that mining rejected: {command}"
    assert check(12, "--jobs", "2") == (code, told)
    assert check(12, "--max-rests", "0.2")[0] == check(9)[0] == 0


def test_a_sample_of_texts_does_not_depend_on_their_order() -> None:
    rows = [(f"text {number}", [(number, number + 1)]) for number in range(100)]
    one, others = TextSample(7), [TextSample(7) for _ in range(3)]
    for text, cuts in [*rows, *rows]:
        one.add(text, cuts)
    for place, (text, cuts) in enumerate(reversed(rows)):
        others[place % 3].add(text, cuts)
    merged = TextSample(7)
    for other in others:
        merged.merge(other)
    assert one.texts() == merged.texts()
    assert len(one.texts()) == 7
    assert all(row in rows for row in one.texts())


def test_a_sample_of_all_texts_has_those_of_the_least_hashes() -> None:
    """Whether they change or not, as text or in UTF-8."""
    rows = [(f"text {number} \udc80", [(0, 1)] if number % 3 else []) for number in range(100)]
    sample, encoded = TextSample[tuple[int, int]](20), TextSample[tuple[int, int]](20)
    for text, cuts in rows:
        sample.add(text, cuts)
        encoded.add(text.encode("utf-8", "surrogatepass"), cuts)
    least = sorted(rows, key=lambda row: crc32(row[0].encode("utf-8", "surrogatepass")))
    assert sample.texts_of_all() == encoded.texts_of_all() == least[:20]
    assert sample.texts() == [row for row in least if row[1]][:20]


@pytest.mark.parametrize("suffix", [".jsonl", ".csv"])
def test_a_sentence_of_boilerplate_of_which_a_kind_stays_is_not_torn(
    cli: Cli, mined: Path, tmp_path: Path, suffix: str
) -> None:
    """The more kinds were kept, the more of the cuts beside them counted."""
    words = {"Follow the Harbour News on": "sharing", "facebook, and write to the desk.": "contact"}
    rules = [
        Rule(action="accept", tokens=tuple(one.split()), df=9, count=9, example=one, kind=kind)
        for one, kind in words.items()
    ]
    apply_rules(Pack.load(mined / "alpha.example.json"), (), rules).save(tmp_path / "alpha.example.json")
    texts = [f"It was late.\n{' '.join(words)}\nThe end.", "It was late.\nFollow the Harbour News on foot, he said."]
    rows = [{"source": "alpha.example", "id": str(place), "text": one} for place, one in enumerate(texts * 2)]
    path = write(tmp_path / "rows.jsonl", rows)
    if suffix == ".csv":
        path = tmp_path / "rows.csv"
        path.write_text("source,id,text\n" + "".join('alpha.example,{id},"{text}"\n'.format(**one) for one in rows))
    for keep in ((), ("--keep", "contact")):
        facts = json.loads(cli("clean", path, "-p", tmp_path, "--dry-run", "--json", *keep).out)
        assert (facts["torn"], facts["torn_looked"]) == (2, 4)  # the sentences of a story
        told = cli("explain", path, "-p", tmp_path, "-n", "0", *keep).out
        assert told.count("; 1 cut may tear a sentence") == 2


@pytest.mark.parametrize("suffix", [".jsonl", ".csv"])
def test_a_summary_tells_torn_sentences_and_what_shows_the_template(
    cli: Cli, mined: Path, new: Path, tmp_path: Path, suffix: str
) -> None:
    """What only --dry-run said, cleaning does not hide; and the commands that are printed end it."""
    packs = shutil.copytree(mined, tmp_path / "packs")
    cut = CALL.format(SOURCES[1].partition(".")[0].capitalize())
    torn = {"id": "t 1", "source": SOURCES[1], "text": f"The mayor said that\n{cut}\nnobody came."}
    rows = [{name: row[name] for name in torn} for row in read(new)]
    path = write(tmp_path / "torn.jsonl", [torn, *rows])
    run = ("clean", path, "-p", packs, "-o", tmp_path / f"t{suffix}", "--force")
    told, explain = cli(*run).err.splitlines()[-2:]
    assert told.startswith("torn sentences in at least 1 of ")
    assert told.endswith(f"such as: The mayor said that [-{cut}-] nobody came.")
    words = shlex.split(explain.partition("which template does it: templatemine ")[2])
    assert words == ["explain", str(path), "--packs", str(packs), "--id", "t 1"]
    named = re.search(r"\d!} by (\w+)", cli(*words).out)
    assert named is not None
    reject = ("ask", packs, "--only", SOURCES[1], "--reject", named[1], "--by", "ann")
    done = cli(*reject)
    assert (done.code, done.out) == (0, "")
    assert done.err.endswith(" is cut no more\n")
    (rule,) = Pack.load(packs / f"{SOURCES[1]}.json").overrides.rules
    assert (rule.action, rule.id, rule.by) == ("reject", named[1], "ann")
    assert "torn sentences" not in cli(*run).err
    assert cli(*reject).err.endswith(" is not cut already\n")


def test_tears_are_told_wherever_they_stand(cli: Cli, mined: Path, new: Path, tmp_path: Path) -> None:
    """Behind lines that are skipped, blank, stubs or many others, and in whatever format: all runs tell of them."""
    cut = CALL.format(SOURCES[1].partition(".")[0].capitalize())
    torn = json.dumps({"source": SOURCES[1], "id": "odd", "text": f"The mayor said that\n{cut}\nnobody came."})
    stub = json.dumps({"source": SOURCES[1], "text": cut})
    many = new.read_text(encoding="utf-8") * 40
    path = tmp_path / "odd.jsonl"
    for before in ("", "\n", '{"text": 1}\n', f"{stub}\n", many):
        path.write_text(f"{before}{torn}\n", encoding="utf-8")
        for more in (["-o", tmp_path / "o.jsonl"], ["-o", tmp_path / "o.parquet"], ["--dry-run"], ["--found"]):
            options = [*more, "--force", "--stubs", "drop"]
            said = cli("clean", path, "-p", mined, *options).err
            assert "torn sentences in 1\n" in said, (before[:20], more)
            assert "such as: The mayor said that [-" in said
            assert "--id odd" in said


def test_tears_in_long_texts_and_labels_are_of_dry_run(cli: Cli, mined: Path, tmp_path: Path) -> None:
    """To look at all of them would cost more than to clean."""
    cut = CALL.format(SOURCES[1].partition(".")[0].capitalize())
    text = f"The mayor said that\n{cut}\nnobody came. " + "It went on. " * 2_000
    path = tmp_path / "long.jsonl"
    path.write_text(json.dumps({"source": SOURCES[1], "text": text}) + "\n", encoding="utf-8")
    for mode, looked in (("-o", 0), ("--dry-run", 1)):
        options = [mode, tmp_path / "o.jsonl"] if mode == "-o" else [mode]
        facts = json.loads(cli("clean", path, "-p", mined, *options, "--json").out)
        assert (facts["torn"], facts["torn_looked"]) == (looked, looked)


def test_gap(cli: Cli, mined: Path, tmp_path: Path) -> None:
    new = write(
        tmp_path / "n.jsonl",
        [{"source": "alpha.example", "text": f"{CALL.format('Alpha')}\nabc def\n{CREDIT.format('Alpha')}"}],
    )
    for gap, left in (("0", "abc def"), ("20", "")):
        assert cli("clean", new, "-p", mined, "-o", tmp_path / gap, "--gap", gap, "--guard", "1").code == 0
        assert read(tmp_path / gap)[0]["text"] == left


def test_an_article_that_is_boilerplate_alone_is_marked_and_told(cli: Cli, mined: Path, tmp_path: Path) -> None:
    stub = {"source": "alpha.example", "text": CALL.format("Alpha")}
    new = write(tmp_path / "n.jsonl", [stub])
    ran = cli("clean", new, "-p", mined, "-o", tmp_path / "b.jsonl")
    assert "1 with more than 90% boilerplate: stubs, marked" in ran.err
    assert "(100.0%)  more than half is removed; 1 stub\n" in ran.err
    (row,) = read(tmp_path / "b.jsonl")
    assert (row["text"], len(row["removed"]), row["removed_stub"]) == ("", 1, True)
    ran = cli("clean", new, "-p", mined, "-o", tmp_path / "c.jsonl", "--stubs", "keep")
    assert "1 with more than 90% boilerplate: stubs, left whole" in ran.err
    marked = cli("clean", new, "-p", mined, "-o", tmp_path / "d.jsonl", "--mark").err
    assert "1 with more than 90% boilerplate: stubs, marked" in marked
    assert read(tmp_path / "c.jsonl") == [{**stub, "removed": [], "removed_stub": True}]
    ran = cli("clean", new, "-p", mined, "-o", tmp_path / "d.jsonl", "--guard", "1", "--stubs", "keep")
    assert "removed_stub" not in read(tmp_path / "d.jsonl")[0]
    assert cli("clean", new, "-p", mined, "-o", tmp_path / "e.jsonl", "--guard", "2").code == 2


def test_standard_input_and_output(program: Cli, mined: Path, new: Path, tmp_path: Path) -> None:
    assert program("clean", new, "-p", mined, "-o", tmp_path / "c.jsonl").code == 0
    ran = program("clean", "-", "-p", mined, "-o", "-", "--json", stdin=new.read_bytes())
    assert ran.out.encode() == (tmp_path / "c.jsonl").read_bytes()
    assert json.loads(ran.err)["records"] == 60
    ran = program("clean", "-", "-p", mined, "-o", "-", stdin=new.read_bytes())
    assert ran.out.encode() == (tmp_path / "c.jsonl").read_bytes()
    assert "60 records written to standard output" in ran.err


def test_gzip_in_and_out(cli: Cli, mined: Path, new: Path, tmp_path: Path) -> None:
    packed = tmp_path / "n.jsonl.gz"
    packed.write_bytes(gzip.compress(new.read_bytes()))
    assert cli("clean", packed, "-p", mined, "-o", tmp_path / "c.jsonl.gz").code == 0
    assert cli("clean", new, "-p", mined, "-o", tmp_path / "c.jsonl").code == 0
    assert gzip.decompress((tmp_path / "c.jsonl.gz").read_bytes()) == (tmp_path / "c.jsonl").read_bytes()


def test_several_inputs_and_a_folder(cli: Cli, mined: Path, tmp_path: Path) -> None:
    folder = tmp_path / "pages" / "alpha.example"
    folder.mkdir(parents=True)
    (folder / "1.txt").write_text("Story.\n" + CALL.format("Alpha"))
    one = write(tmp_path / "alpha.example.jsonl", [{"text": "Other.\n" + CALL.format("Alpha")}])
    assert cli("clean", one, tmp_path / "pages", "-p", mined, "-o", tmp_path / "c.jsonl").code == 0
    first, second = read(tmp_path / "c.jsonl")
    assert first["text"] == "Other."
    assert list(first) == ["text", "removed"]
    assert (second["id"], second["source"], second["text"]) == ("alpha.example/1.txt", "alpha.example", "Story.")


def test_an_empty_input_gives_an_empty_output(cli: Cli, mined: Path, tmp_path: Path) -> None:
    ran = cli("clean", write(tmp_path / "n.jsonl", []), "-p", mined, "-o", tmp_path / "c.jsonl")
    assert ran.code == 0
    assert (tmp_path / "c.jsonl").read_bytes() == b""
    assert ran.err == f"{tmp_path}/n.jsonl: no documents; the output is empty\n"
    for look in ("--dry-run", "--diff"):
        assert cli("clean", tmp_path / "n.jsonl", "-p", mined, look).err == (
            f"{tmp_path}/n.jsonl: no documents; nothing would change\n"
        )


def test_a_diff_is_no_json(cli: Cli, mined: Path, tmp_path: Path) -> None:
    """The option was passed over without a word."""
    ran = cli("clean", write(tmp_path / "n.jsonl", records(documents=2)), "-p", mined, "--diff", "--json")
    assert ran.error == "--diff and --json: expected one of them, got both; explain --json prints every cut as JSON"
    assert ran.out == ""


# ------------------------------------------------------------------------------------------- which pack, which field


def test_without_a_pack_a_record_is_passed_on(cli: Cli, mined: Path, tmp_path: Path) -> None:
    lines = [
        {"source": "other.example", "text": CALL.format("Alpha"), "x": [1]},
        {"source": "alpha.example", "text": "a"},
    ]
    ran = cli("clean", write(tmp_path / "n.jsonl", lines), "-p", mined, "-o", tmp_path / "c.jsonl")
    assert ran.code == 0
    assert read(tmp_path / "c.jsonl") == [lines[0], {**lines[1], "removed": []}]
    assert "no pack: unchanged" in ran.err
    assert "1 without a pack (unchanged)" in ran.err


def test_where_no_record_has_a_pack_it_is_told_how_sources_are_named(cli: Cli, mined: Path, tmp_path: Path) -> None:
    lines = [{"url": f"https://alpha.example/{number}", "text": CALL.format("Alpha")} for number in range(2)]
    path = write(tmp_path / "new.jsonl", lines)
    ran = cli("clean", path, "-p", mined, "-o", tmp_path / "c.jsonl")
    assert ran.code == 1
    assert ran.err.splitlines()[-1].startswith(
        "templatemine: no pack matches, all records are unchanged: they are of new, the packs of alpha.example"
    )
    assert "name their source with --source, " in ran.err
    assert read(tmp_path / "c.jsonl") == lines
    for options in (("--quiet",), ("--dry-run",), ("--diff",), ("--json",), ("--engine", "regex")):
        ran = cli("clean", path, "-p", mined, "-o", tmp_path / "c.jsonl", "--force", *options)
        assert ran.code == 1
        assert "no pack matches" in ran.err
    ran = cli("clean", path, "-p", mined, "-o", tmp_path / "c.jsonl", "--source-of", "host", "--force")
    assert "no pack matches" not in ran.err


def test_the_pack_says_which_source_it_is_for(cli: Cli, mined: Path, tmp_path: Path) -> None:
    shutil.copy(mined / "alpha.example.json", tmp_path / "beta.example.json")
    lines = [
        {"source": "alpha.example", "text": "A short story.\n" + CALL.format("Alpha")},
        {"source": "beta.example", "text": "B.\n" + CALL.format("Beta")},
    ]
    new = write(tmp_path / "n.jsonl", lines)
    assert cli("clean", new, "-p", tmp_path / "beta.example.json", "-o", tmp_path / "c.jsonl").code == 0
    first, second = read(tmp_path / "c.jsonl")
    assert first["text"] == "A short story."
    assert second == lines[1]


def test_the_shared_pack_is_for_sources_without_one_if_asked_for(cli: Cli, tmp_path: Path) -> None:
    note = "All papers of the Northern Press Group are paid for by their readers."
    rows = records([f"paper{number}.example" for number in range(6)], 12)
    rows = [{**row, "text": f"{row['text']}\n\n{note}"} for row in rows]
    packs = tmp_path / "packs"
    ran = cli("mine", write(tmp_path / "a.jsonl", rows), "-o", packs, "--shared")
    assert ran.code == 0
    assert (packs / "_shared.json").exists()
    assert "_shared" in ran.err
    assert cli("mine", tmp_path / "a.jsonl", "-o", packs, "--shared").error.endswith(
        "or use --force to replace the packs of the sources of this archive"
    )
    new = write(tmp_path / "n.jsonl", [{"source": "new.example", "text": f"A short story.\n\n{note}"}])
    assert cli("clean", new, "-p", packs, "-o", tmp_path / "c.jsonl").code == 1
    assert read(tmp_path / "c.jsonl") == [{"source": "new.example", "text": f"A short story.\n\n{note}"}]
    ran = cli("clean", new, "-p", packs, "-o", tmp_path / "d.jsonl", "--fallback", "_shared")
    assert ran.code == 0
    assert "1 whose source has no pack: cleaned with the pack of _shared" in ran.err
    assert read(tmp_path / "d.jsonl")[0]["text"] == "A short story."
    ran = cli("clean", new, "-p", packs, "-o", tmp_path / "e.jsonl", "--fallback", "nobody")
    assert ran.error == "--fallback: expected the source of a pack that is there, got 'nobody'"
    ran = cli("clean", new, "-p", packs / "paper1.example.json", "--dry-run", "--fallback", "_shared")
    assert ran.error.endswith("of a pack that is there, got '_shared'; mine --shared makes it of sources with packs")
    near = cli("clean", new, "-p", packs, "--fallback", "_shard").error
    assert near.endswith("; did you mean _shared?")
    ran = cli("clean", new, "-p", packs, "--diff", "--fallback", "_shared")
    assert f"-{note}" in ran.out


def test_why_there_is_no_shared_pack_is_told(cli: Cli, tmp_path: Path) -> None:
    """The folder had no _shared.json, and nothing said so; and it was counted as a source."""
    small = records([f"paper{number}.example" for number in range(30)], 3)
    archive = write(tmp_path / "a.jsonl", [*small, *records(["large.example"], 12)])
    ran = cli("mine", archive, "-o", tmp_path / "packs", "--shared")
    told = "no shared pack: 1 source of text with packs, at least 5 are needed (--shared-sources, --min-docs)"
    assert ran.code == 0
    assert told in ran.err.splitlines()
    ran = cli("mine", write(tmp_path / "s.jsonl", small), "-o", tmp_path / "none", "--shared")
    assert ran.code == 1
    assert "found 30 sources, the largest 'paper0.example' with 3 documents" in ran.err


def test_a_shared_pack_without_templates_is_told(cli: Cli, tmp_path: Path) -> None:
    sources = [f"{name}.example" for name in ("alpha", "beta", "gamma", "delta", "sigma")]
    rows = records(sources, 12)
    for row in rows:
        row["text"] = "\n".join(line for line in row["text"].splitlines() if not line.startswith("Sign up"))
    archive, packs = write(tmp_path / "a.jsonl", rows), tmp_path / "packs"
    ran = cli("mine", archive, "-o", packs, "--shared")
    assert ran.code == 0
    assert Pack.load(packs / "_shared.json").templates == ()
    row = next(line for line in ran.err.splitlines() if line.startswith("_shared"))
    assert row.endswith("no string is boilerplate in at least 5 of 5 sources, and in 50% of those that have it")
    assert "no string is shared: _shared cuts nothing as a fallback of clean" in ran.err.splitlines()
    assert "no string is shared" not in cli("mine", archive, "-o", packs, "--force").err
    new = write(tmp_path / "n.jsonl", [{"source": "new.example", "text": "A story."}, rows[0]])
    ran = cli("clean", new, "-p", packs, "-o", tmp_path / "c.jsonl", "--fallback", "_shared")
    assert ran.code == 0
    row = next(line for line in ran.err.splitlines() if line.startswith("new.example"))
    assert row.endswith("no pack: unchanged, for the fallback has no templates")
    assert "1 whose source has no pack: the pack of _shared has no templates (unchanged)" in ran.err.splitlines()


def test_single_packs(cli: Cli, mined: Path, new: Path, tmp_path: Path) -> None:
    packs = [mined / f"{source}.json" for source in SOURCES[:2]]
    ran = cli("clean", new, "-p", packs[0], "-p", packs[1], "-o", tmp_path / "c.jsonl", "--json")
    assert json.loads(ran.out)["no_pack"] == 20


def test_html(cli: Cli, mined_html: Path, tmp_path: Path) -> None:
    lines = [page(one) for one in records(["page.example"], 10, seed=5)]
    ran = cli("clean", write(tmp_path / "n.jsonl", lines), "-p", mined_html, "-o", tmp_path / "c.jsonl")
    assert ran.code == 0
    for old, fresh in zip(lines, read(tmp_path / "c.jsonl"), strict=True):
        assert fresh["html"] == old["html"]
        assert "<" not in fresh["text"]
        assert "Home" not in fresh["text"]
        assert "Sign up" not in fresh["text"]
        assert len(fresh["text"].split()) == 123
        assert old["html"][fresh["removed"][0]["start"] :].startswith("<html>")


def test_kinds_that_do_not_fit(cli: Cli, mined: Path, mined_html: Path, tmp_path: Path) -> None:
    lines: list[dict[str, Any]] = [
        {"source": "alpha.example", "html": "<p>x</p>"},
        {"source": "page.example", "text": "x"},
        {"source": "alpha.example", "html": "<p>x</p>", "text": "A short story.\n" + CALL.format("Alpha")},
        {"source": "page.example", "html": "<p>x</p>", "text": "y"},
        {"source": "alpha.example", "html": "<p>x</p>", "text": None},
        {"source": "page.example", "html": "", "text": "A story that is not lost."},
    ]
    ran = cli("clean", write(tmp_path / "n.jsonl", lines), "-p", mined, "-p", mined_html, "-o", tmp_path / "c.jsonl")
    after = read(tmp_path / "c.jsonl")
    assert [after[0], after[1], after[4:]] == [lines[0], lines[1], lines[4:]]
    assert after[2]["text"] == "A short story."
    assert after[3]["text"] == "x"
    assert "4 of another kind (HTML or text) than their pack (unchanged)" in ran.err
    assert "2 unchanged: the pack is for the other kind (HTML or text)" in ran.err


def test_a_field_removed_is_replaced_and_counted(cli: Cli, mined: Path, tmp_path: Path) -> None:
    new = write(
        tmp_path / "n.jsonl",
        [{"removed": "yesterday", "source": "alpha.example", "text": CALL.format("Alpha") + "\nA short story."}],
    )
    ran = cli("clean", new, "-p", mined, "-o", tmp_path / "c.jsonl")
    assert "1 with a field 'removed' that was replaced" in ran.err
    (fresh,) = read(tmp_path / "c.jsonl")
    assert list(fresh) == ["removed", "source", "text"]
    assert fresh["removed"][0]["start"] == 0
    ran = cli("clean", new, "-p", mined, "-o", tmp_path / "d.jsonl", "--removed-field", "cut")
    assert "replaced" not in ran.err
    (fresh,) = read(tmp_path / "d.jsonl")
    assert fresh["removed"] == "yesterday"
    assert fresh["cut"][0]["start"] == 0
    assert (
        "expected a name of its own"
        in cli("clean", new, "-p", mined, "-o", tmp_path / "e.jsonl", "--removed-field", "text").error
    )


def test_fields_by_option(cli: Cli, mined: Path, tmp_path: Path) -> None:
    new = write(
        tmp_path / "n.jsonl", [{"paper": "alpha.example", "body": "A short story.\n" + CALL.format("Alpha"), "text": 7}]
    )
    assert (
        cli(
            "clean", new, "-p", mined, "-o", tmp_path / "c.jsonl", "--text-field", "body", "--source-field", "paper"
        ).code
        == 0
    )
    (fresh,) = read(tmp_path / "c.jsonl")
    assert (fresh["body"], fresh["text"]) == ("A short story.", 7)


# ---------------------------------------------------------------------------------------------------- what is refused


def test_an_output_that_exists(cli: Cli, mined: Path, new: Path, tmp_path: Path) -> None:
    (tmp_path / "c.jsonl").write_text("mine")
    ran = cli("clean", new, "-p", mined, "-o", tmp_path / "c.jsonl")
    assert ran.error == f"{tmp_path}/c.jsonl: exists; use --force to replace it"
    assert (tmp_path / "c.jsonl").read_text() == "mine"
    assert cli("clean", new, "-p", mined, "-o", tmp_path / "c.jsonl", "--force").code == 0
    assert len(read(tmp_path / "c.jsonl")) == 60


def test_the_output_lies_in_the_input_folder(cli: Cli, mined: Path, new: Path, tmp_path: Path) -> None:
    """The next run read it again, and every article twice."""
    folder = tmp_path / "in"
    (folder / "deep").mkdir(parents=True)
    (folder / "a.jsonl").write_bytes(new.read_bytes())
    for output in (folder / "out.jsonl", folder / "deep" / "out.jsonl.gz"):
        error = cli("clean", folder, "-p", mined, "-o", output).error
        assert f"lies in the input folder {folder}, and would be read with it" in error
        assert not output.exists()
    assert cli("clean", folder, "-p", mined, "-o", tmp_path / "out.jsonl").code == 0
    # Where there are texts, nothing else is read.
    (folder / "a.txt").write_text("Words.")
    assert cli("clean", folder, "-p", mined, "-o", folder / "out.jsonl").code == 1  # none has a pack
    assert cli("clean", folder, "-p", mined, "-o", folder / "out.jsonl", "--force").code == 1


def test_the_output_is_an_input_or_a_pack(cli: Cli, mined: Path, new: Path, tmp_path: Path) -> None:
    content = new.read_bytes()
    (tmp_path / "link.jsonl").symlink_to(new)
    os.link(new, tmp_path / "hard.jsonl")
    for name in ("new.jsonl", "link.jsonl", "hard.jsonl"):
        assert (
            "is an input; the output must be another file"
            in cli("clean", new, "-p", mined, "-o", tmp_path / name, "--force").error
        )
    pack = mined / "alpha.example.json"
    assert "is a pack; the output must be another file" in cli("clean", new, "-p", mined, "-o", pack, "--force").error
    assert new.read_bytes() == content
    assert Pack.load(pack)


@pytest.mark.parametrize(
    ("edit", "message"),
    [
        (lambda pack: pack["templates"][0].update(tokens=None, regex="(?=a)a+$"), "uses a look-around"),
        (lambda pack: pack["templates"][0].update(tokens=None, regex="(("), "regex: does not compile"),
        (lambda pack: pack["templates"][0].update(tokens=None, regex="nowhere"), "does not match its own example"),
        (lambda pack: pack.update(schema=99), "it is from a newer version; upgrade templatemine"),
        (lambda pack: pack.pop("cutoff"), "the field 'cutoff' is missing"),
    ],
)
def test_packs_that_cannot_be_trusted(
    cli: Cli, mined: Path, new: Path, tmp_path: Path, edit: Any, message: str
) -> None:
    shutil.copytree(mined, tmp_path / "packs")
    bad = tmp_path / "packs" / "beta.example.json"
    pack = json.loads(bad.read_text())
    edit(pack)
    bad.write_text(json.dumps(pack))
    before = everything(tmp_path)
    ran = cli("clean", new, "-p", bad, "-o", tmp_path / "c.jsonl")
    assert ran.error.startswith(f"{bad}: ")
    assert message in ran.error
    ran = cli("clean", new, "-p", tmp_path / "packs", "-o", tmp_path / "c.jsonl", "--strict")
    assert ran.code == 1
    assert ran.err.startswith(f"templatemine: error: {bad}: ")
    assert message in ran.err
    assert everything(tmp_path) == before
    ran = cli("clean", new, "-p", tmp_path / "packs", "-o", tmp_path / "c.jsonl")
    assert ran.code == 1
    assert f"pack skipped: {bad}: " in ran.err
    assert message in ran.err


@pytest.mark.parametrize("jobs", [1, 2])
@pytest.mark.parametrize("slow", [False, True])
def test_packs_of_other_sources_are_not_read(
    cli: Cli, mined: Path, new: Path, tmp_path: Path, jobs: int, slow: bool
) -> None:
    shutil.copytree(mined, tmp_path / "packs")
    bad = tmp_path / "packs" / "beta.example.json"
    bad.write_text(bad.read_text().replace('"tokens":', '"tokenz":'))
    rows = [json.loads(line) for line in new.read_text().splitlines()]
    mine = [row for row in rows if row["source"] == "alpha.example"]
    times = 10 if slow else 200  # several batches
    for name, some in (("mine", mine), ("all", rows)):
        (tmp_path / f"{name}.jsonl").write_text("".join(json.dumps(row) + "\n" for row in some * times))
    more = ["--jobs", jobs, *(["--engine", "regex"] if slow else [])]
    packs = tmp_path / "packs"
    assert cli("clean", tmp_path / "mine.jsonl", "-p", packs, "-o", tmp_path / "c.jsonl", *more).code == 0
    ran = cli("clean", tmp_path / "all.jsonl", "-p", packs, "-o", tmp_path / "d.jsonl", *more)
    assert ran.code == 1
    assert ran.err.count(f"pack skipped: {bad}: templates[0]: the field 'tokens' is missing") == 1
    others = [row for row in rows if row["source"] == "beta.example"]
    assert f"{times * len(others):,} whose source has a pack with an error (unchanged)" in ran.err
    cleaned = [json.loads(line) for line in (tmp_path / "d.jsonl").read_text().splitlines()]
    assert [row for row in cleaned if row["source"] == "beta.example"] == others * times
    assert [row for row in cleaned if row["source"] == "alpha.example"] == [
        json.loads(line) for line in (tmp_path / "c.jsonl").read_text().splitlines()
    ]
    ran = cli("clean", tmp_path / "all.jsonl", "-p", packs, "-o", tmp_path / "e.jsonl", "--strict", *more)
    assert ran.code == 1
    assert not (tmp_path / "e.jsonl").exists()


@pytest.mark.parametrize("content", ["junk", "[1, 2]", '{"templates": [], "source": 5}'])
def test_a_pack_that_does_not_tell_its_source(cli: Cli, mined: Path, new: Path, tmp_path: Path, content: str) -> None:
    packs = shutil.copytree(mined, tmp_path / "packs")
    (packs / "beta.example.json").unlink()
    (packs / "renamed.json").write_text(content)
    ran = cli("clean", new, "-p", packs, "-o", tmp_path / "c.jsonl")
    assert ran.code == 1
    assert ran.err.count(f"pack skipped: {packs / 'renamed.json'}: ") == 1
    assert "without a pack (unchanged)" in ran.err
    assert cli("clean", new, "-p", packs, "-o", tmp_path / "d.jsonl", "--strict").code == 1
    assert not (tmp_path / "d.jsonl").exists()
    shutil.copy(mined / "beta.example.json", packs)  # all have a pack: nobody misses it
    assert cli("clean", new, "-p", packs, "-o", tmp_path / "e.jsonl").code == 0


def test_packs_that_are_none(cli: Cli, mined: Path, new: Path, tmp_path: Path) -> None:
    (tmp_path / "none").mkdir()
    (tmp_path / "text.json").write_text("hello")
    shutil.copy(mined / "alpha.example.json", tmp_path / "none.json")
    for packs, message in (
        ([tmp_path / "gone"], "gone: there is no such pack or folder of packs"),
        ([tmp_path / "none"], "expected a folder with packs, found no .json file in it"),
        ([tmp_path / "text.json"], "text.json: not JSON"),
        (
            [mined, tmp_path / "none.json"],
            f"expected one pack a source, found a second one for 'alpha.example'; the first is {mined}/alpha",
        ),
    ):
        assert (
            message
            in cli("clean", new, *(part for pack in packs for part in ("-p", pack)), "-o", tmp_path / "c.jsonl").error
        )
        assert not (tmp_path / "c.jsonl").exists()


def test_an_input_behind_the_packs(cli: Cli, mined: Path, new: Path, tmp_path: Path) -> None:
    assert cli("clean", "-p", mined, new, "-o", tmp_path / "a.jsonl").code == 0
    assert cli("clean", new, "-p", mined, "-o", tmp_path / "b.jsonl").code == 0
    assert (tmp_path / "a.jsonl").read_bytes() == (tmp_path / "b.jsonl").read_bytes()


def test_without_an_output_records_go_to_standard_output(
    cli: Cli, program: Cli, mined: Path, new: Path, tmp_path: Path
) -> None:
    cli("clean", new, "-p", mined, "-o", tmp_path / "c.jsonl")
    assert program("clean", "-p", mined, new).out == (tmp_path / "c.jsonl").read_text()


def test_not_one_record_that_can_be_read(cli: Cli, mined: Path, tmp_path: Path) -> None:
    """A field of another name: no empty file that looks like a result."""
    new = write(tmp_path / "n.jsonl", [{"body": "x", "id": number} for number in range(8)])
    out = tmp_path / "c.jsonl"
    for args in (
        ("clean", new, "-p", mined, "-o", out),
        ("clean", new, "-p", mined, "--dry-run"),
        ("clean", new, "-p", mined, "--diff"),
        ("extract", new, "-o", out),
        ("explain", new, "--packs", mined),
        ("evaluate", "injection", new),
        ("mine", new, "-o", tmp_path / "packs"),
    ):
        ran = cli(*args)
        assert (ran.code, ran.out) == (2, ""), args
        assert ran.err.endswith(
            "expected documents, found 8 that cannot be read, all for one reason: expected a field 'text' or 'html', "
            "found only 'body', 'id' (--text-field names another; --text-field body?)\n"
        ), args
        assert ran.err.count("more\n") == 1, args
        assert not out.exists()
    assert "found only 'body', 'id' (--text-field names another; --text-field body?)" in ran.err
    empty = write(tmp_path / "empty.jsonl", [])
    assert cli("clean", empty, "-p", mined, "-o", out).code == 0
    assert out.read_bytes() == b""


def test_bad_records(cli: Cli, mined: Path, tmp_path: Path) -> None:
    new = write(tmp_path / "n.jsonl", [*(b"bad" for _ in range(8)), *records(documents=1)])
    ran = cli("clean", new, "-p", mined, "-o", tmp_path / "c.jsonl")
    assert ran.code == 1
    assert ran.err.count("templatemine: skipped: ") == 6
    assert "templatemine: skipped: and 3 more\n" in ran.err
    assert ran.err.endswith("\n8 skipped\n")
    assert len(read(tmp_path / "c.jsonl")) == 3
    ran = cli("clean", new, "-p", mined, "-o", tmp_path / "d.jsonl", "--strict")
    assert ran.code == 1
    assert ran.err.startswith(f"templatemine: error: {new}:1: ")
    assert not (tmp_path / "d.jsonl").exists()


@pytest.mark.parametrize("jobs", ["1", "2"])
def test_truncated_gzip(
    cli: Cli, mined: Path, new: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, jobs: str
) -> None:
    monkeypatch.setattr(batches, "BATCH_RECORDS", 7)
    packed = tmp_path / "n.jsonl.gz"
    packed.write_bytes(gzip.compress(new.read_bytes())[:-200])
    before = everything(tmp_path)
    ran = cli("clean", packed, "-p", mined, "-o", tmp_path / "c.jsonl", "--jobs", jobs)
    assert ran.code == 1
    assert "the gzip data ends too early" in ran.err
    whole = read(tmp_path / "c.jsonl")
    assert [one["id"] for one in whole] == [one["id"] for one in read(new)[: len(whole)]]
    (tmp_path / "c.jsonl").unlink()
    assert cli("clean", packed, "-p", mined, "-o", tmp_path / "c.jsonl", "--jobs", jobs, "--strict").code == 1
    assert everything(tmp_path) == before


def test_a_full_disk(program: Cli, mined: Path, new: Path, tmp_path: Path) -> None:
    ran = program("clean", new, "-p", mined, "-o", "/dev/full")
    assert ran.error == "/dev/full: cannot be written: No space left on device"
    with open("/dev/full", "wb") as full:
        done = subprocess.run(
            command("clean", new, "-p", mined, "-o", "-"), stdout=full, stderr=subprocess.PIPE, check=False
        )
    assert done.returncode == 2
    assert done.stderr == b"templatemine: error: stdout: cannot be written: No space left on device\n"
    before = everything(tmp_path)
    ran = program("clean", new, "-p", mined, "-o", tmp_path / "c.jsonl", preexec_fn=no_large_files)
    assert ran.error == f"{tmp_path}/c.jsonl: cannot be written: File too large"
    assert everything(tmp_path) == before


@pytest.mark.parametrize("jobs", ["1", "2"])
def test_a_reader_that_has_had_enough(mined: Path, tmp_path: Path, jobs: str) -> None:
    new = write(tmp_path / "n.jsonl", records(documents=500))
    with subprocess.Popen(
        command("clean", new, "-p", mined, "-o", "-", "--jobs", jobs), stdout=subprocess.PIPE, stderr=subprocess.PIPE
    ) as running:
        assert running.stdout is not None
        assert running.stderr is not None
        assert running.stdout.readline().startswith(b'{"id"')
        running.stdout.close()
        assert b"error" not in running.stderr.read()
    assert running.returncode == 0


def test_articles_are_cleaned_without_what_only_pages_need(mined: Path, mined_html: Path, tmp_path: Path) -> None:
    """Their import takes longer than all the rest; pages load them with the first page."""
    heavy = ["numpy", "multiprocessing", "hashlib", "templatemine._core", "templatemine.pages.main_text"]
    texts = write(tmp_path / "texts.jsonl", records(documents=2))
    pages = write(tmp_path / "pages.jsonl", [page(one) for one in records(["page.example"], documents=2)])

    def loaded(new: Path, packs: Path) -> str:
        arguments = ["clean", str(new), "-p", str(packs), "-o", str(tmp_path / "c.jsonl"), "-f", "-q"]
        run = f"from templatemine.__main__ import main; assert main({arguments}) == 0"
        code = f"import sys; {run}; print([name for name in {heavy!r} if name in sys.modules])"
        return subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout.strip()

    assert loaded(texts, mined) == "[]"
    assert loaded(pages, mined_html) == "['numpy', 'templatemine.pages.main_text']"
    assert all(one["removed"] for one in read(tmp_path / "c.jsonl"))


def test_json_lines_become_tables(cli: Cli, mined: Path, tmp_path: Path) -> None:
    """All outputs with columns were refused, although all records had the same fields."""
    pq = pytest.importorskip("pyarrow.parquet")
    rows = records(["alpha.example"], 6)
    for number, row in enumerate(rows):
        row |= {"words": number, "score": number / 2, "labels": ["a", "b"], "more": {"a": 1, str(number): None}}
        row["maybe"] = None if number % 2 else "yes"
    new = write(tmp_path / "new.jsonl", rows)
    for name in ("o.jsonl", "o.parquet", "o.csv", "o.arrow"):
        assert cli("clean", new, "-p", mined, "-o", tmp_path / name, "-q").code == 0
    plain, table = read(tmp_path / "o.jsonl"), pq.read_table(tmp_path / "o.parquet").to_pylist()
    for one, row in zip(plain, table, strict=True):
        for field in ("id", "text", "words", "score", "labels", "maybe"):
            assert row[field] == one[field]
        assert [cut["start"] for cut in row["removed"]] == [cut["start"] for cut in one["removed"]]
        for field in ("more", "tags"):  # objects, and lists of different types
            assert json.loads(row[field]) == one[field]
    assert (tmp_path / "o.csv").read_text(encoding="utf-8").count("alpha.example/") == 6

    other = "expected records with the same fields as the first, found 'other' in record {} (id 'alpha.example/"
    wrong = write(tmp_path / "wrong.jsonl", [*rows[:4], {**rows[4], "other": 1}])
    assert other.format(5) in cli("clean", wrong, "-p", mined, "-o", tmp_path / "e.csv").error
    assert not (tmp_path / "e.csv").exists()
    many = [rows[0]] * 20_000
    for change, told in (
        ({"other": 1}, other.format("20,001")),
        ({"words": "many"}, "record 20,001: expected values of field 'words' that its column in the output can hold"),
    ):
        wrong = write(tmp_path / "wrong.jsonl", [*many, {**rows[0], **change}])
        assert told in cli("clean", wrong, "-p", mined, "-o", tmp_path / "e.parquet").error


def test_what_there_was_nothing_to_do_for_is_told(cli: Cli, mined: Path, new: Path, tmp_path: Path) -> None:
    """Nothing was said of stubs that were asked for, and of a pack that cuts nothing no more than of one that does."""
    for option, told in (("drop", "left out"), ("keep", "left whole")):
        said = cli("clean", new, "-p", mined, "-o", tmp_path / "c.jsonl", "--force", "--stubs", option).err
        assert f"no stubs are {told}: no record has more than 90% boilerplate (--guard)\n" in said
    assert "stubs" not in cli("clean", new, "-p", mined, "-o", tmp_path / "c.jsonl", "--force").err
    packs = Path(shutil.copytree(mined, tmp_path / "packs"))
    replace(Pack.load(packs / f"{SOURCES[0]}.json"), templates=()).save(packs / f"{SOURCES[0]}.json", force=True)
    said = cli("clean", new, "-p", packs, "-o", tmp_path / "c.jsonl", "--force").err
    (row,) = (line for line in said.splitlines() if line.startswith(f"{SOURCES[0]} "))
    assert row.endswith("0 (0.0%)  the pack has no templates: unchanged")
    assert "20 whose pack has no templates (unchanged)\n" in said
    (packs / f"{SOURCES[0]}.json").write_text('{"source": "alpha.example", "html": false, "templates": []}')
    said = cli("clean", new, "-p", packs, "-o", tmp_path / "c.jsonl", "--force").err
    assert "no templates" not in said
    assert "20 whose source has a pack with an error (unchanged)\n" in said


def test_mark_up_in_texts_is_told_once(cli: Cli, tmp_path: Path) -> None:
    """A feed kept its tags and entities, and nobody heard of that, neither when it was mined nor when it was cleaned."""
    rows = [{**row, "text": f"&lt;p&gt;{row['text']} &amp;#8212;&lt;/p&gt;"} for row in records(SOURCES[:2])]
    fed = write(tmp_path / "feed.jsonl", [*rows, *records(SOURCES[2:])])
    names = f"{SOURCES[0]}, {SOURCES[1]}"
    told = f"tags and entities in texts decoded to find templates: {names} (--text-markup)"
    assert cli("mine", fed, "-o", tmp_path / "packs").err.splitlines().count(told) == 1
    said = cli("clean", fed, "-p", tmp_path / "packs", "-o", tmp_path / "c.jsonl").err
    told = f"tags and entities in texts of {names} stay; decode them before mine for plain text"
    assert said.splitlines().count(told) == 1
    assert "&lt;p&gt;" in read(tmp_path / "c.jsonl")[0]["text"]
    assert "entities" not in cli("mine", fed, "-o", tmp_path / "packs", "--force", "--text-markup", "none").err
    assert "entities" not in cli("clean", fed, "-p", tmp_path / "packs", "-o", tmp_path / "c.jsonl", "--force").err
