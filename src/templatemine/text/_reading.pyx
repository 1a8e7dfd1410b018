"""Makes the reading form of texts, with the way back to the original.

The input is texts as UTF-8 bytes; the output is their reading forms and the pieces that were replaced.  `text.reading` says
what the form is, and `tests/reference.py` has it once more.  Cost is linear in the bytes, sixteen at a time where nothing is
to be done; a text that is its own form is not copied.  What is not in NFC is left to the caller.
"""

from array import array

from cpython.bytes cimport PyBytes_FromStringAndSize
from cpython.unicode cimport PyUnicode_DecodeUTF8
from libc.stdint cimport int64_t, uint32_t, uint8_t
from libc.stdlib cimport free, malloc
from libc.string cimport memcmp, memcpy, memset

from templatemine.text._scan cimport (
    Bytes, StrView, Table, char_start, count_points, decode, encode_utf8, is_alnum, is_alpha, is_caseless, is_digit, is_letter,
    is_own_token, Py_UNICODE_ISSPACE, reserve, SLOT_SIZE, table_add, table_find, table_free, table_init, tm_hash, view_str,
)

__all__ = ["NOT_COMPOSED", "NUMBERING", "TITLES", "Rules", "set_composition"]

cdef extern from "Python.h":
    bint Py_UNICODE_ISALPHA(uint32_t c) noexcept nogil
    bint Py_UNICODE_ISLOWER(uint32_t c) noexcept nogil
    bint Py_UNICODE_ISUPPER(uint32_t c) noexcept nogil


cdef extern from *:
    """
    #include <stdint.h>

    /* Each of these gives the first place in [i, n) that may have to be changed, or n.

       tm_next_char: a carriage return, vertical tab or form feed, or the first byte of a character that may be folded or
       compose; not of Latin, Greek, Cyrillic and (16 bytes at a time) Arabic letters, Han and Hangul.
       tm_next_point: a place where a capital, a first byte of a character or an opening bracket follows a sign, what may be
       the last byte of a sign or, with `soft`, a small letter, a digit or any byte beyond ASCII; or where one of
       ! ( ) , : ; ? is beside a byte beyond ASCII.  Needs i >= 1. */
    static inline int tm_is_changed(uint8_t c) {
        return (c >= 11 && c <= 13) || c == 0xC2 || c == 0xCA || (c >= 0xCC && c <= 0xCE) || c == 0xD2 || (c >= 0xD6 && c <= 0xE3)
            || c == 0xEA || c == 0xED || c >= 0xEF;
    }
    static inline int tm_is_wide_sign(uint8_t c) {
        return c == '!' || c == '(' || c == ')' || c == ',' || c == ':' || c == ';' || c == '?';
    }
    static inline int tm_is_before(uint8_t c, int soft) {
        return c == '.' || c == '!' || c == '?' || c == ')' || c == ']' || c == '"' || c == '\\''
            || c == 0x94 || c == 0x9C || c == 0x9D || c == 0x9F || c == 0xA4 || c == 0xA5 || c == 0xBB
            || (soft && ((c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c >= 0x80));
    }
    static inline int tm_is_point(const uint8_t *p, int64_t i, int64_t n, int soft) {
        const uint8_t c = p[i];
        if (((c >= 'A' && c <= 'Z') || c >= 0xC0 || c == '(') && tm_is_before(p[i - 1], soft)) return 1;
        return tm_is_wide_sign(c) && (p[i - 1] >= 0x80 || (i + 1 < n && p[i + 1] >= 0x80));
    }
    #if defined(__SSE2__)
    #include <emmintrin.h>
    #define TM_OR _mm_or_si128
    #define TM_IS(v, c) _mm_cmpeq_epi8(v, _mm_set1_epi8((char)(c)))
    /* Bytes as signed numbers; both bounds on the same side of 128. */
    #define TM_WITHIN(v, low, high) \\
        _mm_and_si128(_mm_cmpgt_epi8(v, _mm_set1_epi8((char)((low) - 1))), _mm_cmplt_epi8(v, _mm_set1_epi8((char)((high) + 1))))
    static inline int64_t tm_next_char(const uint8_t *p, int64_t i, int64_t n) {
        for (; i + 17 <= n; i += 16) {
            const __m128i v = _mm_loadu_si128((const __m128i *)(p + i));
            __m128i here = TM_WITHIN(v, 11, 13);
            if (_mm_movemask_epi8(v)) {
                const __m128i after = _mm_loadu_si128((const __m128i *)(p + i + 1));
                here = TM_OR(here, TM_OR(TM_OR(TM_IS(v, 0xC2), TM_IS(v, 0xCA)), TM_OR(TM_WITHIN(v, 0xCC, 0xCE), TM_IS(v, 0xD2))));
                here = TM_OR(here, TM_OR(TM_OR(TM_WITHIN(v, 0xD6, 0xD7), TM_WITHIN(v, 0xDC, 0xE3)), TM_OR(TM_IS(v, 0xEA), TM_IS(v, 0xED))));
                here = TM_OR(here, _mm_and_si128(TM_IS(v, 0xD8), TM_WITHIN(after, 0x90, 0x9C)));
                here = TM_OR(here, _mm_and_si128(TM_IS(v, 0xD9), TM_OR(TM_OR(TM_IS(after, 0x80), TM_IS(after, 0xB0)),
                                                                       TM_WITHIN(after, 0x8B, 0x9F))));
                here = TM_OR(here, _mm_and_si128(TM_IS(v, 0xDB), TM_WITHIN(after, 0x96, 0xAD)));
                here = TM_OR(here, _mm_and_si128(_mm_cmpgt_epi8(v, _mm_set1_epi8((char)0xEE)), _mm_cmplt_epi8(v, _mm_setzero_si128())));
            }
            const unsigned hit = (unsigned)_mm_movemask_epi8(here);
            if (hit) return i + __builtin_ctz(hit);
        }
        while (i < n && !tm_is_changed(p[i])) i++;
        return i;
    }
    static inline int64_t tm_next_point(const uint8_t *p, int64_t i, int64_t n, int soft) {
        const __m128i zero = _mm_setzero_si128();
        for (; i + 17 <= n; i += 16) {
            const __m128i before = _mm_loadu_si128((const __m128i *)(p + i - 1));
            const __m128i v = _mm_loadu_si128((const __m128i *)(p + i));
            const __m128i after = _mm_loadu_si128((const __m128i *)(p + i + 1));
            const __m128i beside = TM_OR(before, after);      /* the highest bit of each byte counts */
            const __m128i open = TM_IS(v, '(');
            __m128i here = TM_OR(TM_WITHIN(v, 'A', 'Z'), open);
            __m128i left = TM_OR(TM_OR(TM_IS(before, '.'), TM_IS(before, '!')), TM_OR(TM_IS(before, '?'), TM_IS(before, ')')));
            left = TM_OR(left, TM_OR(TM_OR(TM_IS(before, ']'), TM_IS(before, '"')), TM_IS(before, '\\'')));
            if (soft)
                left = TM_OR(left, TM_OR(TM_WITHIN(before, 'a', 'z'), TM_WITHIN(before, '0', '9')));
            if (_mm_movemask_epi8(TM_OR(beside, v))) {
                here = TM_OR(here, _mm_and_si128(_mm_cmpgt_epi8(v, _mm_set1_epi8((char)0xBF)), _mm_cmplt_epi8(v, zero)));
                if (soft)
                    left = TM_OR(left, _mm_cmplt_epi8(before, zero));
                else {
                    left = TM_OR(left, TM_OR(TM_OR(TM_IS(before, 0x94), TM_WITHIN(before, 0x9C, 0x9D)), TM_IS(before, 0x9F)));
                    left = TM_OR(left, TM_OR(TM_WITHIN(before, 0xA4, 0xA5), TM_IS(before, 0xBB)));
                }
            }
            unsigned hit = (unsigned)_mm_movemask_epi8(_mm_and_si128(here, left));
            if (_mm_movemask_epi8(beside)) {
                here = TM_OR(TM_OR(open, TM_IS(v, ')')), TM_OR(TM_IS(v, ','), TM_IS(v, '!')));
                here = TM_OR(here, TM_OR(TM_OR(TM_IS(v, ':'), TM_IS(v, ';')), TM_IS(v, '?')));
                hit |= (unsigned)_mm_movemask_epi8(_mm_and_si128(here, beside));
            }
            if (hit) return i + __builtin_ctz(hit);
        }
        while (i < n && !tm_is_point(p, i, n, soft)) i++;
        return i;
    }
    #else
    static inline int64_t tm_next_char(const uint8_t *p, int64_t i, int64_t n) {
        while (i < n && !tm_is_changed(p[i])) i++;
        return i;
    }
    static inline int64_t tm_next_point(const uint8_t *p, int64_t i, int64_t n, int soft) {
        while (i < n && !tm_is_point(p, i, n, soft)) i++;
        return i;
    }
    #endif

    /* Whether the byte before i is the last one of a sign behind which a line break may have been lost, or is ASCII: of
       those beyond ASCII U+201C, U+201D, U+00BB, U+061F, U+06D4, U+0964 and U+0965 are. */
    static inline int tm_follows_sign(const uint8_t *p, int64_t i) {
        const uint8_t c = p[i - 1], b = i > 1 ? p[i - 2] : 0, a = i > 2 ? p[i - 3] : 0;
        if (c < 0x80) return 1;
        if (c == 0xBB) return b == 0xC2;
        if (c == 0x9F) return b == 0xD8;
        if (c == 0x94) return b == 0xDB;
        return a == 0xE2 ? b == 0x80 && (c == 0x9C || c == 0x9D) : a == 0xE0 && b == 0xA5 && (c == 0xA4 || c == 0xA5);
    }

    /* Whether a character with these first two bytes, of a two-byte or frequent script, surely stays as it is. */
    static inline int tm_is_kept(uint8_t a, uint8_t b) {
        switch (a) {
        case 0xC2: return b != 0x85 && b != 0xAD;
        case 0xCA: return b != 0xBC;
        case 0xCE: return b != 0x87;
        case 0xD2: return b < 0x83 || b > 0x87;
        case 0xD7: return b > 0x87;
        case 0xD8: return b > 0x9C || b < 0x90;
        case 0xD9: return (b > 0x9F && b != 0xB0) || (b > 0x80 && b < 0x8B);
        case 0xDA: return 1;
        case 0xDB: return b < 0x96 || b > 0xAD;
        case 0xE2: return b > 0x81 && b < 0x83;
        case 0xE3: return b != 0x80 && b != 0x82;
        default: return 0;
        }
    }
    """
    int64_t tm_next_char(const uint8_t* p, int64_t i, int64_t n) noexcept nogil
    int64_t tm_next_point(const uint8_t* p, int64_t i, int64_t n, bint soft) noexcept nogil
    bint tm_is_wide_sign(uint8_t c) noexcept nogil
    bint tm_is_changed(uint8_t c) noexcept nogil
    bint tm_is_kept(uint8_t a, uint8_t b) noexcept nogil
    bint tm_follows_sign(const uint8_t* p, int64_t i) noexcept nogil


