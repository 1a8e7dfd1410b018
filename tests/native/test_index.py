"""Suffix array and LCP against sorted slices and letter-by-letter comparison."""

from __future__ import annotations

import random
import sys
from collections import Counter
from collections.abc import Sequence
from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import reference
from strategies import closed, corpora, corpus_of, examples, flat
from templatemine import _core
from templatemine.config import MineConfig
from templatemine.mining import repeats
from templatemine.mining.index import build_index, document_floor, documents_at, tokens_at
from templatemine.mining.repeats import MIN_TOKENS, POWER_TOKENS, find_repeats, suffix_array
from templatemine.model import IntArray

# What the largest symbol asks for: one, two or four bytes.
WIDTHS = {1: np.uint8, 2: np.uint16, 4: np.uint32}


def widened(symbols: IntArray, width: int) -> IntArray:
    """The same text with symbols that need `width` bytes, the break left as it is."""
    return np.where(symbols > 0, symbols + (0 if width == 1 else 2 ** (4 * width)), 0).astype(np.int32)


@pytest.mark.parametrize("width", WIDTHS)
@examples(150)
@given(corpora(breaks=True))
def test_suffix_array_is_ascending(width: int, documents: list[list[int]]) -> None:
    symbols = widened(closed(documents)[0], width)
    sa = suffix_array(symbols)
    assert sa.dtype == np.int32
    assert sa.flags.c_contiguous
    # Symbols are compared by their bytes as they lie in memory: any fixed order will do.
    size = 1 if not len(symbols) or symbols.max() < 2**8 else width
    expected = reference.suffix_array(symbols.tolist(), lambda symbol: symbol.to_bytes(size, sys.byteorder))
    assert sa.tolist() == expected


@pytest.mark.parametrize("largest", [0, 1, 255, 256, 65535, 65536, 2**31 - 1])
def test_suffix_array_at_the_edges_of_widths(largest: int) -> None:
    symbols = np.array([largest, 0, largest, largest, 0], np.int32)
    size = 1 if largest < 2**8 else 2 if largest < 2**16 else 4
    order = reference.suffix_array(symbols.tolist(), lambda symbol: symbol.to_bytes(size, sys.byteorder))
    assert suffix_array(symbols).tolist() == order


@examples(300)
@given(corpora(breaks=True))
def test_lcp_is_that_of_the_reference(documents: list[list[int]]) -> None:
    symbols, _ = closed(documents)
    sa = suffix_array(symbols)
    expected = reference.lcp_array(symbols.tolist(), sa.tolist())
    for kind in (np.int32, np.int64):
        found = _core.lcp(symbols, sa.astype(kind))
        assert (found.dtype, found.tolist()) == (kind, expected)


@examples(100)
@given(corpora(breaks=True), st.permutations(range(5)))
def test_lcp_takes_any_order_of_the_symbols(documents: list[list[int]], order: list[int]) -> None:
    symbols, _ = closed(documents)
    sa = reference.suffix_array(symbols.tolist(), lambda symbol: order[symbol])
    array = np.array(sa, np.int32)
    assert _core.lcp(symbols, array).tolist() == reference.lcp_array(symbols.tolist(), sa)


@examples(200)
@given(corpora(), st.integers(0, 4))
def test_document_frequency(documents: list[list[int]], spare: int) -> None:
    forms, starts = flat(documents)
    found, count = _core.document_frequency(forms, starts, 5 + spare)
    assert found.tolist() == [sum(form in one for one in documents) for form in range(5 + spare)]
    assert count.tolist() == [sum(one.count(form) for one in documents) for form in range(5 + spare)]


@examples(200)
@given(corpora(), st.lists(st.sampled_from([0, 1, 2]), min_size=5, max_size=5))
def test_rare_pairs(documents: list[list[int]], kinds: list[int]) -> None:
    forms, starts = flat(documents)
    hashes = [(2 * form + 1) * 0x9E3779B97F4A7C15 % 2**64 for form in range(5)]
    pairs, owner, rare, said = _core.find_rare_pairs(
        forms, starts, np.array(kinds, np.uint8), np.array(hashes, np.uint64)
    )
    held = [[form for form in one if kinds[form]] for one in documents]
    expected = [
        (reference.mixed(hashes[first], hashes[second]), number)
        for number, one in enumerate(held)
        for first, second in pairwise(one)
        if kinds[first] == kinds[second] == 2
    ]
    found = list(zip(pairs.tolist(), owner.tolist(), strict=True))
    rest = iter(expected)
    assert all(one in rest for one in found), "what is given is in its order"
    counts = Counter(pair for pair, _ in expected)
    assert [one for one in found if counts[one[0]] > 1] == [one for one in expected if counts[one[0]] > 1]
    assert rare.tolist() == [len(one) for one in held]
    assert said.tolist() == [sum(hashes[form] for form in one) % 2**64 for one in held]


