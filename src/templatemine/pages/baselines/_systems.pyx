"""Kernels of the systems of the papers, which the product does without: runs of text, their features and the marginals of a
linear chain of Victor (Spousta et al. 2008); densities, BTE, shallow text features and keywords.

In come the columns of `_html.BlockScanner.scan_blocks` and the bytes of a page, out go numbers and columns.
"""

import numpy as np

from libc.math cimport exp
from libc.stdint cimport int32_t, int64_t, uint16_t, uint32_t, uint8_t, uint64_t
from libc.string cimport memchr, memset

from templatemine.pages._blocks cimport check, check_ascending, check_places
from templatemine.pages._html cimport M_CLOSE, M_OPEN, M_OTHER
from templatemine.text._scan cimport decode, Py_UNICODE_ISSPACE, Table, table_add, table_free, table_init

__all__ = [
    "RUN_COLUMNS", "RUN_FEATURES", "compute_marginals", "compute_run_features", "count_line_breaks", "extract_keywords", "find_runs",
    "find_stretch", "measure_wrapped",
]


# ---------------------------------------------------------------------------------------------------------------- runs of text
# What stands in the text of a block from one tag to the next; see `pages.baselines.crf`.  Time is linear in text and tags.


cdef enum:
    R_START, R_END, R_HOME, R_MASK, R_DIV, R_TD, R_P, R_BR, R_HR, R_INLINE, R_BLOCK, R_SIZE

RUN_COLUMNS = ("start", "end", "home", "mask", "div", "td", "p", "br", "hr", "inline", "block")
"""Columns of runs: start and end in the page, in bytes; index of the block; bits of the kinds of elements that contain it;
number of the innermost div and td, -1 for none; and the number of tags of each kind between the previous run and it."""

cdef enum:
    CONTAINERS = R_SIZE - R_DIV     # the first bit of `tag_bits` for kinds of elements that contain runs
    MAX_BITS = 32


def find_runs(dict page not None, dict marks not None, const uint32_t[::1] tag_bits not None):
    """Find the runs of text in the blocks of a page.

    Parameters
    ----------
    page, marks : dict of str to array
        What `_html.BlockScanner.scan_blocks` and `scan_marks` gave.
    tag_bits : uint32 array
        Of each tag bits that say whether it is each of `RUN_COLUMNS` from div on, then of each kind that contains runs.

    Returns
    -------
    rows : int64 array, shape (runs, len(RUN_COLUMNS))
    text : uint32 array
        Code points of all texts, all white space as blanks.
    bounds : int64 array, shape (runs + 1,)
        Text i is text[bounds[i] : bounds[i + 1]].
    """
    cdef const uint8_t[::1] text = page["text"], kinds = marks["kinds"]
    cdef const int64_t[::1] edges = page["bounds"], starts = page["starts"], ends = page["ends"]
    cdef const int64_t[::1] at = marks["at"], tag_starts = marks["starts"], tag_ends = marks["ends"]
    cdef const int32_t[::1] element = page["element"], parents = page["parents"]
    cdef const uint16_t[::1] tags = page["tags"], mark_tags = marks["tags"]
    cdef int64_t n = text.shape[0], blocks = starts.shape[0], m = at.shape[0], i, k, end, block = 0, mark = 0, after, page_end = 0
    cdef int64_t count = 0, size = 0
    cdef int64_t[MAX_BITS] seen, opened
    cdef int width = 0
    cdef uint32_t bits, letter
    check_ascending(edges, n, "ascending bounds within the text")
    check(edges.shape[0] - 1 == ends.shape[0] == element.shape[0] == blocks and edges[0] == 0 and edges[blocks] == n,
          "bounds of each block")
    check(kinds.shape[0] == tag_starts.shape[0] == tag_ends.shape[0] == mark_tags.shape[0] == m, "marks of the same length")
    check(parents.shape[0] == tags.shape[0], "a tag of each element")
    for i in range(m):
        check(mark_tags[i] < tag_bits.shape[0], "bits of each tag")
    for i in range(parents.shape[0]):
        check(parents[i] < i and tags[i] < tag_bits.shape[0], "parents before their children, and bits of each tag")
    for i in range(blocks):
        check(0 <= element[i] < parents.shape[0], "elements of the page")
    found, letters, bounds = np.zeros((blocks + m, R_SIZE), np.int64), np.empty(n, np.uint32), np.zeros(blocks + m + 1, np.int64)
    cdef int64_t[:, ::1] rows = found
    cdef uint32_t[::1] out = letters
    cdef int64_t[::1] bound = bounds
    cdef int64_t[:, ::1] nearest = np.empty((parents.shape[0], 2), np.int64)
    memset(seen, 0, sizeof(seen))
    memset(opened, 0, sizeof(opened))
    with nogil:
        for i in range(parents.shape[0]):
            for k in range(2):
                nearest[i, k] = i if tag_bits[tags[i]] >> k & 1 else nearest[parents[i], k] if parents[i] >= 0 else -1
        i = 0
        while i < n:
            while mark < m and at[mark] <= i:
                bits = tag_bits[mark_tags[mark]] if kinds[mark] != M_OTHER else 0
                k = 0
                while bits:
                    if bits & 1:
                        seen[k] += 1
                        opened[k] += (kinds[mark] == M_OPEN) - (kinds[mark] == M_CLOSE)
                    bits >>= 1
                    k += 1
                page_end = max(page_end, tag_ends[mark])
                mark += 1
            while edges[block + 1] <= i:
                block += 1
            end = min(edges[block + 1], at[mark] if mark < m else n)
            after = mark                    # ends that are implied have no place in the page
            while after < m and tag_ends[after] == 0:
                after += 1
            rows[count, R_START] = max(starts[block], page_end)
            rows[count, R_END] = min(ends[block], tag_starts[after]) if after < m else ends[block]
            rows[count, R_HOME] = block
            for k in range(MAX_BITS - CONTAINERS):
                rows[count, R_MASK] |= <int64_t>(opened[CONTAINERS + k] > 0) << k
            for k in range(R_DIV, R_SIZE):
                rows[count, k] = nearest[element[block], k - R_DIV] if k < R_P else seen[k - R_DIV]
            memset(seen, 0, sizeof(seen))
            i += text[i] == 32              # a blank between two runs stands before the second
            while i < end:
                letter = decode(&text[i], end - i, &width)
                out[size] = 32 if Py_UNICODE_ISSPACE(letter) else letter
                size += 1
                i += width
            count += 1
            bound[count] = size
    return found[:count].copy(), letters[:size].copy(), bounds[:count + 1].copy()


