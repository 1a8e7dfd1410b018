"""Classes of characters of expressions as sets of code points, as `regex` reads them.

A set is a tuple of ranges, (first, last), ascending and apart.  The tables of ``\\w``, ``\\d`` and ``\\s``, and of
the cases, are made when they are first asked for: 0.1 s.
"""

from __future__ import annotations

import re
from array import array
from bisect import bisect_right
from collections.abc import Iterable, Sequence
from functools import cache, lru_cache
from itertools import chain
from typing import Any

Ranges = tuple[tuple[int, int], ...]

LAST = 0x10FFFF


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


def complement(ranges: Ranges) -> Ranges:
    """Return the complement of a set among the characters."""
    gaps, low = [], 0
    for first, end in ranges:
        if low < first:
            gaps.append((low, first - 1))
        low = end + 1
    if low <= LAST:
        gaps.append((low, LAST))
    return tuple(gaps)


def class_ranges(name: str, argument: Any, flags: int) -> Ranges:
    """Return the characters that an item of a parse tree takes: LITERAL, NOT_LITERAL, ANY or IN."""
    return _class_ranges(name, tuple(argument) if name == "IN" else argument, flags & _FLAGS)


_FLAGS = re.ASCII | re.DOTALL | re.IGNORECASE


@lru_cache(maxsize=4096)
def _class_ranges(name: str, argument: Any, flags: int) -> Ranges:
    if name == "ANY":
        return ((0, LAST),) if flags & re.DOTALL else complement(single(ord("\n")))
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
        last = 127 if flags & re.ASCII else LAST
        variants = _case_variants()
        is_small = sum(end - first for first, end in ranges) < len(variants)
        own = chain(*(range(first, end + 1) for first, end in ranges)) if is_small else variants
        codes = [code for code in own if code <= last and (is_small or _contains(ranges, code))]
        others = chain(*(variants.get(code, ()) for code in codes))
        ranges = union(ranges, ((other, other) for other in others if other <= last))
    ranges = union(ranges, *categories)
    return complement(ranges) if negated else ranges


def _contains(ranges: Ranges, code: int) -> bool:
    index = bisect_right(ranges, (code, LAST)) - 1
    return index >= 0 and code <= ranges[index][1]


@cache
def _category_ranges(name: str, of_ascii: bool) -> Ranges:
    """Return the ranges of ``\\w``, ``\\d``, ``\\s`` and their complements."""
    import regex  # which the expressions are compiled with: `re` takes fewer marks for parts of words

    kind = name.removeprefix("CATEGORY_")
    letter = {"WORD": "w", "DIGIT": "d", "SPACE": "s"}[kind.removeprefix("NOT_")]
    everything = array("I", range(LAST + 1)).tobytes().decode("utf-32", "surrogatepass")
    spans = regex.finditer(rf"\{letter}+", everything, regex.ASCII if of_ascii else 0)
    ranges = tuple((match.start(), match.end() - 1) for match in spans)
    return complement(ranges) if kind.startswith("NOT_") else ranges


_CASED = 0x1E950
"""Behind it no letter has a case."""


_TURKIC = {ord(char): tuple(map(ord, others)) for char, others in {"i": "Iİ", "I": "iı", "İ": "i", "ı": "I"}.items()}
"""Letters with a dot and without one: each is both cases of `i`, but not of the other."""


@cache
def _case_variants() -> dict[int, tuple[int, ...]]:
    """Return, by character, those that differ from it in their case alone."""
    forms: dict[str, set[int]] = {}
    for code in range(_CASED):
        char = chr(code)
        for form in {char.lower(), char.upper().lower(), char.casefold()}:
            if form != char:
                forms.setdefault(form, {code} if len(form) > 1 else {code, ord(form)}).add(code)
    variants: dict[int, set[int]] = {}
    for codes in forms.values():
        for code in codes:
            variants.setdefault(code, set()).update(codes - {code})
    return {code: tuple(others) for code, others in variants.items()} | _TURKIC
