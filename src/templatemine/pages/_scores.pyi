from typing import Self

import numpy as np
from numpy.typing import NDArray
from typing_extensions import disjoint_base

__all__ = [
    "CODES",
    "Forest",
    "LEAVES",
    "average_by_path",
    "decode_blocks",
    "describe_main",
    "find_kind_chances",
    "measure_doubt",
    "smooth_scores",
    "to_probabilities",
]

CODES: tuple[str, ...]
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
    def scores(self, rows: NDArray[np.float32], wide: int = ...) -> NDArray[np.float32]: ...

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
def measure_doubt(scores: NDArray[np.float64], words: NDArray[np.int32]) -> float: ...
def describe_main(scores: NDArray[np.float64], words: NDArray[np.int32], counts: NDArray[np.int32]) -> list[float]: ...
def find_kind_chances(
    values: NDArray[np.float64],
    mean: NDArray[np.float64],
    scale: NDArray[np.float64],
    weights: NDArray[np.float64],
    intercept: NDArray[np.float64],
    most: float,
    bonus: float,
) -> NDArray[np.float64]: ...
def average_by_path(
    first: NDArray[np.float64], second: NDArray[np.float32], words: NDArray[np.int32], keys: NDArray[np.uint64]
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
