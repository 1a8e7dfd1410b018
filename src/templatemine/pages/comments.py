"""Comments of readers: which blocks of a page they are."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from templatemine.pages import _html, _model
from templatemine.pages.blocks import Page
from templatemine.pages.scanner import GROUPS

__all__ = ["comments_of"]

_GROUP = np.uint32(1 << list(GROUPS).index("comment"))


def comments_of(page: Page, kept: NDArray[np.bool_]) -> NDArray[np.bool_]:
    """Blocks of comments: not of the main text, in an element that is named after comments."""
    columns = page.columns
    named = ((columns["groups"] & _GROUP) > 0).astype(np.uint8)
    named = _model.inherited(columns["parents"], named)[columns["element"]].astype(np.bool_)
    return named & ~kept & ~page.hidden
