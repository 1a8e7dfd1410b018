from collections.abc import Sequence
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray
from typing_extensions import Buffer, disjoint_base

__all__ = [
    "Windows",
    "count_holders",
    "document_frequency",
    "find_first_positions",
    "find_rare_pairs",
    "find_repeats",
    "find_versions",
    "format_json_rows",
    "gather_slices_i32",
    "gather_slices_u8",
    "grow_strings",
    "hash_strings",
    "lcp",
    "number_hashes",
    "reduce_tokens",
]

def document_frequency(
    forms: NDArray[np.int32], doc_starts: NDArray[np.int64], form_count: int
) -> tuple[NDArray[np.int32], NDArray[np.int64]]: ...
def find_rare_pairs(
    forms: NDArray[np.int32], doc_starts: NDArray[np.int64], kinds: NDArray[np.uint8], hashes: NDArray[np.uint64]
) -> tuple[NDArray[np.uint64], NDArray[np.int32], NDArray[np.int64], NDArray[np.uint64]]: ...
def find_versions(
    forms: NDArray[np.int32],
    doc_starts: NDArray[np.int64],
    kinds: NDArray[np.uint8],
    hashes: NDArray[np.uint64],
    order: NDArray[np.int64],
    k: int,
    sampled: int,
    foreign_share: float,
) -> NDArray[np.int64]: ...
def reduce_tokens(
    forms: NDArray[np.int32],
    doc_starts: NDArray[np.int64],
    symbol_of: NDArray[np.int32],
    lines: bool = False,
) -> tuple[NDArray[np.int32], NDArray[np.int64], NDArray[np.int64], NDArray[np.int32]]: ...
def lcp(text: NDArray[np.int32], sa: NDArray[Any]) -> NDArray[Any]: ...
def find_repeats(
    text: NDArray[np.int32],
    doc_of: NDArray[np.int32],
    sa: NDArray[Any],
    lcp: NDArray[Any],
    documents: int,
    min_tokens: int,
    min_df: int,
) -> tuple[NDArray[np.int64], NDArray[np.int32], NDArray[np.int32], NDArray[np.int32]]: ...
def number_hashes(
    hashes: NDArray[np.uint64], document: NDArray[np.int32]
) -> tuple[NDArray[np.int32], NDArray[np.int32]]: ...
def count_holders(
    wanted: NDArray[np.uint64], hashes: NDArray[np.uint64], document: NDArray[np.int32]
) -> NDArray[np.int32]: ...
def grow_strings(
    symbols: NDArray[np.int32],
    doc_starts: NDArray[np.int64],
    min_tokens: int,
    min_df: int,
    steps: int,
) -> (
    tuple[
        NDArray[np.int32],
        NDArray[np.int64],
        NDArray[np.int32],
        NDArray[np.int32],
        NDArray[np.int32],
        NDArray[np.int32],
    ]
    | None
): ...
def find_first_positions(
    rank: NDArray[np.int64], count: NDArray[np.int32], sa: NDArray[np.int64], max_occurrences: int
) -> NDArray[np.int64]: ...
def gather_slices_i32(
    values: NDArray[np.int32], position: NDArray[np.int64], length: NDArray[np.int32]
) -> tuple[NDArray[np.int32], NDArray[np.int64]]: ...
def gather_slices_u8(
    values: NDArray[np.uint8], position: NDArray[np.int64], length: NDArray[np.int32]
) -> tuple[NDArray[np.uint8], NDArray[np.int64]]: ...
def hash_strings(
    text: NDArray[np.int32],
    symbol_hash: NDArray[np.uint64],
    position: NDArray[np.int64],
    length: NDArray[np.int32],
) -> NDArray[np.uint64]: ...
def format_json_rows(
    tokens: NDArray[np.int32],
    bounds: NDArray[np.int64],
    names: Buffer,
    name_bounds: NDArray[np.int64],
    df: NDArray[np.int32],
    count: NDArray[np.int32],
    ends: Buffer,
    end_bounds: NDArray[np.int64],
    end_of: NDArray[np.int8],
) -> bytes: ...

@disjoint_base
class Windows:
    @property
    def slots(self) -> int: ...
    def __new__(
        cls,
        forms: NDArray[np.int32],
        doc_starts: NDArray[np.int64],
        has_breaks: bool,
        is_rare: NDArray[np.uint8],
        size: int,
    ) -> Self: ...
    def count(self) -> NDArray[np.int32]: ...
    def find(
        self, parts: Sequence[tuple[int, int]], wanted: NDArray[np.uint8]
    ) -> tuple[NDArray[np.int64], NDArray[np.int32], NDArray[np.uint64]]: ...
