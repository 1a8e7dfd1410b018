"""Text into tokens, for modules that scan it."""

from libc.stdint cimport int64_t, uint8_t

from templatemine._spec cimport Spec


cdef struct Tokens:
    # Tokens of one document: [start, end) in bytes, kind.
    int64_t* start
    int64_t* end
    uint8_t* kind
    int64_t size
    int64_t room


cdef void tokens_free(Tokens* t) noexcept nogil
cdef int tokens_grow(Tokens* t) except -1 nogil


cdef inline int tokens_push(Tokens* t, int64_t start, int64_t end, uint8_t kind) except -1 nogil:
    if t.size == t.room:
        tokens_grow(t)
    t.start[t.size] = start
    t.end[t.size] = end
    t.kind[t.size] = kind
    t.size += 1
    return 0


cdef int scan(const Spec* spec, const uint8_t* p, int64_t i, int64_t n, Tokens* out) except -1 nogil


cdef class Scanner:
    cdef Spec spec
