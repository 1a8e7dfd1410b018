"""Text into tokens: the scanner.

In come documents as UTF-8 bytes, out go the bounds and kinds of their tokens.  Scanning is linear in the bytes, 64 of
them at a time.  Of this module and of those beside it: only buffers and numbers cross the boundary; each kernel is a
public ``def`` that checks and allocates, and a private ``cdef`` loop that runs without the GIL.  Offsets are int64.
Arguments are IN unless a docstring says otherwise.  numpy is imported by what gives arrays: cleaning does without, and so
starts sooner.
"""

from libc.stdint cimport int32_t, int64_t, uint8_t, uint32_t, uint64_t
from libc.stdlib cimport free, malloc
from libc.string cimport memcpy, memset

from templatemine._chars cimport decode, is_alnum, is_letter, is_own_token, is_wide_space
from templatemine._memory cimport copied, reserve
from templatemine._tables cimport table_add, table_free, table_init
from templatemine._spec cimport (
    ANGLE, EXTRA, FIRST, GLUED, JOINT, KIND, LEAD, LETTERS, PLAIN, RAW, SPACE, Spec, TAG, WORD,
)
from templatemine._marks cimport mark_at, may_hold_mark
from templatemine._tags cimport tag_end, tag_form
from templatemine._forms cimport normalise

__all__ = ["Scanner"]


cdef extern from *:
    """
    /* 64 bytes at a time.  `stops`: a bit for each byte that may end a run of plain bytes: controls, blanks, `extra`
       characters, and everything beyond ASCII.  `letters`: a bit for each ASCII letter. */
    #if defined(__SSE2__)
    #include <emmintrin.h>
    static inline void tm_block(const uint8_t *p, const uint8_t *extra, int extras, uint64_t *stops, uint64_t *letters) {
        const __m128i blank = _mm_set1_epi8(32), a = _mm_set1_epi8('a'), z = _mm_set1_epi8(25);
        uint64_t s = 0, l = 0;
        for (int k = 0; k < 4; k++) {
            __m128i v = _mm_loadu_si128((const __m128i *)(p + 16 * k));
            __m128i hit = _mm_cmpeq_epi8(_mm_min_epu8(v, blank), v);
            for (int e = 0; e < extras; e++)
                hit = _mm_or_si128(hit, _mm_cmpeq_epi8(v, _mm_set1_epi8((char)extra[e])));
            s |= (uint64_t)(uint32_t)_mm_movemask_epi8(_mm_or_si128(hit, v)) << (16 * k);
            v = _mm_sub_epi8(_mm_or_si128(v, blank), a);
            l |= (uint64_t)(uint32_t)_mm_movemask_epi8(_mm_cmpeq_epi8(_mm_min_epu8(v, z), v)) << (16 * k);
        }
        *stops = s; *letters = l;
    }
    #else
    static inline void tm_block(const uint8_t *p, const uint8_t *extra, int extras, uint64_t *stops, uint64_t *letters) {
        uint64_t s = 0, l = 0;
        for (int k = 0; k < 64; k++) {
            uint8_t c = p[k];
            int hit = c <= 32 || c >= 128;
            for (int e = 0; e < extras; e++) hit |= c == extra[e];
            s |= (uint64_t)hit << k;
            l |= (uint64_t)((uint8_t)((c | 32) - 'a') < 26) << k;
        }
        *stops = s; *letters = l;
    }
    #endif

    static inline int tm_first(uint64_t x) { return __builtin_ctzll(x); }
    """
    void tm_block(const uint8_t* p, const uint8_t* extra, int extras, uint64_t* stops, uint64_t* letters) noexcept nogil
    int tm_first(uint64_t x) noexcept nogil


cdef int tokens_grow(Tokens* t) except -1 nogil:
    cdef int64_t room = t.room
    reserve(<void**>&t.start, &room, t.size + 1, sizeof(int64_t))
    room = t.room
    reserve(<void**>&t.end, &room, t.size + 1, sizeof(int64_t))
    room = t.room
    reserve(<void**>&t.kind, &room, t.size + 1, 1)
    t.room = room
    return 0


cdef void tokens_free(Tokens* t) noexcept nogil:
    free(t.start)
    free(t.end)
    free(t.kind)
    memset(t, 0, sizeof(Tokens))


