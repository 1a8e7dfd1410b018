"""The gate: no figure falls below its floor, and no floor falls unless someone says so by name, with a reason.

    python bench/quality/gate.py check                       measure, compare, exit 1 if a figure is below its floor
    python bench/quality/gate.py raise                       measure, lift floors to what was measured, less epsilon
    python bench/quality/gate.py lower --figure NAME --reason "why"
                                                             let the floors of a figure fall to what it reaches now

Floors stand in tests/quality/floors.toml with the digest of the gold and inputs they were measured on, and with every
time one was lowered.  `raise` never lowers one and refuses inputs that have changed; `lower` is for both.  `--only TEXT`
takes figures whose name holds the text.  Figures of real archives are left out where these are missing; what needs a
package that is not installed is told and left out, too.
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

from quality.archives import shared_is_there  # noqa: E402
from quality.figures import FIGURES, UNITS, Figure  # noqa: E402
from templatemine.errors import MissingExtraError  # noqa: E402

__all__ = ["FLOORS", "Floors", "Verdict", "check", "lower", "main", "measured", "raised", "read", "written"]

FLOORS = ROOT / "tests" / "quality" / "floors.toml"

HEAD = """\
# What every figure must reach, by bench/quality/gate.py; written by its commands `raise` and `lower`, not by hand.
# A floor is what was measured, less the epsilon of its unit; a ceiling (where less is better) that plus epsilon.
"""


@dataclass(frozen=True, kw_only=True)
class Floors:
    """Content of the file.

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
class Verdict:
    """A figure against its floors; `trouble` lists in words what is wrong."""

    name: str
    values: Mapping[str, float]
    trouble: tuple[str, ...]


def read(path: Path = FLOORS) -> Floors:
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


def written(floors: Floors) -> str:
    """The file, as text."""
    lines = [HEAD, "[epsilon]"]
    lines += [f"{_quoted(unit)} = {value:g}" for unit, value in floors.epsilon.items()]
    for name, bounds in floors.bounds.items():
        lines += ["", f"[figure.{_quoted(name)}]", f"digest = {_quoted(floors.digests[name])}"]
        lines += [f"{_quoted(value)} = {bound:.5g}" for value, bound in bounds.items()]
    for row in floors.lowered:
        lines += ["", "[[lowered]]", *(f"{key} = {_quoted(value)}" for key, value in row.items())]
    return "\n".join(lines) + "\n"


def _quoted(text: str) -> str:
    return '"' + text.replace("\\", "\\\\").replace('"', '\\"') + '"'


# ------------------------------------------------------------------------------------------------------------- judging


def judge(name: str, values: Mapping[str, float], digest: str, floors: Floors) -> Verdict:
    """What is wrong with a figure."""
    if name not in floors.bounds:
        return Verdict(name=name, values=values, trouble=("has no floor yet: gate.py raise gives it one",))
    if digest != floors.digests[name]:
        trouble = (
            f"is measured on other gold or inputs than its floors: digest {floors.digests[name][:12]}… expected, "
            f"{digest[:12]}… found; if that is meant: gate.py lower --figure '{name}' --reason '…'"
        )
        return Verdict(name=name, values=values, trouble=(trouble,))
    wrong = []
    for value, bound in floors.bounds[name].items():
        if value not in values:
            wrong.append(f"{value} is no longer measured")
        elif _worse(value, values[value], bound):
            word = "floor" if UNITS[value][1] else "ceiling"
            wrong.append(f"{value} is {values[value]:.4f}, its {word} {bound:.4f}")
    return Verdict(name=name, values=values, trouble=tuple(wrong))


def _worse(value: str, one: float, other: float) -> bool:
    return one < other if UNITS[value][1] else one > other


def check(name: str, floors: Floors, figures: Mapping[str, Figure] = FIGURES) -> Verdict:
    """Measure one figure and judge it."""
    figure = figures[name]
    return judge(name, figure.measure(), figure.digest(), floors)


def _bound(value: str, measured_value: float, floors: Floors) -> float:
    unit, more = UNITS[value]
    bound = measured_value - floors.epsilon[unit] if more else measured_value + floors.epsilon[unit]
    return float(f"{bound:.5g}")


