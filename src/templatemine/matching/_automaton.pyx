"""Finds all strings of a pack in texts at once: a sieve on bytes, the automaton over tokens, fillers of slots, and the matcher.

The input is the strings of a pack and texts; the output is matches, and by `_cutting` spans and the texts without them.  Only
functions that return arrays import numpy: cleaning does not need it, and so starts sooner.
"""

from templatemine.errors import CapacityError

from cpython.ref cimport Py_INCREF
from cpython.tuple cimport PyTuple_New, PyTuple_SET_ITEM
from libc.stdint cimport int32_t, int64_t, int8_t, uint32_t, uint64_t, uint8_t
from libc.stdlib cimport calloc, free, malloc, qsort, realloc
from libc.string cimport memchr, memcmp, memcpy, memset

from templatemine.matching._cutting cimport (
    assemble, cut_pieces, exact_str, is_stub, move_spans, Outcome, outcome_free, pieces_to_points, set_points,
    StringKinds, take_tags, unite_matches,
)
from templatemine.text._reading cimport Form, form_free, form_room, Rules
from templatemine.text._scan cimport (
    ABBREVIATION, ADDRESS, ANYTHING, BEGINS_LINE, Bytes, CLOCK, copy_to_array, count_points, DATE, DATELINE, DATES, decode, DURATIONS,
    EMAIL, encode_utf8, ENDS_LINE, ends_prose, FIRST_IN_LINE, HANDLE, HEAD, HEADLINES, HEX, INITIALS, intern_word_list, is_address_sign,
    is_all_upper, is_alnum, is_alpha, is_any_digit, is_caseless, is_closer, is_digit, is_joint, is_lower, is_other_digit,
    is_own_token, is_sign, is_small, is_stop, is_two_bytes, is_upper, is_url_byte, is_wide_break, is_wide_space, ISO_DATE,
    JOINT, KEPT, KIND, LEAD, LETTERS, MARKER, MAX_CLOSERS, MAX_FIGURE_WORDS, MAX_GLUED_JOINTS, MAX_GLUED_SIZE, MAX_HEAD_BREAKS,
    MAX_HEADLINE,
    MAX_NAME_WORDS, MAX_PLACE_WORDS, MAX_SHORT_BYTES, MAX_SIZED_SLOT, MAX_SMALL_LETTERS, MAX_SMALL_RUN, MERIDIEM, MIN_BETWEEN, NAMES,
    normalise, NUMBER, NUMBERS, NUMERIC, Occurrences, occurrences_free, occurrences_push, ORDINAL, PERCENT, PHONE, PRICE,
    REACHES_EDGE, reserve, RULE, scan, Scanner, SEPARATOR, SLOT_SIZE, SPACE, SPANS, Spec, StrView, Table, table_add,
    table_find, table_free, table_init, tag_form, TIME, tm_hash, tm_key, tm_prefetch, TO_BEGIN, TO_END, Tokens, tokens_free,
    tokens_push, UPPER, URL, UUID, view_str, WORD, WordList, words_find,
)

__all__ = ["FillerKinds", "Matcher"]


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
#   shortest needle would bound its shifts;
# - a byte.
#
# A clue is a tuple (bytes, needles): one of the bytes, or one of the needles, is in every occurrence; a needle is (its bytes,
# whether it is a whole token, or LETTER_RUN).  `make_pattern_clue` gives the clue of a mutable pattern.  How rare bytes are is
# counted in the texts that were searched before the sieve was built, and guessed for what is not in them from `frequency`, the
# share of bytes in running text.  A wrong guess costs time, never a match.


cdef enum:
    HEAD_SHIFT = 4          # bits by which a hash is shortened for gram_heads: at most one in four is taken, and all fit a cache


cdef struct Reach:
    # How many tokens, at most, some strings have before and after the token that holds their clue.
    int32_t before
    int32_t after
    uint8_t edges           # of a needle: BEGINS_LINE, ENDS_LINE if all these strings have that bit


cdef struct Needle:
    # Bytes that every occurrence of some strings holds.
    int64_t start           # in Sieve.arena
    int32_t size
    int32_t reaches         # the first in Sieve.reach, and the one after the last
    int32_t reaches_end


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


cdef struct SampleCounts:
    # Counts of grams and bytes in the texts that were searched before the sieve is built.
    int32_t gram[65536]     # grams of four bytes, by their hash
    int32_t byte[256]
    int64_t places          # bytes of the texts


cdef struct Sieve:
    uint8_t* arena
    int64_t arena_size
    int64_t arena_room
    Needle* needle
    int64_t needles
    int64_t needle_room
    Reach* reach            # of the needles
    int64_t reach_count
    int64_t reach_room
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
    uint8_t byte[256]       # 1 for bytes of which a text must hold one, if a string without a needle is in it
    uint8_t byte_list[16]   # these bytes, if they are at most 16
    int byte_count
    Reach byte_reach[256]
    uint8_t same_digit[256]     # 1 for digits that reach as far as "0"


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
    for c in b",.\"'":
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
    """Count grams and bytes of a text."""
    cdef int64_t i
    for i in range(n - 3):
        counts.gram[hash_gram(load_gram(p + i, 4), 32 - GRAM_COUNT_BITS)] += 1
    for i in range(n):
        counts.byte[p[i]] += 1
    counts.places += n


cdef double estimate_share(const Sieve* s, int64_t count, double guess) noexcept:
    """Share of the bytes of the samples at which something is, smoothed: `guess` counts like GUESS_WEIGHT bytes."""
    return (count + GUESS_WEIGHT * guess) / (s.counts.places + <double>GUESS_WEIGHT)


cdef double estimate_bytes_share(const Sieve* s, bytes some):
    """Estimate the share of the bytes of a text that are one of some bytes."""
    cdef int64_t total = 0
    cdef uint8_t c
    for c in some:
        total += s.counts.byte[c]
    return estimate_share(s, total, total_share(some))


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


cdef double estimate_rate(const Sieve* s, tuple clue):
    """Estimate the hits of a clue per byte of text."""
    cdef bytes needle, padded
    cdef const uint8_t* p
    cdef int64_t count, k
    cdef double rate = estimate_bytes_share(s, clue[0]) if clue[0] else 0
    for needle, whole in clue[1]:
        # A needle is no more frequent than its rarest gram; a short word is usually between blanks.
        padded = b" " + needle + b" " if whole or len(needle) < 4 else needle
        p = padded
        count = count_gram(s, p)
        for k in range(1, len(padded) - 3):
            count = min(count, count_gram(s, p + k))
        p = needle
        rate += estimate_share(s, count, guess_chance(p, len(needle)))
    return rate


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
        return b"", ((b"http:", False), (b"https", False), (b"pic.twitter.com/", False), *hosts)
    if pattern == UUID:
        return b"-", ()
    if pattern == RULE:
        # Two dashes beyond ASCII, or one of these.
        dashes = (b"\xE2\x80\x93", b"\xE2\x94\x80", b"\xE2\x94\x81")
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


cdef list make_clues(const Spec* spec, bytes form):
    """The clues of a form, each of which is in every token of the form; of bytes, only those rarer than all before them."""
    cdef int64_t i = 0, k, start
    cdef double least = 2       # share of the rarest bytes so far
    cdef bytes piece
    cdef list found = []
    while i < len(form):
        if form[i] == MARKER:
            some, needles = make_pattern_clue(spec, form[i + 1])
            found.append((some, needles))
            least = min(least, total_share(some)) if some else least
            i += 2
            continue
        start = i
        while i < len(form) and form[i] != MARKER:
            i += 1
        piece = form[start:i][:MAX_NEEDLE_BYTES]
        if len(piece) >= 3:
            found.append((b"", ((piece, is_whole(piece, form)),)))
        for k in range(len(piece)):
            if not 0x80 <= piece[k] < 0xC0 and byte_share(piece[k]) < least:
                least = byte_share(piece[k])
                found.append((piece[k:k + 1], ()))
    return found


cdef int sieve_build(Sieve* s, const Spec* spec, list vocabulary, const int32_t* flat, const int64_t* bounds,
                     int64_t strings, const uint8_t* edges) except -1:
    """Choose a clue for each string, and lay out the tables."""
    cdef int64_t i, k, first, last, at
    cdef double least, rate
    cdef uint8_t edge
    cdef list clues = [make_clues(spec, form) for form in vocabulary]
    cdef list rated
    cdef tuple clue
    # Of each form, the rarest clue without needles, or None.
    cdef list byte_clue = [min([clue for clue in found if clue[0]], key=clue_byte_share, default=None) for found in clues]
    # (needle, whole) -> {edges: (tokens before it, tokens after it)}
    cdef dict needles = {}
    count_samples(s)
    rated = [[(estimate_rate(s, clue), clue) for clue in found if clue[1] or clue is some]
             for found, some in zip(clues, byte_clue)]
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
        at = first
        clue = None
        least = 0
        for k in range(first, last + 1):
            for rate, one in rated[flat[k]]:
                if clue is None or rate < least:
                    least = rate
                    at, clue = k, one
        for needle in clue[1]:
            reaches = needles.setdefault(needle, {})
            before, after = reaches.get(edge, (0, 0))
            reaches[edge] = max(at - first, before), max(last - at, after)
        for byte in clue[0]:
            add_byte(s, byte, at - first, last - at)
    for k in range(256):
        # White space beyond ASCII begins with C2, E1, E2 or E3.
        s.in_token[k] = spec.kind[k] != SEPARATOR and not is_blank(<uint8_t>k) if k < 0x80 else k >= 0xC3 and not 0xE1 <= k <= 0xE3
    add_needles(s, spec, needles)
    for k in b"0123456789":
        s.same_digit[k] = (s.byte[k] and s.byte_reach[k].before == s.byte_reach[48].before
                           and s.byte_reach[k].after == s.byte_reach[48].after)
    free(s.counts)
    s.counts = NULL
    return 0


cdef double clue_byte_share(tuple clue):
    return total_share(clue[0])


cdef void add_byte(Sieve* s, uint8_t byte, int64_t before, int64_t after) noexcept:
    """Add a byte of a string, with the tokens of the string before and after the one that holds it."""
    cdef Reach* reach = &s.byte_reach[byte]
    if not s.byte[byte]:
        s.byte[byte] = 1
        if s.byte_count < 16:
            s.byte_list[s.byte_count] = byte
        s.byte_count += 1
    reach.before = max(reach.before, <int32_t>before)
    reach.after = max(reach.after, <int32_t>after)


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
    for (needle, whole), reaches in needles.items():
        reserve(<void**>&s.arena, &s.arena_room, s.arena_size + len(needle), 1)
        reserve(<void**>&s.needle, &s.needle_room, s.needles + 1, sizeof(Needle))
        memcpy(s.arena + s.arena_size, <const uint8_t*>needle, len(needle))
        reserve(<void**>&s.reach, &s.reach_room, s.reach_count + len(reaches), sizeof(Reach))
        s.needle[s.needles] = Needle(
            s.arena_size, <int32_t>len(needle), <int32_t>s.reach_count, <int32_t>(s.reach_count + len(reaches)))
        for edge, (before, after) in reaches.items():
            s.reach[s.reach_count] = Reach(before, after, edge)
            s.reach_count += 1
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
    free(s.reach)
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


cdef struct Region:
    int64_t start
    int64_t end
    int64_t tokens          # how many tokens, and matches, there were before the region was searched
    int64_t found


cdef struct Regions:
    # Regions of one text, ascending and disjoint; each begins and ends where a token may.  If one begins (ends) within a line,
    # a token of that line is before (after) it.
    Region* region
    int64_t size
    int64_t room
    int64_t steps           # bytes that were read around hits of clues; see `step_limit`


