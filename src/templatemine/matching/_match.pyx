"""Finds all strings of a pack in texts at once, unites their intervals, and cuts the texts.

The input is the strings of a pack and texts; the output is spans and the texts without them.  Only functions that return
arrays import numpy: cleaning does not need it, and so starts sooner.
"""

from templatemine.errors import CapacityError

from cpython.ref cimport Py_INCREF
from cpython.tuple cimport PyTuple_New, PyTuple_SET_ITEM
from libc.stdint cimport int32_t, int64_t, uint16_t, uint32_t, uint64_t, uint8_t
from libc.stdlib cimport calloc, free, malloc, qsort, realloc
from libc.string cimport memchr, memcmp, memcpy, memset

from templatemine.matching._prefilter cimport (
    line_end, Region, Regions, sieve_add_sample, sieve_build, sieve_free, sieve_new, sieve_regions, sieve_saves_time,
)
from templatemine.text._reading cimport Form, form_free, form_room, original_end, original_start, read_tag, Rules, Tag
from templatemine.text._scan cimport (
    ABBREVIATION, ADDRESS, ANYTHING, BEGINS_LINE, Bytes, copy_to_array, count_points, DATES, decode, DURATIONS, encode_utf8,
    ENDS_LINE, FIRST_IN_LINE, HEAD, INITIALS, intern_word_list, is_address_sign, is_all_upper, is_alnum, is_alpha, is_any_digit,
    is_caseless, is_digit, is_joint, is_lower, is_other_digit, is_own_token, is_sign, is_small, is_two_bytes, is_upper,
    is_wide_break, is_wide_space, KEPT, KIND, LETTERS, MARKER, MAX_FIGURE_WORDS, MAX_GLUED_JOINTS, MAX_GLUED_SIZE, MAX_NAME_WORDS,
    MAX_SHORT_BYTES, MAX_SIZED_SLOT, MAX_SMALL_LETTERS, MAX_SMALL_RUN, MIN_BETWEEN, NAMES, normalise, NUMBERS, Occurrences,
    occurrences_free, occurrences_push, PyUnicode_DATA, REACHES_EDGE, reserve, scan, Scanner, SEPARATOR, skip_points, SLOT_SIZE, SPACE,
    SPANS, Spec, StrView, Table, table_add, table_find, table_free, table_init, TAG, tag_end, tag_form, tm_hash, tm_key, TO_BEGIN, TO_END,
    Tokens, tokens_free, tokens_push, UPPER, view_str, WORD, WordList, words_find,
)

__all__ = ["FillerKinds", "Matcher", "Stripper", "cut", "merge", "take_empty_tags", "widen"]


# --------------------------------------------------------------------------------------------------------------- the automaton
# The automaton of Aho and Corasick (1975) over numbers of tokens, which finds all strings of a pack at once.
#
# It is built in time and memory linear in the tokens of the strings.


cdef struct Automaton:
    int64_t states
    int64_t symbols
    int32_t* root           # next state of the root, by symbol
    int32_t* fail           # failure link of a state
    int32_t* output         # string that ends in a state, or -1
    int32_t* next_same      # of a string, the next one of the same tokens, or -1
    int32_t* output_link    # next state with output along the failure links, or 0
    int32_t* depth
    uint8_t* needs_edge     # 1 if a string that ends in a state, or along its output links, depends on the edges of its line
    int32_t* next_symbol    # symbol that leads from state s to state s + 1, or -1; most transitions are such
    uint64_t* keys          # all other transitions, open addressing: state * symbols + symbol + 1 -> next state
    int32_t* values
    uint64_t mask


cdef inline int32_t automaton_goto(const Automaton* a, int32_t state, int32_t symbol) noexcept nogil:
    """The next state without failure links, or 0; not for the root."""
    cdef uint64_t key, place
    if a.next_symbol[state] == symbol:
        return state + 1
    key = <uint64_t>state * <uint64_t>a.symbols + <uint64_t>symbol + 1
    place = (key * <uint64_t>0x9E3779B97F4A7C15) >> 32 & a.mask
    while a.keys[place]:
        if a.keys[place] == key:
            return a.values[place]
        place = (place + 1) & a.mask
    return 0


cdef inline int32_t automaton_step(const Automaton* a, int32_t state, int32_t symbol) noexcept nogil:
    """The next state, by failure links where there is no transition."""
    cdef int32_t found
    while state:
        found = automaton_goto(a, state, symbol)
        if found:
            return found
        state = a.fail[state]
    return a.root[symbol]


cdef void shrink(void** data, int64_t size) noexcept nogil:
    """Return memory beyond `size` bytes, which was reserved in advance."""
    cdef void* moved = realloc(data[0], size)
    if moved != NULL:
        data[0] = moved


cdef int automaton_build(Automaton* a, const int32_t* flat, const int64_t* bounds, const uint8_t* edges, int64_t strings,
                         int64_t symbols) except -1 nogil:
    cdef int64_t total = bounds[strings], i, k
    cdef uint64_t key, place
    cdef int32_t state, child, f
    cdef int32_t* parent = NULL
    cdef int32_t* symbol = NULL
    cdef int32_t* order = NULL
    cdef int64_t* count = NULL
    a.symbols = symbols
    a.mask = 15
    # Each string adds at most one transition to a new state whose number is not the next one: where it leaves the others.
    while a.mask < <uint64_t>strings * 2:
        a.mask = a.mask * 2 + 1
    try:
        a.root = <int32_t*>malloc(symbols * sizeof(int32_t) + 8)
        a.fail = <int32_t*>malloc((total + 1) * sizeof(int32_t))
        a.output = <int32_t*>malloc((total + 1) * sizeof(int32_t))
        a.next_same = <int32_t*>malloc((strings + 1) * sizeof(int32_t))
        a.output_link = <int32_t*>malloc((total + 1) * sizeof(int32_t))
        a.depth = <int32_t*>malloc((total + 1) * sizeof(int32_t))
        a.needs_edge = <uint8_t*>calloc(total + 1, 1)
        a.next_symbol = <int32_t*>malloc((total + 1) * sizeof(int32_t))
        a.keys = <uint64_t*>malloc((a.mask + 1) * sizeof(uint64_t))
        a.values = <int32_t*>malloc((a.mask + 1) * sizeof(int32_t))
        parent = <int32_t*>malloc((total + 1) * sizeof(int32_t))
        symbol = <int32_t*>malloc((total + 1) * sizeof(int32_t))
        order = <int32_t*>malloc((total + 1) * sizeof(int32_t))
        count = <int64_t*>malloc((total + 2) * sizeof(int64_t))
        if (a.root == NULL or a.fail == NULL or a.output == NULL or a.next_same == NULL or a.output_link == NULL or a.depth == NULL
                or a.needs_edge == NULL or a.next_symbol == NULL or a.keys == NULL or a.values == NULL or parent == NULL or symbol == NULL
                or order == NULL or count == NULL):
            raise MemoryError
        memset(a.root, 0, symbols * sizeof(int32_t))
        memset(a.keys, 0, (a.mask + 1) * sizeof(uint64_t))
        a.states = 1
        a.fail[0] = 0
        a.output[0] = -1
        a.output_link[0] = 0
        a.depth[0] = 0
        a.next_symbol[0] = -1
        for i in range(strings):
            if bounds[i] == bounds[i + 1]:
                continue
            state = 0
            for k in range(bounds[i], bounds[i + 1]):
                child = a.root[flat[k]] if state == 0 else automaton_goto(a, state, flat[k])
                if child == 0:
                    child = <int32_t>a.states
                    a.states += 1
                    a.output[child] = a.next_symbol[child] = -1
                    a.depth[child] = a.depth[state] + 1
                    parent[child] = state
                    symbol[child] = flat[k]
                    if state == 0:
                        a.root[flat[k]] = child
                    elif child == state + 1:
                        a.next_symbol[state] = flat[k]
                    else:
                        key = <uint64_t>state * <uint64_t>symbols + <uint64_t>flat[k] + 1
                        place = (key * <uint64_t>0x9E3779B97F4A7C15) >> 32 & a.mask
                        while a.keys[place]:
                            place = (place + 1) & a.mask
                        a.keys[place] = key
                        a.values[place] = child
                state = child
            a.next_same[i] = a.output[state]
            a.output[state] = <int32_t>i
            a.needs_edge[state] |= edges[i] != 0
        # Failure links in the order of depth (counting sort).
        memset(count, 0, (total + 2) * sizeof(int64_t))
        for i in range(1, a.states):
            count[a.depth[i] + 1] += 1
        for i in range(1, total + 2):
            count[i] += count[i - 1]
        for i in range(1, a.states):
            order[count[a.depth[i]]] = <int32_t>i
            count[a.depth[i]] += 1
        for i in range(a.states - 1):
            state = order[i]
            if parent[state] == 0:
                f = 0
            else:
                f = automaton_step(a, a.fail[parent[state]], symbol[state])
            a.fail[state] = f
            a.output_link[state] = f if a.output[f] >= 0 else a.output_link[f]
            a.needs_edge[state] |= a.needs_edge[a.output_link[state]]
        shrink(<void**>&a.fail, a.states * sizeof(int32_t))
        shrink(<void**>&a.output, a.states * sizeof(int32_t))
        shrink(<void**>&a.output_link, a.states * sizeof(int32_t))
        shrink(<void**>&a.depth, a.states * sizeof(int32_t))
        shrink(<void**>&a.next_symbol, a.states * sizeof(int32_t))
        shrink(<void**>&a.needs_edge, a.states)
    finally:
        free(parent)
        free(symbol)
        free(order)
        free(count)
    return 0


