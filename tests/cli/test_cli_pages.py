"""Records of HTML through mine and clean: main text, blocks, all text, sources without a pack."""

from __future__ import annotations

import itertools
import json
from pathlib import Path

from cli_support import read, write

from conftest import Cli
from invented_pages import CALL, page
from templatemine import Cleaner, Pack


def test_main_text_and_blocks(cli: Cli, lantern: Path, tmp_path: Path) -> None:
    new = write(tmp_path / "new.jsonl", [{"source": "lantern.example", "id": "x", "html": page(77, CALL), "own": 1}])
    assert cli("clean", new, "-p", lantern, "-o", tmp_path / "c.jsonl", "--blocks", "--blocks-field", "kept").code == 0
    (row,) = read(tmp_path / "c.jsonl")
    assert row["own"] == 1
    assert row["text"].startswith("Story number 77")
    assert "Readers have" not in row["text"]
    assert {"start", "end", "score", "page", "path", "df", "reason"} == set(row["kept"][0])
    spans = sorted([(s["start"], s["end"]) for s in row["removed"]] + [(b["start"], b["end"]) for b in row["kept"]])
    assert spans[0][0] == 0
    assert all(a[1] == b[0] for a, b in itertools.pairwise(spans))


def test_what_is_removed_names_its_templates_but_in_pages(cli: Cli, lantern: Path, tmp_path: Path) -> None:
    """Of a page all but its main text goes, mark-up too; no template says what."""
    story = "The story of {} and of the harbour, as told at {}."
    texts = [
        {"source": "quay.example", "id": str(n), "text": f"{story.format(n * 7, n)}\nSign up for the Quay letter today"}
        for n in range(40)
    ]
    assert cli("mine", write(tmp_path / "texts.jsonl", texts), "-o", lantern).code == 0
    pages = [{"source": "lantern.example", "id": "x", "html": "<p>A story of the harbour and its boats.</p>"}]
    new = write(tmp_path / "new.jsonl", [*pages, texts[0]])
    assert cli("clean", new, "-p", lantern, "-o", tmp_path / "c.jsonl").code == 0
    of_page, of_text = read(tmp_path / "c.jsonl")
    assert of_page["removed"]
    assert all(cut["templates"] == [] and "kind" not in cut for cut in of_page["removed"])
    assert all(cut["templates"] for cut in of_text["removed"])


def test_the_headline_is_left_out_on_request(cli: Cli, lantern: Path, tmp_path: Path) -> None:
    new = write(tmp_path / "new.jsonl", [{"source": "lantern.example", "id": "x", "html": page(77, CALL)}])
    assert cli("clean", new, "-p", lantern, "-o", tmp_path / "c.jsonl", "--headline", "drop").code == 0
    (row,) = read(tmp_path / "c.jsonl")
    assert "Story number 77" not in row["text"].split("\n")[0]
    assert row["text"]


def test_strip_gives_all_text_without_templates(cli: Cli, lantern: Path, tmp_path: Path) -> None:
    new = write(tmp_path / "new.jsonl", [{"source": "lantern.example", "id": "x", "html": page(77)}])
    assert (
        cli(
            "clean",
            new,
            "-p",
            lantern,
            "-o",
            tmp_path / "c.jsonl",
            "--html",
            "strip",
            "--blocks",
            "--blocks-field",
            "kept",
        ).code
        == 0
    )
    (row,) = read(tmp_path / "c.jsonl")
    assert "kept" not in row
    assert row["text"] == Cleaner(Pack.load(lantern / "lantern.example.json")).clean(page(77)).text


def test_pages_of_a_source_without_a_pack(cli: Cli, lantern: Path, tmp_path: Path) -> None:
    lines = [{"source": "other.example", "html": page(5)}, {"source": "other.example", "html": page(6), "text": "own"}]
    new = write(tmp_path / "new.jsonl", lines)
    ran = cli("clean", new, "-p", lantern, "-o", tmp_path / "c.jsonl", "--json")
    facts = json.loads(ran.out)
    assert (facts["page_model"], facts["no_pack"]) == (1, 1)
    first, second = read(tmp_path / "c.jsonl")
    assert first["text"].startswith("Story number 5")
    assert "rights reserved" not in first["text"]
    assert second == lines[1]


def test_show_tells_what_the_pages_said(cli: Cli, lantern: Path, mined: Path) -> None:
    told = cli("show", lantern / "lantern.example.json").out
    history = Pack.load(lantern / "lantern.example.json").pages
    assert history is not None
    assert len(history.paths) > 1
    assert len(history.texts) > 1
    (line,) = (line for line in told.splitlines() if line.startswith("pages "))
    assert line.split(maxsplit=1)[1] == (
        f"{history.share:.0%} of the words of 20 pages taken for main text; votes on {len(history.paths)} paths; "
        f"{len(history.texts)} texts repeated on several pages"
    )
    assert "\npages " not in cli("show", mined / "alpha.example.json").out


def test_names_of_fields_differ(cli: Cli, lantern: Path, tmp_path: Path) -> None:
    new = write(tmp_path / "new.jsonl", [{"source": "lantern.example", "html": page(5)}])
    ran = cli("clean", new, "-p", lantern, "-o", tmp_path / "c.jsonl", "--blocks", "--blocks-field", "removed")
    assert ran.code == 2
    assert "--blocks-field: expected a name of its own" in ran.err
