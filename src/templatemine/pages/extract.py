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
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from templatemine import notebook
from templatemine.config import TEXT_FORMATS, ExtractConfig, MarkupConfig
from templatemine.errors import ConfigError
from templatemine.io.folder import decode_html
from templatemine.model import Span
from templatemine.pages import _html, cleaneval
from templatemine.pages.about import articles, date_of, like_title, title_of, untold
from templatemine.pages.blocks import Page
from templatemine.pages.systems import DEFAULT, Judge, Post, Site, Verdict, load

if TYPE_CHECKING:
    from templatemine.packs.pack import Pack
    from templatemine.pages.metadata import Metadata
    from templatemine.pages.nodes import Node
    from templatemine.pages.page_tags import Tags

__all__ = ["Block", "Extraction", "Extractor", "extract", "judged"]

LINKED = _html.COUNTS.index("linked")

WORDS = 50
"""Shown words of a page that gives none of them, from which on it says so."""

LITTLE, MUCH = 30, 200
"""Kept words below which a text may be a notice (of cookies, of donations) in place of the story, and words outside of
links that a page then shows beside them, from which on it says so: of 1,500 generated pages of news
(datasets/generate.py) none has fewer than 172 of the former, or more than 184 of the latter."""

HEAD, LINE = 12, 120
"""Blocks before and behind title and beginning that are looked at for a byline, and characters of one."""

UNTOLD = "most of the story that it declares (articleBody) is not in its text"

_FRAME = re.compile(r"<frame\b[^<>]{0,2000}?\bsrc\s*=\s*[\"']?([^\s\"'>]{1,500})", re.IGNORECASE)


