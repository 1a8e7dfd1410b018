"""Records with pages in, their main text by a page-level system out: as JSON lines, text, Markdown, TEI and more.

The work goes in batches, to one process or to several; the output is the same and in the same order.  Memory holds
a few batches a process.  Where pages are rendered before (`pages.rendering`), each process has a browser of its own.
"""

from __future__ import annotations

from collections.abc import Callable, Generator, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any

from templatemine.bounds import check_jobs, check_record
from templatemine.config import ExtractConfig, MarkupConfig, ReadConfig, RenderConfig
from templatemine.errors import ConfigError, CorpusError, PackError, SkippedPackError, TemplateMineError
from templatemine.io.charset import is_garbled
from templatemine.io.fields import address_of, page_of
from templatemine.io.jsonl import encode_line
from templatemine.io.pending import PendingBatch
from templatemine.io.read import BATCH_RECORDS, read_batch, read_documents
from templatemine.pages.abreast import Abreast, Steps, count_characters
from templatemine.pages.cleaneval import HEADING
from templatemine.pages.extract import Extraction, Extractor
from templatemine.pages.systems import DEFAULT
from templatemine.parallel.batches import BatchResult, collect_output, run_batches

if TYPE_CHECKING:
    from templatemine.packs.pack import Pack
    from templatemine.pages.render.rendering import Renderer


@dataclass(frozen=True, slots=True, kw_only=True)
class PageRecordConfig:
    """Names of the fields, the system and its options, the form of what is written (a key of `FORMS`) and what it holds
    beside the text, whether JSON lines tell the blocks, whether texts that lack the title begin with it (-t of Baisa,
    2009), how pages are rendered before they are extracted, None for not at all, and the address of pages without one.
    """

    read: ReadConfig = field(default_factory=ReadConfig)
    system: str = DEFAULT
    options: ExtractConfig = field(default_factory=ExtractConfig)
    form: str = "jsonl"
    markup: MarkupConfig = field(default_factory=MarkupConfig)
    blocks: bool = False
    add_title: bool = False
    render: RenderConfig | None = None
    url: str | None = None

    def __post_init__(self) -> None:
        check_record(self)
        if self.form not in FORMS:
            raise ConfigError(f"form: expected one of {', '.join(FORMS)}, got {self.form!r}")


@dataclass(slots=True)
class ExtractTally:
    """Counts of pages: all of them, those that were rendered, those without any text, blocks kept and seen,
    characters of HTML and of text, and how many pages each note was for; sources whose pack was skipped, and why.
    """

    pages: int = 0
    rendered: int = 0
    empty: int = 0
    kept: int = 0
    blocks: int = 0
    html: int = 0
    text: int = 0
    notes: dict[str, int] = field(default_factory=dict)
    bad_packs: dict[str, str] = field(default_factory=dict)

    def add(self, other: ExtractTally) -> None:
        """Add the counts of another tally."""
        for name in ("pages", "rendered", "empty", "kept", "blocks", "html", "text"):
            setattr(self, name, getattr(self, name) + getattr(other, name))
        for note, count in other.notes.items():
            self.notes[note] = self.notes.get(note, 0) + count
        self.bad_packs |= other.bad_packs


