"""Text into tokens: characters, buffers, tables, patterns, tags, normal forms, and the scanner itself."""

from libc.stdint cimport int32_t, int64_t, uint16_t, uint32_t, uint64_t, uint8_t
from libc.string cimport memchr, memcmp, memcpy


# ------------------------------------------------------------------------------------------------------------------ characters
# Characters and short strings of UTF-8 bytes: their classes, hashes and widths.
#
# All of it is small and runs once a character or a token, so that each module compiles it into its loops.


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

    /* A token of at most 16 bytes as two words, zero beyond its end: with its size they are its spelling, so that two
       such tokens are compared without a look at memory.  `end` is where the text ends. */
    static const uint8_t tm_ones[32] = {255, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255};

    static inline uint64_t tm_key_hash(uint64_t a, uint64_t b, int64_t n) {
        return tm_mix(a ^ 0xD1B54A32D192ED03ull, b ^ 0x9E3779B97F4A7C15ull ^ (uint64_t)n);
    }

    static inline uint64_t tm_key(const uint8_t *p, int64_t n, const uint8_t *end, uint64_t *a, uint64_t *b) {
        uint8_t tail[16] = {0};
        if (end - p < 16) {
            memcpy(tail, p, n);
            p = tail;
        }
        *a = tm_load(p) & tm_load(tm_ones + 16 - n);
        *b = tm_load(p + 8) & tm_load(tm_ones + 24 - n);
        return tm_key_hash(*a, *b, n);
    }
    """
    uint64_t tm_hash(const uint8_t* p, int64_t n) noexcept nogil
    uint64_t tm_key_hash(uint64_t a, uint64_t b, int64_t n) noexcept nogil
    uint64_t tm_key(const uint8_t* p, int64_t n, const uint8_t* end, uint64_t* a, uint64_t* b) noexcept nogil


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


cdef inline bint in_url(uint8_t c) noexcept nogil:
    if is_alnum(c):
        return True
    return 33 <= c <= 126 and memchr(b"-._~:/?#[]@!$&'()*+,;=%", c, 23) != NULL


cdef inline bint same_letters(const uint8_t* p, const char* word, int64_t n) noexcept nogil:
    """True if n characters are those of a word in small letters of ASCII, whatever their case."""
    cdef int64_t i
    for i in range(n):
        if (p[i] | 32) != <uint8_t>word[i]:
            return False
    return True


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


cdef inline bint is_other_digit(uint32_t c) noexcept nogil:
    """Decimal digits of the scripts of Asia (characters.OTHER_DIGITS)."""
    if c < 0x0900 or c > 0x1819:
        return False
    if c < 0x0D80:                      # Devanagari to Malayalam: blocks of 128, with digits at the same place in each
        return 0x66 <= c & 0x7F <= 0x6F
    return (0x0E50 <= c <= 0x0E59 or 0x0ED0 <= c <= 0x0ED9 or 0x0F20 <= c <= 0x0F29 or 0x1040 <= c <= 0x1049
            or 0x17E0 <= c <= 0x17E9 or 0x1810 <= c <= 0x1819)


cdef inline bint is_own_token(uint32_t c) noexcept nogil:
    """Scripts written without spaces, and their punctuation: each character is a token (expressions.OWN_TOKEN)."""
    if c < 0x1800:
        return ((0x0E00 <= c <= 0x0EFF or 0x1000 <= c <= 0x109F or 0x1780 <= c <= 0x17FF)
                and not is_other_digit(c))
    return (0x3001 <= c <= 0x30FF
            or 0x31F0 <= c <= 0x31FF or 0x3400 <= c <= 0x4DBF or 0x4E00 <= c <= 0x9FFF or 0xF900 <= c <= 0xFAFF
            or 0xFF01 <= c <= 0xFF0F or 0xFF1A <= c <= 0xFF20 or 0xFF3B <= c <= 0xFF40 or 0xFF5B <= c <= 0xFF9F
            or 0x20000 <= c <= 0x3FFFF)


cdef inline bint all_upper(const uint8_t* p, int64_t i, int64_t end) noexcept nogil:
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


cdef inline bint is_letter(uint32_t c) noexcept nogil:
    """Letters as far as words of a closed list need them: what no table of punctuation, digits or symbols claims."""
    if c < 0x80:
        return is_alpha(<uint8_t>c)
    if c < 0xC0 or c == 0xD7 or c == 0xF7 or c >= 0x110000:
        return False
    if 0x0600 <= c <= 0x061F or 0x0660 <= c <= 0x066D or c == 0x06D4 or 0x06F0 <= c <= 0x06F9 or 0x0964 <= c <= 0x0965:
        return False
    if 0x0966 <= c <= 0x1819 and (is_other_digit(c) or 0x1360 <= c <= 0x1368):
        return False
    if 0x0589 <= c <= 0x058A or c == 0x05BE or c == 0x05C0 or c == 0x05C3 or 0x05F3 <= c <= 0x05F4 or c == 0x037E or c == 0x0387:
        return False
    if 0x2000 <= c <= 0x2BFF or 0x3000 <= c <= 0x303F or 0xD800 <= c <= 0xF8FF or 0xFE10 <= c <= 0xFE6F or 0xFF00 <= c <= 0xFFEF:
        return False
    return c < 0x1F000


cdef inline int digit_width(const uint8_t* p, int64_t n) noexcept nogil:
    """Bytes of the decimal digit at p (characters.DIGITS), 0 if there is none."""
    if is_digit(p[0]):
        return 1
    if p[0] == 0xD9 and n >= 2 and 0xA0 <= p[1] <= 0xA9:
        return 2
    if p[0] == 0xDB and n >= 2 and 0xB0 <= p[1] <= 0xB9:
        return 2
    if p[0] == 0xEF and n >= 3 and p[1] == 0xBC and 0x90 <= p[2] <= 0x99:
        return 3
    return 0


cdef inline bint closed(const uint8_t* p, int64_t i, int64_t n) noexcept nogil:
    """No letter or digit follows."""
    return i >= n or not is_alnum(p[i])


cdef inline int64_t put_number(int64_t value, uint8_t* out) noexcept nogil:
    """Write a number that is not negative; returns how many digits it has."""
    cdef uint8_t digits[20]
    cdef int64_t i = 20
    while True:
        i -= 1
        digits[i] = <uint8_t>(48 + value % 10)
        value //= 10
        if value == 0:
            break
    memcpy(out, digits + i, 20 - i)
    return 20 - i


# ---------------------------------------------------------------------------------------------------------------------- memory


cdef extern from *:
    """
    /* Asks for memory that is wanted some steps later; only a hint, so any address will do. */
    #if defined(__GNUC__)
    #define tm_prefetch(address) __builtin_prefetch(address)
    #else
    #define tm_prefetch(address) ((void)(address))
    #endif

    /* Zeroed memory for `free`, to be read at places all over it: where the system has large pages it is asked for them. */
    #include <stdlib.h>
    #include <string.h>
    #if defined(__linux__)
    #include <sys/mman.h>
    #endif
    #if defined(MADV_HUGEPAGE)
    static inline void *tm_scattered(size_t size) {
        const size_t page = (size_t)1 << 21;
        void *data = NULL;
        if (size < 2 * page)
            return calloc(size, 1);
        if (posix_memalign(&data, page, size))
            return NULL;
        madvise(data, size, MADV_HUGEPAGE);
        return memset(data, 0, size);
    }
    #else
    static inline void *tm_scattered(size_t size) { return calloc(size, 1); }
    #endif
    """
    void tm_prefetch(const void* address) noexcept nogil
    void* tm_scattered(size_t size) noexcept nogil


ctypedef fused index_t:
    int32_t
    int64_t


cdef int check_within(str name, const index_t[::1] values, int64_t low, int64_t high) except -1
cdef int check_bounds(str name, const int64_t[::1] values, int64_t size) except -1
cdef object copied(const void* data, int64_t size, object dtype)
cdef object handed(void** data, int64_t size, object dtype)
cdef int reserve(void** data, int64_t* room, int64_t wanted, int64_t item) except -1 nogil


cdef struct Found:
    int64_t* position       # repeats: first rank of the interval in the suffix array; matches: first token
    int32_t* length
    int32_t* count
    int32_t* df
    int64_t size
    int64_t room


cdef void found_free(Found* f) noexcept nogil
cdef int found_push(Found* f, int64_t position, int64_t length, int64_t count, int64_t df) except -1 nogil
cdef object found_columns(Found* found)


# ---------------------------------------------------------------------------------------------------------------------- tables


cdef struct Table:
    # Strings in one arena, open addressing by hash; a slot holds the upper half of the hash and id + 1.
    uint8_t* arena
    int64_t arena_size
    int64_t arena_room
    int64_t* offset         # string i is arena[offset[i]:offset[i + 1]]
    int64_t count
    int64_t room            # of offsets, one more than there may be strings
    uint64_t* slots
    uint64_t mask


cdef int table_init(Table* t) except -1 nogil
cdef void table_free(Table* t) noexcept nogil
cdef void table_clear(Table* t) noexcept nogil
cdef int64_t table_insert(Table* t, const uint8_t* p, int64_t n, uint64_t h) except -1 nogil


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


cdef inline int64_t table_add(Table* t, const uint8_t* p, int64_t n) except -1 nogil:
    cdef uint64_t h = tm_hash(p, n)
    cdef int64_t found = table_find(t, p, n, h)
    if found >= 0:
        return found
    return table_insert(t, p, n, h)


cdef enum:
    SHORT = 16      # bytes of the longest token that a Word can hold


cdef struct Word:
    # A short token (tm_key), and what is known of it.
    uint64_t a
    uint64_t b
    int32_t size            # 0 if there is none
    int32_t id


cdef struct Words:
    # Short tokens by their spelling, open addressing.
    Word* slots
    int64_t count
    uint64_t mask


cdef int words_init(Words* w, int64_t room) except -1 nogil
cdef void words_clear(Words* w) noexcept nogil
cdef int words_insert(Words* w, uint64_t h, uint64_t a, uint64_t b, int32_t size, int32_t id) except -1 nogil


cdef inline const Word* words_find(const Words* w, uint64_t h, uint64_t a, uint64_t b, int64_t size) noexcept nogil:
    """A short token's entry, or NULL."""
    cdef uint64_t place = h & w.mask
    cdef const Word* slot
    while True:
        slot = w.slots + place
        if slot.a == a and slot.b == b and slot.size == size:
            return slot
        if slot.size == 0:
            return NULL
        place = (place + 1) & w.mask


