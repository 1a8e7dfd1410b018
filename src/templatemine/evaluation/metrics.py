"""Measures: spans in characters, texts in words, CleanEval's, and the distance of two texts.

Texts and spans come in, counts go out; rates are properties of the counts, so that counts can be summed before they
are divided.  The words of two texts are matched by their longest common subsequence (LCS), which takes time in the
product of their lengths, 64 words at a time (rapidfuzz, the extra ``eval``).
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from html import unescape
from statistics import fmean
from types import ModuleType
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from templatemine.errors import CorpusError, needs_extra

Mask = NDArray[np.bool_]

_SINGLE = "\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af"
_WORD = re.compile(rf"[{_SINGLE}]|[^\W{_SINGLE}]+")
_TAG = re.compile(r"<([phl])>", re.IGNORECASE)

TEMPLATE, DYNAMIC, OPTIONAL = STATUSES = ("template", "dynamic", "optional")
"""Status of an annotated span: boilerplate that must be removed; boilerplate with other words in every document, whose
removal is neither required nor punished; what some keep and others remove, which is not counted at all."""

GoldSpan: TypeAlias = tuple[int, int, str] | tuple[int, int, str, str]
"""An annotated span: start and end in code points, end exclusive; its status; its kind, where that is known."""


def harmonic_mean(first: float, second: float) -> float:
    """Return the harmonic mean; 0 if both are 0."""
    return 2 * first * second / (first + second) if first + second else 0.0


# -------------------------------------------------------------------------------------------------------------- spans


@dataclass(frozen=True, slots=True)
class SpanScore:
    """Counts of characters other than white space: of templates, of content, and of removed ones of each.

    `recall`, `precision` and `f1` are None where there is no template text; then only `loss` tells something.
    """

    template: int = 0
    content: int = 0
    removed_template: int = 0
    removed_content: int = 0

    def __add__(self, other: SpanScore) -> SpanScore:
        return SpanScore(
            self.template + other.template,
            self.content + other.content,
            self.removed_template + other.removed_template,
            self.removed_content + other.removed_content,
        )

    @property
    def recall(self) -> float | None:
        """Return removed template / all template."""
        return self.removed_template / self.template if self.template else None

    @property
    def precision(self) -> float | None:
        """Return removed template / (removed template + removed content); 1 if nothing was removed."""
        if not self.template:
            return None
        return (
            self.removed_template / (self.removed_template + self.removed_content)
            if self.removed_template + self.removed_content
            else 1.0
        )

    @property
    def f1(self) -> float | None:
        """Return the harmonic mean of the two."""
        recall, precision = self.recall, self.precision
        return None if recall is None or precision is None else harmonic_mean(recall, precision)

    @property
    def loss(self) -> float:
        """Return the content lost: removed content / all content."""
        return self.removed_content / max(1, self.content)

    @property
    def per_10k(self) -> float:
        """Return the content lost, in 10,000 characters of content."""
        return 1e4 * self.loss


def visible_mask(text: str) -> Mask:
    """Return True for each character that is not white space."""
    return ~np.fromiter(map(str.isspace, text), np.bool_, len(text))


def span_mask(length: int, spans: Iterable[tuple[int, int]]) -> Mask:
    """Return True for each character in one of the spans [start, end)."""
    mask = np.zeros(length, np.bool_)
    for start, end in spans:
        if not 0 <= start <= end <= length:
            raise CorpusError(f"expected a span within {length} characters, found [{start}, {end})")
        mask[start:end] = True
    return mask


def status_masks(text: str, gold: Iterable[GoldSpan]) -> tuple[Mask, Mask, Mask]:
    """Return the characters of each status, in the order of `STATUSES`; where spans overlap, the first status holds.

    Raises
    ------
    CorpusError
        A span that is not in the text, or another status.
    """
    spans: dict[str, list[tuple[int, int]]] = {status: [] for status in STATUSES}
    for start, end, status, *_ in gold:
        if status not in spans:
            raise CorpusError(f"expected a status of {', '.join(STATUSES)}, found {status!r}")
        spans[status].append((start, end))
    template, dynamic, optional = (span_mask(len(text), spans[status]) for status in STATUSES)
    return template, dynamic & ~template, optional & ~template & ~dynamic


def score_spans(text: str, gold: Iterable[GoldSpan], removed: Iterable[tuple[int, int]]) -> SpanScore:
    """Compare the removed parts of a text with its annotation.

    Parameters
    ----------
    gold : iterable of (start, end, status), perhaps with a fourth value
        In code points, end exclusive; see `status_masks`.
    removed : iterable of (start, end)
        May overlap.

    Raises
    ------
    CorpusError
        A span that is not in the text, or another status.
    """
    visible = visible_mask(text)
    template, dynamic, optional = status_masks(text, gold)
    content = visible & ~(template | dynamic | optional)
    template &= visible
    cut = span_mask(len(text), removed)
    return SpanScore(*(int(np.count_nonzero(mask)) for mask in (template, content, template & cut, content & cut)))


def macro_average(scores: Iterable[SpanScore]) -> dict[str, float | None]:
    """Return the means over sources; recall, precision and F1 over those with template text."""
    scores = list(scores)
    mean: dict[str, float | None] = {}
    for name in ("recall", "precision", "f1", "loss"):
        values = [value for score in scores if (value := getattr(score, name)) is not None]
        mean[name] = fmean(values) if values else None
    return mean


# -------------------------------------------------------------------------------------------------------------- words


def split_words(text: str) -> list[str]:
    """Split a text into runs of letters and digits; a Han, kana or Hangul character is a word of its own."""
    return _WORD.findall(text)


@dataclass(frozen=True, slots=True)
class WordScore:
    """Counts of common words, in order; of words of a system; of words of the gold text."""

    match: int
    predicted: int
    expected: int

    @property
    def precision(self) -> float:
        return self.match / max(1, self.predicted)

    @property
    def recall(self) -> float:
        return self.match / max(1, self.expected)

    @property
    def f1(self) -> float:
        """Return 1 - d / (got + wanted), d being the edit distance with insertions and deletions of words."""
        return harmonic_mean(self.precision, self.recall)


def score_words(predicted: Sequence[str], expected: Sequence[str]) -> WordScore:
    """Match two sequences of words by their longest common subsequence."""
    match = int(_rapidfuzz().LCSseq.similarity(predicted, expected))
    return WordScore(match, len(predicted), len(expected))


def word_distance(first: str, second: str) -> float:
    """Return the Levenshtein distance of two texts in words, as a share of the longer one: 0 equal, 1 nothing in
    common."""
    return float(_rapidfuzz().Levenshtein.normalized_distance(split_words(first), split_words(second)))


def _rapidfuzz() -> ModuleType:
    with needs_extra("matching texts needs rapidfuzz", "eval"):
        from rapidfuzz import distance
    return distance


# ---------------------------------------------------------------------------------------------------------- CleanEval


@dataclass(frozen=True, slots=True)
class CleanEvalScore:
    """CleanEval's measure as Baisa (2009) uses it (section 3.1): the fewest insertions and deletions of words that make
    one text of the other.

    `text` counts words alone; `bounds` words and the beginnings of segments; `marked` words and beginnings with their
    label (paragraph, heading, list item).  Table 3.1 there gives the precision of `text` and the recall of `marked`.
    """

    text: WordScore
    bounds: WordScore
    marked: WordScore


def split_segments(text: str) -> list[str]:
    """Return a text as words and mark-up: <p>, <h> and <l> are kept; a text without any gets a <p> at each line."""
    if not _TAG.search(text):
        text = "\n".join(f"<p>{line}" for line in text.splitlines() if line.strip())
    pieces = _TAG.split(text)
    tokens = split_words(unescape(pieces[0]))
    for tag, piece in zip(pieces[1::2], pieces[2::2], strict=True):
        tokens += [f"<{tag.lower()}>", *split_words(unescape(piece))]
    return tokens


def cleaneval_score(predicted: str, gold: str) -> CleanEvalScore:
    """Score a text, with or without mark-up, against a gold text in CleanEval's mark-up (its URL line taken off)."""
    pair = (split_segments(predicted), split_segments(gold))
    text = [[word for word in tokens if word[0] != "<"] for tokens in pair]
    bounds = [["<>" if word[0] == "<" else word for word in tokens] for tokens in pair]
    return CleanEvalScore(score_words(*text), score_words(*bounds), score_words(*pair))
