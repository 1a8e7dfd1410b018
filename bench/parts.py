"""What each part of mining costs: processor time and memory that `mine` takes in it.

    python bench/parts.py                       generated archives, and with ../shared English news; writes
                                                docs/research/parts.md
    python bench/parts.py ARCHIVE.jsonl.gz ...  archives of your own; prints the table

Each archive is mined `ROUNDS` times by one process.  Parts are functions of the stages; their time is that of the
process while they run, their memory the greatest that Python and numpy hold more than at their start (`tracemalloc`, in
a run of its own, which is slower).
"""

from __future__ import annotations

import argparse
import sys
import time
import tracemalloc
from collections import Counter, defaultdict
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from datetime import date
from pathlib import Path
from statistics import median
from typing import Any

ROOT = Path(__file__).resolve().parents[1]
for folder in ("datasets", "bench"):
    if str(ROOT / folder) not in sys.path:
        sys.path.insert(0, str(ROOT / folder))

from generate import ArchiveSpec, generate  # noqa: E402
from machine import describe_machine  # noqa: E402
from quality import archives  # noqa: E402
from quality.loso_page import format_percent, format_table  # noqa: E402
from templatemine.config import ReadConfig  # noqa: E402
from templatemine.io.read import read_documents  # noqa: E402
from templatemine.mining import features, segments, stages  # noqa: E402
from templatemine.mining.score import Model  # noqa: E402
from templatemine.mining.wording import Wording  # noqa: E402
from templatemine.model import Document  # noqa: E402
from templatemine.pipeline import Miner  # noqa: E402

__all__ = ["PARTS", "main", "measure_archive"]

PAGE = ROOT / "docs" / "research" / "parts.md"
ROUNDS = 5

PARTS: Mapping[str, tuple[Any, str]] = {
    "reading form, learnt": (stages, "learn_reading"),
    "edges of long strings": (segments, "find_string_edges"),
    "cues": (features.CueReader, "read"),
    "kinds": (Model, "boilerplate_kinds"),
    "words of kinds, read": (stages, "read_words"),
    "words of kinds, scored": (Wording, "score"),
    "reasons": (stages, "explain_scores"),
    "torn sentences": (stages, "tearing_templates"),
    "heads": (stages, "add_heads"),
    "signatures": (stages, "_sign_posts"),
    "lists of headlines": (stages, "add_headlines"),
    "names that differ": (stages, "unite_families"),
    "labels before headlines": (stages, "_settle_labels"),
    "between cuts": (stages, "add_islands"),
    "behind cuts": (stages, "add_rests"),
    "halved sentences": (stages, "find_halving"),
    "covered headlines": (stages, "find_covered"),
    "questions": (stages, "build_questions"),
}
"""Parts by their name: who holds the function, and its name there."""


@contextmanager
def watch(measure: Callable[[str, Callable[[], Any]], Any]) -> Iterator[None]:
    """Let `measure` call the functions of all parts while the with-block runs."""
    known = {name: getattr(owner, function) for name, (owner, function) in PARTS.items()}
    for name, (owner, function) in PARTS.items():

        def call(*arguments: Any, name: str = name, **options: Any) -> Any:
            return measure(name, lambda: known[name](*arguments, **options))

        setattr(owner, function, call)
    try:
        yield
    finally:
        for name, (owner, function) in PARTS.items():
            setattr(owner, function, known[name])


def measure_archive(documents: Sequence[Document], rounds: int = ROUNDS) -> dict[str, tuple[float, float]]:
    """Share of the time of `mine`, and megabytes at most, of each part; "mine" has its seconds, and no megabytes."""
    seconds: list[dict[str, float]] = []
    for _ in range(rounds):
        spent: defaultdict[str, float] = defaultdict(float)

        def time_part(name: str, call: Callable[[], Any], spent: dict[str, float] = spent) -> Any:
            begin = time.process_time()
            try:
                return call()
            finally:
                spent[name] += time.process_time() - begin

        with watch(time_part):
            time_part("mine", lambda: Miner().run(documents))
        seconds.append(spent)
    most: defaultdict[str, float] = defaultdict(float)

    def weigh_part(name: str, call: Callable[[], Any]) -> Any:
        held = tracemalloc.get_traced_memory()[0]
        tracemalloc.reset_peak()
        try:
            return call()
        finally:
            most[name] = max(most[name], tracemalloc.get_traced_memory()[1] - held)

    tracemalloc.start()
    with watch(weigh_part):
        Miner().run(documents)
    tracemalloc.stop()
    whole = median(one["mine"] for one in seconds)
    rows = {name: (median(one.get(name, 0.0) / one["mine"] for one in seconds), most[name] / 1e6) for name in PARTS}
    return {"mine": (whole, 0.0), **rows}


def _generated(documents: int, sources: int) -> list[Document]:
    spec = ArchiveSpec(seed=7, sources=sources, documents=documents, kilobytes=3.0, scripts=("en", "latin"))
    return [Document(source=row["source"], id=row["id"], text=row["text"], date=row["date"]) for row in generate(spec)]


def _usual_archives() -> dict[str, list[Document]]:
    found = {
        "generated, six sources of 100 articles": _generated(100, 6),
        "generated, one of 2,000": _generated(2000, 1),
    }
    if archives.has_shared_archives():
        found["English news, 14 sources"] = news = archives.load_texts("allsides")
        (largest, count), *_ = Counter(document.source for document in news).most_common(1)
        found[f"English news, the largest source ({count:,})"] = [one for one in news if one.source == largest]
    return found


def main(arguments: Sequence[str] | None = None) -> int:
    """Command line."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("archives", nargs="*", type=Path, metavar="ARCHIVE")
    args = parser.parse_args(arguments)
    own = {path.name: list(read_documents([str(path)], ReadConfig())) for path in args.archives}
    measured = {}
    for name, documents in (own or _usual_archives()).items():
        measured[name] = found = measure_archive(documents)
        print(f"{found['mine'][0]:6.1f} s  {name}", flush=True)
    rows = [["all of `mine`", *(f"{found['mine'][0]:.2f} s" for found in measured.values())]]
    for part in PARTS:
        cells = [f"{format_percent(found[part][0], 1)} %, {found[part][1]:.1f}" for found in measured.values()]
        rows.append([part, *cells])
    table = [*format_table(["part", *measured], rows)]
    if own:
        print(*table, sep="\n")
        return 0
    machine = describe_machine()
    lines = [
        "# Parts of mining",
        "",
        "Written by `bench/parts.py`: of the processor time of `mine`, what each part takes, and the memory it needs beside",
        f"what is there, in MB; medians of {ROUNDS} rounds of one process.",
        "",
        *table,
        "",
        f"{date.today().isoformat()}, `python bench/parts.py`, code {machine['code']}; {machine['python']}; {machine['processor']}.",
    ]
    PAGE.write_text("\n".join(lines) + "\n", encoding="utf-8")
    print(f"table in {PAGE}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
