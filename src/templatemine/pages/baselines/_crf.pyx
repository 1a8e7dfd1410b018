"""Victor (Spousta et al. 2008): a page into runs of text, features of each, and the marginals of a linear chain."""

import numpy as np

from libc.math cimport exp
from libc.stdint cimport int32_t, int64_t, uint16_t, uint32_t, uint8_t
from libc.stdlib cimport free, malloc
from libc.string cimport memchr, memset

from templatemine.pages._html cimport MAX_LOOK_UP
from templatemine.text._scan cimport (
    copy_to_array, is_alnum, is_alpha, is_digit, is_upper, reserve, same_letters, script_end, Table, table_add, table_find,
    table_free, table_init, tm_hash,
)

__all__ = ["COLUMNS", "FEATURES", "FLAGS", "RunScanner", "features", "marginals"]


# ---------------------------------------------------------------------------------------------------------------- runs of text
# Pages into runs of text between tags, each with its text and what it stands in; see `pages.crf`.
#
# In come a page as UTF-8 bytes and where its blocks stand, out go columns of the runs in them and their text as code
# points, references resolved and white space folded.  Tags are found and elements closed exactly as `pages.outline` does,
# which keeps more of the page, for systems that need it, and takes ten times as long.  Time is linear in the page.


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


cdef void _run_tables():
    """What numbers from 128 to 159 mean: browsers read them as Windows does."""
    cdef int i
    for i in range(32):
        WINDOWS[i] = ord(bytes([128 + i]).decode("cp1252")) if 128 + i not in (0x81, 0x8D, 0x8F, 0x90, 0x9D) else 128 + i


