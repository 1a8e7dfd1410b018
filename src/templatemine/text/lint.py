"""Can an expression backtrack for long, or grow beyond bounds?  A conservative look at its parse tree.

Refused are, under a repeat of more than `MANY` times: another repeat of a variable number of times, and alternatives
that can begin with the same character; in a sequence, choices that the next characters do not decide, if there are more
than some thousand ways through them; further back-references and conditionals.  These are the classes of expression
with exponential time in engines that backtrack.  Refused are also repeats that share out a text between them in many
ways (`ambiguity`), so that what is accepted takes linear time from one place of a text, and at most the square of its
length from all; and what repeats within repeats unroll to far more than what was written.

Nothing is compiled here: compile an expression only after it was looked at.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import reduce
from typing import Any

from templatemine.text.ambiguity import REPEATS, parts, shared_out

# The parser of the standard library; it has no public name, and the public one was removed in 3.11.
parse: Any = __import__("re._parser", fromlist=["parse"]).parse

__all__ = ["backtracking", "beyond_re2", "parse", "too_large"]

MANY = 10
"""Two ways at each of ten steps make a thousand, which no engine minds."""

MOST_WAYS = 1 << MANY

SIZE = 20_000
"""Characters and classes, repeats unrolled, of a short expression: 5 MB and 10 ms where a million take 250 MB."""

SIZE_PER_CHARACTER = 4
"""What a long one may unroll to besides, for each of its own characters."""


def backtracking(pattern: str) -> str | None:
    """Why the expression is refused, or None.

    >>> backtracking("(a+)+b")
    'may backtrack exponentially: a repeat within a repeat'
    >>> backtracking("read[ ]+more") is None
    True
    """
    try:
        tree = parse(pattern)
        found = _too_large(tree, pattern) or _look(tree, 1)
        if found is None and _Choices().ways(tree) > MOST_WAYS:
            found = "may backtrack exponentially: too many ways through one after the other"
        found = found or shared_out(tree)
    except (re.error, OverflowError, RecursionError) as error:
        return f"does not compile: {error}"
    return found


_NOT_LINEAR = {
    "ASSERT": "a look-around",
    "ASSERT_NOT": "a look-around",
    "ATOMIC_GROUP": "an atomic group",
    "POSSESSIVE_REPEAT": "a possessive repeat",
    "GROUPREF": "a back-reference",
    "GROUPREF_EXISTS": "a condition",
}
"""Items of expressions that no automaton can follow, in words."""

_MOST_TIMES = 1000
"""Most rounds of a repeat in RE2, with those of what it stands in."""


def beyond_re2(pattern: str) -> str | None:
    """What an expression has that RE2 does not: with the rest, there are engines of linear time.  None if nothing.

    >>> beyond_re2("(?=read)more")
    'uses a look-around, which engines of linear time (RE2) do not have'
    """
    waiting = [(parse(pattern), 1)]
    while waiting:
        tree, times = waiting.pop()
        for operator, argument in tree:
            name, rounds = str(operator), times
            if name in _NOT_LINEAR:
                return f"uses {_NOT_LINEAR[name]}, which engines of linear time (RE2) do not have"
            if name in REPEATS:
                least, most = argument[0], str(argument[1])
                rounds *= max(1, int(most) if most.isdecimal() else int(least))
                if rounds > _MOST_TIMES:
                    return f"repeats more than {_MOST_TIMES:,} times, which engines of linear time (RE2) do not do"
            waiting += [(part, rounds) for part in parts(name, argument)]
    return None


def too_large(pattern: str) -> str | None:
    """Why the expression is not even to be compiled, or None.

    >>> too_large("(?:a{1000}){1000}")
    'is too large: its repeats unroll to more than 20,068 characters'
    """
    try:
        return _too_large(parse(pattern), pattern)
    except (re.error, OverflowError, RecursionError) as error:
        return f"does not compile: {error}"


def _too_large(tree: Any, pattern: str) -> str | None:
    most = SIZE + SIZE_PER_CHARACTER * len(pattern)
    if _size(tree) <= most:
        return None
    return f"is too large: its repeats unroll to more than {most:,} characters"


def _size(tree: Any) -> int:
    """Characters and classes, with each repeat as often as it must stand."""
    size = 0
    for operator, argument in tree:
        name = str(operator)
        inner = sum(map(_size, parts(name, argument)))
        size += max(1, inner) * (max(1, int(argument[0])) if name in REPEATS else 1)
    return size


def _look(tree: Any, times: int) -> str | None:
    """What is wrong with a sequence that stands under repeats of `times` rounds taken together."""
    for operator, argument in tree:
        name = str(operator)
        if name in REPEATS:
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


# ------------------------------------------------------------------------------------------- choices in a sequence

_AHEAD = 6
"""Characters that are looked at to tell two ways from each other."""

_LOOP = 3
"""Ways that a repeat counts for whose end the next characters don't tell: six of them in an expression are accepted."""

_MANY_WAYS = MOST_WAYS * 2

_Masks = tuple[int, ...]
"""Which characters may come, place by place; beyond the end, any.  A bit is an ASCII character, or a part of the others
(`_bits`)."""

_ALL = (1 << 192) - 1
_END = (1 << 192,) * _AHEAD
"""Behind the expression: nothing fails there, so nothing that it could be taken for is tried in turn."""

_OTHERS = _ALL >> 128 << 128


