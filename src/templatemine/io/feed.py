"""RSS, Atom, CDF and JSON Feed: an item is a document, the longest of its content, summary and description the page
(or the text, where the feed says it is plain).  What is said of its pictures and films is none.  Where the feed names
an address that those within are relative to (``xml:base``), a ``<base>`` says so.

feedparser reads what is out there: any version, broken XML, wrong character sets.  It opens no addresses, for it is
given bytes.  Of entities that a feed declares, only short ones that refer to nothing are known; others are left as they
stand, so that none is fetched and none unfolds without end (and expat has limits of its own).  Memory holds one feed of
at most `ReadConfig.max_record` bytes.
"""

from __future__ import annotations

import io
import json
import re
import time
from collections.abc import Iterator, Mapping
from datetime import datetime
from html import escape
from typing import Any

import feedparser

from templatemine.config import ReadConfig
from templatemine.errors import CorpusError
from templatemine.io.fields import build_document
from templatemine.io.files import READ_ERRORS, Report, open_input, open_unpacked, place_of, read_error, read_whole, stem
from templatemine.io.sources import domain_of
from templatemine.model import Record

DERIVED = True
"""See `warc.DERIVED`."""

MALFORMED = "feeds with mistakes in their XML"


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
        with open_input(path) as stream, open_unpacked(path, stream) as whole:
            data = read_whole(whole, config.max_record)
    except ValueError as error:
        report(CorpusError(str(error), place))
        return
    except READ_ERRORS as error:
        raise read_error(error, place) from error
    try:
        parsed = parse_feed(data)
    except ValueError as error:
        report(CorpusError(str(error), place))
        return
    if not parsed.get("version"):
        instead = "a sitemap, which crawl reads" if is_sitemap(data) else "none"
        report(CorpusError(f"expected a feed (RSS, Atom, CDF or JSON Feed), found {instead}", place))
        return
    if parsed.get("bozo"):
        report.note(MALFORMED)
    last = len(parsed.entries) if parsed.get("bozo") and _is_truncated(data) else 0
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
        fields = _fields(item, config, default, parsed["version"])
        try:
            found = build_document(fields, config, default, number, place)
        except ValueError as error:
            report(CorpusError(str(error), f"{place}:{number}"))
            continue
        fields[config.source_field] = found.source
        yield Record(document=found, fields=fields, where=f"{place}:{number}")


def parse_feed(data: bytes) -> Any:
    """Parse a feed's bytes by feedparser, its dangerous entities left out; without a ``version`` it is no feed.

    Raises
    ------
    ValueError
        A tag has more attributes than `_MAX_ATTRIBUTES`.
    """
    data = _to_utf8(data)
    if data.lstrip()[:1] == b"{":
        return _json_feed(data)
    if _MANY_ATTRIBUTES.search(_CDATA.sub(b"", data)):
        raise ValueError(f"expected tags of at most {_MAX_ATTRIBUTES} attributes, found one of more")
    cdf = _CDF.search(data[:_HEAD_BYTES]) is not None
    if cdf:  # its names are in upper case, which feedparser knows in lower case only
        data = _NAMES.sub(lambda match: match[0].lower(), data)
    # Bytes in a file-like object, for feedparser takes a string for an address.
    data = _rename_media(_ENTITY.sub(_neutralize_entity, data))
    parsed = feedparser.parse(io.BytesIO(data), resolve_relative_uris=False, sanitize_html=False)
    if cdf and not parsed.get("version"):
        parsed["version"] = "cdf"
    return parsed


_MEDIA_PREFIX = re.compile(
    rb"\sxmlns:([A-Za-z_][\w.\-]*)\s*=\s*[\"']https?://(?:search|video\.search)\.yahoo\.com/mrss/?[\"']"
)


