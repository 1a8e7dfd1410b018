"""Paths of elements: an element's sign, tag.class.class#id with runs of digits as 0, and hashes of the path's forms."""

import numpy as np

from libc.stdint cimport int64_t, uint8_t, uint64_t
from libc.string cimport memchr, memcmp, memset

from templatemine._chars cimport is_digit, tm_hash

__all__ = ["KEYS", "path_keys"]

KEYS = ("full", "parent", "grandparent", "class", "tags", "near")
"""Forms of a path, columns of `keys`: as it stands, without its last element, without the last two, without ids, of
tags alone, and from the nearest element with a class or id on."""


cdef inline int64_t mark_at(const uint8_t* p, int64_t n, uint8_t mark) noexcept nogil:
    """Where `mark` stands first, or n."""
    cdef const void* hit = memchr(p, mark, n) if n else NULL
    return n if hit == NULL else <const uint8_t*>hit - p


cdef void node_hashes(Node* node, const Node* parent, const uint8_t* sign, int64_t n) noexcept nogil:
    """All forms of the path that a sign, tag.class.class#id, ends."""
    cdef int64_t name = min(mark_at(sign, n, 46), mark_at(sign, n, 35)), plain = mark_at(sign, n, 35)
    node.full = joined(parent.full, tm_hash(sign, n))
    node.plain = joined(parent.plain, tm_hash(sign, plain))
    node.tags = joined(parent.tags, tm_hash(sign, name))
    node.near = joined(0 if name < n else parent.near, tm_hash(sign, n))


cdef int64_t put_sign(const uint8_t* value, int64_t n, uint8_t* out, int64_t size, uint8_t lead) noexcept nogil:
    """Append the words of an attribute in ascending order, runs of digits as 0; returns the new size of the sign."""
    cdef int64_t starts[16]
    cdef int64_t ends[16]
    cdef int64_t i = 0, j, k, m, a, count = 0
    cdef int order
    while i < n and count < 16:
        while i < n and value[i] <= 32:
            i += 1
        j = i
        while j < n and value[j] > 32:
            j += 1
        if j > i:
            k = count
            while k > 0:
                m = min(j - i, ends[k - 1] - starts[k - 1])
                order = memcmp(value + i, value + starts[k - 1], m)
                if order > 0 or (order == 0 and j - i >= ends[k - 1] - starts[k - 1]):
                    break
                starts[k] = starts[k - 1]
                ends[k] = ends[k - 1]
                k -= 1
            starts[k] = i
            ends[k] = j
            count += 1
        i = j
    for k in range(count):
        if size >= SIGN:
            break
        out[size] = lead
        size += 1
        a = starts[k]
        while a < ends[k] and size < SIGN:
            if is_digit(value[a]):
                out[size] = 48
                while a + 1 < ends[k] and is_digit(value[a + 1]):
                    a += 1
            elif value[a] == 62 or value[a] == 35 or value[a] == 46:
                out[size] = 95
            else:
                out[size] = value[a]
            size += 1
            a += 1
    # No character is cut in two.
    if size >= SIGN:
        while size > 0 and (out[size - 1] & 0xC0) == 0x80:
            size -= 1
        if size > 0 and out[size - 1] >= 0x80:
            size -= 1
    return size


def path_keys(list path not None):
    """Forms of a path given as the signs of its elements: uint64 array of shape (len(KEYS),)."""
    cdef Node nodes[3]
    cdef bytes sign
    cdef uint64_t[::1] out = np.zeros(K_SIZE, np.uint64)
    memset(&nodes[0], 0, sizeof(nodes))
    for sign in path:
        nodes[2] = nodes[1]
        nodes[1] = nodes[0]
        node_hashes(&nodes[0], &nodes[1], <const uint8_t*>sign, len(sign))
    out[K_FULL] = nodes[0].full
    out[K_PARENT] = joined(nodes[1].full, 1)
    out[K_GRAND] = joined(nodes[2].full, 2)
    out[K_CLASS] = nodes[0].plain
    out[K_TAGS] = nodes[0].tags
    out[K_NEAR] = nodes[0].near
    return np.asarray(out)
