"""The features of `pages.crf` written again, slowly and plainly, in Python over `outline_reference`.

In comes a page, out come its runs that stand in blocks, a row of features each by name, and their texts; `attributes`
names what the model sees of each.  `chances` sums over all sequences of labels.
"""

from __future__ import annotations

import itertools
import math
import re
from bisect import bisect_right
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from html import unescape
from typing import Any

import numpy as np

from outline_reference import Outline
from templatemine.pages.baselines.crf import BINS, CONTAINERS, INLINE, LABELS, NEIGHBOURS, OFFSETS
from templatemine.pages.blocks import Page

_SINGLE = "\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af"
_TOKEN = re.compile(rf"[{_SINGLE}]|[^\s{_SINGLE}]+")
_SENTENCE = re.compile(r"[.!?。！？؟]+")
_EDGES = ".,;:!?\"'()[]{}«»“”„‘’…|/\\-–—·•*<>"
_CLOSING = "\"'”’»）)」』] "
_STOPS = tuple(".!?。！？؟…")

REGEXPS: Mapping[str, Sequence[re.Pattern[str]]] = {
    "url": (
        re.compile(r"^(?:https?://|www\.)\S+$", re.IGNORECASE),
        re.compile(r"\b(?:https?://|www\.)\S+", re.IGNORECASE),
        re.compile(r"\b[\w.+-]{1,60}@[\w-]{1,60}\.\w", re.IGNORECASE),
    ),
    "date": (
        re.compile(
            r"\b(?:19|20)\d\d[-/.年]\s?\d{1,2}[-/.月]\s?\d{1,2}|\b\d{1,2}[-/.]\s?\d{1,2}[-/.]\s?(?:19|20)\d\d\b"
        ),
        re.compile(r"\b\d{1,2}\.? ?\w{3,10},? (?:19|20)\d\d\b|\b\w{3,10}\.? \d{1,2}(?:st|nd|rd|th)?,? (?:19|20)\d\d\b"),
        re.compile(r"\b(?:19|20)\d\d\b"),
    ),
    "time": (
        re.compile(r"\b[012]?\d[:.][0-5]\d(?:[:.][0-5]\d)?\b"),
        re.compile(r"\b\d{1,2} ?[ap]\.?m\b", re.IGNORECASE),
    ),
}
"""Expressions by feature; the value is the place of the first that matches, from 1 on."""

_BIT = {tag: 1 << place for place, tags in enumerate(CONTAINERS.values()) for tag in tags}

Row = dict[str, int]


def runs_of(page: Page) -> tuple[Outline, list[int], list[int]]:
    """The page as written, the runs of it that stand in blocks, and the block of each."""
    outline = Outline(page.html)
    spans = page.spans(np.arange(len(page)))
    starts = [start for start, _ in spans]
    kept, homes = [], []
    for number, (start, end, _, _) in enumerate(outline.runs):
        block = bisect_right(starts, end - 1) - 1
        if block >= 0 and spans[block][1] > start:
            kept.append(number)
            homes.append(block)
    return outline, kept, homes


def features(page: Page) -> tuple[list[Row], list[str], list[int]]:
    """Features of each run of a page (section 3.2) by name, quantised; its text; and its block."""
    outline, numbers, homes = runs_of(page)
    texts = [
        " ".join(unescape(outline.html[start:end]).split()) for start, end, _, _ in (outline.runs[n] for n in numbers)
    ]
    rows = [_content(text) for text in texts]
    masks, groups = _containers(outline)
    elements = [outline.runs[number][2] for number in numbers]
    linked = _BIT["a"]
    own = [
        0 if element >= 0 and masks[element] & linked else row["words"]
        for element, row in zip(elements, rows, strict=True)
    ]
    for kind in ("div", "td"):
        _group(rows, [groups[kind][element] if element >= 0 else -1 for element in elements], own, kind)
    _duplicates(rows, texts)
    pending: list[str] = []
    marks = iter(numbers)
    wanted, place = next(marks, -1), 0
    for number, run in enumerate(outline.runs):
        pending.extend(run[3])
        if number == wanted:
            _markup(rows[place], masks[run[2]] if run[2] >= 0 else 0, pending)
            pending, place, wanted = [], place + 1, next(marks, -1)
    size, words = len(rows), sum(row["words"] for row in rows)
    document = {
        "document.word-count": words,
        "document.sentence-count": sum(row["sentence.count"] for row in rows),
        "document.block-count": size,
        "document.max-div-group": max((row["div-group.word-ratio"] for row in rows), default=0),
        "document.max-td-group": max((row["td-group.word-ratio"] for row in rows), default=0),
    }
    for at, row in enumerate(rows):
        row["position"] = at / max(1, size - 1)
        row |= document
    return [_quantised(row) for row in rows], texts, homes


def _quantised(row: Mapping[str, Any]) -> Row:
    return {
        name: bisect_right(BINS[name], value) if name in BINS else value
        for name, value in row.items()
        if name != "words"
    }


