"""Pack -> the histogram over document frequency, its cut-off and energy curve (figure 3.2 of the thesis), as numbers.

`charts.histogram_spec` draws them, `sparkline` makes a line of text.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from templatemine.packs.pack import Pack

BARS, PLAIN_BARS = " ▁▂▃▄▅▆▇█", " .:-=+*#@"
"""Bars from empty to full, for terminals with and without Unicode."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Histogram:
    """Strings of a source by their share of documents.

    Attributes
    ----------
    counts, templates : tuple of int
        Strings in each bin, and those of them that became templates; bin i holds shares in (i/bins, (i+1)/bins].
    borders, energies : tuple of float
        Equation 3.1, plus one, in multiples of its least value, at each border between two centres, which is a share of
        documents; empty where nothing was counted.
    least : float or None
        The border of least energy, as a share of documents.
    cutoff : float or None
        The cut-off, as a share of documents; None if scores decided, or if there was no cut-off.
    """

    counts: tuple[int, ...]
    templates: tuple[int, ...]
    borders: tuple[float, ...]
    energies: tuple[float, ...]
    least: float | None
    cutoff: float | None


def histogram_of(pack: Pack) -> Histogram:
    """Return the histogram of a pack and its energy curve. Costs a few milliseconds."""
    # Each string counts once, whether it has templates with a slot, without one, or both.
    return count_strings(pack, {one.string: one.df for one in pack.templates if one.tokens is not None})


def count_strings(pack: Pack, strings: Mapping[object, int]) -> Histogram:
    """Return the histogram of a pack whose templates have some strings, in so many documents each."""
    import numpy as np

    from templatemine.mining.cutoff import energy_border, energy_curve

    counts = tuple(max(count, 0) for count in pack.cutoff.histogram)
    bins, documents = len(counts), max(pack.documents, 1)
    found: Counter[int] = Counter()
    for df, number in Counter(strings.values()).items():
        found[min(max(math.ceil(df * bins / documents) - 1, 0), bins - 1)] += number
    borders: tuple[float, ...] = ()
    energies: tuple[float, ...] = ()
    least = None
    if bins >= 2 and any(counts):
        column = np.array(counts, np.int64)
        curve = energy_curve(column)
        energies = tuple(((curve + 1) / (float(curve.min()) + 1)).tolist())
        borders = tuple(((np.arange(len(curve)) + 1) / (2 * bins)).tolist())
        least = energy_border(column)[0] / bins
    return Histogram(
        counts=counts,
        templates=tuple(min(found[place], count) for place, count in enumerate(counts)),
        borders=borders,
        energies=energies,
        least=least,
        cutoff=pack.cutoff.df / documents if pack.cutoff.df is not None else None,
    )


def sparkline(counts: Sequence[float], columns: int, bars: str = BARS, *, log: bool = True) -> str:
    """Draw counts as a line of text; neighbours are added up to fit into `columns`.

    The maximum is a full bar, and every count above zero is visible.
    """
    if not counts or columns < 1:
        return ""
    merged = -(-len(counts) // columns)
    sums = [sum(counts[place : place + merged]) for place in range(0, len(counts), merged)]
    heights = [math.log1p(value) if log else float(value) for value in sums]
    top = max(heights) or 1.0
    return "".join(bars[math.ceil((len(bars) - 1) * height / top)] for height in heights)
