"""The token automaton: all strings of a pack at once, after Aho and Corasick (1975), over numbers.

A step is defined in `_automaton.pxd`, so that each module compiles it into its loops; here it is built, in time and memory
linear in the tokens of the strings.
"""

from libc.stdint cimport int32_t, int64_t, uint64_t
from libc.stdlib cimport free, malloc
from libc.string cimport memset

__all__ = []


cdef int automaton_build(Automaton* a, const int32_t* flat, const int64_t* bounds, int64_t strings, int64_t symbols) except -1 nogil:
    cdef int64_t total = bounds[strings], i, k
    cdef uint64_t key, place
    cdef int32_t state, child, f
    cdef int32_t* parent = NULL
    cdef int32_t* symbol = NULL
    cdef int32_t* order = NULL
    cdef int64_t* count = NULL
    a.symbols = symbols
    a.mask = 15
    while a.mask < <uint64_t>total * 2:
        a.mask = a.mask * 2 + 1
    try:
        a.root = <int32_t*>malloc(symbols * sizeof(int32_t) + 8)
        a.fail = <int32_t*>malloc((total + 1) * sizeof(int32_t))
        a.output = <int32_t*>malloc((total + 1) * sizeof(int32_t))
        a.also = <int32_t*>malloc((strings + 1) * sizeof(int32_t))
        a.link = <int32_t*>malloc((total + 1) * sizeof(int32_t))
        a.depth = <int32_t*>malloc((total + 1) * sizeof(int32_t))
        a.keys = <uint64_t*>malloc((a.mask + 1) * sizeof(uint64_t))
        a.values = <int32_t*>malloc((a.mask + 1) * sizeof(int32_t))
        parent = <int32_t*>malloc((total + 1) * sizeof(int32_t))
        symbol = <int32_t*>malloc((total + 1) * sizeof(int32_t))
        order = <int32_t*>malloc((total + 1) * sizeof(int32_t))
        count = <int64_t*>malloc((total + 2) * sizeof(int64_t))
        if (a.root == NULL or a.fail == NULL or a.output == NULL or a.also == NULL or a.link == NULL or a.depth == NULL or a.keys == NULL
                or a.values == NULL or parent == NULL or symbol == NULL or order == NULL or count == NULL):
            raise MemoryError
        memset(a.root, 0, symbols * sizeof(int32_t))
        memset(a.keys, 0, (a.mask + 1) * sizeof(uint64_t))
        a.states = 1
        a.fail[0] = 0
        a.output[0] = -1
        a.link[0] = 0
        a.depth[0] = 0
        for i in range(strings):
            if bounds[i] == bounds[i + 1]:
                continue
            state = 0
            for k in range(bounds[i], bounds[i + 1]):
                child = a.root[flat[k]] if state == 0 else automaton_goto(a, state, flat[k])
                if child == 0:
                    child = <int32_t>a.states
                    a.states += 1
                    a.output[child] = -1
                    a.depth[child] = a.depth[state] + 1
                    parent[child] = state
                    symbol[child] = flat[k]
                    if state == 0:
                        a.root[flat[k]] = child
                    else:
                        key = <uint64_t>state * <uint64_t>symbols + <uint64_t>flat[k] + 1
                        place = (key * <uint64_t>0x9E3779B97F4A7C15) >> 32 & a.mask
                        while a.keys[place]:
                            place = (place + 1) & a.mask
                        a.keys[place] = key
                        a.values[place] = child
                state = child
            a.also[i] = a.output[state]
            a.output[state] = <int32_t>i
        # Failure links in the order of depth (counting sort).
        memset(count, 0, (total + 2) * sizeof(int64_t))
        for i in range(1, a.states):
            count[a.depth[i] + 1] += 1
        for i in range(1, total + 2):
            count[i] += count[i - 1]
        for i in range(1, a.states):
            order[count[a.depth[i]]] = <int32_t>i
            count[a.depth[i]] += 1
        for i in range(a.states - 1):
            state = order[i]
            if parent[state] == 0:
                f = 0
            else:
                f = automaton_step(a, a.fail[parent[state]], symbol[state])
            a.fail[state] = f
            a.link[state] = f if a.output[f] >= 0 else a.link[f]
    finally:
        free(parent)
        free(symbol)
        free(order)
        free(count)
    return 0


cdef void automaton_free(Automaton* a) noexcept nogil:
    free(a.root)
    free(a.fail)
    free(a.output)
    free(a.also)
    free(a.link)
    free(a.depth)
    free(a.keys)
    free(a.values)