# ------------------------------------------------------------------------------------------------------ what a scanner is told
# What a scanner is told: separators, patterns that are switched on, words of the closed lists; and the numbers of kinds.


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
    GLUED = 29
    NUMBER_WORLD = 30


cdef enum:
    MARKER = 0xFF   # first byte of a pattern in a form; the pattern's number follows


cdef enum:
    PLAIN = 0       # part of a token
    SPACE = 1       # ASCII white space
    EXTRA = 2       # a separator that is no white space (the hyphen)
    LEAD = 3        # first byte of a character that may be white space or a token of its own
    ANGLE = 4       # '<' in HTML
    JOINT = 5       # a token ends after it although a letter follows at once


cdef struct Spec:
    uint8_t kind[256]       # PLAIN, SPACE, EXTRA, LEAD, ANGLE or JOINT of each first byte
    uint8_t on[256]         # pattern numbers that are switched on
    uint8_t extra[12]       # what may end a run of plain bytes beside blanks, controls and bytes beyond ASCII
    int extras
    bint html
    Table words             # words of the closed lists
    int32_t* word_pattern   # pattern number of each


# ------------------------------------------------------------------------------------------------- marks: URLs, dates, numbers


# ------------------------------------------------------------------------------------------------------------------------ tags


cdef int64_t script_end(const uint8_t* p, int64_t i, int64_t n) noexcept nogil
cdef int64_t tag_end(const uint8_t* p, int64_t i, int64_t n, uint8_t* kind) noexcept nogil
cdef int64_t tag_form(const Spec* spec, const uint8_t* p, int64_t n, uint8_t kind, uint8_t* out) noexcept nogil


