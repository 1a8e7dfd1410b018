"""A page as its authors wrote it: elements with their attributes.

The block scanner (`pages.blocks`) folds inline elements into blocks and forgets attributes; the system that reads ids,
classes and dates (`blog`) needs them.  One native pass, linear in the page; all offsets are code points of the page as
it came.  Nothing is repaired beyond implied end tags.
"""

from __future__ import annotations

import numpy as np

from templatemine.pages.baselines import _systems
from templatemine.pages.baselines.crf import run_scanner
from templatemine.pages.blocks import Page
from templatemine.pages.declared import plain_text


class Outline:
    """The elements of a page, in the order of the page.

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
        rows = run_scanner().find_elements(page.data)
        columns = dict(zip(_systems.ELEMENT_COLUMNS, rows.T, strict=True))
        starts, name_ends, contents, ends = (
            columns[name] for name in ("start", "name_end", "content_start", "content_end")
        )
        places = zip(starts.tolist(), name_ends.tolist(), contents.tolist(), strict=True)
        tags = [(page.source(start + 1, name), page.source(name, content - 1)) for start, name, content in places]
        self.tags = [name.decode().lower() for name, _ in tags]
        self.attributes = [source.decode("utf-8", "surrogatepass") for _, source in tags]
        self.starts, self.content_starts = page.code_points(starts), page.code_points(contents)
        known, place = np.unique(ends, return_inverse=True)
        self.content_ends: list[int] = np.array(page.code_points(known), np.int64)[place].tolist()
        self.parents: list[int] = columns["parent"].tolist()
        self.last_descendants: list[int] = columns["last_descendant"].tolist()

    def text(self, element: int, limit: int = 2000) -> str:
        """Read the text of an element, without tags, white space folded; of very long ones the beginning."""
        start, end = self.content_starts[element], self.content_ends[element]
        return plain_text(self.html[start : min(end, start + 4 * limit)])[:limit]
