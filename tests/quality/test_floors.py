"""The quality gate: every figure against its floor; floors fall only with a reason."""

from __future__ import annotations

import sys
import tomllib
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "bench"))

from quality import floors as floors_script  # noqa: E402
from quality.archives import has_shared_archives  # noqa: E402
from quality.figures import FIGURES, UNITS, Figure  # noqa: E402
from quality.floors import (  # noqa: E402
    Floors,
    check_figure,
    compare_with_floors,
    format_floors,
    lower_floors,
    raise_floors,
    read_floors,
)
from templatemine.errors import MissingExtraError  # noqa: E402

COSTLY = ("generated near duplicates", "generated spans, energy", "generated injection", "generated mirror")
"""Figures that take seconds, of what changes seldom, and of what tests/mining and tests/evaluation hold, too; `make gate` takes all."""
NAMES = [
    # Those of the real archives take minutes.
    pytest.param(name, marks=[pytest.mark.slow] if figure.shared or name in COSTLY else [], id=name)
    for name, figure in FIGURES.items()
]


@pytest.mark.parametrize("name", NAMES)
def test_no_figure_is_below_its_floor(name: str) -> None:
    if FIGURES[name].shared and not has_shared_archives():
        pytest.skip("the real archives (../shared) are not here")
    try:
        verdict = check_figure(name, read_floors())
    except MissingExtraError as error:
        pytest.skip(str(error))
    assert not verdict.violations, f"{name}: {'; '.join(verdict.violations)}"


def test_every_figure_has_floors_and_every_floor_a_figure() -> None:
    floors = read_floors()
    assert set(floors.bounds) == set(floors.digests) == set(FIGURES)
    for name, bounds in floors.bounds.items():
        assert bounds, name
        assert set(bounds) <= set(UNITS)
    assert set(floors.epsilon) == {unit for unit, _ in UNITS.values()}
    for row in floors.lowered:
        assert row["reason"].strip()
        assert row["figure"] in FIGURES


def test_the_file_is_as_the_gate_writes_it() -> None:
    assert floors_script.FLOORS.read_text(encoding="utf-8") == format_floors(read_floors())


# --------------------------------------------------------------------------------------------------------- how it judges

FLOORS = Floors(
    epsilon={"share": 0.005, "loss": 0.0005, "per 10k": 2.0, "index": 0.05},
    digests={"one": "d1"},
    bounds={"one": {"f1": 0.8, "loss": 0.01}},
)


@pytest.mark.parametrize(
    ("values", "digest", "trouble"),
    [
        ({"f1": 0.8, "loss": 0.01}, "d1", ""),
        ({"f1": 0.9, "loss": 0.0}, "d1", ""),
        ({"f1": 0.79, "loss": 0.01}, "d1", "f1 is 0.7900, its floor 0.8000"),
        ({"f1": 0.8, "loss": 0.011}, "d1", "loss is 0.0110, its ceiling 0.0100"),
        ({"f1": 0.8}, "d1", "loss is no longer measured"),
        ({"f1": 0.9, "loss": 0.0}, "d2", "other gold or inputs than its floors: digest d1… expected, d2… found"),
    ],
)
def test_figures_are_judged(values: Mapping[str, float], digest: str, trouble: str) -> None:
    (found,) = compare_with_floors("one", values, digest, FLOORS).violations or ("",)
    assert trouble in found
    assert bool(trouble) == bool(found)


def test_a_figure_without_floors_is_told() -> None:
    assert compare_with_floors("two", {"f1": 1.0}, "d1", FLOORS).violations == (
        "has no floor yet: floors.py raise gives it one",
    )
    figure = Figure(measure=lambda: {"f1": 0.5, "loss": 0.0}, digest=lambda: "d1", shared=False)
    assert check_figure("one", FLOORS, {"one": figure}).violations == ("f1 is 0.5000, its floor 0.8000",)


def test_floors_rise_and_never_fall() -> None:
    up = raise_floors("one", {"f1": 0.9, "loss": 0.02}, "d1", FLOORS)
    assert up.bounds["one"] == {"f1": 0.895, "loss": 0.01}
    assert raise_floors("one", {"f1": 0.5, "loss": 0.002}, "d1", up).bounds["one"] == {"f1": 0.895, "loss": 0.0025}
    assert raise_floors("two", {"recall": 0.5}, "d9", FLOORS).bounds["two"] == {"recall": 0.495}
    with pytest.raises(ValueError, match="other gold or inputs"):
        raise_floors("one", {"f1": 0.9, "loss": 0.0}, "d2", FLOORS)


