"""HTML in, the text worth reading out, by any of the page-level systems of `pages.systems`.

A page is cut into blocks once (`pages.blocks`), the system says which of them to keep, and an `Extraction` gives the
text, the blocks with the reason for each, and the same in CleanEval's mark-up.  What is not asked for is not made, so
that the cost is that of the scanner and of the system.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import chain
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from templatemine import notebook
from templatemine.config import TEXT_FORMATS, ExtractConfig, MarkupConfig
from templatemine.errors import ConfigError, spelled
from templatemine.io.charset import decode_page
from templatemine.kinds import Choice
from templatemine.model import Span, check_str
from templatemine.pages import _html, cleaneval
from templatemine.pages.abreast import Steps, take_in_turn
from templatemine.pages.block_kinds import apply_choice, kind_of_block
from templatemine.pages.blocks import Page, read_page
from templatemine.pages.code_lines import find_code_lines
from templatemine.pages.combine import load_system
from templatemine.pages.declared import find_articles, find_missing_story
from templatemine.pages.lazy import lazy
from templatemine.pages.notices import is_paywalled
from templatemine.pages.systems import DEFAULT, BlockClassifier, Post, Site, SystemOutput
from templatemine.pages.title_and_date import find_date, find_title, is_like_title

if TYPE_CHECKING:
    from templatemine.packs.pack import Pack
    from templatemine.pages.metadata import Metadata
    from templatemine.pages.nodes import Node
    from templatemine.pages.page_tags import PageTags

__all__ = ["Block", "Extraction", "Extractor", "classify_page", "extract"]

LINKED_WORDS = _html.COUNTS.index("linked")

MIN_SHOWN_WORDS = 50
"""Shown words of a page that gives none of them, from which on it says so."""

MIN_KEPT_WORDS, MAX_DROPPED_WORDS = 30, 200
"""Kept words below which a text may be a notice (of cookies, of donations) in place of the story, and words outside of
links that a page then shows beside them, from which on it says so: of 1,500 generated pages of news
(datasets/generate.py) none has fewer than 172 of the former, or more than 184 of the latter."""

HEAD_BLOCKS, MAX_LINE_LENGTH = 12, 120
"""Blocks before and behind title and beginning that are looked at for a byline, and characters of one."""

MIN_TEASERS, MIN_TEASER_WORDS, MAX_TEASER_WORDS = 5, 3, 60
"""Linked headings of one kind that make a page a list, words of one at least, and of the text below each at most."""

MISSING_STORY = "most of the story that it declares (articleBody) is not in its text"

_JSON_BEGIN = re.compile(r"\s*([\[{])")
_MIN_SHORT_WORDS, _WORD_BYTES = 10, 8
"""Words of a page that may be all it has to say, and bytes of a word where no blanks part them."""
_SCRIPT = re.compile(r"<script[\s/>]", re.IGNORECASE)
_FRAME = re.compile(r"<frame\b[^<>]{0,2000}?\bsrc\s*=\s*[\"']?([^\s\"'>]{1,500})", re.IGNORECASE)


@dataclass(frozen=True, slots=True, kw_only=True)
class Block:
    """A block of a page, kept or not; see `Extraction.blocks`.

    Attributes
    ----------
    start, end : int
        Offsets in the page, in code points, end exclusive.
    text : str
        References are resolved, white space is folded.
    path : str
        Its elements from the nearest one with a class or id on: ``div.story#main>p``.
    words, linked : int
        Number of words, and of words in links.
    kept : bool
        True if it is part of the main text.
    reason : str
        Why it was kept or dropped.
    mark : str
        CleanEval's mark-up: "h" (heading), "p" (paragraph) or "l" (item of a list).
    label : str or None
        The system's own name for its type.
    score : float or None
        The score that decided.
    cuts : tuple of (start, end)
        Stretches of `text`, in code points, that were left out of a kept block.
    kind : str or None
        The kind of boilerplate (`kinds.KINDS`) of a block that was dropped, or kept by a choice of kinds; None if
        unknown.
    """

    start: int
    end: int
    text: str
    path: str
    words: int
    linked: int
    kept: bool
    reason: str
    mark: str
    label: str | None = None
    score: float | None = None
    cuts: tuple[tuple[int, int], ...] = ()
    kind: str | None = None


class Extraction:
    """The main text of a page, as `extract` returns it.

    Beside the attributes below, `text`, `title`, `date`, `kind`, `metadata`, `comments`, `note` and `blocks` describe
    the page, and `removed` has what is not main text.  `markdown`, `tei` and `content` keep the structure of the text.

    Attributes
    ----------
    system : str
        The system that extracted it.
    output : SystemOutput
        What the system decided on each block.
    posts : tuple of Post
        Of the system "blog"; else empty.
    url : str or None
        The address that was given.
    """

    def __init__(
        self, page: Page, output: SystemOutput, system: str, notes: Sequence[str] = (), url: str | None = None
    ) -> None:
        self.system = system
        self.url = url
        self.output = output
        self.posts: tuple[Post, ...] = output.posts
        self._page = page
        self._notes = notes

    def __repr__(self) -> str:
        return f"Extraction({self.system!r}, {self.kept} of {self.size} blocks, {self.text[:40]!r})"

    def _repr_html_(self) -> str:
        """Return title and text, for notebooks, and below it the rest, struck through, with its kinds."""
        left = [block for block in self.blocks if not block.kept]
        dropped = "".join(
            notebook.struck(block.text, [(0, len(block.text), block.reason, block.kind or "")])
            for block in left[: notebook.LISTED]
        )
        head = notebook.paragraph(f"{self.title or 'no title'} ({self.kept} of {self.size} blocks, {self.system})")
        kinds = (self.output.kinds.get(block, "") for block in self.kept_indices.tolist())
        text = notebook.marked(zip(self.texts, kinds, strict=True))
        legend = notebook.legend(block.kind or "" for block in left)
        return head + text + (f"<hr>{legend}{dropped}" if dropped else "")

    @property
    def size(self) -> int:
        """Return the number of blocks of the page."""
        return len(self._page)

    @property
    def kept(self) -> int:
        """Return the number of kept blocks."""
        return len(self.kept_indices)

    @property
    def kept_share(self) -> float:
        """Return the kept words as a share of those that the page model alone takes for main text; 1 if there are
        none, or the system does not use the page model."""
        if self.output.evidence is None:
            return 1.0
        main_words = self._page.count_words(self.output.evidence.page > 0)
        return self._page.count_words(self.output.kept) / main_words if main_words else 1.0

    @lazy
    def declared(self) -> str:
        """Return the story that the page declares (``articleBody`` in JSON-LD) if its text lacks half of it, else
        ""."""
        return find_missing_story(self._page, self._articles) if self._articles else ""

    @lazy
    def notes(self) -> tuple[str, ...]:
        """Return remarks on the page as a whole: those that were given, and what extraction noticed."""
        page, output = self._page, self.output
        page_note = (
            output.note
            or _note_frames(page)
            or (self.declared and MISSING_STORY)
            or _note_missing_text(page, output)
            or _note_list(page, output)
            or _note_no_html(page)
            or _note_scripts(page, output)
        )
        return tuple(note for note in (*self._notes, page_note) if note)

    @lazy
    def paywalled(self) -> bool:
        """Return whether the page declares that its story, or a part of it, is for subscribers."""
        return is_paywalled(self._page)

    @property
    def kind(self) -> str | None:
        """Return the kind of the page, such as "article" (`page_kind.KINDS`); None without the page model."""
        return None if self.output.evidence is None else self._page.kind

    @property
    def kind_probability(self) -> float | None:
        """Return the probability of this kind, 1 if the kind was given."""
        return None if self.output.evidence is None else round(max(self._page.kind_chances.tolist()), 4)

    @property
    def note(self) -> str:
        """Return `notes` as one text, "" if there are none."""
        return "; ".join(self.notes)

    @lazy
    def kept_indices(self) -> NDArray[np.int64]:
        """Return indices of the kept blocks among those of the page, ascending."""
        return self.output.kept.nonzero()[0]

    @lazy
    def texts(self) -> list[str]:
        """Return the text of each kept block, without its cuts."""
        cuts, texts = self.output.cuts, self._page.texts(self.kept_indices)
        lines = find_code_lines(self._page, self.kept_indices)
        if not cuts and not lines:
            return texts
        blocks = enumerate(zip(self.kept_indices.tolist(), texts, strict=True))
        return [
            _cut_text(text, cuts[block]) if block in cuts else lines.get(place, text) for place, (block, text) in blocks
        ]

    @lazy
    def spans(self) -> list[tuple[int, int]]:
        """Return the span of each kept block in the page, in code points, end exclusive."""
        return self._page.spans(self.kept_indices)

    @lazy
    def removed(self) -> tuple[Span, ...]:
        """Return the stretches of the page that are not main text: outside of kept blocks, or hidden within one."""
        return _removed_spans(self._page, self.spans)

    @lazy
    def text(self) -> str:
        """Return the main text, one kept block per line."""
        return "\n".join(filter(None, self.texts))

    @lazy
    def title(self) -> str | None:
        """Return the title: the system's, else a block (`title_and_date.find_title`), else ``<title>``, else None."""
        if self.output.title is not None:
            return self.output.title
        return (self._page.text(self._title_block) if self._title_block >= 0 else self._page.title) or None

    @lazy
    def date(self) -> str | None:
        """Return the date in ISO 8601, the system's or that of `title_and_date.find_date`; None if unknown, or for
        posts, which have their own."""
        if self.output.date is not None or self.posts:
            return self.output.date
        return find_date(self._page, self._articles, self._title_block, self.output.kept)

    @lazy
    def _title_block(self) -> int:
        return find_title(self._page, self._page.headings, self.output.kept)

    @lazy
    def _articles(self) -> list[dict[str, Any]]:
        return list(find_articles(self._page.data))

    @lazy
    def marked(self) -> str:
        """Return the main text in CleanEval's mark-up, one kept block per line."""
        lines: list[str] = []
        previous = -1
        for block, text in zip(self.kept_indices.tolist(), self.texts, strict=True):
            if not text:
                continue
            continues = block == previous + 1 and cleaneval.continues_paragraph(self._page, block)
            lines.append(text if continues else f"<{self._marks[block]}>{text}")
            previous = block
        return "\n".join(lines)

    @lazy
    def blocks(self) -> tuple[Block, ...]:
        """Return all blocks of the page, kept or not."""
        page, output = self._page, self.output
        linked = page.columns["counts"][:, LINKED_WORDS].tolist()
        score = None if output.score is None else np.round(output.score.astype(np.float64), 4).tolist()
        return tuple(
            Block(
                start=start,
                end=end,
                text=page.text(block),
                path=page.path(block),
                words=int(page.words[block]),
                linked=linked[block],
                kept=kept,
                reason=output.reasons[reason],
                mark=self._marks[block],
                label=None if output.labels is None else output.labels[block],
                score=None if score is None else score[block],
                cuts=output.cuts.get(block, ()),
                kind=output.kinds.get(block) if kept else kind_of_block(page.path(block), page.text(block)) or None,
            )
            for block, ((start, end), kept, reason) in enumerate(
                zip(
                    page.spans(np.arange(len(page))),
                    output.kept.tolist(),
                    output.reason.tolist(),
                    strict=True,
                )
            )
        )

    @lazy
    def _marks(self) -> list[str]:
        return cleaneval.block_marks(self._page)

    # The rest is imported where it is asked for: most pages become text.

    @lazy
    def _tags(self) -> PageTags:
        from templatemine.pages.page_tags import PageTags

        return PageTags(self._page, self.url)

    def nodes(self, config: MarkupConfig | None = None) -> tuple[Node, ...]:
        """Return the kept blocks as headings, paragraphs, lists, quotes, code and tables; see `pages.nodes`."""
        from templatemine.pages.markup import build_nodes

        output = self.output
        return build_nodes(self._tags, output.kept, output.cuts, config or MarkupConfig(), output.kinds)

    def _comment_nodes(self, config: MarkupConfig) -> tuple[Node, ...]:
        from templatemine.pages.markup import build_nodes

        return build_nodes(self._tags, self._comment_mask, {}, config) if config.comments else ()

    @lazy
    def _comment_mask(self) -> NDArray[np.bool_]:
        from templatemine.pages.comments import find_comments

        return find_comments(self._page, self.output.kept)

    @lazy
    def comments(self) -> str:
        """Return readers' comments below the main text, one block per line; "" if the page has none."""
        return "\n".join(filter(None, map(self._page.text, np.flatnonzero(self._comment_mask).tolist())))

    @lazy
    def metadata(self) -> Metadata:
        """Return the metadata of the page: title, authors, date, site, language, licence, tags and more."""
        from templatemine.pages.metadata import VisibleMetadata, read_metadata

        page, first_block = self._page, int(self.kept_indices[0]) if self.kept else 0
        lines = range(
            max(min(first_block, self._title_block) - HEAD_BLOCKS, 0),
            min(max(first_block, self._title_block) + HEAD_BLOCKS, self.size),
        )
        containers, parents = [int(page.columns["element"][first_block]) if self.size else 0], page.columns["parents"]
        while containers[-1] > 0:
            containers.append(int(parents[containers[-1]]))
        bounds = page.columns["bounds"]
        visible = VisibleMetadata(
            title=self.title,
            matches_title=self.output.title is not None or is_like_title(page, self._title_block),
            date=self.date,
            head_lines=tuple(text for text in map(page.text, lines) if len(text) <= MAX_LINE_LENGTH),
            containers=containers,
            head_region=(int(bounds[lines.start]), int(bounds[lines.stop])) if self.size else (0, 0),
            story_region=(int(bounds[lines.start]), int(bounds[self.kept_indices[-1] + 1])) if self.kept else (0, 0),
        )
        return read_metadata(self._tags, visible, self.url)

    def markdown(self, config: MarkupConfig | None = None) -> str:
        """Return the main text as Markdown; see docs/extract.md for its limits."""
        from templatemine.pages.documents.markdown import write_document

        config = config or MarkupConfig()
        metadata = self.metadata if config.metadata else None
        return write_document(self.nodes(config), metadata, self._comment_nodes(config))

    def tei(self, config: MarkupConfig | None = None) -> str:
        """Return the main text as a document of TEI P5, with the metadata in its header."""
        from templatemine.pages.documents.tei import nodes_to_tei

        config = config or MarkupConfig()
        return nodes_to_tei(self.nodes(config), self.metadata, self._comment_nodes(config))

    def content(self, config: MarkupConfig | None = None) -> list[dict[str, Any]]:
        """Return the nodes of the main text as JSON holds them."""
        from templatemine.pages.documents.data import nodes_to_json

        return nodes_to_json(self.nodes(config))

    def format_text(self, form: str, config: MarkupConfig | None = None) -> str:
        """Return the main text as "text", "markdown", "tei" or "json" (`content`), as the commands write it."""
        match form:
            case "text":
                return self.text
            case "markdown":
                return self.markdown(config)
            case "tei":
                return self.tei(config)
            case "json":
                return json.dumps(self.content(config), ensure_ascii=False, separators=(",", ":"))
        raise ConfigError(f"text_format: expected {' or '.join(TEXT_FORMATS)}, got {form!r}")

    def as_dict(self, blocks: bool = False, *, metadata: bool = False, comments: bool = False) -> dict[str, Any]:
        """Return title, date, text and, on request, more, as a dict for JSON; missing values are left out."""
        fields: dict[str, Any] = {"system": self.system, "title": self.title, "date": self.date, "text": self.text}
        if self.posts:
            fields["posts"] = [{"title": post.title, "date": post.date, "text": post.text} for post in self.posts]
        if self.declared:
            fields["declared"] = self.declared
        fields["kind"], fields["kind_probability"] = self.kind, self.kind_probability
        if self.paywalled:
            fields["paywalled"] = True
        if self.note:
            fields["note"] = self.note
        if metadata:
            fields["metadata"] = self.metadata.as_dict()
            fields["date"] = self.date or self.metadata.date
        if comments:
            fields["comments"] = self.comments or None
        if blocks:
            fields["blocks"] = [_block_row(block) for block in self.blocks]
        return {name: value for name, value in fields.items() if value is not None}


