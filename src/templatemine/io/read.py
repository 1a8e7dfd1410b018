"""Paths in, documents out: chooses the format by the path and hides it from everyone else.

To add a format, write a module with `SUFFIXES` and ``read(path, config, report)``, and name it in `FORMATS`.
"""

from __future__ import annotations

import os
import stat
from collections.abc import Callable, Iterable, Iterator

from templatemine.config import ReadConfig
from templatemine.errors import CorpusError
from templatemine.io import folder, jsonl, page
from templatemine.model import Document, Record

__all__ = ["FORMATS", "OnError", "read_documents", "read_lines", "read_records"]

OnError = Callable[[CorpusError], None]
Reader = Callable[[str, ReadConfig, OnError], Iterator[Record]]

FORMATS: dict[str, Reader] = {**dict.fromkeys(jsonl.SUFFIXES, jsonl.read), **dict.fromkeys(page.SUFFIXES, page.read)}
"""Suffix of a file, in lower case -> its reader.  Each is also known with ``.gz`` behind it."""


def read_records(path: str | os.PathLike[str], config: ReadConfig, on_error: OnError | None = None) -> Iterator[Record]:
    """Read the records of a file, a directory or standard input.

    Parameters
    ----------
    path : str
        A directory of pages (see `folder`), ``-`` for JSON lines on standard input, or a file with a suffix of
        `FORMATS`.
    config : ReadConfig
        Names of the fields.
    on_error : callable, optional
        Called with a `CorpusError` for each record that holds no document; reading then goes on.  Without it the
        first one is raised.

    Returns
    -------
    iterator of Record
        In the order of the file.  Records with an id seen before are not dropped.

    Raises
    ------
    CorpusError
        Fatal, at once: nothing at `path`, or of no known format.  Fatal, while reading: no permission, a truncated or
        damaged gzip file, a directory without documents.
    """
    path = os.fspath(path)
    return _reader(path)(path, config, on_error or _raise)


def read_lines(path: str | os.PathLike[str], most: int, size: int) -> Iterator[jsonl.Lines] | None:
    """Read JSON lines as they stand (see `jsonl.read_lines`); None if `path` is of another format.

    Raises
    ------
    CorpusError
        As `read_records`.
    """
    path = os.fspath(path)
    return jsonl.read_lines(path, most, size) if _reader(path) is jsonl.read else None


def read_documents(
    paths: Iterable[str | os.PathLike[str]], config: ReadConfig, on_error: OnError | None = None
) -> Iterator[Document]:
    """Yield the documents of several paths, one path after the other; see `read_records`."""
    for path in paths:
        for record in read_records(path, config, on_error):
            yield record.document


def _reader(path: str) -> Reader:
    if path == "-":
        return jsonl.read
    try:
        mode = os.stat(path).st_mode
    except OSError as error:
        raise jsonl.unreadable(error, path) from error
    if stat.S_ISDIR(mode):
        return folder.read
    suffix = os.path.splitext(path.lower().removesuffix(".gz"))[1]
    if suffix not in FORMATS:
        known = ", ".join(FORMATS)
        raise CorpusError(
            f"expected a file named {known} (each also with .gz), a directory of {folder.KNOWN} files, "
            f"or - for JSON lines on standard input; found {suffix or 'no suffix'}",
            path,
            fatal=True,
        )
    return FORMATS[suffix]


def _raise(error: CorpusError) -> None:
    raise error
