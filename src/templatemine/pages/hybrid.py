"""hybrid: the page model, joined by the history of the site where a pack has it; see docs/pages.md."""

from __future__ import annotations

import math

import numpy as np

from templatemine.config import ExtractConfig, PageConfig
from templatemine.model import PageHistory
from templatemine.pages import _scores, decode
from templatemine.pages.blocks import Page
from templatemine.pages.history import make_history_model, select_blocks
from templatemine.pages.systems import BlockClassifier, BlockEvidence, Site, SystemOutput

REASONS = (
    *decode.REASONS,
    "not main text: the site's pages have little of it in its place, or the same text",
    "main text: the site's pages have theirs in its place",
)
"""Those of `decode`, by code, then those of blocks that the page model alone would have classified otherwise."""
HISTORY_DROPPED, HISTORY_KEPT = len(decode.REASONS), len(decode.REASONS) + 1


def make(site: Site, config: ExtractConfig) -> BlockClassifier:
    """Return the page model alone where the site has no history, or one of too few pages."""
    return make_classifier(site.history, config.clean.page)


def make_classifier(history: PageHistory | None, options: PageConfig) -> BlockClassifier:
    """Make the classifier from a history; see `make`."""
    model = make_history_model(history, options)

    def classify(page: Page) -> SystemOutput:
        if model is None:
            scores, path, df = page.scores, np.zeros(len(page)), np.zeros(len(page), np.int32)
            path.fill(math.nan)
        else:
            scores, path, df = model.score_blocks(page)
        reason = code = select_blocks(page, scores, options)
        if model is not None:
            reason = code.copy()
            reason[(code == decode.DROPPED) & (page.scores > 0) & (scores <= 0)] = HISTORY_DROPPED
            reason[(code == decode.SELECTED) & (page.scores <= 0) & (scores > 0)] = HISTORY_KEPT
        evidence = BlockEvidence(page.scores, path, df, code)
        return SystemOutput(
            kept=decode.is_kept(code),
            reason=reason,
            reasons=REASONS,
            score=_scores.to_probabilities(scores),
            evidence=evidence,
        )

    return classify
