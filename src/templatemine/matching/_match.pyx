"""All strings of a pack found in a text at once, their intervals united, and the text cut.

In come the strings of a pack and texts, out go spans and what is left of the texts.  numpy is imported by what gives arrays:
cleaning does without, and so starts sooner.
"""

from templatemine.errors import CapacityError

from cpython.ref cimport Py_INCREF
from cpython.tuple cimport PyTuple_New, PyTuple_SET_ITEM
from libc.stdint cimport int32_t, int64_t, uint16_t, uint32_t, uint64_t, uint8_t
from libc.stdlib cimport calloc, free, malloc, qsort, realloc
from libc.string cimport memchr, memcmp, memcpy, memset

from templatemine.matching._prefilter cimport (
    line_end, Region, Regions, sieve_build, sieve_free, sieve_learn, sieve_new, sieve_pays, sieve_regions,
)
from templatemine.text._scan cimport (
    ABBREVIATION, ADDRESS, ANYTHING, BEGINS_LINE, Bytes, copy_to_array, count_points, DATES, decode, DURATIONS, encode_utf8,
    ENDS_LINE, FIRST_IN_LINE, INITIALS, intern_word_list, is_address_sign, is_all_upper, is_alnum, is_alpha, is_any_digit,
    is_caseless, is_digit, is_joint, is_lower, is_other_digit, is_own_token, is_sign, is_small, is_two_bytes, is_upper,
    is_wide_break, is_wide_space, KIND, LETTERS, MARKER, MAX_FIGURE_WORDS, MAX_GLUED_JOINTS, MAX_GLUED_SIZE, MAX_NAME_WORDS,
    MAX_SHORT_BYTES, MAX_SMALL_LETTERS, MAX_SMALL_RUN, NAMES, normalise, NUMBERS, Occurrences, occurrences_free,
    occurrences_push, PyUnicode_DATA, REACHES_EDGE, reserve, scan, Scanner, SEPARATOR, skip_points, SLOT_SIZE, SPACE, Spec,
    StrView, Table, table_add, table_find, table_free, table_init, TAG, tag_end, tag_form, tm_hash, tm_key, TO_BEGIN, TO_END,
    Tokens, tokens_free, tokens_push, UPPER, view_str, WORD, WordList, words_find,
)

__all__ = ["Matcher", "Stripper", "cut", "merge"]


# --------------------------------------------------------------------------------------------------------------- the automaton
# All strings of a pack at once, after Aho and Corasick (1975), over numbers of tokens.
#
# It is built in time and memory linear in the tokens of the strings.


cdef struct Automaton:
    int64_t states
    int64_t symbols
    int32_t* root           # next state of the root by symbol
    int32_t* fail
    int32_t* output         # string that ends in a state, or -1
    int32_t* also           # next string of the same tokens, or -1
    int32_t* link           # next state with output along the failure links, or 0
    int32_t* depth
    uint8_t* bound          # whether a string that ends here, or further along the links, depends on where it stands
    int32_t* onward         # symbol that leads from a state to that of the next number, as most do, or -1
    uint64_t* keys          # of all others, open addressing: state * symbols + symbol + 1 -> next state
    int32_t* values
    uint64_t mask


cdef inline int32_t automaton_goto(const Automaton* a, int32_t state, int32_t symbol) noexcept nogil:
    cdef uint64_t key, place
    if a.onward[state] == symbol:
        return state + 1
    key = <uint64_t>state * <uint64_t>a.symbols + <uint64_t>symbol + 1
    place = (key * <uint64_t>0x9E3779B97F4A7C15) >> 32 & a.mask
    while a.keys[place]:
        if a.keys[place] == key:
            return a.values[place]
        place = (place + 1) & a.mask
    return 0


cdef inline int32_t automaton_step(const Automaton* a, int32_t state, int32_t symbol) noexcept nogil:
    cdef int32_t found
    while state:
        found = automaton_goto(a, state, symbol)
        if found:
            return found
        state = a.fail[state]
    return a.root[symbol]


cdef void shrink(void** data, int64_t size) noexcept nogil:
    """Give back what was asked for in advance."""
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
    # Of a string, one step at most leads on to a state that another string has not made, and not to the next number.
    while a.mask < <uint64_t>strings * 2:
        a.mask = a.mask * 2 + 1
    try:
        a.root = <int32_t*>malloc(symbols * sizeof(int32_t) + 8)
        a.fail = <int32_t*>malloc((total + 1) * sizeof(int32_t))
        a.output = <int32_t*>malloc((total + 1) * sizeof(int32_t))
        a.also = <int32_t*>malloc((strings + 1) * sizeof(int32_t))
        a.link = <int32_t*>malloc((total + 1) * sizeof(int32_t))
        a.depth = <int32_t*>malloc((total + 1) * sizeof(int32_t))
        a.bound = <uint8_t*>calloc(total + 1, 1)
        a.onward = <int32_t*>malloc((total + 1) * sizeof(int32_t))
        a.keys = <uint64_t*>malloc((a.mask + 1) * sizeof(uint64_t))
        a.values = <int32_t*>malloc((a.mask + 1) * sizeof(int32_t))
        parent = <int32_t*>malloc((total + 1) * sizeof(int32_t))
        symbol = <int32_t*>malloc((total + 1) * sizeof(int32_t))
        order = <int32_t*>malloc((total + 1) * sizeof(int32_t))
        count = <int64_t*>malloc((total + 2) * sizeof(int64_t))
        if (a.root == NULL or a.fail == NULL or a.output == NULL or a.also == NULL or a.link == NULL or a.depth == NULL
                or a.bound == NULL or a.onward == NULL or a.keys == NULL or a.values == NULL or parent == NULL or symbol == NULL
                or order == NULL or count == NULL):
            raise MemoryError
        memset(a.root, 0, symbols * sizeof(int32_t))
        memset(a.keys, 0, (a.mask + 1) * sizeof(uint64_t))
        a.states = 1
        a.fail[0] = 0
        a.output[0] = -1
        a.link[0] = 0
        a.depth[0] = 0
        a.onward[0] = -1
        for i in range(strings):
            if bounds[i] == bounds[i + 1]:
                continue
            state = 0
            for k in range(bounds[i], bounds[i + 1]):
                child = a.root[flat[k]] if state == 0 else automaton_goto(a, state, flat[k])
                if child == 0:
                    child = <int32_t>a.states
                    a.states += 1
                    a.output[child] = a.onward[child] = -1
                    a.depth[child] = a.depth[state] + 1
                    parent[child] = state
                    symbol[child] = flat[k]
                    if state == 0:
                        a.root[flat[k]] = child
                    elif child == state + 1:
                        a.onward[state] = flat[k]
                    else:
                        key = <uint64_t>state * <uint64_t>symbols + <uint64_t>flat[k] + 1
                        place = (key * <uint64_t>0x9E3779B97F4A7C15) >> 32 & a.mask
                        while a.keys[place]:
                            place = (place + 1) & a.mask
                        a.keys[place] = key
                        a.values[place] = child
                state = child
            a.also[i] = a.output[state]
            a.output[state] = <int32_t>i
            a.bound[state] |= edges[i] != 0
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
            a.link[state] = f if a.output[f] >= 0 else a.link[f]
            a.bound[state] |= a.bound[a.link[state]]
        shrink(<void**>&a.fail, a.states * sizeof(int32_t))
        shrink(<void**>&a.output, a.states * sizeof(int32_t))
        shrink(<void**>&a.link, a.states * sizeof(int32_t))
        shrink(<void**>&a.depth, a.states * sizeof(int32_t))
        shrink(<void**>&a.onward, a.states * sizeof(int32_t))
        shrink(<void**>&a.bound, a.states)
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
    free(a.also)
    free(a.link)
    free(a.depth)
    free(a.bound)
    free(a.onward)
    free(a.keys)
    free(a.values)
    free(a)


# ------------------------------------------------------------------------------------------------------------------- intervals
# Matches in a text -> their union: the spans that are cut.
#
# This is the one place where intervals are united: those of the automaton, in bytes, and any others by `merge`.  Cost is
# linear in the matches, which come ordered by end, and in the text between two that may be near each other.


