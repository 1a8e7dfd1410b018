"""The command line: cleaning a file of JSON lines, and how soon the program answers."""

from __future__ import annotations

import os
import sys
from collections.abc import Sequence
from functools import partial
from pathlib import Path

from data import rows_of, size_of
from harness import GROUPS, Bench, Claim, Figure, Measure, Record, Rows

__all__ = ["COMMAND", "START"]

COPY = """\
import os, sys, orjson
with open(sys.argv[1], "rb") as lines, open(sys.argv[2], "wb") as out:
    for line in lines:
        out.write(orjson.dumps(orjson.loads(line), option=orjson.OPT_APPEND_NEWLINE))
    if len(sys.argv) > 3:
        out.flush()
        os.fsync(out.fileno())
"""
"""Reads and writes JSON lines and does nothing else."""


def _out(bench: Bench) -> Path:
    return bench.folder / f"out-{os.getpid()}.jsonl"


def _clean(bench: Bench, file: str, *more: str, most: int = 5) -> Record:
    source, out = bench.folder / file, _out(bench)
    packs = ("--packs", str(bench.folder / "packs"))
    command = (
        sys.executable,
        "-m",
        "templatemine",
        "clean",
        str(source),
        *packs,
        "-o",
        str(out),
        "--force",
        "--quiet",
        *more,
    )
    return _timed(bench, command, source, out, most)


def _copy(bench: Bench, *more: str) -> Record:
    source, out = bench.folder / "archive.jsonl", _out(bench)
    return _timed(bench, (sys.executable, "-c", COPY, str(source), str(out), *more), source, out)


def _timed(bench: Bench, command: Sequence[str], source: Path, out: Path, most: int = 5) -> Record:
    try:
        record = bench.time_program(command, size=source.stat().st_size, most=most)
        return {**record, "megabytes_out": round(out.stat().st_size / 1e6, 1)}
    finally:
        out.unlink(missing_ok=True)


def _text_share(bench: Bench) -> Record:
    # Only now, when memory has been told: Linux hands the peak down to programs that are started.
    size = size_of(row["text"] for row in rows_of(bench.folder / "archive.jsonl"))
    return {"text_megabytes": round(size / 1e6, 1)}


def _command(bench: Bench) -> Record:
    return {**_clean(bench, "archive.jsonl"), **_text_share(bench)}


def _rows(data: str) -> tuple[Measure, ...]:
    work = {
        "templatemine": _command,
        "templatemine, 2 jobs": _two_jobs,
        "orjson": _copy,
        "orjson, fsync": lambda bench: _copy(bench, "fsync"),
    }
    return tuple(Measure(figure="command", data=data, contender=name, work=one) for name, one in work.items())


def _two_jobs(bench: Bench) -> Record:
    return _clean(bench, "archive.jsonl", "--jobs", "2")


COMMAND = Figure(
    name="command",
    title="`templatemine clean` on JSON lines",
    says=(
        "`templatemine clean archive.jsonl --packs packs -o out.jsonl`: the whole process, with start, loading and "
        "checking of the packs, and fsync of the output. MB are those of the input file. `orjson` is a process that "
        "reads and writes the same lines with orjson and does nothing else; the claim is against that without fsync."
    ),
    measures=tuple(row for data in GROUPS for row in _rows(data)),
    claims=(
        Claim(text="speed, one core", value=lambda rows: rows.speed(), goal=60.0, unit="MB/s"),
        Claim(
            text="time, against orjson alone",
            value=lambda rows: rows.time() / rows.time("orjson"),
            goal=1.3,
            least=False,
            unit="x",
        ),
    ),
    columns=("text_megabytes", "megabytes_out"),
)

# ---------------------------------------------------------------------------------------------------------------- start

STARTS = 15
PYTHON = {
    "python -c pass": "pass",
    "import templatemine": "import templatemine",
    "import templatemine, numpy's share": "import numpy",
    "from templatemine import Cleaner": "from templatemine import Cleaner",
    "from templatemine import mine": "from templatemine import mine",
}


def _python(bench: Bench, code: str) -> Record:
    return bench.time_program([sys.executable, "-c", code], most=STARTS)


def _first(bench: Bench) -> Record:
    record = _clean(bench, "one.jsonl", most=STARTS)
    return {name: value for name, value in record.items() if not name.startswith(("mb_per_s", "megabytes"))}


def _start_rows() -> tuple[Measure, ...]:
    rows = [
        Measure(figure="start", data="generated", contender=name, work=partial(_python, code=code))
        for name, code in PYTHON.items()
    ]
    first = Measure(
        figure="start",
        data="generated",
        contender="first cleaned article",
        work=_first,
    )
    return (*rows, first)


def _import_ms(rows: Rows) -> float:
    return 1000 * (rows.time("import templatemine") - rows.time("python -c pass"))


START = Figure(
    name="start",
    title="Start",
    says=(
        "Whole processes, files in the page cache. `import templatemine` loads no more than names and errors; the rest "
        "is loaded on first use, which the two rows below it tell. `first cleaned article`: `templatemine clean` of a "
        "file with one article and the packs of archive.jsonl, from start to end."
    ),
    measures=_start_rows(),
    claims=(
        Claim(text="`import templatemine`, less bare Python", value=_import_ms, goal=80.0, least=False, unit="ms"),
        Claim(
            text="first cleaned article, whole command",
            value=lambda rows: 1000 * rows.time("first cleaned article"),
            goal=200.0,
            least=False,
            unit="ms",
        ),
    ),
    reference="python -c pass",
)
