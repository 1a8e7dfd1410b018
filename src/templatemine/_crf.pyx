"""Features of runs of text, and the chance of each label of a linear chain over them; see `pages.crf`.

In come the columns and texts of `_runs.RunScanner.runs`, out go a column a feature (section 3.2 of Spousta, Marek and
Pecina, Victor: the Web-Page Cleaning Tool, WAC4 2008), mapped to few values, and marginal probabilities by forward and
backward passes.  Characters are what Python's str says they are.  Time is linear in the text and the runs.
"""

import numpy as np

from libc.math cimport exp
from libc.stdint cimport int64_t, uint8_t, uint32_t
from libc.string cimport memset

from templatemine._tables cimport Table, table_add, table_free, table_init

__all__ = ["FEATURES", "features", "marginals"]


cdef extern from "Python.h":
    bint Py_UNICODE_ISALPHA(uint32_t c) noexcept nogil
    bint Py_UNICODE_ISALNUM(uint32_t c) noexcept nogil
    bint Py_UNICODE_ISDIGIT(uint32_t c) noexcept nogil
    bint Py_UNICODE_ISDECIMAL(uint32_t c) noexcept nogil
    bint Py_UNICODE_ISUPPER(uint32_t c) noexcept nogil


cdef enum:
    F_CHAR_ALPHA, F_CHAR_NUM, F_CHAR_PUNCT, F_CHAR_WHITE, F_CHAR_OTHER, F_CHAR
    F_TOKEN_REL, F_TOKEN_REL_1, F_TOKEN_REL_2, F_TOKEN_REL_3, F_TOKEN, F_TOKEN_1, F_TOKEN_2, F_TOKEN_3
    F_SENTENCES, F_SENTENCE_LENGTH, F_BEGIN, F_END, F_URL, F_DATE, F_TIME
    F_DIV, F_TD, F_DUPLICATES, F_FIRST, F_P, F_BR, F_HR, F_INLINE, F_BLOCK, F_POSITION
    F_ALL_WORDS, F_ALL_SENTENCES, F_ALL_RUNS, F_ALL_DIV, F_ALL_TD, F_SIZE

FEATURES = (
    *("char.alpha-rel", "char.num-rel", "char.punct-rel", "char.white-rel", "char.other-rel", "char.abs"),
    *("token.alpha-rel", "token.num-rel", "token.mix-rel", "token.other-rel"),
    *("token.alpha-abs", "token.num-abs", "token.mix-abs", "token.other-abs"),
    *("sentence.count", "sentence.avg-length", "sentence-begin", "sentence-end"),
    *("regexp.url", "regexp.date", "regexp.time", "div-group.word-ratio", "td-group.word-ratio"),
    *("duplicate-count", "first-duplicate", "split.p", "split.br", "split.hr", "split.class-inline", "split.class-block"),
    *("position", "document.word-count", "document.sentence-count", "document.block-count"),
    *("document.max-div-group", "document.max-td-group"),
)
"""Columns of `features`, before one for each kind of element that a run may stand in."""

# Columns of `_runs` that are read here.
cdef enum:
    R_MASK = 3
    R_DIV = 4
    R_TD = 5
    R_MARKS = 6
    R_SIZE = 11

cdef enum:
    HEAD = 2000         # characters of a run in which addresses, dates and times are looked for
    LABELS_MOST = 16


cdef void check(bint good, str what) except *:
    if not good:
        raise ValueError(f"expected {what}")


# ======================================================================================================================
# Characters
# ======================================================================================================================

cdef enum:
    PUNCT = 1       # counts as punctuation, and is stripped from both ends of a token
    STOP = 2        # ends a sentence
    LAST = 4        # a run that ends with it ends a sentence
    CLOSING = 8     # may stand before the first word or behind the last mark of a sentence

cdef dict SETS = {
    PUNCT: ".,;:!?\"'()[]{}«»“”„‘’…|/\\-–—·•*<>",
    STOP: ".!?。！？؟",
    LAST: ".!?。！？؟…",
    CLOSING: "\"'”’»）)」』] ",
}

cdef uint8_t MARKS[65536]


cdef void _tables():
    for bit, marks in SETS.items():
        for mark in marks:
            MARKS[<int>ord(mark)] |= <uint8_t>bit


