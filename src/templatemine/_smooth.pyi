import numpy as np
from numpy.typing import NDArray

__all__ = ["LEVELS", "smooth", "smooth_leaves"]

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
