"""The histogram of a pack as numbers, a line of text and a drawing."""

from __future__ import annotations

import re
import sys
import xml.etree.ElementTree as ET
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import reference
from strategies import examples
from templatemine.errors import MissingExtraError, pip_line
from templatemine.mining.cutoff import energy_border, energy_curve
from templatemine.model import Cutoff, Template
from templatemine.packs.pack import Pack
from templatemine.report.charts import COLOURS, days_spec, draw_svg, histogram_spec
from templatemine.report.histogram import BARS, PLAIN_BARS, Histogram, histogram_of, sparkline

GOLDEN = Path(__file__).resolve().parents[1] / "golden" / "lantern"


@given(st.lists(st.integers(0, 50), min_size=2, max_size=12))
@examples(100)
def test_energy_curve(counts: list[int]) -> None:
    bins = len(counts)
    expected = [
        min(
            reference.energy(counts, x, twice - x)
            for x in range(max(0, twice - bins + 1), bins)
            if x < twice - x < bins
        )
        for twice in range(1, 2 * bins - 2)
    ]
    column = np.array(counts, np.int64)
    assert energy_curve(column).tolist() == expected
    border, energy = energy_border(column)
    assert energy_curve(column)[round(2 * border) - 1] == energy


def test_the_golden_packs_have_both_kinds() -> None:
    cut = [Pack.load(GOLDEN / f"{name}.pack.json").cutoff.df is None for name in ("learned", "thesis")]
    assert cut == [True, False]


@pytest.mark.parametrize("name", ["learned", "energy", "thesis"])
def test_of_a_pack(name: str) -> None:
    pack = Pack.load(GOLDEN / f"{name}.pack.json")
    found = histogram_of(pack)
    assert found.counts == pack.cutoff.histogram
    assert sum(found.templates) == sum(not one.slot for one in pack.templates)
    assert all(kept <= count for kept, count in zip(found.templates, found.counts, strict=True))
    assert min(found.energies) == 1
    assert found.least == found.borders[found.energies.index(1)]
    if pack.cutoff.df is None:
        assert found.cutoff is None
    else:
        assert found.cutoff is not None
        # What was cut is the first whole document above the border.
        assert pack.cutoff.df is not None
        assert found.cutoff == pack.cutoff.df / pack.documents
        assert 0 <= found.cutoff - found.least <= 0.01 + 1 / pack.documents


def test_a_string_counts_once_with_its_slot_or_without() -> None:
    def of(df: int, *tokens: str, anchor: str = "line") -> Template:
        return Template(id="", regex="", tokens=tokens, df=df, count=df, example="", anchor=anchor)

    pack = Pack.load(GOLDEN / "learned.pack.json")
    cutoff = Cutoff(method="score", df=None, share=None, energy=None, histogram=(9, 9, 9, 9), note="")
    templates = (
        of(5, "Photo", "by", "{slot:names}"),
        of(15, "{slot:40}", "story."),
        of(25, "Read", "more:"),
        of(25, "Read", "more:", "{slot}"),
        of(25, "{slot}", "Read", "more:"),
    )
    found = histogram_of(replace(pack, documents=40, cutoff=cutoff, templates=templates))
    assert found.templates == (1, 1, 1, 0)


@pytest.mark.parametrize("counts", [(), (0, 0, 0), (5,)])
def test_nothing_to_see(counts: tuple[int, ...]) -> None:
    pack = Pack.load(GOLDEN / "learned.pack.json")
    cutoff = Cutoff(method="none", df=None, share=None, energy=None, histogram=counts, note="")
    found = histogram_of(replace(pack, cutoff=cutoff, templates=()))
    assert (found.counts, found.energies, found.least) == (counts, (), None)
    pytest.importorskip("vl_convert")
    assert draw_svg(histogram_spec(found)).startswith("<svg")


@given(st.lists(st.integers(0, 10**9), max_size=130), st.integers(1, 60), st.sampled_from([BARS, PLAIN_BARS]))
@examples(100)
def test_sparkline(counts: list[int], columns: int, bars: str) -> None:
    line = sparkline(counts, columns, bars)
    assert len(line) <= columns
    assert set(line) <= set(bars)
    merged = -(-len(counts) // columns) or 1
    sums = [sum(counts[place : place + merged]) for place in range(0, len(counts), merged)]
    assert [char == " " for char in line] == [not value for value in sums]
    if any(sums):
        assert line[sums.index(max(sums))] == bars[-1]
    heights = [bars.index(char) for char in line]
    order = sorted(range(len(sums)), key=sums.__getitem__)
    assert [heights[place] for place in order] == sorted(heights)


EXAMPLE = Histogram(
    counts=(90, 9, 0, 1),
    templates=(0, 3, 0, 1),
    borders=(0.125, 0.25, 0.375, 0.5, 0.625),
    energies=(1.5, 1.0, 3.0, 20.0, 200.0),
    least=0.25,
    cutoff=0.5,
)


def test_drawing() -> None:
    pytest.importorskip("vl_convert")
    for histogram, rules in ((EXAMPLE, "var(--chart-cutoff)"), (replace(EXAMPLE, cutoff=None), "var(--chart-energy)")):
        drawn = draw_svg(histogram_spec(histogram))
        root = ET.fromstring(drawn)
        assert not any({"id", "style"} & set(one.attrib) for one in root.iter())
        assert not {one.tag.rpartition("}")[2] for one in root.iter()} & {"script", "style", "image", "use", "a"}
        colours = {value for one in root.iter() for name, value in one.attrib.items() if name in ("fill", "stroke")}
        assert rules in colours
        assert colours <= {"none", *(f"var({name})" for name in COLOURS)}
        assert len(drawn) < 25_000


def test_days() -> None:
    pytest.importorskip("vl_convert")
    periods = [("2024-01-01", "2024-01-08"), ("2024-01-08", "2024-01-15")]
    drawn = draw_svg(days_spec(periods, [5, 9], [3, 9]))
    assert "documents" in drawn
    assert "var(--chart-template)" in drawn
    assert draw_svg(days_spec([], [], [])).startswith("<svg")


def test_the_same_drawing_every_time() -> None:
    pytest.importorskip("vl_convert")
    assert draw_svg(histogram_spec(EXAMPLE)) == draw_svg(histogram_spec(EXAMPLE))


def test_without_the_library(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "vl_convert", None)
    with pytest.raises(MissingExtraError, match=re.escape(pip_line("report"))):
        draw_svg(histogram_spec(EXAMPLE))
