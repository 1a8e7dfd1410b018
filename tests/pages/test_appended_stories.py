"""Pages of an archive below whose story the site appends others: the first stays whole, nothing of the others does."""

from __future__ import annotations

import gzip
import json
from pathlib import Path

import pytest

from templatemine import extract
from templatemine.__main__ import main

CASE = Path(__file__).resolve().parents[3] / "shared" / "cases" / "33-history" / "pages.jsonl.gz"


@pytest.mark.skipif(not CASE.exists(), reason="the cases of public reports (../shared/cases) are not here")
def test_the_first_story_stays_with_its_notes_and_the_appended_ones_go(tmp_path: Path) -> None:
    """40 pages, of six paragraphs and two footnotes each, with three further stories."""
    html = pytest.importorskip("lxml.html")
    rows = [json.loads(line) for line in gzip.decompress(CASE.read_bytes()).splitlines()]
    packs, cleaned = str(tmp_path / "packs"), tmp_path / "cleaned.jsonl"
    assert main(["mine", "-q", str(CASE), "-o", packs]) == 0
    assert main(["clean", "-q", str(CASE), "--packs", packs, "-o", str(cleaned)]) == 0
    texts = [json.loads(line)["text"] for line in cleaned.read_text(encoding="utf-8").splitlines()]
    for row, text in zip(rows, texts, strict=True):
        stories = [
            [" ".join(one.text_content().replace("↩", "").split()) for one in article.iter("p")]
            for article in html.fromstring(row["html"]).iter("article")
        ]
        assert [len(story) for story in stories] == [8, 6, 6, 6]
        found, alone = (" ".join(one.split()) for one in (text, extract(row["html"], url=row["url"]).text))
        assert [one for one in stories[0] if one not in found or one not in alone] == []
        assert [one for story in stories[1:] for one in story if one in found or one in alone] == []
