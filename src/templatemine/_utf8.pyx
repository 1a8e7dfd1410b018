"""Python's strings as UTF-8, without the interpreter's lock, and code points counted in it.

In come code units of one, two or four bytes, as a str holds them, out go bytes in a buffer that is used again.  Cost is
linear, sixteen characters at a time while they are ASCII.  Python's own way keeps what it makes as long as the str lives.
"""

from libc.stdint cimport int64_t, uint8_t, uint16_t, uint32_t

from templatemine._memory cimport reserve

__all__ = []

cdef extern from *:
    """
    #include <stdint.h>
    #if defined(__SSE2__)
    #include <emmintrin.h>
    #endif

    /* Of sixteen bytes, those that go on a character are 10xxxxxx: as signed numbers less than -64. */
    static inline int64_t tm_begun(const uint8_t *p) {
    #if defined(__SSE2__)
        const __m128i begun = _mm_cmpgt_epi8(_mm_loadu_si128((const __m128i *)p), _mm_set1_epi8(-65));
        const __m128i sums = _mm_sad_epu8(_mm_and_si128(begun, _mm_set1_epi8(1)), _mm_setzero_si128());
        return _mm_cvtsi128_si32(sums) + _mm_cvtsi128_si32(_mm_srli_si128(sums, 8));
    #else
        int64_t count = 0;
        for (int k = 0; k < 16; k++) count += (int8_t)p[k] > -65;
        return count;
    #endif
    }

    /* Write sixteen code units as bytes, good as far as they are ASCII, and say how far that is. */
    #if defined(__SSE2__)
    static inline int tm_first_zero(__m128i ascii) {
        const unsigned other = ~(unsigned)_mm_movemask_epi8(ascii) & 0xFFFF;
        return other ? __builtin_ctz(other) : 16;
    }

    static inline int tm_narrow1(const uint8_t *in, uint8_t *out) {
        const __m128i v = _mm_loadu_si128((const __m128i *)in);
        _mm_storeu_si128((__m128i *)out, v);
        const unsigned other = (unsigned)_mm_movemask_epi8(v);
        return other ? __builtin_ctz(other) : 16;
    }

    static inline int tm_narrow2(const uint16_t *in, uint8_t *out) {
        const __m128i a = _mm_loadu_si128((const __m128i *)in), b = _mm_loadu_si128((const __m128i *)(in + 8));
        const __m128i high = _mm_set1_epi16((short)0xFF80), zero = _mm_setzero_si128();
        _mm_storeu_si128((__m128i *)out, _mm_packus_epi16(a, b));
        return tm_first_zero(_mm_packs_epi16(_mm_cmpeq_epi16(_mm_and_si128(a, high), zero),
                                             _mm_cmpeq_epi16(_mm_and_si128(b, high), zero)));
    }

    static inline int tm_narrow4(const uint32_t *in, uint8_t *out) {
        const __m128i high = _mm_set1_epi32((int)0xFFFFFF80), zero = _mm_setzero_si128();
        __m128i v[4], ascii[4];
        for (int k = 0; k < 4; k++) {
            v[k] = _mm_loadu_si128((const __m128i *)(in + 4 * k));
            ascii[k] = _mm_cmpeq_epi32(_mm_and_si128(v[k], high), zero);
        }
        _mm_storeu_si128((__m128i *)out, _mm_packus_epi16(_mm_packs_epi32(v[0], v[1]), _mm_packs_epi32(v[2], v[3])));
        return tm_first_zero(_mm_packs_epi16(_mm_packs_epi32(ascii[0], ascii[1]), _mm_packs_epi32(ascii[2], ascii[3])));
    }
    #else
    #define TM_NARROW(NAME, UNIT) \
        static inline int NAME(const UNIT *in, uint8_t *out) { \
            int k = 0; \
            for (; k < 16 && in[k] < 0x80; k++) out[k] = (uint8_t)in[k]; \
            return k; \
        }
    TM_NARROW(tm_narrow1, uint8_t)
    TM_NARROW(tm_narrow2, uint16_t)
    TM_NARROW(tm_narrow4, uint32_t)
    #endif
    """
    int64_t tm_begun(const uint8_t* p) noexcept nogil
    int tm_narrow1(const uint8_t* units, uint8_t* out) noexcept nogil
    int tm_narrow2(const uint16_t* units, uint8_t* out) noexcept nogil
    int tm_narrow4(const uint32_t* units, uint8_t* out) noexcept nogil


