"""Records with pages in, extracted and cleaned abreast."""

from __future__ import annotations

import json

import pytest

from templatemine.cleaning.page_records import RecordExtractor
from templatemine.cleaning.records import RecordCleaner, RecordConfig
from templatemine.config import ReadConfig
from templatemine.io.files import Report
from templatemine.io.pending import Items, Lines
from templatemine.pages import abreast


def page(number: int) -> dict[str, object]:
    return {"html": f"<p>Page {number} says this. <p>And that."}


@pytest.fixture(params=[1, 2, 3, 32], autouse=True)
def how_many(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(abreast, "ABREAST", request.param)


def test_lines_and_errors_come_in_the_order_of_the_records() -> None:
    lines = [json.dumps(page(number)) for number in range(8)]
    lines[2], lines[3], lines[6] = '{"html":', '{"text": "no page"}', "[]"
    found = RecordExtractor().extract_batch(Lines("pages.jsonl", "a", 1, "\n".join(lines).encode()))
    rows = [json.loads(line) for line in found.data.splitlines()]
    assert [row["text"].split()[1] for row in rows] == ["0", "1", "4", "5", "7"]
    assert [error.where for error in found.errors] == [f"pages.jsonl:{number}" for number in (3, 4, 7)]
    assert found.tally.pages == 5


def test_so_they_do_where_pages_are_cleaned_among_texts() -> None:
    """Lines that need no pack pass as they are, in their places."""
    lines = [json.dumps(page(number)) for number in range(9)]
    lines[2], lines[4], lines[6] = '{"html":', '{"text":  "a text"}', '{"html": 7}'
    lines[7] = '{"html":  "<p>Cleaned", "text": "before", "removed": []}'
    found = RecordCleaner({}).clean_batch(Lines("pages.jsonl", "a", 1, "\n".join(lines).encode()))
    out = found.data.decode().splitlines()
    assert [line for line in out if line in lines] == [lines[4], lines[7]] == [out[3], out[5]]
    assert [json.loads(line)["text"][:6] for line in out] == [
        "Page 0",
        "Page 1",
        "Page 3",
        "a text",
        "Page 5",
        "before",
        "Page 8",
    ]
    assert [error.where for error in found.errors] == [f"pages.jsonl:{number}" for number in (3, 7)]
    assert found.tally.sources["a"].page_model == 5


def test_so_they_do_where_records_come_parsed_and_as_rows() -> None:
    records = [("ab"[number % 2], f"f:{number}", page(number)) for number in range(7)]
    data = RecordCleaner({}).clean_batch(Items(records)).data
    assert [json.loads(line)["text"].split()[1] for line in data.splitlines()] == list("0123456")
    pyarrow = pytest.importorskip("pyarrow")
    from templatemine.io import tables

    table = pyarrow.Table.from_pylist([page(number) for number in range(7)])
    (batch,) = tables.read_batches(lambda path: table.to_batches(), "s", ReadConfig(), Report(), 9, 1 << 20)
    rows = pyarrow.ipc.open_stream(RecordCleaner({}, RecordConfig(rows=True)).clean_batch(batch).data).read_all()
    assert [text.split()[1] for text in rows.column("text").to_pylist()] == list("0123456")
