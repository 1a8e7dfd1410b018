"""The quality gate: no figure falls below its floor, and no floor is lowered without the name of a figure and a reason.

    python bench/quality/floors.py check                       measure, compare, exit 1 if a figure is below its floor
    python bench/quality/floors.py raise                       measure, lift floors to what was measured, less epsilon
    python bench/quality/floors.py lower --figure NAME --reason "why"
                                                             let the floors of a figure fall to what it reaches now

Floors stand in tests/quality/floors.toml with the digest of the gold and inputs they were measured on, and with every
time one was lowered.  `raise` never lowers one and refuses inputs that have changed; `lower` is for both.  `--only
TEXT` takes figures whose name holds the text.  Figures of real archives are left out where these are missing; what
needs a package that is not installed is told and left out, too.
"""

from __future__ import annotations

import argparse
import sys
import time
import tomllib
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import date
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
if str(ROOT / "bench") not in sys.path:
    sys.path.insert(0, str(ROOT / "bench"))

from quality.archives import has_shared_archives  # noqa: E402
from quality.figures import FIGURES, UNITS, Figure  # noqa: E402
from templatemine.errors import MissingExtraError  # noqa: E402

__all__ = [
    "FLOORS",
    "Floors",
    "FloorCheck",
    "check_figure",
    "lower_floors",
    "main",
    "measure_figures",
    "raise_floors",
    "read_floors",
    "format_floors",
]

FLOORS = ROOT / "tests" / "quality" / "floors.toml"

HEAD = """\
# What every figure must reach, by bench/quality/floors.py; written by its commands `raise` and `lower`, not by hand.
# A floor is what was measured, less the epsilon of its unit; a ceiling (where less is better) that plus epsilon.
"""


@dataclass(frozen=True, kw_only=True)
class Floors:
    """The floors of all figures, as they stand in the file.

    Attributes
    ----------
    epsilon : mapping
        Unit -> how far below what was measured a floor lies.
    digests : mapping
        Figure -> digest of what it is measured on.
    bounds : mapping
        Figure -> value -> floor, or ceiling where less is better.
    lowered : tuple
        Each time a floor was let down: date, figure, reason, and the bounds before and after.
    """

    epsilon: Mapping[str, float]
    digests: Mapping[str, str] = field(default_factory=dict)
    bounds: Mapping[str, Mapping[str, float]] = field(default_factory=dict)
    lowered: tuple[Mapping[str, str], ...] = ()


@dataclass(frozen=True, kw_only=True)
class FloorCheck:
    """The comparison of a figure with its floors; `violations` describes each value that is out of bounds."""

    name: str
    values: Mapping[str, float]
    violations: tuple[str, ...]


def read_floors(path: Path = FLOORS) -> Floors:
    """The file of floors."""
    table = tomllib.loads(path.read_text(encoding="utf-8"))
    figures = table.get("figure", {})
    return Floors(
        epsilon=table["epsilon"],
        digests={name: figure["digest"] for name, figure in figures.items()},
        bounds={
            name: {value: bound for value, bound in figure.items() if value != "digest"}
            for name, figure in figures.items()
        },
        lowered=tuple(table.get("lowered", ())),
    )


def format_floors(floors: Floors) -> str:
    """The file, as text."""
    lines = [HEAD, "[epsilon]"]
    lines += [f"{_quote(unit)} = {value:g}" for unit, value in floors.epsilon.items()]
    for name, bounds in floors.bounds.items():
        lines += ["", f"[figure.{_quote(name)}]", f"digest = {_quote(floors.digests[name])}"]
        lines += [f"{_quote(value)} = {bound:.5g}" for value, bound in bounds.items()]
    for row in floors.lowered:
        lines += ["", "[[lowered]]", *(f"{key} = {_quote(value)}" for key, value in row.items())]
    return "\n".join(lines) + "\n"


def _quote(text: str) -> str:
    return '"' + text.replace("\\", "\\\\").replace('"', '\\"') + '"'


# ------------------------------------------------------------------------------------------------------------- judging


def compare_with_floors(name: str, values: Mapping[str, float], digest: str, floors: Floors) -> FloorCheck:
    """Compare the values of a figure with its floors."""
    if name not in floors.bounds:
        return FloorCheck(name=name, values=values, violations=("has no floor yet: floors.py raise gives it one",))
    if digest != floors.digests[name]:
        violation = (
            f"is measured on other gold or inputs than its floors: digest {floors.digests[name][:12]}… expected, "
            f"{digest[:12]}… found; if that is meant: floors.py lower --figure '{name}' --reason '…'"
        )
        return FloorCheck(name=name, values=values, violations=(violation,))
    violations = []
    for value, bound in floors.bounds[name].items():
        if value not in values:
            violations.append(f"{value} is no longer measured")
        elif _is_worse(value, values[value], bound):
            word = "floor" if UNITS[value][1] else "ceiling"
            violations.append(f"{value} is {values[value]:.4f}, its {word} {bound:.4f}")
    return FloorCheck(name=name, values=values, violations=tuple(violations))


def _is_worse(value: str, measured: float, bound: float) -> bool:
    return measured < bound if UNITS[value][1] else measured > bound


def check_figure(name: str, floors: Floors, figures: Mapping[str, Figure] = FIGURES) -> FloorCheck:
    """Measure one figure and compare it with its floors."""
    figure = figures[name]
    return compare_with_floors(name, figure.measure(), figure.digest(), floors)


