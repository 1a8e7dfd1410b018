"""The page model: what is known of each block, for the trees that say how likely it is main text (`_forest`).

In come the columns that `_blocks` gives of a page, out goes a matrix of features, a row a block.  Time is linear in
blocks and elements, and memory is the matrix.  No feature says where on the page a block stands.
"""

import numpy as np

from libc.math cimport log1p
from libc.stdint cimport int32_t, int64_t, uint8_t, uint16_t, uint32_t, uint64_t
from libc.stdlib cimport free, malloc
from libc.string cimport memset

from templatemine import _blocks
from templatemine._words cimport (
    C_WORDS, C_LINKED, C_STRONG, C_CAPITAL, C_UPPER, C_NUMBERS, C_SHORT, C_LETTERS, C_TITLE, C_TITLE_WORDS, C_MONTH,
    C_WEEKDAY, C_CONTROL, C_BY, C_RIGHTS, C_YEAR, C_CLOCK, C_SENTENCES, C_COMMAS, C_COLONS, C_QUOTES, C_BARS,
    C_PARENS, C_END, C_LOWER, C_OWN, C_TAGS, C_IMAGES, C_BREAK, C_BROKEN, C_TALK, C_SIZE,
)

__all__ = ["CONTEXT", "FEATURES", "ROLES", "SECTIONS", "context", "features"]


# ======================================================================================================================
# Tables: the roles of tags, the names of features
# ======================================================================================================================

ROLES = {
    "p": "p", "li": "li", "cell": "td th", "heading": "h1 h2 h3 h4 h5 h6 legend", "h1": "h1", "h2": "h2", "div": "div section",
    "term": "dt dd", "pre": "pre listing code", "quote": "blockquote q", "article": "article", "main": "main", "nav": "nav menu dir",
    "aside": "aside", "header": "header hgroup", "footer": "footer", "form": "form fieldset", "figure": "figure figcaption caption",
    "button": "button label summary", "noscript": "noscript", "link": "a", "inline": "span font small time cite abbr",
    "table": "table", "list": "ul ol dl",
}
"""Tags that play a role together."""

cdef enum:
    R_P, R_LI, R_CELL, R_HEADING, R_H1, R_H2, R_DIV, R_TERM, R_PRE, R_QUOTE, R_ARTICLE, R_MAIN, R_NAV, R_ASIDE, R_HEADER, R_FOOTER
    R_FORM, R_FIGURE, R_BUTTON, R_NOSCRIPT, R_LINK, R_INLINE, R_TABLE, R_LIST, R_SIZE

cdef enum:
    GROUP_COUNT = 18    # of key words
    FAR = 30            # further up than any key word counts
    SIDES = 3           # neighbours looked at on each side
    KEYED = 5           # forms of the path that blocks are gathered by
    LEVELS = 4          # containers looked at
    RECORD = 2          # blocks that make an element a record
    DATED = 25          # words of a block that says when, and perhaps who, at most
    MARK = 15           # of a heading
    BOLD = 6            # of a line in bold that stands for one

LOCAL = (
    "words", "linked", "strong", "capital", "upper", "numbers", "short", "letters", "title", "title_covered", "month", "weekday",
    "control", "by", "rights", "year", "clock", "sentences", "sentence_rate", "comma_rate", "commas", "colons", "quote_rate",
    "bar_rate", "bars", "paren_rate", "end", "lower", "own", "tags", "images", "break", "broken", "gap", "copies", "hidden",
    "tables", "lists",
)
NEIGHBOUR = ("words", "linked", "sentence_rate", "heading", "strong", "capital", "control", "end", "same_path")
GATHERED = ("blocks", "words", "prose", "linked")
AROUND = (
    "prose_left", "prose_right", "prose_left_far", "prose_right_far", "linked_left", "linked_right", "linked_left_far",
    "linked_right_far", "to_prose_left", "to_prose_right", "words_to_prose_left", "words_to_prose_right", "after_title",
    "in_most", "in_nearly_all", "out_of_most",
)
RECORDS = ("repeats", "part", "size", "dated", "prose", "linked", "height")
TITLED = ("up", "down", "words", "prose")
SECTIONS = (
    "talk", "since_mark", "mark_control", "mark_talk", "since_control_mark", "since_talk", "since_talk_mark", "since_dated",
    "to_dated", "dated_before", "dated_behind", "dated_beside", "dated_beside_part",
)
WHOLE = ("page_words", "page_blocks", "page_prose", "page_linked")


def _names(groups):
    names = list(LOCAL)
    names += [f"leaf_{role}" for role in ROLES] + [f"in_{role}" for role in ROLES]
    names += [f"group_{group}" for group in groups]
    names += [f"{form}_{what}" for form in ("full", "parent", "grandparent", "tags", "near") for what in GATHERED]
    names += [f"container{level}_{what}" for level in range(LEVELS) for what in GATHERED]
    names += list(AROUND) + list(WHOLE)
    names += [f"like{level}_{what}" for level in range(LEVELS) for what in ("count", "part")]
    names += [f"record_{what}" for what in RECORDS] + [f"title_{what}" for what in TITLED]
    names += [f"{what}{side:+d}" for side in (-3, -2, -1, 1, 2, 3) for what in NEIGHBOUR]
    return tuple(names) + SECTIONS