cdef void automaton_free(Automaton* a) noexcept nogil:
    if a == NULL:
        return
    free(a.root)
    free(a.fail)
    free(a.output)
    free(a.next_same)
    free(a.output_link)
    free(a.depth)
    free(a.needs_edge)
    free(a.next_symbol)
    free(a.keys)
    free(a.values)
    free(a)


# ------------------------------------------------------------------------------------------------------------------- intervals
# From the matches in a text to their union: the spans that are cut.
#
# All intervals are united here: those of the automaton, in bytes, and any others by `merge`.  Cost is linear in the matches,
# which must be ordered by end, and in the text between two that may be near each other.


cdef void outcome_free(Outcome* out) noexcept nogil:
    free(out.span)
    free(out.member)
    free(out.pieces.piece)


cdef void sort_by_end(Occurrences* found) noexcept nogil:
    """Sort matches by their last token (insertion sort: each is at most a slot away from its place)."""
    cdef int64_t i, k, position
    cdef int32_t length, count
    for i in range(1, found.size):
        position = found.position[i]
        length = found.length[i]
        count = found.count[i]
        k = i
        while k > 0 and found.length[k - 1] > length:
            found.position[k] = found.position[k - 1]
            found.length[k] = found.length[k - 1]
            found.count[k] = found.count[k - 1]
            k -= 1
        found.position[k] = position
        found.length[k] = length
        found.count[k] = count


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
    cdef int64_t k = 0, m, low = 0, high, left, right, place, mark, other = 0
    cdef int width = 1
    cdef uint32_t c, sign
    cdef bint began = True, begins, ends
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
        if (begins and ends) or (right == high and not ends):
            while right > spans[m].end and is_blank(decode_before(p, right, &other)):
                right = other
            spans[m].end = right
        elif begins:
            place = spans[m].end
            while True:
                while place < right and is_blank(decode_at(p, place, n, &width)):
                    place += width
                mark = place
                sign = 0
                while place < right:
                    c = decode_at(p, place, n, &width)
                    if not (is_joining_sign(c) or is_hanging_sign(c)):
                        break
                    sign = c
                    place += width
                if place == mark or place == n or not (is_wide_sign(sign) or is_blank(decode_at(p, place, n, &width))):
                    break
                spans[m].end = place
        elif ends:
            place = spans[k].start
            while True:
                while place > left and is_blank(decode_before(p, place, &other)):
                    place = other
                mark = place
                while place > left and is_joining_sign(decode_before(p, place, &other)):
                    place = other
                if place == mark or place == 0 or not is_blank(decode_before(p, place, &other)):
                    break
                spans[k].start = place
        low = spans[m].end
        began = begins
        k = m + 1
    return 0


cdef struct StringKinds:
    # Of each string of a matcher; `code` is NULL if none has a kind.
    const uint8_t* edges
    const uint8_t* code
    const int32_t* weight


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
    bint Py_UNICODE_ISSPACE(uint32_t c) noexcept nogil
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


cdef inline int64_t space_end(const uint8_t* p, int64_t i, int64_t end) noexcept nogil:
    """Where the white space that begins at i ends."""
    cdef int width = 1
    while i < end and Py_UNICODE_ISSPACE(decode(p + i, end - i, &width)):
        i += width
    return i


cdef inline int64_t char_start(const uint8_t* p, int64_t i) noexcept nogil:
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
        k = char_start(p, i)
        if not Py_UNICODE_ISSPACE(decode(p + k, i - k, &width)):
            break
        i = k
    return i


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
    commas and semicolons, too, and wide signs without a blank.

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
                        while b < n and (count < bounds[i] or (p[b] & 0xC0) == 0x80):
                            count += (p[b] & 0xC0) != 0x80
                            b += 1
                    size += self._strip(p, before, b, n, i % 2 == 0, out + size)
                    before = b
            return (<char*>out)[:size]
        finally:
            free(out)


# ------------------------------------------------------------------------------------------------------------ fillers of slots
# Whether a filler of a slot at an edge of a line is of a kind: the twin of `text.slots`, which has the kinds as expressions.
#
# A filler is read word by word, from the string towards the edge of the line, until a word is not of the kind or the line
# ends.  After a string, a filler of a kind has a bounded number of words; before a string, results are cached.  So a text in
# which strings with slots follow each other takes linear time.


cdef struct Fillers:
    uint8_t* kind           # kind of the filler of each string; NULL if all are ANYTHING
    Table days              # words of dates, and of durations; owned by WordLists
    Table times


cdef struct LineWalk:
    # Cached result for one kind: for each byte from `begin` to `place` of a line, whether the text from the beginning of the
    # line to it is of the kind.
    int64_t place
    int64_t begin
    bint is_kind


cdef struct WalkCache:
    # Of a text, the last walk of each kind.
    LineWalk[5] walk
    int64_t token           # the last token from which a line was walked back, and the first token of that line
    int64_t first


cdef enum:
    # Classes of characters: line break, separator of words, a token of its own, punctuation, digit, lower-case letter, the rest.
    CHAR_BREAK = 0
    CHAR_SEPARATOR = 1
    CHAR_OWN = 2
    CHAR_SIGN = 3
    CHAR_DIGIT = 4
    CHAR_SMALL = 5
    CHAR_OTHER = 6


cdef int classify_char(const Spec* spec, const uint8_t* p, int64_t n, int* width) noexcept nogil:
    """Class of the character at p, with n bytes left in the text; its width in bytes (OUT)."""
    cdef uint32_t c = p[0]
    if c < 0x80:
        width[0] = 1
        if spec.kind[c] == SPACE:
            return CHAR_BREAK if c == 10 else CHAR_SEPARATOR
        if spec.kind[c] == SEPARATOR:
            return CHAR_SEPARATOR
        if is_digit(<uint8_t>c):
            return CHAR_DIGIT
        if is_lower(<uint8_t>c):
            return CHAR_SMALL
        return CHAR_SIGN if 33 <= c <= 126 and not is_upper(<uint8_t>c) else CHAR_OTHER
    c = decode(p, n, width)
    if is_wide_space(c):
        return CHAR_BREAK if is_wide_break(c) else CHAR_SEPARATOR
    if is_own_token(c):
        return CHAR_OWN
    if is_any_digit(c) or is_other_digit(c):
        return CHAR_DIGIT
    if is_sign(c):
        return CHAR_SIGN
    if is_small(c):
        return CHAR_SMALL
    return CHAR_OTHER


cdef int classify_char_before(const Spec* spec, const uint8_t* p, int64_t i, int64_t* start) noexcept nogil:
    """Class of the character before i, and where it begins (OUT)."""
    cdef int64_t k = i - 1
    cdef int width = 0, kind
    while k > 0 and i - k < 4 and p[k] & 0xC0 == 0x80:
        k -= 1
    start[0] = k
    kind = classify_char(spec, p + k, i - k, &width)
    return kind if width == i - k else CHAR_OTHER


cdef bint is_figures_or_word(const Spec* spec, const Table* known, const uint8_t* p, int64_t n) noexcept nogil:
    """Whether a word of n bytes is figures and signs alone, or these with one of the known words between them."""
    cdef int64_t i = 0, before = 0
    cdef int width = 0, kind
    while i < n:
        kind = classify_char(spec, p + i, n - i, &width)
        if kind != CHAR_SIGN and kind != CHAR_DIGIT:
            break
        i += width
    if i == n:
        return True
    p += i
    n -= i
    while True:
        kind = classify_char_before(spec, p, n, &before)
        if kind != CHAR_SIGN and kind != CHAR_DIGIT:
            break
        n = before
    return known != NULL and table_find(known, p, n, tm_hash(p, n)) >= 0


cdef bint is_word_of_kind(const Fillers* f, const Spec* spec, const uint8_t* p, int64_t n, uint8_t kind, bint after_string,
                          bint* small) noexcept nogil:
    """Whether a word of n bytes is of a kind; for NAMES, `small` (OUT) is whether it begins with a lower-case letter."""
    cdef int64_t i = 0, letters = 0
    cdef int width = 0, char
    if kind == NUMBERS:
        return is_figures_or_word(spec, NULL, p, n)
    if kind == DATES:
        return is_figures_or_word(spec, &f.days, p, n)
    if kind == DURATIONS:
        return is_figures_or_word(spec, &f.times, p, n)
    char = classify_char(spec, p, n, &width)
    while char == CHAR_SMALL and i < n:
        letters += 1
        i += width
        if i < n:
            char = classify_char(spec, p + i, n - i, &width)
    small[0] = letters > 0
    if letters:
        return (after_string or letters <= MAX_SMALL_LETTERS) and i == n
    return char != CHAR_OWN and not is_caseless(decode(p, n, &width))


cdef inline bint is_address_char(const uint8_t* p, int64_t n) noexcept nogil:
    """Whether an address may hold the character at p, of n bytes: a visible one of ASCII, or one of two bytes."""
    cdef int width = 0
    return 33 <= p[0] <= 126 or is_two_bytes(decode(p, n, &width))


cdef bint has_address_sign(const uint8_t* p, int64_t n) noexcept nogil:
    """Whether a dot, slash, colon or at-sign is before a letter or digit, which shows that a word is an address."""
    cdef int64_t i
    for i in range(n - 1):
        if is_address_sign(p[i]) and (is_alnum(p[i + 1]) or p[i + 1] >= 0x80):
            return True
    return False


