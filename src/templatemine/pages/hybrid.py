"""hybrid: the page model, joined by the history of the site where a pack has it; see docs/pages.md."""

from __future__ import annotations

import math

import numpy as np

from templatemine.config import ExtractConfig, PageConfig
from templatemine.model import PageHistory
from templatemine.pages import decode
from templatemine.pages.blocks import Page
from templatemine.pages.history import choose, votes_of
from templatemine.pages.systems import Evidence, Judge, Site, Verdict

__all__ = ["REASONS", "judge_of", "make"]

REASONS = (
    *decode.REASONS,
    "not main text: the site's pages have little of it in its place, or the same text",
    "main text: the site's pages have theirs in its place",
)
"""Those of `decode`, by code, then those of blocks that the page model alone would have judged otherwise."""
AGAINST, FOR = len(decode.REASONS), len(decode.REASONS) + 1


def make(site: Site, config: ExtractConfig) -> Judge:
    """The page model alone where the site has no history, or one of too few pages."""
    return judge_of(site.history, config.clean.page)


def judge_of(history: PageHistory | None, options: PageConfig) -> Judge:
    """As `make`, of a history."""
    votes = votes_of(history, options)

    def judge(page: Page) -> Verdict:
        if votes is None:
            scores, path, df = page.scores, np.full(len(page), math.nan), np.zeros(len(page), np.int32)
        else:
            scores, path, df = votes.apply(page)
        code = choose(page, scores, options)
        reason = code.copy()
        if votes is not None:
            reason[(code == decode.LEFT) & (page.scores > 0) & (scores <= 0)] = AGAINST
            reason[(code == decode.CHOSEN) & (page.scores <= 0) & (scores > 0)] = FOR
        evidence = Evidence(page.scores, path, df, code)
        return Verdict(
            kept=decode.kept(code), reason=reason, reasons=REASONS, score=decode.chances(scores), evidence=evidence
        )

    return judge
