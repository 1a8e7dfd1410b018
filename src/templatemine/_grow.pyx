"""Maximal strings grown token by token, without a suffix array.

A set of occurrences of one string, ascending in the text, is parted by the token that follows; each part that stands in
enough documents is parted again.  A set is given up as soon as it is too rare, or all its occurrences have the same
token before them: then no string that begins there can be maximal.  So a step is paid only for strings that repeat, and
of a long repeat only for its beginnings: on archives three to six steps a token of the text, each a handful of
instructions, where sorting all suffixes also orders what nobody asks for.  Some texts (one token for ever) would take
quadratic time; `grow_strings` counts its steps and gives up, and the caller sorts.

Only buffers and numbers cross the boundary; the loop runs without the GIL.  Arguments are IN unless a docstring says
otherwise.
"""

import numpy as np

from libc.stdint cimport int32_t, int64_t, uint8_t, uint16_t, uint32_t
from libc.stdlib cimport free, malloc
from libc.string cimport memcpy, memset

from templatemine._memory cimport check_bounds, reserve, tm_prefetch
from templatemine._stands cimport STANDS, STOOD_MOST, Stood, stood_add, stood_count, stood_table

__all__ = ["grow_parts", "grow_strings"]

cdef extern from *:
    """
    /* A token of the text and what is known of it, side by side: occurrences lie anywhere, and a look at one costs more
       than all that is done with it.  `fact` is the document and, in the lowest eight bits, how the token stands. */
    #pragma pack(push, 1)
    typedef struct { uint16_t symbol; uint32_t fact; } tm_narrow;
    typedef struct { int32_t symbol; uint32_t fact; } tm_wide;
    #pragma pack(pop)
    """
    ctypedef struct tm_narrow:
        uint16_t symbol
        uint32_t fact

    ctypedef struct tm_wide:
        int32_t symbol
        uint32_t fact


cdef enum:
    AHEAD = 16      # occurrences between asking for a token and looking at it
    BLOCK = 8192    # strings that are kept side by side; an array of all would at times be held twice while it grows

ctypedef fused place_t:
    tm_narrow
    tm_wide


cdef struct Grown:
    int64_t rank
    int32_t first           # lowest place
    int32_t length
    int32_t count
    int32_t df
    int32_t[STANDS] stands


cdef struct Beside:
    # Tokens that stand before and after all occurrences, 0 if there are several.
    int32_t before
    int32_t after


cdef struct Block:
    Grown[BLOCK] rows
    Beside[BLOCK] beside    # of strings that are not maximal


cdef struct Strings:
    Block** blocks
    int64_t room
    int64_t size            # strings
    bint maximal
    Stood[256] stood        # `stood_table`


cdef struct Group:
    int64_t low             # its occurrences are places[low:high], ascending
    int64_t high
    int64_t depth           # tokens of the string


cdef struct Stack:
    Group* groups
    int64_t size
    int64_t room


cdef int stack_push(Stack* stack, int64_t low, int64_t high, int64_t depth) except -1 nogil:
    if stack.size == stack.room:
        reserve(<void**>&stack.groups, &stack.room, stack.size + 1, sizeof(Group))
    stack.groups[stack.size].low = low
    stack.groups[stack.size].high = high
    stack.groups[stack.size].depth = depth
    stack.size += 1
    return 0


cdef inline int32_t alike_before(const place_t* text, const int32_t* places, int64_t size) noexcept nogil:
    """The token that stands before all occurrences, 0 if there are several."""
    cdef int64_t i
    cdef int32_t before
    if places[0] == 0:
        return 0
    before = text[places[0] - 1].symbol
    for i in range(1, size):
        if text[places[i] - 1].symbol != before:
            return 0
    return before


cdef int add_block(Strings* out) except -1 nogil:
    """Room for more strings.  What is beside them is not touched where all are maximal, and costs no memory then."""
    cdef int64_t k = out.size // BLOCK
    reserve(<void**>&out.blocks, &out.room, k + 1, sizeof(Block*))
    out.blocks[k] = <Block*>malloc(sizeof(Block))
    if out.blocks[k] == NULL:
        raise MemoryError
    return 0


