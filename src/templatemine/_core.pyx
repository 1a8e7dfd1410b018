"""The native core of mining, in the order in which data flows: documents -> token ids -> symbols -> suffix array and LCP,
or growing strings -> maximal strings with their document frequency -> columns of what is known of each.

Only buffers and numbers cross the boundary; a kernel is a public ``def`` that checks and allocates, and a private ``cdef``
loop that runs without the GIL.  Offsets are int64 everywhere except in suffix arrays, where the caller chooses int32 or
int64.  Arguments are IN unless a docstring says otherwise.
"""

import numpy as np

from cpython.bytes cimport PyBytes_AS_STRING, PyBytes_FromStringAndSize
from libc.math cimport log2, sqrt
from libc.stdint cimport int32_t, int64_t, int8_t, uint16_t, uint32_t, uint64_t, uint8_t
from libc.stdlib cimport calloc, free, malloc
from libc.string cimport memcpy, memset, strlen

from templatemine.text._scan cimport (
    BULLET, Bytes, CAPITAL, check_bounds, check_within, CLAUSE, COLON, copy_to_array, encode_utf8, FIGURE, FIRST_IN_LINE,
    index_t, KIND, MAX_SHORT_BYTES, move_to_array, MUTABLE, normalise, Occurrences, occurrences_push, occurrences_to_columns,
    OWN, reserve, scan, Scanner, SENTENCE, SMALL, StrView, Table, table_add, table_find, table_free, table_init, table_insert,
    tag_form, tm_alloc_zeroed, tm_hash, tm_key, tm_prefetch, Tokens, tokens_free, VALUE, view_str, WORD, Word, Words,
    words_find, words_init, words_insert, write_number,
)

__all__ = [
    "Describer", "Tokeniser", "document_frequency", "first_places", "group_rates", "grow_strings", "json_rows", "labels",
    "last_at_most", "lcp_i32", "lcp_i64", "numbered", "occurrences", "rare_pairs", "reduce_tokens", "renumber", "repeats_i32",
    "repeats_i64", "segments", "stretches_i32", "stretches_u8", "string_hashes", "whole_segments",
]


# ----------------------------------------------------------------------------------------------- tokens, suffix array, repeats
# Documents into form ids, reduction, LCP, maximal repeats with document frequency.
#
# In come documents as UTF-8 bytes and suffix arrays, out go columns: form ids, symbols, repeats with their counts.  All of
# it is linear in the tokens but for the repeats, which take O(n log depth).


# ======================================================================================================================
# Tokeniser: documents into ids of forms
# ======================================================================================================================

cdef struct Ints:
    int32_t* data
    int64_t size
    int64_t room


cdef struct Ahead:
    # A token whose place in a table is asked for before it is looked up.
    uint64_t hash
    uint64_t a              # of a short one: its spelling (tm_key)
    uint64_t b
    int64_t size


cdef int ints_reserve(Ints* v, int64_t more) except -1 nogil:
    return reserve(<void**>&v.data, &v.room, v.size + more, sizeof(int32_t))


cdef inline int ints_push(Ints* v, int32_t value) except -1 nogil:
    if v.size == v.room:
        ints_reserve(v, 1)
    v.data[v.size] = value
    v.size += 1
    return 0


cdef enum:
    BATCH = 32      # tokens whose places in the tables are asked for before the first of them is looked up


cdef struct Longs:
    int64_t* data
    int64_t size
    int64_t room


cdef inline int longs_push(Longs* v, int64_t value) except -1 nogil:
    reserve(<void**>&v.data, &v.room, v.size + 1, sizeof(int64_t))
    v.data[v.size] = value
    v.size += 1
    return 0


cdef inline bint is_apart(const uint8_t* p, int64_t start, int64_t end) noexcept nogil:
    """Whether two blanks or more, and nothing else, stand between two tokens."""
    cdef int64_t i, number = 0
    if end - start < 2:
        return False
    for i in range(start, end):
        if 32 < p[i] < 128:
            return False
        number += (p[i] & 0xC0) != 0x80
    return number > 1


cdef class Tokeniser(Scanner):
    """Documents in, ids of normalised tokens out.

    A raw token is interned as a type; the form of a type is found once, when the type is first seen.  With `lines` (last
    argument) a form of its own, id 0, stands before the first token of each line.
    """

    cdef Words words        # form id of each short type
    cdef Table types        # the longer ones
    cdef Table forms
    cdef Ints form_of       # form id of each longer type
    cdef Ints tokens        # form id of each token
    cdef Longs apart        # tokens that several blanks stand before
    cdef Tokens scratch
    cdef uint8_t* room
    cdef int64_t room_size
    cdef bint lines
    cdef Bytes utf8
    cdef list starts
    cdef bint busy          # a thread is at it, which may have let the interpreter's lock go

    def __cinit__(self, bytes separators, bytes mask, list words, list numbers, bint html, bint lines=False, *_):
        memset(&self.form_of, 0, sizeof(Ints))
        memset(&self.tokens, 0, sizeof(Ints))
        memset(&self.apart, 0, sizeof(Longs))
        memset(&self.scratch, 0, sizeof(Tokens))
        self.room = NULL
        self.room_size = 0
        self.utf8 = Bytes(NULL, 0, 0)
        memset(&self.words, 0, sizeof(Words))
        words_init(&self.words, 4096)
        table_init(&self.types)
        table_init(&self.forms)
        self.busy = False
        self.lines = lines
        if lines:
            table_add(&self.forms, b"\n", 1)
        self.starts = [0]

    def __dealloc__(self):
        free(self.words.slots)
        table_free(&self.types)
        table_free(&self.forms)
        free(self.form_of.data)
        free(self.tokens.data)
        free(self.apart.data)
        tokens_free(&self.scratch)
        free(self.room)
        free(self.utf8.data)

    cdef int _enter(self) except -1:
        """One thread at a time, until it sets `busy` back: what is interned lies in one place for all documents."""
        if self.busy:
            raise RuntimeError("expected one thread at a time, another one is at this tokeniser")
        self.busy = True
        return 0

    def add(self, const uint8_t[::1] document not None):
        """Tokenise one more document (UTF-8)."""
        cdef const uint8_t* p = &document[0] if document.shape[0] else NULL
        cdef int64_t n = document.shape[0]
        self._enter()
        try:
            with nogil:
                self._add(p, n)
            self.starts.append(self.tokens.size)
        finally:
            self.busy = False

    def add_all(self, list documents not None):
        """Tokenise some more documents (str, or UTF-8); other threads may run until all of them are done."""
        self.starts.extend(self._each(documents))

    cdef list _each(self, list documents):
        """`_take` each of some documents without the interpreter's lock; how many tokens are held after each."""
        cdef Py_ssize_t i, n
        cdef const uint8_t* p
        cdef bytes data
        cdef int64_t size = 0
        cdef StrView* texts
        cdef int64_t* ends
        cdef bint entered = False
        # The list keeps the texts alive, and nobody else has it: a copy, as the caller's may change meanwhile.
        documents = documents[:]
        n = len(documents)
        texts = <StrView*>malloc((n + 1) * sizeof(StrView))
        ends = <int64_t*>malloc((n + 1) * sizeof(int64_t))
        try:
            if texts == NULL or ends == NULL:
                raise MemoryError
            self._enter()
            entered = True
            for i in range(n):
                document = documents[i]
                if type(document) is str:
                    texts[i] = view_str(document)
                else:
                    data = document
                    # To be read as it stands.
                    texts[i] = StrView(<const uint8_t*>data, len(data), 1, True)
            with nogil:
                for i in range(n):
                    p = encode_utf8(&texts[i], True, &self.utf8, &size)
                    self._take(p, size)
                    ends[i] = self.tokens.size
            return [ends[i] for i in range(n)]
        finally:
            self.busy = self.busy and not entered
            free(texts)
            free(ends)

    cdef int _take(self, const uint8_t* p, int64_t n) except -1 nogil:
        """What is done with a document of a batch; others may do something else."""
        return self._add(p, n)

    cdef int _add(self, const uint8_t* p, int64_t n) except -1 nogil:
        cdef Ahead[BATCH] ahead
        cdef Ahead* one
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
                one = ahead + (i - first)
                q = p + self.scratch.start[i]
                one.size = self.scratch.end[i] - self.scratch.start[i]
                if one.size <= MAX_SHORT_BYTES:
                    one.hash = tm_key(q, one.size, p + n, &one.a, &one.b)
                    tm_prefetch(self.words.slots + (one.hash & self.words.mask))
                elif self.scratch.kind[i] & KIND == WORD:
                    one.hash = tm_hash(q, one.size)
                    tm_prefetch(self.types.slots + (one.hash & self.types.mask))
            for i in range(first, last):
                one = ahead + (i - first)
                if self.lines and self.scratch.kind[i] & FIRST_IN_LINE:
                    ints_push(&self.tokens, 0)
                elif self.lines and i and is_apart(p, self.scratch.end[i - 1], self.scratch.start[i]):
                    longs_push(&self.apart, self.tokens.size)
                if one.size <= MAX_SHORT_BYTES and self.scratch.kind[i] & KIND == WORD:
                    word = words_find(&self.words, one.hash, one.a, one.b, one.size)
                    if word:
                        ints_push(&self.tokens, word.id)
                        continue
                ints_push(&self.tokens, <int32_t>self._id(p + self.scratch.start[i], self.scratch.kind[i] & KIND, one))
        return 0

    cdef int64_t _id(self, const uint8_t* q, uint8_t kind, const Ahead* one) except -1 nogil:
        """Form of a token that is long, mark-up or new."""
        cdef int64_t type_id, form_id
        if kind != WORD:
            # Tags are normalised at once: with their links they hardly ever come twice.
            return self._form(q, one.size, kind)
        if one.size <= MAX_SHORT_BYTES:
            form_id = self._form(q, one.size, WORD)
            words_insert(&self.words, one.hash, one.a, one.b, <int32_t>one.size, <int32_t>form_id)
            return form_id
        type_id = table_find(&self.types, q, one.size, one.hash)
        if type_id >= 0:
            return self.form_of.data[type_id]
        form_id = self._form(q, one.size, WORD)
        # The two stay together where memory runs out between them.
        ints_reserve(&self.form_of, 1)
        table_insert(&self.types, q, one.size, one.hash)
        ints_push(&self.form_of, <int32_t>form_id)
        return form_id

    cdef int64_t _form(self, const uint8_t* p, int64_t n, uint8_t kind) except -1 nogil:
        """Id of a token's form."""
        n = self._normalise(p, n, kind)
        return table_add(&self.forms, self.room, n)

    cdef int64_t _normalise(self, const uint8_t* p, int64_t n, uint8_t kind) except -1 nogil:
        """Put the form of a token into `room`; its bytes."""
        reserve(<void**>&self.room, &self.room_size, 2 * n + 32, 1)
        return normalise(&self.spec, p, n, self.room) if kind == WORD else tag_form(&self.spec, p, n, kind, self.room)

    def gaps(self):
        """Which tokens, as places in what `finish` gives, have two blanks or more before them on their line: int64 array.

        It is asked before `finish`, and only with `lines`.
        """
        return copy_to_array(self.apart.data, self.apart.size * 8, np.int64)

    def finish(self):
        """End of input: what was added is handed over, and the tokeniser is empty again, but for the forms it knows.

        Returns
        -------
        forms : int32 array, shape (tokens,)
        doc_starts : int64 array, shape (documents + 1,)
        arena : uint8 array
            All forms, one after the other.
        offsets : int64 array, shape (forms + 1,)
            Form i is ``arena[offsets[i]:offsets[i + 1]]``.
        """
        self._enter()
        try:
            starts = np.array(self.starts, dtype=np.int64)
            size = self.tokens.size
            # Empty first: what is handed over is not ours any more, whatever becomes of it.
            self.tokens.size = self.tokens.room = self.apart.size = 0
            self.starts = [0]
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

cdef struct Tallied:
    # A form's figures side by side: one cache line a token.
    int64_t count
    int32_t df
    int32_t last            # number of the last document that held it, counted from 1


def document_frequency(const int32_t[::1] forms not None, const int64_t[::1] doc_starts not None, int64_t form_count):
    """Distinct documents that hold each form, and its occurrences: int32 and int64 arrays of shape (form_count,).  O(tokens)."""
    check_within("forms", &forms[0] if forms.shape[0] else NULL, forms.shape[0], 0, form_count)
    check_bounds("doc_starts", &doc_starts[0] if doc_starts.shape[0] else NULL, doc_starts.shape[0], forms.shape[0])
    cdef int32_t[::1] df = np.empty(max(form_count, 1), np.int32)
    cdef int64_t[::1] count = np.empty(max(form_count, 1), np.int64)
    cdef Tallied* tally = <Tallied*>calloc(max(form_count, 1), sizeof(Tallied))
    cdef Tallied* one
    cdef int64_t d, i
    if tally == NULL:
        raise MemoryError
    with nogil:
        for d in range(doc_starts.shape[0] - 1):
            for i in range(doc_starts[d], doc_starts[d + 1]):
                one = tally + forms[i]
                one.count += 1
                if one.last != d + 1:
                    one.last = <int32_t>(d + 1)
                    one.df += 1
        for i in range(form_count):
            df[i] = tally[i].df
            count[i] = tally[i].count
    free(tally)
    return np.asarray(df)[:form_count], np.asarray(count)[:form_count]