cdef void outcome_free(Outcome* out) noexcept nogil:
    free(out.span)
    free(out.member)
    free(out.pieces.piece)


cdef void order_by_end(Occurrences* found) noexcept nogil:
    """Matches in the order of their last token; each stands at most a slot away from its place."""
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


cdef inline bint near(const uint8_t* p, int64_t end, int64_t start, int64_t gap, bint ascii) noexcept nogil:
    """True if fewer than `gap` code points lie between two spans."""
    if start - end < gap:
        return True
    # A code point has at most four bytes.
    return not ascii and start - end < 4 * gap and count_points(p, end, start) < gap


cdef int add_interval(const uint8_t* p, bint ascii, int64_t start, int64_t end, int64_t gap, int64_t first,
                      Outcome* out) except -1 nogil:
    """Add an interval, which ends behind all before it, to the union that begins at the span `first`."""
    # No earlier one ends after this one, so only the last spans can be touched.
    while out.size > first and (start <= out.span[out.size - 1].end or near(p, out.span[out.size - 1].end, start, gap, ascii)):
        out.size -= 1
        start = min(start, out.span[out.size].start)
    reserve(<void**>&out.span, &out.room, out.size + 1, sizeof(Stretch))
    out.span[out.size] = Stretch(start, end, start, end, 0)
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


cdef int ascending(const void* a, const void* b) noexcept nogil:
    return (<const int32_t*>a)[0] - (<const int32_t*>b)[0]


cdef int64_t distinct(int32_t* number, int64_t n) noexcept nogil:
    """Put numbers in order, each once; returns how many there are."""
    cdef int64_t i, size = 0
    if n > 1:
        qsort(number, n, sizeof(int32_t), ascending)
    for i in range(n):
        if size == 0 or number[i] != number[size - 1]:
            number[size] = number[i]
            size += 1
    return size


# Signs that a cut leaves alone go with it, as `cleaning.lone_signs` says, which is the reference.

cdef inline bint ends_line(uint32_t c) noexcept nogil:
    return c == 10 or c == 0x2028 or c == 0x2029


cdef inline bint is_white(uint32_t c) noexcept nogil:
    return Py_UNICODE_ISSPACE(c) and not ends_line(c)


cdef inline bint joins_parts(uint32_t c) noexcept nogil:
    """Dashes, bars, colons and bullets."""
    if c < 128:
        return c == 45 or c == 124 or c == 58
    return (c == 0xB7 or 0x2010 <= c <= 0x2015 or c == 0x2022 or c == 0x2192 or c == 0x2212 or c == 0x25A0 or c == 0x25AA
            or c == 0x25B6 or c == 0x25BA)


cdef inline bint says_nothing(uint32_t c) noexcept nogil:
    """Blanks, and punctuation that says nothing where it stands alone."""
    if c < 128:
        return is_white(c) or 33 <= c <= 47 or 58 <= c <= 64 or 91 <= c <= 96 or 123 <= c <= 126
    return (joins_parts(c) or is_white(c) or c == 0xAB or c == 0xBB or c == 0x2018 or c == 0x2019 or c == 0x201A or 0x201C <= c <= 0x201E
            or c == 0x2026 or c == 0x2039 or c == 0x203A or c == 0x3001 or c == 0x3002 or 0x3008 <= c <= 0x3011
            or c == 0xFF01 or c == 0xFF08 or c == 0xFF09 or c == 0xFF0C or c == 0xFF0E or c == 0xFF1A or c == 0xFF1B
            or c == 0xFF1F)


cdef inline uint32_t point_at(const uint8_t* p, int64_t i, int64_t n, int* width) noexcept nogil:
    return decode(p + i, n - i, width)


cdef inline uint32_t point_to(const uint8_t* p, int64_t i, int64_t* start) noexcept nogil:
    """The character that ends at i."""
    cdef int width = 1
    start[0] = before(p, i)
    return decode(p + start[0], i - start[0], &width)


cdef void widen(const uint8_t* p, int64_t n, Stretch* spans, int64_t size) noexcept nogil:
    """Let the spans of a text of n bytes take the signs that they leave alone."""
    cdef int64_t k, low = 0, high, left, right, place, mark, other = 0
    cdef int width = 1
    cdef bint began = True, begins, ends
    for k in range(size):
        high = spans[k + 1].start if k + 1 < size else n
        left = spans[k].start
        right = spans[k].end
        while left > low and says_nothing(point_to(p, left, &other)):
            left = other
        while right < high and says_nothing(point_at(p, right, n, &width)):
            right += width
        begins = left == 0 or ends_line(point_to(p, left, &other)) or (left == low and began)
        ends = right == n or ends_line(point_at(p, right, n, &width))
        if begins and ends:
            while left < spans[k].start and is_white(point_at(p, left, n, &width)):
                left += width
            spans[k].start = left
        if (begins and ends) or (right == high and not ends):
            while right > spans[k].end and is_white(point_to(p, right, &other)):
                right = other
            spans[k].end = right
        elif begins:
            place = spans[k].end
            while True:
                while place < right and is_white(point_at(p, place, n, &width)):
                    place += width
                mark = place
                while place < right and joins_parts(point_at(p, place, n, &width)):
                    place += width
                if place == mark or place == n or not is_white(point_at(p, place, n, &width)):
                    break
                spans[k].end = place
        elif ends:
            place = spans[k].start
            while True:
                while place > left and is_white(point_to(p, place, &other)):
                    place = other
                mark = place
                while place > left and joins_parts(point_to(p, place, &other)):
                    place = other
                if place == mark or place == 0 or not is_white(point_to(p, place, &other)):
                    break
                spans[k].start = place
        low = spans[k].end
        began = begins
        spans[k].first = spans[k].start
        spans[k].last = spans[k].end


cdef int unite(const uint8_t* p, int64_t n, bint ascii, bint html, const Tokens* tokens, const Occurrences* matches, int64_t gap,
               Outcome* out) except -1 nogil:
    """Add the union of the matches of a text of n bytes, which are ordered by end, to `out`; but for pages with the signs
    that it leaves alone."""
    cdef int64_t i, start, end, first = out.size, k, byte = 0, point = 0
    for i in range(matches.size):
        add_interval(p, ascii, tokens.start[matches.position[i]], tokens.end[matches.length[i]], gap, first, out)
    reserve(<void**>&out.member, &out.member_room, out.members + matches.size, sizeof(int32_t))
    i = 0
    for k in range(first, out.size):
        start = end = out.members
        while i < matches.size and tokens.end[matches.length[i]] <= out.span[k].end:
            out.member[end] = matches.count[i]
            end += 1
            i += 1
        out.members += distinct(out.member + start, end - start)
        out.span[k].members = out.members
    if not html:
        widen(p, n, out.span + first, out.size - first)
    if not ascii:
        for k in range(first, out.size):
            point += count_points(p, byte, out.span[k].start)
            out.span[k].first = point
            point += count_points(p, out.span[k].start, out.span[k].end)
            out.span[k].last = point
            byte = out.span[k].end
    return 0


# --------------------------------------------------------------------------------------------------------------------- cutting
# What is left: a text without some stretches of it, put together so that no words are glued and no paragraphs run
# together, and the text of a page without its mark-up.
#
# In come texts as UTF-8 and the stretches to leave out, out go the pieces that stay, as places in the text.  Cost is linear
# in the stretches and in the white space around them; `assemble` is linear in what stays.  All but what makes
# Python's strings runs without the GIL.


cdef extern from "Python.h":
    bint Py_UNICODE_ISSPACE(uint32_t c) noexcept nogil
    str PyUnicode_New(Py_ssize_t size, uint32_t greatest)
    str PyUnicode_FromKindAndData(int kind, const void* units, Py_ssize_t size)


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


