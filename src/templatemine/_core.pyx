"""The mining side: documents into form ids, reduction, LCP, maximal repeats with document frequency.

In come documents as UTF-8 bytes and suffix arrays, out go columns: form ids, symbols, repeats with their counts.  All of
it is linear in the tokens but for the repeats, which take O(n log depth).  Sections follow the flow of data.  Only buffers
and numbers cross the boundary; each kernel is a public ``def`` that checks and allocates, and a private ``cdef`` loop that
runs without the GIL.  Offsets are int64 everywhere except in suffix arrays, where the caller chooses int32 or int64.
Arguments are IN unless a docstring says otherwise.
"""

import numpy as np

from libc.stdint cimport int32_t, int64_t, uint8_t, uint16_t, uint64_t
from libc.stdlib cimport calloc, free, malloc
from libc.string cimport memset

from templatemine._utf8 cimport Bytes, Written, utf8_of, written

from templatemine._chars cimport tm_hash, tm_key
from templatemine._memory cimport (
    Found, check_bounds, check_within, copied, found_columns, found_push, handed, index_t, reserve, tm_prefetch, tm_scattered,
)
from templatemine._tables cimport (
    SHORT, Word, Words, table_add, table_find, table_free, table_init, table_insert, words_find, words_init,
    words_insert,
)
from templatemine._spec cimport FIRST, KIND, WORD
from templatemine._tags cimport tag_form
from templatemine._forms cimport CAPITAL, CLAUSE, COLON, FIGURE, QUOTE, SENTENCE, normalise
from templatemine._stands cimport (
    AFTER_CLOSE, BEGINS, CLOSES, ENDS, NEAR_BEGIN, NEAR_END, OPENS, PROSE, TABULAR,
)
from templatemine._text cimport Scanner, scan, tokens_free

__all__ = [
    "Tokeniser",
    "document_frequency",
    "last_at_most",
    "lcp_i32",
    "lcp_i64",
    "rare_pairs",
    "reduce_tokens",
    "repeats_i32",
    "repeats_i64",
    "standing",
]

# ======================================================================================================================
# Tokeniser: documents into ids of forms
# ======================================================================================================================

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


cdef class Tokeniser(Scanner):
    """Documents in, ids of normalised tokens out.

    A raw token is interned as a type; the form of a type is found once, when the type is first seen.  With `lines` (last
    argument) a form of its own, id 0, stands before the first token of each line.
    """

    def __cinit__(self, bytes separators, bytes mask, list words, list numbers, bint html, bint lines=False, *_):
        memset(&self.form_of, 0, sizeof(Ints))
        memset(&self.tokens, 0, sizeof(Ints))
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
            self.tokens.size = self.tokens.room = 0
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
    check_within("forms", forms, 0, form_count)
    check_bounds("doc_starts", doc_starts, forms.shape[0])
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
    """One number of two, by two odd numbers without a pattern and the shifts of SplitMix64's finaliser (Steele, Lea and Flood 2014)."""
    first = first * <uint64_t>0xBF58476D1CE4E5B9 + second
    first = (first ^ first >> 29) * <uint64_t>0x9E3779B97F4A7C15
    return first ^ first >> 31


cdef enum:
    AHEAD = 16      # pairs between asking for a slot and looking at it


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
            if i + AHEAD < n:
                tm_prefetch(met + ((pairs[i + AHEAD] & mask) >> 2))
            slot = pairs[i] & mask
            if not met[slot >> 2] >> 2 * (slot & 3) & 2:
                met[slot >> 2] += <uint8_t>(1 << 2 * (slot & 3))
        for i in range(n):
            if i + AHEAD < n:
                tm_prefetch(met + ((pairs[i + AHEAD] & mask) >> 2))
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
    check_within("forms", forms, 0, kinds.shape[0])
    check_bounds("doc_starts", doc_starts, forms.shape[0])
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


cdef struct Rows:
    int64_t first       # where the first row begins
    int64_t end         # where the last one ends
    int64_t rows        # 0 until there is one
    int64_t lines       # from the first row to the last
    int64_t seen        # from the first row to this line


