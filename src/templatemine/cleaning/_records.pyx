"""Cleans lines of JSON without parsing them into Python objects: bytes in, bytes out.

The input is a block of lines and a cleaner for the texts of each source; the output is the lines with cleaned texts, and
counts for each source.  Unusual lines are left to the caller: only a line that orjson would read to the same values is
cleaned here, and no error is reported here.  Cost is linear in the bytes, mostly 16 at a time; memory is a block and its
output.
"""

cimport cython

from libc.stdint cimport int32_t, int64_t, uint32_t, uint64_t, uint8_t
from libc.stdlib cimport free, malloc
from libc.string cimport memchr, memcmp, memcpy, memset, strlen

from templatemine.matching._automaton cimport (
    Matcher, MAX_TEXT_BYTES, Scratch, scratch_acquire, scratch_release, STUB_CUT, STUB_KEPT, UNREADABLE,
)
from templatemine.matching._cutting cimport BLANK, count_lost, Outcome, outcome_free, Piece, Span
from templatemine.text._reading cimport Rules
from templatemine.text._scan cimport (
    Bytes, char_start, decode, Py_UNICODE_ISSPACE, reserve, space_end, space_start, Table, table_add, table_find, table_free,
    table_init, tm_hash, write_number,
)

__all__ = [
    "BlockCleaner", "CLEAN", "DEFER", "DONE", "Fields", "PASS", "TextCleaner", "UNKNOWN", "UNUSUAL", "find_doubtful",
]


# ======================================================================================================================
# JSON: at least as strict as orjson
# ======================================================================================================================
#
# A block is a bytes object, which has a zero after its last byte.  That is no character of JSON, so the byte after a valid
# one can be read without a check of bounds.
#
# Each `*_end(p, i, n)` gives the offset after what begins at i, or -1 if it is not there or may not be what orjson reads.

cdef extern from *:
    """
    #include <stdint.h>

    static inline int tm_is_special(uint8_t c) { return c < 32 || c >= 128 || c == '"' || c == '\\\\'; }
    static inline int tm_needs_escape(uint8_t c) { return c < 32 || c == '"' || c == '\\\\'; }

    /* tm_plain_length: how many of n bytes at p precede the first that is special in a string: a quote, a backslash, a
       control, or a byte beyond ASCII.  tm_copy_plain also copies them; tm_copy_safe copies the bytes before the first that
       must be escaped.  Both may write 15 bytes too many. */
    #if defined(__SSE2__)
    #include <emmintrin.h>
    static inline __m128i tm_or_quote(__m128i v, __m128i hit) {
        hit = _mm_or_si128(hit, _mm_cmpeq_epi8(v, _mm_set1_epi8('"')));
        return _mm_or_si128(hit, _mm_cmpeq_epi8(v, _mm_set1_epi8('\\\\')));
    }
    /* As signed numbers, bytes beyond ASCII are less than a blank too. */
    #define TM_SPECIAL(v) _mm_movemask_epi8(tm_or_quote(v, _mm_cmplt_epi8(v, _mm_set1_epi8(32))))
    #define TM_NEEDS_ESCAPE(v) _mm_movemask_epi8(tm_or_quote(v, _mm_cmpeq_epi8(_mm_min_epu8(v, _mm_set1_epi8(31)), v)))
    #define TM_SIXTEEN(TEST, KEEP)                                                  \\
        for (; i + 16 <= n; i += 16) {                                              \\
            const __m128i v = _mm_loadu_si128((const __m128i *)(p + i));            \\
            const unsigned hit = (unsigned)TEST(v);                                 \\
            KEEP;                                                                   \\
            if (hit) return i + __builtin_ctz(hit);                                 \\
        }
    #else
    #define TM_SIXTEEN(TEST, KEEP)
    #endif

    static inline int64_t tm_plain_length(const uint8_t *p, int64_t n) {
        int64_t i = 0;
        TM_SIXTEEN(TM_SPECIAL, (void)0)
        while (i < n && !tm_is_special(p[i])) i++;
        return i;
    }

    static inline int64_t tm_copy_plain(const uint8_t *p, int64_t n, uint8_t *out) {
        int64_t i = 0;
        TM_SIXTEEN(TM_SPECIAL, _mm_storeu_si128((__m128i *)(out + i), v))
        for (; i < n && !tm_is_special(p[i]); i++) out[i] = p[i];
        return i;
    }

    static inline int64_t tm_copy_safe(const uint8_t *p, int64_t n, uint8_t *out) {
        int64_t i = 0;
        TM_SIXTEEN(TM_NEEDS_ESCAPE, _mm_storeu_si128((__m128i *)(out + i), v))
        for (; i < n && !tm_needs_escape(p[i]); i++) out[i] = p[i];
        return i;
    }
    """
    int64_t tm_plain_length(const uint8_t* p, int64_t n) noexcept nogil
    int64_t tm_copy_plain(const uint8_t* p, int64_t n, uint8_t* out) noexcept nogil
    int64_t tm_copy_safe(const uint8_t* p, int64_t n, uint8_t* out) noexcept nogil


cdef enum:
    SLACK = 16                  # bytes that a copy may write too many
    # Limits; a line beyond one is left to the caller.
    MAX_DEPTH = 60              # containers within a value
    MAX_DIGITS = 18             # digits of a number, of which an integer always fits 64 bits
    MAX_EXPONENT_DIGITS = 2     # digits of an exponent, which never give infinity
    MAX_KEYS = 64               # keys of a record
    MAX_SPARE_BYTES = 1 << 22   # bytes of the largest buffer that is kept for later blocks


cdef inline int64_t skip_blanks(const uint8_t* p, int64_t i) noexcept nogil:
    """The offset after the white space at i; a line feed does not count, as it ends the line."""
    while p[i] == 32 or p[i] == 9 or p[i] == 13:
        i += 1
    return i


cdef inline int utf8_width(const uint8_t* p) noexcept nogil:
    """Bytes of the non-ASCII character at p, 0 if it is not valid UTF-8 (RFC 3629, section 4)."""
    cdef uint8_t c = p[0]
    if (p[1] & 0xC0) != 0x80 or c < 0xC2:
        return 0
    if c < 0xE0:
        return 2
    if c < 0xF0:
        # Overlong forms, and surrogates.
        if (c == 0xE0 and p[1] < 0xA0) or (c == 0xED and p[1] > 0x9F) or (p[2] & 0xC0) != 0x80:
            return 0
        return 3
    if c > 0xF4 or (c == 0xF0 and p[1] < 0x90) or (c == 0xF4 and p[1] > 0x8F):
        return 0
    return 4 if (p[2] & 0xC0) == 0x80 and (p[3] & 0xC0) == 0x80 else 0