cdef inline int64_t line_end(const uint8_t* p, int64_t i, int64_t n) noexcept nogil:
    """Offset of the next line feed at or after i; n if there is none."""
    cdef const void* hit = memchr(p + i, 10, n - i) if i < n else NULL
    return n if hit == NULL else <const uint8_t*>hit - p


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
    """Add the regions of the needle of a gram at i, if it is there, and near enough to the edges of its line."""
    cdef const Needle* needle = s.needle + gram.needle
    cdef const Reach* reach
    cdef int64_t start = i - gram.offset, end = start + needle.size
    cdef int32_t k
    if start < 0 or end > n:
        return 0
    if not gram.whole:
        out.steps += needle.size
        if memcmp(p + start, s.arena + needle.start, needle.size):
            return 0
    for k in range(needle.reaches, needle.reaches_end):
        reach = s.reach + k
        out.steps += 1
        if out.steps > step_limit(n):
            return 0
        if ((not reach.edges & BEGINS_LINE or has_at_most_tokens(s, p, n, start - 1, -1, reach.before, &out.steps))
                and (not reach.edges & ENDS_LINE or has_at_most_tokens(s, p, n, end, 1, reach.after, &out.steps))):
            add_region(s, p, n, start, end, reach.before, reach.after, 0, out)
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
    while not has_three_grams and i + 4 <= n:  # as in most packs
        hashed = hash_gram(load_gram(p + i, 4), shift)
        if has_bit(four_filter, hashed):
            add_hit(s, p, n, i, hashed, &hits, out)
        i += 2
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


cdef int find_bytes(const Sieve* s, const uint8_t* p, int64_t n, Regions* out) except -1 nogil:
    """Add regions where a byte of a clue is."""
    cdef int64_t base = out.size, i = 0
    while out.steps <= step_limit(n):
        if s.byte_count <= 16:
            i = tm_find_any(p, i, n, &s.byte_list[0], s.byte_count)
        else:
            while i < n and not s.byte[p[i]]:
                i += 1
        if i >= n:
            return 0
        add_region(s, p, n, i, i + 1, s.byte_reach[p[i]].before, s.byte_reach[p[i]].after, base, out)
        i += 1
        # The next digit of a number has the same region as the first.
        while i < n and s.same_digit[p[i - 1]] and s.same_digit[p[i]]:
            i += 1
    return 0


cdef int compare_starts(const void* a, const void* b) noexcept nogil:
    cdef int64_t first = (<const Region*>a).start, second = (<const Region*>b).start
    return (first > second) - (first < second)


cdef int sieve_regions(const Sieve* s, const uint8_t* p, int64_t n, Regions* out) except -1 nogil:
    """Find the regions of a text of n bytes in which occurrences may be (OUT; emptied first)."""
    cdef int64_t i, kept = 0
    cdef bint is_whole = s.needs_edges and tm_has_wide_break(p, n)
    out.size = 0
    out.steps = 0
    if s.needles and not is_whole:
        find_needles(s, p, n, out)
    if s.byte_count and not is_whole:
        find_bytes(s, p, n, out)
    if is_whole or out.steps > step_limit(n):
        reserve(<void**>&out.region, &out.room, 1, sizeof(Region))
        out.region[0] = Region(0, n, 0, 0)
        out.size = 1
    elif s.byte_count and out.size > 1:
        qsort(out.region, out.size, sizeof(Region), compare_starts)
        for i in range(1, out.size):
            if out.region[i].start <= out.region[kept].end:
                out.region[kept].end = max(out.region[kept].end, out.region[i].end)
            else:
                kept += 1
                out.region[kept] = out.region[i]
        out.size = kept + 1
    return 0


cdef bint sieve_saves_time(int64_t seen, int64_t passed, int64_t steps) noexcept nogil:
    """Whether the sieve saves time, by the bytes that it has seen, the bytes of the regions that it gave and its steps.

    A step takes about a quarter of the time that it takes to search a byte.  Over 143 sources of eleven archives, of which half
    gave the numbers and the other half is judged, searching takes 0.4 % longer than the faster way of each source; by the bytes
    of the regions alone 1.3 %.
    """
    return passed + steps // 4 <= seen * 3 // 5


# --------------------------------------------------------------------------------------------------------------- the automaton
# The automaton of Aho and Corasick (1975) over numbers of tokens, which finds all strings of a pack at once.
#
# It is built in time and memory linear in the tokens of the strings.


cdef struct Automaton:
    int64_t states
    int64_t symbols
    int32_t* root           # next state of the root, by symbol
    int32_t* fail           # failure link of a state
    int32_t* output         # string that ends in a state, or -1
    int32_t* next_same      # of a string, the next one of the same tokens, or -1
    int32_t* output_link    # next state with output along the failure links, or 0
    int32_t* depth
    uint8_t* needs_edge     # 1 if a string that ends in a state, or along its output links, depends on the edges of its line
    int32_t* next_symbol    # symbol that leads from state s to state s + 1, or -1; most transitions are such
    uint64_t* keys          # all other transitions, open addressing: state * symbols + symbol + 1 -> next state
    int32_t* values
    uint64_t mask


cdef inline int32_t automaton_goto(const Automaton* a, int32_t state, int32_t symbol) noexcept nogil:
    """The next state without failure links, or 0; not for the root."""
    cdef uint64_t key, place
    if a.next_symbol[state] == symbol:
        return state + 1
    key = <uint64_t>state * <uint64_t>a.symbols + <uint64_t>symbol + 1
    place = (key * <uint64_t>0x9E3779B97F4A7C15) >> 32 & a.mask
    while a.keys[place]:
        if a.keys[place] == key:
            return a.values[place]
        place = (place + 1) & a.mask
    return 0


cdef inline int32_t automaton_step(const Automaton* a, int32_t state, int32_t symbol) noexcept nogil:
    """The next state, by failure links where there is no transition."""
    cdef int32_t found
    while state:
        found = automaton_goto(a, state, symbol)
        if found:
            return found
        state = a.fail[state]
    return a.root[symbol]


cdef void shrink(void** data, int64_t size) noexcept nogil:
    """Return memory beyond `size` bytes, which was reserved in advance."""
    cdef void* moved = realloc(data[0], size)
    if moved != NULL:
        data[0] = moved


cdef int automaton_build(Automaton* a, const int32_t* flat, const int64_t* bounds, const uint8_t* edges, int64_t strings,
                         int64_t symbols) except -1 nogil:
    cdef int64_t total = bounds[strings], i, k
    cdef uint64_t key, place
    cdef int32_t state, child, f
    cdef int32_t* parent = NULL
    cdef int32_t* symbol = NULL
    cdef int32_t* order = NULL
    cdef int64_t* count = NULL
    a.symbols = symbols
    a.mask = 15
    # Each string adds at most one transition to a new state whose number is not the next one: where it leaves the others.
    while a.mask < <uint64_t>strings * 2:
        a.mask = a.mask * 2 + 1
    try:
        a.root = <int32_t*>malloc(symbols * sizeof(int32_t) + 8)
        a.fail = <int32_t*>malloc((total + 1) * sizeof(int32_t))
        a.output = <int32_t*>malloc((total + 1) * sizeof(int32_t))
        a.next_same = <int32_t*>malloc((strings + 1) * sizeof(int32_t))
        a.output_link = <int32_t*>malloc((total + 1) * sizeof(int32_t))
        a.depth = <int32_t*>malloc((total + 1) * sizeof(int32_t))
        a.needs_edge = <uint8_t*>calloc(total + 1, 1)
        a.next_symbol = <int32_t*>malloc((total + 1) * sizeof(int32_t))
        a.keys = <uint64_t*>malloc((a.mask + 1) * sizeof(uint64_t))
        a.values = <int32_t*>malloc((a.mask + 1) * sizeof(int32_t))
        parent = <int32_t*>malloc((total + 1) * sizeof(int32_t))
        symbol = <int32_t*>malloc((total + 1) * sizeof(int32_t))
        order = <int32_t*>malloc((total + 1) * sizeof(int32_t))
        count = <int64_t*>malloc((total + 2) * sizeof(int64_t))
        if (a.root == NULL or a.fail == NULL or a.output == NULL or a.next_same == NULL or a.output_link == NULL or a.depth == NULL
                or a.needs_edge == NULL or a.next_symbol == NULL or a.keys == NULL or a.values == NULL or parent == NULL or symbol == NULL
                or order == NULL or count == NULL):
            raise MemoryError
        memset(a.root, 0, symbols * sizeof(int32_t))
        memset(a.keys, 0, (a.mask + 1) * sizeof(uint64_t))
        a.states = 1
        a.fail[0] = 0
        a.output[0] = -1
        a.output_link[0] = 0
        a.depth[0] = 0
        a.next_symbol[0] = -1
        for i in range(strings):
            if bounds[i] == bounds[i + 1]:
                continue
            state = 0
            for k in range(bounds[i], bounds[i + 1]):
                child = a.root[flat[k]] if state == 0 else automaton_goto(a, state, flat[k])
                if child == 0:
                    child = <int32_t>a.states
                    a.states += 1
                    a.output[child] = a.next_symbol[child] = -1
                    a.depth[child] = a.depth[state] + 1
                    parent[child] = state
                    symbol[child] = flat[k]
                    if state == 0:
                        a.root[flat[k]] = child
                    elif child == state + 1:
                        a.next_symbol[state] = flat[k]
                    else:
                        key = <uint64_t>state * <uint64_t>symbols + <uint64_t>flat[k] + 1
                        place = (key * <uint64_t>0x9E3779B97F4A7C15) >> 32 & a.mask
                        while a.keys[place]:
                            place = (place + 1) & a.mask
                        a.keys[place] = key
                        a.values[place] = child
                state = child
            a.next_same[i] = a.output[state]
            a.output[state] = <int32_t>i
            a.needs_edge[state] |= edges[i] != 0
        # Failure links in the order of depth (counting sort).
        memset(count, 0, (total + 2) * sizeof(int64_t))
        for i in range(1, a.states):
            count[a.depth[i] + 1] += 1
        for i in range(1, total + 2):
            count[i] += count[i - 1]
        for i in range(1, a.states):
            order[count[a.depth[i]]] = <int32_t>i
            count[a.depth[i]] += 1
        for i in range(a.states - 1):
            state = order[i]
            if parent[state] == 0:
                f = 0
            else:
                f = automaton_step(a, a.fail[parent[state]], symbol[state])
            a.fail[state] = f
            a.output_link[state] = f if a.output[f] >= 0 else a.output_link[f]
            a.needs_edge[state] |= a.needs_edge[a.output_link[state]]
        shrink(<void**>&a.fail, a.states * sizeof(int32_t))
        shrink(<void**>&a.output, a.states * sizeof(int32_t))
        shrink(<void**>&a.output_link, a.states * sizeof(int32_t))
        shrink(<void**>&a.depth, a.states * sizeof(int32_t))
        shrink(<void**>&a.next_symbol, a.states * sizeof(int32_t))
        shrink(<void**>&a.needs_edge, a.states)
    finally:
        free(parent)
        free(symbol)
        free(order)
        free(count)
    return 0


cdef void automaton_free(Automaton* a) noexcept nogil:
    if a == NULL:
        return
    free(a.root)
    free(a.fail)
    free(a.output)
    free(a.next_same)
    free(a.output_link)
    free(a.depth)
    free(a.needs_edge)
    free(a.next_symbol)
    free(a.keys)
    free(a.values)
    free(a)


# ------------------------------------------------------------------------------------------------------------ fillers of slots
# Whether a filler of a slot at an edge of a line is of a kind: the twin of `text.slots`, which has the kinds as expressions.
#
# A filler is read word by word, from the string towards the edge of the line, until a word is not of the kind or the line
# ends.  After a string, a filler of a kind has a bounded number of words; before a string, results are cached.  So a text in
# which strings with slots follow each other takes linear time.


cdef struct Fillers:
    uint8_t* kind           # kind of the filler of each string; NULL if all are ANYTHING
    Table days              # words of dates, and of durations; owned by WordLists
    Table times


