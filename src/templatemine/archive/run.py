"""Archives of any size -> packs, in bounded memory, on from where a killed run stopped.

The stages are those of `pipeline.Miner`, each with its result on disk before the next begins:

split    records of all inputs into the files of a partition, with a checkpoint every few seconds
map      `mine_source` for the sources of a unit (`partition.plan`); strings spilled
reduce   strings of all sources by ranges of hashes
map      `finish_source` for the sources of a unit; packs written, and what sources claim for the shared pack
publish  packs renamed into their folder

All of it stands in a hidden folder inside the one for the packs.  A file that is there is whole (written under another
name, and renamed), so what is there need not be done again.  Packs are byte for byte those of `Miner`, but for a source
that does not fit the memory, which is mined from a sample.

The budget counts what `partition.held` says of each document, which is docs/performance.md's formula.
"""

from __future__ import annotations

import heapq
import os
import shutil
import stat
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace
from hashlib import blake2b
from typing import Any

import numpy as np
import orjson

from templatemine._version import __version__
from templatemine.archive import manifest
from templatemine.archive.apply_overrides import keep_later_rules, keep_rules, kept_rules
from templatemine.archive.first_pass import FirstPass, Tell, start
from templatemine.archive.frames import (
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
    FOLDERS,
    Sizes,
    Stored,
    Unit,
    decode,
    held,
    key_of,
    plan,
    source_of,
    split_again,
)
from templatemine.archive.spill import PeerTable, Rates, dump, load, read_claims, write_claims, write_rates
from templatemine.config import PipelineConfig, ReadConfig, SampleConfig
from templatemine.errors import CapacityError, ConfigError, CorpusError
from templatemine.io import lock
from templatemine.io.files import Report
from templatemine.io.read import read_records
from templatemine.io.together import together
from templatemine.io.write import claim
from templatemine.mining.background import fingerprint
from templatemine.mining.candidates import Mined, rates_of
from templatemine.mining.select import fewest_documents
from templatemine.mining.shared_pack import SHARED_PACK, Claims
from templatemine.model import Document
from templatemine.packs.pack_folder import PACK_SUFFIX, Outcome, Shelf, pack_names
from templatemine.parallel.threads import as_finished
from templatemine.pipeline import SourceReport, finish_source, mine_source, shared_report, skip_source, unfit
from templatemine.text import _scan

__all__ = ["ArchiveConfig", "ArchiveRun", "LEAST_MEMORY", "MinedArchive"]

LEAST_MEMORY = 128 << 20
"""Interpreter, libraries and buffers take some 70 MB."""

_BASE = 76 << 20
_OVERHEAD = 1.25

_WORK = ".templatemine-work"
_DONE = ".templatemine-run.json"


@dataclass(frozen=True, slots=True, kw_only=True)
class ArchiveConfig:
    """Options of a run.

    memory : bytes that the process may take at its peak, at least `LEAST_MEMORY`.
    jobs : threads, one source each at a time.
    force : replace packs that exist.
    restart : start over, whatever an earlier run has left.
    checkpoint : seconds between two points from which the first pass can go on; a point costs a sync of 128 files.
    """

    pipeline: PipelineConfig = field(default_factory=PipelineConfig)
    read: ReadConfig = field(default_factory=ReadConfig)
    memory: int = 1 << 30
    jobs: int = 1
    force: bool = False
    restart: bool = False
    checkpoint: float = 10.0

    def __post_init__(self) -> None:
        if self.memory < LEAST_MEMORY:
            raise ConfigError(f"memory: expected at least {LEAST_MEMORY >> 20}M, got {self.memory:,} bytes")
        if self.jobs < 1:
            raise ConfigError(f"jobs: expected at least 1, got {self.jobs}")

    @property
    def budget(self) -> int:
        """Bytes for the documents of a unit and what is made of them."""
        return int((self.memory - _BASE) / _OVERHEAD)


@dataclass(frozen=True, slots=True, kw_only=True)
class MinedArchive:
    """What became of an archive; `outcomes` in the order of their sources."""

    outcomes: list[Outcome]
    documents: int
    skipped: int
    duplicates: int