# ------------------------------------------------------------------------------------------------------------------- the chain
# Features of runs of text, and the marginal probabilities of labels in a linear chain over them; see `pages.baselines.crf`.
#
# Input: the columns and texts of `find_runs`.  Output: a column for each feature (section 3.2 of Spousta, Marek
# and Pecina, Victor: the Web-Page Cleaning Tool, WAC4 2008), quantised to few values; and marginal probabilities by forward
# and backward passes.  Classes of characters are those of Python's str.  Time is linear in the text and the runs.


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

RUN_FEATURES = (
    *("char.alpha-rel", "char.num-rel", "char.punct-rel", "char.white-rel", "char.other-rel", "char.abs"),
    *("token.alpha-rel", "token.num-rel", "token.mix-rel", "token.other-rel"),
    *("token.alpha-abs", "token.num-abs", "token.mix-abs", "token.other-abs"),
    *("sentence.count", "sentence.avg-length", "sentence-begin", "sentence-end"),
    *("regexp.url", "regexp.date", "regexp.time", "div-group.word-ratio", "td-group.word-ratio"),
    *("duplicate-count", "first-duplicate", "split.p", "split.br", "split.hr", "split.class-inline", "split.class-block"),
    *("position", "document.word-count", "document.sentence-count", "document.block-count"),
    *("document.max-div-group", "document.max-td-group"),
)
"""Columns of `compute_run_features`; one for each kind of element that may contain a run follows."""

cdef enum:
    MAX_SEARCHED = 2000     # characters of a run that are searched for addresses, dates and times
    MAX_LABELS = 16


# ======================================================================================================================
# Characters
# ======================================================================================================================

cdef enum:
    PUNCT = 1       # classes of marks: counts as punctuation, and is stripped from both ends of a token
    STOP = 2        # ends a sentence
    LAST = 4        # ends a sentence at the end of a run
    CLOSING = 8     # is skipped before the first word and after the last mark of a sentence

cdef dict MARKS_BY_CLASS = {
    PUNCT: ".,;:!?\"'()[]{}«»“”„‘’…|/\\-–—·•*<>",
    STOP: ".!?。！？؟",
    LAST: ".!?。！？؟…",
    CLOSING: "\"'”’»）)」』] ",
}

cdef uint8_t MARK_CLASSES[65536]


cdef void _fill_mark_classes():
    for bit, marks in MARKS_BY_CLASS.items():
        for mark in marks:
            MARK_CLASSES[<int>ord(mark)] |= <uint8_t>bit


memset(MARK_CLASSES, 0, sizeof(MARK_CLASSES))
_fill_mark_classes()


cdef inline bint is_mark(uint32_t c, uint8_t bit) noexcept nogil:
    """Whether a character is a mark of some class."""
    return c < 65536 and MARK_CLASSES[c] & bit != 0


cdef inline bint is_ascii_letter(uint32_t c) noexcept nogil:
    return 97 <= (c | 32) <= 122


cdef inline bint is_unicode_alpha(uint32_t c) noexcept nogil:
    return is_ascii_letter(c) if c < 128 else Py_UNICODE_ISALPHA(c)


cdef inline bint is_unicode_digit(uint32_t c) noexcept nogil:
    return 48 <= c <= 57 if c < 128 else Py_UNICODE_ISDIGIT(c)


cdef inline bint is_decimal(uint32_t c) noexcept nogil:
    return 48 <= c <= 57 if c < 128 else Py_UNICODE_ISDECIMAL(c)


cdef inline bint is_unicode_alnum(uint32_t c) noexcept nogil:
    return is_ascii_letter(c) or 48 <= c <= 57 if c < 128 else Py_UNICODE_ISALNUM(c)


cdef inline bint is_word_char(uint32_t c) noexcept nogil:
    """As \\w of `re`."""
    return c == 95 or is_unicode_alnum(c)


cdef inline bint is_single_token(uint32_t c) noexcept nogil:
    """Whether a character is a token of its own: kana, Han, Hangul."""
    return c >= 0x3040 and (c <= 0x30FF or 0x3400 <= c <= 0x9FFF or 0xAC00 <= c <= 0xD7AF)


# ======================================================================================================================
# Addresses, dates and times: the expressions of tests/crf_reference.py, by hand
# ======================================================================================================================

cdef inline bint is_word_at(const uint32_t* t, int64_t n, int64_t i) noexcept nogil:
    return 0 <= i < n and is_word_char(t[i])


cdef inline bint is_boundary(const uint32_t* t, int64_t n, int64_t i) noexcept nogil:
    """As \\b of `re`."""
    return is_word_at(t, n, i - 1) != is_word_at(t, n, i)


