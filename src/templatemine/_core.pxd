"""The native core of mining, in the order in which data flows: documents -> token ids -> symbols -> suffix array and LCP,
or growing strings -> maximal strings with their document frequency -> columns of what is known of each."""

from libc.stdint cimport int32_t, int64_t, uint16_t, uint64_t, uint8_t
from libc.string cimport memset

from templatemine.text._scan cimport Bytes, Scanner, Table, Tokens, Words


# --------------------------------------------------------------------------------------------------------- how a string stands
# How tokens stand in their lines: bits of `_core.standing`, and their counts over the occurrences of a string.


cdef enum:
    BEGINS = 1          # begins its line
    ENDS = 2            # of what CLOSES: ends its line
    OPENS = 2           # of what does not: a capital follows
    AFTER_CLOSE = 4     # begins its line or follows a punctuation mark
    CLOSES = 8          # ends its line or ends with a punctuation mark
    PROSE = 16          # its line is long and ends a sentence
    NEAR_END = 32       # the end of its line is near
    NEAR_BEGIN = 64
    TABULAR = 128       # its line belongs to a table


cdef enum:
    STANDS = 11         # counts of `count_stand`


cdef inline void count_stand(int32_t* counts, int32_t a, int32_t b) noexcept nogil:
    """Add an occurrence to the counts of a string: `a` is how its first token stands, `b` how its last does."""
    cdef int32_t ends = b >> 1 & b >> 3 & 1
    counts[0] += a & 1
    counts[1] += ends
    counts[2] += a & ends
    counts[3] += a >> 2 & 1
    counts[4] += b >> 3 & 1
    counts[5] += a >> 4 & 1
    counts[6] += b >> 5 & 1
    counts[7] += a >> 6 & 1
    counts[8] += a >> 4 & ~a & ~ends & 1
    counts[9] += a >> 7 & 1
    counts[10] += (b >> 1 | b >> 3) & 1


cdef enum:
    OF_FIRST = BEGINS | AFTER_CLOSE | PROSE | NEAR_BEGIN | TABULAR      # what `count_stand` asks of the first token
    OF_LAST = ENDS | CLOSES | NEAR_END
    STOOD = 6           # counts that share a number,
    STOOD_BITS = 10     # so many bits each
    STOOD_MOST = 1023   # occurrences until they must be added up


cdef struct Stood:
    # The counts of `count_stand`, side by side: what an occurrence adds, or the sum over some.
    uint64_t[2] counts


cdef inline void stood_table(Stood* table) noexcept nogil:
    """What an occurrence adds, by how its first and last token stand: 256 entries."""
    cdef int32_t[STANDS] counts
    cdef int i, k
    for i in range(256):
        memset(counts, 0, sizeof(counts))
        count_stand(counts, i & OF_FIRST, i & OF_LAST)
        memset(table + i, 0, sizeof(Stood))
        for k in range(STANDS):
            table[i].counts[k // STOOD] |= <uint64_t>counts[k] << (k % STOOD * STOOD_BITS)


cdef inline void stood_add(Stood* total, const Stood* table, int32_t a, int32_t b) noexcept nogil:
    """`count_stand` by a table that `stood_table` has filled."""
    cdef const Stood* one = table + (a & OF_FIRST | b & OF_LAST)
    total.counts[0] += one.counts[0]
    total.counts[1] += one.counts[1]


cdef inline int64_t stood_count(const Stood* total, int place) noexcept nogil:
    """One of the counts."""
    return total.counts[place // STOOD] >> (place % STOOD * STOOD_BITS) & STOOD_MOST


# ----------------------------------------------------------------------------------------------- tokens, suffix array, repeats


cdef struct Ints:
    int32_t* data
    int64_t size
    int64_t room


cdef struct Ahead:
    # A token whose place in a table is asked for before it is looked up.
    uint64_t hash
    uint64_t a              # of a short one: its spelling (tm_key)
    uint64_t b
    int64_t size


cdef class Tokeniser(Scanner):
    cdef Words words        # form id of each short type
    cdef Table types        # the longer ones
    cdef Table forms
    cdef Ints form_of       # form id of each longer type
    cdef Ints tokens        # form id of each token
    cdef Tokens scratch
    cdef uint8_t* room
    cdef int64_t room_size
    cdef bint lines
    cdef Bytes utf8
    cdef list starts
    cdef bint busy          # a thread is at it, which may have let the interpreter's lock go

    cdef int _enter(self) except -1
    cdef list _each(self, list documents)
    cdef int _take(self, const uint8_t* p, int64_t n) except -1 nogil
    cdef int _add(self, const uint8_t* p, int64_t n) except -1 nogil
    cdef int64_t _id(self, const uint8_t* q, uint8_t kind, const Ahead* one) except -1 nogil
    cdef int64_t _form(self, const uint8_t* p, int64_t n, uint8_t kind) except -1 nogil
    cdef int64_t _normalise(self, const uint8_t* p, int64_t n, uint8_t kind) except -1 nogil


cdef struct Sizes:
    # Of lines and tables, as `standing` takes them.
    int64_t short
    int64_t long_
    int64_t near
    int64_t least
    int64_t every
