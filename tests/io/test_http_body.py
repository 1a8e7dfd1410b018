"""Encodings of HTTP bodies: undone in bounded steps, and what is missing is told."""

from __future__ import annotations

import gzip
import io
import subprocess
import sys
import zlib
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from io_support import gather, response
from templatemine.io.http_body import decode_body

PAGE = b"<html><p>hello</p></html>" * 50
SIZE = 200 << 20


def chunked(data: bytes, size: int = 100) -> bytes:
    pieces = [data[start : start + size] for start in range(0, len(data), size)]
    return b"".join(b"%x\r\n%s\r\n" % (len(piece), piece) for piece in pieces) + b"0\r\n\r\n"


def raw_deflate(data: bytes) -> bytes:
    packer = zlib.compressobj(9, zlib.DEFLATED, -15)
    return packer.compress(data) + packer.flush()


@pytest.mark.parametrize(
    ("transfer", "content", "body"),
    [
        ("", "", PAGE),
        ("", "gzip", gzip.compress(PAGE)),
        ("", "X-GZip", gzip.compress(PAGE)),
        ("", "gzip", gzip.compress(PAGE[:500]) + gzip.compress(PAGE[500:])),
        ("", "gzip", gzip.compress(PAGE) + b"what stands behind"),
        ("", "deflate", zlib.compress(PAGE)),
        ("", "deflate", raw_deflate(PAGE)),
        ("chunked", "gzip", chunked(gzip.compress(PAGE), 7)),
        ("gzip, chunked", "", chunked(gzip.compress(PAGE))),
        ("", "deflate, gzip", gzip.compress(zlib.compress(PAGE))),
        ("", "utf-8", PAGE),
        # The crawler undid one of two.
        ("chunked", "gzip", gzip.compress(PAGE)),
    ],
)
def test_encodings(transfer: str, content: str, body: bytes) -> None:
    assert decode_body(body, transfer, content, 10_000) == (PAGE, False)


def test_what_ends_too_early_is_kept_and_marked() -> None:
    body, cut_off = decode_body(gzip.compress(PAGE)[:-9], "", "gzip", 10_000)
    assert cut_off
    assert body
    assert PAGE.startswith(body)
    body, cut_off = decode_body(chunked(PAGE)[:-30], "chunked", "", 10_000)
    assert cut_off
    assert PAGE.startswith(body)
    assert len(body) > 1200
    body, cut_off = decode_body(chunked(gzip.compress(PAGE), 7)[:-40], "chunked", "gzip", 10_000)
    assert cut_off


@given(
    st.binary(max_size=200), st.sampled_from(["", "chunked"]), st.sampled_from(["gzip", "deflate", "br", "zstd", "x"])
)
def test_any_bytes_give_a_body(data: bytes, transfer: str, content: str) -> None:
    pytest.importorskip("fastwarc")
    try:
        body, _ = decode_body(data, transfer, content, 5000)
    except ValueError:
        return
    assert len(body) <= 5000


@pytest.mark.parametrize("content", ["br", "gzip", "deflate", "zstd", "compress"])
def test_what_cannot_be_decoded_is_no_page(content: str) -> None:
    """Compressed bytes were taken for text, and would have been mined."""
    pytest.importorskip("fastwarc")
    noise = bytes(range(128, 256)) * 4
    with pytest.raises(ValueError, match=f"expected .*{content}|found 'compress'"):
        decode_body(noise, "", content, 10_000)
    assert decode_body(b"A text that was sent as it is", "", content, 10_000) == (
        b"A text that was sent as it is",
        False,
    )


def test_too_many_encodings() -> None:
    with pytest.raises(ValueError, match="expected at most 5 encodings of a page, found 6"):
        decode_body(PAGE, "", ", ".join(["gzip"] * 6), 10_000)


def bomb(encoding: str) -> bytes:
    zeros = bytes(1 << 20)
    if encoding == "br":
        from fastwarc.stream_io import BrotliWriter

        sink = io.BytesIO()
        writer = BrotliWriter(sink)
        for _ in range(SIZE >> 20):
            writer.write(zeros)
        writer.close()
        return sink.getvalue()
    packer = zlib.compressobj(1, zlib.DEFLATED, 31 if encoding == "gzip" else 15)
    return b"".join(packer.compress(zeros) for _ in range(SIZE >> 20)) + packer.flush()


_CHILD = """
import resource, sys
from templatemine.config import ReadConfig
from templatemine.io.files import Report
from templatemine.io.read import read_records
config = ReadConfig(max_record=4_000_000)
assert len(list(read_records(sys.argv[1], config, print))) == 1
before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
assert len(list(read_records(sys.argv[2], config, print))) == 1
print(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before)
"""


@pytest.mark.skipif(sys.platform != "linux", reason="peak memory is in other units elsewhere")
@pytest.mark.parametrize("encoding", ["gzip", "deflate", "br"])
def test_a_bomb_is_skipped_in_bounded_memory(tmp_path: Path, encoding: str) -> None:
    pytest.importorskip("fastwarc")
    pytest.importorskip("resiliparse")
    headers = [("Content-Type", "text/html"), ("Content-Encoding", encoding)]
    (tmp_path / "a.warc").write_bytes(response())
    (tmp_path / "b.warc").write_bytes(response(body=bomb(encoding), headers=headers) + response())
    command = [sys.executable, "-c", _CHILD, str(tmp_path / "a.warc"), str(tmp_path / "b.warc")]
    told, more = subprocess.run(command, capture_output=True, text=True, check=True).stdout.splitlines()
    assert told == f"{tmp_path / 'b.warc'}:1: expected at most 4,000,000 bytes unpacked, found more"
    assert int(more) < 50_000  # KiB


@pytest.mark.parametrize("encoding", ["gzip", "chunked"])
def test_a_page_cut_off_in_its_encoding_is_counted(tmp_path: Path, encoding: str) -> None:
    """It was lost without a word, or came out as bytes of gzip."""
    pytest.importorskip("fastwarc")
    pytest.importorskip("resiliparse")
    from templatemine.io import web

    whole = (gzip.compress(PAGE, 0) if encoding == "gzip" else chunked(PAGE))[:-100]
    name = "Content-Encoding" if encoding == "gzip" else "Transfer-Encoding"
    path = tmp_path / "a.warc"
    path.write_bytes(response(body=whole, headers=[("Content-Type", "text/html"), (name, encoding)]) + response())
    (cut, _), errors, report = gather(path)
    assert cut.document.html
    assert PAGE.decode().startswith(cut.document.html)
    assert errors == []
    assert report.notes == {web.CUT_OFF_PAGES: 1}
