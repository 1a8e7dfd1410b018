"""A single HTML page as an archive of one document.  Its id is the name of the file, its source that of
the folder; both are ``stdin`` on standard input.
"""

from __future__ import annotations

import os
from collections.abc import Iterator

from templatemine.config import ReadConfig
from templatemine.errors import CorpusError
from templatemine.io.files import READ_ERRORS, Report, file_of, is_remote, read_error
from templatemine.io.folder import read_record
from templatemine.model import Record


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
        record = read_record(path, name, source, True, config, report)
    except READ_ERRORS as error:
        raise read_error(error, path) from error
    except ValueError as error:
        raise CorpusError(str(error), path, fatal=True) from error
    yield record
