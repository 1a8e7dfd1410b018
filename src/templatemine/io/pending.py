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
    """

    place: str
    source: str
    number: int


@dataclass(frozen=True, slots=True)
class Lines(_FilePart):
    """Some unparsed lines of JSON.

    Attributes
    ----------
    data : bytes
        One line after the other; the last one may be without its line feed.
    """

    data: bytes


@dataclass(frozen=True, slots=True)
class Rows(_FilePart):
    """Some rows of a table.

    Attributes
    ----------
    data : bytes
        One batch, as a stream of Arrow.
    """

    data: bytes


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
