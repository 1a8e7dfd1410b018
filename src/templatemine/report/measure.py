"""(pack, documents) -> what the pack does to them: one pass over an archive, in memory that does not grow with it.

Each document is cleaned once and counted once, by the automaton that cleans; so the figures of a template are those of
the archive given, which need not be the one it was mined from.
"""

from __future__ import annotations

import heapq
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from hashlib import blake2b
from typing import TypeVar

import numpy as np
import regex
from numpy.typing import NDArray

from templatemine.clean import Cleaner, page_text
from templatemine.config import ReportConfig
from templatemine.expressions import Encoded, is_own_token
from templatemine.model import Document, Span
from templatemine.packs import Pack
from templatemine.pages.main_text import PageCleaner
from templatemine.report.marks import Piece, pieces
from templatemine.report.periods import day_of

__all__ = ["Measured", "Sample", "Seen"]

_Kept = tuple[Document, str, Sequence[Span], float, bool]
_Ranked = TypeVar("_Ranked", tuple[int, int, _Kept], tuple[float, int, int, _Kept])


@dataclass(frozen=True, slots=True, kw_only=True)
class Seen:
    """A template in an archive.

    Attributes
    ----------
    df, count : int
        Documents and occurrences.
    starts, ends, lines : float
        Shares of the occurrences that begin a line, end one, are one.
    bits, bound : float or None
        Information (see `evidence`), and how tightly its tokens belong to it, 0 to 1; None for one written by hand.
    days : mapping of str to int
        Documents by day.
    """

    df: int
    count: int
    starts: float
    ends: float
    lines: float
    bits: float | None
    bound: float | None
    days: Counter[str]


@dataclass(frozen=True, slots=True, kw_only=True)
class Sample:
    """A document with its cuts, and the share of its characters that goes."""

    document: Document
    pieces: tuple[Piece, ...]
    share: float
    spared: bool


