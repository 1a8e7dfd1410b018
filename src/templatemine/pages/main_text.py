"""The main text of a page, by the page model and, where a pack has it, the history of its source: `hybrid` for `clean`.

Text (in whatever format), places and reasons are those of `extract.Extraction`; added is the evidence on each block.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from templatemine.config import CleanConfig
from templatemine.model import Cleaned, PageHistory, Span
from templatemine.pages import _scores, hybrid
from templatemine.pages.abreast import Steps, take_in_turn
from templatemine.pages.blocks import Page, read_page
from templatemine.pages.decode import REASONS
from templatemine.pages.extract import Extraction, classify_page
from templatemine.pages.systems import DEFAULT, BlockEvidence

__all__ = ["CleanedPage", "MainBlock", "PageCleaner"]


@dataclass(frozen=True, slots=True, kw_only=True)
class MainBlock:
    """A block of the main text.

    Attributes
    ----------
    start, end : int
        Where it is in the page, in code points, end exclusive.
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


class CleanedPage(NamedTuple):
    """A cleaned page, the blocks of its main text, and the spans, in code points, of those that the page model alone
    keeps, and the history of the source does not; both if they are asked for."""

    cleaned: Cleaned
    blocks: list[MainBlock]
    taken: list[Span]


class PageCleaner:
    """Cleans pages: gives their main text and what was removed; threads may share it.

    `extract` tells more about a page: title, date, metadata.

    Parameters
    ----------
    history : PageHistory, optional
        That of the pages' source (`Pack.pages`); without it the page model decides alone.
    config : CleanConfig, optional

    Examples
    --------
    >>> PageCleaner(pack.pages).clean(html).text  # doctest: +SKIP
    'The headline\\nThe story.'
    """

    def __init__(self, history: PageHistory | None = None, config: CleanConfig | None = None) -> None:
        self.config = config or CleanConfig()
        self._classify = hybrid.make_classifier(history, self.config.page)
        self._classify_alone = None if history is None else hybrid.make_classifier(None, self.config.page)

    def clean(self, html: str, url: str | None = None) -> Cleaned:
        """Extract the main text of a page.

        Parameters
        ----------
        html : str
        url : str, optional
            The page's address, which relative addresses in it refer to.

        Returns
        -------
        Cleaned
            The main text, one block per line or in `CleanConfig.text_format`; in `removed` the rest of the page.
        """
        return take_in_turn([self.clean_in_steps(html, url)])[0].cleaned

    def clean_blocks(self, html: str, url: str | None = None) -> tuple[Cleaned, list[MainBlock]]:
        """Clean as `clean` does, and return the blocks of the main text with the reason for each."""
        found = take_in_turn([self.clean_in_steps(html, url, blocks=True)])[0]
        return found.cleaned, found.blocks

    def clean_in_steps(
        self, html: str, url: str | None = None, *, blocks: bool = False, taken: bool = False
    ) -> Steps[CleanedPage]:
        """Clean as `clean_blocks` does, in steps that can be taken for several pages in turn; return the blocks of the
        main text, and what the history takes of it, if they are asked for."""
        page = yield from read_page(html, url, self.config.page.kind)
        extraction, stub = self._extract(page, url)
        yield
        removed = extraction.removed
        yield
        text = extraction.format_text(self.config.text_format, self.config.markup)
        evidence = extraction.output.evidence
        main_blocks = _main_blocks(extraction, evidence) if blocks and evidence is not None else []
        lost = self._find_taken(page, extraction) if taken else []
        return CleanedPage(Cleaned(text, removed, stub), main_blocks, lost)

    def _find_taken(self, page: Page, extraction: Extraction) -> list[Span]:
        """Find the blocks that the page model alone keeps, and the history does not."""
        if self._classify_alone is None or not (extraction.output.reason == hybrid.HISTORY_DROPPED).any():
            return []
        lost = self._classify_alone(page).kept & ~extraction.output.kept
        return [Span(start, end, ()) for start, end in page.spans(lost.nonzero()[0])]

    def _extract(self, page: Page, url: str | None) -> tuple[Extraction, bool]:
        """Extract the main text.  Also return whether the history of the source left next to nothing of what the page
        model keeps: stories of one form, such as the weather's, repeat as boilerplate does."""
        extraction = classify_page(page, self._classify, DEFAULT, url=url)
        if self._classify_alone is None or extraction.kept_share >= 1 - self.config.guard:
            return extraction, False
        if self.config.stubs == "keep":
            extraction = classify_page(page, self._classify_alone, DEFAULT, url=url)
        return extraction, True


def _main_blocks(extraction: Extraction, evidence: BlockEvidence) -> list[MainBlock]:
    """Return the kept blocks with the evidence on them."""
    kept = extraction.kept_indices
    score = extraction.output.score
    assert score is not None
    model_scores, path_scores = (
        _round(_scores.to_probabilities(scores[kept])) for scores in (evidence.page, evidence.path)
    )
    return [
        MainBlock(
            start=start,
            end=end,
            text=text,
            score=chance,
            page=model_score,
            path=path_score,
            df=df,
            reason=REASONS[code],
        )
        for (start, end), text, chance, model_score, path_score, df, code in zip(
            extraction.spans,
            extraction.texts,
            _round(score[kept]),
            model_scores,
            [None if math.isnan(path_score) else path_score for path_score in path_scores],
            evidence.df[kept].tolist(),
            evidence.code[kept].tolist(),
            strict=True,
        )
    ]


def _round(probabilities: NDArray[np.floating]) -> list[float]:
    return np.round(probabilities.astype(np.float64), 4).tolist()  # type: ignore[no-any-return]
