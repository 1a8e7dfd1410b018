"""The command line: what people run, from start to end, and how soon the program answers."""

from __future__ import annotations

import os
import shutil
import sys
from collections.abc import Callable, Iterator, Sequence
from functools import partial
from pathlib import Path

from benchmark_archives import count_bytes, read_rows
from harness import GROUPS, Bench, Claim, Figure, FigureRecords, Measure, Record, run_program

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

SORT = """\
import sys, pydivsufsort
with open(sys.argv[1], "rb") as file:
    pydivsufsort.divsufsort(file.read())
"""
"""Sorts the bytes of the texts and does nothing else."""

EXTRACT = """\
import sys, orjson
{imports}
with open(sys.argv[1], "rb") as lines, open(sys.argv[2], "wb") as out:
    for line in lines:
        row = orjson.loads(line)
        row["text"] = {call}
        del row["html"]
        out.write(orjson.dumps(row, option=orjson.OPT_APPEND_NEWLINE))
"""
"""Reads pages from JSON lines and writes their main text, by an extractor that knows nothing of the site."""

RESILIPARSE = "resiliparse, main content"
# Contender -> module, what imports it, what gives the text of a page.
EXTRACTORS = {
    RESILIPARSE: (
        "resiliparse.extract.html2text",
        "from resiliparse.extract.html2text import extract_plain_text",
        'extract_plain_text(row["html"], main_content=True)',
    ),
    "trafilatura": ("trafilatura", "import trafilatura", 'trafilatura.extract(row["html"])'),
}

MINE, LARGE, CLEAN, PAGES, EXTRACTED, UPDATE = (
    "mine",
    "mine, one large source",
    "clean",
    "clean, pages",
    "extract",
    "update",
)
"""Variants: the commands."""

FEW_RUNS = 3
"""Runs of a row whose contenders need seconds: all rows beside it have as many."""


def _make_command(name: str, *more: object) -> tuple[str, ...]:
    return (sys.executable, "-m", "templatemine", name, *map(str, more), "--force", "--quiet")


def _make_python_command(code: str, *more: object) -> tuple[str, ...]:
    return (sys.executable, "-c", code, *map(str, more))


def _make_output_path(bench: Bench, suffix: str = "") -> Path:
    return bench.folder / f"out-{os.getpid()}{suffix}"


def _delete(path: Path) -> None:
    if path.is_dir():
        shutil.rmtree(path)
    else:
        path.unlink(missing_ok=True)


def _time_command(bench: Bench, command: Sequence[str], size: int, out: Path, max_runs: int = 5) -> Record:
    try:
        record = bench.time_program(command, size=size, max_runs=max_runs)
        return {**record, "megabytes_out": round(out.stat().st_size / 1e6, 1)} if out.is_file() else record
    finally:
        _delete(out)


def _count_field_bytes(path: Path, field: str) -> int:
    """Bytes of a field, line by line: Linux hands the peak of memory of this process down to the programs it starts."""
    return count_bytes(row[field] for row in read_rows(path))


def _mine(bench: Bench, file: str, jobs: int = 1) -> Record:
    source, out = bench.folder / file, _make_output_path(bench)
    command = _make_command("mine", source, "-o", out, "--jobs", jobs)
    return _time_command(bench, command, _count_field_bytes(source, "text"), out, FEW_RUNS)


def _sort(bench: Bench) -> Record:
    source = bench.folder / "text.txt"
    return _time_command(
        bench, _make_python_command(SORT, source), source.stat().st_size, _make_output_path(bench), FEW_RUNS
    )


def _count_words(bench: Bench) -> Record:
    source = bench.folder / "text.txt"
    return _time_command(bench, ("wc", "-w", str(source)), source.stat().st_size, _make_output_path(bench), FEW_RUNS)


def _clean(bench: Bench, file: str = "archive.jsonl", jobs: int = 1, max_runs: int = 5) -> Record:
    source, out = bench.folder / file, _make_output_path(bench, ".jsonl")
    command = _make_command("clean", source, "--packs", bench.folder / "packs", "-o", out, "--jobs", jobs)
    return _time_command(bench, command, source.stat().st_size, out, max_runs)


def _copy(bench: Bench, *more: str, file: str = "archive.jsonl", max_runs: int = 5) -> Record:
    source, out = bench.folder / file, _make_output_path(bench, ".jsonl")
    return _time_command(bench, _make_python_command(COPY, source, out, *more), source.stat().st_size, out, max_runs)


