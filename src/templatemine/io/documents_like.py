"""Coerce input to documents: paths, documents, records as dicts, data frames; and `read`, paths alone."""

from __future__ import annotations

import glob
import os
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import fields, replace
from difflib import get_close_matches
from inspect import Parameter, signature
from typing import Any, Literal, cast

from templatemine.config import FieldNames, PipelineConfig, ReadConfig
from templatemine.errors import ConfigError, CorpusError, counted, warn_caller
from templatemine.io.capsule import ArrowTable, is_table, load_pyarrow, table_rows
from templatemine.io.fields import (
    build_document,
    count_overruled,
    describe_overruled,
    is_missing,
    missing_body_error,
    near_sources,
)
from templatemine.io.files import is_remote
from templatemine.io.formats import format_by_path
from templatemine.io.read import read_records
from templatemine.model import Document

Path = str | os.PathLike[str]
DocumentsLike = Path | ArrowTable | Iterable[Document | Mapping[str, Any] | os.PathLike[str]]
"""A path, or documents, records and paths; or a table that exports itself by Arrow, as data frames do."""

Errors = Literal["raise", "skip"]
"""Treatment of a record that holds no document: the first is raised, or all are left out, with one warning that
counts them and names some, as the commands do."""


def name_fields(names: FieldNames, function: Callable[..., Any]) -> ReadConfig:
    """Return the options of reading records whose fields have other names.

    Parameters
    ----------
    names : dict
    function : callable
        Takes them as its last arguments.

    Raises
    ------
    TypeError
        There is no such argument.
    """
    for name in names:
        if name not in FieldNames.__annotations__:
            kinds = Parameter.POSITIONAL_OR_KEYWORD, Parameter.KEYWORD_ONLY
            parameters = signature(function).parameters
            own = [one.name for one in parameters.values() if one.kind in kinds and one.name != "self"]
            # `--archive` of commands
            near = get_close_matches("documents" if name == "archive" else name, [*own, *FieldNames.__annotations__], 1)
            hint = f" (did you mean {near[0]}?)" if near else ""
            if name in ReadConfig.__dataclass_fields__:
                hint = f", which is of templatemine.read: give templatemine.read(path, {name}=...) for the documents"
            elif "PipelineConfig" in str(parameters["config"].annotation if "config" in parameters else ""):
                hint = _name_section(name) or hint
            raise TypeError(
                f"got an unexpected keyword argument {name!r}{hint}; there are {', '.join(own)}, "
                f"and for names of fields {', '.join(FieldNames.__annotations__)}"
            )
    return ReadConfig(**names)


def _name_section(name: str) -> str:
    """Return how to give an option of a section of `PipelineConfig`; "" if none has it."""
    for section in fields(PipelineConfig):
        options = section.default_factory
        if isinstance(options, type) and name in getattr(options, "__dataclass_fields__", ()):
            return f" (give config=PipelineConfig({section.name}={options.__name__}({name}=...)))"
    return ""


def read(*paths: Path, errors: Errors = "raise", **options: Any) -> Iterator[Document]:
    """Yield the documents of files and folders of any format that ``templatemine formats`` lists.

    Parameters
    ----------
    paths : str or path
        Files, folders, glob patterns or URLs, as the commands take them.
    errors : {"raise", "skip"}
        Treatment of records that hold no document: raise an error for the first, or leave all out with a warning.
    options
        Fields of `ReadConfig`, such as ``text_field="body"``, ``source="example.org"`` or ``source_of="domain"``.

    Yields
    ------
    Document

    Raises
    ------
    CorpusError
        There is nothing at a path, its format is unknown, or, with ``errors="raise"``, a record holds no document.

    Examples
    --------
    >>> packs = templatemine.mine(templatemine.read("archive.jsonl.gz", text_field="body"))  # doctest: +SKIP
    """
    config = ReadConfig(**options)
    notes = _Notes(errors)

    def documents() -> Iterator[Document]:
        yield from _read_paths(paths, config, notes)
        notes.warn(config)

    return documents()


