"""The tags of a page with their places in the text of its blocks; attributes, texts and addresses of elements."""

from __future__ import annotations

import re
from collections.abc import Mapping
from itertools import pairwise
from urllib.parse import urljoin

import numpy as np

from templatemine.pages import _html
from templatemine.pages.blocks import Page
from templatemine.pages.declared import parse_attributes
from templatemine.pages.lazy import lazy
from templatemine.pages.nodes import Style
from templatemine.pages.scanner import TAG_NAMES, block_scanner

STYLES: Mapping[str, Style] = {
    **dict.fromkeys(("b", "strong"), Style.STRONG),
    **dict.fromkeys(("i", "em", "cite", "dfn", "var"), Style.EMPHASIS),
    "u": Style.UNDERLINE,
    **dict.fromkeys(("s", "strike", "del"), Style.DELETED),
    "sub": Style.SUBSCRIPT,
    "sup": Style.SUPERSCRIPT,
    **dict.fromkeys(("code", "tt", "kbd", "samp"), Style.CODE),
}
"""Styles of inline elements."""

CONTAINERS: Mapping[str, str] = {
    **{f"h{level}": "heading" for level in range(1, 7)},
    **dict.fromkeys(("ul", "ol", "menu", "dir", "dl"), "list"),
    **dict.fromkeys(("li", "dt", "dd"), "item"),
    "blockquote": "quote",
    **dict.fromkeys(("pre", "listing"), "code"),
    "table": "table",
    "caption": "caption",
    "tr": "row",
    **dict.fromkeys(("td", "th"), "cell"),
}
"""Elements with a kind of their own in the tree."""

_NAME = re.compile(rb"<([a-zA-Z]+)")
_NO_ADDRESS = re.compile(r"^\s*(?:javascript:|data:|about:|#?\s*$)", re.IGNORECASE)
_CLEAN = re.compile(r"[\t\n\r]+")
OPEN, CLOSE, VOID, OTHER = range(len(_html.MARKS))
_A, _BASE, _LINK = (TAG_NAMES.index(name) for name in ("a", "base", "link"))
_SEPARATING = (_A, TAG_NAMES.index("time"))
_KNOWN = np.array([name in STYLES or name in CONTAINERS or name in ("?", "a") for name in TAG_NAMES])


