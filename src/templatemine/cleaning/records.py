"""Records in, lines of JSON (or rows of tables) out: cleans records of many sources, each with the pack of its source.

A record keeps its fields and their order; its text field gets the cleaned text (of a page, in the format that is asked
for; always a string), and a field ``removed`` lists the cuts: ``[{"start", "end", "templates", "kind"}]`` in code
points of the original, without a kind where none is known.  Four kinds of records are passed on as they are,
without ``removed``, and counted: those of a source without a pack, or with one that is skipped
(`pack_folder.PackFiles`), HTML where the pack is of text, and text where the pack is of HTML.  (A record with both is
cleaned by the field that its pack is for.)  One that carries such a field has been cleaned, and is left as it is unless
`RecordConfig.again`: cleaning cleaned text changes nothing.

The work goes in batches of some hundred records, to one process or to several (lines that are cleaned unparsed go
to threads of one process, as they need no lock of Python); the output is the same and in the same order.  JSON
lines and rows are parsed where they are cleaned, so that the process that reads and writes does nothing else.
Memory holds a few batches a job.  The cost is that of `Cleaner`, plus reading and writing JSON.
"""

from __future__ import annotations

import sys
import threading
from codecs import BOM_UTF8
from collections.abc import Callable, Collection, Generator, Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace
from functools import cached_property, partial
from numbers import Integral
from typing import TYPE_CHECKING, Any, TypeVar

from templatemine.bounds import check_jobs, check_record
from templatemine.cleaning import _records
from templatemine.cleaning.cleaner import (
    Cleaner,
    FindSpans,
    count_page_text,
    find_all_kinds,
    page_text,
    tears_with_kept,
)
from templatemine.cleaning.tally import SourceTally, Tally, count_spans
from templatemine.config import CleanConfig, ReadConfig
from templatemine.errors import (
    ConfigError,
    CorpusError,
    PackError,
    SkippedPackError,
    TemplateMineError,
    did_you_mean,
    spelled,
)
from templatemine.io.fields import address_of, date_of, page_of
from templatemine.io.jsonl import decode_line, encode_line, encode_plain
from templatemine.io.pending import Items, Lines, PendingBatch, Rows
from templatemine.io.read import read_batch
from templatemine.model import Cleaned, PageHistory, Span
from templatemine.packs.pack import Pack
from templatemine.packs.pack_folder import PackFiles
from templatemine.packs.pack_record import KIND_NAMES
from templatemine.pages.abreast import Abreast, Steps, count_characters
from templatemine.parallel.batches import BatchResult, collect_output, run_batches
from templatemine.text.tears import IsTorn, leaves_part

if TYPE_CHECKING:
    from templatemine.cleaning.found import MetadataFinder
    from templatemine.pages.main_text import MainBlock

_T = TypeVar("_T")


@dataclass(frozen=True, slots=True, kw_only=True)
class RecordConfig:
    """Options of cleaning records.

    read, clean : names of the fields, and how texts and pages are cleaned.
    removed_field, blocks_field : names of the fields for the cuts, and for the blocks of the main text of pages, None
        for none.
    keep_html : write pages that were taken out of a WARC or a feed beside their text.
    rows : rows of tables come out as such.
    hits : count by day what each expression hits.
    fallback : the pack, by the source that it names, for records of sources without one; None to pass these on.
    again : clean what carries cuts, too.
    mark : leave texts as they are, and say alone what would be cut.
    found : also write what bylines and datelines of articles say (`cleaning.found`); not into tables.
    torn : look for torn sentences in all texts that change, and not only in those of usual length.
    sampled : texts of each source that change, and of those that do not, that are kept with their cuts
        (`Tally.samples`), for a check, which also asks what goes of the main text of pages (`SourceTally.outside`).
    only : the sources whose records come out; None for all.
    """

    read: ReadConfig = field(default_factory=ReadConfig)
    clean: CleanConfig = field(default_factory=CleanConfig)
    removed_field: str = "removed"
    blocks_field: str | None = None
    keep_html: bool = False
    rows: bool = False
    hits: bool = False
    fallback: str | None = None
    again: bool = False
    mark: bool = False
    found: bool = False
    torn: bool = False
    sampled: int = 0
    only: Collection[str] | None = None

    def __post_init__(self) -> None:
        check_record(self)
        if self.found and self.rows:
            raise ConfigError("found: expected JSON lines as output, got rows of tables")
        names = self.read
        taken = [names.text_field, names.html_field, names.source_field, names.id_field, names.date_field]
        taken += [names.url_field, names.title_field]
        for what, name in (("removed_field", self.removed_field), ("blocks_field", self.blocks_field)):
            if name == "":
                raise ConfigError(f"{what}: expected a name, got an empty one")
            if name in taken:
                raise ConfigError(f"{what}: expected a name of its own, got {name!r} as for another field")
            taken += [] if name is None else [name]


