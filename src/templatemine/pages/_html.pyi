from typing import Any, Final, Self

import numpy as np
from numpy.typing import NDArray
from typing_extensions import Buffer, disjoint_base

__all__ = [
    "BlockScanner",
    "COUNTS",
    "FLAGS",
    "KEYS",
    "MARKS",
    "TAGS",
    "block_texts",
    "ld_json",
    "metas",
    "path_keys",
    "styles",
    "utf8",
]

TAGS: tuple[tuple[str, int], ...]
FLAGS: dict[str, int]
COUNTS: tuple[str, ...]
KEYS: tuple[str, ...]
MARKS: tuple[str, ...]
LOOK: Final[int]

@disjoint_base
class BlockScanner:
    def __new__(
        cls, entities: list[tuple[bytes, bytes]], keywords: list[tuple[bytes, int]], words: list[tuple[bytes, int]]
    ) -> Self: ...
    def blocks(self, page: Buffer) -> dict[str, Any]: ...
    def marks(self, page: Buffer) -> dict[str, NDArray[Any]]: ...

def block_texts(text: Buffer, bounds: NDArray[np.int64], blocks: NDArray[np.int64]) -> list[str]: ...
def utf8(page: str) -> bytes: ...
def metas(page: bytes, names: list[bytes]) -> list[bytes]: ...
def styles(page: bytes, before: int) -> list[tuple[int, int]]: ...
def ld_json(page: bytes) -> list[int]: ...
def path_keys(path: list[bytes]) -> NDArray[np.uint64]: ...