def test_floors_are_lowered_by_name_and_with_a_reason() -> None:
    down = lower_floors("one", {"f1": 0.7, "loss": 0.02}, "d2", FLOORS, "another tokeniser", "2026-01-01")
    assert down.bounds["one"] == {"f1": 0.695, "loss": 0.0205}
    assert down.digests["one"] == "d2"
    assert down.lowered == (
        {
            "date": "2026-01-01",
            "figure": "one",
            "reason": "another tokeniser",
            "before": "f1 0.8, loss 0.01",
            "after": "f1 0.695, loss 0.0205",
        },
    )
    assert lower_floors("one", {"f1": 0.7, "loss": 0.02}, "d2", down, "again", "2026-01-02") == down
    with pytest.raises(ValueError, match="reason"):
        lower_floors("one", {"f1": 0.7, "loss": 0.02}, "d1", FLOORS, " ", "2026-01-01")


def test_the_file_is_read_as_it_was_written(tmp_path: Path) -> None:
    file = tmp_path / "floors.toml"
    down = lower_floors("one", {"f1": 0.7, "loss": 0.02}, "d2", FLOORS, 'so "they" say \\o/', "2026-01-01")
    file.write_text(format_floors(down), encoding="utf-8")
    assert read_floors(file) == down
    assert tomllib.loads(format_floors(down))["lowered"][0]["reason"] == 'so "they" say \\o/'


# ------------------------------------------------------------------------------------------------------------- commands


@pytest.fixture
def figures(monkeypatch: pytest.MonkeyPatch) -> dict[str, Figure]:
    """Two figures of a moment in place of the real ones."""
    found = {
        "one": Figure(measure=lambda: {"f1": 0.9, "loss": 0.0}, digest=lambda: "d1", shared=False),
        "two": Figure(measure=lambda: {"f1": 0.5}, digest=lambda: "d1", shared=False),
    }
    monkeypatch.setattr(floors_script, "FIGURES", found)
    return found


def test_commands(figures: dict[str, Figure], tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file = tmp_path / "floors.toml"
    file.write_text(format_floors(FLOORS), encoding="utf-8")
    options = ["--floors", str(file)]
    assert floors_script.main(["check", *options]) == 1
    assert "BELOW: two: has no floor yet" in capsys.readouterr().out
    assert floors_script.main(["raise", *options]) == 0
    assert floors_script.main(["check", *options]) == 0
    assert read_floors(file).bounds == {"one": {"f1": 0.895, "loss": 0.0005}, "two": {"f1": 0.495}}
    figures["two"] = replace(figures["two"], measure=lambda: {"f1": 0.4})
    assert floors_script.main(["check", *options, "--only", "two"]) == 1
    assert floors_script.main(["raise", *options]) == 0
    assert floors_script.main(["check", *options]) == 1
    assert floors_script.main(["lower", *options, "--figure", "two", "--reason", "because"]) == 0
    assert floors_script.main(["check", *options]) == 0
    assert [row["reason"] for row in read_floors(file).lowered] == ["because"]
    figures["one"] = replace(figures["one"], digest=lambda: "d2")
    assert floors_script.main(["raise", *options]) == 1
    assert "NOT RAISED: one: is measured on other gold" in capsys.readouterr().out


@pytest.mark.parametrize(
    "args",
    [
        ["lower"],
        ["lower", "--figure", "one"],
        ["lower", "--figure", "one", "--reason", " "],
        ["raise", "--reason", "x"],
    ],
)
def test_lowering_needs_a_name_and_a_reason(
    figures: dict[str, Figure], args: list[str], capsys: pytest.CaptureFixture[str]
) -> None:
    with pytest.raises(SystemExit) as end:
        floors_script.main(args)
    assert end.value.code == 2
    assert "lower" in capsys.readouterr().err


def test_what_cannot_be_measured_is_told(
    figures: dict[str, Figure], monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def missing() -> Mapping[str, float]:
        raise MissingExtraError("pip install it")

    figures["one"] = replace(figures["one"], measure=missing)
    figures["two"] = replace(figures["two"], shared=True)
    monkeypatch.setattr(floors_script, "has_shared_archives", lambda: False)
    assert floors_script.measure_figures(list(figures)) == {}
    told = capsys.readouterr().out
    assert "left out: one: pip install it" in told
    assert "left out: two: the real archives (../shared) are not here" in told
