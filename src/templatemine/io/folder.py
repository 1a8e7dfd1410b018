"""A directory of text files or HTML pages, one document a file; or of files of the other formats; or a single page.

A directory that holds documents itself is one source, with everything under it; otherwise each of its sub-directories
is one.  Documents come in the order of their relative paths, which are their ids, so the same tree gives the same
documents in the same order everywhere.  Memory holds one document and the names of the open directories.

Only where there is no text and no page in the whole tree, its other files (WARC, feeds, tables, JSON lines) are read,
each by its suffix, in the same order: a saved site keeps feeds and JSON beside its pages, which are no articles.

The id of a single page is the name of its file, its source that of the folder; both are ``stdin`` on standard input.
"""

from __future__ import annotations

import os
import stat
from collections.abc import Callable, Iterator
from typing import Any, cast

from templatemine.config import ReadConfig
from templatemine.errors import CorpusError
from templatemine.io.charset import decode_page, note_all
from templatemine.io.files import (
    READ_ERRORS,
    Report,
    conversion_hint,
    detect_content,
    file_of,
    is_remote,
    not_utf8_problem,
    open_input,
    open_unpacked,
    read_error,
    read_whole,
    unpacked_name,
)
from templatemine.io.formats import Format, format_by_name, format_by_path, format_names, module_of, suffixes_of
from templatemine.io.sources import source_of
from templatemine.model import Document, Record

_IS_HTML = {".txt": False, ".html": True, ".htm": True, ".xhtml": True, ".xht": True}
SUFFIXES = ", ".join(_IS_HTML)
"""Suffixes of documents, for messages.  Each is also known with that of packing behind it."""


def read(path: str, config: ReadConfig, report: Report) -> Iterator[Record]:
    """Yield a record for each document under a directory, or that of a page.

    The fields of a record are its id, its source and its text or html, under the names of `config`.

    Parameters
    ----------
    path : str
        The directory, or the file of a page.
    report : Report
        Gets a `CorpusError` for each document that cannot be read, is too large, or is not UTF-8 (text files only).

    Raises
    ------
    CorpusError
        Fatal: a directory cannot be listed, or there is no document at all; a single page cannot be read.
    """
    if not os.path.isdir(path):
        yield _read_page(path, config, report)
        return
    one = None if config.format in (None, "folder") else format_by_name(str(config.format))
    if one is None:
        base = _find_base(path)
        name = None
        wanted = _NameFilter(lambda file: _is_html(file) is not None)
        for name in _walk(path, wanted):
            record = _document(path, name, base or name.partition("/")[0], config, report)
            if record is not None:
                yield record
        if name is not None:
            wanted.report_others(report, f"neither {SUFFIXES.replace(', ', ' nor ')}")
            return
    found = False
    wanted = _NameFilter(lambda file: format_by_path(file) is not None if one is None else format_by_path(file) is one)
    for name in _walk(path, wanted):
        found = True
        place = os.path.join(path, name)
        try:
            yield from module_of(cast(Format, format_by_path(name))).read(place, config, report)
        except READ_ERRORS as error:
            raise read_error(error, place) from error
    if not found:
        others = format_names() if one is None else suffixes_of(one)
        known = f"{SUFFIXES} files (each also with .gz), or of {others}" if one is None else f"{others} files"
        raise CorpusError(f"expected {known}; found none", path, fatal=True)
    wanted.report_others(report, "of no format that is read" if one is None else f"not {one.name}")


def _read_page(path: str, config: ReadConfig, report: Report) -> Record:
    folder = os.path.basename(os.path.dirname(file_of(path) if is_remote(path) else os.path.abspath(path))) or "root"
    name, source = ("stdin", "stdin") if path == "-" else (os.path.basename(file_of(path)), folder)
    try:
        return _read_record(path, name, source, True, config, report)
    except READ_ERRORS as error:
        raise read_error(error, path) from error
    except ValueError as error:
        raise CorpusError(str(error), path, fatal=True) from error


def would_read(path: str, file: str, named: str | None = None) -> bool:
    """Return whether reading the directory `path` also reads `file`, or would once it is there.

    Parameters
    ----------
    named : str, optional
        The format that the configuration names.
    """
    if not os.path.realpath(file).startswith(os.path.join(os.path.realpath(path), "")):
        return False
    if named not in (None, "folder"):
        return format_by_path(file) is format_by_name(str(named))
    if any(True for _ in _walk(path, lambda name: _is_html(name) is not None)):
        return _is_html(file) is not None
    return format_by_path(file) is not None


class _NameFilter:
    """A test of names that counts those it turns down."""

    def __init__(self, test: Callable[[str], bool]) -> None:
        self._test = test
        self._others = 0

    def __call__(self, name: str) -> bool:
        wanted = self._test(name)
        self._others += not wanted
        return wanted

    def report_others(self, report: Report, what: str) -> None:
        """Count files that were left out."""
        if self._others:
            report.note(f"files in folders left out ({what})", self._others)


