"""WARC: the pages of a crawl, and the texts of WET files; plain, gzip, zstd or xz.

Response (and resource) records with HTML are documents, conversion records with plain text too; all others are
counted.  Records are found, and HTTP taken apart, by FastWARC.  Where it stops at damage, reading goes on with the next
record that can be found, and what lies between is reported.  Memory holds one record of at most
`ReadConfig.max_record` bytes, packed and unpacked.
"""

from __future__ import annotations

import io
import re
import zlib
from collections.abc import Iterator
from typing import Any

from fastwarc.warc import ArchiveIterator, WarcRecord, WarcRecordType

from templatemine.config import ReadConfig
from templatemine.errors import CorpusError
from templatemine.io.files import READ_ERRORS, Report, open_input, place_of, unpacked, unreadable
from templatemine.io.web import CUT_OFF, EMPTY, OTHERS, Fetched, page_record
from templatemine.model import Record

__all__ = ["DERIVED", "read"]

DERIVED = True
"""The page is not what the user keeps in such a file, but a part of it: `clean` writes the text without it."""

_KINDS = (
    WarcRecordType.response
    | WarcRecordType.resource
    | WarcRecordType.conversion
    | WarcRecordType.revisit
)
_MAX_HEADER = 1 << 16
_XZ = b"\xfd7zXZ"


def read(path: str, config: ReadConfig, report: Report) -> Iterator[Record]:
    """Yield a record for each page: id, source, url, date and html (or text).

    Raises
    ------
    CorpusError
        Fatal: no permission, no WARC at all, or damage in what cannot be searched for the next record (a pipe).
    """
    place = place_of(path)
    try:
        with open_input(path) as stream:
            for record in _records(stream, place, config, report):
                found = page_record(record, path, config, report)
                if found is not None:
                    yield found
    except READ_ERRORS as error:
        raise unreadable(error, place) from error


def _records(stream: io.BufferedIOBase, place: str, config: ReadConfig, report: Report) -> Iterator[Fetched]:
    """What the records hold, from front to back, over damage where the file can be searched."""
    source: Any = stream
    seekable = stream.seekable() and not place == "stdin"
    head = _peek(stream, seekable)
    if head.startswith(_XZ):
        source, seekable = unpacked(place, stream), False
    start = number = 0
    while True:
        where = start
        if seekable:
            source.seek(start)
        try:
            # On zero bytes FastWARC has nothing to look at and nothing to say.
            for record in ArchiveIterator(
                _Plain(source), record_types=WarcRecordType.any_type, parse_http=False, max_header_len=_MAX_HEADER
            ):
                where = start + record.stream_pos
                number += 1
                fetched = _fetched(record, f"{place}:{number}", config, report)
                if fetched is not None:
                    yield fetched
            return
        except OSError as error:
            problem = f"expected a WARC record after record {number:,}, found damage: {error}"
        following = _next_record(source, where + 1) if seekable else None
        if following is None and (not number or not seekable):
            raise CorpusError(problem if number else "expected WARC records, found none", place, fatal=True)
        report(CorpusError(problem, place))
        if following is None:
            return
        start = following


class _Plain:
    """The stream with nothing but what FastWARC may use: it would look for files, and close them."""

    def __init__(self, stream: Any) -> None:
        self.read = stream.read


def _peek(stream: Any, seekable: bool) -> bytes:
    if not seekable:
        return bytes(stream.peek(8)[:8]) if hasattr(stream, "peek") else b""
    head = bytes(stream.read(8))
    stream.seek(0)
    return head


# ------------------------------------------------------------------------------------------------------- one record


def _fetched(record: Any, where: str, config: ReadConfig, report: Report) -> Fetched | None:
    """What a record holds; None, counted or reported, if that is nothing of ours."""
    headers = record.headers
    if record.record_type & WarcRecordType.revisit:
        report.note(EMPTY)
        return None
    length = _number(headers.get("Content-Length"))
    if length is None:
        report(CorpusError("expected a Content-Length, found none: the record is damaged or cut off", where))
        return None
    kind = (headers.get("Content-Type") or "").lower()
    http = kind.startswith("application/http")
    wanted = record.record_type & _KINDS and (http or kind.startswith(("text/html", "application/xhtml", "text/plain")))
    if not wanted or (not http and not _is_page_or_text(record, kind)):
        report.note(OTHERS)
        return None
    if length > config.max_record:
        report(CorpusError(f"expected at most {config.max_record:,} bytes, found {length:,}", where))
        return None
    block = record.reader.read()
    if len(block) < length:
        report(CorpusError(f"expected {length:,} bytes, found {len(block):,}: the file is truncated", where))
        return None
    if headers.get("WARC-Truncated"):
        report.note(CUT_OFF)
    if not block:
        report.note(EMPTY)
        return None
    status, content_type, charset, body = _http(block, config) if http else (None, kind, _charset(kind), block)
    if len(body) > config.max_record:
        report(CorpusError(f"expected at most {config.max_record:,} bytes unpacked, found more", where))
        return None
    return Fetched(
        id=record.record_id or where,
        url=(headers.get("WARC-Target-URI") or "").strip("<>"),
        date=headers.get("WARC-Date"),
        status=status,
        content_type=content_type,
        charset=charset,
        body=body,
        text=bool(record.record_type & WarcRecordType.conversion),
        where=where,
    )


def _is_page_or_text(record: Any, kind: str) -> bool:
    """Of records without HTTP: pages, unless they are the text of one, which is plain."""
    return kind.startswith("text/plain") == bool(record.record_type & WarcRecordType.conversion)


def _http(block: bytes, config: ReadConfig) -> tuple[int | None, str, str, bytes]:
    """Status, type, character set and body of an HTTP message.

    Crawlers often keep a header that tells of an encoding which they have undone themselves, so what cannot be decoded
    as it says is taken as it stands.
    """
    for decoding in ("all", "transfer", "none"):
        message = WarcRecord()
        message.set_bytes_content(block)
        message.is_http = True
        try:
            message.parse_http(auto_decode=decoding, max_header_len=_MAX_HEADER)
            body = message.reader.read(config.max_record + 1)
        except OSError:
            continue
        headers = message.http_headers
        if headers is None:
            break
        return headers.status_code, message.http_content_type or "", message.http_charset or "", body
    return None, "", "", block  # no HTTP: some crawlers write the page alone


def _charset(kind: str) -> str:
    return kind.partition("charset=")[2].partition(";")[0].strip()


def _number(text: str | None) -> int | None:
    return int(text) if text is not None and text.strip().isdecimal() else None


# ------------------------------------------------------------------------------------------------ the next after one

_CHUNK = 1 << 20
_STARTS = re.compile(rb"\x1f\x8b\x08|\x28\xb5\x2f\xfd|(?:\A|(?<=\n))WARC/1\.")


def _next_record(stream: Any, start: int) -> int | None:
    """Where the next record begins that lies at `start` or behind it."""
    stream.seek(0)
    head = bytes(stream.read(4))
    stream.seek(start)
    data = bytes(stream.read(_CHUNK))
    while data:
        for match in _STARTS.finditer(data):
            if match[0][:2] == head[:2] and _begins_record(data[match.start() : match.start() + 512]):
                return start + match.start()
        more = bytes(stream.read(_CHUNK))
        keep = min(len(data), 512) if more else 0
        start += len(data) - keep
        data = data[len(data) - keep :] + more if more else b""
    return None


def _begins_record(data: bytes) -> bool:
    if data[:2] != b"\x1f\x8b":
        return True
    try:
        return zlib.decompressobj(31).decompress(data, 5) == b"WARC/"
    except zlib.error:
        return False
