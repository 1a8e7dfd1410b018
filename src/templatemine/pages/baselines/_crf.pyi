from collections.abc import Mapping
from typing import Self

import numpy as np
from numpy.typing import NDArray
from typing_extensions import Buffer, disjoint_base

__all__ = ["COLUMNS", "FEATURES", "FLAGS", "RunScanner", "compute_features", "compute_marginals"]

COLUMNS: tuple[str, ...]
FLAGS: Mapping[str, int]

@disjoint_base
class RunScanner:
    def __new__(cls, tags: list[tuple[bytes, int, int, int, int]], entities: list[tuple[bytes, str]]) -> Self: ...
    def find_runs(
        self, page: Buffer, starts: NDArray[np.int64], ends: NDArray[np.int64]
    ) -> tuple[NDArray[np.int64], NDArray[np.uint32], NDArray[np.int64]]: ...

FEATURES: tuple[str, ...]

def compute_features(
    rows: NDArray[np.int64],
    text: NDArray[np.uint32],
    bounds: NDArray[np.int64],
    container_count: int,
    link_mask: int,
    edges: NDArray[np.float64],
    edge_bounds: NDArray[np.int64],
) -> NDArray[np.uint8]: ...
def compute_marginals(
    values: NDArray[np.uint8],
    own: NDArray[np.float64],
    near: NDArray[np.float64],
    columns: NDArray[np.int64],
    offsets: NDArray[np.int64],
    edges: NDArray[np.float64],
    steps: NDArray[np.float64],
) -> NDArray[np.float64]: ...
