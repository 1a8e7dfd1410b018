"""Where in a text a string may stand: a look at its bytes, so that the rest need not be tokenised.

In come what gives the strings of a pack away (`_clues`) and a text, out go regions.  Every occurrence of every string lies
in one of them, with the whole of its line where its match reaches to an edge of that.  Cleaning finds the same without.
"""

from libc.stdint cimport int32_t, int64_t, uint8_t, uint32_t, uint64_t
from libc.stdlib cimport qsort
from libc.string cimport memcmp, memcpy, memset

from templatemine._clues cimport (
    BEGINS_LINE, ENDS_LINE, Gram, HEADS, Needle, REACHES, Setting, Settings, Sieve, Trigger, gram_hash, gram_of, is_blank,
    line_end,
)
from templatemine._chars cimport decode, is_own_token, is_wide_space
from templatemine._memory cimport reserve, tm_prefetch

__all__ = []

cdef extern from *:
    """
    /* First place at or after i of one of some bytes, at most 16; n if there is none. */
    #if defined(__SSE2__)
    #include <emmintrin.h>
    #endif
    static int64_t tm_any(const uint8_t *p, int64_t i, int64_t n, const uint8_t *bytes, int count) {
    #if defined(__SSE2__)
        __m128i wanted[16];
        for (int k = 0; k < count; k++) wanted[k] = _mm_set1_epi8((char)bytes[k]);
        for (; i + 16 <= n; i += 16) {
            const __m128i v = _mm_loadu_si128((const __m128i *)(p + i));
            __m128i hit = _mm_setzero_si128();
            for (int k = 0; k < count; k++) hit = _mm_or_si128(hit, _mm_cmpeq_epi8(v, wanted[k]));
            const int found = _mm_movemask_epi8(hit);
            if (found) return i + __builtin_ctz(found);
        }
    #endif
        for (; i < n; i++)
            for (int k = 0; k < count; k++)
                if (p[i] == bytes[k]) return i;
        return n;
    }

    /* Whether U+2028 or U+2029 stands there, which part lines that are one for the sieve: E2 80 A8, E2 80 A9. */
    static int tm_parted(const uint8_t *p, int64_t n) {
        int64_t i = 0;
    #if defined(__SSE2__)
        for (; i + 18 <= n; i += 16) {
            const __m128i a = _mm_loadu_si128((const __m128i *)(p + i));
            const __m128i b = _mm_loadu_si128((const __m128i *)(p + i + 1));
            const __m128i c = _mm_loadu_si128((const __m128i *)(p + i + 2));
            const __m128i last = _mm_or_si128(c, _mm_set1_epi8(1));
            const __m128i hit = _mm_and_si128(
                _mm_and_si128(_mm_cmpeq_epi8(a, _mm_set1_epi8((char)0xE2)), _mm_cmpeq_epi8(b, _mm_set1_epi8((char)0x80))),
                _mm_cmpeq_epi8(last, _mm_set1_epi8((char)0xA9)));
            if (_mm_movemask_epi8(hit)) return 1;
        }
    #endif
        for (; i + 3 <= n; i++)
            if (p[i] == 0xE2 && p[i + 1] == 0x80 && (p[i + 2] | 1) == 0xA9) return 1;
        return 0;
    }
    """
    int64_t tm_any(const uint8_t* p, int64_t i, int64_t n, const uint8_t* bytes, int count) noexcept nogil
    bint tm_parted(const uint8_t* p, int64_t n) noexcept nogil


# A stretch between blanks has a token if it holds a byte that is sure, and each character that is a token of its own is one:
# such tokens are counted.  A look's own stretch is that of the byte it begins at; of that nothing is counted.

cdef inline int own_width(const uint8_t* p, int64_t i, int64_t n) noexcept nogil:
    """Bytes of the character at i if it is a token of its own, else 0."""
    cdef int width = 0
    return width if p[i] >= 0xE0 and is_own_token(decode(p + i, n - i, &width)) else 0


cdef bint fits(const Sieve* s, const uint8_t* p, int64_t n, int64_t first, int step, int64_t most, int64_t* steps) noexcept nogil:
    """Whether no more than so many sure tokens stand from byte `first` to an edge of its line: the end (step 1), or the
    beginning (step -1)."""
    cdef bint own = True, holds = False
    cdef int64_t i = first, stop = n if step > 0 else -1
    while i != stop and p[i] != 10 and most >= 0:
        if is_blank(p[i]) or own_width(p, i, n):
            most -= (holds and not own) + (not is_blank(p[i]))
            own = holds = False
        elif s.sure[p[i]]:
            holds = True
        i += step
    steps[0] += (i - first) * step
    return most >= (holds and not own)


