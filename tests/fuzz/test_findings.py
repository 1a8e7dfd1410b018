"""What fuzzing has found (docs/reliability.md), each by the smallest input that shows it."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from io_support import gather, record

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