NOT_COMPOSED = object()
"""Result of `Rules.read` for a text that may not be in NFC."""

cdef enum:
    NO_CHAR = 0x7FFFFFFF    # beside a text's first and last character
    COPYRIGHT = 0xA9        # a sign that begins lines
    MAX_WORD = 40           # letters of a word that are looked at
    REACH = 200             # characters before a point that are looked at
    MAX_ADDRESS = 64        # characters behind a point that may be the rest of an e-mail address
    MAX_MARKS = 30          # combining marks of a character; a text with more is left to the caller
    MAX_TAG = 1000          # characters of a tag
    MAX_LABEL = 40          # bytes of a label before a headline
    MAX_LABEL_BLANKS = 4
    MIN_ARTICLE = 1000      # characters of a text that no feed has cut off
    MAX_STAMP = 180         # bytes of a stamp in brackets that opens a text
    MAX_UNFINISHED = 64     # bytes of what the end of a text leaves of a tag without attributes, or of an entity
    MAX_TAG_NAME = 10
    MIN_WORDS_LEFT = 3      # of a sentence, where its last word is not read
    MAX_ENTITY_NAME = 32

cpdef enum:
    CUT_OFF_SPREAD = 2      # characters by which a text that is cut off is shorter where the blanks at its end are gone


# ------------------------------------------------------------------------------------------------------------------ characters


cdef inline uint32_t char_at(const uint8_t* p, int64_t i, int64_t n) noexcept nogil:
    cdef int width = 1
    return decode(p + i, n - i, &width) if 0 <= i < n else NO_CHAR


cdef inline uint32_t char_before(const uint8_t* p, int64_t* i) noexcept nogil:
    """The character that ends at i, which becomes its beginning (INOUT); NO_CHAR at the beginning of the text."""
    cdef int width = 1
    cdef int64_t end = i[0]
    if end <= 0:
        i[0] = -1
        return NO_CHAR
    i[0] = char_start(p, end)
    return decode(p + i[0], end - i[0], &width)


cdef inline int64_t next_char(const uint8_t* p, int64_t i, int64_t n) noexcept nogil:
    cdef int width = 1
    decode(p + i, n - i, &width)
    return i + width


cdef inline bint is_capital(uint32_t c) noexcept nogil:
    if c < 0x80:
        return 65 <= c <= 90
    return c <= 0x10FFFF and Py_UNICODE_ISUPPER(c)


cdef inline bint is_small(uint32_t c) noexcept nogil:
    if c < 0x80:
        return 97 <= c <= 122
    return c <= 0x10FFFF and Py_UNICODE_ISLOWER(c)


cdef inline bint is_spaced_letter(uint32_t c) noexcept nogil:
    """A letter, or a mark on one, of a script with spaces."""
    return is_letter(c) and not is_own_token(c)


cdef inline bint is_figure(uint32_t c) noexcept nogil:
    return 48 <= c <= 57


cdef inline bint is_part_of_word(const uint8_t* p, int64_t* i) noexcept nogil:
    """Whether the character that ends at i is a letter of a script with spaces or a digit; if so, i becomes its beginning."""
    cdef int64_t start = i[0]
    cdef uint32_t c = char_before(p, &start)
    if not (is_spaced_letter(c) or is_figure(c)):
        return False
    i[0] = start
    return True


cdef inline bint is_sign(uint32_t c) noexcept nogil:
    """A sign that ends sentences of scripts with spaces."""
    return c == 46 or c == 33 or c == 63 or c == 0x61F or c == 0x6D4 or c == 0x964 or c == 0x965


cdef inline bint is_closing(uint32_t c) noexcept nogil:
    return c == 41 or c == 93 or c == 34 or c == 0x201D or c == 0xBB


cdef inline bint is_opening(uint32_t c) noexcept nogil:
    return c == 40 or c == 0x201C or c == 0x201E or c == 0xAB


cdef inline bint is_han(uint32_t c) noexcept nogil:
    return (0x3001 <= c <= 0x30FF or 0x31F0 <= c <= 0x31FF or 0x3400 <= c <= 0x4DBF or 0x4E00 <= c <= 0x9FFF
            or 0xF900 <= c <= 0xFAFF or 0x20000 <= c <= 0x3FFFF)


cdef inline bint is_invisible(uint32_t c) noexcept nogil:
    if c < 0x2000:
        return c == 0xAD or c == 0x34F or c == 0x61C or c == 0x640 or 0x180B <= c <= 0x180D or c == 0x180F
    return (0x200B <= c <= 0x200F or 0x202A <= c <= 0x202E or 0x2060 <= c <= 0x2069 or 0xFE00 <= c <= 0xFE0F or c == 0xFEFF
            or 0xE0100 <= c <= 0xE01EF)


