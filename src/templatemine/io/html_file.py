"""A single HTML page as an archive of one document.  Its id is the name of the file, its source that of
the folder; both are ``stdin`` on standard input.
"""

from __future__ import annotations

import os
from collections.abc import Iterator

from templatemine.config import ReadConfig
from templatemine.errors import CorpusError
from templatemine.io.files import READ_ERRORS, Report, file_of, is_remote, read_error
from templatemine.io.folder import read_body
from templatemine.io.sources import source_of
from templatemine.model import Document, Record


def read(path: str, config: ReadConfig, report: Report) -> Iterator[Record]:
    """Yield the record of a page; see `folder.read` for its fields.

    Raises
    ------
    CorpusError
        Fatal: the file cannot be opened or unpacked, or is too large.
    """
    folder = os.path.basename(os.path.dirname(file_of(path) if is_remote(path) else os.path.abspath(path))) or "root"
    name, source = ("stdin", "stdin") if path == "-" else (os.path.basename(file_of(path)), folder)
    try:
        body = read_body(path, True, config.max_record, report)
        fields = {config.id_field: name, config.source_field: source, config.html_field: body}
        if config.source_of is not None:
            fields[config.source_field] = source = source_of(config.source_of, fields, path)
    except READ_ERRORS as error:
        raise read_error(error, path) from error
    except ValueError as error:
        raise CorpusError(str(error), path, fatal=True) from error
    yield Record(document=Document(source=source, id=name, html=body), fields=fields, where=path)