@dataclass(frozen=True, slots=True, kw_only=True)
class Block:
    """A block of a page.

    Attributes
    ----------
    start, end : int
        Where it stands in the page, in code points, end exclusive.
    text : str
        References resolved, white space folded.
    path : str
        Its elements from the nearest one with a class or id on: ``div.story#main>p``.
    words, linked : int
        Words, and how many of them stand in links.
    kept : bool
    reason : str
        Why it was kept or dropped.
    mark : str
        What it is in CleanEval's mark-up: h (heading), p (paragraph) or l (item of a list).
    label : str or None
        The system's own name for its kind.
    score : float or None
        What the system decided by.
    cuts : tuple of (start, end)
        Stretches of `text`, in code points, that were left out although the block was kept.
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


class Extraction:
    """What a system made of a page.

    Attributes
    ----------
    system : str
    verdict : Verdict
    posts : tuple of Post
        Where the system looks for them.
    url : str or None
        The address that the page was said to have.
    """

    def __init__(
        self, page: Page, verdict: Verdict, system: str, notes: Sequence[str] = (), url: str | None = None
    ) -> None:
        self.system = system
        self.url = url
        self.verdict = verdict
        self.posts: tuple[Post, ...] = verdict.posts
        self._page = page
        self._notes = notes

    def __repr__(self) -> str:
        return f"Extraction({self.system!r}, {self.kept} of {self.size} blocks, {self.text[:40]!r})"

    def _repr_html_(self) -> str:
        """Title and text, for notebooks, and below it what was left out, struck through."""
        left = [block for block in self.blocks if not block.kept][: notebook.LISTED]
        dropped = "".join(notebook.struck(block.text, [(0, len(block.text), block.reason)]) for block in left)
        head = notebook.paragraph(f"{self.title or 'no title'} ({self.kept} of {self.size} blocks, {self.system})")
        return head + notebook.struck(self.text, ()) + (f"<hr>{dropped}" if dropped else "")

    @property
    def size(self) -> int:
        """Blocks of the page."""
        return len(self._page)

    @property
    def kept(self) -> int:
        """Blocks of the page that were kept."""
        return len(self.places)

    @property
    def left_of_sure(self) -> float:
        """Words that were kept, as a share of those that the page model alone holds for main text; 1 if there are none
        or the system does not ask it."""
        if self.verdict.evidence is None:
            return 1.0
        sure = int(self._page.words[self.verdict.evidence.page > 0].sum())
        return int(self._page.words[self.verdict.kept].sum()) / sure if sure else 1.0

    @cached_property
    def declared(self) -> str:
        """The story that the page declares (``articleBody`` in JSON-LD) if its text has not half of it, else ""."""
        return untold(self._page, self._articles)

    @cached_property
    def notes(self) -> tuple[str, ...]:
        """What is to be said of the page as a whole: what came with it, and what is told of it here."""
        page, verdict = self._page, self.verdict
        own = verdict.note or _frames(page) or (self.declared and UNTOLD) or _missing(page, verdict) or _no_page(page)
        return tuple(note for note in (*self._notes, own) if note)

    @property
    def note(self) -> str:
        """The same as one text, "" if there is nothing to be said."""
        return "; ".join(self.notes)

    @cached_property
    def places(self) -> NDArray[np.int64]:
        """Places of the kept blocks among those of the page, ascending."""
        return np.flatnonzero(self.verdict.kept)

    @cached_property
    def texts(self) -> list[str]:
        """The text of each kept block, without its cuts."""
        cuts = self.verdict.cuts
        texts = ((block, self._page.text(block)) for block in self.places.tolist())
        return [_without(text, cuts[block]) if block in cuts else text for block, text in texts]

    @cached_property
    def spans(self) -> list[tuple[int, int]]:
        """Where each kept block stands in the page, in code points, end exclusive."""
        return self._page.spans(self.places)

    @cached_property
    def removed(self) -> tuple[Span, ...]:
        """The stretches of the page that are in no kept block, or within one but not shown."""
        return _removed(self._page, self.spans)

    @cached_property
    def text(self) -> str:
        """The kept blocks, a line each."""
        return "\n".join(filter(None, self.texts))

    @cached_property
    def title(self) -> str | None:
        """The system's title of the page, else that of `about.title_of`, else ``<title>``."""
        if self.verdict.title is not None:
            return self.verdict.title
        return (self._page.text(self._title) if self._title >= 0 else self._page.title) or None

    @cached_property
    def date(self) -> str | None:
        """The system's date of the page in ISO 8601, else that of `about.date_of`; posts have their own."""
        if self.verdict.date is not None or self.posts:
            return self.verdict.date
        return date_of(self._page, self._articles, self._title, self.verdict.kept)

    @cached_property
    def _title(self) -> int:
        return title_of(self._page, cleaneval.headings(self._page), self.verdict.kept)

    @cached_property
    def _articles(self) -> list[dict[str, Any]]:
        return list(articles(self._page.data))

    @cached_property
    def marked(self) -> str:
        """The kept blocks in CleanEval's mark-up, a line each."""
        lines: list[str] = []
        before = -1
        for block, text in zip(self.places.tolist(), self.texts, strict=True):
            if not text:
                continue
            goes_on = block == before + 1 and cleaneval.continues(self._page, block)
            lines.append(text if goes_on else f"<{self._marks[block]}>{text}")
            before = block
        return "\n".join(lines)

    @cached_property
    def blocks(self) -> tuple[Block, ...]:
        """All blocks of the page, kept or not."""
        page, verdict = self._page, self.verdict
        linked = page.columns["counts"][:, LINKED].tolist()
        score = None if verdict.score is None else np.round(verdict.score.astype(np.float64), 4).tolist()
        return tuple(
            Block(
                start=start,
                end=end,
                text=page.text(block),
                path=page.path(block),
                words=int(page.words[block]),
                linked=linked[block],
                kept=kept,
                reason=verdict.reasons[reason],
                mark=self._marks[block],
                label=None if verdict.labels is None else verdict.labels[block],
                score=None if score is None else score[block],
                cuts=verdict.cuts.get(block, ()),
            )
            for block, ((start, end), kept, reason) in enumerate(
                zip(
                    page.spans(np.arange(len(page))),
                    verdict.kept.tolist(),
                    verdict.reason.tolist(),
                    strict=True,
                )
            )
        )

    @cached_property
    def _marks(self) -> list[str]:
        return cleaneval.marks(self._page)

    # The rest is imported where it is asked for: most pages become text.

    @cached_property
    def _tags(self) -> Tags:
        from templatemine.pages.page_tags import Tags

        return Tags(self._page, self.url)

    def nodes(self, config: MarkupConfig | None = None) -> tuple[Node, ...]:
        """The kept blocks as headings, paragraphs, lists, quotes, code and tables; see `pages.nodes`."""
        from templatemine.pages.markup import structure

        return structure(self._tags, self.verdict.kept, self.verdict.cuts, config or MarkupConfig())

    def _comment_nodes(self, config: MarkupConfig) -> tuple[Node, ...]:
        from templatemine.pages.markup import structure

        return structure(self._tags, self._talk, {}, config) if config.comments else ()

    @cached_property
    def _talk(self) -> NDArray[np.bool_]:
        from templatemine.pages.comments import comments_of

        return comments_of(self._page, self.verdict.kept)

    @cached_property
    def comments(self) -> str:
        """What readers say below the main text, a line each block; "" if the page has no comments."""
        return "\n".join(filter(None, map(self._page.text, np.flatnonzero(self._talk).tolist())))

    @cached_property
    def metadata(self) -> Metadata:
        """What the page says of itself: title, authors, date, site, language, licence, tags and more."""
        from templatemine.pages.metadata import Seen, metadata_of

        page, first = self._page, int(self.places[0]) if self.kept else 0
        lines = range(max(min(first, self._title) - HEAD, 0), min(max(first, self._title) + HEAD, self.size))
        around, parents = [int(page.columns["element"][first]) if self.size else 0], page.columns["parents"]
        while around[-1] > 0:
            around.append(int(parents[around[-1]]))
        bounds = page.columns["bounds"]
        seen = Seen(
            title=self.title,
            alike=self.verdict.title is not None or like_title(page, self._title),
            date=self.date,
            head=tuple(text for text in map(page.text, lines) if len(text) <= LINE),
            around=around,
            region=(int(bounds[lines.start]), int(bounds[lines.stop])) if self.size else (0, 0),
        )
        return metadata_of(self._tags, seen, self.url)

    def markdown(self, config: MarkupConfig | None = None) -> str:
        """The main text as Markdown; see docs/extract.md for what it cannot hold."""
        from templatemine.pages.documents.markdown import document

        config = config or MarkupConfig()
        about = self.metadata if config.metadata else None
        return document(self.nodes(config), about, self._comment_nodes(config))

    def tei(self, config: MarkupConfig | None = None) -> str:
        """The main text as a document of TEI P5, with the metadata in its header."""
        from templatemine.pages.documents.tei import tei

        config = config or MarkupConfig()
        return tei(self.nodes(config), self.metadata, self._comment_nodes(config))

    def content(self, config: MarkupConfig | None = None) -> list[dict[str, Any]]:
        """The nodes of the main text as JSON holds them."""
        from templatemine.pages.documents.data import data

        return data(self.nodes(config))

    def written(self, form: str, config: MarkupConfig | None = None) -> str:
        """The main text in one of `config.TEXT_FORMATS`, as `extract` and `clean` write it; as JSON it is `content`."""
        match form:
            case "text":
                return self.text
            case "markdown":
                return self.markdown(config)
            case "tei":
                return self.tei(config)
            case "json":
                return json.dumps(self.content(config), ensure_ascii=False, separators=(",", ":"))
        raise ConfigError(f"text format: expected {' or '.join(TEXT_FORMATS)}, got {form!r}")

    def as_dict(self, blocks: bool = False, *, metadata: bool = False, comments: bool = False) -> dict[str, Any]:
        """Title, date, text and, on request, more, as JSON holds them; what there is none of is left out."""
        found: dict[str, Any] = {"system": self.system, "title": self.title, "date": self.date, "text": self.text}
        if self.posts:
            found["posts"] = [{"title": post.title, "date": post.date, "text": post.text} for post in self.posts]
        if self.declared:
            found["declared"] = self.declared
        if self.note:
            found["note"] = self.note
        if metadata:
            found["metadata"] = self.metadata.as_dict()
        if comments:
            found["comments"] = self.comments or None
        if blocks:
            found["blocks"] = [_row(block) for block in self.blocks]
        return {name: value for name, value in found.items() if value is not None}


