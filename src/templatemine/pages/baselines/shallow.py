"""shallow: blocks by their shallow text features, then the main block.

San and Aye (Noise block cleaning and main content block extraction from dynamic web page), on the features of
Kohlschuetter, Fankhauser and Nejdl (2010):

1. Context-free classes (section 4.1.2.1, algorithm 1): bad, short, near-good or good, by length, link density and the
   share of stop words.  Lists of stop words are of one language each, so words of up to three bytes in lower case stand
   for them; text of scripts without spaces counts as grammatical if a sentence ends in it.
2. Context-sensitive classes (section 4.1.2.2): short and near-good blocks go with the good or bad blocks around it.
3. A decision tree over the features of a block and its neighbours decides.  It ships as a table (`shallow.json`),
   trained by ``datasets/pages/train_shallow.py``; `find_leaves` applies it.
4. Blocks with a copyright sign go (section 4.1.1), and duplicate blocks, by cosine similarity of their keywords
   (equation 2), see `pages.main_block`.
5. Blocks have weights, and so has each main block around them (equations 3 to 7); on request only the greatest one
   is kept.
"""

from __future__ import annotations

import json
import re
from dataclasses import dataclass
from functools import lru_cache
from importlib.resources import files
from typing import Any

import numpy as np
from numpy.typing import NDArray

from templatemine.config import ExtractConfig
from templatemine.pages import _html
from templatemine.pages.baselines import _systems
from templatemine.pages.baselines.main_block import find_duplicates, weigh_main_blocks
from templatemine.pages.blocks import Page
from templatemine.pages.scanner import TAG_FLAGS, TAG_NAMES
from templatemine.pages.systems import BlockClassifier, Site, SystemOutput

Column = NDArray[np.float64]

CLASSES = ("bad", "short", "near-good", "good")
BAD, SHORT, NEAR, GOOD = range(4)

LENGTH_LOW, LENGTH_HIGH = 10, 30
"""In words.  The thesis on jusText that the paper takes algorithm 1 from has 70 and 200 characters; a word of English
news has 5.8 with its blank (measured on 2,000 articles).  Rounded down, for other languages have longer ones."""
MAX_LINK_DENSITY = 0.3
"""The paper's example (section 4.1.2.2) begins with this."""
STOP_LOW, STOP_HIGH = 0.15, 0.25
"""Some 40 and 65 % of the 39 % that words of up to three letters make up in English news, measured on the same."""

LOCAL_FEATURES = (
    *("words", "link_density", "text_density", "word_length", "capitals", "all_capitals", "stops", "bars", "dates"),
    *("heading", "p", "div", "a", "class", "resolved"),
)
NEIGHBOUR_FEATURES = ("words", "link_density", "text_density", "word_length", "stops", "heading", "class")
QUOTIENT_FEATURES = ("words", "text_density")
FEATURES = (
    *LOCAL_FEATURES,
    *(f"{name}_before" for name in NEIGHBOUR_FEATURES),
    *(f"{name}_after" for name in NEIGHBOUR_FEATURES),
    *(f"{name}_quotient" for name in QUOTIENT_FEATURES),
    *("position", "link_density_page"),
)
"""Columns of `compute_features`; _before and _after are those of the neighbours, 0 at the edges of a page."""

_COPYRIGHT_SIGN = re.compile("©".encode())

CONTENT_THRESHOLD = 0.5
"""Probability of content above which a leaf keeps its blocks."""

COUNT_INDEX = {name: place for place, name in enumerate(_html.COUNTS)}

REASONS = (
    "says what an earlier block says",
    "not in the main block",
    "with a copyright sign",
    "not shown",
)
"""Reasons of blocks that the tree does not decide on; behind them come those of its leaves, see `describe_leaves`."""
DUPLICATE, OUTSIDE, COPYRIGHT, HIDDEN, LEAF = range(5)


def context_free(words: Column, link_density: Column, stop_density: Column) -> NDArray[np.int8]:
    """Return a place in `CLASSES` for each block (algorithm 1)."""
    medium = np.where(stop_density > STOP_LOW, NEAR, BAD)
    long = np.where(stop_density > STOP_HIGH, np.where(words > LENGTH_HIGH, GOOD, NEAR), medium)
    brief = np.where(link_density > 0, BAD, SHORT)
    classes = np.where(link_density > MAX_LINK_DENSITY, BAD, np.where(words < LENGTH_LOW, brief, long))
    return classes.astype(np.int8)