# ----------------------------------------------------------------------------------------------------------------------- edits


cdef void form_free(Form* form) noexcept nogil:
    cdef int k
    for k in range(STEPS):
        free(form.step[k].edit)
        free(form.step[k].text.data)


cdef int64_t form_room(const Form* form) noexcept nogil:
    """Bytes that its buffers hold."""
    cdef int64_t room = 0
    cdef int k
    for k in range(STEPS):
        room += form.step[k].text.room + form.step[k].room * <int64_t>sizeof(Edit)
    return room


cdef int copy_until(Step* step, const uint8_t* p, int64_t end) except -1 nogil:
    """Make the text complete up to a byte of the one before."""
    cdef int64_t size = end - step.done
    reserve(<void**>&step.text.data, &step.text.room, step.text.size + size + 1, 1)
    memcpy(step.text.data + step.text.size, p + step.done, size)
    step.text.size += size
    step.done = end
    return 0


cdef int add_edit(Step* step, const uint8_t* p, int64_t start, int64_t end, const uint8_t* new, int64_t size) except -1 nogil:
    """Replace [start, end) of p."""
    copy_until(step, p, start)
    reserve(<void**>&step.edit, &step.room, step.size + 1, sizeof(Edit))
    reserve(<void**>&step.text.data, &step.text.room, step.text.size + size + 1, 1)
    step.edit[step.size] = Edit(step.text.size, step.text.size + size, start, end)
    step.size += 1
    memcpy(step.text.data + step.text.size, new, size)
    step.text.size += size
    step.done = end
    return 0


cdef int64_t start_before(const Step* step, int64_t offset) noexcept nogil:
    """Where what begins at an offset of the new text began: before what was removed there."""
    cdef int64_t low = 0, high = step.size, middle
    while low < high:               # the first edit that does not begin before the offset
        middle = (low + high) >> 1
        if step.edit[middle].new_start < offset:
            low = middle + 1
        else:
            high = middle
    if low < step.size and step.edit[low].new_start == offset:
        return step.edit[low].start
    if low == 0:
        return offset
    if offset < step.edit[low - 1].new_end:
        return step.edit[low - 1].start
    return step.edit[low - 1].end + offset - step.edit[low - 1].new_end


cdef int64_t end_before(const Step* step, int64_t offset) noexcept nogil:
    """Where what ends at an offset of the new text ended: behind what was removed there."""
    cdef int64_t low = 0, high = step.size, middle
    while low < high:               # the first edit that ends behind the offset
        middle = (low + high) >> 1
        if step.edit[middle].new_end <= offset:
            low = middle + 1
        else:
            high = middle
    if low < step.size and step.edit[low].new_start < offset:
        return step.edit[low].end
    return step.edit[low - 1].end + offset - step.edit[low - 1].new_end if low else offset


cdef int64_t original_start(const Form* form, int64_t offset) noexcept nogil:
    """Where what begins at an offset of a reading form begins in the original."""
    cdef int k
    for k in range(form.steps - 1, -1, -1):
        offset = start_before(&form.step[k], offset)
    return offset


cdef int64_t original_end(const Form* form, int64_t offset) noexcept nogil:
    """Where what ends at an offset of a reading form ends in the original."""
    cdef int k
    for k in range(form.steps - 1, -1, -1):
        offset = end_before(&form.step[k], offset)
    return offset


# ------------------------------------------------------------------------------------------------- characters that look alike

# What composes: of each character below U+10000 its combining class, and for some of class 0 one of these; and the pairs that
# compose, as a table of their bytes.  Made when first needed.
cpdef enum:
    COMPOSED = 253          # it has marks itself, with which further ones may change places
    COMPOSES = 254          # it composes with what precedes it
    NEVER_COMPOSED = 255    # it is never in NFC


cdef uint8_t* compositions = NULL
cdef Table pairs
_make_composition = None


def set_composition(make):
    """Tell what makes the classes of 2^16 characters, and the pairs that compose: a function that gives both as bytes."""
    global _make_composition
    _make_composition = make


cdef int load_composition() except -1 with gil:
    global compositions
    cdef uint8_t* data
    cdef bytes classes, joined
    cdef int64_t i
    if compositions != NULL:
        return 0
    classes, joined = _make_composition()
    data = <uint8_t*>malloc(1 << 16)
    if data == NULL:
        raise MemoryError
    memcpy(data, <const uint8_t*>classes, 1 << 16)
    table_init(&pairs)
    for i in range(0, len(joined), 8):
        table_add(&pairs, <const uint8_t*>joined + i, 8)
    compositions = data
    return 0


cdef bint composes(uint32_t first, uint32_t second) noexcept nogil:
    cdef uint32_t pair[2]
    pair[0] = first
    pair[1] = second
    return table_find(&pairs, <const uint8_t*>pair, 8, tm_hash(<const uint8_t*>pair, 8)) >= 0


cdef bint may_compose(uint32_t c, const uint8_t* p, int64_t end) except -1 nogil:
    """Whether a character, behind `end` bytes of text, may make it one that is not in NFC."""
    cdef uint32_t before
    cdef int kind, last
    cdef int64_t i = end
    cdef int marks = 0
    if c < 0x300 or 0x2002 <= c < 0x20D0:
        return False
    if c >= 0x10000:
        return 0x10000 <= c < 0x1D400 or 0x1E000 <= c < 0x1E950 or 0x2F800 <= c < 0x2FA20
    if compositions == NULL:
        load_composition()
    kind = compositions[c]
    if kind == 0 or kind == COMPOSED or kind == NEVER_COMPOSED:
        return kind == NEVER_COMPOSED
    before = char_before(p, &i)
    if before == NO_CHAR:
        return False
    if kind == COMPOSES:
        return composes(before, c)
    last = combining_class(before)
    if last >= kind:
        return last > kind
    while last:
        before = char_before(p, &i)
        marks += 1
        if before == NO_CHAR or marks > MAX_MARKS:
            return before != NO_CHAR
        last = combining_class(before)
    return (before < 0x10000 and compositions[before] == COMPOSED) or composes(before, c)


cdef inline int combining_class(uint32_t c) noexcept nogil:
    return 0 if c >= 0x10000 or compositions[c] >= COMPOSED else compositions[c]


cdef int fold(const uint8_t* p, int64_t n, bint composed, Step* step) except -1 nogil:
    """Characters that look like others, or like nothing; returns 1 where the result may not be in NFC, unless `composed`."""
    cdef int64_t i = 0, k
    cdef int width = 1
    cdef uint32_t c
    cdef uint8_t byte
    cdef bint is_suspect
    while True:
        i = tm_next_char(p, i, n)
        if i >= n:
            break
        if p[i] < 0x80:
            k = i + 1
            if p[i] == 13:
                while k < n and p[k] >= 0x80 and is_invisible(decode(p + k, n - k, &width)):
                    k += width
            if p[i] != 13 or k >= n or p[k] != 10:
                add_edit(step, p, i, i + 1, b"\n", 1)
            i += 1
            continue
        if i + 2 < n and tm_is_kept(p[i], p[i + 1]):
            i += 2 if p[i] < 0xE0 else 3
            continue
        while i < n and tm_is_changed(p[i]) and p[i] >= 0x80:
            c = decode(p + i, n - i, &width)
            if is_invisible(c):
                add_edit(step, p, i, i + width, b"", 0)
            elif c == 0x85:
                add_edit(step, p, i, i + width, b"\n", 1)
            elif c == 0x2018 or c == 0x2019 or c == 0x2BC:
                add_edit(step, p, i, i + width, b"'", 1)
            elif c == 0x2026:
                add_edit(step, p, i, i + width, b"...", 3)
            elif 0xFF01 <= c <= 0xFF5E:
                byte = <uint8_t>(c - 0xFEE0)
                k = i
                if not tm_is_wide_sign(byte) or not (is_han(char_before(p, &k)) or is_han(char_at(p, i + width, n))):
                    add_edit(step, p, i, i + width, &byte, 1)
            elif not composed:
                if step.size:
                    copy_until(step, p, i)
                    is_suspect = may_compose(c, step.text.data, step.text.size)
                else:
                    is_suspect = may_compose(c, p, i)
                if is_suspect:
                    return 1
            i += width
    return 0


