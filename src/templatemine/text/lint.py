"""Can an expression backtrack for long, or grow beyond bounds?  A conservative look at its parse tree.

Refused are, under a repeat of more than `FREE_ROUNDS` times: another repeat of a variable number of times, and
alternatives that can begin with the same character; in a sequence, choices that the next characters do not decide, if
there are more than some thousand ways through them; further back-references and conditionals.  These are the classes of
expression with exponential time in engines that backtrack.  Refused are also repeats that share out a text between them
in many ways (`ambiguity`), so that accepted expressions take linear time from one place of a text, and at most the
square of its length from all; nested repeats that unroll to far more than was written; literals so long that `regex`
takes their cube to prepare for a search (which no time limit sees); and approximate matches, which only it has.

Nothing is compiled here: compile an expression only after it was looked at.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import reduce
from typing import Any, NamedTuple

from templatemine.text.ambiguity import REPEATS, ambiguity_problem, child_sequences

# The parser of the standard library; it has no public name, and the public one was removed in 3.11.
parse: Any = __import__("re._parser", fromlist=["parse"]).parse

FREE_ROUNDS = 10
"""Two ways at each of ten steps make a thousand, which no engine minds."""

MAX_WAYS = 1 << FREE_ROUNDS

MAX_SIZE = 20_000
"""Characters and classes, repeats unrolled, of a short expression: 5 MB and 10 ms where a million take 250 MB."""

MAX_SIZE_PER_CHARACTER = 4
"""Additional size of a long one, for each of its own characters."""

MAX_LITERAL = 256
"""Characters in a row that an expression may name one by one.  Before the first search `regex` makes a table for them,
with the interpreter's lock held: 5 ms for 250, 35 ms for 500, 280 ms for 1,000, 2.2 s for 2,000, the cube (version
2026.11.19)."""

_APPROXIMATE = re.compile(r"\{[\s0-9<=+,deis]*[deis][\s0-9<=+,deis]*(?::[^{}]*)?\}")
"""Errors that `regex` allows for: ``(?:read){e<=1}``.  To all others, and to the checks here, these are characters."""


def backtracking_problem(pattern: str) -> str | None:
    """Say why an expression is refused, or None.

    >>> backtracking_problem("(a+)+b")
    'may backtrack exponentially: a repeat within a repeat'
    >>> backtracking_problem("read[ ]+more") is None
    True
    """
    try:
        tree = parse(pattern)
        problem = _size_problem(tree, pattern) or _literal_problem(tree) or _find_approximation(pattern)
        problem = problem or _find_nesting_problem(tree, 1)
        if problem is None and _PathCounter().count_ways(tree) > MAX_WAYS:
            problem = "may backtrack exponentially: too many ways through one after the other"
        problem = problem or ambiguity_problem(tree)
    except (re.error, OverflowError, RecursionError) as error:
        return f"does not compile: {error}"
    return problem


_NOT_LINEAR = {
    "ASSERT": "a look-around",
    "ASSERT_NOT": "a look-around",
    "ATOMIC_GROUP": "an atomic group",
    "POSSESSIVE_REPEAT": "a possessive repeat",
    "GROUPREF": "a back-reference",
    "GROUPREF_EXISTS": "a condition",
}
"""Items of expressions that no automaton can follow, in words."""

_MAX_RE2_ROUNDS = 1000
"""Most rounds of a repeat in RE2, with those of the repeats around it."""


def re2_problem(pattern: str) -> str | None:
    """Return the part of an expression that RE2 lacks, or None; for the rest, there are engines of linear time.

    >>> re2_problem("(?=read)more")
    'uses a look-around, which engines of linear time (RE2) do not have'
    """
    stack = [(parse(pattern), 1)]
    while stack:
        tree, outer_rounds = stack.pop()
        for operator, argument in tree:
            name, rounds = str(operator), outer_rounds
            if name in _NOT_LINEAR:
                return f"uses {_NOT_LINEAR[name]}, which engines of linear time (RE2) do not have"
            if name in REPEATS:
                min_rounds, max_rounds = argument[0], str(argument[1])
                rounds *= max(1, int(max_rounds) if max_rounds.isdecimal() else int(min_rounds))
                if rounds > _MAX_RE2_ROUNDS:
                    return f"repeats more than {_MAX_RE2_ROUNDS:,} times, which engines of linear time (RE2) do not do"
            stack += [(sequence, rounds) for sequence in child_sequences(name, argument)]
    return None


def size_problem(pattern: str) -> str | None:
    """Say why an expression is not even to be compiled, or None.

    >>> size_problem("(?:a{1000}){1000}")
    'is too large: its repeats unroll to more than 20,068 characters'
    """
    try:
        return _size_problem(parse(pattern), pattern)
    except (re.error, OverflowError, RecursionError) as error:
        return f"does not compile: {error}"


def _size_problem(tree: Any, pattern: str) -> str | None:
    max_size = MAX_SIZE + MAX_SIZE_PER_CHARACTER * len(pattern)
    if _size(tree) <= max_size:
        return None
    return f"is too large: its repeats unroll to more than {max_size:,} characters"


def has_long_literal(pattern: str) -> bool:
    """Return whether an expression that the standard library reads has a literal of more than `MAX_LITERAL`
    characters."""
    return _literal_problem(parse(pattern)) is not None


def _literal_problem(tree: Any) -> str | None:
    longest = _literal_run(tree).longest
    if longest <= MAX_LITERAL:
        return None
    return (
        f"takes too long to prepare: expected at most {MAX_LITERAL} characters in a row, repeats written out, found "
        rf"{longest:,}; write \s for the blanks between words"
    )


class _Run(NamedTuple):
    """Literal characters in a row: at the beginning of a sequence, at its end, and at most anywhere; `whole` if it is
    nothing else."""

    first: int = 0
    last: int = 0
    longest: int = 0
    whole: bool = True

    def then(self, other: _Run) -> _Run:
        return _Run(
            self.first + other.first if self.whole else self.first,
            self.last + other.last if other.whole else other.last,
            max(self.longest, other.longest, self.last + other.first),
            self.whole and other.whole,
        )


_BREAK = _Run(whole=False)


def _literal_run(items: Any) -> _Run:
    """Return the literals of a sequence, or more: `regex` joins them over groups, and takes out what alternatives
    share."""
    run = _Run()
    for operator, argument in items:
        run = run.then(_item_run(str(operator), argument))
    return run


def _item_run(name: str, argument: Any) -> _Run:
    if name == "LITERAL" or (name == "IN" and _takes_one(argument)):
        return _Run(1, 1, 1)
    if name in ("AT", "ASSERT", "ASSERT_NOT"):  # takes nothing, so that it parts nothing
        return _Run(longest=_literal_run(argument[1]).longest if name != "AT" else 0)
    children = [_literal_run(sequence) for sequence in child_sequences(name, argument)]
    if not children:
        return _BREAK
    run = _Run(*(max(values) for values in zip(*children, strict=True)))
    if name not in REPEATS:
        return run
    min_rounds, max_rounds = int(argument[0]), int(argument[1])
    if max_rounds == 0:
        return _Run()
    if run.whole and min_rounds == max_rounds:
        return _Run(run.first * min_rounds, run.last * min_rounds, run.longest * min_rounds)
    longest = max(run.longest, run.last + run.first)  # the end of a round and the beginning of the next
    return _Run(run.first, run.last, longest, False) if min_rounds else _Run(longest=longest, whole=False)


def _takes_one(items: Sequence[Any]) -> bool:
    """Return whether a class has one character."""
    codes = set()
    for operator, value in items:
        first, last = value if str(operator) == "RANGE" else (value, value)
        if str(operator) not in ("LITERAL", "RANGE") or first != last:
            return False
        codes.add(first)
    return len(codes) == 1


def _find_approximation(pattern: str) -> str | None:
    found = _APPROXIMATE.search(pattern)
    if found is None:
        return None
    return f"is read differently by different engines: {found[0]} allows for errors in some; write \\{{ for a brace"


def _size(tree: Any) -> int:
    """Count characters and classes, each repeat as often as it must occur."""
    size = 0
    for operator, argument in tree:
        name = str(operator)
        inner = sum(map(_size, child_sequences(name, argument)))
        size += max(1, inner) * (max(1, int(argument[0])) if name in REPEATS else 1)
    return size


def _find_nesting_problem(tree: Any, outer_rounds: int) -> str | None:
    """Return the problem of a sequence under repeats of `outer_rounds` rounds taken together."""
    for operator, argument in tree:
        name = str(operator)
        if name in REPEATS:
            min_rounds, max_rounds = int(argument[0]), int(argument[1])
            if min_rounds != max_rounds and outer_rounds > FREE_ROUNDS:
                return "may backtrack exponentially: a repeat within a repeat"
            problem = _find_nesting_problem(argument[2], outer_rounds * max(max_rounds, 1))
        elif name == "BRANCH":
            if outer_rounds > FREE_ROUNDS and _begin_alike(argument[1]):
                return "may backtrack exponentially: alternatives under a repeat begin alike"
            problem = next(
                (problem for branch in argument[1] if (problem := _find_nesting_problem(branch, outer_rounds))), None
            )
        elif name == "SUBPATTERN":
            problem = _find_nesting_problem(argument[3], outer_rounds)
        elif name in ("ASSERT", "ASSERT_NOT"):
            problem = _find_nesting_problem(argument[1], outer_rounds)
        elif name == "ATOMIC_GROUP":
            problem = _find_nesting_problem(argument, outer_rounds)
        elif name in ("GROUPREF", "GROUPREF_EXISTS"):
            problem = "uses a back-reference"
        else:
            problem = None
        if problem:
            return problem
    return None


def _begin_alike(branches: list[Any]) -> bool:
    """Return False if every alternative begins with another literal character, whatever its case."""
    first_characters: set[str] = set()
    for branch in branches:
        items = list(branch)
        if not items or str(items[0][0]) != "LITERAL" or (char := chr(items[0][1]).casefold()[:1]) in first_characters:
            return True
        first_characters.add(char)
    return False


# ------------------------------------------------------------------------------------------- choices in a sequence

_LOOKAHEAD = 6
"""Characters that are looked at to tell two ways from each other."""

_LOOP_WAYS = 3
"""Ways that a repeat counts for whose end the next characters don't tell: six of them in an expression are accepted."""

