from typing import Self

import numpy as np
from numpy.typing import NDArray
from typing_extensions import disjoint_base

__all__ = ["LEAVES", "Forest"]

LEAVES: int

@disjoint_base
class Forest:
    def __new__(
        cls,
        feature: NDArray[np.int16],
        threshold: NDArray[np.float32],
        left: NDArray[np.int16],
        right: NDArray[np.int16],
        leaf: NDArray[np.float32],
        sizes: NDArray[np.int32],
        *rest: object,
    ) -> Self: ...
    def scores(self, rows: NDArray[np.float32]) -> NDArray[np.float32]: ...
