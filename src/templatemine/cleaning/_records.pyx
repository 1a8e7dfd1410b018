"""Lines of JSON cleaned as they stand: bytes in, bytes out, no Python object for a record.

In comes a block of lines and what cleans the texts of each source, out go the lines with cleaned texts and the counts of
each source.  A line that is anything but ordinary is left to the caller: the scanner says "mine" only of what orjson
would read to the same values, and knows nothing of errors.  Cost is linear in the bytes, mostly 16 at a time; memory is
a block and what becomes of it.
"""

cimport cython

from libc.stdint cimport int32_t, int64_t, uint32_t, uint64_t, uint8_t
from libc.stdlib cimport free, malloc
from libc.string cimport memchr, memcmp, memcpy, memset, strlen

from templatemine.matching._match cimport (
    BLANK, LARGEST, Matcher, Outcome, outcome_free, Piece, Scratch, scratch_give, scratch_take, STUB, WHOLE,
)
from templatemine.text._scan cimport (
    Bytes, reserve, Table, table_add, table_find, table_free, table_init, tm_hash, write_number,
)

__all__ = ["CLEAN", "Cut", "DONE", "Fields", "OTHER", "PASS", "STRANGE", "Sweep", "UNKNOWN"]


# ======================================================================================================================
# JSON: as strict as orjson where it says yes
# ======================================================================================================================
#
# Every block is a bytes object, which has a zero behind its last byte: no character of JSON, so a look at the byte behind
# one that was good needs no check of bounds.

cdef extern from *:
    """
    #include <stdint.h>

    static inline int tm_marks(uint8_t c) { return c < 32 || c >= 128 || c == '"' || c == '\\\\'; }
    static inline int tm_unsafe(uint8_t c) { return c < 32 || c == '"' || c == '\\\\'; }

    /* tm_plain: how many of n bytes at p come before the first that is not plain in a string: a quote, a backslash, a
       control, or a byte beyond ASCII.  tm_copy_plain copies them meanwhile, tm_copy_safe copies up to the first that must
       be escaped; both may write 15 bytes too many. */
    #if defined(__SSE2__)
    #include <emmintrin.h>
    static inline __m128i tm_either(__m128i v, __m128i hit) {
        hit = _mm_or_si128(hit, _mm_cmpeq_epi8(v, _mm_set1_epi8('"')));
        return _mm_or_si128(hit, _mm_cmpeq_epi8(v, _mm_set1_epi8('\\\\')));
    }
    /* As signed numbers, bytes beyond ASCII are less than a blank too. */
    #define TM_MARKS(v) _mm_movemask_epi8(tm_either(v, _mm_cmplt_epi8(v, _mm_set1_epi8(32))))
    #define TM_UNSAFE(v) _mm_movemask_epi8(tm_either(v, _mm_cmpeq_epi8(_mm_min_epu8(v, _mm_set1_epi8(31)), v)))
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

    static inline int64_t tm_plain(const uint8_t *p, int64_t n) {
        int64_t i = 0;
        TM_SIXTEEN(TM_MARKS, (void)0)
        while (i < n && !tm_marks(p[i])) i++;
        return i;
    }

    static inline int64_t tm_copy_plain(const uint8_t *p, int64_t n, uint8_t *out) {
        int64_t i = 0;
        TM_SIXTEEN(TM_MARKS, _mm_storeu_si128((__m128i *)(out + i), v))
        for (; i < n && !tm_marks(p[i]); i++) out[i] = p[i];
        return i;
    }

    static inline int64_t tm_copy_safe(const uint8_t *p, int64_t n, uint8_t *out) {
        int64_t i = 0;
        TM_SIXTEEN(TM_UNSAFE, _mm_storeu_si128((__m128i *)(out + i), v))
        for (; i < n && !tm_unsafe(p[i]); i++) out[i] = p[i];
        return i;
    }
    """
    int64_t tm_plain(const uint8_t* p, int64_t n) noexcept nogil
    int64_t tm_copy_plain(const uint8_t* p, int64_t n, uint8_t* out) noexcept nogil
    int64_t tm_copy_safe(const uint8_t* p, int64_t n, uint8_t* out) noexcept nogil


