from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

__all__ = ["CONTEXT", "FEATURES", "ROLES", "SECTIONS", "context", "features"]

CONTEXT: tuple[str, ...]
FEATURES: tuple[str, ...]
ROLES: dict[str, str]
SECTIONS: tuple[str, ...]

def features(page: Mapping[str, Any]) -> NDArray[np.float32]: ...
def context(page: Mapping[str, Any], scores: NDArray[np.float64]) -> NDArray[np.float32]: ...
