import numpy as np
from numpy.typing import NDArray

__all__ = ["FEATURES", "features", "marginals"]

FEATURES: tuple[str, ...]

def features(
    rows: NDArray[np.int64],
    text: NDArray[np.uint32],
    bounds: NDArray[np.int64],
    kinds: int,
    linked: int,
    edges: NDArray[np.float64],
    edge_bounds: NDArray[np.int64],
) -> NDArray[np.uint8]: ...
def marginals(
    values: NDArray[np.uint8],
    own: NDArray[np.float64],
    near: NDArray[np.float64],
    columns: NDArray[np.int64],
    offsets: NDArray[np.int64],
    edges: NDArray[np.float64],
    steps: NDArray[np.float64],
) -> NDArray[np.float64]: ...
