"""Slow twins of what the native core says of the candidates of a source: columns of numpy, one feature after the other.

These are what mining did before it had kernels for it; a property holds the two together to the last bit.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

import numpy as np
from numpy.typing import NDArray

import reference
from templatemine.mining.corpus import Corpus
from templatemine.mining.features import FEATURES, _date_ranks
from templatemine.mining.labels import MIN_REPEAT_DF, PREFIX, SEGMENT, Candidates
from templatemine.mining.segments import (
    CAPITAL,
    CLOSES,
    COLON,
    FIGURE,
    MUTABLE,
    OWN,
    SENTENCE,
    SMALL,
    VALUE,
    Segments,
)
from templatemine.model import IntArray, LongArray

__all__ = ["Table", "describe", "labels", "number_hashes", "find_repeated_segments", "sketch_segments"]

Column = NDArray[np.float64]

_HEAD = 12
_NEAR = 3
_TENTHS = 10
_MULTIPLIER = 0x9E3779B97F4A7C15


# ----------------------------------------------------------------------------------------------------------- candidates


def number_hashes(hashes: NDArray[np.uint64], document: IntArray) -> tuple[LongArray, IntArray]:
    """A number for each different hash, in ascending order, and the documents that hold it, which ascend."""
    order = np.argsort(hashes, kind="stable")
    ordered = hashes[order]
    new = np.ones(len(order), np.bool_)
    new[1:] = ordered[1:] != ordered[:-1]
    number = np.cumsum(new) - 1
    string = np.empty(len(order), np.int64)
    string[order] = number
    own = document[order]
    new[1:] |= own[1:] != own[:-1]
    return string, np.bincount(number[new]).astype(np.int32)


def sketch_segments(tokens: IntArray, lengths: IntArray, df: IntArray, max_df: int, size: int, most: int) -> list[int]:
    """The least hashes of the strings of so many tokens in those segments that few documents have."""
    own = [
        token for token, keep in zip(tokens.tolist(), np.repeat(df <= max_df, lengths).tolist(), strict=True) if keep
    ]
    hashes = []
    for end in range(size, len(own) + 1):
        string_hash = 0
        for token in reversed(own[end - size : end]):
            string_hash = (string_hash * _MULTIPLIER + token) % 2**64
        string_hash = string_hash * _MULTIPLIER % 2**64
        hashes.append((string_hash ^ string_hash >> 29) * _MULTIPLIER % 2**64)
    limit = 2 * most * ((2**64 - 1) // len(hashes)) if len(hashes) > 4 * most else 2**64
    return sorted({one for one in hashes if one < limit})[:most]


class _Runs:
    """Segments by some key: each stretch of equal ones, in which segments ascend."""

    def __init__(self, key: LongArray, segment: LongArray, document: IntArray) -> None:
        order = np.argsort(key, kind="stable")
        ordered = key[order]
        new = np.ones(len(key), np.bool_)
        new[1:] = ordered[1:] != ordered[:-1]
        first = np.flatnonzero(new)
        self.segment = segment[order]
        self.bounds = np.append(first, len(key))
        self.size = np.diff(self.bounds)
        self.key = ordered[first]
        self.number = np.cumsum(new) - 1
        own = document[self.segment]
        new[1:] |= own[1:] != own[:-1]
        self.df = np.bincount(self.number[new], minlength=len(first)).astype(np.int32)

    def take(self, rows: LongArray) -> tuple[LongArray, LongArray]:
        """The segments of some stretches one after the other, and where each stretch begins."""
        size = self.size[rows]
        bounds = _bounds(size)
        return self.segment[np.repeat(self.bounds[rows] - bounds[:-1], size) + np.arange(bounds[-1])], bounds


def _bounds(sizes: LongArray) -> LongArray:
    return np.concatenate([np.zeros(1, np.int64), np.cumsum(sizes, dtype=np.int64)])


def ends_line(segments: Segments) -> NDArray[np.bool_]:
    """Which segments are before one that begins a line, or the last."""
    return np.append(segments.begins_line[1:], np.ones(min(1, len(segments)), np.bool_))


def find_repeated_segments(segments: Segments, least: int) -> Candidates:
    """Segments that repeat, those that are alone on their line apart from the others."""
    alone = segments.begins_line & ends_line(segments)
    able = np.flatnonzero(segments.string_df >= least)
    runs = _Runs(2 * segments.string[able] + alone[able], able, segments.document)
    rows = np.flatnonzero(runs.df >= least)
    segment, bounds = runs.take(rows)
    return Candidates(
        kind=SEGMENT,
        segment=segment,
        bounds=bounds,
        length=segments.length[segment[bounds[:-1]]],
        df=runs.df[rows],
        longer=np.zeros(len(rows), np.float32),
        shorter=np.ones(len(rows), np.float32),
    )


def labels(segments: Segments, kind: str, longest: int, least: int, share: float) -> Candidates:
    """What segments that do not repeat begin (end) with, the shortest first."""
    symbols = np.int64(len(segments.traits) + 1)
    single = np.flatnonzero((segments.string_df < MIN_REPEAT_DF) & (segments.length > 1))
    among = np.full(1, len(single))
    parent = np.zeros(len(single), np.int64)
    runs: _Runs | None = None
    parts: list[Candidates] = []
    shorter = np.zeros(0, np.int64)
    for size in range(1, longest + 2):
        if runs is not None and not len(single):  # nothing is any longer
            parts.append(_maximal(kind, size - 1, runs, shorter, (single, single), least, share))
            break
        edge = segments.bounds[single] + size - 1 if kind == PREFIX else segments.bounds[single + 1] - size
        grown = _Runs(parent * symbols + segments.tokens[edge], single, segments.document)
        owner = grown.key // symbols
        if runs is not None:
            parts.append(_maximal(kind, size - 1, runs, shorter, (owner, grown.size), least, share))
        shorter, among, runs = among[owner], grown.size, grown
        # A label has something beside it; one that is a token too long is asked of the others only.
        able = (grown.size >= least)[grown.number] & (segments.length[grown.segment] > min(size + 1, longest))
        single, parent = grown.segment[able], grown.number[able]
    columns = {
        name: np.concatenate([getattr(one, name) for one in parts])
        for name in ("segment", "length", "df", "longer", "shorter")
    }
    sizes = np.concatenate([one.count for one in parts])
    return Candidates(kind=kind, bounds=_bounds(sizes), **columns)


def _maximal(
    kind: str, size: int, runs: _Runs, shorter: LongArray, longer: tuple[LongArray, LongArray], least: int, share: float
) -> Candidates:
    """The labels of one length that are in enough documents, and of which no longer one has nearly all occurrences.

    Parameters
    ----------
    shorter : int64 array
        Occurrences of each without its last token.
    longer : (int64 array, int64 array)
        Of those with one token more, which of `runs` it begins with, and its occurrences.
    """
    most = np.zeros(len(runs.size), np.int64)
    np.maximum.at(most, *longer)
    rows = np.flatnonzero((runs.df >= least) & (most < share * runs.size))
    segment, bounds = runs.take(rows)
    return Candidates(
        kind=kind,
        segment=segment,
        bounds=bounds,
        length=np.full(len(rows), size, np.int32),
        df=runs.df[rows],
        longer=(most / runs.size)[rows].astype(np.float32),
        shorter=(runs.size / np.maximum(1, shorter))[rows].astype(np.float32),
    )


# ------------------------------------------------------------------------------------------------------------- features


def _sums(tokens: IntArray, values: Column, starts: LongArray, lengths: NDArray[Any]) -> Column:
    """Sums over the tokens of strings of some values by symbol, from left to right."""
    out = np.zeros((len(starts), values.shape[1]))
    for row, (start, length) in enumerate(zip(starts.tolist(), lengths.tolist(), strict=True)):
        for token in tokens[start : start + length].tolist():
            out[row] += values[token]
    return out


@dataclass(frozen=True, kw_only=True)
class Table:
    """What the features of all kinds have in common, computed once a source."""

    segments: Segments
    counts: LongArray
    form_sums: NDArray[np.float64]
    segment_sums: NDArray[np.float64]
    odd_first: NDArray[np.bool_]
    low: LongArray
    high: LongArray
    documents: int

    @staticmethod
    def of(corpus: Corpus, segments: Segments, dates: Sequence[str | None]) -> Table:
        """Parameters are of one source; `dates` are those of the documents of the corpus."""
        forms = corpus.form_names
        counts = np.maximum(corpus.counts, 1)
        traits = corpus.traits
        size = np.diff(forms.offsets)
        total = max(1, len(segments.tokens))
        form_sums = np.stack(
            [-np.log2(counts / total), size, *(traits & bit > 0 for bit in (CAPITAL, MUTABLE, FIGURE, SMALL, OWN))],
            axis=1,
        ).astype(np.float64)
        first = np.zeros(len(size), np.uint8)
        first[size > 0] = forms.arena[forms.offsets[:-1][size > 0]]
        low, high = _date_ranks(dates)
        return Table(
            segments=segments,
            counts=counts,
            form_sums=form_sums,
            segment_sums=_sums(segments.tokens, form_sums, segments.bounds[:-1], segments.length),
            odd_first=np.isin(first, np.frombuffer(b",.;:)!?'", np.uint8)),
            low=low,
            high=high,
            documents=corpus.documents,
        )


SIGNS = ("dashed", "upper", "letters", "unclosed", "addresses", "mails", "handles", "times", "rights")


def native_features(kind: str) -> list[str]:
    """Those that `_candidates.FeatureExtractor` computes: all but what cues and signs say, which have tests of their own."""
    return [name for name in FEATURES[kind] if not name.startswith("cue_") and name not in SIGNS]


def describe(table: Table, candidates: Candidates) -> NDArray[np.float32]:
    """The features of all candidates of one kind: float32 array, shape (candidates, features)."""
    names = native_features(candidates.kind)
    out = np.zeros((len(candidates), len(names)), np.float32)
    if len(candidates):
        place = {name: number for number, name in enumerate(names)}
        one = _Kind(table, candidates)
        groups = [one.counts(), one.places(), one.neighbours(), one.words()]
        groups += [one.whole()] if candidates.kind == SEGMENT else [one.label(), one.filler()]
        for group in groups:
            for name, column in group:
                out[:, place[name]] = column
    return out


Columns = Iterator[tuple[str, NDArray[Any]]]


class _Kind:
    """The candidates of one kind, and the tokens of their occurrences."""

    def __init__(self, table: Table, candidates: Candidates) -> None:
        self.table, self.candidates = table, candidates
        self.segments = segments = table.segments
        self.seg = candidates.segment
        self.first = candidates.first
        self.n = candidates.count
        self.documents = table.documents
        self.length = candidates.length.astype(np.int64)
        self.owner = np.repeat(np.arange(len(candidates)), self.n)
        self.begin = candidates.starts(segments, self.seg, self.length[self.owner])
        self.one = self.begin[candidates.bounds[:-1]]

    def mean(self, column: NDArray[np.generic]) -> Column:
        """Of a column over occurrences, the mean of each candidate."""
        sums: Column = np.add.reduceat(column.astype(np.float64, copy=False), self.candidates.bounds[:-1])
        return sums / self.n

    def of(self, column: NDArray[np.generic]) -> Column:
        """`mean` of a column over segments."""
        return self.mean(column[self.seg])

    def deviation(self, column: Column, mean: Column) -> Column:
        """Standard deviation of a column over occurrences."""
        return np.sqrt(np.maximum(0, self.mean(column**2) - mean**2))

    def commonest(self, values: LongArray) -> tuple[Column, Column]:
        """Of non-negative values over occurrences: share of the most frequent one, and different ones an occurrence."""
        width = np.int64(values.max(initial=0)) + 1
        keys = np.sort(self.owner * width + values)
        new = np.flatnonzero(np.append(True, keys[1:] != keys[:-1]))
        size, owner = np.diff(np.append(new, len(keys))), keys[new] // width
        begins = np.searchsorted(owner, np.arange(len(self.n)))
        return np.maximum.reduceat(size, begins) / self.n, np.diff(np.append(begins, len(owner))) / self.n

    def counts(self) -> Columns:
        """How many documents have it, and when."""
        df, table = self.candidates.df, self.table
        yield "documents", np.log2(df)
        yield "share", np.log2(df / self.documents)
        yield "each", np.log2(self.n / df)
        document = self.segments.document[self.seg]
        bounds = self.candidates.bounds[:-1]
        low = np.minimum.reduceat(table.low[document], bounds)
        span = np.maximum(np.maximum.reduceat(table.high[document], bounds) - low, 1)
        yield "span", span / self.documents
        yield "dense", np.log2(df / span)
        middle = (table.low + table.high)[document] * _TENTHS // (2 * self.documents)
        yield "busiest", self.commonest(middle)[0]

    def places(self) -> Columns:
        """Where in its line and its document it is."""
        s = self.segments
        count = len(s)
        begins = np.flatnonzero(s.begins_line)
        line = np.cumsum(s.begins_line) - 1
        line_tokens = np.diff(np.append(s.bounds[begins], s.bounds[-1]))[line]
        starts = np.searchsorted(s.document, np.arange(self.documents))
        ends = np.searchsorted(s.document, np.arange(self.documents), side="right") - 1
        number = np.arange(count)
        start, end = number - starts[s.document], ends[s.document] - number
        size = np.maximum(1, np.diff(s.doc_tokens))[s.document]
        position = (s.bounds[:-1] - s.doc_tokens[s.document]) / size
        yield "alone", self.of(s.begins_line & ends_line(s))
        yield "begins", self.of(s.begins_line)
        yield "ends", self.of(ends_line(s))
        mean = self.of(position)
        yield "position", mean
        yield "position_sd", self.deviation(position[self.seg], mean)
        yield "edge", self.of(np.minimum(position, 1 - position))
        yield "from_start", self.of(np.log2(1 + start))
        yield "from_end", self.of(np.log2(1 + end))
        yield "first", self.of(start == 0)
        yield "last", self.of(end == 0)
        yield "near", self.of(np.minimum(start, end) < _NEAR)
        yield "segment", self.of(np.log2(s.length))
        yield "line", self.of(np.log2(line_tokens))

    def neighbours(self) -> Columns:
        """What the segments before and behind it are."""
        s = self.segments
        seg, count = self.seg, len(s)
        before, after = np.maximum(seg - 1, 0), np.minimum(seg + 1, count - 1)
        has_before = (seg > 0) & (s.document[before] == s.document[seg])
        has_after = (seg + 1 < count) & (s.document[after] == s.document[seg])
        before_df, after_df = np.where(has_before, s.string_df[before], 0), np.where(has_after, s.string_df[after], 0)
        full = np.log2(self.documents + 1)
        yield "before_df", self.mean(np.where(has_before, np.log2(np.maximum(before_df, 1)) / full, 1))
        yield "after_df", self.mean(np.where(has_after, np.log2(np.maximum(after_df, 1)) / full, 1))
        yield "before_repeats", self.mean((before_df >= MIN_REPEAT_DF) | ~has_before)
        yield "after_repeats", self.mean((after_df >= MIN_REPEAT_DF) | ~has_after)
        yield "beside", self.mean((before_df >= MIN_REPEAT_DF) | (after_df >= MIN_REPEAT_DF))
        yield "in_prose", self.mean(has_before & has_after & (before_df < MIN_REPEAT_DF) & (after_df < MIN_REPEAT_DF))
        yield "before_same", self.commonest(np.where(has_before, s.string[before] + 1, 0))[0]
        yield "after_same", self.commonest(np.where(has_after, s.string[after] + 1, 0))[0]
        yield "before_tokens", self.mean(np.where(has_before, np.log2(s.length[before]), 0))
        yield "after_tokens", self.mean(np.where(has_after, np.log2(s.length[after]), 0))
        last, first = s.traits[s.tokens[s.bounds[1:] - 1]], s.tokens[s.bounds[:-1]]
        closes = last & (SENTENCE | CLOSES) > 0
        yield "closed", self.of(closes)
        open_before = has_before & ~(closes[before] | (last[before] & COLON > 0))
        goes_on = has_after & ((s.traits[first[after]] & SMALL > 0) | self.table.odd_first[first[after]])
        yield "before_closed", self.mean(~has_before | closes[before])
        yield "before_open", self.mean(open_before)
        yield "goes_on", self.mean(goes_on)
        yield "torn", self.mean(goes_on & open_before)

    def words(self) -> Columns:
        """What it is made of; the same at each of its occurrences."""
        s, table = self.segments, self.table
        tokens = np.maximum(1, self.length)
        sums = _sums(s.tokens, table.form_sums, self.one, self.candidates.length)
        self.own_sums = sums
        yield "tokens", np.log2(tokens)
        yield "characters", np.log2(1 + sums[:, 1])
        yield "information", np.log2(1 + sums[:, 0])
        yield "bits", sums[:, 0] / tokens
        for place, name in enumerate(("capitals", "mutable", "figures", "small", "script"), 2):
            yield name, sums[:, place] / tokens
        first, last = s.traits[s.tokens[self.one]], s.traits[s.tokens[self.one + self.length - 1]]
        yield "small_first", first & SMALL > 0
        yield "capital_first", first & CAPITAL > 0
        yield "colon_last", last & COLON > 0
        yield "closed_last", last & (CLOSES | SENTENCE) > 0
        yield "sentence_last", last & SENTENCE > 0
        head = np.minimum(tokens, _HEAD) if self.candidates.kind == SEGMENT else tokens
        strings = [s.tokens[one : one + size].tolist() for one, size in zip(self.one, head, strict=True)]
        documents = [s.tokens[one:end].tolist() for one, end in pairwise(s.doc_tokens.tolist())]
        anywhere = np.array(reference.counted(documents, strings), np.int64)
        count = self.n
        if self.candidates.kind == SEGMENT:
            count = np.bincount(s.string)[s.string[self.first]]
        yield "own", np.minimum(1, count / np.maximum(1, anywhere))

    def whole(self) -> Columns:
        """Of segments alone."""
        yield "string_share", np.log2(self.segments.string_df[self.first] / self.documents)

    def label(self) -> Columns:
        """How a label stands among others, and beside which tokens."""
        c, s, table = self.candidates, self.segments, self.table
        prefix = c.kind == PREFIX
        yield "longer", c.longer
        yield "shorter", c.shorter
        beside = s.tokens[self.begin + self.length[self.owner] if prefix else self.begin - 1]
        yield from zip(("same_beside", "kinds_beside"), self.commonest(beside.astype(np.int64)), strict=True)
        traits = s.traits[beside]
        yield "capital_beside", self.mean(traits & (CAPITAL | VALUE) > 0)
        yield "small_beside", self.mean(traits & SMALL > 0)
        yield "mutable_beside", self.mean(traits & MUTABLE > 0)
        edge = table.counts[s.tokens[self.one + self.length - 1 if prefix else self.one]]
        yield "edge_own", np.minimum(1, self.n / edge)
        lift = np.log2(np.maximum(1e-9, c.shorter) / (edge / max(1, len(s.tokens))))
        yield "lift", np.where(self.length > 1, lift, 20.0)

    def filler(self) -> Columns:
        """What fills the rest of the segment, and of the line."""
        c, s, seg = self.candidates, self.segments, self.seg
        prefix = c.kind == PREFIX
        sums, own = self.table.segment_sums, self.own_sums
        tokens = (s.length[seg] - self.length[self.owner]).astype(np.float64)
        fill = np.log2(tokens)
        mean = self.mean(fill)
        yield "fill", mean
        yield "fill_sd", self.deviation(fill, mean)
        yield "fill_characters", self.mean(np.log2(1 + sums[seg, 1] - own[self.owner, 1]))
        yield "fill_capitals", self.mean((sums[seg, 2] - own[self.owner, 2]) / tokens)
        yield "fill_mutable", self.mean((sums[seg, 3] - own[self.owner, 3]) / tokens)
        line = np.cumsum(s.begins_line) - 1
        begins = np.flatnonzero(s.begins_line)
        ends = np.append(begins[1:], len(s))
        low, high = (seg, ends[line[seg]]) if prefix else (begins[line[seg]], seg + 1)
        # Sums over the segments from this one to the edge of the line.
        added = [np.concatenate([np.zeros(1), np.cumsum(column)]) for column in (sums[:, 1], sums[:, 2], s.length)]
        ink, capitals, number = (
            one[high] - one[low] - less
            for one, less in zip(added, (own[self.owner, 1], own[self.owner, 2], self.length[self.owner]), strict=True)
        )
        rest = np.log2(1 + ink)
        mean = self.mean(rest)
        yield "rest", mean
        yield "rest_sd", self.deviation(rest, mean)
        yield "rest_capitals", self.mean(capitals / np.maximum(1, number))
        ended = s.traits[s.tokens[s.bounds[high] - 1]] & SENTENCE > 0 if prefix else s.begins_line[seg]
        yield "rest_closed", self.mean(ended)
        yield "rest_segments", self.mean(np.log2(high - low))
