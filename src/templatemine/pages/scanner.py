"""Tables of the scanner of blocks: entities, key words of classes and ids, words of boilerplate.

Key words are pieces of class, id and role attributes as page authors name the parts of their pages; a group stands for
one role.  Words (`boilerplate_words`) are looked for in the text itself.  Both are data: a row can be added without
touching the code, but the page model has to be trained anew then (see docs/pages.md).
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from functools import lru_cache
from html.entities import html5

import numpy as np

from templatemine.pages import _html
from templatemine.pages.boilerplate_words import GROUPS as NUMBERS
from templatemine.pages.boilerplate_words import WORDS
from templatemine.text.patterns import TABLE

GROUPS: Mapping[str, str] = {
    "content": "content article body entry main post story text maincontent articlebody blogpost permalink prose",
    "nav": "nav menu navigation breadcrumb breadcrumbs tabs toolbar topbar navbar sitemap pagination pager",
    "side": "side sidebar rail widget module column sidebox rightcol leftcol secondary complementary aside",
    "foot": "foot footer copyright bottom colophon contentinfo legal disclaimer",
    "head": "header masthead banner logo branding top",
    "comment": "comment comments disqus reply respond discussion feedback trackback pingback livefyre",
    "share": "share sharing social twitter facebook addthis bookmark print email tools linkedin pinterest rss",
    "related": "related recommend recommended popular trending recent latest similar promo teaser mostread archive",
    "advert": "ad ads advert advertisement sponsor sponsored adsense dfp taboola outbrain promotion",
    "meta": "byline author date time meta credit tag tags category categories dateline published posted timestamp bio",
    "title": "title headline heading hed subtitle kicker deck dek",
    "caption": "caption photo image gallery figure slideshow video media thumb thumbnail player",
    "form": "search login signup subscribe newsletter register form account modal popup overlay cookie consent gdpr",
    "list": "list item items row grid feed stream card listing",
    "summary": "summary intro excerpt abstract lead standfirst description blurb",
    "quote": "quote blockquote pullquote",
    "product": "product price cart rating review reviews specs",
    "skip": "skip hidden hide noprint screenreader visuallyhidden sronly wm toolbar",
}

MARKERS: Mapping[str, str] = {
    "note": "footnote footnotes endnote endnotes",
    "offer": "paywall regwall subwall paygate metering premium newslett subscri signu",
}
"""The same for what no feature of the page model counts; their groups come behind those of `GROUPS`, up to 31.  A word
that has a group already is cut, so that it counts for both."""


TAG_NAMES = [name for name, _ in _html.TAGS]
"""Names of tags, by their number in the column `tags`."""

TAG_FLAGS = np.array([flags for _, flags in _html.TAGS])
"""Their properties: sums of `_html.FLAGS`."""


def group_mask(*names: str) -> int:
    """Return the bits of groups of `GROUPS` and `MARKERS` in the column `groups`."""
    groups = [*GROUPS, *MARKERS]
    return sum(1 << groups.index(name) for name in names)


def _first_rows(rows: Iterator[tuple[bytes, int]]) -> list[tuple[bytes, int]]:
    """Return the first row of each name."""
    first: dict[bytes, int] = {}
    for name, group in rows:
        first.setdefault(name, group)
    return list(first.items())


def entity_table() -> list[tuple[bytes, bytes]]:
    """Return name and meaning in UTF-8 of the named references of HTML, without those longer than twice their name."""
    rows = ((name.encode(), meaning.encode()) for name, meaning in html5.items())
    return [(name, meaning) for name, meaning in rows if len(meaning) <= 2 * len(name) + 1]


def keyword_table() -> list[tuple[bytes, int]]:
    """Return each key word and the index of its group in `GROUPS` and `MARKERS`; a word of two groups counts for the
    first."""
    groups = (*GROUPS.values(), *MARKERS.values())
    return _first_rows((word.encode(), group) for group, text in enumerate(groups) for word in text.split())


def word_table() -> list[tuple[bytes, int]]:
    """Return each word and its group, in the forms that the scanner looks up: it lowers only the letters of ASCII."""
    dated = (
        (word, 1 if row.name.startswith("month") else 2)
        for row in TABLE
        if row.name.startswith(("month", "weekday"))
        for word in row.words
    )
    boilerplate = (
        (word, NUMBERS[group]) for rows in WORDS.values() for group, text in rows.items() for word in text.split()
    )
    return _first_rows(
        (form, group) for rows in (dated, boilerplate) for word, group in rows for form in _case_forms(word)
    )


def _case_forms(word: str) -> Iterator[bytes]:
    low = word.lower()
    for form in (low, low.capitalize(), low.upper()):
        yield "".join(char.lower() if char.isascii() else char for char in form).encode()


TYPE, SCHEMA, CANONICAL, PAID = b'"@type"', b"schema.org/", b"canonical", b"isAccessibleForFree"
NEXT = (b'rel="next"', b"rel='next'", b"rel=next")
LANDMARKS = (TYPE, SCHEMA, CANONICAL, PAID, *NEXT)
"""What stands where a page says to machines of what kind it is, where it is, and whom it is for."""
LANDMARK_FINDER = _html.PhraseFinder(LANDMARKS)

META_PARTS = [
    name.encode()
    for name in "og:title og:type og:url article:published_time dcterms.issued dcterms.created date".split()
]
"""Parts of the names of each ``<meta>`` that the kind, the address, the title or the date of a page is read from."""


@lru_cache(maxsize=1)
def block_scanner() -> _html.BlockScanner:
    """Return the scanner with these tables; one is enough for all threads."""
    return _html.BlockScanner(entity_table(), keyword_table(), word_table())
