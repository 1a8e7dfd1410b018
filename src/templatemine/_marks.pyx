"""Patterns that part a stretch of bytes, where separators would not: addresses, dates, phone numbers, hex.

In comes a place in a text, out goes where the pattern that begins there ends.  Each is the native form of a regular
expression of `patterns.TABLE`.
"""

from libc.stdint cimport int64_t, uint8_t
from libc.string cimport memchr, memcmp

from templatemine._chars cimport closed, in_url, is_alnum, is_digit
from templatemine._spec cimport EMAIL, HANDLE, HEX, ISO_DATE, PHONE, URL, UUID

__all__ = []


cdef inline int64_t label_end(const uint8_t* p, int64_t i, int64_t n) noexcept nogil:
    """End of `[A-Za-z0-9]+(?:-+[A-Za-z0-9]+)*` at i, or i."""
    cdef int64_t end, j
    if i >= n or not is_alnum(p[i]):
        return i
    end = i
    while True:
        while end < n and is_alnum(p[end]):
            end += 1
        j = end
        while j < n and p[j] == 45:
            j += 1
        if j == end or j >= n or not is_alnum(p[j]):
            return end
        end = j


cdef inline bint ends_url(uint8_t c) noexcept nogil:
    if is_alnum(c):
        return True
    return 33 <= c <= 126 and memchr(b"/_~&=#+$%", c, 9) != NULL


cdef int64_t url_end(const uint8_t* p, int64_t i, int64_t n) noexcept nogil:
    cdef int64_t first, j
    if n - i > 7 and memcmp(p + i, b"http://", 7) == 0:
        first = i + 7
    elif n - i > 8 and memcmp(p + i, b"https://", 8) == 0:
        first = i + 8
    elif n - i > 4 and memcmp(p + i, b"www.", 4) == 0:
        first = i + 4
    else:
        return i
    j = first
    while j < n and in_url(p[j]):
        j += 1
    while j > first and not ends_url(p[j - 1]):
        j -= 1
    return j if j > first else i


cdef int64_t email_end(const uint8_t* p, int64_t i, int64_t n) noexcept nogil:
    cdef int64_t at = i + 1, end, dot
    if not is_alnum(p[i]):
        return i
    while at < n and at - i <= 63 and (is_alnum(p[at]) or p[at] == 46 or p[at] == 95 or p[at] == 37 or p[at] == 43 or p[at] == 45):
        at += 1
    if at >= n or p[at] != 64:
        return i
    dot = label_end(p, at + 1, n)
    end = i
    while dot > at + 1 and dot < n and p[dot] == 46:
        at = dot
        dot = label_end(p, at + 1, n)
        if dot > at + 1:
            end = dot
    return end


cdef inline bint digits(const uint8_t* p, int64_t i, int64_t n, int count) noexcept nogil:
    cdef int k
    if i + count > n:
        return False
    for k in range(count):
        if not is_digit(p[i + k]):
            return False
    return True


cdef int64_t zone_end(const uint8_t* p, int64_t i, int64_t n) noexcept nogil:
    """End of `(?:Z|[+-]dd:?dd)` at i, or i."""
    if i < n and p[i] == 90:
        return i + 1
    if i < n and (p[i] == 43 or p[i] == 45) and digits(p, i + 1, n, 2):
        if i + 3 < n and p[i + 3] == 58 and digits(p, i + 4, n, 2):
            return i + 6
        if digits(p, i + 3, n, 2):
            return i + 5
    return i


cdef int64_t iso_end(const uint8_t* p, int64_t i, int64_t n) noexcept nogil:
    """Longest closed reading first: the order in which the expression backtracks."""
    cdef int64_t date, hm, hms, frac, end
    if not (digits(p, i, n, 4) and i + 4 < n and p[i + 4] == 45 and digits(p, i + 5, n, 2) and i + 7 < n and p[i + 7] == 45
            and digits(p, i + 8, n, 2)):
        return i
    date = i + 10
    if date < n and p[date] == 84 and digits(p, date + 1, n, 2) and date + 3 < n and p[date + 3] == 58 and digits(p, date + 4, n, 2):
        hm = date + 6
        if hm < n and p[hm] == 58 and digits(p, hm + 1, n, 2):
            hms = hm + 3
            if hms < n and p[hms] == 46 and digits(p, hms + 1, n, 1):
                frac = hms + 1
                while frac < n and is_digit(p[frac]):
                    frac += 1
                end = zone_end(p, frac, n)
                if end > frac and closed(p, end, n):
                    return end
                if closed(p, frac, n):
                    return frac
            end = zone_end(p, hms, n)
            if end > hms and closed(p, end, n):
                return end
            if closed(p, hms, n):
                return hms
        end = zone_end(p, hm, n)
        if end > hm and closed(p, end, n):
            return end
        if closed(p, hm, n):
            return hm
    return date if closed(p, date, n) else i


