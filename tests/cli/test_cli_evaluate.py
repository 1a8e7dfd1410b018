"""``templatemine evaluate``: six trials from the command line, what they print, write and refuse."""

from __future__ import annotations

import json
import os
import random
import shutil
import subprocess
import sys
from importlib.resources import files
from pathlib import Path
from typing import Any

import pytest
from cli_support import CALL, CREDIT, page, records, write

from conftest import Cli
from templatemine.archive.apply_overrides import apply_rules
from templatemine.cli import text_tables
from templatemine.config import PipelineConfig
from templatemine.evaluation import cleaning_systems as systems
from templatemine.evaluation.protocol import System
from templatemine.packs.overrides import Rule
from templatemine.packs.pack import Pack
from templatemine.text import linear

MODEL = Path(str(files("templatemine.mining").joinpath("model.npz")))

SHARED = ("--quiet", "--seed", "3")


@pytest.fixture
def archive(tmp_path: Path) -> Path:
    return write(tmp_path / "archive.jsonl", records(documents=40))


def facts(path: Path) -> dict[str, Any]:
    found: dict[str, Any] = json.loads(path.read_text(encoding="utf-8"))
    return found


def gold_of(row: dict[str, Any]) -> list[list[Any]]:
    name = row["source"].partition(".")[0].capitalize()
    texts = [CALL.format(name), CREDIT.format(name)]
    return [[row["text"].index(text), row["text"].index(text) + len(text), "template"] for text in texts]


def test_injection(cli: Cli, archive: Path, tmp_path: Path) -> None:
    out = tmp_path / "figures.json"
    options = ("--sample", "20,40", "--templates", "12", "--json", out, *SHARED)
    ran = cli("evaluate", "injection", archive, *options)
    assert ran.code == 0, ran
    assert ran.err == ""
    lines = ran.out.splitlines()
    assert lines[0] == "injection"
    assert lines[1].split() == ["false", "before"]
    assert lines[2].split() == ["by", "value", "templates", "recall", "found", "precision", *2 * ["per", "10k"]]
    assert max(map(len, lines[1:20])) <= 80
    assert any(line.startswith("kind") and " in-line " in line for line in lines)
    assert any(line.startswith("seed: 3; documents of a source: 20, 40; sources: 3, 3") for line in lines)
    (result,) = facts(out)["results"]
    assert result["trial"] == "injection"
    assert result["settings"]["seed"] == 3
    assert (result["rows"][0]["templates"], result["rows"][0]["occurrences"]) == (72, 468)
    assert result["rows"][0]["recall"] > 0.3


def test_a_run_that_no_source_is_large_enough_for_is_told(cli: Cli, archive: Path) -> None:
    ran = cli("evaluate", "injection", archive, "--sample", "20,1000,2000", "--templates", "2", *SHARED)
    assert "documents of a source: 20; sources: 3;" in ran.out
    assert "no source has 1,000 or 2,000 documents: no such run" in ran.out


