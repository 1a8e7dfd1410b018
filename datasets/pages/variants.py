"""Variants of article pages, so that a model learns what the web holds besides news articles.

The public sets whose licence allows it hold whole news articles of recent years.  `add_teasers` puts an invented list
of teasers or captions into a page, as `labels.add_comments` puts a comment thread; `add_insets` puts galleries,
captions and boxes of links between its paragraphs; `add_lists` turns paragraphs into lists; `shorten_story` removes
most of the story, for posts of a paragraph or two are rare in the sets and common on blogs.  `listings` makes pages
that are no articles.
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
from labels import LabelledPage, empty_blocks, find_title, label_page

__all__ = [
    "INSETS",
    "TEASERS",
    "ListMarkup",
    "collect_headlines",
    "shorten_story",
    "add_insets",
    "add_lists",
    "add_teasers",
]


@dataclass(frozen=True, slots=True)
class ListMarkup:
    """Mark-up of a list: head, one item, foot; and how many items it has at most.

    Names in braces: title, text (a sentence or more), short (the beginning of one), date, name, place (of the item in
    the list), number (of items).
    """

    head: str
    item: str
    foot: str
    max_items: int = 14


TEASERS: Sequence[ListMarkup] = (
    ListMarkup(
        '<div class="related"><h3>Related stories</h3>',
        '<div class="item"><h4><a href="/s">{title}</a></h4><p class="dek">{text}</p></div>',
        "</div>",
    ),
    ListMarkup('<ul class="list">', '<li><a href="/n">{title}</a><br>{text} <a href="/m">More</a></li>', "</ul>"),
    ListMarkup(
        "<table cellpadding=2><tr><td><b>IN THIS SECTION</b></td></tr>",
        '<tr><td><a href="/n"><b>{title}</b></a><br><font size=1>{text}</font></td></tr>',
        "</table>",
    ),
    ListMarkup(
        '<div id="latest"><h2>Latest</h2>',
        '<div class="post"><h2><a href="/p">{title}</a></h2><span class="date">{date}</span><p>{text}</p></div>',
        "</div>",
    ),
    ListMarkup(
        '<div class="gallery">',
        '<div class="slide"><img src="a.jpg"><div class="cap">{title} &ndash; {text}</div></div>',
        "</div>",
    ),
    ListMarkup('<div class="carousel"><a href="#">&lt;</a>', '<div><img src="x.jpg"><p>{text}</p></div>', "</div>"),
    ListMarkup(
        '<div class="widget"><h3>About</h3>',
        "<p>{text}</p>",
        '<p><a href="/about">Read more</a></p></div>',
        max_items=1,
    ),
    ListMarkup('<div class="mod">', '<p><a href="/x">{title}</a></p><p>By {name}</p><p>{text}</p>', "</div>"),
    ListMarkup("<dl>", '<dt><a href="/x">{title}</a></dt><dd>{text}</dd>', "</dl>"),
)


INSETS: Sequence[ListMarkup] = (
    ListMarkup(
        '<div class="gallery"><h3>Photos</h3><ul>',
        '<li><img src="a.jpg"><div class="caption"><p>{text}</p><a href="#">Hide Caption</a> '
        '<span class="count">{place} of {number}</span></div></li>',
        "</ul></div>",
        max_items=30,
    ),
    ListMarkup(
        '<div class="slides">',
        '<div class="slide"><img src="a.jpg"><div class="media__caption"><div class="media__title">{title}</div>'
        "<span>{text}</span></div><div>Hide caption</div><div>{place} of {number}</div></div>",
        "</div>",
        max_items=30,
    ),
    ListMarkup(
        '<div><div><a href="#p">Prev</a> <a href="#n">Next</a></div>',
        '<div><img src="x.jpg"><span>{title} &ndash; {text}</span> <em>{name}/Agency</em></div>',
        "</div>",
        max_items=20,
    ),
    ListMarkup(
        "",
        '<figure><img src="x.jpg"><figcaption>{text} <span class="credit">Photo: {name}</span></figcaption></figure>',
        "",
        max_items=1,
    ),
    ListMarkup('<div class="photo">', '<img src="x.jpg"><br><small>{text} ({name})</small>', "</div>", max_items=1),
    ListMarkup(
        "<table align=right width=200>",
        '<tr><td><img src="x.gif"></td></tr><tr><td><font size=1>{text}</font></td></tr>',
        "</table>",
        max_items=1,
    ),
    ListMarkup('<div class="box"><h4>STORY HIGHLIGHTS</h4><ul>', "<li>{short}</li>", "</ul></div>", max_items=5),
    ListMarkup('<div class="inset"><b>Related</b>', '<p><a href="/r">{title}</a></p>', "</div>", max_items=4),
    ListMarkup(
        '<div class="rel"><ul>', '<li><a href="/r">{title}</a><span>{date}</span></li>', "</ul></div>", max_items=5
    ),
    ListMarkup(
        "<aside><h4>Get the newsletter</h4>",
        "<p>Sign up for our daily briefing, the stories that matter, in your inbox.</p>"
        "<form><input><button>Subscribe</button></form>",
        "</aside>",
        max_items=1,
    ),
    ListMarkup(
        '<div class="video">',
        "<h3>{title}</h3><p>{short}</p><span>Now playing</span><span>{place}:{number}</span>",
        "<p>Must watch</p></div>",
        max_items=6,
    ),
    ListMarkup(
        "<table border=0 align=left bgcolor=#eeeeee>",
        "<tr><td><b>{title}</b><br>{text}</td></tr>",
        "<tr><td>SOURCE: our own research</td></tr></table>",
        max_items=2,
    ),
)
"""What is put between the paragraphs of a story and is no part of it."""

LISTS = (
    ("<ul><li>", "", "</li><li>", "</li></ul>"),
    ("<ol><li>", "", "</li><li>", "</li></ol>"),
    ('<ul class="items"><li>', "", "</li>\n<li>", "</li></ul>"),
    ("<blockquote>", "", "<br>", "</blockquote>"),
    ("", "&bull; ", "<br>", ""),
    ("", "- ", "<br><br>", ""),
)
"""Lists of what a story tells: opening, before each item, between two, closing."""

SHORT_TEXT = 110
"""Characters of a highlight."""


def shorten_story(plain: LabelledPage, row: dict[str, Any], draw: random.Random) -> dict[str, Any] | None:
    """The row with but the first paragraphs of its main text; None if there are too few to take some out.

    Parameters
    ----------
    plain : LabelledPage
        The page as it is.
    """
    main = np.flatnonzero(plain.labels)
    paragraphs = [block for block in main.tolist() if plain.words[block] >= 8]
    if len(paragraphs) < 4:
        return None
    kept = set(paragraphs[: min(1 + int(draw.expovariate(0.6)), len(paragraphs) // 2)])
    removed_blocks = [block for block in main.tolist() if block >= paragraphs[0] and block not in kept]
    return {**row, "html": empty_blocks(plain, row, removed_blocks)[0].decode("utf-8", "surrogatepass")}


def add_teasers(
    plain: LabelledPage, row: dict[str, Any], paragraph_texts: Sequence[str], titles: Sequence[str], draw: random.Random
) -> LabelledPage | None:
    """The page with an invented list before or behind its main text; None if it has none.

    Parameters
    ----------
    paragraph_texts, titles : sequence of str
        Paragraphs and headlines of all pages; items are made of these.
    """
    main = np.flatnonzero(plain.labels)
    if not len(main):
        return None
    data = row["html"].encode("utf-8", "surrogatepass")
    starts, ends = plain.columns["starts"], plain.columns["ends"]
    place = (
        _find_place_before(data, int(starts[main[0]]), draw)
        if draw.random() < 0.4
        else _find_place_behind(data, int(ends[main[-1]]), draw)
    )
    teasers = _make_list(draw.choice(TEASERS), 2, paragraph_texts, titles, draw)
    return label_page(row, data[:place] + teasers + data[place:], [(place, place + len(teasers))])


def add_insets(
    plain: LabelledPage, row: dict[str, Any], paragraph_texts: Sequence[str], titles: Sequence[str], draw: random.Random
) -> LabelledPage | None:
    """The page with one to three invented insets between paragraphs of its main text; None if there is no place.

    Parameters
    ----------
    paragraph_texts, titles : sequence of str
        As for `add_teasers`.
    """
    paragraphs = [block for block in np.flatnonzero(plain.labels).tolist() if plain.words[block] >= 8]
    if len(paragraphs) < 3:
        return None
    data = row["html"].encode("utf-8", "surrogatepass")
    starts, first = plain.columns["starts"], int(plain.columns["ends"][paragraphs[0]])
    chosen = draw.sample(paragraphs[1:], min(len(paragraphs) - 1, draw.randint(1, 3)))
    last, spans = len(data), []
    for block in sorted(chosen, reverse=True):
        start = int(starts[block])
        place = _find_place_before(data, start, draw) if draw.random() < 0.5 else data.rfind(b"<", 0, start)
        if not first <= place <= last:
            continue
        last = place
        inset = _make_list(draw.choice(INSETS), 1, paragraph_texts, titles, draw)
        data = data[:place] + inset + data[place:]
        spans = [(place, place + len(inset)), *((a + len(inset), b + len(inset)) for a, b in spans)]
    return label_page(row, data, spans) if spans else None


def add_lists(plain: LabelledPage, row: dict[str, Any], draw: random.Random) -> LabelledPage | None:
    """The page with one to three paragraphs of its main text as lists of their sentences; None if none has two.

    Lists that tell the story, so that not all lists between paragraphs are held for insets.
    """
    paragraphs = [
        block
        for block in np.flatnonzero(plain.labels).tolist()
        if plain.words[block] >= 16 and len(plain.texts[block].split(". ")) > 1
    ]
    if not paragraphs:
        return None
    data = row["html"].encode("utf-8", "surrogatepass")
    chosen = draw.sample(paragraphs, min(len(paragraphs), draw.randint(1, 3)))
    for block in sorted(chosen, reverse=True):
        opening, item, separator, closing = draw.choice(LISTS)
        items = separator.join(item + html.escape(sentence) for sentence in plain.texts[block].split(". "))
        list_html = (opening + items + closing).encode()
        data = data[: int(plain.columns["starts"][block])] + list_html + data[int(plain.columns["ends"][block]) :]
    return label_page(row, data)


def _make_list(
    markup: ListMarkup, min_items: int, paragraph_texts: Sequence[str], titles: Sequence[str], draw: random.Random
) -> bytes:
    """A list of so many items at least, if it may have so many."""
    number = draw.randint(min(min_items, markup.max_items), markup.max_items)
    items = [_make_item(markup, (place, number), paragraph_texts, titles, draw) for place in range(1, number + 1)]
    return (markup.head + "\n".join(items) + markup.foot).encode()


def _make_item(
    markup: ListMarkup,
    place: tuple[int, int],
    paragraph_texts: Sequence[str],
    titles: Sequence[str],
    draw: random.Random,
) -> str:
    sentences = draw.choice(paragraph_texts).split(". ")
    first = draw.randrange(len(sentences))
    return markup.item.format(
        title=html.escape(draw.choice(titles)),
        text=html.escape(". ".join(sentences[first : first + draw.randint(1, 2)])),
        short=html.escape(sentences[first][:SHORT_TEXT]),
        date=invent_date(draw),
        name=draw.choice(NAMES),
        place=place[0],
        number=place[1],
    )


def _find_place_before(data: bytes, place: int, draw: random.Random) -> int:
    """Before the start tag that leads to `place`, or up to three further ones."""
    opening = data.rfind(b"<", 0, place)
    place = opening if opening >= 0 else place
    for _ in range(draw.randint(0, 3)):
        found = re.compile(rb"<[a-zA-Z][^<>]{0,300}>\s*$").search(data[max(0, place - 400) : place])
        if found is None:
            break
        place = max(0, place - 400) + found.start()
    return place


def _find_place_behind(data: bytes, place: int, draw: random.Random) -> int:
    """Behind one to five of the end tags that follow."""
    for _ in range(draw.randint(1, 5)):
        found = re.compile(rb"\s*</[^>]{1,20}>").match(data, place)
        if found is None:
            break
        place = found.end()
    return place


def collect_headlines(pages: Sequence[LabelledPage]) -> list[str]:
    """What takes the place of the headline on pages where it has three to twenty words."""
    titles = [find_title(one) for one in pages]
    return [title for title in titles if 3 <= len(title.split()) <= 20]