FEATURES = _names([str(place) for place in range(GROUP_COUNT)])
"""Columns of the matrix; `pages.model.feature_names` puts in the names of the groups of key words."""

cdef int WIDTH = len(FEATURES)
cdef int LOCAL_SIZE = len(LOCAL)
cdef int AROUND_SIZE = len(AROUND)
cdef int RECORD_SIZE = 2 * LEVELS + len(RECORDS)
cdef int TITLED_SIZE = len(TITLED)
cdef int NEIGHBOUR_SIZE = len(NEIGHBOUR)

cdef uint32_t ROLE_OF[256]
cdef uint8_t IS_BLOCK[256]


cdef void _tables():
    memset(ROLE_OF, 0, sizeof(ROLE_OF))
    memset(IS_BLOCK, 0, sizeof(IS_BLOCK))
    for place, (name, flags) in enumerate(_blocks.TAGS):
        IS_BLOCK[place] = bool(flags & _blocks.FLAGS["block"])
        for number, tags in enumerate(ROLES.values()):
            if name in tags.split():
                ROLE_OF[place] |= 1 << number


_tables()


# ======================================================================================================================
# Features
# ======================================================================================================================

cdef struct Work:
    # Of each element
    const uint16_t* tag_of
    uint32_t* roles         # of itself and all it stands in
    uint8_t* distance       # (elements, GROUP_COUNT) how far up the nearest one with a key word of the group is
    uint8_t* hidden
    uint8_t* tables
    uint8_t* lists
    int32_t* home           # itself or the nearest block element above
    double* sums            # (elements, 4): blocks, words, prose, linked
    int32_t* dated          # something in it is dated
    int32_t* beside         # (elements, 2): blocks right in its children, and those that are dated
    # Of each path
    double* like            # (paths, 5): elements with text at its end, their words, prose, links, and how many are dated
    # Of each block
    double* prose
    int32_t* group          # place of its group, for one form of the path
    # Hash table
    uint64_t* slot_key
    int32_t* slot
    double* group_sums


cdef void work_free(Work* w) noexcept nogil:
    free(w.roles)
    free(w.distance)
    free(w.hidden)
    free(w.tables)
    free(w.lists)
    free(w.home)
    free(w.sums)
    free(w.dated)
    free(w.beside)
    free(w.like)
    free(w.prose)
    free(w.group)
    free(w.slot_key)
    free(w.slot)
    free(w.group_sums)


cdef int work_init(Work* w, int64_t n, int64_t m, int64_t paths, int64_t slots) except -1 nogil:
    memset(w, 0, sizeof(Work))
    w.roles = <uint32_t*>malloc(m * sizeof(uint32_t))
    w.distance = <uint8_t*>malloc(m * GROUP_COUNT)
    w.hidden = <uint8_t*>malloc(m)
    w.tables = <uint8_t*>malloc(m)
    w.lists = <uint8_t*>malloc(m)
    w.home = <int32_t*>malloc(m * sizeof(int32_t))
    w.sums = <double*>malloc(m * 4 * sizeof(double))
    w.dated = <int32_t*>malloc(m * sizeof(int32_t))
    w.beside = <int32_t*>malloc(2 * m * sizeof(int32_t))
    w.like = <double*>malloc(paths * 5 * sizeof(double))
    w.prose = <double*>malloc(n * sizeof(double))
    w.group = <int32_t*>malloc(n * sizeof(int32_t))
    w.slot_key = <uint64_t*>malloc(slots * sizeof(uint64_t))
    w.slot = <int32_t*>malloc(slots * sizeof(int32_t))
    w.group_sums = <double*>malloc(n * 4 * sizeof(double))
    if (w.roles == NULL or w.distance == NULL or w.hidden == NULL or w.tables == NULL or w.lists == NULL or w.home == NULL
            or w.sums == NULL or w.dated == NULL or w.beside == NULL or w.like == NULL or w.prose == NULL or w.group == NULL
            or w.slot_key == NULL or w.slot == NULL or w.group_sums == NULL):
        work_free(w)
        raise MemoryError
    return 0


cdef void totals(Work* w, const int32_t* counts, const int32_t[::1] element, const int32_t[::1] parents, int64_t n) noexcept nogil:
    """Sums over the blocks in each element, however deep."""
    cdef int64_t i, e, m = parents.shape[0]
    cdef int k
    memset(w.sums, 0, m * 4 * sizeof(double))
    for i in range(n):
        add_block(w.sums + 4 * element[i], counts + i * C_SIZE, w.prose[i])
    for e in range(m - 1, 0, -1):
        for k in range(4):
            w.sums[4 * parents[e] + k] += w.sums[4 * e + k]