cdef struct LineWalk:
    # Cached result for one kind: for each byte from `begin` to `place` of a line, whether the text from the beginning of the
    # line to it is of the kind.
    int64_t place
    int64_t begin
    bint is_kind


cdef struct WalkCache:
    # Of a text, the last walk of each kind.
    LineWalk[5] walk
    int64_t token           # the last token from which a line was walked back, and the first token of that line
    int64_t first
    int64_t headlines       # the first token before a run of headlines that was walked, and the last one of the run
    int64_t headlines_end
    int64_t opening         # where the first token of a line is, and whether the line is of the head of its text
    bint opens


cdef enum:
    # Classes of characters: line break, separator of words, a token of its own, punctuation, digit, lower-case letter, the rest.
    CHAR_BREAK = 0
    CHAR_SEPARATOR = 1
    CHAR_OWN = 2
    CHAR_SIGN = 3
    CHAR_DIGIT = 4
    CHAR_SMALL = 5
    CHAR_OTHER = 6


cdef int classify_char(const Spec* spec, const uint8_t* p, int64_t n, int* width) noexcept nogil:
    """Class of the character at p, with n bytes left in the text; its width in bytes (OUT)."""
    cdef uint32_t c = p[0]
    if c < 0x80:
        width[0] = 1
        if spec.kind[c] == SPACE:
            return CHAR_BREAK if c == 10 else CHAR_SEPARATOR
        if spec.kind[c] == SEPARATOR:
            return CHAR_SEPARATOR
        if is_digit(<uint8_t>c):
            return CHAR_DIGIT
        if is_lower(<uint8_t>c):
            return CHAR_SMALL
        return CHAR_SIGN if 33 <= c <= 126 and not is_upper(<uint8_t>c) else CHAR_OTHER
    c = decode(p, n, width)
    if is_wide_space(c):
        return CHAR_BREAK if is_wide_break(c) else CHAR_SEPARATOR
    if is_own_token(c):
        return CHAR_OWN
    if is_any_digit(c) or is_other_digit(c):
        return CHAR_DIGIT
    if is_sign(c):
        return CHAR_SIGN
    if is_small(c):
        return CHAR_SMALL
    return CHAR_OTHER


cdef int classify_char_before(const Spec* spec, const uint8_t* p, int64_t i, int64_t* start) noexcept nogil:
    """Class of the character before i, and where it begins (OUT)."""
    cdef int64_t k = i - 1
    cdef int width = 0, kind
    while k > 0 and i - k < 4 and p[k] & 0xC0 == 0x80:
        k -= 1
    start[0] = k
    kind = classify_char(spec, p + k, i - k, &width)
    return kind if width == i - k else CHAR_OTHER


cdef bint is_figures_or_word(const Spec* spec, const Table* known, const uint8_t* p, int64_t n) noexcept nogil:
    """Whether a word of n bytes is figures and signs alone, or these with one of the known words between them."""
    cdef int64_t i = 0, before = 0
    cdef int width = 0, kind
    while i < n:
        kind = classify_char(spec, p + i, n - i, &width)
        if kind != CHAR_SIGN and kind != CHAR_DIGIT:
            break
        i += width
    if i == n:
        return True
    p += i
    n -= i
    while True:
        kind = classify_char_before(spec, p, n, &before)
        if kind != CHAR_SIGN and kind != CHAR_DIGIT:
            break
        n = before
    return known != NULL and table_find(known, p, n, tm_hash(p, n)) >= 0


cdef bint is_word_of_kind(const Fillers* f, const Spec* spec, const uint8_t* p, int64_t n, uint8_t kind, bint after_string,
                          bint* small) noexcept nogil:
    """Whether a word of n bytes is of a kind; for NAMES, `small` (OUT) is whether it begins with a lower-case letter."""
    cdef int64_t i = 0, letters = 0
    cdef int width = 0, char
    if kind == NUMBERS:
        return is_figures_or_word(spec, NULL, p, n)
    if kind == DATES:
        return is_figures_or_word(spec, &f.days, p, n)
    if kind == DURATIONS:
        return is_figures_or_word(spec, &f.times, p, n)
    char = classify_char(spec, p, n, &width)
    while char == CHAR_SMALL and i < n:
        letters += 1
        i += width
        if i < n:
            char = classify_char(spec, p + i, n - i, &width)
    small[0] = letters > 0
    if letters:
        return (after_string or letters <= MAX_SMALL_LETTERS) and i == n
    return char != CHAR_OWN and not is_caseless(decode(p, n, &width))


cdef inline bint is_address_char(const uint8_t* p, int64_t n) noexcept nogil:
    """Whether an address may hold the character at p, of n bytes: a visible one of ASCII, or one of two bytes."""
    cdef int width = 0
    return 33 <= p[0] <= 126 or is_two_bytes(decode(p, n, &width))


cdef bint has_address_sign(const uint8_t* p, int64_t n) noexcept nogil:
    """Whether a dot, slash, colon or at-sign is before a letter or digit, which shows that a word is an address."""
    cdef int64_t i
    for i in range(n - 1):
        if is_address_sign(p[i]) and (is_alnum(p[i + 1]) or p[i + 1] >= 0x80):
            return True
    return False


cdef inline int next_char(const Spec* spec, const uint8_t* p, int64_t n, int64_t i, bint after_string, int64_t* next) noexcept nogil:
    """Class of the character after i, or before it if the filler is before the string, and the position beyond it (OUT);
    CHAR_BREAK at the ends of the text."""
    cdef int width = 0, kind
    if not after_string:
        return classify_char_before(spec, p, i, next) if i > 0 else CHAR_BREAK
    if i >= n:
        return CHAR_BREAK
    kind = classify_char(spec, p + i, n - i, &width)
    next[0] = i + width
    return kind


cdef bint is_address(const Spec* spec, const uint8_t* p, int64_t n, int64_t i, bint after_string, bint glued) noexcept nogil:
    """Whether the text from i to the edge of its line is one address, or nothing; `glued` if it is glued to the string."""
    cdef int64_t first = i, edge = i, next = i, size = 0
    cdef int char
    while True:
        char = next_char(spec, p, n, i, after_string, &next)
        if char == CHAR_BREAK or not is_address_char(p + min(i, next), max(i, next) - min(i, next)):
            break
        i = next
        size += 1
        if char != CHAR_SEPARATOR:
            edge = i
            if glued and size >= MAX_GLUED_SIZE:
                return False
    while char == CHAR_SEPARATOR:
        i = next
        char = next_char(spec, p, n, i, after_string, &next)
    if char != CHAR_BREAK:
        return False
    return glued or edge == first or has_address_sign(p + min(first, edge), max(first, edge) - min(first, edge))


cdef int64_t glued_word_end(const Spec* spec, const uint8_t* p, int64_t n, int64_t i, bint after_string) noexcept nogil:
    """Where the word that is glued to the string ends; -1 if it has a character that is a token, or too many joints."""
    cdef int64_t next = i
    cdef int char = next_char(spec, p, n, i, after_string, &next), joints = 0
    cdef bint joint, before
    # After a joint at the end of the string a new word begins; before the string, the string itself follows.
    before = not after_string
    while char > CHAR_SEPARATOR:
        if char == CHAR_OWN:
            return -1
        joint = is_joint(p[min(i, next)])
        # Count the joints that a part of the word follows in the order of the text.
        joints += not joint and before if after_string else joint and not before
        if joints > MAX_GLUED_JOINTS:
            return -1
        before = joint
        i = next
        char = next_char(spec, p, n, i, after_string, &next)
    return i


cdef bint is_filler_of_kind(const Fillers* f, const Spec* spec, const uint8_t* p, int64_t n, int64_t i, bint after_string,
                            uint8_t kind, WalkCache* walks) noexcept nogil:
    """Whether the filler between a string and an edge of its line is of a kind.

    Parameters
    ----------
    i : int
        Byte where the string ends, or begins.
    after_string : bool
        Whether the filler is from the end of the string to the end of its line; else from the beginning of the line to it.
    walks : WalkCache* (INOUT)
        Results of earlier walks to the beginning of a line in this text.
    """
    cdef int64_t next = i, edge, nearest = -1, begin = -1
    cdef int char = next_char(spec, p, n, i, after_string, &next), words = 0, run = 0
    cdef bint is_kind = True, small = False
    cdef LineWalk* cached = NULL
    if char > CHAR_SEPARATOR:
        if kind == ADDRESS:
            return char != CHAR_OWN and is_address(spec, p, n, next, after_string, True)
        i = glued_word_end(spec, p, n, i, after_string)
        if i < 0:
            return False
        char = next_char(spec, p, n, i, after_string, &next)
    if not after_string and kind != ADDRESS:
        cached = &walks.walk[kind - NUMBERS]
    while char != CHAR_BREAK:
        if char == CHAR_SEPARATOR:
            i = next
            char = next_char(spec, p, n, i, after_string, &next)
            continue
        if kind == ADDRESS:
            return is_address(spec, p, n, i, after_string, False)
        if cached != NULL:
            nearest = i if nearest < 0 else nearest
            if cached.begin <= i <= cached.place:
                is_kind = cached.is_kind
                begin = cached.begin
                break
        edge = begin = i
        while char > CHAR_SEPARATOR:
            i = next
            char = next_char(spec, p, n, i, after_string, &next)
        is_kind = is_word_of_kind(f, spec, p + min(edge, i), max(edge, i) - min(edge, i), kind, after_string, &small)
        if after_string:
            run = run + 1 if small else 0
            words += not small
            is_kind = is_kind and run <= MAX_SMALL_RUN and words <= (MAX_NAME_WORDS if kind == NAMES else MAX_FIGURE_WORDS)
        if not is_kind:
            break
    else:
        begin = i
    if cached != NULL and nearest > cached.place:
        cached[0] = LineWalk(nearest, begin, is_kind)
    return is_kind


cdef void walks_clear(WalkCache* walks) noexcept nogil:
    """Forget all walks, before another text."""
    cdef int k
    for k in range(NAMES - NUMBERS + 1):
        walks.walk[k].place = -1
    walks.token = walks.headlines_end = walks.opening = -1


cdef tuple fillers_init(Fillers* f, bytes kinds, list known):
    """Copy the kinds of strings, and refer to the words of dates and of durations; returns the WordLists that own these."""
    cdef WordList days, times
    if not any(kinds):
        return ()
    for kind in set(kinds):
        if kind >= MAX_SIZED_SLOT and not NUMBERS <= kind <= DATELINE:
            raise ValueError(f"expected kinds less than {MAX_SIZED_SLOT}, or {NUMBERS} to {DATELINE}, got {kind}")
    if len(known) != 2:
        raise ValueError(f"expected the words of dates and those of durations, got {len(known)} lists")
    f.kind = <uint8_t*>malloc(len(kinds))
    if f.kind == NULL:
        raise MemoryError
    memcpy(f.kind, <const uint8_t*>kinds, len(kinds))
    days, times = [intern_word_list(list(words), [1] * len(words)) for words in known]
    f.days = days.table
    f.times = times.table
    return days, times


cdef void fillers_free(Fillers* f) noexcept nogil:
    if f != NULL:
        free(f.kind)
        free(f)


cdef class FillerKinds(Scanner):
    """Tells whether fillers are of a kind, as `Matcher` does where it finds them.

    Parameters
    ----------
    separators, mask, words, numbers, html
        As of `Scanner`.
    known : two lists of bytes
        The words of dates, and of durations.
    """

    cdef Fillers fillers
    cdef tuple filler_words     # which own the words of `fillers`

    def __cinit__(self, bytes separators, bytes mask, list words, list numbers, bint html, list known not None):
        memset(&self.fillers, 0, sizeof(Fillers))
        self.filler_words = fillers_init(&self.fillers, bytes((NAMES,)), known)

    def __dealloc__(self):
        free(self.fillers.kind)

    def is_of_kind(self, bytes filler not None, int kind, bint after_string):
        """Whether a filler is of one of the kinds from `NUMBERS` on: UTF-8, what stands between a string and the edge of its
        line, behind the string or before it."""
        cdef const uint8_t* p = filler
        cdef int64_t n = len(filler)
        cdef WalkCache walks
        if not NUMBERS <= kind <= NAMES:
            raise ValueError(f"expected a kind from {NUMBERS} to {NAMES}, got {kind}")
        walks_clear(&walks)
        return is_filler_of_kind(&self.fillers, &self.spec, p, n, 0 if after_string else n, after_string, kind, &walks)


