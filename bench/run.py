"""Runs the benchmarks: a process a row, JSON lines as figures are measured, and a page of tables at the end.

    python bench/run.py                          all figures: generated archives, and real ones where they are
    python bench/run.py --only tokens clean      some figures
    python bench/run.py --quick                  small archives and few runs: does it work, not how fast it is
    python bench/run.py --render FILE.jsonl      the tables of an earlier run

A full run writes bench/RESULTS.md and bench/results/DATE.jsonl; any other prints its tables and keeps its records in
build/bench/.  --results and --lines say otherwise.
"""

from __future__ import annotations

import argparse
import json
import shlex
import subprocess
import sys
import time
from collections.abc import Sequence
from datetime import date
from pathlib import Path
from typing import Any

from benchmark_archives import ROOT, describe, folder_of
from figures import FIGURES
from harness import (
    GROUPS,
    RUN_KINDS,
    Bench,
    Measure,
    append_record,
    explain_failure,
    measure_here,
    measure_in_turn,
    wait_for_turn,
)
from machine import describe_machine
from results_page import render_results

HERE = Path(__file__).resolve().parent
SHARED = ROOT.parent / "shared" / "data"
NAMES = tuple(figure.name for figure in FIGURES)


def _build_parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--only", nargs="+", metavar="NAME", choices=NAMES, default=NAMES, help=", ".join(NAMES))
    parser.add_argument("--quick", action="store_true", help="small archives, few runs")
    parser.add_argument("--slow", action="store_true", help="also rows that take minutes")
    for group in GROUPS:
        parser.add_argument(
            f"--{group}", dest="groups", action="append_const", const=group, help=f"only archives that are {group}"
        )
    parser.add_argument(
        "--shared-data", type=Path, metavar="FOLDER", default=SHARED, help="where the real archives are"
    )
    parser.add_argument("--lines", type=Path, metavar="FILE", help="JSON lines of the records")
    parser.add_argument("--results", type=Path, metavar="FILE", help="the page of tables")
    parser.add_argument("--render", type=Path, metavar="FILE", help="measure nothing, render these JSON lines")
    parser.add_argument("--measure", metavar="KEY", help=argparse.SUPPRESS)
    return parser


def main(arguments: Sequence[str] | None = None) -> int:
    """Command line; 1 if a row failed."""
    args = _build_parser().parse_args(arguments)
    if args.measure:
        print(json.dumps(_measure_row(args.measure, args.quick)))
        return 0
    if args.render:
        head, *records = map(json.loads, args.render.read_text(encoding="utf-8").splitlines())
    else:
        head, records = _run_figures(args)
    page = render_results(FIGURES, records, head["facts"], head["notes"])
    target = args.results or (HERE / "RESULTS.md" if _is_complete(args) else None)
    if target is None:
        print("\n" + page)
    else:
        target.write_text(page, encoding="utf-8")
        print(f"tables in {target}")
    return int(any("failed" in record for record in records))


def _is_complete(args: argparse.Namespace) -> bool:
    return set(args.only) == set(NAMES) and not (args.quick or args.render or args.groups)


def _measure_row(key: str, quick: bool) -> dict[str, Any]:
    (measure,) = (row for figure in FIGURES for row in figure.measures if row.key == key)
    return measure_here(measure, Bench(folder=folder_of(measure.data, quick), quick=quick, turn=wait_for_turn))


def _run_figures(args: argparse.Namespace) -> tuple[dict[str, Any], list[dict[str, Any]]]:
    began = time.monotonic()
    groups = [group for group in args.groups or GROUPS if group != "shared" or args.shared_data.is_dir()]
    folder = HERE / "results" if _is_complete(args) else ROOT / "build" / "bench"
    lines = args.lines or folder / f"{date.today().isoformat()}.jsonl"
    lines.unlink(missing_ok=True)
    for group in groups:
        _make_archives(group, args)
    head = {"facts": _collect_facts(), "notes": _write_notes(args, groups)}
    append_record(head, lines)
    records = []
    for figure in FIGURES:
        for group in groups if figure.name in args.only else ():
            for record in _measure_rows([row for row in figure.measures if row.data == group], args):
                append_record(record, lines)
                records.append(record)
                print(_format_line(record), flush=True)
    print(f"{len(records)} rows in {time.monotonic() - began:.0f} s; records in {lines}", flush=True)
    return head, records


def _make_archives(group: str, args: argparse.Namespace) -> None:
    """The archives, made by a process of their own: this one must stay small."""
    command = [sys.executable, str(HERE / "benchmark_archives.py"), group, "--shared", str(args.shared_data)]
    subprocess.run(command + ["--quick"] * args.quick, check=True)


def _measure_rows(rows: Sequence[Measure], args: argparse.Namespace) -> list[dict[str, Any]]:
    """Of all rows of a figure on a group of archives, with those that this kind of run leaves out."""
    run_kind = 2 if args.slow else 0 if args.quick else 1
    command = [sys.executable, str(HERE / "run.py"), *(["--quick"] * args.quick), "--measure"]
    measured = iter(measure_in_turn([row for row in rows if row.run_kind <= run_kind], command))
    left_out = {"left_out": f"takes too long for a {RUN_KINDS[run_kind]} run"}
    return [next(measured) if row.run_kind <= run_kind else {**row.names, **left_out} for row in rows]


def _collect_facts() -> dict[str, str]:
    command = ["python", "bench/run.py", *sys.argv[1:]]
    return {"date": date.today().isoformat(), "command": f"`{shlex.join(command)}`", **describe_machine()}


def _write_notes(args: argparse.Namespace, groups: Sequence[str]) -> list[str]:
    notes = [f"archives `{group}`: {describe(group)}" for group in groups]
    if args.quick:
        notes.insert(0, "**quick: small archives and few runs, which say nothing about speed**")
    if "shared" not in groups:
        notes.append("the real archives were not at hand, or not asked for")
    return notes


def _format_line(record: dict[str, Any]) -> str:
    """A row as it comes, for who is waiting."""
    name = ", ".join(record[part] for part in ("figure", "data", "variant", "contender") if record[part])
    if explain_failure(record):
        return f"{name}: {explain_failure(record)}"
    speed = f", {record['mb_per_s']:,.4g} MB/s" if "mb_per_s" in record else ""
    return f"{name}: {record['median_s']:.4g} s{speed}, {record['peak_memory_mb']:,.0f} MB"


if __name__ == "__main__":
    sys.exit(main())
