"""What the tests of readers share: small archives, and how to read them."""

from __future__ import annotations

import fcntl
import os
import sys
from collections.abc import Iterable
from pathlib import Path

import pytest

from templatemine.config import ReadConfig
from templatemine.errors import CorpusError
from templatemine.io.files import Report
from templatemine.io.read import read_records
from templatemine.model import Record


def gather(path: str | Path, config: ReadConfig | None = None) -> tuple[list[Record], list[CorpusError], Report]:
    """Records, errors and notes; a fatal error is the last of the errors."""
    errors: list[CorpusError] = []
    records: list[Record] = []
    report = Report(errors.append)
    try:
        for record in read_records(path, config or ReadConfig(), report):
            records.append(record)
    except CorpusError as error:
        errors.append(error)
    assert not any(error.fatal for error in errors[:-1])
    assert all("\n" not in str(error) for error in errors)
    return records, errors, report


def response(
    url: str = "http://news.example.co.uk/a",
    body: bytes = b"<html><p>page</p></html>",
    headers: Iterable[tuple[str, str]] = (("Content-Type", "text/html; charset=utf-8"),),
    *,
    kind: str = "response",
    status: str = "200 OK",
    warc: Iterable[tuple[str, str]] = (),
) -> bytes:
    """A record of a WARC file."""
    http = f"HTTP/1.1 {status}\r\n" + "".join(f"{name}: {value}\r\n" for name, value in headers) + "\r\n"
    return record(http.encode() + body, url, kind=kind, warc=warc)


def record(
    block: bytes,
    url: str,
    *,
    kind: str = "response",
    content_type: str = "application/http; msgtype=response",
    warc: Iterable[tuple[str, str]] = (),
    length: str | None = None,
) -> bytes:
    """A record of a WARC file by its block."""
    headers = {
        "WARC-Type": kind,
        "WARC-Record-ID": f"<urn:test:{url}>",
        "WARC-Date": "2024-05-06T07:08:09Z",
        "WARC-Target-URI": url,
        "Content-Type": content_type,
        "Content-Length": str(len(block)) if length is None else length,
        **dict(warc),
    }
    head = "WARC/1.1\r\n" + "".join(f"{name}: {value}\r\n" for name, value in headers.items())
    return head.encode() + b"\r\n" + block + b"\r\n\r\n"


def is_locked(path: Path) -> bool:
    """Whether a run holds the lock of a file or folder.

    Raises
    ------
    OSError
        It cannot be opened.
    """
    descriptor = os.open(path, os.O_RDONLY)
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return True
    finally:
        os.close(descriptor)
    return False


def pack_zstd(data: bytes) -> bytes:
    """Data packed by zstd, with a checksum; skips the test where there is none."""
    zstd = pytest.importorskip("compression.zstd" if sys.version_info >= (3, 14) else "backports.zstd")
    return bytes(zstd.compress(data, options={zstd.CompressionParameter.checksum_flag: 1}))
