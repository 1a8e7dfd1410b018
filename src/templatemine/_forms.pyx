"""The form of a token, in which a match of a mutable pattern is a number, and what kind of token a form is.

A form costs time linear in its token, and the Tokeniser asks for it once a type.
"""

from libc.stdint cimport int64_t, uint8_t, uint16_t, uint32_t, uint64_t
from libc.string cimport memchr, memcpy

from templatemine._chars cimport (
    all_upper, decode, digit_width, is_alnum, is_alpha, is_letter, is_other_digit, is_own_token, is_upper, tm_hash,
)
from templatemine._memory cimport check_bounds
from templatemine._tables cimport table_find
from templatemine._spec cimport (
    ABBREVIATION, CLOCK, DATE, INITIALS, ISO_DATE, MARKER, MERIDIEM, NUMBER, NUMBER_WORLD, NUMERIC, ORDINAL, PERCENT,
    PRICE, RULE, Spec, TIME, UPPER,
)
from templatemine._marks cimport mark_at, may_hold_mark

__all__ = ["form_hashes", "form_traits"]

cdef extern from "Python.h":
    bint Py_UNICODE_ISUPPER(uint32_t c) noexcept nogil


cdef enum:
    LONGEST_WORD = 48       # bytes of a word of the closed lists, at most


cdef int64_t letters_end(const uint8_t* p, int64_t i, int64_t n) noexcept nogil:
    cdef int width = 0
    while i < n and is_letter(decode(p + i, n - i, &width)):
        i += width
    return i


cdef int64_t number_end(const uint8_t* p, int64_t i, int64_t n, int* pattern) noexcept nogil:
    """Digits with single joints between them; the kinds of joint choose number, clock, date or the mixed numeric."""
    cdef int joints = 0, width
    cdef uint8_t c
    while True:
        width = digit_width(p + i, n - i)
        while width:
            i += width
            width = digit_width(p + i, n - i) if i < n else 0
        if i + 1 >= n or digit_width(p + i + 1, n - i - 1) == 0:
            break
        c = p[i]
        if c == 46 or c == 44:
            joints |= 1
        elif c == 58:
            joints |= 2
        elif c == 47 or c == 92:
            joints |= 4
        else:
            break
        i += 1
    pattern[0] = NUMBER if joints <= 1 else CLOCK if joints == 2 else DATE if joints == 4 else NUMERIC
    return i


cdef int64_t other_number_end(const uint8_t* p, int64_t i, int64_t n) noexcept nogil:
    """Digits of characters.OTHER_DIGITS with single joints between them, whatever their kinds."""
    cdef int width = 0, after = 0
    while i < n:
        if is_other_digit(decode(p + i, n - i, &width)):
            i += width
        elif memchr(b".,:/\\", p[i], 5) != NULL and i + 1 < n and is_other_digit(decode(p + i + 1, n - i - 1, &after)):
            i += 1
        else:
            break
    return i


cdef int64_t dotted_meridiem(const uint8_t* p, int64_t i, int64_t n) noexcept nogil:
    """End of `[ap]\\.m\\.` at i, or i."""
    if i + 4 <= n and (p[i] == 97 or p[i] == 112) and p[i + 1] == 46 and p[i + 2] == 109 and p[i + 3] == 46:
        return i + 4
    return i


