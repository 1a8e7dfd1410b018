"""Batches of records on their way from the process that reads them to those that clean."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True, slots=True)
class _FilePart:
    """Part of a file.

    Attributes
    ----------
    place : str
        The file, as errors name it.
    source : str
        That of records without one.
    number : int
        Of the first line or row, counted from 1.
    data : bytes
    """

    place: str
    source: str
    number: int
    data: bytes


class Lines(_FilePart):
    """Some unparsed lines of JSON, one after the other; the last one may be without its line feed."""

    __slots__ = ()


class Rows(_FilePart):
    """Some rows of a table: one batch, as a stream of Arrow."""

    __slots__ = ()


Item = tuple[str, str, Mapping[str, Any]]
"""Source, place and fields of a record: all that a process needs."""


@dataclass(frozen=True, slots=True)
class Items:
    """Some records.

    `derived` marks pages that were taken out of a file of another kind (a WARC), so that nothing of the user's is lost
    if they are not written.
    """

    records: list[Item]
    derived: bool = False


PendingBatch = Lines | Rows | Items
"""A batch that nobody has cleaned yet."""
