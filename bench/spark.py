"""What Spark costs beside the local pool, and the constants that docs/spark.md computes with.

    python bench/spark.py costs ARCHIVE.jsonl.gz              seconds and bytes a document and a source, one core, no Spark
    python bench/spark.py compare ARCHIVE.jsonl.gz --cores 2  records a second: the pool, Spark in one process, the same bytes
    python bench/spark.py needs COSTS.json --documents 1.5e9 --sources 5e4      core hours, memory, bytes through the shuffle

Each prints a table and, with --output, writes JSON.  `costs` runs the very functions that run on the executors.
"""

from __future__ import annotations

import argparse
import json
import os
import sys
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from statistics import median
from typing import Any

from machine import describe_machine
from templatemine.config import PipelineConfig, ReadConfig, SampleConfig
from templatemine.io.read import read_documents
from templatemine.mining.cross_source import count_sources
from templatemine.mining.methods import ResolvedConfig, resolve_defaults
from templatemine.mining.stages import decide_source, mine_source
from templatemine.model import Document
from templatemine.pipeline import Miner

REPEATS = 3


def time_call(work: Callable[..., Any], repeats: int = 1, *arguments: Any) -> tuple[float, Any]:
    """Least processor seconds of this thread, and what the last run gave."""
    best = float("inf")
    for _ in range(repeats):
        start = time.process_time()
        result = work(*arguments)
        best = min(best, time.process_time() - start)
    return best, result


# --------------------------------------------------------------------------------------------------------------- costs


def make_batches(documents: Sequence[Document], part: int = 0) -> Iterator[Any]:
    import pyarrow as pa

    for start in range(0, len(documents), 500):
        some = documents[start : start + 500]
        names = ("source", "id", "text", "html", "date", "title")
        yield pa.RecordBatch.from_pylist(
            [{"part": part, **{name: getattr(one, name) for name in names}} for one in some]
        )


def read_rows(found: Iterable[Any]) -> list[dict[str, Any]]:
    return [row for batch in found for row in batch.to_pylist()]


def count_bytes(some: Iterable[dict[str, Any]]) -> int:
    return sum(len(row["data"]) for row in some)


def measure_costs(path: str) -> dict[str, float]:
    """The constants, of the sources of an archive that are fit to be mined."""
    import pyarrow as pa

    from templatemine.adapters import tasks
    from templatemine.cleaning.records import RecordConfig
    from templatemine.packs.pack import Pack

    by_source: dict[str, list[Document]] = {}
    for document in read_documents([path], ReadConfig()):
        by_source.setdefault(document.source, []).append(document)
    archive = {source: found for source, found in sorted(by_source.items()) if len(found) >= 100}
    documents = [document for found in archive.values() for document in found]
    number = len(documents)
    # What is mined is a sample already, or as large as one.
    options = resolve_defaults(PipelineConfig(sample=SampleConfig(exact=True)))
    plan = tasks.Plan(options=options, bits=6, floor=0)
    # Seconds of a source of n documents are a n + b: all of it, and its first 20 documents.
    first_documents = [document for found in archive.values() for document in found[:20]]
    whole, mined = time_call(lambda: read_rows(tasks.mine(make_batches(documents), plan)))
    small, _ = time_call(lambda: read_rows(tasks.mine(make_batches(first_documents), plan)), REPEATS)
    string_rows = [row for row in mined if row["kind"] == tasks.STRINGS]
    string_rows.sort(key=lambda row: (row["number"], row["source"]))
    answering, answered = time_call(lambda: read_rows(tasks.compare_strings(_rebatch(string_rows))))
    reduced = sorted(
        [row for row in mined if row["kind"] != tasks.STRINGS] + answered,
        key=lambda row: (row["source"], row["kind"], row["number"], row["piece"]),
    )
    deciding, decided = time_call(lambda: read_rows(tasks.decide(_rebatch(reduced), plan)))
    facts = read_rows(tasks.read_reports(_rebatch(decided)))
    packs = {row["source"]: Pack.from_json(row["pack"]) for row in facts if row["pack"]}
    shipped = {source: tasks.serialize(pack) for source, pack in packs.items()}
    cleaning, _ = time_call(
        lambda: [0 for _ in tasks.clean(_batch_for_cleaning(documents), shipped, RecordConfig())], REPEATS
    )
    counting, query_bytes = _measure_counting(archive, options)
    reading, _ = time_call(lambda: [0 for _ in tasks._documents(make_batches(documents))], REPEATS)
    body = sum(len(document.body.encode("utf-8", "surrogatepass")) for document in documents)
    packed = sum(
        len(
            pa.compress(
                "\n".join(one.body for one in documents[start : start + 20]).encode("utf-8", "surrogatepass"),
                codec="lz4_raw",
                asbytes=True,
            )
        )
        for start in range(0, number, 20)
    )
    slope = (whole - small) / (number - len(first_documents))
    return {
        "sources": len(archive),
        "documents": number,
        "bytes_document": body / number,
        "packed_document": packed / number,
        "arrow_seconds_document": reading / number,
        "mine_seconds_document": slope,
        "mine_seconds_source": max(0.0, (small - slope * len(first_documents)) / len(archive)),
        "strings_document": count_bytes(string_rows) / 8 / number,
        "told_bytes_document": count_bytes(string_rows) / number,
        "answer_seconds_document": answering / number,
        "answer_bytes_document": count_bytes(answered) / number,
        "state_bytes_document": count_bytes(row for row in mined if row["kind"] == tasks.STATE) / number,
        "decide_seconds_document": deciding / number,
        "count_seconds_document": counting,
        "candidate_bytes_source": query_bytes,
        "clean_seconds_document": cleaning / number,
        "pack_bytes_source": sum(map(len, shipped.values())) / len(shipped),
        "pack_json_source": sum(len(row["pack"].encode()) for row in facts if row["pack"]) / len(packs),
    }