# ---------------------------------------------------------------------------------------------------------------------- markup

_BLOCK_TAGS = b"""
address article aside blockquote br center dd div dl dt figcaption figure footer h1 h2 h3 h4 h5 h6 header hr li ol p pre section
table tbody td tfoot th thead tr ul
""".split()
_INLINE_TAGS = b"""
a abbr b bdi bdo big cite code del em font i iframe img ins kbd mark q s samp small span strike strong sub sup time tt u var video
wbr
""".split()
cdef Table tag_names
cdef int64_t block_tags = len(_BLOCK_TAGS)      # the first ones
cdef bint[80] single_tags                       # whether a tag has no end of its own
table_init(&tag_names)
for _place, _name in enumerate((*_BLOCK_TAGS, *_INLINE_TAGS)):
    table_add(&tag_names, <const uint8_t*><bytes>_name, len(_name))
    single_tags[_place] = _name in (b"br", b"hr", b"img", b"wbr")


cdef inline int64_t ampersands_end(const uint8_t* p, int64_t i, int64_t n, int* count) noexcept nogil:
    """The end of the "&" at i with the "amp;" behind it, how many there are (OUT)."""
    count[0] = 0
    i += 1
    while n - i >= 4 and memcmp(p + i, b"amp;", 4) == 0:
        i += 4
        count[0] += 1
    return i


cdef inline int64_t escape_end(const uint8_t* p, int64_t i, int64_t n, uint8_t letter) noexcept nogil:
    """The end of the "&lt;" (`letter` l) or "&gt;" (g) at i, escaped once or more; else i."""
    cdef int count
    cdef int64_t end
    if p[i] != 38:
        return i
    end = ampersands_end(p, i, n, &count)
    return end + 3 if n - end >= 3 and p[end] == letter and p[end + 1] == 116 and p[end + 2] == 59 else i


cdef int64_t closing_end(const uint8_t* p, int64_t i, int64_t n) noexcept nogil:
    """The end of the ">" or "&gt;" at i, or of the text there; else -1."""
    cdef int64_t end
    if i >= n:
        return n
    if p[i] == 62:
        return i + 1
    end = escape_end(p, i, n, 103)
    return end if end > i else -1


cdef bint read_tag(const uint8_t* p, int64_t i, int64_t n, Tag* tag) noexcept nogil:
    """Read the tag at i, plain or escaped (OUT); False if there is none.  One that the text's end cuts off is a tag, too."""
    cdef int64_t start, end, after, size = 0
    cdef uint8_t name[12]
    start = i + 1 if p[i] == 60 else escape_end(p, i, n, 108)
    if start == i:
        return False
    tag.start = i
    tag.closes = start < n and p[start] == 47
    if tag.closes:
        start += 1
    end = start
    while end < n and is_alnum(p[end]):
        if end - start >= 12:
            return False
        name[end - start] = p[end] | 32 if is_alpha(p[end]) else p[end]
        end += 1
    tag.name = <int>table_find(&tag_names, name, end - start, tm_hash(name, end - start)) if end > start else -1
    if tag.name < 0:
        return False
    tag.block = tag.name < block_tags
    tag.single = single_tags[tag.name]
    after = closing_end(p, end, n)
    if after < 0 and not (p[end] == 32 or 9 <= p[end] <= 13 or p[end] == 47):
        return False
    while after < 0:
        if size > MAX_TAG or p[end] == 60 or (p[end] == 38 and escape_end(p, end, n, 108) > end):
            return False
        end = next_char(p, end, n)
        size += 1
        after = closing_end(p, end, n)
    tag.end = after
    tag.whole = end < n
    return True


cdef int64_t entity_end(const Table* entities, const uint8_t* p, int64_t i, int64_t n, uint32_t* code, int64_t* name) noexcept nogil:
    """The end of the entity at i; -1 if there is none.

    Either `code` (OUT) is the number of its character, or `name` (OUT) its place among the entities.
    """
    cdef int count
    cdef int64_t start = ampersands_end(p, i, n, &count), end = start, digits
    cdef uint32_t value = 0
    name[0] = -1
    if end < n and p[end] == 35:
        end += 1
        digits = end
        if end < n and (p[end] | 32) == 120:
            end += 1
            digits = end
            while end < n and end - digits < 7 and (is_digit(p[end]) or 97 <= (p[end] | 32) <= 102):
                value = value << 4 | (p[end] - 48 if is_digit(p[end]) else (p[end] | 32) - 87)
                end += 1
            if end - digits > 6:
                end = digits
        else:
            while end < n and end - digits < 8 and is_digit(p[end]):
                value = value * 10 + p[end] - 48
                end += 1
            if end - digits > 7:
                end = digits
        if end > digits and end < n and p[end] == 59:
            code[0] = value
            return end + 1
    else:
        while end < n and end - start < 33 and is_alnum(p[end]):
            end += 1
        if end > start and is_alpha(p[start]) and end < n and p[end] == 59:
            name[0] = table_find(entities, p + start, end - start, tm_hash(p + start, end - start))
            if name[0] >= 0:
                return end + 1
    if count == 0:
        return -1
    name[0] = table_find(entities, b"amp", 3, tm_hash(<const uint8_t*>b"amp", 3))
    return start


cdef int64_t unfinished_start(const uint8_t* p, int64_t n) noexcept nogil:
    """Where a tag or an entity begins of which the end of the text leaves the first characters; n if there is none."""
    cdef int64_t found = n, i, end, room
    cdef int count
    for i in range(n - 1, max(n - MAX_UNFINISHED, 0) - 1, -1):
        if p[i] != 60 and p[i] != 38:
            continue
        end = i + 1 if p[i] == 60 else escape_end(p, i, n, 108)
        room = MAX_TAG_NAME
        if end > i:
            if end < n and p[end] == 47:
                end += 1
        else:
            end = ampersands_end(p, i, n, &count)
            room = MAX_ENTITY_NAME
            if end < n and p[end] == 35:
                end += 1
        while room and end < n and is_alnum(p[end]):
            end += 1
            room -= 1
        if end == n:
            found = i
    return found


cdef int write_char(uint32_t c, uint8_t* out) noexcept nogil:
    if c < 0x80:
        out[0] = <uint8_t>c
        return 1
    if c < 0x800:
        out[0] = <uint8_t>(0xC0 | c >> 6)
        out[1] = <uint8_t>(0x80 | c & 0x3F)
        return 2
    if c < 0x10000:
        out[0] = <uint8_t>(0xE0 | c >> 12)
        out[1] = <uint8_t>(0x80 | c >> 6 & 0x3F)
        out[2] = <uint8_t>(0x80 | c & 0x3F)
        return 3
    out[0] = <uint8_t>(0xF0 | c >> 18)
    out[1] = <uint8_t>(0x80 | c >> 12 & 0x3F)
    out[2] = <uint8_t>(0x80 | c >> 6 & 0x3F)
    out[3] = <uint8_t>(0x80 | c & 0x3F)
    return 4


