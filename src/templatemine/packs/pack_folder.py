"""A folder of packs: one JSON file a source, and beside it the strings that are no templates, with the reason for each.

``foxnews.com.json`` is beside ``foxnews.com.rejected.jsonl.gz``.  File names are made of the names of sources by
`safe_file_name`; which source a pack is for says the pack alone, so who reads packs takes files that were renamed.  Who
writes them does not: beside such a file there would be a second pack of its source.
"""

from __future__ import annotations

import codecs
import gzip
import os
import re
import stat
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field, fields, replace
from typing import Any, BinaryIO, NamedTuple, Protocol

from templatemine.errors import (
    ConfigError,
    CorpusError,
    PackError,
    SkippedPackError,
    UnreadablePackError,
    counted,
    spelled,
    unreadable,
    warn_caller,
)
from templatemine.io.file_transaction import FileTransaction, compress_lines, file_transaction
from templatemine.io.files import READ_ERRORS, read_error
from templatemine.io.jsonl import decode_line
from templatemine.io.write import safe_file_name
from templatemine.kinds import KINDS
from templatemine.model import RejectedCandidate
from templatemine.packs import pack_json
from templatemine.packs.pack import MAX_PACK_BYTES, Pack
from templatemine.packs.readable import describe_choice
from templatemine.text.expressions import ANCHORS

PACK_SUFFIX = ".json"
_REJECTED = ".rejected.jsonl.gz"


class JsonLines(Protocol):
    """Candidates that can be written as lines of JSON."""

    def json_lines(self) -> Iterator[bytes]: ...


class ReportLike(Protocol):
    """The part of `stages.SourceReport` that is written."""

    @property
    def source(self) -> str: ...
    @property
    def documents(self) -> int: ...
    @property
    def note(self) -> str: ...
    @property
    def copies(self) -> int: ...
    @property
    def pack(self) -> Pack | None: ...
    @property
    def rejected(self) -> JsonLines | None: ...


@dataclass(frozen=True, slots=True, kw_only=True)
class SourceOutcome:
    """The result of a source in numbers.

    Attributes
    ----------
    pack : str or None
        Where its pack is.
    templates : int
    cutoff_df : int or None
        See `model.Cutoff`.
    rejected : mapping
        Reason -> strings.
    overrides : int
        Rules of a person that the pack carries.
    copies : int
        Documents that mining left out, for they are near-duplicates of others.
    bug : str
        Why the pack that was made was not written: it could not be read (`UnreadablePackError`).
    """

    source: str
    documents: int
    pack: str | None
    note: str
    templates: int = 0
    cutoff_df: int | None = None
    rejected: Mapping[str, int] = field(default_factory=dict)
    overrides: int = 0
    copies: int = 0
    bug: str = ""

    @classmethod
    def from_report(cls, report: ReportLike, pack_path: str) -> SourceOutcome:
        """Return the outcome of a report whose pack goes to `pack_path`, where an earlier one may be."""
        pack = report.pack
        if pack is None:
            return cls._without_pack(report, pack_path, report.note)
        return cls(
            source=report.source,
            documents=report.documents,
            pack=pack_path,
            note=report.note if pack.templates else describe_choice(pack),
            templates=len(pack.templates),
            cutoff_df=pack.cutoff.df,
            rejected=dict(pack.rejected),
            overrides=len(pack.overrides.rules),
            copies=report.copies,
        )

    @classmethod
    def from_bug(cls, report: ReportLike, pack_path: str, error: UnreadablePackError) -> SourceOutcome:
        """Return the outcome of a report whose pack could not be read."""
        return replace(cls._without_pack(report, pack_path, "it could not be read, which is a bug"), bug=str(error))

    @classmethod
    def _without_pack(cls, report: ReportLike, pack_path: str, note: str) -> SourceOutcome:
        note += "; the pack of an earlier run stays" if os.path.exists(pack_path) else ""
        return cls(source=report.source, documents=report.documents, pack=None, note=note)

    def as_dict(self) -> dict[str, Any]:
        """Return the outcome as plain values, for JSON."""
        return {column.name: getattr(self, column.name) for column in fields(self)}


