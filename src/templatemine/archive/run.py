"""Archives of any size -> packs, in bounded memory, on from where a killed run stopped.

split    records of all inputs into the files of a partition, with a checkpoint every few seconds (`first_pass`)
mine     `pipeline.drive`, with the result of each stage on disk before the next begins (`disk`)
publish  packs renamed into their folder

All of it is in a hidden folder inside the one for the packs.  A file that is there is whole (written under another
name, and renamed), so what is there need not be done again.  Packs are byte for byte those of `Miner`, but for a source
that does not fit the memory, which is mined from a sample.

The budget counts what `partition.held` says of each document, which is docs/performance.md's formula.
"""

from __future__ import annotations

import os
import shutil
import stat
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import asdict, dataclass, field
from typing import Any

from templatemine._version import __version__
from templatemine.archive import manifest
from templatemine.archive.apply_overrides import keep_later_rules, kept_rules
from templatemine.archive.disk import DiskExecutor
from templatemine.archive.first_pass import FirstPass, Tell, start
from templatemine.archive.frames import cannot_write
from templatemine.archive.partition import FOLDERS
from templatemine.cleaning.tally import Nameless
from templatemine.config import PipelineConfig, ReadConfig
from templatemine.errors import CapacityError, ConfigError, CorpusError
from templatemine.io import lock
from templatemine.io.files import Report
from templatemine.io.read import read_records
from templatemine.io.together import together
from templatemine.io.write import claim
from templatemine.mining.methods import resolve_defaults
from templatemine.mining.score import fingerprint
from templatemine.mining.shared_pack import SHARED_PACK
from templatemine.packs.pack_folder import PACK_SUFFIX, Outcome, Shelf, pack_names
from templatemine.pipeline import drive

__all__ = ["LEAST_MEMORY", "ArchiveConfig", "ArchiveReport", "ArchiveRun"]

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
class ArchiveReport:
    """What became of an archive; `outcomes` in the order of their sources."""

    outcomes: list[Outcome]
    documents: int
    skipped: int
    duplicates: int
    nameless: Nameless


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
        self._options = resolve_defaults(config.pipeline)
        self._first_pass = FirstPass(
            self.inputs, self._work, config.read, config.checkpoint, self._progress, self._tell, on_error
        )

    def run(self) -> ArchiveReport:
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

    def _run(self, streams: list[Iterator[Any]]) -> tuple[ArchiveReport, dict[str, int]]:
        described = {
            "version": __version__,
            "options": manifest.digest(self.config.pipeline, self.config.read, self.config.memory),
            "model": fingerprint(self.config.pipeline.model),
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
        executor = self._executor()
        if state["phase"] != "publish":
            self._refuse_existing()
            drive(executor)
            state["phase"] = "publish"
            manifest.write_json(self._path("run.json"), state)
        self._publish()
        outcomes, duplicates = executor.outcomes()
        result = ArchiveReport(
            outcomes=outcomes,
            documents=sum(one.documents for one in self._first_pass.sizes.values()),
            skipped=state["at"]["skipped"],
            duplicates=duplicates,
            nameless=Nameless(**state["at"].get("nameless", {})),
        )
        met = state["at"].get("met", {})
        self._finish(described, result, met)
        return result, met

    def _executor(self) -> DiskExecutor:
        sizes, sample = self._first_pass.sizes, self.config.pipeline.sample
        executor = DiskExecutor(
            self._work,
            self.output,
            sizes,
            self._options,
            self.config.budget,
            self.config.jobs,
            self._progress,
            self._tell,
        )
        for unit in executor.units:
            if unit.giant and sample.exact:
                needed = sizes[unit.sources[0]].cost * _OVERHEAD + _BASE
                raise CapacityError(
                    f"source {unit.sources[0]!r}: expected to fit {self.config.memory >> 20} MB, takes about "
                    f"{needed / 2**20:,.0f} MB to mine without sampling; give more memory, or no --exact"
                )
        return executor

    def _path(self, *names: str) -> str:
        return os.path.join(self._work, *names)

    # ------------------------------------------------------------------------------------------------ where we are

    def _finished_before(self, described: Mapping[str, Any]) -> tuple[ArchiveReport, dict[str, int]] | None:
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
        nameless = Nameless(**done.get("nameless", {}))
        return ArchiveReport(outcomes=outcomes, nameless=nameless, **done["totals"]), done.get("met", {})

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

    def _refuse_existing(self) -> None:
        with together(self.output, self.config.force) as files:
            sizes = self._first_pass.sizes
            sources = [name for name, one in sizes.items() if one.documents >= self._options.min_docs]
            Shelf(files).refuse_existing([*sources, SHARED_PACK] if self._options.shared else sources)
        for source in sources:
            kept_rules(os.path.join(self.output, pack_names(source)[0]))

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

    def _finish(self, described: Mapping[str, Any], result: ArchiveReport, met: Mapping[str, int]) -> None:
        """Note what was done, so that the same command again finds it done; then drop the work."""
        names = [name for one in result.outcomes if one.pack is not None for name in pack_names(one.source)]
        done = {
            **described,
            "totals": {"documents": result.documents, "skipped": result.skipped, "duplicates": result.duplicates},
            "met": met,
            "nameless": asdict(result.nameless),
            "outcomes": [one.facts() for one in result.outcomes],
            "files": {name: _stamp(os.path.join(self.output, name)) for name in names},
        }
        # Written where the work is, and renamed: what a kill leaves of it goes with the work.
        manifest.write_json(self._path("done.json"), done)
        os.replace(self._path("done.json"), os.path.join(self.output, _DONE))
        shutil.rmtree(self._work, ignore_errors=True)


def _place(source: str, target: str, force: bool) -> None:
    """Rename a file; what is there is replaced only by `force`, and passes its permissions on."""
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