class RecordExtractor:
    """Extracts the pages of records, each with the pack of its source.

    Parameters
    ----------
    config : PageRecordConfig, optional
    packs : mapping of str to Pack, optional
        By source.
    references : mapping of str to sequence of str, optional
        By source: pages to compare others with; those of the source "" serve all that have none of their own.
    jobs : int, default 1
        Processes.

    Attributes
    ----------
    tally : ExtractTally
        Of all that `extract_batches` has given so far.
    """

    def __init__(
        self,
        config: PageRecordConfig | None = None,
        packs: Mapping[str, Pack] | None = None,
        references: Mapping[str, Sequence[str]] | None = None,
        *,
        jobs: int = 1,
    ) -> None:
        check_jobs(jobs)
        self.config = config or PageRecordConfig()
        self.jobs = jobs
        self.tally = ExtractTally()
        self._packs = packs or {}
        self._bad_packs: dict[str, str] = {}
        self._references = references or {}
        self._extractors: dict[str, Extractor] = {}
        self._renderer: Renderer | None = None

    @property
    def batch(self) -> int:
        """Return the number of records that a batch should have: few where each may take seconds."""
        return BATCH_RECORDS if self.config.render is None else RENDERED_BATCH_RECORDS

    def check(self) -> None:
        """Make the system once, and start the browser, so that a missing library is reported before anything is read.

        Raises
        ------
        ConfigError, MissingExtraError
            As `Extractor` and `Renderer.start`.
        """
        self._get_extractor("")
        if self.config.render is not None:
            self._get_renderer(self.config.render).start()
            if self.jobs > 1:  # others will do the work
                self.close()

    def close(self) -> None:
        """End the browser, if there is one."""
        if self._renderer is not None:
            self._renderer.close()

    def extract_batches(
        self,
        batches: Iterable[PendingBatch],
        on_error: Callable[[CorpusError], None] | None = None,
        progress: Callable[[int], None] | None = None,
    ) -> Generator[bytes, None, None]:
        """Yield the output, many pages at a time, in the order of the records.

        Close the iterator if it is not used up, so that the processes end.

        Parameters
        ----------
        batches : iterable
            As `io.read.read_batches` gives them.
        on_error : callable, optional
            Called with a `CorpusError` for a record that cannot be read or holds no page, which is then left out;
            without it the first one is raised.
        progress : callable, optional
            Called after each batch with the number of its pages.
        """

        def count(tally: ExtractTally) -> None:
            self.tally.add(tally)
            if progress is not None:
                progress(tally.pages)

        arguments = (self.config, self._packs, self._references)
        try:
            results = run_batches(batches, self.jobs, self.extract_batch, _make_worker, arguments)
            yield from collect_output(results, count, on_error)
        finally:
            self.close()

    def extract_batch(self, batch: PendingBatch) -> BatchResult[ExtractTally]:
        """Extract some records; depends on nothing but them, so it may run anywhere."""
        tally = ExtractTally()
        abreast = Abreast[bytes | CorpusError]()
        for source, where, record, _ in read_batch(batch, self.config.read, abreast.put):
            abreast.add(self._write_in_steps(source, where, record, tally), count_characters(record))
        return BatchResult.of(abreast.finish(), tally)

    def _write_in_steps(
        self, source: str, where: str, record: dict[str, Any], tally: ExtractTally
    ) -> Steps[bytes | CorpusError]:
        """Write the extraction of a record's page, or return why there is none."""
        try:
            found = yield from self._extract_in_steps(source, record, tally)
        except PackError:
            raise
        except TemplateMineError as error:
            return CorpusError(f"cannot be extracted: {error}", where)
        yield
        for name in _LINES_ASK if self.config.form in _LINE_FORMS else ():
            getattr(found, name)
            yield
        return FORMS[self.config.form](self._record_id(record, where), source, record, found, self.config)

    def _extract_in_steps(self, source: str, record: dict[str, Any], tally: ExtractTally) -> Steps[Extraction]:
        """Return the extraction of a record's page; a rendered page replaces its source."""
        name = self.config.read.html_field
        html = page_of(record.get(self.config.read.text_field), record.get(name))
        if not isinstance(html, str):
            raise CorpusError(f"expected a page in {name!r}, found none")
        address = self.config.read.url_field
        if self.config.url is not None and record.get(address) is None:
            record[address] = self.config.url
        url = address_of(record, self.config.read)
        if self.config.render is None:
            found = yield from self._get_extractor(source).extract_in_steps(html, url=url)
        else:
            made = self._get_renderer(self.config.render).render(html, url)
            found = yield from self._get_extractor(source).extract_in_steps(made.html, [made.note], url)
            record[name] = made.html
            tally.rendered += made.done
        yield
        _count_page(tally, found, len(html))
        if source in self._bad_packs:
            tally.bad_packs[source] = self._bad_packs[source]
        return found

    def _get_renderer(self, config: RenderConfig) -> Renderer:
        if self._renderer is None:
            from templatemine.pages.render.rendering import Renderer

            self._renderer = Renderer(config)
        return self._renderer

    def _get_extractor(self, source: str) -> Extractor:
        found = self._extractors.get(source)
        if found is None:
            references = self._references.get(source) or self._references.get("", ())
            try:
                pack = self._packs.get(source)
            except SkippedPackError as error:  # without it, as for a source that has none
                self._bad_packs[source], pack = str(error), None
            found = self._extractors[source] = Extractor(
                self.config.system,
                pack=pack,
                references=references,
                config=self.config.options,
            )
        return found

    def _record_id(self, record: Mapping[str, Any], where: str) -> str:
        name = record.get(self.config.read.id_field)
        return where if name is None else str(name)


