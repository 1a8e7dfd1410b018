"""The executor of `pipeline.drive` that keeps everything on disk: bounded memory for archives of any size.

The documents lie in the files of a partition; what fits the memory together is a `Unit`, and a source that does not fit
is mined from a sample, and counted as it is read.  Each unit leaves a file a stage, which is whole if it is there, so
that what a killed run has done is not done again:

mined/UNIT    the candidates of its sources, and beside it ``UNIT.rates``, what the reduce asks of them
rates         the strings of all sources by ranges of hashes
chosen/UNIT   what became of its sources, and beside it ``UNIT.claims``; their packs are in ``packs``
shared.json   what became of the shared pack
"""

from __future__ import annotations

import heapq
import os
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from hashlib import blake2b

import numpy as np
import orjson
from numpy.typing import NDArray

from templatemine.archive import manifest
from templatemine.archive.apply_overrides import keep_rules
from templatemine.archive.frames import (
    Frame,
    before_body,
    cannot_write,
    flushed,
    frames,
    only_record,
    pack_frame,
    pack_pieces,
    records,
)
from templatemine.archive.partition import (
    Sizes,
    StoredDocuments,
    Unit,
    decode,
    held,
    key_of,
    plan,
    source_of,
    split_again,
)
from templatemine.archive.spill import RateFile, dump, load, read_claims, write_claims, write_rates
from templatemine.config import SampleConfig
from templatemine.io.together import together
from templatemine.mining.candidates import SourceCandidates, source_rates
from templatemine.mining.cross_source import SourceRates
from templatemine.mining.methods import ResolvedConfig
from templatemine.mining.shared_pack import SHARED_PACK, Claims
from templatemine.mining.stages import SourceReport, complete_step, skip_source, unfit_reason
from templatemine.model import Document
from templatemine.packs.pack_folder import Outcome, Rendered, Shelf, pack_names, render
from templatemine.parallel.threads import as_finished
from templatemine.pipeline import DecideSource, Executor, MineSource, ReportShared
from templatemine.text import _scan

__all__ = ["DiskExecutor", "sample_within"]

_Each = Callable[[str], None]
"""Called with each source that is done."""


@dataclass(frozen=True, slots=True)
class _StoredUnit:
    """The candidates of a unit on disk: where those of each source stand, and how many of its documents have an id that
    another of their source has."""

    frames: Mapping[str, Frame]
    duplicates: int