@dataclass(frozen=True, slots=True)
class SerialisedPack:
    """A result as bytes of its files, with its outcome."""

    outcome: SourceOutcome
    files: Mapping[str, bytes]
    """Name -> content; none where the source has no pack."""


def serialise_report(report: ReportLike, pack_path: str) -> SerialisedPack:
    """Return the pack of a source, for `pack_path`, and its rejected candidates, for `PackFolderWriter.write`.

    One that could not be read has no files: those that are there stay, and the outcome says why.
    """
    files: dict[str, bytes] = {}
    if report.pack is not None:
        try:
            text = pack_json.write_checked(report.pack)
        except UnreadablePackError as error:
            return SerialisedPack(SourceOutcome.from_bug(report, pack_path, error), files)
        pack, rejected = pack_names(report.source)
        files = {pack: text.encode("utf-8"), rejected: compress_rejected(report.rejected)}
    return SerialisedPack(SourceOutcome.from_report(report, pack_path), files)


def compress_rejected(rejected: JsonLines | None) -> bytes:
    """Return rejected candidates as the bytes of their file: a fraction of what they take in memory."""
    return compress_lines(() if rejected is None else rejected.json_lines())


class StandingPacks:
    """The packs that a folder has before others are written to it.

    Parameters
    ----------
    force : bool, default False
        They may be replaced.
    """

    def __init__(self, folder: str, force: bool = False) -> None:
        self._folder, self._force = folder, force
        self._names = frozenset(_list_pack_names(folder) if os.path.isdir(folder) else ())

    def __len__(self) -> int:
        return len(self._names)

    def path(self, source: str) -> str:
        """Return the path of the pack of a source, be it there or not."""
        return os.path.join(self._folder, pack_names(source)[0])

    def __contains__(self, source: object) -> bool:
        return bool(self._names) and isinstance(source, str) and pack_names(source)[0] in self._names

    def refuse(self, source: str) -> None:
        """Raise a fatal `CorpusError` if there is a pack of a source that may not be replaced: to be asked while an
        archive is read, so that nobody waits for the end of it to hear this."""
        if not self._force and source in self:
            raise CorpusError(
                f"holds {counted(len(self), 'pack')}, that of {source!r} among them; give another folder, or use "
                f"{spelled('--force', 'force=True')} to replace the packs of the sources of this archive",
                self._folder,
                fatal=True,
            )


class PackFolderWriter:
    """A folder that packs are being written to; made by `open_pack_folder`."""

    def __init__(self, files: FileTransaction) -> None:
        self._files = files
        self.standing = StandingPacks(files.directory, files.force)

    def refuse_existing(self, sources: Iterable[str]) -> None:
        """Raise a fatal `CorpusError` if there is a pack of one of these sources that may not be replaced, and a
        `PackError` if there is one under another name (`refuse_renamed`)."""
        names = list(sources)
        self._files.refuse_existing(name for source in names for name in pack_names(source))
        refuse_renamed(self._files.directory, names)

    def write(self, serialised: SerialisedPack) -> SourceOutcome:
        """Write the files of a source."""
        for name, data in serialised.files.items():
            self._files.put(name, data)
        return serialised.outcome

    def put(self, pack: Pack, rejected: bytes | None) -> None:
        """Write a pack, and the file of its rejected candidates (`compress_rejected`); None leaves that which may be
        there."""
        name, beside = pack_names(pack.source)
        self._files.put(name, pack_json.write_checked(pack).encode("utf-8"))
        if rejected is not None:
            self._files.put(beside, rejected)

    def save(self, report: ReportLike) -> SourceOutcome:
        """Write the pack of a source, if it has one, and its rejected candidates."""
        return self.write(serialise_report(report, self.standing.path(report.source)))


@contextmanager
def open_pack_folder(directory: str | os.PathLike[str], force: bool = False) -> Iterator[PackFolderWriter]:
    """Open a folder for packs that all appear when the with-block ends without an exception; see `file_transaction`.

    No other run can write to it meanwhile.
    """
    with file_transaction(directory, force, lock=True) as files:
        yield PackFolderWriter(files)


