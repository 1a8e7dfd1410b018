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
        (f"{path}:4", "expected UTF-8, found byte 0xe9 (csv_encoding= names another encoding, such as cp1252)"),
    ]


@pytest.mark.parametrize("long", ["x" * 5000, '"' + "x" * 5000 + '"', '"' + "x" * 50 + '""' + "y" * 5000 + '"'])
def test_rows_that_are_too_large(tmp_path: Path, long: str) -> None:
    path = put(tmp_path / "a.csv", f"id,text\n1,a\n2,{long}\n3,b\n")
    found, (error,), _ = gather(path, ReadConfig(max_record=1000))
    assert [one.document.id for one in found] == ["1", "3"]
    assert error.where == f"{path}:2"
    assert error.problem == "expected at most 1,000 bytes (ReadConfig.max_record), found more"


@pytest.mark.parametrize(
    ("data", "problem"),
    [(b"", "found an empty file"), (b"text,text\na,b\n", "two called 'text'"), (b"\xff,text\na,b\n", "a header")],
)
def test_no_good_header(tmp_path: Path, data: bytes, problem: str) -> None:
    found, errors, _ = gather(put(tmp_path / "a.csv", data))
    assert found == []
    assert errors[-1].fatal
    assert problem in errors[-1].problem


@pytest.mark.parametrize(
    ("name", "header", "delimiter"),
    [
        ("a.csv", "id;text", ";"),
        ("a.csv", "id\ttext", "\t"),
        ("a.csv", "id|text", "|"),
        ("a.tsv", "id,text", ","),
        ("a.csv", '\ufeff"id";"text"', ";"),
        ("a.csv", 'id;text;"Name, first name | others"', ";"),
        ("a.csv", "id;text;Name, first name", ";"),  # only by semicolons there is a column of texts
        ("a.csv", "id,text,a;b|c", ","),
        ("a.csv", "text,a;html", ","),  # by both, of which one is that of the suffix
        ("a.csv", "\n\r\nid;text", ";"),
        ("a.csv", 'id;text;"a\nb"', ";"),
    ],
)
def test_the_delimiter_is_that_of_the_header(tmp_path: Path, name: str, header: str, delimiter: str) -> None:
    """All but commas were refused, and there was no option."""
    path = put(tmp_path / name, f"{header}\n")
    with path.open("a", newline="") as file:
        (columns,) = csv.reader(io.StringIO(header.lstrip("\ufeff\r\n"), newline=""), delimiter=delimiter)
        rows = [{column: f"{column},;\t| {number}" for column in columns} for number in range(2)]
        csv.DictWriter(file, columns, delimiter=delimiter).writerows(rows)
    found, errors, _ = gather(path)
    assert errors == []
    assert [one.fields for one in found] == rows
    assert [one.where for one in found] == [f"{path}:1", f"{path}:2"]


@pytest.mark.parametrize("line", ['{"id": 1, "text": "a, b"}', '[{"text": "a; b", "id": "1"},'])
def test_json_is_no_table(tmp_path: Path, line: str) -> None:
    """Each line was told to have another number of columns than the first."""
    found, (error,), _ = gather(put(tmp_path / "a.csv", f"{line}\n{line}\n"))
    assert (found, error.fatal) == ([], True)
    assert error.problem == "expected a header, found JSON (format='jsonl' reads it as JSON lines)"
    (one,), errors, _ = gather(put(tmp_path / "b.csv", "{id},text\n1,a\n"))
    assert (one.fields, errors) == ({"{id}": "1", "text": "a"}, [])


def test_a_delimiter_that_is_not_clear(tmp_path: Path) -> None:
    path = put(tmp_path / "a.csv", "body;id|n\na;1|2\n")
    found, (error,), _ = gather(path)
    assert (found, error.fatal) == ([], True)
    assert error.problem == (
        "expected a header with one delimiter, found ';' and '|' (csv_delimiter= says which it is)"
    )
    (one,), errors, _ = gather(path, ReadConfig(csv_delimiter=";", text_field="body"))
    assert (one.fields, errors) == ({"body": "a", "id|n": "1|2"}, [])
    (one,), errors, _ = gather(put(tmp_path / "b.csv", "id~text\n1~a,b\n"), ReadConfig(csv_delimiter="~"))
    assert (one.fields, errors) == ({"id": "1", "text": "a,b"}, [])
    _, errors, _ = gather(put(tmp_path / "c.csv", "id;body\n1;a\n"))
    assert "found only 'id', 'body' (text_field= names another; text_field='body'?)" in errors[0].problem