cdef int64_t after_number(const uint8_t* p, int64_t i, int64_t n, const uint8_t* on, int* pattern) noexcept nogil:
    """What may follow digits and make them an ordinal, a time or a percentage."""
    cdef int64_t end = letters_end(p, i, n)
    cdef uint8_t a, b
    if end == i + 2:
        a = p[i]
        b = p[i + 1]
        if pattern[0] == NUMBER and on[ORDINAL] and (
                (a == 115 and b == 116) or (a == 110 and b == 100) or (a == 114 and b == 100) or (a == 116 and b == 104)):
            pattern[0] = ORDINAL
            return end
        if on[TIME] and pattern[0] <= CLOCK and (((a == 97 or a == 112) and b == 109) or ((a == 65 or a == 80) and b == 77)):
            pattern[0] = TIME
            return end
    elif end == i + 1 and on[TIME] and pattern[0] <= CLOCK:
        end = dotted_meridiem(p, i, n)
        if end > i and letters_end(p, end, n) == end:
            pattern[0] = TIME
            return end
    elif end == i and pattern[0] == NUMBER and on[PERCENT] and i < n:
        if p[i] == 37:
            pattern[0] = PERCENT
            return i + 1
        if i + 2 <= n and p[i] == 0xD9 and p[i + 1] == 0xAA:
            pattern[0] = PERCENT
            return i + 2
    return i


cdef inline int currency_width(const uint8_t* p, int64_t n) noexcept nogil:
    if p[0] == 36:
        return 1
    if p[0] == 0xC2 and n >= 2 and (p[1] == 0xA3 or p[1] == 0xA5):
        return 2
    if p[0] == 0xE2 and n >= 3 and p[1] == 0x82 and (p[2] == 0xAC or p[2] == 0xB9):
        return 3
    return 0


cdef inline int rule_width(const uint8_t* p, int64_t n) noexcept nogil:
    cdef uint8_t c = p[0]
    if c == 95 or c == 61 or c == 42 or c == 126 or c == 35:
        return 1
    if c == 0xE2 and n >= 3 and ((p[1] == 0x80 and 0x93 <= p[2] <= 0x95) or (p[1] == 0x94 and 0x80 <= p[2] <= 0x81)):
        return 3
    return 0


cdef int64_t letters_form(const Spec* spec, const uint8_t* p, int64_t i, int64_t n, int* pattern) noexcept nogil:
    """The run of letters at i: end of what a pattern takes (pattern > 0) or of the literal run (pattern = 0)."""
    cdef int64_t end = letters_end(p, i, n), k, found
    cdef const uint8_t* on = &spec.on[0]
    pattern[0] = 0
    if on[ABBREVIATION] and 2 <= end - i <= 5 and end < n and p[end] == 46 and is_upper(p[i]):
        k = i
        while k < end and is_alpha(p[k]):
            k += 1
        if k == end:
            pattern[0] = ABBREVIATION
            return end + 1
    if end == i + 1:
        if on[INITIALS] and is_upper(p[i]):
            k = i
            while k + 1 < n and is_upper(p[k]) and p[k + 1] == 46 and letters_end(p, k, n) == k + 1:
                k += 2
            if k - i >= 4:
                pattern[0] = INITIALS
                return k
        if on[MERIDIEM]:
            k = dotted_meridiem(p, i, n)
            if k > i:
                pattern[0] = MERIDIEM
                return k
    if spec.words.count and end - i <= LONGEST_WORD:
        found = table_find(&spec.words, p + i, end - i, tm_hash(p + i, end - i))
        if found >= 0:
            pattern[0] = spec.word_pattern[found]
            return end
    if on[UPPER] and all_upper(p, i, end):
        pattern[0] = UPPER
    return end


