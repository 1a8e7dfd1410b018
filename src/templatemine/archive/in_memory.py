"""Archives that fit into memory -> a folder of packs; decisions of people about packs already there are kept.

All packs take their places together at the end, so that a run that fails leaves the folder as it was.  `run` does the
same for archives of any size.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import partial

from templatemine.archive.apply_overrides import refuse_packs, serialise_with_rules
from templatemine.archive.archive_report import ArchiveReport, DocumentCounter
from templatemine.config import PipelineConfig, ReadConfig
from templatemine.mining.methods import resolve_defaults
from templatemine.model import Document, Record
from templatemine.packs.pack_folder import PackFolderWriter, SourceOutcome, open_pack_folder
from templatemine.pipeline import Miner
from templatemine.progress import Progress, ignore_progress, report_reading


def mine_in_memory(
    records: Iterable[Record],
    output: str,
    config: PipelineConfig | None = None,
    *,
    read: ReadConfig | None = None,
    jobs: int = 1,
    force: bool = False,
    progress: Progress | None = None,
    inspect: Callable[[Sequence[SourceOutcome]], None] = lambda outcomes: None,
) -> ArchiveReport:
    """Mine a pack for each source of an archive, and write them into a folder.

    Parameters
    ----------
    records : iterable of Record
        Each source in memory as a whole; see `io.read.read_records`.
    output : str
        The folder, made if it is missing.
    config : PipelineConfig, optional
    read : ReadConfig, optional
        By which `records` were read.
    jobs : int, default 1
        As of `pipeline.Miner`.
    force : bool, default False
        Replace packs that exist.
    progress : callable, optional
    inspect : callable, optional
        Called with all outcomes before any pack takes its place; the folder stays as it was if it raises.

    Returns
    -------
    ArchiveReport
        With 0 skipped records, which the reader counts.

    Raises
    ------
    CorpusError
        A pack exists, or decisions in one cannot be read: before anything is mined.
    """
    config, progress = config or PipelineConfig(), progress or ignore_progress
    counter = DocumentCounter(read or ReadConfig())
    with open_pack_folder(output, force) as folder:
        documents = _refuse_standing(records, counter, folder, config, progress)
        serialise = partial(serialise_with_rules, standing=folder.standing)
        serialised = Miner(config, jobs=jobs, progress=progress).map(documents, serialise)
        outcomes = []
        for one in serialised:
            outcomes.append(folder.write(one))
            if one.files:
                progress("writing", len(outcomes), len(serialised))
        inspect(outcomes)
    return ArchiveReport(
        outcomes=outcomes,
        documents=counter.sources.total(),
        skipped=0,
        duplicates=counter.duplicates,
        nameless=counter.nameless,
        dates=counter.dates,
    )


def _refuse_standing(
    records: Iterable[Record],
    counter: DocumentCounter,
    folder: PackFolderWriter,
    config: PipelineConfig,
    progress: Progress,
) -> Iterator[Document]:
    """Yield the documents of records, and count them; raise an error of the folder as soon as it is known, all before
    anything is mined."""
    options = resolve_defaults(config)
    for document in counter.count_documents(report_reading(records, progress)):
        if counter.sources[document.source] == options.min_docs:
            folder.standing.refuse(document.source)
        yield document
    progress("reading", counter.sources.total(), counter.sources.total())
    refuse_packs(folder, counter.sources, options)
