"""crf: runs of text between tags, labelled in sequence by conditional random fields.

Victor (Spousta, Marek and Pecina, Victor: the Web-Page Cleaning Tool, WAC4 2008).  A block is a stretch of text without
tags (section 3.1, step 4).  Each has features of its mark-up, its content and the document (section 3.2), mapped to a
few values by `BINS`; those of its neighbours are features too.  A linear chain says header, text or other of each.
header and text win only where the marginal probability of other is below `ExtractConfig.other` (section 5.2).

The model ships as `crf.model`, with what it was trained on and by which command in `crf.json`; the script is
``datasets/pages/train_crf.py``.  Decoding needs python-crfsuite, the extra ``crf``.

Pages are kept or dropped by the blocks of `pages.blocks`: one is kept if most of its characters stand in runs that are.
"""

from __future__ import annotations

import hashlib
import json
import re
import threading
from bisect import bisect_right
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from functools import lru_cache
from html import unescape
from importlib.resources import files
from types import ModuleType
from typing import Any

import numpy as np

from templatemine.config import ExtractConfig
from templatemine.errors import ConfigError, MissingExtraError, PackError
from templatemine.pages.blocks import Page
from templatemine.pages.outline import INLINE, Outline
from templatemine.pages.systems import Judge, Site, Verdict

__all__ = [
    "BINS",
    "LABELS",
    "attributes_of",
    "crfsuite",
    "features",
    "language",
    "make",
    "marginals",
    "model",
    "runs_of",
]

HEADER, TEXT, OTHER = LABELS = ("header", "text", "other")
"""Labels of the annotation, as training data name them."""

INSTALL = "pip install 'templatemine[crf]'"

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

CONTAINERS: Mapping[str, frozenset[str]] = {
    **{name: frozenset([name]) for name in ("p", "a", "u", "img")},
    "class-header": frozenset(["h1", "h2", "h3", "h4", "h5", "h6"]),
    "class-bold": frozenset(["b", "strong"]),
    "class-italic": frozenset(["i", "em"]),
    "class-list": frozenset(["ul", "ol", "li", "dl", "dt", "dd", "menu"]),
    "class-form": frozenset(["form", "fieldset", "label", "button", "select", "option", "legend"]),
}
"""Elements or kinds of elements that a run may stand in."""
_BIT = {tag: 1 << place for place, tags in enumerate(CONTAINERS.values()) for tag in tags}

SPLITS = ("p", "br", "hr", "class-inline", "class-block")

_SHARES = (0.001, 0.25, 0.5, 0.75, 0.95)
_COUNTS = (1, 2, 4, 8, 16, 32)
_RATIOS = (0.002, 0.01, 0.03, 0.1, 0.3, 0.6)
BINS: Mapping[str, Sequence[float]] = {
    **{f"char.{kind}-rel": _SHARES for kind in ("alpha", "num", "punct", "white", "other")},
    **{f"token.{kind}-rel": _SHARES for kind in ("alpha", "num", "mix", "other")},
    **{f"token.{kind}-abs": _COUNTS for kind in ("alpha", "num", "mix", "other")},
    **{f"split.{name}": (1, 2, 4) for name in SPLITS},
    "char.abs": (2, 4, 8, 16, 32, 64, 128, 256),
    "sentence.count": (1, 2, 3, 5),
    "sentence.avg-length": (1, 3, 6, 12, 24),
    "duplicate-count": (2, 3, 6),
    "div-group.word-ratio": _RATIOS,
    "td-group.word-ratio": _RATIOS,
    "langid": (1, 800, 1000, 1100, 1200, 1300, 1400),
    "position": (0.05, 0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9, 0.95),
    "document.word-count": (50, 150, 300, 600, 1200, 2400),
    "document.sentence-count": (5, 10, 20, 40, 80, 160),
    "document.block-count": (25, 50, 100, 200, 400, 800),
    "document.max-div-group": (0.1, 0.2, 0.4, 0.6, 0.8),
    "document.max-td-group": (0.1, 0.2, 0.4, 0.6, 0.8),
}
"""A value is the number of these that it reaches; what is not here is as it stands (0, 1, or a place in `REGEXPS`)."""

