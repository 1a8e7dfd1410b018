"""Splits text into tokens: classes of characters, buffers, tables, patterns, tags, normal forms, and the scanner itself."""

from libc.stdint cimport int32_t, int64_t, uint16_t, uint32_t, uint64_t, uint8_t
from libc.string cimport memchr, memcmp, memcpy


# ------------------------------------------------------------------------------------------------------------------ characters
# Characters and short strings of UTF-8 bytes: their classes, hashes and widths.
#
# All of these functions are short and run once per character or token, so each module compiles them into its own loops.


cdef extern from *:
    """
    #include <stdint.h>
    #include <string.h>

    /* The 128-bit product of two words, folded to 64 bits: mixes eight bytes of a token in one multiplication. */
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

    /* The key of a token of at most 16 bytes: its bytes as two words a and b, zero beyond its end.  Two such tokens are
       equal if their sizes and keys are, so they are compared without reading the text again.  `end` is the end of the
       text, beyond which no byte is read.  tm_key returns the hash of the key. */
    static const uint8_t tm_key_masks[32] = {255, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255};

    static inline uint64_t tm_key_hash(uint64_t a, uint64_t b, int64_t n) {
        return tm_mix(a ^ 0xD1B54A32D192ED03ull, b ^ 0x9E3779B97F4A7C15ull ^ (uint64_t)n);
    }

    static inline uint64_t tm_key(const uint8_t *p, int64_t n, const uint8_t *end, uint64_t *a, uint64_t *b) {
        uint8_t tail[16] = {0};
        if (end - p < 16) {
            memcpy(tail, p, n);
            p = tail;
        }
        *a = tm_load(p) & tm_load(tm_key_masks + 16 - n);
        *b = tm_load(p + 8) & tm_load(tm_key_masks + 24 - n);
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


cdef inline bint is_url_byte(uint8_t c) noexcept nogil:
    if is_alnum(c):
        return True
    return 33 <= c <= 126 and memchr(b"-._~:/?#[]@!$&'()*+,;=%", c, 23) != NULL


cdef inline bint same_letters(const uint8_t* p, const char* word, int64_t n) noexcept nogil:
    """Whether n bytes are a word of ASCII letters in whatever case; `word` is in lower case."""
    cdef int64_t i
    for i in range(n):
        if (p[i] | 32) != <uint8_t>word[i]:
            return False
    return True


cdef inline uint32_t decode(const uint8_t* p, int64_t n, int* width) noexcept nogil:
    """Code point of the character at p, and its width in bytes; 0x110000 + byte, of width 1, where no character begins."""
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


cdef inline int64_t char_start(const uint8_t* p, int64_t i) noexcept nogil:
    """Where the character that ends at i > 0 begins."""
    i -= 1
    while i > 0 and (p[i] & 0xC0) == 0x80:
        i -= 1
    return i


cdef extern from "Python.h":
    bint Py_UNICODE_ISSPACE(uint32_t c) noexcept nogil


cdef inline int64_t space_end(const uint8_t* p, int64_t i, int64_t end) noexcept nogil:
    """Where the white space that begins at i ends."""
    cdef int width = 1
    while i < end and Py_UNICODE_ISSPACE(decode(p + i, end - i, &width)):
        i += width
    return i


cdef inline int64_t space_start(const uint8_t* p, int64_t i, int64_t start) noexcept nogil:
    """Where the white space that ends at i begins."""
    cdef int width = 1
    cdef int64_t k
    while i > start:
        k = char_start(p, i)
        if not Py_UNICODE_ISSPACE(decode(p + k, i - k, &width)):
            break
        i = k
    return i


cdef extern from *:
    """
    /* Classes of characters, as ranges.  Both the comparisons below and `CLASSES`, which the expressions are built from,
       are made of them.  The ranges are in the order in which the expressions have them. */

    /* Lower-case letters of the Latin, Greek and Cyrillic alphabets, without their extensions. */
    #define TM_SMALL(R) \\
        R(0x61, 0x7A) R(0xDF, 0xF6) R(0xF8, 0xFF) R(0x3B1, 0x3C9) R(0x430, 0x44F) R(0x451, 0x451)

    /* Decimal digits: ASCII, Arabic and Persian, and full-width ones. */
    #define TM_DIGITS(R) \\
        R(0x30, 0x39) R(0x660, 0x669) R(0x6F0, 0x6F9) R(0xFF10, 0xFF19)

    /* Decimal digits of the scripts from Devanagari to Malayalam, and of Thai, Lao, Tibetan, Burmese, Khmer and Mongolian. */
    #define TM_OTHER_DIGITS(R) \\
        R(0x966, 0x96F) R(0x9E6, 0x9EF) R(0xA66, 0xA6F) R(0xAE6, 0xAEF) R(0xB66, 0xB6F) R(0xBE6, 0xBEF) \\
        R(0xC66, 0xC6F) R(0xCE6, 0xCEF) R(0xD66, 0xD6F) R(0xE50, 0xE59) R(0xED0, 0xED9) R(0xF20, 0xF29) \\
        R(0x1040, 0x1049) R(0x17E0, 0x17E9) R(0x1810, 0x1819)

    /* Letters, as far as words of the closed lists need them: all characters that are no punctuation, digit, symbol or
       private use. */
    #define TM_LETTER(R) \\
        R(0x41, 0x5A) R(0x61, 0x7A) R(0xC0, 0xD6) R(0xD8, 0xF6) R(0xF8, 0x37D) R(0x37F, 0x386) R(0x388, 0x588) \\
        R(0x58B, 0x5BD) R(0x5BF, 0x5BF) R(0x5C1, 0x5C1) R(0x5C2, 0x5C2) R(0x5C4, 0x5F2) R(0x5F5, 0x5FF) \\
        R(0x620, 0x65F) R(0x66E, 0x6D3) R(0x6D5, 0x6EF) R(0x6FA, 0x963) R(0x970, 0x9E5) R(0x9F0, 0xA65) \\
        R(0xA70, 0xAE5) R(0xAF0, 0xB65) R(0xB70, 0xBE5) R(0xBF0, 0xC65) R(0xC70, 0xCE5) R(0xCF0, 0xD65) \\
        R(0xD70, 0xE4F) R(0xE5A, 0xECF) R(0xEDA, 0xF1F) R(0xF2A, 0x103F) R(0x104A, 0x135F) R(0x1369, 0x17DF) \\
        R(0x17EA, 0x180F) R(0x181A, 0x1FFF) R(0x2C00, 0x2FFF) R(0x3040, 0xD7FF) R(0xF900, 0xFE0F) \\
        R(0xFE70, 0xFEFF) R(0xFFF0, 0xFFFF) R(0x10000, 0x1EFFF)

    /* Dashes that part words although no blank is beside them. */
    #define TM_WIDE_DASH(R) \\
        R(0x2014, 0x2015)

    /* Characters that are each a token of their own: of Thai to Khmer, kana, Han, their punctuation and its full-width
       forms, but not their digits, which form numbers like others; and wide dashes. */
    #define TM_OWN_TOKEN(R) \\
        R(0xE00, 0xE4F) R(0xE5A, 0xECF) R(0xEDA, 0xEFF) R(0x1000, 0x103F) R(0x104A, 0x109F) R(0x1780, 0x17DF) \\
        R(0x17EA, 0x17FF) TM_WIDE_DASH(R) R(0x3001, 0x30FF) R(0x31F0, 0x31FF) R(0x3400, 0x4DBF) R(0x4E00, 0x9FFF) \\
        R(0xF900, 0xFAFF) R(0xFF01, 0xFF0F) R(0xFF1A, 0xFF20) R(0xFF3B, 0xFF40) R(0xFF5B, 0xFF9F) \\
        R(0x20000, 0x3FFFF)

    /* Scripts without capitals, from Hebrew and Arabic to Mongolian, and Hangul: the first character of their words does
       not show whether a word is a name. */
    #define TM_CASELESS(R) \\
        R(0x590, 0x1CFF) R(0xAC00, 0xD7FF) R(0xFB1D, 0xFDFF) R(0xFE70, 0xFEFE)

    /* Punctuation, currencies and other signs of running text that are neither letter nor digit, beyond ASCII. */
    #define TM_SIGNS(R) \\
        R(0xA1, 0xBF) R(0xD7, 0xD7) R(0xF7, 0xF7) R(0x60C, 0x60C) R(0x61B, 0x61B) R(0x61F, 0x61F) \\
        R(0x66A, 0x66D) R(0x6D4, 0x6D4) R(0x200B, 0x2027) R(0x202A, 0x202E) R(0x2030, 0x205E) R(0x2060, 0x206F) \\
        R(0x20A0, 0x20CF) R(0x2190, 0x2BFF)

    /* White space beyond ASCII (Unicode property White_Space). */
    #define TM_WIDE_SPACE(R) \\
        R(0x85, 0x85) R(0xA0, 0xA0) R(0x1680, 0x1680) R(0x2000, 0x200A) R(0x2028, 0x2028) R(0x2029, 0x2029) \\
        R(0x202F, 0x202F) R(0x205F, 0x205F) R(0x3000, 0x3000)

    /* Line breaks beyond ASCII. */
    #define TM_WIDE_BREAK(R) \\
        R(0x2028, 0x2028) R(0x2029, 0x2029)

    /* Characters beyond ASCII that an address (RFC 3987) may hold: all of two bytes in UTF-8, from Latin to Arabic, which
       are one range for regex engines that read bytes. */
    #define TM_TWO_BYTES(R) \\
        R(0xA1, 0x7FF)

    /* Joints: with the pattern "glued" on, a token ends after one of these even if a letter follows. */
    #define TM_JOINTS(R) \\
        R(0x3A, 0x3A) R(0x2F, 0x2F) R(0x29, 0x29)

    /* Signs that show, before a letter or a digit, that a word is an address. */
    #define TM_ADDRESS_SIGNS(R) \\
        R(0x2E, 0x2E) R(0x2F, 0x2F) R(0x40, 0x40) R(0x3A, 0x3A)

    /* Signs that no headline ends with, and what may close one behind its end. */
    #define TM_STOPS(R) \\
        R(0x2C, 0x2C) R(0x2E, 0x2E) R(0x3A, 0x3A) R(0x3B, 0x3B) R(0x60C, 0x60C) R(0x61B, 0x61B) R(0x6D4, 0x6D4) \\
        R(0x964, 0x964) R(0x965, 0x965) R(0x2026, 0x2026) R(0x3001, 0x3001) R(0x3002, 0x3002) R(0xFF0C, 0xFF0C) \\
        R(0xFF1A, 0xFF1A) R(0xFF1B, 0xFF1B)
    #define TM_CLOSERS(R) \\
        R(0x22, 0x22) R(0x27, 0x27) R(0x29, 0x29) R(0xBB, 0xBB) R(0x2019, 0x2019) R(0x201C, 0x201C) R(0x201D, 0x201D) R(0x203A, 0x203A) \\
        R(0x300D, 0x300D) R(0x300F, 0x300F) R(0x3011, 0x3011) R(0xFF09, 0xFF09)

    /* What a line of prose may end with, and no byline or credit does: a mark or a quote. */
    #define TM_PROSE_ENDS(R) \\
        R(0x21, 0x22) R(0x27, 0x27) R(0x2C, 0x2C) R(0x2E, 0x2E) R(0x3A, 0x3B) R(0x3F, 0x3F) R(0xBB, 0xBB) \\
        R(0x60C, 0x60C) R(0x61B, 0x61B) R(0x61F, 0x61F) R(0x6D4, 0x6D4) R(0x964, 0x964) R(0x2019, 0x2019) R(0x201C, 0x201D) \\
        R(0x2026, 0x2026) R(0x203A, 0x203A) R(0x22EF, 0x22EF) R(0x3001, 0x3002) R(0x300D, 0x300D) R(0x300F, 0x300F) \\
        R(0xFF01, 0xFF01) R(0xFF0C, 0xFF0C) R(0xFF1A, 0xFF1B) R(0xFF1F, 0xFF1F)

    /* A switch over the ranges, which the compiler turns into a tree of comparisons. */
    #define TM_CASE(low, high) case low ... high:
    #define TM_CLASS(name, ranges) \\
        static inline int tm_##name(uint32_t c) { switch (c) { ranges(TM_CASE) return 1; default: return 0; } }
    TM_CLASS(is_small, TM_SMALL)
    TM_CLASS(is_any_digit, TM_DIGITS)
    TM_CLASS(is_other_digit, TM_OTHER_DIGITS)
    TM_CLASS(is_letter, TM_LETTER)
    TM_CLASS(is_own_token, TM_OWN_TOKEN)
    TM_CLASS(is_wide_dash, TM_WIDE_DASH)
    TM_CLASS(is_caseless, TM_CASELESS)
    TM_CLASS(is_sign, TM_SIGNS)
    TM_CLASS(is_wide_space, TM_WIDE_SPACE)
    TM_CLASS(is_wide_break, TM_WIDE_BREAK)
    TM_CLASS(is_two_bytes, TM_TWO_BYTES)
    TM_CLASS(is_joint, TM_JOINTS)
    TM_CLASS(is_address_sign, TM_ADDRESS_SIGNS)
    TM_CLASS(is_stop, TM_STOPS)
    TM_CLASS(is_closer, TM_CLOSERS)
    TM_CLASS(ends_prose, TM_PROSE_ENDS)
    """
    bint is_small "tm_is_small"(uint32_t c) noexcept nogil
    bint is_any_digit "tm_is_any_digit"(uint32_t c) noexcept nogil
    bint is_other_digit "tm_is_other_digit"(uint32_t c) noexcept nogil
    bint tm_is_letter(uint32_t c) noexcept nogil
    bint is_own_token "tm_is_own_token"(uint32_t c) noexcept nogil
    bint is_wide_dash "tm_is_wide_dash"(uint32_t c) noexcept nogil
    bint is_caseless "tm_is_caseless"(uint32_t c) noexcept nogil
    bint is_sign "tm_is_sign"(uint32_t c) noexcept nogil
    bint is_wide_space "tm_is_wide_space"(uint32_t c) noexcept nogil
    bint is_wide_break "tm_is_wide_break"(uint32_t c) noexcept nogil
    bint is_two_bytes "tm_is_two_bytes"(uint32_t c) noexcept nogil
    bint is_joint "tm_is_joint"(uint32_t c) noexcept nogil
    bint is_address_sign "tm_is_address_sign"(uint32_t c) noexcept nogil
    bint is_stop "tm_is_stop"(uint32_t c) noexcept nogil
    bint is_closer "tm_is_closer"(uint32_t c) noexcept nogil
    bint ends_prose "tm_ends_prose"(uint32_t c) noexcept nogil


cdef inline bint is_letter(uint32_t c) noexcept nogil:
    """Whether c is in TM_LETTER; ASCII, which is the most frequent, is tested without the switch."""
    return is_alpha(<uint8_t>c) if c < 0x80 else tm_is_letter(c)


cdef inline bint is_all_upper(const uint8_t* p, int64_t i, int64_t end) noexcept nogil:
    """Whether [i, end) is at least two characters, all in A-Z or the capitals of Latin-1."""
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


cdef inline int64_t write_number(int64_t value, uint8_t* out) noexcept nogil:
    """Write a number >= 0 in decimal; returns how many digits it has, at most 19."""
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
    /* Prefetch memory that will be read some steps later; only a hint, so any address is allowed. */
    #if defined(__GNUC__)
    #define tm_prefetch(address) __builtin_prefetch(address)
    #else
    #define tm_prefetch(address) ((void)(address))
    #endif

    /* Allocate zeroed memory, freed by `free`, for tables that are read at random places: on large pages if the system has
       them. */
    #include <stdlib.h>
    #include <string.h>
    #if defined(__linux__)
    #include <sys/mman.h>
    #endif
    #if defined(MADV_HUGEPAGE)
    static inline void *tm_alloc_zeroed(size_t size) {
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
    static inline void *tm_alloc_zeroed(size_t size) { return calloc(size, 1); }
    #endif
    """
    void tm_prefetch(const void* address) noexcept nogil
    void* tm_alloc_zeroed(size_t size) noexcept nogil


