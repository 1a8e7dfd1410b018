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

from libc.stdint cimport int32_t, int64_t, uint8_t, uint16_t
from libc.stdlib cimport free, malloc
from libc.string cimport memcpy, memset

from templatemine._text cimport STANDS, check_bounds, count_stand, reserve

__all__ = ["grow_parts", "grow_strings"]

cdef extern from *:
    """
    /* Asks for memory that is wanted some steps later; only a hint, so any address will do. */
    #define tm_prefetch(address) __builtin_prefetch(address)
    """
    void tm_prefetch(const void* address) noexcept nogil


cdef enum:
    AHEAD = 16      # occurrences between asking for a token and looking at it

ctypedef fused symbol_t:
    uint16_t
    int32_t


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


cdef struct Strings:
    Grown* rows
    Beside* beside          # of strings that are not maximal
    int64_t size
    int64_t room
    int64_t beside_room


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


cdef inline symbol_t alike_before(const symbol_t* text, const int32_t* places, int64_t size) noexcept nogil:
    """The token that stands before all occurrences, 0 if there are several."""
    cdef int64_t i
    cdef symbol_t before
    if places[0] == 0:
        return 0
    before = text[places[0] - 1]
    for i in range(1, size):
        if text[places[i] - 1] != before:
            return 0
    return before


cdef int keep(Strings* out, const int32_t* places, const int32_t* facts, const Group* group, int64_t df, int32_t before,
              int32_t after) except -1 nogil:
    """One more string, and how its occurrences stand."""
    cdef int64_t i, last = group.depth - 1
    cdef Grown* row
    if out.size == out.room:
        reserve(<void**>&out.rows, &out.room, out.size + 1, sizeof(Grown))
    row = out.rows + out.size
    if before or after:
        reserve(<void**>&out.beside, &out.beside_room, out.size + 1, sizeof(Beside))
        out.beside[out.size] = Beside(before, after)
    row.rank = group.low
    row.first = places[group.low]
    row.length = <int32_t>group.depth
    row.count = <int32_t>(group.high - group.low)
    row.df = <int32_t>df
    memset(row.stands, 0, sizeof(row.stands))
    for i in range(group.low, group.high):
        count_stand(row.stands, facts[places[i]], facts[places[i] + last])
    out.size += 1
    return 0


cdef int64_t _grow(const symbol_t* text, int64_t n, const int32_t* facts, int32_t* places, int32_t* count, int32_t* touched,
                   int32_t* scratch, symbol_t* after, Stack* stack, int64_t min_tokens, int64_t min_df, int64_t most, int64_t steps,
                   Strings* out) except -1 nogil:
    """Part all groups on the stack; returns the steps that are left, 0 if they did not suffice.

    With `most` 0 the maximal strings are kept; else all others, but of those that always stand behind the same token only
    those of at most so many tokens.

    `count` is 0 for every symbol between two groups; `scratch`, `after` and `touched` hold one group at a time.
    """
    cdef Group group
    cdef int64_t i, size, df, kinds, cursor, rest, least = max(min_df, 2)
    cdef int32_t document, p, place
    cdef symbol_t s, before
    while stack.size:
        stack.size -= 1
        group = stack.groups[stack.size]
        size = group.high - group.low
        before = alike_before(text, places + group.low, size)
        if before and group.depth > most:
            continue
        document = -1
        df = 0
        for i in range(group.low, group.high):
            if i + AHEAD < group.high:
                tm_prefetch(facts + places[i + AHEAD])
            p = facts[places[i]] >> 8
            df += p != document
            document = p
        if df < min_df:
            continue
        # While one token follows everywhere, the string is not maximal but its extension may be.
        while True:
            steps -= size
            if steps <= 0:
                return 0
            kinds = 0
            for i in range(size):
                if i + AHEAD < size:
                    tm_prefetch(text + places[group.low + i + AHEAD] + group.depth)
                p = places[group.low + i]
                s = text[p + group.depth]
                scratch[i] = p
                after[i] = s
                touched[kinds] = <int32_t>s
                kinds += count[s] == 0
                count[s] += 1
            if kinds > 1 or after[0] == 0:
                break
            count[after[0]] = 0
            if most and group.depth >= min_tokens:
                keep(out, places, facts, &group, df, before, after[0])
            group.depth += 1
            if before and group.depth > most:
                break
        if before and group.depth > most:
            continue
        if group.depth >= min_tokens and (most == 0 or before):
            keep(out, places, facts, &group, df, before, 0)
        # What is frequent enough moves to the front, a stretch a token; the rest follows in any order.
        count[0] = 0
        cursor = group.low
        for i in range(kinds):
            s = <symbol_t>touched[i]
            if count[s] >= least:
                stack_push(stack, cursor, cursor + count[s], group.depth + 1)
                place = count[s]
                count[s] = <int32_t>(-1 - cursor)
                cursor += place
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