class Extractor:
    """Extracts the main text of any number of pages of one site; threads may share it, and it can be pickled.

    Parameters
    ----------
    system : str, optional
        A name of `pages.systems.SYSTEMS`, such as "density"; by default "hybrid".
    pack : Pack, optional
        That of the site, mined from its pages; it improves the result.
    references : sequence of str
        Other pages of the site, best first, for systems that compare pages ("diff").
    config : ExtractConfig, optional

    Raises
    ------
    ConfigError
        The system is unknown, or an option has a wrong value.
    MissingExtraError
        The system needs a library that is not installed.

    Examples
    --------
    >>> extractor = Extractor(pack=pack)  # doctest: +SKIP
    >>> extractor.extract(html).text  # doctest: +SKIP
    """

    def __init__(
        self,
        system: str | None = None,
        *,
        pack: Pack | None = None,
        references: Sequence[str] = (),
        config: ExtractConfig | None = None,
    ) -> None:
        self.system = DEFAULT if system is None else system
        self._site, self._config = Site(pack=pack, references=references), config or ExtractConfig()
        self._classify = load_system(self.system, self._site, self._config)

    def __reduce__(self) -> tuple[Any, ...]:
        """Reduce it to its arguments: other processes load the system themselves."""
        return _restore_extractor, (self.system, self._site, self._config)

    def extract(self, html: str | bytes, notes: Sequence[str] = (), url: str | None = None) -> Extraction:
        """Extract the main text of a page.

        Parameters
        ----------
        html : str or bytes
            Bytes are decoded as `io.charset.decode_page` does.
        notes : sequence of str
            Remarks to put before those of the extraction.
        url : str, optional
            The page's address, which relative addresses in it refer to.

        Raises
        ------
        CapacityError
            The page has 2 GiB or more, or more than 1,048,576 blocks.
        """
        return take_in_turn([self.extract_in_steps(html, notes, url)])[0]

    def extract_in_steps(
        self, html: str | bytes, notes: Sequence[str] = (), url: str | None = None
    ) -> Steps[Extraction]:
        """Extract a page as `extract` does, in steps that can be taken for several pages in turn."""
        if isinstance(html, bytes):
            html, met = decode_page(html)
            notes = (*met, *notes)
        check_str(html, "html", "a str or bytes")
        page = yield from read_page(html, url, self._config.clean.page.kind, scored=self.system == DEFAULT)
        return classify_page(page, self._classify, self.system, notes, url, self._config.choice)


