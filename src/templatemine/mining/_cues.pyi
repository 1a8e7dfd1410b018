import numpy as np
from numpy.typing import NDArray

__all__ = ["CUE_COLUMNS", "find_cues"]

CUE_COLUMNS: int

def find_cues(
    tokens: NDArray[np.int32],
    starts: NDArray[np.int64],
    lengths: NDArray[np.int32],
    word_of: NDArray[np.int32],
    colons: NDArray[np.uint8],
    roots: NDArray[np.int32],
    keys: NDArray[np.int64],
    children: NDArray[np.int32],
    strong: NDArray[np.uint16],
    weak: NDArray[np.uint16],
    colon_word: int,
) -> NDArray[np.float32]: ...