cdef void elements(Work* w, const int32_t[::1] parents, const uint16_t[::1] tags, const uint32_t[::1] groups,
                   const uint8_t[::1] hidden, double words) noexcept nogil:
    """What an element inherits; parents stand before their children.

    A name that nine tenths of the page's words stand under tells nothing apart.
    """
    cdef int64_t i, parent, m = parents.shape[0]
    cdef int g
    cdef uint8_t d
    cdef uint32_t own, named
    cdef bint all_of_it
    for i in range(m):
        parent = parents[i]
        all_of_it = w.sums[4 * i + 1] >= 0.9 * words
        named = 0 if all_of_it else groups[i]
        own = ROLE_OF[tags[i] & 0xFF]
        if parent < 0:
            w.roles[i] = own
            w.hidden[i] = 0
            w.tables[i] = w.lists[i] = 0
            w.home[i] = <int32_t>i
        else:
            w.roles[i] = own | w.roles[parent]
            w.hidden[i] = w.hidden[parent] if all_of_it else hidden[i] | w.hidden[parent]
            w.tables[i] = w.tables[parent]
            w.lists[i] = w.lists[parent]
            w.home[i] = <int32_t>i if IS_BLOCK[tags[i] & 0xFF] else w.home[parent]
        if own >> R_TABLE & 1 and w.tables[i] < 200:
            w.tables[i] += 1
        if own >> R_LIST & 1 and w.lists[i] < 200:
            w.lists[i] += 1
        for g in range(GROUP_COUNT):
            if named >> g & 1:
                d = 0
            elif parent < 0:
                d = FAR
            else:
                d = w.distance[parent * GROUP_COUNT + g]
                d = d + 1 if d < FAR else FAR
            w.distance[i * GROUP_COUNT + g] = d


cdef inline double share(double part, double whole) noexcept nogil:
    return part / whole if whole > 0 else 0


cdef void local(Work* w, const int32_t* c, int64_t element, uint16_t leaf, double gap, double title, float* o) noexcept nogil:
    """What is known of a block by itself and of the elements it stands in."""
    cdef double words = c[C_WORDS] if c[C_WORDS] > 0 else 1
    cdef int k, at
    cdef uint32_t roles = w.roles[element]
    o[0] = <float>log1p(words)
    o[1] = <float>(c[C_LINKED] / words)
    o[2] = <float>(c[C_STRONG] / words)
    o[3] = <float>(c[C_CAPITAL] / words)
    o[4] = <float>(c[C_UPPER] / words)
    o[5] = <float>(c[C_NUMBERS] / words)
    o[6] = <float>(c[C_SHORT] / words)
    o[7] = <float>(c[C_LETTERS] / words)
    o[8] = <float>(c[C_TITLE] / words)
    o[9] = <float>share(c[C_TITLE_WORDS], title)
    o[10] = c[C_MONTH]
    o[11] = c[C_WEEKDAY]
    o[12] = <float>(c[C_CONTROL] / words)
    o[13] = c[C_BY]
    o[14] = c[C_RIGHTS]
    o[15] = c[C_YEAR]
    o[16] = c[C_CLOCK]
    o[17] = <float>log1p(c[C_SENTENCES])
    o[18] = <float>(c[C_SENTENCES] / words)
    o[19] = <float>(c[C_COMMAS] / words)
    o[20] = <float>log1p(c[C_COMMAS])
    o[21] = c[C_COLONS]
    o[22] = <float>(c[C_QUOTES] / words)
    o[23] = <float>(c[C_BARS] / words)
    o[24] = c[C_BARS]
    o[25] = <float>(c[C_PARENS] / words)
    o[26] = c[C_END]
    o[27] = c[C_LOWER]
    o[28] = <float>(c[C_OWN] / words)
    o[29] = <float>log1p(c[C_TAGS])
    o[30] = <float>log1p(c[C_IMAGES])
    o[31] = c[C_BREAK]
    o[32] = c[C_BROKEN]
    o[33] = <float>log1p(gap)
    o[35] = w.hidden[element]
    o[36] = w.tables[element]
    o[37] = w.lists[element]
    at = LOCAL_SIZE
    for k in range(R_SIZE):
        o[at + k] = ROLE_OF[leaf & 0xFF] >> k & 1
        o[at + R_SIZE + k] = roles >> k & 1
    at += 2 * R_SIZE
    for k in range(GROUP_COUNT):
        o[at + k] = w.distance[element * GROUP_COUNT + k]


cdef int64_t gather(Work* w, const uint64_t[:, ::1] keys, int form, uint64_t mask) noexcept nogil:
    """Number the blocks by one form of their path; returns how many there are."""
    cdef int64_t i, n = keys.shape[0], count = 0
    cdef uint64_t place
    memset(w.slot, 0xFF, (mask + 1) * sizeof(int32_t))
    for i in range(n):
        place = (keys[i, form] ^ keys[i, form] >> 32) & mask
        while w.slot[place] >= 0 and w.slot_key[place] != keys[i, form]:
            place = (place + 1) & mask
        if w.slot[place] < 0:
            w.slot[place] = <int32_t>count
            w.slot_key[place] = keys[i, form]
            count += 1
        w.group[i] = w.slot[place]
    return count


cdef inline void put_sums(const double* sums, const double* whole, float* o) noexcept nogil:
    o[0] = <float>log1p(sums[0])
    o[1] = <float>share(sums[1], whole[1])
    o[2] = <float>share(sums[2], whole[2])
    o[3] = <float>share(sums[3], sums[1])


cdef inline void add_block(double* sums, const int32_t* c, double prose) noexcept nogil:
    sums[0] += 1
    sums[1] += c[C_WORDS]
    sums[2] += prose
    sums[3] += c[C_LINKED]