cdef enum:
    SLACK = 16              # bytes that a copy may write too many
    DEEPEST = 60            # containers in a value; what is deeper is left to the caller
    DIGITS = 18             # of an integer that surely fits 64 bits
    EXPONENT = 2            # digits of an exponent that surely leads to no infinity
    KEYS = 64               # of a record
    KEPT = 1 << 22          # of the largest buffer that is kept


cdef inline int64_t skip_blanks(const uint8_t* p, int64_t i) noexcept nogil:
    """Behind the white space at i; a line feed ends the line, and is none."""
    while p[i] == 32 or p[i] == 9 or p[i] == 13:
        i += 1
    return i


cdef inline int utf8_width(const uint8_t* p) noexcept nogil:
    """Bytes of the character beyond ASCII at p, 0 where UTF-8 (RFC 3629, section 4) has none."""
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
    """Behind the ``uXXXX`` at i, or -1."""
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
    """Behind the escape whose backslash stands at i, and its character; -1 where there is none, or half a pair."""
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


cdef inline int64_t wide_end(const uint8_t* p, int64_t i) noexcept nogil:
    """Behind the characters beyond ASCII at i, or -1."""
    cdef int width
    while p[i] >= 0x80:
        width = utf8_width(p + i)
        if width == 0:
            return -1
        i += width
    return i


cdef inline int64_t name_end(const uint8_t* p, int64_t i, int64_t n) noexcept nogil:
    """The closing quote of the string whose first character stands at i; -1 if it holds an escape, or is none."""
    while True:
        i += tm_plain(p + i, n - i)
        if p[i] < 0x80:
            return i if p[i] == 34 else -1
        i = wide_end(p, i)
        if i < 0:
            return -1


cdef int64_t string_end(const uint8_t* p, int64_t i, int64_t n) noexcept nogil:
    """Behind the closing quote of the string whose first character stands at i, or -1."""
    cdef uint32_t c = 0
    while True:
        i += tm_plain(p + i, n - i)
        if p[i] == 34:
            return i + 1
        if p[i] != 92 and p[i] < 0x80:
            return -1
        i = escape_end(p, i, &c) if p[i] == 92 else wide_end(p, i)
        if i < 0:
            return -1


cdef int64_t read_string(const uint8_t* p, int64_t i, int64_t n, Bytes* out, int64_t* points) noexcept nogil:
    """As `string_end`, with the string itself, which has room in `out`, and its code points."""
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
    """Behind the number at i; -1 if there is none, or one that 64 bits may not hold as it is."""
    cdef int64_t start
    if p[i] == 45:
        i += 1
    start = i
    i = digits_end(p, i)
    if i == start or i - start > DIGITS or (p[start] == 48 and i > start + 1):
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
        if i == start or i - start > EXPONENT:
            return -1
    return i


cdef inline int64_t word_end(const uint8_t* p, int64_t i) noexcept nogil:
    """Behind the true, false or null at i, or -1."""
    if p[i] == 110 and p[i + 1] == 117 and p[i + 2] == 108 and p[i + 3] == 108:
        return i + 4
    if p[i] == 116 and p[i + 1] == 114 and p[i + 2] == 117 and p[i + 3] == 101:
        return i + 4
    if p[i] == 102 and p[i + 1] == 97 and p[i + 2] == 108 and p[i + 3] == 115 and p[i + 4] == 101:
        return i + 5
    return -1


cdef inline int64_t key_end(const uint8_t* p, int64_t i, int64_t n) noexcept nogil:
    """Where the value begins whose key begins at i, or -1."""
    if p[i] != 34:
        return -1
    i = string_end(p, i + 1, n)
    if i < 0:
        return -1
    i = skip_blanks(p, i)
    return skip_blanks(p, i + 1) if p[i] == 58 else -1


cdef int64_t value_end(const uint8_t* p, int64_t i, int64_t n) noexcept nogil:
    """Behind the value at i, or -1."""
    cdef uint64_t objects = 0       # a bit for each container we are in, the innermost lowest: whether it is an object
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
            elif depth == DEEPEST:
                return -1
            else:
                depth += 1
                objects = objects << 1 | (c == 123)
                if c == 123:
                    i = key_end(p, i, n)
                    if i < 0:
                        return -1
                continue
        elif c == 45 or 48 <= c <= 57:
            i = number_end(p, i)
        else:
            i = word_end(p, i)
        if i < 0:
            return -1
        # Behind a value: containers may end, and another value may follow.
        while True:
            if depth == 0:
                return i
            i = skip_blanks(p, i)
            if p[i] == 44:
                i = skip_blanks(p, i + 1)
                if objects & 1:
                    i = key_end(p, i, n)
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
    # Fields that are looked at; a record with one of the last two is left to the caller.
    TEXT
    HTML
    SOURCE
    ID
    REMOVED
    SPARE
    NAMES                   # how many, and what stands for any other


