"""Finds the regions of a text in which strings of a pack may be, by a few rare bytes, before the text is tokenised.

A clue is chosen for each string: bytes that every occurrence holds.  Texts are then searched for all clues at once.
"""

from libc.stdint cimport int32_t, int64_t, int8_t, uint32_t, uint64_t, uint8_t
from libc.stdlib cimport calloc, free, malloc, qsort
from libc.string cimport memcmp, memcpy, memset

from templatemine.text._scan cimport (
    ABBREVIATION, BEGINS_LINE, Bytes, CLOCK, DATE, decode, EMAIL, ENDS_LINE, HANDLE, HEAD, HEX, INITIALS, is_alpha, is_digit,
    is_lower, is_own_token, is_upper, is_url_byte, is_wide_space, ISO_DATE, JOINT, LEAD, MARKER, MERIDIEM, NUMBER, NUMERIC,
    ORDINAL, PERCENT, PHONE, PRICE, REACHES_EDGE, reserve, RULE, SEPARATOR, SPACE, SPANS, Spec, TIME, tm_prefetch, TO_BEGIN, TO_END,
    UPPER, URL, UUID,
)

__all__ = []


# ----------------------------------------------------------------------------------------------------------------------- clues
# Chooses a clue for each string of a pack: bytes that every occurrence of the string holds, and that are rare elsewhere.
#
# The input is the strings of a pack and some texts; the output is the tables that a text is searched with.  The clue of a
# string is the rarest of these:
#
# - a *needle*: three bytes or more of a form that are in the text as they are, since the literal bytes of a form are copied
#   from its token.  The four bytes at every second offset of a text are looked up, since each needle has a gram of four
#   bytes at an even and one at an odd offset (`choose_grams`), and three bytes where some needles have no more; a gram that
#   is known leads to the needles it may be part of.  This is the filter of Wu and Manber (1994) with a fixed step, as the
#   shortest needle would bound its shifts.  Literal bytes of the next or previous token must be there too;
# - a byte in the first or last word of a line, if the string must begin or end a line;
# - a byte anywhere in a line; in both cases with the literal bytes around it in its token.
#
# A clue is a tuple (bytes, needles, context, place): one of the bytes, or one of the needles, is in every occurrence; a needle is
# (its bytes, whether it is a whole token, or LETTER_RUN); a context is (offset of the byte in it, bytes around the byte); the
# place is the bytes of the form that the needles stand for, if there is nothing else between them and the rest of the form.
# `make_pattern_clue` gives the clue of a mutable pattern.  How rare bytes are is counted in the texts that were searched
# before the sieve was built, and guessed for what is not in them from `frequency`, the share of bytes in running text.  A
# wrong guess costs time, never a match.


cdef enum:
    MAX_CONTEXT_BYTES = 8   # bytes of a Context
    HEAD_SHIFT = 4          # bits by which a hash is shortened for gram_heads: at most one in four is taken, and all fit a cache


cdef struct Context:
    # What is around a needle, or a byte, in some of the strings with it.
    int32_t before          # most tokens of such a string before the token that holds it
    int32_t after           # and after it
    uint8_t edges           # of a needle: BEGINS_LINE, ENDS_LINE if all these strings have that bit
    # Bytes that must be there too, or none.  Of a needle: the token after it begins with them (side 1), or the token before it
    # ends with them (side -1).  Of a byte: they are around it, and `side` is its offset in them.
    int8_t side
    uint8_t size
    uint8_t bytes[MAX_CONTEXT_BYTES]


cdef struct ContextRange:
    # A range of Sieve.context.
    int32_t first
    int32_t end


cdef struct Needle:
    # Bytes that every occurrence of some strings holds.
    int64_t start           # in Sieve.arena
    int32_t size
    ContextRange contexts


cdef struct Gram:
    # Three or four bytes of a needle, with as many of its bytes around them as fit a word.  Most hits are by chance, and are
    # rejected by the word alone.
    uint64_t bytes          # the eight bytes of a text that begin `back` bytes before the gram; 0 where the mask is 0
    uint64_t mask
    int32_t needle
    int8_t offset           # of the gram in the needle
    uint8_t back
    uint8_t whole           # 1 if the word holds all bytes of the needle
    uint8_t last            # 1 for the last of the consecutive grams with one place in Sieve.gram_heads


cdef struct Trigger:
    # Bytes of which a part of a line must hold one, if a string without a needle is in the line.
    uint8_t byte[256]
    uint8_t list[16]        # the bytes, if there are at most 16
    int count
    uint8_t same_digit[256]     # 1 for digits whose contexts are those of "0", and have no bytes
    ContextRange contexts[256]


cdef struct SampleCounts:
    # Counts of grams and bytes in the texts that were searched before the sieve is built.
    int32_t gram[65536]     # grams of four bytes, by their hash
    int32_t byte[256]
    int32_t opening[256]    # lines whose first word holds a byte
    int32_t closing[256]    # and whose last word does
    int32_t last[256]       # the last number of a word that was counted there
    int32_t line            # number of the word: two per line, of its first and of its last word
    int64_t places          # bytes of the texts


cdef struct Sieve:
    uint8_t* arena
    int64_t arena_size
    int64_t arena_room
    Needle* needle
    int64_t needles
    int64_t needle_room
    Context* context
    int64_t context_count
    int64_t context_room
    Gram* gram
    int32_t* gram_heads     # first Gram, by the shortened hash of its three or four bytes, or -1
    uint64_t* four_filter   # a bit for each hash of a gram of four bytes
    uint64_t* three_filter  # and of three bytes, NULL if there are none
    int shift               # 32 - bits of a hash
    Bytes samples           # texts that were searched before the sieve is built, one after the other, and where each ends
    int64_t* sample_ends
    int64_t sample_count
    int64_t sample_room
    SampleCounts* counts    # NULL except while the sieve is built
    bint has_three_grams    # there are grams of three bytes
    bint has_odd_grams      # there are needles that have no other grams, so that those at odd offsets are looked up too
    bint needs_edges        # some string must begin or end its line, or reaches to an edge
    uint8_t in_token[256]   # 1 for bytes that are always in a token, whatever is around them
    Trigger opening         # in the first word of a line
    Trigger closing         # in its last word
    Trigger anywhere


