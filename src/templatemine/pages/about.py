"""Title, date and story of a page: what it says of itself for machines, and what stands at the head of its text.

`declared` reads JSON-LD and ``<meta>``; `title_of` and `date_of` look at blocks, whatever system has judged them, and
`untold` compares the story that a page declares with its blocks.  Linear in the page.
"""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from typing import Any

import numpy as np
from numpy.typing import NDArray

from templatemine.pages import _html
from templatemine.pages.blocks import Page
from templatemine.pages.date_order import DateOrder
from templatemine.pages.headline import FAR, STORY
from templatemine.pages.outline import attributes, plain
from templatemine.pages.page_dates import LONGEST, Order, is_date, is_labelled, normalised, stated
from templatemine.text.characters import in_class

__all__ = [
    "PUBLISHED",
    "articles",
    "date_of",
    "declared",
    "headed",
    "is_article",
    "labelled",
    "like_title",
    "objects",
    "published",
    "shown",
    "title_of",
    "untold",
]

LDJSON = re.compile(rb"<script\b[^<>]{0,500}ld\+json[^<>]{0,500}>", re.IGNORECASE)
_NEAR = 600
"""No less than the bytes of the tag on either side of ``ld+json``."""
_END = re.compile(rb"</script", re.IGNORECASE)
_SINGLE = "\u3040-\ud7ff\U00020000-\U0003ffff"
"""Characters that the block scanner counts as words: kana, Han, Hangul."""
_TOKEN = re.compile(rf"[{_SINGLE}]|(?:(?![{_SINGLE}])\w)+")
_PREFIX = re.compile(r"^.*[/#:]", re.DOTALL)
META = re.compile(r"<meta\b[^<>]{0,4000}>", re.IGNORECASE)

ARTICLES = frozenset(
    [
        "Article",
        "AdvertiserContentArticle",
        "AnalysisNewsArticle",
        "AskPublicNewsArticle",
        "BackgroundNewsArticle",
        "BlogPosting",
        "DiscussionForumPosting",
        "LiveBlogPosting",
        "NewsArticle",
        "OpinionNewsArticle",
        "Report",
        "ReportageNewsArticle",
        "ReviewNewsArticle",
        "SatiricalArticle",
        "ScholarlyArticle",
        "SocialMediaPosting",
        "TechArticle",
    ]
)
"""schema.org's Article and what it counts among its kinds."""

TITLES, DATES = ("headline", "name"), ("datePublished", "dateCreated")
"""Properties of an article, the surest first."""
_PAIR = re.compile(rf'"(@type|{"|".join((TITLES[0], *DATES))})"\s*:\s*"((?:[^"\\]|\\.){{1,1000}})"')

PUBLISHED = (
    "article:published_time",
    "og:article:published_time",
    "datepublished",
    "rnews:datepublished",
    "og:pubdate",
    "originalpublicationdate",
    "parsely-pub-date",
    "sailthru.date",
    "dcterms.issued",
    "dc.date.issued",
    "dcterms.created",
    "dcterms.date",
    "dc.date",
    "pubdate",
    "publishdate",
    "publish-date",
    "displaydate",
    "date",
)
"""Names (property, itemprop or name) under which a ``<meta>`` says when a page was published, the surest first."""

_WANTED = ("og:title", *PUBLISHED)
_TELLING = [name.encode() for name in _WANTED if not any(one in name for one in _WANTED if one != name)]
"""What each of these names has one of."""

EARLIEST = "1990"

TITLE_WORDS, MONTH, YEAR, NUMBERS = (_html.COUNTS.index(name) for name in ("title_words", "month", "year", "numbers"))

ALIKE = 0.5
"""Share of their words (Dice's coefficient) that a block and ``<title>`` have in common, if it is the headline; of
their characters, where most of the title is Chinese, Japanese or Korean."""
PREFERRED = 0.2
"""Added to that where the block is a heading."""

STORY_WORDS = 100
"""Of a declared story; shorter ones are teasers (those that were met have 20 to 80 words)."""
STORY_LIMIT = 100_000
"""Characters of it, and of a block, that are compared."""
RUN = 4
"""Words in a row that are looked for: three come again by chance."""