cdef int cut_within(const uint8_t* p, int64_t n, int64_t points, const Stretch* removed, int64_t number, double guard,
                    bint keep, Pieces* out) except -1 nogil:
    """Add the pieces of a text of so many code points without some stretches: CUT, or STUB if these are more of it than the
    share `guard`; or add nothing to `keep` a stub: WHOLE.  `cleaner` has the same for texts that are not read here."""
    cdef int64_t total = 0, k
    for k in range(number):
        total += removed[k].last - removed[k].first
    if total > guard * points:
        if keep:
            return WHOLE
        cut_pieces(p, n, removed, number, out)
        return STUB
    cut_pieces(p, n, removed, number, out)
    return CUT


cdef int cut_pieces(const uint8_t* p, int64_t n, const Stretch* removed, int64_t number, Pieces* out) except -1 nogil:
    """Add the pieces of a text without some stretches, which are ascending and disjoint; see `cleaner.cut`."""
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


cdef str assemble(const StrView* text, const Piece* piece, int64_t number):
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
    """A text without some spans of it; see `cleaner.cut` for what becomes of the white space around them.

    Parameters
    ----------
    spans : list of (start, end, ...)
        In code points, ascending and disjoint.
    """
    cdef StrView whole = view_str(text)
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
                raise ValueError(
                    f"expected ascending spans of a text of {size} characters, got {span[0]} to {span[1]} after {last}")
            last = removed[place].last
            place += 1
        with nogil:
            p = encode_utf8(&whole, True, &utf8, &size)
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


# ------------------------------------------------------------------------------------------------------------ fillers of slots
# What may fill a slot at an edge of a line: the twin of `text.slots`, which has the kinds as expressions.
#
# A filler is read word by word, away from the string beside the slot, until a word is not of the kind or the line ends.
# Behind a string a kind holds a bounded number of words, and before it what was read once is remembered, so that a text in
# which strings with slots follow each other takes linear time.


cdef struct Fillers:
    uint8_t* kind           # of each string; NULL if all may be anything
    Table days              # words of dates; a WordList has them
    Table times             # and of durations


cdef struct Walk:
    # What reaches from a byte between these two of a line back to its beginning is of the kind, or is not.
    int64_t place
    int64_t begin
    bint fit


cdef struct Walked:
    # Of a text, the last walk of each kind.
    Walk[5] walk
    int64_t token           # the last token from which a line was walked back, and the first one of that line
    int64_t first


cdef enum:
    # Characters: what ends a line, what parts words, what is a word by itself, punctuation, figures, the rest.
    BREAK = 0
    PARTING = 1
    OWN = 2
    SIGN = 3
    FIGURE = 4
    SMALL = 5
    OTHER = 6


cdef int char_at(const Spec* spec, const uint8_t* p, int64_t n, int* width) noexcept nogil:
    """What the character at p is, of a text that goes on for n bytes; its bytes."""
    cdef uint32_t c = p[0]
    if c < 0x80:
        width[0] = 1
        if spec.kind[c] == SPACE:
            return BREAK if c == 10 else PARTING
        if spec.kind[c] == SEPARATOR:
            return PARTING
        if is_digit(<uint8_t>c):
            return FIGURE
        if is_lower(<uint8_t>c):
            return SMALL
        return SIGN if 33 <= c <= 126 and not is_upper(<uint8_t>c) else OTHER
    c = decode(p, n, width)
    if is_wide_space(c):
        return BREAK if is_wide_break(c) else PARTING
    if is_own_token(c):
        return OWN
    if is_any_digit(c) or is_other_digit(c):
        return FIGURE
    if is_sign(c):
        return SIGN
    if is_small(c):
        return SMALL
    return OTHER


cdef int char_before(const Spec* spec, const uint8_t* p, int64_t i, int64_t* start) noexcept nogil:
    """What the character before i is, and where it begins."""
    cdef int64_t k = i - 1
    cdef int width = 0, kind
    while k > 0 and i - k < 4 and p[k] & 0xC0 == 0x80:
        k -= 1
    start[0] = k
    kind = char_at(spec, p + k, i - k, &width)
    return kind if width == i - k else OTHER


cdef bint of_words(const Spec* spec, const Table* known, const uint8_t* p, int64_t n) noexcept nogil:
    """Whether a word consists of figures and signs, but for one of the known words within them."""
    cdef int64_t i = 0, before = 0
    cdef int width = 0, kind
    while i < n:
        kind = char_at(spec, p + i, n - i, &width)
        if kind != SIGN and kind != FIGURE:
            break
        i += width
    if i == n:
        return True
    p += i
    n -= i
    while True:
        kind = char_before(spec, p, n, &before)
        if kind != SIGN and kind != FIGURE:
            break
        n = before
    return known != NULL and table_find(known, p, n, tm_hash(p, n)) >= 0


cdef bint takes(const Fillers* f, const Spec* spec, const uint8_t* p, int64_t n, uint8_t kind, bint behind,
                bint* small) noexcept nogil:
    """Whether a word is of the kind; and whether it begins with a small letter, of names."""
    cdef int64_t i = 0, letters = 0
    cdef int width = 0, char
    if kind == NUMBERS:
        return of_words(spec, NULL, p, n)
    if kind == DATES:
        return of_words(spec, &f.days, p, n)
    if kind == DURATIONS:
        return of_words(spec, &f.times, p, n)
    char = char_at(spec, p, n, &width)
    while char == SMALL and i < n:
        letters += 1
        i += width
        if i < n:
            char = char_at(spec, p + i, n - i, &width)
    small[0] = letters > 0
    if letters:
        return (behind or letters <= MAX_SMALL_LETTERS) and i == n
    return char != OWN and not is_caseless(decode(p, n, &width))


cdef inline bint in_address(const uint8_t* p, int64_t n) noexcept nogil:
    """Whether an address may hold the character at p, of n bytes: visible ones of ASCII, and some beyond."""
    cdef int width = 0
    return 33 <= p[0] <= 126 or is_two_bytes(decode(p, n, &width))


cdef bint tells_address(const uint8_t* p, int64_t n) noexcept nogil:
    """Whether a dot, a slash, a colon or an "at" stands before a letter or a figure."""
    cdef int64_t i
    for i in range(n - 1):
        if is_address_sign(p[i]) and (is_alnum(p[i + 1]) or p[i + 1] >= 0x80):
            return True
    return False


cdef inline int step(const Spec* spec, const uint8_t* p, int64_t n, int64_t i, bint behind, int64_t* next) noexcept nogil:
    """What the character behind or before i is, and where one stands then; beyond the text lines end."""
    cdef int width = 0, kind
    if not behind:
        return char_before(spec, p, i, next) if i > 0 else BREAK
    if i >= n:
        return BREAK
    kind = char_at(spec, p + i, n - i, &width)
    next[0] = i + width
    return kind


cdef bint address(const Spec* spec, const uint8_t* p, int64_t n, int64_t i, bint behind, bint glued) noexcept nogil:
    """Whether what begins, or ends, at i is one address, or nothing, up to the edge of its line."""
    cdef int64_t first = i, edge = i, next = i, size = 0
    cdef int char
    while True:
        char = step(spec, p, n, i, behind, &next)
        if char == BREAK or not in_address(p + min(i, next), max(i, next) - min(i, next)):
            break
        i = next
        size += 1
        if char != PARTING:
            edge = i
            if glued and size >= MAX_GLUED_SIZE:
                return False
    while char == PARTING:
        i = next
        char = step(spec, p, n, i, behind, &next)
    if char != BREAK:
        return False
    return glued or edge == first or tells_address(p + min(first, edge), max(first, edge) - min(first, edge))


cdef int64_t past_glued(const Spec* spec, const uint8_t* p, int64_t n, int64_t i, bint behind) noexcept nogil:
    """Where the word ends that is glued to the string; -1 if it is none."""
    cdef int64_t next = i
    cdef int char = step(spec, p, n, i, behind, &next), joints = 0
    cdef bint joint, before
    # Behind a joint at the end of the string the word begins anew, before it the string itself does.
    before = not behind
    while char > PARTING:
        if char == OWN:
            return -1
        joint = is_joint(p[min(i, next)])
        # Text order: a piece follows a joint.
        joints += not joint and before if behind else joint and not before
        if joints > MAX_GLUED_JOINTS:
            return -1
        before = joint
        i = next
        char = step(spec, p, n, i, behind, &next)
    return i


