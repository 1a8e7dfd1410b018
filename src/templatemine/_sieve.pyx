"""Where in a text a string may stand: a look at its bytes, so that the rest need not be tokenised.

In come the strings of a pack, out go, for each text, regions.  Every occurrence of every string lies in one of them, with
the whole of its line where its match reaches to an edge of that.  Cleaning finds the same without the sieve.

A string gives itself away by the rarest of these that it has:

- a *needle*: three bytes or more of a form that stand in the text as they are, for a form's literal bytes are copied
  from its token.  A text is looked at by the four bytes at every second place, since each needle has a gram of four bytes
  at an even and one at an odd offset (`grams_of`), and by three where some needles have no more; a gram that is known
  leads to the needles it may be part of.  This is the filter of Wu and Manber (1994) with a fixed step, for the shortest
  needle would bound its shifts;
- a byte in the first or last word of its line, where it must begin or end one;
- a byte in its line.

`pattern_clue` has what a mutable pattern must hold.  What is rare is told by the texts that were searched before the
sieve was made, and where they say nothing, by `frequency`, of bytes in running text: a wrong guess costs time, never a
match.
"""

from libc.stdint cimport int32_t, int64_t, uint8_t, uint32_t, uint64_t
from libc.stdlib cimport calloc, free, malloc, qsort
from libc.string cimport memchr, memcmp, memcpy, memset