class RecordCleaner:
    """Cleans records with the packs of their sources.

    Parameters
    ----------
    packs : mapping of str to Pack
        By source; see `pack_folder.PackFiles`.
    config : RecordConfig, optional
    jobs : int, default 1
        Processes.

    Attributes
    ----------
    tally : Tally
        Of all that `clean_batches` has given so far.

    Examples
    --------
    >>> cleaner = RecordCleaner(packs)  # doctest: +SKIP
    >>> for lines in cleaner.clean_batches(read_batches(["new.jsonl"], ReadConfig())):  # doctest: +SKIP
    ...     output.write(lines)
    """

    def __init__(
        self,
        packs: Mapping[str, Pack],
        config: RecordConfig | None = None,
        *,
        jobs: int = 1,
    ) -> None:
        check_jobs(jobs)
        self.config = config or RecordConfig()
        self.jobs = jobs
        self.tally = Tally()
        if self.config.fallback is not None and self.config.fallback not in packs:
            given = self.config.fallback
            made = spelled("mine --shared", "PipelineConfig(shared=...)")
            meant = f"; {made} makes it of sources with packs" if given == "_shared" else did_you_mean(given, packs)
            raise ConfigError(f"fallback: expected the source of a pack that is there, got {given!r}{meant}")
        self._packs = packs
        self._prepared: dict[str, _PreparedCleaner | None] = {}
        self._bad_packs: dict[str, str] = {}
        self._preparing = threading.Lock()

    @property
    def expressions(self) -> dict[str, list[str]]:
        """Return the ids of the templates that are looked for in the articles of each source.  Cuts of pages have
        other names, too, which are not among them."""
        return {source: ids for source in self._packs if (ids := self._expressions_of(source)) is not None}

    def _expressions_of(self, source: str) -> list[str] | None:
        with suppress(SkippedPackError):
            pack = self._packs[source]
            cuts = self.config.clean.choice.cuts
            return None if pack.html else [one.id for one in pack.templates if cuts(one.kind)]
        return None

    def clean_batches(
        self,
        batches: Iterable[PendingBatch],
        on_error: Callable[[CorpusError], None] | None = None,
        progress: Callable[[SourceTally], None] | None = None,
    ) -> Generator[bytes, None, None]:
        """Yield the cleaned records as lines of JSON (rows of tables as streams of Arrow, with `RecordConfig.rows`),
        many at a time, in the order of the records.

        Close the iterator if it is not used up, so that the workers end.

        Parameters
        ----------
        batches : iterable
            As `io.read.read_batches` gives them.
        on_error : callable, optional
            Called with a `CorpusError` for a record that cannot be read or cleaned, which is then left out; without it
            the first one is raised.
        progress : callable, optional
            Called after each batch with the counts of that batch.
        """

        def count(tally: Tally) -> None:
            self.tally.add(tally)
            if progress is not None:
                progress(tally.total())

        results = run_batches(
            batches,
            self.jobs,
            self.clean_batch,
            _make_worker,
            (self._packs, self.config),
            self._is_lock_free,
        )
        return collect_output(results, count, on_error)

    def clean_batch(self, batch: PendingBatch) -> BatchResult[Tally]:
        """Clean some records; depends on nothing but them, so it may run anywhere."""
        tally = Tally()
        if isinstance(batch, Rows) and self.config.rows:
            return BatchResult.of(self._clean_rows(batch, tally), tally)
        abreast = Abreast[bytes | CorpusError]()
        if isinstance(batch, Lines) and self._line_fields is not None:
            self._clean_lines(batch, self._line_fields, tally, abreast)
        else:
            self._clean_records(batch, tally, abreast)
        return BatchResult.of(abreast.finish(), tally)

    def _is_lock_free(self, batch: PendingBatch) -> bool:
        """Return whether all lines may be cleaned unparsed, and so without Python's lock."""
        return isinstance(batch, Lines) and self._line_fields is not None and self._takes_raw_lines

    @cached_property
    def _takes_raw_lines(self) -> bool:
        """Return whether lines of all sources with a pack are cleaned without parsing them."""
        if isinstance(self._packs, PackFiles):  # reading all would take seconds
            return self._packs.by_tokens()
        return all(pack.by_tokens and not pack.html for pack in self._packs.values())

    @cached_property
    def _line_fields(self) -> _records.Fields | None:
        """Return the fields of lines that are cleaned without parsing them; None where Python must look at every
        record."""
        names = self.config.read
        by_rule = names.source_of is not None and names.source is None
        if self.config.hits or self.config.found or by_rule or self.config.clean.engine != "native":
            return None
        removed = self.config.removed_field
        source = names.source_field if names.source is None else _NO_FIELD
        fields = (names.text_field, names.html_field, source, names.id_field, removed, f"{removed}_stub")
        try:
            found = [name.encode() for name in fields]
        except UnicodeEncodeError:  # a lone surrogate
            return None
        if len(set(found)) < len(found):
            return None
        return _records.Fields(found, names.max_record, *self._looked[:2], keep=self.config.sampled > 0)

    def _clean_lines(
        self, batch: Lines, fields: _records.Fields, tally: Tally, abreast: Abreast[bytes | CorpusError]
    ) -> None:
        """Clean lines natively without parsing them; those that are out of the ordinary are cleaned as records."""
        default = self.config.read.source or batch.source
        block = _records.BlockCleaner(fields, batch.data, default.encode("utf-8", "surrogatepass"))
        while (reason := block.run()) != _records.DONE:
            if reason == _records.UNKNOWN:
                block.add_source(block.source, *self._line_action(block.source.decode("utf-8", "surrogatepass")))
            else:
                line = Lines(batch.place, batch.source, batch.number + block.number - 1, block.line)
                if before := block.take_output():
                    abreast.put(before)
                self._clean_records(line, tally, abreast, line.data)
        abreast.put(block.take_output())
        abreast.finish()
        for source, kind, records, changed, looked, spans, characters, cut, stubs, by_code in block.counts():
            if records:
                name = source.decode("utf-8", "surrogatepass")
                counts = SourceTally(records, changed=changed, spans=spans, characters=characters, cut=cut, stubs=stubs)
                counts.looked = looked
                counts.add_kinds({name: size for name, size in zip(KIND_NAMES, by_code, strict=False) if size})
                if name in self._bad_packs:
                    tally.bad_packs[name], counts.bad_pack = self._bad_packs[name], records
                else:
                    counts.no_pack = records if kind == _records.PASS else 0
                counts.fallback = records if kind == _records.CLEAN and name not in self._packs else 0
                tally.source_counts(name).add(counts)
        for source, start, text, cuts in block.doubtful:
            name, find_id = source.decode("utf-8", "surrogatepass"), partial(self._read_id, batch.data, start)
            tally.count_tears(name, text, cuts[: self._looked[2]], self._judge_of(name), find_id)
        for source, kept, cuts in block.kept:
            tally.sample(source.decode("utf-8", "surrogatepass"), kept, cuts, self.config.sampled)

    def _judge_of(self, source: str) -> IsTorn:
        """Return what tells whether a cut of a source tears a sentence."""
        ready = self._prepared[source]
        return leaves_part if ready is None else ready.is_torn

    def find_all_spans(self, source: str) -> FindSpans:
        """Return what finds the boilerplate of all kinds in texts of a source, what stays by choice, too."""
        ready = self._prepared.get(source)
        return _find_none if ready is None else ready.find_all

    def _read_id(self, lines: bytes, start: int) -> object:
        record = decode_line(lines[start : lines.find(b"\n", start) + 1 or None])
        return record.get(self.config.read.id_field) if isinstance(record, dict) else None

    @property
    def _looked(self) -> tuple[int, int, int]:
        """Characters of the longest text that is looked for torn sentences, and how many of its labels and of its
        doubtful cuts are."""
        return (sys.maxsize,) * 3 if self.config.torn else (_MAX_LOOKED_SIZE, _LOOKED_LABELS, _LOOKED_CUTS)

    def _line_action(self, source: str) -> tuple[int, _records.TextCleaner | None]:
        """Choose how ordinary lines of a source are cleaned."""
        if self._is_other(source):
            return _records.DEFER, None
        try:
            ready = self._find_cleaner(source)
        except TemplateMineError:  # to be told with each record
            return _records.DEFER, None
        if ready is None:
            return _records.PASS, None
        return (_records.DEFER, None) if ready.lines is None else (_records.CLEAN, ready.lines)

    def _clean_records(
        self, batch: PendingBatch, tally: Tally, abreast: Abreast[bytes | CorpusError], raw: bytes | None = None
    ) -> None:
        """Clean records to lines of JSON; one that was cleaned before, to its line in `raw`."""
        slim = isinstance(batch, Items) and batch.derived and not self.config.keep_html
        for source, where, record, plain in read_batch(batch, self.config.read, abreast.put):
            if self._is_other(source):
                tally.leave_out(source)
                continue
            encode = encode_plain if plain else encode_line
            line = self._write_in_steps(source, record, tally, encode, raw, slim)
            abreast.add(_or_error(line, where), count_characters(record))

    def _write_in_steps(
        self,
        source: str,
        record: dict[str, Any],
        tally: Tally,
        encode: Callable[[dict[str, Any]], bytes],
        raw: bytes | None,
        slim: bool,
    ) -> Steps[bytes]:
        """Clean a record and write its line; nothing for a stub that is dropped."""
        is_cleaned = yield from self._clean_in_steps(source, record, tally)
        if is_cleaned and self._is_dropped(source, record, tally):
            return b""
        if not is_cleaned and raw is not None and not raw.startswith(BOM_UTF8):
            return raw if raw.endswith(b"\n") else raw + b"\n"
        if slim and record.get(self.config.read.text_field) is not None:
            record.pop(self.config.read.html_field, None)
        return encode(record)

    def _clean_rows(self, rows: Rows, tally: Tally) -> list[bytes | CorpusError]:
        """Clean rows of a table, all columns kept; only the columns that cleaning reads are converted."""
        from templatemine.io import tables

        names = self.config.read
        columns = tables.cleaned_columns(names.text_field, self.config.removed_field, self.config.blocks_field)
        output = tables.OutputRows(rows, columns)
        wanted = frozenset((*columns, names.text_field, names.html_field, names.source_field, names.id_field))
        wanted |= {names.date_field} if self.config.hits else set()
        wanted |= {names.url_field} if self._formatted else set()
        # A rule for the source may look at any column.
        few = names.source_of is None or names.source is not None
        abreast = Abreast[tuple[int, dict[str, Any]] | CorpusError | None]()
        for place, source, where, record in tables.read_rows(
            rows, names, abreast.put, wanted if few else None, nulls=True
        ):
            if self._is_other(source):
                tally.leave_out(source)
            else:
                row = self._row_in_steps(place, source, record, tally)
                abreast.add(_or_error(row, where), count_characters(record))
        errors: list[bytes | CorpusError] = []
        for result in abreast.finish():
            if isinstance(result, CorpusError):
                errors.append(result)
            elif result is not None:
                output.add(*result)
        return [*errors, output.serialize()]

    def _row_in_steps(
        self, place: int, source: str, record: dict[str, Any], tally: Tally
    ) -> Steps[tuple[int, dict[str, Any]] | None]:
        """Clean a row of a table; None for a stub that is dropped."""
        is_cleaned = yield from self._clean_in_steps(source, record, tally)
        return None if is_cleaned and self._is_dropped(source, record, tally) else (place, record)

    def _clean_in_steps(self, source: str, record: dict[str, Any], tally: Tally) -> Steps[bool]:
        """Put the cleaned text and the cuts into a record, and count it unless it cannot be cleaned; False for one
        that was cleaned before."""
        earlier = None if self.config.again else read_cuts(record.get(self.config.removed_field))
        if earlier is None:
            yield from self._clean_record_in_steps(source, record, tally)
        else:
            if self.config.rows:  # the column of a table takes no text
                record[self.config.removed_field] = earlier
            tally.source_counts(source).cleaned_before += 1
        tally.source_counts(source).records += 1
        return earlier is None

    @cached_property
    def _only(self) -> frozenset[str] | None:
        return None if self.config.only is None else frozenset(self.config.only)

    def _is_other(self, source: str) -> bool:
        """Return whether records of a source are left out."""
        return self._only is not None and source not in self._only

    def _is_dropped(self, source: str, record: Mapping[str, Any], tally: Tally) -> bool:
        """Return whether a record that was cleaned is a stub that goes, which is counted."""
        drops = self.config.clean.stubs == "drop" and record.get(f"{self.config.removed_field}_stub") is True
        tally.source_counts(source).dropped += drops
        return drops

    def _clean_record_in_steps(self, source: str, record: dict[str, Any], tally: Tally) -> Steps[None]:
        counts = tally.source_counts(source)
        ready = self._choose_cleaner(source, record, tally)
        if ready is None:
            return
        body, is_page = record.get(ready.field), ready.field == self.config.read.html_field
        if is_page:
            body = page_of(record.get(self.config.read.text_field), body)
        if body is None:
            counts.other_kind += 1
            return
        cleaned, blocks, taken = yield from ready.clean(body, address_of(record, self.config.read))
        self._count_cuts(source, record, body, cleaned, is_page, tally, taken)
        self._write_cuts(record, cleaned, counts)
        if ready.finder is not None and (found := ready.finder.find(body)):
            record["found"] = found
            if not self._drops(cleaned):
                counts.add_found(found)
        if blocks is not None and self.config.blocks_field is not None:
            record[self.config.blocks_field] = [_block_fields(block) for block in blocks]

    def _choose_cleaner(self, source: str, record: Mapping[str, Any], tally: Tally) -> _PreparedCleaner | None:
        """Choose the cleaner of a record; None for one that stays as it is, which is counted."""
        counts, names = tally.source_counts(source), self.config.read
        text, page = record.get(names.text_field), record.get(names.html_field)
        if text is None and page is None:
            counts.no_text += 1  # a row of a table, all of whose rows are kept
            return None
        ready = self._find_cleaner(source)
        if source in self._bad_packs:
            tally.bad_packs[source] = self._bad_packs[source]
            counts.bad_pack += 1
            return None
        if source not in self._packs:
            if text is None and isinstance(page, str) and self.config.clean.html == "main":
                counts.page_model += 1
                return self._page_model
            counts.fallback += ready is not None
        counts.no_pack += ready is None
        return ready

    def _count_cuts(
        self,
        source: str,
        record: Mapping[str, Any],
        body: str,
        cleaned: Cleaned,
        is_page: bool,
        tally: Tally,
        taken: Sequence[Span] | None,
    ) -> None:
        """Count what is cut out of a record; `taken` from the main text of a page, None of all its text."""
        counts, removed = tally.source_counts(source), cleaned.removed
        kinds = count_page_text(body, removed) if is_page else count_spans(removed)
        left = len(cleaned.text)
        if is_page and self._formatted:  # mark-up of the output is no text
            left = len(page_text(body, removed))
        size = left + sum(kinds.values()) if is_page else len(body)
        cut = size if self._drops(cleaned) else size - left
        counts.formatted += is_page and self._formatted
        counts.characters += size
        counts.cut += cut
        if taken is not None:
            lost = sum(count_page_text(body, taken).values()) if taken else 0
            counts.outside += max(0, sum(kinds.values()) - lost)
        if self.config.hits and source in self._packs:
            from templatemine.text.dates import day_or_text

            day = day_or_text(date_of(record, self.config.read))
            tally.day_hits(source, day).add_document(size, cut, cleaned)
        longest, labels, most = self._looked
        is_looked_at = not is_page and len(body) <= longest and not self._drops(cleaned)
        spans = [(span.start, span.end) for span in removed]
        if is_looked_at and (removed or not cleaned.stub):
            tally.sample(source, body, spans, self.config.sampled)
        if not removed:
            return
        counts.changed += 1
        counts.spans += len(removed)
        counts.add_kinds(kinds)
        if is_looked_at:
            counts.looked += 1
            cuts = _records.find_doubtful(body, spans, labels)
            find_id = partial(record.get, self.config.read.id_field)
            tally.count_tears(source, body, cuts[:most], self._judge_of(source), find_id)

    def _write_cuts(self, record: dict[str, Any], cleaned: Cleaned, counts: SourceTally) -> None:
        """Put the cleaned text and the cuts into the fields of a record; count fields that are replaced, and stubs."""
        removed_field, stub_field = self.config.removed_field, f"{self.config.removed_field}_stub"
        counts.replaced += record.get(removed_field) not in (None, "")  # a cell of CSV that is empty
        if isinstance(record.get(stub_field), bool):
            del record[stub_field]  # of an earlier cleaning
        if not self.config.mark:
            record[self.config.read.text_field] = cleaned.text
        record[removed_field] = [span_fields(span) for span in cleaned.removed]
        if cleaned.stub:
            counts.stubs += 1
            record[stub_field] = True

    def _drops(self, cleaned: Cleaned) -> bool:
        """Return whether nothing of a text comes out, for it is a stub."""
        return cleaned.stub and self.config.clean.stubs == "drop"

    @property
    def _formatted(self) -> bool:
        """Return whether the main text of pages is written with its structure."""
        return self.config.clean.text_format != "text"

    @cached_property
    def _page_model(self) -> _PreparedCleaner:
        """Return the page model alone, for pages of sources without a pack."""
        clean = _page_cleaner(None, self.config.clean, self.config)
        return _PreparedCleaner(clean, self.config.read.html_field)

    def _find_cleaner(self, source: str) -> _PreparedCleaner | None:
        """Find the cleaner of a source; None without a pack, or with one of `_bad_packs`. It is made once, for the
        first record of the source."""
        if source not in self._prepared:
            with self._preparing:  # of threads that meet the same source, one does it
                self._prepare_source(source)
        return self._prepared[source]

    def _prepare_source(self, source: str) -> None:
        if source in self._prepared:
            return
        fallback = self.config.fallback
        if source in self._packs:
            try:
                self._prepared[source] = self._prepare_pack(self._packs[source])
            except SkippedPackError as error:
                self._prepared[source], self._bad_packs[source] = None, str(error)
        elif fallback is None or fallback == source:
            self._prepared[source] = None
        else:
            self._prepare_source(fallback)
            self._prepared[source] = self._prepared[fallback]
            if fallback in self._bad_packs:
                self._bad_packs[source] = self._bad_packs[fallback]

    def _prepare_pack(self, pack: Pack) -> _PreparedCleaner:
        names, config = self.config.read, self.config.clean
        if self.config.mark and config.stubs == "keep":  # uncut text is marked all the same
            config = replace(config, stubs="mark")
        if pack.html and config.html == "main":
            clean = _page_cleaner(pack.pages, config, self.config)
            return _PreparedCleaner(clean, names.html_field)
        cleaner = Cleaner(pack, config.plain())
        if pack.html:
            return _PreparedCleaner(_template_cleaner(cleaner), names.html_field)
        finder = None
        if self.config.found:
            from templatemine.cleaning.found import MetadataFinder

            finder = MetadataFinder(pack)
        find_all = find_all_kinds(cleaner)
        cleaner.forget_templates()
        lines = cleaner.make_line_cleaner(mark=self.config.mark)
        is_torn = tears_with_kept(leaves_part, find_all, cleaner.config)
        return _PreparedCleaner(_template_cleaner(cleaner), names.text_field, lines, finder, is_torn, find_all)


