"""Sitemaps (sitemaps.org): the addresses of a site, with title and date in news sitemaps.

They are read by regular expressions, not by an XML parser: no entity is expanded, and a truncated file gives the
entries before its end.  Time and memory are linear in the size of the file.
"""

from __future__ import annotations

import gzip
import html
import io
import re
from collections.abc import Iterator
from dataclasses import dataclass

from templatemine.io.decompression import GZIP_MAGIC
from templatemine.io.feed import is_sitemap
from templatemine.io.files import READ_ERRORS, read_whole

_MAX_ENTRIES = 50_000
"""Most entries of a file: the limit of the protocol."""

_MARK = re.compile(
    r"<!\[CDATA\[(?:.*?\]\]>|.*)|<(/?)(?:\w+:)?(?:(url|sitemap)|(loc|title|publication_date))\s*>", re.DOTALL
)
_CDATA = re.compile(r"<!\[CDATA\[(.*?)\]\]>", re.DOTALL)


@dataclass(frozen=True, slots=True)
class Link:
    """An address in a sitemap or feed; with title and date where these are told."""

    url: str
    title: str | None
    published: str | None


def read_sitemap(data: bytes, max_bytes: int) -> Iterator[Link] | None:
    """Return the entries of a sitemap, or of an index of sitemaps, plain or gzip; None if it is neither.

    Parameters
    ----------
    max_bytes : int
        Most bytes of the uncompressed sitemap.
    """
    if data.startswith(GZIP_MAGIC):
        try:
            with gzip.GzipFile(fileobj=io.BytesIO(data)) as packed, io.BufferedReader(packed) as whole:
                data = read_whole(whole, max_bytes, is_record=False)
        except (*READ_ERRORS, ValueError):
            return None
    return _parse_entries(data.decode("utf-8-sig", "replace")) if is_sitemap(data) else None


def _parse_entries(text: str) -> Iterator[Link]:
    count, field, begin = 0, "", 0
    fields: dict[str, str] = {}
    for mark in _MARK.finditer(text):  # one pass, so that unclosed tags do not cost more
        end, entry, name = mark[1] == "/", mark[2], mark[3]
        if entry and not end:
            fields = {}
        elif entry and fields.get("loc"):
            yield Link(fields["loc"], fields.get("title") or None, fields.get("publication_date") or None)
            fields = {}
            count += 1
            if count == _MAX_ENTRIES:
                return
        elif name and end and name == field:
            value = _CDATA.sub(r"\1", text[begin : mark.start()])
            fields.setdefault(name, html.unescape(value).strip())  # images have titles too
        if name or entry:
            field, begin = ("" if end or entry else name), mark.end()
