"""What may fill a slot at an edge of a line, for the automaton."""

from libc.stdint cimport int64_t, uint8_t

from templatemine._text cimport Spec, Table


cdef enum:
    # Kinds of fillers (`slots.code_of`): 0 is anything, up to 24 so many words.
    ANYTHING = 0
    NUMBERS = 32
    DATES = 33
    DURATIONS = 34
    ADDRESS = 35
    NAMES = 36


cdef struct Fillers:
    uint8_t* kind           # of each string; NULL if all may be anything
    Table days              # words of dates
    Table times             # and of durations


cdef int fillers_make(Fillers* f, bytes kinds, list known) except -1
cdef void fillers_free(Fillers* f) noexcept nogil
cdef bint fits_behind(const Fillers* f, const Spec* spec, const uint8_t* p, int64_t start, int64_t n, uint8_t kind) noexcept nogil
cdef bint fits_before(const Fillers* f, const Spec* spec, const uint8_t* p, int64_t end, uint8_t kind) noexcept nogil
