"""Scores of cuts: how much of all boilerplate goes, what is cut in part, and where content is wounded.

It goes beyond `metrics.score_spans` in that text of status "dynamic" (other words in every document: a related
headline, a byline) is boilerplate too, in that a label cut without what it labels counts against a system, and in that
the places are counted at which content is cut: an editor counts these, not characters.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from statistics import fmean
from typing import NamedTuple

import numpy as np

from templatemine.evaluation.metrics import (
    OPTIONAL,
    GoldSpan,
    Mask,
    SpanScore,
    score_spans,
    span_mask,
    status_masks,
    visible_mask,
)

__all__ = ["CutScore", "KindCount", "average_kinds", "score_cuts"]


class KindCount(NamedTuple):
    """Characters other than white space of spans of one kind, and how many of them are removed."""

    size: int = 0
    removed: int = 0


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
    wounds : int
        Places at which letters or digits of content are removed; white space between cuts parts no two of them.
    articles : int
    kinds : mapping
        Kind of template and dynamic text -> its count; spans that lie over each other count in both kinds.
    """

    spans: SpanScore = field(default_factory=SpanScore)
    dynamic: int = 0
    removed_dynamic: int = 0
    cut_stretches: int = 0
    partial_stretches: int = 0
    wounds: int = 0
    articles: int = 0
    kinds: Mapping[str, KindCount] = field(default_factory=dict)

    def __add__(self, other: CutScore) -> CutScore:
        return CutScore(
            self.spans + other.spans,
            self.dynamic + other.dynamic,
            self.removed_dynamic + other.removed_dynamic,
            self.cut_stretches + other.cut_stretches,
            self.partial_stretches + other.partial_stretches,
            self.wounds + other.wounds,
            self.articles + other.articles,
            _add_kinds(self.kinds, other.kinds),
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

    @property
    def wound_rate(self) -> float:
        """Wounds in 100 articles."""
        return 100 * self.wounds / max(1, self.articles)


def _add_kinds(first: Mapping[str, KindCount], second: Mapping[str, KindCount]) -> dict[str, KindCount]:
    total = dict(first)
    for kind, count in second.items():
        known = total.get(kind, KindCount())
        total[kind] = KindCount(known.size + count.size, known.removed + count.removed)
    return total


def average_kinds(scores: Iterable[CutScore]) -> dict[str, tuple[float, int, int]]:
    """Of each kind, the share that is removed, its sources and its characters; the share is a mean over sources."""
    counts: dict[str, list[KindCount]] = {}
    for score in scores:
        for kind, count in score.kinds.items():
            counts.setdefault(kind, []).append(count)
    averages: dict[str, tuple[float, int, int]] = {}
    for kind, rows in sorted(counts.items()):
        shares = [row.removed / row.size for row in rows if row.size]
        averages[kind] = (fmean(shares) if shares else 0.0, len(rows), sum(row.size for row in rows))
    return averages


def score_cuts(text: str, gold: Iterable[GoldSpan], removed: Iterable[tuple[int, int]]) -> CutScore:
    """Compare the removed parts of a text with its annotation.

    A stretch is a run of boilerplate of either status on one line; white space does not end it, content does.

    Parameters
    ----------
    text : str
    gold : iterable of (start, end, status) or (start, end, status, kind)
        In code points, end exclusive; see `metrics.status_masks`.
    removed : iterable of (start, end)
        May overlap.

    Raises
    ------
    CorpusError
        A span that is not in the text, or another status.
    """
    gold, removed = list(gold), list(removed)
    spans = score_spans(text, gold, removed)
    visible = visible_mask(text)
    template, dynamic, optional = status_masks(text, gold)
    cut = span_mask(len(text), removed)
    wounded = cut & ~(template | dynamic | optional)
    dynamic &= visible
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
        _count_wounds(text, wounded, visible),
        1,
        _count_kinds(gold, visible, cut),
    )


def _count_wounds(text: str, wounded: Mask, visible: Mask) -> int:
    """Runs of removed content that hold a letter or a digit; what is visible and stays, or is no content, ends one."""
    alphanumeric = np.fromiter(map(str.isalnum, text), np.bool_, len(text))
    run = np.cumsum(visible & ~wounded)
    return len(np.unique(run[wounded & alphanumeric]))


def _count_kinds(gold: Sequence[GoldSpan], visible: Mask, cut: Mask) -> dict[str, KindCount]:
    counts: dict[str, KindCount] = {}
    for start, end, status, *kind in gold:
        if kind and status != OPTIONAL:
            own = visible[start:end]
            size, removed = np.count_nonzero(own), np.count_nonzero(own & cut[start:end])
            counts = _add_kinds(counts, {kind[0]: KindCount(int(size), int(removed))})
    return counts
