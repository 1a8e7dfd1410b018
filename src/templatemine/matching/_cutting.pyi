from array import array
from collections.abc import Sequence
from typing import Self

import numpy as np
from numpy.typing import NDArray
from typing_extensions import Buffer, disjoint_base

__all__ = ["Stripper", "cut", "merge", "take_empty_tags", "widen"]

def cut(text: str, spans: Sequence[tuple[int, int, *tuple[object, ...]]]) -> str: ...
def take_empty_tags(text: str, spans: Sequence[tuple[int, int, *tuple[object, ...]]]) -> list[tuple[int, int]]: ...
def widen(text: str, spans: Sequence[tuple[int, int, *tuple[object, ...]]]) -> list[tuple[int, int]]: ...

@disjoint_base
class Stripper:
    def __new__(cls, blocks: list[bytes]) -> Self: ...
    def strip(self, page: Buffer, bounds: NDArray[np.int64] | array[int]) -> bytes: ...

def merge(
    starts: NDArray[np.int64], ends: NDArray[np.int64], gap: int
) -> tuple[NDArray[np.int64], NDArray[np.int64], NDArray[np.int64]]: ...
