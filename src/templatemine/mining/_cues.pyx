"""The native core of the cue lexicon: strings of tokens -> which cues they hold.

A cue is a phrase of news boilerplate ("sign up for", "read also"), kept as words of a trie; see `mining.cues`.
"""

import numpy as np

from libc.stdint cimport int32_t, int64_t, uint8_t, uint16_t
from templatemine.text._scan cimport check_within

__all__ = ["CUE_COLUMNS", "find_cues"]


cdef enum:
    KINDS = 13
    SHARE = KINDS           # columns behind those of the kinds
    FIRST = KINDS + 1
    LAST = KINDS + 2
    COLUMNS = KINDS + 3

CUE_COLUMNS = COLUMNS


cdef inline int32_t child_of(const int64_t[::1] keys, const int32_t[::1] children, int64_t key) noexcept nogil:
    """The node behind a transition, or -1; `keys` ascend."""
    cdef int64_t low = 0, high = keys.shape[0], middle
    while low < high:
        middle = (low + high) // 2
        if keys[middle] < key:
            low = middle + 1
        else:
            high = middle
    return children[low] if low < keys.shape[0] and keys[low] == key else -1


def find_cues(const int32_t[::1] tokens not None, const int64_t[::1] starts not None, const int32_t[::1] lengths not None,
              const int32_t[::1] word_of not None, const uint8_t[::1] colons not None, const int32_t[::1] roots not None,
              const int64_t[::1] keys not None, const int32_t[::1] children not None, const uint16_t[::1] strong not None,
              const uint16_t[::1] weak not None, int32_t colon_word):
    """Look for cues in strings: float32 array, shape (strings, `CUE_COLUMNS`).  O(tokens of the strings).

    Parameters
    ----------
    tokens : int32 array
        Forms of a text.
    starts, lengths : int64 and int32 arrays, shape (strings,)
        String i is ``tokens[starts[i]:starts[i] + lengths[i]]``.
    word_of : int32 array, shape (forms,)
        The word of the trie that each form is, 0 for none, -1 for a form without letters, which cues pass over.
    colons : uint8 array, shape (forms,)
        Whether a form ends with a colon.
    roots : int32 array, shape (words,)
        The node of each word that begins a cue, or -1.
    keys, children : int64 and int32 arrays, shape (transitions,)
        ``node * words + word``, ascending, and the node behind.
    strong, weak : uint16 arrays, shape (nodes,)
        The kinds of which a cue ends there, a bit each.
    colon_word : int
        The word behind the last of a cue that only a colon ends; 0 if there is none.

    Returns
    -------
    array
        For each kind 2 if a strong cue of it is in the string, 1 if a weak one, else 0; the share of the tokens that
        cues cover; and the strength of cues that the string begins and ends with.
    """
    cdef int64_t n = starts.shape[0], i, k, m, end, words = roots.shape[0], covered_to, covered, solid
    if (lengths.shape[0] != n or strong.shape[0] != weak.shape[0] or keys.shape[0] != children.shape[0]
            or colons.shape[0] != word_of.shape[0]):
        raise ValueError("expected equal lengths of columns")
    check_within("word_of", &word_of[0] if word_of.shape[0] else NULL, word_of.shape[0], -1, words)
    check_within("tokens", &tokens[0] if tokens.shape[0] else NULL, tokens.shape[0], 0, word_of.shape[0])
    check_within("children", &children[0] if children.shape[0] else NULL, children.shape[0], 0, strong.shape[0])
    check_within("roots", &roots[0] if words else NULL, words, -1, strong.shape[0])
    for i in range(n):
        if starts[i] < 0 or lengths[i] < 0 or starts[i] + lengths[i] > tokens.shape[0]:
            raise ValueError(f"string {i}: expected it within {tokens.shape[0]} tokens, got {starts[i]} and {lengths[i]}")
    out = np.zeros((n, COLUMNS), np.float32)
    cdef float[:, ::1] rows = out
    cdef int32_t word, node, closed
    cdef uint16_t certain, likely
    cdef float strength
    with nogil:
        for i in range(n):
            end = starts[i] + lengths[i]
            covered_to, covered, solid = starts[i], 0, 0
            for k in range(starts[i], end):
                word = word_of[tokens[k]]
                solid += word >= 0
                if word <= 0 or roots[word] < 0:
                    continue
                node, m = roots[word], k
                while True:
                    certain, likely = strong[node], weak[node]
                    if colon_word and (colons[tokens[m]] or is_colon(tokens, word_of, colons, m + 1, end)):
                        closed = child_of(keys, children, node * words + colon_word)
                        if closed >= 0:
                            certain |= strong[closed]
                            likely |= weak[closed]
                    if certain or likely:
                        strength = 2 if certain else 1
                        mark_kinds(&rows[i, 0], certain, 2)
                        mark_kinds(&rows[i, 0], likely, 1)
                        if solid == 1:      # nothing but signs before it
                            rows[i, FIRST] = max(rows[i, FIRST], strength)
                        if is_rest_hollow(tokens, word_of, m + 1, end):
                            rows[i, LAST] = max(rows[i, LAST], strength)
                        covered += max(0, m + 1 - max(covered_to, k))
                        covered_to = max(covered_to, m + 1)
                    m += 1
                    while m < end and word_of[tokens[m]] < 0:
                        m += 1
                    if m >= end or word_of[tokens[m]] == 0:
                        break
                    node = child_of(keys, children, node * words + word_of[tokens[m]])
                    if node < 0:
                        break
            rows[i, SHARE] = <float>covered / max(lengths[i], 1)
    return out


cdef inline bint is_colon(const int32_t[::1] tokens, const int32_t[::1] word_of, const uint8_t[::1] colons, int64_t k,
                          int64_t end) noexcept nogil:
    """Whether a token is a colon by itself, as some set it behind a blank."""
    return k < end and word_of[tokens[k]] < 0 and colons[tokens[k]]


cdef inline bint is_rest_hollow(const int32_t[::1] tokens, const int32_t[::1] word_of, int64_t k, int64_t end) noexcept nogil:
    """Whether no token of [k, end) has letters."""
    while k < end:
        if word_of[tokens[k]] >= 0:
            return False
        k += 1
    return True


cdef inline void mark_kinds(float* row, uint16_t kinds, float strength) noexcept nogil:
    cdef int kind
    for kind in range(KINDS):
        if kinds >> kind & 1 and row[kind] < strength:
            row[kind] = strength
