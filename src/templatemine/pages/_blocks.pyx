"""Features of the blocks of a page, and what elements hand down to blocks.

In come the columns that `_html` gives of a page, out go a matrix of features, of scores around each block, and columns.
"""

import numpy as np
from templatemine.pages import _html

from libc.math cimport log1p
from libc.stdint cimport int32_t, int64_t, uint16_t, uint32_t, uint64_t, uint8_t
from libc.stdlib cimport free, malloc
from libc.string cimport memcpy, memset

from templatemine.pages._html cimport (
    C_BARS, C_BREAK, C_BROKEN, C_BY, C_CAPITAL, C_CLOCK, C_COLONS, C_COMMAS, C_CONTROL, C_END, C_IMAGES, C_LETTERS, C_LINKED,
    C_LOWER, C_MONTH, C_NUMBERS, C_OWN, C_PARENS, C_QUOTES, C_RIGHTS, C_SENTENCES, C_SHORT, C_SIZE, C_STRONG, C_TAGS, C_TALK,
    C_TITLE, C_TITLE_WORDS, C_UPPER, C_WEEKDAY, C_WORDS, C_YEAR, K_FULL, K_GRAND, K_NEAR, K_PARENT, K_SIZE, K_TAGS,
)

__all__ = [
    "BLOCKWISE", "CONTEXT", "FEATURES", "ROLES", "SECTIONS", "compute_context", "compute_features", "find_first_equal", "find_nearest",
    "find_openings", "find_value", "inherit_by_blocks", "inherit_values", "normalise_texts", "sum_subtrees",
]


# ----------------------------------------------------------------------------------------------------------------------- checks
# Columns that do not fit together are an error, not a crash; for all native modules of pages.


cdef void check(bint good, str what) except *:
    if not good:
        raise ValueError(f"expected {what}")


cdef void check_ascending(const int64_t[::1] bounds, int64_t size, str what) except *:
    """Each is asked for: the loops below trust them."""
    cdef int64_t i, before = 0
    cdef bint good = bounds.shape[0] > 0
    with nogil:
        for i in range(bounds.shape[0]):
            good = good and before <= bounds[i] <= size
            before = bounds[i]
    check(good, what)


cdef void check_places(const int64_t[::1] starts, const int64_t[::1] ends, int64_t size) except *:
    cdef int64_t i
    cdef bint good = starts.shape[0] == ends.shape[0]
    check(good, "as many ends as starts")
    with nogil:
        for i in range(starts.shape[0]):
            good = good and 0 <= starts[i] <= size and 0 <= ends[i] <= size
    check(good, "blocks within the page")


# ------------------------------------------------------------------------------------------------------------------------ order
# Places by falling value.

cdef enum:
    RUN = 16            # places that are sorted one by one before runs are merged


cdef void sort_run(const double* values, int64_t begin, int64_t end, int64_t* order) noexcept nogil:
    """Places from `begin` up to `end` by falling value, equal ones as they come."""
    cdef int64_t i, k
    for i in range(begin, end):
        k = i
        while k > begin and values[order[k - 1]] < values[i]:
            order[k] = order[k - 1]
            k -= 1
        order[k] = i


cdef void merge_runs(const double* values, const int64_t* order, int64_t begin, int64_t middle, int64_t end,
                     int64_t* out) noexcept nogil:
    cdef int64_t left = begin, right = middle, k
    for k in range(begin, end):
        if right >= end or (left < middle and values[order[left]] >= values[order[right]]):
            out[k] = order[left]
            left += 1
        else:
            out[k] = order[right]
            right += 1


cdef void falling_order(const double* values, int64_t n, int64_t* order, int64_t* room) noexcept nogil:
    """Places of `values` by falling value, equal ones as they come, in `order`; `room` holds as many."""
    cdef int64_t size = RUN, i = 0
    cdef int64_t* sorted_runs = order
    cdef int64_t* merged = room
    cdef int64_t* swapped
    while i < n:
        sort_run(values, i, min(i + RUN, n), order)
        i += RUN
    while size < n:
        i = 0
        while i < n:
            merge_runs(values, sorted_runs, i, min(i + size, n), min(i + 2 * size, n), merged)
            i += 2 * size
        swapped = sorted_runs
        sorted_runs = merged
        merged = swapped
        size *= 2
    if sorted_runs != order:
        memcpy(order, sorted_runs, n * sizeof(int64_t))


# ---------------------------------------------------------------------------------------------------------- features of blocks
# The page model: what is known of each block, for the trees that say how likely it is main text.
#
# In come the columns that `_html` gives of a page, out goes a matrix of features, a row a block.  Time is linear in
# blocks and elements, and memory is the matrix.  No feature says where on the page a block stands.


# ======================================================================================================================
# Tables: the roles of tags, the names of features
# ======================================================================================================================

ROLES = {
    "p": "p", "li": "li", "cell": "td th", "heading": "h1 h2 h3 h4 h5 h6 legend", "h1": "h1", "h2": "h2", "div": "div section",
    "term": "dt dd", "pre": "pre listing code", "quote": "blockquote q", "article": "article", "main": "main",
    "nav": "nav menu dir", "aside": "aside", "header": "header hgroup", "footer": "footer", "form": "form fieldset",
    "figure": "figure figcaption caption",
    "button": "button label summary", "noscript": "noscript", "link": "a", "inline": "span font small time cite abbr",
    "table": "table", "list": "ul ol dl",
}
"""Tags that play a role together."""

cdef enum:
    R_P, R_LI, R_CELL, R_HEADING, R_H1, R_H2, R_DIV, R_TERM, R_PRE, R_QUOTE, R_ARTICLE, R_MAIN, R_NAV, R_ASIDE, R_HEADER, R_FOOTER
    R_FORM, R_FIGURE, R_BUTTON, R_NOSCRIPT, R_LINK, R_INLINE, R_TABLE, R_LIST, R_SIZE

