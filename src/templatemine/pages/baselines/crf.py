"""crf: runs of text between tags, labelled in sequence by conditional random fields.

Victor (Spousta, Marek and Pecina, Victor: the Web-Page Cleaning Tool, WAC4 2008).  A block is a stretch of text without
tags (section 3.1, step 4).  Each has features of its mark-up, its content and the document (section 3.2), mapped to a
few values by `BINS`; those of its neighbours are features too.  A linear chain says header, text or other of each.
header and text win only where the marginal probability of other is below `ExtractConfig.other` (section 5.2).

Runs, features and marginals are native (`_crf`); here are the tables.  The weights ship as `crf.json`, with
what they were trained on and by which command; the script is ``datasets/pages/train_crf.py``, and it alone needs
python-crfsuite.

Pages are kept or dropped by the blocks of `pages.blocks`: one is kept if most of its characters stand in runs that are.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from html.entities import html5
from importlib.resources import files
from itertools import pairwise
from typing import Any

import numpy as np
from numpy.typing import NDArray

from templatemine.config import ExtractConfig
from templatemine.errors import ConfigError, PackError
from templatemine.pages.baselines import _crf
from templatemine.pages.blocks import Page
from templatemine.pages.outline import CLOSES, INLINE, VOID
from templatemine.pages.systems import Judge, Site, Verdict

__all__ = [
    "BINS",
    "FEATURES",
    "LABELS",
    "LANGUAGE",
    "Chain",
    "Runs",
    "attributes_of",
    "chain",
    "features",
    "make",
    "runs_of",
    "table_digest",
]

HEADER, TEXT, OTHER = LABELS = ("header", "text", "other")
"""Labels of the annotation, as training data name them."""

CONTAINERS: Mapping[str, frozenset[str]] = {
    **{name: frozenset([name]) for name in ("p", "a", "u", "img")},
    "class-header": frozenset(["h1", "h2", "h3", "h4", "h5", "h6"]),
    "class-bold": frozenset(["b", "strong"]),
    "class-italic": frozenset(["i", "em"]),
    "class-list": frozenset(["ul", "ol", "li", "dl", "dt", "dd", "menu"]),
    "class-form": frozenset(["form", "fieldset", "label", "button", "select", "option", "legend"]),
}
"""Elements or kinds of elements that a run may stand in."""

LANGUAGE = ("langid1", "langid2")
"""How far a run is from the language of the page: not in the model that ships, see docs/research/extract.md."""
FEATURES = (*_crf.FEATURES, *(f"container.{name}" for name in CONTAINERS), *LANGUAGE)
"""Columns of `features`."""

_SHARES = (0.001, 0.25, 0.5, 0.75, 0.95)
_COUNTS = (1, 2, 4, 8, 16, 32)
_RATIOS = (0.002, 0.01, 0.03, 0.1, 0.3, 0.6)
BINS: Mapping[str, Sequence[float]] = {
    **{f"char.{kind}-rel": _SHARES for kind in ("alpha", "num", "punct", "white", "other")},
    **{f"token.{kind}-rel": _SHARES for kind in ("alpha", "num", "mix", "other")},
    **{f"token.{kind}-abs": _COUNTS for kind in ("alpha", "num", "mix", "other")},
    **{f"split.{name}": (1, 2, 4) for name in ("p", "br", "hr", "class-inline", "class-block")},
    "char.abs": (2, 4, 8, 16, 32, 64, 128, 256),
    "sentence.count": (1, 2, 3, 5),
    "sentence.avg-length": (1, 3, 6, 12, 24),
    "duplicate-count": (2, 3, 6),
    "div-group.word-ratio": _RATIOS,
    "td-group.word-ratio": _RATIOS,
    "langid1": (0.1, 3.2, 3.4, 3.5, 3.6, 3.7, 3.8, 3.9, 4.1, 4.4, 5),
    "langid2": (1, 800, 1000, 1100, 1200, 1300, 1400),
    "position": (0.05, 0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9, 0.95),
    "document.word-count": (50, 150, 300, 600, 1200, 2400),
    "document.sentence-count": (5, 10, 20, 40, 80, 160),
    "document.block-count": (25, 50, 100, 200, 400, 800),
    "document.max-div-group": (0.1, 0.2, 0.4, 0.6, 0.8),
    "document.max-td-group": (0.1, 0.2, 0.4, 0.6, 0.8),
}
"""A value is the number of these that it reaches; what is not here is as it stands (0, 1, or which of the expressions
for addresses, dates and times is met)."""

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

VALUES = 1 + max(map(len, BINS.values()))
"""More than any feature has values."""

REASONS = ("other, by its run of labels", "text or header, by its run of labels", "no run of its own", "not shown")
DROPPED, KEPT, NONE, HIDDEN = range(4)

Values = NDArray[np.uint8]

_LINKED = 1 << list(CONTAINERS).index("a")


# ---------------------------------------------------------------------------------------------------------------- runs


@dataclass(frozen=True, slots=True)
class Runs:
    """The runs of text of a page that stand in blocks.

    Attributes
    ----------
    rows : int64 array, shape (runs, len(_crf.COLUMNS))
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
        """A column of `_crf.COLUMNS`."""
        return self.rows[:, _crf.COLUMNS.index(name)]

    @property
    def texts(self) -> list[str]:
        """The text of each run."""
        data = self.letters.tobytes()
        bounds = (4 * self.bounds).tolist()
        return [data[start:end].decode("utf-32-le", "surrogatepass") for start, end in pairwise(bounds)]


