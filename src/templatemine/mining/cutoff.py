"""Repeats -> Cutoff: the histogram over df/n and where it is cut (steps 8 and 9 of the method, equation 3.1).

Equation 3.1 looks for two centres x < y on the bins and the border b_c = (x + y) / 2 between them that make the sum of
squared distances of all strings to the centre of their side least.  That is 2-means in one dimension on the histogram,
known as Otsu's threshold (1979) when the centres are free and as isodata (Ridler and Calvard 1978) with the border in
the middle.  All pairs of bins are tried; 100 bins make 4,950 pairs.

2-means cuts anything in two.  So the method "energy" first asks whether there is a second mode at all: the
likelihood ratio of the histogram against the best non-increasing one (Grenander 1956), with its distribution under "no
second mode" simulated from that fit.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from templatemine.mining.corpus import Repeats
from templatemine.model import Cutoff

BINS = 100
"""As in the thesis (step 9)."""
LEVEL, DRAWS, SEED = 0.01, 199, 1
"""Of the test for a second mode."""


def histogram(df: NDArray[np.int32], documents: int, bins: int) -> NDArray[np.int64]:
    """Count strings by share of documents: bin i counts df/n in (i/bins, (i+1)/bins]."""
    bin_index = -(-df.astype(np.int64) * bins // documents) - 1
    return np.bincount(bin_index, minlength=bins)[:bins].astype(np.int64)


def energy_border(counts: NDArray[np.int64]) -> tuple[float, float]:
    """Return the border b_c of least energy (equation 3.1) in bins, and that energy; ties go to the lowest border."""
    twice_border, energy = _pair_energies(counts)
    least_energy = energy.min()
    # Exact ties are rare but real (empty bins between the modes); sums of whole numbers compare exactly below 2^53.
    border = twice_border[energy == least_energy].min() / 2
    return float(border), float(least_energy)


def energy_curve(counts: NDArray[np.int64]) -> NDArray[np.float64]:
    """Return the least energy (equation 3.1) of all pairs of centres with the same border.

    Returns
    -------
    float64 array, shape (2 * bins - 3,)
        At the borders 0.5, 1, 1.5 ... bins - 1.5; its minimum is that of `energy_border`.
    """
    twice_border, energy = _pair_energies(counts)
    curve = np.full(max(2 * len(counts) - 3, 0), np.inf)
    np.minimum.at(curve, twice_border - 1, energy)
    return curve


def _pair_energies(counts: NDArray[np.int64]) -> tuple[NDArray[np.int64], NDArray[np.float64]]:
    """Return twice the border and the energy of each pair of centres x < y."""
    bins = len(counts)
    bin_index = np.arange(bins)
    # Sums of h, i h and i^2 h below each border, so that a side's energy is s2 - 2 c s1 + c^2 s0.
    below = np.concatenate(
        [np.zeros((3, 1)), np.cumsum(np.stack([counts, bin_index * counts, bin_index**2 * counts]), axis=1)], axis=1
    )
    x, y = np.triu_indices(bins, 1)
    twice_border = x + y
    first = (twice_border + 1) // 2  # i >= b_c begins at the next whole bin
    s0, s1, s2 = below[:, first]
    t0, t1, t2 = below[:, -1:] - below[:, first]
    energy = (s2 - 2 * x * s1 + x**2 * s0) + (t2 - 2 * y * t1 + y**2 * t0)
    return twice_border, energy


def least_df(border: float, documents: int, bins: int) -> int:
    """Return the smallest document frequency whose bin is at or above the border."""
    return int(np.ceil(border)) * documents // bins + 1


def bin_widths(documents: int, floor: int, bins: int) -> NDArray[np.int64]:
    """Count the document frequencies, from the floor up, of each bin: none below it, and unequal where n < bins."""
    return histogram(np.arange(floor, documents + 1, dtype=np.int32), documents, bins)


def non_increasing_fit(counts: NDArray[np.int64], widths: NDArray[np.int64]) -> NDArray[np.float64]:
    """Return the expected counts of the most likely histogram whose density does not increase (pool adjacent
    violators)."""
    sums: list[float] = []
    spans: list[float] = []
    sizes: list[int] = []
    for count, width in zip(counts.tolist(), widths.tolist(), strict=True):
        total, span, size = float(count), float(width), 1
        while sums and sums[-1] * span < total * spans[-1]:
            total += sums.pop()
            span += spans.pop()
            size += sizes.pop()
        sums.append(total)
        spans.append(span)
        sizes.append(size)
    return np.repeat(np.array(sums) / np.array(spans), sizes) * widths


def _likelihood_ratio(counts: NDArray[np.int64], widths: NDArray[np.int64]) -> float:
    fit = non_increasing_fit(counts, widths)
    filled = counts > 0
    return float(2 * np.sum(counts[filled] * np.log(counts[filled] / fit[filled])))


def second_mode_p(counts: NDArray[np.int64], widths: NDArray[np.int64]) -> float:
    """Return the share of simulated histograms without a second mode that look at least as bimodal as this one.

    Parametric bootstrap with a fixed seed: multinomial draws from the non-increasing fit.

    Parameters
    ----------
    counts, widths : int64 arrays of equal shape
        Strings in each bin, and document frequencies that fall into it; bins of no width are left out.
    """
    counts, widths = counts[widths > 0], widths[widths > 0]
    total = int(counts.sum())
    if total == 0:
        return 1.0
    observed = _likelihood_ratio(counts, widths)
    fit = non_increasing_fit(counts, widths)
    draws = np.random.default_rng(SEED).multinomial(total, fit / fit.sum(), size=DRAWS)
    return (1 + sum(_likelihood_ratio(draw, widths) >= observed for draw in draws)) / (1 + DRAWS)


def choose_cutoff(repeats: Repeats, documents: int, floor: int, *, gate: bool) -> Cutoff:
    """Cut the histogram of a source; with `gate` only if it has a second mode.

    Parameters
    ----------
    repeats : Repeats
        Maximal strings above the document floor.
    documents : int
        n, at least 1.
    floor : int
        Least document frequency of `repeats`.
    gate : bool
        False reproduces the thesis, which always cuts.
    """
    counts = histogram(repeats.df, documents, BINS)
    bin_counts = tuple(int(count) for count in counts)
    if len(repeats) == 0:
        return Cutoff(
            method="energy",
            df=None,
            share=None,
            energy=None,
            histogram=bin_counts,
            note="no string reaches the document floor",
        )
    border, energy = energy_border(counts)
    df = least_df(border, documents, BINS)
    test: dict[str, float | str] = {}
    if gate:
        p = second_mode_p(counts, bin_widths(documents, floor, BINS))
        test = {"test": "likelihood ratio against a non-increasing histogram", "p": round(p, 4), "level": LEVEL}
        if p > LEVEL:
            note = f"no second mode (p = {p:.3f} > {LEVEL})"
            return Cutoff(
                method="energy", df=None, share=None, energy=energy, histogram=bin_counts, note=note, second_mode=test
            )
    note = f"least energy at bin {border:g} of {BINS}"
    return Cutoff(
        method="energy", df=df, share=df / documents, energy=energy, histogram=bin_counts, note=note, second_mode=test
    )