_CUT_KEYS = frozenset({"start", "end", "templates"})


def span_fields(span: Span) -> dict[str, Any]:
    """Return a cut as it is written: without a kind where none is known."""
    found: dict[str, Any] = {"start": span.start, "end": span.end, "templates": span.templates}
    if span.kind:
        found["kind"] = span.kind
    return found


def read_cuts(value: object) -> list[dict[str, Any]] | None:
    """Read the field of an earlier cleaning as plain values; None if it holds something else.

    Tables have it as lists, arrays or, in CSV, as JSON.
    """
    if isinstance(value, str) and value.startswith("["):
        try:
            value = decode_line(value.encode())
        except ValueError:
            return None
    value = _as_list(value)
    if value is None or not all(isinstance(one, Mapping) and one.keys() - {"kind"} == _CUT_KEYS for one in value):
        return None
    cuts = [{**one, "templates": _as_list(one["templates"])} for one in value]
    for one in cuts:
        if one.get("kind") is None:
            one.pop("kind", None)  # a table has the column in any case
        elif not isinstance(one["kind"], str):
            return None
        places, templates = (one["start"], one["end"]), one["templates"]
        if not all(isinstance(place, Integral) and not isinstance(place, bool) for place in places):
            return None
        if templates is None or not all(isinstance(name, str) for name in templates):
            return None
        one["start"], one["end"] = map(int, places)
    return cuts


