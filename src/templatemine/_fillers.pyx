"""What may fill a slot at an edge of a line: the twin of `slots`, which has the kinds as expressions.

A filler is read word by word, away from the string beside the slot, until a word is not of the kind or the line ends.
Behind a string a kind holds a bounded number of words, and before it what was read once is remembered, so that a text in
which strings with slots follow each other takes linear time.
"""

from libc.stdint cimport int64_t, uint8_t, uint32_t
from libc.stdlib cimport free, malloc
from libc.string cimport memcpy, memset

from templatemine._chars cimport decode, is_alnum, is_digit, is_lower, is_other_digit, is_own_token, is_upper, tm_hash
from templatemine._tables cimport Table, table_add, table_find, table_free, table_init
from templatemine._spec cimport EXTRA, SPACE, Spec

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
    SLOT_SIZE = 120         # slots.SLOT_SIZE
    MOST_NAMES = 12         # slots.MOST_NAMES
    SMALL_RUN = 3           # slots.SMALL_RUN
    SMALL_SIZE = 4          # slots.SMALL_SIZE
    MOST_FIGURES = 10       # words of numbers and dates, slots.MOST_FIGURES
    MOST_JOINTS = 3         # of a word that is glued to the string, slots.MOST_JOINTS
    GLUED_SIZE = 120        # characters of an address that is glued to the string, slots.GLUED_SIZE


cdef inline bint is_sign(uint32_t c) noexcept nogil:
    """characters.SIGNS."""
    return (0xA1 <= c <= 0xBF or c == 0xD7 or c == 0xF7 or c == 0x60C or c == 0x61B or c == 0x61F or 0x66A <= c <= 0x66D
            or c == 0x6D4 or 0x200B <= c <= 0x2027 or 0x202A <= c <= 0x202E or 0x2030 <= c <= 0x205E
            or 0x2060 <= c <= 0x206F or 0x20A0 <= c <= 0x20CF or 0x2190 <= c <= 0x2BFF)


cdef inline bint is_caseless(uint32_t c) noexcept nogil:
    """characters.CASELESS."""
    return 0x590 <= c <= 0x1CFF or 0xAC00 <= c <= 0xD7FF or 0xFB1D <= c <= 0xFDFF or 0xFE70 <= c <= 0xFEFE


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
    if 0x660 <= c <= 0x669 or 0x6F0 <= c <= 0x6F9 or 0xFF10 <= c <= 0xFF19 or is_other_digit(c):
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


cdef bint takes(const Fillers* f, const Spec* spec, const uint8_t* p, int64_t n, uint8_t kind, bint behind, bint* small) noexcept nogil:
    """Whether a word is of the kind; and whether it begins with a small letter, of names."""
    cdef int64_t i = 0, letters = 0
    cdef int width = 0, char
    if kind == NUMBERS:
        return of_words(spec, NULL, p, n)
    if kind == DATES:
        return of_words(spec, &f.days, p, n)
    if kind == DURATIONS:
        return of_words(spec, &f.times, p, n)
    char = char_at(spec, p, n, &width)
    while char == SMALL and i < n:
        letters += 1
        i += width
        if i < n:
            char = char_at(spec, p + i, n - i, &width)
    small[0] = letters > 0
    if letters:
        return (behind or letters <= SMALL_SIZE) and i == n
    return char != OWN and not is_caseless(decode(p, n, &width))


cdef inline bint in_address(const uint8_t* p, int64_t width) noexcept nogil:
    """Whether an address may hold the character at p, of so many bytes: of ASCII, or characters.TWO_BYTES."""
    return 33 <= p[0] <= 126 or (width == 2 and 0xC2 <= p[0] <= 0xDF and (p[0] > 0xC2 or p[1] > 0xA0))


cdef bint tells_address(const uint8_t* p, int64_t n) noexcept nogil:
    """Whether a dot, a slash, a colon or an "at" stands before a letter or a figure."""
    cdef int64_t i
    for i in range(n - 1):
        if (p[i] == 46 or p[i] == 47 or p[i] == 58 or p[i] == 64) and (is_alnum(p[i + 1]) or p[i + 1] >= 0x80):
            return True
    return False


cdef inline int step(const Spec* spec, const uint8_t* p, int64_t n, int64_t i, bint behind, int64_t* next) noexcept nogil:
    """What the character behind or before i is, and where one stands then; beyond the text lines end."""
    cdef int width = 0, kind
    if not behind:
        return char_before(spec, p, i, next) if i > 0 else BREAK
    if i >= n:
        return BREAK
    kind = char_at(spec, p + i, n - i, &width)
    next[0] = i + width
    return kind


