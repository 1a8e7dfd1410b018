import numpy as np
from numpy.typing import NDArray

__all__ = ["grow_parts", "grow_strings"]

def grow_strings(
    symbols: NDArray[np.int32],
    doc_starts: NDArray[np.int64],
    stands: NDArray[np.uint8],
    min_tokens: int,
    min_df: int,
    steps: int,
) -> (
    tuple[
        NDArray[np.int32],
        NDArray[np.int64],
        NDArray[np.int32],
        NDArray[np.int32],
        NDArray[np.int32],
        NDArray[np.int32],
        NDArray[np.int32],
    ]
    | None
): ...
def grow_parts(
    symbols: NDArray[np.int32],
    doc_starts: NDArray[np.int64],
    stands: NDArray[np.uint8],
    min_tokens: int,
    min_df: int,
    most: int,
    steps: int,
) -> (
    tuple[
        NDArray[np.int32],
        NDArray[np.int32],
        NDArray[np.int32],
        NDArray[np.int32],
        NDArray[np.int32],
        NDArray[np.int32],
        NDArray[np.int32],
    ]
    | None
): ...
