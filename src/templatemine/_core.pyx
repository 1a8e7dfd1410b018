"""The native core of mining, in the order in which data flows: documents -> token ids -> symbols -> suffix array and LCP,
or growing strings -> maximal strings with their document frequency -> columns of their tokens, hashes and features.

Only buffers and numbers cross the boundary; a kernel is a public ``def`` that checks and allocates, and a private ``cdef``
loop that runs without the GIL.  Offsets are int64 everywhere except in suffix arrays, where the caller chooses int32 or
int64.  Arguments are IN unless a docstring says otherwise.
"""

import numpy as np

from cpython.bytes cimport PyBytes_AS_STRING, PyBytes_FromStringAndSize
from libc.math cimport log2, sqrt
from libc.stdint cimport int32_t, int64_t, int8_t, uint16_t, uint32_t, uint64_t, uint8_t
from libc.stdlib cimport calloc, free, malloc
from libc.string cimport memchr, memcpy, memset, strlen

from templatemine.text._scan cimport (
    BULLET, Bytes, CAPITAL, check_bounds, check_within, CLAUSE, COLON, copy_to_array, encode_utf8, FIGURE, FIRST_IN_LINE,
    index_t, KIND, MAX_SHORT_BYTES, move_to_array, MUTABLE, normalise, Occurrences, occurrences_push, occurrences_to_columns,
    OWN, reserve, scan, Scanner, SENTENCE, SMALL, StrView, Table, table_add, table_find, table_free, table_init, table_insert,
    tag_form, tm_alloc_zeroed, tm_hash, tm_key, tm_prefetch, Tokens, tokens_free, VALUE, view_str, WORD, Word, Words,
    words_find, words_init, words_insert, write_number,
)

__all__ = [
    "FeatureExtractor", "Tokeniser", "Windows", "count_holders", "count_occurrences", "cut_segments", "document_frequency",
    "find_first_positions", "find_labels", "find_last_start", "find_rare_pairs", "find_repeated_segments", "find_repeats_i32",
    "find_repeats_i64", "find_versions", "format_json_rows", "gather_slices_i32", "gather_slices_u8", "group_rates",
    "grow_strings", "hash_strings", "lcp_i32", "lcp_i64", "number_hashes", "reduce_tokens", "renumber", "sketch_segments",
]


# ----------------------------------------------------------------------------------------------- tokens, suffix array, repeats
# Documents into form ids, reduction, LCP, maximal repeats with document frequency.
#
# Input: documents as UTF-8 bytes, and suffix arrays.  Output: columns of form ids, of symbols, and of repeats with their
# counts.  Time is linear in the tokens, except for the repeats, which take O(n log depth).


# ======================================================================================================================
# Tokeniser: documents into ids of forms
# ======================================================================================================================

cdef struct Ints:
    int32_t* data
    int64_t size
    int64_t capacity


cdef struct PendingToken:
    # A token whose slot in a hash table is prefetched before it is looked up.
    uint64_t hash
    uint64_t a              # of a short token: its bytes as two words (tm_key)
    uint64_t b
    int64_t size


cdef int ints_reserve(Ints* v, int64_t more) except -1 nogil:
    return reserve(<void**>&v.data, &v.capacity, v.size + more, sizeof(int32_t))


cdef inline int ints_push(Ints* v, int32_t value) except -1 nogil:
    if v.size == v.capacity:
        ints_reserve(v, 1)
    v.data[v.size] = value
    v.size += 1
    return 0


cdef enum:
    BATCH = 32      # tokens whose slots are prefetched before the first of them is looked up


cdef struct Longs:
    int64_t* data
    int64_t size
    int64_t capacity


cdef inline int longs_push(Longs* v, int64_t value) except -1 nogil:
    reserve(<void**>&v.data, &v.capacity, v.size + 1, sizeof(int64_t))
    v.data[v.size] = value
    v.size += 1
    return 0


cdef inline bint has_wide_gap(const uint8_t* p, int64_t start, int64_t end) noexcept nogil:
    """Whether the bytes between two tokens are two blanks or more, and nothing else."""
    cdef int64_t i, count = 0
    if end - start < 2:
        return False
    for i in range(start, end):
        if 32 < p[i] < 128:
            return False
        count += (p[i] & 0xC0) != 0x80
    return count > 1


cdef inline bint has_dash_gap(const uint8_t* p, int64_t start, int64_t end) noexcept nogil:
    """Whether the bytes between two tokens are a hyphen and a blank behind it, such as stands between two parts of a line."""
    return end - start > 1 and (p[end - 1] == 32 or p[end - 1] == 9) and memchr(p + start, 45, end - start) != NULL


cdef class Tokeniser(Scanner):
    """Turns documents into ids of normalised tokens (forms).

    A raw token is interned as a type; a type is normalised once, when it is first seen.  With `lines` (last argument) the
    line break is a form of its own, id 0, and stands before the first token of each line.
    """

    cdef Words words        # form id of each short type
    cdef Table types        # the longer types
    cdef Table forms
    cdef Ints form_of       # form id of each longer type
    cdef Ints tokens        # form id of each token
    cdef Longs gap_tokens   # positions of tokens that two blanks or more precede on their line
    cdef Longs dash_tokens  # and of those that a hyphen and a blank precede
    cdef Tokens scratch
    cdef uint8_t* form_buffer
    cdef int64_t form_capacity
    cdef bint lines
    cdef Bytes utf8
    cdef list doc_starts
    cdef bint busy          # a thread is inside a method, perhaps without the GIL

    def __cinit__(self, bytes separators, bytes mask, list words, list numbers, bint html, bint lines=False, *_):
        memset(&self.form_of, 0, sizeof(Ints))
        memset(&self.tokens, 0, sizeof(Ints))
        memset(&self.gap_tokens, 0, sizeof(Longs))
        memset(&self.dash_tokens, 0, sizeof(Longs))
        memset(&self.scratch, 0, sizeof(Tokens))
        self.form_buffer = NULL
        self.form_capacity = 0
        self.utf8 = Bytes(NULL, 0, 0)
        memset(&self.words, 0, sizeof(Words))
        words_init(&self.words, 4096)
        table_init(&self.types)
        table_init(&self.forms)
        self.busy = False
        self.lines = lines
        if lines:
            table_add(&self.forms, b"\n", 1)
        self.doc_starts = [0]

    def __dealloc__(self):
        free(self.words.slots)
        table_free(&self.types)
        table_free(&self.forms)
        free(self.form_of.data)
        free(self.tokens.data)
        free(self.gap_tokens.data)
        free(self.dash_tokens.data)
        tokens_free(&self.scratch)
        free(self.form_buffer)
        free(self.utf8.data)

    cdef int _acquire(self) except -1:
        """Mark the tokeniser as busy; RuntimeError if another thread uses it.  The caller resets `busy` when it is done.

        The tables of types and forms are shared by all documents, so only one thread may change them at a time.
        """
        if self.busy:
            raise RuntimeError("expected one thread at a time, another one is at this tokeniser")
        self.busy = True
        return 0

    def add(self, const uint8_t[::1] document not None):
        """Tokenise one more document (UTF-8)."""
        cdef const uint8_t* p = &document[0] if document.shape[0] else NULL
        cdef int64_t n = document.shape[0]
        self._acquire()
        try:
            with nogil:
                self._tokenise(p, n)
            self.doc_starts.append(self.tokens.size)
        finally:
            self.busy = False

    def add_all(self, list documents not None):
        """Tokenise some more documents (str, or UTF-8 bytes), without the GIL while it works."""
        self.doc_starts.extend(self._process_all(documents))

    cdef list _process_all(self, list documents):
        """Process some documents without the GIL; returns the number of tokens held after each."""
        cdef Py_ssize_t i, n
        cdef const uint8_t* p
        cdef bytes data
        cdef int64_t size = 0
        cdef StrView* texts
        cdef int64_t* ends
        cdef bint entered = False
        # A copy keeps the texts alive, as the caller may change his list meanwhile.
        documents = documents[:]
        n = len(documents)
        texts = <StrView*>malloc((n + 1) * sizeof(StrView))
        ends = <int64_t*>malloc((n + 1) * sizeof(int64_t))
        try:
            if texts == NULL or ends == NULL:
                raise MemoryError
            self._acquire()
            entered = True
            for i in range(n):
                document = documents[i]
                if isinstance(document, str):
                    if type(document) is not str:  # of a subclass, which may mean something else by its text
                        document = documents[i] = str.__str__(document)
                    texts[i] = view_str(document)
                else:
                    data = document
                    # Already UTF-8: read without conversion.
                    texts[i] = StrView(<const uint8_t*>data, len(data), 1, True)
            with nogil:
                for i in range(n):
                    p = encode_utf8(&texts[i], True, &self.utf8, &size)
                    self._process(p, size)
                    ends[i] = self.tokens.size
            return [ends[i] for i in range(n)]
        finally:
            self.busy = self.busy and not entered
            free(texts)
            free(ends)

    cdef int _process(self, const uint8_t* p, int64_t n) except -1 nogil:
        """Process one document of a batch, which `add_all` was given."""
        return self._tokenise(p, n)

    cdef int _tokenise(self, const uint8_t* p, int64_t n) except -1 nogil:
        """Append the form ids of the tokens of one document (UTF-8, n bytes) to `tokens`."""
        cdef PendingToken[BATCH] pending
        cdef PendingToken* token
        cdef int64_t i, first, last = 0
        cdef const uint8_t* q
        cdef const Word* word
        self.scratch.size = 0
        scan(&self.spec, p, 0, n, &self.scratch)
        ints_reserve(&self.tokens, self.scratch.size)
        while last < self.scratch.size:
            first = last
            last = min(first + BATCH, self.scratch.size)
            for i in range(first, last):
                token = pending + (i - first)
                q = p + self.scratch.start[i]
                token.size = self.scratch.end[i] - self.scratch.start[i]
                if token.size <= MAX_SHORT_BYTES:
                    token.hash = tm_key(q, token.size, p + n, &token.a, &token.b)
                    tm_prefetch(self.words.slots + (token.hash & self.words.mask))
                elif self.scratch.kind[i] & KIND == WORD:
                    token.hash = tm_hash(q, token.size)
                    tm_prefetch(self.types.slots + (token.hash & self.types.mask))
            for i in range(first, last):
                token = pending + (i - first)
                if self.lines and self.scratch.kind[i] & FIRST_IN_LINE:
                    ints_push(&self.tokens, 0)
                elif self.lines and i and has_wide_gap(p, self.scratch.end[i - 1], self.scratch.start[i]):
                    longs_push(&self.gap_tokens, self.tokens.size)
                elif self.lines and i and has_dash_gap(p, self.scratch.end[i - 1], self.scratch.start[i]):
                    longs_push(&self.dash_tokens, self.tokens.size)
                if token.size <= MAX_SHORT_BYTES and self.scratch.kind[i] & KIND == WORD:
                    word = words_find(&self.words, token.hash, token.a, token.b, token.size)
                    if word:
                        ints_push(&self.tokens, word.id)
                        continue
                ints_push(&self.tokens, <int32_t>self._find_form_id(p + self.scratch.start[i], self.scratch.kind[i] & KIND, token))
        return 0

    cdef int64_t _find_form_id(self, const uint8_t* q, uint8_t kind, const PendingToken* token) except -1 nogil:
        """Form id of a token that is long, mark-up or seen for the first time."""
        cdef int64_t type_id, form_id
        if kind != WORD:
            # Tags are normalised each time and not interned as types: with their links they are hardly ever repeated.
            return self._intern_form(q, token.size, kind)
        if token.size <= MAX_SHORT_BYTES:
            form_id = self._intern_form(q, token.size, WORD)
            words_insert(&self.words, token.hash, token.a, token.b, <int32_t>token.size, <int32_t>form_id)
            return form_id
        type_id = table_find(&self.types, q, token.size, token.hash)
        if type_id >= 0:
            return self.form_of.data[type_id]
        form_id = self._intern_form(q, token.size, WORD)
        # Reserved first, so that the table and the column stay of one length if memory runs out.
        ints_reserve(&self.form_of, 1)
        table_insert(&self.types, q, token.size, token.hash)
        ints_push(&self.form_of, <int32_t>form_id)
        return form_id

    cdef int64_t _intern_form(self, const uint8_t* p, int64_t n, uint8_t kind) except -1 nogil:
        """Normalise a token and intern its form; returns the id of the form."""
        n = self._write_form(p, n, kind)
        return table_add(&self.forms, self.form_buffer, n)

    cdef int64_t _write_form(self, const uint8_t* p, int64_t n, uint8_t kind) except -1 nogil:
        """Write the form of a token to `form_buffer`; returns its size in bytes."""
        reserve(<void**>&self.form_buffer, &self.form_capacity, 2 * n + 32, 1)
        return normalise(&self.spec, p, n, self.form_buffer) if kind == WORD else tag_form(&self.spec, p, n, kind, self.form_buffer)

    def gaps(self):
        """Positions, in the tokens that `finish` returns, of those that two blanks or more precede on their line: int64 array.

        To be called before `finish`; empty without `lines`.
        """
        return copy_to_array(self.gap_tokens.data, self.gap_tokens.size * 8, np.int64)

    def dashes(self):
        """The same of tokens that a hyphen and a blank precede."""
        return copy_to_array(self.dash_tokens.data, self.dash_tokens.size * 8, np.int64)

    def finish(self):
        """Return the tokens of all added documents and empty the tokeniser; it keeps the forms that it knows.

        Returns
        -------
        forms : int32 array, shape (tokens,)
        doc_starts : int64 array, shape (documents + 1,)
        arena : uint8 array
            All forms, one after the other.
        offsets : int64 array, shape (forms + 1,)
            Form i is ``arena[offsets[i]:offsets[i + 1]]``.
        """
        self._acquire()
        try:
            starts = np.array(self.doc_starts, dtype=np.int64)
            size = self.tokens.size
            # Emptied first: the buffer that is move_to_array over belongs to the array from then on, even if that fails.
            self.tokens.size = self.tokens.capacity = self.gap_tokens.size = self.dash_tokens.size = 0
            self.doc_starts = [0]
            forms = move_to_array(<void**>&self.tokens.data, size * 4, np.int32)
            return (
                forms,
                starts,
                copy_to_array(self.forms.arena, self.forms.arena_size, np.uint8),
                copy_to_array(self.forms.offset, (self.forms.count + 1) * 8, np.int64),
            )
        finally:
            self.busy = False


# ======================================================================================================================
# Reduction: document frequency of forms, breaks for rare ones
# ======================================================================================================================

cdef struct FormCounts:
    # The counts of a form in one place: one cache line is read for each token.
    int64_t count
    int32_t df
    int32_t last_document   # number of the last document that contains it, counted from 1


def document_frequency(const int32_t[::1] forms not None, const int64_t[::1] doc_starts not None, int64_t form_count):
    """Document frequency and occurrences of each form: int32 and int64 arrays of shape (form_count,).  O(tokens)."""
    check_within("forms", &forms[0] if forms.shape[0] else NULL, forms.shape[0], 0, form_count)
    check_bounds("doc_starts", &doc_starts[0] if doc_starts.shape[0] else NULL, doc_starts.shape[0], forms.shape[0])
    cdef int32_t[::1] df = np.empty(max(form_count, 1), np.int32)
    cdef int64_t[::1] count = np.empty(max(form_count, 1), np.int64)
    cdef FormCounts* form_counts = <FormCounts*>calloc(max(form_count, 1), sizeof(FormCounts))
    cdef FormCounts* entry
    cdef int64_t d, i
    if form_counts == NULL:
        raise MemoryError
    with nogil:
        for d in range(doc_starts.shape[0] - 1):
            for i in range(doc_starts[d], doc_starts[d + 1]):
                entry = form_counts + forms[i]
                entry.count += 1
                if entry.last_document != d + 1:
                    entry.last_document = <int32_t>(d + 1)
                    entry.df += 1
        for i in range(form_count):
            df[i] = form_counts[i].df
            count[i] = form_counts[i].count
    free(form_counts)
    return np.asarray(df)[:form_count], np.asarray(count)[:form_count]


cdef inline uint64_t combine_hashes(uint64_t first, uint64_t second) noexcept nogil:
    """Combine two hashes into one, by two odd multipliers and the shifts of SplitMix64's finaliser (Steele, Lea and Flood 2014)."""
    first = first * <uint64_t>0xBF58476D1CE4E5B9 + second
    first = (first ^ first >> 29) * <uint64_t>0x9E3779B97F4A7C15
    return first ^ first >> 31


cdef enum:
    PREFETCH_PAIRS = 16     # a slot is prefetched so many pairs before it is read


