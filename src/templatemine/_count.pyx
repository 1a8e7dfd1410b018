"""Strings that are known, counted in any number of documents, one after the other.

In come the tokens of some strings and then documents as UTF-8 bytes, out go the counts of each string, and how its
occurrences stand.  Documents are tokenised as mining does it, by the same code, and forgotten: memory grows with the
strings and with the tokens that are remembered, of which there are never more than `most`.  From each token that
begins a string a trie is walked as far as it goes, so that a document costs its tokens and the tokens of what it holds.

Only buffers and numbers cross the boundary; documents are counted without the GIL.  Arguments are IN unless a docstring
says otherwise.
"""

import numpy as np

from libc.stdint cimport int32_t, int64_t, uint8_t, uint16_t, uint64_t
from libc.stdlib cimport calloc, free, malloc
from libc.string cimport memset

from templatemine._core cimport Sizes, Tokeniser, stand
from templatemine._memory cimport check_bounds, reserve
from templatemine._chars cimport tm_hash
from templatemine._tables cimport table_add, table_clear, table_find, words_clear
from templatemine._forms cimport TRAITS, traits_of
from templatemine._stands cimport STANDS, STOOD_MOST, Stood, stood_add, stood_count, stood_table

__all__ = ["Counter"]


cdef struct Row:
    # What is counted of a string, one cache line.
    Stood stands            # of the last `pending` occurrences
    int64_t pending
    int64_t df
    int64_t last            # number of the last document that held it, counted from 1
    int64_t alike_before    # occurrences behind the token `before`
    int64_t alike_after
    int32_t before          # form ids, or NOTHING
    int32_t after


cdef struct Total:
    # What was added up.
    int64_t count
    int64_t[STANDS] stands


cdef struct Reached:
    # What a token leads to.
    int32_t state           # 0 if no string goes on so
    int32_t ending          # string that ends there, or NOTHING


cdef struct Token:
    # A form of the vocabulary.
    int64_t occurred
    Reached by


cdef struct Edge:
    uint64_t key            # state * vocabulary + token + 1, or 0
    Reached by


cdef enum:
    NOTHING = -1            # an id that no token, and no string, has


