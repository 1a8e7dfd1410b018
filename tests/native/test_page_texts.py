"""What is looked for in the texts of blocks and in pages as they stand, against expressions and the standard library."""

from __future__ import annotations

import re

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray

import page_reference as reference
from strategies import examples
from templatemine.pages import _html, _model
from templatemine.pages.about import META

ODD = st.text(st.sampled_from("aAbBkKiIsS \u017f\u0130\u0131\u212a_0-.\n\xe9\u4e2d\U0001f600"), max_size=12)
"""Letters that ignoring case makes of others among them."""


def column(texts: list[str]) -> tuple[NDArray[np.uint8], NDArray[np.int64]]:
    data = [text.encode() for text in texts]
    return np.frombuffer(b"".join(data), np.uint8), np.cumsum([0, *map(len, data)]).astype(np.int64)


@examples(100)
@given(st.lists(st.integers(0, 5) | st.sampled_from([2**64 - 1, 2**32, 2**63]), max_size=40))
def test_the_first_of_equal_keys(keys: list[int]) -> None:
    assert _model.firsts(np.array(keys, np.uint64)).tolist() == reference.firsts(keys)


@examples(200)
@given(st.lists(ODD | st.text(st.characters(max_codepoint=127), max_size=12), max_size=4))
def test_the_words_of_blocks(texts: list[str]) -> None:
    found = _model.sayings(*column(texts), np.arange(len(texts)))
    assert found == list(map(reference.saying, texts))


@examples(200)
@given(st.lists(ODD, max_size=4), st.lists(st.tuples(st.text("abkis ", max_size=2), st.integers(0, 7)), max_size=5))
def test_what_blocks_mention(texts: list[str], ends: list[tuple[str, int]]) -> None:
    strings = [(f"{'ks' if bit % 2 else 'ia'}{end}", bit) for end, bit in ends]
    native = _model.Mentions([(string.encode(), bit) for string, bit in strings])
    found = native.of(*column(texts), np.arange(len(texts)))
    assert found.tolist() == [reference.mentions(text, strings) for text in texts]


def test_four_characters_beyond_ascii_are_letters_of_it_in_any_case() -> None:
    """By which `folded_into` goes."""
    letters = re.compile("[a-z]", re.IGNORECASE)
    assert {chr(c) for c in range(128, 0x110000) if letters.match(chr(c))} == set("\u0130\u0131\u017f\u212a")


def test_strings_and_blocks_that_do_not_fit_are_refused() -> None:
    for strings in ([(b"a", 0)], [(b"Ab", 0)], [(b"1b", 0)], [("\xe4b".encode(), 0)], [(b"ab", 8)], [(b"ab", -1)]):
        with pytest.raises(ValueError, match="expected"):
            _model.Mentions(strings)
    text, bounds = column(["one", "two"])
    native = _model.Mentions([(b"one", 0)])
    for blocks in ([2], [-1]):
        with pytest.raises(ValueError, match="blocks of the text"):
            native.of(text, bounds, np.array(blocks, np.int64))
        with pytest.raises(ValueError, match="blocks of the text"):
            _model.sayings(text, bounds, np.array(blocks, np.int64))
    with pytest.raises(ValueError, match="ascending"):
        native.of(text, bounds + 1, np.array([0], np.int64))


PIECES = st.lists(
    st.sampled_from(
        [
            "<meta",
            "<META ",
            "<metal ",
            " name=date",
            " x='\xe9'",
            ">",
            "<",
            "/",
            "ld+json",
            "LD+J",
            "+",
            "l",
            "\u4e2d",
            "\ud800",
            " ",
        ]
    ),
    max_size=12,
).map("".join)


@examples(200)
@given(PIECES)
def test_what_is_said_to_machines_is_found(page: str) -> None:
    assert _html.utf8(page) == page.encode("utf-8", "surrogatepass")
    told = [tag.decode("utf-8", "surrogatepass") for tag in _html.metas(page)]
    assert [tag for tag in told if META.fullmatch(tag)] == META.findall(page)
    assert _html.ld_json(page) == [found.start() for found in re.finditer(r"ld\+j", page, re.IGNORECASE)]
