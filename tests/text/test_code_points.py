"""Sets of code points of classes, beside the classes themselves as `regex` reads them."""

from __future__ import annotations

import re

import pytest
import regex
from hypothesis import given
from hypothesis import strategies as st

from strategies import examples
from templatemine.text.code_points import LAST, class_ranges, complement, union
from templatemine.text.linear import parse

CLASSES = [
    "a",
    "K",
    "[^k]",
    "[a-f0-9_]",
    r"[^\W\d_]",
    r"\w",
    r"\W",
    r"\s",
    r"[^\S\n]",
    ".",
    r"\d",
    "[ſµẞ]",
    "ß",
    "[^ς]",
    "[İı]",
    "İ",
    "ı",
    "i",
    "[^I]",
]
TELLING = "aAkK\u212asS\u017f\u00b5\u03bcßẞσςΣİıiI0٣_\n\r \u00a0\u2028\u0301\u200d一\ud800\U0010ffff-"


@pytest.mark.parametrize("flags", ["", "i", "s", "a", "ai"])
@pytest.mark.parametrize("spelt", CLASSES)
def test_as_regex_reads_them(spelt: str, flags: str) -> None:
    pattern = f"(?{flags})" * bool(flags) + spelt
    tree = parse(pattern)
    ranges = class_ranges(str(tree[0][0]), tree[0][1], tree.state.flags)
    compiled = regex.compile(pattern)
    for char in TELLING:
        held = any(first <= ord(char) <= last for first, last in ranges)
        assert held == bool(compiled.match(char)), (pattern, char)


ranges = st.lists(st.tuples(st.integers(0, 30), st.integers(0, 5)).map(lambda one: (one[0], one[0] + one[1])))


def members(given_: tuple[tuple[int, int], ...]) -> set[int]:
    return {code for first, last in given_ for code in range(first, min(last, 60) + 1)}


@examples(100)
@given(ranges, ranges)
def test_sets(one: list[tuple[int, int]], other: list[tuple[int, int]]) -> None:
    mine, yours = union(one), union(other)
    assert members(mine) == members(tuple(one))
    assert members(union(mine, yours)) == members(mine) | members(yours)
    assert members(complement(mine)) == set(range(61)) - members(mine)
    assert complement(complement(mine)) == mine
    assert complement(mine)[-1][1] == LAST


def test_letters_of_the_other_case_are_those_of_re() -> None:
    for code in range(0x250):
        tree = parse("(?i)" + re.escape(chr(code)))
        ranges = class_ranges("LITERAL", tree[0][1], re.IGNORECASE)
        for first, last in ranges:
            for other in range(first, last + 1):
                assert re.match(re.escape(chr(code)), chr(other), re.IGNORECASE), (code, other)
