"""From the matches in a text to the text without them: the union of their intervals, the signs and tags that go with a cut, the
pieces that stay; and the mark-up of a page.

The input is texts as UTF-8 and spans or matches; the output is spans and texts.  Only functions that return arrays import
numpy: cleaning does not need it, and so starts sooner.
"""

from libc.stdint cimport int32_t, int64_t, uint16_t, uint32_t, uint8_t
from libc.stdlib cimport free, malloc, qsort
from libc.string cimport memchr, memcmp, memcpy, memset

from templatemine.text._reading cimport Form, original_end, original_start, read_tag, Tag
from templatemine.text._scan cimport (
    Bytes, char_start, count_points, decode, encode_utf8, is_alnum, is_alpha, is_own_token, KEPT, Occurrences, PyUnicode_DATA,
    Py_UNICODE_ISSPACE, REACHES_EDGE, reserve, skip_points, space_end, space_start, SPANS, StrView, Table, table_add, table_find,
    table_free, table_init, TAG, tag_end, tm_hash, Tokens, view_str, WORD,
)

__all__ = ["Stripper", "cut", "merge", "take_empty_tags", "widen"]


# ------------------------------------------------------------------------------------------------------------------- intervals
# From the matches in a text to their union: the spans that are cut.
#
# All intervals are united here: those of the automaton, in bytes, and any others by `merge`.  Cost is linear in the matches,
# which must be ordered by end, and in the text between two that may be near each other.


cdef void outcome_free(Outcome* out) noexcept nogil:
    free(out.span)
    free(out.member)
    free(out.pieces.piece)


cdef inline bint is_near(const uint8_t* p, int64_t end, int64_t start, int64_t gap, bint ascii) noexcept nogil:
    """Whether fewer than `gap` code points lie between a span that ends at byte `end` and one that begins at byte `start`."""
    if start - end < gap:
        return True
    # A code point has at most four bytes.
    return not ascii and start - end < 4 * gap and count_points(p, end, start) < gap


cdef int add_interval(const uint8_t* p, bint ascii, int64_t start, int64_t end, int64_t gap, int64_t first,
                      Outcome* out) except -1 nogil:
    """Add an interval that ends after all earlier ones to the union, whose spans begin at index `first`."""
    # No earlier one ends after this one, so only the last spans can be touched.
    while out.size > first and (start <= out.span[out.size - 1].end or is_near(p, out.span[out.size - 1].end, start, gap, ascii)):
        out.size -= 1
        start = min(start, out.span[out.size].start)
    reserve(<void**>&out.span, &out.room, out.size + 1, sizeof(Span))
    out.span[out.size] = Span(start, end, start, end, 0, 0)
    out.size += 1
    return 0


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
    import numpy as np

    if starts.shape[0] != ends.shape[0]:
        raise ValueError(f"expected equal lengths, got {starts.shape[0]} and {ends.shape[0]}")
    cdef int64_t m = starts.shape[0], i, k = 0
    cdef int64_t[::1] order = np.argsort(ends, kind="stable").astype(np.int64)
    cdef int64_t[::1] left, right, member = np.empty(m, np.int64)
    cdef Outcome found
    memset(&found, 0, sizeof(Outcome))
    try:
        with nogil:
            for i in range(m):
                add_interval(NULL, True, starts[order[i]], ends[order[i]], gap, 0, &found)
        left = np.empty(found.size, np.int64)
        right = np.empty(found.size, np.int64)
        for i in range(found.size):
            left[i] = found.span[i].start
            right[i] = found.span[i].end
        for i in range(m):
            while ends[order[i]] > right[k]:
                k += 1
            member[order[i]] = k
    finally:
        outcome_free(&found)
    return np.asarray(left), np.asarray(right), np.asarray(member)


cdef int compare_numbers(const void* a, const void* b) noexcept nogil:
    return (<const int32_t*>a)[0] - (<const int32_t*>b)[0]


cdef int64_t sort_distinct(int32_t* number, int64_t n) noexcept nogil:
    """Sort numbers in place and remove duplicates; returns how many are left."""
    cdef int64_t i, size = 0
    if n > 1:
        qsort(number, n, sizeof(int32_t), compare_numbers)
    for i in range(n):
        if size == 0 or number[i] != number[size - 1]:
            number[size] = number[i]
            size += 1
    return size


# A cut takes the signs with it that it would leave alone on a line.

cdef inline bint is_line_break(uint32_t c) noexcept nogil:
    return c == 10 or c == 0x2028 or c == 0x2029


cdef inline bint is_blank(uint32_t c) noexcept nogil:
    return Py_UNICODE_ISSPACE(c) and not is_line_break(c)


cdef inline bint is_joining_sign(uint32_t c) noexcept nogil:
    """Whether c is a dash, bar, colon or bullet, which join the text on both sides."""
    if c < 128:
        return c == 45 or c == 124 or c == 58
    return (c == 0xB7 or 0x2010 <= c <= 0x2015 or c == 0x2022 or c == 0x2192 or c == 0x2212 or c == 0x25A0 or c == 0x25AA
            or c == 0x25B6 or c == 0x25BA)


cdef inline bint is_hanging_sign(uint32_t c) noexcept nogil:
    """Whether c is a comma, semicolon or wide sign, which no line begins with."""
    return c == 44 or c == 59 or c == 0x60C or c == 0x61B or is_wide_sign(c)


cdef inline bint is_wide_sign(uint32_t c) noexcept nogil:
    """Whether c is a sign of scripts without spaces, which no blank follows."""
    return c == 0x3001 or c == 0x3002 or c == 0xFF0C or c == 0xFF1A or c == 0xFF1B


