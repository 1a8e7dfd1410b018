"""Strings grown token by token, against all substrings and against the suffix array."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from numpy.typing import NDArray

import reference
from strategies import closed, corpora, examples, fibonacci_word
from templatemine import _core
from templatemine.mining.repeats import suffix_array

ENOUGH = 10**9

# Every string: occurrences, documents, first place.
Rows = dict[tuple[int, ...], tuple[Any, ...]]


def bounds(doc_of: NDArray[np.int32]) -> NDArray[np.int64]:
    """Where each document begins."""
    return np.searchsorted(doc_of, np.arange(int(doc_of.max(initial=-1)) + 2))


def grown(symbols: NDArray[np.int32], doc_of: NDArray[np.int32], min_tokens: int, min_df: int) -> Rows:
    """What the kernel finds, with every occurrence looked up."""
    found = _core.grow_strings(symbols, bounds(doc_of), min_tokens, min_df, ENOUGH)
    assert found is not None
    places, rank, first, length, count, df = found
    assert [column.dtype for column in found] == [np.int32, np.int64, *[np.int32] * 4]
    assert sorted(places.tolist()) == np.flatnonzero(symbols).tolist()
    rows: Rows = {}
    columns = (rank.tolist(), first.tolist(), length.tolist(), count.tolist(), df.tolist())
    for start, place, size, times, documents in zip(*columns, strict=True):
        here = places[start : start + times].tolist()
        strings = {tuple(symbols[one : one + size].tolist()) for one in here}
        assert len(strings) == 1, "the occurrences of a string lie together"
        assert len({int(doc_of[one]) for one in here}) == documents
        (string,) = strings
        assert string not in rows, "each string once"
        rows[string] = (times, documents, place)
    return rows


def by_sorting(symbols: NDArray[np.int32], doc_of: NDArray[np.int32], min_tokens: int, min_df: int) -> Rows:
    """The same from suffix array, LCP and a stack."""
    sa = suffix_array(symbols)
    documents = int(doc_of.max(initial=-1)) + 1
    columns = _core.find_repeats(symbols, doc_of, sa, _core.lcp(symbols, sa), documents, min_tokens, min_df)
    rank, length, count, df = columns
    first = _core.find_first_positions(rank, count, sa.astype(np.int64), ENOUGH)
    rows: Rows = {}
    for place, size, times, number in zip(first, length, count, df, strict=True):
        rows[tuple(symbols[place : place + size].tolist())] = (times, number, place)
    return rows


def simple(documents: Sequence[Sequence[int]], min_tokens: int = 1, min_df: int = 1) -> dict[tuple[int, ...], Any]:
    symbols, doc_of = closed(documents)
    rows = grown(symbols, doc_of, min_tokens, min_df)
    return {string: row[:2] for string, row in rows.items()}


@examples(400)
@given(corpora(breaks=True), st.integers(0, 4), st.integers(0, 4))
@example([[1, 1, 1, 1, 1, 1]], 1, 1)
@example([[1, 2, 1, 2, 1], [2, 1, 2]], 1, 1)
@example([[1, 2, 3], [1, 2, 3], [1, 2, 3]], 1, 1)
@example([fibonacci_word(30)], 1, 1)
@example([[1, 2], [], [1, 2], []], 1, 2)
@example([[3, 1, 2], [3, 1, 2], [4, 1, 2]], 1, 1)
def test_maximal_strings(documents: list[list[int]], min_tokens: int, min_df: int) -> None:
    assert simple(documents, min_tokens, min_df) == reference.maximal_strings(documents, min_tokens, min_df)


@pytest.mark.parametrize("beyond", [0, 0x10000], ids=["16 bit", "32 bit"])
@examples(200)
@given(corpora(breaks=True), st.integers(1, 3), st.integers(1, 3))
def test_growing_and_sorting_find_the_same(
    beyond: int, documents: list[list[int]], min_tokens: int, min_df: int
) -> None:
    """Every column, whatever width the symbols ask for."""
    symbols, doc_of = closed(documents)
    symbols = np.where(symbols > 0, symbols + beyond, 0).astype(np.int32)
    arguments = (symbols, doc_of, min_tokens, min_df)
    assert grown(*arguments) == by_sorting(*arguments)


@examples(200)
@given(corpora(breaks=True), st.integers(0, 60))
def test_too_few_steps_give_nothing_or_all(documents: list[list[int]], steps: int) -> None:
    symbols, doc_of = closed(documents)
    found = _core.grow_strings(symbols, bounds(doc_of), 1, 1, steps)
    if found is not None:
        assert len(found[1]) == len(reference.maximal_strings(documents))


def test_one_token_for_ever_is_given_up() -> None:
    size = 100_000
    symbols, doc_of = closed([[1] * size])
    assert _core.grow_strings(symbols, bounds(doc_of), 1, 1, 32 * size) is None


def test_a_repeated_document_costs_its_length_once() -> None:
    """All but its beginning always stand behind the same token, and are given up at once."""
    words = np.random.default_rng(1).integers(1, 1000, 10_000).tolist()
    symbols, doc_of = closed([words] * 5)
    found = _core.grow_strings(symbols, bounds(doc_of), 1, 1, 6 * len(symbols))
    assert found is not None
    assert int(found[3].max()) == len(words)


@pytest.mark.parametrize(
    ("symbols", "doc_starts", "problem"),
    [
        ([1, -1, 0], [0, 3], "expected a symbol from 0, got -1"),
        ([1, 1, 0], [0, 2], "doc_starts: expected bounds from 0 to 3"),
        ([1, 1, 0], [0, 3, 2, 3], "doc_starts: expected ascending bounds"),
    ],
)
def test_negative_symbols_and_unordered_documents_are_refused(
    symbols: list[int], doc_starts: list[int], problem: str
) -> None:
    with pytest.raises(ValueError, match=problem):
        _core.grow_strings(np.array(symbols, np.int32), np.array(doc_starts, np.int64), 1, 1, 99)
