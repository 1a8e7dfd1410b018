"""JSON lines: one object a line, UTF-8, plain or packed (gzip, zstd, xz); or a list of objects (`json_list`).

A file or standard input comes in, a `Record` a line goes out; or unparsed `Lines`, which another process may
parse.  Memory holds one line, or one `Lines`, at a time; the cost is little more than that of `orjson`.  A bad line is
reported and reading goes on; damage to the packing is reported, and ends the file.
"""

from __future__ import annotations

import json
import re
import sys
from collections.abc import Callable, Iterable, Iterator, Mapping
from io import BufferedReader, BytesIO
from itertools import pairwise
from typing import Any, BinaryIO

import orjson

from templatemine.config import ReadConfig
from templatemine.errors import CorpusError, HintedError, spelled
from templatemine.io.decompression import BUFFER
from templatemine.io.fields import build_document, check_fields
from templatemine.io.files import (
    READ_ERRORS,
    conversion_hint,
    detect_content,
    not_utf8_problem,
    open_input,
    open_unpacked,
    place_of,
    report_damage,
    stem,
    too_large_problem,
)
from templatemine.io.json_list import lines_of_list
from templatemine.io.pending import Lines
from templatemine.model import Record
from templatemine.text._scan import line_ends

MAX_DEPTH = 200
"""Deepest nesting of a record.  orjson writes 254 levels and the standard library stops somewhere below 1,000, by how
full the stack is: a fixed limit makes the verdict the same everywhere, and a parsed record can always be written."""

_MAX_EXACT = 2.0**63
"""orjson turns integers beyond 64 bits into floats; none of those is smaller than this."""

_BOM = b"\xef\xbb\xbf"

_PACK = b'{\n "schema": '
"""Beginning of a pack, which people give for the archive; it is many lines, each of which would be an error."""


def read(path: str, config: ReadConfig, report: Callable[[CorpusError], None]) -> Iterator[Record]:
    """Yield the records of a JSON lines file.

    Parameters
    ----------
    path : str
        A file, plain or packed (told by its first bytes), or ``-`` for standard input.
    report : callable
        Gets a `CorpusError` for each line that holds no document, and where packed data is damaged or ends too early,
        after every whole line that could be unpacked before that.

    Raises
    ------
    CorpusError
        Fatal: the file cannot be opened, or nothing of it can be unpacked.
    """
    for lines in batches(path, config, report, sys.maxsize, 1):  # as soon as they are there
        for found, where, fields, _ in _parse(lines, config, report, build_document):
            yield Record(document=found, fields=fields, where=where)


def _report_error(error: ValueError, line: bytes, where: str, report: Callable[[CorpusError], None]) -> None:
    # Looking for blank lines only here keeps it off the way of good lines.
    if line.removeprefix(_BOM).strip():
        if isinstance(error, HintedError):
            report(CorpusError.of(error, where))
        else:
            report(CorpusError(_explain(error, line), where, hint=_hint(line.removeprefix(_BOM).strip())))


def _hint(line: bytes) -> str:
    """Say how to make JSON lines of objects that are written over several lines."""
    return "; jq -c . makes one line of each object" if line == b"{" else ""


def batches(
    path: str, config: ReadConfig, report: Callable[[CorpusError], None], most: int, size: int
) -> Iterator[Lines]:
    """Yield the lines of a file, a batch at a time of at most `most` lines and about `size` bytes.

    Of a line that is longer than a batch and longer than `ReadConfig.max_record`, a byte more than that is given, at
    the end of its batch; `parse` tells it by that, and reports bad lines.

    Raises
    ------
    CorpusError
        As `read`.
    """
    place, source = place_of(path), stem(path)
    done, what = 0, "line"
    try:
        with open_input(path) as stream, open_unpacked(path, stream) as whole:
            if _begins_pack(whole):
                reader = spelled("templatemine show", "Packs.load")
                report(CorpusError(f"expected articles, found a pack, which {reader} reads", place))
                return
            rows = lines_of_list(whole)
            what = "line" if rows is whole else "item"
            for data in _whole_lines(rows, config.max_record, size):
                lines, ends = line_ends(data, most)
                first, done = done + 1, done + lines
                for part, (start, end) in enumerate(pairwise((0, *ends))):
                    yield Lines(place, source, first + part * most, data[start:end])
    except READ_ERRORS as error:
        report_damage(error, place, f" after {what} {done:,}" if done else "", report)


