"""Words of blocks: words of the title, and the counts over the words and marks of a block.

In come bytes of text whose white space is folded, out go the columns of `COUNTS`.
"""

from libc.stdint cimport int32_t, int64_t, uint8_t, uint64_t

from templatemine._chars cimport is_digit, is_upper, tm_hash
from templatemine._tables cimport Table, table_find

__all__ = ["COUNTS"]

COUNTS = (
    "words", "linked", "strong", "capital", "upper", "numbers", "short", "letters", "title", "title_words", "month",
    "weekday", "control", "by", "rights", "year", "clock", "sentences", "commas", "colons", "quotes", "bars", "parens",
    "end", "lower", "own", "tags", "images", "break", "broken", "talk",
)
"""Columns of `counts`: words and how many of them are linked, emphasised ...; marks; kind of the last mark; tags and
images since the block before; whether a br stands before and after; words of who says something to others."""


cdef int title_words(const uint8_t* p, int64_t n, uint64_t* title, int room) noexcept nogil:
    """The distinct words of a title, up to `room`; words of two bytes and less say nothing.  Returns how many."""
    cdef int64_t i = 0, j
    cdef int width = 0
    cdef uint64_t h
    cdef int k, count = 0
    while i < n and count < room:
        j = i
        while j < n and word_char(p + j, n - j, &width) == 1:
            j += width
        if j > i + 2:
            h = folded(p + i, min(j, n) - i)
            for k in range(count):
                if title[k] == h:
                    break
            else:
                title[count] = h
                count += 1
        i = j + 1 if j == i else j
    return count


cdef inline bint is_capital(const uint8_t* p, int64_t n) noexcept nogil:
    return is_upper(p[0]) or (n > 1 and p[0] == 0xC3 and 0x80 <= p[1] <= 0x9E) or (n > 1 and p[0] == 0xD0 and 0x90 <= p[1] <= 0xAF)


cdef void count_word(const uint64_t* title, int titles, const Table* words, const uint8_t* groups, const uint8_t* p, int64_t n,
                     int64_t place, int32_t* c, uint64_t* seen) noexcept nogil:
    """Add a word of n bytes, the block's `place`th, to its counts."""
    cdef uint8_t low[24]
    cdef int64_t i, found
    cdef int k, upper = 0, digit = 0
    cdef uint64_t h
    for i in range(n):
        upper += is_upper(p[i])
        digit += is_digit(p[i])
    if digit * 2 > n:
        c[C_NUMBERS] += 1
        if n == 4 and digit == 4 and (p[0] == 49 or p[0] == 50) and (p[1] == 57 or p[1] == 48):
            c[C_YEAR] += 1
        return
    if upper == n and n > 1:
        c[C_UPPER] += 1
    if is_capital(p, n):
        c[C_CAPITAL] += 1
    elif n <= 3:
        c[C_SHORT] += 1
    if n > 2 and titles:
        h = folded(p, n)
        for k in range(titles):
            if title[k] == h:
                c[C_TITLE] += 1
                seen[0] |= <uint64_t>1 << k
                break
    if n <= 24:
        for i in range(n):
            low[i] = p[i] | 32 if is_upper(p[i]) else p[i]
        found = table_find(words, low, n, tm_hash(low, n))
        if found >= 0:
            if groups[found] == W_MONTH:
                c[C_MONTH] += 1
            elif groups[found] == W_WEEKDAY:
                c[C_WEEKDAY] += 1
            elif groups[found] == W_CONTROL:
                c[C_CONTROL] += 1
            elif groups[found] == W_ANSWER:
                c[C_CONTROL] += 1
                c[C_TALK] += 1
            elif groups[found] == W_TALK:
                c[C_TALK] += 1
            elif groups[found] == W_BY:
                c[C_BY] += place < 2
            elif groups[found] == W_RIGHTS:
                c[C_RIGHTS] += 1


cdef void count_mark(const uint8_t* p, int64_t i, int64_t n, int32_t* c) noexcept nogil:
    """Add a character that is no part of a word to the counts of its block."""
    cdef uint8_t k = p[i]
    if k == 32:
        return
    if k == 46 or k == 33 or k == 63:
        if i + 1 >= n or p[i + 1] == 32 or p[i + 1] == 34 or p[i + 1] == 39 or p[i + 1] == 41 or p[i + 1] == 0xE2:
            c[C_SENTENCES] += 1
            c[C_END] = 1
            return
        c[C_END] = 4
    elif k == 44:
        c[C_COMMAS] += 1
        c[C_END] = 4
    elif k == 58:
        c[C_COLONS] += 1
        c[C_END] = 2
        if i and i + 2 < n and is_digit(p[i - 1]) and is_digit(p[i + 1]) and is_digit(p[i + 2]):
            c[C_CLOCK] += 1
    elif k == 34 or k == 39:
        c[C_QUOTES] += 1
        # A quote after the end of a sentence leaves it one.
        c[C_END] = 1 if c[C_END] == 1 else 3
    elif k == 40 or k == 41 or k == 91 or k == 93:
        c[C_PARENS] += 1
        c[C_END] = 1 if c[C_END] == 1 else 4
    elif k == 124 or k == 62 or k == 60 or (k == 47 and i + 1 < n and p[i + 1] == 32):
        c[C_BARS] += 1
        c[C_END] = 5
    elif k == 0xC2 and i + 1 < n:
        if p[i + 1] == 0xA9:
            c[C_RIGHTS] += 1
        elif p[i + 1] == 0xBB or p[i + 1] == 0xAB or p[i + 1] == 0xB7:
            c[C_BARS] += 1
        c[C_END] = 5
    elif k == 0xE2 and i + 2 < n:
        if p[i + 1] == 0x80 and 0x98 <= p[i + 2] <= 0x9F:
            c[C_QUOTES] += 1
            c[C_END] = 1 if c[C_END] == 1 else 3
        elif p[i + 1] == 0x80 and p[i + 2] == 0xA6:
            c[C_END] = 1
        elif p[i + 1] == 0x80 and (p[i + 2] == 0xA2 or p[i + 2] == 0xBA or p[i + 2] == 0xB9):
            c[C_BARS] += 1
            c[C_END] = 5
        else:
            c[C_END] = 4
    elif k == 0xE3 and i + 2 < n and p[i + 1] == 0x80:
        if p[i + 2] == 0x82:
            c[C_SENTENCES] += 1
            c[C_END] = 1
        elif p[i + 2] == 0x81:
            c[C_COMMAS] += 1
    elif k == 0xEF and i + 2 < n and p[i + 1] == 0xBC and (p[i + 2] == 0x81 or p[i + 2] == 0x9F):
        c[C_SENTENCES] += 1
        c[C_END] = 1
    elif k == 0xD8 and i + 1 < n:
        if p[i + 1] == 0x9F:
            c[C_SENTENCES] += 1
            c[C_END] = 1
        else:
            c[C_COMMAS] += 1
    else:
        c[C_END] = 4
