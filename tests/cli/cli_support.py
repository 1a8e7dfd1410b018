"""Tiny archives, and what a run of the program leaves behind."""

from __future__ import annotations

import gzip
import json
import sys
import time
from collections.abc import Callable, Iterable, Mapping
from pathlib import Path
from random import Random
from typing import Any, NamedTuple

SOURCES = ("alpha.example", "beta.example", "gamma.example")
OPENINGS = ("He said that", "By then the", "On the day", "For now all", "At first they")
CALL = "Sign up for the {} morning letter today."
CREDIT = "Reporting by the staff of {} in the capital."

WORDS = [
    first + middle + last
    for first in ("bar", "cel", "dom", "fen", "gul", "hap", "jor", "kim", "lod", "mer", "nuv", "pas")
    for middle in ("", "a", "en", "ilo", "ur", "os", "emi", "at")
    for last in ("", "ta", "ren", "lis", "mon", "der", "sk", "via")
]


class Ran(NamedTuple):
    """What a run of the program left behind."""

    code: int
    out: str
    err: str

    @property
    def error(self) -> str:
        """The one line of an error."""
        assert self.code == 2, self
        (line,) = (line for line in self.err.splitlines() if line.startswith("templatemine: error: "))
        return line.removeprefix("templatemine: error: ")


def record(source: str, number: int, random: Random) -> dict[str, Any]:
    """An article with a call and a credit line of its source."""
    prose = [" ".join(random.choices(WORDS, k=40)).capitalize() + "." for _ in range(3)]
    # Openings that repeat are candidates, and are rejected.
    prose[1] = f"{OPENINGS[number % len(OPENINGS)]} {prose[1].lower()}"
    name = source.partition(".")[0].capitalize()
    text = "\n\n".join([prose[0], CALL.format(name), *prose[1:], CREDIT.format(name)])
    return {
        "id": f"{source}/{number}",
        "source": source,
        "date": f"2024-01-{number % 28 + 1:02}",
        "text": text,
        "tags": ["a", number],
    }


def records(sources: Iterable[str] = SOURCES, documents: int = 40, seed: int = 1) -> list[dict[str, Any]]:
    """Articles of some sources, mixed."""
    random = Random(seed)
    sources = list(sources)
    return [record(source, number, random) for number in range(documents) for source in sources]


def write(path: Path, lines: Iterable[Mapping[str, Any] | bytes]) -> Path:
    """Write JSON lines, gzip by suffix; bytes are lines as they are."""
    data = b"".join((line if isinstance(line, bytes) else json.dumps(line).encode()) + b"\n" for line in lines)
    path.write_bytes(gzip.compress(data) if path.name.endswith(".gz") else data)
    return path


def read(path: Path) -> list[dict[str, Any]]:
    """Read JSON lines."""
    return [json.loads(line) for line in path.read_bytes().splitlines()]


def everything(folder: Path) -> list[str]:
    """Names of all files and folders, hidden ones included."""
    return sorted(str(path.relative_to(folder)) for path in folder.rglob("*"))


def page(article: Mapping[str, Any]) -> dict[str, Any]:
    """An article as a page."""
    paragraphs = "".join(f"<p>{line}</p>\n" for line in str(article["text"]).split("\n\n"))
    head = '<div class="menu"><a href="/">Home</a> <a href="/world">World</a></div>'
    rest = {name: value for name, value in article.items() if name != "text"}
    return {**rest, "html": f"<html><body>{head}\n{paragraphs}</body></html>"}


def command(*args: str | Path) -> list[str]:
    """The program as a command line."""
    return [sys.executable, "-m", "templatemine", *(str(arg) for arg in args)]


def wait_for(what: Callable[[], object], seconds: float = 60) -> None:
    """Wait until something is so."""
    end = time.monotonic() + seconds
    while not what():
        assert time.monotonic() < end, "waited too long"
        time.sleep(0.01)


def no_large_files() -> None:
    """Let no file of this process grow beyond 2,000 bytes."""
    import resource
    import signal

    signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
    resource.setrlimit(resource.RLIMIT_FSIZE, (2000, 2000))
