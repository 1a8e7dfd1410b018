"""The records of mining, from stage to stage: tokenised documents, their index, and the strings that repeat in it.

They hold data and know nothing of how it was made.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise
from typing import Any

import numpy as np
from numpy.typing import NDArray

from templatemine.model import IntArray, LongArray
from templatemine.text import _scan

__all__ = ["Corpus", "Index", "MaximalRepeats", "Repeats", "Vocabulary"]

_CHUNK = 4096


class Vocabulary(Sequence[bytes]):
    """The normalised tokens of a corpus by id, kept in one buffer."""

    def __init__(self, arena: NDArray[np.uint8], offsets: NDArray[np.int64]) -> None:
        self.arena = arena
        self.offsets = offsets

    def __len__(self) -> int:
        return len(self.offsets) - 1

    @cached_property
    def hashes(self) -> NDArray[np.uint64]:
        """Return a hash of each token, which is the same in all sources."""
        return _scan.form_hashes(self.arena, self.offsets)

    def __getitem__(self, index: int) -> bytes:  # type: ignore[override]
        return self.arena[self.offsets[index] : self.offsets[index + 1]].tobytes()

    def __iter__(self) -> Iterator[bytes]:
        """Decode in chunks: several times as fast as one by one."""
        for start in range(0, len(self), _CHUNK):
            offsets = self.offsets[start : start + _CHUNK + 1]
            arena = self.arena[offsets[0] : offsets[-1]].tobytes()
            yield from (arena[first:end] for first, end in pairwise((offsets - offsets[0]).tolist()))

    def take(self, places: LongArray) -> list[bytes]:
        """Return some of the tokens: several times as fast as one by one."""
        arena = self.arena.tobytes()
        bounds = zip(self.offsets[places].tolist(), self.offsets[places + 1].tolist(), strict=True)
        return [arena[first:end] for first, end in bounds]

    def find(self, tokens: Sequence[bytes]) -> LongArray:
        """Return the ids of those of some short tokens that are here."""
        sizes, found = np.diff(self.offsets), [np.empty(0, np.int64)]
        for token in tokens:
            places = np.flatnonzero(sizes == len(token))
            for offset, byte in enumerate(token):
                places = places[self.arena[self.offsets[places] + offset] == byte]
            found.append(places)
        return np.concatenate(found)


@dataclass(frozen=True, slots=True, kw_only=True)
class Corpus:
    """The tokenised documents of one source.

    Attributes
    ----------
    forms : int32 array, shape (tokens,)
        Normalised token of each position, all documents one after the other.
    doc_starts : int64 array, shape (documents + 1,)
        Where each document begins in `forms`; the last entry is the number of tokens.
    lines : bool
        Form 0 is the line break and is in `forms` before the first token of each line.
    form_names : Vocabulary
        The normalised token of each id: UTF-8 with pattern marks (see `patterns.parse_form`).
    traits : uint16 array, shape (forms,)
        What each form is, see `_scan.form_traits`.
    df, counts : int32 and int64 arrays, shape (forms,)
        Documents that hold each form, and its occurrences.
    gaps : int64 array or None
        Places in `forms`, ascending, of tokens with two blanks or more before them on their line; if `lines`.
    dashes : int64 array or None
        And of those with a hyphen and a blank before them.
    """

    source: str
    html: bool
    lines: bool
    forms: IntArray
    doc_starts: LongArray
    form_names: Vocabulary
    traits: NDArray[np.uint16]
    df: IntArray
    counts: LongArray
    gaps: LongArray | None = None
    dashes: LongArray | None = None
    first_date: str | None = None
    last_date: str | None = None

    @property
    def documents(self) -> int:
        return len(self.doc_starts) - 1


@dataclass(frozen=True, slots=True, kw_only=True)
class Index:
    """The reduced token sequence of a source.

    Attributes
    ----------
    symbols : int32 array, shape (length,)
        Renumbered forms; 0 is the break that stands for document ends and for forms below the floor.
    forms : int32 array, shape (symbols,)
        Form id of each symbol (entry 0 unused).
    doc_starts : int64 array, shape (documents + 1,)
        Where each document begins in `symbols`; the last entry is the length.
    runs, run_tokens : int64 and int32 arrays
        Where each stretch without a break begins, and which token of its document is there, counted from 0.
    """

    symbols: IntArray
    forms: IntArray
    doc_starts: LongArray
    runs: LongArray
    run_tokens: IntArray


@dataclass(frozen=True, slots=True, kw_only=True)
class Repeats:
    """Maximal strings, a row each; occurrences: ``MaximalRepeats.places[rank : rank + count]``; length in tokens."""

    rank: LongArray
    length: IntArray
    count: IntArray
    df: IntArray

    def __len__(self) -> int:
        return len(self.rank)

    def take(self, rows: NDArray[Any]) -> Repeats:
        return Repeats(
            rank=self.rank[rows],
            length=self.length[rows],
            count=self.count[rows],
            df=self.df[rows],
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class MaximalRepeats:
    """All maximal strings of an index, and where they occur.

    Attributes
    ----------
    repeats : Repeats
    positions : int32 or int64 array
        Places in `Index.symbols`; the occurrences of a string lie together, in no order that means anything.
    first : int64 array, shape (strings,)
        Where each string occurs first.
    """

    repeats: Repeats
    positions: NDArray[Any]
    first: LongArray

    def take(self, rows: NDArray[Any]) -> MaximalRepeats:
        """Take some of the strings."""
        return MaximalRepeats(
            repeats=self.repeats.take(rows),
            positions=self.positions,
            first=self.first[rows],
        )