class Measured:
    """What one pack does to the documents of its source; `add` them one by one.

    Attributes
    ----------
    documents, changed, spared : int
        All, those in which something is cut, and those left whole by the guard.
    other_kind : int
        Not of the kind, HTML or text, of the pack, and not counted in anything else.
    characters, cut : int
        Of all documents; of pages, characters of their text without mark-up.
    days, changed_days : Counter of str
        Documents by day, and those of them in which something is cut.
    """

    def __init__(self, pack: Pack, config: ReportConfig) -> None:
        self.pack = pack
        self._config = config
        self.documents = self.other_kind = self.changed = self.spared = self.characters = self.cut = 0
        self.days: Counter[str] = Counter()
        self.changed_days: Counter[str] = Counter()
        self._cleaner = Cleaner(pack, config.clean)
        matcher, self._rows = pack.matcher()
        self._matcher = matcher
        size = len(pack.templates)
        self._last = np.full(len(self._rows), -1, np.int64)
        self._table = np.zeros((len(self._rows), 5), np.int64)
        self._written = [
            (row, regex.compile(one.regex)) for row, one in enumerate(pack.templates) if one.tokens is None
        ]
        self._by_hand = np.zeros((size, 5), np.int64)
        self._forms = np.zeros(len(self._vocabulary) + 1, np.int64)
        self._by_day: Counter[tuple[int, str]] = Counter()
        self._least: list[tuple[int, int, _Kept]] = []
        self._most: list[tuple[float, int, int, _Kept]] = []

    @cached_property
    def _vocabulary(self) -> dict[bytes, int]:
        """The forms of the automaton, in its order."""
        found: dict[bytes, int] = {}
        for row in self._rows:
            for form in self.pack.forms(self.pack.templates[row]):
                found.setdefault(form, len(found))
        return found

    def add(self, document: Document) -> None:
        """Clean and count one more document."""
        body = document.html if self.pack.html else document.text
        if body is None:
            self.other_kind += 1
            return
        number, day = self.documents, day_of(document.date)
        self.documents += 1
        if day is not None:
            self.days[day] += 1
        self._count(body, number, day)
        spans, size, gone, spared = self._clean(body)
        self.characters += size
        self.cut += gone
        self.spared += spared
        if not spans and not spared:
            return
        self.changed += not spared
        if day is not None and not spared:
            self.changed_days[day] += 1
        self._keep(document, body, spans, gone / max(size, 1) if not spared else 1.0, spared)

    def _count(self, body: str, number: int, day: str | None) -> None:
        if self._rows:
            data = Encoded(body, self.pack.patterns, self.pack.tokenise.separators).data
            self._matcher.count(data, number, self._table, self._last, self._forms, False)
            if day is not None:
                for place in np.flatnonzero(self._last == number).tolist():
                    self._by_day[self._rows[place], day] += 1
        for row, compiled in self._written:
            group = 1 if compiled.groups else 0
            found = [match.span(group) for match in compiled.finditer(body, overlapped=True)]
            found = [(start, end) for start, end in found if end > start]
            stands = [(_first(body, start), _last(body, end)) for start, end in found]
            lines = sum(first and last for first, last in stands)
            sides = [sum(column) for column in zip(*stands, strict=True)] or [0, 0]
            self._by_hand[row] += (len(found), bool(found), *sides, lines)
            if found and day is not None:
                self._by_day[row, day] += 1

    def _clean(self, body: str) -> tuple[Sequence[Span], int, int, bool]:
        """What is cut, characters, characters cut, and whether the guard left it whole."""
        if not self.pack.html:
            cleaned = self._cleaner.clean(body)
            if cleaned.spared:
                return self._cleaner.spans(body), len(body), 0, True
            return cleaned.removed, len(body), sum(span.end - span.start for span in cleaned.removed), False
        spans = self._cleaner.spans(body)
        size = len(page_text(body, ()))
        if self._config.clean.html == "strip":
            return spans, size, size - len(page_text(body, spans)), False
        cleaned = self._pages.clean(body)
        return _named(cleaned.removed, spans), size, max(size - len(cleaned.text), 0), False

    @cached_property
    def _pages(self) -> PageCleaner:
        return PageCleaner(self.pack.pages, self._config.clean)

    def _keep(self, document: Document, body: str, spans: Sequence[Span], share: float, spared: bool) -> None:
        """Samples that depend on the documents and not on their order: the least hashes, and the greatest shares."""
        digest = blake2b(f"{document.id}\x00{body}".encode("utf-8", "surrogatepass"), digest_size=8).digest()
        key = int.from_bytes(digest, "big")
        most = self._config.samples // 2
        row: _Kept = (document, body, spans, share, spared)
        # The number of the document settles what would otherwise compare documents; equal hashes are equal documents.
        _push(self._most, (share, key, self.documents, row), most)
        _push(self._least, (-key, self.documents, row), self._config.samples)

    def samples(self) -> Iterator[Sample]:
        """Those that lose most, then some of the others."""
        chosen = [kept for *_, kept in sorted(self._most, reverse=True)]
        chosen += [kept for *_, kept in sorted(self._least, reverse=True)]
        seen: set[tuple[str, str]] = set()
        for document, body, spans, share, spared in chosen:
            if (document.id, body) not in seen and len(seen) < self._config.samples:
                seen.add((document.id, body))
                parts = pieces(body, spans)
                yield Sample(
                    document=document,
                    pieces=tuple(_readable(parts) if self.pack.html else parts),
                    share=share,
                    spared=spared,
                )

    def seen(self) -> list[Seen]:
        """Each template of the pack, in its order."""
        table = self._by_hand.copy()
        table[self._rows] = self._table
        days: list[Counter[str]] = [Counter() for _ in self.pack.templates]
        for (row, day), number in self._by_day.items():
            days[row][day] = number
        out = []
        for row, (count, df, starts, ends, lines) in enumerate(table.tolist()):
            bits, bound = self._tightness(row, count)
            most = max(count, 1)
            shares = {"starts": starts / most, "ends": ends / most, "lines": lines / most}
            out.append(Seen(df=df, count=count, **shares, bits=bits, bound=bound, days=days[row]))
        return out

    def _tightness(self, row: int, count: int) -> tuple[float | None, float | None]:
        template = self.pack.templates[row]
        if template.tokens is None or not count:
            return None, None
        forms = self.pack.forms(template)
        counts: NDArray[np.float64] = np.maximum(self._forms[[self._vocabulary[form] for form in forms]], 1).astype(
            float
        )
        weights = np.array([0.5 if is_own_token(form) else 1.0 for form in forms])
        bits = float(np.sum(-np.log2(counts / max(int(self._forms[-1]), 1)) * weights))
        return bits, min(float(np.exp(np.log(count) - np.log(counts).mean())), 1.0)


def _push(heap: list[_Ranked], row: _Ranked, most: int) -> None:
    """Keep the greatest rows."""
    if len(heap) < most:
        heapq.heappush(heap, row)
    elif heap and row > heap[0]:
        heapq.heapreplace(heap, row)


def _first(text: str, start: int) -> bool:
    """Nothing but blanks stands before it in its line."""
    before = text[:start].rstrip(" \t")
    return not before or before[-1] in _BREAKS


def _last(text: str, end: int) -> bool:
    after = text[end:].lstrip(" \t\r")
    return not after or after[0] in _BREAKS


_BREAKS = "\n\u2028\u2029"


def _named(removed: Sequence[Span], templates: Sequence[Span]) -> list[Span]:
    """What the page model leaves out, with the templates that stand there."""
    return [
        Span(
            one.start,
            one.end,
            tuple(
                dict.fromkeys(
                    name
                    for other in templates
                    if other.start < one.end and other.end > one.start
                    for name in other.templates
                )
            ),
        )
        for one in removed
    ]


def _readable(parts: Iterator[Piece]) -> Iterator[Piece]:
    """Stretches of a page as their text; those without any, mark-up alone, are left out."""
    for part in parts:
        text = page_text(part.text, ())
        if text:
            yield Piece(part.start, text + "\n", part.templates)
