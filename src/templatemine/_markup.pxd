"""What the scanner of blocks knows of mark-up: tags and their properties, hidden elements, characters by number."""

from libc.stdint cimport int64_t, uint8_t, uint32_t

cdef enum:
    BLOCK = 1       # stands on lines of its own
    VOID = 2        # has no content
    RAW = 4         # its content is no mark-up
    MUTE = 8        # its text is not shown
    FORMAT = 16     # says how text looks, not what it is: no part of a path
    STRONG = 32     # emphasis
    WALL = 64       # implied ends stop here
    HEADING = 128
    BREAKOUT = 256  # a block that begins inside ends it

cdef enum:
    T_UNKNOWN, T_HTML, T_HEAD, T_BODY, T_TITLE, T_A, T_P, T_BR, T_LI, T_UL, T_OL, T_DT, T_DD, T_DL, T_TD, T_TH, T_TR
    T_TBODY, T_THEAD, T_TFOOT, T_TABLE, T_CAPTION, T_PRE, T_IMG, T_SCRIPT, T_STYLE, T_H1


cdef bint hides(const uint8_t* p, int64_t n) noexcept nogil
cdef int encoded(uint32_t c, uint8_t* out) noexcept nogil