cdef void paths(Work* w, const int32_t* counts, const uint64_t[:, ::1] keys, const double* whole, uint64_t mask, int at,
                float* out) noexcept nogil:
    """Sums over the blocks with the same path, in each of several forms."""
    cdef int64_t i, n = keys.shape[0], count
    cdef int f
    cdef int[KEYED] forms = [0, 1, 2, 4, 5]
    for f in range(KEYED):
        count = gather(w, keys, forms[f], mask)
        memset(w.group_sums, 0, count * 4 * sizeof(double))
        for i in range(n):
            add_block(w.group_sums + 4 * w.group[i], counts + i * C_SIZE, w.prose[i])
        for i in range(n):
            put_sums(w.group_sums + 4 * w.group[i], whole, out + i * WIDTH + at + 4 * f)


cdef void containers(Work* w, const int32_t[::1] element, const int32_t[::1] parents, const double* whole, int64_t n,
                     int at, int around, float* out) noexcept nogil:
    """Sums over the elements a block stands in, and where it stands to the least ones with most of the prose."""
    cdef int64_t i, m = parents.shape[0], e, most = 0, nearly = 0
    cdef int level, k
    cdef double* sums = w.sums
    for e in range(m):
        # The last one is the innermost: an element holds no more than those it stands in.
        if sums[4 * e + 2] >= 0.6 * whole[2]:
            most = e
        if sums[4 * e + 2] >= 0.9 * whole[2]:
            nearly = e
    for i in range(n):
        e = w.home[element[i]]
        for level in range(LEVELS):
            put_sums(sums + 4 * e, whole, out + i * WIDTH + at + 4 * level)
            if parents[e] >= 0:
                e = w.home[parents[e]]
        e = element[i]
        level = 0
        while e > nearly:
            e = parents[e]
        out[i * WIDTH + around + 14] = e == nearly
        e = element[i]
        while e > most:
            e = parents[e]
        out[i * WIDTH + around + 13] = e == most
        # How far one has to go from there up to what holds both.
        k = <int>most
        while k != e:
            if k > e:
                k = parents[k]
                level += 1
            else:
                e = parents[e]
        out[i * WIDTH + around + 15] = level


cdef void likes(Work* w, const int32_t* counts, const int32_t[::1] element, const int32_t[::1] parents,
                const int32_t[::1] nodes, int64_t n, int64_t paths) noexcept nogil:
    """Sums over the elements with the same path, as those of comments, teasers and captions are."""
    cdef int64_t i, e, m = parents.shape[0]
    cdef const int32_t* c
    cdef double* like
    memset(w.dated, 0, m * sizeof(int32_t))
    memset(w.like, 0, paths * 5 * sizeof(double))
    for i in range(n):
        c = counts + i * C_SIZE
        w.dated[element[i]] |= c[C_MONTH] > 0 or c[C_CLOCK] > 0 or c[C_YEAR] > 0 or c[C_WEEKDAY] > 0
    for e in range(m - 1, 0, -1):
        w.dated[parents[e]] |= w.dated[e]
        if w.sums[4 * e + 1] > 0 and IS_BLOCK[w.tag_of[e] & 0xFF]:
            like = w.like + 5 * nodes[e]
            like[0] += 1
            like[1] += w.sums[4 * e + 1]
            like[2] += w.sums[4 * e + 2]
            like[3] += w.sums[4 * e + 3]
            like[4] += w.dated[e]


cdef void records(Work* w, const int32_t[::1] element, const int32_t[::1] parents, const int32_t[::1] nodes, int64_t n,
                  int at, float* out) noexcept nogil:
    """How often the containers of a block come on the page, and the one that comes most of those with several blocks."""
    cdef int64_t i, e, most
    cdef int level, height
    cdef const double* like
    cdef float* o
    for i in range(n):
        o = out + i * WIDTH + at
        e = w.home[element[i]]
        for level in range(LEVELS):
            like = w.like + 5 * nodes[e]
            o[2 * level] = <float>log1p(like[0])
            o[2 * level + 1] = <float>share(w.sums[4 * e + 1], like[1])
            if parents[e] >= 0:
                e = w.home[parents[e]]
        o += 2 * LEVELS
        e = w.home[element[i]]
        most = -1
        level = height = 0
        while parents[e] >= 0:
            if w.sums[4 * e] >= RECORD and (most < 0 or w.like[5 * nodes[e]] > w.like[5 * nodes[most]]):
                most = e
                height = level
            e = w.home[parents[e]]
            level += 1
        if most < 0:
            for level in range(7):
                o[level] = -1
            continue
        like = w.like + 5 * nodes[most]
        o[0] = <float>log1p(like[0])
        o[1] = <float>share(w.sums[4 * most + 1], like[1])
        o[2] = <float>log1p(share(like[1], like[0]))
        o[3] = <float>share(like[4], like[0])
        o[4] = <float>share(like[2], like[1])
        o[5] = <float>share(like[3], like[1])
        o[6] = height


cdef void from_title(Work* w, const int32_t[::1] element, const int32_t[::1] parents, const double* whole, int64_t title,
                     int64_t n, int at, float* out) noexcept nogil:
    """How far up the tree what holds both a block and the headline is, and how much of the page it holds."""
    cdef int64_t i, e, t
    cdef int up, down
    cdef float* o
    for i in range(n):
        o = out + i * WIDTH + at
        if title < 0:
            o[0] = o[1] = o[2] = o[3] = -1
            continue
        e = w.home[element[i]]
        t = w.home[element[title]]
        up = down = 0
        while e != t:
            if e > t:
                e = w.home[parents[e]]
                up += 1
            else:
                t = w.home[parents[t]]
                down += 1
        o[0] = up
        o[1] = down
        o[2] = <float>share(w.sums[4 * e + 1], whole[1])
        o[3] = <float>share(w.sums[4 * e + 2], whole[2])