cdef inline int next_char(const Spec* spec, const uint8_t* p, int64_t n, int64_t i, bint after_string, int64_t* next) noexcept nogil:
    """Class of the character after i, or before it if the filler is before the string, and the position beyond it (OUT);
    CHAR_BREAK at the ends of the text."""
    cdef int width = 0, kind
    if not after_string:
        return classify_char_before(spec, p, i, next) if i > 0 else CHAR_BREAK
    if i >= n:
        return CHAR_BREAK
    kind = classify_char(spec, p + i, n - i, &width)
    next[0] = i + width
    return kind


cdef bint is_address(const Spec* spec, const uint8_t* p, int64_t n, int64_t i, bint after_string, bint glued) noexcept nogil:
    """Whether the text from i to the edge of its line is one address, or nothing; `glued` if it is glued to the string."""
    cdef int64_t first = i, edge = i, next = i, size = 0
    cdef int char
    while True:
        char = next_char(spec, p, n, i, after_string, &next)
        if char == CHAR_BREAK or not is_address_char(p + min(i, next), max(i, next) - min(i, next)):
            break
        i = next
        size += 1
        if char != CHAR_SEPARATOR:
            edge = i
            if glued and size >= MAX_GLUED_SIZE:
                return False
    while char == CHAR_SEPARATOR:
        i = next
        char = next_char(spec, p, n, i, after_string, &next)
    if char != CHAR_BREAK:
        return False
    return glued or edge == first or has_address_sign(p + min(first, edge), max(first, edge) - min(first, edge))


cdef int64_t glued_word_end(const Spec* spec, const uint8_t* p, int64_t n, int64_t i, bint after_string) noexcept nogil:
    """Where the word that is glued to the string ends; -1 if it has a character that is a token, or too many joints."""
    cdef int64_t next = i
    cdef int char = next_char(spec, p, n, i, after_string, &next), joints = 0
    cdef bint joint, before
    # After a joint at the end of the string a new word begins; before the string, the string itself follows.
    before = not after_string
    while char > CHAR_SEPARATOR:
        if char == CHAR_OWN:
            return -1
        joint = is_joint(p[min(i, next)])
        # Count the joints that a part of the word follows in the order of the text.
        joints += not joint and before if after_string else joint and not before
        if joints > MAX_GLUED_JOINTS:
            return -1
        before = joint
        i = next
        char = next_char(spec, p, n, i, after_string, &next)
    return i


cdef bint is_filler_of_kind(const Fillers* f, const Spec* spec, const uint8_t* p, int64_t n, int64_t i, bint after_string,
                            uint8_t kind, WalkCache* walks) noexcept nogil:
    """Whether the filler between a string and an edge of its line is of a kind.

    Parameters
    ----------
    i : int
        Byte where the string ends, or begins.
    after_string : bool
        Whether the filler is from the end of the string to the end of its line; else from the beginning of the line to it.
    walks : WalkCache* (INOUT)
        Results of earlier walks to the beginning of a line in this text.
    """
    cdef int64_t next = i, edge, nearest = -1, begin = -1
    cdef int char = next_char(spec, p, n, i, after_string, &next), words = 0, run = 0
    cdef bint is_kind = True, small = False
    cdef LineWalk* cached = NULL
    if char > CHAR_SEPARATOR:
        if kind == ADDRESS:
            return char != CHAR_OWN and is_address(spec, p, n, next, after_string, True)
        i = glued_word_end(spec, p, n, i, after_string)
        if i < 0:
            return False
        char = next_char(spec, p, n, i, after_string, &next)
    if not after_string and kind != ADDRESS:
        cached = &walks.walk[kind - NUMBERS]
    while char != CHAR_BREAK:
        if char == CHAR_SEPARATOR:
            i = next
            char = next_char(spec, p, n, i, after_string, &next)
            continue
        if kind == ADDRESS:
            return is_address(spec, p, n, i, after_string, False)
        if cached != NULL:
            nearest = i if nearest < 0 else nearest
            if cached.begin <= i <= cached.place:
                is_kind = cached.is_kind
                begin = cached.begin
                break
        edge = begin = i
        while char > CHAR_SEPARATOR:
            i = next
            char = next_char(spec, p, n, i, after_string, &next)
        is_kind = is_word_of_kind(f, spec, p + min(edge, i), max(edge, i) - min(edge, i), kind, after_string, &small)
        if after_string:
            run = run + 1 if small else 0
            words += not small
            is_kind = is_kind and run <= MAX_SMALL_RUN and words <= (MAX_NAME_WORDS if kind == NAMES else MAX_FIGURE_WORDS)
        if not is_kind:
            break
    else:
        begin = i
    if cached != NULL and nearest > cached.place:
        cached[0] = LineWalk(nearest, begin, is_kind)
    return is_kind


cdef void walks_clear(WalkCache* walks) noexcept nogil:
    """Forget all walks, before another text."""
    cdef int k
    for k in range(NAMES - NUMBERS + 1):
        walks.walk[k].place = -1
    walks.token = -1


cdef tuple fillers_init(Fillers* f, bytes kinds, list known):
    """Copy the kinds of strings, and refer to the words of dates and of durations; returns the WordLists that own these."""
    cdef WordList days, times
    if not any(kinds):
        return ()
    for kind in set(kinds):
        if kind >= MAX_SIZED_SLOT and not NUMBERS <= kind <= NAMES:
            raise ValueError(f"expected kinds less than {MAX_SIZED_SLOT}, or {NUMBERS} to {NAMES}, got {kind}")
    if len(known) != 2:
        raise ValueError(f"expected the words of dates and those of durations, got {len(known)} lists")
    f.kind = <uint8_t*>malloc(len(kinds))
    if f.kind == NULL:
        raise MemoryError
    memcpy(f.kind, <const uint8_t*>kinds, len(kinds))
    days, times = [intern_word_list(list(words), [1] * len(words)) for words in known]
    f.days = days.table
    f.times = times.table
    return days, times


cdef void fillers_free(Fillers* f) noexcept nogil:
    if f != NULL:
        free(f.kind)
        free(f)


cdef class FillerKinds(Scanner):
    """Tells whether fillers are of a kind, as `Matcher` does where it finds them.

    Parameters
    ----------
    separators, mask, words, numbers, html
        As of `Scanner`.
    known : two lists of bytes
        The words of dates, and of durations.
    """

    cdef Fillers fillers
    cdef tuple filler_words     # which own the words of `fillers`

    def __cinit__(self, bytes separators, bytes mask, list words, list numbers, bint html, list known not None):
        memset(&self.fillers, 0, sizeof(Fillers))
        self.filler_words = fillers_init(&self.fillers, bytes((NAMES,)), known)

    def __dealloc__(self):
        free(self.fillers.kind)

    def is_of_kind(self, bytes filler not None, int kind, bint after_string):
        """Whether a filler is of one of the kinds from `NUMBERS` on: UTF-8, what stands between a string and the edge of its
        line, behind the string or before it."""
        cdef const uint8_t* p = filler
        cdef int64_t n = len(filler)
        cdef WalkCache walks
        if not NUMBERS <= kind <= NAMES:
            raise ValueError(f"expected a kind from {NUMBERS} to {NAMES}, got {kind}")
        walks_clear(&walks)
        return is_filler_of_kind(&self.fillers, &self.spec, p, n, 0 if after_string else n, after_string, kind, &walks)


# ----------------------------------------------------------------------------------------------------------------- the matcher
# Finds the strings of a pack in texts: one pass over the tokens with the automaton, then the union, the guard and the cut.
#
# The input is texts and pages as UTF-8 bytes and the strings of a pack as numbers; the output is spans: start, end, which
# strings.  Matching is linear in the bytes of the text and in the matches; building is linear in the tokens of the pack.
# `Matcher.spans` and `clean` also take a str.  See `text._scan` for what holds of all native modules.


cdef extern from *:
    """
    /* A flag between threads that run without the GIL: a thread that reads it set also sees all that was written before it
       was set.  A plain flag would not do where the processor reorders stores, as ARM's do. */
    #define tm_store_release(flag, value) __atomic_store_n(flag, value, __ATOMIC_RELEASE)
    #define tm_load_acquire(flag) __atomic_load_n(flag, __ATOMIC_ACQUIRE)
    """
    void tm_store_release(bint* flag, bint value) noexcept nogil
    bint tm_load_acquire(bint* flag) noexcept nogil


cdef enum:
    NO_FORM = -1                    # id of a token whose form is not in the vocabulary
    SIEVE_SAMPLE_BYTES = 1 << 16    # bytes of text that are collected before the sieve, which takes milliseconds, is built
    SIEVE_TRIAL_BYTES = 1 << 17     # bytes of text after which it is decided whether the sieve saves time
    MAX_REST_BYTES = 2048           # bytes between an occurrence and the edge of its line: far more than a slot takes


cdef enum:
    CACHED_TOKENS = 2048            # tokens whose ids a Scratch caches
    MAX_SPARE_BYTES = 1 << 23       # bytes of the largest Scratch that is kept for later calls


cdef struct CachedToken:
    # The key of a short token (tm_key), and the id of its form in the vocabulary of a matcher.
    uint64_t a
    uint64_t b
    uint64_t owner          # number of the matcher << 5 | bytes of the token
    int64_t id


