"""Pages into runs of text between tags, each with its text and what it stands in; see `pages.crf`.

In come a page as UTF-8 bytes and where its blocks stand, out go columns of the runs in them and their text as code
points, references resolved and white space folded.  Tags are found and elements closed exactly as `pages.outline` does,
which keeps more of the page, for systems that need it, and takes ten times as long.  Time is linear in the page.
"""

import numpy as np

from libc.stdint cimport int32_t, int64_t, uint8_t, uint16_t, uint32_t
from libc.stdlib cimport free, malloc
from libc.string cimport memchr, memset

from templatemine._chars cimport is_alnum, is_alpha, is_digit, is_upper, same_letters, tm_hash
from templatemine._memory cimport copied, reserve
from templatemine._tables cimport Table, table_add, table_find, table_free, table_init
from templatemine._tags cimport script_end

__all__ = ["COLUMNS", "FLAGS", "RunScanner"]


cdef extern from "Python.h":
    bint Py_UNICODE_ISSPACE(uint32_t c) noexcept nogil


cdef enum:
    VOID = 1
    INLINE = 2
    P = 4
    BR = 8
    HR = 16
    DIV = 32
    TD = 64

FLAGS = {"void": VOID, "inline": INLINE, "p": P, "br": BR, "hr": HR, "div": DIV, "td": TD}
"""What a tag is, as bits."""

cdef enum:
    R_START, R_END, R_HOME, R_MASK, R_DIV, R_TD, R_P, R_BR, R_HR, R_INLINE, R_BLOCK, R_SIZE

COLUMNS = ("start", "end", "home", "mask", "div", "td", "p", "br", "hr", "inline", "block")
"""Of each run: where it stands in the page, in bytes; its block; the kinds of elements around it as bits; the number of
the nearest div and td, -1 for none; and how many tags of each kind stand between it and the run before."""

cdef enum:
    LOOK = 64           # how far up the end tag of an inline element looks for its beginning (`pages.outline.LOOK`)
    NAME = 31           # characters of a name that count
    QUOTED = 2000       # characters of an attribute in quotes that may hold a >
    REFERENCE = 32      # characters of the name of a reference
    UNKNOWN_ENDS = 1    # what the start tag of an unknown element ends: a p


# ======================================================================================================================
# Characters
# ======================================================================================================================

cdef inline int decode(const uint8_t* p, int64_t left, uint32_t* c) noexcept nogil:
    """The character that begins here; returns its bytes.  What is no UTF-8 gives some character, within the page."""
    if p[0] < 0x80 or left < 2:
        c[0] = p[0]
        return 1
    if p[0] < 0xE0 or left < 3:
        c[0] = <uint32_t>(p[0] & 0x1F) << 6 | (p[1] & 0x3F)
        return 2
    if p[0] < 0xF0 or left < 4:
        c[0] = <uint32_t>(p[0] & 0x0F) << 12 | <uint32_t>(p[1] & 0x3F) << 6 | (p[2] & 0x3F)
        return 3
    c[0] = <uint32_t>(p[0] & 0x07) << 18 | <uint32_t>(p[1] & 0x3F) << 12 | <uint32_t>(p[2] & 0x3F) << 6 | (p[3] & 0x3F)
    return 4


cdef inline bint is_space(uint32_t c) noexcept nogil:
    if c < 0x80:
        return c == 32 or 9 <= c <= 13 or 28 <= c <= 31
    return Py_UNICODE_ISSPACE(c)


cdef bint blank(const uint8_t* p, int64_t a, int64_t b) noexcept nogil:
    cdef uint32_t c = 0
    while a < b:
        a += decode(p + a, b - a, &c)
        if not is_space(c):
            return False
    return True


cdef inline bint names(uint8_t c) noexcept nogil:
    """It may stand in the name of a tag."""
    return is_alnum(c) or c == 58 or c == 45


cdef uint32_t WINDOWS[32]


