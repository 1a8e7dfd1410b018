"""Title and date of a page as its blocks show them to readers, whatever system has classified the blocks.

Cost: linear in the page.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from templatemine.pages import _html
from templatemine.pages.blocks import Page
from templatemine.pages.date_order import DateOrder
from templatemine.pages.declared import SINGLE, declared_title_and_date, words_of
from templatemine.pages.headline import MAX_DISTANCE, OPENING_WORDS
from templatemine.pages.page_dates import MAX_DATE_LENGTH, Order, find_dates, is_date, is_labelled
from templatemine.text.characters import TITLE_SEPARATOR, in_class

TITLE_WORDS, LINKED, NUMBERS, MONTH, YEAR, OWN = (
    _html.COUNTS.index(name) for name in ("title_words", "linked", "numbers", "month", "year", "own")
)

MIN_SIMILARITY = 0.5
"""Smallest similarity (Dice's coefficient) of ``<title>`` and a block that is the headline: of their words, or of their
characters where most of the title is Chinese, Japanese or Korean."""
HEADING_BONUS = 0.2
"""Added to the similarity of a block that is a heading."""
KEPT_BONUS = 1e-3
"""The same of a block that is kept: it decides between equal ones."""


def find_title(page: Page, heading: NDArray[np.bool_], kept: NDArray[np.bool_]) -> int:
    """Find the block that is the title of the page; return its index, -1 if there is none.

    The block that is most similar to ``<title>`` is taken if the similarity reaches `MIN_SIMILARITY`; headings are
    preferred.  Otherwise the first kept heading is taken, otherwise the first heading.  Headings come before
    ``<title>`` itself as in getMainHeadline of Baisa (2009), appendix; but on many pages the first heading is for
    screen readers, or the name of the site.

    Parameters
    ----------
    heading, kept : bool arrays, shape (blocks,)
        Which blocks are headings, and which are kept.
    """
    best = _find_titled(page, heading, kept)
    if best >= 0:
        is_link = page.columns["counts"][best, LINKED] == page.words[best] and not heading[best]
        return best if not is_link or (part := _find_title_part(page, heading & kept)) < 0 else part
    for candidates in (heading & kept, heading):
        for block in candidates.nonzero()[0].tolist():
            if not is_date(page.text(block)):
                return block
    return -1


def _find_titled(page: Page, heading: NDArray[np.bool_], kept: NDArray[np.bool_]) -> int:
    """Find the block most similar to ``<title>``, headings preferred; return its index, -1 if none is similar."""
    similarity = _title_similarity(page)
    similar = np.flatnonzero(similarity >= MIN_SIMILARITY)
    if not len(similar):
        return -1
    return int(similar[(similarity + HEADING_BONUS * heading + KEPT_BONUS * kept)[similar].argmax()])


def title_parts(title: str) -> list[str]:
    """Return the parts of a ``<title>`` in lower case: that of the page and the name of its site, in whatever order."""
    return [" ".join(part.split()) for part in TITLE_SEPARATOR.split(title.casefold()) if part.strip()]


def _find_title_part(page: Page, heading: NDArray[np.bool_]) -> int:
    """Find the only heading that is a part of ``<title>``, else the only one all of whose words are in one part;
    return its index, -1 if there is none or more.  A link with the name of the site may have more words of ``<title>``
    than that."""
    parts = title_parts(page.title)
    if len(parts) < 2:
        return -1
    counts = page.columns["counts"]
    candidates = heading & (counts[:, LINKED] < page.words) & (counts[:, TITLE_WORDS] > 0)
    texts = {block: page.text(block).casefold() for block in np.flatnonzero(candidates).tolist()}
    equal = [block for block, text in texts.items() if text in parts]
    found = equal or [
        block for block, text in texts.items() if any(set(text.split()) <= set(part.split()) for part in parts)
    ]
    return found[0] if len(found) == 1 else -1


def is_like_title(page: Page, block: int) -> bool:
    """Return whether the similarity of a block and ``<title>`` reaches `MIN_SIMILARITY`."""
    return block >= 0 and bool(_title_similarity(page)[block] >= MIN_SIMILARITY)


def _title_similarity(page: Page) -> NDArray[np.float64]:
    """Return the similarity of each block and ``<title>``; by characters, only of blocks short enough to reach
    `MIN_SIMILARITY`."""
    if not _is_by_characters(page.title):
        return 2.0 * page.columns["counts"][:, TITLE_WORDS] / (page.words + max(page.columns["title"], 1))  # type: ignore[no-any-return]
    words = words_of(page.title)
    size, title = len(words), Counter(words)
    similarity = np.zeros(len(page))
    for block in np.flatnonzero(page.words <= (2 / MIN_SIMILARITY - 1) * size).tolist():
        tokens = Counter(words_of(page.text(block)))
        similarity[block] = 2 * (title & tokens).total() / (size + tokens.total())
    return similarity


def _is_by_characters(title: str) -> bool:
    """Return whether most words of a title are characters, as in Chinese, Japanese and Korean."""
    if title.isascii():
        return False
    words = words_of(title)
    return 2 * sum(in_class(word, SINGLE) for word in words) >= max(len(words), 1)


def find_date(page: Page, articles: Iterable[Mapping[str, Any]], title: int, kept: NDArray[np.bool_]) -> str | None:
    """Return the date that the page declares (see `declared_title_and_date`), else the date that its blocks show."""
    date = declared_title_and_date(page, articles)[1]
    return find_shown_date(page, title, kept) if date is None else date


def find_shown_date(page: Page, title: int, kept: NDArray[np.bool_]) -> str | None:
    """Return the date in a line of its own between the title of a page and its story, else the labelled date of
    publication.

    A date line has at most `MAX_DISTANCE` words and `MAX_DATE_LENGTH` characters.  It is at most `MAX_DISTANCE`
    blocks behind the title, or before the first kept block of `OPENING_WORDS` words or more.  Lines before the title
    are searched if no line after it has a date.  A date of change ("updated on ...") is the last choice.
    """
    openings = kept & (page.words >= OPENING_WORDS) & (2 * page.columns["counts"][:, NUMBERS] < page.words)
    openings[: title + 1] = False
    if not openings.any():
        return None
    last = int(openings.argmax())
    near = range(title + 1, title + MAX_DISTANCE + 1) if title >= 0 else range(0)
    head = [line for line in _dated_blocks(page) if line < last and (line >= last - MAX_DISTANCE or line in near)]
    changed = None
    order = DateOrder(page)
    for line in (*[line for line in head if line > title], *[line for line in head[::-1] if line < title]):
        for date, change in _block_dates(page, line, order):
            if not change:
                return date
            changed = changed or date
    return find_labelled_date(page, order) or changed


def find_labelled_date(page: Page, order: Order, change: bool = False) -> str | None:
    """Return the date of a page that a line labels as date of publication, or of change; None if there are several such
    dates, as on pages that list others or have comments."""
    dates = {
        date
        for line in _dated_blocks(page)
        if is_labelled(page.text(line))
        for date, changes in _block_dates(page, line, order)
        if changes is change
    }
    return dates.pop() if len(dates) == 1 else None


def _dated_blocks(page: Page) -> list[int]:
    """Return indices of the blocks that may be date lines: short, and with a month, a year or several numbers.

    In scripts without spaces each character is a word, and two of them count as one.
    """
    counts = page.columns["counts"]
    is_dated = (counts[:, MONTH] + counts[:, YEAR] > 0) | (counts[:, NUMBERS] > 1)
    return np.flatnonzero(is_dated & (page.words - counts[:, OWN] // 2 <= MAX_DISTANCE)).tolist()


def _block_dates(page: Page, line: int, order: Order) -> list[tuple[str, bool]]:
    text = page.text(line)
    return find_dates(text, order) if len(text) <= MAX_DATE_LENGTH else []
