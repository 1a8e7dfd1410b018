"""Packed bytes -> bytes: gzip, xz, zstd and lz4, told by how they begin, with damage and bombs as errors.

Every reader unpacks by this module; `members` goes on behind damage where records are packed one by one.
"""

from __future__ import annotations

import gzip
import io
import lzma
import sys
from collections.abc import Callable
from importlib import import_module
from typing import Any, cast

from templatemine.errors import needs_extra

BUFFER = 1 << 18
GZIP_MAGIC = b"\x1f\x8b"
XZ_MAGIC = b"\xfd7zXZ\x00"
ZSTD_MAGIC = b"\x28\xb5\x2f\xfd"
LZ4_MAGIC = b"\x04\x22\x4d\x18"

PACKING_SUFFIXES = (".gz", ".zst", ".xz", ".lz4")
"""Suffixes that may follow that of a format."""


class DamagedData(OSError):
    """Packed data that is damaged; `kind` is how it is packed."""

    def __init__(self, kind: str, problem: str) -> None:
        super().__init__(problem)
        self.kind = kind


class _DecompressionBomb(OSError):
    """Packed data that unpacks to far more than texts and pages do."""


_UNCHECKED_BYTES = 256 << 20
_MAX_RATIO = 200
"""Limit of unpacked data: some memory, then so many times its own size.  Texts and pages take a third to a
tenth, logs of one line repeated a hundredth; bombs of gzip a thousandth, and of zstd and xz less than that."""


def check_expansion(packed: int, whole: int) -> None:
    """Raise an OSError if packed data unpacks to too many bytes."""
    if whole > _UNCHECKED_BYTES and whole > packed * _MAX_RATIO:
        raise _DecompressionBomb(f"it unpacks to more than {_MAX_RATIO} times its size")


def unpack(stream: io.BufferedReader[Any], head: bytes, path: str) -> io.BufferedReader[Any]:
    """Return the unpacked content of a stream that begins with `head`; the stream itself if it is not packed.

    Raises
    ------
    MissingExtraError
        zstd or lz4, and the library is not installed.
    """
    for magic, suffix, decompress in _DECOMPRESSORS:
        if head.startswith(magic) or (head and path.lower().endswith(suffix)):
            counted = _CountingStream(stream)
            return io.BufferedReader(_DecompressedStream(decompress(counted), counted), BUFFER)
    return stream


def load_zstd() -> Any:
    """Return the module of zstd: that of the standard library, or before Python 3.14 its copy.

    Frames may ask for windows of gigabytes; 128 MiB is what it allows, as the zstd program does.

    Raises
    ------
    MissingExtraError
        It is not installed.
    """
    with needs_extra("zstd needs backports.zstd", "zst"):
        return import_module("compression.zstd" if sys.version_info >= (3, 14) else "backports.zstd")


class ChunkStream(io.RawIOBase):
    """Hands on the data that `stream` has ready, in pieces, with `head` before it.

    `GzipFile` fills a whole buffer before it gives any of it, and loses it all if the damage lies inside; its `read1`
    does not.  As the raw side of a BufferedReader this also finds lines in C, which GzipFile does in Python.
    """

    def __init__(self, stream: io.BufferedIOBase, head: bytes = b"") -> None:
        self._stream = stream
        self._head = head

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: Any) -> int:
        if self._head:
            piece = self._head[: len(buffer)]
            self._head = self._head[len(piece) :]
        else:
            piece = self._stream.read1(len(buffer))
        buffer[: len(piece)] = piece
        return len(piece)


class _CountingStream:
    """The packed side: a stream that counts the bytes read."""

    def __init__(self, stream: io.BufferedReader[Any]) -> None:
        self._stream = stream
        self.taken = 0

    def read(self, size: int = -1) -> bytes:
        piece = self._stream.read(size)
        self.taken += len(piece)
        return piece

    def read1(self, size: int = -1) -> bytes:
        piece = self._stream.read1(size)
        self.taken += len(piece)
        return piece

    def tell(self) -> int:
        return self.taken


class _DecompressedStream(ChunkStream):
    """The unpacked side, compared with the size of the packed data."""

    def __init__(self, stream: Any, packed: _CountingStream) -> None:
        super().__init__(stream)
        self._packed = packed
        self._given = 0

    def readinto(self, buffer: Any) -> int:
        size = super().readinto(buffer)
        self._given += size
        check_expansion(self._packed.taken, self._given)
        return size


def _gzip(stream: _CountingStream) -> Any:
    return gzip.GzipFile(fileobj=cast(io.BufferedIOBase, stream), mode="rb")


class _Whole:
    """Data without the packing, by a file of the standard library; these name a truncated one with the words of
    gzip."""

    def __init__(self, kind: str, file: Any, error: type[Exception]) -> None:
        self._kind = kind
        self._file = file
        self._error = error

    def read1(self, size: int) -> bytes:
        try:
            return bytes(self._file.read1(size))
        except EOFError:
            raise EOFError(self._kind) from None
        except self._error as error:
            raise DamagedData(self._kind, str(error)) from error


def _xz(stream: _CountingStream) -> Any:
    return _Whole("xz", lzma.LZMAFile(cast(Any, stream)), lzma.LZMAError)


def _zstd(stream: _CountingStream) -> Any:
    zstd = load_zstd()
    return _Whole("zstd", zstd.ZstdFile(stream), zstd.ZstdError)


class _Lz4:
    """lz4 data without the packing, by FastWARC."""

    def __init__(self, stream: _CountingStream) -> None:
        with needs_extra("lz4 needs FastWARC", "warc"):
            from fastwarc.stream_io import Lz4Reader
        self._reader = Lz4Reader(stream)

    def read1(self, size: int) -> bytes:
        try:
            return bytes(self._reader.read(size))
        except OSError as error:
            if "fill whole buffer" in str(error):  # how it says that the data ends too early
                raise EOFError("lz4") from None
            raise DamagedData("lz4", str(error)) from error


_DECOMPRESSORS: tuple[tuple[bytes, str, Callable[[_CountingStream], Any]], ...] = (
    (ZSTD_MAGIC, ".zst", _zstd),
    (XZ_MAGIC, ".xz", _xz),
    (LZ4_MAGIC, ".lz4", _Lz4),
    (GZIP_MAGIC, ".gz", _gzip),
)
"""Magic numbers of packed data, suffixes of its files, and functions that unpack it."""
