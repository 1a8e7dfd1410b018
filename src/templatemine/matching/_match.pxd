"""All strings of a pack found in a text at once, their intervals united, and the text cut."""

from libc.stdint cimport int32_t, int64_t, uint64_t, uint8_t

from templatemine.matching._prefilter cimport Sieve
from templatemine.text._scan cimport Scanner, Table, WordList


cdef struct Stretch:
    int64_t start           # in bytes
    int64_t end
    int64_t first           # in code points
    int64_t last            # one behind the last
    int64_t members         # strings that it is of, and all before it


cdef enum:
    BLANK = -1              # the start of a piece that is a blank and stands nowhere in the text


cdef struct Piece:
    int64_t start           # in bytes
    int64_t end


cdef struct Pieces:
    # Of all texts, one after the other.
    Piece* piece
    int64_t size
    int64_t room


cdef struct Outcome:
    # Of all texts, one after the other.
    Stretch* span
    int64_t size
    int64_t room
    int32_t* member         # strings, of each span in order, each once
    int64_t members
    int64_t member_room
    Pieces pieces


cdef void outcome_free(Outcome* out) noexcept nogil


cdef enum:
    LARGEST = 0x7FFFFFF0    # bytes of a text


cdef enum:
    CUT = 0                 # what stays of a text with spans are its pieces; without, it stays as it is
    WHOLE = 1               # a stub, of which more is boilerplate than the guard says, that is to stay as it is
    STUB = 2                # such a one that is cut


cdef struct Automaton
cdef struct Fillers
cdef struct Scratch         # what one call needs and the next one can use again, of whatever matcher


cdef Scratch* scratch_take() except NULL
cdef void scratch_give(Scratch* scratch) noexcept


cdef class Matcher(Scanner):
    cdef Table vocabulary
    cdef Automaton* automaton
    cdef uint8_t* edges
    cdef Fillers* fillers
    cdef int64_t strings
    cdef uint8_t* own_form      # 1 where a token spelt like the form has that form
    cdef uint8_t[256] trait     # 0 ASCII letters, 1 signs that begin no pattern, 2 the rest
    cdef bint dotted            # a pattern of letters and full stops is on
    cdef uint64_t[256] filter   # a bit for each hash of the vocabulary and of the words of the lists
    cdef uint64_t[1024] first   # a bit for each short token that may begin a string
    cdef Sieve* sieve
    cdef bint learning          # there is a plan
    cdef tuple plan             # the strings that the sieve is made of, until it is
    cdef bint forced
    cdef readonly bint sieved
    cdef int64_t seen           # bytes that came to the sieve, and that it let pass
    cdef int64_t passed
    cdef uint64_t number        # its own, by which a Scratch knows whose tokens it remembers
    cdef tuple kept             # the WordLists of the fillers

    cdef int _make_sieve(self) except -1
    cdef int _learn_own_forms(self) except -1
    cdef void _learn_words(self) noexcept
    cdef void _learn_first(self, const uint8_t* p, int64_t n) noexcept
    cdef int _meet(self, const uint8_t* p, int64_t n) except -1
    cdef int64_t _spelt(self, const uint8_t* p, int64_t n) noexcept nogil
    cdef bint _plain(self, const uint8_t* p, int64_t n) noexcept nogil
    cdef int64_t _look_up(self, const uint8_t* p, int64_t n, uint8_t kind, Scratch* scratch) except -2 nogil
    cdef int _find(self, const uint8_t* p, int64_t n, Scratch* scratch, int64_t* forms, bint united) except -1 nogil
    cdef int _add(self, int32_t state, int64_t last, Scratch* scratch) except -1 nogil
    cdef int _search(self, const uint8_t* p, int64_t start, int64_t end, int64_t n, Scratch* scratch, int64_t* forms,
                     bint united, bint part, bint* ordered) except -1 nogil
    cdef int _search_regions(self, const uint8_t* p, int64_t n, Scratch* scratch, bint united, bint* ordered) except -1 nogil
    cdef int _clean(self, const uint8_t* p, int64_t n, int64_t points, int64_t gap, double guard, bint keep,
                    Scratch* scratch, Outcome* out) except -1 nogil
