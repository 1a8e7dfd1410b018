"""Records -> HTML for notebooks.  Whatever comes from a text is escaped; it can neither act nor load anything."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

__all__ = ["LISTED", "paragraph", "struck", "table"]

LISTED = 20
"""Rows that are shown."""


def escape(text: str) -> str:
    """Text without mark-up."""
    from html import escape  # here, for it loads a table of all entities, which cleaning has no need of

    return escape(text)


def paragraph(text: str) -> str:
    """One paragraph."""
    return f"<p>{escape(text)}</p>"


def table(header: Sequence[str], rows: Iterable[Sequence[object]]) -> str:
    """A table of the first rows, with a line for how many more there are."""
    rows = list(rows)
    lines = ["".join(f"<td>{escape(str(cell))}</td>" for cell in row) for row in rows[:LISTED]]
    remainder = paragraph(f"and {len(rows) - LISTED:,} more") if len(rows) > LISTED else ""
    head = "".join(f"<th>{escape(name)}</th>" for name in header)
    return f"<table><tr>{head}</tr>{''.join(f'<tr>{line}</tr>' for line in lines)}</table>{remainder}"


def struck(text: str, cuts: Iterable[tuple[int, int, str]]) -> str:
    """A text as it stands, with its cuts (start, end, what is said of it) struck through."""
    pieces, position = [], 0
    for start, end, title in cuts:
        pieces += [escape(text[position:start]), f'<del title="{escape(title)}">{escape(text[start:end])}</del>']
        position = end
    marked = "".join([*pieces, escape(text[position:])])
    return f'<div dir="auto" style="white-space: pre-wrap">{marked}</div>'
