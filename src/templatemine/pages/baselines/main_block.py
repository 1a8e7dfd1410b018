"""Duplicate blocks and the main block, by the keywords of blocks: equations 2 to 7 of San and Aye.

A keyword is a word of at least four letters, or a character of a script without spaces; case does not count.  The
paper leaves the constants of equations 3 and 7 open; here they are 1.  Its equation 6 has the position feature 1 where
T is *at most* 0.7 and its text where it is at least that; the text is taken, for T is the share of the page's keywords
that a region holds.  Time is linear in the keywords, but for sorting them.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from templatemine.pages import _blocks
from templatemine.pages.baselines import _systems
from templatemine.pages.blocks import Page
from templatemine.pages.scanner import TAG_NAMES

MIN_LETTERS = 4
"""Letters of a keyword; most shorter words are grammar."""
MIN_COSINE = 0.9
"""Cosine similarity from which two blocks say the same; the paper names no threshold."""
MIN_KEYWORDS = 3
"""Blocks of fewer different keywords may be alike (names, years)."""
TOP_KEYWORDS = 10
"""Keywords of a block that count in equation 5."""
MIN_REGION_SHARE = 0.7
"""Equation 6."""

Numbers = NDArray[np.int64]

_DIGITS = re.compile(r"\d+")


@dataclass(frozen=True, slots=True)
class _Keywords:
    """Counts of keywords, a row a block: ids ascending in each row, counts, and where each row begins; `total` is the
    number of keywords of the page, `title` those of its title.
    """

    ids: Numbers
    counts: Numbers
    offsets: Numbers
    total: int
    title: Numbers


def _count_keywords(page: Page, blocks: Numbers, title: bytes = b"") -> _Keywords:
    text, bounds = page.columns["text"].tobytes().decode("utf-8", "replace").lower().encode(), page.columns["bounds"]
    if len(text) != bounds[-1]:  # a letter that is longer in lower case: block by block
        texts = [page.text(block).lower().encode() for block in range(len(page))]
        text, bounds = b"".join(texts), np.cumsum([0, *map(len, texts)]).astype(np.int64)
    hashes, block_of = _systems.extract_keywords(text, bounds, MIN_LETTERS)
    title_hashes, _ = _systems.extract_keywords(title, np.array([0, len(title)], np.int64), MIN_LETTERS)
    row_of = np.full(len(page), -1, np.int64)
    row_of[blocks] = np.arange(len(blocks))
    names, ids = np.unique(hashes, return_inverse=True)
    ids, block_of = ids[row_of[block_of] >= 0], row_of[block_of[row_of[block_of] >= 0]]
    cells, counts = np.unique(block_of * max(1, len(names)) + ids, return_counts=True)
    block_of, ids = np.divmod(cells, max(1, len(names)))
    offsets = np.searchsorted(block_of, np.arange(len(blocks) + 1)).astype(np.int64)
    known = np.flatnonzero(np.isin(names, title_hashes))
    title_ids = np.concatenate([known, np.full(len(np.unique(title_hashes)) - len(known), -1)])
    return _Keywords(ids, counts.astype(np.int64), offsets, len(hashes), title_ids)


def find_duplicates(page: Page, blocks: Numbers) -> NDArray[np.bool_]:
    """Return True for each of some blocks that repeats an earlier one of them (equation 2).

    A block is compared with the earlier one that shares most of its keywords as the last before it; so each block takes
    part in one comparison, and a page of copies costs no more than any other.  Blocks with different numbers are none.
    """
    is_duplicate = np.zeros(len(blocks), np.bool_)
    if len(blocks) < 2:
        return is_duplicate
    words = _count_keywords(page, blocks)
    sizes = np.diff(words.offsets)
    block_of = np.repeat(np.arange(len(blocks)), sizes)
    order = np.lexsort((block_of, words.ids))
    repeats = np.flatnonzero(words.ids[order][1:] == words.ids[order][:-1])
    before, after = block_of[order][repeats], block_of[order][repeats + 1]
    pairs, shared = np.unique(after * len(blocks) + before, return_counts=True)
    after, before = np.divmod(pairs, len(blocks))
    best = np.lexsort((-shared, after))
    best_pairs = best[np.unique(after[best], return_index=True)[1]]
    best_pairs = best_pairs[(sizes[after[best_pairs]] >= MIN_KEYWORDS) & (sizes[before[best_pairs]] >= MIN_KEYWORDS)]
    similarity = _compute_cosines(words, before[best_pairs], after[best_pairs])
    for left, right in zip(
        before[best_pairs][similarity >= MIN_COSINE].tolist(),
        after[best_pairs][similarity >= MIN_COSINE].tolist(),
        strict=True,
    ):
        is_duplicate[right] = _digit_runs(page, int(blocks[left])) == _digit_runs(page, int(blocks[right]))
    return is_duplicate


def _compute_cosines(words: _Keywords, left: Numbers, right: Numbers) -> NDArray[np.float64]:
    """Compute the cosine similarity of the keywords of pairs of rows."""
    sizes = np.diff(words.offsets)
    block_of, most = np.repeat(np.arange(len(sizes)), sizes), int(words.ids.max(initial=0)) + 1
    norms = np.bincount(block_of, words.counts.astype(np.float64) ** 2, len(sizes))
    # Each keyword of the right row is looked up in the left one.
    pair_of = np.repeat(np.arange(len(right)), sizes[right])
    place_in_row = np.arange(len(pair_of)) - (np.cumsum(sizes[right]) - sizes[right])[pair_of]
    cells = words.offsets[right][pair_of] + place_in_row
    keys, wanted = block_of * most + words.ids, left[pair_of] * most + words.ids[cells]
    places = np.minimum(np.searchsorted(keys, wanted), len(keys) - 1)
    products = words.counts[places] * words.counts[cells] * (keys[places] == wanted)
    return np.bincount(pair_of, products, len(right)) / np.sqrt(norms[left] * norms[right])  # type: ignore[no-any-return]


def _digit_runs(page: Page, block: int) -> list[str]:
    """Match the short parts in which lines of a list or table differ: a price, a day, a result."""
    return _DIGITS.findall(page.text(block))


def weigh_main_blocks(page: Page, blocks: Numbers) -> tuple[NDArray[np.float64], Numbers]:
    """Return the weight of each of some blocks (equation 3), and the number of the main block that it belongs to.

    A main block is the contents of one element that holds blocks of text, such as the cell or the div around a story.
    """
    columns = page.columns
    element = _nearest_containers(page)[columns["element"][blocks]]
    _, region = np.unique(element, return_inverse=True)
    if not len(blocks):
        return np.zeros(0), region
    words = _count_keywords(page, blocks, page.title.lower().encode("utf-8", "replace"))
    block_of = np.repeat(np.arange(len(blocks)), np.diff(words.offsets))
    # Equation 4: m keywords in the title, which occur f times in the block.
    title_count = len(words.title)
    in_title = np.isin(words.ids, words.title)
    title_frequency = np.bincount(block_of[in_title], words.counts[in_title], len(blocks))
    title = 1 - title_count / np.maximum(title_count + title_frequency, 1) if title_count else np.zeros(len(blocks))
    # Equation 5: the ten most frequent keywords of the block, over all keywords of the page.
    total = max(1, words.total)
    order = np.lexsort((-words.counts, block_of))
    rank = np.arange(len(order)) - words.offsets[block_of[order]]
    top_keywords = order[rank < TOP_KEYWORDS]
    frequency = np.bincount(block_of[top_keywords], words.counts[top_keywords], len(blocks)) / total
    # Equation 6: the share of the page's keywords in the region.
    region_keywords = np.bincount(region, np.bincount(block_of, words.counts, len(blocks)))
    position = (region_keywords[region] / total >= MIN_REGION_SHARE).astype(np.float64)
    return title + frequency + position, region.astype(np.int64)


_IS_CONTAINER = np.isin(
    TAG_NAMES, "body div td th article main section center form blockquote fieldset".split()
).astype(np.uint8)
"""1 for the tags that can hold several blocks, by their number."""


def _nearest_containers(page: Page) -> Numbers:
    """Return, for each element, the nearest one around it that can hold several blocks: not of the kind of p, li or
    h1."""
    return _blocks.find_nearest(page.columns["parents"], _IS_CONTAINER[page.columns["tags"]])
