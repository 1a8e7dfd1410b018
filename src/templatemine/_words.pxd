"""Words of blocks: where they begin and end, and what is counted over them."""

from libc.stdint cimport int32_t, int64_t, uint8_t, uint64_t

from templatemine._chars cimport is_alnum, is_upper
from templatemine._tables cimport Table

cdef enum:
    C_WORDS, C_LINKED, C_STRONG, C_CAPITAL, C_UPPER, C_NUMBERS, C_SHORT, C_LETTERS, C_TITLE, C_TITLE_WORDS, C_MONTH
    C_WEEKDAY, C_CONTROL, C_BY, C_RIGHTS, C_YEAR, C_CLOCK, C_SENTENCES, C_COMMAS, C_COLONS, C_QUOTES, C_BARS, C_PARENS
    C_END, C_LOWER, C_OWN, C_TAGS, C_IMAGES, C_BREAK, C_BROKEN, C_TALK, C_SIZE

cdef enum:
    W_MONTH = 1
    W_WEEKDAY = 2
    W_CONTROL = 3
    W_BY = 4
    W_RIGHTS = 5
    W_TALK = 6
    W_ANSWER = 7    # of talk, and a control


cdef inline int word_char(const uint8_t* p, int64_t left, int* width) noexcept nogil:
    """0 no part of a word, 1 part of one, 2 a word of its own (scripts without spaces); `width` in bytes."""
    cdef uint8_t c = p[0]
    width[0] = 1
    if c < 0x80:
        return is_alnum(c)
    if c < 0xE0:
        width[0] = 2 if left > 1 else 1
        if c == 0xC2:
            return left > 1 and (p[1] == 0xAA or p[1] == 0xB5 or p[1] == 0xBA)
        return 0 if c == 0xD8 and left > 1 and (p[1] == 0x8C or p[1] == 0x9B or p[1] == 0x9F) else 1
    if c < 0xF0:
        width[0] = 3 if left > 2 else 1
        if left < 3:
            return 0
        if c == 0xE2 or (c == 0xE3 and p[1] == 0x80):           # punctuation, symbols; Japanese marks
            return 0
        if c == 0xEF and (p[1] >= 0xBC or p[1] == 0xBB):         # full width forms: letters and digits count
            return 1 if (p[1] == 0xBC and p[2] >= 0x90 and p[2] != 0x9A) else 0
        if (c == 0xE3 and p[1] >= 0x81) or 0xE4 <= c <= 0xE9 or (0xEA <= c <= 0xED and p[1] >= 0x80):
            return 2
        return 1
    width[0] = 4 if left > 3 else 1
    return 2 if c == 0xF0 and left > 3 and p[1] >= 0xA0 else 0


cdef inline uint64_t folded(const uint8_t* p, int64_t n) noexcept nogil:
    """Hash of a word without regard to the case of ASCII."""
    cdef uint64_t h = 0xCBF29CE484222325
    cdef int64_t i
    for i in range(n):
        h = (h ^ (p[i] | (32 if is_upper(p[i]) else 0))) * <uint64_t>0x100000001B3
    return h


cdef int title_words(const uint8_t* p, int64_t n, uint64_t* title, int room) noexcept nogil
cdef void count_word(const uint64_t* title, int titles, const Table* words, const uint8_t* groups, const uint8_t* p, int64_t n,
                     int64_t place, int32_t* c, uint64_t* seen) noexcept nogil
cdef void count_mark(const uint8_t* p, int64_t i, int64_t n, int32_t* c) noexcept nogil
