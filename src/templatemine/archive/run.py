"""Archives of any size -> packs, in bounded memory, on from where a killed run stopped.

split    records of all inputs into the files of a partition, with a checkpoint every few seconds (`first_pass`)
mine     `pipeline.drive`, with the result of each stage on disk before the next begins (`disk`)
publish  packs renamed into their folder

All of it is in a hidden folder inside the one for the packs.  A file that is there is whole (written under another
name, and renamed), so what is there need not be done again.  Packs are byte for byte those of `Miner`, but for a source
that does not fit the memory, which is mined from a sample.

The budget counts what `partition.memory_cost` says of each document, which is docs/performance.md's formula.
"""

from __future__ import annotations

import os
import shutil
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import asdict, dataclass, field
from functools import partial
from typing import Any

from templatemine._version import __version__
from templatemine.archive import manifest
from templatemine.archive.apply_overrides import keep_later_rules, refuse_packs
from templatemine.archive.archive_report import ArchiveReport, SourcelessRecords
from templatemine.archive.chosen_sources import ChosenSources
from templatemine.archive.disk import DiskExecutor
from templatemine.archive.first_pass import FirstPass, Tell, initial_position
from templatemine.archive.partition import make_folders
from templatemine.bounds import NUMBERS, Options
from templatemine.config import PipelineConfig, ReadConfig
from templatemine.errors import CapacityError, CorpusError
from templatemine.io.file_transaction import file_transaction
from templatemine.io.files import Report
from templatemine.io.read import read_records
from templatemine.io.write import place_file, write_errors
from templatemine.mining.methods import resolve_defaults
from templatemine.mining.score import fingerprint
from templatemine.packs.pack_folder import PACK_SUFFIX, PackFolderWriter, SourceOutcome, StandingPacks, pack_names
from templatemine.pipeline import drive
from templatemine.progress import Progress, ignore_progress
from templatemine.text.dates import UnreadableDates

MIN_MEMORY = int(NUMBERS["RunConfig.memory"].least)
"""Interpreter, libraries and buffers take some 70 MB."""

_BASE_MEMORY = 76 << 20
_MEMORY_OVERHEAD = 1.25

_WORK_FOLDER = ".templatemine-work"
_DONE_FILE = ".templatemine-run.json"


@dataclass(frozen=True, slots=True, kw_only=True)
class RunConfig(Options):
    """Options of a run.

    memory : bytes that the process may take at its peak, at least `MIN_MEMORY`.
    jobs : threads, one source each at a time.
    force : replace packs that exist.
    restart : start over, whatever an earlier run has left.
    checkpoint : seconds between two points from which the first pass can go on; a point costs a sync of 128 files.
    only : the sources that are mined, as if there were no others; None for all.
    """

    pipeline: PipelineConfig = field(default_factory=PipelineConfig)
    read: ReadConfig = field(default_factory=ReadConfig)
    memory: int = 1 << 30
    jobs: int = 1
    force: bool = False
    restart: bool = False
    checkpoint: float = 10.0
    only: Collection[str] | None = None

    @property
    def budget(self) -> int:
        """Return the bytes for the documents of a unit and their results."""
        return int((self.memory - _BASE_MEMORY) / _MEMORY_OVERHEAD)


