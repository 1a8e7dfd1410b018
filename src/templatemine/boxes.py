"""Boxes that a parser put into the middle of sentences: two fixed strings with something new between them.

Sites hang boxes on names: a full name, three headlines of the day, "MORE".  A parser that takes the text of everything
writes them where the name stands, in mid-sentence and often without a blank: "President Trump Donald John TrumpSenate
to vote Markets fall MORE said".  Neither half is furniture by how it stands, for it stands in prose; what gives it away
is that the two hardly ever occur without each other, while what stands between them is new each time.

A *closing* is a string of prose that many documents of this source have and no other source's prose; an *opening* one
after which it follows on the same line nearly always, whatever mark comes behind it.  A closing makes a box if it has
many openings, since boxes hang on many things, if they explain nearly all of its occurrences, and if what stands
between them differs and is no sentence.  The templates are each shortest opening with its closings, and the closings
alone, whose other openings are too rare to be known.

In come the strings of a source and its documents, out go pairs of strings.  Only sources with a closing are read
again: once, and then what stands before their closings.
"""

from __future__ import annotations

import re
from array import array
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from templatemine import _spans
from templatemine.config import EvidenceConfig, PipelineConfig
from templatemine.expressions import BOX_SIZE, LINE_BREAKS, Encoded
from templatemine.mined import Mined, Strings
from templatemine.model import Document
from templatemine.patterns import PatternSet

__all__ = ["Box", "boxes_of"]

_MOST = 100
"""Where more strings could close a box, the other sources are none, or in other languages, and say nothing."""
_BREAK = re.compile(f"[{LINE_BREAKS}]")
_SENTENCE = re.compile(rb"[A-Za-z\x80-\xff]{3}[.][\"')]*\s")
"""The end of a sentence; headlines have none, and may ask a question."""


@dataclass(frozen=True, kw_only=True)
class Box:
    """An opening with a closing.

    Attributes
    ----------
    opening, closing : int
        Rows of two strings.
    df, count : int
        Documents and occurrences of both together.
    example : str
    """

    opening: int
    closing: int
    df: int
    count: int
    example: str


def boxes_of(
    mined: Mined,
    free: NDArray[np.bool_],
    accepted: NDArray[np.bool_],
    documents: Sequence[Document],
    patterns: PatternSet,
    config: PipelineConfig,
) -> list[Box]:
    """The boxes of a source.

    Parameters
    ----------
    free : bool array, shape (strings,)
        Which strings no other source has in its prose.
    accepted : bool array, shape (strings,)
        Which strings are templates by themselves; they close nothing.
    documents : sequence of Document
        What `mined.chosen` are places of.
    """
    if mined.evidence is None or mined.html:
        return []
    c, e, df = config.evidence, mined.evidence, mined.repeats.df
    able = free & (e.own_script < c.half) & (e.tabular < c.half) & ~accepted & (df >= c.least)
    closing = able & ~e.holds_value & (e.prose >= c.half) & (e.within >= c.half) & (e.information >= c.mark_information)
    closing &= df >= max(float(c.least), c.box_share * mined.documents)
    groups = _groups(mined.strings, _shortest(mined.strings, np.flatnonzero(closing)), np.flatnonzero(able))
    if not 0 < len(groups) <= _MOST:
        return []
    chosen = documents if mined.chosen is None else [documents[place] for place in mined.chosen.tolist()]
    scale = len(chosen) / max(1, mined.documents)
    before = _before(groups, mined.strings, chosen, patterns, config)
    opening = np.flatnonzero(able & (e.information >= c.mark_information))
    matcher = _matcher(mined.strings, opening.tolist(), patterns, config)
    return [box for rows in before for box in _boxes(rows, opening, matcher, mined, c, scale)]


_MARKS = re.compile(r"[^\w\s]*(?:['’]s[^\w\s]*)?")


def _groups(strings: Strings, closings: Sequence[int], rows: NDArray[np.int64]) -> list[list[int]]:
    """Closings with those that differ from them by the marks behind: "MORE", "MORE,", "MORE's"."""
    by_start: dict[tuple[int, ...], list[int]] = {}
    lengths = np.diff(strings.bounds)
    wanted = {int(lengths[row]) for row in closings}
    for row in rows.tolist():
        if int(lengths[row]) in wanted:
            by_start.setdefault(strings.ids(row)[:-1], []).append(row)
    last = {
        row: strings.names[int(strings.tokens[strings.bounds[row + 1] - 1])].decode("utf-8", "replace")
        for some in by_start.values()
        for row in some
    }
    groups: list[list[int]] = []
    seen: set[int] = set()
    for closing in sorted(closings, key=lambda row: (len(last[row]), row)):
        if closing not in seen:
            word = last[closing]
            group = [
                row
                for row in by_start[strings.ids(closing)[:-1]]
                if last[row].startswith(word) and _MARKS.fullmatch(last[row][len(word) :])
            ]
            seen.update(group)
            groups.append(group)
    return groups


