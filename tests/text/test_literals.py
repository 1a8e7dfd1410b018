"""What an expression needs: whatever it matches holds its literal."""

from __future__ import annotations

import pytest
import regex
from hypothesis import given
from hypothesis import strategies as st

from strategies import examples
from templatemine.text.literals import always_holds, required_literal

PIECES = [
    "ab",
    "c",
    "a?",
    "(?:ab|c)",
    "(?:ab)+",
    "(b)",
    "(?:a|bc)?",
    "[ab]",
    ".",
    r"\b",
    "(?i:ab)",
    "a{2}",
    "$",
]


@examples(300)
@given(st.lists(st.sampled_from(PIECES), min_size=1, max_size=6).map("".join), st.text("abcAB", max_size=12))
def test_a_match_holds_the_literal(pattern: str, text: str) -> None:
    found = regex.search(pattern, text)
    assert found is None or required_literal(pattern) in text


@pytest.mark.parametrize(
    ("pattern", "literal"),
    [
        ("Sign up( now)", "Sign up now"),
        ("Sign up(?: now)?", "Sign up"),
        ("(?:one|two) more", " more"),
        ("(?i)sign up", ""),
        ("(?i:sign) up", " up"),
        ("(?:read more){e<=1}", "read more{e<=1}"),
        ("a{3}bcd", "bcd"),
    ],
)
def test_literals(pattern: str, literal: str) -> None:
    assert required_literal(pattern) == literal


@examples(300)
@given(st.lists(st.sampled_from(PIECES), min_size=1, max_size=6).map("".join), st.text("abcAB", max_size=12))
def test_what_always_holds_a_character_does(pattern: str, text: str) -> None:
    found = regex.search(pattern, text)
    assert found is None or not always_holds(pattern, "b".__eq__) or "b" in found[0]


@pytest.mark.parametrize(
    ("pattern", "holds"),
    [
        ("T-[0-9]+", True),
        (r"No\.\s[0-9]+", True),
        ("(?:a-b|c d)e", True),
        ("[- ]{2}", True),
        ("(?:a-b|c)e", False),
        ("a-?b", False),
        ("[-a]b", False),
        ("[^-]", False),
    ],
)
def test_separators_that_a_match_must_hold(pattern: str, holds: bool) -> None:
    assert always_holds(pattern, "- ".__contains__) is holds