cdef int64_t _run(const int32_t* symbols, symbol_t* text, int64_t n, const int32_t* facts, int32_t* places, int64_t kinds,
                  int64_t min_tokens, int64_t min_df, int64_t most, int64_t steps, Strings* out) except -1 nogil:
    """Sort the places by their token, ascending, and grow from there."""
    cdef int32_t* count = <int32_t*>malloc((kinds + 1) * sizeof(int32_t))
    cdef int32_t* touched = <int32_t*>malloc((kinds + 2) * sizeof(int32_t))
    cdef int32_t* scratch = NULL
    cdef symbol_t* after = NULL
    cdef Stack stack
    cdef int64_t i, largest = 1, cursor = 0
    memset(&stack, 0, sizeof(Stack))
    try:
        if count == NULL or touched == NULL:
            raise MemoryError
        memset(count, 0, (kinds + 1) * sizeof(int32_t))
        for i in range(n):
            text[i] = <symbol_t>symbols[i]
            count[symbols[i]] += 1
        text[n] = 0
        count[0] = 0
        for i in range(1, kinds):
            if count[i]:
                largest = max(largest, count[i])
                if count[i] >= max(min_df, 2):
                    stack_push(&stack, cursor, cursor + count[i], 1)
            cursor += count[i]
            count[i] = <int32_t>(cursor - count[i])
        for i in range(n):
            if text[i]:
                places[count[text[i]]] = <int32_t>i
                count[text[i]] += 1
        memset(count, 0, (kinds + 1) * sizeof(int32_t))
        scratch = <int32_t*>malloc(largest * sizeof(int32_t))
        after = <symbol_t*>malloc(largest * sizeof(symbol_t))
        if scratch == NULL or after == NULL:
            raise MemoryError
        return _grow(text, n, facts, places, count, touched, scratch, after, &stack, min_tokens, min_df, most, steps, out)
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
    stands : int32 array, shape (strings, 10)
        Occurrences by how they stand, see `_core.stand_counts`.
    """
    cdef Strings out
    memset(&out, 0, sizeof(Strings))
    try:
        places = _all(symbols, doc_starts, stands, min_tokens, min_df, 0, steps, &out)
        if places is None:
            return None
        rank, first, length, count, df, _, _, counts = _columns(&out)
        return places, rank, first, length, count, df, counts
    finally:
        free(out.rows)
        free(out.beside)


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
    stands : int32 array, shape (strings, 10)
        Occurrences by how they stand, see `_core.stand_counts`.
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
        free(out.rows)
        free(out.beside)


cdef object _all(const int32_t[::1] symbols, const int64_t[::1] doc_starts, const uint8_t[::1] stands, int64_t min_tokens,
                 int64_t min_df, int64_t most, int64_t steps, Strings* out):
    """Check the arguments and grow; the places, or None if the steps did not suffice."""
    cdef int64_t n = symbols.shape[0], i, d, kinds = 1, breaks = 0, left = 0, wrong = -1
    if n != stands.shape[0]:
        raise ValueError(f"expected equal lengths, got {n} and {stands.shape[0]}")
    if n >= 0x7FFFFFFF:
        raise ValueError(f"expected fewer than 2^31 - 1 places, got {n}")
    check_bounds("doc_starts", doc_starts, n)
    if doc_starts.shape[0] > 0x800000:
        raise ValueError(f"expected fewer than 2^23 documents, got {doc_starts.shape[0] - 1}")
    cdef int32_t[::1] facts = np.empty(max(n, 1), np.int32)
    with nogil:
        for d in range(doc_starts.shape[0] - 1):
            for i in range(doc_starts[d], doc_starts[d + 1]):
                if symbols[i] < 0:
                    wrong = i
                kinds = max(kinds, symbols[i] + 1)
                breaks += symbols[i] == 0
                facts[i] = <int32_t>d << 8 | stands[i]
    if wrong >= 0:
        raise ValueError(f"place {wrong}: expected a symbol from 0, got {symbols[wrong]}")
    places = np.empty(n - breaks, np.int32)
    cdef int32_t[::1] view = places if n > breaks else np.empty(1, np.int32)
    cdef uint16_t[::1] narrow
    cdef int32_t[::1] wide
    if n == 0:
        left = 1
    elif kinds <= 0x10000:
        narrow = np.empty(n + 1, np.uint16)
        with nogil:
            left = _run[uint16_t](&symbols[0], &narrow[0], n, &facts[0], &view[0], kinds, min_tokens, min_df, most, max(steps, 1), out)
    else:
        wide = np.empty(n + 1, np.int32)
        with nogil:
            left = _run[int32_t](&symbols[0], &wide[0], n, &facts[0], &view[0], kinds, min_tokens, min_df, most, max(steps, 1), out)
    return places if left else None


cdef tuple _columns(const Strings* out):
    """The rows as columns; what stands beside strings is empty if they are maximal."""
    cdef int64_t i, n = out.size, m = n if out.beside != NULL else 0
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
            rank[i] = out.rows[i].rank
            first[i] = out.rows[i].first
            length[i] = out.rows[i].length
            count[i] = out.rows[i].count
            df[i] = out.rows[i].df
            memcpy(&stands[i, 0], out.rows[i].stands, sizeof(out.rows[i].stands))
        for i in range(m):
            before[i] = out.beside[i].before
            after[i] = out.beside[i].after
    return (np.asarray(rank)[:n], np.asarray(first)[:n], np.asarray(length)[:n], np.asarray(count)[:n], np.asarray(df)[:n],
            np.asarray(before)[:m], np.asarray(after)[:m], np.asarray(stands)[:n])
