"""Which strings stand in which sources."""

from __future__ import annotations

from dataclasses import fields

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from strategies import examples
from templatemine import _core
from templatemine.mining.cross_source import gather


def columns(*pairs: tuple[int, float]) -> tuple[np.ndarray, np.ndarray]:
    rows = sorted(pairs)
    return np.array([key for key, _ in rows], np.uint64), np.array([rate for _, rate in rows], np.float32)


def test_counts_and_rates_of_other_sources() -> None:
    a, b, c = columns((1, 0.5), (2, 0.1)), columns((2, 0.3), (3, 0.2)), columns((2, 0.2), (9, 0.7))
    peers = gather([a[0], b[0], c[0]], [a[1], b[1], c[1]], [a[1] / 2, b[1] / 3, c[1] / 4])
    assert peers.others(a[0]).tolist() == [0, 2]
    assert peers.others(b[0]).tolist() == [2, 0]
    assert np.allclose(peers.elsewhere(a[0], 0), [0.0, 0.3])
    assert np.allclose(peers.elsewhere(b[0], 1), [0.2, 0.0])  # its own rate is the greatest, so the second counts
    assert np.allclose(peers.elsewhere(c[0], 2), [0.3, 0.0])
    assert np.allclose(peers.in_prose_elsewhere(a[0], 0), [0.0, 0.1])
    assert np.allclose(peers.in_prose_elsewhere(b[0], 1), [0.05, 0.0])


def test_one_source_has_no_peers() -> None:
    keys, rates = columns((4, 0.5), (5, 0.25))
    peers = gather([keys], [rates], [rates])
    assert peers.others(keys).tolist() == [0, 0]
    assert peers.elsewhere(keys, 0).tolist() == [0.0, 0.0]


def test_nothing() -> None:
    assert len(gather([], [], []).hashes) == 0
    empty = np.empty(0, np.uint64), np.empty(0, np.float32)
    peers = gather([empty[0]], [empty[1]], [empty[1]])
    assert peers.others(empty[0]).tolist() == []


def test_equal_rates_in_two_sources() -> None:
    keys, rates = columns((7, 0.5))
    peers = gather([keys, keys], [rates, rates], [rates, rates])
    assert np.allclose(peers.elsewhere(keys, 0), [0.5])
    assert np.allclose(peers.elsewhere(keys, 1), [0.5])


@examples(300)
@given(st.lists(st.dictionaries(st.integers(0, 12), st.integers(1, 4)), max_size=6))
def test_peers_are_those_of_a_table(sources: list[dict[int, int]]) -> None:
    """Rates by hash and source, looked at one by one."""
    rows = [columns(*one.items()) for one in sources]
    peers = gather([keys for keys, _ in rows], [rates for _, rates in rows], [rates for _, rates in rows])
    table: dict[int, list[tuple[float, int]]] = {}
    for place, one in enumerate(sources):
        for key, rate in one.items():
            table.setdefault(key, []).append((-rate, place))
    expected = []
    for key, found in sorted(table.items()):
        (greatest, owner), *others = sorted(found)
        expected.append((key, len(found), owner, -greatest, -others[0][0] if others else 0))
    for jobs in (2, 3):
        wide = [keys << np.uint64(57) for keys, _ in rows]  # all over the range of hashes, so that each thread has some
        one, several = (gather(wide, [rates for _, rates in rows], [rates for _, rates in rows], n) for n in (1, jobs))
        for field in fields(one):
            assert np.array_equal(getattr(one, field.name), getattr(several, field.name)), field.name
    found_rows = (peers.hashes, peers.sources, peers.owner, peers.greatest, peers.second)
    assert list(zip(*(column.tolist() for column in found_rows), strict=True)) == expected


def test_hashes_that_do_not_ascend_are_refused() -> None:
    keys = np.array([2, 1], np.uint64)
    with pytest.raises(ValueError, match="expected ascending hashes"):
        _core.group_rates(keys, np.ones(2, np.float32), np.zeros(2, np.int32))
