"""Comments of readers: which blocks of a page they are, with who wrote them and when.

They are below the beginning of the main text, in elements that are named after comments and are no form, and part of
their text is in sentences.  Linear in the page.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from templatemine.pages import _html
from templatemine.pages.blocks import Page
from templatemine.pages.scanner import TAG_NAMES, group_mask

_COMMENT = group_mask("comment")
_BOILERPLATE = group_mask("nav", "advert", "foot")
_FORM = TAG_NAMES.index("form")
WORDS, LINKED, SENTENCES = (_html.COUNTS.index(name) for name in ("words", "linked", "sentences"))

SENTENCE_WORDS = 8
"""Words from which on a block with the end of a sentence, most of it in no link, says something."""
MIN_SENTENCE_SHARE = 0.2
"""Share of the words of a thread that is in such blocks; the rest are names, dates and controls.  By dragnet."""
MIN_STORY_WORDS = 100
"""Words of a main text that has comments; where there are fewer beside them, the thread itself is it, as in a forum."""


def find_comments(page: Page, kept: NDArray[np.bool_]) -> NDArray[np.bool_]:
    """Find the blocks of comments.

    Parameters
    ----------
    kept : bool array, shape (blocks,)
        The main text, of which no comment is a part.
    """
    if not kept.any():
        return np.zeros(len(page), np.bool_)
    columns, counts = page.columns, page.columns["counts"]
    first = int(kept.argmax())
    parents, groups = columns["parents"], _element_groups(page, first)
    is_comment = (groups & _COMMENT) > 0
    is_boilerplate = (((groups & _BOILERPLATE) > 0) & ~is_comment) | (columns["tags"] == _FORM)
    in_boilerplate = page.in_elements(is_boilerplate)
    threads = _outermost_elements(parents, is_comment)[columns["element"]]
    words = counts[:, WORDS]
    candidates = (threads > 0) & ~in_boilerplate & ~kept & ~page.hidden & (np.arange(len(page)) > first)
    has_sentence = candidates & (words >= SENTENCE_WORDS) & (counts[:, SENTENCES] > 0) & (2 * counts[:, LINKED] < words)
    sentence_words = np.bincount(threads, weights=words * has_sentence, minlength=1)
    thread_words = np.bincount(threads, weights=words * candidates, minlength=1)
    return candidates & ((sentence_words > 0) & (sentence_words >= MIN_SENTENCE_SHARE * thread_words))[threads]  # type: ignore[no-any-return]


def find_kept_comments(page: Page, kept: NDArray[np.bool_]) -> NDArray[np.bool_] | None:
    """Find comments below the beginning of a main text: a long thread may be taken for the story.

    None where there are none, or fewer than `MIN_STORY_WORDS` words would be left: a forum is all thread.
    """
    if not page.all_groups & _COMMENT or not page.count_words(kept):
        return None
    first = int(kept.argmax())
    if not page.count_words(kept & page.in_elements((_element_groups(page, first) & _COMMENT) > 0)):
        return None  # as on nearly every page; the rest takes longer
    beginning = np.zeros(len(page), np.bool_)
    beginning[first] = True
    comments = kept & find_comments(page, beginning)
    return comments if comments.any() and page.count_words(kept & ~comments) >= MIN_STORY_WORDS else None


def _element_groups(page: Page, first: int) -> NDArray[np.uint32]:
    """Return key words in the names of elements, without those around the first block of the main text, which are
    named after the page."""
    groups, element = page.columns["groups"].copy(), int(page.columns["element"][first])
    while element > 0:
        groups[element] = 0
        element = int(page.columns["parents"][element])
    groups[0] = 0
    return groups  # type: ignore[no-any-return]


def _outermost_elements(parents: NDArray[np.int32], is_member: NDArray[np.bool_]) -> NDArray[np.int64]:
    """Return, for each element, the outermost member that holds it, or itself; 0 for none."""
    outermost, members = [0] * len(parents), is_member.tolist()
    for element, parent in enumerate(parents.tolist()[1:], 1):  # parents come first
        outermost[element] = outermost[parent] or element * members[element]
    return np.array(outermost, np.int64)
