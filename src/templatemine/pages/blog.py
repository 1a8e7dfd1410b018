"""blog: the posts of a page with their titles and dates.

BlogBuster (G. and D. Petasis, A tool for extracting corpora from the blogosphere): the ids and classes that Blogger and
WordPress give their elements say what is a post, a title and a date (section 4).  `pages.blog_rules` has the paper's
patterns as data, and behind them what blogs have come to use since: hAtom and microformats, schema.org, <article>,
<time>; `pages.blog_posts` finds the posts by them.  Here, for pages of one post, JSON-LD and Open Graph.

What the paper leaves open: its patterns are matched with each name of a class attribute and with ids; a post found by
several elements is one post; comments, sidebars and footers hold no posts.  A page without posts goes to `density`, and
says so.
"""

from __future__ import annotations

import json
import re
from bisect import bisect_left
from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np

from templatemine.config import ExtractConfig
from templatemine.pages import density
from templatemine.pages.blocks import Page
from templatemine.pages.blog_posts import Found, Parts, posts_of
from templatemine.pages.blog_rules import PAPER, rule_set
from templatemine.pages.dates import normalised
from templatemine.pages.outline import Outline, attributes, plain
from templatemine.pages.systems import Judge, Post, Site, Verdict

__all__ = ["declared", "make"]

LDJSON = re.compile(r"<script\b[^<>]{0,500}ld\+json[^<>]{0,500}>(.*?)</script", re.IGNORECASE | re.DOTALL)
META = re.compile(r"<meta\b[^<>]{0,4000}>", re.IGNORECASE)
ARTICLES = frozenset(["BlogPosting", "Article", "NewsArticle"])

REASONS = ("not in a post", "text of a post", "title or date of a post", "beside the text of a post", "not shown")
OUTSIDE, INSIDE, HEAD, BESIDE, HIDDEN = range(5)


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
    """See `ExtractConfig.blog_rules` and `blog_own`; where no post is found, the options of density hold."""
    rules = rule_set(config.blog_rules, config.blog_own)
    fallback = density.make(site, config)

    def judge(page: Page) -> Verdict:
        outline = Outline(page.html)
        parts, found = posts_of(outline, rules)
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
    own = declared(page.html) if len(found) == 1 and parts.rules.kind != PAPER else (None, None)
    for post in found:
        at = _blocks(starts, outline, post.body)
        blocks = tuple(block for block in range(len(page))[at] if reason[block] == INSIDE)
        title = outline.text(post.title, 400) if post.title >= 0 else own[0]
        text = "\n".join(page.text(block) for block in blocks)
        yield Post(text=text, title=title, date=post.date or own[1], blocks=blocks)