cdef void _tables():
    """What numbers from 128 to 159 mean: browsers read them as Windows does."""
    cdef int i
    for i in range(32):
        WINDOWS[i] = ord(bytes([128 + i]).decode("cp1252")) if 128 + i not in (0x81, 0x8D, 0x8F, 0x90, 0x9D) else 128 + i


_tables()


cdef inline uint32_t meant(uint32_t c) noexcept nogil:
    """The character that a numeric reference stands for, 0 for none."""
    if 0x80 <= c < 0xA0:
        return WINDOWS[c - 0x80]
    if c == 0 or c > 0x10FFFF or 0xD800 <= c <= 0xDFFF:
        return 0xFFFD
    if c < 32 and c != 9 and c != 10 and c != 12 and c != 13:
        return 0
    if c == 0x7F or 0xFDD0 <= c <= 0xFDEF or (c & 0xFFFE) == 0xFFFE:
        return 0
    return c


# ======================================================================================================================
# Marks: tags, comments, and elements whose content is no text
# ======================================================================================================================

cdef inline int64_t find(const uint8_t* p, int64_t i, int64_t n, uint8_t wanted) noexcept nogil:
    """Where a byte comes next, n if nowhere."""
    cdef const void* hit
    if i >= n:
        return n
    hit = memchr(p + i, wanted, n - i)
    return n if hit == NULL else <const uint8_t*>hit - p


cdef inline int64_t closing(const uint8_t* p, int64_t i, int64_t n) noexcept nogil:
    """Behind the > that comes before any <; -1 if none does."""
    while i < n and p[i] != 62:
        if p[i] == 60:
            return -1
        i += 1
    return i + 1 if i < n else -1


cdef int64_t quoted(const uint8_t* p, int64_t i, int64_t n) noexcept nogil:
    """Behind the quote that closes the one at i, before any < and not too far; -1 if none does."""
    cdef uint8_t quote = p[i]
    cdef int64_t count = 0
    i += 1
    while i < n and count <= QUOTED and p[i] != 60:
        if p[i] == quote:
            return i + 1
        i += 1
        if i == n or p[i] & 0xC0 != 0x80:
            count += 1
    return -1


cdef int64_t tag_end(const uint8_t* p, int64_t i, int64_t n) noexcept nogil:
    """Behind the tag whose name ends at i; -1 if it has no end."""
    cdef int64_t j
    while i < n and p[i] != 62:
        if p[i] == 60:
            return -1
        if p[i] == 34 or p[i] == 39:
            j = quoted(p, i, n)
            i = i + 1 if j < 0 else j
        else:
            i += 1
    return i + 1 if i < n else -1


cdef int64_t comment_end(const uint8_t* p, int64_t i, int64_t n) noexcept nogil:
    while True:
        i = find(p, i, n, 45)
        if i + 2 >= n:
            return n
        if p[i + 1] == 45 and p[i + 2] == 62:
            return i + 3
        i += 1


cdef inline int raw_name(const uint8_t* p, int64_t left) noexcept nogil:
    """Length of the name, if it is that of an element whose content is no text; 0 if it is not."""
    cdef int size = 0
    cdef uint8_t c = p[0] | 32
    if c == 115:
        size = 6 if left > 6 and same_letters(p, b"script", 6) else 5 if left > 5 and same_letters(p, b"style", 5) else 0
    elif c == 116:
        size = 8 if left > 8 and same_letters(p, b"textarea", 8) else 5 if left > 5 and same_letters(p, b"title", 5) else 0
    elif c == 105:
        size = 6 if left > 6 and same_letters(p, b"iframe", 6) else 0
    elif c == 110:
        size = 7 if left > 7 and same_letters(p, b"noembed", 7) else 8 if left > 8 and same_letters(p, b"noframes", 8) else 0
    elif c == 120:
        size = 3 if left > 3 and same_letters(p, b"xmp", 3) else 0
    return 0 if size and (is_alnum(p[size]) or p[size] == 95) else size