cdef int64_t normalise_plain(const Spec* spec, const uint8_t* p, int64_t n, uint8_t* out) noexcept nogil:
    """Form of a stretch without marks: shapes and words in their place, everything else as it stands."""
    cdef uint8_t* o = out
    cdef int64_t i = 0, end, k
    cdef int pattern = 0, width = 0
    cdef const uint8_t* on = &spec.on[0]
    while i < n:
        end = i
        if p[i] == MARKER and i + 1 < n:
            end = i + 2
            pattern = 0
        elif on[NUMBER] and digit_width(p + i, n - i):
            end = number_end(p, i, n, &pattern)
            end = after_number(p, end, n, on, &pattern) if end < n else end
        elif on[NUMBER_WORLD] and is_other_digit(decode(p + i, n - i, &width)):
            end = other_number_end(p, i, n)
            pattern = NUMBER_WORLD
        elif on[RULE] and rule_width(p + i, n - i):
            k = 0
            while end < n and rule_width(p + end, n - end):
                end += rule_width(p + end, n - end)
                k += 1
            pattern = RULE if k >= 3 else 0
        elif is_letter(decode(p + i, n - i, &width)):
            end = letters_form(spec, p, i, n, &pattern)
        else:
            pattern = 0
            end = i + width
            if on[PRICE]:
                width = currency_width(p + i, n - i)
                if width and i + width < n and digit_width(p + i + width, n - i - width):
                    k = number_end(p, i + width, n, &pattern)
                    if k < n:
                        # "$5am" is a sign and a time, as "$5:30am" is: a form must not depend on which joints a number has.
                        k = after_number(p, k, n, on, &pattern)
                    if pattern == NUMBER:
                        pattern = PRICE
                        end = k
                    else:
                        pattern = 0
        if pattern:
            o[0] = MARKER
            o[1] = <uint8_t>pattern
            o += 2
        else:
            memcpy(o, p + i, end - i)
            o += end - i
        i = end
    return o - out


cdef int64_t normalise(const Spec* spec, const uint8_t* p, int64_t n, uint8_t* out) noexcept nogil:
    """Form of a word token; `out` (OUT) has room for 2 n bytes.  Returns the form's length."""
    cdef int64_t i = 0, first = 0, end, size = 0
    cdef int pattern = 0
    if may_hold_mark(p, n):
        while i < n:
            end = mark_at(p, i, n, &spec.on[0], &pattern)
            if end == i:
                i += 1
                continue
            size += normalise_plain(spec, p + first, i - first, out + size)
            out[size] = MARKER
            out[size + 1] = <uint8_t>pattern
            size += 2
            i = end
            first = end
    return size + normalise_plain(spec, p + first, n - first, out + size)


cdef enum:
    OWN = 4
    MUTABLE = 8
    VALUE = 16


cdef enum:
    OPENING_OR_CLOSING = 0x201C     # Germans close with what others open with
    WORD_SPACE = 0x1361     # of Ethiopic; two of them are the full stop of who has no key for it


cdef inline bint is_colon(uint32_t c) noexcept nogil:
    """Colons: ASCII, Ethiopic, Khmer, of full width."""
    return c == 58 or c == 0x1366 or c == 0x17D6 or c == 0xFF1A


cdef inline int closing_mark(uint32_t c) noexcept nogil:
    """2 for a mark that ends sentences, 1 for another that closes what it follows (no comma), -1 for a quote or bracket, else 0."""
    if c < 0x80:
        if c == 46 or c == 33 or c == 63:
            return 2
        if c == 34 or c == 39 or c == 41 or c == 93:
            return -1
        return 1 if c == 58 or c == 124 else 0
    if c < 0x2000:
        if c == 0xBB:
            return -1
        if (c == 0x61F or c == 0x6D4 or c == 0x964 or c == 0x965 or c == 0x37E or c == 0x589 or c == 0x1362 or c == 0x1367
                or c == 0x1368 or c == 0xF0D or c == 0xF0E or c == 0x104B or c == 0x17D4 or c == 0x17D5 or c == 0x1803 or c == 0x1809):
            return 2
        return 1 if is_colon(c) else 0
    if c == 0x2019 or 0x201C <= c <= 0x201D or c == 0x203A or 0x3009 <= c <= 0x3011 and c & 1 or 0x3015 <= c <= 0x301B and c & 1:
        return -1
    if c == 0xFF09 or c == 0xFF3D or c == 0xFF5D or c == 0xFF63 or c == 0x301E or c == 0x301F:
        return -1
    if (c == 0x2026 or c == 0x203C or 0x2047 <= c <= 0x2049 or c == 0x3002 or c == 0xFF01 or c == 0xFF0E or c == 0xFF1F
            or c == 0xFF61):
        return 2
    return 1 if 0x2013 <= c <= 0x2015 or c == 0xFF5C or c == 0x2502 or is_colon(c) else 0


