"""The executor of `pipeline.drive` that keeps everything on disk: bounded memory for archives of any size.

The documents lie in the files of a partition; what fits the memory together is a `MiningUnit`, and a source that does
not fit is mined from a sample, and counted as it is read.  Each unit leaves a file a stage, which is whole if it is
there, so that what a killed run has done is not done again:

mined/UNIT    the candidates of its sources, and beside it ``UNIT.hashes``, hashes for the reduce
shared         the strings that several sources have
chosen/UNIT   the outcomes of its sources, and beside it ``UNIT.claims``; their packs are in ``packs``
shared.json   the outcome of the shared pack
"""

from __future__ import annotations

import heapq
import os
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from hashlib import blake2b

import numpy as np
import orjson
from numpy.typing import NDArray

from templatemine.archive import manifest
from templatemine.archive.apply_overrides import serialise_with_rules
from templatemine.archive.frames import (
    Frame,
    list_frames,
    pack_frame,
    read_bodies,
    read_single_body,
)
from templatemine.archive.partition import (
    MiningUnit,
    SourceSizes,
    StoredDocuments,
    decode_document,
    decode_source,
    encode_source,
    max_document_cost,
    memory_cost,
    plan_units,
    split_units,
)
from templatemine.archive.spill import (
    SharedStringsFile,
    pack_candidates,
    read_candidates,
    read_claims,
    write_claims,
    write_hashes,
)
from templatemine.config import SampleConfig
from templatemine.errors import counted
from templatemine.io.file_transaction import file_transaction
from templatemine.io.write import atomic_writer
from templatemine.mining.candidates import SourceCandidates
from templatemine.mining.methods import ResolvedConfig
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
from templatemine.packs.pack_folder import (
    PackFolderWriter,
    SerialisedPack,
    SourceOutcome,
    StandingPacks,
)
from templatemine.parallel.threads import map_as_completed
from templatemine.pipeline import Executor
from templatemine.progress import Progress
from templatemine.text import _scan

_OnSourceDone = Callable[[str], None]
"""Called with each source that is done."""


@dataclass(frozen=True, slots=True)
class _StoredUnit:
    """The candidates of a unit on disk: where those of each source are, how many of its documents have an id that
    another of their source has, and how many are too large for the memory."""

    frames: Mapping[str, Frame]
    duplicates: int
    too_large: int