def _rename_media(data: bytes) -> bytes:
    """Return a feed whose texts about media (Media RSS) are not called as those of items are: feedparser mixes them
    up."""
    prefixes = {b"media", *(match[1] for match in _MEDIA_PREFIX.finditer(data))}
    names = b"|".join(map(re.escape, sorted(prefixes)))
    tag = re.compile(rb"<!\[CDATA\[(?:.*?\]\]>|.*)|(</?(?:%s):)(description|title)(?=[\s/>])" % names, re.DOTALL)
    return tag.sub(lambda match: match[0] if match[1] is None else match[1] + b"media-" + match[2], data)


def date_of(item: Mapping[str, Any]) -> str | None:
    """Read when an item was published, else when it was changed, in UTC; None if it does not say."""
    told = set(item)  # asked for the date of a change where there is one of publication alone, feedparser warns
    dates = (item[name] for name in ("published_parsed", "updated_parsed") if name in told)
    return next((time.strftime("%Y-%m-%dT%H:%M:%SZ", date) for date in dates if date), None)


def is_sitemap(data: bytes) -> bool:
    """Return whether XML is a list of the addresses of a site (sitemaps.org), or of such lists."""
    return _SITEMAP.search(data[:_HEAD_BYTES]) is not None


_HEAD_BYTES = 4096
_SITEMAP = re.compile(rb"<(?:\w+:)?(?:urlset|sitemapindex)[\s>]", re.IGNORECASE)
_CDF = re.compile(
    rb"\A(?:\s|<\?[^>]*>|<!--(?:(?!-->).)*-->|<!DOCTYPE[^>]*>)*<channel[^>]*\shref\s*=", re.IGNORECASE | re.DOTALL
)
_NAMES = re.compile(rb"</?[A-Za-z]+|\s[A-Za-z]+(?==\s*[\"'])")

_MAX_ATTRIBUTES = 256
_MANY_ATTRIBUTES = re.compile(rb"<[A-Za-z_:][^<>=]*(?:=[^<>=]*){%d}" % (_MAX_ATTRIBUTES + 1))
"""feedparser takes time in the square of the number of attributes of a tag; it does not look into CDATA sections."""
_CDATA = re.compile(rb"<!\[CDATA\[(?:.*?\]\]>|.*)", re.DOTALL)

_UTF16_STARTS = {b"\xff\xfe": "utf-16", b"\xfe\xff": "utf-16", b"<\0": "utf-16-le", b"\0<": "utf-16-be"}
_ENCODING = re.compile(r"\A(\s*<\?xml\b[^<>]{0,200}?)\s+encoding\s*=\s*[\"'][^\"'<>]*[\"']")


def _to_utf8(data: bytes) -> bytes:
    """Return a feed in UTF-16 as UTF-8, so that whatever is looked for in it, such as entities, is found."""
    codec = next((codec for magic, codec in _UTF16_STARTS.items() if data.startswith(magic)), None)
    if codec is None:
        return data
    return _ENCODING.sub(r"\1", data.decode(codec, "replace").removeprefix("\ufeff")).encode("utf-8", "replace")


def _json_feed(data: bytes) -> Any:
    """Return a JSON Feed (jsonfeed.org, version 1.1) as feedparser would give it."""
    try:
        feed = json.loads(data.decode("utf-8-sig"))
    except (ValueError, RecursionError):
        return feedparser.FeedParserDict(entries=[])
    if not isinstance(feed, dict) or "jsonfeed.org/version/" not in str(feed.get("version")):
        return feedparser.FeedParserDict(entries=[])
    items = feed.get("items")
    entries = [_json_item(item) for item in (items if isinstance(items, list) else ()) if isinstance(item, dict)]
    found = {"version": "json", "feed": {"link": _string(feed, "home_page_url")}, "entries": entries}
    return feedparser.FeedParserDict(found)


