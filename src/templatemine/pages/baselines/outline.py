"""A page as its authors wrote it: elements with their attributes.

The block scanner (`pages.blocks`) folds inline elements into blocks and forgets attributes; the system that reads ids,
classes and dates (`blog`) needs them, and reads them where the scanner says that tags stand.  Linear in the page; all
offsets are code points of the page as it came.
"""

from __future__ import annotations

import re

import numpy as np

from templatemine.pages.blocks import Page
from templatemine.pages.declared import plain_text
from templatemine.pages.page_tags import CLOSE, OPEN, VOID
from templatemine.pages.scanner import block_scanner

_TAG = re.compile(rb"<([^\s/>]*)(.*)", re.DOTALL)


class Outline:
    """The elements of a page that are shown, in the order of the page.

    Attributes
    ----------
    tags, attributes : list of str
        Name of each element in lower case, and its unparsed attributes.
    starts, content_starts, content_ends : list of int
        Where its tag begins, its content begins, and its content ends.
    parents, last_descendants : list of int
        Number of the element around it, -1 for none; and of the last element within it, itself if there is none.
    """

    def __init__(self, page: Page) -> None:
        self.html = page.html
        marks, parents = block_scanner().scan_marks(page.data), page.columns["parents"]
        kinds, all_elements = marks["kinds"], marks["elements"]
        begins, closes = np.flatnonzero((kinds == OPEN) | (kinds == VOID)), np.flatnonzero(kinds == CLOSE)
        elements, is_open = all_elements[begins], kinds[begins] == OPEN
        starts, contents = marks["starts"][begins], marks["ends"][begins]
        close_of, place_of = np.full(len(parents), len(kinds)), np.full(len(parents), -1)
        close_of[all_elements[closes]] = closes
        place_of[elements[is_open]] = np.flatnonzero(is_open)
        self.parents: list[int] = place_of[np.where(is_open, parents[elements], elements)].tolist()
        tag_starts = np.append(np.where(marks["ends"] > 0, marks["starts"], len(page.data)), len(page.data))
        next_starts = np.minimum.accumulate(tag_starts[::-1])[::-1]  # of the tag at or behind each mark
        ends = np.where(is_open, next_starts[close_of[elements]], contents).tolist()
        self.last_descendants = list(range(len(begins)))
        for element in range(len(begins) - 1, 0, -1):
            if (parent := self.parents[element]) >= 0:  # holds all that began in it, also where its tags cross others
                ends[parent] = max(ends[parent], ends[element])
                self.last_descendants[parent] = max(self.last_descendants[parent], self.last_descendants[element])
        places = zip(starts.tolist(), contents.tolist(), strict=True)
        written = [_TAG.match(page.source(start, end).removesuffix(b">")) for start, end in places]
        names, attributes = (
            [tag[group].decode("utf-8", "surrogatepass") for tag in written if tag] for group in (1, 2)
        )
        self.tags, self.attributes = [name.lower() for name in names], attributes
        self.starts, self.content_starts = page.code_points(starts), page.code_points(contents)
        known, place = np.unique(np.array(ends, np.int64), return_inverse=True)
        self.content_ends: list[int] = np.array(page.code_points(known), np.int64)[place].tolist()

    def text(self, element: int, limit: int = 2000) -> str:
        """Read the text of an element, without tags, white space folded; of very long ones the beginning."""
        start, end = self.content_starts[element], self.content_ends[element]
        return plain_text(self.html[start : min(end, start + 4 * limit)])[:limit]
