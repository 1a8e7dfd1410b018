"""The body of an HTTP message without the encodings of its transfer and its content, in bounded steps.

Crawlers often keep a header that tells of an encoding which they have undone themselves, so a text that is not encoded
as it says is taken unchanged; other data is an error.  One whose encoding ends too early is kept as far as it
reaches, and marked.  Memory holds the body twice, each time at most `longest` bytes, however much it would unpack to.
"""

from __future__ import annotations

import io
import re
import zlib
from collections.abc import Iterator

from templatemine.errors import needs_extra

_MAX_ENCODINGS = 5
"""Most encodings, one in the other: curl's bound.  Each may take as long as a whole body."""

_STEP = 1 << 16


class _TruncatedBody(Exception):
    """The encoded data is damaged, or ends before its end."""


def decode_body(body: bytes, transfer: str, content: str, longest: int) -> tuple[bytes, bool]:
    """Undo the encodings of a body.

    Parameters
    ----------
    body : bytes
        As it was sent.
    transfer, content : str
        The headers Transfer-Encoding and Content-Encoding; empty if there are none.
    longest : int
        Most bytes that an encoding may unpack to.

    Returns
    -------
    body : bytes
    cut_off : bool
        An encoding was damaged or ended too early; `body` is the part before that.

    Raises
    ------
    ValueError
        More than `longest` bytes, more encodings than any server uses, or data that cannot be decoded and is no text.
    MissingExtraError
        br or zstd, and FastWARC is not installed.
    """
    names = [name.strip().lower() for name in f"{content},{transfer}".split(",")]
    names = [name for name in names if name not in ("", "identity")]
    if len(names) > _MAX_ENCODINGS:
        raise ValueError(f"expected at most {_MAX_ENCODINGS} encodings of a page, found {len(names):,}")
    cut_off = False
    for name in reversed(names):
        steps = _decoder(name, body)
        if not body:
            break
        if steps is None:
            if not _is_text(body):
                raise ValueError(f"expected an encoding that can be undone, found {name[:40]!r}")
            break
        pieces, size, cut = [], 0, False
        try:
            for piece in steps:
                size += len(piece)
                if size > longest:
                    raise ValueError(f"expected at most {longest:,} bytes unpacked, found more")
                pieces.append(piece)
        except _TruncatedBody:
            cut = True
        if cut and (not size or (name != "chunked" and _is_text(body))):
            if name != "chunked" and not _is_text(body):
                raise ValueError(f"expected a body in {name}, found what it does not decode")
            continue  # the header names an encoding that the crawler undid
        body, cut_off = b"".join(pieces), cut_off or cut
    return body, cut_off


def _is_text(body: bytes) -> bool:
    """Return whether a body is text or a page already; packed data hardly ever is UTF-8."""
    if body.lstrip()[:1] == b"<":
        return True
    if b"\0" in body:
        return False
    try:
        body.decode()
    except UnicodeDecodeError:
        return False
    return True


def _decoder(name: str, body: bytes) -> Iterator[bytes] | None:
    """Make the decoder that undoes an encoding step by step; None if it is not known."""
    if name == "chunked":
        return _join_chunks(body)
    if name in ("gzip", "x-gzip", "deflate"):
        return _inflate(body)
    if name in ("br", "zstd"):
        return _decode_by_library(name, body)
    return None


def _inflate(body: bytes) -> Iterator[bytes]:
    """Inflate gzip (one member after the other), zlib, or, as some servers send it, the data of zlib without its
    head."""
    bits = 47 if body[:2] == b"\x1f\x8b" or _has_zlib_head(body) else -15
    rest = body
    while rest:
        unpack = zlib.decompressobj(bits)
        while not unpack.eof:
            try:
                piece = unpack.decompress(rest, _STEP)
            except zlib.error:
                raise _TruncatedBody from None
            rest = unpack.unconsumed_tail
            if piece:
                yield piece
            elif not unpack.eof:
                raise _TruncatedBody  # all was taken, and the end is missing
        rest = unpack.unused_data if unpack.unused_data[:2] == b"\x1f\x8b" else b""


def _has_zlib_head(body: bytes) -> bool:
    return len(body) > 1 and body[0] & 15 == 8 and (body[0] << 8 | body[1]) % 31 == 0


def _decode_by_library(name: str, body: bytes) -> Iterator[bytes]:
    with needs_extra(f"pages in {name} need FastWARC", "warc"):
        from fastwarc.stream_io import BrotliReader, ZstdReader
    source = io.BytesIO(body)
    reader = BrotliReader(source) if name == "br" else ZstdReader(source)
    while True:
        try:
            piece = bytes(reader.read(_STEP))
        except OSError:
            raise _TruncatedBody from None
        if not piece:
            return
        yield piece


_SIZE = re.compile(rb"[ \t]*([0-9A-Fa-f]{1,15})[ \t]*(?:;[^\r\n]{0,4096})?\r\n")


def _join_chunks(body: bytes) -> Iterator[bytes]:
    """Join chunks, each with its size before it; trailers are left out (RFC 9112, section 7.1)."""
    at = 0
    while True:
        match = _SIZE.match(body, at)
        if match is None:
            raise _TruncatedBody
        size = int(match[1], 16)
        if not size:
            return
        at = match.end() + size
        yield body[match.end() : at]
        if at > len(body):
            raise _TruncatedBody
        at += 2