cdef inline bint is_blank_or_mark(uint32_t c) noexcept nogil:
    """Whether c is a blank, or punctuation that has no meaning where it stands alone."""
    if c < 128:
        return is_blank(c) or 33 <= c <= 47 or 58 <= c <= 64 or 91 <= c <= 96 or 123 <= c <= 126
    return (is_joining_sign(c) or is_hanging_sign(c) or is_blank(c) or c == 0xAB or c == 0xBB or c == 0x2018 or c == 0x2019 or c == 0x201A
            or 0x201C <= c <= 0x201E or c == 0x2026 or c == 0x2039 or c == 0x203A or 0x3008 <= c <= 0x3011
            or c == 0xFF01 or c == 0xFF08 or c == 0xFF09 or c == 0xFF0E or c == 0xFF1F or c == 0x203B or c == 0x30FB or c == 0x25CF
            or c == 0x25C6 or c == 0x25B2 or c == 0x25BC)


cdef inline bint is_rule_sign(uint32_t c) noexcept nogil:
    """Whether one sign again and again is a line that parts a text from what comes before or behind it."""
    if c < 128:
        return c == 45 or c == 35 or c == 42 or c == 61 or c == 95 or c == 126
    return (is_joining_sign(c) and c != 0x2192 and c != 0x25B6 and c != 0x25BA or c == 0x203B or c == 0x30FB or c == 0x25C6
            or c == 0x25CF or c == 0x2500 or c == 0x2501)


cdef inline bint is_gap_sign(uint32_t c) noexcept nogil:
    """Whether c says nothing on a line of its own between two cuts; others may be an answer, or close a bracket."""
    return is_rule_sign(c) or is_hanging_sign(c) or c == 46 or c == 58 or c == 124


cdef enum:
    MAX_HEADING = 60    # characters of a line that may be a heading


cdef inline bint is_frame(uint32_t c) noexcept nogil:
    """Whether a line of a table begins with c."""
    return c == 124 or c == 43 or 0x2500 <= c <= 0x257F


cdef inline uint32_t decode_at(const uint8_t* p, int64_t i, int64_t n, int* width) noexcept nogil:
    """The character at i, and its width in bytes (OUT)."""
    return decode(p + i, n - i, width)


cdef inline uint32_t decode_before(const uint8_t* p, int64_t i, int64_t* start) noexcept nogil:
    """The character that ends at i, and where it begins (OUT)."""
    cdef int width = 1
    start[0] = char_start(p, i)
    return decode(p + start[0], i - start[0], &width)


cdef int widen_cuts(const uint8_t* p, int64_t n, Span* spans, int64_t size) except -1 nogil:
    """Widen the spans of a text, in bytes, by the signs that would be left alone.  Spans that touch are one cut."""
    cdef int64_t k = 0, m, low = 0, high, left, right, other = 0
    cdef int width = 1
    cdef bint began = True, begins, ends, parts
    while k < size:
        m = k
        while m + 1 < size and spans[m].end == spans[m + 1].start:
            m += 1
        high = spans[m + 1].start if m + 1 < size else n
        left = spans[k].start
        right = spans[m].end
        while left > low and is_blank_or_mark(decode_before(p, left, &other)):
            left = other
        while right < high and is_blank_or_mark(decode_at(p, right, n, &width)):
            right += width
        begins = left == 0 or is_line_break(decode_before(p, left, &other)) or (left == low and began)
        ends = right == n or is_line_break(decode_at(p, right, n, &width))
        if begins and ends:
            while left < spans[k].start and is_blank(decode_at(p, left, n, &width)):
                left += width
            spans[k].start = left
        if (begins and ends) or right == high < n:
            while right > spans[m].end and is_blank(decode_before(p, right, &other)):
                right = other
            spans[m].end = right
        else:
            # Behind a cut that takes the end of one line and the beginning of another, a line begins.
            parts = has_line_break(p, spans[k].start, spans[m].end, n)
            if begins or parts:
                spans[m].end = skip_signs(p, n, spans[m].end, right)
            if ends:
                spans[k].start = skip_signs_before(p, n, left, spans[k].start)
            begins |= parts
        low = spans[m].end
        began = begins
        k = m + 1
    if size:
        for k in range(size + 1):
            take_gap(p, n, spans, size, k)
        take_rule_before(p, n, spans, size)
        take_rule_behind(p, n, spans, size)
    return 0


cdef bint has_line_break(const uint8_t* p, int64_t place, int64_t end, int64_t n) noexcept nogil:
    cdef int width = 1
    while place < end:
        if is_line_break(decode_at(p, place, n, &width)):
            return True
        place += width
    return False


cdef inline bint is_joint(uint32_t sign, uint32_t c) noexcept nogil:
    """Whether a sign that nothing parts from a cut before it, nor from c behind it, has joined the two; a dash before a figure
    may be its sign, and before a small letter within a word."""
    cdef bint is_dash = sign == 45 or 0x2010 <= sign <= 0x2015 or sign == 0x2212
    if not (is_dash or sign == 58 or is_hanging_sign(sign)):
        return False
    if c == 34 or c == 0xAB or c == 0x2018 or c == 0x201C or c == 0x201E or c == 0x300A or c == 0x300C or c == 0x300E:
        return True
    return Py_UNICODE_ISALNUM(c) and not (is_dash and (Py_UNICODE_ISNUMERIC(c) or Py_UNICODE_ISLOWER(c)))


cdef int64_t skip_signs(const uint8_t* p, int64_t n, int64_t end, int64_t right) noexcept nogil:
    """The end of the signs behind a cut that ends at `end`, within p[end:right], that nothing needs."""
    cdef int64_t place = end, mark, other = end
    cdef int width = 1
    cdef uint32_t c = 0, sign = 0
    cdef bint is_glued
    while other > 0:
        c = decode_before(p, other, &other)
        if not is_blank(c):
            break
    if is_line_break(c):
        return end    # the signs are those of the next line
    is_glued = end and not Py_UNICODE_ISSPACE(decode_before(p, end, &other))
    while True:
        while place < right and is_blank(decode_at(p, place, n, &width)):
            is_glued = False
            place += width
        mark = place
        while place < right:
            c = decode_at(p, place, n, &width)
            if not (is_joining_sign(c) or is_hanging_sign(c)):
                break
            sign = c
            place += width
        if place == mark or place == n:
            return end
        c = decode_at(p, place, n, &width)
        if not (is_wide_sign(sign) or is_blank(c) or (is_glued and is_joint(sign, c))):
            return end
        end = place