cdef int64_t surroundings(Work* w, const int32_t* counts, int64_t n, int around, float* out) noexcept nogil:
    """Prose and links to both sides, and how far the nearest stretch of prose and the title are; returns the title's place."""
    cdef int64_t i, k, title = -1
    cdef int side
    cdef double near, far, links, links_far, blocks, words, best = 0, seen
    cdef float* o
    cdef const int32_t* c
    for side in range(2):
        near = far = links = links_far = 0
        blocks = words = 1000
        for k in range(n):
            i = k if side == 0 else n - 1 - k
            o = out + i * WIDTH + around
            c = counts + i * C_SIZE
            o[0 + side] = <float>log1p(near)
            o[2 + side] = <float>log1p(far)
            o[4 + side] = <float>log1p(links)
            o[6 + side] = <float>log1p(links_far)
            o[8 + side] = <float>log1p(blocks)
            o[10 + side] = <float>log1p(words)
            near = 0.6 * near + w.prose[i]
            far = 0.9 * far + w.prose[i]
            links = 0.6 * links + c[C_LINKED]
            links_far = 0.9 * links_far + c[C_LINKED]
            if w.prose[i] >= 15:
                blocks = words = 0
            else:
                blocks = min(blocks + 1, 1000)
                words = min(words + c[C_WORDS], 1000)
    # The block that says most of the title, the first of the headings among equals
    for i in range(n):
        o = out + i * WIDTH
        seen = o[9] * o[8] * (1.25 if o[LOCAL_SIZE + R_HEADING] else 1) * (1.2 if o[LOCAL_SIZE + R_H1] else 1)
        if seen > best:
            best = seen
            title = i
    words = 0
    for i in range(n):
        out[i * WIDTH + around + 12] = 0
    if title >= 0 and best >= 0.3:
        for i in range(title, n):
            out[i * WIDTH + around + 12] = <float>(1 + log1p(words))
            words += counts[i * C_SIZE + C_WORDS]
        words = 0
        for i in range(title - 1, -1, -1):
            words += counts[i * C_SIZE + C_WORDS]
            out[i * WIDTH + around + 12] = <float>(-1 - log1p(words))
        return title
    return -1


cdef void neighbours(const uint64_t[:, ::1] keys, int64_t n, int at, float* out) noexcept nogil:
    """What the blocks beside a block are like; beyond the page's ends -1."""
    cdef int64_t i, j
    cdef int side, k
    cdef int[NEIGHBOUR_COLUMNS] column = [0, 1, 18, 0, 2, 3, 12, 26]
    cdef float* o
    column[3] = LOCAL_SIZE + R_HEADING
    for i in range(n):
        for side in range(2 * SIDES):
            j = i + (side - SIDES if side < SIDES else side - SIDES + 1)
            o = out + i * WIDTH + at + side * NEIGHBOUR_SIZE
            if j < 0 or j >= n:
                for k in range(NEIGHBOUR_SIZE):
                    o[k] = -1
                continue
            for k in range(NEIGHBOUR_SIZE - 1):
                o[k] = out[j * WIDTH + column[k]]
            o[NEIGHBOUR_SIZE - 1] = keys[i, 0] == keys[j, 0]


cdef inline bint is_dated(const int32_t* c) noexcept nogil:
    """A short block that names a day or a time: a byline, the signature of a comment, the date of a teaser."""
    return c[C_WORDS] <= DATED and (c[C_MONTH] > 0 or c[C_CLOCK] > 0 or c[C_YEAR] > 0 or c[C_WEEKDAY] > 0)


cdef inline float past(double words) noexcept nogil:
    """How many words ago something was; -1 if it never was."""
    return <float>log1p(words) if words >= 0 else -1


cdef inline double on(double words, int32_t more) noexcept nogil:
    return words + more if words >= 0 else -1


