import numpy as np
from numpy.typing import NDArray
from typing_extensions import Buffer

__all__ = [
    "STAND_COUNTS",
    "group_rates",
    "json_rows",
    "renumber",
    "stand_counts",
    "stretches_i32",
    "stretches_u8",
    "string_hashes",
    "string_sums",
]

STAND_COUNTS: int

def stand_counts(
    rank: NDArray[np.int64],
    length: NDArray[np.int32],
    count: NDArray[np.int32],
    sa: NDArray[np.int64],
    stands: NDArray[np.uint8],
    most: int,
) -> tuple[NDArray[np.int32], NDArray[np.int64]]: ...
def stretches_i32(
    values: NDArray[np.int32], position: NDArray[np.int64], length: NDArray[np.int32]
) -> tuple[NDArray[np.int32], NDArray[np.int64]]: ...
def stretches_u8(
    values: NDArray[np.uint8], position: NDArray[np.int64], length: NDArray[np.int32]
) -> tuple[NDArray[np.uint8], NDArray[np.int64]]: ...
def renumber(
    values: NDArray[np.int32], kinds: int
) -> tuple[NDArray[np.int32], NDArray[np.int64], NDArray[np.int32]]: ...
def string_hashes(
    text: NDArray[np.int32],
    symbol_hash: NDArray[np.uint64],
    position: NDArray[np.int64],
    length: NDArray[np.int32],
) -> NDArray[np.uint64]: ...
def string_sums(
    text: NDArray[np.int32],
    values: NDArray[np.float64],
    position: NDArray[np.int64],
    length: NDArray[np.int32],
) -> NDArray[np.float64]: ...
def group_rates(
    hashes: NDArray[np.uint64], rates: NDArray[np.float32], sources: NDArray[np.int32]
) -> tuple[NDArray[np.int64], NDArray[np.int32], NDArray[np.int32], NDArray[np.float32], NDArray[np.float32]]: ...
def json_rows(
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
