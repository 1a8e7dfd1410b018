"""What main text is made of: nodes (headings, paragraphs, lists ...) and the runs of text, links and images in them."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from enum import IntFlag

__all__ = [
    "PLAIN",
    "Break",
    "Cell",
    "Code",
    "Heading",
    "Image",
    "Inline",
    "List",
    "Node",
    "Paragraph",
    "Quote",
    "Set",
    "Style",
    "Table",
    "Text",
    "calm",
    "folded",
    "joined",
    "nested",
    "without",
]


class Style(IntFlag):
    """How a run of text is set off."""

    STRONG = 1
    EMPHASIS = 2
    UNDERLINE = 4
    DELETED = 8
    SUBSCRIPT = 16
    SUPERSCRIPT = 32
    CODE = 64


PLAIN = Style(0)


@dataclass(frozen=True, slots=True)
class Text:
    """A run of text with one style and one link ("" for none)."""

    text: str
    style: Style = PLAIN
    link: str = ""


@dataclass(frozen=True, slots=True)
class Break:
    """A line ends, the paragraph does not."""


@dataclass(frozen=True, slots=True)
class Image:
    """A picture: its address, its text for those who do not see it, and where it leads, "" for nothing."""

    url: str
    alt: str = ""
    link: str = ""


Inline = Text | Break | Image


@dataclass(frozen=True, slots=True)
class Set:
    """Runs that have a style or a link in common, and what is set off among them."""

    style: Style
    link: str
    inner: tuple[Set | Inline, ...]


@dataclass(frozen=True, slots=True)
class Heading:
    """A heading of level 1 to 6."""

    level: int
    inlines: tuple[Inline, ...]


@dataclass(frozen=True, slots=True)
class Paragraph:
    """A paragraph, or an image that stands alone."""

    inlines: tuple[Inline, ...]


@dataclass(frozen=True, slots=True)
class Code:
    """Preformatted text with its white space, and the language that it declares."""

    text: str
    language: str = ""


@dataclass(frozen=True, slots=True)
class Quote:
    """A quotation."""

    children: tuple[Node, ...]


@dataclass(frozen=True, slots=True)
class List:
    """A list: whether it counts, from where, and the nodes of each item."""

    ordered: bool
    start: int
    items: tuple[tuple[Node, ...], ...]


@dataclass(frozen=True, slots=True)
class Cell:
    """A cell of a table; an empty one may stand for a block that was not kept."""

    inlines: tuple[Inline, ...] = ()
    header: bool = False
    columns: int = 1
    rows: int = 1


@dataclass(frozen=True, slots=True)
class Table:
    """A table of data; tables for layout are none."""

    caption: tuple[Inline, ...]
    rows: tuple[tuple[Cell, ...], ...]


Node = Heading | Paragraph | Code | Quote | List | Table


def nested(inlines: Sequence[Inline]) -> tuple[Set | Inline, ...]:
    """Runs -> what is set off in each other: what reaches farthest is outermost, links before styles, code innermost.

    Code is left to the runs themselves.
    """
    found: list[Set | Inline] = []
    at = 0
    while at < len(inlines):
        reach, style, link = max(
            ((_reach(inlines, at, one), one, "") for one in _SETTING),
            key=lambda row: row[0],
        )
        own = "" if isinstance(inlines[at], Break) else inlines[at].link  # type: ignore[union-attr]
        if own and (linked := _linked(inlines, at, own)) >= reach:
            reach, style, link = linked, PLAIN, own
        if not reach:
            found.append(inlines[at])
            at += 1
            continue
        inner = nested([_less(run, style, link) for run in inlines[at : at + reach]])
        found.append(Set(style, link, inner))
        at += reach
    return tuple(found)


_SETTING: tuple[Style, ...] = tuple(style for style in Style if style is not Style.CODE)


def without(inlines: Sequence[Inline], style: Style) -> tuple[Inline, ...]:
    """Runs without a style, equal neighbours joined."""
    return joined(Text(one.text, one.style & ~style, one.link) if isinstance(one, Text) else one for one in inlines)


def _reach(inlines: Sequence[Inline], at: int, style: Style) -> int:
    """Runs from `at` on that have a style."""
    end = at
    while end < len(inlines) and isinstance(run := inlines[end], Text) and run.style & style:
        end += 1
    return end - at


def _linked(inlines: Sequence[Inline], at: int, link: str) -> int:
    """Runs from `at` on that have a link."""
    end = at
    while end < len(inlines) and not isinstance(run := inlines[end], Break) and run.link == link:
        end += 1
    return end - at


def _less(run: Inline, style: Style, link: str) -> Inline:
    match run:
        case Text():
            return Text(run.text, run.style & ~style, "" if link else run.link)
        case Image() if link:
            return Image(run.url, run.alt)
        case _:
            return run


def calm(inlines: tuple[Inline, ...]) -> tuple[Inline, ...]:
    """A heading without the emphasis that all of it has."""
    runs = [one for one in inlines if isinstance(one, Text) and one.text.strip()]
    common = Style.STRONG | Style.EMPHASIS | Style.UNDERLINE
    for run in runs:
        common &= run.style
    return without(inlines, common)


def folded(runs: Sequence[Inline], fold: bool) -> tuple[Inline, ...]:
    """Runs with the blanks between them outside of what sets them off, equal neighbours joined; with `fold`, white
    space is folded, and left out at both ends."""
    found: list[Inline] = []
    blank = False
    for run in runs:
        if not isinstance(run, Text):
            found += [Text(" ")] * (blank and bool(found))
            blank = False
            found.append(run)
            continue
        text = run.text
        inner = " ".join(text.split()) if fold else text.strip(" ")
        if not inner:
            blank = blank or bool(text)
            continue
        lead = text[:1].isspace() if fold else text[:1] == " "
        if (blank or lead) and found:
            before = found[-1]
            if isinstance(before, Text):
                both = before.style & run.style, before.link if before.link == run.link else ""
                found.append(Text(" ", *both))
            else:
                found.append(Text(" "))
        blank = text[-1:].isspace() if fold else text[-1:] == " "
        found.append(Text(inner, run.style, run.link))
    return joined(found)


def joined(runs: Iterable[Inline]) -> tuple[Inline, ...]:
    """Runs, equal neighbours as one."""
    found: list[Inline] = []
    for run in runs:
        last = found[-1] if found else None
        if isinstance(run, Text) and isinstance(last, Text) and (run.style, run.link) == (last.style, last.link):
            found[-1] = Text(last.text + run.text, run.style, run.link)
        else:
            found.append(run)
    return tuple(found)