cdef enum:
    GROUP_COUNT = 18    # of key words
    MAX_DISTANCE = 30   # further up than any key word counts
    SIDES = 3           # neighbours looked at on each side
    KEYED = 5           # forms of the path that blocks are gathered by
    CONTAINERS_UP = 4   # containers looked at
    MIN_RECORD_BLOCKS = 2       # that make an element a record
    MAX_DATED_WORDS = 25        # of a block that says when, and perhaps who
    MAX_HEADING_WORDS = 15
    MAX_BOLD_WORDS = 6          # of a line in bold that stands for a heading

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


def list_features(groups):
    names = list(LOCAL)
    names += [f"leaf_{role}" for role in ROLES] + [f"in_{role}" for role in ROLES]
    names += [f"group_{group}" for group in groups]
    names += [f"{form}_{what}" for form in ("full", "parent", "grandparent", "tags", "near") for what in GATHERED]
    names += [f"container{level}_{what}" for level in range(CONTAINERS_UP) for what in GATHERED]
    names += list(AROUND) + list(WHOLE)
    names += [f"like{level}_{what}" for level in range(CONTAINERS_UP) for what in ("count", "part")]
    names += [f"record_{what}" for what in RECORDS] + [f"title_{what}" for what in TITLED]
    names += [f"{what}{side:+d}" for side in (-3, -2, -1, 1, 2, 3) for what in NEIGHBOUR]
    return tuple(names) + SECTIONS


FEATURES = list_features([str(place) for place in range(GROUP_COUNT)])
"""Columns of the matrix, with numbers for the names of the groups of key words."""

cdef int WIDTH = len(FEATURES)
cdef int LOCAL_SIZE = len(LOCAL)
cdef int AROUND_SIZE = len(AROUND)
cdef int RECORD_SIZE = 2 * CONTAINERS_UP + len(RECORDS)
cdef int TITLED_SIZE = len(TITLED)
cdef int NEIGHBOUR_SIZE = len(NEIGHBOUR)

cdef uint32_t ROLE_OF[256]
cdef uint8_t IS_BLOCK[256]
cdef float[256][8] BITS         # of each byte, the lowest one first


cdef void fill_tag_tables():
    memset(ROLE_OF, 0, sizeof(ROLE_OF))
    memset(IS_BLOCK, 0, sizeof(IS_BLOCK))
    for place, (name, flags) in enumerate(_html.TAGS):
        IS_BLOCK[place] = bool(flags & _html.FLAGS["block"])
        for number, tags in enumerate(ROLES.values()):
            if name in tags.split():
                ROLE_OF[place] |= 1 << number
    for place in range(256):
        for number in range(8):
            BITS[place][number] = place >> number & 1


fill_tag_tables()


# ======================================================================================================================
# Features
# ======================================================================================================================

cdef struct Work:
    # The page, see `_html.BlockScanner.scan_blocks`: n blocks in m elements
    int64_t n
    int64_t m
    int64_t path_count
    const int32_t* element
    const uint64_t* keys
    const int32_t* parents
    const int32_t* nodes
    const uint16_t* tag_of
    # Of each element
    uint32_t* roles         # of itself and all it stands in
    uint8_t* distance       # (elements, GROUP_COUNT) how far up the nearest one with a key word of the group is
    uint8_t* hidden
    uint8_t* tables
    uint8_t* lists
    int32_t* home           # itself or the nearest block element above
    double* sums            # (elements, 4): blocks, words, prose, linked
    int32_t* most           # of it and the block elements it stands in, the one whose path comes most on the page; -1 for none
    int32_t* height         # how many block elements further up that is
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
    float* group_puts


cdef int work_init(Work* w, int64_t n, int64_t m, int64_t paths, int64_t slots) except -1 nogil:
    """Room for all of it in one piece, what is largest first; it begins at `sums`."""
    w.n = n
    w.m = m
    w.path_count = paths
    w.sums = <double*>malloc((4 * m + 5 * paths + 5 * n + slots) * sizeof(double) + (7 * m + 5 * n + slots) * sizeof(int32_t)
                             + m * (GROUP_COUNT + 3))
    if w.sums == NULL:
        raise MemoryError
    w.like = w.sums + 4 * m
    w.prose = w.like + 5 * paths
    w.group_sums = w.prose + n
    w.slot_key = <uint64_t*>(w.group_sums + 4 * n)
    w.slot = <int32_t*>(w.slot_key + slots)
    w.group = w.slot + slots
    w.group_puts = <float*>(w.group + n)
    w.home = <int32_t*>(w.group_puts + 4 * n)
    w.dated = w.home + m
    w.beside = w.dated + m
    w.most = w.beside + 2 * m
    w.height = w.most + m
    w.roles = <uint32_t*>(w.height + m)
    w.distance = <uint8_t*>(w.roles + m)
    w.hidden = w.distance + m * GROUP_COUNT
    w.tables = w.hidden + m
    w.lists = w.tables + m
    return 0


cdef void set_page(Work* w, const int32_t* element, const uint64_t* keys, const int32_t* parents, const int32_t* nodes,
                   const uint16_t* tags) noexcept nogil:
    """What is asked of the page; all of it has at least one row."""
    w.element = element
    w.keys = keys
    w.parents = parents
    w.nodes = nodes
    w.tag_of = tags


cdef void sum_elements(Work* w, const int32_t* counts) noexcept nogil:
    """Sums over the blocks in each element, however deep."""
    cdef int64_t i, e
    cdef int k
    memset(w.sums, 0, w.m * 4 * sizeof(double))
    for i in range(w.n):
        add_block(w.sums + 4 * w.element[i], counts + i * C_SIZE, w.prose[i])
    for e in range(w.m - 1, 0, -1):
        for k in range(4):
            w.sums[4 * w.parents[e] + k] += w.sums[4 * e + k]


