"""WACZ: a zip archive with the WARC files of a crawl in its folder ``archive/``; its other files are indexes of them.

Memory holds what `warc` holds, and the list of the archive's files.
"""

from __future__ import annotations

import io
import struct
import zipfile
from collections.abc import Iterator
from typing import IO, cast

from templatemine.config import ReadConfig
from templatemine.errors import CorpusError
from templatemine.io import warc
from templatemine.io.decompression import check_expansion
from templatemine.io.files import READ_ERRORS, Report, open_input, place_of, read_error
from templatemine.model import Record

DERIVED = warc.DERIVED

_FOLDER = "archive/"
_SUFFIXES = (".warc", ".warc.gz", ".warc.zst")
_ZIP_ERRORS = (zipfile.BadZipFile, NotImplementedError, RuntimeError, ValueError, struct.error)
"""Errors of `zipfile`: `RuntimeError` for an encrypted file, `ValueError` for places and names that cannot be."""


def read(path: str, config: ReadConfig, report: Report) -> Iterator[Record]:
    """Yield a record for each page of each WARC file, these in the order of their names.

    Raises
    ------
    CorpusError
        Fatal: no permission, no zip archive or none with WARC files, or one that cannot be searched (a pipe).
    """
    place = place_of(path)
    try:
        with open_input(path) as stream:
            if not stream.seekable():
                raise CorpusError("expected a file, for WACZ is read from its end; found a pipe", place, fatal=True)
            with zipfile.ZipFile(cast(IO[bytes], stream)) as archive:
                names = sorted(
                    name for name in archive.namelist() if name.startswith(_FOLDER) and name.lower().endswith(_SUFFIXES)
                )
                if not names:
                    raise CorpusError(f"expected WARC files in its folder {_FOLDER}, found none", place, fatal=True)
                for name in names:
                    check_expansion(archive.getinfo(name).compress_size, archive.getinfo(name).file_size)
                    with archive.open(name) as member:
                        buffered = io.BufferedReader(cast(io.RawIOBase, member))
                        yield from warc.read_stream(buffered, path, f"{place}:{name}", config, report)
    except _ZIP_ERRORS as error:
        raise CorpusError(f"cannot be read as WACZ: {str(error)[:200]}", place, fatal=True) from error
    except READ_ERRORS as error:
        raise read_error(error, place) from error