@pytest.mark.parametrize(
    ("line", "delimiter"),
    [("sep=;", ";"), ("sep=,", ","), ("sep=\t", "\t"), ("sep=\\t", "\t"), ("\ufeffSEP=|", "|"), ('"sep=~"', "~")],
)
@pytest.mark.parametrize("end", ["\n", "\r\n"])
def test_a_line_for_excel_names_the_delimiter(tmp_path: Path, line: str, delimiter: str, end: str) -> None:
    """It was the header, and every row a bad one."""
    rows = delimiter.join(["id", "text", "a;b|c,d\te~f".replace(delimiter, "-")])
    data = f"{line}{end}{rows}{end}{rows.replace('text', 'a story')}{end}"
    found, errors, _ = gather(put(tmp_path / "a.csv", data))
    assert errors == []
    assert [(one.document.text, one.where) for one in found] == [("a story", f"{tmp_path}/a.csv:1")]
    named = data.replace(delimiter, "^").replace("sep=^", "sep=;")  # the named one wins
    found, errors, _ = gather(put(tmp_path / "b.csv.gz", gzip.compress(named.encode())), ReadConfig(csv_delimiter="^"))
    assert ([one.document.text for one in found], errors) == (["a story"], [])
    encoded = data.removeprefix("\ufeff").encode("utf-16")
    found, errors, _ = gather(put(tmp_path / "c.csv", encoded), ReadConfig(csv_encoding="utf-16"))
    assert ([one.document.text for one in found], errors) == (["a story"], [])


def test_a_line_for_excel_alone(tmp_path: Path) -> None:
    found, (error,), _ = gather(put(tmp_path / "a.csv", "sep=;\r\n"))
    assert (found, error.fatal) == ([], True)
    assert "expected a header, found an empty file" in error.problem
    (one,), errors, _ = gather(put(tmp_path / "b.csv", "sep=,text\n1,a\n"))
    assert (one.fields, errors) == ({"sep=": "1", "text": "a"}, [])


def test_the_encoding_is_the_one_that_is_named(tmp_path: Path) -> None:
    rows = 'id;text\r\n1;"café – “x”\r\nend"\r\n2;b\r\n'
    path = put(tmp_path / "a.csv", rows.encode("cp1252") + b"3;\x81\r\n4;d\r\n")
    found, errors, _ = gather(path, ReadConfig(csv_encoding="windows-1252"))
    assert [one.document.text for one in found] == ["café – “x”\r\nend", "b", "d"]
    assert [(one.where, one.problem) for one in errors] == [(f"{path}:3", "expected cp1252, found byte 0x81")]
    _, errors, _ = gather(put(tmp_path / "b.csv", "\ufeffid,text\n1,é\n"), ReadConfig(csv_encoding="latin-1"))
    assert errors[0].problem == "expected iso8859-1, found the byte order mark of UTF-8"
    assert errors[1].fatal


@pytest.mark.parametrize("encoding", ["utf-8-sig", "utf-16", "utf-16-le", "utf-32", "gb18030", "shift_jis", "cp037"])
def test_encodings_of_more_bytes(tmp_path: Path, encoding: str) -> None:
    text = "a\r\nb" if encoding == "cp037" else "\u5316\u3042\r\n\u4e0a"  # with 0x0a in UTF-16
    path = put(tmp_path / "a.csv", f'id;text\r\n1;"{text}"\r\n'.encode(encoding))
    (one,), errors, _ = gather(path, ReadConfig(csv_encoding=encoding))
    assert (one.fields, errors) == ({"id": "1", "text": text}, [])
    if encoding.startswith("utf-16"):
        put(path, f"id;text\r\n1;{'a' * 300_000}\r\n".encode(encoding) + b"\0")
        found, (error,), _ = gather(path, ReadConfig(csv_encoding=encoding))
        assert error.fatal
        assert len(found) <= 1
        assert f"expected {encoding}: truncated data" in error.problem


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
    start = time.process_time()
    (one,), errors, _ = gather(path)
    assert time.process_time() - start < 5.0
    assert (one.document.text, errors) == ("a", [])


def test_tables_in_utf_16_are_called_so(tmp_path: Path) -> None:
    """As a spreadsheet saves "Unicode text"."""
    _, errors, _ = gather(put(tmp_path / "a.csv", "id,text\r\n1,a\r\n".encode("utf-16")))
    hint = "(csv_encoding= names another encoding, such as utf-16)"
    assert errors[0].problem == f"expected UTF-8, found UTF-16 {hint}"
    _, errors, _ = gather(put(tmp_path / "b.csv", "id,text\r\n1,a\r\n".encode("utf-16-le")))
    assert "csv_encoding='utf-16'" in errors[0].problem


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
    with pytest.raises(CorpusError, match="found 'b' in record 2"):
        writer.write(b'{"a":1,"b":2}\n')
