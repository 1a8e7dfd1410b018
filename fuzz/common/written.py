"""Expressions as people write them by hand, out of choices; some are none, some are slow, some are of one engine alone."""

from __future__ import annotations

from common.choices import Choices

__all__ = ["written"]

ATOMS = (
    *("a", "b", "ab", "x1", " ", "-", "news", "é", "語", "\\n", "\\t", "\\.", "\\|", "\\x41", "\\u00e9", ".", "\\d", "\\s", "\\S", "\\w"),
    *("\\W", "[ab]", "[^a]", "[a-c1]", "[^\\s<]", "[\\w-]", "[]a]", "[é語]", "\\b", "\\B", "^", "$", "\\A", "\\Z", "(?i:a)", "\\p{L}", "\\1"),
    *("(?=a)", "(?!b)", "(?<=a)", "(?<!b)", "(?>a+)", "(?#c)", "\\Q", "(", ")", "[", "{", "*"),
)  # fmt: skip
PLAIN = 32
"""So many of the atoms are what most expressions are made of."""

REPEATS = (
    "",
    "",
    "",
    "",
    "*",
    "+",
    "?",
    "{2}",
    "{1,3}",
    "{2,}",
    "{0,60}",
    "*?",
    "+?",
    "??",
    "++",
    "{1001}",
    "{,2}",
    "{20}",
)


def written(choices: Choices, depth: int = 3) -> str:
    """An expression of nested groups, alternatives and repeats."""
    return "|".join(choices.some(lambda: _sequence(choices, depth), 2, 1))


def _sequence(choices: Choices, depth: int) -> str:
    return "".join(choices.some(lambda: _item(choices, depth) + choices.pick(REPEATS), 4, 1))


def _item(choices: Choices, depth: int) -> str:
    kind = choices.number(8)
    if depth and kind >= 6:
        opening = choices.pick(("(?:", "(?:", "(", "(?P<n>", "(?i:", "(?s:"))
        return f"{opening}{written(choices, depth - 1)})"
    return choices.pick(ATOMS if kind == 5 else ATOMS[:PLAIN])