cdef void inherit_properties(Work* w, const uint32_t* groups, const uint8_t* hidden, double words) noexcept nogil:
    """What an element inherits; parents stand before their children.

    A name that nine tenths of the page's words stand under tells nothing apart.
    """
    cdef int64_t i, parent
    cdef int g
    cdef uint8_t* near
    cdef const uint8_t* above
    cdef uint32_t own, named
    cdef bint all_of_it
    for i in range(w.m):
        parent = w.parents[i]
        all_of_it = w.sums[4 * i + 1] >= 0.9 * words
        named = 0 if all_of_it else groups[i]
        own = ROLE_OF[w.tag_of[i] & 0xFF]
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
            w.home[i] = <int32_t>i if IS_BLOCK[w.tag_of[i] & 0xFF] else w.home[parent]
        if own >> R_TABLE & 1 and w.tables[i] < 200:
            w.tables[i] += 1
        if own >> R_LIST & 1 and w.lists[i] < 200:
            w.lists[i] += 1
        near = w.distance + i * GROUP_COUNT
        if parent < 0:
            memset(near, MAX_DISTANCE, GROUP_COUNT)
        else:
            above = w.distance + parent * GROUP_COUNT
            for g in range(GROUP_COUNT):
                near[g] = above[g] + (above[g] < MAX_DISTANCE)
        g = 0
        while named:
            if named & 1 and g < GROUP_COUNT:
                near[g] = 0
            named >>= 1
            g += 1


cdef enum:
    LOGS = 1024         # whole numbers whose logarithms are known: nearly all that are asked for

cdef double[LOGS] LOG


cdef void fill_logs():
    cdef int k
    for k in range(LOGS):
        LOG[k] = log1p(k)


fill_logs()


cdef inline double log_of(double x) noexcept nogil:
    """Logarithm of one more; `x` is not below 0."""
    cdef int k
    if x < LOGS:
        k = <int>x
        if k == x:
            return LOG[k]
    return log1p(x)


cdef inline double share(double part, double whole) noexcept nogil:
    return part / whole if whole > 0 else 0


cdef void write_local(Work* w, const int32_t* c, int64_t element, uint16_t leaf, double gap, double title, float* o) noexcept nogil:
    """What is known of a block by itself and of the elements it stands in."""
    cdef double words = c[C_WORDS] if c[C_WORDS] > 0 else 1
    cdef int k
    cdef uint32_t roles = w.roles[element], own = ROLE_OF[leaf & 0xFF]
    cdef const uint8_t* near = w.distance + element * GROUP_COUNT
    o[0] = <float>log_of(words)
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
    o[17] = <float>log_of(c[C_SENTENCES])
    o[18] = <float>(c[C_SENTENCES] / words)
    o[19] = <float>(c[C_COMMAS] / words)
    o[20] = <float>log_of(c[C_COMMAS])
    o[21] = c[C_COLONS]
    o[22] = <float>(c[C_QUOTES] / words)
    o[23] = <float>(c[C_BARS] / words)
    o[24] = c[C_BARS]
    o[25] = <float>(c[C_PARENS] / words)
    o[26] = c[C_END]
    o[27] = c[C_LOWER]
    o[28] = <float>(c[C_OWN] / words)
    o[29] = <float>log_of(c[C_TAGS])
    o[30] = <float>log_of(c[C_IMAGES])
    o[31] = c[C_BREAK]
    o[32] = c[C_BROKEN]
    o[33] = <float>log_of(gap)
    o[35] = w.hidden[element]
    o[36] = w.tables[element]
    o[37] = w.lists[element]
    o += LOCAL_SIZE
    for k in range(0, R_SIZE, 8):
        memcpy(o + k, BITS[own >> k & 0xFF], sizeof(BITS[0]))
        memcpy(o + R_SIZE + k, BITS[roles >> k & 0xFF], sizeof(BITS[0]))
    o += 2 * R_SIZE
    for k in range(GROUP_COUNT):
        o[k] = near[k]


cdef int64_t number_paths(Work* w, int form, uint64_t mask) noexcept nogil:
    """Number the blocks by one form of their path; returns how many there are."""
    cdef int64_t i, count = 0
    cdef uint64_t place
    memset(w.slot, 0xFF, (mask + 1) * sizeof(int32_t))
    for i in range(w.n):
        place = (w.keys[i * K_SIZE + form] ^ w.keys[i * K_SIZE + form] >> 32) & mask
        while w.slot[place] >= 0 and w.slot_key[place] != w.keys[i * K_SIZE + form]:
            place = (place + 1) & mask
        if w.slot[place] < 0:
            w.slot[place] = <int32_t>count
            w.slot_key[place] = w.keys[i * K_SIZE + form]
            count += 1
        w.group[i] = w.slot[place]
    return count


cdef inline void write_sums(const double* sums, const double* whole, float* o) noexcept nogil:
    o[0] = <float>log_of(sums[0])
    o[1] = <float>share(sums[1], whole[1])
    o[2] = <float>share(sums[2], whole[2])
    o[3] = <float>share(sums[3], sums[1])


cdef inline void add_block(double* sums, const int32_t* c, double prose) noexcept nogil:
    sums[0] += 1
    sums[1] += c[C_WORDS]
    sums[2] += prose
    sums[3] += c[C_LINKED]


cdef void write_path_sums(Work* w, const int32_t* counts, const double* whole, uint64_t mask, int at, float* out) noexcept nogil:
    """Sums over the blocks with the same path, in each of several forms."""
    cdef int64_t i, count
    cdef int f
    cdef int[KEYED] forms = [K_FULL, K_PARENT, K_GRAND, K_TAGS, K_NEAR]
    for f in range(KEYED):
        count = number_paths(w, forms[f], mask)
        memset(w.group_sums, 0, count * 4 * sizeof(double))
        for i in range(w.n):
            add_block(w.group_sums + 4 * w.group[i], counts + i * C_SIZE, w.prose[i])
        for i in range(count):
            write_sums(w.group_sums + 4 * i, whole, w.group_puts + 4 * i)
        for i in range(w.n):
            memcpy(out + i * WIDTH + at + 4 * f, w.group_puts + 4 * w.group[i], 4 * sizeof(float))


