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
from templatemine.pages import _blocks, _html, _scores
from templatemine.pages.declared import META

ODD = st.text(st.sampled_from("aAbBkKiIsS \u017f\u0130\u0131\u212a_0-.\n\xe9\u4e2d\U0001f600"), max_size=12)
"""Letters that ignoring case makes of others among them."""


def column(texts: list[str]) -> tuple[NDArray[np.uint8], NDArray[np.int64]]:
    data = [text.encode() for text in texts]
    return np.frombuffer(b"".join(data), np.uint8), np.cumsum([0, *map(len, data)]).astype(np.int64)


@examples(100)
@given(st.lists(st.integers(0, 5) | st.sampled_from([2**64 - 1, 2**32, 2**63]), max_size=40))
def test_the_first_of_equal_keys(keys: list[int]) -> None:
    assert _blocks.find_first_equal(np.array(keys, np.uint64)).tolist() == reference.find_first_places(keys)


@examples(100)
@given(st.lists(st.tuples(st.integers(-40, 40), st.integers(1, 40), st.integers(0, 3)), max_size=12))
def test_scores_half_way_to_the_mean_of_their_path(blocks: list[tuple[int, int, int]]) -> None:
    def mean(path: int) -> float:
        same = [(score, words) for score, words, other in blocks if other == path]
        return sum(score * words for score, words in same) / sum(words for _, words in same)

    keys = np.zeros((len(blocks), len(_html.KEYS)), np.uint64)
    keys[:, _html.KEYS.index("full")] = [path for _, _, path in blocks]
    scores, words = np.array([row[0] for row in blocks], np.float64), np.array([row[1] for row in blocks], np.int32)
    expected = [(score + mean(path)) / 2 for score, _, path in blocks]
    others = (scores + 8).astype(np.float32)
    assert _scores.average_by_path(scores - 8, others, words, keys).tolist() == pytest.approx(expected)
    with pytest.raises(ValueError, match="of each block"):
        _scores.average_by_path(scores, others, np.ones(len(blocks) + 1, np.int32), keys)


@examples(100)
@given(st.lists(ODD, max_size=6), st.data())
def test_texts_of_some_blocks(texts: list[str], data: st.DataObject) -> None:
    blocks = data.draw(st.lists(st.integers(0, len(texts) - 1), max_size=6)) if texts else []
    found = _html.decode_texts(*column(texts), np.array(blocks, np.int64))
    assert found == [texts[block] for block in blocks]


MARKED = st.text(
    st.characters(max_codepoint=255) | st.sampled_from("aZ \u1fff\u2000\u200d\u2019\u203f\u2040"), max_size=12
)


@examples(300)
@given(st.lists(ODD | MARKED | st.text(st.characters(max_codepoint=127), max_size=12), max_size=4))
def test_the_words_of_blocks(texts: list[str]) -> None:
    found = _blocks.normalise_texts(*column(texts), np.arange(len(texts)))
    assert found == list(map(reference.normalise_text, texts))


def test_blocks_that_do_not_fit_are_refused() -> None:
    text, bounds = column(["one", "two"])
    for blocks in ([2], [-1]):
        with pytest.raises(ValueError, match="blocks of the text"):
            _blocks.normalise_texts(text, bounds, np.array(blocks, np.int64))
        with pytest.raises(ValueError, match="blocks: expected"):
            _html.decode_texts(text, bounds, np.array(blocks, np.int64))
    for wrong in ([0, 7, 7], [-1, 3, 6], [3, 0, 6]):
        with pytest.raises(ValueError, match="bounds: expected"):
            _html.decode_texts(text, np.array(wrong), np.array([0]))


LONG = [b"rel=next", b'"@type"', b"eeeee", b"erere"]
"""Phrases of which one pair of bytes in four is looked at, among them some that overlap with themselves."""


@examples(200)
@given(
    st.lists(st.sampled_from(LONG), unique=True)
    | st.lists(st.sampled_from([*LONG, b"next", b"rel", b"\xc3\xa4b", b"@t", b"ee"]), unique=True),
    st.lists(
        st.sampled_from([b"rel", b"=", b"next", b"e", b"\xc3\xa4", b"b", b'"@t', b'ype"', b" ", b"r"]), max_size=16
    ),
)
def test_phrases_in_one_pass(phrases: list[bytes], pieces: list[bytes]) -> None:
    text, finder = b"".join(pieces), _html.PhraseFinder(tuple(phrases))
    expected = [[at for at in range(len(text)) if text.startswith(phrase, at)] for phrase in phrases]
    assert finder.find(text) == expected
    assert finder.stand_in(text) == [bool(places) for places in expected]


def test_phrases_that_cannot_be_looked_for() -> None:
    for wrong in ((b"a",), (b"ab",) * 256):
        with pytest.raises(ValueError, match="phrases: expected up to 255, each of two bytes"):
            _html.PhraseFinder(wrong)


def test_chances_of_kinds_are_those_of_a_logistic_regression() -> None:
    draw = np.random.default_rng(7)
    values, mean, scale = draw.normal(size=9) * 9, draw.normal(size=9), draw.uniform(0.1, 2, 9)
    weights, intercept = draw.normal(size=(4, 9)), draw.normal(size=4)
    odds = weights @ np.clip((values - mean) / scale, -4, 4) + intercept + np.array([2.5, 0, 0, 0])
    expected = np.exp(odds) / np.exp(odds).sum()
    found = _scores.find_kind_chances(values, mean, scale, weights, intercept, 4.0, 2.5)
    assert found == pytest.approx(expected)
    for wrong in ((values[1:], intercept), (values, intercept[1:])):
        with pytest.raises(ValueError, match="of each"):
            _scores.find_kind_chances(wrong[0], mean, scale, weights, wrong[1], 4.0, 2.5)


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
    assert _html.encode_page(page) == data
    for names in ([b"m"], [b"date", b"_t"], [b"="], []):
        told = [tag.decode("utf-8", "surrogatepass") for tag in _html.find_metas(data, names)]
        asked = [tag for tag in META.findall(page) if any(name.decode() in tag.lower() for name in names)]
        assert [tag for tag in told if META.fullmatch(tag)] == asked
    for before in (len(data), len(data) // 2):
        sheets = [data[slice(*found.span(1))] for found in STYLE.finditer(data, 0, before)]
        assert [data[start:end] for start, end in _html.find_styles(data, before)] == sheets


def test_the_first_row_with_a_value() -> None:
    matrix = np.array([[0, 1], [1, 0], [1, 1]], np.float32)
    assert [_blocks.find_value(matrix, column, 1) for column in (0, 1)] == [1, 0]
    assert _blocks.find_value(matrix, 0, 2) == -1 == _blocks.find_value(matrix[:0], 1, 1)
    with pytest.raises(ValueError, match="a column of the matrix"):
        _blocks.find_value(matrix, 2, 1)
