"""Counts of records by source: the effect of cleaning on them."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, fields
from typing import Any, Generic, TypeVar
from zlib import crc32

from templatemine.cleaning.hits import DayHits, Days, add_days
from templatemine.model import Span
from templatemine.text.tears import IsTorn


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
    outside : int
        Of these, those beside the main text of pages, by the page model: what goes as it should, and is no loss; told
        with `RecordConfig.sampled`.
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
        Changed texts in which torn sentences were looked for (`RecordConfig.torn`), not in those that were left out;
        and those of which a cut tears a sentence or headline (`text.tears.leaves_part`).
    fallback : int
        Records of a source without a pack that `RecordConfig.fallback` was for.
    formatted : int
        Pages whose main text was written in another format than plain text.
    bad_pack : int
        Passed on as they were: the pack of the source cannot be trusted, see `Tally.bad_packs`.
    with_found : int
        Records whose bylines and datelines say something (`RecordConfig.found`).
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
    outside: int = 0
    with_found: int = 0
    kinds: dict[str, int] = field(default_factory=dict)
    found: dict[str, int] = field(default_factory=dict)

    @property
    def loss(self) -> float:
        """Return the share of the text, of pages of their main text, that templates take."""
        text = self.characters - self.outside
        return max(0, self.cut - self.outside) / text if text > 0 else 0.0

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


_Cut = TypeVar("_Cut", bound=tuple[Any, ...])


class TextSample(Generic[_Cut]):
    """Some different texts and their cuts, chosen by a hash, whatever the order in which they come.

    Parameters
    ----------
    most : int
        So many of those that change are kept, and so many of the others: those of the least hashes.
    """

    def __init__(self, most: int) -> None:
        self._most = most
        self._changed, self._same = _LeastHashes[_Cut](most), _LeastHashes[_Cut](most)

    def add(self, text: str | bytes, cuts: Sequence[_Cut]) -> None:
        """Add a text, or one in UTF-8, which is decoded if it is kept."""
        (self._changed if cuts else self._same).add(text, cuts)

    def merge(self, other: TextSample[_Cut]) -> None:
        """Add the texts of another sample."""
        self._changed.merge(other._changed)
        self._same.merge(other._same)

    def texts(self) -> list[tuple[str, Sequence[_Cut]]]:
        """Return the texts that change, each with its cuts."""
        return [(text, cuts) for (_, text), cuts in self._changed.least()]

    def texts_of_all(self) -> list[tuple[str, Sequence[_Cut]]]:
        """Return as many texts, whether they change or not, each with its cuts."""
        rows = sorted([*self._changed.least(), *self._same.least()])[: self._most]
        return [(text, cuts) for (_, text), cuts in rows]


class _LeastHashes(Generic[_Cut]):
    """Different texts of the least hashes, `most` of them; a quarter more are kept meanwhile."""

    def __init__(self, most: int) -> None:
        self._most = most
        self._bound = _MAX_HASH
        self._rows: dict[tuple[int, str], Sequence[_Cut]] = {}

    def add(self, text: str | bytes, cuts: Sequence[_Cut]) -> None:
        data = text.encode("utf-8", "surrogatepass") if isinstance(text, str) else text
        key = crc32(data)
        if key <= self._bound:
            self._rows[key, text if isinstance(text, str) else data.decode("utf-8", "surrogatepass")] = cuts
            self._prune(self._most + self._most // 4)

    def merge(self, other: _LeastHashes[_Cut]) -> None:
        self._rows |= other._rows
        self._prune(self._most + self._most // 4)

    def least(self) -> list[tuple[tuple[int, str], Sequence[_Cut]]]:
        self._prune(self._most)
        return sorted(self._rows.items())

    def _prune(self, most: int) -> None:
        if len(self._rows) > most:
            self._rows = dict(sorted(self._rows.items())[: self._most])
            self._bound = max((key for key, _ in self._rows), default=-1)


_MAX_HASH = 0xFFFFFFFF


@dataclass(slots=True)
class Tally:
    """Counts of all records, by source; and by source and day, if that is asked for.

    bad_packs : sources whose pack was skipped, and why.
    torn : the id of the first record found with a torn sentence, "" without one, and its cut in its context.
    left_out : records that `RecordConfig.only` leaves out, by their source.
    samples : texts, by source, and their cuts (`RecordConfig.sampled`).
    """

    sources: dict[str, SourceTally] = field(default_factory=dict)
    days: Days = field(default_factory=dict)
    bad_packs: dict[str, str] = field(default_factory=dict)
    torn: tuple[str, str] | None = field(default=None, compare=False)
    left_out: dict[str, int] = field(default_factory=dict)
    samples: dict[str, TextSample[tuple[int, int]]] = field(default_factory=dict, compare=False)

    def sample(self, source: str, text: str | bytes, cuts: Sequence[tuple[int, int]], most: int) -> None:
        """Keep a text and its cuts, if its hash is among so many least of its source (`TextSample`)."""
        if most:
            if source not in self.samples:
                self.samples[source] = TextSample(most)
            self.samples[source].add(text, cuts)

    def count_tears(
        self,
        source: str,
        text: str,
        cuts: Iterable[tuple[int, int]],
        is_torn: IsTorn,
        find_id: Callable[[], object],
    ) -> None:
        """Count a text if one of its doubtful cuts tears a sentence."""
        torn = next((cut for cut in cuts if is_torn(text, *cut)), None)
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
        for source, sample in other.samples.items():
            if source in self.samples:
                self.samples[source].merge(sample)
            else:
                self.samples[source] = sample

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