class DiskExecutor(Executor[None, RateFile, None]):
    """Units of sources, one after the other, with their results on disk.

    Parameters
    ----------
    work : str
        Folder of the run: of its partition, and of what this leaves.
    output : str
        Where packs will be; the rules of those that are there are kept.
    sizes : mapping
        What the documents of each source take.
    budget : int
        Bytes for the documents of a unit and what is made of them.
    """

    def __init__(
        self,
        work: str,
        output: str,
        sizes: Mapping[str, Sizes],
        options: ResolvedConfig,
        budget: int,
        jobs: int,
        progress: Callable[[str, int, int | None], None],
        tell: Callable[[str], None],
    ) -> None:
        self._work = work
        self._output = output
        self._sizes = sizes
        self._options = options
        self._budget = budget
        self._jobs = jobs
        self._progress = progress
        self._tell = tell
        self._numbers = {source: number for number, source in enumerate(sorted(sizes))}
        self._by_file = plan(sizes, budget)
        self.units = [unit for several in self._by_file.values() for unit in several]

    def _path(self, *names: str) -> str:
        return os.path.join(self._work, *names)

    def map_documents(self, work: MineSource) -> None:
        split_again(self._work, self._by_file, lambda done: self._progress("sorting", done, len(self._by_file)))
        self._map("mining", "mined", lambda unit, each: self._mine_unit(unit, work, each))

    def reduce(self, kept: None) -> RateFile:
        if not os.path.exists(self._path("rates")):
            parts = [self._path("mined", unit.name + ".rates") for unit in self.units]
            RateFile.write(self._path("rates"), parts, self._budget)
        return RateFile(self._path("rates"))

    def map_candidates(self, kept: None, table: RateFile, work: DecideSource) -> None:
        self._map("choosing", "chosen", lambda unit, each: self._decide_unit(unit, table, work, each))

    def share(self, result: None, work: ReportShared) -> None:
        if self._options.shared is None or os.path.exists(self._path("shared.json")):
            return
        claims = (one for unit in self.units for one in read_claims(self._path("chosen", unit.name + ".claims")))
        path = os.path.join(self._output, pack_names(SHARED_PACK)[0])
        report = keep_rules(work(claims, self._options), path)
        with together(self._path("packs"), force=True) as files:
            outcome = Shelf(files).write(render(report, path))
        manifest.write_json(self._path("shared.json"), outcome.facts())

    def outcomes(self) -> tuple[list[Outcome], int]:
        """What became of each source, by name, and how many documents have an id that another of their source has."""
        done = [manifest.read_json(self._path("chosen", unit.name)) for unit in self.units]
        facts = [one for unit in done for one in unit["outcomes"]]
        if self._options.shared is not None:
            facts.append(manifest.read_json(self._path("shared.json")))
        outcomes = sorted((Outcome(**one) for one in facts), key=lambda one: one.source)
        return outcomes, sum(unit["duplicates"] for unit in done)

    # ------------------------------------------------------------------------------------------------- unit by unit

    def _map(self, step: str, folder: str, function: Callable[[Unit, _Each], None]) -> None:
        sources = sum(len(unit.sources) for unit in self.units)
        done = 0
        for unit in self.units:
            number = done

            def each(source: str) -> None:
                nonlocal done
                done += 1
                self._progress(step, done, sources)

            if not os.path.exists(self._path(folder, unit.name)):
                function(unit, each)
            done = number + len(unit.sources)
            self._progress(step, done, sources)
            _scan.release_memory()

    def _documents(self, unit: Unit) -> tuple[dict[str, Sequence[Document]], int]:
        """The documents of each source of a unit, in memory, or of a giant, as it is asked for them; and how many have
        an id, in their file, that another of their source has."""
        found: dict[str, list[Document]] = {source: [] for source in unit.sources}
        hashes = bytearray()
        for key, body in records(unit.path(self._work)):
            document, own_id = decode(key, body)
            if own_id:
                hashes += blake2b(document.id.encode("utf-8", "surrogatepass"), digest_size=8, key=key[:64]).digest()
            if not unit.giant:
                found[document.source].append(document)
        duplicates = len(hashes) // 8 - len(np.unique(np.frombuffer(hashes, np.uint64)))
        if unit.giant:
            return {unit.sources[0]: StoredDocuments(unit.path(self._work))}, duplicates
        return dict(found), duplicates

    def _largest_first(self, sources: Sequence[str]) -> list[str]:
        return sorted(sources, key=lambda source: -self._sizes[source].cost)

    def _mine_unit(self, unit: Unit, work: MineSource, each: _Each) -> None:
        documents, duplicates = self._documents(unit)
        fit = self._largest_first([one for one in unit.sources if not unfit_reason(documents[one], self._options)])
        rates: list[tuple[int, SourceRates]] = []
        written: list[str] = []
        path = self._path("mined", unit.name)

        def mine(source: str) -> SourceCandidates:
            if unit.giant:
                return work(source, *self._sample(source, documents[source]))
            return work(source, documents[source], self._options)

        with cannot_write(path):
            with open(path + ".new", "wb") as handle:
                for _, candidates in as_finished(mine, fit, self._jobs):
                    rates.append((self._numbers[candidates.source], source_rates(candidates)))
                    key = key_of(candidates.source)
                    handle.write(pack_pieces(key, dump(candidates, before_body(key))))
                    written.append(key.hex())
                    each(candidates.source)
                    del candidates
                handle.write(pack_frame([(b"", orjson.dumps({"duplicates": duplicates, "sources": written}))]))
                flushed(handle)
            with open(path + ".rates", "wb") as handle:
                write_rates(handle, rates)
                flushed(handle)
            os.replace(path + ".new", path)

    def _stored(self, path: str) -> _StoredUnit:
        *found, last = frames(path)
        facts = orjson.loads(only_record(path, last)[1])
        sources = [source_of(bytes.fromhex(key)) for key in facts["sources"]]
        return _StoredUnit(dict(zip(sources, found, strict=True)), facts["duplicates"])

    def _sample(
        self, source: str, documents: Sequence[Document]
    ) -> tuple[list[Document], ResolvedConfig, NDArray[np.int64]]:
        """As much of a source as there is room for."""
        sample = self._options.sample
        places, chosen = sample_within(documents, sample, self._budget)
        if len(places) < min(sample.documents, len(documents)):
            size = self._sizes[source]
            self._tell(
                f"{source}: {size.documents:,} documents take {size.cost / 2**20:,.0f} MB, more than --memory allows; "
                f"mined from a sample of {len(places):,}, counted in all"
            )
        return chosen, self._options, np.array(places, np.int64)

    def _decide_unit(self, unit: Unit, table: RateFile, work: DecideSource, each: _Each) -> None:
        documents, _ = self._documents(unit)
        path = self._path("mined", unit.name)
        stored = self._stored(path)

        def report(source: str) -> SourceReport:
            if source not in stored.frames:
                return skip_source(source, documents[source], self._options)
            candidates = load(only_record(path, stored.frames[source])[1])
            elsewhere = table.lookup(candidates.hashes, self._numbers[source])
            return complete_step(work(candidates, elsewhere, self._options), documents[source], self._options)

        def ruled(source: str) -> tuple[Rendered, Claims | None]:
            standing = os.path.join(self._output, pack_names(source)[0])
            one = keep_rules(report(source), standing)
            return render(one, standing), one.claims

        outcomes = []
        claims: list[Claims] = []
        with together(self._path("packs"), force=True) as files:
            shelf = Shelf(files)
            for _, (rendered, claimed) in as_finished(ruled, self._largest_first(unit.sources), self._jobs):
                if unit.giant:
                    _scan.release_memory()
                outcomes.append(shelf.write(rendered))
                claims += [claimed] if claimed is not None else []
                each(outcomes[-1].source)
                del rendered, claimed
        outcomes.sort(key=lambda one: one.source)
        facts = {"duplicates": stored.duplicates, "outcomes": [one.facts() for one in outcomes]}
        if self._options.shared is not None:
            write_claims(self._path("chosen", unit.name + ".claims"), claims)
        manifest.write_json(self._path("chosen", unit.name), facts)


