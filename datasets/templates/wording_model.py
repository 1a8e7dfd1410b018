"""Boilerplate of known kinds, and the phrases of the cue lexicon -> the model of `templatemine.mining.wording`.

A logistic regression on pieces of words for each kind against the others, by stochastic gradients (scikit-learn's
SGDClassifier, averaged).  The phrases of the lexicon have little weight: they know 88 languages, the sources 26.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from functools import cache
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from templatemine.config import PipelineConfig
from templatemine.kinds import KINDS
from templatemine.mining import _candidates
from templatemine.mining.corpus import Vocabulary
from templatemine.mining.cues import parse_cues
from templatemine.mining.methods import resolve_defaults
from templatemine.mining.wording import Wording, split_pieces
from templatemine.text import _scan

__all__ = ["fit_wording"]

Array = NDArray[Any]

CUES = Path(__file__).resolve().parents[1] / "cues" / "cues.txt"
STRONG_CUE, WEAK_CUE = 0.1, 0.05
"""Weights of cues; that of a candidate is 1 in the mean."""
ALPHA, EPOCHS, SEED = 1e-6, 12, 1
"""Factor of the squares of the weights, passes over the texts, and the dice of their order."""
RANGE = 127
"""Greatest weight, as it is kept."""


class _Cues(NamedTuple):
    """The phrases of the lexicon: a row of pieces each, their kinds and weights."""

    pieces: Any
    kinds: NDArray[np.int64]
    weights: NDArray[np.float64]


def fit_wording(pieces: Sequence[NDArray[np.int32]], kinds: NDArray[np.int64], publishers: Sequence[str]) -> Wording:
    """Fit a model to texts of known kinds; of the texts of a publisher, a square root counts."""
    from scipy.sparse import vstack
    from sklearn.linear_model import SGDClassifier

    cues, counts = _read_cues(), Counter(publishers)
    matrix = vstack([_count_pieces(pieces), cues.pieces], format="csr")
    own = np.array([counts[publisher] ** -0.5 for publisher in publishers])
    targets, weights = np.concatenate([kinds, cues.kinds]), np.concatenate([own / own.mean(), cues.weights])
    columns, biases = np.zeros((len(KINDS), _candidates.PIECES)), np.zeros(len(KINDS))
    for kind in np.unique(targets):
        model = SGDClassifier(loss="log_loss", alpha=ALPHA, max_iter=EPOCHS, tol=None, average=True, random_state=SEED)
        model.fit(matrix, targets == kind, sample_weight=weights)
        columns[kind], biases[kind] = model.coef_[0], model.intercept_[0]
    scales = np.maximum(np.abs(columns).max(axis=1), 1e-9) / RANGE
    return Wording(
        weights=np.ascontiguousarray(np.rint(columns / scales[:, None]).T, np.int8),
        scales=scales.astype(np.float32),
        biases=biases.astype(np.float32),
    )


@cache
def _read_cues() -> _Cues:
    cues = [*parse_cues(CUES.read_text(encoding="utf-8"), CUES.name)]
    options = resolve_defaults(PipelineConfig())
    native = _scan.Tokeniser(*options.patterns.scanner_arguments(options.tokenise.separators, False), False)
    native.add_all([cue.phrase for cue in cues])
    forms, starts, arena, offsets = native.finish()
    pieces, bounds = split_pieces([*Vocabulary(arena, offsets)])
    of_form = np.split(pieces, bounds[1:-1])
    rows = [
        np.concatenate([of_form[form] for form in forms[first:end].tolist()])
        for first, end in zip(starts[:-1].tolist(), starts[1:].tolist(), strict=True)
    ]
    return _Cues(
        pieces=_count_pieces(rows),
        kinds=np.array([KINDS.index("dateline" if cue.kind == "agency" else cue.kind) for cue in cues]),
        weights=np.array([STRONG_CUE if cue.strong else WEAK_CUE for cue in cues]),
    )


def _count_pieces(texts: Sequence[NDArray[np.int32]]) -> Any:
    """A row a text, a column a piece: how often the text has it, over the root of all its pieces."""
    from scipy.sparse import csr_matrix

    sizes = np.array([len(own) for own in texts], np.int64)
    values = np.repeat(np.maximum(sizes, 1) ** -0.5, sizes)
    columns, bounds = np.concatenate([np.empty(0, np.int32), *texts]), np.concatenate([[0], np.cumsum(sizes)])
    matrix = csr_matrix((values, columns, bounds), shape=(len(sizes), _candidates.PIECES))
    matrix.sum_duplicates()
    return matrix