cdef bint fits(const Fillers* f, const Spec* spec, const uint8_t* p, int64_t n, int64_t i, bint behind, uint8_t kind,
               Walked* walked) noexcept nogil:
    """Whether what stands between byte i, where a string ends (begins), and the end (beginning) of its line is of a kind.

    Parameters
    ----------
    behind : bool
        The string ends at i.
    walked : Walked*
        What earlier walks to the beginning of a line in this text found.
    """
    cdef int64_t next = i, edge, nearest = -1, begin = -1
    cdef int char = step(spec, p, n, i, behind, &next), words = 0, run = 0
    cdef bint fit = True, small = False
    cdef Walk* known = NULL
    if char > PARTING:
        if kind == ADDRESS:
            return char != OWN and address(spec, p, n, next, behind, True)
        i = past_glued(spec, p, n, i, behind)
        if i < 0:
            return False
        char = step(spec, p, n, i, behind, &next)
    if not behind and kind != ADDRESS:
        known = &walked.walk[kind - NUMBERS]
    while char != BREAK:
        if char == PARTING:
            i = next
            char = step(spec, p, n, i, behind, &next)
            continue
        if kind == ADDRESS:
            return address(spec, p, n, i, behind, False)
        if known != NULL:
            nearest = i if nearest < 0 else nearest
            if known.begin <= i <= known.place:
                fit = known.fit
                begin = known.begin
                break
        edge = begin = i
        while char > PARTING:
            i = next
            char = step(spec, p, n, i, behind, &next)
        fit = takes(f, spec, p + min(edge, i), max(edge, i) - min(edge, i), kind, behind, &small)
        if behind:
            run = run + 1 if small else 0
            words += not small
            fit = fit and run <= MAX_SMALL_RUN and words <= (MAX_NAME_WORDS if kind == NAMES else MAX_FIGURE_WORDS)
        if not fit:
            break
    else:
        begin = i
    if known != NULL and nearest > known.place:
        known[0] = Walk(nearest, begin, fit)
    return fit


cdef void walked_forget(Walked* walked) noexcept nogil:
    """Another text comes."""
    cdef int k
    for k in range(NAMES - NUMBERS + 1):
        walked.walk[k].place = -1
    walked.token = -1


cdef tuple fillers_make(Fillers* f, bytes kinds, list known):
    """Keep the kinds of some strings, and the words of dates and of durations; gives what has these."""
    cdef WordList days, times
    if not any(kinds):
        return ()
    for kind in set(kinds):
        if kind >= SLOT_SIZE and not NUMBERS <= kind <= NAMES:
            raise ValueError(f"expected kinds less than {SLOT_SIZE}, or {NUMBERS} to {NAMES}, got {kind}")
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


# ----------------------------------------------------------------------------------------------------------------- the matcher
# The strings of a pack in texts: one pass over the tokens with the automaton, then the union, the guard and the cut.
#
# In come texts and pages as UTF-8 bytes and the strings of a pack as numbers, out go spans: start, end, which strings.
# A match costs time linear in the bytes of the text and in the matches, a pack once time linear in its tokens.  Only buffers
# and numbers cross the boundary, but for `Matcher.spans` and `clean`, which read the characters of a str; each kernel is a
# public ``def`` that checks and allocates, and a private ``cdef`` loop that runs without the GIL.  Offsets are int64.
# Arguments are IN unless a docstring says otherwise.


cdef extern from *:
    """
    /* A flag for threads that are without the interpreter's lock: who is told sees all that was written before.  Not so
       with a plain one where the processor stores out of order, as ARM's do. */
    #define tm_tell(flag, value) __atomic_store_n(flag, value, __ATOMIC_RELEASE)
    #define tm_told(flag) __atomic_load_n(flag, __ATOMIC_ACQUIRE)
    """
    void tm_tell(bint* flag, bint value) noexcept nogil
    bint tm_told(bint* flag) noexcept nogil


cdef enum:
    NO_FORM = -1            # id of a token that is none of the vocabulary
    WORTH = 1 << 16         # bytes of text for which the sieve, which takes some milliseconds, is made
    ENOUGH = 1 << 17        # bytes of text that tell whether the sieve is worth while
    # Bytes between an occurrence and the edge of its line: far more than a slot takes.
    LONGEST_REST = 2048


cdef enum:
    KNOWN = 2048            # tokens that a Scratch remembers
    KEPT = 1 << 23          # bytes of the largest Scratch that is kept


cdef struct Known:
    # A short token (tm_key), and what it is to a matcher.
    uint64_t a
    uint64_t b
    uint64_t owner          # the matcher's number, and the bytes of the token in the lowest five bits
    int64_t id


cdef struct Scratch:
    # What one call needs and the next one can use again; of a token that was looked at once, the id is remembered.
    Tokens tokens
    Occurrences found
    Regions regions
    Bytes utf8
    uint8_t* form
    int64_t room
    Known known[KNOWN]
    Walked walked
    int32_t* met            # the run of matches that overlap in which a state of the automaton was last met
    int64_t met_room
    int32_t run             # of whatever matcher: each has a number of its own
    int64_t run_last        # last token of the run


cdef enum:
    LONE = 3                # beside CUT, WHOLE and STUB: it holds lone surrogates, which UTF-8 cannot hold, and was not searched


cdef struct Text:
    StrView text
    int verdict
    int64_t spans
    int64_t pieces


cdef void scratch_free(Scratch* scratch) noexcept nogil:
    tokens_free(&scratch.tokens)
    occurrences_free(&scratch.found)
    free(scratch.regions.region)
    free(scratch.utf8.data)
    free(scratch.form)
    free(scratch.met)
    free(scratch)


# Scratches of calls that have ended, of all matchers; the interpreter's lock guards them.
cdef Scratch** spare = NULL
cdef int64_t spares = 0
cdef int64_t spare_room = 0


cdef Scratch* scratch_take() except NULL:
    """A scratch of this call's own."""
    global spares
    cdef Scratch* scratch
    if spares:
        spares -= 1
        return spare[spares]
    scratch = <Scratch*>calloc(1, sizeof(Scratch))
    if scratch == NULL:
        raise MemoryError
    return scratch


cdef void scratch_give(Scratch* scratch) noexcept:
    """Take back a scratch, unless it has become large: nobody ends the last one."""
    global spares, spare, spare_room
    cdef void* grown
    scratch.found.size = 0
    if (scratch.utf8.room + scratch.room + scratch.tokens.room * 17 + scratch.found.room * 20
            + scratch.regions.room * sizeof(Region) + scratch.met_room * sizeof(int32_t)) > KEPT:
        scratch_free(scratch)
        return
    if spares == spare_room:
        grown = realloc(spare, (spare_room + 8) * sizeof(Scratch*))
        if grown == NULL:
            scratch_free(scratch)
            return
        spare = <Scratch**>grown
        spare_room += 8
    spare[spares] = scratch
    spares += 1


cdef int64_t put_form(Scanner scanner, const uint8_t* p, int64_t n, uint8_t kind, Scratch* scratch) except -1 nogil:
    """Write a token's form into the scratch; returns its length."""
    reserve(<void**>&scratch.form, &scratch.room, 2 * n + 32, 1)
    if kind == WORD:
        return normalise(&scanner.spec, p, n, scratch.form)
    return tag_form(&scanner.spec, p, n, kind, scratch.form)


