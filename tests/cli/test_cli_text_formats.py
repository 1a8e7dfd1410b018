"""clean --text-format: pages as Markdown, TEI and JSON, beside texts, from and into all kinds of files."""

from __future__ import annotations

import csv
import json
from pathlib import Path
from typing import Any

import pytest
from cli_support import CALL as LETTER
from cli_support import read, records, write

from conftest import Cli
from invented_pages import CALL, marked_page
from templatemine import MarkupConfig, extract
from templatemine.packs.pack_folder import PackFiles

FORMATS = ("markdown", "tei", "json")
ALL = MarkupConfig(links=True, images=True, tables=False)
OPTIONS = ("--links", "--images", "--no-tables")


def row(number: int, source: str = "lantern.example") -> dict[str, Any]:
    return {
        "source": source,
        "id": str(number),
        "url": f"http://{source}/d/{number}",
        "html": marked_page(number, CALL),
    }


@pytest.fixture
def new(tmp_path: Path) -> Path:
    """Pages of a source with a pack, and of one without."""
    return write(tmp_path / "new.jsonl", [row(n, f"{'lantern' if n % 3 else 'other'}.example") for n in range(50, 62)])


@pytest.mark.parametrize("form", FORMATS)
@pytest.mark.parametrize(
    ("options", "markup"), [((), MarkupConfig()), (OPTIONS, ALL), (["--links"], MarkupConfig(links=True))]
)
def test_what_clean_writes_is_what_extract_writes(
    cli: Cli, lantern: Path, new: Path, tmp_path: Path, form: str, options: tuple[str, ...], markup: MarkupConfig
) -> None:
    ran = cli("clean", new, "-p", lantern, "-o", tmp_path / "c.jsonl", "--text-format", form, *options)
    assert f"12 with their main text as {form}" in ran.err
    assert "not as" not in ran.err
    extracted = cli("extract", new, "-p", lantern, "--output-format", form, *options).out.splitlines()
    packs = PackFiles([lantern])
    plain = [json.loads(line) for line in cli("clean", new, "-p", lantern).out.splitlines()]
    for one, other, before in zip(read(tmp_path / "c.jsonl"), map(json.loads, extracted), plain, strict=True):
        found = extract(one["html"], pack=packs.get(one["source"]), url=one["url"])
        text = one.pop("text")
        assert text == found.format_text(form, markup)
        assert (json.loads(text) if form == "json" else text) == other["content" if form == "json" else form]
        assert before.pop("text") == found.text
        assert one == before


@pytest.mark.parametrize("form", FORMATS)
def test_jobs_and_streams_change_nothing(cli: Cli, lantern: Path, new: Path, form: str) -> None:
    options = ("-p", lantern, "--text-format", form, "--links")
    alone = cli("clean", new, *options).out
    assert alone.count("\n") == 12
    assert cli("clean", new, *options, "--jobs", "2").out == alone
    assert cli("clean", "-", *options, stdin=new.read_bytes()).out == alone


@pytest.mark.parametrize("suffix", ["parquet", "csv"])
def test_tables(cli: Cli, lantern: Path, new: Path, tmp_path: Path, suffix: str) -> None:
    """In and out; the text is a string in every format, and the url is looked at."""
    options = ("-p", lantern, "--text-format", "json", "--links")
    texts = [json.loads(line)["text"] for line in cli("clean", new, *options).out.splitlines()]
    assert "http://lantern.example/d/b.html" in texts[0]
    pages = tmp_path / f"pages.{suffix}"
    if suffix == "csv":
        with pages.open("w", newline="") as file:
            writer = csv.DictWriter(file, ("source", "id", "url", "html"))
            writer.writeheader()
            writer.writerows(read(new))
    else:
        pa, pq = pytest.importorskip("pyarrow"), pytest.importorskip("pyarrow.parquet")

        pq.write_table(pa.Table.from_pylist(read(new)), pages)
    assert cli("clean", pages, "-o", tmp_path / f"c.{suffix}", *options).code == 0
    if suffix == "csv":
        with (tmp_path / "c.csv").open(newline="") as file:
            found = [one["text"] for one in csv.DictReader(file)]
    else:
        found = pytest.importorskip("pyarrow.parquet").read_table(tmp_path / "c.parquet")["text"].to_pylist()
    assert found == texts


@pytest.mark.parametrize("suffix", ["jsonl", "parquet"])
def test_addresses_in_a_field_of_another_name(cli: Cli, lantern: Path, new: Path, tmp_path: Path, suffix: str) -> None:
    rows = [{"link" if name == "url" else name: value for name, value in one.items()} for one in read(new)]
    if suffix == "jsonl":
        pages = write(tmp_path / "pages.jsonl", rows)
    else:
        pa, pq = pytest.importorskip("pyarrow"), pytest.importorskip("pyarrow.parquet")
        pages = tmp_path / "pages.parquet"
        pq.write_table(pa.Table.from_pylist(rows), pages)
    options = ("-p", lantern, "--text-format", "markdown", "--links")
    texts = [json.loads(line)["text"] for line in cli("clean", new, *options).out.splitlines()]
    options = (*options, "--output-format", "jsonl", "--url-field", "link")
    assert [json.loads(line)["text"] for line in cli("clean", pages, *options).out.splitlines()] == texts
    ran = cli("clean", pages, *options, "--removed-field", "link")
    assert "expected a name of its own, got 'link'" in ran.error


