"""Tags of HTML as tokens: where one ends, and its form, which keeps the names of attributes and the values that say what it is."""

from libc.stdint cimport int64_t, uint8_t
from libc.string cimport memchr, memcpy

from templatemine._chars cimport closed, is_alnum, is_alpha, is_digit, is_upper, same_letters
from templatemine._spec cimport MARKER, NUMBER, RAW, Spec, TAG

__all__ = []


cdef inline bint says_script(const uint8_t* p, int64_t n) noexcept nogil:
    """The name of a script, and it ends there."""
    return n >= 6 and same_letters(p, b"script", 6) and (n == 6 or not (is_alnum(p[6]) or p[6] == 95))


cdef int64_t script_end(const uint8_t* p, int64_t i, int64_t n) noexcept nogil:
    """Where the end tag of the script with the content at i begins, or n.

    After ``<!--``, up to ``-->``, a start tag and an end tag of scripts are a pair within the script: so are they hidden
    that a script writes (HTML standard, sections 13.2.5.15 to 31: "script data double escaped").
    """
    cdef bint escaped = False, double_escaped = False
    cdef const void* hit
    while i < n:
        if not escaped:
            hit = memchr(p + i, 60, n - i)
            if hit == NULL:
                return n
            i = <const uint8_t*>hit - p
            if i + 3 < n and p[i + 1] == 33 and p[i + 2] == 45 and p[i + 3] == 45:
                escaped = True
                i += 2                      # the two of <!--> close it, too
                continue
        elif p[i] == 45 and i + 2 < n and p[i + 1] == 45 and p[i + 2] == 62:
            escaped = double_escaped = False
            i += 3
            continue
        if p[i] == 60 and i + 1 < n:
            if p[i + 1] == 47 and says_script(p + i + 2, n - i - 2):
                if not double_escaped:
                    return i
                double_escaped = False
            elif escaped and says_script(p + i + 1, n - i - 1):
                double_escaped = True
        i += 1
    return n


cdef int64_t find_close(const uint8_t* p, int64_t i, int64_t n, const char* name, int64_t size) noexcept nogil:
    """End of `</name ...>` at or after i; n if the element is never closed."""
    cdef const void* hit
    cdef int64_t j
    while i < n:
        hit = memchr(p + i, 60, n - i)
        if hit == NULL:
            return n
        i = <const uint8_t*>hit - p
        if i + 2 + size <= n and p[i + 1] == 47 and same_letters(p + i + 2, name, size) and closed(p, i + 2 + size, n):
            j = i + 2 + size
            hit = memchr(p + j, 62, n - j)
            return n if hit == NULL else <const uint8_t*>hit - p + 1
        i += 1
    return n


cdef int64_t tag_end(const uint8_t* p, int64_t i, int64_t n, uint8_t* kind) noexcept nogil:
    """End of the mark-up that begins with '<' at i, or i if there is none.  A tag ends at its first '>'."""
    cdef const void* hit
    cdef int64_t j
    if i + 1 >= n or not (is_alpha(p[i + 1]) or p[i + 1] == 47 or p[i + 1] == 33 or p[i + 1] == 63):
        return i
    if i + 3 < n and p[i + 1] == 33 and p[i + 2] == 45 and p[i + 3] == 45:
        kind[0] = RAW
        j = i + 4
        while j < n:
            hit = memchr(p + j, 62, n - j)
            if hit == NULL:
                return n
            j = <const uint8_t*>hit - p + 1
            if p[j - 2] == 45 and p[j - 3] == 45 and j - 3 >= i + 2:
                return j
        return n
    hit = memchr(p + i, 62, n - i)
    j = n if hit == NULL else <const uint8_t*>hit - p + 1
    kind[0] = TAG
    if i + 7 <= n and same_letters(p + i + 1, "script", 6) and closed(p, i + 7, n):
        kind[0] = RAW
        return find_close(p, j, n, "script", 6)
    if i + 6 <= n and same_letters(p + i + 1, "style", 5) and closed(p, i + 6, n):
        kind[0] = RAW
        return find_close(p, j, n, "style", 5)
    return j


