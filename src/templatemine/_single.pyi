import numpy as np
from numpy.typing import NDArray
from typing_extensions import Buffer

__all__ = ["character_counts", "densest", "inherited", "line_breaks", "stretch", "subtree_sums"]

def inherited(parents: NDArray[np.int32], own: NDArray[np.uint8]) -> NDArray[np.uint8]: ...
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
