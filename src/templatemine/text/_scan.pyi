from typing import Final, Self

import numpy as np
from numpy.typing import NDArray
from typing_extensions import Buffer, disjoint_base

__all__ = [
    "CLASSES",
    "FILLERS",
    "Scanner",
    "Tokeniser",
    "code_points",
    "count_keys",
    "form_hashes",
    "form_traits",
    "line_ends",
    "release_memory",
]

CLASSES: dict[str, str]
FILLERS: dict[str, int]

MARKER: Final[int]
FIRST_USER_ID: Final[int]
MAX_SEPARATORS: Final[int]
BEGINS_LINE: Final[int]
ENDS_LINE: Final[int]
TO_END: Final[int]
KEPT: Final[int]
HEAD: Final[int]
SPANS: Final[int]
TO_BEGIN: Final[int]
SLOT_SIZE: Final[int]
MAX_SIZED_SLOT: Final[int]
MIN_BETWEEN: Final[int]
MAX_NAME_WORDS: Final[int]
MAX_PLACE_WORDS: Final[int]
MAX_HEAD_BREAKS: Final[int]
MAX_SMALL_LETTERS: Final[int]
MAX_SMALL_RUN: Final[int]
MAX_FIGURE_WORDS: Final[int]
MAX_GLUED_JOINTS: Final[int]
MAX_GLUED_SIZE: Final[int]
MAX_HEADLINE: Final[int]
MAX_CLOSERS: Final[int]

def release_memory() -> None: ...
def form_traits(arena: NDArray[np.uint8], offsets: NDArray[np.int64]) -> NDArray[np.uint16]: ...
def form_hashes(arena: NDArray[np.uint8], offsets: NDArray[np.int64]) -> NDArray[np.uint64]: ...

@disjoint_base
class Scanner:
    def __new__(
        cls, separators: bytes, mask: bytes, words: list[bytes], numbers: list[int], html: bool, *rest: object
    ) -> Self: ...
    def token_spans(self, document: Buffer) -> tuple[NDArray[np.int64], NDArray[np.int64], NDArray[np.uint8]]: ...
    def form(self, token: bytes, kind: int = 0) -> bytes: ...

@disjoint_base
class Tokeniser(Scanner):
    def __new__(
        cls,
        separators: bytes,
        mask: bytes,
        words: list[bytes],
        numbers: list[int],
        html: bool,
        lines: bool = False,
    ) -> Self: ...
    def add(self, document: Buffer) -> None: ...
    def add_all(self, documents: list[str | bytes]) -> None: ...
    def gaps(self) -> NDArray[np.int64]: ...
    def dashes(self) -> NDArray[np.int64]: ...
    def finish(self) -> tuple[NDArray[np.int32], NDArray[np.int64], NDArray[np.uint8], NDArray[np.int64]]: ...

def code_points(text: Buffer, offsets: NDArray[np.int64]) -> NDArray[np.int64]: ...
def count_keys(json: Buffer) -> int: ...
def line_ends(block: bytes, every: int) -> tuple[int, list[int]]: ...