memset(MARKS, 0, sizeof(MARKS))
_tables()


cdef inline bint has(uint32_t c, uint8_t bit) noexcept nogil:
    return c < 65536 and MARKS[c] & bit != 0


cdef inline bint ascii_letter(uint32_t c) noexcept nogil:
    return 97 <= (c | 32) <= 122


cdef inline bint is_alpha(uint32_t c) noexcept nogil:
    return ascii_letter(c) if c < 128 else Py_UNICODE_ISALPHA(c)


cdef inline bint is_digit(uint32_t c) noexcept nogil:
    return 48 <= c <= 57 if c < 128 else Py_UNICODE_ISDIGIT(c)


cdef inline bint is_decimal(uint32_t c) noexcept nogil:
    return 48 <= c <= 57 if c < 128 else Py_UNICODE_ISDECIMAL(c)


cdef inline bint is_alnum(uint32_t c) noexcept nogil:
    return ascii_letter(c) or 48 <= c <= 57 if c < 128 else Py_UNICODE_ISALNUM(c)


cdef inline bint is_word(uint32_t c) noexcept nogil:
    """As \\w of `re`."""
    return c == 95 or is_alnum(c)


cdef inline bint is_single(uint32_t c) noexcept nogil:
    """A token of its own: kana, Han, Hangul."""
    return c >= 0x3040 and (c <= 0x30FF or 0x3400 <= c <= 0x9FFF or 0xAC00 <= c <= 0xD7AF)


# ======================================================================================================================
# Addresses, dates and times: the expressions of tests/crf_reference.py, by hand
# ======================================================================================================================

cdef inline bint word_at(const uint32_t* t, int64_t n, int64_t i) noexcept nogil:
    return 0 <= i < n and is_word(t[i])


cdef inline bint edge(const uint32_t* t, int64_t n, int64_t i) noexcept nogil:
    """As \\b of `re`."""
    return word_at(t, n, i - 1) != word_at(t, n, i)


cdef inline bint decimals(const uint32_t* t, int64_t n, int64_t i, int64_t count) noexcept nogil:
    cdef int64_t k
    if i < 0 or i + count > n:
        return False
    for k in range(i, i + count):
        if not is_decimal(t[k]):
            return False
    return True


cdef inline bint letter(uint32_t c, uint32_t small) noexcept nogil:
    """A letter of any case; the long s is an s."""
    return (c | 32) == small and c < 128 or c == 0x17F and small == 115


cdef int64_t scheme(const uint32_t* t, int64_t n, int64_t i) noexcept nogil:
    """Behind http://, https:// or www. at i; -1 if none is there."""
    if i + 4 <= n and letter(t[i], 119):
        return i + 4 if letter(t[i + 1], 119) and letter(t[i + 2], 119) and t[i + 3] == 46 else -1
    if i + 7 > n or not (letter(t[i], 104) and letter(t[i + 1], 116) and letter(t[i + 2], 116) and letter(t[i + 3], 112)):
        return -1
    i += 5 if letter(t[i + 4], 115) else 4
    return i + 3 if i + 3 <= n and t[i] == 58 and t[i + 1] == 47 and t[i + 2] == 47 else -1


cdef bint mail(const uint32_t* t, int64_t n, int64_t at) noexcept nogil:
    """The @ stands in an address."""
    cdef int64_t i = at - 1, j = at + 1
    cdef bint begun = False
    while i >= 0 and at - i <= 60 and (is_word(t[i]) or t[i] == 46 or t[i] == 43 or t[i] == 45):
        if edge(t, n, i):
            begun = True
            break
        i -= 1
    if not begun:
        return False
    while j < n and (is_word(t[j]) or t[j] == 45):
        j += 1
    return 1 <= j - at - 1 <= 60 and j < n and t[j] == 46 and word_at(t, n, j + 1)


cdef int url(const uint32_t* t, int64_t n, int64_t blanks) noexcept nogil:
    """1 for nothing but an address, 2 for one within, 3 for one of mail."""
    cdef int64_t i, behind
    cdef bint written = False
    behind = scheme(t, n, 0)
    if blanks == 0 and 0 < behind < n:
        return 1
    for i in range(n):
        if t[i] == 64:
            written = written or mail(t, n, i)
        elif (letter(t[i], 104) or letter(t[i], 119)) and edge(t, n, i):
            behind = scheme(t, n, i)
            if 0 < behind < n and t[behind] != 32:
                return 2
    return 3 if written else 0


