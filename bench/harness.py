"""The common part of all figures: rows, the process of each row, runs, statistics, memory, claims.

A `Figure` is a question with its rows and claims; a `Measure` is one row: one contender at one task on one archive.
The runner starts a process for each row of a figure on a group of archives. They take turns, a run each (`measure_in_turn`),
and what a process prints last is one line of JSON: the record. A `Claim` compares records of a figure.

Peak memory is ``ru_maxrss`` of the process of the row when its runs are over: interpreter, libraries, the input where
it is held in memory, and the results. Rows that start programs of their own tell the largest of those instead. Linux
hands the peak of a process down to the programs it starts, so the runner and such rows hold no data themselves.
"""

from __future__ import annotations

import contextlib
import json
import os
import resource
import statistics
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from importlib import import_module
from pathlib import Path
from typing import Any, NamedTuple

__all__ = [
    "GROUPS",
    "RUN_KINDS",
    "Bench",
    "Claim",
    "Figure",
    "Measure",
    "FigureRecords",
    "wait_for_turn",
    "round_digits",
    "append_record",
    "measure_here",
    "measure_in_turn",
    "summarize_runs",
    "explain_failure",
]

Record = dict[str, Any]

GROUPS = ("generated", "shared")
"""Where archives come from: the generator, or real ones beside the repository."""

BYTECODE = Path(__file__).resolve().parents[1] / "build" / "bench" / "bytecode"
RUN_KINDS = ("quick", "full", "slow")
"""Kinds of runs: each measures what the ones before it do, and more."""

WARM_BELOW = 3.0
"""A first run shorter than this (seconds) is a warm-up and does not count."""

MAX_RUNS = 15
"""Most runs of a row; fewer if they use up the budget of seconds."""

LONG_RUN = 10.0
"""Seconds; of runs longer than this, two are enough."""

