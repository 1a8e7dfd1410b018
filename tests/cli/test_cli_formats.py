"""Formats on the command line: the list of them, and what clean writes."""

from __future__ import annotations

import csv
import json
import sys
from collections.abc import Callable
from datetime import date, datetime
from pathlib import Path
from typing import Any

import pytest
from cli_support import records, write

from conftest import Cli

pa = pytest.importorskip("pyarrow")

from pyarrow import feather, parquet  # noqa: E402

from templatemine.cleaning.hits import read_hits  # noqa: E402
from templatemine.errors import extra_packages  # noqa: E402


def test_the_list(cli: Cli) -> None:
    ran = cli("formats")
    assert (ran.code, ran.err) == (0, "")
    assert "warc" in ran.out
    names = [one["name"] for one in json.loads(cli("formats", "--json").out)["formats"]]
    assert {"jsonl", "warc", "arc", "feed", "parquet", "arrow", "csv"} <= set(names)


def test_what_is_missing_is_named_by_package(cli: Cli, monkeypatch: pytest.MonkeyPatch) -> None:
    required = [
        "numpy<3",
        'FastWARC<3,>=2; extra == "warc"',
        "fsspec[http]>=2024.2; extra == 'remote'",
        "x; extra == 'warc2'",
    ]
    monkeypatch.setattr("importlib.metadata.requires", lambda _: required)
    monkeypatch.setattr("templatemine.io.formats.is_installed", lambda one: one.extra != "warc")
    out = cli("formats").out
    assert "warc, missing" in out
    assert "tables, installed" in out
    assert out.splitlines()[-1] == "for warc: pip install FastWARC"
    assert extra_packages("remote") == ["fsspec[http]"]
    assert {tuple(one["packages"]) for one in json.loads(cli("formats", "--json").out)["formats"]} >= {
        (),
        ("FastWARC",),
    }


@pytest.mark.parametrize(
    ("name", "options"), [("o.parquet", []), ("o.feather", []), ("o", ["--output-format", "arrow"])]
)
def test_tables_that_cannot_be_written_without_their_library(
    cli: Cli, mined: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, name: str, options: list[str]
) -> None:
    (tmp_path / "a.csv").write_text("id,source,text\n1,alpha.example,A story\n")
    for module in [one for one in sys.modules if one.partition(".")[0] == "pyarrow"]:
        monkeypatch.setitem(sys.modules, module, None)
    for module in ("tables", "parquet", "arrow"):
        monkeypatch.delitem(sys.modules, f"templatemine.io.{module}", raising=False)
    ran = cli("clean", tmp_path / "a.csv", "-p", mined, "-o", tmp_path / name, *options)
    assert "needs pyarrow: pip install" in ran.error
    assert "tables]" in ran.error
    assert sorted(path.name for path in tmp_path.iterdir()) == ["a.csv"]


@pytest.mark.parametrize("names", ["source id title text url", "source id text", "text source id title"])
@pytest.mark.parametrize("first", ["alpha.example", "none.example"])
def test_columns_of_tables_keep_their_order(cli: Cli, mined: Path, tmp_path: Path, names: str, first: str) -> None:
    """Those that cleaning adds come last, whether or not the first record has been cleaned."""
    rows = [{**one, "title": "A story", "url": "https://x"} for one in records(documents=2)]
    rows.sort(key=lambda one: one["source"] != first)
    rows[0]["source"] = first
    with open(tmp_path / "a.csv", "w", newline="") as file:
        table = csv.DictWriter(file, names.split(), extrasaction="ignore")
        table.writeheader()
        table.writerows(rows)
    wanted = [*names.split(), "removed", "removed_stub"]
    assert cli("clean", tmp_path / "a.csv", "-p", mined, "-o", tmp_path / "o.csv").code == 0
    assert (tmp_path / "o.csv").read_text().splitlines()[0].split(",") == wanted
    assert cli("clean", tmp_path / "a.csv", "-p", mined, "-o", tmp_path / "o.parquet").code == 0
    assert parquet.read_schema(tmp_path / "o.parquet").names == wanted
    assert cli("clean", tmp_path / "o.csv", "-p", mined, "-o", tmp_path / "p.csv").code == 0
    assert (tmp_path / "p.csv").read_bytes() == (tmp_path / "o.csv").read_bytes()