cdef inline bint are_decimals_at(const uint32_t* t, int64_t n, int64_t i, int64_t count) noexcept nogil:
    """Whether t[i : i + count] are decimal digits."""
    cdef int64_t k
    if i < 0 or i + count > n:
        return False
    for k in range(i, i + count):
        if not is_decimal(t[k]):
            return False
    return True


cdef inline bint is_same_letter(uint32_t c, uint32_t small) noexcept nogil:
    """Whether a character is that small letter of ASCII or its capital; the long s is an s, as `re` folds case."""
    return (c | 32) == small and c < 128 or c == 0x17F and small == 115


cdef int64_t find_scheme_end(const uint32_t* t, int64_t n, int64_t i) noexcept nogil:
    """Offset after http://, https:// or www. at i; -1 if none is there."""
    if i + 4 <= n and is_same_letter(t[i], 119):
        return i + 4 if is_same_letter(t[i + 1], 119) and is_same_letter(t[i + 2], 119) and t[i + 3] == 46 else -1
    if i + 7 > n or not (is_same_letter(t[i], 104) and is_same_letter(t[i + 1], 116) and is_same_letter(t[i + 2], 116)
                         and is_same_letter(t[i + 3], 112)):
        return -1
    i += 5 if is_same_letter(t[i + 4], 115) else 4
    return i + 3 if i + 3 <= n and t[i] == 58 and t[i + 1] == 47 and t[i + 2] == 47 else -1


cdef bint is_mail_address_at(const uint32_t* t, int64_t n, int64_t at) noexcept nogil:
    """Whether the @ at that offset is part of a mail address."""
    cdef int64_t i = at - 1, j = at + 1
    cdef bint has_start = False
    while i >= 0 and at - i <= 60 and (is_word_char(t[i]) or t[i] == 46 or t[i] == 43 or t[i] == 45):
        if is_boundary(t, n, i):
            has_start = True
            break
        i -= 1
    if not has_start:
        return False
    while j < n and (is_word_char(t[j]) or t[j] == 45):
        j += 1
    return 1 <= j - at - 1 <= 60 and j < n and t[j] == 46 and is_word_at(t, n, j + 1)


cdef int classify_url(const uint32_t* t, int64_t n, int64_t blanks) noexcept nogil:
    """1 if the text is a URL, 2 if it contains one, 3 if it contains a mail address, else 0."""
    cdef int64_t i, scheme_end
    cdef bint has_mail = False
    scheme_end = find_scheme_end(t, n, 0)
    if blanks == 0 and 0 < scheme_end < n:
        return 1
    for i in range(n):
        if t[i] == 64:
            has_mail = has_mail or is_mail_address_at(t, n, i)
        elif (is_same_letter(t[i], 104) or is_same_letter(t[i], 119)) and is_boundary(t, n, i):
            scheme_end = find_scheme_end(t, n, i)
            if 0 < scheme_end < n and t[scheme_end] != 32:
                return 2
    return 3 if has_mail else 0


cdef inline bint is_year_at(const uint32_t* t, int64_t n, int64_t i) noexcept nogil:
    return i + 4 <= n and (t[i] == 49 and t[i + 1] == 57 or t[i] == 50 and t[i + 1] == 48) and are_decimals_at(t, n, i + 2, 2)


cdef inline bint is_date_mark(uint32_t c, uint32_t extra_mark) noexcept nogil:
    """Whether a character may separate the parts of a date."""
    return c == 45 or c == 47 or c == 46 or c == extra_mark


cdef int64_t find_date_part_end(const uint32_t* t, int64_t n, int64_t i, uint32_t extra_mark) noexcept nogil:
    """Offset after one or two digits, a date mark and an optional blank at i; -1 if they are not there."""
    cdef int64_t k = i
    while k < n and k < i + 2 and is_decimal(t[k]):
        k += 1
    if k == i or k >= n or not is_date_mark(t[k], extra_mark):
        return -1
    return k + 2 if k + 1 < n and t[k + 1] == 32 else k + 1


cdef bint is_numeric_date_at(const uint32_t* t, int64_t n, int64_t i) noexcept nogil:
    """Whether a date like 2009-03-01 or 1. 3. 2009 begins at i."""
    cdef int64_t k
    if is_year_at(t, n, i) and i + 4 < n and is_date_mark(t[i + 4], 0x5E74):
        k = find_date_part_end(t, n, i + 6 if i + 5 < n and t[i + 5] == 32 else i + 5, 0x6708)
        if k > 0 and are_decimals_at(t, n, k, 1):
            return True
    k = find_date_part_end(t, n, i, 46)
    if k > 0:
        k = find_date_part_end(t, n, k, 46)
    return k > 0 and is_year_at(t, n, k) and not is_word_at(t, n, k + 4)


cdef bint ends_with_month(const uint32_t* t, int64_t n, int64_t end, bint day_first) noexcept nogil:
    """Whether three to ten letters end here that are a word of their own, or (`day_first`) follow a day."""
    cdef int64_t k, i, day
    for k in range(1, 11):
        i = end - k
        if not is_word_at(t, n, i):
            return False
        if k < 3:
            continue
        if not day_first:
            if is_boundary(t, n, i):
                return True
            continue
        for day in range(1, 3):             # a blank and a full stop may stand between
            if are_decimals_at(t, n, i - day, day) and is_boundary(t, n, i - day):
                return True
            if i and (t[i - 1] == 32 or t[i - 1] == 46) and are_decimals_at(t, n, i - 1 - day, day) and is_boundary(t, n, i - 1 - day):
                return True
            if i > 1 and t[i - 1] == 32 and t[i - 2] == 46 and are_decimals_at(t, n, i - 2 - day, day) and is_boundary(t, n, i - 2 - day):
                return True
    return False


