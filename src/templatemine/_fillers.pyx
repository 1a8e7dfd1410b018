"""What may fill a slot at an edge of a line: the twin of `slots`, which has the kinds as expressions.

A filler is read word by word, away from the string beside the slot, until a word is not of the kind or the line ends; a
kind holds a bounded number of words, so that a text in which strings with slots follow each other takes linear time.
"""

from libc.stdint cimport int64_t, uint8_t, uint32_t
from libc.stdlib cimport free, malloc
from libc.string cimport memcpy, memset

from templatemine._text cimport (
    EXTRA, SPACE, Spec, Table, decode, is_alnum, is_digit, is_lower, is_own_token, is_upper, table_add, table_find, table_free,
    table_init, tm_hash,
)

__all__ = []

cdef enum:
    # Characters: what ends a line, what parts words, what is a word by itself, punctuation, figures, the rest.
    BREAK = 0
    PARTING = 1
    OWN = 2
    SIGN = 3
    FIGURE = 4
    SMALL = 5
    OTHER = 6

cdef enum:
    MOST_WORDS = 24         # slots.MOST_WORDS
    SMALL_RUN = 3           # slots.SMALL_RUN
    MOST_FIGURES = 10       # words of numbers and dates, slots.MOST_FIGURES
    GLUED_SIZE = 120        # characters of a word that is glued to the string, slots.GLUED_SIZE


cdef inline bint is_sign(uint32_t c) noexcept nogil:
    """characters.SIGNS."""
    return (0xA1 <= c <= 0xBF or c == 0xD7 or c == 0xF7 or c == 0x60C or c == 0x61B or c == 0x61F or 0x66A <= c <= 0x66D
            or c == 0x6D4 or 0x200B <= c <= 0x2027 or 0x202A <= c <= 0x202E or 0x2030 <= c <= 0x205E
            or 0x2060 <= c <= 0x206F or 0x20A0 <= c <= 0x20CF or 0x2190 <= c <= 0x2BFF)


cdef int char_at(const Spec* spec, const uint8_t* p, int64_t n, int* width) noexcept nogil:
    """What the character at p is, of a text that goes on for n bytes; its bytes."""
    cdef uint32_t c = p[0]
    if c < 0x80:
        width[0] = 1
        if spec.kind[c] == SPACE:
            return BREAK if c == 10 else PARTING
        if spec.kind[c] == EXTRA:
            return PARTING
        if is_digit(<uint8_t>c):
            return FIGURE
        if is_lower(<uint8_t>c):
            return SMALL
        return SIGN if 33 <= c <= 126 and not is_upper(<uint8_t>c) else OTHER
    c = decode(p, n, width)
    if c == 0x2028 or c == 0x2029:
        return BREAK
    if c == 0x85 or c == 0xA0 or c == 0x1680 or 0x2000 <= c <= 0x200A or c == 0x202F or c == 0x205F or c == 0x3000:
        return PARTING
    if is_own_token(c):
        return OWN
    if 0x660 <= c <= 0x669 or 0x6F0 <= c <= 0x6F9 or 0xFF10 <= c <= 0xFF19:
        return FIGURE
    if is_sign(c):
        return SIGN
    if 0xDF <= c <= 0xFF or 0x3B1 <= c <= 0x3C9 or 0x430 <= c <= 0x44F or c == 0x451:
        return SMALL
    return OTHER


cdef int char_before(const Spec* spec, const uint8_t* p, int64_t i, int64_t* start) noexcept nogil:
    """What the character before i is, and where it begins."""
    cdef int64_t k = i - 1
    cdef int width = 0, kind
    while k > 0 and i - k < 4 and p[k] & 0xC0 == 0x80:
        k -= 1
    start[0] = k
    kind = char_at(spec, p + k, i - k, &width)
    return kind if width == i - k else OTHER


cdef bint of_words(const Spec* spec, const Table* known, const uint8_t* p, int64_t n) noexcept nogil:
    """Whether a word consists of figures and signs, but for one of the known words within them."""
    cdef int64_t i = 0, before = 0
    cdef int width = 0, kind
    while i < n:
        kind = char_at(spec, p + i, n - i, &width)
        if kind != SIGN and kind != FIGURE:
            break
        i += width
    if i == n:
        return True
    p += i
    n -= i
    while True:
        kind = char_before(spec, p, n, &before)
        if kind != SIGN and kind != FIGURE:
            break
        n = before
    return known != NULL and table_find(known, p, n, tm_hash(p, n)) >= 0


cdef bint begins_small(const Spec* spec, const uint8_t* p, int64_t n) noexcept nogil:
    """Whether the first character of a word that is no sign is a small letter."""
    cdef int64_t i = 0
    cdef int width = 0, kind
    while i < n:
        kind = char_at(spec, p + i, n - i, &width)
        if kind != SIGN:
            return kind == SMALL
        i += width
    return False


cdef struct Seen:
    # Of a filler, what was read so far.
    int words
    int small               # the last ones in a row that begin with a small letter


cdef bint takes(const Fillers* f, const Spec* spec, const uint8_t* p, int64_t n, uint8_t kind, Seen* seen) noexcept nogil:
    """Whether one more word is of the kind."""
    if kind == NAMES:
        if begins_small(spec, p, n):
            seen.small += 1
            return seen.small <= SMALL_RUN
        seen.small = 0
        seen.words += 1
        return seen.words <= MOST_WORDS
    seen.words += 1
    if kind <= MOST_WORDS:
        return seen.words <= kind
    if seen.words > MOST_FIGURES:
        return False
    if kind == NUMBERS:
        return of_words(spec, NULL, p, n)
    if kind == DATES:
        return of_words(spec, &f.days, p, n)
    return of_words(spec, &f.times, p, n)


