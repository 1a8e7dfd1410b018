"""What fuzzing has found (docs/fuzzing.md), each by the smallest input that shows it."""

from __future__ import annotations

import struct
import subprocess
import sys
import zipfile
from pathlib import Path

import numpy as np
import pytest

from io_support import gather, record
from templatemine.text._scan import form_traits

# ------------------------------------------------------------------------------------------------------------- readers


def arc(tmp_path: Path, data: bytes) -> Path:
    pytest.importorskip("warcio")
    path = tmp_path / "a.arc"
    path.write_bytes(data)
    return path


HTTP = b"HTTP/1.1 200 OK\r\nContent-Type: text/html\r\n\r\n<p>A page."


def test_a_warc_record_without_an_address_in_a_file_named_arc(tmp_path: Path) -> None:
    data = record(HTTP, "http://a.example/").replace(b"WARC-Target-URI: http://a.example/\r\n", b"")
    records, (error,), _ = gather(arc(tmp_path, data))
    assert records == []
    assert error.fatal
    assert "expected ARC records, found damage" in str(error)


def test_a_warc_record_without_a_length_in_a_file_named_arc(tmp_path: Path) -> None:
    data = record(HTTP, "http://a.example/").replace(b"Content-Length: %d\r\n" % len(HTTP), b"")
    records, (error, *_), _ = gather(arc(tmp_path, data))
    assert records == []
    assert error.problem == "expected a length, found none: the record is damaged or cut off"


def test_a_length_after_a_sign_that_only_expressions_take_for_a_blank(tmp_path: Path) -> None:
    pytest.importorskip("fastwarc")
    path, length = tmp_path / "a.warc", b"Content-Length: %d" % len(HTTP)
    path.write_bytes(record(HTTP, "http://a.example/").replace(length, length.replace(b": ", b": \x1c")))
    records, (error, *_), _ = gather(path)
    assert records == []
    assert "expected a Content-Length, found '\\x1c" in str(error)


def test_a_status_of_thousands_of_digits_in_an_arc_file(tmp_path: Path) -> None:
    data = record(HTTP.replace(b"200", b"2" * 5000), "http://a.example/")
    records, errors, _ = gather(arc(tmp_path, data))
    assert (len(records), errors) == (1, [])  # as one without a status


def test_a_long_line_in_place_of_an_arc_record_is_not_quoted_in_full(tmp_path: Path) -> None:
    _, (error,), _ = gather(arc(tmp_path, b"\0" * 5000))
    assert "expected ARC records, found damage: Unknown archive format" in str(error)
    assert len(error.problem) < 300


def test_addresses_with_escape_sequences_do_not_reach_the_terminal(tmp_path: Path) -> None:
    path = arc(tmp_path, record(HTTP, "http://a.example/ \x1b[2J"))
    code = "import sys, io_support; print(len(io_support.gather(sys.argv[1])[0]))"
    done = subprocess.run(
        [sys.executable, "-c", code, path], capture_output=True, text=True, cwd=Path(__file__).parents[1], check=True
    )
    assert (done.stdout, done.stderr) == ("1\n", "")


def test_what_pyarrow_says_of_a_file_is_one_line(tmp_path: Path) -> None:
    parquet = pytest.importorskip("pyarrow.parquet")
    path = tmp_path / "a.parquet"
    parquet.write_table(parquet.core.pa.table({"text": ["A story."]}), path)
    data = path.read_bytes()
    size = int.from_bytes(data[-8:-4], "little")
    path.write_bytes(data[: -8 - size] + b"\x1e" * size + data[-8:])
    _, (error,), _ = gather(path)
    assert error.fatal
    assert "\n" not in str(error)


def test_offsets_of_an_arrow_file_that_lead_out_of_it(tmp_path: Path) -> None:
    pa = pytest.importorskip("pyarrow")
    offsets, data = pa.py_buffer(struct.pack("<3i", 0, 1 << 20, 8)), pa.py_buffer(b"A story.")
    table = pa.table({"text": pa.StringArray.from_buffers(2, offsets, data)})
    for make, name in ((pa.ipc.new_file, "a.arrow"), (pa.ipc.new_stream, "a.arrows")):
        with make(tmp_path / name, table.schema) as writer:
            writer.write_table(table)
        records, (error,), _ = gather(tmp_path / name)
        assert records == []
        assert error.fatal
        assert "cannot be read as Arrow" in str(error)


