"""The tags of a page with their places in the text of its blocks; attributes, texts and addresses of elements."""

from __future__ import annotations

import re
from collections.abc import Mapping
from functools import cached_property
from itertools import pairwise
from urllib.parse import urljoin

import numpy as np

from templatemine.pages import _html
from templatemine.pages.blocks import Page
from templatemine.pages.nodes import Style
from templatemine.pages.outline import attributes
from templatemine.pages.scanner import scanner

__all__ = ["CLOSE", "CONTAINERS", "NAMES", "OPEN", "STYLES", "VOID", "Tags"]

STYLES: Mapping[str, Style] = {
    **dict.fromkeys(("b", "strong"), Style.STRONG),
    **dict.fromkeys(("i", "em", "cite", "dfn", "var"), Style.EMPHASIS),
    "u": Style.UNDERLINE,
    **dict.fromkeys(("s", "strike", "del"), Style.DELETED),
    "sub": Style.SUBSCRIPT,
    "sup": Style.SUPERSCRIPT,
    **dict.fromkeys(("code", "tt", "kbd", "samp"), Style.CODE),
}
"""What elements say of their text."""

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
_SKIPPED = re.compile(r"^\s*(?:javascript:|data:|about:|#?\s*$)", re.IGNORECASE)
_CLEAN = re.compile(r"[\t\n\r]+")
OPEN, CLOSE, VOID, OTHER = range(len(_html.MARKS))
NAMES = [name for name, _ in _html.TAGS]
_A, _BASE, _LINK = (NAMES.index(name) for name in ("a", "base", "link"))
_PARTING = (_A, NAMES.index("time"))
_KNOWN = np.array([name in STYLES or name in CONTAINERS or name in ("?", "a") for name in NAMES])


class Tags:
    """The tags of a page, and where they stand in the text of its blocks.

    Parameters
    ----------
    page : Page
    url : str or None
        Address of the page, to which relative ones are resolved; its ``<base>`` comes first.  Without it the page is
        asked for its canonical one.
    """

    def __init__(self, page: Page, url: str | None = None) -> None:
        self.page = page
        self._url = url or ""
        self.columns = scanner().marks(page.data)

    def having(self, tag: int, *kinds: int) -> list[int]:
        """Places of the marks of a tag."""
        found = self.columns["tags"] == tag
        return np.flatnonzero(found & np.isin(self.columns["kinds"], kinds)).tolist()

    def attributes(self, mark: int) -> dict[str, str]:
        """Attributes of a start tag."""
        start, end = int(self.columns["starts"][mark]), int(self.columns["ends"][mark])
        return attributes(self.page.source(start, end).decode("utf-8", "replace"))

    @cached_property
    def _closed(self) -> dict[int, int]:
        """The mark at which each element ends."""
        closed = np.flatnonzero(self.columns["kinds"] == CLOSE)
        return dict(zip(self.columns["elements"][closed].tolist(), closed.tolist(), strict=True))

    def last(self, mark: int) -> int:
        """The mark at which the element ends that one at `mark` begins; itself where a tag has no content."""
        if self.columns["kinds"][mark] != OPEN:
            return mark
        return self._closed.get(int(self.columns["elements"][mark]), len(self.columns["at"]))

    def lines(self, mark: int, limit: int = 1000) -> list[str]:
        """The text of an element: a line for each block, link and time in it, and where no blank parts two elements; no
        more than `limit` bytes of it."""
        last, at, bounds = self.last(mark), self.columns["at"], self.page.columns["bounds"]
        if last == mark:
            return []
        low, high = int(at[mark]), int(at[last]) if last < len(at) else int(bounds[-1])
        high = min(high, low + limit)
        text = self.page.columns["text"]
        first, end = np.searchsorted(bounds, low), np.searchsorted(at, high)
        edges = {low, high, *bounds[first : np.searchsorted(bounds, high)].tolist()}
        for place in range(mark + 1, min(int(end), last)):
            if self.columns["kinds"][place] <= CLOSE:
                edge = int(at[place])
                parts = self.columns["tags"][place] in _PARTING or (
                    low < edge < high and 32 not in text[edge - 1 : edge + 1]
                )
                edges |= {edge} if parts else set()
        pieces = (text[one:other].tobytes().decode("utf-8", "ignore").strip() for one, other in pairwise(sorted(edges)))
        return [piece for piece in pieces if piece]

    def text(self, mark: int) -> str:
        """The same as one line."""
        return " ".join(self.lines(mark))

    @cached_property
    def base(self) -> str:
        """The address that others are relative to."""
        for mark in self.having(_BASE, VOID):
            if href := self.attributes(mark).get("href"):
                return _joined(self._url, href)
        if not self._url:
            for said in map(self.attributes, self.having(_LINK, VOID)):
                if "canonical" in said.get("rel", "").lower().split():
                    return said.get("href", "").strip()
        return self._url

    def address(self, written: str | None) -> str:
        """An address in full, "" for none or for a script."""
        if not written or _SKIPPED.match(written):
            return ""
        return _joined(self.base, _CLEAN.sub("", written).strip())

    @cached_property
    def spans(self) -> list[tuple[int, int, int, str]]:
        """Elements of inline styles and links: begin and end in the text, place of the start tag, name."""
        columns = self.columns
        known = np.flatnonzero(_KNOWN[columns["tags"]] & (columns["kinds"] <= CLOSE))
        opened: dict[int, tuple[int, int, str]] = {}
        found: list[tuple[int, int, int, str]] = []
        rows = zip(*(columns[name][known].tolist() for name in ("kinds", "tags", "elements", "at")), strict=True)
        for mark, (kind, tag, element, at) in zip(known.tolist(), rows, strict=True):
            if kind == CLOSE:
                if element in opened:
                    begin, place, name = opened.pop(element)
                    found.append((begin, at, place, name))
                continue
            name = NAMES[tag] if tag else self.name(mark)
            if name in STYLES or tag == _A:
                opened[element] = (at, mark, name)
        end = int(self.page.columns["bounds"][-1])
        return found + [(begin, end, place, name) for begin, place, name in opened.values()]

    def name(self, mark: int) -> str:
        """Name of a tag that the scanner does not know."""
        start = int(self.columns["starts"][mark])
        found = _NAME.match(self.page.source(start, start + 16))
        return "?" if found is None else found[1].decode().lower()

    @cached_property
    def starts_of(self) -> dict[int, int]:
        """Mark of the start tag of each element that is a container."""
        columns = self.columns
        opened = np.flatnonzero((columns["kinds"] == OPEN) & _KNOWN[columns["tags"]])
        return dict(zip(columns["elements"][opened].tolist(), opened.tolist(), strict=True))

    def of_element(self, element: int) -> dict[str, str]:
        """Attributes of a container or inline element."""
        mark = self.starts_of.get(element)
        return {} if mark is None else self.attributes(mark)


def _joined(base: str, written: str) -> str:
    try:
        return urljoin(base, written)
    except ValueError:  # no address at all
        return written
