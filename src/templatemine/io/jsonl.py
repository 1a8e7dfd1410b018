"""JSON lines: one object a line, UTF-8, plain or gzip.

A file or standard input comes in, a `Record` a line goes out; or `Lines` as they stand, which another process may
parse.  Memory holds one line, or one `Lines`, at a time; the cost is little more than that of `orjson`.  A bad line is
reported and reading goes on; damage to the file itself ends it.
"""

from __future__ import annotations

import gzip
import io
import json
import os
import sys
import zlib
from collections.abc import Callable, Iterator, Mapping
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass
from typing import Any, cast

import orjson

from templatemine.config import ReadConfig
from templatemine.errors import CorpusError
from templatemine.model import Document, Record

__all__ = [
    "GZIP_MAGIC",
    "READ_ERRORS",
    "SUFFIXES",
    "Lines",
    "decode_line",
    "encode_line",
    "encode_plain",
    "parse",
    "read",
    "read_lines",
    "unreadable",
]

SUFFIXES = (".jsonl", ".ndjson", ".json")
"""Suffixes of this format, each also with ``.gz`` behind it."""

READ_ERRORS = (OSError, EOFError, zlib.error)
"""What opening, reading and inflating a file can raise; `gzip.BadGzipFile` is an OSError."""

GZIP_MAGIC = b"\x1f\x8b"

MAX_DEPTH = 200
"""Deepest nesting of a record.  orjson writes 254 levels and the standard library stops somewhere below 1,000, by how
full the stack is: a fixed limit makes the verdict the same everywhere, and what was read can always be written."""

_EXACT = 2.0**63
"""orjson turns integers beyond 64 bits into floats; none of those is smaller than this."""

_BUFFER = 1 << 18
_BOM = b"\xef\xbb\xbf"


def read(path: str, config: ReadConfig, report: Callable[[CorpusError], None]) -> Iterator[Record]:
    """Yield the records of a JSON lines file.

    Parameters
    ----------
    path : str
        A file, plain or gzip (told by its first bytes), or ``-`` for standard input.
    config : ReadConfig
        Names of the fields.
    report : callable
        Gets a `CorpusError` for each line that holds no document.

    Raises
    ------
    CorpusError
        Fatal: the file cannot be opened, or its gzip data is damaged or ends too early.  Every whole line that could
        be inflated before the damage has been yielded by then.
    """
    place = "stdin" if path == "-" else path
    source = _source_name(path)
    for number, line in _lines(path, place):
        try:
            fields = decode_line(line)
            document = _document(fields, config, source, number)
        except ValueError as error:
            _report(error, line, f"{place}:{number}", report)
            continue
        yield Record(document=document, fields=fields, where=f"{place}:{number}")


def _report(error: ValueError, line: bytes, where: str, report: Callable[[CorpusError], None]) -> None:
    # Looking for blank lines only here keeps it off the way of good lines.
    if line.removeprefix(_BOM).strip():
        report(CorpusError(_explain(error, line), where))


@dataclass(frozen=True, slots=True)
class Lines:
    """Some lines of a file as they stand.

    Attributes
    ----------
    place : str
        The file, as errors name it.
    source : str
        That of records without one.
    number : int
        Of the first line, counted from 1.
    lines : list of bytes
    """

    place: str
    source: str
    number: int
    lines: list[bytes]


def read_lines(path: str, most: int, size: int) -> Iterator[Lines]:
    """Yield the lines of a file, a batch at a time that ends at `most` lines or `size` bytes, whichever comes first.

    Raises
    ------
    CorpusError
        As `read`, after the lines before the damage.
    """
    place = "stdin" if path == "-" else path
    source = _source_name(path)
    batch: list[bytes] = []
    number = left = 0
    try:
        for number, line in _lines(path, place):
            batch.append(line)
            left += len(line)
            if left >= size or len(batch) >= most:
                yield Lines(place, source, number - len(batch) + 1, batch)
                batch, left = [], 0
    except CorpusError:
        if batch:
            yield Lines(place, source, number - len(batch) + 1, batch)
        raise
    if batch:
        yield Lines(place, source, number - len(batch) + 1, batch)


