"""What the systems that look at a single page compute over its blocks and elements; see `pages.bte`, `pages.density`.

In come the columns of `_blocks.BlockScanner.blocks` and the bytes of the page, out go numbers and columns.  Elements are
numbered in the order of their start tags, parents before children, so that one pass down hands a value on from parents
to children and one pass up sums over subtrees.  Time is linear in the page.
"""

import numpy as np

from libc.math cimport sqrt
from libc.stdint cimport int32_t, int64_t, uint8_t, uint64_t
from libc.string cimport memchr

__all__ = [
    "character_counts", "cosines", "densest", "inherited", "keywords", "line_breaks", "nearest", "stretch", "subtree_sums",
    "walk", "wrapped",
]


cdef void check(bint good, str what) except *:
    if not good:
        raise ValueError(f"expected {what}")


cdef void check_ascending(const int64_t[::1] bounds, int64_t size, str what) except *:
    """Each is asked for: the loops below trust them."""
    cdef int64_t i, before = 0
    cdef bint good = bounds.shape[0] > 0
    with nogil:
        for i in range(bounds.shape[0]):
            good = good and before <= bounds[i] <= size
            before = bounds[i]
    check(good, what)


cdef void check_places(const int64_t[::1] starts, const int64_t[::1] ends, int64_t size) except *:
    cdef int64_t i
    cdef bint good = starts.shape[0] == ends.shape[0]
    check(good, "as many ends as starts")
    with nogil:
        for i in range(starts.shape[0]):
            good = good and 0 <= starts[i] <= size and 0 <= ends[i] <= size
    check(good, "blocks within the page")


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


def nearest(const int32_t[::1] parents not None, const uint8_t[::1] wanted not None):
    """The nearest wanted element of each: itself or one it stands in, 0 if there is none: int64, shape (elements,)."""
    cdef int64_t n = parents.shape[0], i
    check(wanted.shape[0] == n, "as many values as elements")
    found = np.empty(n, np.int64)
    cdef int64_t[::1] out = found
    with nogil:
        for i in range(n):
            out[i] = i if wanted[i] else out[parents[i]] if 0 <= parents[i] < i else 0
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
    check_ascending(bounds, text.shape[0], "ascending bounds within the text")
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
    check_places(starts, ends, page.shape[0])
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
            # At least one byte: half a character may stand at the end.
            i += 1
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
    check_places(starts, ends, page.shape[0])
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


# ======================================================================================================================
# Shallow text features, keywords
# ======================================================================================================================

cdef enum:
    LINE = 80           # columns of a line of wrapped text


cdef inline int64_t character(const uint8_t* p, int64_t left) noexcept nogil:
    """Bytes of the character that begins here."""
    cdef int64_t width = 1 if p[0] < 0xC0 else 2 if p[0] < 0xE0 else 3 if p[0] < 0xF0 else 4
    return min(width, left)


cdef inline bint is_single(const uint8_t* p, int64_t width) noexcept nogil:
    """A word of its own, two columns wide: Han, kana, Hangul."""
    if width == 4:
        return p[0] == 0xF0 and p[1] >= 0xA0
    return width == 3 and 0xE3 <= p[0] <= 0xED and (p[0] > 0xE3 or p[1] >= 0x81)


def wrapped(const uint8_t[::1] text not None, const int64_t[::1] bounds not None):
    """Text density and letters of each block.

    The text is wrapped at 80 columns; its density is the number of words in all lines but the last over the number of
    those lines, or of the only line (Kohlschuetter, Fankhauser and Nejdl, Boilerplate detection using shallow text
    features, 2010, section 3.3).  A word has a letter or a digit.  A Han, kana or Hangul character is a word, two
    columns wide.

    Returns
    -------
    tuple of array
        Densities (float64) and code points that are no white space (int64); of shape (blocks,).
    """
    cdef int64_t n = bounds.shape[0] - 1, k, i, end, width, size, at, line, letters
    cdef bint counts
    cdef double words, before
    check_ascending(bounds, text.shape[0], "ascending bounds within the text")
    density, length = np.empty(n, np.float64), np.empty(n, np.int64)
    cdef double[::1] density_view = density
    cdef int64_t[::1] length_view = length
    with nogil:
        for k in range(n):
            i, end = bounds[k], bounds[k + 1]
            at = line = letters = 0
            words = before = 0
            while i < end:
                if text[i] <= 32:
                    i += 1
                    continue
                size = 0
                counts = False
                width = character(&text[i], end - i)
                if is_single(&text[i], width):
                    i += width
                    size = 2
                    letters += 1
                    counts = True
                else:
                    if at:
                        at += 1         # the blank before it
                    while i < end and text[i] > 32:
                        width = character(&text[i], end - i)
                        if is_single(&text[i], width):
                            break
                        counts = counts or is_word(text[i])
                        i += width
                        size += 1
                    letters += size
                if at and at + size > LINE:
                    line += 1
                    before = words
                    at = 0
                at += size
                words += counts
            density_view[k] = before / line if line else words
            length_view[k] = letters
    return density, length


