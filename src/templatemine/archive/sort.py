"""Archives of mixed sources -> a folder with a file a source, in bounded memory: the partition, for its own sake.

A record is written unchanged, with its source named if it was not.  All files appear together at the end.  The work
is in a hidden folder beside them; a run that is killed leaves that folder, and the next one begins anew.
"""

from __future__ import annotations

import os
import shutil
from collections import defaultdict
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field

from templatemine.archive.frames import read_bodies
from templatemine.archive.partition import (
    FOLDERS,
    MiningUnit,
    SourceSizes,
    Splitter,
    bucket_name,
    decode_source,
    encode_source,
    make_folders,
    plan_units,
    split_units,
)
from templatemine.bounds import NUMBERS, Options
from templatemine.config import ReadConfig
from templatemine.errors import CorpusError
from templatemine.io.file_transaction import FileTransaction, file_transaction
from templatemine.io.files import Report, no_documents_error
from templatemine.io.jsonl import encode_line
from templatemine.io.read import read_records
from templatemine.io.write import safe_file_name
from templatemine.model import Record
from templatemine.progress import Progress, ignore_progress, report_reading

_WORK = ".templatemine-sort"
_BASE_MEMORY = int(NUMBERS["SortConfig.memory"].least) // 2
_UNIT_COPIES = 3
"""A unit is held once, and the file that is being written up to twice, packed and not."""
_LINE_OVERHEAD = 100
"""Bytes of memory that a line takes beside itself."""


@dataclass(frozen=True, slots=True, kw_only=True)
class SortConfig(Options):
    """memory : bytes the process may take.  force : replace files that exist."""

    read: ReadConfig = field(default_factory=ReadConfig)
    memory: int = 1 << 29
    force: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class SortedSource:
    """A source, its documents, bytes of their lines, and their file."""

    source: str
    documents: int
    size: int
    path: str


def file_name(source: str) -> str:
    """Return the file of a source."""
    return safe_file_name(source) + ".jsonl.gz"


def sort_by_source(
    inputs: Sequence[str],
    output: str,
    config: SortConfig,
    *,
    progress: Progress | None = None,
    on_error: Callable[[CorpusError], None] | None = None,
) -> list[SortedSource]:
    """Write the records of all inputs into a file a source.

    Raises
    ------
    CorpusError
        Fatal: an input cannot be read, a file exists or cannot be written, no record, another run is at it.
    """
    progress = progress or ignore_progress
    report = on_error if isinstance(on_error, Report) else Report(on_error)
    streams = [read_records(path, config.read, report) for path in inputs]
    with file_transaction(output, config.force, lock=True) as files:
        work = os.path.join(output, _WORK)
        try:
            make_folders(work)
            sizes = _split_records((record for stream in streams for record in stream), work, config.read, progress)
            if not sizes:
                raise no_documents_error(inputs, report.errors, report.problems)
            files.refuse_existing(file_name(source) for source in sizes)
            return _write_sources(files, work, sizes, config, progress)
        finally:
            shutil.rmtree(work, ignore_errors=True)


def _split_records(
    records_read: Iterable[Record], work: str, names: ReadConfig, progress: Progress
) -> dict[str, SourceSizes]:
    splitter = Splitter(os.path.join(work, FOLDERS[0]), bucket_name)
    sizes: dict[str, SourceSizes] = defaultdict(SourceSizes)
    for record in report_reading(records_read, progress):
        source = record.document.source
        fields = record.fields
        if fields.get(names.source_field) != source:
            fields = {**fields, names.source_field: source}
        line = encode_line(fields)
        splitter.add(encode_source(source), line)
        sizes[source].add(len(line) + _LINE_OVERHEAD)
    splitter.flush()
    return sizes


def _write_sources(
    files: FileTransaction,
    work: str,
    sizes: dict[str, SourceSizes],
    config: SortConfig,
    progress: Progress,
) -> list[SortedSource]:
    units = plan_units(sizes, (config.memory - _BASE_MEMORY) // _UNIT_COPIES)
    split_units(work, units)
    done = 0
    for unit in (unit for units_of_file in units.values() for unit in units_of_file):
        _write_unit(files, work, unit)
        os.unlink(unit.path(work))
        done += len(unit.sources)
        progress("writing", done, len(sizes))
    return [
        SortedSource(
            source=source,
            documents=found.documents,
            size=found.cost - _LINE_OVERHEAD * found.documents,
            path=files.path(file_name(source)),
        )
        for source, found in sorted(sizes.items())
    ]


def _write_unit(files: FileTransaction, work: str, unit: MiningUnit) -> None:
    path = unit.path(work)
    if len(unit.sources) == 1:
        with files.open(file_name(unit.sources[0])) as handle:
            for _, line in read_bodies(path):
                handle.write(line)
        return
    lines: dict[str, list[bytes]] = {source: [] for source in unit.sources}
    for key, line in read_bodies(path):
        lines[decode_source(key)].append(line)
    for source in unit.sources:
        with files.open(file_name(source)) as handle:
            handle.write(b"".join(lines.pop(source)))
