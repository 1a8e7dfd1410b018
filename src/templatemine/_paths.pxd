"""Paths of elements: their signs and the hashes of their forms."""

from libc.stdint cimport int64_t, uint8_t, uint16_t, uint64_t

from libc.stdint cimport int32_t

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


cdef void node_hashes(Node* node, const Node* parent, const uint8_t* sign, int64_t n) noexcept nogil
cdef int64_t put_sign(const uint8_t* value, int64_t n, uint8_t* out, int64_t size, uint8_t lead) noexcept nogil