# ----------------------------------------------------------------------------------------------------------------- the matcher
# Finds the strings of a pack in texts: one pass over the tokens with the automaton, then the union, the guard and the cut.
#
# The input is texts and pages as UTF-8 bytes and the strings of a pack as numbers; the output is spans: start, end, which
# strings.  Matching is linear in the bytes of the text and in the matches; building is linear in the tokens of the pack.
# `Matcher.spans` and `clean` also take a str.  See `text._scan` for what holds of all native modules.


cdef extern from *:
    """
    /* A flag between threads that run without the GIL: a thread that reads it set also sees all that was written before it
       was set.  A plain flag would not do where the processor reorders stores, as ARM's do. */
    #define tm_store_release(flag, value) __atomic_store_n(flag, value, __ATOMIC_RELEASE)
    #define tm_load_acquire(flag) __atomic_load_n(flag, __ATOMIC_ACQUIRE)
    """
    void tm_store_release(bint* flag, bint value) noexcept nogil
    bint tm_load_acquire(bint* flag) noexcept nogil


cdef enum:
    NO_FORM = -1                    # id of a token whose form is not in the vocabulary
    SIEVE_SAMPLE_BYTES = 1 << 16    # bytes of text that are collected before the sieve, which takes milliseconds, is built
    SIEVE_TRIAL_BYTES = 1 << 16     # bytes of text after which it is decided whether the sieve saves time
    MAX_REST_BYTES = 2048           # bytes between an occurrence and the edge of its line: far more than a slot takes
    REACHES_LINE = 1                # what a region lacks: the rest of a line, or all lines behind it
    REACHES_LINES = 2


cdef enum:
    CACHED_TOKENS = 2048            # tokens whose ids a Scratch caches
    MAX_SPARE_BYTES = 1 << 23       # bytes of the largest Scratch that is kept for later calls


cdef struct CachedToken:
    # The key of a short token (tm_key), and the id of its form in the vocabulary of a matcher.
    uint64_t a
    uint64_t b
    uint64_t owner          # number of the matcher << 5 | bytes of the token
    int64_t id


cdef struct Scratch:
    # Memory of one call, which later calls reuse; the ids of short tokens are cached from call to call.
    Tokens tokens
    Occurrences found       # matches: position is the first token, length the last token, count the string
    Occurrences heads       # the same of heads whose line is not yet over
    Occurrences named       # the same of all heads of a region before names, by their ends; count -1 once a match has one
    Regions regions
    Bytes utf8
    Form reading
    uint8_t* form
    int64_t room
    CachedToken token_cache[CACHED_TOKENS]
    WalkCache walks
    int32_t* state_runs     # of each state of the automaton, the number of the run in which its strings were last added
    int64_t state_run_room
    int32_t run             # number of the present run of overlapping matches; unique, also between matchers
    int64_t run_last        # last token of that run


cdef struct TextResult:
    StrView text
    int verdict
    int64_t spans
    int64_t pieces


cdef void scratch_free(Scratch* scratch) noexcept nogil:
    tokens_free(&scratch.tokens)
    occurrences_free(&scratch.found)
    occurrences_free(&scratch.heads)
    occurrences_free(&scratch.named)
    free(scratch.regions.region)
    free(scratch.utf8.data)
    form_free(&scratch.reading)
    free(scratch.form)
    free(scratch.state_runs)
    free(scratch)


# Scratches of ended calls, of all matchers; guarded by the GIL.
cdef Scratch** free_scratches = NULL
cdef int64_t free_count = 0
cdef int64_t free_room = 0


cdef Scratch* scratch_acquire() except NULL:
    """A scratch for one call, new or reused; `scratch_release` takes it back."""
    global free_count
    cdef Scratch* scratch
    if free_count:
        free_count -= 1
        return free_scratches[free_count]
    scratch = <Scratch*>calloc(1, sizeof(Scratch))
    if scratch == NULL:
        raise MemoryError
    return scratch


cdef void scratch_release(Scratch* scratch) noexcept:
    """Keep a scratch for later calls, or free it if it has become large, since kept ones are never freed."""
    global free_count, free_scratches, free_room
    cdef void* grown
    scratch.found.size = 0
    if (scratch.utf8.room + form_room(&scratch.reading) + scratch.room + scratch.tokens.room * 17
            + (scratch.found.room + scratch.named.room) * 20 + scratch.regions.room * sizeof(Region)
            + scratch.state_run_room * sizeof(int32_t)) > MAX_SPARE_BYTES:
        scratch_free(scratch)
        return
    if free_count == free_room:
        grown = realloc(free_scratches, (free_room + 8) * sizeof(Scratch*))
        if grown == NULL:
            scratch_free(scratch)
            return
        free_scratches = <Scratch**>grown
        free_room += 8
    free_scratches[free_count] = scratch
    free_count += 1


cdef struct FoundMatch:
    uint64_t key            # last token << 32 | place among the matches, so that equal ones keep their order
    int64_t position
    int32_t count


cdef int compare_keys(const void* a, const void* b) noexcept nogil:
    cdef uint64_t first = (<const FoundMatch*>a).key, second = (<const FoundMatch*>b).key
    return (first > second) - (first < second)


cdef int sort_by_end(Occurrences* found) except -1 nogil:
    """Sort matches by their last token: headlines may end far behind the matches that follow."""
    cdef FoundMatch* matches = <FoundMatch*>malloc(found.size * sizeof(FoundMatch))
    cdef int64_t i
    if matches == NULL:
        with gil:
            raise MemoryError
    for i in range(found.size):
        matches[i] = FoundMatch(<uint64_t>found.length[i] << 32 | <uint64_t>i, found.position[i], found.count[i])
    qsort(matches, found.size, sizeof(FoundMatch), compare_keys)
    for i in range(found.size):
        found.length[i] = <int32_t>(matches[i].key >> 32)
        found.position[i] = matches[i].position
        found.count[i] = matches[i].count
    free(matches)
    return 0


cdef int64_t write_form(Scanner scanner, const uint8_t* p, int64_t n, uint8_t kind, Scratch* scratch) except -1 nogil:
    """Write the form of a token into the scratch; returns its bytes."""
    reserve(<void**>&scratch.form, &scratch.room, 2 * n + 32, 1)
    if kind == WORD:
        return normalise(&scanner.spec, p, n, scratch.form)
    return tag_form(&scanner.spec, p, n, kind, scratch.form)


cdef bint is_headline(const Spec* spec, const uint8_t* p, int64_t start, int64_t end) noexcept nogil:
    """Whether a line, without blanks and separators at its edges, is short and does not end as sentences and their parts do, or
    with a blank before what closes it; or is some signs alone."""
    cdef int64_t last = end
    cdef int closers = 0, signs = 0, width = 1
    cdef uint32_t c = 0
    while last > start and signs <= MAX_CLOSERS:
        last -= 1
        while last > start and (p[last] & 0xC0) == 0x80:
            last -= 1
        c = decode(p + last, end - last, &width)
        if not (is_closer(c) or is_stop(c)):
            break
        signs += 1
    else:
        if signs <= MAX_CLOSERS:
            return True
    while end > start:
        last = end - 1
        while last > start and (p[last] & 0xC0) == 0x80:
            last -= 1
        c = decode(p + last, end - last, &width)
        if not is_closer(c):
            break
        closers += 1
        end = last
    return (end > start and closers <= MAX_CLOSERS and not is_stop(c) and count_points(p, start, end) <= MAX_HEADLINE
            and classify_char(spec, p + last, end - last, &width) > CHAR_SEPARATOR)


cdef bint reach_headlines(const Spec* spec, const uint8_t* p, const Tokens* tokens, WalkCache* walks, int64_t* last) noexcept nogil:
    """Move the last token (INOUT) of a match to the end of the headlines behind its line; False if its line goes on.

    From within a run that was walked before (INOUT) its end is the same.
    """
    cdef int64_t i = last[0], end
    if i + 1 < tokens.size and not tokens.kind[i + 1] & FIRST_IN_LINE:
        return False
    if walks.headlines <= i <= walks.headlines_end:
        last[0] = walks.headlines_end
        return True
    while i + 1 < tokens.size:
        end = i + 1
        # A code point has at most four bytes.
        while (end + 1 < tokens.size and not tokens.kind[end + 1] & FIRST_IN_LINE
                and tokens.end[end] - tokens.start[i + 1] <= 4 * (MAX_HEADLINE + MAX_CLOSERS)):
            end += 1
        if end + 1 < tokens.size and not tokens.kind[end + 1] & FIRST_IN_LINE:
            break
        if not is_headline(spec, p, tokens.start[i + 1], tokens.end[end]):
            break
        i = end
    walks.headlines = last[0]
    walks.headlines_end = last[0] = i
    return True


cdef inline bint is_spaced_dash(uint32_t c) noexcept nogil:
    """Whether c is one of `slots.DASHES`."""
    return 0x2013 <= c <= 0x2015


cdef bint is_in_head(const Spec* spec, const uint8_t* p, int64_t start, WalkCache* walks) noexcept nogil:
    """Whether few lines, none of which ends as prose does or holds a dash, go before that whose first token begins at
    `start`."""
    cdef int64_t i = start, end
    cdef int breaks = 0, char, width = 1
    cdef bint is_last = False
    cdef uint32_t c
    if walks.opening != start:
        walks.opening = start
        walks.opens = True
        while i > 0 and walks.opens:
            end = i
            char = classify_char_before(spec, p, i, &i)
            if char == CHAR_BREAK:
                breaks += 1
                is_last = True
            elif breaks and char != CHAR_SEPARATOR:
                c = decode(p + i, end - i, &width)
                walks.opens = not is_spaced_dash(c) and not (is_last and ends_prose(c))
                is_last = False
            walks.opens = walks.opens and breaks <= MAX_HEAD_BREAKS
    return walks.opens


cdef bint has_barred_char(const uint8_t* p, int64_t n) noexcept nogil:
    """Whether a word holds a figure, a quote, a dash or a sign that no place has: `slots.BARRED`."""
    cdef int64_t i = 0
    cdef int width = 1
    cdef uint32_t c
    while i < n:
        c = decode(p + i, n - i, &width)
        if (is_any_digit(c) or is_other_digit(c) or c == c'"' or c == c'?' or c == c'!' or c == c':' or c == c';' or is_spaced_dash(c)
                or 0x201C <= c <= 0x201F or c == 0x2026 or c == 0xAB or c == 0xBB or c == 0x2039 or c == 0x203A):
            return True
        i += width
    return False


cdef bint opens_as_dateline(const Fillers* f, const Spec* spec, const uint8_t* p, int64_t n, int64_t i, WalkCache* walks) noexcept nogil:
    """Whether a line of the head of a text begins with the words of a place before a string, which begins at i; to a
    character that is a token of its own the last word may be glued."""
    cdef int64_t next = i, edge
    cdef int char = next_char(spec, p, n, i, False, &next), words = 0, width = 1
    cdef bint small = False
    if char > CHAR_SEPARATOR and not is_own_token(decode(p + i, n - i, &width)):
        return False
    while char != CHAR_BREAK:
        if char == CHAR_SEPARATOR:
            i = next
            char = next_char(spec, p, n, i, False, &next)
            continue
        edge = i
        while char > CHAR_SEPARATOR:
            if char == CHAR_OWN:
                return False
            i = next
            char = next_char(spec, p, n, i, False, &next)
        words += 1
        if (words > MAX_PLACE_WORDS or not is_word_of_kind(f, spec, p + i, edge - i, NAMES, False, &small)
                or has_barred_char(p + i, edge - i)):
            return False
    return is_in_head(spec, p, i, walks)


