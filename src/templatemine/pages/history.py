"""The history of a source -> what it says about where the main text stands; and the history applied to a page.

No labels are needed: the page model chooses blocks on every page of the source, and its choices are votes of the paths
they stand under.  A path's share of chosen words, r, is shrunk towards that of the source; then the log odds of a block
become a weighted mean of the page model's and of r's.  A text that stands under the same path on several pages is
furniture whatever the model says, and loses log odds with the number of pages.  Cost: that of the page model.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterable

import numpy as np
from numpy.typing import NDArray

from templatemine import _blocks
from templatemine.config import PageConfig
from templatemine.model import PageHistory, PathVote, RepeatedText
from templatemine.pages.blocks import FULL, NEAR, Page
from templatemine.pages.decode import LEFT, REPEATED, decode

__all__ = ["TEXT_LIMIT", "Votes", "choose", "learn"]

TEXT_LIMIT = 300
"""Characters of a repeated text that are kept and compared."""


def choose(page: Page, scores: NDArray[np.float64], config: PageConfig) -> NDArray[np.int8]:
    """`decode` with the columns of a page."""
    keys, hashes = page.columns["keys"], page.columns["hashes"]
    return decode(scores, page.words, np.ascontiguousarray(keys[:, FULL]), hashes, config)


def learn(pages: Iterable[str], config: PageConfig) -> PageHistory | None:
    """What the pages of a source say; None if they are too few.  Their order changes nothing."""
    words: Counter[int] = Counter()
    kept: Counter[int] = Counter()
    seen: Counter[int] = Counter()
    texts: Counter[tuple[int, str]] = Counter()
    names: dict[int, str] = {}
    documents = 0
    for html in pages:
        page = Page(html)
        documents += 1
        if not len(page):
            continue
        code = choose(page, page.scores, config)
        main = (code != LEFT) & (code != REPEATED)
        found: set[tuple[int, str]] = set()
        for block, (key, size, chosen) in enumerate(zip(page.near, page.words.tolist(), main.tolist(), strict=True)):
            words[key] += size
            kept[key] += size * chosen
            found.add((key, page.text(block)[:TEXT_LIMIT]))
            if key not in names:
                names[key] = page.path(block)
        seen.update(set(page.near))
        texts.update(found)
    if documents < config.min_pages:
        return None
    return PageHistory(
        documents=documents,
        share=kept.total() / max(1, words.total()),
        paths=tuple(
            PathVote(path=names[key], pages=seen[key], words=words[key], kept=kept[key])
            for key in sorted(words, key=lambda key: (-kept[key], -words[key], names[key]))
        ),
        texts=tuple(
            RepeatedText(text=text, path=names[key], df=df)
            for (key, text), df in sorted(texts.items(), key=lambda row: (-row[1], names[row[0][0]], row[0][1]))
            if df >= 2
        ),
    )


class Votes:
    """The history of a source, ready to be applied to pages."""

    def __init__(self, history: PageHistory, config: PageConfig) -> None:
        self._config = config
        self.pages: dict[int, int] = {}
        self._odds: dict[int, float] = {}
        for vote in history.paths:
            key, prior = _key(vote.path), config.prior_words
            share = (vote.kept + history.share * prior) / (vote.words + prior)
            self._odds[key] = math.log(max(share, 1e-4) / max(1 - share, 1e-4))
            self.pages[key] = vote.pages
        self.df = {(_key(one.path), one.text): one.df for one in history.texts}
        self._repeated = {key for key, _ in self.df}

    def apply(self, page: Page) -> tuple[NDArray[np.float64], NDArray[np.float64], NDArray[np.int32]]:
        """Log odds with the history, what the paths say alone (nan where nothing is known), and df of the texts."""
        weight = self._config.vote
        path = np.array([self._odds.get(key, math.nan) for key in page.near], np.float64)
        scores = np.clip(page.scores, -9.2, 9.2)
        scores = np.where(np.isnan(path), scores, (1 - weight) * scores + weight * path)
        df = np.zeros(len(page), np.int32)
        for block, key in enumerate(page.near):
            if key in self._repeated:
                df[block] = self.df.get((key, page.text(block)[:TEXT_LIMIT]), 0)
        return scores - self._config.repeat * np.log1p(df), path, df


def _key(path: str) -> int:
    return int(_blocks.path_keys([sign.encode("utf-8", "surrogatepass") for sign in path.split(">")])[NEAR])