cdef inline void end_rows(Rows* run, uint8_t* out, const int32_t* forms, bint lines, const Sizes* sizes) noexcept nogil:
    """A run of lines that are no prose is over: if it was a table, say so of its tokens."""
    cdef int64_t i
    if run.rows and run.rows >= sizes.least and run.rows * sizes.every >= run.lines:
        for i in range(run.first, run.end):
            if not (lines and forms[i] == 0):
                out[i] |= TABULAR
    run.rows = 0


cdef void stand(const int32_t* forms, int64_t n, const uint16_t* traits, bint lines, const Sizes* sizes, uint8_t* out) noexcept nogil:
    """How each token of one document stands, as `standing` has it; `out` is 0 where a line breaks."""
    cdef int64_t i = 0, k, line, last
    cdef uint8_t of_line, flag
    cdef uint16_t trait, seen, ends
    cdef Rows run
    memset(&run, 0, sizeof(Rows))
    while i < n:
        if lines and forms[i] == 0:
            i += 1
            continue
        k = line = i
        while k < n and not (lines and forms[k] == 0):
            k += 1
        # Quotes behind the mark that ends a sentence may be tokens of their own.
        last = k - 1
        while last > i and traits[forms[last]] & QUOTE:
            last -= 1
        ends = traits[forms[last]] & SENTENCE
        of_line = PROSE if k - i >= sizes.long_ or (k - i > sizes.short and ends) else 0
        seen = 0
        flag = BEGINS | AFTER_CLOSE
        while i < k:
            out[i] = of_line | flag
            flag = 0
            if k - 1 - i <= sizes.near:
                out[i] |= NEAR_END
            if i - line <= sizes.near:
                out[i] |= NEAR_BEGIN
            trait = traits[forms[i]]
            if trait & (CLAUSE | SENTENCE):
                # Quotes hold words of a sentence that goes on; they close only what was closed before them.
                if not trait & QUOTE or out[i] & AFTER_CLOSE:
                    out[i] |= CLOSES
                flag = out[i] & AFTER_CLOSE if trait & QUOTE else AFTER_CLOSE
            i += 1
            if i < k and traits[forms[i]] & CAPITAL and not out[i - 1] & CLOSES:
                out[i - 1] |= OPENS
            # A colon at the end of a line heads what follows; before it, it stands between a key and a value.
            seen |= trait & (FIGURE | COLON if i < k else FIGURE)
        out[k - 1] |= ENDS | CLOSES
        if ends:
            seen = 0
        if of_line:
            end_rows(&run, out, forms, lines, sizes)
        elif seen or run.rows:
            if run.rows == 0:
                run.first = line
                run.seen = 0
            run.seen += 1
            if seen:
                run.rows += 1
                run.lines = run.seen
                run.end = k
    if run.rows:
        end_rows(&run, out, forms, lines, sizes)


def standing(const int32_t[::1] forms not None, const int64_t[::1] doc_starts not None, const uint16_t[::1] traits not None,
             bint lines, int64_t short, int64_t long_, int64_t near, int64_t least, int64_t every):
    """How each token stands.  O(tokens).

    Parameters
    ----------
    traits : uint16 array, shape (forms,)
        What `_text.form_traits` says of each form.
    lines : bool
        Form 0 is the line break; else every document is one line.
    short : int
        Tokens of a line that is too short for prose, at most.
    long_ : int
        Tokens of a line that is prose whatever it ends with, at least.
    near : int
        Tokens between a token and an edge of its line that is near, at most.
    least, every : int
        Of lines in a row that are no prose, those from the first *row* to the last are a table, if so many of them
        are rows, and one in `every` is.  A row has a number or a sign of a program in it, or a colon before its end, and
        ends no sentence.

    Returns
    -------
    uint8 array, shape (tokens,)
        1 begins its line, 2 ends it, or, without 8, a capital follows, 4 begins it or follows a punctuation mark, 8 ends it
        or ends with a punctuation mark,
        16 its line is long, or longer than a short one and ends a sentence, 32 the end of its line is near, 64 the beginning is,
        128 its line belongs to a table.
    """
    check_within("forms", forms, 0, traits.shape[0])
    check_bounds("doc_starts", doc_starts, forms.shape[0])
    cdef uint8_t[::1] out = np.zeros(max(forms.shape[0], 1), np.uint8)
    cdef int64_t d
    cdef Sizes sizes = Sizes(short, long_, near, least, every)
    if not forms.shape[0]:
        return np.empty(0, np.uint8)
    with nogil:
        for d in range(doc_starts.shape[0] - 1):
            stand(&forms[0] + doc_starts[d], doc_starts[d + 1] - doc_starts[d], &traits[0], lines, &sizes, &out[0] + doc_starts[d])
    return np.asarray(out)[: forms.shape[0]]