def _content(text: str) -> dict[str, Any]:
    """Content-based features of one run."""
    size = max(1, len(text))
    alpha, num, white = (sum(map(kind, text)) for kind in (str.isalpha, str.isdigit, str.isspace))
    punct = sum(map(text.count, _EDGES))
    tokens = [token.strip(_EDGES) for token in _TOKEN.findall(text)]
    kinds = Counter(
        "alpha" if token.isalpha() else "num" if token.isdigit() else "mix" if token.isalnum() else "other"
        for token in tokens
    )
    sentences = len(_SENTENCE.findall(text))
    row: dict[str, Any] = {
        "words": len(tokens) - sum(not token for token in tokens),
        "char.alpha-rel": alpha / size,
        "char.num-rel": num / size,
        "char.punct-rel": punct / size,
        "char.white-rel": white / size,
        "char.other-rel": max(0, size - alpha - num - punct - white) / size,
        "char.abs": len(text),
        "sentence.count": sentences,
        "sentence.avg-length": len(tokens) / max(1, sentences),
        "sentence-begin": int(text.lstrip(_CLOSING)[:1].isupper()),
        "sentence-end": int(text.rstrip(_CLOSING).endswith(_STOPS)),
    }
    for kind in ("alpha", "num", "mix", "other"):
        row[f"token.{kind}-rel"] = kinds[kind] / max(1, len(tokens))
        row[f"token.{kind}-abs"] = kinds[kind]
    head = text[:2000]
    for name, patterns in REGEXPS.items():
        row[f"regexp.{name}"] = next((at for at, one in enumerate(patterns, 1) if one.search(head)), 0)
    return row


def _containers(outline: Outline) -> tuple[list[int], dict[str, list[int]]]:
    """Of each element, the kinds it is or stands in as bits, and the nearest div and td."""
    masks: list[int] = []
    groups: dict[str, list[int]] = {"div": [], "td": []}
    for number, (tag, parent) in enumerate(zip(outline.tags, outline.parents, strict=True)):
        masks.append((masks[parent] if parent >= 0 else 0) | _BIT.get(tag, 0))
        for kind, nearest in groups.items():
            nearest.append(number if tag == kind else nearest[parent] if parent >= 0 else -1)
    return masks, groups


def _group(rows: Sequence[dict[str, Any]], homes: Sequence[int], words: Sequence[int], kind: str) -> None:
    """Share of the words outside of links that stand directly in the same element."""
    sums: Counter[int] = Counter()
    for home, count in zip(homes, words, strict=True):
        sums[home] += count
    total = max(1, sum(words))
    for row, home in zip(rows, homes, strict=True):
        row[f"{kind}-group.word-ratio"] = sums[home] / total if home >= 0 else 0.0


def _duplicates(rows: Sequence[dict[str, Any]], texts: Sequence[str]) -> None:
    """Runs of the same letters."""
    keys = ["".join(filter(str.isalpha, text)) or text for text in texts]
    count, seen = Counter(keys), set()
    for row, key in zip(rows, keys, strict=True):
        row["duplicate-count"] = count[key]
        row["first-duplicate"] = int(count[key] > 1 and key not in seen)
        seen.add(key)


def _markup(row: dict[str, Any], mask: int, marks: Sequence[str]) -> None:
    """Mark-up features of one run: what it stands in, and the tags since the one before."""
    for place, name in enumerate(CONTAINERS):
        row[f"container.{name}"] = mask >> place & 1
    for name in ("p", "br", "hr"):
        row[f"split.{name}"] = marks.count(name)
    inline = sum(mark in INLINE for mark in marks)
    row["split.class-inline"] = inline
    row["split.class-block"] = len(marks) - inline


def attributes(rows: Sequence[Row]) -> list[list[str]]:
    """What the model sees of each run: its own features, and some of its neighbours', as name=value; no row for a 0."""
    own = [[f"{name}={value}" for name, value in row.items() if value] for row in rows]
    near = [[f"{name}={row[name]}" for name in NEIGHBOURS if row[name]] for row in rows]
    for offset in OFFSETS:
        labels = [[f"{offset:+}:{one}" for one in names] for names in near]
        for at, row in enumerate(own):
            if 0 <= at + offset < len(rows):
                row += labels[at + offset]
            else:
                row.append(f"{offset:+}:edge")
    return own


def chances(rows: Sequence[Row], weights: Mapping[str, Sequence[float]], steps: Mapping[str, Sequence[float]]) -> Any:
    """Marginals of the labels of a few runs, by the weights of all sequences of labels."""
    none = [0.0] * len(LABELS)
    state = [
        [sum(column) for column in zip(*(weights.get(one, none) for one in row), none, strict=True)]
        for row in attributes(rows)
    ]
    found = np.zeros((len(rows), len(LABELS)))
    for labels, score in _sequences(state, [steps[label] for label in LABELS]):
        for at, label in enumerate(labels):
            found[at, label] += math.exp(score)
    return found / found.sum(axis=1, keepdims=True)


def _sequences(
    state: Sequence[Sequence[float]], steps: Sequence[Sequence[float]]
) -> Iterator[tuple[tuple[int, ...], float]]:
    for labels in itertools.product(range(len(LABELS)), repeat=len(state)):
        own = sum(row[label] for row, label in zip(state, labels, strict=True))
        yield labels, own + sum(steps[one][other] for one, other in itertools.pairwise(labels))