class ArchiveRun:
    """Mines packs from files into a folder.

    Parameters
    ----------
    inputs : sequence of str
        As `read_records` takes them.
    output : str
        Folder for the packs.
    config : ArchiveConfig
    progress : callable, optional
        Called with (step, done, total).
    tell : callable, optional
        Called with what a person should know: that an earlier run goes on or not, what was sampled.
    on_error : callable, optional
        Called with a `CorpusError` for each record that cannot be read.  A `Report` also gets the counts of what
        was met and does no harm, those of the runs that were gone on with included.
    """

    def __init__(
        self,
        inputs: Sequence[str],
        output: str,
        config: ArchiveConfig,
        *,
        progress: Callable[[str, int, int | None], None] | None = None,
        tell: Tell | None = None,
        on_error: Callable[[CorpusError], None] | None = None,
    ) -> None:
        self.inputs = list(inputs)
        self.output = output
        self.config = config
        self._on_error = on_error
        self._progress = progress or (lambda step, done, total: None)
        self._tell = tell or (lambda text: None)
        self._work = os.path.join(output, _WORK)
        self._first_pass = FirstPass(
            self.inputs, self._work, config.read, config.checkpoint, self._progress, self._tell, on_error
        )
        self._numbers: dict[str, int] = {}

    def run(self) -> MinedArchive:
        """Do it, or what is left of it.

        Raises
        ------
        CorpusError
            Fatal: an input cannot be read, something cannot be written, another run is at it, packs exist.  What was
            done is kept for the next run.
        CapacityError
            A source does not fit the memory and must not be sampled.
        """
        streams = [read_records(path, self.config.read, self._first_pass.met) for path in self.inputs]  # all are there
        made = not os.path.isdir(self.output)
        with cannot_write(self.output):
            os.makedirs(self.output, exist_ok=True)
        with lock.locked(self.output):
            try:
                mined, met = self._run(streams)
            except BaseException:
                if not os.path.exists(self._path("run.json")):
                    shutil.rmtree(self._work, ignore_errors=True)
                    if made:
                        with suppress(OSError):
                            os.rmdir(self.output)
                raise
        if isinstance(self._on_error, Report):
            for what, number in met.items():
                self._on_error.note(what, number)
        return mined

    def _run(self, streams: list[Iterator[Any]]) -> tuple[MinedArchive, dict[str, int]]:
        described = {
            "version": __version__,
            "options": manifest.digest(self.config.pipeline, self.config.read, self.config.memory),
            "background": fingerprint(self.config.pipeline.background),
            "inputs": [manifest.identity(path) for path in self.inputs],
        }
        finished = self._finished_before(described)
        if finished is not None:
            shutil.rmtree(self._work, ignore_errors=True)
            return finished
        state = self._begin(described)
        if state["phase"] == "split":
            self._first_pass.run(state, streams)
        else:
            self._first_pass.read_sizes()
        self._numbers = {source: number for number, source in enumerate(sorted(self._sizes))}
        units = self._units()
        if state["phase"] != "publish":
            self._refuse_existing()
            split_again(self._work, units, lambda done: self._progress("sorting", done, len(units)))
            flat = [unit for several in units.values() for unit in several]
            self._map("mining", "mined", flat, self._mine_unit)
            self._reduce(flat)
            self._map("choosing", "chosen", flat, self._finish_unit)
            self._share(flat)
            state["phase"] = "publish"
            manifest.write_json(self._path("run.json"), state)
        self._publish()
        result = self._result(state, [unit for several in units.values() for unit in several])
        met = state["at"].get("met", {})
        self._finish(described, result, met)
        return result, met

    @property
    def _sizes(self) -> Mapping[str, Sizes]:
        return self._first_pass.sizes

    def _path(self, *names: str) -> str:
        return os.path.join(self._work, *names)

    # ------------------------------------------------------------------------------------------------ where we are

    def _finished_before(self, described: Mapping[str, Any]) -> tuple[MinedArchive, dict[str, int]] | None:
        """The result of a run that is done, if its packs are still what it wrote."""
        done = manifest.read_json(os.path.join(self.output, _DONE))
        if self.config.force or self.config.restart or not isinstance(done, dict):
            return None
        if manifest.difference(done, described, self.inputs):
            return None
        for name, stamp in done["files"].items():
            if _stamp(os.path.join(self.output, name)) != stamp:
                return None
        self._tell("an earlier run has done all of it; --force does it again")
        outcomes = [Outcome(**one) for one in done["outcomes"]]
        return MinedArchive(outcomes=outcomes, **done["totals"]), done.get("met", {})

    def _begin(self, described: dict[str, Any]) -> dict[str, Any]:
        """The state to go on from."""
        state = manifest.read_json(self._path("run.json"))
        if isinstance(state, dict):
            why = "as asked" if self.config.restart else manifest.difference(state, described, self.inputs)
            if not why:
                self._tell("going on where an earlier run stopped")
                return state
            self._tell(f"an earlier run stopped before its end; starting over: {why}")
        shutil.rmtree(self._work, ignore_errors=True)
        with cannot_write(self._work):
            for name in (*FOLDERS, "mined", "chosen", "packs"):
                os.makedirs(self._path(name))
        state = {**described, "phase": "split", "at": start()}
        manifest.write_json(self._path("run.json"), state)
        return state

    # ---------------------------------------------------------------------------------------------------- units of work

    def _units(self) -> dict[str, list[Unit]]:
        units = plan(self._sizes, self.config.budget)
        sample = self.config.pipeline.sample
        for unit in (one for several in units.values() for one in several if one.giant):
            needed = self._sizes[unit.sources[0]].cost * _OVERHEAD + _BASE
            if sample.exact:
                raise CapacityError(
                    f"source {unit.sources[0]!r}: expected to fit {self.config.memory >> 20} MB, takes about "
                    f"{needed / 2**20:,.0f} MB to mine without sampling; give more memory, or no --exact"
                )
        return units

    def _refuse_existing(self) -> None:
        least = fewest_documents(self.config.pipeline)
        with together(self.output, self.config.force) as files:
            sources = [name for name, one in self._sizes.items() if one.documents >= least]
            Shelf(files).refuse_existing([*sources, SHARED_PACK] if self.config.pipeline.shared else sources)
        for source in sources:
            kept_rules(os.path.join(self.output, pack_names(source)[0]))

    def _map(self, step: str, folder: str, units: Sequence[Unit], function: Callable[[Unit, Tell], None]) -> None:
        sources = sum(len(unit.sources) for unit in units)
        done = 0
        for unit in units:
            number = done

            def each(source: str, number: int = number) -> None:
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
            return {unit.sources[0]: Stored(unit.path(self._work))}, duplicates
        return dict(found), duplicates

    # ------------------------------------------------------------------------------------------------------- the maps

    def _mine_unit(self, unit: Unit, each: Tell) -> None:
        documents, duplicates = self._documents(unit)
        fit = [source for source in unit.sources if not unfit(documents[source], self.config.pipeline)]
        fit.sort(key=lambda source: -self._sizes[source].cost)
        rates: list[Rates] = []
        written: list[str] = []
        mined_path, rates_path = self._path("mined", unit.name), self._path("mined", unit.name + ".rates")
        with cannot_write(mined_path):
            with open(mined_path + ".new", "wb") as handle:

                def mine(source: str) -> Mined:
                    return self._mine(source, documents[source], unit.giant)

                for _, mined in as_finished(mine, fit, self.config.jobs):
                    rates.append((self._numbers[mined.source], *rates_of(mined)))
                    key = key_of(mined.source)
                    handle.write(pack_pieces(key, dump(mined, before_body(key))))
                    written.append(key.hex())
                    each(mined.source)
                    del mined
                facts = orjson.dumps({"duplicates": duplicates, "sources": written})
                handle.write(pack_frame([(b"", facts)]))
                flushed(handle)
            with open(rates_path, "wb") as handle:
                write_rates(handle, rates)
                flushed(handle)
            os.replace(mined_path + ".new", mined_path)

    def _mine(self, source: str, documents: Sequence[Document], giant: bool) -> Mined:
        if not giant:
            return mine_source(source, documents, self.config.pipeline)
        sample = self.config.pipeline.sample
        places, chosen = sample_within(documents, sample, self.config.budget)
        if len(places) < min(sample.documents, len(documents)):
            size = self._sizes[source]
            self._tell(
                f"{source}: {size.documents:,} documents take {size.cost / 2**20:,.0f} MB, more than --memory allows; "
                f"mined from a sample of {len(places):,}, counted in all"
            )
        exact = replace(self.config.pipeline, sample=replace(sample, exact=True))
        return replace(mine_source(source, chosen, exact, sampled=True), chosen=np.array(places, np.int64))

    def _reduce(self, units: Sequence[Unit]) -> None:
        table = self._path("peers")
        if not os.path.exists(table):
            parts = [self._path("mined", unit.name + ".rates") for unit in units]
            PeerTable.write(table, parts, self.config.budget)

    def _finish_unit(self, unit: Unit, each: Tell) -> None:
        documents, _ = self._documents(unit)
        table = PeerTable(self._path("peers"))
        mined_path = self._path("mined", unit.name)
        *found, last = frames(mined_path)
        facts = orjson.loads(only_record(mined_path, last)[1])
        spilled = {source_of(bytes.fromhex(key)): frame for key, frame in zip(facts["sources"], found, strict=True)}

        def finish(source: str) -> SourceReport:
            if source not in spilled:
                note = unfit(documents[source], self.config.pipeline)
                report = skip_source(source, documents[source], note, self.config.pipeline)
                return keep_rules(report, os.path.join(self.output, pack_names(source)[0]))
            mined = load(only_record(mined_path, spilled[source])[1])
            number = self._numbers[source]
            report = finish_source(mined, table.of(mined, number), number, documents[source], self.config.pipeline)
            return keep_rules(report, os.path.join(self.output, pack_names(source)[0]))

        outcomes = []
        claims: list[Claims] = []
        order = sorted(unit.sources, key=lambda source: -self._sizes[source].cost)
        with together(self._path("packs"), force=True) as files:
            shelf = Shelf(files)
            for _, report in as_finished(finish, order, self.config.jobs):
                if unit.giant:
                    _scan.release_memory()
                path = os.path.join(self.output, pack_names(report.source)[0])
                outcomes.append(Outcome.of(report, path if shelf.save(report) else None, path))
                claims += [report.claims] if report.claims is not None else []
                each(report.source)
                del report
        outcomes.sort(key=lambda one: one.source)
        done = {"duplicates": facts["duplicates"], "outcomes": [one.facts() for one in outcomes]}
        if self.config.pipeline.shared is not None:
            write_claims(self._path("chosen", unit.name + ".claims"), claims)
        manifest.write_json(self._path("chosen", unit.name), done)

    def _share(self, units: Sequence[Unit]) -> None:
        """Write the pack of what many sources share, if it is asked for."""
        if self.config.pipeline.shared is None or os.path.exists(self._path("shared.json")):
            return
        claims = (one for unit in units for one in read_claims(self._path("chosen", unit.name + ".claims")))
        path = os.path.join(self.output, pack_names(SHARED_PACK)[0])
        report = keep_rules(shared_report(claims, self.config.pipeline), path)
        with together(self._path("packs"), force=True) as files:
            outcome = Outcome.of(report, path if Shelf(files).save(report) else None)
        manifest.write_json(self._path("shared.json"), outcome.facts())

    # -------------------------------------------------------------------------------------------------------- the end

    def _publish(self) -> None:
        """Give the packs their places.  A run that was killed here goes on with those that are left."""
        names = sorted(os.listdir(self._path("packs")))
        for place, name in enumerate(names):
            if name.startswith("."):
                continue
            source, target = self._path("packs", name), os.path.join(self.output, name)
            if name.endswith(PACK_SUFFIX):
                keep_later_rules(source, target)
            with cannot_write(target):
                _place(source, target, self.config.force)
            self._progress("writing", place + 1, len(names))

    def _result(self, state: Mapping[str, Any], units: Sequence[Unit]) -> MinedArchive:
        outcomes: list[Outcome] = []
        duplicates = 0
        for unit in units:
            facts = manifest.read_json(self._path("chosen", unit.name))
            duplicates += facts["duplicates"]
            outcomes += [Outcome(**one) for one in facts["outcomes"]]
        outcomes.sort(key=lambda one: one.source)
        documents = sum(one.documents for one in outcomes)
        if self.config.pipeline.shared is not None:
            outcomes.append(Outcome(**manifest.read_json(self._path("shared.json"))))
            outcomes.sort(key=lambda one: one.source)
        skipped = state["at"]["skipped"]
        return MinedArchive(outcomes=outcomes, documents=documents, skipped=skipped, duplicates=duplicates)

    def _finish(self, described: Mapping[str, Any], result: MinedArchive, met: Mapping[str, int]) -> None:
        """Note what was done, so that the same command again finds it done; then drop the work."""
        names = [name for one in result.outcomes if one.pack is not None for name in pack_names(one.source)]
        done = {
            **described,
            "totals": {"documents": result.documents, "skipped": result.skipped, "duplicates": result.duplicates},
            "met": met,
            "outcomes": [one.facts() for one in result.outcomes],
            "files": {name: _stamp(os.path.join(self.output, name)) for name in names},
        }
        # Written where the work is, and renamed: what a kill leaves of it goes with the work.
        manifest.write_json(self._path("done.json"), done)
        os.replace(self._path("done.json"), os.path.join(self.output, _DONE))
        shutil.rmtree(self._work, ignore_errors=True)


def _place(source: str, target: str, force: bool) -> None:
    """Rename a file; what stands there is replaced only by `force`, and passes its permissions on."""
    if force:
        target = os.path.realpath(target)
        if os.path.exists(target):
            os.chmod(source, stat.S_IMODE(os.stat(target).st_mode))
        os.replace(source, target)
        return
    try:
        claim(source, target)  # unlike a rename it never replaces what has appeared meanwhile
    except CorpusError:
        # They are the same if a run was killed right here.
        if not os.path.exists(target) or not os.path.samefile(source, target):
            raise
    with suppress(FileNotFoundError):  # without hard links it has been renamed
        os.unlink(source)


def _stamp(path: str) -> list[int] | None:
    try:
        found = os.stat(path)
    except OSError:
        return None
    return [found.st_size, found.st_mtime_ns]


def sample_within(documents: Sequence[Document], config: SampleConfig, budget: int) -> tuple[list[int], list[Document]]:
    """The sample of `sample.choose`, or as much of its beginning, by hashes, as fits a budget; in one pass.

    A document that alone takes a sixteenth of the budget is left out: one such would be most of the sample.

    Returns
    -------
    places, documents : lists
        Places in `documents`, ascending, and what stands there.
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
