"""Templates -> those that different documents hold: strings that only copies of one story have are no templates.

Copies go before anything is learnt (`near_duplicates`).  This asks once more, of each template and of what its
documents say beside it: boilerplate is in articles that share nothing else, a sentence of a story in its
versions alone.  What a document says itself are the segments that no other document has; of two that differ, less than
three fifths of these are alike.  A document that says nothing itself differs from none.  Where most of one document is
in the other, they may be versions of a story, each with sentences of its own, or articles with more boilerplate than
text; then the template, or the block that it is of, must read like boilerplate.

Only as many documents of a template are looked at as it takes to find a few that differ, in nearly all cases the first
few; what was hashed last is kept.
"""

from __future__ import annotations

from bisect import bisect_right
from collections import defaultdict
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from templatemine.mining import _candidates
from templatemine.mining.labels import Candidates
from templatemine.mining.near_duplicates import EVERYWHERE, characters_of_shingle
from templatemine.mining.segments import Segments
from templatemine.model import LongArray

_MIN_DIFFERENT, _MIN_OF_FEW, _FEW = 3, 2, 3
"""Documents that must differ; of a template that is in so few, two."""
_MAX_LOOKED_AT = 64
"""Documents of a template that are looked at."""
_SHINGLE = 2
"""Tokens of the strings by which documents are compared; where characters are tokens, `characters_of_shingle`."""
_SKETCH = 128
"""Least hashes by which documents are compared (bottom sketches, Broder 1997)."""
_KEPT_SKETCHES = 4_096
"""Sketches that are kept, of some 10 KB each."""
_SAME = 0.6
"""Share of the strings of the one that says less, from which on two documents tell one story."""
_RARE, _SAME_OF_RARE = 5, 0.25
"""A template in so few documents may be of a story as they are, so what else only so few have is compared too, and less
of it is enough.  With 0.1 all excerpts of the trials stay (420 small archives; five lose a sentence with 0.25), but 24
points of recall go in archives of ten articles."""
_MOSTLY_ONE = 0.5
"""Documents of a template that may be versions of one story."""
_OTHERS, _OTHER_SHARE = 25, 0.25
"""Stories of a template, by number and by its documents, beyond which it is of none, though half of its documents may
be versions of one: they may be alike by a block that they have in common."""
_MIN_CUES = 1 / 3
"""Tokens of a block in strings with cues: of a story they are a byline, of boilerplate half."""
_GREATEST = (1 << 64) - 1


def find_single_stories(
    segments: Segments,
    candidate_kinds: Sequence[Candidates],
    rows: NDArray[np.int64],
    versions: LongArray,
    cues: NDArray[np.bool_],
) -> NDArray[np.int64]:
    """Find the candidates that only documents of one story hold.

    Parameters
    ----------
    candidate_kinds : sequence of Candidates
        Of each kind.
    rows : int64 array
        Places among the candidates of all kinds, one kind after the other; ascending.
    versions : int64 array, shape (documents,)
        Equal for documents that may be versions of one story, see `near_duplicates.group_versions`.
    cues : bool array, shape (2, candidates of all kinds)
        Which candidates hold a strong cue, and which read like boilerplate by themselves.
    """
    stories = _Stories(segments)
    holders, lengths = [], np.concatenate([candidates.length for candidates in candidate_kinds])
    first = 0
    for candidates in candidate_kinds:
        own_rows = rows[(rows >= first) & (rows < first + len(candidates))] - first
        for row in own_rows.tolist():
            holders.append(_different(segments.document[candidates.segment[slice(*candidates.bounds[row : row + 2])]]))
        first += len(candidates)
    # What the same documents hold is one block, of boilerplate or of a story: all of it is read.
    is_cue, is_sign = cues
    tokens: defaultdict[bytes, int] = defaultdict(int)
    read: defaultdict[bytes, int] = defaultdict(int)
    blocks = [documents.tobytes() for documents in holders]
    for row, block in zip(rows.tolist(), blocks, strict=True):
        tokens[block] += int(lengths[row])
        read[block] += int(lengths[row]) * bool(is_cue[row])
    single = []
    for row, documents, block in zip(rows.tolist(), holders, blocks, strict=True):
        least = _MIN_OF_FEW if len(documents) <= _FEW else _MIN_DIFFERENT
        is_everywhere = len(documents) > EVERYWHERE * len(versions)
        is_read = is_everywhere or is_sign[row] or read[block] >= _MIN_CUES * tokens[block]
        if (not is_read and _are_versions(versions[documents], least)) or not stories.differ(documents, least):
            single.append(row)
    return np.array(single, np.int64)


