"""WARC: the pages of a crawl, and the texts of WET files; plain, gzip, zstd, xz or lz4.

Response (and resource) records with HTML are documents, conversion records with plain text too; all others are
counted.  Records are found, and HTTP taken apart, by FastWARC.  Where it stops at damage, reading goes on with the next
record that can be found, and what lies between is reported.  Memory holds one record of at most
`ReadConfig.max_record` bytes, packed and unpacked.
"""

from __future__ import annotations

import io
import re
from collections.abc import Iterator
from typing import Any, NamedTuple

from fastwarc.warc import ArchiveIterator, WarcRecord, WarcRecordType

from templatemine.config import ReadConfig
from templatemine.errors import CorpusError
from templatemine.io.files import (
    READ_ERRORS,
    Report,
    open_input,
    open_unpacked,
    place_of,
    read_error,
    too_large_problem,
)
from templatemine.io.http_body import decode_body
from templatemine.io.members import Damage, gzip_members, zstd_members
from templatemine.io.web import CUT_OFF_PAGES, EMPTY_RECORDS, OTHER_RECORDS, ArchivedResponse, page_record
from templatemine.model import Record

DERIVED = True
"""The page is only a part of the user's file: `clean` writes the text without it."""

_KINDS = WarcRecordType.response | WarcRecordType.resource | WarcRecordType.conversion | WarcRecordType.revisit
_MAX_HEADER = 1 << 16
_STREAM_MAGICS = (b"\xfd7zXZ", b"\x04\x22\x4d\x18")
"""Magic numbers of formats that are unpacked as a whole: xz and lz4."""


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
            yield from read_stream(stream, path, place, config, report)
    except READ_ERRORS as error:
        raise read_error(error, place) from error


def read_stream(
    stream: io.BufferedIOBase, path: str, place: str, config: ReadConfig, report: Report
) -> Iterator[Record]:
    """Yield the pages of an open file; `place` is what errors call it."""
    for record in _records(stream, place, config, report):
        found = page_record(record, path, config, report)
        if found is not None:
            yield found


def _records(stream: Any, place: str, config: ReadConfig, report: Report) -> Iterator[ArchivedResponse]:
    """Yield the contents of records, from front to back, over damage where the next record can be found."""
    head = bytes(stream.peek(8)[:8])
    source: Any
    if head.startswith(b"\x1f\x8b"):
        source = gzip_members(stream)
    elif head.startswith(b"\x28\xb5\x2f\xfd"):
        source = zstd_members(stream)
    else:
        source = _PlainStream(open_unpacked(place, stream) if head.startswith(_STREAM_MAGICS) else stream)
    number = 0
    while True:
        begun = source.tell()
        try:
            for record in ArchiveIterator(
                source, record_types=WarcRecordType.any_type, parse_http=False, max_header_len=_MAX_HEADER
            ):
                number += 1
                begun = max(begun, record.stream_pos)
                response = _read_response(record, f"{place}:{number}", config, report)
                if response is not None:
                    yield response
            return
        except Damage as error:
            problem, more = str(error), source.resume(-1)
        except BaseException as error:
            # A panic of the library's Rust is no Exception; it must not end a run any more than other damage.
            if type(error).__name__ not in ("OSError", "PanicException"):
                raise
            problem, more = f"expected a WARC record, found damage: {error}", source.resume(begun)
        after = f" after record {number:,}" if number else ""
        if not more and (not number or not source.whole):
            raise CorpusError(problem + after, place, fatal=True)
        report(CorpusError(problem + after, place))
        if not more:
            return


class _PlainStream:
    """A file that is not packed, in which the next record can be searched.

    `whole` is False for a pipe: nothing can be found in it once it is read.
    """

    def __init__(self, stream: Any) -> None:
        self._stream = stream
        self._at = 0
        self.whole = bool(stream.seekable())

    def read(self, size: int = -1) -> bytes:
        data = bytes(self._stream.read(size))
        self._at += len(data)
        return data

    def tell(self) -> int:
        return self._at

    def resume(self, start: int) -> bool:
        """Go where the next record begins behind `start`; whether there is one."""
        if not self.whole:
            return False
        self._at = self._stream.seek(start + 1)
        data = self.read(_CHUNK)
        while data:
            more = self.read(_CHUNK)
            match = _START.search(data + more)
            if match is not None:
                self._at = self._stream.seek(self._at - len(data + more) + match.start())
                return True
            data = data[-16:] + more if more else b""  # a beginning that lies across
        return False


