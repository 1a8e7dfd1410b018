"""The headline of a page and the lines with date and names below it: which blocks of the main text they are.

Annotators differ in whether headline, byline and date belong to it.  The page model keeps them; users who want the
story alone leave these blocks out.  In come counts over the words of blocks, the place of the block that says what
``<title>`` says, and the blocks of the main text; out goes a mask.  Linear in the blocks.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from templatemine.pages import _blocks, _html

WORDS = _html.COUNTS.index("words")
HEAD_COUNTS = [_html.COUNTS.index(name) for name in ("month", "by", "clock", "year")]

OPENING_WORDS = 15
"""Words of a block that the story begins with."""
MIN_PATH_SHARE = 0.1
"""Of the words of the main text, the share under the path that the story begins with; a standfirst has less."""
LIST_LINES = 3
"""Lines under one path from which on they are no head, which says a name or a date once or twice, but a calendar, a
programme, a story in short lines."""
LIST_SHARE = 0.5
"""Of the words of the main text, the share under the path of such lines, if they are the story: it begins with the
first of them."""
MAX_DISTANCE = 25
"""Blocks between headline and story at most, and words of a line between them that a date or a name rules.  Where paths
are known only blocks of the main text count: galleries and menus to share may be there, too."""


def find_head(
    counts: NDArray[np.int32], headline: int, main: NDArray[np.bool_], paths: NDArray[np.uint64] | None = None
) -> NDArray[np.bool_]:
    """Return the headline, and between it and the first long block of the main text what names a month, year, time or
    author.

    Parameters
    ----------
    counts : int32 array, shape (blocks, len(COUNTS))
        As `_html.BlockScanner.scan_blocks` gives them.
    headline : int
        Index of the block that says most of the title, -1 if none does.
    main : bool array, shape (blocks,)
        Blocks of the main text.
    paths : uint64 array, shape (blocks,), optional
        Equal for equal paths; without them any long block begins the story.

    Returns
    -------
    bool array, shape (blocks,)
        All false where no story follows the headline.
    """
    words = counts[:, WORDS]
    head = np.zeros(len(counts), np.bool_)
    if headline < 0:
        return head
    path_ids = None if paths is None else _blocks.find_first_equal(paths)
    below = main & (np.arange(len(main)) > headline)
    story = np.flatnonzero(below & _story_starts(words, main, below, path_ids))
    if not len(story):
        return head
    between = slice(headline + 1, int(story[0]))
    distance = story[0] - headline if path_ids is None else main[between].sum()
    if distance > MAX_DISTANCE:
        return head
    head[between] = counts[between][:, HEAD_COUNTS].any(axis=1) & (words[between] <= MAX_DISTANCE)
    if path_ids is not None:
        head &= (np.bincount(path_ids, weights=head & main) < LIST_LINES)[path_ids]
    head[headline] = True
    return head


def _story_starts(
    words: NDArray[np.int32], main: NDArray[np.bool_], below: NDArray[np.bool_], path_ids: NDArray[np.intp] | None
) -> NDArray[np.bool_]:
    """Return the blocks that a story may begin with; `below` are those of the main text below the headline,
    `path_ids` the numbers of their paths."""
    long = main & (words >= OPENING_WORDS)
    if path_ids is None:
        return long
    share = np.bincount(path_ids, weights=words * main)[path_ids] / max(int((words * main).sum()), 1)
    frequent = long & (share >= MIN_PATH_SHARE)
    listed = (share >= LIST_SHARE) & (np.bincount(path_ids, weights=below)[path_ids] >= LIST_LINES)
    return (frequent if frequent.any() else long) | listed
