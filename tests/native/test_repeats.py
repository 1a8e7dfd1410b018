"""Maximal strings with their occurrences and documents, against all substrings."""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence, Sized
from itertools import pairwise

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from numpy.typing import NDArray

import reference
from strategies import closed, corpora, examples, fibonacci_word, flat
from templatemine import _core
from templatemine.mining.repeats import suffix_array
from templatemine.model import IntArray

Found = dict[tuple[int, ...], tuple[int, int]]


def repeats(
    documents: Sequence[Sequence[int]],
    min_tokens: int = 1,
    min_df: int = 1,
    wide: bool = False,
    sa: IntArray | None = None,
) -> Found:
    """What the kernel finds: string -> (occurrences, documents); every occurrence is looked up."""
    symbols, doc_of = closed(documents)
    if sa is None:
        sa = suffix_array(symbols).astype(np.int64 if wide else np.int32)
    columns = _core.find_repeats(symbols, doc_of, sa, _core.lcp(symbols, sa), len(documents), min_tokens, min_df)
    assert [column.dtype for column in columns] == [np.int64, np.int32, np.int32, np.int32]
    found: Found = {}
    for rank, length, count, df in zip(*(column.tolist() for column in columns), strict=True):
        places = sa[rank : rank + count].tolist()
        strings = {tuple(symbols[place : place + length].tolist()) for place in places}
        assert len(strings) == 1, "a string's occurrences lie together in the suffix array"
        assert len({int(doc_of[place]) for place in places}) == df
        (string,) = strings
        assert string not in found, "each string once"
        found[string] = (count, df)
    return found


@pytest.mark.parametrize("wide", [False, True], ids=["32 bit", "64 bit"])
@examples(400)
@given(corpora(breaks=True))
@example([[1, 1, 1, 1, 1, 1]])
@example([[1, 2, 1, 2, 1], [2, 1, 2]])
@example([[1, 2, 3], [1, 2, 3], [1, 2, 3]])
@example([fibonacci_word(30)])
@example([[1, 2], [], [1, 2], []])
@example([[3, 1, 2], [3, 1, 2], [4, 1, 2]])
def test_maximal_strings(wide: bool, documents: list[list[int]]) -> None:
    assert repeats(documents, wide=wide) == reference.maximal_strings(documents)


@examples(200)
@given(corpora(breaks=True), st.integers(0, 4), st.integers(0, 4))
def test_floors(documents: list[list[int]], min_tokens: int, min_df: int) -> None:
    assert repeats(documents, min_tokens, min_df) == reference.maximal_strings(documents, min_tokens, min_df)


@examples(150)
@given(corpora(breaks=True), st.permutations(range(5)))
def test_order_of_the_suffix_array_is_irrelevant(documents: list[list[int]], order: list[int]) -> None:
    symbols, _ = closed(documents)
    sa = np.array(reference.suffix_array(symbols.tolist(), lambda symbol: order[symbol]), np.int32)
    assert repeats(documents, sa=sa) == repeats(documents)


@examples(150)
@given(corpora(breaks=True), st.randoms(use_true_random=False))
def test_names_and_order_of_documents_are_irrelevant(documents: list[list[int]], random: object) -> None:
    ids = [1, 2, 3, 4]
    random.shuffle(ids)  # type: ignore[attr-defined]
    name = dict(enumerate([0, *ids]))
    renamed = [[name[symbol] for symbol in one] for one in documents]
    random.shuffle(renamed)  # type: ignore[attr-defined]
    back = {new: old for old, new in name.items()}
    assert {tuple(back[s] for s in string): counts for string, counts in repeats(renamed).items()} == repeats(documents)


@pytest.mark.parametrize(
    ("documents", "expected"),
    [
        ([], {}),
        ([[]], {}),
        ([[1]], {}),
        ([[1, 1]], {(1,): (2, 1)}),
        ([[1], [1]], {(1,): (2, 2)}),
        ([[1, 2], [1, 2]], {(1, 2): (2, 2)}),
        ([[1, 2, 9], [1, 2, 8], [2]], {(1, 2): (2, 2), (2,): (3, 3)}),
        # "2 3" stands only within "1 2 3", so it is none of its own; "3" stands alone once more.
        ([[1, 2, 3], [1, 2, 3], [3]], {(1, 2, 3): (2, 2), (3,): (3, 3)}),
        # All neighbours are the same, but the end of a document is like no other.
        ([[1, 2], [5, 1, 2], [5, 1, 2]], {(1, 2): (3, 3), (5, 1, 2): (2, 2)}),
    ],
)
def test_by_hand(documents: list[list[int]], expected: Found) -> None:
    assert repeats(documents) == expected


