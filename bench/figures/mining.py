"""Mining: all documents of a source sorted, and a sample mined and counted in all of them."""

from __future__ import annotations

import statistics
import time
from functools import partial
from typing import Any

from benchmark_archives import SIZES, count_bytes, load_documents, load_texts
from harness import GROUPS, Bench, Claim, Figure, FigureRecords, Measure, Record, summarize_runs

__all__ = ["EXACT", "SAMPLED", "make_exact_config", "make_sampled_config"]

THESIS_MB_PER_S = 0.49
"""220 MB in 7 minutes 29 seconds on eight threads, as the thesis tells; another machine, so no ratio is made of it."""


def make_exact_config() -> Any:
    """Every document is mined, however many there are."""
    from templatemine.config import PipelineConfig, SampleConfig

    return PipelineConfig(sample=SampleConfig(exact=True))


def make_sampled_config(bench: Bench) -> Any:
    """Sources with more documents than the sample are sampled."""
    from templatemine.config import PipelineConfig, SampleConfig

    return PipelineConfig(sample=SampleConfig(documents=SIZES[bench.quick].sample))


# ---------------------------------------------------------------------------------------------------------------- exact


def _measure_mine(bench: Bench) -> Record:
    from templatemine.api import mine

    config = make_exact_config()
    packs = {}
    size = count_bytes(load_texts(bench.folder / "archive.jsonl"))
    record = bench.time(
        lambda rows: packs.update(mine(rows, config)),
        prepare=lambda: load_documents(bench.folder / "archive.jsonl"),
        size=size,
    )
    return {**record, "templates": sum(len(pack.templates) for pack in packs.values())}


def _sort_bytes(bench: Bench) -> Record:
    import pydivsufsort

    text = (bench.folder / "text.txt").read_bytes()

    def sort() -> None:
        pydivsufsort.divsufsort(text)

    return bench.time(sort, size=len(text))


def _make_exact_rows(data: str) -> tuple[Measure, ...]:
    name = "mine-exact"
    return (
        Measure(figure=name, data=data, contender="templatemine", work=_measure_mine),
        Measure(
            figure=name,
            data=data,
            contender="pydivsufsort, bytes",
            work=_sort_bytes,
            needs=("pydivsufsort",),
            limit=240,
        ),
    )


EXACT = Figure(
    name="mine-exact",
    title="Mining, exact",
    description=(
        "`mine(documents)` of archive.jsonl, from texts in memory (str) to packs in memory, no sampling, against "
        "`pydivsufsort.divsufsort` of the bytes of the same texts, which sorts them and does nothing else. "
        f"The thesis tells of {THESIS_MB_PER_S} MB/s on eight threads of another machine."
    ),
    measures=tuple(row for data in GROUPS for row in _make_exact_rows(data)),
    claims=(
        Claim(
            text="speed, against sorting the bytes of the same text",
            value=lambda rows: rows.speed() / rows.speed("pydivsufsort, bytes"),
            goal=2.0,
            unit="x",
        ),
    ),
    columns=("templates",),
)


# -------------------------------------------------------------------------------------------------------------- sampled

PARTS = {"half": 2, "whole": 1}
"""Variant -> every so-manieth document of large.jsonl."""
IN_TURN = "half and whole in turn"
SLOPE = "asymptotic_mb_per_s"


def _measure_part(bench: Bench, every: int) -> Record:
    """Every so-manieth document of the large source: in any part there are more than the sample."""
    from templatemine.api import mine

    config = make_sampled_config(bench)

    def read() -> list[Any]:
        return load_documents(bench.folder / "peers.jsonl") + load_documents(bench.folder / "large.jsonl", every)

    def run(rows: list[Any]) -> None:
        mine(rows, config)

    rows = read()
    size, number = count_bytes(row.body for row in rows), len(rows)
    del rows
    return bench.time(run, prepare=read, size=size, documents=number)


def _measure_in_turn(bench: Bench) -> Record:
    """Both parts in one process, one after the other in each round: of rows of their own the difference is as large as
    what a noisy machine makes of each."""
    from templatemine.api import mine

    config = make_sampled_config(bench)
    peers = load_documents(bench.folder / "peers.jsonl")
    parts = [peers + load_documents(bench.folder / "large.jsonl", every) for every in PARTS.values()]
    half, whole = (count_bytes(row.body for row in rows) for rows in parts)
    slopes: list[float] = []

    def run() -> None:
        times = [time.process_time()]
        for rows in parts:
            mine(rows, config)
            times.append(time.process_time())
        slopes.append((whole - half) / 1e6 / (times[2] - 2 * times[1] + times[0]))

    record = bench.time(run, size=half + whole)
    return {**record, SLOPE: round(statistics.median(slopes), 1)}


def _measure_agreement(bench: Bench) -> Record:
    """Templates that the exact pack and the sampled one have with the same document frequency."""
    from templatemine.api import mine

    rows = load_documents(bench.folder / "peers.jsonl") + load_documents(bench.folder / "large.jsonl")
    source = rows[-1].source
    packs, record = [], {}
    for config in (make_sampled_config(bench), make_exact_config()):
        start = time.perf_counter()
        pack = mine(rows, config)[source]
        record = summarize_runs([time.perf_counter() - start], [count_bytes(row.body for row in rows)])
        packs.append({template.tokens: template.df for template in pack.templates})
    sampled, exact = packs
    same = sum(sampled.get(tokens) == df for tokens, df in exact.items())
    return {
        **record,
        "documents": len(rows),
        "templates": len(exact),
        "same": same,
        "only_sampled": len(sampled.keys() - exact.keys()),
    }


def _make_sampled_rows(data: str) -> tuple[Measure, ...]:
    name = "mine-sampled"
    return (
        *(
            Measure(
                figure=name,
                data=data,
                contender="templatemine",
                variant=variant,
                work=partial(_measure_part, every=every),
            )
            for variant, every in PARTS.items()
        ),
        Measure(figure=name, data=data, contender="templatemine", variant=IN_TURN, work=_measure_in_turn, limit=240),
        Measure(figure=name, data=data, contender="templatemine", variant="exact", work=_measure_agreement, limit=240),
    )


def _compute_same_share(rows: FigureRecords) -> float:
    return rows.fact("same", variant="exact") / rows.fact("templates", variant="exact")


SAMPLED = Figure(
    name="mine-sampled",
    title="Mining, sampled",
    description=(
        "`mine(documents)` of large.jsonl and peers.jsonl with the default sample: all documents of large.jsonl, and "
        "every second one. The speed that is asked for is that of the difference, in which what a sample costs once "
        f"cancels out: the median over rounds of row `{IN_TURN}`, one process that mines both in each, of processor "
        "time. Row `exact`: one run without sampling, whose templates are "
        "compared: `same` of `templates` stand in the sampled pack with the same document frequency, `only sampled` in "
        "that one alone. The archive is made of copies, which are not learnt from: in all of it the exact run sees most "
        "of them, in a sample few are seen."
    ),
    measures=tuple(row for data in GROUPS for row in _make_sampled_rows(data)),
    claims=(
        Claim(text="speed, asymptotic", value=lambda rows: rows.fact(SLOPE, variant=IN_TURN), goal=100.0, unit="MB/s"),
        Claim(text="templates of the exact pack with the same df", value=_compute_same_share, goal=0.99),
    ),
    columns=("documents", SLOPE, "templates", "same", "only_sampled"),
)
