"""The figures, a module a group of them; `FIGURES` has all, in the order of the results."""

from __future__ import annotations

from figures import cleaning, commands, growth, mining, pages, tokens
from harness import Figure

__all__ = ["FIGURES"]

FIGURES: tuple[Figure, ...] = (
    mining.EXACT,
    mining.SAMPLED,
    tokens.TOKENS,
    cleaning.CLEANING,
    commands.COMMAND,
    pages.PAGES,
    growth.MEMORY,
    growth.GROWTH,
    growth.CORES,
    commands.START,
)
