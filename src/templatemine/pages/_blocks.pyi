from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray
from typing_extensions import Buffer

__all__ = [
    "BLOCKWISE",
    "CONTEXT",
    "FEATURES",
    "ROLES",
    "SECTIONS",
    "compute_context",
    "compute_features",
    "find_first_equal",
    "find_nearest",
    "find_openings",
    "find_value",
    "inherit_by_blocks",
    "inherit_values",
    "normalise_texts",
    "sum_subtrees",
]

BLOCKWISE: tuple[str, ...]
CONTEXT: tuple[str, ...]
FEATURES: tuple[str, ...]
ROLES: dict[str, str]
SECTIONS: tuple[str, ...]

_Flags = NDArray[np.uint8] | NDArray[np.bool_]

def compute_features(page: Mapping[str, Any]) -> NDArray[np.float32]: ...
def compute_context(page: Mapping[str, Any], scores: NDArray[np.float64]) -> NDArray[np.float32]: ...
def inherit_values(parents: NDArray[np.int32], own: _Flags) -> NDArray[np.uint8]: ...
def find_openings(
    text: NDArray[np.uint8],
    bounds: NDArray[np.int64],
    words: NDArray[np.int32],
    wanted: _Flags,
    most: int,
    openings: NDArray[np.uint32],
) -> NDArray[np.int64]: ...
def inherit_by_blocks(parents: NDArray[np.int32], own: _Flags, element: NDArray[np.int32]) -> NDArray[np.uint8]: ...
def find_value(matrix: NDArray[np.float32], column: int, value: float) -> int: ...
def find_first_equal(keys: NDArray[np.uint64]) -> NDArray[np.int64]: ...
def normalise_texts(text: Buffer, bounds: NDArray[np.int64], blocks: NDArray[np.int64]) -> list[str | None]: ...
def find_nearest(parents: NDArray[np.int32], wanted: _Flags) -> NDArray[np.int64]: ...
def sum_subtrees(parents: NDArray[np.int32], own: NDArray[np.int64]) -> NDArray[np.int64]: ...