def declared(data: bytes, told: Iterable[Mapping[str, Any]] | None = None) -> tuple[str | None, str | None]:
    """Title and date that the page says of itself, for machines: JSON-LD (`told` are its `articles`, if they are at
    hand), then Open Graph and other ``<meta>``."""
    title, date = next(headed(articles(data) if told is None else told), (None, None))
    if title and date:
        return title, date
    named: dict[str, str] = {}
    for tag in _telling(data):
        found = attributes(tag)
        key = found.get("property") or found.get("itemprop") or found.get("name") or ""
        named.setdefault(key.lower(), found.get("content", ""))
    dates = (published(named[key]) for key in PUBLISHED if named.get(key))
    return title or " ".join(named.get("og:title", "").split()) or None, date or next(filter(None, dates), None)


def _telling(data: bytes) -> Iterator[str]:
    """The ``<meta>`` of a page that may have one of the names that are asked for."""
    for found in _html.metas(data, _TELLING):
        tag = found.decode("utf-8", "surrogatepass")
        if META.fullmatch(tag):
            yield tag


def headed(told: Iterable[Mapping[str, Any]]) -> Iterator[tuple[str | None, str | None]]:
    """Headline and date of each of some `articles`."""
    for one in told:
        title, date = (next(filter(None, (_value(one.get(name)) for name in names)), "") for names in (TITLES, DATES))
        yield plain(title) or None, published(date)


def _value(found: Any) -> str:
    """What a property says, the first if it says several; "" for nothing."""
    if isinstance(found, list):
        found = found[0] if found else None
    if isinstance(found, dict):
        found = found.get("@value")
    return found if isinstance(found, str) else ""


def articles(data: bytes) -> Iterator[dict[str, Any]]:
    """The articles in the page's JSON-LD, in the order of the page."""
    return filter(is_article, objects(data))


def objects(data: bytes) -> Iterator[dict[str, Any]]:
    """All objects in the JSON-LD of a page in UTF-8, each before those in it, in the order of the page."""
    for script in _scripts(data):
        try:
            pending: list[Any] = [json.loads(script, strict=False)]
        except (ValueError, RecursionError):
            pending = [_broken(script)]
        while pending:
            one = pending.pop()
            if isinstance(one, list):
                pending += one[::-1]
            elif isinstance(one, dict):
                yield one
                pending += [value for value in one.values() if isinstance(value, dict | list)][::-1]


def is_article(one: Mapping[str, Any]) -> bool:
    """Whether an object of JSON-LD is one of `ARTICLES`."""
    kinds = one.get("@type")
    return any(map(_is_article, kinds if isinstance(kinds, list) else [kinds]))


def _is_article(kind: Any) -> bool:
    """Whether a name is one of `ARTICLES`, or its address."""
    return isinstance(kind, str) and _PREFIX.sub("", kind) in ARTICLES


def _broken(script: str) -> dict[str, str]:
    """Of a script that is no JSON (a comma too many, a comment around it), its first article kind, title and date."""
    found: dict[str, str] = {}
    for name, text in _PAIR.findall(script):
        if name not in found and (name != "@type" or _is_article(text)):
            with suppress(ValueError):
                found[name] = json.loads(f'"{text}"', strict=False)
    return found


def _scripts(data: bytes) -> Iterator[str]:
    """What stands in the page's JSON-LD scripts; one that does not end is none, nor is any behind it."""
    place = 0
    for at in _html.ld_json(data):
        begin = LDJSON.search(data, max(place, at - _NEAR), at + 2 * _NEAR) if at >= place else None
        if begin is not None:
            end = _END.search(data, begin.end())
            if end is None:
                return
            yield data[begin.end() : end.start()].decode("utf-8", "surrogatepass")
            place = end.end()


def published(text: str) -> str | None:
    """A date since there have been pages: where a system knows none, it may say the first of January of the year 1."""
    date = normalised(text)
    return date if date is not None and date >= EARLIEST else None


def untold(page: Page, told: Iterable[Mapping[str, Any]]) -> str:
    """The story that the page declares if its text has less than half of it, else "".

    `told` are its `articles`, which have stories as their ``articleBody``.

    Scripts write it where they run, or it is for subscribers.  The longest one of `STORY_WORDS` counts, by its runs of
    `RUN` words.
    """
    bodies = (one.get("articleBody") for one in told)
    stories = ((_words(plain(plain(body[:STORY_LIMIT]))), body) for body in bodies if isinstance(body, str))
    story, body = max(stories, key=lambda one: len(one[0]), default=([], ""))
    if len(story) < STORY_WORDS:
        return ""
    runs = set(_runs(story))
    found: set[tuple[str, ...]] = set()
    before: list[str] = []
    for block in range(len(page)):
        words = before + _words(page.text(block)[:STORY_LIMIT])
        found.update(runs.intersection(_runs(words)))
        if 2 * len(found) >= len(runs):
            return ""
        before = words[1 - RUN :]
    return plain(plain(body))


