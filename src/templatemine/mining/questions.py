"""Candidates with their scores -> those that a person should be asked about: the ones whose answer would change most.

A question is worth the characters of the archive about which its answer is expected to differ from the decision
(`Verdicts.stake`).  Ten answers bring as much as some of the sources in training (docs/research/loso.md).
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from templatemine.mining.candidates import SourceCandidates, Verdicts

MAX_QUESTIONS = 20
"""Questions that a pack has: ten, and ten more for people who want to go on."""
_MIN_STAKE = 50
"""Characters at stake; less is not worth a person's time."""
_MAX_CANDIDATES = 20 * MAX_QUESTIONS
_MAX_NAMED = 5 * MAX_QUESTIONS
"""Candidates whose kind is found out in case they are asked about: nested ones among them are not."""


def choose_questions(candidates: SourceCandidates) -> NDArray[np.int64]:
    """Choose the rows of the candidates to ask about, that with most at stake first.

    Of labels that begin (end) with one another, and of equal strings, only the first is asked about: it says most of
    what there is to say of the others.
    """
    verdicts, rows = candidates.verdicts, list[int]()
    if verdicts is None:
        return np.empty(0, np.int64)
    order = np.lexsort((candidates.hashes, -verdicts.stake))[:_MAX_CANDIDATES]
    chosen: list[tuple[int, tuple[int, ...]]] = []
    for row in order[verdicts.stake[order] >= _MIN_STAKE].tolist():
        kind, tokens = int(verdicts.kind[row]), candidates.strings.ids(row)
        if any(tokens == other or (kind == other_kind and _is_nested(tokens, other)) for other_kind, other in chosen):
            continue
        chosen.append((kind, tokens))
        rows.append(row)
        if len(rows) == MAX_QUESTIONS:
            break
    return np.array(rows, np.int64)


def may_be_asked(verdicts: Verdicts) -> NDArray[np.bool_]:
    """Return which candidates have so much at stake that `choose_questions` may choose them."""
    found: NDArray[np.bool_] = verdicts.stake >= _MIN_STAKE
    if found.sum() > _MAX_NAMED:
        found &= verdicts.stake >= np.partition(verdicts.stake, -_MAX_NAMED)[-_MAX_NAMED]
    return found


def _is_nested(first: tuple[int, ...], second: tuple[int, ...]) -> bool:
    """Return whether one of two strings begins, or ends, with the other."""
    size = min(len(first), len(second))
    return first[:size] == second[:size] or first[-size:] == second[-size:]
