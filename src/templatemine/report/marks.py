"""(text, spans) -> kept and removed pieces of the text; pieces -> HTML in which each removed piece is marked and named.

Article text is hostile input: everything is escaped.  Characters that act on a terminal or change the direction of
writing, and so could disguise a mark, become visible names.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from html import escape

from templatemine.controls import end_lines, is_control, name_controls
from templatemine.kinds import KINDS
from templatemine.model import Span


@dataclass(frozen=True, slots=True)
class TextPiece:
    """A piece of a text: removed by `templates`, or kept if there are none.

    `hidden` counts the characters of a kept piece that is too long to be shown; its `text` is then empty.  `kind` is
    that of a removed piece, "" where it is not known.
    """

    start: int
    text: str
    templates: tuple[str, ...] = ()
    hidden: int = 0
    kind: str = ""


def split_pieces(text: str, spans: Sequence[Span]) -> Iterator[TextPiece]:
    """Yield a text as kept and removed pieces in order; joined they are the text.

    Parameters
    ----------
    spans : sequence of Span
        Ascending and disjoint, as `Cleaner.spans` gives them.
    """
    place = 0
    for span in spans:
        if span.start > place:
            yield TextPiece(place, text[place : span.start])
        yield TextPiece(span.start, text[span.start : span.end], span.templates or ("",), kind=span.kind)
        place = span.end
    if place < len(text):
        yield TextPiece(place, text[place:])


def count_kinds(parts: Iterable[TextPiece]) -> list[tuple[str, int, int]]:
    """Return the kinds of removed pieces, in the order of `kinds.KINDS`, with how many pieces and characters each has;
    "" last, for those of no known kind."""
    counts: dict[str, list[int]] = {}
    for piece in parts:
        if piece.templates:
            own = counts.setdefault(piece.kind, [0, 0])
            own[0] += 1
            own[1] += len(piece.text)
    return [(kind, counts[kind][0], counts[kind][1]) for kind in (*KINDS, "") if kind in counts]


_MIN_HIDDEN = 80
"""Least number of characters that is hidden; hiding fewer would save no space."""


def elide(parts: Iterable[TextPiece], context: int) -> Iterator[TextPiece]:
    """Yield pieces; kept ones show at most `context` characters beside a removed one, up to white space."""
    parts = list(parts)
    for number, piece in enumerate(parts):
        head = context if number else context // 2
        tail = context if number < len(parts) - 1 else 0
        if piece.templates or len(piece.text) <= head + tail + _MIN_HIDDEN:
            yield piece
            continue
        text = piece.text
        first = _find_blank(text, head, range(head, min(head + 20, len(text))))
        last = _find_blank(text, len(text) - tail, range(len(text) - tail, max(len(text) - tail - 20, first), -1))
        yield TextPiece(piece.start, text[:first])
        yield TextPiece(piece.start + first, "", hidden=last - first)
        if last < len(text):
            yield TextPiece(piece.start + last, text[last:])


def truncate(parts: Iterable[TextPiece], most: int) -> Iterator[TextPiece]:
    """Yield pieces of a text until `most` of its characters are shown; everything after is hidden."""
    left, hidden, start = most, 0, 0
    for piece in parts:
        if left > 0:
            yield piece
            left -= len(piece.text)
        else:
            start = start if hidden else piece.start
            hidden += len(piece.text) + piece.hidden
    if hidden:
        yield TextPiece(start, "", hidden=hidden)


def _find_blank(text: str, otherwise: int, places: Iterable[int]) -> int:
    return next((place for place in places if text[place : place + 1].isspace()), otherwise)


def escape_text(text: str) -> str:
    """Escape a text as HTML, with the name of the code point for each control character (`is_control`)."""
    text = end_lines(text)
    if text.isascii() and text.replace("\n", "").replace("\t", "").isprintable():
        return escape(text)
    return "".join(f'<b class="ctl">U+{ord(char):04X}</b>' if is_control(char) else char for char in escape(text))


@dataclass(frozen=True, slots=True)
class Note:
    """The note on a removed piece.

    Attributes
    ----------
    text : str
        Shown on hover and focus.
    behind : str
        HTML after the mark, such as the numbers of the expressions.
    described_by : str
        Ids of the elements that describe it to a screen reader, separated by blanks.
    """

    text: str
    behind: str = ""
    described_by: str = ""


def render_marks(parts: Iterable[TextPiece], note: Callable[[TextPiece], Note]) -> str:
    """Render pieces as HTML: kept ones as text, each removed one as a focusable ``<mark>`` with its note.

    The text of the note is in the attribute ``data-note``; a page shows it without a script, by ``content: attr(...)``.
    """
    out: list[str] = []
    for piece in parts:
        if piece.hidden:
            out.append(f'<span class="gap" dir="ltr">… {piece.hidden:,} characters …</span>')
        elif piece.templates:
            removed = note(piece)
            described = f' aria-describedby="{escape(removed.described_by)}"' if removed.described_by else ""
            label = escape(name_controls(removed.text))
            kind = f' data-kind="{escape(piece.kind)}"' if piece.kind else ""
            start = f'<mark tabindex="0" data-start="{piece.start}"{kind} data-note="{label}"{described}>'
            out.append(f"{start}{escape_text(piece.text)}</mark>{removed.behind}")
        else:
            out.append(escape_text(piece.text))
    return "".join(out)