ctypedef fused index_t:
    int32_t
    int64_t


cdef int check_within(str name, const index_t* values, int64_t n, int64_t low, int64_t high) except -1
cdef int check_bounds(str name, const int64_t* values, int64_t n, int64_t size) except -1
cdef object copy_to_array(const void* data, int64_t size, object dtype)
cdef object move_to_array(void** data, int64_t size, object dtype)
cdef int reserve(void** data, int64_t* room, int64_t wanted, int64_t item) except -1 nogil


cdef struct Occurrences:
    # Of repeats: the first rank of the interval in the suffix array, tokens, occurrences, documents.  Of matches (`_automaton`):
    # the first token, the last token, which string; df is 0.
    int64_t* position
    int32_t* length
    int32_t* count
    int32_t* df
    int64_t size
    int64_t room


cdef void occurrences_free(Occurrences* f) noexcept nogil
cdef int occurrences_push(Occurrences* f, int64_t position, int64_t length, int64_t count, int64_t df) except -1 nogil
cdef object occurrences_to_columns(Occurrences* found)


# ---------------------------------------------------------------------------------------------------------------------- tables


cdef struct Table:
    # A set of strings with ids 0, 1, ...: their bytes in one arena, open addressing by hash; a slot holds the upper half of
    # the hash and id + 1, or 0.
    uint8_t* arena
    int64_t arena_size
    int64_t arena_room
    int64_t* offset         # string i is arena[offset[i]:offset[i + 1]]
    int64_t count
    int64_t room            # offsets allocated: one more than the strings that fit
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
    """Id of a string, which is added if it is not there yet."""
    cdef uint64_t h = tm_hash(p, n)
    cdef int64_t found = table_find(t, p, n, h)
    if found >= 0:
        return found
    return table_insert(t, p, n, h)


