"""The main text of a page, by the page model and, where a pack has it, the history of its source: `hybrid` for `clean`.

Text (in whatever format), places and reasons are those of `extract.Extraction`; what is added is what each block was
judged by.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from templatemine.config import CleanConfig
from templatemine.model import Cleaned, PageHistory
from templatemine.pages import hybrid
from templatemine.pages.decode import REASONS, chances
from templatemine.pages.extract import Extraction, judged
from templatemine.pages.systems import DEFAULT, Evidence

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
        self._judge = hybrid.judge_of(history, self.config.page)
        self._alone = None if history is None else hybrid.judge_of(None, self.config.page)

    def clean(self, html: str, url: str | None = None) -> Cleaned:
        """The main text, a line a block or as `CleanConfig.text_format` says, and the stretches of the page that it was
        not taken from; addresses in the page are relative to its `url`."""
        return self._cleaned(*self._judged(html, url))

    def clean_blocks(self, html: str, url: str | None = None) -> tuple[Cleaned, list[MainBlock]]:
        """As `clean`, and the blocks of the main text with the reason for each."""
        found, stub = self._judged(html, url)
        evidence = found.verdict.evidence
        return self._cleaned(found, stub), [] if evidence is None else _blocks(found, evidence)

    def _cleaned(self, found: Extraction, stub: bool) -> Cleaned:
        return Cleaned(found.written(self.config.text_format, self.config.markup), found.removed, stub)

    def _judged(self, html: str, url: str | None) -> tuple[Extraction, bool]:
        """The main text, and whether the history of the source left next to nothing of what the page model alone takes
        for it: stories of one form, such as the weather's, are repeated as boilerplate is."""
        found = judged(html, self._judge, DEFAULT, url=url)
        if self._alone is None or found.left_of_sure >= 1 - self.config.guard:
            return found, False
        return judged(html, self._alone, DEFAULT, url=url) if self.config.stubs == "keep" else found, True


def _blocks(found: Extraction, evidence: Evidence) -> list[MainBlock]:
    """The kept blocks with what they were judged by."""
    kept = found.places
    score = found.verdict.score
    assert score is not None
    alone, path = (_rounded(chances(some[kept])) for some in (evidence.page, evidence.path))
    return [
        MainBlock(start=start, end=end, text=text, score=chance, page=one, path=other, df=df, reason=REASONS[code])
        for (start, end), text, chance, one, other, df, code in zip(
            found.spans,
            found.texts,
            _rounded(score[kept]),
            alone,
            [None if math.isnan(other) else other for other in path],
            evidence.df[kept].tolist(),
            evidence.code[kept].tolist(),
            strict=True,
        )
    ]


def _rounded(probabilities: NDArray[np.floating]) -> list[float]:
    return np.round(probabilities.astype(np.float64), 4).tolist()  # type: ignore[no-any-return]
