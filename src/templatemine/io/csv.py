"""CSV: a header, and a record a row; every column is text and stays as it is.

Read with the reader of the standard library: row by row, so that a bad row costs nothing but itself, of any length up
to `ReadConfig.max_record`, and in bounded memory.  A cell without text or page counts as missing.

The delimiter is the one of `DELIMITERS` by which the first line has a column of texts or of pages, else the only one
that it holds outside of quotes; that of the suffix (a comma, in a .tsv a tab) where several do.  If that leaves a
choice, the file is refused.  A line ``sep=;`` above the header names it, as for Excel.  The encoding is never guessed:
a file holds no proof of one, and a wrong one garbles texts without a word.  `ReadConfig.csv_delimiter` and
`csv_encoding` name others.
"""

from __future__ import annotations

import codecs
import csv
import io
import re
from collections.abc import Iterable, Iterator
from typing import Any, BinaryIO

from templatemine.config import ReadConfig
from templatemine.errors import CorpusError, counted, spelled
from templatemine.io.decompression import BUFFER
from templatemine.io.fields import build_document, check_names, check_same_fields, check_size, order_columns
from templatemine.io.files import (
    READ_ERRORS,
    Report,
    detect_content,
    open_input,
    open_unpacked,
    place_of,
    report_damage,
    stem,
    too_large_problem,
    unpacked_name,
)
from templatemine.io.jsonl import decode_line, encode_line
from templatemine.model import Record

DELIMITERS = (",", ";", "\t", "|")
"""Delimiters, if none is named: all that spreadsheets and databases write by themselves."""

_NAMED_DELIMITER = re.compile(r'"?sep=([^"\r\0\ufffd]|\\t)"?', re.IGNORECASE)
"""A line above the header, which Excel takes for no row either."""

_ASCII = bytes(range(32, 127)) + b"\t\r\n"


def read(path: str, config: ReadConfig, report: Report) -> Iterator[Record]:
    """Yield a record for each row.

    Raises
    ------
    CorpusError
        Fatal: no permission, damaged or truncated packing, no header, one whose delimiter is not clear, two columns of
        one name.
    """
    place, source = place_of(path), stem(path)
    header: list[str] = []
    for number, row in _rows(path, place, config, report):
        if not header:
            check_names(row, place)
            header = _match_names(row, config, report)
            continue
        try:
            if len(row) != len(header):
                raise ValueError(f"expected {len(header):,} columns, found {len(row):,}")
            fields: dict[str, Any] = dict(zip(header, row, strict=True))
            found = build_document(_drop_empty(fields, config), config, source, number, place)
            check_size(config, found.text, found.html)
        except ValueError as error:
            report(CorpusError.of(error, f"{place}:{number}"))
            continue
        yield Record(document=found, fields=fields, where=f"{place}:{number}")


def _match_names(header: list[str], config: ReadConfig, report: Report) -> list[str]:
    """Return the header with the names that the configuration has, where one column differs from one of them in case
    alone."""
    names = [config.text_field, config.html_field, config.source_field, config.id_field, config.date_field]
    for name in (*names, config.url_field, config.title_field):
        alike = [place for place, one in enumerate(header) if one.casefold() == name.casefold()]
        if name not in header and len(alike) == 1:
            report.note(f"column {header[alike[0]]!r} is read, and written, as {name!r}")
            header = [name if place == alike[0] else one for place, one in enumerate(header)]
    return header


