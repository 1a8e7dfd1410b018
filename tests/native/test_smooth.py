"""Isotonic smoothing of blocks in a tree against a plain solution by levels."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray

from templatemine.pages._scores import smooth_scores

LEVELS = 17
INNER, MARGIN = 0.5, 1e-4

Nodes = tuple[list[int], list[float], list[float]]


def least_cost(nodes: Nodes, price: float, fixed: Mapping[int, int]) -> float:
    """The least sum over all assignments of levels that never rise from a node to its child, some nodes being fixed."""
    parents, scores, weights = nodes
    costs = [
        [
            weight * (level / (LEVELS - 1) - score) ** 2 if fixed.get(node, level) == level else float("inf")
            for level in range(LEVELS)
        ]
        for node, (score, weight) in enumerate(zip(scores, weights, strict=True))
    ]
    for node in range(len(parents) - 1, 0, -1):
        for level in range(LEVELS):
            costs[parents[node]][level] += min(costs[node][level], min(costs[node][:level], default=0) + price)
    return min(costs[0])


def whole_tree(parents: Sequence[int], element: Sequence[int], scores: Sequence[float], words: Sequence[int]) -> Nodes:
    """Elements with the mean of the leaves they hold, those without leaves weighing nothing, and the leaves."""
    inside: list[list[int]] = [[] for _ in parents]
    for leaf, place in enumerate(element):
        while place >= 0:
            inside[place].append(leaf)
            place = parents[place]
    held = [sum(words[leaf] for leaf in own) for own in inside]
    mean = [
        sum(words[leaf] * scores[leaf] for leaf in own) / size if own else 0.0
        for own, size in zip(inside, held, strict=True)
    ]
    whole = sum(words)
    weights = [*(INNER * size / whole for size in held), *(size / whole for size in words)]
    return [*parents, *element], [*mean, *scores], weights


def smoothed(
    parents: Sequence[int], element: Sequence[int], scores: Sequence[float], words: Sequence[int], price: float
) -> list[int]:
    """The level of each block, of probabilities."""
    chances = np.clip(np.array(scores, np.float64), 1e-9, 1 - 1e-9)
    found = mixed(parents, element, np.log(chances / (1 - chances)), words, 1.0, price)
    levels: list[int] = np.rint((LEVELS - 1) / (1 + np.exp(-found))).astype(int).tolist()
    return levels


def mixed(
    parents: Sequence[int],
    element: Sequence[int],
    scores: NDArray[np.float64],
    words: Sequence[int],
    share: float,
    price: float,
) -> NDArray[np.float64]:
    columns = np.array(parents, np.int32), np.array(element, np.int32), scores, np.array(words, np.int32)
    return smooth_scores(*columns, share, INNER, price, MARGIN)


@st.composite
def trees(draw: st.DrawFn) -> list[int]:
    return [-1, *(draw(st.integers(0, node - 1)) for node in range(1, draw(st.integers(1, 6))))]


BLOCKS = st.lists(
    st.tuples(st.integers(0, 5), st.integers(0, 8).map(lambda x: x / 8), st.integers(1, 9)), min_size=1, max_size=6
)


@given(trees(), BLOCKS, st.floats(0, 2))
def test_no_assignment_is_better(parents: list[int], blocks: list[tuple[int, float, int]], price: float) -> None:
    element = [place % len(parents) for place, _, _ in blocks]
    scores, words = [score for _, score, _ in blocks], [size for _, _, size in blocks]
    levels = smoothed(parents, element, scores, words, price)
    nodes = whole_tree(parents, element, scores, words)
    fixed = {len(parents) + leaf: level for leaf, level in enumerate(levels)}
    assert least_cost(nodes, price, fixed) == pytest.approx(least_cost(nodes, price, {}), abs=1e-8)


def test_a_price_makes_one_section_of_a_container() -> None:
    assert smoothed([-1], [0, 0, 0], [0.75, 0.75, 0.5], [1, 1, 1], 0.0) == [11, 11, 8]
    assert len({*smoothed([-1], [0, 0, 0], [0.75, 0.75, 0.5], [1, 1, 1], 1.0)}) == 1


@given(
    trees(), st.lists(st.tuples(st.integers(0, 5), st.floats(-40, 40), st.integers(1, 9)), max_size=6), st.floats(0, 1)
)
def test_scores_are_mixed_with_what_smoothing_makes_of_them(
    parents: list[int], blocks: list[tuple[int, float, int]], share: float
) -> None:
    element, words = [place % len(parents) for place, _, _ in blocks], [size for _, _, size in blocks]
    scores = np.array([score for _, score, _ in blocks])
    chance = 1 / (1 + np.exp(-np.clip(scores, -30, 30)))
    whole = 1 / (1 + np.exp(-mixed(parents, element, scores, words, 1.0, 0.03)))
    level = np.rint((LEVELS - 1) * whole) / (LEVELS - 1)
    expected = np.clip((1 - share) * chance + share * level, MARGIN, 1 - MARGIN)
    found = mixed(parents, element, scores, words, share, 0.03)
    assert found == pytest.approx(np.log(expected / (1 - expected)))


def test_misuse() -> None:
    root, leaf, one, words = np.array([-1], np.int32), np.array([0], np.int32), np.ones(1), np.ones(1, np.int32)
    for parents, element, scores, sizes, price, trouble in (
        (leaf, leaf, one, words, 1.0, "parents"),
        (np.array([-1, 1], np.int32), leaf, one, words, 1.0, "parents"),
        (np.array([-1, -1], np.int32), leaf, one, words, 1.0, "parents"),
        (root, leaf + 1, one, words, 1.0, "element"),
        (root, leaf, one, words * 0, 1.0, "words in each block"),
        (root, leaf, np.ones(2), words, 1.0, "of each block"),
        (root, leaf, one, words, float("nan"), "price"),
        (root, leaf, one, words, float("inf"), "price"),
    ):
        with pytest.raises(ValueError, match=trouble):
            smooth_scores(parents, element, scores, sizes, 0.5, INNER, price, MARGIN)
