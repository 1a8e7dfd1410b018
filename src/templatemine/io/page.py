"""A single HTML page as an archive of one document.  Its id is the name of the file, its source that of the folder."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator

from templatemine.config import ReadConfig
from templatemine.errors import CorpusError
from templatemine.io.folder import read_body
from templatemine.io.jsonl import READ_ERRORS, unreadable
from templatemine.model import Document, Record

__all__ = ["SUFFIXES", "is_page", "read"]

SUFFIXES = (".html", ".htm")
"""Suffixes of this format, each also with ``.gz`` behind it."""


def is_page(path: str) -> bool:
    """True if a path names a single page."""
    return path.lower().removesuffix(".gz").endswith(SUFFIXES) and not os.path.isdir(path)


def read(path: str, config: ReadConfig, report: Callable[[CorpusError], None]) -> Iterator[Record]:
    """Yield the record of a page; see `folder.read` for its fields.

    Raises
    ------
    CorpusError
        Fatal: the file cannot be opened or inflated.
    """
    try:
        body = read_body(path, True)
    except READ_ERRORS as error:
        raise unreadable(error, path) from error
    name, folder = os.path.basename(path), os.path.basename(os.path.dirname(os.path.abspath(path))) or "root"
    fields = {config.id_field: name, config.source_field: folder, config.html_field: body}
    yield Record(document=Document(source=folder, id=name, html=body), fields=fields, where=path)
