"""What is left of a text without some stretches, for the modules that find them."""

from libc.stdint cimport int64_t, uint8_t

from templatemine._utf8 cimport Written


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


cdef int cut_pieces(const uint8_t* p, int64_t n, const Stretch* removed, int64_t number, Pieces* out) except -1 nogil
cdef void pieces_to_points(const uint8_t* p, Piece* piece, int64_t number) noexcept nogil
cdef str assemble(const Written* text, const Piece* piece, int64_t number)