cdef int scan_chunk(const Spec* spec, const uint8_t* p, int64_t start, int64_t end, Tokens* out) except -1 nogil:
    """Tokens of a chunk (no white space, no tag, no character of its own) that holds separators or joints: marks keep theirs,
    and the slash that ends an address is no joint."""
    cdef int64_t i = start, first = -1, after, marked = -1
    cdef int pattern = 0, width = 0
    cdef bint marks = may_hold_mark(p + start, end - start)
    while i < end:
        if marks:
            # The chunk's edge is the edge of the text for a mark: what stands before is no letter or digit.
            after = start + mark_at(p + start, i - start, end - start, spec.on, &pattern)
            if after > i:
                if first < 0:
                    first = i
                i = marked = after
                continue
        if spec.kind[p[i]] == EXTRA:
            if first >= 0:
                tokens_push(out, first, i, WORD)
                first = -1
        elif first < 0:
            first = i
        elif spec.kind[p[i - 1]] == JOINT and i != marked and is_letter(decode(p + i, end - i, &width)):
            tokens_push(out, first, i, WORD)
            first = i
        i += 1
    if first >= 0:
        tokens_push(out, first, end, WORD)
    return 0


cdef struct Blocks:
    # The text in blocks of 64 bytes; the last one is padded with blanks.
    const uint8_t* text
    int64_t size
    int64_t block           # number of the block that is loaded, or -1
    uint64_t stops
    uint64_t letters


cdef void load_block(const Spec* spec, Blocks* b, int64_t block) noexcept nogil:
    cdef uint8_t tail[64]
    cdef int64_t begin = block * 64
    if begin + 64 <= b.size:
        tm_block(b.text + begin, &spec.extra[0], spec.extras, &b.stops, &b.letters)
    else:
        memset(tail, 32, 64)
        memcpy(tail, b.text + begin, b.size - begin)
        tm_block(tail, &spec.extra[0], spec.extras, &b.stops, &b.letters)
    b.block = block


cdef inline int64_t next_stop(const Spec* spec, Blocks* b, int64_t i) noexcept nogil:
    """First place at or after i that may end a run of plain bytes; b.size if there is none."""
    cdef uint64_t rest
    while i < b.size:
        if i >> 6 != b.block:
            load_block(spec, b, i >> 6)
        rest = b.stops >> (i & 63)
        if rest:
            i += tm_first(rest)
            return i if i < b.size else b.size
        i = (i | 63) + 1
    return b.size


cdef inline uint8_t only_letters(const Blocks* b, int64_t start, int64_t end) noexcept nogil:
    """LETTERS if [start, end) lies in the loaded block and holds ASCII letters only, else 0."""
    cdef int64_t size = end - start
    if start >> 6 != b.block or (end - 1) >> 6 != b.block or size > 63:
        return 0
    return LETTERS if (~(b.letters >> (start & 63))) & ((<uint64_t>1 << size) - 1) == 0 else 0


cdef int scan(const Spec* spec, const uint8_t* p, int64_t i, int64_t n, Tokens* out) except -1 nogil:
    """Add all tokens of p[i:n], in order, to `out`; a token may begin at i, and end at n."""
    cdef int64_t start, after
    cdef uint8_t k, kind = WORD
    cdef uint32_t c
    cdef int width = 0
    cdef int after_joint = 0
    cdef bint parts
    cdef uint8_t first = FIRST if i == 0 or p[i - 1] == 10 else 0
    cdef int64_t size
    cdef Blocks blocks
    blocks.text = p
    blocks.size = n
    blocks.block = -1
    blocks.stops = 0
    blocks.letters = 0
    while i < n:
        k = spec.kind[p[i]]
        if k == SPACE or (k == EXTRA and p[i] != 64 and p[i] != 43 and p[i] != 40):
            if p[i] == 10:
                first = FIRST
            i += 1
            continue
        if k == LEAD:
            c = decode(p + i, n - i, &width)
            if is_wide_space(c):
                if c == 0x2028 or c == 0x2029:
                    first = FIRST
                i += width
                continue
            if is_own_token(c):
                tokens_push(out, i, i + width, WORD | first)
                first = 0
                i += width
                continue
        elif k == ANGLE:
            after = tag_end(p, i, n, &kind)
            if after > i:
                tokens_push(out, i, after, kind | first)
                first = 0
                i = after
                continue
        start = i
        # Where '@', '+' or '(' parts tokens it may still be the first character of a mark, so it is looked at in its chunk.
        parts = k == EXTRA or (k == JOINT and i + 1 < n and is_letter(decode(p + i + 1, n - i - 1, &after_joint)))
        while True:
            i = next_stop(spec, &blocks, i + (width if k == LEAD else 1))
            if i >= n:
                break
            k = spec.kind[p[i]]
            if k == SPACE:
                break
            if k == EXTRA:
                # A separator at the end of the chunk needs no second look.
                parts = True
            elif k == JOINT:
                parts = parts or (i + 1 < n and is_letter(decode(p + i + 1, n - i - 1, &after_joint)))
            elif k == LEAD:
                c = decode(p + i, n - i, &width)
                if is_wide_space(c) or is_own_token(c):
                    break
            elif k == ANGLE and tag_end(p, i, n, &kind) > i:
                break
        if parts:
            size = out.size
            scan_chunk(spec, p, start, i, out)
            if out.size > size:
                out.kind[size] |= first
                first = 0
        else:
            tokens_push(out, start, i, WORD | first | only_letters(&blocks, start, i))
            first = 0
    return 0


