"""The first pass over an archive: records of all inputs into the files of a partition, with points to go on from.

In come records, out go the files of `partition.Splitter` and what the documents of each source take.  At a checkpoint
the files are on disk, and the state of the run says how long they are and which record comes next: a run that was
killed cuts them back to that, counts their records, and reads on.
"""

from __future__ import annotations

import os
import time
from collections import defaultdict
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import asdict, astuple
from typing import Any

from templatemine.archive import manifest
from templatemine.archive.archive_report import SourcelessRecords
from templatemine.archive.frames import read_bodies
from templatemine.archive.partition import (
    SourceSizes,
    Splitter,
    bucket_name,
    decode_document,
    decode_source,
    encode_document,
    encode_source,
    memory_cost,
)
from templatemine.config import ReadConfig
from templatemine.errors import CorpusError
from templatemine.io.fields import has_id
from templatemine.io.files import Report, no_documents_error
from templatemine.io.write import write_errors
from templatemine.model import Record
from templatemine.progress import Progress
from templatemine.text.dates import UnreadableDates

Tell = Callable[[str], None]


def initial_position() -> dict[str, Any]:
    """Return the position of a pass that has read nothing."""
    return {"input": 0, "records": 0, "bad": 0, "skipped": 0, "met": {}, "nameless": {}, "dates": {}, "lengths": {}}


