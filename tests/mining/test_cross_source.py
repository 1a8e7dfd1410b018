"""Which strings stand in which sources."""

from __future__ import annotations

from dataclasses import fields

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from strategies import examples
from templatemine import _core
from templatemine.mining.cross_source import SourceRates, gather


def columns(*pairs: tuple[int, float], prose: float = 1.0) -> SourceRates:
    rows = sorted(pairs)
    rates = np.array([rate for _, rate in rows], np.float32)
    return SourceRates(np.array([key for key, _ in rows], np.uint64), rates, rates * np.float32(prose))


def test_counts_and_rates_of_other_sources() -> None:
    a = columns((1, 0.5), (2, 0.1), prose=1 / 2)
    b = columns((2, 0.3), (3, 0.2), prose=1 / 3)
    c = columns((2, 0.2), (9, 0.7), prose=1 / 4)
    table = gather([a, b, c])
    of_a, of_b, of_c = (table.lookup(one.hashes, number) for number, one in enumerate((a, b, c)))
    assert of_a.sources.tolist() == [0, 2]
    assert of_b.sources.tolist() == [2, 0]
    assert np.allclose(of_a.rates, [0.0, 0.3])
    assert np.allclose(of_b.rates, [0.2, 0.0])  # its own rate is the greatest, so the second counts
    assert np.allclose(of_c.rates, [0.3, 0.0])
    assert np.allclose(of_a.prose_rates, [0.0, 0.1])
    assert np.allclose(of_b.prose_rates, [0.05, 0.0])


def test_of_one_source_alone_nothing_stands_elsewhere() -> None:
    alone = columns((4, 0.5), (5, 0.25))
    found = gather([alone]).lookup(alone.hashes, 0)
    assert found.sources.tolist() == [0, 0]
    assert found.rates.tolist() == [0.0, 0.0]


def test_nothing() -> None:
    assert len(gather([]).hashes) == 0
    assert gather([columns()]).lookup(columns().hashes, 0).sources.tolist() == []


def test_equal_rates_in_two_sources() -> None:
    one = columns((7, 0.5))
    table = gather([one, one])
    assert np.allclose(table.lookup(one.hashes, 0).rates, [0.5])
    assert np.allclose(table.lookup(one.hashes, 1).rates, [0.5])


def test_columns_of_some_strings() -> None:
    one, other = columns((1, 0.5), (4, 0.25), (7, 0.1)), columns((1, 0.3), (7, 0.4))
    found = gather([one, other]).lookup(one.hashes, 0)
    rows = np.flatnonzero(found.sources)
    again = found.take(rows).scatter(rows, len(one.hashes))
    for field in fields(found):
        assert np.array_equal(getattr(again, field.name), getattr(found, field.name)), field.name


@examples(300)
@given(st.lists(st.dictionaries(st.integers(0, 12), st.integers(1, 4)), max_size=6))
def test_rates_are_those_of_a_table(sources: list[dict[int, int]]) -> None:
    """Rates by hash and source, looked at one by one."""
    rows = [columns(*one.items()) for one in sources]
    gathered = gather(rows)
    table: dict[int, list[tuple[float, int]]] = {}
    for place, one in enumerate(sources):
        for key, rate in one.items():
            table.setdefault(key, []).append((-rate, place))
    expected = []
    for key, found in sorted(table.items()):
        (greatest, owner), *others = sorted(found)
        expected.append((key, len(found), owner, -greatest, -others[0][0] if others else 0))
    for jobs in (2, 3):
        # All over the range of hashes, so that each thread has some.
        wide = [row._replace(hashes=row.hashes << np.uint64(57)) for row in rows]
        one, several = (gather(wide, number) for number in (1, jobs))
        for field in fields(one):
            assert np.array_equal(getattr(one, field.name), getattr(several, field.name)), field.name
    found_rows = (gathered.hashes, gathered.sources, gathered.owner, gathered.greatest, gathered.second)
    assert list(zip(*(column.tolist() for column in found_rows), strict=True)) == expected


def test_hashes_that_do_not_ascend_are_refused() -> None:
    keys = np.array([2, 1], np.uint64)
    with pytest.raises(ValueError, match="expected ascending hashes"):
        _core.group_rates(keys, np.ones(2, np.float32), np.zeros(2, np.int32))
