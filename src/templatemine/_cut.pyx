"""What is left: a text without some stretches of it, put together so that no words are glued and no paragraphs run
together, and the text of a page without its mark-up.

In come texts as UTF-8 and the stretches to leave out, out go the pieces that stay, as places in the text.  Cost is linear
in the stretches and in the white space around them; `assemble` is linear in what stays.  All but what makes
Python's strings runs without the GIL.
"""

from libc.stdint cimport int64_t, uint8_t, uint16_t, uint32_t
from libc.stdlib cimport free, malloc
from libc.string cimport memchr, memcpy

from templatemine._utf8 cimport Bytes, PyUnicode_DATA, Written, count_points, skip_points, utf8_of, written

from templatemine._chars cimport decode, is_alnum, is_alpha, is_own_token, tm_hash
from templatemine._memory cimport reserve
from templatemine._tables cimport Table, table_add, table_find, table_free, table_init
from templatemine._spec cimport TAG, WORD
from templatemine._tags cimport tag_end

cdef extern from "Python.h":
    bint Py_UNICODE_ISSPACE(uint32_t c) noexcept nogil
    str PyUnicode_New(Py_ssize_t size, uint32_t greatest)
    str PyUnicode_FromKindAndData(int kind, const void* units, Py_ssize_t size)

__all__ = ["Stripper", "cut"]


# ======================================================================================================================
# Cut: a text without its spans
# ======================================================================================================================

cdef struct Space:
    # White space of the text.
    int64_t start
    int64_t end
    int64_t breaks
    int64_t points


cdef inline int64_t space_end(const uint8_t* p, int64_t i, int64_t end) noexcept nogil:
    """Where the white space that begins at i ends."""
    cdef int width = 1
    while i < end and Py_UNICODE_ISSPACE(decode(p + i, end - i, &width)):
        i += width
    return i


cdef inline int64_t before(const uint8_t* p, int64_t i) noexcept nogil:
    """Where the character that ends at i begins."""
    i -= 1
    while i > 0 and (p[i] & 0xC0) == 0x80:
        i -= 1
    return i


cdef inline int64_t space_start(const uint8_t* p, int64_t i, int64_t start) noexcept nogil:
    """Where the white space that ends at i begins."""
    cdef int width = 1
    cdef int64_t k
    while i > start:
        k = before(p, i)
        if not Py_UNICODE_ISSPACE(decode(p + k, i - k, &width)):
            break
        i = k
    return i


cdef Space space_of(const uint8_t* p, int64_t start, int64_t end) noexcept nogil:
    cdef Space found = Space(start, end, 0, count_points(p, start, end))
    cdef int64_t i
    for i in range(start, end):
        found.breaks += p[i] == 10
    return found


cdef inline Space stronger(Space space, Space other) noexcept nogil:
    """White space with more line breaks, then the longer, then the first."""
    if other.breaks > space.breaks or (other.breaks == space.breaks and other.points > space.points):
        return other
    return space


cdef Space blank_line(const uint8_t* p, int64_t start, int64_t end, Space gap) noexcept nogil:
    """The strongest of a gap and the blank lines of a stretch that is cut.

    A single line break within it may be no more than the end of a full line.
    """
    cdef const void* hit
    cdef int64_t i = start, after
    cdef Space inner
    while i < end:
        hit = memchr(p + i, 10, end - i)
        if hit == NULL:
            break
        after = <const uint8_t*>hit - p
        inner = space_of(p, space_start(p, after, i), space_end(p, after, end))
        if inner.breaks > 1:
            gap = stronger(gap, inner)
        i = inner.end
    return gap


cdef int push(Pieces* out, int64_t start, int64_t end) except -1 nogil:
    reserve(<void**>&out.piece, &out.room, out.size + 1, sizeof(Piece))
    out.piece[out.size] = Piece(start, end)
    out.size += 1
    return 0


