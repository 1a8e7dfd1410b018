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
    "average_by_path",
    "clear_containers",
    "compute_context",
    "compute_cosines",
    "compute_features",
    "count_characters",
    "count_line_breaks",
    "decode_blocks",
    "describe_main",
    "extract_keywords",
    "find_densest",
    "find_first_equal",
    "find_nearest",
    "find_openings",
    "find_repeated",
    "find_row",
    "find_stretch",
    "inherit_by_blocks",
    "inherit_values",
    "mark_named",
    "measure_doubt",
    "measure_wrapped",
    "normalise_texts",
    "smooth",
    "smooth_leaves",
    "smooth_scores",
    "sum_subtrees",
    "to_probabilities",
    "walk_trees",
]

BLOCKWISE: tuple[str, ...]
CODES: tuple[str, ...]
CONTEXT: tuple[str, ...]
FEATURES: tuple[str, ...]
ROLES: dict[str, str]
SECTIONS: tuple[str, ...]

def compute_features(page: Mapping[str, Any]) -> NDArray[np.float32]: ...
def compute_context(page: Mapping[str, Any], scores: NDArray[np.float64]) -> NDArray[np.float32]: ...

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
def inherit_values(parents: NDArray[np.int32], own: NDArray[np.uint8]) -> NDArray[np.uint8]: ...
def inherit_by_blocks(
    parents: NDArray[np.int32], own: NDArray[np.uint8], element: NDArray[np.int32]
) -> NDArray[np.uint8]: ...
def clear_containers(parents: NDArray[np.int32], values: NDArray[np.uint32], element: int) -> NDArray[np.uint32]: ...
def mark_named(
    parents: NDArray[np.int32],
    groups: NDArray[np.uint32],
    element: NDArray[np.int32],
    mask: int,
    spared: int = -1,
) -> NDArray[np.bool_]: ...
def find_row(matrix: NDArray[np.float32], column: int, value: float) -> int: ...
def find_openings(
    text: NDArray[np.uint8],
    bounds: NDArray[np.int64],
    words: NDArray[np.int32],
    wanted: NDArray[np.uint8],
    most: int,
    openings: NDArray[np.uint32],
) -> NDArray[np.int64]: ...
def measure_doubt(scores: NDArray[np.float64], words: NDArray[np.int32]) -> float: ...
def describe_main(scores: NDArray[np.float64], words: NDArray[np.int32], counts: NDArray[np.int32]) -> list[float]: ...
def find_first_equal(keys: NDArray[np.uint64]) -> NDArray[np.int64]: ...
def find_repeated(keys: NDArray[np.uint64]) -> NDArray[np.int64]: ...
def average_by_path(
    scores: NDArray[np.float64], words: NDArray[np.int32], keys: NDArray[np.uint64]
) -> NDArray[np.float64]: ...
def to_probabilities(scores: NDArray[np.float64]) -> NDArray[np.float64]: ...
def decode_blocks(
    scores: NDArray[np.float64],
    words: NDArray[np.int32],
    paths: NDArray[np.uint64],
    texts: NDArray[np.uint64],
    least: float,
    fill: float,
    fill_share: float,
    short: int,
) -> NDArray[np.int8]: ...
def normalise_texts(text: Buffer, bounds: NDArray[np.int64], blocks: NDArray[np.int64]) -> list[str | None]: ...
def find_nearest(parents: NDArray[np.int32], wanted: NDArray[np.uint8]) -> NDArray[np.int64]: ...
def sum_subtrees(parents: NDArray[np.int32], own: NDArray[np.int64]) -> NDArray[np.int64]: ...
def find_densest(
    parents: NDArray[np.int32], characters: NDArray[np.int64], structure: NDArray[np.int64], root: int, share: float
) -> int: ...
def count_characters(text: NDArray[np.uint8], bounds: NDArray[np.int64]) -> NDArray[np.int64]: ...
def count_line_breaks(page: Buffer, starts: NDArray[np.int64], ends: NDArray[np.int64]) -> NDArray[np.int64]: ...
def find_stretch(
    page: Buffer,
    starts: NDArray[np.int64],
    ends: NDArray[np.int64],
    tags: NDArray[np.int32],
    words: NDArray[np.int32],
    shown: NDArray[np.uint8],
) -> tuple[int, int, int, int]: ...
def measure_wrapped(text: Buffer, bounds: NDArray[np.int64]) -> tuple[NDArray[np.float64], NDArray[np.int64]]: ...
def extract_keywords(
    text: Buffer, bounds: NDArray[np.int64], least: int
) -> tuple[NDArray[np.uint64], NDArray[np.int64]]: ...
def compute_cosines(
    ids: NDArray[np.int64],
    counts: NDArray[np.int64],
    offsets: NDArray[np.int64],
    left: NDArray[np.int64],
    right: NDArray[np.int64],
) -> NDArray[np.float64]: ...
def walk_trees(
    feature: NDArray[np.int64],
    threshold: NDArray[np.float64],
    left: NDArray[np.int64],
    right: NDArray[np.int64],
    value: NDArray[np.float64],
    rows: NDArray[np.float64],
) -> NDArray[np.float64]: ...
