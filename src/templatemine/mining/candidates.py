"""What is kept of a source between the two maps: its candidates by columns, and where each was seen.

In comes what the stages found in one source, out go records that need no article and no index any more.  Memory grows
with the strings, and not with the documents.
"""

from __future__ import annotations

from array import array
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, fields, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from templatemine import _core
from templatemine.io.jsonl import encode_text
from templatemine.mining.cross_source import SourceRates
from templatemine.mining.features import Evidence, mostly_prose
from templatemine.mining.tokenise import Forms
from templatemine.model import Corpus, Index, PageHistory, Repeats
from templatemine.text import _scan
from templatemine.text.patterns import PatternSet

__all__ = [
    "RejectedCandidates",
    "SourceCandidates",
    "Strings",
    "inner",
    "parts",
    "rates_of",
    "strings_of",
    "within_prose",
]

_PROSE = 0.5
"""Least share of the words of a source in prose, for it to say what prose is."""
_ROWS = 4096
_STRETCHES = 1 << 20
"""Looked at at a time, by `inner`."""


@dataclass(frozen=True, kw_only=True)
class Strings:
    """Some strings of a source, by columns: string i is ``tokens[bounds[i]:bounds[i + 1]]``, ids in `names`."""

    tokens: NDArray[np.int32]
    bounds: NDArray[np.int64]
    names: Forms
    df: NDArray[np.int32]
    count: NDArray[np.int32]

    def __len__(self) -> int:
        return len(self.df)

    def ids(self, row: int) -> tuple[int, ...]:
        """Tokens of a string, places in `names`."""
        return tuple(self.tokens[self.bounds[row] : self.bounds[row + 1]].tolist())

    def readable(self, row: int, patterns: PatternSet) -> tuple[str, ...]:
        """Normalised tokens of a string as they are in a pack."""
        return tuple(patterns.readable(self.names[token]) for token in self.ids(row))

    def take(self, rows: NDArray[np.int64]) -> Strings:
        """Some of the strings."""
        first = self.bounds[rows]
        tokens, bounds = _core.stretches_i32(self.tokens, first, (self.bounds[rows + 1] - first).astype(np.int32))
        return replace(self, tokens=tokens, bounds=bounds, df=self.df[rows], count=self.count[rows])


@dataclass(frozen=True, kw_only=True)
class SourceCandidates:
    """All that is kept of one source between the two maps: strings and where each was seen, no article text.

    Attributes
    ----------
    hashes : uint64 array, shape (strings,)
        Equal for equal strings of all sources.
    rates : float32 array, shape (strings,)
        Occurrences a token of the source.
    document, first, last : int32 arrays, shape (strings,)
        One occurrence of each string: document and first and last token in it.
    evidence : Evidence or None
        For methods that ask for it.
    sample : int64 array or None
        Places of the documents that were mined, if only a sample was; `documents` counts them.
    pages : PageHistory or None
        For HTML.
    period : int32 array or None
        Documents of the time in which each string was seen, see `periods`; for methods that ask for evidence.
    copies : int
        Documents that were left out, as they are copies of others; `documents` does not count them.
    blank : int
        Documents without text; `documents` does not count them either, in methods that ask for evidence.
    before, after : int32 arrays or None
        For a sample: the token, a place in `strings.names`, that is always before (after) each string; -1 if there
        are several, as on both sides of all that is maximal.
    """

    source: str
    html: bool
    documents: int
    first_date: str | None
    last_date: str | None
    strings: Strings
    repeats: Repeats
    hashes: NDArray[np.uint64]
    rates: NDArray[np.float32]
    document: NDArray[np.int32]
    first: NDArray[np.int32]
    last: NDArray[np.int32]
    evidence: Evidence | None
    sample: NDArray[np.int64] | None = None
    pages: PageHistory | None = None
    period: NDArray[np.int32] | None = None
    copies: int = 0
    blank: int = 0
    before: NDArray[np.int32] | None = None
    after: NDArray[np.int32] | None = None

    def take(self, rows: NDArray[np.int64]) -> SourceCandidates:
        """The same of some of the strings."""
        columns = ("hashes", "rates", "document", "first", "last", "period", "before", "after")
        changed: dict[str, Any] = {name: getattr(self, name) for name in columns}
        changed = {name: None if column is None else column[rows] for name, column in changed.items()}
        if self.evidence is not None:
            kept = {one.name: getattr(self.evidence, one.name)[rows] for one in fields(Evidence)}
            changed["evidence"] = Evidence(**kept)
        return replace(self, strings=self.strings.take(rows), repeats=self.repeats.take(rows), **changed)


@dataclass(frozen=True, kw_only=True)
class RejectedCandidates:
    """Candidates that did not become templates, with the reason for each."""

    strings: Strings
    reasons: Sequence[str]
    reason_of: NDArray[np.int8]
    patterns: PatternSet

    def __len__(self) -> int:
        return len(self.strings)

    def json_lines(self) -> Iterator[bytes]:
        """Lines of JSON, many at a time: made natively, for there are a million of them in 100 MB of text."""
        names = _joined(encode_text(self.patterns.readable(name)) for name in self.strings.names)
        ends = _joined(b',"reason":' + encode_text(reason) + b"}\n" for reason in self.reasons)
        for part, reasons in self._pieces():
            yield _core.json_rows(part.tokens, part.bounds, *names, part.df, part.count, *ends, reasons)

    def _pieces(self) -> Iterator[tuple[Strings, NDArray[np.int8]]]:
        """Some thousand strings at a time and the reason of each, the most frequent first."""
        order = np.argsort(-self.strings.df.astype(np.int64), kind="stable")
        for start in range(0, len(order), _ROWS):
            rows = order[start : start + _ROWS]
            yield self.strings.take(rows), self.reason_of[rows]

    def __iter__(self) -> Iterator[tuple[tuple[str, ...], int, int, str]]:
        """(tokens, df, count, reason), most frequent first."""
        names = [self.patterns.readable(name) for name in self.strings.names]
        # Lists of all tokens would be several times the strings.
        for part, reasons in self._pieces():
            tokens, bounds = part.tokens.tolist(), part.bounds.tolist()
            columns = bounds[:-1], bounds[1:], part.df.tolist(), part.count.tolist(), reasons.tolist()
            for first, end, df, count, reason in zip(*columns, strict=True):
                yield tuple([names[token] for token in tokens[first:end]]), df, count, self.reasons[reason]


