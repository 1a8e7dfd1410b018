"""The slow twin of `_systems.RunScanner`, in plain Python: elements with their attributes, and the runs of text between tags."""

from __future__ import annotations

import re

from templatemine.pages._html import MAX_LOOK_UP
from templatemine.pages.baselines.crf import IMPLIED_ENDS, INLINE, VOID

_MARK = re.compile(
    r"<!--(?s:.*?)(?:-->|\Z)"
    r"|<(?P<raw>script|style|textarea|iframe|noembed|noframes|xmp|title)\b[^<>]*+>(?s:.*?)(?:</(?P=raw)\b[^<>]*+>?|\Z)"
    r"|<(?P<end>/?)(?P<tag>[a-z][a-z0-9:-]{0,30}+)(?P<attrs>(?:\"[^\"<]{0,2000}\"|'[^'<]{0,2000}'|[^<>])*+)>"
    r"|<[!?][^<>]*+>",
    re.IGNORECASE | re.ASCII,
)
_SCRIPT = re.compile(r"<!--|-->|<(?P<end>/?)script\b", re.IGNORECASE | re.ASCII)
_SCRIPT_END = re.compile(r"</script\b[^<>]*+>?", re.IGNORECASE | re.ASCII)

_P = frozenset(["p"])


class Outline:
    """The elements of a page, with the attributes of `baselines.outline.Outline`, and its runs of text.

    Attributes
    ----------
    runs : list of (start, end, element, marks)
        Texts that are not blank: where each is, its element (-1 for none), and the names of the tags, opening or
        closing, since the run before.
    """

    def __init__(self, html: str) -> None:
        self.html = html
        self.tags: list[str] = []
        self.attributes: list[str] = []
        self.starts: list[int] = []
        self.content_starts: list[int] = []
        self.content_ends: list[int] = []
        self.parents: list[int] = []
        self.last_descendants: list[int] = []
        self.runs: list[tuple[int, int, int, tuple[str, ...]]] = []
        self._stack: list[int] = []
        self._open: dict[str, int] = {}
        self._scan()

    def __len__(self) -> int:
        return len(self.tags)

    def _scan(self) -> None:
        html, offset = self.html, 0
        marks: list[str] = []
        escaped = True
        while match := _MARK.search(html, offset):
            start = match.start()
            if start > offset and not html[offset:start].isspace():
                self._run(offset, start, marks)
                marks = []
            offset = match.end()
            if escaped and "<!--" in match[0] and (match["raw"] or "").lower() == "script":
                end = _SCRIPT_END.match(html, find_script_end(html, html.index(">", start)))
                # Where none ends as it should, all end as written, and none is searched in vain again.
                escaped, offset = end is not None, end.end() if end else offset
            tag = match["tag"]
            if tag is None:
                continue
            tag = tag.lower()
            marks.append(tag)
            if match["end"]:
                self._close(tag, start)
            else:
                self._begin(tag, match["attrs"], start, offset)
        if offset < len(html) and not html[offset:].isspace():
            self._run(offset, len(html), marks)
        while self._stack:
            self._pop(len(html))

    def _run(self, start: int, end: int, marks: list[str]) -> None:
        self.runs.append((start, end, self._stack[-1] if self._stack else -1, tuple(marks)))

    def _begin(self, tag: str, attrs: str, start: int, content_start: int) -> None:
        stack, tags = self._stack, self.tags
        implied_ends = IMPLIED_ENDS.get(tag, frozenset() if tag in INLINE or tag in VOID else _P)
        while stack and tags[stack[-1]] in implied_ends:
            self._pop(start)
        element = len(tags)
        tags.append(tag)
        self.attributes.append(attrs)
        self.starts.append(start)
        self.content_starts.append(content_start)
        self.content_ends.append(content_start)
        self.parents.append(stack[-1] if stack else -1)
        self.last_descendants.append(element)
        if tag not in VOID:
            stack.append(element)
            self._open[tag] = self._open.get(tag, 0) + 1

    def _close(self, tag: str, offset: int) -> None:
        if not self._open.get(tag):
            return
        if tag in INLINE:
            for element in reversed(self._stack[-MAX_LOOK_UP:]):
                if self.tags[element] == tag:
                    break
                if self.tags[element] not in INLINE:
                    return
            else:
                return
        while self._pop(offset) != tag:
            pass

    def _pop(self, offset: int) -> str:
        element = self._stack.pop()
        tag = self.tags[element]
        self._open[tag] -= 1
        self.content_ends[element] = offset
        self.last_descendants[element] = len(self.tags) - 1
        return tag


def find_script_end(html: str, offset: int) -> int:
    """Find where the end tag of the script with the content at `offset` begins, or the end of the page.

    After ``<!--``, up to ``-->``, a start tag and an end tag of scripts are a pair within the script (HTML standard,
    sections 13.2.5.15 to 31).  The twin of the native one.
    """
    escaped = double_escaped = False
    while match := _SCRIPT.search(html, offset):
        offset = match.end()
        if match[0] == "<!--":
            escaped, offset = True, offset - 2  # the two of <!--> close it, too
        elif match[0] == "-->":
            escaped = double_escaped = False
        elif match["end"]:
            if not double_escaped:
                return match.start()
            double_escaped = False
        else:
            double_escaped = escaped
    return len(html)
