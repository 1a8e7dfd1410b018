"""Trees that say how likely a row is: a table of trees and a matrix come in, out goes the sum of their leaves.

No tree is walked.  A row has for each tree a set of leaves, a bit each, that it can still fall into; every condition
that is false takes away the leaves of its left side, and of those that are left in the end the first is the one (Lucchese
et al., QuickScorer, SIGIR 2015).  Conditions stand by feature and threshold, so that those that hold for all of a batch
of rows are passed over, and each is asked of the whole batch at once, which compilers turn into vector instructions.
Time is rows times conditions, at a fraction of a nanosecond each.
"""

import numpy as np

from libc.math cimport INFINITY
from libc.stdint cimport int16_t, int32_t, int64_t, uint16_t
from libc.stdlib cimport calloc, free, malloc
from libc.string cimport memset

__all__ = ["LEAVES", "Forest"]

LEAVES = 16
"""Leaves of a tree at most."""

cdef enum:
    BITS = 16           # LEAVES
    BATCH = 32          # rows that conditions are asked of at once
    TOGETHER = 256      # trees whose sets of leaves of a batch are kept in the cache
    # Times a power of two, the upper four of sixteen bits tell which one it is (a de Bruijn sequence).
    PLACES = 0x09AF


cdef struct Condition:
    float threshold
    int32_t feature
    int32_t tree        # among those that go together
    uint16_t kept       # leaves that are left if it is false


