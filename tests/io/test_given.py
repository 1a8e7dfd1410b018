"""What a caller may give in place of documents."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

import templatemine
from templatemine.config import ReadConfig
from templatemine.errors import CorpusError
from templatemine.io.given import documents_of
from templatemine.model import Document

ROWS: list[dict[str, Any]] = [
    {
        "source": "a.example",
        "id": str(number),
        "text": f"Story {number} of the day.\nSign up for the letter of a.example.",
    }
    for number in range(20)
]
DOCUMENTS = [Document(**row) for row in ROWS]


@pytest.fixture
def path(tmp_path: Path) -> Path:
    place = tmp_path / "a.jsonl"
    place.write_text("".join(json.dumps(row) + "\n" for row in ROWS))
    return place


def test_all_of_them_are_the_same_documents(path: Path) -> None:
    for given in (
        DOCUMENTS,
        iter(DOCUMENTS),
        ROWS,
        path,
        str(path),
        [path],
        (row for row in ROWS),
        [*DOCUMENTS[:5], *ROWS[5:]],
    ):
        assert list(documents_of(given)) == DOCUMENTS
    assert list(templatemine.read(path)) == DOCUMENTS
    assert list(templatemine.read(str(path.parent / "*.jsonl"), path)) == DOCUMENTS * 2


def test_fields_of_other_names(tmp_path: Path) -> None:
    rows = [{"site": "a", "body": "x", "id": "1"}]
    (one,) = documents_of(rows, ReadConfig(source_field="site", text_field="body"))
    assert one == Document(source="a", id="1", text="x")
    (tmp_path / "a.jsonl").write_text(json.dumps(rows[0]))
    assert list(templatemine.read(tmp_path / "a.jsonl", source_field="site", text_field="body")) == [one]


def test_data_frames() -> None:
    pandas = pytest.importorskip("pandas")
    frame = pandas.DataFrame(ROWS)
    assert list(documents_of(frame)) == DOCUMENTS
    frame["html"] = [None] * 19 + ["<p>page</p>"]
    frame["date"] = [float("nan")] * 20
    found = list(documents_of(frame))
    assert found[:19] == DOCUMENTS[:19]
    assert found[19].html == "<p>page</p>"
    polars = pytest.importorskip("polars")
    assert list(documents_of(polars.DataFrame(ROWS))) == DOCUMENTS


def test_what_is_mined_is_the_same(path: Path) -> None:
    wanted = templatemine.mine(DOCUMENTS)
    assert "Sign up for the letter of a.example." in str(wanted["a.example"].templates)
    assert templatemine.mine(path) == templatemine.mine(ROWS) == wanted


@pytest.mark.parametrize(
    ("given", "message"),
    [
        (7, "expected documents, records, a data frame or a path, got int"),
        (ROWS[0], "got dict"),
        (DOCUMENTS[0], "got Document"),
        (
            ["A story.", "Another."],
            "item 1: expected a Document or a dict, got str: Document(source=..., id=..., text=...)",
        ),
        ([DOCUMENTS[0], None], "item 2: expected a Document or a dict, got NoneType"),
        ([{"text": "x"}], "item 1: expected the source in field 'source', found none"),
        ([{"source": "a"}], "item 1: "),
        ([{"source": "a", "text": 7}], "item 1: expected a string in field 'text', found"),
    ],
)
def test_what_is_no_document_is_told(given: Any, message: str) -> None:
    with pytest.raises(CorpusError) as raised:
        list(documents_of(given))
    assert message in str(raised.value)
