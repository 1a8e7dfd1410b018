"""Title, date and story of a page: those that it declares for machines, and those that its blocks show to readers.

`declared_title_and_date` reads JSON-LD and ``<meta>``; `find_title` and `find_date` search the blocks, whatever system
has classified them; `find_missing_story` compares the declared story with the blocks.  Cost: linear in the page.
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
from templatemine.pages.headline import MAX_DISTANCE, OPENING_WORDS
from templatemine.pages.outline import parse_attributes, plain_text
from templatemine.pages.page_dates import MAX_DATE_LENGTH, Order, find_dates, is_date, is_labelled, normalise_date
from templatemine.text.characters import in_class

__all__ = [
    "PUBLISHED",
    "TITLE_SEPARATOR",
    "find_articles",
    "find_date",
    "declared_title_and_date",
    "titles_and_dates",
    "is_article",
    "find_labelled_date",
    "is_like_title",
    "find_objects",
    "normalise_published",
    "find_shown_date",
    "find_title",
    "find_missing_story",
    "title_parts",
]

LDJSON = re.compile(rb"<script\b[^<>]{0,500}ld\+json[^<>]{0,500}>", re.IGNORECASE)
_TAG_BYTES = 600
"""Bytes searched for the rest of the tag on either side of ``ld+json``; `LDJSON` allows fewer."""
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
"""The type Article of schema.org, and its subtypes."""

TITLES, DATES = ("headline", "name"), ("datePublished", "dateCreated")
"""Properties of an article that hold its title and its date, the most reliable first."""
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
"""Names (property, itemprop or name) of a ``<meta>`` that holds the date of publication, the most reliable first."""

_WANTED = ("og:title", *PUBLISHED)
_WANTED_PARTS = [name.encode() for name in _WANTED if not any(one in name for one in _WANTED if one != name)]
"""Parts of these names: each name contains at least one, so that a search for the parts finds all of them."""

EARLIEST_DATE = "1990"

_SEPARATORS = r"(?:[-–—|·•:»«~]|--|::|//)"
TITLE_SEPARATOR = re.compile(rf"\s+{_SEPARATORS}\s+|\s*[|»｜]\s*")
"""What parts a title from the name of the site."""

TITLE_WORDS, MONTH, YEAR, NUMBERS, LINKED, OWN = (
    _html.COUNTS.index(name) for name in ("title_words", "month", "year", "numbers", "linked", "own")
)

MIN_SIMILARITY = 0.5
"""Smallest similarity (Dice's coefficient) of ``<title>`` and a block that is the headline: of their words, or of their
characters where most of the title is Chinese, Japanese or Korean."""
HEADING_BONUS = 0.2
"""Added to the similarity of a block that is a heading."""

STORY_WORDS = 100
"""Fewest words of a declared story; shorter texts are teasers (those observed have 20 to 80 words)."""
STORY_LIMIT = 100_000
"""Most characters of a declared story, and of a block, that are compared."""
NGRAM = 4
"""Length in words of the n-grams that are compared; three words repeat by chance."""


def declared_title_and_date(
    data: bytes, articles: Iterable[Mapping[str, Any]] | None = None
) -> tuple[str | None, str | None]:
    """Return the title and the date that the page declares for machines: in JSON-LD (`articles`, if the caller has
    parsed it already), then in Open Graph and other ``<meta>``."""
    title, date = next(titles_and_dates(find_articles(data) if articles is None else articles), (None, None))
    if title and date:
        return title, date
    meta: dict[str, str] = {}
    for tag in _metas(data):
        tag_attributes = parse_attributes(tag)
        key = tag_attributes.get("property") or tag_attributes.get("itemprop") or tag_attributes.get("name") or ""
        meta.setdefault(key.lower(), tag_attributes.get("content", ""))
    dates = (normalise_published(meta[key]) for key in PUBLISHED if meta.get(key))
    return title or " ".join(meta.get("og:title", "").split()) or None, date or next(filter(None, dates), None)


def _metas(data: bytes) -> Iterator[str]:
    """Yield the ``<meta>`` tags of a page that may have one of the `_WANTED` names."""
    for source in _html.find_metas(data, _WANTED_PARTS):
        tag = source.decode("utf-8", "surrogatepass")
        if META.fullmatch(tag):
            yield tag


def titles_and_dates(articles: Iterable[Mapping[str, Any]]) -> Iterator[tuple[str | None, str | None]]:
    """Yield headline and date of each article in JSON-LD (see `find_articles`)."""
    for article in articles:
        title, date = (
            next(filter(None, (_first_value(article.get(name)) for name in names)), "") for names in (TITLES, DATES)
        )
        yield plain_text(title) or None, normalise_published(date)


def _first_value(value: Any) -> str:
    """Return the value of a property as text: the first of several values, and "" if there is none."""
    if isinstance(value, list):
        value = value[0] if value else None
    if isinstance(value, dict):
        value = value.get("@value")
    return value if isinstance(value, str) else ""


def find_articles(data: bytes) -> Iterator[dict[str, Any]]:
    """Return the articles in the JSON-LD of a page, in the order of the page."""
    return filter(is_article, find_objects(data))


def find_objects(data: bytes) -> Iterator[dict[str, Any]]:
    """Yield all objects in the JSON-LD of a page in UTF-8, in the order of the page; an object comes before those it
    contains."""
    for script in _scripts(data):
        try:
            pending: list[Any] = [json.loads(script, strict=False)]
        except (ValueError, RecursionError):
            pending = [_read_broken(script)]
        while pending:
            item = pending.pop()
            if isinstance(item, list):
                pending += item[::-1]
            elif isinstance(item, dict):
                yield item
                pending += [value for value in item.values() if isinstance(value, dict | list)][::-1]


def is_article(thing: Mapping[str, Any]) -> bool:
    """Tell whether the type of an object of JSON-LD is one of `ARTICLES`."""
    kinds = thing.get("@type")
    return any(map(_is_article, kinds if isinstance(kinds, list) else [kinds]))


def _is_article(kind: Any) -> bool:
    """Tell whether the name of a type, or its URL, is one of `ARTICLES`."""
    return isinstance(kind, str) and _PREFIX.sub("", kind) in ARTICLES


def _read_broken(script: str) -> dict[str, str]:
    """Return the first article type, title and date in a script that is not valid JSON (a comma too many, a comment
    around it)."""
    fields: dict[str, str] = {}
    for name, text in _PAIR.findall(script):
        if name not in fields and (name != "@type" or _is_article(text)):
            with suppress(ValueError):
                fields[name] = json.loads(f'"{text}"', strict=False)
    return fields


def _scripts(data: bytes) -> Iterator[str]:
    """Yield the contents of the JSON-LD scripts of a page, up to the first script that has no end tag."""
    position = 0
    for hint in _html.find_ld_json(data):
        begin = (
            LDJSON.search(data, max(position, hint - _TAG_BYTES), hint + 2 * _TAG_BYTES) if hint >= position else None
        )
        if begin is not None:
            end = _END.search(data, begin.end())
            if end is None:
                return
            yield data[begin.end() : end.start()].decode("utf-8", "surrogatepass")
            position = end.end()


def normalise_published(text: str) -> str | None:
    """Return the date in a text; None if there is none, or if it is older than the Web, as the placeholders of some
    systems are."""
    date = normalise_date(text)
    return date if date is not None and date >= EARLIEST_DATE else None


def find_missing_story(page: Page, articles: Iterable[Mapping[str, Any]]) -> str:
    """Return the declared story of a page if its blocks contain less than half of it, else "".

    A story is missing from the blocks where scripts insert it, or where only subscribers see it.  It is declared as the
    ``articleBody`` of `articles` (see `find_articles`); the longest is compared, if it has `STORY_WORDS` or more, by
    its n-grams of `NGRAM` words.
    """
    bodies = (article.get("articleBody") for article in articles)
    stories = ((_words(plain_text(plain_text(body[:STORY_LIMIT]))), body) for body in bodies if isinstance(body, str))
    story, body = max(stories, key=lambda article: len(article[0]), default=([], ""))
    if len(story) < STORY_WORDS:
        return ""
    runs = set(_ngrams(story))
    matched: set[tuple[str, ...]] = set()
    previous: list[str] = []
    for block in range(len(page)):
        words = previous + _words(page.text(block)[:STORY_LIMIT])
        matched.update(runs.intersection(_ngrams(words)))
        if 2 * len(matched) >= len(runs):
            return ""
        previous = words[1 - NGRAM :]
    return plain_text(plain_text(body))


def _ngrams(words: Sequence[str]) -> Iterator[tuple[str, ...]]:
    return zip(*(words[offset:] for offset in range(NGRAM)), strict=False)


def find_title(page: Page, heading: NDArray[np.bool_], kept: NDArray[np.bool_]) -> int:
    """Index of the block that is the title of the page, -1 if there is none.

    The block that is most similar to ``<title>`` is taken if the similarity reaches `MIN_SIMILARITY`; headings are
    preferred.  Otherwise the first kept heading is taken, otherwise the first heading.  Headings come before
    ``<title>`` itself as in getMainHeadline of Baisa (2009), appendix; but on many pages the first heading is for
    screen readers, or the name of the site.

    Parameters
    ----------
    heading, kept : bool arrays, shape (blocks,)
        Which blocks are headings, and which are kept.
    """
    similarity = _title_similarity(page)
    if similar := (similarity >= MIN_SIMILARITY).nonzero()[0].tolist():
        best = max(similar, key=lambda block: similarity[block] + HEADING_BONUS * heading[block] + kept[block] * 1e-3)
        is_link = page.columns["counts"][best, LINKED] == page.words[best] and not heading[best]
        return best if not is_link or (part := _find_title_part(page, heading & kept)) < 0 else part
    for candidates in (heading & kept, heading):
        for block in candidates.nonzero()[0].tolist():
            if not is_date(page.text(block)):
                return block
    return -1


def title_parts(title: str) -> list[str]:
    """Return the parts of a ``<title>`` in lower case: that of the page and the name of its site, in whatever order."""
    return [" ".join(part.split()) for part in TITLE_SEPARATOR.split(title.casefold()) if part.strip()]


def _find_title_part(page: Page, heading: NDArray[np.bool_]) -> int:
    """Index of the only heading that is a part of ``<title>``, else of the only one all of whose words are in one part;
    -1 if there is none or more.  A link with the name of the site may have more words of ``<title>`` than that."""
    parts = title_parts(page.title)
    if len(parts) < 2:
        return -1
    counts = page.columns["counts"]
    candidates = heading & (counts[:, LINKED] < page.words) & (counts[:, TITLE_WORDS] > 0)
    texts = {block: page.text(block).casefold() for block in np.flatnonzero(candidates).tolist()}
    equal = [block for block, text in texts.items() if text in parts]
    found = equal or [
        block for block, text in texts.items() if any(set(text.split()) <= set(part.split()) for part in parts)
    ]
    return found[0] if len(found) == 1 else -1


def is_like_title(page: Page, block: int) -> bool:
    """Tell whether the similarity of a block and ``<title>`` reaches `MIN_SIMILARITY`."""
    return block >= 0 and bool(_title_similarity(page)[block] >= MIN_SIMILARITY)


def _title_similarity(page: Page) -> NDArray[np.float64]:
    """Return the similarity of each block and ``<title>``; by characters, only of blocks short enough to reach
    `MIN_SIMILARITY`."""
    words = _words(page.title)
    size = len(words)
    if page.title.isascii() or 2 * sum(in_class(word, _SINGLE) for word in words) < max(size, 1):
        columns = page.columns
        return np.asarray(2 * columns["counts"][:, TITLE_WORDS] / (page.words + max(int(columns["title"]), 1)))
    title = Counter(words)
    similarity = np.zeros(len(page))
    for block in np.flatnonzero(page.words <= (2 / MIN_SIMILARITY - 1) * size).tolist():
        tokens = Counter(_words(page.text(block)))
        similarity[block] = 2 * (title & tokens).total() / (size + tokens.total())
    return similarity


def _words(text: str) -> list[str]:
    """Return the words of a text in lower case; in Chinese, Japanese and Korean its characters."""
    return _TOKEN.findall(text.lower())


def find_date(page: Page, articles: Iterable[Mapping[str, Any]], title: int, kept: NDArray[np.bool_]) -> str | None:
    """Return the date that the page declares (see `declared_title_and_date`), else the date that its blocks show."""
    date = declared_title_and_date(page.data, articles)[1]
    return find_shown_date(page, title, kept) if date is None else date


def find_shown_date(page: Page, title: int, kept: NDArray[np.bool_]) -> str | None:
    """Return the date in a line of its own between the title of a page and its story, else the labelled date of
    publication.

    A date line has at most `MAX_DISTANCE` words and `MAX_DATE_LENGTH` characters.  It stands at most `MAX_DISTANCE`
    blocks behind the title, or before the first kept block of `OPENING_WORDS` words or more.  Lines before the title
    are searched if no line after it has a date.  A date of change ("updated on ...") is the last choice.
    """
    is_prose = (page.words >= OPENING_WORDS) & (2 * page.columns["counts"][:, NUMBERS] < page.words)
    story = (kept & is_prose)[title + 1 :]
    if not story.any():
        return None
    last = title + 1 + int(story.argmax())
    lines = _dated_blocks(page)
    near = (lines > title) & (lines <= title + MAX_DISTANCE) if title >= 0 else False
    head = lines[(lines < last) & ((lines >= last - MAX_DISTANCE) | near)]
    changed = None
    order = DateOrder(page)
    for line in (*head[head > title].tolist(), *head[head < title][::-1].tolist()):
        for date, change in _block_dates(page, line, order):
            if not change:
                return date
            changed = changed or date
    return find_labelled_date(page, order) or changed


def find_labelled_date(page: Page, order: Order, change: bool = False) -> str | None:
    """Return the date of a page that a line labels as date of publication, or of change; None if there are several such
    dates, as on pages that list others or have comments."""
    dates = {
        date
        for line in _dated_blocks(page).tolist()
        if is_labelled(page.text(line))
        for date, changes in _block_dates(page, line, order)
        if changes is change
    }
    return dates.pop() if len(dates) == 1 else None


def _dated_blocks(page: Page) -> NDArray[np.int64]:
    """Return indices of the blocks that may be date lines: short, and with a month, a year or several numbers."""
    counts = page.columns["counts"]
    dated = (counts[:, MONTH] + counts[:, YEAR] > 0) | (counts[:, NUMBERS] > 1)
    # Of scripts without spaces each character is a word.
    return np.flatnonzero(dated & (page.words - counts[:, OWN] // 2 <= MAX_DISTANCE))


def _block_dates(page: Page, line: int, order: Order) -> list[tuple[str, bool]]:
    text = page.text(line)
    return find_dates(text, order) if len(text) <= MAX_DATE_LENGTH else []