cdef inline int64_t hex_end(const uint8_t* p, int64_t i, uint32_t* unit) noexcept nogil:
    """The end of the ``uXXXX`` at i, or -1; `unit` (OUT) is its value."""
    cdef int k
    cdef uint8_t c
    if p[i] != 117:
        return -1
    unit[0] = 0
    for k in range(1, 5):
        c = p[i + k]
        if 48 <= c <= 57:
            c -= 48
        elif 97 <= c | 32 <= 102:
            c = (c | 32) - 87
        else:
            return -1
        unit[0] = unit[0] << 4 | c
    return i + 5


cdef inline int64_t escape_end(const uint8_t* p, int64_t i, uint32_t* c) noexcept nogil:
    """The end of the escape whose backslash is at i, and its character (OUT); -1 if it is invalid, or half a surrogate pair."""
    cdef uint32_t low = 0
    cdef uint8_t kind = p[i + 1]
    if kind == 110:
        c[0] = 10
    elif kind == 34 or kind == 92 or kind == 47:
        c[0] = kind
    elif kind == 117:
        i = hex_end(p, i + 1, c)
        if i < 0 or not 0xD800 <= c[0] < 0xE000:
            return i
        if c[0] >= 0xDC00 or p[i] != 92:
            return -1
        i = hex_end(p, i + 1, &low)
        if i < 0 or not 0xDC00 <= low < 0xE000:
            return -1
        c[0] = 0x10000 + ((c[0] - 0xD800) << 10) + (low - 0xDC00)
        return i
    elif kind == 116:
        c[0] = 9
    elif kind == 114:
        c[0] = 13
    elif kind == 98:
        c[0] = 8
    elif kind == 102:
        c[0] = 12
    else:
        return -1
    return i + 2


cdef inline int64_t non_ascii_end(const uint8_t* p, int64_t i) noexcept nogil:
    """The end of the non-ASCII characters at i, or -1 if they are not valid UTF-8."""
    cdef int width
    while p[i] >= 0x80:
        width = utf8_width(p + i)
        if width == 0:
            return -1
        i += width
    return i


cdef inline int64_t name_end(const uint8_t* p, int64_t i, int64_t n) noexcept nogil:
    """The closing quote of the string whose first character is at i; -1 if it holds an escape or is invalid."""
    while True:
        i += tm_plain_length(p + i, n - i)
        if p[i] < 0x80:
            return i if p[i] == 34 else -1
        i = non_ascii_end(p, i)
        if i < 0:
            return -1


cdef int64_t string_end(const uint8_t* p, int64_t i, int64_t n) noexcept nogil:
    """The offset after the closing quote of the string whose first character is at i, or -1."""
    cdef uint32_t c = 0
    while True:
        i += tm_plain_length(p + i, n - i)
        if p[i] == 34:
            return i + 1
        if p[i] != 92 and p[i] < 0x80:
            return -1
        i = escape_end(p, i, &c) if p[i] == 92 else non_ascii_end(p, i)
        if i < 0:
            return -1


cdef int64_t read_string(const uint8_t* p, int64_t i, int64_t n, Bytes* out, int64_t* points) noexcept nogil:
    """Like `string_end`; also decodes the string into `out` (OUT), which has room for it, and counts its code points (OUT)."""
    cdef uint8_t* to = out.data
    cdef int64_t size = 0, inner = 0, k       # inner: bytes that begin no character
    cdef uint32_t c = 0
    cdef int width
    while True:
        k = tm_copy_plain(p + i, n - i, to + size)
        i += k
        size += k
        if p[i] == 34:
            out.size = size
            points[0] = size - inner
            return i + 1
        if p[i] == 92:
            i = escape_end(p, i, &c)
            if i < 0:
                return -1
            if c < 0x80:
                to[size] = <uint8_t>c
                size += 1
                continue
            width = 2 if c < 0x800 else 3 if c < 0x10000 else 4
            for k in range(width - 1, 0, -1):
                to[size + k] = <uint8_t>(0x80 | c & 0x3F)
                c >>= 6
            to[size] = <uint8_t>(c | (0xC0 if width == 2 else 0xE0 if width == 3 else 0xF0))
            size += width
            inner += width - 1
            continue
        if p[i] < 0x80:
            return -1
        while p[i] >= 0x80:
            width = utf8_width(p + i)
            if width == 0:
                return -1
            for k in range(width):
                to[size + k] = p[i + k]
            i += width
            size += width
            inner += width - 1


cdef inline int64_t digits_end(const uint8_t* p, int64_t i) noexcept nogil:
    while 48 <= p[i] <= 57:
        i += 1
    return i


cdef int64_t number_end(const uint8_t* p, int64_t i) noexcept nogil:
    """The end of the number at i; -1 if it is invalid, or 64 bits may not hold it exactly."""
    cdef int64_t start
    if p[i] == 45:
        i += 1
    start = i
    i = digits_end(p, i)
    if i == start or i - start > MAX_DIGITS or (p[start] == 48 and i > start + 1):
        return -1
    if p[i] == 46:
        start = i + 1
        i = digits_end(p, start)
        if i == start:
            return -1
    if p[i] | 32 == 101:
        start = i + 1
        if p[start] == 43 or p[start] == 45:
            start += 1
        i = digits_end(p, start)
        if i == start or i - start > MAX_EXPONENT_DIGITS:
            return -1
    return i


cdef inline int64_t literal_end(const uint8_t* p, int64_t i) noexcept nogil:
    """The end of the true, false or null at i, or -1."""
    if p[i] == 110 and p[i + 1] == 117 and p[i + 2] == 108 and p[i + 3] == 108:
        return i + 4
    if p[i] == 116 and p[i + 1] == 114 and p[i + 2] == 117 and p[i + 3] == 101:
        return i + 4
    if p[i] == 102 and p[i + 1] == 97 and p[i + 2] == 108 and p[i + 3] == 115 and p[i + 4] == 101:
        return i + 5
    return -1