cdef struct Names:
    const uint8_t* name[6]
    int64_t size[6]


cdef struct Record:
    # Places in the block.
    int64_t begin           # the opening brace
    int64_t text            # the opening quote of the text, and behind its closing quote
    int64_t text_end
    int64_t source          # the first character; -1 if there is none
    int64_t source_end
    int64_t last            # behind the last value
    int64_t end             # behind the closing brace
    int64_t stop            # where the next line begins
    int64_t points          # of the text


cdef inline int field_of(const Names* names, const uint8_t* p, int64_t n) noexcept nogil:
    cdef int k
    for k in range(NAMES):
        if names.size[k] == n and memcmp(names.name[k], p, n) == 0:
            return k
    return NAMES


cdef inline bint begins_blank(const uint8_t* p) noexcept nogil:
    """Whether white space stands at p, as `str.isspace` has it, that JSON need not escape."""
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
    """Read the line at i; False if it is not an ordinary record."""
    cdef int64_t start[KEYS]
    cdef int64_t size[KEYS]
    cdef int64_t keys = 0, k
    cdef int field
    r.text = r.source = -1
    r.begin = skip_blanks(p, i)
    if p[r.begin] != 123:
        return False
    i = r.begin
    while True:
        # Before a key: behind the opening brace, or a comma.
        i = skip_blanks(p, i + 1)
        if p[i] != 34 or keys == KEYS:
            return False
        start[keys] = i + 1
        i = name_end(p, i + 1, n)
        if i < 0:
            return False
        size[keys] = i - start[keys]
        for k in range(keys):
            if size[k] == size[keys] and memcmp(p + start[k], p + start[keys], size[k]) == 0:
                return False
        field = field_of(names, p + start[keys], size[keys])
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
        elif field == SOURCE and p[i] == 34 and p[i + 1] == 34:  # an empty one is none
            i += 2
        elif field == SOURCE and p[i] == 34:
            if begins_blank(p + i + 1):  # which is none, if it is nothing else
                return False
            r.source = i + 1
            r.source_end = name_end(p, i + 1, n)
            i = -1 if r.source_end < 0 else r.source_end + 1
        elif field >= REMOVED and field != NAMES:
            return False
        # What a field may hold beside strings: an id numbers as well; each, null.
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


cdef inline int64_t put_escape(uint8_t c, uint8_t* out) noexcept nogil:
    """Write the escape of a character as orjson does; returns its bytes."""
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


cdef inline int64_t put_string(const uint8_t* p, int64_t n, uint8_t* out) noexcept nogil:
    """Write what stands between the quotes of a string; returns its bytes."""
    cdef int64_t i = 0, size = 0, k
    while True:
        k = tm_copy_safe(p + i, n - i, out + size)
        i += k
        size += k
        if i == n:
            return size
        size += put_escape(p[i], out + size)
        i += 1


# ======================================================================================================================
# Blocks of lines
# ======================================================================================================================

cdef enum:
    AT_END
    AT_STRANGE
    AT_UNKNOWN


DONE, STRANGE, UNKNOWN = AT_END, AT_STRANGE, AT_UNKNOWN
"""Why `Sweep.run` stopped: at the end; at a line that is left to the caller; at the first line of a source."""

cdef enum:
    LEFT
    PASSED
    CLEANED


OTHER, PASS, CLEAN = LEFT, PASSED, CLEANED
"""What is done with the lines of a source: left to the caller, passed on, cleaned."""