cdef uint32_t[32] windows = [   # what numbers from 128 mean to browsers
    0x20AC, 0x81, 0x201A, 0x192, 0x201E, 0x2026, 0x2020, 0x2021, 0x2C6, 0x2030, 0x160, 0x2039, 0x152, 0x8D, 0x17D, 0x8F,
    0x90, 0x2018, 0x2019, 0x201C, 0x201D, 0x2022, 0x2013, 0x2014, 0x2DC, 0x2122, 0x161, 0x203A, 0x153, 0x9D, 0x17E, 0x178,
]


cdef uint32_t replace_number(uint32_t code) noexcept nogil:
    """The character of a number: what it means to browsers, U+FFFD if there is none."""
    if code == 0 or 0xD800 <= code < 0xE000 or code > 0x10FFFF:
        return 0xFFFD
    return windows[code - 0x80] if 0x80 <= code < 0xA0 else code


cdef uint32_t resolve_number(uint32_t code) noexcept nogil:
    """The same as `html.unescape` has it: 0 for what it leaves out."""
    if code and (code < 9 or code == 11 or 14 <= code < 32 or code == 127 or 0xFDD0 <= code < 0xFDF0
                 or (code <= 0x10FFFF and (code & 0xFFFE) == 0xFFFE)):
        return 0
    return replace_number(code)


cdef int write_reference(uint32_t code, uint8_t* out) noexcept nogil:
    """Write the character of a number as `html.unescape` does; returns the bytes written."""
    code = resolve_number(code)
    return write_char(code, out) if code else 0


# ----------------------------------------------------------------------------------------------------------------- glue points


cdef int64_t letters_start(const uint8_t* p, int64_t end, int* count) noexcept nogil:
    """Where the letters that end there begin, and how many they are (OUT)."""
    cdef int64_t start = end, i = end
    count[0] = 0
    while count[0] < MAX_WORD:
        if not is_spaced_letter(char_before(p, &i)):
            break
        start = i
        count[0] += 1
    return start


cdef bint is_year(const uint8_t* p, int64_t end) noexcept nogil:
    return end >= 4 and is_digit(p[end - 1]) and is_digit(p[end - 2]) and is_digit(p[end - 3]) and is_digit(p[end - 4])


cdef bint begins_text(const uint8_t* p, int64_t i, int64_t n) noexcept nogil:
    """Whether a sentence may begin at a letter."""
    cdef uint32_t c = char_at(p, i, n), after
    cdef int count = 0
    if is_capital(c):
        after = char_at(p, next_char(p, i, n), n)
        if not (is_spaced_letter(after) or after == 39 or after == 32 or after == 0xA0):
            return False
    elif not (is_spaced_letter(c) and is_caseless(c)):
        return False
    while count <= 3 and is_spaced_letter(char_at(p, i, n)):
        i = next_char(p, i, n)
        count += 1
    return count > 3 or char_at(p, i, n) != 46


cdef bint is_address(const uint8_t* p, int64_t point, int64_t n) noexcept nogil:
    """Whether a point lies in an address, a path, or the name of an account."""
    cdef int64_t start = point, i = point, k
    cdef uint32_t c
    cdef int count = 0
    while count < REACH:
        c = char_before(p, &i)
        if c == NO_CHAR or (c <= 0x10FFFF and Py_UNICODE_ISSPACE(c)):
            break
        start = i
        count += 1
    for k in range(start, point):
        if p[k] == 64 or p[k] == 35 or p[k] == 95 or p[k] == 92:
            return True
        if p[k] == 58 and point - k >= 3 and p[k + 1] == 47 and p[k + 2] == 47:
            return True
        if p[k] == 119 and point - k >= 4 and memcmp(p + k, b"www.", 4) == 0:
            return True
    i = point
    while i < n and i - point < MAX_ADDRESS and (is_alnum(p[i]) or p[i] == 46 or p[i] == 45 or p[i] == 43 or p[i] == 95):
        i += 1
    return i < n and p[i] == 64


cdef bytes encode_word(str word):
    return word.encode("utf-8", "surrogatepass")


cdef tuple fill_table(Table* table, str words):
    """Add some words, as they are and with a capital, to a table that is made here; return all that are in it."""
    cdef bytes name
    cdef tuple forms = tuple([form for word in words.split() for form in (word, word.capitalize())])
    table_init(table)
    for form in forms:
        name = encode_word(form)
        table_add(table, <const uint8_t*>name, len(name))
    return forms


cdef Table numbering
NUMBERING = fill_table(
    &numbering,
    "no nos nr nrs num núm art arts p pp pag pág vol vols fig figs ch chap cap sec sect par pt bd abb abs str rys poz ust tab "
    "č čl ст стр рис гл табл п",
)
"""Words that have a full stop before a number: no sentence begins there."""
cdef Table titles
TITLES = fill_table(
    &titles,
    "mr mrs ms mx dr drs prof sen rep gov gen lt col cpl capt cmdr maj sgt pvt adm rev hon pres supt st mt ft messrs "
    "sr sra srta dña lic ing arq mme mlle mgr sig dott avv hr dipl bsc msc phd nt pn doc mudr judr phdr",
)
"""Words that have a full stop before a name: no sentence begins there."""


cdef bint ends_sentence(const uint8_t* p, int64_t point, int64_t n, int64_t last_point, bint spaced) noexcept nogil:
    """Whether what stands before a point ends a sentence, by the word before its signs.

    A word that begins at the glue point before, if there is one, begins a line.  Where a blank follows (`spaced`), no address
    goes on, and "Ann Hill/AP." ends, too.
    """
    cdef int64_t end = point, i = point, start
    cdef int signs = 0, letters
    cdef uint32_t last, other, before
    while signs < REACH and is_sign(char_before(p, &i)):
        end = i
        signs += 1
    i = end
    last = char_before(p, &i)
    other = char_before(p, &i) if last != NO_CHAR else NO_CHAR
    if signs > 1 or p[end] != 46:
        return is_spaced_letter(last) or is_figure(last) or is_closing(last) or last == 39 or last == 37
    if is_closing(last) or last == 39 or last == 37:
        return True
    if is_figure(last):
        return is_year(p, end)
    if not (is_spaced_letter(last) and is_spaced_letter(other)):
        return False
    start = letters_start(p, end, &letters)
    i = start
    before = char_before(p, &i)
    if start != last_point and (before == 46 or before == 95 or before == 92 or before == 64 or (before == 47 and not spaced)):
        return False
    if table_find(&titles, p + start, end - start, tm_hash(p + start, end - start)) >= 0:
        return False
    if is_capital(last):
        return is_capital(other) and not (
            is_capital(char_at(p, point, n)) and is_capital(char_at(p, next_char(p, point, n), n)))
    if is_small(last) and not is_small(other):
        return False
    return not (is_capital(char_at(p, start, n)) and letters <= 3)


cdef bint is_own_bracket(const uint8_t* p, int64_t closing) noexcept nogil:
    """Whether a bracket that closes there is no part of a word: it begins behind none, or holds a blank."""
    cdef uint32_t opening = 91 if p[closing] == 93 else 40, c
    cdef int64_t i = closing
    cdef int _count
    cdef bint blank = False
    for _count in range(REACH - 1):
        c = char_before(p, &i)
        if c == NO_CHAR or c == 10:
            return False
        if c == opening:
            c = char_before(p, &i)
            return blank or not (is_spaced_letter(c) or is_figure(c))
        blank = blank or c == 32 or c == 0xA0
    return False


cdef bint closes_german_quote(const uint8_t* p, int64_t place) noexcept nogil:
    """Whether the quote there closes one that began low."""
    cdef uint32_t c
    cdef int _count
    for _count in range(REACH):
        c = char_before(p, &place)
        if c == NO_CHAR or c == 10 or 0x201C <= c <= 0x201D:
            return False
        if c == 0x201E:
            return True
    return False


