"""Frames: keyed records in files that a crash cannot spoil.

A file is a sequence of frames; a frame is a header (mark, packed and unpacked length, number of records, CRC-32 of the
rest) and some records, packed by zlib.  A record is a source and a body, both bytes.  Frames are only ever appended, so
a file is good up to some frame whatever happens; the writer notes the length that is on disk, and cuts off the rest.

zlib and not zstd: it comes with Python, and at its first level packs news three times as fast as they are mined.
"""

from __future__ import annotations

import os
import struct
import zlib
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import BinaryIO

from templatemine.errors import CorpusError
from templatemine.io.files import read_error

KeyedBody = tuple[bytes, bytes]
"""Source (UTF-8, lone surrogates passed) and body of a record."""

_HEADER = struct.Struct("<4sIIII")
_RECORD = struct.Struct("<II")
_MAGIC = b"tmF1"
_LEVEL = 1


@dataclass(frozen=True, slots=True)
class Frame:
    """Offsets of a frame, and its number of records."""

    offset: int
    records: int
    end: int


def pack_frame(items: Iterable[KeyedBody]) -> bytes:
    """Pack some records into a frame."""
    pieces: list[bytes] = []
    for source, body in items:
        pieces += (_RECORD.pack(len(source), len(body)), source, body)
    return _pack([b"".join(pieces)], len(pieces) // 3)


def _pack_header(packed_bytes: int, plain_bytes: int, record_count: int, checksum: int) -> bytes:
    """Return a header; its checksum covers the packed data and the lengths."""
    return _HEADER.pack(
        _MAGIC,
        packed_bytes,
        plain_bytes,
        record_count,
        zlib.crc32(struct.pack("<III", packed_bytes, plain_bytes, record_count), checksum),
    )


def body_offset(source: bytes) -> int:
    """Return the number of bytes before the body of a record, where it is read with `read_single_body`."""
    return _RECORD.size + len(source)


def pack_pieces(source: bytes, pieces: Sequence[bytes | memoryview]) -> bytes:
    """Pack one large record into a frame, its body in pieces: only the packed frame is held beside them."""
    return _pack([_RECORD.pack(len(source), sum(map(len, pieces))), source, *pieces], 1)


def _pack(pieces: Sequence[bytes | memoryview], record_count: int) -> bytes:
    """Pack records, in pieces, into a frame."""
    packer = zlib.compressobj(_LEVEL)
    packed = [packer.compress(piece) for piece in pieces]
    packed.append(packer.flush())
    check, length = 0, 0
    for piece in packed:
        check, length = zlib.crc32(piece, check), length + len(piece)
    return b"".join([_pack_header(length, sum(map(len, pieces)), record_count, check), *packed])


def read_single_body(path: str, frame: Frame) -> memoryview:
    """Return the body of the record of a frame that holds one, without a copy."""
    with _open_for_reading(path) as handle:
        plain = _read_frame(handle, path, frame.offset)[0]
    key, body = _RECORD.unpack_from(plain, 0)
    start = _RECORD.size + key
    return memoryview(plain)[start : start + body]


def list_frames(path: str) -> list[Frame]:
    """Return the frames of a file, by their headers alone.

    Raises
    ------
    CorpusError
        Fatal: damaged, or the last frame ends too early.
    """
    frame_list = []
    with _open_for_reading(path) as handle:
        end, offset = os.fstat(handle.fileno()).st_size, 0
        while offset < end:
            handle.seek(offset)
            packed, _, record_count, _ = _read_header(handle, path, offset)
            frame_list.append(Frame(offset, record_count, offset + _HEADER.size + packed))
            offset = frame_list[-1].end
        if offset != end:
            raise _damage_error(path, offset)
    return frame_list


def read_bodies(path: str, frame: Frame | None = None) -> Iterator[KeyedBody]:
    """Yield the records of a file, or of one of its frames; memory holds a frame at a time.

    Raises
    ------
    CorpusError
        Fatal: cannot be read, damaged, or ends too early.
    """
    with _open_for_reading(path) as handle:
        offset, end = (0, os.fstat(handle.fileno()).st_size) if frame is None else (frame.offset, frame.end)
        while offset < end:
            plain, record_count, packed = _read_frame(handle, path, offset)
            position = 0
            for _ in range(record_count):
                key, body = _RECORD.unpack_from(plain, position)
                body_start = position + _RECORD.size + key
                yield plain[body_start - key : body_start], plain[body_start : body_start + body]
                position = body_start + body
            offset += packed


def _read_frame(handle: BinaryIO, path: str, offset: int) -> tuple[bytes, int, int]:
    """Return a frame unpacked, how many records it holds, and how long it is in the file."""
    handle.seek(offset)
    packed, size, record_count, checksum = _read_header(handle, path, offset)
    data = handle.read(packed)
    if len(data) != packed or _pack_header(packed, size, record_count, zlib.crc32(data))[-4:] != checksum.to_bytes(
        4, "little"
    ):
        raise _damage_error(path, offset)
    try:
        return zlib.decompress(data, bufsize=size), record_count, _HEADER.size + packed
    except zlib.error as error:
        raise _damage_error(path, offset) from error


def _read_header(handle: BinaryIO, path: str, offset: int) -> tuple[int, int, int, int]:
    header = handle.read(_HEADER.size)
    if len(header) != _HEADER.size or not header.startswith(_MAGIC):
        raise _damage_error(path, offset)
    _, packed, size, record_count, checksum = _HEADER.unpack(header)
    return packed, size, record_count, checksum


def _damage_error(path: str, offset: int) -> CorpusError:
    return CorpusError(
        f"expected a frame at byte {offset:,}, found something else: the file is damaged", path, fatal=True
    )


@contextmanager
def _open_for_reading(path: str) -> Iterator[BinaryIO]:
    try:
        with open(path, "rb") as handle:
            yield handle
    except OSError as error:
        raise read_error(error, path) from error
