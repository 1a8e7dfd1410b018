"""Where in a text a string of a pack may stand at all, told by a few rare bytes, before a token is made.

First a clue is chosen for each string, then texts are looked at for all clues at once.
"""

from libc.stdint cimport int32_t, int64_t, int8_t, uint32_t, uint64_t, uint8_t
from libc.stdlib cimport calloc, free, malloc, qsort
from libc.string cimport memcmp, memcpy, memset

from templatemine.text._scan cimport (
    ABBREVIATION, BEGINS_LINE, Bytes, CLOCK, DATE, decode, EMAIL, ENDS_LINE, HANDLE, HEX, INITIALS, is_alpha, is_digit,
    is_lower, is_own_token, is_upper, is_url_byte, is_wide_space, ISO_DATE, JOINT, LEAD, MARKER, MERIDIEM, NUMBER, NUMERIC,
    ORDINAL, PERCENT, PHONE, PRICE, reserve, RULE, SEPARATOR, SPACE, Spec, TIME, tm_prefetch, TO_BEGIN, TO_END, UPPER, URL,
    UUID,
)

__all__ = []


# ----------------------------------------------------------------------------------------------------------------------- clues
# What gives the strings of a pack away in a text: choosing a clue for each, one that is rare elsewhere.
#
# In come the strings of a pack and some texts, out goes what the sieve looks for.  A string gives itself away by the rarest
# of these that it has:
#
# - a *needle*: three bytes or more of a form that stand in the text as they are, for a form's literal bytes are copied
#   from its token.  A text is looked at by the four bytes at every second place, since each needle has a gram of four bytes
#   at an even and one at an odd offset (`grams_of`), and by three where some needles have no more; a gram that is known
#   leads to the needles it may be part of.  This is the filter of Wu and Manber (1994) with a fixed step, for the shortest
#   needle would bound its shifts.  Where the token beside it is told by its bytes, those must stand there too;
# - a byte in the first or last word of its line, where it must begin or end one;
# - a byte in its line; in both cases with the bytes that its token has around it.
#
# `pattern_clue` has what a mutable pattern must hold.  What is rare is told by the texts that were searched before the
# sieve was made, and where they say nothing, by `frequency`, of bytes in running text: a wrong guess costs time, never a
# match.


cdef enum:
    BESIDE = 8              # bytes of a Setting, at most
    HEADS = 4               # a head for so many bits of a hash less: one in four is taken at most, and they fit a cache


cdef struct Setting:
    # What stands around a needle, or a byte, in some of its strings.
    int32_t before          # tokens of such a string before the one that holds it, at most
    int32_t after           # and after it
    uint8_t edges           # of a needle BEGINS_LINE, ENDS_LINE: of all of them
    # Bytes that stand there too, or none.  Of a needle: the token behind it begins with them (side 1), or the one before it
    # ends with them (-1).  Of a byte: they stand around it, and `side` is its place in them.
    int8_t side
    uint8_t size
    uint8_t beside[BESIDE]


cdef struct Settings:
    # A range of Sieve.setting.
    int32_t first
    int32_t end


cdef struct Needle:
    # Bytes that stand in a text wherever some strings do.
    int64_t start           # in Sieve.arena
    int32_t size
    Settings settings


cdef struct Gram:
    # Three or four bytes of a needle, with as many of those beside them as fit a word: one that is met by chance, as most
    # are, costs no look at the needle.
    uint64_t bytes          # of the text from `back` bytes before the gram on; 0 where the mask has 0
    uint64_t mask
    int32_t needle
    int8_t offset           # of the gram in the needle
    uint8_t back
    uint8_t whole           # 1 if these are all bytes of the needle
    uint8_t last            # 1 of those of the same place in Sieve.heads, which stand side by side


cdef struct Trigger:
    # One of some bytes that a stretch of a line must hold, so that a string without a needle may stand in the line.
    uint8_t byte[256]
    uint8_t list[16]        # the same, if there are no more
    int count
    uint8_t alike[256]      # digits of which nothing more is asked, and of each the same
    Settings settings[256]


cdef struct Met:
    # What was seen of the texts before the sieve is made.
    int32_t gram[65536]     # by the hash of four bytes
    int32_t byte[256]
    int32_t opening[256]    # lines whose first word holds a byte
    int32_t closing[256]    # and their last word
    int32_t last[256]       # the last line that was counted there
    int32_t line            # two a line: one for its first word, one for its last
    int64_t places          # bytes