cdef struct Scratch:
    # Memory of one call, which later calls reuse; the ids of short tokens are cached from call to call.
    Tokens tokens
    Occurrences found       # matches: position is the first token, length the last token, count the string
    Occurrences heads       # the same of heads whose line is not yet over
    Regions regions
    Bytes utf8
    Form reading
    uint8_t* form
    int64_t room
    CachedToken token_cache[CACHED_TOKENS]
    WalkCache walks
    int32_t* state_runs     # of each state of the automaton, the number of the run in which its strings were last added
    int64_t state_run_room
    int32_t run             # number of the present run of overlapping matches; unique, also between matchers
    int64_t run_last        # last token of that run


cdef struct TextResult:
    StrView text
    int verdict
    int64_t spans
    int64_t pieces


cdef void scratch_free(Scratch* scratch) noexcept nogil:
    tokens_free(&scratch.tokens)
    occurrences_free(&scratch.found)
    occurrences_free(&scratch.heads)
    free(scratch.regions.region)
    free(scratch.utf8.data)
    form_free(&scratch.reading)
    free(scratch.form)
    free(scratch.state_runs)
    free(scratch)


# Scratches of ended calls, of all matchers; guarded by the GIL.
cdef Scratch** free_scratches = NULL
cdef int64_t free_count = 0
cdef int64_t free_room = 0


cdef Scratch* scratch_acquire() except NULL:
    """A scratch for one call, new or reused; `scratch_release` takes it back."""
    global free_count
    cdef Scratch* scratch
    if free_count:
        free_count -= 1
        return free_scratches[free_count]
    scratch = <Scratch*>calloc(1, sizeof(Scratch))
    if scratch == NULL:
        raise MemoryError
    return scratch


cdef void scratch_release(Scratch* scratch) noexcept:
    """Keep a scratch for later calls, or free it if it has become large, since kept ones are never freed."""
    global free_count, free_scratches, free_room
    cdef void* grown
    scratch.found.size = 0
    if (scratch.utf8.room + form_room(&scratch.reading) + scratch.room + scratch.tokens.room * 17 + scratch.found.room * 20
            + scratch.regions.room * sizeof(Region) + scratch.state_run_room * sizeof(int32_t)) > MAX_SPARE_BYTES:
        scratch_free(scratch)
        return
    if free_count == free_room:
        grown = realloc(free_scratches, (free_room + 8) * sizeof(Scratch*))
        if grown == NULL:
            scratch_free(scratch)
            return
        free_scratches = <Scratch**>grown
        free_room += 8
    free_scratches[free_count] = scratch
    free_count += 1


cdef int64_t write_form(Scanner scanner, const uint8_t* p, int64_t n, uint8_t kind, Scratch* scratch) except -1 nogil:
    """Write the form of a token into the scratch; returns its bytes."""
    reserve(<void**>&scratch.form, &scratch.room, 2 * n + 32, 1)
    if kind == WORD:
        return normalise(&scanner.spec, p, n, scratch.form)
    return tag_form(&scanner.spec, p, n, kind, scratch.form)


cdef bint reach_edge(const Fillers* fillers, const Spec* spec, const uint8_t* p, int64_t n, const Tokens* tokens, uint8_t edge,
                     uint8_t kind, WalkCache* walks, int64_t* first, int64_t* last) noexcept nogil:
    """Move the first or last token (INOUT) of a match to the edge of its line, as the bits of `edge` say.

    Returns False if the filler between is too long, or not of the kind of the slot.
    """
    cdef int64_t i = last[0], k = first[0], limit = kind if kind else SLOT_SIZE
    if kind >= NUMBERS:
        if edge & TO_END:
            if not is_filler_of_kind(fillers, spec, p, n, tokens.end[i], True, kind, walks):
                return False
            while i + 1 < tokens.size and not tokens.kind[i + 1] & FIRST_IN_LINE:
                i += 1
        if edge & TO_BEGIN:
            if not is_filler_of_kind(fillers, spec, p, n, tokens.start[k], False, kind, walks):
                return False
            while k > 0 and not tokens.kind[k] & FIRST_IN_LINE and not walks.first <= k <= walks.token:
                k -= 1
            if walks.first <= k <= walks.token:
                k = walks.first
            elif k > walks.token:
                walks.first = k
            walks.token = max(walks.token, first[0])
        last[0] = i
        first[0] = k
        return True
    if edge & TO_END:
        while i + 1 < tokens.size and not tokens.kind[i + 1] & FIRST_IN_LINE:
            i += 1
            # A code point has at most four bytes.
            if tokens.end[i] - tokens.end[last[0]] > 4 * limit:
                return False
        if count_points(p, tokens.end[last[0]], tokens.end[i]) > limit:
            return False
    if edge & TO_BEGIN:
        while k > 0 and not tokens.kind[k] & FIRST_IN_LINE:
            k -= 1
            if tokens.start[first[0]] - tokens.start[k] > 4 * limit:
                return False
        if count_points(p, tokens.start[k], tokens.start[first[0]]) > limit:
            return False
    last[0] = i
    first[0] = k
    return True


cdef int64_t span_from_head(int32_t head, const uint8_t* p, const Tokens* tokens, Occurrences* heads, int64_t k) noexcept nogil:
    """First token of the match of a string that begins at token k, with what comes before it: a head of its line, and a
    filler between of `MIN_BETWEEN` to `SLOT_SIZE` characters.  -1 if there is none.

    Of several heads it is the earliest.  All that may open this match open no other, as the filler of an expression ends
    where it first may; what is too far away for this match is so for any that comes.
    """
    cdef int64_t first = -1, i, j, kept = 0, size
    for i in range(heads.size):
        if heads.count[i] == head and heads.length[i] < k:
            size = tokens.start[k] - tokens.end[heads.length[i]]
            # A code point has at most four bytes.
            if size <= 4 * SLOT_SIZE:
                size = count_points(p, tokens.end[heads.length[i]], tokens.start[k])
            j = heads.position[i] + 1
            while size <= SLOT_SIZE and j < k and not tokens.kind[j] & FIRST_IN_LINE:
                j += 1
            if size > SLOT_SIZE or tokens.kind[j] & FIRST_IN_LINE:
                continue
            if size >= MIN_BETWEEN:
                first = heads.position[i] if first < 0 else min(first, heads.position[i])
                continue
        heads.position[kept] = heads.position[i]
        heads.length[kept] = heads.length[i]
        heads.count[kept] = heads.count[i]
        kept += 1
    heads.size = kept
    return first


cdef void drop_distant_heads(const Tokens* tokens, Occurrences* heads, int64_t k) noexcept nogil:
    """Forget the heads that no match from token k on can begin with, for a line may hold any number."""
    cdef int64_t i, kept = 0
    for i in range(heads.size):
        if tokens.start[k] - tokens.end[heads.length[i]] <= 4 * SLOT_SIZE:
            heads.position[kept] = heads.position[i]
            heads.length[kept] = heads.length[i]
            heads.count[kept] = heads.count[i]
            kept += 1
    heads.size = kept


cdef TextResult* new_results(int64_t number) except NULL:
    """Zeroed records of `number` texts, for `free`."""
    cdef TextResult* results = <TextResult*>calloc(max(number, 1), sizeof(TextResult))
    if results == NULL:
        raise MemoryError
    return results


cdef struct Rest:
    # The text between an occurrence and an edge of its line, as a part of `Rests.bytes`.
    int64_t text            # index of the text, and of the string
    int32_t string
    int64_t start
    int64_t end


cdef struct Rests:
    Rest* rest
    int64_t size
    int64_t room
    Bytes bytes


cdef uint64_t matcher_count = 0     # matchers made so far


