"""Trees against a walk through nested records."""

from __future__ import annotations

import random
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray

import page_reference as reference
from strategies import examples
from templatemine.pages import _blocks, _scores
from templatemine.pages.blocks import load_forests
from templatemine.pages.scanner import block_scanner


@st.composite
def trees(draw: st.DrawFn, depth: int = 3) -> dict[str, Any]:
    if depth == 0 or (draw(st.booleans()) and depth < 3):
        return {"leaf": draw(st.integers(-8, 8)) / 8}
    sides = {side: draw(trees(depth - 1)) for side in ("left", "right")}
    return {"feature": draw(st.integers(0, 3)), "threshold": draw(st.integers(-3, 3)), **sides}


def table(forest: list[dict[str, Any]]) -> list[NDArray[Any]]:
    columns: list[list[float]] = [[], [], [], [], []]
    sizes = []
    for tree in forest:
        nodes: list[tuple[dict[str, Any], int, int]] = []
        leaves: list[float] = []

        def number(node: dict[str, Any], nodes: list[Any] = nodes, leaves: list[float] = leaves) -> int:
            if "leaf" in node:
                leaves.append(node["leaf"])
                return ~(len(leaves) - 1)
            place = len(nodes)
            nodes.append(None)
            left, right = number(node["left"]), number(node["right"])
            nodes[place] = (node, left, right)
            return place

        number(tree)
        sizes.append(len(nodes))
        for node, left, right in nodes:
            for column, value in zip(columns, (node["feature"], node["threshold"], left, right), strict=False):
                column.append(value)
        columns[4] += leaves
    kinds = (np.int16, np.float32, np.int16, np.int16, np.float32)
    return [*(np.array(column, kind) for column, kind in zip(columns, kinds, strict=True)), np.array(sizes, np.int32)]


@examples(100)
@given(st.lists(trees(), max_size=4), st.lists(st.lists(st.integers(-4, 4), min_size=4, max_size=4), max_size=6))
def test_trees(forest: list[dict[str, Any]], rows: list[list[int]]) -> None:
    matrix = np.array(rows, np.float32).reshape(-1, 4)
    native = _scores.Forest(*table(forest))
    assert native.scores(matrix).tolist() == pytest.approx(reference.forest(matrix, forest))


def test_a_row_scores_the_same_among_many() -> None:
    """Rows go through the trees in stretches; none of them may know where they part."""
    page = "".join(f"<p>{'word, ' * (number % 90)}and {number}.</p>" for number in range(1500))
    rows = _blocks.compute_features(block_scanner().scan_blocks(page.encode()))
    forest = load_forests()[0]
    alone = [forest.scores(row[None])[0] for row in rows]
    assert len(set(alone)) > 50
    assert forest.scores(rows).tolist() == alone


def test_trees_go_by_hundreds_and_what_is_no_number_goes_right() -> None:
    draw = random.Random(1)

    def tree(leaves: int) -> dict[str, Any]:
        if leaves == 1:
            return {"leaf": draw.randint(-8, 8) / 8}
        left = draw.randint(1, leaves - 1)
        node = {"feature": draw.randint(0, 3), "threshold": draw.randint(-3, 3) / 2}
        return {**node, "left": tree(left), "right": tree(leaves - left)}

    forest = [tree(draw.randint(2, _scores.LEAVES)) for _ in range(700)]
    rows = [[draw.choice((-2, -1.5, 0, 0.7, 1, 2, np.nan, np.inf, -np.inf)) for _ in range(4)] for _ in range(70)]
    matrix = np.array(rows, np.float32)
    native = _scores.Forest(*table(forest))
    wanted = reference.forest(matrix, forest)
    assert all(native.scores(matrix, wide).tolist() == wanted for wide in range(3))
    with pytest.raises(ValueError, match="at most 16 leaves"):
        _scores.Forest(*table([tree(_scores.LEAVES + 1)]))


def test_features_of_more_thresholds_than_a_byte_tells_apart() -> None:
    draw = random.Random(2)
    forest = [
        {
            "feature": 19 * (place % 2),
            "threshold": draw.randint(-999, 999) / 4,
            "left": {"leaf": 1},
            "right": {"leaf": -2},
        }
        for place in range(1500)
    ]
    values = [one["threshold"] for one in forest] + [-1e9, 1e9, np.nan, np.inf, -np.inf]
    for rows in (1, 31, 32, 33, 64, 200):
        matrix = np.array([[draw.choice(values) for _ in range(20)] for _ in range(rows)], np.float32)
        native = _scores.Forest(*table(forest))
        wanted = reference.forest(matrix, forest)
        assert all(native.scores(matrix, wide).tolist() == wanted for wide in range(3))


def test_thresholds_that_are_no_numbers_are_refused() -> None:
    good = table([{"feature": 0, "threshold": np.nan, "left": {"leaf": 1}, "right": {"leaf": 2}}])
    with pytest.raises(ValueError, match="that are numbers"):
        _scores.Forest(*good)


def test_trees_that_would_not_end_are_refused() -> None:
    good = table([{"feature": 0, "threshold": 0, "left": {"leaf": 1}, "right": {"leaf": 2}}])
    assert _scores.Forest(*good).scores(np.zeros((2, 1), np.float32)).tolist() == [1, 1]
    for place, value in ((2, 0), (3, -3), (2, 5), (0, -1), (5, 2), (5, 0)):
        bad = [column.copy() for column in good]
        bad[place][0] = value
        with pytest.raises(ValueError, match="expected"):
            _scores.Forest(*bad)
    with pytest.raises(ValueError, match="at least 1 features"):
        _scores.Forest(*good).scores(np.zeros((2, 0), np.float32))