def context_sensitive(classes: NDArray[np.int8]) -> NDArray[np.bool_]:
    """Return good or not, for each block (section 4.1.2.2); the edges of the page count as bad.

    Of a run of short and near-good blocks between a good and a bad one, those from the near-good block nearest to the
    bad one on towards the good one are good; between two good ones all are, between two bad ones none.
    """
    size = len(classes)
    index = np.arange(size)
    sure = (classes == GOOD) | (classes == BAD)
    before = np.maximum.accumulate(np.where(sure, index, -1))
    after = size - 1 - np.maximum.accumulate(np.where(sure, size - 1 - index, -1)[::-1])[::-1]
    good = np.concatenate([classes == GOOD, [False]])  # the last one stands for the edges
    left, right = good[before], good[np.where(after < size, after, size)]
    near = classes == NEAR
    last_near = np.maximum.accumulate(np.where(near, index, -1))
    next_near = size - 1 - np.maximum.accumulate(np.where(near, size - 1 - index, -1)[::-1])[::-1]
    # A near-good block on the far side of this one, before the bad block comes.
    reached = np.where(left & ~right, next_near < after, np.where(right & ~left, last_near > before, left))
    return np.where(sure, good[:-1], reached)


_TAG_KINDS = {
    "heading": TAG_FLAGS & _html.FLAGS["heading"] > 0,
    **{tag: np.isin(TAG_NAMES, tag) for tag in ("p", "div", "a")},
}


def compute_features(page: Page) -> tuple[NDArray[np.float64], NDArray[np.int8]]:
    """Return the matrix of features, shape (blocks, len(FEATURES)), and the context-free classes."""
    columns = page.columns
    counts = columns["counts"].astype(np.float64)
    words, size = counts[:, COUNT_INDEX["words"]], len(page)
    density, letters = _systems.measure_wrapped(columns["text"], columns["bounds"])
    local: dict[str, Any] = {
        "words": words,
        "link_density": counts[:, COUNT_INDEX["linked"]] / words,
        "text_density": density,
        "word_length": letters / words,
        "capitals": counts[:, COUNT_INDEX["capital"]] / words,
        "all_capitals": counts[:, COUNT_INDEX["upper"]] / words,
        "stops": counts[:, COUNT_INDEX["sentences"]] / words,
        "bars": counts[:, COUNT_INDEX["bars"]],
        "dates": counts[:, [COUNT_INDEX[name] for name in ("month", "weekday", "year", "clock")]].sum(axis=1),
    }
    tags = columns["tags"][columns["element"]]
    local |= {name: kind[tags] for name, kind in _TAG_KINDS.items()}
    is_character_text = counts[:, COUNT_INDEX["own"]] * 2 > words
    grammar = np.where(
        is_character_text, counts[:, COUNT_INDEX["sentences"]] > 0, counts[:, COUNT_INDEX["short"]] / words
    )
    classes = context_free(words, local["link_density"], grammar)
    local |= {"class": classes, "resolved": context_sensitive(classes)}
    rows = np.zeros((size, len(FEATURES)))
    for column_index, name in enumerate(LOCAL_FEATURES):
        rows[:, column_index] = local[name]
    offset, width = len(LOCAL_FEATURES), len(NEIGHBOUR_FEATURES)
    neighbour_columns = [LOCAL_FEATURES.index(name) for name in NEIGHBOUR_FEATURES]
    rows[1:, offset : offset + width] = rows[:-1, neighbour_columns]
    rows[:-1, offset + width : offset + 2 * width] = rows[1:, neighbour_columns]
    for column_index, name in enumerate(QUOTIENT_FEATURES):
        column = LOCAL_FEATURES.index(name)
        rows[:, offset + 2 * width + column_index] = rows[:, column] / np.maximum(
            rows[:, offset + NEIGHBOUR_FEATURES.index(name)], 1
        )
    rows[:, -2] = np.arange(size) / max(1, size - 1)
    rows[:, -1] = counts[:, COUNT_INDEX["linked"]].sum() / words.sum()
    return rows, classes


# ---------------------------------------------------------------------------------------------------------------- tree