def _find_base(path: str) -> str | None:
    """Return the one source of a directory that holds documents itself; None if each of its sub-directories is one."""
    whole = any(_is_html(entry.name) is not None and not _is_directory(entry) for entry in _entries(path))
    return (os.path.basename(os.path.abspath(path)) or "root") if whole else None


def _document(path: str, name: str, source: str, config: ReadConfig, report: Report) -> Record | None:
    place = os.path.join(path, name)
    try:
        return _read_record(place, name, source, bool(_is_html(name)), config, report)
    except UnicodeDecodeError as error:
        report(CorpusError(not_utf8_problem(error, error.object), place))
    except ValueError as error:
        report(CorpusError(str(error), place))
    except READ_ERRORS as error:
        report(read_error(error, place, fatal=False))
    return None


def _read_record(place: str, name: str, source: str, html: bool, config: ReadConfig, report: Report) -> Record:
    """Return the record of a text or page in a file; errors are those of `read_body`, and of a rule for the source."""
    body = read_body(place, html, config.max_record, report)
    field = config.html_field if html else config.text_field
    fields: dict[str, Any] = {config.id_field: name, config.source_field: source, field: body}
    if config.source_of is not None:
        fields[config.source_field] = source = source_of(config.source_of, fields, place)
    document = Document(source=source, id=name, text=None if html else body, html=body if html else None)
    return Record(document=document, fields=fields, where=place)


def read_body(place: str, html: bool, longest: int, report: Report) -> str:
    """Return the text or page in a file, unpacked and decoded; ValueError if it is neither, or larger than
    `longest`."""
    with open_input(place) as stream:
        # Pages saved as the server sent them are packed under a plain name; no text in UTF-8 begins like that.
        data = read_whole(open_unpacked(place, stream), longest)
    found = detect_content(data) if data.startswith(b"%PDF-") or b"\0" in data[:_HEAD_BYTES] else None
    if found is not None and not (html and found.startswith("UTF-")):
        hint = "" if html else conversion_hint(found)
        raise ValueError(f"expected {'a page' if html else 'text in UTF-8'}, found {found}{hint}")
    if not html:
        return data.decode("utf-8").removeprefix("\ufeff")
    text, notes = decode_page(data)
    note_all(report, notes)
    return text


_HEAD_BYTES = 1024
"""Bytes in which a file that is no text has a NUL."""


def _is_html(name: str) -> bool | None:
    """Return whether a file is a page (True) or text (False) by its name; None for any other file."""
    return _IS_HTML.get(os.path.splitext(unpacked_name(name))[1])


# ------------------------------------------------------------------------------------------------------ the tree


def _walk(root: str, wanted: Callable[[str], bool]) -> Iterator[str]:
    """Yield the relative paths of all files under `root` whose names are `wanted`, sorted by code point.

    Links to files are followed.  A link to a directory is followed only if it leads out of the tree, not back to a
    directory it lies in, and to where nothing has been read yet: so there is no endless loop, and no document is read
    twice on account of a link.
    """
    seen = {os.path.realpath(root)}
    top = os.path.join(os.path.realpath(root), "")
    pending = [""]
    while pending:
        name = pending.pop()
        if name and not name.endswith("/"):
            yield name
            continue
        here = os.path.join(root, name)
        found = []
        for entry in _entries(here):
            if _is_directory(entry):
                real = os.path.realpath(entry.path)
                if real in seen or (entry.is_symlink() and _leads_back(real, here, top)):
                    continue
                seen.add(real)
                found.append(f"{name}{entry.name}/")  # the slash makes the order that of the whole paths
            elif wanted(entry.name) and _is_readable(entry):
                found.append(name + entry.name)
        pending.extend(sorted(found, reverse=True))


def _entries(directory: str) -> list[os.DirEntry[str]]:
    try:
        with os.scandir(directory) as entries:
            # Sorted here too: of two links to one directory, the first is followed.
            return sorted(entries, key=lambda entry: entry.name)
    except OSError as error:
        raise read_error(error, directory) from error


def _is_directory(entry: os.DirEntry[str]) -> bool:
    try:
        return entry.is_dir()
    except OSError:  # a link to itself
        return False


def _is_readable(entry: os.DirEntry[str]) -> bool:
    """Return False for pipes and devices, which could block for ever; reading names broken links."""
    try:
        return stat.S_ISREG(entry.stat().st_mode)
    except OSError:
        return True


def _leads_back(real: str, here: str, top: str) -> bool:
    inside = real.startswith(top)
    above = os.path.join(os.path.realpath(here), "").startswith(os.path.join(real, ""))
    return inside or above