def test_tables_and_notes_fit_a_terminal(cli: Cli, archive: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    pytest.importorskip("sklearn")
    monkeypatch.setattr(text_tables, "terminal_width", lambda stream: 80)
    for trial in ("injection", "mirror", "retrieval"):
        ran = cli("evaluate", trial, archive, "--sample", "20", *SHARED)
        assert max(map(len, ran.out.splitlines())) <= 80, ran.out


def test_sources_that_number_their_articles_alike(cli: Cli, tmp_path: Path) -> None:
    """Each has its own 1, 2, 3: their topics, gold and feed texts are not taken for one another's."""
    pytest.importorskip("datasketch")
    pytest.importorskip("sklearn")
    rows = records(documents=12)
    numbers = {one["id"]: place // 3 for place, one in enumerate(rows)}
    rows = [{**row, "gold": row["text"]} for row in rows]
    apart = write(tmp_path / "apart.jsonl", rows)
    alike = write(tmp_path / "alike.jsonl", [{**row, "id": numbers[row["id"]]} for row in rows])
    for trial, options, figure in (("gold", (), "f1"), ("feed", ("--feed-field", "gold"), "recall")):
        ran = [cli("evaluate", trial, path, *options, "--json", "-", *SHARED) for path in (apart, alike)]
        one, other = (json.loads(each.out)["results"][0]["rows"][-1][figure] for each in ran)
        assert other == pytest.approx(one, abs=0.05), trial
    for options in ((), ("--label-field", "source")):
        clusters = json.loads(cli("evaluate", "retrieval", alike, *options, "--json", "-", *SHARED).out)["results"][-1]
        assert (clusters["trial"], clusters["rows"][0]["labels"]) == ("clustering", 3)
    assert "stands in one source" in cli("evaluate", "mirror", alike, "--other", alike, *SHARED).error


def test_what_was_read_is_told(cli: Cli, archive: Path, tmp_path: Path) -> None:
    """Two runs whose digests are equal tried the same documents."""
    pytest.importorskip("rapidfuzz")
    rows = records(documents=40)
    turned = write(tmp_path / "turned.jsonl", rows[::-1])
    fewer = write(tmp_path / "fewer.jsonl", rows[1:])
    bad = tmp_path / "bad.jsonl"
    bad.write_text("{\n" + fewer.read_text(encoding="utf-8"), encoding="utf-8")
    told = [
        json.loads(cli("evaluate", "mirror", path, "--sample", "10", "--json", "-", *own, *SHARED).out)
        for path, own in ((archive, ()), (turned, ()), (fewer, ()), (archive, ("--other", bad)))
    ]
    assert [one["documents"] for one in told] == [120, 120, 119, 120]
    assert told[0]["digest"] == told[1]["digest"]
    assert len({one["digest"] for one in told}) == 3
    assert (told[3]["other"], told[3]["skipped"]) == ([os.fspath(bad)], 1)


def test_the_same_seed_gives_the_same_bytes(cli: Cli, archive: Path) -> None:
    args = ("evaluate", "injection", archive, "--sample", "20", "--templates", "6", "--json", "-", "--quiet", "--seed")
    first, again, other = (cli(*args, seed) for seed in (1, 1, 2))
    assert first.out == again.out
    assert json.loads(first.out)["results"][0]["rows"] != json.loads(other.out)["results"][0]["rows"]


def test_the_model_reaches_the_miner_and_is_told(
    cli: Cli, archive: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    table = tmp_path / "model.npz"
    shutil.copy(MODEL, table)
    seen: list[PipelineConfig] = []
    original = systems.mining_system

    def miner(config: PipelineConfig, **options: Any) -> System:
        seen.append(config)
        return original(config, **options)

    monkeypatch.setattr(systems, "mining_system", miner)
    args = ("evaluate", "injection", archive, "--sample", "20", "--templates", "6", "--json", "-", *SHARED)
    told = [json.loads(cli(*args, *own).out)["model"] for own in ((), ("--model", table))]
    assert told == [one.model for one in seen] == [PipelineConfig().model, str(table)]
    assert cli(*args, "--model", archive).error.startswith("--model: ")


def test_gold_spans(cli: Cli, archive: Path, tmp_path: Path) -> None:
    rows = records(documents=40)
    spans = {row["id"]: [[*span[:3], "note"] for span in gold_of(row)] for row in rows[:30]}
    gold = write(tmp_path / "gold.jsonl", [{"id": name, "spans": own} for name, own in spans.items()])
    out = tmp_path / "figures.json"
    ran = cli("evaluate", "gold", archive, "--spans", gold, "--json", out, *SHARED)
    assert ran.code == 0, ran
    mean = facts(out)["results"][0]["rows"][-1]
    assert (mean["source"], mean["documents"], mean["recall"]) == ("mean", 30, 1)
    assert 0.95 < mean["precision"] <= 1
    assert mean["loss"] < 0.01
    (line,) = (line for line in ran.out.splitlines() if line.startswith("mean"))
    assert line.split()[:3] == ["mean", "30", "100.0%"]
    assert mean["wounds"] < 50
    kinds = {row["kind"]: row for row in facts(out)["results"][1]["rows"]}
    assert kinds["note"]["recall"] > 0.9
    assert 0 < kinds["all"]["cut"] <= kinds["note"]["cut"]
    assert all(0 <= row["kind recall"] <= 1 for row in kinds.values() if row["kind recall"] is not None)
    assert "gold spans by kind" in ran.out


def test_gold_with_packs_as_they_stand(cli: Cli, archive: Path, tmp_path: Path) -> None:
    """Nothing is mined: a template that someone took out of a pack is missed."""
    packs = tmp_path / "packs"
    assert cli("mine", archive, "-o", packs).code == 0
    rows = records(documents=40)
    gold = write(tmp_path / "gold.jsonl", [{"id": row["id"], "spans": gold_of(row)} for row in rows[:30]])
    args = ("evaluate", "gold", archive, "--spans", gold, "--json", "-", *SHARED, "--packs", packs)
    whole = json.loads(cli(*args).out)
    assert (whole["method"], whole["model"], whole["packs"]) == (None, None, [os.fspath(packs)])
    assert whole["results"][0]["rows"][-1]["recall"] == 1
    for path in packs.glob("*.json"):
        facts = json.loads(path.read_text(encoding="utf-8"))
        path.write_text(json.dumps({**facts, "templates": []}), encoding="utf-8")
    assert json.loads(cli(*args).out)["results"][0]["rows"][-1]["recall"] == 0
    for wrong in (("--method", "energy"), ("--caution", "2"), ("--folds", "2")):
        assert "--packs excludes" in cli("evaluate", "gold", archive, "--packs", packs, *wrong).error


def test_residue(cli: Cli, archive: Path, tmp_path: Path) -> None:
    ran = cli("evaluate", "residue", archive, "--json", "-", *SHARED)
    assert ran.code == 0, ran
    mean = json.loads(ran.out)["results"][0]["rows"][-1]
    assert (mean["source"], mean["articles"], mean["any"]) == ("all", 120, 0)
    # A pack whose expression is half of a line.
    packs = tmp_path / "packs"
    assert cli("mine", archive, "-o", packs).code == 0
    path = packs / "alpha.example.json"
    facts_of = json.loads(path.read_text(encoding="utf-8"))
    hand = {"id": "hand", "regex": "(Sign up for the Alpha)", "tokens": None, "df": 40, "count": 40}
    facts_of["templates"] = [{**hand, "example": "Sign up for the Alpha", "anchor": ""}]
    path.write_text(json.dumps(facts_of), encoding="utf-8")
    ran = cli("evaluate", "residue", archive, *SHARED, "--examples", "1", "--packs", packs)
    (line,) = (line for line in ran.out.splitlines() if line.startswith("alpha.example"))
    assert line.split()[:6] == ["alpha.example", "40", "40", "100.0%", "100.0%", "100.0%"]
    assert "begins torn: alpha.example" in ran.out
    assert "[-Sign up for the Alpha-]" in ran.out
    # Of what `clean` keeps by default, nothing is looked at, as in the report.
    facts_of["templates"][0]["kind"] = "note"
    path.write_text(json.dumps(facts_of), encoding="utf-8")
    ran = cli("evaluate", "residue", archive, *SHARED, "--packs", packs, "--json", "-")
    changed = {row["source"]: row["changed"] for row in json.loads(ran.out)["results"][0]["rows"]}
    told = json.loads(cli("report", packs, "--archive", archive, "-o", tmp_path / "r.html", "--json").out)
    assert changed["alpha.example"] == 0
    assert {one["source"]: one["changed"] for one in told["sources"]}.items() <= changed.items()


def test_gold_texts(cli: Cli, tmp_path: Path) -> None:
    pages = [{**page(row), "main": row["text"]} for row in records(documents=20)]
    archive = write(tmp_path / "pages.jsonl", pages)
    ran = cli("evaluate", "gold", archive, "--gold-field", "main", "--folds", "4", "--json", "-", *SHARED)
    assert ran.code == 0, ran
    (result,) = json.loads(ran.out)["results"]
    assert result["settings"] == {"seed": 3, "sample of a source": None, "documents": 60, "folds": 4, "form": "auto"}
    assert result["rows"][-1]["pages"] == 60
    assert 0.5 < result["rows"][-1]["f1"] <= 1


def test_retrieval(cli: Cli, archive: Path) -> None:
    pytest.importorskip("datasketch")
    pytest.importorskip("sklearn")
    ran = cli("evaluate", "retrieval", archive, "--sample", "20", "--json", "-", *SHARED)
    assert ran.code == 0, ran
    pairs, clusters = json.loads(ran.out)["results"]
    assert (pairs["trial"], clusters["trial"]) == ("near duplicates", "clustering")
    assert pairs["rows"][0]["pairs"] == 60
    assert clusters["rows"][0]["labels"] == 3


def test_retrieval_by_groups(cli: Cli, tmp_path: Path) -> None:
    pytest.importorskip("datasketch")
    rows = [{**row, "story": f"s{place // 2}"} for place, row in enumerate(records(["alpha.example"], 20))]
    for place in range(0, 20, 2):
        rows[place + 1]["text"] = rows[place]["text"]
    archive = write(tmp_path / "groups.jsonl", rows)
    ran = cli("evaluate", "retrieval", archive, "--group-field", "story", "--json", "-", *SHARED)
    assert ran.code == 0, ran
    (pairs,) = json.loads(ran.out)["results"]  # one source and no labels: nothing to cluster
    assert [row["recall"] for row in pairs["rows"]] == [1.0, 1.0]
    assert pairs["notes"] == ["no clusters: there is one source, and no --label-field"]
    assert "no field" not in ran.err
    assert cli("evaluate", "retrieval", archive, "--label-field", "none", *SHARED).error.endswith(
        "a field 'none' (--label-field)"
    )


def test_articles_that_take_too_long_count_as_unchanged(
    cli: Cli, mined: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """One ended the trial; without it the figures would be better."""
    monkeypatch.setattr(linear, "SECONDS", 0.002)
    monkeypatch.setattr(linear, "SECONDS_PER_CHARACTER", 0.0)
    rule = Rule(action="add", regex="aa.*~|aa+b?", example="aab")
    apply_rules(Pack.load(mined / "beta.example.json"), (), [rule]).save(tmp_path / "packs" / "beta.example.json")
    rows = records(["beta.example"], 10)
    spans = [{"id": row["id"], "spans": gold_of(row)} for row in rows]
    rows[3]["text"] += "a" * 5_000
    archive = write(tmp_path / "slow.jsonl", [*rows, b"{"])
    options = ("--packs", tmp_path / "packs", "--json", tmp_path / "figures.json", "--force", *SHARED)
    ran = cli("evaluate", "gold", archive, "--spans", write(tmp_path / "spans.jsonl", spans), *options)
    assert ran.code == 1
    told = "templatemine: skipped: beta.example: beta.example/3: cannot be cleaned, and counts as unchanged: the expression"
    assert told in ran.err
    note = "1 document could not be cleaned, counted as unchanged"
    assert note in ran.out.splitlines()
    found = facts(tmp_path / "figures.json")
    assert (found["documents"], found["skipped"]) == (10, 1)  # the line that cannot be read
    (result,) = found["results"]
    assert note in result["notes"]
    assert result["rows"][0]["documents"] == 10
    assert result["rows"][0]["recall"] == pytest.approx(0.9, abs=0.01)
    ran = cli("evaluate", "residue", archive, *options)
    assert ran.code == 1
    (result,) = facts(tmp_path / "figures.json")["results"]
    assert note in result["notes"]
    assert (result["rows"][0]["articles"], result["rows"][0]["changed"]) == (10, 9)


def test_mirror(cli: Cli, archive: Path, tmp_path: Path) -> None:
    ran = cli("evaluate", "mirror", archive, "--sample", "30", *SHARED)
    assert ran.code == 0, ran
    assert ran.out.splitlines()[0] == "mirror"
    assert "sample of a source: 30; documents: 90" in ran.out
    rng = random.Random(1)
    copies = [
        {**row, "source": "copy.example", "text": row["text"] + f"\n\nCopied by {rng.random()}"}
        for row in records(documents=40)
    ]
    other = write(tmp_path / "other.jsonl", copies)
    ran = cli("evaluate", "mirror", archive, "--other", other, "--json", "-", *SHARED)
    assert ran.code == 0, ran
    row = json.loads(ran.out)["results"][0]["rows"][-1]
    assert row["documents"] == 120
    assert 0 < row["distance before"] < 0.2


def test_feed(cli: Cli, tmp_path: Path) -> None:
    pages = [{**page(row), "rss": f"<p>{row['text'].split(chr(10))[0]}</p> …"} for row in records(documents=20)]
    archive = write(tmp_path / "pages.jsonl", pages)
    ran = cli("evaluate", "feed", archive, "--feed-field", "rss", "--folds", "2", *SHARED)
    assert ran.code == 0, ran
    (line,) = (line for line in ran.out.splitlines() if line.startswith("all "))
    assert line.split()[:4] == ["all", "excerpt", "60", "100.0%"]


@pytest.mark.parametrize(
    ("args", "message"),
    [
        (("gold", "A", "--spans", "A", "--folds", "2"), "--spans excludes"),
        (("gold", "A"), "none of the records has a gold text in a field 'gold' (--gold-field)"),
        (("gold", "A", "--spans", "A", "--json", "A", "--force"), "is an input"),
        (("gold", "A", "--gold-field", "text", "--form", "xml"), "form: expected one of auto, plain"),
        (("feed", "A"), "none of the records has a field 'feed' (--feed-field)"),
        (
            ("retrieval", "A", "--label-field", "sorce"),
            "none of the records has a field 'sorce' (--label-field); did you mean source?",
        ),
        (("gold", "A", "--gold-field", "txt"), "in a field 'txt' (--gold-field); did you mean text?"),
        (("injection", "A", "--sample", "500"), "expected a source with at least 500 documents, found at most 40"),
        (("injection", "A", "--sample", "0"), "--sample: expected a whole number of at least 1"),
        (("injection", "A", "--method", "magic"), "method: expected learned, energy or thesis"),
        (("injection", "A", "--json", "A"), "is an input"),
        (("mirror", "none.jsonl"), "none.jsonl"),
        (("injection",), "INPUT"),
        ((), "TRIAL"),
    ],
)
def test_what_it_refuses(cli: Cli, archive: Path, args: tuple[str, ...], message: str) -> None:
    ran = cli("evaluate", *(archive if arg == "A" else arg for arg in args), *(SHARED if args else ()))
    assert message in ran.error


def test_a_file_of_figures_is_not_overwritten(cli: Cli, archive: Path, tmp_path: Path) -> None:
    out = tmp_path / "figures.json"
    out.write_text("mine", encoding="utf-8")
    args = ("evaluate", "mirror", archive, "--sample", "20", "--json", out, *SHARED)
    assert os.fspath(out) in cli(*args).error
    assert out.read_text(encoding="utf-8") == "mine"
    assert not cli(*args).out  # told before the work, not after it
    assert cli(*args, "--force").code == 0
    assert facts(out)["method"] == "learned"


@pytest.mark.parametrize("trial", ["injection", "gold", "retrieval", "mirror", "feed"])
def test_help_answers_at_once(cli: Cli, trial: str) -> None:
    assert max(len(line) for line in cli("evaluate", trial, "--help").out.splitlines()) <= 80
    run = f"from templatemine.__main__ import main; main(['evaluate', '{trial}', '--help'])"
    code = f"import sys; {run}; sys.exit(bool({{'numpy', 'rich', 'regex', 'orjson', 'rapidfuzz'}} & set(sys.modules)))"
    assert subprocess.run([sys.executable, "-c", code], capture_output=True, check=False).returncode == 0


def test_without_documents(cli: Cli, tmp_path: Path) -> None:
    assert (
        "expected documents, found none"
        in cli("evaluate", "mirror", write(tmp_path / "empty.jsonl", []), *SHARED).error
    )
