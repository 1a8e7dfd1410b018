"""Spark itself: in one process, and on a stand-alone cluster that loses a worker in the middle of the job."""

from __future__ import annotations

import gzip
import json
import random
import re
from collections import Counter
from collections.abc import Callable, Iterator
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from archives_by_hand import SAMPLED, Facts, documents, explain_missing_java, make_mixed_archive, mine_locally

pytest.importorskip("pyspark")
pytest.importorskip("pyarrow")
if reason := explain_missing_java():
    pytest.skip(f"Spark needs Java 17, and {reason}", allow_module_level=True)

from cluster import Cluster, cluster, environment, run_job

from templatemine.adapters import spark as adapter
from templatemine.adapters.spark import ArchiveConfig, clean_archive, in_order, mine_archive, read_archive
from templatemine.api import mine
from templatemine.cleaning.cleaner import Cleaner
from templatemine.config import PipelineConfig, ReadConfig
from templatemine.errors import ConfigError, CorpusError, PackError
from templatemine.io.read import read_documents
from templatemine.packs.pack import Pack

pytestmark = [
    pytest.mark.slow,  # starts Java and Python processes below it; test_tasks.py has the same steps as calls
    pytest.mark.filterwarnings("ignore:PySpark does not yet fully support pandas:FutureWarning"),
    # Sockets to Java are closed by the garbage collector.
    pytest.mark.filterwarnings("ignore::ResourceWarning"),
    pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning"),
]

SCHEMA = "source string, id string, text string, html string, date string, title string"


@pytest.fixture(scope="module")
def spark() -> Iterator[Any]:
    from pyspark.sql import SparkSession

    with pytest.MonkeyPatch.context() as patch:
        for name, value in environment().items():
            patch.setenv(name, value)
        builder = SparkSession.builder.master("local[2,4]").config("spark.ui.enabled", "false")
        for name, value in {
            "spark.driver.memory": "700m",
            "spark.driver.host": "127.0.0.1",
            "spark.driver.bindAddress": "127.0.0.1",
            "spark.sql.shuffle.partitions": "3",
            "spark.ui.showConsoleProgress": "false",
        }.items():
            builder = builder.config(name, value)
        session = builder.getOrCreate()
        try:
            yield session
        finally:
            session.stop()


def facts(packs: Any) -> Facts:
    return {
        row["source"]: (row["documents"], row["templates"], row["note"], row["pack"])
        for row in (one if isinstance(one, dict) else one.asDict() for one in packs)
    }


def test_packs_are_byte_for_byte_those_of_a_local_run_in_whatever_order_documents_come(spark: Any) -> None:
    rows = make_mixed_archive()
    wanted = mine_locally(in_order(documents(rows)), SAMPLED)
    random.Random(3).shuffle(rows)
    packs = mine_archive(spark.createDataFrame(rows, SCHEMA).repartition(4), SAMPLED)
    assert facts(packs.collect()) == wanted
    assert "found in a sample of 120 documents" in wanted["big"][2]


def test_a_column_of_places_gives_the_bytes_of_a_run_in_that_order(spark: Any) -> None:
    # Where all ids are one, as of records without any, places alone say which documents are the sample.
    rows = [dict(row, id="a.jsonl:1") if row["source"] == "big" else row for row in make_mixed_archive(seed=6)]
    wanted = mine_locally(documents(rows), SAMPLED)
    assert wanted != mine_locally(documents(rows[::-1]), SAMPLED)
    renamed = [
        {
            "site": row["source"],
            "key": row["id"],
            "body": row["text"],
            "page": row["html"],
            "date": row["date"],
            "headline": row["title"],
            "line": line,
        }
        for line, row in enumerate(rows)
    ]
    random.Random(4).shuffle(renamed)
    df = spark.createDataFrame(
        renamed, "site string, key string, body string, page string, date string, headline string, line long"
    )
    read = ReadConfig(source_field="site", id_field="key", text_field="body", html_field="page", title_field="headline")
    archive = ArchiveConfig(read=read, order="line", partitions=2, parts=1)
    assert facts(mine_archive(df, SAMPLED, archive).collect()) == wanted


