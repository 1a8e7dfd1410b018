"""Words of templates -> how likely text in such words is of each kind of boilerplate.

A linear model over the pieces of words: strings of two to five characters, hashed (Weinberger et al. 2009).  What a
template says is the sum of the weights of its pieces over the square root of how many there are.  It was trained on
strings that readers labelled and on the phrases of the cue lexicon, and reads what cues leave open: other forms of a
word, and other words beside it.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from templatemine import _core
from templatemine.kinds import KINDS
from templatemine.mining import _candidates
from templatemine.mining.corpus import Vocabulary
from templatemine.mining.labels import Candidates
from templatemine.mining.segments import Segments
from templatemine.model import IntArray, LongArray

_MAX_BYTES = 256
"""Of a word, those that are read: what is longer is none."""


class Words(NamedTuple):
    """The words of texts, each word once.

    Attributes
    ----------
    pieces : int32 array
        Those of all words, one word after the other; each has some.
    firsts : int64 array, shape (words + 1,)
        Where the pieces of each begin, with the end.
    place : int64 array
        The words of all texts, one text after the other.
    bounds : int64 array, shape (texts + 1,)
        Where those of each text begin, with the end.
    """

    pieces: IntArray
    firsts: LongArray
    place: LongArray
    bounds: LongArray


@dataclass(frozen=True, kw_only=True, eq=False)
class Wording:
    """A linear model over pieces of words.

    Attributes
    ----------
    weights : int8 array, shape (`_candidates.PIECES`, kinds)
    scales, biases : float32 arrays, shape (kinds,)
        The logarithm of the odds is the sum of weights over the root of the pieces, times the scale, plus the bias.

    Raises
    ------
    ValueError
        The arrays are of other shapes, or the weights of another type.
    """

    weights: NDArray[np.int8]
    scales: NDArray[np.float32]
    biases: NDArray[np.float32]

    def __post_init__(self) -> None:
        expected = (_candidates.PIECES, len(KINDS)), (len(KINDS),), (len(KINDS),)
        shapes = self.weights.shape, self.scales.shape, self.biases.shape
        if shapes != expected:
            raise ValueError(f"wording: expected arrays of shapes {expected}, got {shapes}")
        if self.weights.dtype != np.int8:
            raise ValueError(f"wording: expected weights of type int8, got {self.weights.dtype}")

    def score(self, words: Words) -> NDArray[np.float32]:
        """Return how likely texts are of each kind: logarithms of odds, float32 array, shape (texts, kinds)."""
        if len(words.bounds) == 1:
            return np.zeros((0, len(KINDS)), np.float32)
        sums: NDArray[np.float32] = np.add.reduceat(self.weights[words.pieces], words.firsts[:-1], dtype=np.float32)
        ours, firsts = words.place, words.bounds[:-1]
        root = np.sqrt(np.add.reduceat(np.diff(words.firsts)[ours], firsts)).astype(np.float32)
        total: NDArray[np.float32] = np.add.reduceat(sums[ours], firsts)
        return total / root[:, None] * self.scales + self.biases


def split_pieces(forms: Sequence[bytes]) -> tuple[IntArray, LongArray]:
    """Return the pieces of forms in small letters, and where those of each begin, with the end."""
    parted = (form[:_MAX_BYTES].replace(b"\0", b" ") for form in forms)
    small = b"\0".join([b"", *parted, b""]).decode("utf-8", "replace").lower()
    return _candidates.hash_pieces(np.frombuffer(small.encode("utf-32-le"), np.uint32))


def read_words(segments: Segments, forms: Vocabulary, candidates: Candidates, rows: LongArray) -> Words:
    """Return the words of some candidates of a source."""
    starts = candidates.starts(segments, candidates.first[rows], candidates.length[rows])
    tokens, bounds = _core.gather_slices_i32(segments.tokens, starts, candidates.length[rows])
    used, place = np.unique(tokens, return_inverse=True)
    return Words(*split_pieces(forms.take(used.astype(np.int64))), place, bounds)
