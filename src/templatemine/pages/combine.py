"""Any system together with the history of the site: of what it keeps, what the site's own pages call boilerplate goes.

`mine` stores where the pages of a source have their main text, and which texts stand on several of them at the same
place (docs/pages.md, section 4).  A system that looks at one page alone knows neither.  Here no page model is asked, so
the cost is a look-up a block.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from templatemine.pages.blocks import Page
from templatemine.pages.history import Votes
from templatemine.pages.systems import Judge, Post, Verdict

__all__ = ["SHARE", "combined"]

SHARE = 0.1
"""Of the words under a path, how many are main text at most where it is boilerplate.  On two sets twice
that is better by 1.2 points at most and worse by 0.6."""
SEVERAL = 2
"""Pages with the same sentence at the same place."""

REASONS = (
    "the site's pages have no main text in its place",
    "the site's other pages say the same in its place",
)


def combined(judge: Judge, votes: Votes) -> Judge:
    """A judge that drops what another one keeps against the evidence of the site, unless nothing would be left."""

    def judged(page: Page) -> Verdict:
        alone = judge(page)
        share, df, sentence = votes.boilerplate(page)
        beside, again = share < SHARE, (df >= SEVERAL) & sentence
        kept = alone.kept & ~beside & ~again
        if not kept.any():
            return alone
        reason = alone.reason.astype(np.int16)
        reason[alone.kept & again] = len(alone.reasons) + 1
        reason[alone.kept & beside] = len(alone.reasons)
        posts = (_left(page, post, kept) for post in alone.posts)
        return replace(
            alone,
            kept=kept,
            reason=reason,
            reasons=(*alone.reasons, *REASONS),
            cuts={block: cuts for block, cuts in alone.cuts.items() if kept[block]},
            posts=tuple(post for post in posts if post.blocks),
        )

    return judged


def _left(page: Page, post: Post, kept: NDArray[np.bool_]) -> Post:
    blocks = tuple(block for block in post.blocks if kept[block])
    return replace(post, text="\n".join(map(page.text, blocks)), blocks=blocks)
