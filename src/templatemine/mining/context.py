"""First scores of all candidates of a source -> context of each: what the text beside its occurrences scores.

Boilerplate stands with boilerplate: a headline between two lines that are boilerplate by all signs is rather a related
link than a part of the story, though few documents have it.  So candidates are scored twice: first by their own
features, then also by what the first scores say of the text around (stacked sequential learning: Cohen and Carvalho
2005, section 3).

Time is linear in segments and occurrences; memory is 24 bytes a segment.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from templatemine import _core
from templatemine.mining.features import CONTEXT
from templatemine.mining.labels import Candidates
from templatemine.model import IntArray, LongArray

__all__ = ["fill_context"]


def fill_context(
    bounds: LongArray,
    document: IntArray,
    candidates: Sequence[Candidates],
    first_scores: Sequence[NDArray[np.float32]],
    features: Sequence[NDArray[np.float32]],
) -> None:
    """Fill the columns of `features.CONTEXT`, the last ones, of the candidates of a source.

    Parameters
    ----------
    bounds, document : int64 and int32 arrays
        Those of `segments.Segments`.
    candidates : sequence of Candidates
        All kinds of a source.
    first_scores : sequence of float32 arrays, shape (candidates,)
        By kind.
    features : sequence of float32 arrays, shape (candidates, all features); INOUT
        By kind.
    """
    best = np.zeros(len(document), np.float32)
    for kind, scores in zip(candidates, first_scores, strict=True):
        _core.best_scores(best, kind.segment, kind.bounds, scores)
    rows = _core.score_context(best, bounds, document)
    for kind, scores, matrix in zip(candidates, first_scores, features, strict=True):
        matrix[:, -len(CONTEXT) : -1] = _core.mean_rows(rows, kind.segment, kind.bounds)
        matrix[:, -1] = scores