@dataclass(frozen=True, slots=True)
class DecisionTree:
    """A decision tree as columns, the root first: the feature a node asks for (-1 for a leaf), the greatest value that
    goes left, where left and right lead, and a leaf's probability of content.
    """

    feature: NDArray[np.int64]
    threshold: NDArray[np.float64]
    left: NDArray[np.int64]
    right: NDArray[np.int64]
    value: NDArray[np.float64]


@lru_cache(maxsize=1)
def load_tree() -> DecisionTree:
    """Return the tree that comes with the package."""
    data = json.loads(files("templatemine.pages.baselines").joinpath("shallow.json").read_text(encoding="utf-8"))
    nodes = data["nodes"]
    names = [FEATURES.index(node["feature"]) if "feature" in node else -1 for node in nodes]
    return DecisionTree(
        np.array(names, np.int64),
        *(np.array([node.get(key, 0) for node in nodes], kind) for key, kind in _COLUMNS),
    )


_COLUMNS: tuple[tuple[str, Any], ...] = (
    ("threshold", np.float64),
    ("left", np.int64),
    ("right", np.int64),
    ("content", np.float64),
)


def find_leaves(tree: DecisionTree, rows: NDArray[np.float64]) -> NDArray[np.int64]:
    """Return the leaf that each row falls into, by its place among the nodes."""
    found = np.zeros(len(rows), np.int64)
    while len(pending := np.flatnonzero(tree.feature[found] >= 0)):
        node = found[pending]
        goes_left = rows[pending, tree.feature[node]] <= tree.threshold[node]
        found[pending] = np.where(goes_left, tree.left[node], tree.right[node])
    return found


@lru_cache(maxsize=1)
def describe_leaves() -> tuple[str, ...]:
    """Describe each node of the tree by the conditions on the way to it, the first one first, each feature with its
    last bounds."""
    tree = load_tree()
    reasons = [""] * len(tree.feature)
    pending: list[tuple[int, dict[tuple[str, str], str]]] = [(0, {})]
    while pending:
        node, conditions = pending.pop()
        condition_text = ", ".join(f"{name} {sign} {bound}" for (name, sign), bound in conditions.items())
        reasons[node] = (
            f"{'content' if tree.value[node] > CONTENT_THRESHOLD else 'boilerplate'} by its shallow features:"
            f" {condition_text}"
        )
        if tree.feature[node] >= 0:
            name, bound = FEATURES[tree.feature[node]], f"{tree.threshold[node]:.4g}"
            pending.append((int(tree.left[node]), {**conditions, (name, "<="): bound}))
            pending.append((int(tree.right[node]), {**conditions, (name, ">"): bound}))
    return tuple(reasons)


# -------------------------------------------------------------------------------------------------------------- system


def _has_copyright(page: Page) -> NDArray[np.bool_]:
    """Return whether each block has a copyright sign, which makes it boilerplate (section 4.1.1)."""
    has_sign = np.zeros(len(page), np.bool_)
    text, bounds = page.columns["text"].tobytes(), page.columns["bounds"]
    if offsets := [sign.start() for sign in _COPYRIGHT_SIGN.finditer(text)]:
        has_sign[np.searchsorted(bounds, offsets, side="right") - 1] = True
    return has_sign


def make(site: Site, config: ExtractConfig) -> BlockClassifier:
    """Make the classifier; see `ExtractConfig.main_block`."""
    reasons = (*REASONS, *describe_leaves())

    def classify(page: Page) -> SystemOutput:
        rows, classes = compute_features(page)
        ends = find_leaves(load_tree(), rows)
        signed = _has_copyright(page)
        content = (load_tree().value[ends] > CONTENT_THRESHOLD) & ~page.hidden & ~signed
        reason = (LEAF + ends).astype(np.int16)
        reason[signed] = COPYRIGHT
        reason[page.hidden] = HIDDEN
        kept = np.flatnonzero(content)
        duplicates = kept[find_duplicates(page, kept)]
        content[duplicates], reason[duplicates] = False, DUPLICATE
        kept = np.flatnonzero(content)
        weight, region = weigh_main_blocks(page, kept)
        score = np.zeros(len(page))
        score[kept] = weight
        if config.main_block and len(kept):
            totals = np.bincount(region, weights=weight)
            outside = kept[region != np.argmax(totals)]
            content[outside], reason[outside] = False, OUTSIDE
        labels = [CLASSES[number] for number in classes.tolist()]
        return SystemOutput(kept=content, reason=reason, reasons=reasons, score=score, labels=labels)

    return classify
