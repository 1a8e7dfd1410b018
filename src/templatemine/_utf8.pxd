"""UTF-8 of Python's strings, for the modules that read them."""

from libc.stdint cimport int64_t, uint8_t


cdef struct Bytes:
    uint8_t* data
    int64_t size
    int64_t room


cdef struct Written:
    # The code units of a str, as long as that lives.
    const void* units
    int64_t points          # how many
    int kind                # bytes of each
    bint ascii


cdef extern from "Python.h":
    int PyUnicode_KIND(object text)
    void* PyUnicode_DATA(object text)
    Py_ssize_t PyUnicode_GET_LENGTH(object text)
    bint PyUnicode_IS_ASCII(object text)


cdef inline Written written(str text):
    return Written(PyUnicode_DATA(text), PyUnicode_GET_LENGTH(text), PyUnicode_KIND(text), PyUnicode_IS_ASCII(text))


cdef int64_t count_points(const uint8_t* p, int64_t start, int64_t end) noexcept nogil
cdef int64_t skip_points(const uint8_t* p, int64_t i, int64_t number) noexcept nogil
cdef const uint8_t* utf8_of(const Written* text, bint surrogates, Bytes* room, int64_t* size) except? NULL nogil