cdef inline uint64_t mixed(uint64_t first, uint64_t second) noexcept nogil:
    """One number of two, by two odd numbers without a pattern and the shifts of SplitMix64's finaliser (Steele, Lea and Flood
    2014)."""
    first = first * <uint64_t>0xBF58476D1CE4E5B9 + second
    first = (first ^ first >> 29) * <uint64_t>0x9E3779B97F4A7C15
    return first ^ first >> 31


cdef enum:
    PAIRS_AHEAD = 16      # pairs between asking for a slot and looking at it


cdef int64_t _repeated(uint64_t* pairs, int32_t* owner, int64_t n) except -1:
    """Move those to the front that come twice, or share a slot with another; returns how many."""
    cdef int64_t i, size = 0
    cdef uint64_t mask = 63, slot
    while mask < 4 * <uint64_t>n:
        mask = 2 * mask + 1
    # How often a slot was met: 0, 1, 2 for more; two bits each, four in a byte.
    cdef uint8_t* met = <uint8_t*>tm_alloc_zeroed((mask + 1) // 4)
    if met == NULL:
        raise MemoryError
    with nogil:
        for i in range(n):
            if i + PAIRS_AHEAD < n:
                tm_prefetch(met + ((pairs[i + PAIRS_AHEAD] & mask) >> 2))
            slot = pairs[i] & mask
            if not met[slot >> 2] >> 2 * (slot & 3) & 2:
                met[slot >> 2] += <uint8_t>(1 << 2 * (slot & 3))
        for i in range(n):
            if i + PAIRS_AHEAD < n:
                tm_prefetch(met + ((pairs[i + PAIRS_AHEAD] & mask) >> 2))
            slot = pairs[i] & mask
            pairs[size] = pairs[i]
            owner[size] = owner[i]
            size += met[slot >> 2] >> 2 * (slot & 3) >> 1 & 1
    free(met)
    return size


def rare_pairs(const int32_t[::1] forms not None, const int64_t[::1] doc_starts not None, const uint8_t[::1] kinds not None,
               const uint64_t[::1] hashes not None):
    """Pairs of rare tokens that follow each other in a document, whatever common ones stand between.  O(tokens).

    Parameters
    ----------
    kinds : uint8 array, shape (forms,)
        0 common; 1 rare; 2 rare, and in pairs: those of others are counted but not given.
    hashes : uint64 array, shape (forms,)

    Returns
    -------
    pairs, owner : uint64 and int32 arrays
        A hash of each pair of which both are in pairs, and its document; in their order.  All that come twice, and a few that
        don't: of news, eight or nine pairs in ten come once.
    rare : int64 array, shape (documents,)
        Rare tokens of each document.
    said : uint64 array, shape (documents,)
        Sum of their hashes.
    """
    cdef int64_t documents = doc_starts.shape[0] - 1, d, i, size = 0, place = 0
    if kinds.shape[0] != hashes.shape[0]:
        raise ValueError(f"expected kinds of {hashes.shape[0]} forms, got {kinds.shape[0]}")
    check_within("forms", &forms[0] if forms.shape[0] else NULL, forms.shape[0], 0, kinds.shape[0])
    check_bounds("doc_starts", &doc_starts[0] if doc_starts.shape[0] else NULL, doc_starts.shape[0], forms.shape[0])
    cdef int64_t[::1] rare = np.zeros(max(documents, 1), np.int64)
    cdef uint64_t[::1] said = np.zeros(max(documents, 1), np.uint64)
    cdef uint8_t kind, before
    cdef uint64_t last = 0
    with nogil:
        for d in range(documents):
            before = 0
            for i in range(doc_starts[d], doc_starts[d + 1]):
                kind = kinds[forms[i]]
                if kind:
                    size += kind & before & 2
                    before = kind
    pairs = np.empty(size // 2, np.uint64)
    owner = np.empty(size // 2, np.int32)
    cdef uint64_t[::1] pair_of = pairs if size else np.empty(1, np.uint64)
    cdef int32_t[::1] owner_of = owner if size else np.empty(1, np.int32)
    with nogil:
        for d in range(documents):
            before = 0
            for i in range(doc_starts[d], doc_starts[d + 1]):
                kind = kinds[forms[i]]
                if kind == 0:
                    continue
                rare[d] += 1
                said[d] += hashes[forms[i]]
                if kind & before & 2:
                    pair_of[place] = mixed(last, hashes[forms[i]])
                    owner_of[place] = <int32_t>d
                    place += 1
                before = kind
                last = hashes[forms[i]]
    size = _repeated(&pair_of[0], &owner_of[0], place)
    return pairs[:size], owner[:size], np.asarray(rare)[:documents], np.asarray(said)[:documents]


def reduce_tokens(const int32_t[::1] forms not None, const int64_t[::1] doc_starts not None,
                  const int32_t[::1] symbol_of not None, bint lines=False):
    """Renumber forms and put breaks where `symbol_of` is 0; neighbouring breaks become one, every document ends with one.

    Parameters
    ----------
    lines : bool
        Form 0 is the line break; it is no token of its document.

    Returns
    -------
    symbols : int32 array, shape (length,)
    doc_starts : int64 array, shape (documents + 1,)
        Where each document begins; the last entry is the length.
    runs, run_tokens : int64 and int32 arrays
        Where each stretch without a break begins, and which token of its document stands there, counted from 0.
    """
    check_within("forms", &forms[0] if forms.shape[0] else NULL, forms.shape[0], 0, symbol_of.shape[0])
    check_bounds("doc_starts", &doc_starts[0] if doc_starts.shape[0] else NULL, doc_starts.shape[0], forms.shape[0])
    cdef int64_t documents = doc_starts.shape[0] - 1
    cdef int32_t[::1] symbols = np.empty(forms.shape[0] + documents, np.int32)
    cdef int64_t[::1] begins = np.empty(documents + 1, np.int64)
    cdef int64_t d, i, size = 0, token, begin, end, number = 0, room = 0, token_room = 0
    cdef int64_t* runs = NULL
    cdef int32_t* run_tokens = NULL
    cdef int32_t s, before
    try:
        with nogil:
            for d in range(documents):
                before = 0
                token = 0
                begin = doc_starts[d]
                end = doc_starts[d + 1]
                begins[d] = size
                for i in range(begin, end + 1):
                    s = symbol_of[forms[i]] if i < end else 0
                    if s != 0 or before != 0:
                        if before == 0:
                            reserve(<void**>&runs, &room, number + 1, sizeof(int64_t))
                            reserve(<void**>&run_tokens, &token_room, number + 1, sizeof(int32_t))
                            runs[number] = size
                            run_tokens[number] = <int32_t>token
                            number += 1
                        symbols[size] = s
                        size += 1
                    before = s
                    token += i < end and not (lines and forms[i] == 0)
            begins[documents] = size
        # Not copied: what lies behind was never written to, so it takes no memory.
        return (np.asarray(symbols)[:size], np.asarray(begins),
                copy_to_array(runs, number * sizeof(int64_t), np.int64), copy_to_array(run_tokens, number * sizeof(int32_t), np.int32))
    finally:
        free(runs)
        free(run_tokens)


def last_at_most(const int64_t[::1] starts not None, const int64_t[::1] places not None):
    """For each place the last of the ascending `starts` that is not behind it: int64 array of the shape of `places`.

    A table of every 64th place leaves a few starts to search among.  O(last start / 64 + starts + places).
    """
    cdef int64_t n = starts.shape[0], i, k, low, high, middle, top
    for i in range(n):
        if starts[i] < 0 or (i and starts[i] < starts[i - 1]):
            raise ValueError(f"starts: expected ascending places, got {starts[i]} at place {i}")
    for i in range(places.shape[0]):
        if n == 0 or places[i] < starts[0]:
            raise ValueError(f"places: expected none before the first start, got {places[i]} at place {i}")
    top = starts[n - 1] >> 6 if n else 0
    cdef int64_t[::1] table = np.empty(top + 2, np.int64)
    cdef int64_t[::1] out = np.empty(max(places.shape[0], 1), np.int64)
    with nogil:
        i = 0
        for k in range(top + 1):
            # How many starts lie before 64 k.
            while i < n and starts[i] < k << 6:
                i += 1
            table[k] = i
        table[top + 1] = n
        for i in range(places.shape[0]):
            k = min(places[i] >> 6, top)
            low = max(table[k] - 1, 0)
            high = table[k + 1] - 1
            while low < high:
                middle = (low + high + 1) >> 1
                if starts[middle] <= places[i]:
                    low = middle
                else:
                    high = middle - 1
            out[i] = low
    return np.asarray(out)[: places.shape[0]]


# ======================================================================================================================
# LCP: Kasai, Lee, Arimura, Arikawa and Park (2001), in the order of the text, stopped at breaks
# ======================================================================================================================

cdef void _lcp(const int32_t* text, int64_t n, const index_t* sa, index_t* plcp, index_t* lcp) noexcept nogil:
    # plcp first holds phi: the suffix that stands before suffix i in the suffix array (Karkkainen, Manzini, Puglisi 2009).
    cdef int64_t i, j, h = 0
    plcp[sa[0]] = -1
    for i in range(1, n):
        plcp[sa[i]] = sa[i - 1]
    for i in range(n):
        j = plcp[i]
        # -1, or whatever stood there if `sa` is no permutation.
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
            _lcp[int32_t](&text[0], text.shape[0], &sa[0], &plcp[0], &out[0])
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
            _lcp[int64_t](&text[0], text.shape[0], &sa[0], &plcp[0], &out[0])
    return np.asarray(out)[: text.shape[0]]


# ======================================================================================================================
# Maximal repeats with document frequency
# ======================================================================================================================
#
# One pass over the LCP array with a stack of open intervals.  Document frequency is the colour set size of Hui (CPM
# 1992): an interval of m suffixes holds m - c documents, where c counts, for each suffix in it, whether the last suffix
# of the same document stands in it too.  That pair is booked at the innermost open interval that holds both, found by
# binary search on the left bounds of the stack, and handed to the enclosing interval when one closes.

cdef struct Open:
    int64_t lcp
    int64_t left            # first rank of the interval
    int64_t repeated        # suffixes whose document came before within the interval
    int32_t before          # symbol before every occurrence so far; UNSET or MIXED


cdef enum:
    UNSET = -1
    MIXED = -2


cdef inline int32_t join(int32_t a, int32_t b) noexcept nogil:
    """What stands before two sets of occurrences; a break differs from everything, itself included."""
    if a == UNSET:
        return b
    if b == UNSET:
        return a
    return a if a == b and a != MIXED else MIXED


cdef int _repeats(const int32_t* text, const int32_t* doc_of, const index_t* sa, const index_t* lcp, int64_t n, int64_t* last,
                  int64_t min_tokens, int64_t min_df, Occurrences* out) except -1 nogil:
    cdef Open* stack = NULL
    cdef Open top
    cdef int64_t size = 0, room = 0, r, h, rank, low, high, middle, df
    cdef int32_t before, document
    cdef bint fresh
    try:
        room = 1024
        stack = <Open*>malloc(room * sizeof(Open))
        if stack == NULL:
            raise MemoryError
        stack[0].lcp = 0
        stack[0].left = 0
        stack[0].repeated = 0
        stack[0].before = MIXED
        size = 1
        before = UNSET
        for r in range(n + 1):
            # `before` is what stands before suffix r - 1.
            h = lcp[r] if 0 < r < n else 0
            if r > 0:
                fresh = False
                if h > stack[size - 1].lcp:
                    top.left = r - 1
                    top.repeated = 0
                    top.before = before
                    fresh = True
                else:
                    stack[size - 1].before = join(stack[size - 1].before, before)
                    while stack[size - 1].lcp > h:
                        top = stack[size - 1]
                        size -= 1
                        df = (r - top.left) - top.repeated
                        if top.before == MIXED and top.lcp >= min_tokens and df >= min_df:
                            occurrences_push(out, top.left, top.lcp, r - top.left, df)
                        if stack[size - 1].lcp < h:
                            # The interval of h begins where the closed one began and holds all of it.
                            fresh = True
                            break
                        stack[size - 1].repeated += top.repeated
                        stack[size - 1].before = join(stack[size - 1].before, top.before)
                if fresh:
                    reserve(<void**>&stack, &room, size + 1, sizeof(Open))
                    top.lcp = h
                    stack[size] = top
                    size += 1
            if r == n:
                break
            before = text[sa[r] - 1] if sa[r] > 0 else 0
            if before == 0:
                before = MIXED
            document = doc_of[sa[r]]
            rank = last[document]
            last[document] = r
            if size > 1 and rank >= stack[1].left:
                # Innermost open interval with left <= rank; intervals with one left bound are nested, the last is the longest.
                low = 1
                high = size - 1
                while low < high:
                    middle = (low + high + 1) >> 1
                    if stack[middle].left <= rank:
                        low = middle
                    else:
                        high = middle - 1
                stack[low].repeated += 1
    finally:
        free(stack)
    return 0


def repeats_i32(const int32_t[::1] text not None, const int32_t[::1] doc_of not None, const int32_t[::1] sa not None,
                const int32_t[::1] lcp not None, int64_t documents, int64_t min_tokens, int64_t min_df):
    """Maximal strings of at least `min_tokens` tokens in at least `min_df` documents.  O(n log depth).

    A string is maximal if no token more to its left or right keeps all its occurrences; breaks and document ends count
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
    cdef Occurrences found
    memset(&found, 0, sizeof(Occurrences))
    cdef int64_t[::1] last = np.full(max(documents, 1), -1, np.int64)
    try:
        if text.shape[0]:
            with nogil:
                _repeats[int32_t](&text[0], &doc_of[0], &sa[0], &lcp[0], text.shape[0], &last[0], max(min_tokens, 1), min_df,
                                  &found)
    finally:
        columns = occurrences_to_columns(&found)
    return columns


def repeats_i64(const int32_t[::1] text not None, const int32_t[::1] doc_of not None, const int64_t[::1] sa not None,
                const int64_t[::1] lcp not None, int64_t documents, int64_t min_tokens, int64_t min_df):
    """As `repeats_i32` for 64-bit suffix and LCP arrays."""
    if not text.shape[0] == doc_of.shape[0] == sa.shape[0] == lcp.shape[0]:
        raise ValueError(f"expected equal lengths, got {text.shape[0]}, {doc_of.shape[0]}, {sa.shape[0]} and {lcp.shape[0]}")
    check_within("text", &text[0] if text.shape[0] else NULL, text.shape[0], 0, 0x7FFFFFFF)
    check_within("doc_of", &doc_of[0] if doc_of.shape[0] else NULL, doc_of.shape[0], 0, documents)
    check_within("sa", &sa[0] if sa.shape[0] else NULL, sa.shape[0], 0, text.shape[0])
    check_within("lcp", &lcp[0] if lcp.shape[0] else NULL, lcp.shape[0], 0, text.shape[0])
    cdef Occurrences found
    memset(&found, 0, sizeof(Occurrences))
    cdef int64_t[::1] last = np.full(max(documents, 1), -1, np.int64)
    try:
        if text.shape[0]:
            with nogil:
                _repeats[int64_t](&text[0], &doc_of[0], &sa[0], &lcp[0], text.shape[0], &last[0], max(min_tokens, 1), min_df,
                                  &found)
    finally:
        columns = occurrences_to_columns(&found)
    return columns


# ----------------------------------------------------------------------------------------------------------- segments of lines
# Lines, and the sentences and items of lists within them: what a template is a whole of, or a beginning or end of.


cdef enum:
    SHORTENED = 2048    # a form whose full stop ends no sentence, beside the bits of `_scan.form_traits`


def segments(const int32_t[::1] forms not None, const int64_t[::1] doc_starts not None, const uint16_t[::1] traits not None,
             const int64_t[::1] gaps not None, bint lines):
    """Cut documents into segments: lines, and within lines sentences and the items of lists.  O(tokens).

    A sentence ends behind a form that ends one (trait 2), unless it is an abbreviation (2048) or a form that begins with a
    small letter follows; an item begins with a sign that parts items (1024).  A closing mark that is a token of its own
    belongs to what it closes.

    Parameters
    ----------
    forms : int32 array, shape (tokens,)
    doc_starts : int64 array, shape (documents + 1,)
    traits : uint16 array, shape (forms,)
        What `_scan.form_traits` says of each form, and 2048 for abbreviations.
    gaps : int64 array
        Places of tokens, ascending, that begin a segment whatever stands before them.
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
        Whether it begins its line.
    doc_tokens : int64 array, shape (documents + 1,)
        Where each document begins in `tokens`.
    """
    check_within("forms", &forms[0] if forms.shape[0] else NULL, forms.shape[0], 0, traits.shape[0])
    check_bounds("doc_starts", &doc_starts[0] if doc_starts.shape[0] else NULL, doc_starts.shape[0], forms.shape[0])
    cdef int64_t n = forms.shape[0], documents = doc_starts.shape[0] - 1, d, i, size = 0, number = 0, gap = 0
    cdef int32_t[::1] tokens = np.empty(max(n, 1), np.int32)
    cdef int64_t[::1] bounds = np.empty(n + 1, np.int64)
    cdef int32_t[::1] document = np.empty(max(n, 1), np.int32)
    cdef uint8_t[::1] begins = np.empty(max(n, 1), np.uint8)
    cdef int64_t[::1] doc_tokens = np.empty(documents + 1, np.int64)
    cdef uint16_t trait, before
    cdef bint line, begin
    with nogil:
        for d in range(documents):
            doc_tokens[d] = size
            line = True
            before = 0
            for i in range(doc_starts[d], doc_starts[d + 1]):
                if lines and forms[i] == 0:
                    line = True
                    continue
                trait = traits[forms[i]]
                begin = (before & (SENTENCE | SHORTENED)) == SENTENCE and not trait & SMALL
                begin = begin or (trait & BULLET and not before & BULLET)
                while gap < gaps.shape[0] and gaps[gap] < i:
                    gap += 1
                begin = begin or (gap < gaps.shape[0] and gaps[gap] == i)
                begin = begin and (trait & (OWN | CLAUSE)) != (OWN | CLAUSE)
                if line or begin:
                    bounds[number] = size
                    document[number] = <int32_t>d
                    begins[number] = line
                    number += 1
                tokens[size] = forms[i]
                size += 1
                line = False
                before = trait
        doc_tokens[documents] = size
        bounds[number] = size
    # Not copied: what lies behind was never written to, so it takes no memory.
    return (np.asarray(tokens)[:size], np.asarray(bounds)[: number + 1], np.asarray(document)[:number],
            np.asarray(begins)[:number], np.asarray(doc_tokens))


cdef struct Step:
    uint64_t key        # 1 + state * symbols + token, 0 for none
    int32_t state


def occurrences(const int32_t[::1] text not None, const int64_t[::1] doc_starts not None, const int32_t[::1] tokens not None,
                const int64_t[::1] bounds not None, int64_t symbols):
    """How often each of some strings occurs anywhere in some documents: int64 array, shape (strings,).

    A trie of the strings is walked from each token: O(tokens of the strings, and a few steps a token of the text).

    Parameters
    ----------
    text, doc_starts : int32 and int64 arrays
        Document d is ``text[doc_starts[d]:doc_starts[d + 1]]``, symbols from 0 to `symbols` - 1.
    tokens, bounds : int32 and int64 arrays
        String i is ``tokens[bounds[i]:bounds[i + 1]]``, of one token at least.  Of equal ones each is counted.
    """
    check_within("text", &text[0] if text.shape[0] else NULL, text.shape[0], 0, symbols)
    check_within("tokens", &tokens[0] if tokens.shape[0] else NULL, tokens.shape[0], 0, symbols)
    check_bounds("doc_starts", &doc_starts[0] if doc_starts.shape[0] else NULL, doc_starts.shape[0], text.shape[0])
    check_bounds("bounds", &bounds[0] if bounds.shape[0] else NULL, bounds.shape[0], tokens.shape[0])
    cdef int64_t n = bounds.shape[0] - 1, i, k, d, end, room = 64
    cdef int32_t states = 0, state
    cdef int64_t[::1] counts = np.zeros(max(n, 1), np.int64)
    cdef int32_t[::1] same = np.empty(max(n, 1), np.int32)      # the first of the strings that are equal
    cdef int32_t[::1] first = np.full(max(symbols, 1), -1, np.int32)    # state behind one token
    cdef int32_t[::1] ending = np.full(tokens.shape[0] + 1, -1, np.int32)       # string that ends in a state
    cdef uint64_t mask, key
    cdef Step* steps
    cdef Step* step
    cdef uint8_t* known         # a bit for the hash of each step: it fits a nearer cache, and most tokens have no step
    if tokens.shape[0] > 2**31 - 2:
        raise ValueError(f"expected strings of fewer than 2^31 - 1 tokens in all, got {tokens.shape[0]}")
    for i in range(n):
        if bounds[i] == bounds[i + 1]:
            raise ValueError(f"string {i}: expected a token at least, got none")
    while room < 2 * tokens.shape[0]:
        room *= 2
    mask = room - 1
    steps = <Step*>calloc(room, sizeof(Step))
    known = <uint8_t*>calloc(room, 1)
    if steps == NULL or known == NULL:
        free(steps)
        free(known)
        raise MemoryError
    with nogil:
        for i in range(n):
            state = first[tokens[bounds[i]]]
            if state < 0:
                state = first[tokens[bounds[i]]] = states
                states += 1
            for k in range(bounds[i] + 1, bounds[i + 1]):
                key = 1 + <uint64_t>state * <uint64_t>symbols + <uint64_t>tokens[k]
                step = step_of(steps, mask, key)
                if step.key == 0:
                    step.key = key
                    known[step_hash(key) >> 3 & mask] |= 1 << (step_hash(key) & 7)
                    step.state = states
                    states += 1
                state = step.state
            if ending[state] < 0:
                ending[state] = <int32_t>i
            same[i] = ending[state]
        for d in range(doc_starts.shape[0] - 1):
            end = doc_starts[d + 1]
            for i in range(doc_starts[d], end):
                state = first[text[i]]
                k = i + 1
                while state >= 0:
                    if ending[state] >= 0:
                        counts[ending[state]] += 1
                    if k == end:
                        break
                    key = 1 + <uint64_t>state * <uint64_t>symbols + <uint64_t>text[k]
                    if not known[step_hash(key) >> 3 & mask] >> (step_hash(key) & 7) & 1:
                        break
                    step = step_of(steps, mask, key)
                    state = step.state if step.key else -1
                    k += 1
    free(steps)
    free(known)
    return np.asarray(counts)[np.asarray(same)[:n]]


cdef inline uint64_t step_hash(uint64_t key) noexcept nogil:
    return (key * <uint64_t>0x9E3779B97F4A7C15) >> 20


cdef inline Step* step_of(Step* steps, uint64_t mask, uint64_t key) noexcept nogil:
    """A step of the trie, or where it would stand."""
    cdef uint64_t place = step_hash(key) & mask
    while steps[place].key and steps[place].key != key:
        place = (place + 1) & mask
    return steps + place


# ------------------------------------------------------------------------------------------- candidates and what is known of them
# Segments that repeat, what others begin or end with, and the features of both.
#
# In come the segments of a source, out go the occurrences of each candidate and a row of features for each.  Linear in
# segments and occurrences but for the sorts by token, which take a pass for eight bits of them.


def numbered(const uint64_t[::1] hashes not None, const int32_t[::1] document not None):
    """A number for each different hash, in the order in which they come, and the documents that hold it.  O(hashes).

    Parameters
    ----------
    hashes : uint64 array
    document : int32 array
        Ascending.

    Returns
    -------
    number : int32 array, shape (hashes,)
    df : int32 array, shape (different hashes,)
    """
    cdef int64_t n = hashes.shape[0], i, room = 64
    cdef int32_t size = 0
    if document.shape[0] != n:
        raise ValueError(f"expected equal lengths, got {n} and {document.shape[0]}")
    if n > 2**31 - 1:
        raise ValueError(f"expected fewer than 2^31 hashes, got {n}")
    cdef int32_t[::1] number = np.empty(max(n, 1), np.int32)
    cdef int32_t[::1] df = np.empty(max(n, 1), np.int32)
    cdef int32_t[::1] last = np.empty(max(n, 1), np.int32)
    while room < 2 * n:
        room *= 2
    cdef uint64_t place, mask = room - 1
    cdef int32_t* slots = <int32_t*>calloc(room, sizeof(int32_t))       # 1 + number
    cdef uint64_t* keys = <uint64_t*>malloc(max(n, 1) * sizeof(uint64_t))
    if slots == NULL or keys == NULL:
        free(slots)
        free(keys)
        raise MemoryError
    with nogil:
        for i in range(n):
            place = (hashes[i] * <uint64_t>0x9E3779B97F4A7C15) >> 20 & mask
            while slots[place] and keys[slots[place] - 1] != hashes[i]:
                place = (place + 1) & mask
            if slots[place] == 0:
                keys[size] = hashes[i]
                df[size] = 0
                last[size] = -1
                size += 1
                slots[place] = size
            number[i] = slots[place] - 1
            if last[number[i]] != document[i]:
                last[number[i]] = document[i]
                df[number[i]] += 1
    free(slots)
    free(keys)
    return np.asarray(number)[:n], np.asarray(df)[:size].copy()


cdef inline bint is_alone(const uint8_t* begins, int64_t n, int64_t i) noexcept nogil:
    """Whether a segment is a line."""
    return begins[i] != 0 and (i + 1 == n or begins[i + 1] != 0)


def whole_segments(const int32_t[::1] string not None, const int32_t[::1] string_df not None, const int32_t[::1] document not None,
                   const uint8_t[::1] begins not None, int64_t least):
    """The segments that repeat, those that are alone on their line apart from the others.  O(segments).

    Parameters
    ----------
    string, string_df, document : int32 arrays, shape (segments,)
        See `segments.Segments`; documents ascend.
    begins : uint8 array, shape (segments,)
        Whether each begins its line; the last ends one.
    least : int
        Documents that each must be in, as it is alone or not.

    Returns
    -------
    segment : int64 array, shape (occurrences,)
        One candidate after the other, ascending within each.
    bounds : int64 array, shape (candidates + 1,)
    df : int32 array, shape (candidates,)
    """
    cdef int64_t n = string.shape[0], i, key, size = 0, taken = 0, here
    if not n == string_df.shape[0] == document.shape[0] == begins.shape[0]:
        raise ValueError("expected equal lengths")
    check_within("string", &string[0] if n else NULL, n, 0, n)
    cdef int64_t[::1] first = np.zeros(2 * n + 1, np.int64)     # occurrences, then where the first of them is put
    cdef int32_t[::1] df = np.zeros(2 * n + 1, np.int32)
    cdef int32_t[::1] last = np.full(2 * n + 1, -1, np.int32)
    with nogil:
        for i in range(n):
            if string_df[i] >= least:
                key = 2 * <int64_t>string[i] + is_alone(&begins[0], n, i)
                first[key] += 1
                if last[key] != document[i]:
                    last[key] = document[i]
                    df[key] += 1
        for key in range(2 * n):
            here = first[key] if df[key] >= least else 0
            first[key] = taken if here else -1
            taken += here
            size += here > 0
    cdef int64_t[::1] segment = np.empty(max(taken, 1), np.int64)
    cdef int64_t[::1] bounds = np.empty(size + 1, np.int64)
    cdef int32_t[::1] kept = np.empty(max(size, 1), np.int32)
    with nogil:
        size = 0
        for key in range(2 * n):
            if first[key] >= 0:
                bounds[size] = first[key]
                kept[size] = df[key]
                size += 1
        bounds[size] = taken
        for i in range(n):
            if string_df[i] >= least:
                key = 2 * <int64_t>string[i] + is_alone(&begins[0], n, i)
                if first[key] >= 0:
                    segment[first[key]] = i
                    first[key] += 1
    return np.asarray(segment)[:taken], np.asarray(bounds), np.asarray(kept)[:size]


cdef struct Edge:
    # A segment by the token that its label is to grow by.
    uint32_t token
    int32_t segment


cdef struct Level:
    # Some segments by what they begin with: label i has ``edges[bounds[i]:bounds[i + 1]]``, in which segments ascend.
    Edge* edges
    int32_t* bounds
    int32_t* among          # occurrences of the label that is a token shorter
    int32_t* most           # of the most frequent one that is a token longer
    int32_t* df
    int32_t* parents        # bounds of labels that are to grow
    int32_t* parent         # and which of the level before each is
    int64_t size
    int64_t labels
    int64_t growing


cdef bint level_init(Level* level, int64_t n) noexcept nogil:
    """Room for n segments; what is not written to takes no memory."""
    cdef size_t size = (n + 1) * sizeof(int32_t)
    level.edges = <Edge*>malloc((n + 1) * sizeof(Edge))
    level.bounds = <int32_t*>malloc(size)
    level.among = <int32_t*>malloc(size)
    level.most = <int32_t*>malloc(size)
    level.df = <int32_t*>malloc(size)
    level.parents = <int32_t*>malloc(size + sizeof(int32_t))
    level.parent = <int32_t*>malloc(size)
    level.size = level.labels = level.growing = 0
    return (level.edges != NULL and level.bounds != NULL and level.among != NULL and level.most != NULL and level.df != NULL
            and level.parents != NULL and level.parent != NULL)


cdef void level_free(Level* level) noexcept nogil:
    free(level.edges)
    free(level.bounds)
    free(level.among)
    free(level.most)
    free(level.df)
    free(level.parents)
    free(level.parent)


cdef void sort_edges(Edge* edges, Edge* spare, int64_t n, uint32_t greatest) noexcept nogil:
    """By their tokens; of equal ones the order stays."""
    cdef int64_t i, k
    cdef int64_t[256] start
    cdef int64_t sum, here
    cdef Edge one
    cdef Edge* given = edges
    cdef Edge* taken = spare
    cdef Edge* other
    cdef int shift = 0
    if n <= 32:
        for i in range(1, n):
            one = edges[i]
            k = i
            while k > 0 and edges[k - 1].token > one.token:
                edges[k] = edges[k - 1]
                k -= 1
            edges[k] = one
        return
    while shift == 0 or (shift < 32 and greatest >> shift):
        memset(start, 0, sizeof(start))
        for i in range(n):
            start[given[i].token >> shift & 255] += 1
        sum = 0
        for k in range(256):
            here = start[k]
            start[k] = sum
            sum += here
        for i in range(n):
            k = given[i].token >> shift & 255
            taken[start[k]] = given[i]
            start[k] += 1
        other = given
        given = taken
        taken = other
        shift += 8
    if given != edges:
        memcpy(edges, given, n * sizeof(Edge))


cdef struct Labels:
    # What is kept, a column each.
    int64_t* segment
    int64_t* bounds
    int32_t* length
    int32_t* df
    float* longer
    float* shorter
    int64_t labels
    int64_t size


cdef void labels_free(Labels* out) noexcept nogil:
    free(out.segment)
    free(out.bounds)
    free(out.length)
    free(out.df)
    free(out.longer)
    free(out.shorter)


cdef int labels_room(Labels* out, int64_t labels, int64_t size) except -1 nogil:
    """So many more, and so many more occurrences of them."""
    # Each on its own: `reserve` says what there is room for now.
    cdef int64_t room = 0
    reserve(<void**>&out.segment, &room, out.size + size, sizeof(int64_t))
    room = 0
    reserve(<void**>&out.bounds, &room, out.labels + labels + 1, sizeof(int64_t))
    room = 0
    reserve(<void**>&out.length, &room, out.labels + labels, sizeof(int32_t))
    room = 0
    reserve(<void**>&out.df, &room, out.labels + labels, sizeof(int32_t))
    room = 0
    reserve(<void**>&out.longer, &room, out.labels + labels, sizeof(float))
    room = 0
    reserve(<void**>&out.shorter, &room, out.labels + labels, sizeof(float))
    return 0


cdef inline bint is_kept(const Level* level, int64_t i, int64_t least, double maximal) noexcept nogil:
    return level.df[i] >= least and level.most[i] < maximal * (level.bounds[i + 1] - level.bounds[i])


cdef int keep_labels(Labels* out, const Level* level, int32_t length, int64_t least, double maximal) except -1 nogil:
    """The labels of one length that are in enough documents, and of which no longer one has nearly all occurrences."""
    cdef int64_t i, k, n, labels = 0, size = 0
    for i in range(level.labels):
        if is_kept(level, i, least, maximal):
            labels += 1
            size += level.bounds[i + 1] - level.bounds[i]
    labels_room(out, labels, size)
    for i in range(level.labels):
        if not is_kept(level, i, least, maximal):
            continue
        n = level.bounds[i + 1] - level.bounds[i]
        out.bounds[out.labels] = out.size
        out.length[out.labels] = length
        out.df[out.labels] = level.df[i]
        out.longer[out.labels] = <float>(<double>level.most[i] / <double>n)
        out.shorter[out.labels] = <float>(<double>n / <double>max(level.among[i], 1))
        for k in range(level.bounds[i], level.bounds[i + 1]):
            out.segment[out.size] = level.edges[k].segment
            out.size += 1
        out.labels += 1
    return 0


cdef void split_labels(Level* level, Level* before, Edge* spare, const int32_t* document, uint32_t greatest) noexcept nogil:
    """The labels of a level, of its parents and the tokens of its edges."""
    cdef int64_t p, i, start, end, size, at = 0
    cdef int32_t seen = -1
    for p in range(level.growing):
        start, end = level.parents[p], level.parents[p + 1]
        sort_edges(level.edges + start, spare, end - start, greatest)
        for i in range(start, end):
            if i == start or level.edges[i].token != level.edges[i - 1].token:
                level.bounds[at] = <int32_t>i
                level.among[at] = <int32_t>(end - start)
                level.df[at] = level.most[at] = 0
                if before != NULL:
                    size = level.parent[p]
                    level.among[at] = before.bounds[size + 1] - before.bounds[size]
                at += 1
                seen = -1
            if document[level.edges[i].segment] != seen:
                seen = document[level.edges[i].segment]
                level.df[at - 1] += 1
            if before != NULL:
                size = i + 1 - level.bounds[at - 1]
                before.most[level.parent[p]] = max(before.most[level.parent[p]], <int32_t>size)
    level.labels = at
    level.bounds[at] = <int32_t>level.size


cdef void next_level(const Level* level, Level* after, const int64_t* bounds, int64_t least, int64_t beside) noexcept nogil:
    """The segments whose labels may grow: frequent ones, with more than so many tokens."""
    cdef int64_t i, k, at
    after.size = after.growing = 0
    after.parents[0] = 0
    for i in range(level.labels):
        if level.bounds[i + 1] - level.bounds[i] < least:
            continue
        for k in range(level.bounds[i], level.bounds[i + 1]):
            at = level.edges[k].segment
            if bounds[at + 1] - bounds[at] > beside:
                after.edges[after.size].segment = <int32_t>at
                after.size += 1
        if after.size > after.parents[after.growing]:
            after.parent[after.growing] = <int32_t>i
            after.growing += 1
            after.parents[after.growing] = <int32_t>after.size


cdef int _labels(Labels* out, Level* levels, Edge* spare, const int32_t* tokens, const int64_t* bounds,
                 const int32_t* document, uint32_t greatest, bint last, int32_t longest, int64_t least,
                 double maximal) except -1 nogil:
    cdef int64_t i, k
    cdef int32_t size
    cdef Level* level
    cdef Level* before = NULL
    for size in range(1, longest + 2):
        level = levels + size % 2
        for i in range(level.size):
            k = level.edges[i].segment
            level.edges[i].token = <uint32_t>tokens[bounds[k + 1] - size if last else bounds[k] + size - 1]
        split_labels(level, before, spare, document, greatest)
        if before != NULL:
            keep_labels(out, before, size - 1, least, maximal)
        if size > longest or (before != NULL and level.size == 0):
            return 0
        before = level
        # A label has something beside it; one that is a token too long is asked of the others only.
        next_level(level, levels + (size + 1) % 2, bounds, least, min(size + 1, longest))
    return 0


def labels(const int32_t[::1] tokens not None, const int64_t[::1] bounds not None, const int32_t[::1] document not None,
           const int32_t[::1] string_df not None, int64_t repeats, bint last, int32_t longest, int64_t least, double maximal):
    """What segments begin (end) with that do not repeat, shortest first.

    Parameters
    ----------
    tokens, bounds, document, string_df
        See `segments.Segments`; documents ascend.
    repeats : int
        Segments in so many documents, or of one token, tell nothing.
    last : bool
        What they end with.
    longest, least : int
        Tokens at most, and documents at least.
    maximal : float
        No label is one of which a longer one has this share of the occurrences.

    Returns
    -------
    segment : int64 array, shape (occurrences,)
        One label after the other, ascending within each.
    bounds : int64 array, shape (labels + 1,)
    length, df : int32 arrays, shape (labels,)
    longer, shorter : float32 arrays, shape (labels,)
        See `labels.Candidates`.
    """
    cdef int64_t n = document.shape[0], i
    check_bounds("bounds", &bounds[0] if bounds.shape[0] else NULL, bounds.shape[0], tokens.shape[0])
    if not n == bounds.shape[0] - 1 == string_df.shape[0]:
        raise ValueError(f"expected equal lengths, got {bounds.shape[0] - 1}, {n} and {string_df.shape[0]}")
    if not (1 <= longest < 1 << 20 and least >= 1 and n < 2**31 - 1):
        raise ValueError("expected labels of a token and a document at least, in fewer than 2^31 - 1 segments")
    check_within("tokens", &tokens[0] if tokens.shape[0] else NULL, tokens.shape[0], 0, (<int64_t>1 << 31) - 1)
    check_within("document", &document[0] if n else NULL, n, 0, (<int64_t>1 << 31) - 1)
    cdef uint32_t greatest = 0
    cdef Level[2] levels
    cdef Labels out
    cdef Edge* spare = <Edge*>malloc((n + 1) * sizeof(Edge))
    memset(&out, 0, sizeof(Labels))
    cdef bint able = level_init(&levels[0], n)
    able = level_init(&levels[1], n) and able and spare != NULL
    try:
        if not able:
            raise MemoryError
        with nogil:
            for i in range(tokens.shape[0]):
                greatest = max(greatest, <uint32_t>tokens[i])
            for i in range(n):
                if string_df[i] < repeats and bounds[i + 1] - bounds[i] > 1:
                    levels[1].edges[levels[1].size].segment = <int32_t>i
                    levels[1].size += 1
            levels[1].parents[0] = 0
            levels[1].parents[1] = <int32_t>levels[1].size
            levels[1].growing = levels[1].size > 0
            labels_room(&out, 1, 1)
            _labels(&out, levels, spare, &tokens[0] if tokens.shape[0] else NULL, &bounds[0], &document[0] if n else NULL,
                    greatest, last, longest, least, maximal)
            out.bounds[out.labels] = out.size
        return (move_to_array(<void**>&out.segment, out.size * sizeof(int64_t), np.int64),
                copy_to_array(out.bounds, (out.labels + 1) * sizeof(int64_t), np.int64),
                copy_to_array(out.length, out.labels * sizeof(int32_t), np.int32),
                copy_to_array(out.df, out.labels * sizeof(int32_t), np.int32),
                copy_to_array(out.longer, out.labels * sizeof(float), np.float32),
                copy_to_array(out.shorter, out.labels * sizeof(float), np.float32))
    finally:
        free(spare)
        level_free(&levels[0])
        level_free(&levels[1])
        labels_free(&out)


cdef struct Seg:
    # A segment, and what is before it in its source: ink, capitals and mutable tokens are sums over all before it.
    int64_t ink
    uint32_t capitals       # modulo 2^32, as only differences are asked for
    uint32_t mutables
    int32_t back            # segments of its line before it
    int32_t ahead           # and from it on
    int32_t document
    int32_t string
    int32_t df
    int32_t length
    uint32_t flags


cdef enum:
    BEGINS = 1              # its line
    ENDS = 2
    CLOSED = 4              # its last token closes something, or ends a sentence
    STOPPED = 8             # or is a colon
    ENDED = 16              # its last token ends a sentence
    GOES = 32               # its first token goes on with what is before it
    LOGARITHMS = 65536      # that are looked up
    LEAF = 128              # occurrences whose values are added up at a time
    HEAD = 12               # tokens of a long segment by which it is looked for anywhere
    NEAR = 3
    TENTHS = 10
    IS_SEGMENT = 0          # places of the kinds in `labels.KINDS`
    IS_PREFIX = 1
    IS_SUFFIX = 2


cdef enum:
    # What is averaged over occurrences: sums of doubles, in the order in which numpy adds them up (`_sums`).
    V_POSITION, V_POSITION_2, V_EDGE, V_START, V_END, V_SEGMENT, V_LINE, V_BEFORE_DF, V_AFTER_DF, V_BEFORE_TOKENS
    V_AFTER_TOKENS
    V_SHARED                # of labels alone from here on
    V_FILL = V_SHARED
    V_FILL_2, V_INK, V_CAPITALS, V_MUTABLES, V_REST, V_REST_2, V_REST_CAPITALS, V_REST_SEGMENTS
    VALUES


cdef enum:
    # And what is counted.
    C_ALONE, C_BEGINS, C_ENDS, C_FIRST, C_LAST, C_NEAR, C_CLOSED, C_BEFORE_REPEATS, C_AFTER_REPEATS, C_BESIDE, C_IN_PROSE
    C_BEFORE_CLOSED, C_BEFORE_OPEN, C_GOES_ON, C_TORN
    C_CAPITAL, C_SMALL, C_MUTABLE, C_REST_CLOSED
    COUNTS


cdef enum:
    # The features, in the order of `features.FEATURES`.
    F_DOCUMENTS, F_SHARE, F_EACH, F_SPAN, F_DENSE, F_BUSIEST
    F_ALONE, F_BEGINS, F_ENDS, F_POSITION, F_POSITION_SD, F_EDGE, F_FROM_START, F_FROM_END, F_FIRST, F_LAST, F_NEAR
    F_SEGMENT, F_LINE, F_CLOSED, F_BEFORE_DF, F_AFTER_DF, F_BEFORE_REPEATS, F_AFTER_REPEATS, F_BESIDE, F_IN_PROSE
    F_BEFORE_SAME, F_AFTER_SAME, F_BEFORE_TOKENS, F_AFTER_TOKENS, F_BEFORE_CLOSED, F_BEFORE_OPEN, F_GOES_ON, F_TORN
    F_TOKENS, F_CHARACTERS, F_INFORMATION, F_BITS, F_CAPITALS, F_MUTABLE, F_FIGURES, F_SMALL, F_SCRIPT
    F_SMALL_FIRST, F_CAPITAL_FIRST, F_COLON_LAST, F_CLOSED_LAST, F_SENTENCE_LAST, F_OWN
    F_SHARED
    F_STRING_SHARE = F_SHARED
    F_OF_SEGMENTS
    F_LONGER = F_SHARED
    F_SHORTER, F_SAME_BESIDE, F_KINDS_BESIDE, F_CAPITAL_BESIDE, F_SMALL_BESIDE, F_MUTABLE_BESIDE
    F_FILL, F_FILL_SD, F_FILL_CHARACTERS, F_FILL_CAPITALS, F_FILL_MUTABLE
    F_REST, F_REST_SD, F_REST_CAPITALS, F_REST_CLOSED, F_REST_SEGMENTS, F_EDGE_OWN, F_LIFT
    F_OF_LABELS


cdef struct Own:
    # A candidate, and what its own tokens are.
    int kind
    int64_t length
    int64_t ink
    int64_t capitals
    int64_t mutables
    double bits
    int64_t figures
    int64_t smalls
    int64_t characters      # of scripts without spaces


cdef class Describer:
    """What the features of all candidates of a source have in common, and the features.

    Parameters
    ----------
    tokens, doc_tokens, bounds, document, begins, string, string_df, traits
        See `segments.Segments`; documents ascend.
    counts : int64 array, shape (forms,)
        Occurrences of each form, 1 at least.
    bits : float64 array, shape (forms,)
        Information of each.
    arena, offsets : uint8 and int64 arrays
        Form f is ``arena[offsets[f]:offsets[f + 1]]``.
    odd : bytes
        With which a form goes on with what is before it, as those with a small letter do.
    low, high : int64 arrays, shape (documents,)
        How many documents are from before the day of each, and how many until its end.
    repeats : int
        From so many documents on a segment counts as one that repeats.
    """

    cdef const int32_t[::1] tokens
    cdef const int64_t[::1] doc_tokens, bounds, counts, low, high, offsets
    cdef const uint16_t[::1] traits
    cdef const double[::1] bits
    cdef int64_t[::1] doc_segments, strings
    cdef double[::1] logarithms
    cdef Seg* segs
    cdef int64_t n, documents, repeats
    cdef double full

    def __cinit__(self, const int32_t[::1] tokens not None, const int64_t[::1] doc_tokens not None,
                  const int64_t[::1] bounds not None, const int32_t[::1] document not None, const uint8_t[::1] begins not None,
                  const int32_t[::1] string not None, const int32_t[::1] string_df not None, const uint16_t[::1] traits not None,
                  const int64_t[::1] counts not None, const double[::1] bits not None, const uint8_t[::1] arena not None,
                  const int64_t[::1] offsets not None, bytes odd not None, const int64_t[::1] low not None,
                  const int64_t[::1] high not None, int64_t repeats):
        cdef int64_t n = document.shape[0], forms = traits.shape[0], documents = doc_tokens.shape[0] - 1, i
        check_within("tokens", &tokens[0] if tokens.shape[0] else NULL, tokens.shape[0], 0, forms)
        check_bounds("doc_tokens", &doc_tokens[0] if doc_tokens.shape[0] else NULL, doc_tokens.shape[0], tokens.shape[0])
        check_bounds("bounds", &bounds[0] if bounds.shape[0] else NULL, bounds.shape[0], tokens.shape[0])
        check_bounds("offsets", &offsets[0] if offsets.shape[0] else NULL, offsets.shape[0], arena.shape[0])
        check_within("document", &document[0] if n else NULL, n, 0, documents)
        check_within("string", &string[0] if n else NULL, n, 0, n)
        if not n == bounds.shape[0] - 1 == begins.shape[0] == string.shape[0] == string_df.shape[0]:
            raise ValueError("expected equal lengths of the columns of segments")
        if not forms == counts.shape[0] == bits.shape[0] == offsets.shape[0] - 1:
            raise ValueError("expected equal lengths of the columns of forms")
        if not documents == low.shape[0] == high.shape[0]:
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
        self.low, self.high, self.offsets, self.traits, self.bits = low, high, offsets, traits, bits
        self.n, self.documents, self.repeats = n, documents, repeats
        self.doc_segments = np.searchsorted(np.asarray(document), np.arange(documents + 1)).astype(np.int64, copy=False)
        self.strings = np.zeros(max(n, 1), np.int64)
        # numpy's own logarithms, which differ from those of C in the last bit.
        self.logarithms = _logarithms()
        self.full = np.log2(documents + 1)
        self.segs = <Seg*>malloc((n + 1) * sizeof(Seg))
        if self.segs == NULL:
            raise MemoryError
        cdef uint8_t[256] is_odd
        memset(is_odd, 0, 256)
        for i in range(len(odd)):
            is_odd[<uint8_t>odd[i]] = 1
        with nogil:
            self.fill(document, begins, string, string_df, arena, is_odd)

    def __dealloc__(self):
        free(self.segs)

    cdef void fill(self, const int32_t[::1] document, const uint8_t[::1] begins, const int32_t[::1] string,
                   const int32_t[::1] string_df, const uint8_t[::1] arena, const uint8_t* is_odd) noexcept nogil:
        cdef int64_t i, k, ink = 0, line = 0
        cdef uint32_t capitals = 0, mutables = 0
        cdef int32_t token
        cdef uint16_t trait
        cdef Seg* seg
        for i in range(self.n):
            seg = self.segs + i
            seg.ink, seg.capitals, seg.mutables = ink, capitals, mutables
            for k in range(self.bounds[i], self.bounds[i + 1]):
                token = self.tokens[k]
                trait = self.traits[token]
                ink += self.offsets[token + 1] - self.offsets[token]
                capitals += trait & CAPITAL > 0
                mutables += trait & MUTABLE > 0
            seg.document, seg.string, seg.df = document[i], string[i], string_df[i]
            seg.length = <int32_t>(self.bounds[i + 1] - self.bounds[i])
            self.strings[seg.string] += 1
            seg.flags = (ENDED if trait & SENTENCE else 0) | (CLOSED | STOPPED if trait & (SENTENCE | CLAUSE) else 0)
            seg.flags |= (STOPPED if trait & COLON else 0) | (BEGINS if begins[i] else 0)
            seg.flags |= ENDS if i + 1 == self.n or begins[i + 1] != 0 else 0
            token = self.tokens[self.bounds[i]]
            if self.traits[token] & SMALL or (self.offsets[token + 1] > self.offsets[token] and is_odd[arena[self.offsets[token]]]):
                seg.flags |= GOES
            if begins[i]:
                line = i
            seg.back = <int32_t>(i - line)
            if seg.flags & ENDS:
                for k in range(line, i + 1):
                    self.segs[k].ahead = <int32_t>(i + 1 - k)
        self.segs[self.n].ink, self.segs[self.n].capitals, self.segs[self.n].mutables = ink, capitals, mutables

    cdef inline double log(self, int64_t value) noexcept nogil:
        return self.logarithms[value] if value < LOGARITHMS else log2(<double>value)

    cdef inline int64_t start(self, int kind, int64_t at, int64_t length) noexcept nogil:
        """Where in the tokens a candidate begins that occurs in a segment."""
        return self.bounds[at + 1] - length if kind == IS_SUFFIX else self.bounds[at]

    def heads(self, int kind, const int64_t[::1] segment not None, const int64_t[::1] bounds not None,
              const int32_t[::1] length not None):
        """Where the strings begin by which candidates are looked for anywhere, and their tokens: int64 and int32 arrays."""
        self.check(kind, segment, bounds, length)
        cdef int64_t n = length.shape[0], i
        cdef int64_t[::1] starts = np.empty(max(n, 1), np.int64)
        cdef int32_t[::1] sizes = np.empty(max(n, 1), np.int32)
        for i in range(n):
            starts[i] = self.start(kind, segment[bounds[i]], length[i])
            sizes[i] = min(length[i], HEAD) if kind == IS_SEGMENT else length[i]
        return np.asarray(starts)[:n], np.asarray(sizes)[:n]

    cdef int check(self, int kind, const int64_t[::1] segment, const int64_t[::1] bounds, const int32_t[::1] length) except -1:
        cdef int64_t n = length.shape[0], i, k, size
        if not IS_SEGMENT <= kind <= IS_SUFFIX:
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
                if not 1 <= length[i] <= size - (kind != IS_SEGMENT) or (kind == IS_SEGMENT and length[i] != size):
                    raise ValueError(f"candidate {i}: expected it within each of its segments, got {length[i]} of {size} tokens")
        return 0

    def describe(self, int kind, const int64_t[::1] segment not None, const int64_t[::1] bounds not None,
                 const int32_t[::1] length not None, const int32_t[::1] df not None, const float[::1] longer not None,
                 const float[::1] shorter not None, const int64_t[::1] anywhere not None):
        """The features of candidates of one kind: float32 array, shape (candidates, features).  O(occurrences).

        Parameters
        ----------
        kind : int
            Place in `labels.KINDS`.
        segment, bounds, length, df, longer, shorter
            See `labels.Candidates`.
        anywhere : int64 array, shape (candidates,)
            How often its `heads` occur.
        """
        cdef int64_t n = length.shape[0], i, width = F_OF_SEGMENTS if kind == IS_SEGMENT else F_OF_LABELS
        self.check(kind, segment, bounds, length)
        if not n == df.shape[0] == longer.shape[0] == shorter.shape[0] == anywhere.shape[0]:
            raise ValueError("expected equal lengths of the columns of candidates")
        out = np.zeros((n, width), np.float32)
        cdef float[:, ::1] row = out
        cdef int64_t most = max(self.n + 1, self.traits.shape[0])
        cdef int32_t* tally = <int32_t*>calloc(most + 1, sizeof(int32_t))
        if tally == NULL:
            raise MemoryError
        with nogil:
            for i in range(n):
                self.one(kind, &segment[bounds[i]], bounds[i + 1] - bounds[i], length[i], df[i], longer[i], shorter[i],
                         anywhere[i], tally, &row[i, 0])
        free(tally)
        return out

    cdef void one(self, int kind, const int64_t* at, int64_t n, int64_t length, int64_t df, float longer, float shorter,
                  int64_t anywhere, int32_t* tally, float* row) noexcept nogil:
        """A row of features."""
        cdef Own own
        cdef double[VALUES] sums
        cdef double[VALUES] rest
        cdef int64_t[COUNTS] counts
        cdef int v, values = V_SHARED if kind == IS_SEGMENT else VALUES
        self.measure(kind, at[0], length, &own)
        memset(counts, 0, sizeof(counts))
        # As numpy does: the first, and the sum of the others.
        self.sums(&own, at, 1, sums, counts)
        if n > 1:
            self.sums(&own, at + 1, n - 1, rest, counts)
            for v in range(values):
                sums[v] += rest[v]
        for v in range(values):
            sums[v] /= n
        self.put_counts(at, n, df, tally, row)
        self.put_places(sums, counts, n, row)
        self.put_neighbours(at, n, sums, counts, tally, row)
        self.put_words(&own, at[0], n, anywhere, row)
        if kind == IS_SEGMENT:
            row[F_STRING_SHARE] = <float>log2(<double>self.segs[at[0]].df / self.documents)
        else:
            self.put_label(&own, at, n, longer, shorter, counts, tally, row)
            self.put_filler(sums, counts, n, row)

    cdef void measure(self, int kind, int64_t at, int64_t length, Own* own) noexcept nogil:
        cdef int64_t start = self.start(kind, at, length), k
        cdef int32_t token
        cdef uint16_t trait
        memset(own, 0, sizeof(Own))
        own.kind, own.length = kind, length
        for k in range(start, start + length):
            token = self.tokens[k]
            trait = self.traits[token]
            own.bits += self.bits[token]
            own.ink += self.offsets[token + 1] - self.offsets[token]
            own.capitals += trait & CAPITAL > 0
            own.mutables += trait & MUTABLE > 0
            own.figures += trait & FIGURE > 0
            own.smalls += trait & SMALL > 0
            own.characters += trait & OWN > 0

    cdef void sums(self, const Own* own, const int64_t* at, int64_t n, double* sums, int64_t* counts) noexcept nogil:
        """The sum of each value over occurrences, pairwise as numpy adds up (Higham 1993), and counts added to others."""
        cdef double[VALUES * LEAF] values
        cdef double[VALUES] other
        cdef int v, width = V_SHARED if own.kind == IS_SEGMENT else VALUES
        cdef int64_t half
        if n <= LEAF:
            self.take(own, at, n, values, counts)
            for v in range(width):
                sums[v] = leaf_sum(values + v * LEAF, n)
            return
        half = n // 2 - n // 2 % 8
        self.sums(own, at, half, sums, counts)
        self.sums(own, at + half, n - half, other, counts)
        for v in range(width):
            sums[v] += other[v]

    cdef void take(self, const Own* own, const int64_t* at, int64_t n, double* values, int64_t* counts) noexcept nogil:
        """The values of some occurrences, at most `LEAF`."""
        cdef int64_t i, s, first, last, start, end, size, before_df, after_df
        cdef const Seg* seg
        cdef bint has_before, has_after, closed, opened, goes
        cdef double position
        cdef uint32_t flags
        for i in range(n):
            s = at[i]
            seg = self.segs + s
            flags = seg.flags
            first, last = self.doc_segments[seg.document], self.doc_segments[seg.document + 1] - 1
            start, end = s - first, last - s
            size = self.doc_tokens[seg.document + 1] - self.doc_tokens[seg.document]
            position = <double>(self.bounds[s] - self.doc_tokens[seg.document]) / max(size, 1)
            values[V_POSITION * LEAF + i] = position
            values[V_POSITION_2 * LEAF + i] = position * position
            values[V_EDGE * LEAF + i] = min(position, 1 - position)
            values[V_START * LEAF + i] = self.log(1 + start)
            values[V_END * LEAF + i] = self.log(1 + end)
            values[V_SEGMENT * LEAF + i] = self.log(seg.length)
            values[V_LINE * LEAF + i] = self.log(self.bounds[s + seg.ahead] - self.bounds[s - seg.back])
            counts[C_ALONE] += flags & (BEGINS | ENDS) == (BEGINS | ENDS)
            counts[C_BEGINS] += flags & BEGINS > 0
            counts[C_ENDS] += flags & ENDS > 0
            counts[C_FIRST] += start == 0
            counts[C_LAST] += end == 0
            counts[C_NEAR] += min(start, end) < NEAR
            counts[C_CLOSED] += flags & CLOSED > 0
            has_before, has_after = start > 0, end > 0
            before_df = (seg - 1).df if has_before else 0
            after_df = (seg + 1).df if has_after else 0
            values[V_BEFORE_DF * LEAF + i] = self.log(max(before_df, 1)) / self.full if has_before else 1
            values[V_AFTER_DF * LEAF + i] = self.log(max(after_df, 1)) / self.full if has_after else 1
            values[V_BEFORE_TOKENS * LEAF + i] = self.log((seg - 1).length) if has_before else 0
            values[V_AFTER_TOKENS * LEAF + i] = self.log((seg + 1).length) if has_after else 0
            counts[C_BEFORE_REPEATS] += before_df >= self.repeats or not has_before
            counts[C_AFTER_REPEATS] += after_df >= self.repeats or not has_after
            counts[C_BESIDE] += before_df >= self.repeats or after_df >= self.repeats
            counts[C_IN_PROSE] += has_before and has_after and before_df < self.repeats and after_df < self.repeats
            closed = has_before and (seg - 1).flags & CLOSED != 0
            opened = has_before and (seg - 1).flags & STOPPED == 0
            goes = has_after and (seg + 1).flags & GOES != 0
            counts[C_BEFORE_CLOSED] += closed or not has_before
            counts[C_BEFORE_OPEN] += opened
            counts[C_GOES_ON] += goes
            counts[C_TORN] += goes and opened
            if own.kind != IS_SEGMENT:
                self.take_filler(own, s, i, values, counts)

    cdef inline void take_filler(self, const Own* own, int64_t s, int64_t i, double* values, int64_t* counts) noexcept nogil:
        """What fills the rest of the segment, and of the line."""
        cdef const Seg* seg = self.segs + s
        cdef int64_t tokens = seg.length - own.length, low, high, number
        cdef uint16_t trait
        cdef double value = self.log(tokens)
        values[V_FILL * LEAF + i] = value
        values[V_FILL_2 * LEAF + i] = value * value
        values[V_INK * LEAF + i] = self.log(1 + (seg + 1).ink - seg.ink - own.ink)
        values[V_CAPITALS * LEAF + i] = <double>(<int64_t>((seg + 1).capitals - seg.capitals) - own.capitals) / tokens
        values[V_MUTABLES * LEAF + i] = <double>(<int64_t>((seg + 1).mutables - seg.mutables) - own.mutables) / tokens
        low = s if own.kind == IS_PREFIX else s - seg.back
        high = s + seg.ahead if own.kind == IS_PREFIX else s + 1
        value = self.log(1 + self.segs[high].ink - self.segs[low].ink - own.ink)
        values[V_REST * LEAF + i] = value
        values[V_REST_2 * LEAF + i] = value * value
        number = self.bounds[high] - self.bounds[low] - own.length
        values[V_REST_CAPITALS * LEAF + i] = (
            <double>(<int64_t><uint32_t>(self.segs[high].capitals - self.segs[low].capitals) - own.capitals) / max(number, 1)
        )
        values[V_REST_SEGMENTS * LEAF + i] = self.log(high - low)
        counts[C_REST_CLOSED] += self.segs[high - 1].flags & ENDED > 0 if own.kind == IS_PREFIX else seg.flags & BEGINS > 0
        trait = self.traits[self.tokens[self.bounds[s] + own.length if own.kind == IS_PREFIX else self.bounds[s + 1] - own.length - 1]]
        counts[C_CAPITAL] += trait & (CAPITAL | VALUE) > 0
        counts[C_SMALL] += trait & SMALL > 0
        counts[C_MUTABLE] += trait & MUTABLE > 0

    cdef void put_counts(self, const int64_t* at, int64_t n, int64_t df, int32_t* tally, float* row) noexcept nogil:
        """How many documents have it, and when."""
        cdef int64_t i, low = self.low[self.segs[at[0]].document], high = 0, busiest = 0, span, tenth
        cdef int32_t document
        cdef int64_t[TENTHS + 2] tenths
        memset(tenths, 0, sizeof(tenths))
        for i in range(n):
            document = self.segs[at[i]].document
            low = min(low, self.low[document])
            high = max(high, self.high[document])
            tenth = (self.low[document] + self.high[document]) * TENTHS // (2 * self.documents)
            tenth = min(max(tenth, 0), TENTHS + 1)
            tenths[tenth] += 1
            busiest = max(busiest, tenths[tenth])
        span = max(high - low, 1)
        row[F_DOCUMENTS] = <float>self.log(df)
        row[F_SHARE] = <float>log2(<double>df / self.documents)
        row[F_EACH] = <float>log2(<double>n / df)
        row[F_SPAN] = <float>(<double>span / self.documents)
        row[F_DENSE] = <float>log2(<double>df / span)
        row[F_BUSIEST] = <float>(<double>busiest / n)

    cdef void put_places(self, const double* mean, const int64_t* counts, int64_t n, float* row) noexcept nogil:
        """Where in its line and its document it is."""
        row[F_ALONE] = <float>(<double>counts[C_ALONE] / n)
        row[F_BEGINS] = <float>(<double>counts[C_BEGINS] / n)
        row[F_ENDS] = <float>(<double>counts[C_ENDS] / n)
        row[F_POSITION] = <float>mean[V_POSITION]
        row[F_POSITION_SD] = <float>deviation(mean[V_POSITION], mean[V_POSITION_2])
        row[F_EDGE] = <float>mean[V_EDGE]
        row[F_FROM_START] = <float>mean[V_START]
        row[F_FROM_END] = <float>mean[V_END]
        row[F_FIRST] = <float>(<double>counts[C_FIRST] / n)
        row[F_LAST] = <float>(<double>counts[C_LAST] / n)
        row[F_NEAR] = <float>(<double>counts[C_NEAR] / n)
        row[F_SEGMENT] = <float>mean[V_SEGMENT]
        row[F_LINE] = <float>mean[V_LINE]

    cdef void put_neighbours(self, const int64_t* at, int64_t n, const double* mean, const int64_t* counts, int32_t* tally,
                             float* row) noexcept nogil:
        """What the segments before and behind it are."""
        cdef int64_t i, most = 0, value
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
            value = self.before(at[i])
            tally[value] += 1
            most = max(most, <int64_t>tally[value])
        for i in range(n):
            tally[self.before(at[i])] = 0
        row[F_BEFORE_SAME] = <float>(<double>most / n)
        most = 0
        for i in range(n):
            value = self.after(at[i])
            tally[value] += 1
            most = max(most, <int64_t>tally[value])
        for i in range(n):
            tally[self.after(at[i])] = 0
        row[F_AFTER_SAME] = <float>(<double>most / n)

    cdef inline int64_t before(self, int64_t s) noexcept nogil:
        """1 + the string of the segment before one in its document, or 0."""
        return 1 + <int64_t>self.segs[s - 1].string if s > self.doc_segments[self.segs[s].document] else 0

    cdef inline int64_t after(self, int64_t s) noexcept nogil:
        return 1 + <int64_t>self.segs[s + 1].string if s + 1 < self.doc_segments[self.segs[s].document + 1] else 0

    cdef void put_words(self, const Own* own, int64_t at, int64_t n, int64_t anywhere, float* row) noexcept nogil:
        """What it is made of; the same at each of its occurrences."""
        cdef double tokens = own.length
        cdef int64_t start = self.start(own.kind, at, own.length)
        cdef uint16_t first = self.traits[self.tokens[start]], last = self.traits[self.tokens[start + own.length - 1]]
        if own.kind == IS_SEGMENT:
            n = self.strings[self.segs[at].string]
        row[F_TOKENS] = <float>self.log(own.length)
        row[F_CHARACTERS] = <float>self.log(1 + own.ink)
        row[F_INFORMATION] = <float>log2(1 + own.bits)
        row[F_BITS] = <float>(own.bits / tokens)
        row[F_CAPITALS] = <float>(own.capitals / tokens)
        row[F_MUTABLE] = <float>(own.mutables / tokens)
        row[F_FIGURES] = <float>(own.figures / tokens)
        row[F_SMALL] = <float>(own.smalls / tokens)
        row[F_SCRIPT] = <float>(own.characters / tokens)
        row[F_SMALL_FIRST] = first & SMALL > 0
        row[F_CAPITAL_FIRST] = first & CAPITAL > 0
        row[F_COLON_LAST] = last & COLON > 0
        row[F_CLOSED_LAST] = last & (CLAUSE | SENTENCE) > 0
        row[F_SENTENCE_LAST] = last & SENTENCE > 0
        row[F_OWN] = <float>min(1.0, <double>n / max(anywhere, 1))

    cdef void put_label(self, const Own* own, const int64_t* at, int64_t n, float longer, float shorter, const int64_t* counts,
                        int32_t* tally, float* row) noexcept nogil:
        """How a label stands among others, and beside which tokens."""
        cdef int64_t i, most = 0, kinds = 0, start
        cdef int32_t token
        cdef double edge
        row[F_LONGER] = longer
        row[F_SHORTER] = shorter
        for i in range(n):
            token = self.tokens[self.beside(own, at[i])]
            kinds += tally[token] == 0
            tally[token] += 1
            most = max(most, <int64_t>tally[token])
        for i in range(n):
            tally[self.tokens[self.beside(own, at[i])]] = 0
        row[F_SAME_BESIDE] = <float>(<double>most / n)
        row[F_KINDS_BESIDE] = <float>(<double>kinds / n)
        row[F_CAPITAL_BESIDE] = <float>(<double>counts[C_CAPITAL] / n)
        row[F_SMALL_BESIDE] = <float>(<double>counts[C_SMALL] / n)
        row[F_MUTABLE_BESIDE] = <float>(<double>counts[C_MUTABLE] / n)
        start = self.start(own.kind, at[0], own.length)
        edge = self.counts[self.tokens[start + own.length - 1 if own.kind == IS_PREFIX else start]]
        row[F_EDGE_OWN] = <float>min(1.0, n / edge)
        row[F_LIFT] = 20
        if own.length > 1:
            row[F_LIFT] = <float>log2(<double>max(<float>1e-9, shorter) / (edge / max(self.tokens.shape[0], 1)))

    cdef inline int64_t beside(self, const Own* own, int64_t s) noexcept nogil:
        return self.bounds[s] + own.length if own.kind == IS_PREFIX else self.bounds[s + 1] - own.length - 1

    cdef void put_filler(self, const double* mean, const int64_t* counts, int64_t n, float* row) noexcept nogil:
        """What fills the rest of the segment, and of the line."""
        row[F_FILL] = <float>mean[V_FILL]
        row[F_FILL_SD] = <float>deviation(mean[V_FILL], mean[V_FILL_2])
        row[F_FILL_CHARACTERS] = <float>mean[V_INK]
        row[F_FILL_CAPITALS] = <float>mean[V_CAPITALS]
        row[F_FILL_MUTABLE] = <float>mean[V_MUTABLES]
        row[F_REST] = <float>mean[V_REST]
        row[F_REST_SD] = <float>deviation(mean[V_REST], mean[V_REST_2])
        row[F_REST_CAPITALS] = <float>mean[V_REST_CAPITALS]
        row[F_REST_CLOSED] = <float>(<double>counts[C_REST_CLOSED] / n)
        row[F_REST_SEGMENTS] = <float>mean[V_REST_SEGMENTS]


cdef inline double deviation(double mean, double of_squares) noexcept nogil:
    return sqrt(max(0.0, of_squares - mean * mean))


cdef double leaf_sum(const double* values, int64_t n) noexcept nogil:
    """Some values added up in the order in which numpy does, at most `LEAF`."""
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


_LOGARITHMS = None


cdef object _logarithms():
    global _LOGARITHMS
    if _LOGARITHMS is None:
        _LOGARITHMS = np.log2(np.maximum(np.arange(LOGARITHMS, dtype=np.float64), 1))
    return _LOGARITHMS


# ------------------------------------------------------------------------------------------------------------- growing strings
# Maximal strings grown token by token, without a suffix array.
#
# A set of occurrences of one string, ascending in the text, is parted by the token that follows; each part that stands in
# enough documents is parted again.  A set is given up as soon as it is too rare, or all its occurrences have the same
# token before them: then no string that begins there can be maximal.  So a step is paid only for strings that repeat, and
# of a long repeat only for its beginnings: on archives three to six steps a token of the text, each a handful of
# instructions, where sorting all suffixes also orders what nobody asks for.  Some texts (one token for ever) would take
# quadratic time; `grow_strings` counts its steps and gives up, and the caller sorts.


cdef extern from *:
    """
    /* A token of the text and what is known of it, side by side: occurrences lie anywhere, and a look at one costs more
       than all that is done with it. */
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
    PLACES_AHEAD = 16      # occurrences between asking for a token and looking at it
    BLOCK = 8192    # strings that are kept side by side; an array of all would at times be held twice while it grows

ctypedef fused place_t:
    tm_narrow
    tm_wide


cdef struct Grown:
    int64_t rank
    int32_t first           # lowest place
    int32_t length
    int32_t count
    int32_t df


cdef struct Block:
    Grown[BLOCK] rows


cdef struct Strings:
    Block** blocks
    int64_t room
    int64_t size            # strings


cdef struct Group:
    int64_t low             # its occurrences are places[low:high], ascending
    int64_t high
    int64_t depth           # tokens of the string


cdef struct Stack:
    Group* groups
    int64_t size
    int64_t room


cdef int stack_push(Stack* stack, int64_t low, int64_t high, int64_t depth) except -1 nogil:
    if stack.size == stack.room:
        reserve(<void**>&stack.groups, &stack.room, stack.size + 1, sizeof(Group))
    stack.groups[stack.size].low = low
    stack.groups[stack.size].high = high
    stack.groups[stack.size].depth = depth
    stack.size += 1
    return 0


cdef inline int32_t alike_before(const place_t* text, const int32_t* places, int64_t size) noexcept nogil:
    """The token that stands before all occurrences, 0 if there are several."""
    cdef int64_t i
    cdef int32_t before
    if places[0] == 0:
        return 0
    before = text[places[0] - 1].symbol
    for i in range(1, size):
        if text[places[i] - 1].symbol != before:
            return 0
    return before


cdef int add_block(Strings* out) except -1 nogil:
    """Room for more strings."""
    cdef int64_t k = out.size // BLOCK
    reserve(<void**>&out.blocks, &out.room, k + 1, sizeof(Block*))
    out.blocks[k] = <Block*>malloc(sizeof(Block))
    if out.blocks[k] == NULL:
        raise MemoryError
    return 0


cdef void strings_free(Strings* out) noexcept nogil:
    cdef int64_t k
    for k in range((out.size + BLOCK - 1) // BLOCK):
        free(out.blocks[k])
    free(out.blocks)


cdef int keep(Strings* out, const int32_t* places, const Group* group, int64_t df) except -1 nogil:
    """One more string."""
    cdef Grown* row
    if out.size % BLOCK == 0:
        add_block(out)
    row = &out.blocks[out.size // BLOCK].rows[out.size % BLOCK]
    row.rank = group.low
    row.first = places[group.low]
    row.length = <int32_t>group.depth
    row.count = <int32_t>(group.high - group.low)
    row.df = <int32_t>df
    out.size += 1
    return 0


cdef int64_t _grow(const place_t* text, int32_t* places, int32_t* count, int32_t* touched, int32_t* scratch, int32_t* after,
                   Stack* stack, int64_t min_tokens, int64_t min_df, int64_t steps, Strings* out) except -1 nogil:
    """Part all groups on the stack; returns the steps that are left, 0 if they did not suffice.

    `count` is 0 for every symbol between two groups; `scratch`, `after` and `touched` hold one group at a time.
    """
    cdef Group group
    cdef int64_t i, size, df, kinds, cursor, rest, least = max(min_df, 2)
    cdef int32_t document, last, p, s
    cdef const place_t* place
    while stack.size:
        stack.size -= 1
        group = stack.groups[stack.size]
        size = group.high - group.low
        if alike_before(text, places + group.low, size):
            continue
        # While one token follows everywhere, the string is not maximal but its extension may be.
        while True:
            steps -= size
            if steps <= 0:
                return 0
            kinds = 0
            df = 0
            last = -1
            for i in range(size):
                p = places[group.low + i]
                if i + PLACES_AHEAD < size:
                    place = text + places[group.low + i + PLACES_AHEAD]
                    tm_prefetch(place)
                    tm_prefetch(place + group.depth)
                place = text + p
                document = place.document
                df += document != last
                last = document
                s = place[group.depth].symbol
                scratch[i] = p
                after[i] = s
                touched[kinds] = s
                kinds += count[s] == 0
                count[s] += 1
            if kinds > 1 or after[0] == 0 or df < min_df:
                break
            count[after[0]] = 0
            group.depth += 1
        if df < min_df:
            for i in range(kinds):
                count[touched[i]] = 0
            continue
        if group.depth >= min_tokens:
            keep(out, places, &group, df)
        # What is frequent enough moves to the front, a stretch a token; the rest follows in any order.
        count[0] = 0
        cursor = group.low
        for i in range(kinds):
            s = touched[i]
            if count[s] >= least:
                stack_push(stack, cursor, cursor + count[s], group.depth + 1)
                rest = count[s]
                count[s] = <int32_t>(-1 - cursor)
                cursor += rest
            else:
                count[s] = 0
        if cursor > group.low:
            rest = cursor
            for i in range(size):
                s = after[i]
                if count[s] < 0:
                    places[-1 - count[s]] = scratch[i]
                    count[s] -= 1
                else:
                    places[rest] = scratch[i]
                    rest += 1
            for i in range(kinds):
                count[touched[i]] = 0
    return steps


cdef int64_t _run(const int32_t* symbols, const int64_t* doc_starts, int64_t documents, place_t* text, int64_t n,
                  int32_t* places, int64_t kinds, int64_t min_tokens, int64_t min_df, int64_t steps, Strings* out) except -1 nogil:
    """Sort the places by their token, ascending, and grow from there; `text` is OUT, n + 1 places."""
    cdef int32_t* count = <int32_t*>malloc((kinds + 1) * sizeof(int32_t))
    cdef int32_t* touched = <int32_t*>malloc((kinds + 2) * sizeof(int32_t))
    cdef int32_t* scratch = NULL
    cdef int32_t* after = NULL
    cdef Stack stack
    cdef int64_t d, i, largest = 1, cursor = 0
    memset(&stack, 0, sizeof(Stack))
    try:
        if count == NULL or touched == NULL:
            raise MemoryError
        memset(count, 0, (kinds + 1) * sizeof(int32_t))
        for d in range(documents):
            for i in range(doc_starts[d], doc_starts[d + 1]):
                if place_t is tm_narrow:
                    text[i].symbol = <uint16_t>symbols[i]
                else:
                    text[i].symbol = symbols[i]
                text[i].document = <int32_t>d
                count[symbols[i]] += 1
        text[n].symbol = 0
        text[n].document = 0
        count[0] = 0
        for i in range(1, kinds):
            if count[i]:
                largest = max(largest, count[i])
                if count[i] >= max(min_df, 2):
                    stack_push(&stack, cursor, cursor + count[i], 1)
            cursor += count[i]
            count[i] = <int32_t>(cursor - count[i])
        for i in range(n):
            if symbols[i]:
                places[count[symbols[i]]] = <int32_t>i
                count[symbols[i]] += 1
        memset(count, 0, (kinds + 1) * sizeof(int32_t))
        scratch = <int32_t*>malloc(largest * sizeof(int32_t))
        after = <int32_t*>malloc(largest * sizeof(int32_t))
        if scratch == NULL or after == NULL:
            raise MemoryError
        return _grow(text, places, count, touched, scratch, after, &stack, min_tokens, min_df, steps, out)
    finally:
        free(count)
        free(touched)
        free(scratch)
        free(after)
        free(stack.groups)


def grow_strings(const int32_t[::1] symbols not None, const int64_t[::1] doc_starts not None, int64_t min_tokens, int64_t min_df,
                 int64_t steps):
    """Maximal strings of at least `min_tokens` tokens that occur twice and stand in at least `min_df` documents.

    A string is maximal if no token more to its left or right keeps all its occurrences; breaks and document ends count
    as different tokens.

    Parameters
    ----------
    symbols : int32 array, shape (n,)
        0 is the break, which is part of no string; n below 2^31.
    doc_starts : int64 array, shape (documents + 1,)
        Where each document begins; fewer than 2^31 documents.
    steps : int
        Most occurrences that are looked at, all tokens of all strings together.

    Returns
    -------
    None if the steps did not suffice, else

    places : int32 array
        All places but breaks; string i occurs at ``places[rank[i]:rank[i] + count[i]]``.
    rank : int64 array
    first, length, count, df : int32 arrays
        Lowest place; tokens, occurrences, distinct documents.
    """
    cdef Strings out
    memset(&out, 0, sizeof(Strings))
    try:
        places = _all(symbols, doc_starts, min_tokens, min_df, steps, &out)
        return None if places is None else (places, *_columns(&out))
    finally:
        strings_free(&out)


cdef object _all(const int32_t[::1] symbols, const int64_t[::1] doc_starts, int64_t min_tokens, int64_t min_df, int64_t steps,
                 Strings* out):
    """Check the arguments and grow; the places, or None if the steps did not suffice."""
    cdef int64_t n = symbols.shape[0], documents = doc_starts.shape[0] - 1, i, kinds = 1, breaks = 0, left = 0, wrong = -1
    if n >= 0x7FFFFFFF:
        raise ValueError(f"expected fewer than 2^31 - 1 places, got {n}")
    check_bounds("doc_starts", &doc_starts[0] if doc_starts.shape[0] else NULL, doc_starts.shape[0], n)
    if documents >= 0x7FFFFFFF:
        raise ValueError(f"expected fewer than 2^31 - 1 documents, got {documents}")
    with nogil:
        for i in range(n):
            if symbols[i] < 0:
                wrong = i
            kinds = max(kinds, <int64_t>symbols[i] + 1)
            breaks += symbols[i] == 0
    if wrong >= 0:
        raise ValueError(f"place {wrong}: expected a symbol from 0, got {symbols[wrong]}")
    places = np.empty(n - breaks, np.int32)
    if n == 0:
        return places
    cdef bint narrow = kinds <= 0x10000
    cdef int32_t[::1] view = places if n > breaks else np.empty(1, np.int32)
    cdef uint8_t[::1] text = np.empty((n + 1) * (sizeof(tm_narrow) if narrow else sizeof(tm_wide)), np.uint8)
    steps = max(steps, 1)
    with nogil:
        if narrow:
            left = _run(&symbols[0], &doc_starts[0], documents, <tm_narrow*>&text[0], n, &view[0], kinds, min_tokens, min_df,
                        steps, out)
        else:
            left = _run(&symbols[0], &doc_starts[0], documents, <tm_wide*>&text[0], n, &view[0], kinds, min_tokens, min_df,
                        steps, out)
    return places if left else None


cdef tuple _columns(Strings* out):
    """The rows as columns, block by block, each of which is given back."""
    cdef int64_t i, k, n = out.size
    cdef const Grown* row
    cdef int64_t[::1] rank = np.empty(max(n, 1), np.int64)
    cdef int32_t[::1] first = np.empty(max(n, 1), np.int32)
    cdef int32_t[::1] length = np.empty(max(n, 1), np.int32)
    cdef int32_t[::1] count = np.empty(max(n, 1), np.int32)
    cdef int32_t[::1] df = np.empty(max(n, 1), np.int32)
    with nogil:
        for i in range(n):
            k = i // BLOCK
            row = &out.blocks[k].rows[i % BLOCK]
            rank[i] = row.rank
            first[i] = row.first
            length[i] = row.length
            count[i] = row.count
            df[i] = row.df
            if i % BLOCK == BLOCK - 1:
                free(out.blocks[k])
                out.blocks[k] = NULL
    return (np.asarray(rank)[:n], np.asarray(first)[:n], np.asarray(length)[:n], np.asarray(count)[:n], np.asarray(df)[:n])


# ---------------------------------------------------------------------------------------------------------- columns of strings
# The strings that mining found, by columns: where they stand first, their tokens, hashes of them, as JSON.
#
# In come suffix arrays, or where strings begin and how many tokens they have.  Linear in occurrences or in tokens.


def first_places(const int64_t[::1] rank not None, const int32_t[::1] count not None, const int64_t[::1] sa not None,
                 int64_t most):
    """The lowest of the places of each string, ``sa[rank[i]:rank[i] + count[i]]``: int64 array.  O(strings * most).

    Of a string with more than `most` occurrences so many are looked at, evenly spaced.
    """
    if most < 1:
        raise ValueError(f"expected at least one occurrence to look at, got {most}")
    if rank.shape[0] != count.shape[0]:
        raise ValueError(f"expected equal lengths, got {rank.shape[0]} and {count.shape[0]}")
    cdef int64_t[::1] first = np.zeros(max(rank.shape[0], 1), np.int64)
    cdef int64_t i, j, looks
    for i in range(rank.shape[0]):
        if rank[i] < 0 or count[i] < 1 or rank[i] > sa.shape[0] - count[i]:
            raise ValueError(f"string {i}: expected ranks within {sa.shape[0]}, got {count[i]} from {rank[i]}")
    with nogil:
        for i in range(rank.shape[0]):
            first[i] = sa[rank[i]]
            looks = min(<int64_t>count[i], most)
            for j in range(looks):
                first[i] = min(first[i], sa[rank[i] + j * count[i] // looks])
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
    STRINGS_AHEAD = 8       # strings whose tokens are asked for while others are looked at: they lie anywhere in the text


cdef int64_t _check_stretches(int64_t n, const int64_t[::1] position, const int32_t[::1] length) except -1:
    """ValueError unless all strings lie within n tokens; the sum of their lengths."""
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


cdef tuple _stretches(const item_t[::1] values, const int64_t[::1] position, const int32_t[::1] length, object dtype):
    cdef int64_t i, size = 0, total = _check_stretches(values.shape[0], position, length)
    out, bounds = np.empty(total, dtype), np.empty(position.shape[0] + 1, np.int64)
    cdef item_t[::1] out_of = out
    cdef int64_t[::1] bound_of = bounds
    with nogil:
        for i in range(position.shape[0]):
            if i + STRINGS_AHEAD < position.shape[0] and length[i + STRINGS_AHEAD]:
                tm_prefetch(&values[0] + position[i + STRINGS_AHEAD])
            bound_of[i] = size
            if length[i]:
                memcpy(&out_of[0] + size, &values[0] + position[i], length[i] * sizeof(item_t))
                size += length[i]
        bound_of[position.shape[0]] = size
    return out, bounds


def stretches_i32(const int32_t[::1] values not None, const int64_t[::1] position not None, const int32_t[::1] length not None):
    """Some stretches of an array, one after the other: int32 array, and int64 array of where each begins, and the end."""
    return _stretches(values, position, length, np.int32)


def stretches_u8(const uint8_t[::1] values not None, const int64_t[::1] position not None, const int32_t[::1] length not None):
    """As `stretches_i32`."""
    return _stretches(values, position, length, np.uint8)


def renumber(const int32_t[::1] values not None, int64_t kinds):
    """Number what occurs anew from 0, in its order.  O(values + kinds).

    Parameters
    ----------
    values : int32 array
        From 0 and below `kinds`.

    Returns
    -------
    renumbered : int32 array
    used : int64 array
        What occurs, ascending: the old number of each new one.
    number : int32 array, shape (kinds,)
        The new number of each old one, -1 of what does not occur.
    """
    check_within("values", &values[0] if values.shape[0] else NULL, values.shape[0], 0, kinds)
    number = np.full(max(kinds, 0), -1, np.int32)
    out = np.empty(values.shape[0], np.int32)
    cdef int32_t[::1] number_of = number, out_of = out
    cdef int64_t i
    cdef int32_t size = 0
    with nogil:
        for i in range(values.shape[0]):
            number_of[values[i]] = 0
        for i in range(kinds):
            if number_of[i] == 0:
                number_of[i] = size
                size += 1
        for i in range(values.shape[0]):
            out_of[i] = number_of[values[i]]
    return out, np.flatnonzero(number >= 0), number


def string_hashes(const int32_t[::1] text not None, const uint64_t[::1] symbol_hash not None,
                  const int64_t[::1] position not None,
                  const int32_t[::1] length not None):
    """A hash below 2^61 for each string, from the hashes of its tokens' forms: equal across sources.

    Polynomial over the prime 2^61 - 1 (Karp and Rabin 1987), token by token, or by prefix sums where that is less work:
    O(strings + min(n, tokens of all strings)).
    """
    cdef int64_t n = text.shape[0], i, k
    cdef int64_t total = _check_stretches(n, position, length)
    check_within("text", &text[0] if text.shape[0] else NULL, text.shape[0], 0, symbol_hash.shape[0])
    cdef uint64_t M = (<uint64_t>1 << 61) - 1, base = 0x0B0E1F2D3C4B5A69, h
    cdef bint summed = total > 2 * n
    cdef uint64_t[::1] prefix = np.zeros(n + 1 if summed else 1, np.uint64)
    cdef uint64_t[::1] power = np.ones(n + 1 if summed else 1, np.uint64)
    cdef uint64_t[::1] out = np.empty(max(position.shape[0], 1), np.uint64)
    with nogil:
        if summed:
            for i in range(n):
                h = tm_modmul(prefix[i], base) + symbol_hash[text[i]] % M
                prefix[i + 1] = h - M if h >= M else h
                power[i + 1] = tm_modmul(power[i], base)
            for i in range(position.shape[0]):
                h = prefix[position[i] + length[i]] + M - tm_modmul(prefix[position[i]], power[length[i]])
                out[i] = h - M if h >= M else h
        else:
            for i in range(position.shape[0]):
                if i + STRINGS_AHEAD < position.shape[0]:
                    tm_prefetch(&text[0] + position[i + STRINGS_AHEAD])
                h = 0
                for k in range(position[i], position[i] + length[i]):
                    h = tm_modmul(h, base) + symbol_hash[text[k]] % M
                    h = h - M if h >= M else h
                out[i] = h
    return np.asarray(out)[: position.shape[0]]


def group_rates(const uint64_t[::1] hashes not None, const float[::1] rates not None, const int32_t[::1] sources not None):
    """How many sources have each string, and which has it most often.

    Parameters
    ----------
    hashes : uint64 array, ascending
    rates, sources : float32 and int32 arrays
        Rate and source of each; a source has a string at most once.

    Returns
    -------
    first : int64 array
        Where each distinct hash stands first.
    number, owner : int32 arrays
        Sources that have it, and the first one with the greatest rate.
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
    cdef bint good = True
    with nogil:
        for i in range(n):
            if i == 0 or hashes[i] != hashes[i - 1]:
                if i and hashes[i] < hashes[i - 1]:
                    good = False
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
    if not good:
        raise ValueError(f"expected ascending hashes, got {hashes[i]} after {hashes[i - 1]} at place {i}")
    return (np.asarray(first)[:size].copy(), np.asarray(number)[:size].copy(), np.asarray(owner)[:size].copy(),
            np.asarray(greatest)[:size].copy(), np.asarray(second)[:size].copy())


# ======================================================================================================================
# Lines of JSON
# ======================================================================================================================

cdef enum:
    DIGITS = 10     # of an int32


cdef inline uint8_t* put(const void* data, int64_t size, uint8_t* out) noexcept nogil:
    memcpy(out, data, size)
    return out + size


cdef inline uint8_t* put_all(const char* text, uint8_t* out) noexcept nogil:
    return put(text, strlen(text), out)


cdef uint8_t* _put_rows(const int32_t[::1] tokens, const int64_t[::1] bounds, const uint8_t* names,
                        const int64_t[::1] name_bounds,
                        const int32_t[::1] df, const int32_t[::1] count, const uint8_t* ends, const int64_t[::1] end_bounds,
                        const int8_t[::1] end_of, uint8_t* out) noexcept nogil:
    cdef int64_t i, k, token
    for i in range(df.shape[0]):
        out = put_all(b'{"tokens":[', out)
        for k in range(bounds[i], bounds[i + 1]):
            if k > bounds[i]:
                out = put_all(b",", out)
            token = tokens[k]
            out = put(names + name_bounds[token], name_bounds[token + 1] - name_bounds[token], out)
        out = put_all(b'],"df":', out)
        out += write_number(df[i], out)
        out = put_all(b',"count":', out)
        out += write_number(count[i], out)
        k = end_of[i]
        out = put(ends + end_bounds[k], end_bounds[k + 1] - end_bounds[k], out)
    return out


def json_rows(const int32_t[::1] tokens not None, const int64_t[::1] bounds not None, const uint8_t[::1] names not None,
              const int64_t[::1] name_bounds not None, const int32_t[::1] df not None, const int32_t[::1] count not None,
              const uint8_t[::1] ends not None, const int64_t[::1] end_bounds not None, const int8_t[::1] end_of not None):
    """Lines of JSON, one a string: ``{"tokens":[...],"df":1,"count":1`` and an end, as bytes.

    Parameters
    ----------
    tokens, bounds : int32 array; int64 array, shape (strings + 1,)
        The tokens of all strings one after the other, places in `names`; where each string begins, and the end.
    names, name_bounds : uint8 array, or bytes; int64 array
        The JSON of each token, one after the other; where each begins, and the end.
    df, count : int32 arrays, shape (strings,)
    ends, end_bounds, end_of : uint8 array, or bytes; int64 array; int8 array, shape (strings,)
        What lines end with, as names are given; and which of these ends each line has.
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
    # A bound: numbers seldom have all their digits, and there is a comma less than tokens.
    size = n * (len(b'{"tokens":[],"df":,"count":') + 2 * DIGITS + longest) + tokens.shape[0]
    for i in range(tokens.shape[0]):
        size += name_bounds[tokens[i] + 1] - name_bounds[tokens[i]]
    cdef bytes out = PyBytes_FromStringAndSize(NULL, size)
    cdef uint8_t* start = <uint8_t*>PyBytes_AS_STRING(out)
    cdef const uint8_t* name = &names[0] if names.shape[0] else NULL
    cdef const uint8_t* end = &ends[0] if ends.shape[0] else NULL
    with nogil:
        size = _put_rows(tokens, bounds, name, name_bounds, df, count, end, end_bounds, end_of, start) - start
    return out[:size]
