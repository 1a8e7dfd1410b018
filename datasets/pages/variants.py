"""Pages made anew, so that a model learns from some hundred articles what the web holds besides them.

The public sets whose licence allows it hold whole news articles of recent years.  `with_teasers` puts an invented list
of teasers, captions or the like into a page, as `labels.with_comments` puts a thread; `with_insets` puts galleries,
captions, boxes of links and the like between its paragraphs; `shortened` takes most of the story out, for posts of a
paragraph or two are rare in the sets and common on blogs.  Pages that are no articles are made in `listings`.
"""

from __future__ import annotations

import html
import random
import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from comments import NAMES, invented_date
from labels import Labelled, emptied, label, title_of

__all__ = ["INSETS", "TEASERS", "List", "headlines", "shortened", "with_insets", "with_lists", "with_teasers"]


@dataclass(frozen=True, slots=True)
class List:
    """Mark-up of a list: head, one item, foot; and how many items it has at most.

    Names in braces: title, text (a sentence or more), short (the beginning of one), date, name, place (of the item in
    the list), number (of items).
    """

    head: str
    item: str
    foot: str
    most: int = 14


TEASERS: Sequence[List] = (
    List(
        '<div class="related"><h3>Related stories</h3>',
        '<div class="item"><h4><a href="/s">{title}</a></h4><p class="dek">{text}</p></div>',
        "</div>",
    ),
    List('<ul class="list">', '<li><a href="/n">{title}</a><br>{text} <a href="/m">More</a></li>', "</ul>"),
    List(
        "<table cellpadding=2><tr><td><b>IN THIS SECTION</b></td></tr>",
        '<tr><td><a href="/n"><b>{title}</b></a><br><font size=1>{text}</font></td></tr>',
        "</table>",
    ),
    List(
        '<div id="latest"><h2>Latest</h2>',
        '<div class="post"><h2><a href="/p">{title}</a></h2><span class="date">{date}</span><p>{text}</p></div>',
        "</div>",
    ),
    List(
        '<div class="gallery">',
        '<div class="slide"><img src="a.jpg"><div class="cap">{title} &ndash; {text}</div></div>',
        "</div>",
    ),
    List('<div class="carousel"><a href="#">&lt;</a>', '<div><img src="x.jpg"><p>{text}</p></div>', "</div>"),
    List('<div class="widget"><h3>About</h3>', "<p>{text}</p>", '<p><a href="/about">Read more</a></p></div>', most=1),
    List('<div class="mod">', '<p><a href="/x">{title}</a></p><p>By {name}</p><p>{text}</p>', "</div>"),
    List("<dl>", '<dt><a href="/x">{title}</a></dt><dd>{text}</dd>', "</dl>"),
)