cdef int64_t skip_signs_before(const uint8_t* p, int64_t n, int64_t left, int64_t start) noexcept nogil:
    """The beginning of the signs before a cut that begins at `start`, within p[left:start], behind a blank."""
    cdef int64_t place = start, mark, other = 0
    while True:
        while place > left and is_blank(decode_before(p, place, &other)):
            place = other
        mark = place
        while place > left and is_joining_sign(decode_before(p, place, &other)):
            place = other
        if place == mark or place == 0 or not is_blank(decode_before(p, place, &other)):
            return start
        start = place


cdef void take_gap(const uint8_t* p, int64_t n, Span* spans, int64_t size, int64_t k) noexcept nogil:
    """Widen the spans beside the gap before span k by its lines of signs, if there is nothing else in it."""
    cdef int64_t left = spans[k - 1].end if k else 0, right = spans[k].start if k < size else n
    cdef int64_t place = left, first = -1, last = -1
    cdef bint edge = k > 0, breaks = False
    cdef int width = 1
    cdef uint32_t c
    while place < right:
        c = decode_at(p, place, n, &width)
        if is_line_break(c):
            edge, breaks = False, True
        elif not Py_UNICODE_ISSPACE(c):
            if edge or not is_gap_sign(c):
                return
            if first < 0:
                first = place
            last, breaks = place + width, False
        place += width
    if first < 0 or (k < size and not breaks):
        return
    if k:
        spans[k - 1].end = last
    else:
        spans[0].start = first


cdef bint is_white(const uint8_t* p, int64_t place, int64_t end, int64_t n) noexcept nogil:
    cdef int width = 1
    while place < end:
        if not Py_UNICODE_ISSPACE(decode_at(p, place, n, &width)):
            return False
        place += width
    return True


cdef void take_rule_before(const uint8_t* p, int64_t n, Span* spans, int64_t size) noexcept nogil:
    """Widen the first of the spans behind which nothing is left by the rule before it, unless it is of what stays."""
    cdef int64_t k = size, low, place, begin, stop, points = 0, length = 0, other = 0
    cdef uint32_t c, sign, head = 0
    cdef int breaks = 0
    while k and is_white(p, spans[k - 1].end, spans[k].start if k < size else n, n):
        k -= 1
    if k == size:
        return
    low = spans[k - 1].end if k else 0
    stop = skip_white_before(p, low, spans[k].start, &breaks)
    if not breaks or stop == low:
        return
    sign = decode_before(p, stop, &other)
    if not is_rule_sign(sign):
        return
    place = begin = stop
    while True:
        if place == low:
            return
        c = decode_before(p, place, &other)
        if is_line_break(c):
            break
        if not Py_UNICODE_ISSPACE(c):
            if c != sign:
                return
            begin = other
        place = other
    breaks = 0
    place = skip_white_before(p, low, place, &breaks)
    if place > low:
        c = decode_before(p, place, &other)
        if c == 58 or c == 0xFF1A:
            return
        while place > low:
            c = decode_before(p, place, &other)
            if is_line_break(c):
                break
            points += 1
            if not Py_UNICODE_ISSPACE(c):
                head, length = c, points
            place = other
        # What underlines a heading, or ends a table, is of it.
        if is_frame(head) or (breaks == 1 and length <= MAX_HEADING and (sign == 45 or sign == 61 or sign == 126)):
            return
    if is_single_line(p, n, spans, size, begin, stop):
        spans[k].start = begin


cdef void take_rule_behind(const uint8_t* p, int64_t n, Span* spans, int64_t size) noexcept nogil:
    """Widen the last of the spans before which nothing is left by the rule behind it, unless it is of what stays."""
    cdef int64_t k = 0, high, place, begin, stop
    cdef int width = 1
    cdef uint32_t c, sign = 0
    cdef bint breaks = False
    while k < size and is_white(p, spans[k - 1].end if k else 0, spans[k].start, n):
        k += 1
    if k == 0:
        return
    high = spans[k].start if k < size else n
    place = spans[k - 1].end
    while place < high:
        sign = decode_at(p, place, n, &width)
        if not Py_UNICODE_ISSPACE(sign):
            break
        breaks |= is_line_break(sign)
        place += width
    if place == high or not breaks or not is_rule_sign(sign):
        return
    begin = stop = place
    while place < high:
        c = decode_at(p, place, n, &width)
        if is_line_break(c):
            break
        place += width
        if not Py_UNICODE_ISSPACE(c):
            if c != sign:
                return
            stop = place
    if place == high < n:
        return
    while place < high:
        c = decode_at(p, place, n, &width)
        if not Py_UNICODE_ISSPACE(c):
            if is_frame(c):
                return
            break
        place += width
    if is_single_line(p, n, spans, size, begin, stop):
        spans[k - 1].end = stop


cdef int64_t skip_white_before(const uint8_t* p, int64_t low, int64_t place, int* breaks) noexcept nogil:
    """The end of what is no white space before a place; counts the line breaks between (INOUT)."""
    cdef int64_t other = 0
    cdef uint32_t c
    while place > low:
        c = decode_before(p, place, &other)
        if not Py_UNICODE_ISSPACE(c):
            break
        breaks[0] += is_line_break(c)
        place = other
    return place