@examples(150)
@given(corpora(breaks=True))
def test_the_first_place_of_each_string(documents: list[list[int]]) -> None:
    symbols, doc_of = closed(documents)
    sa = suffix_array(symbols)
    rank, _, count, _ = _core.find_repeats(symbols, doc_of, sa, _core.lcp(symbols, sa), len(documents), 1, 1)
    first = _core.find_first_positions(rank, count, sa.astype(np.int64), len(symbols) + 1)
    assert first.tolist() == [sa[start : start + times].min() for start, times in zip(rank, count, strict=True)]


def test_a_string_with_many_occurrences_is_looked_at_here_and_there() -> None:
    sa = np.arange(1000)[::-1].copy()
    rank, count = np.zeros(1, np.int64), np.full(1, 1000, np.int32)
    assert _core.find_first_positions(rank, count, sa, 125) == [7]  # every eighth of them, from the last
    assert _core.find_first_positions(rank, count, sa, 1000) == [0]


@examples(150)
@given(corpora(breaks=True), st.integers(0, 2**32))
def test_hashes_of_strings(documents: list[list[int]], seed: int) -> None:
    """Equal strings have equal hashes, wherever they stand and whatever the symbols are called; others differ."""
    symbols, _ = closed(documents)
    by_symbol = np.random.default_rng(seed).integers(0, 2**64, 5, dtype=np.uint64)
    stretches = [(a, b) for a in range(len(symbols)) for b in range(a, min(a + 6, len(symbols)))]
    position = np.array([a for a, _ in stretches], np.int64)
    length = np.array([b - a for a, b in stretches], np.int32)
    found = _core.hash_strings(symbols, by_symbol, position, length).tolist()
    seen: dict[tuple[int, ...], int] = {}
    for (a, b), value in zip(stretches, found, strict=True):
        assert seen.setdefault(tuple(symbols[a:b].tolist()), value) == value
    assert len(set(seen.values())) == len(seen)
    order = np.array([4, 2, 0, 1, 3])
    renamed = _core.hash_strings(order[symbols].astype(np.int32), by_symbol[np.argsort(order)], position, length)
    assert renamed.tolist() == found
    assert all(value < 2**61 for value in found)


def test_hashes_of_long_strings_are_those_of_big_integers() -> None:
    prime, base = 2**61 - 1, 0x0B0E1F2D3C4B5A69
    random = np.random.default_rng(1)
    text = random.integers(0, 50, 1000).astype(np.int32)
    by_symbol = random.integers(0, 2**64, 50, dtype=np.uint64)
    values = [0]
    for symbol in text[3:900].tolist():
        values.append((values[-1] * base + int(by_symbol[symbol])) % prime)
    for length in (0, 1, 2, 896, 897):
        found = _core.hash_strings(text, by_symbol, np.array([3], np.int64), np.array([length], np.int32))
        assert int(found[0]) == values[length]


@examples(100)
@given(st.lists(st.lists(st.integers(0, 9), max_size=6), max_size=20), st.data())
def test_stretches_are_slices_one_after_the_other(rows: list[list[int]], data: st.DataObject) -> None:
    values, bounds = flat(rows)
    chosen = data.draw(st.lists(st.integers(0, len(rows) - 1), max_size=40)) if rows else []
    lengths = np.array([len(rows[row]) for row in chosen], np.int32)
    for kernel, kind in ((_core.gather_slices_i32, np.int32), (_core.gather_slices_u8, np.uint8)):
        found, where = kernel(values.astype(kind), bounds[chosen] if chosen else np.empty(0, np.int64), lengths)
        assert found.dtype == kind
        assert [found[a:b].tolist() for a, b in pairwise(where.tolist())] == [rows[row] for row in chosen]


@given(
    st.lists(
        st.tuples(
            st.lists(st.integers(0, 3), max_size=4),
            st.integers(0, 2**31 - 1),
            st.integers(0, 2**31 - 1),
            st.integers(0, 1),
        ),
        max_size=6,
    )
)
def test_json_rows(rows: list[tuple[list[int], int, int, int]]) -> None:
    names = [json.dumps(name, ensure_ascii=False).encode() for name in ("", "a", '"\\\n', "新")]
    ends = [b',"reason":"rare"}\n', b"}\n"]

    def starts(parts: Iterable[Sized]) -> NDArray[np.int64]:
        return np.cumsum([0, *map(len, parts)], dtype=np.int64)

    made = _core.format_json_rows(
        np.array([token for row in rows for token in row[0]], np.int32),
        starts(row[0] for row in rows),
        b"".join(names),
        starts(names),
        np.array([row[1] for row in rows], np.int32),
        np.array([row[2] for row in rows], np.int32),
        b"".join(ends),
        starts(ends),
        np.array([row[3] for row in rows], np.int8),
    )
    wanted = [
        {"tokens": [json.loads(names[token]) for token in tokens], "df": df, "count": count}
        | ({} if end else {"reason": "rare"})
        for tokens, df, count, end in rows
    ]
    assert [json.loads(line) for line in made.splitlines()] == wanted
