"""Runs and features of `pages.crf` written again, slowly and plainly, in Python.

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
from dataclasses import dataclass
from typing import Any

import numpy as np

from templatemine.pages.baselines.crf import BINS, CONTAINERS, INLINE, LABELS, NEIGHBOURS, OFFSETS
from templatemine.pages.blocks import Page
from templatemine.pages.page_tags import CLOSE, OPEN, OTHER
from templatemine.pages.scanner import TAG_NAMES, block_scanner

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

Row = dict[str, int]


@dataclass(frozen=True, slots=True)
class Run:
    """A text without tags: where it stands in the page, its block, the open elements by number and name, outermost
    first, and the names of the tags, of beginnings and ends, since the run before."""

    text: str
    start: int
    end: int
    block: int
    around: Mapping[int, str]
    tags: Sequence[str]


def runs_of(page: Page) -> list[Run]:
    """The texts between the tags of a page and the edges of its blocks."""
    marks, bounds = block_scanner().scan_marks(page.data), page.columns["bounds"].tolist()
    rows = list(
        zip(*(marks[name].tolist() for name in ("at", "kinds", "tags", "elements", "starts", "ends")), strict=True)
    )
    runs: list[Run] = []
    around: dict[int, str] = {}
    pending: list[str] = []
    passed = tag_end = 0
    edges = sorted({row[0] for row in rows} | set(bounds))
    for left, right in itertools.pairwise(edges):
        while passed < len(rows) and rows[passed][0] <= left:
            _, kind, tag, element, _, end = rows[passed]
            if kind == OPEN:
                around[element] = TAG_NAMES[tag]
            elif kind == CLOSE:
                del around[element]
            pending += [TAG_NAMES[tag]] * (kind != OTHER)
            tag_end = max(tag_end, end)
            passed += 1
        block = bisect_right(bounds, left) - 1
        following = [row[4] for row in rows[passed:] if row[5]]
        text = re.sub(r"\s", " ", page.all_text[left:right].decode("utf-8", "surrogatepass").removeprefix(" "))
        start, stop = (int(page.columns[name][block]) for name in ("starts", "ends"))
        runs.append(Run(text, max(start, tag_end), min([stop, *following[:1]]), block, dict(around), tuple(pending)))
        pending = []
    return runs


def features(page: Page) -> list[Row]:
    """Features of each run of a page (section 3.2) by name, quantised."""
    runs = runs_of(page)
    rows = [_content(run.text) for run in runs]
    own = [0 if "a" in run.around.values() else row["words"] for run, row in zip(runs, rows, strict=True)]
    for kind in ("div", "td"):
        homes = [max((number for number, name in run.around.items() if name == kind), default=-1) for run in runs]
        _group(rows, homes, own, kind)
    _duplicates(rows, [run.text for run in runs])
    for row, run in zip(rows, runs, strict=True):
        _markup(row, run)
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
    return [_quantised(row) for row in rows]


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


def _markup(row: dict[str, Any], run: Run) -> None:
    """Mark-up features of one run: what it stands in, and the tags since the one before."""
    for name, kind in CONTAINERS.items():
        row[f"container.{name}"] = int(not kind.isdisjoint(run.around.values()))
    for name in ("p", "br", "hr"):
        row[f"split.{name}"] = run.tags.count(name)
    inline = sum(tag in INLINE for tag in run.tags)
    row["split.class-inline"] = inline
    row["split.class-block"] = len(run.tags) - inline


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