def _json_item(item: Mapping[str, Any]) -> dict[str, Any]:
    link, date = _string(item, "url"), _string(item, "date_published") or _string(item, "date_modified")
    kinds = (("content_html", "text/html"), ("content_text", "text/plain"))
    contents = [{"type": kind, "value": _string(item, name)} for name, kind in kinds if _string(item, name)]
    identity = item.get("id")
    return {
        "id": str(identity) if isinstance(identity, str | int | float) else None,
        "link": link,
        "links": [{"rel": "alternate", "href": link}] if link else [],
        "published_parsed": _parse_day(date),
        "title": _string(item, "title"),
        "content": contents[:1],
        "summary": _string(item, "summary"),
        "summary_detail": {"type": "text/plain"},
    }


def _parse_day(text: str | None) -> time.struct_time | None:
    """Return a date of RFC 3339 in UTC; None for other text."""
    try:
        return None if text is None else datetime.fromisoformat(text).utctimetuple()
    except (ValueError, OverflowError):
        return None


def _string(fields: Mapping[str, Any], name: str) -> str | None:
    value = fields.get(name)
    return value if isinstance(value, str) and value else None


def _is_truncated(data: bytes) -> bool:
    """Return whether the file ends within an item: one begins after the last end, and nothing of the feed ends behind
    it."""
    data = _to_utf8(data)
    begins = max((match.start() for match in _BEGIN.finditer(data)), default=-1)
    return begins >= 0 and not _END.search(data, begins)


_BEGIN = re.compile(rb"<(?:\w+:)?(?:item|entry)(?=[\s>])", re.IGNORECASE)
_END = re.compile(rb"</(?:\w+:)?(?:item|entry|channel|rss|feed|rdf)\s*>", re.IGNORECASE)

_ENTITY = re.compile(rb"<!ENTITY\s[^>\"']*(?:\"([^\"]*)\"|'([^']*)')?[^>]*>")
_MAX_ENTITY = 100


def _neutralize_entity(match: re.Match[bytes]) -> bytes:
    """Return the declaration of an entity, if it is a few characters; none that refers to others, or to a file."""
    value = match[1] or match[2] or b""
    refers = value.replace(b"&#", b"")
    external = re.match(rb"<!ENTITY\s+(?:%|\S+\s+(?:SYSTEM|PUBLIC))", match[0])
    safe = not external and len(value) <= _MAX_ENTITY and b"&" not in refers and b"%" not in refers
    return match[0] if safe else b""


def _fields(item: Mapping[str, Any], config: ReadConfig, default: str, version: str) -> dict[str, Any]:
    link = item.get("link")
    if version.startswith("atom") and not any(one.get("rel") == "alternate" for one in item.get("links") or ()):
        link = None  # feedparser takes the id for one; what names an entry of Atom need lead nowhere
    kind, body = _content(item)
    fields = {
        config.id_field: item.get("id") or link,
        config.source_field: domain_of(link or "") or default,
        config.url_field: link,
        config.date_field: date_of(item),
        config.title_field: item.get("title"),
    }
    if body is not None:
        fields[config.text_field if kind == "text/plain" else config.html_field] = body
    return fields


def _content(item: Mapping[str, Any]) -> tuple[str, str | None]:
    """Return type and value of the longest text of an item: contents, summary, description."""
    detail = {**(item.get("summary_detail") or {}), "value": item.get("summary")}
    texts = [one for one in (*(item.get("content") or ()), detail) if one.get("value")]
    if not texts:
        return "text/html", None
    longest = max(texts, key=lambda one: len(_TAG.sub("", one["value"])))
    kind, value = longest.get("type") or "text/html", str(longest["value"])
    base = longest.get("base") or ""
    if kind != "text/plain" and base.startswith(("http://", "https://")) and _RELATIVE_ADDRESS.search(value):
        value = f'<base href="{escape(base)}">{value}'
    return kind, value


_TAG = re.compile(r"<[^<>]*>")
"""Mark-up, which makes no text longer: a content that is a picture with a long address is no story."""

_RELATIVE_ADDRESS = re.compile(
    r"<[^<>]*\s(?:href|src)\s*+=\s*+[\"']?+(?!\s*+(?:[A-Za-z][A-Za-z0-9+.\-]*:|//|#))", re.IGNORECASE
)
