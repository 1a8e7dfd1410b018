from typing import Self

import numpy as np
from numpy.typing import NDArray
from typing_extensions import Buffer, disjoint_base

from templatemine._text import Scanner

__all__ = [
    "Tokeniser",
    "document_frequency",
    "last_at_most",
    "lcp_i32",
    "lcp_i64",
    "rare_pairs",
    "reduce_tokens",
    "repeats_i32",
    "repeats_i64",
    "standing",
]

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
    def finish(self) -> tuple[NDArray[np.int32], NDArray[np.int64], NDArray[np.uint8], NDArray[np.int64]]: ...

def document_frequency(
    forms: NDArray[np.int32], doc_starts: NDArray[np.int64], form_count: int
) -> tuple[NDArray[np.int32], NDArray[np.int64]]: ...
def rare_pairs(
    forms: NDArray[np.int32], doc_starts: NDArray[np.int64], kinds: NDArray[np.uint8], hashes: NDArray[np.uint64]
) -> tuple[NDArray[np.uint64], NDArray[np.int32], NDArray[np.int64], NDArray[np.uint64]]: ...
def standing(
    forms: NDArray[np.int32],
    doc_starts: NDArray[np.int64],
    traits: NDArray[np.uint16],
    lines: bool,
    short: int,
    long_: int,
    near: int,
    least: int,
    every: int,
) -> NDArray[np.uint8]: ...
def reduce_tokens(
    forms: NDArray[np.int32],
    doc_starts: NDArray[np.int64],
    symbol_of: NDArray[np.int32],
    stands: NDArray[np.uint8],
    lines: bool = False,
) -> tuple[NDArray[np.int32], NDArray[np.uint8], NDArray[np.int64], NDArray[np.int64], NDArray[np.int32]]: ...
def lcp_i32(text: NDArray[np.int32], sa: NDArray[np.int32]) -> NDArray[np.int32]: ...
def lcp_i64(text: NDArray[np.int32], sa: NDArray[np.int64]) -> NDArray[np.int64]: ...
def repeats_i32(
    text: NDArray[np.int32],
    doc_of: NDArray[np.int32],
    sa: NDArray[np.int32],
    lcp: NDArray[np.int32],
    documents: int,
    min_tokens: int,
    min_df: int,
) -> tuple[NDArray[np.int64], NDArray[np.int32], NDArray[np.int32], NDArray[np.int32]]: ...
def repeats_i64(
    text: NDArray[np.int32],
    doc_of: NDArray[np.int32],
    sa: NDArray[np.int64],
    lcp: NDArray[np.int64],
    documents: int,
    min_tokens: int,
    min_df: int,
) -> tuple[NDArray[np.int64], NDArray[np.int32], NDArray[np.int32], NDArray[np.int32]]: ...
def last_at_most(starts: NDArray[np.int64], places: NDArray[np.int64]) -> NDArray[np.int64]: ...
