"""The gate: every figure against its floor, and that floors fall only when someone says so."""

from __future__ import annotations

import sys
import tomllib
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "bench"))

from quality import gate  # noqa: E402
from quality.archives import shared_is_there  # noqa: E402
from quality.figures import FIGURES, UNITS, Figure  # noqa: E402
from quality.gate import Floors, check, judge, lower, raised, read, written  # noqa: E402
from templatemine.errors import MissingExtraError  # noqa: E402

SLOW = [
    pytest.param(name, marks=[pytest.mark.slow] if figure.shared else [], id=name) for name, figure in FIGURES.items()
]


@pytest.mark.parametrize("name", SLOW)
def test_no_figure_is_below_its_floor(name: str) -> None:
    if FIGURES[name].shared and not shared_is_there():
        pytest.skip("the real archives (../shared) are not here")
    try:
        verdict = check(name, read())
    except MissingExtraError as error:
        pytest.skip(str(error))
    assert not verdict.trouble, f"{name}: {'; '.join(verdict.trouble)}"


def test_every_figure_has_floors_and_every_floor_a_figure() -> None:
    floors = read()
    assert set(floors.bounds) == set(floors.digests) == set(FIGURES)
    for name, bounds in floors.bounds.items():
        assert bounds, name
        assert set(bounds) <= set(UNITS)
    assert set(floors.epsilon) == {unit for unit, _ in UNITS.values()}
    for row in floors.lowered:
        assert row["reason"].strip()
        assert row["figure"] in FIGURES


def test_the_file_is_as_the_gate_writes_it() -> None:
    assert gate.FLOORS.read_text(encoding="utf-8") == written(read())


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
    (found,) = judge("one", values, digest, FLOORS).trouble or ("",)
    assert trouble in found
    assert bool(trouble) == bool(found)


def test_a_figure_without_floors_is_told() -> None:
    assert judge("two", {"f1": 1.0}, "d1", FLOORS).trouble == ("has no floor yet: gate.py raise gives it one",)
    figure = Figure(measure=lambda: {"f1": 0.5, "loss": 0.0}, digest=lambda: "d1", shared=False)
    assert check("one", FLOORS, {"one": figure}).trouble == ("f1 is 0.5000, its floor 0.8000",)


def test_floors_rise_and_never_fall() -> None:
    up = raised("one", {"f1": 0.9, "loss": 0.02}, "d1", FLOORS)
    assert up.bounds["one"] == {"f1": 0.895, "loss": 0.01}
    assert raised("one", {"f1": 0.5, "loss": 0.002}, "d1", up).bounds["one"] == {"f1": 0.895, "loss": 0.0025}
    assert raised("two", {"recall": 0.5}, "d9", FLOORS).bounds["two"] == {"recall": 0.495}
    with pytest.raises(ValueError, match="other gold or inputs"):
        raised("one", {"f1": 0.9, "loss": 0.0}, "d2", FLOORS)


def test_floors_are_lowered_by_name_and_with_a_reason() -> None:
    down = lower("one", {"f1": 0.7, "loss": 0.02}, "d2", FLOORS, "another tokeniser", "2026-01-01")
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
    assert lower("one", {"f1": 0.7, "loss": 0.02}, "d2", down, "again", "2026-01-02") == down
    with pytest.raises(ValueError, match="reason"):
        lower("one", {"f1": 0.7, "loss": 0.02}, "d1", FLOORS, " ", "2026-01-01")


def test_the_file_is_read_as_it_was_written(tmp_path: Path) -> None:
    file = tmp_path / "floors.toml"
    down = lower("one", {"f1": 0.7, "loss": 0.02}, "d2", FLOORS, 'so "they" say \\o/', "2026-01-01")
    file.write_text(written(down), encoding="utf-8")
    assert read(file) == down
    assert tomllib.loads(written(down))["lowered"][0]["reason"] == 'so "they" say \\o/'


# ------------------------------------------------------------------------------------------------------------- commands


@pytest.fixture
def figures(monkeypatch: pytest.MonkeyPatch) -> dict[str, Figure]:
    """Two figures of a moment in place of the real ones."""
    found = {
        "one": Figure(measure=lambda: {"f1": 0.9, "loss": 0.0}, digest=lambda: "d1", shared=False),
        "two": Figure(measure=lambda: {"f1": 0.5}, digest=lambda: "d1", shared=False),
    }
    monkeypatch.setattr(gate, "FIGURES", found)
    return found


def test_commands(figures: dict[str, Figure], tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file = tmp_path / "floors.toml"
    file.write_text(written(FLOORS), encoding="utf-8")
    options = ["--floors", str(file)]
    assert gate.main(["check", *options]) == 1
    assert "BELOW: two: has no floor yet" in capsys.readouterr().out
    assert gate.main(["raise", *options]) == 0
    assert gate.main(["check", *options]) == 0
    assert read(file).bounds == {"one": {"f1": 0.895, "loss": 0.0005}, "two": {"f1": 0.495}}
    figures["two"] = replace(figures["two"], measure=lambda: {"f1": 0.4})
    assert gate.main(["check", *options, "--only", "two"]) == 1
    assert gate.main(["raise", *options]) == 0
    assert gate.main(["check", *options]) == 1
    assert gate.main(["lower", *options, "--figure", "two", "--reason", "because"]) == 0
    assert gate.main(["check", *options]) == 0
    assert [row["reason"] for row in read(file).lowered] == ["because"]
    figures["one"] = replace(figures["one"], digest=lambda: "d2")
    assert gate.main(["raise", *options]) == 1
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
        gate.main(args)
    assert end.value.code == 2
    assert "lower" in capsys.readouterr().err


def test_what_cannot_be_measured_is_told(
    figures: dict[str, Figure], monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def missing() -> Mapping[str, float]:
        raise MissingExtraError("pip install it")

    figures["one"] = replace(figures["one"], measure=missing)
    figures["two"] = replace(figures["two"], shared=True)
    monkeypatch.setattr(gate, "shared_is_there", lambda: False)
    assert gate.measured(list(figures)) == {}
    told = capsys.readouterr().out
    assert "left out: one: pip install it" in told
    assert "left out: two: the real archives (../shared) are not here" in told