class _LineReader:
    """The lines of a file as text for the reader of the standard library, which remembers their problems.

    A line that is too long is cut off, but closes the quotes that it opens, so that the next row is whole.
    """

    def __init__(self, stream: io.BufferedReader[Any] | _Utf8Lines, encoding: str, longest: int) -> None:
        self._stream = stream
        self._encoding = encoding
        self._longest = longest
        self._held: list[str] = []
        self.problem = ""
        self.hint = ""
        self.number = 0
        self.ended = False

    def peek(self) -> str:
        """Return the first line that is not blank, which is still to come; empty if there is none. To be called first:
        the file loses its byte order mark. Called again, it gives the next such line, and the first one does not
        come."""
        line = ""
        self._held.clear()
        for line in self:
            line = line if self._held else line.removeprefix("\ufeff")
            self._held.append(line)
            if line.strip():
                break
        self.number = 0
        return line.strip("\r\n")

    def __iter__(self) -> Iterator[str]:
        while self._held:
            self.number += 1
            yield self._held.pop(0)
        while line := self._stream.readline(self._longest + 1):
            self.number += 1
            if len(line) > self._longest:
                self.problem = too_large_problem(self._longest)
                quotes = 0
                rest = line
                while not rest.endswith(b"\n") and (rest := self._stream.readline(BUFFER)):
                    quotes += rest.count(b'"')
                line = line[:-1] + b'"' * (quotes % 2) + b"\n"
            elif self.number == 1 and line.startswith(codecs.BOM_UTF8) and self._encoding != "utf-8":
                self.problem = f"expected {self._encoding}, found the byte order mark of UTF-8"
            try:
                yield line.decode(self._encoding)
            except UnicodeDecodeError as error:
                if not self.problem:
                    self.problem, self.hint = _describe_wrong_bytes(line, error, self._encoding)
                yield line.decode(self._encoding, errors="replace")
        self.ended = True


def _describe_wrong_bytes(line: bytes, error: UnicodeDecodeError, encoding: str) -> tuple[str, str]:
    """Return the problem, and its remedy."""
    found = detect_content(line)
    hint = "utf-16" if found == "UTF-16" else "utf-32" if found == "UTF-32" else None if found else "cp1252"
    option = spelled("--csv-encoding", "csv_encoding=")
    hint = "" if hint is None or hint == encoding else f" ({option} names another encoding, such as {hint})"
    expected = "UTF-8" if encoding == "utf-8" else encoding
    return f"expected {expected}, found {found or f'byte 0x{line[error.start]:02x}'}", hint


class _Utf8Lines:
    """The lines of a file in an encoding in which a line end may be any bytes, such as UTF-16, as UTF-8."""

    def __init__(self, stream: io.BufferedReader[Any], encoding: str) -> None:
        self._text = io.TextIOWrapper(stream, encoding, newline="\n")
        self._encoding = encoding

    def readline(self, size: int) -> bytes:
        try:
            return self._text.readline(size).encode("utf-8", "surrogatepass")
        except UnicodeError as error:
            raise OSError(f"expected {self._encoding}: {getattr(error, 'reason', error)}") from error


def _open_lines(whole: io.BufferedReader[Any], config: ReadConfig) -> _LineReader:
    encoding = codecs.lookup(config.csv_encoding).name
    if encoding in ("utf-8", "utf-8-sig"):  # a mark at the beginning is taken away in any case
        return _LineReader(whole, "utf-8", config.max_record)
    try:
        one_byte_ends = _ASCII.decode(encoding) == _ASCII.decode("ascii")
    except UnicodeError:
        one_byte_ends = False
    if one_byte_ends:
        return _LineReader(whole, encoding, config.max_record)
    return _LineReader(_Utf8Lines(whole, encoding), "utf-8", config.max_record)


def _rows(path: str, place: str, config: ReadConfig, report: Report) -> Iterator[tuple[int, list[str]]]:
    """Number and yield the rows that are whole, the header first."""
    number = -1
    # The limit is one of the process, so it is only ever raised.
    csv.field_size_limit(max(csv.field_size_limit(), config.max_record))
    try:
        with open_input(path) as stream, open_unpacked(path, stream) as whole:
            lines = _open_lines(whole, config)
            usual = "\t" if unpacked_name(path).endswith(".tsv") else ","
            reader = csv.reader(lines, delimiter=_choose_delimiter(lines, usual, config, place))
            while True:
                before = lines.number
                try:
                    row = next(reader)
                except StopIteration:
                    break
                except csv.Error as error:
                    row, lines.problem = [], lines.problem or str(error)
                if row and lines.ended:  # asked for one more line, and there was none
                    lines.problem = lines.problem or (
                        "expected a closing quote, found the end of the file, "
                        f"{counted(lines.number - before, 'line')} after the row began: the file is truncated"
                    )
                if not row and not lines.problem:
                    continue  # a blank line
                number += 1
                if lines.problem:
                    report(CorpusError(lines.problem, f"{place}:{number}", hint=lines.hint))
                    lines.problem = lines.hint = ""
                    if not number:
                        raise CorpusError("expected a header that can be read", place, fatal=True)
                    continue
                yield number, row
    except READ_ERRORS as error:
        report_damage(error, place, f" after row {number:,}" if number > 0 else "", report)
    if number < 0:
        raise CorpusError("expected a header, found an empty file", place, fatal=True)