cdef bint reach(const Fillers* fillers, const Spec* spec, const uint8_t* p, int64_t n, const Tokens* tokens, uint8_t edge,
                uint8_t kind, Walked* walked, int64_t* first, int64_t* last) noexcept nogil:
    """Move the first or the last token of a match to the edge of its line; False if that is too far, or what stands there
    is not of the kind that the string takes."""
    cdef int64_t i = last[0], k = first[0], most = kind if kind else SLOT_SIZE
    if kind >= NUMBERS:
        if edge & TO_END:
            if not fits(fillers, spec, p, n, tokens.end[i], True, kind, walked):
                return False
            while i + 1 < tokens.size and not tokens.kind[i + 1] & FIRST_IN_LINE:
                i += 1
        if edge & TO_BEGIN:
            if not fits(fillers, spec, p, n, tokens.start[k], False, kind, walked):
                return False
            while k > 0 and not tokens.kind[k] & FIRST_IN_LINE and not walked.first <= k <= walked.token:
                k -= 1
            if walked.first <= k <= walked.token:
                k = walked.first
            elif k > walked.token:
                walked.first = k
            walked.token = max(walked.token, first[0])
        last[0] = i
        first[0] = k
        return True
    if edge & TO_END:
        while i + 1 < tokens.size and not tokens.kind[i + 1] & FIRST_IN_LINE:
            i += 1
            # A code point has at most four bytes.
            if tokens.end[i] - tokens.end[last[0]] > 4 * most:
                return False
        if count_points(p, tokens.end[last[0]], tokens.end[i]) > most:
            return False
    if edge & TO_BEGIN:
        while k > 0 and not tokens.kind[k] & FIRST_IN_LINE:
            k -= 1
            if tokens.start[first[0]] - tokens.start[k] > 4 * most:
                return False
        if count_points(p, tokens.start[k], tokens.start[first[0]]) > most:
            return False
    last[0] = i
    first[0] = k
    return True


cdef Text* new_rows(int64_t number) except NULL:
    """Room for what is known of each of some texts."""
    cdef Text* rows = <Text*>calloc(max(number, 1), sizeof(Text))
    if rows == NULL:
        raise MemoryError
    return rows


cdef struct Rest:
    # What stands between an occurrence and an edge of its line, as a part of `Rests.bytes`.
    int64_t text
    int32_t string
    int64_t start
    int64_t end


cdef struct Rests:
    Rest* rest
    int64_t size
    int64_t room
    Bytes bytes


cdef uint64_t matchers = 0     # that were made


