"""Finds all strings of a pack in texts at once."""

from libc.stdint cimport int32_t, int64_t, uint64_t, uint8_t

from templatemine.matching._cutting cimport Outcome
from templatemine.text._reading cimport Rules
from templatemine.text._scan cimport Scanner, Table, WordList


cdef enum:
    MAX_TEXT_BYTES = 0x7FFFFFF0


cdef enum:
    # Verdicts on a text; a stub is a text of which a greater share is boilerplate than the guard allows.
    CUT = 0                 # no stub: its pieces stay, or all of it if it has no spans
    STUB_KEPT = 1           # a stub that stays as it is
    STUB_CUT = 2            # a stub of which the pieces stay
    # A text that is left to Python: it holds lone surrogates, or what may not be in NFC, or a string that is kept in a cut.
    UNREADABLE = 3


cdef struct Sieve           # the clues of the strings of a pack
cdef struct Automaton
cdef struct Fillers
cdef struct Scratch         # memory of one call, which the next call of any matcher reuses


cdef Scratch* scratch_acquire() except NULL
cdef void scratch_release(Scratch* scratch) noexcept


cdef class Matcher(Scanner):
    cdef Table vocabulary
    cdef Automaton* automaton
    cdef uint8_t* edges
    cdef uint8_t* kinds             # code of the kind of each string, and how much it says of the kind of a span; or NULL
    cdef int32_t* weights
    cdef int32_t* heads             # of each string, the one that its match begins with; or NULL
    cdef bint keeps                 # a string is KEPT
    cdef Fillers* fillers
    cdef int64_t strings            # how many; and with the heads that come behind them
    cdef int64_t strings_and_heads
    cdef uint8_t* own_form          # of each form of the vocabulary, 1 if a token with the bytes of the form has that form
    cdef uint8_t[256] byte_class    # 0 ASCII letters, 1 signs that begin no pattern, 2 the rest
    cdef bint has_dot_patterns      # a pattern of letters and full stops is on
    cdef uint64_t[256] hash_filter  # a bit for each hash of the vocabulary and of the words of the lists
    cdef uint64_t[1024] first_filter    # a bit for each hash of a short token that may begin a string
    cdef Sieve* sieve
    cdef bint is_sampling           # texts are collected for the sieve, which is not built yet
    cdef tuple sieve_strings        # the strings that the sieve is built from, until it is: flat, bounds
    cdef bint is_sieve_forced
    cdef readonly bint uses_sieve
    cdef int64_t bytes_seen         # bytes of the texts that the sieve was applied to, and bytes of the regions that it gave
    cdef int64_t bytes_passed
    cdef int64_t sieve_steps        # bytes that the sieve read around hits of clues
    cdef uint64_t matcher_number    # unique, so that a Scratch knows which matcher its cached tokens belong to
    cdef tuple filler_words         # the WordLists that `fillers` refers to

    cdef int _build_sieve(self) except -1
    cdef int _mark_own_forms(self) except -1
    cdef void _fill_first_filter(self) noexcept
    cdef void _add_to_first_filter(self, const uint8_t* p, int64_t n) noexcept
    cdef int _sample_text(self, const uint8_t* p, int64_t n) except -1
    cdef int64_t _find_literal_form(self, const uint8_t* p, int64_t n) noexcept nogil
    cdef bint _is_own_form(self, const uint8_t* p, int64_t n) noexcept nogil
    cdef int64_t _find_form(self, const uint8_t* p, int64_t n, uint8_t kind, Scratch* scratch) except -2 nogil
    cdef int _find_matches(self, const uint8_t* p, int64_t n, Scratch* scratch, bint union_only) except -1 nogil
    cdef int _add_state_matches(self, int32_t state, int64_t last, Scratch* scratch) except -1 nogil
    cdef int _search_region(self, const uint8_t* p, int64_t start, int64_t end, int64_t n, Scratch* scratch,
                            bint union_only, bint part, bint* ordered) except -1 nogil
    cdef int _search_regions(self, const uint8_t* p, int64_t n, Scratch* scratch, bint union_only, bint* ordered) except -1 nogil
    cdef list _find_spans(self, list texts, int64_t gap, Rules rules, bint by_kind)
    cdef int _clean(self, const uint8_t* p, int64_t n, int64_t points, Rules rules, int64_t gap, double guard, bint keep,
                    bint by_kind, Scratch* scratch, Outcome* out) except -1 nogil