_CHUNK = 1 << 20
_START = re.compile(rb"(?<=\n)WARC/1\.")

# ------------------------------------------------------------------------------------------------------- one record


def _read_response(record: Any, where: str, config: ReadConfig, report: Report) -> ArchivedResponse | None:
    """Read the content of a record; None, counted or reported, for one that holds no page."""
    headers = record.headers
    if record.record_type & WarcRecordType.revisit:
        report.note(EMPTY_RECORDS)
        return None
    length = _parse_length(headers.get("Content-Length"))
    if length is None:
        told = headers.get("Content-Length")
        found = "none" if told is None else f"{told[:40]!r}"
        report(CorpusError(f"expected a Content-Length, found {found}: the record is damaged or cut off", where))
        return None
    kind = (headers.get("Content-Type") or "").lower()
    http = kind.startswith("application/http")
    wanted = record.record_type & _KINDS and (http or kind.startswith(("text/html", "application/xhtml", "text/plain")))
    if not wanted or (not http and not _is_page_or_text(record, kind)):
        report.note(OTHER_RECORDS)
        return None
    if length > config.max_record:
        report(CorpusError(too_large_problem(config.max_record, f"{length:,}"), where))
        return None
    block = record.reader.read()
    if len(block) < length:
        report(CorpusError(f"expected {length:,} bytes, found {len(block):,}: the file is truncated", where))
        return None
    truncated = bool(headers.get("WARC-Truncated"))
    if truncated:
        report.note(CUT_OFF_PAGES)
    if not block:
        report.note(EMPTY_RECORDS)
        return None
    try:
        message = _parse_http(block, config) if http else _Message(None, kind, block)
    except ValueError as error:
        report(CorpusError(str(error), where))
        return None
    if message.cut_off and not truncated:
        report.note(CUT_OFF_PAGES)
    return ArchivedResponse(
        id=record.record_id or where,
        url=(headers.get("WARC-Target-URI") or "").strip("<>"),
        date=headers.get("WARC-Date"),
        status=message.status,
        content_type=message.content_type,
        body=message.body,
        text=bool(record.record_type & WarcRecordType.conversion),
        where=where,
    )


def _is_page_or_text(record: Any, kind: str) -> bool:
    """Return whether a record without HTTP is a page; the text of one is plain."""
    return kind.startswith("text/plain") == bool(record.record_type & WarcRecordType.conversion)


class _Message(NamedTuple):
    """An HTTP message: its status and type, and its body without encodings; `cut_off` if these ended
    too early."""

    status: int | None
    content_type: str
    body: bytes
    cut_off: bool = False


def _parse_http(block: bytes, config: ReadConfig) -> _Message:
    """Take an HTTP message apart.

    FastWARC would decode the body too, but all of it at once, whatever it unpacks to.

    Raises
    ------
    ValueError
        The body unpacks to more than a record may have.
    """
    message = WarcRecord()
    message.set_bytes_content(_normalize_line_ends(block))
    message.is_http = True
    try:
        message.parse_http(auto_decode="none", max_header_len=_MAX_HEADER)
        headers = message.http_headers
        body = bytes(message.reader.read())
    except OSError:
        headers = None
    if headers is None:
        return _Message(None, "", block)  # no HTTP: some crawlers write the page alone
    transfer, content = (",".join(headers.get_multiple(name)) for name in ("Transfer-Encoding", "Content-Encoding"))
    body, cut_off = decode_body(body, transfer, content, config.max_record)
    return _Message(headers.status_code, headers.get("Content-Type") or "", body, cut_off)


_LINE_END = re.compile(rb"\r?\n")
_HEAD_END = re.compile(rb"\n\r?\n")


def _normalize_line_ends(block: bytes) -> bytes:
    """Return a message whose head has lines that end with LF alone, as some crawlers keep it, as HTTP has it; FastWARC
    would look for the end of the head in the page."""
    end = _HEAD_END.search(block, 0, _MAX_HEADER) if block.startswith(b"HTTP/") else None
    if end is None or block.count(b"\n", 0, end.end()) == block.count(b"\r\n", 0, end.end()):
        return block
    return _LINE_END.sub(b"\r\n", block[: end.end()]) + block[end.end() :]


def _parse_length(text: str | None) -> int | None:
    """Return a length as a header may give it; other digits than those of ASCII, and thousands of them, are none."""
    return int(text) if text is not None and re.fullmatch(r"[ \t]*[0-9]{1,400}[ \t]*", text) else None
