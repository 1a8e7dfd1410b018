import numpy as np
from numpy.typing import NDArray

__all__ = ["form_hashes", "form_traits"]

def form_traits(arena: NDArray[np.uint8], offsets: NDArray[np.int64]) -> NDArray[np.uint16]: ...
def form_hashes(arena: NDArray[np.uint8], offsets: NDArray[np.int64]) -> NDArray[np.uint64]: ...
