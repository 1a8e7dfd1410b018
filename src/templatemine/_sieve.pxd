"""What the cleaning side uses of `_sieve`: the regions of a text."""

from libc.stdint cimport int64_t, uint8_t

from templatemine._clues cimport Sieve


cdef struct Region:
    int64_t start
    int64_t end


cdef struct Regions:
    # Of one text, ascending, disjoint; each begins and ends where a token may.  Where it does so in mid-line, a token of that
    # line stands before it, or after it.
    Region* region
    int64_t size
    int64_t room
    int64_t steps           # bytes that were looked at around what was found


cdef int sieve_regions(const Sieve* s, const uint8_t* p, int64_t n, Regions* out) except -1 nogil
