"""Matches in a text, and their union: the spans that are cut."""

from libc.stdint cimport int32_t, int64_t, uint8_t

from templatemine._memory cimport Found
from templatemine._text cimport Tokens
from templatemine._cut cimport Pieces, Stretch


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
cdef void order_by_end(Found* found) noexcept nogil
cdef int unite(const uint8_t* p, bint ascii, const Tokens* tokens, const Found* matches, int64_t gap, Outcome* out) except -1 nogil
