"""Interners: strings in one arena, and short tokens by their spelling, both by open addressing."""

from libc.stdint cimport int32_t, int64_t, uint8_t, uint64_t
from libc.string cimport memcmp

from templatemine._chars cimport tm_hash


cdef struct Table:
    # Strings in one arena, open addressing by hash; a slot holds the upper half of the hash and id + 1.
    uint8_t* arena
    int64_t arena_size
    int64_t arena_room
    int64_t* offset         # string i is arena[offset[i]:offset[i + 1]]
    int64_t count
    int64_t room            # of offsets, one more than there may be strings
    uint64_t* slots
    uint64_t mask


cdef int table_init(Table* t) except -1 nogil
cdef void table_free(Table* t) noexcept nogil
cdef void table_clear(Table* t) noexcept nogil
cdef int64_t table_insert(Table* t, const uint8_t* p, int64_t n, uint64_t h) except -1 nogil


cdef inline int64_t table_find(const Table* t, const uint8_t* p, int64_t n, uint64_t h) noexcept nogil:
    """Id of a string, or -1."""
    cdef uint64_t place = h & t.mask, slot
    cdef int64_t i
    while True:
        slot = t.slots[place]
        if slot == 0:
            return -1
        if (slot ^ h) >> 32 == 0:
            i = <int64_t>(slot & <uint64_t>0xFFFFFFFF) - 1
            if t.offset[i + 1] - t.offset[i] == n and memcmp(t.arena + t.offset[i], p, n) == 0:
                return i
        place = (place + 1) & t.mask


cdef inline int64_t table_add(Table* t, const uint8_t* p, int64_t n) except -1 nogil:
    cdef uint64_t h = tm_hash(p, n)
    cdef int64_t found = table_find(t, p, n, h)
    if found >= 0:
        return found
    return table_insert(t, p, n, h)


cdef enum:
    SHORT = 16      # bytes of the longest token that a Word can hold


cdef struct Word:
    # A short token (tm_key), and what is known of it.
    uint64_t a
    uint64_t b
    int32_t size            # 0 if there is none
    int32_t id


cdef struct Words:
    # Short tokens by their spelling, open addressing.
    Word* slots
    int64_t count
    uint64_t mask


cdef int words_init(Words* w, int64_t room) except -1 nogil
cdef void words_clear(Words* w) noexcept nogil
cdef int words_insert(Words* w, uint64_t h, uint64_t a, uint64_t b, int32_t size, int32_t id) except -1 nogil


cdef inline const Word* words_find(const Words* w, uint64_t h, uint64_t a, uint64_t b, int64_t size) noexcept nogil:
    """A short token's entry, or NULL."""
    cdef uint64_t place = h & w.mask
    cdef const Word* slot
    while True:
        slot = w.slots + place
        if slot.a == a and slot.b == b and slot.size == size:
            return slot
        if slot.size == 0:
            return NULL
        place = (place + 1) & w.mask