def _rebatch(some: Sequence[dict[str, Any]]) -> Iterator[Any]:
    import pyarrow as pa

    for start in range(0, len(some), 200):
        yield pa.RecordBatch.from_pylist(list(some[start : start + 200]))


def _batch_for_cleaning(documents: Sequence[Document]) -> Iterator[Any]:
    """In the order of days, as a crawl has them: sources interleaved."""
    return make_batches(sorted(documents, key=lambda one: (one.date or "", one.id)))


def _measure_counting(archive: dict[str, list[Document]], options: ResolvedConfig) -> tuple[float, float]:
    """Seconds a document in which templates are counted and fillers of slots are read, and bytes of the query of a
    source, when half of a source is its sample."""
    from templatemine.adapters import tasks

    halves = {
        source: replace(options, sample=SampleConfig(documents=len(found) // 2)) for source, found in archive.items()
    }
    mined = [mine_source(source, found, halves[source]) for source, found in archive.items()]
    shared = count_sources([one.hashes for one in mined])
    steps: dict[str, Any] = {
        one.source: decide_source(one, shared.lookup(one.hashes), halves[one.source]) for one in mined
    }
    documents = [document for some in archive.values() for document in some]
    queries = {source: tasks.serialize(step.query) for source, step in steps.items()}
    spent, _ = time_call(
        lambda asked: read_rows(tasks.answer_queries(_batch_for_cleaning(documents), asked, options)), REPEATS, queries
    )
    return spent / len(documents), sum(map(len, queries.values())) / len(queries)


# ------------------------------------------------------------------------------------------------------------- compare


def compare_with_pool(path: str, cores: int) -> dict[str, float]:
    """Records a second of both, wall clock: from documents in memory to packs, and cleaning.

    The pool cleans from file to bytes of JSON, Spark from memory to nowhere: each as it is used.
    """

    from templatemine.adapters.spark import clean_archive, in_order, mine_archive
    from templatemine.cleaning.records import RecordCleaner
    from templatemine.io.read import read_batches

    out: dict[str, float] = {}
    start = time.perf_counter()
    documents = in_order(read_documents([path], ReadConfig()))
    out["pool_read_seconds"] = time.perf_counter() - start
    times = []
    for _ in range(REPEATS):
        start = time.perf_counter()
        reports = Miner(PipelineConfig(), jobs=cores).run(documents)
        times.append(time.perf_counter() - start)
    out["pool_mine_seconds"], out["pool_mine_median"] = min(times), median(times)
    wanted = {report.source: report.pack.to_json() if report.pack else None for report in reports}
    packs = {report.source: report.pack for report in reports if report.pack}
    out["documents"] = sum(report.documents for report in reports)
    times = []
    for _ in range(REPEATS):
        start = time.perf_counter()
        cleaner = RecordCleaner(packs, jobs=cores)
        out["pool_clean_bytes"] = sum(map(len, cleaner.clean_batches(read_batches([path], ReadConfig(), print))))
        times.append(time.perf_counter() - start)
    out["pool_clean_seconds"] = min(times)
    spark = _start_session(cores)
    try:
        schema = "source string, id string, text string, html string, date string"
        df = spark.read.schema(schema).json(path).repartition(4 * cores).cache()
        df.count()  # one gzip file is one task; an archive has many
        df.mapInArrow(lambda some: some, df.schema).count()  # Python's processes are there
        times = []
        for _ in range(1 + REPEATS):
            start = time.perf_counter()
            found = mine_archive(df)
            times.append(time.perf_counter() - start)
            assert {row["source"]: row["pack"] for row in found.collect()} == wanted, "other bytes"
            found.unpersist()
        out["spark_mine_first"] = times[0]  # Java compiles what it runs often
        out["spark_mine_seconds"], out["spark_mine_median"] = min(times[1:]), median(times[1:])
        found = mine_archive(df)
        times = []
        for _ in range(REPEATS):
            start = time.perf_counter()
            clean_archive(df, found).write.format("noop").mode("overwrite").save()
            times.append(time.perf_counter() - start)
        out["spark_clean_seconds"], out["spark_clean_median"] = min(times), median(times)
        times = []
        for _ in range(REPEATS):
            start = time.perf_counter()
            df.mapInArrow(lambda some: some, df.schema).write.format("noop").mode("overwrite").save()
            times.append(time.perf_counter() - start)
        out["spark_nothing_seconds"] = min(times)
    finally:
        spark.stop()
    for name in ("pool_mine", "pool_clean", "spark_mine", "spark_clean"):
        out[f"{name}_records"] = out["documents"] / out[f"{name}_seconds"]
    return out


def _start_session(cores: int) -> Any:
    from pyspark.sql import SparkSession

    os.environ.setdefault("PYSPARK_PYTHON", sys.executable)
    builder = SparkSession.builder.master(f"local[{cores}]")
    for name, value in {
        "spark.driver.memory": "2g",
        "spark.driver.host": "127.0.0.1",
        "spark.driver.bindAddress": "127.0.0.1",
        "spark.ui.enabled": "false",
        "spark.ui.showConsoleProgress": "false",
        "spark.log.level": "ERROR",
        "spark.sql.shuffle.partitions": str(2 * cores),
    }.items():
        builder = builder.config(name, value)
    return builder.getOrCreate()


# --------------------------------------------------------------------------------------------------------------- needs


def compute_needs(c: dict[str, float], documents: float, sources: float, cores: float) -> dict[str, float]:
    """The formulas of docs/spark.md."""
    mined = min(documents, sources * SampleConfig().documents)
    counted = documents if documents > mined else 0.0
    mining = mined * (c["mine_seconds_document"] + c["answer_seconds_document"] + c["decide_seconds_document"])
    mining += sources * c["mine_seconds_source"]
    counting = counted * (c["count_seconds_document"] + c["arrow_seconds_document"])
    cleaning = documents * (c["clean_seconds_document"] + c["arrow_seconds_document"])
    answers = mined * c["told_bytes_document"]  # at most: among so many sources hardly a string stands alone
    return {
        "mined_documents": mined,
        "mining_core_hours": mining / 3600,
        "counting_core_hours": counting / 3600,
        "cleaning_core_hours": cleaning / 3600,
        "core_hours": (mining + counting + cleaning) / 3600,
        "days_on_cores": (mining + counting + cleaning) / 86400 / cores,
        "shuffle_documents_bytes": mined * c["packed_document"],
        "shuffle_told_bytes": mined * c["told_bytes_document"],
        "shuffle_answers_bytes": answers,
        "shuffle_state_bytes": mined * c["state_bytes_document"],
        "stored_bytes": mined * (c["told_bytes_document"] + c["state_bytes_document"]),
        "shuffle_bytes": mined * (c["packed_document"] + c["told_bytes_document"] + c["state_bytes_document"])
        + answers,
        "broadcast_candidates_bytes": sources * c["candidate_bytes_source"],
        "broadcast_packs_bytes": sources * c["pack_bytes_source"],
        "mining_memory_bytes": 6 * SampleConfig().documents * c["bytes_document"],
    }


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("what", choices=("costs", "compare", "needs"))
    parser.add_argument("path")
    parser.add_argument("--cores", type=int, default=2)
    parser.add_argument("--documents", type=float, default=1.5e9)
    parser.add_argument("--sources", type=float, default=5e4)
    parser.add_argument("--output", type=Path)
    args = parser.parse_args()
    if args.what == "costs":
        found = measure_costs(args.path)
    elif args.what == "compare":
        found = compare_with_pool(args.path, args.cores)
    else:
        found = compute_needs(json.loads(Path(args.path).read_text("utf-8")), args.documents, args.sources, args.cores)
    if args.output:
        args.output.write_text(json.dumps(found, indent=1) + "\n", encoding="utf-8")
    for name, fact in describe_machine().items():
        print(f"{name}: {fact}")
    for name, value in found.items():
        print(f"{name:32} {value:,.6g}")


if __name__ == "__main__":
    main()
