from typing import Self

import numpy as np
from numpy.typing import NDArray
from typing_extensions import Buffer, disjoint_base

__all__ = ["Scanner"]

@disjoint_base
class Scanner:
    def __new__(
        cls, separators: bytes, mask: bytes, words: list[bytes], numbers: list[int], html: bool, *rest: object
    ) -> Self: ...
    def token_spans(self, document: Buffer) -> tuple[NDArray[np.int64], NDArray[np.int64], NDArray[np.uint8]]: ...
    def form(self, token: bytes, kind: int = 0) -> bytes: ...