cdef bint is_single_line(const uint8_t* p, int64_t n, const Span* spans, int64_t size, int64_t begin, int64_t stop) noexcept nogil:
    """Whether no other line that stays is the same as p[begin:stop], but for white space: it is no half of a pair."""
    cdef int64_t line = 0, place, first, last, k = 0
    cdef int width = 1
    cdef uint32_t c
    while line < n:
        place = line
        first = last = -1
        while place < n:
            c = decode_at(p, place, n, &width)
            if is_line_break(c):
                break
            if not Py_UNICODE_ISSPACE(c):
                if first < 0:
                    first = place
                last = place + width
            place += width
        if first >= 0 and first != begin and last - first == stop - begin and not memcmp(p + first, p + begin, stop - begin):
            while k < size and spans[k].end <= line:
                k += 1
            if k == size or spans[k].start > line:
                return False
        line = place + width
    return True


cdef inline bint is_kept(const StringKinds* kinds, int32_t string) noexcept nogil:
    return (kinds.edges[string] & KEPT) != 0


cdef void part_by_kind(const uint8_t* p, bint ascii, const Tokens* tokens, const Occurrences* matches, const StringKinds* kinds,
                       int64_t gap, int64_t first, Outcome* out) noexcept nogil:
    """Give spans that no gap is closed between, from index `first` on, their kinds, and close the gaps.

    The kind of a span is that of the string in it that weighs most, of several the first.  Spans of one kind become one across a
    gap; of two kinds, the gap goes to the first, so that they touch.
    """
    cdef int64_t i = 0, k, size = first
    cdef int32_t string, best
    cdef Span span
    for k in range(first, out.size):
        span = out.span[k]
        best = -1
        while i < matches.size and tokens.end[matches.length[i]] <= span.end:
            string = matches.count[i]
            if not is_kept(kinds, string) and (best < 0 or kinds.weight[string] > kinds.weight[best] or (
                    kinds.weight[string] == kinds.weight[best] and string < best)):
                best = string
            i += 1
        span.kind = kinds.code[best] if best >= 0 else 0
        if size > first and is_near(p, out.span[size - 1].end, span.start, gap, ascii):
            if out.span[size - 1].kind == span.kind:
                out.span[size - 1].end = out.span[size - 1].point_end = span.end
                continue
            out.span[size - 1].end = out.span[size - 1].point_end = span.start
        out.span[size] = span
        size += 1
    out.size = size


cdef bint cuts_kept(const Tokens* tokens, const Occurrences* matches, const StringKinds* kinds, const Span* spans,
                    int64_t size) noexcept nogil:
    """Whether a match of a string that is kept overlaps a span."""
    cdef int64_t i, low, high, middle
    for i in range(matches.size if size else 0):
        if is_kept(kinds, matches.count[i]):
            low = 0
            high = size
            while low < high:       # the first span that ends behind the beginning of the match
                middle = (low + high) // 2
                if spans[middle].end > tokens.start[matches.position[i]]:
                    high = middle
                else:
                    low = middle + 1
            if low < size and spans[low].start < tokens.end[matches.length[i]]:
                return True
    return False


cdef int64_t unite_kept(const Tokens* tokens, const Occurrences* matches, const StringKinds* kinds, int64_t* holes) noexcept nogil:
    """The union of the matches of strings that are kept, as pairs of bounds; those that touch are one.  Returns how many."""
    cdef int64_t i, start, size = 0
    for i in range(matches.size):
        if is_kept(kinds, matches.count[i]):
            start = tokens.start[matches.position[i]]
            while size and start <= holes[2 * size - 1]:    # no earlier one ends after this one
                size -= 1
                start = min(start, holes[2 * size])
            holes[2 * size] = start
            holes[2 * size + 1] = tokens.end[matches.length[i]]
            size += 1
    return size


cdef int leave_slots_to_kept(const Tokens* tokens, Occurrences* matches, const StringKinds* kinds) except -1 nogil:
    """Drop the matches with a slot that overlap a match of a string that is kept: without it their fillers say nothing."""
    cdef int64_t i, low, high, middle, holes, size = 0
    cdef bint has_slots = False, has_kept = False
    for i in range(matches.size):
        has_kept = has_kept or is_kept(kinds, matches.count[i])
        has_slots = has_slots or kinds.edges[matches.count[i]] & (REACHES_EDGE | SPANS)
    if not (has_slots and has_kept):        # as in most texts
        return 0
    cdef int64_t* bounds = <int64_t*>malloc(matches.size * 2 * sizeof(int64_t))
    if bounds == NULL:
        with gil:
            raise MemoryError
    holes = unite_kept(tokens, matches, kinds, bounds)
    for i in range(matches.size):
        if kinds.edges[matches.count[i]] & (REACHES_EDGE | SPANS) and not is_kept(kinds, matches.count[i]):
            low = 0
            high = holes
            while low < high:       # the first hole that ends behind the beginning of the match
                middle = (low + high) // 2
                if bounds[2 * middle + 1] > tokens.start[matches.position[i]]:
                    high = middle
                else:
                    low = middle + 1
            if low < holes and bounds[2 * low] < tokens.end[matches.length[i]]:
                continue
        matches.position[size] = matches.position[i]
        matches.length[size] = matches.length[i]
        matches.count[size] = matches.count[i]
        size += 1
    matches.size = size
    free(bounds)
    return 0


cdef int add_piece(const uint8_t* p, int64_t n, Span span, int64_t start, int64_t end, const int32_t* member, int64_t members,
                   Outcome* out) except -1 nogil:
    """Add what is left of a span between two holes, without white space beside them, unless that is all."""
    cdef int width = 1
    cdef int64_t before
    while start < end and start != span.start and Py_UNICODE_ISSPACE(decode_at(p, start, n, &width)):
        start += width
    while start < end and end != span.end and Py_UNICODE_ISSPACE(decode_before(p, end, &before)):
        end = before
    if start >= end:
        return 0
    reserve(<void**>&out.span, &out.room, out.size + 1, sizeof(Span))
    reserve(<void**>&out.member, &out.member_room, out.members + members, sizeof(int32_t))
    memcpy(out.member + out.members, member, members * sizeof(int32_t))
    out.members += members
    out.span[out.size] = Span(start, end, start, end, span.kind, out.members)
    out.size += 1
    return 0


