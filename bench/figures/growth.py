"""How cost grows: memory, time with the size of a source, time with the number of cores."""

from __future__ import annotations

import math
import tempfile
import time
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from functools import partial
from itertools import cycle, islice
from typing import Any

from benchmark_archives import SIZES, count_bytes, load_documents, load_texts, read_rows
from figures.cleaning import load_articles, make_fresh
from figures.mining import make_exact_config, make_sampled_config
from harness import GROUPS, Bench, Claim, Figure, FigureRecords, Measure, Record, peak_memory, summarize_runs

__all__ = ["CORES", "GROWTH", "MEMORY"]

# --------------------------------------------------------------------------------------------------------------- memory


def _measure_exact_memory(bench: Bench) -> Record:
    """Peak of a process that reads a source and mines it, once."""
    from templatemine.api import mine
    from templatemine.config import ReadConfig
    from templatemine.io.read import read_documents

    settings = make_exact_config()
    mine(load_documents(bench.folder / "one.jsonl"))  # whatever is imported late is there now
    bare = peak_memory()
    rows = list(read_documents([bench.folder / "largest.jsonl"], ReadConfig()))
    size = count_bytes(row.body for row in rows)
    read = peak_memory()
    start = time.perf_counter()
    mine(rows, settings)
    record = summarize_runs([time.perf_counter() - start], [size])
    return {**record, "documents": len(rows), "bare_mb": bare, "read_mb": read}


MEMORY_LIMIT = 512 << 20
"""What the sampled run is told to keep to: the texts of large.jsonl and what is made of a sample need more than it all."""


def _measure_bounded_memory(bench: Bench) -> Record:
    """Peak of a process that mines a source from a file in bounded memory, once."""
    from templatemine.archive.run import ArchiveRun, RunConfig

    file = bench.folder / "large.jsonl"
    sizes = [len(row["text"].encode()) for row in read_rows(file)]
    with tempfile.TemporaryDirectory(dir=bench.folder) as work:
        config = RunConfig(pipeline=make_sampled_config(bench), memory=MEMORY_LIMIT)
        bare = peak_memory()
        start = time.perf_counter()
        ArchiveRun([str(file)], work, config).run()
        record = summarize_runs([time.perf_counter() - start], [sum(sizes)])
    sample = sum(sizes) * min(1.0, SIZES[bench.quick].sample / len(sizes))
    return {**record, "documents": len(sizes), "bare_mb": bare, "sample_mb": round(sample / 1e6, 1)}


def _make_memory_rows(data: str) -> tuple[Measure, ...]:
    return tuple(
        Measure(figure="memory", data=data, contender="templatemine", variant=variant, work=work)
        for variant, work in (("exact", _measure_exact_memory), ("sampled", _measure_bounded_memory))
    )


BASE_MEMORY_MB = 60.0
"""MB that interpreter and libraries may take, whatever the source."""


def _compute_memory_per_byte(rows: FigureRecords) -> float:
    return (rows.fact("peak_memory_mb", variant="exact") - BASE_MEMORY_MB) / rows.fact("megabytes", variant="exact")


def _compute_memory_over_sample(rows: FigureRecords) -> float:
    return rows.fact("peak_memory_mb", variant="sampled") - rows.fact("sample_mb", variant="sampled")


MEMORY = Figure(
    name="memory",
    title="Peak memory of mining",
    description=(
        "A fresh process reads one source from a file and mines it: exact largest.jsonl, all of it in memory; sampled "
        "large.jsonl, by way of a partition on disk (`mine --memory`). `peak MB` is ru_maxrss of all of it: interpreter and libraries (`bare MB`, before reading), the documents as str "
        "(`read MB`, after reading), and all that mining takes and gives. The first claim divides the whole peak, "
        f"less {BASE_MEMORY_MB:.0f} MB, by the bytes of the texts; the second subtracts the sample's bytes from the whole peak."
    ),
    measures=tuple(row for data in GROUPS for row in _make_memory_rows(data)),
    claims=(
        Claim(
            text=f"exact: peak less {BASE_MEMORY_MB:.0f} MB, against the bytes of the source",
            value=_compute_memory_per_byte,
            goal=6.0,
            at_least=False,
            unit="x",
        ),
        Claim(
            text="sampled: peak less the sample",
            value=_compute_memory_over_sample,
            goal=300.0,
            at_least=False,
            unit="MB",
        ),
    ),
    columns=("documents", "bare_mb", "read_mb", "sample_mb"),
)

