"""Messages for people: on standard error a line each, on standard output text that no stream refuses."""

from __future__ import annotations

import os
import sys
import unicodedata
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from typing import TextIO

from templatemine.errors import CorpusError


def print_error(message: str, kind: str = "error: ") -> None:
    """Print one line on standard error, whatever the message holds."""
    write_message(sys.stderr, f"templatemine: {kind}{escape_line(message)}\n")


def print_text(text: str) -> None:
    """Print text on standard output; characters that its encoding lacks are written as escapes."""
    if sys.stdout is None:
        raise CorpusError("standard output is closed", "stdout", fatal=True)
    with _translate_write_errors():
        sys.stdout.write(_escape_unencodable(text, sys.stdout))


def flush_output() -> None:
    """Flush standard output."""
    if sys.stdout is not None:
        with _translate_write_errors():
            sys.stdout.flush()


@contextmanager
def _translate_write_errors() -> Iterator[None]:
    try:
        yield
    except BrokenPipeError:
        raise
    except OSError as error:
        raise CorpusError(f"cannot be written: {error.strerror or error}", "stdout", fatal=True) from error


def write_message(stream: TextIO | None, text: str) -> None:
    """Print a message for people; a closed stream is no error."""
    if stream is not None:
        with suppress(OSError, ValueError):
            stream.write(_escape_unencodable(text, stream))
            stream.flush()


def shows_colours(stream: TextIO | None) -> bool:
    """Return whether a stream is a terminal that shows colours, and NO_COLOR is not set (no-color.org)."""
    wanted = not os.environ.get("NO_COLOR") and os.environ.get("TERM") != "dumb"
    return wanted and stream is not None and stream.isatty()


def _escape_unencodable(text: str, stream: TextIO) -> str:
    encoding = stream.encoding or "utf-8"
    return text.encode(encoding, "backslashreplace").decode(encoding)


def escape_controls(text: str) -> str:
    """Make text safe on a terminal: control characters and line ends are escaped.

    Joiners, which some scripts need, stay; marks that change the direction of writing are escaped, since they could
    disguise the rest of the line.
    """
    if text.isascii() and text.isprintable():
        return text
    return "".join(f"\\u{ord(char):04x}" if _is_control(char) else char for char in text)


def escape_line(text: str) -> str:
    """Return visible text with each run of white space as one blank."""
    return escape_controls(" ".join(text.split()))


def _is_control(char: str) -> bool:
    return unicodedata.category(char) in {"Cc", "Cs", "Zl", "Zp"} or char in _DIRECTION_MARKS


_DIRECTION_MARKS = frozenset("\u061c\u200e\u200f\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069")
