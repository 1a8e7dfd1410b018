from typing import Any, Self

import numpy as np
from numpy.typing import NDArray
from typing_extensions import Buffer, disjoint_base

__all__ = [
    "BlockScanner",
    "COUNTS",
    "FLAGS",
    "KEYS",
    "MARKS",
    "PhraseFinder",
    "TAGS",
    "decode_texts",
    "encode_page",
    "find_metas",
    "find_styles",
    "hash_path",
]

TAGS: tuple[tuple[str, int], ...]
FLAGS: dict[str, int]
COUNTS: tuple[str, ...]
KEYS: tuple[str, ...]
MARKS: tuple[str, ...]

@disjoint_base
class BlockScanner:
    def __new__(
        cls, entities: list[tuple[bytes, bytes]], keywords: list[tuple[bytes, int]], words: list[tuple[bytes, int]]
    ) -> Self: ...
    def scan_blocks(self, page: Buffer) -> dict[str, Any]: ...
    def scan_marks(self, page: Buffer) -> dict[str, NDArray[Any]]: ...

@disjoint_base
class PhraseFinder:
    def __new__(cls, phrases: tuple[bytes, ...]) -> Self: ...
    def find(self, text: Buffer) -> list[list[int]]: ...
    def stand_in(self, text: Buffer) -> list[bool]: ...

def decode_texts(text: Buffer, bounds: NDArray[np.int64], blocks: NDArray[np.int64]) -> list[str]: ...
def encode_page(page: str) -> bytes: ...
def find_metas(page: bytes, names: list[bytes]) -> list[bytes]: ...
def find_styles(page: bytes, before: int) -> list[tuple[int, int]]: ...
def hash_path(path: list[bytes]) -> NDArray[np.uint64]: ...
