"""How fast mining and cleaning are on an archive: seconds of every stage in every run, and peak memory.

Documents come in, read while the clock runs; then packs are mined of all sources and every article is cleaned with the
pack of its source, as `stream` does (of pages, the main text is taken), several times, in this process and its main
thread.  Mining is what `Miner` does with one job.  A text is cleaned as a new string each time, because Python keeps
the UTF-8 of a string once it has been asked for.
"""

from __future__ import annotations

import resource
import statistics
import sys
import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TypeVar

from templatemine.config import CleanConfig, PipelineConfig
from templatemine.decide import fewest_documents
from templatemine.errors import ConfigError, CorpusError
from templatemine.mined import Mined
from templatemine.model import Document
from templatemine.packs import Pack
from templatemine.pipeline import finish_source, mine_source, shared
from templatemine.stream import body_cleaner

__all__ = ["STAGES", "MeasureConfig", "Measured", "Stage", "measure", "peak_memory"]

Result = TypeVar("Result")

STAGES = {
    "read": "documents from files, once",
    "mine": "documents to packs, all of it",
    "- strings": "strings of each source, by itself",
    "- peers": "which strings stand in other sources",
    "- verdicts": "strings to templates",
    "clean": "each article with the pack of its source",
}
"""Stage -> what it does; those with a dash are parts of the one above."""

_BATCH = 512
"""Texts that are copied before they are cleaned."""


@dataclass(frozen=True, slots=True, kw_only=True)
class MeasureConfig:
    """How often mining and cleaning are run, and their options."""

    runs: int = 3
    pipeline: PipelineConfig = field(default_factory=PipelineConfig)
    clean: CleanConfig = field(default_factory=CleanConfig)

    def __post_init__(self) -> None:
        if self.runs < 1:
            raise ConfigError(f"runs: expected at least 1, got {self.runs}")


@dataclass(frozen=True, slots=True, kw_only=True)
class Stage:
    """One stage.

    Attributes
    ----------
    name : str
        One of `STAGES`.
    seconds : tuple of float
        By the clock, a run each.
    documents, size : int
        What a run works on, in documents and in bytes of UTF-8 of their bodies.
    peak_memory : int
        Bytes, of the process, by the end of the first run of the stage.
    """

    name: str
    seconds: tuple[float, ...]
    documents: int
    size: int
    peak_memory: int

    @property
    def least(self) -> float:
        """Seconds of the fastest run."""
        return min(self.seconds)

    @property
    def median(self) -> float:
        """Median of the seconds."""
        return statistics.median(self.seconds)

    @property
    def bytes_per_second(self) -> float:
        """Speed of the median."""
        return self.size / max(self.median, 1e-9)

    @property
    def documents_per_second(self) -> float:
        """Speed of the median."""
        return self.documents / max(self.median, 1e-9)


@dataclass(frozen=True, slots=True, kw_only=True)
class Measured:
    """What `measure` found.

    Attributes
    ----------
    documents, size, sources : int
        What was read; `size` in bytes of UTF-8.
    too_small : int
        Sources with too few documents to be mined; they count only for reading.
    templates : int
        In the packs of all sources.
    stages : tuple of Stage
        In the order of `STAGES`.
    """

    documents: int
    size: int
    sources: int
    too_small: int
    templates: int
    stages: tuple[Stage, ...]

    @property
    def peak_memory(self) -> int:
        """Bytes, of the process: interpreter, documents, and all that mining and cleaning held."""
        return max(stage.peak_memory for stage in self.stages)


def peak_memory() -> int:
    """Peak resident memory of this process so far, in bytes."""
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    return peak if sys.platform == "darwin" else peak * 1024