def _choose_delimiter(lines: _LineReader, usual: str, config: ReadConfig, place: str) -> str:
    """Return the delimiter that is named, else that of the header, which comes next; see above.

    Raises
    ------
    CorpusError
        Fatal: it may be more than one, or the header is no text, or JSON.
    """
    line = lines.peek()
    named = _NAMED_DELIMITER.fullmatch(line)
    if named:
        line = lines.peek()
    if "\0" in line and not lines.problem:
        option = spelled("--csv-encoding utf-16", "csv_encoding='utf-16'")
        problem = f"expected a header in UTF-8, found one with NUL, as UTF-16 has it ({option}, if it is)"
        raise CorpusError(problem, place, fatal=True)
    if line.lstrip().startswith(('{"', "[{")):
        option = spelled("--input-format jsonl", "format='jsonl'")
        raise CorpusError(f"expected a header, found JSON ({option} reads it as JSON lines)", place, fatal=True)
    if config.csv_delimiter is not None:
        return config.csv_delimiter
    if named:
        return "\t" if named[1] == "\\t" else named[1]
    try:
        columns = {mark: next(csv.reader([line], delimiter=mark), []) for mark in DELIMITERS if mark in line}
    except csv.Error:  # which reading the header meets, too
        return usual
    parting = [mark for mark, names in columns.items() if len(names) > 1]
    bodies = {config.text_field.casefold(), config.html_field.casefold()}
    for found in ([mark for mark in parting if not bodies.isdisjoint(map(str.casefold, columns[mark]))], parting):
        if usual in found:
            return usual
        if len(found) > 1 and not lines.problem:
            marks = " and ".join("tabs" if mark == "\t" else repr(mark) for mark in found)
            option = spelled("--csv-delimiter", "csv_delimiter=")
            problem = f"expected a header with one delimiter, found {marks} ({option} says which it is)"
            raise CorpusError(problem, place, fatal=True)
        if found:
            return found[0]
    return usual


def _drop_empty(fields: dict[str, Any], config: ReadConfig) -> dict[str, Any]:
    """Return the fields with null for empty cells; a text stays an empty one where there is no page either."""
    names = {name: value or None for name, value in fields.items()}
    if config.text_field in fields and not names.get(config.html_field):
        names[config.text_field] = fields[config.text_field]
    return names


class CsvWriter:
    """JSON lines in, rows out; other values are written as JSON, null as an empty cell.

    Parameters
    ----------
    place : str
        As errors name it; a name of ``.tsv`` asks for tabs.
    columns : iterable of str
        That cleaning makes; for their places see `fields.order_columns`.
    """

    def __init__(self, stream: BinaryIO, place: str, columns: Iterable[str]) -> None:
        self._text = io.TextIOWrapper(
            stream, encoding="utf-8", errors="backslashreplace", newline="", write_through=True
        )
        tabs = unpacked_name(place).endswith(".tsv")
        self._writer = csv.writer(self._text, delimiter="\t" if tabs else ",", lineterminator="\r\n")
        self._place = place
        self._made = list(columns)
        self._columns: list[str] = []
        self._number = 0

    def write(self, piece: bytes) -> None:
        """Write some JSON lines."""
        for line in piece.splitlines():
            fields = decode_line(line)
            self._number += 1
            if not self._columns:
                self._columns = order_columns(fields, self._made)
                self._writer.writerow(self._columns)
            check_same_fields(fields, self._columns, self._number, self._place)
            self._writer.writerow([_cell(fields.get(name)) for name in self._columns])

    def close(self) -> None:
        """Write the header if there was no record, and let go of the stream."""
        if not self._columns:
            self._writer.writerow(self._made)
        self._text.detach()


writer = CsvWriter


def _cell(value: object) -> str:
    if value is None:
        return ""
    return value if isinstance(value, str) else encode_line({"": value})[4:-2].decode()
