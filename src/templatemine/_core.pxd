"""What `_count` takes of the mining side: the tokeniser, and how the tokens of a document stand."""

from libc.stdint cimport int32_t, int64_t, uint8_t, uint16_t, uint64_t

from templatemine._tables cimport Table, Words
from templatemine._text cimport Scanner, Tokens
from templatemine._utf8 cimport Bytes


cdef struct Ints:
    int32_t* data
    int64_t size
    int64_t room


cdef struct Ahead:
    # A token whose place in a table is asked for before it is looked up.
    uint64_t hash
    uint64_t a              # of a short one: its spelling (tm_key)
    uint64_t b
    int64_t size


cdef class Tokeniser(Scanner):
    cdef Words words        # form id of each short type
    cdef Table types        # the longer ones
    cdef Table forms
    cdef Ints form_of       # form id of each longer type
    cdef Ints tokens        # form id of each token
    cdef Tokens scratch
    cdef uint8_t* room
    cdef int64_t room_size
    cdef bint lines
    cdef Bytes utf8
    cdef list starts
    cdef bint busy          # a thread is at it, which may have let the interpreter's lock go

    cdef int _enter(self) except -1
    cdef list _each(self, list documents)
    cdef int _take(self, const uint8_t* p, int64_t n) except -1 nogil
    cdef int _add(self, const uint8_t* p, int64_t n) except -1 nogil
    cdef int64_t _id(self, const uint8_t* q, uint8_t kind, const Ahead* one) except -1 nogil
    cdef int64_t _form(self, const uint8_t* p, int64_t n, uint8_t kind) except -1 nogil
    cdef int64_t _normalise(self, const uint8_t* p, int64_t n, uint8_t kind) except -1 nogil


cdef struct Sizes:
    # Of lines and tables, as `standing` takes them.
    int64_t short
    int64_t long_
    int64_t near
    int64_t least
    int64_t every


cdef void stand(const int32_t* forms, int64_t n, const uint16_t* traits, bint lines, const Sizes* sizes, uint8_t* out) noexcept nogil
