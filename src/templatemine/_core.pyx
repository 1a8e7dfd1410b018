"""The native core of mining, in the order in which data flows: documents -> token ids -> symbols -> suffix array and LCP,
or growing strings -> maximal strings with their document frequency -> columns of what is known of each.

Only buffers and numbers cross the boundary; a kernel is a public ``def`` that checks and allocates, and a private ``cdef``
loop that runs without the GIL.  Offsets are int64 everywhere except in suffix arrays, where the caller chooses int32 or
int64.  Arguments are IN unless a docstring says otherwise.
"""

import numpy as np

from cpython.bytes cimport PyBytes_AS_STRING, PyBytes_FromStringAndSize
from libc.stdint cimport int32_t, int64_t, int8_t, uint16_t, uint64_t, uint8_t
from libc.stdlib cimport calloc, free, malloc
from libc.string cimport memcpy, memset, strlen

from templatemine.text._scan cimport (
    BULLET, Bytes, check_bounds, check_within, CLAUSE, copied, FIRST, Found, found_columns, found_push, handed, index_t,
    KIND, normalise, OWN, put_number, reserve, scan, Scanner, SENTENCE, SHORT, SMALL, Table, table_add, table_find,
    table_free, table_init, table_insert, tag_form, tm_hash, tm_key, tm_prefetch, tm_scattered, Tokens, tokens_free,
    utf8_of, WORD, Word, Words, words_find, words_init, words_insert, Written, written,
)

