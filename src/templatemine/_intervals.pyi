import numpy as np
from numpy.typing import NDArray
from typing_extensions import Buffer

__all__ = ["code_points", "merge"]

def merge(
    starts: NDArray[np.int64], ends: NDArray[np.int64], gap: int
) -> tuple[NDArray[np.int64], NDArray[np.int64], NDArray[np.int64]]: ...
def code_points(text: Buffer, offsets: NDArray[np.int64]) -> NDArray[np.int64]: ...
