"""Counts of records: the documents of each source, and the effect of cleaning on them."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field, fields

from templatemine.cleaning.hits import DayHits, Days, add_days
from templatemine.config import ReadConfig
from templatemine.io.fields import count_overruled, has_id, is_missing, near_sources
from templatemine.io.sources import host_of
from templatemine.model import Document, Record, Span
from templatemine.text.tears import leaves_part

_MAX_HOSTS = 4


@dataclass(slots=True)
class UnnamedRecords:
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
    nameless : UnnamedRecords
    dates : UnreadableDates
    """

    def __init__(self, read: ReadConfig) -> None:
        self.sources: Counter[str] = Counter()
        self.duplicates = 0
        from templatemine.text.dates import UnreadableDates  # here, for cleaning seldom reads dates

        self.nameless = UnnamedRecords()
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


@dataclass(slots=True)
class SourceTally:
    """Counts of the records of a source.

    Attributes
    ----------
    records : int
        All of them.
    no_pack, other_kind : int
        Passed on as they were: the source has no pack, or the record has no body of the kind the pack is for.
    no_text : int
        Rows of a table without a text or page, passed on as they were.
    page_model : int
        Pages of a source without a pack, of which the page model alone gave the main text.
    changed, spans : int
        Records in which something was cut, and how many stretches.
    characters, cut : int
        Code points that were examined (of a page, those that come out and those of the text that does not), and by how
        many fewer come out: of what is only marked, would come out.
    kinds : dict of str to int
        Code points of the stretches of each kind of boilerplate, "" where it is not known; the white space that goes
        beside them is of none, so that they do not add up to `cut`.
    replaced : int
        Records that had a field of the name of ``removed``, which was replaced.
    cleaned_before : int
        Records that carry their cuts, passed on as they were.
    stubs : int
        Records of which nearly all is boilerplate, cleaned or left whole; they get a field ``removed_stub``.
    dropped : int
        Stubs that were left out (`CleanConfig.stubs`).
    looked, torn : int
        Changed texts in which torn sentences were looked for (`StreamConfig.torn`); and those of which a cut tears a
        sentence or headline (`text.tears.leaves_part`).
    fallback : int
        Records of a source without a pack that `StreamConfig.fallback` was for.
    formatted : int
        Pages whose main text was written in another format than plain text.
    bad_pack : int
        Passed on as they were: the pack of the source cannot be trusted, see `Tally.bad_packs`.
    with_found : int
        Records whose bylines and datelines say something (`StreamConfig.found`).
    found : dict of str to int
        How many of those say something of each field: ``byline``, ``agency``, ``place``, ``updated``.
    """

    records: int = 0
    no_pack: int = 0
    other_kind: int = 0
    no_text: int = 0
    changed: int = 0
    spans: int = 0
    characters: int = 0
    cut: int = 0
    replaced: int = 0
    page_model: int = 0
    stubs: int = 0
    fallback: int = 0
    formatted: int = 0
    bad_pack: int = 0
    cleaned_before: int = 0
    dropped: int = 0
    looked: int = field(default=0, compare=False)
    torn: int = 0
    with_found: int = 0
    kinds: dict[str, int] = field(default_factory=dict)
    found: dict[str, int] = field(default_factory=dict)

    def add(self, other: SourceTally) -> None:
        """Add the counts of another tally."""
        for name in _COUNTS:
            if number := getattr(other, name):
                setattr(self, name, getattr(self, name) + number)
        self.add_kinds(other.kinds)
        for name, number in other.found.items():
            self.found[name] = self.found.get(name, 0) + number

    def add_kinds(self, kinds: Mapping[str, int]) -> None:
        """Add code points of stretches of some kinds."""
        for kind, size in kinds.items():
            self.kinds[kind] = self.kinds.get(kind, 0) + size

    def add_found(self, names: Iterable[str]) -> None:
        """Count a record whose bylines and datelines say something of some fields."""
        self.with_found += 1
        for name in names:
            self.found[name] = self.found.get(name, 0) + 1


def count_spans(spans: Iterable[Span]) -> dict[str, int]:
    """Count the code points of spans, by their kind."""
    counts: dict[str, int] = {}
    for span in spans:
        counts[span.kind] = counts.get(span.kind, 0) + span.end - span.start
    return counts


_BESIDE, _MAX_SHOWN = 25, 60
"""Characters shown beside a cut, and of it."""


def mark_cut(text: str, start: int, end: int) -> str:
    """Return a cut in its context, on one line."""
    cut = text[start:end]
    if len(cut) > _MAX_SHOWN:
        cut = f"{cut[: _MAX_SHOWN // 2]} … {cut[-_MAX_SHOWN // 2 :]}"
    return " ".join(f"{text[max(0, start - _BESIDE) : start]}[-{cut}-]{text[end : end + _BESIDE]}".split())


_COUNTS = tuple(one.name for one in fields(SourceTally) if one.name not in ("kinds", "found"))


@dataclass(slots=True)
class Tally:
    """Counts of all records, by source; and by source and day, if that is asked for.

    bad_packs : sources whose pack was skipped, and why.
    torn : the id of the first record found with a torn sentence, "" without one, and its cut in its context.
    left_out : records that `StreamConfig.only` leaves out, by their source.
    """

    sources: dict[str, SourceTally] = field(default_factory=dict)
    days: Days = field(default_factory=dict)
    bad_packs: dict[str, str] = field(default_factory=dict)
    torn: tuple[str, str] | None = field(default=None, compare=False)
    left_out: dict[str, int] = field(default_factory=dict)

    def count_tears(
        self, source: str, text: str, cuts: Iterable[tuple[int, int]], find_id: Callable[[], object]
    ) -> None:
        """Count a text if one of its doubtful cuts tears a sentence."""
        torn = next((cut for cut in cuts if leaves_part(text, *cut)), None)
        if torn is None:
            return
        self.source_counts(source).torn += 1
        if self.torn is None:
            record_id = find_id()
            self.torn = "" if record_id is None else str(record_id), mark_cut(text, *torn)

    def source_counts(self, source: str) -> SourceTally:
        """Return the counts of a source, to add to."""
        found = self.sources.get(source)
        if found is None:
            found = self.sources[source] = SourceTally()
        return found

    def add(self, other: Tally) -> None:
        """Add the counts of another tally."""
        for source, counts in other.sources.items():
            self.source_counts(source).add(counts)
        add_days(self.days, other.days)
        self.bad_packs |= other.bad_packs
        self.torn = self.torn or other.torn
        for source, number in other.left_out.items():
            self.leave_out(source, number)

    def leave_out(self, source: str, records: int = 1) -> None:
        """Count records of a source that is not asked for."""
        self.left_out[source] = self.left_out.get(source, 0) + records

    def day_hits(self, source: str, day: str) -> DayHits:
        """Return the counts of a day, to be added to."""
        return self.days.setdefault(source, {}).setdefault(day, DayHits())

    def total(self) -> SourceTally:
        """Return the sum over all sources."""
        total = SourceTally()
        for counts in self.sources.values():
            total.add(counts)
        return total