cdef enum:
    MAX_SHORT_BYTES = 16    # bytes of the longest token that a Word can hold


cdef struct Word:
    # A short token as its key (tm_key), and its id.
    uint64_t a
    uint64_t b
    int32_t size            # bytes; 0 if the slot is empty
    int32_t id


cdef struct Words:
    # A table of short tokens by their keys, open addressing.
    Word* slots
    int64_t count
    uint64_t mask


cdef int words_init(Words* w, int64_t room) except -1 nogil
cdef void words_clear(Words* w) noexcept nogil
cdef int words_insert(Words* w, uint64_t h, uint64_t a, uint64_t b, int32_t size, int32_t id) except -1 nogil


cdef inline const Word* words_find(const Words* w, uint64_t h, uint64_t a, uint64_t b, int64_t size) noexcept nogil:
    """The entry of a short token of key (a, b), hash h and so many bytes, or NULL."""
    cdef uint64_t place = h & w.mask
    cdef const Word* slot
    while True:
        slot = w.slots + place
        if slot.a == a and slot.b == b and slot.size == size:
            return slot
        if slot.size == 0:
            return NULL
        place = (place + 1) & w.mask


# -------------------------------------------------------------------------------------------------------- settings of a scanner
# Settings of a scanner: separators, patterns that are switched on, words of the closed lists; and the numbers of the kinds.