cdef void write_container_sums(Work* w, const double* whole, int at, int around, float* out) noexcept nogil:
    """Sums over the elements a block stands in, and where it stands to the least ones with most of the prose."""
    cdef int64_t i, e, most = 0, nearly = 0
    cdef int level, k
    cdef double* sums = w.sums
    for e in range(w.m):
        # The last one is the innermost: an element holds no more than those it stands in.
        if sums[4 * e + 2] >= 0.6 * whole[2]:
            most = e
        if sums[4 * e + 2] >= 0.9 * whole[2]:
            nearly = e
    for i in range(w.n):
        e = w.home[w.element[i]]
        for level in range(CONTAINERS_UP):
            write_sums(sums + 4 * e, whole, out + i * WIDTH + at + 4 * level)
            if w.parents[e] >= 0:
                e = w.home[w.parents[e]]
        e = w.element[i]
        level = 0
        while e > nearly:
            e = w.parents[e]
        out[i * WIDTH + around + 14] = e == nearly
        e = w.element[i]
        while e > most:
            e = w.parents[e]
        out[i * WIDTH + around + 13] = e == most
        # How far one has to go from there up to what holds both.
        k = <int>most
        while k != e:
            if k > e:
                k = w.parents[k]
                level += 1
            else:
                e = w.parents[e]
        out[i * WIDTH + around + 15] = level


cdef void sum_by_path(Work* w, const int32_t* counts) noexcept nogil:
    """Sums over the elements with the same path, as those of comments, teasers and captions are."""
    cdef int64_t i, e
    cdef const int32_t* c
    cdef double* like
    memset(w.dated, 0, w.m * sizeof(int32_t))
    memset(w.like, 0, w.path_count * 5 * sizeof(double))
    for i in range(w.n):
        c = counts + i * C_SIZE
        w.dated[w.element[i]] |= c[C_MONTH] > 0 or c[C_CLOCK] > 0 or c[C_YEAR] > 0 or c[C_WEEKDAY] > 0
    for e in range(w.m - 1, 0, -1):
        w.dated[w.parents[e]] |= w.dated[e]
        if w.sums[4 * e + 1] > 0 and IS_BLOCK[w.tag_of[e] & 0xFF]:
            like = w.like + 5 * w.nodes[e]
            like[0] += 1
            like[1] += w.sums[4 * e + 1]
            like[2] += w.sums[4 * e + 2]
            like[3] += w.sums[4 * e + 3]
            like[4] += w.dated[e]


cdef void find_most_repeated(Work* w) noexcept nogil:
    """Of each block element the one of it and those around it that comes most on the page, of those with several blocks."""
    cdef int64_t e, up
    w.most[0] = -1
    w.height[0] = 0
    for e in range(1, w.m):
        if w.home[e] != e:
            continue
        up = w.home[w.parents[e]]
        if w.sums[4 * e] >= MIN_RECORD_BLOCKS and (w.most[up] < 0 or w.like[5 * w.nodes[e]] >= w.like[5 * w.nodes[w.most[up]]]):
            w.most[e] = <int32_t>e
            w.height[e] = 0
        else:
            w.most[e] = w.most[up]
            w.height[e] = w.height[up] + 1


cdef void write_records(Work* w, int at, float* out) noexcept nogil:
    """How often the containers of a block come on the page, and the one that comes most of those with several blocks."""
    cdef int64_t i, e, most
    cdef int level
    cdef const double* like
    cdef float* o
    find_most_repeated(w)
    for i in range(w.n):
        o = out + i * WIDTH + at
        e = w.home[w.element[i]]
        for level in range(CONTAINERS_UP):
            like = w.like + 5 * w.nodes[e]
            o[2 * level] = <float>log_of(like[0])
            o[2 * level + 1] = <float>share(w.sums[4 * e + 1], like[1])
            if w.parents[e] >= 0:
                e = w.home[w.parents[e]]
        o += 2 * CONTAINERS_UP
        e = w.home[w.element[i]]
        most = w.most[e]
        if most < 0:
            for level in range(7):
                o[level] = -1
            continue
        like = w.like + 5 * w.nodes[most]
        o[0] = <float>log_of(like[0])
        o[1] = <float>share(w.sums[4 * most + 1], like[1])
        o[2] = <float>log_of(share(like[1], like[0]))
        o[3] = <float>share(like[4], like[0])
        o[4] = <float>share(like[2], like[1])
        o[5] = <float>share(like[3], like[1])
        o[6] = w.height[e]


cdef void write_title_distance(Work* w, const double* whole, int64_t title, int at, float* out) noexcept nogil:
    """How far up the tree what holds both a block and the headline is, and how much of the page it holds."""
    cdef int64_t i, e, t
    cdef int up, down
    cdef float* o
    for i in range(w.n):
        o = out + i * WIDTH + at
        if title < 0:
            o[0] = o[1] = o[2] = o[3] = -1
            continue
        e = w.home[w.element[i]]
        t = w.home[w.element[title]]
        up = down = 0
        while e != t:
            if e > t:
                e = w.home[w.parents[e]]
                up += 1
            else:
                t = w.home[w.parents[t]]
                down += 1
        o[0] = up
        o[1] = down
        o[2] = <float>share(w.sums[4 * e + 1], whole[1])
        o[3] = <float>share(w.sums[4 * e + 2], whole[2])


cdef int64_t write_surroundings(Work* w, const int32_t* counts, int64_t n, int around, float* out) noexcept nogil:
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
            o[0 + side] = <float>log_of(near)
            o[2 + side] = <float>log_of(far)
            o[4 + side] = <float>log_of(links)
            o[6 + side] = <float>log_of(links_far)
            o[8 + side] = <float>log_of(blocks)
            o[10 + side] = <float>log_of(words)
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
            out[i * WIDTH + around + 12] = <float>(1 + log_of(words))
            words += counts[i * C_SIZE + C_WORDS]
        words = 0
        for i in range(title - 1, -1, -1):
            words += counts[i * C_SIZE + C_WORDS]
            out[i * WIDTH + around + 12] = <float>(-1 - log_of(words))
        return title
    return -1


