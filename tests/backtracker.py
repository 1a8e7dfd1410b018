"""An engine that backtracks, as slow and plain as can be: it counts its steps, so that time is the same on any machine."""

from __future__ import annotations

import math
import re
from typing import Any

from templatemine.text.code_points import class_ranges
from templatemine.text.lint import parse

__all__ = ["growth", "steps"]

Code = list[tuple[Any, ...]]
"""Steps: ("take", characters), ("at", anchor), ("choose", steps to go on at, the first one first), ("match",)."""

_FOR_EVER = 1 << 20


def growth(pattern: str, word: str, before: str, behind: str, size: int) -> float:
    """By how much the steps from the first place, divided by the length, grow when a text becomes twice as long: by 1 if
    time is linear, by 2 if it is the square.

    The text is `word` again and again, `size` and 2 `size` characters, between two others.
    """
    tree = parse(pattern)
    code: Code = [*_sequence(tree, tree.state.flags), ("match",)]
    most = size * 4000
    short, long = (steps(code, before + (word * many)[:many] + behind, most) for many in (size, 2 * size))
    return math.inf if long == most else long / max(short, len(code) * size) / 2


def steps(code: Code, text: str, most: int) -> int:
    """Steps of a match from the first place; `most` if there are more."""
    waiting = [(0, 0)]
    for count in range(most):
        if not waiting:
            return count
        at, place = waiting.pop()
        kind, *argument = code[at]
        if kind == "match":
            return count
        if kind == "choose":
            waiting += [(one, place) for one in reversed(argument)]
        elif kind == "at":
            waiting += [(at + 1, place)] if argument[0].match(text, place) else []
        elif place < len(text) and _holds(argument[0], text[place]):
            waiting.append((at + 1, place + 1))
    return most


def _holds(characters: dict[str, bool] | Any, char: str) -> bool:
    ranges, known = characters
    if char not in known:
        known[char] = any(first <= ord(char) <= last for first, last in ranges)
    return bool(known[char])


_ANCHORS = {
    "AT_BEGINNING": "^",
    "AT_BEGINNING_STRING": r"\A",
    "AT_END": "$",
    "AT_END_STRING": r"\Z",
    "AT_BOUNDARY": r"\b",
    "AT_NON_BOUNDARY": r"\B",
}


def _sequence(items: Any, flags: int) -> Code:
    """Its steps, numbered from 0."""
    code: Code = []
    for operator, argument in items:
        name = str(operator)
        if name in ("MAX_REPEAT", "MIN_REPEAT"):
            least, most = int(argument[0]), int(argument[1])
            if most > _FOR_EVER and argument[2].getwidth()[0] == 0:  # a round of nothing is the last one
                most = least + 1
            _repeat(code, least, most, _sequence(argument[2], flags), name == "MIN_REPEAT")
        elif name == "SUBPATTERN":
            _put(code, _sequence(argument[3], (flags | argument[1]) & ~argument[2]))
        elif name == "BRANCH":
            _branch(code, [_sequence(branch, flags) for branch in argument[1]])
        elif name == "AT":
            code.append(("at", re.compile(_ANCHORS[str(argument)], flags & (re.MULTILINE | re.ASCII))))
        else:
            code.append(("take", (class_ranges(name, argument, flags), {})))
    return code


def _put(code: Code, part: Code) -> None:
    start = len(code)
    code += [("choose", *(start + to for to in one[1:])) if one[0] == "choose" else one for one in part]


def _repeat(code: Code, least: int, most: int, body: Code, lazy: bool) -> None:
    for _ in range(least):
        _put(code, body)
    for_ever = most > _FOR_EVER
    more = 1 if for_ever else most - least
    end = len(code) + (len(body) + 1) * more + for_ever
    for _ in range(more):
        ways = (len(code) + 1, end)
        code.append(("choose", *(reversed(ways) if lazy else ways)))
        _put(code, body)
    if for_ever:
        code.append(("choose", len(code) - len(body) - 1))


def _branch(code: Code, branches: list[Code]) -> None:
    starts = [len(code) + 1]
    for branch in branches:
        starts.append(starts[-1] + len(branch) + 1)
    code.append(("choose", *starts[:-1]))
    for branch in branches:
        _put(code, branch)
        code.append(("choose", starts[-1]))
