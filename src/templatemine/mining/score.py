"""Features -> scores: how likely each candidate is boilerplate, by trees that were trained on annotated articles.

Three forests, one a kind of candidate, and two more that say of a label whether what fills the rest of its line goes
with it.  They were trained on many sources and judged on others (docs/algorithm.md), and see no words: what they see
are `features`.  The file of a model is made by `datasets/templates/train.py`; beside the one that ships stands what it
was made of.
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
from typing import Any

import numpy as np
from numpy.typing import NDArray

from templatemine.config import SHIPPED
from templatemine.errors import ConfigError
from templatemine.mining.features import FEATURES
from templatemine.mining.labels import KINDS, PREFIX, SUFFIX, Candidates
from templatemine.pages._model import Forest

__all__ = ["COLUMNS", "FILLERS", "Model", "filler_matrix", "fingerprint", "model"]

COLUMNS = ("feature", "threshold", "left", "right", "leaf", "sizes")
"""Of the table of a forest, see `_model.Forest`."""
FILLERS = {PREFIX: "prefix_filler", SUFFIX: "suffix_filler"}
FILLERS_FROM = 0.4
"""Least score of a label for it to be asked what fills its line: others never go, and were not learnt from."""
_SHIPPED_FILE = "model.npz"


@dataclass(frozen=True, kw_only=True, eq=False)
class Model:
    """Forests by what they score: the kinds of candidates, and `FILLERS`; and the features of the usual candidate of
    each kind, by which `grounds` tells what speaks for one."""

    forests: Mapping[str, Forest]
    usual: Mapping[str, NDArray[np.float32]]

    def scores(self, kind: str, matrix: NDArray[np.float32]) -> NDArray[np.float32]:
        """How likely candidates of one kind are boilerplate: float32 array, shape (candidates,)."""
        return _likely(self.forests[kind].scores(matrix))

    def fillers(self, kind: str, matrix: NDArray[np.float32], scores: NDArray[np.float32]) -> NDArray[np.float32]:
        """How likely what fills the rest of the line of labels is boilerplate, too."""
        return _likely(self.forests[FILLERS[kind]].scores(filler_matrix(matrix, scores)))

    def both(
        self, candidates: Sequence[Candidates], matrices: Sequence[NDArray[np.float32]]
    ) -> list[tuple[NDArray[np.float32], NDArray[np.float32]]]:
        """Scores of candidates of all kinds, and of the fillers of labels, 0 of segments."""
        found = []
        for one, matrix in zip(candidates, matrices, strict=True):
            scores = self.scores(one.kind, matrix)
            likely = scores >= FILLERS_FROM
            fillers = np.zeros(len(one), np.float32)
            if one.kind in FILLERS and likely.any():
                fillers[likely] = self.fillers(one.kind, matrix[likely], scores[likely])
            found.append((scores, fillers))
        return found


def _likely(odds: NDArray[np.float32]) -> NDArray[np.float32]:
    return (1 / (1 + np.exp(-odds.astype(np.float64)))).astype(np.float32)


def filler_matrix(matrix: NDArray[np.float32], scores: NDArray[np.float32]) -> NDArray[np.float32]:
    """What the forests for fillers see: the features of labels, and their scores."""
    return np.ascontiguousarray(np.concatenate([matrix, scores[:, None]], axis=1))


def model(name: str) -> Model:
    """The model that an option names: `SHIPPED`, or a file.

    Raises
    ------
    ConfigError
        The file cannot be read, or is none of such a model.
    """
    place = _shipped() if name == SHIPPED else Path(name)
    try:
        found = os.stat(place)
        return _loaded(place, found.st_mtime_ns, found.st_size)
    except (OSError, ValueError, KeyError, EOFError) as error:
        raise ConfigError(f"model: expected a file of trees that can be read, got {name}: {error}") from error


def fingerprint(name: str) -> str | None:
    """A digest of the model that an option names; None for that which ships, which is known by the version."""
    if name == SHIPPED:
        return None
    with open(name, "rb") as handle:
        return file_digest(handle, lambda: blake2b(digest_size=16)).hexdigest()


@cache
def _shipped() -> Path:
    return Path(str(files("templatemine.mining").joinpath(_SHIPPED_FILE)))


@lru_cache(maxsize=4)
def _loaded(place: Path, stamp: int, size: int) -> Model:
    with np.load(io.BytesIO(place.read_bytes()), allow_pickle=False) as tables:
        return of_tables({key: tables[key] for key in tables.files})


def of_tables(tables: Mapping[str, NDArray[Any]]) -> Model:
    """A model of columns that are named ``forest.column``.

    Raises
    ------
    ValueError, KeyError
        Not all columns are there, or they are no trees, or trees of other features.
    """
    forests = {
        name: Forest(*(tables[f"{name}.{column}"] for column in COLUMNS)) for name in (*KINDS, *FILLERS.values())
    }
    for kind in KINDS:
        asked = int(tables[f"{kind}.feature"].max(initial=0)) + 1
        if asked > len(FEATURES[kind]):
            raise ValueError(f"{kind}: expected trees of {len(FEATURES[kind])} features, got {asked}")
    usual = {kind: np.ascontiguousarray(tables[f"{kind}.usual"], np.float32) for kind in KINDS}
    for kind, one in usual.items():
        if one.shape != (len(FEATURES[kind]),):
            raise ValueError(f"{kind}.usual: expected {len(FEATURES[kind])} features, got shape {one.shape}")
    return Model(forests=forests, usual=usual)
