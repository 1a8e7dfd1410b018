"""The native core: scan and intern, LCP, maximal repeats with document frequency, token automaton, interval merge.

Sections follow the flow of data.  Only buffers and numbers cross the boundary; each kernel is a public ``def`` that
checks and allocates, and a private ``cdef`` loop that runs without the GIL.  Offsets are int64 everywhere except in
suffix arrays, where the caller chooses int32 or int64.  Arguments are IN unless a docstring says otherwise.
"""

import numpy as np

from libc.stdint cimport int32_t, int64_t, uint8_t, uint32_t, uint64_t
from libc.stdlib cimport free, malloc, realloc
from libc.string cimport memcmp, memcpy, memset, memchr

from templatemine.errors import CapacityError

cdef extern from "Python.h":
    const char* PyUnicode_AsUTF8AndSize(object text, Py_ssize_t* size) except NULL
    Py_ssize_t PyUnicode_GET_LENGTH(object text) nogil

__all__ = [
    "Matcher",
    "Stripper",
    "Tokeniser",
    "anchors",
    "code_points",
    "document_frequency",
    "form_hashes",
    "lcp_i32",
    "lcp_i64",
    "merge",
    "own_tokens",
    "reduce_tokens",
    "repeats_i32",
    "repeats_i64",
    "string_hashes",
]


# ======================================================================================================================
# Characters: separators, self-delimiting scripts, letters, digits
# ======================================================================================================================

cdef extern from *:
    """
    #include <stdint.h>
    #include <string.h>

    /* Folded 64 x 64 -> 128 bit product: mixes eight bytes of a token in one multiplication. */
    static inline uint64_t tm_mix(uint64_t a, uint64_t b) {
        __uint128_t r = (__uint128_t)a * b;
        return (uint64_t)r ^ (uint64_t)(r >> 64);
    }

    static inline uint64_t tm_load(const uint8_t *p) {
        uint64_t v;
        memcpy(&v, p, 8);
        return v;
    }

    /* Hash of n bytes; reads no byte outside [p, p + n). */
    static inline uint64_t tm_hash(const uint8_t *p, int64_t n) {
        const uint64_t k0 = 0x9E3779B97F4A7C15ull, k1 = 0xD1B54A32D192ED03ull;
        uint64_t h = k0 ^ (uint64_t)n, a, b;
        while (n > 16) {
            h = tm_mix(tm_load(p) ^ k1, tm_load(p + 8) ^ h);
            p += 16; n -= 16;
        }
        if (n >= 8) {
            a = tm_load(p); b = tm_load(p + n - 8);
        } else if (n >= 4) {
            uint32_t x, y;
            memcpy(&x, p, 4); memcpy(&y, p + n - 4, 4);
            a = x; b = y;
        } else if (n > 0) {
            a = ((uint64_t)p[0] << 16) | ((uint64_t)p[n >> 1] << 8) | p[n - 1]; b = 0;
        } else { a = 0; b = 0; }
        return tm_mix(a ^ k1, b ^ h);
    }

    /* 64 bytes at a time.  `stops`: a bit for each byte that may end a run of plain bytes: controls, blanks, `extra`
       characters, and everything beyond ASCII.  `letters`: a bit for each ASCII letter. */
    #if defined(__SSE2__)
    #include <emmintrin.h>
    static inline void tm_block(const uint8_t *p, const uint8_t *extra, int extras, uint64_t *stops, uint64_t *letters) {
        const __m128i blank = _mm_set1_epi8(32), a = _mm_set1_epi8('a'), z = _mm_set1_epi8(25);
        uint64_t s = 0, l = 0;
        for (int k = 0; k < 4; k++) {
            __m128i v = _mm_loadu_si128((const __m128i *)(p + 16 * k));
            __m128i hit = _mm_cmpeq_epi8(_mm_min_epu8(v, blank), v);
            for (int e = 0; e < extras; e++)
                hit = _mm_or_si128(hit, _mm_cmpeq_epi8(v, _mm_set1_epi8((char)extra[e])));
            s |= (uint64_t)(uint32_t)_mm_movemask_epi8(_mm_or_si128(hit, v)) << (16 * k);
            v = _mm_sub_epi8(_mm_or_si128(v, blank), a);
            l |= (uint64_t)(uint32_t)_mm_movemask_epi8(_mm_cmpeq_epi8(_mm_min_epu8(v, z), v)) << (16 * k);
        }
        *stops = s; *letters = l;
    }
    #else
    static inline void tm_block(const uint8_t *p, const uint8_t *extra, int extras, uint64_t *stops, uint64_t *letters) {
        uint64_t s = 0, l = 0;
        for (int k = 0; k < 64; k++) {
            uint8_t c = p[k];
            int hit = c <= 32 || c >= 128;
            for (int e = 0; e < extras; e++) hit |= c == extra[e];
            s |= (uint64_t)hit << k;
            l |= (uint64_t)((uint8_t)((c | 32) - 'a') < 26) << k;
        }
        *stops = s; *letters = l;
    }
    #endif

    static inline int tm_first(uint64_t x) { return __builtin_ctzll(x); }

    /* Rabin-Karp over the Mersenne prime 2^61 - 1. */
    static inline uint64_t tm_modmul(uint64_t a, uint64_t b) {
        const uint64_t M = ((uint64_t)1 << 61) - 1;
        __uint128_t r = (__uint128_t)a * b;
        uint64_t s = (uint64_t)(r & M) + (uint64_t)(r >> 61);
        return s >= M ? s - M : s;
    }
    """
    uint64_t tm_hash(const uint8_t* p, int64_t n) noexcept nogil
    uint64_t tm_mix(uint64_t a, uint64_t b) noexcept nogil
    uint64_t tm_modmul(uint64_t a, uint64_t b) noexcept nogil
    void tm_block(const uint8_t* p, const uint8_t* extra, int extras, uint64_t* stops, uint64_t* letters) noexcept nogil
    int tm_first(uint64_t x) noexcept nogil


cdef enum:
    PLAIN = 0       # part of a token
    SPACE = 1       # ASCII white space
    EXTRA = 2       # a separator that is no white space (the hyphen)
    LEAD = 3        # first byte of a character that may be white space or a token of its own
    ANGLE = 4       # '<' in HTML

cdef enum:
    WORD = 0        # token kinds
    TAG = 1
    RAW = 2         # script, style or comment: one token whatever it holds
    FIRST = 0x80    # flag: a line break stands before the token
    LETTERS = 0x40  # flag: ASCII letters only (a token may be so without the flag)
    KIND = 0x3F     # what is left without the flags

# Pattern numbers: places in patterns.TABLE counted from 1 (tests/unit/test_patterns.py holds the two together).
cdef enum:
    URL = 1
    EMAIL = 2
    HANDLE = 3
    ISO_DATE = 4
    PHONE = 5
    UUID = 6
    HEX = 7
    NUMBER = 8
    CLOCK = 9
    DATE = 10
    NUMERIC = 11
    ORDINAL = 12
    TIME = 13
    PRICE = 14
    PERCENT = 15
    ABBREVIATION = 16
    INITIALS = 17
    MERIDIEM = 18
    UPPER = 19
    RULE = 20

cdef uint8_t MARKER = 0xFF


cdef inline bint is_digit(uint8_t c) noexcept nogil:
    return 48 <= c <= 57


cdef inline bint is_lower(uint8_t c) noexcept nogil:
    return 97 <= c <= 122


cdef inline bint is_upper(uint8_t c) noexcept nogil:
    return 65 <= c <= 90


cdef inline bint is_alpha(uint8_t c) noexcept nogil:
    return is_lower(c | 32)


cdef inline bint is_alnum(uint8_t c) noexcept nogil:
    return is_digit(c) or is_alpha(c)


cdef inline uint32_t decode(const uint8_t* p, int64_t n, int* width) noexcept nogil:
    """The character at p and its width in bytes; a byte that begins none is a character of its own above Unicode."""
    cdef uint8_t c = p[0]
    if c < 0x80:
        width[0] = 1
        return c
    if 0xC2 <= c <= 0xDF and n >= 2:
        width[0] = 2
        return ((c & 0x1F) << 6) | (p[1] & 0x3F)
    if 0xE0 <= c <= 0xEF and n >= 3:
        width[0] = 3
        return ((c & 0x0F) << 12) | ((p[1] & 0x3F) << 6) | (p[2] & 0x3F)
    if 0xF0 <= c <= 0xF4 and n >= 4:
        width[0] = 4
        return ((c & 0x07) << 18) | ((p[1] & 0x3F) << 12) | ((p[2] & 0x3F) << 6) | (p[3] & 0x3F)
    width[0] = 1
    return 0x110000 + c


cdef inline bint is_wide_space(uint32_t c) noexcept nogil:
    """White space beyond ASCII (Unicode property White_Space)."""
    return (c == 0x85 or c == 0xA0 or c == 0x1680 or 0x2000 <= c <= 0x200A or c == 0x2028 or c == 0x2029 or c == 0x202F
            or c == 0x205F or c == 0x3000)


cdef inline bint is_own_token(uint32_t c) noexcept nogil:
    """Scripts written without spaces, and their punctuation: each character is a token (expressions.OWN_TOKEN)."""
    return (0x0E00 <= c <= 0x0EFF or 0x1000 <= c <= 0x109F or 0x1780 <= c <= 0x17FF or 0x3001 <= c <= 0x30FF
            or 0x31F0 <= c <= 0x31FF or 0x3400 <= c <= 0x4DBF or 0x4E00 <= c <= 0x9FFF or 0xF900 <= c <= 0xFAFF
            or 0xFF01 <= c <= 0xFF0F or 0xFF1A <= c <= 0xFF20 or 0xFF3B <= c <= 0xFF40 or 0xFF5B <= c <= 0xFF9F
            or 0x20000 <= c <= 0x3FFFF)


cdef inline bint is_letter(uint32_t c) noexcept nogil:
    """Letters as far as words of a closed list need them: what no table of punctuation, digits or symbols claims."""
    if c < 0x80:
        return is_alpha(<uint8_t>c)
    if c < 0xC0 or c == 0xD7 or c == 0xF7 or c >= 0x110000:
        return False
    if 0x0600 <= c <= 0x061F or 0x0660 <= c <= 0x066D or c == 0x06D4 or 0x06F0 <= c <= 0x06F9 or 0x0964 <= c <= 0x0965:
        return False
    if 0x0589 <= c <= 0x058A or c == 0x05BE or c == 0x05C0 or c == 0x05C3 or 0x05F3 <= c <= 0x05F4 or c == 0x037E or c == 0x0387:
        return False
    if 0x2000 <= c <= 0x2BFF or 0x3000 <= c <= 0x303F or 0xE000 <= c <= 0xF8FF or 0xFE10 <= c <= 0xFE6F or 0xFF00 <= c <= 0xFFEF:
        return False
    return c < 0x1F000


cdef inline int digit_width(const uint8_t* p, int64_t n) noexcept nogil:
    """Bytes of the decimal digit at p (ASCII, Arabic-Indic, Persian, full width), 0 if there is none."""
    if is_digit(p[0]):
        return 1
    if p[0] == 0xD9 and n >= 2 and 0xA0 <= p[1] <= 0xA9:
        return 2
    if p[0] == 0xDB and n >= 2 and 0xB0 <= p[1] <= 0xB9:
        return 2
    if p[0] == 0xEF and n >= 3 and p[1] == 0xBC and 0x90 <= p[2] <= 0x99:
        return 3
    return 0


# ======================================================================================================================
# Checks: the loops below trust their numbers, so whatever is an index is looked at first
# ======================================================================================================================

ctypedef fused index_t:
    int32_t
    int64_t


cdef int64_t _first_outside(const index_t* values, int64_t n, int64_t low, int64_t high) noexcept nogil:
    cdef int64_t i
    for i in range(n):
        if not low <= values[i] < high:
            return i
    return -1


cdef int _within(str name, const index_t[::1] values, int64_t low, int64_t high) except -1:
    """ValueError unless all values are at least `low` and less than `high`."""
    cdef int64_t place = -1
    if values.shape[0]:
        with nogil:
            place = _first_outside(&values[0], values.shape[0], low, high)
    if place >= 0:
        raise ValueError(f"{name}: expected values from {low} to {high - 1}, got {values[place]} at place {place}")
    return 0