cdef int64_t back(const Sieve* s, const uint8_t* p, int64_t n, int64_t i, int64_t count) noexcept nogil:
    """Where a token may begin, so that so many sure tokens stand from there to the stretch of byte i; the beginning of its
    line if none is sure before it in that."""
    cdef bint own = True, holds = False
    cdef int width
    cdef int64_t start = 0, k
    while i > 0:
        i -= 1
        width = own_width(p, i, n)
        if width or is_blank(p[i]):
            count -= holds and not own
            if count <= 0:
                start = i + max(width, 1)
                break
            own = holds = False
            count -= width != 0
            if count <= 0:
                start = i
                break
        elif s.sure[p[i]]:
            holds = True
    k = start
    while k > 0 and p[k - 1] != 10:
        k -= 1
        if s.sure[p[k]] or own_width(p, k, n):
            return start
    return k


cdef int64_t forth(const Sieve* s, const uint8_t* p, int64_t n, int64_t i, int64_t count) noexcept nogil:
    """The same to the other side: where a token may end."""
    cdef bint own = True, holds = False
    cdef int width
    cdef int64_t end = n, k
    while i < n:
        width = own_width(p, i, n)
        if width or is_blank(p[i]):
            count -= holds and not own
            if count <= 0:
                end = i
                break
            own = holds = False
            i += max(width, 1)
            count -= width != 0
            if count <= 0:
                end = i
                break
            continue
        if s.sure[p[i]]:
            holds = True
        i += 1
    k = end
    while k < n and p[k] != 10:
        if s.sure[p[k]] or own_width(p, k, n):
            return end
        k += 1
    return k


cdef inline int64_t steps_allowed(int64_t n) noexcept nogil:
    """Beyond this the sieve costs more than it saves, and on some texts would be quadratic."""
    return 4 * n + 1024


cdef int add_region(const Sieve* s, const uint8_t* p, int64_t n, int64_t first, int64_t last, int64_t before, int64_t after,
                    uint8_t edges, int64_t base, Regions* out) except -1 nogil:
    """Add where strings stand that have so many tokens before and after one with bytes [first, last).  Of one look at the
    text, which began with region `base`, `first` ascends."""
    cdef int64_t start, end
    if out.steps > steps_allowed(n):
        return 0
    start = back(s, p, n, first, before)
    end = forth(s, p, n, last, after)
    if edges & REACHES:
        while start > 0 and p[start - 1] != 10:
            start -= 1
        end = line_end(p, end, n)
    out.steps += end - start
    while out.size > base and out.region[out.size - 1].end >= start:
        out.size -= 1
        start = min(start, out.region[out.size].start)
        end = max(end, out.region[out.size].end)
    reserve(<void**>&out.region, &out.room, out.size + 1, sizeof(Region))
    out.region[out.size] = Region(start, end)
    out.size += 1
    return 0


cdef inline int separator_width(const Sieve* s, const uint8_t* p, int64_t i, int64_t n) noexcept nogil:
    """Bytes of the character at i if it parts tokens, else 0."""
    cdef int width = 0
    if p[i] < 0x80:
        return is_blank(p[i]) or not s.sure[p[i]]
    return width if not s.sure[p[i]] and is_wide_space(decode(p + i, n - i, &width)) else 0


cdef bint stands_beside(const Sieve* s, const uint8_t* p, int64_t n, int64_t start, int64_t end, const Setting* setting,
                        int64_t* steps) noexcept nogil:
    """Whether the bytes of a setting stand beside a needle at [start, end), with separators between or none."""
    cdef int64_t i = end, k
    cdef int width
    if setting.side > 0:
        while i < n:
            width = separator_width(s, p, i, n)
            if not width:
                break
            i += width
        steps[0] += i - end
        return i + setting.size <= n and memcmp(p + i, &setting.beside[0], setting.size) == 0
    i = start
    while i > 0:
        k = i - 1
        while k > 0 and i - k < 4 and p[k] & 0xC0 == 0x80:
            k -= 1
        if separator_width(s, p, k, i) != i - k:
            break
        i = k
    steps[0] += start - i
    return i >= setting.size and memcmp(p + i - setting.size, &setting.beside[0], setting.size) == 0