cdef bint is_hard(
        const uint8_t* p, int64_t n, int64_t i, uint32_t before, int64_t before_start, uint32_t c, int64_t last_point) noexcept nogil:
    """Whether a line break was lost at i, between a sign and a character that may begin text."""
    cdef int64_t k = before_start
    cdef uint32_t inner
    if c == COPYRIGHT:
        return is_sign(before) and ends_sentence(p, i, n, last_point, False) and not is_address(p, i, n)
    if is_opening(c):
        if not is_sign(before) or not begins_text(p, next_char(p, i, n), n):
            return False
        if c == 0x201C and closes_german_quote(p, i):
            return False
        return ends_sentence(p, i, n, last_point, False) and not is_address(p, i, n)
    if is_sign(before):
        return begins_text(p, i, n) and not is_address(p, i, n) and ends_sentence(p, i, n, last_point, False)
    if not is_capital(c):           # a particle, as Korean has them behind quotes and brackets
        return False
    # What is told by one character first: an opening quote is before many a capital.
    inner = char_before(p, &k)
    if before == 41 or before == 93:
        if not is_own_bracket(p, before_start):
            return False
    elif not (is_sign(inner) or before != 39 and (is_spaced_letter(inner) or inner == 41 or inner == 93)):
        return False
    if before == 0x201C and not closes_german_quote(p, before_start):
        return False
    return begins_text(p, i, n) and not is_address(p, i, n)


cdef bint ends_line(const uint8_t* p, int64_t point, int64_t n) noexcept nogil:
    """Whether a sentence ends at a point, behind closing quotes and brackets or none."""
    cdef int64_t i = point, k
    cdef uint32_t c
    cdef int _count
    for _count in range(4):
        k = i
        c = char_before(p, &k)
        if is_sign(c):
            return ends_sentence(p, i, n, -1, True)
        if not is_closing(c) and c != 0x201C and c != 39:
            return False
        i = k
    return False


cdef inline bint is_own_stop(uint32_t c) noexcept nogil:
    """A sign that ends sentences of scripts without spaces."""
    return c == 0x3002 or c == 0xFF01 or c == 0xFF1F


cdef bint is_closed(const uint8_t* p, int64_t end) noexcept nogil:
    """Whether text that ends there has a sign that ends sentences, behind closing quotes and brackets or none."""
    cdef int64_t i = end
    cdef uint32_t c
    cdef int _count
    for _count in range(4):
        c = char_before(p, &i)
        if is_sign(c) or is_own_stop(c):
            return True
        if not is_closing(c) and c != 0x201C and c != 39 and c != 0x300D and c != 0x300F and c != 0xFF09:
            return False
    return False


cdef bint is_headline(const uint8_t* p, int64_t start, int64_t end) noexcept nogil:
    """Whether text up to the end of a stretch is short and ends without a sign, as headlines do, and labels before them."""
    while end > start and p[end - 1] == 32:
        end -= 1
    return end - start <= 4 * SLOT_SIZE and count_points(p, start, end) <= SLOT_SIZE and not is_closed(p, end)


cdef inline bint is_whole(const uint8_t* p, int64_t end, int64_t n) noexcept nogil:
    """Whether a stretch ends with a line feed, or the end of a text that no feed has cut off."""
    return end < n or count_points(p, 0, n) >= MIN_ARTICLE


cdef bint numbers(const uint8_t* p, int64_t point) noexcept nogil:
    """Whether one of `NUMBERING` and its full stop stand before a point."""
    cdef int64_t start
    cdef int letters
    if point < 2 or p[point - 1] != 46:
        return False
    start = letters_start(p, point - 1, &letters)
    return table_find(&numbering, p + start, point - 1 - start, tm_hash(p + start, point - 1 - start)) >= 0


cdef bint has_one_label(const uint8_t* p, int64_t start, int64_t end) noexcept nogil:
    """Whether text begins with a few words of one sentence and a colon, and has no other colon before a blank."""
    cdef int64_t i = start
    cdef int blanks = 0
    while i < min(end - 1, start + MAX_LABEL) and blanks <= MAX_LABEL_BLANKS and p[i] != 58 and not is_sign(p[i]):
        blanks += p[i] == 32
        i += 1
    if i == start or i >= end - 1 or p[i] != 58 or p[i + 1] != 32 or blanks > MAX_LABEL_BLANKS:
        return False
    for i in range(i + 1, end - 1):
        if p[i] == 58 and p[i + 1] == 32:
            return False
    return True


cdef int64_t stamp_end(const uint8_t* p, int64_t n) noexcept nogil:
    """Where a stamp between brackets of scripts without spaces ends that opens a text, if text follows it; else 0."""
    cdef int64_t i = 0, k
    cdef uint32_t c = char_at(p, 0, n)
    cdef uint32_t partner = 0xFF09 if c == 0xFF08 else c + 1
    if c != 0xFF08 and c != 0x3010 and c != 0x3014:
        return 0
    while i < min(n, MAX_STAMP):
        k = i
        i = next_char(p, i, n)
        c = char_at(p, k, n)
        if c == partner:
            k = i
            while i < n and p[i] == 32:
                i += 1
            return k if i < n and p[i] != 10 and k <= MAX_STAMP else 0
        if p[k] == 10 or is_own_stop(c) or (k > 0 and (c == 0xFF08 or c == 0x3010 or c == 0x3014)):
            return 0
    return 0


cdef int part_sentences(const uint8_t* p, int64_t n, Step* step) except -1 nogil:
    """The blanks between sentences become line feeds, and sentences of scripts without spaces end with one; sentences of a
    headline behind a glue point stay together.  The end of a short text may be cut off, and tells nothing."""
    cdef int64_t start = stamp_end(p, n), end = start
    if start:
        while end < n and p[end] == 32:
            end += 1
        add_edit(step, p, start, end, b"\n", 1)
        start = end
    while start < n:
        end = start
        while end < n and p[end] != 10:
            end += 1
        if start == 0 or not is_headline(p, start, end) or not is_whole(p, end, n):
            part_stretch(p, start, end, n, step)
        start = end + 1
    return 0


cdef int part_stretch(const uint8_t* p, int64_t i, int64_t stretch_end, int64_t n, Step* step) except -1 nogil:
    """Part the sentences of a stretch between line feeds; those of a headline that ends it stay together behind its label."""
    cdef int64_t end
    cdef uint32_t c
    while i < stretch_end:
        if p[i] == 32:
            end = i
            while end < n and p[end] == 32:
                end += 1
            if (end < n and p[end] != 10 and not is_small(char_at(p, end, n)) and ends_line(p, i, n)
                    and not (is_digit(p[end]) and numbers(p, i))):
                add_edit(step, p, i, end, b"\n", 1)
                if has_one_label(p, end, stretch_end) and is_headline(p, end, stretch_end) and is_whole(p, stretch_end, n):
                    return 0
            i = end
        elif (p[i] == 0xE3 or p[i] == 0xEF) and is_own_stop(char_at(p, i, n)):
            while i < n:
                c = char_at(p, i, n)
                if not is_own_stop(c) and c != 0x300D and c != 0x300F and c != 0x201D and c != 0xFF09:
                    break
                i = next_char(p, i, n)
            if i < n and p[i] != 10 and p[i] != 32:
                add_edit(step, p, i, i, b"\n", 1)
        else:
            i += 1
    return 0


cdef inline bint may_end(uint32_t c) noexcept nogil:
    """A sign behind which a line break may have been lost."""
    return is_sign(c) or is_closing(c) or c == 0x201C or c == 39


cdef struct Halves:
    # A word with a soft point.
    int64_t start
    int64_t point
    int64_t end


