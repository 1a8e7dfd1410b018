"""The candidates of a source by columns, and one occurrence of each: which pass from the first map to the second.

In come the strings that the stages found in one source, out go records that need no article and no index any more.
Memory grows with the strings, and not with the documents.
"""

from __future__ import annotations

import re
from array import array
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, fields, replace

import numpy as np
from numpy.typing import NDArray

from templatemine import _core
from templatemine.errors import counted
from templatemine.io.jsonl import encode_line, encode_text
from templatemine.mining.corpus import Corpus, Repeats, Vocabulary
from templatemine.model import IntArray, LongArray, PageHistory, RejectedCandidate
from templatemine.text.patterns import PatternSet
from templatemine.text.reading import ReadingRules

__all__ = [
    "CandidateStrings",
    "RejectedCandidates",
    "SourceCandidates",
    "Verdicts",
    "collect_strings",
]

_CHUNK = 4096

_PLAIN_JSON = re.compile(rb"[ !#-\[\]-z|~]*")
"""Forms that are JSON without escapes: no pattern, no brace, no quote, no backslash, nothing beyond ASCII."""


@dataclass(frozen=True, kw_only=True)
class CandidateStrings:
    """Some strings of a source, by columns: string i is ``tokens[bounds[i]:bounds[i + 1]]``, ids in `names`."""

    tokens: NDArray[np.int32]
    bounds: NDArray[np.int64]
    names: Vocabulary
    df: NDArray[np.int32]
    count: NDArray[np.int32]

    def __len__(self) -> int:
        return len(self.df)

    def ids(self, row: int) -> tuple[int, ...]:
        """Return the tokens of a string, places in `names`."""
        return tuple(self.tokens[self.bounds[row] : self.bounds[row + 1]].tolist())

    def readable(self, row: int, patterns: PatternSet) -> tuple[str, ...]:
        """Return the normalised tokens of a string as they are in a pack."""
        return tuple(patterns.readable(self.names[token]) for token in self.ids(row))

    def take(self, rows: NDArray[np.int64]) -> CandidateStrings:
        """Take some of the strings."""
        first = self.bounds[rows]
        tokens, bounds = _core.gather_slices_i32(self.tokens, first, (self.bounds[rows + 1] - first).astype(np.int32))
        return replace(self, tokens=tokens, bounds=bounds, df=self.df[rows], count=self.count[rows])


@dataclass(frozen=True, kw_only=True)
class Verdicts:
    """The decisions by scores, a row for each candidate.

    Attributes
    ----------
    kind : int8 array
        Place in `labels.KINDS`.
    score, filler : float32 arrays
        How likely it is boilerplate, and, of a label, how likely the filler of its line is; 0 of segments.
    anchor : int8 array
        The edges of its line that it must be at, as bits of `_scan`.
    slot : bool array
        Whether the rest of the line goes with it.
    names : bool array
        Whether it does so only where it is names.
    reason_of : int8 array
        Place in `select.REASONS`; 0 for templates.
    score_reasons : int64 array
        What `score_reasons.explain_scores` says of templates; 0 of others.
    sense : int8 array
        Of templates, and of what may be asked about, the kind of boilerplate: a place in `kinds.KINDS`; -1 of others.
    stake : float32 array
        Characters of the archive about which a person is expected to decide otherwise, if asked (`questions`).
    """

    kind: NDArray[np.int8]
    score: NDArray[np.float32]
    filler: NDArray[np.float32]
    anchor: NDArray[np.int8]
    slot: NDArray[np.bool_]
    names: NDArray[np.bool_]
    reason_of: NDArray[np.int8]
    score_reasons: NDArray[np.int64]
    sense: NDArray[np.int8]
    stake: NDArray[np.float32]

    def take(self, rows: NDArray[np.int64]) -> Verdicts:
        """Take some of the rows."""
        return Verdicts(**{column.name: getattr(self, column.name)[rows] for column in fields(Verdicts)})


@dataclass(frozen=True, kw_only=True)
class SourceCandidates:
    """All that is kept of one source between the two maps: strings and where each was seen, no article text.

    Attributes
    ----------
    hashes : uint64 array, shape (strings,)
        Equal for equal strings of all sources.
    document, first, last : int32 arrays, shape (strings,)
        One occurrence of each string: document and first and last token in it.
    verdicts : Verdicts or None
        What scores decided of them; None for methods that cut a histogram, which see other sources first.
    sample : int64 array or None
        Places of the documents that were mined, if only a sample was; `documents` counts them.
    pages : PageHistory or None
        For HTML.
    rules : ReadingRules or None
        How its texts are read; None for HTML.
    copies : int
        Documents that were left out, as they are copies of others; `documents` does not count them.
    blank : int
        Documents without text; `documents` does not count them either, in the method that scores.
    """

    source: str
    html: bool
    documents: int
    first_date: str | None
    last_date: str | None
    strings: CandidateStrings
    repeats: Repeats
    hashes: NDArray[np.uint64]
    document: NDArray[np.int32]
    first: NDArray[np.int32]
    last: NDArray[np.int32]
    verdicts: Verdicts | None = None
    sample: NDArray[np.int64] | None = None
    pages: PageHistory | None = None
    rules: ReadingRules | None = None
    copies: int = 0
    blank: int = 0