cdef int cut_pieces(const uint8_t* p, int64_t n, const Stretch* removed, int64_t number, Pieces* out) except -1 nogil:
    """Add the pieces of a text without some stretches, which are ascending and disjoint; see `clean.cut`."""
    cdef int64_t place, first, last, i, end = 0
    cdef int width = 1
    cdef bint own = False, any = False      # the last character that was kept is a token by itself; there is one
    cdef Space gap = Space(0, 0, 0, 0)
    for place in range(number + 1):
        first = end
        last = removed[place].start if place < number else n
        if place:
            i = space_end(p, first, last)
            gap = stronger(gap, space_of(p, first, i))
            first = i
        if place < number:
            last = space_start(p, last, first)
        if last > first:
            if any:
                if gap.end > gap.start:
                    push(out, gap.start, gap.end)
                elif not own and not is_own_token(decode(p + first, n - first, &width)):
                    push(out, BLANK, BLANK + 1)
            push(out, first, last)
            any = True
            i = before(p, last)
            own = is_own_token(decode(p + i, last - i, &width))
            gap = Space(0, 0, 0, 0)
        if place < number:
            end = removed[place].end
            gap = stronger(gap, space_of(p, last, removed[place].start))
            gap = blank_line(p, removed[place].start, end, gap)
    return 0


cdef void pieces_to_points(const uint8_t* p, Piece* piece, int64_t number) noexcept nogil:
    """Turn the places of the pieces of a text from bytes into code points."""
    cdef int64_t i, byte = 0, point = 0, size
    for i in range(number):
        if piece[i].start == BLANK:
            continue
        point += count_points(p, byte, piece[i].start)
        size = count_points(p, piece[i].start, piece[i].end)
        byte = piece[i].end
        piece[i] = Piece(point, point + size)
        point += size


cdef str assemble(const Written* text, const Piece* piece, int64_t number):
    """A str of pieces, in code points, of another."""
    cdef int64_t i, size = 0, length
    cdef int kind = text.kind
    cdef uint8_t* data
    cdef uint8_t* made = NULL
    cdef str out = None
    for i in range(number):
        size += piece[i].end - piece[i].start
    if text.ascii:
        out = PyUnicode_New(size, 127)
        data = <uint8_t*>PyUnicode_DATA(out)
    else:
        data = made = <uint8_t*>malloc(size * kind + 1)
        if made == NULL:
            raise MemoryError
    for i in range(number):
        length = (piece[i].end - piece[i].start) * kind
        if piece[i].start == BLANK:
            if kind == 1:
                data[0] = 32
            elif kind == 2:
                (<uint16_t*>data)[0] = 32
            else:
                (<uint32_t*>data)[0] = 32
        else:
            memcpy(data, <const uint8_t*>text.units + piece[i].start * kind, length)
        data += length
    if text.ascii:
        return out
    try:
        return PyUnicode_FromKindAndData(kind, made, size)
    finally:
        free(made)


def cut(str text not None, list spans not None):
    """A text without some spans of it; see `clean.cut` for what becomes of the white space around them.

    Parameters
    ----------
    spans : list of (start, end, ...)
        In code points, ascending and disjoint.
    """
    cdef Written whole = written(text)
    cdef int64_t size = whole.points, number, place = 0, last = 0, i = 0, points = 0
    cdef Bytes utf8 = Bytes(NULL, 0, 0)
    cdef Pieces pieces = Pieces(NULL, 0, 0)
    cdef const uint8_t* p
    cdef Stretch* removed
    spans = spans[:]  # whatever stands in the caller's list may change it when it is asked for its first number
    number = len(spans)
    if not number:
        return text
    removed = <Stretch*>malloc(number * sizeof(Stretch))
    if removed == NULL:
        raise MemoryError
    try:
        for span in spans:
            removed[place] = Stretch(span[0], span[1], span[0], span[1], 0)
            if not last <= removed[place].first <= removed[place].last <= size:
                raise ValueError(f"expected ascending spans of a text of {size} characters, got {span[0]} to {span[1]} after {last}")
            last = removed[place].last
            place += 1
        with nogil:
            p = utf8_of(&whole, True, &utf8, &size)
            if not whole.ascii:
                for place in range(number):
                    i = skip_points(p, i, removed[place].first - points)
                    removed[place].start = i
                    i = skip_points(p, i, removed[place].last - removed[place].first)
                    removed[place].end = i
                    points = removed[place].last
            cut_pieces(p, size, removed, number, &pieces)
            if not whole.ascii:
                pieces_to_points(p, pieces.piece, pieces.size)
        return assemble(&whole, pieces.piece, pieces.size)
    finally:
        free(removed)
        free(utf8.data)
        free(pieces.piece)


# ======================================================================================================================
# Mark-up out of pages
# ======================================================================================================================

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