cdef int64_t attribute(const uint8_t* p, int64_t i, int64_t n, int64_t* name_end, int64_t* value, int64_t* value_end) noexcept nogil:
    """One attribute at or after i: [i', name_end) and [value, value_end).  Returns i' or n when there is none left."""
    cdef uint8_t quote
    while i < n and (p[i] <= 32 or p[i] == 47):
        i += 1
    if i >= n:
        return n
    # An equals sign in front belongs to the name (HTML standard, 13.2.5.32).
    name_end[0] = i + 1
    while name_end[0] < n and p[name_end[0]] > 32 and p[name_end[0]] != 61 and p[name_end[0]] != 47:
        name_end[0] += 1
    value[0] = name_end[0]
    while value[0] < n and p[value[0]] <= 32:
        value[0] += 1
    if value[0] >= n or p[value[0]] != 61:
        value[0] = name_end[0]
        value_end[0] = name_end[0]
        return i
    value[0] += 1
    while value[0] < n and p[value[0]] <= 32:
        value[0] += 1
    if value[0] < n and (p[value[0]] == 34 or p[value[0]] == 39):
        quote = p[value[0]]
        value[0] += 1
        value_end[0] = value[0]
        while value_end[0] < n and p[value_end[0]] != quote:
            value_end[0] += 1
    else:
        value_end[0] = value[0]
        while value_end[0] < n and p[value_end[0]] > 32:
            value_end[0] += 1
    return i


cdef uint8_t* put_value(const Spec* spec, const uint8_t* p, int64_t i, int64_t end, uint8_t* o) noexcept nogil:
    """An attribute's value with runs of white space as one blank and runs of ASCII digits as numbers."""
    cdef bint any_yet = False, blank = False
    while i < end:
        if p[i] <= 32:
            blank = True
            i += 1
            continue
        if blank and any_yet:
            o[0] = 32
            o += 1
        blank = False
        any_yet = True
        if spec.on[NUMBER] and is_digit(p[i]):
            while i < end and is_digit(p[i]):
                i += 1
            o[0] = MARKER
            o[1] = NUMBER
            o += 2
        else:
            o[0] = p[i]
            o += 1
            i += 1
    return o


cdef int64_t tag_form(const Spec* spec, const uint8_t* p, int64_t n, uint8_t kind, uint8_t* out) noexcept nogil:
    """Form of a tag: its name in lower case, class and id; `out` (OUT) has room for 2 n + 32 bytes."""
    cdef uint8_t* o = out
    cdef int64_t i = 1, j, end, name_end = 0, value = 0, value_end = 0
    cdef int which
    cdef const char* names = "classid"
    cdef bint wanted
    if kind == RAW:
        if p[1] == 33:
            memcpy(out, b"<!---->", 7)
            return 7
        if (p[2] | 32) == 99:
            memcpy(out, b"<script>", 8)
            return 8
        memcpy(out, b"<style>", 7)
        return 7
    end = n - 1 if p[n - 1] == 62 else n
    o[0] = 60
    o += 1
    if i < end and p[i] == 47:
        o[0] = 47
        o += 1
        i += 1
    while i < end and p[i] > 32 and p[i] != 47:
        o[0] = (p[i] | 32) if is_upper(p[i]) else p[i]
        o += 1
        i += 1
    if is_alpha(p[1]):
        for which in range(2):
            j = attribute(p, i, end, &name_end, &value, &value_end)
            while j < end:
                if which == 0:
                    wanted = name_end - j == 5 and same_letters(p + j, names, 5)
                else:
                    wanted = name_end - j == 2 and same_letters(p + j, names + 5, 2)
                if wanted and value_end > value:
                    memcpy(o, b" class=\"" if which == 0 else b" id=\"", 8 if which == 0 else 5)
                    o += 8 if which == 0 else 5
                    o = put_value(spec, p, value, value_end, o)
                    o[0] = 34
                    o += 1
                    break
                j = attribute(p, max(value_end + 1, name_end), end, &name_end, &value, &value_end)
    if end < n:
        o[0] = 62
        o += 1
    return o - out
