"""The strings that mining found, by columns: how they stand, their tokens, hashes of them, sums over them, as JSON.

In come suffix arrays, or where strings begin and how many tokens they have.  Linear in occurrences or in tokens.
"""

import numpy as np

from cpython.bytes cimport PyBytes_AS_STRING, PyBytes_FromStringAndSize
from libc.stdint cimport int8_t, int32_t, int64_t, uint8_t, uint64_t
from libc.string cimport memcpy, strlen

from templatemine._chars cimport put_number
from templatemine._memory cimport check_bounds, check_within, tm_prefetch
from templatemine._stands cimport STANDS, count_stand

__all__ = [
    "STAND_COUNTS",
    "group_rates",
    "json_rows",
    "renumber",
    "stand_counts",
    "stretches_i32",
    "stretches_u8",
    "string_hashes",
    "string_sums",
]

STAND_COUNTS = STANDS
"""Columns of what `stand_counts` gives."""


def stand_counts(const int64_t[::1] rank not None, const int32_t[::1] length not None, const int32_t[::1] count not None,
                 const int64_t[::1] sa not None, const uint8_t[::1] stands not None, int64_t most):
    """How the occurrences of each string stand, and where it stands first.  O(strings * most).

    Parameters
    ----------
    stands : uint8 array, shape (n,)
        What `standing` says of each position.
    most : int
        Of a string with more occurrences so many are looked at, evenly spaced, and their counts scaled up.

    Returns
    -------
    counts : int32 array, shape (strings, 11)
        Occurrences that begin a line, end one, are one; that begin a line or follow a punctuation mark; that end a line or
        end with one; that stand in a line of prose; whose line ends near, begins near; that stand in a line of prose and
        neither begin nor end it; that stand in a table; that end a line, with a punctuation mark, or before a capital.
    first : int64 array
        Lowest place that was looked at.
    """
    if most < 1:
        raise ValueError(f"expected at least one occurrence to look at, got {most}")
    if not rank.shape[0] == length.shape[0] == count.shape[0]:
        raise ValueError(f"expected equal lengths, got {rank.shape[0]}, {length.shape[0]} and {count.shape[0]}")
    check_within("sa", sa, 0, stands.shape[0])
    cdef int32_t[:, ::1] out = np.zeros((rank.shape[0], STANDS), np.int32)
    cdef int64_t[::1] first = np.zeros(max(rank.shape[0], 1), np.int64)
    cdef int64_t i, j, k, looks
    for i in range(rank.shape[0]):
        if rank[i] < 0 or count[i] < 0 or length[i] < 1 or rank[i] > sa.shape[0] - count[i]:
            raise ValueError(f"string {i}: expected ranks within {sa.shape[0]}, got {count[i]} from {rank[i]} of length {length[i]}")
    with nogil:
        for i in range(rank.shape[0]):
            if count[i]:
                first[i] = sa[rank[i]]
            looks = min(<int64_t>count[i], most)
            for j in range(looks):
                k = rank[i] + j * count[i] // looks
                first[i] = min(first[i], sa[k])
                count_stand(&out[i, 0], stands[sa[k]], stands[min(sa[k] + length[i], stands.shape[0]) - 1])
            if looks < count[i]:
                for j in range(STANDS):
                    out[i, j] = <int32_t>(<int64_t>out[i, j] * count[i] // looks)
    return np.asarray(out), np.asarray(first)[: rank.shape[0]]


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
    AHEAD = 8       # strings whose tokens are asked for while others are looked at: they lie anywhere in the text


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
            if i + AHEAD < position.shape[0] and length[i + AHEAD]:
                tm_prefetch(&values[0] + position[i + AHEAD])
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
    check_within("values", values, 0, kinds)
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


def string_hashes(const int32_t[::1] text not None, const uint64_t[::1] symbol_hash not None, const int64_t[::1] position not None,
                  const int32_t[::1] length not None):
    """A hash below 2^61 for each string, from the hashes of its tokens' forms: equal across sources.

    Polynomial over the prime 2^61 - 1 (Karp and Rabin 1987), token by token, or by prefix sums where that is less work:
    O(strings + min(n, tokens of all strings)).
    """
    cdef int64_t n = text.shape[0], i, k
    cdef int64_t total = _check_stretches(n, position, length)
    check_within("text", text, 0, symbol_hash.shape[0])
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
                if i + AHEAD < position.shape[0]:
                    tm_prefetch(&text[0] + position[i + AHEAD])
                h = 0
                for k in range(position[i], position[i] + length[i]):
                    h = tm_modmul(h, base) + symbol_hash[text[k]] % M
                    h = h - M if h >= M else h
                out[i] = h
    return np.asarray(out)[: position.shape[0]]


cdef enum:
    SUMS = 8        # columns that `string_sums` takes


cdef int64_t _sum_strings(const int32_t* text, const double* values, int64_t symbols, int64_t columns, const int64_t[::1] position,
                          const int32_t[::1] length, double* out) noexcept nogil:
    """The first place with a symbol that has no values, or -1.

    Each sum is taken from left to right, so that it is the same to the last bit however many columns there are.
    """
    cdef int64_t i, k, c
    cdef const double* row
    cdef double[SUMS] total
    for i in range(position.shape[0]):
        if i + AHEAD < position.shape[0]:
            tm_prefetch(text + position[i + AHEAD])
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


cdef uint8_t* _put_rows(const int32_t[::1] tokens, const int64_t[::1] bounds, const uint8_t* names, const int64_t[::1] name_bounds,
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
    check_bounds("bounds", bounds, tokens.shape[0])
    check_bounds("name_bounds", name_bounds, names.shape[0])
    check_bounds("end_bounds", end_bounds, ends.shape[0])
    check_within("tokens", tokens, 0, name_bounds.shape[0] - 1)
    check_within("df", df, 0, <int64_t>1 << 31)
    check_within("count", count, 0, <int64_t>1 << 31)
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