_run_tables()


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
    bint unescaped          # as in `_html.Page`


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
                if not self._flags(s.stack[i].tag) & INLINE or s.depth - i >= MAX_LOOK_UP:
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
            rows = copy_to_array(s.rows, s.size * sizeof(int64_t), np.int64).reshape(-1, R_SIZE)
            text = copy_to_array(s.text, s.letters * sizeof(uint32_t), np.uint32)
            bounds = copy_to_array(s.bounds, (s.size // R_SIZE + 1) * sizeof(int64_t), np.int64) if s.size else np.zeros(1, np.int64)
            return rows, text, bounds
        finally:
            runs_free(&s)


# ------------------------------------------------------------------------------------------------------------------- the chain
# Features of runs of text, and the chance of each label of a linear chain over them; see `pages.crf`.
#
# In come the columns and texts of `_crf.RunScanner.runs`, out go a column a feature (section 3.2 of Spousta, Marek and
# Pecina, Victor: the Web-Page Cleaning Tool, WAC4 2008), mapped to few values, and marginal probabilities by forward and
# backward passes.  Characters are what Python's str says they are.  Time is linear in the text and the runs.


cdef extern from "Python.h":
    bint Py_UNICODE_ISALPHA(uint32_t c) noexcept nogil
    bint Py_UNICODE_ISALNUM(uint32_t c) noexcept nogil
    bint Py_UNICODE_ISDIGIT(uint32_t c) noexcept nogil
    bint Py_UNICODE_ISDECIMAL(uint32_t c) noexcept nogil
    bint Py_UNICODE_ISUPPER(uint32_t c) noexcept nogil


cdef enum:
    F_CHAR_ALPHA, F_CHAR_NUM, F_CHAR_PUNCT, F_CHAR_WHITE, F_CHAR_OTHER, F_CHAR
    F_TOKEN_REL, F_TOKEN_REL_1, F_TOKEN_REL_2, F_TOKEN_REL_3, F_TOKEN, F_TOKEN_1, F_TOKEN_2, F_TOKEN_3
    F_SENTENCES, F_SENTENCE_LENGTH, F_BEGIN, F_END, F_URL, F_DATE, F_TIME
    F_DIV, F_TD, F_DUPLICATES, F_FIRST, F_P, F_BR, F_HR, F_INLINE, F_BLOCK, F_POSITION
    F_ALL_WORDS, F_ALL_SENTENCES, F_ALL_RUNS, F_ALL_DIV, F_ALL_TD, F_SIZE

FEATURES = (
    *("char.alpha-rel", "char.num-rel", "char.punct-rel", "char.white-rel", "char.other-rel", "char.abs"),
    *("token.alpha-rel", "token.num-rel", "token.mix-rel", "token.other-rel"),
    *("token.alpha-abs", "token.num-abs", "token.mix-abs", "token.other-abs"),
    *("sentence.count", "sentence.avg-length", "sentence-begin", "sentence-end"),
    *("regexp.url", "regexp.date", "regexp.time", "div-group.word-ratio", "td-group.word-ratio"),
    *("duplicate-count", "first-duplicate", "split.p", "split.br", "split.hr", "split.class-inline", "split.class-block"),
    *("position", "document.word-count", "document.sentence-count", "document.block-count"),
    *("document.max-div-group", "document.max-td-group"),
)
"""Columns of `features`, before one for each kind of element that a run may stand in."""

cdef enum:
    R_MARKS = R_P   # the first of the counts of tags

cdef enum:
    HEAD = 2000         # characters of a run in which addresses, dates and times are looked for
    LABELS_MOST = 16


cdef void check(bint good, str what) except *:
    if not good:
        raise ValueError(f"expected {what}")


# ======================================================================================================================
# Characters
# ======================================================================================================================

cdef enum:
    PUNCT = 1       # counts as punctuation, and is stripped from both ends of a token
    STOP = 2        # ends a sentence
    LAST = 4        # a run that ends with it ends a sentence
    CLOSING = 8     # may stand before the first word or behind the last mark of a sentence

cdef dict SETS = {
    PUNCT: ".,;:!?\"'()[]{}«»“”„‘’…|/\\-–—·•*<>",
    STOP: ".!?。！？؟",
    LAST: ".!?。！？؟…",
    CLOSING: "\"'”’»）)」』] ",
}

cdef uint8_t MARKS[65536]


cdef void _chain_tables():
    for bit, marks in SETS.items():
        for mark in marks:
            MARKS[<int>ord(mark)] |= <uint8_t>bit


memset(MARKS, 0, sizeof(MARKS))
_chain_tables()


cdef inline bint has(uint32_t c, uint8_t bit) noexcept nogil:
    return c < 65536 and MARKS[c] & bit != 0


cdef inline bint ascii_letter(uint32_t c) noexcept nogil:
    return 97 <= (c | 32) <= 122


cdef inline bint says_alpha(uint32_t c) noexcept nogil:
    return ascii_letter(c) if c < 128 else Py_UNICODE_ISALPHA(c)


cdef inline bint says_digit(uint32_t c) noexcept nogil:
    return 48 <= c <= 57 if c < 128 else Py_UNICODE_ISDIGIT(c)


cdef inline bint is_decimal(uint32_t c) noexcept nogil:
    return 48 <= c <= 57 if c < 128 else Py_UNICODE_ISDECIMAL(c)


cdef inline bint says_alnum(uint32_t c) noexcept nogil:
    return ascii_letter(c) or 48 <= c <= 57 if c < 128 else Py_UNICODE_ISALNUM(c)


cdef inline bint is_word(uint32_t c) noexcept nogil:
    """As \\w of `re`."""
    return c == 95 or says_alnum(c)


cdef inline bint is_single(uint32_t c) noexcept nogil:
    """A token of its own: kana, Han, Hangul."""
    return c >= 0x3040 and (c <= 0x30FF or 0x3400 <= c <= 0x9FFF or 0xAC00 <= c <= 0xD7AF)


# ======================================================================================================================
# Addresses, dates and times: the expressions of tests/crf_reference.py, by hand
# ======================================================================================================================

cdef inline bint word_at(const uint32_t* t, int64_t n, int64_t i) noexcept nogil:
    return 0 <= i < n and is_word(t[i])


cdef inline bint edge(const uint32_t* t, int64_t n, int64_t i) noexcept nogil:
    """As \\b of `re`."""
    return word_at(t, n, i - 1) != word_at(t, n, i)


cdef inline bint decimals(const uint32_t* t, int64_t n, int64_t i, int64_t count) noexcept nogil:
    cdef int64_t k
    if i < 0 or i + count > n:
        return False
    for k in range(i, i + count):
        if not is_decimal(t[k]):
            return False
    return True


cdef inline bint letter(uint32_t c, uint32_t small) noexcept nogil:
    """A letter of any case; the long s is an s."""
    return (c | 32) == small and c < 128 or c == 0x17F and small == 115


cdef int64_t scheme(const uint32_t* t, int64_t n, int64_t i) noexcept nogil:
    """Behind http://, https:// or www. at i; -1 if none is there."""
    if i + 4 <= n and letter(t[i], 119):
        return i + 4 if letter(t[i + 1], 119) and letter(t[i + 2], 119) and t[i + 3] == 46 else -1
    if i + 7 > n or not (letter(t[i], 104) and letter(t[i + 1], 116) and letter(t[i + 2], 116) and letter(t[i + 3], 112)):
        return -1
    i += 5 if letter(t[i + 4], 115) else 4
    return i + 3 if i + 3 <= n and t[i] == 58 and t[i + 1] == 47 and t[i + 2] == 47 else -1


cdef bint mail(const uint32_t* t, int64_t n, int64_t at) noexcept nogil:
    """The @ stands in an address."""
    cdef int64_t i = at - 1, j = at + 1
    cdef bint begun = False
    while i >= 0 and at - i <= 60 and (is_word(t[i]) or t[i] == 46 or t[i] == 43 or t[i] == 45):
        if edge(t, n, i):
            begun = True
            break
        i -= 1
    if not begun:
        return False
    while j < n and (is_word(t[j]) or t[j] == 45):
        j += 1
    return 1 <= j - at - 1 <= 60 and j < n and t[j] == 46 and word_at(t, n, j + 1)


cdef int url(const uint32_t* t, int64_t n, int64_t blanks) noexcept nogil:
    """1 for nothing but an address, 2 for one within, 3 for one of mail."""
    cdef int64_t i, behind
    cdef bint written = False
    behind = scheme(t, n, 0)
    if blanks == 0 and 0 < behind < n:
        return 1
    for i in range(n):
        if t[i] == 64:
            written = written or mail(t, n, i)
        elif (letter(t[i], 104) or letter(t[i], 119)) and edge(t, n, i):
            behind = scheme(t, n, i)
            if 0 < behind < n and t[behind] != 32:
                return 2
    return 3 if written else 0


cdef inline bint year(const uint32_t* t, int64_t n, int64_t i) noexcept nogil:
    return i + 4 <= n and (t[i] == 49 and t[i + 1] == 57 or t[i] == 50 and t[i + 1] == 48) and decimals(t, n, i + 2, 2)


cdef inline bint parts(uint32_t c, uint32_t own) noexcept nogil:
    """A mark between the parts of a date."""
    return c == 45 or c == 47 or c == 46 or c == own


cdef int64_t part(const uint32_t* t, int64_t n, int64_t i, uint32_t own) noexcept nogil:
    """Behind a digit or two, a mark and perhaps a blank; -1 if they do not stand at i."""
    cdef int64_t k = i
    while k < n and k < i + 2 and is_decimal(t[k]):
        k += 1
    if k == i or k >= n or not parts(t[k], own):
        return -1
    return k + 2 if k + 1 < n and t[k + 1] == 32 else k + 1


cdef bint in_numbers(const uint32_t* t, int64_t n, int64_t i) noexcept nogil:
    """2009-03-01, 1. 3. 2009."""
    cdef int64_t k
    if year(t, n, i) and i + 4 < n and parts(t[i + 4], 0x5E74):
        k = part(t, n, i + 6 if i + 5 < n and t[i + 5] == 32 else i + 5, 0x6708)
        if k > 0 and decimals(t, n, k, 1):
            return True
    k = part(t, n, i, 46)
    if k > 0:
        k = part(t, n, k, 46)
    return k > 0 and year(t, n, k) and not word_at(t, n, k + 4)


cdef bint month_name(const uint32_t* t, int64_t n, int64_t end, bint day_first) noexcept nogil:
    """Three to ten letters end here, and before them stands the day, or the edge of a word."""
    cdef int64_t k, i, day
    for k in range(1, 11):
        i = end - k
        if not word_at(t, n, i):
            return False
        if k < 3:
            continue
        if not day_first:
            if edge(t, n, i):
                return True
            continue
        for day in range(1, 3):             # a blank and a full stop may stand between
            if decimals(t, n, i - day, day) and edge(t, n, i - day):
                return True
            if i and (t[i - 1] == 32 or t[i - 1] == 46) and decimals(t, n, i - 1 - day, day) and edge(t, n, i - 1 - day):
                return True
            if i > 1 and t[i - 1] == 32 and t[i - 2] == 46 and decimals(t, n, i - 2 - day, day) and edge(t, n, i - 2 - day):
                return True
    return False


cdef bint in_words(const uint32_t* t, int64_t n, int64_t i) noexcept nogil:
    """3 March 2009 or March 3rd, 2009, of which the blank before the year stands at i."""
    cdef int64_t comma, suffix, day, end
    if not year(t, n, i + 1) or word_at(t, n, i + 5):
        return False
    for comma in range(2):
        if comma and (i == 0 or t[i - 1] != 44):
            break
        if month_name(t, n, i - comma, True):
            return True
        for suffix in range(2):
            end = i - comma
            if suffix:
                if end < 2 or not ordinal(t[end - 2], t[end - 1]):
                    break
                end -= 2
            for day in range(1, 3):
                if decimals(t, n, end - day, day) and end - day > 0 and t[end - day - 1] == 32:
                    if month_name(t, n, end - day - 1, False):
                        return True
                    if end - day > 1 and t[end - day - 2] == 46 and month_name(t, n, end - day - 2, False):
                        return True
    return False


cdef inline bint ordinal(uint32_t a, uint32_t b) noexcept nogil:
    return a == 115 and b == 116 or a == 110 and b == 100 or a == 114 and b == 100 or a == 116 and b == 104


cdef int date(const uint32_t* t, int64_t n) noexcept nogil:
    """1 for a date in numbers, 2 for one with a name of a month, 3 for a year alone."""
    cdef int64_t i
    cdef int found = 0
    for i in range(n):
        if t[i] == 32:
            if in_words(t, n, i):
                found = 2
        elif is_decimal(t[i]) and edge(t, n, i):
            if in_numbers(t, n, i):
                return 1
            if found == 0 and year(t, n, i) and not word_at(t, n, i + 4):
                found = 3
    return found


cdef inline bint minutes(const uint32_t* t, int64_t n, int64_t i) noexcept nogil:
    return i + 3 <= n and (t[i] == 58 or t[i] == 46) and 48 <= t[i + 1] <= 53 and is_decimal(t[i + 2])


cdef bint clock(const uint32_t* t, int64_t n, int64_t i) noexcept nogil:
    """Behind an hour: minutes, perhaps seconds."""
    if not minutes(t, n, i):
        return False
    return not word_at(t, n, i + 3) or (minutes(t, n, i + 3) and not word_at(t, n, i + 6))


cdef bint half_day(const uint32_t* t, int64_t n, int64_t i) noexcept nogil:
    """Behind an hour: am or pm."""
    if i < n and t[i] == 32:
        i += 1
    if i >= n or not (letter(t[i], 97) or letter(t[i], 112)):
        return False
    i += 2 if i + 1 < n and t[i + 1] == 46 else 1
    return i < n and letter(t[i], 109) and not word_at(t, n, i + 1)


cdef int time(const uint32_t* t, int64_t n) noexcept nogil:
    """1 for hours and minutes, 2 for hours of half a day."""
    cdef int64_t i
    cdef bint half = False, two
    for i in range(n):
        if is_decimal(t[i]) and edge(t, n, i):
            two = decimals(t, n, i + 1, 1)
            if clock(t, n, i + 1) or (two and 48 <= t[i] <= 50 and clock(t, n, i + 2)):
                return 1
            half = half or half_day(t, n, i + 1) or (two and half_day(t, n, i + 2))
    return 2 if half else 0


# ======================================================================================================================
# Features
# ======================================================================================================================

cdef struct Bins:
    # Edges of each column, ascending, and where those of a column begin.
    const double* edges
    const int64_t* bounds


cdef inline uint8_t bin_of(const Bins* b, int64_t column, double value) noexcept nogil:
    """How many edges of a column a value reaches; the value itself where there are none."""
    cdef int64_t j = b.bounds[column]
    if j == b.bounds[column + 1]:
        return <uint8_t>min(max(value, 0), 255)
    while j < b.bounds[column + 1] and b.edges[j] <= value:
        j += 1
    return <uint8_t>(j - b.bounds[column])


cdef inline double share(int64_t part, int64_t whole) noexcept nogil:
    return <double>part / <double>whole


cdef int token_kind(const uint32_t* t, int64_t a, int64_t b, int64_t* words) noexcept nogil:
    """0 for letters, 1 digits, 2 both, 3 anything else, of what is left without marks at both ends."""
    cdef bint alpha = True, num = True, mix = True
    while a < b and has(t[a], PUNCT):
        a += 1
    while b > a and has(t[b - 1], PUNCT):
        b -= 1
    if a == b:
        return 3
    words[0] += 1
    while a < b and mix:
        alpha = alpha and says_alpha(t[a])
        num = num and says_digit(t[a])
        mix = alpha or num or says_alnum(t[a])
        a += 1
    return 0 if alpha and mix else 1 if num and mix else 2 if mix else 3


cdef int64_t tokens(const uint32_t* t, int64_t n, int64_t* kinds) noexcept nogil:
    """Count tokens by kind; returns how many of them are words."""
    cdef int64_t i = 0, j, words = 0
    while i < n:
        if t[i] == 32:
            i += 1
            continue
        j = i + 1
        if not is_single(t[i]):
            while j < n and t[j] != 32 and not is_single(t[j]):
                j += 1
        kinds[token_kind(t, i, j, &words)] += 1
        i = j
    return words


cdef int64_t content(const uint32_t* t, int64_t n, double* f) noexcept nogil:
    """The features of the text of a run; returns its words."""
    cdef int64_t alpha = 0, num = 0, punct = 0, white = 0, sentences = 0, head_blanks = 0, size = max(n, 1), count, words, i
    cdef int64_t kinds[4]
    cdef bint stopped = False, stop, numbers = False
    memset(kinds, 0, sizeof(kinds))
    for i in range(n):
        alpha += says_alpha(t[i])
        num += says_digit(t[i])
        punct += has(t[i], PUNCT)
        if t[i] == 32:
            white += 1
            head_blanks += i < HEAD
        numbers = numbers or (i < HEAD and is_decimal(t[i]))
        stop = has(t[i], STOP)
        sentences += stop and not stopped
        stopped = stop
    words = tokens(t, n, kinds)
    count = kinds[0] + kinds[1] + kinds[2] + kinds[3]
    f[F_CHAR_ALPHA] = share(alpha, size)
    f[F_CHAR_NUM] = share(num, size)
    f[F_CHAR_PUNCT] = share(punct, size)
    f[F_CHAR_WHITE] = share(white, size)
    f[F_CHAR_OTHER] = share(max(0, size - alpha - num - punct - white), size)
    f[F_CHAR] = n
    for i in range(4):
        f[F_TOKEN_REL + i] = share(kinds[i], max(1, count))
        f[F_TOKEN + i] = kinds[i]
    f[F_SENTENCES] = sentences
    f[F_SENTENCE_LENGTH] = share(count, max(1, sentences))
    i = 0
    while i < n and has(t[i], CLOSING):
        i += 1
    f[F_BEGIN] = i < n and Py_UNICODE_ISUPPER(t[i])
    i = n
    while i and has(t[i - 1], CLOSING):
        i -= 1
    f[F_END] = i > 0 and has(t[i - 1], LAST)
    n = min(n, HEAD)
    f[F_URL] = url(t, n, head_blanks)
    f[F_DATE] = date(t, n) if numbers else 0
    f[F_TIME] = time(t, n) if numbers else 0
    return words


cdef double group(const int64_t* rows, int64_t n, int64_t size, int column, const int64_t* own, int64_t* sums,
                  const Bins* b, uint8_t* out, int64_t width) noexcept nogil:
    """Share of the words outside of links that stand directly in the same element; returns the greatest."""
    cdef int64_t i, total = 0, home, place = F_DIV if column == R_DIV else F_TD
    cdef double most = 0, value
    memset(sums, 0, size * sizeof(int64_t))
    for i in range(n):
        total += own[i]
        home = rows[i * R_SIZE + column]
        if home >= 0:
            sums[home] += own[i]
    for i in range(n):
        home = rows[i * R_SIZE + column]
        value = share(sums[home], max(1, total)) if home >= 0 else 0
        out[i * width + place] = bin_of(b, place, value)
        most = max(most, value)
    return most


cdef int duplicates(const uint32_t* text, const int64_t* bounds, int64_t n, const Bins* b, uint8_t* out, int64_t width,
                    uint32_t* key, int64_t* ids, int64_t* count) except -1 nogil:
    """Runs of the same letters; without any, of the same text."""
    cdef Table seen
    cdef int64_t i, k, size
    memset(&seen, 0, sizeof(Table))
    try:
        table_init(&seen)
        for i in range(n):
            size = 0
            for k in range(bounds[i], bounds[i + 1]):
                if says_alpha(text[k]):
                    key[size] = text[k]
                    size += 1
            if size == 0:
                for k in range(bounds[i], bounds[i + 1]):
                    key[size] = text[k]
                    size += 1
            k = seen.count
            ids[i] = table_add(&seen, <const uint8_t*>key, size * 4)
            if ids[i] == k:
                count[k] = 0
            out[i * width + F_FIRST] = ids[i] == k
            count[ids[i]] += 1
    finally:
        table_free(&seen)
    for i in range(n):
        out[i * width + F_DUPLICATES] = bin_of(b, F_DUPLICATES, count[ids[i]])
        out[i * width + F_FIRST] &= count[ids[i]] > 1
    return 0


def features(const int64_t[:, ::1] rows not None, const uint32_t[::1] text not None, const int64_t[::1] bounds not None,
             int kinds, int linked, const double[::1] edges not None, const int64_t[::1] edge_bounds not None):
    """Features of each run of a page, as few values.

    Parameters
    ----------
    rows : int64 array, shape (runs, len(_crf.COLUMNS))
    text : uint32 array
    bounds : int64 array, shape (runs + 1,)
        As `_crf.RunScanner.runs` gives them.
    kinds : int
        Kinds of elements that a run may stand in: the bits of the column `mask`.
    linked : int
        The bits of links.
    edges : float64 array
    edge_bounds : int64 array, shape (columns + 1,)
        The value of column k is the number of edges[edge_bounds[k] : edge_bounds[k + 1]] that are reached, which ascend
        and are fewer than 256; without any it is as it stands.

    Returns
    -------
    uint8 array, shape (runs, columns)
        Of the columns, the first are `FEATURES`, the next one for each kind; the rest is 0.
    """
    cdef int64_t n = rows.shape[0], width = edge_bounds.shape[0] - 1, i, k, longest = 0, words = 0, count, elements = 0
    cdef double sentences = 0
    cdef double row[F_SIZE]
    cdef double whole[5]
    cdef Bins b
    check(rows.shape[1] == R_SIZE and bounds.shape[0] == n + 1, "the columns and texts of runs")
    check(0 <= kinds <= 64 and bounds[0] >= 0 and bounds[n] <= text.shape[0], "texts within the text")
    check(width >= F_SIZE + kinds and edge_bounds[0] >= 0 and edge_bounds[width] <= edges.shape[0], "edges of each column")
    for k in range(width):
        check(0 <= edge_bounds[k + 1] - edge_bounds[k] < 256, "fewer than 256 edges of each column")
    for i in range(n):
        check(bounds[i] <= bounds[i + 1], "texts in order")
        longest = max(longest, bounds[i + 1] - bounds[i])
        elements = max(elements, max(rows[i, R_DIV], rows[i, R_TD]) + 1)
    found = np.zeros((n, width), np.uint8)
    if n == 0:
        return found
    cdef uint8_t[:, ::1] out = found
    cdef uint32_t[::1] key = np.empty(longest + 1, np.uint32)
    cdef int64_t[::1] own = np.empty(n, np.int64), ids = np.empty(n, np.int64), sums = np.empty(max(n, elements), np.int64)
    cdef const uint32_t* letters = &text[0] if text.shape[0] else &key[0]
    b.edges = &edges[0] if edges.shape[0] else NULL
    b.bounds = &edge_bounds[0]
    memset(row, 0, sizeof(row))
    with nogil:
        for i in range(n):
            count = content(letters + bounds[i], bounds[i + 1] - bounds[i], row)
            words += count
            sentences += row[F_SENTENCES]
            own[i] = 0 if rows[i, R_MASK] & linked else count
            for k in range(5):
                row[F_P + k] = rows[i, R_MARKS + k]
            row[F_POSITION] = share(i, max(1, n - 1))
            for k in range(F_ALL_WORDS):
                out[i, k] = bin_of(&b, k, row[k])
            for k in range(kinds):
                out[i, F_SIZE + k] = rows[i, R_MASK] >> k & 1
        whole[0] = words
        whole[1] = sentences
        whole[2] = n
        whole[3] = group(&rows[0, 0], n, elements, R_DIV, &own[0], &sums[0], &b, &out[0, 0], width)
        whole[4] = group(&rows[0, 0], n, elements, R_TD, &own[0], &sums[0], &b, &out[0, 0], width)
        duplicates(letters, &bounds[0], n, &b, &out[0, 0], width, &key[0], &ids[0], &sums[0])
        for k in range(5):
            whole[k] = bin_of(&b, F_ALL_WORDS + k, whole[k])
        for i in range(n):
            for k in range(5):
                out[i, F_ALL_WORDS + k] = <uint8_t>whole[k]
    return found


# ======================================================================================================================
# The chain
# ======================================================================================================================

cdef void scored(const uint8_t[:, ::1] values, const double[:, :, ::1] own, const double[:, :, :, ::1] near,
                 const int64_t[::1] columns, const int64_t[::1] offsets, const double[:, ::1] edges,
                 double[:, ::1] out) noexcept nogil:
    """Sums of weights of each run and label, as powers of e with that of the greatest taken as 1."""
    cdef int64_t n = values.shape[0], i, k, o, other
    cdef int labels = <int>out.shape[1], y
    cdef const double* w
    cdef double* row
    cdef double most
    for i in range(n):
        row = &out[i, 0]
        for y in range(labels):
            row[y] = 0
        for k in range(values.shape[1]):
            w = &own[k, values[i, k], 0]
            for y in range(labels):
                row[y] += w[y]
        for o in range(offsets.shape[0]):
            other = i + offsets[o]
            if not 0 <= other < n:
                for y in range(labels):
                    row[y] += edges[o, y]
                continue
            for k in range(columns.shape[0]):
                w = &near[o, k, values[other, columns[k]], 0]
                for y in range(labels):
                    row[y] += w[y]
        most = row[0]
        for y in range(1, labels):
            most = max(most, row[y])
        for y in range(labels):
            row[y] = exp(row[y] - most)


cdef void chances(double[:, ::1] scores, const double[:, ::1] steps, double[:, ::1] alpha) noexcept nogil:
    """Marginals in place of the scores: forward, then backward, each row scaled to a sum of 1."""
    cdef int64_t n = scores.shape[0], i
    cdef int labels = <int>scores.shape[1], y, z
    cdef double total
    cdef double beta[LABELS_MOST]
    cdef double before[LABELS_MOST]
    for i in range(n):
        total = 0
        for y in range(labels):
            alpha[i, y] = scores[i, y]
            if i:
                before[y] = 0
                for z in range(labels):
                    before[y] += alpha[i - 1, z] * steps[z, y]
                alpha[i, y] *= before[y]
            total += alpha[i, y]
        for y in range(labels):
            alpha[i, y] /= total
    for y in range(labels):
        beta[y] = 1
    i = n - 1
    while i >= 0:
        total = 0
        for y in range(labels):
            before[y] = scores[i, y] * beta[y]
            scores[i, y] = alpha[i, y] * beta[y]
            total += scores[i, y]
        for y in range(labels):
            scores[i, y] /= total
        total = 0
        for y in range(labels):
            beta[y] = 0
            for z in range(labels):
                beta[y] += steps[y, z] * before[z]
            total += beta[y]
        for y in range(labels):
            beta[y] /= total
        i -= 1


def marginals(const uint8_t[:, ::1] values not None, const double[:, :, ::1] own not None,
              const double[:, :, :, ::1] near not None, const int64_t[::1] columns not None,
              const int64_t[::1] offsets not None, const double[:, ::1] edges not None,
              const double[:, ::1] steps not None):
    """Marginal probability of each label of each run, in a linear chain of conditional random fields.

    Parameters
    ----------
    values : uint8 array, shape (runs, features)
    own : float64 array, shape (features, most values, labels)
        Weights of each value of each feature.
    near : float64 array, shape (offsets, columns, most values, labels)
        Those of the values of some columns of the runs at some offsets.
    columns : int64 array, shape (columns,)
    offsets : int64 array, shape (offsets,)
    edges : float64 array, shape (offsets, labels)
        Weights of there being no run at an offset.
    steps : float64 array, shape (labels, labels)
        Weights from label to label.

    Returns
    -------
    float64 array, shape (runs, labels)
    """
    cdef int64_t n = values.shape[0], width = values.shape[1], most = own.shape[1], labels = own.shape[2], i, k
    check(1 <= labels <= LABELS_MOST and steps.shape[0] == steps.shape[1] == edges.shape[1] == near.shape[3] == labels,
          f"weights of the same labels, {LABELS_MOST} at most")
    check(own.shape[0] == width and near.shape[0] == edges.shape[0] == offsets.shape[0] and near.shape[1] == columns.shape[0]
          and near.shape[2] == most, "weights of each column")
    for k in range(columns.shape[0]):
        check(0 <= columns[k] < width, "columns of the values")
    for i in range(n):
        for k in range(width):
            check(values[i, k] < most, "values that have weights")
    found, alpha, powers = np.empty((n, labels)), np.empty((n, labels)), np.exp(steps)
    cdef double[:, ::1] out = found, forward = alpha
    cdef const double[:, ::1] powers_view = powers
    if n:
        with nogil:
            scored(values, own, near, columns, offsets, edges, out)
            chances(out, powers_view, forward)
    return found