@dataclass(frozen=True, kw_only=True)
class RejectedCandidates:
    """Candidates that did not become templates, with the reason for each."""

    strings: CandidateStrings
    reasons: Sequence[str]
    reason_of: NDArray[np.int8]
    patterns: PatternSet
    nearness: NDArray[np.float32] | None = None
    """Sort key of each, if scores decided: the nearest to a template is the greatest."""
    nearest: Sequence[RejectedCandidate] = ()
    covered: Sequence[RejectedCandidate] = ()
    """Templates that were taken away again (`withdrawals`): before all strings, and behind them."""

    def __len__(self) -> int:
        return len(self.nearest) + len(self.strings) + len(self.covered)

    def __repr__(self) -> str:
        return f"<RejectedCandidates: {counted(len(self), 'string')}>"

    def json_lines(self) -> Iterator[bytes]:
        """Yield lines of JSON, many at a time, the nearest to being templates first.  They are made natively, for
        there are a million candidates in 100 MB of text."""
        yield from (encode_line(one.as_dict()) for one in self.nearest)
        is_plain, readable = _PLAIN_JSON.fullmatch, self.patterns.readable
        names = _join_bytes(
            b'"%b"' % name if is_plain(name) else encode_text(readable(name)) for name in self.strings.names
        )
        ends = _join_bytes(b',"reason":' + encode_text(reason) + b"}\n" for reason in self.reasons)
        for batch, reasons in self._batches():
            yield _core.format_json_rows(batch.tokens, batch.bounds, *names, batch.df, batch.count, *ends, reasons)
        yield from (encode_line(one.as_dict()) for one in self.covered)

    def _batches(self) -> Iterator[tuple[CandidateStrings, NDArray[np.int8]]]:
        """Yield batches of strings with the reason of each, the nearest first, or the most frequent."""
        order = np.argsort(-self.strings.df.astype(np.int64), kind="stable")
        if self.nearness is not None:
            order = order[np.argsort(-self.nearness[order], kind="stable")]
        for start in range(0, len(order), _CHUNK):
            rows = order[start : start + _CHUNK]
            yield self.strings.take(rows), self.reason_of[rows]

    def __iter__(self) -> Iterator[RejectedCandidate]:
        """Yield candidates in the order of `json_lines`."""
        yield from self.nearest
        names = [self.patterns.readable(name) for name in self.strings.names]
        # Lists of all tokens would be several times the strings.
        for batch, reasons in self._batches():
            tokens, bounds = batch.tokens.tolist(), batch.bounds.tolist()
            columns = bounds[:-1], bounds[1:], batch.df.tolist(), batch.count.tolist(), reasons.tolist()
            for first, end, df, count, reason in zip(*columns, strict=True):
                said = tuple([names[token] for token in tokens[first:end]])
                yield RejectedCandidate(said, df, count, self.reasons[reason])
        yield from self.covered


def _join_bytes(parts: Iterable[bytes]) -> tuple[bytearray, NDArray[np.int64]]:
    """Join the parts in one buffer, and return the bounds of each."""
    data, bounds = bytearray(), array("q", [0])
    for part in parts:
        data += part
        bounds.append(len(data))
    return data, np.frombuffer(bounds, np.int64)


def collect_strings(
    corpus: Corpus, form_of: IntArray, symbols: IntArray, starts: LongArray, repeats: Repeats
) -> CandidateStrings:
    """Collect the tokens of all strings, without the rest of the source's vocabulary.

    Parameters
    ----------
    form_of : int32 array
        Form of each symbol.
    symbols, starts : int32 and int64 arrays
        A text of these, and where in it one occurrence of each string begins.
    """
    forms = corpus.form_names
    tokens, bounds = _core.gather_slices_i32(symbols, starts, repeats.length)
    is_used = np.zeros(len(form_of), np.bool_)
    is_used[tokens] = True
    tokens = (np.cumsum(is_used, dtype=np.int32) - 1)[tokens]
    form_ids = form_of[is_used]
    first = forms.offsets[form_ids]
    names = Vocabulary(
        *_core.gather_slices_u8(forms.arena, first, (forms.offsets[form_ids + 1] - first).astype(np.int32))
    )
    return CandidateStrings(tokens=tokens, bounds=bounds, names=names, df=repeats.df, count=repeats.count)