class PageTags:
    """The tags of a page, and their places in the text of its blocks.

    Parameters
    ----------
    url : str or None
        Address of the page, to which relative ones are resolved; its ``<base>`` comes first.  Without it the page is
        asked for its canonical one.
    """

    def __init__(self, page: Page, url: str | None = None) -> None:
        self.page = page
        self._url = url or ""
        self.columns = block_scanner().scan_marks(page.data)

    def find_marks(self, tag: int, *kinds: int) -> list[int]:
        """Return indices of the marks of a tag."""
        is_tag = self.columns["tags"] == tag
        return np.flatnonzero(is_tag & np.isin(self.columns["kinds"], kinds)).tolist()

    def attributes(self, mark: int) -> dict[str, str]:
        """Return the attributes of a start tag."""
        start, end = int(self.columns["starts"][mark]), int(self.columns["ends"][mark])
        return parse_attributes(self.page.source(start, end).decode("utf-8", "replace"))

    @lazy
    def _end_marks(self) -> dict[int, int]:
        """Return the mark at which each element ends."""
        end_tags = np.flatnonzero(self.columns["kinds"] == CLOSE)
        return dict(zip(self.columns["elements"][end_tags].tolist(), end_tags.tolist(), strict=True))

    def end_mark(self, mark: int) -> int:
        """Return the mark at which the element ends that one at `mark` begins; itself where a tag has no content."""
        if self.columns["kinds"][mark] != OPEN:
            return mark
        return self._end_marks.get(int(self.columns["elements"][mark]), len(self.columns["at"]))

    def lines(self, mark: int, limit: int = 1000) -> list[str]:
        """Return the text of an element: a line for each block, link and time in it, and where no blank parts two
        elements; no more than `limit` bytes of it."""
        end_mark, offsets, bounds = self.end_mark(mark), self.columns["at"], self.page.columns["bounds"]
        if end_mark == mark:
            return []
        start, end_offset = int(offsets[mark]), int(offsets[end_mark]) if end_mark < len(offsets) else int(bounds[-1])
        end_offset = min(end_offset, start + limit)
        text = self.page.columns["text"]
        first, stop = np.searchsorted(bounds, start), np.searchsorted(offsets, end_offset)
        edges = {start, end_offset, *bounds[first : np.searchsorted(bounds, end_offset)].tolist()}
        for index in range(mark + 1, min(int(stop), end_mark)):
            if self.columns["kinds"][index] <= CLOSE:
                edge = int(offsets[index])
                separates = self.columns["tags"][index] in _SEPARATING or (
                    start < edge < end_offset and 32 not in text[edge - 1 : edge + 1]
                )
                edges |= {edge} if separates else set()
        pieces = (
            text[start:stop].tobytes().decode("utf-8", "ignore").strip() for start, stop in pairwise(sorted(edges))
        )
        return [piece for piece in pieces if piece]

    def text(self, mark: int) -> str:
        """Return the same text as one line."""
        return " ".join(self.lines(mark))

    @lazy
    def base(self) -> str:
        """Return the address that others are relative to."""
        for mark in self.find_marks(_BASE, VOID):
            if href := self.attributes(mark).get("href"):
                return _join_url(self._url, href)
        if not self._url:
            for attributes in map(self.attributes, self.find_marks(_LINK, VOID)):
                if "canonical" in attributes.get("rel", "").lower().split():
                    return attributes.get("href", "").strip()
        return self._url

    def resolve_url(self, url: str | None) -> str:
        """Return an address in full, "" for none or for a script."""
        if not url or _NO_ADDRESS.match(url):
            return ""
        return _join_url(self.base, _CLEAN.sub("", url).strip())

    @lazy
    def spans(self) -> list[tuple[int, int, int, str]]:
        """Return the elements of inline styles and links: begin and end in the text, index of the start tag, name."""
        columns = self.columns
        tag_marks = np.flatnonzero(_KNOWN[columns["tags"]] & (columns["kinds"] <= CLOSE))
        open_tags: dict[int, tuple[int, int, str]] = {}
        spans: list[tuple[int, int, int, str]] = []
        rows = zip(*(columns[name][tag_marks].tolist() for name in ("kinds", "tags", "elements", "at")), strict=True)
        for mark, (kind, tag, element, offset) in zip(tag_marks.tolist(), rows, strict=True):
            if kind == CLOSE:
                if element in open_tags:
                    start, start_mark, name = open_tags.pop(element)
                    spans.append((start, offset, start_mark, name))
                continue
            name = TAG_NAMES[tag] if tag else self.tag_name(mark)
            if name in STYLES or tag == _A:
                open_tags[element] = (offset, mark, name)
        end = int(self.page.columns["bounds"][-1])
        return spans + [(start, end, start_mark, name) for start, start_mark, name in open_tags.values()]

    def tag_name(self, mark: int) -> str:
        """Return the name of a tag that the scanner does not know."""
        start = int(self.columns["starts"][mark])
        match = _NAME.match(self.page.source(start, start + 16))
        return "?" if match is None else match[1].decode().lower()

    @lazy
    def start_marks(self) -> dict[int, int]:
        """Return the mark of the start tag of each element that is a container."""
        columns = self.columns
        start_tags = np.flatnonzero((columns["kinds"] == OPEN) & _KNOWN[columns["tags"]])
        return dict(zip(columns["elements"][start_tags].tolist(), start_tags.tolist(), strict=True))

    def element_attributes(self, element: int) -> dict[str, str]:
        """Return the attributes of a container or inline element."""
        mark = self.start_marks.get(element)
        return {} if mark is None else self.attributes(mark)


def _join_url(base: str, url: str) -> str:
    try:
        return urljoin(base, url)
    except ValueError:  # no address at all
        return url