cdef class Forest:
    """Trees that say how likely a row is, as log odds.

    Parameters
    ----------
    feature, threshold, left, right : int16, float32, int16, int16 arrays, shape (nodes,)
        Of all trees one after the other.  A row goes left if its feature is not above the threshold, right if it is or
        is not a number.  A child from 0 up is a node of the same tree, a negative one the leaf ~child.
    leaf : float32 array
        Values of the leaves of all trees.
    sizes : int32 array, shape (trees,)
        Nodes of each tree, from 1 to 15; it has a leaf more.
    """

    cdef Condition* conditions  # of each stretch of trees, by feature and threshold
    cdef float* leaves          # (trees, BITS), by the place of their bit in `PLACES`
    cdef int64_t* ends          # of the conditions of each stretch
    cdef int64_t trees
    cdef int64_t width

    def __cinit__(self, const int16_t[::1] feature not None, const float[::1] threshold not None,
                  const int16_t[::1] left not None, const int16_t[::1] right not None, const float[::1] leaf not None,
                  const int32_t[::1] sizes not None, *rest):
        cdef int64_t t, i, at = 0, n = feature.shape[0]
        cdef const int64_t[::1] order
        cdef Condition* unsorted
        if threshold.shape[0] != n or left.shape[0] != n or right.shape[0] != n:
            raise ValueError("expected columns of one table of nodes, got columns of different lengths")
        self.trees = sizes.shape[0]
        for t in range(self.trees):
            if not 0 < sizes[t] <= n - at:
                raise ValueError(f"sizes[{t}]: expected from 1 to the {n - at} nodes that are left, got {sizes[t]}")
            if sizes[t] >= BITS:
                raise ValueError(f"sizes[{t}]: expected trees of at most {<int>BITS} leaves, got {sizes[t] + 1}")
            at += sizes[t]
        if at != n or leaf.shape[0] != n + self.trees:
            raise ValueError(f"expected {at} nodes and {at + self.trees} leaves, got {n} and {leaf.shape[0]}")
        stretches = (self.trees + TOGETHER - 1) // TOGETHER
        self.conditions = <Condition*>malloc((n + 1) * sizeof(Condition))
        self.leaves = <float*>calloc((self.trees + 1) * BITS, sizeof(float))
        self.ends = <int64_t*>calloc(stretches + 1, sizeof(int64_t))
        unsorted = <Condition*>malloc((n + 1) * sizeof(Condition))
        try:
            if self.conditions == NULL or self.leaves == NULL or self.ends == NULL or unsorted == NULL:
                raise MemoryError
            at = 0
            for t in range(self.trees):
                for i in range(at, at + sizes[t]):
                    if feature[i] < 0:
                        raise ValueError(f"tree {t}: expected features from 0 up, got {feature[i]}")
                    unsorted[i].threshold = threshold[i]
                    unsorted[i].feature = feature[i]
                    unsorted[i].tree = <int32_t>(t % TOGETHER)
                    self.width = max(self.width, feature[i] + 1)
                if not tree_masks(&left[at], &right[at], &leaf[at + t], sizes[t], unsorted + at, self.leaves + t * BITS):
                    raise ValueError(f"tree {t}: expected children behind their parents and each node and leaf once")
                self.ends[t // TOGETHER] = at + sizes[t]
                at += sizes[t]
            place = np.repeat(np.arange(self.trees) // TOGETHER, sizes)
            order = np.lexsort((np.asarray(threshold), np.asarray(feature), place)).astype(np.int64)
            for i in range(n):
                self.conditions[i] = unsorted[order[i]]
        finally:
            free(unsorted)

    def __dealloc__(self):
        free(self.conditions)
        free(self.leaves)
        free(self.ends)

    def scores(self, const float[:, ::1] rows not None):
        """Sum of the leaves that each row falls into: float32 array, shape (rows,)."""
        cdef int64_t n = rows.shape[0], width = rows.shape[1], first = 0
        cdef float* columns
        if width < self.width:
            raise ValueError(f"expected at least {self.width} features, got {width}")
        out = np.zeros((n + BATCH - 1) // BATCH * BATCH, np.float32)
        cdef float[::1] sums = out
        if n and self.trees:
            columns = <float*>malloc((self.width + 1) * BATCH * sizeof(float))
            if columns == NULL:
                raise MemoryError
            with nogil:
                while first < n:
                    turned(&rows[first, 0], min(n - first, BATCH), width, self.width, columns)
                    self._batch(columns, &sums[first])
                    first += BATCH
            free(columns)
        return out[:n]

    cdef void _batch(self, const float* columns, float* sums) noexcept nogil:
        """Add the leaves of all trees to the sums of a batch of rows."""
        cdef uint16_t[TOGETHER * BATCH] sets
        cdef int64_t first = 0, count, at = 0, s = 0
        while first < self.trees:
            count = min(self.trees - first, TOGETHER)
            memset(sets, 0xFF, count * BATCH * sizeof(uint16_t))
            asked(self.conditions + at, self.conditions + self.ends[s], columns, sets)
            added(self.leaves + first * BITS, count, sets, sums)
            at = self.ends[s]
            first += count
            s += 1


cdef bint tree_masks(const int16_t* left, const int16_t* right, const float* leaf, int n, Condition* nodes,
                     float* leaves) noexcept nogil:
    """What each condition of a tree leaves if it is false, and its leaves by their bit; False if it is no tree."""
    cdef int[2 * BITS] size, start
    cdef int i, side, child, place, known = 1
    for i in range(2 * BITS):
        start[i] = -1
    # Leaves of each node, children first; a leaf ~k stands at n + k.
    for i in range(n):
        size[n + i] = 1
    size[2 * n] = 1
    for i in range(n - 1, -1, -1):
        size[i] = 0
        for side in range(2):
            child = right[i] if side else left[i]
            if not (i < child < n or 0 <= ~child <= n):
                return False
            size[i] += size[child if child >= 0 else n + ~child]
    start[0] = 0
    for i in range(n):
        if start[i] < 0:
            return False
        for side in range(2):
            child = right[i] if side else left[i]
            place = child if child >= 0 else n + ~child
            if start[place] >= 0:
                return False
            start[place] = start[i]
            if side:
                child = left[i]
                start[place] += size[child if child >= 0 else n + ~child]
            known += 1
    if known != 2 * n + 1 or size[0] != n + 1:
        return False
    for i in range(n):
        child = left[i]
        nodes[i].kept = <uint16_t>~(((1 << size[child if child >= 0 else n + ~child]) - 1) << start[i])
    for i in range(n + 1):
        leaves[place_of(<uint16_t>(1 << start[n + i]))] = leaf[i]
    return True


cdef inline int place_of(uint16_t bit) noexcept nogil:
    """One of 16 places for each of 16 bits."""
    return <uint16_t>(bit * PLACES) >> 12


cdef void turned(const float* rows, int64_t n, int64_t width, int64_t used, float* columns) noexcept nogil:
    """A batch of rows, column by column; what is missing to a batch is the last row again."""
    cdef int64_t f, r
    cdef const float* row
    for r in range(BATCH):
        row = rows + min(r, n - 1) * width
        for f in range(used):
            columns[f * BATCH + r] = row[f]


cdef void asked(const Condition* condition, const Condition* end, const float* columns, uint16_t* sets) noexcept nogil:
    """Ask the conditions of one stretch of trees of a batch of rows."""
    cdef int32_t feature = -1
    cdef float most = 0, threshold
    cdef const float* column = columns
    cdef uint16_t* left
    cdef uint16_t kept
    cdef int r
    while condition < end:
        if condition.feature != feature:
            feature = condition.feature
            column = columns + feature * BATCH
            most = column[0]
            for r in range(BATCH):
                # Not a number is above every threshold.
                most = INFINITY if column[r] != column[r] else max(most, column[r])
        threshold = condition.threshold
        if most <= threshold:
            # It holds for all of them, and so do the feature's further ones.
            while condition < end and condition.feature == feature:
                condition += 1
            continue
        left = sets + condition.tree * BATCH
        kept = condition.kept
        for r in range(BATCH):
            left[r] &= <uint16_t>-<int>(column[r] <= threshold) | kept
        condition += 1


cdef void added(const float* leaves, int64_t trees, const uint16_t* sets, float* sums) noexcept nogil:
    """Add the first leaf that is left of each tree, tree by tree."""
    cdef int64_t t
    cdef int r
    cdef uint16_t left
    for t in range(trees):
        for r in range(BATCH):
            left = sets[t * BATCH + r]
            sums[r] += leaves[t * BITS + place_of(left & <uint16_t>-<int>left)]
