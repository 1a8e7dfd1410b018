"""The native core of the cue lexicon: strings of tokens -> which cues they hold.

A cue is a phrase of news boilerplate ("sign up for", "read also"), kept as words of a trie; see `mining.cues`.
"""

import numpy as np

from libc.stdint cimport int32_t, int64_t, uint8_t, uint16_t
from libc.stdlib cimport free, malloc
from templatemine.text._scan cimport (
    check_bounds, check_within, is_alnum, is_upper, Table, table_add, table_find, table_free, table_init, tm_hash,
)

__all__ = ["CUE_COLUMNS", "CueTrie"]


cdef enum:
    KINDS = 13
    SHARE = KINDS           # columns behind those of the kinds
    FIRST = KINDS + 1
    LAST = KINDS + 2
    COLUMNS = KINDS + 3

CUE_COLUMNS = COLUMNS


cdef class CueTrie:
    """The cues as a trie over words.

    Parameters
    ----------
    names : bytes
        All words, UTF-8, a line each; word i + 1 is line i.
    roots : int32 array, shape (words + 1,)
        The node of each word that begins a cue, or -1.
    keys, children : int64 and int32 arrays, shape (transitions,)
        ``node * (words + 1) + word``, ascending, and the node behind.
    strong, weak : uint16 arrays, shape (nodes,)
        The kinds of which a cue ends there, a bit each.
    colon, pattern : bytes
        The word behind the last of a cue that only a colon ends; and the word that a form is that patterns alone make, such as
        a number, at the beginning or the end of a cue.
    """

    cdef Table _table
    cdef const int32_t[::1] _roots
    cdef const int64_t[::1] _keys
    cdef const int32_t[::1] _children
    cdef const uint16_t[::1] _strong
    cdef const uint16_t[::1] _weak
    cdef int64_t[::1] _first            # transition of each node, and the end of the last one's
    cdef int32_t _colon
    cdef int32_t _pattern

    def __cinit__(self):
        table_init(&self._table)

    def __dealloc__(self):
        table_free(&self._table)

    def __init__(self, bytes names not None, const int32_t[::1] roots not None, const int64_t[::1] keys not None,
                 const int32_t[::1] children not None, const uint16_t[::1] strong not None, const uint16_t[::1] weak not None,
                 bytes colon not None, bytes pattern not None):
        cdef const uint8_t[::1] text = names
        cdef int64_t n = text.shape[0], start = 0, i, node = 0, nodes = strong.shape[0], words = roots.shape[0]
        for i in range(n + 1 if n else 0):
            if i == n or text[i] == 10:
                # No word is empty; the byte behind the last one can be read, as bytes end with a zero.
                table_add(&self._table, &text[0] + start, i - start)
                start = i + 1
        if nodes != weak.shape[0] or keys.shape[0] != children.shape[0] or words != self._table.count + 1:
            raise ValueError("expected equal lengths of columns, and a root for each word")
        check_within("keys", &keys[0] if keys.shape[0] else NULL, keys.shape[0], 0, nodes * words)
        check_within("children", &children[0] if children.shape[0] else NULL, children.shape[0], 0, nodes)
        check_within("roots", &roots[0], words, -1, nodes)
        self._roots, self._keys, self._children, self._strong, self._weak = roots, keys, children, strong, weak
        self._first = np.full(nodes + 1, keys.shape[0], np.int64)
        with nogil:
            for i in range(keys.shape[0]):
                while node * words <= keys[i]:
                    self._first[node] = i
                    node += 1
        self._colon = self._find(<const uint8_t*>colon, len(colon))
        self._pattern = self._find(<const uint8_t*>pattern, len(pattern))

    def find_word(self, bytes word not None):
        """Return the number of a word; 0 if there is none such."""
        return self._find(<const uint8_t*>word, len(word))

    def number_ascii(self, const uint8_t[::1] arena not None, const int64_t[::1] offsets not None):
        """Number the forms of a source that are ASCII, as `cues.fold_words` has them.  O(bytes).

        Returns
        -------
        words : int32 array, shape (forms,)
            The word that each is; 0 for none, -1 for a form without letters and digits.
        signed : int32 array, shape (forms,)
            The word that each is with the signs around it, 0 for none.
        colons : uint8 array, shape (forms,)
            Whether it ends with a colon.
        others : int64 array
            Places of the forms that are not ASCII, for which all are 0.
        """
        cdef int64_t n = max(offsets.shape[0] - 1, 0), i, k, first, last, end, size, longest = 0, other = 0
        check_bounds("offsets", &offsets[0] if offsets.shape[0] else NULL, offsets.shape[0], arena.shape[0])
        cdef int32_t[::1] words = np.zeros(max(n, 1), np.int32)
        cdef int32_t[::1] signed = np.zeros(max(n, 1), np.int32)
        cdef uint8_t[::1] colons = np.zeros(max(n, 1), np.uint8)
        cdef int64_t[::1] others = np.empty(max(n, 1), np.int64)
        for i in range(n):
            longest = max(longest, offsets[i + 1] - offsets[i])
        cdef uint8_t* word = <uint8_t*>malloc(longest + 1)
        if word == NULL:
            raise MemoryError
        with nogil:
            for i in range(n):
                first, end = offsets[i], offsets[i + 1]
                k = first
                while k < end and arena[k] < 0x80:
                    k += 1
                if k < end:
                    others[other] = i
                    other += 1
                    continue
                colons[i] = end > first and arena[end - 1] == 58
                while first < end and not is_alnum(arena[first]):
                    first += 1
                while first < end and not is_alnum(arena[end - 1]):
                    end -= 1
                size = end - first
                if size == 0:
                    words[i] = -1
                    continue
                words[i] = self._find_small(&arena[first], size, word)
                first, last = offsets[i], end
                end = offsets[i + 1]
                while end > last and is_mark(arena[end - 1]):
                    end -= 1
                if end > last or not is_alnum(arena[first]):
                    signed[i] = self._find_small(&arena[first], end - first, word)
        free(word)
        return np.asarray(words)[:n], np.asarray(signed)[:n], np.asarray(colons)[:n], np.asarray(others)[:other].copy()

    cdef int32_t _find(self, const uint8_t* word, int64_t size) noexcept nogil:
        return <int32_t>(table_find(&self._table, word, size, tm_hash(word, size)) + 1)

    cdef int32_t _find_small(self, const uint8_t* form, int64_t size, uint8_t* word) noexcept nogil:
        """The number of an ASCII form in small letters, which are written to `word`."""
        cdef int64_t k
        for k in range(size):
            word[k] = form[k] | 32 if is_upper(form[k]) else form[k]
        return self._find(word, size)

    cdef inline int32_t _child(self, int64_t node, int32_t word) noexcept nogil:
        """The node behind a transition, or -1."""
        cdef int64_t low = self._first[node], end = self._first[node + 1], high = end, middle
        cdef int64_t key = node * self._roots.shape[0] + word
        while low < high:
            middle = (low + high) // 2
            if self._keys[middle] < key:
                low = middle + 1
            else:
                high = middle
        return self._children[low] if low < end and self._keys[low] == key else -1

    cdef inline bint _is_hollow(self, int32_t word) noexcept nogil:
        """Whether a word has no letters."""
        return word < 0 or (word > 0 and word == self._pattern)

    cdef bint _is_rest_hollow(self, const int32_t[::1] tokens, const int32_t[::1] word_of, int64_t k, int64_t end) noexcept nogil:
        """Whether no token of [k, end) has letters."""
        while k < end:
            if not self._is_hollow(word_of[tokens[k]]):
                return False
            k += 1
        return True

    cdef inline void _add_kinds(self, int64_t node, uint16_t* certain, uint16_t* likely) noexcept nogil:
        """Add the kinds of a node, if there is one."""
        if node >= 0:
            certain[0] |= self._strong[node]
            likely[0] |= self._weak[node]

    def find_cues(self, const int32_t[::1] tokens not None, const int64_t[::1] starts not None,
                  const int32_t[::1] lengths not None, const int32_t[::1] word_of not None, const int32_t[::1] signed_of not None,
                  const uint8_t[::1] colons not None):
        """Look for cues in strings: float32 array, shape (strings, `CUE_COLUMNS`).  O(tokens of the strings).

        Parameters
        ----------
        tokens : int32 array
            Forms of a text.
        starts, lengths : int64 and int32 arrays, shape (strings,)
            String i is ``tokens[starts[i]:starts[i] + lengths[i]]``.
        word_of : int32 array, shape (forms,)
            The word of the trie that each form is, 0 for none, -1 for a form without letters, which cues pass over, as they
            do over patterns.
        signed_of : int32 array, shape (forms,)
            The word that each form is with the signs around it, 0 for none.
        colons : uint8 array, shape (forms,)
            Whether a form ends with a colon.

        Returns
        -------
        array
            For each kind 2 if a strong cue of it is in the string, 1 if a weak one, else 0; the share of the tokens that
            cues cover; and the strength of cues that the string begins and ends with.
        """
        cdef int64_t n = starts.shape[0], i, k, m, end, covered_to, covered, solid, before
        if lengths.shape[0] != n or not colons.shape[0] == signed_of.shape[0] == word_of.shape[0]:
            raise ValueError("expected equal lengths of columns")
        check_within("word_of", &word_of[0] if word_of.shape[0] else NULL, word_of.shape[0], -1, self._roots.shape[0])
        check_within("signed_of", &signed_of[0] if signed_of.shape[0] else NULL, signed_of.shape[0], 0, self._roots.shape[0])
        check_within("tokens", &tokens[0] if tokens.shape[0] else NULL, tokens.shape[0], 0, word_of.shape[0])
        for i in range(n):
            if starts[i] < 0 or lengths[i] < 0 or starts[i] + lengths[i] > tokens.shape[0]:
                raise ValueError(
                    f"string {i}: expected it within {tokens.shape[0]} tokens, got {starts[i]} and {lengths[i]}")
        out = np.zeros((n, COLUMNS), np.float32)
        cdef float[:, ::1] rows = out
        cdef int32_t word, node, signed
        cdef uint16_t certain, likely
        with nogil:
            for i in range(n):
                end = starts[i] + lengths[i]
                covered_to, covered, solid = starts[i], 0, 0
                for k in range(starts[i], end):
                    word = word_of[tokens[k]]
                    before = solid
                    solid += not self._is_hollow(word)
                    node = self._roots[word] if word > 0 else -1
                    signed = self._roots[signed_of[tokens[k]]] if signed_of[tokens[k]] else -1
                    if node < 0 and signed < 0:
                        continue
                    m = k
                    while True:
                        certain = likely = 0
                        self._add_kinds(node, &certain, &likely)
                        if node >= 0 and self._colon and (colons[tokens[m]] or is_colon(tokens, word_of, colons, m + 1, end)):
                            self._add_kinds(self._child(node, self._colon), &certain, &likely)
                        if m == k:
                            self._add_kinds(signed, &certain, &likely)
                        if certain or likely:
                            mark_cue(&rows[i, 0], certain, likely, before == 0, self._is_rest_hollow(tokens, word_of, m + 1, end))
                            cover(k, m + 1, &covered, &covered_to)
                        m += 1
                        if node < 0:
                            break
                        while m < end and self._is_hollow(word_of[tokens[m]]):
                            if word_of[tokens[m]] > 0:      # a pattern ends some cues, and others pass over it
                                certain = likely = 0
                                self._add_kinds(self._child(node, self._pattern), &certain, &likely)
                                if certain or likely:
                                    mark_cue(&rows[i, 0], certain, likely, before == 0,
                                             self._is_rest_hollow(tokens, word_of, m + 1, end))
                                    cover(k, m + 1, &covered, &covered_to)
                            m += 1
                        if m >= end or word_of[tokens[m]] == 0:
                            break
                        node = self._child(node, word_of[tokens[m]])
                        if node < 0:
                            break
                rows[i, SHARE] = <float>covered / max(lengths[i], 1)
        return out


