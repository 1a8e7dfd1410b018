"""The literal that a text must hold for an expression to match it: without it most expressions need not be tried."""

from __future__ import annotations

import re
from typing import Any

from templatemine.text.lint import parse

# Where `regex` and `re` read the same expression differently: "(?:read){e<=1}" has a typing error, or literal braces.
_FUZZY = re.compile(r"\{(?![0-9]*,?[0-9]*\})")


def required_literal(pattern: str) -> str:
    """Return the longest literal that is in whatever an expression matches; "" if none is known of.

    >>> required_literal("(?:Sign|Log) in to read(?: more)?")
    ' in to read'
    >>> required_literal("(?i)sign in")
    ''
    """
    if _FUZZY.search(pattern):
        return ""
    try:
        tree = parse(pattern)
    except (re.error, OverflowError, RecursionError):
        return ""
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
        elif name == "ATOMIC_GROUP":
            _collect_literals(argument, runs)
        elif name in ("MAX_REPEAT", "MIN_REPEAT", "POSSESSIVE_REPEAT") and argument[0] > 0:
            runs.append("")
            _collect_literals(argument[2], runs)
            runs.append("")
        else:
            runs.append("")