cdef bint goes_on_small(const Spec* spec, const uint8_t* p, int64_t n, int64_t i) noexcept nogil:
    """Whether the text at i goes on, in its line, with a small letter."""
    cdef int char = CHAR_SEPARATOR
    while char == CHAR_SEPARATOR:
        char = next_char(spec, p, n, i, True, &i)
    return char == CHAR_SMALL


cdef bint reach_edge(const Fillers* fillers, const Spec* spec, const uint8_t* p, int64_t n, const Tokens* tokens, uint8_t edge,
                     uint8_t kind, WalkCache* walks, int64_t* first, int64_t* last) noexcept nogil:
    """Move the first or last token (INOUT) of a match to the edge of its line, as the bits of `edge` say.

    Returns False if the filler between is too long, or not of the kind of the slot.
    """
    cdef int64_t i = last[0], k = first[0], limit = kind if kind else SLOT_SIZE
    if kind == HEADLINES:
        return reach_headlines(spec, p, tokens, walks, last)
    if kind == DATELINE:
        if goes_on_small(spec, p, n, tokens.end[i]) or not opens_as_dateline(fillers, spec, p, n, tokens.start[k], walks):
            return False
        while k > 0 and not tokens.kind[k] & FIRST_IN_LINE:
            k -= 1
        first[0] = k
        return True
    if kind >= NUMBERS:
        if edge & TO_END:
            if not is_filler_of_kind(fillers, spec, p, n, tokens.end[i], True, kind, walks):
                return False
            while i + 1 < tokens.size and not tokens.kind[i + 1] & FIRST_IN_LINE:
                i += 1
        if edge & TO_BEGIN:
            if not is_filler_of_kind(fillers, spec, p, n, tokens.start[k], False, kind, walks):
                return False
            while k > 0 and not tokens.kind[k] & FIRST_IN_LINE and not walks.first <= k <= walks.token:
                k -= 1
            if walks.first <= k <= walks.token:
                k = walks.first
            elif k > walks.token:
                walks.first = k
            walks.token = max(walks.token, first[0])
        last[0] = i
        first[0] = k
        return True
    if edge & TO_END:
        while i + 1 < tokens.size and not tokens.kind[i + 1] & FIRST_IN_LINE:
            i += 1
            # A code point has at most four bytes.
            if tokens.end[i] - tokens.end[last[0]] > 4 * limit:
                return False
        if count_points(p, tokens.end[last[0]], tokens.end[i]) > limit:
            return False
    if edge & TO_BEGIN:
        while k > 0 and not tokens.kind[k] & FIRST_IN_LINE:
            k -= 1
            if tokens.start[first[0]] - tokens.start[k] > 4 * limit:
                return False
        if count_points(p, tokens.start[k], tokens.start[first[0]]) > limit:
            return False
    last[0] = i
    first[0] = k
    return True


cdef int64_t span_from_head(int32_t head, const uint8_t* p, const Tokens* tokens, Occurrences* heads, int64_t k) noexcept nogil:
    """First token of the match of a string that begins at token k, with what comes before it: a head of its line, and a
    filler between of `MIN_BETWEEN` to `SLOT_SIZE` characters.  -1 if there is none.

    Of several heads it is the earliest.  All that may open this match open no other, as the filler of an expression ends
    where it first may; what is too far away for this match is so for any that comes.
    """
    cdef int64_t first = -1, i, j, kept = 0, size
    for i in range(heads.size):
        if heads.count[i] == head and heads.length[i] < k:
            size = tokens.start[k] - tokens.end[heads.length[i]]
            # A code point has at most four bytes.
            if size <= 4 * SLOT_SIZE:
                size = count_points(p, tokens.end[heads.length[i]], tokens.start[k])
            j = heads.position[i] + 1
            while size <= SLOT_SIZE and j < k and not tokens.kind[j] & FIRST_IN_LINE:
                j += 1
            if size > SLOT_SIZE or tokens.kind[j] & FIRST_IN_LINE:
                continue
            if size >= MIN_BETWEEN:
                first = heads.position[i] if first < 0 else min(first, heads.position[i])
                continue
        heads.position[kept] = heads.position[i]
        heads.length[kept] = heads.length[i]
        heads.count[kept] = heads.count[i]
        kept += 1
    heads.size = kept
    return first


cdef inline bint begins_with_dash(const uint8_t* p, int64_t n) noexcept nogil:
    """Whether a word of n bytes begins with a dash, U+2013 to U+2015."""
    return n >= 3 and p[0] == 0xE2 and p[1] == 0x80 and 0x93 <= p[2] <= 0x95


cdef int64_t span_from_names(const Fillers* f, const Spec* spec, int32_t head, const uint8_t* p, const Tokens* tokens,
                             Occurrences* heads, int64_t k) noexcept nogil:
    """First token of the match of a string that begins at token k, with its head and the names between; -1 if there is none.

    The words before the string are read backwards as long as they are names, which is a bounded number, and no word is read
    for more strings than that; at the blank before each may be the end of a head.  As of `span_from_head`, the earliest one
    counts, and all that may open this match open no other.
    """
    cdef int64_t i = tokens.start[k], next = i, edge, low = 0, high = heads.size, place, first = -1, j
    cdef int char = next_char(spec, p, i, i, False, &next), words = 0, run = 0
    cdef bint small = False
    while low < high:
        place = (low + high) // 2
        if tokens.end[heads.length[place]] < i:
            low = place + 1
        else:
            high = place
    place = low - 1
    while char == CHAR_SEPARATOR:
        while char == CHAR_SEPARATOR:
            i = next
            char = next_char(spec, p, i, i, False, &next)
        while place >= 0 and tokens.end[heads.length[place]] >= i:
            if heads.count[place] == head and tokens.end[heads.length[place]] == i:
                heads.count[place] = -1
                j = heads.position[place] + 1
                while j <= heads.length[place] and not tokens.kind[j] & FIRST_IN_LINE:
                    j += 1
                if j > heads.length[place]:
                    first = heads.position[place] if first < 0 else min(first, heads.position[place])
            place -= 1
        edge = i
        while char > CHAR_SEPARATOR:
            i = next
            char = next_char(spec, p, i, i, False, &next)
        if i == edge or begins_with_dash(p + i, edge - i) or not is_word_of_kind(f, spec, p + i, edge - i, NAMES, True, &small):
            break
        run = run + 1 if small else 0
        words += not small
        if run > MAX_SMALL_RUN or words > MAX_NAME_WORDS:
            break
    return first


cdef void drop_distant_heads(const Tokens* tokens, Occurrences* heads, int64_t k) noexcept nogil:
    """Forget the heads that no match from token k on can begin with, for a line may hold any number."""
    cdef int64_t i, kept = 0
    for i in range(heads.size):
        if tokens.start[k] - tokens.end[heads.length[i]] <= 4 * SLOT_SIZE:
            heads.position[kept] = heads.position[i]
            heads.length[kept] = heads.length[i]
            heads.count[kept] = heads.count[i]
            kept += 1
    heads.size = kept


cdef TextResult* new_results(int64_t number) except NULL:
    """Zeroed records of `number` texts, for `free`."""
    cdef TextResult* results = <TextResult*>calloc(max(number, 1), sizeof(TextResult))
    if results == NULL:
        raise MemoryError
    return results


cdef struct Rest:
    # The text between an occurrence and an edge of its line, as a part of `Rests.bytes`.
    int64_t text            # index of the text, and of the string
    int32_t string
    int64_t start
    int64_t end


cdef struct Rests:
    Rest* rest
    int64_t size
    int64_t room
    Bytes bytes


cdef uint64_t matcher_count = 0     # matchers made so far