def documents_of(
    documents: DocumentsLike, config: ReadConfig | None = None, *, source: str | None = None, errors: Errors = "raise"
) -> Iterator[Document]:
    """Yield the documents of a caller's input; warn if there are none.

    Parameters
    ----------
    documents : path, or iterable of Document, dict or path, or data frame
    config : ReadConfig, optional
        Names of the fields of records.
    source : str, optional
        Of all documents, whatever they say; texts alone are then documents, too.
    errors : "raise" or "skip", default "raise"
        See `Errors`.

    Raises
    ------
    CorpusError
        Another object, or a data frame without texts, at once; or one among the documents, with its place and type.
    MissingExtraError
        A data frame is given, and pyarrow is not installed.
    """
    config = config or ReadConfig()
    if source is not None:
        config = replace(config, source=source, source_of=None)
    known = isinstance(documents, str | os.PathLike | Iterable) and not isinstance(documents, Mapping | Document)
    if not known and not is_table(documents):
        hint = "; give a list, with this one in it" if isinstance(documents, Mapping | Document) else ""
        raise CorpusError(
            f"expected documents, records, a data frame or a path, got {type(documents).__name__}{hint}", fatal=True
        )
    if isinstance(documents, str):
        _check_path(documents)
    elif is_table(documents):
        load_pyarrow()
        _check_columns(documents, config)
    return _all_documents(documents, config, _Notes(errors))


def _all_documents(documents: DocumentsLike, config: ReadConfig, notes: _Notes) -> Iterator[Document]:
    number = 0
    for number, document in enumerate(_documents(documents, config, notes), 1):  # noqa: B007
        yield document
    notes.warn(config)
    if not number and not notes.skipped:
        again = "; a generator gives what it has only once" if isinstance(documents, Iterator) else ""
        warn_caller(f"no documents were given{again}")


class _Notes:
    """What is told of records in the end: those that hold no document (see `Errors`), and the sources that they name
    where another is said for all."""

    def __init__(self, errors: Errors) -> None:
        if errors not in ("raise", "skip"):
            raise ConfigError(f"errors: expected raise or skip, got {errors!r}")
        self.on_error: Callable[[CorpusError], None] | None = self._skip if errors == "skip" else None
        self.skipped = 0
        self._named: list[str] = []
        self._problems: set[str] = set()
        self._overruled: dict[str, int] = {}

    def _skip(self, error: CorpusError) -> None:
        self.skipped += 1
        if error.problem not in self._problems and len(self._named) < _MAX_NAMED:
            self._problems.add(error.problem)
            self._named.append(str(error))

    def note_source(self, record: Mapping[str, Any], config: ReadConfig) -> None:
        """Note the source that a record names, if another is said."""
        count_overruled(self._overruled, record, config)

    def warn(self, config: ReadConfig) -> None:
        """Warn of skipped records, and of sources that have become one."""
        if told := describe_overruled(self._overruled, config):
            warn_caller(told)
        if self.skipped:
            more = f"; and {self.skipped - len(self._named):,} more" if self.skipped > len(self._named) else ""
            warn_caller(f"{counted(self.skipped, 'record')} skipped: {'; '.join(self._named)}{more}")


_MAX_NAMED = 3


def _documents(documents: DocumentsLike, config: ReadConfig, notes: _Notes) -> Iterator[Document]:
    """Yield the documents of a caller's input, one after the other."""
    if isinstance(documents, str | os.PathLike):
        yield from _read_paths([documents], config, notes)
        return
    if is_table(documents):
        rows: Iterable[Any] = table_rows(documents, _columns(config))
    else:
        rows = cast(Iterable[Any], documents)
    for number, one in enumerate(rows, 1):
        if isinstance(one, Document):
            notes.note_source({config.source_field: one.source}, config)
            yield one if config.source is None else replace(one, source=config.source)
        elif isinstance(one, os.PathLike):
            yield from _read_paths([one], config, notes)
        else:
            try:
                yield _document(one, config, number)
                if isinstance(one, Mapping):
                    notes.note_source(one, config)
            except CorpusError as error:
                if notes.on_error is None:
                    raise
                notes.on_error(error)


