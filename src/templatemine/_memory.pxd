"""Growing buffers, arrays made of them, and memory given back."""

from libc.stdint cimport int32_t, int64_t

cdef extern from *:
    """
    /* Asks for memory that is wanted some steps later; only a hint, so any address will do. */
    #if defined(__GNUC__)
    #define tm_prefetch(address) __builtin_prefetch(address)
    #else
    #define tm_prefetch(address) ((void)(address))
    #endif
    """
    void tm_prefetch(const void* address) noexcept nogil


cdef int check_bounds(str name, const int64_t[::1] values, int64_t size) except -1
cdef object copied(const void* data, int64_t size, object dtype)
cdef object handed(void** data, int64_t size, object dtype)
cdef int reserve(void** data, int64_t* room, int64_t wanted, int64_t item) except -1 nogil


cdef struct Found:
    int64_t* position       # repeats: first rank of the interval in the suffix array; matches: first token
    int32_t* length
    int32_t* count
    int32_t* df
    int64_t size
    int64_t room


cdef void found_free(Found* f) noexcept nogil
cdef int found_push(Found* f, int64_t position, int64_t length, int64_t count, int64_t df) except -1 nogil
cdef object found_columns(Found* found)