cdef void sections(Work* w, const int32_t* counts, const int32_t[::1] element, const int32_t[::1] parents, int64_t n, int at,
                   float* out) noexcept nogil:
    """Under which heading a block stands, and which signatures stand before, behind and beside it.

    A thread of comments need have no element of its own: a heading says that it begins, and each comment is signed.
    """
    cdef int64_t i, k, e
    cdef const int32_t* c
    cdef float* o
    cdef double mark = -1, control = -1, talk = -1, talk_mark = -1, dated = -1
    cdef float mark_control = -1, mark_talk = -1
    cdef int32_t before = 0, all_dated = 0, size
    cdef bint is_mark
    memset(w.beside, 0, 2 * parents.shape[0] * sizeof(int32_t))
    for i in range(n):
        e = max(parents[element[i]], 0)
        w.beside[2 * e] += 1
        if is_dated(counts + i * C_SIZE):
            w.beside[2 * e + 1] += 1
            all_dated += 1
    for i in range(n):
        c = counts + i * C_SIZE
        o = out + i * WIDTH
        size = c[C_WORDS]
        is_mark = size <= MARK and (o[LOCAL_SIZE + R_SIZE + R_HEADING] or (c[C_STRONG] >= 0.8 * size and size <= BOLD))
        e = max(parents[element[i]], 0)
        o += at
        o[0] = c[C_TALK]
        o[1] = past(mark)
        o[2] = mark_control
        o[3] = mark_talk
        o[4] = past(control)
        o[5] = past(talk)
        o[6] = past(talk_mark)
        o[7] = past(dated)
        o[9] = <float>log1p(before)
        o[11] = <float>log1p(w.beside[2 * e + 1])
        o[12] = <float>share(w.beside[2 * e + 1], w.beside[2 * e])
        mark = on(mark, size)
        control = on(control, size)
        talk = on(talk, size)
        talk_mark = on(talk_mark, size)
        dated = on(dated, size)
        if is_mark:
            mark = 0
            mark_control = <float>(c[C_CONTROL] / <double>size)
            mark_talk = c[C_TALK]
            if c[C_CONTROL]:
                control = 0
            if c[C_TALK]:
                talk_mark = 0
        if c[C_TALK] and size <= MARK:
            talk = 0
        if is_dated(c):
            dated = 0
            before += 1
        o[10] = <float>log1p(all_dated - before)
    dated = -1
    for k in range(n):
        i = n - 1 - k
        c = counts + i * C_SIZE
        out[i * WIDTH + at + 8] = past(dated)
        dated = on(dated, c[C_WORDS])
        if is_dated(c):
            dated = 0


cdef enum:
    NEIGHBOUR_COLUMNS = 8


def _check(dict page):
    """Columns that do not fit together are an error, not a crash."""
    cdef const int32_t[::1] element = page["element"], parents = page["parents"], nodes = page["element_nodes"]
    cdef int64_t n = len(page["counts"]), m = parents.shape[0], k = len(page["node_parents"]), i
    if (page["counts"].shape[1] != C_SIZE or page["keys"].shape[1] != 6 or any(len(page[name]) != n for name in BLOCKWISE)
            or any(len(page[name]) != m for name in ELEMENTWISE)):
        raise ValueError("expected the columns of one page, got columns that do not fit together")
    for i in range(n):
        if not 0 <= element[i] < m:
            raise ValueError(f"element: expected places from 0 to {m - 1}, got {element[i]}")
    for i in range(m):
        if not -1 <= parents[i] < i or (parents[i] < 0) != (i == 0):
            raise ValueError(f"parents: expected each before its children and -1 for the first only, got {parents[i]} at {i}")
        if not 0 <= nodes[i] < k:
            raise ValueError(f"element_nodes: expected places from 0 to {k - 1}, got {nodes[i]}")


BLOCKWISE = ("element", "keys", "hashes", "starts", "ends")
ELEMENTWISE = ("tags", "groups", "hidden", "element_nodes")


def features(dict page not None):
    """Features of the blocks of a page.

    Parameters
    ----------
    page : dict of str to array
        What `_blocks.BlockScanner.blocks` gave.

    Returns
    -------
    float32 array, shape (blocks, len(FEATURES))
    """
    cdef const int32_t[:, ::1] counts = page["counts"]
    cdef const int32_t[::1] element = page["element"], parents = page["parents"]
    cdef const uint64_t[:, ::1] keys = page["keys"]
    cdef const uint64_t[::1] hashes = page["hashes"]
    cdef const uint16_t[::1] tags = page["tags"]
    cdef const uint32_t[::1] groups = page["groups"]
    cdef const uint8_t[::1] hidden = page["hidden"]
    cdef const int32_t[::1] nodes = page["element_nodes"], node_parents = page["node_parents"]
    cdef const int64_t[::1] starts = page["starts"], ends = page["ends"]
    cdef double title = page["title"]
    cdef int64_t n = counts.shape[0], m = parents.shape[0], i, title_at
    cdef uint64_t mask = 15, place
    cdef Work w
    cdef double[4] whole
    cdef int at
    cdef const int32_t* c
    cdef float* o
    _check(page)
    matrix = np.empty((n, WIDTH), np.float32)
    if n == 0:
        return matrix
    cdef float[:, ::1] view = matrix
    cdef float* out = &view[0, 0]
    while mask < <uint64_t>n * 2:
        mask = mask * 2 + 1
    work_init(&w, n, m, node_parents.shape[0], mask + 1)
    w.tag_of = &tags[0]
    with nogil:
        whole[0] = whole[1] = whole[2] = whole[3] = 0
        for i in range(n):
            c = &counts[i, 0]
            w.prose[i] = c[C_WORDS] - c[C_LINKED] if c[C_SENTENCES] or c[C_WORDS] >= 10 else 0
            add_block(whole, c, w.prose[i])
        totals(&w, &counts[0, 0], element, parents, n)
        elements(&w, parents, tags, groups, hidden, whole[1])
        likes(&w, &counts[0, 0], element, parents, nodes, n, node_parents.shape[0])
        for i in range(n):
            c = &counts[i, 0]
            local(&w, c, element[i], tags[w.home[element[i]]], starts[i] - (ends[i - 1] if i else starts[i]), title, out + i * WIDTH)
        # Copies of the text on the page
        memset(w.slot, 0, (mask + 1) * sizeof(int32_t))
        for i in range(n):
            place = (hashes[i] ^ hashes[i] >> 32) & mask
            while w.slot[place] and w.slot_key[place] != hashes[i]:
                place = (place + 1) & mask
            w.slot_key[place] = hashes[i]
            w.slot[place] += 1
            w.group[i] = <int32_t>place
        for i in range(n):
            out[i * WIDTH + 34] = <float>log1p(w.slot[w.group[i]] - 1)
        at = LOCAL_SIZE + 2 * R_SIZE + GROUP_COUNT
        paths(&w, &counts[0, 0], keys, whole, mask, at, out)
        at += 4 * KEYED
        containers(&w, element, parents, whole, n, at, at + 4 * LEVELS, out)
        at += 4 * LEVELS
        title_at = surroundings(&w, &counts[0, 0], n, at, out)
        at += AROUND_SIZE
        for i in range(n):
            o = out + i * WIDTH + at
            o[0] = <float>log1p(whole[1])
            o[1] = <float>log1p(whole[0])
            o[2] = <float>share(whole[2], whole[1])
            o[3] = <float>share(whole[3], whole[1])
        at += 4
        records(&w, element, parents, nodes, n, at, out)
        at += RECORD_SIZE
        from_title(&w, element, parents, whole, title_at, n, at, out)
        at += TITLED_SIZE
        neighbours(keys, n, at, out)
        at += 2 * SIDES * NEIGHBOUR_SIZE
        sections(&w, &counts[0, 0], element, parents, n, at, out)
        work_free(&w)
    return matrix