cdef enum:
    WORD = 0        # token kinds
    TAG = 1
    RAW = 2         # script, style or comment: one token whatever it holds
    FIRST_IN_LINE = 0x80    # flag: the token is the first of its line
    LETTERS = 0x40  # flag: ASCII letters only (a token may be so without the flag)
    KIND = 0x3F     # mask: the kind without the flags


# Pattern numbers: places in `patterns.TABLE`, counted from 1 (tests/text/test_patterns.py holds the two together).
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


cpdef enum:
    MARKER = 0xFF           # first byte of a pattern in a form; the pattern's number follows
    FIRST_USER_ID = 0x80    # number of the first user-defined pattern
    MAX_SEPARATORS = 7      # separators that each byte is compared with


cdef enum:
    PLAIN = 0       # part of a token
    SPACE = 1       # ASCII white space
    SEPARATOR = 2   # a separator that is no white space (the hyphen)
    LEAD = 3        # first byte of a character that may be white space or a token of its own
    ANGLE = 4       # '<' in HTML
    JOINT = 5       # a token ends after it even if a letter follows


cdef struct Spec:
    uint8_t kind[256]       # PLAIN, SPACE, SEPARATOR, LEAD, ANGLE or JOINT, by the first byte of a character
    uint8_t on[256]         # 1 for each pattern number that is switched on
    uint8_t stop_bytes[12]  # bytes that may end a run of plain bytes, besides blanks, controls and bytes beyond ASCII
    int stop_count
    bint html
    Table words             # words of the closed lists; owned by a WordList
    int32_t* word_pattern   # pattern number of each