def _clean_articles(bench: Bench) -> Record:
    return {
        **_clean(bench),
        "text_megabytes": round(_count_field_bytes(bench.folder / "archive.jsonl", "text") / 1e6, 1),
    }


def _time_on_pages(bench: Bench, make: Callable[[Path, Path], Sequence[str]]) -> Record:
    """A command that turns pages, at the first path, into their text, at the second."""
    source, out = bench.folder / "some-pages.jsonl", _make_output_path(bench, ".jsonl")
    return _time_command(bench, make(source, out), _count_field_bytes(source, "html"), out, FEW_RUNS)


def _clean_pages(bench: Bench) -> Record:
    packs = bench.folder / "page-packs"
    return _time_on_pages(bench, lambda source, out: _make_command("clean", source, "--packs", packs, "-o", out))


def _extract(bench: Bench) -> Record:
    return _time_on_pages(bench, lambda source, out: _make_command("extract", source, "-o", out))


def _extract_otherwise(bench: Bench, imports: str, call: str) -> Record:
    return _time_on_pages(bench, partial(_make_python_command, EXTRACT.format(imports=imports, call=call)))


def _update(bench: Bench) -> Record:
    """Half of the archive has been given before, the other half is new."""
    old, new, packs = (_make_output_path(bench, name) for name in ("-old.jsonl", "-new.jsonl", "-packs"))
    changed = _make_output_path(bench, "-changed")
    try:
        with open(bench.folder / "archive.jsonl", "rb") as lines, open(old, "wb") as first, open(new, "wb") as second:
            for place, line in enumerate(lines):
                (second if place % 2 else first).write(line)
        run_program(_make_command("update", packs, old, "--new-sources"))

        def prepare() -> None:
            _delete(changed)
            shutil.copytree(packs, changed)

        return bench.time_program(
            _make_command("update", changed, new),
            prepare=prepare,
            size=_count_field_bytes(new, "text"),
            max_runs=FEW_RUNS,
        )
    finally:
        for path in (old, new, packs, changed):
            _delete(path)


def _make_command_rows(data: str) -> Iterator[Measure]:
    def row(variant: str, contender: str, work: Callable[[Bench], Record], *needs: str) -> Measure:
        return Measure(
            figure="command", data=data, variant=variant, contender=contender, work=work, needs=needs, limit=240
        )

    yield row(MINE, "templatemine", partial(_mine, file="archive.jsonl"))
    yield row(MINE, "templatemine, 2 jobs", partial(_mine, file="archive.jsonl", jobs=2))
    yield row(MINE, "pydivsufsort, bytes", _sort, "pydivsufsort")
    yield row(MINE, "wc -w", _count_words)
    yield row(LARGE, "templatemine", partial(_mine, file="large.jsonl"))
    yield row(LARGE, "orjson", partial(_copy, file="large.jsonl", max_runs=FEW_RUNS))
    yield row(CLEAN, "templatemine", _clean_articles)
    yield row(CLEAN, "templatemine, 2 jobs", partial(_clean, jobs=2))
    yield row(CLEAN, "orjson", _copy)
    yield row(CLEAN, "orjson, fsync", lambda bench: _copy(bench, "fsync"))
    for variant, work in ((PAGES, _clean_pages), (EXTRACTED, _extract)):
        yield row(variant, "templatemine", work)
        for contender, (module, imports, call) in EXTRACTORS.items():
            yield row(variant, contender, partial(_extract_otherwise, imports=imports, call=call), module)
    yield row(UPDATE, "templatemine", _update)


def _compare_speed(rows: FigureRecords, variant: str, other: str) -> float:
    """Our speed as a multiple of another's."""
    return rows.speed(variant=variant) / rows.speed(other, variant)


def _compare_two_jobs(rows: FigureRecords, variant: str) -> float:
    return rows.time(variant=variant) / rows.time("templatemine, 2 jobs", variant)


