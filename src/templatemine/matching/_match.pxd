"""All strings of a pack found in a text at once, their intervals united, and the text cut."""

from libc.stdint cimport int32_t, int64_t, uint64_t, uint8_t

from templatemine.matching._prefilter cimport Regions, Sieve
from templatemine.text._scan cimport Bytes, Found, Scanner, Spec, Table, Tokens, Word, Words, Written


# --------------------------------------------------------------------------------------------------------------- the automaton


cdef struct Automaton:
    int64_t states
    int64_t symbols
    int32_t* root           # next state of the root by symbol
    int32_t* fail
    int32_t* output         # string that ends in a state, or -1
    int32_t* also           # next string of the same tokens, or -1
    int32_t* link           # next state with output along the failure links, or 0
    int32_t* depth
    uint64_t* keys          # open addressing: state * symbols + symbol + 1 -> next state
    int32_t* values
    uint64_t mask


cdef inline int32_t automaton_goto(const Automaton* a, int32_t state, int32_t symbol) noexcept nogil:
    cdef uint64_t key = <uint64_t>state * <uint64_t>a.symbols + <uint64_t>symbol + 1
    cdef uint64_t place = (key * <uint64_t>0x9E3779B97F4A7C15) >> 32 & a.mask
    while a.keys[place]:
        if a.keys[place] == key:
            return a.values[place]
        place = (place + 1) & a.mask
    return 0


cdef inline int32_t automaton_step(const Automaton* a, int32_t state, int32_t symbol) noexcept nogil:
    cdef int32_t found
    while state:
        found = automaton_goto(a, state, symbol)
        if found:
            return found
        state = a.fail[state]
    return a.root[symbol]


# --------------------------------------------------------------------------------------------------------------------- cutting


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


# ------------------------------------------------------------------------------------------------------------------- intervals


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


# ------------------------------------------------------------------------------------------------------------ fillers of slots


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


cdef bint fits(const Fillers* f, const Spec* spec, const uint8_t* p, int64_t n, int64_t i, bint behind, uint8_t kind,
               Walked* walked) noexcept nogil


# ----------------------------------------------------------------------------------------------------------------- the matcher


cdef enum:
    KNOWN = 2048            # tokens that a Scratch remembers


cdef struct Scratch:
    # What one call needs and the next one can use again; of a token that was looked at once, the id is remembered.
    Tokens tokens
    Found found
    Regions regions
    Bytes utf8
    uint8_t* form
    int64_t room
    Word known[KNOWN]
    Walked walked


cdef enum:
    CUT = 0                 # what stays of a text with spans are its pieces; without, it stays as it is
    SPARED = 1              # more would go than the guard allows, so it stays as it is
    LONE = 2                # it holds lone surrogates, which UTF-8 cannot hold, and was not searched


cdef struct Text:
    Written text
    int verdict
    int64_t spans
    int64_t pieces


cdef class Matcher(Scanner):
    cdef Table vocabulary
    cdef Automaton automaton
    cdef uint8_t* edges
    cdef Fillers fillers
    cdef int64_t strings
    cdef uint8_t* own_form      # 1 where a token spelt like the form has that form
    cdef uint8_t[256] trait     # 0 ASCII letters, 1 signs that begin no pattern, 2 the rest
    cdef bint dotted            # a pattern of letters and full stops is on
    cdef uint64_t[256] filter   # a bit for each hash of the vocabulary and of the words of the lists
    cdef Words words            # short tokens: forms of the vocabulary that are spelt so, and the words of the lists
    cdef uint64_t[1024] first   # a bit for each short token that may begin a string
    cdef Sieve sieve
    cdef bint learning          # there is a plan
    cdef tuple plan             # what the sieve is made of, until it is
    cdef bint forced
    cdef readonly bint sieved
    cdef int64_t seen           # bytes that came to the sieve, and that it let pass
    cdef int64_t passed
    cdef Scratch** spare        # of calls that have ended; the interpreter's lock guards them
    cdef int64_t spares
    cdef int64_t spare_room

    cdef int _make_sieve(self) except -1
    cdef int _learn_words(self) except -1
    cdef Scratch* _take(self) except NULL
    cdef void _give(self, Scratch* scratch) noexcept
    cdef int _meet(self, const uint8_t* p, int64_t n) except -1
    cdef int _learn(self, const Text* rows, int64_t number, bint surrogates, Scratch* scratch) except -1
    cdef bint _plain(self, const uint8_t* p, int64_t n) noexcept nogil
    cdef int64_t _look_up(self, const uint8_t* p, int64_t n, uint8_t kind, Scratch* scratch) except -2 nogil
    cdef int _find(self, const uint8_t* p, int64_t n, Scratch* scratch, int64_t* forms) except -1 nogil
    cdef int _search(self, const uint8_t* p, int64_t start, int64_t end, int64_t n, Scratch* scratch, int64_t* forms,
                     bint* ordered) except -1 nogil
    cdef int _clean(self, const uint8_t* p, int64_t n, int64_t points, int64_t gap, double guard, Scratch* scratch,
                    Outcome* out) except -1 nogil
    cdef int _read(self, list texts, int64_t gap, double guard, Text* rows, Outcome* out) except -1
