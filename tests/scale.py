"""How much of a test is run: TEMPLATEMINE_SCALE, a tenth by default and all of it in `make test-all`."""

from __future__ import annotations

import os

__all__ = ["DEEP", "SCALE", "scaled"]

DEEP = os.environ.get("TEMPLATEMINE_TESTS") == "deep"
SCALE = float(os.environ.get("TEMPLATEMINE_SCALE", "50" if DEEP else "0.1"))


def scaled(count: int, least: int = 1) -> int:
    """Scale a count, to what still shows what the test is for and to no more than all."""
    return min(count, max(least, round(count * SCALE)))
