"""Packed archives of records that are packed one by one: unpacked in order, over damage.

WARC files are gzip members (or zstd frames), a record each, so that one of them can be read without the others.  The
same makes damage a matter of the record it hits: `MemberStream` names it, and goes on with the next member that begins
as a record does.
"""

from __future__ import annotations

import re
import zlib
from typing import Any

from templatemine.io.decompression import GZIP_MAGIC, ZSTD_MAGIC, check_expansion, load_zstd

_STEP = {"gzip": 1 << 13, "zstd": 1 << 9}
"""Bytes that are unpacked in one go: of a bomb they make 8 MiB (gzip) or 16 MiB (zstd)."""

_CHUNK = 1 << 20


class Damage(Exception):
    """Packed data that cannot be unpacked; reading may go on behind it."""


class MemberStream:
    """The bytes of all members, one after the other; a piece never reaches over the end of one.

    Parameters
    ----------
    stream : file
        Damage that is noticed late costs less if it can be searched.
    kind : str
        "gzip" or "zstd", for messages.
    make : callable
        Makes what unpacks one member: ``decompress``, ``eof``, ``unused_data``.
    error : exception
        What that raises at damage.
    magic : bytes
        How members begin.
    """

    whole = True

    def __init__(self, stream: Any, kind: str, make: Any, error: type[Exception], magic: bytes) -> None:
        self._stream = stream
        self._kind = kind
        self._make = make
        self._error = error
        self._magic = re.compile(re.escape(magic))
        self._packed = b""  # read, and not yet unpacked
        self._place = 0  # in the stream, behind `_packed`
        self._began = 0  # where the member begins that is being unpacked
        self._member: Any = None
        self._ready = b""
        self._given = 0

    def read(self, size: int = -1) -> bytes:
        """Return the next bytes of the member, or of the following one if it is at its end; none at the end of the
        file.

        Raises
        ------
        Damage
            The member is damaged, or the file ends in it.  What can be read next is the next member.
        """
        while not self._ready and self._unpack():
            pass
        piece = self._ready if size < 0 else self._ready[:size]
        self._ready = self._ready[len(piece) :]
        self._given += len(piece)
        check_expansion(self._place, self._given)
        return piece

    def tell(self) -> int:
        """Return the number of bytes read so far."""
        return self._given

    def resume(self, start: int) -> bool:
        """Leave out the rest of the member, and at least one byte behind `start`; whether anything follows."""
        try:
            if self._given == start:
                self.read(1)
            while self._member is not None and self._unpack():
                pass
        except Damage:
            pass
        self._ready = b""
        self._packed = self._packed or self._read_packed(_STEP[self._kind])
        return bool(self._packed.strip(b"\0"))

    def _unpack(self) -> bool:
        """Unpack a step; False at the end of the file."""
        packed = self._packed or self._read_packed(_STEP[self._kind])
        self._packed = b""
        if not packed:
            if self._member is None:
                return False
            self._member = None
            raise Damage(f"the {self._kind} data ends too early: the file is truncated")
        if self._member is None:
            self._began = self._place - len(packed)
            if not packed.strip(b"\0"):  # what tapes are filled up with
                return True
            self._member = self._make()
        try:
            self._ready = self._member.decompress(packed)
        except self._error as error:
            self._find_next(packed)
            raise Damage(f"the {self._kind} data is damaged: {error}") from error
        if self._member.eof:
            self._packed = self._member.unused_data
            self._member = None
        return True

    def _read_packed(self, size: int) -> bytes:
        data = bytes(self._stream.read(size))
        self._place += len(data)
        return data

    def _find_next(self, packed: bytes) -> None:
        """Go where the next member begins behind the one that is damaged."""
        self._member = None
        self._ready = b""
        start = 1
        if self._stream.seekable():
            self._place = self._stream.seek(self._began + 1)
            packed, start = self._read_packed(_CHUNK), 0
        while packed:
            more = self._read_packed(_CHUNK)
            packed += more
            for match in self._magic.finditer(packed, start):
                if self._begins_record(packed[match.start() :]):
                    self._packed = packed[match.start() :]
                    return
            start = 0
            packed = packed[-512:] if more else b""  # a beginning that lies across

    def _begins_record(self, packed: bytes) -> bool:
        if self._kind != "gzip":
            return True
        try:
            return bool(zlib.decompressobj(31).decompress(packed[:512], 5) == b"WARC/")
        except zlib.error:
            return False


def gzip_members(stream: Any) -> MemberStream:
    """Return the members of a gzip file."""
    return MemberStream(stream, "gzip", lambda: zlib.decompressobj(31), zlib.error, GZIP_MAGIC + b"\x08")


def zstd_members(stream: Any) -> MemberStream:
    """Return the frames of a zstd file.

    Raises
    ------
    MissingExtraError
        zstd is not installed.
    """
    zstd = load_zstd()
    return MemberStream(stream, "zstd", zstd.ZstdDecompressor, zstd.ZstdError, ZSTD_MAGIC)