cdef inline uint32_t load_gram(const uint8_t* p, int size) noexcept nogil:
    """The first three or four bytes as a number."""
    cdef uint32_t value = 0
    memcpy(&value, p, size)
    return value


cdef inline uint32_t hash_gram(uint32_t value, int shift) noexcept nogil:
    return (value * <uint32_t>2654435761) >> shift


cdef inline bint is_blank(uint8_t c) noexcept nogil:
    return c == 32 or 9 <= c <= 13


cdef enum:
    MAX_NEEDLE_BYTES = 64

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
    for c in b",.\"'\0":      # and for a digit
        frequency[c] = 0.01
    return 0


set_frequencies()


cdef inline double byte_share(uint8_t c) noexcept:
    """Share of a byte in running text; of a byte beyond ASCII, in a script in which it is rare."""
    return frequency[c] if c < 0x80 else 0.01 if c == 0xE2 else 0.001


cdef double total_share(bytes some):
    """Share of all these bytes in running text."""
    cdef double total = 0
    cdef uint8_t c
    for c in some:
        total += byte_share(c)
    return total


cdef double guess_chance(const uint8_t* some, int64_t size) noexcept:
    """Estimate the chance of the first eight of these bytes at a given offset of running text."""
    cdef double chance = 1
    cdef int64_t k
    for k in range(min(size, 8)):
        chance *= frequency[some[k]]
    return chance


cdef enum:
    GRAM_COUNT_BITS = 16    # of the hashes by which grams are counted
    GUESS_WEIGHT = 4096     # bytes of text that a guess counts for beside what was counted
    WORD_BYTES = 8          # typical size of a word, and of a line
    LINE_BYTES = 150

# Costs in units of one known gram: of a hit of a needle, a hit of a byte, a region, a byte of a region.
cdef double NEEDLE_COST = 1
cdef double BYTE_COST = 3
cdef double REGION_COST = 4
cdef double REGION_BYTE_COST = 0.4
cdef double SHORT_COST = 2e-4   # of looking up grams of three bytes, per byte of text


cdef int count_word_bytes(int32_t* counts, int32_t* last, int32_t line, const uint8_t* p, int64_t i, int64_t end) noexcept nogil:
    """Count each byte of the word [i, end), once per word; `line` is the number of the word."""
    while i < end:
        counts[p[i]] += last[p[i]] != line
        last[p[i]] = line
        i += 1
    return 0


cdef int sieve_add_sample(Sieve* s, const uint8_t* p, int64_t n) except -1:
    """Keep a copy of a text, which is counted when the sieve is built: most matchers see less text than the counts take."""
    if n == 0:
        return 0
    reserve(<void**>&s.samples.data, &s.samples.room, s.samples.size + n, 1)
    reserve(<void**>&s.sample_ends, &s.sample_room, s.sample_count + 1, sizeof(int64_t))
    memcpy(s.samples.data + s.samples.size, p, n)
    s.samples.size += n
    s.sample_ends[s.sample_count] = s.samples.size
    s.sample_count += 1
    return 0


cdef int count_samples(Sieve* s) except -1:
    """Count the texts that were kept, and free them."""
    cdef int64_t i, start = 0
    s.counts = <SampleCounts*>calloc(1, sizeof(SampleCounts))
    if s.counts == NULL:
        raise MemoryError
    for i in range(s.sample_count):
        count_text(s.counts, s.samples.data + start, s.sample_ends[i] - start)
        start = s.sample_ends[i]
    free_samples(s)
    return 0


cdef void free_samples(Sieve* s) noexcept nogil:
    free(s.samples.data)
    free(s.sample_ends)
    s.samples = Bytes(NULL, 0, 0)
    s.sample_ends = NULL
    s.sample_count = s.sample_room = 0


cdef void count_text(SampleCounts* counts, const uint8_t* p, int64_t n) noexcept nogil:
    """Count grams and bytes of a text, and in how many lines each byte is in the first or last word."""
    cdef int64_t i, start = 0, end
    for i in range(n - 3):
        counts.gram[hash_gram(load_gram(p + i, 4), 32 - GRAM_COUNT_BITS)] += 1
    for i in range(n):
        counts.byte[p[i]] += 1
    while start < n:
        end = line_end(p, start, n)
        i = start
        while i < end and not is_blank(p[i]):
            i += 1
        counts.line += 1
        count_word_bytes(&counts.opening[0], &counts.last[0], counts.line, p, start, i)
        i = end
        while i > start and not is_blank(p[i - 1]):
            i -= 1
        counts.line += 1
        count_word_bytes(&counts.closing[0], &counts.last[0], counts.line, p, i, end)
        start = end + 1
    counts.places += n


cdef double estimate_share(const Sieve* s, int64_t count, double guess) noexcept:
    """Share of the bytes of the samples at which something is, smoothed: `guess` counts like GUESS_WEIGHT bytes."""
    return (count + GUESS_WEIGHT * guess) / (s.counts.places + <double>GUESS_WEIGHT)


cdef double estimate_bytes_share(const Sieve* s, const int32_t* counts, bytes some, double guess):
    """Estimate the share of the bytes of a text that are one of some bytes, by the counts of these."""
    cdef int64_t total = 0
    cdef uint8_t c
    for c in some:
        total += counts[c]
    return estimate_share(s, total, guess)


cdef inline int64_t count_gram(const Sieve* s, const uint8_t* gram) noexcept:
    """How often four bytes are in the samples, or others with their hash."""
    return s.counts.gram[hash_gram(load_gram(gram, 4), 32 - GRAM_COUNT_BITS)]


cdef double estimate_gram_chance(const Sieve* s, const uint8_t* gram) noexcept:
    """Estimate the chance of four bytes at a given offset."""
    return estimate_share(s, count_gram(s, gram), guess_chance(gram, 4))