INSETS: Sequence[List] = (
    List(
        '<div class="gallery"><h3>Photos</h3><ul>',
        '<li><img src="a.jpg"><div class="caption"><p>{text}</p><a href="#">Hide Caption</a> '
        '<span class="count">{place} of {number}</span></div></li>',
        "</ul></div>",
        most=30,
    ),
    List(
        '<div class="slides">',
        '<div class="slide"><img src="a.jpg"><div class="media__caption"><div class="media__title">{title}</div>'
        "<span>{text}</span></div><div>Hide caption</div><div>{place} of {number}</div></div>",
        "</div>",
        most=30,
    ),
    List(
        '<div><div><a href="#p">Prev</a> <a href="#n">Next</a></div>',
        '<div><img src="x.jpg"><span>{title} &ndash; {text}</span> <em>{name}/Agency</em></div>',
        "</div>",
        most=20,
    ),
    List(
        "",
        '<figure><img src="x.jpg"><figcaption>{text} <span class="credit">Photo: {name}</span></figcaption></figure>',
        "",
        most=1,
    ),
    List('<div class="photo">', '<img src="x.jpg"><br><small>{text} ({name})</small>', "</div>", most=1),
    List(
        "<table align=right width=200>",
        '<tr><td><img src="x.gif"></td></tr><tr><td><font size=1>{text}</font></td></tr>',
        "</table>",
        most=1,
    ),
    List('<div class="box"><h4>STORY HIGHLIGHTS</h4><ul>', "<li>{short}</li>", "</ul></div>", most=5),
    List('<div class="inset"><b>Related</b>', '<p><a href="/r">{title}</a></p>', "</div>", most=4),
    List('<div class="rel"><ul>', '<li><a href="/r">{title}</a><span>{date}</span></li>', "</ul></div>", most=5),
    List(
        "<aside><h4>Get the newsletter</h4>",
        "<p>Sign up for our daily briefing, the stories that matter, in your inbox.</p>"
        "<form><input><button>Subscribe</button></form>",
        "</aside>",
        most=1,
    ),
    List(
        '<div class="video">',
        "<h3>{title}</h3><p>{short}</p><span>Now playing</span><span>{place}:{number}</span>",
        "<p>Must watch</p></div>",
        most=6,
    ),
    List(
        "<table border=0 align=left bgcolor=#eeeeee>",
        "<tr><td><b>{title}</b><br>{text}</td></tr>",
        "<tr><td>SOURCE: our own research</td></tr></table>",
        most=2,
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


def shortened(plain: Labelled, row: dict[str, Any], draw: random.Random) -> dict[str, Any] | None:
    """The row with but the first paragraphs of its main text; None if there are too few to take some out.

    Parameters
    ----------
    plain : Labelled
        The page as it is.
    """
    main = np.flatnonzero(plain.labels)
    paragraphs = [block for block in main.tolist() if plain.words[block] >= 8]
    if len(paragraphs) < 4:
        return None
    kept = set(paragraphs[: min(1 + int(draw.expovariate(0.6)), len(paragraphs) // 2)])
    gone = [block for block in main.tolist() if block >= paragraphs[0] and block not in kept]
    return {**row, "html": emptied(plain, row, gone)[0].decode("utf-8", "surrogatepass")}


def with_teasers(
    plain: Labelled, row: dict[str, Any], said: Sequence[str], titles: Sequence[str], draw: random.Random
) -> Labelled | None:
    """The page with an invented list before or behind its main text; None if it has none.

    Parameters
    ----------
    said, titles : sequence of str
        Paragraphs and headlines of all pages; items are made of these.
    """
    main = np.flatnonzero(plain.labels)
    if not len(main):
        return None
    data = row["html"].encode("utf-8", "surrogatepass")
    starts, ends = plain.page["starts"], plain.page["ends"]
    place = (
        _before(data, int(starts[main[0]]), draw) if draw.random() < 0.4 else _behind(data, int(ends[main[-1]]), draw)
    )
    made = _list(draw.choice(TEASERS), 2, said, titles, draw)
    return label(row, data[:place] + made + data[place:], [(place, place + len(made))])


def with_insets(
    plain: Labelled, row: dict[str, Any], said: Sequence[str], titles: Sequence[str], draw: random.Random
) -> Labelled | None:
    """The page with one to three invented insets between paragraphs of its main text; None if there is no place.

    Parameters
    ----------
    said, titles : sequence of str
        As for `with_teasers`.
    """
    paragraphs = [block for block in np.flatnonzero(plain.labels).tolist() if plain.words[block] >= 8]
    if len(paragraphs) < 3:
        return None
    data = row["html"].encode("utf-8", "surrogatepass")
    starts, first = plain.page["starts"], int(plain.page["ends"][paragraphs[0]])
    chosen = draw.sample(paragraphs[1:], min(len(paragraphs) - 1, draw.randint(1, 3)))
    last, spans = len(data), []
    for block in sorted(chosen, reverse=True):
        start = int(starts[block])
        place = _before(data, start, draw) if draw.random() < 0.5 else data.rfind(b"<", 0, start)
        if not first <= place <= last:
            continue
        last = place
        made = _list(draw.choice(INSETS), 1, said, titles, draw)
        data = data[:place] + made + data[place:]
        spans = [(place, place + len(made)), *((a + len(made), b + len(made)) for a, b in spans)]
    return label(row, data, spans) if spans else None


def with_lists(plain: Labelled, row: dict[str, Any], draw: random.Random) -> Labelled | None:
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
        opening, item, parted, closing = draw.choice(LISTS)
        items = parted.join(item + html.escape(said) for said in plain.texts[block].split(". "))
        made = (opening + items + closing).encode()
        data = data[: int(plain.page["starts"][block])] + made + data[int(plain.page["ends"][block]) :]
    return label(row, data)


def _list(kind: List, least: int, said: Sequence[str], titles: Sequence[str], draw: random.Random) -> bytes:
    """A list of so many items at least, if it may have so many."""
    number = draw.randint(min(least, kind.most), kind.most)
    items = [_item(kind, (place, number), said, titles, draw) for place in range(1, number + 1)]
    return (kind.head + "\n".join(items) + kind.foot).encode()


def _item(kind: List, place: tuple[int, int], said: Sequence[str], titles: Sequence[str], draw: random.Random) -> str:
    sentences = draw.choice(said).split(". ")
    first = draw.randrange(len(sentences))
    return kind.item.format(
        title=html.escape(draw.choice(titles)),
        text=html.escape(". ".join(sentences[first : first + draw.randint(1, 2)])),
        short=html.escape(sentences[first][:SHORT_TEXT]),
        date=invented_date(draw),
        name=draw.choice(NAMES),
        place=place[0],
        number=place[1],
    )


def _before(data: bytes, place: int, draw: random.Random) -> int:
    """Before the start tag that leads to `place`, or up to three further ones."""
    opening = data.rfind(b"<", 0, place)
    place = opening if opening >= 0 else place
    for _ in range(draw.randint(0, 3)):
        found = re.compile(rb"<[a-zA-Z][^<>]{0,300}>\s*$").search(data[max(0, place - 400) : place])
        if found is None:
            break
        place = max(0, place - 400) + found.start()
    return place


def _behind(data: bytes, place: int, draw: random.Random) -> int:
    """Behind one to five of the end tags that follow."""
    for _ in range(draw.randint(1, 5)):
        found = re.compile(rb"\s*</[^>]{1,20}>").match(data, place)
        if found is None:
            break
        place = found.end()
    return place


def headlines(pages: Sequence[Labelled]) -> list[str]:
    """What takes the place of the headline on pages where it has three to twenty words."""
    found = [title_of(one) for one in pages]
    return [title for title in found if 3 <= len(title.split()) <= 20]