cdef struct Sieve:
    uint8_t* arena
    int64_t arena_size
    int64_t arena_room
    Needle* needle
    int64_t needles
    int64_t needle_room
    Setting* setting
    int64_t setting_size
    int64_t setting_room
    Gram* gram
    int32_t* heads          # first Gram by the hash of its three or four bytes, or -1
    uint64_t* four          # a bit for each hash of a gram of four bytes, and of three, if there are such
    uint64_t* three
    int shift               # 32 - bits of a hash
    Bytes heard             # texts that were searched before the sieve is made, and where each ends in them
    int64_t* ends
    int64_t texts
    int64_t ends_room
    Met* met                # NULL but while it is made
    bint threes             # there are grams of three bytes; and needles that have no other
    bint odd
    bint edges              # some string must begin or end its line, or reach to an edge
    uint8_t sure[256]       # 1 for bytes that stand in a token, whatever stands beside them
    Trigger opening         # in the first word of a line
    Trigger closing         # in its last word
    Trigger anywhere


cdef inline uint32_t gram_of(const uint8_t* p, int size) noexcept nogil:
    """The first three or four bytes as a number."""
    cdef uint32_t value = 0
    memcpy(&value, p, size)
    return value


cdef inline uint32_t gram_hash(uint32_t value, int shift) noexcept nogil:
    return (value * <uint32_t>2654435761) >> shift


cdef inline bint is_blank(uint8_t c) noexcept nogil:
    return c == 32 or 9 <= c <= 13


cdef enum:
    LONGEST = 64            # bytes of a needle

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


cdef inline double share_of(uint8_t c) noexcept:
    """Share of a byte in running text; for those beyond ASCII, of a script that has few of them."""
    return frequency[c] if c < 0x80 else 0.01 if c == 0xE2 else 0.001


cdef double share(bytes some):
    cdef double total = 0
    cdef uint8_t c
    for c in some:
        total += share_of(c)
    return total


cdef double rarity(const uint8_t* some, int64_t size) noexcept:
    """About the chance that these bytes stand at a given place; of those after the eighth nothing is asked."""
    cdef double chance = 1
    cdef int64_t k
    for k in range(min(size, 8)):
        chance *= frequency[some[k]]
    return chance


cdef enum:
    MET_BITS = 16           # of the hashes that are counted
    GUESSED = 4096          # places that what is guessed of a gram counts for
    WORD_BYTES = 8          # of a word and of a line, about
    LINE_BYTES = 150

# What is met costs so much as a gram that is known: a needle, a byte that gives strings away, a region, a byte of one.
cdef double NEEDLE_COST = 1
cdef double BYTE_COST = 3
cdef double REGION_COST = 4
cdef double REGION_BYTE_COST = 0.4
cdef double SHORT_COST = 2e-4   # of grams of three bytes, at each place


cdef int note(int32_t* counts, int32_t* last, int32_t line, const uint8_t* p, int64_t i, int64_t end) noexcept nogil:
    """Count the bytes of a word of a line, each once."""
    while i < end:
        counts[p[i]] += last[p[i]] != line
        last[p[i]] = line
        i += 1
    return 0


cdef int sieve_learn(Sieve* s, const uint8_t* p, int64_t n) except -1:
    """Keep a text, to be counted when the sieve is made: few are as large as the counts are."""
    if n == 0:
        return 0
    reserve(<void**>&s.heard.data, &s.heard.room, s.heard.size + n, 1)
    reserve(<void**>&s.ends, &s.ends_room, s.texts + 1, sizeof(int64_t))
    memcpy(s.heard.data + s.heard.size, p, n)
    s.heard.size += n
    s.ends[s.texts] = s.heard.size
    s.texts += 1
    return 0


cdef int count_heard(Sieve* s) except -1:
    """Count what was kept, once."""
    cdef int64_t i, start = 0
    s.met = <Met*>calloc(1, sizeof(Met))
    if s.met == NULL:
        raise MemoryError
    for i in range(s.texts):
        count_text(s.met, s.heard.data + start, s.ends[i] - start)
        start = s.ends[i]
    forget_heard(s)
    return 0


cdef void forget_heard(Sieve* s) noexcept nogil:
    free(s.heard.data)
    free(s.ends)
    s.heard = Bytes(NULL, 0, 0)
    s.ends = NULL
    s.texts = s.ends_room = 0