def _runs(words: Sequence[str]) -> Iterator[tuple[str, ...]]:
    return zip(*(words[place:] for place in range(RUN)), strict=False)


def title_of(page: Page, heading: NDArray[np.bool_], kept: NDArray[np.bool_]) -> int:
    """Place of the block that is the title of the page, -1 for none; `heading` says which blocks are headings.

    The block that says most of ``<title>``, if that is half of the words of both, a heading before other blocks; else
    the first heading that was kept, else the first.  Headings before ``<title>`` itself as in getMainHeadline of Baisa
    (2009), appendix; but the first heading of many pages is for screen readers, or the name of the site.
    """
    alike = _alike(page)
    if len(alike) and alike.max() >= ALIKE:
        return int(np.argmax(np.where(alike >= ALIKE, alike + PREFERRED * heading + kept * 1e-3, 0)))
    for which in (heading & kept, heading):
        for block in np.flatnonzero(which).tolist():
            if not is_date(page.text(block)):
                return block
    return -1


def like_title(page: Page, block: int) -> bool:
    """Whether a block says half of what ``<title>`` does, and that half of it."""
    return block >= 0 and bool(_alike(page)[block] >= ALIKE)


def _alike(page: Page) -> NDArray[np.float64]:
    """See `ALIKE`; characters are counted of blocks that are short enough to reach it."""
    title = _tokens(page.title)
    size = title.total()
    if 2 * sum(count for token, count in title.items() if in_class(token, _SINGLE)) < max(size, 1):
        columns = page.columns
        return np.asarray(2 * columns["counts"][:, TITLE_WORDS] / (page.words + max(int(columns["title"]), 1)))
    alike = np.zeros(len(page))
    for block in np.flatnonzero(page.words <= (2 / ALIKE - 1) * size).tolist():
        tokens = _tokens(page.text(block))
        alike[block] = 2 * (title & tokens).total() / (size + tokens.total())
    return alike


def _tokens(text: str) -> Counter[str]:
    return Counter(_words(text))


def _words(text: str) -> list[str]:
    """Words in lower case; in Chinese, Japanese and Korean characters."""
    return _TOKEN.findall(text.lower())


def date_of(page: Page, told: Iterable[Mapping[str, Any]], title: int, kept: NDArray[np.bool_]) -> str | None:
    """The date that the page declares (see `declared`), else the one that it shows."""
    date = declared(page.data, told)[1]
    return shown(page, title, kept) if date is None else date


def shown(page: Page, title: int, kept: NDArray[np.bool_]) -> str | None:
    """The date that stands by itself between the title of a page and its story, else the one that is labelled so.

    A date of the head stands in a line of at most `FAR` words and `LONGEST` characters, up to `FAR` blocks behind the
    title or before the first kept block of `STORY` words or more; lines before the title count where none after it has
    one.  Of these dates that of a change ("updated on ...") comes last.
    """
    story = np.flatnonzero(kept & (page.words >= STORY))
    story = story[story > title]
    if not len(story):
        return None
    last = int(story[0])
    lines = _dated(page)
    near = (lines > title) & (lines <= title + FAR) if title >= 0 else False
    head = lines[(lines < last) & ((lines >= last - FAR) | near)]
    changed = None
    order = DateOrder(page)
    for line in (*head[head > title].tolist(), *head[head < title][::-1].tolist()):
        for date, change in _told(page, line, order):
            if not change:
                return date
            changed = changed or date
    return labelled(page, order) or changed


def labelled(page: Page, order: Order, change: bool = False) -> str | None:
    """The one date of a page that a line says to be that of its publication, or of a change; None if there are several,
    as where the page lists others or has comments."""
    found = {
        date
        for line in _dated(page).tolist()
        if is_labelled(page.text(line))
        for date, changes in _told(page, line, order)
        if changes is change
    }
    return found.pop() if len(found) == 1 else None


def _dated(page: Page) -> NDArray[np.int64]:
    """Blocks short enough to be a dated line that have a month, a year or several numbers."""
    counts = page.columns["counts"]
    dated = (counts[:, [MONTH, YEAR]].any(axis=1) | (counts[:, NUMBERS] > 1)) & (page.words <= FAR)
    return np.flatnonzero(dated)


def _told(page: Page, line: int, order: Order) -> list[tuple[str, bool]]:
    text = page.text(line)
    return stated(text, order) if len(text) <= LONGEST else []