class DiskExecutor(Executor[None, SharedStringsFile, None]):
    """Units of sources, one after the other, with their results on disk.

    Parameters
    ----------
    work : str
        Folder of the run: of its partition, and of the results.
    output : str
        Where packs will be; the rules of those that are there are kept.
    sizes : mapping
        What the documents of each source take.
    budget : int
        Bytes for the documents of a unit and their results.
    """

    def __init__(
        self,
        work: str,
        output: str,
        sizes: Mapping[str, SourceSizes],
        options: ResolvedConfig,
        budget: int,
        jobs: int,
        progress: Progress,
        tell: Callable[[str], None],
    ) -> None:
        self._work = work
        self._standing = StandingPacks(output)
        self._sizes = sizes
        self._options = options
        self._budget = budget
        self._jobs = jobs
        self._progress = progress
        self._tell = tell
        self._by_file = plan_units(sizes, budget)
        self.units = [unit for units_of_file in self._by_file.values() for unit in units_of_file]

    def _path(self, *names: str) -> str:
        return os.path.join(self._work, *names)

    def map_documents(self) -> None:
        split_units(self._work, self._by_file, lambda done: self._progress("sorting", done, len(self._by_file)))
        self._map("mining", "mined", self._mine_unit)

    def reduce(self, mined: None) -> SharedStringsFile:
        path = self._path("shared")
        if not os.path.exists(path):
            parts = [self._path("mined", unit.name + ".hashes") for unit in self.units]
            SharedStringsFile.write(path, parts, self._budget)
        return SharedStringsFile(path)

    def map_candidates(self, mined: None, table: SharedStringsFile) -> None:
        self._map("choosing", "chosen", partial(self._decide_unit, table))

    def share(self, result: None) -> None:
        if self._options.shared is None or os.path.exists(self._path("shared.json")):
            return
        claims = (
            source_claims
            for unit in self.units
            for source_claims in read_claims(self._path("chosen", unit.name + ".claims"))
        )
        report = report_shared(claims, self._options)
        with file_transaction(self._path("packs"), force=True) as files:
            outcome = PackFolderWriter(files).write(serialise_with_rules(report, self._standing))
        manifest.write_json(self._path("shared.json"), outcome.as_dict())

    def outcomes(self) -> tuple[list[SourceOutcome], int, int]:
        """Return the outcome of each source, by name; how many documents have an id that another of their source has,
        and how many were too large for the memory."""
        done = [manifest.read_json(self._path("chosen", unit.name)) for unit in self.units]
        facts = [row for unit in done for row in unit["outcomes"]]
        if self._options.shared is not None:
            facts.append(manifest.read_json(self._path("shared.json")))
        outcomes = sorted((SourceOutcome(**row) for row in facts), key=lambda outcome: outcome.source)
        return outcomes, sum(unit["duplicates"] for unit in done), sum(unit["too_large"] for unit in done)

    # ------------------------------------------------------------------------------------------------- unit by unit

    def _map(self, step: str, folder: str, function: Callable[[MiningUnit, _OnSourceDone], None]) -> None:
        sources = sum(len(unit.sources) for unit in self.units)
        done = 0
        for unit in self.units:
            done_before = done

            def on_source_done(source: str) -> None:
                nonlocal done
                done += 1
                self._progress(step, done, sources)

            if not os.path.exists(self._path(folder, unit.name)):
                function(unit, on_source_done)
            done = done_before + len(unit.sources)
            self._progress(step, done, sources)
            _scan.release_memory()

    def _documents(self, unit: MiningUnit) -> tuple[dict[str, Sequence[Document]], int]:
        """Return the documents of each source of a unit, in memory, or of a giant, as it is asked for them; and how
        many have an id, in their file, that another of their source has."""
        by_source: dict[str, list[Document]] = {source: [] for source in unit.sources}
        hashes = bytearray()
        for key, body in read_bodies(unit.path(self._work)):
            document, own_id = decode_document(key, body)
            if own_id:
                hashes += blake2b(document.id.encode("utf-8", "surrogatepass"), digest_size=8, key=key[:64]).digest()
            if not unit.giant:
                by_source[document.source].append(document)
        duplicates = len(hashes) // 8 - len(np.unique(np.frombuffer(hashes, np.uint64)))
        return ({unit.sources[0]: self._stored_documents(unit)} if unit.giant else dict(by_source)), duplicates

    def _stored_documents(self, unit: MiningUnit) -> StoredDocuments:
        """Return the documents of a giant, but for those that are too large for the memory."""
        limit = max_document_cost(self._budget)
        has_large = self._sizes[unit.sources[0]].largest > limit
        return StoredDocuments(unit.path(self._work), limit if has_large else None)

    def _largest_first(self, sources: Sequence[str]) -> list[str]:
        return sorted(sources, key=lambda source: -self._sizes[source].cost)

    def _mine_unit(self, unit: MiningUnit, on_source_done: _OnSourceDone) -> None:
        documents, duplicates = self._documents(unit)
        minable = self._largest_first(
            [source for source in unit.sources if not unfit_reason(documents[source], self._options)]
        )
        hashes: list[NDArray[np.uint64]] = []
        keys: list[str] = []
        too_large = sum(one.left_out for one in documents.values() if isinstance(one, StoredDocuments))
        if too_large:
            self._tell(
                f"{unit.sources[0]}: {counted(too_large, 'document')} skipped, as one takes more than "
                f"{max_document_cost(self._budget) / 2**20:,.0f} MB to mine; more --memory would do"
            )
        path = self._path("mined", unit.name)

        def mine(source: str) -> SourceCandidates:
            if unit.giant:
                return mine_source(source, *self._choose_sample(source, documents[source]))
            return mine_source(source, documents[source], self._options)

        with atomic_writer(path, force=True) as handle:
            for _, candidates in map_as_completed(mine, minable, self._jobs):
                hashes.append(candidates.hashes)
                handle.write(pack_candidates(candidates))
                keys.append(encode_source(candidates.source).hex())
                on_source_done(candidates.source)
                del candidates
            facts = {"duplicates": duplicates, "too_large": too_large, "sources": keys}
            handle.write(pack_frame([(b"", orjson.dumps(facts))]))
            with atomic_writer(path + ".hashes", force=True) as hashes_handle:  # there before the unit is
                write_hashes(hashes_handle, hashes)

    def _read_stored_unit(self, path: str) -> _StoredUnit:
        *source_frames, last = list_frames(path)
        facts = orjson.loads(read_single_body(path, last))
        sources = [decode_source(bytes.fromhex(key)) for key in facts["sources"]]
        frames = dict(zip(sources, source_frames, strict=True))
        return _StoredUnit(frames, facts["duplicates"], facts["too_large"])

    def _choose_sample(
        self, source: str, documents: Sequence[Document]
    ) -> tuple[list[Document], ResolvedConfig, NDArray[np.int64]]:
        """Return a sample of a source that fits the budget."""
        sample = self._options.sample
        positions, documents_chosen = choose_sample_within(documents, sample, self._budget)
        if len(positions) < min(sample.documents, len(documents)):
            size = self._sizes[source]
            self._tell(
                f"{source}: {size.documents:,} documents take {size.cost / 2**20:,.0f} MB, more than --memory allows; "
                f"mined from a sample of {len(positions):,}, counted in all"
            )
        return documents_chosen, self._options, np.array(positions, np.int64)

    def _decide_unit(self, table: SharedStringsFile, unit: MiningUnit, on_source_done: _OnSourceDone) -> None:
        documents, _ = self._documents(unit)
        path = self._path("mined", unit.name)
        stored = self._read_stored_unit(path)

        def make_report(source: str) -> SourceReport:
            if source not in stored.frames:
                return skip_source(source, documents[source], self._options)
            return decide_stored(path, stored.frames[source], table, documents[source], self._options)

        def decide_with_rules(source: str) -> tuple[SerialisedPack, Claims | None]:
            report = make_report(source)
            if stored.too_large:
                report = replace(
                    report, note=f"{report.note}; {counted(stored.too_large, 'document')} too large for --memory"
                )
            return serialise_with_rules(report, self._standing), report.claims

        outcomes = []
        claims: list[Claims] = []
        with file_transaction(self._path("packs"), force=True) as files:
            writer = PackFolderWriter(files)
            for _, (serialised, source_claims) in map_as_completed(
                decide_with_rules, self._largest_first(unit.sources), self._jobs
            ):
                if unit.giant:
                    _scan.release_memory()
                outcomes.append(writer.write(serialised))
                claims += [source_claims] if source_claims is not None else []
                on_source_done(outcomes[-1].source)
                del serialised, source_claims
        outcomes.sort(key=lambda outcome: outcome.source)
        facts = {
            "duplicates": stored.duplicates,
            "too_large": stored.too_large,
            "outcomes": [outcome.as_dict() for outcome in outcomes],
        }
        if self._options.shared is not None:
            write_claims(self._path("chosen", unit.name + ".claims"), claims)
        manifest.write_json(self._path("chosen", unit.name), facts)