cdef class Matcher(Scanner):
    """Finds all strings of a pack in texts at once, at token boundaries, overlapping ones included.

    Parameters
    ----------
    separators, mask, words, numbers, html
        As the documents were tokenised.
    vocabulary : list of bytes
        The forms in the strings, each once.
    flat, bounds : int32 and int64 arrays
        String i is ``flat[bounds[i]:bounds[i + 1]]``, places in `vocabulary`.
    edges : uint8 array, shape (strings,), optional
        Bits: 1 string i matches only where it begins a line, 2 where it ends one; 4 its match reaches to the end of the
        line, 8 to its beginning, and there must be a filler of its kind between; 16 its matches are kept whole.
    sieve : int, default 1
        Whether to tokenise only where strings may be (`Sieve`): 0 never, 1 where that is faster, 2 always, for tests.
        The matches are the same.
    kinds : bytes, optional
        `slots.kind_code` of the filler between string i and the edge of the line that its match reaches to; 0 for anything
        of at most `slots.SLOT_SIZE` characters.
    known : list of list of bytes, optional
        Words of dates and of durations, if a kind needs them.
    codes : bytes, optional
        Code of the kind of boilerplate that string i is, 0 for none; spans then have one kind each.
    weights : int32 array, shape (strings,), optional
        Of the strings in a span the one of the greatest weight says its kind.
    heads : int32 array, shape (strings,), optional
        Of a string with the bit 64 in `edges`, the string that its match begins with; -1 of others.  Such strings, with the
        bit 32, come last, and count as none elsewhere.  Between
        are 2 to `slots.SLOT_SIZE` characters of the same line, or names if the kinds of both say so, to the first place
        where the string stands.
    """

    def __cinit__(self, bytes separators, bytes mask, list words, list numbers, bint html, list vocabulary,
                  const int32_t[::1] flat not None, const int64_t[::1] bounds not None, const uint8_t[::1] edges=None,
                  int sieve=1, bytes kinds=b"", list known=None, bytes codes=b"", const int32_t[::1] weights=None,
                  const int32_t[::1] heads=None):
        cdef bytes form
        cdef uint64_t h
        cdef int64_t i, strings = bounds.shape[0] - 1
        global matcher_count
        matcher_count += 1
        self.matcher_number = matcher_count
        self.automaton = <Automaton*>calloc(1, sizeof(Automaton))
        self.fillers = <Fillers*>calloc(1, sizeof(Fillers))
        self.sieve = sieve_new()
        if self.automaton == NULL or self.fillers == NULL:
            raise MemoryError
        table_init(&self.vocabulary)
        if strings < 0:
            raise ValueError("expected bounds, got none")
        for i, form in enumerate(vocabulary):
            if table_add(&self.vocabulary, <const uint8_t*>form, len(form)) != i:
                raise ValueError(f"the form {form!r} stands in the vocabulary twice")
        for i in range(strings):
            if bounds[i] >= bounds[i + 1]:
                raise ValueError(f"string {i} is empty")
        if bounds[0] != 0 or bounds[strings] != flat.shape[0]:
            raise ValueError(f"expected bounds from 0 to {flat.shape[0]}, got {bounds[0]} to {bounds[strings]}")
        if flat.shape[0] >= 0x7FFFFFF0:
            raise CapacityError("more than 2^31 tokens in the expressions of one pack")
        for i in range(flat.shape[0]):
            if not 0 <= flat[i] < self.vocabulary.count:
                raise ValueError(f"token {i}: expected a place in a vocabulary of {self.vocabulary.count}, got {flat[i]}")
        self._mark_own_forms()
        for i in range(256):
            self.byte_class[i] = (0 if is_alpha(<uint8_t>i)
                                  else 1 if 33 <= i <= 126 and memchr(b"!\"&'(),.:;<>?[]^`{|}", <int>i, 20) != NULL else 2)
        self.has_dot_patterns = self.spec.on[ABBREVIATION] or self.spec.on[INITIALS]
        memset(self.hash_filter, 0, sizeof(self.hash_filter))
        for i in range(self.vocabulary.count):
            h = tm_hash(self.vocabulary.arena + self.vocabulary.offset[i],
                        self.vocabulary.offset[i + 1] - self.vocabulary.offset[i])
            self.hash_filter[(h >> 6) & 255] |= <uint64_t>1 << (h & 63)
        for i in range(self.spec.words.count):
            h = tm_hash(self.spec.words.arena + self.spec.words.offset[i],
                        self.spec.words.offset[i + 1] - self.spec.words.offset[i])
            self.hash_filter[(h >> 6) & 255] |= <uint64_t>1 << (h & 63)
        if edges is not None and edges.shape[0] != strings:
            raise ValueError(f"expected edges of {strings} strings, got {edges.shape[0]}")
        self.strings = strings
        while self.strings and edges is not None and edges[self.strings - 1] & HEAD:
            self.strings -= 1
        self.strings_and_heads = strings
        self.edges = <uint8_t*>malloc(strings + 1)
        if self.edges == NULL:
            raise MemoryError
        for i in range(strings):
            self.edges[i] = edges[i] if edges is not None else 0
            self.keeps = self.keeps or self.edges[i] & KEPT
        if codes:
            if len(codes) != strings or weights is None or weights.shape[0] != strings:
                raise ValueError(f"expected codes and weights of {strings} strings, got {len(codes)} codes")
            self.kinds = <uint8_t*>malloc(strings)
            self.weights = <int32_t*>malloc(strings * sizeof(int32_t))
            if self.kinds == NULL or self.weights == NULL:
                raise MemoryError
            memcpy(self.kinds, <const uint8_t*>codes, strings)
            memcpy(self.weights, &weights[0], strings * sizeof(int32_t))
        if heads is not None:
            if heads.shape[0] != strings:
                raise ValueError(f"expected heads of {strings} strings, got {heads.shape[0]}")
            self.heads = <int32_t*>malloc((strings + 1) * sizeof(int32_t))
            if self.heads == NULL:
                raise MemoryError
        for i in range(strings):
            if self.edges[i] & SPANS and not (heads is not None and self.strings <= heads[i] < strings):
                raise ValueError(f"string {i}: expected the string that its match begins with")
            if heads is not None:
                self.heads[i] = heads[i]
        if kinds and len(kinds) != strings:
            raise ValueError(f"expected kinds of {strings} strings, got {len(kinds)}")
        self.filler_words = fillers_init(self.fillers, kinds, known or [[], []])
        automaton_build(self.automaton, &flat[0] if flat.shape[0] else NULL, &bounds[0], self.edges, strings,
                        max(len(vocabulary), 1))
        self._fill_first_filter()
        self.uses_sieve = False
        self.is_sieve_forced = sieve == 2
        self.bytes_seen = self.bytes_passed = self.sieve_steps = 0
        # Not for HTML, as the bytes of a tag are not those of its form.
        self.sieve_strings = (bytes(flat), bytes(bounds)) if sieve and not html else None
        self.is_sampling = self.sieve_strings is not None
        if self.is_sieve_forced:
            self._build_sieve()

    cdef int _build_sieve(self) except -1:
        """Build the sieve from `sieve_strings`, once; other threads search without it meanwhile."""
        cdef Table* forms = &self.vocabulary
        cdef bytes flat, bounds
        cdef int64_t i
        if not self.is_sampling:
            return 0
        flat, bounds = self.sieve_strings
        vocabulary = [(<char*>forms.arena)[forms.offset[i]:forms.offset[i + 1]] for i in range(forms.count)]
        self.sieve_strings = None
        self.is_sampling = False
        sieve_build(self.sieve, &self.spec, vocabulary, <const int32_t*><const char*>flat, <const int64_t*><const char*>bounds,
                    self.strings_and_heads, self.edges)
        tm_store_release(&self.uses_sieve, True)
        return 0

    cdef int _sample_text(self, const uint8_t* p, int64_t n) except -1:
        """Collect a text that is about to be searched; after SIEVE_SAMPLE_BYTES, build the sieve, which learns from the texts
        what is rare."""
        if self.is_sampling:
            n = min(n, SIEVE_SAMPLE_BYTES - self.bytes_seen)
            sieve_add_sample(self.sieve, p, n)
            self.bytes_seen += n
            if self.bytes_seen >= SIEVE_SAMPLE_BYTES:
                self.bytes_seen = 0
                self._build_sieve()
        return 0

    def __dealloc__(self):
        fillers_free(self.fillers)
        sieve_free(self.sieve)
        free(self.edges)
        free(self.kinds)
        free(self.weights)
        free(self.heads)
        free(self.own_form)
        table_free(&self.vocabulary)
        automaton_free(self.automaton)

    cdef int _mark_own_forms(self) except -1:
        cdef const uint8_t* p
        cdef bytearray room
        cdef int64_t i, n
        self.own_form = <uint8_t*>calloc(self.vocabulary.count + 1, 1)
        if self.own_form == NULL:
            raise MemoryError
        for i in range(self.vocabulary.count):
            p = self.vocabulary.arena + self.vocabulary.offset[i]
            n = self.vocabulary.offset[i + 1] - self.vocabulary.offset[i]
            if n == 0:
                raise ValueError("expected forms, got an empty string")
            if memchr(p, MARKER, n) == NULL:
                room = bytearray(2 * n + 32)
                self.own_form[i] = normalise(&self.spec, p, n, room) == n and memcmp(p, <const uint8_t*>room, n) == 0
        return 0

    cdef void _fill_first_filter(self) noexcept:
        """Fill `first_filter` with the short tokens that may begin a string: literal forms that begin one, and the words of the
        closed lists.  Most tokens of a text begin none, and are skipped by it."""
        cdef int64_t i
        memset(self.first_filter, 0, sizeof(self.first_filter))
        for i in range(self.vocabulary.count):
            if self.own_form[i] and self.automaton.root[i]:
                self._add_to_first_filter(self.vocabulary.arena + self.vocabulary.offset[i],
                                          self.vocabulary.offset[i + 1] - self.vocabulary.offset[i])
        for i in range(self.spec.words.count):
            self._add_to_first_filter(self.spec.words.arena + self.spec.words.offset[i],
                                      self.spec.words.offset[i + 1] - self.spec.words.offset[i])

    cdef void _add_to_first_filter(self, const uint8_t* p, int64_t n) noexcept:
        cdef uint64_t h, a = 0, b = 0
        if 0 < n <= MAX_SHORT_BYTES:
            h = tm_key(p, n, p + n, &a, &b)
            self.first_filter[(h >> 38) & 1023] |= <uint64_t>1 << (h >> 32 & 63)

    cdef inline bint _is_own_form(self, const uint8_t* p, int64_t n) noexcept nogil:
        """Whether a word token is surely its own form: ASCII letters and signs that begin no pattern, and no listed word.

        False if it may or may not be; `normalise` then decides.
        """
        cdef int64_t i = 0, start
        cdef uint8_t seen = 0
        cdef uint64_t h
        for i in range(n):
            seen |= self.byte_class[p[i]]
        if seen > 1 or (seen == 1 and self.has_dot_patterns):
            return False
        i = 0
        while i < n:
            while i < n and self.byte_class[p[i]]:
                i += 1
            start = i
            while i < n and not self.byte_class[p[i]]:
                i += 1
            if i > start:
                h = tm_hash(p + start, i - start)
                if self.hash_filter[(h >> 6) & 255] >> (h & 63) & 1 and table_find(&self.spec.words, p + start, i - start, h) >= 0:
                    return False
                if self.spec.on[UPPER] and is_all_upper(p, start, i):
                    return False
                if i < n and p[i] == 46 and (i - start == 1 or (i - start == 3 and p[start] == 119)):
                    return False
        return True

    cdef inline int64_t _find_literal_form(self, const uint8_t* p, int64_t n) noexcept nogil:
        """Place in the vocabulary of the form with the bytes of a word token, if that is the form of the token; else NO_FORM."""
        cdef uint64_t h = tm_hash(p, n)
        cdef int64_t id
        if not self.hash_filter[(h >> 6) & 255] >> (h & 63) & 1:
            return NO_FORM
        id = table_find(&self.vocabulary, p, n, h)
        return id if id >= 0 and self.own_form[id] else NO_FORM

    cdef int64_t _find_form(self, const uint8_t* p, int64_t n, uint8_t kind, Scratch* scratch) except -2 nogil:
        """Place of a token's form in the vocabulary, or NO_FORM."""
        cdef int64_t id
        if kind == WORD:
            id = self._find_literal_form(p, n)
            if id >= 0 or self._is_own_form(p, n):
                return id
        n = write_form(self, p, n, kind, scratch)
        return table_find(&self.vocabulary, scratch.form, n, tm_hash(scratch.form, n))

    cdef int _find_matches(self, const uint8_t* p, int64_t n, Scratch* scratch, bint union_only) except -1 nogil:
        """Find all matches: first token, last token, string, in scratch.found.

        Parameters
        ----------
        union_only : bool
            Leave out matches that change neither the union nor the strings of any of its spans.
        """
        cdef bint ordered = True
        cdef int64_t states
        cdef Regions* regions = &scratch.regions
        scratch.tokens.size = 0
        scratch.run_last = -1
        if union_only and scratch.state_run_room < self.automaton.states:
            states = scratch.state_run_room
            reserve(<void**>&scratch.state_runs, &scratch.state_run_room, self.automaton.states, sizeof(int32_t))
            memset(scratch.state_runs + states, 0, (scratch.state_run_room - states) * sizeof(int32_t))
        if self.fillers.kind != NULL:
            walks_clear(&scratch.walks)
        if not tm_load_acquire(&self.uses_sieve):
            self._search_region(p, 0, n, n, scratch, union_only, False, &ordered)
        else:
            sieve_regions(self.sieve, p, n, regions)
            self._search_regions(p, n, scratch, union_only, &ordered)
            self.bytes_seen += n
            self.sieve_steps += regions.steps
            if (self.bytes_seen > SIEVE_TRIAL_BYTES and not self.is_sieve_forced
                    and not sieve_saves_time(self.bytes_seen, self.bytes_passed, self.sieve_steps)):
                # The sieve costs more than it saves here.  Which texts come first changes the time only, not the matches.
                self.uses_sieve = False
        if not ordered:
            sort_by_end(&scratch.found)
        return 0

    cdef int _add_state_matches(self, int32_t state, int64_t last, Scratch* scratch) except -1 nogil:
        """Add the matches of the strings that end in a state, for a union.

        In a run of overlapping matches each string is added once, and for each token at most one more match.  So time and
        memory are linear in the text, even where strings are nested a thousand deep.
        """
        cdef const Automaton* a = self.automaton
        cdef int64_t first = last - a.depth[state] + 1
        cdef int32_t string
        if first > scratch.run_last:
            if scratch.run == 0x7FFFFFFF:
                memset(scratch.state_runs, 0, scratch.state_run_room * sizeof(int32_t))
                scratch.run = 0
            scratch.run += 1
        scratch.run_last = last
        if scratch.state_runs[state] == scratch.run:
            occurrences_push(&scratch.found, first, last, a.output[state], 0)
            return 0
        while state and scratch.state_runs[state] != scratch.run:
            scratch.state_runs[state] = scratch.run
            string = a.output[state]
            while string >= 0:
                occurrences_push(&scratch.found, last - a.depth[state] + 1, last, string, 0)
                string = a.next_same[string]
            state = a.output_link[state]
        return 0

    cdef int _search_regions(self, const uint8_t* p, int64_t n, Scratch* scratch, bint union_only, bint* ordered) except -1 nogil:
        """Search the regions that the sieve gave.

        Where a string is found whose match reaches to an edge of its line, the whole line is searched again, and where it may
        take lines behind its own, all that follows; that is rare.
        `scratch.regions` then holds the regions that were searched, merged with such lines.
        """
        cdef Regions* regions = &scratch.regions
        cdef Region* last
        cdef Region region
        cdef int64_t i = 0, done = 0
        cdef bint is_whole
        cdef int reach
        while i < regions.size:
            region = regions.region[i]
            region.tokens, region.found = scratch.tokens.size, scratch.found.size
            i += 1
            self.bytes_passed += region.end - region.start
            is_whole = (region.start == 0 or p[region.start - 1] == 10) and (region.end >= n or p[region.end] == 10)
            reach = self._search_region(p, region.start, region.end, n, scratch, union_only, not is_whole, ordered)
            while reach:
                is_whole = is_whole and reach == REACHES_LINE
                while not is_whole:
                    while region.start > 0 and p[region.start - 1] != 10:
                        region.start -= 1
                    region.end = n if reach == REACHES_LINES else line_end(p, region.end, n)
                    is_whole = True
                    while done and regions.region[done - 1].end >= region.start:
                        done -= 1
                        last = regions.region + done
                        is_whole = is_whole and last.start >= region.start
                        region.start, region.tokens, region.found = min(region.start, last.start), last.tokens, last.found
                    while i < regions.size and regions.region[i].start <= region.end:
                        is_whole = is_whole and regions.region[i].end <= region.end
                        region.end = max(region.end, regions.region[i].end)
                        i += 1
                scratch.tokens.size, scratch.found.size = region.tokens, region.found
                scratch.run_last = region.tokens - 1
                walks_clear(&scratch.walks)
                self.bytes_passed += region.end - region.start
                reach = self._search_region(p, region.start, region.end, n, scratch, union_only, False, ordered)
            regions.region[done] = region
            done += 1
        regions.size = done
        return 0

    cdef int _search_region(self, const uint8_t* p, int64_t start, int64_t end, int64_t n, Scratch* scratch,
                            bint union_only, bint part, bint* ordered) except -1 nogil:
        """Tokenise a region of a text of n bytes and add its matches.

        Returns `REACHES_LINE` as soon as the region is a `part` of a line and has a match that reaches to an edge of the line,
        `REACHES_LINES` as soon as it has one that takes lines and is not the end of the text, else 0.
        `ordered` (INOUT) becomes False if the matches are not ordered by end.
        """
        cdef int64_t i, k, size, id
        cdef uint8_t edge, kind
        cdef int32_t s, state = 0
        cdef const uint8_t* q
        cdef uint64_t h, a = 0, b = 0
        cdef uint64_t owner = self.matcher_number << 5, offset = self.matcher_number * <uint64_t>0x9E3779B97F4A7C15 >> 32
        cdef CachedToken* cached
        cdef Tokens* tokens = &scratch.tokens
        cdef bint are_letters_literal = not self.spec.on[UPPER]
        cdef int32_t string
        cdef int64_t last, stop, first = tokens.size
        scratch.heads.size = scratch.named.size = 0
        scan(&self.spec, p, start, end, tokens)
        stop = tokens.size
        if end < n and p[end] != 10:
            # The line goes on after the region: an empty token keeps its last token from being taken for the end of the line.
            tokens_push(tokens, end, end, WORD)
        for i in range(first, stop):
            q = p + tokens.start[i]
            size = tokens.end[i] - tokens.start[i]
            kind = tokens.kind[i]
            if kind & KIND == WORD and size <= MAX_SHORT_BYTES:
                h = tm_key(q, size, p + n, &a, &b)
                if kind & LETTERS and are_letters_literal:
                    # Most words begin no string, so the processor predicts this branch.
                    if state == 0 and not self.first_filter[(h >> 38) & 1023] >> (h >> 32 & 63) & 1:
                        continue
                    id = self._find_literal_form(q, size)
                    if id == NO_FORM and words_find(&self.word_list.short, h, a, b, size) != NULL:
                        id = self._find_form(q, size, WORD, scratch)
                else:
                    # Each matcher has another offset, so that the most frequent tokens of several do not evict each other.
                    cached = &scratch.token_cache[((h >> 32) + offset) & (CACHED_TOKENS - 1)]
                    if cached.a == a and cached.b == b and cached.owner == owner | <uint64_t>size:
                        id = cached.id
                    else:
                        id = self._find_form(q, size, WORD, scratch)
                        cached.a = a
                        cached.b = b
                        cached.owner = owner | <uint64_t>size
                        cached.id = id
            else:
                id = self._find_form(q, size, kind & KIND, scratch)
            if id < 0:
                state = 0
                continue
            state = automaton_step(self.automaton, state, <int32_t>id)
            s = state if self.automaton.output[state] >= 0 else self.automaton.output_link[state]
            while s:
                if union_only and not self.automaton.needs_edge[s]:
                    self._add_state_matches(s, i, scratch)
                    break
                string = self.automaton.output[s]
                while string >= 0:
                    k = i - self.automaton.depth[s] + 1
                    last = i
                    edge = self.edges[string]
                    if edge & HEAD:
                        if edge & BEGINS_LINE and not tokens.kind[k] & FIRST_IN_LINE:
                            pass
                        elif self.fillers.kind != NULL and self.fillers.kind[string] == NAMES:
                            occurrences_push(&scratch.named, k, i, string, 0)
                        else:
                            occurrences_push(&scratch.heads, k, i, string, 0)
                            if scratch.heads.size & 1023 == 0:
                                drop_distant_heads(tokens, &scratch.heads, i)
                        string = self.automaton.next_same[string]
                        continue
                    if end < n and self.fillers.kind != NULL and self.fillers.kind[string] == HEADLINES:
                        return REACHES_LINES
                    if part and edge & (REACHES_EDGE | SPANS):
                        return REACHES_LINE
                    if edge & SPANS and (
                            not edge & ENDS_LINE or i + 1 == tokens.size or tokens.kind[i + 1] & FIRST_IN_LINE):
                        if self.fillers.kind != NULL and self.fillers.kind[string] == NAMES:
                            k = span_from_names(self.fillers, &self.spec, self.heads[string], p, tokens, &scratch.named, k)
                        else:
                            k = span_from_head(self.heads[string], p, tokens, &scratch.heads, k)
                    if edge & REACHES_EDGE and not reach_edge(
                            self.fillers, &self.spec, p, n, tokens, edge,
                            self.fillers.kind[string] if self.fillers.kind != NULL else ANYTHING, &scratch.walks, &k, &last):
                        k = -1
                    if k >= 0 and (not edge & BEGINS_LINE or tokens.kind[k] & FIRST_IN_LINE) and (
                            not edge & ENDS_LINE or last + 1 == tokens.size or tokens.kind[last + 1] & FIRST_IN_LINE):
                        occurrences_push(&scratch.found, k, last, string, 0)
                        ordered[0] = ordered[0] and last == i
                    string = self.automaton.next_same[string]
                s = self.automaton.output_link[s]
        return 0

    def find(self, const uint8_t[::1] document not None, bint union_only=False):
        """Every occurrence of every string; with `union_only`, without some that overlap others, such that the union of all is the
        same, and the strings that lie in each of its intervals.

        Returns
        -------
        starts, ends : int64 arrays
            In bytes, ordered by end.
        strings : int32 array
            Which string.
        """
        import numpy as np

        cdef const uint8_t* p = &document[0] if document.shape[0] else NULL
        cdef int64_t i
        cdef int64_t[::1] starts, ends
        _check_size(document.shape[0])
        cdef Scratch* scratch = scratch_acquire()
        cdef Occurrences* found = &scratch.found
        try:
            self._sample_text(p, document.shape[0])
            with nogil:
                self._find_matches(p, document.shape[0], scratch, union_only)
            starts = np.empty(max(found.size, 1), np.int64)
            ends = np.empty(max(found.size, 1), np.int64)
            for i in range(found.size):
                starts[i] = scratch.tokens.start[found.position[i]]
                ends[i] = scratch.tokens.end[found.length[i]]
            strings = copy_to_array(found.count, found.size * sizeof(int32_t), np.int32)
        finally:
            scratch_release(scratch)
        return np.asarray(starts)[: len(strings)], np.asarray(ends)[: len(strings)], strings

    def find_rests(self, list texts not None, const uint8_t[::1] sides not None):
        """The text between each occurrence and an edge of its line; at most the 2,048 bytes nearest to the occurrence, since a
        line full of occurrences would otherwise take quadratic memory.

        All texts are searched before a Python object is made of what was found, so that other threads run meanwhile.

        Parameters
        ----------
        texts : list of (str or bytes)
            bytes are UTF-8, and may hold the markers of user-defined patterns.
        sides : bytes, shape (strings,)
            For each string, `TO_END` or `TO_BEGIN`.

        Returns
        -------
        list of (text, string, bytes)
            Index of the text, index of the string, and the rest; in the order of the texts, then of the ends of occurrences.
        """
        cdef int64_t i, number, n = 0
        cdef const uint8_t* p
        cdef TextResult* results
        cdef Rests out
        cdef Scratch* scratch = NULL
        if sides.shape[0] != self.strings:
            raise ValueError(f"expected sides of {self.strings} strings, got {sides.shape[0]}")
        texts = texts[:]  # the caller's list may change while no lock is held
        number = len(texts)
        results = new_results(number)
        memset(&out, 0, sizeof(Rests))
        try:
            for i in range(number):
                text = texts[i]
                if text is None:
                    raise TypeError(f"text {i}: expected a str or bytes, got None")
                if isinstance(text, str):
                    text = texts[i] = exact_str(text)
                results[i].text = StrView(<const char*>text, len(text), 1, True) if isinstance(text, bytes) else view_str(text)
                _check_size(results[i].text.points)
            scratch = scratch_acquire()
            sample_texts(self, results, number, True, scratch)
            with nogil:
                for i in range(number):
                    p = encode_utf8(&results[i].text, True, &scratch.utf8, &n)
                    if n > MAX_TEXT_BYTES:
                        with gil:
                            _check_size(n)
                    self._find_matches(p, n, scratch, False)
                    add_rests(p, n, i, scratch, &sides[0] if self.strings else NULL, &out)
            return [(out.rest[i].text, out.rest[i].string, (<const char*>out.bytes.data)[out.rest[i].start : out.rest[i].end])
                    for i in range(out.size)]
        finally:
            if scratch != NULL:
                scratch_release(scratch)
            free(results)
            free(out.rest)
            free(out.bytes.data)

    def regions(self, const uint8_t[::1] document not None):
        """The regions of a document that the sieve gives: all occurrences lie in them, but for fillers to the edge of a line.

        Returns
        -------
        list of (start, end)
            In bytes, ascending and disjoint.
        """
        cdef const uint8_t* p = &document[0] if document.shape[0] else NULL
        cdef int64_t i
        cdef Scratch* scratch = scratch_acquire()
        try:
            self._build_sieve()
            if not self.uses_sieve:
                return [(0, document.shape[0])]
            sieve_regions(self.sieve, p, document.shape[0], &scratch.regions)
            return [(scratch.regions.region[i].start, scratch.regions.region[i].end) for i in range(scratch.regions.size)]
        finally:
            scratch_release(scratch)

    def is_whole_match(self, const uint8_t[::1] document not None, int64_t string):
        """Whether a document from its first byte to its last is an occurrence of a string."""
        cdef const uint8_t* p = &document[0] if document.shape[0] else NULL
        cdef int64_t i
        _check_size(document.shape[0])
        cdef Scratch* scratch = scratch_acquire()
        cdef Occurrences* found = &scratch.found
        try:
            with nogil:
                self._find_matches(p, document.shape[0], scratch, False)
            for i in range(found.size):
                if (found.count[i] == string and scratch.tokens.start[found.position[i]] == 0
                        and scratch.tokens.end[found.length[i]] == document.shape[0]):
                    return True
            return False
        finally:
            scratch_release(scratch)

    def count(self, const uint8_t[::1] document not None, int32_t number, int64_t[:, ::1] table not None,
              int64_t[::1] last not None):
        """Add the occurrences in one more document to running counts.

        Parameters
        ----------
        document : bytes
        number : int
            Number of the document; each has its own.
        table : int64 array, shape (strings, 2), INOUT
            Occurrences and documents.
        last : int64 array, shape (strings,), INOUT
            Number of the last document with each string; -1 at the start.
        """
        cdef const uint8_t* p = &document[0] if document.shape[0] else NULL
        cdef int64_t i, s
        _check_size(document.shape[0])
        if table.shape[0] != self.strings or table.shape[1] != 2 or last.shape[0] != self.strings:
            raise ValueError(f"expected tables of {self.strings} x 2 and {self.strings}, got "
                             f"{table.shape[0]} x {table.shape[1]} and {last.shape[0]}")
        cdef Scratch* scratch = scratch_acquire()
        cdef Occurrences* found = &scratch.found
        try:
            self._sample_text(p, document.shape[0])
            with nogil:
                self._find_matches(p, document.shape[0], scratch, False)
                for i in range(found.size):
                    s = found.count[i]
                    table[s, 0] += 1
                    if last[s] != number:
                        last[s] = number
                        table[s, 1] += 1
        finally:
            scratch_release(scratch)

    cdef int _clean(self, const uint8_t* p, int64_t n, int64_t points, Rules rules, int64_t gap, double guard, bint keep,
                    bint by_kind, Scratch* scratch, Outcome* out) except -1 nogil:
        """Search a text, and add its spans and pieces to `out`.

        Parameters
        ----------
        points : int
            Code points of the text.
        rules : Rules or None
            How the text is read; spans are found, united and weighed in its reading form, and cut out of the text itself.
        guard : float
            A text of which a greater share is removed is a stub; below 0, only spans are added, no pieces.
        keep : bool
            Leave stubs whole.
        by_kind : bool
            Part the spans by the kinds of their strings.

        Returns
        -------
        CUT, STUB_CUT, STUB_KEPT or UNREADABLE
        """
        cdef int64_t first = out.size, members = out.members, size = n, read_points = points
        cdef const uint8_t* read = p
        cdef StringKinds kinds = StringKinds(self.edges, NULL, self.weights)
        cdef bint stub
        if by_kind:
            kinds.code = self.kinds
        if rules is not None:
            if not rules._read(p, n, &scratch.reading):
                return UNREADABLE
            if scratch.reading.steps:
                read, size = scratch.reading.text, scratch.reading.size
                read_points = count_points(read, 0, size)
        self._find_matches(read, size, scratch, True)
        unite_matches(read, size, size == read_points, self.spec.html, &scratch.tokens, &scratch.found, &kinds, self.keeps, gap,
                      out)
        scratch.found.size = 0
        if out.size == first:
            return CUT
        stub = guard >= 0 and is_stub(out.span + first, out.size - first, read_points, guard)
        if stub and keep:
            out.size = first
            out.members = members
            return STUB_KEPT
        if read != p:
            move_spans(&scratch.reading, out.span + first, out.size - first)
            if rules.markup:
                take_tags(p, n, out.span + first, out.size - first)
            set_points(p, n == points, out.span + first, out.size - first)
        if guard >= 0:
            cut_pieces(p, n, out.span + first, out.size - first, &out.pieces)
        return STUB_CUT if stub else CUT

    def parts(self, list texts not None, int64_t gap, Rules rules=None):
        """As `spans`, with each span parted by the kinds of its strings.

        Returns
        -------
        list of (list of (start, end, strings, kind), or None)
            Parts of one span touch; `kind` is a code.
        """
        return self._find_spans(texts, gap, rules, True)

    def spans(self, list texts not None, int64_t gap, Rules rules=None):
        """The union of all occurrences in the reading form of each text; two with fewer than `gap` characters between them
        become one span.

        All texts are searched before a Python object is made of what was found, so that other threads run meanwhile.

        Returns
        -------
        list of (list of (start, end, strings), or None)
            Of each text; in code points of it, ascending and disjoint, with the strings of each span in order.  None for a
            text that holds lone surrogates, or what may not be in NFC.
        """
        return self._find_spans(texts, gap, rules, False)

    cdef list _find_spans(self, list texts, int64_t gap, Rules rules, bint by_kind):
        cdef int64_t i, j, k, number, span = 0, member = 0
        cdef TextResult* results
        cdef Outcome found
        cdef list out = [], row
        texts = texts[:]  # the caller's list may change while no lock is held
        number = len(texts)
        results = new_results(number)
        memset(&found, 0, sizeof(Outcome))
        try:
            clean_texts(self, texts, rules, gap, -1, False, by_kind, results, &found)
            for i in range(number):
                if results[i].verdict == UNREADABLE:
                    out.append(None)
                    continue
                row = []
                for k in range(span, span + results[i].spans):
                    strings = [found.member[j] for j in range(member, found.span[k].member_end)]
                    kind = (found.span[k].kind,) if by_kind else ()
                    row.append((found.span[k].point_start, found.span[k].point_end, strings, *kind))
                    member = found.span[k].member_end
                span += results[i].spans
                out.append(row)
        finally:
            free(results)
            outcome_free(&found)
        return out

    def clean(self, list texts not None, int64_t gap, double guard, bint keep, list names not None, type span,
              type cleaned, Rules rules=None, tuple kinds=("",)):
        """Each text without the spans that `spans` gives, cut as `cleaner.cut` does.

        Parameters
        ----------
        guard : float
            A text of whose characters a greater share is removed is a stub.
        keep : bool
            Leave stubs whole.
        names : list of tuple
            For each string, a tuple of its name.
        span, cleaned : type
            `model.Span`, a tuple of start and end in code points, the names of the strings of a span in the order of
            the strings and its kind; and `model.Cleaned`, a tuple of text, tuple of spans and whether it is a stub.
        rules : Rules, optional
            How the texts are read; without, as they stand.
        kinds : tuple
            Name of each code of a kind.

        Returns
        -------
        list of (cleaned or None)
            None as in `spans`.
        """
        cdef int64_t i, j, k, m, number, span_index = 0, member = 0, piece = 0
        cdef TextResult* results
        cdef Outcome found
        cdef list out = []
        cdef tuple row, strings
        texts = texts[:]  # the caller's list may change while no lock is held
        number = len(texts)
        if len(names) < self.strings:
            raise ValueError(f"expected names of {self.strings} strings, got {len(names)}")
        results = new_results(number)
        memset(&found, 0, sizeof(Outcome))
        try:
            clean_texts(self, texts, rules, gap, max(guard, 0), keep, True, results, &found)
            for i in range(number):
                if results[i].verdict == UNREADABLE:
                    out.append(None)
                    continue
                if not results[i].spans:
                    out.append(new_tuple(cleaned, (texts[i], (), results[i].verdict == STUB_KEPT)))
                    continue
                row = PyTuple_New(results[i].spans)
                for j in range(results[i].spans):
                    k = span_index + j
                    if found.span[k].member_end == member + 1:
                        strings = <tuple?>names[found.member[member]]
                    else:
                        strings = tuple([(<tuple?>names[found.member[m]])[0] for m in range(member, found.span[k].member_end)])
                    member = found.span[k].member_end
                    made = new_tuple(span, (found.span[k].point_start, found.span[k].point_end, strings, kinds[found.span[k].kind]))
                    Py_INCREF(made)
                    PyTuple_SET_ITEM(row, j, made)
                text = assemble(&results[i].text, found.pieces.piece + piece, results[i].pieces)
                span_index += results[i].spans
                piece += results[i].pieces
                out.append(new_tuple(cleaned, (text, row, results[i].verdict == STUB_CUT)))
        finally:
            free(results)
            outcome_free(&found)
        return out


