"""Writes the pages of a crawl as WARC or JSON lines: one write per page, so that the file is always readable."""

from __future__ import annotations

import gzip
import os
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from io import BytesIO
from typing import Any
from urllib.parse import urlsplit

from templatemine._version import __version__
from templatemine.crawl.state import Page
from templatemine.errors import ConfigError
from templatemine.io.jsonl import encode_line
from templatemine.io.write import write_errors

Headers = Sequence[tuple[str, str]]

_SUFFIXES = (".warc.gz", ".warc", ".jsonl.gz", ".jsonl")


def check_name(path: str) -> str:
    """Return the suffix that selects the format of the output.

    Raises
    ------
    ConfigError
        No format has such a suffix.
    """
    for suffix in _SUFFIXES:
        if path.lower().endswith(suffix):
            return suffix
    raise ConfigError(f"output: expected a name that ends in {', '.join(_SUFFIXES)}, got {path!r}")


@dataclass(frozen=True, slots=True, kw_only=True)
class Exchange:
    """A request and its response as sent and received, but without transfer encoding."""

    url: str
    date: str
    address: str | None
    request: Headers
    status: str
    headers: Headers
    body: bytes


class CrawlOutput:
    """The output file of a crawl, to which pages are appended.

    Parameters
    ----------
    keep : int
        Bytes of an existing file that are kept; the rest is of unfinished pages, and is cut off.
    """

    def __init__(self, path: str, keep: int) -> None:
        self._path, self._suffix = path, check_name(path)
        with write_errors(path):
            self._file = os.open(path, os.O_WRONLY | os.O_CREAT, 0o666)
            os.ftruncate(self._file, keep)
            os.lseek(self._file, keep, os.SEEK_SET)
        self._size = keep
        if self._suffix.startswith(".warc"):
            self._append(self._warcinfo())

    def close(self) -> None:
        """Flush the file to disk and close it."""
        with suppress(OSError):  # pipes and devices
            os.fsync(self._file)
        os.close(self._file)

    def add(self, exchange: Exchange, page: Page, fields: Mapping[str, Any]) -> int:
        """Write one page; returns the end of its last record."""
        if self._suffix.startswith(".warc"):
            return self._append(self._warc_records(exchange, page))
        metadata = {"title": page.title, "published": page.published, "via": page.via}
        line = encode_line({**fields, **{name: value for name, value in metadata.items() if value}})
        return self._append(gzip.compress(line, 6) if self._suffix.endswith(".gz") else line)

    def _append(self, data: bytes) -> int:
        view = memoryview(data)
        try:
            while view:
                view = view[os.write(self._file, view) :]
        except OSError:
            with suppress(OSError):
                os.ftruncate(self._file, self._size)
                os.lseek(self._file, self._size, os.SEEK_SET)
            with write_errors(self._path):
                raise
        self._size += len(data)
        return self._size

    # ------------------------------------------------------------------------------------------------------------- WARC

    def _warcinfo(self) -> bytes:
        from warcio.warcwriter import WARCWriter

        buffer = BytesIO()
        writer = WARCWriter(buffer, gzip=self._suffix.endswith(".gz"))
        fields = {"software": f"templatemine/{__version__}", "format": "WARC File Format 1.0", "robots": "obey"}
        writer.write_record(writer.create_warcinfo_record(os.path.basename(self._path), fields))
        return buffer.getvalue()

    def _warc_records(self, exchange: Exchange, page: Page) -> bytes:
        """Write the WARC records of a page: response, request, and metadata from the feed."""
        from warcio.statusandheaders import StatusAndHeaders
        from warcio.warcwriter import WARCWriter

        buffer = BytesIO()
        writer = WARCWriter(buffer, gzip=self._suffix.endswith(".gz"))
        headers = {"WARC-Date": exchange.date}
        if exchange.address:
            headers["WARC-IP-Address"] = exchange.address
        response = writer.create_warc_record(
            exchange.url,
            "response",
            payload=BytesIO(exchange.body),
            length=len(exchange.body),
            http_headers=StatusAndHeaders(exchange.status, list(exchange.headers), protocol="HTTP/1.1"),
            warc_headers_dict=headers,
        )
        parts = urlsplit(exchange.url)
        target = (parts.path or "/") + (f"?{parts.query}" if parts.query else "")
        request = writer.create_warc_record(
            exchange.url,
            "request",
            http_headers=StatusAndHeaders(f"GET {target} HTTP/1.1", list(exchange.request), is_http_request=True),
        )
        writer.write_request_response_pair(request, response)
        about = {"via": page.via, "title": page.title, "published": page.published}
        if page.url != exchange.url:
            about["requested"] = page.url
        lines = "".join(f"{name}: {' '.join(value.split())}\r\n" for name, value in about.items() if value)
        if lines:
            data = lines.encode("utf-8", "replace")
            concurrent = response.rec_headers.get_header("WARC-Record-ID")
            writer.write_record(
                writer.create_warc_record(
                    exchange.url,
                    "metadata",
                    payload=BytesIO(data),
                    length=len(data),
                    warc_content_type="application/warc-fields",
                    warc_headers_dict={"WARC-Date": exchange.date, "WARC-Concurrent-To": concurrent},
                )
            )
        return buffer.getvalue()