def test_cleaning_keeps_rows_columns_and_gives_the_text_of_a_local_run(spark: Any, tmp_path: Path) -> None:
    rows = [row for row in make_mixed_archive() if row["text"] is not None]
    packs = mine(documents(rows))
    df = spark.createDataFrame(
        [(row["source"], row["text"], place) for place, row in enumerate(rows)], "source string, text string, n int"
    )
    cleaned = clean_archive(df, packs)
    assert cleaned.columns == ["source", "text", "n", "removed", "removed_stub"]
    found = {row["n"]: row for row in cleaned.collect()}
    assert len(found) == len(rows)
    cut = 0
    for place, row in enumerate(rows):
        got = found[place]
        if row["source"] not in packs:
            assert (got["text"], got["removed"]) == (row["text"], None)
            continue
        wanted = Cleaner(packs[row["source"]]).clean(row["text"])
        assert got["text"] == wanted.text
        assert [(one["start"], one["end"], tuple(one["templates"])) for one in got["removed"]] == [
            (span.start, span.end, span.templates) for span in wanted.removed
        ]
        cut += len(wanted.removed)
    assert cut > 100
    for number, pack in enumerate(packs.values()):
        pack.save(tmp_path / f"{number}.json")
    from_folder = clean_archive(df, str(tmp_path)).collect()
    assert {row["n"]: row for row in from_folder} == found


def test_files_of_any_format_are_read_where_they_are(spark: Any, tmp_path: Path) -> None:
    rows = [{name: value for name, value in row.items() if value is not None} for row in make_mixed_archive()]
    paths = []
    for number in range(3):
        path = tmp_path / f"{number}.jsonl"
        lines = [json.dumps(row) for row in rows[number::3]]
        path.write_text("\n".join([*lines[:5], "no document", *lines[5:]]), encoding="utf-8")
        paths.append(str(path))
    df = read_archive(spark, paths)
    found = sorted((row["file"], row["place"], row["id"], row["text"]) for row in df.collect())
    assert [(file, id, text) for file, _, id, text in found] == [
        (paths[number], row["id"], row.get("text")) for number in range(3) for row in rows[number::3]
    ]
    assert df.rdd.getNumPartitions() == 3


def test_pages_of_a_crawl_are_those_of_a_local_run(spark: Any, tmp_path: Path) -> None:
    for library in ("fastwarc", "resiliparse", "tldextract"):
        pytest.importorskip(library)

    def fetched(url: str, status: str, page: str) -> bytes:
        block = f"HTTP/1.1 {status}\r\nContent-Type: text/html; charset=utf-8\r\n\r\n{page}".encode()
        head = (
            f"WARC/1.1\r\nWARC-Type: response\r\nWARC-Record-ID: <urn:test:{url}>\r\nWARC-Date: 2024-05-06T07:08:09Z\r\n"
            f"WARC-Target-URI: {url}\r\nContent-Type: application/http; msgtype=response\r\n"
            f"Content-Length: {len(block)}\r\n\r\n"
        )
        return head.encode() + block + b"\r\n\r\n"

    paths = [str(tmp_path / f"{name}.warc.gz") for name in "ab"]
    for path in paths:
        urls = [f"https://www.site{number % 2}.example.co.uk/{Path(path).name}/{number}" for number in range(6)]
        crawl = [fetched(url, "200 OK", f"<p>Grün {url}</p>") for url in urls]
        crawl.insert(2, fetched("https://gone.example.org/", "404 Not Found", "<p>gone</p>"))
        Path(path).write_bytes(b"".join(map(gzip.compress, crawl)))
    found = sorted(read_archive(spark, paths).collect(), key=lambda row: (row["file"], row["place"]))
    wanted = list(read_documents(paths, ReadConfig()))
    assert [(row["source"], row["id"], row["url"], row["date"], row["html"], row["text"]) for row in found] == [
        (one.source, one.id, one.url, one.date, one.html, None) for one in wanted
    ]
    assert len(found) == 12
    assert {row["source"] for row in found} == {"example.co.uk"}
    assert [row["file"] for row in found] == [path for path in paths for _ in range(6)]


def test_mistakes_are_told_by_name(spark: Any) -> None:
    df = spark.createDataFrame([("a", "b")], "site string, text string")
    with pytest.raises(ConfigError, match="columns: expected source, found site, text"):
        mine_archive(df)
    with pytest.raises(ConfigError, match="columns: expected source, and text or html, found site, text"):
        clean_archive(df, {})
    with pytest.raises(ConfigError, match="columns: expected source, and text or html, found source"):
        clean_archive(df.selectExpr("site as source"), {})
    with pytest.raises(PackError, match="missing: cannot be read"):
        clean_archive(df.selectExpr("site as source", "text"), "missing")
    with pytest.raises(ConfigError, match="columns: expected text or html, found source"):
        mine_archive(df.selectExpr("site as source"))
    with pytest.raises(ConfigError, match="column text: expected string, found int"):
        clean_archive(df.selectExpr("site as source", "1 as text"), {})
    with pytest.raises(CorpusError, match="data frame: expected documents, found none"):
        mine_archive(df.selectExpr("site as source", "text").where("false"))
    with pytest.raises(ConfigError, match="method"):
        mine_archive(df, PipelineConfig(method="none"))
    with pytest.raises(ConfigError, match="parts: expected a power of two, got 3"):
        ArchiveConfig(parts=3)
    with pytest.raises(ConfigError, match="partitions: expected at least 1, got 0"):
        ArchiveConfig(partitions=0)


