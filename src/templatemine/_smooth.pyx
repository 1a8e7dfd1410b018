"""Smoothing of scores over a tree: what stands in a container is no more main text than the container is.

In come the parents of the nodes of a tree, a score and a weight for each; out go the scores that lie nearest to them of
those that never rise from a node to its child, with a price for each edge along which they fall.  That is the
regularised isotonic regression on trees of Chakrabarti, Kumar and Punera (Page-level template detection via isotonic
smoothing, WWW 2007), on a grid of levels, where it is exact and takes time and memory of nodes times levels.
"""

import numpy as np

from libc.math cimport isfinite
from libc.stdint cimport int32_t, int64_t, uint8_t

__all__ = ["LEVELS", "smooth", "smooth_leaves"]

LEVELS = 17
"""Levels from 0 to 1 that smoothed scores take if no other number is asked for."""


def smooth(const int32_t[::1] parents not None, const double[::1] scores not None, const double[::1] weights not None,
           double price, int levels=LEVELS):
    """Scores x that minimise  sum of weight (x - score)^2 + price for each edge with x[child] < x[parent],
    where x[child] <= x[parent] everywhere and each x is one of `levels` evenly spaced from 0 to 1.

    Parameters
    ----------
    parents : int32 array, shape (nodes,)
        Of each node, before its children; -1 for the first only.
    scores : float64 array, shape (nodes,)
        From 0 to 1.
    weights : float64 array, shape (nodes,)
        From 0 up.
    price : float
        From 0 up.
    levels : int, optional
        From 2 to 256.

    Returns
    -------
    float64 array, shape (nodes,)
        Of several solutions the one with the greatest scores from the root down.
    """
    cdef int64_t n = parents.shape[0], i
    if scores.shape[0] != n or weights.shape[0] != n:
        raise ValueError(f"expected a score and a weight for each of {n} nodes, got {scores.shape[0]} and {weights.shape[0]}")
    if not 2 <= levels <= 256:
        raise ValueError(f"levels: expected from 2 to 256, got {levels}")
    if not (price >= 0 and isfinite(price)):
        raise ValueError(f"price: expected a number from 0 up, got {price}")
    for i in range(n):
        if not -1 <= parents[i] < i or (parents[i] < 0) != (i == 0):
            raise ValueError(f"parents: expected each before its children and -1 for the first only, got {parents[i]} at {i}")
        if not 0 <= scores[i] <= 1:
            raise ValueError(f"scores: expected numbers from 0 to 1, got {scores[i]} at {i}")
        if not (weights[i] >= 0 and isfinite(weights[i])):
            raise ValueError(f"weights: expected numbers from 0 up, got {weights[i]} at {i}")
    out = np.empty(n, np.float64)
    if n == 0:
        return out
    cdef double[:, ::1] cost = np.empty((n, levels), np.float64)
    cdef uint8_t[:, ::1] below = np.empty((n, levels), np.uint8)
    cdef double[::1] smoothed = out
    with nogil:
        _solve(parents, scores, weights, price, levels, cost, below, smoothed)
    return out


def smooth_leaves(const int32_t[::1] parents not None, const int32_t[::1] element not None,
                  const double[::1] scores not None, const double[::1] sizes not None, double inner, double price,
                  int levels=LEVELS):
    """`smooth` for leaves that hang in a tree whose other nodes have no score of their own.

    A node gets the mean score of the leaves it holds, by size, and `inner` times what they weigh together; leaves weigh
    their share of the whole.  Nodes without leaves are left out.

    Parameters
    ----------
    parents : int32 array, shape (nodes,)
    element : int32 array, shape (leaves,)
        The node that each leaf hangs in.
    scores, sizes : float64 array, shape (leaves,)
        Scores from 0 to 1, sizes above 0.
    inner, price, levels
        As for `smooth`.

    Returns
    -------
    float64 array, shape (leaves,)
    """
    cdef int64_t m = parents.shape[0], n = element.shape[0], i, count = 0
    cdef double whole = 0
    if scores.shape[0] != n or sizes.shape[0] != n:
        raise ValueError(f"expected a score and a size for each of {n} leaves, got {scores.shape[0]} and {sizes.shape[0]}")
    for i in range(m):
        if not -1 <= parents[i] < i or (parents[i] < 0) != (i == 0):
            raise ValueError(f"parents: expected each before its children and -1 for the first only, got {parents[i]} at {i}")
    for i in range(n):
        if not 0 <= element[i] < m:
            raise ValueError(f"element: expected places from 0 to {m - 1}, got {element[i]}")
        if not (sizes[i] > 0 and isfinite(sizes[i])):
            raise ValueError(f"sizes: expected numbers above 0, got {sizes[i]} at {i}")
        whole += sizes[i]
    if n == 0:
        return np.empty(0, np.float64)
    cdef double[::1] held = np.zeros(m, np.float64), sums = np.zeros(m, np.float64)
    cdef int32_t[::1] place = np.empty(m, np.int32)
    with nogil:
        for i in range(n):
            held[element[i]] += sizes[i]
            sums[element[i]] += sizes[i] * scores[i]
        for i in range(m - 1, 0, -1):
            held[parents[i]] += held[i]
            sums[parents[i]] += sums[i]
        for i in range(m):
            if held[i] > 0:
                place[i] = <int32_t>count
                count += 1
    above = np.empty(count + n, np.int32)
    goals = np.empty(count + n, np.float64)
    weights = np.empty(count + n, np.float64)
    cdef int32_t[::1] above_view = above
    cdef double[::1] goal_view = goals, weight_view = weights
    with nogil:
        for i in range(m):
            if held[i] > 0:
                above_view[place[i]] = place[parents[i]] if i else -1
                goal_view[place[i]] = min(1.0, sums[i] / held[i])
                weight_view[place[i]] = inner * held[i] / whole
        for i in range(n):
            above_view[count + i] = place[element[i]]
            goal_view[count + i] = scores[i]
            weight_view[count + i] = sizes[i] / whole
    return smooth(above, goals, weights, price, levels)[count:]


cdef void _solve(const int32_t[::1] parents, const double[::1] scores, const double[::1] weights, double price, int levels,
                 double[:, ::1] cost, uint8_t[:, ::1] below, double[::1] out) noexcept nogil:
    """From the leaves up, what a subtree costs for each level of its root; then from the root down, the levels."""
    cdef int64_t n = parents.shape[0], i, p
    cdef int k, least
    cdef double far, step = 1.0 / (levels - 1)
    for i in range(n):
        for k in range(levels):
            far = k * step - scores[i]
            cost[i, k] = weights[i] * far * far
    for i in range(n - 1, 0, -1):
        p = parents[i]
        least = 0
        for k in range(levels):
            if cost[i, k] <= cost[i, least]:
                least = k
            # Its root stays at the parent's level, or falls to the best one below.
            if cost[i, k] <= cost[i, least] + price:
                below[i, k] = <uint8_t>k
                cost[p, k] += cost[i, k]
            else:
                below[i, k] = <uint8_t>least
                cost[p, k] += cost[i, least] + price
    least = 0
    for k in range(levels):
        if cost[0, k] <= cost[0, least]:
            least = k
    # Levels stand in the first column from here on.
    below[0, 0] = <uint8_t>least
    out[0] = least * step
    for i in range(1, n):
        below[i, 0] = below[i, below[parents[i], 0]]
        out[i] = below[i, 0] * step
