"""The history of a source -> what it says about where the main text stands; and the history applied to a page.

No labels are needed: the page model says of each block on every page of the source how likely it is main text, and
that is the vote of the path it stands under.  A path's share of words that are expected to be main text, r, is shrunk
towards that of the source; then the log odds of a block become a weighted mean of the page model's and of r's.  A text
that stands under the same path on several pages is furniture whatever the model says, and loses log odds with their
number, a short one the less the smaller a part of those with the path they are; of these texts only such are kept as
the model ever held for possible.  Cost: that of the page model.
"""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Iterable, Sequence

import numpy as np
from numpy.typing import NDArray

from templatemine import _blocks
from templatemine.config import PageConfig
from templatemine.errors import CapacityError
from templatemine.model import PageHistory, PathVote, RepeatedText
from templatemine.pages.blocks import FULL, NEAR, Page
from templatemine.pages.decode import HEAD, decode, kept
from templatemine.pages.headline import head_of
from templatemine.pages.smoothing import smoothed

__all__ = ["TEXT_LIMIT", "Votes", "choose", "learn"]

TEXT_LIMIT = 300
"""Characters of a repeated text that are kept and compared."""

DIGITS = re.compile(r"\d+")
DATES = [_blocks.COUNTS.index(name) for name in ("month", "weekday", "year", "clock")]

SENTENCE = 10
"""Words from which on numbers are folded: a numbered headline is none the less a headline of its own.  And from which
on a text does not come again by chance, as lines of code do."""

THOUSAND = 1000
"""Words are summed in thousandths, as whole numbers, so that the order of pages changes nothing."""


def choose(page: Page, scores: NDArray[np.float64], config: PageConfig) -> NDArray[np.int8]:
    """`decode` with the columns of a page, smoothed over the tree and without its head if the options ask for it."""
    scores = smoothed(page, scores, config)
    keys = page.columns["keys"]
    code = decode(scores, page.words, np.ascontiguousarray(keys[:, FULL]), page.sayings, config)
    if config.headline == "drop":
        code[head_of(page.columns["counts"], page.headline, kept(code))] = HEAD
    return code


def learn(pages: Iterable[str], config: PageConfig) -> PageHistory | None:
    """What the pages of a source say; None if they are too few.  Their order changes nothing."""
    words: Counter[int] = Counter()
    kept: Counter[int] = Counter()
    seen: Counter[int] = Counter()
    texts: Counter[tuple[int, str]] = Counter()
    likely: set[tuple[int, str]] = set()
    names: dict[int, str] = {}
    documents = 0
    for html in pages:
        try:
            page = Page(html)
        except CapacityError:  # no page of an article; the record is told of when it is cleaned
            continue
        documents += 1
        if not len(page):
            continue
        chances = 1 / (1 + np.exp(-np.clip(page.scores, -30, 30)))
        texts_of = _said(page, range(len(page)))
        found: set[tuple[int, str]] = set()
        for block, (key, size, chance) in enumerate(zip(page.near, page.words.tolist(), chances.tolist(), strict=True)):
            words[key] += size
            kept[key] += round(THOUSAND * size * chance)
            text = (key, texts_of[block])
            found.add(text)
            if chance >= config.text_chance:
                likely.add(text)
            if key not in names:
                names[key] = page.path(block)
        seen.update(set(page.near))
        texts.update(found)
    if documents < config.min_pages:
        return None
    return PageHistory(
        documents=documents,
        share=kept.total() / THOUSAND / max(1, words.total()),
        paths=tuple(
            PathVote(path=names[key], pages=seen[key], words=words[key], kept=round(kept[key] / THOUSAND))
            for key in sorted(words, key=lambda key: (-kept[key], -words[key], names[key]))
        ),
        texts=tuple(
            RepeatedText(text=text, path=names[key], df=df)
            for (key, text), df in sorted(texts.items(), key=lambda row: (-row[1], names[row[0][0]], row[0][1]))
            if df >= 2 and (key, text) in likely
        ),
    )


class Votes:
    """The history of a source, ready to be applied to pages."""

    def __init__(self, history: PageHistory, config: PageConfig) -> None:
        self._config = config
        self.pages: dict[int, int] = {}
        self._odds: dict[int, float] = {}
        self._weight: dict[int, float] = {}
        for vote in history.paths:
            key, prior = _key(vote.path), config.prior_words
            share = (vote.kept + history.share * prior) / (vote.words + prior)
            self._odds[key] = math.log(max(share, 1e-4) / max(1 - share, 1e-4))
            self.pages[key] = vote.pages
            self._weight[key] = config.vote * vote.pages / (vote.pages + config.vote_pages)
        self.df = {(_key(one.path), one.text): one.df for one in history.texts}
        self._repeated = {key for key, _ in self.df}

    def apply(self, page: Page) -> tuple[NDArray[np.float64], NDArray[np.float64], NDArray[np.int32]]:
        """Log odds with the history, what the paths say alone (nan where nothing is known), and df of the texts."""
        path = np.array([self._odds.get(key, math.nan) for key in page.near], np.float64)
        weight = np.array([self._weight.get(key, 0.0) for key in page.near], np.float64)
        scores = np.clip(page.scores, -9.2, 9.2)
        scores = np.where(np.isnan(path), scores, (1 - weight) * scores + weight * path)
        df = np.zeros(len(page), np.int32)
        pages = np.array([self.pages.get(key, 1) for key in page.near], np.float64)
        asked = [block for block, key in enumerate(page.near) if key in self._repeated]
        for block, text in zip(asked, _said(page, asked), strict=True):
            df[block] = self.df.get((page.near[block], text), 0)
        part = np.where(page.words < SENTENCE, np.sqrt(np.minimum(df / pages, 1)), 1)
        return scores - self._config.repeat * np.log1p(df) * part, path, df


def _said(page: Page, blocks: Sequence[int]) -> list[str]:
    """What blocks say, as far as it is compared: in sentences without a date, runs of digits as 0."""
    dated = page.columns["counts"][:, DATES].any(axis=1)
    folded = (~dated & (page.words >= SENTENCE)).tolist()
    texts = [(block, page.text(block)[:TEXT_LIMIT]) for block in blocks]
    return [DIGITS.sub("0", text) if folded[block] else text for block, text in texts]


def _key(path: str) -> int:
    return int(_blocks.path_keys([sign.encode("utf-8", "surrogatepass") for sign in path.split(">")])[NEAR])