cdef int sample_texts(Matcher matcher, const TextResult* results, int64_t number, bint surrogates, Scratch* scratch) except -1:
    """Call `_sample_text` with texts until the sieve is built."""
    cdef int64_t i = 0, n = 0
    cdef const uint8_t* p
    while matcher.is_sampling and i < number:
        p = encode_utf8(&results[i].text, surrogates, &scratch.utf8, &n)
        if n > 0:
            matcher._sample_text(p, n)
        i += 1
    return 0


cdef int clean_texts(Matcher matcher, list texts, Rules rules, int64_t gap, double guard, bint keep, bint by_kind,
                     TextResult* results, Outcome* out) except -1:
    """Call `_clean` for each text, without the GIL once all are viewed; fills `results` and `out`."""
    cdef int64_t i, number = len(texts), spans, pieces
    cdef str text
    cdef const uint8_t* p
    cdef int64_t n = 0
    cdef Scratch* scratch
    for i in range(number):
        text = texts[i] = exact_str(texts[i])
        if text is None:
            raise TypeError(f"text {i}: expected a str, got None")
        results[i].text = view_str(text)
        _check_size(results[i].text.points)
    scratch = scratch_acquire()
    try:
        sample_texts(matcher, results, number, False, scratch)
        with nogil:
            for i in range(number):
                p = encode_utf8(&results[i].text, False, &scratch.utf8, &n)
                if n < 0:
                    results[i].verdict = UNREADABLE
                    continue
                if n > MAX_TEXT_BYTES:
                    with gil:
                        _check_size(n)
                spans = out.size
                pieces = out.pieces.size
                results[i].verdict = matcher._clean(p, n, results[i].text.points, rules, gap, guard, keep, by_kind, scratch,
                                                    out)
                results[i].spans = out.size - spans
                results[i].pieces = out.pieces.size - pieces
                if not results[i].text.ascii:
                    pieces_to_points(p, out.pieces.piece + pieces, results[i].pieces)
    finally:
        scratch_release(scratch)
    return 0