from templatemine._text cimport (
    ABBREVIATION, CLOCK, DATE, EMAIL, EXTRA, HANDLE, HEX, INITIALS, ISO_DATE, JOINT, LEAD, MARKER, MERIDIEM, NUMBER,
    NUMERIC, ORDINAL, PERCENT, PHONE, PRICE, RULE, SPACE, Spec, TIME, UPPER, URL, UUID, decode, in_url, is_alpha,
    is_digit, is_lower, is_own_token, is_upper, reserve,
)

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
    """
    int64_t tm_any(const uint8_t* p, int64_t i, int64_t n, const uint8_t* bytes, int count) noexcept nogil


# ======================================================================================================================
# What gives a string away
# ======================================================================================================================

cdef enum:
    LONGEST = 64            # bytes of a needle
    HEADS = 4               # a head for so many bits of a hash less: one in four is taken at most, and they fit a cache

cdef double[256] frequency  # share of a byte in running text, roughly
# Per mille of the letters of English, a to z.
cdef int* LETTERS_OF_ENGLISH = [65, 12, 22, 33, 100, 17, 16, 47, 56, 2, 6, 32, 19, 56, 60, 15, 1, 48, 51, 73, 22, 8, 18, 2, 16, 1]


cdef int set_frequencies() except -1:
    cdef int c
    for c in range(256):
        frequency[c] = 0.002
        if is_lower(<uint8_t>c):
            frequency[c] = LETTERS_OF_ENGLISH[c - 97] / 1000.0
        elif is_upper(<uint8_t>c):
            frequency[c] = 0.003
        elif is_digit(<uint8_t>c):
            frequency[c] = 0.0008
        elif c >= 0xC0:
            frequency[c] = 0.02
        elif c >= 0x80:
            frequency[c] = 0.03
    for c in (0xD8, 0xD9, 0xE3):
        # Arabic and kana.
        frequency[c] = 0.1
    for c in b",.\"'":
        frequency[c] = 0.01
    return 0


set_frequencies()


cdef double share(bytes some):
    """Share of some bytes in running text; for those beyond ASCII, of a script that has few of them."""
    cdef double total = 0
    cdef uint8_t c
    for c in some:
        total += frequency[c] if c < 0x80 else 0.01 if c == 0xE2 else 0.001
    return total


cdef double rarity(bytes some):
    """About the chance that these bytes stand at a given place; of those after the eighth nothing is asked."""
    cdef double chance = 1
    cdef uint8_t c
    for c in some[:8]:
        chance *= frequency[c]
    return chance


cdef inline uint32_t gram_of(const uint8_t* p, int size) noexcept nogil:
    """The first three or four bytes as a number."""
    cdef uint32_t value = 0
    memcpy(&value, p, size)
    return value


cdef inline uint32_t gram_hash(uint32_t value, int shift) noexcept nogil:
    return (value * <uint32_t>2654435761) >> shift


cdef inline bint is_blank(uint8_t c) noexcept nogil:
    return c == 32 or 9 <= c <= 13


cdef int64_t line_end(const uint8_t* p, int64_t i, int64_t n) noexcept nogil:
    """The place of the next line feed at or after i; n if there is none."""
    cdef const void* hit = memchr(p + i, 10, n - i) if i < n else NULL
    return n if hit == NULL else <const uint8_t*>hit - p


cdef enum:
    MET_BITS = 16           # of the hashes that are counted
    GUESSED = 4096          # places that what is guessed of a gram counts for
    REGION = 20             # what a region costs, in grams that lead to no needle

cdef double SHORT_COST = 2e-4   # of grams of three bytes


cdef int note(int32_t* counts, int32_t* last, int32_t line, const uint8_t* p, int64_t i, int64_t end) noexcept nogil:
    """Count the bytes of a word of a line, each once."""
    while i < end:
        counts[p[i]] += last[p[i]] != line
        last[p[i]] = line
        i += 1
    return 0


cdef int sieve_learn(Sieve* s, const uint8_t* p, int64_t n) except -1:
    """Count grams and bytes of a text, and in how many lines each byte stands in the first or last word."""
    cdef int64_t i, start = 0, end
    if s.met == NULL:
        s.met = <Met*>calloc(1, sizeof(Met))
        if s.met == NULL:
            raise MemoryError
    for i in range(n - 3):
        s.met.gram[gram_hash(gram_of(p + i, 4), 32 - MET_BITS)] += 1
    for i in range(n):
        s.met.byte[p[i]] += 1
    while start < n:
        end = line_end(p, start, n)
        i = start
        while i < end and not is_blank(p[i]):
            i += 1
        s.met.line += 1
        note(&s.met.opening[0], &s.met.last[0], s.met.line, p, start, i)
        i = end
        while i > start and not is_blank(p[i - 1]):
            i -= 1
        s.met.line += 1
        note(&s.met.closing[0], &s.met.last[0], s.met.line, p, i, end)
        start = end + 1
    s.met.places += n
    return 0


cdef double weighed(const Sieve* s, int64_t count, double guess):
    """Share of places: what was counted, and what is guessed as if it had been counted at so many."""
    return (count + GUESSED * guess) / (s.met.places + <double>GUESSED)


cdef double met_bytes(const Sieve* s, const int32_t* counts, bytes some, double guess):
    """About the share of places that are, or belong to, one of some bytes."""
    cdef int64_t total = 0
    cdef uint8_t c
    for c in some:
        total += counts[c]
    return weighed(s, total, guess)


cdef int64_t seen(const Sieve* s, bytes gram):
    """How often four bytes were met, or others with their hash."""
    return s.met.gram[gram_hash(gram_of(<const uint8_t*>gram, 4), 32 - MET_BITS)]


cdef double met_gram(const Sieve* s, bytes gram):
    """About the chance that four bytes stand at a given place."""
    return weighed(s, seen(s, gram), rarity(gram))


cdef tuple rarest(const Sieve* s, bytes needle):
    """Of a needle of five bytes or more the offset of its two grams, and the chance that either is met at a byte."""
    cdef int64_t k, best = 0
    cdef double least = 2, here, last = met_gram(s, needle[:4])
    for k in range(len(needle) - 4):
        here = met_gram(s, needle[k + 1:k + 5])
        if (last + here) / 2 < least:
            best = k
            least = (last + here) / 2
        last = here
    return best, least


cdef double cost(const Sieve* s, tuple clue):
    """About what a clue costs at a byte: how often it is met, and what that leads to."""
    cdef int64_t count
    cdef double total = REGION * met_bytes(s, &s.met.byte[0], clue[0], share(clue[0])) if clue[0] else 0
    for needle, whole in clue[1]:
        # No more often than its rarest gram; a short word stands between blanks as a rule.
        padded = b" " + needle + b" " if whole or len(needle) < 4 else needle
        count = min([seen(s, padded[k:k + 4]) for k in range(len(padded) - 3)])
        total += REGION * weighed(s, count, rarity(needle))
        if len(needle) > 4:
            total += rarest(s, needle)[1]
        else:
            total += met_gram(s, needle) if whole and len(needle) == 4 else SHORT_COST
    return total


cdef tuple pattern_clue(const Spec* spec, int pattern):
    """What each token, or part of one, that a pattern matches must hold: one of some bytes, or one of some needles."""
    cdef int64_t i
    cdef set words
    if pattern in (ISO_DATE, PHONE, HEX, NUMBER, CLOCK, DATE, NUMERIC, ORDINAL, TIME, PRICE, PERCENT):
        return b"0123456789\xD9\xDB\xEF", ()
    if pattern in (EMAIL, HANDLE):
        return b"@", ()
    if pattern == URL:
        return b"", ((b"http:", False), (b"https", False), *[(b"www." + bytes([i]), False) for i in range(33, 127) if in_url(<uint8_t>i)])
    if pattern == UUID:
        return b"-", ()
    if pattern == RULE:
        # Two dashes beyond ASCII, or one of these.
        dashes = (b"\xE2\x80\x93", b"\xE2\x80\x94", b"\xE2\x80\x95", b"\xE2\x94\x80", b"\xE2\x94\x81")
        return b"_=*~#", tuple([(dash + begin, False) for dash in dashes for begin in (b"\xE2\x80", b"\xE2\x94")])
    if pattern in (ABBREVIATION, INITIALS, MERIDIEM):
        return b".", ()
    if pattern == UPPER:
        return b"ABCDEFGHIJKLMNOPQRSTUVWXYZ\xC3", ()
    words = {spec.words.arena[spec.words.offset[i]] for i in range(spec.words.count) if spec.word_pattern[i] == pattern}
    # A user's own pattern comes as a mark in the text.
    return bytes(words | {MARKER}), ()


cdef bint is_whole(bytes piece, bytes form):
    """A short token, none of those that may stand beside any other."""
    cdef int width = 0
    return len(piece) < 5 and len(piece) == len(form) and not is_own_token(decode(<const uint8_t*>piece, len(piece), &width))


cdef list clues(const Spec* spec, bytes form):
    """What a token of a form must hold: (one of these bytes, or one of these needles), each of them."""
    cdef int64_t i = 0, start
    cdef bytes piece
    cdef list found = []
    while i < len(form):
        if form[i] == MARKER:
            found.append(pattern_clue(spec, form[i + 1]))
            i += 2
            continue
        start = i
        while i < len(form) and form[i] != MARKER:
            i += 1
        piece = form[start:i][:LONGEST]
        if len(piece) >= 3:
            found.append((b"", ((piece, is_whole(piece, form)),)))
        found += [(piece[k:k + 1], ()) for k in range(len(piece)) if not 0x80 <= piece[k] < 0xC0]
    return found


cdef enum:
    WORD_BYTES = 8          # of a word and of a line, about: to weigh one clue against the other
    LINE_BYTES = 150


cdef int sieve_build(Sieve* s, const Spec* spec, list vocabulary, const int32_t* flat, const int64_t* bounds,
                     int64_t strings, const uint8_t* edges) except -1:
    """Choose a clue of each string, one that is rare elsewhere; returns whether that is worth while."""
    cdef int64_t i, k, first, last, at
    cdef double least, price
    cdef uint8_t edge, far
    cdef list known = [clues(spec, form) for form in vocabulary]
    cdef list best, prices
    # Of the clues without needles, the best.
    cdef list bytes_of = [min([clue[0] for clue in found if not clue[1]], key=share, default=None) for found in known]
    cdef list shares = [1.0 if some is None else share(some) for some in bytes_of]
    cdef dict needles = {}      # (needle, whole, edges) -> tokens before and after it, REACHES
    cdef Trigger* trigger
    cdef bint useful
    sieve_learn(s, NULL, 0)
    best = [min(found, key=lambda clue: cost(s, clue)) for found in known]
    prices = [cost(s, clue) for clue in best]
    for i in range(strings):
        first = bounds[i]
        last = bounds[i + 1] - 1
        if first > last:
            # A box is looked for by its letters.
            continue
        edge = edges[i] & (BEGINS_LINE | ENDS_LINE)
        s.edges = s.edges or edges[i]
        if edges[i] & TO_BEGIN:
            edge &= ~BEGINS_LINE
        if edges[i] & TO_END:
            edge &= ~ENDS_LINE
        at = min(range(first, last + 1), key=lambda k: prices[flat[k]])
        least = prices[flat[at]]
        clue = best[flat[at]]
        trigger = &s.anywhere
        for k, bit in ((first, BEGINS_LINE), (last, ENDS_LINE)):
            if not edge & bit or bytes_of[flat[k]] is None:
                continue
            price = REGION * met_bytes(s, &s.met.opening[0] if bit == BEGINS_LINE else &s.met.closing[0], bytes_of[flat[k]],
                                       min(1.0, WORD_BYTES * <double>shares[flat[k]]) / LINE_BYTES)
            if price < least:
                at = k
                least = price
                clue = (bytes_of[flat[k]], ())
                trigger = &s.opening if bit == BEGINS_LINE else &s.closing
        far = edges[i] & REACHES
        for needle, whole in clue[1]:
            before, after, reaches = needles.get((needle, whole, edge), (0, 0, 0))
            needles[needle, whole, edge] = max(before, at - first), max(after, last - at), reaches | far
        for k in clue[0]:
            if not trigger.byte[k] and trigger.count < 16:
                trigger.list[trigger.count] = <uint8_t>k
            trigger.count += not trigger.byte[k]
            trigger.byte[k] = 1
            trigger.before[k] = <int32_t>max(trigger.before[k], at - first)
            trigger.after[k] = <int32_t>max(trigger.after[k], last - at)
            trigger.edges[k] |= far
    for k in range(256):
        # White space beyond ASCII begins with C2, E1, E2 or E3.
        s.sure[k] = spec.kind[k] != EXTRA and not is_blank(<uint8_t>k) if k < 0x80 else k >= 0xC3 and not 0xE1 <= k <= 0xE3
    add_needles(s, spec, needles)
    # Not if it would let nearly every line pass.
    useful = (hits_a_line(s, &s.met.byte[0], &s.anywhere, 1) < 2
              and hits_a_line(s, &s.met.opening[0], &s.opening, WORD_BYTES / <double>LINE_BYTES) < 1
              and hits_a_line(s, &s.met.closing[0], &s.closing, WORD_BYTES / <double>LINE_BYTES) < 1)
    free(s.met)
    s.met = NULL
    return useful


cdef double hits_a_line(const Sieve* s, const int32_t* counts, const Trigger* trigger, double part):
    """About how many bytes of a trigger stand in a line, in that part of it which the trigger looks at."""
    cdef bytes some = bytes([k for k in range(256) if trigger.byte[k]])
    cdef double length = (s.met.places + <double>GUESSED) / (s.met.line // 2 + GUESSED / <double>LINE_BYTES)
    return length * met_bytes(s, counts, some, part * share(some)) if some else 0


cdef list grams_of(const Sieve* s, const Spec* spec, bytes needle, bint whole):
    """Of a needle, (gram, its offset): each text with the needle has one of them at an even place, if they have four bytes;
    those of three bytes are also looked up at odd places.  A whole token has a separator, a character that is a token, or
    the end of the text beside it, so that a short one does with four bytes too."""
    cdef int k
    cdef list ends, begins
    cdef int64_t best = 0
    if len(needle) >= 5:
        best = rarest(s, needle)[0]
        return [(needle[best:best + 4], best), (needle[best + 1:best + 5], best + 1)]
    if not whole:
        return [(needle[k:k + 3], k) for k in range(len(needle) - 2)]
    ends = [bytes([k]) for k in range(256)
            if spec.kind[k] == SPACE or spec.kind[k] == EXTRA or spec.kind[k] == LEAD
            or (spec.kind[<uint8_t>needle[len(needle) - 1]] == JOINT and (is_alpha(<uint8_t>k) or k >= 0xC0))]
    if len(needle) == 4:
        return [(needle, 0)] + [(needle[1:] + end, 1) for end in ends]
    begins = [bytes([k]) for k in range(256)
              if spec.kind[k] == SPACE or spec.kind[k] == EXTRA or spec.kind[k] == JOINT or 0x80 <= k < 0xC0]
    return [(needle + end, 0) for end in ends] + [(begin + needle, -1) for begin in begins]


cdef int add_needles(Sieve* s, const Spec* spec, dict needles) except -1:
    """Lay out the needles and their grams.  A hash has so many bits that one place in sixty-four is taken at most, up to a size."""
    cdef int bits = 14
    cdef int64_t places, k
    cdef uint32_t h
    cdef uint64_t* taken_places
    cdef bytes needle, gram
    cdef list grams = []
    for (needle, whole, edge), (before, after, reaches) in needles.items():
        reserve(<void**>&s.arena, &s.arena_room, s.arena_size + len(needle), 1)
        reserve(<void**>&s.needle, &s.needle_room, s.needles + 1, sizeof(Needle))
        memcpy(s.arena + s.arena_size, <const uint8_t*>needle, len(needle))
        s.needle[s.needles] = Needle(s.arena_size, <int32_t>len(needle), <int32_t>before, <int32_t>after, <uint8_t>(edge | reaches))
        s.arena_size += len(needle)
        grams += [(gram, offset, s.needles) for gram, offset in grams_of(s, spec, needle, whole)]
        s.needles += 1
        s.threes = s.threes or (len(needle) < 5 and not whole)
        s.odd = s.odd or (len(needle) == 3 and not whole)
    while bits < 20 and 64 * len(grams) > <int64_t>1 << bits:
        bits += 1
    s.shift = 32 - bits
    places = <int64_t>1 << bits
    s.gram = <Gram*>malloc((len(grams) + 1) * sizeof(Gram))
    s.heads = <int32_t*>malloc((places >> HEADS) * sizeof(int32_t))
    s.four = <uint64_t*>malloc(places // 8)
    s.three = <uint64_t*>malloc(places // 8)
    if s.gram == NULL or s.heads == NULL or s.four == NULL or s.three == NULL:
        raise MemoryError
    memset(s.heads, 0xFF, (places >> HEADS) * sizeof(int32_t))
    memset(s.four, 0, places // 8)
    memset(s.three, 0, places // 8)
    for k, (gram, offset, number) in enumerate(grams):
        s.gram[k].value = gram_of(<const uint8_t*>gram, len(gram))
        s.gram[k].needle = number
        s.gram[k].offset = offset
        h = gram_hash(s.gram[k].value, s.shift)
        s.gram[k].next = s.heads[h >> HEADS]
        s.heads[h >> HEADS] = <int32_t>k
        taken_places = s.four if len(gram) == 4 else s.three
        taken_places[h >> 6] |= <uint64_t>1 << (h & 63)
    return 0


cdef void sieve_free(Sieve* s) noexcept nogil:
    free(s.arena)
    free(s.needle)
    free(s.gram)
    free(s.heads)
    free(s.met)
    free(s.four)
    free(s.three)


# ======================================================================================================================
# Where strings may stand
# ======================================================================================================================

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


cdef int check_gram(const Sieve* s, const uint8_t* p, int64_t n, int64_t i, uint32_t value, Regions* out) except -1 nogil:
    """Add the regions of the needles that a gram at i is part of."""
    cdef int32_t place = s.heads[gram_hash(value, s.shift) >> HEADS]
    cdef const Gram* gram
    cdef const Needle* needle
    cdef int64_t start, end
    while place >= 0 and out.steps <= steps_allowed(n):
        gram = s.gram + place
        place = gram.next
        if gram.value != value:
            continue
        needle = s.needle + gram.needle
        start = i - gram.offset
        end = start + needle.size
        out.steps += needle.size
        if (start >= 0 and end <= n and memcmp(p + start, s.arena + needle.start, needle.size) == 0
                and (not needle.edges & BEGINS_LINE or fits(s, p, n, start - 1, -1, needle.before, &out.steps))
                and (not needle.edges & ENDS_LINE or fits(s, p, n, end, 1, needle.after, &out.steps))):
            add_region(s, p, n, start, end, needle.before, needle.after, needle.edges, 0, out)
    return 0


cdef inline bint has(const uint64_t* bits, uint32_t h) noexcept nogil:
    return bits[h >> 6] >> (h & 63) & 1


cdef int find_needles(const Sieve* s, const uint8_t* p, int64_t n, Regions* out) except -1 nogil:
    cdef int64_t i = 0
    cdef uint32_t value, low, high
    cdef int shift = s.shift
    cdef const uint64_t* four = s.four
    cdef const uint64_t* three = s.three
    cdef bint threes = s.threes, odd = s.odd
    cdef uint8_t tail[8]
    while i < n:
        if i + 4 <= n:
            value = gram_of(p + i, 4)
        else:
            memset(tail, 10, 8)
            memcpy(tail, p + i, n - i)
            value = gram_of(tail, 4)
        if has(four, gram_hash(value, shift)):
            check_gram(s, p, n, i, value, out)
        if threes:
            low = value & 0xFFFFFF
            if has(three, gram_hash(low, shift)):
                check_gram(s, p, n, i, low, out)
            if odd:
                high = value >> 8
                if has(three, gram_hash(high, shift)):
                    check_gram(s, p, n, i + 1, high, out)
        i += 2
    return 0


cdef int find_edges(const Sieve* s, const uint8_t* p, int64_t n, Regions* out) except -1 nogil:
    """Lines whose first or last word holds one of the bytes.  Blanks part words; one without a sure token may have none, so
    the next one is looked at too."""
    cdef int64_t base = out.size, start = 0, end, i, tokens
    cdef const Trigger* t
    cdef bint hit, holds
    cdef uint8_t edges
    while start < n:
        end = line_end(p, start, n)
        t = &s.opening
        if t.count:
            hit = holds = False
            tokens = edges = 0
            i = start
            while i < end and not (holds and is_blank(p[i])):
                if t.byte[p[i]]:
                    hit = True
                    tokens = max(tokens, t.after[p[i]])
                    edges |= t.edges[p[i]]
                holds = holds or s.sure[p[i]]
                i += 1
            if hit:
                add_region(s, p, n, start, i, 0, tokens, edges, base, out)
        t = &s.closing
        if t.count:
            hit = holds = False
            tokens = edges = 0
            i = end
            while i > start and not (holds and is_blank(p[i - 1])):
                i -= 1
                if t.byte[p[i]]:
                    hit = True
                    tokens = max(tokens, t.before[p[i]])
                    edges |= t.edges[p[i]]
                holds = holds or s.sure[p[i]]
            if hit:
                add_region(s, p, n, i, end, tokens, 0, edges, base, out)
        start = end + 1
    return 0


cdef int find_bytes(const Sieve* s, const uint8_t* p, int64_t n, Regions* out) except -1 nogil:
    """Where one of the bytes stands."""
    cdef int64_t base = out.size, i = 0
    cdef const Trigger* t = &s.anywhere
    while True:
        if t.count <= 16:
            i = tm_any(p, i, n, &t.list[0], t.count)
        else:
            while i < n and not t.byte[p[i]]:
                i += 1
        if i >= n:
            return 0
        add_region(s, p, n, i, i + 1, t.before[p[i]], t.after[p[i]], t.edges[p[i]], base, out)
        i += 1


cdef bint holds_separator(const uint8_t* p, int64_t n) noexcept nogil:
    """True if U+2028 or U+2029 stands there, which part lines that are one for the sieve."""
    cdef int64_t i = 0
    cdef const void* hit
    while i < n:
        hit = memchr(p + i, 0xE2, n - i)
        if hit == NULL:
            return False
        i = <const uint8_t*>hit - p + 1
        if i + 1 < n and p[i] == 0x80 and (p[i + 1] == 0xA8 or p[i + 1] == 0xA9):
            return True
    return False


cdef int by_start(const void* a, const void* b) noexcept nogil:
    cdef int64_t first = (<const Region*>a).start, second = (<const Region*>b).start
    return (first > second) - (first < second)


cdef int sieve_regions(const Sieve* s, const uint8_t* p, int64_t n, Regions* out) except -1 nogil:
    """Where occurrences may stand (OUT; emptied first)."""
    cdef int64_t i, kept = 0
    cdef int looks = 0
    out.size = 0
    out.steps = 0
    if s.edges and holds_separator(p, n):
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
