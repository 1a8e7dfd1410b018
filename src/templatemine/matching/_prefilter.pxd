"""Finds the regions of a text in which strings of a pack may be, by a few rare bytes, before the text is tokenised."""

from libc.stdint cimport int32_t, int64_t, uint8_t
from libc.string cimport memchr

from templatemine.text._scan cimport Spec


cdef struct Sieve           # the clues of the strings of a pack


cdef struct Region:
    int64_t start
    int64_t end
    int64_t tokens          # how many tokens, and matches, there were before the region was searched
    int64_t found


cdef struct Regions:
    # Regions of one text, ascending and disjoint; each begins and ends where a token may.  If one begins (ends) within a line,
    # a token of that line is before (after) it.
    Region* region
    int64_t size
    int64_t room
    int64_t steps           # bytes that were read around hits of clues; see `step_limit`


cdef Sieve* sieve_new() except NULL
cdef void sieve_free(Sieve* s) noexcept nogil
cdef int sieve_add_sample(Sieve* s, const uint8_t* p, int64_t n) except -1
cdef int sieve_build(Sieve* s, const Spec* spec, list vocabulary, const int32_t* flat, const int64_t* bounds,
                     int64_t strings, const uint8_t* edges) except -1
cdef int sieve_regions(const Sieve* s, const uint8_t* p, int64_t n, Regions* out) except -1 nogil
cdef bint sieve_saves_time(const Sieve* s, int64_t seen, int64_t passed) noexcept nogil


cdef inline int64_t line_end(const uint8_t* p, int64_t i, int64_t n) noexcept nogil:
    """Offset of the next line feed at or after i; n if there is none."""
    cdef const void* hit = memchr(p + i, 10, n - i) if i < n else NULL
    return n if hit == NULL else <const uint8_t*>hit - p
