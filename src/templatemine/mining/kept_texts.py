"""Articles -> their reading forms, cuts and digests, which several steps of the second map ask for.

Each is made once while a source is mined (`forget_texts`), for the articles that were looked at last.  A text that is
its own reading form is not copied.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from functools import lru_cache
from hashlib import blake2b
from zlib import crc32

from templatemine.matching import _automaton
from templatemine.model import Document
from templatemine.packs.pack import Pack
from templatemine.text.expressions import tokeniser_input
from templatemine.text.reading import ReadingRules, read_form, read_string

__all__ = [
    "MAX_TEXTS",
    "checksum",
    "digest",
    "encode_body",
    "find_matches",
    "find_spans",
    "forget_texts",
    "kept_digest",
    "read_body",
]

MAX_TEXTS = 2048
"""Texts that are kept: twice `own_cuts.MAX_DOCUMENTS`, for some steps look at a few more."""
_GAP = 3
"""Default of `CleanConfig.gap`."""

read_body = lru_cache(maxsize=MAX_TEXTS)(read_string)
"""(text, rules) -> its reading form, see `reading.read_string`."""


def encode_body(pack: Pack, document: Document) -> bytes:
    """Return the reading form of a document in UTF-8, with marks in place of what the user's patterns match."""
    if pack.rules is None or pack.patterns.user:
        return _to_bytes(tokeniser_input(document.body, pack.patterns, pack.tokenise.separators, pack.rules))
    return _encode(document.body, pack.rules)


@lru_cache(maxsize=MAX_TEXTS)
def _encode(text: str, rules: ReadingRules) -> bytes:
    return _to_bytes(read_form(text, rules))


def _to_bytes(form: str | bytes) -> bytes:
    return form.encode("utf-8", "surrogatepass") if isinstance(form, str) else form


def find_matches(pack: Pack, documents: Iterable[Document]) -> Iterator[list[tuple[int, int, int]]]:
    """Yield the matches of the templates of a pack in each document: their bounds in its bytes, and their rows."""
    matcher, rows = pack.matcher()
    for document in documents:
        columns = (column.tolist() for column in matcher.find(encode_body(pack, document)))
        yield [(start, end, rows[string]) for start, end, string in zip(*columns, strict=True)]


@lru_cache(maxsize=MAX_TEXTS)
def find_spans(matcher: _automaton.Matcher, text: str) -> Sequence[tuple[int, int, Sequence[int]]]:
    """Return the spans of a text that a matcher cuts, each with its strings."""
    return matcher.spans([text], _GAP)[0] or ()


def digest(text: str, key: bytes) -> bytes:
    """Return eight bytes that a sample is chosen by."""
    return blake2b(text.encode("utf-8", "surrogatepass"), digest_size=8, key=key).digest()


kept_digest = lru_cache(maxsize=MAX_TEXTS)(digest)
"""The same, kept."""


@lru_cache(maxsize=MAX_TEXTS)
def checksum(text: str) -> int:
    """Return a number that articles are shuffled by."""
    return crc32(text.encode("utf-8", "replace"))


def forget_texts() -> None:
    """Drop what is kept: the source is mined."""
    for kept in (read_body, _encode, find_spans, kept_digest, checksum):
        kept.cache_clear()
