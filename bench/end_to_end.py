"""Time from documents in memory to packs, and from texts to cleaned texts, beside sorting the bytes of the same text.

    python bench/end_to_end.py [--megabytes 20] [--runs 5] [--archive FILE.jsonl.gz ...]

Without --archive the archive is made by the generator (seed 7).  Each figure is taken in a process of its own, so that
memory does not mix; the contender `pydivsufsort` builds the suffix array of the bytes and does nothing else.  Output: a
JSON line a figure, then a table.  One core; the machine's other work is not known to this script, so compare ratios.
"""

from __future__ import annotations

import argparse
import gzip
import json
import platform
import resource
import statistics
import subprocess
import sys
import time
from collections.abc import Callable, Iterable
from importlib.metadata import version
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parent.parent / "datasets"))


def records(arguments: argparse.Namespace) -> Iterable[dict[str, Any]]:
    """The archive, from files or from the generator."""
    if arguments.archive:
        for name in arguments.archive:
            with gzip.open(name, "rt", encoding="utf-8") as handle:
                yield from map(json.loads, handle)
        return
    from generate import ArchiveSpec, generate, sized

    yield from generate(sized(ArchiveSpec(seed=7, sources=6), arguments.megabytes))


def timed(work: Callable[[], object], runs: int) -> list[float]:
    """Seconds of each run, after one that is not counted."""
    seconds: list[float] = []
    for _ in range(runs + 1):
        start = time.perf_counter()
        work()
        seconds.append(time.perf_counter() - start)
    return seconds[1:]


def measure(figure: str, arguments: argparse.Namespace) -> dict[str, Any]:
    """One figure, in this process."""
    from templatemine.model import Document

    rows = list(records(arguments))
    size = sum(len(row["text"].encode("utf-8", "surrogatepass")) for row in rows)
    documents = [Document(source=row["source"], id=row["id"], text=row["text"], date=row.get("date")) for row in rows]
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    if figure == "pydivsufsort bytes":
        import pydivsufsort

        whole = "\n".join(row["text"] for row in rows).encode("utf-8", "surrogatepass")
        seconds = timed(lambda: pydivsufsort.divsufsort(whole), arguments.runs)
    else:
        from templatemine.clean import Cleaner
        from templatemine.config import PipelineConfig
        from templatemine.pipeline import mine

        verb, name = figure.split()
        if verb == "mine":
            seconds = timed(lambda: mine(documents, PipelineConfig(method=name)), arguments.runs)
        else:
            packs = mine(documents)
            cleaners = {source: Cleaner(pack) for source, pack in packs.items()}
            pairs = [(cleaners[row.source], row.body) for row in documents if row.source in cleaners]
            seconds = timed(lambda: [cleaner.clean(text) for cleaner, text in pairs], arguments.runs)
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    return {
        "figure": figure,
        "megabytes": round(size / 1e6, 1),
        "documents": len(rows),
        "runs": arguments.runs,
        "min_s": round(min(seconds), 3),
        "median_s": round(statistics.median(seconds), 3),
        "mb_per_s": round(size / 1e6 / statistics.median(seconds), 1),
        "memory_over_documents_mb": round((peak - before) / 1024, 1),
    }


FIGURES = ("pydivsufsort bytes", "mine default", "mine thesis", "clean native")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--megabytes", type=float, default=20.0)
    parser.add_argument("--runs", type=int, default=5)
    parser.add_argument("--archive", nargs="*", default=[])
    parser.add_argument("--figure", choices=FIGURES, help=argparse.SUPPRESS)
    arguments = parser.parse_args()
    if arguments.figure:
        print(json.dumps(measure(arguments.figure, arguments)))
        return
    rows = []
    for figure in FIGURES:
        command = [sys.executable, __file__, *sys.argv[1:], "--figure", figure]
        out = subprocess.run(command, check=True, stdout=subprocess.PIPE, text=True).stdout
        print(out, end="", flush=True)
        rows.append(json.loads(out))
    packages = ", ".join(f"{name} {version(name)}" for name in ("templatemine", "pydivsufsort", "numpy"))
    print(f"\nPython {platform.python_version()} on {platform.machine()}, {packages}; {rows[0]['megabytes']} MB of text")
    print(f"{'figure':22}{'median s':>10}{'min s':>9}{'MB/s':>8}{'x pydivsufsort':>16}{'memory MB':>11}")
    for row in rows:
        ratio = rows[0]["median_s"] / row["median_s"]
        print(
            f"{row['figure']:22}{row['median_s']:>10}{row['min_s']:>9}{row['mb_per_s']:>8}{ratio:>16.2f}"
            f"{row['memory_over_documents_mb']:>11}"
        )


if __name__ == "__main__":
    main()