@lru_cache(maxsize=1)
def scanner() -> _crf.RunScanner:
    """The scanner with the tables of `pages.outline`; one is enough for all threads."""
    ended = sorted(frozenset().union(*CLOSES.values()), key=lambda tag: (tag != "p", tag))
    bits = {tag: 1 << place for place, tag in enumerate(ended)}
    flags = _crf.FLAGS
    rows = []
    for tag in sorted({*VOID, *INLINE, *CLOSES, *bits, "div", *(tag for tags in CONTAINERS.values() for tag in tags)}):
        own = flags.get(tag, 0) | flags["void"] * (tag in VOID) | flags["inline"] * (tag in INLINE)
        mask = sum(1 << place for place, tags in enumerate(CONTAINERS.values()) if tag in tags)
        ends = CLOSES.get(tag, frozenset() if tag in INLINE or tag in VOID else frozenset(["p"]))
        rows.append((tag.encode(), own, mask, bits.get(tag, 0), sum(bits[one] for one in ends)))
    return _crf.RunScanner(rows, [(name.encode(), meaning) for name, meaning in html5.items()])


def runs_of(page: Page) -> Runs:
    """The runs of a page that stand in its blocks."""
    return Runs(*scanner().runs(page.data, page.columns["starts"], page.columns["ends"]))


# ------------------------------------------------------------------------------------------------------------ features


@lru_cache(maxsize=1)
def _edges() -> tuple[NDArray[np.float64], NDArray[np.int64]]:
    bins = [BINS.get(name, ()) for name in FEATURES]
    return np.array([edge for edges in bins for edge in edges], np.float64), np.cumsum([0, *map(len, bins)])


def features(runs: Runs, far: Mapping[str, NDArray[np.float64]] | None = None) -> Values:
    """Features of each run of a page (section 3.2), quantised: uint8 array, shape (runs, len(FEATURES)).

    Parameters
    ----------
    far : mapping of str to float array, shape (runs,), optional
        Features of `LANGUAGE`; what is not there is 0.
    """
    values = _crf.features(runs.rows, runs.letters, runs.bounds, len(CONTAINERS), _LINKED, *_edges())
    for name, column in (far or {}).items():
        values[:, FEATURES.index(name)] = np.searchsorted(BINS[name], column, side="right")
    return values


