"""Isotonic smoothing over trees against all assignments of levels there are."""

from __future__ import annotations

import itertools
from collections.abc import Sequence

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from templatemine.pages._scores import LEVELS, smooth, smooth_leaves, smooth_scores


def price_of(
    levels: Sequence[float], parents: Sequence[int], scores: Sequence[float], weights: Sequence[float], price: float
) -> float:
    """The sum that is made least; infinite where a child is above its parent."""
    total = sum(w * (x - y) ** 2 for x, y, w in zip(levels, scores, weights, strict=True))
    for child, parent in enumerate(parents):
        if parent >= 0 and levels[child] > levels[parent]:
            return float("inf")
        total += price * (parent >= 0 and levels[child] < levels[parent])
    return total


@st.composite
def trees(draw: st.DrawFn) -> tuple[list[int], list[float], list[float]]:
    size = draw(st.integers(1, 6))
    parents = [-1, *(draw(st.integers(0, node - 1)) for node in range(1, size))]
    scores = draw(st.lists(st.floats(0, 1), min_size=size, max_size=size))
    return parents, scores, draw(st.lists(st.floats(0, 9), min_size=size, max_size=size))


@given(trees(), st.floats(0, 2), st.integers(2, 4))
def test_no_assignment_is_better(tree: tuple[list[int], list[float], list[float]], price: float, levels: int) -> None:
    parents, scores, weights = tree
    found = smooth(np.array(parents, np.int32), np.array(scores), np.array(weights), price, levels)
    grid = [level / (levels - 1) for level in range(levels)]
    least = min(price_of(one, parents, scores, weights, price) for one in itertools.product(grid, repeat=len(parents)))
    assert price_of(found.tolist(), parents, scores, weights, price) == pytest.approx(least, abs=1e-9)


def test_scores_that_already_fall_stay() -> None:
    scores = np.array([1.0, 0.5, 0.75, 0.25])
    assert smooth(np.array([-1, 0, 0, 1], np.int32), scores, np.ones(4), 0.0, 5).tolist() == scores.tolist()


def test_a_price_makes_one_section_of_a_container() -> None:
    parents, weights = np.array([-1, 0, 0, 0], np.int32), np.array([0.0, 1, 1, 1])
    scores = np.array([0.0, 0.75, 0.75, 0.5])
    assert smooth(parents, scores, weights, 0.0, 5).tolist() == [1.0, 0.75, 0.75, 0.5]
    assert smooth(parents, scores, weights, 1.0, 5).tolist() == [0.75] * 4


def test_no_nodes() -> None:
    none = np.zeros(0)
    assert smooth(np.zeros(0, np.int32), none, none, 1.0).tolist() == []


@pytest.mark.parametrize(
    ("parents", "scores", "weights", "price", "levels", "trouble"),
    [
        ([-1, 0], [0.5], [1.0, 1.0], 1.0, 5, "a score and a weight"),
        ([-1, 1], [0.5, 0.5], [1.0, 1.0], 1.0, 5, "parents"),
        ([-1, -1], [0.5, 0.5], [1.0, 1.0], 1.0, 5, "parents"),
        ([-1], [1.5], [1.0], 1.0, 5, "scores"),
        ([-1], [float("nan")], [1.0], 1.0, 5, "scores"),
        ([-1], [0.5], [-1.0], 1.0, 5, "weights"),
        ([-1], [0.5], [1.0], float("inf"), 5, "price"),
        ([-1], [0.5], [1.0], 1.0, 1, "levels"),
    ],
)
def test_misuse(
    parents: list[int], scores: list[float], weights: list[float], price: float, levels: int, trouble: str
) -> None:
    with pytest.raises(ValueError, match=trouble):
        smooth(np.array(parents, np.int32), np.array(scores), np.array(weights), price, levels)


LEAVES = st.lists(st.tuples(st.integers(0, 5), st.integers(0, 8).map(lambda x: x / 8), st.integers(1, 9)), max_size=6)


