"""Small arrays for kernels that are called as they stand."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray


def i32(*values: int) -> NDArray[np.int32]:
    return np.array(values, np.int32)


def i64(*values: int) -> NDArray[np.int64]:
    return np.array(values, np.int64)


def u8(*values: int) -> NDArray[np.uint8]:
    return np.array(values, np.uint8)