cdef int spare_kept(const uint8_t* p, int64_t n, const Tokens* tokens, const Occurrences* matches, const StringKinds* kinds,
                    int64_t first, int64_t members, Outcome* out) except -1 nogil:
    """Take the matches of strings that are kept out of the spans from index `first` on, whose strings begin at `members`.

    A span may become several, each with all its strings; of white space beside what is kept nothing goes.
    """
    cdef int64_t size = out.size - first, count = out.members - members, k, hole, holes, start, begin = 0, low = 0
    cdef Span* spans = <Span*>malloc(max(size, 1) * sizeof(Span))
    cdef int32_t* member = <int32_t*>malloc(max(count, 1) * sizeof(int32_t))
    cdef int64_t* bounds = <int64_t*>malloc(max(matches.size, 1) * 2 * sizeof(int64_t))
    try:
        if spans == NULL or member == NULL or bounds == NULL:
            raise MemoryError
        memcpy(spans, out.span + first, size * sizeof(Span))
        memcpy(member, out.member + members, count * sizeof(int32_t))
        holes = unite_kept(tokens, matches, kinds, bounds)
        out.size = first
        out.members = members
        for k in range(size):
            start = spans[k].start
            count = spans[k].member_end - members - begin
            while low < holes and bounds[2 * low + 1] <= start:
                low += 1
            hole = low
            while hole < holes and bounds[2 * hole] < spans[k].end:
                add_piece(p, n, spans[k], start, bounds[2 * hole], member + begin, count, out)
                start = bounds[2 * hole + 1]
                hole += 1
            add_piece(p, n, spans[k], start, spans[k].end, member + begin, count, out)
            begin += count
    finally:
        free(spans)
        free(member)
        free(bounds)
    return 0


cdef int unite_matches(const uint8_t* p, int64_t n, bint ascii, bint html, const Tokens* tokens, Occurrences* matches,
                       const StringKinds* kinds, bint keeps, int64_t gap, Outcome* out) except -1 nogil:
    """Add the union of the matches of a text of n bytes, ordered by end, to `out`, widened by `widen_cuts` unless it is HTML.

    Matches of strings that are kept add nothing, and are taken out of what would be cut.  `matches` is INOUT.
    """
    cdef int64_t i, start, end, first = out.size, members = out.members, k
    if keeps:
        leave_slots_to_kept(tokens, matches, kinds)
    for i in range(matches.size):
        if not keeps or not is_kept(kinds, matches.count[i]):
            add_interval(p, ascii, tokens.start[matches.position[i]], tokens.end[matches.length[i]],
                         gap if kinds.code == NULL else 0, first, out)
    if kinds.code != NULL:
        part_by_kind(p, ascii, tokens, matches, kinds, gap, first, out)
    reserve(<void**>&out.member, &out.member_room, out.members + matches.size, sizeof(int32_t))
    i = 0
    for k in range(first, out.size):
        start = end = out.members
        while i < matches.size and tokens.end[matches.length[i]] <= out.span[k].end:
            if not keeps or not is_kept(kinds, matches.count[i]):
                out.member[end] = matches.count[i]
                end += 1
            i += 1
        out.members += sort_distinct(out.member + start, end - start)
        out.span[k].member_end = out.members
    if not html:
        widen_cuts(p, n, out.span + first, out.size - first)
    if keeps and cuts_kept(tokens, matches, kinds, out.span + first, out.size - first):
        spare_kept(p, n, tokens, matches, kinds, first, members, out)
    set_points(p, ascii, out.span + first, out.size - first)
    return 0


# --------------------------------------------------------------------------------------------------------------------- cutting
# Removes spans from a text, such that no words are glued and no paragraphs run together; and the mark-up from a page.
#
# The input is texts as UTF-8 and the spans to remove; the output is the pieces that stay, as offsets in the text.  Cost is
# linear in the spans and in the white space around them; `assemble` is linear in what stays.  All but the functions that
# make a str runs without the GIL.


cdef extern from "Python.h":
    bint Py_UNICODE_ISALNUM(uint32_t c) noexcept nogil
    bint Py_UNICODE_ISNUMERIC(uint32_t c) noexcept nogil
    bint Py_UNICODE_ISLOWER(uint32_t c) noexcept nogil
    str PyUnicode_New(Py_ssize_t size, uint32_t greatest)
    str PyUnicode_FromKindAndData(int kind, const void* units, Py_ssize_t size)


# ======================================================================================================================
# Cutting spans out of a text
# ======================================================================================================================

cdef struct Space:
    # White space [start, end) of the text.
    int64_t start
    int64_t end
    int64_t breaks          # line feeds
    int64_t points          # code points


cdef Space measure_space(const uint8_t* p, int64_t start, int64_t end) noexcept nogil:
    """The white space [start, end), with its line feeds and code points counted."""
    cdef Space found = Space(start, end, 0, count_points(p, start, end))
    cdef int64_t i
    for i in range(start, end):
        found.breaks += p[i] == 10
    return found


cdef inline Space stronger_space(Space space, Space other) noexcept nogil:
    """Of two stretches of white space, that with more line feeds, else the longer, else the first."""
    if other.breaks > space.breaks or (other.breaks == space.breaks and other.points > space.points):
        return other
    return space


cdef Space strongest_space(const uint8_t* p, int64_t start, int64_t end, Space gap) noexcept nogil:
    """The strongest of the white space `gap` and the blank lines of a span [start, end) that is cut.

    White space with a single line feed does not count: it may be where a long line was wrapped.
    """
    cdef const void* hit
    cdef int64_t i = start, after
    cdef Space inner
    while i < end:
        hit = memchr(p + i, 10, end - i)
        if hit == NULL:
            break
        after = <const uint8_t*>hit - p
        inner = measure_space(p, space_start(p, after, i), space_end(p, after, end))
        if inner.breaks > 1:
            gap = stronger_space(gap, inner)
        i = inner.end
    return gap