# ======================================================================================================================
# Context
# ======================================================================================================================

CONTEXT = (
    "score", *(f"chance{side:+d}" for side in (-4, -3, -2, -1, 1, 2, 3, 4)),
    *(f"{what}_{side}{far}" for side in ("left", "right") for far in ("", "_far") for what in ("kept", "lost")),
    *(f"{form}_{what}" for form in ("full", "parent", "grandparent", "tags", "near") for what in ("chance", "part")),
    *(f"container{level}_{what}" for level in range(LEVELS) for what in ("chance", "part")),
    "record_chance", "record_part", "rank", "chosen", "from_first", "to_last", "chosen_before",
    "page_gain", "page_best", "page_kept", "page_share",
)
"""Columns of the matrix of `context`."""

cdef int CONTEXT_WIDTH = len(CONTEXT)

cdef enum:
    NEXT = 4            # neighbours on each side whose probability is looked at
    AWAY = 50           # blocks; further off is as far


cdef void sum_context(Work* w, const int32_t[::1] element, const int32_t[::1] parents, const uint16_t[::1] tags,
                      const int32_t* words, const int32_t[::1] nodes, const double* kept, int64_t n, int64_t paths) noexcept nogil:
    """Blocks, words and expected words of main text in each element, and over the elements with the same path."""
    cdef int64_t i, e, m = parents.shape[0]
    cdef double* like
    memset(w.sums, 0, m * 4 * sizeof(double))
    memset(w.like, 0, paths * 5 * sizeof(double))
    for i in range(n):
        e = element[i]
        w.sums[4 * e] += 1
        w.sums[4 * e + 1] += words[i * C_SIZE]
        w.sums[4 * e + 2] += kept[i]
    w.home[0] = 0
    for e in range(1, m):
        w.home[e] = <int32_t>e if IS_BLOCK[tags[e] & 0xFF] else w.home[parents[e]]
    for e in range(m - 1, 0, -1):
        for i in range(3):
            w.sums[4 * parents[e] + i] += w.sums[4 * e + i]
        if w.sums[4 * e + 1] > 0 and w.home[e] == e:
            like = w.like + 5 * nodes[e]
            like[0] += 1
            like[1] += w.sums[4 * e + 1]
            like[2] += w.sums[4 * e + 2]


cdef void tree_context(Work* w, const int32_t[::1] element, const int32_t[::1] parents, const int32_t[::1] nodes, double total,
                       int64_t n, int at, float* out) noexcept nogil:
    """Of the containers of a block, and of the elements like the one of them that comes most often."""
    cdef int64_t i, e, most
    cdef int level
    cdef float* o
    for i in range(n):
        o = out + i * CONTEXT_WIDTH + at
        e = w.home[element[i]]
        for level in range(LEVELS):
            o[2 * level] = <float>share(w.sums[4 * e + 2], w.sums[4 * e + 1])
            o[2 * level + 1] = <float>(w.sums[4 * e + 2] / total)
            if parents[e] >= 0:
                e = w.home[parents[e]]
        e = w.home[element[i]]
        most = -1
        while parents[e] >= 0:
            if w.sums[4 * e] >= RECORD and (most < 0 or w.like[5 * nodes[e]] > w.like[5 * nodes[most]]):
                most = e
            e = w.home[parents[e]]
        o += 2 * LEVELS
        o[0] = <float>share(w.like[5 * nodes[most] + 2], w.like[5 * nodes[most] + 1]) if most >= 0 else -1
        o[1] = <float>(w.like[5 * nodes[most] + 2] / total) if most >= 0 else -1


