"""Load a system, together with the history of the site: of what it keeps, what the site's pages call boilerplate goes.

`mine` stores where the pages of a source have their main text, and which texts are on several of them at the same
place (docs/history.md).  A system that looks at one page alone knows neither.  Here no page model is asked, so
the cost is a look-up a block.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from importlib import import_module

import numpy as np
from numpy.typing import NDArray

from templatemine.config import ExtractConfig
from templatemine.errors import ConfigError
from templatemine.pages.blocks import Page
from templatemine.pages.history import HistoryModel, make_history_model
from templatemine.pages.systems import DEFAULT, SYSTEMS, BlockClassifier, Post, Site, SystemOutput

MAX_SHARE = 0.1
"""Greatest share of main text among the words under a path of boilerplate.  On two sets twice that is better by 1.2
points at most and worse by 0.6."""
MIN_PAGES = 2
"""Pages with the same sentence at the same place."""

REASONS = (
    "the site's pages have no main text in its place",
    "the site's other pages say the same in its place",
)


def load_system(name: str, site: Site, config: ExtractConfig) -> BlockClassifier:
    """Load the classifier of a system, with the history of the site where there is one.

    Raises
    ------
    ConfigError
        There is no system of this name, or its options are wrong.
    MissingExtraError
        It needs a library that is not installed.
    """
    if name not in SYSTEMS:
        raise ConfigError(f"system: expected one of {', '.join(SYSTEMS)}, got {name!r}")
    package = "pages" if name == DEFAULT else "pages.baselines"
    make_classifier: Callable[[Site, ExtractConfig], BlockClassifier] = import_module(
        f"templatemine.{package}.{name}"
    ).make
    classifier = make_classifier(site, config)
    if name == DEFAULT:  # which brings in the history by itself
        return classifier
    history_model = make_history_model(site.history, config.clean.page)
    return classifier if history_model is None else combine_with_history(classifier, history_model)


def combine_with_history(classifier: BlockClassifier, model: HistoryModel) -> BlockClassifier:
    """Return a classifier that drops what another one keeps against the history of the site, unless nothing would be
    left."""

    def classify(page: Page) -> SystemOutput:
        alone = classifier(page)
        share, df, sentence = model.boilerplate_evidence(page)
        boilerplate_path, repeated = share < MAX_SHARE, (df >= MIN_PAGES) & sentence
        kept = alone.kept & ~boilerplate_path & ~repeated
        if not kept.any():
            return alone
        reason = alone.reason.astype(np.int16)
        reason[alone.kept & repeated] = len(alone.reasons) + 1
        reason[alone.kept & boilerplate_path] = len(alone.reasons)
        posts = (_filter_post(page, post, kept) for post in alone.posts)
        return replace(
            alone,
            kept=kept,
            reason=reason,
            reasons=(*alone.reasons, *REASONS),
            cuts={block: cuts for block, cuts in alone.cuts.items() if kept[block]},
            posts=tuple(post for post in posts if post.blocks),
        )

    return classify


def _filter_post(page: Page, post: Post, kept: NDArray[np.bool_]) -> Post:
    blocks = tuple(block for block in post.blocks if kept[block])
    return replace(post, text="\n".join(map(page.text, blocks)), blocks=blocks)
