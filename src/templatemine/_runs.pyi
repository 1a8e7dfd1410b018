from collections.abc import Mapping
from typing import Self

import numpy as np
from numpy.typing import NDArray
from typing_extensions import Buffer, disjoint_base

__all__ = ["COLUMNS", "FLAGS", "RunScanner"]

COLUMNS: tuple[str, ...]
FLAGS: Mapping[str, int]

@disjoint_base
class RunScanner:
    def __new__(cls, tags: list[tuple[bytes, int, int, int, int]], entities: list[tuple[bytes, str]]) -> Self: ...
    def runs(
        self, page: Buffer, starts: NDArray[np.int64], ends: NDArray[np.int64]
    ) -> tuple[NDArray[np.int64], NDArray[np.uint32], NDArray[np.int64]]: ...
