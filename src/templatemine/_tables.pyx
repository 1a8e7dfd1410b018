"""Interners: strings in one arena, and short tokens by their spelling, both by open addressing.

A look-up is defined in `_tables.pxd`, so that each module compiles it into its loops; what grows a table stands here.
"""

from libc.stdint cimport int32_t, int64_t, uint8_t, uint64_t
from libc.stdlib cimport free, malloc
from libc.string cimport memcpy, memset

from templatemine._chars cimport tm_hash, tm_key_hash
from templatemine._memory cimport reserve, tm_scattered

from templatemine.errors import CapacityError

__all__ = []


cdef int table_init(Table* t) except -1 nogil:
    memset(t, 0, sizeof(Table))
    t.slots = <uint64_t*>malloc(1024 * sizeof(uint64_t))
    t.offset = <int64_t*>malloc(512 * sizeof(int64_t))
    # Never NULL, for an empty string is copied and compared like any other.
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
    cdef uint64_t* slots = <uint64_t*>tm_scattered((mask + 1) * sizeof(uint64_t))
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
    """Append a string that is not there yet; where memory runs out the table is as it was."""
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
    """Empty; room for so many tokens before it grows."""
    w.count = 0
    w.mask = 255
    while w.mask < <uint64_t>room * 2:
        w.mask = w.mask * 2 + 1
    w.slots = <Word*>tm_scattered((w.mask + 1) * sizeof(Word))
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
