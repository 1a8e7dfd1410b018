"""Blocks that say in one run what several others say: a second copy of the story, for machines or for print.

Some pages hold their story twice: in paragraphs for readers, and in one piece, mostly in an element that is not shown
(``itemprop=articleBody``).  The page model holds both for main text, and rightly so; but a story is to be given once,
and in its paragraphs.  In come the texts of blocks, out go those that others are the pieces of.  Linear in the page;
of a page without a long block that begins with another one, only the beginnings are looked at.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from templatemine.pages import _blocks
from templatemine.pages.blocks import Page

MIN_WORDS = 100
"""Fewest words of a copy.  A story of fewer is not worth the risk that a summary is taken for one."""
MIN_PIECES = 3
"""Blocks that a copy is made of: of two, the one may be the beginning of a long quotation and the other its end."""
MIN_COVERAGE = 0.9
"""Share of the characters of a copy in its pieces; the rest are lines too short to be searched."""
PREFIX_LENGTH = 12
"""Characters that a piece has at least, and by which it is found."""
MAX_CANDIDATES = 16
"""Texts with the same first `PREFIX_LENGTH` characters that are looked at: a bound for pages made to be slow."""
COPY_SCORE = -9.2
"""Log odds of a copy."""


def find_copies(page: Page, scores: NDArray[np.float64]) -> list[tuple[int, list[int]]]:
    """Return the copies on a page, longest first, each with the blocks it is made of: of those of equal text the
    likeliest."""
    candidates = _copy_candidates(page)
    if not candidates:
        return []
    texts = page.texts(np.arange(len(page)))
    by_prefix: dict[str, dict[str, int]] = {}
    for block in np.argsort(-scores, kind="stable").tolist():
        text = texts[block]
        if len(text) >= PREFIX_LENGTH:
            same_prefix = by_prefix.setdefault(text[:PREFIX_LENGTH], {})
            if len(same_prefix) < MAX_CANDIDATES:
                same_prefix.setdefault(text, block)
    copies = ((block, _find_pieces(texts[block], by_prefix)) for block in candidates)
    return sorted(((block, pieces) for block, pieces in copies if pieces), key=lambda row: -len(texts[row[0]]))


def transfer_scores(scores: NDArray[np.float64], copies: list[tuple[int, list[int]]]) -> NDArray[np.float64]:
    """Log odds with the copies out of the way: their pieces are as likely as they are."""
    scores = scores.copy()
    for block, pieces in copies:
        scores[pieces] = np.maximum(scores[pieces], scores[block])
    scores[[block for block, _ in copies]] = COPY_SCORE
    return scores


def _copy_candidates(page: Page) -> list[int]:
    """Return long blocks that begin with all that a shorter one says."""
    long = (page.words >= MIN_WORDS).nonzero()[0]
    if not len(long):
        return []
    bounds = page.columns["bounds"]
    searchable = (bounds[1:] - bounds[:-1] >= PREFIX_LENGTH).nonzero()[0]
    if len(searchable) <= MIN_PIECES:
        return []
    prefixes = page.columns["text"][bounds[searchable][:, None] + np.arange(8)].view(np.uint64)[:, 0]
    first_equal = _blocks.find_first_equal(prefixes)
    if not (np.bincount(first_equal)[first_equal[np.searchsorted(searchable, long)]] > 1).any():
        return []
    order = np.argsort(prefixes, kind="stable")
    own_prefix = prefixes[np.searchsorted(searchable, long)]
    first, last = (np.searchsorted(prefixes, own_prefix, side, sorter=order) for side in ("left", "right"))
    candidates = []
    for index in np.flatnonzero(last > first + 1).tolist():
        text = page.text(int(long[index]))
        same_prefix = order[first[index] : min(last[index], first[index] + MAX_CANDIDATES)]
        others = map(page.text, searchable[same_prefix].tolist())
        if any(len(other) < len(text) and text.startswith(other) for other in others):
            candidates.append(int(long[index]))
    return candidates


def _find_pieces(text: str, by_prefix: dict[str, dict[str, int]]) -> list[int]:
    """Return the blocks that a text is made of, in its order; none if they do not begin it, are too few or say too
    little."""
    pieces: list[int] = []
    offset, unmatched = 0, (1 - MIN_COVERAGE) * len(text)
    while offset < len(text) and unmatched >= 0:
        matches = [
            piece
            for piece in by_prefix.get(text[offset : offset + PREFIX_LENGTH], ())
            if len(piece) < len(text) and text.startswith(piece, offset)
        ]
        if matches:
            longest = max(matches, key=len)
            pieces.append(by_prefix[longest[:PREFIX_LENGTH]][longest])
            offset += len(longest)
            offset += text.startswith(" ", offset)
        elif not pieces:
            return []
        else:  # a line that is too short, or not the same
            space = text.find(" ", offset)
            next_offset = len(text) if space < 0 else space + 1
            unmatched -= next_offset - offset
            offset = next_offset
    return pieces if unmatched >= 0 and len(pieces) >= MIN_PIECES else []
