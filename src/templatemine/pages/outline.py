"""A page as its authors wrote it: elements with their attributes, and the runs of text between tags.

The block scanner (`pages.blocks`) folds inline elements into blocks and forgets attributes; the systems that read ids,
classes and dates (`blog`), or judge each run of text between two tags (`crf`), need them.  One tolerant pass in Python,
linear in the page; all offsets are code points of the page as it came.  Nothing is repaired beyond implied end tags.
"""

from __future__ import annotations

import re
from html import unescape

from templatemine.pages._html import LOOK

__all__ = ["Outline", "attributes", "plain"]

_MARK = re.compile(
    r"<!--(?s:.*?)(?:-->|\Z)"
    r"|<(?P<raw>script|style|textarea|iframe|noembed|noframes|xmp|title)\b[^<>]*+>(?s:.*?)(?:</(?P=raw)\b[^<>]*+>?|\Z)"
    r"|<(?P<end>/?)(?P<tag>[a-z][a-z0-9:-]{0,30}+)(?P<attrs>(?:\"[^\"<]{0,2000}\"|'[^'<]{0,2000}'|[^<>])*+)>"
    r"|<[!?][^<>]*+>",
    re.IGNORECASE | re.ASCII,
)
_SCRIPT = re.compile(r"<!--|-->|<(?P<end>/?)script\b", re.IGNORECASE | re.ASCII)
_SCRIPT_END = re.compile(r"</script\b[^<>]*+>?", re.IGNORECASE | re.ASCII)
_ATTRIBUTE = re.compile(r"([^\s=\"'/>]{1,60})\s*=\s*(?:\"([^\"]*)\"|'([^']*)'|([^\s\"'>]+))")
_TAG = re.compile(r"<[^<>]*+>?")

VOID = frozenset(
    ["area", "base", "br", "col", "embed", "hr", "img", "input", "link", "meta", "param", "source", "track", "wbr"]
)
INLINE = frozenset(
    [
        "a",
        "abbr",
        "b",
        "big",
        "bdi",
        "bdo",
        "cite",
        "code",
        "data",
        "del",
        "dfn",
        "em",
        "font",
        "i",
        "ins",
        "kbd",
        "label",
        "mark",
        "nobr",
        "q",
        "s",
        "samp",
        "small",
        "span",
        "strike",
        "strong",
        "sub",
        "sup",
        "time",
        "tt",
        "u",
        "var",
    ]
)
_CELLS = frozenset(["p", "td", "th", "li"])
CLOSES = {
    "li": frozenset(["p", "li"]),
    "dt": frozenset(["p", "dt", "dd"]),
    "dd": frozenset(["p", "dt", "dd"]),
    "td": _CELLS,
    "th": _CELLS,
    "tr": _CELLS | {"tr"},
    "option": frozenset(["option"]),
}
"""Open elements that end where one begins; a p ends where any element begins that stands on lines of its own."""
_P = frozenset(["p"])