cdef void row_context(const int32_t* words, const double* chance, const double* kept, int64_t n, float* out) noexcept nogil:
    """Of the blocks to both sides."""
    cdef int64_t i, j, k
    cdef int side, far
    cdef double fade, have, lose
    cdef float* o
    for i in range(n):
        o = out + i * CONTEXT_WIDTH + 1
        for side in range(2 * NEXT):
            j = i + (side - NEXT if side < NEXT else side - NEXT + 1)
            o[side] = <float>chance[j] if 0 <= j < n else -1
    for side in range(2):
        for far in range(2):
            fade = 0.9 if far else 0.6
            have = lose = 0
            for k in range(n):
                i = k if side == 0 else n - 1 - k
                o = out + i * CONTEXT_WIDTH + 1 + 2 * NEXT + 4 * side + 2 * far
                o[0] = <float>log1p(have)
                o[1] = <float>log1p(lose)
                have = fade * have + kept[i]
                lose = fade * lose + (words[i * C_SIZE] - kept[i])


cdef void chosen_context(const int32_t* words, const double* chance, const double* kept, const int64_t[::1] order, double total,
                         double whole, int64_t n, int at, float* out) noexcept nogil:
    """Of the blocks that expected F1 would choose (see `pages.decode`)."""
    cdef int64_t i, k, top = 0, first = n, last = 0
    cdef double have = 0, size = 0, best = -1, gain, all_of_it = 0
    cdef float* o
    for k in range(n):
        i = order[k]
        out[i * CONTEXT_WIDTH + at] = <float>(have / total)
        have += kept[i]
        size += words[i * C_SIZE]
        gain = 2 * have / (size + total)
        if gain > best:
            best = gain
            top = k
    for k in range(n):
        i = order[k]
        out[i * CONTEXT_WIDTH + at + 1] = k <= top
        if k <= top:
            first = min(first, i)
            last = max(last, i)
            all_of_it += words[i * C_SIZE]
    have = 0
    for i in range(n):
        o = out + i * CONTEXT_WIDTH + at
        if o[1]:
            have += words[i * C_SIZE]
        o[2] = max(-AWAY, min(AWAY, i - first))
        o[3] = max(-AWAY, min(AWAY, last - i))
        o[4] = <float>(have / all_of_it)
        o[5] = <float>best
        o[6] = <float>chance[order[0]]
        o[7] = <float>log1p(total)
        o[8] = <float>(total / whole)


def context(dict page not None, const double[::1] scores not None):
    """What scores say of the surroundings of each block, for a second look.

    Parameters
    ----------
    page : dict of str to array
        What `_blocks.BlockScanner.blocks` gave.
    scores : float64 array, shape (blocks,)
        Log odds that each block is main text.

    Returns
    -------
    float32 array, shape (blocks, len(CONTEXT))
    """
    cdef const int32_t[:, ::1] counts = page["counts"]
    cdef const int32_t[::1] element = page["element"], parents = page["parents"]
    cdef const int32_t[::1] nodes = page["element_nodes"], node_parents = page["node_parents"]
    cdef const uint64_t[:, ::1] keys = page["keys"]
    cdef const uint16_t[::1] tags = page["tags"]
    cdef int64_t n = counts.shape[0], m = parents.shape[0], i
    cdef uint64_t mask = 15
    cdef Work w
    cdef double whole = 0, total = 0
    cdef int f, at
    cdef int[KEYED] forms = [0, 1, 2, 4, 5]
    cdef const int32_t* words
    cdef float* o
    if scores.shape[0] != n:
        raise ValueError(f"expected a score for each of {n} blocks, got {scores.shape[0]}")
    _check(page)
    matrix = np.empty((n, CONTEXT_WIDTH), np.float32)
    if n == 0:
        return matrix
    chances = 1 / (1 + np.exp(-np.clip(np.asarray(scores), -30, 30)))
    cdef const int64_t[::1] order = np.argsort(-chances, kind="stable")
    cdef const double[::1] chance = chances
    cdef const double[::1] kept = chances * np.asarray(counts)[:, C_WORDS]
    cdef float[:, ::1] view = matrix
    cdef float* out = &view[0, 0]
    while mask < <uint64_t>n * 2:
        mask = mask * 2 + 1
    work_init(&w, n, m, node_parents.shape[0], mask + 1)
    with nogil:
        words = &counts[0, C_WORDS]
        for i in range(n):
            out[i * CONTEXT_WIDTH] = <float>scores[i]
            whole += words[i * C_SIZE]
            total += kept[i]
        row_context(words, &chance[0], &kept[0], n, out)
        at = 1 + 2 * NEXT + 8
        for f in range(KEYED):
            memset(w.group_sums, 0, 2 * gather(&w, keys, forms[f], mask) * sizeof(double))
            for i in range(n):
                w.group_sums[2 * w.group[i]] += kept[i]
                w.group_sums[2 * w.group[i] + 1] += words[i * C_SIZE]
            for i in range(n):
                o = out + i * CONTEXT_WIDTH + at + 2 * f
                o[0] = <float>share(w.group_sums[2 * w.group[i]], w.group_sums[2 * w.group[i] + 1])
                o[1] = <float>(w.group_sums[2 * w.group[i]] / total)
        at += 2 * KEYED
        sum_context(&w, element, parents, tags, words, nodes, &kept[0], n, node_parents.shape[0])
        tree_context(&w, element, parents, nodes, total, n, at, out)
        at += 2 * LEVELS + 2
        chosen_context(words, &chance[0], &kept[0], order, total, whole, n, at, out)
        work_free(&w)
    return matrix
