"""Repeated strings of the documents of a source, in the order in which data flows: token ids -> symbols -> suffix array and LCP,
or growing strings -> maximal strings with their document frequency -> columns of their tokens and hashes; and documents
that repeat others.

Only buffers and numbers cross the boundary; a kernel is a public ``def`` that checks and allocates, and a private ``cdef``
loop that runs without the GIL.  Offsets are int64 everywhere except in suffix arrays, where the caller chooses int32 or
int64.  Arguments are IN unless a docstring says otherwise.
"""

import numpy as np

from cpython.bytes cimport PyBytes_AS_STRING, PyBytes_FromStringAndSize
from libc.stdint cimport int32_t, int64_t, int8_t, uint16_t, uint32_t, uint64_t, uint8_t
from libc.stdlib cimport calloc, free, malloc
from libc.string cimport memcpy, memset, strlen

from templatemine.text._scan cimport (
    check_bounds, check_within, copy_to_array, index_t, Occurrences, occurrences_push, occurrences_to_columns, reserve,
    tm_alloc_zeroed, tm_prefetch, write_number,
)

__all__ = [
    "Windows", "count_holders", "document_frequency", "find_first_positions", "find_rare_pairs",
    "find_repeats", "find_versions", "format_json_rows", "gather_slices_i32", "gather_slices_u8", "grow_strings",
    "hash_strings", "lcp", "number_hashes", "reduce_tokens",
]


# ---------------------------------------------------------------------------------------------------- suffix array and repeats
# Reduction to the tokens that repeats are made of, LCP, maximal repeats with document frequency.
#
# Input: columns of form ids, and suffix arrays.  Output: columns of symbols, and of repeats with their counts.  Time is linear
# in the tokens, except for the repeats, which take O(n log depth).


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


def lcp(const int32_t[::1] text not None, const index_t[::1] sa not None):
    """Longest common prefix array of `text`, no break inside a prefix.

    Parameters
    ----------
    text : int32, shape (n,)
        Symbols; 0 is the break and equals nothing, itself included.
    sa : int32 or int64, shape (n,)
        Suffix array of `text` under any order of the symbols.

    Returns
    -------
    array of the type of `sa`, shape (n,); entry 0 is 0.
    """
    if sa.shape[0] != text.shape[0]:
        raise ValueError(f"expected a suffix array of {text.shape[0]} entries, got {sa.shape[0]}")
    check_within("sa", &sa[0] if sa.shape[0] else NULL, sa.shape[0], 0, text.shape[0])
    dtype = np.int32 if index_t is int32_t else np.int64
    cdef index_t[::1] plcp = np.empty(max(text.shape[0], 1), dtype)
    cdef index_t[::1] out = np.zeros(max(text.shape[0], 1), dtype)
    if text.shape[0]:
        with nogil:
            _compute_lcp(&text[0], text.shape[0], &sa[0], &plcp[0], &out[0])
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


def find_repeats(const int32_t[::1] text not None, const int32_t[::1] doc_of not None, const index_t[::1] sa not None,
                 const index_t[::1] lcp not None, int64_t documents, int64_t min_tokens, int64_t min_df):
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
                _find_repeats(&text[0], &doc_of[0], &sa[0], &lcp[0], text.shape[0], &last_rank[0], max(min_tokens, 1), min_df,
                              &repeats)
    finally:
        columns = occurrences_to_columns(&repeats)
    return columns


# ------------------------------------------------------------------------------------------------------------- windows
# Windows are stretches of so many tokens of a document, of which none is rare; line breaks are no tokens.
#
# Equal windows have equal hashes: polynomial ones modulo 2^64, mixed.  A walk hashes all windows as they roll by; what it
# keeps are those whose place in a small table, the low bits of the hash, is marked.  Most tokens are in no window, so walks
# go over the runs that are long enough for one, which are found first.

cdef enum:
    MIN_WINDOW_SLOTS = 1 << 10
    MAX_WINDOW_SLOTS = 1 << 18
    MAX_WINDOW = 63         # a ring holds the hashes of what precedes each of the last tokens
    MAX_WINDOW_PARTS = 3


