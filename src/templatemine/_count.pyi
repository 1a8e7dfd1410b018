from typing import Self

import numpy as np
from numpy.typing import NDArray
from typing_extensions import disjoint_base

from templatemine._core import Tokeniser

__all__ = ["Counter"]

@disjoint_base
class Counter(Tokeniser):
    def __new__(
        cls,
        separators: bytes,
        mask: bytes,
        words: list[bytes],
        numbers: list[int],
        html: bool,
        lines: bool,
        vocabulary: list[bytes],
        flat: NDArray[np.int32],
        bounds: NDArray[np.int64],
        before: NDArray[np.int32],
        after: NDArray[np.int32],
        sizes: tuple[int, int, int, int, int],
        most: int,
    ) -> Self: ...
    def count_all(self, documents: list[str | bytes]) -> None: ...
    def counts(
        self,
    ) -> tuple[NDArray[np.int64], NDArray[np.int64], NDArray[np.int64], NDArray[np.int64], NDArray[np.int64], int]: ...
