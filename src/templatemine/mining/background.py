"""What is common in the prose of news, as one more source beside those of a run.

A source that is mined alone has no others to tell idioms by.  The background is a table of short strings with their
rates in prose, made by `datasets/background.py` of other archives: of each string the third greatest of the rates of
their sources, so that no one source says anything alone.  It is asked what other sources are asked, by hash
(`cross_source`), and what it says counts where it is the greatest rate.

A file of it is text, packed or not: a head, then a line a string, its normalised tokens as in packs with a blank
between them, a tab, and r where 2^-r is its rate a token::

    templatemine background 1<TAB>what it was made of
    he said in a statement.<TAB>18

Reading the table that ships takes a fifth of a second, once in a process; it takes half a megabyte.
"""

from __future__ import annotations

import io
import os
from array import array
from collections.abc import Iterable, Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass
from functools import lru_cache
from hashlib import blake2b, file_digest
from importlib.resources import files
from typing import IO

import numpy as np
from numpy.typing import NDArray

from templatemine import _core
from templatemine.config import NO_BACKGROUND, SHIPPED
from templatemine.errors import ConfigError
from templatemine.io.files import READ_ERRORS, open_input, read_whole, unpacked
from templatemine.text import _scan
from templatemine.text.patterns import PatternSet

__all__ = ["Background", "background", "fingerprint", "hashed", "read", "write"]

_HEAD = "templatemine background 1"
_SHIPPED_FILE = "background.tsv.gz"
_LONGEST = 1 << 28
"""Bytes of the greatest table that is read: some ten million strings, which nobody needs."""
_LEAST, _MOST = 0, 60
"""Rates as powers of one half; 2^-60 is less than a token in all that was ever written."""


@dataclass(frozen=True, kw_only=True, eq=False)
class Background:
    """Some strings and how often they are in prose.

    Attributes
    ----------
    hashes : uint64 array, shape (strings,)
        Ascending; those of `cross_source`.
    rates : float32 array
        Occurrences within prose a token.
    """

    hashes: NDArray[np.uint64]
    rates: NDArray[np.float32]

    def of(self, hashes: NDArray[np.uint64]) -> NDArray[np.float32]:
        """Rates of the strings of a source, 0 for those that are not in the table; `hashes` ascend."""
        found = np.zeros(len(hashes), np.float32)
        if len(hashes):
            # The table is smaller than a source, or as large.
            place = np.minimum(np.searchsorted(hashes, self.hashes), len(hashes) - 1)
            known = hashes[place] == self.hashes
            found[place[known]] = self.rates[known]
        return found


def background(name: str, patterns: PatternSet) -> Background | None:
    """The table that an option names: `SHIPPED`, `NO_BACKGROUND` or a file; as the forms of these patterns.

    Raises
    ------
    ConfigError
        The file cannot be read, or a line of it is none of such a table.
    """
    return None if name == NO_BACKGROUND else _loaded(name, patterns, _stamp(name))


def fingerprint(name: str) -> str | None:
    """A digest of the table that an option names; None where no file is named, or it cannot be read.

    That which ships is known by the version of templatemine.
    """
    if name in (SHIPPED, NO_BACKGROUND):
        return None
    with suppress(*READ_ERRORS), open(name, "rb") as handle:
        return file_digest(handle, lambda: blake2b(digest_size=16)).hexdigest()
    return None


def _stamp(name: str) -> tuple[int, int] | None:
    """Changes when a file does."""
    try:
        found = os.stat(name)
    except OSError:
        return None
    return found.st_mtime_ns, found.st_size


@lru_cache(maxsize=4)
def _loaded(name: str, patterns: PatternSet, stamp: tuple[int, int] | None) -> Background:
    return hashed(_lines(name), patterns)


def read(name: str) -> dict[str, int]:
    """Strings and their r, as the file has them; arguments and errors as of `background`."""
    return dict(_lines(name))


def _lines(name: str) -> Iterator[tuple[str, int]]:
    place = os.fspath(str(files("templatemine.mining").joinpath(_SHIPPED_FILE))) if name == SHIPPED else name
    try:
        with open_input(place) as stream:
            text = read_whole(unpacked(place, stream), _LONGEST).decode("utf-8")
    except (*READ_ERRORS, ValueError) as error:
        raise ConfigError(f"background: expected a table that can be read, got {place}: {error}") from error
    lines = io.StringIO(text, newline="\n")
    head = lines.readline().rstrip("\n")
    if head.split("\t")[0] != _HEAD:
        raise ConfigError(f"background: {place}: expected {_HEAD!r} in line 1, found {head[:60]!r}")
    for number, line in enumerate(lines, 2):
        string, _, rate = line.rstrip("\n").partition("\t")
        if not string or not (rate.isascii() and rate.isdigit()) or not _LEAST <= int(rate) <= _MOST:
            expected = f"a string, a tab and a number from {_LEAST} to {_MOST}"
            raise ConfigError(f"background: {place}:{number}: expected {expected}, found {line[:60]!r}")
        yield string, int(rate)


def write(handle: IO[str], strings: Mapping[str, int], made_of: str) -> None:
    """Write a table, in order of the strings; `made_of` is one line."""
    handle.write(f"{_HEAD}\t{made_of}\n")
    handle.writelines(f"{string}\t{strings[string]}\n" for string in sorted(strings))


def hashed(strings: Iterable[tuple[str, int]], patterns: PatternSet) -> Background:
    """A table as the forms of some patterns.

    Strings with a pattern that the source does not have are left out: none of its own are equal to them.
    """
    ids: dict[str, int] = {}
    arena = bytearray()
    offsets, tokens, lengths, exponents = array("q", [0]), array("i"), array("i"), array("b")
    for string, exponent in strings:
        row = [_id(token, ids, arena, offsets, patterns) for token in string.split(" ")]
        if min(row) >= 0:
            tokens.extend(row)
            lengths.append(len(row))
            exponents.append(exponent)
    names = _scan.form_hashes(np.frombuffer(arena, np.uint8), np.frombuffer(offsets, np.int64))
    length = np.frombuffer(lengths, np.int32)
    position = np.cumsum(length, dtype=np.int64) - length
    hashes = _core.string_hashes(np.frombuffer(tokens, np.int32), names, position, length)
    order = np.argsort(hashes)
    rates = np.exp2(-np.frombuffer(exponents, np.int8).astype(np.float32))
    return Background(hashes=hashes[order], rates=rates[order])


def _id(token: str, ids: dict[str, int], arena: bytearray, offsets: array[int], patterns: PatternSet) -> int:
    """Place of a token among the forms of `arena`, -1 if it is no form of these patterns; the others grow."""
    place = ids.get(token)
    if place is None:
        place = -1
        with suppress(ValueError):
            arena += patterns.from_readable(token)
            place = len(offsets) - 1
            offsets.append(len(arena))
        ids[token] = place
    return place
