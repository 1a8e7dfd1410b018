"""Comments of readers: which blocks of a page they are.

They stand below the beginning of the main text, in elements that are named after comments; what pages put around them
(forms, controls, who wrote when) is left out where a block has nothing else in it.  Linear in the blocks.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from templatemine.pages import _html, _model
from templatemine.pages.blocks import Page
from templatemine.pages.scanner import GROUPS

__all__ = ["comments_of"]

_NAMES = list(GROUPS)
_COMMENT = np.uint32(1 << _NAMES.index("comment"))
_OTHER = np.uint32(sum(1 << _NAMES.index(name) for name in ("form", "related", "share", "nav", "advert", "foot")))
_FORM = [name for name, _ in _html.TAGS].index("form")
WORDS, LINKED, SENTENCES = (_html.COUNTS.index(name) for name in ("words", "linked", "sentences"))
MONTH, CONTROL, CLOCK = (_html.COUNTS.index(name) for name in ("month", "control", "clock"))

LINE = 8
"""Words from which on a block may say something of its own; one with a sentence, or so many words, must be there."""
SHORT = 12
"""Words of a line that a date, a time or a control rules."""


def comments_of(page: Page, kept: NDArray[np.bool_]) -> NDArray[np.bool_]:
    """Blocks of comments.

    Parameters
    ----------
    page : Page
    kept : bool array, shape (blocks,)
        The main text, of which no comment is a part.
    """
    columns, counts = page.columns, page.columns["counts"]
    if not kept.any():
        return np.zeros(len(page), np.bool_)
    first = int(np.flatnonzero(kept)[0])
    groups = columns["groups"].copy()
    element = int(columns["element"][first])
    while element > 0:  # what holds the main text is named after the page
        groups[element] = 0
        element = int(columns["parents"][element])
    groups[0] = 0
    named = _inherited(page, (groups & _COMMENT) > 0)
    other = _inherited(page, ((groups & _OTHER) > 0) & ((groups & _COMMENT) == 0)) | _inherited(page, columns["tags"] == _FORM)
    words = counts[:, WORDS]
    below = np.arange(len(page)) > first
    found = named & ~other & ~kept & ~page.hidden & below & (2 * counts[:, LINKED] <= words)
    line = (words <= SHORT) & (counts[:, [MONTH, CLOCK, CONTROL]].any(axis=1))
    found &= ~line
    told = found & (words >= LINE) & (counts[:, SENTENCES] > 0)
    return found if told.any() else np.zeros(len(page), np.bool_)


def _inherited(page: Page, own: NDArray[np.bool_]) -> NDArray[np.bool_]:
    """Of each block, whether an element that holds it has something."""
    columns = page.columns
    return _model.inherited(columns["parents"], own.astype(np.uint8))[columns["element"]].astype(np.bool_)  # type: ignore[no-any-return]
