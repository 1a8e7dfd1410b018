"""A stand-alone Spark cluster of processes on loopback, and a job on it; nothing outlives the with-block.

As a program it is the job: ``cluster.py MASTER ARCHIVE FOLDER`` mines and cleans an archive, says on standard output how many
tasks are done, and writes what it got to FOLDER.
"""

from __future__ import annotations

import json
import os
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from threading import Thread, Timer

import templatemine

HOST = "127.0.0.1"
PATIENCE = 420
"""Seconds that the job may take; it takes one, on a quiet machine."""
SOURCE = str(Path(templatemine.__file__).resolve().parents[1])
HERE = str(Path(__file__).resolve().parent)


@dataclass
class Cluster:
    """A master and its workers; each leads a process group that its executors are in."""

    master: str
    processes: list[subprocess.Popen[bytes]]

    def kill_worker(self, number: int) -> None:
        """As if its machine failed: the worker and its executors at once."""
        kill_group(self.processes[1 + number])


def kill_group(process: subprocess.Popen[bytes]) -> None:
    """Kill a process group that we started, by its id."""
    if process.poll() is None:
        with suppress(ProcessLookupError):
            os.killpg(process.pid, signal.SIGKILL)
    process.wait(30)


def environment() -> dict[str, str]:
    return {
        **os.environ,
        "SPARK_LOCAL_IP": HOST,
        "SPARK_DAEMON_MEMORY": "256m",
        "PYSPARK_PYTHON": sys.executable,
        "PYSPARK_DRIVER_PYTHON": sys.executable,
        "PYTHONPATH": os.pathsep.join([SOURCE, HERE]),
        "PYTHONWARNINGS": "ignore",
    }


@contextmanager
def cluster(workers: int, folder: Path) -> Iterator[Cluster]:
    """Start a cluster; a core and half a gigabyte each."""
    import pyspark

    program = str(Path(pyspark.__file__).parent / "bin" / "spark-class")
    package = "org.apache.spark.deploy"
    with socket.socket() as free:
        free.bind((HOST, 0))
        port = free.getsockname()[1]
    master = f"spark://{HOST}:{port}"
    running = Cluster(master, [])
    own = {**environment(), "SPARK_HOME": str(Path(pyspark.__file__).parent)}

    def start(name: str, arguments: Sequence[str]) -> None:
        with open(folder / f"{len(running.processes)}.log", "wb") as log:
            command = [program, f"{package}.{name}", *arguments]
            running.processes.append(
                subprocess.Popen(command, env=own, stdout=log, stderr=log, cwd=folder, start_new_session=True)
            )

    try:
        start("master.Master", ["--host", HOST, "--port", str(port), "--webui-port", "0"])
        _wait_for(folder / "0.log", "Starting Spark master")
        for number in range(workers):
            place = folder / f"worker{number}"
            place.mkdir()
            options = [
                "--host",
                HOST,
                "--cores",
                "1",
                "--memory",
                "600m",
                "--webui-port",
                "0",
                "--work-dir",
                str(place),
            ]
            start("worker.Worker", [*options, master])
        for number in range(workers):
            _wait_for(folder / f"{1 + number}.log", "Successfully registered with master")
        yield running
    finally:
        for process in reversed(running.processes):
            kill_group(process)


def _wait_for(log: Path, text: str, seconds: float = 120) -> None:
    until = time.monotonic() + seconds
    while text not in log.read_text(encoding="utf-8", errors="replace"):
        assert time.monotonic() < until, f"{log}: {text!r} did not come\n{log.read_text(errors='replace')}"
        time.sleep(0.1)


@contextmanager
def run_job(master: str, archive: Path, folder: Path) -> Iterator[subprocess.Popen[bytes]]:
    """The job, whose standard output is a pipe and whose log is ``job.log``; killed after some minutes."""
    with open(folder / "job.log", "wb") as log:
        command = [sys.executable, str(Path(__file__).resolve()), master, str(archive), str(folder)]
        process = subprocess.Popen(
            command, env=environment(), stdout=subprocess.PIPE, stderr=log, cwd=folder, start_new_session=True
        )
    alarm = Timer(PATIENCE, kill_group, [process])
    alarm.start()
    try:
        yield process
    finally:
        alarm.cancel()
        kill_group(process)
        assert process.stdout is not None
        process.stdout.close()


def main(master: str, archive: str, folder: str) -> None:
    from archives_by_hand import SAMPLED
    from pyspark.sql import SparkSession

    from templatemine.adapters.spark import ArchiveConfig, clean_archive, mine_archive

    builder = SparkSession.builder.master(master).appName("test")
    options = {
        "spark.ui.enabled": "false",
        "spark.driver.host": HOST,
        "spark.driver.bindAddress": HOST,
        "spark.executor.memory": "500m",
        "spark.executorEnv.PYTHONPATH": os.environ["PYTHONPATH"],
        "spark.sql.shuffle.partitions": "4",
        "spark.ui.showConsoleProgress": "false",
    }
    for name, value in options.items():
        builder = builder.config(name, value)
    spark = builder.getOrCreate()
    tracker = spark.sparkContext.statusTracker()

    def tell() -> None:
        while True:
            jobs = [tracker.getJobInfo(one) for one in tracker.getJobIdsForGroup()]
            stages = {stage for one in jobs if one is not None for stage in one.stageIds}
            found = [tracker.getStageInfo(stage) for stage in stages]
            print(sum(one.numCompletedTasks for one in found if one is not None), flush=True)
            time.sleep(0.1)

    Thread(target=tell, daemon=True).start()
    schema = "source string, id string, text string, html string, date string, title string"
    documents = spark.read.schema(schema).json(archive).repartition(6)
    packs = mine_archive(documents, SAMPLED, ArchiveConfig(partitions=6, parts=4))
    rows = [row.asDict() for row in packs.collect()]
    cleaned = clean_archive(documents, packs).select("source", "id", "text", "removed").collect()
    out = {"packs": rows, "cleaned": [row.asDict(recursive=True) for row in cleaned]}
    Path(folder, "result.json").write_text(json.dumps(out), encoding="utf-8")
    spark.stop()


if __name__ == "__main__":
    main(*sys.argv[1:])
