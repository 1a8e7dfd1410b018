"""Where in a text a string of a pack may stand at all, told by rare bytes and pairs of bytes, before a token is made."""

from libc.stdint cimport int32_t, int64_t, int8_t, uint32_t, uint64_t, uint8_t
from libc.string cimport memchr, memcpy

from templatemine.text._scan cimport Spec


# ----------------------------------------------------------------------------------------------------------------------- clues


cdef enum:
    BESIDE = 8              # bytes of a Setting, at most
    HEADS = 4               # a head for so many bits of a hash less: one in four is taken at most, and they fit a cache


cdef struct Setting:
    # What stands around a needle, or a byte, in some of its strings.
    int32_t before          # tokens of such a string before the one that holds it, at most
    int32_t after           # and after it
    uint8_t edges           # of a needle BEGINS_LINE, ENDS_LINE: of all of them; REACHES: of one of them
    # Bytes that stand there too, or none.  Of a needle: the token behind it begins with them (side 1), or the one before it
    # ends with them (-1).  Of a byte: they stand around it, and `side` is its place in them.
    int8_t side
    uint8_t size
    uint8_t beside[BESIDE]


cdef struct Settings:
    # A range of Sieve.setting.
    int32_t first
    int32_t end


cdef struct Needle:
    # Bytes that stand in a text wherever some strings do.
    int64_t start           # in Sieve.arena
    int32_t size
    Settings settings


cdef struct Gram:
    # Three or four bytes of a needle, with as many of those beside them as fit a word: one that is met by chance, as most
    # are, costs no look at the needle.
    uint64_t bytes          # of the text from `back` bytes before the gram on; 0 where the mask has 0
    uint64_t mask
    int32_t needle
    int32_t offset          # of the gram in the needle
    uint8_t back
    bint whole              # these are all bytes of the needle
    bint last               # of those of the same place in Sieve.heads, which stand side by side


cdef struct Trigger:
    # One of some bytes that a stretch of a line must hold, so that a string without a needle may stand in the line.
    uint8_t byte[256]
    uint8_t list[16]        # the same, if there are no more
    int count
    Settings settings[256]


cdef struct Met:
    # What was seen of the texts before the sieve is made.
    int32_t gram[65536]     # by the hash of four bytes
    int32_t byte[256]
    int32_t opening[256]    # lines whose first word holds a byte
    int32_t closing[256]    # and their last word
    int32_t last[256]       # the last line that was counted there
    int32_t line            # two a line: one for its first word, one for its last
    int64_t places          # bytes


cdef struct Sieve:
    uint8_t* arena
    int64_t arena_size
    int64_t arena_room
    Needle* needle
    int64_t needles
    int64_t needle_room
    Setting* setting
    int64_t setting_size
    int64_t setting_room
    Gram* gram
    int32_t* heads          # first Gram by the hash of its three or four bytes, or -1
    uint64_t* four          # a bit for each hash of a gram of four bytes, and of three
    uint64_t* three
    int shift               # 32 - bits of a hash
    Met* met                # NULL once the sieve is made
    bint threes             # there are grams of three bytes; and needles that have no other
    bint odd
    bint edges              # some string must begin or end its line, or reach to an edge
    uint8_t sure[256]       # 1 for bytes that stand in a token, whatever stands beside them
    Trigger opening         # in the first word of a line
    Trigger closing         # in its last word
    Trigger anywhere


cdef inline uint32_t gram_of(const uint8_t* p, int size) noexcept nogil:
    """The first three or four bytes as a number."""
    cdef uint32_t value = 0
    memcpy(&value, p, size)
    return value


cdef inline uint32_t gram_hash(uint32_t value, int shift) noexcept nogil:
    return (value * <uint32_t>2654435761) >> shift


cdef inline bint is_blank(uint8_t c) noexcept nogil:
    return c == 32 or 9 <= c <= 13


cdef inline int64_t line_end(const uint8_t* p, int64_t i, int64_t n) noexcept nogil:
    """The place of the next line feed at or after i; n if there is none."""
    cdef const void* hit = memchr(p + i, 10, n - i) if i < n else NULL
    return n if hit == NULL else <const uint8_t*>hit - p


cdef int sieve_learn(Sieve* s, const uint8_t* p, int64_t n) except -1
cdef int sieve_build(Sieve* s, const Spec* spec, list vocabulary, const int32_t* flat, const int64_t* bounds,
                     int64_t strings, const uint8_t* edges) except -1
cdef void sieve_free(Sieve* s) noexcept nogil


# ------------------------------------------------------------------------------------------------------------------- the sieve


cdef struct Region:
    int64_t start
    int64_t end


cdef struct Regions:
    # Of one text, ascending, disjoint; each begins and ends where a token may.  Where it does so in mid-line, a token of that
    # line stands before it, or after it.
    Region* region
    int64_t size
    int64_t room
    int64_t steps           # bytes that were looked at around what was found


cdef int sieve_regions(const Sieve* s, const uint8_t* p, int64_t n, Regions* out) except -1 nogil
