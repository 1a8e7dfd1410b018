"""Scores of cuts: the share of removed boilerplate, stretches cut in part, and wounds in content.

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

OTHER = "other"
"""Gold boilerplate of none of our kinds: it says nothing of ours."""


Cut = tuple[int, int] | tuple[int, int, str]
"""Start and end of a removed part, and its kind if that is known."""


class KindCount(NamedTuple):
    """Characters other than white space of one kind.

    Attributes
    ----------
    size, removed : int
        Of template and dynamic text of this kind, all and those that are removed.
    cut : int
        Removed ones of spans of this kind, whatever their status.
    told : int
        Removed ones that are said to be of this kind, in spans of a known kind.
    right : int
        Those that are of it.
    """

    size: int = 0
    removed: int = 0
    cut: int = 0
    told: int = 0
    right: int = 0


@dataclass(frozen=True, slots=True)
class CutScore:
    """Counts of characters other than white space, and of stretches; sums of scores are scores of several articles.

    Attributes
    ----------
    spans : SpanScore
        Templates and content, and the removed part of each.
    dynamic, removed_dynamic : int
        Boilerplate with other words in every document, and how much of it is removed.
    cut_stretches, partial_stretches : int
        Stretches of boilerplate on one line of which something is removed, and those of which something stays.
    wounds : int
        Places at which letters or digits of content are removed; white space between cuts parts no two of them.
    articles : int
    kinds : mapping
        Kind -> its count; spans that lie over each other count in both kinds.
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
        """Return removed boilerplate of both kinds / all boilerplate; None where there is none."""
        total = self.spans.template + self.dynamic
        return (self.spans.removed_template + self.removed_dynamic) / total if total else None

    @property
    def partial_share(self) -> float | None:
        """Return stretches cut in part / stretches cut at all; None if none is cut."""
        return self.partial_stretches / self.cut_stretches if self.cut_stretches else None

    @property
    def wound_rate(self) -> float:
        """Return the wounds in 100 articles."""
        return 100 * self.wounds / max(1, self.articles)


def _add_kinds(first: Mapping[str, KindCount], second: Mapping[str, KindCount]) -> dict[str, KindCount]:
    total = dict(first)
    for kind, count in second.items():
        known = total.get(kind, KindCount())
        total[kind] = KindCount(*map(sum, zip(known, count, strict=True)))
    return total


def average_kinds(scores: Iterable[CutScore]) -> dict[str, tuple[float, int, int]]:
    """Return, for each kind, the share that is removed, its sources and its characters; the share is a mean over
    sources."""
    counts: dict[str, list[KindCount]] = {}
    for score in scores:
        for kind, count in score.kinds.items():
            if count.size:
                counts.setdefault(kind, []).append(count)
    averages: dict[str, tuple[float, int, int]] = {}
    for kind, rows in sorted(counts.items()):
        averages[kind] = fmean(row.removed / row.size for row in rows), len(rows), sum(row.size for row in rows)
    return averages


def compare_kinds(scores: Iterable[CutScore]) -> dict[str, KindCount]:
    """Return the counts of each kind over all sources, in the order of their names."""
    total: dict[str, KindCount] = {}
    for score in scores:
        total = _add_kinds(total, score.kinds)
    return dict(sorted(total.items()))


def score_cuts(text: str, gold: Iterable[GoldSpan], removed: Iterable[Cut]) -> CutScore:
    """Compare the removed parts of a text with its annotation.

    A stretch is a run of boilerplate of either status on one line; white space does not end it, content does.

    Parameters
    ----------
    gold : iterable of (start, end, status) or (start, end, status, kind)
        In code points, end exclusive; see `metrics.status_masks`.
    removed : iterable of (start, end) or (start, end, kind)
        May overlap.  Without kinds nothing is said of whether these are right.

    Raises
    ------
    CorpusError
        A span that is not in the text, or another status.
    """
    gold, cuts = list(gold), list(removed)
    stretches = [(cut[0], cut[1]) for cut in cuts]
    spans = score_spans(text, gold, stretches)
    visible = visible_mask(text)
    template, dynamic, optional = status_masks(text, gold)
    cut = span_mask(len(text), stretches)
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
        _add_kinds(_count_kinds(gold, visible, cut), _judge_kinds(gold, cuts, visible)),
    )


def _count_wounds(text: str, wounded: Mask, visible: Mask) -> int:
    """Count the runs of removed content that hold a letter or a digit.  Visible text that stays, or is no content,
    ends a run."""
    alphanumeric = np.fromiter(map(str.isalnum, text), np.bool_, len(text))
    run = np.cumsum(visible & ~wounded)
    return len(np.unique(run[wounded & alphanumeric]))


def _count_kinds(gold: Sequence[GoldSpan], visible: Mask, cut: Mask) -> dict[str, KindCount]:
    counts: dict[str, KindCount] = {}
    for start, end, status, *kind in gold:
        if kind:
            own = visible[start:end]
            size, removed = int(np.count_nonzero(own)), int(np.count_nonzero(own & cut[start:end]))
            required = (0, 0) if status == OPTIONAL else (size, removed)
            counts = _add_kinds(counts, {kind[0]: KindCount(*required, cut=removed)})
    return counts


def _judge_kinds(gold: Sequence[GoldSpan], cuts: Sequence[Cut], visible: Mask) -> dict[str, KindCount]:
    """Judge the kinds of cuts: in a span of several kinds, each of them is right."""
    masks: dict[str, Mask] = {}
    for start, end, _, *kind in gold:
        if kind and kind[0] != OTHER:
            masks.setdefault(kind[0], np.zeros(len(visible), np.bool_))[start:end] = True
    known = np.logical_or.reduce([*masks.values()], axis=0) & visible if masks else np.zeros(len(visible), np.bool_)
    counts: dict[str, KindCount] = {}
    for start, end, *kind in cuts:
        if kind and (told := int(np.count_nonzero(known[start:end]))):
            name = str(kind[0])
            right = int(np.count_nonzero(visible[start:end] & masks[name][start:end])) if name in masks else 0
            counts = _add_kinds(counts, {name: KindCount(told=told, right=right)})
    return counts