cdef bint find_halves(const uint8_t* p, int64_t n, int64_t i, Halves* word) noexcept nogil:
    """The word with the soft point i (OUT), a capital behind a small letter or a digit; False if there is none."""
    cdef int64_t k, end
    cdef int _count, letters
    cdef uint32_t c, last
    k = next_char(p, i, n)
    if not is_small(char_at(p, k, n)):
        for _count in range(3):
            if not is_capital(char_at(p, k, n)):
                return False
            k = next_char(p, k, n)
    word.point = i
    word.start = letters_start(p, i, &letters)
    if letters == 0:
        word.start = i - 4
        if not is_year(p, i) or (i > 4 and is_digit(p[i - 5])):
            return False
    else:
        k = char_start(p, i)
        if not is_small(char_before(p, &k)):
            return False
    if is_address(p, i, n):
        return False
    last = char_at(p, i, n)
    end = next_char(p, i, n)
    for _count in range(1, MAX_WORD):
        c = char_at(p, end, n)
        if not is_spaced_letter(c) or (is_capital(c) and not is_capital(last)):
            break
        last = c
        end = next_char(p, end, n)
    word.end = end
    return True


cdef inline bint is_soft_place(const uint8_t* p, int64_t n, int64_t i, uint32_t* before) noexcept nogil:
    cdef int64_t k = i
    before[0] = char_before(p, &k)
    return (is_small(before[0]) or is_figure(before[0])) and is_capital(char_at(p, i, n))


# --------------------------------------------------------------------------------------------------------- what is cut off


cdef inline bint is_blank(uint8_t c) noexcept nogil:
    return c == 32 or c == 9


cdef bint is_sentence_end(const uint8_t* p, int64_t n) noexcept nogil:
    """Whether a text ends with a sign that ends sentences, a closing bracket or quote behind it aside."""
    cdef int64_t end = n
    cdef uint32_t c = char_before(p, &end)
    if is_closing(c):
        c = char_before(p, &end)
    return c != NO_CHAR and is_sign(c)


cdef int drop_last_word(const uint8_t* p, int64_t n, Step* step) except -1 nogil:
    """What is left of the last word of a text, if other words of its sentence stand before it."""
    cdef int64_t start = n, i
    cdef int words = 0
    while is_part_of_word(p, &start):
        pass
    if start == n:
        return 0
    i = start
    while i > 0 and is_blank(p[i - 1]):
        i -= 1
    if i == start:
        return 0
    start = i
    while i > 0 and p[i - 1] != 10 and not is_sentence_end(p, i):
        while i > 0 and p[i - 1] != 10 and not is_blank(p[i - 1]):
            i -= 1
        words += 1
        if words == MIN_WORDS_LEFT:
            add_edit(step, p, start, n, b"", 0)
            return 0
        while i > 0 and is_blank(p[i - 1]):
            i -= 1
    return 0


# ----------------------------------------------------------------------------------------------------------------------- rules


