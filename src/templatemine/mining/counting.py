"""Strings of a source, counted in all of its documents as cleaning would find them, with the fillers of their slots.

A source that was mined from a sample (`sampling`) has the counts of what became a template from here, and every source
what its slots take.  One pass over the documents at the speed of cleaning; memory does not grow with them.  The answers
of parts of the documents add up, wherever these are.
"""

from __future__ import annotations

from array import array
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from itertools import islice

import numpy as np
from numpy.typing import NDArray

from templatemine.matching import _automaton
from templatemine.mining.candidates import SourceCandidates
from templatemine.mining.methods import ResolvedConfig
from templatemine.mining.near_duplicates import is_blank
from templatemine.mining.slot_types import FillerReader, Fillers, Slot
from templatemine.mining.tokenise import document_input
from templatemine.model import Document
from templatemine.text.dates import Calendar, covered_days
from templatemine.text.expressions import ANCHORS
from templatemine.text.reading import ReadingRules

BATCH_SIZE = 64
"""Documents that are searched at a time."""


@dataclass(frozen=True, kw_only=True)
class Matches:
    """The matches of a `MatchQuery` in some documents; those of disjoint documents add up.

    Attributes
    ----------
    count, df : int64 arrays, shape (strings,)
        Occurrences and documents.
    documents, blank : int
        Documents with text, and without.
    days : Counter of str
        How many have each day as their date.
    fillers : Fillers
    """

    count: NDArray[np.int64]
    df: NDArray[np.int64]
    documents: int
    blank: int
    days: Counter[str]
    fillers: Fillers

    def __add__(self, other: Matches) -> Matches:
        return Matches(
            count=self.count + other.count,
            df=self.df + other.df,
            documents=self.documents + other.documents,
            blank=self.blank + other.blank,
            days=self.days + other.days,
            fillers=self.fillers + other.fillers,
        )


@dataclass(frozen=True, kw_only=True)
class MatchQuery:
    """Strings of a source to be counted in all of its documents, and slots whose fillers are asked for.

    Attributes
    ----------
    rows : int64 array, shape (strings,)
        Their places among the candidates of the source.
    html : bool
    rules : ReadingRules or None
        How texts are read; None for pages.
    strings : sequence of (forms, anchor)
        Normalised tokens, and where in a line they count.
    slots : sequence of Slot
    """

    rows: NDArray[np.int64]
    html: bool
    rules: ReadingRules | None
    strings: Sequence[tuple[Sequence[bytes], str]]
    slots: Sequence[Slot] = ()

    def answer(self, documents: Iterable[Document], options: ResolvedConfig) -> Matches:
        """Count the matches in some documents of the source."""
        patterns, separators = options.patterns, options.tokenise.separators
        matcher = self._matcher(options)
        totals = np.zeros((len(self.strings), 2), np.int64)
        last_document = np.full(len(self.strings), -1, np.int64)
        reader = FillerReader(self.slots, patterns, separators)
        searched, blank, calendar = 0, 0, Calendar()
        remaining = iter(documents)
        while batch := list(islice(remaining, BATCH_SIZE)):
            filled = [document for document in batch if not (options.way.learned and is_blank(document))]
            blank += len(batch) - len(filled)
            for document in filled:
                calendar.add(document.date)
            if matcher is not None or self.slots:
                texts = [document_input(document, patterns, separators, self.rules) for document in filled]
                if matcher is not None:
                    for number, text in enumerate(texts, searched):
                        data = text.encode("utf-8", "surrogatepass") if isinstance(text, str) else text
                        matcher.count(data, number, totals, last_document)
                reader.add(texts)
            searched += len(filled)
        return Matches(
            count=totals[:, 0],
            df=totals[:, 1],
            documents=searched,
            blank=blank,
            days=calendar.counts(),
            fillers=reader.fillers(),
        )

    def _matcher(self, options: ResolvedConfig) -> _automaton.Matcher | None:
        if not self.strings:
            return None
        vocabulary: dict[bytes, int] = {}
        flat, bounds, edges = array("i"), array("q", [0]), bytearray()
        for forms, anchor in self.strings:
            flat.extend([vocabulary.setdefault(form, len(vocabulary)) for form in forms])
            bounds.append(len(flat))
            edges.append(ANCHORS[anchor])
        arguments = options.patterns.scanner_arguments(options.tokenise.separators, self.html)
        return _automaton.Matcher(*arguments, list(vocabulary), flat, bounds, bytes(edges))


def apply_counts(candidates: SourceCandidates, query: MatchQuery, matches: Matches) -> SourceCandidates:
    """Replace the counts of some candidates by those over all documents, and scale those of the others up."""
    rows = query.rows
    scale = matches.documents / max(1, candidates.documents)
    df = np.minimum(np.rint(candidates.repeats.df * scale), matches.documents).astype(np.int32)
    count = np.rint(candidates.repeats.count * scale).astype(np.int32)
    df[rows], count[rows] = matches.df, matches.count
    dates = covered_days(matches.days)
    return replace(
        candidates,
        documents=matches.documents,
        blank=matches.blank,
        first_date=dates[0] if dates else None,
        last_date=dates[-1] if dates else None,
        repeats=replace(candidates.repeats, df=df, count=count),
        strings=replace(candidates.strings, df=df, count=count),
        copies=0,
    )
