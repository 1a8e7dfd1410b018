"""Edges of long strings: where a stretch that many documents have begins and ends."""

from __future__ import annotations

import math
import random

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from templatemine import _core
from templatemine.config import PipelineConfig
from templatemine.mining.corpus import Corpus
from templatemine.mining.long_strings import LABEL, MAX_DROP, MIN_DF, WINDOWS, find_string_edges
from templatemine.mining.methods import resolve_defaults
from templatemine.mining.segments import segment
from templatemine.mining.tokenise import tokenise
from templatemine.model import Document

CONFIG = resolve_defaults(PipelineConfig()).tokenise
BLOCK = "read more of our stories on the harbour by signing up to the weekly letter today"


def corpus_of(texts: list[str]) -> Corpus:
    return tokenise(
        "a", [Document(source="a", id=str(i), text=text) for i, text in enumerate(texts)], CONFIG, lines=True
    )


def edges_reference(corpus: Corpus) -> set[int]:
    """Edges, from the definition.  O(tokens * window), with dictionaries of windows."""
    places = [place for place in range(len(corpus.forms)) if corpus.forms[place] != 0]
    document = np.searchsorted(corpus.doc_starts, places, side="right") - 1
    tokens = [int(corpus.forms[place]) for place in places]
    line = [place - index for index, place in enumerate(places)]
    least = min(size for size, _ in WINDOWS)
    all_begins: set[int] = set()
    all_ends: set[int] = set()
    for size, share in WINDOWS:
        floor = max(MIN_DF, math.ceil(share * corpus.documents))
        begins, ends = window_edges(tokens, document.tolist(), corpus.df.tolist(), size, floor)
        all_begins |= {edge for edge in begins if line[edge + least - 1] == line[edge]}
        all_ends |= {edge for edge in ends if line[edge - least] == line[edge - 1]}
    found: set[int] = set()
    for edge in all_begins:
        line_end = next((place for place in range(edge, len(tokens)) if line[place] != line[edge]), len(tokens))
        if line_end - edge > LABEL or any(edge < end < line_end for end in all_ends):
            found.add(places[edge])
    for edge in all_ends:
        line_begin = line.index(line[edge - 1])
        if edge == len(tokens) or document[edge] != document[edge - 1]:
            continue
        if edge - line_begin > LABEL or any(line_begin < one < edge for one in all_begins):
            found.add(places[edge])
    return found


def window_edges(
    tokens: list[int], document: list[int], token_df: list[int], size: int, floor: int
) -> tuple[set[int], set[int]]:
    """Where windows of one size begin, and what is behind them: places in the tokens."""
    windows = {}
    for start in range(len(tokens) - size + 1):
        window = tuple(tokens[start : start + size])
        if document[start] == document[start + size - 1] and all(token_df[token] >= floor for token in window):
            windows[start] = window
    half = size // 2
    holders: dict[tuple[object, ...], set[int]] = {}
    for start, window in windows.items():
        for part in (("whole", *window), ("first", *window[:half]), ("last", *window[size - half :])):
            holders.setdefault(part, set()).add(document[start])
    df = {start: len(holders["whole", *window]) for start, window in windows.items()}
    begins, ends = set(), set()
    for start, window in windows.items():
        own = df[start]
        halves = len(holders["first", *window[:half]]), len(holders["last", *window[size - half :]])
        if own < floor or MAX_DROP * max(halves) > own:
            continue
        if df.get(start - 1, 0) < MAX_DROP * own:
            begins.add(start)
        if df.get(start + 1, 0) < MAX_DROP * own:
            ends.add(start + size)
    return begins, ends


