"""The literal that a text must hold for an expression to match it: without it most expressions need not be tried."""

from __future__ import annotations

import re
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