cdef tuple find_rarest_grams(const Sieve* s, bytes needle):
    """Of a needle of at least five bytes, the offset of its two rarest neighbouring grams, and the chance of a hit per byte."""
    cdef const uint8_t* p = needle
    cdef int64_t k, best = 0
    cdef double least = 2, here, last = estimate_gram_chance(s, p)
    for k in range(len(needle) - 4):
        here = estimate_gram_chance(s, p + k + 1)
        if (last + here) / 2 < least:
            best = k
            least = (last + here) / 2
        last = here
    return best, least


cdef tuple estimate_cost(const Sieve* s, tuple clue):
    """Estimate the hits of a clue per byte of text, and its other cost per byte, in known grams: (rate, grams, clue)."""
    cdef bytes needle, padded
    cdef const uint8_t* p
    cdef int64_t count, k
    cdef double rate = estimate_bytes_share(s, &s.counts.byte[0], clue[0], total_share(clue[0])) if clue[0] else 0, grams = BYTE_COST * rate
    if clue[0] and clue[2][1]:
        rate = min(rate, estimate_chance(s, clue[2][1]))
    for needle, whole in clue[1]:
        # A needle is no more frequent than its rarest gram; a short word is usually between blanks.
        padded = b" " + needle + b" " if whole or len(needle) < 4 else needle
        p = padded
        count = count_gram(s, p)
        for k in range(1, len(padded) - 3):
            count = min(count, count_gram(s, p + k))
        p = needle
        rate += estimate_share(s, count, guess_chance(p, len(needle)))
        if len(needle) > 4:
            grams += find_rarest_grams(s, needle)[1]
        else:
            grams += estimate_gram_chance(s, p) if whole and len(needle) == 4 else SHORT_COST
    return rate, grams, clue


cdef tuple make_pattern_clue(const Spec* spec, int pattern):
    """What every match of a pattern holds: one of some bytes, or one of some needles, as (bytes, needles)."""
    cdef int64_t i
    cdef set words
    if pattern in (ISO_DATE, PHONE, HEX, NUMBER, NUMERIC, ORDINAL, TIME):
        return b"0123456789\xD9\xDB\xEF", ()
    if pattern in SIGN_OF:
        return SIGN_OF[pattern], ()
    if pattern in (EMAIL, HANDLE):
        return b"@", ()
    if pattern == URL:
        hosts = [(b"www." + bytes([i]), False) for i in range(33, 127) if is_url_byte(<uint8_t>i)]
        return b"", ((b"http:", False), (b"https", False), *hosts)
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
    words = {spec.words.arena[spec.words.offset[i]:spec.words.offset[i + 1]]
             for i in range(spec.words.count) if spec.word_pattern[i] == pattern}
    # Of digits of other scripts only the first of each stands there.
    if 0 < len(words) <= MAX_CLUE_WORDS and all([len(word) >= 3 and word.isalpha() for word in words]):
        return b"", tuple([(word, LETTER_RUN) for word in sorted(words)])
    # A user-defined pattern is a marker in the text.
    return bytes({word[0] for word in words} | {MARKER}), ()


# Bytes of which each match of a pattern holds one; currency signs and the Arabic percent sign by their first bytes.
SIGN_OF = {CLOCK: b":", DATE: b"/\\", PRICE: b"$\xC2\xE2", PERCENT: b"%\xD9"}


cdef enum:
    MAX_CLUE_WORDS = 32     # words of a pattern that are needles each
    LETTER_RUN = 2          # a needle that is a run of letters: bytes that are no letters, or none, are on both sides


cdef bint is_whole(bytes piece, bytes form):
    """Whether a piece is a whole token, shorter than five bytes, that is separated from others (not one character of its own)."""
    cdef int width = 0
    return len(piece) < 5 and len(piece) == len(form) and not is_own_token(decode(<const uint8_t*>piece, len(piece), &width))


NO_CONTEXT = (0, b"")


