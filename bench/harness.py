"""What all figures share: rows, the process that each is measured in, runs, statistics, memory, claims.

A `Figure` is a question with its rows and claims; a `Measure` is one row: one contender at one task on one archive.  The
runner starts a process for each row, which prints one line of JSON: the record.  A `Claim` compares records of a figure.

Peak memory is ``ru_maxrss`` of the process of the row when its runs are over: interpreter, libraries, the input where it
is held in memory, and the results.  Rows that start programs of their own tell the largest of those instead.  Linux hands
the peak of a process down to the programs it starts, so the runner and such rows hold no data themselves.
"""

from __future__ import annotations

import json
import os
import resource
import statistics
import subprocess
import sys
import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from importlib import import_module
from pathlib import Path
from typing import Any

__all__ = [
    "GROUPS",
    "Bench",
    "Claim",
    "Figure",
    "Measure",
    "Rows",
    "keep_record",
    "measure_here",
    "measure_in_process",
    "statistics_of",
    "trouble",
]

Record = dict[str, Any]

GROUPS = ("generated", "shared")
"""Where archives come from: the generator, or real ones beside the repository."""

WARM_BELOW = 3.0
"""A first run shorter than this (seconds) is a warm-up and does not count."""


@dataclass(frozen=True, kw_only=True)
class Measure:
    """One row.

    Attributes
    ----------
    figure, contender, data, variant : str
        Its name; `data` is one of `GROUPS`.
    work : callable
        Takes a `Bench` and gives the facts of the row, as `Bench.time` makes them.
    needs : tuple of str
        Modules that are not part of the project; if one is not there, the row says so.
    limit : float
        Seconds after which the process is ended.
    slow : str
        Why the row is left out unless all are asked for.
    """

    figure: str
    contender: str
    data: str
    work: Callable[[Bench], Record]
    variant: str = ""
    needs: tuple[str, ...] = ()
    limit: float = 150.0
    slow: str = ""

    @property
    def key(self) -> str:
        return "|".join((self.figure, self.data, self.variant, self.contender))

    @property
    def names(self) -> Record:
        return {"figure": self.figure, "data": self.data, "variant": self.variant, "contender": self.contender}


@dataclass(frozen=True, kw_only=True)
class Figure:
    """A question: its rows, what a reader must know of them, and the claims.

    `columns` names facts of the records that are shown beside time, speed and memory.  `reference` is the contender that
    the others are compared with, in each variant.
    """

    name: str
    title: str
    says: str
    measures: tuple[Measure, ...]
    claims: tuple[Claim, ...] = ()
    columns: tuple[str, ...] = ()
    reference: str = "templatemine"


# -------------------------------------------------------------------------------------------------------- in its process


@dataclass(frozen=True, kw_only=True)
class Bench:
    """What a row gets: where its archive lies, and the clock."""

    folder: Path
    quick: bool = False

    def time(self, call: Callable[[], object], *, size: int = 0, most: int = 5, **facts: Any) -> Record:
        """Run `call` several times.

        Runs go on until there are `most`, or three (two if quick) and a budget of seconds is used up.

        Parameters
        ----------
        size : int
            Bytes that one run works on; 0 if speed is no matter.
        **facts
            Kept in the record.
        """
        least, budget = (2, 1.0) if self.quick else (3, 4.0)
        before, spent = peak_memory(), os.times()
        seconds = [_once(call)]
        if seconds[0] < WARM_BELOW:
            spent, seconds = os.times(), []
        while len(seconds) < least or (len(seconds) < most and sum(seconds) < budget):
            seconds.append(_once(call))
        return {
            **statistics_of(seconds, size),
            **facts,
            "processor_share": round(_processor_seconds(spent, os.times()) / sum(seconds), 2),
            "memory_before_mb": before,
            "peak_memory_mb": peak_memory(),
        }

    def time_program(self, command: Sequence[str], *, size: int = 0, most: int = 5, **facts: Any) -> Record:
        """Run a program several times, from its start to its end; memory is that of the program."""
        record = self.time(lambda: run_program(command), size=size, most=most, **facts)
        record.pop("memory_before_mb")
        return {**record, "peak_memory_mb": peak_memory(resource.RUSAGE_CHILDREN)}


def run_program(command: Sequence[str]) -> None:
    """Run a program; what it prints is thrown away unless it fails."""
    done = subprocess.run(command, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, check=False)
    if done.returncode:
        raise RuntimeError(f"{command[:4]} gave {done.returncode}: {done.stderr.decode(errors='replace')[-500:]}")


def _once(call: Callable[[], object]) -> float:
    start = time.perf_counter()
    call()
    return time.perf_counter() - start


def _processor_seconds(start: os.times_result, end: os.times_result) -> float:
    return sum(end[:4]) - sum(start[:4])