cdef bint is_worded_date_at(const uint32_t* t, int64_t n, int64_t i) noexcept nogil:
    """Whether the blank at i is the one before the year in a date like 3 March 2009 or March 3rd, 2009."""
    cdef int64_t comma, suffix, day, end
    if not is_year_at(t, n, i + 1) or is_word_at(t, n, i + 5):
        return False
    for comma in range(2):
        if comma and (i == 0 or t[i - 1] != 44):
            break
        if ends_with_month(t, n, i - comma, True):
            return True
        for suffix in range(2):
            end = i - comma
            if suffix:
                if end < 2 or not is_ordinal_ending(t[end - 2], t[end - 1]):
                    break
                end -= 2
            for day in range(1, 3):
                if are_decimals_at(t, n, end - day, day) and end - day > 0 and t[end - day - 1] == 32:
                    if ends_with_month(t, n, end - day - 1, False):
                        return True
                    if end - day > 1 and t[end - day - 2] == 46 and ends_with_month(t, n, end - day - 2, False):
                        return True
    return False


cdef inline bint is_ordinal_ending(uint32_t a, uint32_t b) noexcept nogil:
    """Whether two characters are st, nd, rd or th."""
    return a == 115 and b == 116 or a == 110 and b == 100 or a == 114 and b == 100 or a == 116 and b == 104


cdef int classify_date(const uint32_t* t, int64_t n) noexcept nogil:
    """1 if the text contains a date in numbers, 2 for one with the name of a month, 3 for a year alone, else 0."""
    cdef int64_t i
    cdef int found = 0
    for i in range(n):
        if t[i] == 32:
            if is_worded_date_at(t, n, i):
                found = 2
        elif is_decimal(t[i]) and is_boundary(t, n, i):
            if is_numeric_date_at(t, n, i):
                return 1
            if found == 0 and is_year_at(t, n, i) and not is_word_at(t, n, i + 4):
                found = 3
    return found


cdef inline bint is_minutes_at(const uint32_t* t, int64_t n, int64_t i) noexcept nogil:
    return i + 3 <= n and (t[i] == 58 or t[i] == 46) and 48 <= t[i + 1] <= 53 and is_decimal(t[i + 2])


cdef bint is_clock_time_at(const uint32_t* t, int64_t n, int64_t i) noexcept nogil:
    """Whether minutes, and perhaps seconds, follow an hour that ends at i."""
    if not is_minutes_at(t, n, i):
        return False
    return not is_word_at(t, n, i + 3) or (is_minutes_at(t, n, i + 3) and not is_word_at(t, n, i + 6))


cdef bint is_meridiem_at(const uint32_t* t, int64_t n, int64_t i) noexcept nogil:
    """Whether am or pm follows an hour that ends at i."""
    if i < n and t[i] == 32:
        i += 1
    if i >= n or not (is_same_letter(t[i], 97) or is_same_letter(t[i], 112)):
        return False
    i += 2 if i + 1 < n and t[i + 1] == 46 else 1
    return i < n and is_same_letter(t[i], 109) and not is_word_at(t, n, i + 1)


cdef int classify_time(const uint32_t* t, int64_t n) noexcept nogil:
    """1 if the text contains a time with minutes, 2 for an hour with am or pm, else 0."""
    cdef int64_t i
    cdef bint has_meridiem = False, is_two_digits
    for i in range(n):
        if is_decimal(t[i]) and is_boundary(t, n, i):
            is_two_digits = are_decimals_at(t, n, i + 1, 1)
            if is_clock_time_at(t, n, i + 1) or (is_two_digits and 48 <= t[i] <= 50 and is_clock_time_at(t, n, i + 2)):
                return 1
            has_meridiem = has_meridiem or is_meridiem_at(t, n, i + 1) or (is_two_digits and is_meridiem_at(t, n, i + 2))
    return 2 if has_meridiem else 0


# ======================================================================================================================
# Features
# ======================================================================================================================

cdef struct Bins:
    # Bin edges of column k are ``edges[bounds[k]:bounds[k + 1]]``, ascending.
    const double* edges
    const int64_t* bounds


cdef inline uint8_t find_bin(const Bins* b, int64_t column, double value) noexcept nogil:
    """The number of edges of a column that a value reaches; the value itself, 0 to 255, if the column has no edges."""
    cdef int64_t j = b.bounds[column]
    if j == b.bounds[column + 1]:
        return <uint8_t>min(max(value, 0), 255)
    while j < b.bounds[column + 1] and b.edges[j] <= value:
        j += 1
    return <uint8_t>(j - b.bounds[column])


cdef inline double share(int64_t part, int64_t whole) noexcept nogil:
    return <double>part / <double>whole


cdef int classify_token(const uint32_t* t, int64_t a, int64_t b, int64_t* words) noexcept nogil:
    """0 for letters, 1 for digits, 2 for both, 3 for anything else, after punctuation is stripped from both ends.

    `words` is increased if anything is left.
    """
    cdef bint alpha = True, num = True, mix = True
    while a < b and is_mark(t[a], PUNCT):
        a += 1
    while b > a and is_mark(t[b - 1], PUNCT):
        b -= 1
    if a == b:
        return 3
    words[0] += 1
    while a < b and mix:
        alpha = alpha and is_unicode_alpha(t[a])
        num = num and is_unicode_digit(t[a])
        mix = alpha or num or is_unicode_alnum(t[a])
        a += 1
    return 0 if alpha and mix else 1 if num and mix else 2 if mix else 3