def _as_list(value: Any) -> list[Any] | None:
    """Return a list, tuple or array as a list."""
    if isinstance(value, list | tuple):
        return list(value)
    return value.tolist() if hasattr(value, "tolist") and getattr(value, "ndim", 0) == 1 else None


_MAX_LOOKED_SIZE, _LOOKED_LABELS, _LOOKED_CUTS = 20_000, 1, 10
"""Characters of a text up to which torn sentences are looked for in all runs, and how many labels of it and doubtful
cuts: to look at one costs next to nothing, but to search a long text for many words takes longer than to clean it."""

_NO_FIELD = '"'
"""Stands in no line as the name of a field, where it would be escaped."""

_CleanBody = Callable[[str, "str | None"], Steps["tuple[Cleaned, list[MainBlock] | None, Sequence[Span] | None]"]]
"""Text or HTML, and its address -> text and cuts, the blocks of the main text where they are asked for, and what the
history of the source takes of it."""


def _template_cleaner(cleaner: Cleaner) -> _CleanBody:
    def clean(body: str, url: str | None) -> Steps[tuple[Cleaned, None, None]]:
        yield from ()
        return cleaner.clean(body), None, None

    return clean


def _or_error(task: Steps[_T], where: str) -> Steps[_T | CorpusError]:
    """Do a task; return the error of a record that cannot be cleaned."""
    try:
        return (yield from task)
    except PackError:
        raise
    except TemplateMineError as error:
        return CorpusError(f"cannot be cleaned: {error}", where)