cdef class Fields:
    """Names of the fields of records.

    Parameters
    ----------
    names : list of bytes
        Of the text, HTML, source, id, of what was cut, and of what tells that a text is a stub; all different.
    longest : int
        Bytes of a line.
    """

    cdef tuple kept
    cdef Names names
    cdef int64_t longest
    cdef Bytes removed          # what stands before the list of what was cut
    cdef Bytes stub
    cdef Bytes text             # of the Sweep before, for the next one
    cdef Bytes out

    def __cinit__(self, list names, int64_t longest):
        cdef bytes name
        cdef int k
        if len(names) != NAMES or len(set(names)) != NAMES:
            raise ValueError(f"expected {NAMES} different names, got {names}")
        # A key that is written with escapes is none of these, but left to the caller.
        self.text = self.out = Bytes(NULL, 0, 0)
        self.kept = (*names, b"," + quoted(names[REMOVED]) + b":[", b"," + quoted(names[SPARE]) + b":true")
        for k in range(NAMES):
            name = self.kept[k]
            self.names.name[k] = <const uint8_t*>name
            self.names.size[k] = len(name)
        name = self.kept[NAMES]
        self.removed = Bytes(<uint8_t*>name, len(name), 0)
        name = self.kept[NAMES + 1]
        self.stub = Bytes(<uint8_t*>name, len(name), 0)
        self.longest = longest

    def __dealloc__(self):
        free(self.text.data)
        free(self.out.data)


cdef void lend(Bytes* kept, Bytes* room) noexcept:
    """What is kept, or nothing: new memory costs more than what is done in it."""
    room[0] = kept[0]
    room.size = 0
    kept[0] = Bytes(NULL, 0, 0)


cdef void give_back(Bytes* kept, Bytes* room) noexcept:
    if kept.data == NULL and room.room <= KEPT:
        kept[0] = room[0]
    else:
        free(room.data)


cdef bytes quoted(bytes text):
    """A string as JSON has it."""
    cdef uint8_t* out = <uint8_t*>malloc(6 * len(text) + SLACK)
    cdef int64_t size
    if out == NULL:
        raise MemoryError
    try:
        size = put_string(<const uint8_t*>text, len(text), out)
        return b'"' + (<char*>out)[:size] + b'"'
    finally:
        free(out)


cdef class Cut:
    """What cleans the texts of a source.

    Parameters
    ----------
    matcher : Matcher
    ids : list of bytes
        Of its strings, UTF-8.
    gap, guard, keep
        See `CleanConfig`.
    """

    cdef Matcher matcher
    cdef uint8_t* ids           # as JSON writes them, one after the other
    cdef int64_t* bounds
    cdef int64_t gap
    cdef double guard
    cdef bint keep

    def __cinit__(self, Matcher matcher not None, list ids, int64_t gap, double guard, bint keep):
        cdef int64_t i
        cdef bytes whole
        if len(ids) != matcher.strings:
            raise ValueError(f"expected {matcher.strings} ids, got {len(ids)}")
        texts = [quoted(one) for one in ids]
        whole = b"".join(texts)
        self.matcher = matcher
        self.gap = gap
        self.guard = guard
        self.keep = keep
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


cdef struct Source:
    void* cut               # a Cut that the Sweep holds
    int kind
    int64_t records
    int64_t changed
    int64_t spans
    int64_t points
    int64_t gone
    int64_t stubs


