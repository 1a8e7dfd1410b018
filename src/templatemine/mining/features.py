"""Candidates -> features: measurements of each, from its own source alone.

Nothing here depends on what language a source is in, or on how many documents it has but for their number itself:
shares, means over occurrences, logarithms.  Where in its line and its document a candidate is, what is beside it, how
often it is there and over what time, what it is made of; and of labels, what fills the rest of the segment and of the
line.

One native pass over the segments, one over their tokens that looks for all candidates anywhere, and one over the
occurrences of each candidate; so time is linear in these, and memory is some fifty bytes a segment.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from templatemine import _core
from templatemine.mining import _candidates
from templatemine.mining.corpus import Corpus, Vocabulary
from templatemine.mining.cues import COLUMNS, CueLexicon, FormWords
from templatemine.mining.cues import KINDS as CUE_KINDS
from templatemine.mining.labels import KINDS, MIN_REPEAT_DF, PREFIX, SEGMENT, SUFFIX, Candidates
from templatemine.mining.segments import Segments
from templatemine.model import IntArray, LongArray
from templatemine.text._scan import MARKER
from templatemine.text.characters import BRACKETS
from templatemine.text.dates import resolve_days
from templatemine.text.patterns import TABLE, parse_form

_MAX_OTHER_WORDS = 0.5
"""From this share of words of cues on a candidate says little else."""
_BATCH_SIZE = 1 << 16
"""Segments, or occurrences, that are looked at together: the columns of all would be more than what is made of them."""
_CONTINUES = b",.;:)!?'"
"""First characters of text that continues the text before it, beside small letters."""

_COMMON = (
    *("documents", "share", "each", "span", "dense", "busiest"),
    *("alone", "begins", "ends", "position", "position_sd", "edge", "from_start", "from_end", "first", "last", "near"),
    *("segment", "line", "closed", "before_df", "after_df", "before_repeats", "after_repeats", "beside", "in_prose"),
    *("before_same", "after_same", "before_tokens", "after_tokens", "before_closed", "before_open", "goes_on", "torn"),
    *("tokens", "characters", "information", "bits", "capitals", "mutable", "figures", "small", "script"),
    *("small_first", "capital_first", "colon_last", "closed_last", "sentence_last", "own"),
)
_SEGMENT_ONLY = ("string_share",)
_LABEL_ONLY = (
    *("longer", "shorter", "same_beside", "kinds_beside", "capital_beside", "small_beside", "mutable_beside"),
    *("fill", "fill_sd", "fill_characters", "fill_capitals", "fill_mutable"),
    *("rest", "rest_sd", "rest_capitals", "rest_closed", "rest_segments", "edge_own", "lift"),
)
_SIGNS = ("dashed", "upper", "letters", "unclosed", "addresses", "mails", "handles", "times", "rights")
_CLOSING = frozenset(BRACKETS.values())
_MARKED = [
    frozenset(number for number, row in enumerate(TABLE, 1) if row.name in names.split())
    for names in (
        "url",
        "email",
        "handle",
        "iso_date clock date time meridiem month month_short month_other month_world "
        "weekday weekday_short weekday_other weekday_world",
    )
]
"""Numbers of the patterns that "addresses", "mails", "handles" and "times" stand for."""
_RIGHTS = frozenset("©®™")
_SIGNED = _RIGHTS.union(BRACKETS, _CLOSING)
_NOT_MARKED = (False,) * (len(_MARKED) + 1)
_CUES = (*COLUMNS, "cue_any", "cue_label", "cue_whole", "cue_before", "cue_after", "cue_segment")
FEATURES = {SEGMENT: _COMMON + _SEGMENT_ONLY + _SIGNS + _CUES, PREFIX: _COMMON + _LABEL_ONLY + _SIGNS + _CUES}
FEATURES[SUFFIX] = FEATURES[PREFIX]
"""Names of the features of each kind: those of `FeatureExtractor` in its order, of `_read_signs`, and of cues."""
SURROUNDINGS = tuple(f"{where}_{kind}" for where in ("beside", "around", "within") for kind in CUE_KINDS)
"""Columns of `CueReader.read_surroundings`."""
_AROUND = ((1, 1.0), (2, 0.7), (3, 0.5))
"""Segments around a candidate, and what a cue in one of them counts."""


def compute_features(
    corpus: Corpus,
    segments: Segments,
    dates: Sequence[str | None],
    candidates: Sequence[Candidates],
    reader: CueReader,
) -> list[NDArray[np.float32]]:
    """Return the features of the candidates of a source, by kind: float32 arrays, shape (candidates, features).

    Parameters
    ----------
    dates : sequence of str or None
        Those of the documents of the corpus.
    reader : CueReader
        Of the same segments.
    """
    forms = corpus.form_names
    counts = np.maximum(corpus.counts, 1)
    native = _candidates.FeatureExtractor(
        segments.tokens,
        segments.doc_tokens,
        segments.bounds,
        segments.document,
        segments.begins_line.view(np.uint8),
        segments.string,
        segments.string_df,
        corpus.traits,
        counts,
        -np.log2(counts / max(1, len(segments.tokens))),
        forms.arena,
        forms.offsets,
        _CONTINUES,
        *_date_ranks(dates),
        MIN_REPEAT_DF,
    )
    columns = [
        (KINDS.index(candidate_set.kind), candidate_set.segment, candidate_set.bounds, candidate_set.length)
        for candidate_set in candidates
    ]
    everywhere = _count_everywhere(native, segments, columns)
    measured = [
        native.compute(*kind_columns, candidate_set.df, candidate_set.longer, candidate_set.shorter, occurrences)
        for candidate_set, kind_columns, occurrences in zip(candidates, columns, everywhere, strict=True)
    ]
    del native  # 56 bytes a segment, which nothing below needs
    signs_of = _read_forms(segments, candidates, forms)
    return [
        np.concatenate([own, _read_signs(segments, candidate_set, signs_of), reader.read(candidate_set, own)], axis=1)
        for candidate_set, own in zip(candidates, measured, strict=True)
    ]


def _read_form(form: bytes) -> tuple[float, ...]:
    """Return what a form says as a sign.

    Whether it is in capitals alone; how many letters it has, one of a script without cases as two; how many brackets it
    opens more than it closes; and whether it holds a web address, a mail address, a handle, a date or time of day, a
    sign of rights.
    """
    if form.isalpha():  # as most are, in ASCII
        return len(form) > 1 and form.isupper(), len(form), 0, *_NOT_MARKED
    text = form.decode("utf-8", "replace")
    letters = sum(map(str.isalpha, text))
    letters = letters if text.lower() != text.upper() else 2 * letters
    is_upper = len(form) > 1 and text.isupper()
    if MARKER not in form and _SIGNED.isdisjoint(text):
        return is_upper, letters, 0, *_NOT_MARKED
    opened = sum((char in BRACKETS) - (char in _CLOSING) for char in text)
    patterns = {piece for piece in parse_form(form) if isinstance(piece, int)}
    marked = (not patterns.isdisjoint(group) for group in _MARKED)
    return is_upper, letters, opened, *marked, not _RIGHTS.isdisjoint(text)


def _read_forms(segments: Segments, candidates: Sequence[Candidates], forms: Vocabulary) -> NDArray[np.float32]:
    """Return what each form says as a sign, see `_read_form`: float32 array, shape (forms, signs).

    The forms of candidates alone are read, they are a tenth of a vocabulary; of others the row is zero.
    """
    is_used = np.zeros(len(forms), np.bool_)
    for candidate_set in candidates:
        starts = candidate_set.starts(segments, candidate_set.first, candidate_set.length)
        is_used[_core.gather_slices_i32(segments.tokens, starts, candidate_set.length)[0]] = True
    used = np.flatnonzero(is_used)
    signs = np.zeros((len(forms), 3 + len(_NOT_MARKED)), np.float32)
    if len(used):
        signs[used] = [_read_form(form) for form in forms.take(used)]
    return signs


def _read_signs(segments: Segments, candidates: Candidates, signs_of: NDArray[np.float32]) -> NDArray[np.float32]:
    """Return the features of `_SIGNS`: float32 array, shape (candidates, signs).

    In which share of its occurrences a candidate ends at the dash of a dateline; which share of its tokens is capitals
    alone; letters a token; whether a bracket that a label opens (closes) is closed (opened) in what fills it; and which
    share of its tokens holds addresses, handles, times and signs of rights.

    Parameters
    ----------
    signs_of : float32 array, shape (forms, signs)
        See `_read_forms`.
    """
    if not len(candidates):
        return np.zeros((0, len(_SIGNS)), np.float32)
    dashed = np.add.reduceat(segments.dashed[candidates.segment].astype(np.float32), candidates.bounds[:-1])
    dashed *= candidates.kind != PREFIX
    starts = candidates.starts(segments, candidates.first, candidates.length)
    tokens, bounds = _core.gather_slices_i32(segments.tokens, starts, candidates.length)
    sums = np.add.reduceat(signs_of[tokens], bounds[:-1])
    upper, letters, *marked = sums[:, [0, 1, 3, 4, 5, 6, 7]].T / candidates.length
    side = {SEGMENT: 0, PREFIX: 1, SUFFIX: -1}[candidates.kind]
    means = dashed / candidates.count, upper, letters, sums[:, 2] * side > 0, *marked
    return np.column_stack(means).astype(np.float32)


class CueReader:
    """What cues say of candidates, and of the segments beside them."""

    def __init__(self, segments: Segments, forms: Vocabulary, lexicons: Sequence[CueLexicon]) -> None:
        self._segments, self._forms, self._given = segments, forms, lexicons

    # The following is needed where there are candidates.

    @cached_property
    def _lexicons(self) -> list[tuple[CueLexicon, FormWords]]:
        return [(lexicon, lexicon.number_forms(self._forms)) for lexicon in self._given]

    @cached_property
    def _kinds(self) -> NDArray[np.uint8]:
        starts, length = self._segments.bounds[:-1], self._segments.length
        kinds = np.empty((len(length), len(CUE_KINDS)), np.uint8)
        for first in range(0, len(length), _BATCH_SIZE):
            part = slice(first, first + _BATCH_SIZE)
            kinds[part] = self._find(starts[part], length[part])[:, : len(CUE_KINDS)]
        return kinds

    @cached_property
    def _strengths(self) -> tuple[NDArray[np.float32], ...]:
        """Return the strength of cues before each segment, behind it, and in it."""
        own = self._kinds.max(axis=1, initial=0).astype(np.float32) / 2
        # Before and behind each segment those of its document; an edge says nothing.
        document, edge = self._segments.document, np.zeros(1, np.float32)
        beside = np.where(document[1:] == document[:-1], np.stack([own[:-1], own[1:]]), 0).astype(np.float32)
        return np.concatenate([edge, beside[0]]), np.concatenate([beside[1], edge]), own

    def read(self, candidates: Candidates, matrix: NDArray[np.float32]) -> NDArray[np.float32]:
        """Compute the features of `_CUES`: float32 array, shape (candidates, features); `matrix` has the others."""
        if not len(candidates):
            return np.zeros((0, len(_CUES)), np.float32)
        own = self._find(candidates.starts(self._segments, candidates.first, candidates.length), candidates.length)
        means = [
            np.add.reduceat(column[candidates.segment], candidates.bounds[:-1]) / candidates.count
            for column in self._strengths
        ]
        strongest = own[:, : len(CUE_KINDS)].max(axis=1, initial=0)
        closed = (matrix[:, _COMMON.index("colon_last")] > 0) | (matrix[:, _COMMON.index("closed_last")] > 0)
        label = own[:, COLUMNS.index("cue_first")] * closed
        whole = strongest * (own[:, COLUMNS.index("cue_share")] > _MAX_OTHER_WORDS)
        return np.ascontiguousarray(np.column_stack([own, strongest, label, whole, *means]), np.float32)

    def read_surroundings(self, candidates: Candidates, rows: LongArray) -> NDArray[np.float32]:
        """Return which cues stand around some candidates: float32 array, shape (rows, `SURROUNDINGS`).

        Means over the occurrences of each: the strength of each kind in the segments beside, in three on each side, and
        in the segment itself.
        """
        sizes = np.diff(candidates.bounds)[rows]
        sums = np.empty((len(rows), len(SURROUNDINGS)), np.float32)
        ends = np.flatnonzero(np.diff(np.cumsum(sizes) // _BATCH_SIZE, append=-1)) + 1
        first = 0
        for end in ends.tolist():
            sums[first:end] = self._sum_surroundings(candidates, rows[first:end], sizes[first:end])
            first = end
        sums /= sizes[:, None].astype(np.float32)
        return sums

    def _sum_surroundings(self, candidates: Candidates, rows: LongArray, sizes: LongArray) -> NDArray[np.float32]:
        """Return sums over the occurrences of some candidates, each of so many: float32 array, as above."""
        places, bounds = _core.gather_slices_i32(
            candidates.segment.astype(np.int32), candidates.bounds[:-1][rows], sizes.astype(np.int32)
        )
        document, last = self._segments.document, len(self._kinds) - 1
        beside = np.zeros((len(places), len(CUE_KINDS)), np.float32)
        around = beside.copy()
        for distance, weight in _AROUND:
            for side in (-distance, distance):
                other = np.clip(places + side, 0, last)
                is_same = (other == places + side) & (document[other] == document[places])
                found = self._kinds[other] * np.float32(weight / 2) * is_same[:, None]
                np.maximum(around, found, out=around)
                if distance == 1:
                    np.maximum(beside, found, out=beside)
        columns = np.concatenate([beside, around, self._kinds[places] / np.float32(2)], axis=1)
        sums: NDArray[np.float32] = np.add.reduceat(columns, bounds[:-1])
        return sums

    def _find(self, starts: LongArray, lengths: IntArray) -> NDArray[np.float32]:
        tokens, starts = np.ascontiguousarray(self._segments.tokens), np.ascontiguousarray(starts)
        lengths = np.ascontiguousarray(lengths)
        found = [lexicon.find(tokens, starts, lengths, word_of) for lexicon, word_of in self._lexicons]
        return found[0] if len(found) == 1 else np.maximum.reduce(found)


def _count_everywhere(
    native: _candidates.FeatureExtractor,
    segments: Segments,
    candidates: Sequence[tuple[int, LongArray, LongArray, IntArray]],
) -> list[LongArray]:
    """Count the strings of all kinds, wherever they occur: one walk over the source for all of them."""
    search_strings = [native.locate_search_strings(*columns) for columns in candidates]
    starts, sizes = (np.concatenate(parts) for parts in zip(*search_strings, strict=True))
    tokens, bounds = _core.gather_slices_i32(segments.tokens, starts, sizes)
    counts = _candidates.count_occurrences(segments.tokens, segments.doc_tokens, tokens, bounds, len(segments.traits))
    return np.split(counts, np.cumsum([len(sizes) for _, sizes in search_strings])[:-1])


def _date_ranks(dates: Sequence[str | None]) -> tuple[LongArray, LongArray]:
    """Rank documents by day: how many are earlier, and how many not later; undated ones span all days."""
    days = np.array([day or "" for day in resolve_days(dates)], dtype="U10")
    dated = days != ""
    sorted_days = np.sort(days[dated])
    scale = len(dates) / max(1, len(sorted_days))
    low = np.where(dated, np.searchsorted(sorted_days, days, "left") * scale, 0)
    high = np.where(dated, np.searchsorted(sorted_days, days, "right") * scale, len(dates))
    return low.astype(np.int64), np.maximum(high.astype(np.int64), 1)
