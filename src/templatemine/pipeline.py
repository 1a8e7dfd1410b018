"""The one way through, map(source) -> small reduce -> map(source), and its executor in memory.

`drive` has the order of the stages; an `Executor` says where documents lie, where the maps run and
where their results are kept in between.  There are four: `MemoryExecutor` here, with all in memory; `archive.run` with
all on disk, `archive.update` with windows of new documents, and `adapters.spark` on a cluster.
"""

from __future__ import annotations

import gc
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any, Generic, TypeVar

from templatemine.bounds import check_config, check_jobs
from templatemine.config import PipelineConfig, ReadConfig
from templatemine.io.documents_like import DocumentsLike, Errors, documents_of
from templatemine.mining.candidates import SourceCandidates
from templatemine.mining.cross_source import SharedStrings, count_sources
from templatemine.mining.methods import ResolvedConfig, resolve_defaults
from templatemine.mining.shared_pack import Claims
from templatemine.mining.stages import (
    SourceReport,
    complete_step,
    decide_source,
    mine_source,
    report_shared,
    skip_source,
    unfit_reason,
)
from templatemine.model import Document
from templatemine.parallel.forks import map_as_completed
from templatemine.progress import Progress, ignore_progress
from templatemine.text import _scan

CandidatesT = TypeVar("CandidatesT")
TableT = TypeVar("TableT")
ResultT = TypeVar("ResultT")
ValueT = TypeVar("ValueT")


class Executor(ABC, Generic[CandidatesT, TableT, ResultT]):
    """Holds the documents of sources, runs the maps, and keeps their results.

    A source that has an `unfit_reason` is not mined; `skip_source` makes its report.
    """

    @abstractmethod
    def map_documents(self) -> CandidatesT:
        """Find the candidates of each source (first map, `stages.mine_source`)."""

    @abstractmethod
    def reduce(self, mined: CandidatesT) -> TableT:
        """Return in how many sources each string is, by the hashes of all candidates."""

    @abstractmethod
    def map_candidates(self, mined: CandidatesT, table: TableT) -> ResultT:
        """Make the report of each source (second map, `stages.decide_source`); all its documents answer queries of its
        steps."""

    def share(self, result: ResultT) -> ResultT:
        """Return the result, with the pack of shared strings that the reports claim (`stages.report_shared`), if it is
        asked for."""
        return result


def drive(executor: Executor[CandidatesT, TableT, ResultT]) -> ResultT:
    """Mine all sources of an executor.  This is the order of the stages, for all of them."""
    mined = executor.map_documents()
    table = executor.reduce(mined)
    return executor.share(executor.map_candidates(mined, table))


@dataclass(frozen=True, slots=True)
class _FinishedSource(Generic[ValueT]):
    """The finished report of a source, and its claims for the shared pack."""

    source: str
    claims: Claims | None
    value: ValueT