cdef inline bint is_mark(uint8_t c) noexcept nogil:
    """Whether a character is one of .,:;!?"""
    return c == 46 or c == 44 or c == 58 or c == 59 or c == 33 or c == 63


cdef inline bint is_colon(const int32_t[::1] tokens, const int32_t[::1] word_of, const uint8_t[::1] colons, int64_t k,
                          int64_t end) noexcept nogil:
    """Whether a token is a colon by itself, as some set it behind a blank."""
    return k < end and word_of[tokens[k]] < 0 and colons[tokens[k]]


cdef inline void cover(int64_t first, int64_t end, int64_t* covered, int64_t* covered_to) noexcept nogil:
    """Count the tokens of a cue that are in none before it; `covered_to` is the end of these."""
    covered[0] += max(0, end - max(covered_to[0], first))
    covered_to[0] = max(covered_to[0], end)


cdef inline void mark_cue(float* row, uint16_t certain, uint16_t likely, bint is_first, bint is_last) noexcept nogil:
    """Note a cue in the row of its string, which it may begin or end with."""
    cdef float strength = 2 if certain else 1
    mark_kinds(row, certain, 2)
    mark_kinds(row, likely, 1)
    if is_first:
        row[FIRST] = max(row[FIRST], strength)
    if is_last:
        row[LAST] = max(row[LAST], strength)


cdef inline void mark_kinds(float* row, uint16_t kinds, float strength) noexcept nogil:
    cdef int kind
    for kind in range(KINDS):
        if kinds >> kind & 1 and row[kind] < strength:
            row[kind] = strength