def measure(
    documents: Iterable[Document],
    config: MeasureConfig | None = None,
    *,
    progress: Callable[[str, int, int | None], None] | None = None,
) -> Measured:
    """Read, mine and clean.

    Parameters
    ----------
    documents : iterable of Document
        Taken once.
    config : MeasureConfig, optional
    progress : callable, optional
        Called with (stage, done, total) after each run.

    Raises
    ------
    CorpusError
        There are no documents, or no source has enough of them.
    """
    config = config or MeasureConfig()
    step = progress or (lambda name, done, total: None)
    clock = _Clock()
    kept = clock.time("read", lambda: list(documents))
    step("read", len(kept), len(kept))
    by_source: dict[str, list[Document]] = {}
    for document in kept:
        by_source.setdefault(document.source, []).append(document)
    fit = _large_enough(by_source, fewest_documents(config.pipeline))
    packs: dict[str, Pack] = {}
    for run in range(config.runs):
        packs = clock.time("mine", lambda: _mine(fit, config.pipeline, clock))
        step("mine", run + 1, config.runs)
    cleaners = {source: body_cleaner(pack, config.clean) for source, pack in packs.items()}
    for run in range(config.runs):
        clock.add("clean", _clean(fit, cleaners))
        step("clean", run + 1, config.runs)
    read, mined = _extent(by_source), _extent(fit)
    return Measured(
        documents=read[0],
        size=read[1],
        sources=len(by_source),
        too_small=len(by_source) - len(fit),
        templates=sum(len(pack.templates) for pack in packs.values()),
        stages=tuple(clock.stage(name, *(read if name == "read" else mined)) for name in STAGES),
    )


class _Clock:
    """Seconds and peak memory by stage."""

    def __init__(self) -> None:
        self._seconds: dict[str, list[float]] = {}
        self._peak: dict[str, int] = {}

    def time(self, name: str, work: Callable[[], Result]) -> Result:
        """Do something, and count it as a run of a stage."""
        start = time.perf_counter()
        result = work()
        self.add(name, time.perf_counter() - start)
        return result

    def add(self, name: str, seconds: float) -> None:
        """Count a run of a stage."""
        self._seconds.setdefault(name, []).append(seconds)
        self._peak.setdefault(name, peak_memory())

    def stage(self, name: str, documents: int, size: int) -> Stage:
        seconds = tuple(self._seconds[name])
        return Stage(name=name, seconds=seconds, documents=documents, size=size, peak_memory=self._peak[name])


def _large_enough(by_source: dict[str, list[Document]], least: int) -> dict[str, list[Document]]:
    """The sources that can be mined, by name."""
    fit = {source: by_source[source] for source in sorted(by_source) if len(by_source[source]) >= least}
    if not fit:
        most = max((len(documents) for documents in by_source.values()), default=0)
        raise CorpusError(f"expected a source with at least {least} documents, found at most {most} of one", fatal=True)
    return fit


def _extent(by_source: dict[str, list[Document]]) -> tuple[int, int]:
    """Documents, and bytes of their bodies."""
    size = sum(len(one.body.encode("utf-8", "surrogatepass")) for rows in by_source.values() for one in rows)
    return sum(map(len, by_source.values())), size


def _mine(by_source: dict[str, list[Document]], config: PipelineConfig, clock: _Clock) -> dict[str, Pack]:
    """The three steps of the pipeline, each with its time."""
    mined: list[Mined] = clock.time(
        "- strings", lambda: [mine_source(source, documents, config) for source, documents in by_source.items()]
    )
    peers = clock.time("- peers", lambda: shared(mined))
    reports = clock.time(
        "- verdicts",
        lambda: [finish_source(one, peers, place, by_source[one.source], config) for place, one in enumerate(mined)],
    )
    return {report.source: report.pack for report in reports if report.pack is not None}


def _clean(by_source: Mapping[str, list[Document]], cleaners: Mapping[str, Callable[[str], object]]) -> float:
    """Seconds that all articles take."""
    seconds = 0.0
    for source, documents in by_source.items():
        clean = cleaners[source]
        for place in range(0, len(documents), _BATCH):
            texts = _copies(documents[place : place + _BATCH])
            start = time.perf_counter()
            for text in texts:
                clean(text)
            seconds += time.perf_counter() - start
    return seconds


def _copies(documents: Sequence[Document]) -> list[str]:
    encoded = [document.body.encode("utf-8", "surrogatepass") for document in documents]
    return [data.decode("utf-8", "surrogatepass") for data in encoded]
