"""Records in, lines of JSON (or rows of tables) out: cleans records of many sources, each with the pack of its source.

A record keeps its fields and their order; its text field gets the cleaned text (of a page, in the format that is asked
for; always a string), and a field ``removed`` says what was
cut: ``[{"start", "end", "templates"}]`` in code points of what was cleaned.  Four kinds of records are passed on as
they are, without ``removed``, and counted: those of a source without a pack, or with one that is skipped
(`pack_folder.PackFiles`), HTML where the pack is of text, and text where the pack is of HTML.  (A record with both is
cleaned by the field that its pack is for.)

The work goes in batches of some hundred records, to one process or to several (lines that are cleaned as they stand go
to threads of one process, as they need no lock of Python); what comes out is the same and in the same order.  JSON
lines and rows are parsed where they are cleaned, so that what reads and writes does nothing else.
Memory holds a few batches a job.  The cost is that of `Cleaner`, plus reading and writing JSON.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Generator, Iterable, Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING, Any

from templatemine.cleaning import _records
from templatemine.cleaning.cleaner import Cleaner
from templatemine.cleaning.record_batches import BATCH_CHARACTERS, BATCH_RECORDS
from templatemine.cleaning.tally import SourceTally, Tally
from templatemine.config import CleanConfig, ReadConfig
from templatemine.errors import ConfigError, CorpusError, PackError, SkippedPackError, TemplateMineError
from templatemine.io import read as archives
from templatemine.io.fields import address_of, date_of, page_of
from templatemine.io.jsonl import encode_line, encode_plain
from templatemine.io.work import Item, Items, Lines, Rows, Work
from templatemine.model import Cleaned, PageHistory, Record
from templatemine.packs.pack import Pack
from templatemine.packs.pack_folder import PackFiles
from templatemine.parallel.batches import BatchResult, collect_output, run_batches

if TYPE_CHECKING:
    from templatemine.pages.main_text import MainBlock

__all__ = ["RecordCleaner", "StreamConfig", "body_cleaner"]


@dataclass(frozen=True, slots=True, kw_only=True)
class StreamConfig:
    """Names of the fields, how to clean, and the name of the field for what was cut; and of that for the blocks of the
    main text of pages, None for none.

    keep_html : write pages that were taken out of a WARC or a feed beside their text.  rows : rows of tables come out
    as such.  hits : count by day what each expression hits.  fallback : the pack, by the source that it names, for
    records of sources without one; None to pass these on as they are.
    """

    read: ReadConfig = field(default_factory=ReadConfig)
    clean: CleanConfig = field(default_factory=CleanConfig)
    removed_field: str = "removed"
    blocks_field: str | None = None
    keep_html: bool = False
    rows: bool = False
    hits: bool = False
    fallback: str | None = None

    def __post_init__(self) -> None:
        names = self.read
        taken = [names.text_field, names.html_field, names.source_field, names.id_field, names.date_field]
        taken += [names.url_field, names.title_field]
        for what, name in (("removed field", self.removed_field), ("blocks field", self.blocks_field)):
            if name == "":
                raise ConfigError(f"{what}: expected a name, got an empty one")
            if name in taken:
                raise ConfigError(f"{what}: expected a name of its own, got {name!r} as for another field")
            taken += [] if name is None else [name]
        if self.clean.html not in ("main", "strip"):
            raise ConfigError(f"html: expected main or strip, got {self.clean.html!r}")


class RecordCleaner:
    """Cleans records with the packs of their sources.

    Parameters
    ----------
    packs : mapping of str to Pack
        By source; see `pack_folder.PackFiles`.
    config : StreamConfig, optional
    jobs : int, default 1
        Processes.

    Attributes
    ----------
    tally : Tally
        Of all that `lines` has given so far.

    Examples
    --------
    >>> cleaner = RecordCleaner(packs)  # doctest: +SKIP
    >>> for piece in cleaner.lines(read_records("new.jsonl", ReadConfig())):  # doctest: +SKIP
    ...     output.write(piece)
    """

    def __init__(self, packs: Mapping[str, Pack], config: StreamConfig | None = None, *, jobs: int = 1) -> None:
        if jobs < 1:
            raise ConfigError(f"jobs: expected at least 1, got {jobs}")
        self.config = config or StreamConfig()
        self.jobs = jobs
        self.tally = Tally()
        if self.config.fallback is not None and self.config.fallback not in packs:
            raise ConfigError(f"fallback: expected the source of a pack that is there, got {self.config.fallback!r}")
        self._packs = packs
        self._prepared: dict[str, _PreparedCleaner | None] = {}
        self._bad_packs: dict[str, str] = {}
        self._preparing = threading.Lock()

    @property
    def expressions(self) -> dict[str, list[str]]:
        """Ids of what is looked for in the articles of each source.  What is cut of pages is told of other names, too,
        so that theirs are not among them."""
        return {source: ids for source in self._packs if (ids := self._expressions_of(source)) is not None}

    def _expressions_of(self, source: str) -> list[str] | None:
        with suppress(SkippedPackError):
            pack = self._packs[source]
            return None if pack.html else [one.id for one in pack.templates]
        return None

    def lines(
        self,
        records: Iterable[Record],
        on_error: Callable[[CorpusError], None] | None = None,
        progress: Callable[[SourceTally], None] | None = None,
    ) -> Generator[bytes, None, None]:
        """Yield the cleaned records as lines of JSON; see `pieces`."""
        batches = archives.batch_records(records, False, BATCH_RECORDS, BATCH_CHARACTERS)
        return self.pieces(batches, on_error, progress)

    def pieces(
        self,
        batches: Iterable[Work],
        on_error: Callable[[CorpusError], None] | None = None,
        progress: Callable[[SourceTally], None] | None = None,
    ) -> Generator[bytes, None, None]:
        """Yield the cleaned records as lines of JSON (rows of tables as streams of Arrow, with `StreamConfig.rows`),
        many at a time, in the order of the records.

        Close the iterator if it is not used up, so that what cleans them ends.

        Parameters
        ----------
        batches : iterable
            As `read_batches` gives them.
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
            batches, self.jobs, self.clean_batch, _make_worker, (self._packs, self.config), self._is_lock_free
        )
        return collect_output(results, count, on_error)

    def clean_batch(self, work: Work | list[Item]) -> BatchResult[Tally]:
        """Clean some records; depends on nothing but them, so it may run anywhere."""
        if isinstance(work, list):
            work = Items(work)
        tally = Tally()
        errors: list[CorpusError] = []
        if isinstance(work, Rows) and self.config.rows:
            return BatchResult(self._clean_rows(work, tally, errors), tally, errors)
        if isinstance(work, Lines) and self._line_fields is not None:
            data = self._clean_lines(work, self._line_fields, tally, errors)
        else:
            data = self._clean_records(work, tally, errors)
        return BatchResult(data, tally, errors)

    def _is_lock_free(self, work: Work) -> bool:
        """Whether all lines may be cleaned as they stand, and so without Python's lock."""
        return isinstance(work, Lines) and self._line_fields is not None and self._takes_raw_lines

    @cached_property
    def _takes_raw_lines(self) -> bool:
        """Whether lines of all sources with a pack are cleaned as they stand."""
        if isinstance(self._packs, PackFiles):  # reading all would take seconds
            return self._packs.by_tokens()
        return all(pack.by_tokens and not pack.html for pack in self._packs.values())

    @cached_property
    def _line_fields(self) -> _records.Fields | None:
        """The fields of lines that are cleaned as they stand; None where every record must be looked at in Python."""
        names = self.config.read
        if self.config.hits or names.source_of is not None or self.config.clean.engine != "native":
            return None
        removed = self.config.removed_field
        fields = (names.text_field, names.html_field, names.source_field, names.id_field, removed, f"{removed}_stub")
        try:
            found = [name.encode() for name in fields]
        except UnicodeEncodeError:  # a lone surrogate
            return None
        return _records.Fields(found, names.max_record) if len(set(found)) == len(found) else None

    def _clean_lines(self, work: Lines, fields: _records.Fields, tally: Tally, errors: list[CorpusError]) -> bytes:
        """Lines as they stand, natively; those that are out of the ordinary as records."""
        block = _records.BlockCleaner(fields, work.data, work.source.encode("utf-8", "surrogatepass"))
        done: list[bytes] = []
        while (reason := block.run()) != _records.DONE:
            if reason == _records.UNKNOWN:
                block.add_source(block.source, *self._line_action(block.source.decode("utf-8", "surrogatepass")))
            else:
                line = Lines(work.place, work.source, work.number + block.number - 1, block.line)
                done += block.take_output(), self._clean_records(line, tally, errors)
        for source, kind, records, changed, spans, characters, cut, stubs in block.counts():
            if records:
                name = source.decode("utf-8", "surrogatepass")
                counts = SourceTally(records, changed=changed, spans=spans, characters=characters, cut=cut, stubs=stubs)
                if name in self._bad_packs:
                    tally.bad_packs[name], counts.bad_pack = self._bad_packs[name], records
                else:
                    counts.no_pack = records if kind == _records.PASS else 0
                counts.fallback = records if kind == _records.CLEAN and name not in self._packs else 0
                tally.source_counts(name).add(counts)
        done.append(block.take_output())
        return b"".join(done)

    def _line_action(self, source: str) -> tuple[int, _records.TextCleaner | None]:
        """What is done with ordinary lines of a source."""
        try:
            ready = self._find_cleaner(source)
        except TemplateMineError:  # to be told with each record
            return _records.DEFER, None
        if ready is None:
            return _records.PASS, None
        return (_records.DEFER, None) if ready.lines is None else (_records.CLEAN, ready.lines)

    def _clean_records(self, work: Work, tally: Tally, errors: list[CorpusError]) -> bytes:
        lines: list[bytes] = []
        slim = isinstance(work, Items) and work.derived and not self.config.keep_html
        for source, where, record, plain in archives.read_work(work, self.config.read, errors.append):
            try:
                self._clean(source, record, tally)
                if slim and record.get(self.config.read.text_field) is not None:
                    record.pop(self.config.read.html_field, None)
                lines.append(encode_plain(record) if plain else encode_line(record))
            except PackError:
                raise
            except TemplateMineError as error:
                errors.append(CorpusError(f"cannot be cleaned: {error}", where))
        return b"".join(lines)

    def _clean_rows(self, rows: Rows, tally: Tally, errors: list[CorpusError]) -> bytes:
        """Rows of a table as rows with all columns; only those that cleaning looks at are taken out of it."""
        from templatemine.io import tables

        names = self.config.read
        columns = tables.cleaned_columns(names.text_field, self.config.removed_field, self.config.blocks_field)
        output = tables.OutputRows(rows, columns)
        wanted = frozenset((*columns, names.text_field, names.html_field, names.source_field, names.id_field))
        wanted |= {names.date_field} if self.config.hits else set()
        wanted |= {names.url_field} if self._formatted else set()
        # A rule for the source may look at any column.
        records = tables.read_rows(rows, names, errors.append, wanted if names.source_of is None else None, nulls=True)
        for place, source, where, record in records:
            try:
                self._clean(source, record, tally)
                output.add(place, record)
            except PackError:
                raise
            except TemplateMineError as error:
                errors.append(CorpusError(f"cannot be cleaned: {error}", where))
        return output.serialize()

    def _clean(self, source: str, record: dict[str, Any], tally: Tally) -> None:
        """Put the cleaned text and what was cut into a record, and count it unless it cannot be cleaned."""
        self._clean_record(source, record, tally)
        tally.source_counts(source).records += 1

    def _clean_record(self, source: str, record: dict[str, Any], tally: Tally) -> None:
        counts = tally.source_counts(source)
        if record.get(self.config.read.text_field) is None and record.get(self.config.read.html_field) is None:
            counts.no_text += 1  # a row of a table, all of whose rows are kept
            return
        ready = self._find_cleaner(source)
        if source in self._bad_packs:
            tally.bad_packs[source] = self._bad_packs[source]
            counts.bad_pack += 1
            return
        if source not in self._packs:
            page = self._prepare_without_pack(record)
            if page is not None:
                ready = page
                counts.page_model += 1
            else:
                counts.fallback += ready is not None
        if ready is None:
            counts.no_pack += 1
            return
        body = record.get(ready.field)
        if ready.field == self.config.read.html_field:
            body = page_of(record.get(self.config.read.text_field), body)
        if body is None:
            counts.other_kind += 1
            return
        cleaned, blocks = ready.clean(body, address_of(record, self.config.read))
        counts.formatted += self._formatted and ready.field == self.config.read.html_field
        if self.config.hits and source in self._packs:
            from templatemine.text.dates import resolve_day

            tally.day_hits(source, resolve_day(date_of(record, self.config.read)) or "").add_document(
                len(body), cleaned
            )
        removed_field = self.config.removed_field
        counts.replaced += removed_field in record
        counts.characters += len(body)
        removed = [{"start": span.start, "end": span.end, "templates": span.templates} for span in cleaned.removed]
        if removed:
            counts.changed += 1
            counts.spans += len(removed)
            counts.cut += sum(span.end - span.start for span in cleaned.removed)
        record[self.config.read.text_field] = cleaned.text
        record[removed_field] = removed
        if cleaned.stub:
            counts.stubs += 1
            record[f"{removed_field}_stub"] = True
        if blocks is not None and self.config.blocks_field is not None:
            record[self.config.blocks_field] = [_block_fields(block) for block in blocks]

    @property
    def _formatted(self) -> bool:
        """Whether the main text of pages is written with its structure."""
        return self.config.clean.text_format != "text"

    @cached_property
    def _clean_page(self) -> _CleanBody:
        """For pages of sources without a pack."""
        return _page_cleaner(None, self.config.clean, self.config.blocks_field is not None)

    def _prepare_without_pack(self, record: Mapping[str, Any]) -> _PreparedCleaner | None:
        """For pages of sources without a pack, the page model alone; a record with a text is left as it is."""
        names = self.config.read
        page = isinstance(record.get(names.html_field), str) and record.get(names.text_field) is None
        return (
            _PreparedCleaner(self._clean_page, names.html_field) if page and self.config.clean.html == "main" else None
        )

    def _find_cleaner(self, source: str) -> _PreparedCleaner | None:
        """What cleans a source, None without a pack, or with one of `_bad_packs`; made once, when the first record of
        the source comes."""
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
        if pack.html:
            return _PreparedCleaner(body_cleaner(pack, config, self.config.blocks_field is not None), names.html_field)
        cleaner = Cleaner(pack, config.plain())
        cleaner.forget_templates()
        return _PreparedCleaner(_article_cleaner(cleaner), names.text_field, cleaner.lines)


