"""Nodes -> JSON data: each a mapping with its type; runs of text as strings, or mappings where they have more."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

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
    Table,
    TextRun,
)


def nodes_to_json(nodes: Iterable[Node]) -> list[dict[str, Any]]:
    """Return the nodes as JSON holds them."""
    return [_node(node) for node in nodes]


def _node(node: Node) -> dict[str, Any]:
    match node:
        case Heading():
            return {"type": "heading", "level": node.level, "text": _inlines(node.inlines)}
        case Paragraph():
            kind = {"kind": node.kind} if node.kind else {}
            return {"type": "paragraph", **kind, "text": _inlines(node.inlines)}
        case Code():
            return {"type": "code", "text": node.text, **({"language": node.language} if node.language else {})}
        case Quote():
            return {"type": "quote", "content": nodes_to_json(node.children)}
        case List():
            counted = {"ordered": True, "start": node.start} if node.ordered else {"ordered": False}
            return {"type": "list", **counted, "items": [nodes_to_json(item) for item in node.items]}
        case Table():
            rows = [[_cell(cell) for cell in row] for row in node.rows]
            return {"type": "table", **({"caption": _inlines(node.caption)} if node.caption else {}), "rows": rows}


def _cell(cell: Cell) -> dict[str, Any]:
    values = {"header": cell.header, "columns": cell.columns, "rows": cell.rows}
    defaults = {"header": False, "columns": 1, "rows": 1}
    return {
        "text": _inlines(cell.inlines),
        **{name: value for name, value in values.items() if value != defaults[name]},
    }


def _inlines(inlines: Iterable[Inline]) -> list[str | dict[str, Any]]:
    return [_inline(run) for run in inlines]


def _inline(run: Inline) -> str | dict[str, Any]:
    match run:
        case LineBreak():
            return {"type": "break"}
        case Image():
            values = {"type": "image", "url": run.url, "alt": run.alt, "link": run.link}
            return {name: value for name, value in values.items() if value}
        case TextRun():
            if not run.style and not run.link:
                return run.text
            style = [flag.name.lower() for flag in Style if flag & run.style and flag.name]
            return {"text": run.text, **({"style": style} if style else {}), **({"link": run.link} if run.link else {})}