cdef int _bounds(str name, const int64_t[::1] values, int64_t size) except -1:
    """ValueError unless the values ascend from 0 to `size`."""
    cdef int64_t i
    if values.shape[0] == 0 or values[0] != 0 or values[values.shape[0] - 1] != size:
        raise ValueError(f"{name}: expected bounds from 0 to {size}")
    for i in range(1, values.shape[0]):
        if values[i] < values[i - 1]:
            raise ValueError(f"{name}: expected ascending bounds, got {values[i - 1]} before {values[i]} at place {i}")
    return 0


# ======================================================================================================================
# Growing buffers and the interner
# ======================================================================================================================

cdef struct Ints:
    int32_t* data
    int64_t size
    int64_t room


cdef int ints_reserve(Ints* v, int64_t more) except -1 nogil:
    cdef int64_t room
    cdef void* grown
    if v.size + more > v.room:
        room = v.size + more + (v.room >> 1) + 64
        grown = realloc(v.data, room * sizeof(int32_t))
        if grown == NULL:
            raise MemoryError
        v.data = <int32_t*>grown
        v.room = room
    return 0


cdef inline int ints_push(Ints* v, int32_t value) except -1 nogil:
    if v.size == v.room:
        ints_reserve(v, 1)
    v.data[v.size] = value
    v.size += 1
    return 0


cdef struct Table:
    # Strings in one arena, open addressing by hash; a slot holds the upper half of the hash and id + 1.
    uint8_t* arena
    int64_t arena_size
    int64_t arena_room
    int64_t* offset         # string i is arena[offset[i]:offset[i + 1]]
    int64_t count
    int64_t room
    uint64_t* slots
    uint64_t mask


cdef int table_init(Table* t) except -1 nogil:
    memset(t, 0, sizeof(Table))
    t.slots = <uint64_t*>malloc(1024 * sizeof(uint64_t))
    t.offset = <int64_t*>malloc(512 * sizeof(int64_t))
    if t.slots == NULL or t.offset == NULL:
        raise MemoryError
    memset(t.slots, 0, 1024 * sizeof(uint64_t))
    t.mask = 1023
    t.room = 511
    t.offset[0] = 0
    return 0


cdef void table_free(Table* t) noexcept nogil:
    free(t.arena)
    free(t.offset)
    free(t.slots)
    memset(t, 0, sizeof(Table))


cdef int table_grow(Table* t) except -1 nogil:
    cdef uint64_t mask = t.mask * 2 + 1, slot, place
    cdef int64_t i
    cdef uint64_t* slots = <uint64_t*>malloc((mask + 1) * sizeof(uint64_t))
    if slots == NULL:
        raise MemoryError
    memset(slots, 0, (mask + 1) * sizeof(uint64_t))
    for i in range(t.count):
        slot = tm_hash(t.arena + t.offset[i], t.offset[i + 1] - t.offset[i])
        place = slot & mask
        while slots[place]:
            place = (place + 1) & mask
        slots[place] = (slot & <uint64_t>0xFFFFFFFF00000000) | <uint64_t>(i + 1)
    free(t.slots)
    t.slots = slots
    t.mask = mask
    return 0


cdef inline int64_t table_find(const Table* t, const uint8_t* p, int64_t n, uint64_t h) noexcept nogil:
    """Id of a string, or -1."""
    cdef uint64_t place = h & t.mask, slot
    cdef int64_t i
    while True:
        slot = t.slots[place]
        if slot == 0:
            return -1
        if (slot ^ h) >> 32 == 0:
            i = <int64_t>(slot & <uint64_t>0xFFFFFFFF) - 1
            if t.offset[i + 1] - t.offset[i] == n and memcmp(t.arena + t.offset[i], p, n) == 0:
                return i
        place = (place + 1) & t.mask


cdef int64_t table_insert(Table* t, const uint8_t* p, int64_t n, uint64_t h) except -1 nogil:
    """Append a string that is not there yet."""
    cdef void* grown
    cdef int64_t room
    cdef uint64_t place
    if t.count >= 0x7FFFFFFE:
        with gil:
            raise CapacityError("more than 2^31 - 2 different tokens in one source")
    if t.arena_size + n > t.arena_room:
        room = t.arena_size + n + (t.arena_room >> 1) + 4096
        grown = realloc(t.arena, room)
        if grown == NULL:
            raise MemoryError
        t.arena = <uint8_t*>grown
        t.arena_room = room
    if t.count == t.room:
        room = t.room * 2 + 1
        grown = realloc(t.offset, (room + 1) * sizeof(int64_t))
        if grown == NULL:
            raise MemoryError
        t.offset = <int64_t*>grown
        t.room = room
    memcpy(t.arena + t.arena_size, p, n)
    t.arena_size += n
    t.count += 1
    t.offset[t.count] = t.arena_size
    if <uint64_t>t.count * 2 > t.mask:
        table_grow(t)
    else:
        place = h & t.mask
        while t.slots[place]:
            place = (place + 1) & t.mask
        t.slots[place] = (h & <uint64_t>0xFFFFFFFF00000000) | <uint64_t>t.count
    return t.count - 1


cdef inline int64_t table_add(Table* t, const uint8_t* p, int64_t n) except -1 nogil:
    cdef uint64_t h = tm_hash(p, n)
    cdef int64_t found = table_find(t, p, n, h)
    if found >= 0:
        return found
    return table_insert(t, p, n, h)


# ======================================================================================================================
# Scanner: where tokens begin and end
# ======================================================================================================================

cdef struct Spec:
    uint8_t kind[256]       # PLAIN, SPACE, EXTRA, LEAD or ANGLE of each first byte
    uint8_t on[256]         # pattern numbers that are switched on
    uint8_t extra[8]        # what may end a run of plain bytes beside blanks, controls and bytes beyond ASCII
    int extras
    bint html
    Table words             # words of the closed lists
    int32_t* word_pattern   # pattern number of each


cdef struct Tokens:
    # Tokens of one document: [start, end) in bytes, kind.
    int64_t* start
    int64_t* end
    uint8_t* kind
    int64_t size
    int64_t room


cdef int tokens_grow(Tokens* t) except -1 nogil:
    cdef int64_t room = t.room * 2 + 1024
    cdef void* a = realloc(t.start, room * sizeof(int64_t))
    cdef void* b = realloc(t.end, room * sizeof(int64_t))
    cdef void* c = realloc(t.kind, room)
    if a != NULL:
        t.start = <int64_t*>a
    if b != NULL:
        t.end = <int64_t*>b
    if c != NULL:
        t.kind = <uint8_t*>c
    if a == NULL or b == NULL or c == NULL:
        raise MemoryError
    t.room = room
    return 0


cdef inline int tokens_push(Tokens* t, int64_t start, int64_t end, uint8_t kind) except -1 nogil:
    if t.size == t.room:
        tokens_grow(t)
    t.start[t.size] = start
    t.end[t.size] = end
    t.kind[t.size] = kind
    t.size += 1
    return 0


cdef void tokens_free(Tokens* t) noexcept nogil:
    free(t.start)
    free(t.end)
    free(t.kind)
    memset(t, 0, sizeof(Tokens))


cdef inline int64_t label_end(const uint8_t* p, int64_t i, int64_t n) noexcept nogil:
    """End of `[A-Za-z0-9]+(?:-+[A-Za-z0-9]+)*` at i, or i."""
    cdef int64_t end, j
    if i >= n or not is_alnum(p[i]):
        return i
    end = i
    while True:
        while end < n and is_alnum(p[end]):
            end += 1
        j = end
        while j < n and p[j] == 45:
            j += 1
        if j == end or j >= n or not is_alnum(p[j]):
            return end
        end = j


cdef inline bint in_url(uint8_t c) noexcept nogil:
    if is_alnum(c):
        return True
    return 33 <= c <= 126 and memchr(b"-._~:/?#[]@!$&'()*+,;=%", c, 23) != NULL


cdef inline bint ends_url(uint8_t c) noexcept nogil:
    if is_alnum(c):
        return True
    return 33 <= c <= 126 and memchr(b"/_~&=#+$%", c, 9) != NULL


cdef int64_t url_end(const uint8_t* p, int64_t i, int64_t n) noexcept nogil:
    cdef int64_t first, j
    if n - i > 7 and memcmp(p + i, b"http://", 7) == 0:
        first = i + 7
    elif n - i > 8 and memcmp(p + i, b"https://", 8) == 0:
        first = i + 8
    elif n - i > 4 and memcmp(p + i, b"www.", 4) == 0:
        first = i + 4
    else:
        return i
    j = first
    while j < n and in_url(p[j]):
        j += 1
    while j > first and not ends_url(p[j - 1]):
        j -= 1
    return j if j > first else i


cdef int64_t email_end(const uint8_t* p, int64_t i, int64_t n) noexcept nogil:
    cdef int64_t at = i + 1, end, dot
    if not is_alnum(p[i]):
        return i
    while at < n and at - i <= 63 and (is_alnum(p[at]) or p[at] == 46 or p[at] == 95 or p[at] == 37 or p[at] == 43 or p[at] == 45):
        at += 1
    if at >= n or p[at] != 64:
        return i
    dot = label_end(p, at + 1, n)
    end = i
    while dot > at + 1 and dot < n and p[dot] == 46:
        at = dot
        dot = label_end(p, at + 1, n)
        if dot > at + 1:
            end = dot
    return end


cdef inline bint digits(const uint8_t* p, int64_t i, int64_t n, int count) noexcept nogil:
    cdef int k
    if i + count > n:
        return False
    for k in range(count):
        if not is_digit(p[i + k]):
            return False
    return True


cdef inline bint closed(const uint8_t* p, int64_t i, int64_t n) noexcept nogil:
    """No letter or digit follows."""
    return i >= n or not is_alnum(p[i])


cdef int64_t zone_end(const uint8_t* p, int64_t i, int64_t n) noexcept nogil:
    """End of `(?:Z|[+-]dd:?dd)` at i, or i."""
    if i < n and p[i] == 90:
        return i + 1
    if i < n and (p[i] == 43 or p[i] == 45) and digits(p, i + 1, n, 2):
        if i + 3 < n and p[i + 3] == 58 and digits(p, i + 4, n, 2):
            return i + 6
        if digits(p, i + 3, n, 2):
            return i + 5
    return i


cdef int64_t iso_end(const uint8_t* p, int64_t i, int64_t n) noexcept nogil:
    """Longest closed reading first: the order in which the expression backtracks."""
    cdef int64_t date, hm, hms, frac, end
    if not (digits(p, i, n, 4) and i + 4 < n and p[i + 4] == 45 and digits(p, i + 5, n, 2) and i + 7 < n and p[i + 7] == 45
            and digits(p, i + 8, n, 2)):
        return i
    date = i + 10
    if date < n and p[date] == 84 and digits(p, date + 1, n, 2) and date + 3 < n and p[date + 3] == 58 and digits(p, date + 4, n, 2):
        hm = date + 6
        if hm < n and p[hm] == 58 and digits(p, hm + 1, n, 2):
            hms = hm + 3
            if hms < n and p[hms] == 46 and digits(p, hms + 1, n, 1):
                frac = hms + 1
                while frac < n and is_digit(p[frac]):
                    frac += 1
                end = zone_end(p, frac, n)
                if end > frac and closed(p, end, n):
                    return end
                if closed(p, frac, n):
                    return frac
            end = zone_end(p, hms, n)
            if end > hms and closed(p, end, n):
                return end
            if closed(p, hms, n):
                return hms
        end = zone_end(p, hm, n)
        if end > hm and closed(p, end, n):
            return end
        if closed(p, hm, n):
            return hm
    return date if closed(p, date, n) else i


cdef inline bint is_joint(uint8_t c) noexcept nogil:
    return c == 45 or c == 46


cdef int64_t phone_core(const uint8_t* p, int64_t i, int64_t n) noexcept nogil:
    cdef int64_t j
    if i + 5 <= n and p[i] == 40 and digits(p, i + 1, n, 3) and p[i + 4] == 41:
        j = i + 5
    elif digits(p, i, n, 3) and i + 3 < n and is_joint(p[i + 3]):
        j = i + 4
    else:
        return -1
    if digits(p, j, n, 3) and j + 3 < n and is_joint(p[j + 3]) and digits(p, j + 4, n, 4) and closed(p, j + 8, n):
        return j + 8
    return -1


