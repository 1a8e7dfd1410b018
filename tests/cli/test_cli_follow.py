"""update, clean --hits and drift on the command line."""

from __future__ import annotations

import csv
import json
import shutil
from dataclasses import replace
from datetime import date, timedelta
from pathlib import Path
from typing import Any

import pytest
from cli_support import everything, records, write

from conftest import Cli
from templatemine.archive.apply_overrides import apply_rules
from templatemine.cleaning.hits import read_hits
from templatemine.config import PipelineConfig, TokeniseConfig
from templatemine.packs.overrides import Rule, read_rule
from templatemine.packs.pack import Pack
from templatemine.text import linear


def dated(articles: list[dict[str, Any]], first: str, sources: int) -> list[dict[str, Any]]:
    """Ten articles a day of each source."""
    start = date.fromisoformat(first)
    return [
        {**one, "id": f"{first}/{n}", "date": str(start + timedelta(n // (10 * sources)))}
        for n, one in enumerate(articles)
    ]


def redesigned(articles: list[dict[str, Any]]) -> list[dict[str, Any]]:
    return [
        {**one, "text": one["text"].replace("Sign up for the", "Never miss our").replace("Reporting by", "Words:")}
        for one in articles
    ]


def test_dates_by_option(cli: Cli, tmp_path: Path) -> None:
    source = ["alpha.example"]
    rows = [{**one, "date": None, "when": 1706745599000} for one in records(source)]
    new, packs = write(tmp_path / "new.jsonl", rows), tmp_path / "packs"
    assert cli("update", "--new-sources", packs, new, "--date-field", "when").code == 0
    assert Pack.load(packs / "alpha.example.json").last_date == "2024-01-31"
    for number, path in enumerate((new, csv_of(rows, tmp_path / "new.csv"))):
        to = ["-o", tmp_path / f"cleaned{number}", "--hits", tmp_path / f"hits{number}"]
        assert cli("clean", path, "-p", packs, *to, "--date-field", "when").code == 0
        assert set(read_hits(str(tmp_path / f"hits{number}"))["alpha.example"]) == {"2024-01-31"}


def test_dates_that_cannot_be_read_are_told(cli: Cli, tmp_path: Path) -> None:
    """They were none without a word; what day and month are may be told by the window."""
    rows = records(["alpha.example"])
    rows = [{**one, "date": f"{number % 12 + 1:02}/02/2024"} for number, one in enumerate(rows)]
    new, packs = write(tmp_path / "new.jsonl", [*rows[:20], {**rows[20], "date": "none"}]), tmp_path / "packs"
    ran = cli("update", "--new-sources", packs, new, "--json", "--dry-run")
    (one,) = json.loads(ran.out)["sources"]
    assert one["unreadable_dates"] == 19
    assert f"1 date could not be read, first: 'none' ({new}:21); 18 dates of 'alpha.example' could not" in ran.err
    assert (
        cli("update", "--new-sources", packs, write(tmp_path / "old.jsonl", [{**rows[21], "date": "02/13/2023"}])).code
        == 0
    )
    ran = cli("update", "--new-sources", packs, new, "--quiet")
    assert ran.err == f"templatemine: 1 date could not be read, first: 'none' ({new}:21)\n"


def test_what_was_given_is_told_beside_what_stays_in_the_window(cli: Cli, tmp_path: Path) -> None:
    """With a window of few documents "new" was less than what was read, and nothing told that."""
    new = write(tmp_path / "new.jsonl", dated(records(["alpha.example"], 60), "2024-01-01", 1))
    update = ("update", "--new-sources", tmp_path / "packs", new, "--window", "5", "--least", "20", "--dry-run")
    said, header, row = cli(*update).err.splitlines()[:3]
    assert said == (
        "packs are mined from windows: of each source, documents of the 5 days up to the newest, or the newest 20 if "
        "these are more (--window, --least)"
    )
    table = dict(zip(header.split(), row.split(), strict=False))
    assert (table["given"], table["new"], table["window"]) == ("60", "50", "50")
    (told,) = json.loads(cli(*update, "--json").out)["sources"]
    assert (told["given"], told["new"], told["window"]) == (60, 50, 50)
    # Before anything is read, and so before a long run; but not before what is missing.
    (tmp_path / "bad.jsonl").write_text("{")
    said, *_ = cli("update", "--new-sources", tmp_path / "packs", tmp_path / "bad.jsonl").err.splitlines()
    assert said.startswith("packs are mined from windows: of each source, documents of the 14 days")
    for words in (("--new-sources", tmp_path / "packs", tmp_path / "none.jsonl"), (tmp_path / "none", new)):
        ran = cli("update", *words)
        assert ran.code == 2
        assert ran.err.startswith("templatemine: error: ")


def test_undated_sources_have_no_days(cli: Cli, tmp_path: Path) -> None:
    """As in the lists of mine and show; their documents are of the day of their update all the same."""
    rows = [{**one, "date": None} for one in records(["alpha.example"])] + records(["beta.example"])
    new, packs = write(tmp_path / "new.jsonl", rows), tmp_path / "packs"
    ran = cli("update", "--new-sources", packs, new, "--today", "2024-06-01")
    days = {line.split()[0]: line for line in ran.err.splitlines() if ".example " in line}
    assert "2024" not in days["alpha.example"]
    assert days["alpha.example"].split()[4] == "-"
    assert " 2024-01-01 to 2024-01-28 " in days["beta.example"]
    assert Pack.load(packs / "alpha.example.json").last_date is None
    told = json.loads(cli("update", "--new-sources", packs, new, "--today", "2024-06-01", "--json").out)["sources"]
    assert [(one["first"], one["last"]) for one in told] == [("", ""), ("2024-01-01", "2024-01-28")]
    # One that tells its day says at the latest of which day those before it were.
    one = write(tmp_path / "one.jsonl", [{**rows[0], "id": "new", "date": "2024-05-02"}])
    told = json.loads(cli("update", "--new-sources", packs, one, "--today", "2024-06-02", "--json").out)["sources"]
    assert [(one["first"], one["last"]) for one in told] == [("2024-05-02", "2024-05-02")]


def csv_of(rows: list[dict[str, Any]], path: Path) -> Path:
    with path.open("w", newline="") as file:
        table = csv.DictWriter(file, list(rows[0]))
        table.writeheader()
        table.writerows(rows)
    return path


def test_no_name_of_a_source_acts_on_the_terminal(cli: Cli, tmp_path: Path) -> None:
    bad = "\x1b[2Jred\x07\u202e\nnews"
    rows = [{**one, "source": bad} for one in dated(records(["alpha.example"], 300), "2024-01-01", 1)]
    rows += [{**one, "source": bad} for one in dated(redesigned(records(["alpha.example"], 300)), "2024-03-01", 1)]
    path, packs = write(tmp_path / "a.jsonl", rows), tmp_path / "packs"
    old = write(tmp_path / "old.jsonl", rows[:300])
    for command in (
        ("update", "--new-sources", packs, old),
        ("clean", path, "-p", packs, "-o", tmp_path / "c.jsonl", "--hits", packs / "hits"),
        ("drift", packs),
        ("update", "--new-sources", packs, path, "--dry-run"),
        ("evaluate", "residue", path, "--packs", packs),
        ("evaluate", "injection", path, "--sample", "40"),
        ("sort", path, "-o", tmp_path / "sorted"),
        ("mine", path, "-o", tmp_path / "mined"),
    ):
        ran = cli(*command)
        assert ran.code == (command[0] == "drift")  # which warns
        assert "red" in ran.out + ran.err or command[1] == "injection"
        assert not set(ran.out + ran.err) & set("\x1b\x07\u202e")
        assert not any(line.startswith("news") for line in (ran.out + ran.err).splitlines())


def test_a_site_that_changes(cli: Cli, tmp_path: Path) -> None:
    source = ["alpha.example"]
    packs = tmp_path / "packs"
    old = write(tmp_path / "old.jsonl", dated(records(source, 300), "2024-01-01", 1))
    later = write(tmp_path / "later.jsonl", dated(records(source, 300, seed=2), "2024-02-01", 1))
    new = write(tmp_path / "new.jsonl", dated(redesigned(records(source, 600, seed=3)), "2024-04-01", 1))
    ran = cli("update", "--new-sources", packs, old, "--json", "--today", "2024-12-01")
    assert ran.code == 0
    (facts,) = json.loads(ran.out)["sources"]
    assert (facts["given"], facts["new"], facts["window"], facts["last"]) == (300, 300, 300, "2024-01-30")
    assert len(facts["added"]) == facts["templates"] > 1
    for number, path in enumerate((old, later)):
        assert cli("clean", path, "-p", packs, "-o", tmp_path / f"{number}.jsonl", "--hits", packs / "hits").code == 0
    quiet = cli("drift", packs)
    assert (quiet.code, quiet.out) == (0, "")
    assert "alpha.example" in quiet.err
    cli("clean", new, "-p", packs, "-o", tmp_path / "2.jsonl", "--hits", packs / "hits", "-j", "2")
    warned = cli("drift", packs)
    assert (warned.code, cli("drift", packs, "--json").code, cli("drift", packs, "-q").code) == (1, 1, 1)
    assert "Sign up for the Alpha morning letter today." in warned.out
    assert "stopped: in 100.0% of documents, now 0.0%; since 2024-04-01" in warned.out
    assert "less is removed than before" in warned.out
    facts = json.loads(cli("drift", packs, "--json").out)["sources"][0]
    assert {one["kind"] for one in facts["warnings"]} == {"stopped", "less"}
    ran = cli("update", "--new-sources", packs, new, "--today", "2024-12-01")
    assert ran.code == 0
    assert "~ Sign up for the Alpha morning letter today." in ran.err or "+ Never miss our Alpha" in ran.err
    cli("clean", new, "-p", packs, "-o", tmp_path / "3.jsonl")
    assert "Never miss" not in (tmp_path / "3.jsonl").read_text().replace("removed", "")


def test_an_expression_that_goes_is_told_with_the_rule_that_keeps_it(cli: Cli, tmp_path: Path) -> None:
    """Documents still had it, and the message named no way to keep it."""
    source, packs, byline = "alpha.example", tmp_path / "packs", "Ann Reed of the Alpha desk wrote this."
    rows = dated(records([source], 130), "2024-01-01", 1)
    for number, row in enumerate(rows):
        row["text"] += f"\n\n{byline}" if number < 60 or number == 110 else ""
    start = ("update", "--new-sources", packs, "--least", "60", "--window", "1", "--today", "2024-12-01")
    assert cli(*start, write(tmp_path / "old.jsonl", rows[:60])).code == 0
    shutil.copytree(packs / ".templatemine-window", tmp_path / "state")
    file, new = packs / f"{source}.json", write(tmp_path / "new.jsonl", rows[60:])
    told = cli(*start, new, "--dry-run").err
    assert f"- {byline} [line]  (rejected now; still in 1 of 60 documents)" in told
    head = f'  to keep "{byline}": templatemine '
    (command,) = (line.removeprefix(head).split() for line in told.splitlines() if line.startswith(head))
    assert command[:-1] == ["ask", str(packs), "--only", source, "--accept"]
    (listed,) = json.loads(cli(*start, new, "--dry-run", "--json").out)["sources"]
    (rule,) = (one["rule"] for one in listed["removed"] if one["id"] == command[-1])
    earlier = file.read_bytes()
    for before in (True, False):  # the update that takes it out
        if before:
            size = f"about {60 * len(byline):,} characters in 60 documents"
            assert cli(*command).err == f"{source}: {command[-1]} {byline} is cut already: {size}\n"
            assert "to keep" not in cli(*start, new).err
        else:
            file.write_bytes(earlier)
            shutil.copytree(tmp_path / "state", packs / ".templatemine-window", dirs_exist_ok=True)
            assert head in cli(*start, new).err
            assert cli(*command).code == 0
        (kept,) = (one for one in Pack.load(file).templates if one.id == command[-1])
        assert (kept.anchor, kept.example, kept.df) == ("line", byline, 60)
        (made,) = Pack.load(file).overrides.rules
        assert replace(made, by="", time="") == read_rule(rule, "")
    # Cut again, it is in no list of what updates took out; the rule that rejects it says what it is.
    assert cli(*start, new).code == 0
    assert command[-1] not in (packs / ".templatemine-window" / f"{source}.left").read_text()
    for option, there in (("--reject", False), ("--accept", True)):
        assert cli(*command[:-2], option, command[-1]).code == 0
        assert (command[-1] in {one.id for one in Pack.load(file).templates}) == there
    (made,) = Pack.load(file).overrides.rules
    assert replace(made, by="", time="") == read_rule(rule, "")


def test_a_pack_keeps_how_it_was_mined_and_a_new_one_has_the_defaults(cli: Cli, tmp_path: Path) -> None:
    patterns = tmp_path / "own.toml"
    patterns.write_text("[[pattern]]\nname = 'ticket'\nregex = 'T-[0-9]+'\n")
    packs = tmp_path / "packs"
    old = write(tmp_path / "old.jsonl", dated(records(["alpha.example"], 60), "2024-01-01", 1))
    options = ["--method", "thesis", "--patterns-file", patterns, "--separators=|"]
    assert cli("mine", old, "-o", packs, *options).code == 0
    was = Pack.load(packs / "alpha.example.json")
    new = dated(records(["alpha.example", "beta.example"], 60, seed=2), "2024-02-01", 2)
    assert cli("update", packs, write(tmp_path / "new.jsonl", new), "--today", "2024-12-01", "--new-sources").code == 0
    alpha, beta = (Pack.load(packs / f"{name}.example.json") for name in ("alpha", "beta"))
    assert alpha != was
    assert (alpha.method, alpha.tokenise.separators) == ("thesis", "|")
    assert [one.name for one in alpha.tokenise.user_patterns] == ["ticket"]
    assert (beta.method, beta.tokenise.separators) == (PipelineConfig().method, TokeniseConfig().separators)
    assert beta.tokenise.user_patterns == ()


def test_what_people_decided_outlives_an_update(cli: Cli, tmp_path: Path) -> None:
    packs = tmp_path / "packs"
    old = write(tmp_path / "old.jsonl", dated(records(["alpha.example"], 300), "2024-01-01", 1))
    new = write(tmp_path / "new.jsonl", dated(records(["alpha.example"], 300, seed=2), "2024-02-01", 1))
    assert cli("update", "--new-sources", packs, old, "--today", "2024-12-01").code == 0
    path = packs / "alpha.example.json"
    pack = Pack.load(path)
    rejected = next(one for one in pack.templates if "morning letter" in one.example)
    rules = (Rule(action="reject", id=rejected.id), Rule(action="never", text="Reporting by"))
    apply_rules(pack, (), rules).save(path, force=True)
    assert cli("update", "--new-sources", packs, new, "--today", "2024-12-01").code == 0
    after = Pack.load(path)
    assert after.overrides.rules == rules
    assert after.documents != pack.documents or after.last_date != pack.last_date
    assert not [one for one in after.templates if one.id == rejected.id or "Reporting by" in one.example]


def test_a_pack_that_was_edited_or_renamed(cli: Cli, tmp_path: Path) -> None:
    packs = tmp_path / "packs"
    old = write(tmp_path / "old.jsonl", dated(records(["alpha.example"], 60), "2024-01-01", 1))
    new = write(tmp_path / "new.jsonl", dated(records(["alpha.example"], 60, seed=2), "2024-02-01", 1))
    assert cli("update", "--new-sources", packs, old, "--today", "2024-12-01").code == 0
    path = packs / "alpha.example.json"
    data = json.loads(path.read_text())
    data["templates"] = [one for one in data["templates"] if "morning letter" not in one["example"]]
    path.write_text(json.dumps(data))
    path.rename(packs / "alpha.json")
    for command in (["update", "--new-sources", packs, new], ["mine", new, "-o", packs, "--force"]):
        assert "alpha.json: expected no pack of 'alpha.example' here" in cli(*command).error
    assert not path.exists()
    (packs / "alpha.json").rename(path)
    assert cli("update", "--new-sources", packs, new, "--today", "2024-12-01").code == 0
    after = Pack.load(path)
    assert after.last_date == "2024-02-06"
    assert after.templates
    assert not [one for one in after.templates if "morning letter" in one.example]
    cli("clean", new, "-p", packs, "-o", tmp_path / "out.jsonl")
    assert "morning letter today" in (tmp_path / "out.jsonl").read_text()


def test_an_update_without_documents_changes_nothing(cli: Cli, tmp_path: Path) -> None:
    packs = tmp_path / "packs"
    empty, bad = write(tmp_path / "empty.jsonl", []), write(tmp_path / "bad.jsonl", [b"garbage", b"{}"])
    ran = cli("update", "--new-sources", packs, empty)
    assert ran.code == 0
    assert "no documents, and nothing to do" in ran.err
    assert "given" not in ran.err  # no table of nothing
    assert cli("update", "--new-sources", packs, bad).error == f"{bad}: expected documents, found 2 that cannot be read"
    assert not packs.exists()


@pytest.mark.parametrize("day", ["tomorrow", "2024-13-45", "2024-5-1"])
def test_a_today_that_is_no_day(cli: Cli, tmp_path: Path, day: str) -> None:
    path = write(tmp_path / "new.jsonl", records(documents=1))
    assert (
        "--today: expected a date such as"
        in cli("update", "--new-sources", tmp_path / "packs", path, "--today", day).error
    )


@pytest.mark.parametrize("preview", ["--dry-run", "--diff"])
def test_a_preview_counts_no_hits(cli: Cli, tmp_path: Path, mined: Path, preview: str) -> None:
    """It said that nothing is written, and wrote the counts."""
    articles = write(tmp_path / "new.jsonl", records(documents=3))
    assert cli("clean", articles, "-p", mined, preview, "--hits", tmp_path / "counts").code == 0
    assert not (tmp_path / "counts").exists()


def test_counts_that_cannot_be_written_are_told_before_cleaning(cli: Cli, tmp_path: Path, mined: Path) -> None:
    articles = write(tmp_path / "new.jsonl", records(documents=3))
    ran = cli("clean", articles, "-p", mined, "-o", tmp_path / "out.jsonl", "--hits", articles)
    assert ran.error == f"{articles}: cannot be written: File exists"
    assert not (tmp_path / "out.jsonl").exists()


def test_a_pack_that_changes_is_no_site_that_does(cli: Cli, tmp_path: Path) -> None:
    """clean --hits, update, clean --hits, drift: an expression that the pack has no more has not stopped."""
    packs = tmp_path / "packs"
    articles = dated(records(["alpha.example"], 900), "2024-01-01", 1)
    parts = [write(tmp_path / f"{n}.jsonl", articles[start : start + 300]) for n, start in enumerate((0, 300, 600))]
    assert cli("update", "--new-sources", packs, parts[0], "--today", "2024-12-01").code == 0
    assert cli("clean", parts[1], "-p", packs, "-o", tmp_path / "1.out", "--hits", packs / "hits").code == 0
    path = packs / "alpha.example.json"
    pack = Pack.load(path)
    apply_rules(pack, (), [Rule(action="never", text="Reporting by")]).save(path, force=True)
    assert cli("clean", parts[2], "-p", packs, "-o", tmp_path / "2.out", "--hits", packs / "hits").code == 0
    facts = json.loads(cli("drift", packs, "--json").out)["sources"][0]
    assert {one["kind"] for one in facts["warnings"]} == {"less"}
    assert [one["other_pack"] for one in facts["warnings"]] == [True]
    assert "with an earlier pack" in cli("drift", packs).out


def test_ids_that_begin_anew_are_told(cli: Cli, tmp_path: Path) -> None:
    articles = [{**one, "id": n % 20} for n, one in enumerate(records(["alpha.example"], 60))]
    path = write(tmp_path / "new.jsonl", articles)
    ran = cli("update", "--new-sources", tmp_path / "packs", path)
    assert "40 documents with a known id and a different text (the last version counts)" in ran.err
    assert (
        json.loads(cli("update", "--new-sources", tmp_path / "b", path, "--json").out)["sources"][0]["replaced"] == 40
    )


def lines_of(file: Path) -> list[Any]:
    return [json.loads(line) for line in file.read_bytes().splitlines()]


def test_counting_changes_no_output_and_depends_on_no_jobs(cli: Cli, tmp_path: Path, mined: Path) -> None:
    new = write(tmp_path / "new.jsonl", records(documents=300))
    for name, options in (
        ("none", []),
        ("one", ["--hits", tmp_path / "h1"]),
        ("two", ["-j", "2", "--hits", tmp_path / "h2"]),
    ):
        assert cli("clean", new, "-p", mined, "-o", tmp_path / name, *options).code == 0
        # Lines that are counted are written anew, so that the blanks between their fields go.
        assert lines_of(tmp_path / name) == lines_of(tmp_path / "none")
    assert (tmp_path / "one").read_bytes() == (tmp_path / "two").read_bytes()
    (one,), (two,) = list((tmp_path / "h1").iterdir()), list((tmp_path / "h2").iterdir())
    assert one.name == two.name
    assert one.read_bytes() == two.read_bytes()


def test_errors(cli: Cli, tmp_path: Path, mined: Path) -> None:
    assert "expected counts of hits" in cli("drift", mined).error
    new = write(tmp_path / "new.jsonl", records())
    assert "--today: expected a date" in cli("update", "--new-sources", tmp_path / "packs", new, "--today", "now").error
    assert "not" in cli("update", "--new-sources", tmp_path / "packs", tmp_path / "none.jsonl").error
    assert not (tmp_path / "packs").exists()


def test_a_pattern_that_takes_too_long_ends_an_update_and_is_told_with_its_document(
    cli: Cli, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """As in mine: packs do not depend on how busy the machine is."""
    monkeypatch.setattr(linear, "SECONDS", 0.002)
    monkeypatch.setattr(linear, "SECONDS_PER_CHARACTER", 0.0)
    own = tmp_path / "own.toml"
    own.write_text('[[pattern]]\nname = "slow"\nregex = "aa.*~|aa"\n')
    old, packs = write(tmp_path / "old.jsonl", records(seed=1)), tmp_path / "packs"
    assert cli("mine", old, "-o", packs, "--patterns-file", own).code == 0
    assert cli("update", "--new-sources", packs, old).code == 0

    def state() -> dict[str, bytes]:
        return {name: (packs / name).read_bytes() for name in everything(packs) if (packs / name).is_file()}

    before = state()
    rows = [{**one, "id": f"new/{one['id']}"} for one in records(seed=2)]
    rows[7]["text"] += "a" * 5_000
    ran = cli("update", "--new-sources", packs, write(tmp_path / "new.jsonl", rows), "--quiet")
    told = f"{rows[7]['source']}: document {rows[7]['id']!r}: pattern 'slow': the expression 'aa.*~|aa' takes longer"
    assert ran.error.startswith(told)
    assert ran.err.count("\n") == 1
    assert state() == before
    rows[7]["text"] = rows[7]["text"].rstrip("a")
    assert cli("update", "--new-sources", packs, write(tmp_path / "new.jsonl", rows)).code == 0
