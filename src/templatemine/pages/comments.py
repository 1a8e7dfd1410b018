"""Comments of readers: which blocks of a page they are, with who wrote them and when.

They stand below the beginning of the main text, in elements that are named after comments and are no form, and part of
what stands there is told in sentences.  Linear in the page.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from templatemine.pages import _html, _model
from templatemine.pages.blocks import Page
from templatemine.pages.scanner import GROUPS

__all__ = ["comments_among", "comments_of"]

_COMMENT = np.uint32(1 << list(GROUPS).index("comment"))
_OTHER = np.uint32(sum(1 << list(GROUPS).index(name) for name in ("nav", "advert", "foot")))
_FORM = [name for name, _ in _html.TAGS].index("form")
WORDS, LINKED, SENTENCES = (_html.COUNTS.index(name) for name in ("words", "linked", "sentences"))

LINE = 8
"""Words from which on a block with the end of a sentence, most of it in no link, says something."""
TOLD = 0.2
"""Share of the words of a thread that stands in such blocks; the rest are names, dates and controls.  By dragnet."""
STORY = 100
"""Words of a main text that has comments; where there are fewer beside them, the thread itself is it, as in a forum."""


def comments_of(page: Page, kept: NDArray[np.bool_]) -> NDArray[np.bool_]:
    """Blocks of comments.

    Parameters
    ----------
    page : Page
    kept : bool array, shape (blocks,)
        The main text, of which no comment is a part.
    """
    if not kept.any():
        return np.zeros(len(page), np.bool_)
    columns, counts = page.columns, page.columns["counts"]
    first = int(np.flatnonzero(kept)[0])
    parents, groups = columns["parents"], _groups(page, first)
    talk = (groups & _COMMENT) > 0
    other = (((groups & _OTHER) > 0) & ~talk) | (columns["tags"] == _FORM)
    inside = _model.inherited(parents, other.astype(np.uint8))[columns["element"]].astype(np.bool_)
    threads = _outermost(parents, talk)[columns["element"]]
    words = counts[:, WORDS]
    likely = (threads > 0) & ~inside & ~kept & ~page.hidden & (np.arange(len(page)) > first)
    told = likely & (words >= LINE) & (counts[:, SENTENCES] > 0) & (2 * counts[:, LINKED] < words)
    said = np.bincount(threads, weights=words * told, minlength=1)
    whole = np.bincount(threads, weights=words * likely, minlength=1)
    return likely & ((said > 0) & (said >= TOLD * whole))[threads]  # type: ignore[no-any-return]


def comments_among(page: Page, kept: NDArray[np.bool_]) -> NDArray[np.bool_]:
    """Blocks of a main text that are comments below its beginning: a long thread may be taken for the story.

    None where fewer than `STORY` words would be left: a forum is all thread.
    """
    none = np.zeros(len(page), np.bool_)
    if not kept.any():
        return none
    first = int(np.flatnonzero(kept)[0])
    talk = ((_groups(page, first) & _COMMENT) > 0).astype(np.uint8)
    if not _model.inherited(page.columns["parents"], talk)[page.columns["element"][kept]].any():
        return none  # as on nearly every page; the rest takes longer
    beginning = none.copy()
    beginning[first] = True
    found = kept & comments_of(page, beginning)
    return found if int(page.words[kept & ~found].sum()) >= STORY else none


def _groups(page: Page, first: int) -> NDArray[np.uint32]:
    """Key words in the names of elements, but for those that hold the first block of the main text: what holds it is
    named after the page."""
    parents, groups = page.columns["parents"], page.columns["groups"].copy()
    element = int(page.columns["element"][first])
    while element > 0:
        groups[element] = 0
        element = int(parents[element])
    groups[0] = 0
    return groups  # type: ignore[no-any-return]


def _outermost(parents: NDArray[np.int32], own: NDArray[np.bool_]) -> NDArray[np.int64]:
    """Of each element, the outermost one that holds it, or itself, and has something; 0 for none."""
    found, has = [0] * len(parents), own.tolist()
    for element, parent in enumerate(parents.tolist()[1:], 1):  # parents come first
        found[element] = found[parent] or element * has[element]
    return np.array(found, np.int64)