class MemoryExecutor(Executor[list[SourceCandidates | None], SharedStrings, list[_FinishedSource[ValueT]]]):
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
        finish: Callable[[SourceReport], ValueT],
        options: ResolvedConfig,
        jobs: int,
        progress: Progress,
    ) -> None:
        self._finish = finish
        self._sources = [(source, by_source[source]) for source in sorted(by_source)]
        self._options = options
        self._jobs = jobs
        self._progress = progress

    def map_documents(self) -> list[SourceCandidates | None]:
        def mine_if_fit(source: str, documents: Sequence[Document]) -> SourceCandidates | None:
            return None if unfit_reason(documents, self._options) else mine_source(source, documents, self._options)

        return self._map("mining", mine_if_fit, self._sources)

    def reduce(self, mined: list[SourceCandidates | None]) -> SharedStrings:
        _scan.release_memory()  # the arrays of mining: choosing makes small objects, which would not take their place
        return count_sources([candidates.hashes for candidates in mined if candidates is not None], self._jobs)

    def map_candidates(
        self, mined: list[SourceCandidates | None], table: SharedStrings
    ) -> list[_FinishedSource[ValueT]]:
        def report_source(
            source: str, documents: Sequence[Document], candidates: SourceCandidates | None
        ) -> _FinishedSource[ValueT]:
            if candidates is None:
                return self._finish_report(skip_source(source, documents, self._options))
            cross_counts = table.lookup(candidates.hashes)
            return self._finish_report(
                complete_step(decide_source(candidates, cross_counts, self._options), documents, self._options)
            )

        return self._map(
            "choosing",
            report_source,
            [
                (source, documents, candidates)
                for (source, documents), candidates in zip(self._sources, mined, strict=True)
            ],
        )

    def share(self, result: list[_FinishedSource[ValueT]]) -> list[_FinishedSource[ValueT]]:
        if self._options.shared is None:
            return result
        claims = [finished.claims for finished in result if finished.claims is not None]
        shared = self._finish_report(report_shared(claims, self._options))
        by_source = {finished.source: finished for finished in (*result, shared)}
        return [by_source[source] for source in sorted(by_source)]

    def _finish_report(self, report: SourceReport) -> _FinishedSource[ValueT]:
        return _FinishedSource(report.source, report.claims, self._finish(report))

    def _map(self, step: str, function: Callable[..., Any], items: Sequence[tuple[Any, ...]]) -> list[Any]:
        """Call ``function(*item)`` for an item a source, in their order; the largest first, so that no job is left
        alone with it."""
        order: Sequence[int] = range(len(items))
        if self._jobs > 1:
            sizes = [sum(len(document.body) for document in documents) for _, documents in self._sources]
            order = sorted(order, key=lambda index: -sizes[index])
        results: list[Any] = [None] * len(items)
        completed = map_as_completed(lambda index: function(*items[index]), order, self._jobs)
        for done, (index, result) in enumerate(completed, 1):
            results[order[index]] = result
            self._progress(step, done, len(items))
        return results


_NEW_OBJECTS = 20_000
"""Objects between two searches for cycles: with five times as many, mining takes as long."""


@contextmanager
def _collect_rarely() -> Iterator[None]:
    """Let Python search for cycles less often meanwhile, which took a twentieth of the time; mining leaves few."""
    before = gc.get_threshold()
    if before[0]:  # 0 is never
        gc.set_threshold(max(before[0], _NEW_OBJECTS), *before[1:])
    try:
        yield
    finally:
        gc.set_threshold(*before)


class Miner:
    """Mines packs, and reports on each source, including those without a pack; `templatemine.mine` is simpler.

    Parameters
    ----------
    config : PipelineConfig, optional
    jobs : int, default 1
        Number of processes (threads on systems other than Linux, or if this process has threads already); each mines
        one source at a time.
    progress : callable, optional
        Called with (step, done, total) as sources are finished.
    """

    def __init__(
        self, config: PipelineConfig | None = None, *, jobs: int = 1, progress: Progress | None = None
    ) -> None:
        self.config = PipelineConfig() if config is None else config
        check_config(self.config, PipelineConfig)
        self._options = resolve_defaults(self.config)
        check_jobs(jobs)
        self.jobs = jobs
        self.progress = progress or ignore_progress

    def run(
        self,
        documents: DocumentsLike,
        read: ReadConfig | None = None,
        *,
        source: str | None = None,
        errors: Errors = "raise",
    ) -> list[SourceReport]:
        """Return a `SourceReport` for each source, by name, and for the shared pack if `PipelineConfig.shared` is set.

        Parameters
        ----------
        documents : path, or iterable of Document or dict, or data frame
            Dicts and tables have the fields `source`, and `text` or `html`.
        read : ReadConfig, optional
            Other names of the fields.
        source : str, optional
            The source of all documents, whatever their fields say.
        errors : {"raise", "skip"}
            Treatment of records that hold no document: raise an error for the first, or leave all out with a warning.

        Raises
        ------
        CorpusError
            With ``errors="raise"``, a record holds no document.
        """
        return self.map(documents, lambda report: report, read, source=source, errors=errors)

    def map(
        self,
        documents: DocumentsLike,
        finish: Callable[[SourceReport], ValueT],
        read: ReadConfig | None = None,
        *,
        source: str | None = None,
        errors: Errors = "raise",
    ) -> list[ValueT]:
        """Run as `run` does, but return the results of `finish` for each report.

        It is called where the source was mined, which may be another process.
        """
        by_source: dict[str, list[Document]] = {}
        with _collect_rarely():
            for document in documents_of(documents, read, source=source, errors=errors):
                by_source.setdefault(document.source, []).append(document)
            results = drive(MemoryExecutor(by_source, finish, self._options, self.jobs, self.progress))
        _scan.release_memory()
        return [finished.value for finished in results]
