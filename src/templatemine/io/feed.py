"""RSS and Atom: an item of a feed is a document, its content the page (or the text, where the feed says it is plain).

feedparser reads what is out there: any version, broken XML, wrong character sets.  It opens no addresses, for it is
given bytes.  Of entities that a feed declares, only short ones that refer to nothing are known; others are left as they
stand, so that none is fetched and none unfolds without end (and expat has limits of its own).  Memory holds one feed of
at most `ReadConfig.max_record` bytes.
"""

from __future__ import annotations

import io
import re
import time
from collections.abc import Iterator, Mapping
from typing import Any

import feedparser

from templatemine.config import ReadConfig
from templatemine.errors import CorpusError
from templatemine.io.fields import document
from templatemine.io.files import READ_ERRORS, Report, open_input, place_of, read_whole, stem, unpacked, unreadable
from templatemine.io.sources import domain_of
from templatemine.model import Record

__all__ = ["DERIVED", "parsed_feed", "read"]

DERIVED = True
"""As in `warc`."""

BROKEN = "feeds with mistakes in their XML"


def read(path: str, config: ReadConfig, report: Report) -> Iterator[Record]:
    """Yield a record for each item: id, source, url, date, title and html or text.

    The source is the registered domain of the item's link, else of the feed's.  An item without an id goes by its link.
    What is no feed is reported, for a folder may hold other XML; so is an item that the end of the file cuts off.

    Raises
    ------
    CorpusError
        Fatal: no permission, damaged or truncated packing.
    """
    place = place_of(path)
    try:
        with open_input(path) as stream, unpacked(path, stream) as whole:
            data = read_whole(whole, config.max_record)
    except ValueError as error:
        report(CorpusError(str(error), place))
        return
    except READ_ERRORS as error:
        raise unreadable(error, place) from error
    parsed = parsed_feed(data)
    if not parsed.get("version"):
        report(CorpusError("expected a feed (RSS or Atom), found none", place))
        return
    if parsed.get("bozo"):
        report.note(BROKEN)
    last = len(parsed.entries) if parsed.get("bozo") and _cut_off(data) else 0
    home = parsed.get("feed", {}).get("link") or ""
    default = domain_of(home) or stem(path)
    for number, item in enumerate(parsed.entries, 1):
        if number == last:  # feedparser gives what there is of it, the summary in place of the content
            report(
                CorpusError(
                    "expected the end of the item, found that of the file, which is cut off", f"{place}:{number}"
                )
            )
            continue
        fields = _fields(item, config, default)
        try:
            found = document(fields, config, default, number, place)
        except ValueError as error:
            report(CorpusError(str(error), f"{place}:{number}"))
            continue
        fields[config.source_field] = found.source
        yield Record(document=found, fields=fields, where=f"{place}:{number}")


def parsed_feed(data: bytes) -> Any:
    """What feedparser makes of a feed's bytes, its dangerous entities left out; without a ``version`` it is none."""
    # Bytes in a file-like object, for feedparser takes a string for an address.
    data = _ENTITY.sub(_harmless, data)
    return feedparser.parse(io.BytesIO(data), resolve_relative_uris=False, sanitize_html=False)


def _cut_off(data: bytes) -> bool:
    """Whether the file ends within an item: one begins after the last end, and nothing of the feed ends behind it."""
    data = data.replace(b"\0", b"")  # UTF-16, as far as this needs it
    begins = max((match.start() for match in _BEGIN.finditer(data)), default=-1)
    return begins >= 0 and not _END.search(data, begins)


_BEGIN = re.compile(rb"<(?:\w+:)?(?:item|entry)(?=[\s>])", re.IGNORECASE)
_END = re.compile(rb"</(?:\w+:)?(?:item|entry|channel|rss|feed|rdf)\s*>", re.IGNORECASE)

_ENTITY = re.compile(rb"<!ENTITY\s[^>\"']*(?:\"([^\"]*)\"|'([^']*)')?[^>]*>")
_LONGEST_ENTITY = 100


def _harmless(match: re.Match[bytes]) -> bytes:
    """The declaration of an entity, if it is a few characters; none that refers to others, or to a file."""
    value = match[1] or match[2] or b""
    refers = value.replace(b"&#", b"")
    external = re.match(rb"<!ENTITY\s+(?:%|\S+\s+(?:SYSTEM|PUBLIC))", match[0])
    safe = not external and len(value) <= _LONGEST_ENTITY and b"&" not in refers and b"%" not in refers
    return match[0] if safe else b""


def _fields(item: Mapping[str, Any], config: ReadConfig, default: str) -> dict[str, Any]:
    link = item.get("link")
    date = item.get("published_parsed") or item.get("updated_parsed")
    kind, body = _content(item)
    fields = {
        config.id_field: item.get("id") or link,
        config.source_field: domain_of(link or "") or default,
        "url": link,
        "date": time.strftime("%Y-%m-%dT%H:%M:%SZ", date) if date else None,
        "title": item.get("title"),
    }
    if body is not None:
        fields[config.text_field if kind == "text/plain" else config.html_field] = body
    return fields


def _content(item: Mapping[str, Any]) -> tuple[str, str | None]:
    """Type and value of the longest content; the summary where there is none."""
    contents = [one for one in item.get("content") or () if one.get("value")]
    if contents:
        longest = max(contents, key=lambda one: len(one["value"]))
        return longest.get("type") or "text/html", longest["value"]
    detail = item.get("summary_detail") or {}
    return detail.get("type") or "text/html", item.get("summary") or None