@pytest.mark.parametrize("name", ["a.parquet", "a.arrow"])
def test_strings_of_tables_that_are_no_utf8(tmp_path: Path, name: str) -> None:
    pa, parquet = pytest.importorskip("pyarrow"), pytest.importorskip("pyarrow.parquet")
    offsets, data = pa.py_buffer(struct.pack("<2i", 0, 2)), pa.py_buffer(b"a\xff")
    table = pa.table({"text": pa.StringArray.from_buffers(1, offsets, data)})
    if name == "a.arrow":
        with pa.ipc.new_file(tmp_path / name, table.schema) as writer:
            writer.write_table(table)
    else:
        parquet.write_table(table, tmp_path / name)
    records, (error,), _ = gather(tmp_path / name)
    assert records == []
    assert "Invalid UTF8" in str(error)


@pytest.mark.parametrize("name", ["a.parquet", "a.arrow"])
def test_names_of_columns_that_are_no_utf8(tmp_path: Path, name: str) -> None:
    pa, parquet = pytest.importorskip("pyarrow"), pytest.importorskip("pyarrow.parquet")
    table = pa.table({"text": ["A story."], "other": ["x"]})
    if name == "a.arrow":
        with pa.ipc.new_file(tmp_path / name, table.schema) as writer:
            writer.write_table(table)
    else:
        parquet.write_table(table, tmp_path / name, store_schema=False)
    (tmp_path / name).write_bytes((tmp_path / name).read_bytes().replace(b"other", b"oth\x8er"))
    records, (error,), _ = gather(tmp_path / name)
    assert records == []
    assert error.fatal
    assert "the name of a column is no UTF-8" in str(error)


def test_a_name_within_a_wacz_that_is_not_the_one_of_its_directory(tmp_path: Path) -> None:
    path = tmp_path / "a.wacz"
    with zipfile.ZipFile(path, "w") as file:
        file.writestr("archive/" + "a" * 1000 + ".warc", record(HTTP, "http://a.example/"))
    path.write_bytes(path.read_bytes().replace(b"archive/a", b"archive/b", 1))
    pytest.importorskip("fastwarc")
    _, (error,), _ = gather(path)
    assert "cannot be read as WACZ: File name in directory" in str(error)
    assert len(error.problem) < 300


def test_a_name_within_a_wacz_that_is_no_utf8_and_a_place_before_its_start(tmp_path: Path) -> None:
    """`zipfile` raises errors of its own for damage that it looks for, and those of what it calls for all other."""
    path = tmp_path / "a.wacz"
    with zipfile.ZipFile(path, "w") as file:
        file.writestr("archive/\N{WHITE SMILING FACE}.warc", record(HTTP, "http://a.example/"))
    data = path.read_bytes()
    damaged = (
        data.replace("\N{WHITE SMILING FACE}".encode(), b"\xff\xff\xff", 1),  # of its two copies the first
        data[40:],
    )
    pytest.importorskip("fastwarc")
    for content in damaged:
        path.write_bytes(content)
        records, (error,), _ = gather(path)
        assert records == []
        assert error.fatal
        assert "cannot be read as WACZ" in str(error)


# -------------------------------------------------------------------------------------------------------------- native


def test_traits_of_a_form_are_its_own() -> None:
    """A word space of Ethiopic asked what stands before it, which was the form before, or no memory of ours."""
    form = b"\x8d\xa1" + "\u1361".encode()
    alone = form_traits(np.frombuffer(form, np.uint8), np.array([0, len(form)]))
    behind = form_traits(np.frombuffer(b"\xe1" + form, np.uint8), np.array([0, 1, 1 + len(form)]))
    assert alone.tolist() == behind[1:].tolist()
