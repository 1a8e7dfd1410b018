"""Tokens as people write them."""

from __future__ import annotations

import re
from collections.abc import Iterable
from functools import cache

__all__ = ["joined"]


@cache
def _no_blank() -> re.Pattern[str]:
    from templatemine.expressions import OWN_TOKEN

    return re.compile(f"(?<=[{OWN_TOKEN}])\x00|\x00(?=[{OWN_TOKEN}])")


def joined(tokens: Iterable[str]) -> str:
    """Tokens on one line: no blank between characters of scripts that have none."""
    return " ".join(_no_blank().sub("", "\x00".join(tokens)).replace("\x00", " ").split())