GARBLED = "garbled by a wrong character set before it came here"
"""The note of such a page."""


def _count_page(tally: ExtractTally, found: Extraction, size: int) -> None:
    tally.pages += 1
    tally.empty += not found.text
    tally.kept += found.kept
    tally.blocks += found.size
    tally.html += size
    tally.text += len(found.text)
    for note in (*found.notes, *([GARBLED] if is_garbled(found.text) else ())):
        tally.notes[note] = tally.notes.get(note, 0) + 1


RENDERED_BATCH_RECORDS = 16
"""Records of a batch whose pages are rendered: some seconds."""

REFERENCE_PAGES = 2
"""Pages of a source that are kept to compare with: the best one needs another."""


def find_references(
    paths: Sequence[str], config: ReadConfig, render: RenderConfig | None = None
) -> dict[str, tuple[str, ...]]:
    """Return the pages of each source to compare its others with, best first: those of middle size, see `pages.diff`.

    Everything is read twice, so that memory holds no more than these pages; records that hold no page are passed over.
    With `render` these pages are rendered, as those are that they will be compared with.

    Raises
    ------
    ConfigError
        One of the paths is standard input.
    CorpusError
        As `io.read.read_records`, if fatal.
    """
    from templatemine.pages.baselines.diff import order_by_middle

    if "-" in paths:
        raise ConfigError("diff: expected a reference page, as standard input cannot be read twice for one; got none")
    sizes: dict[str, list[int]] = {}
    for document in read_documents(paths, config, _ignore_error):
        if document.html is not None:
            sizes.setdefault(document.source, []).append(len(document.html))
    wanted = {source: order_by_middle(found)[:REFERENCE_PAGES] for source, found in sizes.items()}
    seen = dict.fromkeys(sizes, 0)
    pages: dict[str, dict[int, str]] = {source: {} for source in sizes}
    with open_renderer(render) as rendered:
        for document in read_documents(paths, config, _ignore_error):
            if document.html is not None:
                if seen[document.source] in wanted[document.source]:
                    pages[document.source][seen[document.source]] = rendered(document.html, document.url)
                seen[document.source] += 1
    return {source: tuple(pages[source][place] for place in places) for source, places in wanted.items()}


@contextmanager
def open_renderer(config: RenderConfig | None) -> Iterator[Callable[[str, str | None], str]]:
    """Open the function that turns a page and its address into the page as it is compared."""
    if config is None:
        yield lambda html, url: html
        return
    from templatemine.pages.render.rendering import Renderer

    with Renderer(config) as renderer:
        yield lambda html, url: renderer.render(html, url).html


def _ignore_error(error: CorpusError) -> None:
    """Ignore an error that is reported when the record is extracted."""


# --------------------------------------------------------------------------------------------------------------- forms

Form = Callable[[str, str, Mapping[str, Any], Extraction, PageRecordConfig], bytes]