cdef void write_neighbours(Work* w, int at, float* out) noexcept nogil:
    """What the blocks beside a block are like; beyond the page's ends -1."""
    cdef int64_t i, j
    cdef int side, k
    cdef int[NEIGHBOUR_COLUMNS] column = [0, 1, 18, 0, 2, 3, 12, 26]
    cdef float* o
    column[3] = LOCAL_SIZE + R_HEADING
    for i in range(w.n):
        for side in range(2 * SIDES):
            j = i + (side - SIDES if side < SIDES else side - SIDES + 1)
            o = out + i * WIDTH + at + side * NEIGHBOUR_SIZE
            if j < 0 or j >= w.n:
                for k in range(NEIGHBOUR_SIZE):
                    o[k] = -1
                continue
            for k in range(NEIGHBOUR_SIZE - 1):
                o[k] = out[j * WIDTH + column[k]]
            o[NEIGHBOUR_SIZE - 1] = w.keys[i * K_SIZE] == w.keys[j * K_SIZE]


cdef inline bint is_dated(const int32_t* c) noexcept nogil:
    """A short block that names a day or a time: a byline, the signature of a comment, the date of a teaser."""
    return c[C_WORDS] <= MAX_DATED_WORDS and (c[C_MONTH] > 0 or c[C_CLOCK] > 0 or c[C_YEAR] > 0 or c[C_WEEKDAY] > 0)


cdef inline float log_distance(double words) noexcept nogil:
    """How many words ago something was; -1 if it never was."""
    return <float>log_of(words) if words >= 0 else -1


cdef inline double advance(double words, int32_t more) noexcept nogil:
    return words + more if words >= 0 else -1


cdef void write_sections(Work* w, const int32_t* counts, int at, float* out) noexcept nogil:
    """Under which heading a block stands, and which signatures stand before, behind and beside it.

    A thread of comments need have no element of its own: a heading says that it begins, and each comment is signed.
    """
    cdef int64_t i, k, e
    cdef const int32_t* c
    cdef float* o
    cdef double mark = -1, control = -1, talk = -1, talk_mark = -1, dated = -1
    cdef float mark_control = -1, mark_talk = -1
    cdef int32_t before = 0, all_dated = 0, size
    cdef bint is_mark, is_bold
    memset(w.beside, 0, 2 * w.m * sizeof(int32_t))
    for i in range(w.n):
        e = max(w.parents[w.element[i]], 0)
        w.beside[2 * e] += 1
        if is_dated(counts + i * C_SIZE):
            w.beside[2 * e + 1] += 1
            all_dated += 1
    for i in range(w.n):
        c = counts + i * C_SIZE
        o = out + i * WIDTH
        size = c[C_WORDS]
        is_bold = c[C_STRONG] >= 0.8 * size and size <= MAX_BOLD_WORDS
        is_mark = size <= MAX_HEADING_WORDS and (o[LOCAL_SIZE + R_SIZE + R_HEADING] or is_bold)
        e = max(w.parents[w.element[i]], 0)
        o += at
        o[0] = c[C_TALK]
        o[1] = log_distance(mark)
        o[2] = mark_control
        o[3] = mark_talk
        o[4] = log_distance(control)
        o[5] = log_distance(talk)
        o[6] = log_distance(talk_mark)
        o[7] = log_distance(dated)
        o[9] = <float>log_of(before)
        o[11] = <float>log_of(w.beside[2 * e + 1])
        o[12] = <float>share(w.beside[2 * e + 1], w.beside[2 * e])
        mark = advance(mark, size)
        control = advance(control, size)
        talk = advance(talk, size)
        talk_mark = advance(talk_mark, size)
        dated = advance(dated, size)
        if is_mark:
            mark = 0
            mark_control = <float>(c[C_CONTROL] / <double>size)
            mark_talk = c[C_TALK]
            if c[C_CONTROL]:
                control = 0
            if c[C_TALK]:
                talk_mark = 0
        if c[C_TALK] and size <= MAX_HEADING_WORDS:
            talk = 0
        if is_dated(c):
            dated = 0
            before += 1
        o[10] = <float>log_of(all_dated - before)
    dated = -1
    for k in range(w.n):
        i = w.n - 1 - k
        c = counts + i * C_SIZE
        out[i * WIDTH + at + 8] = log_distance(dated)
        dated = advance(dated, c[C_WORDS])
        if is_dated(c):
            dated = 0


cdef enum:
    NEIGHBOUR_COLUMNS = 8


cdef str FITTING = "the columns of one page, which fit together"


cdef int check_page(const int32_t[:, ::1] counts, const uint64_t[:, ::1] keys, const int32_t[::1] element,
                    const int32_t[::1] parents, const int32_t[::1] nodes, const uint16_t[::1] tags, int64_t paths) except -1:
    """Columns that do not fit together are an error, not a crash."""
    cdef int64_t n = counts.shape[0], m = parents.shape[0], i
    check(counts.shape[1] == C_SIZE and keys.shape[1] == K_SIZE and keys.shape[0] == n and element.shape[0] == n
          and nodes.shape[0] == m and tags.shape[0] == m, FITTING)
    for i in range(n):
        if not 0 <= element[i] < m:
            raise ValueError(f"element: expected places from 0 to {m - 1}, got {element[i]}")
    for i in range(m):
        if not -1 <= parents[i] < i or (parents[i] < 0) != (i == 0):
            raise ValueError(f"parents: expected each before its children and -1 for the first only, got {parents[i]} at {i}")
        if not 0 <= nodes[i] < paths:
            raise ValueError(f"element_nodes: expected places from 0 to {paths - 1}, got {nodes[i]}")
    return 0


BLOCKWISE = ("counts", "element", "keys", "hashes", "starts", "ends")
"""Columns of a page that have a row for each block, of those that features come from."""


