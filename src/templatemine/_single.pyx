"""What the systems that look at a single page compute over its blocks and elements; see `pages.bte`, `pages.density`.

In come the columns of `_blocks.BlockScanner.blocks` and the bytes of the page, out go numbers and columns.  Elements are
numbered in the order of their start tags, parents before children, so that one pass down hands a value on from parents
to children and one pass up sums over subtrees.  Time is linear in the page.
"""

import numpy as np

from libc.stdint cimport int32_t, int64_t, uint8_t
from libc.string cimport memchr

__all__ = ["character_counts", "densest", "inherited", "line_breaks", "stretch", "subtree_sums"]


cdef void check(bint good, str what) except *:
    if not good:
        raise ValueError(f"expected {what}")


def inherited(const int32_t[::1] parents not None, const uint8_t[::1] own not None):
    """The value of each element: its own where that is not 0, else that of the nearest one it stands in, else 0.

    Parameters
    ----------
    parents : int32 array, shape (elements,)
        Smaller than the element itself; -1 for none.
    own : uint8 array, shape (elements,)

    Returns
    -------
    uint8 array, shape (elements,)
    """
    cdef int64_t n = parents.shape[0], i
    check(own.shape[0] == n, "as many values as elements")
    found = np.empty(n, np.uint8)
    cdef uint8_t[::1] out = found
    with nogil:
        for i in range(n):
            out[i] = own[i]
            if own[i] == 0 and 0 <= parents[i] < i:
                out[i] = out[parents[i]]
    return found


def subtree_sums(const int32_t[::1] parents not None, const int64_t[::1] own not None):
    """The sum of a value over each element and all that stands in it: int64 array of shape (elements,)."""
    cdef int64_t n = parents.shape[0], i
    check(own.shape[0] == n, "as many values as elements")
    found = np.array(own, np.int64)
    cdef int64_t[::1] out = found
    with nogil:
        for i in range(n - 1, 0, -1):
            if 0 <= parents[i] < i:
                out[parents[i]] += out[i]
    return found


def densest(const int32_t[::1] parents not None, const int64_t[::1] characters not None,
            const int64_t[::1] structure not None, int64_t root, double share):
    """The target node of Baisa (2009), algorithm 1.

    From `root` on, down to the child with most characters for each structural element, as long as that child holds more
    than `share` of the characters of its parent.  A child with none counts as one with a single structural element, and
    of equal children the first is taken.

    Parameters
    ----------
    characters, structure : int64 arrays, shape (elements,)
        Sums over subtrees.

    Returns
    -------
    int
        Number of the element.
    """
    cdef int64_t n = parents.shape[0], i, at = root, p, best
    check(characters.shape[0] == n and structure.shape[0] == n, "as many values as elements")
    check(0 <= root < n, "a root that is one of the elements")
    child = np.full(n, -1, np.int64)
    cdef int64_t[::1] first = child
    with nogil:
        for i in range(1, n):
            p = parents[i]
            if p < 0 or p >= i:
                continue
            best = first[p]
            # Products, so that equal densities are equal; a page has less than 2^31 bytes.
            if best < 0 or characters[i] * max(structure[best], 1) > characters[best] * max(structure[i], 1):
                first[p] = i
        while first[at] >= 0 and <double>characters[first[at]] > share * <double>characters[at]:
            at = first[at]
    return at


def character_counts(const uint8_t[::1] text not None, const int64_t[::1] bounds not None):
    """Code points of each block's text: int64 array of shape (blocks,)."""
    cdef int64_t n = bounds.shape[0] - 1, i, j, count
    check(n >= 0 and (n == 0 or (bounds[0] >= 0 and bounds[n] <= text.shape[0])), "bounds within the text")
    found = np.empty(n, np.int64)
    cdef int64_t[::1] out = found
    with nogil:
        for i in range(n):
            count = 0
            for j in range(bounds[i], bounds[i + 1]):
                count += (text[j] & 0xC0) != 0x80
            out[i] = count
    return found


def line_breaks(const uint8_t[::1] page not None, const int64_t[::1] starts not None, const int64_t[::1] ends not None):
    """How many br and hr stand between each block and the one before it: int64 array of shape (blocks,)."""
    cdef int64_t n = starts.shape[0], i, a, b, count
    cdef const void* hit
    check(ends.shape[0] == n, "as many ends as starts")
    check(n == 0 or (starts[0] >= 0 and ends[n - 1] <= page.shape[0]), "blocks within the page")
    found = np.zeros(n, np.int64)
    cdef int64_t[::1] out = found
    with nogil:
        for i in range(1, n):
            a, b = ends[i - 1], starts[i]
            count = 0
            while b - a > 3:
                hit = memchr(&page[a], 60, b - a - 3)
                if hit == NULL:
                    break
                a = <const uint8_t*>hit - &page[0]
                if (page[a + 2] | 32) == 114 and ((page[a + 1] | 32) == 98 or (page[a + 1] | 32) == 104):
                    count += page[a + 3] <= 32 or page[a + 3] == 62 or page[a + 3] == 47
                a += 1
            out[i] = count
    return found


# ======================================================================================================================
# BTE
# ======================================================================================================================

