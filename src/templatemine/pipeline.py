"""The one way through, map(source) -> small reduce -> map(source), and what takes it in memory.

`drive` has the order, and says what is done to a source; an `Executor` says where documents lie, where the maps run and
where their results are kept in between.  There are four: `MemoryExecutor` here, with all in memory; `archive.run` with
all on disk, `archive.update` with windows of new documents, and `adapters.spark` on a cluster.
"""

from __future__ import annotations

import warnings
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Generic, Protocol, TypeVar

from numpy.typing import NDArray

from templatemine.config import PipelineConfig
from templatemine.errors import ConfigError
from templatemine.io.given import Given, documents_of
from templatemine.mining.candidates import SourceCandidates, source_rates
from templatemine.mining.cross_source import CrossSourceCounts, RateTable, gather
from templatemine.mining.methods import METHODS, ResolvedConfig, resolve_defaults
from templatemine.mining.shared_pack import Claims
from templatemine.mining.stages import (
    SourceReport,
    Step,
    complete_step,
    decide_source,
    mine_source,
    report_shared,
    skip_source,
    unfit_reason,
)
from templatemine.model import Document
from templatemine.packs.pack import Pack
from templatemine.parallel.forks import as_finished
from templatemine.text import _scan

__all__ = [
    "METHODS",
    "DecideSource",
    "Executor",
    "MemoryExecutor",
    "MineSource",
    "Miner",
    "ReportShared",
    "SourceReport",
    "drive",
    "mine",
]

Progress = Callable[[str, int, int], None]
Kept = TypeVar("Kept")
Table = TypeVar("Table")
Result = TypeVar("Result")


class MineSource(Protocol):
    """`stages.mine_source`."""

    def __call__(
        self, source: str, documents: Sequence[Document], options: ResolvedConfig, positions: NDArray[Any] | None = None
    ) -> SourceCandidates: ...


DecideSource = Callable[[SourceCandidates, CrossSourceCounts, ResolvedConfig], Step]
"""`stages.decide_source`."""

ReportShared = Callable[[Iterable[Claims], ResolvedConfig], SourceReport]
"""`stages.report_shared`."""


class Executor(ABC, Generic[Kept, Table, Result]):
    """Where the documents of sources lie, where the maps run, and where their results are kept.

    A source that is `unfit_reason` is not mined: what there is to say of it, `skip_source` says.
    """

    @abstractmethod
    def map_documents(self, work: MineSource) -> Kept:
        """First map: the candidates of each source."""

    @abstractmethod
    def reduce(self, kept: Kept) -> Table:
        """What sources need to know of each other's candidates: no more than hashes and rates (`source_rates`)."""

    @abstractmethod
    def map_candidates(self, kept: Kept, table: Table, work: DecideSource) -> Result:
        """Second map: the report of each source; queries of its steps are answered by all of its documents."""

    def share(self, result: Result, work: ReportShared) -> Result:
        """The result with the pack of what sources share, of what their reports claim, if it is asked for."""
        return result


def drive(executor: Executor[Kept, Table, Result]) -> Result:
    """Mine all sources of an executor.  This is the order of the stages, for all of them."""
    kept = executor.map_documents(mine_source)
    table = executor.reduce(kept)
    result = executor.map_candidates(kept, table, decide_source)
    return executor.share(result, report_shared)


@dataclass(frozen=True, slots=True)
class _Finished(Generic[Kept]):
    """What was made of the report of a source, and what it claims for the shared pack."""

    source: str
    claims: Claims | None
    value: Kept


