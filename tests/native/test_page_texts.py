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
    assert _model.first_indices(np.array(keys, np.uint64)).tolist() == reference.find_first_places(keys)


@examples(200)
@given(st.lists(ODD | st.text(st.characters(max_codepoint=127), max_size=12), max_size=4))
def test_the_words_of_blocks(texts: list[str]) -> None:
    found = _model.normalised_texts(*column(texts), np.arange(len(texts)))
    assert found == list(map(reference.normalise_text, texts))


def test_blocks_that_do_not_fit_are_refused() -> None:
    text, bounds = column(["one", "two"])
    for blocks in ([2], [-1]):
        with pytest.raises(ValueError, match="blocks of the text"):
            _model.normalised_texts(text, bounds, np.array(blocks, np.int64))


STYLE = re.compile(rb"<style(?![a-z0-9])[^>]*>(.*?)</", re.IGNORECASE | re.DOTALL)

PIECES = st.lists(
    st.sampled_from(
        [
            "<meta",
            "<META ",
            "<metal ",
            "<style",
            "<Style>",
            "</",
            "<styles>",
            " name=date",
            " NAME=a_T",
            " x='\xe9'",
            ">",
            "<",
            "/",
            "ld+json",
            "LD+J",
            "+",
            "l",
            "\u4e2d",
            "m" * 70,
            "\ud800",
            " ",
        ]
    ),
    max_size=12,
).map("".join)


@examples(200)
@given(PIECES)
def test_what_is_said_to_machines_is_found(page: str) -> None:
    data = page.encode("utf-8", "surrogatepass")
    assert _html.utf8(page) == data
    for names in ([b"m"], [b"date", b"_t"], [b"="], []):
        told = [tag.decode("utf-8", "surrogatepass") for tag in _html.metas(data, names)]
        asked = [tag for tag in META.findall(page) if any(name.decode() in tag.lower() for name in names)]
        assert [tag for tag in told if META.fullmatch(tag)] == asked
    assert _html.ld_json(data) == [found.start() for found in re.finditer(rb"ld\+j", data, re.IGNORECASE)]
    for before in (len(data), len(data) // 2):
        sheets = [data[slice(*found.span(1))] for found in STYLE.finditer(data, 0, before)]
        assert [data[start:end] for start, end in _html.styles(data, before)] == sheets
