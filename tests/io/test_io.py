"""Reading archives and writing files: bad input gives one clear line, and nothing is lost or left half-written."""

from __future__ import annotations

import errno
import gzip
import io
import itertools
import json
import math
import os
import random
import stat
import subprocess
import sys
import time
import unicodedata
import zlib
from collections.abc import Callable, Iterator
from pathlib import Path
from types import MappingProxyType
from typing import Any

import orjson
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from templatemine.config import ReadConfig
from templatemine.errors import CorpusError
from templatemine.io import write
from templatemine.io.formats import format_by_name
from templatemine.io.jsonl import MAX_DEPTH, decode_line, encode_line
from templatemine.io.read import format_of, read_documents, read_records
from templatemine.io.write import atomic_writer, safe_file_name
from templatemine.model import Document, Record

CONFIG = ReadConfig()
SUFFIXES = format_by_name("jsonl").suffixes


def put(path: Path, *lines: bytes | str | dict[str, Any]) -> str:
    """Write lines to a file, gzip by suffix; a dict becomes JSON."""
    rows = [json.dumps(line) if isinstance(line, dict) else line for line in lines]
    data = b"".join((row if isinstance(row, bytes) else row.encode()) + b"\n" for row in rows)
    path.write_bytes(gzip.compress(data) if path.name.endswith(".gz") else data)
    return str(path)


def collect(path: str | Path, config: ReadConfig = CONFIG) -> tuple[list[Record], list[CorpusError]]:
    errors: list[CorpusError] = []
    return list(read_records(path, config, errors.append)), errors


def gather(records: list[Record], source: Iterator[Record]) -> None:
    """Like ``extend``, but what came before an exception is kept on every version of Python."""
    for record in source:
        records.append(record)


def no_error(error: CorpusError) -> None:
    pytest.fail(str(error))


def fatal(path: str | Path) -> tuple[list[Record], CorpusError]:
    """Read until the fatal error; it must be one readable line, and the only one."""
    records: list[Record] = []
    with pytest.raises(CorpusError) as caught:
        gather(records, read_records(path, CONFIG, no_error))
    assert caught.value.fatal
    assert "\n" not in str(caught.value)
    return records, caught.value


def damaged(path: str | Path) -> tuple[list[Record], CorpusError]:
    """What is whole of a file whose packing is damaged, and the one error that tells so and ends nothing."""
    records, (error,) = collect(path)
    assert error.fatal
    assert error.problem.endswith("; what is whole is used")
    return records, error


def one_error(tmp_path: Path, line: bytes | str | dict[str, Any]) -> str:
    """The problem of a line that stands between two good ones, which must be read all the same."""
    path = put(tmp_path / "a.jsonl", {"text": "x"}, line, {"text": "y"})
    records, errors = collect(path)
    assert [record.document.text for record in records] == ["x", "y"]
    (error,) = errors
    assert error.where == f"{path}:2"
    assert not error.fatal
    assert "\n" not in str(error)
    return error.problem


class TestJsonLines:
    def test_all_fields(self, tmp_path: Path) -> None:
        row = {
            "id": "a/1",
            "source": "fox.com",
            "text": "T",
            "html": "<p>",
            "url": "u",
            "date": "d",
            "title": "t",
            "x": [1],
        }
        path = put(tmp_path / "a.jsonl", row)
        (record,), errors = collect(path)
        assert record.document == Document(
            source="fox.com", id="a/1", text="T", html="<p>", url="u", date="d", title="t"
        )
        assert record.fields == row
        assert record.where == f"{path}:1"
        assert errors == []

    @pytest.mark.parametrize("suffix", [*SUFFIXES, *(f"{suffix}.gz" for suffix in SUFFIXES), ".JSONL", ".Json.GZ"])
    def test_suffixes_and_source_from_the_file(self, tmp_path: Path, suffix: str) -> None:
        path = tmp_path / f"fox.com{suffix}"
        path.write_bytes(gzip.compress(b'{"text":"a"}\n') if suffix.lower().endswith("gz") else b'{"text":"a"}\n')
        (record,), _ = collect(path)
        assert record.document == Document(source="fox.com", id="fox.com:1", text="a")

    def test_gzip_is_told_by_its_first_bytes(self, tmp_path: Path) -> None:
        path = tmp_path / "a.jsonl"
        path.write_bytes(gzip.compress(b'{"text":"a"}\n'))
        assert [record.document.text for record in collect(path)[0]] == ["a"]

    def test_several_gzip_members(self, tmp_path: Path) -> None:
        path = tmp_path / "a.jsonl.gz"
        path.write_bytes(gzip.compress(b'{"text":"a"}\n{"te') + gzip.compress(b'xt":"b"}\n') + b"\0" * 700)
        assert [record.document.text for record in collect(path)[0]] == ["a", "b"]

    def test_own_field_names(self, tmp_path: Path) -> None:
        path = put(tmp_path / "a.jsonl", {"body": "B", "page": None, "site": "s", "key": 7, "text": 1, "id": []})
        config = ReadConfig(text_field="body", html_field="page", source_field="site", id_field="key")
        (record,), errors = collect(path, config)
        assert record.document == Document(source="s", id="7", text="B")
        assert errors == []

    def test_blank_lines_bom_crlf_and_no_last_line_feed(self, tmp_path: Path) -> None:
        path = tmp_path / "a.jsonl"
        path.write_bytes(b'\xef\xbb\xbf{"text":"a"}\r\n\r\n \t\n{"text":"b\\r\\nc"}\r\n\xef\xbb\xbf\n{"text":"d"}')
        records, errors = collect(path)
        assert [record.document.text for record in records] == ["a", "b\r\nc", "d"]
        assert [record.where.rpartition(":")[2] for record in records] == ["1", "4", "6"]
        assert errors == []

    @pytest.mark.parametrize("name", ["a.jsonl", "a.jsonl.gz"])
    @pytest.mark.parametrize("data", [b"", b"\n", b"\xef\xbb\xbf"])
    def test_empty_files_yield_nothing(self, tmp_path: Path, name: str, data: bytes) -> None:
        path = tmp_path / name
        path.write_bytes(gzip.compress(data) if name.endswith("gz") else data)
        assert collect(path) == ([], [])

    def test_file_of_no_bytes_named_gz(self, tmp_path: Path) -> None:
        (tmp_path / "a.jsonl.gz").touch()
        assert collect(tmp_path / "a.jsonl.gz") == ([], [])

    @pytest.mark.parametrize(
        ("value", "expected"), [("x", "x"), ("", "a:1"), (7, "7"), (-1.5, "-1.5"), (2**70, str(2**70)), (None, "a:1")]
    )
    def test_ids_become_strings_and_fields_stay(self, tmp_path: Path, value: object, expected: str) -> None:
        (record,), errors = collect(put(tmp_path / "a.jsonl", {"text": "x", "id": value}))
        assert record.document.id == expected
        assert record.fields["id"] == value
        assert type(record.fields["id"]) is type(value)
        assert errors == []

    @pytest.mark.parametrize(
        ("value", "expected"), [("", "a"), (" \t\u3000", "a"), (" s ", " s "), (7, "7"), (1.5, "1.5"), (None, "a")]
    )
    def test_sources_become_strings(self, tmp_path: Path, value: object, expected: str) -> None:
        (record,), _ = collect(put(tmp_path / "a.jsonl", {"text": "x", "source": value}))
        assert record.document.source == expected

    @pytest.mark.parametrize("extra", [{"text": None, "html": "h"}, {"html": "h"}])
    def test_html_alone(self, tmp_path: Path, extra: dict[str, Any]) -> None:
        (record,), errors = collect(put(tmp_path / "a.jsonl", extra))
        assert (record.document.text, record.document.html, record.document.body) == (None, "h", "h")
        assert errors == []

    def test_null_html_is_no_html(self, tmp_path: Path) -> None:
        (record,), errors = collect(put(tmp_path / "a.jsonl", {"text": "", "html": None}))
        assert (record.document.text, record.document.html) == ("", None)
        assert errors == []

    @pytest.mark.parametrize("blank", ["", " \n\u3000"])
    def test_blank_html_beside_a_text_is_no_html(self, tmp_path: Path, blank: str) -> None:
        records, errors = collect(put(tmp_path / "a.jsonl", {"text": "x", "html": blank}, {"html": blank}))
        assert [(one.document.text, one.document.html) for one in records] == [("x", None), (None, blank)]
        assert errors == []

    def test_other_fields_of_other_types(self, tmp_path: Path) -> None:
        (record,), errors = collect(put(tmp_path / "a.jsonl", {"text": "x", "url": 1, "date": [], "title": None}))
        assert (record.document.url, record.document.date, record.document.title) == (None, None, None)
        assert record.fields == {"text": "x", "url": 1, "date": [], "title": None}
        assert errors == []

    def test_surrogates_and_nul_pass_unharmed(self, tmp_path: Path) -> None:
        line = b'{"text":"a\\ud800b\\u0000c\\udfff","id":"\\udc00"}'
        (record,), errors = collect(put(tmp_path / "a.jsonl", line))
        assert record.document.text == "a\ud800b\0c\udfff"
        assert record.document.id == "\udc00"
        assert errors == []
        assert encode_line(record.fields) == line + b"\n"

    def test_nan_and_infinity_are_read(self, tmp_path: Path) -> None:
        (record,), errors = collect(put(tmp_path / "a.jsonl", '{"text":"x","n":[NaN,Infinity,-Infinity]}'))
        assert math.isnan(record.fields["n"][0])
        assert record.fields["n"][1:] == [math.inf, -math.inf]
        assert errors == []

    def test_last_of_equal_keys_wins(self, tmp_path: Path) -> None:
        (record,), _ = collect(put(tmp_path / "a.jsonl", '{"text":"x","text":"y"}'))
        assert record.document.text == "y"

    def test_documents_with_one_id_are_all_kept(self, tmp_path: Path) -> None:
        path = put(tmp_path / "a.jsonl", {"id": "1", "text": "x"}, {"id": "1", "text": "x"}, {"id": 1, "text": "y"})
        records, errors = collect(path)
        assert [record.document.id for record in records] == ["1", "1", "1"]
        assert errors == []

    def test_document_of_50_megabytes(self, tmp_path: Path) -> None:
        text = "eine Zeile voller Wörter " * 2_000_000
        path = put(tmp_path / "a.jsonl.gz", {"text": "x"}, {"text": text}, {"text": "y"})
        start = time.perf_counter()
        records, errors = collect(path)
        assert time.perf_counter() - start < 20  # about one second; a quadratic reader takes minutes
        assert [len(record.document.body) for record in records] == [1, len(text), 1]
        assert records[1].document.text == text
        assert errors == []

    def test_reading_is_lazy(self, tmp_path: Path) -> None:
        path = put(tmp_path / "a.jsonl", {"text": "x"}, "broken")
        records = read_records(path, CONFIG)
        assert next(records).document.text == "x"