class ArchiveRun:
    """Mines packs from files into a folder.

    Parameters
    ----------
    inputs : sequence of str
        As `read_records` takes them.
    output : str
        Folder for the packs.
    config : RunConfig
    progress : callable, optional
        Called with (step, done, total).
    tell : callable, optional
        Called with messages: whether an earlier run continues, and which sources were sampled.
    on_error : callable, optional
        Called with a `CorpusError` for each record that cannot be read.  A `Report` also gets the counts of what
        was met and does no harm, those of the runs that were gone on with included.
    """

    def __init__(
        self,
        inputs: Sequence[str],
        output: str,
        config: RunConfig,
        *,
        progress: Progress | None = None,
        tell: Tell | None = None,
        on_error: Callable[[CorpusError], None] | None = None,
    ) -> None:
        self.inputs = list(inputs)
        self.output = output
        self.config = config
        self._on_error = on_error
        self._progress = progress or ignore_progress
        self._tell = tell or (lambda text: None)
        self._work = os.path.join(output, _WORK_FOLDER)
        self._options = resolve_defaults(config.pipeline)
        self._chosen = ChosenSources(config.only, config.read.source)
        self._first_pass = FirstPass(
            self.inputs, self._work, config.read, config.checkpoint, self._progress, self._tell, on_error
        )

    def run(self) -> ArchiveReport:
        """Run all stages, or the remaining ones.

        Raises
        ------
        CorpusError
            Fatal: an input cannot be read, something cannot be written, another run is at it, packs exist.  What was
            done is kept for the next run.
        CapacityError
            A source does not fit the memory and must not be sampled.
        """
        report = self._first_pass.report
        records = [read_records(path, self.config.read, report) for path in self.inputs]  # all are there
        streams = [self._chosen.select(some, report.note) for some in records]
        with manifest.hold_folder(self.output, self._work, self._path("run.json")):
            result, notes = self._run(streams)
        if isinstance(self._on_error, Report):
            for kind, count in notes.items():
                self._on_error.note(kind, count)
        return result

    def _run(self, streams: list[Iterator[Any]]) -> tuple[ArchiveReport, dict[str, int]]:
        only = [] if self.config.only is None else [sorted({*self.config.only})]
        description = {
            "version": __version__,
            "form": manifest.FORM,
            "options": manifest.digest_options(self.config.pipeline, self.config.read, self.config.memory, *only),
            "model": fingerprint(self.config.pipeline.model),
            "cues": None if self.config.pipeline.cues is None else fingerprint(self.config.pipeline.cues),
            "inputs": [manifest.input_identity(path) for path in self.inputs],
        }
        finished_result = self._find_finished_run(description)
        if finished_result is not None:
            shutil.rmtree(self._work, ignore_errors=True)
            return finished_result
        state = self._resume_or_start(description)
        if state["phase"] == "split":
            standing = StandingPacks(self.output, self.config.force)

            def refuse(source: str, documents: int) -> None:
                if documents == self._options.min_docs:
                    standing.refuse(source)

            check_end = partial(self._chosen.check, self._tell, self._first_pass.sizes)
            self._first_pass.run(state, streams, refuse, check_end)
        else:
            self._first_pass.read_sizes()
        executor = self._executor()
        if state["phase"] != "publish":
            counts = {source: found.documents for source, found in self._first_pass.sizes.items()}
            with file_transaction(self.output, self.config.force) as files:
                refuse_packs(PackFolderWriter(files), counts, self._options)
            drive(executor)
            state["phase"] = "publish"
            manifest.write_json(self._path("run.json"), state)
        self._publish()
        outcomes, duplicates, too_large = executor.outcomes()
        result = ArchiveReport(
            outcomes=outcomes,
            documents=sum(source_sizes.documents for source_sizes in self._first_pass.sizes.values()),
            skipped=state["at"]["skipped"] + too_large,
            duplicates=duplicates,
            nameless=SourcelessRecords(**state["at"].get("nameless", {})),
            dates=UnreadableDates.from_dict(state["at"].get("dates", {})),
        )
        notes = state["at"].get("met", {})
        self._note_finished(description, result, notes)
        return result, notes

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
                needed = sizes[unit.sources[0]].cost * _MEMORY_OVERHEAD + _BASE_MEMORY
                raise CapacityError(
                    f"source {unit.sources[0]!r}: expected to fit {self.config.memory >> 20} MB, takes about "
                    f"{needed / 2**20:,.0f} MB to mine without sampling; give more memory, or no --exact"
                )
        return executor

    def _path(self, *names: str) -> str:
        return os.path.join(self._work, *names)

    # ------------------------------------------------------------------------------------------------ where we are

    def _find_finished_run(self, description: Mapping[str, Any]) -> tuple[ArchiveReport, dict[str, int]] | None:
        """Return the result of a finished run, if its packs are unchanged."""
        finished = manifest.read_json(os.path.join(self.output, _DONE_FILE))
        if self.config.force or self.config.restart or not isinstance(finished, dict):
            return None
        if manifest.find_difference(finished, description, self.inputs):
            return None
        for name, file_state in finished["files"].items():
            if _file_state(os.path.join(self.output, name)) != file_state:
                return None
        self._tell("an earlier run has done all of it; --force does it again")
        outcomes = [SourceOutcome(**row) for row in finished["outcomes"]]
        nameless = SourcelessRecords(**finished.get("nameless", {}))
        dates = UnreadableDates.from_dict(finished.get("dates", {}))
        result = ArchiveReport(outcomes=outcomes, nameless=nameless, dates=dates, **finished["totals"])
        return result, finished.get("met", {})

    def _resume_or_start(self, description: dict[str, Any]) -> dict[str, Any]:
        """Return the state to go on from."""
        state = manifest.read_json(self._path("run.json"))
        if isinstance(state, dict):
            reason = "as asked" if self.config.restart else manifest.find_difference(state, description, self.inputs)
            if not reason:
                self._tell("going on where an earlier run stopped")
                return state
            self._tell(f"an earlier run stopped before its end; starting over: {reason}")
        make_folders(self._work, "mined", "chosen", "packs")
        state = {**description, "phase": "split", "at": initial_position()}
        manifest.write_json(self._path("run.json"), state)
        return state

    # -------------------------------------------------------------------------------------------------------- the end

    def _publish(self) -> None:
        """Give the packs their places.  A run that was killed here goes on with those that are left."""
        names = sorted(os.listdir(self._path("packs")))
        for index, name in enumerate(names):
            if name.startswith("."):
                continue
            source, target = self._path("packs", name), os.path.join(self.output, name)
            if name.endswith(PACK_SUFFIX):
                keep_later_rules(source, target)
            with write_errors(target):
                _move_into_place(source, target, self.config.force)
            self._progress("writing", index + 1, len(names))

    def _note_finished(self, description: Mapping[str, Any], result: ArchiveReport, notes: Mapping[str, int]) -> None:
        """Record the result, if there are packs, so that the same command finds it done; then drop the work."""
        names = [name for outcome in result.outcomes if outcome.pack is not None for name in pack_names(outcome.source)]
        done = {
            **description,
            "totals": {"documents": result.documents, "skipped": result.skipped, "duplicates": result.duplicates},
            "met": notes,
            "nameless": asdict(result.nameless),
            "dates": asdict(result.dates),
            "outcomes": [outcome.as_dict() for outcome in result.outcomes],
            "files": {name: _file_state(os.path.join(self.output, name)) for name in names},
        }
        if names:
            # Written where the work is, and renamed: the rest of a killed run goes with the work.
            manifest.write_json(self._path("done.json"), done)
            os.replace(self._path("done.json"), os.path.join(self.output, _DONE_FILE))
        shutil.rmtree(self._work, ignore_errors=True)


def _move_into_place(source: str, target: str, force: bool) -> None:
    """Give a file its final name (`place_file`), of a link by `force` that of the file that it leads to."""
    try:
        place_file(source, os.path.realpath(target) if force else target, force)
    except CorpusError:
        # They are the same if a run was killed right here.
        if not os.path.exists(target) or not os.path.samefile(source, target):
            raise
    with suppress(FileNotFoundError):  # without hard links it has been renamed
        os.unlink(source)


def _file_state(path: str) -> list[int] | None:
    try:
        status = os.stat(path)
    except OSError:
        return None
    return [status.st_size, status.st_mtime_ns]
