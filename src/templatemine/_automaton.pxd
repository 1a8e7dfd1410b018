"""The token automaton: all strings of a pack at once, after Aho and Corasick (1975), over numbers."""

from libc.stdint cimport int32_t, int64_t, uint64_t


cdef struct Automaton:
    int64_t states
    int64_t symbols
    int32_t* root           # next state of the root by symbol
    int32_t* fail
    int32_t* output         # string that ends in a state, or -1
    int32_t* also           # next string of the same tokens, or -1
    int32_t* link           # next state with output along the failure links, or 0
    int32_t* depth
    uint64_t* keys          # open addressing: state * symbols + symbol + 1 -> next state
    int32_t* values
    uint64_t mask


cdef inline int32_t automaton_goto(const Automaton* a, int32_t state, int32_t symbol) noexcept nogil:
    cdef uint64_t key = <uint64_t>state * <uint64_t>a.symbols + <uint64_t>symbol + 1
    cdef uint64_t place = (key * <uint64_t>0x9E3779B97F4A7C15) >> 32 & a.mask
    while a.keys[place]:
        if a.keys[place] == key:
            return a.values[place]
        place = (place + 1) & a.mask
    return 0


cdef inline int32_t automaton_step(const Automaton* a, int32_t state, int32_t symbol) noexcept nogil:
    cdef int32_t found
    while state:
        found = automaton_goto(a, state, symbol)
        if found:
            return found
        state = a.fail[state]
    return a.root[symbol]


cdef int automaton_build(Automaton* a, const int32_t* flat, const int64_t* bounds, int64_t strings, int64_t symbols) except -1 nogil
cdef void automaton_free(Automaton* a) noexcept nogil