def _compute_bound(value: str, measured_value: float, floors: Floors) -> float:
    unit, more = UNITS[value]
    bound = measured_value - floors.epsilon[unit] if more else measured_value + floors.epsilon[unit]
    return float(f"{bound:.5g}")


def raise_floors(name: str, values: Mapping[str, float], digest: str, floors: Floors) -> Floors:
    """Floors with those of one figure lifted to what it reaches, less epsilon; none falls.

    Raises
    ------
    ValueError
        The figure has floors that were measured on something else.
    """
    if floors.digests.get(name, digest) != digest:
        raise ValueError("; ".join(compare_with_floors(name, values, digest, floors).violations))
    before = floors.bounds.get(name, {})
    after = {}
    for value, found in values.items():
        bound = _compute_bound(value, found, floors)
        after[value] = before[value] if value in before and not _is_worse(value, before[value], bound) else bound
    return _replace_floors(floors, name, {**before, **after}, digest)


def lower_floors(name: str, values: Mapping[str, float], digest: str, floors: Floors, reason: str, day: str) -> Floors:
    """Floors with those of one figure set to what it reaches now, and a record of it.

    Raises
    ------
    ValueError
        There is no reason.
    """
    if not reason.strip():
        raise ValueError("--reason: why may the floor fall?")
    after = {value: _compute_bound(value, found, floors) for value, found in values.items()}
    before = floors.bounds.get(name, {})
    if (before, floors.digests.get(name)) == (after, digest):
        return floors
    record = {
        "date": day,
        "figure": name,
        "reason": reason,
        "before": _format_bounds(before),
        "after": _format_bounds(after),
    }
    changed = _replace_floors(floors, name, after, digest)
    return Floors(
        epsilon=changed.epsilon,
        digests=changed.digests,
        bounds=changed.bounds,
        lowered=(*floors.lowered, record),
    )


def _format_bounds(bounds: Mapping[str, float]) -> str:
    return ", ".join(f"{value} {bound:.5g}" for value, bound in bounds.items())


def _replace_floors(floors: Floors, name: str, bounds: Mapping[str, float], digest: str) -> Floors:
    return Floors(
        epsilon=floors.epsilon,
        digests={**floors.digests, name: digest},
        bounds={**floors.bounds, name: bounds},
        lowered=floors.lowered,
    )


# ------------------------------------------------------------------------------------------------------------ commands


def measure_figures(
    names: Sequence[str], report: Callable[[str], object] = print
) -> dict[str, tuple[Mapping[str, float], str]]:
    """Values and digest of each figure that can be measured here."""
    measured: dict[str, tuple[Mapping[str, float], str]] = {}
    for name in names:
        figure = FIGURES[name]
        if figure.shared and not has_shared_archives():
            report(f"left out: {name}: the real archives (../shared) are not here")
            continue
        began = time.monotonic()
        try:
            values = figure.measure()
        except MissingExtraError as error:
            report(f"left out: {name}: {error}")
            continue
        measured[name] = (values, figure.digest())
        report(f"{time.monotonic() - began:5.1f} s  {name}: {_format_bounds(values)}")
    return measured


def _build_parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("command", choices=("check", "raise", "lower"))
    parser.add_argument("--only", metavar="TEXT", default="", help="figures whose name holds this")
    parser.add_argument("--figure", metavar="NAME", choices=FIGURES, help="whose floors may fall; for lower")
    parser.add_argument("--reason", metavar="TEXT", default="", help="why; for lower")
    parser.add_argument("--floors", metavar="FILE", type=Path, default=FLOORS, help="the file (default: %(default)s)")
    return parser


def main(arguments: Sequence[str] | None = None) -> int:
    """Command line; 1 if a figure is below its floor, 2 for wrong options."""
    parser = _build_parser()
    args = parser.parse_args(arguments)
    if args.command == "lower" and not (args.figure and args.reason.strip()):
        parser.error("lower needs --figure NAME and --reason TEXT")
    if args.command != "lower" and (args.figure or args.reason):
        parser.error("--figure and --reason are for lower")
    floors = read_floors(args.floors)
    names = [args.figure] if args.figure else [name for name in FIGURES if args.only in name]
    return _run_command(args, floors, measure_figures(names))


def _run_command(args: argparse.Namespace, floors: Floors, found: Mapping[str, tuple[Mapping[str, float], str]]) -> int:
    if args.command == "check":
        checks = [compare_with_floors(name, values, digest, floors) for name, (values, digest) in found.items()]
        for check in checks:
            for violation in check.violations:
                print(f"BELOW: {check.name}: {violation}")
        return int(any(check.violations for check in checks))
    code = 0
    for name, (values, digest) in found.items():
        try:
            if args.command == "raise":
                floors = raise_floors(name, values, digest, floors)
            else:
                floors = lower_floors(name, values, digest, floors, args.reason, date.today().isoformat())
        except ValueError as error:
            print(f"NOT RAISED: {name}: {error}")
            code = 1
    order = [name for name in FIGURES if name in floors.bounds]
    floors = Floors(
        epsilon=floors.epsilon,
        digests=floors.digests,
        bounds={name: floors.bounds[name] for name in order},
        lowered=floors.lowered,
    )
    args.floors.write_text(format_floors(floors), encoding="utf-8")
    return code


if __name__ == "__main__":
    sys.exit(main())