cdef bint tells_address(const uint8_t* p, int64_t n) noexcept nogil:
    """Whether a dot, a slash, a colon or an "at" stands before a letter or a figure."""
    cdef int64_t i
    for i in range(n - 1):
        if (p[i] == 46 or p[i] == 47 or p[i] == 58 or p[i] == 64) and is_alnum(p[i + 1]):
            return True
    return False


cdef bint address_behind(const Spec* spec, const uint8_t* p, int64_t i, int64_t n, bint glued) noexcept nogil:
    """Whether what begins at i is one address, or nothing, up to the end of its line."""
    cdef int64_t start = i, end = i
    cdef int width = 0, kind
    while i < n and 33 <= p[i] <= 126:
        i += 1
        if spec.kind[p[i - 1]] != EXTRA:
            end = i
            if glued and end - start >= GLUED_SIZE:
                return False
    while i < n:
        kind = char_at(spec, p + i, n - i, &width)
        if kind == BREAK:
            break
        if kind != PARTING:
            return False
        i += width
    return glued or end == start or tells_address(p + start, end - start)


cdef bint address_before(const Spec* spec, const uint8_t* p, int64_t i, bint glued) noexcept nogil:
    """Whether what ends at i is one address, or nothing, up to the beginning of its line."""
    cdef int64_t end = i, start = i, before = 0
    cdef int kind
    while i > 0 and 33 <= p[i - 1] <= 126:
        i -= 1
        if spec.kind[p[i]] != EXTRA:
            start = i
            if glued and end - start >= GLUED_SIZE:
                return False
    while i > 0:
        kind = char_before(spec, p, i, &before)
        if kind == BREAK:
            break
        if kind != PARTING:
            return False
        i = before
    return glued or end == start or tells_address(p + start, end - start)


cdef bint fits_behind(const Fillers* f, const Spec* spec, const uint8_t* p, int64_t start, int64_t n, uint8_t kind) noexcept nogil:
    """Whether what stands between byte `start`, where a string ends, and the end of its line is of a kind."""
    cdef int64_t i = start, begin
    cdef int width = 0, char = PARTING, size
    cdef bint glued = False
    cdef Seen seen = Seen(0, 0)
    if i < n:
        char = char_at(spec, p + i, n - i, &width)
        glued = char > PARTING
    if glued and kind == ADDRESS:
        return char != OWN and address_behind(spec, p, i + width, n, True)
    while i < n:
        char = char_at(spec, p + i, n - i, &width)
        if char == BREAK:
            return True
        if char == PARTING:
            i += width
            continue
        if kind == ADDRESS:
            return address_behind(spec, p, i, n, False)
        begin = i
        size = 0
        while i < n:
            char = char_at(spec, p + i, n - i, &width)
            if char == OWN or (glued and size == GLUED_SIZE and char > PARTING):
                return False
            if char <= PARTING:
                break
            i += width
            size += 1
        if glued:
            # A word that is glued to the string may be anything.
            glued = False
            seen.words += kind != NAMES
        elif not takes(f, spec, p + begin, i - begin, kind, &seen):
            return False
    return True


cdef bint fits_before(const Fillers* f, const Spec* spec, const uint8_t* p, int64_t end, uint8_t kind) noexcept nogil:
    """Whether what stands between the beginning of its line and byte `end`, where a string begins, is of a kind."""
    cdef int64_t i = end, stop, before = 0
    cdef int char = PARTING, size
    cdef bint glued = False
    cdef Seen seen = Seen(0, 0)
    if i > 0:
        char = char_before(spec, p, i, &before)
        glued = char > PARTING
    if glued and kind == ADDRESS:
        return char != OWN and address_before(spec, p, before, True)
    while i > 0:
        char = char_before(spec, p, i, &before)
        if char == BREAK:
            return True
        if char == PARTING:
            i = before
            continue
        if kind == ADDRESS:
            return address_before(spec, p, i, False)
        stop = i
        size = 0
        while i > 0:
            char = char_before(spec, p, i, &before)
            if char == OWN or (glued and size == GLUED_SIZE and char > PARTING):
                return False
            if char <= PARTING:
                break
            i = before
            size += 1
        if glued:
            glued = False
            seen.words += kind != NAMES
        elif not takes(f, spec, p + i, stop - i, kind, &seen):
            return False
    return True


cdef int fillers_make(Fillers* f, bytes kinds, list known) except -1:
    """Keep the kinds of some strings, and the words of dates and of durations."""
    cdef bytes word
    memset(f, 0, sizeof(Fillers))
    if not any(kinds):
        return 0
    for kind in set(kinds):
        if kind > MOST_WORDS and not NUMBERS <= kind <= NAMES:
            raise ValueError(f"expected kinds up to {MOST_WORDS}, or {NUMBERS} to {NAMES}, got {kind}")
    if len(known) != 2:
        raise ValueError(f"expected the words of dates and those of durations, got {len(known)} lists")
    f.kind = <uint8_t*>malloc(len(kinds))
    if f.kind == NULL:
        raise MemoryError
    memcpy(f.kind, <const uint8_t*>kinds, len(kinds))
    table_init(&f.days)
    table_init(&f.times)
    for word in known[0]:
        table_add(&f.days, <const uint8_t*>word, len(word))
    for word in known[1]:
        table_add(&f.times, <const uint8_t*>word, len(word))
    return 0


cdef void fillers_free(Fillers* f) noexcept nogil:
    if f.kind != NULL:
        table_free(&f.days)
        table_free(&f.times)
    free(f.kind)
