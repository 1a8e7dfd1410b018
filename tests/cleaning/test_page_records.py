"""Records with pages in, extracted abreast."""

from __future__ import annotations

import json

import pytest

from templatemine.cleaning import page_records
from templatemine.cleaning.page_records import RecordExtractor
from templatemine.io.pending import Lines


@pytest.mark.parametrize("abreast", [1, 2, 3, 32])
def test_lines_and_errors_come_in_the_order_of_the_records(monkeypatch: pytest.MonkeyPatch, abreast: int) -> None:
    monkeypatch.setattr(page_records, "ABREAST", abreast)
    lines = [json.dumps({"html": f"<p>Page {number} says this. <p>And that."}) for number in range(8)]
    lines[2], lines[3], lines[6] = '{"html":', '{"text": "no page"}', "[]"
    found = RecordExtractor().extract_batch(Lines("pages.jsonl", "a", 1, "\n".join(lines).encode()))
    rows = [json.loads(line) for line in found.data.splitlines()]
    assert [row["text"].split()[1] for row in rows] == ["0", "1", "4", "5", "7"]
    assert [error.where for error in found.errors] == [f"pages.jsonl:{number}" for number in (3, 4, 7)]
    assert found.tally.pages == 5