cdef int push_piece(Pieces* out, int64_t start, int64_t end) except -1 nogil:
    reserve(<void**>&out.piece, &out.room, out.size + 1, sizeof(Piece))
    out.piece[out.size] = Piece(start, end)
    out.size += 1
    return 0


cdef bint is_stub(const Span* removed, int64_t number, int64_t points, double guard) noexcept nogil:
    """Whether spans are a greater share than `guard` of a text of `points` code points; `cleaner` says the same of texts that
    are not read here."""
    cdef int64_t total = 0, k
    for k in range(number):
        total += removed[k].point_end - removed[k].point_start
    return total > guard * points


cdef void move_spans(const Form* form, Span* spans, int64_t size) noexcept nogil:
    """Make spans of a reading form those of its original, in bytes; two that touch an invisible character do not share it, and
    two that touch still do."""
    cdef int64_t k, last = 0, end = -1
    for k in range(size):
        spans[k].start, end = last if spans[k].start == end else max(original_start(form, spans[k].start), last), spans[k].end
        last = spans[k].end = max(original_end(form, spans[k].end), spans[k].start)


cdef void set_points(const uint8_t* p, bint ascii, Span* spans, int64_t size) noexcept nogil:
    """Set the bounds of spans in code points by those in bytes."""
    cdef int64_t k, byte = 0, point = 0
    for k in range(size):
        spans[k].point_start = spans[k].start if ascii else point + count_points(p, byte, spans[k].start)
        spans[k].point_end = spans[k].end if ascii else spans[k].point_start + count_points(p, spans[k].start, spans[k].end)
        byte, point = spans[k].end, spans[k].point_end


# ======================================================================================================================
# Tags that cuts leave empty
# ======================================================================================================================

cdef enum:
    MAX_OPEN_TAGS = 64      # within which the end of an element looks for its beginning


cdef struct OpenedTag:
    # A tag of a text, and the one at the other end of its element, or -1.
    Tag tag
    int64_t partner


cdef struct OpenedTags:
    OpenedTag* row
    int64_t size
    int64_t room
    int64_t* open           # tags that are open so far
    int64_t open_room


cdef int read_tags(const uint8_t* p, int64_t n, OpenedTags* tags) except -1 nogil:
    """Add the tags of a text to `tags`, which is empty."""
    cdef int64_t i = 0, place, opened = 0
    cdef Tag tag
    while i < n:
        if (p[i] != 60 and p[i] != 38) or not read_tag(p, i, n, &tag):
            i += 1
            continue
        i = tag.end
        reserve(<void**>&tags.row, &tags.room, tags.size + 1, sizeof(OpenedTag))
        reserve(<void**>&tags.open, &tags.open_room, opened + 1, sizeof(int64_t))
        tags.row[tags.size] = OpenedTag(tag, -1)
        if tag.closes:
            for place in range(opened - 1, max(opened - MAX_OPEN_TAGS, 0) - 1, -1):
                if tags.row[tags.open[place]].tag.name == tag.name:
                    tags.row[tags.size].partner = tags.open[place]
                    tags.row[tags.open[place]].partner = tags.size
                    opened = place
                    break
        elif not tag.single:
            tags.open[opened] = tags.size
            opened += 1
        tags.size += 1
    return 0


cdef int64_t find_tag(const OpenedTags* tags, int64_t offset) noexcept nogil:
    """The first tag that begins there or behind."""
    cdef int64_t low = 0, high = tags.size, middle
    while low < high:
        middle = (low + high) >> 1
        if tags.row[middle].tag.start < offset:
            low = middle + 1
        else:
            high = middle
    return low


cdef bint take_tag_before(const uint8_t* p, int64_t n, const OpenedTags* tags, int64_t low, int64_t high, int64_t* start,
                          int64_t end) noexcept nogil:
    """Move the start (IN OUT) of a cut before the tag there if its element is empty; False if there is none.  Other cuts end at
    `low` and start at `high`."""
    cdef int64_t place = find_tag(tags, start[0]) - 1, after = find_tag(tags, end)
    cdef const OpenedTag* tag = tags.row + place
    cdef const OpenedTag* next = tags.row + after if after < tags.size else NULL
    if place < 0 or tag.tag.start < low or tag.tag.end != space_start(p, start[0], tag.tag.end):
        return False
    if tag.tag.single or tag.tag.closes:
        return False
    if next != NULL and (next.tag.end > high or next.tag.start != space_end(p, end, next.tag.start)):
        next = NULL
    if tag.partner < 0:
        if space_end(p, end, n) < n and (next == NULL or not 0 <= next.partner < place):
            return False
    elif tags.row[tag.partner].tag.end > end and (next == NULL or next.partner != place):
        return False
    start[0] = tag.tag.start
    return True


cdef bint take_tag_behind(const uint8_t* p, const OpenedTags* tags, int64_t high, int64_t start, int64_t* end) noexcept nogil:
    """Move the end (IN OUT) of a cut behind the tag there, see `take_tag_before`."""
    cdef int64_t place = find_tag(tags, end[0])
    cdef const OpenedTag* tag = tags.row + place
    if place == tags.size or tag.tag.end > high or tag.tag.start != space_end(p, end[0], tag.tag.start):
        return False
    if tag.tag.whole and (tag.partner < 0 or not start <= tags.row[tag.partner].tag.start < end[0]):
        return False
    end[0] = tag.tag.end
    return True


cdef int take_tags(const uint8_t* p, int64_t n, Span* spans, int64_t size) except -1 nogil:
    """Widen spans, in bytes, by the tags that cutting them leaves empty, see `take_empty_tags`."""
    cdef OpenedTags tags
    cdef int64_t first, last, low, high
    cdef bint more
    memset(&tags, 0, sizeof(OpenedTags))
    try:
        read_tags(p, n, &tags)
        if tags.size == 0:
            return 0
        for last in range(size):
            first = last
            high = spans[last + 1].start if last + 1 < size else n
            more = True
            while more:
                while first and space_start(p, spans[first].start, spans[first - 1].end) == spans[first - 1].end:
                    first -= 1
                low = spans[first - 1].end if first else 0
                more = take_tag_behind(p, &tags, high, spans[first].start, &spans[last].end)
                more = take_tag_before(p, n, &tags, low, high, &spans[first].start, spans[last].end) or more
    finally:
        free(tags.row)
        free(tags.open)
    return 0