cdef class Matcher(Scanner):
    """Finds all strings of a pack in texts at once, at token boundaries, overlapping ones included.

    Parameters
    ----------
    separators, mask, words, numbers, html
        As the documents were tokenised.
    vocabulary : list of bytes
        The forms in the strings, each once.
    flat, bounds : int32 and int64 arrays
        String i is ``flat[bounds[i]:bounds[i + 1]]``, places in `vocabulary`.
    edges : uint8 array, shape (strings,), optional
        Bits: 1 string i matches only where it begins a line, 2 where it ends one; 4 its match reaches to the end of the
        line, 8 to its beginning, and there must be a filler of its kind between; 16 its matches are kept whole.
    sieve : int, default 1
        Whether to tokenise only where strings may be (`_prefilter`): 0 never, 1 where that is faster, 2 always, for tests.
        The matches are the same.
    kinds : bytes, optional
        `slots.kind_code` of the filler between string i and the edge of the line that its match reaches to; 0 for anything
        of at most `slots.SLOT_SIZE` characters.
    known : list of list of bytes, optional
        Words of dates and of durations, if a kind needs them.
    codes : bytes, optional
        Code of the kind of boilerplate that string i is, 0 for none; spans then have one kind each.
    weights : int32 array, shape (strings,), optional
        Of the strings in a span the one of the greatest weight says its kind.
    heads : int32 array, shape (strings,), optional
        Of a string with the bit 64 in `edges`, the string that its match begins with; -1 of others.  Such strings, with the
        bit 32, come last, and count as none elsewhere.  Between
        are 2 to `slots.SLOT_SIZE` characters of the same line, to the first place where the string stands.
    """

    def __cinit__(self, bytes separators, bytes mask, list words, list numbers, bint html, list vocabulary,
                  const int32_t[::1] flat not None, const int64_t[::1] bounds not None, const uint8_t[::1] edges=None,
                  int sieve=1, bytes kinds=b"", list known=None, bytes codes=b"", const int32_t[::1] weights=None,
                  const int32_t[::1] heads=None):
        cdef bytes form
        cdef uint64_t h
        cdef int64_t i, strings = bounds.shape[0] - 1
        global matcher_count
        matcher_count += 1
        self.matcher_number = matcher_count
        self.automaton = <Automaton*>calloc(1, sizeof(Automaton))
        self.fillers = <Fillers*>calloc(1, sizeof(Fillers))
        self.sieve = sieve_new()
        if self.automaton == NULL or self.fillers == NULL:
            raise MemoryError
        table_init(&self.vocabulary)
        if strings < 0:
            raise ValueError("expected bounds, got none")
        for i, form in enumerate(vocabulary):
            if table_add(&self.vocabulary, <const uint8_t*>form, len(form)) != i:
                raise ValueError(f"the form {form!r} stands in the vocabulary twice")
        for i in range(strings):
            if bounds[i] >= bounds[i + 1]:
                raise ValueError(f"string {i} is empty")
        if bounds[0] != 0 or bounds[strings] != flat.shape[0]:
            raise ValueError(f"expected bounds from 0 to {flat.shape[0]}, got {bounds[0]} to {bounds[strings]}")
        if flat.shape[0] >= 0x7FFFFFF0:
            raise CapacityError("more than 2^31 tokens in the expressions of one pack")
        for i in range(flat.shape[0]):
            if not 0 <= flat[i] < self.vocabulary.count:
                raise ValueError(f"token {i}: expected a place in a vocabulary of {self.vocabulary.count}, got {flat[i]}")
        self._mark_own_forms()
        for i in range(256):
            self.byte_class[i] = (0 if is_alpha(<uint8_t>i)
                                  else 1 if 33 <= i <= 126 and memchr(b"!\"&'(),.:;<>?[]^`{|}", <int>i, 20) != NULL else 2)
        self.has_dot_patterns = self.spec.on[ABBREVIATION] or self.spec.on[INITIALS]
        memset(self.hash_filter, 0, sizeof(self.hash_filter))
        for i in range(self.vocabulary.count):
            h = tm_hash(self.vocabulary.arena + self.vocabulary.offset[i],
                        self.vocabulary.offset[i + 1] - self.vocabulary.offset[i])
            self.hash_filter[(h >> 6) & 255] |= <uint64_t>1 << (h & 63)
        for i in range(self.spec.words.count):
            h = tm_hash(self.spec.words.arena + self.spec.words.offset[i],
                        self.spec.words.offset[i + 1] - self.spec.words.offset[i])
            self.hash_filter[(h >> 6) & 255] |= <uint64_t>1 << (h & 63)
        if edges is not None and edges.shape[0] != strings:
            raise ValueError(f"expected edges of {strings} strings, got {edges.shape[0]}")
        self.strings = strings
        while self.strings and edges is not None and edges[self.strings - 1] & HEAD:
            self.strings -= 1
        self.strings_and_heads = strings
        self.edges = <uint8_t*>malloc(strings + 1)
        if self.edges == NULL:
            raise MemoryError
        for i in range(strings):
            self.edges[i] = edges[i] if edges is not None else 0
            self.keeps = self.keeps or self.edges[i] & KEPT
        if codes:
            if len(codes) != strings or weights is None or weights.shape[0] != strings:
                raise ValueError(f"expected codes and weights of {strings} strings, got {len(codes)} codes")
            self.kinds = <uint8_t*>malloc(strings)
            self.weights = <int32_t*>malloc(strings * sizeof(int32_t))
            if self.kinds == NULL or self.weights == NULL:
                raise MemoryError
            memcpy(self.kinds, <const uint8_t*>codes, strings)
            memcpy(self.weights, &weights[0], strings * sizeof(int32_t))
        if heads is not None:
            if heads.shape[0] != strings:
                raise ValueError(f"expected heads of {strings} strings, got {heads.shape[0]}")
            self.heads = <int32_t*>malloc((strings + 1) * sizeof(int32_t))
            if self.heads == NULL:
                raise MemoryError
        for i in range(strings):
            if self.edges[i] & SPANS and not (heads is not None and self.strings <= heads[i] < strings):
                raise ValueError(f"string {i}: expected the string that its match begins with")
            if heads is not None:
                self.heads[i] = heads[i]
        if kinds and len(kinds) != strings:
            raise ValueError(f"expected kinds of {strings} strings, got {len(kinds)}")
        self.filler_words = fillers_init(self.fillers, kinds, known or [[], []])
        automaton_build(self.automaton, &flat[0] if flat.shape[0] else NULL, &bounds[0], self.edges, strings,
                        max(len(vocabulary), 1))
        self._fill_first_filter()
        self.uses_sieve = False
        self.is_sieve_forced = sieve == 2
        self.bytes_seen = self.bytes_passed = 0
        # Not for HTML, as the bytes of a tag are not those of its form.
        self.sieve_strings = (bytes(flat), bytes(bounds)) if sieve and not html else None
        self.is_sampling = self.sieve_strings is not None
        if self.is_sieve_forced:
            self._build_sieve()

    cdef int _build_sieve(self) except -1:
        """Build the sieve from `sieve_strings`, once; other threads search without it meanwhile."""
        cdef Table* forms = &self.vocabulary
        cdef bytes flat, bounds
        cdef int64_t i
        cdef bint useful
        if not self.is_sampling:
            return 0
        flat, bounds = self.sieve_strings
        vocabulary = [(<char*>forms.arena)[forms.offset[i]:forms.offset[i + 1]] for i in range(forms.count)]
        self.sieve_strings = None
        self.is_sampling = False
        useful = sieve_build(self.sieve, &self.spec, vocabulary, <const int32_t*><const char*>flat,
                             <const int64_t*><const char*>bounds, self.strings_and_heads, self.edges)
        tm_store_release(&self.uses_sieve, useful or self.is_sieve_forced)
        return 0

    cdef int _sample_text(self, const uint8_t* p, int64_t n) except -1:
        """Collect a text that is about to be searched; after SIEVE_SAMPLE_BYTES, build the sieve, which learns from the texts
        what is rare."""
        if self.is_sampling:
            n = min(n, SIEVE_SAMPLE_BYTES - self.bytes_seen)
            sieve_add_sample(self.sieve, p, n)
            self.bytes_seen += n
            if self.bytes_seen >= SIEVE_SAMPLE_BYTES:
                self.bytes_seen = 0
                self._build_sieve()
        return 0

    def __dealloc__(self):
        fillers_free(self.fillers)
        sieve_free(self.sieve)
        free(self.edges)
        free(self.kinds)
        free(self.weights)
        free(self.heads)
        free(self.own_form)
        table_free(&self.vocabulary)
        automaton_free(self.automaton)

    cdef int _mark_own_forms(self) except -1:
        cdef const uint8_t* p
        cdef bytearray room
        cdef int64_t i, n
        self.own_form = <uint8_t*>calloc(self.vocabulary.count + 1, 1)
        if self.own_form == NULL:
            raise MemoryError
        for i in range(self.vocabulary.count):
            p = self.vocabulary.arena + self.vocabulary.offset[i]
            n = self.vocabulary.offset[i + 1] - self.vocabulary.offset[i]
            if n == 0:
                raise ValueError("expected forms, got an empty string")
            if memchr(p, MARKER, n) == NULL:
                room = bytearray(2 * n + 32)
                self.own_form[i] = normalise(&self.spec, p, n, room) == n and memcmp(p, <const uint8_t*>room, n) == 0
        return 0

    cdef void _fill_first_filter(self) noexcept:
        """Fill `first_filter` with the short tokens that may begin a string: literal forms that begin one, and the words of the
        closed lists.  Most tokens of a text begin none, and are skipped by it."""
        cdef int64_t i
        memset(self.first_filter, 0, sizeof(self.first_filter))
        for i in range(self.vocabulary.count):
            if self.own_form[i] and self.automaton.root[i]:
                self._add_to_first_filter(self.vocabulary.arena + self.vocabulary.offset[i],
                                          self.vocabulary.offset[i + 1] - self.vocabulary.offset[i])
        for i in range(self.spec.words.count):
            self._add_to_first_filter(self.spec.words.arena + self.spec.words.offset[i],
                                      self.spec.words.offset[i + 1] - self.spec.words.offset[i])

    cdef void _add_to_first_filter(self, const uint8_t* p, int64_t n) noexcept:
        cdef uint64_t h, a = 0, b = 0
        if 0 < n <= MAX_SHORT_BYTES:
            h = tm_key(p, n, p + n, &a, &b)
            self.first_filter[(h >> 38) & 1023] |= <uint64_t>1 << (h >> 32 & 63)

    cdef inline bint _is_own_form(self, const uint8_t* p, int64_t n) noexcept nogil:
        """Whether a word token is surely its own form: ASCII letters and signs that begin no pattern, and no listed word.

        False if it may or may not be; `normalise` then decides.
        """
        cdef int64_t i = 0, start
        cdef uint8_t seen = 0
        cdef uint64_t h
        for i in range(n):
            seen |= self.byte_class[p[i]]
        if seen > 1 or (seen == 1 and self.has_dot_patterns):
            return False
        i = 0
        while i < n:
            while i < n and self.byte_class[p[i]]:
                i += 1
            start = i
            while i < n and not self.byte_class[p[i]]:
                i += 1
            if i > start:
                h = tm_hash(p + start, i - start)
                if self.hash_filter[(h >> 6) & 255] >> (h & 63) & 1 and table_find(&self.spec.words, p + start, i - start, h) >= 0:
                    return False
                if self.spec.on[UPPER] and is_all_upper(p, start, i):
                    return False
                if i < n and p[i] == 46 and (i - start == 1 or (i - start == 3 and p[start] == 119)):
                    return False
        return True

    cdef inline int64_t _find_literal_form(self, const uint8_t* p, int64_t n) noexcept nogil:
        """Place in the vocabulary of the form with the bytes of a word token, if that is the form of the token; else NO_FORM."""
        cdef uint64_t h = tm_hash(p, n)
        cdef int64_t id
        if not self.hash_filter[(h >> 6) & 255] >> (h & 63) & 1:
            return NO_FORM
        id = table_find(&self.vocabulary, p, n, h)
        return id if id >= 0 and self.own_form[id] else NO_FORM

    cdef int64_t _find_form(self, const uint8_t* p, int64_t n, uint8_t kind, Scratch* scratch) except -2 nogil:
        """Place of a token's form in the vocabulary, or NO_FORM."""
        cdef int64_t id
        if kind == WORD:
            id = self._find_literal_form(p, n)
            if id >= 0 or self._is_own_form(p, n):
                return id
        n = write_form(self, p, n, kind, scratch)
        return table_find(&self.vocabulary, scratch.form, n, tm_hash(scratch.form, n))

    cdef int _find_matches(self, const uint8_t* p, int64_t n, Scratch* scratch, int64_t* forms, bint union_only) except -1 nogil:
        """Find all matches: first token, last token, string, in scratch.found.

        Parameters
        ----------
        forms : int64_t*, optional
            Counts of the forms of the vocabulary (INOUT); scratch.tokens then has all tokens of the text, without it those of
            the regions that the sieve gives.
        union_only : bool
            Leave out matches that change neither the union nor the strings of any of its spans.
        """
        cdef bint ordered = True
        cdef int64_t states
        cdef Regions* regions = &scratch.regions
        scratch.tokens.size = 0
        scratch.run_last = -1
        if union_only and scratch.state_run_room < self.automaton.states:
            states = scratch.state_run_room
            reserve(<void**>&scratch.state_runs, &scratch.state_run_room, self.automaton.states, sizeof(int32_t))
            memset(scratch.state_runs + states, 0, (scratch.state_run_room - states) * sizeof(int32_t))
        if self.fillers.kind != NULL:
            walks_clear(&scratch.walks)
        if forms != NULL or not tm_load_acquire(&self.uses_sieve):
            self._search_region(p, 0, n, n, scratch, forms, union_only, False, &ordered)
        else:
            sieve_regions(self.sieve, p, n, regions)
            self._search_regions(p, n, scratch, union_only, &ordered)
            self.bytes_seen += n
            if (self.bytes_seen > SIEVE_TRIAL_BYTES and not self.is_sieve_forced
                    and not sieve_saves_time(self.sieve, self.bytes_seen, self.bytes_passed)):
                # The sieve costs more than it saves here.  Which texts come first changes the time only, not the matches.
                self.uses_sieve = False
        if not ordered:
            sort_by_end(&scratch.found)
        return 0

    cdef int _add_state_matches(self, int32_t state, int64_t last, Scratch* scratch) except -1 nogil:
        """Add the matches of the strings that end in a state, for a union.

        In a run of overlapping matches each string is added once, and for each token at most one more match.  So time and
        memory are linear in the text, even where strings are nested a thousand deep.
        """
        cdef const Automaton* a = self.automaton
        cdef int64_t first = last - a.depth[state] + 1
        cdef int32_t string
        if first > scratch.run_last:
            if scratch.run == 0x7FFFFFFF:
                memset(scratch.state_runs, 0, scratch.state_run_room * sizeof(int32_t))
                scratch.run = 0
            scratch.run += 1
        scratch.run_last = last
        if scratch.state_runs[state] == scratch.run:
            occurrences_push(&scratch.found, first, last, a.output[state], 0)
            return 0
        while state and scratch.state_runs[state] != scratch.run:
            scratch.state_runs[state] = scratch.run
            string = a.output[state]
            while string >= 0:
                occurrences_push(&scratch.found, last - a.depth[state] + 1, last, string, 0)
                string = a.next_same[string]
            state = a.output_link[state]
        return 0

    cdef int _search_regions(self, const uint8_t* p, int64_t n, Scratch* scratch, bint union_only, bint* ordered) except -1 nogil:
        """Search the regions that the sieve gave.

        Where a string is found whose match reaches to an edge of its line, the whole line is searched again; that is rare.
        `scratch.regions` then holds the regions that were searched, merged with such lines.
        """
        cdef Regions* regions = &scratch.regions
        cdef Region* last
        cdef Region region
        cdef int64_t i = 0, done = 0
        cdef bint is_whole
        while i < regions.size:
            region = regions.region[i]
            region.tokens, region.found = scratch.tokens.size, scratch.found.size
            i += 1
            self.bytes_passed += region.end - region.start
            is_whole = (region.start == 0 or p[region.start - 1] == 10) and (region.end >= n or p[region.end] == 10)
            if self._search_region(p, region.start, region.end, n, scratch, NULL, union_only, not is_whole, ordered):
                while not is_whole:
                    while region.start > 0 and p[region.start - 1] != 10:
                        region.start -= 1
                    region.end = line_end(p, region.end, n)
                    is_whole = True
                    while done and regions.region[done - 1].end >= region.start:
                        done -= 1
                        last = regions.region + done
                        is_whole = is_whole and last.start >= region.start
                        region.start, region.tokens, region.found = min(region.start, last.start), last.tokens, last.found
                    while i < regions.size and regions.region[i].start <= region.end:
                        is_whole = is_whole and regions.region[i].end <= region.end
                        region.end = max(region.end, regions.region[i].end)
                        i += 1
                scratch.tokens.size, scratch.found.size = region.tokens, region.found
                scratch.run_last = region.tokens - 1
                walks_clear(&scratch.walks)
                self.bytes_passed += region.end - region.start
                self._search_region(p, region.start, region.end, n, scratch, NULL, union_only, False, ordered)
            regions.region[done] = region
            done += 1
        regions.size = done
        return 0

    cdef int _search_region(self, const uint8_t* p, int64_t start, int64_t end, int64_t n, Scratch* scratch, int64_t* forms,
                            bint union_only, bint part, bint* ordered) except -1 nogil:
        """Tokenise a region of a text of n bytes and add its matches.

        Returns 1 as soon as the region is a `part` of a line and has a match that reaches to an edge of the line, else 0.
        `ordered` (INOUT) becomes False if the matches are not ordered by end.
        """
        cdef int64_t i, k, size, id
        cdef uint8_t edge, kind
        cdef int32_t s, state = 0
        cdef const uint8_t* q
        cdef uint64_t h, a = 0, b = 0
        cdef uint64_t owner = self.matcher_number << 5, offset = self.matcher_number * <uint64_t>0x9E3779B97F4A7C15 >> 32
        cdef CachedToken* cached
        cdef Tokens* tokens = &scratch.tokens
        cdef bint are_letters_literal = not self.spec.on[UPPER], skips_words = forms == NULL
        cdef int32_t string
        cdef int64_t last, stop, first = tokens.size
        scratch.heads.size = 0
        scan(&self.spec, p, start, end, tokens)
        stop = tokens.size
        if end < n and p[end] != 10:
            # The line goes on after the region: an empty token keeps its last token from being taken for the end of the line.
            tokens_push(tokens, end, end, WORD)
        for i in range(first, stop):
            q = p + tokens.start[i]
            size = tokens.end[i] - tokens.start[i]
            kind = tokens.kind[i]
            if kind & KIND == WORD and size <= MAX_SHORT_BYTES:
                h = tm_key(q, size, p + n, &a, &b)
                if kind & LETTERS and are_letters_literal:
                    # Most words begin no string, so the processor predicts this branch.
                    if state == 0 and skips_words and not self.first_filter[(h >> 38) & 1023] >> (h >> 32 & 63) & 1:
                        continue
                    id = self._find_literal_form(q, size)
                    if id == NO_FORM and words_find(&self.word_list.short, h, a, b, size) != NULL:
                        id = self._find_form(q, size, WORD, scratch)
                else:
                    # Each matcher has another offset, so that the most frequent tokens of several do not evict each other.
                    cached = &scratch.token_cache[((h >> 32) + offset) & (CACHED_TOKENS - 1)]
                    if cached.a == a and cached.b == b and cached.owner == owner | <uint64_t>size:
                        id = cached.id
                    else:
                        id = self._find_form(q, size, WORD, scratch)
                        cached.a = a
                        cached.b = b
                        cached.owner = owner | <uint64_t>size
                        cached.id = id
            else:
                id = self._find_form(q, size, kind & KIND, scratch)
            if id < 0:
                state = 0
                continue
            if forms != NULL:
                forms[id] += 1
            state = automaton_step(self.automaton, state, <int32_t>id)
            s = state if self.automaton.output[state] >= 0 else self.automaton.output_link[state]
            while s:
                if union_only and not self.automaton.needs_edge[s]:
                    self._add_state_matches(s, i, scratch)
                    break
                string = self.automaton.output[s]
                while string >= 0:
                    k = i - self.automaton.depth[s] + 1
                    last = i
                    edge = self.edges[string]
                    if edge & HEAD:
                        if not edge & BEGINS_LINE or tokens.kind[k] & FIRST_IN_LINE:
                            occurrences_push(&scratch.heads, k, i, string, 0)
                            if scratch.heads.size & 1023 == 0:
                                drop_distant_heads(tokens, &scratch.heads, i)
                        string = self.automaton.next_same[string]
                        continue
                    if part and edge & (REACHES_EDGE | SPANS):
                        return 1
                    if edge & SPANS and (
                            not edge & ENDS_LINE or i + 1 == tokens.size or tokens.kind[i + 1] & FIRST_IN_LINE):
                        k = span_from_head(self.heads[string], p, tokens, &scratch.heads, k)
                    if edge & REACHES_EDGE and not reach_edge(
                            self.fillers, &self.spec, p, n, tokens, edge,
                            self.fillers.kind[string] if self.fillers.kind != NULL else ANYTHING, &scratch.walks, &k, &last):
                        k = -1
                    if k >= 0 and (not edge & BEGINS_LINE or tokens.kind[k] & FIRST_IN_LINE) and (
                            not edge & ENDS_LINE or last + 1 == tokens.size or tokens.kind[last + 1] & FIRST_IN_LINE):
                        occurrences_push(&scratch.found, k, last, string, 0)
                        ordered[0] = ordered[0] and last == i
                    string = self.automaton.next_same[string]
                s = self.automaton.output_link[s]
        return 0

    def find(self, const uint8_t[::1] document not None, bint union_only=False):
        """Every occurrence of every string; with `union_only`, without some that overlap others, such that the union of all is the
        same, and the strings that lie in each of its intervals.

        Returns
        -------
        starts, ends : int64 arrays
            In bytes, ordered by end.
        strings : int32 array
            Which string.
        """
        import numpy as np

        cdef const uint8_t* p = &document[0] if document.shape[0] else NULL
        cdef int64_t i
        cdef int64_t[::1] starts, ends
        _check_size(document.shape[0])
        cdef Scratch* scratch = scratch_acquire()
        cdef Occurrences* found = &scratch.found
        try:
            self._sample_text(p, document.shape[0])
            with nogil:
                self._find_matches(p, document.shape[0], scratch, NULL, union_only)
            starts = np.empty(max(found.size, 1), np.int64)
            ends = np.empty(max(found.size, 1), np.int64)
            for i in range(found.size):
                starts[i] = scratch.tokens.start[found.position[i]]
                ends[i] = scratch.tokens.end[found.length[i]]
            strings = copy_to_array(found.count, found.size * sizeof(int32_t), np.int32)
        finally:
            scratch_release(scratch)
        return np.asarray(starts)[: len(strings)], np.asarray(ends)[: len(strings)], strings

    def find_rests(self, list texts not None, const uint8_t[::1] sides not None):
        """The text between each occurrence and an edge of its line; at most the 2,048 bytes nearest to the occurrence, since a
        line full of occurrences would otherwise take quadratic memory.

        All texts are searched before a Python object is made of what was found, so that other threads run meanwhile.

        Parameters
        ----------
        texts : list of (str or bytes)
            bytes are UTF-8, and may hold the markers of user-defined patterns.
        sides : bytes, shape (strings,)
            For each string, `TO_END` or `TO_BEGIN`.

        Returns
        -------
        list of (text, string, bytes)
            Index of the text, index of the string, and the rest; in the order of the texts, then of the ends of occurrences.
        """
        cdef int64_t i, number, n = 0
        cdef const uint8_t* p
        cdef TextResult* results
        cdef Rests out
        cdef Scratch* scratch = NULL
        if sides.shape[0] != self.strings:
            raise ValueError(f"expected sides of {self.strings} strings, got {sides.shape[0]}")
        texts = texts[:]  # the caller's list may change while no lock is held
        number = len(texts)
        results = new_results(number)
        memset(&out, 0, sizeof(Rests))
        try:
            for i in range(number):
                text = texts[i]
                if text is None:
                    raise TypeError(f"text {i}: expected a str or bytes, got None")
                if isinstance(text, str):
                    text = texts[i] = exact_str(text)
                results[i].text = StrView(<const char*>text, len(text), 1, True) if isinstance(text, bytes) else view_str(text)
                _check_size(results[i].text.points)
            scratch = scratch_acquire()
            sample_texts(self, results, number, True, scratch)
            with nogil:
                for i in range(number):
                    p = encode_utf8(&results[i].text, True, &scratch.utf8, &n)
                    if n > MAX_TEXT_BYTES:
                        with gil:
                            _check_size(n)
                    self._find_matches(p, n, scratch, NULL, False)
                    add_rests(p, n, i, scratch, &sides[0] if self.strings else NULL, &out)
            return [(out.rest[i].text, out.rest[i].string, (<const char*>out.bytes.data)[out.rest[i].start : out.rest[i].end])
                    for i in range(out.size)]
        finally:
            if scratch != NULL:
                scratch_release(scratch)
            free(results)
            free(out.rest)
            free(out.bytes.data)

    def regions(self, const uint8_t[::1] document not None):
        """The regions of a document that the sieve gives: all occurrences lie in them, but for fillers to the edge of a line.

        Returns
        -------
        list of (start, end)
            In bytes, ascending and disjoint.
        """
        cdef const uint8_t* p = &document[0] if document.shape[0] else NULL
        cdef int64_t i
        cdef Scratch* scratch = scratch_acquire()
        try:
            self._build_sieve()
            if not self.uses_sieve:
                return [(0, document.shape[0])]
            sieve_regions(self.sieve, p, document.shape[0], &scratch.regions)
            return [(scratch.regions.region[i].start, scratch.regions.region[i].end) for i in range(scratch.regions.size)]
        finally:
            scratch_release(scratch)

    def is_whole_match(self, const uint8_t[::1] document not None, int64_t string):
        """Whether a document from its first byte to its last is an occurrence of a string."""
        cdef const uint8_t* p = &document[0] if document.shape[0] else NULL
        cdef int64_t i
        _check_size(document.shape[0])
        cdef Scratch* scratch = scratch_acquire()
        cdef Occurrences* found = &scratch.found
        try:
            with nogil:
                self._find_matches(p, document.shape[0], scratch, NULL, False)
            for i in range(found.size):
                if (found.count[i] == string and scratch.tokens.start[found.position[i]] == 0
                        and scratch.tokens.end[found.length[i]] == document.shape[0]):
                    return True
            return False
        finally:
            scratch_release(scratch)

    def count(self, const uint8_t[::1] document not None, int32_t number, int64_t[:, ::1] table not None,
              int64_t[::1] last not None, int64_t[::1] forms=None):
        """Add the occurrences in one more document to running counts.

        Parameters
        ----------
        document : bytes
        number : int
            Number of the document; each has its own.
        table : int64 array, shape (strings, 2), INOUT
            Occurrences and documents.
        last : int64 array, shape (strings,), INOUT
            Number of the last document with each string; -1 at the start.
        forms : int64 array, shape (vocabulary + 1,), optional, INOUT
            Occurrences of each form of the vocabulary; in the last place, of all tokens.  Without it only the regions of the
            sieve are tokenised.
        """
        cdef const uint8_t* p = &document[0] if document.shape[0] else NULL
        cdef int64_t i, s
        _check_size(document.shape[0])
        if (table.shape[0] != self.strings or table.shape[1] != 2 or last.shape[0] != self.strings
                or (forms is not None and forms.shape[0] != self.vocabulary.count + 1)):
            raise ValueError(f"expected tables of {self.strings} x 2, {self.strings} and {self.vocabulary.count + 1}, got "
                             f"{table.shape[0]} x {table.shape[1]}, {last.shape[0]} and "
                             f"{self.vocabulary.count + 1 if forms is None else forms.shape[0]}")
        cdef int64_t* form_counts = NULL if forms is None else &forms[0]
        cdef Scratch* scratch = scratch_acquire()
        cdef Occurrences* found = &scratch.found
        try:
            if form_counts == NULL:
                self._sample_text(p, document.shape[0])
            with nogil:
                self._find_matches(p, document.shape[0], scratch, form_counts, False)
                if form_counts != NULL:
                    form_counts[self.vocabulary.count] += scratch.tokens.size
                for i in range(found.size):
                    s = found.count[i]
                    table[s, 0] += 1
                    if last[s] != number:
                        last[s] = number
                        table[s, 1] += 1
        finally:
            scratch_release(scratch)

    cdef int _clean(self, const uint8_t* p, int64_t n, int64_t points, Rules rules, int64_t gap, double guard, bint keep,
                    bint by_kind, Scratch* scratch, Outcome* out) except -1 nogil:
        """Search a text, and add its spans and pieces to `out`.

        Parameters
        ----------
        points : int
            Code points of the text.
        rules : Rules or None
            How the text is read; spans are found, united and weighed in its reading form, and cut out of the text itself.
        guard : float
            A text of which a greater share is removed is a stub; below 0, only spans are added, no pieces.
        keep : bool
            Leave stubs whole.
        by_kind : bool
            Part the spans by the kinds of their strings.

        Returns
        -------
        CUT, STUB_CUT, STUB_KEPT or UNREADABLE
        """
        cdef int64_t first = out.size, members = out.members, size = n, read_points = points
        cdef const uint8_t* read = p
        cdef StringKinds kinds = StringKinds(self.edges, NULL, self.weights)
        cdef bint stub
        if by_kind:
            kinds.code = self.kinds
        if rules is not None:
            if not rules._read(p, n, &scratch.reading):
                return UNREADABLE
            if scratch.reading.steps:
                read, size = scratch.reading.text, scratch.reading.size
                read_points = count_points(read, 0, size)
        self._find_matches(read, size, scratch, NULL, True)
        unite_matches(read, size, size == read_points, self.spec.html, &scratch.tokens, &scratch.found, &kinds, self.keeps, gap,
                      out)
        scratch.found.size = 0
        if out.size == first:
            return CUT
        stub = guard >= 0 and is_stub(out.span + first, out.size - first, read_points, guard)
        if stub and keep:
            out.size = first
            out.members = members
            return STUB_KEPT
        if read != p:
            move_spans(&scratch.reading, out.span + first, out.size - first)
            if rules.markup:
                take_tags(p, n, out.span + first, out.size - first)
            set_points(p, n == points, out.span + first, out.size - first)
        if guard >= 0:
            cut_pieces(p, n, out.span + first, out.size - first, &out.pieces)
        return STUB_CUT if stub else CUT

    def parts(self, list texts not None, int64_t gap, Rules rules=None):
        """As `spans`, with each span parted by the kinds of its strings.

        Returns
        -------
        list of (list of (start, end, strings, kind), or None)
            Parts of one span touch; `kind` is a code.
        """
        return self._find_spans(texts, gap, rules, True)

    def spans(self, list texts not None, int64_t gap, Rules rules=None):
        """The union of all occurrences in the reading form of each text; two with fewer than `gap` characters between them
        become one span.

        All texts are searched before a Python object is made of what was found, so that other threads run meanwhile.

        Returns
        -------
        list of (list of (start, end, strings), or None)
            Of each text; in code points of it, ascending and disjoint, with the strings of each span in order.  None for a
            text that holds lone surrogates, or what may not be in NFC.
        """
        return self._find_spans(texts, gap, rules, False)

    cdef list _find_spans(self, list texts, int64_t gap, Rules rules, bint by_kind):
        cdef int64_t i, j, k, number, span = 0, member = 0
        cdef TextResult* results
        cdef Outcome found
        cdef list out = [], row
        texts = texts[:]  # the caller's list may change while no lock is held
        number = len(texts)
        results = new_results(number)
        memset(&found, 0, sizeof(Outcome))
        try:
            clean_texts(self, texts, rules, gap, -1, False, by_kind, results, &found)
            for i in range(number):
                if results[i].verdict == UNREADABLE:
                    out.append(None)
                    continue
                row = []
                for k in range(span, span + results[i].spans):
                    strings = [found.member[j] for j in range(member, found.span[k].member_end)]
                    kind = (found.span[k].kind,) if by_kind else ()
                    row.append((found.span[k].point_start, found.span[k].point_end, strings, *kind))
                    member = found.span[k].member_end
                span += results[i].spans
                out.append(row)
        finally:
            free(results)
            outcome_free(&found)
        return out

    def clean(self, list texts not None, int64_t gap, double guard, bint keep, list names not None, type span,
              type cleaned, Rules rules=None, tuple kinds=("",)):
        """Each text without the spans that `spans` gives, cut as `cleaner.cut` does.

        Parameters
        ----------
        guard : float
            A text of whose characters a greater share is removed is a stub.
        keep : bool
            Leave stubs whole.
        names : list of tuple
            For each string, a tuple of its name.
        span, cleaned : type
            `model.Span`, a tuple of start and end in code points, the names of the strings of a span in the order of
            the strings and its kind; and `model.Cleaned`, a tuple of text, tuple of spans and whether it is a stub.
        rules : Rules, optional
            How the texts are read; without, as they stand.
        kinds : tuple
            Name of each code of a kind.

        Returns
        -------
        list of (cleaned or None)
            None as in `spans`.
        """
        cdef int64_t i, j, k, m, number, span_index = 0, member = 0, piece = 0
        cdef TextResult* results
        cdef Outcome found
        cdef list out = []
        cdef tuple row, strings
        texts = texts[:]  # the caller's list may change while no lock is held
        number = len(texts)
        if len(names) < self.strings:
            raise ValueError(f"expected names of {self.strings} strings, got {len(names)}")
        results = new_results(number)
        memset(&found, 0, sizeof(Outcome))
        try:
            clean_texts(self, texts, rules, gap, max(guard, 0), keep, True, results, &found)
            for i in range(number):
                if results[i].verdict == UNREADABLE:
                    out.append(None)
                    continue
                if not results[i].spans:
                    out.append(new_tuple(cleaned, (texts[i], (), results[i].verdict == STUB_KEPT)))
                    continue
                row = PyTuple_New(results[i].spans)
                for j in range(results[i].spans):
                    k = span_index + j
                    if found.span[k].member_end == member + 1:
                        strings = <tuple?>names[found.member[member]]
                    else:
                        strings = tuple([(<tuple?>names[found.member[m]])[0] for m in range(member, found.span[k].member_end)])
                    member = found.span[k].member_end
                    made = new_tuple(span, (found.span[k].point_start, found.span[k].point_end, strings, kinds[found.span[k].kind]))
                    Py_INCREF(made)
                    PyTuple_SET_ITEM(row, j, made)
                text = assemble(&results[i].text, found.pieces.piece + piece, results[i].pieces)
                span_index += results[i].spans
                piece += results[i].pieces
                out.append(new_tuple(cleaned, (text, row, results[i].verdict == STUB_CUT)))
        finally:
            free(results)
            outcome_free(&found)
        return out


