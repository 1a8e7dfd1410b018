"""The figures, a module a group of them; `FIGURES` has all, in the order of the results."""

from __future__ import annotations

from figures import cleaning, commands, desk, growth, mining, tokens
from harness import Figure

__all__ = ["FIGURES"]

FIGURES: tuple[Figure, ...] = (
    commands.COMMAND,
    mining.EXACT,
    mining.SAMPLED,
    tokens.TOKENS,
    cleaning.CLEANING,
    growth.MEMORY,
    growth.GROWTH,
    growth.CORES,
    commands.START,
    desk.DESK,
)