_WAYS_LIMIT = MAX_WAYS * 2

_Masks = tuple[int, ...]
"""Characters that may come, place by place; beyond the end, any.  A bit is an ASCII character, or a part of the others
(`_bits`)."""

_ALL = (1 << 192) - 1
_END = (1 << 192,) * _LOOKAHEAD
"""Behind the expression: nothing fails there, so nothing that it could be taken for is tried in turn."""

_OTHERS = _ALL >> 128 << 128


class _PathCounter:
    """Counts the ways through an expression, as far as the next characters do not decide."""

    def __init__(self) -> None:
        self._cache: dict[tuple[int, _Masks], tuple[int, _Masks]] = {}

    def count_ways(self, tree: Any) -> int:
        """At most `_WAYS_LIMIT`."""
        return self._sequence(tree, _END)[0]

    def _sequence(self, items: Any, after: _Masks) -> tuple[int, _Masks]:
        """Return the ways through a sequence, and its possible first characters, if `after` comes behind it."""
        key = (id(items), after)
        if key not in self._cache:
            ways = 1
            for operator, argument in reversed(list(items)):
                item_ways, after = self._item(str(operator), argument, after)
                ways = min(_WAYS_LIMIT, ways * item_ways)
            self._cache[key] = ways, after
        return self._cache[key]

    def _item(self, name: str, argument: Any, after: _Masks) -> tuple[int, _Masks]:
        if name in REPEATS:
            return self._repeat(int(argument[0]), int(argument[1]), argument[2], after)
        if name == "BRANCH":
            alternatives = [self._sequence(branch, after) for branch in argument[1]]
            return _max_ambiguous_ways(alternatives), reduce(_unite_masks, (masks for _, masks in alternatives))
        if name in ("SUBPATTERN", "ATOMIC_GROUP"):
            return self._sequence(child_sequences(name, argument)[0], after)
        if name in ("ASSERT", "ASSERT_NOT"):
            return self._sequence(argument[1], ())[0], after
        if name == "AT":
            return 1, after
        return 1, (_mask(name, argument), *after[: _LOOKAHEAD - 1])

    def _repeat(self, min_rounds: int, max_rounds: int, inner: Any, after: _Masks) -> tuple[int, _Masks]:
        if not max_rounds:
            return 1, after
        behind = after if max_rounds == 1 else _unite_masks(self._sequence(inner, ())[1], after)
        ways, first = self._sequence(inner, behind)
        ways = min(_WAYS_LIMIT, ways ** min(max_rounds, FREE_ROUNDS + 1))
        if min_rounds != max_rounds and _may_coincide(first, after):
            ways *= min(max_rounds - min_rounds + 1, _LOOP_WAYS)
        return ways, _unite_masks(first, after) if not min_rounds else first


