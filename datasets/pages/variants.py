"""Pages made anew, so that a model learns from some hundred articles what the web holds besides them.

The public sets whose licence allows it hold whole news articles of recent years.  `with_teasers` puts an invented list
of teasers, captions or the like into a page, as `labels.with_comments` puts a thread; `shortened` takes most of the
story out, for posts of a paragraph or two are rare in the sets and common on blogs.
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
from labels import Labelled, label, title_of

__all__ = ["TEASERS", "List", "headlines", "shortened", "with_teasers"]


@dataclass(frozen=True, slots=True)
class List:
    """Mark-up of a list: head, one item, foot; and how many items it has at most."""

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


def shortened(plain: Labelled, row: dict[str, Any], draw: random.Random) -> Labelled | None:
    """The page with but the first paragraphs of its main text; None if there are too few to take some out.

    Parameters
    ----------
    plain : Labelled
        The page as it stands.
    """
    main = np.flatnonzero(plain.labels)
    paragraphs = [block for block in main.tolist() if plain.words[block] >= 8]
    if len(paragraphs) < 4:
        return None
    kept = set(paragraphs[: min(1 + int(draw.expovariate(0.6)), len(paragraphs) // 2)])
    data = row["html"].encode("utf-8", "surrogatepass")
    pieces: list[bytes] = []
    at = 0
    for block in main.tolist():
        start, end = int(plain.page["starts"][block]), int(plain.page["ends"][block])
        if block in kept or block < paragraphs[0] or start < at:
            continue
        # Its words go, its tags stay.
        pieces += [data[at:start], *re.findall(rb"<[^>]*>", data[start:end])]
        at = end
    return label(row, b"".join([*pieces, data[at:]]))


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
    kind = draw.choice(TEASERS)
    piece = kind.head + "\n".join(
        _item(kind, said, titles, draw) for _ in range(draw.randint(min(2, kind.most), kind.most))
    )
    made = (piece + kind.foot).encode()
    return label(row, data[:place] + made + data[place:], (place, place + len(made)))


def _item(kind: List, said: Sequence[str], titles: Sequence[str], draw: random.Random) -> str:
    sentences = draw.choice(said).split(". ")
    first = draw.randrange(len(sentences))
    return kind.item.format(
        title=html.escape(draw.choice(titles)),
        text=html.escape(". ".join(sentences[first : first + draw.randint(1, 2)])),
        date=invented_date(draw),
        name=draw.choice(NAMES),
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
    """What stands for the headline on pages where it has three to twenty words."""
    found = [title_of(one) for one in pages]
    return [title for title in found if 3 <= len(title.split()) <= 20]
