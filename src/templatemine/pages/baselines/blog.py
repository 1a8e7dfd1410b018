"""blog: the posts of a page with their titles and dates.

BlogBuster (G. and D. Petasis, A tool for extracting corpora from the blogosphere): the ids and classes that Blogger and
WordPress give their elements say what is a post, a title and a date (section 4).  `pages.blog_rules` has the paper's
patterns as data, and behind them what blogs have come to use since: hAtom and microformats, schema.org, <article>,
<time>; `pages.blog_posts` finds the posts by them.  On pages of one post `title_and_date` and `declared` help.

What the paper leaves open: its patterns are matched with each name of a class attribute and with ids; a post found by
several elements is one post; comments, sidebars and footers hold no posts.  A page without posts goes to `density`, and
says so.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from templatemine.config import ExtractConfig
from templatemine.pages.baselines import density
from templatemine.pages.baselines.blog_posts import PostCandidates, PostElements, find_posts
from templatemine.pages.baselines.blog_rules import PAPER_RULES, rule_set
from templatemine.pages.baselines.outline import Outline
from templatemine.pages.blocks import Page
from templatemine.pages.declared import declared_title_and_date, find_articles, titles_and_dates
from templatemine.pages.systems import BlockClassifier, Post, Site, SystemOutput
from templatemine.pages.title_and_date import find_shown_date

REASONS = ("not in a post", "text of a post", "title or date of a post", "beside the text of a post", "not shown")
OUTSIDE, INSIDE, HEAD, BESIDE, HIDDEN = range(5)


def make(site: Site, config: ExtractConfig) -> BlockClassifier:
    """Make the classifier (`ExtractConfig.blog_rules`, `blog_own`); where no post is found, the options of density
    hold."""
    rules = rule_set(config.blog_rules, config.blog_own)
    fallback = density.make(site, config)

    def classify(page: Page) -> SystemOutput:
        outline = Outline(page)
        candidates, elements = find_posts(outline, rules)
        reason = _reasons(page, candidates, elements) if elements else np.zeros(len(page), np.int8)
        if not (reason == INSIDE).any():
            fallback_output = fallback(page)
            note = "; ".join(filter(None, ("no post was found; judged by density", fallback_output.note)))
            title, date = declared_title_and_date(page)
            return replace(fallback_output, title=title, date=date, note=note)
        posts = tuple(post for post in _posts(page, candidates, elements, reason) if post.blocks)
        single_post = posts[0] if len(posts) == 1 else None
        return SystemOutput(
            kept=reason == INSIDE,
            reason=reason,
            reasons=REASONS,
            title=single_post.title if single_post else None,
            date=single_post.date if single_post else None,
            posts=posts,
        )

    return classify


def _blocks(starts: Sequence[int], outline: Outline, element: int) -> slice:
    """Return the blocks that begin in an element."""
    return slice(
        bisect_left(starts, outline.content_starts[element]), bisect_left(starts, outline.content_ends[element])
    )


def _reasons(page: Page, candidates: PostCandidates, posts: Sequence[PostElements]) -> Any:
    outline, starts = candidates.outline, _starts(page)
    reason = np.zeros(len(page), np.int8)
    for post in posts:
        reason[_blocks(starts, outline, post.body)] = INSIDE
        descendants, aside_end = range(post.body + 1, outline.last_descendants[post.body] + 1), post.body
        for element in descendants:
            if element > aside_end and candidates.is_aside[element]:
                reason[_blocks(starts, outline, element)] = BESIDE
                aside_end = outline.last_descendants[element]
    for post in posts:
        for element in (post.title, post.date_element):
            if element >= 0:
                blocks = _blocks(starts, outline, element)
                # A date in a paragraph of the text is no block of its own.
                if outline.text(element, 1000) == " ".join(page.text(block) for block in range(len(page))[blocks]):
                    reason[blocks] = HEAD
    reason[page.hidden] = HIDDEN
    return reason


def _starts(page: Page) -> list[int]:
    return [start for start, _ in page.spans(np.arange(len(page)))]


def _posts(page: Page, candidates: PostCandidates, elements: Sequence[PostElements], reason: Any) -> Iterator[Post]:
    outline, starts = candidates.outline, _starts(page)
    declared = _about(page, candidates, elements, starts, reason == INSIDE)
    for post in elements:
        block_range = _blocks(starts, outline, post.body)
        blocks = tuple(block for block in range(len(page))[block_range] if reason[block] == INSIDE)
        title = outline.text(post.title, 400) if post.title >= 0 else None
        declared_title, date = declared.get(title or "", (None, None))
        text = "\n".join(page.text(block) for block in blocks)
        yield Post(text=text, title=title or declared_title, date=post.date or date, blocks=blocks)


def _about(
    page: Page, candidates: PostCandidates, posts: Sequence[PostElements], starts: Sequence[int], kept: Any
) -> Mapping[str, tuple[str | None, str | None]]:
    """Read the title and date that the page gives a post elsewhere, by the titles that were found, "" for none."""
    if candidates.rules.kind == PAPER_RULES:
        return {}
    if len(posts) > 1:
        return {title: (title, date) for title, date in titles_and_dates(find_articles(page.data)) if title}
    (post,) = posts
    title, date = declared_title_and_date(page)
    if not (post.date or date):
        date = find_shown_date(
            page, bisect_left(starts, candidates.outline.starts[post.title]) if post.title >= 0 else -1, kept
        )
    return {candidates.outline.text(post.title, 400) if post.title >= 0 else "": (title, date)}
