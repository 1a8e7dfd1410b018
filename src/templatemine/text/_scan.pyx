"""Splits text into tokens: classes of characters, buffers, tables, patterns, tags, normal forms, and the scanner itself.

The other native modules build on this one.  It takes the bytes of texts (UTF-8) and gives tokens with their kinds, and the
forms of tokens, in which each match of a mutable pattern is replaced by a marker and the pattern's number.

In this module and the others, only buffers and numbers cross the boundary to Python.  A kernel is a public ``def`` that
checks and allocates, and a private ``cdef`` loop that runs without the GIL.  Offsets are int64.  Arguments are IN unless a
docstring says otherwise.  Only functions that return arrays import numpy: cleaning does not need it, and so starts sooner.
"""

from functools import lru_cache

from templatemine.errors import CapacityError

from cpython.buffer cimport PyBUF_WRITABLE, PyBuffer_FillInfo, PyBuffer_Release, PyObject_GetBuffer
from libc.stdint cimport INT32_MAX, int32_t, int64_t, uint16_t, uint32_t, uint64_t, uint8_t
from libc.stdlib cimport free, malloc, realloc
from libc.string cimport memchr, memcmp, memcpy, memset

__all__ = [
    "CLASSES", "FILLERS", "Scanner", "Tokeniser", "code_points", "count_keys", "form_hashes", "form_traits", "line_ends",
    "release_memory",
]


# ------------------------------------------------------------------------------------------------------------------ characters
# The classes of characters and the kinds of fillers, for Python.


cdef extern from *:
    """
    #define TM_PAIR(low, high) low, high,
    #define TM_LIST(name, ranges) static const uint32_t tm_##name[] = { ranges(TM_PAIR) 0, 0 };
    TM_LIST(small, TM_SMALL)
    TM_LIST(digits, TM_DIGITS)
    TM_LIST(other_digits, TM_OTHER_DIGITS)
    TM_LIST(letter, TM_LETTER)
    TM_LIST(own_token, TM_OWN_TOKEN)
    TM_LIST(wide_dash, TM_WIDE_DASH)
    TM_LIST(caseless, TM_CASELESS)
    TM_LIST(signs, TM_SIGNS)
    TM_LIST(wide_space, TM_WIDE_SPACE)
    TM_LIST(wide_break, TM_WIDE_BREAK)
    TM_LIST(two_bytes, TM_TWO_BYTES)
    TM_LIST(joints, TM_JOINTS)
    TM_LIST(address_signs, TM_ADDRESS_SIGNS)
    TM_LIST(stops, TM_STOPS)
    TM_LIST(closers, TM_CLOSERS)
    TM_LIST(prose_ends, TM_PROSE_ENDS)
    """
    const uint32_t* tm_small
    const uint32_t* tm_digits
    const uint32_t* tm_other_digits
    const uint32_t* tm_letter
    const uint32_t* tm_own_token
    const uint32_t* tm_wide_dash
    const uint32_t* tm_caseless
    const uint32_t* tm_signs
    const uint32_t* tm_wide_space
    const uint32_t* tm_wide_break
    const uint32_t* tm_two_bytes
    const uint32_t* tm_joints
    const uint32_t* tm_address_signs
    const uint32_t* tm_stops
    const uint32_t* tm_closers
    const uint32_t* tm_prose_ends


cdef str format_ranges(const uint32_t* bounds):
    """The ranges of a class, as pairs of bounds that end with 0, 0, in the syntax between the brackets of an expression."""
    cdef list parts = []
    while bounds[1]:
        parts.append(chr(bounds[0]) if bounds[0] == bounds[1] else f"{chr(bounds[0])}-{chr(bounds[1])}")
        bounds += 2
    return "".join(parts)


CLASSES = {
    "small": format_ranges(tm_small), "digits": format_ranges(tm_digits), "other_digits": format_ranges(tm_other_digits),
    "letter": format_ranges(tm_letter), "own_token": format_ranges(tm_own_token), "wide_dash": format_ranges(tm_wide_dash),
    "caseless": format_ranges(tm_caseless),
    "signs": format_ranges(tm_signs), "wide_space": format_ranges(tm_wide_space), "wide_break": format_ranges(tm_wide_break),
    "two_bytes": format_ranges(tm_two_bytes), "joints": format_ranges(tm_joints),
    "address_signs": format_ranges(tm_address_signs), "stops": format_ranges(tm_stops), "closers": format_ranges(tm_closers),
    "prose_ends": format_ranges(tm_prose_ends),
}
"""Classes of characters in the syntax of expressions, without brackets."""

FILLERS = {"number": NUMBERS, "date": DATES, "duration": DURATIONS, "url": ADDRESS, "names": NAMES, "headlines": HEADLINES,
           "dateline": DATELINE}
"""Named kinds of fillers of a slot, from the narrowest, with the number of each."""


# ---------------------------------------------------------------------------------------------------------------------- memory
# Growing buffers, arrays made of them, and memory returned to the system.


cdef int check_bounds(str name, const int64_t* values, int64_t n, int64_t size) except -1:
    """ValueError unless the n values ascend from 0 to `size`."""
    cdef int64_t i
    if n == 0 or values[0] != 0 or values[n - 1] != size:
        raise ValueError(f"{name}: expected bounds from 0 to {size}")
    for i in range(1, n):
        if values[i] < values[i - 1]:
            raise ValueError(f"{name}: expected ascending bounds, got {values[i - 1]} before {values[i]} at place {i}")
    return 0


cdef bint _has_value_outside(const index_t* values, int64_t n, int64_t low, int64_t high) noexcept nogil:
    cdef int64_t i
    cdef bint outside = False
    cdef index_t top, signs = 0, greatest = <index_t>(~(<uint64_t>1 << (8 * sizeof(index_t) - 1)))
    if low == 0 and 0 < high <= INT32_MAX:
        # For a value below 0 or above `top`, one of the two terms is negative.  Only signs are tested, since the vector
        # instructions compare no unsigned numbers, and compare fewer at once if they are as wide as `high`.
        top = <index_t>(high - 1)
        for i in range(n):
            signs |= values[i] | <index_t>(top - (values[i] & greatest))
        return signs < 0
    # Without a branch, so that the compiler vectorises the loop.
    for i in range(n):
        outside |= (values[i] < low) | (values[i] >= high)
    return outside


cdef int check_within(str name, const index_t* values, int64_t n, int64_t low, int64_t high) except -1:
    """ValueError unless all n values are at least `low` and less than `high`."""
    cdef bint outside
    cdef int64_t i
    with nogil:
        outside = _has_value_outside(values, n, low, high)
    if outside:
        for i in range(n):
            if not low <= values[i] < high:
                raise ValueError(f"{name}: expected values from {low} to {high - 1}, got {values[i]} at place {i}")
    return 0