@dataclass(frozen=True, slots=True)
class _Before:
    """What stands before an occurrence of a closing, on its line and behind the last one; the closing as it stands
    there, its row, the document."""

    data: bytes
    closing: bytes
    row: int
    document: int


def _matcher(strings: Strings, rows: Sequence[int], patterns: PatternSet, config: PipelineConfig) -> _spans.Matcher:
    """The automaton of some strings."""
    wanted = strings.take(np.array(rows, np.int64))
    used, flat = np.unique(wanted.tokens, return_inverse=True)
    return _spans.Matcher(
        *patterns.scanner_arguments(config.tokenise.separators, False),
        [wanted.names[name] for name in used.tolist()],
        array("i", flat.tolist()),
        array("q", wanted.bounds.tolist()),
    )


def _before(
    groups: Sequence[Sequence[int]],
    strings: Strings,
    documents: Sequence[Document],
    patterns: PatternSet,
    config: PipelineConfig,
) -> list[list[_Before]]:
    """What stands before each occurrence of the closings of each group."""
    rows = [(row, number) for number, group in enumerate(groups) for row in group]
    matcher = _matcher(strings, [row for row, _ in rows], patterns, config)
    out: list[list[_Before]] = [[] for _ in groups]
    for number, document in enumerate(documents):
        data = Encoded(document.body, patterns, config.tokenise.separators).data
        last: dict[int, int] = {}
        for start, end, place in zip(*(column.tolist() for column in matcher.find(data)), strict=True):
            row, group = rows[place]
            begin = max(last.get(group, 0), start - 4 * BOX_SIZE)
            last[group] = end
            line = _BREAK.split(data[begin:start].decode("utf-8", "ignore"))[-1][-BOX_SIZE:]
            out[group].append(_Before(line.encode(), data[start:end], row, number))
    return out


def _boxes(
    before: Sequence[_Before],
    opening: NDArray[np.int64],
    matcher: _spans.Matcher,
    mined: Mined,
    config: EvidenceConfig,
    scale: float,
) -> list[Box]:
    """The boxes of a group of closings, if it makes any."""
    c = config
    places: dict[int, dict[int, tuple[int, int]]] = {}
    for number, one in enumerate(before):
        for start, end, place in zip(*(column.tolist() for column in matcher.find(one.data)), strict=True):
            # The last one before the closing counts.
            places.setdefault(int(opening[place]), {})[number] = start, end
    counts = mined.repeats.count
    openings = _shortest(
        mined.strings, [row for row, found in places.items() if len(found) >= c.edge * scale * counts[row]]
    )
    standing: dict[int, list[tuple[int, int, int]]] = {}
    for row in openings:
        for number, (start, end) in places[row].items():
            standing.setdefault(number, []).append((start, end, row))
    first = {number: _first(some) for number, some in standing.items()}
    rests = {number: before[number].data[places[row][number][0] :] for number, row in first.items()}
    by_opening: dict[int, dict[int, list[int]]] = {}
    for number, row in sorted(first.items()):
        by_opening.setdefault(row, {}).setdefault(before[number].row, []).append(number)
    known = {row: found for row, found in sorted(by_opening.items()) if sum(map(len, found.values())) >= c.least}
    most = c.half * len(rests)
    if (
        len(known) < c.box_openings
        or len(rests) < c.whole * len(before)
        or len(set(rests.values())) < most
        or sum(_SENTENCE.search(rest) is not None for rest in rests.values()) > most
    ):
        return []
    boxes: list[Box] = []
    for row, by_closing in known.items():
        for closing, numbers in sorted(by_closing.items()):
            one = before[numbers[0]]
            example = rests[numbers[0]] + one.closing
            boxes.append(
                Box(
                    opening=row,
                    closing=closing,
                    df=len({before[number].document for number in numbers}),
                    count=len(numbers),
                    example=example.decode("utf-8", "replace"),
                )
            )
    return boxes


def _first(standing: list[tuple[int, int, int]]) -> int:
    """Which opens the box, of (start, end, row): the first, as others stand in the box, unless the next one begins
    within it; then what it has more is the word that the box hangs on."""
    standing.sort()
    for (_, end, row), (start, _, _) in pairwise(standing):
        if start >= end:
            return row
    return standing[-1][2]


def _shortest(strings: Strings, rows: Sequence[int] | NDArray[np.int64]) -> list[int]:
    """Strings that hold no other of them."""
    wanted = {strings.ids(int(row)): int(row) for row in rows}
    lengths = sorted({len(ids) for ids in wanted})
    return sorted(row for ids, row in wanted.items() if not any(part in wanted for part in _parts(ids, lengths)))


def _parts(ids: tuple[int, ...], lengths: Sequence[int]) -> Iterator[tuple[int, ...]]:
    """Shorter strings within a string, of some lengths."""
    for length in lengths:
        if length < len(ids):
            yield from (ids[start : start + length] for start in range(len(ids) - length + 1))