def _fields(
    name: str, source: str, record: Mapping[str, Any], found: Extraction, config: PageRecordConfig
) -> dict[str, Any]:
    address = record.get(config.read.url_field)
    url = {} if address is None else {config.read.url_field: address}
    what = found.as_dict(config.blocks, metadata=config.markup.metadata, comments=config.markup.comments)
    row = {config.read.id_field: name, config.read.source_field: source, **url, **what}
    if config.blocks and config.render is not None:
        row["rendered"] = record[config.read.html_field]  # or the places of blocks would be places in nothing
    return row


def _jsonl(name: str, source: str, record: Mapping[str, Any], found: Extraction, config: PageRecordConfig) -> bytes:
    return encode_line(_fields(name, source, record, found, config))


def _json(name: str, source: str, record: Mapping[str, Any], found: Extraction, config: PageRecordConfig) -> bytes:
    return encode_line({**_fields(name, source, record, found, config), "content": found.content(config.markup)})


def _document_form(form: str, end: str) -> Form:
    """Return a page in a format of text, and its end mark."""

    def document(
        name: str, source: str, record: Mapping[str, Any], found: Extraction, config: PageRecordConfig
    ) -> bytes:
        head = _title_line(found, config) if form == "text" else ""
        return f"{head}{found.format_text(form, config.markup)}{end}".encode("utf-8", "surrogatepass")

    return document


def _field_form(form: str) -> Form:
    """Return the format of JSON lines with a document in a field of its name, in the place of the text."""

    def line(name: str, source: str, record: Mapping[str, Any], found: Extraction, config: PageRecordConfig) -> bytes:
        # Metadata are fields here, comments a part of the document.
        row = _fields(name, source, record, found, replace(config, markup=replace(config.markup, comments=False)))
        del row["text"]
        return encode_line({**row, form: found.format_text(form, replace(config.markup, metadata=False))})

    return line


def _cleaneval(name: str, source: str, record: Mapping[str, Any], found: Extraction, config: PageRecordConfig) -> bytes:
    from xml.sax.saxutils import quoteattr

    head = _title_line(found, config, f"<{HEADING}>")
    return f"<doc id={quoteattr(name)}>\n{head}{found.marked}\n".encode("utf-8", "surrogatepass")


def _title_line(found: Extraction, config: PageRecordConfig, mark: str = "") -> str:
    """Return the line of the title, if it is asked for and no line of the text has it."""
    title = found.title if config.add_title else None
    return f"{mark}{title}\n" if title and title not in found.text.split("\n") else ""


FORMS: Mapping[str, Form] = {
    "jsonl": _jsonl,
    "json": _json,
    "text": _document_form("text", "\n"),
    "texts": _document_form("text", "\n\n"),
    "cleaneval": _cleaneval,
    "markdown": _document_form("markdown", "\n"),
    "markdowns": _field_form("markdown"),
    "tei": _document_form("tei", ""),
    "teis": _field_form("tei"),
}
"""How pages are written: a line of JSON each; the same with the structure of the text; the text of one page, a line a
block; the same of several, an empty line after each, which no text holds; CleanEval's mark-up, each page after a line
``<doc id="...">``; one page as Markdown or TEI; several of these, a line of JSON each."""

_LINE_FORMS = ("jsonl", "json", "markdowns", "teis")
"""Those of lines of JSON."""
_LINES_ASK = ("kind", "date")
"""What these ask of each extraction, a step each."""

MULTI_PAGE_FORMS: Mapping[str, str] = {"text": "texts", "markdown": "markdowns", "tei": "teis"}
"""Forms of one page -> those of several, where they differ."""


# ----------------------------------------------------------------------------------------------------------- processes


def _make_worker(
    config: PageRecordConfig, packs: Mapping[str, Pack], references: Mapping[str, Sequence[str]]
) -> Callable[[PendingBatch], BatchResult[ExtractTally]]:
    """Make the extractor of batches in another process; a browser that it has ends with it."""
    from multiprocessing.util import Finalize

    extractor = RecordExtractor(config, packs, references)
    Finalize(extractor, extractor.close, exitpriority=1)
    return extractor.extract_batch
