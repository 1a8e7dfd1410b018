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
from templatemine.errors import ConfigError, CorpusError, PackError, attribute_error, counted, list_notes, warn_caller
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
            raise CorpusError(f"cannot be read: {error.strerror}", self.path, fatal=True) from error


class Packs(dict[str, Pack]):
    """Packs by source.  Those that were mined or loaded come with their rejected candidates, which `save` writes.

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
        errors : {"raise", "skip"}
            What becomes of a pack in a folder that cannot be trusted: it is raised, or left out with a warning.
        """
        files = PackFiles(paths, errors=errors)
        packs = cls(files.load_all())
        for source, pack in packs.items():
            packs._rejected[source] = _Rejected(pack, None, rejected_path(files.files[source]))
        return packs

    def save(self, folder: str | os.PathLike[str], *, force: bool = False) -> None:
        """Write each pack into a folder, which is made if it is missing, under the name of its source, and beside it
        its rejected candidates, as the command mine does: all together or, after an error, none.

        Parameters
        ----------
        force : bool, default False
            Replace packs that exist.  One that was just mined keeps the decisions of people in the pack that it
            replaces; where another one lacks them, that is warned of.

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
        """Yield documents, each with its cleaned text, in the order of what is given, a data frame, too; a table for a
        table is what `adapters.table.clean_table` gives.

        Parameters
        ----------
        documents
            As of `mine`.
        config : CleanConfig, optional
        policy, keep : optional
            Kinds of boilerplate that go, such as ``"reader"``, and that stay, such as ``"caption,byline"``; see
            `Cleaner`.
        source, errors, fields
            As of `mine`.

        Examples
        --------
        >>> frame["text"] = [cleaned.text for _, cleaned in packs.clean(frame)]  # doctest: +SKIP
        >>> from templatemine.adapters.table import clean_table  # doctest: +SKIP
        >>> frame = clean_table(frame, packs).read_pandas()  # the same, and what was removed  # doctest: +SKIP
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
        """Write an HTML report of the packs and their cuts; return its conclusion, a sentence each.

        Parameters
        ----------
        output : path
        documents : optional
            As of `mine`, `--archive` of the command; without them the report is about the packs alone.
        config : ReportConfig, optional
        against : mapping of str to Pack, optional
            Earlier packs, to compare with.
        title : str, optional
        source, errors, fields
            As of `mine`.
        force : bool, default False
            Replace a file that exists.
        """
        from templatemine.io.write import atomic_writer
        from templatemine.report.page import render, require_libraries
        from templatemine.report.summary import summarise
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
        return summarise(report)

    def update(self, *packs: Any, **named: Pack) -> None:
        """Add packs of other sources, or later ones, as `dict.update` does; new documents the command `update` takes.

        Raises
        ------
        TypeError
            These are no packs by source.
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
    """Mine packs by source.

    Sources that are too small or all alike are left out, with a warning that names them; another one names sources
    without a template.  Without any documents there is a warning, too, and no pack; the command ends with an error.

    Parameters
    ----------
    documents : path, or iterable of Document or dict, or data frame
        Dicts and tables have the fields `source` and `text` or `html`, as JSON lines do, or others that `fields` name.
        With `source` also an iterable of texts.
    config : PipelineConfig, optional
        All options; those that follow count instead of its own.
    method : {"learned", "energy", "thesis"}, optional
    caution : float, optional
        Times by which the odds that a string is boilerplate must be higher than by default; above 1 fewer characters
        go as a rule, see `SelectConfig`.
    model : path, optional
        Trees that score candidates, made by datasets/templates/train.py.
    jobs : int, default 1
        Processes, one source each at a time.
    source : str, optional
        The source of all documents, whatever they say.
    errors : {"raise", "skip"}
        What is done about a record that holds no document: the first is raised, or all are left out with a warning.
    progress : bool or callable, default False
        True for bars on standard error, if it is a terminal; or what is called with (step, done, total) as sources are
        finished.
    fields : str
        Other names of fields, or columns, as of `read`: ``text_field="body"``; `html_field`, `source_field`,
        `id_field`, `date_field`, `url_field` and `title_field`.

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
