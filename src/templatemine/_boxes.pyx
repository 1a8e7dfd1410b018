"""Boxes: two strings of a line and what stands between them, told by their letters."""

from array import array

from libc.stdint cimport int32_t, int64_t, uint8_t, uint32_t
from libc.stdlib cimport free, malloc
from libc.string cimport memchr, memcpy

from templatemine._chars cimport decode
from templatemine._memory cimport Found, found_push
from templatemine._spec cimport WORD
from templatemine._text cimport Tokens, tokens_push
from templatemine._utf8 cimport count_points
from templatemine._automaton cimport automaton_build, automaton_free, automaton_step

__all__ = []


cdef enum:
    # Code points between the two strings of a box, at most (`expressions.BOX_SIZE`).
    BOX_SIZE = 400
    BLANK = 32              # any white space within a line, as it stands in the strings
    HEAD = 64               # bytes of what stands at a joint, at most (`expressions.box_expression`)
    SMALL = 1
    CAPITAL = 2


cdef inline int blank_width(const uint8_t* p, int64_t n) noexcept nogil:
    """Bytes of the character if it is white space that ends no line, else 0."""
    cdef int width = 0
    cdef uint32_t c
    if p[0] < 0x80:
        return p[0] == 32 or p[0] == 9 or 11 <= p[0] <= 13
    c = decode(p, n, &width)
    if c == 0x85 or c == 0xA0 or c == 0x1680 or 0x2000 <= c <= 0x200A or c == 0x202F or c == 0x205F or c == 0x3000:
        return width
    return 0


cdef int64_t match_literal(const uint8_t* p, int64_t i, int64_t n, const uint8_t* text, int64_t size) noexcept nogil:
    """Where a text that stands at i ends; -1 if it does not stand there."""
    cdef int64_t k
    cdef int width
    for k in range(size):
        if i >= n:
            return -1
        if text[k] == BLANK:
            width = blank_width(p + i, n - i)
            if not width:
                return -1
            i += width
        elif p[i] != text[k]:
            return -1
        else:
            i += 1
    return i


cdef int64_t line_begin(const uint8_t* p, int64_t i, int64_t least) noexcept nogil:
    """The beginning of the line of byte i, or `least` if it is before that."""
    while i > least:
        if p[i - 1] == 10 or (i - 3 >= least and p[i - 1] & 0xFE == 0xA8 and p[i - 2] == 0x80 and p[i - 3] == 0xE2):
            return i
        i -= 1
    return i


cdef inline int letter(const uint8_t* p, int64_t i, int64_t n, int* kind) noexcept nogil:
    """SMALL, CAPITAL or 0 for the character at i (`expressions.SMALL`, `CAPITAL`); returns its bytes if it is a letter."""
    cdef uint32_t c
    kind[0] = 0
    if i < 0 or i >= n:
        return 0
    if p[i] < 0x80:
        kind[0] = SMALL if 97 <= p[i] <= 122 else CAPITAL if 65 <= p[i] <= 90 else 0
        return kind[0] > 0
    if not 0xC3 <= p[i] <= 0xD1 or i + 1 >= n:
        return 0
    c = (p[i] & 0x1F) << 6 | (p[i + 1] & 0x3F)
    if 0xDF <= c <= 0xFF and c != 0xF7 or 0x3B1 <= c <= 0x3C9 or 0x430 <= c <= 0x44F or c == 0x451:
        kind[0] = SMALL
    elif 0xC0 <= c <= 0xDE and c != 0xD7 or 0x391 <= c <= 0x3A9 or 0x410 <= c <= 0x42F or c == 0x401:
        kind[0] = CAPITAL
    return 2 if kind[0] else 0


cdef inline bint behind_small(const uint8_t* p, int64_t i, int64_t n, int64_t* before) noexcept nogil:
    """Whether the character before i is a small letter; where that begins."""
    cdef int kind = 0
    i -= 1
    while i > 0 and p[i] & 0xC0 == 0x80:
        i -= 1
    before[0] = i
    letter(p, i, n, &kind)
    return kind == SMALL


cdef int64_t head_end(const uint8_t* p, int64_t i, int64_t n) noexcept nogil:
    """Where what begins a box at a joint ends: a word with a capital, and a capital or a bracket; -1 if i is no such joint."""
    cdef int kind = 0, width = letter(p, i, n, &kind), number = 0
    cdef int64_t before = 0
    if kind != CAPITAL or not behind_small(p, i, n, &before) or not behind_small(p, before, n, &before):
        return -1
    i += width
    while True:
        width = letter(p, i, n, &kind)
        if kind != SMALL:
            break
        number += 1
        i += width
    if not 1 <= number <= 20 or i >= n:
        return -1
    width = blank_width(p + i, n - i)
    i += width
    if not width or i >= n:
        return -1
    if p[i] == 40:
        return i + 1
    width = letter(p, i, n, &kind)
    return i + width if kind == CAPITAL else -1