@settings(deadline=None, max_examples=60)
@given(st.integers(0, 10**6), st.integers(4, 14))
def test_edges_are_those_of_the_definition(seed: int, documents: int) -> None:
    dice = random.Random(seed)
    words = [f"w{number}" for number in range(12)]
    blocks = [" ".join(dice.choices(words, k=dice.randrange(3, 20))) for _ in range(3)]
    texts = [
        " ".join(
            dice.choice(blocks) if dice.random() < 0.5 else " ".join(dice.choices(words, k=4)) for _ in range(5)
        ).replace(" ", "\n", dice.randrange(2))
        for _ in range(documents)
    ]
    corpus = corpus_of(texts)
    found = find_string_edges(corpus, spaceless=False)
    assert found.tolist() == sorted(edges_reference(corpus))


def test_a_block_in_the_middle_of_a_line_is_a_segment() -> None:
    dice = random.Random(1)

    def prose() -> str:
        return " ".join("".join(dice.choices("ghijklmnopqrstuv", k=8)) for _ in range(9))

    texts = [f"{prose()} {BLOCK} {prose()}" for _ in range(40)]
    segments = segment(corpus_of(texts))
    lengths = np.diff(segments.bounds)
    assert np.count_nonzero(lengths == len(BLOCK.split())) == len(texts)


def test_nothing_is_found_where_there_is_next_to_nothing() -> None:
    for texts in ([], [""], ["one word"], ["a b c"] * 3):
        assert not len(find_string_edges(corpus_of(texts), spaceless=False))


@settings(deadline=None, max_examples=100)
@given(
    st.lists(st.lists(st.integers(0, 5), max_size=12), max_size=5),
    st.integers(1, 4),
    st.booleans(),
    st.sets(st.integers(0, 5)),
)
def test_windows_hold_no_rare_token(documents: list[list[int]], size: int, has_breaks: bool, rare: set[int]) -> None:
    forms = np.array([form for document in documents for form in document], np.int32)
    doc_starts = np.cumsum([0, *map(len, documents)], dtype=np.int64)
    is_rare = np.array([form in rare for form in range(6)], np.uint8)
    expected, before = [], 0
    for number, document in enumerate(documents):
        tokens = [form for form in document if form or not has_breaks]
        for start in range(len(tokens) - size + 1):
            if rare.isdisjoint(tokens[start : start + size]):
                expected.append((before + start, number, tuple(tokens[start : start + size])))
        before += len(tokens)
    windows = _core.Windows(forms, doc_starts, has_breaks, is_rare, size)
    first, document_of, hashes = windows.find([(0, size)], np.ones(windows.slots, np.uint8))
    assert list(zip(first.tolist(), document_of.tolist(), strict=True)) == [window[:2] for window in expected]
    by_hash = set(zip(hashes[:, 0].tolist(), [window[2] for window in expected], strict=True))
    assert len({value for value, _ in by_hash}) == len({window for _, window in by_hash}) == len(by_hash)
    counted = np.zeros(windows.slots, np.int32)
    np.add.at(counted, (hashes[:, 0] & np.uint64(windows.slots - 1)).astype(np.int64), 1)
    assert windows.count().tolist() == counted.tolist()


def test_windows_refuse_what_lies_outside() -> None:
    corpus = corpus_of([BLOCK])
    is_rare = np.zeros(len(corpus.form_names), np.uint8)
    for size in (0, 64):
        with pytest.raises(ValueError, match="size: expected 1 to 63"):
            _core.Windows(corpus.forms, corpus.doc_starts, True, is_rare, size)
    with pytest.raises(ValueError, match="forms"):
        _core.Windows(corpus.forms, corpus.doc_starts, True, is_rare[:1], 5)
    windows = _core.Windows(corpus.forms, corpus.doc_starts, True, is_rare, 5)
    table = np.ones(windows.slots, np.uint8)
    assert len(windows.find([(0, 5)], table)[0]) == int(windows.count().sum()) == len(BLOCK.split()) - 4
    for parts, wanted in (([], table), ([(0, 5)] * 4, table), ([(0, 5)], table[1:])):
        with pytest.raises(ValueError, match="expected 1 to 3 parts and a table"):
            windows.find(parts, wanted)
    for part in ((-1, 2), (0, 0), (3, 3)):
        with pytest.raises(ValueError, match="part 0: expected it within 5 tokens"):
            windows.find([part], table)