def _restore_extractor(system: str, site: Site, config: ExtractConfig) -> Extractor:
    return Extractor(system, pack=site.pack, references=site.references, config=config)


def classify_page(
    page: Page,
    classify: BlockClassifier,
    system: str,
    notes: Sequence[str] = (),
    url: str | None = None,
    choice: Choice | None = None,
) -> Extraction:
    """Extract a page with a classifier; of one without blocks it is not asked."""
    if len(page):
        output = classify(page)
        return Extraction(page, output if choice is None else apply_choice(page, output, choice), system, notes, url)
    empty = np.zeros(0, np.int8)
    return Extraction(page, SystemOutput(kept=empty.astype(np.bool_), reason=empty, reasons=()), system, notes, url)


def extract(
    html: str | bytes,
    system: str | None = None,
    *,
    packs: Mapping[str, Pack] | None = None,
    source: str | None = None,
    pack: Pack | None = None,
    references: Sequence[str] = (),
    config: ExtractConfig | None = None,
    url: str | None = None,
) -> Extraction:
    """Extract the main text of one page; for many pages of one site, make an `Extractor` once.

    Parameters
    ----------
    html : str or bytes
    system : str, optional
        A name of `pages.systems.SYSTEMS`, such as "density"; by default "hybrid".
    packs : mapping of str to Pack, optional
        Packs by source, as `mine` returns them; `source` selects one.  A single pack needs no `source`.
    source : str, optional
        The source of the page.
    pack : Pack, optional
        The pack of the page's source, instead of `packs`.
    references, config
        As for `Extractor`.
    url : str, optional
        The page's address, which relative addresses in it refer to.

    Returns
    -------
    Extraction
        With `text`, `title`, `date`, `metadata`, `markdown` and more.

    Examples
    --------
    >>> extract("<ul><li><a href=/>Home</a></ul><p>A story.", system="bte").text  # doctest: +SKIP
    'A story.'
    """
    if packs and pack is None:
        if source is None and len(packs) > 1:
            raise ConfigError(f"source: expected the source of the page, one of {', '.join(sorted(packs))}, got none")
        pack = packs.get(source) if source is not None else next(iter(packs.values()))
    return Extractor(system, pack=pack, references=references, config=config).extract(html, url=url)


