"""Can an expression backtrack exponentially?  A conservative look at its parse tree.

Refused are nested unbounded repeats, alternatives under an unbounded repeat that can begin with the same character,
back-references and conditionals: the classes of expression with exponential time in engines that backtrack.  What is
accepted may still be polynomial in the length of the text.
"""

from __future__ import annotations

import re
from typing import Any

# The parser of the standard library; it has no public name, and the public one was removed in 3.11.
_parser: Any = __import__("re._parser", fromlist=["parse"])
_constants: Any = __import__("re._constants", fromlist=["MAXREPEAT"])

__all__ = ["backtracking"]


def backtracking(pattern: str) -> str | None:
    """Why the expression is refused, or None.

    >>> backtracking("(a+)+b")
    'may backtrack exponentially: a repeat within a repeat'
    >>> backtracking("read[ ]+more") is None
    True
    """
    try:
        tree = _parser.parse(pattern)
    except (re.error, OverflowError, RecursionError) as error:
        return f"does not compile: {error}"
    return _look(tree, inside=False)


def _look(tree: Any, inside: bool) -> str | None:
    for operator, argument in tree:
        name = str(operator)
        if name in ("MAX_REPEAT", "MIN_REPEAT", "POSSESSIVE_REPEAT"):
            unbounded = argument[1] is _constants.MAXREPEAT or argument[1] > 100
            if unbounded and inside:
                return "may backtrack exponentially: a repeat within a repeat"
            found = _look(argument[2], inside or unbounded)
        elif name == "BRANCH":
            if inside and _overlap(argument[1]):
                return "may backtrack exponentially: alternatives under a repeat begin alike"
            found = next((problem for branch in argument[1] if (problem := _look(branch, inside))), None)
        elif name == "SUBPATTERN":
            found = _look(argument[3], inside)
        elif name in ("ASSERT", "ASSERT_NOT"):
            found = _look(argument[1], inside)
        elif name == "ATOMIC_GROUP":
            found = _look(argument, inside)
        elif name in ("GROUPREF", "GROUPREF_EXISTS"):
            found = "uses a back-reference"
        else:
            found = None
        if found:
            return found
    return None


def _overlap(branches: list[Any]) -> bool:
    """True unless every alternative begins with another literal character."""
    first: set[int] = set()
    for branch in branches:
        items = list(branch)
        if not items or str(items[0][0]) != "LITERAL" or items[0][1] in first:
            return True
        first.add(items[0][1])
    return False
