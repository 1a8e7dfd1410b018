"""Documents -> units that can be clicked, labels and marks: the parts of an annotation.

A unit is a block of a page (as in the page model) or a word of an article (a character, in scripts without
spaces).  Words end at glue points, too: where a parser lost a line break, a mark takes no letter of the word behind.
An annotation is a list of marks [start, end, label] in code points of the document, ascending and disjoint; text
outside all marks is "other": most of a page, and no work for anybody (Spousta, Marek and Pecina 2008, section 4).
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

import numpy as np
import regex

from templatemine.errors import ConfigError
from templatemine.model import Document
from templatemine.text.characters import OWN_TOKEN
from templatemine.text.reading import ReadingRules, read_text

Mark = tuple[int, int, str]
OTHER = "other"


@dataclass(frozen=True, slots=True)
class Label:
    """A label: its name, what it means, and its sign in CleanEval's mark-up ("" for none)."""

    name: str
    what: str
    sign: str = ""


LABELS: Mapping[str, tuple[Label, ...]] = {
    "page": (
        Label("text", "paragraphs of the main text", "p"),
        Label("header", "headlines of the main text", "h"),
        Label("list", "items of lists in the main text", "l"),
    ),
    "article": (
        Label("template", "boilerplate of fixed wording, which must go"),
        Label("dynamic", "boilerplate of changing wording, which may go"),
    ),
}
"""Kind of document -> its labels, in the order of their keys 1, 2, 3."""

_WORD = regex.compile(f"[{OWN_TOKEN}]|[^\\s{OWN_TOKEN}]+")


def document_kind(document: Document) -> str:
    """Return the key of `LABELS` for a document."""
    return "page" if document.is_html else "article"


def find_units(document: Document, rules: ReadingRules | None = None) -> list[tuple[int, int]]:
    """Return the units that can be clicked: (start, end) in code points, ascending and disjoint.

    Parameters
    ----------
    rules : ReadingRules, optional
        How texts of its source are read, as its pack knows.  Every point that may be a glue point ends a unit without
        them: that there are two units where one would do takes nothing from anybody.
    """
    if not document.is_html:
        return _split_words(document.body, _find_breaks(document.body, rules))
    from templatemine.pages.blocks import Page

    page = Page(document.body)
    found: list[tuple[int, int]] = []
    for start, end in page.spans(np.arange(len(page))):
        start = max(start, found[-1][1]) if found else start
        if end > start:
            found.append((start, end))
    return found


_MAYBE_GLUED = ReadingRules(soft=True)


def _find_breaks(text: str, rules: ReadingRules | None) -> list[int]:
    """Return where lines of the reading form begin and end in a text, ascending."""
    found: set[int] = set()
    for one in {_MAYBE_GLUED, rules or _MAYBE_GLUED}:
        if (read := read_text(text, one)) is not None:
            for match in _LINE_FEED.finditer(read.text):
                found.update(read.original_span(*match.span()))
    return sorted(found)


_LINE_FEED = regex.compile(r"\n")


def _split_words(text: str, breaks: Sequence[int]) -> list[tuple[int, int]]:
    """Return the words of a text, parted at the breaks within them."""
    found: list[tuple[int, int]] = []
    place = 0
    for match in _WORD.finditer(text):
        start, end = match.span()
        while place < len(breaks) and breaks[place] < end:
            if breaks[place] > start:
                found.append((start, breaks[place]))
                start = breaks[place]
            place += 1
        found.append((start, end))
    return found


def label_units(marks: Iterable[Mark], parts: Sequence[tuple[int, int]]) -> list[str]:
    """Return the label of each unit: the label of the mark that covers its beginning."""
    rows = sorted(marks)
    found: list[str] = []
    place = 0
    for start, _ in parts:
        while place < len(rows) and rows[place][1] <= start:
            place += 1
        inside = place < len(rows) and rows[place][0] <= start
        found.append(rows[place][2] if inside else OTHER)
    return found


def merge_labels(labels: Sequence[str], parts: Sequence[tuple[int, int]]) -> list[Mark]:
    """Merge runs of units with one label into marks: the inverse of `label_units`."""
    found: list[Mark] = []
    before = OTHER
    for label, (start, end) in zip(labels, parts, strict=True):
        if label != OTHER:
            if label == before:
                found[-1] = (found[-1][0], end, label)
            else:
                found.append((start, end, label))
        before = label
    return found


def count_passages(labels: Sequence[str]) -> int:
    """Return the number of labelled runs of units; the annotator of the paper needs two clicks for each."""
    return sum(label not in (OTHER, before) for before, label in zip([OTHER, *labels], labels, strict=False))


def read_marks(document: Document, rows: Any) -> list[Mark]:
    """Read marks as the browser sends them.

    Raises
    ------
    ConfigError
        A mark is invalid; the message names it.
    """
    known = {label.name for label in LABELS[document_kind(document)]}
    size = len(document.body)
    found: list[Mark] = []
    if not isinstance(rows, list):
        raise ConfigError("marks: expected a list")
    for place, row in enumerate(rows):
        match row:
            case [int(start), int(end), str(label)] if (
                not isinstance(start, bool) and 0 <= start < end <= size and label in known
            ):
                found.append((start, end, label))
            case _:
                raise ConfigError(
                    f"marks[{place}]: expected [start, end, label] within {size} characters and a label of "
                    f"{', '.join(sorted(known))}, got {str(row)[:60]}"
                )
    found.sort()
    for one, other in pairwise(found):
        if other[0] < one[1]:
            raise ConfigError(f"marks: expected marks that do not overlap, got {list(one)} and {list(other)}")
    return found
