"""ARC, the format of crawls before WARC: pages with their HTTP headers, plain, gzip, zstd or xz; read by warcio.

Memory holds one record of at most `ReadConfig.max_record` bytes.
"""

from __future__ import annotations

import io
import logging
from collections.abc import Iterator
from typing import Any

from warcio.archiveiterator import ArchiveIterator
from warcio.exceptions import ArchiveLoadFailed

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
from templatemine.io.web import CUT_OFF_PAGES, OTHER_RECORDS, ArchivedResponse, page_record
from templatemine.model import Record

DERIVED = True
"""See `warc.DERIVED`."""

# It would show people addresses as they are in the file, escape sequences and all.
logging.getLogger("warcio").addHandler(logging.NullHandler())

_MAX_MESSAGE = 200
"""Characters of a message of warcio's, which quotes the whole line that it could not read."""

WRONG_LENGTHS = "records whose length is not what they say"


def read(path: str, config: ReadConfig, report: Report) -> Iterator[Record]:
    """Yield a record for each page: id, source, url, date and html.  The id is made of the address and the date.

    Raises
    ------
    CorpusError
        Fatal, after the whole records before it: no permission, no ARC, damaged or truncated.
    """
    place = place_of(path)
    number = 0
    try:
        with open_input(path) as stream, open_unpacked(path, stream) as whole:
            for number, record in enumerate(_records(whole, report), 1):
                response = _read_response(record, f"{place}:{number}", config, report)
                found = None if response is None else page_record(response, path, config, report)
                if found is not None:
                    yield found
    except _Damage as error:
        problem = f"expected an ARC record after record {number:,}" if number else "expected ARC records"
        raise CorpusError(f"{problem}, found damage: {error}", place, fatal=True) from error
    except READ_ERRORS as error:
        raise read_error(error, place, f" after record {number:,}" if number else "") from error


class _Damage(Exception):
    """Damage that warcio cannot go on behind."""


class _SilentArchiveIterator(ArchiveIterator):  # type: ignore[misc]
    """Counts lengths that are wrong (`err_count`) instead of printing lines of its own about them."""

    INC_RECORD = ""


def _records(stream: io.BufferedReader[Any], report: Report) -> Iterator[Any]:
    """Yield the records as warcio gives them. Lengths and dates that no number holds it takes for a mistake of the
    caller's, not of the file's; and it does not look whether there is an address, which a WARC of this name may
    lack."""
    source = _SilentArchiveIterator(_AvailableStream(stream), arc2warc=True)
    records = iter(source)
    while True:
        try:
            record = next(records, None)
        except (ArchiveLoadFailed, ArithmeticError, AttributeError, LookupError, TypeError, ValueError) as error:
            raise _Damage(str(error)[:_MAX_MESSAGE] or type(error).__name__) from error
        if record is None:
            if source.err_count:
                report.note(WRONG_LENGTHS, source.err_count)
            return
        yield record


class _AvailableStream:
    """A stream that gives what it has: reading on to fill a buffer would meet damage before what precedes it
    was given."""

    def __init__(self, stream: io.BufferedReader[Any]) -> None:
        self.read = stream.read1


def _read_response(record: Any, where: str, config: ReadConfig, report: Report) -> ArchivedResponse | None:
    headers = record.rec_headers
    length = int(record.length or 0)
    http = record.http_headers
    if record.rec_type != "response" or http is None:
        report.note(OTHER_RECORDS)
        return None
    if record.length is None:
        report(CorpusError("expected a length, found none: the record is damaged or cut off", where))
        return None
    if length > config.max_record:
        report(CorpusError(too_large_problem(config.max_record, f"{length:,}"), where))
        return None
    body = b"".join(iter(lambda: record.raw_stream.read(length), b""))
    if record.raw_stream.limit > 0:
        report(CorpusError(f"expected {length:,} bytes, found the end: the file is truncated", where))
        return None
    transfer, content = (http.get_header(name) or "" for name in ("Transfer-Encoding", "Content-Encoding"))
    try:
        body, cut_off = decode_body(body, transfer, content, config.max_record)
    except ValueError as error:
        report(CorpusError(str(error), where))
        return None
    if cut_off:
        report.note(CUT_OFF_PAGES)
    url, date = headers.get_header("WARC-Target-URI") or "", headers.get_header("WARC-Date")
    status = http.get_statuscode()
    return ArchivedResponse(
        id=f"{url}#{date}",
        url=url,
        date=date,
        status=int(status) if status.isdecimal() and len(status) <= 9 else None,
        content_type=http.get_header("Content-Type") or "",
        body=body,
        where=where,
    )