@given(trees(), LEAVES, st.floats(0, 2))
def test_leaves_that_hang_in_a_tree(
    tree: tuple[list[int], list[float], list[float]], leaves: list[tuple[int, float, int]], price: float
) -> None:
    parents = tree[0]
    element = [place % len(parents) for place, _, _ in leaves]
    scores, sizes = [score for _, score, _ in leaves], [float(size) for _, _, size in leaves]
    found = smooth_leaves(
        np.array(parents, np.int32), np.array(element, np.int32), np.array(scores), np.array(sizes), 0.5, price
    )
    # The same with every node, those without leaves weighing nothing.
    inside: list[list[int]] = [[] for _ in parents]
    for leaf, place in enumerate(element):
        while place >= 0:
            inside[place].append(leaf)
            place = parents[place]
    held = [sum(sizes[leaf] for leaf in own) for own in inside]
    mean = [
        min(1.0, sum(sizes[leaf] * scores[leaf] for leaf in own) / size) if own else 0.0
        for own, size in zip(inside, held, strict=True)
    ]
    whole = sum(sizes) or 1.0
    everything = (
        [*parents, *element],
        [*mean, *scores],
        [*(0.5 * size / whole for size in held), *(s / whole for s in sizes)],
    )
    full = smooth(np.array(everything[0], np.int32), np.array(everything[1]), np.array(everything[2]), price)
    assert found == pytest.approx(full[len(parents) :])


BLOCKS = st.lists(st.tuples(st.integers(0, 5), st.floats(-40, 40), st.integers(1, 9)), max_size=6)


@given(trees(), BLOCKS, st.floats(0, 1))
def test_scores_are_mixed_with_what_smoothing_makes_of_them(
    tree: tuple[list[int], list[float], list[float]], blocks: list[tuple[int, float, int]], share: float
) -> None:
    parents = np.array(tree[0], np.int32)
    element = np.array([place % len(parents) for place, _, _ in blocks], np.int32)
    scores, words = np.array([score for _, score, _ in blocks]), np.array([size for _, _, size in blocks], np.int32)
    found = smooth_scores(parents, element, scores, words, share, 0.5, 0.03, 1e-4)
    probability = 1 / (1 + np.exp(-np.clip(scores, -30, 30)))
    smoothed = smooth_leaves(parents, element, probability, words.astype(np.float64), 0.5, 0.03, LEVELS)
    mixed = np.clip((1 - share) * probability + share * smoothed, 1e-4, 1 - 1e-4)
    assert found == pytest.approx(np.log(mixed / (1 - mixed)))


def test_misuse_of_scores() -> None:
    root, leaf, one, words = np.array([-1], np.int32), np.array([0], np.int32), np.ones(1), np.ones(1, np.int32)
    for parents, element, scores, sizes, price, trouble in (
        (leaf, leaf, one, words, 1.0, "parents"),
        (root, leaf + 1, one, words, 1.0, "element"),
        (root, leaf, one, words * 0, 1.0, "words in each block"),
        (root, leaf, np.ones(2), words, 1.0, "of each block"),
        (root, leaf, one, words, float("nan"), "price"),
    ):
        with pytest.raises(ValueError, match=trouble):
            smooth_scores(parents, element, scores, sizes, 0.5, 0.5, price, 1e-4)


def test_misuse_of_leaves() -> None:
    root, one = np.array([-1], np.int32), np.array([1.0])
    for parents, element, scores, sizes, trouble in (
        (root, np.array([1], np.int32), one, one, "element"),
        (root, np.array([0], np.int32), one, np.zeros(1), "sizes"),
        (root, np.array([0], np.int32), np.zeros(2), one, "a score and a size"),
        (np.array([0], np.int32), np.array([0], np.int32), one, one, "parents"),
    ):
        with pytest.raises(ValueError, match=trouble):
            smooth_leaves(parents, element, scores, sizes, 0.5, 1.0)
