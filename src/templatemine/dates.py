"""The day that a date begins with."""

from __future__ import annotations

import re

__all__ = ["day_of"]

_DAY = re.compile(r"([0-9]{4})[-/]?([01][0-9])[-/]?([0-3][0-9])")


def day_of(date: str | None) -> str | None:
    """``2024-05-31`` of dates that begin with year, month and day; other ways to write dates are ambiguous."""
    match = _DAY.match(date) if date else None
    return "-".join(match.groups()) if match else None
