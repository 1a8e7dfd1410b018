"""Pages that are no articles: several short posts replace the story of a page.

Of the sets whose licence allows trained weights to be shipped, few pages hold several posts: the front page of a blog,
a thread of a forum, questions with answers.  On these all of the posts are main text, with their titles, dates and
names; lines that lead elsewhere are not.  Made of headlines and paragraphs of other pages of the set; what stands
around them is that of the page.  `<title>` becomes the name of the site, as it is on such pages.
"""

from __future__ import annotations

import html
import random
import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from comments import NAMES, invent_date
from labels import LabelledPage, empty_blocks, label_page

from templatemine.pages.blocks import find_headline

__all__ = ["POSTS", "PostMarkup", "make_listing"]


@dataclass(frozen=True, slots=True)
class PostMarkup:
    """Mark-up of posts: head, one post, the lines below it that lead elsewhere, foot, and what parts paragraphs."""

    head: str
    post: str
    links: str
    foot: str
    paragraph_break: str = "</p><p>"


POSTS: Sequence[PostMarkup] = (
    PostMarkup(
        '<div class="posts">',
        '<div class="post"><h2 class="entry-title"><a href="/p">{title}</a></h2><p class="meta">{date} by {name}</p>'
        '<div class="entry"><p>{text}</p></div>',
        '<p class="postmeta">Posted in <a href="/c">News</a> | <a href="#c">{number} Comments</a> &raquo;</p></div>',
        '<div class="navigation"><a href="/2">&laquo; Older entries</a></div></div>',
    ),
    PostMarkup(
        '<div id="main">',
        '<h2 class="date-header">{date}</h2><div class="post"><h3 class="post-title">{title}</h3>'
        '<div class="post-body">{text}</div>',
        '<p class="post-footer"><em>posted by {name} at {clock}</em> | <a href="#c">{number} comments</a> '
        '<a href="#l">Link</a></p></div>',
        "</div>",
        "<br><br>",
    ),
    PostMarkup(
        "<table width=100%>",
        "<tr><td><b>{title}</b><br><font size=2>{text}</font><br><br></td></tr>",
        "",
        "</table>",
        "<br><br>",
    ),
    PostMarkup("", "<h3>{title}</h3><p>{text}</p>", "", '<p><a href="#top">Back to top</a></p>'),
    PostMarkup(
        "<table cellpadding=4>",
        "<tr><td valign=top><b>{name}</b></td><td><small>Posted: {date} {clock}</small><br>{text}</td></tr>",
        '<tr><td></td><td><a href="#q">Quote</a> <a href="#r">Report</a></td></tr>',
        "</table>",
        "<br><br>",
    ),
    PostMarkup("<dl>", "<dt><b>{title}</b></dt><dd>{text}</dd>", "", "</dl>", "<br><br>"),
    PostMarkup("<ol>", "<li><p><b>{title}</b></p><p>{text}</p></li>", "", "</ol>"),
    PostMarkup("", '<p><font size="+1">{title}</font></p><p>{text}</p>', "<hr>", ""),
    PostMarkup('<div class="content"><ul>', "<li>{text}</li>", "", "</ul></div>", "</li><li>"),
    PostMarkup(
        "<section>",
        '<article><header><h2><a href="/p">{title}</a></h2><time>{date}</time></header><div><p>{text}</p></div>',
        '<footer><a href="/p#c">{number} comments</a></footer></article>',
        "</section>",
    ),
    PostMarkup(
        '<div class="blog">',
        '<div class="blogbody"><h3 class="title">{title}</h3><p>{text}</p>',
        '<div class="posted">Posted by {name} at {clock} | <a href="/c">Comments ({number})</a> | '
        '<a href="/t">TrackBack</a></div></div>',
        "",
    ),
)

FEW = 0.3
"""Share of the pages that get two to four posts; the others get four to fourteen."""
SINGLE = 0.4
"""Share of the posts of one paragraph; the others have two to five."""

_TITLE = re.compile(rb"<title\b[^<>]{0,1000}>([^<]*)</title>", re.IGNORECASE)
_PARTS = re.compile(rb"\s[-|:]\s|\s\xe2\x80[\x93\x94]\s")
_PARAGRAPH = re.compile(rb"<p\b[^<>]{0,300}>\s*$", re.IGNORECASE)


def make_listing(
    plain: LabelledPage, row: dict[str, Any], paragraph_texts: Sequence[str], titles: Sequence[str], draw: random.Random
) -> LabelledPage | None:
    """The page with posts instead of its story; None if it has none to take out.

    Parameters
    ----------
    plain : LabelledPage
        The page as it is.
    paragraph_texts, titles : sequence of str
        Paragraphs and headlines of all pages; posts are made of these.
    """
    main = np.flatnonzero(plain.labels).tolist()
    paragraphs = [block for block in main if plain.words[block] >= 8]
    if len(paragraphs) < 2:
        return None
    data, place = _remove_story(plain, row, {*main, find_headline(plain.features)} - {-1}, paragraphs[0])
    pieces = list(_make_pieces(draw.choice(POSTS), paragraph_texts, titles, draw))
    posts = b"".join(piece for piece, _ in pieces)
    data = data[:place] + posts + data[place:]
    title = _TITLE.search(data)
    if title is not None:
        name = _PARTS.split(title[1])[-1]
        name = name if name != title[1] else str(row.get("source") or "Home").encode()
        data = data[: title.start(1)] + name + data[title.end(1) :]
        place += (len(name) - len(title[1])) * (title.start() < place)
    one = label_page(row, data, [(place, place + len(posts))])
    if one is None:
        return None
    one.labels[:] = 0
    for piece, main_text in pieces:
        if main_text:
            one.labels[(one.columns["starts"] >= place) & (one.columns["starts"] < place + len(piece))] = 1
        place += len(piece)
    return one


def _remove_story(plain: LabelledPage, row: dict[str, Any], removed_blocks: set[int], first: int) -> tuple[bytes, int]:
    """The page without the words of some blocks, whose tags stay, and where one of these began, with its paragraph."""
    data, place = empty_blocks(plain, row, sorted(removed_blocks), first)
    opening = _PARAGRAPH.search(data[max(0, place - 300) : place])
    return data, place if opening is None else max(0, place - 300) + opening.start()


def _make_pieces(
    kind: PostMarkup, paragraph_texts: Sequence[str], titles: Sequence[str], draw: random.Random
) -> list[tuple[bytes, bool]]:
    """What is put in, piece by piece, and whether it is main text."""
    pieces = [(kind.head, False)]
    for _ in range(draw.randint(2, 4) if draw.random() < FEW else draw.randint(4, 14)):
        paragraphs = 1 if draw.random() < SINGLE else draw.randint(2, 5)
        values = {
            "title": html.escape(draw.choice(titles)),
            "text": kind.paragraph_break.join(html.escape(draw.choice(paragraph_texts)) for _ in range(paragraphs)),
            "date": invent_date(draw),
            "name": draw.choice(NAMES),
            "clock": f"{draw.randint(1, 12)}:{draw.randint(0, 59):02} PM",
            "number": draw.randint(0, 40),
        }
        pieces += [(kind.post.format(**values), True), (kind.links.format(**values), False)]
    pieces.append((kind.foot, False))
    return [(piece.encode(), main_text) for piece, main_text in pieces]
