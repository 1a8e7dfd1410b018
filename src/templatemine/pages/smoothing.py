"""Scores of blocks, smoothed over the tree of the page: a container is as much main text as the best of its contents.

The other way round this is what Chakrabarti, Kumar and Punera (WWW 2007) ask of templates: a node is one if and only if
all its children are.  Blocks have the probability the page model gave them and their words as weight; containers have
the mean of what they hold, and a share of its words.  Linear in blocks and elements.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from templatemine.config import PageConfig
from templatemine.pages import _scores
from templatemine.pages.blocks import Page

MIN_PROBABILITY = 1e-4
"""Smoothed probabilities stay as far from 0 and 1 as this, so that log odds stay numbers."""


def smooth_scores(page: Page, scores: NDArray[np.float64], config: PageConfig) -> NDArray[np.float64]:
    """Return log odds, each the weighted mean of the old one and that of isotonic regression, as probabilities."""
    if not config.smooth:
        return scores
    columns = page.columns
    return _scores.smooth_scores(
        columns["parents"],
        columns["element"],
        scores,
        page.words,
        config.smooth,
        config.smooth_inner,
        config.smooth_price,
        MIN_PROBABILITY,
    )
