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

    /* Zeroed memory for `free`, to be read at places all over it: where the system has large pages it is asked for them. */
    #include <stdlib.h>
    #include <string.h>
    #if defined(__linux__)
    #include <sys/mman.h>
    #endif
    #if defined(MADV_HUGEPAGE)
    static inline void *tm_scattered(size_t size) {
        const size_t page = (size_t)1 << 21;
        void *data = NULL;
        if (size < 2 * page)
            return calloc(size, 1);
        if (posix_memalign(&data, page, size))
            return NULL;
        madvise(data, size, MADV_HUGEPAGE);
        return memset(data, 0, size);
    }
    #else
    static inline void *tm_scattered(size_t size) { return calloc(size, 1); }
    #endif
    """
    void tm_prefetch(const void* address) noexcept nogil
    void* tm_scattered(size_t size) noexcept nogil


ctypedef fused index_t:
    int32_t
    int64_t


cdef int check_within(str name, const index_t[::1] values, int64_t low, int64_t high) except -1
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