cdef int64_t _keep_repeated_pairs(uint64_t* pairs, int32_t* owner, int64_t count) except -1:
    """Move the pairs to the front that occur twice, or share a slot with another; returns their number.

    `owner` holds the document of each pair and is moved along.
    """
    cdef int64_t i, kept = 0
    cdef uint64_t mask = 63, slot
    while mask < 4 * <uint64_t>count:
        mask = 2 * mask + 1
    # How many pairs have a slot: 0, 1, or 2 for more; two bits each, four in a byte.
    cdef uint8_t* slot_counts = <uint8_t*>tm_alloc_zeroed((mask + 1) // 4)
    if slot_counts == NULL:
        raise MemoryError
    with nogil:
        for i in range(count):
            if i + PREFETCH_PAIRS < count:
                tm_prefetch(slot_counts + ((pairs[i + PREFETCH_PAIRS] & mask) >> 2))
            slot = pairs[i] & mask
            if not slot_counts[slot >> 2] >> 2 * (slot & 3) & 2:
                slot_counts[slot >> 2] += <uint8_t>(1 << 2 * (slot & 3))
        for i in range(count):
            if i + PREFETCH_PAIRS < count:
                tm_prefetch(slot_counts + ((pairs[i + PREFETCH_PAIRS] & mask) >> 2))
            slot = pairs[i] & mask
            pairs[kept] = pairs[i]
            owner[kept] = owner[i]
            kept += slot_counts[slot >> 2] >> 2 * (slot & 3) >> 1 & 1
    free(slot_counts)
    return kept


def find_rare_pairs(const int32_t[::1] forms not None, const int64_t[::1] doc_starts not None, const uint8_t[::1] kinds not None,
                    const uint64_t[::1] hashes not None):
    """Find pairs of rare tokens that follow each other in a document; common tokens between them are ignored.  O(tokens).

    Parameters
    ----------
    kinds : uint8 array, shape (forms,)
        0 for a common form; 1 for a rare one that is counted only; 2 for a rare one that forms pairs.
    hashes : uint64 array, shape (forms,)

    Returns
    -------
    pairs, owner : uint64 and int32 arrays
        A hash of each pair of two forms of kind 2, and its document; in the order of the text.  All pairs that occur twice,
        and a few that don't: in news, eight or nine pairs in ten occur once.
    rare_tokens : int64 array, shape (documents,)
        Number of rare tokens of each document.
    digests : uint64 array, shape (documents,)
        Sum of the hashes of the rare tokens of each document.
    """
    cdef int64_t documents = doc_starts.shape[0] - 1, d, i, size = 0, pair_count = 0
    if kinds.shape[0] != hashes.shape[0]:
        raise ValueError(f"expected kinds of {hashes.shape[0]} forms, got {kinds.shape[0]}")
    check_within("forms", &forms[0] if forms.shape[0] else NULL, forms.shape[0], 0, kinds.shape[0])
    check_bounds("doc_starts", &doc_starts[0] if doc_starts.shape[0] else NULL, doc_starts.shape[0], forms.shape[0])
    cdef int64_t[::1] rare_tokens = np.zeros(max(documents, 1), np.int64)
    cdef uint64_t[::1] digests = np.zeros(max(documents, 1), np.uint64)
    cdef uint8_t kind, previous_kind
    cdef uint64_t previous_hash = 0
    with nogil:
        for d in range(documents):
            previous_kind = 0
            for i in range(doc_starts[d], doc_starts[d + 1]):
                kind = kinds[forms[i]]
                if kind:
                    size += kind & previous_kind & 2
                    previous_kind = kind
    pairs = np.empty(size // 2, np.uint64)
    owner = np.empty(size // 2, np.int32)
    cdef uint64_t[::1] pair_view = pairs if size else np.empty(1, np.uint64)
    cdef int32_t[::1] owner_view = owner if size else np.empty(1, np.int32)
    with nogil:
        for d in range(documents):
            previous_kind = 0
            for i in range(doc_starts[d], doc_starts[d + 1]):
                kind = kinds[forms[i]]
                if kind == 0:
                    continue
                rare_tokens[d] += 1
                digests[d] += hashes[forms[i]]
                if kind & previous_kind & 2:
                    pair_view[pair_count] = combine_hashes(previous_hash, hashes[forms[i]])
                    owner_view[pair_count] = <int32_t>d
                    pair_count += 1
                previous_kind = kind
                previous_hash = hashes[forms[i]]
    size = _keep_repeated_pairs(&pair_view[0], &owner_view[0], pair_count)
    return pairs[:size], owner[:size], np.asarray(rare_tokens)[:documents], np.asarray(digests)[:documents]


def reduce_tokens(const int32_t[::1] forms not None, const int64_t[::1] doc_starts not None,
                  const int32_t[::1] symbol_of not None, bint lines=False):
    """Replace forms by symbols; 0 is the break.  Breaks in a row become one, and every document ends with one.

    Parameters
    ----------
    forms : int32 array, shape (tokens,)
    doc_starts : int64 array, shape (documents + 1,)
    symbol_of : int32 array, shape (forms,)
        Symbol of each form, 0 for a break.
    lines : bool
        Form 0 is the line break; it is no token of its document.

    Returns
    -------
    symbols : int32 array, shape (length,)
    doc_starts : int64 array, shape (documents + 1,)
        Where each document begins; the last entry is the length.
    runs, run_tokens : int64 and int32 arrays
        Where each run of symbols without a break begins, and which token of its document that is, counted from 0.
    """
    check_within("forms", &forms[0] if forms.shape[0] else NULL, forms.shape[0], 0, symbol_of.shape[0])
    check_bounds("doc_starts", &doc_starts[0] if doc_starts.shape[0] else NULL, doc_starts.shape[0], forms.shape[0])
    cdef int64_t documents = doc_starts.shape[0] - 1
    cdef int32_t[::1] symbols = np.empty(forms.shape[0] + documents, np.int32)
    cdef int64_t[::1] out_starts = np.empty(documents + 1, np.int64)
    cdef int64_t d, i, size = 0, token, begin, end, run_count = 0, run_capacity = 0, run_token_capacity = 0
    cdef int64_t* runs = NULL
    cdef int32_t* run_tokens = NULL
    cdef int32_t symbol, previous
    try:
        with nogil:
            for d in range(documents):
                previous = 0
                token = 0
                begin = doc_starts[d]
                end = doc_starts[d + 1]
                out_starts[d] = size
                for i in range(begin, end + 1):
                    symbol = symbol_of[forms[i]] if i < end else 0
                    if symbol != 0 or previous != 0:
                        if previous == 0:
                            reserve(<void**>&runs, &run_capacity, run_count + 1, sizeof(int64_t))
                            reserve(<void**>&run_tokens, &run_token_capacity, run_count + 1, sizeof(int32_t))
                            runs[run_count] = size
                            run_tokens[run_count] = <int32_t>token
                            run_count += 1
                        symbols[size] = symbol
                        size += 1
                    previous = symbol
                    token += i < end and not (lines and forms[i] == 0)
            out_starts[documents] = size
        # A view, not a copy: the rest of the array was never written to, so it takes no memory.
        return (np.asarray(symbols)[:size], np.asarray(out_starts),
                copy_to_array(runs, run_count * sizeof(int64_t), np.int64),
                copy_to_array(run_tokens, run_count * sizeof(int32_t), np.int32))
    finally:
        free(runs)
        free(run_tokens)


def find_last_start(const int64_t[::1] starts not None, const int64_t[::1] places not None):
    """Index of the last of the ascending `starts` that is at most each place: int64 array of the shape of `places`.

    A table over blocks of 64 places leaves a few starts for a binary search.  O(last start / 64 + starts + places).
    ValueError if the starts do not ascend, or a place is before the first of them.
    """
    cdef int64_t n = starts.shape[0], i, block, low, high, middle, last_block
    for i in range(n):
        if starts[i] < 0 or (i and starts[i] < starts[i - 1]):
            raise ValueError(f"starts: expected ascending places, got {starts[i]} at place {i}")
    for i in range(places.shape[0]):
        if n == 0 or places[i] < starts[0]:
            raise ValueError(f"places: expected none before the first start, got {places[i]} at place {i}")
    last_block = starts[n - 1] >> 6 if n else 0
    cdef int64_t[::1] block_starts = np.empty(last_block + 2, np.int64)
    cdef int64_t[::1] out = np.empty(max(places.shape[0], 1), np.int64)
    with nogil:
        i = 0
        for block in range(last_block + 1):
            # Number of starts before the block.
            while i < n and starts[i] < block << 6:
                i += 1
            block_starts[block] = i
        block_starts[last_block + 1] = n
        for i in range(places.shape[0]):
            block = min(places[i] >> 6, last_block)
            low = max(block_starts[block] - 1, 0)
            high = block_starts[block + 1] - 1
            while low < high:
                middle = (low + high + 1) >> 1
                if starts[middle] <= places[i]:
                    low = middle
                else:
                    high = middle - 1
            out[i] = low
    return np.asarray(out)[: places.shape[0]]


# ======================================================================================================================
# LCP array: Kasai, Lee, Arimura, Arikawa and Park (2001), in the order of the text, stopped at breaks
# ======================================================================================================================

cdef void _compute_lcp(const int32_t* text, int64_t n, const index_t* sa, index_t* plcp, index_t* lcp) noexcept nogil:
    # plcp first holds phi: the suffix that precedes suffix i in the suffix array (Karkkainen, Manzini, Puglisi 2009).
    cdef int64_t i, j, h = 0
    plcp[sa[0]] = -1
    for i in range(1, n):
        plcp[sa[i]] = sa[i - 1]
    for i in range(n):
        j = plcp[i]
        # -1 for the first suffix; any number if `sa` is no permutation.
        if not 0 <= j < n:
            h = 0
        else:
            while i + h < n and j + h < n and text[i + h] != 0 and text[i + h] == text[j + h]:
                h += 1
        plcp[i] = <index_t>h
        if h > 0:
            h -= 1
    for i in range(n):
        lcp[i] = plcp[sa[i]]


def lcp_i32(const int32_t[::1] text not None, const int32_t[::1] sa not None):
    """Longest common prefix array of `text`, no break inside a prefix.

    Parameters
    ----------
    text : int32, shape (n,)
        Symbols; 0 is the break and equals nothing, itself included.
    sa : int32, shape (n,)
        Suffix array of `text` under any order of the symbols.

    Returns
    -------
    int32 array, shape (n,); entry 0 is 0.
    """
    if sa.shape[0] != text.shape[0]:
        raise ValueError(f"expected a suffix array of {text.shape[0]} entries, got {sa.shape[0]}")
    check_within("sa", &sa[0] if sa.shape[0] else NULL, sa.shape[0], 0, text.shape[0])
    cdef int32_t[::1] plcp = np.empty(max(text.shape[0], 1), np.int32)
    cdef int32_t[::1] out = np.zeros(max(text.shape[0], 1), np.int32)
    if text.shape[0]:
        with nogil:
            _compute_lcp[int32_t](&text[0], text.shape[0], &sa[0], &plcp[0], &out[0])
    return np.asarray(out)[: text.shape[0]]


def lcp_i64(const int32_t[::1] text not None, const int64_t[::1] sa not None):
    """As `lcp_i32` for a 64-bit suffix array."""
    if sa.shape[0] != text.shape[0]:
        raise ValueError(f"expected a suffix array of {text.shape[0]} entries, got {sa.shape[0]}")
    check_within("sa", &sa[0] if sa.shape[0] else NULL, sa.shape[0], 0, text.shape[0])
    cdef int64_t[::1] plcp = np.empty(max(text.shape[0], 1), np.int64)
    cdef int64_t[::1] out = np.zeros(max(text.shape[0], 1), np.int64)
    if text.shape[0]:
        with nogil:
            _compute_lcp[int64_t](&text[0], text.shape[0], &sa[0], &plcp[0], &out[0])
    return np.asarray(out)[: text.shape[0]]


# ======================================================================================================================
# Maximal repeats with document frequency
# ======================================================================================================================
#
# One pass over the LCP array with a stack of open LCP intervals.  Document frequency is the colour set size of Hui (CPM
# 1992): an interval of m suffixes has m - c documents, where c counts the suffixes in it for which the previous suffix of
# the same document is in it too.  Such a pair is counted in the innermost open interval that contains both, which binary
# search on the left bounds of the stack finds; when an interval closes, its count is added to the enclosing interval.

cdef struct Interval:
    int64_t lcp
    int64_t left            # first rank of the interval
    int64_t same_document   # suffixes of a document that has an earlier suffix in the interval
    int32_t preceding       # the symbol that precedes all occurrences so far; UNSET or MIXED


cdef enum:
    UNSET = -1
    MIXED = -2


cdef inline int32_t join_preceding(int32_t a, int32_t b) noexcept nogil:
    """The symbol that precedes two sets of occurrences, MIXED if it differs; a break differs from everything, itself included."""
    if a == UNSET:
        return b
    if b == UNSET:
        return a
    return a if a == b and a != MIXED else MIXED


cdef int _find_repeats(const int32_t* text, const int32_t* doc_of, const index_t* sa, const index_t* lcp, int64_t n, int64_t* last_rank,
                       int64_t min_tokens, int64_t min_df, Occurrences* out) except -1 nogil:
    cdef Interval* stack = NULL
    cdef Interval interval
    cdef int64_t depth = 0, capacity = 0, rank, lcp_value, previous_rank, low, high, middle, df
    cdef int32_t preceding, document
    cdef bint opens_interval
    try:
        capacity = 1024
        stack = <Interval*>malloc(capacity * sizeof(Interval))
        if stack == NULL:
            raise MemoryError
        stack[0].lcp = 0
        stack[0].left = 0
        stack[0].same_document = 0
        stack[0].preceding = MIXED
        depth = 1
        preceding = UNSET
        for rank in range(n + 1):
            # `preceding` is the symbol before suffix rank - 1.
            lcp_value = lcp[rank] if 0 < rank < n else 0
            if rank > 0:
                opens_interval = False
                if lcp_value > stack[depth - 1].lcp:
                    interval.left = rank - 1
                    interval.same_document = 0
                    interval.preceding = preceding
                    opens_interval = True
                else:
                    stack[depth - 1].preceding = join_preceding(stack[depth - 1].preceding, preceding)
                    while stack[depth - 1].lcp > lcp_value:
                        interval = stack[depth - 1]
                        depth -= 1
                        df = (rank - interval.left) - interval.same_document
                        if interval.preceding == MIXED and interval.lcp >= min_tokens and df >= min_df:
                            occurrences_push(out, interval.left, interval.lcp, rank - interval.left, df)
                        if stack[depth - 1].lcp < lcp_value:
                            # The new interval begins where the closed one began and contains all of it.
                            opens_interval = True
                            break
                        stack[depth - 1].same_document += interval.same_document
                        stack[depth - 1].preceding = join_preceding(stack[depth - 1].preceding, interval.preceding)
                if opens_interval:
                    reserve(<void**>&stack, &capacity, depth + 1, sizeof(Interval))
                    interval.lcp = lcp_value
                    stack[depth] = interval
                    depth += 1
            if rank == n:
                break
            preceding = text[sa[rank] - 1] if sa[rank] > 0 else 0
            if preceding == 0:
                preceding = MIXED
            document = doc_of[sa[rank]]
            previous_rank = last_rank[document]
            last_rank[document] = rank
            if depth > 1 and previous_rank >= stack[1].left:
                # Innermost open interval with left <= previous_rank; of those with the same left bound the last is the longest.
                low = 1
                high = depth - 1
                while low < high:
                    middle = (low + high + 1) >> 1
                    if stack[middle].left <= previous_rank:
                        low = middle
                    else:
                        high = middle - 1
                stack[low].same_document += 1
    finally:
        free(stack)
    return 0


def find_repeats_i32(const int32_t[::1] text not None, const int32_t[::1] doc_of not None, const int32_t[::1] sa not None,
                     const int32_t[::1] lcp not None, int64_t documents, int64_t min_tokens, int64_t min_df):
    """Find the maximal repeats of at least `min_tokens` tokens in at least `min_df` documents.  O(n log depth).

    A string is maximal if extending it by one token to the left or right loses occurrences; breaks and document ends count
    as different tokens.

    Returns
    -------
    rank : int64 array; the occurrences begin at ``sa[rank : rank + count]``
    length : int32 array, in tokens
    count : int32 array, occurrences
    df : int32 array, distinct documents
    """
    if not text.shape[0] == doc_of.shape[0] == sa.shape[0] == lcp.shape[0]:
        raise ValueError(f"expected equal lengths, got {text.shape[0]}, {doc_of.shape[0]}, {sa.shape[0]} and {lcp.shape[0]}")
    check_within("text", &text[0] if text.shape[0] else NULL, text.shape[0], 0, 0x7FFFFFFF)
    check_within("doc_of", &doc_of[0] if doc_of.shape[0] else NULL, doc_of.shape[0], 0, documents)
    check_within("sa", &sa[0] if sa.shape[0] else NULL, sa.shape[0], 0, text.shape[0])
    check_within("lcp", &lcp[0] if lcp.shape[0] else NULL, lcp.shape[0], 0, text.shape[0])
    cdef Occurrences repeats
    memset(&repeats, 0, sizeof(Occurrences))
    cdef int64_t[::1] last_rank = np.full(max(documents, 1), -1, np.int64)
    try:
        if text.shape[0]:
            with nogil:
                _find_repeats[int32_t](&text[0], &doc_of[0], &sa[0], &lcp[0], text.shape[0], &last_rank[0], max(min_tokens, 1), min_df,
                                       &repeats)
    finally:
        columns = occurrences_to_columns(&repeats)
    return columns


def find_repeats_i64(const int32_t[::1] text not None, const int32_t[::1] doc_of not None, const int64_t[::1] sa not None,
                     const int64_t[::1] lcp not None, int64_t documents, int64_t min_tokens, int64_t min_df):
    """As `find_repeats_i32` for 64-bit suffix and LCP arrays."""
    if not text.shape[0] == doc_of.shape[0] == sa.shape[0] == lcp.shape[0]:
        raise ValueError(f"expected equal lengths, got {text.shape[0]}, {doc_of.shape[0]}, {sa.shape[0]} and {lcp.shape[0]}")
    check_within("text", &text[0] if text.shape[0] else NULL, text.shape[0], 0, 0x7FFFFFFF)
    check_within("doc_of", &doc_of[0] if doc_of.shape[0] else NULL, doc_of.shape[0], 0, documents)
    check_within("sa", &sa[0] if sa.shape[0] else NULL, sa.shape[0], 0, text.shape[0])
    check_within("lcp", &lcp[0] if lcp.shape[0] else NULL, lcp.shape[0], 0, text.shape[0])
    cdef Occurrences repeats
    memset(&repeats, 0, sizeof(Occurrences))
    cdef int64_t[::1] last_rank = np.full(max(documents, 1), -1, np.int64)
    try:
        if text.shape[0]:
            with nogil:
                _find_repeats[int64_t](&text[0], &doc_of[0], &sa[0], &lcp[0], text.shape[0], &last_rank[0], max(min_tokens, 1), min_df,
                                       &repeats)
    finally:
        columns = occurrences_to_columns(&repeats)
    return columns


# ----------------------------------------------------------------------------------------------------------- segments of lines
# Lines, and within lines sentences and list items: a template is a whole segment, or a prefix or suffix of one.


cdef enum:
    # Extra bits next to those of `_scan.form_traits`: the full stop of an abbreviation ends no sentence, that of some words
    # ("no.") none before a number.
    SHORTENED = 2048
    NUMBERING = 4096


def cut_segments(const int32_t[::1] forms not None, const int64_t[::1] doc_starts not None, const uint16_t[::1] traits not None,
                 const int64_t[::1] gaps not None, bint lines):
    """Cut documents into segments: lines, and within lines sentences and list items.  O(tokens).

    A sentence ends after a form that ends one (trait 2), unless that is an abbreviation (2048), the next form begins with a
    small letter, or a number (64) follows one before numbers (4096); a list item begins with a bullet (1024).  A closing mark that
    is a token of its own stays in the segment that it closes.

    Parameters
    ----------
    forms : int32 array, shape (tokens,)
    doc_starts : int64 array, shape (documents + 1,)
    traits : uint16 array, shape (forms,)
        `_scan.form_traits` of each form, 2048 for abbreviations, and 4096 for words before numbers ("no.").
    gaps : int64 array
        Positions of tokens, ascending, that begin a segment whatever precedes them.
    lines : bool
        Form 0 is the line break; else every document is one line.

    Returns
    -------
    tokens : int32 array
        `forms` without line breaks.
    bounds : int64 array, shape (segments + 1,)
        Segment i is ``tokens[bounds[i]:bounds[i + 1]]``.
    document : int32 array, shape (segments,)
    begins : uint8 array, shape (segments,)
        Whether the segment begins its line.
    doc_tokens : int64 array, shape (documents + 1,)
        Where each document begins in `tokens`.
    """
    check_within("forms", &forms[0] if forms.shape[0] else NULL, forms.shape[0], 0, traits.shape[0])
    check_bounds("doc_starts", &doc_starts[0] if doc_starts.shape[0] else NULL, doc_starts.shape[0], forms.shape[0])
    cdef int64_t n = forms.shape[0], documents = doc_starts.shape[0] - 1, d, i, size = 0, segment_count = 0, gap_index = 0
    cdef int32_t[::1] tokens = np.empty(max(n, 1), np.int32)
    cdef int64_t[::1] bounds = np.empty(n + 1, np.int64)
    cdef int32_t[::1] document = np.empty(max(n, 1), np.int32)
    cdef uint8_t[::1] begins = np.empty(max(n, 1), np.uint8)
    cdef int64_t[::1] doc_tokens = np.empty(documents + 1, np.int64)
    cdef uint16_t trait, previous
    cdef bint at_line_start, is_boundary
    with nogil:
        for d in range(documents):
            doc_tokens[d] = size
            at_line_start = True
            previous = 0
            for i in range(doc_starts[d], doc_starts[d + 1]):
                if lines and forms[i] == 0:
                    at_line_start = True
                    continue
                trait = traits[forms[i]]
                is_boundary = (previous & (SENTENCE | SHORTENED)) == SENTENCE and not trait & SMALL
                is_boundary = is_boundary and not (previous & NUMBERING and trait & FIGURE)
                is_boundary = is_boundary or (trait & BULLET and not previous & BULLET)
                while gap_index < gaps.shape[0] and gaps[gap_index] < i:
                    gap_index += 1
                is_boundary = is_boundary or (gap_index < gaps.shape[0] and gaps[gap_index] == i)
                is_boundary = is_boundary and (trait & (OWN | CLAUSE)) != (OWN | CLAUSE)
                if at_line_start or is_boundary:
                    bounds[segment_count] = size
                    document[segment_count] = <int32_t>d
                    begins[segment_count] = at_line_start
                    segment_count += 1
                tokens[size] = forms[i]
                size += 1
                at_line_start = False
                previous = trait
        doc_tokens[documents] = size
        bounds[segment_count] = size
    # Views, not copies: the rest of each array was never written to, so it takes no memory.
    return (np.asarray(tokens)[:size], np.asarray(bounds)[: segment_count + 1], np.asarray(document)[:segment_count],
            np.asarray(begins)[:segment_count], np.asarray(doc_tokens))


cdef struct Transition:
    # A transition of the trie, in a hash table.
    uint64_t key        # 1 + state * symbols + token, 0 for none
    int32_t state


def count_occurrences(const int32_t[::1] text not None, const int64_t[::1] doc_starts not None, const int32_t[::1] tokens not None,
                      const int64_t[::1] bounds not None, int64_t symbols):
    """Count how often each string occurs anywhere in the documents: int64 array, shape (strings,).

    A trie of the strings is followed from each token: O(tokens of the strings, and a few transitions a token of the text).

    Parameters
    ----------
    text, doc_starts : int32 and int64 arrays
        Document d is ``text[doc_starts[d]:doc_starts[d + 1]]``, symbols from 0 to `symbols` - 1.
    tokens, bounds : int32 and int64 arrays
        String i is ``tokens[bounds[i]:bounds[i + 1]]``, of one token at least.  Equal strings get equal counts.
    """
    check_within("text", &text[0] if text.shape[0] else NULL, text.shape[0], 0, symbols)
    check_within("tokens", &tokens[0] if tokens.shape[0] else NULL, tokens.shape[0], 0, symbols)
    check_bounds("doc_starts", &doc_starts[0] if doc_starts.shape[0] else NULL, doc_starts.shape[0], text.shape[0])
    check_bounds("bounds", &bounds[0] if bounds.shape[0] else NULL, bounds.shape[0], tokens.shape[0])
    cdef int64_t string_count = bounds.shape[0] - 1, i, k, d, end, slot_count = 64
    cdef int32_t state_count = 0, state
    cdef int64_t[::1] counts = np.zeros(max(string_count, 1), np.int64)
    cdef int32_t[::1] first_equal = np.empty(max(string_count, 1), np.int32)     # index of the first string equal to each
    cdef int32_t[::1] root_states = np.full(max(symbols, 1), -1, np.int32)   # state after each single token
    cdef int32_t[::1] final_strings = np.full(tokens.shape[0] + 1, -1, np.int32)     # the string that ends in each state
    cdef uint64_t mask, key
    cdef Transition* transitions
    cdef Transition* transition
    cdef uint8_t* bloom_bits    # a bit for the hash of each transition: fits a nearer cache, and most tokens have no transition
    if tokens.shape[0] > 2**31 - 2:
        raise ValueError(f"expected strings of fewer than 2^31 - 1 tokens in all, got {tokens.shape[0]}")
    for i in range(string_count):
        if bounds[i] == bounds[i + 1]:
            raise ValueError(f"string {i}: expected a token at least, got none")
    while slot_count < 2 * tokens.shape[0]:
        slot_count *= 2
    mask = slot_count - 1
    transitions = <Transition*>calloc(slot_count, sizeof(Transition))
    bloom_bits = <uint8_t*>calloc(slot_count, 1)
    if transitions == NULL or bloom_bits == NULL:
        free(transitions)
        free(bloom_bits)
        raise MemoryError
    with nogil:
        for i in range(string_count):
            state = root_states[tokens[bounds[i]]]
            if state < 0:
                state = root_states[tokens[bounds[i]]] = state_count
                state_count += 1
            for k in range(bounds[i] + 1, bounds[i + 1]):
                key = 1 + <uint64_t>state * <uint64_t>symbols + <uint64_t>tokens[k]
                transition = find_transition(transitions, mask, key)
                if transition.key == 0:
                    transition.key = key
                    bloom_bits[hash_transition(key) >> 3 & mask] |= 1 << (hash_transition(key) & 7)
                    transition.state = state_count
                    state_count += 1
                state = transition.state
            if final_strings[state] < 0:
                final_strings[state] = <int32_t>i
            first_equal[i] = final_strings[state]
        for d in range(doc_starts.shape[0] - 1):
            end = doc_starts[d + 1]
            for i in range(doc_starts[d], end):
                state = root_states[text[i]]
                k = i + 1
                while state >= 0:
                    if final_strings[state] >= 0:
                        counts[final_strings[state]] += 1
                    if k == end:
                        break
                    key = 1 + <uint64_t>state * <uint64_t>symbols + <uint64_t>text[k]
                    if not bloom_bits[hash_transition(key) >> 3 & mask] >> (hash_transition(key) & 7) & 1:
                        break
                    transition = find_transition(transitions, mask, key)
                    state = transition.state if transition.key else -1
                    k += 1
    free(transitions)
    free(bloom_bits)
    return np.asarray(counts)[np.asarray(first_equal)[:string_count]]


cdef inline uint64_t hash_transition(uint64_t key) noexcept nogil:
    return (key * <uint64_t>0x9E3779B97F4A7C15) >> 20


cdef inline Transition* find_transition(Transition* transitions, uint64_t mask, uint64_t key) noexcept nogil:
    """The slot of a transition by its key; an empty one (key 0) if the trie does not have it."""
    cdef uint64_t slot = hash_transition(key) & mask
    while transitions[slot].key and transitions[slot].key != key:
        slot = (slot + 1) & mask
    return transitions + slot


# ------------------------------------------------------------------------------------------------------------- windows
# Windows are stretches of so many tokens of a document, of which none is rare; line breaks are no tokens.
#
# Equal windows have equal hashes: polynomial ones modulo 2^64, mixed.  A walk over the tokens hashes all windows as they roll
# by; what it keeps are those whose place in a small table, the low bits of the hash, is marked.

cdef enum:
    MIN_WINDOW_SLOTS = 1 << 10
    MAX_WINDOW_SLOTS = 1 << 18
    MAX_WINDOW = 63         # a ring holds the hashes of what precedes each of the last tokens
    MAX_WINDOW_PARTS = 3


cdef struct WindowWalk:
    int64_t document        # that follows, and the tokens before it
    int64_t token
    int64_t kept            # windows


cdef class Windows:
    """The windows of one size of a source.

    Parameters
    ----------
    forms : int32 array, shape (tokens and line breaks,)
    doc_starts : int64 array, shape (documents + 1,)
        Where each document begins in `forms`.
    has_breaks : bool
        Form 0 is a line break.
    is_rare : uint8 array, shape (distinct forms,)
        Forms that no window holds.
    size : int
        Tokens of a window, 1 to 63.

    Attributes
    ----------
    slots : int
        Of the table, a power of two: as many as tokens, at most 2^18.
    """

    cdef readonly int64_t slots
    cdef const int32_t[::1] _forms
    cdef const int64_t[::1] _doc_starts
    cdef const uint8_t[::1] _is_rare
    cdef bint _has_breaks
    cdef int _size

    def __cinit__(self, const int32_t[::1] forms not None, const int64_t[::1] doc_starts not None, bint has_breaks,
                  const uint8_t[::1] is_rare not None, int size):
        if not 1 <= size <= MAX_WINDOW:
            raise ValueError(f"size: expected 1 to {MAX_WINDOW}, got {size}")
        check_bounds("doc_starts", &doc_starts[0] if doc_starts.shape[0] else NULL, doc_starts.shape[0], forms.shape[0])
        check_within("forms", &forms[0] if forms.shape[0] else NULL, forms.shape[0], 0, is_rare.shape[0])
        self._forms, self._doc_starts, self._is_rare = forms, doc_starts, is_rare
        self._has_breaks, self._size = has_breaks, size
        self.slots = MIN_WINDOW_SLOTS
        while self.slots < min(forms.shape[0], MAX_WINDOW_SLOTS):
            self.slots *= 2

    def count(self):
        """Count the windows by the low bits of their hashes: int32 array, shape (slots,).  O(tokens)."""
        cdef int32_t[::1] counts = np.zeros(self.slots, np.int32)
        cdef int32_t whole[2]
        cdef WindowWalk walk
        memset(&walk, 0, sizeof(WindowWalk))
        whole[0], whole[1] = 0, self._size
        with nogil:
            self._walk(&walk, whole, 1, 1, &counts[0], NULL, NULL, NULL, NULL, 0)
        return np.asarray(counts)

    def find(self, parts, const uint8_t[::1] wanted not None, int deciding=1):
        """Find the windows of which the hash of one of the first parts is marked.  O(tokens).

        Parameters
        ----------
        parts : sequence of (offset, length)
            Parts of a window, at most three.
        wanted : uint8 array, shape (slots,)
        deciding : int
            How many of the parts are looked up.

        Returns
        -------
        first : int64 array, shape (windows,)
            Tokens of the source before each, line breaks left out.
        document : int32 array, shape (windows,)
        hashes : uint64 array, shape (windows, parts)
            Of each part of each window.
        """
        cdef int64_t documents = max(self._doc_starts.shape[0] - 1, 0), room = 0, need
        cdef int32_t bounds[2 * MAX_WINDOW_PARTS]
        cdef int count = len(parts), k
        cdef WindowWalk walk
        if not 1 <= deciding <= count <= MAX_WINDOW_PARTS or wanted.shape[0] != self.slots:
            raise ValueError(f"expected 1 to {MAX_WINDOW_PARTS} parts and a table of {self.slots}")
        for k, (offset, length) in enumerate(parts):
            if offset < 0 or length < 1 or offset + length > self._size:
                raise ValueError(f"part {k}: expected it within {self._size} tokens, got {offset} and {length}")
            bounds[2 * k], bounds[2 * k + 1] = offset, length
        memset(&walk, 0, sizeof(WindowWalk))
        cdef int64_t[::1] first = np.empty(0, np.int64)
        cdef int32_t[::1] document = np.empty(0, np.int32)
        cdef uint64_t[:, ::1] hashes = np.empty((0, count), np.uint64)
        while walk.document < documents:
            # Room for the whole of the next document, and as much again: most windows are not kept.
            need = walk.kept + self._doc_starts[walk.document + 1] - self._doc_starts[walk.document]
            room = max(need, 2 * room, 1024)
            first, document, hashes = _grow(first, room), _grow(document, room), _grow(hashes, room)
            with nogil:
                self._walk(&walk, bounds, count, deciding, NULL, &wanted[0], &first[0], &document[0], &hashes[0, 0], room)
        return (np.asarray(first)[: walk.kept].copy(), np.asarray(document)[: walk.kept].copy(),
                np.asarray(hashes)[: walk.kept].copy())

    cdef void _walk(self, WindowWalk* walk, const int32_t* parts, int part_count, int deciding, int32_t* counts,
                    const uint8_t* wanted, int64_t* first, int32_t* document, uint64_t* hashes, int64_t room) noexcept nogil:
        """Walk on over the documents: count all windows, or keep those that are wanted while there is room."""
        cdef int64_t d, i, size = self._size, run, mask = self.slots - 1
        cdef uint64_t ring[64]      # hash of the run before each of its last tokens
        cdef uint64_t powers[MAX_WINDOW_PARTS]
        cdef uint64_t found[MAX_WINDOW_PARTS]
        cdef uint64_t h, base = 0x0B0E1F2D3C4B5A69
        cdef int32_t form
        cdef bint is_wanted
        cdef int k
        for k in range(part_count):
            powers[k] = 1
            for _ in range(parts[2 * k + 1]):
                powers[k] *= base
        for d in range(walk.document, self._doc_starts.shape[0] - 1):
            if counts == NULL and room - walk.kept < self._doc_starts[d + 1] - self._doc_starts[d]:
                break
            run, h = 0, 0
            for i in range(self._doc_starts[d], self._doc_starts[d + 1]):
                form = self._forms[i]
                if form == 0 and self._has_breaks:
                    continue
                walk.token += 1
                if self._is_rare[form]:
                    run, h = 0, 0
                    continue
                ring[run & 63] = h
                h = h * base + mix_form(form)
                run += 1
                if run < size:
                    continue
                is_wanted = False
                for k in range(deciding):
                    found[k] = hash_part(ring, h, run, size, parts[2 * k], parts[2 * k + 1], powers[k])
                    if counts == NULL and wanted[found[k] & mask]:
                        is_wanted = True
                if counts != NULL:
                    counts[found[0] & mask] += 1
                elif is_wanted:
                    first[walk.kept] = walk.token - size
                    document[walk.kept] = <int32_t>d
                    for k in range(deciding, part_count):
                        found[k] = hash_part(ring, h, run, size, parts[2 * k], parts[2 * k + 1], powers[k])
                    memcpy(hashes + walk.kept * part_count, found, part_count * sizeof(uint64_t))
                    walk.kept += 1
            walk.document = d + 1


cdef inline uint64_t mix_form(int32_t form) noexcept nogil:
    cdef uint64_t h = (<uint64_t>form + 1) * <uint64_t>0x9E3779B97F4A7C15
    return h ^ h >> 29


cdef inline uint64_t hash_part(const uint64_t* ring, uint64_t h, int64_t run, int64_t size, int64_t offset, int64_t length,
                               uint64_t power) noexcept nogil:
    """The hash of a part of the window that ends a run, of which `h` is the hash."""
    cdef int64_t begin = run - size + offset, end = run - size + offset + length
    h = (h if end == run else ring[end & 63]) - ring[begin & 63] * power
    h = (h ^ h >> 32) * <uint64_t>0xD1B54A32D192ED03
    return h ^ h >> 29


def _grow(array, int64_t rows):
    """A copy of an array with so many rows."""
    old = np.asarray(array)
    grown = np.empty((rows, *old.shape[1:]), old.dtype)
    grown[: len(old)] = old
    return grown


# ------------------------------------------------------------------------------------------------ candidates and their features
# Candidates are the repeated segments, and the labels: prefixes and suffixes that other segments share.
#
# Input: the segments of a source.  Output: the occurrences of each candidate, and a row of features for each.  Time is linear
# in segments and occurrences, except for the radix sorts by token, which take a pass for each eight bits.


cdef struct HashTable:
    # Hashes and a number for each, in the order in which they were added.
    int32_t* slots          # 1 + number, 0 where there is none
    uint64_t* keys          # by number
    uint64_t mask
    int32_t size


cdef int hash_table_init(HashTable* table, int64_t most) except -1 nogil:
    cdef int64_t slot_count = 64
    while slot_count < 2 * most:
        slot_count *= 2
    table.slots = <int32_t*>calloc(slot_count, sizeof(int32_t))
    table.keys = <uint64_t*>malloc(max(most, 1) * sizeof(uint64_t))
    table.mask, table.size = slot_count - 1, 0
    if table.slots == NULL or table.keys == NULL:
        hash_table_free(table)
        with gil:
            raise MemoryError
    return 0


cdef inline int32_t* hash_table_slot(const HashTable* table, uint64_t key) noexcept nogil:
    """The slot of a hash: of its number, or where it may be added."""
    cdef uint64_t slot = (key * <uint64_t>0x9E3779B97F4A7C15) >> 20 & table.mask
    while table.slots[slot] and table.keys[table.slots[slot] - 1] != key:
        slot = (slot + 1) & table.mask
    return &table.slots[slot]


cdef inline int32_t hash_table_add(HashTable* table, uint64_t key) noexcept nogil:
    """The number of a hash, which is added if it is new."""
    cdef int32_t* slot = hash_table_slot(table, key)
    if slot[0] == 0:
        table.keys[table.size] = key
        table.size += 1
        slot[0] = table.size
    return slot[0] - 1


cdef void hash_table_free(HashTable* table) noexcept nogil:
    free(table.slots)
    free(table.keys)


def number_hashes(const uint64_t[::1] hashes not None, const int32_t[::1] document not None):
    """Number the different hashes in the order of their first occurrence, and count the documents of each.  O(hashes).

    Parameters
    ----------
    hashes : uint64 array
    document : int32 array
        Document of each hash, ascending.

    Returns
    -------
    numbers : int32 array, shape (hashes,)
        Number of each hash.
    df : int32 array, shape (different hashes,)
        Document frequency by number.
    """
    cdef int64_t n = hashes.shape[0], i
    cdef int32_t number
    cdef HashTable table
    _check_hashes(n, document.shape[0])
    cdef int32_t[::1] numbers = np.empty(max(n, 1), np.int32)
    cdef int32_t[::1] df = np.zeros(max(n, 1), np.int32)
    cdef int32_t[::1] last_document = np.full(max(n, 1), -1, np.int32)
    hash_table_init(&table, n)
    with nogil:
        for i in range(n):
            number = hash_table_add(&table, hashes[i])
            numbers[i] = number
            if last_document[number] != document[i]:
                last_document[number] = document[i]
                df[number] += 1
        hash_table_free(&table)
    return np.asarray(numbers)[:n], np.asarray(df)[: table.size].copy()


def count_holders(const uint64_t[::1] wanted not None, const uint64_t[::1] hashes not None, const int32_t[::1] document not None):
    """Count the documents that hold each of some hashes.  O(wanted + hashes).

    Parameters
    ----------
    wanted : uint64 array
        Equal ones may be among them.
    hashes : uint64 array
    document : int32 array
        Document of each hash, ascending.

    Returns
    -------
    df : int32 array, shape (wanted,)
    """
    cdef int64_t n = hashes.shape[0], size = wanted.shape[0], i
    cdef int32_t number
    cdef HashTable table
    _check_hashes(n, document.shape[0])
    _check_hashes(size, size)
    cdef int32_t[::1] found = np.empty(max(size, 1), np.int32)
    cdef int32_t[::1] df = np.zeros(max(size, 1), np.int32)
    cdef int32_t[::1] last_document = np.full(max(size, 1), -1, np.int32)
    hash_table_init(&table, size)
    with nogil:
        for i in range(size):
            found[i] = hash_table_add(&table, wanted[i])
        for i in range(n):
            number = hash_table_slot(&table, hashes[i])[0] - 1
            if number >= 0 and last_document[number] != document[i]:
                last_document[number] = document[i]
                df[number] += 1
        for i in range(size):
            found[i] = df[found[i]]
        hash_table_free(&table)
    return np.asarray(found)[:size]


def _check_hashes(int64_t hashes, int64_t documents):
    if documents != hashes:
        raise ValueError(f"expected equal lengths, got {hashes} and {documents}")
    if hashes > 2**31 - 1:
        raise ValueError(f"expected fewer than 2^31 hashes, got {hashes}")


def sketch_segments(const int32_t[::1] tokens not None, const int32_t[::1] lengths not None, const int32_t[::1] df not None,
                    int32_t max_df, int size, int64_t most):
    """Return the least hashes of the short strings in those segments of a document that few documents have.

    Parameters
    ----------
    tokens : int32 array
        Of the document.
    lengths, df : int32 arrays, shape (segments,)
        Tokens of each segment, and the documents that hold it.
    max_df : int
        Greatest df of a segment that is looked at.
    size : int
        Tokens of a string, from 1 on; one that begins in a segment may end in the next that is looked at.
    most : int
        Hashes at most.

    Returns
    -------
    hashes : uint64 array
        Different ones, ascending (a bottom sketch, Broder 1997).
    """
    cdef int64_t i, place = 0, end, kept = 0, count = 0, strings
    cdef uint64_t h, multiplier = <uint64_t>0x9E3779B97F4A7C15, limit = <uint64_t>0xFFFFFFFFFFFFFFFF
    cdef int before
    if lengths.shape[0] != df.shape[0] or size < 1 or most < 1:
        raise ValueError(f"expected as many lengths as df, and strings of a token, got {lengths.shape[0]}, {df.shape[0]}, {size}, {most}")
    for i in range(lengths.shape[0]):
        place += max(0, lengths[i])
    if place != tokens.shape[0]:
        raise ValueError(f"expected segments of {tokens.shape[0]} tokens, got {place}")
    cdef uint64_t[::1] own = np.empty(max(place, 1), np.uint64)
    with nogil:
        place = 0
        for i in range(lengths.shape[0]):
            end = place + max(0, lengths[i])
            while place < end:
                if df[i] <= max_df:
                    own[kept] = <uint64_t><int64_t>tokens[place]
                    kept += 1
                place += 1
        strings = max(0, kept - size + 1)
        if strings > 4 * most:      # sorting all of them would take most of the time
            limit = 2 * most * (limit // strings)
        # A hash takes the place of the first token of its string, which no later string needs.
        for i in range(strings):
            h = own[i + size - 1]
            for before in range(1, size):
                h = h * multiplier + own[i + size - 1 - before]
            h *= multiplier
            h = (h ^ h >> 29) * multiplier
            if h < limit or limit == <uint64_t>0xFFFFFFFFFFFFFFFF:
                own[count] = h
                count += 1
    sketch = np.asarray(own)[:count]
    sketch.sort()
    kept = 0
    for i in range(count):
        if kept == 0 or own[i] != own[kept - 1]:
            own[kept] = own[i]
            kept += 1
    return sketch[: min(kept, most)].copy()


cdef inline bint is_whole_line(const uint8_t* begins, int64_t n, int64_t segment) noexcept nogil:
    """Whether a segment is the whole of its line."""
    return begins[segment] != 0 and (segment + 1 == n or begins[segment + 1] != 0)


def find_repeated_segments(const int32_t[::1] string not None, const int32_t[::1] string_df not None, const int32_t[::1] document not None,
                           const uint8_t[::1] begins not None, int64_t min_df):
    """Find the repeated segments; those that are a whole line and those that are not are separate candidates.  O(segments).

    Parameters
    ----------
    string, string_df, document : int32 arrays, shape (segments,)
        See `segments.Segments`; documents ascend.
    begins : uint8 array, shape (segments,)
        Whether each begins its line; the last one ends its line.
    min_df : int
        Least document frequency of a candidate.

    Returns
    -------
    segment : int64 array, shape (occurrences,)
        The segment of each occurrence, one candidate after the other, ascending within each.
    bounds : int64 array, shape (candidates + 1,)
    df : int32 array, shape (candidates,)
    """
    cdef int64_t n = string.shape[0], i, key, candidate_count = 0, occurrence_count = 0, count
    if not n == string_df.shape[0] == document.shape[0] == begins.shape[0]:
        raise ValueError("expected equal lengths")
    check_within("string", &string[0] if n else NULL, n, 0, n)
    cdef int64_t[::1] offsets = np.zeros(2 * n + 1, np.int64)   # occurrences, then where the next of them is written
    cdef int32_t[::1] df = np.zeros(2 * n + 1, np.int32)
    cdef int32_t[::1] last_document = np.full(2 * n + 1, -1, np.int32)
    with nogil:
        for i in range(n):
            if string_df[i] >= min_df:
                key = 2 * <int64_t>string[i] + is_whole_line(&begins[0], n, i)
                offsets[key] += 1
                if last_document[key] != document[i]:
                    last_document[key] = document[i]
                    df[key] += 1
        for key in range(2 * n):
            count = offsets[key] if df[key] >= min_df else 0
            offsets[key] = occurrence_count if count else -1
            occurrence_count += count
            candidate_count += count > 0
    cdef int64_t[::1] segment = np.empty(max(occurrence_count, 1), np.int64)
    cdef int64_t[::1] bounds = np.empty(candidate_count + 1, np.int64)
    cdef int32_t[::1] candidate_df = np.empty(max(candidate_count, 1), np.int32)
    with nogil:
        candidate_count = 0
        for key in range(2 * n):
            if offsets[key] >= 0:
                bounds[candidate_count] = offsets[key]
                candidate_df[candidate_count] = df[key]
                candidate_count += 1
        bounds[candidate_count] = occurrence_count
        for i in range(n):
            if string_df[i] >= min_df:
                key = 2 * <int64_t>string[i] + is_whole_line(&begins[0], n, i)
                if offsets[key] >= 0:
                    segment[offsets[key]] = i
                    offsets[key] += 1
    return np.asarray(segment)[:occurrence_count], np.asarray(bounds), np.asarray(candidate_df)[:candidate_count]


cdef struct LabelEntry:
    # An occurrence of a label, with the token by which the label is extended there.
    uint32_t token
    int32_t segment


cdef struct Level:
    # All labels of one length: label i occurs in ``entries[bounds[i]:bounds[i + 1]]``, in which segments ascend.
    LabelEntry* entries
    int32_t* bounds
    int32_t* shorter_count  # occurrences of the label that is one token shorter
    int32_t* longer_count   # occurrences of the most frequent label that is one token longer
    int32_t* df
    int32_t* group_bounds   # entries that share a label of the previous level
    int32_t* group_parent   # index of that label
    int64_t entry_count
    int64_t label_count
    int64_t group_count


cdef bint level_init(Level* level, int64_t n) noexcept nogil:
    """Allocate for n segments (pages that are never written to take no memory); returns False if that fails."""
    cdef size_t size = (n + 1) * sizeof(int32_t)
    level.entries = <LabelEntry*>malloc((n + 1) * sizeof(LabelEntry))
    level.bounds = <int32_t*>malloc(size)
    level.shorter_count = <int32_t*>malloc(size)
    level.longer_count = <int32_t*>malloc(size)
    level.df = <int32_t*>malloc(size)
    level.group_bounds = <int32_t*>malloc(size + sizeof(int32_t))
    level.group_parent = <int32_t*>malloc(size)
    level.entry_count = level.label_count = level.group_count = 0
    return (level.entries != NULL and level.bounds != NULL and level.shorter_count != NULL and level.longer_count != NULL
            and level.df != NULL and level.group_bounds != NULL and level.group_parent != NULL)


cdef void level_free(Level* level) noexcept nogil:
    free(level.entries)
    free(level.bounds)
    free(level.shorter_count)
    free(level.longer_count)
    free(level.df)
    free(level.group_bounds)
    free(level.group_parent)


cdef void sort_entries(LabelEntry* entries, LabelEntry* spare, int64_t n, uint32_t max_token) noexcept nogil:
    """Stable sort by token: insertion sort of a few entries, else radix sort.  `spare` is a buffer of n entries."""
    cdef int64_t i, k
    cdef int64_t[256] start
    cdef int64_t offset, count
    cdef LabelEntry entry
    cdef LabelEntry* source = entries
    cdef LabelEntry* target = spare
    cdef LabelEntry* swapped
    cdef int shift = 0
    if n <= 32:
        for i in range(1, n):
            entry = entries[i]
            k = i
            while k > 0 and entries[k - 1].token > entry.token:
                entries[k] = entries[k - 1]
                k -= 1
            entries[k] = entry
        return
    while shift == 0 or (shift < 32 and max_token >> shift):
        memset(start, 0, sizeof(start))
        for i in range(n):
            start[source[i].token >> shift & 255] += 1
        offset = 0
        for k in range(256):
            count = start[k]
            start[k] = offset
            offset += count
        for i in range(n):
            k = source[i].token >> shift & 255
            target[start[k]] = source[i]
            start[k] += 1
        swapped = source
        source = target
        target = swapped
        shift += 8
    if source != entries:
        memcpy(entries, source, n * sizeof(LabelEntry))


cdef struct Labels:
    # The labels that are kept, by columns.
    int64_t* segment
    int64_t* bounds
    int32_t* length
    int32_t* df
    float* longer
    float* shorter
    int64_t label_count
    int64_t occurrence_count


cdef void labels_free(Labels* out) noexcept nogil:
    free(out.segment)
    free(out.bounds)
    free(out.length)
    free(out.df)
    free(out.longer)
    free(out.shorter)


cdef int labels_reserve(Labels* out, int64_t label_count, int64_t occurrence_count) except -1 nogil:
    """Reserve memory for more labels, and for more occurrences."""
    # A capacity for each column, as `reserve` writes the new one to it.
    cdef int64_t capacity = 0
    reserve(<void**>&out.segment, &capacity, out.occurrence_count + occurrence_count, sizeof(int64_t))
    capacity = 0
    reserve(<void**>&out.bounds, &capacity, out.label_count + label_count + 1, sizeof(int64_t))
    capacity = 0
    reserve(<void**>&out.length, &capacity, out.label_count + label_count, sizeof(int32_t))
    capacity = 0
    reserve(<void**>&out.df, &capacity, out.label_count + label_count, sizeof(int32_t))
    capacity = 0
    reserve(<void**>&out.longer, &capacity, out.label_count + label_count, sizeof(float))
    capacity = 0
    reserve(<void**>&out.shorter, &capacity, out.label_count + label_count, sizeof(float))
    return 0


cdef inline bint is_label_kept(const Level* level, int64_t label, int64_t min_df, double max_share) noexcept nogil:
    """Whether a label is in enough documents, and no label a token longer has `max_share` of its occurrences."""
    return level.df[label] >= min_df and level.longer_count[label] < max_share * (level.bounds[label + 1] - level.bounds[label])


cdef int keep_labels(Labels* out, const Level* level, int32_t length, int64_t min_df, double max_share) except -1 nogil:
    """Append the labels of one level (of one length in tokens) that are to be kept to the columns."""
    cdef int64_t i, k, count, label_count = 0, occurrence_count = 0
    for i in range(level.label_count):
        if is_label_kept(level, i, min_df, max_share):
            label_count += 1
            occurrence_count += level.bounds[i + 1] - level.bounds[i]
    labels_reserve(out, label_count, occurrence_count)
    for i in range(level.label_count):
        if not is_label_kept(level, i, min_df, max_share):
            continue
        count = level.bounds[i + 1] - level.bounds[i]
        out.bounds[out.label_count] = out.occurrence_count
        out.length[out.label_count] = length
        out.df[out.label_count] = level.df[i]
        out.longer[out.label_count] = <float>(<double>level.longer_count[i] / <double>count)
        out.shorter[out.label_count] = <float>(<double>count / <double>max(level.shorter_count[i], 1))
        for k in range(level.bounds[i], level.bounds[i + 1]):
            out.segment[out.occurrence_count] = level.entries[k].segment
            out.occurrence_count += 1
        out.label_count += 1
    return 0


cdef void split_labels(Level* level, Level* previous, LabelEntry* spare, const int32_t* document, uint32_t max_token) noexcept nogil:
    """Split the groups of a level by the tokens of their entries: each part is a label, one token longer than its parent.

    `longer_count` of the previous level is updated; `spare` is a buffer for sorting.
    """
    cdef int64_t group, i, start, end, size, label_index = 0
    cdef int32_t last_document = -1
    for group in range(level.group_count):
        start, end = level.group_bounds[group], level.group_bounds[group + 1]
        sort_entries(level.entries + start, spare, end - start, max_token)
        for i in range(start, end):
            if i == start or level.entries[i].token != level.entries[i - 1].token:
                level.bounds[label_index] = <int32_t>i
                level.shorter_count[label_index] = <int32_t>(end - start)
                level.df[label_index] = level.longer_count[label_index] = 0
                if previous != NULL:
                    size = level.group_parent[group]
                    level.shorter_count[label_index] = previous.bounds[size + 1] - previous.bounds[size]
                label_index += 1
                last_document = -1
            if document[level.entries[i].segment] != last_document:
                last_document = document[level.entries[i].segment]
                level.df[label_index - 1] += 1
            if previous != NULL:
                size = i + 1 - level.bounds[label_index - 1]
                previous.longer_count[level.group_parent[group]] = max(previous.longer_count[level.group_parent[group]], <int32_t>size)
    level.label_count = label_index
    level.bounds[label_index] = <int32_t>level.entry_count


cdef void start_next_level(const Level* level, Level* longer, const int64_t* bounds, int64_t min_count, int64_t min_tokens) noexcept nogil:
    """Copy the entries that can be extended by a token to the next level, a group for each label.

    These are the ones of labels with at least `min_count` occurrences, in segments of more than `min_tokens` tokens.
    """
    cdef int64_t i, k, segment
    longer.entry_count = longer.group_count = 0
    longer.group_bounds[0] = 0
    for i in range(level.label_count):
        if level.bounds[i + 1] - level.bounds[i] < min_count:
            continue
        for k in range(level.bounds[i], level.bounds[i + 1]):
            segment = level.entries[k].segment
            if bounds[segment + 1] - bounds[segment] > min_tokens:
                longer.entries[longer.entry_count].segment = <int32_t>segment
                longer.entry_count += 1
        if longer.entry_count > longer.group_bounds[longer.group_count]:
            longer.group_parent[longer.group_count] = <int32_t>i
            longer.group_count += 1
            longer.group_bounds[longer.group_count] = <int32_t>longer.entry_count


cdef int _grow_labels(Labels* out, Level* levels, LabelEntry* spare, const int32_t* tokens, const int64_t* bounds,
                      const int32_t* document, uint32_t max_token, bint from_end, int32_t max_tokens, int64_t min_df,
                      double max_share) except -1 nogil:
    """Extend labels token by token from those of one token; those that are kept are appended to `out`.

    The two `levels` are used in turn; ``levels[1]`` holds the segments to search, as the entries of a single group.
    """
    cdef int64_t i, segment
    cdef int32_t length
    cdef Level* level
    cdef Level* previous = NULL
    for length in range(1, max_tokens + 2):
        level = levels + length % 2
        for i in range(level.entry_count):
            segment = level.entries[i].segment
            level.entries[i].token = <uint32_t>tokens[bounds[segment + 1] - length if from_end else bounds[segment] + length - 1]
        split_labels(level, previous, spare, document, max_token)
        if previous != NULL:
            keep_labels(out, previous, length - 1, min_df, max_share)
        if length > max_tokens or (previous != NULL and level.entry_count == 0):
            return 0
        previous = level
        # A label is shorter than its segment.  Labels of max_tokens + 1 tokens are only counted, for `longer_count`.
        start_next_level(level, levels + (length + 1) % 2, bounds, min_df, min(length + 1, max_tokens))
    return 0


def find_labels(const int32_t[::1] tokens not None, const int64_t[::1] bounds not None, const int32_t[::1] document not None,
                const int32_t[::1] string_df not None, int64_t min_repeat_df, bint from_end, int32_t max_tokens, int64_t min_df,
                double max_share):
    """Find the labels: prefixes (suffixes) that segments share which are not repeated as a whole.  Shortest first.

    Parameters
    ----------
    tokens, bounds, document, string_df
        See `segments.Segments`; documents ascend.
    min_repeat_df : int
        Segments in so many documents are left out, as are those of one token.
    from_end : bool
        Suffixes in place of prefixes.
    max_tokens, min_df : int
        Most tokens and least document frequency of a label.
    max_share : float
        A label is left out if one that is a token longer has at least this share of its occurrences.

    Returns
    -------
    segment : int64 array, shape (occurrences,)
        The segment of each occurrence, one label after the other, ascending within each.
    bounds : int64 array, shape (labels + 1,)
    length, df : int32 arrays, shape (labels,)
    longer, shorter : float32 arrays, shape (labels,)
        See `labels.Candidates`.
    """
    cdef int64_t n = document.shape[0], i
    check_bounds("bounds", &bounds[0] if bounds.shape[0] else NULL, bounds.shape[0], tokens.shape[0])
    if not n == bounds.shape[0] - 1 == string_df.shape[0]:
        raise ValueError(f"expected equal lengths, got {bounds.shape[0] - 1}, {n} and {string_df.shape[0]}")
    if not (1 <= max_tokens < 1 << 20 and min_df >= 1 and n < 2**31 - 1):
        raise ValueError("expected labels of a token and a document at least, in fewer than 2^31 - 1 segments")
    check_within("tokens", &tokens[0] if tokens.shape[0] else NULL, tokens.shape[0], 0, (<int64_t>1 << 31) - 1)
    check_within("document", &document[0] if n else NULL, n, 0, (<int64_t>1 << 31) - 1)
    cdef uint32_t max_token = 0
    cdef Level[2] levels
    cdef Labels out
    cdef LabelEntry* spare = <LabelEntry*>malloc((n + 1) * sizeof(LabelEntry))
    memset(&out, 0, sizeof(Labels))
    cdef bint is_allocated = level_init(&levels[0], n)
    is_allocated = level_init(&levels[1], n) and is_allocated and spare != NULL
    try:
        if not is_allocated:
            raise MemoryError
        with nogil:
            for i in range(tokens.shape[0]):
                max_token = max(max_token, <uint32_t>tokens[i])
            for i in range(n):
                if string_df[i] < min_repeat_df and bounds[i + 1] - bounds[i] > 1:
                    levels[1].entries[levels[1].entry_count].segment = <int32_t>i
                    levels[1].entry_count += 1
            levels[1].group_bounds[0] = 0
            levels[1].group_bounds[1] = <int32_t>levels[1].entry_count
            levels[1].group_count = levels[1].entry_count > 0
            labels_reserve(&out, 1, 1)
            _grow_labels(&out, levels, spare, &tokens[0] if tokens.shape[0] else NULL, &bounds[0], &document[0] if n else NULL,
                         max_token, from_end, max_tokens, min_df, max_share)
            out.bounds[out.label_count] = out.occurrence_count
        return (move_to_array(<void**>&out.segment, out.occurrence_count * sizeof(int64_t), np.int64),
                copy_to_array(out.bounds, (out.label_count + 1) * sizeof(int64_t), np.int64),
                copy_to_array(out.length, out.label_count * sizeof(int32_t), np.int32),
                copy_to_array(out.df, out.label_count * sizeof(int32_t), np.int32),
                copy_to_array(out.longer, out.label_count * sizeof(float), np.float32),
                copy_to_array(out.shorter, out.label_count * sizeof(float), np.float32))
    finally:
        free(spare)
        level_free(&levels[0])
        level_free(&levels[1])
        labels_free(&out)


cdef struct SegmentRecord:
    # A segment, with prefix sums over all segments of the source that precede it.
    int64_t byte_sum        # bytes of their tokens
    uint32_t capital_sum    # tokens that begin with a capital letter; modulo 2^32, as only differences are used
    uint32_t mutable_sum    # tokens with a mutable pattern; modulo 2^32
    int32_t line_index      # segments of its line that precede it
    int32_t line_rest       # segments of its line from it on, itself included
    int32_t document
    int32_t string
    int32_t df
    int32_t length
    uint32_t flags


cdef enum:
    LINE_START = 1                  # flags of segments: it begins its line
    LINE_END = 2                    # it ends its line
    CLAUSE_END = 4                  # its last token closes something, or ends a sentence
    PAUSE_END = 8                   # the same, or its last token ends with a colon
    SENTENCE_END = 16               # its last token ends a sentence
    CONTINUES = 32                  # its first token continues the text before it
    LOG_TABLE_SIZE = 65536          # numbers from 0 on whose logarithms are looked up
    LEAF_SIZE = 128                 # values that are added up in a row in pairwise summation, as in numpy
    MAX_SEARCH_TOKENS = 12          # a longer segment is searched for by its first tokens
    NEAR_SEGMENTS = 3               # a segment is near an end of its document if fewer segments are between
    TENTHS = 10
    KIND_SEGMENT = 0                # indices of `labels.KINDS`
    KIND_PREFIX = 1
    KIND_SUFFIX = 2


cdef enum:
    # Values that are averaged over occurrences, added up in the order of numpy (`_sum_values`); V_X_2 is the square of V_X.
    V_POSITION, V_POSITION_2, V_EDGE, V_FROM_START, V_FROM_END, V_SEGMENT, V_LINE, V_BEFORE_DF, V_AFTER_DF, V_BEFORE_TOKENS
    V_AFTER_TOKENS
    V_COMMON                # number of those that segments have too; the others are of labels only
    V_FILL = V_COMMON
    V_FILL_2, V_FILL_CHARACTERS, V_FILL_CAPITALS, V_FILL_MUTABLE, V_REST, V_REST_2, V_REST_CAPITALS, V_REST_SEGMENTS
    VALUE_COUNT


cdef enum:
    # Occurrences that are counted.
    C_ALONE, C_BEGINS, C_ENDS, C_FIRST, C_LAST, C_NEAR, C_CLOSED, C_BEFORE_REPEATS, C_AFTER_REPEATS, C_BESIDE, C_IN_PROSE
    C_BEFORE_CLOSED, C_BEFORE_OPEN, C_GOES_ON, C_TORN
    C_CAPITAL_BESIDE, C_SMALL_BESIDE, C_MUTABLE_BESIDE, C_REST_CLOSED
    COUNTER_COUNT


cdef enum:
    # The features, in the order of `features.FEATURES`: F_COMMON that all kinds have, then those of segments or of labels.
    F_DOCUMENTS, F_SHARE, F_EACH, F_SPAN, F_DENSE, F_BUSIEST
    F_ALONE, F_BEGINS, F_ENDS, F_POSITION, F_POSITION_SD, F_EDGE, F_FROM_START, F_FROM_END, F_FIRST, F_LAST, F_NEAR
    F_SEGMENT, F_LINE, F_CLOSED, F_BEFORE_DF, F_AFTER_DF, F_BEFORE_REPEATS, F_AFTER_REPEATS, F_BESIDE, F_IN_PROSE
    F_BEFORE_SAME, F_AFTER_SAME, F_BEFORE_TOKENS, F_AFTER_TOKENS, F_BEFORE_CLOSED, F_BEFORE_OPEN, F_GOES_ON, F_TORN
    F_TOKENS, F_CHARACTERS, F_INFORMATION, F_BITS, F_CAPITALS, F_MUTABLE, F_FIGURES, F_SMALL, F_SCRIPT
    F_SMALL_FIRST, F_CAPITAL_FIRST, F_COLON_LAST, F_CLOSED_LAST, F_SENTENCE_LAST, F_OWN
    F_COMMON
    F_STRING_SHARE = F_COMMON
    SEGMENT_FEATURES
    F_LONGER = F_COMMON
    F_SHORTER, F_SAME_BESIDE, F_KINDS_BESIDE, F_CAPITAL_BESIDE, F_SMALL_BESIDE, F_MUTABLE_BESIDE
    F_FILL, F_FILL_SD, F_FILL_CHARACTERS, F_FILL_CAPITALS, F_FILL_MUTABLE
    F_REST, F_REST_SD, F_REST_CAPITALS, F_REST_CLOSED, F_REST_SEGMENTS, F_EDGE_OWN, F_LIFT
    LABEL_FEATURES


cdef struct Candidate:
    # A candidate, with counts over its own tokens.
    int kind
    int64_t length
    int64_t byte_count
    int64_t capital_count
    int64_t mutable_count
    double information          # in bits
    int64_t figure_count
    int64_t small_count
    int64_t spaceless_count     # characters of scripts without spaces


cdef class FeatureExtractor:
    """Computes the features of the candidates of one source.

    Parameters
    ----------
    tokens, doc_tokens, bounds, document, begins, string, string_df, traits
        See `segments.Segments`; documents ascend.
    counts : int64 array, shape (forms,)
        Occurrences of each form, 1 at least.
    information : float64 array, shape (forms,)
        Information of each form, in bits.
    arena, offsets : uint8 and int64 arrays
        Form f is ``arena[offsets[f]:offsets[f + 1]]``.
    continuations : bytes
        First bytes of forms that continue the text before them, besides small letters.
    date_low, date_high : int64 arrays, shape (documents,)
        Number of documents from before the day of each, and from that day or before.
    min_repeat_df : int
        A segment in so many documents counts as repeated.
    """

    cdef const int32_t[::1] tokens
    cdef const int64_t[::1] doc_tokens, bounds, counts, date_low, date_high, offsets
    cdef const uint16_t[::1] traits
    cdef const double[::1] information
    cdef int64_t[::1] doc_segments, string_counts
    cdef double[::1] log_table
    cdef SegmentRecord* records
    cdef int64_t n, documents, min_repeat_df
    cdef double max_log_df

    def __cinit__(self, const int32_t[::1] tokens not None, const int64_t[::1] doc_tokens not None,
                  const int64_t[::1] bounds not None, const int32_t[::1] document not None, const uint8_t[::1] begins not None,
                  const int32_t[::1] string not None, const int32_t[::1] string_df not None, const uint16_t[::1] traits not None,
                  const int64_t[::1] counts not None, const double[::1] information not None, const uint8_t[::1] arena not None,
                  const int64_t[::1] offsets not None, bytes continuations not None, const int64_t[::1] date_low not None,
                  const int64_t[::1] date_high not None, int64_t min_repeat_df):
        cdef int64_t n = document.shape[0], forms = traits.shape[0], documents = doc_tokens.shape[0] - 1, i
        check_within("tokens", &tokens[0] if tokens.shape[0] else NULL, tokens.shape[0], 0, forms)
        check_bounds("doc_tokens", &doc_tokens[0] if doc_tokens.shape[0] else NULL, doc_tokens.shape[0], tokens.shape[0])
        check_bounds("bounds", &bounds[0] if bounds.shape[0] else NULL, bounds.shape[0], tokens.shape[0])
        check_bounds("offsets", &offsets[0] if offsets.shape[0] else NULL, offsets.shape[0], arena.shape[0])
        check_within("document", &document[0] if n else NULL, n, 0, documents)
        check_within("string", &string[0] if n else NULL, n, 0, n)
        if not n == bounds.shape[0] - 1 == begins.shape[0] == string.shape[0] == string_df.shape[0]:
            raise ValueError("expected equal lengths of the columns of segments")
        if not forms == counts.shape[0] == information.shape[0] == offsets.shape[0] - 1:
            raise ValueError("expected equal lengths of the columns of forms")
        if not documents == date_low.shape[0] == date_high.shape[0]:
            raise ValueError("expected equal lengths of the columns of documents")
        if n >= 2**31 - 1:
            raise ValueError(f"expected fewer than 2^31 - 1 segments, got {n}")
        for i in range(n):
            if bounds[i] == bounds[i + 1] or bounds[i + 1] - bounds[i] > 2**31 - 1:
                raise ValueError(f"bounds: expected 1 to 2^31 - 1 tokens of each segment, got {bounds[i + 1] - bounds[i]} at place {i}")
            if i and (document[i] < document[i - 1] or (document[i] > document[i - 1] and not begins[i])):
                raise ValueError(f"document: expected ascending ones that begin with a line, got another at place {i}")
        if n and not begins[0]:
            raise ValueError("begins: expected the first segment to begin a line")
        self.tokens, self.doc_tokens, self.bounds, self.counts = tokens, doc_tokens, bounds, counts
        self.date_low, self.date_high, self.offsets, self.traits, self.information = date_low, date_high, offsets, traits, information
        self.n, self.documents, self.min_repeat_df = n, documents, min_repeat_df
        self.doc_segments = np.searchsorted(np.asarray(document), np.arange(documents + 1)).astype(np.int64, copy=False)
        self.string_counts = np.zeros(max(n, 1), np.int64)
        # Logarithms of numpy, as those of C differ in the last bit.
        self.log_table = _log_table()
        self.max_log_df = np.log2(documents + 1)
        self.records = <SegmentRecord*>malloc((n + 1) * sizeof(SegmentRecord))
        if self.records == NULL:
            raise MemoryError
        cdef uint8_t[256] continues
        memset(continues, 0, 256)
        for i in range(len(continuations)):
            continues[<uint8_t>continuations[i]] = 1
        with nogil:
            self._fill_records(document, begins, string, string_df, arena, continues)

    def __dealloc__(self):
        free(self.records)

    cdef void _fill_records(self, const int32_t[::1] document, const uint8_t[::1] begins, const int32_t[::1] string,
                            const int32_t[::1] string_df, const uint8_t[::1] arena, const uint8_t* continues) noexcept nogil:
        cdef int64_t i, k, byte_sum = 0, line_start = 0
        cdef uint32_t capital_sum = 0, mutable_sum = 0
        cdef int32_t token
        cdef uint16_t trait
        cdef SegmentRecord* record
        for i in range(self.n):
            record = self.records + i
            record.byte_sum, record.capital_sum, record.mutable_sum = byte_sum, capital_sum, mutable_sum
            for k in range(self.bounds[i], self.bounds[i + 1]):
                token = self.tokens[k]
                trait = self.traits[token]
                byte_sum += self.offsets[token + 1] - self.offsets[token]
                capital_sum += trait & CAPITAL > 0
                mutable_sum += trait & MUTABLE > 0
            record.document, record.string, record.df = document[i], string[i], string_df[i]
            record.length = <int32_t>(self.bounds[i + 1] - self.bounds[i])
            self.string_counts[record.string] += 1
            record.flags = (SENTENCE_END if trait & SENTENCE else 0) | (CLAUSE_END | PAUSE_END if trait & (SENTENCE | CLAUSE) else 0)
            record.flags |= (PAUSE_END if trait & COLON else 0) | (LINE_START if begins[i] else 0)
            record.flags |= LINE_END if i + 1 == self.n or begins[i + 1] != 0 else 0
            token = self.tokens[self.bounds[i]]
            if self.traits[token] & SMALL or (self.offsets[token + 1] > self.offsets[token] and continues[arena[self.offsets[token]]]):
                record.flags |= CONTINUES
            if begins[i]:
                line_start = i
            record.line_index = <int32_t>(i - line_start)
            if record.flags & LINE_END:
                for k in range(line_start, i + 1):
                    self.records[k].line_rest = <int32_t>(i + 1 - k)
        self.records[self.n].byte_sum, self.records[self.n].capital_sum = byte_sum, capital_sum
        self.records[self.n].mutable_sum = mutable_sum

    cdef inline double _log2(self, int64_t value) noexcept nogil:
        return self.log_table[value] if value < LOG_TABLE_SIZE else log2(<double>value)

    cdef inline int64_t _find_start(self, int kind, int64_t segment, int64_t length) noexcept nogil:
        """Position in the tokens where a candidate of `length` tokens begins in one of its segments."""
        return self.bounds[segment + 1] - length if kind == KIND_SUFFIX else self.bounds[segment]

    def locate_search_strings(self, int kind, const int64_t[::1] segment not None, const int64_t[::1] bounds not None,
                              const int32_t[::1] length not None):
        """The strings by which candidates are searched for in the whole source: int64 array of their positions in the
        tokens, and int32 array of their lengths.

        A candidate is searched for by itself, a segment of more than `MAX_SEARCH_TOKENS` tokens by its first ones.
        """
        self._check_candidates(kind, segment, bounds, length)
        cdef int64_t n = length.shape[0], i
        cdef int64_t[::1] starts = np.empty(max(n, 1), np.int64)
        cdef int32_t[::1] sizes = np.empty(max(n, 1), np.int32)
        for i in range(n):
            starts[i] = self._find_start(kind, segment[bounds[i]], length[i])
            sizes[i] = min(length[i], MAX_SEARCH_TOKENS) if kind == KIND_SEGMENT else length[i]
        return np.asarray(starts)[:n], np.asarray(sizes)[:n]

    cdef int _check_candidates(self, int kind, const int64_t[::1] segment, const int64_t[::1] bounds, const int32_t[::1] length) except -1:
        cdef int64_t n = length.shape[0], i, k, size
        if not KIND_SEGMENT <= kind <= KIND_SUFFIX:
            raise ValueError(f"kind: expected 0 to 2, got {kind}")
        check_within("segment", &segment[0] if segment.shape[0] else NULL, segment.shape[0], 0, self.n)
        check_bounds("bounds", &bounds[0] if bounds.shape[0] else NULL, bounds.shape[0], segment.shape[0])
        if bounds.shape[0] != n + 1:
            raise ValueError(f"expected equal lengths, got {n} and {bounds.shape[0] - 1}")
        for i in range(n):
            if bounds[i] == bounds[i + 1]:
                raise ValueError(f"candidate {i}: expected an occurrence at least, got none")
            for k in range(bounds[i], bounds[i + 1]):
                size = self.bounds[segment[k] + 1] - self.bounds[segment[k]]
                if not 1 <= length[i] <= size - (kind != KIND_SEGMENT) or (kind == KIND_SEGMENT and length[i] != size):
                    raise ValueError(f"candidate {i}: expected it within each of its segments, got {length[i]} of {size} tokens")
        return 0

    def compute(self, int kind, const int64_t[::1] segment not None, const int64_t[::1] bounds not None,
                const int32_t[::1] length not None, const int32_t[::1] df not None, const float[::1] longer not None,
                const float[::1] shorter not None, const int64_t[::1] source_count not None):
        """Compute the features of candidates of one kind: float32 array, shape (candidates, features).  O(occurrences).

        Parameters
        ----------
        kind : int
            Index in `labels.KINDS`.
        segment, bounds, length, df, longer, shorter
            See `labels.Candidates`.
        source_count : int64 array, shape (candidates,)
            How often the string of `locate_search_strings` occurs in the source.
        """
        cdef int64_t n = length.shape[0], i, width = SEGMENT_FEATURES if kind == KIND_SEGMENT else LABEL_FEATURES
        self._check_candidates(kind, segment, bounds, length)
        if not n == df.shape[0] == longer.shape[0] == shorter.shape[0] == source_count.shape[0]:
            raise ValueError("expected equal lengths of the columns of candidates")
        out = np.zeros((n, width), np.float32)
        cdef float[:, ::1] rows = out
        cdef int64_t tally_size = max(self.n + 1, self.traits.shape[0])
        cdef int32_t* tally = <int32_t*>calloc(tally_size + 1, sizeof(int32_t))
        if tally == NULL:
            raise MemoryError
        with nogil:
            for i in range(n):
                self._compute_row(kind, &segment[bounds[i]], bounds[i + 1] - bounds[i], length[i], df[i], longer[i], shorter[i],
                                  source_count[i], tally, &rows[i, 0])
        free(tally)
        return out

    cdef void _compute_row(self, int kind, const int64_t* occurrences, int64_t n, int64_t length, int64_t df, float longer, float shorter,
                           int64_t source_count, int32_t* tally, float* row) noexcept nogil:
        """Compute the features of one candidate.  `occurrences` are n segments; `tally` is 0 before and after."""
        cdef Candidate candidate
        cdef double[VALUE_COUNT] sums
        cdef double[VALUE_COUNT] others
        cdef int64_t[COUNTER_COUNT] counts
        cdef int v, value_count = V_COMMON if kind == KIND_SEGMENT else VALUE_COUNT
        self._sum_tokens(kind, occurrences[0], length, &candidate)
        memset(counts, 0, sizeof(counts))
        # In the order of numpy: the first occurrence, and the sum of the others.
        self._sum_values(&candidate, occurrences, 1, sums, counts)
        if n > 1:
            self._sum_values(&candidate, occurrences + 1, n - 1, others, counts)
            for v in range(value_count):
                sums[v] += others[v]
        for v in range(value_count):
            sums[v] /= n
        self._write_document_features(occurrences, n, df, tally, row)
        self._write_position_features(sums, counts, n, row)
        self._write_neighbour_features(occurrences, n, sums, counts, tally, row)
        self._write_token_features(&candidate, occurrences[0], n, source_count, row)
        if kind == KIND_SEGMENT:
            row[F_STRING_SHARE] = <float>log2(<double>self.records[occurrences[0]].df / self.documents)
        else:
            self._write_label_features(&candidate, occurrences, n, longer, shorter, counts, tally, row)
            self._write_fill_features(sums, counts, n, row)

    cdef void _sum_tokens(self, int kind, int64_t segment, int64_t length, Candidate* candidate) noexcept nogil:
        cdef int64_t start = self._find_start(kind, segment, length), k
        cdef int32_t token
        cdef uint16_t trait
        memset(candidate, 0, sizeof(Candidate))
        candidate.kind, candidate.length = kind, length
        for k in range(start, start + length):
            token = self.tokens[k]
            trait = self.traits[token]
            candidate.information += self.information[token]
            candidate.byte_count += self.offsets[token + 1] - self.offsets[token]
            candidate.capital_count += trait & CAPITAL > 0
            candidate.mutable_count += trait & MUTABLE > 0
            candidate.figure_count += trait & FIGURE > 0
            candidate.small_count += trait & SMALL > 0
            candidate.spaceless_count += trait & OWN > 0

    cdef void _sum_values(self, const Candidate* candidate, const int64_t* occurrences, int64_t n, double* sums,
                          int64_t* counts) noexcept nogil:
        """Sum each value over n occurrences, pairwise in the order of numpy (Higham 1993), and add to the counts."""
        cdef double[VALUE_COUNT * LEAF_SIZE] values
        cdef double[VALUE_COUNT] second_half
        cdef int v, value_count = V_COMMON if candidate.kind == KIND_SEGMENT else VALUE_COUNT
        cdef int64_t half
        if n <= LEAF_SIZE:
            self._collect_values(candidate, occurrences, n, values, counts)
            for v in range(value_count):
                sums[v] = sum_leaf(values + v * LEAF_SIZE, n)
            return
        half = n // 2 - n // 2 % 8
        self._sum_values(candidate, occurrences, half, sums, counts)
        self._sum_values(candidate, occurrences + half, n - half, second_half, counts)
        for v in range(value_count):
            sums[v] += second_half[v]

    cdef void _collect_values(self, const Candidate* candidate, const int64_t* occurrences, int64_t n, double* values,
                              int64_t* counts) noexcept nogil:
        """Compute the values of n occurrences, at most `LEAF_SIZE`, and add to the counts."""
        cdef int64_t i, segment, doc_first, doc_last, before_count, after_count, doc_length, before_df, after_df
        cdef const SegmentRecord* record
        cdef bint has_before, has_after, previous_closed, previous_open, next_continues
        cdef double position
        cdef uint32_t flags
        for i in range(n):
            segment = occurrences[i]
            record = self.records + segment
            flags = record.flags
            doc_first, doc_last = self.doc_segments[record.document], self.doc_segments[record.document + 1] - 1
            before_count, after_count = segment - doc_first, doc_last - segment
            doc_length = self.doc_tokens[record.document + 1] - self.doc_tokens[record.document]
            position = <double>(self.bounds[segment] - self.doc_tokens[record.document]) / max(doc_length, 1)
            values[V_POSITION * LEAF_SIZE + i] = position
            values[V_POSITION_2 * LEAF_SIZE + i] = position * position
            values[V_EDGE * LEAF_SIZE + i] = min(position, 1 - position)
            values[V_FROM_START * LEAF_SIZE + i] = self._log2(1 + before_count)
            values[V_FROM_END * LEAF_SIZE + i] = self._log2(1 + after_count)
            values[V_SEGMENT * LEAF_SIZE + i] = self._log2(record.length)
            values[V_LINE * LEAF_SIZE + i] = self._log2(self.bounds[segment + record.line_rest] - self.bounds[segment - record.line_index])
            counts[C_ALONE] += flags & (LINE_START | LINE_END) == (LINE_START | LINE_END)
            counts[C_BEGINS] += flags & LINE_START > 0
            counts[C_ENDS] += flags & LINE_END > 0
            counts[C_FIRST] += before_count == 0
            counts[C_LAST] += after_count == 0
            counts[C_NEAR] += min(before_count, after_count) < NEAR_SEGMENTS
            counts[C_CLOSED] += flags & CLAUSE_END > 0
            has_before, has_after = before_count > 0, after_count > 0
            before_df = (record - 1).df if has_before else 0
            after_df = (record + 1).df if has_after else 0
            values[V_BEFORE_DF * LEAF_SIZE + i] = self._log2(max(before_df, 1)) / self.max_log_df if has_before else 1
            values[V_AFTER_DF * LEAF_SIZE + i] = self._log2(max(after_df, 1)) / self.max_log_df if has_after else 1
            values[V_BEFORE_TOKENS * LEAF_SIZE + i] = self._log2((record - 1).length) if has_before else 0
            values[V_AFTER_TOKENS * LEAF_SIZE + i] = self._log2((record + 1).length) if has_after else 0
            counts[C_BEFORE_REPEATS] += before_df >= self.min_repeat_df or not has_before
            counts[C_AFTER_REPEATS] += after_df >= self.min_repeat_df or not has_after
            counts[C_BESIDE] += before_df >= self.min_repeat_df or after_df >= self.min_repeat_df
            counts[C_IN_PROSE] += has_before and has_after and before_df < self.min_repeat_df and after_df < self.min_repeat_df
            previous_closed = has_before and (record - 1).flags & CLAUSE_END != 0
            previous_open = has_before and (record - 1).flags & PAUSE_END == 0
            next_continues = has_after and (record + 1).flags & CONTINUES != 0
            counts[C_BEFORE_CLOSED] += previous_closed or not has_before
            counts[C_BEFORE_OPEN] += previous_open
            counts[C_GOES_ON] += next_continues
            counts[C_TORN] += next_continues and previous_open
            if candidate.kind != KIND_SEGMENT:
                self._collect_fill_values(candidate, segment, i, values, counts)

    cdef inline void _collect_fill_values(self, const Candidate* candidate, int64_t segment, int64_t i, double* values,
                                          int64_t* counts) noexcept nogil:
        """The same for the fill: the rest of the segment and of the line, of a label.  `i` is the index of the occurrence."""
        cdef const SegmentRecord* record = self.records + segment
        cdef int64_t fill_tokens = record.length - candidate.length, rest_begin, rest_end, rest_tokens
        cdef uint16_t adjacent_trait
        cdef double value = self._log2(fill_tokens)
        values[V_FILL * LEAF_SIZE + i] = value
        values[V_FILL_2 * LEAF_SIZE + i] = value * value
        values[V_FILL_CHARACTERS * LEAF_SIZE + i] = self._log2(1 + (record + 1).byte_sum - record.byte_sum - candidate.byte_count)
        values[V_FILL_CAPITALS * LEAF_SIZE + i] = (
            <double>(<int64_t>((record + 1).capital_sum - record.capital_sum) - candidate.capital_count) / fill_tokens
        )
        values[V_FILL_MUTABLE * LEAF_SIZE + i] = (
            <double>(<int64_t>((record + 1).mutable_sum - record.mutable_sum) - candidate.mutable_count) / fill_tokens
        )
        rest_begin = segment if candidate.kind == KIND_PREFIX else segment - record.line_index
        rest_end = segment + record.line_rest if candidate.kind == KIND_PREFIX else segment + 1
        value = self._log2(1 + self.records[rest_end].byte_sum - self.records[rest_begin].byte_sum - candidate.byte_count)
        values[V_REST * LEAF_SIZE + i] = value
        values[V_REST_2 * LEAF_SIZE + i] = value * value
        rest_tokens = self.bounds[rest_end] - self.bounds[rest_begin] - candidate.length
        values[V_REST_CAPITALS * LEAF_SIZE + i] = (
            <double>(<int64_t><uint32_t>(self.records[rest_end].capital_sum - self.records[rest_begin].capital_sum)
                     - candidate.capital_count) / max(rest_tokens, 1)
        )
        values[V_REST_SEGMENTS * LEAF_SIZE + i] = self._log2(rest_end - rest_begin)
        counts[C_REST_CLOSED] += (
            self.records[rest_end - 1].flags & SENTENCE_END > 0 if candidate.kind == KIND_PREFIX else record.flags & LINE_START > 0
        )
        adjacent_trait = self.traits[self.tokens[
            self.bounds[segment] + candidate.length if candidate.kind == KIND_PREFIX
            else self.bounds[segment + 1] - candidate.length - 1
        ]]
        counts[C_CAPITAL_BESIDE] += adjacent_trait & (CAPITAL | VALUE) > 0
        counts[C_SMALL_BESIDE] += adjacent_trait & SMALL > 0
        counts[C_MUTABLE_BESIDE] += adjacent_trait & MUTABLE > 0

    cdef void _write_document_features(self, const int64_t* occurrences, int64_t n, int64_t df, int32_t* tally, float* row) noexcept nogil:
        """Features of how many documents have the candidate, and from when they are."""
        cdef int64_t i, low = self.date_low[self.records[occurrences[0]].document], high = 0, busiest = 0, span, tenth
        cdef int32_t document
        cdef int64_t[TENTHS + 2] tenths
        memset(tenths, 0, sizeof(tenths))
        for i in range(n):
            document = self.records[occurrences[i]].document
            low = min(low, self.date_low[document])
            high = max(high, self.date_high[document])
            tenth = (self.date_low[document] + self.date_high[document]) * TENTHS // (2 * self.documents)
            tenth = min(max(tenth, 0), TENTHS + 1)
            tenths[tenth] += 1
            busiest = max(busiest, tenths[tenth])
        span = max(high - low, 1)
        row[F_DOCUMENTS] = <float>self._log2(df)
        row[F_SHARE] = <float>log2(<double>df / self.documents)
        row[F_EACH] = <float>log2(<double>n / df)
        row[F_SPAN] = <float>(<double>span / self.documents)
        row[F_DENSE] = <float>log2(<double>df / span)
        row[F_BUSIEST] = <float>(<double>busiest / n)

    cdef void _write_position_features(self, const double* mean, const int64_t* counts, int64_t n, float* row) noexcept nogil:
        """Features of the position in line and document."""
        row[F_ALONE] = <float>(<double>counts[C_ALONE] / n)
        row[F_BEGINS] = <float>(<double>counts[C_BEGINS] / n)
        row[F_ENDS] = <float>(<double>counts[C_ENDS] / n)
        row[F_POSITION] = <float>mean[V_POSITION]
        row[F_POSITION_SD] = <float>standard_deviation(mean[V_POSITION], mean[V_POSITION_2])
        row[F_EDGE] = <float>mean[V_EDGE]
        row[F_FROM_START] = <float>mean[V_FROM_START]
        row[F_FROM_END] = <float>mean[V_FROM_END]
        row[F_FIRST] = <float>(<double>counts[C_FIRST] / n)
        row[F_LAST] = <float>(<double>counts[C_LAST] / n)
        row[F_NEAR] = <float>(<double>counts[C_NEAR] / n)
        row[F_SEGMENT] = <float>mean[V_SEGMENT]
        row[F_LINE] = <float>mean[V_LINE]

    cdef void _write_neighbour_features(self, const int64_t* occurrences, int64_t n, const double* mean, const int64_t* counts,
                                        int32_t* tally, float* row) noexcept nogil:
        """Features of the segments before and after it."""
        cdef int64_t i, max_count = 0, string
        row[F_CLOSED] = <float>(<double>counts[C_CLOSED] / n)
        row[F_BEFORE_DF] = <float>mean[V_BEFORE_DF]
        row[F_AFTER_DF] = <float>mean[V_AFTER_DF]
        row[F_BEFORE_REPEATS] = <float>(<double>counts[C_BEFORE_REPEATS] / n)
        row[F_AFTER_REPEATS] = <float>(<double>counts[C_AFTER_REPEATS] / n)
        row[F_BESIDE] = <float>(<double>counts[C_BESIDE] / n)
        row[F_IN_PROSE] = <float>(<double>counts[C_IN_PROSE] / n)
        row[F_BEFORE_TOKENS] = <float>mean[V_BEFORE_TOKENS]
        row[F_AFTER_TOKENS] = <float>mean[V_AFTER_TOKENS]
        row[F_BEFORE_CLOSED] = <float>(<double>counts[C_BEFORE_CLOSED] / n)
        row[F_BEFORE_OPEN] = <float>(<double>counts[C_BEFORE_OPEN] / n)
        row[F_GOES_ON] = <float>(<double>counts[C_GOES_ON] / n)
        row[F_TORN] = <float>(<double>counts[C_TORN] / n)
        for i in range(n):
            string = self._previous_string(occurrences[i])
            tally[string] += 1
            max_count = max(max_count, <int64_t>tally[string])
        for i in range(n):
            tally[self._previous_string(occurrences[i])] = 0
        row[F_BEFORE_SAME] = <float>(<double>max_count / n)
        max_count = 0
        for i in range(n):
            string = self._next_string(occurrences[i])
            tally[string] += 1
            max_count = max(max_count, <int64_t>tally[string])
        for i in range(n):
            tally[self._next_string(occurrences[i])] = 0
        row[F_AFTER_SAME] = <float>(<double>max_count / n)

    cdef inline int64_t _previous_string(self, int64_t segment) noexcept nogil:
        """1 + the string of the previous segment in the document, 0 if there is none."""
        return 1 + <int64_t>self.records[segment - 1].string if segment > self.doc_segments[self.records[segment].document] else 0

    cdef inline int64_t _next_string(self, int64_t segment) noexcept nogil:
        """1 + the string of the next segment in the document, 0 if there is none."""
        return 1 + <int64_t>self.records[segment + 1].string if segment + 1 < self.doc_segments[self.records[segment].document + 1] else 0

    cdef void _write_token_features(self, const Candidate* candidate, int64_t segment, int64_t n, int64_t source_count,
                                    float* row) noexcept nogil:
        """Features of the tokens of the candidate, which are the same in all its occurrences."""
        cdef double tokens = candidate.length
        cdef int64_t start = self._find_start(candidate.kind, segment, candidate.length)
        cdef uint16_t first_trait = self.traits[self.tokens[start]], last_trait = self.traits[self.tokens[start + candidate.length - 1]]
        if candidate.kind == KIND_SEGMENT:
            n = self.string_counts[self.records[segment].string]
        row[F_TOKENS] = <float>self._log2(candidate.length)
        row[F_CHARACTERS] = <float>self._log2(1 + candidate.byte_count)
        row[F_INFORMATION] = <float>log2(1 + candidate.information)
        row[F_BITS] = <float>(candidate.information / tokens)
        row[F_CAPITALS] = <float>(candidate.capital_count / tokens)
        row[F_MUTABLE] = <float>(candidate.mutable_count / tokens)
        row[F_FIGURES] = <float>(candidate.figure_count / tokens)
        row[F_SMALL] = <float>(candidate.small_count / tokens)
        row[F_SCRIPT] = <float>(candidate.spaceless_count / tokens)
        row[F_SMALL_FIRST] = first_trait & SMALL > 0
        row[F_CAPITAL_FIRST] = first_trait & CAPITAL > 0
        row[F_COLON_LAST] = last_trait & COLON > 0
        row[F_CLOSED_LAST] = last_trait & (CLAUSE | SENTENCE) > 0
        row[F_SENTENCE_LAST] = last_trait & SENTENCE > 0
        row[F_OWN] = <float>min(1.0, <double>n / max(source_count, 1))

    cdef void _write_label_features(self, const Candidate* candidate, const int64_t* occurrences, int64_t n, float longer, float shorter,
                                    const int64_t* counts, int32_t* tally, float* row) noexcept nogil:
        """Features of a label among shorter and longer ones, and of the tokens next to it in its segments."""
        cdef int64_t i, max_count = 0, distinct = 0, start
        cdef int32_t token
        cdef double edge_count
        row[F_LONGER] = longer
        row[F_SHORTER] = shorter
        for i in range(n):
            token = self.tokens[self._adjacent_token(candidate, occurrences[i])]
            distinct += tally[token] == 0
            tally[token] += 1
            max_count = max(max_count, <int64_t>tally[token])
        for i in range(n):
            tally[self.tokens[self._adjacent_token(candidate, occurrences[i])]] = 0
        row[F_SAME_BESIDE] = <float>(<double>max_count / n)
        row[F_KINDS_BESIDE] = <float>(<double>distinct / n)
        row[F_CAPITAL_BESIDE] = <float>(<double>counts[C_CAPITAL_BESIDE] / n)
        row[F_SMALL_BESIDE] = <float>(<double>counts[C_SMALL_BESIDE] / n)
        row[F_MUTABLE_BESIDE] = <float>(<double>counts[C_MUTABLE_BESIDE] / n)
        start = self._find_start(candidate.kind, occurrences[0], candidate.length)
        edge_count = self.counts[self.tokens[start + candidate.length - 1 if candidate.kind == KIND_PREFIX else start]]
        row[F_EDGE_OWN] = <float>min(1.0, n / edge_count)
        row[F_LIFT] = 20
        if candidate.length > 1:
            row[F_LIFT] = <float>log2(<double>max(<float>1e-9, shorter) / (edge_count / max(self.tokens.shape[0], 1)))

    cdef inline int64_t _adjacent_token(self, const Candidate* candidate, int64_t segment) noexcept nogil:
        return self.bounds[segment] + candidate.length if candidate.kind == KIND_PREFIX else self.bounds[segment + 1] - candidate.length - 1

    cdef void _write_fill_features(self, const double* mean, const int64_t* counts, int64_t n, float* row) noexcept nogil:
        """Features of the fill: the rest of the segment and of the line."""
        row[F_FILL] = <float>mean[V_FILL]
        row[F_FILL_SD] = <float>standard_deviation(mean[V_FILL], mean[V_FILL_2])
        row[F_FILL_CHARACTERS] = <float>mean[V_FILL_CHARACTERS]
        row[F_FILL_CAPITALS] = <float>mean[V_FILL_CAPITALS]
        row[F_FILL_MUTABLE] = <float>mean[V_FILL_MUTABLE]
        row[F_REST] = <float>mean[V_REST]
        row[F_REST_SD] = <float>standard_deviation(mean[V_REST], mean[V_REST_2])
        row[F_REST_CAPITALS] = <float>mean[V_REST_CAPITALS]
        row[F_REST_CLOSED] = <float>(<double>counts[C_REST_CLOSED] / n)
        row[F_REST_SEGMENTS] = <float>mean[V_REST_SEGMENTS]


cdef inline double standard_deviation(double mean, double of_squares) noexcept nogil:
    return sqrt(max(0.0, of_squares - mean * mean))


cdef double sum_leaf(const double* values, int64_t n) noexcept nogil:
    """Sum n values, at most `LEAF_SIZE`, in the order in which numpy adds them up."""
    cdef double[8] lanes
    cdef double sum = 0
    cdef int64_t i, k
    if n < 8:
        for i in range(n):
            sum += values[i]
        return sum
    for k in range(8):
        lanes[k] = values[k]
    i = 8
    while i < n - n % 8:
        for k in range(8):
            lanes[k] += values[i + k]
        i += 8
    sum = ((lanes[0] + lanes[1]) + (lanes[2] + lanes[3])) + ((lanes[4] + lanes[5]) + (lanes[6] + lanes[7]))
    while i < n:
        sum += values[i]
        i += 1
    return sum


_LOG_TABLE = None


cdef object _log_table():
    global _LOG_TABLE
    if _LOG_TABLE is None:
        _LOG_TABLE = np.log2(np.maximum(np.arange(LOG_TABLE_SIZE, dtype=np.float64), 1))
    return _LOG_TABLE


# ------------------------------------------------------------------------------------------------------------- growing strings
# Maximal strings grown token by token, without a suffix array.
#
# A group of occurrences of one string, ascending in the text, is split by the token that follows; each part that is in
# enough documents is split again.  A group is dropped as soon as it is too rare, or the same token precedes all its
# occurrences: then no string that begins there is maximal.  So only repeated strings cost steps, and of a long repeat only
# those that begin where it begins: on archives three to six steps a token of the text, each a handful of instructions,
# where sorting orders all suffixes, most of which are not repeated.  Some texts (one token for ever) would
# take quadratic time; `grow_strings` counts its steps and stops, and the caller sorts.


cdef extern from *:
    """
    /* A token of the text with its document, in one place: occurrences are scattered over the text, and reading one from
       memory costs more than all work on it. */
    #pragma pack(push, 1)
    typedef struct { uint16_t symbol; int32_t document; } tm_narrow;
    typedef struct { int32_t symbol; int32_t document; } tm_wide;
    #pragma pack(pop)
    """
    ctypedef struct tm_narrow:
        uint16_t symbol
        int32_t document

    ctypedef struct tm_wide:
        int32_t symbol
        int32_t document


cdef enum:
    PREFETCH_PLACES = 16    # a token is prefetched so many occurrences before it is read
    BLOCK_ROWS = 8192       # strings in a block; one array of all would at times be in memory twice while it grows

ctypedef fused place_t:
    tm_narrow
    tm_wide


cdef struct GrownString:
    int64_t rank
    int32_t first           # lowest place at which it occurs
    int32_t length
    int32_t count
    int32_t df


cdef struct Block:
    GrownString[BLOCK_ROWS] rows


cdef struct StringBlocks:
    Block** blocks
    int64_t capacity
    int64_t size            # strings


cdef struct Group:
    int64_t low             # its occurrences are places[low:high], ascending
    int64_t high
    int64_t depth           # tokens of the string


cdef struct GroupStack:
    Group* groups
    int64_t size
    int64_t capacity


cdef int stack_push(GroupStack* stack, int64_t low, int64_t high, int64_t depth) except -1 nogil:
    if stack.size == stack.capacity:
        reserve(<void**>&stack.groups, &stack.capacity, stack.size + 1, sizeof(Group))
    stack.groups[stack.size].low = low
    stack.groups[stack.size].high = high
    stack.groups[stack.size].depth = depth
    stack.size += 1
    return 0


cdef inline int32_t find_common_preceding(const place_t* text, const int32_t* places, int64_t size) noexcept nogil:
    """The symbol that precedes all occurrences; 0 if there are several, or a break."""
    cdef int64_t i
    cdef int32_t preceding
    if places[0] == 0:
        return 0
    preceding = text[places[0] - 1].symbol
    for i in range(1, size):
        if text[places[i] - 1].symbol != preceding:
            return 0
    return preceding


cdef int add_block(StringBlocks* out) except -1 nogil:
    """Allocate memory for `BLOCK_ROWS` more strings."""
    cdef int64_t k = out.size // BLOCK_ROWS
    reserve(<void**>&out.blocks, &out.capacity, k + 1, sizeof(Block*))
    out.blocks[k] = <Block*>malloc(sizeof(Block))
    if out.blocks[k] == NULL:
        raise MemoryError
    return 0


cdef void strings_free(StringBlocks* out) noexcept nogil:
    cdef int64_t k
    for k in range((out.size + BLOCK_ROWS - 1) // BLOCK_ROWS):
        free(out.blocks[k])
    free(out.blocks)


cdef int append_string(StringBlocks* out, const int32_t* places, const Group* group, int64_t df) except -1 nogil:
    """Append the string of a group."""
    cdef GrownString* row
    if out.size % BLOCK_ROWS == 0:
        add_block(out)
    row = &out.blocks[out.size // BLOCK_ROWS].rows[out.size % BLOCK_ROWS]
    row.rank = group.low
    row.first = places[group.low]
    row.length = <int32_t>group.depth
    row.count = <int32_t>(group.high - group.low)
    row.df = <int32_t>df
    out.size += 1
    return 0


cdef int64_t _grow_groups(const place_t* text, int32_t* places, int32_t* symbol_counts, int32_t* distinct_symbols,
                          int32_t* group_places, int32_t* next_symbols, GroupStack* stack, int64_t min_tokens, int64_t min_df,
                          int64_t steps, StringBlocks* out) except -1 nogil:
    """Split all groups on the stack, and append their maximal strings; returns the steps that are left, 0 if too few.

    Buffers: `symbol_counts` is 0 for each symbol before and after each group; `group_places`, `next_symbols` and
    `distinct_symbols` are the places of one group, the symbols that follow there, and the distinct ones of those.
    """
    cdef Group group
    cdef int64_t i, size, df, distinct, cursor, tail, min_count = max(min_df, 2)
    cdef int32_t document, last_document, place, symbol
    cdef const place_t* record
    while stack.size:
        stack.size -= 1
        group = stack.groups[stack.size]
        size = group.high - group.low
        if find_common_preceding(text, places + group.low, size):
            continue
        # While the same token follows all occurrences, the string is not maximal, but its extension may be.
        while True:
            steps -= size
            if steps <= 0:
                return 0
            distinct = 0
            df = 0
            last_document = -1
            for i in range(size):
                place = places[group.low + i]
                if i + PREFETCH_PLACES < size:
                    record = text + places[group.low + i + PREFETCH_PLACES]
                    tm_prefetch(record)
                    tm_prefetch(record + group.depth)
                record = text + place
                document = record.document
                df += document != last_document
                last_document = document
                symbol = record[group.depth].symbol
                group_places[i] = place
                next_symbols[i] = symbol
                distinct_symbols[distinct] = symbol
                distinct += symbol_counts[symbol] == 0
                symbol_counts[symbol] += 1
            if distinct > 1 or next_symbols[0] == 0 or df < min_df:
                break
            symbol_counts[next_symbols[0]] = 0
            group.depth += 1
        if df < min_df:
            for i in range(distinct):
                symbol_counts[distinct_symbols[i]] = 0
            continue
        if group.depth >= min_tokens:
            append_string(out, places, &group, df)
        # Places before frequent symbols move to the front, one symbol after the other; the others follow in any order.
        symbol_counts[0] = 0
        cursor = group.low
        for i in range(distinct):
            symbol = distinct_symbols[i]
            if symbol_counts[symbol] >= min_count:
                stack_push(stack, cursor, cursor + symbol_counts[symbol], group.depth + 1)
                tail = symbol_counts[symbol]
                symbol_counts[symbol] = <int32_t>(-1 - cursor)
                cursor += tail
            else:
                symbol_counts[symbol] = 0
        if cursor > group.low:
            tail = cursor
            for i in range(size):
                symbol = next_symbols[i]
                if symbol_counts[symbol] < 0:
                    places[-1 - symbol_counts[symbol]] = group_places[i]
                    symbol_counts[symbol] -= 1
                else:
                    places[tail] = group_places[i]
                    tail += 1
            for i in range(distinct):
                symbol_counts[distinct_symbols[i]] = 0
    return steps


cdef int64_t _sort_and_grow(const int32_t* symbols, const int64_t* doc_starts, int64_t documents, place_t* text, int64_t n,
                            int32_t* places, int64_t alphabet_size, int64_t min_tokens, int64_t min_df, int64_t steps,
                            StringBlocks* out) except -1 nogil:
    """Sort the places by symbol and grow strings from them; returns the steps that are left.  OUT: `text`, of n + 1 tokens."""
    cdef int32_t* symbol_counts = <int32_t*>malloc((alphabet_size + 1) * sizeof(int32_t))
    cdef int32_t* distinct_symbols = <int32_t*>malloc((alphabet_size + 2) * sizeof(int32_t))
    cdef int32_t* group_places = NULL
    cdef int32_t* next_symbols = NULL
    cdef GroupStack stack
    cdef int64_t d, i, largest_group = 1, cursor = 0
    memset(&stack, 0, sizeof(GroupStack))
    try:
        if symbol_counts == NULL or distinct_symbols == NULL:
            raise MemoryError
        memset(symbol_counts, 0, (alphabet_size + 1) * sizeof(int32_t))
        for d in range(documents):
            for i in range(doc_starts[d], doc_starts[d + 1]):
                if place_t is tm_narrow:
                    text[i].symbol = <uint16_t>symbols[i]
                else:
                    text[i].symbol = symbols[i]
                text[i].document = <int32_t>d
                symbol_counts[symbols[i]] += 1
        text[n].symbol = 0
        text[n].document = 0
        symbol_counts[0] = 0
        for i in range(1, alphabet_size):
            if symbol_counts[i]:
                largest_group = max(largest_group, symbol_counts[i])
                if symbol_counts[i] >= max(min_df, 2):
                    stack_push(&stack, cursor, cursor + symbol_counts[i], 1)
            cursor += symbol_counts[i]
            symbol_counts[i] = <int32_t>(cursor - symbol_counts[i])
        for i in range(n):
            if symbols[i]:
                places[symbol_counts[symbols[i]]] = <int32_t>i
                symbol_counts[symbols[i]] += 1
        memset(symbol_counts, 0, (alphabet_size + 1) * sizeof(int32_t))
        group_places = <int32_t*>malloc(largest_group * sizeof(int32_t))
        next_symbols = <int32_t*>malloc(largest_group * sizeof(int32_t))
        if group_places == NULL or next_symbols == NULL:
            raise MemoryError
        return _grow_groups(text, places, symbol_counts, distinct_symbols, group_places, next_symbols, &stack, min_tokens,
                            min_df, steps, out)
    finally:
        free(symbol_counts)
        free(distinct_symbols)
        free(group_places)
        free(next_symbols)
        free(stack.groups)


def grow_strings(const int32_t[::1] symbols not None, const int64_t[::1] doc_starts not None, int64_t min_tokens, int64_t min_df,
                 int64_t steps):
    """Find the maximal strings of at least `min_tokens` tokens that occur twice and are in at least `min_df` documents.

    A string is maximal if extending it by one token to the left or right loses occurrences; breaks and document ends count
    as different tokens.

    Parameters
    ----------
    symbols : int32 array, shape (n,)
        0 is the break, which is part of no string; n below 2^31.
    doc_starts : int64 array, shape (documents + 1,)
        Where each document begins; fewer than 2^31 documents.
    steps : int
        Most steps, one for each occurrence of each prefix of a string.

    Returns
    -------
    None if the steps did not suffice, else

    places : int32 array
        All places (positions in `symbols`) but breaks; string i occurs at ``places[rank[i]:rank[i] + count[i]]``.
    rank : int64 array
    first, length, count, df : int32 arrays
        Lowest place; tokens, occurrences, distinct documents.
    """
    cdef StringBlocks out
    memset(&out, 0, sizeof(StringBlocks))
    try:
        places = _check_and_grow(symbols, doc_starts, min_tokens, min_df, steps, &out)
        return None if places is None else (places, *_to_columns(&out))
    finally:
        strings_free(&out)


cdef object _check_and_grow(const int32_t[::1] symbols, const int64_t[::1] doc_starts, int64_t min_tokens, int64_t min_df, int64_t steps,
                            StringBlocks* out):
    """Check the arguments of `grow_strings` and grow; returns the places, or None if the steps did not suffice."""
    cdef int64_t n = symbols.shape[0], documents = doc_starts.shape[0] - 1, i
    cdef int64_t alphabet_size = 1, breaks = 0, steps_left = 0, negative_place = -1
    if n >= 0x7FFFFFFF:
        raise ValueError(f"expected fewer than 2^31 - 1 places, got {n}")
    check_bounds("doc_starts", &doc_starts[0] if doc_starts.shape[0] else NULL, doc_starts.shape[0], n)
    if documents >= 0x7FFFFFFF:
        raise ValueError(f"expected fewer than 2^31 - 1 documents, got {documents}")
    with nogil:
        for i in range(n):
            if symbols[i] < 0:
                negative_place = i
            alphabet_size = max(alphabet_size, <int64_t>symbols[i] + 1)
            breaks += symbols[i] == 0
    if negative_place >= 0:
        raise ValueError(f"place {negative_place}: expected a symbol from 0, got {symbols[negative_place]}")
    places = np.empty(n - breaks, np.int32)
    if n == 0:
        return places
    cdef bint narrow = alphabet_size <= 0x10000
    cdef int32_t[::1] place_view = places if n > breaks else np.empty(1, np.int32)
    cdef uint8_t[::1] text = np.empty((n + 1) * (sizeof(tm_narrow) if narrow else sizeof(tm_wide)), np.uint8)
    steps = max(steps, 1)
    with nogil:
        if narrow:
            steps_left = _sort_and_grow(&symbols[0], &doc_starts[0], documents, <tm_narrow*>&text[0], n, &place_view[0],
                                        alphabet_size, min_tokens, min_df, steps, out)
        else:
            steps_left = _sort_and_grow(&symbols[0], &doc_starts[0], documents, <tm_wide*>&text[0], n, &place_view[0],
                                        alphabet_size, min_tokens, min_df, steps, out)
    return places if steps_left else None


cdef tuple _to_columns(StringBlocks* out):
    """Copy the strings to columns, and free each full block after it is copied."""
    cdef int64_t i, k, n = out.size
    cdef const GrownString* row
    cdef int64_t[::1] rank = np.empty(max(n, 1), np.int64)
    cdef int32_t[::1] first = np.empty(max(n, 1), np.int32)
    cdef int32_t[::1] length = np.empty(max(n, 1), np.int32)
    cdef int32_t[::1] count = np.empty(max(n, 1), np.int32)
    cdef int32_t[::1] df = np.empty(max(n, 1), np.int32)
    with nogil:
        for i in range(n):
            k = i // BLOCK_ROWS
            row = &out.blocks[k].rows[i % BLOCK_ROWS]
            rank[i] = row.rank
            first[i] = row.first
            length[i] = row.length
            count[i] = row.count
            df[i] = row.df
            if i % BLOCK_ROWS == BLOCK_ROWS - 1:
                free(out.blocks[k])
                out.blocks[k] = NULL
    return (np.asarray(rank)[:n], np.asarray(first)[:n], np.asarray(length)[:n], np.asarray(count)[:n], np.asarray(df)[:n])


# ---------------------------------------------------------------------------------------------------------- columns of strings
# Columns of the strings that mining found: their first positions, tokens, hashes, and lines of JSON.
#
# Input: suffix arrays, or the positions and lengths of strings.  Time is linear in occurrences or in tokens.


def find_first_positions(const int64_t[::1] rank not None, const int32_t[::1] count not None, const int64_t[::1] sa not None,
                         int64_t max_occurrences):
    """Find the lowest of the positions of each string, ``sa[rank[i]:rank[i] + count[i]]``: int64 array.

    Of a string with more than `max_occurrences` only so many are compared, evenly spaced.  O(strings * max_occurrences).
    """
    if max_occurrences < 1:
        raise ValueError(f"expected at least one occurrence to look at, got {max_occurrences}")
    if rank.shape[0] != count.shape[0]:
        raise ValueError(f"expected equal lengths, got {rank.shape[0]} and {count.shape[0]}")
    cdef int64_t[::1] first = np.zeros(max(rank.shape[0], 1), np.int64)
    cdef int64_t i, j, samples
    for i in range(rank.shape[0]):
        if rank[i] < 0 or count[i] < 1 or rank[i] > sa.shape[0] - count[i]:
            raise ValueError(f"string {i}: expected ranks within {sa.shape[0]}, got {count[i]} from {rank[i]}")
    with nogil:
        for i in range(rank.shape[0]):
            first[i] = sa[rank[i]]
            samples = min(<int64_t>count[i], max_occurrences)
            for j in range(samples):
                first[i] = min(first[i], sa[rank[i] + j * count[i] // samples])
    return np.asarray(first)[: rank.shape[0]]


# ======================================================================================================================
# Hashes of strings
# ======================================================================================================================

cdef extern from *:
    """
    #include <stdint.h>

    /* Rabin-Karp over the Mersenne prime 2^61 - 1. */
    static inline uint64_t tm_modmul(uint64_t a, uint64_t b) {
        const uint64_t M = ((uint64_t)1 << 61) - 1;
        __uint128_t r = (__uint128_t)a * b;
        uint64_t s = (uint64_t)(r & M) + (uint64_t)(r >> 61);
        return s >= M ? s - M : s;
    }
    """
    uint64_t tm_modmul(uint64_t a, uint64_t b) noexcept nogil


cdef enum:
    PREFETCH_STRINGS = 8    # a string is prefetched so many strings before it is read: they are scattered over the text


cdef int64_t _check_slices(int64_t n, const int64_t[::1] position, const int32_t[::1] length) except -1:
    """The sum of the lengths of slices; ValueError unless all are within n tokens."""
    cdef int64_t i, total = 0
    if position.shape[0] != length.shape[0]:
        raise ValueError(f"expected equal lengths, got {position.shape[0]} and {length.shape[0]}")
    for i in range(position.shape[0]):
        if position[i] < 0 or length[i] < 0 or position[i] > n - length[i]:
            raise ValueError(f"string {i}: expected a place within {n} tokens, got {length[i]} from {position[i]}")
        total += length[i]
    return total


ctypedef fused item_t:
    uint8_t
    int32_t


cdef tuple _gather_slices(const item_t[::1] values, const int64_t[::1] position, const int32_t[::1] length, object dtype):
    cdef int64_t i, size = 0, total = _check_slices(values.shape[0], position, length)
    out, bounds = np.empty(total, dtype), np.empty(position.shape[0] + 1, np.int64)
    cdef item_t[::1] out_view = out
    cdef int64_t[::1] bounds_view = bounds
    with nogil:
        for i in range(position.shape[0]):
            if i + PREFETCH_STRINGS < position.shape[0] and length[i + PREFETCH_STRINGS]:
                tm_prefetch(&values[0] + position[i + PREFETCH_STRINGS])
            bounds_view[i] = size
            if length[i]:
                memcpy(&out_view[0] + size, &values[0] + position[i], length[i] * sizeof(item_t))
                size += length[i]
        bounds_view[position.shape[0]] = size
    return out, bounds


def gather_slices_i32(const int32_t[::1] values not None, const int64_t[::1] position not None, const int32_t[::1] length not None):
    """Copy slices of an array, one after the other: int32 array, and int64 array of where each begins, with the end."""
    return _gather_slices(values, position, length, np.int32)


def gather_slices_u8(const uint8_t[::1] values not None, const int64_t[::1] position not None, const int32_t[::1] length not None):
    """As `gather_slices_i32` for bytes."""
    return _gather_slices(values, position, length, np.uint8)


def renumber(const int32_t[::1] values not None, int64_t value_count):
    """Renumber the values that occur from 0 on, in their order.  O(values + value_count).

    Parameters
    ----------
    values : int32 array
        From 0 to `value_count` - 1.

    Returns
    -------
    renumbered : int32 array
    used : int64 array
        The values that occur, ascending: the old number of each new one.
    number : int32 array, shape (value_count,)
        The new number of each old one, -1 if it does not occur.
    """
    check_within("values", &values[0] if values.shape[0] else NULL, values.shape[0], 0, value_count)
    number = np.full(max(value_count, 0), -1, np.int32)
    out = np.empty(values.shape[0], np.int32)
    cdef int32_t[::1] number_view = number, out_view = out
    cdef int64_t i
    cdef int32_t size = 0
    with nogil:
        for i in range(values.shape[0]):
            number_view[values[i]] = 0
        for i in range(value_count):
            if number_view[i] == 0:
                number_view[i] = size
                size += 1
        for i in range(values.shape[0]):
            out_view[i] = number_view[values[i]]
    return out, np.flatnonzero(number >= 0), number


def hash_strings(const int32_t[::1] text not None, const uint64_t[::1] symbol_hash not None,
                 const int64_t[::1] position not None,
                 const int32_t[::1] length not None):
    """Hash strings, given the hashes of symbols: uint64 array of values below 2^61, equal for equal strings of all sources.

    Polynomial hash over the prime 2^61 - 1 (Karp and Rabin 1987), token by token, or by prefix sums where that is less work:
    O(strings + min(n, tokens of all strings)).
    """
    cdef int64_t n = text.shape[0], i, k
    cdef int64_t total = _check_slices(n, position, length)
    check_within("text", &text[0] if text.shape[0] else NULL, text.shape[0], 0, symbol_hash.shape[0])
    cdef uint64_t prime = (<uint64_t>1 << 61) - 1, base = 0x0B0E1F2D3C4B5A69, h
    cdef bint uses_prefix_sums = total > 2 * n
    cdef uint64_t[::1] prefix_hashes = np.zeros(n + 1 if uses_prefix_sums else 1, np.uint64)
    cdef uint64_t[::1] powers = np.ones(n + 1 if uses_prefix_sums else 1, np.uint64)
    cdef uint64_t[::1] out = np.empty(max(position.shape[0], 1), np.uint64)
    with nogil:
        if uses_prefix_sums:
            for i in range(n):
                h = tm_modmul(prefix_hashes[i], base) + symbol_hash[text[i]] % prime
                prefix_hashes[i + 1] = h - prime if h >= prime else h
                powers[i + 1] = tm_modmul(powers[i], base)
            for i in range(position.shape[0]):
                h = prefix_hashes[position[i] + length[i]] + prime - tm_modmul(prefix_hashes[position[i]], powers[length[i]])
                out[i] = h - prime if h >= prime else h
        else:
            for i in range(position.shape[0]):
                if i + PREFETCH_STRINGS < position.shape[0]:
                    tm_prefetch(&text[0] + position[i + PREFETCH_STRINGS])
                h = 0
                for k in range(position[i], position[i] + length[i]):
                    h = tm_modmul(h, base) + symbol_hash[text[k]] % prime
                    h = h - prime if h >= prime else h
                out[i] = h
    return np.asarray(out)[: position.shape[0]]


def group_rates(const uint64_t[::1] hashes not None, const float[::1] rates not None, const int32_t[::1] sources not None):
    """Group the rates of strings by hash: the number of sources of each string, and the two greatest rates.

    Parameters
    ----------
    hashes : uint64 array, ascending
        Of a string of a source; no source has a string twice.
    rates, sources : float32 and int32 arrays
        Rate of the string in the source, and the source.

    Returns
    -------
    first : int64 array
        Index of the first of each distinct hash.
    number, owner : int32 arrays
        Number of sources that have it, and the first of those with the greatest rate.
    greatest, second : float32 arrays
        The greatest rate, and the greatest of any source but `owner`; 0 if there is none.
    """
    cdef int64_t n = hashes.shape[0], i, size = 0
    if not n == rates.shape[0] == sources.shape[0]:
        raise ValueError(f"expected equal lengths, got {n}, {rates.shape[0]} and {sources.shape[0]}")
    cdef int64_t[::1] first = np.empty(max(n, 1), np.int64)
    cdef int32_t[::1] number = np.empty(max(n, 1), np.int32)
    cdef int32_t[::1] owner = np.empty(max(n, 1), np.int32)
    cdef float[::1] greatest = np.empty(max(n, 1), np.float32)
    cdef float[::1] second = np.empty(max(n, 1), np.float32)
    cdef bint is_ascending = True
    with nogil:
        for i in range(n):
            if i == 0 or hashes[i] != hashes[i - 1]:
                if i and hashes[i] < hashes[i - 1]:
                    is_ascending = False
                    break
                first[size] = i
                number[size] = 1
                owner[size] = sources[i]
                greatest[size] = rates[i]
                second[size] = 0
                size += 1
                continue
            number[size - 1] += 1
            if rates[i] > greatest[size - 1]:
                second[size - 1] = greatest[size - 1]
                greatest[size - 1] = rates[i]
                owner[size - 1] = sources[i]
            elif rates[i] > second[size - 1]:
                second[size - 1] = rates[i]
    if not is_ascending:
        raise ValueError(f"expected ascending hashes, got {hashes[i]} after {hashes[i - 1]} at place {i}")
    return (np.asarray(first)[:size].copy(), np.asarray(number)[:size].copy(), np.asarray(owner)[:size].copy(),
            np.asarray(greatest)[:size].copy(), np.asarray(second)[:size].copy())


# ======================================================================================================================
# Lines of JSON
# ======================================================================================================================

cdef enum:
    MAX_DIGITS = 10         # decimal digits of an int32


cdef inline uint8_t* write_bytes(const void* data, int64_t size, uint8_t* out) noexcept nogil:
    memcpy(out, data, size)
    return out + size


cdef inline uint8_t* write_text(const char* text, uint8_t* out) noexcept nogil:
    return write_bytes(text, strlen(text), out)


cdef uint8_t* _write_json_rows(const int32_t[::1] tokens, const int64_t[::1] bounds, const uint8_t* names,
                               const int64_t[::1] name_bounds,
                               const int32_t[::1] df, const int32_t[::1] count, const uint8_t* ends, const int64_t[::1] end_bounds,
                               const int8_t[::1] end_of, uint8_t* out) noexcept nogil:
    cdef int64_t i, k, token
    for i in range(df.shape[0]):
        out = write_text(b'{"tokens":[', out)
        for k in range(bounds[i], bounds[i + 1]):
            if k > bounds[i]:
                out = write_text(b",", out)
            token = tokens[k]
            out = write_bytes(names + name_bounds[token], name_bounds[token + 1] - name_bounds[token], out)
        out = write_text(b'],"df":', out)
        out += write_number(df[i], out)
        out = write_text(b',"count":', out)
        out += write_number(count[i], out)
        k = end_of[i]
        out = write_bytes(ends + end_bounds[k], end_bounds[k + 1] - end_bounds[k], out)
    return out


def format_json_rows(const int32_t[::1] tokens not None, const int64_t[::1] bounds not None, const uint8_t[::1] names not None,
                     const int64_t[::1] name_bounds not None, const int32_t[::1] df not None, const int32_t[::1] count not None,
                     const uint8_t[::1] ends not None, const int64_t[::1] end_bounds not None, const int8_t[::1] end_of not None):
    """Format strings as lines of JSON: bytes, for each string ``{"tokens":[...],"df":1,"count":1`` and a line end.

    Parameters
    ----------
    tokens, bounds : int32 array; int64 array, shape (strings + 1,)
        The tokens of all strings one after the other, as indices of `names`; where each string begins, with the end.
    names, name_bounds : uint8 array, or bytes; int64 array
        The JSON of each token, one after the other; where each begins, with the end.
    df, count : int32 arrays, shape (strings,)
    ends, end_bounds, end_of : uint8 array, or bytes; int64 array; int8 array, shape (strings,)
        The ends that lines may have, laid out as `names`; and the index of the end of each line.
    """
    cdef int64_t n = df.shape[0], i, size, longest = 0
    if not n == count.shape[0] == end_of.shape[0] == bounds.shape[0] - 1:
        raise ValueError(f"expected equal lengths, got {n}, {count.shape[0]}, {end_of.shape[0]} and {bounds.shape[0] - 1}")
    check_bounds("bounds", &bounds[0] if bounds.shape[0] else NULL, bounds.shape[0], tokens.shape[0])
    check_bounds("name_bounds", &name_bounds[0] if name_bounds.shape[0] else NULL, name_bounds.shape[0], names.shape[0])
    check_bounds("end_bounds", &end_bounds[0] if end_bounds.shape[0] else NULL, end_bounds.shape[0], ends.shape[0])
    check_within("tokens", &tokens[0] if tokens.shape[0] else NULL, tokens.shape[0], 0, name_bounds.shape[0] - 1)
    check_within("df", &df[0] if df.shape[0] else NULL, df.shape[0], 0, <int64_t>1 << 31)
    check_within("count", &count[0] if count.shape[0] else NULL, count.shape[0], 0, <int64_t>1 << 31)
    for i in range(n):
        if not 0 <= end_of[i] < end_bounds.shape[0] - 1:
            raise ValueError(f"end_of: expected values from 0 to {end_bounds.shape[0] - 2}, got {end_of[i]} at place {i}")
        longest = max(longest, end_bounds[end_of[i] + 1] - end_bounds[end_of[i]])
    # An upper bound: most numbers have fewer digits, and each string has a comma less than tokens.
    size = n * (len(b'{"tokens":[],"df":,"count":') + 2 * MAX_DIGITS + longest) + tokens.shape[0]
    for i in range(tokens.shape[0]):
        size += name_bounds[tokens[i] + 1] - name_bounds[tokens[i]]
    cdef bytes out = PyBytes_FromStringAndSize(NULL, size)
    cdef uint8_t* start = <uint8_t*>PyBytes_AS_STRING(out)
    cdef const uint8_t* name = &names[0] if names.shape[0] else NULL
    cdef const uint8_t* end = &ends[0] if ends.shape[0] else NULL
    with nogil:
        size = _write_json_rows(tokens, bounds, name, name_bounds, df, count, end, end_bounds, end_of, start) - start
    return out[:size]


# -------------------------------------------------------------------------------------------------------- versions of documents
# Copies, versions and excerpts of documents, however many there are of one.
#
# Input: the tokens of documents, and the order in which these are looked at.  Output: for each document one that says what it
# says.  A document is compared with a few of those that stay, never with all of them: time is near linear in the tokens.


cdef struct VersionSearch:
    # The document looked at, the one that it is compared with, and what is known of those that stay.
    const uint8_t* kinds
    const uint64_t* hashes
    int64_t k
    uint64_t* raw               # hashes of the tokens of the document looked at, those of kind 0 left out
    int64_t* weights            # sums of the weights of its tokens; of all before each
    uint64_t* shingles          # hash of the k tokens from each on
    int64_t size                # its shingles
    int64_t tokens
    uint64_t* sample            # fingerprints of its sampled shingles
    int64_t sampled
    uint64_t* table             # the shingles of the document that it is compared with, 0 for none
    uint64_t table_mask
    int64_t table_document
    uint64_t* slots             # fingerprints of sampled shingles, and 1 + the first document that stays and has each; 0 for none
    uint64_t slot_mask
    uint64_t slots_used
    uint64_t sample_mask
    int32_t* votes              # by document: sampled shingles that point to it
    int32_t* voted              # the documents with votes
    int64_t voted_count


cdef enum:
    MAX_COMPARED = 4            # documents that one is compared with at most
    MIN_VOTES = 8               # one in so many sampled shingles must point to a document for that to be among them


cdef inline uint64_t mix_hash(uint64_t h) noexcept nogil:
    """The finaliser of SplitMix64 (Steele, Lea and Flood 2014); never 0."""
    h = (h ^ h >> 30) * <uint64_t>0xBF58476D1CE4E5B9
    h = (h ^ h >> 27) * <uint64_t>0x94D049BB133111EB
    return (h ^ h >> 31) | 1


cdef void _read_shingles(VersionSearch* s, const int32_t* forms, int64_t size) noexcept nogil:
    """Read a document: tokens, sums of weights, and shingles by a rolling hash (Karp and Rabin 1987), modulo 2^64."""
    cdef int64_t i, _shingle, count = 0
    cdef uint64_t h = 0, leaving = 1, base = <uint64_t>0x9E3779B97F4A7C15
    for _shingle in range(s.k):
        leaving *= base
    s.weights[0] = 0
    for i in range(size):
        if s.kinds[forms[i]] == 0:
            continue
        s.raw[count] = s.hashes[forms[i]]
        s.weights[count + 1] = s.weights[count] + (s.kinds[forms[i]] > 1)
        h = h * base + s.raw[count]
        if count >= s.k:
            h -= s.raw[count - s.k] * leaving
        count += 1
        if count >= s.k:
            s.shingles[count - s.k] = mix_hash(h)
    s.tokens = count
    s.size = max(0, count - s.k + 1)
    s.sampled = 0
    for i in range(s.size):
        # None of the sample is of tokens without weight.
        if (s.shingles[i] >> 8 & s.sample_mask) == 0 and s.weights[i + s.k] > s.weights[i]:
            s.sample[s.sampled] = s.shingles[i] >> 32
            s.sampled += 1


cdef inline uint64_t _first_slot(VersionSearch* s, uint64_t fingerprint) noexcept nogil:
    """The slot where a fingerprint is looked for first."""
    return fingerprint * <uint64_t>0x9E3779B97F4A7C15 >> 20 & s.slot_mask


cdef inline uint64_t _find_slot(VersionSearch* s, uint64_t fingerprint) noexcept nogil:
    """The slot of a fingerprint, or the one that it would take."""
    cdef uint64_t slot = _first_slot(s, fingerprint)
    while s.slots[slot] and s.slots[slot] >> 32 != fingerprint:
        slot = (slot + 1) & s.slot_mask
    return slot


cdef int _grow_slots(VersionSearch* s) except -1 nogil:
    """Double the slots."""
    cdef uint64_t* old = s.slots
    cdef uint64_t i, count = s.slot_mask + 1
    cdef uint64_t* slots = <uint64_t*>calloc(2 * count, sizeof(uint64_t))
    if slots == NULL:
        with gil:
            raise MemoryError
    s.slots = slots
    s.slot_mask = 2 * count - 1
    for i in range(count):
        if old[i]:
            s.slots[_find_slot(s, old[i] >> 32)] = old[i]
    free(old)
    return 0


cdef int _keep_document(VersionSearch* s, int64_t document) except -1 nogil:
    """Let the sampled shingles of the document looked at point to it, but for those that point elsewhere."""
    cdef int64_t i
    cdef uint64_t slot
    while 2 * (s.slots_used + s.sampled) > s.slot_mask:
        _grow_slots(s)
    for i in range(s.sampled):
        if i + PREFETCH_PAIRS < s.sampled:
            tm_prefetch(s.slots + _first_slot(s, s.sample[i + PREFETCH_PAIRS]))
        slot = _find_slot(s, s.sample[i])
        if s.slots[slot] == 0:
            s.slots[slot] = s.sample[i] << 32 | <uint64_t>(document + 1)
            s.slots_used += 1
    return 0


cdef void _count_votes(VersionSearch* s) noexcept nogil:
    """Count which documents the sampled shingles point to."""
    cdef int64_t i
    cdef uint64_t pointer
    cdef int32_t document
    s.voted_count = 0
    for i in range(s.sampled):
        if i + PREFETCH_PAIRS < s.sampled:
            tm_prefetch(s.slots + _first_slot(s, s.sample[i + PREFETCH_PAIRS]))
        pointer = s.slots[_find_slot(s, s.sample[i])]
        if pointer:
            document = <int32_t>(<uint32_t>pointer) - 1
            if s.votes[document] == 0:
                s.voted[s.voted_count] = document
                s.voted_count += 1
            s.votes[document] += 1


cdef int64_t _take_candidate(VersionSearch* s, int64_t min_votes) noexcept nogil:
    """The document with most votes, the first of several; its votes are gone then.  -1 if none has enough."""
    cdef int64_t i, best = -1
    for i in range(s.voted_count):
        if s.votes[s.voted[i]] >= min_votes and (best < 0 or s.votes[s.voted[i]] > s.votes[s.voted[best]]):
            best = i
    if best < 0:
        return -1
    s.votes[s.voted[best]] = 0
    return s.voted[best]


cdef int _fill_table(VersionSearch* s, const int32_t* forms, int64_t size, int64_t document) except -1 nogil:
    """Hash the shingles of the document that others are compared with."""
    cdef int64_t i
    cdef uint64_t h = 0, leaving = 1, base = <uint64_t>0x9E3779B97F4A7C15, count = 64, slot, shingle
    cdef int64_t begin = 0, tokens = 0, _shingle
    if s.table_document == document:
        return 0
    while count < 2 * <uint64_t>size:
        count *= 2
    free(s.table)
    s.table_document = -1
    s.table = <uint64_t*>calloc(count, sizeof(uint64_t))
    if s.table == NULL:
        with gil:
            raise MemoryError
    s.table_mask = count - 1
    for _shingle in range(s.k):
        leaving *= base
    for i in range(size):
        if s.kinds[forms[i]] == 0:
            continue
        h = h * base + s.hashes[forms[i]]
        if tokens >= s.k:
            while s.kinds[forms[begin]] == 0:
                begin += 1
            h -= s.hashes[forms[begin]] * leaving
            begin += 1
        tokens += 1
        if tokens >= s.k:
            shingle = mix_hash(h)
            slot = shingle >> 16 & s.table_mask
            while s.table[slot] and s.table[slot] != shingle:
                slot = (slot + 1) & s.table_mask
            s.table[slot] = shingle
    s.table_document = document
    return 0


cdef bint _is_version(VersionSearch* s, double foreign_share) noexcept nogil:
    """Whether the document looked at says hardly anything that the one in the table does not.

    Tokens between shingles of both are foreign where they are more than a few, and than an eighth of it; at least half
    of its weight must be in such shingles.
    """
    cdef int64_t i, covered_end = 0, foreign = 0, covered = 0, first
    cdef int64_t gap = min(3 * s.k - 1, s.tokens // 8)
    cdef uint64_t slot
    for i in range(s.size):
        slot = s.shingles[i] >> 16 & s.table_mask
        while s.table[slot] and s.table[slot] != s.shingles[i]:
            slot = (slot + 1) & s.table_mask
        if s.table[slot] == 0:
            continue
        first = max(i, covered_end)
        if first - covered_end > gap:
            foreign += s.weights[first] - s.weights[covered_end]
        covered += s.weights[i + s.k] - s.weights[first]
        covered_end = i + s.k
    if s.tokens - covered_end > gap:
        foreign += s.weights[s.tokens] - s.weights[covered_end]
    return covered > 0 and 2 * covered >= s.weights[s.tokens] and foreign <= foreign_share * s.weights[s.tokens]


cdef int _search_versions(VersionSearch* s, const int32_t[::1] forms, const int64_t[::1] doc_starts, const int64_t[::1] order,
                          double foreign_share, int64_t[::1] version_of) except -1 nogil:
    cdef int64_t i, d, other, _compared, min_votes
    for i in range(order.shape[0]):
        d = order[i]
        _read_shingles(s, &forms[0] + doc_starts[d], doc_starts[d + 1] - doc_starts[d])
        _count_votes(s)
        min_votes = max(1, s.sampled // MIN_VOTES)
        for _compared in range(MAX_COMPARED):
            other = _take_candidate(s, min_votes)
            if other < 0:
                break
            _fill_table(s, &forms[0] + doc_starts[other], doc_starts[other + 1] - doc_starts[other], other)
            if _is_version(s, foreign_share):
                version_of[d] = other
                break
        for compared in range(s.voted_count):
            s.votes[s.voted[compared]] = 0
        if version_of[d] == d:
            _keep_document(s, d)
    return 0


def find_versions(const int32_t[::1] forms not None, const int64_t[::1] doc_starts not None, const uint8_t[::1] kinds not None,
                  const uint64_t[::1] hashes not None, const int64_t[::1] order not None, int64_t k, int64_t sampled,
                  double foreign_share):
    """Find the documents that say what another says: copies, excerpts, earlier versions, also with words changed all over.

    Documents are looked at in an order, and each is compared with the few that stay and share most with it: those that the
    sampled shingles of it point to.  It stays unless all but a share of its weight stands in or between the shingles of one.

    Parameters
    ----------
    kinds : uint8 array, shape (forms,)
        0 for forms that are left out, 1 for those without weight, 2 for the others.
    hashes : uint64 array, shape (forms,)
    order : int64 array
        Different documents; those that it has not are not looked at.
    k : int
        Tokens of a shingle, from 1 to 64.
    sampled : int
        One in so many shingles points to its document; a power of two.
    foreign_share : float

    Returns
    -------
    int64 array, shape (documents,)
        For each document one that stays and says what it says, or itself.
    """
    cdef int64_t n = doc_starts.shape[0] - 1, i, longest = 0
    cdef VersionSearch s
    if kinds.shape[0] != hashes.shape[0]:
        raise ValueError(f"expected kinds of {hashes.shape[0]} forms, got {kinds.shape[0]}")
    if not 1 <= k <= 64 or sampled < 1 or sampled & (sampled - 1):
        raise ValueError(f"expected k from 1 to 64 and a power of two for sampled, got {k} and {sampled}")
    if n > 2**31 - 2:
        raise ValueError(f"expected fewer than 2^31 - 1 documents, got {n}")
    check_within("forms", &forms[0] if forms.shape[0] else NULL, forms.shape[0], 0, kinds.shape[0])
    check_bounds("doc_starts", &doc_starts[0] if doc_starts.shape[0] else NULL, doc_starts.shape[0], forms.shape[0])
    cdef int64_t[::1] version_of = np.arange(max(n, 1), dtype=np.int64)
    is_in_order = np.zeros(max(n, 1), np.uint8)
    cdef uint8_t[::1] seen = is_in_order
    for i in range(order.shape[0]):
        if not 0 <= order[i] < n or seen[order[i]]:
            raise ValueError(f"order: expected different documents from 0 to {n - 1}, got {order[i]} at place {i}")
        seen[order[i]] = 1
        longest = max(longest, doc_starts[order[i] + 1] - doc_starts[order[i]])
    if order.shape[0] == 0 or forms.shape[0] == 0:
        return np.asarray(version_of)[:max(n, 0)]
    memset(&s, 0, sizeof(VersionSearch))
    s.kinds, s.hashes, s.k = &kinds[0], &hashes[0], k
    s.sample_mask, s.slot_mask, s.table_document = sampled - 1, 1023, -1
    s.raw = <uint64_t*>malloc((longest + 1) * sizeof(uint64_t))
    s.weights = <int64_t*>malloc((longest + 1) * sizeof(int64_t))
    s.shingles = <uint64_t*>malloc((longest + 1) * sizeof(uint64_t))
    s.sample = <uint64_t*>malloc((longest + 1) * sizeof(uint64_t))
    s.slots = <uint64_t*>calloc(s.slot_mask + 1, sizeof(uint64_t))
    s.votes = <int32_t*>calloc(n, sizeof(int32_t))
    s.voted = <int32_t*>malloc((longest + 1) * sizeof(int32_t))
    try:
        if (s.raw == NULL or s.weights == NULL or s.shingles == NULL or s.sample == NULL or s.slots == NULL or s.votes == NULL
                or s.voted == NULL):
            raise MemoryError
        with nogil:
            _search_versions(&s, forms, doc_starts, order, foreign_share, version_of)
    finally:
        free(s.raw)
        free(s.weights)
        free(s.shingles)
        free(s.sample)
        free(s.slots)
        free(s.votes)
        free(s.voted)
        free(s.table)
    return np.asarray(version_of)[:n]