TURN = b"turn"
"""The line by which the process of a row says that it is ready for its next run; it waits for any line to begin."""


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
        Seconds of its own (while others have their turn does not count) after which the process is ended.
    run_kind : int
        Index into `RUN_KINDS` of the smallest run that measures the row.
    """

    figure: str
    contender: str
    data: str
    work: Callable[[Bench], Record]
    variant: str = ""
    needs: tuple[str, ...] = ()
    limit: float = 150.0
    run_kind: int = 0

    @property
    def key(self) -> str:
        return "|".join((self.figure, self.data, self.variant, self.contender))

    @property
    def names(self) -> Record:
        return {"figure": self.figure, "data": self.data, "variant": self.variant, "contender": self.contender}


@dataclass(frozen=True, kw_only=True)
class Figure:
    """A question: its rows, what a reader must know of them, and the claims.

    `columns` names facts of the records that are shown beside time, speed and memory.  `reference` is the contender
    that the others are compared with, in each variant.
    """

    name: str
    title: str
    description: str
    measures: tuple[Measure, ...]
    claims: tuple[Claim, ...] = ()
    columns: tuple[str, ...] = ()
    reference: str = "templatemine"


# ------------------------------------------------------------------------------------------------------- in its process


def start_at_once() -> None:
    """Let a run begin without waiting for other rows."""


def wait_for_turn() -> None:
    """Tell the runner that the row is ready for its next run, and wait until the runner starts it."""
    sys.stdout.buffer.write(TURN + b"\n")
    sys.stdout.buffer.flush()
    if not sys.stdin.buffer.readline():
        sys.exit("the runner has ended")


@dataclass(frozen=True, kw_only=True)
class Bench:
    """What a row gets: where its archive lies, and the clock; `turn` returns when a run may begin."""

    folder: Path
    quick: bool = False
    turn: Callable[[], None] = start_at_once

    def time(
        self,
        call: Callable[..., int | None],
        *,
        prepare: Callable[[], Any] | None = None,
        size: int = 0,
        max_runs: int = MAX_RUNS,
        **facts: Any,
    ) -> Record:
        """Run `call` several times, each time in turn with the rows beside it.

        Runs go on until there are `max_runs`, or three (two if quick, or if each takes long) and a budget of seconds is
        used up.

        Parameters
        ----------
        call : callable
            May give the bytes that it worked on, if they differ from run to run.
        prepare : callable, optional
            Makes what `call` is given, anew for each run; its time does not count.
        size : int
            Bytes that one run works on; 0 if speed is no matter.
        **facts
            Kept in the record.
        """
        min_runs, budget = (2, 0.6) if self.quick else (3, 4.0)
        before = peak_memory()
        runs = [self._run_once(call, prepare)]
        if runs[0].seconds > LONG_RUN:
            min_runs = 2
        if runs[0].seconds < WARM_BELOW:
            runs = []
        while len(runs) < min_runs or (len(runs) < max_runs and sum(run.seconds for run in runs) < budget):
            runs.append(self._run_once(call, prepare))
        seconds = [run.seconds for run in runs]
        return {
            **summarize_runs(seconds, [run.size or size for run in runs]),
            **facts,
            "processor_share": round(sum(run.processor for run in runs) / sum(seconds), 2),
            "memory_before_mb": before,
            "peak_memory_mb": peak_memory(),
        }

    def _run_once(self, call: Callable[..., int | None], prepare: Callable[[], Any] | None) -> Run:
        self.turn()
        given = () if prepare is None else (prepare(),)
        before, start = _processor_seconds(), time.perf_counter()
        size = call(*given)
        seconds, after = time.perf_counter() - start, _processor_seconds()
        return Run(seconds, after - before, size or 0)

    def time_program(
        self,
        command: Sequence[str],
        *,
        prepare: Callable[[], object] | None = None,
        size: int = 0,
        max_runs: int = MAX_RUNS,
        **facts: Any,
    ) -> Record:
        """Run a program several times, from its start to its end; memory is that of the program.

        `prepare` makes what the program works on, anew for each run; its time does not count.
        """
        record = self.time(lambda *_: run_program(command), prepare=prepare, size=size, max_runs=max_runs, **facts)
        record.pop("memory_before_mb")
        return {**record, "peak_memory_mb": peak_memory(resource.RUSAGE_CHILDREN)}


class Run(NamedTuple):
    """Seconds by the clock and of processors, and bytes."""

    seconds: float
    processor: float
    size: int


def run_program(command: Sequence[str]) -> None:
    """Run a program; what it prints is thrown away unless it fails.

    Its modules are compiled once, in a folder of their own, as pip compiles what it installs: wherever Python is told to
    keep no bytecode, every start would compile all of them anew.
    """
    environment = {name: value for name, value in os.environ.items() if name != "PYTHONDONTWRITEBYTECODE"}
    environment.setdefault("PYTHONPYCACHEPREFIX", str(BYTECODE))
    done = subprocess.run(
        command,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.PIPE,
        check=False,
        env=environment,
    )
    if done.returncode:
        raise RuntimeError(f"{command[:4]} gave {done.returncode}: {done.stderr.decode(errors='replace')[-500:]}")


def _processor_seconds() -> float:
    """Of this process, and of the programs it started that have ended."""
    programs = resource.getrusage(resource.RUSAGE_CHILDREN)
    return time.process_time() + programs.ru_utime + programs.ru_stime


def peak_memory(who: int = resource.RUSAGE_SELF) -> float:
    """Peak resident memory in MB (10^6 bytes)."""
    unit = 1 if sys.platform == "darwin" else 1024
    return round(resource.getrusage(who).ru_maxrss * unit / 1e6, 1)


def summarize_runs(seconds: Sequence[float], sizes: Sequence[int] = ()) -> Record:
    """Minimum and median of the runs, and of their speeds where there are bytes of each run."""
    facts: Record = {
        "runs": len(seconds),
        "seconds": [round(one, 6) for one in seconds],
        "min_s": round(min(seconds), 6),
        "median_s": round(statistics.median(seconds), 6),
    }
    if any(sizes):
        speeds = [size / 1e6 / one for size, one in zip(sizes, seconds, strict=True)]
        facts |= {
            "megabytes": round(statistics.mean(sizes) / 1e6, 3),
            "mb_per_s": round_digits(statistics.median(speeds)),
            "mb_per_s_best": round_digits(max(speeds)),
        }
    return facts


def round_digits(value: float) -> float:
    """A number rounded to four significant digits."""
    return float(f"{value:.4g}")


def measure_here(measure: Measure, bench: Bench) -> Record:
    """The record of a row, measured in this process; a contender that is not installed is `missing`."""
    for module in measure.needs:
        try:
            import_module(module)
        except ImportError as error:
            return {**measure.names, "missing": f"{module}: {error}"}
    facts = measure.work(bench)
    return {**measure.names, "peak_memory_mb": peak_memory(), **facts}


# ------------------------------------------------------------------------------------------------------- in the runner


def measure_in_turn(rows: Sequence[Measure], command: Sequence[str]) -> list[Record]:
    """The records of rows, each measured by a process of its own: `command` and the key of the row.

    One after the other they get ready; then each has a run in turn until it has enough, so that whatever slows the
    machine down for a while slows down all of them. Whatever becomes of a process, there is a record: with `failed` if
    it died, took too long or raised.
    """
    processes = [_RowProcess(row, command) for row in rows]
    while waiting := [process for process in processes if process.record is None]:
        for process in waiting:
            process.start_run()
    return [process.record or {} for process in processes]


class _RowProcess:
    """The process of a row: it waits for its next run, or has ended and left a `record`."""

    def __init__(self, measure: Measure, command: Sequence[str]) -> None:
        self.record: Record | None = None
        self._names, self._limit = measure.names, measure.limit
        self._load = os.getloadavg()[0]
        self._seconds = 0.0
        self._last = b""
        self._errors = tempfile.TemporaryFile()  # noqa: SIM115 - closed when the process has ended
        pipes = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE, "stderr": self._errors}
        self._process = subprocess.Popen([*command, measure.key], bufsize=0, **pipes)
        self._read_until_waiting()

    def start_run(self) -> None:
        """Start the next run."""
        assert self._process.stdin is not None
        with contextlib.suppress(BrokenPipeError):  # it died while it waited, as its output is about to tell
            self._process.stdin.write(b"\n")
        self._read_until_waiting()

    def _read_until_waiting(self) -> None:
        """Read the output of the process until it waits again, has ended, or its time is up."""
        assert self._process.stdout is not None
        began = time.monotonic()
        clock = threading.Timer(self._limit - self._seconds, self._process.kill)
        clock.start()
        try:
            for line in self._process.stdout:
                if line.strip() == TURN:
                    return
                self._last = line
            self._process.wait()
        finally:
            clock.cancel()
            self._seconds += time.monotonic() - began
        with self._process, self._errors:
            self.record = {**self._names, **self._read_facts()}

    def _read_facts(self) -> Record:
        status = self._process.returncode
        if self._seconds >= self._limit:
            return {"failed": f"did not finish in {self._limit:.0f} s"}
        if status:
            self._errors.seek(0)
            messages = self._errors.read().decode("utf-8", "replace").strip().splitlines()[-1:]
            return {"failed": messages[0] if messages else f"ended with {status}"}
        facts: Record = json.loads(self._last)
        return {**facts, "load": round(self._load, 2), "whole_process_s": round(self._seconds, 2)}


def append_record(record: Record, path: Path) -> None:
    """Append a record to a file of JSON lines."""
    path.parent.mkdir(parents=True, exist_ok=True)
    with open(path, "a", encoding="utf-8") as lines:
        lines.write(json.dumps(record, ensure_ascii=False) + "\n")


def explain_failure(record: Mapping[str, Any]) -> str:
    """The reason why a record holds no figure; empty if it holds one."""
    for kind in ("missing", "failed", "left_out"):
        if kind in record:
            return f"{kind.replace('_', ' ')}: {record[kind]}"
    return ""


# -------------------------------------------------------------------------------------------------------------- claims


@dataclass(frozen=True)
class FigureRecords:
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
        return [row["variant"] for row in self.records if row["contender"] == contender and not explain_failure(row)]


@dataclass(frozen=True, kw_only=True)
class Claim:
    """A number that is asked for.

    Attributes
    ----------
    text : str
        What is compared.
    value : callable
        Takes `FigureRecords`; raises KeyError where a row is missing.
    goal : float
        The value must be at least this; at most, if `at_least` is False.
    unit : str
    """

    text: str
    value: Callable[[FigureRecords], float]
    goal: float
    at_least: bool = True
    unit: str = ""

    def evaluate(self, records: Iterable[Mapping[str, Any]], best: bool = False) -> float | None:
        """The value by medians, or by minima; None if a row it needs holds no figure."""
        try:
            return self.value(FigureRecords([record for record in records if not explain_failure(record)], best))
        except (KeyError, ZeroDivisionError, ValueError):
            return None

    def is_met(self, value: float) -> bool:
        return value >= self.goal if self.at_least else value <= self.goal
