"""Scores of cuts: how much of all boilerplate goes, and how much of what is cut is cut in part.

It goes beyond `metrics.score_spans` in that text labelled "dynamic" (other words in every document: a related headline,
a byline) is boilerplate too, and in that a label cut without what it labels counts against a system.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field

import numpy as np

from templatemine.evaluation.metrics import DYNAMIC, TEMPLATE, SpanScore, score_spans, span_mask, visible_mask

__all__ = ["CutScore", "score_cuts"]


@dataclass(frozen=True, slots=True)
class CutScore:
    """Counts of characters other than white space, and of stretches; sums of scores are scores of several articles.

    Attributes
    ----------
    spans : SpanScore
        Templates and content, and what is removed of each.
    dynamic, removed_dynamic : int
        Boilerplate with other words in every document, and how much of it is removed.
    cut_stretches, partial_stretches : int
        Stretches of boilerplate on one line of which something is removed, and those of which something stays.
    """

    spans: SpanScore = field(default_factory=SpanScore)
    dynamic: int = 0
    removed_dynamic: int = 0
    cut_stretches: int = 0
    partial_stretches: int = 0

    def __add__(self, other: CutScore) -> CutScore:
        return CutScore(
            self.spans + other.spans,
            self.dynamic + other.dynamic,
            self.removed_dynamic + other.removed_dynamic,
            self.cut_stretches + other.cut_stretches,
            self.partial_stretches + other.partial_stretches,
        )

    @property
    def boilerplate_recall(self) -> float | None:
        """Removed boilerplate of both kinds / all boilerplate; None where there is none."""
        total = self.spans.template + self.dynamic
        return (self.spans.removed_template + self.removed_dynamic) / total if total else None

    @property
    def partial_share(self) -> float | None:
        """Stretches cut in part / stretches cut at all; None if none is cut."""
        return self.partial_stretches / self.cut_stretches if self.cut_stretches else None


def score_cuts(text: str, gold: Iterable[tuple[int, int, str]], removed: Iterable[tuple[int, int]]) -> CutScore:
    """Compare the removed parts of a text with its annotation.

    A stretch is a run of boilerplate of either label on one line; white space does not end it, content does.

    Parameters
    ----------
    text : str
    gold : iterable of (start, end, label)
        In code points, end exclusive; the labels are "template" and "dynamic", and where both lie over each other it
        is template.
    removed : iterable of (start, end)
        May overlap.

    Raises
    ------
    CorpusError
        A span that is not in the text, or another label.
    """
    gold, removed = list(gold), list(removed)
    spans = score_spans(text, gold, removed)
    visible = visible_mask(text)
    template = span_mask(len(text), ((start, end) for start, end, label in gold if label == TEMPLATE))
    dynamic = (
        span_mask(len(text), ((start, end) for start, end, label in gold if label == DYNAMIC)) & ~template & visible
    )
    cut = span_mask(len(text), removed)
    boilerplate = (template & visible) | dynamic
    newline = np.fromiter((char == "\n" for char in text), np.bool_, len(text))
    stretch = np.cumsum(newline | (visible & ~boilerplate))[boilerplate]
    _, stretch_index = np.unique(stretch, return_inverse=True)
    stretch_size, removed_size = np.bincount(stretch_index), np.bincount(stretch_index, cut[boilerplate])
    return CutScore(
        spans,
        int(np.count_nonzero(dynamic)),
        int(np.count_nonzero(dynamic & cut)),
        int(np.count_nonzero(removed_size)),
        int(np.count_nonzero((removed_size > 0) & (removed_size < stretch_size))),
    )