cdef void count_text(Met* met, const uint8_t* p, int64_t n) noexcept nogil:
    """Count grams and bytes of a text, and in how many lines each byte stands in the first or last word."""
    cdef int64_t i, start = 0, end
    for i in range(n - 3):
        met.gram[gram_hash(gram_of(p + i, 4), 32 - MET_BITS)] += 1
    for i in range(n):
        met.byte[p[i]] += 1
    while start < n:
        end = line_end(p, start, n)
        i = start
        while i < end and not is_blank(p[i]):
            i += 1
        met.line += 1
        note(&met.opening[0], &met.last[0], met.line, p, start, i)
        i = end
        while i > start and not is_blank(p[i - 1]):
            i -= 1
        met.line += 1
        note(&met.closing[0], &met.last[0], met.line, p, i, end)
        start = end + 1
    met.places += n


cdef double weighed(const Sieve* s, int64_t count, double guess) noexcept:
    """Share of places: what was counted, and what is guessed as if it had been counted at so many."""
    return (count + GUESSED * guess) / (s.met.places + <double>GUESSED)


cdef double met_bytes(const Sieve* s, const int32_t* counts, bytes some, double guess):
    """About the share of places that are, or belong to, one of some bytes."""
    cdef int64_t total = 0
    cdef uint8_t c
    for c in some:
        total += counts[c]
    return weighed(s, total, guess)


cdef inline int64_t seen(const Sieve* s, const uint8_t* gram) noexcept:
    """How often four bytes were met, or others with their hash."""
    return s.met.gram[gram_hash(gram_of(gram, 4), 32 - MET_BITS)]


cdef double met_gram(const Sieve* s, const uint8_t* gram) noexcept:
    """About the chance that four bytes stand at a given place."""
    return weighed(s, seen(s, gram), rarity(gram, 4))


cdef tuple rarest(const Sieve* s, bytes needle):
    """Of a needle of five bytes or more the offset of its two grams, and the chance that either is met at a byte."""
    cdef const uint8_t* p = needle
    cdef int64_t k, best = 0
    cdef double least = 2, here, last = met_gram(s, p)
    for k in range(len(needle) - 4):
        here = met_gram(s, p + k + 1)
        if (last + here) / 2 < least:
            best = k
            least = (last + here) / 2
        last = here
    return best, least


cdef tuple cost(const Sieve* s, tuple clue):
    """About how often a clue is met at a byte, and what else it costs there, in grams."""
    cdef bytes needle, padded
    cdef const uint8_t* p
    cdef int64_t count, k
    cdef double rate = met_bytes(s, &s.met.byte[0], clue[0], share(clue[0])) if clue[0] else 0, grams = BYTE_COST * rate
    if clue[0] and clue[2][1]:
        rate = min(rate, met_some(s, clue[2][1]))
    for needle, whole in clue[1]:
        # No more often than its rarest gram; a short word stands between blanks as a rule.
        padded = b" " + needle + b" " if whole or len(needle) < 4 else needle
        p = padded
        count = seen(s, p)
        for k in range(1, len(padded) - 3):
            count = min(count, seen(s, p + k))
        p = needle
        rate += weighed(s, count, rarity(p, len(needle)))
        if len(needle) > 4:
            grams += rarest(s, needle)[1]
        else:
            grams += met_gram(s, p) if whole and len(needle) == 4 else SHORT_COST
    return rate, grams, clue


cdef tuple pattern_clue(const Spec* spec, int pattern):
    """What each token, or part of one, that a pattern matches must hold: one of some bytes, or one of some needles."""
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
    if 0 < len(words) <= MOST_WORDS and all([len(word) >= 3 and word.isalpha() for word in words]):
        return b"", tuple([(word, PARTED) for word in sorted(words)])
    # A user's own pattern comes as a mark in the text.
    return bytes({word[0] for word in words} | {MARKER}), ()


# What none of these patterns is without; the currencies and the Arabic percent sign by their first bytes.
SIGN_OF = {CLOCK: b":", DATE: b"/\\", PRICE: b"$\xC2\xE2", PERCENT: b"%\xD9"}


cdef enum:
    MOST_WORDS = 32         # of a pattern, to be looked for each
    PARTED = 2              # a needle that is a run of letters: a byte that is no letter, or none, stands on both sides


cdef bint is_whole(bytes piece, bytes form):
    """A short token, none of those that may stand beside any other."""
    cdef int width = 0
    return len(piece) < 5 and len(piece) == len(form) and not is_own_token(decode(<const uint8_t*>piece, len(piece), &width))