cdef inline bint year(const uint32_t* t, int64_t n, int64_t i) noexcept nogil:
    return i + 4 <= n and (t[i] == 49 and t[i + 1] == 57 or t[i] == 50 and t[i + 1] == 48) and decimals(t, n, i + 2, 2)


cdef inline bint parts(uint32_t c, uint32_t own) noexcept nogil:
    """A mark between the parts of a date."""
    return c == 45 or c == 47 or c == 46 or c == own


cdef int64_t part(const uint32_t* t, int64_t n, int64_t i, uint32_t own) noexcept nogil:
    """Behind a digit or two, a mark and perhaps a blank; -1 if they do not stand at i."""
    cdef int64_t k = i
    while k < n and k < i + 2 and is_decimal(t[k]):
        k += 1
    if k == i or k >= n or not parts(t[k], own):
        return -1
    return k + 2 if k + 1 < n and t[k + 1] == 32 else k + 1


cdef bint in_numbers(const uint32_t* t, int64_t n, int64_t i) noexcept nogil:
    """2009-03-01, 1. 3. 2009."""
    cdef int64_t k
    if year(t, n, i) and i + 4 < n and parts(t[i + 4], 0x5E74):
        k = part(t, n, i + 6 if i + 5 < n and t[i + 5] == 32 else i + 5, 0x6708)
        if k > 0 and decimals(t, n, k, 1):
            return True
    k = part(t, n, i, 46)
    if k > 0:
        k = part(t, n, k, 46)
    return k > 0 and year(t, n, k) and not word_at(t, n, k + 4)


cdef bint month_name(const uint32_t* t, int64_t n, int64_t end, bint day_first) noexcept nogil:
    """Three to ten letters end here, and before them stands the day, or the edge of a word."""
    cdef int64_t k, i, day
    for k in range(1, 11):
        i = end - k
        if not word_at(t, n, i):
            return False
        if k < 3:
            continue
        if not day_first:
            if edge(t, n, i):
                return True
            continue
        for day in range(1, 3):             # a blank and a full stop may stand between
            if decimals(t, n, i - day, day) and edge(t, n, i - day):
                return True
            if i and (t[i - 1] == 32 or t[i - 1] == 46) and decimals(t, n, i - 1 - day, day) and edge(t, n, i - 1 - day):
                return True
            if i > 1 and t[i - 1] == 32 and t[i - 2] == 46 and decimals(t, n, i - 2 - day, day) and edge(t, n, i - 2 - day):
                return True
    return False


cdef bint in_words(const uint32_t* t, int64_t n, int64_t i) noexcept nogil:
    """3 March 2009 or March 3rd, 2009, of which the blank before the year stands at i."""
    cdef int64_t comma, suffix, day, end
    if not year(t, n, i + 1) or word_at(t, n, i + 5):
        return False
    for comma in range(2):
        if comma and (i == 0 or t[i - 1] != 44):
            break
        if month_name(t, n, i - comma, True):
            return True
        for suffix in range(2):
            end = i - comma
            if suffix:
                if end < 2 or not ordinal(t[end - 2], t[end - 1]):
                    break
                end -= 2
            for day in range(1, 3):
                if decimals(t, n, end - day, day) and end - day > 0 and t[end - day - 1] == 32:
                    if month_name(t, n, end - day - 1, False):
                        return True
                    if end - day > 1 and t[end - day - 2] == 46 and month_name(t, n, end - day - 2, False):
                        return True
    return False


cdef inline bint ordinal(uint32_t a, uint32_t b) noexcept nogil:
    return a == 115 and b == 116 or a == 110 and b == 100 or a == 114 and b == 100 or a == 116 and b == 104


