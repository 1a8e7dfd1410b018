"""What a reader sees of a cut: how much of all boilerplate goes, and how much of what is cut is cut in part.

It goes beyond `metrics.score_spans` in that text labelled "dynamic" (other words in every document: a related headline,
a byline) is boilerplate too, and in that a label cut without what it labels counts against a system.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field

import numpy as np

from templatemine.evaluation.metrics import DYNAMIC, TEMPLATE, SpanScore, black, covered, score_spans

__all__ = ["CutScore", "score_cuts"]


@dataclass(frozen=True, slots=True)
class CutScore:
    """Counts of characters other than white space, and of stretches; sums of scores are scores of several articles.

    Attributes
    ----------
    spans : SpanScore
        Templates and content, and what is removed of each.
    dynamic, followed : int
        Boilerplate with other words in every document, and how much of it is removed.
    cut, part : int
        Stretches of boilerplate on one line of which something is removed, and those of which something stays.
    """

    spans: SpanScore = field(default_factory=SpanScore)
    dynamic: int = 0
    followed: int = 0
    cut: int = 0
    part: int = 0

    def __add__(self, other: CutScore) -> CutScore:
        return CutScore(
            self.spans + other.spans,
            self.dynamic + other.dynamic,
            self.followed + other.followed,
            self.cut + other.cut,
            self.part + other.part,
        )

    @property
    def whole(self) -> float | None:
        """Removed boilerplate of both kinds / all boilerplate; None where there is none."""
        all_of_it = self.spans.template + self.dynamic
        return (self.spans.hit + self.followed) / all_of_it if all_of_it else None

    @property
    def torn(self) -> float | None:
        """Stretches cut in part / stretches cut at all; None if none is cut."""
        return self.part / self.cut if self.cut else None


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
    seen = black(text)
    template = covered(len(text), ((start, end) for start, end, label in gold if label == TEMPLATE))
    dynamic = covered(len(text), ((start, end) for start, end, label in gold if label == DYNAMIC)) & ~template & seen
    cut = covered(len(text), removed)
    boilerplate = (template & seen) | dynamic
    newline = np.fromiter((char == "\n" for char in text), np.bool_, len(text))
    stretch = np.cumsum(newline | (seen & ~boilerplate))[boilerplate]
    _, number = np.unique(stretch, return_inverse=True)
    size, gone = np.bincount(number), np.bincount(number, cut[boilerplate])
    return CutScore(
        spans,
        int(np.count_nonzero(dynamic)),
        int(np.count_nonzero(dynamic & cut)),
        int(np.count_nonzero(gone)),
        int(np.count_nonzero((gone > 0) & (gone < size))),
    )