cdef struct WindowRun:
    # Forms in a row of which none is rare, line breaks among them; the tokens before them, and their document.
    int64_t begin
    int64_t end
    int64_t token
    int32_t document


cdef struct WindowWalk:
    int64_t run             # that follows
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
    cdef WindowRun* _runs
    cdef int64_t _run_count
    cdef bint _has_breaks
    cdef int _size

    def __cinit__(self, const int32_t[::1] forms not None, const int64_t[::1] doc_starts not None, bint has_breaks,
                  const uint8_t[::1] is_rare not None, int size):
        if not 1 <= size <= MAX_WINDOW:
            raise ValueError(f"size: expected 1 to {MAX_WINDOW}, got {size}")
        check_bounds("doc_starts", &doc_starts[0] if doc_starts.shape[0] else NULL, doc_starts.shape[0], forms.shape[0])
        check_within("forms", &forms[0] if forms.shape[0] else NULL, forms.shape[0], 0, is_rare.shape[0])
        self._forms, self._has_breaks, self._size = forms, has_breaks, size
        self.slots = MIN_WINDOW_SLOTS
        while self.slots < min(forms.shape[0], MAX_WINDOW_SLOTS):
            self.slots *= 2
        with nogil:
            self._find_runs(doc_starts, is_rare)

    def __dealloc__(self):
        free(self._runs)

    cdef int _find_runs(self, const int64_t[::1] doc_starts, const uint8_t[::1] is_rare) except -1 nogil:
        """Find the runs.  Which token is rare nothing foretells, so no branch asks but for the few ends of long runs."""
        cdef int64_t d, i, begin, tokens, token = 0, room = 0
        cdef int64_t is_break, rare
        for d in range(doc_starts.shape[0] - 1):
            begin, tokens = doc_starts[d], 0
            for i in range(doc_starts[d], doc_starts[d + 1]):
                is_break = (self._forms[i] == 0) & self._has_breaks
                rare = (is_rare[self._forms[i]] != 0) & (1 - is_break)
                if rare & (tokens >= self._size):
                    self._add_run(begin, i, token - tokens, d, &room)
                token += 1 - is_break
                tokens = (tokens + 1 - is_break) & (rare - 1)
                begin += (i + 1 - begin) & -rare
            if tokens >= self._size:
                self._add_run(begin, doc_starts[d + 1], token - tokens, d, &room)
        return 0

    cdef int _add_run(self, int64_t begin, int64_t end, int64_t token, int64_t document, int64_t* room) except -1 nogil:
        reserve(<void**>&self._runs, room, self._run_count + 1, sizeof(WindowRun))
        self._runs[self._run_count] = WindowRun(begin, end, token, <int32_t>document)
        self._run_count += 1
        return 0

    def count(self):
        """Count the windows by the low bits of their hashes: int32 array, shape (slots,).  O(windows)."""
        cdef int32_t[::1] counts = np.zeros(self.slots, np.int32)
        cdef int32_t whole[2]
        cdef WindowWalk walk
        memset(&walk, 0, sizeof(WindowWalk))
        whole[0], whole[1] = 0, self._size
        with nogil:
            self._walk(&walk, whole, 1, &counts[0], NULL, NULL, NULL, NULL, 0)
        return np.asarray(counts)

    def find(self, parts, const uint8_t[::1] wanted not None):
        """Find the windows of which the hash of the first part is marked.  O(windows).

        Parameters
        ----------
        parts : sequence of (offset, length)
            Parts of a window, at most three.
        wanted : uint8 array, shape (slots,)

        Returns
        -------
        first : int64 array, shape (windows,)
            Tokens of the source before each, line breaks left out.
        document : int32 array, shape (windows,)
        hashes : uint64 array, shape (windows, parts)
            Of each part of each window.
        """
        cdef int64_t room = 0, need
        cdef int32_t bounds[2 * MAX_WINDOW_PARTS]
        cdef int count = len(parts), k
        cdef WindowWalk walk
        if not 1 <= count <= MAX_WINDOW_PARTS or wanted.shape[0] != self.slots:
            raise ValueError(f"expected 1 to {MAX_WINDOW_PARTS} parts and a table of {self.slots}")
        for k, (offset, length) in enumerate(parts):
            if offset < 0 or length < 1 or offset + length > self._size:
                raise ValueError(f"part {k}: expected it within {self._size} tokens, got {offset} and {length}")
            bounds[2 * k], bounds[2 * k + 1] = offset, length
        memset(&walk, 0, sizeof(WindowWalk))
        cdef int64_t[::1] first = np.empty(0, np.int64)
        cdef int32_t[::1] document = np.empty(0, np.int32)
        cdef uint64_t[:, ::1] hashes = np.empty((0, count), np.uint64)
        while walk.run < self._run_count:
            # Room for the whole of the next run, and as much again: most windows are not kept.
            need = walk.kept + self._runs[walk.run].end - self._runs[walk.run].begin
            room = max(need, 2 * room, 1024)
            first, document, hashes = _grow(first, room), _grow(document, room), _grow(hashes, room)
            with nogil:
                self._walk(&walk, bounds, count, NULL, &wanted[0], &first[0], &document[0], &hashes[0, 0], room)
        return (np.asarray(first)[: walk.kept].copy(), np.asarray(document)[: walk.kept].copy(),
                np.asarray(hashes)[: walk.kept].copy())

    cdef void _walk(self, WindowWalk* walk, const int32_t* parts, int part_count, int32_t* counts,
                    const uint8_t* wanted, int64_t* first, int32_t* document, uint64_t* hashes, int64_t room) noexcept nogil:
        """Walk on over the runs: count all windows, or keep those that are wanted while there is room."""
        cdef int64_t i, size = self._size, run, mask = self.slots - 1
        cdef uint64_t ring[64]      # hash of the run before each of its last tokens
        cdef uint64_t powers[MAX_WINDOW_PARTS]
        cdef uint64_t found[MAX_WINDOW_PARTS]
        cdef uint64_t h, base = 0x0B0E1F2D3C4B5A69
        cdef int32_t form
        cdef int k
        cdef const WindowRun* stretch
        for k in range(part_count):
            powers[k] = 1
            for _ in range(parts[2 * k + 1]):
                powers[k] *= base
        while walk.run < self._run_count:
            stretch = self._runs + walk.run
            if counts == NULL and room - walk.kept < stretch.end - stretch.begin:
                break
            walk.run += 1
            run, h = 0, 0
            for i in range(stretch.begin, stretch.end):
                form = self._forms[i]
                if form == 0 and self._has_breaks:
                    continue
                ring[run & 63] = h
                h = h * base + mix_form(form)
                run += 1
                if run < size:
                    continue
                found[0] = hash_part(ring, h, run, size, parts[0], parts[1], powers[0])
                if counts != NULL:
                    counts[found[0] & mask] += 1
                elif wanted[found[0] & mask]:
                    first[walk.kept] = stretch.token + run - size
                    document[walk.kept] = stretch.document
                    for k in range(1, part_count):
                        found[k] = hash_part(ring, h, run, size, parts[2 * k], parts[2 * k + 1], powers[k])
                    memcpy(hashes + walk.kept * part_count, found, part_count * sizeof(uint64_t))
                    walk.kept += 1


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
    cdef uint64_t prime = (<uint64_t>1 << 61) - 1, base = 0x0B0E1F2D3C4B5A69, square = tm_modmul(base, base), h
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
                h = symbol_hash[text[position[i]]] % prime if length[i] & 1 else 0
                # Two at a time: a product has to wait for the one before it.
                for k in range(position[i] + (length[i] & 1), position[i] + length[i], 2):
                    h = tm_modmul(h, square) + tm_modmul(symbol_hash[text[k]] % prime, base) + symbol_hash[text[k + 1]] % prime
                    h = (h & prime) + (h >> 61)
                    h = h - prime if h >= prime else h
                out[i] = h
    return np.asarray(out)[: position.shape[0]]


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