cdef int date(const uint32_t* t, int64_t n) noexcept nogil:
    """1 for a date in numbers, 2 for one with a name of a month, 3 for a year alone."""
    cdef int64_t i
    cdef int found = 0
    for i in range(n):
        if t[i] == 32:
            if in_words(t, n, i):
                found = 2
        elif is_decimal(t[i]) and edge(t, n, i):
            if in_numbers(t, n, i):
                return 1
            if found == 0 and year(t, n, i) and not word_at(t, n, i + 4):
                found = 3
    return found


cdef inline bint minutes(const uint32_t* t, int64_t n, int64_t i) noexcept nogil:
    return i + 3 <= n and (t[i] == 58 or t[i] == 46) and 48 <= t[i + 1] <= 53 and is_decimal(t[i + 2])


cdef bint clock(const uint32_t* t, int64_t n, int64_t i) noexcept nogil:
    """Behind an hour: minutes, perhaps seconds."""
    if not minutes(t, n, i):
        return False
    return not word_at(t, n, i + 3) or (minutes(t, n, i + 3) and not word_at(t, n, i + 6))


cdef bint half_day(const uint32_t* t, int64_t n, int64_t i) noexcept nogil:
    """Behind an hour: am or pm."""
    if i < n and t[i] == 32:
        i += 1
    if i >= n or not (letter(t[i], 97) or letter(t[i], 112)):
        return False
    i += 2 if i + 1 < n and t[i + 1] == 46 else 1
    return i < n and letter(t[i], 109) and not word_at(t, n, i + 1)


cdef int time(const uint32_t* t, int64_t n) noexcept nogil:
    """1 for hours and minutes, 2 for hours of half a day."""
    cdef int64_t i
    cdef bint half = False, two
    for i in range(n):
        if is_decimal(t[i]) and edge(t, n, i):
            two = decimals(t, n, i + 1, 1)
            if clock(t, n, i + 1) or (two and 48 <= t[i] <= 50 and clock(t, n, i + 2)):
                return 1
            half = half or half_day(t, n, i + 1) or (two and half_day(t, n, i + 2))
    return 2 if half else 0


# ======================================================================================================================
# Features
# ======================================================================================================================

cdef struct Bins:
    # Edges of each column, ascending, and where those of a column begin.
    const double* edges
    const int64_t* bounds


cdef inline uint8_t bin_of(const Bins* b, int64_t column, double value) noexcept nogil:
    """How many edges of a column a value reaches; the value itself where there are none."""
    cdef int64_t j = b.bounds[column]
    if j == b.bounds[column + 1]:
        return <uint8_t>min(max(value, 0), 255)
    while j < b.bounds[column + 1] and b.edges[j] <= value:
        j += 1
    return <uint8_t>(j - b.bounds[column])


cdef inline double share(int64_t part, int64_t whole) noexcept nogil:
    return <double>part / <double>whole


cdef int token_kind(const uint32_t* t, int64_t a, int64_t b, int64_t* words) noexcept nogil:
    """0 for letters, 1 digits, 2 both, 3 anything else, of what is left without marks at both ends."""
    cdef bint alpha = True, num = True, mix = True
    while a < b and has(t[a], PUNCT):
        a += 1
    while b > a and has(t[b - 1], PUNCT):
        b -= 1
    if a == b:
        return 3
    words[0] += 1
    while a < b and mix:
        alpha = alpha and is_alpha(t[a])
        num = num and is_digit(t[a])
        mix = alpha or num or is_alnum(t[a])
        a += 1
    return 0 if alpha and mix else 1 if num and mix else 2 if mix else 3


cdef int64_t tokens(const uint32_t* t, int64_t n, int64_t* kinds) noexcept nogil:
    """Count tokens by kind; returns how many of them are words."""
    cdef int64_t i = 0, j, words = 0
    while i < n:
        if t[i] == 32:
            i += 1
            continue
        j = i + 1
        if not is_single(t[i]):
            while j < n and t[j] != 32 and not is_single(t[j]):
                j += 1
        kinds[token_kind(t, i, j, &words)] += 1
        i = j
    return words