cdef class Counter(Tokeniser):
    """Counts some strings in documents.

    Parameters
    ----------
    separators, mask, words, numbers, html, lines
        As `_core.Tokeniser` takes them.
    vocabulary : list of bytes
        Forms that stand in any string, each once.
    flat, bounds : int32 and int64 arrays
        String i is ``flat[bounds[i]:bounds[i + 1]]``, places in `vocabulary`; each string once.
    before, after : int32 arrays, shape (strings,)
        A token, as a place in `vocabulary`, whose occurrences before (after) the string are counted; -1 for none.
    sizes : tuple of int
        Of lines and tables: `short`, `long_`, `near`, `least` and `every` of `_core.standing`.
    most : int
        Tokens that are remembered by their spelling; with one more all are forgotten.
    """

    cdef int32_t first          # id of the first form of the vocabulary
    cdef int64_t symbols        # forms of the vocabulary
    cdef int64_t most
    cdef int64_t documents
    cdef int64_t seen           # tokens
    cdef int64_t strings
    cdef Row* rows
    cdef Total* totals
    cdef Stood[256] stood       # `stood_table`
    cdef Token* tokens_of       # the forms of the vocabulary
    cdef Edge* edges            # open addressing
    cdef uint64_t mask
    cdef Sizes sizes
    cdef uint16_t* traits       # of each form of the vocabulary, and of what stands for others
    cdef uint8_t* standing      # of each token of a document
    cdef int64_t standing_room

    def __cinit__(self, bytes separators, bytes mask, list words, list numbers, bint html, bint lines, list vocabulary,
                  const int32_t[::1] flat not None, const int64_t[::1] bounds not None, const int32_t[::1] before not None,
                  const int32_t[::1] after not None, tuple sizes not None, int64_t most):
        cdef bytes form
        cdef int64_t i, k
        self.strings = bounds.shape[0] - 1
        self.first = 1 if lines else 0
        self.most = most
        self.sizes.short, self.sizes.long_, self.sizes.near, self.sizes.least, self.sizes.every = sizes
        for i, form in enumerate(vocabulary):
            if table_add(&self.forms, <const uint8_t*>form, len(form)) != self.first + i:
                raise ValueError(f"the form {form!r} stands in the vocabulary twice")
        self.symbols = len(vocabulary)
        check_bounds("bounds", bounds, flat.shape[0])
        if not before.shape[0] == after.shape[0] == self.strings:
            raise ValueError(f"expected neighbours of {self.strings} strings, got {before.shape[0]} and {after.shape[0]}")
        for i in range(flat.shape[0]):
            if not 0 <= flat[i] < self.symbols:
                raise ValueError(f"token {i}: expected a place in a vocabulary of {self.symbols}, got {flat[i]}")
        self.rows = <Row*>calloc(self.strings + 1, sizeof(Row))
        self.totals = <Total*>calloc(self.strings + 1, sizeof(Total))
        self.tokens_of = <Token*>calloc(self.symbols + 1, sizeof(Token))
        if self.rows == NULL or self.totals == NULL or self.tokens_of == NULL:
            raise MemoryError
        for i in range(self.strings):
            if bounds[i] >= bounds[i + 1]:
                raise ValueError(f"string {i} is empty")
            for k in (before[i], after[i]):
                if not -1 <= k < self.symbols:
                    raise ValueError(f"string {i}: expected neighbours within a vocabulary of {self.symbols}, got {k}")
            self.rows[i].before = before[i] + self.first if before[i] >= 0 else NOTHING
            self.rows[i].after = after[i] + self.first if after[i] >= 0 else NOTHING
        stood_table(self.stood)
        self._build(flat, bounds)
        self._learn()

    def __dealloc__(self):
        free(self.rows)
        free(self.totals)
        free(self.tokens_of)
        free(self.edges)
        free(self.traits)
        free(self.standing)

    cdef int _build(self, const int32_t[::1] flat, const int64_t[::1] bounds) except -1:
        """The trie."""
        cdef int64_t i, k, size = 1
        cdef uint64_t key
        cdef Reached* by
        cdef Edge* edge
        self.mask = 255
        self.edges = <Edge*>calloc(self.mask + 1, sizeof(Edge))
        if self.edges == NULL:
            raise MemoryError
        for i in range(self.strings):
            by = &self.tokens_of[flat[bounds[i]]].by
            for k in range(bounds[i], bounds[i + 1]):
                if k > bounds[i]:
                    if <uint64_t>size * 2 > self.mask:
                        self._widen()
                    key = self._key(by.state, flat[k])
                    edge = self._edge(key)
                    edge.key = key
                    by = &edge.by
                if by.state == 0:
                    by[0] = Reached(<int32_t>size, NOTHING)
                    size += 1
            if by.ending >= 0:
                raise ValueError(f"string {i} is string {by.ending} again")
            by.ending = <int32_t>i
        return 0

    cdef int _widen(self) except -1:
        """Room for twice as many edges."""
        cdef Edge* old = self.edges
        cdef uint64_t i, n = self.mask + 1
        self.edges = <Edge*>calloc(2 * n, sizeof(Edge))
        if self.edges == NULL:
            self.edges = old
            raise MemoryError
        self.mask = 2 * n - 1
        for i in range(n):
            if old[i].key:
                self._edge(old[i].key)[0] = old[i]
        free(old)
        return 0

    cdef inline uint64_t _key(self, int32_t state, int32_t token) noexcept nogil:
        return <uint64_t>state * <uint64_t>self.symbols + <uint64_t>token + 1

    cdef inline Edge* _edge(self, uint64_t key) noexcept nogil:
        """An edge, or where it would stand."""
        cdef uint64_t place = (key * <uint64_t>0x9E3779B97F4A7C15) >> 32 & self.mask
        while self.edges[place].key and self.edges[place].key != key:
            place = (place + 1) & self.mask
        return self.edges + place

    cdef int _learn(self) except -1:
        """What each form is, of the vocabulary and beyond."""
        cdef int64_t i
        self.traits = <uint16_t*>malloc((self.forms.count + TRAITS) * sizeof(uint16_t))
        if self.traits == NULL:
            raise MemoryError
        for i in range(self.forms.count):
            self.traits[i] = traits_of(self.forms.arena + self.forms.offset[i], self.forms.offset[i + 1] - self.forms.offset[i])
        for i in range(TRAITS):
            self.traits[self.forms.count + i] = <uint16_t>i
        return 0

    cdef int64_t _form(self, const uint8_t* p, int64_t n, uint8_t kind) except -1 nogil:
        """Id of a form of the vocabulary; of others nothing counts but their traits, so those that share them share an id."""
        cdef int64_t id
        n = self._normalise(p, n, kind)
        id = table_find(&self.forms, self.room, n, tm_hash(self.room, n))
        return id if id >= 0 else self.forms.count + traits_of(self.room, n)

    cdef void _forget(self) noexcept nogil:
        """Forget all tokens."""
        words_clear(&self.words)
        table_clear(&self.types)
        self.form_of.size = 0

    def count_all(self, list documents not None):
        """Count the strings in some more documents (UTF-8); other threads may run until all of them are done."""
        self._each(documents)

    cdef int _take(self, const uint8_t* p, int64_t n) except -1 nogil:
        cdef int64_t i, k, size, symbols = self.symbols
        cdef int32_t* ids
        cdef int32_t token
        cdef const Reached* by
        self.documents += 1
        if self.words.count + self.types.count > self.most:
            self._forget()
        self.tokens.size = 0
        self._add(p, n)
        size, ids = self.tokens.size, self.tokens.data
        self.seen += size
        if self.lines:
            reserve(<void**>&self.standing, &self.standing_room, size, 1)
            stand(ids, size, self.traits, True, &self.sizes, self.standing)
        for i in range(size):
            token = ids[i] - self.first
            if not 0 <= token < symbols:
                continue
            self.tokens_of[token].occurred += 1
            by = &self.tokens_of[token].by
            k = i
            while by.state:
                if by.ending >= 0:
                    self._tally(by.ending, ids, i, k, size)
                k += 1
                token = ids[k] - self.first if k < size else -1
                if not 0 <= token < symbols:
                    break
                by = &self._edge(self._key(by.state, token)).by
        return 0

    cdef inline void _tally(self, int32_t string, const int32_t* ids, int64_t first, int64_t last, int64_t size) noexcept nogil:
        """One more occurrence."""
        cdef Row* row = self.rows + string
        row.pending += 1
        if row.last != self.documents:
            row.last = self.documents
            row.df += 1
        row.alike_before += first > 0 and ids[first - 1] == row.before
        row.alike_after += last + 1 < size and ids[last + 1] == row.after
        if self.lines:
            stood_add(&row.stands, self.stood, self.standing[first], self.standing[last])
        if row.pending == STOOD_MOST:
            self._add_up(string)

    cdef void _add_up(self, int32_t string) noexcept nogil:
        cdef Row* row = self.rows + string
        cdef Total* total = self.totals + string
        cdef int k
        total.count += row.pending
        for k in range(STANDS):
            total.stands[k] += stood_count(&row.stands, k)
        row.pending = 0
        memset(&row.stands, 0, sizeof(Stood))

    def counts(self):
        """What was counted so far.

        Returns
        -------
        count, df : int64 arrays, shape (strings,)
            Occurrences and documents.
        alike : int64 array, shape (strings, 2)
            Occurrences behind `before`, and in front of `after`.
        stands : int64 array, shape (strings, 11)
            Occurrences by how they stand, see `_strings.stand_counts`; 0 if lines do not part strings.
        forms : int64 array, shape (vocabulary,)
            Occurrences of each form of the vocabulary.
        tokens : int
            All tokens, and line breaks if they part strings.
        """
        cdef int64_t i, k
        cdef int64_t[::1] count = np.empty(max(self.strings, 1), np.int64)
        cdef int64_t[::1] df = np.empty(max(self.strings, 1), np.int64)
        cdef int64_t[:, ::1] alike = np.empty((max(self.strings, 1), 2), np.int64)
        cdef int64_t[:, ::1] stands = np.empty((max(self.strings, 1), STANDS), np.int64)
        cdef int64_t[::1] forms = np.empty(max(self.symbols, 1), np.int64)
        self._enter()
        self.busy = False       # what follows keeps the lock
        for i in range(self.strings):
            self._add_up(<int32_t>i)
            count[i] = self.totals[i].count
            df[i] = self.rows[i].df
            alike[i, 0] = self.rows[i].alike_before
            alike[i, 1] = self.rows[i].alike_after
            for k in range(STANDS):
                stands[i, k] = self.totals[i].stands[k]
        for i in range(self.symbols):
            forms[i] = self.tokens_of[i].occurred
        n = self.strings
        return (np.asarray(count)[:n], np.asarray(df)[:n], np.asarray(alike)[:n], np.asarray(stands)[:n],
                np.asarray(forms)[: self.symbols], self.seen)
