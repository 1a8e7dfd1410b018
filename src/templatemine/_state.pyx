"""The state of a pass over a page: made, given paths, turned into columns, and freed."""

import numpy as np

from libc.stdint cimport int32_t, int64_t, uint8_t, uint16_t, uint32_t, uint64_t
from libc.stdlib cimport free, malloc
from libc.string cimport memcpy, memset

from templatemine._paths cimport K_CLASS, K_FULL, K_GRAND, K_NEAR, K_PARENT, K_SIZE, K_TAGS, Node, joined, node_hashes
from templatemine._memory cimport copied, reserve
from templatemine._words cimport C_SIZE

__all__: list[str] = []


cdef void page_free(Page* s) noexcept nogil:
    free(s.elements)
    free(s.nodes)
    free(s.slots)
    free(s.signs)
    free(s.text)
    free(s.runs)
    free(s.starts)
    free(s.ends)
    free(s.bounds)
    free(s.element_of)
    free(s.counts)
    free(s.hashes)
    free(s.holes)


cdef int page_init(Page* s, const uint8_t* p, int64_t n) except -1 nogil:
    s.p = p
    s.n = n
    s.quotes[0] = s.quotes[1] = n + 1
    # An entity never gets longer than its name by more than a byte; a blank may stand before each of them.
    s.text = <uint8_t*>malloc(2 * n + 64)
    s.slots = <int32_t*>malloc(1024 * sizeof(int32_t))
    if s.text == NULL or s.slots == NULL:
        raise MemoryError
    memset(s.slots, 0xFF, 1024 * sizeof(int32_t))
    s.mask = 1023
    s.text_start = -1
    s.mute_start = -1
    reserve(<void**>&s.nodes, &s.node_room, 1, sizeof(Node))
    memset(s.nodes, 0, sizeof(Node))
    s.nodes[0].parent = -1
    s.node_count = 1
    reserve(<void**>&s.elements, &s.element_room, 1, sizeof(Element))
    memset(s.elements, 0, sizeof(Element))
    s.elements[0].parent = -1
    s.element_count = 1
    s.stack[0] = 0
    s.depth = 1
    return 0


cdef int32_t node_of(Page* s, int32_t parent, uint16_t tag, const uint8_t* sign, int64_t n) except -1 nogil:
    """The path that leads from `parent` over `sign`, made if it is not there yet."""
    cdef Node made
    cdef uint64_t place, wider
    cdef int32_t i
    cdef int32_t* slots
    node_hashes(&made, &s.nodes[parent], sign, n)
    place = made.full & s.mask
    while s.slots[place] >= 0:
        if s.nodes[s.slots[place]].full == made.full:
            return s.slots[place]
        place = (place + 1) & s.mask
    reserve(<void**>&s.nodes, &s.node_room, s.node_count + 1, sizeof(Node))
    reserve(<void**>&s.signs, &s.sign_room, s.sign_size + n, 1)
    memcpy(s.signs + s.sign_size, sign, n)
    s.sign_size += n
    made.parent = parent
    made.tag = tag
    made.sign = s.sign_size
    s.nodes[s.node_count] = made
    s.slots[place] = <int32_t>s.node_count
    s.node_count += 1
    if <uint64_t>s.node_count * 2 > s.mask:
        wider = s.mask * 2 + 1
        slots = <int32_t*>malloc((wider + 1) * sizeof(int32_t))
        if slots == NULL:
            raise MemoryError
        memset(slots, 0xFF, (wider + 1) * sizeof(int32_t))
        for i in range(1, <int32_t>s.node_count):
            place = s.nodes[i].full & wider
            while slots[place] >= 0:
                place = (place + 1) & wider
            slots[place] = i
        free(s.slots)
        s.slots = slots
        s.mask = wider
    return <int32_t>s.node_count - 1


cdef object columns(Page* s):
    """The state of a pass as arrays."""
    cdef int64_t n = s.count, m = s.element_count, k = s.node_count, i
    cdef int32_t node, parent, grand
    bounds = np.zeros(n + 1, np.int64)
    keys = np.empty((n, K_SIZE), np.uint64)
    nodes = np.empty(n, np.int32)
    parents = np.empty(m, np.int32)
    tags = np.empty(m, np.uint16)
    groups = np.empty(m, np.uint32)
    hidden = np.empty(m, np.uint8)
    element_nodes = np.empty(m, np.int32)
    node_parents = np.empty(k, np.int32)
    sign_bounds = np.zeros(k + 1, np.int64)
    cdef int64_t[::1] bounds_view = bounds, sign_view = sign_bounds
    cdef uint64_t[:, ::1] keys_view = keys
    cdef int32_t[::1] nodes_view = nodes, parents_view = parents, node_parents_view = node_parents
    cdef int32_t[::1] element_nodes_view = element_nodes
    cdef uint16_t[::1] tags_view = tags
    cdef uint32_t[::1] groups_view = groups
    cdef uint8_t[::1] hidden_view = hidden
    with nogil:
        for i in range(n):
            bounds_view[i + 1] = s.bounds[i]
            node = s.elements[s.element_of[i]].node
            parent = max(s.nodes[node].parent, 0)
            grand = max(s.nodes[parent].parent, 0)
            nodes_view[i] = node
            keys_view[i, K_FULL] = s.nodes[node].full
            keys_view[i, K_PARENT] = joined(s.nodes[parent].full, 1)
            keys_view[i, K_GRAND] = joined(s.nodes[grand].full, 2)
            keys_view[i, K_CLASS] = s.nodes[node].plain
            keys_view[i, K_TAGS] = s.nodes[node].tags
            keys_view[i, K_NEAR] = s.nodes[node].near
        for i in range(m):
            parents_view[i] = s.elements[i].parent
            tags_view[i] = s.elements[i].tag
            groups_view[i] = s.elements[i].words
            hidden_view[i] = s.elements[i].hidden
            element_nodes_view[i] = s.elements[i].node
        for i in range(k):
            node_parents_view[i] = s.nodes[i].parent
            sign_view[i + 1] = s.nodes[i].sign
    return {
        "text": copied(s.text, s.size if n else 0, np.uint8),
        "bounds": bounds,
        "starts": copied(s.starts, n * 8, np.int64),
        "ends": copied(s.ends, n * 8, np.int64),
        "counts": copied(s.counts, n * C_SIZE * 4, np.int32).reshape(n, C_SIZE),
        "element": copied(s.element_of, n * 4, np.int32),
        "keys": keys,
        "hashes": copied(s.hashes, n * 8, np.uint64),
        "node": nodes,
        "parents": parents,
        "tags": tags,
        "groups": groups,
        "hidden": hidden,
        "element_nodes": element_nodes,
        "node_parents": node_parents,
        "signs": copied(s.signs, s.sign_size, np.uint8),
        "sign_bounds": sign_bounds,
        "holes": copied(s.holes, s.hole_count * 8, np.int64).reshape(-1, 2),
        "title": s.title_count,
        "title_span": (s.title_start, s.title_end),
        "plain": bool(s.plain),
    }