STEPS = ("mine", "compare_strings", "decide", "answer_queries", "proceed", "clean")


def make_deadly_once(step: Callable[..., Iterator[Any]], marker: str) -> Callable[..., Iterator[Any]]:
    """A step whose process kills itself in the middle of the first of its tasks, and of no other."""

    def work(batches: Iterator[Any], *others: Any, **named: Any) -> Iterator[Any]:
        import os
        import signal

        from pyspark import TaskContext

        for batch in step(batches, *others, **named):
            yield batch
            try:
                os.close(os.open(marker, os.O_CREAT | os.O_EXCL))
            except FileExistsError:
                continue
            assert TaskContext.get().attemptNumber() == 0
            os.kill(os.getpid(), signal.SIGKILL)

    return work


def test_python_processes_that_are_killed_in_the_middle_change_no_byte(
    spark: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Spark tries the task again, in a process of its own, whatever of it had been sent."""
    rows = make_mixed_archive()
    df = spark.createDataFrame(rows, SCHEMA).repartition(4)

    def run() -> tuple[Facts, list[tuple[Any, ...]]]:
        packs = mine_archive(df, SAMPLED)
        cleaned = clean_archive(df, packs.where("pack is not null")).orderBy("source", "id", "text").collect()
        return facts(packs.collect()), [tuple(row) for row in cleaned]

    wanted = run()
    assert len(wanted[1]) == len(rows)
    # Only what the adapter names: the rest of a module goes to no other process.
    named = set(re.findall(r"\btasks\.(\w+)", Path(adapter.__file__).read_text()))
    given = {name: getattr(adapter.tasks, name) for name in {*named, *STEPS}}
    killed = {name: make_deadly_once(given[name], str(tmp_path / name)) for name in STEPS}
    monkeypatch.setattr(adapter, "tasks", SimpleNamespace(**given | killed))
    assert run() == wanted
    assert sorted(path.name for path in tmp_path.iterdir()) == sorted(STEPS)


def run_job_on(running: Cluster, archive: Path, folder: Path, kill_after: int | None) -> dict[str, Any]:
    """The job on a cluster; the second worker is killed when so many tasks are done."""
    with run_job(running.master, archive, folder) as process:
        assert process.stdout is not None
        most = 0
        for line in process.stdout:
            done = int(line) if line.strip().isdigit() else 0
            most = max(most, done)
            if kill_after is not None and done >= kill_after:
                assert not (folder / "result.json").exists()
                running.kill_worker(1)
                kill_after = None
        code = process.wait(60)
        log = (folder / "job.log").read_text(encoding="utf-8", errors="replace")
        assert code == 0, log[-5000:]
    assert kill_after is None, f"only {most} tasks were done"
    return {"log": log, "tasks": most, **json.loads((folder / "result.json").read_text(encoding="utf-8"))}


def test_a_cluster_that_loses_a_worker_gives_the_same_bytes(tmp_path: Path) -> None:
    rows = make_mixed_archive()
    archive = tmp_path / "archive.jsonl"
    archive.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
    wanted = mine_locally(in_order(documents(rows)), SAMPLED)
    with cluster(2, tmp_path) as running:
        found = run_job_on(running, archive, tmp_path, kill_after=30)
        assert running.processes[2].poll() is not None
        assert all(process.poll() is None for process in running.processes[:2])
    assert "Lost executor" in found["log"]
    assert facts(found["packs"]) == wanted
    # Nothing lost, nothing twice.
    key = Counter((row["source"], row["id"]) for row in rows)
    assert Counter((row["source"], row["id"]) for row in found["cleaned"]) == key
    packs = {source: Pack.from_json(one[3]) for source, one in wanted.items() if one[3] is not None}
    texts = {(row["source"], row["id"]): row["text"] for row in rows}
    for row in found["cleaned"]:
        pack = packs.get(row["source"])
        if pack is not None and not pack.html:
            assert row["text"] == Cleaner(pack).clean(texts[row["source"], row["id"]]).text
