"""Boxes: two strings of a line and what stands between them, told by their letters."""

from libc.stdint cimport int32_t, int64_t, uint8_t

from templatemine._memory cimport Found
from templatemine._text cimport Tokens
from templatemine._automaton cimport Automaton


cdef struct Boxes:
    Automaton openings      # over bytes, with BLANK for all blanks
    int64_t longest         # bytes of an opening, at most, with the widest blanks
    int64_t count
    int32_t* string         # of each box
    int32_t* closed_by      # which of the closings
    uint8_t* arena          # the closings, one after the other
    int64_t* bounds
    int64_t closings
    int32_t* joint          # of each closing, the string that begins at a joint, or -1


cdef int find_boxes(const Boxes* b, const uint8_t* p, int64_t n, Tokens* tokens, Found* found) except -1 nogil
cdef void boxes_free(Boxes* b) noexcept nogil
cdef int boxes_build(Boxes* b, list boxes) except -1