cdef int64_t phone_end(const uint8_t* p, int64_t i, int64_t n) noexcept nogil:
    cdef int64_t j = i + (1 if p[i] == 43 else 0), k, end
    k = j
    while k < n and k - j < 3 and is_digit(p[k]):
        k += 1
    if k > j and k < n and is_joint(p[k]):
        end = phone_core(p, k + 1, n)
        if end >= 0:
            return end
    end = phone_core(p, i, n)
    return end if end >= 0 else i


cdef inline bint is_hex(uint8_t c) noexcept nogil:
    return is_digit(c) or 97 <= c <= 102


cdef inline int64_t hex_run(const uint8_t* p, int64_t i, int64_t n, int64_t count) noexcept nogil:
    cdef int64_t k = i
    while k < n and k - i < count and is_hex(p[k]):
        k += 1
    return k - i


cdef int64_t uuid_end(const uint8_t* p, int64_t i, int64_t n) noexcept nogil:
    if (i + 36 <= n and p[i + 8] == 45 and p[i + 13] == 45 and p[i + 18] == 45 and p[i + 23] == 45 and hex_run(p, i, n, 8) == 8
            and hex_run(p, i + 9, n, 4) == 4 and hex_run(p, i + 14, n, 4) == 4 and hex_run(p, i + 19, n, 4) == 4
            and hex_run(p, i + 24, n, 12) == 12 and closed(p, i + 36, n)):
        return i + 36
    return i


cdef int64_t hex_end(const uint8_t* p, int64_t i, int64_t n) noexcept nogil:
    cdef int64_t k = i
    cdef bint digit = False, letter = False
    while k < n and is_hex(p[k]):
        if is_digit(p[k]):
            digit = True
        else:
            letter = True
        k += 1
    return k if k - i >= 8 and digit and letter and closed(p, k, n) else i


cdef int64_t mark_at(const uint8_t* p, int64_t i, int64_t n, const uint8_t* on, int* pattern) noexcept nogil:
    """End of the mark that begins at i, or i.  The order of the tests is the order of patterns.TABLE."""
    cdef int64_t end
    if i > 0 and is_alnum(p[i - 1]):
        return i
    if on[URL]:
        end = url_end(p, i, n)
        if end > i:
            pattern[0] = URL
            return end
    if on[EMAIL]:
        end = email_end(p, i, n)
        if end > i:
            pattern[0] = EMAIL
            return end
    if on[HANDLE] and p[i] == 64:
        end = i + 1
        while end < n and (is_alnum(p[end]) or p[end] == 95):
            end += 1
        if end > i + 1:
            pattern[0] = HANDLE
            return end
    if on[ISO_DATE]:
        end = iso_end(p, i, n)
        if end > i:
            pattern[0] = ISO_DATE
            return end
    if on[PHONE]:
        end = phone_end(p, i, n)
        if end > i:
            pattern[0] = PHONE
            return end
    if on[UUID]:
        end = uuid_end(p, i, n)
        if end > i:
            pattern[0] = UUID
            return end
    if on[HEX]:
        end = hex_end(p, i, n)
        if end > i:
            pattern[0] = HEX
            return end
    return i


cdef bint may_hold_mark(const uint8_t* p, int64_t n) noexcept nogil:
    """A cheap test that every mark passes: an at-sign, a digit, "://" or "www."."""
    cdef int64_t i
    cdef uint8_t c
    for i in range(n):
        c = p[i]
        if is_digit(c) or c == 64 or (c == 47 and i > 0 and p[i - 1] == 58):
            return True
        if c == 119 and n - i > 4 and memcmp(p + i, b"www.", 4) == 0:
            return True
    return False


cdef int scan_chunk(const Spec* spec, const uint8_t* p, int64_t start, int64_t end, Tokens* out) except -1 nogil:
    """Tokens of a chunk (no white space, no tag, no character of its own) that holds separators: marks keep theirs."""
    cdef int64_t i = start, first = -1, after
    cdef int pattern = 0
    cdef bint marks = may_hold_mark(p + start, end - start)
    while i < end:
        if marks:
            # The chunk's edge is the edge of the text for a mark: what stands before is no letter or digit.
            after = start + mark_at(p + start, i - start, end - start, spec.on, &pattern)
            if after > i:
                if first < 0:
                    first = i
                i = after
                continue
        if spec.kind[p[i]] == EXTRA:
            if first >= 0:
                tokens_push(out, first, i, WORD)
                first = -1
        elif first < 0:
            first = i
        i += 1
    if first >= 0:
        tokens_push(out, first, end, WORD)
    return 0


cdef inline bint same_letters(const uint8_t* p, const char* word, int64_t n) noexcept nogil:
    cdef int64_t i
    for i in range(n):
        if (p[i] | 32) != <uint8_t>word[i]:
            return False
    return True


cdef int64_t find_close(const uint8_t* p, int64_t i, int64_t n, const char* name, int64_t size) noexcept nogil:
    """End of `</name ...>` at or after i; n if the element is never closed."""
    cdef const void* hit
    cdef int64_t j
    while i < n:
        hit = memchr(p + i, 60, n - i)
        if hit == NULL:
            return n
        i = <const uint8_t*>hit - p
        if i + 2 + size <= n and p[i + 1] == 47 and same_letters(p + i + 2, name, size) and closed(p, i + 2 + size, n):
            j = i + 2 + size
            hit = memchr(p + j, 62, n - j)
            return n if hit == NULL else <const uint8_t*>hit - p + 1
        i += 1
    return n


cdef int64_t tag_end(const uint8_t* p, int64_t i, int64_t n, uint8_t* kind) noexcept nogil:
    """End of the mark-up that begins with '<' at i, or i if there is none.  A tag ends at its first '>'."""
    cdef const void* hit
    cdef int64_t j
    if i + 1 >= n or not (is_alpha(p[i + 1]) or p[i + 1] == 47 or p[i + 1] == 33 or p[i + 1] == 63):
        return i
    if i + 3 < n and p[i + 1] == 33 and p[i + 2] == 45 and p[i + 3] == 45:
        kind[0] = RAW
        j = i + 4
        while j < n:
            hit = memchr(p + j, 62, n - j)
            if hit == NULL:
                return n
            j = <const uint8_t*>hit - p + 1
            if p[j - 2] == 45 and p[j - 3] == 45 and j - 3 >= i + 2:
                return j
        return n
    hit = memchr(p + i, 62, n - i)
    j = n if hit == NULL else <const uint8_t*>hit - p + 1
    kind[0] = TAG
    if i + 7 <= n and same_letters(p + i + 1, "script", 6) and closed(p, i + 7, n):
        kind[0] = RAW
        return find_close(p, j, n, "script", 6)
    if i + 6 <= n and same_letters(p + i + 1, "style", 5) and closed(p, i + 6, n):
        kind[0] = RAW
        return find_close(p, j, n, "style", 5)
    return j


cdef struct Blocks:
    # The text in blocks of 64 bytes; the last one is padded with blanks.
    const uint8_t* text
    int64_t size
    int64_t block           # number of the block that is loaded, or -1
    uint64_t stops
    uint64_t letters


cdef void load_block(const Spec* spec, Blocks* b, int64_t block) noexcept nogil:
    cdef uint8_t tail[64]
    cdef int64_t begin = block * 64
    if begin + 64 <= b.size:
        tm_block(b.text + begin, &spec.extra[0], spec.extras, &b.stops, &b.letters)
    else:
        memset(tail, 32, 64)
        memcpy(tail, b.text + begin, b.size - begin)
        tm_block(tail, &spec.extra[0], spec.extras, &b.stops, &b.letters)
    b.block = block


cdef inline int64_t next_stop(const Spec* spec, Blocks* b, int64_t i) noexcept nogil:
    """First place at or after i that may end a run of plain bytes; b.size if there is none."""
    cdef uint64_t rest
    while i < b.size:
        if i >> 6 != b.block:
            load_block(spec, b, i >> 6)
        rest = b.stops >> (i & 63)
        if rest:
            i += tm_first(rest)
            return i if i < b.size else b.size
        i = (i | 63) + 1
    return b.size


cdef inline uint8_t only_letters(const Blocks* b, int64_t start, int64_t end) noexcept nogil:
    """LETTERS if [start, end) lies in the loaded block and holds ASCII letters only, else 0."""
    cdef int64_t size = end - start
    if start >> 6 != b.block or (end - 1) >> 6 != b.block or size > 63:
        return 0
    return LETTERS if (~(b.letters >> (start & 63))) & ((<uint64_t>1 << size) - 1) == 0 else 0


cdef int scan(const Spec* spec, const uint8_t* p, int64_t n, Tokens* out) except -1 nogil:
    """All tokens of a document, in order, into `out` (OUT; emptied first)."""
    cdef int64_t i = 0, start, after
    cdef uint8_t k, kind = WORD
    cdef uint32_t c
    cdef int width = 0
    cdef bint hyphens
    cdef uint8_t first = FIRST
    cdef int64_t size
    cdef Blocks blocks
    blocks.text = p
    blocks.size = n
    blocks.block = -1
    blocks.stops = 0
    blocks.letters = 0
    out.size = 0
    while i < n:
        k = spec.kind[p[i]]
        if k == SPACE or (k == EXTRA and p[i] != 64 and p[i] != 43 and p[i] != 40):
            if p[i] == 10:
                first = FIRST
            i += 1
            continue
        if k == LEAD:
            c = decode(p + i, n - i, &width)
            if is_wide_space(c):
                if c == 0x2028 or c == 0x2029:
                    first = FIRST
                i += width
                continue
            if is_own_token(c):
                tokens_push(out, i, i + width, WORD | first)
                first = 0
                i += width
                continue
        elif k == ANGLE:
            after = tag_end(p, i, n, &kind)
            if after > i:
                tokens_push(out, i, after, kind | first)
                first = 0
                i = after
                continue
        start = i
        # Where '@', '+' or '(' parts tokens it may still be the first character of a mark, so it is looked at in its chunk.
        hyphens = k == EXTRA
        while True:
            i = next_stop(spec, &blocks, i + (width if k == LEAD else 1))
            if i >= n:
                break
            k = spec.kind[p[i]]
            if k == SPACE:
                break
            if k == EXTRA:
                # A separator at the end of the chunk needs no second look.
                hyphens = True
            elif k == LEAD:
                c = decode(p + i, n - i, &width)
                if is_wide_space(c) or is_own_token(c):
                    break
            elif k == ANGLE and tag_end(p, i, n, &kind) > i:
                break
        if hyphens:
            size = out.size
            scan_chunk(spec, p, start, i, out)
            if out.size > size:
                out.kind[size] |= first
                first = 0
        else:
            tokens_push(out, start, i, WORD | first | only_letters(&blocks, start, i))
            first = 0
    return 0


# ======================================================================================================================
# Normaliser: the form of a token type
# ======================================================================================================================

cdef int64_t letters_end(const uint8_t* p, int64_t i, int64_t n) noexcept nogil:
    cdef int width = 0
    while i < n and is_letter(decode(p + i, n - i, &width)):
        i += width
    return i


cdef int64_t number_end(const uint8_t* p, int64_t i, int64_t n, int* pattern) noexcept nogil:
    """Digits with single joints between them; the kinds of joint choose number, clock, date or the mixed numeric."""
    cdef int joints = 0, width
    cdef uint8_t c
    while True:
        width = digit_width(p + i, n - i)
        while width:
            i += width
            width = digit_width(p + i, n - i) if i < n else 0
        if i + 1 >= n or digit_width(p + i + 1, n - i - 1) == 0:
            break
        c = p[i]
        if c == 46 or c == 44:
            joints |= 1
        elif c == 58:
            joints |= 2
        elif c == 47 or c == 92:
            joints |= 4
        else:
            break
        i += 1
    pattern[0] = NUMBER if joints <= 1 else CLOCK if joints == 2 else DATE if joints == 4 else NUMERIC
    return i


cdef int64_t dotted_meridiem(const uint8_t* p, int64_t i, int64_t n) noexcept nogil:
    """End of `[ap]\\.m\\.` at i, or i."""
    if i + 4 <= n and (p[i] == 97 or p[i] == 112) and p[i + 1] == 46 and p[i + 2] == 109 and p[i + 3] == 46:
        return i + 4
    return i


