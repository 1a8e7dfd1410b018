"""Paths in, documents out: chooses the format by the path and hides it from everyone else; see `formats`."""

from __future__ import annotations

import os
import re
import stat
import sys
from collections.abc import Callable, Iterable, Iterator
from itertools import chain
from typing import Any, TextIO

from templatemine.config import ReadConfig
from templatemine.errors import CorpusError, spelled
from templatemine.io.charset import GARBLED_TEXTS, is_garbled
from templatemine.io.files import Report, expand_paths, is_remote, read_error
from templatemine.io.formats import Format, format_by_name, format_by_path, format_names, module_of
from templatemine.io.jsonl import parse
from templatemine.io.pending import Item, Items, Lines, PendingBatch
from templatemine.io.sources import check_rule
from templatemine.model import Document, Record

OnError = Callable[[CorpusError], None]


def read_records(path: str | os.PathLike[str], config: ReadConfig, on_error: OnError | None = None) -> Iterator[Record]:
    """Read the records of a file, a directory, standard input or a place on the network.

    Parameters
    ----------
    path : str
        A file with a suffix of `formats.FORMATS`; a directory (see `folder`); ``-`` for standard input, a page if it
        begins like one, else JSON lines, if the configuration does not say otherwise; a URL that fsspec opens; or a
        pattern (``*``, ``**``, ``?``) of such names.
    config : ReadConfig
    on_error : callable, optional
        Called with a `CorpusError` for each record that holds no document; reading then goes on.  Without it the
        first one is raised.  A `Report` also gets the counts of harmless diagnostics.

    Returns
    -------
    iterator of Record
        In the order of the file.  Records with an id seen before are not dropped.

    Raises
    ------
    CorpusError
        Fatal, at once: nothing at `path`, or of no known format.  Fatal, while reading: no permission, a truncated or
        damaged file, a directory without documents.
    MissingExtraError
        At once: a library that the format needs is not installed.
    ConfigError
        At once: there is no such format or rule.
    """
    report = on_error if isinstance(on_error, Report) else Report(on_error)
    readers = [(one, module_of(found).read) for one, found in formats_of([path], config)]
    return _note_garbled(chain.from_iterable(read(one, config, report) for one, read in readers), report)


def _note_garbled(records: Iterator[Record], report: Report) -> Iterator[Record]:
    """Yield the records, those counted that were garbled before they came here."""
    for record in records:
        if is_garbled(record.document.body):
            report.note(GARBLED_TEXTS, place=record.where)
        yield record


def read_documents(
    paths: Iterable[str | os.PathLike[str]], config: ReadConfig, on_error: OnError | None = None
) -> Iterator[Document]:
    """Yield the documents of several paths, one path after the other; see `read_records`."""
    for path in paths:
        for record in read_records(path, config, on_error):
            yield record.document


BATCH_RECORDS = 256
BATCH_CHARACTERS = 1 << 19
"""A batch ends at whichever comes first.  Large enough that handing it over costs nothing beside cleaning it (10 ms or
more), small enough that all processes end at about the same time."""


def read_batches(
    paths: Iterable[str | os.PathLike[str]],
    config: ReadConfig,
    on_error: OnError | None = None,
    most: int | None = None,
    size: int = BATCH_CHARACTERS,
) -> Iterator[PendingBatch]:
    """Return the records of several paths, one path after the other, in batches that another process can work on.

    JSON lines and rows of tables are handed on unparsed, and their errors come from who parses them; those of
    other formats go to `on_error`, as in `read_records`.

    Parameters
    ----------
    most, size : int
        A batch ends at so many records, by default `BATCH_RECORDS`, or characters, whichever comes first.

    Raises
    ------
    CorpusError, MissingExtraError, ConfigError
        As `read_records`.
    """
    report = on_error if isinstance(on_error, Report) else Report(on_error)
    most = most or BATCH_RECORDS
    opened: list[Iterator[PendingBatch]] = []
    for path, one in formats_of(paths, config):
        module = module_of(one)
        if hasattr(module, "batches"):
            opened.append(module.batches(path, config, report, most, size))
        else:
            derived = getattr(module, "DERIVED", False)
            opened.append(batch_records(module.read(path, config, report), derived, most, size))
    return chain.from_iterable(opened)


def batch_records(records: Iterable[Record], derived: bool, most: int, size: int) -> Iterator[Items]:
    """Put records into batches; see `read_batches`."""
    batch: list[Item] = []
    characters = 0
    for record in records:
        batch.append((record.document.source, record.where, record.fields))
        characters += len(record.document.body)
        if characters >= size or len(batch) >= most:
            yield Items(batch, derived)
            batch, characters = [], 0
    if batch:
        yield Items(batch, derived)


def read_batch(
    batch: PendingBatch, config: ReadConfig, report: OnError
) -> Iterator[tuple[str, str, dict[str, Any], bool]]:
    """Yield source, place and fields of the records of a batch, the fields the caller's to change; and whether
    `jsonl.encode_plain` may write them.  Bad lines and rows go to `report`."""
    if isinstance(batch, Lines):
        return parse(batch, config, report)
    if isinstance(batch, Items):
        return ((source, where, dict(fields), False) for source, where, fields in batch.records)
    from templatemine.io.tables import read_rows

    return ((source, where, fields, False) for _, source, where, fields in read_rows(batch, config, report, None))


def formats_of(paths: Iterable[str | os.PathLike[str]], config: ReadConfig) -> list[tuple[str, Format]]:
    """Return each path, patterns replaced by their matches, with its format; check a rule for the source as well."""
    if config.source_of is not None:
        check_rule(config.source_of)
    return [(path, format_of(path, config)) for path in expand_paths(list(paths))]


def format_of(path: str, config: ReadConfig) -> Format:
    """Return the format of a file, a directory or standard input.

    Raises
    ------
    CorpusError
        Fatal: nothing at `path`, or of no known format.
    ConfigError
        The configuration names an unknown format.
    """
    named = None if config.format is None else format_by_name(config.format, spelled("--input-format", "format"))
    if path == "-":
        return named or format_by_name("page" if _is_page(sys.stdin) else "jsonl")
    if not is_remote(path):
        try:
            mode = os.stat(path).st_mode
        except OSError as error:
            raise read_error(error, path) from error
        if stat.S_ISDIR(mode):
            return format_by_name("folder")
    found = named or format_by_path(path)
    if found is None or (found.name == "folder"):
        suffix = os.path.splitext(path)[1]
        remedy = f"{spelled('--input-format', 'format=')} says what it is"
        if suffix == ".txt":
            remedy = "give the directory of the texts: DIRECTORY/SOURCE/*.txt"
        raise CorpusError(
            f"expected a file named {format_names()} (see templatemine formats), a directory, or - for JSON lines on "
            f"standard input; found {suffix or 'no suffix'} ({remedy})",
            path,
            fatal=True,
        )
    return found


_PAGE = re.compile(
    rb"(?:\xef\xbb\xbf)?\s*(?:<\?xml\b[^<>]*>\s*<(?:!doctype\s+html|html)|<(?!\?|rss\b|feed\b|rdf:))", re.IGNORECASE
)
"""Beginnings of pages, which no JSON line and no feed has.  The first byte tells it, if no more has come by then."""


def _is_page(stdin: TextIO | None) -> bool:
    """Return whether standard input begins like a page; nothing of it is used up."""
    peek = getattr(getattr(stdin, "buffer", None), "peek", None)
    return peek is not None and _PAGE.match(peek()) is not None