cdef int64_t count_tokens(const uint32_t* t, int64_t n, int64_t* kinds) noexcept nogil:
    """Count tokens by kind; returns the number of those that are words."""
    cdef int64_t i = 0, j, words = 0
    while i < n:
        if t[i] == 32:
            i += 1
            continue
        j = i + 1
        if not is_single_token(t[i]):
            while j < n and t[j] != 32 and not is_single_token(t[j]):
                j += 1
        kinds[classify_token(t, i, j, &words)] += 1
        i = j
    return words


cdef int64_t compute_text_features(const uint32_t* t, int64_t n, double* f) noexcept nogil:
    """Compute the features of the text of a run; returns the number of its words."""
    cdef int64_t alpha = 0, num = 0, punct = 0, white = 0, sentences = 0, head_blanks = 0, size = max(n, 1), count, words, i
    cdef int64_t kinds[4]
    cdef bint previous_stop = False, stop, has_decimals = False
    memset(kinds, 0, sizeof(kinds))
    for i in range(n):
        alpha += is_unicode_alpha(t[i])
        num += is_unicode_digit(t[i])
        punct += is_mark(t[i], PUNCT)
        if t[i] == 32:
            white += 1
            head_blanks += i < MAX_SEARCHED
        has_decimals = has_decimals or (i < MAX_SEARCHED and is_decimal(t[i]))
        stop = is_mark(t[i], STOP)
        sentences += stop and not previous_stop
        previous_stop = stop
    words = count_tokens(t, n, kinds)
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
    while i < n and is_mark(t[i], CLOSING):
        i += 1
    f[F_BEGIN] = i < n and Py_UNICODE_ISUPPER(t[i])
    i = n
    while i and is_mark(t[i - 1], CLOSING):
        i -= 1
    f[F_END] = i > 0 and is_mark(t[i - 1], LAST)
    n = min(n, MAX_SEARCHED)
    f[F_URL] = classify_url(t, n, head_blanks)
    f[F_DATE] = classify_date(t, n) if has_decimals else 0
    f[F_TIME] = classify_time(t, n) if has_decimals else 0
    return words


cdef double compute_group_shares(const int64_t* rows, int64_t n, int64_t size, int column, const int64_t* word_counts, int64_t* group_sums,
                                 const Bins* b, uint8_t* out, int64_t width) noexcept nogil:
    """Compute for each run the share of the page's words outside of links that are directly in the same div (td).

    `column` is R_DIV or R_TD.  Returns the greatest share.
    """
    cdef int64_t i, total = 0, group, feature = F_DIV if column == R_DIV else F_TD
    cdef double max_share = 0, value
    memset(group_sums, 0, size * sizeof(int64_t))
    for i in range(n):
        total += word_counts[i]
        group = rows[i * R_SIZE + column]
        if group >= 0:
            group_sums[group] += word_counts[i]
    for i in range(n):
        group = rows[i * R_SIZE + column]
        value = share(group_sums[group], max(1, total)) if group >= 0 else 0
        out[i * width + feature] = find_bin(b, feature, value)
        max_share = max(max_share, value)
    return max_share


cdef int find_duplicates(const uint32_t* text, const int64_t* bounds, int64_t n, const Bins* b, uint8_t* out, int64_t width,
                         uint32_t* key, int64_t* ids, int64_t* run_counts) except -1 nogil:
    """Count the runs with the same letters as each; those without letters are compared by their text."""
    cdef Table table
    cdef int64_t i, k, size
    memset(&table, 0, sizeof(Table))
    try:
        table_init(&table)
        for i in range(n):
            size = 0
            for k in range(bounds[i], bounds[i + 1]):
                if is_unicode_alpha(text[k]):
                    key[size] = text[k]
                    size += 1
            if size == 0:
                for k in range(bounds[i], bounds[i + 1]):
                    key[size] = text[k]
                    size += 1
            k = table.count
            ids[i] = table_add(&table, <const uint8_t*>key, size * 4)
            if ids[i] == k:
                run_counts[k] = 0
            out[i * width + F_FIRST] = ids[i] == k
            run_counts[ids[i]] += 1
    finally:
        table_free(&table)
    for i in range(n):
        out[i * width + F_DUPLICATES] = find_bin(b, F_DUPLICATES, run_counts[ids[i]])
        out[i * width + F_FIRST] &= run_counts[ids[i]] > 1
    return 0


