"""The union of intervals against a mask."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import reference
from strategies import examples
from templatemine.matching import _cutting

intervals = st.lists(
    st.tuples(st.integers(0, 30), st.integers(1, 8)).map(lambda one: (one[0], one[0] + one[1])), max_size=12
)


def merge(some: list[tuple[int, int]], gap: int) -> tuple[list[tuple[int, int]], list[int]]:
    starts, ends, member = _cutting.merge(
        np.array([a for a, _ in some], np.int64), np.array([b for _, b in some], np.int64), gap
    )
    return list(zip(starts.tolist(), ends.tolist(), strict=True)), member.tolist()


@examples(500)
@given(intervals, st.integers(0, 6))
def test_union(some: list[tuple[int, int]], gap: int) -> None:
    assert merge(some, gap) == reference.merge(some, gap)


@examples(100)
@given(intervals, st.integers(0, 6), st.randoms(use_true_random=False))
def test_order_is_irrelevant(some: list[tuple[int, int]], gap: int, random: object) -> None:
    shuffled = list(some)
    random.shuffle(shuffled)  # type: ignore[attr-defined]
    assert merge(shuffled, gap)[0] == merge(some, gap)[0]


@pytest.mark.parametrize(
    ("some", "gap", "unions"),
    [
        ([], 3, []),
        ([(2, 5)], 3, [(2, 5)]),
        ([(0, 2), (2, 4)], 0, [(0, 4)]),
        ([(0, 2), (3, 4)], 1, [(0, 2), (3, 4)]),
        ([(0, 2), (3, 4)], 2, [(0, 4)]),
        ([(5, 6), (0, 9), (7, 8)], 0, [(0, 9)]),
        ([(0, 2), (5, 6)], 3, [(0, 2), (5, 6)]),
        ([(0, 2), (5, 6)], 4, [(0, 6)]),
    ],
)
def test_by_hand(some: list[tuple[int, int]], gap: int, unions: list[tuple[int, int]]) -> None:
    assert merge(some, gap)[0] == unions