def _unite_masks(first: _Masks, second: _Masks) -> _Masks:
    return tuple(left | right for left, right in zip(first, second, strict=False))


def _may_coincide(first: _Masks, second: _Masks) -> bool:
    return all(left & right for left, right in zip(first, second, strict=False))


def _max_ambiguous_ways(alternatives: Sequence[tuple[int, _Masks]]) -> int:
    """Return the most ways through the alternatives that the next characters do not tell from one of them."""
    groups: dict[_Masks, list[tuple[int, _Masks]]] = {}
    # Words are told apart by their first three letters, the many of a list in no time; else one may begin as several.
    are_words = all(len(masks) > 2 and all(mask.bit_count() == 1 for mask in masks[:3]) for _, masks in alternatives)
    for alternative in alternatives:
        groups.setdefault(alternative[1][:3] if are_words else (), []).append(alternative)
    max_ways = 1
    for rows in groups.values():
        is_large = len(rows) > 1000  # then telling each from each takes too long
        for _, masks in rows[:1] if is_large else rows:
            max_ways = max(max_ways, sum(ways for ways, other in rows if is_large or _may_coincide(masks, other)))
    return min(_WAYS_LIMIT, max_ways)


def _mask(name: str, argument: Any) -> int:
    """Return the characters that an item takes, or more, whatever their case."""
    if name == "LITERAL":
        return _bits(argument)
    if name != "IN" or str(argument[0][0]) == "NEGATE":
        taken = sum(1 << code for code in range(128) if _class_contains(argument[1:], code)) if name == "IN" else 0
        return _fold_ascii(_ALL & ~taken)
    mask = 0
    for operator, value in argument:
        kind = str(operator)
        if kind == "LITERAL":
            mask |= _bits(value)
        elif kind == "RANGE" and value[1] - value[0] <= 2048:
            mask |= reduce(int.__or__, map(_bits, range(value[0], value[1] + 1)))
        else:
            mask |= _OTHERS | sum(1 << code for code in range(128) if _class_contains([(operator, value)], code))
    return _fold_ascii(mask)


def _bits(code: int) -> int:
    """Return the bits of a character in both cases; the lower case stands for both."""
    char = chr(code)
    return reduce(
        int.__or__, (_bit(ord(form[0])) for form in {char, char.lower(), char.upper().lower(), char.casefold()})
    )


def _bit(code: int) -> int:
    if 65 <= code <= 90:
        code += 32
    return 1 << (code if code < 128 else 128 + code % 64)


def _fold_ascii(mask: int) -> int:
    """Fold the capitals of ASCII to small letters."""
    capitals = mask & (0x3FFFFFF << 65)
    return (mask ^ capitals) | capitals << 32


def _class_contains(items: Sequence[Any], code: int) -> bool:
    """Return whether an ASCII character is in one of the items of a class."""
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