cdef int sample_texts(Matcher matcher, const TextResult* results, int64_t number, bint surrogates, Scratch* scratch) except -1:
    """Call `_sample_text` with texts until the sieve is built."""
    cdef int64_t i = 0, n = 0
    cdef const uint8_t* p
    while matcher.is_sampling and i < number:
        p = encode_utf8(&results[i].text, surrogates, &scratch.utf8, &n)
        if n > 0:
            matcher._sample_text(p, n)
        i += 1
    return 0


cdef int clean_texts(Matcher matcher, list texts, Rules rules, int64_t gap, double guard, bint keep, bint by_kind,
                     TextResult* results, Outcome* out) except -1:
    """Call `_clean` for each text, without the GIL once all are viewed; fills `results` and `out`."""
    cdef int64_t i, number = len(texts), spans, pieces
    cdef str text
    cdef const uint8_t* p
    cdef int64_t n = 0
    cdef Scratch* scratch
    for i in range(number):
        text = texts[i] = exact_str(texts[i])
        if text is None:
            raise TypeError(f"text {i}: expected a str, got None")
        results[i].text = view_str(text)
        _check_size(results[i].text.points)
    scratch = scratch_acquire()
    try:
        sample_texts(matcher, results, number, False, scratch)
        with nogil:
            for i in range(number):
                p = encode_utf8(&results[i].text, False, &scratch.utf8, &n)
                if n < 0:
                    results[i].verdict = UNREADABLE
                    continue
                if n > MAX_TEXT_BYTES:
                    with gil:
                        _check_size(n)
                spans = out.size
                pieces = out.pieces.size
                results[i].verdict = matcher._clean(p, n, results[i].text.points, rules, gap, guard, keep, by_kind, scratch,
                                                    out)
                results[i].spans = out.size - spans
                results[i].pieces = out.pieces.size - pieces
                if not results[i].text.ascii:
                    pieces_to_points(p, out.pieces.piece + pieces, results[i].pieces)
    finally:
        scratch_release(scratch)
    return 0