cdef object copy_to_array(const void* data, int64_t size, object dtype):
    """A new array of `dtype` with `size` bytes from `data`."""
    import numpy as np

    cdef Py_buffer view
    out = np.empty(size // np.dtype(dtype).itemsize, dtype)
    if size:
        PyObject_GetBuffer(out, &view, PyBUF_WRITABLE)
        memcpy(view.buf, data, size)
        PyBuffer_Release(&view)
    return out


cdef class MallocBuffer:
    """Memory from `malloc` that an array is a view of; freed with the array."""
    cdef void* data
    cdef Py_ssize_t size

    def __getbuffer__(self, Py_buffer* view, int flags):
        PyBuffer_FillInfo(view, self, self.data, self.size, 0, flags)

    def __dealloc__(self):
        free(self.data)


cdef object move_to_array(void** data, int64_t size, object dtype):
    """An array of `dtype` that owns `size` bytes from `malloc` (`data` is NULL then); `copy_to_array` would hold them twice."""
    import numpy as np

    cdef MallocBuffer buffer
    cdef void* moved
    if size == 0:
        return np.empty(0, dtype)
    buffer = MallocBuffer.__new__(MallocBuffer)    # before anything moves: it may raise MemoryError
    moved = realloc(data[0], size)
    buffer.data = data[0] if moved == NULL else moved
    buffer.size = size
    data[0] = NULL
    return np.frombuffer(buffer, dtype)


cdef extern from *:
    """
    #if defined(__GLIBC__)
    #include <malloc.h>
    static inline void tm_release(void) { malloc_trim(0); }
    #else
    static inline void tm_release(void) {}
    #endif
    """
    void tm_release() noexcept nogil


def release_memory():
    """Return freed memory to the system.

    The C library of Linux keeps freed blocks of up to 32 MB for later use.  The next source of a run uses them, and
    allocating them anew would take a sixth of the time, so call this only where a process goes on to do something else.
    """
    with nogil:
        tm_release()


cdef void occurrences_free(Occurrences* f) noexcept nogil:
    free(f.position)
    free(f.length)
    free(f.count)
    free(f.df)
    memset(f, 0, sizeof(Occurrences))


cdef int reserve(void** data, int64_t* room, int64_t wanted, int64_t item) except -1 nogil:
    """Make room for `wanted` items of `item` bytes, and for half as many again if there was less; `room` counts items."""
    cdef void* moved
    if wanted <= room[0]:
        return 0
    wanted += (wanted >> 1) + 64
    moved = realloc(data[0], wanted * item)
    if moved == NULL:
        raise MemoryError
    data[0] = moved
    room[0] = wanted
    return 0


cdef int occurrences_push(Occurrences* f, int64_t position, int64_t length, int64_t count, int64_t df) except -1 nogil:
    cdef int64_t room
    if f.size == f.room:
        room = f.room
        reserve(<void**>&f.position, &room, f.size + 1, sizeof(int64_t))
        room = f.room
        reserve(<void**>&f.length, &room, f.size + 1, sizeof(int32_t))
        room = f.room
        reserve(<void**>&f.count, &room, f.size + 1, sizeof(int32_t))
        room = f.room
        reserve(<void**>&f.df, &room, f.size + 1, sizeof(int32_t))
        f.room = room
    f.position[f.size] = position
    f.length[f.size] = <int32_t>length
    f.count[f.size] = <int32_t>count
    f.df[f.size] = <int32_t>df
    f.size += 1
    return 0


cdef object occurrences_to_columns(Occurrences* found):
    """The four columns as arrays; frees `found`."""
    import numpy as np

    try:
        return (copy_to_array(found.position, found.size * 8, np.int64), copy_to_array(found.length, found.size * 4, np.int32),
                copy_to_array(found.count, found.size * 4, np.int32), copy_to_array(found.df, found.size * 4, np.int32))
    finally:
        occurrences_free(found)


# ---------------------------------------------------------------------------------------------------------------------- tables
# Interners: strings in one arena, and short tokens by their keys, both by open addressing.
#
# Look-ups are defined in the .pxd file, so that each module compiles them into its loops; functions that grow a table are here.


cdef int table_init(Table* t) except -1 nogil:
    memset(t, 0, sizeof(Table))
    t.slots = <uint64_t*>malloc(1024 * sizeof(uint64_t))
    t.offset = <int64_t*>malloc(512 * sizeof(int64_t))
    # Never NULL, since an empty string is copied and compared like any other.
    t.arena = <uint8_t*>malloc(64)
    if t.slots == NULL or t.offset == NULL or t.arena == NULL:
        table_free(t)
        raise MemoryError
    t.mask = 1023
    t.room = 512
    t.arena_room = 64
    table_clear(t)
    return 0


cdef void table_clear(Table* t) noexcept nogil:
    """Forget all strings, and keep the room."""
    memset(t.slots, 0, (t.mask + 1) * sizeof(uint64_t))
    t.count = t.arena_size = 0
    t.offset[0] = 0


cdef void table_free(Table* t) noexcept nogil:
    free(t.arena)
    free(t.offset)
    free(t.slots)
    memset(t, 0, sizeof(Table))


cdef int table_grow(Table* t) except -1 nogil:
    cdef uint64_t mask = t.mask * 2 + 1, slot, place
    cdef int64_t i
    cdef uint64_t* slots = <uint64_t*>tm_alloc_zeroed((mask + 1) * sizeof(uint64_t))
    if slots == NULL:
        raise MemoryError
    for i in range(t.count):
        slot = tm_hash(t.arena + t.offset[i], t.offset[i + 1] - t.offset[i])
        place = slot & mask
        while slots[place]:
            place = (place + 1) & mask
        slots[place] = (slot & <uint64_t>0xFFFFFFFF00000000) | <uint64_t>(i + 1)
    free(t.slots)
    t.slots = slots
    t.mask = mask
    return 0


cdef int64_t table_insert(Table* t, const uint8_t* p, int64_t n, uint64_t h) except -1 nogil:
    """Add a string that is not there yet, and return its id.  If memory runs out, the table is unchanged."""
    cdef uint64_t place
    if t.count >= 0x7FFFFFFE:
        with gil:
            raise CapacityError("more than 2^31 - 2 different tokens in one source")
    reserve(<void**>&t.arena, &t.arena_room, t.arena_size + n, 1)
    reserve(<void**>&t.offset, &t.room, t.count + 2, sizeof(int64_t))
    if <uint64_t>(t.count + 1) * 2 > t.mask:
        table_grow(t)
    memcpy(t.arena + t.arena_size, p, n)
    t.arena_size += n
    t.count += 1
    t.offset[t.count] = t.arena_size
    place = h & t.mask
    while t.slots[place]:
        place = (place + 1) & t.mask
    t.slots[place] = (h & <uint64_t>0xFFFFFFFF00000000) | <uint64_t>t.count
    return t.count - 1


cdef int words_init(Words* w, int64_t room) except -1 nogil:
    """Make an empty table with room for so many tokens before it grows."""
    w.count = 0
    w.mask = 255
    while w.mask < <uint64_t>room * 2:
        w.mask = w.mask * 2 + 1
    w.slots = <Word*>tm_alloc_zeroed((w.mask + 1) * sizeof(Word))
    if w.slots == NULL:
        raise MemoryError
    return 0


cdef void words_clear(Words* w) noexcept nogil:
    """Forget all tokens, and keep the room."""
    memset(w.slots, 0, (w.mask + 1) * sizeof(Word))
    w.count = 0


cdef int words_insert(Words* w, uint64_t h, uint64_t a, uint64_t b, int32_t size, int32_t id) except -1 nogil:
    """Add a token that is not there yet."""
    cdef Words grown
    cdef uint64_t i, place
    cdef Word* old
    if <uint64_t>w.count * 2 >= w.mask:
        words_init(&grown, w.count * 2)
        for i in range(w.mask + 1):
            old = w.slots + i
            if old.size:
                words_insert(&grown, tm_key_hash(old.a, old.b, old.size), old.a, old.b, old.size, old.id)
        free(w.slots)
        w[0] = grown
    place = h & w.mask
    while w.slots[place].size:
        place = (place + 1) & w.mask
    w.slots[place].a = a
    w.slots[place].b = b
    w.slots[place].size = size
    w.slots[place].id = id
    w.count += 1
    return 0


# ------------------------------------------------------------------------------------------------- marks: URLs, dates, numbers
# Marks: matches of patterns that may hold separators (URLs, e-mail addresses, dates, phone numbers, hex).
#
# Each `*_end(p, i, n)` gives where the match that begins at byte i of p[:n] ends, or i if none does.  Each is the native
# form of a regular expression of `patterns.TABLE`.


cdef inline bint is_boundary(const uint8_t* p, int64_t i, int64_t n) noexcept nogil:
    """Whether no ASCII letter or digit is at i, as at the end of a text of n bytes."""
    return i >= n or not is_alnum(p[i])


cdef inline int64_t label_end(const uint8_t* p, int64_t i, int64_t n) noexcept nogil:
    """End of `[A-Za-z0-9]+(?:-+[A-Za-z0-9]+)*` at i, or i."""
    cdef int64_t end, j
    if i >= n or not is_alnum(p[i]):
        return i
    end = i
    while True:
        while end < n and is_alnum(p[end]):
            end += 1
        j = end
        while j < n and p[j] == 45:
            j += 1
        if j == end or j >= n or not is_alnum(p[j]):
            return end
        end = j


cdef inline bint ends_url(uint8_t c) noexcept nogil:
    if is_alnum(c):
        return True
    return 33 <= c <= 126 and memchr(b"/_~&=#+$%", c, 9) != NULL


cdef int64_t url_end(const uint8_t* p, int64_t i, int64_t n) noexcept nogil:
    cdef int64_t first, j
    if n - i > 7 and memcmp(p + i, b"http://", 7) == 0:
        first = i + 7
    elif n - i > 8 and memcmp(p + i, b"https://", 8) == 0:
        first = i + 8
    elif n - i > 4 and memcmp(p + i, b"www.", 4) == 0:
        first = i + 4
    elif n - i > 16 and memcmp(p + i, b"pic.twitter.com/", 16) == 0:
        first = i + 16
    else:
        return i
    j = first
    while j < n and is_url_byte(p[j]):
        j += 1
    while j > first and not ends_url(p[j - 1]):
        j -= 1
    return j if j > first else i


cdef int64_t email_end(const uint8_t* p, int64_t i, int64_t n) noexcept nogil:
    cdef int64_t at = i + 1, end, dot
    if not is_alnum(p[i]):
        return i
    while at < n and at - i <= 63 and (is_alnum(p[at]) or p[at] == 46 or p[at] == 95 or p[at] == 37 or p[at] == 43
                                       or p[at] == 45):
        at += 1
    if at >= n or p[at] != 64:
        return i
    dot = label_end(p, at + 1, n)
    end = i
    while dot > at + 1 and dot < n and p[dot] == 46:
        at = dot
        dot = label_end(p, at + 1, n)
        if dot > at + 1:
            end = dot
    return end


cdef inline bint has_digits(const uint8_t* p, int64_t i, int64_t n, int count) noexcept nogil:
    cdef int k
    if i + count > n:
        return False
    for k in range(count):
        if not is_digit(p[i + k]):
            return False
    return True


cdef int64_t zone_end(const uint8_t* p, int64_t i, int64_t n) noexcept nogil:
    """End of `(?:Z|[+-]dd:?dd)` at i, or i."""
    if i < n and p[i] == 90:
        return i + 1
    if i < n and (p[i] == 43 or p[i] == 45) and has_digits(p, i + 1, n, 2):
        if i + 3 < n and p[i + 3] == 58 and has_digits(p, i + 4, n, 2):
            return i + 6
        if has_digits(p, i + 3, n, 2):
            return i + 5
    return i


cdef int64_t iso_end(const uint8_t* p, int64_t i, int64_t n) noexcept nogil:
    """Of the readings that end at a boundary, the longest: the order in which the expression backtracks."""
    cdef int64_t date, hm, hms, frac, end
    if not (has_digits(p, i, n, 4) and i + 4 < n and p[i + 4] == 45 and has_digits(p, i + 5, n, 2) and i + 7 < n and p[i + 7] == 45
            and has_digits(p, i + 8, n, 2)):
        return i
    date = i + 10
    if (date < n and p[date] == 84 and has_digits(p, date + 1, n, 2) and date + 3 < n and p[date + 3] == 58
            and has_digits(p, date + 4, n, 2)):
        hm = date + 6
        if hm < n and p[hm] == 58 and has_digits(p, hm + 1, n, 2):
            hms = hm + 3
            if hms < n and p[hms] == 46 and has_digits(p, hms + 1, n, 1):
                frac = hms + 1
                while frac < n and is_digit(p[frac]):
                    frac += 1
                end = zone_end(p, frac, n)
                if end > frac and is_boundary(p, end, n):
                    return end
                if is_boundary(p, frac, n):
                    return frac
            end = zone_end(p, hms, n)
            if end > hms and is_boundary(p, end, n):
                return end
            if is_boundary(p, hms, n):
                return hms
        end = zone_end(p, hm, n)
        if end > hm and is_boundary(p, end, n):
            return end
        if is_boundary(p, hm, n):
            return hm
    return date if is_boundary(p, date, n) else i


cdef inline bint joins_digits(uint8_t c) noexcept nogil:
    return c == 45 or c == 46


cdef int64_t phone_core_end(const uint8_t* p, int64_t i, int64_t n) noexcept nogil:
    cdef int64_t j
    if i + 5 <= n and p[i] == 40 and has_digits(p, i + 1, n, 3) and p[i + 4] == 41:
        j = i + 5
    elif has_digits(p, i, n, 3) and i + 3 < n and joins_digits(p[i + 3]):
        j = i + 4
    else:
        return -1
    if has_digits(p, j, n, 3) and j + 3 < n and joins_digits(p[j + 3]) and has_digits(p, j + 4, n, 4) and is_boundary(p, j + 8, n):
        return j + 8
    return -1


cdef int64_t phone_end(const uint8_t* p, int64_t i, int64_t n) noexcept nogil:
    cdef int64_t j = i + (1 if p[i] == 43 else 0), k, end
    k = j
    while k < n and k - j < 3 and is_digit(p[k]):
        k += 1
    if k > j and k < n and joins_digits(p[k]):
        end = phone_core_end(p, k + 1, n)
        if end >= 0:
            return end
    end = phone_core_end(p, i, n)
    return end if end >= 0 else i


cdef inline bint is_hex(uint8_t c) noexcept nogil:
    return is_digit(c) or 97 <= c <= 102


cdef inline int64_t count_hex(const uint8_t* p, int64_t i, int64_t n, int64_t count) noexcept nogil:
    cdef int64_t k = i
    while k < n and k - i < count and is_hex(p[k]):
        k += 1
    return k - i


cdef int64_t uuid_end(const uint8_t* p, int64_t i, int64_t n) noexcept nogil:
    if (i + 36 <= n and p[i + 8] == 45 and p[i + 13] == 45 and p[i + 18] == 45 and p[i + 23] == 45 and count_hex(p, i, n, 8) == 8
            and count_hex(p, i + 9, n, 4) == 4 and count_hex(p, i + 14, n, 4) == 4 and count_hex(p, i + 19, n, 4) == 4
            and count_hex(p, i + 24, n, 12) == 12 and is_boundary(p, i + 36, n)):
        return i + 36
    return i


cdef int64_t hex_end(const uint8_t* p, int64_t i, int64_t n) noexcept nogil:
    cdef int64_t k = i
    cdef bint digit = False, letter = False
    while k < n and is_hex(p[k]):
        if is_digit(p[k]):
            digit = True
        else:
            letter = True
        k += 1
    return k if k - i >= 8 and digit and letter and is_boundary(p, k, n) else i


cdef int64_t mark_end(const uint8_t* p, int64_t i, int64_t n, const uint8_t* on, int* pattern) noexcept nogil:
    """End of the mark that begins at i, or i.  The order of the tests is the order of patterns.TABLE."""
    cdef int64_t end
    if i > 0 and is_alnum(p[i - 1]):
        return i
    if on[URL]:
        end = url_end(p, i, n)
        if end > i:
            pattern[0] = URL
            return end
    if on[EMAIL]:
        end = email_end(p, i, n)
        if end > i:
            pattern[0] = EMAIL
            return end
    if on[HANDLE] and p[i] == 64:
        end = i + 1
        while end < n and (is_alnum(p[end]) or p[end] == 95):
            end += 1
        if end > i + 1:
            pattern[0] = HANDLE
            return end
    if on[ISO_DATE]:
        end = iso_end(p, i, n)
        if end > i:
            pattern[0] = ISO_DATE
            return end
    if on[PHONE]:
        end = phone_end(p, i, n)
        if end > i:
            pattern[0] = PHONE
            return end
    if on[UUID]:
        end = uuid_end(p, i, n)
        if end > i:
            pattern[0] = UUID
            return end
    if on[HEX]:
        end = hex_end(p, i, n)
        if end > i:
            pattern[0] = HEX
            return end
    return i


cdef bint may_hold_mark(const uint8_t* p, int64_t n) noexcept nogil:
    """Whether n bytes hold an at-sign, a digit, "://", "www." or "pic.", as every mark does: a cheap test."""
    cdef int64_t i
    cdef uint8_t c
    for i in range(n):
        c = p[i]
        if is_digit(c) or c == 64 or (c == 47 and i > 0 and p[i - 1] == 58):
            return True
        if (c == 119 or c == 112) and n - i > 4 and (memcmp(p + i, b"www.", 4) == 0 or memcmp(p + i, b"pic.", 4) == 0):
            return True
    return False


# ------------------------------------------------------------------------------------------------------------------------ tags
# Tags of HTML as tokens: where a tag ends, and its form: its name with the attributes class and id.


cdef inline bint is_script_name(const uint8_t* p, int64_t n) noexcept nogil:
    """Whether the name of an element, of n bytes at most, is "script"."""
    return n >= 6 and same_letters(p, b"script", 6) and (n == 6 or not (is_alnum(p[6]) or p[6] == 95))


cdef int64_t script_end(const uint8_t* p, int64_t i, int64_t n) noexcept nogil:
    """Where the end tag of the script whose content begins at i begins, or n.

    Between ``<!--`` and ``-->``, a start tag and an end tag of a script are a pair that belongs to the content: scripts hide
    the tags that they write in this way (HTML standard, sections 13.2.5.15 to 31: "script data double escaped").
    """
    cdef bint escaped = False, double_escaped = False
    cdef const void* hit
    while i < n:
        if not escaped:
            hit = memchr(p + i, 60, n - i)
            if hit == NULL:
                return n
            i = <const uint8_t*>hit - p
            if i + 3 < n and p[i + 1] == 33 and p[i + 2] == 45 and p[i + 3] == 45:
                escaped = True
                i += 2                      # the two dashes of <!--> close it, too
                continue
        elif p[i] == 45 and i + 2 < n and p[i + 1] == 45 and p[i + 2] == 62:
            escaped = double_escaped = False
            i += 3
            continue
        if p[i] == 60 and i + 1 < n:
            if p[i + 1] == 47 and is_script_name(p + i + 2, n - i - 2):
                if not double_escaped:
                    return i
                double_escaped = False
            elif escaped and is_script_name(p + i + 1, n - i - 1):
                double_escaped = True
        i += 1
    return n


cdef int64_t element_end(const uint8_t* p, int64_t i, int64_t n, const char* name, int64_t size) noexcept nogil:
    """End of `</name ...>` at or after i; n if the element is never closed."""
    cdef const void* hit
    cdef int64_t j
    while i < n:
        hit = memchr(p + i, 60, n - i)
        if hit == NULL:
            return n
        i = <const uint8_t*>hit - p
        if i + 2 + size <= n and p[i + 1] == 47 and same_letters(p + i + 2, name, size) and is_boundary(p, i + 2 + size, n):
            j = i + 2 + size
            hit = memchr(p + j, 62, n - j)
            return n if hit == NULL else <const uint8_t*>hit - p + 1
        i += 1
    return n


cdef int64_t tag_end(const uint8_t* p, int64_t i, int64_t n, uint8_t* kind) noexcept nogil:
    """End of the mark-up that begins with '<' at i, or i if there is none.  A tag ends at its first '>'."""
    cdef const void* hit
    cdef int64_t j
    if i + 1 >= n or not (is_alpha(p[i + 1]) or p[i + 1] == 47 or p[i + 1] == 33 or p[i + 1] == 63):
        return i
    if i + 3 < n and p[i + 1] == 33 and p[i + 2] == 45 and p[i + 3] == 45:
        kind[0] = RAW
        j = i + 4
        while j < n:
            hit = memchr(p + j, 62, n - j)
            if hit == NULL:
                return n
            j = <const uint8_t*>hit - p + 1
            if p[j - 2] == 45 and p[j - 3] == 45 and j - 3 >= i + 2:
                return j
        return n
    hit = memchr(p + i, 62, n - i)
    j = n if hit == NULL else <const uint8_t*>hit - p + 1
    kind[0] = TAG
    if i + 7 <= n and same_letters(p + i + 1, "script", 6) and is_boundary(p, i + 7, n):
        kind[0] = RAW
        return element_end(p, j, n, "script", 6)
    if i + 6 <= n and same_letters(p + i + 1, "style", 5) and is_boundary(p, i + 6, n):
        kind[0] = RAW
        return element_end(p, j, n, "style", 5)
    return j


cdef int64_t find_attribute(const uint8_t* p, int64_t i, int64_t n, int64_t* name_end, int64_t* value,
                            int64_t* value_end) noexcept nogil:
    """Find the next attribute at or after i.  Returns where it begins, or n if there is none.

    `name_end`, `value` and `value_end` (OUT): its name is [begin, name_end), its value [value, value_end).
    """
    cdef uint8_t quote
    while i < n and (p[i] <= 32 or p[i] == 47):
        i += 1
    if i >= n:
        return n
    # A leading equals sign belongs to the name (HTML standard, 13.2.5.32).
    name_end[0] = i + 1
    while name_end[0] < n and p[name_end[0]] > 32 and p[name_end[0]] != 61 and p[name_end[0]] != 47:
        name_end[0] += 1
    value[0] = name_end[0]
    while value[0] < n and p[value[0]] <= 32:
        value[0] += 1
    if value[0] >= n or p[value[0]] != 61:
        value[0] = name_end[0]
        value_end[0] = name_end[0]
        return i
    value[0] += 1
    while value[0] < n and p[value[0]] <= 32:
        value[0] += 1
    if value[0] < n and (p[value[0]] == 34 or p[value[0]] == 39):
        quote = p[value[0]]
        value[0] += 1
        value_end[0] = value[0]
        while value_end[0] < n and p[value_end[0]] != quote:
            value_end[0] += 1
    else:
        value_end[0] = value[0]
        while value_end[0] < n and p[value_end[0]] > 32:
            value_end[0] += 1
    return i


cdef uint8_t* write_value(const Spec* spec, const uint8_t* p, int64_t i, int64_t end, uint8_t* o) noexcept nogil:
    """Write the value [i, end) of an attribute, with runs of white space as one blank and runs of ASCII digits as numbers.

    Returns the end of what was written.
    """
    cdef bint has_text = False, blank = False
    while i < end:
        if p[i] <= 32:
            blank = True
            i += 1
            continue
        if blank and has_text:
            o[0] = 32
            o += 1
        blank = False
        has_text = True
        if spec.on[NUMBER] and is_digit(p[i]):
            while i < end and is_digit(p[i]):
                i += 1
            o[0] = MARKER
            o[1] = NUMBER
            o += 2
        else:
            o[0] = p[i]
            o += 1
            i += 1
    return o


cdef int64_t tag_form(const Spec* spec, const uint8_t* p, int64_t n, uint8_t kind, uint8_t* out) noexcept nogil:
    """Write the form of a tag: its name in lower case, class and id.  Returns its bytes.

    `out` (OUT) has room for 2 n + 32 bytes.
    """
    cdef uint8_t* o = out
    cdef int64_t i = 1, j, end, name_end = 0, value = 0, value_end = 0
    cdef int which
    cdef const char* names = "classid"
    cdef bint matches_name
    if kind == RAW:
        if p[1] == 33:
            memcpy(out, b"<!---->", 7)
            return 7
        if (p[2] | 32) == 99:
            memcpy(out, b"<script>", 8)
            return 8
        memcpy(out, b"<style>", 7)
        return 7
    end = n - 1 if p[n - 1] == 62 else n
    o[0] = 60
    o += 1
    if i < end and p[i] == 47:
        o[0] = 47
        o += 1
        i += 1
    while i < end and p[i] > 32 and p[i] != 47:
        o[0] = (p[i] | 32) if is_upper(p[i]) else p[i]
        o += 1
        i += 1
    if is_alpha(p[1]):
        for which in range(2):
            j = find_attribute(p, i, end, &name_end, &value, &value_end)
            while j < end:
                if which == 0:
                    matches_name = name_end - j == 5 and same_letters(p + j, names, 5)
                else:
                    matches_name = name_end - j == 2 and same_letters(p + j, names + 5, 2)
                if matches_name and value_end > value:
                    memcpy(o, b" class=\"" if which == 0 else b" id=\"", 8 if which == 0 else 5)
                    o += 8 if which == 0 else 5
                    o = write_value(spec, p, value, value_end, o)
                    o[0] = 34
                    o += 1
                    break
                j = find_attribute(p, max(value_end + 1, name_end), end, &name_end, &value, &value_end)
    if end < n:
        o[0] = 62
        o += 1
    return o - out


# ----------------------------------------------------------------------------------------------------------------------- UTF-8
# Strings of Python to UTF-8 without the GIL, and code points counted in UTF-8.
#
# The input is code units of one, two or four bytes, as a str holds them; the output is bytes in a buffer that is reused.  Cost
# is linear, sixteen characters at a time while they are ASCII.  Python's own conversion would keep its bytes as long as the
# str lives.


cdef extern from *:
    """
    #include <stdint.h>
    #if defined(__SSE2__)
    #include <emmintrin.h>
    #endif

    /* How many of n bytes begin a character.  Bytes that continue one are 10xxxxxx: as signed numbers less than -64. */
    static inline int64_t tm_count_begins(const uint8_t *p, int64_t n) {
        int64_t i = 0, count = 0;
    #if defined(__SSE2__)
        while (i + 16 <= n) {
            /* Each byte counts its own column, which holds 255. */
            const int64_t end = i + 16 * 255 <= n ? i + 16 * 255 : n;
            __m128i sums = _mm_setzero_si128();
            for (; i + 16 <= end; i += 16)
                sums = _mm_sub_epi8(sums, _mm_cmpgt_epi8(_mm_loadu_si128((const __m128i *)(p + i)), _mm_set1_epi8(-65)));
            sums = _mm_sad_epu8(sums, _mm_setzero_si128());
            count += _mm_cvtsi128_si32(sums) + _mm_cvtsi128_si32(_mm_srli_si128(sums, 8));
        }
    #endif
        for (; i < n; i++) count += (int8_t)p[i] > -65;
        return count;
    }

    /* How many of n bytes precede the first that is one of two. */
    static inline int64_t tm_first_of(const uint8_t *p, int64_t n, uint8_t one, uint8_t other) {
        int64_t i = 0;
    #if defined(__SSE2__)
        const __m128i ones = _mm_set1_epi8((char)one), others = _mm_set1_epi8((char)other);
        for (; i + 16 <= n; i += 16) {
            const __m128i v = _mm_loadu_si128((const __m128i *)(p + i));
            const unsigned hit = (unsigned)_mm_movemask_epi8(_mm_or_si128(_mm_cmpeq_epi8(v, ones), _mm_cmpeq_epi8(v, others)));
            if (hit) return i + __builtin_ctz(hit);
        }
    #endif
        while (i < n && p[i] != one && p[i] != other) i++;
        return i;
    }

    /* Write sixteen code units as bytes; returns how many before the first that is not ASCII, which are all that is valid. */
    #if defined(__SSE2__)
    static inline int tm_first_zero(__m128i ascii) {
        const unsigned other = ~(unsigned)_mm_movemask_epi8(ascii) & 0xFFFF;
        return other ? __builtin_ctz(other) : 16;
    }

    static inline int tm_narrow1(const uint8_t *in, uint8_t *out) {
        const __m128i v = _mm_loadu_si128((const __m128i *)in);
        _mm_storeu_si128((__m128i *)out, v);
        const unsigned other = (unsigned)_mm_movemask_epi8(v);
        return other ? __builtin_ctz(other) : 16;
    }

    static inline int tm_narrow2(const uint16_t *in, uint8_t *out) {
        const __m128i a = _mm_loadu_si128((const __m128i *)in), b = _mm_loadu_si128((const __m128i *)(in + 8));
        const __m128i high = _mm_set1_epi16((short)0xFF80), zero = _mm_setzero_si128();
        _mm_storeu_si128((__m128i *)out, _mm_packus_epi16(a, b));
        return tm_first_zero(_mm_packs_epi16(_mm_cmpeq_epi16(_mm_and_si128(a, high), zero),
                                             _mm_cmpeq_epi16(_mm_and_si128(b, high), zero)));
    }

    static inline int tm_narrow4(const uint32_t *in, uint8_t *out) {
        const __m128i high = _mm_set1_epi32((int)0xFFFFFF80), zero = _mm_setzero_si128();
        __m128i v[4], ascii[4];
        for (int k = 0; k < 4; k++) {
            v[k] = _mm_loadu_si128((const __m128i *)(in + 4 * k));
            ascii[k] = _mm_cmpeq_epi32(_mm_and_si128(v[k], high), zero);
        }
        _mm_storeu_si128((__m128i *)out, _mm_packus_epi16(_mm_packs_epi32(v[0], v[1]), _mm_packs_epi32(v[2], v[3])));
        return tm_first_zero(_mm_packs_epi16(_mm_packs_epi32(ascii[0], ascii[1]), _mm_packs_epi32(ascii[2], ascii[3])));
    }
    #else
    #define TM_NARROW(NAME, UNIT) \
        static inline int NAME(const UNIT *in, uint8_t *out) { \
            int k = 0; \
            for (; k < 16 && in[k] < 0x80; k++) out[k] = (uint8_t)in[k]; \
            return k; \
        }
    TM_NARROW(tm_narrow1, uint8_t)
    TM_NARROW(tm_narrow2, uint16_t)
    TM_NARROW(tm_narrow4, uint32_t)
    #endif
    """
    int64_t tm_count_begins(const uint8_t* p, int64_t n) noexcept nogil
    int64_t tm_first_of(const uint8_t* p, int64_t n, uint8_t one, uint8_t other) noexcept nogil
    int tm_narrow1(const uint8_t* units, uint8_t* out) noexcept nogil
    int tm_narrow2(const uint16_t* units, uint8_t* out) noexcept nogil
    int tm_narrow4(const uint32_t* units, uint8_t* out) noexcept nogil


cdef int64_t count_points(const uint8_t* p, int64_t start, int64_t end) noexcept nogil:
    """How many code points begin in [start, end)."""
    return tm_count_begins(p + start, end - start)


cdef int64_t skip_points(const uint8_t* p, int64_t i, int64_t number) noexcept nogil:
    """The byte that is so many code points after i."""
    while number:
        i += 1 if p[i] < 0x80 else 2 if p[i] < 0xE0 else 3 if p[i] < 0xF0 else 4
        number -= 1
    return i


ctypedef fused Unit:
    uint8_t
    uint16_t
    uint32_t


cdef int64_t write_utf8(const Unit* units, int64_t number, bint surrogates, uint8_t* out) noexcept nogil:
    """Write code units as UTF-8; returns the bytes written, or -1 if there are surrogates and `surrogates` is False."""
    cdef int64_t i = 0, size = 0, k
    cdef int ascii
    cdef uint32_t c
    while i < number:
        # Sixteen at a time while all are ASCII.
        while i + 16 <= number:
            if Unit is uint8_t:
                ascii = tm_narrow1(units + i, out + size)
            elif Unit is uint16_t:
                ascii = tm_narrow2(units + i, out + size)
            else:
                ascii = tm_narrow4(units + i, out + size)
            i += ascii
            size += ascii
            if ascii < 16:
                break
        # Now a character that is not ASCII; where several follow each other, a test for ASCII after each would not pay.
        k = min(number, i + (1 if i + 1 < number and units[i + 1] < 0x80 else 16))
        while i < k:
            c = units[i]
            i += 1
            if c < 0x80:
                out[size] = <uint8_t>c
                size += 1
            elif c < 0x800:
                out[size] = <uint8_t>(0xC0 | c >> 6)
                out[size + 1] = <uint8_t>(0x80 | c & 0x3F)
                size += 2
            elif c < 0x10000:
                if 0xD800 <= c < 0xE000 and not surrogates:
                    return -1
                out[size] = <uint8_t>(0xE0 | c >> 12)
                out[size + 1] = <uint8_t>(0x80 | c >> 6 & 0x3F)
                out[size + 2] = <uint8_t>(0x80 | c & 0x3F)
                size += 3
            else:
                out[size] = <uint8_t>(0xF0 | c >> 18)
                out[size + 1] = <uint8_t>(0x80 | c >> 12 & 0x3F)
                out[size + 2] = <uint8_t>(0x80 | c >> 6 & 0x3F)
                out[size + 3] = <uint8_t>(0x80 | c & 0x3F)
                size += 4
    return size


cdef const uint8_t* encode_utf8(const StrView* text, bint surrogates, Bytes* room, int64_t* size) except? NULL nogil:
    """A str as UTF-8: its own bytes if it is ASCII, else in `room` (INOUT).

    `size` (OUT) is the number of bytes, or -1 if the str holds lone surrogates and `surrogates` is False.
    """
    cdef int64_t n = text.points
    if text.ascii:
        size[0] = n
        return <const uint8_t*>text.units
    # The most bytes that a unit becomes: two of one byte, three of two bytes, four of four.
    reserve(<void**>&room.data, &room.room, n * (2 if text.kind == 1 else 3 if text.kind == 2 else 4), 1)
    if text.kind == 1:
        size[0] = write_utf8[uint8_t](<const uint8_t*>text.units, n, surrogates, room.data)
    elif text.kind == 2:
        size[0] = write_utf8[uint16_t](<const uint16_t*>text.units, n, surrogates, room.data)
    else:
        size[0] = write_utf8[uint32_t](<const uint32_t*>text.units, n, surrogates, room.data)
    return room.data


# ------------------------------------------------------------------------------------------------------------- forms of tokens
# The form of a token, in which each match of a mutable pattern is a marker and the number of the pattern; and the traits of
# forms.
#
# A form takes time linear in its token; the Tokeniser asks for it once per type.


cdef extern from "Python.h":
    bint Py_UNICODE_ISLOWER(uint32_t c) noexcept nogil
    bint Py_UNICODE_ISUPPER(uint32_t c) noexcept nogil


cdef enum:
    MAX_LISTED_WORD = 48    # bytes of a word of the closed lists


cdef inline int digit_width(const uint8_t* p, int64_t n) noexcept nogil:
    """Bytes of the decimal digit at p, 0 if there is none."""
    cdef int width = 0
    if p[0] < 0x80:
        return is_digit(p[0])
    return width if is_any_digit(decode(p, n, &width)) else 0


cdef int64_t letters_end(const uint8_t* p, int64_t i, int64_t n) noexcept nogil:
    cdef int width = 0
    while i < n and is_letter(decode(p + i, n - i, &width)):
        i += width
    return i


cdef int64_t number_end(const uint8_t* p, int64_t i, int64_t n, int* pattern) noexcept nogil:
    """End of digits with single joints between them; `pattern` (OUT) is NUMBER, CLOCK, DATE or NUMERIC, by the joints."""
    cdef int joints = 0, width
    cdef uint8_t c
    while True:
        width = digit_width(p + i, n - i)
        while width:
            i += width
            width = digit_width(p + i, n - i) if i < n else 0
        if i + 1 >= n or digit_width(p + i + 1, n - i - 1) == 0:
            break
        c = p[i]
        if c == 46 or c == 44:
            joints |= 1
        elif c == 58:
            joints |= 2
        elif c == 47 or c == 92:
            joints |= 4
        else:
            break
        i += 1
    pattern[0] = NUMBER if joints <= 1 else CLOCK if joints == 2 else DATE if joints == 4 else NUMERIC
    return i


cdef int64_t other_number_end(const uint8_t* p, int64_t i, int64_t n) noexcept nogil:
    """End of digits of the scripts of Asia with single joints of any kind between them."""
    cdef int width = 0, after = 0
    while i < n:
        if is_other_digit(decode(p + i, n - i, &width)):
            i += width
        elif memchr(b".,:/\\", p[i], 5) != NULL and i + 1 < n and is_other_digit(decode(p + i + 1, n - i - 1, &after)):
            i += 1
        else:
            break
    return i


cdef int64_t dotted_meridiem_end(const uint8_t* p, int64_t i, int64_t n) noexcept nogil:
    """End of `[ap]\\.m\\.` at i, or i."""
    if i + 4 <= n and (p[i] == 97 or p[i] == 112) and p[i + 1] == 46 and p[i + 2] == 109 and p[i + 3] == 46:
        return i + 4
    return i


cdef int64_t number_suffix_end(const uint8_t* p, int64_t i, int64_t n, const uint8_t* on, int* pattern) noexcept nogil:
    """End of a suffix that makes the digits before i an ordinal, a time or a percentage (`pattern`, INOUT), or i."""
    cdef int64_t end = letters_end(p, i, n)
    cdef uint8_t a, b
    if end == i + 2:
        a = p[i]
        b = p[i + 1]
        if pattern[0] == NUMBER and on[ORDINAL] and (
                (a == 115 and b == 116) or (a == 110 and b == 100) or (a == 114 and b == 100) or (a == 116 and b == 104)):
            pattern[0] = ORDINAL
            return end
        if on[TIME] and pattern[0] <= CLOCK and (((a == 97 or a == 112) and b == 109) or ((a == 65 or a == 80) and b == 77)):
            pattern[0] = TIME
            return end
    elif end == i + 1 and on[TIME] and pattern[0] <= CLOCK:
        end = dotted_meridiem_end(p, i, n)
        if end > i and letters_end(p, end, n) == end:
            pattern[0] = TIME
            return end
    elif end == i and pattern[0] == NUMBER and on[PERCENT] and i < n:
        if p[i] == 37:
            pattern[0] = PERCENT
            return i + 1
        if i + 2 <= n and p[i] == 0xD9 and p[i + 1] == 0xAA:
            pattern[0] = PERCENT
            return i + 2
    return i


cdef inline int currency_width(const uint8_t* p, int64_t n) noexcept nogil:
    """Bytes of the currency sign at p, or 0."""
    if p[0] == 36:
        return 1
    if p[0] == 0xC2 and n >= 2 and (p[1] == 0xA3 or p[1] == 0xA5):
        return 2
    if p[0] == 0xE2 and n >= 3 and p[1] == 0x82 and (p[2] == 0xAC or p[2] == 0xB9):
        return 3
    return 0


cdef inline int rule_width(const uint8_t* p, int64_t n) noexcept nogil:
    """Bytes of the character at p if rules are drawn with it (dashes, stars ...), else 0."""
    cdef uint8_t c = p[0]
    if c == 95 or c == 61 or c == 42 or c == 126 or c == 35:
        return 1
    if c == 0xE2 and n >= 3 and ((p[1] == 0x80 and p[2] == 0x93) or (p[1] == 0x94 and 0x80 <= p[2] <= 0x81)):
        return 3
    return 0


cdef int64_t match_letters(const Spec* spec, const uint8_t* p, int64_t i, int64_t n, int* pattern) noexcept nogil:
    """Match the run of letters at i.  Returns the end of the match, of which `pattern` (OUT) is the number, or of the run if it
    is literal (pattern 0)."""
    cdef int64_t end = letters_end(p, i, n), k, found
    cdef const uint8_t* on = &spec.on[0]
    pattern[0] = 0
    if on[ABBREVIATION] and 2 <= end - i <= 5 and end < n and p[end] == 46 and is_upper(p[i]):
        k = i
        while k < end and is_alpha(p[k]):
            k += 1
        if k == end:
            pattern[0] = ABBREVIATION
            return end + 1
    if end == i + 1:
        if on[INITIALS] and is_upper(p[i]):
            k = i
            while k + 1 < n and is_upper(p[k]) and p[k + 1] == 46 and letters_end(p, k, n) == k + 1:
                k += 2
            if k - i >= 4:
                pattern[0] = INITIALS
                return k
        if on[MERIDIEM]:
            k = dotted_meridiem_end(p, i, n)
            if k > i:
                pattern[0] = MERIDIEM
                return k
    if spec.words.count and end - i <= MAX_LISTED_WORD:
        found = table_find(&spec.words, p + i, end - i, tm_hash(p + i, end - i))
        if found >= 0:
            pattern[0] = spec.word_pattern[found]
            return end
    if on[UPPER] and is_all_upper(p, i, end):
        pattern[0] = UPPER
    return end


cdef int64_t normalise_without_marks(const Spec* spec, const uint8_t* p, int64_t n, uint8_t* out) noexcept nogil:
    """Write the form of n bytes without marks: matches of patterns as numbers, all else as it is.  Returns its bytes."""
    cdef uint8_t* o = out
    cdef int64_t i = 0, end, k
    cdef int pattern = 0, width = 0
    cdef const uint8_t* on = &spec.on[0]
    while i < n:
        end = i
        if p[i] == MARKER and i + 1 < n:
            end = i + 2
            pattern = 0
        elif on[NUMBER] and digit_width(p + i, n - i):
            end = number_end(p, i, n, &pattern)
            end = number_suffix_end(p, end, n, on, &pattern) if end < n else end
        elif on[NUMBER_WORLD] and is_other_digit(decode(p + i, n - i, &width)):
            end = other_number_end(p, i, n)
            pattern = NUMBER_WORLD
        elif on[RULE] and rule_width(p + i, n - i):
            k = 0
            while end < n and rule_width(p + end, n - end):
                end += rule_width(p + end, n - end)
                k += 1
            pattern = RULE if k >= 3 else 0
        elif is_letter(decode(p + i, n - i, &width)):
            end = match_letters(spec, p, i, n, &pattern)
        else:
            pattern = 0
            end = i + width
            if on[PRICE]:
                width = currency_width(p + i, n - i)
                if width and i + width < n and digit_width(p + i + width, n - i - width):
                    k = number_end(p, i + width, n, &pattern)
                    if k < n:
                        # "$5am" is a sign and a time, like "$5:30am": a form must not depend on the joints of a number.
                        k = number_suffix_end(p, k, n, on, &pattern)
                    if pattern == NUMBER:
                        pattern = PRICE
                        end = k
                    else:
                        pattern = 0
        if pattern:
            o[0] = MARKER
            o[1] = <uint8_t>pattern
            o += 2
        else:
            memcpy(o, p + i, end - i)
            o += end - i
        i = end
    return o - out


cdef int64_t normalise(const Spec* spec, const uint8_t* p, int64_t n, uint8_t* out) noexcept nogil:
    """Write the form of a word token; `out` (OUT) has room for 2 n bytes.  Returns its bytes."""
    cdef int64_t i = 0, first = 0, end, size = 0
    cdef int pattern = 0
    if may_hold_mark(p, n):
        while i < n:
            end = mark_end(p, i, n, &spec.on[0], &pattern)
            if end == i:
                i += 1
                continue
            size += normalise_without_marks(spec, p + first, i - first, out + size)
            out[size] = MARKER
            out[size + 1] = <uint8_t>pattern
            size += 2
            i = end
            first = end
    return size + normalise_without_marks(spec, p + first, n - first, out + size)


cdef enum:
    LEFT_DOUBLE_QUOTE = 0x201C      # opens quotes in English, closes them in German
    ETHIOPIC_WORDSPACE = 0x1361     # two of them are typed for the Ethiopic full stop


cdef inline bint is_colon(uint32_t c) noexcept nogil:
    """Whether c is a colon: ASCII, Ethiopic, Khmer or full-width."""
    return c == 58 or c == 0x1366 or c == 0x17D6 or c == 0xFF1A


cdef inline int classify_closing_mark(uint32_t c) noexcept nogil:
    """Kind of a closing mark: 2 if it ends sentences, 1 if it closes in another way what it follows (not a comma), -1 if it is
    a closing quote or bracket, else 0."""
    if c < 0x80:
        if c == 46 or c == 33 or c == 63:
            return 2
        if c == 34 or c == 39 or c == 41 or c == 93:
            return -1
        return 1 if c == 58 or c == 124 else 0
    if c < 0x2000:
        if c == 0xBB:
            return -1
        if (c == 0x61F or c == 0x6D4 or c == 0x964 or c == 0x965 or c == 0x37E or c == 0x589 or c == 0x1362 or c == 0x1367
                or c == 0x1368 or c == 0xF0D or c == 0xF0E or c == 0x104B or c == 0x17D4 or c == 0x17D5 or c == 0x1803
                or c == 0x1809):
            return 2
        return 1 if is_colon(c) else 0
    if c == 0x2019 or 0x201C <= c <= 0x201D or c == 0x203A or 0x3009 <= c <= 0x3011 and c & 1 or 0x3015 <= c <= 0x301B and c & 1:
        return -1
    if c == 0xFF09 or c == 0xFF3D or c == 0xFF5D or c == 0xFF63 or c == 0x301E or c == 0x301F:
        return -1
    if (c == 0x2026 or c == 0x203C or 0x2047 <= c <= 0x2049 or c == 0x3002 or c == 0xFF01 or c == 0xFF0E or c == 0xFF1F
            or c == 0xFF61):
        return 2
    return 1 if 0x2013 <= c <= 0x2015 or c == 0xFF5C or c == 0x2502 or is_colon(c) else 0


cdef inline bint is_closing_quote(uint32_t c) noexcept nogil:
    """Whether c is a closing quote, also of titles.  Brackets are not, since they often close what they hold, as a dateline."""
    return (c == 34 or c == 39 or c == 0xBB or c == 0x2019 or 0x201C <= c <= 0x201D or c == 0x203A
            or 0x3009 <= c <= 0x300F or c == 0xFF63 or c == 0x301E or c == 0x301F)


cdef uint32_t last_character(const uint8_t* form, int64_t n, int* width) noexcept nogil:
    """The last character of n >= 1 bytes, and its width in bytes (OUT)."""
    width[0] = 1
    while width[0] < 4 and n - width[0] > 0 and (form[n - width[0]] & 0xC0) == 0x80:
        width[0] += 1
    return decode(form + n - width[0], width[0], width)


cdef bint ends_word(const uint8_t* form, int64_t n) noexcept nogil:
    """Whether the last character of n bytes is a letter, a comma, or a mark that ends sentences."""
    cdef int width = 0
    cdef uint32_t last
    if n < 1:
        return False
    last = last_character(form, n, &width)
    return is_letter(last) or last == 44 or classify_closing_mark(last) == 2


cdef bint ends_sentence_in_script(const uint8_t* form, int64_t n, uint32_t mark) noexcept nogil:
    """Whether an ASCII mark after n bytes ends a sentence in their script: a colon after Armenian, a semicolon after Greek."""
    cdef int width = 0
    cdef uint32_t last
    while n > 0:
        last = last_character(form, n, &width)
        if classify_closing_mark(last) >= 0:
            if mark == 58:
                return 0x531 <= last <= 0x587 or 0xFB13 <= last <= 0xFB17
            return 0x370 <= last <= 0x3FF or 0x1F00 <= last <= 0x1FFF
        n -= width
    return False


cdef int closing_traits(const uint8_t* form, int64_t n) noexcept nogil:
    """CLAUSE and SENTENCE if a form ends with such a mark, which closing quotes and brackets may follow; QUOTE if it is all closing
    quotes."""
    cdef int width = 0, mark, found = 0
    cdef bint quote = True
    cdef uint32_t last
    while n > 0:
        last = last_character(form, n, &width)
        mark = classify_closing_mark(last)
        if last == LEFT_DOUBLE_QUOTE and not ends_word(form, n - width):
            mark = 0
        if last == ETHIOPIC_WORDSPACE and n >= 6 and decode(form + n - 6, 3, &width) == ETHIOPIC_WORDSPACE:
            mark = 2
        if (last == 58 or last == 59) and ends_sentence_in_script(form, n - width, last):
            mark = 2
        quote = quote and mark < 0 and is_closing_quote(last)
        if mark:
            found |= CLAUSE
        if mark == 2:
            found |= SENTENCE
        if mark >= 0:
            break
        n -= width
    return found | QUOTE if quote else found


cdef bint is_code(const uint8_t* p, int64_t n) noexcept nogil:
    """Whether a form looks like program code: "x=1", "{", "call(x", "snake_case", ");".

    Brackets and signs that are glued to a word ("London(AP)", "Text=" before a name) are no code, nor are rules of "=", names
    of accounts ("@snake_case"), or attributes of HTML that parsers leave in the text.
    """
    cdef int64_t j, run = 0
    cdef uint8_t left = 0, right
    if n < 3 and p[n - 1] == 61 or n == 1 and p[0] == 36:
        return not (n == 2 and is_alnum(p[0]))
    for j in range(n):
        right = p[j + 1] if j + 1 < n else 0
        if p[j] == 123 or p[j] == 125:
            return True
        run = run + 1 if p[j] == 61 else 0
        if 0 < run < 3 and 32 < right < 128 and right != 61 and right != 34:
            return True
        if p[j] == 40 and (right == 41 or right and is_alnum(left) and (97 <= p[0] <= 122 or p[0] == 95)):
            return True
        if p[j] == 95 and is_alnum(left) and is_alnum(right) and p[0] != 64:
            return True
        if p[j] == 59 and left == 41:
            return True
        left = p[j]
    return False


cdef bint begins_with_capital(const uint8_t* p, int64_t n) noexcept nogil:
    """Whether a form begins with a capital, after opening quotes and brackets if there are any."""
    cdef int64_t j = 0
    cdef int width = 0
    cdef uint32_t c
    while j < n:
        c = decode(p + j, n - j, &width)
        if Py_UNICODE_ISUPPER(c):
            return True
        if not (c == 34 or c == 39 or c == 40 or c == 91 or c == 0xAB or c == 0xBF or c == 0xA1 or 0x2018 <= c <= 0x201F):
            return False
        j += width
    return False


cdef bint is_bullet(uint32_t c) noexcept nogil:
    """Whether c is a sign between the items of a list or the parts of a line: a bar, dot, arrow or box."""
    return (c == 124 or c == 0xB6 or c == 0xB7 or c == 0x2022 or c == 0x203B or c == 0x2192 or c == 0x25A0 or c == 0x25AA
            or c == 0x25B3 or c == 0x25B6 or c == 0x25BA or c == 0x25BC or c == 0x25C6 or c == 0x25C7 or c == 0x25CB
            or c == 0x25CF or c == 0x2605 or c == 0x2606)


cdef uint16_t compute_traits(const uint8_t* p, int64_t n) noexcept nogil:
    """The traits of a form of n bytes, as bits; see `form_traits`."""
    cdef int64_t j
    cdef int width = 0
    cdef uint32_t first
    cdef uint16_t out = 0
    if n == 0:
        return 0
    first = decode(p, n, &width)
    if p[0] != MARKER and Py_UNICODE_ISLOWER(first):
        out |= SMALL
    elif width == n and is_bullet(first):
        out |= BULLET
    if begins_with_capital(p, n):
        out |= CAPITAL
    if is_own_token(first) and not is_wide_dash(first) and width == n:
        out |= OWN
    if memchr(p, MARKER, n) != NULL:
        out |= MUTABLE
        for j in range(n - 1):
            if p[j] == MARKER and (p[j + 1] == ISO_DATE or NUMBER <= p[j + 1] <= PERCENT or p[j + 1] == NUMBER_WORLD):
                out |= FIGURE
    elif is_code(p, n):
        out |= FIGURE
    if p[0] == MARKER and n > 1 and p[1] in (NUMBER, NUMERIC, ORDINAL, PRICE, PERCENT, NUMBER_WORLD):
        out |= VALUE
    if p[n - 1] == 58 or (n >= 3 and is_colon(decode(p + n - 3, 3, &width)) and width == 3):
        out |= COLON
    return out | <uint16_t>closing_traits(p, n)


def form_traits(const uint8_t[::1] arena not None, const int64_t[::1] offsets not None):
    """Traits of each form, as bits: uint16 array of shape (forms,).

    1 it ends with a punctuation mark that closes something, 2 with one that ends a sentence (closing quotes and brackets may
    follow), 4 it is one character of a script without spaces, 8 it holds a mutable pattern, 16 it begins with a number, an
    ordinal, a price or a percentage, 32 it ends with a colon, 64 it holds a number, a time or a date in figures, or, if it
    holds no mutable pattern, looks like program code, 128 it is all closing quotes, 256 it begins with a capital letter, after
    opening quotes or brackets if there are any, 512 with a small letter, 1024 it is a sign between the items of a list.

    Parameters
    ----------
    arena : uint8 array
        The forms, one after the other.
    offsets : int64 array, shape (forms + 1,)
        Form i is ``arena[offsets[i]:offsets[i + 1]]``.
    """
    import numpy as np

    check_bounds("offsets", &offsets[0] if offsets.shape[0] else NULL, offsets.shape[0], arena.shape[0])
    cdef int64_t i, n = offsets.shape[0] - 1
    cdef uint16_t[::1] out = np.zeros(max(n, 1), np.uint16)
    cdef const uint8_t* p = &arena[0] if arena.shape[0] else NULL
    with nogil:
        for i in range(n):
            out[i] = compute_traits(p + offsets[i], offsets[i + 1] - offsets[i])
    return np.asarray(out)[:n]


def form_hashes(const uint8_t[::1] arena not None, const int64_t[::1] offsets not None):
    """64-bit hash of each form: uint64 array of shape (forms,); parameters as of `form_traits`."""
    import numpy as np

    check_bounds("offsets", &offsets[0] if offsets.shape[0] else NULL, offsets.shape[0], arena.shape[0])
    cdef int64_t i, n = offsets.shape[0] - 1
    cdef uint64_t[::1] out = np.empty(max(n, 1), np.uint64)
    cdef const uint8_t* p = &arena[0] if arena.shape[0] else NULL
    with nogil:
        for i in range(n):
            out[i] = tm_hash(p + offsets[i], offsets[i + 1] - offsets[i])
    return np.asarray(out)[:n]


# ----------------------------------------------------------------------------------------------------------------- the scanner
# Splits documents, as UTF-8 bytes, into tokens with their bounds and kinds.
#
# Scanning is linear in the bytes, 64 of them at a time.


cdef extern from *:
    """
    /* Classify 64 bytes.  `stops` (OUT): a bit for each byte that may end a run of plain bytes: controls, blanks, the bytes of
       `extra`, and everything beyond ASCII.  `letters` (OUT): a bit for each ASCII letter. */
    #if defined(__SSE2__)
    #include <emmintrin.h>
    static inline void tm_classify_block(const uint8_t *p, const uint8_t *extra, int extras, uint64_t *stops, uint64_t *letters) {
        const __m128i blank = _mm_set1_epi8(32), a = _mm_set1_epi8('a'), z = _mm_set1_epi8(25);
        uint64_t s = 0, l = 0;
        for (int k = 0; k < 4; k++) {
            __m128i v = _mm_loadu_si128((const __m128i *)(p + 16 * k));
            __m128i hit = _mm_cmpeq_epi8(_mm_min_epu8(v, blank), v);
            for (int e = 0; e < extras; e++)
                hit = _mm_or_si128(hit, _mm_cmpeq_epi8(v, _mm_set1_epi8((char)extra[e])));
            s |= (uint64_t)(uint32_t)_mm_movemask_epi8(_mm_or_si128(hit, v)) << (16 * k);
            v = _mm_sub_epi8(_mm_or_si128(v, blank), a);
            l |= (uint64_t)(uint32_t)_mm_movemask_epi8(_mm_cmpeq_epi8(_mm_min_epu8(v, z), v)) << (16 * k);
        }
        *stops = s; *letters = l;
    }
    #else
    static inline void tm_classify_block(const uint8_t *p, const uint8_t *extra, int extras, uint64_t *stops, uint64_t *letters) {
        uint64_t s = 0, l = 0;
        for (int k = 0; k < 64; k++) {
            uint8_t c = p[k];
            int hit = c <= 32 || c >= 128;
            for (int e = 0; e < extras; e++) hit |= c == extra[e];
            s |= (uint64_t)hit << k;
            l |= (uint64_t)((uint8_t)((c | 32) - 'a') < 26) << k;
        }
        *stops = s; *letters = l;
    }
    #endif

    static inline int tm_lowest_bit(uint64_t x) { return __builtin_ctzll(x); }
    """
    void tm_classify_block(const uint8_t* p, const uint8_t* extra, int extras, uint64_t* stops, uint64_t* letters) noexcept nogil
    int tm_lowest_bit(uint64_t x) noexcept nogil


cdef int tokens_grow(Tokens* t) except -1 nogil:
    cdef int64_t room = t.room
    reserve(<void**>&t.start, &room, t.size + 1, sizeof(int64_t))
    room = t.room
    reserve(<void**>&t.end, &room, t.size + 1, sizeof(int64_t))
    room = t.room
    reserve(<void**>&t.kind, &room, t.size + 1, 1)
    t.room = room
    return 0


cdef void tokens_free(Tokens* t) noexcept nogil:
    free(t.start)
    free(t.end)
    free(t.kind)
    memset(t, 0, sizeof(Tokens))


cdef int scan_chunk(const Spec* spec, const uint8_t* p, int64_t start, int64_t end, Tokens* out) except -1 nogil:
    """Add the tokens of a chunk that holds separators or joints, but no white space, tag or character that is a token.

    Separators and joints within a mark split nothing, nor does a joint that ends one, such as the last slash of an address.
    """
    cdef int64_t i = start, first = -1, after, marked = -1
    cdef int pattern = 0, width = 0
    cdef bint marks = may_hold_mark(p + start, end - start)
    while i < end:
        if marks:
            # A mark may begin at the edge of the chunk: no letter or digit is before it.
            after = start + mark_end(p + start, i - start, end - start, spec.on, &pattern)
            if after > i:
                if first < 0:
                    first = i
                i = marked = after
                continue
        if spec.kind[p[i]] == SEPARATOR:
            if first >= 0:
                tokens_push(out, first, i, WORD)
                first = -1
        elif first < 0:
            first = i
        elif spec.kind[p[i - 1]] == JOINT and i != marked and is_letter(decode(p + i, end - i, &width)):
            tokens_push(out, first, i, WORD)
            first = i
        i += 1
    if first >= 0:
        tokens_push(out, first, end, WORD)
    return 0


cdef struct Blocks:
    # A text in blocks of 64 bytes, the last one padded with blanks; the bits of the block that is loaded (tm_classify_block).
    const uint8_t* text
    int64_t size
    int64_t block           # number of the block that is loaded, or -1
    uint64_t stops
    uint64_t letters


cdef void load_block(const Spec* spec, Blocks* b, int64_t block) noexcept nogil:
    cdef uint8_t tail[64]
    cdef int64_t begin = block * 64
    if begin + 64 <= b.size:
        tm_classify_block(b.text + begin, &spec.stop_bytes[0], spec.stop_count, &b.stops, &b.letters)
    else:
        memset(tail, 32, 64)
        memcpy(tail, b.text + begin, b.size - begin)
        tm_classify_block(tail, &spec.stop_bytes[0], spec.stop_count, &b.stops, &b.letters)
    b.block = block


cdef inline int64_t next_stop(const Spec* spec, Blocks* b, int64_t i) noexcept nogil:
    """First byte at or after i that may end a run of plain bytes; b.size if there is none."""
    cdef uint64_t rest
    while i < b.size:
        if i >> 6 != b.block:
            load_block(spec, b, i >> 6)
        rest = b.stops >> (i & 63)
        if rest:
            i += tm_lowest_bit(rest)
            return i if i < b.size else b.size
        i = (i | 63) + 1
    return b.size


cdef inline uint8_t letters_flag(const Blocks* b, int64_t start, int64_t end) noexcept nogil:
    """LETTERS if [start, end) lies in the loaded block and holds ASCII letters only, else 0."""
    cdef int64_t size = end - start
    if start >> 6 != b.block or (end - 1) >> 6 != b.block or size > 63:
        return 0
    return LETTERS if (~(b.letters >> (start & 63))) & ((<uint64_t>1 << size) - 1) == 0 else 0


cdef int scan(const Spec* spec, const uint8_t* p, int64_t i, int64_t n, Tokens* out) except -1 nogil:
    """Add all tokens of p[i:n], in order, to `out`; a token may begin at i, and end at n."""
    cdef int64_t start, after
    cdef uint8_t k, kind = WORD
    cdef uint32_t c
    cdef int width = 0
    cdef int after_joint = 0
    cdef bint needs_split
    cdef uint8_t first = FIRST_IN_LINE if i == 0 or p[i - 1] == 10 else 0
    cdef int64_t size
    cdef Blocks blocks
    blocks.text = p
    blocks.size = n
    blocks.block = -1
    blocks.stops = 0
    blocks.letters = 0
    while i < n:
        k = spec.kind[p[i]]
        if k == SPACE or (k == SEPARATOR and p[i] != 64 and p[i] != 43 and p[i] != 40):
            if p[i] == 10:
                first = FIRST_IN_LINE
            i += 1
            continue
        if k == LEAD:
            c = decode(p + i, n - i, &width)
            if is_wide_space(c):
                if is_wide_break(c):
                    first = FIRST_IN_LINE
                i += width
                continue
            if is_own_token(c):
                tokens_push(out, i, i + width, WORD | first)
                first = 0
                i += width
                continue
        elif k == ANGLE:
            after = tag_end(p, i, n, &kind)
            if after > i:
                tokens_push(out, i, after, kind | first)
                first = 0
                i = after
                continue
        start = i
        # Where '@', '+' or '(' is a separator it may still begin a mark, so `scan_chunk` decides.
        needs_split = k == SEPARATOR or (k == JOINT and i + 1 < n and is_letter(decode(p + i + 1, n - i - 1, &after_joint)))
        while True:
            i = next_stop(spec, &blocks, i + (width if k == LEAD else 1))
            if i >= n:
                break
            k = spec.kind[p[i]]
            if k == SPACE:
                break
            if k == SEPARATOR:
                # Also one at the end of the chunk: `scan_chunk` cuts it off.
                needs_split = True
            elif k == JOINT:
                needs_split = needs_split or (i + 1 < n and is_letter(decode(p + i + 1, n - i - 1, &after_joint)))
            elif k == LEAD:
                c = decode(p + i, n - i, &width)
                if is_wide_space(c) or is_own_token(c):
                    break
            elif k == ANGLE and tag_end(p, i, n, &kind) > i:
                break
        if needs_split:
            size = out.size
            scan_chunk(spec, p, start, i, out)
            if out.size > size:
                out.kind[size] |= first
                first = 0
        else:
            tokens_push(out, start, i, WORD | first | letters_flag(&blocks, start, i))
            first = 0
    return 0


cdef class WordList:
    """Words, and the pattern number of each; immutable; made by `intern_word_list`."""

    def __cinit__(self, tuple words, tuple numbers):
        cdef bytes word
        cdef const uint8_t* p
        cdef uint64_t h, a = 0, b = 0
        cdef int64_t i
        memset(&self.table, 0, sizeof(Table))
        memset(&self.short, 0, sizeof(Words))
        table_init(&self.table)
        words_init(&self.short, len(words))
        self.pattern = <int32_t*>malloc((len(words) + 1) * sizeof(int32_t))
        if self.pattern == NULL:
            raise MemoryError
        for i, word in enumerate(words):
            p = <const uint8_t*>word
            if table_add(&self.table, p, len(word)) != i:
                raise ValueError(f"the word {word!r} stands in two patterns")
            if not 1 <= numbers[i] <= 255:
                raise ValueError(f"expected pattern numbers from 1 to 255, got {numbers[i]}")
            self.pattern[i] = numbers[i]
            if 0 < len(word) <= MAX_SHORT_BYTES:
                h = tm_key(p, len(word), p + len(word), &a, &b)
                words_insert(&self.short, h, a, b, <int32_t>len(word), <int32_t>i)

    def __dealloc__(self):
        table_free(&self.table)
        free(self.short.slots)
        free(self.pattern)


@lru_cache(maxsize=64)
def _make_word_list(tuple words, tuple numbers):
    """Make a list of words, and keep it: hundreds of scanners a second share one, and often none of them is left."""
    return WordList(words, numbers)


cdef WordList intern_word_list(list words, list numbers):
    """The list of these words and numbers; equal arguments give the same object."""
    return _make_word_list(tuple(words), tuple(numbers))


cdef class Scanner:
    """Splits documents into tokens, and gives their forms; the base of `Tokeniser` and `Matcher`.

    Parameters
    ----------
    separators : bytes
        ASCII punctuation that separates tokens, besides white space.
    mask : bytes, 256
        1 at the number of each pattern that is on.
    words, numbers : list of bytes, list of int
        Words of the closed lists and the pattern number of each.
    html : bool
        Tags, scripts, styles and comments are tokens.
    """

    def __cinit__(self, bytes separators, bytes mask, list words, list numbers, bint html, *rest):
        cdef int i
        memset(&self.spec, 0, sizeof(Spec))
        if len(mask) != 256:
            raise ValueError(f"expected a mask of 256 bytes, got {len(mask)}")
        if len(words) != len(numbers):
            raise ValueError(f"expected a pattern number for each word, got {len(numbers)} for {len(words)}")
        for i in (9, 10, 11, 12, 13, 32):
            self.spec.kind[i] = SPACE
        for i in (0xC2, 0xE0, 0xE1, 0xE2, 0xE3, 0xE4, 0xE5, 0xE6, 0xE7, 0xE8, 0xE9, 0xEF, 0xF0):
            self.spec.kind[i] = LEAD
        if len(separators) > MAX_SEPARATORS:
            raise ValueError(f"expected at most {MAX_SEPARATORS} separators, got {len(separators)}")
        for i in separators:
            if not 33 <= i <= 126 or is_alnum(<uint8_t>i):
                raise ValueError(f"expected ASCII punctuation as separators, got byte {i}")
            self.spec.kind[i] = SEPARATOR
            self.spec.stop_bytes[self.spec.stop_count] = <uint8_t>i
            self.spec.stop_count += 1
        if html:
            self.spec.kind[60] = ANGLE
            self.spec.stop_bytes[self.spec.stop_count] = 60
            self.spec.stop_count += 1
        if mask[GLUED]:
            for i in range(128):
                if is_joint(i) and self.spec.kind[i] == PLAIN:
                    self.spec.kind[i] = JOINT
                    self.spec.stop_bytes[self.spec.stop_count] = <uint8_t>i
                    self.spec.stop_count += 1
        self.spec.html = html
        memcpy(self.spec.on, <const uint8_t*>mask, 256)
        self.word_list = intern_word_list(words, numbers)
        self.spec.words = self.word_list.table
        self.spec.word_pattern = self.word_list.pattern

    def token_spans(self, const uint8_t[::1] document not None):
        """Tokens of a document.

        Returns
        -------
        starts, ends : int64 arrays
            In bytes, end exclusive.
        kinds : uint8 array
            0 word, 1 tag, 2 script, style or comment.
        """
        import numpy as np

        cdef Tokens tokens
        memset(&tokens, 0, sizeof(Tokens))
        cdef const uint8_t* p = &document[0] if document.shape[0] else NULL
        try:
            with nogil:
                scan(&self.spec, p, 0, document.shape[0], &tokens)
            return (copy_to_array(tokens.start, tokens.size * 8, np.int64), copy_to_array(tokens.end, tokens.size * 8, np.int64),
                    copy_to_array(tokens.kind, tokens.size, np.uint8) & KIND)
        finally:
            tokens_free(&tokens)

    def form(self, bytes token, int kind=0):
        """Form of one token of the given kind, as bytes."""
        if not token:
            raise ValueError("expected a token, got an empty string")
        if not WORD <= kind <= RAW:
            raise ValueError(f"expected a kind from {WORD} to {RAW}, got {kind}")
        if kind != WORD and (token[:1] != b"<" or len(token) < (2 if kind == TAG else 4)):
            raise ValueError(f"expected mark-up, got {token!r}")
        cdef bytearray room = bytearray(2 * len(token) + 32)
        cdef const uint8_t* p = token
        cdef uint8_t* o = room
        if kind == WORD:
            return bytes(room[: normalise(&self.spec, p, len(token), o)])
        return bytes(room[: tag_form(&self.spec, p, len(token), kind, o)])


# --------------------------------------------------------------------------------------------------------------- the tokeniser
# Documents into ids of forms, for mining; linear in the bytes.


cdef struct Ints:
    int32_t* data
    int64_t size
    int64_t capacity


cdef struct PendingToken:
    # A token whose slot in a hash table is prefetched before it is looked up.
    uint64_t hash
    uint64_t a              # of a short token: its bytes as two words (tm_key)
    uint64_t b
    int64_t size


cdef int ints_reserve(Ints* v, int64_t more) except -1 nogil:
    return reserve(<void**>&v.data, &v.capacity, v.size + more, sizeof(int32_t))


cdef inline int ints_push(Ints* v, int32_t value) except -1 nogil:
    if v.size == v.capacity:
        ints_reserve(v, 1)
    v.data[v.size] = value
    v.size += 1
    return 0


cdef enum:
    BATCH = 32      # tokens whose slots are prefetched before the first of them is looked up


cdef struct Longs:
    int64_t* data
    int64_t size
    int64_t capacity


cdef inline int longs_push(Longs* v, int64_t value) except -1 nogil:
    reserve(<void**>&v.data, &v.capacity, v.size + 1, sizeof(int64_t))
    v.data[v.size] = value
    v.size += 1
    return 0


cdef inline bint has_wide_gap(const uint8_t* p, int64_t start, int64_t end) noexcept nogil:
    """Whether the bytes between two tokens are two blanks or more, and nothing else."""
    cdef int64_t i, count = 0
    if end - start < 2:
        return False
    for i in range(start, end):
        if 32 < p[i] < 128:
            return False
        count += (p[i] & 0xC0) != 0x80
    return count > 1


cdef inline bint has_dash_gap(const uint8_t* p, int64_t start, int64_t end) noexcept nogil:
    """Whether the bytes between two tokens are a hyphen and a blank behind it, such as stands between two parts of a line."""
    return end - start > 1 and (p[end - 1] == 32 or p[end - 1] == 9) and memchr(p + start, 45, end - start) != NULL


cdef class Tokeniser(Scanner):
    """Turns documents into ids of normalised tokens (forms).

    A raw token is interned as a type; a type is normalised once, when it is first seen.  With `lines` (last argument) the
    line break is a form of its own, id 0, and stands before the first token of each line.
    """

    cdef Words words        # form id of each short type
    cdef Table types        # the longer types
    cdef Table forms
    cdef Ints form_of       # form id of each longer type
    cdef Ints tokens        # form id of each token
    cdef Longs gap_tokens   # positions of tokens that two blanks or more precede on their line
    cdef Longs dash_tokens  # and of those that a hyphen and a blank precede
    cdef Tokens scratch
    cdef uint8_t* form_buffer
    cdef int64_t form_capacity
    cdef bint lines
    cdef Bytes utf8
    cdef list doc_starts
    cdef bint busy          # a thread is inside a method, perhaps without the GIL

    def __cinit__(self, bytes separators, bytes mask, list words, list numbers, bint html, bint lines=False, *_):
        memset(&self.form_of, 0, sizeof(Ints))
        memset(&self.tokens, 0, sizeof(Ints))
        memset(&self.gap_tokens, 0, sizeof(Longs))
        memset(&self.dash_tokens, 0, sizeof(Longs))
        memset(&self.scratch, 0, sizeof(Tokens))
        self.form_buffer = NULL
        self.form_capacity = 0
        self.utf8 = Bytes(NULL, 0, 0)
        memset(&self.words, 0, sizeof(Words))
        words_init(&self.words, 4096)
        table_init(&self.types)
        table_init(&self.forms)
        self.busy = False
        self.lines = lines
        if lines:
            table_add(&self.forms, b"\n", 1)
        self.doc_starts = [0]

    def __dealloc__(self):
        free(self.words.slots)
        table_free(&self.types)
        table_free(&self.forms)
        free(self.form_of.data)
        free(self.tokens.data)
        free(self.gap_tokens.data)
        free(self.dash_tokens.data)
        tokens_free(&self.scratch)
        free(self.form_buffer)
        free(self.utf8.data)

    cdef int _acquire(self) except -1:
        """Mark the tokeniser as busy; RuntimeError if another thread uses it.  The caller resets `busy` when it is done.

        The tables of types and forms are shared by all documents, so only one thread may change them at a time.
        """
        if self.busy:
            raise RuntimeError("expected one thread at a time, another one is at this tokeniser")
        self.busy = True
        return 0

    def add(self, const uint8_t[::1] document not None):
        """Tokenise one more document (UTF-8)."""
        cdef const uint8_t* p = &document[0] if document.shape[0] else NULL
        cdef int64_t n = document.shape[0]
        self._acquire()
        try:
            with nogil:
                self._tokenise(p, n)
            self.doc_starts.append(self.tokens.size)
        finally:
            self.busy = False

    def add_all(self, list documents not None):
        """Tokenise some more documents (str, or UTF-8 bytes), without the GIL while it works."""
        self.doc_starts.extend(self._process_all(documents))

    cdef list _process_all(self, list documents):
        """Process some documents without the GIL; returns the number of tokens held after each."""
        cdef Py_ssize_t i, n
        cdef const uint8_t* p
        cdef bytes data
        cdef int64_t size = 0
        cdef StrView* texts
        cdef int64_t* ends
        cdef bint entered = False
        # A copy keeps the texts alive, as the caller may change his list meanwhile.
        documents = documents[:]
        n = len(documents)
        texts = <StrView*>malloc((n + 1) * sizeof(StrView))
        ends = <int64_t*>malloc((n + 1) * sizeof(int64_t))
        try:
            if texts == NULL or ends == NULL:
                raise MemoryError
            self._acquire()
            entered = True
            for i in range(n):
                document = documents[i]
                if isinstance(document, str):
                    if type(document) is not str:  # of a subclass, which may mean something else by its text
                        document = documents[i] = str.__str__(document)
                    texts[i] = view_str(document)
                else:
                    data = document
                    # Already UTF-8: read without conversion.
                    texts[i] = StrView(<const uint8_t*>data, len(data), 1, True)
            with nogil:
                for i in range(n):
                    p = encode_utf8(&texts[i], True, &self.utf8, &size)
                    self._process(p, size)
                    ends[i] = self.tokens.size
            return [ends[i] for i in range(n)]
        finally:
            self.busy = self.busy and not entered
            free(texts)
            free(ends)

    cdef int _process(self, const uint8_t* p, int64_t n) except -1 nogil:
        """Process one document of a batch, which `add_all` was given."""
        return self._tokenise(p, n)

    cdef int _tokenise(self, const uint8_t* p, int64_t n) except -1 nogil:
        """Append the form ids of the tokens of one document (UTF-8, n bytes) to `tokens`."""
        cdef PendingToken[BATCH] pending
        cdef PendingToken* token
        cdef int64_t i, first, last = 0
        cdef const uint8_t* q
        cdef const Word* word
        self.scratch.size = 0
        scan(&self.spec, p, 0, n, &self.scratch)
        ints_reserve(&self.tokens, self.scratch.size)
        while last < self.scratch.size:
            first = last
            last = min(first + BATCH, self.scratch.size)
            for i in range(first, last):
                token = pending + (i - first)
                q = p + self.scratch.start[i]
                token.size = self.scratch.end[i] - self.scratch.start[i]
                if token.size <= MAX_SHORT_BYTES:
                    token.hash = tm_key(q, token.size, p + n, &token.a, &token.b)
                    tm_prefetch(self.words.slots + (token.hash & self.words.mask))
                elif self.scratch.kind[i] & KIND == WORD:
                    token.hash = tm_hash(q, token.size)
                    tm_prefetch(self.types.slots + (token.hash & self.types.mask))
            for i in range(first, last):
                token = pending + (i - first)
                if self.lines and self.scratch.kind[i] & FIRST_IN_LINE:
                    ints_push(&self.tokens, 0)
                elif self.lines and i and has_wide_gap(p, self.scratch.end[i - 1], self.scratch.start[i]):
                    longs_push(&self.gap_tokens, self.tokens.size)
                elif self.lines and i and has_dash_gap(p, self.scratch.end[i - 1], self.scratch.start[i]):
                    longs_push(&self.dash_tokens, self.tokens.size)
                if token.size <= MAX_SHORT_BYTES and self.scratch.kind[i] & KIND == WORD:
                    word = words_find(&self.words, token.hash, token.a, token.b, token.size)
                    if word:
                        ints_push(&self.tokens, word.id)
                        continue
                ints_push(&self.tokens, <int32_t>self._find_form_id(p + self.scratch.start[i], self.scratch.kind[i] & KIND, token))
        return 0

    cdef int64_t _find_form_id(self, const uint8_t* q, uint8_t kind, const PendingToken* token) except -1 nogil:
        """Form id of a token that is long, mark-up or seen for the first time."""
        cdef int64_t type_id, form_id
        if kind != WORD:
            # Tags are normalised each time and not interned as types: with their links they are hardly ever repeated.
            return self._intern_form(q, token.size, kind)
        if token.size <= MAX_SHORT_BYTES:
            form_id = self._intern_form(q, token.size, WORD)
            words_insert(&self.words, token.hash, token.a, token.b, <int32_t>token.size, <int32_t>form_id)
            return form_id
        type_id = table_find(&self.types, q, token.size, token.hash)
        if type_id >= 0:
            return self.form_of.data[type_id]
        form_id = self._intern_form(q, token.size, WORD)
        # Reserved first, so that the table and the column stay of one length if memory runs out.
        ints_reserve(&self.form_of, 1)
        table_insert(&self.types, q, token.size, token.hash)
        ints_push(&self.form_of, <int32_t>form_id)
        return form_id

    cdef int64_t _intern_form(self, const uint8_t* p, int64_t n, uint8_t kind) except -1 nogil:
        """Normalise a token and intern its form; returns the id of the form."""
        n = self._write_form(p, n, kind)
        return table_add(&self.forms, self.form_buffer, n)

    cdef int64_t _write_form(self, const uint8_t* p, int64_t n, uint8_t kind) except -1 nogil:
        """Write the form of a token to `form_buffer`; returns its size in bytes."""
        reserve(<void**>&self.form_buffer, &self.form_capacity, 2 * n + 32, 1)
        return normalise(&self.spec, p, n, self.form_buffer) if kind == WORD else tag_form(&self.spec, p, n, kind, self.form_buffer)

    def gaps(self):
        """Positions, in the tokens that `finish` returns, of those that two blanks or more precede on their line: int64 array.

        To be called before `finish`; empty without `lines`.
        """
        import numpy as np

        return copy_to_array(self.gap_tokens.data, self.gap_tokens.size * 8, np.int64)

    def dashes(self):
        """The same of tokens that a hyphen and a blank precede."""
        import numpy as np

        return copy_to_array(self.dash_tokens.data, self.dash_tokens.size * 8, np.int64)

    def finish(self):
        """Return the tokens of all added documents and empty the tokeniser; it keeps the forms that it knows.

        Returns
        -------
        forms : int32 array, shape (tokens,)
        doc_starts : int64 array, shape (documents + 1,)
        arena : uint8 array
            All forms, one after the other.
        offsets : int64 array, shape (forms + 1,)
            Form i is ``arena[offsets[i]:offsets[i + 1]]``.
        """
        import numpy as np

        self._acquire()
        try:
            starts = np.array(self.doc_starts, dtype=np.int64)
            size = self.tokens.size
            # Emptied first: the buffer that is move_to_array over belongs to the array from then on, even if that fails.
            self.tokens.size = self.tokens.capacity = self.gap_tokens.size = self.dash_tokens.size = 0
            self.doc_starts = [0]
            forms = move_to_array(<void**>&self.tokens.data, size * 4, np.int32)
            return (
                forms,
                starts,
                copy_to_array(self.forms.arena, self.forms.arena_size, np.uint8),
                copy_to_array(self.forms.offset, (self.forms.count + 1) * 8, np.int64),
            )
        finally:
            self.busy = False


# -------------------------------------------------------------------------------------------------------------------- offsets
# Offsets in code points, and the ends of lines.


def code_points(const uint8_t[::1] text not None, const int64_t[::1] offsets not None):
    """Convert ascending offsets in bytes to offsets in code points: int64 array of the same shape."""
    import numpy as np

    cdef int64_t[::1] out = np.empty(max(offsets.shape[0], 1), np.int64)
    cdef const uint8_t* p = &text[0] if text.shape[0] else NULL
    cdef int64_t i, b = 0, count = 0
    for i in range(offsets.shape[0]):
        if not b <= offsets[i] <= text.shape[0]:
            raise ValueError(f"expected ascending offsets within {text.shape[0]} bytes, got {offsets[i]} at place {i}")
        b = offsets[i]
    b = 0
    with nogil:
        for i in range(offsets.shape[0]):
            count += count_points(p, b, offsets[i])
            b = offsets[i]
            out[i] = count
    return np.asarray(out)[: offsets.shape[0]]


def count_keys(const uint8_t[::1] json not None):
    """Count the keys of all objects in valid JSON: outside of strings a colon follows a key, and nothing else."""
    cdef int64_t i = 0, n = json.shape[0], count = 0
    cdef const uint8_t* p = &json[0] if n else NULL
    with nogil:
        while i < n:
            i += tm_first_of(p + i, n - i, 58, 34)
            if i < n and p[i] == 58:
                count += 1
            elif i < n:
                i += 1
                while i < n:
                    i += tm_first_of(p + i, n - i, 34, 92)
                    if i >= n or p[i] == 34:
                        break
                    i += 2
            i += 1
    return count


def line_ends(bytes block not None, int64_t every):
    """Divide a block into parts of `every` lines; the last part is the rest.

    Returns
    -------
    lines : int
    ends : list of int
        End of each part, in bytes.
    """
    cdef const uint8_t* p = <const uint8_t*>block
    cdef const void* hit
    cdef int64_t i = 0, n = len(block), lines = 0
    cdef list ends = []
    if every < 1:
        raise ValueError(f"expected at least one line, got {every}")
    while i < n:
        if lines and lines % every == 0:
            ends.append(i)
        hit = memchr(p + i, 10, n - i)
        i = n if hit == NULL else <const uint8_t*>hit - p + 1
        lines += 1
    if n:
        ends.append(n)
    return lines, ends