_CleanBody = Callable[[str, "str | None"], "tuple[Cleaned, list[MainBlock] | None]"]


def body_cleaner(pack: Pack, config: CleanConfig, blocks: bool = True) -> _CleanBody:
    """What cleans the bodies that a pack is for: articles by its templates, pages to their main text or, with html
    ``strip``, by its templates as well.

    Returns
    -------
    callable
        Text or HTML, and its address -> `Cleaned`, and the blocks of the main text, None where it was not looked for,
        or not `blocks`.
    """
    if pack.html and config.html == "main":
        return _page_cleaner(pack.pages, config, blocks)
    return _article_cleaner(Cleaner(pack, config.plain()))


def _article_cleaner(cleaner: Cleaner) -> _CleanBody:
    return lambda body, url: (cleaner.clean(body), None)


@dataclass(frozen=True, slots=True)
class _PreparedCleaner:
    """What cleans a source: its bodies, the field that they stand in, and, where that can be, lines as they stand."""

    clean: _CleanBody
    field: str
    lines: _records.TextCleaner | None = None


def _page_cleaner(history: PageHistory | None, config: CleanConfig, blocks: bool) -> _CleanBody:
    """Imported with the first page: numpy and the page model take longer to load than all that articles need."""
    from templatemine.pages.main_text import PageCleaner

    cleaner = PageCleaner(history, config)
    return cleaner.clean_blocks if blocks else lambda html, url: (cleaner.clean(html, url), None)


def _block_fields(block: MainBlock) -> dict[str, Any]:
    """A block of the main text as it is written, without its text, which the offsets give."""
    return {name: getattr(block, name) for name in ("start", "end", "score", "page", "path", "df", "reason")}


def _make_worker(packs: Mapping[str, Pack], config: StreamConfig) -> Callable[[Work], BatchResult[Tally]]:
    """What cleans batches in another process."""
    return RecordCleaner(packs, config).clean_batch