def test_a_folder_of_pages(cli: Cli, lantern: Path, tmp_path: Path) -> None:
    folder = tmp_path / "lantern.example"
    folder.mkdir()
    (folder / "a.html").write_text(marked_page(70, CALL))
    (folder / "b.html").write_text(marked_page(71, CALL))
    lines = cli("clean", folder, "-p", lantern, "--text-format", "markdown").out.splitlines()
    assert [json.loads(line)["text"].startswith("# Story number 7") for line in lines] == [True, True]


def test_texts_beside_pages_stay_plain(cli: Cli, mined: Path, lantern: Path, tmp_path: Path) -> None:
    texts = records(["alpha.example"], 3, seed=9)
    new = write(tmp_path / "both.jsonl", [row(80), *texts, row(81, "other.example")])
    ran = cli("clean", new, "-p", lantern, "-p", mined, "-o", tmp_path / "c.jsonl", "--text-format", "markdown")
    assert ran.code == 0
    assert "2 with their main text as markdown" in ran.err
    assert "3 not as markdown: no page, or a pack that is not for pages" in ran.err
    after = read(tmp_path / "c.jsonl")
    assert [one["text"].startswith("# Story") for one in after] == [True, False, False, False, True]
    alone = cli("clean", write(tmp_path / "texts.jsonl", texts), "-p", mined).out.splitlines()
    assert [json.loads(line) for line in alone] == after[1:4]
    assert LETTER.format("Alpha") not in after[1]["text"]
    facts = json.loads(cli("clean", new, "-p", lantern, "-p", mined, "--dry-run", "--text-format", "tei", "--json").out)
    assert (facts["records"], facts["formatted"]) == (5, 2)


def test_where_no_page_is_cleaned_nothing_is_written(cli: Cli, mined: Path, tmp_path: Path) -> None:
    new = write(tmp_path / "texts.jsonl", records(["alpha.example"], 3, seed=9))
    for jobs in ("1", "2"):
        options = ("-p", mined, "-o", tmp_path / "c.jsonl", "--hits", tmp_path / "hits", "--jobs", jobs)
        ran = cli("clean", new, *options, "--text-format", "markdown")
        assert ran.error == (
            "--text-format: expected pages (field 'html', and no pack of text for their source), found none in 3 records; "
            "markdown is for pages"
        )
        assert not (tmp_path / "c.jsonl").exists()
    empty = write(tmp_path / "empty.jsonl", [])
    assert cli("clean", empty, "-p", mined, "-o", tmp_path / "e.jsonl", "--text-format", "markdown").code == 0


@pytest.mark.parametrize(
    ("options", "problem"),
    [
        (["--text-format=markdown", "--html=strip"], "--text-format: expected text with --html strip, got markdown"),
        (["--text-format=json", "--html=strip", "--links"], "--text-format: expected text with --html strip, got json"),
        (["--links"], "--links: expected --text-format markdown or tei or json, got text"),
        (["--images", "--text-format=text"], "--images: expected --text-format markdown or tei or json, got text"),
        (["--no-tables", "--html=strip"], "--no-tables: expected --text-format markdown or tei or json, got text"),
    ],
)
def test_what_makes_no_sense_is_refused(
    cli: Cli, lantern: Path, new: Path, tmp_path: Path, options: list[str], problem: str
) -> None:
    for more in ([], ["--diff"], ["--dry-run"]):
        assert cli("clean", new, "-p", lantern, "-o", tmp_path / "c.jsonl", *options, *more).error == problem
    assert not (tmp_path / "c.jsonl").exists()


@pytest.mark.parametrize("form", FORMATS)
def test_a_diff_is_that_of_plain_text(cli: Cli, lantern: Path, new: Path, form: str) -> None:
    plain = cli("clean", new, "-p", lantern, "--diff").out
    assert "-Readers have" in plain
    assert "@@ " in plain
    assert cli("clean", new, "-p", lantern, "--diff", "--text-format", form, "--links").out == plain


def test_blocks_and_the_headline_go_with_every_format(cli: Cli, lantern: Path, new: Path) -> None:
    options = ("-p", lantern, "--blocks", "--headline", "drop")
    plain = [json.loads(line) for line in cli("clean", new, *options).out.splitlines()]
    marked = [json.loads(line) for line in cli("clean", new, *options, "--text-format", "markdown").out.splitlines()]
    assert [one["blocks"] for one in marked] == [one["blocks"] for one in plain]
    assert not any(one["text"].startswith("#") for one in marked)


def test_the_format_stands_in_the_file_of_defaults(
    cli: Cli, lantern: Path, new: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "templatemine.toml").write_text('[clean]\ntext-format = "markdown"\nno-tables = true\n')
    (first, *_) = cli("clean", new, "-p", lantern).out.splitlines()
    assert json.loads(first)["text"].startswith("# Story")
    (tmp_path / "templatemine.toml").write_text('[clean]\ntext-format = "docx"\n')
    assert "docx" in cli("clean", new, "-p", lantern).error