def compute_features(dict page not None):
    """Features of the blocks of a page.

    Parameters
    ----------
    page : dict of str to array
        What `_html.BlockScanner.scan_blocks` gave.

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
    check_page(counts, keys, element, parents, nodes, tags, node_parents.shape[0])
    check(hashes.shape[0] == n and starts.shape[0] == n and ends.shape[0] == n and groups.shape[0] == m
          and hidden.shape[0] == m, FITTING)
    matrix = np.empty((n, WIDTH), np.float32)
    if n == 0:
        return matrix
    cdef float[:, ::1] view = matrix
    cdef float* out = &view[0, 0]
    while mask < <uint64_t>n * 2:
        mask = mask * 2 + 1
    work_init(&w, n, m, node_parents.shape[0], mask + 1)
    set_page(&w, &element[0], &keys[0, 0], &parents[0], &nodes[0], &tags[0])
    with nogil:
        whole[0] = whole[1] = whole[2] = whole[3] = 0
        for i in range(n):
            c = &counts[i, 0]
            w.prose[i] = c[C_WORDS] - c[C_LINKED] if c[C_SENTENCES] or c[C_WORDS] >= 10 else 0
            add_block(whole, c, w.prose[i])
        sum_elements(&w, &counts[0, 0])
        inherit_properties(&w, &groups[0], &hidden[0], whole[1])
        sum_by_path(&w, &counts[0, 0])
        for i in range(n):
            c = &counts[i, 0]
            write_local(&w, c, element[i], tags[w.home[element[i]]], starts[i] - (ends[i - 1] if i else starts[i]), title,
                        out + i * WIDTH)
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
            out[i * WIDTH + 34] = <float>log_of(w.slot[w.group[i]] - 1)
        at = LOCAL_SIZE + 2 * R_SIZE + GROUP_COUNT
        write_path_sums(&w, &counts[0, 0], whole, mask, at, out)
        at += 4 * KEYED
        write_container_sums(&w, whole, at, at + 4 * CONTAINERS_UP, out)
        at += 4 * CONTAINERS_UP
        title_at = write_surroundings(&w, &counts[0, 0], n, at, out)
        at += AROUND_SIZE
        for i in range(n):
            o = out + i * WIDTH + at
            o[0] = <float>log_of(whole[1])
            o[1] = <float>log_of(whole[0])
            o[2] = <float>share(whole[2], whole[1])
            o[3] = <float>share(whole[3], whole[1])
        at += 4
        write_records(&w, at, out)
        at += RECORD_SIZE
        write_title_distance(&w, whole, title_at, at, out)
        at += TITLED_SIZE
        write_neighbours(&w, at, out)
        at += 2 * SIDES * NEIGHBOUR_SIZE
        write_sections(&w, &counts[0, 0], at, out)
        free(w.sums)
    return matrix


# ======================================================================================================================
# Context
# ======================================================================================================================

CONTEXT = (
    "score", *(f"chance{side:+d}" for side in (-4, -3, -2, -1, 1, 2, 3, 4)),
    *(f"{what}_{side}{far}" for side in ("left", "right") for far in ("", "_far") for what in ("kept", "lost")),
    *(f"{form}_{what}" for form in ("full", "parent", "grandparent", "tags", "near") for what in ("chance", "part")),
    *(f"container{level}_{what}" for level in range(CONTAINERS_UP) for what in ("chance", "part")),
    "record_chance", "record_part", "rank", "chosen", "from_first", "to_last", "chosen_before",
    "page_gain", "page_best", "page_kept", "page_share",
)
"""Columns of the matrix of `compute_context`."""

cdef int CONTEXT_WIDTH = len(CONTEXT)

cdef enum:
    NEXT = 4            # neighbours on each side whose probability is looked at
    AWAY = 50           # blocks; further off is as far


cdef void sum_context(Work* w, const int32_t* words, const double* kept) noexcept nogil:
    """Blocks, words and expected words of main text in each element, and over the elements with the same path."""
    cdef int64_t i, e
    cdef double* like
    memset(w.sums, 0, w.m * 4 * sizeof(double))
    memset(w.like, 0, w.path_count * 5 * sizeof(double))
    for i in range(w.n):
        e = w.element[i]
        w.sums[4 * e] += 1
        w.sums[4 * e + 1] += words[i * C_SIZE]
        w.sums[4 * e + 2] += kept[i]
    w.home[0] = 0
    for e in range(1, w.m):
        w.home[e] = <int32_t>e if IS_BLOCK[w.tag_of[e] & 0xFF] else w.home[w.parents[e]]
    for e in range(w.m - 1, 0, -1):
        for i in range(3):
            w.sums[4 * w.parents[e] + i] += w.sums[4 * e + i]
        if w.sums[4 * e + 1] > 0 and w.home[e] == e:
            like = w.like + 5 * w.nodes[e]
            like[0] += 1
            like[1] += w.sums[4 * e + 1]
            like[2] += w.sums[4 * e + 2]


cdef void write_tree_context(Work* w, double total, int at, float* out) noexcept nogil:
    """Of the containers of a block, and of the elements like the one of them that comes most often."""
    cdef int64_t i, e, most
    cdef int level
    cdef float* o
    find_most_repeated(w)
    for i in range(w.n):
        o = out + i * CONTEXT_WIDTH + at
        e = w.home[w.element[i]]
        for level in range(CONTAINERS_UP):
            o[2 * level] = <float>share(w.sums[4 * e + 2], w.sums[4 * e + 1])
            o[2 * level + 1] = <float>(w.sums[4 * e + 2] / total)
            if w.parents[e] >= 0:
                e = w.home[w.parents[e]]
        most = w.most[w.home[w.element[i]]]
        o += 2 * CONTAINERS_UP
        o[0] = <float>share(w.like[5 * w.nodes[most] + 2], w.like[5 * w.nodes[most] + 1]) if most >= 0 else -1
        o[1] = <float>(w.like[5 * w.nodes[most] + 2] / total) if most >= 0 else -1


cdef void write_row_context(const int32_t* words, const double* chance, const double* kept, int64_t n, float* out) noexcept nogil:
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
                o[0] = <float>log_of(have)
                o[1] = <float>log_of(lose)
                have = fade * have + kept[i]
                lose = fade * lose + (words[i * C_SIZE] - kept[i])


cdef void write_chosen_context(const int32_t* words, const double* chance, const double* kept, const int64_t* order, double total,
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
        o[7] = <float>log_of(total)
        o[8] = <float>(total / whole)


def compute_context(dict page not None, const double[::1] scores not None):
    """What scores say of the surroundings of each block, for a second look.

    Parameters
    ----------
    page : dict of str to array
        What `_html.BlockScanner.scan_blocks` gave.
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
    cdef int[KEYED] forms = [K_FULL, K_PARENT, K_GRAND, K_TAGS, K_NEAR]
    cdef const int32_t* words
    cdef float* o
    if scores.shape[0] != n:
        raise ValueError(f"expected a score for each of {n} blocks, got {scores.shape[0]}")
    check_page(counts, keys, element, parents, nodes, tags, node_parents.shape[0])
    matrix = np.empty((n, CONTEXT_WIDTH), np.float32)
    if n == 0:
        return matrix
    cdef double* chance
    cdef double* kept
    cdef int64_t* order
    cdef float[:, ::1] view = matrix
    cdef float* out = &view[0, 0]
    while mask < <uint64_t>n * 2:
        mask = mask * 2 + 1
    work_init(&w, n, m, node_parents.shape[0], mask + 1)
    set_page(&w, &element[0], &keys[0, 0], &parents[0], &nodes[0], &tags[0])
    chance = <double*>malloc(2 * n * sizeof(double))
    order = <int64_t*>malloc(2 * n * sizeof(int64_t))
    if chance == NULL or order == NULL:
        free(chance)
        free(order)
        free(w.sums)
        raise MemoryError
    kept = chance + n
    with nogil:
        words = &counts[0, C_WORDS]
        for i in range(n):
            chance[i] = probability_of(scores[i])
            kept[i] = chance[i] * words[i * C_SIZE]
            out[i * CONTEXT_WIDTH] = <float>scores[i]
            whole += words[i * C_SIZE]
            total += kept[i]
        falling_order(chance, n, order, order + n)
        write_row_context(words, chance, kept, n, out)
        at = 1 + 2 * NEXT + 8
        for f in range(KEYED):
            memset(w.group_sums, 0, 2 * number_paths(&w, forms[f], mask) * sizeof(double))
            for i in range(n):
                w.group_sums[2 * w.group[i]] += kept[i]
                w.group_sums[2 * w.group[i] + 1] += words[i * C_SIZE]
            for i in range(n):
                o = out + i * CONTEXT_WIDTH + at + 2 * f
                o[0] = <float>share(w.group_sums[2 * w.group[i]], w.group_sums[2 * w.group[i] + 1])
                o[1] = <float>(w.group_sums[2 * w.group[i]] / total)
        at += 2 * KEYED
        sum_context(&w, words, kept)
        write_tree_context(&w, total, at, out)
        at += 2 * CONTAINERS_UP + 2
        write_chosen_context(words, chance, kept, order, total, whole, n, at, out)
        free(w.sums)
        free(chance)
        free(order)
    return matrix


