"""Batches on their way from the process that reads to those that clean."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

__all__ = ["Item", "Items", "Lines", "Rows", "Work"]


@dataclass(frozen=True, slots=True)
class Lines:
    """Some lines of JSON as they stand.

    Attributes
    ----------
    place : str
        The file, as errors name it.
    source : str
        That of records without one.
    number : int
        Of the first line, counted from 1.
    lines : list of bytes
    """

    place: str
    source: str
    number: int
    lines: list[bytes]


@dataclass(frozen=True, slots=True)
class Rows:
    """Some rows of a table.

    Attributes
    ----------
    place : str
        The file, as errors name it.
    source : str
        That of records without one.
    number : int
        Of the first row, counted from 1.
    data : bytes
        One batch, as a stream of Arrow.
    """

    place: str
    source: str
    number: int
    data: bytes


Item = tuple[str, str, Mapping[str, Any]]
"""Source, place and fields of a record: what a process needs of it."""


@dataclass(frozen=True, slots=True)
class Items:
    """Some records.

    `derived` marks pages that were taken out of a file of another kind (a WARC), so that nothing of the user's is lost
    if they are not written.
    """

    records: list[Item]
    derived: bool = False


Work = Lines | Rows | Items
"""A batch that is yet to be done."""