cdef int64_t content(const uint32_t* t, int64_t n, double* f) noexcept nogil:
    """The features of the text of a run; returns its words."""
    cdef int64_t alpha = 0, num = 0, punct = 0, white = 0, sentences = 0, head_blanks = 0, size = max(n, 1), count, words, i
    cdef int64_t kinds[4]
    cdef bint stopped = False, stop, numbers = False
    memset(kinds, 0, sizeof(kinds))
    for i in range(n):
        alpha += is_alpha(t[i])
        num += is_digit(t[i])
        punct += has(t[i], PUNCT)
        if t[i] == 32:
            white += 1
            head_blanks += i < HEAD
        numbers = numbers or (i < HEAD and is_decimal(t[i]))
        stop = has(t[i], STOP)
        sentences += stop and not stopped
        stopped = stop
    words = tokens(t, n, kinds)
    count = kinds[0] + kinds[1] + kinds[2] + kinds[3]
    f[F_CHAR_ALPHA] = share(alpha, size)
    f[F_CHAR_NUM] = share(num, size)
    f[F_CHAR_PUNCT] = share(punct, size)
    f[F_CHAR_WHITE] = share(white, size)
    f[F_CHAR_OTHER] = share(max(0, size - alpha - num - punct - white), size)
    f[F_CHAR] = n
    for i in range(4):
        f[F_TOKEN_REL + i] = share(kinds[i], max(1, count))
        f[F_TOKEN + i] = kinds[i]
    f[F_SENTENCES] = sentences
    f[F_SENTENCE_LENGTH] = share(count, max(1, sentences))
    i = 0
    while i < n and has(t[i], CLOSING):
        i += 1
    f[F_BEGIN] = i < n and Py_UNICODE_ISUPPER(t[i])
    i = n
    while i and has(t[i - 1], CLOSING):
        i -= 1
    f[F_END] = i > 0 and has(t[i - 1], LAST)
    n = min(n, HEAD)
    f[F_URL] = url(t, n, head_blanks)
    f[F_DATE] = date(t, n) if numbers else 0
    f[F_TIME] = time(t, n) if numbers else 0
    return words


cdef double group(const int64_t* rows, int64_t n, int64_t size, int column, const int64_t* own, int64_t* sums,
                  const Bins* b, uint8_t* out, int64_t width) noexcept nogil:
    """Share of the words outside of links that stand directly in the same element; returns the greatest."""
    cdef int64_t i, total = 0, home, place = F_DIV if column == R_DIV else F_TD
    cdef double most = 0, value
    memset(sums, 0, size * sizeof(int64_t))
    for i in range(n):
        total += own[i]
        home = rows[i * R_SIZE + column]
        if home >= 0:
            sums[home] += own[i]
    for i in range(n):
        home = rows[i * R_SIZE + column]
        value = share(sums[home], max(1, total)) if home >= 0 else 0
        out[i * width + place] = bin_of(b, place, value)
        most = max(most, value)
    return most


cdef int duplicates(const uint32_t* text, const int64_t* bounds, int64_t n, const Bins* b, uint8_t* out, int64_t width,
                    uint32_t* key, int64_t* ids, int64_t* count) except -1 nogil:
    """Runs of the same letters; without any, of the same text."""
    cdef Table seen
    cdef int64_t i, k, size
    memset(&seen, 0, sizeof(Table))
    try:
        table_init(&seen)
        for i in range(n):
            size = 0
            for k in range(bounds[i], bounds[i + 1]):
                if is_alpha(text[k]):
                    key[size] = text[k]
                    size += 1
            if size == 0:
                for k in range(bounds[i], bounds[i + 1]):
                    key[size] = text[k]
                    size += 1
            k = seen.count
            ids[i] = table_add(&seen, <const uint8_t*>key, size * 4)
            if ids[i] == k:
                count[k] = 0
            out[i * width + F_FIRST] = ids[i] == k
            count[ids[i]] += 1
    finally:
        table_free(&seen)
    for i in range(n):
        out[i * width + F_DUPLICATES] = bin_of(b, F_DUPLICATES, count[ids[i]])
        out[i * width + F_FIRST] &= count[ids[i]] > 1
    return 0