def test_rare_pairs_that_come_once_are_hardly_given() -> None:
    size = 4096
    forms = np.concatenate([np.arange(size), np.arange(100, 200)]).astype(np.int32)
    hashes = np.array([reference.mixed(7, form) for form in range(size)], np.uint64)
    starts = np.array([0, size, size + 100], np.int64)
    pairs, owner, _, _ = _core.find_rare_pairs(forms, starts, np.full(size, 2, np.uint8), hashes)
    assert (owner == 1).sum() == 99
    assert len(set(pairs[owner == 1].tolist()) & set(pairs[owner == 0].tolist())) == 99
    assert len(pairs) < size // 2


@st.composite
def with_lines(draw: st.DrawFn) -> list[list[int]]:
    """Documents in which form 0 is a line break before some tokens, never twice in a row and never at the end."""
    documents = []
    for one in draw(corpora()):
        marked: list[int] = []
        for form in one:
            marked += [0, form] if not marked or draw(st.booleans()) else [form]
        documents.append(marked)
    return documents


@pytest.mark.parametrize("lines", [False, True])
@examples(200)
@given(data=st.data())
def test_reduction(lines: bool, data: st.DataObject) -> None:
    """Each document is its kept symbols with one break for each stretch of others, and one at the end if none is there."""
    documents = data.draw(with_lines() if lines else corpora())
    forms, starts = flat(documents)
    kept = data.draw(st.sets(st.integers(1 if lines else 0, 4)))
    symbol_of = np.array([7 + form if form in kept else 0 for form in range(5)], np.int32)
    expected = []
    for number, one in enumerate(documents):
        before, token = 0, 0
        for form in [*one, None]:
            symbol = int(symbol_of[form]) if form is not None else 0
            if symbol or before:
                expected.append((symbol, number, token))
            before = symbol
            token += form is not None and not (lines and form == 0)
    columns = _core.reduce_tokens(forms, starts, symbol_of, lines)
    assert [column.dtype for column in columns] == [np.int32, np.int64, np.int64, np.int32]
    symbols, bounds, runs, run_tokens = (column.tolist() for column in columns)
    assert symbols == [row[0] for row in expected]
    assert bounds == [sum(row[1] < number for row in expected) for number in range(len(documents) + 1)]
    assert runs == [place for place in range(len(expected)) if place == 0 or expected[place - 1][0] == 0]
    assert run_tokens == [expected[place][2] for place in runs]


def strings_of(documents: Sequence[Sequence[int]], config: MineConfig) -> dict[tuple[int, ...], tuple[int, int]]:
    """What the stages find: strings of forms with their counts."""
    corpus = corpus_of(documents)
    index = build_index(corpus, config)
    mined = find_repeats(index, corpus.documents, document_floor(corpus.documents, config), config)
    repeats = mined.repeats
    found = {}
    for start, length, count, df in zip(mined.first, repeats.length, repeats.count, repeats.df, strict=True):
        found[tuple(index.forms[index.symbols[start : start + length]].tolist())] = (int(count), int(df))
    assert len(found) == len(repeats)
    return found


@pytest.mark.parametrize("floor", [1, 2, 3])
@examples(150)
@given(corpora())
def test_breaks_for_rare_forms_lose_nothing(floor: int, documents: list[list[int]]) -> None:
    """Mining with breaks in place of rare forms gives the strings of mining without, and a 64-bit index the same."""
    config = MineConfig(min_df=floor, min_share=0.0, min_tokens=2)
    expected = reference.maximal_strings(documents, 2, floor)
    assert strings_of(documents, config) == expected
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(repeats, "INT32_MAX", 0)
        assert strings_of(documents, config) == expected


@pytest.mark.parametrize("period", [1, 3])
def test_powers_of_one_string_do_not_outgrow_the_text(period: int) -> None:
    """Of a long line of numbers each shorter one is maximal; the longest powers are left out, and nothing but these."""
    size = 3000
    documents = [[1 + place % period for place in range(size + number)] for number in range(4)]
    config = MineConfig(min_df=3, min_share=0.0, min_tokens=1)
    corpus = corpus_of(documents)
    lengths = find_repeats(build_index(corpus, config), 4, 3, config).repeats.length
    assert sorted(lengths.tolist()) == list(range(1, len(lengths) + 1))
    powers = lengths[lengths >= 2 * period].sum(dtype=np.int64)
    assert powers <= MIN_TOKENS < powers + len(lengths) + 1 < sum(range(size))