def parse(
    lines: Lines, config: ReadConfig, report: Callable[[CorpusError], None]
) -> Iterator[tuple[str, str, dict[str, Any], bool]]:
    """Yield source, place and fields of the records of some lines, and whether `encode_plain` may write them.

    The fields are the caller's to change.  Lines are checked, and reported to `report`, as by `read`.
    """
    for number, line in enumerate(lines.lines, lines.number):
        try:
            fields, plain = _decode(line)
            source = _checked(fields, config, lines.source, number)[0]
        except ValueError as error:
            _report(error, line, f"{lines.place}:{number}", report)
            continue
        yield source, f"{lines.place}:{number}", fields, plain


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
    """The value of a line, and whether orjson read all of it right, and so would write it right."""
    try:
        value = orjson.loads(line)
    except orjson.JSONDecodeError:
        value = _decode_slowly(line)
        _beyond_orjson(value)  # for its limit of depth
        return value, False
    return (_decode_slowly(line), False) if _beyond_orjson(value) else (value, True)


def _decode_slowly(line: bytes) -> Any:
    # The mark is taken off after decoding, so that byte offsets in errors are those of the file; the line end, because
    # a string that is cut off would otherwise be blamed for holding a control character.
    text = line.decode("utf-8").removeprefix("\ufeff").rstrip("\r\n")
    try:
        return json.loads(text)
    except RecursionError:
        raise ValueError(_TOO_DEEP) from None


def encode_line(fields: Mapping[str, Any]) -> bytes:
    """Write one record as a line of JSON, UTF-8, with its line feed.

    The inverse of `decode_line`: parsing the line gives `fields` back, with integers of any length, NaN and infinities.
    Lone surrogates, which UTF-8 cannot hold, become ``\\udXXX`` escapes.  (A high surrogate right before a low one is
    the one thing JSON cannot tell from the character they stand for together; no reader produces that.)
    """
    value = fields if isinstance(fields, dict) else dict(fields)
    if not _beyond_orjson(value):  # orjson writes NaN and infinities as null, without a word
        try:
            return orjson.dumps(value, option=orjson.OPT_APPEND_NEWLINE)
        except orjson.JSONEncodeError:
            pass
    text = json.dumps(value, ensure_ascii=False, separators=(",", ":"))
    # A surrogate can only stand inside a string of the JSON text, where Python's escape is JSON's as well.
    return text.encode("utf-8", "backslashreplace") + b"\n"


def encode_plain(fields: dict[str, Any]) -> bytes:
    """As `encode_line`, for fields that hold nothing but what `parse` called plain, and strings without surrogates."""
    return orjson.dumps(fields, option=orjson.OPT_APPEND_NEWLINE)


_TOO_DEEP = f"expected at most {MAX_DEPTH} levels of nesting, found more"