# ---------------------------------------------------------------------------------------------------------------- over elements
# What elements hand down to those in them and to blocks, and sums up.
#
# Elements are numbered in the order of their start tags, parents before children, so that one pass down hands a value on
# from parents to children and one pass up sums over subtrees.  Time is linear in the page.


def inherit_values(const int32_t[::1] parents not None, const uint8_t[::1] own not None):
    """The value of each element: its own where that is not 0, else that of the nearest one it stands in, else 0.

    Parameters
    ----------
    parents : int32 array, shape (elements,)
        Smaller than the element itself; -1 for none.
    own : uint8 array, shape (elements,)

    Returns
    -------
    uint8 array, shape (elements,)
    """
    cdef int64_t n = parents.shape[0]
    check(own.shape[0] == n, "as many values as elements")
    found = np.empty(n, np.uint8)
    cdef uint8_t[::1] out = found
    if n:
        with nogil:
            inherit(&parents[0], &own[0], n, &out[0])
    return found


cdef void inherit(const int32_t* parents, const uint8_t* own, int64_t n, uint8_t* out) noexcept nogil:
    cdef int64_t i
    for i in range(n):
        out[i] = own[i]
        if own[i] == 0 and 0 <= parents[i] < i:
            out[i] = out[parents[i]]


def inherit_by_blocks(const int32_t[::1] parents not None, const uint8_t[::1] own not None,
                      const int32_t[::1] element not None):
    """`inherit_values`, of the element that each block stands in: uint8 array, shape (blocks,).

    Parameters
    ----------
    parents, own
        As for `inherit_values`.
    element : int32 array, shape (blocks,)
    """
    cdef int64_t m = parents.shape[0], n = element.shape[0], i
    cdef uint8_t* values
    check(own.shape[0] == m, "as many values as elements")
    for i in range(n):
        if not 0 <= element[i] < m:
            check(False, "elements of the page")
    found = np.empty(n, np.uint8)
    if n == 0:
        return found
    cdef uint8_t[::1] out = found
    values = <uint8_t*>malloc(m)
    if values == NULL:
        raise MemoryError
    with nogil:
        inherit(&parents[0], &own[0], m, values)
        for i in range(n):
            out[i] = values[element[i]]
    free(values)
    return found


def find_nearest(const int32_t[::1] parents not None, const uint8_t[::1] wanted not None):
    """The nearest wanted element of each: itself or one it stands in, 0 if there is none: int64, shape (elements,)."""
    cdef int64_t n = parents.shape[0], i
    check(wanted.shape[0] == n, "as many values as elements")
    found = np.empty(n, np.int64)
    cdef int64_t[::1] out = found
    with nogil:
        for i in range(n):
            out[i] = i if wanted[i] else out[parents[i]] if 0 <= parents[i] < i else 0
    return found


def sum_subtrees(const int32_t[::1] parents not None, const int64_t[::1] own not None):
    """The sum of a value over each element and all that stands in it: int64 array of shape (elements,)."""
    cdef int64_t n = parents.shape[0], i
    check(own.shape[0] == n, "as many values as elements")
    found = np.array(own, np.int64)
    cdef int64_t[::1] out = found
    with nogil:
        for i in range(n - 1, 0, -1):
            if 0 <= parents[i] < i:
                out[parents[i]] += out[i]
    return found


# ------------------------------------------------------------------------------------------------------------------ over blocks
# Equal keys, and texts of blocks.