# --------------------------------------------------------------------------------------------------------------- growth

STEPS = len(SIZES[False].growth)


EXACT, SAMPLED = "templatemine, exact", "templatemine"


def _measure_growth(bench: Bench, step: int, contender: str) -> Record:
    """Mine every so-manieth document of a source."""
    from templatemine.api import mine

    wanted = SIZES[bench.quick].growth
    every = round(wanted[-1] / wanted[step])
    config = make_exact_config() if contender == EXACT else make_sampled_config(bench)

    def read() -> list[Any]:
        return load_documents(bench.folder / "growth.jsonl", every)

    def run(rows: list[Any]) -> None:
        mine(rows, config)

    sizes = [len(row.body.encode()) for row in read()]
    return bench.time(run, prepare=read, size=sum(sizes), max_runs=3, documents=len(sizes))


def _make_growth_rows(data: str) -> tuple[Measure, ...]:
    return tuple(
        Measure(
            figure="growth",
            data=data,
            contender=contender,
            variant=f"1/{2 ** (STEPS - 1 - step)}",
            work=partial(_measure_growth, step=step, contender=contender),
        )
        for contender in (EXACT, SAMPLED)
        for step in range(STEPS)
    )


SOURCES = (10, 100, 1_000, 10_000)
DOCUMENTS_PER_SOURCE = 8
"""Documents of a source where the number of sources grows."""


