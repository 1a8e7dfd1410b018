"""Makes the reading form of texts, with the way back to the original."""

from libc.stdint cimport int64_t, uint32_t, uint8_t

from templatemine.text._scan cimport Bytes, Table


cdef struct Edit:
    # A piece of a text that was replaced, [start, end), and what it became; in bytes.
    int64_t new_start
    int64_t new_end
    int64_t start
    int64_t end


cdef struct Step:
    # A text with some pieces replaced.
    Edit* edit              # ascending and disjoint
    int64_t size
    int64_t room
    Bytes text              # complete up to `done` of the text before, while it is made
    int64_t done


cdef enum:
    STEPS = 5               # mark-up, what is cut off, characters, glue points, sentences


cdef struct Form:
    # The reading form of a text: `size` bytes at `text`, and the steps that made it; none if it is the text itself.
    Step step[STEPS]
    int steps
    const uint8_t* text
    int64_t size


cdef struct Tag:
    # A tag in a text, plain or escaped, [start, end) in bytes.
    int64_t start
    int64_t end
    int name
    bint block              # whether it parts lines
    bint closes
    bint single             # of an element that has no end of its own
    bint whole              # not cut off by the text's end


cdef void form_free(Form* form) noexcept nogil
cdef int64_t form_room(const Form* form) noexcept nogil
cdef int64_t original_start(const Form* form, int64_t offset) noexcept nogil
cdef int64_t original_end(const Form* form, int64_t offset) noexcept nogil
cdef bint read_tag(const uint8_t* p, int64_t i, int64_t n, Tag* tag) noexcept nogil
cdef int write_char(uint32_t c, uint8_t* out) noexcept nogil
cdef uint32_t replace_number(uint32_t code) noexcept nogil


cdef class Rules:
    cdef bint sentences
    cdef bint soft
    cdef bint markup
    cdef int64_t cut_off    # characters of a text that is cut off; 0: none is
    cdef Table starts       # words that begin lines
    cdef Table whole        # words that are not parted
    cdef Table entities     # names of entities, with what each stands for:
    cdef Table characters   # ... entity i is characters[meaning[i]]
    cdef int64_t* meaning

    cdef bint _read(self, const uint8_t* p, int64_t n, Form* form) except -1 nogil
    cdef int _read_steps(self, const uint8_t* p, int64_t n, int first, int end, bint composed, Form* form) except -1 nogil
    cdef bint _is_cut_off(self, const uint8_t* p, int64_t n) noexcept nogil
    cdef bint _decode(self, const uint8_t* p, int64_t n, bint is_cut_off, Step* step) except -1 nogil
    cdef bint _decode_markup(self, const uint8_t* p, int64_t n, Step* step) except -1 nogil
    cdef int _part(self, const uint8_t* p, int64_t n, Step* step) except -1 nogil
    cdef bint _is_soft(self, const uint8_t* p, int64_t n, int64_t i) noexcept nogil