def compute_run_features(const int64_t[:, ::1] rows not None, const uint32_t[::1] text not None,
                         const int64_t[::1] bounds not None, int container_count, int link_mask, const double[::1] edges not None,
                         const int64_t[::1] edge_bounds not None):
    """Compute the features of each run of a page, quantised.

    Parameters
    ----------
    rows : int64 array, shape (runs, len(RUN_COLUMNS))
    text : uint32 array
    bounds : int64 array, shape (runs + 1,)
        What `find_runs` gave.
    container_count : int
        Number of kinds of elements that may contain a run: bits of the column `mask`.
    link_mask : int
        Bits of links.
    edges : float64 array
    edge_bounds : int64 array, shape (columns + 1,)
        The value of column k becomes the number of edges[edge_bounds[k] : edge_bounds[k + 1]] that it reaches, which ascend
        and are fewer than 256; without edges it is not changed.

    Returns
    -------
    uint8 array, shape (runs, columns)
        Of the columns, the first are `RUN_FEATURES`, the next one for each kind; the rest is 0.
    """
    cdef int64_t n = rows.shape[0], width = edge_bounds.shape[0] - 1, i, k, longest = 0, words = 0, count, elements = 0
    cdef double sentences = 0
    cdef double row[F_SIZE]
    cdef double page_values[5]
    cdef Bins b
    check(rows.shape[1] == R_SIZE and bounds.shape[0] == n + 1, "the columns and texts of runs")
    check(0 <= container_count <= 64 and bounds[0] >= 0 and bounds[n] <= text.shape[0], "texts within the text")
    check(width >= F_SIZE + container_count and edge_bounds[0] >= 0 and edge_bounds[width] <= edges.shape[0], "edges of each column")
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
    cdef int64_t[::1] word_counts = np.empty(n, np.int64), ids = np.empty(n, np.int64), sums = np.empty(max(n, elements), np.int64)
    cdef const uint32_t* letters = &text[0] if text.shape[0] else &key[0]
    b.edges = &edges[0] if edges.shape[0] else NULL
    b.bounds = &edge_bounds[0]
    memset(row, 0, sizeof(row))
    with nogil:
        for i in range(n):
            count = compute_text_features(letters + bounds[i], bounds[i + 1] - bounds[i], row)
            words += count
            sentences += row[F_SENTENCES]
            word_counts[i] = 0 if rows[i, R_MASK] & link_mask else count
            for k in range(5):
                row[F_P + k] = rows[i, R_P + k]
            row[F_POSITION] = share(i, max(1, n - 1))
            for k in range(F_ALL_WORDS):
                out[i, k] = find_bin(&b, k, row[k])
            for k in range(container_count):
                out[i, F_SIZE + k] = rows[i, R_MASK] >> k & 1
        page_values[0] = words
        page_values[1] = sentences
        page_values[2] = n
        page_values[3] = compute_group_shares(&rows[0, 0], n, elements, R_DIV, &word_counts[0], &sums[0], &b, &out[0, 0], width)
        page_values[4] = compute_group_shares(&rows[0, 0], n, elements, R_TD, &word_counts[0], &sums[0], &b, &out[0, 0], width)
        find_duplicates(letters, &bounds[0], n, &b, &out[0, 0], width, &key[0], &ids[0], &sums[0])
        for k in range(5):
            page_values[k] = find_bin(&b, F_ALL_WORDS + k, page_values[k])
        for i in range(n):
            for k in range(5):
                out[i, F_ALL_WORDS + k] = <uint8_t>page_values[k]
    return found


# ======================================================================================================================
# The chain
# ======================================================================================================================

cdef void compute_scores(const uint8_t[:, ::1] values, const double[:, :, ::1] own, const double[:, :, :, ::1] near,
                         const int64_t[::1] columns, const int64_t[::1] offsets, const double[:, ::1] edges,
                         double[:, ::1] out) noexcept nogil:
    """Compute the potential of each label of each run: exp of the sum of its weights, scaled so that the greatest is 1."""
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


cdef void run_forward_backward(double[:, ::1] scores, const double[:, ::1] steps, double[:, ::1] alpha) noexcept nogil:
    """Replace scores by marginals, by a forward and a backward pass; each row is scaled to a sum of 1.

    `alpha` is a buffer of the shape of the scores.
    """
    cdef int64_t n = scores.shape[0], i
    cdef int labels = <int>scores.shape[1], y, z
    cdef double total
    cdef double beta[MAX_LABELS]
    cdef double messages[MAX_LABELS]
    for i in range(n):
        total = 0
        for y in range(labels):
            alpha[i, y] = scores[i, y]
            if i:
                messages[y] = 0
                for z in range(labels):
                    messages[y] += alpha[i - 1, z] * steps[z, y]
                alpha[i, y] *= messages[y]
            total += alpha[i, y]
        for y in range(labels):
            alpha[i, y] /= total
    for y in range(labels):
        beta[y] = 1
    i = n - 1
    while i >= 0:
        total = 0
        for y in range(labels):
            messages[y] = scores[i, y] * beta[y]
            scores[i, y] = alpha[i, y] * beta[y]
            total += scores[i, y]
        for y in range(labels):
            scores[i, y] /= total
        total = 0
        for y in range(labels):
            beta[y] = 0
            for z in range(labels):
                beta[y] += steps[y, z] * messages[z]
            total += beta[y]
        for y in range(labels):
            beta[y] /= total
        i -= 1


def compute_marginals(const uint8_t[:, ::1] values not None, const double[:, :, ::1] own not None,
                      const double[:, :, :, ::1] near not None, const int64_t[::1] columns not None,
                      const int64_t[::1] offsets not None, const double[:, ::1] edges not None,
                      const double[:, ::1] steps not None):
    """Compute the marginal probability of each label of each run, in a linear-chain conditional random field.

    Parameters
    ----------
    values : uint8 array, shape (runs, features)
    own : float64 array, shape (features, most values, labels)
        Weights of the values of the run's own features.
    near : float64 array, shape (offsets, columns, most values, labels)
        Weights of the values of `columns` of the neighbouring runs at `offsets`.
    columns : int64 array, shape (columns,)
    offsets : int64 array, shape (offsets,)
    edges : float64 array, shape (offsets, labels)
        Weights that apply if there is no run at an offset.
    steps : float64 array, shape (labels, labels)
        Transition weights from label to label.

    Returns
    -------
    float64 array, shape (runs, labels)
    """
    cdef int64_t n = values.shape[0], width = values.shape[1], most = own.shape[1], labels = own.shape[2], i, k
    check(1 <= labels <= MAX_LABELS and steps.shape[0] == steps.shape[1] == edges.shape[1] == near.shape[3] == labels,
          f"weights of the same labels, {MAX_LABELS} at most")
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
            compute_scores(values, own, near, columns, offsets, edges, out)
            run_forward_backward(out, powers_view, forward)
    return found


