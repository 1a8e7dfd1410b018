"""Records -> HTML for notebooks.  Whatever comes from a text is escaped; it can neither act nor load anything."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence

LISTED = 20
"""Rows that are shown."""


def escape(text: str) -> str:
    """Escape a text, so that it has no mark-up."""
    from html import escape  # here, for it loads a table of all entities, which cleaning has no need of

    return escape(text)


def paragraph(text: str) -> str:
    """Format one paragraph."""
    return f"<p>{escape(text)}</p>"


def table(header: Sequence[str], rows: Iterable[Sequence[object]]) -> str:
    """Return a table of the first rows, with a line for how many more there are."""
    rows = list(rows)
    lines = ["".join(f"<td>{escape(str(cell))}</td>" for cell in row) for row in rows[:LISTED]]
    remainder = paragraph(f"and {len(rows) - LISTED:,} more") if len(rows) > LISTED else ""
    head = "".join(f"<th>{escape(name)}</th>" for name in header)
    return f"<table><tr>{head}</tr>{''.join(f'<tr>{line}</tr>' for line in lines)}</table>{remainder}"


_COLOURS = {
    **{"promotion": "#b3261e", "related": "#8a4b00", "sharing": "#5f5a00", "media": "#2f6b00", "caption": "#006b4f"},
    **{"byline": "#00658a", "dateline": "#1c4fb8", "legal": "#5b3cc4", "advertisement": "#9a1fa6"},
    **{"navigation": "#a81563", "embed": "#6b5140", "note": "#3f5b5b", "contact": "#54546b"},
}
"""Colour of each kind of boilerplate; the name is beside it, for readers who see no colours."""


def struck(text: str, cuts: Iterable[tuple[int, int, str] | tuple[int, int, str, str]]) -> str:
    """Return a whole text, with its cuts (start, end, note, kind if it has one) struck through."""
    pieces, position = [], 0
    for start, end, title, *kind in cuts:
        pieces += [escape(text[position:start]), _struck_piece(text[start:end], title, "".join(kind))]
        position = end
    marked = "".join([*pieces, escape(text[position:])])
    return f'<div dir="auto" style="white-space: pre-wrap">{marked}</div>'


def _struck_piece(text: str, title: str, kind: str) -> str:
    if not kind:
        return f'<del title="{escape(title)}">{escape(text)}</del>'
    return (
        f'<del title="{escape(f"{kind}: {title}")}" data-kind="{escape(kind)}"{_underlined(kind)}>{escape(text)}</del>'
    )


def marked(lines: Iterable[tuple[str, str]]) -> str:
    """Format lines, each with its kind of boilerplate, "" for none; lines with a kind are marked."""
    shown = "\n".join(
        f'<mark title="{escape(kind)}" data-kind="{escape(kind)}"{_underlined(kind)}>{escape(text)}</mark>'
        if kind
        else escape(text)
        for text, kind in lines
        if text
    )
    return f'<div dir="auto" style="white-space: pre-wrap">{shown}</div>'


def _underlined(kind: str) -> str:
    return f' style="border-bottom: 2px solid {_COLOURS[kind]}"' if kind in _COLOURS else ""


def legend(kinds: Iterable[str]) -> str:
    """Return the kinds that were shown, with how often and in which colour; nothing if there are none."""
    shown = ", ".join(
        f'<span style="border-bottom: 2px solid {_COLOURS.get(kind, "currentcolor")}">{escape(kind)}</span> {number}'
        for kind, number in Counter(filter(None, kinds)).items()
    )
    return f"<p>{shown}</p>" if shown else ""