NOTHING = (0, b"")


cdef list clues(const Spec* spec, bytes form):
    """What a token of a form must hold, each of them: one of some needles, or one of some bytes, but for those that are no
    rarer than others before them; and what stands around a byte, as (its place in it, some bytes)."""
    cdef int64_t i = 0, k, start, before, at
    cdef double least = 2       # share of the rarest bytes; of those that are no rarer no clue is made
    cdef bytes piece, near, front
    cdef list found = []
    while i < len(form):
        if form[i] == MARKER:
            some, needles = pattern_clue(spec, form[i + 1])
            found.append((some, needles, NOTHING))
            least = min(least, share(some)) if some else least
            i += 2
            continue
        start = i
        while i < len(form) and form[i] != MARKER:
            i += 1
        piece = form[start:i][:LONGEST]
        if len(piece) >= 3:
            found.append((b"", ((piece, is_whole(piece, form)),), NOTHING))
        # A number may stand right before it, and behind it.
        front = DIGIT if start and form[start - 1] in BY_DIGITS else b""
        near = front + piece
        if start + len(piece) == i < len(form) and form[i + 1] in BY_DIGITS:
            near += DIGIT
        for k in range(len(piece)):
            if not 0x80 <= piece[k] < 0xC0 and share_of(piece[k]) < least:
                least = share_of(piece[k])
                at = k + len(front)
                before = min(at, BESIDE // 2)
                found.append((piece[k:k + 1], (), (before, near[at - before:at - before + BESIDE])))
    return found


BY_DIGITS = (NUMBER, CLOCK, DATE)
"""Patterns that begin and end with a digit."""
DIGIT = b"\0"
"""Among bytes around a byte, one of a digit, of whatever script; or this byte itself."""


cdef inline bint are_around(const uint8_t* p, const uint8_t* some, int64_t size) noexcept nogil:
    cdef int64_t k
    for k in range(size):
        if p[k] != some[k] and (some[k] != 0 or not (is_digit(p[k]) or p[k] >= 0x80)):
            return False
    return True


cdef tuple beside(const Sieve* s, bytes needle, bytes form, bytes previous, bytes following):
    """What must stand beside a needle of a form: the side (1 behind it, -1 before it) with the bytes that the token there
    begins or ends with, and about the chance of these; (NOTHING, 1.0) if there is none.  Between tokens stand separators
    or nothing."""
    cdef int64_t i = 0, start = 0
    cdef list found = []
    if form.endswith(needle) and following:
        found.append((1, following[:BESIDE].partition(bytes([MARKER]))[0]))
    if form.startswith(needle) and previous:
        while i < len(previous):
            i += 1
            if previous[i - 1] == MARKER:
                i += 1
                start = i
        found.append((-1, previous[max(start, i - BESIDE):]))
    return min([(one, met_some(s, one[1])) for one in found if one[1]], key=lambda one: one[1], default=(NOTHING, 1.0))


cdef double met_some(const Sieve* s, bytes some):
    """About the chance that some bytes stand at a given place."""
    cdef const uint8_t* p = some
    cdef double least
    cdef int64_t k
    if len(some) < 4 or DIGIT in some:
        return rarity(p, len(some))
    least = met_gram(s, p)
    for k in range(1, len(some) - 3):
        least = min(least, met_gram(s, p + k))
    return least


cdef int sieve_build(Sieve* s, const Spec* spec, list vocabulary, const int32_t* flat, const int64_t* bounds,
                     int64_t strings, const uint8_t* edges) except -1:
    """Choose a clue of each string, one that is rare elsewhere; returns whether that is worth while."""
    cdef int64_t i, k, first, last, at
    cdef double least, price, weight, rate, grams, chance
    cdef uint8_t edge
    cdef list known = [clues(spec, form) for form in vocabulary]
    cdef list priced
    cdef tuple clue, around
    # Of the clues without needles, the best.
    cdef list byte_clue = [min([clue for clue in found if clue[0]], key=rarest_byte, default=None) for found in known]
    # (needle, whole), or a trigger's byte -> {(edges, side, bytes beside it): tokens before and after it}
    cdef dict needles = {}, opening = {}, closing = {}, anywhere = {}, chosen
    cdef bint useful
    count_heard(s)
    priced = [[cost(s, clue) for clue in found if clue[1] or clue is some] for found, some in zip(known, byte_clue)]
    for i in range(strings):
        first = bounds[i]
        last = bounds[i + 1] - 1
        edge = edges[i] & (BEGINS_LINE | ENDS_LINE)
        s.edges = s.edges or edges[i]
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
                    continue  # it costs no less, however rare what stands beside it
                around = one[2]
                price = grams + weight * rate
                if len((<tuple>one)[1]) == 1:
                    if clue is not None and grams + NEEDLE_COST * rate >= least:
                        continue
                    around, chance = beside(s, one[1][0][0], vocabulary[flat[k]], vocabulary[flat[k - 1]] if k > first else b"",
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
            rate = met_bytes(s, &s.met.opening[0] if bit == BEGINS_LINE else &s.met.closing[0], one[0],
                             min(1.0, WORD_BYTES * share(one[0])) / LINE_BYTES)
            price = rate + weight * (min(rate, met_some(s, one[2][1])) if one[2][1] else rate)
            if price < least:
                least = price
                at, clue, near = k, one, one[2]
                chosen = opening if bit == BEGINS_LINE else closing
        for needle in clue[1]:
            set_around(needles, needle, edge, near, at - first, last - at)
        for byte in clue[0]:
            set_around(chosen, byte, 0, near, at - first, last - at)
    for k in range(256):
        # White space beyond ASCII begins with C2, E1, E2 or E3.
        s.sure[k] = spec.kind[k] != SEPARATOR and not is_blank(<uint8_t>k) if k < 0x80 else k >= 0xC3 and not 0xE1 <= k <= 0xE3
    add_needles(s, spec, needles)
    for trigger, chosen in ((0, anywhere), (1, opening), (2, closing)):
        add_trigger(s, &s.anywhere if trigger == 0 else &s.opening if trigger == 1 else &s.closing, chosen)
    # Not if it would let nearly every line pass.
    useful = (hits_a_line(s, &s.met.byte[0], &s.anywhere, 1) < 2
              and hits_a_line(s, &s.met.opening[0], &s.opening, WORD_BYTES / <double>LINE_BYTES) < 1
              and hits_a_line(s, &s.met.closing[0], &s.closing, WORD_BYTES / <double>LINE_BYTES) < 1)
    free(s.met)
    s.met = NULL
    return useful


cdef double rarest_byte(tuple clue):
    return share(clue[0])


cdef int set_around(dict found, object held, uint8_t edge, tuple near, int64_t before, int64_t after) except -1:
    """Add what stands around a needle or a byte in one string."""
    cdef dict settings = found.setdefault(held, {})
    cdef tuple key = (edge, *near)
    most = settings.get(key, (0, 0))
    settings[key] = max(before, most[0]), max(after, most[1])
    return 0


cdef Settings add_settings(Sieve* s, dict settings) except *:
    """Lay out what stands around a needle or a byte."""
    cdef Settings found
    cdef Setting* setting
    cdef bytes near
    found.first = <int32_t>s.setting_size
    reserve(<void**>&s.setting, &s.setting_room, s.setting_size + len(settings), sizeof(Setting))
    for (edge, side, near), (before, after) in settings.items():
        setting = s.setting + s.setting_size
        setting.before = before
        setting.after = after
        setting.edges = edge
        setting.side = side
        setting.size = <uint8_t>len(near)
        memcpy(&setting.beside[0], <const uint8_t*>near, len(near))
        s.setting_size += 1
    found.end = <int32_t>s.setting_size
    return found


cdef int add_trigger(Sieve* s, Trigger* trigger, dict found) except -1:
    cdef int k
    for k in sorted(found):
        trigger.byte[k] = 1
        trigger.settings[k] = add_settings(s, found[k])
        if trigger.count < 16:
            trigger.list[trigger.count] = <uint8_t>k
        trigger.count += 1
        trigger.alike[k] = is_digit(<uint8_t>k) and found[k] == found.get(48) and not any([near for _, _, near in found[k]])
    return 0


cdef double hits_a_line(const Sieve* s, const int32_t* counts, const Trigger* trigger, double part):
    """About how many bytes of a trigger, with what must stand around them, stand in a line, in that part of it which the
    trigger looks at."""
    cdef double length = (s.met.places + <double>GUESSED) / (s.met.line // 2 + GUESSED / <double>LINE_BYTES)
    cdef double total = 0, byte, around
    cdef const Setting* setting
    cdef int32_t i
    cdef int k
    for k in range(256):
        if trigger.byte[k]:
            byte = met_bytes(s, counts, bytes([k]), part * share(bytes([k])))
            around = 0
            for i in range(trigger.settings[k].first, trigger.settings[k].end):
                setting = s.setting + i
                around += part * met_some(s, (<const char*>&setting.beside[0])[:setting.size]) if setting.size else 1
            total += min(byte, around)
    return length * total


cdef list grams_of(const Sieve* s, const Spec* spec, bytes needle, int whole):
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
    if whole == PARTED:
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

    A hash has so many bits that one place in sixty-four is taken at most, up to a size.
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
        s.needle[s.needles] = Needle(s.arena_size, <int32_t>len(needle), add_settings(s, around))
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
    s.three = <uint64_t*>calloc(places // 64, 8) if s.threes else NULL
    if s.gram == NULL or s.heads == NULL or s.four == NULL or (s.threes and s.three == NULL):
        raise MemoryError
    memset(s.heads, 0xFF, (places >> HEADS) * sizeof(int32_t))
    memset(s.four, 0, places // 8)
    hashed = sorted([(gram_hash(gram_of(<const uint8_t*>gram, len(gram)), s.shift), gram, offset, number)
                     for gram, offset, number in grams])
    for k, (h, gram, offset, number) in enumerate(hashed):
        s.gram[k] = gram_in(s, gram, offset, number)
        s.gram[k].last = k + 1 == len(hashed) or hashed[k + 1][0] >> HEADS != h >> HEADS
        if s.heads[h >> HEADS] < 0:
            s.heads[h >> HEADS] = <int32_t>k
        taken_places = s.four if len(gram) == 4 else s.three
        taken_places[h >> 6] |= <uint64_t>1 << (h & 63)
    return 0


cdef Gram gram_in(const Sieve* s, bytes gram, int32_t offset, int32_t number):
    """A gram, and what of its needle stands around it."""
    cdef const Needle* needle = s.needle + number
    cdef uint8_t here[8]
    cdef uint8_t mask[8]
    cdef Gram found
    cdef int32_t width = <int32_t>len(gram), k
    # What is known, from the gram's first byte on: bytes of a short needle's gram may stand beside it.
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
    """One that has learnt nothing yet."""
    cdef Sieve* s = <Sieve*>calloc(1, sizeof(Sieve))
    if s == NULL:
        raise MemoryError
    return s


cdef void sieve_free(Sieve* s) noexcept nogil:
    if s == NULL:
        return
    free(s.arena)
    free(s.needle)
    free(s.setting)
    free(s.gram)
    free(s.heads)
    forget_heard(s)
    free(s.met)
    free(s.four)
    free(s.three)
    free(s)


# ------------------------------------------------------------------------------------------------------------------- the sieve
# Where in a text a string may stand: a look at its bytes, so that the rest need not be tokenised.
#
# In come the clues of the strings of a pack and a text, out go regions.  Every occurrence of every string lies
# in one of them; where its match reaches to an edge of its line, who searches the region adds that.  Cleaning finds the same
# without.


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
                    int64_t base, Regions* out) except -1 nogil:
    """Add where strings stand that have so many tokens before and after one with bytes [first, last).  Of one look at the
    text, which began with region `base`, `first` ascends."""
    cdef int64_t start, end
    if out.steps > steps_allowed(n):
        return 0
    start = back(s, p, n, first, before)
    end = forth(s, p, n, last, after)
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
            add_region(s, p, n, start, end, setting.before, setting.after, 0, out)
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
    """Whether one of some settings of the byte at i is there; `found` (INOUT) grows by the tokens of those that are."""
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
        if setting.size and (start < 0 or start + setting.size > n or not are_around(p + start, &setting.beside[0], setting.size)):
            continue
        hit = True
        found.before = max(found.before, setting.before)
        found.after = max(found.after, setting.after)
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
                add_region(s, p, n, start, i, 0, found.after, base, out)
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
                add_region(s, p, n, i, end, found.before, 0, base, out)
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
            add_region(s, p, n, i, i + 1, found.before, found.after, base, out)
        i += 1
        # The next digit of a number gives away what the first one did.
        while i < n and t.alike[p[i - 1]] and t.alike[p[i]]:
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
        out.region[0] = Region(0, n, 0, 0)
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


cdef bint sieve_pays(const Sieve* s, int64_t seen, int64_t passed) noexcept nogil:
    """Whether to look for regions takes less time than it saves, where of so many bytes so many stood in one."""
    return passed <= seen // (4 if s.threes else 2)
