from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray
from typing_extensions import Buffer

__all__ = [
    "RUN_COLUMNS",
    "RUN_FEATURES",
    "compute_marginals",
    "compute_run_features",
    "count_line_breaks",
    "extract_keywords",
    "find_runs",
    "find_stretch",
    "measure_wrapped",
]

RUN_COLUMNS: tuple[str, ...]
RUN_FEATURES: tuple[str, ...]

def find_runs(
    page: Mapping[str, Any], marks: Mapping[str, NDArray[Any]], tag_bits: NDArray[np.uint32]
) -> tuple[NDArray[np.int64], NDArray[np.uint32], NDArray[np.int64]]: ...
def compute_run_features(
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