def _cut_text(text: str, cuts: Sequence[tuple[int, int]]) -> str:
    edges = [0, *(edge for cut in cuts for edge in cut), len(text)]
    pieces = (text[start:end] for start, end in zip(edges[::2], edges[1::2], strict=True))
    return " ".join(" ".join(pieces).split())


def _removed_spans(page: Page, kept_spans: Sequence[tuple[int, int]]) -> tuple[Span, ...]:
    """List the text outside some stretches, or within one but not shown."""
    holes = page.columns["holes"]
    shown_spans = _cut_holes(page, kept_spans, holes[np.argsort(holes[:, 0])]) if len(holes) else kept_spans
    edges = [0, *chain.from_iterable(shown_spans), len(page.html)]
    return tuple(Span(a, b) for a, b in zip(edges[::2], edges[1::2], strict=True) if b > a)


def _cut_holes(page: Page, spans: Sequence[tuple[int, int]], holes: NDArray[np.int64]) -> list[tuple[int, int]]:
    """Return spans without the holes that begin in them; spans and holes ascend."""
    shown: list[tuple[int, int]] = []
    hole_spans = list(zip(page.code_points(holes[:, 0]), page.code_points(holes[:, 1]), strict=True))
    index = 0
    for start, end in spans:
        while index < len(hole_spans) and hole_spans[index][0] < end:
            hole_start, hole_end = hole_spans[index]
            if hole_start >= start:
                shown.append((start, hole_start))
                start = hole_end
            index += 1
        shown.append((start, end))
    return shown