cdef int64_t count_points(const uint8_t* p, int64_t start, int64_t end) noexcept nogil:
    """Code points that begin in [start, end)."""
    cdef int64_t i = start, count = 0
    while i + 16 <= end:
        count += tm_begun(p + i)
        i += 16
    while i < end:
        count += (p[i] & 0xC0) != 0x80
        i += 1
    return count


cdef int64_t skip_points(const uint8_t* p, int64_t i, int64_t number) noexcept nogil:
    """The byte so many code points behind i."""
    while number:
        i += 1 if p[i] < 0x80 else 2 if p[i] < 0xE0 else 3 if p[i] < 0xF0 else 4
        number -= 1
    return i


ctypedef fused Unit:
    uint8_t
    uint16_t
    uint32_t


cdef int64_t put_units(const Unit* units, int64_t number, bint surrogates, uint8_t* out) noexcept nogil:
    """UTF-8 of code units; returns its bytes, or -1 if there are surrogates and they may not be."""
    cdef int64_t i = 0, size = 0, k
    cdef int ascii
    cdef uint32_t c
    while i < number:
        # Sixteen at a time while all are ASCII.
        while i + 16 <= number:
            if Unit is uint8_t:
                ascii = tm_narrow1(units + i, out + size)
            elif Unit is uint16_t:
                ascii = tm_narrow2(units + i, out + size)
            else:
                ascii = tm_narrow4(units + i, out + size)
            i += ascii
            size += ascii
            if ascii < 16:
                break
        # One that is not; where they stand together it is not worth while to look for ASCII behind each.
        k = min(number, i + (1 if i + 1 < number and units[i + 1] < 0x80 else 16))
        while i < k:
            c = units[i]
            i += 1
            if c < 0x80:
                out[size] = <uint8_t>c
                size += 1
            elif c < 0x800:
                out[size] = <uint8_t>(0xC0 | c >> 6)
                out[size + 1] = <uint8_t>(0x80 | c & 0x3F)
                size += 2
            elif c < 0x10000:
                if 0xD800 <= c < 0xE000 and not surrogates:
                    return -1
                out[size] = <uint8_t>(0xE0 | c >> 12)
                out[size + 1] = <uint8_t>(0x80 | c >> 6 & 0x3F)
                out[size + 2] = <uint8_t>(0x80 | c & 0x3F)
                size += 3
            else:
                out[size] = <uint8_t>(0xF0 | c >> 18)
                out[size + 1] = <uint8_t>(0x80 | c >> 12 & 0x3F)
                out[size + 2] = <uint8_t>(0x80 | c >> 6 & 0x3F)
                out[size + 3] = <uint8_t>(0x80 | c & 0x3F)
                size += 4
    return size


cdef const uint8_t* utf8_of(const Written* text, bint surrogates, Bytes* room, int64_t* size) except? NULL nogil:
    """A str as UTF-8, in `room` if it is not ASCII; of size -1 if it holds lone surrogates and these may not be."""
    cdef int64_t n = text.points
    if text.ascii:
        size[0] = n
        return <const uint8_t*>text.units
    # The most that a unit can become: a byte two, two bytes three, four bytes four.
    reserve(<void**>&room.data, &room.room, n * (2 if text.kind == 1 else 3 if text.kind == 2 else 4), 1)
    if text.kind == 1:
        size[0] = put_units[uint8_t](<const uint8_t*>text.units, n, surrogates, room.data)
    elif text.kind == 2:
        size[0] = put_units[uint16_t](<const uint16_t*>text.units, n, surrogates, room.data)
    else:
        size[0] = put_units[uint32_t](<const uint32_t*>text.units, n, surrogates, room.data)
    return room.data