def pack_names(source: str) -> tuple[str, str]:
    """Return the names of the files of a source: of its pack, and of its rejected candidates."""
    name = safe_file_name(source)
    return name + PACK_SUFFIX, name + _REJECTED


# ----------------------------------------------------------------------------------------------------- packs back in


OnBadFile = Callable[[str, PackError], None]
"""Called with a file of a folder of packs, and its problem."""


def pack_files(path: str | os.PathLike[str], on_error: OnBadFile | None = None) -> list[str]:
    """Return the pack files a path stands for: itself, or every ``.json`` in a folder, by name.

    With `on_error` it is told of files of a folder that are none, which are left out.

    Raises
    ------
    PackError
        There is nothing at `path`, or no ``.json`` in it, or one is no file or a link that leads out of the folder: who
        passes a folder of packs on does not decide what else is read on another machine.
    """
    path = os.fspath(path)
    try:
        if not os.path.isdir(path):
            if not stat.S_ISREG(os.stat(path).st_mode):
                raise PackError(f"{path}: expected a file or a folder of packs, found something else")
            return [path]
        names = _list_pack_names(path)
    except OSError as error:
        raise PackError(f"{path}: {unreadable(error)}") from error
    if not names:
        raise PackError(f"{path}: expected a folder with packs, found no {PACK_SUFFIX} file in it")
    files = []
    for file in (os.path.join(path, name) for name in names):
        try:
            _check_within(path, file)
        except PackError as error:
            if on_error is None:
                raise
            on_error(file, error)
        else:
            files.append(file)
    return files


def _list_pack_names(folder: str) -> list[str]:
    """Return the names of the files of a folder that may be packs, in their order."""
    return sorted(name for name in os.listdir(folder) if name.endswith(PACK_SUFFIX) and not name.startswith("."))


def read_pack_names(folder: str) -> list[str]:
    """Return the sources of the packs in a folder, without files that are none."""
    names = _list_pack_names(folder) if os.path.isdir(folder) else []
    found = (_read_source(os.path.join(folder, name)) for name in names)
    return [source for source in found if source is not None]


def _check_within(folder: str, file: str) -> None:
    if os.path.islink(file) and os.path.dirname(os.path.realpath(file)) != os.path.realpath(folder):
        raise PackError(
            f"{file}: is a link that leads out of the folder; give {spelled('--packs ', '')}the file that it leads to"
        )
    if not os.path.isfile(file):
        raise PackError(f"{file}: expected a file, found something else")


def refuse_renamed(folder: str, sources: Iterable[str]) -> None:
    """Refuse to write packs of some sources into a folder in which one of them has its pack under another name, or the
    file of one of them holds the pack of another source.

    Raises
    ------
    PackError
        Naming the file and its right name.
    """
    names = {pack_names(source)[0]: source for source in sources}
    expected_names = {source: name for name, source in names.items()}
    for name in _list_pack_names(folder) if os.path.isdir(folder) else ():
        path = os.path.join(folder, name)
        source = _read_source(path)
        if source is not None and (source in expected_names or name in names) and expected_names.get(source) != name:
            raise PackError(
                f"{path}: expected no pack of {source!r} here, for mining writes it to {pack_names(source)[0]}; "
                "give the file that name, or move it away"
            )


_PACK_HEAD = re.compile(rb'\s*\{\s*"schema":[^"]*"generator":\s*"[^"\\]*",\s*"source":\s*("(?:[^"\\]|\\.)*")')
"""The beginning of a pack, up to its source."""


def _read_source(path: str) -> str | None:
    """Return the source that a pack is of; None if it is no pack."""
    try:
        with open(path, "rb") as handle:
            head = handle.read(4096)
            if match := _PACK_HEAD.match(head.removeprefix(codecs.BOM_UTF8)):
                return str(decode_line(match[1]))
            data = decode_line(head + handle.read(MAX_PACK_BYTES))
    except (OSError, ValueError):
        return None
    source = data.get("source") if isinstance(data, dict) and "templates" in data else None
    return source if isinstance(source, str) else None


def warn_skipped(source: str, error: SkippedPackError) -> None:
    """Warn of a pack that is skipped."""
    warn_caller(f"pack skipped, and {source!r} left as it is: {error}")


