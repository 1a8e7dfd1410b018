"""A JSON list of records as JSON lines, while it is read: byte for byte, in memory of a buffer.

Line ends within the list become blanks, the commas between its items line ends, and its brackets blanks: all else is
left to the reader of the lines.  Items are counted as lines are, so errors name the number of the record.
"""

from __future__ import annotations

import io
import re
from codecs import BOM_UTF8
from typing import Any

from templatemine.io.decompression import BUFFER, DamagedData

_LIST = re.compile(rb"(?:\xef\xbb\xbf)?[ \t\r\n]*\[")
_TOKEN = re.compile(rb'"[^"\\]*+(?:\\.[^"\\]*+)*+"|["\[\]{},]', re.DOTALL)
"""A whole string, the beginning of one that does not end here, or a sign of structure."""
_STRING_END = re.compile(rb'[^"\\]*+(?:\\.[^"\\]*+)*+"', re.DOTALL)
_FLAT = bytes.maketrans(b"\r\n", b"  ")


def lines_of_list(stream: io.BufferedReader[Any]) -> io.BufferedReader[Any]:
    """Return a stream of JSON lines: one that begins as a list as such, any other as it is."""
    if not _LIST.match(stream.peek(1)):
        return stream
    return io.BufferedReader(_ListStream(stream), BUFFER)


class _ListStream(io.RawIOBase):
    """The items of a list as lines; text after the list, unchanged.

    Raises
    ------
    DamagedData
        The list does not end.
    """

    def __init__(self, stream: io.BufferedReader[Any]) -> None:
        self._stream = stream
        self._depth = 0
        self._in_string = self._escaped = self._ended = self._cut_off = False

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: Any) -> int:
        if self._cut_off:
            raise DamagedData("JSON", "the list does not end")
        data = self._stream.read1(len(buffer))
        if not self._depth and not self._ended and data.startswith(BOM_UTF8):
            data = b"   " + data[3:]
        if not data and not self._ended:  # the last item may be whole
            self._cut_off = True
            if self._depth != 1 or self._in_string:
                return self.readinto(buffer)
            data = b"\n"
        elif not self._ended:
            data = self._flatten(data)
        buffer[: len(data)] = data
        return len(data)

    def _flatten(self, data: bytes) -> bytes:
        start = 0
        if self._in_string:
            found = _STRING_END.match(data, 1 if self._escaped else 0)
            if found is None:
                self._note_string(data, 1 if self._escaped else 0)
                return data.translate(_FLAT)
            start, self._in_string = found.end(), False
        flat = bytearray(data.translate(_FLAT))
        for token in _TOKEN.finditer(data, start):
            place, sign = token.start(), data[token.start()]
            if sign == 0x22:
                if token.end() - place == 1:
                    self._in_string = True
                    self._note_string(data, place + 1)
                    break
            elif sign in b"[{":
                self._depth += 1
                if self._depth == 1:
                    flat[place] = 0x20
            elif sign in b"]}":
                self._depth -= 1
                if self._depth == 0:
                    self._ended = True
                    flat[place:] = b"\n" + data[place + 1 :]
                    break
            elif self._depth == 1:
                flat[place] = 0x0A
        return bytes(flat)

    def _note_string(self, data: bytes, start: int) -> None:
        """Note whether the string that continues beyond `data` ends there within an escape."""
        rest = data[start:]
        self._escaped = (len(rest) - len(rest.rstrip(b"\\"))) % 2 == 1