cdef int cut_pieces(const uint8_t* p, int64_t n, const Span* removed, int64_t number, Pieces* out) except -1 nogil:
    """Add the pieces of a text without some spans, which are ascending and disjoint; see `cleaner.cut`."""
    cdef int64_t place, first, last, i, end = 0
    cdef int width = 1
    cdef bint own = False, any = False      # whether the last character that stays is a token of its own; whether there is one
    cdef Space gap = Space(0, 0, 0, 0)
    for place in range(number + 1):
        first = end
        last = removed[place].start if place < number else n
        if place:
            i = space_end(p, first, last)
            gap = stronger_space(gap, measure_space(p, first, i))
            first = i
        if place < number:
            last = space_start(p, last, first)
        if last > first:
            if any:
                if gap.end > gap.start:
                    push_piece(out, gap.start, gap.end)
                elif not own and not is_own_token(decode(p + first, n - first, &width)):
                    push_piece(out, BLANK, BLANK + 1)
            push_piece(out, first, last)
            any = True
            i = char_start(p, last)
            own = is_own_token(decode(p + i, last - i, &width))
            gap = Space(0, 0, 0, 0)
        if place < number:
            end = removed[place].end
            gap = stronger_space(gap, measure_space(p, last, removed[place].start))
            gap = strongest_space(p, removed[place].start, end, gap)
    return 0


cdef int64_t count_lost(const uint8_t* p, int64_t n, bint ascii, const Piece* piece, int64_t number) noexcept nogil:
    """By how many code points the pieces, in bytes, are shorter than their text; reads no more than what is between them."""
    cdef int64_t lost = 0, byte = 0, i
    for i in range(number):
        if piece[i].start == BLANK:
            lost -= 1
            continue
        lost += piece[i].start - byte if ascii else count_points(p, byte, piece[i].start)
        byte = piece[i].end
    return lost + (n - byte if ascii else count_points(p, byte, n))


cdef void pieces_to_points(const uint8_t* p, Piece* piece, int64_t number) noexcept nogil:
    """Convert the pieces of a text from bytes to code points, in place."""
    cdef int64_t i, byte = 0, point = 0, size
    for i in range(number):
        if piece[i].start == BLANK:
            continue
        point += count_points(p, byte, piece[i].start)
        size = count_points(p, piece[i].start, piece[i].end)
        byte = piece[i].end
        piece[i] = Piece(point, point + size)
        point += size


cdef str assemble(const StrView* text, const Piece* piece, int64_t number):
    """Make a str of pieces, in code points, of another."""
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


cdef str exact_str(object text):
    """The same text as a str of no subclass (numpy's, lxml's): of these the units are read in place."""
    return str.__str__(text) if isinstance(text, str) and type(text) is not str else text


cdef Span* read_spans(list spans, int64_t size) except NULL:
    """Read spans of a text of so many code points, for the caller to free; `start` and `end` are those of ASCII."""
    cdef int64_t place = 0, last = 0
    cdef Span* out = <Span*>malloc(len(spans) * sizeof(Span))
    if out == NULL:
        raise MemoryError
    try:
        for span in spans:
            out[place] = Span(span[0], span[1], span[0], span[1], 0, 0)
            if not last <= out[place].point_start <= out[place].point_end <= size:
                raise ValueError(
                    f"expected ascending spans of a text of {size} characters, got {span[0]} to {span[1]} after {last}")
            last = out[place].point_end
            place += 1
    except BaseException:
        free(out)
        raise
    return out


cdef void spans_to_bytes(const uint8_t* p, Span* spans, int64_t number) noexcept nogil:
    """Set `start` and `end` of spans by their code points."""
    cdef int64_t k, i = 0, points = 0
    for k in range(number):
        i = skip_points(p, i, spans[k].point_start - points)
        spans[k].start = i
        i = skip_points(p, i, spans[k].point_end - spans[k].point_start)
        spans[k].end = i
        points = spans[k].point_end


def widen(text not None, list spans not None):
    """Widen spans of a text by the signs that cutting them would leave alone; those that touch are one cut.

    Of a line on which only punctuation is left, and between two cuts on a line, all of it goes.  Behind a cut that its
    line begins with (before one that it ends with) go dashes, bars, colons and bullets up to a blank; behind the first,
    commas and semicolons, too, and wide signs without a blank.  Lines of signs that say nothing go between two cuts, and between
    a cut and an end of the text; a line of one sign, such as dashes, before a cut that all behind goes with, and behind one that
    all before goes with, unless it closes a table or underlines a heading, or another such line stays.

    Parameters
    ----------
    spans : list of (start, end, ...)
        In code points, ascending and disjoint.

    Returns
    -------
    list of (start, end)
    """
    return widen_by(exact_str(text), spans, widen_cuts)


def take_empty_tags(text not None, list spans not None):
    """Widen spans of a text by the tags, plain or escaped, of elements in which they leave nothing but white space.

    They take a tag beside them whose other end they hold, both tags of an element around them, a tag that the text's end cuts
    off, and the beginning of an element without an end, if the text or the element around it ends there.  Parameters and
    result are those of `widen`.
    """
    return widen_by(exact_str(text), spans, take_tags)


ctypedef int (*Widen)(const uint8_t* p, int64_t n, Span* spans, int64_t size) except -1 nogil


