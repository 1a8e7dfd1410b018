"""Candidates with their scores -> those that a person should be asked about: the ones whose answer would change most.

A question is worth the characters of the archive about which its answer is expected to differ from the decision
(`Verdicts.stake`).  Ten answers bring as much as some of the sources in training (docs/research/loso.md).
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from templatemine.mining.candidates import SourceCandidates

__all__ = ["MOST", "questions"]

MOST = 20
"""Questions that a pack has: ten, and ten more for who wants to go on."""
_LEAST = 50
"""Characters at stake; less is not worth a person's time."""
_LOOKED_AT = 20 * MOST


def questions(candidates: SourceCandidates) -> NDArray[np.int64]:
    """Rows of the candidates to ask about, that with most at stake first.

    Of labels that begin (end) with one another, and of equal strings, only the first is asked about: it says most of
    what there is to say of the others.
    """
    verdicts, chosen = candidates.verdicts, list[int]()
    if verdicts is None:
        return np.empty(0, np.int64)
    order = np.lexsort((candidates.hashes, -verdicts.stake))[:_LOOKED_AT]
    asked: list[tuple[int, tuple[int, ...]]] = []
    for row in order[verdicts.stake[order] >= _LEAST].tolist():
        kind, tokens = int(verdicts.kind[row]), candidates.strings.ids(row)
        if any(tokens == other or (kind == of and _nested(tokens, other)) for of, other in asked):
            continue
        asked.append((kind, tokens))
        chosen.append(row)
        if len(chosen) == MOST:
            break
    return np.array(chosen, np.int64)


def _nested(one: tuple[int, ...], other: tuple[int, ...]) -> bool:
    """Whether one of two strings begins, or ends, with the other."""
    size = min(len(one), len(other))
    return one[:size] == other[:size] or one[-size:] == other[-size:]
