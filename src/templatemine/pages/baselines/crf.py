"""crf: runs of text between tags, labelled in sequence by conditional random fields.

Victor (Spousta, Marek and Pecina, Victor: the Web-Page Cleaning Tool, WAC4 2008).  A block is a stretch of text without
tags (section 3.1, step 4).  Each has features of its mark-up, its content and the document (section 3.2), mapped to a
few values by `BINS`; those of its neighbours are features too.  A linear chain says header, text or other of each.
header and text win only where the marginal probability of other is below `ExtractConfig.other` (section 5.2).

Runs, features and marginals are native (`_systems`); here are the tables.  The weights ship as `crf.json`, with
what they were trained on and by which command; the script is ``datasets/pages/train_crf.py``, and it alone needs
python-crfsuite.

Pages are kept or dropped by the blocks of `pages.blocks`: one is kept if most of its characters are in kept runs.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from importlib.resources import files
from itertools import pairwise
from typing import Any

import numpy as np
from numpy.typing import NDArray

from templatemine.config import ExtractConfig
from templatemine.errors import ConfigError, PackError
from templatemine.pages import _html
from templatemine.pages.baselines import _systems
from templatemine.pages.blocks import Page
from templatemine.pages.scanner import TAG_NAMES, block_scanner
from templatemine.pages.systems import BlockClassifier, Site, SystemOutput

HEADER, TEXT, OTHER = LABELS = ("header", "text", "other")
"""Labels of the annotation, as training data name them."""

CONTAINERS: Mapping[str, frozenset[str]] = {
    **{name: frozenset([name]) for name in ("p", "a", "u", "img")},
    "class-header": frozenset(["h1", "h2", "h3", "h4", "h5", "h6"]),
    "class-bold": frozenset(["b", "strong"]),
    "class-italic": frozenset(["i", "em"]),
    "class-list": frozenset(["ul", "ol", "li", "dl", "dt", "dd", "menu"]),
    "class-form": frozenset(["form", "fieldset", "label", "button", "legend"]),
}
"""Elements or kinds of elements that a run may be in."""

_OWN_LINES = _html.FLAGS["block"] | _html.FLAGS["void"]
INLINE = frozenset(name for name, flags in _html.TAGS[1:] if not flags & _OWN_LINES)
"""Elements that stand within lines; pictures, controls and what has no known name count as blocks."""
_SPLITS = (*({name} for name in ("div", "td", "p", "br", "hr")), INLINE, {*TAG_NAMES} - INLINE)
_KINDS = (*_SPLITS, *CONTAINERS.values())
_TAG_BITS = np.array(
    [sum(1 << place for place, kind in enumerate(_KINDS) if name in kind) for name in TAG_NAMES], np.uint32
)
"""Of each tag, the kinds that it is of, as `_systems.find_runs` takes them."""

LANGUAGE = ("langid1", "langid2")
"""Distance of a run from the language of the page: not in the model that ships, see docs/research/extract.md."""
FEATURES = (*_systems.RUN_FEATURES, *(f"container.{name}" for name in CONTAINERS), *LANGUAGE)
"""Columns of `compute_features`."""

_SHARE_BINS = (0.001, 0.25, 0.5, 0.75, 0.95)
_COUNT_BINS = (1, 2, 4, 8, 16, 32)
_RATIO_BINS = (0.002, 0.01, 0.03, 0.1, 0.3, 0.6)
BINS: Mapping[str, Sequence[float]] = {
    **{f"char.{kind}-rel": _SHARE_BINS for kind in ("alpha", "num", "punct", "white", "other")},
    **{f"token.{kind}-rel": _SHARE_BINS for kind in ("alpha", "num", "mix", "other")},
    **{f"token.{kind}-abs": _COUNT_BINS for kind in ("alpha", "num", "mix", "other")},
    **{f"split.{name}": (1, 2, 4) for name in ("p", "br", "hr", "class-inline", "class-block")},
    "char.abs": (2, 4, 8, 16, 32, 64, 128, 256),
    "sentence.count": (1, 2, 3, 5),
    "sentence.avg-length": (1, 3, 6, 12, 24),
    "duplicate-count": (2, 3, 6),
    "div-group.word-ratio": _RATIO_BINS,
    "td-group.word-ratio": _RATIO_BINS,
    "langid1": (0.1, 3.2, 3.4, 3.5, 3.6, 3.7, 3.8, 3.9, 4.1, 4.4, 5),
    "langid2": (1, 800, 1000, 1100, 1200, 1300, 1400),
    "position": (0.05, 0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9, 0.95),
    "document.word-count": (50, 150, 300, 600, 1200, 2400),
    "document.sentence-count": (5, 10, 20, 40, 80, 160),
    "document.block-count": (25, 50, 100, 200, 400, 800),
    "document.max-div-group": (0.1, 0.2, 0.4, 0.6, 0.8),
    "document.max-td-group": (0.1, 0.2, 0.4, 0.6, 0.8),
}
"""A value is the number of these that it reaches; others are taken unchanged (0, 1, or which of the expressions
for addresses, dates and times is met)."""

NEIGHBOURS = tuple(
    (
        "char.abs token.alpha-abs char.punct-rel sentence.count sentence-begin sentence-end container.a container.p "
        "container.class-header container.class-list container.class-bold split.class-block split.br "
        "div-group.word-ratio td-group.word-ratio duplicate-count regexp.date"
    ).split()
)
"""Features of the runs at `OFFSETS` that a run is judged by, beside all its own."""
OFFSETS = (-2, -1, 1, 2)

MAX_VALUES = 1 + max(map(len, BINS.values()))
"""More than any feature has values."""

REASONS = ("other, by its run of labels", "text or header, by its run of labels", "not shown")
DROPPED, KEPT, HIDDEN = range(3)

FeatureValues = NDArray[np.uint8]

_LINKED = 1 << list(CONTAINERS).index("a")


# ---------------------------------------------------------------------------------------------------------------- runs


@dataclass(frozen=True, slots=True)
class TextRuns:
    """The runs of text in the blocks of a page.

    Attributes
    ----------
    rows : int64 array, shape (runs, len(_systems.RUN_COLUMNS))
    letters : uint32 array
        Code points of all texts, references resolved and white space folded.
    bounds : int64 array, shape (runs + 1,)
        Text i is letters[bounds[i] : bounds[i + 1]].
    """

    rows: NDArray[np.int64]
    letters: NDArray[np.uint32]
    bounds: NDArray[np.int64]

    def __len__(self) -> int:
        return len(self.rows)

    def column(self, name: str) -> NDArray[np.int64]:
        """Return a column of `_systems.RUN_COLUMNS`."""
        return self.rows[:, _systems.RUN_COLUMNS.index(name)]

    @property
    def texts(self) -> list[str]:
        """Return the text of each run."""
        data = self.letters.tobytes()
        bounds = (4 * self.bounds).tolist()
        return [data[start:end].decode("utf-32-le", "surrogatepass") for start, end in pairwise(bounds)]


def find_runs(page: Page) -> TextRuns:
    """Return the runs in the blocks of a page."""
    return TextRuns(*_systems.find_runs(page.columns, block_scanner().scan_marks(page.data), _TAG_BITS))


# ------------------------------------------------------------------------------------------------------------ features


@lru_cache(maxsize=1)
def _bin_edges() -> tuple[NDArray[np.float64], NDArray[np.int64]]:
    bins = [BINS.get(name, ()) for name in FEATURES]
    return np.array([edge for edges in bins for edge in edges], np.float64), np.cumsum([0, *map(len, bins)])


def compute_features(
    runs: TextRuns, language_features: Mapping[str, NDArray[np.float64]] | None = None
) -> FeatureValues:
    """Compute the features of each run of a page (section 3.2), quantised: uint8 array, shape (runs, len(FEATURES)).

    Parameters
    ----------
    language_features : mapping of str to float array, shape (runs,), optional
        Features of `LANGUAGE`; missing ones are 0.
    """
    values = _systems.compute_run_features(
        runs.rows, runs.letters, runs.bounds, len(CONTAINERS), _LINKED, *_bin_edges()
    )
    for name, column in (language_features or {}).items():
        values[:, FEATURES.index(name)] = np.searchsorted(BINS[name], column, side="right")
    return values


# --------------------------------------------------------------------------------------------------------------- model


@dataclass(frozen=True, slots=True)
class ChainWeights:
    """The weights of a linear chain of `LABELS`, by place; see `_systems.compute_marginals`."""

    own: NDArray[np.float64]
    near: NDArray[np.float64]
    edges: NDArray[np.float64]
    steps: NDArray[np.float64]

    @classmethod
    def from_table(cls, table: Mapping[str, Any]) -> ChainWeights:
        """Return the chain of a table: "weights" by attribute, as datasets/pages/train_crf.py names them, and "steps"
        from label to label.

        Raises
        ------
        PackError
            It names an attribute that no run can have.
        """
        own = np.zeros((len(FEATURES), MAX_VALUES, len(LABELS)))
        near = np.zeros((len(OFFSETS), len(NEIGHBOURS), MAX_VALUES, len(LABELS)))
        edges = np.zeros((len(OFFSETS), len(LABELS)))
        offsets = {f"{offset:+}": place for place, offset in enumerate(OFFSETS)}
        for attribute, weights in table["weights"].items():
            key, _, value = attribute.partition("=")
            offset, _, name = key.rpartition(":")
            try:
                if name == "edge":
                    edges[offsets[offset]] = weights
                elif offset:
                    near[offsets[offset], NEIGHBOURS.index(name), int(value)] = weights
                else:
                    own[FEATURES.index(name), int(value)] = weights
            except (KeyError, ValueError, IndexError) as error:
                raise PackError(
                    f"weights: expected features with their values, and {len(LABELS)} numbers, got {attribute!r}"
                ) from error
        return cls(own, near, edges, np.array([table["steps"][label] for label in LABELS], np.float64))

    def marginals(self, values: FeatureValues) -> NDArray[np.float64]:
        """Return the probability of each of `LABELS`, for each run."""
        return _systems.compute_marginals(values, self.own, self.near, _COLUMNS, _OFFSETS, self.edges, self.steps)


_COLUMNS = np.array([FEATURES.index(name) for name in NEIGHBOURS], np.int64)
_OFFSETS = np.array(OFFSETS, np.int64)


def hash_weights(table: Mapping[str, Any]) -> str:
    """Return the SHA-256 of the weights of a table."""
    return hashlib.sha256(json.dumps([table["steps"], table["weights"]], sort_keys=True).encode()).hexdigest()


@lru_cache(maxsize=1)
def load_chain() -> ChainWeights:
    """Return the model that comes with the package.

    Raises
    ------
    PackError
        It is not the one that was trained.
    """
    table = json.loads(files("templatemine.pages.baselines").joinpath("crf.json").read_text(encoding="utf-8"))
    if (digest := hash_weights(table)) != table["sha256"]:
        raise PackError(f"crf.json: expected weights with the SHA-256 {table['sha256']}, found {digest}")
    return ChainWeights.from_table(table)


def make(site: Site, config: ExtractConfig) -> BlockClassifier:
    """Make the classifier; see `ExtractConfig.other`."""
    if not 0 < config.other <= 1:
        raise ConfigError(f"other: expected a probability above 0, got {config.other}")
    model = load_chain()

    def classify(page: Page) -> SystemOutput:
        runs = find_runs(page)
        marginals = model.marginals(compute_features(runs))
        lengths = np.diff(runs.bounds).astype(np.float64)

        def sums(values: NDArray[np.float64]) -> NDArray[np.float64]:
            return np.bincount(runs.column("home"), values * lengths, len(page)).astype(np.float64)

        shares = np.stack([sums(marginals[:, label]) for label in range(len(LABELS))], axis=1)
        content = sums(np.where(marginals[:, 2] < config.other, 1.0, -1.0))
        reason = np.where(content > 0, KEPT, DROPPED).astype(np.int8)
        reason[page.hidden] = HIDDEN
        label_indices = np.where(reason == KEPT, np.argmax(shares[:, :2], axis=1), 2)
        return SystemOutput(
            kept=reason == KEPT,
            reason=reason,
            reasons=REASONS,
            score=1 - shares[:, 2] / shares.sum(axis=1),
            labels=[LABELS[kind] for kind in label_indices.tolist()],
        )

    return classify
