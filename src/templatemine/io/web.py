"""Pages as they came over the network: what is one, in which character set, and of which source.

What the archives of crawls share.  The character set is that of the mark at the front, else UTF-8 if the page is that
(other sets hardly ever look like it), else what the header, the ``<meta>`` and detection name, in this order, the
first that fits.  A page is never refused for it: what fits nowhere is decoded with U+FFFD, and counted.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from resiliparse.parse.encoding import detect_encoding, detect_mime, map_encoding_to_html5

from templatemine.config import ReadConfig
from templatemine.errors import CorpusError
from templatemine.io.fields import check_size
from templatemine.io.files import Report, place_of, stem
from templatemine.io.folder import BYTE_ORDER_MARKS, decode_utf8, meta_charset
from templatemine.io.sources import domain_of, source_of
from templatemine.model import Document, Record

__all__ = ["CUT_OFF_PAGES", "EMPTY_RECORDS", "OTHER_RECORDS", "ArchivedResponse", "decode", "page_record"]

OTHER_RECORDS = "records that hold no page (requests, pictures, ...)"
FAILED_RESPONSES = "responses that report an error or lead elsewhere"
EMPTY_RECORDS = "records without a payload"
CUT_OFF_PAGES = "pages that the crawler cut off"
WRONG_CHARSETS = "pages in another character set than they say"
BROKEN_PAGES = "pages with bytes that no character set explains"

_PAGES = frozenset({"text/html", "application/xhtml+xml"})
_UNKNOWN_TYPES = frozenset({"", "unk", "no-type", "unknown", "application/octet-stream", "unknown/unknown"})

_HTML_START = re.compile(
    rb"\s*<(?:!doctype html|html|head|script|iframe|h1|div|font|table|a|style|title|b|body|br|p)[\s>]|\s*<!--",
    re.IGNORECASE,
)
"""How pages begin whose type is not told (MIME Sniffing standard, section 7.1)."""


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
    content_type, charset : str
        As the server said; empty if it did not.
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
    charset: str
    body: bytes
    text: bool = False
    where: str


def page_record(response: ArchivedResponse, path: str, config: ReadConfig, report: Report) -> Record | None:
    """The record of a page; None, counted or reported, if there is none in the response."""
    if response.status is not None and not 200 <= response.status < 300:
        report.note(FAILED_RESPONSES)
        return None
    if not response.body.strip():
        report.note(EMPTY_RECORDS)
        return None
    kind = response.content_type.partition(";")[0].strip().lower()
    if not response.text and kind not in _PAGES and not (kind in _UNKNOWN_TYPES and _looks_like_a_page(response.body)):
        report.note(OTHER_RECORDS)
        return None
    body, notes = decode(response.body, response.charset)
    for note in notes:
        report.note(note)
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


def decode(data: bytes, charset: str) -> tuple[str, list[str]]:
    """The text of a page.

    Parameters
    ----------
    data : bytes
    charset : str
        As the header says; empty if it does not.

    Returns
    -------
    str
        Without a mark at the front.
    list of str
        `WRONG_CHARSETS` and `BROKEN_PAGES`, where it is so.
    """
    for mark, codec in BYTE_ORDER_MARKS.items():
        if data.startswith(mark):
            text = data[len(mark) :].decode(codec, "replace")
            return text, [BROKEN_PAGES] if "\ufffd" in text and not _decodes_as(data, codec) else []
    named = list(_declared_charsets(data, charset))
    # Escapes are how ISO-2022 writes in ASCII, zeros how UTF-16 does.
    if b"\x1b" not in data and b"\0" not in data and (found := decode_utf8(data)) is not None:
        text, broken = found
        lie = [WRONG_CHARSETS] if named and named[0] != "utf-8" and not text.isascii() else []
        return text, lie + [BROKEN_PAGES] * broken
    detected = detect_encoding(data)
    for codec in (*named, detected, "utf-8"):
        try:
            text = data.decode(codec).removeprefix("\ufeff")
        except (UnicodeDecodeError, LookupError):
            continue
        return text, [WRONG_CHARSETS] if named and codec != named[0] else []
    codec = next((name for name in (*named, detected) if name != "utf-8"), "cp1252")
    return data.decode(codec, "replace"), [BROKEN_PAGES]


def _declared_charsets(data: bytes, charset: str) -> Iterator[str]:
    """The codecs of the labels that are known, header before ``<meta>``."""
    for label, from_meta in ((charset, False), (meta_charset(data) or "", True)):
        codec = map_encoding_to_html5(label.strip().strip("\"'"), fallback_utf8=False) if label else None
        if codec:
            # What could be read byte by byte is not UTF-16 (HTML standard, section 13.2.3).
            yield "utf-8" if from_meta and codec.startswith("utf-16") else codec


def _decodes_as(data: bytes, codec: str) -> bool:
    try:
        data.decode(codec)
    except UnicodeDecodeError:
        return False
    return True