class FirstPass:
    """Reads all inputs once.

    Parameters
    ----------
    inputs : sequence of str
    work : str
        Folder of the run, with a folder ``split`` for the files.
    read : ReadConfig
    every : float
        Seconds between two checkpoints.
    progress, tell, on_error : callables
        As `archive.ArchiveRun` takes them.

    Attributes
    ----------
    sizes : dict of str to Sizes
        What the documents of each source take, as far as they are read.
    report : Report
        What readers tell, bad records by way of `skip`.
    nameless : SourcelessRecords
    dates : UnreadableDates
    """

    def __init__(
        self,
        inputs: Sequence[str],
        work: str,
        read: ReadConfig,
        checkpoint_seconds: float,
        progress: Progress,
        tell: Tell,
        on_error: Callable[[CorpusError], None] | None,
    ) -> None:
        self.sizes: dict[str, SourceSizes] = defaultdict(SourceSizes)
        self._inputs = inputs
        self._work = work
        self._read = read
        self._checkpoint_seconds = checkpoint_seconds
        self._progress = progress
        self._tell = tell
        self._on_error = on_error
        self._state_path = self._path("run.json")
        self._bad = self._bad_at_checkpoint = self._skipped = 0
        self.report = Report(self.skip)
        self.nameless = SourcelessRecords()
        self.dates = UnreadableDates()

    def _path(self, *names: str) -> str:
        return os.path.join(self._work, *names)

    def skip(self, error: CorpusError) -> None:
        """Report a bad record, unless it was before the checkpoint and so reported already."""
        self._bad += 1
        if self._bad > self._bad_at_checkpoint:
            self._skipped += 1
            if self._on_error is None:
                raise error
            self._on_error(error)

    def run(
        self,
        state: dict[str, Any],
        streams: Sequence[Iterator[Record]],
        count_source: Callable[[str, int], None],
        check_end: Callable[[], None],
    ) -> None:
        """Read on from where `state` says, and note in it, and on disk, how far it came.

        Parameters
        ----------
        state : dict
            Of the run: "inputs", their identities when it began, and "at", which is as `initial_position` or an earlier
            pass gave it.
        streams : sequence of iterators
            The records of each input, whose readers tell `report` of the bad ones.
        count_source : callable
            Called with the source of each document and how many of it are read; an exception of its ends the pass.
        check_end : callable
            Called when all is read; an exception of its goes before that there is no document.

        Raises
        ------
        CorpusError
            Fatal: there is no document, or something cannot be read or written.
        """
        position = state["at"]
        self._truncate_files(position["lengths"])
        splitter = Splitter(self._path("split"), bucket_name)
        self._skipped, last_checkpoint = position["skipped"], time.monotonic()
        total = sum(source_sizes.documents for source_sizes in self.sizes.values())

        def checkpoint(input_index: int, count: int, phase: str = "split") -> None:
            position["lengths"].update(splitter.flush())
            position.update(input=input_index, records=count, bad=self._bad, skipped=self._skipped, met=notes)
            position["nameless"], position["dates"] = asdict(self.nameless), asdict(self.dates)
            state["phase"] = phase
            manifest.write_json(self._state_path, state)

        first, records_before = position["input"], position["records"]
        # Of the inputs that are done: one that is gone on with is read from its beginning, and counted again.
        notes = dict(position.get("met", {}))
        self.report.notes = dict(notes)
        self.nameless = SourcelessRecords(**position.get("nameless", {}))
        self.dates = UnreadableDates.from_dict(position.get("dates", {}))
        self._progress("reading", total, None)
        for input_index in range(first, len(self._inputs)):
            count, self._bad = 0, 0
            self._bad_at_checkpoint = position["bad"] if input_index == first else 0
            for count, record in enumerate(streams[input_index], 1):
                if input_index == first and count <= records_before:
                    continue
                self._add(splitter, record)
                count_source(record.document.source, self.sizes[record.document.source].documents)
                total += 1
                if total % 64 == 0 and time.monotonic() - last_checkpoint >= self._checkpoint_seconds:
                    checkpoint(input_index, count)
                    self._progress("reading", total, None)
                    last_checkpoint = time.monotonic()
            self._tell_if_changed(state["inputs"][input_index], self._inputs[input_index])
            self._bad, notes = 0, dict(self.report.notes)
            if time.monotonic() - last_checkpoint >= self._checkpoint_seconds:
                checkpoint(input_index + 1, 0)
                last_checkpoint = time.monotonic()
        if not total:
            os.unlink(self._state_path)
        check_end()
        if not total:
            raise no_documents_error(self._inputs, self._skipped, self.report.problems)
        self._progress("reading", total, total)
        self._note_sizes()
        checkpoint(len(self._inputs), 0, "mine")

    def _note_sizes(self) -> None:
        """Write the sizes of all sources, for a later run to go on from."""
        rows = [[encode_source(source).hex(), *astuple(source_sizes)] for source, source_sizes in self.sizes.items()]
        manifest.write_json(self._path("sources.json"), rows)

    def _add(self, splitter: Splitter, record: Record) -> None:
        document = record.document
        key = encode_source(document.source)
        splitter.add(key, encode_document(document, has_id(record.fields, self._read)))
        self.sizes[document.source].add(memory_cost(document))
        self.nameless.add(record, self._read)
        self.dates.add(document.source, record.fields.get(self._read.date_field), document.date, record.where)

    def _truncate_files(self, lengths: Mapping[str, int]) -> None:
        """Cut off the records after the last checkpoint, and count those before it again."""
        for name in os.listdir(self._path("split")):
            path = self._path("split", name)
            with write_errors(path):
                os.truncate(path, lengths.get(name, 0))
            for key, body in read_bodies(path):
                self.sizes[decode_source(key)].add(memory_cost(decode_document(key, body)[0]))

    def _tell_if_changed(self, before: Any, path: str) -> None:
        if before != manifest.UNKNOWN and manifest.input_identity(path) != before:
            self._tell(f"{path} changed while it was read; what was there when its end was reached is in")

    def read_sizes(self) -> None:
        """Take `sizes` from where an earlier run left them."""
        rows = manifest.read_json(self._path("sources.json"))
        if rows is None:
            raise CorpusError("is missing or damaged; --restart starts over", self._path("sources.json"), fatal=True)
        self.sizes = {decode_source(bytes.fromhex(key)): SourceSizes(*numbers) for key, *numbers in rows}