class TestBadLines:
    @pytest.mark.parametrize(
        ("line", "column"), [('{"text": "x",}', 14), ("hello", 1), ('{"text": "x"} {}', 15), ('{"text": "x', 10)]
    )
    def test_not_json(self, tmp_path: Path, line: str, column: int) -> None:
        problem = one_error(tmp_path, line)
        with pytest.raises(json.JSONDecodeError) as caught:
            json.loads(line)
        assert problem.startswith("expected a JSON object, found text that is not JSON: " + caught.value.msg)
        # From Python 3.13 on a trailing comma is reported where it stands, one column to the left.
        assert f"column {caught.value.colno}" in problem
        assert abs(caught.value.colno - column) <= 1

    @pytest.mark.parametrize(
        ("line", "found"),
        [("[]", "an array"), ('"x"', "a string"), ("1", "a number"), ("null", "null"), ("true", "a boolean")],
    )
    def test_not_an_object(self, tmp_path: Path, line: str, found: str) -> None:
        assert one_error(tmp_path, line) == f"expected a JSON object, found {found}"

    def test_neither_text_nor_html(self, tmp_path: Path) -> None:
        found = "found only 'body', 'id' (text_field= names another; text_field='body'?)"
        assert one_error(tmp_path, {"body": "x", "id": 1}) == f"expected a field 'text' or 'html', {found}"
        assert one_error(tmp_path, {}) == "expected a field 'text' or 'html', found an empty object"
        many = one_error(tmp_path, {"k" * 1000 + str(n): n for n in range(1000)})
        assert many.endswith(", ... (text_field= names another)")
        assert len(many) < 400

    @pytest.mark.parametrize("row", [{"text": None}, {"html": None}, {"text": None, "html": None}])
    def test_null_is_no_body(self, tmp_path: Path, row: dict[str, Any]) -> None:
        expected = "expected a field 'text' or 'html' that holds a string, found null in "
        assert one_error(tmp_path, row) == expected + " and ".join(map(repr, row))

    @pytest.mark.parametrize("field", ["text", "html"])
    @pytest.mark.parametrize(
        ("value", "found"),
        [(1, "a number"), (1.5, "a number"), (True, "a boolean"), ([], "an array"), ({}, "an object")],
    )
    def test_body_is_not_a_string(self, tmp_path: Path, field: str, value: object, found: str) -> None:
        other = "html" if field == "text" else "text"
        expected = f"expected a string in field {field!r}, found {found}"
        assert one_error(tmp_path, {field: value}) == expected
        assert one_error(tmp_path, {field: value, other: "good"}) == expected

    @pytest.mark.parametrize("field", ["source", "id"])
    @pytest.mark.parametrize(
        ("value", "found"), [(False, "a boolean"), (["a"], "an array"), ({"$oid": "1"}, "an object")]
    )
    def test_names_of_other_types(self, tmp_path: Path, field: str, value: object, found: str) -> None:
        expected = f"expected a string or a number in field {field!r}, found {found}"
        assert one_error(tmp_path, {"text": "x", field: value}) == expected

    @pytest.mark.parametrize("field", ["text", "title"])
    def test_invalid_utf8(self, tmp_path: Path, field: str) -> None:
        line = b'{"text":"", "' + field.encode() + b'": "caf\xe9"}'
        found = f"byte 0xe9 at byte offset {line.index(0xE9)} of the line"
        expected = f"expected UTF-8, found {found}; if it is Latin-1, convert it with iconv -f latin1 -t utf-8"
        assert one_error(tmp_path, line) == expected

    def test_raw_surrogates_are_invalid_utf8(self, tmp_path: Path) -> None:
        assert "byte 0xed at byte offset 9" in one_error(tmp_path, b'{"text":"\xed\xa0\x80"}')

    def test_byte_offset_counts_the_byte_order_mark(self, tmp_path: Path) -> None:
        path = put(tmp_path / "a.jsonl", b'\xef\xbb\xbf{"text":"\xff"}')
        assert "at byte offset 12 " in collect(path)[1][0].problem

    def test_nesting_has_a_limit(self, tmp_path: Path) -> None:
        def nested(levels: int) -> str:
            return '{"text":"x","a":' + "[" * (levels - 1) + "]" * (levels - 1) + "}"

        records, errors = collect(put(tmp_path / "b.jsonl", nested(MAX_DEPTH)))
        assert decode_line(encode_line(records[0].fields)) == records[0].fields
        assert errors == []
        for levels in (MAX_DEPTH + 1, 2_000, 1_000_000):
            assert one_error(tmp_path, nested(levels)) == f"expected at most {MAX_DEPTH} levels of nesting, found more"

    def test_nesting_has_a_limit_for_the_standard_library_too(self, tmp_path: Path) -> None:
        line = '{"text":"x","n":NaN,"a":' + "[" * 300 + "]" * 300 + "}"
        assert "levels of nesting" in one_error(tmp_path, line)

    def test_integer_too_long_for_python(self, tmp_path: Path) -> None:
        assert "at most 4,300 digits" in one_error(tmp_path, '{"text":"x","n":' + "1" * 5000 + "}")

    def test_without_on_error_the_first_is_raised(self, tmp_path: Path) -> None:
        path = put(tmp_path / "a.jsonl", {"text": "x"}, "broken", {"text": "y"})
        records = read_records(path, CONFIG)
        next(records)
        with pytest.raises(CorpusError, match=r"a\.jsonl:2: ") as caught:
            next(records)
        assert not caught.value.fatal

    def test_errors_of_the_callback_are_its_own(self, tmp_path: Path) -> None:
        def callback(_: CorpusError) -> None:
            raise OSError("mine")

        with pytest.raises(OSError, match="mine"):
            list(read_records(put(tmp_path / "a.jsonl", "broken"), CONFIG, callback))