cdef inline int64_t value_start(const uint8_t* p, int64_t i, int64_t n) noexcept nogil:
    """Where the value of the key at i begins, or -1."""
    if p[i] != 34:
        return -1
    i = string_end(p, i + 1, n)
    if i < 0:
        return -1
    i = skip_blanks(p, i)
    return skip_blanks(p, i + 1) if p[i] == 58 else -1


cdef int64_t value_end(const uint8_t* p, int64_t i, int64_t n) noexcept nogil:
    """The end of the value at i, or -1."""
    cdef uint64_t objects = 0       # a bit for each open container, the innermost lowest: 1 if it is an object
    cdef int depth = 0
    cdef uint8_t c
    while True:
        c = p[i]
        if c == 34:
            i = string_end(p, i + 1, n)
        elif c == 123 or c == 91:
            i = skip_blanks(p, i + 1)
            if p[i] == c + 2:
                i += 1
            elif depth == MAX_DEPTH:
                return -1
            else:
                depth += 1
                objects = objects << 1 | (c == 123)
                if c == 123:
                    i = value_start(p, i, n)
                    if i < 0:
                        return -1
                continue
        elif c == 45 or 48 <= c <= 57:
            i = number_end(p, i)
        else:
            i = literal_end(p, i)
        if i < 0:
            return -1
        # After a value: containers may end, and another value may follow.
        while True:
            if depth == 0:
                return i
            i = skip_blanks(p, i)
            if p[i] == 44:
                i = skip_blanks(p, i + 1)
                if objects & 1:
                    i = value_start(p, i, n)
                    if i < 0:
                        return -1
                break
            if p[i] != (125 if objects & 1 else 93):
                return -1
            i += 1
            depth -= 1
            objects >>= 1


# ======================================================================================================================
# Records
# ======================================================================================================================

cdef enum:
    # Fields that are read; a record with one of the last two is left to the caller.
    TEXT
    HTML
    SOURCE
    ID
    REMOVED
    STUB
    NAMES                   # how many; also the number of any other field


cdef struct Names:
    const uint8_t* name[6]
    int64_t size[6]


cdef struct Record:
    # Offsets in the block; ends are exclusive.
    int64_t begin           # the opening brace
    int64_t text            # the opening quote of the text, and the end after its closing quote
    int64_t text_end
    int64_t source          # the first character of the source, -1 if there is none, and its end
    int64_t source_end
    int64_t last            # end of the last value
    int64_t end             # end after the closing brace
    int64_t stop            # where the next line begins
    int64_t points          # code points of the text


cdef inline int find_field(const Names* names, const uint8_t* p, int64_t n) noexcept nogil:
    """The field with the name of n bytes at p, or NAMES."""
    cdef int k
    for k in range(NAMES):
        if names.size[k] == n and memcmp(names.name[k], p, n) == 0:
            return k
    return NAMES


cdef inline bint begins_blank(const uint8_t* p) noexcept nogil:
    """Whether white space is at p, by `str.isspace`, that JSON need not escape."""
    if p[0] < 0x80:
        return p[0] == 32
    if p[0] == 0xC2:
        return p[1] == 0x85 or p[1] == 0xA0
    if p[0] == 0xE1:
        return p[1] == 0x9A and p[2] == 0x80
    if p[0] == 0xE2 and p[1] == 0x80:
        return p[2] <= 0x8A or p[2] == 0xA8 or p[2] == 0xA9 or p[2] == 0xAF
    return (p[0] == 0xE2 and p[1] == 0x81 and p[2] == 0x9F) or (p[0] == 0xE3 and p[1] == 0x80 and p[2] == 0x80)


cdef bint read_record(const uint8_t* p, int64_t i, int64_t n, const Names* names, Bytes* text, Record* r) noexcept nogil:
    """Read the record of the line at i into `r` (OUT), and its text into `text` (OUT); False if it is not an ordinary record."""
    cdef int64_t start[MAX_KEYS]
    cdef int64_t size[MAX_KEYS]
    cdef int64_t keys = 0, k
    cdef int field
    r.text = r.source = -1
    r.begin = skip_blanks(p, i)
    if p[r.begin] != 123:
        return False
    i = r.begin
    while True:
        # Before a key: after the opening brace, or a comma.
        i = skip_blanks(p, i + 1)
        if p[i] != 34 or keys == MAX_KEYS:
            return False
        start[keys] = i + 1
        i = name_end(p, i + 1, n)
        if i < 0:
            return False
        size[keys] = i - start[keys]
        for k in range(keys):
            if size[k] == size[keys] and memcmp(p + start[k], p + start[keys], size[k]) == 0:
                return False
        field = find_field(names, p + start[keys], size[keys])
        keys += 1
        i = skip_blanks(p, i + 1)
        if p[i] != 58:
            return False
        i = skip_blanks(p, i + 1)
        if field == TEXT:
            if p[i] != 34:
                return False
            r.text = i
            i = r.text_end = read_string(p, i + 1, n, text, &r.points)
        elif field == SOURCE and p[i] == 34 and p[i + 1] == 34:  # an empty source counts as none
            i += 2
        elif field == SOURCE and p[i] == 34:
            if begins_blank(p + i + 1):  # a source of white space alone counts as none
                return False
            r.source = i + 1
            r.source_end = name_end(p, i + 1, n)
            i = -1 if r.source_end < 0 else r.source_end + 1
        elif field >= REMOVED and field != NAMES:
            return False
        # Besides strings, each of these fields may hold null, and an id a number.
        elif field != NAMES and p[i] != 34 and p[i] != 110 and (field != ID or p[i] > 57):
            return False
        else:
            i = value_end(p, i, n)
        if i < 0:
            return False
        r.last = i
        i = skip_blanks(p, i)
        if p[i] == 125:
            break
        if p[i] != 44:
            return False
    r.end = i + 1
    i = skip_blanks(p, i + 1)
    r.stop = i + 1 if p[i] == 10 else i
    return r.text >= 0 and (p[i] == 10 or i == n)


cdef inline int64_t write_escape(uint8_t c, uint8_t* out) noexcept nogil:
    """Write the escape of a character as orjson does; returns the bytes written."""
    out[0] = 92
    if c == 34 or c == 92:
        out[1] = c
    elif c == 10:
        out[1] = 110
    elif c == 9:
        out[1] = 116
    elif c == 13:
        out[1] = 114
    elif c == 8:
        out[1] = 98
    elif c == 12:
        out[1] = 102
    else:
        memcpy(out + 1, b"u00", 3)
        out[4] = 48 + (c >> 4)
        out[5] = (48 if c & 15 < 10 else 87) + (c & 15)
        return 6
    return 2