def _find_none(text: str) -> list[Span]:
    return []


@dataclass(frozen=True, slots=True)
class _PreparedCleaner:
    """The cleaner of a source: of its bodies, with their field, and, where that can be, of unparsed lines; and of texts
    what tells whether a cut tears a sentence, and what finds the boilerplate of all kinds."""

    clean: _CleanBody
    field: str
    lines: _records.TextCleaner | None = None
    finder: MetadataFinder | None = None
    is_torn: IsTorn = leaves_part
    find_all: FindSpans = _find_none


def _page_cleaner(history: PageHistory | None, clean: CleanConfig, config: RecordConfig) -> _CleanBody:
    """Import the cleaner of pages with the first page: numpy and the page model load longer than all that articles
    need."""
    from templatemine.pages.main_text import PageCleaner

    clean_in_steps = PageCleaner(history, clean).clean_in_steps
    return partial(clean_in_steps, blocks=config.blocks_field is not None, taken=config.sampled > 0)


def _block_fields(block: MainBlock) -> dict[str, Any]:
    """Return a block of the main text as it is written, without its text, which the offsets give."""
    return {name: getattr(block, name) for name in ("start", "end", "score", "page", "path", "df", "reason")}


def _make_worker(packs: Mapping[str, Pack], config: RecordConfig) -> Callable[[PendingBatch], BatchResult[Tally]]:
    """Make the cleaner of batches in another process."""
    return RecordCleaner(packs, config).clean_batch