def parse(
    lines: Lines, config: ReadConfig, report: Callable[[CorpusError], None]
) -> Iterator[tuple[str, str, dict[str, Any], bool]]:
    """Yield source, place and fields of the records of some lines, and whether `encode_plain` may write them.

    The fields are the caller's to change.  Lines are checked, and reported to `report`, as by `read`.
    """
    return _parse(lines, config, report, lambda *row: check_fields(*row)[0])


def _parse(
    lines: Lines, config: ReadConfig, report: Callable[[CorpusError], None], check: Callable[..., Any]
) -> Iterator[tuple[Any, str, dict[str, Any], bool]]:
    """Yield the result of `check`, place and fields of each record of some lines, and whether orjson read it right."""
    for number, line in enumerate(BytesIO(lines.data), lines.number):
        where = f"{lines.place}:{number}"
        try:
            if len(line) > config.max_record:
                raise ValueError(too_large_problem(config.max_record))
            fields, plain = _decode(line)
            found = check(fields, config, lines.source, number, lines.place)
        except ValueError as error:
            _report_error(error, line, where, report)
            continue
        yield found, where, fields, plain


def decode_line(line: bytes) -> Any:
    """Parse one line of JSON; the verdict, and the message of an error, are those of the standard library.

    orjson is tried first.  What it refuses (escapes of lone surrogates, NaN, a byte order mark) or cannot hold
    (integers beyond 64 bits) is parsed again by `json`.

    Raises
    ------
    ValueError
        `UnicodeDecodeError` with the byte offset, `json.JSONDecodeError` with the column, or a plain ValueError for
        nesting deeper than `MAX_DEPTH` and for integers longer than Python converts.
    """
    return _decode(line)[0]


def _decode(line: bytes) -> tuple[Any, bool]:
    """Return the value of a line, and whether orjson read all of it right, and so would write it right."""
    try:
        value = orjson.loads(line)
    except orjson.JSONDecodeError:
        value = _decode_slowly(line)
        _exceeds_orjson(value)  # for its limit of depth
        return value, False
    return (_decode_slowly(line), False) if _exceeds_orjson(value) else (value, True)


def _decode_slowly(line: bytes) -> Any:
    # The mark is taken off after decoding, so that byte offsets in errors are those of the file; the line end, because
    # a string that is cut off would otherwise be blamed for holding a control character.
    text = line.decode("utf-8").removeprefix("\ufeff").rstrip("\r\n")
    try:
        return json.loads(text)
    except RecursionError:
        raise ValueError(_TOO_DEEP) from None
    except json.JSONDecodeError:
        raise
    except ValueError as error:  # Python's message is for programmers
        raise ValueError(
            f"expected whole numbers of at most {sys.get_int_max_str_digits():,} digits, found more"
        ) from error


def encode_line(fields: Mapping[str, Any]) -> bytes:
    """Write one record as a line of JSON, UTF-8, with its line feed.

    The inverse of `decode_line`: parsing the line gives `fields` back, with integers of any length, NaN and infinities.
    Lone surrogates, which UTF-8 cannot hold, become ``\\udXXX`` escapes.  (A high surrogate right before a low one is
    the one thing JSON cannot tell from the character they stand for together; no reader produces that.)
    """
    value = fields if isinstance(fields, dict) else dict(fields)
    if not _exceeds_orjson(value):  # orjson writes NaN and infinities as null, without a word
        try:
            return orjson.dumps(value, option=orjson.OPT_APPEND_NEWLINE)
        except orjson.JSONEncodeError:
            pass
    return _encode_slowly(value) + b"\n"


def encode_text(text: str) -> bytes:
    """Return a string as `encode_line` writes it."""
    try:
        return orjson.dumps(text)
    except orjson.JSONEncodeError:
        return _encode_slowly(text)


