"""(pack, documents) -> the effect of the pack on them: one pass over an archive, in memory that does not grow with it.

Each document is cleaned once and counted once, by the automaton that cleans.  So the figures of a template are those of
the given archive, which may differ from the one it was mined from.
"""

from __future__ import annotations

import heapq
import sys
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from hashlib import blake2b
from itertools import groupby
from operator import itemgetter
from typing import TypeVar

import numpy as np

from templatemine.cleaning._records import find_doubtful
from templatemine.cleaning.regex_engine import ManualExpressions, Matches
from templatemine.cleaning.tally import TextSample
from templatemine.config import ReportConfig
from templatemine.model import Document, Span
from templatemine.packs.pack import Pack
from templatemine.report.explain import Explainer, Explanation
from templatemine.report.marks import TextPiece
from templatemine.report.rests import Shared, count_long
from templatemine.text.dates import day_or_text, settle_texts
from templatemine.text.expressions import EncodedText

_ExplainedDocument = tuple[Document, str, Explanation]
_Ranked = TypeVar("_Ranked", tuple[int, int, _ExplainedDocument], tuple[float, int, int, _ExplainedDocument])


@dataclass(frozen=True, slots=True, kw_only=True)
class TemplateFigures:
    """The figures of a template in an archive.

    Attributes
    ----------
    df, count : int
        Documents and occurrences.
    days : mapping of str to int
        Documents by day.
    """

    df: int
    count: int
    days: Counter[str]


@dataclass(frozen=True, slots=True, kw_only=True)
class Sample:
    """A document with its removed parts, their share of its characters, and whether it is a stub that is left whole."""

    document: Document
    pieces: tuple[TextPiece, ...]
    share: float
    whole: bool