def _block_row(block: Block) -> dict[str, Any]:
    row = {name: getattr(block, name) for name in Block.__slots__}
    return {name: value for name, value in row.items() if value is not None and value != ()}


def _note_missing_text(page: Page, output: SystemOutput) -> str:
    """Word the note on a page with a text of which nothing was kept, or hardly anything."""
    if not len(page):
        return ""
    words = page.count_words(output.kept)
    if words >= MIN_KEPT_WORDS:
        return ""
    if not words:
        return (
            f"nothing was kept of {MIN_SHOWN_WORDS} words or more"
            if page.count_words(~page.hidden) >= MIN_SHOWN_WORDS
            else ""
        )
    unlinked = (page.words - page.columns["counts"][:, LINKED_WORDS])[~page.hidden & ~output.kept].sum()
    return (
        f"fewer than {MIN_KEPT_WORDS} words were kept beside {MAX_DROPPED_WORDS} or more outside of links"
        if unlinked >= MAX_DROPPED_WORDS
        else ""
    )


def _note_scripts(page: Page, output: SystemOutput) -> str:
    """Word the note on a page with scripts and hardly a word, unless most of them are its text."""
    words = max(page.all_words, len(page.columns["text"]) // _WORD_BYTES)
    is_whole = words >= _MIN_SHORT_WORDS and 2 * page.count_words(output.kept) > words
    if words >= MIN_SHOWN_WORDS or is_whole or not _SCRIPT.search(page.html):
        return ""
    option = spelled("--render", "templatemine.pages.render")
    return f"fewer than {MIN_SHOWN_WORDS} words in its HTML; if scripts write the others, run them with {option}"


def _note_list(page: Page, output: SystemOutput) -> str:
    """Word the note on a page most of whose text is below headings that link to other pages: it is a list."""
    kept, counts = output.kept, page.columns["counts"]
    linked = page.headings
    if len(linked.nonzero()[0]) < MIN_TEASERS:
        return ""
    linked = linked & (counts[:, LINKED_WORDS] == page.words) & (page.words >= MIN_TEASER_WORDS)
    if np.count_nonzero(linked) < MIN_TEASERS:
        return ""
    nodes = page.columns["node"]
    paths, sizes = np.unique(nodes[linked], return_counts=True)
    teasers = np.flatnonzero(linked & (nodes == paths[sizes.argmax()]))
    if len(teasers) < MIN_TEASERS:
        return ""
    words = np.cumsum(page.words * (kept & ~linked))
    between = np.diff(words[teasers])
    if not words[-1] or (between > MAX_TEASER_WORDS).any() or 2 * between.sum() < words[-1]:
        return ""
    return f"a list of other pages, with {len(teasers)} linked headlines; no article"


def _note_no_html(page: Page) -> str:
    """Word the note on something that is no page."""
    if (begin := _JSON_BEGIN.match(page.html)) and begin[1] + page.html.rstrip()[-1] in ("{}", "[]"):
        return "no HTML but JSON, by how it begins and ends; taken as it is"
    return "no tag in it; taken as plain text" if page.plain and len(page) else ""


def _note_frames(page: Page) -> str:
    if len(page) or not (sources := _FRAME.findall(page.html)):
        return ""
    return f"a page of frames without a text of its own; they show {', '.join(dict.fromkeys(sources))}"
