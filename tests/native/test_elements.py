"""What elements hand down and sum up, and what is told of blocks and of a main text, against slow twins."""

from __future__ import annotations

from itertools import groupby

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from strategies import examples
from templatemine.pages import _blocks, _html, _scores
from templatemine.pages.baselines import _systems

TREES = st.lists(st.tuples(st.integers(0, 8), st.integers(0, 9), st.integers(0, 3)), min_size=0, max_size=12)


def tree(rows: list[tuple[int, int, int]]) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    parents = np.array([-1, *(min(up, place) for place, (up, _, _) in enumerate(rows))], np.int32)
    return (
        parents,
        np.array([0, *(size for _, size, _ in rows)], np.int64),
        np.array([1, *(structure for _, _, structure in rows)], np.int64),
    )


@examples(200)
@given(TREES)
def test_sums_over_subtrees(rows: list[tuple[int, int, int]]) -> None:
    parents, own, _ = tree(rows)

    def below(element: int) -> int:
        return int(own[element]) + sum(below(c) for c in range(element + 1, len(parents)) if parents[c] == element)

    assert _blocks.sum_subtrees(parents, own).tolist() == [below(element) for element in range(len(parents))]


@examples(200)
@given(st.lists(st.tuples(st.integers(0, 8), st.integers(0, 2)), max_size=12))
def test_values_are_handed_down(rows: list[tuple[int, int]]) -> None:
    parents = np.array([-1, *(min(up, place) for place, (up, _) in enumerate(rows))], np.int32)
    own = np.array([0, *(value for _, value in rows)], np.uint8)

    def value(element: int) -> int:
        return int(own[element]) or (value(int(parents[element])) if parents[element] >= 0 else 0)

    elements = range(len(parents))
    assert _blocks.inherit_values(parents, own).tolist() == list(map(value, elements))
    blocks = np.array([*elements, *reversed(elements)], np.int32)
    assert _blocks.inherit_by_blocks(parents, own, blocks).tolist() == list(map(value, blocks.tolist()))


@examples(100)
@given(
    st.lists(st.tuples(st.text("aDÉ ", max_size=6), st.integers(1, 4), st.booleans()), max_size=8), st.integers(0, 4)
)
def test_openings(rows: list[tuple[str, int, bool]], most: int) -> None:
    data = [text.encode() for text, _, _ in rows]
    bounds = np.cumsum([0, *map(len, data)]).astype(np.int64)
    words = np.array([count for _, count, _ in rows], np.int32)
    wanted = np.array([flag for _, _, flag in rows], np.uint8)
    openings = [b"add", "É".encode() + b"d", b"a d"]
    expected = [
        place
        for place, (text, (_, count, flag)) in enumerate(zip(data, rows, strict=True))
        if flag and count <= most and text[:3].lower() in openings
    ]
    codes = np.array([int.from_bytes(opening, "little") for opening in openings], np.uint32)
    text = np.frombuffer(b"".join(data), np.uint8)
    assert _blocks.find_openings(text, bounds, words, wanted, most, codes).tolist() == expected


@examples(100)
@given(st.lists(st.tuples(st.floats(-40, 40), st.integers(1, 90), st.integers(0, 90)), max_size=12))
def test_main_text_in_numbers(rows: list[tuple[float, int, int]]) -> None:
    scores, words = np.array([row[0] for row in rows], np.float64), np.array([row[1] for row in rows], np.int32)
    counts = np.zeros((len(rows), len(_html.COUNTS)), np.int32)
    counts[:, _html.COUNTS.index("linked")] = linked = np.array([row[2] for row in rows], np.int32)
    chances, main = _scores.to_probabilities(scores), scores > 0
    expected, every = float(words @ chances), max(int(words.sum()), 1)
    runs = [list(run) for kept, run in groupby(range(len(rows)), lambda place: bool(main[place])) if kept]
    sizes = [int(words[run].sum()) for run in runs]
    doubt = 4 * float((chances * (1 - chances)) @ words) / every
    wanted = [
        expected / every,
        np.log1p(expected),
        float(linked @ chances) / max(expected, 1),
        np.log1p(sum(sizes) / max(int(main.sum()), 1)),
        max(sizes, default=0) / max(sum(sizes), 1),
        len(runs),
        doubt,
    ]
    assert _scores.describe_main(scores, words, counts) == pytest.approx(wanted, abs=1e-12)
    assert _scores.measure_doubt(scores, words) == pytest.approx(doubt, abs=1e-12)


def test_columns_that_do_not_fit_are_refused() -> None:
    int32, int64, uint8 = (lambda *v, kind=kind: np.array(v, kind) for kind in (np.int32, np.int64, np.uint8))
    with pytest.raises(ValueError, match="as many values"):
        _blocks.inherit_values(int32(-1, 0), uint8(0))
    with pytest.raises(ValueError, match="as many values"):
        _blocks.inherit_by_blocks(int32(-1, 0), uint8(0), int32(0))
    for element in (-1, 1):
        with pytest.raises(ValueError, match="elements of the page"):
            _blocks.inherit_by_blocks(int32(-1), uint8(0), int32(element))
    for bounds in (int64(0, 2), int64(0)):
        with pytest.raises(ValueError, match="bounds"):
            _blocks.find_openings(uint8(0), bounds, int32(1), uint8(1), 1, np.zeros(1, np.uint32))
    with pytest.raises(ValueError, match="words"):
        _scores.measure_doubt(np.zeros(1), int32(1, 2))
    with pytest.raises(ValueError, match="counts of each block"):
        _scores.describe_main(np.zeros(1), int32(1), np.zeros((1, 1), np.int32))
    with pytest.raises(ValueError, match="as many values"):
        _blocks.sum_subtrees(int32(-1), int64(0, 1))
    with pytest.raises(ValueError, match="blocks within"):
        _systems.count_line_breaks(b"abc", int64(0), int64(4))
    with pytest.raises(ValueError, match="same length"):
        _systems.find_stretch(b"abc", int64(0), int64(3), int32(1), int32(1, 2), uint8(1))
    assert _blocks.inherit_values(int32(), uint8()).tolist() == []
