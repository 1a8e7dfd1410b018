"""Words of templates -> how likely text in such words is of each kind of boilerplate.

A linear model over the pieces of words: strings of two to five characters, hashed (Weinberger et al. 2009).  What a
template says is the sum of the weights of its pieces over the square root of how many there are.  It was trained on
strings that readers labelled and on the phrases of the cue lexicon, and reads what cues leave open: other forms of a
word, and other words beside it.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from templatemine import _core
from templatemine.kinds import KINDS
from templatemine.mining import _candidates
from templatemine.mining.corpus import Vocabulary
from templatemine.mining.labels import Candidates
from templatemine.mining.segments import Segments
from templatemine.model import IntArray, LongArray


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
        The arrays are of other shapes, or the weights no bytes.
    """

    weights: NDArray[np.int8]
    scales: NDArray[np.float32]
    biases: NDArray[np.float32]

    def __post_init__(self) -> None:
        expected = (_candidates.PIECES, len(KINDS)), (len(KINDS),), (len(KINDS),)
        shapes = self.weights.shape, self.scales.shape, self.biases.shape
        if shapes != expected or self.weights.dtype != np.int8:
            raise ValueError(f"wording: expected arrays of shapes {expected}, got {shapes}")

    def score(self, pieces: IntArray, bounds: LongArray) -> NDArray[np.float32]:
        """Return how likely texts are of each kind: logarithms of odds, float32 array, shape (texts, kinds).

        Parameters
        ----------
        pieces : int32 array
            Those of all texts, each of which has some.
        bounds : int64 array, shape (texts + 1,)
            Where those of each text begin, with the end.
        """
        if len(bounds) == 1:
            return np.zeros((0, len(KINDS)), np.float32)
        sums: NDArray[np.float32] = np.add.reduceat(self.weights[pieces], bounds[:-1], dtype=np.float32)
        root = np.sqrt(np.diff(bounds)).astype(np.float32)
        return sums / root[:, None] * self.scales + self.biases


def split_pieces(forms: Sequence[bytes]) -> tuple[IntArray, LongArray]:
    """Return the pieces of forms in small letters, and where those of each begin, with the end."""
    joined = b"\0".join([b"", *(form.replace(b"\0", b" ") for form in forms), b""])
    small = joined.decode("utf-8", "replace").lower()
    return _candidates.hash_pieces(np.frombuffer(small.encode("utf-32-le"), np.uint32))


def find_pieces(
    segments: Segments, forms: Vocabulary, candidates: Candidates, rows: LongArray
) -> tuple[IntArray, LongArray]:
    """Return the pieces of some candidates of a source, and where those of each begin, with the end."""
    starts = candidates.starts(segments, candidates.first[rows], candidates.length[rows])
    tokens, bounds = _core.gather_slices_i32(segments.tokens, starts, candidates.length[rows])
    used, place = np.unique(tokens, return_inverse=True)
    pieces, firsts = split_pieces(forms.take(used.astype(np.int64)))
    found, ends = _core.gather_slices_i32(pieces, firsts[place], np.diff(firsts)[place].astype(np.int32))
    return found, ends[bounds]