def _beyond_orjson(value: object) -> bool:
    """True if `value` holds a float that orjson may have read, or would write, wrong: NaN, infinite, beyond 2**63.

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
                    beyond = beyond or not -_EXACT < item < _EXACT  # in this form it holds for NaN as well
                elif kind is dict or kind is list or kind is tuple:
                    below.append(item)
        if not below:
            return beyond
        level = below
    raise ValueError(_TOO_DEEP)


def _document(fields: Any, config: ReadConfig, source: str, number: int) -> Document:
    """Check a parsed line and pick out what a `Document` needs; ValueError says what was expected and found."""
    name, identity, text, html = _checked(fields, config, source, number)
    get = fields.get
    url, date, title = get("url"), get("date"), get("title")
    return Document(
        source=name,
        id=identity,
        text=text,
        html=html,
        url=url if type(url) is str else None,
        date=date if type(date) is str else None,
        title=title if type(title) is str else None,
    )


def _checked(fields: Any, config: ReadConfig, source: str, number: int) -> tuple[str, str, str | None, str | None]:
    """Source, id, text and html of a parsed line."""
    if type(fields) is not dict:
        raise ValueError(f"expected a JSON object, found {_kind(fields)}")
    get = fields.get
    text, html = get(config.text_field), get(config.html_field)
    if type(text) is not str and text is not None:
        raise ValueError(f"expected a string in field {config.text_field!r}, found {_kind(text)}")
    if type(html) is not str and html is not None:
        raise ValueError(f"expected a string in field {config.html_field!r}, found {_kind(html)}")
    if text is None and html is None:
        raise ValueError(_no_body(fields, config))
    return (
        _name(get(config.source_field), config.source_field, source),
        _name(get(config.id_field), config.id_field, f"{source}:{number}"),
        text,
        html,
    )


def _name(value: object, field: str, default: str) -> str:
    """A source or an id as a string; `default` where the field is missing or null."""
    if type(value) is str:
        return value
    if value is None:
        return default
    if type(value) is int or type(value) is float:
        return str(value)
    raise ValueError(f"expected a string or a number in field {field!r}, found {_kind(value)}")


def _no_body(fields: Mapping[str, object], config: ReadConfig) -> str:
    wanted = f"expected a field {config.text_field!r} or {config.html_field!r}"
    nulls = [repr(name) for name in (config.text_field, config.html_field) if name in fields]
    if nulls:
        return f"{wanted} that holds a string, found null in {' and '.join(nulls)}"
    shown = ", ".join(repr(name[:30]) for name in list(fields)[:8]) + (", ..." if len(fields) > 8 else "")
    return f"{wanted}, found " + (f"only {shown}" if fields else "an empty object")


_KINDS = {str: "a string", bool: "a boolean", int: "a number", float: "a number", list: "an array", dict: "an object"}


def _kind(value: object) -> str:
    return "null" if value is None else _KINDS[type(value)]


def _explain(error: ValueError, line: bytes) -> str:
    if isinstance(error, UnicodeDecodeError):
        return f"expected UTF-8, found byte 0x{line[error.start]:02x} at byte offset {error.start} of the line"
    if isinstance(error, json.JSONDecodeError):
        near = error.doc[error.pos : error.pos + 20].rstrip()
        found = f", near {near!r}" if near else ", at the end of the line"
        return f"expected a JSON object, found text that is not JSON: {error.msg} (column {error.colno}{found})"
    return str(error)


def _source_name(path: str) -> str:
    """The stem of a file without its suffixes: ``dir/fox.com.jsonl.gz`` -> ``fox.com``."""
    if path == "-":
        return "stdin"
    name = os.path.basename(path)
    return os.path.splitext(name[:-3] if name.lower().endswith(".gz") else name)[0]


def _lines(path: str, place: str) -> Iterator[tuple[int, bytes]]:
    """Number and yield the lines of a file; a generator of its own, so that errors of its caller are not taken for
    errors of the file."""
    number = 0
    try:
        with _open(path) as stream:
            for number, line in enumerate(_inflated(path, stream), 1):
                yield number, line
    except READ_ERRORS as error:
        raise unreadable(error, place, f" after line {number}" if number else "") from error


def _open(path: str) -> AbstractContextManager[io.BufferedIOBase]:
    if path != "-":
        return open(path, "rb")
    if sys.stdin is None:
        raise CorpusError("standard input is closed", "stdin", fatal=True)
    return nullcontext(cast(io.BufferedIOBase, sys.stdin.buffer))


def _inflated(path: str, stream: io.BufferedIOBase) -> io.BufferedReader[_Pieces]:
    head = stream.read(2)
    plain = io.BufferedReader(_Pieces(stream, head), _BUFFER)
    # An empty file is empty under any name; any other .gz must be gzip, and is refused as such if it is not.
    if head == GZIP_MAGIC or (head and path.lower().endswith(".gz")):
        return io.BufferedReader(_Pieces(gzip.GzipFile(fileobj=plain, mode="rb")), _BUFFER)
    return plain


class _Pieces(io.RawIOBase):
    """Hands on what `stream` has ready, in pieces, with `head` before it.

    `GzipFile` fills a whole buffer before it gives any of it, and loses it all if the damage lies inside; its `read1`
    does not.  As the raw side of a BufferedReader this also finds lines in C, which GzipFile does in Python.
    """

    def __init__(self, stream: io.BufferedIOBase, head: bytes = b"") -> None:
        self._stream = stream
        self._head = head

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: Any) -> int:
        piece = self._head or self._stream.read1(len(buffer))
        self._head = b""
        buffer[: len(piece)] = piece
        return len(piece)


def unreadable(error: BaseException, place: str, after: str = "", *, fatal: bool = True) -> CorpusError:
    """Say in one line why a file could not be read; `after` says how far reading came."""
    if isinstance(error, EOFError):
        problem = f"the gzip data ends too early{after}: the file is truncated"
    elif isinstance(error, (gzip.BadGzipFile, zlib.error)):
        problem = f"the gzip data is damaged{after}: {error}"
    else:
        reason = error.strerror if isinstance(error, OSError) and error.strerror else str(error)
        problem = f"cannot be read{after}: {reason}"
    return CorpusError(problem, place, fatal=fatal)