cdef inline int64_t write_string(const uint8_t* p, int64_t n, uint8_t* out) noexcept nogil:
    """Write a string without its quotes, escaped as orjson does; returns the bytes written."""
    cdef int64_t i = 0, size = 0, k
    while True:
        k = tm_copy_safe(p + i, n - i, out + size)
        i += k
        size += k
        if i == n:
            return size
        size += write_escape(p[i], out + size)
        i += 1


# ======================================================================================================================
# Blocks of lines
# ======================================================================================================================

cdef enum:
    STOPPED_AT_END
    STOPPED_AT_UNUSUAL
    STOPPED_AT_UNKNOWN


DONE, UNUSUAL, UNKNOWN = STOPPED_AT_END, STOPPED_AT_UNUSUAL, STOPPED_AT_UNKNOWN
"""Why `BlockCleaner.run` stopped: at the end; after an unusual line, left to the caller; at a source that was not added yet."""

cdef enum:
    KIND_DEFER
    KIND_PASS
    KIND_CLEAN


DEFER, PASS, CLEAN = KIND_DEFER, KIND_PASS, KIND_CLEAN
"""What is done with the lines of a source: they are left to the caller, passed on, or cleaned."""


cdef class Fields:
    """Names of the fields of records.

    Parameters
    ----------
    names : list of bytes
        Names of the fields for the text, HTML, source, id, removed spans, and for whether a text is a stub; all different.
    longest : int
        Bytes of a line beyond which it is left to the caller.
    longest_looked : int
        Code points of a text up to which it is looked for cuts that may tear a sentence.
    labels : int
        See `find_doubtful`.
    keep : bool
        Keep the texts, and their cuts.
    """

    cdef tuple encoded          # the names, and the two strings below; owns their bytes
    cdef Names names
    cdef int64_t longest
    cdef int64_t longest_looked
    cdef int64_t labels
    cdef bint keep
    cdef Bytes removed_key      # ,"removed":[ with the name of that field
    cdef Bytes stub_pair        # ,"removed_stub":true likewise
    cdef Bytes spare_text       # buffers of an earlier BlockCleaner, for the next one
    cdef Bytes spare_out

    def __cinit__(self, list names, int64_t longest, int64_t longest_looked=0, int64_t labels=0, bint keep=False):
        cdef bytes name
        cdef int k
        if len(names) != NAMES or len(set(names)) != NAMES:
            raise ValueError(f"expected {NAMES} different names, got {names}")
        # A line with an escape in a key is left to the caller, so names are compared as they are.
        self.spare_text = self.spare_out = Bytes(NULL, 0, 0)
        self.encoded = (*names, b"," + quote(names[REMOVED]) + b":[", b"," + quote(names[STUB]) + b":true")
        for k in range(NAMES):
            name = self.encoded[k]
            self.names.name[k] = <const uint8_t*>name
            self.names.size[k] = len(name)
        name = self.encoded[NAMES]
        self.removed_key = Bytes(<uint8_t*>name, len(name), 0)
        name = self.encoded[NAMES + 1]
        self.stub_pair = Bytes(<uint8_t*>name, len(name), 0)
        self.longest = longest
        self.longest_looked = longest_looked
        self.labels = labels
        self.keep = keep

    def __dealloc__(self):
        free(self.spare_text.data)
        free(self.spare_out.data)


cdef void take_buffer(Bytes* kept, Bytes* room) noexcept:
    """Move the spare buffer, or an empty one, to `room`: allocating memory would cost more than the work in it."""
    room[0] = kept[0]
    room.size = 0
    kept[0] = Bytes(NULL, 0, 0)


cdef void return_buffer(Bytes* kept, Bytes* room) noexcept:
    """Keep a buffer as the spare one, or free it if there is one already or it is too large."""
    if kept.data == NULL and room.room <= MAX_SPARE_BYTES:
        kept[0] = room[0]
    else:
        free(room.data)


cdef bytes quote(bytes text):
    """A string in JSON, with its quotes."""
    cdef uint8_t* out = <uint8_t*>malloc(6 * len(text) + SLACK)
    cdef int64_t size
    if out == NULL:
        raise MemoryError
    try:
        size = write_string(<const uint8_t*>text, len(text), out)
        return b'"' + (<char*>out)[:size] + b'"'
    finally:
        free(out)


cdef enum:
    MAX_KINDS = 16


cdef class TextCleaner:
    """Cleans the texts of a source.

    Parameters
    ----------
    matcher : Matcher
    ids : list of bytes
        Id of each string of the matcher, in UTF-8.
    gap, guard, keep
        See `CleanConfig`.
    rules : Rules, optional
        How the texts are read; without, as they stand.
    kinds : list of bytes
        Name of each code of a kind, at most 20 letters.
    mark : bool
        Leave the texts as they are.
    drop : bool
        Leave lines of stubs to the caller.
    """

    cdef Matcher matcher
    cdef Rules rules
    cdef uint8_t* ids           # in JSON, one after the other: id i is ids[bounds[i]:bounds[i + 1]]
    cdef int64_t* bounds
    cdef int64_t gap
    cdef double guard
    cdef bint keep
    cdef bint mark
    cdef bint drop
    cdef list kind_pairs
    cdef const char* kinds[MAX_KINDS]     # ,"kind":"byline" by code

    def __cinit__(self, Matcher matcher not None, list ids, int64_t gap, double guard, bint keep, Rules rules=None,
                  list kinds=None, bint mark=False, bint drop=False):
        cdef int64_t i
        cdef bytes whole, name
        kinds = [b""] if kinds is None else kinds
        if len(kinds) > MAX_KINDS or any(len(name) > 20 for name in kinds):
            raise ValueError(f"expected at most {MAX_KINDS} kinds of at most 20 letters, got {kinds}")
        self.kind_pairs = [b',"kind":' + quote(name) for name in kinds]
        for i, name in enumerate(self.kind_pairs):
            self.kinds[i] = name
        if len(ids) != matcher.strings:
            raise ValueError(f"expected {matcher.strings} ids, got {len(ids)}")
        texts = [quote(entry) for entry in ids]
        whole = b"".join(texts)
        self.matcher = matcher
        self.rules = rules
        self.gap = gap
        self.guard = guard
        self.keep = keep
        self.mark = mark
        self.drop = drop
        self.ids = <uint8_t*>malloc(len(whole) + 1)
        self.bounds = <int64_t*>malloc((len(ids) + 1) * sizeof(int64_t))
        if self.ids == NULL or self.bounds == NULL:
            raise MemoryError
        memcpy(self.ids, <const uint8_t*>whole, len(whole))
        self.bounds[0] = 0
        for i in range(len(ids)):
            self.bounds[i + 1] = self.bounds[i] + len(texts[i])

    def __dealloc__(self):
        free(self.ids)
        free(self.bounds)