def reduce_tokens(const int32_t[::1] forms not None, const int64_t[::1] doc_starts not None, const int32_t[::1] symbol_of not None,
                  const uint8_t[::1] stands not None, bint lines=False):
    """Renumber forms and put breaks where `symbol_of` is 0; neighbouring breaks become one, every document ends with one.

    Parameters
    ----------
    stands : uint8 array, shape (tokens,)
        What `standing` gave.
    lines : bool
        Form 0 is the line break; it is no token of its document.

    Returns
    -------
    symbols : int32 array, shape (length,)
    stands : uint8 array, shape (length,)
        `stands` of each token; 0 at breaks.
    doc_starts : int64 array, shape (documents + 1,)
        Where each document begins; the last entry is the length.
    runs, run_tokens : int64 and int32 arrays
        Where each stretch without a break begins, and which token of its document stands there, counted from 0.
    """
    if stands.shape[0] != forms.shape[0]:
        raise ValueError(f"expected how {forms.shape[0]} tokens stand, got {stands.shape[0]}")
    check_within("forms", forms, 0, symbol_of.shape[0])
    check_bounds("doc_starts", doc_starts, forms.shape[0])
    cdef int64_t documents = doc_starts.shape[0] - 1
    cdef int32_t[::1] symbols = np.empty(forms.shape[0] + documents, np.int32)
    cdef uint8_t[::1] edges = np.zeros(forms.shape[0] + documents, np.uint8)
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
                        edges[size] = stands[i] if s != 0 else 0
                        size += 1
                    before = s
                    token += i < end and not (lines and forms[i] == 0)
            begins[documents] = size
        # Not copied: what lies behind was never written to, so it takes no memory.
        return (np.asarray(symbols)[:size], np.asarray(edges)[:size], np.asarray(begins),
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
    check_within("sa", sa, 0, text.shape[0])
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
    check_within("sa", sa, 0, text.shape[0])
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
    check_within("text", text, 0, 0x7FFFFFFF)
    check_within("doc_of", doc_of, 0, documents)
    check_within("sa", sa, 0, text.shape[0])
    check_within("lcp", lcp, 0, text.shape[0])
    cdef Found found
    memset(&found, 0, sizeof(Found))
    cdef int64_t[::1] last = np.full(max(documents, 1), -1, np.int64)
    try:
        if text.shape[0]:
            with nogil:
                _repeats[int32_t](&text[0], &doc_of[0], &sa[0], &lcp[0], text.shape[0], &last[0], max(min_tokens, 1), min_df, &found)
    finally:
        columns = found_columns(&found)
    return columns


def repeats_i64(const int32_t[::1] text not None, const int32_t[::1] doc_of not None, const int64_t[::1] sa not None,
                const int64_t[::1] lcp not None, int64_t documents, int64_t min_tokens, int64_t min_df):
    """As `repeats_i32` for 64-bit suffix and LCP arrays."""
    if not text.shape[0] == doc_of.shape[0] == sa.shape[0] == lcp.shape[0]:
        raise ValueError(f"expected equal lengths, got {text.shape[0]}, {doc_of.shape[0]}, {sa.shape[0]} and {lcp.shape[0]}")
    check_within("text", text, 0, 0x7FFFFFFF)
    check_within("doc_of", doc_of, 0, documents)
    check_within("sa", sa, 0, text.shape[0])
    check_within("lcp", lcp, 0, text.shape[0])
    cdef Found found
    memset(&found, 0, sizeof(Found))
    cdef int64_t[::1] last = np.full(max(documents, 1), -1, np.int64)
    try:
        if text.shape[0]:
            with nogil:
                _repeats[int64_t](&text[0], &doc_of[0], &sa[0], &lcp[0], text.shape[0], &last[0], max(min_tokens, 1), min_df, &found)
    finally:
        columns = found_columns(&found)
    return columns
