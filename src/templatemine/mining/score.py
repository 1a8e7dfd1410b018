"""Features -> scores: how likely each candidate is boilerplate, by trees that were trained on annotated articles.

Two forests for each kind of candidate: the first sees its features, the second also what the first ones make of the
text beside it (`context`).  Two more say of a label whether what fills the rest of its line goes with it.  They were
trained on many sources and judged on others (docs/algorithm.md), and see no words: what they see are `features`.  The
file of a model is made by `datasets/templates/train.py`; beside the one that ships stands what it was made of.
"""

from __future__ import annotations

import io
import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache, lru_cache
from hashlib import blake2b, file_digest
from importlib.resources import files
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from templatemine.config import SHIPPED
from templatemine.errors import ConfigError
from templatemine.mining.context import fill_context
from templatemine.mining.features import ALL_FEATURES, FEATURES
from templatemine.mining.labels import KINDS, PREFIX, SUFFIX, Candidates
from templatemine.mining.segments import Segments
from templatemine.pages._model import Forest

__all__ = [
    "COLUMNS",
    "FILLER_FORESTS",
    "FIRST_FORESTS",
    "Model",
    "Scores",
    "filler_matrix",
    "fingerprint",
    "load_model",
    "model_from_tables",
    "to_probability",
]

COLUMNS = ("feature", "threshold", "left", "right", "leaf", "sizes")
"""Of the table of a forest, see `_model.Forest`."""
FIRST_FORESTS = {kind: f"first_{kind}" for kind in KINDS}
"""Forests that score candidates by their own features alone."""
FILLER_FORESTS = {PREFIX: "prefix_filler", SUFFIX: "suffix_filler"}
MIN_LABEL_SCORE = 0.4
"""Least first score of a label whose filler is scored: others never go, and were not learnt from."""
_SHIPPED_FILE = "model.npz"


class Scores(NamedTuple):
    """How likely the candidates of one kind are boilerplate.

    Attributes
    ----------
    scores : float32 array, shape (candidates,)
    fillers : float32 array, shape (candidates,)
        How likely what fills the rest of the line of a label is boilerplate, too; 0 of segments.
    """

    scores: NDArray[np.float32]
    fillers: NDArray[np.float32]


@dataclass(frozen=True, kw_only=True, eq=False)
class Model:
    """Two forests for each kind of candidates and one for each of `FILLER_FORESTS`, by name; and the features of the
    usual candidate of each kind, for `grounds`."""

    forests: Mapping[str, Forest]
    usual: Mapping[str, NDArray[np.float32]]

    def score_all(
        self, segments: Segments, candidates: Sequence[Candidates], features: Sequence[NDArray[np.float32]]
    ) -> list[Scores]:
        """Scores of the candidates of a source, by kind.

        Parameters
        ----------
        features : sequence of float32 arrays, shape (candidates, all features); INOUT
            `features.compute_features` of each kind; the columns of `CONTEXT` are filled.
        """
        first = [self.first_scores(kind.kind, matrix) for kind, matrix in zip(candidates, features, strict=True)]
        fill_context(segments.bounds, segments.document, candidates, first, features)
        return [
            Scores(self.final_scores(kind.kind, matrix), self._filler_scores(kind.kind, matrix))
            for kind, matrix in zip(candidates, features, strict=True)
        ]

    def first_scores(self, kind: str, matrix: NDArray[np.float32]) -> NDArray[np.float32]:
        """Scores by the own features alone: float32 array, shape (candidates,)."""
        return to_probability(self.forests[FIRST_FORESTS[kind]].scores(matrix))

    def final_scores(self, kind: str, matrix: NDArray[np.float32]) -> NDArray[np.float32]:
        """Scores by all features: float32 array, shape (candidates,)."""
        return to_probability(self.forests[kind].scores(matrix))

    def _filler_scores(self, kind: str, matrix: NDArray[np.float32]) -> NDArray[np.float32]:
        scores = np.zeros(len(matrix), np.float32)
        rows = np.flatnonzero(matrix[:, -1] >= MIN_LABEL_SCORE)
        if kind in FILLER_FORESTS and len(rows):
            forest = self.forests[FILLER_FORESTS[kind]]
            scores[rows] = to_probability(forest.scores(filler_matrix(kind, matrix[rows])))
        return scores


def to_probability(odds: NDArray[np.float32]) -> NDArray[np.float32]:
    """Probabilities of logarithms of odds."""
    return (1 / (1 + np.exp(-odds.astype(np.float64)))).astype(np.float32)


def filler_matrix(kind: str, matrix: NDArray[np.float32]) -> NDArray[np.float32]:
    """What the forests for fillers see: the own features of labels, and their first scores."""
    return np.ascontiguousarray(np.delete(matrix, np.s_[len(FEATURES[kind]) : -1], axis=1))


def load_model(name: str) -> Model:
    """The model that an option names: `SHIPPED`, or a file.

    Raises
    ------
    ConfigError
        The file cannot be read, or is none of such a model.
    """
    path = _shipped_path() if name == SHIPPED else Path(name)
    try:
        status = os.stat(path)
        return _load_cached(path, status.st_mtime_ns, status.st_size)
    except (OSError, ValueError, KeyError, EOFError) as error:
        raise ConfigError(f"model: expected a file of trees that can be read, got {name}: {error}") from error


def fingerprint(name: str) -> str | None:
    """A digest of the model that an option names; None for that which ships, which is known by the version."""
    if name == SHIPPED:
        return None
    with open(name, "rb") as handle:
        return file_digest(handle, lambda: blake2b(digest_size=16)).hexdigest()


@cache
def _shipped_path() -> Path:
    return Path(str(files("templatemine.mining").joinpath(_SHIPPED_FILE)))


@lru_cache(maxsize=4)
def _load_cached(path: Path, modified: int, size: int) -> Model:
    with np.load(io.BytesIO(path.read_bytes()), allow_pickle=False) as tables:
        return model_from_tables({key: tables[key] for key in tables.files})


def model_from_tables(tables: Mapping[str, NDArray[Any]]) -> Model:
    """A model of columns that are named ``forest.column``.

    Raises
    ------
    ValueError, KeyError
        Not all columns are there, or they are no trees, or trees of other features.
    """
    forests = {
        name: Forest(*(tables[f"{name}.{column}"] for column in COLUMNS))
        for name in (*KINDS, *FIRST_FORESTS.values(), *FILLER_FORESTS.values())
    }
    for kind in KINDS:
        for name, width in ((kind, len(ALL_FEATURES[kind])), (FIRST_FORESTS[kind], len(FEATURES[kind]))):
            used = int(tables[f"{name}.feature"].max(initial=0)) + 1
            if used > width:
                raise ValueError(f"{name}: expected trees of {width} features, got {used}")
    usual = {kind: np.ascontiguousarray(tables[f"{kind}.usual"], np.float32) for kind in KINDS}
    for kind, features in usual.items():
        if features.shape != (len(ALL_FEATURES[kind]),):
            raise ValueError(f"{kind}.usual: expected {len(ALL_FEATURES[kind])} features, got shape {features.shape}")
    return Model(forests=forests, usual=usual)
