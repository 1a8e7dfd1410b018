"""The result of mining an archive into a folder, in memory or on disk."""

from __future__ import annotations

from dataclasses import dataclass

from templatemine.cleaning.tally import UnnamedRecords
from templatemine.packs.pack_folder import SourceOutcome
from templatemine.text.dates import UnreadableDates


@dataclass(frozen=True, slots=True, kw_only=True)
class ArchiveReport:
    """The result of a run; `outcomes` in the order of their sources."""

    outcomes: list[SourceOutcome]
    documents: int
    skipped: int
    duplicates: int
    nameless: UnnamedRecords
    dates: UnreadableDates
