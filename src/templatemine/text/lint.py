"""Can an expression backtrack exponentially?  A conservative look at its parse tree.

Refused are, under a repeat of more than `MANY` times: another repeat of a variable number of times, and alternatives
that can begin with the same character; further back-references and conditionals.  These are the classes of expression
with exponential time in engines that backtrack.  What is accepted may still be polynomial in the length of the text.
"""

from __future__ import annotations

import re
from typing import Any

# The parser of the standard library; it has no public name, and the public one was removed in 3.11.
_parser: Any = __import__("re._parser", fromlist=["parse"])

__all__ = ["backtracking"]

MANY = 10
"""Two ways at each of ten steps make a thousand, which no engine minds."""


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
    return _look(tree, 1)


def _look(tree: Any, times: int) -> str | None:
    """What is wrong with a sequence that stands under repeats of `times` rounds taken together."""
    for operator, argument in tree:
        name = str(operator)
        if name in ("MAX_REPEAT", "MIN_REPEAT", "POSSESSIVE_REPEAT"):
            least, most = int(argument[0]), int(argument[1])
            if least != most and times > MANY:
                return "may backtrack exponentially: a repeat within a repeat"
            found = _look(argument[2], times * max(most, 1))
        elif name == "BRANCH":
            if times > MANY and _overlap(argument[1]):
                return "may backtrack exponentially: alternatives under a repeat begin alike"
            found = next((problem for branch in argument[1] if (problem := _look(branch, times))), None)
        elif name == "SUBPATTERN":
            found = _look(argument[3], times)
        elif name in ("ASSERT", "ASSERT_NOT"):
            found = _look(argument[1], times)
        elif name == "ATOMIC_GROUP":
            found = _look(argument, times)
        elif name in ("GROUPREF", "GROUPREF_EXISTS"):
            found = "uses a back-reference"
        else:
            found = None
        if found:
            return found
    return None


def _overlap(branches: list[Any]) -> bool:
    """True unless every alternative begins with another literal character, whatever its case."""
    first: set[str] = set()
    for branch in branches:
        items = list(branch)
        if not items or str(items[0][0]) != "LITERAL" or (char := chr(items[0][1]).casefold()[:1]) in first:
            return True
        first.add(char)
    return False