class TestStandardInput:
    def feed(self, monkeypatch: pytest.MonkeyPatch, data: bytes) -> None:
        monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BufferedReader(io.BytesIO(data))))

    def test_plain_and_gzip(self, monkeypatch: pytest.MonkeyPatch) -> None:
        data = b'{"text":"a"}\n\n{"text":"b","source":"s"}\n'
        for packed in (data, gzip.compress(data)):
            self.feed(monkeypatch, packed)
            records, errors = collect("-")
            assert [record.document.source for record in records] == ["stdin", "s"]
            assert [record.document.id for record in records] == ["stdin:1", "stdin:3"]
            assert [record.where for record in records] == ["stdin:1", "stdin:3"]
            assert errors == []
            assert not sys.stdin.buffer.closed

    def test_empty(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self.feed(monkeypatch, b"")
        assert collect("-") == ([], [])

    def test_truncated(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self.feed(monkeypatch, gzip.compress(b'{"text":"a"}\n')[:-4])
        records, error = damaged("-")
        assert len(records) == 1
        assert str(error).startswith("stdin: the gzip data ends too early")

    def test_closed(self, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr(sys, "stdin", None)
        assert str(fatal("-")[1]) == "stdin: standard input is closed"

    def drip(self, monkeypatch: pytest.MonkeyPatch, data: bytes) -> None:
        class Drip(io.BytesIO):
            def readinto(self, buffer: Any) -> int:
                byte = self.read(1)
                buffer[: len(byte)] = byte
                return len(byte)

        monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BufferedReader(Drip(data))))

    @pytest.mark.parametrize("packed", [False, True])
    def test_a_pipe_that_delivers_byte_by_byte(self, monkeypatch: pytest.MonkeyPatch, packed: bool) -> None:
        data = b'{"text":"a"}\n{"text":"b"}\n'
        self.drip(monkeypatch, gzip.compress(data) if packed else data)
        assert [record.document.text for record in collect("-")[0]] == ["a", "b"]

    def test_a_page_byte_by_byte(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self.drip(monkeypatch, b"<p>a")
        assert [record.document.html for record in collect("-")[0]] == ["<p>a"]

    @pytest.mark.parametrize(
        ("data", "name"),
        [
            ("<p>a", "page"),
            ("\n <!DOCTYPE html>", "page"),
            ("<article>a", "page"),
            ("\ufeff<html>", "page"),
            ("\ufeff \n<html>", "page"),
            ('<?xml version="1.0"?>\n<!DOCTYPE html PUBLIC>', "page"),
            ('<?xml version="1.0"?><html xmlns="">', "page"),
            ('<?xml version="1.0"?>\n<rss>', "jsonl"),
            ('<rss version="2.0">', "jsonl"),
            ("<feed>", "jsonl"),
            ("<rdf:RDF>", "jsonl"),
            ("{}", "jsonl"),
            ("a <p>", "jsonl"),
        ],
    )
    def test_what_comes(self, monkeypatch: pytest.MonkeyPatch, data: str, name: str) -> None:
        self.feed(monkeypatch, data.encode())
        assert format_of("-", CONFIG).name == name
        assert sys.stdin.buffer.read() == data.encode()


class TestBadFiles:
    ROWS = tuple({"id": str(n), "text": f"{n} {n * 7919 % 1000003} words of some text"} for n in range(20_000))

    def test_missing(self, tmp_path: Path) -> None:
        for name in ("no.jsonl", "no.jsonl.gz", "no", "no/no.jsonl"):
            _, error = fatal(tmp_path / name)
            assert error.where == str(tmp_path / name)
            assert error.problem == "cannot be read: No such file or directory"

    def test_missing_is_said_at_once(self, tmp_path: Path) -> None:
        with pytest.raises(CorpusError):
            read_records(tmp_path / "no.jsonl", CONFIG)

    @pytest.mark.parametrize("name", ["a.doc", "a.parquet.gz", "a.jsonl.bz2", "a", "a.gz", ".jsonl", "a.txt"])
    def test_unknown_suffix(self, tmp_path: Path, name: str) -> None:
        (tmp_path / name).write_text("{}")
        with pytest.raises(CorpusError) as caught:
            read_records(tmp_path / name, CONFIG)
        assert caught.value.fatal
        for known in (*SUFFIXES, ".parquet", ".html", "directory", "standard input"):
            assert known in caught.value.problem

    def test_no_permission(self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        path = put(tmp_path / "a.jsonl", {"text": "x"})

        def refuse(*_: object, **__: object) -> None:
            raise PermissionError(errno.EACCES, "Permission denied", path)

        monkeypatch.setattr("builtins.open", refuse)  # the tests may run as root, who may read everything
        remedy = "; its owner can give you access, by chmod u+rX or o+rX"
        assert str(fatal(path)[1]) == f"{path}: cannot be read: Permission denied{remedy}"

    @pytest.mark.parametrize("share", [0.02, 0.5, 0.999])
    def test_truncated_gzip(self, tmp_path: Path, share: float) -> None:
        path = Path(put(tmp_path / "a.jsonl.gz", *self.ROWS))
        data = path.read_bytes()
        whole = data[: int(len(data) * share)]
        path.write_bytes(whole)
        inflated = zlib_prefix(whole)
        records, error = damaged(path)
        # Not one whole line that could be inflated is lost, and no part of a line is taken for one.
        assert [record.fields for record in records] == list(self.ROWS[: inflated.count(b"\n")])
        assert len(records) > 0
        problem = f"the gzip data ends too early after line {len(records):,}: the file is truncated"
        assert str(error) == f"{path}: {problem}; what is whole is used"

    def test_damaged_gzip(self, tmp_path: Path) -> None:
        path = Path(put(tmp_path / "a.jsonl.gz", *self.ROWS))
        data = bytearray(path.read_bytes())
        middle = len(data) // 2
        data[middle : middle + 64] = b"\xff" * 64
        path.write_bytes(data)
        records: list[Record] = []
        errors: list[CorpusError] = []
        # What damaged data inflates to need not be JSON; those lines are reported as bad lines.
        gather(records, read_records(path, CONFIG, errors.append))
        assert "the gzip data is damaged" in errors[-1].problem
        assert len(records) > 5_000
        assert [record.fields for record in records[:5_000]] == list(self.ROWS[:5_000])

    def test_wrong_checksum(self, tmp_path: Path) -> None:
        path = Path(put(tmp_path / "a.jsonl.gz", *self.ROWS[:10]))
        data = bytearray(path.read_bytes())
        data[-5] ^= 1
        path.write_bytes(data)
        records, error = damaged(path)
        assert len(records) == 10
        assert "CRC" in error.problem

    def test_gz_that_is_not_gzip(self, tmp_path: Path) -> None:
        path = tmp_path / "a.jsonl.gz"
        path.write_bytes(b'{"text":"x"}\n')
        records, error = fatal(path)
        assert records == []
        assert error.problem.startswith("the gzip data is damaged: Not a gzipped file")

    def test_rubbish_behind_gzip(self, tmp_path: Path) -> None:
        path = tmp_path / "a.jsonl.gz"
        path.write_bytes(gzip.compress(b'{"text":"x"}\n') + b"rubbish")
        records, error = damaged(path)
        assert len(records) == 1
        assert "Not a gzipped file" in error.problem

    def test_error_of_the_disk(self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        class Failing(io.FileIO):
            def readinto(self, buffer: Any, /) -> int:
                raise OSError(errno.EIO, "Input/output error")

        path = put(tmp_path / "a.jsonl", {"text": "x"})
        monkeypatch.setattr("builtins.open", lambda path, *_, **__: Failing(path))
        assert fatal(path)[1].problem == "cannot be read: Input/output error"


def zlib_prefix(data: bytes) -> bytes:
    return zlib.decompressobj(wbits=31).decompress(data)


class TestReadDocuments:
    def test_chains_paths_in_order(self, tmp_path: Path) -> None:
        first = put(tmp_path / "b.jsonl", {"text": "1"}, {"text": "2"})
        second = put(tmp_path / "a.jsonl.gz", {"text": "3"})
        documents = list(read_documents([first, second], CONFIG))
        assert [(document.source, document.text) for document in documents] == [("b", "1"), ("b", "2"), ("a", "3")]

    def test_reports_and_goes_on(self, tmp_path: Path) -> None:
        errors: list[CorpusError] = []
        paths = [put(tmp_path / "a.jsonl", "{"), put(tmp_path / "b.jsonl", {"text": "x"})]
        assert len(list(read_documents(paths, CONFIG, errors.append))) == 1
        assert len(errors) == 1

    def test_fatal_errors_are_raised(self, tmp_path: Path) -> None:
        paths = [put(tmp_path / "a.jsonl", {"text": "x"}), str(tmp_path / "no.jsonl")]
        documents = read_documents(paths, CONFIG, no_error)
        next(documents)
        with pytest.raises(CorpusError) as caught:
            next(documents)
        assert caught.value.fatal


# Any JSON value.  A high surrogate right before a low one is left out: JSON has no way to write the two apart.
texts = st.text(st.characters(exclude_categories=()), max_size=20).map(
    lambda text: text.encode("utf-16", "surrogatepass").decode("utf-16", "surrogatepass")
)
numbers = st.integers() | st.integers(-(2**80), 2**80) | st.floats(allow_nan=False)
values = st.recursive(
    st.none() | st.booleans() | numbers | texts,
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(texts, inner, max_size=4),
    max_leaves=20,
)
records = st.dictionaries(texts, values, max_size=5)


def exactly(value: object) -> str:
    """A form in which 1 and 1.0, 0.0 and -0.0, and the order of keys differ, and NaN equals itself."""
    return repr(value)


def verdict(parse: Callable[[bytes], Any], line: bytes) -> str:
    """What a parser gives, or the error it raises."""
    try:
        return exactly(parse(line))
    except ValueError as error:
        return f"{type(error).__name__}: {error}"


class TestEncoding:
    @given(records)
    @example({"n": [2**64, -(2**63) - 1, 2**64 - 1, -(2**63), 1e16, 1e300, 1.0, -0.0, 5e-324]})
    @example({"\ud800": "\udc00\ud800", "\0": "\u2028\x7f\x1f\n"})
    def test_round_trip(self, record: dict[str, Any]) -> None:
        line = encode_line(record)
        assert line.endswith(b"\n")
        assert line.count(b"\n") == 1
        assert exactly(decode_line(line)) == exactly(record)
        assert exactly(json.loads(line)) == exactly(record)  # any other reader gets the same

    @given(records)
    def test_decoding_is_that_of_the_standard_library(self, record: dict[str, Any]) -> None:
        for ascii_only in (True, False):
            line = json.dumps(record, ensure_ascii=ascii_only).encode("utf-8", "backslashreplace")
            assert exactly(decode_line(line)) == exactly(json.loads(line))

    @given(st.from_regex(r"\s?-?[0-9]{0,25}(\.[0-9]{0,20})?([eE][+-]?[0-9]{0,3})?\s?", fullmatch=True))
    @example("1e400")
    @example("-0")
    @example("18446744073709551616")
    @example("-9223372036854775809")
    @example("1" * 400)
    def test_numbers_are_those_of_the_standard_library(self, number: str) -> None:
        line = f'{{"n":{number}}}'.encode()
        assert verdict(decode_line, line) == verdict(json.loads, line)

    @given(st.binary(max_size=60) | st.text('{}[]":,\\u0123dDfF \ttruefalsnNaInity-+.eE').map(str.encode))
    def test_verdict_on_rubbish_is_that_of_the_standard_library(self, line: bytes) -> None:
        def plainly(line: bytes) -> Any:
            return json.loads(line.decode().removeprefix("\ufeff").rstrip("\r\n"))

        assert verdict(decode_line, line) == verdict(plainly, line)

    @pytest.mark.parametrize("value", [math.nan, math.inf, -math.inf])
    def test_nan_and_infinity_survive(self, value: float) -> None:
        for record in ({"n": value}, {"n": [{"m": value}]}, {"n": (1, value)}):
            assert b"null" not in encode_line(record)
        assert exactly(decode_line(encode_line({"n": value}))) == exactly({"n": value})

    def test_other_mappings(self) -> None:
        assert encode_line(MappingProxyType({"a": 1})) == b'{"a":1}\n'

    def test_usual_records_go_through_orjson_alone(self, monkeypatch: pytest.MonkeyPatch) -> None:
        def slow(*_: object, **__: object) -> None:
            pytest.fail("the standard library was called for a usual record")

        line = orjson.dumps({"id": 1, "text": "a\0é", "n": [1.5, -2, None, True, {"k": 2**64 - 1}]})
        monkeypatch.setattr(json, "loads", slow)
        monkeypatch.setattr(json, "dumps", slow)
        assert encode_line(decode_line(line)) == line + b"\n"


def page(path: Path, content: bytes | str = "x") -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    data = content.encode() if isinstance(content, str) else content
    path.write_bytes(gzip.compress(data) if path.name.lower().endswith(".gz") else data)
    return path


def ids(path: Path) -> list[tuple[str, str]]:
    found, errors = collect(path)
    assert errors == []
    return [(record.document.source, record.document.id) for record in found]


class TestFolder:
    def test_one_source(self, tmp_path: Path) -> None:
        root = tmp_path / "fox.com"
        page(root / "b.txt", "Text")
        page(root / "a.html", "<p>é</p>")
        found, errors = collect(root)
        assert [record.document for record in found] == [
            Document(source="fox.com", id="a.html", html="<p>é</p>"),
            Document(source="fox.com", id="b.txt", text="Text"),
        ]
        assert [record.fields for record in found] == [
            {"id": "a.html", "source": "fox.com", "html": "<p>é</p>"},
            {"id": "b.txt", "source": "fox.com", "text": "Text"},
        ]
        assert [record.where for record in found] == [str(root / "a.html"), str(root / "b.txt")]
        assert errors == []

    def test_fields_have_the_names_of_the_options(self, tmp_path: Path) -> None:
        page(tmp_path / "s" / "a.txt")
        page(tmp_path / "s" / "b.htm")
        config = ReadConfig(text_field="T", html_field="H", source_field="S", id_field="I")
        found, _ = collect(tmp_path / "s", config)
        assert [dict(r.fields) for r in found] == [
            {"I": "a.txt", "S": "s", "T": "x"},
            {"I": "b.htm", "S": "s", "H": "x"},
        ]

    def test_a_source_for_each_sub_directory(self, tmp_path: Path) -> None:
        for name in ("fox/1.txt", "fox/2024/05/2.txt", "bbc/deep/3.html", "bbc/4.html.gz"):
            page(tmp_path / "all" / name)
        (tmp_path / "all" / "empty").mkdir()
        page(tmp_path / "all" / "readme.md")
        assert ids(tmp_path / "all") == [
            ("bbc", "bbc/4.html.gz"),
            ("bbc", "bbc/deep/3.html"),
            ("fox", "fox/1.txt"),
            ("fox", "fox/2024/05/2.txt"),
        ]

    def test_documents_beside_directories_make_one_source_of_all(self, tmp_path: Path) -> None:
        page(tmp_path / "site" / "index.html")
        page(tmp_path / "site" / "news" / "a.html")
        assert ids(tmp_path / "site") == [("site", "index.html"), ("site", "news/a.html")]

    @pytest.mark.parametrize("spelling", ["site", "site/", "./site", "site/../site/."])
    def test_name_of_the_source(self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, spelling: str) -> None:
        page(tmp_path / "site" / "a.txt")
        monkeypatch.chdir(tmp_path)
        assert [record.document.source for record in collect(spelling)[0]] == ["site"]
        monkeypatch.chdir(tmp_path / "site")
        assert [record.document.source for record in collect(".")[0]] == ["site"]

    def test_order_is_that_of_the_paths(self, tmp_path: Path) -> None:
        names = ["a.txt", "a/z.txt", "a-b/c.txt", "B.txt", "a/y/é.txt", "日.txt", "a0.txt", "10.txt", "9.txt"]
        for name in names:
            page(tmp_path / "s" / name)
        assert [id for _, id in ids(tmp_path / "s")] == sorted(names)

    @pytest.mark.parametrize("name", ["a.TXT", "a.Html", "a.HTM.GZ", "a.txt.gz"])
    def test_suffixes_in_any_case(self, tmp_path: Path, name: str) -> None:
        page(tmp_path / "s" / name, "é")
        (record,), errors = collect(tmp_path / "s")
        assert record.document.body == "é"
        assert record.document.is_html is ("h" in name.lower())
        assert errors == []

    def test_gzip_under_a_plain_name(self, tmp_path: Path) -> None:
        page(tmp_path / "s" / "a.html", gzip.compress(b"<p>"))
        assert collect(tmp_path / "s")[0][0].document.html == "<p>"

    def test_text_stays_as_it_is_but_for_the_mark(self, tmp_path: Path) -> None:
        page(tmp_path / "s" / "a.txt", b"\xef\xbb\xbfa\r\nb\0\n")
        assert collect(tmp_path / "s")[0][0].document.text == "a\r\nb\0\n"

    def test_invalid_utf8_in_text(self, tmp_path: Path) -> None:
        bad = page(tmp_path / "s" / "a.txt", b"caf\xe9 noir")
        page(tmp_path / "s" / "b.txt", "good")
        found, (error,) = collect(tmp_path / "s")
        assert [record.document.text for record in found] == ["good"]
        assert not error.fatal
        assert (
            str(error)
            == f"{bad}: expected UTF-8, found byte 0xe9 at byte offset 3; if it is Latin-1, convert it with iconv -f latin1 -t utf-8"
        )

    def test_a_bad_file_does_not_stop_the_others(self, tmp_path: Path) -> None:
        root = tmp_path / "s"
        page(root / "a.txt.gz").write_bytes(gzip.compress(b"text")[:-3])
        page(root / "b.html.gz").write_bytes(b"no gzip")
        (root / "c.txt").symlink_to(root / "gone.txt")
        (root / "d.txt").symlink_to(root / "d.txt")
        page(root / "e.txt", "good")
        found, errors = collect(root)
        assert [record.document.text for record in found] == ["good"]
        assert [error.where for error in errors] == [
            str(root / name) for name in ("a.txt.gz", "b.html.gz", "c.txt", "d.txt")
        ]
        assert not any(error.fatal for error in errors)
        assert "truncated" in errors[0].problem
        assert "Not a gzipped file" in errors[1].problem
        assert "No such file" in errors[2].problem

    def test_no_document_is_fatal(self, tmp_path: Path) -> None:
        page(tmp_path / "s" / "sub" / "a.pdf")
        _, error = fatal(tmp_path / "s")
        assert error.where == str(tmp_path / "s")
        assert (
            error.problem
            == "expected .txt, .html, .htm, .xhtml, .xht files (each also with .gz), or of .jsonl, .ndjson, .json, .html, .htm, .xhtml, .xht, .warc, .wet, .wacz, .arc, .rss, .atom, .xml, .rdf, .cdf, .parquet, .pq, .arrow, .feather, .ipc, .arrows, .csv, .tsv; found none"
        )

    def test_no_good_document_is_not_fatal(self, tmp_path: Path) -> None:
        page(tmp_path / "s" / "a.txt", b"\xff")
        found, errors = collect(tmp_path / "s")
        assert (len(found), len(errors)) == (0, 1)

    def test_no_permission_for_a_directory(self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        page(tmp_path / "s" / "sub" / "a.txt")
        real = os.scandir

        def scandir(path: Any) -> Any:
            if str(path).rstrip("/").endswith("sub"):
                raise PermissionError(errno.EACCES, "Permission denied")
            return real(path)

        monkeypatch.setattr(os, "scandir", scandir)
        assert "cannot be read: Permission denied" in fatal(tmp_path / "s")[1].problem

    @pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="needs named pipes")
    def test_pipes_are_not_documents(self, tmp_path: Path) -> None:
        page(tmp_path / "s" / "b.txt")
        os.mkfifo(tmp_path / "s" / "a.txt")  # reading it would wait for ever
        assert ids(tmp_path / "s") == [("s", "b.txt")]

    def test_links_that_lead_back(self, tmp_path: Path) -> None:
        root = tmp_path / "s"
        page(root / "x" / "a.txt")
        (root / "x" / "self").symlink_to(root / "x")
        (root / "x" / "root").symlink_to(root)
        (root / "x" / "up").symlink_to("../..")
        (root / "0").symlink_to(root / "x")
        (root / "loop").symlink_to(root / "loop")
        page(tmp_path / "above.txt")
        assert ids(root) == [("x", "x/a.txt")]
        page(root / "b.txt")
        assert ids(root) == [("s", "b.txt"), ("s", "x/a.txt")]

    def test_links_out_of_the_tree_are_followed_once(self, tmp_path: Path) -> None:
        page(tmp_path / "elsewhere" / "fox" / "a.txt")
        page(tmp_path / "elsewhere" / "above.txt")
        (tmp_path / "elsewhere" / "fox" / "back").symlink_to(tmp_path / "s")
        (tmp_path / "elsewhere" / "fox" / "up").symlink_to(tmp_path / "elsewhere")
        root = tmp_path / "s"
        root.mkdir()
        for name in random.Random(5).sample(["one", "two", "three", "four", "five", "six", "seven"], 7):
            (root / name).symlink_to(tmp_path / "elsewhere" / "fox")
        assert ids(root) == [("five", "five/a.txt")]

    def test_links_to_files_are_followed(self, tmp_path: Path) -> None:
        page(tmp_path / "elsewhere.txt", "text")
        (tmp_path / "s").mkdir()
        (tmp_path / "s" / "a.txt").symlink_to(tmp_path / "elsewhere.txt")
        assert collect(tmp_path / "s")[0][0].document.text == "text"

    def test_pages_in_xml(self, tmp_path: Path) -> None:
        for name in ("a.xhtml", "b.XHT", "c.xhtml.gz"):
            page(tmp_path / "s" / name)
        assert ids(tmp_path / "s") == [("s", name) for name in ("a.xhtml", "b.XHT", "c.xhtml.gz")]

    def test_a_directory_named_like_a_document(self, tmp_path: Path) -> None:
        page(tmp_path / "s" / "a.html" / "b.html")
        assert ids(tmp_path / "s") == [("a.html", "a.html/b.html")]


def left_over(directory: Path) -> list[str]:
    return sorted(os.listdir(directory))


def write_then(path: Path | str, content: str, then: Callable[[], object], **options: bool) -> None:
    """Write to a file; then call `then`, within the with-block, and raise what it gives if that is an exception."""
    with atomic_writer(path, **options) as handle:
        handle.write(content.encode())
        outcome = then()
        if isinstance(outcome, BaseException):
            raise outcome


class TestAtomicWriter:
    def test_plain_and_gzip(self, tmp_path: Path) -> None:
        with atomic_writer(tmp_path / "a.bin") as binary:
            binary.write(b"abc\n" * 100_000)
        with atomic_writer(tmp_path / "a.jsonl.gz") as packed:
            packed.write(b"abc\n" * 100_000)
        with atomic_writer(str(tmp_path / "b.txt.GZ")) as packed:
            packed.write("é".encode())
        assert (tmp_path / "a.bin").read_bytes() == b"abc\n" * 100_000
        assert gzip.decompress((tmp_path / "a.jsonl.gz").read_bytes()) == b"abc\n" * 100_000
        assert gzip.decompress((tmp_path / "b.txt.GZ").read_bytes()).decode() == "é"
        assert left_over(tmp_path) == ["a.bin", "a.jsonl.gz", "b.txt.GZ"]

    def test_same_content_same_bytes(self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        for name, now in (("a.gz", 1e9), ("b.gz", 1.5e9)):
            monkeypatch.setattr(time, "time", lambda now=now: now)
            with atomic_writer(tmp_path / name) as handle:
                handle.write(b"x" * 1000)
        assert (tmp_path / "a.gz").read_bytes() == (tmp_path / "b.gz").read_bytes()

    def test_nothing_stands_under_the_name_before_the_end(self, tmp_path: Path) -> None:
        with atomic_writer(tmp_path / "a") as handle:
            handle.write(b"x" * 10_000_000)
            (temporary,) = left_over(tmp_path)
            assert temporary.startswith(".")
            assert temporary.endswith(".tmp")
        assert left_over(tmp_path) == ["a"]

    def test_file_and_directory_are_synced_in_order(self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        calls: list[str] = []
        real_fsync, real_link = os.fsync, os.link

        def fsync(descriptor: int) -> None:
            calls.append("directory" if stat.S_ISDIR(os.fstat(descriptor).st_mode) else "file")
            real_fsync(descriptor)

        def link(old: str, new: str) -> None:
            calls.append("link")
            real_link(old, new)

        monkeypatch.setattr(os, "fsync", fsync)
        monkeypatch.setattr(os, "link", link)
        with atomic_writer(tmp_path / "a") as handle:
            handle.write(b"x")
        assert calls == ["file", "link", "directory"]

    def test_permissions_are_those_of_any_new_file(self, tmp_path: Path) -> None:
        old = os.umask(0o027)
        try:
            with atomic_writer(tmp_path / "a"):
                pass
        finally:
            os.umask(old)
        assert stat.S_IMODE((tmp_path / "a").stat().st_mode) == 0o640

    def test_closing_early_is_harmless(self, tmp_path: Path) -> None:
        for name in ("a", "a.gz"):
            with atomic_writer(tmp_path / name) as handle:
                handle.write(b"x")
                handle.close()
        assert (tmp_path / "a").read_text() == "x"
        assert gzip.decompress((tmp_path / "a.gz").read_bytes()) == b"x"

    @pytest.mark.parametrize("failure", [KeyboardInterrupt, SystemExit, ValueError, GeneratorExit, MemoryError])
    @pytest.mark.parametrize("name", ["a.jsonl", "a.jsonl.gz"])
    def test_any_exception_leaves_nothing(self, tmp_path: Path, failure: type[BaseException], name: str) -> None:
        with pytest.raises(failure):
            write_then(tmp_path / name, "x" * 1_000_000, failure)
        assert left_over(tmp_path) == []

    @pytest.mark.parametrize("failure", [KeyboardInterrupt, ValueError])
    def test_any_exception_leaves_the_old_file(self, tmp_path: Path, failure: type[BaseException]) -> None:
        (tmp_path / "a").write_text("old")
        with pytest.raises(failure):
            write_then(tmp_path / "a", "new", failure, force=True)
        assert (tmp_path / "a").read_text() == "old"
        assert left_over(tmp_path) == ["a"]

    @pytest.mark.parametrize("call", ["write", "fsync", "link", "close"])
    def test_interrupt_at_any_step(self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, call: str) -> None:
        real = getattr(os, call)

        def interrupt(*arguments: Any) -> None:
            monkeypatch.setattr(os, call, real)
            raise KeyboardInterrupt

        with pytest.raises(KeyboardInterrupt):
            write_then(tmp_path / "a", "x", lambda: monkeypatch.setattr(os, call, interrupt))
        assert left_over(tmp_path) == []

    @pytest.mark.parametrize("name", ["a", "a.gz"])
    def test_an_interrupted_write_is_not_tried_again(
        self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, name: str
    ) -> None:
        calls: list[int] = []

        def interrupt(descriptor: int, _: Any) -> int:
            calls.append(descriptor)
            raise KeyboardInterrupt

        with monkeypatch.context() as patch:
            patch.setattr(os, "write", interrupt)
            with pytest.raises(KeyboardInterrupt):
                write_then(tmp_path / name, random.Random(5).randbytes(1_000_000).hex(), lambda: None)
        assert len(calls) == 1
        with pytest.raises(OSError, match="Bad file descriptor"):
            os.fstat(calls[0])  # and the file was closed

    def test_os_errors_of_the_body_are_its_own(self, tmp_path: Path) -> None:
        with pytest.raises(BrokenPipeError), atomic_writer(tmp_path / "a"):
            raise BrokenPipeError
        with pytest.raises(FileNotFoundError), atomic_writer(tmp_path / "a"):
            open(tmp_path / "other")  # noqa: SIM115
        assert left_over(tmp_path) == []


def refused(path: Path | str, force: bool = False) -> CorpusError:
    with pytest.raises(CorpusError) as caught, atomic_writer(path, force):
        pytest.fail("the work was begun")
    assert caught.value.fatal
    assert "\n" not in str(caught.value)
    return caught.value


class TestRefusals:
    def test_existing_file(self, tmp_path: Path) -> None:
        (tmp_path / "a").write_text("old")
        assert str(refused(tmp_path / "a")) == f"{tmp_path / 'a'}: exists; use force=True to replace it"
        assert (tmp_path / "a").read_text() == "old"
        with atomic_writer(tmp_path / "a", force=True) as handle:
            handle.write(b"new")
        assert (tmp_path / "a").read_text() == "new"
        assert left_over(tmp_path) == ["a"]

    def test_force_keeps_permissions(self, tmp_path: Path) -> None:
        (tmp_path / "a").touch()
        (tmp_path / "a").chmod(0o600)
        with atomic_writer(tmp_path / "a", force=True):
            pass
        assert stat.S_IMODE((tmp_path / "a").stat().st_mode) == 0o600

    def test_force_without_an_old_file(self, tmp_path: Path) -> None:
        with atomic_writer(tmp_path / "a", force=True) as handle:
            handle.write(b"new")
            (tmp_path / "a").write_text("meanwhile")
        assert (tmp_path / "a").read_text() == "new"

    def test_links(self, tmp_path: Path) -> None:
        (tmp_path / "real").mkdir()
        (tmp_path / "real" / "file").write_text("old")
        (tmp_path / "link").symlink_to(tmp_path / "real" / "file")
        (tmp_path / "broken").symlink_to(tmp_path / "real" / "later")
        assert "exists" in refused(tmp_path / "link").problem
        assert "exists" in refused(tmp_path / "broken").problem
        for name in ("link", "broken"):
            with atomic_writer(tmp_path / name, force=True) as handle:
                handle.write(b"new")
            assert (tmp_path / name).is_symlink()
            assert (tmp_path / name).read_text() == "new"
        assert left_over(tmp_path) == ["broken", "link", "real"]
        assert left_over(tmp_path / "real") == ["file", "later"]

    @pytest.mark.parametrize("links", [True, False])
    def test_a_file_that_appears_meanwhile_is_not_lost(
        self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, links: bool
    ) -> None:
        if not links:
            without_links(monkeypatch)
        with pytest.raises(CorpusError, match="exists; use force=True") as caught:
            write_then(tmp_path / "a", "mine", lambda: (tmp_path / "a").write_text("theirs"))
        assert caught.value.fatal
        assert (tmp_path / "a").read_text() == "theirs"
        assert left_over(tmp_path) == ["a"]

    @pytest.mark.parametrize("advice", ["given", "refused", "unknown"])
    def test_large_files_are_whole(self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, advice: str) -> None:
        """Written in pieces, and on their way to the disk meanwhile."""
        told: list[tuple[int, int]] = []

        def advise(_: int, start: int, size: int, __: int) -> None:
            told.append((start, size))
            if advice == "refused":
                raise OSError(errno.EINVAL, "Invalid argument")

        if advice == "unknown":
            monkeypatch.delattr(os, "posix_fadvise", raising=False)
        else:
            monkeypatch.setattr(os, "posix_fadvise", advise, raising=False)
            monkeypatch.setattr(os, "POSIX_FADV_DONTNEED", 4, raising=False)
        pieces = [bytes([number]) * size for number, size in enumerate((1, 70_000, 9_000_000, 3, 32_768, 5_000_000))]
        with atomic_writer(tmp_path / "a") as handle:
            for piece in pieces:
                handle.write(piece)
        assert (tmp_path / "a").read_bytes() == b"".join(pieces)
        assert bool(told) == (advice != "unknown")
        assert [start for start, _ in told] == [0, *itertools.accumulate(size for _, size in told)][: len(told)]

    def test_file_systems_without_hard_links(self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        without_links(monkeypatch)
        with atomic_writer(tmp_path / "a") as handle:
            handle.write(b"x")
        assert (tmp_path / "a").read_bytes() == b"x"
        assert left_over(tmp_path) == ["a"]

    def test_no_empty_file_stays_if_the_rename_fails(self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        without_links(monkeypatch)

        def replace(*_: object) -> None:
            raise OSError(errno.EIO, "Input/output error")

        monkeypatch.setattr(os, "replace", replace)
        with pytest.raises(CorpusError, match="cannot be written: Input/output error"), atomic_writer(tmp_path / "a"):
            pass
        assert left_over(tmp_path) == []

    def test_no_such_directory(self, tmp_path: Path) -> None:
        error = refused(tmp_path / "no" / "a")
        assert str(error) == f"{tmp_path / 'no' / 'a'}: cannot be written: there is no directory {tmp_path / 'no'}"

    def test_a_directory(self, tmp_path: Path) -> None:
        for path in (tmp_path, f"{tmp_path}/"):
            for force in (False, True):
                assert refused(path, force).problem == "expected the name of a file, found a directory"

    def test_a_name_too_long_for_the_disk(self, tmp_path: Path) -> None:
        assert "cannot be written: " in refused(tmp_path / ("x" * 300)).problem

    def test_longest_name_the_disk_takes(self, tmp_path: Path) -> None:
        with atomic_writer(tmp_path / ("x" * 255)):
            pass
        assert left_over(tmp_path) == ["x" * 255]

    def test_no_permission(self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        def refuse(*_: object) -> None:
            raise PermissionError(errno.EACCES, "Permission denied")

        monkeypatch.setattr(os, "open", refuse)
        assert refused(tmp_path / "a").problem == "cannot be written: Permission denied"


def without_links(monkeypatch: pytest.MonkeyPatch) -> None:
    def link(*_: object) -> None:
        raise PermissionError(errno.EPERM, "Operation not permitted")

    monkeypatch.setattr(os, "link", link)


class TestFullDisk:
    @pytest.mark.parametrize("code", [errno.ENOSPC, errno.EDQUOT])
    @pytest.mark.parametrize("name", ["a.jsonl", "a.jsonl.gz"])
    @pytest.mark.parametrize("size", [10, 5_000_000])
    def test_while_writing(
        self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, code: int, name: str, size: int
    ) -> None:
        (tmp_path / name).write_text("old")
        room = itertools.count()
        real = os.write

        def full(descriptor: int, data: Any) -> int:
            if size > 10 and next(room) == 0:
                return real(descriptor, data[:1000])  # the last of the room
            raise OSError(code, os.strerror(code))

        content = random.Random(5).randbytes(size).hex()  # so that gzip has something to write
        with monkeypatch.context() as patch:
            patch.setattr(os, "write", full)
            with pytest.raises(CorpusError) as caught:
                write_then(tmp_path / name, content, lambda: None, force=True)
        assert str(caught.value) == f"{tmp_path / name}: cannot be written: {os.strerror(code)}"
        assert caught.value.fatal
        assert (tmp_path / name).read_text() == "old"
        assert left_over(tmp_path) == [name]

    def test_while_syncing(self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        def full(_: int) -> None:
            raise OSError(errno.ENOSPC, "No space left on device")

        monkeypatch.setattr(os, "fsync", full)
        with pytest.raises(CorpusError, match="cannot be written: No space left"), atomic_writer(tmp_path / "a") as h:
            h.write(b"x")
        assert left_over(tmp_path) == []

    @pytest.mark.skipif(not os.path.exists("/dev/full"), reason="needs /dev/full")
    def test_real_one(self) -> None:
        message = "^/dev/full: cannot be written: No space left on device$"
        with pytest.raises(CorpusError, match=message) as caught, atomic_writer("/dev/full") as handle:
            handle.write(b"x")
        assert caught.value.fatal
        assert stat.S_ISCHR(os.stat("/dev/full").st_mode)

    def test_short_writes_lose_nothing(self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        real = os.write
        monkeypatch.setattr(os, "write", lambda descriptor, data: real(descriptor, data[:777]))
        content = random.Random(5).randbytes(300_000)
        for name in ("a", "a.gz"):
            with atomic_writer(tmp_path / name) as handle:
                handle.write(content)
        assert (tmp_path / "a").read_bytes() == content
        assert gzip.decompress((tmp_path / "a.gz").read_bytes()) == content


def run(code: str, **options: Any) -> subprocess.CompletedProcess[bytes]:
    prelude = "import os, sys\nfrom templatemine.io.write import atomic_writer\nfrom templatemine.errors import *\n"
    return subprocess.run([sys.executable, "-c", prelude + code], stderr=subprocess.PIPE, timeout=60, **options)


class TestStandardOutput:
    CODE = "with atomic_writer('-') as handle:\n    handle.write(b'abc\\n')"

    def test_it_comes_in_order(self) -> None:
        code = (
            "print('first')\n"
            "with atomic_writer('-') as handle: handle.write(b'a\\xff')\n"
            "print('between')\n"
            "with atomic_writer('-') as handle: handle.write('é\\n'.encode())\n"
            "print('last')"
        )
        done = run(code, stdout=subprocess.PIPE)
        assert (done.stdout, done.stderr) == (b"first\na\xffbetween\n\xc3\xa9\nlast\n", b"")

    def test_output_in_memory(self, monkeypatch: pytest.MonkeyPatch) -> None:
        memory = io.BytesIO()
        monkeypatch.setattr(sys, "stdout", io.TextIOWrapper(memory))
        with atomic_writer("-") as handle:
            handle.write(b"abc")
        assert memory.getvalue() == b"abc"

    def test_reader_that_leaves_is_no_error(self) -> None:
        code = (
            "rows = 0\n"
            "with atomic_writer('-') as handle:\n"
            "    for rows in range(10**9): handle.write(b'x' * 1000)\n"
            "print(rows < 10**6, file=sys.stderr)"
        )
        read_end, write_end = os.pipe()
        os.close(read_end)
        done = run(code, stdout=write_end)
        os.close(write_end)
        assert (done.returncode, done.stderr) == (0, b"True\n")

    def test_reader_that_leaves_before_the_last_bytes(self) -> None:
        read_end, write_end = os.pipe()
        os.close(read_end)
        done = run(self.CODE, stdout=write_end)
        os.close(write_end)
        assert (done.returncode, done.stderr) == (0, b"")

    @pytest.mark.skipif(not os.path.exists("/dev/full"), reason="needs /dev/full")
    def test_full_disk(self) -> None:
        code = (
            "try:\n"
            "    with atomic_writer('-') as handle: handle.write(b'abc')\n"
            "except CorpusError as error: sys.exit(str(error))"
        )
        with open("/dev/full", "wb") as full:
            done = run(code, stdout=full)
        assert done.stderr == b"stdout: cannot be written: No space left on device\n"

    def test_closed(self, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr(sys, "stdout", None)
        assert str(refused("-")) == "stdout: standard output is closed"

    @pytest.mark.parametrize("failure", [KeyboardInterrupt, BrokenPipeError, ValueError])
    def test_exceptions_pass_and_what_was_written_stays(
        self, capfdbinary: pytest.CaptureFixture[bytes], failure: type[BaseException]
    ) -> None:
        with pytest.raises(failure):
            write_then("-", "whole record", failure)
        assert capfdbinary.readouterr().out == b"whole record"

    @pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="needs named pipes")
    def test_named_pipe_is_written_as_it_stands(self, tmp_path: Path) -> None:
        fifo = tmp_path / "pipe"
        os.mkfifo(fifo)
        with subprocess.Popen(["cat", str(fifo)], stdout=subprocess.PIPE) as reader:
            with atomic_writer(fifo) as handle:
                handle.write(b"abc")
            assert reader.stdout is not None
            assert reader.stdout.read() == b"abc"
        assert stat.S_ISFIFO(fifo.stat().st_mode)

    def test_null_device_stays_one(self) -> None:
        with atomic_writer(os.devnull, force=True) as handle:
            handle.write(b"abc")
        assert not stat.S_ISREG(os.stat(os.devnull).st_mode)


class TestSafeFileName:
    @pytest.mark.parametrize("name", ["foxnews.com", "a", "a_b-c.d", "0", "新华网", "الجزيرة", "новости.рф", "x" * 120])
    def test_plain_names_stay(self, name: str) -> None:
        assert safe_file_name(name) == name

    @pytest.mark.parametrize(
        ("name", "start"),
        [
            ("../../etc/x", "_.._etc_x~"),
            ("", "source~"),
            (".", "source~"),
            ("..", "source~"),
            ("...", "source~"),
            (".hidden", "hidden~"),
            ("-rf", "rf~"),
            ("CON", "_con~"),
            ("con", "_con~"),
            ("nul.txt", "_nul.txt~"),
            ("com1.example", "_com1.example~"),
            ("trailing.", "trailing~"),
            ("trailing ", "trailing_~"),
            ("A.com", "a.com~"),
            ("a/b", "a_b~"),
            ("a\\b", "a_b~"),
            ("a\0b\n", "a_b_~"),
            ("a:b*?", "a_b__~"),
            ("straße", "strasse~"),
            ("cafe\u0301", "café~"),
            ("\ud800", "_~"),
            ("a\u200bb", "a_b~"),
        ],
    )
    def test_changed_names_carry_a_mark(self, name: str, start: str) -> None:
        assert safe_file_name(name).startswith(start)
        assert len(safe_file_name(name)) == len(start) + 12

    def test_long_names(self) -> None:
        names = ["x" * 121, "x" * 300, "x" * 299 + "y", "新" * 41, "新" * 300, "é" * 61]
        made = [safe_file_name(name) for name in names]
        assert len(set(made)) == len(names)
        assert all(100 < len(name.encode()) <= 120 for name in made)

    def test_file_systems_that_hold_names_equal(self) -> None:
        groups = [
            "A.com a.com a.COM",
            "café cafe\u0301 CAFÉ",
            "straße strasse STRASSE",
            "Å \u212b A\u030a å",
            "\u017f s S",
            "\ud800 \ud801 ?",
        ]
        for group in groups:
            names = group.split()
            assert len({as_disks_see(safe_file_name(name)) for name in names}) == len(names)

    def test_the_name_of_one_source_cannot_be_made_for_another(self) -> None:
        made = safe_file_name("A.com")
        assert safe_file_name(made) != made

    def test_it_can_be_written(self, tmp_path: Path) -> None:
        for source in ("../../etc/x", "x" * 300, "", "CON", "新" * 200, "a\0b", "\ud800"):
            with atomic_writer(tmp_path / f"{safe_file_name(source)}.json") as handle:
                handle.write(b"{}")
        assert len(left_over(tmp_path)) == 7

    @given(st.lists(st.text(st.characters(exclude_categories=()), max_size=200), min_size=2, max_size=5, unique=True))
    @example(["a", "A"])
    def test_safe_and_unique(self, sources: list[str]) -> None:
        sources = [*sources, *(safe_file_name(source) for source in sources)]
        made = {source: safe_file_name(source) for source in sources}
        assert len({as_disks_see(name) for name in made.values()}) == len(set(sources))
        for name in made.values():
            assert 0 < len(name.encode()) <= 120
            assert name == unicodedata.normalize("NFC", name)
            assert not set(name) & set('/\\:*?"<>|\0 ')
            assert name.isprintable()
            assert not name.startswith((".", "-"))
            assert not name.endswith((".", " "))
            assert name.split(".")[0].lower() not in write._RESERVED


def as_disks_see(name: str) -> str:
    """The form in which the least particular file systems compare names."""
    return unicodedata.normalize("NFD", unicodedata.normalize("NFD", name).casefold()).casefold()


def test_a_single_page_is_an_archive_of_one(tmp_path: Path) -> None:
    for name, data in (("a.html", b"<p>caf\xe9"), ("b.HTM.gz", gzip.compress(b"<p>caf\xc3\xa9"))):
        path = tmp_path / "site" / name
        path.parent.mkdir(exist_ok=True)
        path.write_bytes(data)
        (record,) = read_records(path, ReadConfig())
        assert record.document == Document(source="site", id=name, html="<p>caf\u00e9")
        assert record.where == str(path)
        assert record.fields == {"id": name, "source": "site", "html": "<p>caf\u00e9"}
    (tmp_path / "c.html.gz").write_bytes(b"\x1f\x8bbroken")
    with pytest.raises(CorpusError) as error:
        list(read_records(tmp_path / "c.html.gz", ReadConfig()))
    assert error.value.fatal
