"""First steps in Python: `mine`, and the packs that it gives, to save, to clean with and to look at."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator, Mapping
from contextlib import AbstractContextManager, nullcontext, suppress
from dataclasses import dataclass, replace
from io import BytesIO
from typing import TYPE_CHECKING, Any, Unpack

from templatemine import notebook
from templatemine.bounds import check_config
from templatemine.cleaning.cleaners import Cleaners
from templatemine.config import CleanConfig, FieldNames, PipelineConfig, ReportConfig
from templatemine.errors import (
    ConfigError,
    CorpusError,
    PackError,
    attribute_error,
    counted,
    list_notes,
    unreadable,
    warn_caller,
)
from templatemine.io.documents_like import DocumentsLike, Errors, documents_of, name_fields
from templatemine.model import Cleaned, Document
from templatemine.packs.pack import Pack
from templatemine.packs.pack_folder import (
    PackFiles,
    compress_rejected,
    open_pack_folder,
    parse_rejected,
    rejected_path,
)
from templatemine.packs.readable import notes_without_templates
from templatemine.pipeline import Miner
from templatemine.progress import Progress, progress_bars

if TYPE_CHECKING:
    from templatemine.mining.stages import SourceReport

__all__ = ["Packs", "mine"]

_ELSEWHERE = {
    "clean_all": "packs.clean(documents) cleans several",
    "diff": "packs.report(file, against=old) compares them with earlier ones, and so does the command diff",
    "explain": "packs[source].clean(text).beside(text) marks what goes, and removed names its templates",
    "templates": "packs[source].templates has those of a source",
}
"""What people ask of packs -> what does it."""
_MAX_NAMED = 3
"""Sources that an error names."""


@dataclass(frozen=True, slots=True)
class _Rejected:
    """The rejected candidates of a mining: as their compressed file, or the path of that of a pack that was loaded."""

    pack: Pack
    compressed: bytes | None
    path: str = ""

    def are_of(self, pack: Pack) -> bool:
        """Return whether a pack is of the same mining, whatever was decided since."""
        one, other = ((it.documents, it.mined, dict(it.rejected)) for it in (self.pack, pack))
        return one == other

    def read(self) -> bytes | None:
        """Return the contents of their file; None if there is none."""
        if self.compressed is not None:
            return self.compressed
        try:
            with open(self.path, "rb") as file:
                return file.read()
        except FileNotFoundError:
            return None
        except OSError as error:
            raise CorpusError(unreadable(error), self.path, fatal=True) from error


class Packs(dict[str, Pack]):
    """A dict of source to `Pack`, which can also save, clean and report.

    `templatemine.mine` returns one, and `Packs.load` reads one from files.  Both keep the rejected candidates of each
    pack, which `save` writes beside it.

    Examples
    --------
    >>> packs = templatemine.mine("archive.jsonl.gz")  # doctest: +SKIP
    >>> packs.save("packs/")  # doctest: +SKIP
    >>> for document, cleaned in packs.clean("new.jsonl"):  # doctest: +SKIP
    ...     print(document.id, cleaned.text)
    >>> packs.report("report.html", "new.jsonl")  # doctest: +SKIP
    """

    def __init__(self, packs: Mapping[str, Pack] | Iterable[tuple[str, Pack]] = ()) -> None:
        if isinstance(packs, str | os.PathLike):
            found = type(packs).__name__
            raise TypeError(f"expected packs by source, got {found}; Packs.load(...) reads them from a folder or files")
        super().__init__(packs)
        self._rejected: dict[str, _Rejected] = dict(packs._rejected) if isinstance(packs, Packs) else {}

    @classmethod
    def load(cls, *paths: str | os.PathLike[str], errors: str = "raise") -> Packs:
        """Load the packs of files and folders.

        Parameters
        ----------
        paths : str or path
            Packs (JSON files), or folders of packs.
        errors : {"raise", "skip"}
            Treatment of a pack in a folder that has an error: raise it, or leave the pack out with a warning.

        Returns
        -------
        Packs

        Raises
        ------
        PackError
            There is nothing at a path, two packs are for one source, or a pack has an error.
        """
        files = PackFiles(paths, errors=errors)
        packs = cls(files.load_all())
        for source, pack in packs.items():
            packs._rejected[source] = _Rejected(pack, None, rejected_path(files.files[source]))
        return packs

    def save(self, folder: str | os.PathLike[str], *, force: bool = False) -> None:
        """Write each pack into a folder, as SOURCE.json, and its rejected candidates beside it.

        After an error nothing is written, not even the packs before it.

        Parameters
        ----------
        folder : str or path
            Created if it is missing.
        force : bool, default False
            Replace existing packs.  A pack that was just mined takes over the decisions of people from the pack that
            it replaces; if another pack would lose some, a warning says so.

        Raises
        ------
        CorpusError
            A file exists, and `force` is not given.
        """
        from templatemine.archive.apply_overrides import keep_rules

        with open_pack_folder(folder, force) as writer:
            writer.refuse_existing(self)
            for source, pack in sorted(self.items()):
                rejected, path = self._rejected.get(source), writer.standing.path(source)
                own = rejected if rejected is not None and rejected.are_of(pack) else None
                if own is not None and own.compressed is not None and not pack.overrides.rules:
                    pack = keep_rules(pack, parse_rejected(BytesIO(own.compressed), path), path)
                elif number := _count_lost_decisions(pack, path):
                    warn_caller(f"{source}: {counted(number, 'decision')} of people in {path} go with it")
                writer.put(pack, None if own is None else own.read())

    def clean(
        self,
        documents: DocumentsLike,
        config: CleanConfig | None = None,
        *,
        policy: str | None = None,
        keep: str | Iterable[str] = (),
        source: str | None = None,
        errors: Errors = "raise",
        **fields: Unpack[FieldNames],
    ) -> Iterator[tuple[Document, Cleaned]]:
        """Yield (document, cleaned) for each document, one at a time.

        A document of a source without a pack is yielded as it is.  For a whole table, use `adapters.table.clean_table`.

        Parameters
        ----------
        documents
            As for `mine`: a path, documents, dicts, or a data frame.
        config : CleanConfig, optional
        policy : {"llm", "reader", "archive"}, optional
            Which kinds of boilerplate are cut; "llm" by default.  See `Cleaner`.
        keep : str or iterable of str, optional
            Kinds that are also kept, such as ``"caption,byline"``.
        source, errors, fields
            As for `mine`.

        Yields
        ------
        tuple of (Document, Cleaned)
        """
        read = name_fields(fields, Packs.clean)
        return Cleaners(self, config, policy=policy, keep=keep).clean_all(documents, read, source=source, errors=errors)

    def report(
        self,
        output: str | os.PathLike[str],
        documents: DocumentsLike | None = None,
        config: ReportConfig | None = None,
        *,
        against: Mapping[str, Pack] | None = None,
        title: str = "",
        source: str | None = None,
        errors: Errors = "raise",
        force: bool = False,
        **fields: Unpack[FieldNames],
    ) -> list[str]:
        """Write an HTML report of the packs and of their cuts.

        Parameters
        ----------
        output : str or path
            The HTML file.
        documents : optional
            Articles to show the cuts in, as for `mine`; without them the report shows the packs only.
        config : ReportConfig, optional
        against : mapping of str to Pack, optional
            Earlier packs to compare with.
        title : str, optional
        source, errors, fields
            As for `mine`.
        force : bool, default False
            Replace an existing file.

        Returns
        -------
        list of str
            The verdict and the conclusion of the report, one sentence per item.
        """
        from templatemine.io.write import atomic_writer
        from templatemine.report.page import render, require_libraries
        from templatemine.report.summary import summarise
        from templatemine.report.verdict import give_verdict
        from templatemine.report.view import make_report

        require_libraries()
        config = ReportConfig() if config is None else config
        check_config(config, ReportConfig)
        read = name_fields(fields, Packs.report)
        given = None if documents is None else documents_of(documents, read, source=source, errors=errors)
        with atomic_writer(os.fspath(output), force=force) as file:
            report = make_report(self, given, lambda name: (), config, before=against)
            for part in render(report, title, config):
                file.write(part.encode("utf-8", "backslashreplace"))
        return [give_verdict(report).said, *summarise(report)]

    def update(self, *packs: Any, **named: Pack) -> None:
        """Add or replace packs, as `dict.update` does.

        To bring packs up to date with new documents, use the command ``templatemine update``.

        Raises
        ------
        TypeError
            An argument is not a mapping of source to `Pack`.
        """
        with suppress(TypeError, ValueError):
            given = dict[str, Pack](*packs, **named)
            if all(isinstance(pack, Pack) for pack in given.values()):
                for some in packs:
                    self._rejected |= some._rejected if isinstance(some, Packs) else {}
                return super().update(given)
        raise TypeError("expected packs by source; new documents: templatemine update FOLDER FILE, then Packs.load")

    def __getattr__(self, name: str) -> Any:
        """Say what does what people ask of packs, and they do not do."""
        raise attribute_error(self, name, _ELSEWHERE)

    def __missing__(self, source: str) -> Pack:
        """Raise a KeyError that names sources like the one that is asked for."""
        from difflib import get_close_matches

        names, asked = sorted(self), str(source)
        near = [name for name in names if asked in name] or get_close_matches(asked, names)
        told = ", ".join(map(repr, (near or names)[:_MAX_NAMED]))
        more = f" and {len(names) - _MAX_NAMED:,} more" if len(names) > _MAX_NAMED else ""
        hint = f"did you mean {told}?" if near else f"there are {told or 'none'}{more}"
        raise KeyError(f"no pack of {source!r:.60}; {hint}")

    def __repr__(self) -> str:
        templates = sum(len(pack.templates) for pack in self.values())
        notes = notes_without_templates(self.values())
        none = f"; none of {list_notes(notes)}" if notes else ""
        return f"<Packs of {counted(len(self), 'source')}: {counted(templates, 'template')}{none}>"

    def _repr_html_(self) -> str:
        """Return the packs as a table, for notebooks."""
        notes = notes_without_templates(self.values())
        rows = [
            (source, f"{pack.documents:,}", f"{len(pack.templates):,}", notes.get(pack.source, ""))
            for source, pack in sorted(self.items())
        ]
        return notebook.paragraph(repr(self)) + notebook.table(("source", "documents", "templates", "note"), rows)


def mine(
    documents: DocumentsLike,
    config: PipelineConfig | None = None,
    *,
    method: str | None = None,
    caution: float | None = None,
    model: str | os.PathLike[str] | None = None,
    jobs: int = 1,
    source: str | None = None,
    errors: Errors = "raise",
    progress: Progress | bool = False,
    **fields: Unpack[FieldNames],
) -> Packs:
    """Learn the templates of each source from its documents.

    A source needs at least five documents, ten for "energy" and "thesis".  Warnings name sources without a pack (too
    few documents, or all alike), and sources without a template.

    Parameters
    ----------
    documents : path, or iterable of Document or dict, or data frame
        Records have `source`, and `text` or `html`, or other `fields`.  With `source`, plain texts will do, too.
    config : PipelineConfig, optional
        All options; the arguments below override it.
    method : {"learned", "energy", "thesis"}, optional
    caution : float, optional
        Above 1 usually less is cut, below 1 more: a template needs so many times the default odds (`SelectConfig`).
    model : path, optional
        Another scoring model, made by datasets/templates/train.py.
    jobs : int, default 1
        Number of processes; each mines one source at a time.
    source : str, optional
        The source of all documents, whatever their fields say.
    errors : {"raise", "skip"}
        Treatment of records that hold no document: raise an error for the first, or leave all out with a warning.
    progress : bool or callable, default False
        True shows bars on a terminal.  A function is called with (step, done, total) as sources are finished.
    fields : str
        Names of fields or columns, such as ``text_field="body"``; see `ReadConfig`.

    Returns
    -------
    Packs

    Raises
    ------
    CorpusError
        There is nothing at a path, or, with ``errors="raise"``, a record holds no document.

    Examples
    --------
    >>> packs = templatemine.mine("archive.jsonl.gz", caution=2)  # doctest: +SKIP
    >>> packs  # doctest: +SKIP
    <Packs of 6 sources: 286 templates>
    """
    config = PipelineConfig() if config is None else config
    check_config(config, PipelineConfig)
    if method is not None:
        config = replace(config, method=method)
    if caution is not None:
        config = replace(config, select=replace(config.select, caution=caution))
    if model is not None:
        config = replace(config, model=os.fspath(model))
    if not isinstance(progress, bool) and not callable(progress):
        raise ConfigError(f"progress: expected True, False or a function, got {progress!r:.60}")
    read = name_fields(fields, mine)
    steps: AbstractContextManager[Progress | None]
    steps = progress_bars() if progress is True else nullcontext(progress or None)
    with steps as step:
        miner = Miner(config, jobs=jobs, progress=step)
        mined = miner.map(documents, _compress_rejected, read, source=source, errors=errors)
    packs, left_out = Packs(), {}
    for report, rejected in mined:
        if report.pack is None:
            left_out[report.source] = report.note
        else:
            packs[report.source] = report.pack
            packs._rejected[report.source] = _Rejected(report.pack, rejected)
    warn_without(left_out, packs)
    return packs


def warn_without(left_out: Mapping[str, str], packs: Packs) -> None:
    """Warn of sources without a pack, each with why, and of packs without templates."""
    for missing, notes in (("pack", left_out), ("templates", notes_without_templates(packs.values()))):
        if notes:
            warn_caller(f"no {missing} of {list_notes(notes)}")


def _compress_rejected(report: SourceReport) -> tuple[SourceReport, bytes]:
    """Return a report without its rejected candidates, and these compressed: of a large source they take 100 MB."""
    return replace(report, rejected=None, claims=None), compress_rejected(report.rejected)


def _count_lost_decisions(pack: Pack, path: str) -> int:
    """Count the decisions of people in the file that a pack replaces, and not in the pack."""
    if not os.path.exists(path):
        return 0
    from templatemine.archive.apply_overrides import read_pack_rules

    try:
        return len(set(read_pack_rules(path)) - set(pack.overrides.rules))
    except PackError:  # nothing that can be read
        return 0
