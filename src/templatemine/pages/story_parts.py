"""Rules for the parts of a story, which hold whatever the page model thinks of single blocks.

A block of code is one block, and a list of definitions or a table within the story is part of it; the footnotes of a
story stay; of a page of few words nothing but its navigation goes; of several articles on a page, which scrolling has
appended, the one that the page is titled after is its story; a name of the site is none of its lines.  Where a rule
does not apply it costs a look at the tags of the page, and gives None.
"""

from __future__ import annotations

import re

import numpy as np
from numpy.typing import NDArray

from templatemine.pages import _blocks, _html
from templatemine.pages.blocks import Page
from templatemine.pages.scanner import TAG_NAMES, group_mask
from templatemine.pages.title_and_date import find_title, title_parts

SMALL_WORDS, PAGE_WORDS = 80, 120
"""Words of a story, outside of navigation and the like, below which none of it is cut, on a page of that many."""
ARTICLE_WORDS = 50
"""Words of main text that a further article has at least."""
MAX_UNITS = 64
"""Units of one kind on a page that are looked at."""
MIN_CHANCE = -1.2
"""Mean log odds from which on a unit between blocks of the main text is part of it."""
SITE_WORDS = 8
"""Words of a line that may be the name of the site."""
CONTAINERS_UP = 3
"""Elements around footnotes that are looked at for the story."""

_ARTICLE, _H1, _PRE, _DL = (TAG_NAMES.index(name) for name in ("article", "h1", "pre", "dl"))
_IS_ASIDE = np.array([name in ("nav", "footer", "aside", "form", "button", "header") for name in TAG_NAMES])
_ASIDE_GROUPS = group_mask("nav", "foot", "comment", "share", "related", "advert", "form")
_SMALL_ASIDE_GROUPS = _ASIDE_GROUPS | group_mask("side", "head")
_CAPTION = group_mask("caption")
_NOTE_ID = re.compile(rb"#[\w-]*(?:fn|note)")
_NOTE = group_mask("note")
LINKED = _html.COUNTS.index("linked")


def equalise_units(page: Page, scores: NDArray[np.float64]) -> NDArray[np.float64]:
    """Log odds, those of the lines of a preformatted text the mean over its words: it is kept as one, or left out."""
    homes = _unit_homes(page, _PRE)
    if homes is None:
        return scores
    weights = np.bincount(homes, weights=page.words)
    means = np.bincount(homes, weights=scores * page.words) / np.maximum(weights, 1)
    return np.where(homes > 0, means[homes], scores)


def find_line_numbers(page: Page) -> NDArray[np.bool_] | None:
    """Find lines of a preformatted text that hold only their numbers: 1, 2, 3 ..."""
    homes = _unit_homes(page, _PRE)
    if homes is None:
        return None
    found = np.zeros(len(page), np.bool_)
    for unit in sorted(set(homes[homes > 0].tolist())):
        blocks = np.flatnonzero(homes == unit)
        if len(blocks) > 1 and (page.words[blocks] == 1).all():
            texts = page.texts(blocks)
            if texts[0].isdecimal() and texts == [str(int(texts[0]) + step) for step in range(len(texts))]:
                found[blocks] = True
    return found


def find_inner_units(page: Page, scores: NDArray[np.float64], kept: NDArray[np.bool_]) -> NDArray[np.bool_] | None:
    """Find lists of definitions between blocks of the main text, in the element that holds most of it."""
    homes = _unit_homes(page, _DL)
    if homes is None or not kept.any():
        return None
    found = np.zeros(len(page), np.bool_)
    kept_words = _kept_words(page, kept)
    first, last = int(kept.argmax()), len(kept) - 1 - int(kept[::-1].argmax())
    for unit in sorted(set(homes[homes > 0].tolist())):
        blocks = np.flatnonzero(homes == unit)
        if blocks[0] > first and blocks[-1] < last and 2 * kept_words[page.columns["parents"][unit]] > kept_words[0]:
            words = page.words[blocks]
            found[blocks] = (scores[blocks] * words).sum() >= MIN_CHANCE * words.sum()
    return found & ~kept & ~page.in_elements((page.columns["groups"] & (_CAPTION | _ASIDE_GROUPS)) > 0)