cdef int64_t raw_end(const uint8_t* p, int64_t name, int size, int64_t i, int64_t n) noexcept nogil:
    """Behind the end tag of an element whose content is no text, the end of the page if it has none."""
    cdef int64_t j
    cdef int k
    while True:
        i = find(p, i, n, 60)
        j = i + 2
        if j + size > n:
            return n
        if p[i + 1] == 47:
            k = 0
            while k < size and is_alpha(p[j + k]) and (p[j + k] | 32) == (p[name + k] | 32):
                k += 1
            j += size
            if k == size and (j == n or not (is_alnum(p[j]) or p[j] == 95)):
                while j < n and p[j] != 60 and p[j] != 62:
                    j += 1
                return j + (j < n and p[j] == 62)
        i += 1


# ======================================================================================================================
# The scanner
# ======================================================================================================================

cdef struct Open:
    int32_t tag
    uint16_t mask
    int64_t div
    int64_t td


cdef struct Runs:
    Open* stack
    int64_t depth
    int64_t stack_room
    int64_t* open           # by tag: open elements
    int64_t open_room
    Table strange           # tags that no table names
    int64_t groups          # div and td so far
    int64_t marks[5]        # p, br, hr, inline, block since the run before
    int64_t* rows
    int64_t size            # in numbers
    int64_t room
    uint32_t* text
    int64_t letters
    int64_t text_room
    int64_t* bounds
    int64_t bound_room
    bint blank              # white space stands before what comes next
    bint unescaped          # as in `_state.Page`


cdef void runs_free(Runs* s) noexcept nogil:
    free(s.stack)
    free(s.open)
    free(s.rows)
    free(s.text)
    free(s.bounds)
    table_free(&s.strange)


cdef inline void put(Runs* s, uint32_t c, int64_t begin) noexcept nogil:
    """Add a character to the text, white space as a single blank between two others."""
    if is_space(c):
        s.blank = s.letters > begin
        return
    if s.blank:
        s.text[s.letters] = 32
        s.letters += 1
        s.blank = False
    s.text[s.letters] = c
    s.letters += 1


