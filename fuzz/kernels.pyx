"""Kernels of the core called by libFuzzer without a step through Python: what Atheris gives thousands of inputs, this gives a
million.  Built by `setup.py` in its modes for fuzzing, run by `fuzz/targets/kernels.py`.

    scan     tokens in order, as they are behind other blanks and line by line, with forms within their room
    match    spans in order, the same with and without the sieve, and the same behind other lines
    lines    lines of JSON: what is taken is JSON, and nothing is lost

What does not hold ends the process; an input is a byte that chooses, and a text.
"""

from libc.stdint cimport int64_t, uint8_t
from libc.stdio cimport fprintf, stderr
from libc.stdlib cimport abort, free, malloc
from libc.string cimport memcmp, memcpy, memset

from templatemine.matching._automaton cimport Matcher, Scratch, scratch_acquire, scratch_release
from templatemine.matching._cutting cimport Outcome
from templatemine.text._scan cimport KIND, LETTERS, WORD, Scanner, Spec, Tokens, count_points, is_alpha, normalise, scan, tag_form

import json
import sys


cdef extern from *:
    """
    int LLVMFuzzerRunDriver(int *argc, char ***argv, int (*one)(const uint8_t *data, size_t size));
    """
    int LLVMFuzzerRunDriver(int* argc, char*** argv, int (*one)(const uint8_t*, size_t) noexcept)


cdef enum:
    MOST = 4096         # bytes of an input
    SHIFTS = 67         # how far texts are moved: a block of the scanner, which has 64 bytes, and a little more

# What is fuzzed, each kind in turn by the first byte of an input.
cdef list objects = []


cdef void hold(bint what, const char* told) noexcept:
    """End the process if something does not hold."""
    if not what:
        fprintf(stderr, "does not hold: %s\n", told)
        abort()


cdef uint8_t* moved(const uint8_t* p, int64_t n, uint8_t fill, int64_t shift) except NULL:
    """A copy behind so many bytes, with nothing of ours behind it."""
    cdef uint8_t* copy = <uint8_t*>malloc(shift + n + (shift + n == 0))
    if copy == NULL:
        raise MemoryError
    memset(copy, fill, shift)
    memcpy(copy + shift, p, n)
    return copy


cdef bint to_utf8(uint8_t* p, int64_t n) noexcept:
    """Take the highest bit off bytes that are no UTF-8, and tell whether there are some; surrogates may be, as texts have them."""
    cdef int64_t i = 0, k, width
    cdef bint changed = False
    while i < n:
        width = 1 if p[i] < 0x80 else 0 if p[i] < 0xC2 else 2 if p[i] < 0xE0 else 3 if p[i] < 0xF0 else 4 if p[i] < 0xF5 else 0
        if i + width > n:
            width = 0
        for k in range(1, width):
            if p[i + k] & 0xC0 != 0x80:
                width = 0
        if (width == 3 and p[i] == 0xE0 and p[i + 1] < 0xA0) or (width == 4 and p[i] == 0xF0 and p[i + 1] < 0x90):
            width = 0
        if width == 4 and p[i] == 0xF4 and p[i + 1] > 0x8F:
            width = 0
        if width == 0:
            p[i] &= 0x7F
            changed = True
            width = 1
        i += width
    return changed


# ---------------------------------------------------------------------------------------------------------------------- scan

cdef Tokens whole, other
cdef uint8_t[2 * MOST + 64] room


cdef int one_scan(const uint8_t* data, size_t size) noexcept:
    cdef int64_t n = <int64_t>size - 1, shift = 1 + data[0] % SHIFTS if size else 0
    cdef const Spec* spec
    cdef uint8_t* text
    cdef uint8_t* copy
    if n < 0 or n > MOST:
        return 0
    spec = &(<Scanner>objects[data[0] % len(objects)]).spec
    in_order(spec, data + 1, n)
    text = moved(data + 1, n, 0, 0)
    if to_utf8(text, n):
        in_order(spec, text, n)
    # Behind a line break and blanks, and a line at a time.
    copy = moved(text, n, 32, shift)
    copy[0] = 10
    same_tokens(spec, copy, 0, shift + n, shift, 0, whole.size)
    if not spec.html:
        by_lines(spec, text, n)
    free(copy)
    free(text)
    return 0


cdef void in_order(const Spec* spec, const uint8_t* p, int64_t n) noexcept:
    """The tokens of any bytes, and their forms."""
    cdef int64_t i, k, size, before = 0
    whole.size = 0
    scan(spec, p, 0, n, &whole)
    for i in range(whole.size):
        hold(before <= whole.start[i] < whole.end[i] <= n, "tokens are in order")
        before = whole.end[i]
        size = whole.end[i] - whole.start[i]
        if whole.kind[i] & LETTERS:
            for k in range(whole.start[i], whole.end[i]):
                hold(is_alpha(p[k]), "letters are letters")
        if whole.kind[i] & KIND == WORD:
            k = normalise(spec, p + whole.start[i], size, room)
        else:
            k = tag_form(spec, p + whole.start[i], size, whole.kind[i] & KIND, room)
        hold(0 < k <= 2 * size + 32, "a form has its room")


cdef void by_lines(const Spec* spec, const uint8_t* p, int64_t n) noexcept:
    cdef int64_t i = 0, line = 0, end, first
    while line < n:
        end = line
        while end < n and p[end] != 10:
            end += 1
        first = i
        while i < whole.size and whole.start[i] < end:
            i += 1
        same_tokens(spec, p, line, end, 0, first, i)
        line = end + 1