def _joined(parts: Iterable[bytes]) -> tuple[bytearray, NDArray[np.int64]]:
    """Some bytes one after the other, and where each begins and ends."""
    data, bounds = bytearray(), array("q", [0])
    for part in parts:
        data += part
        bounds.append(len(data))
    return data, np.frombuffer(bounds, np.int64)


def strings_of(
    corpus: Corpus, index: Index, repeats: Repeats, starts: NDArray[np.int64]
) -> tuple[Strings, NDArray[np.int32]]:
    """The tokens of all strings, without the rest of the source's vocabulary; and each symbol's place in it, or -1."""
    forms = corpus.form_names
    assert isinstance(forms, Forms)
    tokens, bounds = _core.stretches_i32(index.symbols, starts, repeats.length)
    tokens, used, number = _core.renumber(tokens, len(index.forms))
    chosen = index.forms[used]
    first = forms.offsets[chosen]
    names = Forms(*_core.stretches_u8(forms.arena, first, (forms.offsets[chosen + 1] - first).astype(np.int32)))
    return Strings(tokens=tokens, bounds=bounds, names=names, df=repeats.df, count=repeats.count), number


def within_prose(candidates: SourceCandidates) -> NDArray[np.float32]:
    """Which share of the occurrences of each string a source tells others to be within prose."""
    evidence = candidates.evidence
    if evidence is None:
        # Nothing is known of prose.
        return np.ones(len(candidates.hashes), np.float32)
    # The few long lines of lists are sign-up prompts as often as sentences: no witness of prose.  Of pages tags are
    # words, too.
    told = candidates.html or mostly_prose(evidence, candidates.repeats, _PROSE)
    return evidence.within if told else np.zeros_like(evidence.within)


def rates_of(candidates: SourceCandidates) -> SourceRates:
    """What the reduce asks of a source."""
    return SourceRates(candidates.hashes, candidates.rates, candidates.rates * within_prose(candidates))


def parts(
    candidates: SourceCandidates, rows: NDArray[np.int64], left: bool
) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Which strings of the source are a shorter beginning (or end) of some: (place in `rows`, row of the shorter)."""
    chosen = candidates.strings.take(rows)
    lengths = np.diff(chosen.bounds).astype(np.int64) - 1
    owner = np.repeat(np.arange(len(rows)), lengths)
    size = np.arange(len(owner)) - np.repeat(np.cumsum(lengths) - lengths, lengths) + 1
    start = chosen.bounds[owner] if left else chosen.bounds[owner + 1] - size
    names = _scan.form_hashes(chosen.names.arena, chosen.names.offsets)
    parts = _core.string_hashes(chosen.tokens, names, start, size.astype(np.int32))
    place = np.minimum(np.searchsorted(candidates.hashes, parts), max(0, len(candidates.hashes) - 1))
    known = candidates.hashes[place] == parts if len(parts) else np.empty(0, np.bool_)
    return owner[known], place[known]


def inner(
    candidates: SourceCandidates, rows: NDArray[np.int64], wanted: NDArray[np.int64]
) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Which of some `wanted` strings are within others, at neither end: (place in `rows`, row of the shorter).

    A stretch is looked at only if a wanted string has its length and its first token.
    """
    chosen, wanted = candidates.strings.take(rows), np.sort(wanted)  # hashes ascend with the rows
    names = _scan.form_hashes(chosen.names.arena, chosen.names.offsets)
    known, strings = candidates.hashes[wanted], candidates.strings
    first = strings.bounds[wanted]
    kinds = np.unique((strings.tokens[first].astype(np.int64) << 32) + strings.bounds[wanted + 1] - first)
    token = chosen.tokens.astype(np.int64) << 32
    left = np.repeat(chosen.bounds[1:], np.diff(chosen.bounds)) - np.arange(len(token))
    low = np.searchsorted(kinds, token)
    number = np.searchsorted(kinds, token + left) - low
    number[chosen.bounds[:-1]] = 0
    ends = np.cumsum(number)
    starts, found = [np.empty(0, np.int64)], [np.empty(0, np.int64)]
    for begin in range(0, int(number.sum()), _STRETCHES):
        stretch = np.arange(begin, min(begin + _STRETCHES, int(ends[-1])))
        start = np.searchsorted(ends, stretch, side="right")
        size = (kinds[low[start] + stretch - ends[start] + number[start]] & 0xFFFFFFFF).astype(np.int32)
        hashes = _core.string_hashes(chosen.tokens, names, start, size)
        place = np.minimum(np.searchsorted(known, hashes), len(known) - 1)
        same = known[place] == hashes
        starts.append(start[same])
        found.append(wanted[place[same]])
    return np.searchsorted(chosen.bounds, np.concatenate(starts), side="right") - 1, np.concatenate(found)
