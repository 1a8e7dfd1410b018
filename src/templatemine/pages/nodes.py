"""The content of main text: nodes (headings, paragraphs, lists ...) and the runs of text, links and images in them."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from enum import IntFlag

__all__ = [
    "PLAIN",
    "LineBreak",
    "Cell",
    "Code",
    "Heading",
    "Image",
    "Inline",
    "List",
    "Node",
    "Paragraph",
    "Quote",
    "StyledRuns",
    "Style",
    "Table",
    "TextRun",
    "remove_common_style",
    "fold_spaces",
    "join_runs",
    "nest_runs",
    "remove_style",
]


class Style(IntFlag):
    """The emphasis of a run of text."""

    STRONG = 1
    EMPHASIS = 2
    UNDERLINE = 4
    DELETED = 8
    SUBSCRIPT = 16
    SUPERSCRIPT = 32
    CODE = 64


PLAIN = Style(0)


@dataclass(frozen=True, slots=True)
class TextRun:
    """A run of text with one style and one link ("" for none)."""

    text: str
    style: Style = PLAIN
    link: str = ""


@dataclass(frozen=True, slots=True)
class LineBreak:
    """A line ends, the paragraph does not."""


@dataclass(frozen=True, slots=True)
class Image:
    """A picture: its address, its text for those who do not see it, and where it leads, "" for nothing."""

    url: str
    alt: str = ""
    link: str = ""


Inline = TextRun | LineBreak | Image


@dataclass(frozen=True, slots=True)
class StyledRuns:
    """Runs that have a style or a link in common, and the runs set off among them."""

    style: Style
    link: str
    inner: tuple[StyledRuns | Inline, ...]


@dataclass(frozen=True, slots=True)
class Heading:
    """A heading of level 1 to 6."""

    level: int
    inlines: tuple[Inline, ...]


@dataclass(frozen=True, slots=True)
class Paragraph:
    """A paragraph, or an image on its own; the kind of boilerplate that it is, if it was kept by choice."""

    inlines: tuple[Inline, ...]
    kind: str = ""


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
    """A table of data; tables for layout do not count."""

    caption: tuple[Inline, ...]
    rows: tuple[tuple[Cell, ...], ...]


Node = Heading | Paragraph | Code | Quote | List | Table


def nest_runs(inlines: Sequence[Inline]) -> tuple[StyledRuns | Inline, ...]:
    """Nest runs in each other: the longest outermost, links before styles, code innermost.

    Code is left to the runs themselves.
    """
    nested: list[StyledRuns | Inline] = []
    index = 0
    while index < len(inlines):
        reach, style, link = max(
            ((_style_length(inlines, index, candidate), candidate, "") for candidate in _NESTED_STYLES),
            key=lambda row: row[0],
        )
        run_link = "" if isinstance(inlines[index], LineBreak) else inlines[index].link  # type: ignore[union-attr]
        if run_link and (link_length := _link_length(inlines, index, run_link)) >= reach:
            reach, style, link = link_length, PLAIN, run_link
        if not reach:
            nested.append(inlines[index])
            index += 1
            continue
        inner = nest_runs([_strip_run(run, style, link) for run in inlines[index : index + reach]])
        nested.append(StyledRuns(style, link, inner))
        index += reach
    return tuple(nested)


_NESTED_STYLES: tuple[Style, ...] = tuple(style for style in Style if style is not Style.CODE)


def remove_style(inlines: Sequence[Inline], style: Style) -> tuple[Inline, ...]:
    """Remove a style from runs, and join equal neighbours."""
    return join_runs(
        TextRun(run.text, run.style & ~style, run.link) if isinstance(run, TextRun) else run for run in inlines
    )


def _style_length(inlines: Sequence[Inline], start: int, style: Style) -> int:
    """Count the runs from `start` on that have a style."""
    end = start
    while end < len(inlines) and isinstance(run := inlines[end], TextRun) and run.style & style:
        end += 1
    return end - start


def _link_length(inlines: Sequence[Inline], start: int, link: str) -> int:
    """Count the runs from `start` on that have a link."""
    end = start
    while end < len(inlines) and not isinstance(run := inlines[end], LineBreak) and run.link == link:
        end += 1
    return end - start


def _strip_run(run: Inline, style: Style, link: str) -> Inline:
    match run:
        case TextRun():
            return TextRun(run.text, run.style & ~style, "" if link else run.link)
        case Image() if link:
            return Image(run.url, run.alt)
        case _:
            return run


def remove_common_style(inlines: tuple[Inline, ...]) -> tuple[Inline, ...]:
    """Return a heading without the emphasis that all of it has."""
    runs = [run for run in inlines if isinstance(run, TextRun) and run.text.strip()]
    common = Style.STRONG | Style.EMPHASIS | Style.UNDERLINE
    for run in runs:
        common &= run.style
    return remove_style(inlines, common)


def fold_spaces(runs: Sequence[Inline], fold: bool) -> tuple[Inline, ...]:
    """Move blanks out of styles and links, and join equal neighbours; with `fold`, fold white space, and strip it at
    both ends."""
    folded: list[Inline] = []
    blank = False
    for run in runs:
        if not isinstance(run, TextRun):
            folded += [TextRun(" ")] * (blank and bool(folded))
            blank = False
            folded.append(run)
            continue
        text = run.text
        inner = " ".join(text.split()) if fold else text.strip(" ")
        if not inner:
            blank = blank or bool(text)
            continue
        lead = text[:1].isspace() if fold else text[:1] == " "
        if (blank or lead) and folded:
            previous = folded[-1]
            if isinstance(previous, TextRun):
                shared = previous.style & run.style, previous.link if previous.link == run.link else ""
                folded.append(TextRun(" ", *shared))
            else:
                folded.append(TextRun(" "))
        blank = text[-1:].isspace() if fold else text[-1:] == " "
        folded.append(TextRun(inner, run.style, run.link))
    return join_runs(folded)


def join_runs(runs: Iterable[Inline]) -> tuple[Inline, ...]:
    """Join equal neighbours of runs."""
    joined: list[Inline] = []
    for run in runs:
        last = joined[-1] if joined else None
        if isinstance(run, TextRun) and isinstance(last, TextRun) and (run.style, run.link) == (last.style, last.link):
            joined[-1] = TextRun(last.text + run.text, run.style, run.link)
        else:
            joined.append(run)
    return tuple(joined)
