from typing import Self

import numpy as np
from numpy.typing import NDArray
from typing_extensions import Buffer, disjoint_base

__all__ = [
    "Matcher",
    "Stripper",
    "Tokeniser",
    "anchors",
    "code_points",
    "document_frequency",
    "form_hashes",
    "lcp_i32",
    "lcp_i64",
    "merge",
    "own_tokens",
    "reduce_tokens",
    "repeats_i32",
    "repeats_i64",
    "string_hashes",
]

@disjoint_base
class _Scanner:
    def __new__(
        cls, separators: bytes, mask: bytes, words: list[bytes], numbers: list[int], html: bool, *rest: object
    ) -> Self: ...
    def token_spans(self, document: Buffer) -> tuple[NDArray[np.int64], NDArray[np.int64], NDArray[np.uint8]]: ...
    def form(self, token: bytes, kind: int = 0) -> bytes: ...

@disjoint_base
class Tokeniser(_Scanner):
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
    def finish(self) -> tuple[NDArray[np.int32], NDArray[np.int64], NDArray[np.uint8], NDArray[np.int64]]: ...

@disjoint_base
class Matcher(_Scanner):
    def __new__(
        cls,
        separators: bytes,
        mask: bytes,
        words: list[bytes],
        numbers: list[int],
        html: bool,
        vocabulary: list[bytes],
        flat: NDArray[np.int32],
        bounds: NDArray[np.int64],
        edges: NDArray[np.uint8] | None = None,
    ) -> Self: ...
    def find(self, document: Buffer) -> tuple[NDArray[np.int64], NDArray[np.int64], NDArray[np.int32]]: ...
    def count(
        self,
        document: Buffer,
        number: int,
        table: NDArray[np.int64],
        last: NDArray[np.int64],
        forms: NDArray[np.int64],
        lines: bool,
    ) -> None: ...
    def spans(self, text: str, gap: int) -> list[tuple[int, int, list[int]]]: ...

@disjoint_base
class Stripper:
    def __new__(cls, blocks: list[bytes]) -> Self: ...
    def strip(self, page: Buffer, bounds: NDArray[np.int64]) -> bytes: ...

def document_frequency(
    forms: NDArray[np.int32], doc_starts: NDArray[np.int64], form_count: int
) -> NDArray[np.int32]: ...
def reduce_tokens(
    forms: NDArray[np.int32], doc_starts: NDArray[np.int64], symbol_of: NDArray[np.int32], lines: bool = False
) -> tuple[NDArray[np.int32], NDArray[np.int32], NDArray[np.int32], NDArray[np.uint8]]: ...
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
def anchors(
    rank: NDArray[np.int64],
    length: NDArray[np.int32],
    count: NDArray[np.int32],
    sa: NDArray[np.int64],
    edges: NDArray[np.uint8],
) -> NDArray[np.int32]: ...
def string_hashes(
    text: NDArray[np.int32],
    symbol_hash: NDArray[np.uint64],
    position: NDArray[np.int64],
    length: NDArray[np.int32],
) -> NDArray[np.uint64]: ...
def own_tokens(arena: NDArray[np.uint8], offsets: NDArray[np.int64]) -> NDArray[np.uint8]: ...
def form_hashes(arena: NDArray[np.uint8], offsets: NDArray[np.int64]) -> NDArray[np.uint64]: ...
def merge(
    starts: NDArray[np.int64], ends: NDArray[np.int64], gap: int
) -> tuple[NDArray[np.int64], NDArray[np.int64], NDArray[np.int64]]: ...
def code_points(text: Buffer, offsets: NDArray[np.int64]) -> NDArray[np.int64]: ...