def peak_memory(who: int = resource.RUSAGE_SELF) -> float:
    """Peak resident memory in MB (10^6 bytes)."""
    unit = 1 if sys.platform == "darwin" else 1024
    return round(resource.getrusage(who).ru_maxrss * unit / 1e6, 1)


def statistics_of(seconds: Sequence[float], size: int = 0) -> Record:
    """Minimum and median of the runs, and the speeds they stand for."""
    least, middle = min(seconds), statistics.median(seconds)
    facts: Record = {
        "runs": len(seconds),
        "seconds": [round(one, 6) for one in seconds],
        "min_s": round(least, 6),
        "median_s": round(middle, 6),
    }
    if size:
        facts |= {"megabytes": round(size / 1e6, 3)}
        facts |= {"mb_per_s": _speed(size, middle), "mb_per_s_best": _speed(size, least)}
    return facts


def _speed(size: int, seconds: float) -> float:
    return float(f"{size / 1e6 / seconds:.4g}")


def measure_here(measure: Measure, bench: Bench) -> Record:
    """The record of a row, measured in this process; a contender that is not installed is `missing`."""
    for module in measure.needs:
        try:
            import_module(module)
        except ImportError as error:
            return {**measure.names, "missing": f"{module}: {error}"}
    return {**measure.names, **measure.work(bench)}


# ------------------------------------------------------------------------------------------------------- in the runner


def measure_in_process(measure: Measure, command: Sequence[str]) -> Record:
    """The record of a row, measured by a process of its own: `command` and the key of the row.

    Whatever becomes of the process, there is a record: with `failed` if it died, took too long or raised.
    """
    load = os.getloadavg()[0]
    began = time.monotonic()
    try:
        done = subprocess.run(
            [*command, measure.key], stdout=subprocess.PIPE, stderr=subprocess.PIPE, timeout=measure.limit, check=False
        )
    except subprocess.TimeoutExpired:
        return {**measure.names, "failed": f"did not finish in {measure.limit:.0f} s"}
    if done.returncode:
        last = done.stderr.decode("utf-8", "replace").strip().splitlines()[-1:]
        return {**measure.names, "failed": last[0] if last else f"ended with {done.returncode}"}
    record: Record = json.loads(done.stdout.splitlines()[-1])
    return {**record, "load": round(load, 2), "whole_process_s": round(time.monotonic() - began, 2)}


def keep_record(record: Record, path: Path) -> None:
    """Append a record to a file of JSON lines."""
    path.parent.mkdir(parents=True, exist_ok=True)
    with open(path, "a", encoding="utf-8") as lines:
        lines.write(json.dumps(record, ensure_ascii=False) + "\n")


def trouble(record: Mapping[str, Any]) -> str:
    """Why a record holds no figure; empty if it does."""
    for kind in ("missing", "failed", "left_out"):
        if kind in record:
            return f"{kind.replace('_', ' ')}: {record[kind]}"
    return ""


# -------------------------------------------------------------------------------------------------------------- claims


@dataclass(frozen=True)
class Rows:
    """The records of one figure on one group of archives; speeds are by medians, or by minima."""

    records: Sequence[Mapping[str, Any]]
    best: bool = False

    def fact(self, name: str, contender: str = "templatemine", variant: str = "") -> float:
        """A fact of a row; KeyError if there is no such row, or it has no such fact."""
        for record in self.records:
            if (record["contender"], record["variant"]) == (contender, variant):
                return float(record[name])
        raise KeyError(contender)

    def speed(self, contender: str = "templatemine", variant: str = "") -> float:
        """Megabytes a second."""
        return self.fact("mb_per_s_best" if self.best else "mb_per_s", contender, variant)

    def time(self, contender: str = "templatemine", variant: str = "") -> float:
        """Seconds of a run."""
        return self.fact("min_s" if self.best else "median_s", contender, variant)

    def variants(self, contender: str = "templatemine") -> list[str]:
        """Variants in which a contender has a figure."""
        return [row["variant"] for row in self.records if row["contender"] == contender and not trouble(row)]


@dataclass(frozen=True, kw_only=True)
class Claim:
    """A number that is asked for.

    Attributes
    ----------
    text : str
        What is compared.
    value : callable
        Takes `Rows`; raises KeyError where a row is missing.
    goal : float
        The value must be at least this; at most, with `least` False.
    unit : str
    """

    text: str
    value: Callable[[Rows], float]
    goal: float
    least: bool = True
    unit: str = ""

    def reached(self, records: Iterable[Mapping[str, Any]], best: bool = False) -> float | None:
        """The value by medians, or by minima; None if a row it needs holds no figure."""
        try:
            return self.value(Rows([record for record in records if not trouble(record)], best))
        except (KeyError, ZeroDivisionError, ValueError):
            return None

    def met(self, value: float) -> bool:
        return value >= self.goal if self.least else value <= self.goal
