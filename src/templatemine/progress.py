"""The one type of callback that long runs report their progress to."""

from __future__ import annotations

from collections.abc import Callable

__all__ = ["Progress", "ignore_progress"]

Progress = Callable[[str, int, int | None], None]
"""Called with (name of the step, number done, total or None where it is not known)."""


def ignore_progress(step: str, done: int, total: int | None) -> None:
    """Do nothing: the callback of those who passed none."""
