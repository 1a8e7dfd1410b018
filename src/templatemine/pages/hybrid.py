"""hybrid: the page model, joined by the history of the site where a pack has it; see docs/pages.md."""

from __future__ import annotations

import numpy as np

from templatemine.config import ExtractConfig
from templatemine.pages import decode
from templatemine.pages.blocks import Page
from templatemine.pages.history import Votes, choose
from templatemine.pages.systems import Judge, Site, Verdict

__all__ = ["REASONS", "make"]

REASONS = (
    *decode.REASONS,
    "not main text: the site's pages have little of it in its place, or the same text",
    "main text: the site's pages have theirs in its place",
)
"""Those of `decode`, by code, then those of blocks that the page model alone would have judged otherwise."""
AGAINST, FOR = len(decode.REASONS), len(decode.REASONS) + 1


def make(site: Site, config: ExtractConfig) -> Judge:
    """The page model alone where the site has no history, or one of too few pages."""
    history, options = site.history, config.clean.page
    enough = history is not None and history.documents >= options.min_pages
    votes = Votes(history, options) if history is not None and enough else None

    def judge(page: Page) -> Verdict:
        scores = page.scores if votes is None else votes.apply(page)[0]
        code = choose(page, scores, options)
        reason = code.copy()
        reason[(code == decode.LEFT) & (page.scores > 0) & (scores <= 0)] = AGAINST
        reason[(code == decode.CHOSEN) & (page.scores <= 0) & (scores > 0)] = FOR
        chance = 1 / (1 + np.exp(-np.clip(scores, -30, 30)))
        return Verdict(kept=decode.kept(code), reason=reason, reasons=REASONS, score=chance)

    return judge