cdef class Scanner:
    """What Tokeniser and Matcher share: the Spec.

    Parameters
    ----------
    separators : bytes
        ASCII punctuation that parts tokens beside white space.
    mask : bytes, 256
        1 at the number of each pattern that is on.
    words, numbers : list of bytes, list of int
        Words of the closed lists and the pattern number of each.
    html : bool
        Tags, scripts, styles and comments are tokens.
    """

    def __cinit__(self, bytes separators, bytes mask, list words, list numbers, bint html, *rest):
        cdef int i
        cdef bytes word
        memset(&self.spec, 0, sizeof(Spec))
        if len(mask) != 256:
            raise ValueError(f"expected a mask of 256 bytes, got {len(mask)}")
        if len(words) != len(numbers):
            raise ValueError(f"expected a pattern number for each word, got {len(numbers)} for {len(words)}")
        for i in (9, 10, 11, 12, 13, 32):
            self.spec.kind[i] = SPACE
        for i in (0xC2, 0xE0, 0xE1, 0xE2, 0xE3, 0xE4, 0xE5, 0xE6, 0xE7, 0xE8, 0xE9, 0xEF, 0xF0):
            self.spec.kind[i] = LEAD
        if len(separators) > 7:
            raise ValueError(f"expected at most 7 separators, got {len(separators)}")
        for i in separators:
            if not 33 <= i <= 126 or is_alnum(<uint8_t>i):
                raise ValueError(f"expected ASCII punctuation as separators, got byte {i}")
            self.spec.kind[i] = EXTRA
            self.spec.extra[self.spec.extras] = <uint8_t>i
            self.spec.extras += 1
        if html:
            self.spec.kind[60] = ANGLE
            self.spec.extra[self.spec.extras] = 60
            self.spec.extras += 1
        if mask[GLUED]:
            for i in (41, 47, 58):
                if self.spec.kind[i] == PLAIN:
                    self.spec.kind[i] = JOINT
                    self.spec.extra[self.spec.extras] = <uint8_t>i
                    self.spec.extras += 1
        self.spec.html = html
        memcpy(self.spec.on, <const uint8_t*>mask, 256)
        table_init(&self.spec.words)
        self.spec.word_pattern = <int32_t*>malloc((len(words) + 1) * sizeof(int32_t))
        if self.spec.word_pattern == NULL:
            raise MemoryError
        for i, word in enumerate(words):
            if table_add(&self.spec.words, <const uint8_t*>word, len(word)) != i:
                raise ValueError(f"the word {word!r} stands in two patterns")
            if not 1 <= numbers[i] <= 255:
                raise ValueError(f"expected pattern numbers from 1 to 255, got {numbers[i]}")
            self.spec.word_pattern[i] = numbers[i]

    def __dealloc__(self):
        table_free(&self.spec.words)
        free(self.spec.word_pattern)

    def token_spans(self, const uint8_t[::1] document not None):
        """Tokens of a document.

        Returns
        -------
        starts, ends : int64 arrays
            In bytes, end exclusive.
        kinds : uint8 array
            0 word, 1 tag, 2 script, style or comment.
        """
        import numpy as np

        cdef Tokens tokens
        memset(&tokens, 0, sizeof(Tokens))
        cdef const uint8_t* p = &document[0] if document.shape[0] else NULL
        try:
            with nogil:
                scan(&self.spec, p, 0, document.shape[0], &tokens)
            return (copied(tokens.start, tokens.size * 8, np.int64), copied(tokens.end, tokens.size * 8, np.int64),
                    copied(tokens.kind, tokens.size, np.uint8) & KIND)
        finally:
            tokens_free(&tokens)

    def form(self, bytes token, int kind=0):
        """Form of one token of the given kind, as bytes."""
        if not token:
            raise ValueError("expected a token, got an empty string")
        if not WORD <= kind <= RAW:
            raise ValueError(f"expected a kind from {WORD} to {RAW}, got {kind}")
        if kind != WORD and (token[:1] != b"<" or len(token) < (2 if kind == TAG else 4)):
            raise ValueError(f"expected mark-up, got {token!r}")
        cdef bytearray room = bytearray(2 * len(token) + 32)
        cdef const uint8_t* p = token
        cdef uint8_t* o = room
        if kind == WORD:
            return bytes(room[: normalise(&self.spec, p, len(token), o)])
        return bytes(room[: tag_form(&self.spec, p, len(token), kind, o)])