def features(const int64_t[:, ::1] rows not None, const uint32_t[::1] text not None, const int64_t[::1] bounds not None,
             int kinds, int linked, const double[::1] edges not None, const int64_t[::1] edge_bounds not None):
    """Features of each run of a page, as few values.

    Parameters
    ----------
    rows : int64 array, shape (runs, len(_runs.COLUMNS))
    text : uint32 array
    bounds : int64 array, shape (runs + 1,)
        As `_runs.RunScanner.runs` gives them.
    kinds : int
        Kinds of elements that a run may stand in: the bits of the column `mask`.
    linked : int
        The bits of links.
    edges : float64 array
    edge_bounds : int64 array, shape (columns + 1,)
        The value of column k is the number of edges[edge_bounds[k] : edge_bounds[k + 1]] that are reached, which ascend
        and are fewer than 256; without any it is as it stands.

    Returns
    -------
    uint8 array, shape (runs, columns)
        Of the columns, the first are `FEATURES`, the next one for each kind; the rest is 0.
    """
    cdef int64_t n = rows.shape[0], width = edge_bounds.shape[0] - 1, i, k, longest = 0, words = 0, count, elements = 0
    cdef double sentences = 0
    cdef double row[F_SIZE]
    cdef double whole[5]
    cdef Bins b
    check(rows.shape[1] == R_SIZE and bounds.shape[0] == n + 1, "the columns and texts of runs")
    check(0 <= kinds <= 64 and bounds[0] >= 0 and bounds[n] <= text.shape[0], "texts within the text")
    check(width >= F_SIZE + kinds and edge_bounds[0] >= 0 and edge_bounds[width] <= edges.shape[0], "edges of each column")
    for k in range(width):
        check(0 <= edge_bounds[k + 1] - edge_bounds[k] < 256, "fewer than 256 edges of each column")
    for i in range(n):
        check(bounds[i] <= bounds[i + 1], "texts in order")
        longest = max(longest, bounds[i + 1] - bounds[i])
        elements = max(elements, max(rows[i, R_DIV], rows[i, R_TD]) + 1)
    found = np.zeros((n, width), np.uint8)
    if n == 0:
        return found
    cdef uint8_t[:, ::1] out = found
    cdef uint32_t[::1] key = np.empty(longest + 1, np.uint32)
    cdef int64_t[::1] own = np.empty(n, np.int64), ids = np.empty(n, np.int64), sums = np.empty(max(n, elements), np.int64)
    cdef const uint32_t* letters = &text[0] if text.shape[0] else &key[0]
    b.edges = &edges[0] if edges.shape[0] else NULL
    b.bounds = &edge_bounds[0]
    memset(row, 0, sizeof(row))
    with nogil:
        for i in range(n):
            count = content(letters + bounds[i], bounds[i + 1] - bounds[i], row)
            words += count
            sentences += row[F_SENTENCES]
            own[i] = 0 if rows[i, R_MASK] & linked else count
            for k in range(5):
                row[F_P + k] = rows[i, R_MARKS + k]
            row[F_POSITION] = share(i, max(1, n - 1))
            for k in range(F_ALL_WORDS):
                out[i, k] = bin_of(&b, k, row[k])
            for k in range(kinds):
                out[i, F_SIZE + k] = rows[i, R_MASK] >> k & 1
        whole[0] = words
        whole[1] = sentences
        whole[2] = n
        whole[3] = group(&rows[0, 0], n, elements, R_DIV, &own[0], &sums[0], &b, &out[0, 0], width)
        whole[4] = group(&rows[0, 0], n, elements, R_TD, &own[0], &sums[0], &b, &out[0, 0], width)
        duplicates(letters, &bounds[0], n, &b, &out[0, 0], width, &key[0], &ids[0], &sums[0])
        for k in range(5):
            whole[k] = bin_of(&b, F_ALL_WORDS + k, whole[k])
        for i in range(n):
            for k in range(5):
                out[i, F_ALL_WORDS + k] = <uint8_t>whole[k]
    return found


# ======================================================================================================================
# The chain
# ======================================================================================================================

