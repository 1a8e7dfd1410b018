"""Blocks in the mark-up of CleanEval: <h> before a heading, <l> before an item of a list, <p> before all else.

As section 2.5 of Baisa (Web Content Cleaning, 2009): h1 to h6 become <h>, li and nothing else becomes <l>, and a br
begins no paragraph.  Two of them in a row do, for that is how pages without paragraphs part theirs.
"""

from __future__ import annotations

from templatemine.pages import _html
from templatemine.pages.blocks import Page

HEADING, PARAGRAPH, ITEM = "h", "p", "l"
_NAMES = (PARAGRAPH, HEADING, ITEM)

BREAKS = _html.COUNTS.index("break")


def block_marks(page: Page) -> list[str]:
    """Return the mark of each block: that of the nearest heading or item around it, else that of a paragraph."""
    return [_NAMES[kind] for kind in page.marks.tolist()]


def continues_paragraph(page: Page, block: int) -> bool:
    """Return whether a block goes on with the paragraph of the block before: only one br is between them."""
    columns = page.columns
    if not block or not columns["counts"][block, BREAKS] or columns["element"][block] != columns["element"][block - 1]:
        return False
    return page.source(int(columns["ends"][block - 1]), int(columns["starts"][block])).lower().count(b"<br") == 1
