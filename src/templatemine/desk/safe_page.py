"""A page of an archive -> a page that is safe to show: its own looks, no script, no connection.

Nothing of the page is copied unchecked.  It is read as tags and text, and what goes out is written anew: elements
and attributes of a short list, text escaped, each stretch of text that belongs to a block in a ``<tm-t data-u=N>`` of
its own, so that a click can be told.  Links lose where they lead, forms where they send, pictures and frames become
empty boxes.  Whatever slipped through would meet a frame without the right to run scripts and a policy that allows no
connection (`security.FRAME_POLICY`).  Linear in the page.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from html import escape, unescape
from pathlib import Path

Unit = tuple[int, int]

_FRAME_STYLE = (Path(__file__).parent / "static" / "frame.css").read_text(encoding="utf-8")


def _name_set(text: str) -> frozenset[str]:
    return frozenset(text.split())


_ALLOWED_ELEMENTS = _name_set(
    """
    html head body title style main article section aside nav header footer hgroup address div p h1 h2 h3 h4 h5 h6 hr
    pre code blockquote ol ul li dl dt dd menu dir figure figcaption a em strong small s cite q dfn abbr ruby
    rt rp data time var samp kbd sub sup i b u mark bdi bdo span br wbr ins del table caption colgroup col tbody thead
    tfoot tr td th fieldset legend details summary center font big tt strike acronym nobr label form button noscript
    """
)
_REPLACED_ELEMENTS = {
    "noscript": "div",
    "form": "div",
    "button": "span",
    "details": "div",
    "summary": "div",
    "label": "span",
}
"""Elements that act, or hide content that no script can show."""
_VOID_ELEMENTS = _name_set("hr br wbr col img input")
_PLACEHOLDER_ELEMENTS = _name_set("img picture video audio iframe object embed canvas svg map")
_RAW_ELEMENTS = _name_set("script style template select textarea svg math iframe object noembed noframes xmp title")
"""Elements whose content is not read as mark-up; all but that of style is left out."""
_ALLOWED_ATTRIBUTES = _name_set(
    """
    class id style dir lang align valign width height bgcolor color face size border cellpadding cellspacing colspan
    rowspan nowrap start type value span scope title hidden
    """
)

_TAG = re.compile(r"<(?:(!--)|([!?])|(/?)([a-zA-Z][^\s/>]*))")
_TAG_DELIMITER = re.compile(r"[>\"']")
_ATTRIBUTE = re.compile(r"""([^\s"'<>/=]+)(?:\s*=\s*(?:"([^"]*)"|'([^']*)'|([^\s"'<>]+)))?""")
_CSS = re.compile(
    r"(?i)@import[^;]*;?|url\s*\(|image-set\s*\(|expression\s*\(|-moz-binding|behavior\s*:|\\|</|<!--|-->"
)


class _TagReader:
    """A page as (kind, start, end, name): "text", "open", "close", "skip", "raw"."""

    def __init__(self, html: str) -> None:
        self._html = html
        self._missing: set[str] = set()  # quotes that are not closed any more

    def __iter__(self) -> Iterator[tuple[str, int, int, str]]:
        html, place = self._html, 0
        while (found := _TAG.search(html, place)) is not None:
            if found.start() > place:
                yield "text", place, found.start(), ""
            if found[1]:
                end = html.find("-->", found.start() + 4)
                place = len(html) if end < 0 else end + len("-->")
                yield "skip", found.start(), place, ""
                continue
            place = self._find_tag_end(found.end())
            if found[2]:
                yield "skip", found.start(), place, ""
                continue
            name = found[4].lower()
            yield "close" if found[3] else "open", found.start(), place, name
            if not found[3] and name in _RAW_ELEMENTS and not html[found.start() : place].endswith("/>"):
                end = self._find_closing(name, place)
                yield "raw", place, end, name
                place = end
        if place < len(html):
            yield "text", place, len(html), ""

    def _find_tag_end(self, place: int) -> int:
        """Return the place behind the ">" of a tag, past those in quotes; unclosed quotes do not count."""
        html = self._html
        while (found := _TAG_DELIMITER.search(html, place)) is not None:
            char = found[0]
            if char == ">":
                return found.end()
            closing = -1
            # A quote begins a value only behind "="; elsewhere browsers take it for a part of a name.
            if char not in self._missing and html[max(0, found.start() - 20) : found.start()].rstrip().endswith("="):
                closing = html.find(char, found.end())
                if closing < 0:
                    self._missing.add(char)
            place = closing + 1 if closing >= 0 else found.end()
        return len(html)

    def _find_closing(self, name: str, place: int) -> int:
        mark = f"</{name}"
        if mark in self._missing:
            return len(self._html)
        found = re.compile(re.escape(mark), re.IGNORECASE).search(self._html, place)
        if found is None:
            self._missing.add(mark)
            return len(self._html)
        return found.start()


def read_tags(html: str) -> Iterator[tuple[str, int, int, str]]:
    """Return a page as (kind, start, end, name), which joined give it back: text, open, close, skip, raw."""
    return iter(_TagReader(html))


def sanitise_page(html: str, units: Sequence[Unit], *, styled: bool = True) -> str:
    """Return the page to be shown.

    Parameters
    ----------
    units : sequence of (start, end)
        Blocks, ascending and disjoint, in code points of `html`.
    styled : bool
        With the styles that stand in the page; behind them comes the desk's own.
    """
    marker = _UnitMarker(html, units, _escape_text)
    out: list[str] = []
    head: list[str] = []
    outer: dict[str, str] = {"html": "", "body": ""}
    for kind, start, end, name in read_tags(html):
        if kind == "text":
            out.append(marker.mark(start, end))
        elif kind == "raw" and name == "style" and styled:
            head.append(f"<style>{_CSS.sub('', html[start:end])}</style>")
        elif kind == "open" and name in outer:
            outer[name] = outer[name] or _filter_attributes(html[start:end], styled)
        elif kind == "open" and name in _PLACEHOLDER_ELEMENTS:
            out.append(_render_placeholder(html[start:end]))
        elif kind in ("open", "close") and name in _ALLOWED_ELEMENTS and name not in ("head", "title", "style", *outer):
            shown = _REPLACED_ELEMENTS.get(name, name)
            if kind == "open":
                out.append(f"<{shown}{_filter_attributes(html[start:end], styled)}>")
            elif name not in _VOID_ELEMENTS:
                out.append(f"</{shown}>")
    styles = f"{''.join(head)}<style>{_FRAME_STYLE}</style>"
    return (
        f"<!doctype html><html{outer['html']}><head><meta charset=utf-8>{styles}</head>"
        f"<body{outer['body']}>{''.join(out)}</body></html>"
    )


_SIZE = re.compile(r"(?<![\w-])(width|height)\s*=\s*[\"']?\s*([0-9]{1,4})(?![0-9%])", re.IGNORECASE)


def _render_placeholder(tag: str) -> str:
    """Return a placeholder of the size of a picture; nothing for spacers."""
    sizes = {name.lower(): min(int(number), 1200) for name, number in _SIZE.findall(tag)}
    if min(sizes.values(), default=99) < 9:
        return ""
    style = "".join(f"{name}:{number}px;" for name, number in sizes.items())
    return f'<tm-box style="{style}"></tm-box>' if style else "<tm-box></tm-box>"


def _filter_attributes(tag: str, styled: bool) -> str:
    inner = re.sub(r"^</?[a-zA-Z][^\s/>]*|>$", "", tag)
    out: list[str] = []
    seen: set[str] = set()
    for match in _ATTRIBUTE.finditer(inner):
        name = match[1].lower()
        if name not in _ALLOWED_ATTRIBUTES or name in seen or (name == "style" and not styled):
            continue
        seen.add(name)
        value = unescape(match[2] or match[3] or match[4] or "")
        if name == "style":
            value = _CSS.sub("", value)
        if name == "id" and value.startswith("tm-"):
            continue
        out.append(f' {name}="{escape(value)}"')
    return "".join(out)


class _UnitMarker:
    """Stretches of text, each of a unit in its own element."""

    def __init__(self, text: str, units: Sequence[Unit], plain: Callable[[str], str]) -> None:
        self._text = text
        self._units = units
        self._escape = plain
        self._next = 0

    def mark(self, start: int, end: int) -> str:
        text, out = self._text, []
        place = start
        while self._next < len(self._units) and self._units[self._next][1] <= place:
            self._next += 1
        number = self._next
        while number < len(self._units) and self._units[number][0] < end:
            first, last = max(place, self._units[number][0]), min(end, self._units[number][1])
            out.append(self._escape(text[place:first]))
            piece = self._escape(text[first:last])
            out.append(f"<tm-t data-u={number}>{piece}</tm-t>" if piece.strip() else piece)
            place = last
            number += 1
        out.append(self._escape(text[place:end]))
        return "".join(out)


def _escape_text(piece: str) -> str:
    return escape(unescape(piece)) if "&" in piece else escape(piece)


def render_article(text: str, units: Sequence[Unit], *, title: str = "") -> str:
    """Return an article to be shown: a paragraph a line, each unit in an element of its own."""
    marker = _UnitMarker(text, units, escape)
    body: list[str] = []
    place = 0
    for line in text.splitlines(keepends=True):
        shown = marker.mark(place, place + len(line)).strip("\r\n")
        body.append(f'<p dir="auto">{shown}</p>')
        place += len(line)
    heading = f'<p class="tm-title" dir="auto">{escape(title)}</p>' if title else ""
    return (
        f"<!doctype html><html><head><meta charset=utf-8><style>{_ARTICLE_STYLE}{_FRAME_STYLE}</style></head>"
        f"<body>{heading}{''.join(body)}</body></html>"
    )


_ARTICLE_STYLE = (
    "body{font:18px/1.6 Georgia,'Noto Serif',serif;max-width:44rem;margin:1.5rem auto;padding:0 1.5rem;color:#1b1f24;"
    "background:#fff}p{margin:0 0 .6em;white-space:pre-wrap;overflow-wrap:anywhere}.tm-title{font-weight:700}"
)