class Extractor:
    """One system, ready for any number of pages of one site; safe to share between threads.

    Parameters
    ----------
    system : str, optional
        A name of `pages.systems.SYSTEMS`.
    pack : Pack, optional
        Of the site, for the systems that use what its pages have taught.
    references : sequence of str
        Other pages of the site, best first, for the systems that compare pages.
    config : ExtractConfig, optional

    Raises
    ------
    ConfigError
        There is no such system, or it cannot do with what is known of the site.
    MissingExtraError
        The system needs a library that is not installed.
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
        self._judge = load(self.system, Site(pack=pack, references=references), config or ExtractConfig())

    def extract(self, html: str | bytes, notes: Sequence[str] = (), url: str | None = None) -> Extraction:
        """Extract a page; bytes are decoded as `io.folder.decode_html` does, `notes` stand before its own, and
        addresses in the page are relative to its `url`.

        Raises
        ------
        CapacityError
            The page has 2 GiB or more, or more than 1,048,576 blocks.
        """
        return judged(decode_html(html) if isinstance(html, bytes) else html, self._judge, self.system, notes, url)


def judged(html: str, judge: Judge, system: str, notes: Sequence[str] = (), url: str | None = None) -> Extraction:
    """What a judge makes of a page; of one without blocks it is not asked."""
    page = Page(html)
    if len(page):
        return Extraction(page, judge(page), system, notes, url)
    none = np.zeros(0, np.int8)
    return Extraction(page, Verdict(kept=none.astype(np.bool_), reason=none, reasons=()), system, notes, url)


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
    """Extract one page; for many of one site, make an `Extractor` once.

    Parameters
    ----------
    html : str or bytes
    system : str, optional
        A name of `pages.systems.SYSTEMS`; the default is the best for what is known of the site.
    packs : mapping of str to Pack, optional
        By source, as `mine` gives them; `source` says which is that of the page.  One pack alone needs no name.
    pack : Pack, optional
        That of the page's source, instead.
    references, config
        As for `Extractor`.
    url : str, optional
        Of the page, for addresses in it.

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