COMMAND = Figure(
    name="command",
    title="The commands",
    description=(
        "Whole processes, from their start to the end of their output, files in the page cache, one core but for the "
        "rows of two jobs. `mine archive.jsonl`, against a process that sorts the bytes of the same texts with "
        "`pydivsufsort.divsufsort` and does nothing else, and `wc -w`; `mine large.jsonl`, one source, sampled by "
        "default, against reading and writing it with orjson; `clean archive.jsonl`, with loading and checking of the "
        "packs and fsync of the output, against reading and writing the lines with orjson (the claim is against that "
        "without fsync); `clean` of pages with the packs of their sites and `extract` of the same without packs, as "
        "they are by default (main text), against extractors that read the same JSON lines and "
        "write them without the HTML, which `clean` keeps; `update` of "
        "packs that were made of every second article with the other half. MB are those of the texts for `mine` and "
        "`update`, of the HTML for pages, of the file where orjson is beside."
    ),
    measures=tuple(row for data in GROUPS for row in _make_command_rows(data)),
    claims=(
        Claim(
            text="`mine`, speed, against sorting the bytes of the same text",
            value=partial(_compare_speed, variant=MINE, other="pydivsufsort, bytes"),
            goal=2.0,
            unit="x",
        ),
        Claim(text="`mine`, 2 jobs against 1", value=partial(_compare_two_jobs, variant=MINE), goal=1.8, unit="x"),
        Claim(text="`clean`, speed, one core", value=lambda rows: rows.speed(variant=CLEAN), goal=150.0, unit="MB/s"),
        Claim(
            text="`clean`, time, against orjson alone",
            value=lambda rows: rows.time(variant=CLEAN) / rows.time("orjson", CLEAN),
            goal=1.3,
            at_least=False,
            unit="x",
        ),
        Claim(text="`clean`, 2 jobs against 1", value=partial(_compare_two_jobs, variant=CLEAN), goal=1.9, unit="x"),
        *(
            claim
            for variant in (PAGES, EXTRACTED)
            for claim in (
                Claim(
                    text=f"`{variant.partition(',')[0]}` of pages, speed",
                    value=lambda rows, variant=variant: rows.speed(variant=variant),
                    goal=60.0,
                    unit="MB/s",
                ),
                Claim(
                    text=f"`{variant.partition(',')[0]}` of pages, speed, against resiliparse's main content",
                    value=partial(_compare_speed, variant=variant, other=RESILIPARSE),
                    goal=1.0,
                    unit="x",
                ),
            )
        ),
    ),
    columns=("text_megabytes", "megabytes_out"),
)

# ---------------------------------------------------------------------------------------------------------------- start

START_RUNS = 15
PYTHON = {
    "python -c pass": "pass",
    "import templatemine": "import templatemine",
    "import templatemine, numpy's share": "import numpy",
    "from templatemine import Cleaner": "from templatemine import Cleaner",
    "from templatemine import mine": "from templatemine import mine",
}


def _time_python(bench: Bench, code: str) -> Record:
    return bench.time_program([sys.executable, "-c", code], max_runs=START_RUNS)


def _time_first_article(bench: Bench) -> Record:
    record = _clean(bench, "one.jsonl", max_runs=START_RUNS)
    return {name: value for name, value in record.items() if not name.startswith(("mb_per_s", "megabytes"))}


def _make_start_rows() -> tuple[Measure, ...]:
    rows = [
        Measure(figure="start", data="generated", contender=name, work=partial(_time_python, code=code))
        for name, code in PYTHON.items()
    ]
    first = Measure(
        figure="start",
        data="generated",
        contender="first cleaned article",
        work=_time_first_article,
    )
    return (*rows, first)


def _compute_import_ms(rows: FigureRecords) -> float:
    return 1000 * (rows.time("import templatemine") - rows.time("python -c pass"))


START = Figure(
    name="start",
    title="Start",
    description=(
        "Whole processes, files in the page cache. `import templatemine` loads no more than names and errors; the rest "
        "is loaded on first use, which the two rows below it tell. `first cleaned article`: `templatemine clean` of a "
        "file with one article and the packs of archive.jsonl, from start to end."
    ),
    measures=_make_start_rows(),
    claims=(
        Claim(
            text="`import templatemine`, less bare Python",
            value=_compute_import_ms,
            goal=80.0,
            at_least=False,
            unit="ms",
        ),
        Claim(
            text="first cleaned article, whole command",
            value=lambda rows: 1000 * rows.time("first cleaned article"),
            goal=200.0,
            at_least=False,
            unit="ms",
        ),
    ),
    reference="python -c pass",
)
