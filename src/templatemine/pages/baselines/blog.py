"""blog: the posts of a page with their titles and dates.

BlogBuster (G. and D. Petasis, A tool for extracting corpora from the blogosphere): the ids and classes that Blogger and
WordPress give their elements say what is a post, a title and a date (section 4).  `pages.blog_rules` has the paper's
patterns as data, and behind them what blogs have come to use since: hAtom and microformats, schema.org, <article>,
<time>; `pages.blog_posts` finds the posts by them.  For pages of one post what `pages.about` finds is asked too.

What the paper leaves open: its patterns are matched with each name of a class attribute and with ids; a post found by
several elements is one post; comments, sidebars and footers hold no posts.  A page without posts goes to `density`, and
says so.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import numpy as np

from templatemine.config import ExtractConfig
from templatemine.pages.about import articles, declared, headed, shown
from templatemine.pages.baselines import density
from templatemine.pages.baselines.blog_posts import Found, Parts, posts_of
from templatemine.pages.baselines.blog_rules import PAPER, rule_set
from templatemine.pages.blocks import Page
from templatemine.pages.outline import Outline
from templatemine.pages.systems import Judge, Post, Site, Verdict

__all__ = ["make"]

REASONS = ("not in a post", "text of a post", "title or date of a post", "beside the text of a post", "not shown")
OUTSIDE, INSIDE, HEAD, BESIDE, HIDDEN = range(5)


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
            title, date = declared(page.data)
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
    about = _about(page, parts, found, starts, reason == INSIDE)
    for post in found:
        at = _blocks(starts, outline, post.body)
        blocks = tuple(block for block in range(len(page))[at] if reason[block] == INSIDE)
        title = outline.text(post.title, 400) if post.title >= 0 else None
        named, date = about.get(title or "", (None, None))
        text = "\n".join(page.text(block) for block in blocks)
        yield Post(text=text, title=title or named, date=post.date or date, blocks=blocks)


def _about(
    page: Page, parts: Parts, found: Sequence[Found], starts: Sequence[int], kept: Any
) -> Mapping[str, tuple[str | None, str | None]]:
    """What the page says of its posts elsewhere, by the titles that were found, "" for none: title and date."""
    if parts.rules.kind == PAPER:
        return {}
    if len(found) > 1:
        return {title: (title, date) for title, date in headed(articles(page.data)) if title}
    (post,) = found
    title, date = declared(page.data)
    if not (post.date or date):
        date = shown(page, bisect_left(starts, parts.outline.starts[post.title]) if post.title >= 0 else -1, kept)
    return {parts.outline.text(post.title, 400) if post.title >= 0 else "": (title, date)}
