"""The main text of a page, by the page model and, where a pack has it, the history of its source."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from templatemine.config import CleanConfig
from templatemine.model import Cleaned, PageHistory, Span
from templatemine.pages.blocks import Page
from templatemine.pages.decode import REASONS
from templatemine.pages.decode import kept as is_kept
from templatemine.pages.history import Votes, choose

__all__ = ["MainBlock", "PageCleaner"]


@dataclass(frozen=True, slots=True, kw_only=True)
class MainBlock:
    """A block of the main text.

    Attributes
    ----------
    start, end : int
        Where it stands in the page, in code points, end exclusive.
    score : float
        Probability that it is main text, all told.
    page, path : float, float or None
        By the page model alone; by the votes of its path alone, if the source has any.
    df : int
        Pages of the source that have the same text under the same path.
    reason : str
    """

    start: int
    end: int
    text: str
    score: float
    page: float
    path: float | None
    df: int
    reason: str


class PageCleaner:
    """Gives the main text of pages; safe to share between threads.

    Parameters
    ----------
    history : PageHistory, optional
        Of the pages' source (`Pack.pages`); without it the page model decides alone.
    config : CleanConfig, optional

    Examples
    --------
    >>> PageCleaner(pack.pages).clean(html).text  # doctest: +SKIP
    'The headline\\nThe story.'
    """

    def __init__(self, history: PageHistory | None = None, config: CleanConfig | None = None) -> None:
        self.config = config or CleanConfig()
        enough = history is not None and history.documents >= self.config.page.min_pages
        self._votes = Votes(history, self.config.page) if history is not None and enough else None

    def clean(self, html: str) -> Cleaned:
        """The main text, a line a block, and the stretches of the page that it was not taken from."""
        return self.clean_blocks(html)[0]

    def clean_blocks(self, html: str) -> tuple[Cleaned, list[MainBlock]]:
        """As `clean`, and the blocks of the main text with the reason for each."""
        page = Page(html)
        if not len(page):
            return Cleaned("", (Span(0, len(html)),) if html else ()), []
        if self._votes is None:
            scores, path, df = page.scores, np.full(len(page), math.nan), np.zeros(len(page), np.int32)
        else:
            scores, path, df = self._votes.apply(page)
        code = choose(page, scores, self.config.page)
        kept = np.flatnonzero(is_kept(code))
        blocks = [
            MainBlock(
                start=start,
                end=end,
                text=page.text(block),
                score=_probability(scores[block]),
                page=_probability(page.scores[block]),
                path=None if math.isnan(path[block]) else _probability(path[block]),
                df=int(df[block]),
                reason=REASONS[code[block]],
            )
            for block, (start, end) in zip(kept.tolist(), page.spans(kept), strict=True)
        ]
        return Cleaned("\n".join(block.text for block in blocks), _removed(page, blocks, len(html))), blocks


def _probability(score: float) -> float:
    return round(1 / (1 + math.exp(-max(-30.0, min(30.0, float(score))))), 4)


def _removed(page: Page, blocks: list[MainBlock], size: int) -> tuple[Span, ...]:
    """What is in no kept block, or within one but not shown."""
    kept: list[tuple[int, int]] = []
    holes = page.columns["holes"]
    holes = holes[np.argsort(holes[:, 0])]
    hidden = list(zip(page.code_points(holes[:, 0]), page.code_points(holes[:, 1]), strict=True))
    place = 0
    for block in blocks:
        start = block.start
        while place < len(hidden) and hidden[place][0] < block.end:
            first, last = hidden[place]
            if first >= start:
                kept.append((start, first))
                start = last
            place += 1
        kept.append((start, block.end))
    edges = [0, *(edge for span in kept for edge in span), size]
    return tuple(Span(a, b) for a, b in zip(edges[::2], edges[1::2], strict=True) if b > a)
