"""Blocks that say in one run what several others say: a second copy of the story, for machines or for print.

Some pages hold their story twice: in paragraphs for readers, and in one piece, mostly in an element that is not shown
(``itemprop=articleBody``).  The page model holds both for main text, and rightly so; but a story is to be given once,
and in its paragraphs.  In come the texts of blocks, out go those that others are the pieces of.  Linear in the page;
of a page without a long block that begins with another one, only the beginnings are looked at.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from templatemine.pages import _model
from templatemine.pages.blocks import Page

__all__ = ["copies", "lifted"]

WORDS = 100
"""Of a copy.  A story of fewer is not worth the risk that a summary is taken for one."""
PIECES = 3
"""Blocks that a copy is made of: of two, the one may be the beginning of a long quotation and the other its end."""
COVER = 0.9
"""Of the characters of a copy, what its pieces say; the rest are lines too short to be looked for."""
HEAD = 12
"""Characters that a piece has at least, and by which it is found."""
ALIKE = 16
"""Texts with the same first `HEAD` characters that are looked at: a bound for pages made to be slow."""
NEVER = -9.2
"""Log odds of a copy."""


def copies(page: Page, scores: NDArray[np.float64]) -> list[tuple[int, list[int]]]:
    """The copies on a page, longest first, each with the blocks it is made of: of those of equal text the likeliest."""
    long = _begun(page)
    if not long:
        return []
    texts = [page.text(block) for block in range(len(page))]
    heads: dict[str, dict[str, int]] = {}
    for block in np.argsort(-scores, kind="stable").tolist():
        text = texts[block]
        if len(text) >= HEAD:
            same = heads.setdefault(text[:HEAD], {})
            if len(same) < ALIKE:
                same.setdefault(text, block)
    found = ((block, _pieces(texts[block], heads)) for block in long)
    return sorted(((block, pieces) for block, pieces in found if pieces), key=lambda row: -len(texts[row[0]]))


def lifted(scores: NDArray[np.float64], again: list[tuple[int, list[int]]]) -> NDArray[np.float64]:
    """Log odds with the copies out of the way: what they are made of is as likely as they are."""
    scores = scores.copy()
    for block, pieces in again:
        scores[pieces] = np.maximum(scores[pieces], scores[block])
    scores[[block for block, _ in again]] = NEVER
    return scores


def _begun(page: Page) -> list[int]:
    """Long blocks that begin with all that a shorter one says."""
    long = np.flatnonzero(page.words >= WORDS)
    bounds = page.columns["bounds"]
    tall = np.flatnonzero(bounds[1:] - bounds[:-1] >= HEAD)
    if not len(long) or len(tall) <= PIECES:
        return []
    begins = page.columns["text"][bounds[tall][:, None] + np.arange(8)].view(np.uint64)[:, 0]
    firsts = _model.firsts(begins)
    if not (np.bincount(firsts)[firsts[np.searchsorted(tall, long)]] > 1).any():
        return []
    order = np.argsort(begins, kind="stable")
    own = begins[np.searchsorted(tall, long)]
    first, last = (np.searchsorted(begins, own, side, sorter=order) for side in ("left", "right"))
    found = []
    for place in np.flatnonzero(last > first + 1).tolist():
        text = page.text(int(long[place]))
        begun = order[first[place] : min(last[place], first[place] + ALIKE)]
        others = map(page.text, tall[begun].tolist())
        if any(len(other) < len(text) and text.startswith(other) for other in others):
            found.append(int(long[place]))
    return found


def _pieces(text: str, heads: dict[str, dict[str, int]]) -> list[int]:
    """The blocks that a text is made of, in its order; none if they do not begin it, are too few or say too little."""
    pieces: list[int] = []
    at, spare = 0, (1 - COVER) * len(text)
    while at < len(text) and spare >= 0:
        here = [one for one in heads.get(text[at : at + HEAD], ()) if len(one) < len(text) and text.startswith(one, at)]
        if here:
            longest = max(here, key=len)
            pieces.append(heads[longest[:HEAD]][longest])
            at += len(longest)
            at += text.startswith(" ", at)
        elif not pieces:
            return []
        else:  # a line that is too short, or not the same
            space = text.find(" ", at)
            following = len(text) if space < 0 else space + 1
            spare -= following - at
            at = following
    return pieces if spare >= 0 and len(pieces) >= PIECES else []
