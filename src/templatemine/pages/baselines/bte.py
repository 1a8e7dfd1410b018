"""bte: the stretch of a page with most words and fewest tags.

Body text extraction of Finn, Kushmerick and Smyth (Fact or fiction, 2001) as Baisa (Web Content Cleaning, 2009) has it
in section 1.2: the page becomes a sequence of words (0) and tags (1), and two places are sought that part it in three,
so that the tags of the outer parts and the words of the inner one are most.  One pass finds them, without trying pairs.
The stretch may begin and end within a block, of which the rest is cut.  Kinds of tags do not count.
"""

from __future__ import annotations

import re

import numpy as np

from templatemine.config import ExtractConfig
from templatemine.pages import _html
from templatemine.pages.baselines import _systems
from templatemine.pages.blocks import Page
from templatemine.pages.systems import BlockClassifier, Site, SystemOutput

TAGS = _html.COUNTS.index("tags")

REASONS = (
    "before the stretch with most words and fewest tags",
    "in the stretch with most words and fewest tags",
    "after the stretch with most words and fewest tags",
    "not shown",
)
BEFORE, WITHIN, AFTER, HIDDEN = range(4)

_SINGLE = "\u3041-\u30ff\u3400-\u9fff\uac00-\ud7af"
_WORD = re.compile(rf"[{_SINGLE}]|[^\W_{_SINGLE}]+")


def make(site: Site, config: ExtractConfig) -> BlockClassifier:
    """Make the classifier, which has no options."""
    return classify


def classify(page: Page) -> SystemOutput:
    """Classify the blocks of a page; linear in it."""
    columns = page.columns
    hidden = page.hidden
    tags = np.ascontiguousarray(columns["counts"][:, TAGS])
    first, skipped, last, left = _systems.find_stretch(
        page.data, columns["starts"], columns["ends"], tags, page.words, np.ascontiguousarray(~hidden, np.uint8)
    )
    reason = np.full(len(page), BEFORE, np.int8)
    if first < 0:
        reason[:] = HIDDEN
        return SystemOutput(kept=np.zeros(len(page), np.bool_), reason=reason, reasons=REASONS)
    reason[first : last + 1] = WITHIN
    reason[last + 1 :] = AFTER
    reason[hidden] = HIDDEN
    cuts: dict[int, tuple[tuple[int, int], ...]] = {}
    if skipped:
        text = page.text(first)
        cuts[first] = ((0, _find_word(text, skipped)),)
    if left < page.words[last]:
        text = page.text(last)
        cuts[last] = (*cuts.get(last, ()), (_find_word(text, left), len(text)))
    return SystemOutput(kept=reason == WITHIN, reason=reason, reasons=REASONS, cuts=cuts)


def _find_word(text: str, index: int) -> int:
    """Find where word `index` of a text begins, counted from 0; its end if there are fewer."""
    for current, match in enumerate(_WORD.finditer(text)):
        if current == index:
            return match.start()
    return len(text)
