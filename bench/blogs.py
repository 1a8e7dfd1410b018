#!/usr/bin/env python3
"""Posts, titles and dates of blogs, beside tables 2 and 3 of BlogBuster (G. and D. Petasis): the system `blog`.

    python bench/blogs.py blogger_dumpleton.jsonl.gz wordpress_hides.jsonl.gz

In: pages of one Blogger blog, {html, gold, title, date}, a post each; and of one WordPress blog, {id, html, gold}: single
posts with gold, and listings without.  Titles and dates of the latter come from elsewhere than from where the system
looks: the title from the <title> of the post's own page, or from the
link around its picture, year and month from its address, the day from the address of
the day's archive that the post links to.

Out: precision, recall and F1 in per cent, of posts (on single pages: words of the text in common with the gold at an F1
of 0.9 or more; in listings: one that begins as the gold of its own page), titles (equal, white space and dots folded) and
dates (the same instant, the same day where either has no time).  As in the paper a post, title or date that is not found
counts against recall, one that is wrong against both.  Once by all rules, once by the paper's alone.  Needs rapidfuzz.  Some seconds.
"""

from __future__ import annotations

import gzip
import json
import re
import sys
from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from datetime import datetime, timedelta
from html import unescape
from typing import Any

from templatemine.config import ExtractConfig
from templatemine.evaluation.metrics import score_words, split_words
from templatemine.pages.baselines.blog_rules import KINDS
from templatemine.pages.extract import Extractor
from templatemine.pages.systems import Post

PARTS = ("post", "title", "date")
MIN_F1 = 0.9
_ITEM = re.compile(r'class="post-list-item .*?(?=class="post-list-item |id=["\']copyright)', re.DOTALL)
_TITLE = re.compile(r"<title>(.*?) &#8211; ", re.DOTALL)
_DAY = re.compile(r'metadata-item">(?:(?!</div>).)*?<a href="(?:[^"]*/)?(\d\d)\.html"', re.DOTALL)
_IMAGE = re.compile(r'<a href="[^"]+" title="([^"]+)">\s*<img')
_POST = re.compile(r'<a href="([^"]+)"><h4')


@dataclass(frozen=True, slots=True)
class ExpectedPost:
    """A post as it is known to be; None where that is not known."""

    text: str | None
    title: str | None
    date: str | None
    excerpt: bool = False


def read_rows(path: str) -> list[dict[str, Any]]:
    """JSON lines, gzip."""
    with gzip.open(path, "rt", encoding="utf-8") as lines:
        return [json.loads(line) for line in lines]


def title_of(row: Mapping[str, Any]) -> str | None:
    """Of a single page, without the name of the blog."""
    found = _TITLE.search(row["html"])
    return unescape(found[1]) if found else None


def date_of(name: str, html: str) -> str | None:
    """From the addresses of the page and of the day's archive."""
    year_month, day = re.search(r"_(\d{4})_(\d\d)_", name), _DAY.search(html)
    return f"{year_month[1]}-{year_month[2]}-{day[1]}" if year_month and day else None


def find_single_posts(rows: list[dict[str, Any]]) -> Iterator[tuple[str, list[ExpectedPost]]]:
    """Pages of one post each."""
    for row in rows:
        if row["gold"]:
            known = "date" in row
            title, date = (row["title"], row["date"]) if known else (title_of(row), date_of(row["id"], row["html"]))
            yield row["html"], [ExpectedPost(row["gold"], title, date)]


def find_listed_posts(rows: list[dict[str, Any]]) -> Iterator[tuple[str, list[ExpectedPost]]]:
    """Pages of several posts, each of which is known by its own page where that is among the rows."""
    pages = {re.sub(r"^.*?/\d+_blog_", "", row["id"]): row for row in rows if row["gold"]}
    for row in rows:
        items = [] if row["gold"] else _ITEM.findall(row["html"])
        wanted = []
        for item in items:
            link, place = _POST.search(item), re.search(r"_(\d{4}_\d\d)_", row["id"])
            page = pages.get(f"{place[1]}_{link[1].rsplit('/', 1)[-1]}") if link and place else None
            if page is None:
                image = _IMAGE.search(item)
                wanted.append(ExpectedPost(None, unescape(image[1]) if image else None, date_of(row["id"], item), True))
            else:
                wanted.append(ExpectedPost(page["gold"], title_of(page), date_of(page["id"], item), True))
        if wanted:
            yield row["html"], wanted