cdef void strings_free(Strings* out) noexcept nogil:
    cdef int64_t k
    for k in range((out.size + BLOCK - 1) // BLOCK):
        free(out.blocks[k])
    free(out.blocks)


cdef int keep(Strings* out, const place_t* text, const int32_t* places, const Group* group, int64_t df, int32_t before,
              int32_t after) except -1 nogil:
    """One more string, and how its occurrences stand."""
    cdef int64_t i, end, last = group.depth - 1
    cdef int k
    cdef Grown* row
    cdef Stood stood
    cdef const place_t* place
    if out.size % BLOCK == 0:
        add_block(out)
    row = &out.blocks[out.size // BLOCK].rows[out.size % BLOCK]
    if not out.maximal:
        out.blocks[out.size // BLOCK].beside[out.size % BLOCK] = Beside(before, after)
    row.rank = group.low
    row.first = places[group.low]
    row.length = <int32_t>group.depth
    row.count = <int32_t>(group.high - group.low)
    row.df = <int32_t>df
    memset(row.stands, 0, sizeof(row.stands))
    i = group.low
    while i < group.high:
        memset(&stood, 0, sizeof(Stood))
        end = min(group.high, i + STOOD_MOST)
        while i < end:
            if i + AHEAD < group.high:
                tm_prefetch(text + places[i + AHEAD])
            place = text + places[i]
            stood_add(&stood, out.stood, <int32_t>place.fact, <int32_t>place[last].fact)
            i += 1
        for k in range(STANDS):
            row.stands[k] += <int32_t>stood_count(&stood, k)
    out.size += 1
    return 0


cdef int64_t _grow(const place_t* text, int32_t* places, int32_t* count, int32_t* touched, int32_t* scratch, int32_t* after,
                   Stack* stack, int64_t min_tokens, int64_t min_df, int64_t most, int64_t steps, Strings* out) except -1 nogil:
    """Part all groups on the stack; returns the steps that are left, 0 if they did not suffice.

    With `most` 0 the maximal strings are kept; else all others, but of those that always stand behind the same token only
    those of at most so many tokens.

    `count` is 0 for every symbol between two groups; `scratch`, `after` and `touched` hold one group at a time.
    """
    cdef Group group
    cdef int64_t i, size, df, kinds, cursor, rest, least = max(min_df, 2)
    cdef uint32_t document, last
    cdef int32_t p, s, before
    cdef const place_t* place
    while stack.size:
        stack.size -= 1
        group = stack.groups[stack.size]
        size = group.high - group.low
        before = alike_before(text, places + group.low, size)
        if before and group.depth > most:
            continue
        # While one token follows everywhere, the string is not maximal but its extension may be.
        while True:
            steps -= size
            if steps <= 0:
                return 0
            kinds = 0
            df = 0
            last = 0xFFFFFFFF
            for i in range(size):
                p = places[group.low + i]
                if i + AHEAD < size:
                    place = text + places[group.low + i + AHEAD]
                    tm_prefetch(place)
                    tm_prefetch(place + group.depth)
                place = text + p
                document = place.fact >> 8
                df += document != last
                last = document
                s = place[group.depth].symbol
                scratch[i] = p
                after[i] = s
                touched[kinds] = s
                kinds += count[s] == 0
                count[s] += 1
            if kinds > 1 or after[0] == 0 or df < min_df:
                break
            count[after[0]] = 0
            if most and group.depth >= min_tokens:
                keep(out, text, places, &group, df, before, after[0])
            group.depth += 1
            if before and group.depth > most:
                break
        if before and group.depth > most:
            continue
        if df < min_df:
            for i in range(kinds):
                count[touched[i]] = 0
            continue
        if group.depth >= min_tokens and (most == 0 or before):
            keep(out, text, places, &group, df, before, 0)
        # What is frequent enough moves to the front, a stretch a token; the rest follows in any order.
        count[0] = 0
        cursor = group.low
        for i in range(kinds):
            s = touched[i]
            if count[s] >= least:
                stack_push(stack, cursor, cursor + count[s], group.depth + 1)
                rest = count[s]
                count[s] = <int32_t>(-1 - cursor)
                cursor += rest
            else:
                count[s] = 0
        if cursor > group.low:
            rest = cursor
            for i in range(size):
                s = after[i]
                if count[s] < 0:
                    places[-1 - count[s]] = scratch[i]
                    count[s] -= 1
                else:
                    places[rest] = scratch[i]
                    rest += 1
            for i in range(kinds):
                count[touched[i]] = 0
    return steps


cdef int64_t _run(const int32_t* symbols, const uint8_t* stands, const int64_t* doc_starts, int64_t documents, place_t* text, int64_t n,
                  int32_t* places, int64_t kinds, int64_t min_tokens, int64_t min_df, int64_t most, int64_t steps,
                  Strings* out) except -1 nogil:
    """Sort the places by their token, ascending, and grow from there; `text` is OUT, n + 1 places."""
    cdef int32_t* count = <int32_t*>malloc((kinds + 1) * sizeof(int32_t))
    cdef int32_t* touched = <int32_t*>malloc((kinds + 2) * sizeof(int32_t))
    cdef int32_t* scratch = NULL
    cdef int32_t* after = NULL
    cdef Stack stack
    cdef int64_t d, i, largest = 1, cursor = 0
    memset(&stack, 0, sizeof(Stack))
    stood_table(out.stood)
    try:
        if count == NULL or touched == NULL:
            raise MemoryError
        memset(count, 0, (kinds + 1) * sizeof(int32_t))
        for d in range(documents):
            for i in range(doc_starts[d], doc_starts[d + 1]):
                if place_t is tm_narrow:
                    text[i].symbol = <uint16_t>symbols[i]
                else:
                    text[i].symbol = symbols[i]
                text[i].fact = <uint32_t>d << 8 | stands[i]
                count[symbols[i]] += 1
        text[n].symbol = 0
        text[n].fact = 0
        count[0] = 0
        for i in range(1, kinds):
            if count[i]:
                largest = max(largest, count[i])
                if count[i] >= max(min_df, 2):
                    stack_push(&stack, cursor, cursor + count[i], 1)
            cursor += count[i]
            count[i] = <int32_t>(cursor - count[i])
        for i in range(n):
            if symbols[i]:
                places[count[symbols[i]]] = <int32_t>i
                count[symbols[i]] += 1
        memset(count, 0, (kinds + 1) * sizeof(int32_t))
        scratch = <int32_t*>malloc(largest * sizeof(int32_t))
        after = <int32_t*>malloc(largest * sizeof(int32_t))
        if scratch == NULL or after == NULL:
            raise MemoryError
        return _grow(text, places, count, touched, scratch, after, &stack, min_tokens, min_df, most, steps, out)
    finally:
        free(count)
        free(touched)
        free(scratch)
        free(after)
        free(stack.groups)


def grow_strings(const int32_t[::1] symbols not None, const int64_t[::1] doc_starts not None, const uint8_t[::1] stands not None,
                 int64_t min_tokens, int64_t min_df, int64_t steps):
    """Maximal strings of at least `min_tokens` tokens that occur twice and stand in at least `min_df` documents.

    A string is maximal if no token more to its left or right keeps all its occurrences; breaks and document ends count
    as different tokens.

    Parameters
    ----------
    symbols : int32 array, shape (n,)
        0 is the break, which is part of no string; n below 2^31.
    doc_starts : int64 array, shape (documents + 1,)
        Where each document begins; fewer than 2^23 documents.
    stands : uint8 array, shape (n,)
        What `_core.standing` says of each place.
    steps : int
        Most occurrences that are looked at, all tokens of all strings together.

    Returns
    -------
    None if the steps did not suffice, else

    places : int32 array
        All places but breaks; string i occurs at ``places[rank[i]:rank[i] + count[i]]``.
    rank : int64 array
    first, length, count, df : int32 arrays
        Lowest place; tokens, occurrences, distinct documents.
    stands : int32 array, shape (strings, 11)
        Occurrences by how they stand, see `_strings.stand_counts`.
    """
    cdef Strings out
    memset(&out, 0, sizeof(Strings))
    try:
        out.maximal = True
        places = _all(symbols, doc_starts, stands, min_tokens, min_df, 0, steps, &out)
        if places is None:
            return None
        rank, first, length, count, df, _, _, counts = _columns(&out)
        return places, rank, first, length, count, df, counts
    finally:
        strings_free(&out)


def grow_parts(const int32_t[::1] symbols not None, const int64_t[::1] doc_starts not None, const uint8_t[::1] stands not None,
               int64_t min_tokens, int64_t min_df, int64_t most, int64_t steps):
    """Strings that are not maximal: the same token stands before, or after, all their occurrences.

    Arguments are those of `grow_strings`, and

    Parameters
    ----------
    most : int
        Of strings with the same token before all occurrences, which end and begin anywhere in longer ones, those of at most
        so many tokens.

    Returns
    -------
    None if the steps did not suffice, else

    first, length, count, df : int32 arrays
        Lowest place; tokens, occurrences, distinct documents.
    before, after : int32 arrays
        The symbol that stands before (after) all occurrences; 0 if there are several, or a break.
    stands : int32 array, shape (strings, 11)
        Occurrences by how they stand, see `_strings.stand_counts`.
    """
    cdef Strings out
    if most < 1:
        raise ValueError(f"expected strings of at least one token, got at most {most}")
    memset(&out, 0, sizeof(Strings))
    try:
        if _all(symbols, doc_starts, stands, min_tokens, min_df, most, steps, &out) is None:
            return None
        return _columns(&out)[1:]
    finally:
        strings_free(&out)


cdef object _all(const int32_t[::1] symbols, const int64_t[::1] doc_starts, const uint8_t[::1] stands, int64_t min_tokens,
                 int64_t min_df, int64_t most, int64_t steps, Strings* out):
    """Check the arguments and grow; the places, or None if the steps did not suffice."""
    cdef int64_t n = symbols.shape[0], documents = doc_starts.shape[0] - 1, i, kinds = 1, breaks = 0, left = 0, wrong = -1
    if n != stands.shape[0]:
        raise ValueError(f"expected equal lengths, got {n} and {stands.shape[0]}")
    if n >= 0x7FFFFFFF:
        raise ValueError(f"expected fewer than 2^31 - 1 places, got {n}")
    check_bounds("doc_starts", doc_starts, n)
    if documents >= 0x800000:
        raise ValueError(f"expected fewer than 2^23 documents, got {documents}")
    with nogil:
        for i in range(n):
            if symbols[i] < 0:
                wrong = i
            kinds = max(kinds, <int64_t>symbols[i] + 1)
            breaks += symbols[i] == 0
    if wrong >= 0:
        raise ValueError(f"place {wrong}: expected a symbol from 0, got {symbols[wrong]}")
    places = np.empty(n - breaks, np.int32)
    if n == 0:
        return places
    cdef bint narrow = kinds <= 0x10000
    cdef int32_t[::1] view = places if n > breaks else np.empty(1, np.int32)
    cdef uint8_t[::1] text = np.empty((n + 1) * (sizeof(tm_narrow) if narrow else sizeof(tm_wide)), np.uint8)
    steps = max(steps, 1)
    with nogil:
        if narrow:
            left = _run(&symbols[0], &stands[0], &doc_starts[0], documents, <tm_narrow*>&text[0], n, &view[0], kinds, min_tokens,
                        min_df, most, steps, out)
        else:
            left = _run(&symbols[0], &stands[0], &doc_starts[0], documents, <tm_wide*>&text[0], n, &view[0], kinds, min_tokens,
                        min_df, most, steps, out)
    return places if left else None


cdef tuple _columns(Strings* out):
    """The rows as columns, block by block, each of which is given back; what stands beside strings is empty if they are
    maximal."""
    cdef int64_t i, k, n = out.size, m = 0 if out.maximal else n
    cdef const Grown* row
    cdef int64_t[::1] rank = np.empty(max(n, 1), np.int64)
    cdef int32_t[::1] first = np.empty(max(n, 1), np.int32)
    cdef int32_t[::1] length = np.empty(max(n, 1), np.int32)
    cdef int32_t[::1] count = np.empty(max(n, 1), np.int32)
    cdef int32_t[::1] df = np.empty(max(n, 1), np.int32)
    cdef int32_t[::1] before = np.empty(max(m, 1), np.int32)
    cdef int32_t[::1] after = np.empty(max(m, 1), np.int32)
    cdef int32_t[:, ::1] stands = np.empty((max(n, 1), STANDS), np.int32)
    with nogil:
        for i in range(n):
            k = i // BLOCK
            row = &out.blocks[k].rows[i % BLOCK]
            rank[i] = row.rank
            first[i] = row.first
            length[i] = row.length
            count[i] = row.count
            df[i] = row.df
            memcpy(&stands[i, 0], row.stands, sizeof(row.stands))
            if m:
                before[i] = out.blocks[k].beside[i % BLOCK].before
                after[i] = out.blocks[k].beside[i % BLOCK].after
            if i % BLOCK == BLOCK - 1:
                free(out.blocks[k])
                out.blocks[k] = NULL
    return (np.asarray(rank)[:n], np.asarray(first)[:n], np.asarray(length)[:n], np.asarray(count)[:n], np.asarray(df)[:n],
            np.asarray(before)[:m], np.asarray(after)[:m], np.asarray(stands)[:n])