def decide_stored(
    path: str, frame: Frame, table: SharedStringsFile, documents: Sequence[Document], options: ResolvedConfig
) -> SourceReport:
    """Decide on a source whose candidates are in a frame on disk, by the strings that others have."""
    candidates = read_candidates(path, frame)
    return complete_step(decide_source(candidates, table.lookup(candidates.hashes), options), documents, options)


def choose_sample_within(
    documents: Sequence[Document], config: SampleConfig, budget: int
) -> tuple[list[int], list[Document]]:
    """Return the sample of `sampling.choose_sample`, or as much of its beginning, by hashes, as fits a budget; in one
    pass.

    Returns
    -------
    places, documents : lists
        Places in `documents`, ascending, and their documents.
    """
    key = config.seed.to_bytes(8, "little", signed=True)
    heap: list[tuple[int, int, int, Document]] = []
    total, limit = 0, (1 << 64, 0)
    for position, document in enumerate(documents):
        digest = blake2b(document.id.encode("utf-8", "surrogatepass"), digest_size=8, key=key).digest()
        rank = int.from_bytes(digest, "little")
        cost = memory_cost(document)
        if (rank, position) >= limit:
            continue
        # The greatest on top, to be the first to go; what goes bars all behind it, so that order changes nothing.
        heapq.heappush(heap, (-rank, -position, cost, document))
        total += cost
        while total > budget or len(heap) > config.documents:
            rank, position, cost, _ = heapq.heappop(heap)
            limit = -rank, -position
            total -= cost
    selected = sorted((-position, document) for _, position, _, document in heap)
    return [position for position, _ in selected], [document for _, document in selected]
