"""Tiny archives for runs on disk, with a budget so small that every way of splitting them is taken."""

from __future__ import annotations

import json
import os
from pathlib import Path
from random import Random
from typing import Any

from templatemine.archive import partition
from templatemine.archive import run as archive
from templatemine.archive.archive_report import ArchiveReport
from templatemine.archive.run import ArchiveRun, RunConfig
from templatemine.config import MineConfig, PipelineConfig, SampleConfig

BUDGET = 120_000
"""Bytes: a few small sources make a unit, and the largest fits only as a sample."""

CONFIG = PipelineConfig(mine=MineConfig(min_docs=4), sample=SampleConfig(documents=25))


def write_archive(folder: Path, seed: int = 1, giant: int = 90) -> list[str]:
    """Three files of mixed sources: one large, some small, many tiny, one whose documents are all equal."""
    random = Random(seed)
    words = [f"{a}{b}{c}" for a in "bdfgk" for b in "aeiou" for c in ("m", "n", "rst")]
    sizes = {"giant.example": giant, "equal.example": 8, **{f"small{n}.example": 12 for n in range(6)}}
    sizes |= {f"tiny{n}.example": 1 + n % 5 for n in range(20)}
    lines = []
    for source, number in sizes.items():
        for place in range(number):
            text = "\n".join(" ".join(random.choices(words, k=30)) + "." for _ in range(3))
            text = f"{text}\nSign up for the letter of {source} today.\nAll rights reserved by {source}"
            if source == "equal.example":
                text = "The same."
            record = {
                "source": source,
                "id": f"{source}/{place % 11}",
                "date": f"2024-01-{place % 28 + 1:02}",
                "text": text,
            }
            lines.append(json.dumps(record).encode() + b"\n")
    random.shuffle(lines)
    lines[3:3] = [b"no json\n"]
    third = len(lines) // 3
    paths = []
    for number in range(3):
        path = folder / f"part{number}.jsonl"
        path.write_bytes(b"".join(lines[number * third : (number + 1) * third if number < 2 else None]))
        paths.append(str(path))
    return paths


def small_budget(budget: int = BUDGET) -> None:
    """Make the least memory leave so many bytes for documents."""
    archive._BASE_MEMORY = archive.MIN_MEMORY - int(budget * archive._MEMORY_OVERHEAD)


def run(paths: list[str], output: str, told: list[str] | None = None, **options: Any) -> ArchiveReport:
    """A run with a checkpoint at every chance."""
    config = RunConfig(**{"pipeline": CONFIG, "memory": archive.MIN_MEMORY, "checkpoint": 0.0, **options})
    tell = (lambda text: None) if told is None else told.append
    return ArchiveRun(paths, output, config, tell=tell, on_error=lambda error: None).run()


def run_small(paths: list[str], output: str) -> None:
    """What a process does that is to be killed; what was written outlives it, synced or not."""
    small_budget()
    partition.BUCKET_COUNT = 8
    os.fsync = lambda descriptor: None
    run(paths, output)


def contents(folder: Path) -> dict[str, bytes]:
    """Every file but the note of what was done."""
    return {
        str(path.relative_to(folder)): path.read_bytes()
        for path in sorted(folder.rglob("*"))
        if path.is_file() and path.name != ".templatemine-run.json"
    }
