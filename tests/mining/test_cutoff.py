"""The cut-off of equation 3.1 against two loops, and the test for a second mode."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray

import reference
from strategies import examples
from templatemine.mining import cutoff as cutoff_module
from templatemine.mining.corpus import Repeats
from templatemine.mining.cutoff import (
    bin_widths,
    choose_cutoff,
    energy_border,
    histogram,
    least_df,
    non_increasing_fit,
    second_mode_p,
)

counts_of_bins = st.lists(st.one_of(st.just(0), st.integers(0, 9), st.integers(0, 10**6)), min_size=2, max_size=14)


def repeats_of(df: NDArray[np.int32]) -> Repeats:
    ones = np.ones(len(df), np.int32)
    return Repeats(rank=np.arange(len(df), dtype=np.int64), length=ones, count=df, df=df)


@examples(500)
@given(counts_of_bins)
def test_energy_is_that_of_the_double_loop(counts: list[int]) -> None:
    assert energy_border(np.array(counts, np.int64)) == reference.energy_border(counts)


def test_energy_of_a_hundred_bins() -> None:
    random = np.random.default_rng(1)
    counts = np.concatenate([random.integers(0, 10**6, 20), np.zeros(60, np.int64), random.integers(0, 50, 20)])
    assert energy_border(counts) == reference.energy_border(counts.tolist())


@pytest.mark.parametrize(
    ("counts", "border", "energy"),
    [
        ([0, 0], 0.5, 0),
        ([5, 5], 0.5, 0),
        ([1, 0, 0, 1], 1.5, 0),
        # All mass in one bin: any pair with a centre on it costs nothing, and the lowest border is taken.
        ([0, 0, 7, 0], 1.0, 0),
        ([7, 0, 0, 0], 0.5, 0),
        # A centre may lie between what it stands for.
        ([1, 0, 1, 0, 0, 0, 1, 0, 1], 4.0, 4),
    ],
)
def test_ties_go_to_the_lowest_border(counts: list[int], border: float, energy: float) -> None:
    assert reference.energy_border(counts) == (border, energy)
    assert energy_border(np.array(counts, np.int64)) == (border, energy)


@examples(300)
@given(st.integers(1, 400), st.integers(1, 120), st.data())
def test_bins_hold_what_lies_above_their_lower_edge(documents: int, bins: int, data: st.DataObject) -> None:
    df = data.draw(st.lists(st.integers(1, documents), max_size=20))
    expected = [0] * bins
    for one in df:
        expected[next(place for place in range(bins) if one * bins <= (place + 1) * documents)] += 1
    assert histogram(np.array(df, np.int32), documents, bins).tolist() == expected


@examples(300)
@given(st.integers(1, 400), st.integers(2, 120), st.data())
def test_least_document_frequency_is_the_first_of_its_bin(documents: int, bins: int, data: st.DataObject) -> None:
    border = data.draw(st.integers(1, 2 * bins - 3)) / 2
    least = least_df(border, documents, bins)
    above = [
        df
        for df in range(1, documents + 1)
        if np.flatnonzero(histogram(np.array([df], np.int32), documents, bins))[0] >= border
    ]
    assert least == min(above, default=documents + 1) or not above


@examples(200)
@given(st.integers(1, 300), st.integers(1, 20), st.integers(1, 100))
def test_widths_of_bins(documents: int, floor: int, bins: int) -> None:
    widths = bin_widths(documents, floor, bins)
    assert len(widths) == bins
    assert widths.sum() == max(documents - floor + 1, 0)


def best_fit(counts: list[int], widths: list[int]) -> list[float]:
    """Greatest non-increasing densities by the min-max formula (Robertson, Wright and Dykstra 1988).  O(n^3)."""

    def mean(a: int, b: int) -> float:
        return sum(counts[a:b]) / sum(widths[a:b])

    size = len(counts)
    return [widths[i] * min(max(mean(a, b) for b in range(i + 1, size + 1)) for a in range(i + 1)) for i in range(size)]


@examples(300)
@given(st.lists(st.tuples(st.integers(0, 50), st.integers(1, 5)), min_size=1, max_size=8))
def test_non_increasing_fit(bins: list[tuple[int, int]]) -> None:
    counts, widths = [count for count, _ in bins], [width for _, width in bins]
    fit = non_increasing_fit(np.array(counts), np.array(widths))
    assert fit.tolist() == pytest.approx(best_fit(counts, widths))
    assert fit.sum() == pytest.approx(sum(counts))


# ------------------------------------------------------------------------------------------------ modes that are known


def with_modes(second: int) -> NDArray[np.int32]:
    """Strings in 1000 documents: a power law from 3 documents up, and `second` strings in about 900."""
    random = np.random.default_rng(1)
    low = np.minimum(3 + random.pareto(1.5, 3000) * 3, 1000).astype(np.int32)
    high = random.integers(860, 940, second, dtype=np.int32)
    return np.concatenate([low[low < 400], high])


@pytest.mark.parametrize("gate", [False, True])
def test_a_histogram_of_known_modes_is_cut_between_them(gate: bool) -> None:
    df = with_modes(300)
    cutoff = choose_cutoff(repeats_of(df), 1000, 3, gate=gate)
    assert cutoff.df is not None
    assert 400 < cutoff.df <= 860
    assert cutoff.share == cutoff.df / 1000
    assert cutoff.histogram == tuple(histogram(df, 1000, 100).tolist())
    assert (cutoff.second_mode.get("p") == 1 / 200) == gate


def test_without_a_second_mode_nothing_is_cut() -> None:
    repeats = repeats_of(with_modes(0))
    cutoff = choose_cutoff(repeats, 1000, 3, gate=True)
    assert cutoff.df is None
    assert cutoff.share is None
    assert "no second mode" in cutoff.note
    assert choose_cutoff(repeats, 1000, 3, gate=False).df is not None


def test_the_test_for_a_second_mode_keeps_its_level(monkeypatch: pytest.MonkeyPatch) -> None:
    """Of histograms drawn from a power law about one in a hundred is taken for bimodal, not one in ten."""
    weights = 1.0 / np.arange(3, 1001) ** 2
    random = np.random.default_rng(2)
    widths = bin_widths(1000, 3, 100)
    monkeypatch.setattr(cutoff_module, "DRAWS", 99)
    values = []
    for _ in range(60):
        df = random.choice(np.arange(3, 1001), 500, p=weights / weights.sum()).astype(np.int32)
        values.append(second_mode_p(histogram(df, 1000, 100), widths))
    assert sum(value <= 0.05 for value in values) <= 8
    assert max(values) > 0.5


@pytest.mark.parametrize("gate", [False, True])
def test_nothing_to_cut(gate: bool) -> None:
    cutoff = choose_cutoff(repeats_of(np.empty(0, np.int32)), 10, 3, gate=gate)
    assert (cutoff.df, cutoff.energy, sum(cutoff.histogram)) == (None, None, 0)
    assert cutoff.note == "no string reaches the document floor"


@examples(50)
@given(st.integers(3, 40), st.data())
def test_the_cut_is_the_same_every_time_and_keeps_something(documents: int, data: st.DataObject) -> None:
    df = np.array(data.draw(st.lists(st.integers(1, documents), min_size=1, max_size=30)), np.int32)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(cutoff_module, "DRAWS", 19)
        first, second = (choose_cutoff(repeats_of(df), documents, 1, gate=True) for _ in range(2))
    assert first == second
    thesis = choose_cutoff(repeats_of(df), documents, 1, gate=False)
    assert thesis.df is not None
    assert thesis.df >= 1