cdef class Rules:
    """Reads texts by the rules of a source.

    Parameters
    ----------
    soft, sentences : bool
    starts, whole : sequence of str
        See `ReadingRules`.
    entities : dict of str to str
        Names of entities without "&" and ";", and what they stand for; None if texts hold no mark-up.
    cut_off : int
        See `ReadingRules`.
    """

    def __cinit__(self, bint soft, starts, whole, bint sentences, dict entities, int64_t cut_off=0):
        cdef bytes name
        cdef Table* tables[4]
        cdef int k
        cdef int64_t place
        tables[0] = &self.starts
        tables[1] = &self.whole
        tables[2] = &self.entities
        tables[3] = &self.characters
        for k in range(4):
            memset(tables[k], 0, sizeof(Table))
        for k in range(4):
            table_init(tables[k])
        self.meaning = NULL
        self.soft = soft
        self.sentences = sentences
        self.cut_off = cut_off
        self.markup = entities is not None
        for k, words in enumerate((starts, whole)):
            for word in words:
                name = encode_word(word)
                table_add(tables[k], <const uint8_t*>name, len(name))
        if entities is None:
            return
        self.meaning = <int64_t*>malloc((len(entities) + 1) * sizeof(int64_t))
        if self.meaning == NULL:
            raise MemoryError
        for word, character in entities.items():
            name = encode_word(word)
            place = table_add(&self.entities, <const uint8_t*>name, len(name))
            name = encode_word(character)
            self.meaning[place] = table_add(&self.characters, <const uint8_t*>name, len(name))

    def __dealloc__(self):
        table_free(&self.starts)
        table_free(&self.whole)
        table_free(&self.entities)
        table_free(&self.characters)
        free(self.meaning)

    cdef bint _read(self, const uint8_t* p, int64_t n, Form* form) except -1 nogil:
        """Read a text (OUT); False if it may not be in NFC, and the caller has to read it otherwise."""
        return self._read_steps(p, n, 0, STEPS, False, form) == 0

    cdef int _read_steps(self, const uint8_t* p, int64_t n, int first, int end, bint composed, Form* form) except -1 nogil:
        """Some of the steps; returns 1 if the text may not be in NFC, unless `composed`."""
        cdef Step* step
        cdef int k, failed = 0
        cdef bint is_cut_off = first == 0 and self._is_cut_off(p, n)
        form.steps = 0
        for k in range(first, end):
            if (k == 0 and not self.markup) or (k == 1 and not is_cut_off) or (k == 4 and not self.sentences):
                continue
            step = &form.step[form.steps]
            step.size = step.text.size = step.done = 0
            if k == 0:
                is_cut_off = self._decode(p, n, is_cut_off, step) and is_cut_off
            elif k == 1:
                drop_last_word(p, n, step)
            elif k == 2:
                failed = fold(p, n, composed, step)
            elif k == 3:
                self._part(p, n, step)
            else:
                part_sentences(p, n, step)
            if failed:
                return 1
            if step.size:
                copy_until(step, p, n)
                p = step.text.data
                n = step.text.size
                form.steps += 1
        form.text = p
        form.size = n
        return 0

    cdef bint _is_cut_off(self, const uint8_t* p, int64_t n) noexcept nogil:
        if self.cut_off == 0 or n < self.cut_off - CUT_OFF_SPREAD or n > 4 * self.cut_off:
            return False
        return self.cut_off - CUT_OFF_SPREAD <= count_points(p, 0, n) <= self.cut_off

    cdef bint _decode(self, const uint8_t* p, int64_t n, bint is_cut_off, Step* step) except -1 nogil:
        """Tags and entities, and nothing of one that goes on where the text is cut off; returns whether there is none such."""
        cdef int64_t size = unfinished_start(p, n) if is_cut_off else n, end = size
        cdef bint is_within = self._decode_markup(p, size, step)
        if size < n:
            while not is_within and end > step.done and is_blank(p[end - 1]):
                end -= 1
            add_edit(step, p, end, n, b"", 0)
        return size == n and not is_within

    cdef bint _decode_markup(self, const uint8_t* p, int64_t n, Step* step) except -1 nogil:
        """Tags and entities; returns whether the text ends within a tag, which is read as text if its line shows nothing else.
        """
        cdef int64_t i = 0, end, name = -1, place
        cdef uint32_t code = 0
        cdef uint8_t character[4]
        cdef Tag tag
        cdef bint shown = True      # whether the line shows anything
        cdef bint is_unfinished = False
        while i < n:
            if p[i] != 60 and p[i] != 38:
                shown = p[i] != 10 and (shown or p[i] > 32)
                i += 1
                continue
            if read_tag(p, i, n, &tag):
                is_unfinished = not tag.whole
                if tag.whole or shown:
                    shown = shown and not tag.block
                    add_edit(step, p, i, tag.end, b"\n", tag.block)
                    i = tag.end
                    continue
            shown = True
            end = entity_end(&self.entities, p, i, n, &code, &name) if p[i] == 38 else -1
            if end < 0:
                i += 1
                continue
            if name >= 0:
                place = self.meaning[name]
                add_edit(step, p, i, end, self.characters.arena + self.characters.offset[place],
                         self.characters.offset[place + 1] - self.characters.offset[place])
            else:
                add_edit(step, p, i, end, character, write_reference(code, character))
            i = end
        return is_unfinished

    cdef int _part(self, const uint8_t* p, int64_t n, Step* step) except -1 nogil:
        """Glue points, and signs beside Han."""
        cdef int64_t i = 1, start, last_point = -1
        cdef uint32_t c, before
        cdef uint8_t wide[3]
        if n and tm_is_wide_sign(p[0]) and is_han(char_at(p, 1, n)):
            write_char(p[0] + 0xFEE0, wide)
            add_edit(step, p, 0, 1, wide, 3)
        while True:
            i = tm_next_point(p, i, n, self.soft)
            if i >= n:
                return 0
            if p[i] >= 0x80 and not self.soft and not tm_follows_sign(p, i):
                i += 1
                continue
            start = i
            before = char_before(p, &start)
            c = char_at(p, i, n)
            if is_capital(c) or is_opening(c) or c == COPYRIGHT or (is_caseless(c) and is_spaced_letter(c)):
                if self.soft and is_capital(c) and (is_small(before) or is_figure(before)):
                    if self._is_soft(p, n, i):
                        add_edit(step, p, i, i, b"\n", 1)
                        last_point = i
                elif may_end(before) and is_hard(p, n, i, before, start, c, last_point):
                    add_edit(step, p, i, i, b"\n", 1)
                    last_point = i
            if c < 0x80 and tm_is_wide_sign(<uint8_t>c) and (is_han(before) or is_han(char_at(p, i + 1, n))):
                write_char(c + 0xFEE0, wide)
                add_edit(step, p, i, i + 1, wide, 3)
            i += 1
        return 0

    cdef bint _is_soft(self, const uint8_t* p, int64_t n, int64_t i) noexcept nogil:
        """Whether a word is parted before a capital behind a small letter or a digit."""
        cdef Halves word
        if not find_halves(p, n, i, &word):
            return False
        if table_find(&self.whole, p + word.start, word.end - word.start, tm_hash(p + word.start, word.end - word.start)) >= 0:
            return False
        if not is_capital(char_at(p, word.start, n)):
            return True
        return table_find(&self.starts, p + i, word.end - i, tm_hash(p + i, word.end - i)) >= 0

    def read(self, str text not None, int first=0, int end=STEPS, bint composed=False, bint with_edits=True, bint encoded=False):
        """The reading form of a text, of the steps from `first` up to `end`.

        Returns
        -------
        (str, list of array), bytes, None or NOT_COMPOSED
            The form, and for each step the edits: new start, new end, start and end of each, in code points; without edits the
            form in UTF-8.  None if the text is its own form; if it is to be `encoded`, only of one in ASCII.
        """
        cdef StrView view = view_str(text)
        cdef Bytes utf8 = Bytes(NULL, 0, 0)
        cdef Form form
        cdef const uint8_t* p
        cdef int64_t n = 0
        cdef int k, failed
        memset(&form, 0, sizeof(Form))
        try:
            with nogil:
                p = encode_utf8(&view, True, &utf8, &n)
                failed = self._read_steps(p, n, first, end, composed, &form)
            if failed:
                return NOT_COMPOSED
            if form.steps == 0 and (view.ascii or not encoded):
                return None
            if not with_edits:
                return PyBytes_FromStringAndSize(<const char*>form.text, form.size)
            steps = []
            for k in range(form.steps):
                steps.append(edits_in_points(&form.step[k], p))
                p = form.step[k].text.data
            return PyUnicode_DecodeUTF8(<const char*>form.text, form.size, "surrogatepass"), steps
        finally:
            form_free(&form)
            free(utf8.data)

    def holds_markup(self, str text not None):
        """Whether a text holds tags or entities, by rules that decode them."""
        cdef StrView view = view_str(text)
        cdef Bytes utf8 = Bytes(NULL, 0, 0)
        cdef int64_t n = 0, i, name = -1
        cdef const uint8_t* p
        cdef uint32_t code = 0
        cdef Tag tag
        try:
            p = encode_utf8(&view, True, &utf8, &n)
            for i in range(n):
                if p[i] == 60 or p[i] == 38:
                    if read_tag(p, i, n, &tag):
                        return True
                    if p[i] == 38 and entity_end(&self.entities, p, i, n, &code, &name) >= 0:
                        return True
            return False
        finally:
            free(utf8.data)

    def soft_points(self, str text not None):
        """The words with a soft point, as (left half, right half)."""
        cdef StrView view = view_str(text)
        cdef Bytes utf8 = Bytes(NULL, 0, 0)
        cdef const uint8_t* p
        cdef int64_t n = 0, i = 1
        cdef Halves word
        cdef uint32_t before
        cdef list found = []
        try:
            p = encode_utf8(&view, True, &utf8, &n)
            while True:
                i = tm_next_point(p, i, n, True)
                if i >= n:
                    return found
                if is_soft_place(p, n, i, &before) and find_halves(p, n, i, &word):
                    found.append(((<const char*>p)[word.start:i].decode("utf-8", "surrogatepass"),
                                  (<const char*>p)[i:word.end].decode("utf-8", "surrogatepass")))
                i += 1
        finally:
            free(utf8.data)

    def lone_starts(self, str text not None):
        """The words of `starts` that stand behind a blank, an opening quotation mark or a bracket, and end before a sign.

        Returns
        -------
        (list of str, list of str)
            These, and what may begin with some: what stands there up to a sign of ASCII, where it holds other than letters.
        """
        cdef StrView view = view_str(text)
        cdef Bytes utf8 = Bytes(NULL, 0, 0)
        cdef const uint8_t* p
        cdef int64_t n = 0, i = 0, start
        cdef int width = 1
        cdef uint32_t c
        cdef bint is_word
        cdef list found = [], unsure = []
        try:
            p = encode_utf8(&view, True, &utf8, &n)
            while i < n:
                start = i
                is_word = True
                while i < n:
                    c = decode(p + i, n - i, &width)
                    if is_before_word(c) if c >= 0x80 else not (is_alnum(c) or c == 95):
                        break
                    is_word &= c < 0x80 or Py_UNICODE_ISALPHA(c)
                    i += width
                if not is_word:
                    unsure.append((<const char*>p)[start:i].decode("utf-8", "surrogatepass"))
                elif table_find(&self.starts, p + start, i - start, tm_hash(p + start, i - start)) >= 0:
                    found.append((<const char*>p)[start:i].decode("utf-8", "surrogatepass"))
                while i < n:
                    c = decode(p + i, n - i, &width)
                    i += width
                    if is_before_word(c):
                        break
            return found, unsure
        finally:
            free(utf8.data)


cdef inline bint is_before_word(uint32_t c) noexcept nogil:
    """Whether a character is a blank, an opening quotation mark or an opening bracket."""
    if c == 0x22 or c == 0x28 or c == 0xAB or c == 0x201C or c == 0x201E:
        return True
    return Py_UNICODE_ISSPACE(c) and not 0x1C <= c <= 0x1F


cdef object edits_in_points(const Step* step, const uint8_t* p):
    """The edits of a step, four numbers each, in code points; p is the text before it."""
    cdef int64_t k, new = 0, new_points = 0, old = 0, old_points = 0
    cdef Edit* edit
    out = array("q", bytes(32 * step.size))
    cdef int64_t[::1] row = out
    for k in range(step.size):
        edit = step.edit + k
        new_points += count_points(step.text.data, new, edit.new_start)
        row[4 * k] = new_points
        new_points += count_points(step.text.data, edit.new_start, edit.new_end)
        row[4 * k + 1] = new_points
        new = edit.new_end
        old_points += count_points(p, old, edit.start)
        row[4 * k + 2] = old_points
        old_points += count_points(p, edit.start, edit.end)
        row[4 * k + 3] = old_points
        old = edit.end
    return out