cdef int64_t opening_start(const uint8_t* p, int64_t end, int32_t symbols) noexcept nogil:
    """Where a text of so many symbols begins that ends there."""
    cdef int64_t i = end
    cdef int width
    while symbols > 0:
        i -= 1
        # A blank of several bytes is one symbol.
        for width in range(1, 3):
            if i - width >= 0 and p[i] & 0xC0 == 0x80 and p[i - width] >= 0xC0 and blank_width(p + i - width, end - i + width) == width + 1:
                i -= width
                break
        symbols -= 1
    return i


cdef int find_openings(const Boxes* b, const uint8_t* p, int64_t n, int64_t least, int64_t start, int64_t end, int32_t closing,
                       Tokens* tokens, Found* found) except -1 nogil:
    """Add the boxes that a closing with bytes [start, end) closes: an opening ends behind byte `least`, where one of the same
    closings began before."""
    cdef int64_t i = max(start - b.longest - 4 * BOX_SIZE, 0), k
    cdef int32_t state = 0, s, box
    cdef int width
    if least >= 0:
        i = max(i, least - b.longest)
    i = line_begin(p, start, i)
    while i < start and p[i] & 0xC0 == 0x80:
        i += 1
    while i < start:
        if b.joint[closing] >= 0:
            k = head_end(p, i, n)
            if least < k <= start and start - k <= 4 * BOX_SIZE and count_points(p, k, start) <= BOX_SIZE:
                tokens_push(tokens, i, end, WORD)
                found_push(found, tokens.size - 1, tokens.size - 1, b.joint[closing], 0)
        width = blank_width(p + i, n - i)
        state = automaton_step(&b.openings, state, BLANK if width else p[i])
        i += max(width, 1)
        s = state if b.openings.output[state] >= 0 else b.openings.link[state]
        while s:
            if i > least and start - i <= 4 * BOX_SIZE and count_points(p, i, start) <= BOX_SIZE:
                box = b.openings.output[s]
                while box >= 0:
                    if b.closed_by[box] == closing:
                        k = opening_start(p, i, b.openings.depth[s])
                        tokens_push(tokens, k, end, WORD)
                        found_push(found, tokens.size - 1, tokens.size - 1, b.string[box], 0)
                    box = b.openings.also[box]
            s = b.openings.link[s]
    return 0


cdef int find_boxes(const Boxes* b, const uint8_t* p, int64_t n, Tokens* tokens, Found* found) except -1 nogil:
    """Add all boxes of a text to the matches, each as a token of its own."""
    cdef int64_t i, end, least, size
    cdef const uint8_t* closing
    cdef const void* hit
    cdef int32_t k
    for k in range(b.closings):
        closing = b.arena + b.bounds[k]
        size = b.bounds[k + 1] - b.bounds[k]
        least = -1
        i = 0
        while i < n:
            hit = memchr(p + i, closing[0], n - i)
            if hit == NULL:
                break
            i = <const uint8_t*>hit - p
            end = match_literal(p, i, n, closing, size)
            if end >= 0:
                find_openings(b, p, n, least, i, end, k, tokens, found)
                least = i
            i += 1
    return 0


cdef void boxes_free(Boxes* b) noexcept nogil:
    automaton_free(&b.openings)
    free(b.string)
    free(b.closed_by)
    free(b.arena)
    free(b.bounds)
    free(b.joint)


cdef int boxes_build(Boxes* b, list boxes) except -1:
    """Lay out boxes, of (string, opening, closing); one without an opening begins at a joint."""
    cdef int64_t k
    cdef dict places = {}, joints = {}
    cdef bytes opening, closing
    cdef int32_t[::1] flat
    cdef int64_t[::1] bounds
    b.string = <int32_t*>malloc(len(boxes) * sizeof(int32_t) + 8)
    b.closed_by = <int32_t*>malloc(len(boxes) * sizeof(int32_t) + 8)
    if b.string == NULL or b.closed_by == NULL:
        raise MemoryError
    joined = array("i")
    ends = array("q", [0])
    b.count = 0
    for string, opening, closing in boxes:
        if not closing or closing[:1] == b" ":
            raise ValueError(f"string {string}: expected a closing that begins with no blank, got {closing!r}")
        k = places.setdefault(closing, len(places))
        if not opening:
            joints[k] = string
            b.longest = max(b.longest, HEAD)
            continue
        b.string[b.count] = string
        b.closed_by[b.count] = k
        b.count += 1
        b.longest = max(b.longest, len(opening) + 2 * opening.count(b" "))
        joined.extend(opening)
        ends.append(len(joined))
    b.closings = len(places)
    whole = b"".join(places)
    b.arena = <uint8_t*>malloc(len(whole) + 1)
    b.bounds = <int64_t*>malloc((b.closings + 1) * sizeof(int64_t))
    b.joint = <int32_t*>malloc((b.closings + 1) * sizeof(int32_t))
    if b.arena == NULL or b.bounds == NULL or b.joint == NULL:
        raise MemoryError
    memcpy(b.arena, <const uint8_t*>whole, len(whole))
    b.bounds[0] = 0
    for k, closing in enumerate(places):
        b.bounds[k + 1] = b.bounds[k] + len(closing)
        b.joint[k] = joints.get(k, -1)
    flat = joined
    bounds = ends
    automaton_build(&b.openings, &flat[0] if len(joined) else NULL, &bounds[0], b.count, 256)
    return 0