cdef inline uint64_t word_at(const uint8_t* p, int64_t n, int64_t i) noexcept nogil:
    """Eight bytes from i on; line feeds beyond the text."""
    cdef uint64_t word
    cdef uint8_t edge[8]
    cdef int k
    if 0 <= i <= n - 8:
        memcpy(&word, p + i, 8)
        return word
    for k in range(8):
        edge[k] = p[i + k] if 0 <= i + k < n else 10
    memcpy(&word, edge, 8)
    return word


cdef enum:
    AT_ONCE = 32            # known grams that are looked up together


cdef struct Hit:
    # A gram at i that is known, or has the hash of one.
    int64_t i
    const int32_t* head
    const Gram* gram


cdef struct Hits:
    Hit hit[AT_ONCE]
    int size


cdef inline int add_hit(const Sieve* s, const uint8_t* p, int64_t n, int64_t i, uint32_t hashed, Hits* hits,
                        Regions* out) except -1 nogil:
    cdef const int32_t* head = s.heads + (hashed >> HEADS)
    tm_prefetch(head)
    hits.hit[hits.size].i = i
    hits.hit[hits.size].head = head
    hits.size += 1
    return check_hits(s, p, n, hits, out) if hits.size == AT_ONCE else 0


cdef int check_hits(const Sieve* s, const uint8_t* p, int64_t n, Hits* hits, Regions* out) except -1 nogil:
    """Add the regions of the needles that some grams are part of.  The tables are larger than the nearest cache: all heads
    are asked for before the first is read, and all grams."""
    cdef Hit* hit
    cdef const Gram* gram
    cdef int k
    for k in range(hits.size):
        hit = &hits.hit[k]
        hit.gram = s.gram + hit.head[0]
        tm_prefetch(hit.gram)
    for k in range(hits.size):
        hit = &hits.hit[k]
        gram = hit.gram
        while out.steps <= steps_allowed(n):
            out.steps += 1
            if (word_at(p, n, hit.i - gram.back) ^ gram.bytes) & gram.mask == 0:
                check_needle(s, p, n, hit.i, gram, out)
            if gram.last:
                break
            gram += 1
    hits.size = 0
    return 0


cdef int check_needle(const Sieve* s, const uint8_t* p, int64_t n, int64_t i, const Gram* gram, Regions* out) except -1 nogil:
    """Add the regions of a needle if it is there, gram and all."""
    cdef const Needle* needle = s.needle + gram.needle
    cdef const Setting* setting
    cdef int64_t start = i - gram.offset, end = start + needle.size
    cdef int32_t k
    if start < 0 or end > n:
        return 0
    if not gram.whole:
        out.steps += needle.size
        if memcmp(p + start, s.arena + needle.start, needle.size):
            return 0
    for k in range(needle.settings.first, needle.settings.end):
        setting = s.setting + k
        out.steps += 1
        if out.steps > steps_allowed(n):
            return 0
        if ((not setting.size or stands_beside(s, p, n, start, end, setting, &out.steps))
                and (not setting.edges & BEGINS_LINE or fits(s, p, n, start - 1, -1, setting.before, &out.steps))
                and (not setting.edges & ENDS_LINE or fits(s, p, n, end, 1, setting.after, &out.steps))):
            add_region(s, p, n, start, end, setting.before, setting.after, setting.edges, 0, out)
    return 0


cdef inline bint has(const uint64_t* bits, uint32_t h) noexcept nogil:
    return bits[h >> 6] >> (h & 63) & 1


cdef int find_needles(const Sieve* s, const uint8_t* p, int64_t n, Regions* out) except -1 nogil:
    cdef int64_t i = 0
    cdef uint32_t value, hashed
    cdef int shift = s.shift
    cdef const uint64_t* four = s.four
    cdef const uint64_t* three = s.three
    cdef bint threes = s.threes, odd = s.odd
    cdef uint8_t tail[8]
    cdef Hits hits
    hits.size = 0
    while i < n:
        if i + 4 <= n:
            value = gram_of(p + i, 4)
        else:
            memset(tail, 10, 8)
            memcpy(tail, p + i, n - i)
            value = gram_of(tail, 4)
        hashed = gram_hash(value, shift)
        if has(four, hashed):
            add_hit(s, p, n, i, hashed, &hits, out)
        if threes:
            hashed = gram_hash(value & 0xFFFFFF, shift)
            if has(three, hashed):
                add_hit(s, p, n, i, hashed, &hits, out)
            if odd:
                hashed = gram_hash(value >> 8, shift)
                if has(three, hashed):
                    add_hit(s, p, n, i + 1, hashed, &hits, out)
        i += 2
    return check_hits(s, p, n, &hits, out)