cdef void scored(const uint8_t[:, ::1] values, const double[:, :, ::1] own, const double[:, :, :, ::1] near,
                 const int64_t[::1] columns, const int64_t[::1] offsets, const double[:, ::1] edges,
                 double[:, ::1] out) noexcept nogil:
    """Sums of weights of each run and label, as powers of e with that of the greatest taken as 1."""
    cdef int64_t n = values.shape[0], i, k, o, other
    cdef int labels = <int>out.shape[1], y
    cdef const double* w
    cdef double* row
    cdef double most
    for i in range(n):
        row = &out[i, 0]
        for y in range(labels):
            row[y] = 0
        for k in range(values.shape[1]):
            w = &own[k, values[i, k], 0]
            for y in range(labels):
                row[y] += w[y]
        for o in range(offsets.shape[0]):
            other = i + offsets[o]
            if not 0 <= other < n:
                for y in range(labels):
                    row[y] += edges[o, y]
                continue
            for k in range(columns.shape[0]):
                w = &near[o, k, values[other, columns[k]], 0]
                for y in range(labels):
                    row[y] += w[y]
        most = row[0]
        for y in range(1, labels):
            most = max(most, row[y])
        for y in range(labels):
            row[y] = exp(row[y] - most)


cdef void chances(double[:, ::1] scores, const double[:, ::1] steps, double[:, ::1] alpha) noexcept nogil:
    """Marginals in place of the scores: forward, then backward, each row scaled to a sum of 1."""
    cdef int64_t n = scores.shape[0], i
    cdef int labels = <int>scores.shape[1], y, z
    cdef double total
    cdef double beta[LABELS_MOST]
    cdef double before[LABELS_MOST]
    for i in range(n):
        total = 0
        for y in range(labels):
            alpha[i, y] = scores[i, y]
            if i:
                before[y] = 0
                for z in range(labels):
                    before[y] += alpha[i - 1, z] * steps[z, y]
                alpha[i, y] *= before[y]
            total += alpha[i, y]
        for y in range(labels):
            alpha[i, y] /= total
    for y in range(labels):
        beta[y] = 1
    i = n - 1
    while i >= 0:
        total = 0
        for y in range(labels):
            before[y] = scores[i, y] * beta[y]
            scores[i, y] = alpha[i, y] * beta[y]
            total += scores[i, y]
        for y in range(labels):
            scores[i, y] /= total
        total = 0
        for y in range(labels):
            beta[y] = 0
            for z in range(labels):
                beta[y] += steps[y, z] * before[z]
            total += beta[y]
        for y in range(labels):
            beta[y] /= total
        i -= 1


def marginals(const uint8_t[:, ::1] values not None, const double[:, :, ::1] own not None,
              const double[:, :, :, ::1] near not None, const int64_t[::1] columns not None,
              const int64_t[::1] offsets not None, const double[:, ::1] edges not None,
              const double[:, ::1] steps not None):
    """Marginal probability of each label of each run, in a linear chain of conditional random fields.

    Parameters
    ----------
    values : uint8 array, shape (runs, features)
    own : float64 array, shape (features, most values, labels)
        Weights of each value of each feature.
    near : float64 array, shape (offsets, columns, most values, labels)
        Those of the values of some columns of the runs at some offsets.
    columns : int64 array, shape (columns,)
    offsets : int64 array, shape (offsets,)
    edges : float64 array, shape (offsets, labels)
        Weights of there being no run at an offset.
    steps : float64 array, shape (labels, labels)
        Weights from label to label.

    Returns
    -------
    float64 array, shape (runs, labels)
    """
    cdef int64_t n = values.shape[0], width = values.shape[1], most = own.shape[1], labels = own.shape[2], i, k
    check(1 <= labels <= LABELS_MOST and steps.shape[0] == steps.shape[1] == edges.shape[1] == near.shape[3] == labels,
          f"weights of the same labels, {LABELS_MOST} at most")
    check(own.shape[0] == width and near.shape[0] == edges.shape[0] == offsets.shape[0] and near.shape[1] == columns.shape[0]
          and near.shape[2] == most, "weights of each column")
    for k in range(columns.shape[0]):
        check(0 <= columns[k] < width, "columns of the values")
    for i in range(n):
        for k in range(width):
            check(values[i, k] < most, "values that have weights")
    found, alpha, powers = np.empty((n, labels)), np.empty((n, labels)), np.exp(steps)
    cdef double[:, ::1] out = found, forward = alpha
    cdef const double[:, ::1] powers_view = powers
    if n:
        with nogil:
            scored(values, own, near, columns, offsets, edges, out)
            chances(out, powers_view, forward)
    return found