@pytest.mark.parametrize("bound", [repeats.INT32_MAX, 0], ids=["grown", "sorted"])
def test_long_strings_that_are_no_powers_stay(bound: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """A letter that each document changes at some places has more tokens in its parts than there are."""
    random = np.random.default_rng(3)
    letter = random.integers(2, 500, 300)
    documents = [np.where(random.random(300) < 0.003, 1, letter).tolist() for _ in range(400)]
    monkeypatch.setattr(repeats, "INT32_MAX", bound)
    config = MineConfig(min_df=3, min_share=0.0, min_tokens=1)
    corpus = corpus_of(documents)
    index = build_index(corpus, config)
    lengths = find_repeats(index, 400, 3, config).repeats.length
    assert lengths.sum(dtype=np.int64) > max(MIN_TOKENS, POWER_TOKENS * len(index.symbols))
    assert lengths.max() == 300


def test_symbols_of_an_index_are_dense_and_lead_back() -> None:
    corpus = corpus_of([[1, 4, 2], [4, 1], [3, 4], [1, 1]])
    index = build_index(corpus, MineConfig(min_df=2, min_share=0.0))
    assert index.forms[1:].tolist() == [1, 4]
    assert index.symbols.tolist() == [1, 2, 0, 2, 1, 0, 2, 0, 1, 1, 0]
    assert index.doc_starts.tolist() == [0, 3, 6, 8, 11]
    places = np.arange(11)
    assert documents_at(index, places).tolist() == [0, 0, 0, 1, 1, 1, 2, 2, 3, 3, 3]
    assert tokens_at(index, places).tolist() == [0, 1, 2, 0, 1, 2, 1, 2, 0, 1, 2]


def test_the_floor_of_documents() -> None:
    assert document_floor(10, MineConfig(min_df=3, min_share=0.0)) == 3
    assert document_floor(1000, MineConfig(min_df=3, min_share=0.01)) == 10
    assert document_floor(1001, MineConfig(min_df=3, min_share=0.01)) == 11


@pytest.mark.parametrize("documents", [[], [[]], [[1]], [[1], []], [[1, 1]]])
def test_little_or_nothing(documents: list[list[int]]) -> None:
    assert strings_of(documents, MineConfig(min_df=1, min_share=0.0, min_tokens=1)) == reference.maximal_strings(
        documents
    )


def test_types(monkeypatch: pytest.MonkeyPatch) -> None:
    assert suffix_array(np.empty(0, np.int32)).dtype == np.int32
    monkeypatch.setattr(repeats, "INT32_MAX", 0)
    found = suffix_array(np.array([1, 1, 0], np.int32))
    assert (found.dtype, found.tolist()) == (np.int64, [2, 1, 0])


@examples(60)
@given(st.integers(0, 2**32), st.integers(1, 6), st.sampled_from([1, 2, 4]), st.sampled_from([0.0, 0.05, 0.3]))
def test_versions_are_those_of_the_slow_twin(seed: int, k: int, sampled: int, foreign_share: float) -> None:
    rng = random.Random(seed)
    stories = [[rng.randrange(40) for _ in range(rng.randrange(60))] for _ in range(3)]
    documents = []
    for _ in range(rng.randrange(12)):
        story = rng.choice(stories)
        first = rng.randrange(len(story) + 1)
        text = [rng.randrange(40) if rng.random() < 0.04 else form for form in story[first:]]
        documents.append(text + [rng.randrange(40) for _ in range(rng.choice([0, 0, 12]))])
    kinds = [rng.choice([0, 1, 2, 2, 2, 2, 2]) for _ in range(40)]
    hashes = [rng.getrandbits(61) for _ in range(40)]
    order = rng.sample(range(len(documents)), rng.randrange(len(documents) + 1))
    starts = np.cumsum([0, *map(len, documents)])
    forms = np.array([form for document in documents for form in document], np.int32)
    found = _core.find_versions(
        forms,
        starts,
        np.array(kinds, np.uint8),
        np.array(hashes, np.uint64),
        np.array(order, np.int64),
        k,
        sampled,
        foreign_share,
    )
    assert found.tolist() == reference.find_versions(documents, kinds, hashes, order, k, sampled, foreign_share)