cdef list widen_by(str text, list spans, Widen widen):
    cdef StrView whole = view_str(text)
    cdef int64_t size = whole.points, number = len(spans), k
    cdef Bytes utf8 = Bytes(NULL, 0, 0)
    cdef const uint8_t* p
    cdef Span* widened
    if not number:
        return []
    widened = read_spans(spans[:], size)  # as in `cut`
    try:
        with nogil:
            p = encode_utf8(&whole, True, &utf8, &size)
            if not whole.ascii:
                spans_to_bytes(p, widened, number)
            widen(p, size, widened, number)
            set_points(p, whole.ascii, widened, number)
        return [(widened[k].point_start, widened[k].point_end) for k in range(number)]
    finally:
        free(widened)
        free(utf8.data)


def cut(text not None, list spans not None):
    """A text without some spans of it; see `cleaner.cut` for what becomes of the white space around them.

    Parameters
    ----------
    spans : list of (start, end, ...)
        In code points, ascending and disjoint.
    """
    text = exact_str(text)
    cdef StrView whole = view_str(text)
    cdef int64_t size = whole.points, number
    cdef Bytes utf8 = Bytes(NULL, 0, 0)
    cdef Pieces pieces = Pieces(NULL, 0, 0)
    cdef const uint8_t* p
    cdef Span* removed
    number = len(spans)
    if not number:
        return text
    removed = read_spans(spans[:], size)  # reading a span may run code that changes the caller's list
    try:
        with nogil:
            p = encode_utf8(&whole, True, &utf8, &size)
            if not whole.ascii:
                spans_to_bytes(p, removed, number)
            cut_pieces(p, size, removed, number, &pieces)
            if not whole.ascii:
                pieces_to_points(p, pieces.piece, pieces.size)
        return assemble(&whole, pieces.piece, pieces.size)
    finally:
        free(removed)
        free(utf8.data)
        free(pieces.piece)


# ======================================================================================================================
# Removing mark-up from pages
# ======================================================================================================================

cdef int64_t points_end(const uint8_t* p, int64_t i, int64_t n, int64_t number) noexcept nogil:
    """Where so many code points from i on end, or all n bytes do."""
    cdef int64_t size
    while number > 0 and i < n:
        size = min(number, n - i)
        number -= count_points(p, i, i + size)
        i += size
    while i < n and (p[i] & 0xC0) == 0x80:
        i += 1
    return i


cdef int64_t count_folded(const uint8_t* p, int64_t n) noexcept nogil:
    """Code points of n bytes, a blank for the white space between two words and none for that at the edges."""
    cdef int64_t i = space_end(p, 0, n), count = 0
    cdef uint32_t c
    cdef int width = 1
    while i < n:
        c = decode(p + i, n - i, &width)
        if not Py_UNICODE_ISSPACE(c):
            count += 1
            i += width
            continue
        i = space_end(p, i, n)
        count += i < n
    return count


cdef class Stripper:
    """Removes the mark-up from what a cut leaves of a page.

    Parameters
    ----------
    blocks : list of bytes
        Names of the elements that are blocks, on lines of their own; in lower case.
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
        """Write the text of [i, end), or, with `keep` False, one line break or blank for it, by whether a block begins or ends
        there.  Returns the bytes written."""
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
        """The text of a page without some spans; entities and white space stay as they are.

        Parameters
        ----------
        bounds : int64 array, shape (2 m,)
            Start and end of each span in code points, ascending.

        Returns
        -------
        bytes
            The text, with a line break where a block begins or ends, and a line break or a blank for each span.
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
                        b = points_end(p, b, n, bounds[i] - count)
                        count = max(count, bounds[i])
                    size += self._strip(p, before, b, n, i % 2 == 0, out + size)
                    before = b
            return (<char*>out)[:size]
        finally:
            free(out)

    def count(self, const uint8_t[::1] page not None, const int64_t[::1] bounds not None):
        """The size of the text of each of some spans of a page, in code points, its white space folded.

        Parameters
        ----------
        bounds : int64 array, shape (2 m,)
            Start and end of each span in code points.

        Returns
        -------
        list of int or bytes
            The text itself, as `strip` gives it, where an entity may be in it.
        """
        cdef int64_t k, m = bounds.shape[0] // 2
        cdef Bytes out
        cdef int64_t* found = <int64_t*>malloc((3 * m + 1) * sizeof(int64_t))
        memset(&out, 0, sizeof(Bytes))
        if found == NULL:
            raise MemoryError
        if bounds.shape[0] % 2:
            free(found)
            raise ValueError(f"expected a start and an end of each span, got {bounds.shape[0]} numbers")
        try:
            with nogil:
                self._count(&page[0] if page.shape[0] else NULL, page.shape[0], &bounds[0] if m else NULL, m, found, &out)
            return [found[3 * k] if found[3 * k] >= 0 else (<char*>out.data)[found[3 * k + 1]:found[3 * k + 2]] for k in range(m)]
        finally:
            free(found)
            free(out.data)

    cdef int _count(self, const uint8_t* p, int64_t n, const int64_t* bounds, int64_t m, int64_t* found, Bytes* out) except -1 nogil:
        """Put into `found` the size of the text of each span, and its start and end in `out`; -1 if an entity may be in it."""
        cdef int64_t k, start = 0, end = 0, point = 0, size
        for k in range(m):
            if bounds[2 * k] < point:
                end = point = 0
            start = points_end(p, end, n, bounds[2 * k] - point)
            end = points_end(p, start, n, bounds[2 * k + 1] - bounds[2 * k])
            point = max(bounds[2 * k], bounds[2 * k + 1])
            reserve(<void**>&out.data, &out.room, out.size + end - start + 1, 1)
            size = self._strip(p + start, 0, end - start, end - start, True, out.data + out.size)
            found[3 * k] = -1
            found[3 * k + 1] = out.size
            found[3 * k + 2] = out.size + size
            if size == 0 or memchr(out.data + out.size, 38, size) == NULL:
                found[3 * k] = count_folded(out.data + out.size, size)
            else:
                out.size += size
        return 0
