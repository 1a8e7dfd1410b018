"""From the matches in a text to the text without them: spans, and the pieces that stay."""

from libc.stdint cimport int32_t, int64_t, uint8_t

from templatemine.text._reading cimport Form
from templatemine.text._scan cimport Occurrences, StrView, Tokens


cdef struct Span:
    # A part of a text that is removed; ends are exclusive.
    int64_t start           # in bytes
    int64_t end
    int64_t point_start     # in code points
    int64_t point_end
    int64_t kind            # code of its kind, 0 for none; two spans that touch are parts of one cut of different kinds
    int64_t member_end      # where the strings of this span end in Outcome.member; they begin where those of the span before end


cdef enum:
    BLANK = -1              # start of a piece that is a blank which is inserted, not a part of the text


cdef struct Piece:
    # A part of a text that stays.
    int64_t start           # in bytes
    int64_t end


cdef struct Pieces:
    # The pieces of all texts of a call, one text after the other.
    Piece* piece
    int64_t size
    int64_t room


cdef struct Outcome:
    # Spans and pieces of all texts of a call, one text after the other.
    Span* span
    int64_t size
    int64_t room
    int32_t* member         # the strings of each span, ascending, each once
    int64_t members
    int64_t member_room
    Pieces pieces


cdef struct StringKinds:
    # Of each string of a matcher; `code` is NULL if none has a kind.
    const uint8_t* edges
    const uint8_t* code
    const int32_t* weight


cdef void outcome_free(Outcome* out) noexcept nogil
cdef int unite_matches(const uint8_t* p, int64_t n, bint ascii, bint html, const Tokens* tokens, Occurrences* matches,
                       const StringKinds* kinds, bint keeps, int64_t gap, Outcome* out) except -1 nogil
cdef bint is_stub(const Span* removed, int64_t number, int64_t points, double guard) noexcept nogil
cdef void move_spans(const Form* form, Span* spans, int64_t size) noexcept nogil
cdef void set_points(const uint8_t* p, bint ascii, Span* spans, int64_t size) noexcept nogil
cdef int take_tags(const uint8_t* p, int64_t n, Span* spans, int64_t size) except -1 nogil
cdef int cut_pieces(const uint8_t* p, int64_t n, const Span* removed, int64_t number, Pieces* out) except -1 nogil
cdef int64_t count_lost(const uint8_t* p, int64_t n, bint ascii, const Piece* piece, int64_t number) noexcept nogil
cdef void pieces_to_points(const uint8_t* p, Piece* piece, int64_t number) noexcept nogil
cdef str assemble(const StrView* text, const Piece* piece, int64_t number)
cdef str exact_str(object text)