class PackFiles(Mapping[str, Pack]):
    """The packs of files and folders by the source that each names, read when they are asked for.

    Of thousands of sources few have articles to clean today; to read all packs for these would take seconds.
    Only the beginning of each file is looked at, for the name.

    Parameters
    ----------
    history_only : bool
        See `Pack.load`.
    keep : bool, default True
        Hold the packs that were read, for who asks for them more than once.
    errors : {"raise", "skip"}
        What becomes of a pack in a folder that cannot be trusted.  With "skip" whoever asks for it gets a
        `SkippedPackError`, and the others are there all the same.  A file that is named itself is never skipped.

    Attributes
    ----------
    files : dict of str to str
        The file of each source, bad ones included.
    unnamed : list of str
        What is wrong with the files that do not tell their source; they may be of any.

    Raises
    ------
    PackError
        There is nothing at a path, a file holds no pack, or two are for the same source; and from then on, when a pack
        is asked for, that it cannot be trusted (see `Pack.load`).
    """

    def __init__(
        self,
        paths: Iterable[str | os.PathLike[str]],
        *,
        history_only: bool = False,
        keep: bool = True,
        errors: str = "raise",
    ) -> None:
        if errors not in ("raise", "skip"):
            raise ConfigError(f"errors: expected raise or skip, got {errors!r}")
        self.files: dict[str, str] = {}
        self._history_only = history_only
        self._keep = keep
        self._packs: dict[str, Pack] = {}
        self._skips = errors == "skip"
        self._in_folders: set[str] = set()
        self._bad: dict[str, str] = {}
        self.unnamed: list[str] = []
        for path in paths:
            if self._skips and os.path.isdir(path):
                self._in_folders.update(files := pack_files(path, self._note_bad_file))
            else:
                files = pack_files(path)
            for file in files:
                self._add(file)

    def _note_bad_file(self, file: str, error: PackError) -> None:
        """Note a file whose source cannot be read under the source that its name is made of."""
        name = os.path.basename(file).removesuffix(PACK_SUFFIX)
        self.files.setdefault(name, file)
        self._bad[name] = str(error)
        self.unnamed.append(str(error))

    def _add(self, file: str) -> None:
        source = _read_source(file)
        if source is None:
            try:
                source = Pack.load(file).source  # which raises its problem
            except PackError as error:
                if file not in self._in_folders:
                    raise
                return self._note_bad_file(file, error)
        if source in self.files and source not in self._bad:
            problem = (
                f"{file}: expected one pack a source, found a second one for {source!r}; the first is "
                f"{self.files[source]}; give one of them, or compare both with templatemine diff"
            )
            if not {file, self.files[source]} <= self._in_folders:
                raise PackError(problem)
            self._bad[source] = problem
        self.files[source] = file
        return None

    def __getitem__(self, source: str) -> Pack:
        if source in self._packs:
            return self._packs[source]
        file = self.files[self._name(source)]
        try:
            if problem := self._bad.get(self._name(source)):
                raise PackError(problem)
            pack = Pack.load(file, history_only=self._history_only)
            if pack.source != source:
                raise PackError(f"{file}: source: expected {source!r}, as before, found {pack.source!r}")
        except PackError as error:
            if self._skips and (file in self._in_folders or self._name(source) in self._bad):
                raise SkippedPackError(str(error)) from error
            raise
        if self._keep:
            self._packs[source] = pack
        return pack

    def _name(self, source: str) -> str:
        """Return the source as it is in `files`: where a file does not tell its source, the name of the file."""
        return source if source in self.files or not self._bad else safe_file_name(source)

    def load_all(self, on_skip: Callable[[str, SkippedPackError], None] = warn_skipped) -> dict[str, Pack]:
        """Load all packs by their sources; report each that is skipped."""
        packs = {}
        for source in self.files:
            try:
                packs[source] = self[source]
            except SkippedPackError as error:
                on_skip(source, error)
        return packs

    def by_tokens(self) -> bool:
        """Return whether all packs are of text and `Pack.by_tokens`, as far as the bytes of the files tell."""
        try:
            files = map(_squeeze, self.files.values())
            return not any(mark in data for data in files for mark in _MORE_THAN_TOKENS)
        except OSError:  # reading the pack raises its problem
            return False

    def traits(self, source: str) -> PackTraits:
        """Look into the file of a source; nothing is told of one that cannot be read."""
        try:
            data = _squeeze(self.files[source])
        except (KeyError, OSError):
            return PackTraits(False, False)
        return PackTraits(b'"html":false' in data and b'"templates":[]' in data, b'"markup":"html"' in data)

    def __contains__(self, source: object) -> bool:
        return source in self.files or (isinstance(source, str) and self._name(source) in self._bad)

    def __iter__(self) -> Iterator[str]:
        return iter(self.files)

    def __len__(self) -> int:
        return len(self.files)

    def __getstate__(self) -> dict[str, Any]:
        """Return a state without packs read: other processes read for themselves."""
        return {**self.__dict__, "_packs": {}}


