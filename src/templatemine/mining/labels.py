"""Segments -> candidates: whole segments that repeat, and what those begin or end with that do not.

Three kinds.  A **segment** that is in several documents, told apart by whether it is alone on its line.  A **prefix**
("Related:", "By", "LONDON (Reuters) -") and a **suffix** ("/ The Courier") of segments that do not repeat as a whole:
of one to twelve tokens, in several documents, and maximal, that is, no longer one has nearly all of its occurrences.
They are counted among such segments only, for else those that repeat would hide them.

Prefixes grow token by token, and what too few segments begin with is not grown any further; so it costs some sorts of
the segments, each of fewer.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from templatemine.mining import _candidates
from templatemine.mining.segments import Segments
from templatemine.model import IntArray, LongArray

SEGMENT, PREFIX, SUFFIX = KINDS = ("segment", "prefix", "suffix")

_MIN_SEGMENT_DF = 2
"""Documents that a segment must be in."""
_MIN_LABEL_DF = 5
"""And a label: fewer say nothing about its fillers."""
MIN_REPEAT_DF = 3
"""From so many documents on a segment counts as one that repeats."""
_MAX_LABEL_TOKENS, _MAX_SPACELESS_TOKENS = 12, 24
"""Tokens of a label at most; where a character is a token."""
_MAX_EXTENSION_SHARE = 0.9
"""A label is one if no longer one has this share of its occurrences."""


@dataclass(frozen=True, kw_only=True)
class Candidates:
    """The candidates of one kind.

    Attributes
    ----------
    kind : str
    segment : int64 array, shape (occurrences,)
        The segment of each occurrence, one candidate after the other, ascending within each.
    bounds : int64 array, shape (candidates + 1,)
        Candidate i occurs in ``segment[bounds[i]:bounds[i + 1]]``.
    length : int32 array, shape (candidates,)
        Tokens.
    df : int32 array, shape (candidates,)
    longer, shorter : float32 arrays, shape (candidates,)
        Of a label: which share of its occurrences the most frequent longer one has; and which share of those of the
        label without its last token (its first, of a suffix) it has itself.  0 and 1 of segments.
    """

    kind: str
    segment: LongArray
    bounds: LongArray
    length: IntArray
    df: IntArray
    longer: NDArray[np.float32]
    shorter: NDArray[np.float32]

    def __len__(self) -> int:
        return len(self.length)

    @property
    def first(self) -> LongArray:
        """Return the segment of one occurrence of each."""
        return self.segment[self.bounds[:-1]]

    @property
    def count(self) -> LongArray:
        """Return the occurrences of each."""
        return np.diff(self.bounds)

    def starts(self, segments: Segments, occurrences: LongArray, length: IntArray | LongArray) -> LongArray:
        """Return offsets in `segments.tokens` of strings of some lengths in some segments."""
        if self.kind == SUFFIX:
            return segments.bounds[occurrences + 1] - length
        return segments.bounds[occurrences]


def find_candidates(segments: Segments) -> tuple[Candidates, Candidates, Candidates]:
    """Return the candidates of a source, in the order of `KINDS`."""
    return _find_segments(segments), _find_labels(segments, PREFIX), _find_labels(segments, SUFFIX)


def _find_segments(segments: Segments) -> Candidates:
    """Find segments that repeat, those that are alone on their line apart from the others."""
    begins = segments.begins_line.view(np.uint8)
    segment, bounds, df = _candidates.find_repeated_segments(
        segments.string, segments.string_df, segments.document, begins, _MIN_SEGMENT_DF
    )
    return Candidates(
        kind=SEGMENT,
        segment=segment,
        bounds=bounds,
        length=segments.length[segment[bounds[:-1]]],
        df=df,
        longer=np.zeros(len(df), np.float32),
        shorter=np.ones(len(df), np.float32),
    )


def _find_labels(segments: Segments, kind: str) -> Candidates:
    """Find prefixes (suffixes) of segments that do not repeat, the shortest first."""
    max_tokens = _MAX_SPACELESS_TOKENS if segments.spaceless else _MAX_LABEL_TOKENS
    segment, bounds, length, df, longer, shorter = _candidates.find_labels(
        segments.tokens,
        segments.bounds,
        segments.document,
        segments.string_df,
        MIN_REPEAT_DF,
        kind == SUFFIX,
        max_tokens,
        _MIN_LABEL_DF,
        _MAX_EXTENSION_SHARE,
    )
    return Candidates(kind=kind, segment=segment, bounds=bounds, length=length, df=df, longer=longer, shorter=shorter)