def sample_within(documents: Sequence[Document], config: SampleConfig, budget: int) -> tuple[list[int], list[Document]]:
    """The sample of `sampling.choose_sample`, or as much of its beginning, by hashes, as fits a budget; in one pass.

    A document that alone takes a sixteenth of the budget is left out: one such would be most of the sample.

    Returns
    -------
    places, documents : lists
        Places in `documents`, ascending, and what is there.
    """
    key = config.seed.to_bytes(8, "little", signed=True)
    heap: list[tuple[int, int, int, Document]] = []
    total, limit = 0, (1 << 64, 0)
    for place, document in enumerate(documents):
        digest = blake2b(document.id.encode("utf-8", "surrogatepass"), digest_size=8, key=key).digest()
        rank = int.from_bytes(digest, "little")
        _, cost = held(document)
        if (rank, place) >= limit or cost > budget // 16:
            continue
        # The greatest on top, to be the first to go; what goes bars all behind it, so that order changes nothing.
        heapq.heappush(heap, (-rank, -place, cost, document))
        total += cost
        while total > budget or len(heap) > config.documents:
            rank, place, cost, _ = heapq.heappop(heap)
            limit = -rank, -place
            total -= cost
    chosen = sorted((-place, document) for _, place, _, document in heap)
    return [place for place, _ in chosen], [document for _, document in chosen]