# ----------------------------------------------------------------------------------------------------------------------- UTF-8


cdef struct Bytes:
    uint8_t* data
    int64_t size
    int64_t room


cdef struct Written:
    # The code units of a str, as long as that lives.
    const void* units
    int64_t points          # how many
    int kind                # bytes of each
    bint ascii


cdef extern from "Python.h":
    int PyUnicode_KIND(object text)
    void* PyUnicode_DATA(object text)
    Py_ssize_t PyUnicode_GET_LENGTH(object text)
    bint PyUnicode_IS_ASCII(object text)


cdef inline Written written(str text):
    return Written(PyUnicode_DATA(text), PyUnicode_GET_LENGTH(text), PyUnicode_KIND(text), PyUnicode_IS_ASCII(text))


cdef int64_t count_points(const uint8_t* p, int64_t start, int64_t end) noexcept nogil
cdef int64_t skip_points(const uint8_t* p, int64_t i, int64_t number) noexcept nogil
cdef const uint8_t* utf8_of(const Written* text, bint surrogates, Bytes* room, int64_t* size) except? NULL nogil


# ------------------------------------------------------------------------------------------------------------- forms of tokens


cdef int64_t normalise(const Spec* spec, const uint8_t* p, int64_t n, uint8_t* out) noexcept nogil


cdef enum:
    CLAUSE = 1          # bits of `form_traits`: the form ends with a punctuation mark that closes something
    SENTENCE = 2        # it ends with one that ends a sentence
    COLON = 32          # it ends with a colon
    FIGURE = 64         # a number stands in it, or a sign of a program
    QUOTE = 128         # it is nothing but closing quotes
    CAPITAL = 256       # it begins with a capital letter
    TRAITS = 512        # all there may be


cdef uint16_t traits_of(const uint8_t* p, int64_t n) noexcept nogil


# ----------------------------------------------------------------------------------------------------------------- the scanner


cdef struct Tokens:
    # Tokens of one document: [start, end) in bytes, kind.
    int64_t* start
    int64_t* end
    uint8_t* kind
    int64_t size
    int64_t room


cdef void tokens_free(Tokens* t) noexcept nogil


cdef int tokens_grow(Tokens* t) except -1 nogil


cdef inline int tokens_push(Tokens* t, int64_t start, int64_t end, uint8_t kind) except -1 nogil:
    if t.size == t.room:
        tokens_grow(t)
    t.start[t.size] = start
    t.end[t.size] = end
    t.kind[t.size] = kind
    t.size += 1
    return 0


cdef int scan(const Spec* spec, const uint8_t* p, int64_t i, int64_t n, Tokens* out) except -1 nogil


cdef class Scanner:
    cdef Spec spec