def _measure_sources(bench: Bench, number: int) -> Record:
    """Mine so many small sources: the articles of the archive, again and again."""
    from templatemine.api import mine

    number = max(2, number // (20 if bench.quick else 1))

    def read() -> list[Any]:
        rows = islice(cycle(load_documents(bench.folder / "archive.jsonl")), number * DOCUMENTS_PER_SOURCE)
        return [
            replace(row, source=f"s{place // DOCUMENTS_PER_SOURCE}", id=str(place)) for place, row in enumerate(rows)
        ]

    def run(rows: list[Any]) -> None:
        mine(rows)

    size = count_bytes(row.body for row in read())
    return bench.time(run, prepare=read, size=size, max_runs=3, documents=number * DOCUMENTS_PER_SOURCE)


def _make_source_rows() -> tuple[Measure, ...]:
    return tuple(
        Measure(
            figure="growth",
            data="generated",
            contender="templatemine, small sources",
            variant=f"{number:,} sources",
            work=partial(_measure_sources, number=number),
            limit=300,
        )
        for number in SOURCES
    )


def fit_exponent(sizes: list[float], seconds: list[float]) -> float:
    """b of ``seconds = a * sizes ** b``, by least squares on logarithms."""
    xs, ys = [math.log(size) for size in sizes], [math.log(second) for second in seconds]
    x, y = sum(xs) / len(xs), sum(ys) / len(ys)
    return sum((a - x) * (b - y) for a, b in zip(xs, ys, strict=True)) / sum((a - x) ** 2 for a in xs)


def _fit_exponent_of_rows(rows: FigureRecords, contender: str) -> float:
    variants = rows.variants(contender)
    if len(variants) < 3:
        raise KeyError("growth")
    return fit_exponent(
        [rows.fact("megabytes", contender, one) for one in variants], [rows.time(contender, one) for one in variants]
    )


GROWTH = Figure(
    name="growth",
    title="Growth of time with the size of a source",
    description=(
        "`mine(documents)` on every 16th, 8th, 4th, 2nd and every document of growth.jsonl, one source, so that all "
        "sizes have the same mixture: without sampling, and as it is by default, when a source of more documents than "
        "the sample is sampled. The exponent is the slope of least squares on logarithms of "
        "bytes and seconds. A real source of the greatest size is not at hand, so `shared` takes all articles of its "
        "archive as one source and ends at its size; with a single source there are no others to compare with, which "
        f"is no part of this question. `small sources`: {DOCUMENTS_PER_SOURCE} articles each, those of archive.jsonl again and again."
    ),
    measures=(*(row for data in GROUPS for row in _make_growth_rows(data)), *_make_source_rows()),
    claims=(
        Claim(
            text="exponent of time over size, exact",
            value=partial(_fit_exponent_of_rows, contender=EXACT),
            goal=1.05,
            at_least=False,
        ),
        Claim(
            text="exponent of time over size, default",
            value=partial(_fit_exponent_of_rows, contender=SAMPLED),
            goal=1.05,
            at_least=False,
        ),
        Claim(
            text=f"exponent of time over size, {SOURCES[0]} to {SOURCES[-1]:,} sources",
            value=partial(_fit_exponent_of_rows, contender="templatemine, small sources"),
            goal=1.05,
            at_least=False,
        ),
    ),
    columns=("documents",),
)

# ---------------------------------------------------------------------------------------------------------------- cores


def _measure_jobs(bench: Bench, jobs: int) -> Record:
    from templatemine.api import mine

    path, config = bench.folder / "archive.jsonl", make_exact_config()

    def run(rows: list[Any]) -> None:
        mine(rows, config, jobs=jobs)

    return bench.time(run, prepare=lambda: load_documents(path), size=count_bytes(load_texts(path)), max_runs=3)


BATCH = 64
"""Articles a call of `Cleaner.clean_all`: some 1 ms in which other threads run."""

ROUNDS = 5
"""How often the articles come in a run: one tenth of a second for one thread, beside which starting two is nothing."""


def _measure_threads(bench: Bench, threads: int) -> Record:
    from templatemine.cleaning.cleaner import Cleaner
    from templatemine.packs.pack import Pack

    clean_all = Cleaner(Pack.load(bench.folder / "expressions-500.json")).clean_all
    texts = load_articles(bench) * ROUNDS

    def part(given: list[str]) -> None:
        for place in range(0, len(given), BATCH):
            clean_all(given[place : place + BATCH])

    def run(given: list[str]) -> None:
        list(pool.map(part, [given[place::threads] for place in range(threads)]))

    with ThreadPoolExecutor(threads) as pool:
        return bench.time(run, prepare=make_fresh(texts), size=count_bytes(texts))


def _make_core_rows(data: str) -> tuple[Measure, ...]:
    rows = {"mine, jobs": _measure_jobs, "clean, threads": _measure_threads}
    return tuple(
        Measure(
            figure="cores",
            data=data,
            contender=f"templatemine, {number}",
            variant=variant,
            work=partial(work, **{"jobs" if work is _measure_jobs else "threads": number}),
        )
        for variant, work in rows.items()
        for number in (1, 2)
    )


def _compare_speed(rows: FigureRecords, variant: str) -> float:
    return rows.speed("templatemine, 2", variant) / rows.speed("templatemine, 1", variant)


CORES = Figure(
    name="cores",
    title="Two cores",
    description=(
        "`mine(documents, jobs=2)` of archive.jsonl against one job: two threads, a source each at a time; what needs "
        "all sources is done by one. `Cleaner.clean_all` by two threads, each with every second article, 64 a call, against one. Both "
        "cores must be free, or this means nothing."
    ),
    measures=tuple(row for data in GROUPS for row in _make_core_rows(data)),
    claims=(
        Claim(text="`mine`, 2 jobs against 1", value=partial(_compare_speed, variant="mine, jobs"), goal=1.8, unit="x"),
        Claim(
            text="`clean`, 2 threads against 1",
            value=partial(_compare_speed, variant="clean, threads"),
            goal=1.8,
            unit="x",
        ),
    ),
    reference="templatemine, 2",
)