class PackMeasurement:
    """The effect of one pack on the documents of its source; `add` them one by one.

    Attributes
    ----------
    documents, changed, stubs : int
        All, those that change, and those that are boilerplate nearly whole.
    torn : int
        Texts that change with a torn sentence, as `clean --check` counts them.
    other_kind : int
        Documents of another kind (HTML or text) than the pack; they count in nothing else.
    characters, cut : int
        Of all documents; for pages, characters of their text without mark-up.
    """

    def __init__(self, pack: Pack, config: ReportConfig) -> None:
        self.pack = pack
        self._config = config
        self.documents = self.other_kind = self.changed = self.stubs = self.characters = self.cut = 0
        self.torn = 0
        self._texts: Counter[str] = Counter()
        self._changed_texts: Counter[str] = Counter()
        self._explainer = Explainer(pack, config.clean)
        matcher, self._rows = pack.matcher()
        self._matcher = matcher
        size = len(pack.templates)
        self._last = np.full(len(self._rows), -1, np.int64)
        self._table = np.zeros((len(self._rows), 2), np.int64)
        self._written = ManualExpressions(pack)
        self._written_counts = np.zeros((size, 2), np.int64)
        self._by_text: Counter[tuple[int, str]] = Counter()
        self._lowest_hashes: list[tuple[int, int, _ExplainedDocument]] = []
        # Pages are large, and their main text is not cut by lines.
        self._looked = TextSample[Span](config.samples if pack.html else config.looked)
        self._largest_shares: list[tuple[float, int, int, _ExplainedDocument]] = []

    def add(self, document: Document) -> None:
        """Clean and count one more document.

        Raises
        ------
        CapacityError
            An expression by hand, or a pattern of the user's own, takes too long for it; it then counts in nothing.
        """
        body = self._explainer.body(document)
        if body is None:
            self.other_kind += 1
            return
        # All that may take too long comes before anything is counted.
        encoded = self.pack.encode(body)
        found, written = self._explainer.explain(body), self._written.matches(encoded.text)
        # Only all dates of the source tell the days of those that may read two ways.
        text = day_or_text(document.date)
        self._texts[text] += 1
        if self._rows:
            self._count_strings(encoded, text)
        self._count_written(written, text)
        self.documents += 1
        self.characters += found.size
        self.cut += 0 if found.whole else found.cut
        self.stubs += found.stub
        if not found.spans:
            if not self.pack.html and not found.stub:
                self._looked.add(body, ())
            return
        if not found.whole:
            self.changed += 1
            self._changed_texts[text] += 1
            self._looked.add(body, found.spans)
            self.torn += not self.pack.html and self._is_torn(body, found.spans)
        self._sample(document, body, found)

    def _is_torn(self, body: str, spans: Sequence[Span]) -> bool:
        cuts = find_doubtful(body, [(one.start, one.end) for one in spans], sys.maxsize)
        return any(self._explainer.is_torn(body, *cut) for cut in cuts)

    @property
    def days(self) -> Counter[str]:
        """Count the documents by day."""
        return self._by_settled_day(self._texts)

    @property
    def changed_days(self) -> Counter[str]:
        """Count the documents that change by day."""
        return self._by_settled_day(self._changed_texts)

    def _by_settled_day(self, counts: Counter[str]) -> Counter[str]:
        days, settled = Counter[str](), settle_texts(self._texts)
        for text, number in counts.items():
            if day := settled[text]:
                days[day] += number
        return days

    def _count_strings(self, encoded: EncodedText, text: str) -> None:
        number = self.documents
        self._matcher.count(encoded.data, number, self._table, self._last)
        for place in np.flatnonzero(self._last == number).tolist():
            self._by_text[self._rows[place], text] += 1

    def _count_written(self, matches: Matches, text: str) -> None:
        for row, found in groupby(matches, itemgetter(2)):
            self._written_counts[row] += (sum(1 for _ in found), 1)
            self._by_text[row, text] += 1

    def _sample(self, document: Document, body: str, found: Explanation) -> None:
        """Sample by the documents, not by their order: the least hashes, and the greatest shares."""
        digest = blake2b(f"{document.id}\x00{body}".encode("utf-8", "surrogatepass"), digest_size=8).digest()
        key = int.from_bytes(digest, "big")
        # The number of the document settles what would otherwise compare documents.
        kept = (document, body, found)
        if key not in (row[1] for row in self._largest_shares):  # as a copy of an article would be
            _push(self._largest_shares, (found.share, key, self.documents, kept), self._config.samples // 2)
        if -key not in (row[0] for row in self._lowest_hashes):
            _push(self._lowest_hashes, (-key, self.documents, kept), self._config.samples)

    def samples(self) -> Iterator[Sample]:
        """Yield the documents that lose most, then some of the others."""
        chosen = [kept for *_, kept in sorted(self._largest_shares, reverse=True)]
        chosen += [kept for *_, kept in sorted(self._lowest_hashes, reverse=True)]
        seen: set[tuple[str, str]] = set()
        for document, body, found in chosen:
            if (document.id, body) not in seen and len(seen) < self._config.samples:
                seen.add((document.id, body))
                parts = tuple(self._explainer.pieces(body, found))
                yield Sample(document=document, pieces=parts, share=found.share, whole=found.whole)

    def sampled_texts(self) -> list[tuple[str, Sequence[Span]]]:
        """Return some different texts that change and their cuts, those that `clean --check` looks at as well."""
        return self._looked.texts()

    def count_long(self) -> Shared:
        """Count the texts with long strings that others share, as `clean --check` does."""
        cuts = ((text, [(one.start, one.end) for one in spans]) for text, spans in self._looked.texts_of_all())
        return count_long([] if self.pack.html else cuts, self._explainer.find_all)

    def template_figures(self) -> list[TemplateFigures]:
        """Return the figures of each template of the pack, in its order."""
        table = self._written_counts.copy()
        table[self._rows] = self._table
        days: list[Counter[str]] = [Counter() for _ in self.pack.templates]
        settled = settle_texts(self._texts)
        for (row, text), number in self._by_text.items():
            if day := settled[text]:
                days[row][day] += number
        return [TemplateFigures(df=df, count=count, days=days[row]) for row, (count, df) in enumerate(table.tolist())]


def _push(heap: list[_Ranked], row: _Ranked, most: int) -> None:
    """Keep the greatest rows."""
    if len(heap) < most:
        heapq.heappush(heap, row)
    elif heap and row > heap[0]:
        heapq.heapreplace(heap, row)