cdef class RunScanner:
    """Cuts pages into runs.

    Parameters
    ----------
    tags : list of tuple (bytes, int, int, int, int)
        Name in lower case; bits of `FLAGS`; bits of the kinds of elements that a run in it stands in; bits of the kinds
        of elements that may be closed by a start tag; bits of those that this one's start tag closes.  The lowest of
        them stands for p, which tags that are not named close.
    entities : list of tuple (bytes, str)
        Name without the ampersand, with the semicolon where it must have one, and what it stands for: one character or
        two.
    """

    cdef Table tags
    cdef uint16_t* flags
    cdef uint16_t* mask
    cdef uint16_t* kind
    cdef uint16_t* ends
    cdef Table entities
    cdef uint32_t* meaning
    cdef int64_t legacy         # bytes of the longest name that needs no semicolon

    def __cinit__(self, list tags, list entities):
        cdef int64_t i
        cdef bytes name
        cdef str text
        table_init(&self.tags)
        table_init(&self.entities)
        for row in tags:
            if not isinstance(row, tuple) or len(row) != 5 or not all(0 <= bits < 1 << 16 for bits in row[1:]):
                raise ValueError(f"expected a name and four numbers of 16 bits, got {row!r}")
        self.flags = <uint16_t*>malloc((len(tags) + 1) * sizeof(uint16_t))
        self.mask = <uint16_t*>malloc((len(tags) + 1) * sizeof(uint16_t))
        self.kind = <uint16_t*>malloc((len(tags) + 1) * sizeof(uint16_t))
        self.ends = <uint16_t*>malloc((len(tags) + 1) * sizeof(uint16_t))
        self.meaning = <uint32_t*>malloc((len(entities) + 1) * 2 * sizeof(uint32_t))
        if self.flags == NULL or self.mask == NULL or self.kind == NULL or self.ends == NULL or self.meaning == NULL:
            raise MemoryError
        for i, (name, flags, mask, kind, ends) in enumerate(tags):
            if not 0 < len(name) <= NAME or table_add(&self.tags, <const uint8_t*>name, len(name)) != i:
                raise ValueError(f"expected names of up to {NAME} bytes, each once, got {name!r}")
            self.flags[i], self.mask[i], self.kind[i], self.ends[i] = flags, mask, kind, ends
        self.legacy = 0
        for i, (name, text) in enumerate(entities):
            if len(name) < 2 or table_add(&self.entities, <const uint8_t*>name, len(name)) != i:
                raise ValueError(f"expected names of two bytes and more, each once, got {name!r}")
            if not 1 <= len(text) <= 2:
                raise ValueError(f"expected one character or two, got {text!r} for {name!r}")
            self.meaning[2 * i] = ord(text[0])
            self.meaning[2 * i + 1] = ord(text[1]) if len(text) > 1 else 0
            if not name.endswith(b";"):
                self.legacy = max(self.legacy, <int64_t>len(name))

    def __dealloc__(self):
        table_free(&self.tags)
        table_free(&self.entities)
        free(self.flags)
        free(self.mask)
        free(self.kind)
        free(self.ends)
        free(self.meaning)

    # ------------------------------------------------------------------------------------------------------ references

    cdef int64_t _named(self, const uint8_t* p, int64_t n) noexcept nogil:
        return table_find(&self.entities, p, n, tm_hash(p, n))

    cdef int64_t _reference(self, Runs* s, const uint8_t* p, int64_t i, int64_t n, int64_t begin) noexcept nogil:
        """Add what the reference at i stands for, an ampersand if it is none; returns where the text goes on."""
        cdef int64_t j = i + 1, k, found = -1
        cdef uint32_t value = 0
        cdef uint8_t c
        cdef int count = 0
        if j < n and p[j] == 35:
            return self._number(s, p, i, n, begin)
        while j < n and count < REFERENCE:
            c = p[j]
            if c == 9 or c == 10 or c == 12 or c == 32 or c == 60 or c == 38 or c == 35 or c == 59:
                break
            j += decode(p + j, n - j, &value)
            count += 1
        if count:
            if j < n and p[j] == 59:
                found = self._named(p + i + 1, j - i)
                k = j + 1
            if found < 0:
                k = min(j, i + 1 + self.legacy)
                while k > i + 2:
                    found = self._named(p + i + 1, k - i - 1)
                    if found >= 0:
                        break
                    k -= 1
            if found >= 0:
                put(s, self.meaning[2 * found], begin)
                if self.meaning[2 * found + 1]:
                    put(s, self.meaning[2 * found + 1], begin)
                return k
        put(s, 38, begin)
        return i + 1

    cdef int64_t _number(self, Runs* s, const uint8_t* p, int64_t i, int64_t n, int64_t begin) noexcept nogil:
        cdef int64_t j = i + 2, first
        cdef uint32_t value = 0
        cdef uint8_t c
        cdef bint hexadecimal = j < n and (p[j] | 32) == 120
        if hexadecimal:
            j += 1
        first = j
        while j < n:
            c = p[j]
            if is_digit(c):
                value = value * (16 if hexadecimal else 10) + c - 48
            elif hexadecimal and 97 <= (c | 32) <= 102:
                value = value * 16 + (c | 32) - 87
            else:
                break
            value = min(value, <uint32_t>0x200000)      # beyond all characters, and ten times it stays within 32 bits
            j += 1
        if j == first:
            put(s, 38, begin)
            return i + 1
        value = meant(value)
        if value:
            put(s, value, begin)
        return j + (j < n and p[j] == 59)

    cdef int _text(self, Runs* s, const uint8_t* p, int64_t a, int64_t b) except -1 nogil:
        """The text of a run, which has no more characters than the page has bytes there."""
        cdef int64_t begin = s.letters
        cdef uint32_t c = 0
        reserve(<void**>&s.text, &s.text_room, s.letters + b - a, sizeof(uint32_t))
        s.blank = False
        while a < b:
            if p[a] == 38:
                a = self._reference(s, p, a, b, begin)
            else:
                a += decode(p + a, b - a, &c)
                put(s, c, begin)
        return 0

    # -------------------------------------------------------------------------------------------------------- elements

    cdef int32_t _tag(self, Runs* s, const uint8_t* p, int64_t n) except -1 nogil:
        """Number of a tag by its name."""
        cdef uint8_t name[NAME]
        cdef int64_t i, found
        for i in range(n):
            name[i] = p[i] | 32 if is_upper(p[i]) else p[i]
        found = table_find(&self.tags, name, n, tm_hash(name, n))
        if found < 0:
            found = self.tags.count + table_add(&s.strange, name, n)
            i = s.open_room
            reserve(<void**>&s.open, &s.open_room, found + 1, sizeof(int64_t))
            memset(s.open + i, 0, (s.open_room - i) * sizeof(int64_t))
        return <int32_t>found

    cdef inline uint16_t _flags(self, int32_t tag) noexcept nogil:
        return self.flags[tag] if tag < self.tags.count else 0

    cdef int _begin(self, Runs* s, int32_t tag) except -1 nogil:
        cdef bint known = tag < self.tags.count
        cdef uint16_t flags = self._flags(tag), ends = self.ends[tag] if known else UNKNOWN_ENDS
        cdef int32_t top
        cdef Open* e
        cdef const Open* outer
        while s.depth:
            top = s.stack[s.depth - 1].tag
            if top >= self.tags.count or self.kind[top] & ends == 0:
                break
            s.depth -= 1
            s.open[top] -= 1
        if flags & VOID:
            return 0
        reserve(<void**>&s.stack, &s.stack_room, s.depth + 1, sizeof(Open))
        e = s.stack + s.depth
        e.tag = tag
        e.mask = 0
        e.div = e.td = -1
        if s.depth:
            outer = e - 1
            e.mask, e.div, e.td = outer.mask, outer.div, outer.td
        if known:
            e.mask |= self.mask[tag]
        if flags & DIV:
            e.div = s.groups
            s.groups += 1
        if flags & TD:
            e.td = s.groups
            s.groups += 1
        s.depth += 1
        s.open[tag] += 1
        return 0

    cdef void _close(self, Runs* s, int32_t tag) noexcept nogil:
        cdef int64_t i
        cdef int32_t top
        if s.open[tag] == 0:
            return
        if self._flags(tag) & INLINE:
            i = s.depth - 1
            while s.stack[i].tag != tag:
                if not self._flags(s.stack[i].tag) & INLINE or s.depth - i >= LOOK:
                    return
                i -= 1
        while True:
            s.depth -= 1
            top = s.stack[s.depth].tag
            s.open[top] -= 1
            if top == tag:
                return

    cdef int _run(self, Runs* s, const uint8_t* p, int64_t a, int64_t b, int64_t home) except -1 nogil:
        cdef int64_t* row
        cdef int64_t count = s.size // R_SIZE
        cdef int k
        reserve(<void**>&s.rows, &s.room, s.size + R_SIZE, sizeof(int64_t))
        reserve(<void**>&s.bounds, &s.bound_room, count + 2, sizeof(int64_t))
        row = s.rows + s.size
        row[R_START], row[R_END], row[R_HOME] = a, b, home
        row[R_MASK] = 0
        row[R_DIV] = row[R_TD] = -1
        if s.depth:
            row[R_MASK], row[R_DIV], row[R_TD] = s.stack[s.depth - 1].mask, s.stack[s.depth - 1].div, s.stack[s.depth - 1].td
        for k in range(5):
            row[R_P + k] = s.marks[k]
            s.marks[k] = 0
        s.size += R_SIZE
        self._text(s, p, a, b)
        s.bounds[0] = 0
        s.bounds[count + 1] = s.letters
        return 0

    cdef int _mark(self, Runs* s, const uint8_t* p, int64_t i, int64_t name_end) except -1 nogil:
        """A tag: its name stands behind i."""
        cdef bint end = p[i + 1] == 47
        cdef int32_t tag
        cdef uint16_t flags
        i += 2 if end else 1
        tag = self._tag(s, p + i, name_end - i)
        flags = self._flags(tag)
        s.marks[0] += flags & P != 0
        s.marks[1] += flags & BR != 0
        s.marks[2] += flags & HR != 0
        s.marks[3] += flags & INLINE != 0
        s.marks[4] += flags & INLINE == 0
        if end:
            self._close(s, tag)
        else:
            self._begin(s, tag)
        return 0

    cdef int64_t _past(self, Runs* s, const uint8_t* p, int64_t name, int size, int64_t i, int64_t n) noexcept nogil:
        """Behind the end tag of an element whose content is no text and begins at i."""
        cdef int64_t stop
        if (p[name + 1] | 32) == 99 and not s.unescaped:    # only a script has the c there
            stop = script_end(p, i, n)
            s.unescaped = stop == n
            i = i if s.unescaped else stop
        return raw_end(p, name, size, i, n)

    cdef int _scan(self, Runs* s, const uint8_t* p, int64_t n, const int64_t* starts, const int64_t* ends,
                   int64_t blocks) except -1 nogil:
        cdef int64_t at = 0, i = 0, j, end, name, block = -1
        cdef int size
        while True:
            i = find(p, i, n, 60)
            end = -1
            name = 0
            if i + 1 < n:
                j = i + 2 if p[i + 1] == 47 else i + 1
                if j < n and is_alpha(p[j]):
                    size = raw_name(p + j, n - j) if j == i + 1 else 0
                    if size:
                        end = closing(p, j + size, n)
                        if end > 0:
                            end = self._past(s, p, j, size, end, n)
                    if end < 0:
                        name = j + 1
                        while name < n and name - j < NAME and names(p[name]):
                            name += 1
                        end = tag_end(p, name, n)
                elif p[i + 1] == 33 and i + 3 < n and p[i + 2] == 45 and p[i + 3] == 45:
                    end = comment_end(p, i + 4, n)
                elif p[i + 1] == 33 or p[i + 1] == 63:
                    end = closing(p, i + 2, n)
            if end < 0 and i < n:
                i += 1
                continue
            if i > at and not blank(p, at, i):
                while block + 1 < blocks and starts[block + 1] < i:
                    block += 1
                if block >= 0 and ends[block] > at:
                    self._run(s, p, at, i, block)
            if i >= n:
                return 0
            if name:
                self._mark(s, p, i, name)
            at = i = end

    def runs(self, const uint8_t[::1] page not None, const int64_t[::1] starts not None, const int64_t[::1] ends not None):
        """The runs of a page that stand in blocks.

        Parameters
        ----------
        page : uint8 array
            In UTF-8.
        starts, ends : int64 arrays, shape (blocks,)
            Where each block stands, in bytes, ascending.

        Returns
        -------
        rows : int64 array, shape (runs, len(COLUMNS))
        text : uint32 array
            Code points of all texts.
        bounds : int64 array, shape (runs + 1,)
            Text i is text[bounds[i] : bounds[i + 1]].
        """
        cdef int64_t n = page.shape[0], blocks = starts.shape[0]
        cdef Runs s
        if ends.shape[0] != blocks:
            raise ValueError("expected columns of the same length")
        memset(&s, 0, sizeof(Runs))
        try:
            with nogil:
                table_init(&s.strange)
                reserve(<void**>&s.open, &s.open_room, self.tags.count + 1, sizeof(int64_t))
                memset(s.open, 0, s.open_room * sizeof(int64_t))
                if n and blocks:
                    self._scan(&s, &page[0], n, &starts[0], &ends[0], blocks)
            rows = copied(s.rows, s.size * sizeof(int64_t), np.int64).reshape(-1, R_SIZE)
            text = copied(s.text, s.letters * sizeof(uint32_t), np.uint32)
            bounds = copied(s.bounds, (s.size // R_SIZE + 1) * sizeof(int64_t), np.int64) if s.size else np.zeros(1, np.int64)
            return rows, text, bounds
        finally:
            runs_free(&s)
