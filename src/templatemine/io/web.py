"""Pages as they came over the network: which responses are pages, and of which source.  Shared by the archives of
crawls."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Any

from resiliparse.parse.encoding import detect_mime

from templatemine.config import ReadConfig
from templatemine.errors import CorpusError
from templatemine.io.charset import decode_page, note_all
from templatemine.io.fields import check_size
from templatemine.io.files import Report, place_of, stem
from templatemine.io.sources import domain_of, source_of
from templatemine.model import Document, Record

OTHER_RECORDS = "records that hold no page (requests, pictures, ...)"
FAILED_RESPONSES = "responses that report an error or lead elsewhere"
EMPTY_RECORDS = "records without a payload"
CUT_OFF_PAGES = "pages that the crawler cut off"

_PAGES = frozenset({"text/html", "application/xhtml+xml"})
_UNKNOWN_TYPES = frozenset({"", "unk", "no-type", "unknown", "application/octet-stream", "unknown/unknown"})

_HTML_START = re.compile(
    rb"\s*<(?:!doctype html|html|head|script|iframe|h1|div|font|table|a|style|title|b|body|br|p)[\s>]|\s*<!--",
    re.IGNORECASE,
)
"""Beginnings of pages without a type (MIME Sniffing standard, section 7.1)."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ArchivedResponse:
    """A response in an archive of a crawl.

    Attributes
    ----------
    id, url : str
    date : str or None
        ISO 8601.
    status : int or None
        Of HTTP; None where there is none.
    content_type : str
        As the server said, with the character set; empty if it did not.
    body : bytes
        Without the transfer's and the content's encoding.
    text : bool
        It is the text of a page (WET), not a page.
    where : str
        For errors.
    """

    id: str
    url: str
    date: str | None
    status: int | None
    content_type: str
    body: bytes
    text: bool = False
    where: str


def page_record(response: ArchivedResponse, path: str, config: ReadConfig, report: Report) -> Record | None:
    """Return the record of a page; None, counted or reported, if there is none in the response."""
    if response.status is not None and not 200 <= response.status < 300:
        report.note(FAILED_RESPONSES)
        return None
    if not response.body.strip():
        report.note(EMPTY_RECORDS)
        return None
    kind, _, parameters = response.content_type.lower().partition(";")
    kind = kind.strip()
    if not response.text and kind not in _PAGES and not (kind in _UNKNOWN_TYPES and _looks_like_a_page(response.body)):
        report.note(OTHER_RECORDS)
        return None
    body, notes = decode_page(response.body, parameters.partition("charset=")[2].partition(";")[0])
    note_all(report, notes)
    fields: dict[str, Any] = {
        config.id_field: response.id,
        config.source_field: "",
        config.url_field: response.url,
        config.date_field: response.date,
        config.text_field if response.text else config.html_field: body,
    }
    try:
        check_size(config, body)
        if config.source_of is None:
            source = domain_of(response.url) or stem(path)
        else:
            source = source_of(config.source_of, fields, place_of(path), config.url_field)
    except ValueError as error:
        report(CorpusError(str(error), response.where))
        return None
    fields[config.source_field] = source
    document = Document(
        source=source,
        id=response.id,
        text=body if response.text else None,
        html=None if response.text else body,
        url=response.url,
        date=response.date,
    )
    return Record(document=document, fields=fields, where=response.where)


def _looks_like_a_page(body: bytes) -> bool:
    return _HTML_START.match(body) is not None or detect_mime(body[:4096]) in _PAGES