# ======================================================================================================================
# Cuts that may tear a sentence
# ======================================================================================================================
#
# All that `text.tears.leaves_part` holds against a cut is among what is found here, so that it need not look at the others.

cdef extern from "Python.h":
    bint Py_UNICODE_ISALNUM(uint32_t c) noexcept nogil
    bint Py_UNICODE_ISLOWER(uint32_t c) noexcept nogil
    bint Py_UNICODE_ISUPPER(uint32_t c) noexcept nogil
    bint Py_UNICODE_ISTITLE(uint32_t c) noexcept nogil


cdef enum:
    TEAR_REACH = 500            # `_REACH` of text.tears, and its `_HEADLINE_WORDS`
    TEAR_WORDS = 20
    TEAR_PAIRS = 4              # of brackets beyond ASCII
    MAX_SMALL_BYTES = 40

cdef uint32_t[TEAR_PAIRS] OPENING
OPENING[:] = [0xFF08, 0x300C, 0x300E, 0x3010]


cdef inline uint32_t last_sign(const uint8_t* p, int64_t start, int64_t end) noexcept nogil:
    """The last character that is no white space; 0 without one."""
    cdef int width = 1
    cdef int64_t stop = space_start(p, end, start), i
    if stop == start:
        return 0
    i = char_start(p, stop)
    return decode(p + i, stop - i, &width)


cdef inline uint32_t first_sign(const uint8_t* p, int64_t start, int64_t end) noexcept nogil:
    """The first character that is no white space; 0 without one."""
    cdef int width = 1
    start = space_end(p, start, end)
    return decode(p + start, end - start, &width) if start < end else 0


cdef inline bint is_full_stop(uint32_t c) noexcept nogil:
    return c == 46 or c == 33 or c == 63 or c == 0x2026


cdef inline bint is_continuing(uint32_t c) noexcept nogil:
    """Whether a sentence goes on with a sign: one of ,;:)]' and the closing quotation marks, or dots."""
    return (c == 44 or c == 59 or c == 58 or c == 41 or c == 93 or c == 39 or c == 0x2019 or c == 0x201D or c == 0xBB
            or c == 0x2026)


cdef extern from *:
    """
    /* Whether n bytes at p have more of one half of a pair of ASCII brackets than of the other; `wide` (OUT): whether a byte
       may be of a bracket beyond ASCII. */
    static inline int tm_halves_ascii_brackets(const uint8_t *p, int64_t n, int *wide) {
        int64_t round = 0, square = 0, i = 0;
        uint8_t high = 0;
        while (i < n) {
            const int64_t end = i + 96 < n ? i + 96 : n;    /* sums of a block fit a byte */
            int8_t more_round = 0, more_square = 0;
            for (; i < end; i++) {
                more_round += (p[i] == '(') - (p[i] == ')');
                more_square += (p[i] == '[') - (p[i] == ']');
                high |= (p[i] == 0xE3) | (p[i] == 0xEF);
            }
            round += more_round;
            square += more_square;
        }
        *wide = high;
        return round != 0 || square != 0;
    }

    /* Whether n bytes at p hold a string of m, at least 3: blocks of them at once, looking at its first three. */
    static inline int tm_holds(const uint8_t *p, int64_t n, const uint8_t *what, int64_t m) {
        int64_t i = 0;
        while (i + m <= n) {
            const int64_t end = i + 64 + m <= n ? i + 64 : n - m + 1;
            uint8_t any = 0;
            for (int64_t k = i; k < end; k++) any |= (p[k] == what[0]) & (p[k + 1] == what[1]) & (p[k + 2] == what[2]);
            if (any)
                for (int64_t k = i; k < end; k++)
                    if (p[k] == what[0] && memcmp(p + k, what, m) == 0) return 1;
            i = end;
        }
        return 0;
    }
    """
    bint tm_halves_ascii_brackets(const uint8_t* p, int64_t n, int* wide) noexcept nogil
    bint tm_holds(const uint8_t* p, int64_t n, const uint8_t* what, int64_t m) noexcept nogil


cdef bint halves_brackets(const uint8_t* p, int64_t n) noexcept nogil:
    """Whether a cut has more of one half of a pair of brackets than of the other."""
    cdef int64_t depth[TEAR_PAIRS]
    cdef int64_t i = 0
    cdef uint32_t c
    cdef int width = 1, k, wide = 0
    if tm_halves_ascii_brackets(p, n, &wide):
        return True
    if not wide:
        return False
    memset(depth, 0, sizeof(depth))
    while i < n:
        c = decode(p + i, n - i, &width)
        i += width
        for k in range(TEAR_PAIRS):
            depth[k] += (c == OPENING[k]) - (c == OPENING[k] + 1)
    for k in range(TEAR_PAIRS):
        if depth[k]:
            return True
    return False


cdef bint has_small_word(const uint8_t* p, int64_t n, const uint8_t* word, int64_t size) noexcept nogil:
    """Whether a text has a word in small letters, between blanks; True for one with letters beyond ASCII."""
    cdef uint8_t small[MAX_SMALL_BYTES + 2]
    cdef int64_t k
    if size > MAX_SMALL_BYTES:
        return True
    for k in range(size):
        if word[k] >= 128:
            return True
        small[k + 1] = word[k] | 32 if 65 <= word[k] <= 90 else word[k]
    small[0] = small[size + 1] = 32
    return tm_holds(p, n, small, size + 2)


