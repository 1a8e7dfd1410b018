"""The block of datatrove, in the real library."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from archives_by_hand import MINED

from templatemine.config import CleanConfig, MarkupConfig


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    packs = tmp_path / "packs"
    packs.mkdir()
    for number, pack in enumerate(MINED.packs.values()):
        pack.save(packs / f"{number}.json")
    return packs


LINKED = "<html><body><p>" + "The council met <a href=b.html>at length</a> and talked. " * 20
MARKDOWN = CleanConfig(text_format="markdown", markup=MarkupConfig(links=True))


def by_datatrove(row: dict[str, str]) -> str:
    from datatrove.data import Document

    from templatemine.adapters.datatrove import TemplateCleaner

    (done,) = TemplateCleaner({}, html=True, clean=MARKDOWN).run([Document(text=row.pop("html"), id="1", metadata=row)])
    return str(done.text)


def test_pages_keep_links_with_the_addresses_of_their_rows() -> None:
    pytest.importorskip("datatrove")
    row = {"source": "x", "html": LINKED, "url": "http://x.org/d/a"}
    assert by_datatrove(row).startswith("The council met [at length](http://x.org/d/b.html)")
    assert by_datatrove({"source": "x", "html": LINKED}).startswith("The council met [at length](b.html)")


# ----------------------------------------------------------------------------------------------------------- datatrove


@pytest.mark.filterwarnings("ignore::DeprecationWarning")
def test_a_datatrove_pipeline_cleans_files(folder: Path, tmp_path: Path) -> None:
    pytest.importorskip("datatrove")
    from datatrove.executor import LocalPipelineExecutor
    from datatrove.pipeline.readers import JsonlReader
    from datatrove.pipeline.writers import JsonlWriter

    from templatemine.adapters.datatrove import TemplateCleaner

    source = tmp_path / "in"
    source.mkdir()
    lines = [
        json.dumps({name: row[name] for name in ("id", "text", "source")} | {"n": n})
        for n, row in enumerate(MINED.rows)
    ]
    (source / "a.jsonl").write_text("\n".join(lines), encoding="utf-8")
    out = tmp_path / "out"
    steps = [JsonlReader(str(source)), TemplateCleaner(folder), JsonlWriter(str(out), compression=None)]
    stats = LocalPipelineExecutor(steps, logging_dir=str(tmp_path / "logs")).run()
    rows = [json.loads(line) for path in sorted(out.glob("*.jsonl")) for line in path.read_text("utf-8").splitlines()]
    assert [row["metadata"]["n"] for row in rows] == list(range(len(MINED.rows)))
    assert [row["text"] for row in rows] == MINED.wanted.texts
    assert [row["metadata"].get("removed") for row in rows] == MINED.wanted.removed
    assert [row["metadata"]["source"] for row in rows] == MINED.sources
    counts = stats.stats[1].stats
    assert counts["total"].total == len(MINED.rows)
    assert counts["changed"].total == sum(bool(one) for one in MINED.wanted.removed)
    assert counts["no pack"].total == MINED.wanted.removed.count(None)
    cut = sum(len(row["text"] or "") for row in MINED.rows) - sum(len(text or "") for text in MINED.wanted.texts)
    assert counts["cut"].total == cut > 0


def test_a_datatrove_block_takes_pages_and_documents_without_a_source(folder: Path) -> None:
    pytest.importorskip("datatrove")
    from datatrove.data import Document

    from templatemine.adapters.datatrove import TemplateCleaner

    page = "<html><body><p>" + "The council met and talked at length. " * 20
    some = [Document(text=page, id="1", metadata={"site": "x"}), Document(text="a", id="2", metadata={})]
    first, second = TemplateCleaner({}, "site", html=True).run(some)
    assert first.text.startswith("The council met")
    assert "removed" in first.metadata
    assert (second.text, second.metadata) == ("a", {})