new_tuple = tuple.__new__


cdef int add_rests(const uint8_t* p, int64_t n, int64_t text, Scratch* scratch, const uint8_t* sides, Rests* out) except -1 nogil:
    """Add the rests between the matches in scratch.found and an edge of their lines, and remove the matches."""
    cdef Occurrences* found = &scratch.found
    cdef int64_t i, start, end
    for i in range(found.size):
        start = scratch.tokens.start[found.position[i]]
        end = scratch.tokens.end[found.length[i]]
        if sides[found.count[i]] & TO_END:
            start = end
            while end < n and end - start < MAX_REST_BYTES and not line_break_width(p, end, n):
                end += 1
            # Do not split a character, or a marker from its number.
            while start < end < n and (p[end] & 0xC0 == 0x80 or p[end - 1] == MARKER):
                end -= 1
        else:
            end = start
            while start > 0 and end - start < MAX_REST_BYTES and not (
                    line_break_width(p, start - 1, n) or start > 2 and line_break_width(p, start - 3, n) == 3):
                start -= 1
            while 0 < start < end and (p[start] & 0xC0 == 0x80 or p[start - 1] == MARKER):
                start += 1
        reserve(<void**>&out.rest, &out.room, out.size + 1, sizeof(Rest))
        reserve(<void**>&out.bytes.data, &out.bytes.room, out.bytes.size + end - start + 1, 1)
        memcpy(out.bytes.data + out.bytes.size, p + start, end - start)
        out.rest[out.size] = Rest(text, found.count[i], out.bytes.size, out.bytes.size + end - start)
        out.size += 1
        out.bytes.size += end - start
    found.size = 0
    return 0


cdef inline int line_break_width(const uint8_t* p, int64_t i, int64_t n) noexcept nogil:
    """Bytes of the line break at i, or 0."""
    cdef int width = 1
    return width if p[i] == 10 or is_wide_break(decode(p + i, n - i, &width)) else 0


cdef int _check_size(int64_t size) except -1:
    if size > MAX_TEXT_BYTES:
        raise CapacityError(f"a document of {size} bytes; the limit is 2 GiB")
    return 0
