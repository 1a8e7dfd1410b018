"""A page of HTML into blocks: mark-up, paths of elements, words of blocks, and the scanner."""

from libc.stdint cimport int32_t, int64_t, uint16_t, uint32_t, uint64_t, uint8_t

from templatemine.text._scan cimport is_alnum, is_upper, Table


# --------------------------------------------------------------------------------------------------------------------- mark-up


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


# ----------------------------------------------------------------------------------------------------------------------- paths


cdef enum:
    SIGN = 160      # bytes of an element's sign in a path

cdef enum:
    K_FULL, K_PARENT, K_GRAND, K_CLASS, K_TAGS, K_NEAR, K_SIZE


cdef struct Node:
    int32_t parent
    uint16_t tag
    uint64_t full
    uint64_t plain          # without ids
    uint64_t tags
    uint64_t near
    int64_t sign            # where its sign ends in `signs`


cdef inline uint64_t joined(uint64_t a, uint64_t b) noexcept nogil:
    """Hash of a pair."""
    cdef uint64_t h = (a ^ <uint64_t>0x9E3779B97F4A7C15) * <uint64_t>0xD1B54A32D192ED03
    h = (h ^ (h >> 32)) + b
    h *= <uint64_t>0x2545F4914F6CDD1D
    return h ^ (h >> 29)


# ----------------------------------------------------------------------------------------------------------------------- words


cdef enum:
    C_WORDS, C_LINKED, C_STRONG, C_CAPITAL, C_UPPER, C_NUMBERS, C_SHORT, C_LETTERS, C_TITLE, C_TITLE_WORDS, C_MONTH
    C_WEEKDAY, C_CONTROL, C_BY, C_RIGHTS, C_YEAR, C_CLOCK, C_SENTENCES, C_COMMAS, C_COLONS, C_QUOTES, C_BARS, C_PARENS
    C_END, C_LOWER, C_OWN, C_TAGS, C_IMAGES, C_BREAK, C_BROKEN, C_TALK, C_SIZE

cdef enum:
    W_MONTH = 1
    W_WEEKDAY = 2
    W_CONTROL = 3
    W_BY = 4
    W_RIGHTS = 5
    W_TALK = 6
    W_ANSWER = 7    # of talk, and a control


cdef inline int word_char(const uint8_t* p, int64_t left, int* width) noexcept nogil:
    """0 no part of a word, 1 part of one, 2 a word of its own (scripts without spaces); `width` in bytes."""
    cdef uint8_t c = p[0]
    width[0] = 1
    if c < 0x80:
        return is_alnum(c)
    if c < 0xE0:
        width[0] = 2 if left > 1 else 1
        if c == 0xC2:
            return left > 1 and (p[1] == 0xAA or p[1] == 0xB5 or p[1] == 0xBA)
        return 0 if c == 0xD8 and left > 1 and (p[1] == 0x8C or p[1] == 0x9B or p[1] == 0x9F) else 1
    if c < 0xF0:
        width[0] = 3 if left > 2 else 1
        if left < 3:
            return 0
        if c == 0xE2 or (c == 0xE3 and p[1] == 0x80):           # punctuation, symbols; Japanese marks
            return 0
        if c == 0xEF and (p[1] >= 0xBC or p[1] == 0xBB):         # full width forms: letters and digits count
            return 1 if (p[1] == 0xBC and p[2] >= 0x90 and p[2] != 0x9A) else 0
        if (c == 0xE3 and p[1] >= 0x81) or 0xE4 <= c <= 0xE9 or (0xEA <= c <= 0xED and p[1] >= 0x80):
            return 2
        return 1
    width[0] = 4 if left > 3 else 1
    return 2 if c == 0xF0 and left > 3 and p[1] >= 0xA0 else 0


cdef inline uint64_t folded(const uint8_t* p, int64_t n) noexcept nogil:
    """Hash of a word without regard to the case of ASCII."""
    cdef uint64_t h = 0xCBF29CE484222325
    cdef int64_t i
    for i in range(n):
        h = (h ^ (p[i] | (32 if is_upper(p[i]) else 0))) * <uint64_t>0x100000001B3
    return h


cdef void count_word(const uint64_t* title, int titles, const Table* words, const uint8_t* groups, const uint8_t* p, int64_t n,
                     int64_t place, int32_t* c, uint64_t* seen) noexcept nogil


# ------------------------------------------------------------------------------------------------------------- state of a page


cdef enum:
    DEPTH = 256     # elements open at once; browsers stop at 512
    TITLE = 64      # words of the title that are known again


cdef struct Element:
    int32_t parent
    int32_t node
    uint16_t tag
    uint8_t closed          # an inline element that ended inside a block it was still open in
    uint8_t hidden
    uint8_t link            # is a link itself
    uint32_t words          # groups of key words in its class, id, role


cdef struct Run:
    int64_t at              # offset in the text
    uint8_t flags           # 1 linked, 2 emphasised


cdef struct Page:
    const uint8_t* p
    int64_t n
    int64_t quotes[2]       # from here on no double (single) quote is left
    uint8_t unended[256]    # tags whose end tag does not come any more
    bint unescaped          # a script did not end as it should: their ends are just looked for
    # open elements
    int32_t stack[DEPTH]
    int depth
    int64_t over            # elements open beyond DEPTH
    int link
    int strong
    int mute
    int pre
    bint plain              # there is no tag: blank lines part paragraphs
    int32_t open[256]       # open elements of each tag
    # the page's elements and paths
    Element* elements
    int64_t element_count
    int64_t element_room
    Node* nodes
    int64_t node_count
    int64_t node_room
    int32_t* slots          # nodes by hash
    uint64_t mask
    uint8_t* signs
    int64_t sign_size
    int64_t sign_room
    # the text
    uint8_t* text
    int64_t size
    bint blank              # white space is due before the next character
    Run* runs
    int64_t run_count
    int64_t run_room
    # the block that is open
    int64_t text_start
    int64_t page_start
    int64_t page_end
    int low                 # depth of the element that holds all of the block's text
    int dip                 # least depth since the last of it
    int32_t holder          # that element
    int64_t tags
    int64_t images
    bint after_break
    # blocks
    int64_t* starts
    int64_t* ends
    int64_t* bounds
    int32_t* element_of
    int32_t* counts
    uint64_t* hashes
    int64_t count
    int64_t room
    # stretches of the page that are not shown
    int64_t* holes
    int64_t hole_count
    int64_t hole_room
    int64_t mute_start
    # words of the title
    uint64_t title[TITLE]
    int title_count
    int64_t title_start
    int64_t title_end       # 0: no title yet