def attributes_of(values: Values) -> list[list[str]]:
    """What the model sees of each run: its own features, and some of its neighbours', as name=value; no row for a 0."""
    rows = [dict(zip(FEATURES, row, strict=True)) for row in values.tolist()]
    own = [[f"{name}={value}" for name, value in row.items() if value] for row in rows]
    near = [[f"{name}={row[name]}" for name in NEIGHBOURS if row[name]] for row in rows]
    for offset in OFFSETS:
        for at, row in enumerate(own):
            if 0 <= at + offset < len(rows):
                row += [f"{offset:+}:{one}" for one in near[at + offset]]
            else:
                row.append(f"{offset:+}:edge")
    return own


# --------------------------------------------------------------------------------------------------------------- model


@dataclass(frozen=True, slots=True)
class Chain:
    """The weights of a linear chain of `LABELS`, by place; see `_crf.marginals`."""

    own: NDArray[np.float64]
    near: NDArray[np.float64]
    edges: NDArray[np.float64]
    steps: NDArray[np.float64]

    @classmethod
    def of(cls, table: Mapping[str, Any]) -> Chain:
        """The chain of a table: "weights" by attribute (see `attributes_of`), and "steps" from label to label.

        Raises
        ------
        PackError
            It names an attribute that no run can have.
        """
        own = np.zeros((len(FEATURES), VALUES, len(LABELS)))
        near = np.zeros((len(OFFSETS), len(NEIGHBOURS), VALUES, len(LABELS)))
        edges = np.zeros((len(OFFSETS), len(LABELS)))
        offsets = {f"{offset:+}": place for place, offset in enumerate(OFFSETS)}
        for attribute, weights in table["weights"].items():
            rest, _, value = attribute.partition("=")
            offset, _, name = rest.rpartition(":")
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

    def marginals(self, values: Values) -> NDArray[np.float64]:
        """Probability of each of `LABELS`, for each run."""
        return _crf.marginals(values, self.own, self.near, _COLUMNS, _OFFSETS, self.edges, self.steps)


_COLUMNS = np.array([FEATURES.index(name) for name in NEIGHBOURS], np.int64)
_OFFSETS = np.array(OFFSETS, np.int64)


def table_digest(table: Mapping[str, Any]) -> str:
    """SHA-256 of the weights of a table."""
    return hashlib.sha256(json.dumps([table["steps"], table["weights"]], sort_keys=True).encode()).hexdigest()


@lru_cache(maxsize=1)
def chain() -> Chain:
    """The model that comes with the package.

    Raises
    ------
    PackError
        It is not the one that was trained.
    """
    table = json.loads(files("templatemine.pages.baselines").joinpath("crf.json").read_text(encoding="utf-8"))
    if (found := table_digest(table)) != table["sha256"]:
        raise PackError(f"crf.json: expected weights with the SHA-256 {table['sha256']}, found {found}")
    return Chain.of(table)


def make(site: Site, config: ExtractConfig) -> Judge:
    """See `ExtractConfig.other`."""
    if not 0 < config.other <= 1:
        raise ConfigError(f"other: expected a probability above 0, got {config.other}")
    model = chain()

    def judge(page: Page) -> Verdict:
        runs = runs_of(page)
        chances = model.marginals(features(runs))
        weight = np.maximum(np.diff(runs.bounds), 1).astype(np.float64)

        def sums(of: NDArray[np.float64]) -> NDArray[np.float64]:
            return np.bincount(runs.column("home"), of * weight, len(page)).astype(np.float64)

        shares = np.stack([sums(chances[:, label]) for label in range(len(LABELS))], axis=1)
        content = sums(np.where(chances[:, 2] < config.other, 1.0, -1.0))
        total = shares.sum(axis=1)
        reason = np.where(total == 0, NONE, np.where(content > 0, KEPT, DROPPED)).astype(np.int8)
        reason[page.hidden] = HIDDEN
        score = 1 - shares[:, 2] / np.maximum(total, 1e-9)
        score[total == 0] = 0
        kinds = np.where(reason == KEPT, np.argmax(shares[:, :2], axis=1), 2)
        return Verdict(
            kept=reason == KEPT,
            reason=reason,
            reasons=REASONS,
            score=score,
            labels=[LABELS[kind] for kind in kinds.tolist()],
        )

    return judge
