"""Candidates for templates: segments of lines, those that repeat and the labels that they share, and their features.

Tokens of a source come in, columns of segments, candidates and features go out; see `mining.segments`, `labels` and
`features`.  Cues, phrases of news boilerplate, are features, too.
"""

import numpy as np

from libc.math cimport log2, sqrt
from libc.stdint cimport int32_t, int64_t, uint16_t, uint32_t, uint64_t, uint8_t
from libc.stdlib cimport calloc, free, malloc
from libc.string cimport memcpy, memset

from templatemine.text._scan cimport (
    BULLET, Bytes, CAPITAL, check_bounds, check_within, CLAUSE, COLON, copy_to_array, decode, FIGURE, is_alnum, is_upper, MARKER,
    move_to_array, MUTABLE, OWN, reserve, SENTENCE, SMALL, Table, table_add, table_find, table_free, table_init, tm_hash,
    tm_prefetch, VALUE,
)

cdef extern from "Python.h":
    bint Py_UNICODE_ISALNUM(uint32_t c) noexcept nogil

__all__ = [
    "CUE_COLUMNS", "PIECES", "CueTrie", "FeatureExtractor", "count_occurrences", "cut_segments", "find_labels",
    "find_repeated_segments", "hash_pieces", "sketch_segments",
]


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


# ------------------------------------------------------------------------------------------------ candidates and their features
# Candidates are the repeated segments, and the labels: prefixes and suffixes that other segments share.
#
# Input: the segments of a source.  Output: the occurrences of each candidate, and a row of features for each.  Time is linear
# in segments and occurrences, except for the radix sorts by token, which take a pass for each eight bits.


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
    PREFETCH_RECORDS = 8            # a record is prefetched so many occurrences before it is read
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
            if i + PREFETCH_RECORDS < n:
                tm_prefetch(self.records + occurrences[i + PREFETCH_RECORDS])
                tm_prefetch(&self.bounds[occurrences[i + PREFETCH_RECORDS]])
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


# ------------------------------------------------------------------------------------------------------------------------ cues
# Which cues strings of tokens hold: phrases of news boilerplate ("sign up for", "read also"), kept as words of a trie; see
# `mining.cues`.


cdef enum:
    KINDS = 13
    SHARE = KINDS           # columns behind those of the kinds
    FIRST = KINDS + 1
    LAST = KINDS + 2
    COLUMNS = KINDS + 3

CUE_COLUMNS = COLUMNS


cdef enum:
    MIN_PIECE = 2
    MAX_PIECE = 5           # characters
    PIECE_BITS = 14


def hash_pieces(const uint32_t[::1] chars not None):
    """Hash the pieces of words: all strings of two to five characters of each, the blanks around it included.  O(chars).

    Parameters
    ----------
    chars : uint32 array
        Code points of the words, a zero before each and behind the last one.

    Returns
    -------
    pieces : int32 array
        Hash of each piece, below `PIECES`; of FNV-1a by code points.
    bounds : int64 array, shape (words + 1,)
        Where the pieces of each word begin, with the end.
    """
    cdef int64_t n = chars.shape[0], words = 0, size = 0, start = 0, i, first, last
    if n and (chars[0] or chars[n - 1]):
        raise ValueError("chars: expected a zero at each end")
    for i in range(1, n):
        if not chars[i]:
            words += 1
    # Each character begins no more than one piece of a length.
    cdef int32_t[::1] pieces = np.empty(max(1, n * (MAX_PIECE - MIN_PIECE + 1)), np.int32)
    cdef int64_t[::1] bounds = np.zeros(words + 1, np.int64)
    cdef uint32_t h
    words = 0
    with nogil:
        for i in range(1, n):
            if chars[i]:
                continue
            for first in range(start, i):
                h = 0x811C9DC5U
                for last in range(first, min(i, first + MAX_PIECE - 1) + 1):
                    h = (h ^ chars[last]) * 0x01000193U
                    if last - first + 1 >= MIN_PIECE:
                        pieces[size] = <int32_t>((h * 0x9E3779B1U) >> (32 - PIECE_BITS))
                        size += 1
            words += 1
            bounds[words] = size
            start = i
    return np.asarray(pieces)[:size].copy(), np.asarray(bounds)


PIECES = 1 << PIECE_BITS


cdef enum:
    CHAR_ROOM = 12          # bytes of a character in small letters, or folded


