"""CSV: a header, and a record a row, UTF-8; every column is text and stays as it is.

Read with the reader of the standard library: row by row, so that a bad row costs nothing but itself, of any length up
to `ReadConfig.max_record`, and in bounded memory.  A cell without text or page counts as missing.
"""

from __future__ import annotations

import csv
import io
from collections.abc import Iterator, Mapping
from typing import Any, BinaryIO

from templatemine.config import ReadConfig
from templatemine.errors import CorpusError
from templatemine.io.fields import build_document, check_names, check_size
from templatemine.io.files import (
    BUFFER,
    READ_ERRORS,
    Report,
    detect_content,
    open_input,
    open_unpacked,
    place_of,
    read_error,
    stem,
    unpacked_name,
)
from templatemine.io.jsonl import decode_line, encode_line
from templatemine.model import Record

__all__ = ["read", "writer"]


def read(path: str, config: ReadConfig, report: Report) -> Iterator[Record]:
    """Yield a record for each row.

    Raises
    ------
    CorpusError
        Fatal: no permission, damaged or truncated packing, no header, two columns of one name.
    """
    place, source = place_of(path), stem(path)
    header: list[str] = []
    for number, row in _rows(path, place, config, report):
        if not header:
            header = _check_header(row, place)
            continue
        try:
            if len(row) != len(header):
                raise ValueError(f"expected {len(header):,} columns, found {len(row):,}")
            fields: dict[str, Any] = dict(zip(header, row, strict=True))
            found = build_document(_drop_empty(fields, config), config, source, number, place)
            check_size(config, found.text, found.html)
        except ValueError as error:
            report(CorpusError(str(error), f"{place}:{number}"))
            continue
        yield Record(document=found, fields=fields, where=f"{place}:{number}")


class _LineReader:
    """The lines of a file as text for the reader of the standard library, which remembers what was wrong with them.

    A line that is too long is cut off, but closes the quotes that it opens, so that the next row is whole.
    """

    def __init__(self, stream: io.BufferedReader[Any], longest: int) -> None:
        self._stream = stream
        self._longest = longest
        self.problem = ""
        self.number = 0
        self.ended = False

    def __iter__(self) -> Iterator[str]:
        while line := self._stream.readline(self._longest + 1):
            self.number += 1
            if len(line) > self._longest:
                self.problem = f"expected at most {self._longest:,} bytes, found more"
                quotes = 0
                rest = line
                while not rest.endswith(b"\n") and (rest := self._stream.readline(BUFFER)):
                    quotes += rest.count(b'"')
                line = line[:-1] + b'"' * (quotes % 2) + b"\n"
            try:
                yield line.decode()
            except UnicodeDecodeError as error:
                found = detect_content(line) or f"byte 0x{line[error.start]:02x}"
                self.problem = self.problem or f"expected UTF-8, found {found}"
                yield line.decode(errors="replace")
        self.ended = True


def _rows(path: str, place: str, config: ReadConfig, report: Report) -> Iterator[tuple[int, list[str]]]:
    """Number and yield the rows that are whole, the header first."""
    number = -1
    # The limit is one of the process, so it is only ever raised.
    csv.field_size_limit(max(csv.field_size_limit(), config.max_record))
    try:
        with open_input(path) as stream, open_unpacked(path, stream) as whole:
            lines = _LineReader(whole, config.max_record)
            reader = csv.reader(lines, delimiter="\t" if unpacked_name(path).endswith(".tsv") else ",")
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
                        f"{lines.number - before:,} lines after the row began: the file is truncated"
                    )
                if not row and not lines.problem:
                    continue  # a blank line
                number += 1
                if lines.problem:
                    report(CorpusError(lines.problem, f"{place}:{number}"))
                    lines.problem = ""
                    if not number:
                        raise CorpusError("expected a header that can be read", place, fatal=True)
                    continue
                yield number, row
    except READ_ERRORS as error:
        raise read_error(error, place, f" after row {number}" if number > 0 else "") from error
    if number < 0:
        raise CorpusError("expected a header, found an empty file", place, fatal=True)


_DELIMITERS = (",", ";", "\t", "|")
"""What else parts columns in files of that name, though not in those that are read here."""


def _check_header(row: list[str], place: str) -> list[str]:
    row[0] = row[0].removeprefix("\ufeff")
    if any("\0" in name for name in row):
        raise CorpusError("expected a header in UTF-8, found one with NUL, as UTF-16 has it", place, fatal=True)
    if len(row) == 1 and any(other in row[0] for other in _DELIMITERS):
        problem = f"expected columns parted by commas, or in a .tsv by tabs; found one column {row[0][:60]!r}"
        raise CorpusError(problem, place, fatal=True)
    check_names(row, place)
    return row


def _drop_empty(fields: dict[str, Any], config: ReadConfig) -> dict[str, Any]:
    """The fields with null for what is empty; a text stays an empty one where there is no page either."""
    names = {name: value or None for name, value in fields.items()}
    if config.text_field in fields and not names.get(config.html_field):
        names[config.text_field] = fields[config.text_field]
    return names


def writer(stream: BinaryIO, place: str, columns: Mapping[str, Any]) -> CsvWriter:
    """What writes cleaned records."""
    return CsvWriter(stream, place, list(columns))


class CsvWriter:
    """JSON lines in, rows out; what is no text is written as JSON, null as an empty cell.

    Parameters
    ----------
    stream : file
    place : str
        As errors name it; a name of ``.tsv`` asks for tabs.
    columns : list of str
        That cleaning makes; those of the first record come before them.
    """

    def __init__(self, stream: BinaryIO, place: str, columns: list[str]) -> None:
        self._text = io.TextIOWrapper(
            stream, encoding="utf-8", errors="backslashreplace", newline="", write_through=True
        )
        tabs = unpacked_name(place).endswith(".tsv")
        self._writer = csv.writer(self._text, delimiter="\t" if tabs else ",", lineterminator="\r\n")
        self._place = place
        self._made = columns
        self._columns: list[str] = []

    def write(self, piece: bytes) -> None:
        """Write some JSON lines."""
        for line in piece.splitlines():
            fields = decode_line(line)
            if not self._columns:
                self._columns = [name for name in fields if name not in self._made] + self._made
                self._writer.writerow(self._columns)
            others = fields.keys() - set(self._columns)
            if others:
                raise CorpusError(
                    f"expected records with the same fields, found one with {min(others)!r}",
                    self._place,
                    fatal=True,
                )
            self._writer.writerow([_cell(fields.get(name)) for name in self._columns])

    def close(self) -> None:
        """Write the header if there was no record, and let go of the stream."""
        if not self._columns:
            self._writer.writerow(self._made)
        self._text.detach()


def _cell(value: object) -> str:
    if value is None:
        return ""
    return value if isinstance(value, str) else encode_line({"": value})[4:-2].decode()