cdef class Matcher(Scanner):
    """All strings of a pack at once, at token boundaries, overlapping ones included.

    Parameters
    ----------
    separators, mask, words, numbers, html
        As the documents were tokenised.
    vocabulary : list of bytes
        Forms that stand in any string, each once.
    flat, bounds : int32 and int64 arrays
        String i is ``flat[bounds[i]:bounds[i + 1]]``, places in `vocabulary`.
    edges : uint8 array, shape (strings,), optional
        Bits: 1 string i counts only where it begins a line, 2 where it ends one; 4 its match reaches to the end of the
        line, 8 to its beginning, where that is near enough and what stands between is of its kind.
    sieve : int, default 1
        Whether to tokenise only where strings may stand (`_prefilter`): 0 never, 1 where that is faster, 2 always, for tests.
        What is found is the same.
    kinds : bytes, optional
        `slots.kind_code` what stands between string i and the edge of the line that its match reaches to; 0 if it may be
        anything of `slots.SLOT_SIZE` characters.
    known : list of list of bytes, optional
        Words of dates and of durations, if a kind asks for them.
    """

    def __cinit__(self, bytes separators, bytes mask, list words, list numbers, bint html, list vocabulary,
                  const int32_t[::1] flat not None, const int64_t[::1] bounds not None, const uint8_t[::1] edges=None,
                  int sieve=1, bytes kinds=b"", list known=None):
        cdef bytes form
        cdef uint64_t h
        cdef int64_t i, strings = bounds.shape[0] - 1
        global matchers
        matchers += 1
        self.number = matchers
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
        self._learn_own_forms()
        for i in range(256):
            self.trait[i] = (0 if is_alpha(<uint8_t>i)
                             else 1 if 33 <= i <= 126 and memchr(b"!\"&'(),.:;<>?[]^`{|}", <int>i, 20) != NULL else 2)
        self.dotted = self.spec.on[ABBREVIATION] or self.spec.on[INITIALS]
        memset(self.filter, 0, sizeof(self.filter))
        for i in range(self.vocabulary.count):
            h = tm_hash(self.vocabulary.arena + self.vocabulary.offset[i],
                        self.vocabulary.offset[i + 1] - self.vocabulary.offset[i])
            self.filter[(h >> 6) & 255] |= <uint64_t>1 << (h & 63)
        for i in range(self.spec.words.count):
            h = tm_hash(self.spec.words.arena + self.spec.words.offset[i],
                        self.spec.words.offset[i + 1] - self.spec.words.offset[i])
            self.filter[(h >> 6) & 255] |= <uint64_t>1 << (h & 63)
        if edges is not None and edges.shape[0] != strings:
            raise ValueError(f"expected edges of {strings} strings, got {edges.shape[0]}")
        self.strings = strings
        self.edges = <uint8_t*>malloc(strings + 1)
        if self.edges == NULL:
            raise MemoryError
        for i in range(strings):
            self.edges[i] = edges[i] if edges is not None else 0
        if kinds and len(kinds) != strings:
            raise ValueError(f"expected kinds of {strings} strings, got {len(kinds)}")
        self.kept = fillers_make(self.fillers, kinds, known or [[], []])
        automaton_build(self.automaton, &flat[0] if flat.shape[0] else NULL, &bounds[0], self.edges, strings,
                        max(len(vocabulary), 1))
        self._learn_words()
        self.sieved = False
        self.forced = sieve == 2
        self.seen = self.passed = 0
        # A tag has other bytes than its form.
        self.plan = (bytes(flat), bytes(bounds)) if sieve and not html else None
        self.learning = self.plan is not None
        if self.forced:
            self._make_sieve()

    cdef int _make_sieve(self) except -1:
        """Make the sieve of what stands in `plan`, once; other threads search without it meanwhile."""
        cdef Table* forms = &self.vocabulary
        cdef bytes flat, bounds
        cdef int64_t i
        cdef bint useful
        if not self.learning:
            return 0
        flat, bounds = self.plan
        vocabulary = [(<char*>forms.arena)[forms.offset[i]:forms.offset[i + 1]] for i in range(forms.count)]
        self.plan = None
        self.learning = False
        useful = sieve_build(self.sieve, &self.spec, vocabulary, <const int32_t*><const char*>flat,
                             <const int64_t*><const char*>bounds, self.strings, self.edges)
        tm_tell(&self.sieved, useful or self.forced)
        return 0

    cdef int _meet(self, const uint8_t* p, int64_t n) except -1:
        """A text is about to be searched; the first ones tell the sieve what is rare, and then it is worth making."""
        if self.learning:
            n = min(n, WORTH - self.seen)
            sieve_learn(self.sieve, p, n)
            self.seen += n
            if self.seen >= WORTH:
                self.seen = 0
                self._make_sieve()
        return 0

    def __dealloc__(self):
        fillers_free(self.fillers)
        sieve_free(self.sieve)
        free(self.edges)
        free(self.own_form)
        table_free(&self.vocabulary)
        automaton_free(self.automaton)

    cdef int _learn_own_forms(self) except -1:
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

    cdef void _learn_words(self) noexcept:
        """The short tokens that may begin a string, for those that `_find` meets most: forms that begin one, spelt as they
        are, and the words of the lists."""
        cdef int64_t i
        memset(self.first, 0, sizeof(self.first))
        for i in range(self.vocabulary.count):
            if self.own_form[i] and self.automaton.root[i]:
                self._learn_first(self.vocabulary.arena + self.vocabulary.offset[i],
                                  self.vocabulary.offset[i + 1] - self.vocabulary.offset[i])
        for i in range(self.spec.words.count):
            self._learn_first(self.spec.words.arena + self.spec.words.offset[i],
                              self.spec.words.offset[i + 1] - self.spec.words.offset[i])

    cdef void _learn_first(self, const uint8_t* p, int64_t n) noexcept:
        cdef uint64_t h, a = 0, b = 0
        if 0 < n <= MAX_SHORT_BYTES:
            h = tm_key(p, n, p + n, &a, &b)
            self.first[(h >> 38) & 1023] |= <uint64_t>1 << (h >> 32 & 63)

    cdef inline bint _plain(self, const uint8_t* p, int64_t n) noexcept nogil:
        """True if a word token is surely its own form: ASCII letters and signs that no pattern begins with, no listed word."""
        cdef int64_t i = 0, start
        cdef uint8_t seen = 0
        cdef uint64_t h
        for i in range(n):
            seen |= self.trait[p[i]]
        if seen > 1 or (seen == 1 and self.dotted):
            return False
        i = 0
        while i < n:
            while i < n and self.trait[p[i]]:
                i += 1
            start = i
            while i < n and not self.trait[p[i]]:
                i += 1
            if i > start:
                h = tm_hash(p + start, i - start)
                if self.filter[(h >> 6) & 255] >> (h & 63) & 1 and table_find(&self.spec.words, p + start, i - start, h) >= 0:
                    return False
                if self.spec.on[UPPER] and is_all_upper(p, start, i):
                    return False
                if i < n and p[i] == 46 and (i - start == 1 or (i - start == 3 and p[start] == 119)):
                    return False
        return True

    cdef inline int64_t _spelt(self, const uint8_t* p, int64_t n) noexcept nogil:
        """Place in the vocabulary of the form that is spelt as a word token is, and is its form; else NO_FORM."""
        cdef uint64_t h = tm_hash(p, n)
        cdef int64_t id
        if not self.filter[(h >> 6) & 255] >> (h & 63) & 1:
            return NO_FORM
        id = table_find(&self.vocabulary, p, n, h)
        return id if id >= 0 and self.own_form[id] else NO_FORM

    cdef int64_t _look_up(self, const uint8_t* p, int64_t n, uint8_t kind, Scratch* scratch) except -2 nogil:
        """Place of a token's form in the vocabulary, or NO_FORM."""
        cdef int64_t id
        if kind == WORD:
            id = self._spelt(p, n)
            if id >= 0 or self._plain(p, n):
                return id
        n = put_form(self, p, n, kind, scratch)
        return table_find(&self.vocabulary, scratch.form, n, tm_hash(scratch.form, n))

    cdef int _find(self, const uint8_t* p, int64_t n, Scratch* scratch, int64_t* forms, bint united) except -1 nogil:
        """All matches into scratch.found: first and last token, string.  With `forms`, which counts tokens, all tokens are
        in scratch.tokens; without, those that the sieve lets pass.  If only the union is wanted, and which strings each of
        its spans has (`united`), the matches that add nothing to them are left out."""
        cdef bint ordered = True
        cdef int64_t states
        cdef Regions* regions = &scratch.regions
        scratch.tokens.size = 0
        scratch.run_last = -1
        if united and scratch.met_room < self.automaton.states:
            states = scratch.met_room
            reserve(<void**>&scratch.met, &scratch.met_room, self.automaton.states, sizeof(int32_t))
            memset(scratch.met + states, 0, (scratch.met_room - states) * sizeof(int32_t))
        if self.fillers.kind != NULL:
            walked_forget(&scratch.walked)
        if forms != NULL or not tm_told(&self.sieved):
            self._search(p, 0, n, n, scratch, forms, united, False, &ordered)
        else:
            sieve_regions(self.sieve, p, n, regions)
            self._search_regions(p, n, scratch, united, &ordered)
            self.seen += n
            if self.seen > ENOUGH and not self.forced and not sieve_pays(self.sieve, self.seen, self.passed):
                # It costs more than it saves here; which texts come first changes the time alone.
                self.sieved = False
        if not ordered:
            order_by_end(&scratch.found)
        return 0

    cdef int _add(self, int32_t state, int64_t last, Scratch* scratch) except -1 nogil:
        """Add the matches of strings that end in a state, but those that lie within a run of overlapping matches which has the
        string already.  Of each token that is one match, so that time and memory are linear in the text also where
        strings are nested a thousand deep; the runs have as many matches more as strings of theirs."""
        cdef const Automaton* a = self.automaton
        cdef int64_t first = last - a.depth[state] + 1
        cdef int32_t string
        if first > scratch.run_last:
            if scratch.run == 0x7FFFFFFF:
                memset(scratch.met, 0, scratch.met_room * sizeof(int32_t))
                scratch.run = 0
            scratch.run += 1
        scratch.run_last = last
        if scratch.met[state] == scratch.run:
            occurrences_push(&scratch.found, first, last, a.output[state], 0)
            return 0
        while state and scratch.met[state] != scratch.run:
            scratch.met[state] = scratch.run
            string = a.output[state]
            while string >= 0:
                occurrences_push(&scratch.found, last - a.depth[state] + 1, last, string, 0)
                string = a.also[string]
            state = a.link[state]
        return 0

    cdef int _search_regions(self, const uint8_t* p, int64_t n, Scratch* scratch, bint united, bint* ordered) except -1 nogil:
        """Search what the sieve lets pass.  Where a string is found whose match reaches to an edge of its line, the whole line
        is searched anew: few lines with its clue have the string.  Those regions that were searched come to stand first."""
        cdef Regions* regions = &scratch.regions
        cdef Region* last
        cdef Region one
        cdef int64_t i = 0, done = 0
        cdef bint whole
        while i < regions.size:
            one = regions.region[i]
            one.tokens, one.found = scratch.tokens.size, scratch.found.size
            i += 1
            self.passed += one.end - one.start
            whole = (one.start == 0 or p[one.start - 1] == 10) and (one.end >= n or p[one.end] == 10)
            if self._search(p, one.start, one.end, n, scratch, NULL, united, not whole, ordered):
                while not whole:
                    while one.start > 0 and p[one.start - 1] != 10:
                        one.start -= 1
                    one.end = line_end(p, one.end, n)
                    whole = True
                    while done and regions.region[done - 1].end >= one.start:
                        done -= 1
                        last = regions.region + done
                        whole = whole and last.start >= one.start
                        one.start, one.tokens, one.found = min(one.start, last.start), last.tokens, last.found
                    while i < regions.size and regions.region[i].start <= one.end:
                        whole = whole and regions.region[i].end <= one.end
                        one.end = max(one.end, regions.region[i].end)
                        i += 1
                scratch.tokens.size, scratch.found.size = one.tokens, one.found
                scratch.run_last = one.tokens - 1
                walked_forget(&scratch.walked)
                self.passed += one.end - one.start
                self._search(p, one.start, one.end, n, scratch, NULL, united, False, ordered)
            regions.region[done] = one
            done += 1
        regions.size = done
        return 0

    cdef int _search(self, const uint8_t* p, int64_t start, int64_t end, int64_t n, Scratch* scratch, int64_t* forms,
                     bint united, bint part, bint* ordered) except -1 nogil:
        """Tokenise a region of a text of n bytes and add its matches.  Of a `part` of a line, 1 as soon as there is one that
        reaches to an edge of the line."""
        cdef int64_t i, k, size, id
        cdef uint8_t edge, kind
        cdef int32_t s, state = 0
        cdef const uint8_t* q
        cdef uint64_t h, a = 0, b = 0
        cdef uint64_t owner = self.number << 5, turn = self.number * <uint64_t>0x9E3779B97F4A7C15 >> 32
        cdef Known* known
        cdef Tokens* tokens = &scratch.tokens
        cdef bint letters_tell = not self.spec.on[UPPER], quick = forms == NULL
        cdef int32_t string
        cdef int64_t last, stop, first = tokens.size
        scan(&self.spec, p, start, end, tokens)
        stop = tokens.size
        if end < n and p[end] != 10:
            # The line goes on; what is behind its last token here must not be taken for its end.
            tokens_push(tokens, end, end, WORD)
        for i in range(first, stop):
            q = p + tokens.start[i]
            size = tokens.end[i] - tokens.start[i]
            kind = tokens.kind[i]
            if kind & KIND == WORD and size <= MAX_SHORT_BYTES:
                h = tm_key(q, size, p + n, &a, &b)
                if kind & LETTERS and letters_tell:
                    # Most words begin no string; this is the branch that the processor foresees.
                    if state == 0 and quick and not self.first[(h >> 38) & 1023] >> (h >> 32 & 63) & 1:
                        continue
                    id = self._spelt(q, size)
                    if id == NO_FORM and words_find(&self.word_list.short, h, a, b, size) != NULL:
                        id = self._look_up(q, size, WORD, scratch)
                else:
                    # Each matcher begins elsewhere, so that they leave the most frequent tokens to each other.
                    known = &scratch.known[((h >> 32) + turn) & (KNOWN - 1)]
                    if known.a == a and known.b == b and known.owner == owner | <uint64_t>size:
                        id = known.id
                    else:
                        id = self._look_up(q, size, WORD, scratch)
                        known.a = a
                        known.b = b
                        known.owner = owner | <uint64_t>size
                        known.id = id
            else:
                id = self._look_up(q, size, kind & KIND, scratch)
            if id < 0:
                state = 0
                continue
            if forms != NULL:
                forms[id] += 1
            state = automaton_step(self.automaton, state, <int32_t>id)
            s = state if self.automaton.output[state] >= 0 else self.automaton.link[state]
            while s:
                if united and not self.automaton.bound[s]:
                    self._add(s, i, scratch)
                    break
                string = self.automaton.output[s]
                while string >= 0:
                    k = i - self.automaton.depth[s] + 1
                    last = i
                    edge = self.edges[string]
                    if part and edge & REACHES_EDGE:
                        return 1
                    if edge & REACHES_EDGE and not reach(self.fillers, &self.spec, p, n, tokens, edge,
                                                    self.fillers.kind[string] if self.fillers.kind != NULL else ANYTHING,
                                                    &scratch.walked, &k, &last):
                        k = -1
                    if k >= 0 and (not edge & BEGINS_LINE or tokens.kind[k] & FIRST_IN_LINE) and (
                            not edge & ENDS_LINE or last + 1 == tokens.size or tokens.kind[last + 1] & FIRST_IN_LINE):
                        occurrences_push(&scratch.found, k, last, string, 0)
                        ordered[0] = ordered[0] and last == i
                    string = self.automaton.also[string]
                s = self.automaton.link[s]
        return 0

    def find(self, const uint8_t[::1] document not None, bint united=False):
        """Every occurrence of every string; with `united`, without some that overlap others, such that the union of all is the
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
        cdef Scratch* scratch = scratch_take()
        cdef Occurrences* found = &scratch.found
        try:
            self._meet(p, document.shape[0])
            with nogil:
                self._find(p, document.shape[0], scratch, NULL, united)
            starts = np.empty(max(found.size, 1), np.int64)
            ends = np.empty(max(found.size, 1), np.int64)
            for i in range(found.size):
                starts[i] = scratch.tokens.start[found.position[i]]
                ends[i] = scratch.tokens.end[found.length[i]]
            strings = copy_to_array(found.count, found.size * sizeof(int32_t), np.int32)
        finally:
            scratch_give(scratch)
        return np.asarray(starts)[: len(strings)], np.asarray(ends)[: len(strings)], strings

    def rests(self, list texts not None, const uint8_t[::1] sides not None):
        """What stands between every occurrence in some texts and an edge of its line; of more than 2,048 bytes those that
        stand nearest to it, or a line that is all occurrences would take memory by its square.

        All texts are searched before a Python object is made of what was found, so that other threads run meanwhile.

        Parameters
        ----------
        texts : list of (str or bytes)
            bytes are UTF-8, of which marks of a user's patterns may be a part.
        sides : bytes, shape (strings,)
            Of each string, `TO_END` or `TO_BEGIN`.

        Returns
        -------
        list of (text, string, bytes)
            Places of both; the order is that of the texts, within each by the end of the occurrence.
        """
        cdef int64_t i, number, n = 0
        cdef const uint8_t* p
        cdef Text* rows
        cdef Rests out
        cdef Scratch* scratch = NULL
        if sides.shape[0] != self.strings:
            raise ValueError(f"expected sides of {self.strings} strings, got {sides.shape[0]}")
        texts = texts[:]  # the caller's list may change while no lock is held
        number = len(texts)
        rows = new_rows(number)
        memset(&out, 0, sizeof(Rests))
        try:
            for i in range(number):
                text = texts[i]
                if text is None:
                    raise TypeError(f"text {i}: expected a str or bytes, got None")
                rows[i].text = StrView(<const char*>text, len(text), 1, True) if isinstance(text, bytes) else view_str(text)
                _check_size(rows[i].text.points)
            scratch = scratch_take()
            learn(self, rows, number, True, scratch)
            with nogil:
                for i in range(number):
                    p = encode_utf8(&rows[i].text, True, &scratch.utf8, &n)
                    if n > LARGEST:
                        with gil:
                            _check_size(n)
                    self._find(p, n, scratch, NULL, False)
                    put_rests(p, n, i, scratch, &sides[0] if self.strings else NULL, &out)
            return [(out.rest[i].text, out.rest[i].string, (<const char*>out.bytes.data)[out.rest[i].start : out.rest[i].end])
                    for i in range(out.size)]
        finally:
            if scratch != NULL:
                scratch_give(scratch)
            free(rows)
            free(out.rest)
            free(out.bytes.data)

    def regions(self, const uint8_t[::1] document not None):
        """Where the sieve lets occurrences stand.

        Returns
        -------
        list of (start, end)
            In bytes, ascending and disjoint.
        """
        cdef const uint8_t* p = &document[0] if document.shape[0] else NULL
        cdef int64_t i
        cdef Scratch* scratch = scratch_take()
        try:
            self._make_sieve()
            if not self.sieved:
                return [(0, document.shape[0])]
            sieve_regions(self.sieve, p, document.shape[0], &scratch.regions)
            return [(scratch.regions.region[i].start, scratch.regions.region[i].end) for i in range(scratch.regions.size)]
        finally:
            scratch_give(scratch)

    def holds(self, const uint8_t[::1] document not None, int64_t string):
        """True if a string occurs from the first byte of a document to the last."""
        cdef const uint8_t* p = &document[0] if document.shape[0] else NULL
        cdef int64_t i
        _check_size(document.shape[0])
        cdef Scratch* scratch = scratch_take()
        cdef Occurrences* found = &scratch.found
        try:
            with nogil:
                self._find(p, document.shape[0], scratch, NULL, False)
            for i in range(found.size):
                if (found.count[i] == string and scratch.tokens.start[found.position[i]] == 0
                        and scratch.tokens.end[found.length[i]] == document.shape[0]):
                    return True
            return False
        finally:
            scratch_give(scratch)

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
            Last document that held each string; -1 at the start.
        forms : int64 array, shape (vocabulary + 1,), optional, INOUT
            Occurrences of each form of the vocabulary; at the end, all tokens.  Without it only what the sieve lets pass is
            tokenised.
        """
        cdef const uint8_t* p = &document[0] if document.shape[0] else NULL
        cdef int64_t i, s
        _check_size(document.shape[0])
        if (table.shape[0] != self.strings or table.shape[1] != 2 or last.shape[0] != self.strings
                or (forms is not None and forms.shape[0] != self.vocabulary.count + 1)):
            raise ValueError(f"expected tables of {self.strings} x 2, {self.strings} and {self.vocabulary.count + 1}, got "
                             f"{table.shape[0]} x {table.shape[1]}, {last.shape[0]} and "
                             f"{self.vocabulary.count + 1 if forms is None else forms.shape[0]}")
        cdef int64_t* of_forms = NULL if forms is None else &forms[0]
        cdef Scratch* scratch = scratch_take()
        cdef Occurrences* found = &scratch.found
        try:
            if of_forms == NULL:
                self._meet(p, document.shape[0])
            with nogil:
                self._find(p, document.shape[0], scratch, of_forms, False)
                if of_forms != NULL:
                    of_forms[self.vocabulary.count] += scratch.tokens.size
                for i in range(found.size):
                    s = found.count[i]
                    table[s, 0] += 1
                    if last[s] != number:
                        last[s] = number
                        table[s, 1] += 1
        finally:
            scratch_give(scratch)

    cdef int _clean(self, const uint8_t* p, int64_t n, int64_t points, int64_t gap, double guard, bint keep,
                    Scratch* scratch, Outcome* out) except -1 nogil:
        """Add what is found in a text, and what is left of it, to `out`.

        Parameters
        ----------
        points : int
            Code points of the text.
        guard : float
            A text of which a greater share is removed is a stub; if less than zero, only the spans are wanted.
        keep : bool
            Leave stubs whole.

        Returns
        -------
        CUT, STUB or WHOLE
        """
        cdef int64_t first = out.size, members = out.members
        cdef int verdict
        self._find(p, n, scratch, NULL, True)
        unite(p, n, n == points, self.spec.html, &scratch.tokens, &scratch.found, gap, out)
        scratch.found.size = 0
        if guard < 0 or out.size == first:
            return CUT
        verdict = cut_within(p, n, points, out.span + first, out.size - first, guard, keep, &out.pieces)
        if verdict == WHOLE:
            out.size = first
            out.members = members
        return verdict

    def spans(self, list texts not None, int64_t gap):
        """The union of all occurrences in each of some texts, two with fewer than `gap` characters between them taken together.

        All texts are searched before a Python object is made of what was found, so that other threads run meanwhile.

        Returns
        -------
        list of (list of (start, end, strings), or None)
            Of each text; in code points, ascending and disjoint, with the strings of each span in order.  None for a text
            that holds lone surrogates.
        """
        cdef int64_t i, j, k, number, span = 0, member = 0
        cdef Text* rows
        cdef Outcome found
        cdef list out = [], here
        texts = texts[:]  # the caller's list may change while no lock is held
        number = len(texts)
        rows = new_rows(number)
        memset(&found, 0, sizeof(Outcome))
        try:
            read(self, texts, gap, -1, False, rows, &found)
            for i in range(number):
                if rows[i].verdict == LONE:
                    out.append(None)
                    continue
                here = []
                for k in range(span, span + rows[i].spans):
                    those = [found.member[j] for j in range(member, found.span[k].members)]
                    here.append((found.span[k].first, found.span[k].last, those))
                    member = found.span[k].members
                span += rows[i].spans
                out.append(here)
        finally:
            free(rows)
            outcome_free(&found)
        return out

    def clean(self, list texts not None, int64_t gap, double guard, bint keep, list names not None, type span,
              type cleaned):
        """Each of some texts without all occurrences, which are taken together as by `spans`, as `cleaner.cut` cuts.

        Parameters
        ----------
        guard : float
            A text of whose characters a greater share is removed is a stub.
        keep : bool
            Leave stubs whole.
        names : list of tuple
            Of each string, its name alone.
        span, cleaned : type
            `model.Span`, a tuple of start and end in code points and the names of the strings of a span in the order of
            the strings; and `model.Cleaned`, a tuple of text, tuple of spans and whether it is a stub.

        Returns
        -------
        list of (cleaned or None)
            None for a text that holds lone surrogates.
        """
        cdef int64_t i, j, k, m, number, at = 0, member = 0, piece = 0
        cdef Text* rows
        cdef Outcome found
        cdef list out = []
        cdef tuple here, those
        texts = texts[:]  # the caller's list may change while no lock is held
        number = len(texts)
        if len(names) < self.strings:
            raise ValueError(f"expected names of {self.strings} strings, got {len(names)}")
        rows = new_rows(number)
        memset(&found, 0, sizeof(Outcome))
        try:
            read(self, texts, gap, max(guard, 0), keep, rows, &found)
            for i in range(number):
                if rows[i].verdict == LONE:
                    out.append(None)
                    continue
                if not rows[i].spans:
                    out.append(new_tuple(cleaned, (texts[i], (), rows[i].verdict == WHOLE)))
                    continue
                here = PyTuple_New(rows[i].spans)
                for j in range(rows[i].spans):
                    k = at + j
                    if found.span[k].members == member + 1:
                        those = <tuple?>names[found.member[member]]
                    else:
                        those = tuple([(<tuple?>names[found.member[m]])[0] for m in range(member, found.span[k].members)])
                    member = found.span[k].members
                    made = new_tuple(span, (found.span[k].first, found.span[k].last, those))
                    Py_INCREF(made)
                    PyTuple_SET_ITEM(here, j, made)
                text = assemble(&rows[i].text, found.pieces.piece + piece, rows[i].pieces)
                at += rows[i].spans
                piece += rows[i].pieces
                out.append(new_tuple(cleaned, (text, here, rows[i].verdict == STUB)))
        finally:
            free(rows)
            outcome_free(&found)
        return out


