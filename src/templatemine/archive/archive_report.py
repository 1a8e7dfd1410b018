"""What is counted of an archive while it is read, and the result of mining it into a folder, in memory or on disk."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field

from templatemine.config import ReadConfig
from templatemine.io.fields import count_overruled, has_id, is_missing, near_sources
from templatemine.io.sources import host_of
from templatemine.model import Document, Record
from templatemine.packs.pack_folder import SourceOutcome
from templatemine.text.dates import UnreadableDates

_MAX_HOSTS = 4


@dataclass(slots=True)
class SourcelessRecords:
    """Records without a source, which get that of their file.

    Attributes
    ----------
    records : int
    hosts : dict of str to str
        A few of those that their addresses name, one of each domain.
    others : dict of str to list of str
        Other fields that may be meant, each with a few of its values.
    overruled : dict of str to int
        Sources that records do name, where one is said for all of them, with the number of records; not all of many.
    """

    records: int = 0
    hosts: dict[str, str] = field(default_factory=dict)
    others: dict[str, list[str]] = field(default_factory=dict)
    overruled: dict[str, int] = field(default_factory=dict)

    def add(self, record: Record, read: ReadConfig) -> None:
        """Count a record, if it is one."""
        count_overruled(self.overruled, record.fields, read)
        if read.source_of is None and is_missing(record.fields.get(read.source_field)):
            self.records += 1
            for name, value in near_sources(record.fields).items():
                values = self.others.setdefault(name, [])
                if len(values) < _MAX_HOSTS and value not in values:
                    values.append(value)
            url = record.document.url
            if url and len(self.hosts) < _MAX_HOSTS and (host := host_of(url)):
                self.hosts.setdefault(".".join(host.split(".")[-2:]), host)  # near enough for a hint


class DocumentCounter:
    """Counts the documents that pass through it.

    Attributes
    ----------
    sources : Counter of str
        Documents of each source.
    duplicates : int
        Documents whose source and id were there before.  Only ids in the record count, not those made up for
        records without one.
    nameless : SourcelessRecords
    dates : UnreadableDates
    """

    def __init__(self, read: ReadConfig) -> None:
        self.sources: Counter[str] = Counter()
        self.duplicates = 0
        self.nameless = SourcelessRecords()
        self.dates = UnreadableDates()
        self._read = read
        self._seen: set[tuple[str, str]] = set()

    def count_documents(self, records: Iterable[Record]) -> Iterator[Document]:
        """Count the documents of records, and yield them."""
        for record in records:
            document = record.document
            self.sources[document.source] += 1
            if has_id(record.fields, self._read):
                key = (document.source, document.id)
                self.duplicates += key in self._seen
                self._seen.add(key)
            self.nameless.add(record, self._read)
            self.dates.add(document.source, record.fields.get(self._read.date_field), document.date, record.where)
            yield document


@dataclass(frozen=True, slots=True, kw_only=True)
class ArchiveReport:
    """The result of a run; `outcomes` in the order of their sources."""

    outcomes: list[SourceOutcome]
    documents: int
    skipped: int
    duplicates: int
    nameless: SourcelessRecords
    dates: UnreadableDates
