"""The benchmark's own arithmetic: statistics, claims, the page of tables."""

from __future__ import annotations

import sys
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "bench"))

import harness  # noqa: E402
from figures import FIGURES  # noqa: E402
from harness import GROUPS, Bench, Claim, Figure, Measure, summarize_runs  # noqa: E402
from results_page import render_results  # noqa: E402

ROW = {"figure": "f", "data": "generated", "variant": ""}
OURS = {**ROW, "contender": "templatemine", **summarize_runs([2.0, 1.0, 4.0], [8_000_000] * 3), "peak_memory_mb": 10.0}
THEIRS = {**ROW, "contender": "other", **summarize_runs([1.0, 1.0], [8_000_000] * 2), "peak_memory_mb": 20.0}


def measure(work: Any, **options: Any) -> Measure:
    return Measure(figure="f", data="generated", contender="templatemine", work=work, **options)


def figure(*claims: Claim) -> Figure:
    return Figure(
        name="f", title="A figure", description="What it is.", measures=(measure(lambda bench: {}),), claims=claims
    )


RATIO = Claim(text="speed", value=lambda rows: rows.speed() / rows.speed("other"), goal=2.0, unit="x")


def test_statistics() -> None:
    facts = summarize_runs([2.0, 1.0, 4.0], [8_000_000, 2_000_000, 8_000_000])
    assert (facts["runs"], facts["min_s"], facts["median_s"]) == (3, 1.0, 2.0)
    assert (facts["mb_per_s"], facts["mb_per_s_best"], facts["megabytes"]) == (2.0, 4.0, 6.0)
    assert "mb_per_s" not in summarize_runs([1.0])


def test_runs(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr(harness, "WARM_BELOW", 0.0)
    given: list[int] = []
    bench = Bench(folder=tmp_path)
    record = bench.time(given.append, prepare=lambda: len(given), max_runs=3, size=5)
    assert (given, record["runs"]) == ([0, 1, 2], 3)
    monkeypatch.setattr(harness, "WARM_BELOW", 60.0)
    assert bench.time(lambda: None, max_runs=4)["runs"] == 4
    slow = bench.time(lambda: 2_000_000, max_runs=3)
    assert slow["megabytes"] == 2.0
    assert slow["peak_memory_mb"] >= slow["memory_before_mb"] > 5


def test_missing_contenders_are_told(tmp_path: Path) -> None:
    row = measure(lambda bench: {}, needs=("no_such_module_anywhere",))
    record = harness.measure_here(row, Bench(folder=tmp_path))
    assert record["missing"].startswith("no_such_module_anywhere: ")
    page = render_results([figure(RATIO)], [{**record, "contender": "other"}, OURS], {}, [])
    assert "missing: no_such_module_anywhere" in page
    assert "| f | generated | speed | >= 2 x |  |  | not measured |" in page


def test_claims() -> None:
    assert (RATIO.evaluate([OURS, THEIRS]), RATIO.evaluate([OURS, THEIRS], best=True)) == (0.5, 1.0)
    assert RATIO.evaluate([OURS]) is None
    assert RATIO.evaluate([OURS, {**ROW, "contender": "other", "failed": "x"}]) is None
    assert RATIO.is_met(2.0)
    assert not RATIO.is_met(1.9)
    assert replace(RATIO, at_least=False).is_met(1.9)


def test_the_page() -> None:
    crowded = {**THEIRS, "processor_share": 0.5}
    page = render_results([figure(RATIO)], [OURS, crowded], {"date": "today"}, ["a | note"])
    assert "- **date**: today" in page
    assert "| f | generated | speed | >= 2 x | 0.5 | 1 | **short** |" in page
    assert "- f, generated: speed: 0.5, asked >= 2 x" in page
    assert "- f, generated: other is 2 times as fast as we are" in page
    assert "got 50% of a processor" in page
    assert "| generated | other | 8 | 2 | 1 | 1 | 8 | 8 | 0.5 | 20 | got 50% of a processor |" in page
    assert "Nowhere, in these rows." in render_results([figure()], [OURS], {}, [])


def test_rows_have_names_of_their_own() -> None:
    rows = [row for one in FIGURES for row in one.measures]
    assert len({row.key for row in rows}) == len(rows)
    for one in FIGURES:
        assert {row.figure for row in one.measures} == {one.name}
        assert {row.data for row in one.measures} <= set(GROUPS)
        assert any(row.contender == one.reference for row in one.measures)
