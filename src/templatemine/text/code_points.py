"""Classes of characters of expressions as sets of code points, as `regex` reads them.

A set is a tuple of ranges, (first, last), ascending and apart.  The end of the text is one more code point, `END`, so
that "what may come next" is a set as well.  The tables of ``\\w``, ``\\d`` and ``\\s``, and of the cases, are made when
they are first asked for: 0.1 s.
"""

from __future__ import annotations

import re
from array import array
from bisect import bisect_right
from collections.abc import Iterable, Sequence
from functools import cache
from typing import Any

Ranges = tuple[tuple[int, int], ...]

_LAST = 0x10FFFF
END = _LAST + 1
"""The end of the text, taken for a character."""

NOTHING: Ranges = ()
EVERYTHING: Ranges = ((0, END),)
"""All characters, and the end."""


def single(code: int) -> Ranges:
    return ((code, code),)


def union(*sets: Iterable[tuple[int, int]]) -> Ranges:
    """Return the union of sets; their ranges may be in any order.

    >>> union([(5, 9)], [(1, 4), (7, 12)])
    ((1, 12),)
    """
    merged: list[tuple[int, int]] = []
    for first, last in sorted(span for ranges in sets for span in ranges):
        if merged and first <= merged[-1][1] + 1:
            merged[-1] = (merged[-1][0], max(last, merged[-1][1]))
        else:
            merged.append((first, last))
    return tuple(merged)


def complement(ranges: Ranges, last: int = END) -> Ranges:
    """Return the complement of a set among the characters and the end, or up to `last`."""
    gaps, low = [], 0
    for first, end in ranges:
        if low < first:
            gaps.append((low, first - 1))
        low = end + 1
    if low <= last:
        gaps.append((low, last))
    return tuple(gaps)


def covers(ranges: Ranges, subset: Ranges) -> bool:
    """Return whether a set holds all of another one.

    >>> covers(((0, 9),), ((3, 4), (9, 9)))
    True
    """
    return union(ranges, subset) == ranges


def class_ranges(name: str, argument: Any, flags: int) -> Ranges:
    """Return the characters that an item of a parse tree takes: LITERAL, NOT_LITERAL, ANY or IN."""
    if name == "ANY":
        return ((0, _LAST),) if flags & re.DOTALL else complement(single(ord("\n")), _LAST)
    items: Sequence[Any] = argument if name == "IN" else [("LITERAL", argument)]
    negated = name == "NOT_LITERAL"
    categories: list[Ranges] = []
    literals: list[Ranges] = []
    for operator, value in items:
        kind = str(operator)
        if kind == "NEGATE":
            negated = True
        elif kind == "LITERAL":
            literals.append(single(value))
        elif kind == "RANGE":
            literals.append((tuple(value),))
        else:
            categories.append(_category_ranges(str(value), bool(flags & re.ASCII)))
    ranges = union(*literals)
    if ranges and flags & re.IGNORECASE:
        last = 127 if flags & re.ASCII else _LAST
        variants = (
            (code, variant) for code, variant in _case_pairs() if max(code, variant) <= last and _contains(ranges, code)
        )
        ranges = union(ranges, ((variant, variant) for _, variant in variants))
    ranges = union(ranges, *categories)
    return complement(ranges, _LAST) if negated else ranges


def _contains(ranges: Ranges, code: int) -> bool:
    index = bisect_right(ranges, (code, END)) - 1
    return index >= 0 and code <= ranges[index][1]


@cache
def _category_ranges(name: str, of_ascii: bool) -> Ranges:
    """Return the ranges of ``\\w``, ``\\d``, ``\\s`` and their complements."""
    import regex  # which the expressions are compiled with: `re` takes fewer marks for parts of words

    kind = name.removeprefix("CATEGORY_")
    letter = {"WORD": "w", "DIGIT": "d", "SPACE": "s"}[kind.removeprefix("NOT_")]
    everything = array("I", range(_LAST + 1)).tobytes().decode("utf-32", "surrogatepass")
    spans = regex.finditer(rf"\{letter}+", everything, regex.ASCII if of_ascii else 0)
    ranges = tuple((match.start(), match.end() - 1) for match in spans)
    return complement(ranges, _LAST) if kind.startswith("NOT_") else ranges


_CASED = 0x1E950
"""Behind it no letter has a case."""


@cache
def _case_pairs() -> tuple[tuple[int, int], ...]:
    """Return the pairs of characters that are one but for their case."""
    variants: dict[str, set[int]] = {}
    for code in range(_CASED):
        char = chr(code)
        for form in {char.lower(), char.upper().lower(), char.casefold()}:
            if form != char:
                variants.setdefault(form, {code} if len(form) > 1 else {code, ord(form)}).add(code)
    return tuple((code, other) for codes in variants.values() for code in codes for other in codes if code != other)
