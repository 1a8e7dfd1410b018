"""Small archives for the adapters, what a local run makes of them, and where Java is."""

from __future__ import annotations

import os
import random
import re
import shutil
import subprocess
import sys
from collections.abc import Iterable
from functools import cached_property
from pathlib import Path
from typing import Any

from templatemine.adapters.rows import RowCleaner
from templatemine.api import mine
from templatemine.config import PipelineConfig, SampleConfig
from templatemine.mining.sampling import choose_sample
from templatemine.model import Document
from templatemine.packs.pack import Pack
from templatemine.pipeline import Miner

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "datasets"))
from generate import ArchiveSpec, generate, generate_pages

SAMPLED = PipelineConfig(sample=SampleConfig(documents=120))
"""One source of `make_mixed_archive` is beyond this."""


def explain_missing_java() -> str:
    """Why Spark cannot run here; empty if it can."""
    home = os.environ.get("JAVA_HOME")
    program = str(Path(home, "bin", "java")) if home else shutil.which("java")
    if program is None:
        return "there is no java"
    try:
        said = subprocess.run([program, "-version"], capture_output=True, text=True, timeout=60, check=True).stderr
    except (OSError, subprocess.SubprocessError) as error:
        return f"{program} does not run: {error}"
    found = re.search(r'version "(\d+)', said)
    return "" if found and int(found[1]) >= 17 else f"{program} is older: {said.splitlines()[0]}"


def make_mixed_archive(seed: int = 5) -> list[dict[str, Any]]:
    """Sources that share prose, one that is sampled, one too small, one all alike, and pages; in no order."""
    common = {"documents": 40, "kilobytes": 0.8}
    rows: list[dict[str, Any]] = list(generate(ArchiveSpec(seed=seed, sources=4, agency=0.2, **common)))
    rows += _make_sampled_source(
        [dict(row) for row in generate(ArchiveSpec(seed=seed, sources=1, documents=300, kilobytes=0.8))]
    )
    rows += [dict(row, source="small") for row in generate(ArchiveSpec(seed=8, sources=1, documents=4, kilobytes=0.8))]
    rows += [{"source": "same", "id": str(number), "text": "All alike.", "date": None} for number in range(200)]
    rows += [dict(row, source="pages") for row in generate_pages(ArchiveSpec(seed=9, sources=1, **common))]
    rows += [
        dict(row, source="few pages")
        for row in generate_pages(ArchiveSpec(seed=9, sources=1, documents=7, kilobytes=0.8))
    ]
    rows += _make_lines_that_are_lost()
    random.Random(seed).shuffle(rows)
    names = ("source", "id", "text", "html", "date", "title")
    return [{name: row.get(name) for name in names} for row in rows]


def _make_lines_that_are_lost() -> list[dict[str, Any]]:
    """Articles of one line, with a label before titles of others, whose ends these titles alone show."""
    dice = random.Random(4)

    def line(words: int) -> str:
        return " ".join("".join(dice.choices("ghijklmnopqrstuv", k=7)) for _ in range(words)).capitalize()

    titles = [line(7) for _ in range(60)]
    return [
        {
            "source": "one line",
            "id": f"{place:02}",
            "text": f"{line(12)}. Video: {titles[place - 1]} {line(12)}.",
            "title": title,
        }
        for place, title in enumerate(titles)
    ]


def _make_sampled_source(rows: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """A source that is sampled, with names behind "Photo taken by", but for some documents outside of the sample."""
    names = random.Random(3)
    for row in rows:
        credit = " ".join("".join(names.choices("abcdefgh", k=7)).title() for _ in range(2))
        row |= {"source": "big", "html": None, "text": f"Photo taken by {credit}\n{row['text']}"}
    chosen = choose_sample(documents(rows), SAMPLED.sample)
    assert chosen is not None
    for place in sorted({*range(len(rows))} - {*chosen.tolist()})[: len(rows) // 6]:
        rest = rows[place]["text"].partition("\n")[2]
        letters = "".join(names.choices("abcdefgh", k=3))
        rows[place]["text"] = f"Photo taken by somebody whose name is nowhere told {letters}\n{rest}"
    return rows


def documents(rows: Iterable[dict[str, Any]]) -> list[Document]:
    return [
        Document(**{name: row.get(name) for name in ("source", "id", "text", "html", "date", "title")}) for row in rows
    ]


class Mined:
    """Texts of `make_mixed_archive`, its packs, and what row by row is cut: made when a test first asks for it."""

    @cached_property
    def rows(self) -> list[dict[str, Any]]:
        return [row for row in make_mixed_archive() if row["source"] not in ("pages", "few pages")]

    @cached_property
    def packs(self) -> dict[str, Pack]:
        return mine(documents(self.rows))

    @cached_property
    def sources(self) -> list[str]:
        return [row["source"] for row in self.rows]

    @cached_property
    def texts(self) -> list[str]:
        return [row["text"] for row in self.rows]

    @cached_property
    def wanted(self) -> Any:
        return RowCleaner(self.packs).columns(self.sources, self.texts)

    @cached_property
    def columns(self) -> dict[str, list[Any]]:
        return {"n": list(range(len(self.rows))), "text": self.texts, "source": self.sources}

    @cached_property
    def typed(self) -> list[Any]:
        """What is cut, as a column of one type has it."""
        return [row and [{**cut, "kind": cut.get("kind")} for cut in row] for row in self.wanted.removed]


MINED = Mined()

Facts = dict[str, tuple[int, int, str, str | None]]


def mine_locally(archive: Iterable[Document], config: PipelineConfig) -> Facts:
    """Documents, templates, note and pack of each source."""
    return {
        report.source: (
            report.documents,
            len(report.pack.templates) if report.pack else 0,
            report.note,
            report.pack.to_json() if report.pack else None,
        )
        for report in Miner(config).run(archive)
    }