def find_openings(const uint8_t[::1] text not None, const int64_t[::1] bounds not None, const int32_t[::1] words not None,
                  const uint8_t[::1] wanted not None, int32_t most, const uint32_t[::1] openings not None):
    """Wanted blocks of no more than so many words that begin with one of some openings: int64 array, ascending.

    Parameters
    ----------
    text, bounds
        As of `_html.BlockScanner.scan_blocks`.
    words : int32 array, shape (blocks,)
    wanted : uint8 array, shape (blocks,)
    most : int
    openings : uint32 array
        Three bytes each, the first one lowest, ASCII in lower case.
    """
    cdef int64_t n = words.shape[0], i, count = 0, k
    cdef uint32_t opening
    cdef uint8_t byte
    cdef int shift
    check(bounds.shape[0] == n + 1 and wanted.shape[0] == n, "bounds of all blocks, and whether each is wanted")
    check_ascending(bounds, text.shape[0], "ascending bounds within the text")
    found = np.empty(n, np.int64)
    cdef int64_t[::1] out = found
    with nogil:
        for i in range(n):
            if not wanted[i] or words[i] > most or bounds[i + 1] - bounds[i] < 3:
                continue
            opening = 0
            for shift in range(3):
                byte = text[bounds[i] + shift]
                opening |= <uint32_t>(byte + 32 if 65 <= byte <= 90 else byte) << (8 * shift)
            for k in range(openings.shape[0]):
                if openings[k] == opening:
                    out[count] = i
                    count += 1
                    break
    return found[:count]


def find_value(const float[:, ::1] matrix not None, int64_t column, float value):
    """The first row of a matrix with a value in a column, -1 if there is none."""
    cdef int64_t i
    check(0 <= column < matrix.shape[1], "a column of the matrix")
    for i in range(matrix.shape[0]):
        if matrix[i, column] == value:
            return i
    return -1


def find_first_equal(const uint64_t[::1] keys not None):
    """Of each key the place of the first one that is equal: int64 array of the same shape."""
    cdef int64_t n = keys.shape[0]
    found = np.empty(n, np.int64)
    cdef int64_t[::1] out = found
    if n:
        with nogil:
            first_places(&keys[0], 1, n, &out[0])
    return found


cdef int first_places(const uint64_t* keys, int64_t stride, int64_t n, int64_t* out) except -1 nogil:
    """As `find_first_equal`, of keys that stand `stride` apart."""
    cdef int64_t i
    cdef uint64_t mask = 15, place, key
    cdef int32_t* slots
    if n >= <int64_t>1 << 31:
        with gil:
            raise ValueError("expected fewer than 2^31 keys")
    while mask < <uint64_t>n * 2:
        mask = mask * 2 + 1
    slots = <int32_t*>malloc((mask + 1) * sizeof(int32_t))
    if slots == NULL:
        with gil:
            raise MemoryError
    memset(slots, 0xFF, (mask + 1) * sizeof(int32_t))
    for i in range(n):
        key = keys[i * stride]
        place = (key ^ key >> 32) * <uint64_t>0x9E3779B97F4A7C15 >> 32 & mask
        while slots[place] >= 0 and keys[slots[place] * stride] != key:
            place = (place + 1) & mask
        if slots[place] < 0:
            slots[place] = <int32_t>i
        out[i] = slots[place]
    free(slots)
    return 0


def normalise_texts(const uint8_t[::1] text not None, const int64_t[::1] bounds not None, const int64_t[::1] blocks not None):
    """The words of some blocks: in lower case, a blank between them; None for a block with a character that is not of
    ASCII, a letter of Latin-1, or one of the commonest marks (quotes, dashes, dots).

    Words are of letters, digits and underscores.
    """
    cdef int64_t n = blocks.shape[0], k, most = 0, size
    cdef const uint8_t* p = &text[0] if text.shape[0] else NULL
    cdef uint8_t* room
    check_ascending(bounds, text.shape[0], "ascending bounds within the text")
    for k in range(n):
        check(0 <= blocks[k] < bounds.shape[0] - 1, "blocks of the text")
        most = max(most, bounds[blocks[k] + 1] - bounds[blocks[k]])
    found = []
    room = <uint8_t*>malloc(most + 1)
    if room == NULL:
        raise MemoryError
    try:
        for k in range(n):
            with nogil:
                size = fold_words(p + bounds[blocks[k]], bounds[blocks[k] + 1] - bounds[blocks[k]], room)
            found.append(None if size < 0 else room[:size].decode("utf-8"))
    finally:
        free(room)
    return found


cdef enum:
    MARK, LETTER, OTHER         # what stands beyond ASCII


cdef inline int classify_beyond(const uint8_t* p, int64_t left, int* width, uint8_t* low) noexcept nogil:
    """What a character beyond ASCII is; of a letter, `low` is the second byte of its small form."""
    if p[0] == 0xE2 and left > 2 and p[1] == 0x80 and p[2] & 0xC0 == 0x80:    # U+2000 to U+203F, all of them marks and blanks
        width[0] = 3
        return MARK
    if left < 2 or p[1] & 0xC0 != 0x80:
        return OTHER
    width[0] = 2
    if p[0] == 0xC2 and (p[1] == 0xA0 or p[1] == 0xA9 or p[1] == 0xAB or p[1] == 0xB7 or p[1] == 0xBB):
        return MARK
    if p[0] != 0xC3 or p[1] == 0x9F:    # of which two letters become
        return OTHER
    if p[1] == 0x97 or p[1] == 0xB7:
        return MARK
    low[0] = p[1] | 0x20
    return LETTER


cdef int64_t fold_words(const uint8_t* p, int64_t n, uint8_t* out) noexcept nogil:
    """As `normalise_texts`, of one block; returns the bytes written, no more than it has, or -1."""
    cdef int64_t i = 0, size = 0
    cdef uint8_t c, low = 0
    cdef int width = 1, kind
    cdef bint apart = False
    while i < n:
        c = p[i]
        if c >= 0x80:
            kind = classify_beyond(p + i, n - i, &width, &low)
            if kind == OTHER:
                return -1
        else:
            c = c | 32 if 65 <= c <= 90 else c
            width = 1
            kind = LETTER if 97 <= c <= 122 or 48 <= c <= 57 or c == 95 else MARK
        i += width
        if kind == MARK:
            apart = True
            continue
        if apart and size:
            out[size] = 32
            size += 1
        apart = False
        out[size] = c
        size += 1
        if width == 2:
            out[size] = low
            size += 1
    return size
