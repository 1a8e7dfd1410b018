"""Title, date and story of a page as it declares them for machines, in JSON-LD and ``<meta>``; attributes and text.

`find_missing_story` compares the declared story with the blocks.  Cost: linear in the page.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from html import unescape
from typing import Any

from templatemine.pages.blocks import Page
from templatemine.pages.page_dates import normalise_date

LDJSON = re.compile(rb"<script\b[^<>]{0,500}ld\+json[^<>]{0,500}>", re.IGNORECASE)
_HINT = b"ld+json"
_TAG_BYTES = 600
"""Bytes searched for the rest of the tag on either side of ``ld+json``; `LDJSON` allows fewer."""
_END = re.compile(rb"</script", re.IGNORECASE)
SINGLE = "\u3040-\ud7ff\U00020000-\U0003ffff"
"""Characters that the block scanner counts as words: kana, Han, Hangul."""
_TOKEN = re.compile(rf"[{SINGLE}]|(?:(?![{SINGLE}])\w)+")
_PREFIX = re.compile(r"^.*[/#:]", re.DOTALL)
META = re.compile(r"<meta\b[^<>]{0,4000}>", re.IGNORECASE)
_ATTRIBUTE = re.compile(r"([^\s=\"'/>]{1,60})\s*=\s*(?:\"([^\"]*)\"|'([^']*)'|([^\s\"'>]+))")
_TAG = re.compile(r"<[^<>]*+>?")

ARTICLES = frozenset(
    (
        "Article AdvertiserContentArticle AnalysisNewsArticle AskPublicNewsArticle BackgroundNewsArticle BlogPosting "
        "DiscussionForumPosting LiveBlogPosting NewsArticle OpinionNewsArticle Report ReportageNewsArticle "
        "ReviewNewsArticle SatiricalArticle ScholarlyArticle SocialMediaPosting TechArticle"
    ).split()
)
"""The type Article of schema.org, and its subtypes."""

TITLES, DATES = ("headline", "name"), ("datePublished", "dateCreated")
"""Properties of an article that hold its title and its date, the most reliable first."""
_PAIR = re.compile(rf'"(@type|{"|".join((TITLES[0], *DATES))})"\s*:\s*"((?:[^"\\]|\\.){{1,1000}})"')

PUBLISHED = tuple(
    (
        "article:published_time og:article:published_time datepublished rnews:datepublished og:pubdate "
        "originalpublicationdate parsely-pub-date sailthru.date dcterms.issued dc.date.issued dcterms.created "
        "dcterms.date dc.date pubdate publishdate publish-date displaydate date"
    ).split()
)
"""Names (property, itemprop or name) of a ``<meta>`` that holds the date of publication, the most reliable first."""

EARLIEST_DATE = "1990"

STORY_WORDS = 100
"""Fewest words of a declared story; shorter texts are teasers (those observed have 20 to 80 words)."""
STORY_LIMIT = 100_000
"""Most characters of a declared story, and of a block, that are compared."""
NGRAM = 4
"""Length in words of the n-grams that are compared; three words repeat by chance."""


def parse_attributes(source: str) -> dict[str, str]:
    """Name in lower case -> value, references resolved; attributes without a value are left out."""
    return {
        name.lower(): unescape(double or single or bare) for name, double, single, bare in _ATTRIBUTE.findall(source)
    }


def plain_text(html: str) -> str:
    """Return the text of a stretch of a page, without tags, references resolved, white space folded."""
    return " ".join(unescape(_TAG.sub(" ", html)).split())


def declared_title_and_date(
    page: Page, articles: Iterable[Mapping[str, Any]] | None = None
) -> tuple[str | None, str | None]:
    """Return the title and the date that the page declares for machines: in JSON-LD (`articles`, if the caller has
    parsed it already), then in Open Graph and other ``<meta>``."""
    title, date = next(titles_and_dates(find_articles(page.data) if articles is None else articles), (None, None))
    if title and date:
        return title, date
    meta: dict[str, str] = {}
    for tag in (source.decode("utf-8", "surrogatepass") for source in page.metas):
        if not META.fullmatch(tag):
            continue
        tag_attributes = parse_attributes(tag)
        key = tag_attributes.get("property") or tag_attributes.get("itemprop") or tag_attributes.get("name") or ""
        meta.setdefault(key.lower(), tag_attributes.get("content", ""))
    dates = (normalise_published(meta[key]) for key in PUBLISHED if meta.get(key))
    return title or " ".join(meta.get("og:title", "").split()) or None, date or next(filter(None, dates), None)


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
    """Return whether the type of an object of JSON-LD is one of `ARTICLES`."""
    kinds = thing.get("@type")
    return any(map(_is_article, kinds if isinstance(kinds, list) else [kinds]))


def _is_article(kind: Any) -> bool:
    """Return whether the name of a type, or its URL, is one of `ARTICLES`."""
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
    position, small = 0, data.lower()
    hint = small.find(_HINT)
    while hint >= 0:
        begin = LDJSON.search(data, max(position, hint - _TAG_BYTES), hint + 2 * _TAG_BYTES)
        if begin is not None:
            end = _END.search(data, begin.end())
            if end is None:
                return
            yield data[begin.end() : end.start()].decode("utf-8", "surrogatepass")
            position = end.end()
        hint = small.find(_HINT, max(hint + 1, position))


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
    stories = ((words_of(plain_text(plain_text(body[:STORY_LIMIT]))), body) for body in bodies if isinstance(body, str))
    story, body = max(stories, key=lambda article: len(article[0]), default=([], ""))
    if len(story) < STORY_WORDS:
        return ""
    runs = set(_ngrams(story))
    matched: set[tuple[str, ...]] = set()
    previous: list[str] = []
    for block in range(len(page)):
        words = previous + words_of(page.text(block)[:STORY_LIMIT])
        matched.update(runs.intersection(_ngrams(words)))
        if 2 * len(matched) >= len(runs):
            return ""
        previous = words[1 - NGRAM :]
    return plain_text(plain_text(body))


def _ngrams(words: Sequence[str]) -> Iterator[tuple[str, ...]]:
    return zip(*(words[offset:] for offset in range(NGRAM)), strict=False)


def words_of(text: str) -> list[str]:
    """Return the words of a text in lower case; in Chinese, Japanese and Korean its characters."""
    return _TOKEN.findall(text.lower())