cdef list make_clues(const Spec* spec, bytes form):
    """The clues of a form, each of which is in every token of the form; of bytes, only those rarer than all before them."""
    cdef int64_t i = 0, k, start, before, at
    cdef double least = 2       # share of the rarest bytes so far
    cdef bytes piece, near, front
    cdef list found = []
    while i < len(form):
        if form[i] == MARKER:
            some, needles = make_pattern_clue(spec, form[i + 1])
            is_word = needles and needles[0][1] == LETTER_RUN
            found.append((some, needles, NO_CONTEXT, form[i:i + 2] if is_word else b""))
            least = min(least, total_share(some)) if some else least
            i += 2
            continue
        start = i
        while i < len(form) and form[i] != MARKER:
            i += 1
        piece = form[start:i][:MAX_NEEDLE_BYTES]
        if len(piece) >= 3:
            found.append((b"", ((piece, is_whole(piece, form)),), NO_CONTEXT, piece))
        # A number may be directly before it, and after it.
        front = ANY_DIGIT if start and form[start - 1] in DIGIT_PATTERNS else b""
        near = front + piece
        if start + len(piece) == i < len(form) and form[i + 1] in DIGIT_PATTERNS:
            near += ANY_DIGIT
        for k in range(len(piece)):
            if not 0x80 <= piece[k] < 0xC0 and byte_share(piece[k]) < least:
                least = byte_share(piece[k])
                at = k + len(front)
                before = min(at, MAX_CONTEXT_BYTES // 2)
                found.append((piece[k:k + 1], (), (before, near[at - before:at - before + MAX_CONTEXT_BYTES]), b""))
    return found


DIGIT_PATTERNS = (NUMBER, CLOCK, DATE)
"""Patterns whose matches begin and end with a digit."""
ANY_DIGIT = b"\0"
"""In the bytes of a context: a byte of a digit, of any script; or this byte itself."""


cdef inline bint matches_context(const uint8_t* p, const uint8_t* some, int64_t size) noexcept nogil:
    """Whether the bytes of a context, of which 0 is ANY_DIGIT, are at p."""
    cdef int64_t k
    for k in range(size):
        if p[k] != some[k] and (some[k] != 0 or not (is_digit(p[k]) or p[k] >= 0x80)):
            return False
    return True


cdef tuple find_neighbour(const Sieve* s, bytes place, bytes form, bytes previous, bytes following):
    """What must be next to a needle at a place of a form: ((side, bytes), chance of the bytes), or (NO_CONTEXT, 1.0).

    The side is 1 for the bytes after it, of the form or the following token, -1 for those before it.  Between tokens are
    separators or nothing.
    """
    cdef int64_t i = 0, start = 0
    cdef bytes before, after
    if form.count(place) != 1:
        return NO_CONTEXT, 1.0
    before, _, after = form.partition(place)
    before, after = before or previous, after or following
    while i < len(before):
        i += 1
        if before[i - 1] == MARKER:
            i += 1
            start = i
    found = [(1, after[:MAX_CONTEXT_BYTES].partition(bytes([MARKER]))[0]), (-1, before[max(start, i - MAX_CONTEXT_BYTES):])]
    return min([(one, estimate_chance(s, one[1])) for one in found if one[1]], key=lambda one: one[1], default=(NO_CONTEXT, 1.0))


cdef double estimate_chance(const Sieve* s, bytes some):
    """Estimate the chance of some bytes at a given offset."""
    cdef const uint8_t* p = some
    cdef double least
    cdef int64_t k
    if len(some) < 4 or ANY_DIGIT in some:
        return guess_chance(p, len(some))
    least = estimate_gram_chance(s, p)
    for k in range(1, len(some) - 3):
        least = min(least, estimate_gram_chance(s, p + k))
    return least


cdef int sieve_build(Sieve* s, const Spec* spec, list vocabulary, const int32_t* flat, const int64_t* bounds,
                     int64_t strings, const uint8_t* edges) except -1:
    """Choose a clue for each string, and lay out the tables; returns False if nearly every line would pass."""
    cdef int64_t i, k, first, last, at
    cdef double least, price, weight, rate, grams, chance
    cdef uint8_t edge
    cdef list clues = [make_clues(spec, form) for form in vocabulary]
    cdef list priced
    cdef tuple clue, around
    # Of each form, the rarest clue without needles, or None.
    cdef list byte_clue = [min([clue for clue in found if clue[0]], key=clue_byte_share, default=None) for found in clues]
    # (needle, whole), or the byte of a trigger -> {(edges, side, bytes of the context): (tokens before it, tokens after it)}
    cdef dict needles = {}, opening = {}, closing = {}, anywhere = {}, chosen
    cdef bint useful
    count_samples(s)
    priced = [[estimate_cost(s, clue) for clue in found if clue[1] or clue is some] for found, some in zip(clues, byte_clue)]
    for i in range(strings):
        if edges[i] & HEAD:
            continue  # its line is searched where the rest of the match stands
        first = bounds[i]
        last = bounds[i + 1] - 1
        edge = edges[i] & (BEGINS_LINE | ENDS_LINE)
        s.needs_edges = s.needs_edges or edges[i] & (BEGINS_LINE | ENDS_LINE | REACHES_EDGE | SPANS)
        if edges[i] & TO_BEGIN:
            edge &= ~BEGINS_LINE
        if edges[i] & TO_END:
            edge &= ~ENDS_LINE
        weight = REGION_COST + REGION_BYTE_COST * WORD_BYTES * <double>(last - first + 1)
        at = first
        clue = None
        least = 0
        for k in range(first, last + 1):
            for rate, grams, one in priced[flat[k]]:
                if clue is not None and grams >= least:
                    continue  # it costs no less, however rare its context is
                around = one[2]
                price = grams + weight * rate
                if one[3]:
                    if clue is not None and grams + NEEDLE_COST * rate >= least:
                        continue
                    around, chance = find_neighbour(
                        s, one[3], vocabulary[flat[k]], vocabulary[flat[k - 1]] if k > first else b"",
                        vocabulary[flat[k + 1]] if k < last else b"")
                    price = grams + NEEDLE_COST * rate + weight * min(rate, chance)
                if clue is None or price < least:
                    least = price
                    at, clue, near = k, one, around
        chosen = anywhere
        for k, bit in ((first, BEGINS_LINE), (last, ENDS_LINE)):
            one = byte_clue[flat[k]]
            if not edge & bit or one is None:
                continue
            rate = estimate_bytes_share(s, &s.counts.opening[0] if bit == BEGINS_LINE else &s.counts.closing[0], one[0],
                                        min(1.0, WORD_BYTES * total_share(one[0])) / LINE_BYTES)
            price = rate + weight * (min(rate, estimate_chance(s, one[2][1])) if one[2][1] else rate)
            if price < least:
                least = price
                at, clue, near = k, one, one[2]
                chosen = opening if bit == BEGINS_LINE else closing
        for needle in clue[1]:
            add_context(needles, needle, edge, near, at - first, last - at)
        for byte in clue[0]:
            add_context(chosen, byte, 0, near, at - first, last - at)
    for k in range(256):
        # White space beyond ASCII begins with C2, E1, E2 or E3.
        s.in_token[k] = spec.kind[k] != SEPARATOR and not is_blank(<uint8_t>k) if k < 0x80 else k >= 0xC3 and not 0xE1 <= k <= 0xE3
    add_needles(s, spec, needles)
    for trigger, chosen in ((0, anywhere), (1, opening), (2, closing)):
        add_trigger(s, &s.anywhere if trigger == 0 else &s.opening if trigger == 1 else &s.closing, chosen)
    # Not useful if nearly every line would pass.
    useful = (estimate_hits_per_line(s, &s.counts.byte[0], &s.anywhere, 1) < 2
              and estimate_hits_per_line(s, &s.counts.opening[0], &s.opening, WORD_BYTES / <double>LINE_BYTES) < 1
              and estimate_hits_per_line(s, &s.counts.closing[0], &s.closing, WORD_BYTES / <double>LINE_BYTES) < 1)
    free(s.counts)
    s.counts = NULL
    return useful


cdef double clue_byte_share(tuple clue):
    return total_share(clue[0])


cdef int add_context(dict found, object held, uint8_t edge, tuple near, int64_t before, int64_t after) except -1:
    """Add the context of a needle or a byte (`held`) in one string."""
    cdef dict contexts = found.setdefault(held, {})
    cdef tuple key = (edge, *near)
    most = contexts.get(key, (0, 0))
    contexts[key] = max(before, most[0]), max(after, most[1])
    return 0


cdef ContextRange store_contexts(Sieve* s, dict contexts) except *:
    """Lay out the contexts of a needle or a byte in Sieve.context."""
    cdef ContextRange found
    cdef Context* context
    cdef bytes near
    found.first = <int32_t>s.context_count
    reserve(<void**>&s.context, &s.context_room, s.context_count + len(contexts), sizeof(Context))
    for (edge, side, near), (before, after) in contexts.items():
        context = s.context + s.context_count
        context.before = before
        context.after = after
        context.edges = edge
        context.side = side
        context.size = <uint8_t>len(near)
        memcpy(&context.bytes[0], <const uint8_t*>near, len(near))
        s.context_count += 1
    found.end = <int32_t>s.context_count
    return found


cdef int add_trigger(Sieve* s, Trigger* trigger, dict found) except -1:
    cdef int k
    for k in sorted(found):
        trigger.byte[k] = 1
        trigger.contexts[k] = store_contexts(s, found[k])
        if trigger.count < 16:
            trigger.list[trigger.count] = <uint8_t>k
        trigger.count += 1
        trigger.same_digit[k] = is_digit(<uint8_t>k) and found[k] == found.get(48) and not any([near for _, _, near in found[k]])
    return 0


cdef double estimate_hits_per_line(const Sieve* s, const int32_t* counts, const Trigger* trigger, double part):
    """Estimate the hits of a trigger per line; `part` is the share of the line that it is searched for in."""
    cdef double length = (s.counts.places + <double>GUESS_WEIGHT) / (s.counts.line // 2 + GUESS_WEIGHT / <double>LINE_BYTES)
    cdef double total = 0, byte, around
    cdef const Context* context
    cdef int32_t i
    cdef int k
    for k in range(256):
        if trigger.byte[k]:
            byte = estimate_bytes_share(s, counts, bytes([k]), part * total_share(bytes([k])))
            around = 0
            for i in range(trigger.contexts[k].first, trigger.contexts[k].end):
                context = s.context + i
                around += part * estimate_chance(s, (<const char*>&context.bytes[0])[:context.size]) if context.size else 1
            total += min(byte, around)
    return length * total


cdef list choose_grams(const Sieve* s, const Spec* spec, bytes needle, int whole):
    """The grams of a needle with their offsets in it: a text with the needle has one of them at an even offset, or, if they have
    three bytes, at any offset.  A whole token has a separator, a character that is a token, or an end of the text on both
    sides, so a short one has grams of four bytes too."""
    cdef int k
    cdef list ends, begins
    cdef int64_t best = 0
    if len(needle) >= 5:
        best = find_rarest_grams(s, needle)[0]
        return [(needle[best:best + 4], best), (needle[best + 1:best + 5], best + 1)]
    if not whole:
        return [(needle[k:k + 3], k) for k in range(len(needle) - 2)]
    if whole == LETTER_RUN:
        ends = [bytes([k]) for k in range(256) if not is_alpha(<uint8_t>k)]
        if len(needle) == 4:
            return [(needle, 0)] + [(needle[1:] + end, 1) for end in ends]
        return [(needle + end, 0) for end in ends] + [(end + needle, -1) for end in ends]
    ends = [bytes([k]) for k in range(256)
            if spec.kind[k] == SPACE or spec.kind[k] == SEPARATOR or spec.kind[k] == LEAD
            or (spec.kind[<uint8_t>needle[len(needle) - 1]] == JOINT and (is_alpha(<uint8_t>k) or k >= 0xC0))]
    if len(needle) == 4:
        return [(needle, 0)] + [(needle[1:] + end, 1) for end in ends]
    begins = [bytes([k]) for k in range(256)
              if spec.kind[k] == SPACE or spec.kind[k] == SEPARATOR or spec.kind[k] == JOINT or 0x80 <= k < 0xC0]
    return [(needle + end, 0) for end in ends] + [(begin + needle, -1) for begin in begins]


cdef int add_needles(Sieve* s, const Spec* spec, dict needles) except -1:
    """Lay out the needles and their grams.

    A hash has so many bits (14 to 20) that at most one place in sixty-four is taken, if that is possible.
    """
    cdef int bits = 14
    cdef int64_t places, k
    cdef uint32_t h
    cdef uint64_t* taken_places
    cdef bytes needle, gram
    cdef list grams = []
    for (needle, whole), around in needles.items():
        reserve(<void**>&s.arena, &s.arena_room, s.arena_size + len(needle), 1)
        reserve(<void**>&s.needle, &s.needle_room, s.needles + 1, sizeof(Needle))
        memcpy(s.arena + s.arena_size, <const uint8_t*>needle, len(needle))
        s.needle[s.needles] = Needle(s.arena_size, <int32_t>len(needle), store_contexts(s, around))
        s.arena_size += len(needle)
        grams += [(gram, offset, s.needles) for gram, offset in choose_grams(s, spec, needle, whole)]
        s.needles += 1
        s.has_three_grams = s.has_three_grams or (len(needle) < 5 and not whole)
        s.has_odd_grams = s.has_odd_grams or (len(needle) == 3 and not whole)
    while bits < 20 and 64 * len(grams) > <int64_t>1 << bits:
        bits += 1
    s.shift = 32 - bits
    places = <int64_t>1 << bits
    s.gram = <Gram*>malloc((len(grams) + 1) * sizeof(Gram))
    s.gram_heads = <int32_t*>malloc((places >> HEAD_SHIFT) * sizeof(int32_t))
    s.four_filter = <uint64_t*>malloc(places // 8)
    s.three_filter = <uint64_t*>calloc(places // 64, 8) if s.has_three_grams else NULL
    if s.gram == NULL or s.gram_heads == NULL or s.four_filter == NULL or (s.has_three_grams and s.three_filter == NULL):
        raise MemoryError
    memset(s.gram_heads, 0xFF, (places >> HEAD_SHIFT) * sizeof(int32_t))
    memset(s.four_filter, 0, places // 8)
    hashed = sorted([(hash_gram(load_gram(<const uint8_t*>gram, len(gram)), s.shift), gram, offset, number)
                     for gram, offset, number in grams])
    for k, (h, gram, offset, number) in enumerate(hashed):
        s.gram[k] = make_gram(s, gram, offset, number)
        s.gram[k].last = k + 1 == len(hashed) or hashed[k + 1][0] >> HEAD_SHIFT != h >> HEAD_SHIFT
        if s.gram_heads[h >> HEAD_SHIFT] < 0:
            s.gram_heads[h >> HEAD_SHIFT] = <int32_t>k
        taken_places = s.four_filter if len(gram) == 4 else s.three_filter
        taken_places[h >> 6] |= <uint64_t>1 << (h & 63)
    return 0


cdef Gram make_gram(const Sieve* s, bytes gram, int32_t offset, int32_t number):
    """A gram with the bytes of its needle around it."""
    cdef const Needle* needle = s.needle + number
    cdef uint8_t here[8]
    cdef uint8_t mask[8]
    cdef Gram found
    cdef int32_t width = <int32_t>len(gram), k
    # Known bytes, from the first byte of the gram on: the gram of a short needle may have bytes beyond the needle.
    cdef int32_t begin = min(0, -offset), end = max(width, needle.size - offset)
    cdef int32_t start = max(begin, min(0, end - 8))
    for k in range(8):
        mask[k] = 0xFF if start + k < end else 0
        here[k] = 0
        if 0 <= start + k < width:
            here[k] = (<const uint8_t*>gram)[start + k]
        elif mask[k]:
            here[k] = s.arena[needle.start + offset + start + k]
    memcpy(&found.bytes, here, 8)
    memcpy(&found.mask, mask, 8)
    found.needle = number
    found.offset = <int8_t>offset
    found.back = <uint8_t>-start
    found.whole = end - begin <= 8
    found.last = False
    return found


cdef Sieve* sieve_new() except NULL:
    """An empty sieve, for `sieve_free`."""
    cdef Sieve* s = <Sieve*>calloc(1, sizeof(Sieve))
    if s == NULL:
        raise MemoryError
    return s


cdef void sieve_free(Sieve* s) noexcept nogil:
    if s == NULL:
        return
    free(s.arena)
    free(s.needle)
    free(s.context)
    free(s.gram)
    free(s.gram_heads)
    free_samples(s)
    free(s.counts)
    free(s.four_filter)
    free(s.three_filter)
    free(s)


# ------------------------------------------------------------------------------------------------------------------- the sieve
# Finds the regions of a text in which strings may be, so that the rest need not be tokenised.
#
# The input is the clues of the strings of a pack and a text; the output is regions.  Every occurrence of every string is in
# one of them; where a match reaches to an edge of its line, the caller extends it.  The matches are the same without a sieve.


cdef extern from *:
    """
    /* First offset at or after i of one of `count` <= 16 bytes; n if there is none. */
    #if defined(__SSE2__)
    #include <emmintrin.h>
    #endif
    static int64_t tm_find_any(const uint8_t *p, int64_t i, int64_t n, const uint8_t *bytes, int count) {
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

    /* Whether n bytes hold U+2028 or U+2029 (E2 80 A8, E2 80 A9): line breaks that the sieve does not know. */
    static int tm_has_wide_break(const uint8_t *p, int64_t n) {
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
    int64_t tm_find_any(const uint8_t* p, int64_t i, int64_t n, const uint8_t* bytes, int count) noexcept nogil
    bint tm_has_wide_break(const uint8_t* p, int64_t n) noexcept nogil


# Tokens that are counted (*sure* tokens): one for a run between blanks that holds a byte of Sieve.in_token, and one for each
# character that is a token of its own.  The run that a count begins in does not count.

cdef inline int own_token_width(const uint8_t* p, int64_t i, int64_t n) noexcept nogil:
    """Bytes of the character at i if it is a token of its own, else 0."""
    cdef int width = 0
    return width if p[i] >= 0xE0 and is_own_token(decode(p + i, n - i, &width)) else 0


cdef bint has_at_most_tokens(const Sieve* s, const uint8_t* p, int64_t n, int64_t first, int step, int64_t most,
                             int64_t* steps) noexcept nogil:
    """Whether at most `most` sure tokens are between byte `first` and the end (step 1) or beginning (step -1) of its line.

    `steps` (INOUT) grows by the bytes that were read.
    """
    cdef bint in_first = True, has_token = False
    cdef int64_t i = first, stop = n if step > 0 else -1
    while i != stop and p[i] != 10 and most >= 0:
        if is_blank(p[i]) or own_token_width(p, i, n):
            most -= (has_token and not in_first) + (not is_blank(p[i]))
            in_first = has_token = False
        elif s.in_token[p[i]]:
            has_token = True
        i += step
    steps[0] += (i - first) * step
    return most >= (has_token and not in_first)


cdef int64_t region_start(const Sieve* s, const uint8_t* p, int64_t n, int64_t i, int64_t count) noexcept nogil:
    """The nearest position before i at which a token may begin, with `count` sure tokens between it and the run of byte i; the
    beginning of the line if no sure token is between that and it."""
    cdef bint in_first = True, has_token = False
    cdef int width
    cdef int64_t start = 0, k
    while i > 0:
        i -= 1
        width = own_token_width(p, i, n)
        if width or is_blank(p[i]):
            count -= has_token and not in_first
            if count <= 0:
                start = i + max(width, 1)
                break
            in_first = has_token = False
            count -= width != 0
            if count <= 0:
                start = i
                break
        elif s.in_token[p[i]]:
            has_token = True
    k = start
    while k > 0 and p[k - 1] != 10:
        k -= 1
        if s.in_token[p[k]] or own_token_width(p, k, n):
            return start
    return k


cdef int64_t region_end(const Sieve* s, const uint8_t* p, int64_t n, int64_t i, int64_t count) noexcept nogil:
    """The same after i: where a token may end, or the end of the line."""
    cdef bint in_first = True, has_token = False
    cdef int width
    cdef int64_t end = n, k
    while i < n:
        width = own_token_width(p, i, n)
        if width or is_blank(p[i]):
            count -= has_token and not in_first
            if count <= 0:
                end = i
                break
            in_first = has_token = False
            i += max(width, 1)
            count -= width != 0
            if count <= 0:
                end = i
                break
            continue
        if s.in_token[p[i]]:
            has_token = True
        i += 1
    k = end
    while k < n and p[k] != 10:
        if s.in_token[p[k]] or own_token_width(p, k, n):
            return end
        k += 1
    return k


cdef inline int64_t step_limit(int64_t n) noexcept nogil:
    """Bytes to read around hits in a text of n bytes; beyond it, the whole text is one region, or the time may be quadratic."""
    return 4 * n + 1024


cdef int add_region(const Sieve* s, const uint8_t* p, int64_t n, int64_t first, int64_t last, int64_t before, int64_t after,
                    int64_t base, Regions* out) except -1 nogil:
    """Add the region of strings that have at most `before` and `after` tokens around the token with the bytes [first, last).

    Regions that overlap are merged, from index `base` on: one pass over the text begins with `base`, and its `first` ascends.
    """
    cdef int64_t start, end
    if out.steps > step_limit(n):
        return 0
    start = region_start(s, p, n, first, before)
    end = region_end(s, p, n, last, after)
    out.steps += end - start
    while out.size > base and out.region[out.size - 1].end >= start:
        out.size -= 1
        start = min(start, out.region[out.size].start)
        end = max(end, out.region[out.size].end)
    reserve(<void**>&out.region, &out.room, out.size + 1, sizeof(Region))
    out.region[out.size] = Region(start, end, 0, 0)
    out.size += 1
    return 0


cdef inline int separator_width(const Sieve* s, const uint8_t* p, int64_t i, int64_t n) noexcept nogil:
    """Bytes of the character at i if it is a separator, else 0."""
    cdef int width = 0
    if p[i] < 0x80:
        return is_blank(p[i]) or not s.in_token[p[i]]
    return width if not s.in_token[p[i]] and is_wide_space(decode(p + i, n - i, &width)) else 0


cdef bint has_neighbour(const Sieve* s, const uint8_t* p, int64_t n, int64_t start, int64_t end, const Context* context,
                        int64_t* steps) noexcept nogil:
    """Whether the bytes of a context are next to the needle at [start, end), with separators between or none."""
    cdef int64_t i = end, k
    cdef int width
    if context.side > 0:
        while i < n:
            width = separator_width(s, p, i, n)
            if not width:
                break
            i += width
        steps[0] += i - end
        return i + context.size <= n and memcmp(p + i, &context.bytes[0], context.size) == 0
    i = start
    while i > 0:
        k = i - 1
        while k > 0 and i - k < 4 and p[k] & 0xC0 == 0x80:
            k -= 1
        if separator_width(s, p, k, i) != i - k:
            break
        i = k
    steps[0] += start - i
    return i >= context.size and memcmp(p + i - context.size, &context.bytes[0], context.size) == 0


cdef inline uint64_t load_word(const uint8_t* p, int64_t n, int64_t i) noexcept nogil:
    """The eight bytes from i on, as a word; line feeds stand for those beyond the text."""
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
    HIT_BATCH = 32          # known grams that are looked up together


cdef struct Hit:
    # A gram of a text, at byte i, whose hash is that of a known one.
    int64_t i
    const int32_t* head
    const Gram* gram


cdef struct Hits:
    Hit hit[HIT_BATCH]
    int size


cdef inline int add_hit(const Sieve* s, const uint8_t* p, int64_t n, int64_t i, uint32_t hashed, Hits* hits,
                        Regions* out) except -1 nogil:
    """Add a hit to the batch; check the batch when it is full."""
    cdef const int32_t* head = s.gram_heads + (hashed >> HEAD_SHIFT)
    tm_prefetch(head)
    hits.hit[hits.size].i = i
    hits.hit[hits.size].head = head
    hits.size += 1
    return check_hits(s, p, n, hits, out) if hits.size == HIT_BATCH else 0


cdef int check_hits(const Sieve* s, const uint8_t* p, int64_t n, Hits* hits, Regions* out) except -1 nogil:
    """Add the regions of the needles that a batch of hits belongs to, and empty the batch.

    The tables do not fit the first-level cache, so all heads, and all grams, are prefetched before the first is read.
    """
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
        while out.steps <= step_limit(n):
            out.steps += 1
            if (load_word(p, n, hit.i - gram.back) ^ gram.bytes) & gram.mask == 0:
                check_needle(s, p, n, hit.i, gram, out)
            if gram.last:
                break
            gram += 1
    hits.size = 0
    return 0


cdef int check_needle(const Sieve* s, const uint8_t* p, int64_t n, int64_t i, const Gram* gram, Regions* out) except -1 nogil:
    """Add the regions of the needle of a gram at i, if the needle and a context of it are there."""
    cdef const Needle* needle = s.needle + gram.needle
    cdef const Context* context
    cdef int64_t start = i - gram.offset, end = start + needle.size
    cdef int32_t k
    if start < 0 or end > n:
        return 0
    if not gram.whole:
        out.steps += needle.size
        if memcmp(p + start, s.arena + needle.start, needle.size):
            return 0
    for k in range(needle.contexts.first, needle.contexts.end):
        context = s.context + k
        out.steps += 1
        if out.steps > step_limit(n):
            return 0
        if ((not context.size or has_neighbour(s, p, n, start, end, context, &out.steps))
                and (not context.edges & BEGINS_LINE or has_at_most_tokens(s, p, n, start - 1, -1, context.before, &out.steps))
                and (not context.edges & ENDS_LINE or has_at_most_tokens(s, p, n, end, 1, context.after, &out.steps))):
            add_region(s, p, n, start, end, context.before, context.after, 0, out)
    return 0


cdef inline bint has_bit(const uint64_t* bits, uint32_t h) noexcept nogil:
    return bits[h >> 6] >> (h & 63) & 1


cdef int find_needles(const Sieve* s, const uint8_t* p, int64_t n, Regions* out) except -1 nogil:
    """Add regions where a needle is."""
    cdef int64_t i = 0
    cdef uint32_t value, hashed
    cdef int shift = s.shift
    cdef const uint64_t* four_filter = s.four_filter
    cdef const uint64_t* three_filter = s.three_filter
    cdef bint has_three_grams = s.has_three_grams, has_odd_grams = s.has_odd_grams
    cdef uint8_t tail[8]
    cdef Hits hits
    hits.size = 0
    while i < n:
        if i + 4 <= n:
            value = load_gram(p + i, 4)
        else:
            memset(tail, 10, 8)
            memcpy(tail, p + i, n - i)
            value = load_gram(tail, 4)
        hashed = hash_gram(value, shift)
        if has_bit(four_filter, hashed):
            add_hit(s, p, n, i, hashed, &hits, out)
        if has_three_grams:
            hashed = hash_gram(value & 0xFFFFFF, shift)
            if has_bit(three_filter, hashed):
                add_hit(s, p, n, i, hashed, &hits, out)
            if has_odd_grams:
                hashed = hash_gram(value >> 8, shift)
                if has_bit(three_filter, hashed):
                    add_hit(s, p, n, i + 1, hashed, &hits, out)
        i += 2
    return check_hits(s, p, n, &hits, out)


cdef bint has_context(const Sieve* s, const uint8_t* p, int64_t n, int64_t i, ContextRange contexts, Context* found,
                      int64_t* steps) noexcept nogil:
    """Whether one of some contexts of the byte at i is there.

    `before` and `after` of `found` (INOUT) grow to those of the contexts that are.
    """
    cdef const Context* context
    cdef int64_t start
    cdef int32_t k
    cdef bint hit = False
    steps[0] += contexts.end - contexts.first
    if steps[0] > step_limit(n):
        return False
    for k in range(contexts.first, contexts.end):
        context = s.context + k
        start = i - context.side
        if context.size and (start < 0 or start + context.size > n or not matches_context(p + start, &context.bytes[0], context.size)):
            continue
        hit = True
        found.before = max(found.before, context.before)
        found.after = max(found.after, context.after)
    return hit


cdef int find_edges(const Sieve* s, const uint8_t* p, int64_t n, Regions* out) except -1 nogil:
    """Add regions where the first or last word of a line holds a byte of a trigger.

    Words are runs between blanks; one without a byte of Sieve.in_token may have no token, so the next one is searched too.
    """
    cdef int64_t base = out.size, start = 0, end, i
    cdef const Trigger* t
    cdef bint hit, has_token
    cdef Context found
    while start < n:
        end = line_end(p, start, n)
        t = &s.opening
        if t.count:
            hit = has_token = False
            memset(&found, 0, sizeof(Context))
            i = start
            while i < end and not (has_token and is_blank(p[i])):
                if t.byte[p[i]]:
                    hit |= has_context(s, p, n, i, t.contexts[p[i]], &found, &out.steps)
                has_token = has_token or s.in_token[p[i]]
                i += 1
            if hit:
                add_region(s, p, n, start, i, 0, found.after, base, out)
        t = &s.closing
        if t.count:
            hit = has_token = False
            memset(&found, 0, sizeof(Context))
            i = end
            while i > start and not (has_token and is_blank(p[i - 1])):
                i -= 1
                if t.byte[p[i]]:
                    hit |= has_context(s, p, n, i, t.contexts[p[i]], &found, &out.steps)
                has_token = has_token or s.in_token[p[i]]
            if hit:
                add_region(s, p, n, i, end, found.before, 0, base, out)
        start = end + 1
    return 0


cdef int find_bytes(const Sieve* s, const uint8_t* p, int64_t n, Regions* out) except -1 nogil:
    """Add regions where a byte of the trigger `anywhere` is."""
    cdef int64_t base = out.size, i = 0
    cdef const Trigger* t = &s.anywhere
    cdef Context found
    while out.steps <= step_limit(n):
        if t.count <= 16:
            i = tm_find_any(p, i, n, &t.list[0], t.count)
        else:
            while i < n and not t.byte[p[i]]:
                i += 1
        if i >= n:
            return 0
        memset(&found, 0, sizeof(Context))
        if has_context(s, p, n, i, t.contexts[p[i]], &found, &out.steps):
            add_region(s, p, n, i, i + 1, found.before, found.after, base, out)
        i += 1
        # The next digit of a number has the same region as the first.
        while i < n and t.same_digit[p[i - 1]] and t.same_digit[p[i]]:
            i += 1
    return 0


cdef int compare_starts(const void* a, const void* b) noexcept nogil:
    cdef int64_t first = (<const Region*>a).start, second = (<const Region*>b).start
    return (first > second) - (first < second)


cdef int sieve_regions(const Sieve* s, const uint8_t* p, int64_t n, Regions* out) except -1 nogil:
    """Find the regions of a text of n bytes in which occurrences may be (OUT; emptied first)."""
    cdef int64_t i, kept = 0
    cdef int passes = 0
    out.size = 0
    out.steps = 0
    if s.needs_edges and tm_has_wide_break(p, n):
        out.steps = step_limit(n) + 1
    if s.needles and not out.steps:
        find_needles(s, p, n, out)
        passes += 1
    if s.opening.count or s.closing.count:
        find_edges(s, p, n, out)
        passes += 1
    if s.anywhere.count:
        find_bytes(s, p, n, out)
        passes += 1
    if out.steps > step_limit(n):
        reserve(<void**>&out.region, &out.room, 1, sizeof(Region))
        out.region[0] = Region(0, n, 0, 0)
        out.size = 1
    elif passes > 1 and out.size > 1:
        qsort(out.region, out.size, sizeof(Region), compare_starts)
        for i in range(1, out.size):
            if out.region[i].start <= out.region[kept].end:
                out.region[kept].end = max(out.region[kept].end, out.region[i].end)
            else:
                kept += 1
                out.region[kept] = out.region[i]
        out.size = kept + 1
    return 0


cdef bint sieve_saves_time(const Sieve* s, int64_t seen, int64_t passed) noexcept nogil:
    """Whether the sieve saves time, by the bytes that it has seen and the bytes of the regions that it gave."""
    return passed <= seen // (4 if s.has_three_grams else 2)
