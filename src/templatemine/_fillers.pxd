"""What may fill a slot at an edge of a line, for the automaton."""

from libc.stdint cimport int64_t, uint8_t

from templatemine._tables cimport Table
from templatemine._spec cimport Spec


cdef enum:
    # Kinds of fillers (`slots.code_of`): 0 is anything of SLOT_SIZE characters, less than 128 anything of so many.
    ANYTHING = 0
    NUMBERS = 128
    DATES = 129
    DURATIONS = 130
    ADDRESS = 131
    NAMES = 132


cdef struct Fillers:
    uint8_t* kind           # of each string; NULL if all may be anything
    Table days              # words of dates
    Table times             # and of durations


cdef struct Walk:
    # What reaches from a byte between these two of a line back to its beginning is of the kind, or is not.
    int64_t place
    int64_t begin
    bint fit


cdef struct Walked:
    # Of a text, the last walk of each kind.
    Walk[5] walk
    int64_t token           # the last token from which a line was walked back, and the first one of that line
    int64_t first


cdef int fillers_make(Fillers* f, bytes kinds, list known) except -1
cdef void fillers_free(Fillers* f) noexcept nogil
cdef bint fits(const Fillers* f, const Spec* spec, const uint8_t* p, int64_t n, int64_t i, bint behind, uint8_t kind,
               Walked* walked) noexcept nogil
cdef void walked_forget(Walked* walked) noexcept nogil
