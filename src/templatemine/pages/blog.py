"""blog: the posts of a page with their titles and dates.

BlogBuster (G. and D. Petasis, A tool for extracting corpora from the blogosphere): the ids and classes that Blogger and
WordPress give their elements say what is a post, a title and a date (section 4).  `RULES` has the paper's patterns as
data, and behind them, tried where those find nothing, what blogs have come to use since: hAtom and microformats,
schema.org, <article>, <time>, and for pages of one post JSON-LD and Open Graph.

What the paper leaves open: its patterns are matched with each name of a class attribute and with ids; a post found by
several elements is one post; comments, sidebars and footers hold no posts.  A page without posts goes to `density`, and
says so.
"""

from __future__ import annotations

import json
import re
from bisect import bisect_left, bisect_right
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from fnmatch import translate
from functools import cache, lru_cache
from typing import Any

import numpy as np

from templatemine.config import ExtractConfig
from templatemine.errors import ConfigError
from templatemine.pages import density
from templatemine.pages.blocks import Page
from templatemine.pages.dates import LONGEST, is_date, normalised
from templatemine.pages.outline import Outline, attributes, plain
from templatemine.pages.systems import Judge, Post, Site, Verdict

__all__ = ["KINDS", "RULES", "Rule", "make", "posts_of"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Rule:
    """Elements of these names (none for any) with a class or id like one of these patterns, or with one of these words
    as itemprop or itemtype; without either, all of these names.

    where : the paragraph of the paper's section 4, or what else it comes from.
    """

    tags: str = ""
    like: str = ""
    item: str = ""
    where: str

    @property
    def published(self) -> bool:
        """It is one of the paper's."""
        return self.where[0].isdigit()


RULES: Mapping[str, tuple[Rule, ...]] = {
    "post": (Rule(tags="div", like="post* *hentry* divlog *entry*post* *post-* snap_preview", where="1a"),),
    "whole": (
        Rule(tags="article", where="HTML 5"),
        Rule(like="hentry h-entry", where="hAtom, microformats 2"),
        Rule(item="BlogPosting Article NewsArticle", where="schema.org"),
    ),
    "body": (
        Rule(tags="div", like="*post-body* posts entry content *entry-content* snap_preview", where="2a"),
        Rule(tags="div", like="entry* text entrybody", where="2b"),
        Rule(like="entry-content e-content entry-summary p-summary", where="hAtom, microformats 2"),
        Rule(item="articleBody", where="schema.org"),
        Rule(
            tags="div section",
            like="*post-content* *post-text* *article-body* *article-content* *post-excerpt*",
            where="WordPress",
        ),
    ),
    "title": (
        Rule(tags="h3", like="*post-title* *entry-title* *title*", where="3a"),
        Rule(tags="h2", like="*post-title* *entry-title* *title*", where="3a"),
        Rule(tags="a", like="*post-title* *entry-title* *title*", where="3a"),
        Rule(like="entry-title p-name", where="hAtom, microformats 2"),
        Rule(item="headline", where="schema.org"),
        Rule(tags="h1 h2 h3 h4 h5", where="a heading of the post"),
    ),
    "title before": (Rule(tags="h1 h2 h3 h4 h5", where="3b"),),
    "date": (
        Rule(tags="div", like="*posted-in* datepost entrymeta date", where="4a"),
        Rule(tags="span", like="postdate date", where="4b i"),
        Rule(tags="small", like="postdate date *time* *date*", where="4b ii"),
        Rule(item="datePublished", where="schema.org"),
        Rule(tags="time", where="HTML 5"),
        Rule(like="published dt-published updated", where="hAtom, microformats 2"),
        Rule(like="*date* *posted-on*", where="WordPress"),
    ),
    "date before": (Rule(tags="h1 h2 h3 h4 h5 span small", like="*date-header* *date*", where="4c"),),
    "aside": (
        Rule(tags="nav aside footer form", where="HTML 5"),
        Rule(
            tags="div section ul ol li p span article",
            like="*comment* *respond* *sidebar* *footer* *related* *sharedaddy* *share-* *pager* *post-feeds*",
            where="holds no text of posts",
        ),
    ),
}
"""What each part of a post looks like, in the order in which rules are tried; "whole" is a post of which all is text
that is no title, date or aside, if no element in it is that of its text."""

LDJSON = re.compile(r"<script\b[^<>]{0,500}ld\+json[^<>]{0,500}>(.*?)</script", re.IGNORECASE | re.DOTALL)
META = re.compile(r"<meta\b[^<>]{0,4000}>", re.IGNORECASE)
ARTICLES = frozenset(["BlogPosting", "Article", "NewsArticle"])
SEARCHED = 64
"""Elements of a kind that are looked at for a post, and levels up that it is looked for: more make no post."""

ALL, PAPER = KINDS = ("all", "paper")

REASONS = ("not in a post", "text of a post", "title or date of a post", "beside the text of a post", "not shown")
OUTSIDE, INSIDE, HEAD, BESIDE, HIDDEN = range(5)


# --------------------------------------------------------------------------------------------------------------- rules


@cache
def _pattern(like: str) -> re.Pattern[str]:
    return re.compile("|".join(map(translate, like.split())), re.IGNORECASE)


@lru_cache(maxsize=8192)
def _names(written: str) -> tuple[tuple[str, ...], frozenset[str]]:
    """Classes and id of an element, and the last parts of its itemprop and itemtype."""
    if "=" not in written:
        return (), frozenset()
    found = attributes(written)
    names = (*found.get("class", "").split(), *found.get("id", "").split())
    items = (f"{found.get('itemprop', '')} {found.get('itemtype', '')}").split()
    return names, frozenset(item.rsplit("/", 1)[-1] for item in items)


@lru_cache(maxsize=65536)
def _rank(kind: str, part: str, tag: str, written: str) -> int:
    """Place of the first rule of a part that an element meets, -1 for none."""
    names, items = _names(written)
    for place, rule in enumerate(RULES[part]):
        if kind == PAPER and not rule.published:
            continue
        if rule.tags and tag not in rule.tags.split():
            continue
        if not rule.like and not rule.item:
            return place
        if rule.like and any(_pattern(rule.like).match(name) for name in names):
            return place
        if rule.item and not items.isdisjoint(rule.item.split()):
            return place
    return -1


class Parts:
    """The elements of a page that may be parts of posts.

    Attributes
    ----------
    of : mapping of str to (places, ranks)
        By part, elements that meet one of its rules, in the order of the page, and which rule.
    aside : sequence of bool
        Of each element, whether it stands where no posts are.
    """

    def __init__(self, outline: Outline, kind: str = ALL) -> None:
        self.outline = outline
        self.kind = kind
        self.of: dict[str, tuple[list[int], list[int]]] = {part: ([], []) for part in RULES if part != "aside"}
        self.aside: list[bool] = []
        rows = zip(outline.tags, outline.attributes, outline.parents, strict=True)
        for number, (tag, written, parent) in enumerate(rows):
            over = parent >= 0 and self.aside[parent]
            self.aside.append(over or _rank(ALL, "aside", tag, written) >= 0)
            for part, (places, ranks) in self.of.items():
                if (rank := _rank(kind, part, tag, written)) >= 0:
                    places.append(number)
                    ranks.append(rank)

    def within(self, part: str, element: int) -> list[int]:
        """Elements of a part in another one, best rule first, then in the order of the page."""
        places, ranks = self.of[part]
        left = bisect_right(places, element)
        right = min(bisect_right(places, self.outline.lasts[element]), left + SEARCHED)
        return [places[at] for at in sorted(range(left, right), key=lambda at: ranks[at])]

    def before(self, part: str, element: int) -> Iterator[int]:
        """Elements of a part that are previous siblings of another one, nearest first."""
        places, _ = self.of[part]
        parent = self.outline.parents[element]
        for at in range(bisect_left(places, element) - 1, max(-1, bisect_left(places, element) - SEARCHED), -1):
            if places[at] <= parent:
                return
            if self.outline.parents[places[at]] == parent:
                yield places[at]


# --------------------------------------------------------------------------------------------------------------- posts


@dataclass(frozen=True, slots=True)
class Found:
    """A post as elements: of its text, title and date (-1 for none), and the date."""

    body: int
    title: int
    dated: int
    date: str | None


def bodies(parts: Parts) -> list[int]:
    """Elements that hold the text of a post each, none within another (steps 1 and 2)."""
    outline = parts.outline
    places, ranks = parts.of["body"]
    direct = {place for place, rank in zip(places, ranks, strict=True) if rank != 1}
    found: set[int] = set()
    whole = set(parts.of["whole"][0])
    empty: list[int] = []
    for post in sorted(whole.union(parts.of["post"][0])):
        if parts.aside[post]:
            continue
        if post in direct:
            found.add(post)
        elif inner := [one for one in parts.within("body", post) if not parts.aside[one]]:
            found.add(inner[0])
        elif post in whole:
            empty.append(post)
    for place, rank in zip(places, ranks, strict=True):
        if rank > 1 and not parts.aside[place]:  # by the rules of today a text needs no element around it
            found.add(place)
    ordered = sorted(found)
    for post in empty:
        at = bisect_left(ordered, post)
        if at == len(ordered) or ordered[at] > outline.lasts[post]:
            found.add(post)
    return list(_outermost(outline, sorted(found)))


def _outermost(outline: Outline, found: Sequence[int]) -> Iterator[int]:
    """Of elements within each other one: the inner ones if they are most of the outer, else that."""
    at = 0
    while at < len(found):
        outer = found[at]
        end = bisect_right(found, outline.lasts[outer])
        inner, last = [], -1
        for one in found[at + 1 : end]:
            if one > last:
                inner.append(one)
                last = outline.lasts[one]
        held = sum(outline.ends[one] - outline.insides[one] for one in inner)
        if 2 * held > outline.ends[outer] - outline.insides[outer]:
            at += 1
        else:
            yield outer
            at = end


def _scopes(parts: Parts, found: Sequence[int], body: int) -> list[int]:
    """The element of a post's text, and those around it that hold no other post's."""
    outline, scopes = parts.outline, [body]
    parent = outline.parents[body]
    posts = set(parts.of["post"][0])
    while parent >= 0 and len(scopes) < SEARCHED and outline.tags[parent] not in ("body", "html"):
        if bisect_right(found, outline.lasts[parent]) - bisect_left(found, parent) > 1:
            break
        if parts.kind != PAPER or parent in posts:
            scopes.append(parent)
        parent = outline.parents[parent]
    return scopes


def posts_of(outline: Outline, kind: str = ALL) -> tuple[Parts, list[Found]]:
    """The posts of a page, in its order; of `KINDS`, by all rules or by those of the paper alone."""
    parts = Parts(outline, kind)
    found = bodies(parts)
    return parts, [_post(parts, _scopes(parts, found, body), body) for body in found]


def _post(parts: Parts, scopes: Sequence[int], body: int) -> Found:
    title = next((one for scope in scopes for one in _titles(parts, scope, body)), -1)
    for scope in scopes:
        for one in _dates(parts, scope):
            if date := _date(parts.outline, one):
                return Found(body, title, one, date)
    if parts.kind == PAPER:
        return Found(body, title, -1, None)
    # No name says so, but a short text that is nothing but a date is one.
    for scope in scopes:
        if scope != body or _whole(parts, body):
            for one in _leaves(parts.outline, scope, body):
                if date := normalised(parts.outline.text(one, LONGEST + 1), whole=True):
                    return Found(body, title, one, date)
    return Found(body, title, -1, None)


def _whole(parts: Parts, element: int) -> bool:
    outline = parts.outline
    return _rank(parts.kind, "whole", outline.tags[element], outline.attributes[element]) >= 0


def _titles(parts: Parts, scope: int, body: int) -> Iterator[int]:
    """Steps 3a and 3b for one element around a post; a heading of no name is a title before the text alone."""
    outline = parts.outline
    unnamed = len(RULES["title"]) - 1
    for one in (*parts.within("title", scope), *parts.before("title before", scope)):
        text = outline.text(one, 400)
        if not text or is_date(text) or (parts.aside[one] and not parts.aside[body]):
            continue
        named = _rank(ALL, "title", outline.tags[one], outline.attributes[one]) not in (-1, unnamed)
        if named or one < body or (scope == body and _whole(parts, body)):
            yield one


def _dates(parts: Parts, scope: int) -> Iterator[int]:
    """Steps 4a to 4c for one element around a post."""
    yield from (one for one in parts.within("date", scope) if not parts.aside[one] or parts.outline.tags[one] == "time")
    yield from parts.within("date before", scope)
    yield from parts.before("date before", scope)


def _date(outline: Outline, element: int) -> str | None:
    """The date that an element has in an attribute, or shows."""
    found = attributes(outline.attributes[element])
    for name in ("datetime", "content", "title"):
        if name in found and (date := normalised(found[name])):
            return date
    return normalised(outline.text(element, LONGEST + 1))


def _leaves(outline: Outline, scope: int, body: int) -> Iterator[int]:
    """Elements without elements in them, before the text of the post or behind it."""
    inside = range(body + 1, outline.lasts[body] + 1) if scope != body else range(0)
    for one in range(scope + 1, min(outline.lasts[scope], scope + 40 * SEARCHED) + 1):
        if outline.lasts[one] == one and one not in inside and outline.ends[one] - outline.insides[one] <= 2 * LONGEST:
            yield one


# ---------------------------------------------------------------------------------------------------------------- page


def declared(html: str) -> tuple[str | None, str | None]:
    """Title and date that the page says of itself, for machines: JSON-LD, then Open Graph."""
    for script in LDJSON.findall(html):
        try:
            pending: list[Any] = [json.loads(script)]
        except (ValueError, RecursionError):
            continue
        while pending:
            one = pending.pop()
            if isinstance(one, list):
                pending += one[::-1]
            elif isinstance(one, dict):
                kinds = one.get("@type")
                if not ARTICLES.isdisjoint(
                    kind for kind in (kinds if isinstance(kinds, list) else [kinds]) if isinstance(kind, str)
                ):
                    title, date = one.get("headline"), one.get("datePublished")
                    title = plain(title) if isinstance(title, str) else None
                    return title or None, normalised(date) if isinstance(date, str) else None
                pending += [value for value in one.values() if isinstance(value, dict | list)][::-1]
    named: dict[str, str] = {}
    for tag in META.findall(html):
        found = attributes(tag)
        key = found.get("property") or found.get("itemprop") or found.get("name") or ""
        named.setdefault(key.lower(), found.get("content", ""))
    date = next((named[key] for key in ("article:published_time", "datepublished", "date") if named.get(key)), "")
    return " ".join(named.get("og:title", "").split()) or None, normalised(date)


def make(site: Site, config: ExtractConfig) -> Judge:
    """See `ExtractConfig.blog_rules`; where no post is found, the options of density hold."""
    kind = config.blog_rules
    if kind not in KINDS:
        raise ConfigError(f"blog_rules: expected one of {', '.join(KINDS)}, got {kind!r}")
    fallback = density.make(site, config)

    def judge(page: Page) -> Verdict:
        outline = Outline(page.html)
        parts, found = posts_of(outline, kind)
        reason = _reasons(page, parts, found) if found else np.zeros(len(page), np.int8)
        if not (reason == INSIDE).any():
            other = fallback(page)
            note = "; ".join(filter(None, ("no post was found; judged by density", other.note)))
            title, date = declared(page.html)
            return Verdict(
                kept=other.kept, reason=other.reason, reasons=other.reasons, title=title, date=date, note=note
            )
        posts = tuple(post for post in _posts(page, parts, found, reason) if post.blocks)
        one = posts[0] if len(posts) == 1 else None
        return Verdict(
            kept=reason == INSIDE,
            reason=reason,
            reasons=REASONS,
            title=one.title if one else None,
            date=one.date if one else None,
            posts=posts,
        )

    return judge


def _blocks(starts: Sequence[int], outline: Outline, element: int) -> slice:
    """Blocks that begin in an element."""
    return slice(bisect_left(starts, outline.insides[element]), bisect_left(starts, outline.ends[element]))


def _reasons(page: Page, parts: Parts, found: Sequence[Found]) -> Any:
    outline, starts = parts.outline, _starts(page)
    reason = np.zeros(len(page), np.int8)
    for post in found:
        reason[_blocks(starts, outline, post.body)] = INSIDE
        inner, last = range(post.body + 1, outline.lasts[post.body] + 1), post.body
        for one in inner:
            if one > last and parts.aside[one]:
                reason[_blocks(starts, outline, one)] = BESIDE
                last = outline.lasts[one]
    for post in found:
        for one in (post.title, post.dated):
            if one >= 0:
                at = _blocks(starts, outline, one)
                # A date in a paragraph of the text is no block of its own.
                if outline.text(one, 1000) == " ".join(page.text(block) for block in range(len(page))[at]):
                    reason[at] = HEAD
    reason[page.hidden] = HIDDEN
    return reason


def _starts(page: Page) -> list[int]:
    return [start for start, _ in page.spans(np.arange(len(page)))]


def _posts(page: Page, parts: Parts, found: Sequence[Found], reason: Any) -> Iterator[Post]:
    outline, starts = parts.outline, _starts(page)
    own = declared(page.html) if len(found) == 1 and parts.kind == ALL else (None, None)
    for post in found:
        at = _blocks(starts, outline, post.body)
        blocks = tuple(block for block in range(len(page))[at] if reason[block] == INSIDE)
        title = outline.text(post.title, 400) if post.title >= 0 else own[0]
        text = "\n".join(page.text(block) for block in blocks)
        yield Post(text=text, title=title, date=post.date or own[1], blocks=blocks)