cdef inline bint quotes_words(uint32_t c) noexcept nogil:
    """Closing quotes, of titles too.  Brackets are none: what they hold, as a dateline, is often closed by them."""
    return (c == 34 or c == 39 or c == 0xBB or c == 0x2019 or 0x201C <= c <= 0x201D or c == 0x203A
            or 0x3009 <= c <= 0x300F or c == 0xFF63 or c == 0x301E or c == 0x301F)


cdef uint32_t last_character(const uint8_t* form, int64_t n, int* width) noexcept nogil:
    """The last character of n bytes, at least one, and its width in bytes."""
    width[0] = 1
    while width[0] < 4 and n - width[0] > 0 and (form[n - width[0]] & 0xC0) == 0x80:
        width[0] += 1
    return decode(form + n - width[0], width[0], width)


cdef bint ends_word(const uint8_t* form, int64_t n) noexcept nogil:
    """Whether a letter, or a mark that ends sentences, is the last of n bytes."""
    cdef int width = 0
    cdef uint32_t last
    if n < 1:
        return False
    last = last_character(form, n, &width)
    return is_letter(last) or last == 44 or closing_mark(last) == 2


cdef bint ends_by_script(const uint8_t* form, int64_t n, uint32_t mark) noexcept nogil:
    """Whether a mark of ASCII behind n bytes ends a sentence: a colon behind Armenian, a semicolon behind Greek words."""
    cdef int width = 0
    cdef uint32_t last
    while n > 0:
        last = last_character(form, n, &width)
        if closing_mark(last) >= 0:
            if mark == 58:
                return 0x531 <= last <= 0x587 or 0xFB13 <= last <= 0xFB17
            return 0x370 <= last <= 0x3FF or 0x1F00 <= last <= 0x1FFF
        n -= width
    return False


cdef int closing_marks(const uint8_t* form, int64_t n) noexcept nogil:
    """CLAUSE and SENTENCE, if a form ends with such a mark; quotes and brackets may follow, and close as well; QUOTE."""
    cdef int width = 0, mark, found = 0
    cdef bint quote = True
    cdef uint32_t last
    while n > 0:
        last = last_character(form, n, &width)
        mark = closing_mark(last)
        if last == OPENING_OR_CLOSING and not ends_word(form, n - width):
            mark = 0
        if last == WORD_SPACE and n > 3 and decode(form + n - 6, 3, &width) == WORD_SPACE:
            mark = 2
        if (last == 58 or last == 59) and ends_by_script(form, n - width, last):
            mark = 2
        quote = quote and mark < 0 and quotes_words(last)
        if mark:
            found |= CLAUSE
        if mark == 2:
            found |= SENTENCE
        if mark >= 0:
            break
        n -= width
    return found | QUOTE if quote else found


cdef bint is_code(const uint8_t* p, int64_t n) noexcept nogil:
    """Whether a form holds what programs are written with and words are not: "x=1", "{", "call(x", "snake_case", ");".

    What is glued to a word ("London(AP)", "Text=" before a name) is no code, nor are rules of "=", names of accounts
    ("@snake_case"), or attributes of HTML, which parsers leave over.
    """
    cdef int64_t j, run = 0
    cdef uint8_t left = 0, right
    if n < 3 and p[n - 1] == 61 or n == 1 and p[0] == 36:
        return not (n == 2 and is_alnum(p[0]))
    for j in range(n):
        right = p[j + 1] if j + 1 < n else 0
        if p[j] == 123 or p[j] == 125:
            return True
        run = run + 1 if p[j] == 61 else 0
        if 0 < run < 3 and 32 < right < 128 and right != 61 and right != 34:
            return True
        if p[j] == 40 and (right == 41 or right and is_alnum(left) and (97 <= p[0] <= 122 or p[0] == 95)):
            return True
        if p[j] == 95 and is_alnum(left) and is_alnum(right) and p[0] != 64:
            return True
        if p[j] == 59 and left == 41:
            return True
        left = p[j]
    return False


