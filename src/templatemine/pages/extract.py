"""HTML in, the text worth reading out, by any of the page-level systems of `pages.systems`.

A page is cut into blocks once (`pages.blocks`), the system says which of them to keep, and an `Extraction` gives the
text, the blocks with the reason for each, and the same in CleanEval's mark-up.  What is not asked for is not made, so
that the cost is that of the scanner and of the system.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from templatemine import notebook
from templatemine.config import ExtractConfig
from templatemine.errors import ConfigError
from templatemine.io.folder import decode_html
from templatemine.model import Span
from templatemine.pages import _html, cleaneval
from templatemine.pages.about import date_of, title_of, untold
from templatemine.pages.blocks import Page
from templatemine.pages.systems import DEFAULT, Judge, Post, Site, Verdict, load

if TYPE_CHECKING:
    from templatemine.packs.pack import Pack

__all__ = ["Block", "Extraction", "Extractor", "extract", "judged"]

LINKED = _html.COUNTS.index("linked")

WORDS = 50
"""Shown words of a page that gives none of them, from which on it says so."""

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
    """

    def __init__(self, page: Page, verdict: Verdict, system: str, notes: Sequence[str] = ()) -> None:
        self.system = system
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
    def notes(self) -> tuple[str, ...]:
        """What is to be said of the page as a whole: what came with it, and what is told of it here."""
        page, verdict = self._page, self.verdict
        own = verdict.note or _frames(page) or _untold(page) or _nothing(page, verdict) or _no_page(page)
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
        return date_of(self._page, self._title, self.verdict.kept)

    @cached_property
    def _title(self) -> int:
        return title_of(self._page, self._marks, self.verdict.kept)

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

    def as_dict(self, blocks: bool = False) -> dict[str, Any]:
        """Title, date, text and, on request, blocks, as JSON holds them; what there is none of is left out."""
        found: dict[str, Any] = {"system": self.system, "title": self.title, "date": self.date, "text": self.text}
        if self.posts:
            found["posts"] = [{"title": post.title, "date": post.date, "text": post.text} for post in self.posts]
        if self.note:
            found["note"] = self.note
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

    def extract(self, html: str | bytes, notes: Sequence[str] = ()) -> Extraction:
        """Extract a page; bytes are decoded as `io.folder.decode_html` does, and `notes` stand before its own.

        Raises
        ------
        CapacityError
            The page has 2 GiB or more, or more than 1,048,576 blocks.
        """
        return judged(decode_html(html) if isinstance(html, bytes) else html, self._judge, self.system, notes)


def judged(html: str, judge: Judge, system: str, notes: Sequence[str] = ()) -> Extraction:
    """What a judge makes of a page; of one without blocks it is not asked."""
    page = Page(html)
    if len(page):
        return Extraction(page, judge(page), system, notes)
    none = np.zeros(0, np.int8)
    return Extraction(page, Verdict(kept=none.astype(np.bool_), reason=none, reasons=()), system, notes)


def extract(
    html: str | bytes,
    system: str | None = None,
    *,
    packs: Mapping[str, Pack] | None = None,
    source: str | None = None,
    pack: Pack | None = None,
    references: Sequence[str] = (),
    config: ExtractConfig | None = None,
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

    Examples
    --------
    >>> extract("<ul><li><a href=/>Home</a></ul><p>A story.", system="bte").text  # doctest: +SKIP
    'A story.'
    """
    if packs and pack is None:
        if source is None and len(packs) > 1:
            raise ConfigError(f"source: expected the source of the page, one of {', '.join(sorted(packs))}, got none")
        pack = packs.get(source) if source is not None else next(iter(packs.values()))
    return Extractor(system, pack=pack, references=references, config=config).extract(html)


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


def _untold(page: Page) -> str:
    """What is said of a page whose story is elsewhere."""
    return "most of the story that it declares (articleBody) is not in its text" if untold(page) else ""


def _nothing(page: Page, verdict: Verdict) -> str:
    """What is said of a page with a text of which none was kept."""
    if not len(page) or verdict.kept.any() or page.words[~page.hidden].sum() < WORDS:
        return ""
    return f"nothing was kept of {WORDS} words or more"


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