class MemoryExecutor(Executor[list[SourceCandidates | None], RateTable, list[_Finished[Kept]]]):
    """Everything in memory, one source each at a time in some copies of this process, or threads (`parallel.forks`).

    Parameters
    ----------
    by_source : mapping
        The documents of each source; results come in the order of their names.
    finish : callable
        What is made of the report of each source, where it was mined.
    """

    def __init__(
        self,
        by_source: Mapping[str, Sequence[Document]],
        finish: Callable[[SourceReport], Kept],
        options: ResolvedConfig,
        jobs: int,
        progress: Progress,
    ) -> None:
        self._finish = finish
        self._sources = [(source, by_source[source]) for source in sorted(by_source)]
        self._options = options
        self._jobs = jobs
        self._progress = progress

    def map_documents(self, work: MineSource) -> list[SourceCandidates | None]:
        def mined(source: str, documents: Sequence[Document]) -> SourceCandidates | None:
            return None if unfit_reason(documents, self._options) else work(source, documents, self._options)

        return self._map("mining", mined, self._sources)

    def reduce(self, kept: list[SourceCandidates | None]) -> RateTable:
        return gather([source_rates(one) for one in kept if one is not None], self._jobs)

    def map_candidates(
        self, kept: list[SourceCandidates | None], table: RateTable, work: DecideSource
    ) -> list[_Finished[Kept]]:
        numbers = {one.source: number for number, one in enumerate(filter(None, kept))}

        def finished(
            source: str, documents: Sequence[Document], candidates: SourceCandidates | None
        ) -> _Finished[Kept]:
            if candidates is None:
                return self._finished(skip_source(source, documents, self._options))
            elsewhere = table.lookup(candidates.hashes, numbers[source])
            return self._finished(complete_step(work(candidates, elsewhere, self._options), documents, self._options))

        return self._map("choosing", finished, [(*one, own) for one, own in zip(self._sources, kept, strict=True)])

    def share(self, result: list[_Finished[Kept]], work: ReportShared) -> list[_Finished[Kept]]:
        if self._options.shared is None:
            return result
        claims = [one.claims for one in result if one.claims is not None]
        found = {one.source: one for one in (*result, self._finished(work(claims, self._options)))}
        return [found[source] for source in sorted(found)]

    def _finished(self, report: SourceReport) -> _Finished[Kept]:
        return _Finished(report.source, report.claims, self._finish(report))

    def _map(self, step: str, function: Callable[..., Any], items: Sequence[tuple[Any, ...]]) -> list[Any]:
        """``function(*item)`` for an item a source, in their order; the largest first, so that no job is left alone
        with it."""
        sizes = [sum(len(document.body) for document in some) for _, some in self._sources]
        order = sorted(range(len(items)), key=lambda place: -sizes[place])
        results: list[Any] = [None] * len(items)
        finished = as_finished(lambda place: function(*items[place]), order, self._jobs)
        for done, (place, result) in enumerate(finished, 1):
            results[order[place]] = result
            self._progress(step, done, len(items))
        return results


class Miner:
    """Mines packs from documents of any number of sources.

    Parameters
    ----------
    config : PipelineConfig, optional
    jobs : int, default 1
        Copies of this process, or threads if it has some already (and on systems other than Linux); one source each at
        a time.
    progress : callable, optional
        Called with (step, done, total) as sources are finished.
    """

    def __init__(
        self, config: PipelineConfig | None = None, *, jobs: int = 1, progress: Progress | None = None
    ) -> None:
        self.config = config or PipelineConfig()
        self._options = resolve_defaults(self.config)
        if jobs < 1:
            raise ConfigError(f"jobs: expected at least 1, got {jobs}")
        self.jobs = jobs
        self.progress = progress or (lambda step, done, total: None)

    def run(self, documents: Given) -> list[SourceReport]:
        """A report for each source, in the order of their names, and for the shared pack if it is asked for.

        Parameters
        ----------
        documents : path, or iterable of Document or dict, or data frame
            Dicts have the fields `source` and `text` or `html`, as JSON lines do; see `io.given.documents_of`.

        Raises
        ------
        CorpusError
            Something is no document.
        """
        return self.map(documents, lambda report: report)

    def map(self, documents: Given, finish: Callable[[SourceReport], Result]) -> list[Result]:
        """As `run`, but gives what `finish` makes of each report.

        It is called where the source was mined, which may be another process.
        """
        by_source: dict[str, list[Document]] = {}
        for document in documents_of(documents):
            by_source.setdefault(document.source, []).append(document)
        found = drive(MemoryExecutor(by_source, finish, self._options, self.jobs, self.progress))
        _scan.release_memory()
        return [one.value for one in found]


NAMED = 3
"""Sources that a warning names."""


def mine(documents: Given, config: PipelineConfig | None = None, *, jobs: int = 1) -> dict[str, Pack]:
    """Packs by source; sources that are too small or all alike are left out, with a warning that names them.

    Parameters
    ----------
    documents : path, or iterable of Document or dict, or data frame
        As of `Miner.run`.
    config : PipelineConfig, optional
    jobs : int, default 1
        As of `Miner`.

    Examples
    --------
    >>> packs = mine("archive.jsonl.gz")  # doctest: +SKIP
    >>> packs["foxnews.com"].save("foxnews.com.json")  # doctest: +SKIP
    """
    reports = list(Miner(config, jobs=jobs).run(documents))
    left_out = [report for report in reports if report.pack is None]
    if left_out:
        named = "; ".join(f"{report.source} ({report.note.removeprefix('skipped: ')})" for report in left_out[:NAMED])
        more = f"; and {len(left_out) - NAMED:,} more" if len(left_out) > NAMED else ""
        warnings.warn(f"no pack of {named}{more}", stacklevel=2)
    return {report.source: report.pack for report in reports if report.pack is not None}