def _different(documents: NDArray[np.int32]) -> NDArray[np.int32]:
    """Return the different ones of ascending documents."""
    different: NDArray[np.int32] = documents[np.append(documents[:1] >= 0, documents[1:] != documents[:-1])]
    return different


def _are_versions(versions: LongArray, least: int) -> bool:
    """Return whether half of the documents may be versions of one story, beside few others, or too few differ."""
    counts, size = np.unique(versions, return_counts=True)[1], len(versions)
    is_mostly_one = size > _FEW and int(counts.max()) >= _MOSTLY_ONE * size
    is_mostly_one = is_mostly_one and len(counts) <= max(_OTHERS, _OTHER_SHARE * size)
    return len(counts) < least or is_mostly_one


class _Stories:
    """The stories of the documents of a source: their own strings."""

    def __init__(self, segments: Segments) -> None:
        self._segments = segments
        self._first_segments = np.searchsorted(segments.document, np.arange(len(segments.doc_tokens)))
        counts = np.bincount(segments.tokens) if segments.spaceless else np.zeros(1, np.int64)
        self._size = characters_of_shingle(counts) if segments.spaceless else _SHINGLE
        self._sketches: dict[tuple[int, int], _Sketch] = {}

    def differ(self, documents: NDArray[np.int32], least: int) -> bool:
        """Return whether there are at least so many of some documents that differ from each other."""
        max_df, same = (_RARE, _SAME_OF_RARE) if len(documents) <= _RARE else (1, _SAME)
        step = max(1, len(documents) // _MAX_LOOKED_AT)
        different: list[_Sketch] = []
        for document in documents[::step][:_MAX_LOOKED_AT].tolist():
            sketch = self._sketch(document, max_df)
            if sketch and not any(sketch.is_same(other, same) for other in different):
                different.append(sketch)
                if len(different) == least:
                    return True
        return False

    def _sketch(self, document: int, max_df: int) -> _Sketch:
        # A cache of a bound method would hold the segments until the next collection of cycles.
        sketch = self._sketches.get((document, max_df))
        if sketch is None:
            if len(self._sketches) >= _KEPT_SKETCHES:
                self._sketches.clear()
            sketch = self._sketches[document, max_df] = self._hash_segments(document, max_df)
        return sketch

    def _hash_segments(self, document: int, max_df: int) -> _Sketch:
        """Return the least hashes of the short strings of those segments of a document that so many documents have at
        most."""
        segments = self._segments
        own = slice(*self._first_segments[document : document + 2])
        tokens = segments.tokens[slice(*segments.doc_tokens[document : document + 2])]
        hashes = _candidates.sketch_segments(
            tokens, segments.length[own], segments.string_df[own], max_df, self._size, _SKETCH
        )
        return _Sketch(hashes.tolist())


class _Sketch:
    """The least hashes of a text, ascending."""

    def __init__(self, hashes: list[int]) -> None:
        self._hashes, self._set = hashes, frozenset(hashes)
        self._end = hashes[-1] if len(hashes) == _SKETCH else None

    def __bool__(self) -> bool:
        return bool(self._hashes)

    def is_same(self, other: _Sketch, share: float) -> bool:
        """Return whether two sketches are of one story."""
        # Of a text with more strings a sketch goes up to its greatest hash only; common strings are below both ends.
        end = min((sketch._end for sketch in (self, other) if sketch._end is not None), default=_GREATEST)
        fewer = min(bisect_right(self._hashes, end), bisect_right(other._hashes, end))
        return len(self._set & other._set) >= share * fewer
