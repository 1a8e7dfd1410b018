"""Whatever a caller has -> documents: paths, documents, records as dicts, data frames; and `read`, paths alone."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from templatemine.config import ReadConfig
from templatemine.errors import CorpusError
from templatemine.io.fields import build_document, is_missing
from templatemine.io.read import read_documents
from templatemine.model import Document

__all__ = ["Given", "documents_of", "read"]

Path = str | os.PathLike[str]
Given = Path | Iterable[Document | Mapping[str, Any] | os.PathLike[str]]
"""A path, or documents, records and paths; a data frame of pandas or polars is rows of records."""


def read(*paths: Path, **fields: Any) -> Iterator[Document]:
    """Yield the documents of files and folders, whatever their format (`templatemine formats`).

    Parameters
    ----------
    paths : str or path
        As the commands take them: patterns and URLs, too.
    fields : str
        Names of the fields, and the like: options of `config.ReadConfig`.

    Raises
    ------
    CorpusError
        A path that is not there, a format that is not known, or the first record that holds no document.

    Examples
    --------
    >>> packs = templatemine.mine(templatemine.read("archive.jsonl.gz", text_field="body"))  # doctest: +SKIP
    """
    return read_documents(paths, ReadConfig(**fields))


def documents_of(given: Given, config: ReadConfig | None = None) -> Iterator[Document]:
    """Yield the documents of what a caller gives.

    Raises
    ------
    CorpusError
        Something is neither, with its place and what it is.
    """
    config = config or ReadConfig()
    if isinstance(given, str | os.PathLike):
        yield from read_documents([given], config)
        return
    if isinstance(given, Mapping | Document) or not isinstance(given, Iterable):
        raise CorpusError(
            f"expected documents, records, a data frame or a path, got {type(given).__name__}", fatal=True
        )
    for number, one in enumerate(_rows(given), 1):
        if isinstance(one, Document):
            yield one
        elif isinstance(one, Mapping):
            yield _document(one, config, number)
        elif isinstance(one, os.PathLike):
            yield from read_documents([one], config)
        else:
            hint = ": Document(source=..., id=..., text=...) says whose text it is, Path(...) that it names a file"
            hint = hint if isinstance(one, str) else ""
            found = type(one).__name__
            raise CorpusError(f"expected a Document or a dict, got {found}{hint}", f"item {number}", fatal=True)


def _document(row: Mapping[str, Any], config: ReadConfig, number: int) -> Document:
    # A data frame has NaN where there is nothing; it is the one value that does not equal itself.
    fields = {name: None if isinstance(value, float) and value != value else value for name, value in row.items()}
    where = f"item {number}"
    if config.source_of is None and is_missing(fields.get(config.source_field)):
        raise CorpusError(f"expected the source in field {config.source_field!r}, found none", where, fatal=True)
    try:
        return build_document(fields, config, "", number, "")
    except ValueError as error:
        raise CorpusError(str(error), where, fatal=True) from error


def _rows(given: Iterable[Any]) -> Iterable[Any]:
    """The rows of a data frame as records; what is none, as it is."""
    if hasattr(given, "iter_rows"):  # polars
        return given.iter_rows(named=True)  # type: ignore[no-any-return]
    if hasattr(given, "columns") and hasattr(given, "to_dict"):  # pandas
        return given.to_dict("records")  # type: ignore[no-any-return]
    return given
