"""What native modules of pages share: checks of columns, probabilities, and the order of blocks by them."""

from libc.math cimport exp
from libc.stdint cimport int64_t, uint64_t


cdef enum:
    SURE = 30           # log odds beyond which a probability is taken for 0 or 1


cdef inline double probability_of(double score) noexcept nogil:
    return 1 / (1 + exp(-min(max(score, <double>-SURE), <double>SURE)))


cdef void check(bint good, str what) except *
cdef void check_ascending(const int64_t[::1] bounds, int64_t size, str what) except *
cdef void check_places(const int64_t[::1] starts, const int64_t[::1] ends, int64_t size) except *
cdef void falling_order(const double* values, int64_t n, int64_t* order, int64_t* room) noexcept nogil
cdef int first_places(const uint64_t* keys, int64_t stride, int64_t n, int64_t* out) except -1 nogil