cdef bint begins_with_capital(const uint8_t* p, int64_t n) noexcept nogil:
    """Whether a form begins with a capital; opening quotes and brackets may stand before it."""
    cdef int64_t j = 0
    cdef int width = 0
    cdef uint32_t c
    while j < n:
        c = decode(p + j, n - j, &width)
        if Py_UNICODE_ISUPPER(c):
            return True
        if not (c == 34 or c == 39 or c == 40 or c == 91 or c == 0xAB or c == 0xBF or c == 0xA1 or 0x2018 <= c <= 0x201F):
            return False
        j += width
    return False


cdef uint16_t traits_of(const uint8_t* p, int64_t n) noexcept nogil:
    """What a form of n bytes is, as `form_traits` has it."""
    cdef int64_t j
    cdef int width = 0
    cdef uint16_t out = 0
    if n == 0:
        return 0
    if begins_with_capital(p, n):
        out |= CAPITAL
    if is_own_token(decode(p, n, &width)) and width == n:
        out |= OWN
    if memchr(p, MARKER, n) != NULL:
        out |= MUTABLE
        for j in range(n - 1):
            if p[j] == MARKER and (p[j + 1] == ISO_DATE or NUMBER <= p[j + 1] <= PERCENT or p[j + 1] == NUMBER_WORLD):
                out |= FIGURE
    elif is_code(p, n):
        out |= FIGURE
    if p[0] == MARKER and n > 1 and p[1] in (NUMBER, NUMERIC, ORDINAL, PRICE, PERCENT, NUMBER_WORLD):
        out |= VALUE
    if p[n - 1] == 58 or (n >= 3 and is_colon(decode(p + n - 3, 3, &width)) and width == 3):
        out |= COLON
    return out | <uint16_t>closing_marks(p, n)


def form_traits(const uint8_t[::1] arena not None, const int64_t[::1] offsets not None):
    """What each form is, as bits: uint16 array of shape (forms,).

    1 it ends with a punctuation mark that closes something, 2 with one that ends a sentence (quotes and brackets may
    follow), 4 it is one character of a script without spaces, 8 a mutable pattern stands in it, 16 it begins with a number, an
    ordinal, a price or a percentage, 32 it ends with a colon, 64 a number, a time or a date in figures stands in it,
    or, if it is not mutable, a sign of a program, 128 it is nothing but closing quotes,
    256 it begins with a capital letter, behind opening quotes or brackets if there are any.
    """
    import numpy as np

    check_bounds("offsets", offsets, arena.shape[0])
    cdef int64_t i, n = offsets.shape[0] - 1
    cdef uint16_t[::1] out = np.zeros(max(n, 1), np.uint16)
    cdef const uint8_t* p = &arena[0] if arena.shape[0] else NULL
    with nogil:
        for i in range(n):
            out[i] = traits_of(p + offsets[i], offsets[i + 1] - offsets[i])
    return np.asarray(out)[:n]


def form_hashes(const uint8_t[::1] arena not None, const int64_t[::1] offsets not None):
    """64-bit hash of each form: uint64 array of shape (forms,)."""
    import numpy as np

    check_bounds("offsets", offsets, arena.shape[0])
    cdef int64_t i, n = offsets.shape[0] - 1
    cdef uint64_t[::1] out = np.empty(max(n, 1), np.uint64)
    cdef const uint8_t* p = &arena[0] if arena.shape[0] else NULL
    with nogil:
        for i in range(n):
            out[i] = tm_hash(p + offsets[i], offsets[i + 1] - offsets[i])
    return np.asarray(out)[:n]
