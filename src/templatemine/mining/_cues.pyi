import numpy as np
from numpy.typing import NDArray
from typing_extensions import disjoint_base

__all__ = ["CUE_COLUMNS", "CueTrie"]

CUE_COLUMNS: int

@disjoint_base
class CueTrie:
    def __init__(
        self,
        names: bytes,
        roots: NDArray[np.int32],
        keys: NDArray[np.int64],
        children: NDArray[np.int32],
        strong: NDArray[np.uint16],
        weak: NDArray[np.uint16],
        colon: bytes,
        pattern: bytes,
    ) -> None: ...
    def find_word(self, word: bytes) -> int: ...
    def number_ascii(
        self, arena: NDArray[np.uint8], offsets: NDArray[np.int64]
    ) -> tuple[NDArray[np.int32], NDArray[np.int32], NDArray[np.uint8], NDArray[np.int64]]: ...
    def find_cues(
        self,
        tokens: NDArray[np.int32],
        starts: NDArray[np.int64],
        lengths: NDArray[np.int32],
        word_of: NDArray[np.int32],
        signed_of: NDArray[np.int32],
        colons: NDArray[np.uint8],
    ) -> NDArray[np.float32]: ...
