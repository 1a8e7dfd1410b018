"""Growing buffers, arrays made of them, and memory given back.

numpy is imported by what gives arrays: cleaning does without, and so starts sooner.
"""

from cpython.buffer cimport PyBuffer_FillInfo
from libc.stdint cimport int32_t, int64_t, uint8_t
from libc.stdlib cimport free, realloc
from libc.string cimport memcpy, memset

__all__ = ["release_memory"]


cdef int check_bounds(str name, const int64_t[::1] values, int64_t size) except -1:
    """ValueError unless the values ascend from 0 to `size`."""
    cdef int64_t i
    if values.shape[0] == 0 or values[0] != 0 or values[values.shape[0] - 1] != size:
        raise ValueError(f"{name}: expected bounds from 0 to {size}")
    for i in range(1, values.shape[0]):
        if values[i] < values[i - 1]:
            raise ValueError(f"{name}: expected ascending bounds, got {values[i - 1]} before {values[i]} at place {i}")
    return 0


cdef bint _any_outside(const index_t* values, int64_t n, int64_t low, int64_t high) noexcept nogil:
    cdef int64_t i
    cdef bint outside = False
    # Without a branch, so that the compiler takes several at once.
    for i in range(n):
        outside |= (values[i] < low) | (values[i] >= high)
    return outside


cdef int check_within(str name, const index_t[::1] values, int64_t low, int64_t high) except -1:
    """ValueError unless all values are at least `low` and less than `high`."""
    cdef bint outside = False
    cdef int64_t i
    if values.shape[0]:
        with nogil:
            outside = _any_outside(&values[0], values.shape[0], low, high)
    if outside:
        for i in range(values.shape[0]):
            if not low <= values[i] < high:
                raise ValueError(f"{name}: expected values from {low} to {high - 1}, got {values[i]} at place {i}")
    return 0


cdef object copied(const void* data, int64_t size, object dtype):
    """A new array of `dtype` with `size` bytes from `data`."""
    import numpy as np

    cdef uint8_t[::1] view
    out = np.empty(size // np.dtype(dtype).itemsize, dtype)
    if size:
        view = out.view(np.uint8)
        memcpy(&view[0], data, size)
    return out


cdef class Owned:
    """Memory from `malloc` that an array looks at, freed with it."""
    cdef void* data
    cdef Py_ssize_t size

    def __getbuffer__(self, Py_buffer* view, int flags):
        PyBuffer_FillInfo(view, self, self.data, self.size, 0, flags)

    def __dealloc__(self):
        free(self.data)


cdef object handed(void** data, int64_t size, object dtype):
    """An array of `dtype` that takes over `size` bytes from `malloc`, where `copied` would hold them twice."""
    import numpy as np

    cdef Owned owned
    cdef void* moved
    if size == 0:
        return np.empty(0, dtype)
    owned = Owned.__new__(Owned)    # before anything moves: there may be no memory for it
    moved = realloc(data[0], size)
    owned.data = data[0] if moved == NULL else moved
    owned.size = size
    data[0] = NULL
    return np.frombuffer(owned, dtype)


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
    """Give freed memory back to the system.

    The C library of Linux keeps blocks of up to 32 MB that were freed, in case they are wanted again.  The next source of a
    run wants them, and to be given them anew would take a sixth of the time; a process that does something else does not.
    """
    with nogil:
        tm_release()


cdef void found_free(Found* f) noexcept nogil:
    free(f.position)
    free(f.length)
    free(f.count)
    free(f.df)
    memset(f, 0, sizeof(Found))


cdef int reserve(void** data, int64_t* room, int64_t wanted, int64_t item) except -1 nogil:
    """Make room for `wanted` items of so many bytes, and for half as many again if there was less."""
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


cdef int found_push(Found* f, int64_t position, int64_t length, int64_t count, int64_t df) except -1 nogil:
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


cdef object found_columns(Found* found):
    import numpy as np

    try:
        return (copied(found.position, found.size * 8, np.int64), copied(found.length, found.size * 4, np.int32),
                copied(found.count, found.size * 4, np.int32), copied(found.df, found.size * 4, np.int32))
    finally:
        found_free(found)
