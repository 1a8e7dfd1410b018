"""The state of a pass over a page: open elements, paths, text and blocks as far as they are read."""

from libc.stdint cimport int32_t, int64_t, uint8_t, uint16_t, uint32_t, uint64_t

from templatemine._paths cimport Node

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


cdef int page_init(Page* s, const uint8_t* p, int64_t n) except -1 nogil
cdef void page_free(Page* s) noexcept nogil
cdef int32_t node_of(Page* s, int32_t parent, uint16_t tag, const uint8_t* sign, int64_t n) except -1 nogil
cdef object columns(Page* s)