cdef struct CharForm:
    # A character that is not ASCII, as `cues._read_char` has it.
    uint8_t[CHAR_ROOM] small
    uint8_t[CHAR_ROOM] folded
    uint8_t small_size
    uint8_t folded_size
    bint is_sign
    bint is_marker


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
    cdef uint64_t[::1] _key_bits        # a bit for the hash of each transition, for most words have none behind them
    cdef int32_t _colon
    cdef int32_t _pattern
    cdef Table _chars                   # characters of forms
    cdef CharForm* _char_forms          # and what they are
    cdef int64_t _char_room

    def __cinit__(self):
        table_init(&self._table)
        table_init(&self._chars)

    def __dealloc__(self):
        table_free(&self._table)
        table_free(&self._chars)
        free(self._char_forms)

    def __init__(self, bytes names not None, const int32_t[::1] roots not None, const int64_t[::1] keys not None,
                 const int32_t[::1] children not None, const uint16_t[::1] strong not None, const uint16_t[::1] weak not None,
                 bytes colon not None, bytes pattern not None):
        cdef const uint8_t[::1] text = names
        cdef int64_t n = text.shape[0], start = 0, i, node = 0, nodes = strong.shape[0], words = roots.shape[0], room = 1
        cdef uint64_t h
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
        while 8 * room < keys.shape[0]:
            room *= 2
        self._key_bits = np.zeros(room, np.uint64)
        with nogil:
            for i in range(keys.shape[0]):
                while node * words <= keys[i]:
                    self._first[node] = i
                    node += 1
                h = hash_transition(<uint64_t>keys[i])
                self._key_bits[h >> 6 & (room - 1)] |= <uint64_t>1 << (h & 63)
        self._colon = self._find(<const uint8_t*>colon, len(colon))
        self._pattern = self._find(<const uint8_t*>pattern, len(pattern))

    def number_forms(self, const uint8_t[::1] arena not None, const int64_t[::1] offsets not None, read_char not None):
        """Number the forms of a source, as `cues.fold_word` and `cues._read_signed` have them.  O(bytes).

        Parameters
        ----------
        arena, offsets : uint8 and int64 arrays
            The forms: UTF-8, with markers of patterns.
        read_char : callable
            See `cues._read_char`; called once for each character that is not ASCII.

        Returns
        -------
        words : int32 array, shape (forms,)
            The word that each is; 0 for none, -1 for a form without letters and digits.
        signed : int32 array, shape (forms,)
            The word that each is with the signs around it, 0 for none.
        colons : uint8 array, shape (forms,)
            Whether it ends with a colon.
        """
        cdef int64_t n = max(offsets.shape[0] - 1, 0), i, k, first, last, end, size, longest = 0, other = 0
        check_bounds("offsets", &offsets[0] if offsets.shape[0] else NULL, offsets.shape[0], arena.shape[0])
        cdef int32_t[::1] words = np.zeros(max(n, 1), np.int32)
        cdef int32_t[::1] signed = np.zeros(max(n, 1), np.int32)
        cdef uint8_t[::1] colons = np.zeros(max(n, 1), np.uint8)
        cdef int64_t[::1] others = np.empty(max(n, 1), np.int64)
        cdef Bytes folded = Bytes(NULL, 0, 0)
        cdef Bytes small = Bytes(NULL, 0, 0)
        for i in range(n):
            longest = max(longest, offsets[i + 1] - offsets[i])
        try:
            reserve(<void**>&small.data, &small.room, longest * CHAR_ROOM + 1, 1)
            reserve(<void**>&folded.data, &folded.room, longest * CHAR_ROOM + 1, 1)
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
                    words[i] = self._find_small(&arena[first], size, small.data)
                    first, last = offsets[i], end
                    end = offsets[i + 1]
                    while end > last and is_mark(arena[end - 1]):
                        end -= 1
                    if end > last or not is_alnum(arena[first]):
                        signed[i] = self._find_small(&arena[first], end - first, small.data)
            for k in range(other):
                i = others[k]
                first, end = offsets[i], offsets[i + 1]
                colons[i] = ends_with_colon(&arena[first], end - first)
                self._number_form(&arena[first], end - first, read_char, &small, &folded, &words[i], &signed[i])
        finally:
            free(small.data)
            free(folded.data)
        return np.asarray(words)[:n], np.asarray(signed)[:n], np.asarray(colons)[:n]

    cdef int _number_form(self, const uint8_t* p, int64_t n, object read_char, Bytes* small, Bytes* folded, int32_t* word,
                          int32_t* signed) except -1:
        """Number a form that is not ASCII (OUT); `small` and `folded` have room for it."""
        cdef int64_t i = 0, begin = 0, end = 0
        cdef int width = 1
        cdef bint is_sign, starts_signed = False, ends_signed = False, is_marked = False, is_number = False
        cdef CharForm* form
        cdef bytes lowered
        small.size = folded.size = 0
        while i < n:
            if p[i] < 0x80:
                width = 1
                is_sign = 32 < p[i] < 127 and not is_alnum(p[i])
                small.data[small.size] = p[i] | 32 if is_upper(p[i]) else p[i]
                folded.data[folded.size] = 32 if p[i] == 10 else small.data[small.size]
                small.size += 1
                folded.size += 1
            else:
                decode(p + i, n - i, &width)
                if is_number:
                    width = 1
                if width == 2 and p[i] == 0xCE and p[i + 1] == 0xA3:
                    # The small letter of this one depends on what is beside it.
                    lowered = p[:n].decode("utf-8", "replace").lower().encode()
                    reserve(<void**>&small.data, &small.room, len(lowered) * CHAR_ROOM + 1, 1)
                    reserve(<void**>&folded.data, &folded.room, len(lowered) * CHAR_ROOM + 1, 1)
                    return self._number_form(lowered, len(lowered), read_char, small, folded, word, signed)
                form = self._describe(p + i, width, read_char)
                is_sign = form.is_sign
                is_marked |= form.is_marker
                memcpy(small.data + small.size, form.small, form.small_size)
                memcpy(folded.data + folded.size, form.folded, form.folded_size)
                small.size += form.small_size
                folded.size += form.folded_size
            if i == 0:
                starts_signed = is_sign
            if not is_mark(p[i]):
                ends_signed, end = is_sign, small.size
            is_number = p[i] == MARKER and not is_number
            i += width
        signed[0] = 0
        if (starts_signed or ends_signed) and alnum_start(small.data, 0, end) < end:
            signed[0] = self._find(small.data, end)
        begin = alnum_start(folded.data, 0, folded.size)
        end = alnum_end(folded.data, begin, folded.size)
        word[0] = self._find(folded.data + begin, end - begin) if begin < end else (self._pattern or -1) if is_marked else -1
        return 0

    cdef CharForm* _describe(self, const uint8_t* p, int width, object read_char) except NULL:
        """What a character is; asked for once."""
        cdef int64_t place = table_find(&self._chars, p, width, tm_hash(p, width))
        cdef CharForm form
        cdef bytes small, folded
        if place < 0:
            small, folded, form.is_sign, form.is_marker = read_char(p[:width])
            if len(small) > CHAR_ROOM or len(folded) > CHAR_ROOM:
                raise ValueError(f"expected at most {CHAR_ROOM} bytes of a character, got {small!r} and {folded!r}")
            form.small_size, form.folded_size = len(small), len(folded)
            memcpy(form.small, <const uint8_t*>small, len(small))
            memcpy(form.folded, <const uint8_t*>folded, len(folded))
            place = table_add(&self._chars, p, width)
            reserve(<void**>&self._char_forms, &self._char_room, place + 1, sizeof(CharForm))
            self._char_forms[place] = form
        return self._char_forms + place

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
        cdef int64_t key = node * self._roots.shape[0] + word, low, end, high, middle
        cdef uint64_t h = hash_transition(<uint64_t>key)
        if not self._key_bits[h >> 6 & (self._key_bits.shape[0] - 1)] >> (h & 63) & 1:
            return -1
        low, end = self._first[node], self._first[node + 1]
        high = end
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


cdef int64_t alnum_start(const uint8_t* p, int64_t i, int64_t n) noexcept nogil:
    """The place of the first letter or digit in [i, n), or n."""
    cdef int width = 1
    while i < n and not Py_UNICODE_ISALNUM(decode(p + i, n - i, &width)):
        i += width
    return i


cdef int64_t alnum_end(const uint8_t* p, int64_t i, int64_t n) noexcept nogil:
    """The end of the last letter or digit in [i, n), or i."""
    cdef int width = 1
    cdef int64_t start
    while n > i:
        start = n - 1
        while start > i and p[start] & 0xC0 == 0x80:
            start -= 1
        if Py_UNICODE_ISALNUM(decode(p + start, n - start, &width)):
            break
        n = start
    return n


cdef inline bint ends_with_colon(const uint8_t* p, int64_t n) noexcept nogil:
    """Whether a form ends with one of `cues._COLONS`."""
    if p[n - 1] == 58:
        return True
    return n >= 3 and p[n - 3] == 0xEF and ((p[n - 2] == 0xBC and p[n - 1] == 0x9A) or (p[n - 2] == 0xB9 and p[n - 1] == 0x95))


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