cdef bint address(const Spec* spec, const uint8_t* p, int64_t n, int64_t i, bint behind, bint glued) noexcept nogil:
    """Whether what begins, or ends, at i is one address, or nothing, up to the edge of its line."""
    cdef int64_t first = i, edge = i, next = i, size = 0
    cdef int char
    while True:
        char = step(spec, p, n, i, behind, &next)
        if char == BREAK or not in_address(p + min(i, next), max(i, next) - min(i, next)):
            break
        i = next
        size += 1
        if char != PARTING:
            edge = i
            if glued and size >= GLUED_SIZE:
                return False
    while char == PARTING:
        i = next
        char = step(spec, p, n, i, behind, &next)
    if char != BREAK:
        return False
    return glued or edge == first or tells_address(p + min(first, edge), max(first, edge) - min(first, edge))


cdef int64_t past_glued(const Spec* spec, const uint8_t* p, int64_t n, int64_t i, bint behind) noexcept nogil:
    """Where the word ends that is glued to the string; -1 if it is none."""
    cdef int64_t next = i
    cdef int char = step(spec, p, n, i, behind, &next), joints = 0
    cdef bint joint, before
    # Behind a joint at the end of the string the word begins anew, before it the string itself does.
    before = not behind
    while char > PARTING:
        if char == OWN:
            return -1
        joint = p[min(i, next)] == 58 or p[min(i, next)] == 47 or p[min(i, next)] == 41
        # Text order: a piece follows a joint.
        joints += not joint and before if behind else joint and not before
        if joints > MOST_JOINTS:
            return -1
        before = joint
        i = next
        char = step(spec, p, n, i, behind, &next)
    return i


cdef bint fits(const Fillers* f, const Spec* spec, const uint8_t* p, int64_t n, int64_t i, bint behind, uint8_t kind,
               Walked* walked) noexcept nogil:
    """Whether what stands between byte i, where a string ends (begins), and the end (beginning) of its line is of a kind.

    Parameters
    ----------
    behind : bool
        The string ends at i.
    walked : Walked*
        What earlier walks to the beginning of a line in this text found.
    """
    cdef int64_t next = i, edge, nearest = -1, begin = -1
    cdef int char = step(spec, p, n, i, behind, &next), words = 0, run = 0
    cdef bint fit = True, small = False
    cdef Walk* known = NULL
    if char > PARTING:
        if kind == ADDRESS:
            return char != OWN and address(spec, p, n, next, behind, True)
        i = past_glued(spec, p, n, i, behind)
        if i < 0:
            return False
        char = step(spec, p, n, i, behind, &next)
    if not behind and kind != ADDRESS:
        known = &walked.walk[kind - NUMBERS]
    while char != BREAK:
        if char == PARTING:
            i = next
            char = step(spec, p, n, i, behind, &next)
            continue
        if kind == ADDRESS:
            return address(spec, p, n, i, behind, False)
        if known != NULL:
            nearest = i if nearest < 0 else nearest
            if known.begin <= i <= known.place:
                fit = known.fit
                begin = known.begin
                break
        edge = begin = i
        while char > PARTING:
            i = next
            char = step(spec, p, n, i, behind, &next)
        fit = takes(f, spec, p + min(edge, i), max(edge, i) - min(edge, i), kind, behind, &small)
        if behind:
            run = run + 1 if small else 0
            words += not small
            fit = fit and run <= SMALL_RUN and words <= (MOST_NAMES if kind == NAMES else MOST_FIGURES)
        if not fit:
            break
    else:
        begin = i
    if known != NULL and nearest > known.place:
        known[0] = Walk(nearest, begin, fit)
    return fit


cdef void walked_forget(Walked* walked) noexcept nogil:
    """Another text comes."""
    cdef int k
    for k in range(NAMES - NUMBERS + 1):
        walked.walk[k].place = -1
    walked.token = -1


cdef int fillers_make(Fillers* f, bytes kinds, list known) except -1:
    """Keep the kinds of some strings, and the words of dates and of durations."""
    cdef bytes word
    memset(f, 0, sizeof(Fillers))
    if not any(kinds):
        return 0
    for kind in set(kinds):
        if kind >= SLOT_SIZE and not NUMBERS <= kind <= NAMES:
            raise ValueError(f"expected kinds less than {SLOT_SIZE}, or {NUMBERS} to {NAMES}, got {kind}")
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