# ---------------------------------------------------------------------------------------------------------------------- density
# Text and structure of each element; see `pages.baselines.density`.


def count_line_breaks(const uint8_t[::1] page not None, const int64_t[::1] starts not None, const int64_t[::1] ends not None):
    """How many br and hr stand between each block and the one before it: int64 array of shape (blocks,)."""
    cdef int64_t n = starts.shape[0], i, a, b, count
    cdef const void* hit
    check_places(starts, ends, page.shape[0])
    found = np.zeros(n, np.int64)
    cdef int64_t[::1] out = found
    with nogil:
        for i in range(1, n):
            a, b = ends[i - 1], starts[i]
            count = 0
            while b - a > 3:
                hit = memchr(&page[a], 60, b - a - 3)
                if hit == NULL:
                    break
                a = <const uint8_t*>hit - &page[0]
                if (page[a + 2] | 32) == 114 and ((page[a + 1] | 32) == 98 or (page[a + 1] | 32) == 104):
                    count += page[a + 3] <= 32 or page[a + 3] == 62 or page[a + 3] == 47
                a += 1
            out[i] = count
    return found


# -------------------------------------------------------------------------------------------------------------------------- BTE
# The stretch of a page with many words and few tags; see `pages.baselines.bte`.


cdef struct Best:
    int64_t sum             # of the stretch that is open
    int64_t block           # where it began: the block, and words of it that stand before
    int64_t skipped
    int64_t best            # of the best one so far, and where it lies
    int64_t first
    int64_t first_skipped
    int64_t last
    int64_t last_kept


cdef inline void add_words(Best* s, int64_t block, int64_t before, int64_t count) noexcept nogil:
    """Words, `before` of whose block stand before them."""
    if count <= 0:
        return
    if s.sum <= 0:
        s.sum = 0
        s.block = block
        s.skipped = before
    s.sum += count
    if s.sum > s.best:
        s.best = s.sum
        s.first = s.block
        s.first_skipped = s.skipped
        s.last = block
        s.last_kept = before + count


cdef inline bint is_word(uint8_t c) noexcept nogil:
    return c >= 0x80 or 48 <= c <= 57 or 97 <= (c | 32) <= 122


cdef int64_t count_words(const uint8_t* p, int64_t n) noexcept nogil:
    """Words in a stretch of the page without tags; those of scripts without spaces by the three bytes of a character."""
    cdef int64_t i = 0, j, count = 0
    while i < n:
        if p[i] == 38:                      # a reference parts words; what it stands for matters to no more than one
            j = i + 1
            while j < n and j - i < 32 and (is_word(p[j]) or p[j] == 35):
                j += 1
            i = j + 1 if j < n and p[j] == 59 else i + 1
        elif 0xE3 <= p[i] <= 0xED and i + 2 < n:
            count += not (p[i] == 0xE3 and p[i + 1] == 0x80)
            i += 3
        elif is_word(p[i]):
            # At least one byte: half a character may stand at the end.
            i += 1
            while i < n and is_word(p[i]) and not 0xE3 <= p[i] <= 0xED:
                i += 1
            count += 1
        else:
            i += 1
    return count


cdef int64_t count_inner_tags(const uint8_t* p, int64_t a, int64_t b) noexcept nogil:
    cdef int64_t count = 0
    cdef const void* hit
    while a + 1 < b:
        hit = memchr(p + a, 60, b - a - 1)
        if hit == NULL:
            break
        a = <const uint8_t*>hit - p + 1
        count += p[a] == 47 or 97 <= (p[a] | 32) <= 122
    return count


cdef void add_tagged_block(Best* s, const uint8_t* p, int64_t a, int64_t b, int64_t block, int64_t words) noexcept nogil:
    """The words of a block [a, b) and the tags between them."""
    cdef int64_t before = 0, count, end
    cdef const void* hit
    while a < b:
        hit = memchr(p + a, 60, b - a)
        end = b if hit == NULL else <const uint8_t*>hit - p
        count = words - before if end == b else min(count_words(p + a, end - a), words - before)
        add_words(s, block, before, count)
        before += max(count, 0)
        if end == b:
            return
        if end + 1 < b and (p[end + 1] == 47 or 97 <= (p[end + 1] | 32) <= 122):
            s.sum -= 1
        hit = memchr(p + end, 62, b - end)
        a = b if hit == NULL else <const uint8_t*>hit - p + 1
    add_words(s, block, before, words - before)


