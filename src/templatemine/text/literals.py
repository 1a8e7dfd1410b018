"""What a text must hold for an expression to match it: without its literal most expressions need not be tried."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

from templatemine.text.linear import REPEATS, parse


def required_literal(pattern: str) -> str:
    """Return the longest literal that is in whatever an expression that RE2 takes matches; "" if none is known of.

    >>> required_literal("(?:Sign|Log) in to read(?: more)?")
    ' in to read'
    >>> required_literal("(?i)sign in")
    ''
    """
    tree = parse(pattern)
    if tree.state.flags & re.IGNORECASE:
        return ""
    runs = [""]
    _collect_literals(tree, runs)
    return max(runs, key=len)


def _collect_literals(tree: Any, runs: list[str]) -> None:
    """Add the literals of a sequence that must be gone through; the last run is the one that goes on."""
    for operator, argument in tree:
        name = str(operator)
        if name == "LITERAL":
            runs[-1] += chr(argument)
        elif name == "SUBPATTERN" and not argument[1] & re.IGNORECASE:
            _collect_literals(argument[3], runs)
        elif name in REPEATS and argument[0] > 0:
            runs.append("")
            _collect_literals(argument[2], runs)
            runs.append("")
        else:
            runs.append("")


def always_holds(pattern: str, is_one: Callable[[str], bool]) -> bool:
    """Return whether each match of an expression that RE2 takes holds a character of a kind; False if none is known of.

    >>> always_holds("T-[0-9]+", "-".__eq__), always_holds("T-?[0-9]+", "-".__eq__)
    (True, False)
    """
    return _holds(parse(pattern), is_one)


def _holds(tree: Any, is_one: Callable[[str], bool]) -> bool:
    """Return whether an item of a sequence that must be gone through is always such a character."""
    for operator, argument in tree:
        name = str(operator)
        if (
            (name == "LITERAL" and is_one(chr(argument)))
            or (name == "IN" and all(_is_blank_class(one, is_one) for one in argument))
            or (name == "BRANCH" and all(_holds(branch, is_one) for branch in argument[1]))
            or (name == "SUBPATTERN" and _holds(argument[3], is_one))
            or (name in REPEATS and argument[0] > 0 and _holds(argument[2], is_one))
        ):
            return True
    return False


def _is_blank_class(member: tuple[Any, Any], is_one: Callable[[str], bool]) -> bool:
    kind, value = str(member[0]), member[1]
    return (kind == "LITERAL" and is_one(chr(value))) or (str(value) == "CATEGORY_SPACE" and is_one(" "))