cdef bint goes_on_open(const uint8_t* p, int64_t i, int64_t n, bint ends_open, bint is_labelled) noexcept nogil:
    """Whether the line behind a cut goes on in small letters behind a word in capitals; or, behind a label, has a word with
    a capital behind one without, before its first sentence ends, and the text has it in small letters, too."""
    cdef int64_t points = 0, letters = 0, begin = i
    cdef int words = 0, width = 1
    cdef uint32_t c, last = 0
    cdef bint has_small = False, has_capital = False, was_small = False, was_shout = False
    while True:
        c = 10 if i >= n or points == TEAR_REACH else decode(p + i, n - i, &width)
        if not Py_UNICODE_ISSPACE(c):
            if not letters and words == 1 and was_shout and Py_UNICODE_ISLOWER(c):
                return True
            if not letters:
                begin = i
            letters += 1
            has_small |= Py_UNICODE_ISLOWER(c)
            has_capital |= Py_UNICODE_ISUPPER(c) or Py_UNICODE_ISTITLE(c)
            last = c
        elif letters:
            if is_labelled and was_small and has_capital and has_small_word(p, n, p + begin, i - begin):
                return True
            was_shout = ends_open and not words and has_capital and not has_small and letters > 1
            was_small = not has_capital and Py_UNICODE_ISALNUM(last)
            words += 1
            is_labelled = is_labelled and not is_full_stop(last)
            if words == TEAR_WORDS or not (is_labelled or was_shout):
                return False
            has_small, has_capital, letters = False, False, 0
        if c == 10:
            return False
        i += width
        points += 1


cdef bint may_tear(const uint8_t* p, int64_t n, int64_t start, int64_t end, int64_t* labels) noexcept nogil:
    """Whether `text.tears.leaves_part` may hold of a cut; `labels` (IN, OUT): of how many more, what is behind is read."""
    cdef uint32_t before = last_sign(p, 0, start), after = first_sign(p, end, n), last = last_sign(p, start, end)
    cdef bint is_open = before == 44 or Py_UNICODE_ISALNUM(before), is_label
    if Py_UNICODE_ISLOWER(after) or halves_brackets(p + start, end - start):
        return True
    if last == 0x3002 and start and p[start] >= 128 and p[start - 1] >= 128:
        return True
    if is_open and (is_continuing(after) or Py_UNICODE_ISLOWER(first_sign(p, start, end)) or (
            Py_UNICODE_ISALNUM(after) and not Py_UNICODE_ISUPPER(after) and not Py_UNICODE_ISTITLE(after))):
        return True
    if p[end - 1] == 10:
        return False
    is_label = last == 58 or last == 0xFF1A or (is_full_stop(last) and memchr(p + start, 58, end - start) != NULL)
    is_label = is_label and labels[0] > 0
    labels[0] -= is_label
    return goes_on_open(p, end, n, Py_UNICODE_ISALNUM(last), is_label)


cdef bint next_doubtful(
        const uint8_t* p, int64_t n, const Span* spans, int64_t size, int64_t* first, int64_t* last, int64_t* labels) noexcept nogil:
    """Go on to the next cut that may tear a sentence, from the span behind `last` on: its first span and its last (OUT).
    Spans with nothing but white space between them are one cut."""
    while last[0] + 1 < size:
        first[0] = last[0] = last[0] + 1
        while last[0] + 1 < size and space_end(p, spans[last[0]].end, spans[last[0] + 1].start) == spans[last[0] + 1].start:
            last[0] += 1
        if may_tear(p, n, spans[first[0]].start, spans[last[0]].end, labels):
            return True
    return False


cdef bint has_doubtful_cut(const uint8_t* p, int64_t n, const Span* spans, int64_t size, int64_t labels) noexcept nogil:
    """Whether a cut may tear a sentence."""
    cdef int64_t first, last = -1
    return next_doubtful(p, n, spans, size, &first, &last, &labels)


cdef list doubtful_cuts(const uint8_t* p, int64_t n, const Span* spans, int64_t size, int64_t labels):
    """(start, end), in code points, of the cuts that may tear a sentence."""
    cdef list found = []
    cdef int64_t first, last = -1
    while next_doubtful(p, n, spans, size, &first, &last, &labels):
        found.append((spans[first].point_start, spans[last].point_end))
    return found