cdef struct Best:
    int64_t sum             # of the stretch that is open
    int64_t block           # where it began: the block, and words of it that stand before
    int64_t skipped
    int64_t best            # of the best one so far, and where it lies
    int64_t first
    int64_t first_skipped
    int64_t last
    int64_t last_kept


cdef inline void add_words(Best* s, int64_t block, int64_t before, int64_t count) noexcept nogil:
    """Words, `before` of whose block stand before them."""
    if count <= 0:
        return
    if s.sum <= 0:
        s.sum = 0
        s.block = block
        s.skipped = before
    s.sum += count
    if s.sum > s.best:
        s.best = s.sum
        s.first = s.block
        s.first_skipped = s.skipped
        s.last = block
        s.last_kept = before + count


cdef inline bint is_word(uint8_t c) noexcept nogil:
    return c >= 0x80 or 48 <= c <= 57 or 97 <= (c | 32) <= 122


cdef int64_t count_words(const uint8_t* p, int64_t n) noexcept nogil:
    """Words in a stretch of the page without tags; those of scripts without spaces by the three bytes of a character."""
    cdef int64_t i = 0, j, count = 0
    while i < n:
        if p[i] == 38:                      # a reference parts words; what it stands for matters to no more than one
            j = i + 1
            while j < n and j - i < 32 and (is_word(p[j]) or p[j] == 35):
                j += 1
            i = j + 1 if j < n and p[j] == 59 else i + 1
        elif 0xE3 <= p[i] <= 0xED and i + 2 < n:
            count += not (p[i] == 0xE3 and p[i + 1] == 0x80)
            i += 3
        elif is_word(p[i]):
            while i < n and is_word(p[i]) and not 0xE3 <= p[i] <= 0xED:
                i += 1
            count += 1
        else:
            i += 1
    return count


cdef int64_t inner_tags(const uint8_t* p, int64_t a, int64_t b) noexcept nogil:
    cdef int64_t count = 0
    cdef const void* hit
    while a + 1 < b:
        hit = memchr(p + a, 60, b - a - 1)
        if hit == NULL:
            break
        a = <const uint8_t*>hit - p + 1
        count += p[a] == 47 or 97 <= (p[a] | 32) <= 122
    return count


cdef void add_block(Best* s, const uint8_t* p, int64_t a, int64_t b, int64_t block, int64_t words) noexcept nogil:
    """The words of a block [a, b) and the tags between them."""
    cdef int64_t before = 0, count, end
    cdef const void* hit
    while a < b:
        hit = memchr(p + a, 60, b - a)
        end = b if hit == NULL else <const uint8_t*>hit - p
        count = words - before if end == b else min(count_words(p + a, end - a), words - before)
        add_words(s, block, before, count)
        before += max(count, 0)
        if end == b:
            return
        if end + 1 < b and (p[end + 1] == 47 or 97 <= (p[end + 1] | 32) <= 122):
            s.sum -= 1
        hit = memchr(p + end, 62, b - end)
        a = b if hit == NULL else <const uint8_t*>hit - p + 1
    add_words(s, block, before, words - before)


def stretch(const uint8_t[::1] page not None, const int64_t[::1] starts not None, const int64_t[::1] ends not None,
            const int32_t[::1] tags not None, const int32_t[::1] words not None, const uint8_t[::1] shown not None):
    """The stretch of a page with most words and fewest tags.

    With B_n = 1 for a tag and 0 for a word, the i and j with the greatest sum of B_n outside of [i, j] and 1 - B_n
    within; as the tags of the whole page are a constant, that is the greatest sum of words less tags over [i, j], found
    in one pass.  Of equal stretches the first and shortest.

    Parameters
    ----------
    page : uint8 array
    starts, ends : int64 arrays, shape (blocks,)
    tags : int32 array, shape (blocks,)
        From the end of the block before up to and with the tag that ends the block.
    words : int32 array, shape (blocks,)
    shown : uint8 array, shape (blocks,)
        0 for blocks that are passed over, with their tags.

    Returns
    -------
    tuple of int
        First block, how many of its words are left out, last block, how many of its words belong to the stretch; the
        first block is -1 if there is no word.
    """
    cdef int64_t n = starts.shape[0], i, inner, ended, after = 0
    cdef Best s
    check(ends.shape[0] == tags.shape[0] == words.shape[0] == shown.shape[0] == n, "columns of the same length")
    check(n == 0 or (starts[0] >= 0 and ends[n - 1] <= page.shape[0]), "blocks within the page")
    s.sum = s.block = s.skipped = s.best = s.first_skipped = s.last = s.last_kept = 0
    s.first = -1
    with nogil:
        for i in range(n):
            inner = inner_tags(&page[0], starts[i], ends[i])
            ended = tags[i] > inner
            s.sum -= max(tags[i] - inner - ended, 0) + after
            after = ended
            if shown[i] == 0:
                s.sum -= inner
            elif inner == 0:
                add_words(&s, i, 0, words[i])
            else:
                add_block(&s, &page[0], starts[i], ends[i], i, words[i])
    return s.first, s.first_skipped, s.last, s.last_kept