def find_stretch(const uint8_t[::1] page not None, const int64_t[::1] starts not None, const int64_t[::1] ends not None,
                 const int32_t[::1] tags not None, const int32_t[::1] words not None, const uint8_t[::1] shown not None):
    """The stretch of a page with most words and fewest tags.

    With B_n = 1 for a tag and 0 for a word, the i and j with the greatest sum of B_n outside of [i, j] and 1 - B_n
    within; as the tags of the whole page are a constant, that is the greatest sum of words less tags over [i, j], found
    in one pass.  Of equal stretches the first and shortest.

    Parameters
    ----------
    page : uint8 array
    starts, ends : int64 arrays, shape (blocks,)
    tags : int32 array, shape (blocks,)
        From the end of the block before up to and with the tag that ends the block.
    words : int32 array, shape (blocks,)
    shown : uint8 array, shape (blocks,)
        0 for blocks that are passed over, with their tags.

    Returns
    -------
    tuple of int
        First block, how many of its words are left out, last block, how many of its words belong to the stretch; the
        first block is -1 if there is no word.
    """
    cdef int64_t n = starts.shape[0], i, inner, before, after = 0
    cdef Best s
    check(ends.shape[0] == tags.shape[0] == words.shape[0] == shown.shape[0] == n, "columns of the same length")
    check_places(starts, ends, page.shape[0])
    s.sum = s.block = s.skipped = s.best = s.first_skipped = s.last = s.last_kept = 0
    s.first = -1
    with nogil:
        for i in range(n):
            inner = count_inner_tags(&page[0], starts[i], ends[i])
            # Of its other tags those stand before its words that the page has there, unless these are script or comment.
            before = count_inner_tags(&page[0], ends[i - 1] if i else 0, starts[i]) - after
            if before < 0 or before > tags[i] - inner:
                before = max(tags[i] - inner - 1, 0)
            s.sum -= before + after
            after = max(tags[i] - inner - before, 0)
            if shown[i] == 0:
                s.sum -= inner
            elif inner == 0:
                add_words(&s, i, 0, words[i])
            else:
                add_tagged_block(&s, &page[0], starts[i], ends[i], i, words[i])
    return s.first, s.first_skipped, s.last, s.last_kept


# ---------------------------------------------------------------------------------------------- shallow text features, keywords
# See `pages.baselines.shallow` and `main_block`.


cdef enum:
    LINE = 80           # columns of a line of wrapped text


cdef inline int64_t character_width(const uint8_t* p, int64_t left) noexcept nogil:
    """Bytes of the character that begins here."""
    cdef int64_t width = 1 if p[0] < 0xC0 else 2 if p[0] < 0xE0 else 3 if p[0] < 0xF0 else 4
    return min(width, left)


cdef inline bint is_wide_word(const uint8_t* p, int64_t width) noexcept nogil:
    """A word of its own, two columns wide: Han, kana, Hangul."""
    if width == 4:
        return p[0] == 0xF0 and p[1] >= 0xA0
    return width == 3 and 0xE3 <= p[0] <= 0xED and (p[0] > 0xE3 or p[1] >= 0x81)


def measure_wrapped(const uint8_t[::1] text not None, const int64_t[::1] bounds not None):
    """Text density and letters of each block.

    The text is wrapped at 80 columns; its density is the number of words in all lines but the last over the number of
    those lines, or of the only line (Kohlschuetter, Fankhauser and Nejdl, Boilerplate detection using shallow text
    features, 2010, section 3.3).  A word has a letter or a digit.  A Han, kana or Hangul character is a word, two
    columns wide.

    Returns
    -------
    tuple of array
        Densities (float64) and code points that are no white space (int64); of shape (blocks,).
    """
    cdef int64_t n = bounds.shape[0] - 1, k, i, end, width, size, at, line, letters
    cdef bint counts
    cdef double words, before
    check_ascending(bounds, text.shape[0], "ascending bounds within the text")
    density, length = np.empty(n, np.float64), np.empty(n, np.int64)
    cdef double[::1] density_view = density
    cdef int64_t[::1] length_view = length
    with nogil:
        for k in range(n):
            i, end = bounds[k], bounds[k + 1]
            at = line = letters = 0
            words = before = 0
            while i < end:
                if text[i] <= 32:
                    i += 1
                    continue
                size = 0
                counts = False
                width = character_width(&text[i], end - i)
                if is_wide_word(&text[i], width):
                    i += width
                    size = 2
                    letters += 1
                    counts = True
                else:
                    if at:
                        at += 1         # the blank before it
                    while i < end and text[i] > 32:
                        width = character_width(&text[i], end - i)
                        if is_wide_word(&text[i], width):
                            break
                        counts = counts or is_word(text[i])
                        i += width
                        size += 1
                    letters += size
                if at and at + size > LINE:
                    line += 1
                    before = words
                    at = 0
                at += size
                words += counts
            density_view[k] = before / line if line else words
            length_view[k] = letters
    return density, length


def extract_keywords(const uint8_t[::1] text not None, const int64_t[::1] bounds not None, int64_t least):
    """The keywords of each block: words of at least `least` code points, and characters that are words of their own.

    Returns
    -------
    tuple of array
        Hash (uint64) and block (int64) of each keyword, in the order of the text.
    """
    cdef int64_t n = bounds.shape[0] - 1, k, i, j, end, width, size, count = 0
    cdef uint64_t h
    cdef bint single
    check_ascending(bounds, text.shape[0], "ascending bounds within the text")
    hashes, home = np.empty(text.shape[0], np.uint64), np.empty(text.shape[0], np.int64)
    cdef uint64_t[::1] hash_view = hashes
    cdef int64_t[::1] home_view = home
    with nogil:
        for k in range(n):
            i, end = bounds[k], bounds[k + 1]
            while i < end:
                if not is_word(text[i]):
                    i += 1
                    continue
                width = character_width(&text[i], end - i)
                single = is_wide_word(&text[i], width)
                if not single and text[i] == 0xE2:      # dashes, quotes, bullets
                    i += width
                    continue
                h = <uint64_t>0xCBF29CE484222325
                size = 0
                while i < end and is_word(text[i]):
                    width = character_width(&text[i], end - i)
                    if (size and (single or is_wide_word(&text[i], width))) or text[i] == 0xE2:
                        break
                    for j in range(i, i + width):
                        h = (h ^ text[j]) * <uint64_t>0x100000001B3
                    i += width
                    size += 1
                if single or size >= least:
                    hash_view[count] = h
                    home_view[count] = k
                    count += 1
    return hashes[:count].copy(), home[:count].copy()