def find_doubtful(str text not None, list spans not None, int64_t labels):
    """The cuts of a text that may tear a sentence.

    Parameters
    ----------
    text : str
    spans : list of (int, int)
        What is cut, in code points; ascending, none empty.  Those with nothing but white space between them are one.
    labels : int
        Of how many labels that are cut, the words behind are looked at: each may take a search of the text.

    Returns
    -------
    list of (int, int)
        Among them are all of which `text.tears.leaves_part` holds, but for those of further labels.
    """
    cdef bytes data = text.encode("utf-8", "surrogatepass")
    cdef const uint8_t* p = data
    cdef int64_t n = len(data), size = len(spans), i = 0, point = 0, k = 0, place
    cdef Span* own = <Span*>malloc((size + 1) * sizeof(Span))
    if own == NULL:
        raise MemoryError
    try:
        for k in range(size):
            own[k].point_start, own[k].point_end = spans[k]
            if not (k == 0 or own[k - 1].point_end <= own[k].point_start) or not (
                    0 <= own[k].point_start < own[k].point_end <= len(text)):
                raise ValueError(f"expected spans of the text, ascending, got {spans[k]}")
        for k in range(2 * size):
            place = own[k // 2].point_end if k % 2 else own[k // 2].point_start
            while point < place:
                i += 1
                while i < n and (p[i] & 0xC0) == 0x80:
                    i += 1
                point += 1
            if k % 2:
                own[k // 2].end = i
            else:
                own[k // 2].start = i
        return doubtful_cuts(p, n, own, size, labels)
    finally:
        free(own)


cdef struct Source:
    # A source, and the counts of its lines.
    void* cleaner           # a TextCleaner, which the BlockCleaner owns
    int kind                # KIND_DEFER, KIND_PASS or KIND_CLEAN
    int64_t records
    int64_t changed
    int64_t looked          # changed texts of which doubtful cuts were looked for
    int64_t spans
    int64_t points          # code points of the texts, and by how many they became shorter
    int64_t lost
    int64_t stubs
    int64_t cut_of_kind[MAX_KINDS]  # code points of the spans


@cython.no_gc
cdef class BlockCleaner:
    """Cleans a block of lines, once.

    Parameters
    ----------
    fields : Fields
    block : bytes
        Whole lines.
    source : bytes
        Source of records without one.

    Attributes
    ----------
    number : int
        How many lines are done, the last unusual one included.
    doubtful : list of (bytes, int, str, list of (int, int))
        Of each text with cuts that may tear a sentence: its source, where its line begins, the text, and these cuts.
    kept : list of (bytes, bytes, list of (int, int))
        Of each text that is cleaned, if `Fields` keeps them: its source, the text, and all its spans; none of stubs that stay.
    """

    cdef Fields fields
    cdef bytes block
    cdef bytes default
    cdef list cleaners
    cdef Table names            # of sources; ids are places in `sources`
    cdef Source* sources
    cdef int64_t room
    cdef int64_t last_source    # source of the previous line, or -1
    cdef Bytes text
    cdef Bytes out
    cdef Outcome found
    cdef Scratch* scratch       # for all sources
    cdef Record record
    cdef int64_t position
    cdef int64_t line_start     # of the unusual line
    cdef bint is_running        # a thread is in `run`, which releases the GIL
    cdef readonly int64_t number
    cdef readonly list doubtful
    cdef readonly list kept

    def __cinit__(self, Fields fields not None, bytes block not None, bytes source not None):
        memset(&self.names, 0, sizeof(Table))
        memset(&self.found, 0, sizeof(Outcome))
        self.sources = NULL
        self.scratch = NULL
        self.room = 0
        self.fields = fields
        self.block = block
        self.default = source
        self.cleaners = []
        self.doubtful = []
        self.kept = []
        take_buffer(&fields.spare_text, &self.text)
        take_buffer(&fields.spare_out, &self.out)
        self.last_source = -1
        self.position = self.line_start = self.number = 0
        table_init(&self.names)
        # A string is never longer than its JSON.
        reserve(<void**>&self.text.data, &self.text.room, len(block) + SLACK, 1)

    def __dealloc__(self):
        if self.scratch != NULL:
            scratch_release(self.scratch)
        if self.fields is not None:         # it is None if the arguments were refused
            return_buffer(&self.fields.spare_text, &self.text)
            return_buffer(&self.fields.spare_out, &self.out)
        free(self.sources)
        table_free(&self.names)
        outcome_free(&self.found)

    cdef int _require_not_running(self) except -1:
        """Raise a RuntimeError if another thread is in `run`, as threads would share the buffers."""
        if self.is_running:
            raise RuntimeError("expected one thread at a time, another one is at these lines")
        return 0

    def run(self):
        """Clean lines up to the end, an unusual line, or an unknown source; returns DONE, UNUSUAL or UNKNOWN.

        After UNUSUAL, `line` is the line, which the caller handles; after UNKNOWN, `source` is to be passed to `add_source`.
        """
        cdef const uint8_t* p = <const uint8_t*>self.block
        cdef const uint8_t* name = <const uint8_t*>self.default
        cdef int64_t size = len(self.block), name_size = len(self.default)
        cdef int reason
        self._require_not_running()
        self.is_running = True
        try:
            with nogil:
                reason = self._run(p, size, name, name_size)
        finally:
            self.is_running = False
        return reason

    @property
    def line(self):
        """The unusual line."""
        return self.block[self.line_start:self.position]

    @property
    def source(self):
        """The unknown source."""
        return self.default if self.record.source < 0 else self.block[self.record.source:self.record.source_end]

    def add_source(self, bytes source not None, int kind, TextCleaner cleaner=None):
        """Add a source: `kind` is what is done with its lines, and `cleaner` cleans them if it is CLEAN."""
        cdef Source* entry
        cdef int64_t place = self.names.count
        if kind not in (DEFER, PASS, CLEAN) or (kind == CLEAN) != (cleaner is not None):
            raise ValueError(f"expected what cleans a source if it is cleaned, got {cleaner} for kind {kind}")
        self._require_not_running()
        reserve(<void**>&self.sources, &self.room, place + 1, sizeof(Source))
        entry = &self.sources[place]
        memset(entry, 0, sizeof(Source))
        entry.kind = kind
        if cleaner is not None:
            self.cleaners.append(cleaner)
            entry.cleaner = <void*>cleaner
            if self.scratch == NULL:
                self.scratch = scratch_acquire()
        if table_add(&self.names, <const uint8_t*>source, len(source)) != place:
            raise ValueError(f"the source {source!r} was told before")

    def take_output(self):
        """The output since the last call, as lines."""
        cdef bytes done
        self._require_not_running()
        done = (<char*>self.out.data)[:self.out.size] if self.out.size else b""
        self.out.size = 0
        return done

    def counts(self):
        """Counts of the lines of each source that was added.

        Returns
        -------
        list of (source, kind, records, changed, looked, spans, characters, cut, stubs, list)
            The numbers as in `tally.SourceTally`; last, the size of the spans of each kind, by its code.
        """
        cdef int64_t i, k
        cdef Source* entry
        cdef list rows = []
        self._require_not_running()
        for i in range(self.names.count):
            entry = &self.sources[i]
            rows.append((self._name_source(i), entry.kind, entry.records, entry.changed, entry.looked, entry.spans, entry.points,
                         entry.lost, entry.stubs, [entry.cut_of_kind[k] for k in range(MAX_KINDS)]))
        return rows

    cdef bytes _name_source(self, int64_t i):
        return (<char*>self.names.arena + self.names.offset[i])[:self.names.offset[i + 1] - self.names.offset[i]]

    cdef int _run(self, const uint8_t* p, int64_t n, const uint8_t* default, int64_t default_size) except -1 nogil:
        cdef Record* r = &self.record
        cdef const uint8_t* name
        cdef const void* hit
        cdef int64_t size
        while self.position < n:
            if (read_record(p, self.position, n, &self.fields.names, &self.text, r) and r.stop - self.position <= self.fields.longest
                    and self.text.size <= MAX_TEXT_BYTES):
                name, size = default, default_size
                if r.source >= 0:
                    name, size = p + r.source, r.source_end - r.source
                if not self._is_last_source(name, size):
                    self.last_source = table_find(&self.names, name, size, tm_hash(name, size))
                    if self.last_source < 0:
                        return STOPPED_AT_UNKNOWN
                if self.sources[self.last_source].kind != KIND_DEFER and self._write_record(p, &self.sources[self.last_source]):
                    self.position = r.stop
                    self.number += 1
                    continue
            self.line_start = self.position
            hit = memchr(p + self.position, 10, n - self.position)
            self.position = n if hit == NULL else <const uint8_t*>hit - p + 1
            self.number += 1
            return STOPPED_AT_UNUSUAL
        return STOPPED_AT_END

    cdef inline bint _is_last_source(self, const uint8_t* name, int64_t size) noexcept nogil:
        cdef const int64_t* offset
        if self.last_source < 0:
            return False
        offset = &self.names.offset[self.last_source]
        return offset[1] - offset[0] == size and memcmp(self.names.arena + offset[0], name, size) == 0

    cdef bint _write_record(self, const uint8_t* p, Source* source) except -1 nogil:
        """Write the line of a record to `out`, cleaned or as it is, and count it; False if its text cannot be read here."""
        cdef Record* r = &self.record
        cdef Bytes* out = &self.out
        cdef Outcome* found = &self.found
        cdef Piece* piece
        cdef int64_t i
        cdef int verdict
        if source.kind == KIND_PASS:
            source.records += 1
            reserve(<void**>&out.data, &out.room, out.size + r.end - r.begin + 1, 1)
            self._write_range(p, r.begin, r.end)
            self._write_byte(10)
            return True
        found.size = found.members = found.pieces.size = 0
        if (<TextCleaner>source.cleaner).matcher.is_sampling:
            with gil:
                (<TextCleaner>source.cleaner).matcher._sample_text(self.text.data, self.text.size)
        verdict = (<TextCleaner>source.cleaner).matcher._clean(
            self.text.data, self.text.size, r.points, (<TextCleaner>source.cleaner).rules, (<TextCleaner>source.cleaner).gap,
            (<TextCleaner>source.cleaner).guard, (<TextCleaner>source.cleaner).keep, True, self.scratch, found)
        if verdict == UNREADABLE or (verdict == STUB_CUT and (<TextCleaner>source.cleaner).drop):
            return False
        source.records += 1
        source.points += r.points
        if found.size:
            source.lost += count_lost(self.text.data, self.text.size, self.text.size == r.points, found.pieces.piece, found.pieces.size)
        # No character becomes longer than it was in the line, but blanks are added between pieces.
        reserve(<void**>&out.data, &out.room, out.size + r.end - r.begin + found.pieces.size + SLACK, 1)
        if found.size == 0 or (<TextCleaner>source.cleaner).mark:
            self._write_range(p, r.begin, r.last)
        else:
            self._write_range(p, r.begin, r.text + 1)
            for i in range(found.pieces.size):
                piece = &found.pieces.piece[i]
                if piece.start == BLANK:
                    self._write_byte(32)
                else:
                    out.size += write_string(self.text.data + piece.start, piece.end - piece.start, out.data + out.size)
            self._write_range(p, r.text_end - 1, r.last)
        self._write_removed(source, verdict == STUB_KEPT or verdict == STUB_CUT)
        if found.size and r.points <= self.fields.longest_looked:
            source.looked += 1
            if has_doubtful_cut(self.text.data, self.text.size, found.span, found.size, self.fields.labels):
                with gil:
                    self.doubtful.append((
                        self._name_source(self.last_source), r.begin,
                        (<char*>self.text.data)[:self.text.size].decode("utf-8", "surrogatepass"),
                        doubtful_cuts(self.text.data, self.text.size, found.span, found.size, self.fields.labels)))
        if self.fields.keep and verdict != STUB_KEPT and r.points <= self.fields.longest_looked:
            with gil:
                self._keep_text()
        reserve(<void**>&out.data, &out.room, out.size + r.end - r.last + 1, 1)
        self._write_range(p, r.last, r.end)
        self._write_byte(10)
        return True

    cdef int _keep_text(self) except -1:
        """Keep the text, and its spans."""
        cdef int64_t k
        self.kept.append((
            self._name_source(self.last_source),
            (<char*>self.text.data)[:self.text.size],
            [(self.found.span[k].point_start, self.found.span[k].point_end) for k in range(self.found.size)]))
        return 0

    cdef int _write_removed(self, Source* source, bint stub) except -1 nogil:
        """Write the removed spans, and count them."""
        cdef Bytes* out = &self.out
        cdef Outcome* found = &self.found
        cdef const uint8_t* ids = (<TextCleaner>source.cleaner).ids
        cdef const int64_t* bounds = (<TextCleaner>source.cleaner).bounds
        cdef int64_t k, j, number, size, member = 0
        cdef int32_t* names
        reserve(<void**>&out.data, &out.room, out.size + self.fields.removed_key.size + self.fields.stub_pair.size + 1, 1)
        self._write_range(self.fields.removed_key.data, 0, self.fields.removed_key.size)
        for k in range(found.size):
            names = found.member + member
            number = found.span[k].member_end - member
            member = found.span[k].member_end
            size = 0
            for j in range(number):
                size += bounds[names[j] + 1] - bounds[names[j]] + 1
            # Two numbers of at most 19 digits and a kind with their keys, and the end of the list after the last span.
            reserve(<void**>&out.data, &out.room, out.size + size + 128 + self.fields.stub_pair.size, 1)
            self._write_ascii(<const char*>b',{"start":' + (k == 0))
            out.size += write_number(found.span[k].point_start, out.data + out.size)
            self._write_ascii(b',"end":')
            out.size += write_number(found.span[k].point_end, out.data + out.size)
            self._write_ascii(b',"templates":')
            for j in range(number):
                self._write_byte(44 if j else 91)
                self._write_range(ids, bounds[names[j]], bounds[names[j] + 1])
            self._write_byte(93)
            if found.span[k].kind:
                self._write_ascii((<TextCleaner>source.cleaner).kinds[found.span[k].kind])
            self._write_byte(125)
            source.cut_of_kind[found.span[k].kind] += found.span[k].point_end - found.span[k].point_start
        self._write_byte(93)
        source.changed += found.size > 0
        source.spans += found.size
        if stub:
            source.stubs += 1
            self._write_range(self.fields.stub_pair.data, 0, self.fields.stub_pair.size)
        return 0

    cdef inline void _write_ascii(self, const char* words) noexcept nogil:
        self._write_range(<const uint8_t*>words, 0, strlen(words))

    cdef inline void _write_byte(self, uint8_t c) noexcept nogil:
        self.out.data[self.out.size] = c
        self.out.size += 1

    cdef inline void _write_range(self, const uint8_t* p, int64_t start, int64_t end) noexcept nogil:
        memcpy(self.out.data + self.out.size, p + start, end - start)
        self.out.size += end - start