class _Choices:
    """Counts the ways through an expression, as far as the next characters do not decide."""

    def __init__(self) -> None:
        self._known: dict[tuple[int, _Masks], tuple[int, _Masks]] = {}

    def ways(self, tree: Any) -> int:
        """At most `_MANY_WAYS`."""
        return self._sequence(tree, _END)[0]

    def _sequence(self, items: Any, after: _Masks) -> tuple[int, _Masks]:
        """Ways through a sequence, and what its first characters may be, if `after` comes behind it."""
        key = (id(items), after)
        if key not in self._known:
            ways = 1
            for operator, argument in reversed(list(items)):
                more, after = self._item(str(operator), argument, after)
                ways = min(_MANY_WAYS, ways * more)
            self._known[key] = ways, after
        return self._known[key]

    def _item(self, name: str, argument: Any, after: _Masks) -> tuple[int, _Masks]:
        if name in REPEATS:
            return self._repeat(int(argument[0]), int(argument[1]), argument[2], after)
        if name == "BRANCH":
            found = [self._sequence(branch, after) for branch in argument[1]]
            return _most_alike(found), reduce(_either, (masks for _, masks in found))
        if name in ("SUBPATTERN", "ATOMIC_GROUP"):
            return self._sequence(parts(name, argument)[0], after)
        if name in ("ASSERT", "ASSERT_NOT"):
            return self._sequence(argument[1], ())[0], after
        if name == "AT":
            return 1, after
        return 1, (_mask(name, argument), *after[: _AHEAD - 1])

    def _repeat(self, least: int, most: int, inner: Any, after: _Masks) -> tuple[int, _Masks]:
        if not most:
            return 1, after
        behind = after if most == 1 else _either(self._sequence(inner, ())[1], after)
        ways, first = self._sequence(inner, behind)
        ways = min(_MANY_WAYS, ways ** min(most, MANY + 1))
        if least != most and _alike(first, after):
            ways *= min(most - least + 1, _LOOP)
        return ways, _either(first, after) if not least else first


def _either(one: _Masks, other: _Masks) -> _Masks:
    return tuple(mine | yours for mine, yours in zip(one, other, strict=False))


def _alike(one: _Masks, other: _Masks) -> bool:
    return all(mine & yours for mine, yours in zip(one, other, strict=False))


def _most_alike(found: Sequence[tuple[int, _Masks]]) -> int:
    """Ways through the alternatives that the next characters do not tell from one of them."""
    groups: dict[_Masks, list[tuple[int, _Masks]]] = {}
    # Words are told apart by their first three letters, the many of a list in no time; else one may begin as several.
    words = all(len(masks) > 2 and all(one.bit_count() == 1 for one in masks[:3]) for _, masks in found)
    for row in found:
        groups.setdefault(row[1][:3] if words else (), []).append(row)
    most = 1
    for rows in groups.values():
        whole = len(rows) > 1000  # then telling each from each takes too long
        for _, masks in rows[:1] if whole else rows:
            most = max(most, sum(ways for ways, other in rows if whole or _alike(masks, other)))
    return min(_MANY_WAYS, most)


def _mask(name: str, argument: Any) -> int:
    """The characters that an item takes, or more, whatever their case."""
    if name == "LITERAL":
        return _bits(argument)
    if name != "IN" or str(argument[0][0]) == "NEGATE":
        taken = sum(1 << code for code in range(128) if _takes(argument[1:], code)) if name == "IN" else 0
        return _folded(_ALL & ~taken)
    mask = 0
    for operator, value in argument:
        kind = str(operator)
        if kind == "LITERAL":
            mask |= _bits(value)
        elif kind == "RANGE" and value[1] - value[0] <= 2048:
            mask |= reduce(int.__or__, map(_bits, range(value[0], value[1] + 1)))
        else:
            mask |= _OTHERS | sum(1 << code for code in range(128) if _takes([(operator, value)], code))
    return _folded(mask)


def _bits(code: int) -> int:
    """Of a character and of those that are it in the other case; the lower case stands for both."""
    char = chr(code)
    return reduce(
        int.__or__, (_bit(ord(one[0])) for one in {char, char.lower(), char.upper().lower(), char.casefold()})
    )


def _bit(code: int) -> int:
    if 65 <= code <= 90:
        code += 32
    return 1 << (code if code < 128 else 128 + code % 64)


def _folded(mask: int) -> int:
    """With the capitals of ASCII as small letters."""
    capitals = mask & (0x3FFFFFF << 65)
    return (mask ^ capitals) | capitals << 32


def _takes(items: Sequence[Any], code: int) -> bool:
    """Whether an ASCII character is in one of the items of a class."""
    for operator, value in items:
        kind = str(operator)
        if kind == "LITERAL" and value == code:
            return True
        if kind == "RANGE" and value[0] <= code <= value[1]:
            return True
        if kind == "CATEGORY":
            pattern = _CATEGORIES.get(str(value))
            if pattern is None or re.match(pattern, chr(code)):
                return True
    return False


_CATEGORIES = {
    "CATEGORY_DIGIT": r"\d",
    "CATEGORY_NOT_DIGIT": r"\D",
    "CATEGORY_SPACE": r"\s",
    "CATEGORY_NOT_SPACE": r"\S",
    "CATEGORY_WORD": r"\w",
    "CATEGORY_NOT_WORD": r"\W",
}