cdef void same_tokens(const Spec* spec, const uint8_t* p, int64_t start, int64_t end, int64_t shift, int64_t first,
                      int64_t last) noexcept:
    """The tokens of a stretch are those of the whole from `first` on, moved."""
    cdef int64_t i
    other.size = 0
    scan(spec, p, start, end, &other)
    hold(other.size == last - first, "as many tokens where the text is moved or cut into lines")
    for i in range(other.size):
        hold(other.start[i] == whole.start[first + i] + shift, "tokens begin where they begin elsewhere")
        hold(other.end[i] == whole.end[first + i] + shift, "tokens end where they end elsewhere")
        hold((other.kind[i] ^ whole.kind[first + i]) & ~LETTERS == 0, "tokens are what they are elsewhere")


# --------------------------------------------------------------------------------------------------------------------- match

cdef Outcome plainly, sieved


cdef void run_matcher(Matcher matcher, const uint8_t* p, int64_t n, double guard, Outcome* out) noexcept:
    cdef Scratch* scratch = scratch_acquire()
    out.size = out.members = out.pieces.size = 0
    matcher._clean(p, n, count_points(p, 0, n), None, 3, guard, False, False, scratch, out)
    scratch_release(scratch)


cdef int one_match(const uint8_t* data, size_t size) noexcept:
    cdef int64_t n = <int64_t>size - 1, i, shift, before = 0
    cdef uint8_t* text
    cdef uint8_t* copy
    if n < 0 or n > MOST:
        return 0
    cdef tuple pair = objects[data[0] % len(objects)]
    text = moved(data + 1, n, 0, 0)
    to_utf8(text, n)
    run_matcher(pair[0], text, n, 0.9, &plainly)
    run_matcher(pair[1], text, n, 0.9, &sieved)
    hold(plainly.size == sieved.size and plainly.members == sieved.members, "as many spans with and without the sieve")
    hold(plainly.pieces.size == sieved.pieces.size, "as many pieces with and without the sieve")
    for i in range(plainly.size):
        hold(before <= plainly.span[i].start < plainly.span[i].end <= n, "spans are in order")
        hold(plainly.span[i].point_end - plainly.span[i].point_start == count_points(text, plainly.span[i].start, plainly.span[i].end),
             "spans have as many characters as they say")
        before = plainly.span[i].end
        hold(memcmp(&plainly.span[i], &sieved.span[i], sizeof(plainly.span[i])) == 0, "spans with and without the sieve")
    for i in range(plainly.members):
        hold(plainly.member[i] == sieved.member[i], "strings with and without the sieve")
    for i in range(plainly.pieces.size):
        hold(plainly.pieces.piece[i].start == sieved.pieces.piece[i].start, "pieces with and without the sieve")
        hold(plainly.pieces.piece[i].end == sieved.pieces.piece[i].end <= n, "pieces within the text")
    # Behind empty lines.
    shift = 1 + data[0] % SHIFTS
    copy = moved(text, n, 10, shift)
    run_matcher(pair[data[0] & 1], copy, shift + n, -1, &sieved)
    hold(plainly.size == sieved.size, "as many spans behind empty lines")
    for i in range(plainly.size):
        hold(sieved.span[i].start == plainly.span[i].start + shift, "spans begin where they begin elsewhere")
        hold(sieved.span[i].end == plainly.span[i].end + shift, "spans end where they end elsewhere")
    free(copy)
    free(text)
    return 0


# --------------------------------------------------------------------------------------------------------------------- lines


cdef int one_lines(const uint8_t* data, size_t size) noexcept:
    cdef bytes block = (<const char*>data)[:size]
    try:
        check_lines(block)
    except BaseException as error:
        print(repr(error), file=sys.stderr, flush=True)
        abort()
    return 0


cdef check_lines(bytes block):
    cleaner, fields, kind = objects[0]
    one = cleaner(fields, block, b"default")
    left = 0
    while (why := one.run()) != 0:
        if why == 2:
            one.add_source(one.source, kind)
        else:
            left += one.line != b"\n"
    taken = one.take_output()
    if taken:
        records = taken.split(b"\n")[:-1]
        for record in records:
            if type(json.loads(record)["text"]) is not str:
                raise AssertionError(record)
        left += len(records)
    if left != len([line for line in block.split(b"\n") if line]):
        raise AssertionError(f"{left} lines")


# ----------------------------------------------------------------------------------------------------------------------- run


def run(str name, list given, list arguments):
    """Hand the process to libFuzzer; `given` is what is fuzzed: scanners, pairs of matchers, or what takes lines."""
    cdef list held = [argument.encode() for argument in arguments]
    cdef Py_ssize_t i
    cdef int argc = <int>len(held)
    cdef char** argv = <char**>malloc((argc + 1) * sizeof(char*))
    objects[:] = given
    memset(&whole, 0, sizeof(Tokens))
    memset(&other, 0, sizeof(Tokens))
    memset(&plainly, 0, sizeof(Outcome))
    memset(&sieved, 0, sizeof(Outcome))
    for i in range(argc):
        argv[i] = <bytes>held[i]
    argv[argc] = NULL
    if name == "scan":
        LLVMFuzzerRunDriver(&argc, &argv, one_scan)
    elif name == "match":
        LLVMFuzzerRunDriver(&argc, &argv, one_match)
    else:
        LLVMFuzzerRunDriver(&argc, &argv, one_lines)