cdef int learn(Matcher matcher, const Text* rows, int64_t number, bint surrogates, Scratch* scratch) except -1:
    """`_meet` as many of some texts as it takes."""
    cdef int64_t i = 0, n = 0
    cdef const uint8_t* p
    while matcher.learning and i < number:
        p = encode_utf8(&rows[i].text, surrogates, &scratch.utf8, &n)
        if n > 0:
            matcher._meet(p, n)
        i += 1
    return 0


cdef int read(Matcher matcher, list texts, int64_t gap, double guard, bint keep, Text* rows, Outcome* out) except -1:
    """`_clean` each of some texts, without the GIL but for the first look at them."""
    cdef int64_t i, number = len(texts), spans, pieces
    cdef str text
    cdef const uint8_t* p
    cdef int64_t n = 0
    cdef Scratch* scratch
    for i in range(number):
        text = texts[i]
        if text is None:
            raise TypeError(f"text {i}: expected a str, got None")
        rows[i].text = view_str(text)
        _check_size(rows[i].text.points)
    scratch = scratch_take()
    try:
        learn(matcher, rows, number, False, scratch)
        with nogil:
            for i in range(number):
                p = encode_utf8(&rows[i].text, False, &scratch.utf8, &n)
                if n < 0:
                    rows[i].verdict = LONE
                    continue
                if n > LARGEST:
                    with gil:
                        _check_size(n)
                spans = out.size
                pieces = out.pieces.size
                rows[i].verdict = matcher._clean(p, n, rows[i].text.points, gap, guard, keep, scratch, out)
                rows[i].spans = out.size - spans
                rows[i].pieces = out.pieces.size - pieces
                if not rows[i].text.ascii:
                    pieces_to_points(p, out.pieces.piece + pieces, rows[i].pieces)
    finally:
        scratch_give(scratch)
    return 0