new_tuple = tuple.__new__


cdef int add_rests(const uint8_t* p, int64_t n, int64_t text, Scratch* scratch, const uint8_t* sides, Rests* out) except -1 nogil:
    """Add the rests between the matches in scratch.found and an edge of their lines, and remove the matches."""
    cdef Occurrences* found = &scratch.found
    cdef int64_t i, start, end
    for i in range(found.size):
        start = scratch.tokens.start[found.position[i]]
        end = scratch.tokens.end[found.length[i]]
        if sides[found.count[i]] & TO_END:
            start = end
            while end < n and end - start < MAX_REST_BYTES and not line_break_width(p, end, n):
                end += 1
            # Do not split a character, or a marker from its number.
            while start < end < n and (p[end] & 0xC0 == 0x80 or p[end - 1] == MARKER):
                end -= 1
        else:
            end = start
            while start > 0 and end - start < MAX_REST_BYTES and not (
                    line_break_width(p, start - 1, n) or start > 2 and line_break_width(p, start - 3, n) == 3):
                start -= 1
            while 0 < start < end and (p[start] & 0xC0 == 0x80 or p[start - 1] == MARKER):
                start += 1
        reserve(<void**>&out.rest, &out.room, out.size + 1, sizeof(Rest))
        reserve(<void**>&out.bytes.data, &out.bytes.room, out.bytes.size + end - start + 1, 1)
        memcpy(out.bytes.data + out.bytes.size, p + start, end - start)
        out.rest[out.size] = Rest(text, found.count[i], out.bytes.size, out.bytes.size + end - start)
        out.size += 1
        out.bytes.size += end - start
    found.size = 0
    return 0


cdef inline int line_break_width(const uint8_t* p, int64_t i, int64_t n) noexcept nogil:
    """Bytes of the line break at i, or 0."""
    cdef int width = 1
    return width if p[i] == 10 or is_wide_break(decode(p + i, n - i, &width)) else 0


cdef int _check_size(int64_t size) except -1:
    if size > MAX_TEXT_BYTES:
        raise CapacityError(f"a document of {size} bytes; the limit is 2 GiB")
    return 0
