from collections.abc import Callable
from typing import Self

import numpy as np
from numpy.typing import NDArray
from typing_extensions import disjoint_base

__all__ = [
    "CUE_COLUMNS",
    "PIECES",
    "CueTrie",
    "FeatureExtractor",
    "count_occurrences",
    "cut_segments",
    "find_labels",
    "find_repeated_segments",
    "hash_pieces",
    "sketch_segments",
]

def cut_segments(
    forms: NDArray[np.int32],
    doc_starts: NDArray[np.int64],
    traits: NDArray[np.uint16],
    gaps: NDArray[np.int64],
    lines: bool,
) -> tuple[NDArray[np.int32], NDArray[np.int64], NDArray[np.int32], NDArray[np.uint8], NDArray[np.int64]]: ...
def count_occurrences(
    text: NDArray[np.int32],
    doc_starts: NDArray[np.int64],
    tokens: NDArray[np.int32],
    bounds: NDArray[np.int64],
    symbols: int,
) -> NDArray[np.int64]: ...
def hash_pieces(chars: NDArray[np.uint32]) -> tuple[NDArray[np.int32], NDArray[np.int64]]: ...
def sketch_segments(
    tokens: NDArray[np.int32],
    lengths: NDArray[np.int32],
    df: NDArray[np.int32],
    max_df: int,
    size: int,
    most: int,
) -> NDArray[np.uint64]: ...
def find_repeated_segments(
    string: NDArray[np.int32],
    string_df: NDArray[np.int32],
    document: NDArray[np.int32],
    begins: NDArray[np.uint8],
    min_df: int,
) -> tuple[NDArray[np.int64], NDArray[np.int64], NDArray[np.int32]]: ...
def find_labels(
    tokens: NDArray[np.int32],
    bounds: NDArray[np.int64],
    document: NDArray[np.int32],
    string_df: NDArray[np.int32],
    min_repeat_df: int,
    from_end: bool,
    max_tokens: int,
    min_df: int,
    max_share: float,
) -> tuple[
    NDArray[np.int64],
    NDArray[np.int64],
    NDArray[np.int32],
    NDArray[np.int32],
    NDArray[np.float32],
    NDArray[np.float32],
]: ...

@disjoint_base
class FeatureExtractor:
    def __new__(
        cls,
        tokens: NDArray[np.int32],
        doc_tokens: NDArray[np.int64],
        bounds: NDArray[np.int64],
        document: NDArray[np.int32],
        begins: NDArray[np.uint8],
        string: NDArray[np.int32],
        string_df: NDArray[np.int32],
        traits: NDArray[np.uint16],
        counts: NDArray[np.int64],
        information: NDArray[np.float64],
        arena: NDArray[np.uint8],
        offsets: NDArray[np.int64],
        continuations: bytes,
        date_low: NDArray[np.int64],
        date_high: NDArray[np.int64],
        min_repeat_df: int,
    ) -> Self: ...
    def locate_search_strings(
        self, kind: int, segment: NDArray[np.int64], bounds: NDArray[np.int64], length: NDArray[np.int32]
    ) -> tuple[NDArray[np.int64], NDArray[np.int32]]: ...
    def compute(
        self,
        kind: int,
        segment: NDArray[np.int64],
        bounds: NDArray[np.int64],
        length: NDArray[np.int32],
        df: NDArray[np.int32],
        longer: NDArray[np.float32],
        shorter: NDArray[np.float32],
        source_count: NDArray[np.int64],
    ) -> NDArray[np.float32]: ...

CUE_COLUMNS: int
PIECES: int

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
    def number_forms(
        self,
        arena: NDArray[np.uint8],
        offsets: NDArray[np.int64],
        read_char: Callable[[bytes], tuple[bytes, bytes, bool, bool]],
    ) -> tuple[NDArray[np.int32], NDArray[np.int32], NDArray[np.uint8]]: ...
    def find_cues(
        self,
        tokens: NDArray[np.int32],
        starts: NDArray[np.int64],
        lengths: NDArray[np.int32],
        word_of: NDArray[np.int32],
        signed_of: NDArray[np.int32],
        colons: NDArray[np.uint8],
    ) -> NDArray[np.float32]: ...
