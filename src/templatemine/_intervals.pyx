"""Matches in a text, and their union: the spans that are cut.

`merge` and `code_points` do for arrays what cleaning does for the matches of a text.  numpy is imported by what gives
arrays: cleaning does without, and so starts sooner.
"""

from libc.stdint cimport int32_t, int64_t, uint8_t
from libc.stdlib cimport free, malloc, qsort

from templatemine._memory cimport Found, reserve
from templatemine._text cimport Tokens
from templatemine._utf8 cimport count_points
from templatemine._cut cimport Stretch

__all__ = ["code_points", "merge"]


def merge(const int64_t[::1] starts not None, const int64_t[::1] ends not None, int64_t gap):
    """Union of intervals; two with fewer than `gap` positions between them become one.

    Parameters
    ----------
    starts, ends : int64, shape (m,)
        In any order; end exclusive.

    Returns
    -------
    starts, ends : int64 arrays, ascending and disjoint
    member : int64 array, shape (m,)
        The union interval each input interval went into.
    """
    import numpy as np

    if starts.shape[0] != ends.shape[0]:
        raise ValueError(f"expected equal lengths, got {starts.shape[0]} and {ends.shape[0]}")
    cdef int64_t m = starts.shape[0], i, size = 0
    cdef int64_t[::1] order = np.argsort(starts, kind="stable").astype(np.int64)
    cdef int64_t[::1] left = np.empty(max(m, 1), np.int64)
    cdef int64_t[::1] right = np.empty(max(m, 1), np.int64)
    cdef int64_t[::1] member = np.empty(max(m, 1), np.int64)
    with nogil:
        for i in range(m):
            if size and (starts[order[i]] <= right[size - 1] or starts[order[i]] - right[size - 1] < gap):
                if ends[order[i]] > right[size - 1]:
                    right[size - 1] = ends[order[i]]
            else:
                left[size] = starts[order[i]]
                right[size] = ends[order[i]]
                size += 1
            member[order[i]] = size - 1
    return np.asarray(left)[:size], np.asarray(right)[:size], np.asarray(member)[:m]


def code_points(const uint8_t[::1] text not None, const int64_t[::1] offsets not None):
    """Offsets in bytes, ascending, as offsets in code points: int64 array of the same shape."""
    import numpy as np

    cdef int64_t[::1] out = np.empty(max(offsets.shape[0], 1), np.int64)
    cdef const uint8_t* p = &text[0] if text.shape[0] else NULL
    cdef int64_t i, b = 0, count = 0
    for i in range(offsets.shape[0]):
        if not b <= offsets[i] <= text.shape[0]:
            raise ValueError(f"expected ascending offsets within {text.shape[0]} bytes, got {offsets[i]} at place {i}")
        b = offsets[i]
    b = 0
    with nogil:
        for i in range(offsets.shape[0]):
            count += count_points(p, b, offsets[i])
            b = offsets[i]
            out[i] = count
    return np.asarray(out)[: offsets.shape[0]]


cdef void outcome_free(Outcome* out) noexcept nogil:
    free(out.span)
    free(out.member)
    free(out.pieces.piece)


cdef void order_by_end(Found* found) noexcept nogil:
    """Matches in the order of their last token; each stands at most a slot away from its place."""
    cdef int64_t i, k, position
    cdef int32_t length, count
    for i in range(1, found.size):
        position = found.position[i]
        length = found.length[i]
        count = found.count[i]
        k = i
        while k > 0 and found.length[k - 1] > length:
            found.position[k] = found.position[k - 1]
            found.length[k] = found.length[k - 1]
            found.count[k] = found.count[k - 1]
            k -= 1
        found.position[k] = position
        found.length[k] = length
        found.count[k] = count


cdef inline bint near(const uint8_t* p, int64_t end, int64_t start, int64_t gap, bint ascii) noexcept nogil:
    """True if fewer than `gap` code points lie between two spans."""
    if start - end < gap:
        return True
    # A code point has at most four bytes.
    return not ascii and start - end < 4 * gap and count_points(p, end, start) < gap


cdef int ascending(const void* a, const void* b) noexcept nogil:
    return (<const int32_t*>a)[0] - (<const int32_t*>b)[0]


cdef int64_t distinct(int32_t* number, int64_t n) noexcept nogil:
    """Put numbers in order, each once; returns how many there are."""
    cdef int64_t i, size = 0
    if n > 1:
        qsort(number, n, sizeof(int32_t), ascending)
    for i in range(n):
        if size == 0 or number[i] != number[size - 1]:
            number[size] = number[i]
            size += 1
    return size


cdef int unite(const uint8_t* p, bint ascii, const Tokens* tokens, const Found* matches, int64_t gap, Outcome* out) except -1 nogil:
    """Add the union of the matches of a text, which are ordered by end, to `out`."""
    cdef int64_t i, start, end, first = out.size, k, byte = 0, point = 0
    for i in range(matches.size):
        start = tokens.start[matches.position[i]]
        end = tokens.end[matches.length[i]]
        # No earlier match ends after this one, so only the last spans can be touched.
        while out.size > first and (start <= out.span[out.size - 1].end
                                    or near(p, out.span[out.size - 1].end, start, gap, ascii)):
            out.size -= 1
            start = min(start, out.span[out.size].start)
        reserve(<void**>&out.span, &out.room, out.size + 1, sizeof(Stretch))
        out.span[out.size] = Stretch(start, end, start, end, 0)
        out.size += 1
    reserve(<void**>&out.member, &out.member_room, out.members + matches.size, sizeof(int32_t))
    i = 0
    for k in range(first, out.size):
        start = end = out.members
        while i < matches.size and tokens.end[matches.length[i]] <= out.span[k].end:
            out.member[end] = matches.count[i]
            end += 1
            i += 1
        out.members += distinct(out.member + start, end - start)
        out.span[k].members = out.members
    if not ascii:
        for k in range(first, out.size):
            point += count_points(p, byte, out.span[k].start)
            out.span[k].first = point
            point += count_points(p, out.span[k].start, out.span[k].end)
            out.span[k].last = point
            byte = out.span[k].end
    return 0