def _read_paths(paths: Iterable[Path], config: ReadConfig, notes: _Notes) -> Iterator[Document]:
    """Yield the documents of paths, one after the other; refuse a text that is given for a path."""
    for path in paths:
        if isinstance(path, str):
            _check_path(path)
        for record in read_records(path, config, notes.on_error):
            notes.note_source(record.fields, config)
            yield record.document


def _check_path(path: str) -> None:
    if _is_text(path):
        told = f"expected a path, got text of {counted(len(path), 'character')} that names no file"
        raise CorpusError(f"{told}; for one text: templatemine.clean(text, pack)", fatal=True)


_LONGEST_NAME = 255
"""Bytes of the name of a file, on nearly all file systems."""
_LONGEST_PHRASE = 60
"""Characters of a path with blanks, and without the suffix of a format, that may be a path misspelled."""


def _is_text(given: str) -> bool:
    """Return whether a string is rather a text than a path: it names no file, and has what paths and patterns of such
    have not."""
    if os.path.lexists(given) or not given:
        return False
    if "\n" in given or is_remote(given):
        return "\n" in given
    names = given.split(os.sep)
    if any(len(name.encode("utf-8", "surrogatepass")) > _LONGEST_NAME for name in names):
        return True
    if not any(char.isspace() for char in given) or format_by_path(given) is not None:
        return False
    if len(given) > _LONGEST_PHRASE:
        return next(glob.iglob(given, recursive=True), None) is None
    return len(names) == 1 and not any(sign in given for sign in "*[")


def _names_file(given: str) -> bool:
    """Return whether a string in the place of a text is rather the path of a file."""
    if "\n" in given or not given:
        return False
    return os.path.lexists(given) or is_remote(given) or format_by_path(given) is not None


def _columns(config: ReadConfig) -> set[str]:
    """Return the columns of a table that documents are made of."""
    names = {getattr(config, one.name) for one in fields(config) if one.name.endswith("_field")}
    return names | {(config.source_of or "").removeprefix("field:")}


def _check_columns(table: ArrowTable, config: ReadConfig) -> None:
    """Refuse a data frame without texts and pages, by the names of all its columns: its rows have not all of them."""
    names = [name for name in getattr(table, "columns", ()) if isinstance(name, str)]
    if names and config.text_field not in names and config.html_field not in names:
        raise CorpusError.of(missing_body_error(names, config), type(table).__name__, fatal=True)


def _document(row: object, config: ReadConfig, number: int) -> Document:
    """Return the document of a record."""
    where = f"item {number}"
    if isinstance(row, str) and config.source is not None and not _names_file(row):
        row = {config.text_field: row}
    if not isinstance(row, Mapping):
        hint = ": source= says whose texts these are, Path(...) that it names a file"
        hint = hint if isinstance(row, str) else ""
        raise CorpusError(f"expected a Document or a dict, got {type(row).__name__}{hint}", where, fatal=True)
    values = {name: None if _is_null(value) else value for name, value in row.items()}
    if config.source_of is None and is_missing(values.get(config.source_field)):
        problem = f"expected the source in field {config.source_field!r}, found none"
        near = f'; source_field="{name}"?' if (name := next(iter(near_sources(values)), None)) else ""
        problem += f" (source= says it for all, source_field= names another{near})"
        raise CorpusError(problem, where, fatal=True)
    try:
        return build_document(values, config, "", number, "")
    except ValueError as error:
        raise CorpusError.of(error, where, fatal=True) from error


def _is_null(value: object) -> bool:
    """Return whether a value is that of a missing one in a data frame: NaN, which alone does not equal itself, or the
    NA of pandas."""
    return (isinstance(value, float) and value != value) or type(value).__name__ == "NAType"