# --------------------------------------------------------------------------------------------- edges of lines, and their slots
# Constants that expressions (`text.slots`) and the automaton (`matching._automaton`) share.


cpdef enum:
    # Bits of a string: where in its line it must stand, and to which edge of the line its match reaches.
    BEGINS_LINE = 1
    ENDS_LINE = 2
    TO_END = 4
    TO_BEGIN = 8
    KEPT = 16           # no part of the match is to be cut (`matching._cutting`)
    HEAD = 32           # no match by itself, but the beginning of that of another string
    SPANS = 64          # the match begins with that of its head, and what is between is a filler


cdef enum:
    REACHES_EDGE = TO_END | TO_BEGIN


cpdef enum:
    # The most that a filler of a slot may hold (`text.slots`).
    SLOT_SIZE = 240             # characters, of a slot that anything may fill
    MAX_SIZED_SLOT = 120        # a slot of fewer characters than this may say how many
    MIN_BETWEEN = 2             # characters of a slot between two strings
    MAX_NAME_WORDS = 12         # words that begin with no small letter, in names after a string; 120 characters have some twenty
    MAX_SMALL_LETTERS = 4       # letters of a lower-case word in names before a string: "and", "of", "der"; prose has longer ones
    MAX_SMALL_RUN = 3           # lower-case words in a row in names after a string: "who reported from"; prose soon has more
    MAX_PLACE_WORDS = 8         # words of the place of a dateline, and of the agency behind it
    MAX_HEAD_BREAKS = 12        # line breaks before a dateline: bylines and headlines go before it
    MAX_FIGURE_WORDS = 10       # words of numbers, dates and durations after a string
    MAX_GLUED_JOINTS = 3        # joints with something after them in a word that is glued to the string: "Photo:Ann/Courier"
    MAX_GLUED_SIZE = 120        # characters of an address that is glued to the string
    MAX_HEADLINE = 160          # characters of a headline, without what closes it
    MAX_CLOSERS = 4             # characters that close it


