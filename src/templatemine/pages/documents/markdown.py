"""Nodes -> Markdown: CommonMark with the tables and the strikethrough of GitHub.

What Markdown has no sign for, such as subscripts, is written as HTML, which CommonMark allows.  Every character that
could be read as a sign is escaped, so a reader of CommonMark gives back the text of the nodes.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator, Sequence
from itertools import zip_longest

from templatemine.pages.metadata import Metadata
from templatemine.pages.nodes import (
    Cell,
    Code,
    Heading,
    Image,
    Inline,
    LineBreak,
    List,
    Node,
    Paragraph,
    Quote,
    Style,
    StyledRuns,
    Table,
    TextRun,
    nest_runs,
    remove_style,
)

_ESCAPED = re.compile(r"[\\`*\[\]~]|<(?=[A-Za-z/!?])|&(?=#?\w{1,40};)|(?<![^\W_])_|_(?![^\W_])")
_LEADING = re.compile(r"(?:[-+](?=[ \t-]|$)|#{1,6}(?=[ \t]|$)|>|=|\||:(?=-))|\d{1,9}(?=[.)](?:[ \t]|$))")
_TRAILING = re.compile(r"#+$")
_TICKS = re.compile(r"`+")
_FENCE = re.compile(r"^\s*(`{3,})", re.MULTILINE)
_UNSAFE = re.compile(r"[\x00-\x20<>()\\\"\x7f]")
_ENTITY = re.compile(r"&(?=#?\w{1,40};)")
_LANGUAGE = re.compile(r"[^\w+#.-]")

TAGS = {
    Style.SUBSCRIPT: "sub",
    Style.SUPERSCRIPT: "sup",
    Style.STRONG: "strong",
    Style.EMPHASIS: "em",
    Style.DELETED: "del",
}
SIGNS = {Style.STRONG: "**", Style.EMPHASIS: "*", Style.DELETED: "~~"}
"""Signs of styles; underlining has none."""


def nodes_to_markdown(nodes: Iterable[Node]) -> str:
    """Return the nodes as Markdown, an empty line between them, no line feed at the end."""
    return "\n\n".join(_blocks(nodes))


def write_document(nodes: Iterable[Node], metadata: Metadata | None = None, comments: Sequence[Node] = ()) -> str:
    """Return a file: metadata as front matter, YAML whose values are JSON; the text; comments behind a line."""
    text = nodes_to_markdown(nodes)
    if comments:
        text += ("\n\n" if text else "") + f"---\n\n{nodes_to_markdown(comments)}"
    if metadata is None:
        return text
    rows = metadata.as_dict().items()
    matter = "\n".join(f"{name}: {json.dumps(value, ensure_ascii=False)}" for name, value in rows)
    return f"---\n{matter}\n---\n\n{text}" if matter else text


def _blocks(nodes: Iterable[Node]) -> Iterator[str]:
    other_marker = False
    previous: Node | None = None
    for node in nodes:
        # Two lists of one sign were one.
        other_marker = (
            isinstance(node, List)
            and isinstance(previous, List)
            and node.ordered == previous.ordered
            and not other_marker
        )
        if text := _block(node, other_marker):
            yield text
            previous = node


def _block(node: Node, other_marker: bool) -> str:
    match node:
        case Heading():
            line = _TRAILING.sub(lambda found: "\\" + found[0], _line(node.inlines).replace("\\\n", " "))
            return f"{'#' * node.level} {line}" if line else ""
        case Paragraph():
            return _line(node.inlines)
        case Code():
            return _fenced(node)
        case Quote():
            return _indented("\n\n".join(_blocks(node.children)), "> ", "> ")
        case List():
            return _list(node, other_marker)
        case Table():
            return _table(node)


def _fenced(node: Code) -> str:
    ticks = max((len(found) for found in _FENCE.findall(node.text)), default=2) + 1
    fence = "`" * max(ticks, 3)
    return f"{fence}{_LANGUAGE.sub('', node.language)}\n{node.text}\n{fence}"


def _list(node: List, other_marker: bool) -> str:
    lines: list[str] = []
    simple = all(len(item) < 2 or (len(item) == 2 and _interrupts(item[1])) for item in node.items)
    for number, item in enumerate(node.items, node.start):
        sign = f"{number}{')' if other_marker else '.'} " if node.ordered else "* " if other_marker else "- "
        inner = ("\n" if simple else "\n\n").join(_blocks(item))
        if inner:
            lines.append(_indented(inner, sign, " " * len(sign)))
    return ("\n" if simple else "\n\n").join(lines)


def _interrupts(node: Node) -> bool:
    """Return whether a list needs no empty line before it (CommonMark, section 5.3)."""
    return isinstance(node, List) and (not node.ordered or node.start == 1)


def _indented(text: str, first: str, others: str) -> str:
    lines = text.split("\n")
    return "\n".join(
        (first if index == 0 else others) + line if line else (first if index == 0 else others).rstrip()
        for index, line in enumerate(lines)
    )


# -------------------------------------------------------------------------------------------------------------- tables


def _table(node: Table) -> str:
    """Return a table of GitHub: one line of heads, one line a row; spanning cells occur once, with empty ones beside
    them."""
    rows = _unspanned(node.rows)
    width = max(map(len, rows), default=0)
    if not width:
        return _line(node.caption)
    heads = rows[0] if node.rows and all(cell.header for cell in node.rows[0]) else []
    lines = [_row(heads, width), "|" + " --- |" * width]
    lines += [_row(row, width) for row in (rows[1:] if heads else rows)]
    caption = _line(node.caption)
    return (f"{caption}\n\n" if caption else "") + "\n".join(lines)


def _unspanned(rows: Sequence[Sequence[Cell]]) -> list[list[str]]:
    table: list[list[str]] = []
    open_rows: dict[int, int] = {}  # column -> rows that a cell above reaches down
    for row in rows:
        line: list[str] = []
        for cell in row:
            while open_rows.get(len(line), 0):
                open_rows[len(line)] -= 1
                line.append("")
            text = _line(cell.inlines, cell=True)
            for column in range(min(cell.columns, 50)):
                open_rows[len(line)] = cell.rows - 1
                line.append("" if column else text)
        while open_rows.get(len(line), 0):
            open_rows[len(line)] -= 1
            line.append("")
        table.append(line)
    return table


def _row(cells: Sequence[str], width: int) -> str:
    return "|" + "".join(f" {text} |" if text else "  |" for text, _ in zip_longest(cells, range(width), fillvalue=""))


# ------------------------------------------------------------------------------------------------------- runs of text


def _line(inlines: Sequence[Inline], cell: bool = False) -> str:
    """Write runs as one paragraph, or as one line of a cell."""
    text = _runs(nest_runs(remove_style(inlines, Style.UNDERLINE)), "", "", cell)
    if cell:
        return text.replace("|", "\\|")
    return "\\\n".join(_LEADING.sub(_shielded, line) for line in text.split("\n"))


def _shielded(match: re.Match[str]) -> str:
    """Escape a character that means mark-up only at the beginning of a line."""
    if match.start():
        return match[0]
    return f"{match[0]}\\" if match[0][0].isdigit() else f"\\{match[0]}"


def _runs(runs: Sequence[StyledRuns | Inline], before: str, after: str, cell: bool) -> str:
    """Write runs between two characters, "" for none."""
    out = ""
    for index, run in enumerate(runs):
        if not isinstance(run, StyledRuns):
            out += _atom(run, cell)
            continue
        following = _first(runs[index + 1], cell) if index + 1 < len(runs) else after
        out += _set(run, (before + out)[-1:], following, cell)
    return out


def _set(run: StyledRuns, before: str, after: str, cell: bool) -> str:
    if run.link:
        return f"[{_runs(run.inner, '[', ']', cell)}]({_address(run.link)})"
    if run.style not in TAGS:
        return _runs(run.inner, before, after, cell)
    marker = SIGNS.get(run.style, "")
    text = _runs(run.inner, marker[:1] or ">", marker[:1] or "<", cell)
    return _wrapped(text, run.style, before, after)


def _wrapped(text: str, style: Style, before: str, after: str) -> str:
    """Set a text between signs where a reader takes them for such, else between tags (CommonMark, section 6.2)."""
    marker = SIGNS.get(style)
    outside = not before or before.isspace(), not after or after.isspace()
    inside = text[:1].isalnum(), text[-1:].isalnum()
    if (
        marker
        and text[:1] not in "*~"
        and text[-1:] not in "*~"
        and (outside[0] or (inside[0] and _joins(before)))
        and (outside[1] or (inside[1] and _joins(after)))
    ):
        return f"{marker}{text}{marker}"
    return f"<{TAGS[style]}>{text}</{TAGS[style]}>"


def _joins(edge: str) -> bool:
    """Return whether a sign beside this character is mark-up, given a letter or digit on its other side."""
    return edge not in "*~_\\`<&" and edge.isprintable()


def _first(run: StyledRuns | Inline, cell: bool) -> str:
    """Return the first character of a run as written, which may be a sign."""
    if not isinstance(run, StyledRuns):
        return _atom(run, cell)[:1]
    return "[" if run.link else "<" if run.style not in SIGNS and run.style in TAGS else "*"


def _atom(run: Inline, cell: bool) -> str:
    match run:
        case LineBreak():
            return "<br>" if cell else "\n"
        case Image():
            return f"![{_escaped(run.alt)}]({_address(run.url)})"
        case TextRun():
            if run.style & Style.CODE and run.text.strip():
                return _code(run.text)
            return _escaped(run.text)


def _escaped(text: str) -> str:
    return _ESCAPED.sub(r"\\\g<0>", text)


def _code(text: str) -> str:
    ticks = "`" * (max((len(found) for found in _TICKS.findall(text)), default=0) + 1)
    pad = " " if text[0] in "` " or text[-1] in "` " else ""
    return f"{ticks}{pad}{text}{pad}{ticks}"


def _address(url: str) -> str:
    return _ENTITY.sub("&amp;", _UNSAFE.sub(lambda found: f"%{ord(found[0]):02X}", url))