_MORE_THAN_TOKENS = (b'"html":true', b'"tokens":null', b'"user_patterns":[{')
"""What a pack holds that is of pages, has an expression by hand or a pattern of the user's own, but for white space.
Within a string a backslash would precede the second quote."""


class PackTraits(NamedTuple):
    """What the bytes of a pack tell, for reading thousands of packs takes seconds."""

    cuts_nothing: bool
    """It is of texts, and has no templates."""
    has_markup: bool
    """Texts of its source hold tags and entities, which are decoded to find templates."""


def _squeeze(file: str) -> bytes:
    """Return the bytes of a file without white space."""
    with open(file, "rb") as handle:
        return handle.read(MAX_PACK_BYTES).translate(None, b" \t\r\n")


def rejected_path(pack: str | os.PathLike[str]) -> str:
    """Name the file with the rejected candidates of a pack."""
    return os.fspath(pack).removesuffix(PACK_SUFFIX) + _REJECTED


def read_rejected(pack: str | os.PathLike[str]) -> Iterator[RejectedCandidate]:
    """Yield the rejected candidates of a pack file: where scores decided, the nearest to being
    templates first, else the most frequent.

    Raises
    ------
    CorpusError
        Fatal: the file beside the pack is missing, damaged or something else.
    """
    path = rejected_path(pack)
    try:
        with open(path, "rb") as file:
            yield from parse_rejected(file, path)
    except FileNotFoundError:
        raise CorpusError(
            "not found; it holds the rejected candidates, and mine writes it beside the pack, as Packs.save does",
            path,
            fatal=True,
        ) from None
    except OSError as error:
        raise read_error(error, path) from error


def parse_rejected(file: BinaryIO, where: str) -> Iterator[RejectedCandidate]:
    """Yield the rejected candidates of an open file, as `read_rejected` does; `where` names it in errors."""
    try:
        with gzip.open(file, "rb") as handle:
            for number, line in enumerate(iter(lambda: handle.readline(_MAX_LINE_BYTES), b""), 1):
                yield _parse_rejected(line, f"{where}:{number}")
    except READ_ERRORS as error:
        raise read_error(error, where) from error


_MAX_LINE_BYTES = 1 << 24
"""Bytes of a rejected candidate, unpacked; a truncated line is no candidate."""


def _parse_rejected(line: bytes, where: str) -> RejectedCandidate:
    try:
        row = decode_line(line)
        tokens = row["tokens"]
        if not isinstance(tokens, list) or not all(isinstance(token, str) for token in tokens):
            raise TypeError
        df, count = row["df"], row["count"]
        if type(df) is not int or type(count) is not int or min(df, count) < 0:
            raise TypeError
        found = RejectedCandidate(tuple(tokens), df, count, str(row["reason"]))
        if len(row) > 4:  # of few
            found = found._replace(**{name: row[name] for name in ("anchor", "kind", "example") if name in row})
            if found.anchor not in ANCHORS or found.kind not in ("", *KINDS) or not isinstance(found.example, str):
                raise ValueError
        return found
    except (ValueError, KeyError, TypeError) as error:
        raise CorpusError(
            "expected a rejected candidate: an object with tokens, df, count and reason", where, fatal=True
        ) from error
