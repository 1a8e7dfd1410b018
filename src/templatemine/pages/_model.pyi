from collections.abc import Mapping
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray
from typing_extensions import Buffer, disjoint_base

__all__ = [
    "BLOCKWISE",
    "CODES",
    "CONTEXT",
    "FEATURES",
    "Forest",
    "LEAVES",
    "LEVELS",
    "ROLES",
    "SECTIONS",
    "character_counts",
    "context",
    "cosines",
    "decoded",
    "densest",
    "features",
    "first_indices",
    "inherited",
    "inherited_by_blocks",
    "keywords",
    "line_breaks",
    "nearest",
    "normalised_texts",
    "outside",
    "path_averages",
    "probabilities",
    "repeated_indices",
    "smooth",
    "smooth_leaves",
    "smooth_scores",
    "stretch",
    "subtree_sums",
    "walk",
    "wrapped",
]

BLOCKWISE: tuple[str, ...]
CODES: tuple[str, ...]
CONTEXT: tuple[str, ...]
FEATURES: tuple[str, ...]
ROLES: dict[str, str]
SECTIONS: tuple[str, ...]

def features(page: Mapping[str, Any]) -> NDArray[np.float32]: ...
def context(page: Mapping[str, Any], scores: NDArray[np.float64]) -> NDArray[np.float32]: ...

LEAVES: int

@disjoint_base
class Forest:
    def __new__(
        cls,
        feature: NDArray[np.int16],
        threshold: NDArray[np.float32],
        left: NDArray[np.int16],
        right: NDArray[np.int16],
        leaf: NDArray[np.float32],
        sizes: NDArray[np.int32],
        *rest: object,
    ) -> Self: ...
    def scores(self, rows: NDArray[np.float32], plain: bool = ...) -> NDArray[np.float32]: ...

LEVELS: int

def smooth(
    parents: NDArray[np.int32],
    scores: NDArray[np.float64],
    weights: NDArray[np.float64],
    price: float,
    levels: int = ...,
) -> NDArray[np.float64]: ...
def smooth_leaves(
    parents: NDArray[np.int32],
    element: NDArray[np.int32],
    scores: NDArray[np.float64],
    sizes: NDArray[np.float64],
    inner: float,
    price: float,
    levels: int = ...,
) -> NDArray[np.float64]: ...
def smooth_scores(
    parents: NDArray[np.int32],
    element: NDArray[np.int32],
    scores: NDArray[np.float64],
    words: NDArray[np.int32],
    share_smoothed: float,
    inner: float,
    price: float,
    margin: float,
) -> NDArray[np.float64]: ...
def inherited(parents: NDArray[np.int32], own: NDArray[np.uint8]) -> NDArray[np.uint8]: ...
def inherited_by_blocks(
    parents: NDArray[np.int32], own: NDArray[np.uint8], element: NDArray[np.int32]
) -> NDArray[np.uint8]: ...
def outside(parents: NDArray[np.int32], values: NDArray[np.uint32], element: int) -> NDArray[np.uint32]: ...
def first_indices(keys: NDArray[np.uint64]) -> NDArray[np.int64]: ...
def repeated_indices(keys: NDArray[np.uint64]) -> NDArray[np.int64]: ...
def path_averages(
    scores: NDArray[np.float64], words: NDArray[np.int32], keys: NDArray[np.uint64]
) -> NDArray[np.float64]: ...
def probabilities(scores: NDArray[np.float64]) -> NDArray[np.float64]: ...
def decoded(
    scores: NDArray[np.float64],
    words: NDArray[np.int32],
    paths: NDArray[np.uint64],
    texts: NDArray[np.uint64],
    least: float,
    fill: float,
    fill_share: float,
    short: int,
) -> NDArray[np.int8]: ...
def normalised_texts(text: Buffer, bounds: NDArray[np.int64], blocks: NDArray[np.int64]) -> list[str | None]: ...
def nearest(parents: NDArray[np.int32], wanted: NDArray[np.uint8]) -> NDArray[np.int64]: ...
def subtree_sums(parents: NDArray[np.int32], own: NDArray[np.int64]) -> NDArray[np.int64]: ...
def densest(
    parents: NDArray[np.int32], characters: NDArray[np.int64], structure: NDArray[np.int64], root: int, share: float
) -> int: ...
def character_counts(text: NDArray[np.uint8], bounds: NDArray[np.int64]) -> NDArray[np.int64]: ...
def line_breaks(page: Buffer, starts: NDArray[np.int64], ends: NDArray[np.int64]) -> NDArray[np.int64]: ...
def stretch(
    page: Buffer,
    starts: NDArray[np.int64],
    ends: NDArray[np.int64],
    tags: NDArray[np.int32],
    words: NDArray[np.int32],
    shown: NDArray[np.uint8],
) -> tuple[int, int, int, int]: ...
def wrapped(text: Buffer, bounds: NDArray[np.int64]) -> tuple[NDArray[np.float64], NDArray[np.int64]]: ...
def keywords(text: Buffer, bounds: NDArray[np.int64], least: int) -> tuple[NDArray[np.uint64], NDArray[np.int64]]: ...
def cosines(
    ids: NDArray[np.int64],
    counts: NDArray[np.int64],
    offsets: NDArray[np.int64],
    left: NDArray[np.int64],
    right: NDArray[np.int64],
) -> NDArray[np.float64]: ...
def walk(
    feature: NDArray[np.int64],
    threshold: NDArray[np.float64],
    left: NDArray[np.int64],
    right: NDArray[np.int64],
    value: NDArray[np.float64],
    rows: NDArray[np.float64],
) -> NDArray[np.float64]: ...