def raised(name: str, values: Mapping[str, float], digest: str, floors: Floors) -> Floors:
    """Floors with those of one figure lifted to what it reaches, less epsilon; none falls.

    Raises
    ------
    ValueError
        The figure has floors that were measured on something else.
    """
    if floors.digests.get(name, digest) != digest:
        raise ValueError("; ".join(judge(name, values, digest, floors).trouble))
    before = floors.bounds.get(name, {})
    after = {}
    for value, found in values.items():
        bound = _bound(value, found, floors)
        after[value] = before[value] if value in before and not _worse(value, before[value], bound) else bound
    return _replaced(floors, name, {**before, **after}, digest)


def lower(name: str, values: Mapping[str, float], digest: str, floors: Floors, reason: str, day: str) -> Floors:
    """Floors with those of one figure set to what it reaches now, and a record of it.

    Raises
    ------
    ValueError
        There is no reason.
    """
    if not reason.strip():
        raise ValueError("--reason: why may the floor fall?")
    after = {value: _bound(value, found, floors) for value, found in values.items()}
    before = floors.bounds.get(name, {})
    if (before, floors.digests.get(name)) == (after, digest):
        return floors
    record = {"date": day, "figure": name, "reason": reason, "before": _told(before), "after": _told(after)}
    changed = _replaced(floors, name, after, digest)
    return Floors(
        epsilon=changed.epsilon,
        digests=changed.digests,
        bounds=changed.bounds,
        lowered=(*floors.lowered, record),
    )


def _told(bounds: Mapping[str, float]) -> str:
    return ", ".join(f"{value} {bound:.5g}" for value, bound in bounds.items())


def _replaced(floors: Floors, name: str, bounds: Mapping[str, float], digest: str) -> Floors:
    return Floors(
        epsilon=floors.epsilon,
        digests={**floors.digests, name: digest},
        bounds={**floors.bounds, name: bounds},
        lowered=floors.lowered,
    )


# ------------------------------------------------------------------------------------------------------------ commands


def measured(names: Sequence[str], say: Callable[[str], object] = print) -> dict[str, tuple[Mapping[str, float], str]]:
    """Values and digest of each figure that can be measured here."""
    found: dict[str, tuple[Mapping[str, float], str]] = {}
    for name in names:
        figure = FIGURES[name]
        if figure.shared and not shared_is_there():
            say(f"left out: {name}: the real archives (../shared) are not here")
            continue
        began = time.monotonic()
        try:
            values = figure.measure()
        except MissingExtraError as error:
            say(f"left out: {name}: {error}")
            continue
        found[name] = (values, figure.digest())
        say(f"{time.monotonic() - began:5.1f} s  {name}: {_told(values)}")
    return found


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("command", choices=("check", "raise", "lower"))
    parser.add_argument("--only", metavar="TEXT", default="", help="figures whose name holds this")
    parser.add_argument("--figure", metavar="NAME", choices=FIGURES, help="whose floors may fall; for lower")
    parser.add_argument("--reason", metavar="TEXT", default="", help="why; for lower")
    parser.add_argument("--floors", metavar="FILE", type=Path, default=FLOORS, help="the file (default: %(default)s)")
    return parser


def main(arguments: Sequence[str] | None = None) -> int:
    """Command line; 1 if a figure is below its floor, 2 for wrong options."""
    parser = _parser()
    args = parser.parse_args(arguments)
    if args.command == "lower" and not (args.figure and args.reason.strip()):
        parser.error("lower needs --figure NAME and --reason TEXT")
    if args.command != "lower" and (args.figure or args.reason):
        parser.error("--figure and --reason are for lower")
    floors = read(args.floors)
    names = [args.figure] if args.figure else [name for name in FIGURES if args.only in name]
    return _act(args, floors, measured(names))


def _act(args: argparse.Namespace, floors: Floors, found: Mapping[str, tuple[Mapping[str, float], str]]) -> int:
    if args.command == "check":
        verdicts = [judge(name, values, digest, floors) for name, (values, digest) in found.items()]
        for verdict in verdicts:
            for trouble in verdict.trouble:
                print(f"BELOW: {verdict.name}: {trouble}")
        return int(any(verdict.trouble for verdict in verdicts))
    code = 0
    for name, (values, digest) in found.items():
        try:
            if args.command == "raise":
                floors = raised(name, values, digest, floors)
            else:
                floors = lower(name, values, digest, floors, args.reason, date.today().isoformat())
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
    args.floors.write_text(written(floors), encoding="utf-8")
    return code


if __name__ == "__main__":
    sys.exit(main())