cdef enum:
    # Kinds of fillers: 0 is anything of SLOT_SIZE characters, k < MAX_SIZED_SLOT anything of k characters; `FILLERS` names the others.
    ANYTHING = 0
    NUMBERS = 128
    DATES = 129
    DURATIONS = 130
    ADDRESS = 131
    NAMES = 132
    HEADLINES = 133             # lines behind that of the string
    DATELINE = 134              # names before it, from the beginning of a line of the head on


# ------------------------------------------------------------------------------------------------------------------------ tags


cdef int64_t script_end(const uint8_t* p, int64_t i, int64_t n) noexcept nogil
cdef int64_t tag_end(const uint8_t* p, int64_t i, int64_t n, uint8_t* kind) noexcept nogil
cdef int64_t tag_form(const Spec* spec, const uint8_t* p, int64_t n, uint8_t kind, uint8_t* out) noexcept nogil


# ----------------------------------------------------------------------------------------------------------------------- UTF-8


cdef struct Bytes:
    uint8_t* data
    int64_t size
    int64_t room


cdef struct StrView:
    # A view of the code units of a str, valid as long as the str lives.
    const void* units
    int64_t points          # code points
    int kind                # bytes of a code unit: 1, 2 or 4
    bint ascii


cdef extern from "Python.h":
    int PyUnicode_KIND(object text)
    void* PyUnicode_DATA(object text)
    Py_ssize_t PyUnicode_GET_LENGTH(object text)
    bint PyUnicode_IS_ASCII(object text)


cdef inline StrView view_str(str text):
    return StrView(PyUnicode_DATA(text), PyUnicode_GET_LENGTH(text), PyUnicode_KIND(text), PyUnicode_IS_ASCII(text))


cdef int64_t count_points(const uint8_t* p, int64_t start, int64_t end) noexcept nogil
cdef int64_t skip_points(const uint8_t* p, int64_t i, int64_t number) noexcept nogil
cdef const uint8_t* encode_utf8(const StrView* text, bint surrogates, Bytes* room, int64_t* size) except? NULL nogil


# ------------------------------------------------------------------------------------------------------------- forms of tokens


cdef int64_t normalise(const Spec* spec, const uint8_t* p, int64_t n, uint8_t* out) noexcept nogil


cdef enum:
    # Bits of `form_traits`.
    CLAUSE = 1          # the form ends with a punctuation mark that closes something
    SENTENCE = 2        # it ends with a mark that ends a sentence
    OWN = 4             # it is one character of a script without spaces
    MUTABLE = 8         # it holds a mutable pattern
    VALUE = 16          # it begins with a number
    COLON = 32          # it ends with a colon
    FIGURE = 64         # it holds a number, or looks like program code
    QUOTE = 128         # it is all closing quotes
    CAPITAL = 256       # it begins with a capital letter
    SMALL = 512         # it begins with a small letter
    BULLET = 1024       # it is a sign between the items of a list
    TRAITS = 2048       # combinations of these bits


cdef uint16_t compute_traits(const uint8_t* p, int64_t n) noexcept nogil


# ----------------------------------------------------------------------------------------------------------------- the scanner


cdef struct Tokens:
    # Tokens of one document: [start, end) in bytes, kind with flags.
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


cdef class WordList:
    cdef Table table
    cdef int32_t* pattern
    cdef Words short        # those that a Word can hold; their ids are places in `table`
    cdef object __weakref__


cdef WordList intern_word_list(list words, list numbers)


cdef class Scanner:
    cdef Spec spec
    cdef WordList word_list
