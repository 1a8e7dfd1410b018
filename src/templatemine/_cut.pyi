from array import array
from collections.abc import Sequence
from typing import Self

import numpy as np
from numpy.typing import NDArray
from typing_extensions import Buffer, disjoint_base

__all__ = ["Stripper", "cut"]

def cut(text: str, spans: Sequence[tuple[int, int, *tuple[object, ...]]]) -> str: ...

@disjoint_base
class Stripper:
    def __new__(cls, blocks: list[bytes]) -> Self: ...
    def strip(self, page: Buffer, bounds: NDArray[np.int64] | array[int]) -> bytes: ...