class Outline:
    """The elements and runs of text of a page, in the order of the page.

    Attributes
    ----------
    tags, attributes : list of str
        Name of each element in lower case, and its attributes as they stand.
    starts, insides, ends : list of int
        Where its tag begins, its content begins, and its content ends.
    parents, lasts : list of int
        Number of the element it stands in, -1 for none; and of the last element within it, itself if there is none.
    runs : list of (start, end, element, marks)
        Texts that are not blank: where each stands, its element (-1 for none), and the names of the tags, opening or
        closing, since the run before.
    """

    def __init__(self, html: str) -> None:
        self.html = html
        self.tags: list[str] = []
        self.attributes: list[str] = []
        self.starts: list[int] = []
        self.insides: list[int] = []
        self.ends: list[int] = []
        self.parents: list[int] = []
        self.lasts: list[int] = []
        self.runs: list[tuple[int, int, int, tuple[str, ...]]] = []
        self._stack: list[int] = []
        self._open: dict[str, int] = {}
        self._scan()

    def __len__(self) -> int:
        return len(self.tags)

    def text(self, element: int, limit: int = 2000) -> str:
        """What stands in an element, without tags, white space folded; of very long ones the beginning."""
        start, end = self.insides[element], self.ends[element]
        return plain(self.html[start : min(end, start + 4 * limit)])[:limit]

    def _scan(self) -> None:
        html, at = self.html, 0
        marks: list[str] = []
        escaped = True
        while found := _MARK.search(html, at):
            start = found.start()
            if start > at and not html[at:start].isspace():
                self._run(at, start, marks)
                marks = []
            at = found.end()
            if escaped and "<!--" in found[0] and (found["raw"] or "").lower() == "script":
                end = _SCRIPT_END.match(html, script_end(html, html.index(">", start)))
                # Where none ends as it should they end as they stand, and none is looked at in vain again.
                escaped, at = end is not None, end.end() if end else at
            tag = found["tag"]
            if tag is None:
                continue
            tag = tag.lower()
            marks.append(tag)
            if found["end"]:
                self._close(tag, start)
            else:
                self._begin(tag, found["attrs"], start, at)
        if at < len(html) and not html[at:].isspace():
            self._run(at, len(html), marks)
        while self._stack:
            self._pop(len(html))

    def _run(self, start: int, end: int, marks: list[str]) -> None:
        self.runs.append((start, end, self._stack[-1] if self._stack else -1, tuple(marks)))

    def _begin(self, tag: str, attrs: str, start: int, inside: int) -> None:
        stack, tags = self._stack, self.tags
        ended = CLOSES.get(tag, frozenset() if tag in INLINE or tag in VOID else _P)
        while stack and tags[stack[-1]] in ended:
            self._pop(start)
        number = len(tags)
        tags.append(tag)
        self.attributes.append(attrs)
        self.starts.append(start)
        self.insides.append(inside)
        self.ends.append(inside)
        self.parents.append(stack[-1] if stack else -1)
        self.lasts.append(number)
        if tag not in VOID:
            stack.append(number)
            self._open[tag] = self._open.get(tag, 0) + 1

    def _close(self, tag: str, place: int) -> None:
        if not self._open.get(tag):
            return
        if tag in INLINE:
            for number in reversed(self._stack[-LOOK:]):
                if self.tags[number] == tag:
                    break
                if self.tags[number] not in INLINE:
                    return
            else:
                return
        while self._pop(place) != tag:
            pass

    def _pop(self, place: int) -> str:
        number = self._stack.pop()
        tag = self.tags[number]
        self._open[tag] -= 1
        self.ends[number] = place
        self.lasts[number] = len(self.tags) - 1
        return tag


def script_end(html: str, place: int) -> int:
    """Where the end tag of the script with the content at `place` begins, or the end of the page.

    After ``<!--``, up to ``-->``, a start tag and an end tag of scripts are a pair within the script (HTML standard,
    sections 13.2.5.15 to 31).  The twin of the native one.
    """
    escaped = double_escaped = False
    while found := _SCRIPT.search(html, place):
        place = found.end()
        if found[0] == "<!--":
            escaped, place = True, place - 2  # the two of <!--> close it, too
        elif found[0] == "-->":
            escaped = double_escaped = False
        elif found["end"]:
            if not double_escaped:
                return found.start()
            double_escaped = False
        else:
            double_escaped = escaped
    return len(html)


def attributes(written: str) -> dict[str, str]:
    """Name in lower case -> value, references resolved; attributes without a value are left out."""
    return {name.lower(): unescape(one or two or three) for name, one, two, three in _ATTRIBUTE.findall(written)}


def plain(html: str) -> str:
    """Text of a stretch of a page, without tags, references resolved, white space folded."""
    return " ".join(unescape(_TAG.sub(" ", html)).split())