__all__ = [
    "Tokeniser", "document_frequency", "first_places", "group_rates", "grow_strings", "json_rows", "last_at_most", "lcp_i32",
    "lcp_i64", "occurrences", "rare_pairs", "reduce_tokens", "renumber", "repeats_i32", "repeats_i64", "segments",
    "stretches_i32", "stretches_u8", "string_hashes", "string_sums",
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
        cdef Written* texts
        cdef int64_t* ends
        cdef bint entered = False
        # The list keeps the texts alive, and nobody else has it: a copy, as the caller's may change meanwhile.
        documents = documents[:]
        n = len(documents)
        texts = <Written*>malloc((n + 1) * sizeof(Written))
        ends = <int64_t*>malloc((n + 1) * sizeof(int64_t))
        try:
            if texts == NULL or ends == NULL:
                raise MemoryError
            self._enter()
            entered = True
            for i in range(n):
                document = documents[i]
                if type(document) is str:
                    texts[i] = written(document)
                else:
                    data = document
                    # To be read as it stands.
                    texts[i] = Written(<const uint8_t*>data, len(data), 1, True)
            with nogil:
                for i in range(n):
                    p = utf8_of(&texts[i], True, &self.utf8, &size)
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
                if one.size <= SHORT:
                    one.hash = tm_key(q, one.size, p + n, &one.a, &one.b)
                    tm_prefetch(self.words.slots + (one.hash & self.words.mask))
                elif self.scratch.kind[i] & KIND == WORD:
                    one.hash = tm_hash(q, one.size)
                    tm_prefetch(self.types.slots + (one.hash & self.types.mask))
            for i in range(first, last):
                one = ahead + (i - first)
                if self.lines and self.scratch.kind[i] & FIRST:
                    ints_push(&self.tokens, 0)
                elif self.lines and i and is_apart(p, self.scratch.end[i - 1], self.scratch.start[i]):
                    longs_push(&self.apart, self.tokens.size)
                if one.size <= SHORT and self.scratch.kind[i] & KIND == WORD:
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
        if one.size <= SHORT:
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
        return copied(self.apart.data, self.apart.size * 8, np.int64)

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
            forms = handed(<void**>&self.tokens.data, size * 4, np.int32)
            return (
                forms,
                starts,
                copied(self.forms.arena, self.forms.arena_size, np.uint8),
                copied(self.forms.offset, (self.forms.count + 1) * 8, np.int64),
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
    cdef uint8_t* met = <uint8_t*>tm_scattered((mask + 1) // 4)
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
                copied(runs, number * sizeof(int64_t), np.int64), copied(run_tokens, number * sizeof(int32_t), np.int32))
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
                  int64_t min_tokens, int64_t min_df, Found* out) except -1 nogil:
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
                            found_push(out, top.left, top.lcp, r - top.left, df)
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
    cdef Found found
    memset(&found, 0, sizeof(Found))
    cdef int64_t[::1] last = np.full(max(documents, 1), -1, np.int64)
    try:
        if text.shape[0]:
            with nogil:
                _repeats[int32_t](&text[0], &doc_of[0], &sa[0], &lcp[0], text.shape[0], &last[0], max(min_tokens, 1), min_df,
                                  &found)
    finally:
        columns = found_columns(&found)
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
    cdef Found found
    memset(&found, 0, sizeof(Found))
    cdef int64_t[::1] last = np.full(max(documents, 1), -1, np.int64)
    try:
        if text.shape[0]:
            with nogil:
                _repeats[int64_t](&text[0], &doc_of[0], &sa[0], &lcp[0], text.shape[0], &last[0], max(min_tokens, 1), min_df,
                                  &found)
    finally:
        columns = found_columns(&found)
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
    cdef uint64_t mask
    cdef Step* steps
    cdef Step* step
    if tokens.shape[0] > 2**31 - 2:
        raise ValueError(f"expected strings of fewer than 2^31 - 1 tokens in all, got {tokens.shape[0]}")
    for i in range(n):
        if bounds[i] == bounds[i + 1]:
            raise ValueError(f"string {i}: expected a token at least, got none")
    while room < 2 * tokens.shape[0]:
        room *= 2
    mask = room - 1
    steps = <Step*>calloc(room, sizeof(Step))
    if steps == NULL:
        raise MemoryError
    with nogil:
        for i in range(n):
            state = first[tokens[bounds[i]]]
            if state < 0:
                state = first[tokens[bounds[i]]] = states
                states += 1
            for k in range(bounds[i] + 1, bounds[i + 1]):
                step = step_of(steps, mask, 1 + <uint64_t>state * <uint64_t>symbols + <uint64_t>tokens[k])
                if step.key == 0:
                    step.key = 1 + <uint64_t>state * <uint64_t>symbols + <uint64_t>tokens[k]
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
                    step = step_of(steps, mask, 1 + <uint64_t>state * <uint64_t>symbols + <uint64_t>text[k])
                    state = step.state if step.key else -1
                    k += 1
    free(steps)
    return np.asarray(counts)[np.asarray(same)[:n]]


cdef inline Step* step_of(Step* steps, uint64_t mask, uint64_t key) noexcept nogil:
    """A step of the trie, or where it would stand."""
    cdef uint64_t place = (key * <uint64_t>0x9E3779B97F4A7C15) >> 20 & mask
    while steps[place].key and steps[place].key != key:
        place = (place + 1) & mask
    return steps + place


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
# The strings that mining found, by columns: where they stand first, their tokens, hashes of them, sums over them, as JSON.
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
# Hashes of strings, sums over their tokens
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


cdef enum:
    SUMS = 8        # columns that `string_sums` takes


cdef int64_t _sum_strings(const int32_t* text, const double* values, int64_t symbols, int64_t columns,
                          const int64_t[::1] position,
                          const int32_t[::1] length, double* out) noexcept nogil:
    """The first place with a symbol that has no values, or -1.

    Each sum is taken from left to right, so that it is the same to the last bit however many columns there are.
    """
    cdef int64_t i, k, c
    cdef const double* row
    cdef double[SUMS] total
    for i in range(position.shape[0]):
        if i + STRINGS_AHEAD < position.shape[0]:
            tm_prefetch(text + position[i + STRINGS_AHEAD])
        for c in range(columns):
            total[c] = 0
        for k in range(position[i], position[i] + length[i]):
            # Only what is asked for: all of the text, with each of many calls, would be quadratic.
            if not 0 <= text[k] < symbols:
                return k
            row = values + text[k] * columns
            for c in range(columns):
                total[c] += row[c]
        for c in range(columns):
            out[i * columns + c] = total[c]
    return -1


def string_sums(const int32_t[::1] text not None, const double[:, ::1] values not None, const int64_t[::1] position not None,
                const int32_t[::1] length not None):
    """Sums over the tokens of each string of several values by symbol, in one walk.

    Parameters
    ----------
    values : float64 array, shape (symbols, columns)
        At most 8 columns: those of a symbol stand side by side, so that a token is one look into memory.

    Returns
    -------
    float64 array, shape (strings, columns).  O(tokens of all strings times columns).
    """
    cdef int64_t columns = values.shape[1], wrong = -1
    if not 1 <= columns <= SUMS:
        raise ValueError(f"expected 1 to {SUMS} columns of values, got {columns}")
    _check_stretches(text.shape[0], position, length)
    cdef double[:, ::1] out = np.zeros((position.shape[0], columns), np.float64)
    if position.shape[0] and text.shape[0]:
        with nogil:
            wrong = _sum_strings(&text[0], &values[0, 0] if values.shape[0] else NULL, values.shape[0], columns, position, length,
                                 &out[0, 0])
    if wrong >= 0:
        raise ValueError(f"text: expected symbols from 0 to {values.shape[0] - 1}, got {text[wrong]} at place {wrong}")
    return np.asarray(out)


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
        out += put_number(df[i], out)
        out = put_all(b',"count":', out)
        out += put_number(count[i], out)
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
