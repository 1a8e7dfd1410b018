"""hybrid: the page model, joined by the history of the site where a pack has it; see docs/pages.md."""

from __future__ import annotations

import numpy as np

from templatemine.config import ExtractConfig
from templatemine.pages.blocks import Page
from templatemine.pages.decode import REASONS, kept
from templatemine.pages.history import Votes, choose
from templatemine.pages.systems import Judge, Site, Verdict

__all__ = ["make"]


def make(site: Site, config: ExtractConfig) -> Judge:
    """The page model alone where the site has no history, or one of too few pages."""
    history, options = site.history, config.clean.page
    enough = history is not None and history.documents >= options.min_pages
    votes = Votes(history, options) if history is not None and enough else None

    def judge(page: Page) -> Verdict:
        scores = page.scores if votes is None else votes.apply(page)[0]
        code = choose(page, scores, options)
        chance = 1 / (1 + np.exp(-np.clip(scores, -30, 30)))
        return Verdict(kept=kept(code), reason=code, reasons=REASONS, score=chance)

    return judge