cdef inline bint is_joint(uint8_t c) noexcept nogil:
    return c == 45 or c == 46


cdef int64_t phone_core(const uint8_t* p, int64_t i, int64_t n) noexcept nogil:
    cdef int64_t j
    if i + 5 <= n and p[i] == 40 and digits(p, i + 1, n, 3) and p[i + 4] == 41:
        j = i + 5
    elif digits(p, i, n, 3) and i + 3 < n and is_joint(p[i + 3]):
        j = i + 4
    else:
        return -1
    if digits(p, j, n, 3) and j + 3 < n and is_joint(p[j + 3]) and digits(p, j + 4, n, 4) and closed(p, j + 8, n):
        return j + 8
    return -1


cdef int64_t phone_end(const uint8_t* p, int64_t i, int64_t n) noexcept nogil:
    cdef int64_t j = i + (1 if p[i] == 43 else 0), k, end
    k = j
    while k < n and k - j < 3 and is_digit(p[k]):
        k += 1
    if k > j and k < n and is_joint(p[k]):
        end = phone_core(p, k + 1, n)
        if end >= 0:
            return end
    end = phone_core(p, i, n)
    return end if end >= 0 else i


cdef inline bint is_hex(uint8_t c) noexcept nogil:
    return is_digit(c) or 97 <= c <= 102


cdef inline int64_t hex_run(const uint8_t* p, int64_t i, int64_t n, int64_t count) noexcept nogil:
    cdef int64_t k = i
    while k < n and k - i < count and is_hex(p[k]):
        k += 1
    return k - i


cdef int64_t uuid_end(const uint8_t* p, int64_t i, int64_t n) noexcept nogil:
    if (i + 36 <= n and p[i + 8] == 45 and p[i + 13] == 45 and p[i + 18] == 45 and p[i + 23] == 45 and hex_run(p, i, n, 8) == 8
            and hex_run(p, i + 9, n, 4) == 4 and hex_run(p, i + 14, n, 4) == 4 and hex_run(p, i + 19, n, 4) == 4
            and hex_run(p, i + 24, n, 12) == 12 and closed(p, i + 36, n)):
        return i + 36
    return i


cdef int64_t hex_end(const uint8_t* p, int64_t i, int64_t n) noexcept nogil:
    cdef int64_t k = i
    cdef bint digit = False, letter = False
    while k < n and is_hex(p[k]):
        if is_digit(p[k]):
            digit = True
        else:
            letter = True
        k += 1
    return k if k - i >= 8 and digit and letter and closed(p, k, n) else i


cdef int64_t mark_at(const uint8_t* p, int64_t i, int64_t n, const uint8_t* on, int* pattern) noexcept nogil:
    """End of the mark that begins at i, or i.  The order of the tests is the order of patterns.TABLE."""
    cdef int64_t end
    if i > 0 and is_alnum(p[i - 1]):
        return i
    if on[URL]:
        end = url_end(p, i, n)
        if end > i:
            pattern[0] = URL
            return end
    if on[EMAIL]:
        end = email_end(p, i, n)
        if end > i:
            pattern[0] = EMAIL
            return end
    if on[HANDLE] and p[i] == 64:
        end = i + 1
        while end < n and (is_alnum(p[end]) or p[end] == 95):
            end += 1
        if end > i + 1:
            pattern[0] = HANDLE
            return end
    if on[ISO_DATE]:
        end = iso_end(p, i, n)
        if end > i:
            pattern[0] = ISO_DATE
            return end
    if on[PHONE]:
        end = phone_end(p, i, n)
        if end > i:
            pattern[0] = PHONE
            return end
    if on[UUID]:
        end = uuid_end(p, i, n)
        if end > i:
            pattern[0] = UUID
            return end
    if on[HEX]:
        end = hex_end(p, i, n)
        if end > i:
            pattern[0] = HEX
            return end
    return i


cdef bint may_hold_mark(const uint8_t* p, int64_t n) noexcept nogil:
    """A cheap test that every mark passes: an at-sign, a digit, "://" or "www."."""
    cdef int64_t i
    cdef uint8_t c
    for i in range(n):
        c = p[i]
        if is_digit(c) or c == 64 or (c == 47 and i > 0 and p[i - 1] == 58):
            return True
        if c == 119 and n - i > 4 and memcmp(p + i, b"www.", 4) == 0:
            return True
    return False