def is_same_text(found: str, expected: ExpectedPost) -> bool:
    """The text of a post, or its beginning."""
    if expected.text is None:
        return bool(found)
    if expected.excerpt:
        short = re.sub(r"\W", "", re.sub(r"\[…\]\s*$", "", found))
        return bool(short) and re.sub(r"\W", "", expected.text).startswith(short[:60])
    return score_words(split_words(found), split_words(expected.text)).f1 >= MIN_F1


def is_same_title(found: str, expected: str) -> bool:
    """But for white space, and dots at the end, which the titles of one set have all."""
    return "".join(found.split()).rstrip(".…") == "".join(unescape(expected).split()).rstrip(".…")


def is_same_date(found: str, expected: str) -> bool:
    """The same instant to the minute, or the same day; a day of 24 hours anywhere on earth where one has no time."""
    one, other = datetime.fromisoformat(found), datetime.fromisoformat(expected)
    if one.tzinfo and other.tzinfo:
        return abs(one - other) < timedelta(minutes=1)
    if "T" in found or "T" in expected:
        return abs(one.replace(tzinfo=None) - other.replace(tzinfo=None)) <= timedelta(hours=38)
    return one.date() == other.date()


def count_posts(posts: tuple[Post, ...], expected_posts: list[ExpectedPost], sums: Counter[str]) -> None:
    """Posts in the order of the page; what is found beyond those that are there is wrong."""
    for at in range(max(len(posts), len(expected_posts))):
        post = posts[at] if at < len(posts) else None
        gold = expected_posts[at] if at < len(expected_posts) else None
        sums["post found"] += post is not None
        sums["post wanted"] += gold is not None
        sums["post hit"] += bool(post and gold and is_same_text(post.text, gold))
        for part, same in (("title", is_same_title), ("date", is_same_date)):
            found, expected = post and getattr(post, part), gold and getattr(gold, part)
            if gold is not None and expected is None:
                continue  # nobody knows
            sums[f"{part} found"] += found is not None
            sums[f"{part} wanted"] += expected is not None
            sums[f"{part} hit"] += bool(found and expected and same(found, expected))


def main() -> None:
    """The program."""
    if len(sys.argv) != 3:
        sys.exit(__doc__)
    blogger, wordpress = (read_rows(path) for path in sys.argv[1:])
    for kind in KINDS:
        print(f"rules: {kind}")
        print_table(Extractor("blog", config=ExtractConfig(blog_rules=kind)), blogger, wordpress)


def print_table(extractor: Extractor, blogger: list[dict[str, Any]], wordpress: list[dict[str, Any]]) -> None:
    """Three sets, three rows each."""
    for name, pages in (
        ("Blogger", find_single_posts(blogger)),
        ("WordPress, single posts", find_single_posts(wordpress)),
        ("WordPress, listings", find_listed_posts(wordpress)),
    ):
        sums: Counter[str] = Counter()
        number = 0
        for html, wanted in pages:
            found = extractor.extract(html)
            count_posts(found.posts, wanted, sums)
            number += 1
        print(f"{name}: {number} pages, {sums['post wanted']} posts")
        for part in PARTS:
            hit, found_, wanted_ = (sums[f"{part} {kind}"] for kind in ("hit", "found", "wanted"))
            rates = hit / max(1, found_), hit / max(1, wanted_), 2 * hit / max(1, found_ + wanted_)
            print(f"  {part:6}", *(f"{100 * rate:6.2f}" for rate in rates), f"  of {wanted_}")


if __name__ == "__main__":
    main()
