"""Blocks in the mark-up of CleanEval: <h> before a heading, <l> before an item of a list, <p> before all else.

As section 2.5 of Baisa (Web Content Cleaning, 2009): h1 to h6 become <h>, li and nothing else becomes <l>, and a br
begins no paragraph.  Two of them in a row do, for that is how pages without paragraphs part theirs.
"""

from __future__ import annotations

from functools import lru_cache

from templatemine import _blocks
from templatemine.pages.blocks import Page

__all__ = ["HEADING", "ITEM", "MARKS", "PARAGRAPH", "continues", "mark"]

HEADING, PARAGRAPH, ITEM = "h", "p", "l"
MARKS = (HEADING, PARAGRAPH, ITEM)

BREAK = _blocks.COUNTS.index("break")


@lru_cache(maxsize=1)
def _kinds() -> dict[int, str]:
    heading = _blocks.FLAGS["heading"]
    kinds = {number: HEADING for number, (_, flags) in enumerate(_blocks.TAGS) if flags & heading}
    return kinds | {number: ITEM for number, (name, _) in enumerate(_blocks.TAGS) if name == "li"}


def mark(page: Page, block: int) -> str:
    """The mark of a block: that of the nearest heading or item it stands in, else that of a paragraph."""
    kinds, tags, parents = _kinds(), page.columns["tags"], page.columns["parents"]
    element = int(page.columns["element"][block])
    while element >= 0:
        found = kinds.get(int(tags[element]))
        if found:
            return found
        element = int(parents[element])
    return PARAGRAPH


def continues(page: Page, block: int) -> bool:
    """True if a block goes on with the paragraph of the block before: one br and nothing else parts them."""
    columns = page.columns
    if not block or not columns["counts"][block, BREAK] or columns["element"][block] != columns["element"][block - 1]:
        return False
    return page.source(int(columns["ends"][block - 1]), int(columns["starts"][block])).lower().count(b"<br") == 1