new_tuple = tuple.__new__


cdef int put_rests(const uint8_t* p, int64_t n, int64_t text, Scratch* scratch, const uint8_t* sides, Rests* out) except -1 nogil:
    """Add what stands between the matches in a text and an edge of their lines, and forget the matches."""
    cdef Occurrences* found = &scratch.found
    cdef int64_t i, start, end
    for i in range(found.size):
        start = scratch.tokens.start[found.position[i]]
        end = scratch.tokens.end[found.length[i]]
        if sides[found.count[i]] & TO_END:
            start = end
            while end < n and end - start < LONGEST_REST and not breaks(p, end, n):
                end += 1
            # No character is cut in two, and no mark.
            while start < end < n and (p[end] & 0xC0 == 0x80 or p[end - 1] == MARKER):
                end -= 1
        else:
            end = start
            while start > 0 and end - start < LONGEST_REST and not (breaks(p, start - 1, n)
                                                                    or start > 2 and breaks(p, start - 3, n) == 3):
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


cdef inline int breaks(const uint8_t* p, int64_t i, int64_t n) noexcept nogil:
    """Bytes of the line break that stands at i, or 0."""
    cdef int width = 1
    return width if p[i] == 10 or is_wide_break(decode(p + i, n - i, &width)) else 0


cdef int _check_size(int64_t size) except -1:
    if size > LARGEST:
        raise CapacityError(f"a document of {size} bytes; the limit is 2 GiB")
    return 0