def _without(text: str, cuts: Sequence[tuple[int, int]]) -> str:
    edges = [0, *(edge for cut in cuts for edge in cut), len(text)]
    pieces = (text[start:end] for start, end in zip(edges[::2], edges[1::2], strict=True))
    return " ".join(" ".join(pieces).split())


def _removed(page: Page, kept: Sequence[tuple[int, int]]) -> tuple[Span, ...]:
    """What is in none of some stretches, or within one but not shown."""
    shown: list[tuple[int, int]] = []
    holes = page.columns["holes"]
    holes = holes[np.argsort(holes[:, 0])]
    hidden = list(zip(page.code_points(holes[:, 0]), page.code_points(holes[:, 1]), strict=True))
    place = 0
    for start, end in kept:
        while place < len(hidden) and hidden[place][0] < end:
            first, last = hidden[place]
            if first >= start:
                shown.append((start, first))
                start = last
            place += 1
        shown.append((start, end))
    edges = [0, *(edge for span in shown for edge in span), len(page.html)]
    return tuple(Span(a, b) for a, b in zip(edges[::2], edges[1::2], strict=True) if b > a)


def _row(block: Block) -> dict[str, Any]:
    row = {name: getattr(block, name) for name in Block.__slots__}
    return {name: value for name, value in row.items() if value is not None and value != ()}


def _missing(page: Page, verdict: Verdict) -> str:
    """What is said of a page with a text of which nothing was kept, or hardly anything."""
    if not len(page):
        return ""
    if not verdict.kept.any():
        return f"nothing was kept of {WORDS} words or more" if page.words[~page.hidden].sum() >= WORDS else ""
    if page.words[verdict.kept].sum() >= LITTLE:
        return ""
    unlinked = (page.words - page.columns["counts"][:, LINKED])[~page.hidden & ~verdict.kept].sum()
    return f"fewer than {LITTLE} words were kept beside {MUCH} or more outside of links" if unlinked >= MUCH else ""


def _no_page(page: Page) -> str:
    """What is said of something that is no page."""
    first, last = (next((sign for sign in way if not sign.isspace()), "") for way in (page.html, reversed(page.html)))
    if first + last in ("{}", "[]"):
        return "no HTML but JSON, by how it begins and ends; taken as it is"
    return "no tag in it; taken as plain text" if page.plain and len(page) else ""


def _frames(page: Page) -> str:
    if len(page) or not (found := _FRAME.findall(page.html)):
        return ""
    return f"a page of frames without a text of its own; they show {', '.join(dict.fromkeys(found))}"