cdef int64_t after_number(const uint8_t* p, int64_t i, int64_t n, const uint8_t* on, int* pattern) noexcept nogil:
    """What may follow digits and make them an ordinal, a time or a percentage."""
    cdef int64_t end = letters_end(p, i, n)
    cdef uint8_t a, b
    if end == i + 2:
        a = p[i]
        b = p[i + 1]
        if pattern[0] == NUMBER and on[ORDINAL] and (
                (a == 115 and b == 116) or (a == 110 and b == 100) or (a == 114 and b == 100) or (a == 116 and b == 104)):
            pattern[0] = ORDINAL
            return end
        if on[TIME] and pattern[0] <= CLOCK and (((a == 97 or a == 112) and b == 109) or ((a == 65 or a == 80) and b == 77)):
            pattern[0] = TIME
            return end
    elif end == i + 1 and on[TIME] and pattern[0] <= CLOCK:
        end = dotted_meridiem(p, i, n)
        if end > i and letters_end(p, end, n) == end:
            pattern[0] = TIME
            return end
    elif end == i and pattern[0] == NUMBER and on[PERCENT] and i < n:
        if p[i] == 37:
            pattern[0] = PERCENT
            return i + 1
        if i + 2 <= n and p[i] == 0xD9 and p[i + 1] == 0xAA:
            pattern[0] = PERCENT
            return i + 2
    return i


cdef inline int currency_width(const uint8_t* p, int64_t n) noexcept nogil:
    if p[0] == 36:
        return 1
    if p[0] == 0xC2 and n >= 2 and (p[1] == 0xA3 or p[1] == 0xA5):
        return 2
    if p[0] == 0xE2 and n >= 3 and p[1] == 0x82 and (p[2] == 0xAC or p[2] == 0xB9):
        return 3
    return 0


cdef inline int rule_width(const uint8_t* p, int64_t n) noexcept nogil:
    cdef uint8_t c = p[0]
    if c == 95 or c == 61 or c == 42 or c == 126 or c == 35:
        return 1
    if c == 0xE2 and n >= 3 and ((p[1] == 0x80 and 0x93 <= p[2] <= 0x95) or (p[1] == 0x94 and 0x80 <= p[2] <= 0x81)):
        return 3
    return 0


cdef bint all_upper(const uint8_t* p, int64_t i, int64_t end) noexcept nogil:
    """At least two characters, all in A-Z or the capitals of Latin-1."""
    cdef int count = 0
    while i < end:
        if is_upper(p[i]):
            i += 1
        elif p[i] == 0xC3 and 0x80 <= p[i + 1] <= 0x9E and p[i + 1] != 0x97:
            i += 2
        else:
            return False
        count += 1
    return count >= 2


cdef int64_t letters_form(const Spec* spec, const uint8_t* p, int64_t i, int64_t n, int* pattern) noexcept nogil:
    """The run of letters at i: end of what a pattern takes (pattern > 0) or of the literal run (pattern = 0)."""
    cdef int64_t end = letters_end(p, i, n), k, found
    cdef const uint8_t* on = &spec.on[0]
    pattern[0] = 0
    if on[ABBREVIATION] and 2 <= end - i <= 5 and end < n and p[end] == 46 and is_upper(p[i]):
        k = i
        while k < end and is_alpha(p[k]):
            k += 1
        if k == end:
            pattern[0] = ABBREVIATION
            return end + 1
    if end == i + 1:
        if on[INITIALS] and is_upper(p[i]):
            k = i
            while k + 1 < n and is_upper(p[k]) and p[k + 1] == 46 and letters_end(p, k, n) == k + 1:
                k += 2
            if k - i >= 4:
                pattern[0] = INITIALS
                return k
        if on[MERIDIEM]:
            k = dotted_meridiem(p, i, n)
            if k > i:
                pattern[0] = MERIDIEM
                return k
    if spec.words.count and end - i <= 32:
        found = table_find(&spec.words, p + i, end - i, tm_hash(p + i, end - i))
        if found >= 0:
            pattern[0] = spec.word_pattern[found]
            return end
    if on[UPPER] and all_upper(p, i, end):
        pattern[0] = UPPER
    return end


cdef int64_t normalise_plain(const Spec* spec, const uint8_t* p, int64_t n, uint8_t* out) noexcept nogil:
    """Form of a stretch without marks: shapes and words in their place, everything else as it stands."""
    cdef uint8_t* o = out
    cdef int64_t i = 0, end, k
    cdef int pattern = 0, width = 0
    cdef const uint8_t* on = &spec.on[0]
    while i < n:
        end = i
        if p[i] == MARKER and i + 1 < n:
            end = i + 2
            pattern = 0
        elif on[NUMBER] and digit_width(p + i, n - i):
            end = number_end(p, i, n, &pattern)
            end = after_number(p, end, n, on, &pattern) if end < n else end
        elif on[RULE] and rule_width(p + i, n - i):
            k = 0
            while end < n and rule_width(p + end, n - end):
                end += rule_width(p + end, n - end)
                k += 1
            pattern = RULE if k >= 3 else 0
        elif is_letter(decode(p + i, n - i, &width)):
            end = letters_form(spec, p, i, n, &pattern)
        else:
            pattern = 0
            end = i + width
            if on[PRICE]:
                width = currency_width(p + i, n - i)
                if width and i + width < n and digit_width(p + i + width, n - i - width):
                    k = number_end(p, i + width, n, &pattern)
                    if k < n:
                        # "$5am" is a sign and a time, as "$5:30am" is: a form must not depend on which joints a number has.
                        k = after_number(p, k, n, on, &pattern)
                    if pattern == NUMBER:
                        pattern = PRICE
                        end = k
                    else:
                        pattern = 0
        if pattern:
            o[0] = MARKER
            o[1] = <uint8_t>pattern
            o += 2
        else:
            memcpy(o, p + i, end - i)
            o += end - i
        i = end
    return o - out


cdef int64_t normalise(const Spec* spec, const uint8_t* p, int64_t n, uint8_t* out) noexcept nogil:
    """Form of a word token; `out` (OUT) has room for 2 n bytes.  Returns the form's length."""
    cdef int64_t i = 0, first = 0, end, size = 0
    cdef int pattern = 0
    if may_hold_mark(p, n):
        while i < n:
            end = mark_at(p, i, n, &spec.on[0], &pattern)
            if end == i:
                i += 1
                continue
            size += normalise_plain(spec, p + first, i - first, out + size)
            out[size] = MARKER
            out[size + 1] = <uint8_t>pattern
            size += 2
            i = end
            first = end
    return size + normalise_plain(spec, p + first, n - first, out + size)


cdef int64_t attribute(const uint8_t* p, int64_t i, int64_t n, int64_t* name_end, int64_t* value, int64_t* value_end) noexcept nogil:
    """One attribute at or after i: [i', name_end) and [value, value_end).  Returns i' or n when there is none left."""
    cdef uint8_t quote
    while i < n and (p[i] <= 32 or p[i] == 47):
        i += 1
    if i >= n:
        return n
    # An equals sign in front belongs to the name (HTML standard, 13.2.5.32).
    name_end[0] = i + 1
    while name_end[0] < n and p[name_end[0]] > 32 and p[name_end[0]] != 61 and p[name_end[0]] != 47:
        name_end[0] += 1
    value[0] = name_end[0]
    while value[0] < n and p[value[0]] <= 32:
        value[0] += 1
    if value[0] >= n or p[value[0]] != 61:
        value[0] = name_end[0]
        value_end[0] = name_end[0]
        return i
    value[0] += 1
    while value[0] < n and p[value[0]] <= 32:
        value[0] += 1
    if value[0] < n and (p[value[0]] == 34 or p[value[0]] == 39):
        quote = p[value[0]]
        value[0] += 1
        value_end[0] = value[0]
        while value_end[0] < n and p[value_end[0]] != quote:
            value_end[0] += 1
    else:
        value_end[0] = value[0]
        while value_end[0] < n and p[value_end[0]] > 32:
            value_end[0] += 1
    return i


cdef uint8_t* put_value(const Spec* spec, const uint8_t* p, int64_t i, int64_t end, uint8_t* o) noexcept nogil:
    """An attribute's value with runs of white space as one blank and runs of ASCII digits as numbers."""
    cdef bint any_yet = False, blank = False
    while i < end:
        if p[i] <= 32:
            blank = True
            i += 1
            continue
        if blank and any_yet:
            o[0] = 32
            o += 1
        blank = False
        any_yet = True
        if spec.on[NUMBER] and is_digit(p[i]):
            while i < end and is_digit(p[i]):
                i += 1
            o[0] = MARKER
            o[1] = NUMBER
            o += 2
        else:
            o[0] = p[i]
            o += 1
            i += 1
    return o


cdef int64_t tag_form(const Spec* spec, const uint8_t* p, int64_t n, uint8_t kind, uint8_t* out) noexcept nogil:
    """Form of a tag: its name in lower case, class and id; `out` (OUT) has room for 2 n + 32 bytes."""
    cdef uint8_t* o = out
    cdef int64_t i = 1, j, end, name_end = 0, value = 0, value_end = 0
    cdef int which
    cdef const char* names = "classid"
    cdef bint wanted
    if kind == RAW:
        if p[1] == 33:
            memcpy(out, b"<!---->", 7)
            return 7
        if (p[2] | 32) == 99:
            memcpy(out, b"<script>", 8)
            return 8
        memcpy(out, b"<style>", 7)
        return 7
    end = n - 1 if p[n - 1] == 62 else n
    o[0] = 60
    o += 1
    if i < end and p[i] == 47:
        o[0] = 47
        o += 1
        i += 1
    while i < end and p[i] > 32 and p[i] != 47:
        o[0] = (p[i] | 32) if is_upper(p[i]) else p[i]
        o += 1
        i += 1
    if is_alpha(p[1]):
        for which in range(2):
            j = attribute(p, i, end, &name_end, &value, &value_end)
            while j < end:
                if which == 0:
                    wanted = name_end - j == 5 and same_letters(p + j, names, 5)
                else:
                    wanted = name_end - j == 2 and same_letters(p + j, names + 5, 2)
                if wanted and value_end > value:
                    memcpy(o, b" class=\"" if which == 0 else b" id=\"", 8 if which == 0 else 5)
                    o += 8 if which == 0 else 5
                    o = put_value(spec, p, value, value_end, o)
                    o[0] = 34
                    o += 1
                    break
                j = attribute(p, max(value_end + 1, name_end), end, &name_end, &value, &value_end)
    if end < n:
        o[0] = 62
        o += 1
    return o - out


cdef class _Scanner:
    """What Tokeniser and Matcher share: the Spec.

    Parameters
    ----------
    separators : bytes
        ASCII punctuation that parts tokens beside white space.
    mask : bytes, 256
        1 at the number of each pattern that is on.
    words, numbers : list of bytes, list of int
        Words of the closed lists and the pattern number of each.
    html : bool
        Tags, scripts, styles and comments are tokens.
    """

    cdef Spec spec

    def __cinit__(self, bytes separators, bytes mask, list words, list numbers, bint html, *rest):
        cdef int i
        cdef bytes word
        memset(&self.spec, 0, sizeof(Spec))
        if len(mask) != 256:
            raise ValueError(f"expected a mask of 256 bytes, got {len(mask)}")
        if len(words) != len(numbers):
            raise ValueError(f"expected a pattern number for each word, got {len(numbers)} for {len(words)}")
        for i in (9, 10, 11, 12, 13, 32):
            self.spec.kind[i] = SPACE
        for i in (0xC2, 0xE0, 0xE1, 0xE2, 0xE3, 0xE4, 0xE5, 0xE6, 0xE7, 0xE8, 0xE9, 0xEF, 0xF0):
            self.spec.kind[i] = LEAD
        if len(separators) > 7:
            raise ValueError(f"expected at most 7 separators, got {len(separators)}")
        for i in separators:
            if not 33 <= i <= 126 or is_alnum(<uint8_t>i):
                raise ValueError(f"expected ASCII punctuation as separators, got byte {i}")
            self.spec.kind[i] = EXTRA
            self.spec.extra[self.spec.extras] = <uint8_t>i
            self.spec.extras += 1
        if html:
            self.spec.kind[60] = ANGLE
            self.spec.extra[self.spec.extras] = 60
            self.spec.extras += 1
        self.spec.html = html
        memcpy(self.spec.on, <const uint8_t*>mask, 256)
        table_init(&self.spec.words)
        self.spec.word_pattern = <int32_t*>malloc((len(words) + 1) * sizeof(int32_t))
        if self.spec.word_pattern == NULL:
            raise MemoryError
        for i, word in enumerate(words):
            if table_add(&self.spec.words, <const uint8_t*>word, len(word)) != i:
                raise ValueError(f"the word {word!r} stands in two patterns")
            if not 1 <= numbers[i] <= 255:
                raise ValueError(f"expected pattern numbers from 1 to 255, got {numbers[i]}")
            self.spec.word_pattern[i] = numbers[i]

    def __dealloc__(self):
        table_free(&self.spec.words)
        free(self.spec.word_pattern)

    def token_spans(self, const uint8_t[::1] document not None):
        """Tokens of a document.

        Returns
        -------
        starts, ends : int64 arrays
            In bytes, end exclusive.
        kinds : uint8 array
            0 word, 1 tag, 2 script, style or comment.
        """
        cdef Tokens tokens
        memset(&tokens, 0, sizeof(Tokens))
        cdef const uint8_t* p = &document[0] if document.shape[0] else NULL
        try:
            with nogil:
                scan(&self.spec, p, document.shape[0], &tokens)
            return (_copy(tokens.start, tokens.size * 8, np.int64), _copy(tokens.end, tokens.size * 8, np.int64),
                    _copy(tokens.kind, tokens.size, np.uint8) & KIND)
        finally:
            tokens_free(&tokens)

    def form(self, bytes token, int kind=0):
        """Form of one token of the given kind, as bytes."""
        if not token:
            raise ValueError("expected a token, got an empty string")
        if not WORD <= kind <= RAW:
            raise ValueError(f"expected a kind from {WORD} to {RAW}, got {kind}")
        if kind != WORD and (token[:1] != b"<" or len(token) < (2 if kind == TAG else 4)):
            raise ValueError(f"expected mark-up, got {token!r}")
        cdef bytearray room = bytearray(2 * len(token) + 32)
        cdef const uint8_t* p = token
        cdef uint8_t* o = room
        if kind == WORD:
            return bytes(room[: normalise(&self.spec, p, len(token), o)])
        return bytes(room[: tag_form(&self.spec, p, len(token), kind, o)])