def test_parquet_in_parquet_out(cli: Cli, tmp_path: Path) -> None:
    rows = [{**one, "tags": ["a"], "n": number} for number, one in enumerate(records(documents=300))]
    given = pa.Table.from_pylist(rows).set_column(0, "id", pa.array([one["id"] for one in rows], pa.large_string()))
    parquet.write_table(given, tmp_path / "a.parquet")
    lines = write(tmp_path / "a.jsonl", rows)
    assert cli("mine", tmp_path / "a.parquet", "-o", tmp_path / "packs").code == 0
    for jobs in (1, 2):
        out = tmp_path / f"{jobs}.parquet"
        ran = cli("clean", tmp_path / "a.parquet", "-p", tmp_path / "packs", "-o", out, "--jobs", jobs)
        assert ran.code == 0, ran
        table = parquet.read_table(out)
        kept = [name for name in given.column_names if name != "text"]
        assert table.select(kept).equals(given.select(kept))
        assert cli("clean", lines, "-p", tmp_path / "packs", "-o", tmp_path / f"{jobs}.jsonl").code == 0
        expected = [json.loads(line) for line in (tmp_path / f"{jobs}.jsonl").read_bytes().splitlines()]
        assert table["text"].to_pylist() == [one["text"] for one in expected]
        assert table["removed"].to_pylist() == [one["removed"] for one in expected]
        assert any(one["removed"] for one in expected)


@pytest.mark.parametrize("name", ["a.parquet", "a.arrow"])
def test_rows_without_a_text_stay(cli: Cli, tmp_path: Path, name: str) -> None:
    rows: list[dict[str, Any]] = [
        {name: one[name] for name in ("id", "source", "text")} for one in records(documents=50)
    ]
    for place in (0, 7, 49):
        rows[place]["text"] = None
    parquet.write_table(pa.Table.from_pylist(rows), tmp_path / "a.parquet")
    assert cli("mine", tmp_path / "a.parquet", "-o", tmp_path / "packs").code == 1  # three rows are skipped
    ran = cli("clean", tmp_path / "a.parquet", "-p", tmp_path / "packs", "-o", tmp_path / f"out-{name}")
    assert ran.code == 0, ran
    assert "3 without a text (unchanged)" in ran.err
    found = (parquet.read_table if name == "a.parquet" else feather.read_table)(tmp_path / f"out-{name}").to_pylist()
    assert [one["id"] for one in found] == [one["id"] for one in rows]
    assert [place for place, one in enumerate(found) if one["text"] is None] == [0, 7, 49]
    assert all((one["removed"] is None) == (one["text"] is None) for one in found)


@pytest.mark.parametrize("day", [str, date.fromisoformat, datetime.fromisoformat])
def test_hits_of_parquet_are_those_of_lines(cli: Cli, tmp_path: Path, day: Callable[[str], Any]) -> None:
    rows = [{**one, "tags": ["a"]} for one in records()]
    parquet.write_table(
        pa.Table.from_pylist([{**one, "date": day(one["date"])} for one in rows]), tmp_path / "a.parquet"
    )
    lines = write(tmp_path / "a.jsonl", rows)
    packs = tmp_path / "packs"
    assert cli("mine", lines, "-o", packs).code == 0
    for name, given, options in (
        ("1", lines, []),
        ("2", tmp_path / "a.parquet", []),
        ("3", tmp_path / "a.parquet", ["-j2"]),
    ):
        out = tmp_path / f"{name}{given.suffix}"
        assert cli("clean", given, "-p", packs, "-o", out, "--hits", tmp_path / name, *options).code == 0
    one, two, three = ([*(tmp_path / name).iterdir()] for name in "123")
    assert [path.read_bytes() for path in one] == [path.read_bytes() for path in two]
    assert [path.read_bytes() for path in two] == [path.read_bytes() for path in three]
    days = read_hits(str(tmp_path / "2"))["alpha.example"]
    assert sorted(days) == [f"2024-01-{number:02}" for number in range(1, 29)]
    assert all(one.hits for one in days.values())


@pytest.mark.parametrize("name", ["o.csv", "o.arrow", "o.jsonl.xz"])
def test_parquet_as_something_else(cli: Cli, tmp_path: Path, name: str) -> None:
    parquet.write_table(pa.Table.from_pylist([{**one, "tags": ["a"]} for one in records()]), tmp_path / "a.parquet")
    assert cli("mine", tmp_path / "a.parquet", "-o", tmp_path / "packs").code == 0
    assert cli("clean", tmp_path / "a.parquet", "-p", tmp_path / "packs", "-o", tmp_path / name).code == 0
    assert cli("mine", tmp_path / name, "-o", tmp_path / "again", "--json").code == 0