cdef bint stands_around(const Sieve* s, const uint8_t* p, int64_t n, int64_t i, Settings settings, Setting* found,
                        int64_t* steps) noexcept nogil:
    """Whether one of some settings of the byte at i is there; `found` (INOUT) grows by tokens and edges of those that are."""
    cdef const Setting* setting
    cdef int64_t start
    cdef int32_t k
    cdef bint hit = False
    steps[0] += settings.end - settings.first
    if steps[0] > steps_allowed(n):
        return False
    for k in range(settings.first, settings.end):
        setting = s.setting + k
        start = i - setting.side
        if setting.size and (start < 0 or start + setting.size > n or memcmp(p + start, &setting.beside[0], setting.size)):
            continue
        hit = True
        found.before = max(found.before, setting.before)
        found.after = max(found.after, setting.after)
        found.edges |= setting.edges
    return hit


cdef int find_edges(const Sieve* s, const uint8_t* p, int64_t n, Regions* out) except -1 nogil:
    """Lines whose first or last word holds one of the bytes.  Blanks part words; one without a sure token may have none, so
    the next one is looked at too."""
    cdef int64_t base = out.size, start = 0, end, i
    cdef const Trigger* t
    cdef bint hit, holds
    cdef Setting found
    while start < n:
        end = line_end(p, start, n)
        t = &s.opening
        if t.count:
            hit = holds = False
            memset(&found, 0, sizeof(Setting))
            i = start
            while i < end and not (holds and is_blank(p[i])):
                if t.byte[p[i]]:
                    hit |= stands_around(s, p, n, i, t.settings[p[i]], &found, &out.steps)
                holds = holds or s.sure[p[i]]
                i += 1
            if hit:
                add_region(s, p, n, start, i, 0, found.after, found.edges, base, out)
        t = &s.closing
        if t.count:
            hit = holds = False
            memset(&found, 0, sizeof(Setting))
            i = end
            while i > start and not (holds and is_blank(p[i - 1])):
                i -= 1
                if t.byte[p[i]]:
                    hit |= stands_around(s, p, n, i, t.settings[p[i]], &found, &out.steps)
                holds = holds or s.sure[p[i]]
            if hit:
                add_region(s, p, n, i, end, found.before, 0, found.edges, base, out)
        start = end + 1
    return 0


cdef int find_bytes(const Sieve* s, const uint8_t* p, int64_t n, Regions* out) except -1 nogil:
    """Where one of the bytes stands."""
    cdef int64_t base = out.size, i = 0
    cdef const Trigger* t = &s.anywhere
    cdef Setting found
    while out.steps <= steps_allowed(n):
        if t.count <= 16:
            i = tm_any(p, i, n, &t.list[0], t.count)
        else:
            while i < n and not t.byte[p[i]]:
                i += 1
        if i >= n:
            return 0
        memset(&found, 0, sizeof(Setting))
        if stands_around(s, p, n, i, t.settings[p[i]], &found, &out.steps):
            add_region(s, p, n, i, i + 1, found.before, found.after, found.edges, base, out)
        i += 1
    return 0


cdef int by_start(const void* a, const void* b) noexcept nogil:
    cdef int64_t first = (<const Region*>a).start, second = (<const Region*>b).start
    return (first > second) - (first < second)


cdef int sieve_regions(const Sieve* s, const uint8_t* p, int64_t n, Regions* out) except -1 nogil:
    """Where occurrences may stand (OUT; emptied first)."""
    cdef int64_t i, kept = 0
    cdef int looks = 0
    out.size = 0
    out.steps = 0
    if s.edges and tm_parted(p, n):
        out.steps = steps_allowed(n) + 1
    if s.needles and not out.steps:
        find_needles(s, p, n, out)
        looks += 1
    if s.opening.count or s.closing.count:
        find_edges(s, p, n, out)
        looks += 1
    if s.anywhere.count:
        find_bytes(s, p, n, out)
        looks += 1
    if out.steps > steps_allowed(n):
        reserve(<void**>&out.region, &out.room, 1, sizeof(Region))
        out.region[0] = Region(0, n)
        out.size = 1
    elif looks > 1 and out.size > 1:
        qsort(out.region, out.size, sizeof(Region), by_start)
        for i in range(1, out.size):
            if out.region[i].start <= out.region[kept].end:
                out.region[kept].end = max(out.region[kept].end, out.region[i].end)
            else:
                kept += 1
                out.region[kept] = out.region[i]
        out.size = kept + 1
    return 0