cdef object _copy(const void* data, int64_t size, object dtype):
    """A new array of `dtype` with `size` bytes from `data`."""
    cdef uint8_t[::1] view
    out = np.empty(size // np.dtype(dtype).itemsize, dtype)
    if size:
        view = out.view(np.uint8)
        memcpy(&view[0], data, size)
    return out


cdef class Tokeniser(_Scanner):
    """Documents in, ids of normalised tokens out.

    A raw token is interned as a type; the form of a type is found once, when the type is first seen.  With `lines` (last
    argument) a form of its own, id 0, stands before the first token of each line.
    """

    cdef Table types
    cdef Table forms
    cdef Ints form_of       # form id of each type
    cdef Ints tokens        # form id of each token
    cdef Tokens scratch
    cdef uint8_t* room
    cdef int64_t room_size
    cdef bint lines
    cdef list starts

    def __cinit__(self, bytes separators, bytes mask, list words, list numbers, bint html, bint lines=False):
        memset(&self.form_of, 0, sizeof(Ints))
        memset(&self.tokens, 0, sizeof(Ints))
        memset(&self.scratch, 0, sizeof(Tokens))
        self.room = NULL
        self.room_size = 0
        table_init(&self.types)
        table_init(&self.forms)
        self.lines = lines
        if lines:
            table_add(&self.forms, b"\n", 1)
        self.starts = [0]

    def __dealloc__(self):
        table_free(&self.types)
        table_free(&self.forms)
        free(self.form_of.data)
        free(self.tokens.data)
        tokens_free(&self.scratch)
        free(self.room)

    def add(self, const uint8_t[::1] document not None):
        """Tokenise one more document (UTF-8)."""
        cdef const uint8_t* p = &document[0] if document.shape[0] else NULL
        cdef int64_t n = document.shape[0]
        with nogil:
            self._add(p, n)
        self.starts.append(self.tokens.size)

    cdef int _add(self, const uint8_t* p, int64_t n) except -1 nogil:
        cdef int64_t i, type_id, form_id, size
        cdef uint8_t kind
        cdef uint64_t h
        cdef const uint8_t* q
        scan(&self.spec, p, n, &self.scratch)
        ints_reserve(&self.tokens, self.scratch.size)
        for i in range(self.scratch.size):
            q = p + self.scratch.start[i]
            size = self.scratch.end[i] - self.scratch.start[i]
            if self.lines and self.scratch.kind[i] & FIRST:
                ints_push(&self.tokens, 0)
            kind = self.scratch.kind[i] & KIND
            if kind != WORD:
                # Tags are normalised at once: with their links they hardly ever come twice.
                form_id = self._form(q, size, kind)
            else:
                h = tm_hash(q, size)
                type_id = table_find(&self.types, q, size, h)
                if type_id < 0:
                    table_insert(&self.types, q, size, h)
                    form_id = self._form(q, size, WORD)
                    ints_push(&self.form_of, <int32_t>form_id)
                else:
                    form_id = self.form_of.data[type_id]
            ints_push(&self.tokens, <int32_t>form_id)
        return 0

    cdef int64_t _form(self, const uint8_t* p, int64_t n, uint8_t kind) except -1 nogil:
        cdef void* grown
        if 2 * n + 32 > self.room_size:
            grown = realloc(self.room, 2 * n + 4096)
            if grown == NULL:
                raise MemoryError
            self.room = <uint8_t*>grown
            self.room_size = 2 * n + 4096
        if kind == WORD:
            n = normalise(&self.spec, p, n, self.room)
        else:
            n = tag_form(&self.spec, p, n, kind, self.room)
        return table_add(&self.forms, self.room, n)

    def finish(self):
        """End of input.

        Returns
        -------
        forms : int32 array, shape (tokens,)
        doc_starts : int64 array, shape (documents + 1,)
        arena : uint8 array
            All forms, one after the other.
        offsets : int64 array, shape (forms + 1,)
            Form i is ``arena[offsets[i]:offsets[i + 1]]``.
        """
        return (
            _copy(self.tokens.data, self.tokens.size * 4, np.int32),
            np.array(self.starts, dtype=np.int64),
            _copy(self.forms.arena, self.forms.arena_size, np.uint8),
            _copy(self.forms.offset, (self.forms.count + 1) * 8, np.int64),
        )


# ======================================================================================================================
# Reduction: document frequency of forms, breaks for rare ones
# ======================================================================================================================

def document_frequency(const int32_t[::1] forms not None, const int64_t[::1] doc_starts not None, int64_t form_count):
    """Distinct documents that hold each form: int32 array of shape (form_count,).  O(tokens)."""
    _within("forms", forms, 0, form_count)
    _bounds("doc_starts", doc_starts, forms.shape[0])
    cdef int32_t[::1] df = np.zeros(max(form_count, 1), np.int32)
    cdef int32_t[::1] last = np.full(max(form_count, 1), -1, np.int32)
    cdef int64_t d, i
    cdef int32_t f
    with nogil:
        for d in range(doc_starts.shape[0] - 1):
            for i in range(doc_starts[d], doc_starts[d + 1]):
                f = forms[i]
                if last[f] != d:
                    last[f] = <int32_t>d
                    df[f] += 1
    return np.asarray(df)[:form_count]


def reduce_tokens(const int32_t[::1] forms not None, const int64_t[::1] doc_starts not None, const int32_t[::1] symbol_of not None,
                  bint lines=False):
    """Renumber forms and put breaks where `symbol_of` is 0; neighbouring breaks become one, every document ends with one.

    Parameters
    ----------
    lines : bool
        Form 0 is the line break; it is not counted in `token_of`.

    Returns
    -------
    symbols, doc_of, token_of : int32 arrays of equal length
        Symbol, document and place in the document (in tokens) of each position.
    edges : uint8 array of the same length
        1 first token of its line, 2 last token of its line (document ends are line ends too).
    """
    _within("forms", forms, 0, symbol_of.shape[0])
    _bounds("doc_starts", doc_starts, forms.shape[0])
    cdef int64_t documents = doc_starts.shape[0] - 1
    cdef int32_t[::1] symbols = np.empty(forms.shape[0] + documents, np.int32)
    cdef int32_t[::1] doc_of = np.empty(forms.shape[0] + documents, np.int32)
    cdef int32_t[::1] token_of = np.empty(forms.shape[0] + documents, np.int32)
    cdef uint8_t[::1] edges = np.zeros(forms.shape[0] + documents, np.uint8)
    cdef int64_t d, i, size = 0, token, begin, end
    cdef int32_t s, before
    cdef uint8_t edge
    with nogil:
        for d in range(documents):
            before = 0
            token = 0
            begin = doc_starts[d]
            end = doc_starts[d + 1]
            for i in range(begin, end + 1):
                s = symbol_of[forms[i]] if i < end else 0
                if s != 0 or before != 0:
                    edge = 0
                    if i == begin or (lines and forms[i - 1] == 0):
                        edge = 1
                    if i + 1 >= end or (lines and forms[i + 1] == 0):
                        edge |= 2
                    symbols[size] = s
                    doc_of[size] = <int32_t>d
                    token_of[size] = <int32_t>token
                    edges[size] = edge
                    size += 1
                before = s
                token += i < end and not (lines and forms[i] == 0)
    return (np.asarray(symbols)[:size].copy(), np.asarray(doc_of)[:size].copy(), np.asarray(token_of)[:size].copy(),
            np.asarray(edges)[:size].copy())


# ======================================================================================================================
# LCP: Kasai, Lee, Arimura, Arikawa and Park (2001), in the order of the text, stopped at breaks
# ======================================================================================================================

cdef void _lcp(const int32_t* text, int64_t n, const index_t* sa, index_t* plcp, index_t* lcp) noexcept nogil:
    # plcp first holds phi: the suffix that stands before suffix i in the suffix array (Karkkainen, Manzini, Puglisi 2009).
    cdef int64_t i, j, h = 0
    plcp[sa[0]] = -1
    for i in range(1, n):
        plcp[sa[i]] = sa[i - 1]
    for i in range(n):
        j = plcp[i]
        if j < 0:
            h = 0
        else:
            while i + h < n and j + h < n and text[i + h] != 0 and text[i + h] == text[j + h]:
                h += 1
        plcp[i] = <index_t>h
        if h > 0:
            h -= 1
    for i in range(n):
        lcp[i] = plcp[sa[i]]


def lcp_i32(const int32_t[::1] text not None, const int32_t[::1] sa not None):
    """Longest common prefix array of `text`, no break inside a prefix.

    Parameters
    ----------
    text : int32, shape (n,)
        Symbols; 0 is the break and equals nothing, itself included.
    sa : int32, shape (n,)
        Suffix array of `text` under any order of the symbols.

    Returns
    -------
    int32 array, shape (n,); entry 0 is 0.
    """
    if sa.shape[0] != text.shape[0]:
        raise ValueError(f"expected a suffix array of {text.shape[0]} entries, got {sa.shape[0]}")
    _within("sa", sa, 0, text.shape[0])
    cdef int32_t[::1] plcp = np.empty(max(text.shape[0], 1), np.int32)
    cdef int32_t[::1] out = np.zeros(max(text.shape[0], 1), np.int32)
    if text.shape[0]:
        with nogil:
            _lcp[int32_t](&text[0], text.shape[0], &sa[0], &plcp[0], &out[0])
    return np.asarray(out)[: text.shape[0]]


def lcp_i64(const int32_t[::1] text not None, const int64_t[::1] sa not None):
    """As `lcp_i32` for a 64-bit suffix array."""
    if sa.shape[0] != text.shape[0]:
        raise ValueError(f"expected a suffix array of {text.shape[0]} entries, got {sa.shape[0]}")
    _within("sa", sa, 0, text.shape[0])
    cdef int64_t[::1] plcp = np.empty(max(text.shape[0], 1), np.int64)
    cdef int64_t[::1] out = np.zeros(max(text.shape[0], 1), np.int64)
    if text.shape[0]:
        with nogil:
            _lcp[int64_t](&text[0], text.shape[0], &sa[0], &plcp[0], &out[0])
    return np.asarray(out)[: text.shape[0]]


# ======================================================================================================================
# Maximal repeats with document frequency
# ======================================================================================================================
#
# One pass over the LCP array with a stack of open intervals.  Document frequency is the colour set size of Hui (CPM
# 1992): an interval of m suffixes holds m - c documents, where c counts, for each suffix in it, whether the last suffix
# of the same document stands in it too.  That pair is booked at the innermost open interval that holds both, found by
# binary search on the left bounds of the stack, and handed to the enclosing interval when one closes.

cdef struct Open:
    int64_t lcp
    int64_t left            # first rank of the interval
    int64_t repeated        # suffixes whose document came before within the interval
    int32_t before          # symbol before every occurrence so far; UNSET or MIXED


cdef enum:
    UNSET = -1
    MIXED = -2


cdef struct Found:
    int64_t* position       # repeats: first rank of the interval in the suffix array; matches: first token
    int32_t* length
    int32_t* count
    int32_t* df
    int64_t size
    int64_t room
    int64_t* starts         # matches: their union
    int64_t* ends


cdef void found_free(Found* f) noexcept nogil:
    free(f.position)
    free(f.length)
    free(f.count)
    free(f.df)
    free(f.starts)
    free(f.ends)
    memset(f, 0, sizeof(Found))


cdef int found_push(Found* f, int64_t position, int64_t length, int64_t count, int64_t df) except -1 nogil:
    cdef int64_t room
    cdef void* a
    cdef void* b
    cdef void* c
    cdef void* d
    if f.size == f.room:
        room = f.room * 2 + 4096
        a = realloc(f.position, room * sizeof(int64_t))
        if a != NULL:
            f.position = <int64_t*>a
        b = realloc(f.length, room * sizeof(int32_t))
        if b != NULL:
            f.length = <int32_t*>b
        c = realloc(f.count, room * sizeof(int32_t))
        if c != NULL:
            f.count = <int32_t*>c
        d = realloc(f.df, room * sizeof(int32_t))
        if d != NULL:
            f.df = <int32_t*>d
        if a == NULL or b == NULL or c == NULL or d == NULL:
            raise MemoryError
        f.room = room
    f.position[f.size] = position
    f.length[f.size] = <int32_t>length
    f.count[f.size] = <int32_t>count
    f.df[f.size] = <int32_t>df
    f.size += 1
    return 0


cdef inline int32_t join(int32_t a, int32_t b) noexcept nogil:
    """What stands before two sets of occurrences; a break differs from everything, itself included."""
    if a == UNSET:
        return b
    if b == UNSET:
        return a
    return a if a == b and a != MIXED else MIXED


cdef int _repeats(const int32_t* text, const int32_t* doc_of, const index_t* sa, const index_t* lcp, int64_t n, int64_t* last,
                  int64_t min_tokens, int64_t min_df, Found* out) except -1 nogil:
    cdef Open* stack = NULL
    cdef Open top
    cdef void* grown
    cdef int64_t size = 0, room = 0, r, h, rank, low, high, middle, df
    cdef int32_t before, document
    cdef bint fresh
    try:
        room = 1024
        stack = <Open*>malloc(room * sizeof(Open))
        if stack == NULL:
            raise MemoryError
        stack[0].lcp = 0
        stack[0].left = 0
        stack[0].repeated = 0
        stack[0].before = MIXED
        size = 1
        before = UNSET
        for r in range(n + 1):
            # `before` is what stands before suffix r - 1.
            h = lcp[r] if 0 < r < n else 0
            if r > 0:
                fresh = False
                if h > stack[size - 1].lcp:
                    top.left = r - 1
                    top.repeated = 0
                    top.before = before
                    fresh = True
                else:
                    stack[size - 1].before = join(stack[size - 1].before, before)
                    while stack[size - 1].lcp > h:
                        top = stack[size - 1]
                        size -= 1
                        df = (r - top.left) - top.repeated
                        if top.before == MIXED and top.lcp >= min_tokens and df >= min_df:
                            found_push(out, top.left, top.lcp, r - top.left, df)
                        if stack[size - 1].lcp < h:
                            # The interval of h begins where the closed one began and holds all of it.
                            fresh = True
                            break
                        stack[size - 1].repeated += top.repeated
                        stack[size - 1].before = join(stack[size - 1].before, top.before)
                if fresh:
                    if size == room:
                        room *= 2
                        grown = realloc(stack, room * sizeof(Open))
                        if grown == NULL:
                            raise MemoryError
                        stack = <Open*>grown
                    top.lcp = h
                    stack[size] = top
                    size += 1
            if r == n:
                break
            before = text[sa[r] - 1] if sa[r] > 0 else 0
            if before == 0:
                before = MIXED
            document = doc_of[sa[r]]
            rank = last[document]
            last[document] = r
            if size > 1 and rank >= stack[1].left:
                # Innermost open interval with left <= rank; intervals with one left bound are nested, the last is the longest.
                low = 1
                high = size - 1
                while low < high:
                    middle = (low + high + 1) >> 1
                    if stack[middle].left <= rank:
                        low = middle
                    else:
                        high = middle - 1
                stack[low].repeated += 1
    finally:
        free(stack)
    return 0


cdef object _repeat_columns(Found* found):
    try:
        return (_copy(found.position, found.size * 8, np.int64), _copy(found.length, found.size * 4, np.int32),
                _copy(found.count, found.size * 4, np.int32), _copy(found.df, found.size * 4, np.int32))
    finally:
        found_free(found)


def repeats_i32(const int32_t[::1] text not None, const int32_t[::1] doc_of not None, const int32_t[::1] sa not None,
                const int32_t[::1] lcp not None, int64_t documents, int64_t min_tokens, int64_t min_df):
    """Maximal strings of at least `min_tokens` tokens in at least `min_df` documents.  O(n log depth).

    A string is maximal if no token more to its left or right keeps all its occurrences; breaks and document ends count
    as different tokens.

    Returns
    -------
    rank : int64 array; the occurrences begin at ``sa[rank : rank + count]``
    length : int32 array, in tokens
    count : int32 array, occurrences
    df : int32 array, distinct documents
    """
    if not text.shape[0] == doc_of.shape[0] == sa.shape[0] == lcp.shape[0]:
        raise ValueError(f"expected equal lengths, got {text.shape[0]}, {doc_of.shape[0]}, {sa.shape[0]} and {lcp.shape[0]}")
    _within("text", text, 0, 0x7FFFFFFF)
    _within("doc_of", doc_of, 0, documents)
    _within("sa", sa, 0, text.shape[0])
    _within("lcp", lcp, 0, text.shape[0])
    cdef Found found
    memset(&found, 0, sizeof(Found))
    cdef int64_t[::1] last = np.full(max(documents, 1), -1, np.int64)
    try:
        if text.shape[0]:
            with nogil:
                _repeats[int32_t](&text[0], &doc_of[0], &sa[0], &lcp[0], text.shape[0], &last[0], max(min_tokens, 1), min_df, &found)
    finally:
        columns = _repeat_columns(&found)
    return columns


def repeats_i64(const int32_t[::1] text not None, const int32_t[::1] doc_of not None, const int64_t[::1] sa not None,
                const int64_t[::1] lcp not None, int64_t documents, int64_t min_tokens, int64_t min_df):
    """As `repeats_i32` for 64-bit suffix and LCP arrays."""
    if not text.shape[0] == doc_of.shape[0] == sa.shape[0] == lcp.shape[0]:
        raise ValueError(f"expected equal lengths, got {text.shape[0]}, {doc_of.shape[0]}, {sa.shape[0]} and {lcp.shape[0]}")
    _within("text", text, 0, 0x7FFFFFFF)
    _within("doc_of", doc_of, 0, documents)
    _within("sa", sa, 0, text.shape[0])
    _within("lcp", lcp, 0, text.shape[0])
    cdef Found found
    memset(&found, 0, sizeof(Found))
    cdef int64_t[::1] last = np.full(max(documents, 1), -1, np.int64)
    try:
        if text.shape[0]:
            with nogil:
                _repeats[int64_t](&text[0], &doc_of[0], &sa[0], &lcp[0], text.shape[0], &last[0], max(min_tokens, 1), min_df, &found)
    finally:
        columns = _repeat_columns(&found)
    return columns


def anchors(const int64_t[::1] rank not None, const int32_t[::1] length not None, const int32_t[::1] count not None,
            const int64_t[::1] sa not None, const uint8_t[::1] edges not None):
    """How often each string begins a line, ends one, and is a whole one.  O(occurrences).

    Returns
    -------
    int32 array, shape (strings, 3)
    """
    if not rank.shape[0] == length.shape[0] == count.shape[0]:
        raise ValueError(f"expected equal lengths, got {rank.shape[0]}, {length.shape[0]} and {count.shape[0]}")
    _within("sa", sa, 0, edges.shape[0])
    cdef int32_t[:, ::1] out = np.zeros((rank.shape[0], 3), np.int32)
    cdef int64_t i, k
    for i in range(rank.shape[0]):
        if rank[i] < 0 or count[i] < 0 or length[i] < 1 or rank[i] + count[i] > sa.shape[0]:
            raise ValueError(f"string {i}: expected ranks within {sa.shape[0]}, got {count[i]} from {rank[i]} of length {length[i]}")
    cdef uint8_t a, b
    with nogil:
        for i in range(rank.shape[0]):
            for k in range(rank[i], rank[i] + count[i]):
                a = edges[sa[k]] & 1
                b = edges[min(sa[k] + length[i], edges.shape[0]) - 1] >> 1
                out[i, 0] += a
                out[i, 1] += b
                out[i, 2] += a & b
    return np.asarray(out)


def string_hashes(const int32_t[::1] text not None, const uint64_t[::1] symbol_hash not None, const int64_t[::1] position not None,
                  const int32_t[::1] length not None):
    """A hash below 2^61 for each string, from the hashes of its tokens' forms: equal across sources.  O(n + strings).

    Polynomial over the prime 2^61 - 1 (Karp and Rabin 1987) by prefix sums, so that long strings cost no more than short ones.
    """
    cdef int64_t n = text.shape[0], i
    if position.shape[0] != length.shape[0]:
        raise ValueError(f"expected equal lengths, got {position.shape[0]} and {length.shape[0]}")
    _within("text", text, 0, symbol_hash.shape[0])
    for i in range(position.shape[0]):
        if position[i] < 0 or length[i] < 0 or position[i] + length[i] > n:
            raise ValueError(f"string {i}: expected a place within {n} tokens, got {length[i]} from {position[i]}")
    cdef uint64_t M = (<uint64_t>1 << 61) - 1, base = 0x0B0E1F2D3C4B5A69, h
    cdef uint64_t[::1] prefix = np.zeros(n + 1, np.uint64)
    cdef uint64_t[::1] power = np.ones(n + 1, np.uint64)
    cdef uint64_t[::1] out = np.empty(max(position.shape[0], 1), np.uint64)
    with nogil:
        for i in range(n):
            h = tm_modmul(prefix[i], base) + symbol_hash[text[i]] % M
            prefix[i + 1] = h - M if h >= M else h
            power[i + 1] = tm_modmul(power[i], base)
        for i in range(position.shape[0]):
            h = prefix[position[i] + length[i]] + M - tm_modmul(prefix[position[i]], power[length[i]])
            out[i] = h - M if h >= M else h
    return np.asarray(out)[: position.shape[0]]


def own_tokens(const uint8_t[::1] arena not None, const int64_t[::1] offsets not None):
    """1 for each form that is one character of a script without spaces: uint8 array of shape (forms,)."""
    _bounds("offsets", offsets, arena.shape[0])
    cdef int64_t i, n = offsets.shape[0] - 1
    cdef int width = 0
    cdef uint8_t[::1] out = np.zeros(max(n, 1), np.uint8)
    cdef const uint8_t* p = &arena[0] if arena.shape[0] else NULL
    with nogil:
        for i in range(n):
            if offsets[i + 1] > offsets[i] and is_own_token(decode(p + offsets[i], offsets[i + 1] - offsets[i], &width)):
                out[i] = offsets[i] + width == offsets[i + 1]
    return np.asarray(out)[:n]


def form_hashes(const uint8_t[::1] arena not None, const int64_t[::1] offsets not None):
    """64-bit hash of each form: uint64 array of shape (forms,)."""
    _bounds("offsets", offsets, arena.shape[0])
    cdef int64_t i, n = offsets.shape[0] - 1
    cdef uint64_t[::1] out = np.empty(max(n, 1), np.uint64)
    cdef const uint8_t* p = &arena[0] if arena.shape[0] else NULL
    with nogil:
        for i in range(n):
            out[i] = tm_hash(p + offsets[i], offsets[i + 1] - offsets[i])
    return np.asarray(out)[:n]


# ======================================================================================================================
# Intervals
# ======================================================================================================================

def merge(const int64_t[::1] starts not None, const int64_t[::1] ends not None, int64_t gap):
    """Union of intervals; two with fewer than `gap` positions between them become one.

    Parameters
    ----------
    starts, ends : int64, shape (m,)
        In any order; end exclusive.

    Returns
    -------
    starts, ends : int64 arrays, ascending and disjoint
    member : int64 array, shape (m,)
        The union interval each input interval went into.
    """
    if starts.shape[0] != ends.shape[0]:
        raise ValueError(f"expected equal lengths, got {starts.shape[0]} and {ends.shape[0]}")
    cdef int64_t m = starts.shape[0], i, size = 0
    cdef int64_t[::1] order = np.argsort(starts, kind="stable").astype(np.int64)
    cdef int64_t[::1] left = np.empty(max(m, 1), np.int64)
    cdef int64_t[::1] right = np.empty(max(m, 1), np.int64)
    cdef int64_t[::1] member = np.empty(max(m, 1), np.int64)
    with nogil:
        for i in range(m):
            if size and (starts[order[i]] <= right[size - 1] or starts[order[i]] - right[size - 1] < gap):
                if ends[order[i]] > right[size - 1]:
                    right[size - 1] = ends[order[i]]
            else:
                left[size] = starts[order[i]]
                right[size] = ends[order[i]]
                size += 1
            member[order[i]] = size - 1
    return np.asarray(left)[:size], np.asarray(right)[:size], np.asarray(member)[:m]


def code_points(const uint8_t[::1] text not None, const int64_t[::1] offsets not None):
    """Offsets in bytes, ascending, as offsets in code points: int64 array of the same shape."""
    cdef int64_t[::1] out = np.empty(max(offsets.shape[0], 1), np.int64)
    cdef int64_t i, k, b = 0, count = 0
    for i in range(offsets.shape[0]):
        if not b <= offsets[i] <= text.shape[0]:
            raise ValueError(f"expected ascending offsets within {text.shape[0]} bytes, got {offsets[i]} at place {i}")
        b = offsets[i]
    b = 0
    with nogil:
        for i in range(offsets.shape[0]):
            k = offsets[i]
            while b < k:
                count += (text[b] & 0xC0) != 0x80
                b += 1
            out[i] = count
    return np.asarray(out)[: offsets.shape[0]]


# ======================================================================================================================
# Token automaton: Aho and Corasick (1975) over form ids
# ======================================================================================================================

cdef struct Automaton:
    int64_t states
    int64_t symbols
    int32_t* root           # next state of the root by symbol
    int32_t* fail
    int32_t* output         # string that ends in a state, or -1
    int32_t* link           # next state with output along the failure links, or 0
    int32_t* depth
    uint64_t* keys          # open addressing: state * symbols + symbol + 1 -> next state
    int32_t* values
    uint64_t mask


cdef inline int32_t automaton_goto(const Automaton* a, int32_t state, int32_t symbol) noexcept nogil:
    cdef uint64_t key = <uint64_t>state * <uint64_t>a.symbols + <uint64_t>symbol + 1
    cdef uint64_t place = (key * <uint64_t>0x9E3779B97F4A7C15) >> 32 & a.mask
    while a.keys[place]:
        if a.keys[place] == key:
            return a.values[place]
        place = (place + 1) & a.mask
    return 0


cdef inline int32_t automaton_step(const Automaton* a, int32_t state, int32_t symbol) noexcept nogil:
    cdef int32_t found
    while state:
        found = automaton_goto(a, state, symbol)
        if found:
            return found
        state = a.fail[state]
    return a.root[symbol]


cdef int automaton_build(Automaton* a, const int32_t* flat, const int64_t* bounds, int64_t strings, int64_t symbols) except -1 nogil:
    cdef int64_t total = bounds[strings], i, k, head, tail
    cdef uint64_t key, place
    cdef int32_t state, child, f
    cdef int32_t* parent = NULL
    cdef int32_t* symbol = NULL
    cdef int32_t* order = NULL
    cdef int64_t* count = NULL
    a.symbols = symbols
    a.mask = 15
    while a.mask < <uint64_t>total * 2:
        a.mask = a.mask * 2 + 1
    try:
        a.root = <int32_t*>malloc(symbols * sizeof(int32_t) + 8)
        a.fail = <int32_t*>malloc((total + 1) * sizeof(int32_t))
        a.output = <int32_t*>malloc((total + 1) * sizeof(int32_t))
        a.link = <int32_t*>malloc((total + 1) * sizeof(int32_t))
        a.depth = <int32_t*>malloc((total + 1) * sizeof(int32_t))
        a.keys = <uint64_t*>malloc((a.mask + 1) * sizeof(uint64_t))
        a.values = <int32_t*>malloc((a.mask + 1) * sizeof(int32_t))
        parent = <int32_t*>malloc((total + 1) * sizeof(int32_t))
        symbol = <int32_t*>malloc((total + 1) * sizeof(int32_t))
        order = <int32_t*>malloc((total + 1) * sizeof(int32_t))
        count = <int64_t*>malloc((total + 2) * sizeof(int64_t))
        if (a.root == NULL or a.fail == NULL or a.output == NULL or a.link == NULL or a.depth == NULL or a.keys == NULL
                or a.values == NULL or parent == NULL or symbol == NULL or order == NULL or count == NULL):
            raise MemoryError
        memset(a.root, 0, symbols * sizeof(int32_t))
        memset(a.keys, 0, (a.mask + 1) * sizeof(uint64_t))
        a.states = 1
        a.fail[0] = 0
        a.output[0] = -1
        a.link[0] = 0
        a.depth[0] = 0
        for i in range(strings):
            state = 0
            for k in range(bounds[i], bounds[i + 1]):
                child = a.root[flat[k]] if state == 0 else automaton_goto(a, state, flat[k])
                if child == 0:
                    child = <int32_t>a.states
                    a.states += 1
                    a.output[child] = -1
                    a.depth[child] = a.depth[state] + 1
                    parent[child] = state
                    symbol[child] = flat[k]
                    if state == 0:
                        a.root[flat[k]] = child
                    else:
                        key = <uint64_t>state * <uint64_t>symbols + <uint64_t>flat[k] + 1
                        place = (key * <uint64_t>0x9E3779B97F4A7C15) >> 32 & a.mask
                        while a.keys[place]:
                            place = (place + 1) & a.mask
                        a.keys[place] = key
                        a.values[place] = child
                state = child
            if a.output[state] < 0:
                a.output[state] = <int32_t>i
        # Failure links in the order of depth (counting sort).
        memset(count, 0, (total + 2) * sizeof(int64_t))
        for i in range(1, a.states):
            count[a.depth[i] + 1] += 1
        for i in range(1, total + 2):
            count[i] += count[i - 1]
        for i in range(1, a.states):
            order[count[a.depth[i]]] = <int32_t>i
            count[a.depth[i]] += 1
        for i in range(a.states - 1):
            state = order[i]
            if parent[state] == 0:
                f = 0
            else:
                f = automaton_step(a, a.fail[parent[state]], symbol[state])
            a.fail[state] = f
            a.link[state] = f if a.output[f] >= 0 else a.link[f]
    finally:
        free(parent)
        free(symbol)
        free(order)
        free(count)
    return 0


cdef class Matcher(_Scanner):
    """All strings of a pack at once, at token boundaries, overlapping ones included.

    Parameters
    ----------
    separators, mask, words, numbers, html
        As the documents were tokenised.
    vocabulary : list of bytes
        Forms that stand in any string, each once.
    flat, bounds : int32 and int64 arrays
        String i is ``flat[bounds[i]:bounds[i + 1]]``, places in `vocabulary`.
    edges : uint8 array, shape (strings,), optional
        1 if string i counts only where it begins a line, 2 where it ends one, 3 both.
    """

    cdef Table vocabulary
    cdef Automaton automaton
    cdef uint8_t* edges
    cdef int64_t strings
    cdef uint8_t* own_form      # 1 where a token spelt like the form has that form
    cdef uint8_t[256] trait     # 0 ASCII letters, 1 signs that begin no pattern, 2 the rest
    cdef bint dotted            # a pattern of letters and full stops is on
    cdef uint64_t[256] filter   # a bit for each hash of the vocabulary and of the words of the lists

    def __cinit__(self, bytes separators, bytes mask, list words, list numbers, bint html, list vocabulary,
                  const int32_t[::1] flat not None, const int64_t[::1] bounds not None, const uint8_t[::1] edges=None):
        cdef bytes form
        cdef uint64_t h
        cdef int64_t i, strings = bounds.shape[0] - 1
        memset(&self.automaton, 0, sizeof(Automaton))
        table_init(&self.vocabulary)
        if strings < 0:
            raise ValueError("expected bounds, got none")
        for i, form in enumerate(vocabulary):
            if table_add(&self.vocabulary, <const uint8_t*>form, len(form)) != i:
                raise ValueError(f"the form {form!r} stands in the vocabulary twice")
        for i in range(strings):
            if bounds[i] >= bounds[i + 1]:
                raise ValueError(f"string {i} is empty")
        if bounds[0] != 0 or bounds[strings] != flat.shape[0]:
            raise ValueError(f"expected bounds from 0 to {flat.shape[0]}, got {bounds[0]} to {bounds[strings]}")
        if flat.shape[0] >= 0x7FFFFFF0:
            raise CapacityError("more than 2^31 tokens in the expressions of one pack")
        for i in range(flat.shape[0]):
            if not 0 <= flat[i] < self.vocabulary.count:
                raise ValueError(f"token {i}: expected a place in a vocabulary of {self.vocabulary.count}, got {flat[i]}")
        self.own_form = <uint8_t*>malloc(len(vocabulary) + 1)
        if self.own_form == NULL:
            raise MemoryError
        for i, form in enumerate(vocabulary):
            self.own_form[i] = MARKER not in form and self.form(form) == form
        for i in range(256):
            self.trait[i] = 0 if is_alpha(<uint8_t>i) else 1 if 33 <= i <= 126 and memchr(b"!\"&'(),.:;<>?[]^`{|}", <int>i, 20) != NULL else 2
        self.dotted = self.spec.on[ABBREVIATION] or self.spec.on[INITIALS]
        memset(self.filter, 0, sizeof(self.filter))
        for i in range(self.vocabulary.count):
            h = tm_hash(self.vocabulary.arena + self.vocabulary.offset[i], self.vocabulary.offset[i + 1] - self.vocabulary.offset[i])
            self.filter[(h >> 6) & 255] |= <uint64_t>1 << (h & 63)
        for i in range(self.spec.words.count):
            h = tm_hash(self.spec.words.arena + self.spec.words.offset[i], self.spec.words.offset[i + 1] - self.spec.words.offset[i])
            self.filter[(h >> 6) & 255] |= <uint64_t>1 << (h & 63)
        if edges is not None and edges.shape[0] != strings:
            raise ValueError(f"expected edges of {strings} strings, got {edges.shape[0]}")
        self.strings = strings
        self.edges = <uint8_t*>malloc(strings + 1)
        if self.edges == NULL:
            raise MemoryError
        for i in range(strings):
            self.edges[i] = edges[i] if edges is not None else 0
        automaton_build(&self.automaton, &flat[0] if flat.shape[0] else NULL, &bounds[0], strings, max(len(vocabulary), 1))

    def __dealloc__(self):
        free(self.edges)
        free(self.own_form)
        table_free(&self.vocabulary)
        free(self.automaton.root)
        free(self.automaton.fail)
        free(self.automaton.output)
        free(self.automaton.link)
        free(self.automaton.depth)
        free(self.automaton.keys)
        free(self.automaton.values)

    cdef inline bint _known(self, uint64_t h) noexcept nogil:
        """False if no form of the vocabulary and no word of a list has this hash."""
        return self.filter[(h >> 6) & 255] >> (h & 63) & 1

    cdef inline bint _plain(self, const uint8_t* p, int64_t n) noexcept nogil:
        """True if a word token is surely its own form: ASCII letters and signs that no pattern begins with, no listed word."""
        cdef int64_t i = 0, start
        cdef uint8_t seen = 0
        cdef uint64_t h
        for i in range(n):
            seen |= self.trait[p[i]]
        if seen > 1 or (seen == 1 and self.dotted):
            return False
        i = 0
        while i < n:
            while i < n and self.trait[p[i]]:
                i += 1
            start = i
            while i < n and not self.trait[p[i]]:
                i += 1
            if i > start:
                h = tm_hash(p + start, i - start)
                if self.filter[(h >> 6) & 255] >> (h & 63) & 1 and table_find(&self.spec.words, p + start, i - start, h) >= 0:
                    return False
                if self.spec.on[UPPER] and all_upper(p, start, i):
                    return False
                if i < n and p[i] == 46 and (i - start == 1 or (i - start == 3 and p[start] == 119)):
                    return False
        return True

    cdef int _find(self, const uint8_t* p, int64_t n, Tokens* tokens, Found* out, int64_t* forms, bint lines) except -1 nogil:
        cdef int64_t i, k, size, id, room = 0
        cdef uint8_t edge, kind
        cdef uint8_t* scratch = NULL
        cdef void* grown
        cdef int32_t state = 0, s
        cdef const uint8_t* q
        cdef uint64_t h
        scan(&self.spec, p, n, tokens)
        try:
            for i in range(tokens.size):
                q = p + tokens.start[i]
                size = tokens.end[i] - tokens.start[i]
                kind = tokens.kind[i] & KIND
                id = -1
                if lines and tokens.kind[i] & FIRST:
                    state = 0
                if kind == WORD:
                    h = tm_hash(q, size)
                    if self._known(h):
                        id = table_find(&self.vocabulary, q, size, h)
                        if id >= 0 and self.own_form[id] == 0:
                            id = -1
                    if id < 0 and (self._known(h) == 0 and not self.spec.on[UPPER] if tokens.kind[i] & LETTERS else self._plain(q, size)):
                        state = 0
                        continue
                if id < 0:
                    if 2 * size + 32 > room:
                        grown = realloc(scratch, 2 * size + 1024)
                        if grown == NULL:
                            raise MemoryError
                        scratch = <uint8_t*>grown
                        room = 2 * size + 1024
                    if kind == WORD:
                        size = normalise(&self.spec, q, size, scratch)
                    else:
                        size = tag_form(&self.spec, q, size, kind, scratch)
                    id = table_find(&self.vocabulary, scratch, size, tm_hash(scratch, size))
                    if id < 0:
                        state = 0
                        continue
                if forms != NULL:
                    forms[id] += 1
                state = automaton_step(&self.automaton, state, <int32_t>id)
                s = state if self.automaton.output[state] >= 0 else self.automaton.link[state]
                while s:
                    k = i - self.automaton.depth[s] + 1
                    edge = self.edges[self.automaton.output[s]]
                    if (not edge & 1 or tokens.kind[k] & FIRST) and (
                            not edge & 2 or i + 1 == tokens.size or tokens.kind[i + 1] & FIRST):
                        found_push(out, k, i, self.automaton.output[s], 0)
                    s = self.automaton.link[s]
        finally:
            free(scratch)
        return 0

    def find(self, const uint8_t[::1] document not None):
        """Every occurrence of every string.

        Returns
        -------
        starts, ends : int64 arrays
            In bytes, ordered by end.
        strings : int32 array
            Which string.
        """
        cdef const uint8_t* p = &document[0] if document.shape[0] else NULL
        cdef Tokens tokens
        cdef Found found
        cdef int64_t i
        cdef int64_t[::1] starts, ends
        _check_size(document.shape[0])
        memset(&tokens, 0, sizeof(Tokens))
        memset(&found, 0, sizeof(Found))
        try:
            with nogil:
                self._find(p, document.shape[0], &tokens, &found, NULL, False)
            starts = np.empty(max(found.size, 1), np.int64)
            ends = np.empty(max(found.size, 1), np.int64)
            for i in range(found.size):
                starts[i] = tokens.start[found.position[i]]
                ends[i] = tokens.end[found.length[i]]
        finally:
            tokens_free(&tokens)
            _, _, strings, _ = _repeat_columns(&found)
        return np.asarray(starts)[: len(strings)], np.asarray(ends)[: len(strings)], strings

    def count(self, const uint8_t[::1] document not None, int32_t number, int64_t[:, ::1] table not None, int64_t[::1] last not None,
              int64_t[::1] forms not None, bint lines):
        """Add the occurrences in one more document to running counts.

        Parameters
        ----------
        document : bytes
        number : int
            Number of the document; each has its own.
        table : int64 array, shape (strings, 5), INOUT
            Occurrences, documents, and occurrences that begin a line, end one, are one.
        last : int64 array, shape (strings,), INOUT
            Last document that held each string; -1 at the start.
        forms : int64 array, shape (vocabulary + 1,), INOUT
            Occurrences of each form of the vocabulary; at the end, all tokens.
        lines : bool
            Line breaks part strings.
        """
        cdef const uint8_t* p = &document[0] if document.shape[0] else NULL
        cdef Tokens tokens
        cdef Found found
        cdef int64_t i, s
        cdef int64_t starts, ends
        _check_size(document.shape[0])
        if (table.shape[0] != self.strings or table.shape[1] != 5 or last.shape[0] != self.strings
                or forms.shape[0] != self.vocabulary.count + 1):
            raise ValueError(f"expected tables of {self.strings} x 5, {self.strings} and {self.vocabulary.count + 1}, "
                             f"got {table.shape[0]} x {table.shape[1]}, {last.shape[0]} and {forms.shape[0]}")
        memset(&tokens, 0, sizeof(Tokens))
        memset(&found, 0, sizeof(Found))
        try:
            with nogil:
                self._find(p, document.shape[0], &tokens, &found, &forms[0], lines)
                forms[self.vocabulary.count] += tokens.size
                for i in range(found.size):
                    s = found.count[i]
                    starts = 1 if tokens.kind[found.position[i]] & FIRST else 0
                    ends = 1 if found.length[i] + 1 == tokens.size or tokens.kind[found.length[i] + 1] & FIRST else 0
                    table[s, 0] += 1
                    table[s, 2] += starts
                    table[s, 3] += ends
                    table[s, 4] += starts & ends
                    if last[s] != number:
                        last[s] = number
                        table[s, 1] += 1
        finally:
            tokens_free(&tokens)
            found_free(&found)

    def spans(self, str text not None, int64_t gap):
        """The union of all occurrences in a text, two with fewer than `gap` characters between them taken together.

        The text's own UTF-8 is read where Python has it (ASCII, or encoded before), so nothing is copied.

        Returns
        -------
        list of (start, end, strings)
            In code points, ascending and disjoint, with the strings of each span in order.

        Raises
        ------
        UnicodeEncodeError
            The text holds lone surrogates.
        """
        cdef Py_ssize_t size = 0
        cdef const uint8_t* p = <const uint8_t*>PyUnicode_AsUTF8AndSize(text, &size)
        cdef Tokens tokens
        cdef Found found
        cdef int64_t i, k, count = 0, low, high, middle
        cdef list out = []
        _check_size(size)
        memset(&tokens, 0, sizeof(Tokens))
        memset(&found, 0, sizeof(Found))
        try:
            with nogil:
                self._find(p, size, &tokens, &found, NULL, False)
                if found.size:
                    if size != PyUnicode_GET_LENGTH(text):
                        to_code_points(p, &tokens)
                    count = unite(&tokens, &found, gap)
            if count:
                members = [set() for _ in range(count)]
                for i in range(found.size):
                    k = tokens.start[found.position[i]]
                    low = 0
                    high = count - 1
                    while low < high:
                        middle = (low + high + 1) >> 1
                        if found.starts[middle] <= k:
                            low = middle
                        else:
                            high = middle - 1
                    members[low].add(found.count[i])
                for i in range(count):
                    out.append((found.starts[i], found.ends[i], sorted(members[i])))
        finally:
            tokens_free(&tokens)
            found_free(&found)
        return out


cdef class Stripper:
    """Takes the mark-up out of what a cut leaves of a page.

    Parameters
    ----------
    blocks : list of bytes
        Names of the elements that stand on lines of their own, in lower case.
    """

    cdef Table blocks

    def __cinit__(self, list blocks):
        cdef bytes name
        table_init(&self.blocks)
        for name in blocks:
            table_add(&self.blocks, <const uint8_t*>name, len(name))

    def __dealloc__(self):
        table_free(&self.blocks)

    cdef bint _is_block(self, const uint8_t* p, int64_t n) noexcept nogil:
        """True if the tag of n bytes at p opens or closes a block."""
        cdef uint8_t name[16]
        cdef int64_t i = 1, size = 0
        if i < n and p[i] == 47:
            i += 1
        while i < n and size < 16 and is_alnum(p[i]):
            name[size] = (p[i] | 32) if is_alpha(p[i]) else p[i]
            size += 1
            i += 1
        return size < 16 and table_find(&self.blocks, name, size, tm_hash(name, size)) >= 0

    cdef int64_t _strip(self, const uint8_t* p, int64_t i, int64_t end, int64_t n, bint keep, uint8_t* out) noexcept nogil:
        """Text of [i, end), or with `keep` False only whether a block's edge stands there; returns bytes written."""
        cdef int64_t size = 0, after
        cdef uint8_t kind = WORD
        cdef const void* hit
        cdef bint edge = False
        while i < end:
            if p[i] == 60:
                after = min(tag_end(p, i, n, &kind), end)
                if after > i:
                    if kind == TAG and self._is_block(p + i, after - i):
                        edge = True
                        if keep:
                            out[size] = 10
                            size += 1
                    i = after
                    continue
                if keep:
                    out[size] = 60
                    size += 1
                i += 1
                continue
            hit = memchr(p + i, 60, end - i)
            after = end if hit == NULL else <const uint8_t*>hit - p
            if keep:
                memcpy(out + size, p + i, after - i)
                size += after - i
            i = after
        if not keep:
            out[0] = 10 if edge else 32
            return 1
        return size

    def strip(self, const uint8_t[::1] page not None, const int64_t[::1] bounds not None):
        """The text of a page without some stretches; entities and white space stay as they are.

        Parameters
        ----------
        bounds : int64 array, shape (2 m,)
            Start and end of each stretch in code points, ascending.

        Returns
        -------
        bytes
            A line break where a block begins or ends, and for each stretch a line break or a blank.
        """
        cdef int64_t n = page.shape[0]
        cdef const uint8_t* p = &page[0] if n else NULL
        cdef int64_t i, b = 0, count = 0, before = 0, size = 0, m = bounds.shape[0]
        cdef uint8_t* out = <uint8_t*>malloc(n + m + 1)
        if out == NULL:
            raise MemoryError
        try:
            with nogil:
                for i in range(m + 1):
                    if i == m:
                        b = n
                    else:
                        while b < n and (count < bounds[i] or (p[b] & 0xC0) == 0x80):
                            count += (p[b] & 0xC0) != 0x80
                            b += 1
                    size += self._strip(p, before, b, n, i % 2 == 0, out + size)
                    before = b
            return (<char*>out)[:size]
        finally:
            free(out)


cdef int _check_size(int64_t size) except -1:
    if size > 0x7FFFFFF0:
        raise CapacityError(f"a document of {size} bytes; the limit is 2 GiB")
    return 0


cdef void to_code_points(const uint8_t* p, Tokens* tokens) noexcept nogil:
    """Turn the bounds of all tokens from bytes into code points."""
    cdef int64_t i, b = 0, count = 0
    for i in range(tokens.size):
        while b < tokens.start[i]:
            count += (p[b] & 0xC0) != 0x80
            b += 1
        tokens.start[i] = count
        while b < tokens.end[i]:
            count += (p[b] & 0xC0) != 0x80
            b += 1
        tokens.end[i] = count


cdef int64_t unite(const Tokens* tokens, Found* found, int64_t gap) except -1 nogil:
    """Union of matches that are ordered by end, into found.starts and found.ends; returns how many are left."""
    cdef int64_t i, start, end, size = 0
    found.starts = <int64_t*>malloc(found.size * sizeof(int64_t))
    found.ends = <int64_t*>malloc(found.size * sizeof(int64_t))
    if found.starts == NULL or found.ends == NULL:
        raise MemoryError
    for i in range(found.size):
        start = tokens.start[found.position[i]]
        end = tokens.end[found.length[i]]
        # No earlier match ends after this one, so only the last spans can be touched.
        while size and (start <= found.ends[size - 1] or start - found.ends[size - 1] < gap):
            size -= 1
            start = min(start, found.starts[size])
        found.starts[size] = start
        found.ends[size] = end
        size += 1
    return size