@cython.no_gc
cdef class Sweep:
    """One way through a block of lines.

    Parameters
    ----------
    fields : Fields
    block : bytes
        Whole lines.
    source : bytes
        That of records without one.

    Attributes
    ----------
    number : int
        Lines that are done; the strange one is among them.
    """

    cdef Fields fields
    cdef bytes block
    cdef bytes default
    cdef list cuts
    cdef Table names            # of sources
    cdef Source* sources
    cdef int64_t room
    cdef int64_t latest         # source of the line before, or -1
    cdef Bytes text
    cdef Bytes out
    cdef Outcome found
    cdef Scratch* scratch       # for all sources
    cdef Record record
    cdef int64_t at
    cdef int64_t start          # of the strange line
    cdef bint busy              # a thread is in `run`, which lets the interpreter's lock go
    cdef readonly int64_t number

    def __cinit__(self, Fields fields not None, bytes block not None, bytes source not None):
        memset(&self.names, 0, sizeof(Table))
        memset(&self.found, 0, sizeof(Outcome))
        self.sources = NULL
        self.scratch = NULL
        self.room = 0
        self.fields = fields
        self.block = block
        self.default = source
        self.cuts = []
        lend(&fields.text, &self.text)
        lend(&fields.out, &self.out)
        self.latest = -1
        self.at = self.start = self.number = 0
        table_init(&self.names)
        # A string is never longer than what it is written as.
        reserve(<void**>&self.text.data, &self.text.room, len(block) + SLACK, 1)

    def __dealloc__(self):
        if self.scratch != NULL:
            scratch_give(self.scratch)
        if self.fields is not None:         # as it is where the arguments were refused
            give_back(&self.fields.text, &self.text)
            give_back(&self.fields.out, &self.out)
        free(self.sources)
        table_free(&self.names)
        outcome_free(&self.found)

    cdef int _enter(self) except -1:
        """One thread at a time: what is done lies in one place."""
        if self.busy:
            raise RuntimeError("expected one thread at a time, another one is at these lines")
        return 0

    def run(self):
        """Clean lines until something has to be asked, or to the end: gives why it stopped."""
        cdef const uint8_t* p = <const uint8_t*>self.block
        cdef const uint8_t* name = <const uint8_t*>self.default
        cdef int64_t size = len(self.block), name_size = len(self.default)
        cdef int why
        self._enter()
        self.busy = True
        try:
            with nogil:
                why = self._run(p, size, name, name_size)
        finally:
            self.busy = False
        return why

    @property
    def line(self):
        """The strange line."""
        return self.block[self.start:self.at]

    @property
    def source(self):
        """The unknown source."""
        return self.default if self.record.source < 0 else self.block[self.record.source:self.record.source_end]

    def add(self, bytes source not None, int kind, Cut cut=None):
        """Say what is done with the lines of a source."""
        cdef Source* one
        cdef int64_t place = self.names.count
        if kind not in (OTHER, PASS, CLEAN) or (kind == CLEAN) != (cut is not None):
            raise ValueError(f"expected what cleans a source if it is cleaned, got {cut} for kind {kind}")
        self._enter()
        reserve(<void**>&self.sources, &self.room, place + 1, sizeof(Source))
        one = &self.sources[place]
        memset(one, 0, sizeof(Source))
        one.kind = kind
        if cut is not None:
            self.cuts.append(cut)
            one.cut = <void*>cut
            if self.scratch == NULL:
                self.scratch = scratch_take()
        if table_add(&self.names, <const uint8_t*>source, len(source)) != place:
            raise ValueError(f"the source {source!r} was told before")

    def take(self):
        """The lines that are done, once."""
        cdef bytes done
        self._enter()
        done = (<char*>self.out.data)[:self.out.size] if self.out.size else b""
        self.out.size = 0
        return done

    def counts(self):
        """What became of the lines of each source.

        Returns
        -------
        list of (source, kind, records, changed, spans, characters, cut, stubs)
            As `tally.SourceTally` has them.
        """
        cdef int64_t i
        cdef Source* one
        cdef list rows = []
        self._enter()
        for i in range(self.names.count):
            one = &self.sources[i]
            name = (<char*>self.names.arena + self.names.offset[i])[:self.names.offset[i + 1] - self.names.offset[i]]
            rows.append((name, one.kind, one.records, one.changed, one.spans, one.points, one.gone, one.stubs))
        return rows

    cdef int _run(self, const uint8_t* p, int64_t n, const uint8_t* default, int64_t default_size) except -1 nogil:
        cdef Record* r = &self.record
        cdef const uint8_t* name
        cdef const void* hit
        cdef int64_t size
        while self.at < n:
            if (read_record(p, self.at, n, &self.fields.names, &self.text, r) and r.stop - self.at <= self.fields.longest
                    and self.text.size <= LARGEST):
                name, size = default, default_size
                if r.source >= 0:
                    name, size = p + r.source, r.source_end - r.source
                if not self._is_latest(name, size):
                    self.latest = table_find(&self.names, name, size, tm_hash(name, size))
                    if self.latest < 0:
                        return AT_UNKNOWN
                if self.sources[self.latest].kind != LEFT:
                    self._put_record(p, &self.sources[self.latest])
                    self.at = r.stop
                    self.number += 1
                    continue
            self.start = self.at
            hit = memchr(p + self.at, 10, n - self.at)
            self.at = n if hit == NULL else <const uint8_t*>hit - p + 1
            self.number += 1
            return AT_STRANGE
        return AT_END

    cdef inline bint _is_latest(self, const uint8_t* name, int64_t size) noexcept nogil:
        cdef const int64_t* offset
        if self.latest < 0:
            return False
        offset = &self.names.offset[self.latest]
        return offset[1] - offset[0] == size and memcmp(self.names.arena + offset[0], name, size) == 0

    cdef int _put_record(self, const uint8_t* p, Source* source) except -1 nogil:
        """Add the line of a record to `out`, cleaned or as it stands."""
        cdef Record* r = &self.record
        cdef Bytes* out = &self.out
        cdef Outcome* found = &self.found
        cdef Piece* piece
        cdef int64_t i
        cdef int verdict
        source.records += 1
        if source.kind == PASSED:
            reserve(<void**>&out.data, &out.room, out.size + r.end - r.begin + 1, 1)
            self._copy(p, r.begin, r.end)
            self._byte(10)
            return 0
        found.size = found.members = found.pieces.size = 0
        if (<Cut>source.cut).matcher.learning:
            with gil:
                (<Cut>source.cut).matcher._meet(self.text.data, self.text.size)
        verdict = (<Cut>source.cut).matcher._clean(
            self.text.data, self.text.size, r.points, (<Cut>source.cut).gap, (<Cut>source.cut).guard, (<Cut>source.cut).keep,
            self.scratch, found)
        source.points += r.points
        # No character is written longer than it was, but for the blanks between pieces.
        reserve(<void**>&out.data, &out.room, out.size + r.end - r.begin + found.pieces.size + SLACK, 1)
        if found.size == 0:
            self._copy(p, r.begin, r.last)
        else:
            self._copy(p, r.begin, r.text + 1)
            for i in range(found.pieces.size):
                piece = &found.pieces.piece[i]
                if piece.start == BLANK:
                    self._byte(32)
                else:
                    out.size += put_string(self.text.data + piece.start, piece.end - piece.start, out.data + out.size)
            self._copy(p, r.text_end - 1, r.last)
        self._put_removed(source, verdict == WHOLE or verdict == STUB)
        reserve(<void**>&out.data, &out.room, out.size + r.end - r.last + 1, 1)
        self._copy(p, r.last, r.end)
        self._byte(10)
        return 0

    cdef int _put_removed(self, Source* source, bint stub) except -1 nogil:
        """Add what was cut, and count it."""
        cdef Bytes* out = &self.out
        cdef Outcome* found = &self.found
        cdef const uint8_t* ids = (<Cut>source.cut).ids
        cdef const int64_t* bounds = (<Cut>source.cut).bounds
        cdef int64_t k, j, number, size, member = 0
        cdef int32_t* names
        reserve(<void**>&out.data, &out.room, out.size + self.fields.removed.size + self.fields.stub.size + 1, 1)
        self._copy(self.fields.removed.data, 0, self.fields.removed.size)
        for k in range(found.size):
            names = found.member + member
            number = found.span[k].members - member
            member = found.span[k].members
            size = 0
            for j in range(number):
                size += bounds[names[j] + 1] - bounds[names[j]] + 1
            # Two numbers of at most 19 digits, and what stands around them; what follows the last span.
            reserve(<void**>&out.data, &out.room, out.size + size + 96 + self.fields.stub.size, 1)
            self._words(<const char*>b',{"start":' + (k == 0))
            out.size += write_number(found.span[k].first, out.data + out.size)
            self._words(b',"end":')
            out.size += write_number(found.span[k].last, out.data + out.size)
            self._words(b',"templates":')
            for j in range(number):
                self._byte(44 if j else 91)
                self._copy(ids, bounds[names[j]], bounds[names[j] + 1])
            self._words(b"]}")
            source.gone += found.span[k].last - found.span[k].first
        self._byte(93)
        source.changed += found.size > 0
        source.spans += found.size
        if stub:
            source.stubs += 1
            self._copy(self.fields.stub.data, 0, self.fields.stub.size)
        return 0

    cdef inline void _words(self, const char* words) noexcept nogil:
        self._copy(<const uint8_t*>words, 0, strlen(words))

    cdef inline void _byte(self, uint8_t c) noexcept nogil:
        self.out.data[self.out.size] = c
        self.out.size += 1

    cdef inline void _copy(self, const uint8_t* p, int64_t start, int64_t end) noexcept nogil:
        memcpy(self.out.data + self.out.size, p + start, end - start)
        self.out.size += end - start