def _encode_slowly(value: Any) -> bytes:
    text = json.dumps(value, ensure_ascii=False, separators=(",", ":"))
    if "Infinity" in text:  # no word of JSON; 1e400 is read as this, and would come out as what others cannot read
        text = _INFINITE.sub(lambda match: match[1] or f"{match[2]}1e999", text)
    # A surrogate can only be inside a string of the JSON text, where Python's escape is JSON's as well.
    return text.encode("utf-8", "backslashreplace")


_INFINITE = re.compile(r'("(?:[^"\\]|\\.)*")|(-?)Infinity')
"""A string, or a number that is too large for any other."""


def encode_plain(fields: dict[str, Any]) -> bytes:
    """Encode as `encode_line` does, for fields that hold only what `parse` called plain, and strings without
    surrogates."""
    return orjson.dumps(fields, option=orjson.OPT_APPEND_NEWLINE)


_TOO_DEEP = f"expected at most {MAX_DEPTH} levels of nesting, found more"


def _exceeds_orjson(value: object) -> bool:
    """Return whether `value` holds a float that orjson may read or write wrong: NaN, infinite, beyond 2**63.

    Goes level by level instead of calling itself, and so finds the depth on its way; ValueError if it is too great.
    """
    beyond = False
    level: list[Any] = [[value]]
    for _ in range(MAX_DEPTH + 1):
        below = []
        for container in level:
            for item in container.values() if type(container) is dict else container:
                kind = type(item)
                if kind is str:
                    continue
                if kind is float:
                    beyond = beyond or not -_MAX_EXACT < item < _MAX_EXACT  # in this form it holds for NaN as well
                elif kind is dict or kind is list or kind is tuple:
                    below.append(item)
        if not below:
            return beyond
        level = below
    raise ValueError(_TOO_DEEP)


def _explain(error: ValueError, line: bytes) -> str:
    if isinstance(error, UnicodeDecodeError | json.JSONDecodeError) and (found := detect_content(line)):
        return f"expected a JSON object in UTF-8, found {found}{conversion_hint(found)}"
    if isinstance(error, UnicodeDecodeError):
        return not_utf8_problem(error, line, " of the line")
    if isinstance(error, json.JSONDecodeError):
        near = error.doc[error.pos : error.pos + 20].rstrip()
        found = f", near {near!r}" if near else ", at the end of the line"
        return f"expected a JSON object, found text that is not JSON: {error.msg} (column {error.colno}{found})"
    return str(error)


def _begins_pack(whole: BufferedReader[Any]) -> bool:
    return whole.peek(len(_PACK)).startswith(_PACK)


def is_pack(path: str) -> bool:
    """Return whether a file is a pack; none that cannot be read is one."""
    try:
        with open_input(path) as stream, open_unpacked(path, stream) as whole:
            return _begins_pack(whole)
    except READ_ERRORS:
        return False


def _whole_lines(whole: BufferedReader[Any], longest: int, size: int) -> Iterator[bytes]:
    """Yield whole lines, about `size` bytes at a time; of one that is too long as `batches` does."""
    parts: list[bytes | memoryview] = []
    held = begun = 0  # bytes in `parts`, and of the line that has no end yet
    passing = False  # over the rest of a line that is too long
    try:
        while piece := whole.read1(size if size > 1 else BUFFER):
            if passing:
                over = piece.find(b"\n") + 1
                passing = not over
                piece = piece[over:] if over else b""
            end = piece.rfind(b"\n") + 1
            if end and held + len(piece) >= size:
                parts.append(memoryview(piece)[:end])
                yield b"".join(parts)
                parts, piece, held, begun, end = [], piece[end:], 0, 0, 0
            parts.append(piece)
            held += len(piece)
            begun = len(piece) - end + (0 if end else begun)
            if begun > longest:
                yield b"".join(parts)[: held - begun + longest + 1]
                parts, held, begun, passing = [], 0, 0, True
    except READ_ERRORS:
        data = b"".join(parts)
        if end := data.rfind(b"\n") + 1:
            yield data[:end]
        raise
    if held:
        yield b"".join(parts)


class JsonWriter:
    """JSON lines in, the same out."""

    def __init__(self, stream: BinaryIO, place: str, columns: Iterable[str]) -> None:
        self.write = stream.write

    def close(self) -> None:
        """Do nothing: all is written."""


writer = JsonWriter
