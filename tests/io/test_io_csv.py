"""CSV: a row is a record, and a bad row costs nothing but itself."""

from __future__ import annotations

import csv
import gzip
import io
import time
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from io_support import gather
from templatemine.config import ReadConfig
from templatemine.errors import CorpusError
from templatemine.io.csv import CsvWriter
from templatemine.io.jsonl import encode_line


def put(path: Path, data: str | bytes) -> Path:
    path.write_bytes(data if isinstance(data, bytes) else data.encode())
    return path


def test_rows_are_records(tmp_path: Path) -> None:
    path = put(tmp_path / "a.csv", '\ufeffid,text,source,n\r\n007,"a ""q"",\r\nb",s,\r\n\r\n8,c,t,1\n')
    found, errors, _ = gather(path)
    assert [one.document.id for one in found] == ["007", "8"]
    assert found[0].fields == {"id": "007", "text": 'a "q",\r\nb', "source": "s", "n": ""}
    assert [one.where for one in found] == [f"{path}:1", f"{path}:2"]
    assert errors == []


@pytest.mark.parametrize("name", ["a.csv.gz", "a.TSV"])
def test_packed_and_with_tabs(tmp_path: Path, name: str) -> None:
    data = "text\tx\n1\t2\n" if name == "a.TSV" else "text,x\n1,2\n"
    put(tmp_path / name, gzip.compress(data.encode()) if name.endswith(".gz") else data)
    assert [one.fields for one in gather(tmp_path / name)[0]] == [{"text": "1", "x": "2"}]


def test_empty_cells(tmp_path: Path) -> None:
    put(tmp_path / "a.csv", "id,text,html,source\n,a,,\n2,,<p>,s\n3,,,s\n")
    found, errors, _ = gather(tmp_path / "a.csv")
    documents = [(one.document.id, one.document.source, one.document.text, one.document.html) for one in found]
    assert documents == [("a:1", "a", "a", None), ("2", "s", None, "<p>"), ("3", "s", "", None)]
    assert errors == []


def test_bad_rows(tmp_path: Path) -> None:
    path = put(tmp_path / "a.csv", b"id,text\n1,a\n2\n3,b,c\n4,caf\xe9\n5,ok\n")
    found, errors, _ = gather(path)
    assert [one.document.id for one in found] == ["1", "5"]
    assert [(error.where, error.problem) for error in errors] == [
        (f"{path}:2", "expected 2 columns, found 1"),
        (f"{path}:3", "expected 2 columns, found 3"),
        (f"{path}:4", "expected UTF-8, found byte 0xe9"),
    ]


@pytest.mark.parametrize("long", ["x" * 5000, '"' + "x" * 5000 + '"', '"' + "x" * 50 + '""' + "y" * 5000 + '"'])
def test_rows_that_are_too_large(tmp_path: Path, long: str) -> None:
    path = put(tmp_path / "a.csv", f"id,text\n1,a\n2,{long}\n3,b\n")
    found, (error,), _ = gather(path, ReadConfig(max_record=1000))
    assert [one.document.id for one in found] == ["1", "3"]
    assert error.where == f"{path}:2"
    assert error.problem == "expected at most 1,000 bytes, found more"


@pytest.mark.parametrize(
    ("data", "problem"),
    [(b"", "found an empty file"), (b"text,text\na,b\n", "two called 'text'"), (b"\xff,text\na,b\n", "a header")]
    + [(row.encode(), f"found one column {row[:-1]!r}") for row in ("id;text\n", "id\ttext\n", "id|text\n")],
)
def test_no_good_header(tmp_path: Path, data: bytes, problem: str) -> None:
    found, errors, _ = gather(put(tmp_path / "a.csv", data))
    assert found == []
    assert errors[-1].fatal
    assert problem in errors[-1].problem


@pytest.mark.parametrize("end", ["", "\n"])
def test_a_file_cut_off_within_quotes(tmp_path: Path, end: str) -> None:
    """The rows behind a quote that is never closed came out as one cell, or were lost with it."""
    path = put(tmp_path / "a.csv", 'id,text\n1,a\n2,"b\n3,c\n4,d' + end)
    found, (error,), _ = gather(path)
    assert [one.document.id for one in found] == ["1"]
    assert error.where == f"{path}:2"
    assert error.problem == (
        "expected a closing quote, found the end of the file, 3 lines after the row began: the file is truncated"
    )
    found, errors, _ = gather(put(tmp_path / "b.csv", f'id,"text{end}'))
    assert found == []
    assert "expected a closing quote" in errors[0].problem
    assert errors[-1].fatal
    found, errors, _ = gather(put(tmp_path / "c.csv", 'id,text\n1,"a\nb"'))
    assert [one.document.text for one in found] == ["a\nb"]
    assert errors == []


def test_a_header_of_many_columns_takes_linear_time(tmp_path: Path) -> None:
    names = ",".join(f"c{number}" for number in range(75_000))
    path = put(tmp_path / "a.csv", f"text,{names}\na{',' * 75_000}\n")
    start = time.perf_counter()
    (one,), errors, _ = gather(path)
    assert time.perf_counter() - start < 5.0
    assert (one.document.text, errors) == ("a", [])


def test_tables_in_utf_16_are_called_so(tmp_path: Path) -> None:
    """As a spreadsheet saves "Unicode text"."""
    _, errors, _ = gather(put(tmp_path / "a.csv", "id,text\r\n1,a\r\n".encode("utf-16")))
    assert errors[0].problem == "expected UTF-8, found UTF-16"


def test_truncated_packing(tmp_path: Path) -> None:
    rows = "".join(f"{number},{'x' * 100}\n" for number in range(3000))
    put(tmp_path / "a.csv.gz", gzip.compress(f"id,text\n{rows}".encode())[:-12])
    found, errors, _ = gather(tmp_path / "a.csv.gz")
    assert [one.document.id for one in found] == [str(number) for number in range(len(found))]
    assert "truncated" in errors[-1].problem


@given(st.lists(st.tuples(st.text(max_size=20), st.text(max_size=20)), min_size=1, max_size=5))
def test_cells_come_out_as_they_went_in(rows: list[tuple[str, str]]) -> None:
    sink = io.BytesIO()
    writer = CsvWriter(sink, "out.csv", ["removed"])
    for text, other in rows:
        writer.write(encode_line({"text": text, "other": other, "n": 1, "none": None, "removed": [{"start": 0}]}))
    writer.close()
    first, *cells = csv.reader(io.StringIO(sink.getvalue().decode(), newline=""))
    assert first == ["text", "other", "n", "none", "removed"]
    assert cells == [[text, other, "1", "", '[{"start":0}]'] for text, other in rows]


def test_records_with_other_fields_are_refused() -> None:
    writer = CsvWriter(io.BytesIO(), "out.csv", [])
    writer.write(b'{"a":1}\n')
    with pytest.raises(CorpusError, match="found one with 'b'"):
        writer.write(b'{"a":1,"b":2}\n')