def keywords(const uint8_t[::1] text not None, const int64_t[::1] bounds not None, int64_t least):
    """The keywords of each block: words of at least `least` code points, and characters that are words of their own.

    Returns
    -------
    tuple of array
        Hash (uint64) and block (int64) of each keyword, in the order of the text.
    """
    cdef int64_t n = bounds.shape[0] - 1, k, i, j, end, width, size, count = 0
    cdef uint64_t h
    cdef bint single
    check_ascending(bounds, text.shape[0], "ascending bounds within the text")
    hashes, home = np.empty(text.shape[0], np.uint64), np.empty(text.shape[0], np.int64)
    cdef uint64_t[::1] hash_view = hashes
    cdef int64_t[::1] home_view = home
    with nogil:
        for k in range(n):
            i, end = bounds[k], bounds[k + 1]
            while i < end:
                if not is_word(text[i]):
                    i += 1
                    continue
                width = character(&text[i], end - i)
                single = is_single(&text[i], width)
                if not single and text[i] == 0xE2:      # dashes, quotes, bullets
                    i += width
                    continue
                h = <uint64_t>0xCBF29CE484222325
                size = 0
                while i < end and is_word(text[i]):
                    width = character(&text[i], end - i)
                    if (size and (single or is_single(&text[i], width))) or text[i] == 0xE2:
                        break
                    for j in range(i, i + width):
                        h = (h ^ text[j]) * <uint64_t>0x100000001B3
                    i += width
                    size += 1
                if single or size >= least:
                    hash_view[count] = h
                    home_view[count] = k
                    count += 1
    return hashes[:count].copy(), home[:count].copy()


def cosines(const int64_t[::1] ids not None, const int64_t[::1] counts not None, const int64_t[::1] offsets not None,
            const int64_t[::1] left not None, const int64_t[::1] right not None):
    """Cosine similarity of pairs of rows; the ids of a row are ascending: float64 array of shape (pairs,)."""
    cdef int64_t n = left.shape[0], rows = offsets.shape[0] - 1, k, i, j
    cdef double dot, one, other
    check(right.shape[0] == n and counts.shape[0] == ids.shape[0], "columns of the same length")
    check_ascending(offsets, ids.shape[0], "ascending offsets within the ids")
    for k in range(n):
        check(0 <= left[k] < rows and 0 <= right[k] < rows, "pairs of rows")
    found = np.zeros(n, np.float64)
    cdef double[::1] out = found
    with nogil:
        for k in range(n):
            dot = one = other = 0
            for i in range(offsets[left[k]], offsets[left[k] + 1]):
                one += <double>counts[i] * counts[i]
            for j in range(offsets[right[k]], offsets[right[k] + 1]):
                other += <double>counts[j] * counts[j]
            i, j = offsets[left[k]], offsets[right[k]]
            while i < offsets[left[k] + 1] and j < offsets[right[k] + 1]:
                if ids[i] == ids[j]:
                    dot += <double>counts[i] * counts[j]
                    i += 1
                    j += 1
                elif ids[i] < ids[j]:
                    i += 1
                else:
                    j += 1
            if one > 0 and other > 0:
                out[k] = dot / sqrt(one * other)
    return found


def walk(const int64_t[::1] feature not None, const double[::1] threshold not None, const int64_t[::1] left not None,
         const int64_t[::1] right not None, const double[::1] value not None, const double[:, ::1] rows not None):
    """What a decision tree says of each row: float64 array of shape (rows,).

    Parameters
    ----------
    feature : int64 array, shape (nodes,)
        What a node asks for, -1 for a leaf; the root comes first and children after their parents.
    threshold : float64 array, shape (nodes,)
        The greatest value that goes left.
    left, right : int64 arrays, shape (nodes,)
    value : float64 array, shape (nodes,)
        Of leaves.
    rows : float64 array, shape (rows, features)
    """
    cdef int64_t n = rows.shape[0], nodes = feature.shape[0], i, node
    check(nodes > 0 and threshold.shape[0] == left.shape[0] == right.shape[0] == value.shape[0] == nodes,
          "columns of the same length")
    for node in range(nodes):
        check(feature[node] < 0 or (feature[node] < rows.shape[1] and node < left[node] < nodes and node < right[node] < nodes),
              "features of the rows, and children behind their parents")
    found = np.empty(n, np.float64)
    cdef double[::1] out = found
    with nogil:
        for i in range(n):
            node = 0
            while feature[node] >= 0:
                node = left[node] if rows[i, feature[node]] <= threshold[node] else right[node]
            out[i] = value[node]
    return found