def find_footnotes(page: Page, kept: NDArray[np.bool_]) -> NDArray[np.bool_] | None:
    """Find footnotes of the story: named as such, with an id that marks in the text lead to, below its beginning and
    within or beside its element."""
    columns = page.columns
    if not page.all_groups & _NOTE or not kept.any():
        return None
    named = (columns["groups"] & _NOTE) > 0
    parents, kept_words = columns["parents"], _kept_words(page, kept)
    is_notes = named & (2 * kept_words < kept_words[0]) & (_marked_notes(page) > 0)
    for element in np.flatnonzero(is_notes).tolist():
        holder = element
        for _ in range(CONTAINERS_UP):
            holder = max(int(parents[holder]), 0)
            if 2 * kept_words[holder] >= kept_words[0]:
                break
        else:
            is_notes[element] = False
        is_notes[element] &= holder > 0
    return page.in_elements(is_notes) & ~kept & (np.arange(len(page)) > int(kept.argmax()))


def _marked_notes(page: Page) -> NDArray[np.int64]:
    """Count the elements with the id of a note in each."""
    columns = page.columns
    bounds, signs = columns["sign_bounds"], columns["signs"].tobytes()
    nodes = np.zeros(len(columns["node_parents"]), np.int64)
    ends = [match.end() for match in _NOTE_ID.finditer(signs)]
    nodes[np.searchsorted(bounds, ends, "left") - 1] = 1
    return _blocks.sum_subtrees(columns["parents"], nodes[columns["element_nodes"]])


def find_small_story(page: Page) -> NDArray[np.bool_] | None:
    """Return everything but navigation on a page of few words; None on longer pages."""
    columns = page.columns
    if page.all_words > PAGE_WORDS:
        return None
    linked = 2 * columns["counts"][:, LINKED] >= page.words
    is_aside = _IS_ASIDE[columns["tags"]] | ((columns["groups"] & _SMALL_ASIDE_GROUPS) > 0)
    is_aside[0] = False
    aside = page.in_elements(is_aside)
    if page.headline >= 0:
        aside[page.headline] = False
    story = ~(linked | page.hidden | aside)
    return story if page.count_words(story) <= SMALL_WORDS else None


def find_further_articles(page: Page, kept: NDArray[np.bool_]) -> NDArray[np.bool_] | None:
    """Find blocks of further articles, each with a headline of its own, behind the one whose headline is the title of
    the page."""
    columns, headline = page.columns, page.headline
    if headline < 0 or page.tag_counts[_ARTICLE] < 2 or page.tag_counts[_H1] < 2:
        return None
    tags, parents = columns["tags"], columns["parents"]
    homes = _blocks.find_nearest(parents, tags == _ARTICLE)
    in_h1 = page.in_elements(tags == _H1)
    home = int(homes[columns["element"][headline]])
    if not home or not in_h1[headline]:
        return None
    kept_words, headlines = _kept_words(page, kept), page.sum_elements(in_h1)
    elements = np.arange(len(parents))
    further = (tags == _ARTICLE) & (elements > home) & (kept_words >= ARTICLE_WORDS) & (headlines > 0)
    # Those in the same article, or in none, as it does
    further &= homes[np.maximum(parents, 0)] == homes[parents[home]]
    return page.in_elements(further)


def find_site_lines(page: Page, kept: NDArray[np.bool_]) -> NDArray[np.bool_] | None:
    """Find lines before the title with the other part of ``<title>``, the name of the site, the first of them a
    link."""
    first = int(kept.argmax())
    if page.words[first] > SITE_WORDS or page.columns["counts"][first, LINKED] < page.words[first]:
        return None
    parts = title_parts(page.title)
    if len(parts) < 2 or page.text(first).casefold() not in parts:
        return None
    lines = np.zeros(len(page), np.bool_)
    title = find_title(page, page.headings, kept)
    if title > first:
        own = set(page.text(title).casefold().split())
        others = [part for part in parts if not own.intersection(part.split())]
        short = np.flatnonzero(kept[:title] & (page.words[:title] <= SITE_WORDS)).tolist()
        lines[[block for block in short if len(others) < len(parts) and page.text(block).casefold() in others]] = True
    return lines


def _unit_homes(page: Page, tag: int) -> NDArray[np.int64] | None:
    """Return the innermost element of a tag around each block, 0 for none; None where a page has none, or too many."""
    if not 0 < page.tag_counts[tag] <= MAX_UNITS:
        return None
    columns = page.columns
    is_unit = columns["tags"] == tag
    return _blocks.find_nearest(columns["parents"], is_unit)[columns["element"]]  # type: ignore[no-any-return]


def _kept_words(page: Page, kept: NDArray[np.bool_]) -> NDArray[np.int64]:
    """Count the words of the main text in each element."""
    return page.sum_elements(page.words * kept)