NEIGHBOURS = (
    "char.abs",
    "token.alpha-abs",
    "char.punct-rel",
    "sentence.count",
    "sentence-begin",
    "sentence-end",
    "container.a",
    "container.p",
    "container.class-header",
    "container.class-list",
    "container.class-bold",
    "split.class-block",
    "split.br",
    "div-group.word-ratio",
    "td-group.word-ratio",
    "duplicate-count",
    "regexp.date",
)
"""Features of the runs at `OFFSETS` that a run is judged by, beside all its own."""
OFFSETS = (-2, -1, 1, 2)

REASONS = ("other, by its run of labels", "text or header, by its run of labels", "no run of its own", "not shown")
DROPPED, KEPT, NONE, HIDDEN = range(4)

Row = dict[str, int]
Language = Callable[[Sequence[str]], list[float]]


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


def language(texts: Sequence[str]) -> list[float]:
    """How far each text is from the language of all: the distance of rank-ordered n-grams (Cavnar and Trenkle, 1994).

    Raises
    ------
    MissingExtraError
        resiliparse is not installed.
    """
    try:
        from resiliparse.parse.lang import detect_fast
    except ImportError as error:
        raise MissingExtraError("language features need resiliparse: pip install resiliparse") from error
    target, _ = detect_fast(" ".join(texts)[:100_000], cutoff=10**6)
    return [float(detect_fast(text, cutoff=10**6, langs=[target])[1]) for text in texts]


def features(page: Page, language: Language | None = None) -> tuple[list[Row], list[str], list[int]]:
    """Features of each run of a page (section 3.2) by name, quantised; its text; and its block.

    Parameters
    ----------
    language : callable, optional
        Texts -> a number each for how far it is from the language of the page; without it the feature is left out.
    """
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
    if language is not None:
        for row, value in zip(rows, language(texts), strict=True):
            row["langid"] = value
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


def attributes_of(rows: Sequence[Row]) -> list[list[str]]:
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


def crfsuite() -> ModuleType:
    """The library.

    Raises
    ------
    MissingExtraError
        It is not installed.
    """
    try:
        import pycrfsuite
    except ImportError as error:
        raise MissingExtraError(f"the system crf needs python-crfsuite: {INSTALL}") from error
    return pycrfsuite  # type: ignore[no-any-return]


@lru_cache(maxsize=1)
def model() -> bytes:
    """The model that comes with the package; kept, for taggers read it where it stands.

    Raises
    ------
    PackError
        It is not the one that was trained.
    """
    data = files("templatemine.pages").joinpath("crf.model").read_bytes()
    wanted = json.loads(files("templatemine.pages").joinpath("crf.json").read_text(encoding="utf-8"))["sha256"]
    if (found := hashlib.sha256(data).hexdigest()) != wanted:
        raise PackError(f"crf.model: expected the SHA-256 {wanted}, found {found}")
    return data


def marginals(tagger: Any, rows: Sequence[Row]) -> list[tuple[float, ...]]:
    """Probability of each of `LABELS`, for each run."""
    if not rows:
        return []
    tagger.set(attributes_of(rows))
    return [tuple(tagger.marginal(label, at) for label in LABELS) for at in range(len(rows))]


def make(site: Site, config: ExtractConfig) -> Judge:
    """See `ExtractConfig.other`."""
    if not 0 < config.other <= 1:
        raise ConfigError(f"other: expected a probability above 0, got {config.other}")
    library, data = crfsuite(), model()
    own = threading.local()

    def tagger() -> Any:
        """One for each thread, for it holds the page it works on."""
        if not hasattr(own, "tagger"):
            own.tagger = library.Tagger()
            own.tagger.open_inmemory(data)
        return own.tagger

    def judge(page: Page) -> Verdict:
        rows, texts, homes = features(page)
        sums = np.zeros((len(page), len(LABELS)))
        content = np.zeros(len(page))
        for home, text, chances in zip(homes, texts, marginals(tagger(), rows), strict=True):
            weight = max(1, len(text))
            sums[home] += np.array(chances) * weight
            content[home] += weight if chances[2] < config.other else -weight
        total = sums.sum(axis=1)
        reason = np.where(total == 0, NONE, np.where(content > 0, KEPT, DROPPED)).astype(np.int8)
        reason[page.hidden] = HIDDEN
        score = 1 - sums[:, 2] / np.maximum(total, 1e-9)
        score[total == 0] = 0
        kinds = np.where(reason == KEPT, np.argmax(sums[:, :2], axis=1), 2)
        return Verdict(
            kept=reason == KEPT,
            reason=reason,
            reasons=REASONS,
            score=score,
            labels=[LABELS[kind] for kind in kinds.tolist()],
        )

    return judge
