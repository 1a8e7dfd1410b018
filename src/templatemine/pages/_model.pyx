"""What is computed over the blocks of a page: features, trees, smoothing, stretches and sums over elements."""

import numpy as np
from templatemine.pages import _html

from libc.math cimport exp, isfinite, log, log1p, sqrt
from libc.stdint cimport int16_t, int32_t, int64_t, int8_t, uint16_t, uint32_t, uint64_t, uint8_t
from libc.stdlib cimport calloc, free, malloc
from libc.string cimport memchr, memcpy, memset

from templatemine.pages._html cimport (
    C_BARS, C_BREAK, C_BROKEN, C_BY, C_CAPITAL, C_CLOCK, C_COLONS, C_COMMAS, C_CONTROL, C_END, C_IMAGES, C_LETTERS, C_LINKED,
    C_LOWER, C_MONTH, C_NUMBERS, C_OWN, C_PARENS, C_QUOTES, C_RIGHTS, C_SENTENCES, C_SHORT, C_SIZE, C_STRONG, C_TAGS, C_TALK,
    C_TITLE, C_TITLE_WORDS, C_UPPER, C_WEEKDAY, C_WORDS, C_YEAR, K_FULL, K_GRAND, K_NEAR, K_PARENT, K_SIZE, K_TAGS,
)

__all__ = [
    "BLOCKWISE", "CODES", "CONTEXT", "FEATURES", "Forest", "LEAVES", "LEVELS", "ROLES", "SECTIONS", "average_by_path",
    "clear_containers", "compute_context", "compute_cosines", "compute_features", "count_characters", "count_line_breaks",
    "decode_blocks", "describe_main", "extract_keywords", "find_densest", "find_first_equal", "find_nearest", "find_openings",
    "find_repeated", "find_row", "find_stretch", "inherit_by_blocks", "inherit_values", "mark_named", "measure_doubt",
    "measure_wrapped", "normalise_texts", "smooth", "smooth_leaves", "smooth_scores", "sum_subtrees", "to_probabilities",
    "walk_trees",
]


# --------------------------------------------------------------------------------------------------------------- probabilities
# Log odds as probabilities, and blocks by falling probability: what features, smoothing and decoding share.

cdef enum:
    SURE = 30           # log odds beyond which a probability is taken for 0 or 1
    RUN = 16            # places that are sorted one by one before runs are merged


cdef inline double probability_of(double score) noexcept nogil:
    return 1 / (1 + exp(-min(max(score, <double>-SURE), <double>SURE)))


def to_probabilities(const double[::1] scores not None):
    """Log odds as probabilities: float64 array of the same shape."""
    cdef int64_t n = scores.shape[0], i
    found = np.empty(n, np.float64)
    cdef double[::1] out = found
    with nogil:
        for i in range(n):
            out[i] = probability_of(scores[i])
    return found


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
"""Columns of the matrix; `pages.model.feature_names` puts in the names of the groups of key words."""

cdef int WIDTH = len(FEATURES)
cdef int LOCAL_SIZE = len(LOCAL)
cdef int AROUND_SIZE = len(AROUND)
cdef int RECORD_SIZE = 2 * CONTAINERS_UP + len(RECORDS)
cdef int TITLED_SIZE = len(TITLED)
cdef int NEIGHBOUR_SIZE = len(NEIGHBOUR)

cdef uint32_t ROLE_OF[256]
cdef uint8_t IS_BLOCK[256]


cdef void fill_tag_tables():
    memset(ROLE_OF, 0, sizeof(ROLE_OF))
    memset(IS_BLOCK, 0, sizeof(IS_BLOCK))
    for place, (name, flags) in enumerate(_html.TAGS):
        IS_BLOCK[place] = bool(flags & _html.FLAGS["block"])
        for number, tags in enumerate(ROLES.values()):
            if name in tags.split():
                ROLE_OF[place] |= 1 << number


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
    free(w.group_puts)
    free(w.most)
    free(w.height)


cdef int work_init(Work* w, int64_t n, int64_t m, int64_t paths, int64_t slots) except -1 nogil:
    memset(w, 0, sizeof(Work))
    w.n = n
    w.m = m
    w.path_count = paths
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
    w.group_puts = <float*>malloc(n * 4 * sizeof(float))
    w.most = <int32_t*>malloc(m * sizeof(int32_t))
    w.height = <int32_t*>malloc(m * sizeof(int32_t))
    if (w.roles == NULL or w.distance == NULL or w.hidden == NULL or w.tables == NULL or w.lists == NULL or w.home == NULL
            or w.sums == NULL or w.dated == NULL or w.beside == NULL or w.like == NULL or w.prose == NULL or w.group == NULL
            or w.slot_key == NULL or w.slot == NULL or w.group_sums == NULL or w.group_puts == NULL or w.most == NULL
            or w.height == NULL):
        work_free(w)
        raise MemoryError
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
    cdef int k, at
    cdef uint32_t roles = w.roles[element]
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
    at = LOCAL_SIZE
    for k in range(R_SIZE):
        o[at + k] = ROLE_OF[leaf & 0xFF] >> k & 1
        o[at + R_SIZE + k] = roles >> k & 1
    at += 2 * R_SIZE
    for k in range(GROUP_COUNT):
        o[at + k] = w.distance[element * GROUP_COUNT + k]


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


def _check(dict page):
    """Columns that do not fit together are an error, not a crash."""
    cdef const int32_t[::1] element = page["element"], parents = page["parents"], nodes = page["element_nodes"]
    cdef int64_t n = len(page["counts"]), m = parents.shape[0], k = len(page["node_parents"]), i
    if (page["counts"].shape[1] != C_SIZE or page["keys"].shape[1] != K_SIZE or any(len(page[name]) != n for name in BLOCKWISE)
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


BLOCKWISE = ("counts", "element", "keys", "hashes", "starts", "ends")
"""Columns of a page that have a row for each block; those of `ELEMENTWISE` have one for each element."""
ELEMENTWISE = ("tags", "groups", "hidden", "element_nodes")


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
    _check(page)
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
        work_free(&w)
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
    _check(page)
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
        work_free(&w)
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
        work_free(&w)
        free(chance)
        free(order)
    return matrix


# ----------------------------------------------------------------------------------------------------------------------- trees
# Trees that say how likely a row is: a table of trees and a matrix come in, out goes the sum of their leaves.
#
# No tree is walked.  A row has for each tree a set of leaves, a bit each, that it can no longer fall into; every condition
# that is false adds the leaves of its left side, and of those that are left in the end the first is the one (Lucchese et
# al., QuickScorer, SIGIR 2015).  A value is first put in its place among the thresholds of its feature, which is a byte,
# for a batch of rows at once; then each condition is a comparison of bytes, and the sets of a whole batch stay in the
# registers of the processor while a tree is asked.  Time is rows times conditions, at some hundredths of a nanosecond each.


LEAVES = 16
"""Leaves of a tree at most."""

cdef enum:
    BITS = 16           # LEAVES
    BATCH = 64          # rows that conditions are asked of at once
    HALF = 32           # or so many, where no more are left
    STEPS = 255         # thresholds that a byte tells apart; a feature with more has several columns
    FOURFOLD = 0x01010101
    TRANSPOSED = 16         # features that are taken out of the rows of a batch at once: a line of the cache


cdef extern from *:
    """
    #include <stdint.h>
    #include <string.h>

    typedef struct {
        int32_t column;         /* where its column of a batch begins */
        uint32_t level;         /* it is false for places above this one; each byte four times: so they are spread at once */
        uint32_t low, high;     /* the leaves of its left side */
    } tm_condition;

    typedef int8_t tm_rows __attribute__((vector_size(32), aligned(1)));

    typedef float tm_floats __attribute__((vector_size(32), aligned(1)));
    typedef int32_t tm_ints __attribute__((vector_size(32), aligned(1)));

    #define TM_INLINE static inline __attribute__((always_inline))

    /* The leaves that 32 rows (64, if `two`) cannot fall into, of one tree: the first eight in `low`, the others in `high`. */
    TM_INLINE void tm_lost(const tm_condition *c, const tm_condition *end, const int8_t *bins, int two, uint8_t *low,
                           uint8_t *high) {
        tm_rows low0 = {0}, low1 = {0}, high0 = {0}, high1 = {0}, left, right, below;
        for (; c < end; c++) {
            const tm_rows *column = (const tm_rows *)(bins + c->column);
            const tm_rows level = (tm_rows)((tm_ints){0} + (int32_t)c->level);
            left = (tm_rows)((tm_ints){0} + (int32_t)c->low);
            right = (tm_rows)((tm_ints){0} + (int32_t)c->high);
            below = (tm_rows)(column[0] > level);
            low0 |= below & left;
            high0 |= below & right;
            if (two) {
                below = (tm_rows)(column[1] > level);
                low1 |= below & left;
                high1 |= below & right;
            }
        }
        memcpy(low, &low0, 32);
        memcpy(high, &high0, 32);
        if (two) {
            memcpy(low + 32, &low1, 32);
            memcpy(high + 32, &high1, 32);
        }
    }

    /* Add the first leaf that is left of a tree to the sum of each row; the leaves stand one place further to the left, the
       first one last. */
    TM_INLINE void tm_leaves(const uint8_t *low, const uint8_t *high, int rows, const float *leaves, float *sums) {
        for (int r = 0; r < rows; r++)
            sums[r] += leaves[(__builtin_ctz(~((uint32_t)low[r] | (uint32_t)high[r] << 8)) + 15) & 15];
    }

    TM_INLINE void tm_score(const tm_condition *c, const int32_t *sizes, int64_t trees, const float *leaves, const int8_t *bins,
                          int two, float *sums) {
        uint8_t low[64], high[64];
        for (int64_t t = 0; t < trees; c += sizes[t++], leaves += 16) {
            tm_lost(c, c + sizes[t], bins, two, low, high);
            tm_leaves(low, high, two ? 64 : 32, leaves, sums);
        }
    }

    /* The place of each value of a batch among ascending thresholds: how many of them it is not below or equal to. */
    TM_INLINE void tm_bin(const float *values, int rows, const float *threshold, int count, int8_t *bins) {
        const tm_floats *column = (const tm_floats *)values;
        tm_floats least = column[0], most = column[0];
        tm_ints odd = {0}, below, places[8];
        int first = 0, last;
        for (int r = 0; r < rows / 8; r++) {
            below = column[r] < least;
            least = (tm_floats)(((tm_ints)column[r] & below) | ((tm_ints)least & ~below));
            below = column[r] < most;
            most = (tm_floats)(((tm_ints)most & below) | ((tm_ints)column[r] & ~below));
            odd |= column[r] != column[r];
        }
        for (int k = 1; k < 8; k++) {
            least[0] = least[k] < least[0] ? least[k] : least[0];
            most[0] = most[k] > most[0] ? most[k] : most[0];
            odd[0] |= odd[k];
        }
        /* Most features are alike for all rows of a batch, or nearly so.  Not a number is above every threshold. */
        if (!odd[0])
            while (first < count && threshold[first] < least[0])
                first++;
        last = odd[0] ? count : first;
        while (last < count && threshold[last] < most[0])
            last++;
        if (first == last) {
            memset(bins, first - 128, rows);
            return;
        }
        for (int r = 0; r < rows / 8; r++)
            places[r] = (tm_ints){0} + (last - 128);
        for (int k = first; k < last; k++)
            for (int r = 0; r < rows / 8; r++)
                places[r] += (tm_ints)(column[r] <= (tm_floats){0} + threshold[k]);
        for (int r = 0; r < rows; r++)
            bins[r] = (int8_t)((const int32_t *)places)[r];
    }

    /* The values of a feature in one batch stand side by side in `columns`, those of `features` of them. */
    TM_INLINE void tm_transpose(const float *rows, int n, int64_t width, int features, float *columns) {
        for (int r = 0; r < 64; r++)
            for (int f = 0; f < features; f++)
                columns[f * 64 + r] = rows[(r < n ? r : n - 1) * width + f];
    }

    static void tm_score_plain(const tm_condition *c, const int32_t *sizes, int64_t trees, const float *leaves,
                             const int8_t *bins, int two, float *sums) {
        if (two)
            tm_score(c, sizes, trees, leaves, bins, 1, sums);
        else
            tm_score(c, sizes, trees, leaves, bins, 0, sums);
    }

    static void tm_bin_plain(const float *values, int two, const float *threshold, int count, int8_t *bins) {
        tm_bin(values, 64, threshold, count, bins);
    }

    static void tm_transpose_plain(const float *rows, int n, int64_t width, int features, float *columns) {
        tm_transpose(rows, n, width, features, columns);
    }

    #if defined(__x86_64__) && defined(__GNUC__)
    #include <immintrin.h>
    #define TM_WIDE __attribute__((target("avx2")))

    /* Eight rows at a time: the one bit that is the first leaf left, as a float, has its number for an exponent, 127 more,
       by which two tables of eight leaves are looked up. */
    TM_INLINE TM_WIDE void tm_leaves_wide(const uint8_t *low, const uint8_t *high, int rows, const float *leaves, float *sums) {
        const __m256 first = _mm256_loadu_ps(leaves), second = _mm256_loadu_ps(leaves + 8);
        for (int r = 0; r < rows; r += 8) {
            __m256i lost = _mm256_or_si256(
                _mm256_cvtepu8_epi32(_mm_loadl_epi64((const __m128i *)(low + r))),
                _mm256_slli_epi32(_mm256_cvtepu8_epi32(_mm_loadl_epi64((const __m128i *)(high + r))), 8));
            __m256i bit = _mm256_andnot_si256(lost, _mm256_add_epi32(lost, _mm256_set1_epi32(1)));
            __m256i place = _mm256_srli_epi32(_mm256_castps_si256(_mm256_cvtepi32_ps(bit)), 23);
            __m256 value = _mm256_blendv_ps(_mm256_permutevar8x32_ps(first, place), _mm256_permutevar8x32_ps(second, place),
                                            _mm256_castsi256_ps(_mm256_slli_epi32(place, 28)));
            _mm256_storeu_ps(sums + r, _mm256_add_ps(_mm256_loadu_ps(sums + r), value));
        }
    }

    TM_INLINE TM_WIDE void tm_score_wider(const tm_condition *c, const int32_t *sizes, int64_t trees, const float *leaves,
                                        const int8_t *bins, int two, float *sums) {
        uint8_t low[64], high[64];
        for (int64_t t = 0; t < trees; c += sizes[t++], leaves += 16) {
            tm_lost(c, c + sizes[t], bins, two, low, high);
            tm_leaves_wide(low, high, two ? 64 : 32, leaves, sums);
        }
    }

    TM_WIDE static void tm_score_wide(const tm_condition *c, const int32_t *sizes, int64_t trees, const float *leaves,
                                    const int8_t *bins, int two, float *sums) {
        if (two)
            tm_score_wider(c, sizes, trees, leaves, bins, 1, sums);
        else
            tm_score_wider(c, sizes, trees, leaves, bins, 0, sums);
    }

    TM_WIDE static void tm_bin_wide(const float *values, int two, const float *threshold, int count, int8_t *bins) {
        if (two)
            tm_bin(values, 64, threshold, count, bins);
        else
            tm_bin(values, 32, threshold, count, bins);
    }

    /* Eight by eight. */
    TM_WIDE static void tm_transpose_wide(const float *rows, int n, int64_t width, int features, float *columns) {
        __m256 a[8], b[8];
        if (features % 8) {
            tm_transpose(rows, n, width, features, columns);
            return;
        }
        for (int r = 0; r < 64; r += 8)
            for (int f = 0; f < features; f += 8) {
                for (int k = 0; k < 8; k++)
                    a[k] = _mm256_loadu_ps(rows + (r + k < n ? r + k : n - 1) * width + f);
                for (int k = 0; k < 8; k += 2) {
                    b[k] = _mm256_unpacklo_ps(a[k], a[k + 1]);
                    b[k + 1] = _mm256_unpackhi_ps(a[k], a[k + 1]);
                }
                for (int k = 0; k < 8; k += 4)
                    for (int j = 0; j < 2; j++) {
                        a[k + 2 * j] = _mm256_shuffle_ps(b[k + j], b[k + 2 + j], 0x44);
                        a[k + 2 * j + 1] = _mm256_shuffle_ps(b[k + j], b[k + 2 + j], 0xEE);
                    }
                for (int k = 0; k < 4; k++) {
                    _mm256_storeu_ps(columns + (f + k) * 64 + r, _mm256_permute2f128_ps(a[k], a[k + 4], 0x20));
                    _mm256_storeu_ps(columns + (f + k + 4) * 64 + r, _mm256_permute2f128_ps(a[k], a[k + 4], 0x31));
                }
            }
    }

    static int tm_is_wide(void) { return __builtin_cpu_supports("avx2"); }
    #else
    #define tm_score_wide tm_score_plain
    #define tm_bin_wide tm_bin_plain
    #define tm_transpose_wide tm_transpose_plain
    static int tm_is_wide(void) { return 0; }
    #endif
    """
    ctypedef struct Condition "tm_condition":
        int32_t column
        uint32_t level
        uint32_t low
        uint32_t high

    void tm_score_plain(const Condition* c, const int32_t* sizes, int64_t trees, const float* leaves, const int8_t* bins,
                        bint two, float* sums) noexcept nogil
    void tm_score_wide(const Condition* c, const int32_t* sizes, int64_t trees, const float* leaves, const int8_t* bins,
                       bint two, float* sums) noexcept nogil
    void tm_bin_plain(const float* values, bint two, const float* threshold, int count, int8_t* bins) noexcept nogil
    void tm_bin_wide(const float* values, bint two, const float* threshold, int count, int8_t* bins) noexcept nogil
    void tm_transpose_plain(const float* rows, int n, int64_t width, int features, float* columns) noexcept nogil
    void tm_transpose_wide(const float* rows, int n, int64_t width, int features, float* columns) noexcept nogil
    bint tm_is_wide() noexcept nogil


ctypedef void (*ScoreKernel)(const Condition*, const int32_t*, int64_t, const float*, const int8_t*, bint, float*) noexcept nogil


cdef struct Column:
    int32_t feature
    int32_t first           # of its thresholds
    int32_t count


cdef class Forest:
    """Trees that say how likely a row is, as log odds.

    Parameters
    ----------
    feature, threshold, left, right : int16, float32, int16, int16 arrays, shape (nodes,)
        Of all trees one after the other.  A row goes left if its feature is not above the threshold, right if it is or
        is not a number.  A child from 0 up is a node of the same tree, a negative one the leaf ~child.
    leaf : float32 array
        Values of the leaves of all trees.
    sizes : int32 array, shape (trees,)
        Nodes of each tree, from 1 to 15; it has a leaf more.
    """

    cdef Condition* conditions  # of each tree
    cdef int32_t* sizes
    cdef float* leaves          # (trees, BITS), each one place to the left, the first one last
    cdef Column* columns        # by feature
    cdef float* thresholds      # of each column, ascending, none twice
    cdef int64_t column_count
    cdef int64_t trees
    cdef int64_t width

    def __cinit__(self, const int16_t[::1] feature not None, const float[::1] threshold not None,
                  const int16_t[::1] left not None, const int16_t[::1] right not None, const float[::1] leaf not None,
                  const int32_t[::1] sizes not None, *rest):
        cdef int64_t t, i, at = 0, n = feature.shape[0]
        if threshold.shape[0] != n or left.shape[0] != n or right.shape[0] != n:
            raise ValueError("expected columns of one table of nodes, got columns of different lengths")
        self.trees = sizes.shape[0]
        for t in range(self.trees):
            if not 0 < sizes[t] <= n - at:
                raise ValueError(f"sizes[{t}]: expected from 1 to the {n - at} nodes that are left, got {sizes[t]}")
            if sizes[t] >= BITS:
                raise ValueError(f"sizes[{t}]: expected trees of at most {<int>BITS} leaves, got {sizes[t] + 1}")
            at += sizes[t]
        if at != n or leaf.shape[0] != n + self.trees:
            raise ValueError(f"expected {at} nodes and {at + self.trees} leaves, got {n} and {leaf.shape[0]}")
        self.conditions = <Condition*>malloc((n + 1) * sizeof(Condition))
        self.sizes = <int32_t*>malloc((self.trees + 1) * sizeof(int32_t))
        self.leaves = <float*>calloc((self.trees + 1) * BITS, sizeof(float))
        self.columns = <Column*>malloc((n + 1) * sizeof(Column))
        self.thresholds = <float*>malloc((n + 1) * sizeof(float))
        if (self.conditions == NULL or self.sizes == NULL or self.leaves == NULL or self.columns == NULL
                or self.thresholds == NULL):
            raise MemoryError
        at = 0
        for t in range(self.trees):
            for i in range(at, at + sizes[t]):
                if feature[i] < 0:
                    raise ValueError(f"tree {t}: expected features from 0 up, got {feature[i]}")
                if threshold[i] != threshold[i]:
                    raise ValueError(f"tree {t}: expected thresholds that are numbers, got {threshold[i]}")
                self.width = max(self.width, feature[i] + 1)
            if not build_tree_masks(&left[at], &right[at], &leaf[at + t], sizes[t], self.conditions + at, self.leaves + t * BITS):
                raise ValueError(f"tree {t}: expected children behind their parents and each node and leaf once")
            self.sizes[t] = sizes[t]
            at += sizes[t]
        if n:
            self._columns(feature, threshold, np.lexsort((np.asarray(threshold), np.asarray(feature))).astype(np.int64))

    def __dealloc__(self):
        free(self.conditions)
        free(self.sizes)
        free(self.leaves)
        free(self.columns)
        free(self.thresholds)

    cdef void _columns(self, const int16_t[::1] feature, const float[::1] threshold, const int64_t[::1] order) noexcept:
        """The thresholds of each feature, and the place of each condition's among them."""
        cdef int64_t i, node, size = 0
        cdef Column* column = self.columns - 1
        for i in range(order.shape[0]):
            node = order[i]
            if i == 0 or feature[node] != column.feature or (column.count == STEPS
                                                             and threshold[node] != self.thresholds[size - 1]):
                column += 1
                column.feature = feature[node]
                column.first = <int32_t>size
                column.count = 0
            if column.count == 0 or threshold[node] != self.thresholds[size - 1]:
                self.thresholds[size] = threshold[node]
                size += 1
                column.count += 1
            self.conditions[node].column = <int32_t>((column - self.columns) * BATCH)
            self.conditions[node].level = <uint8_t>(column.count - 1 - 128) * FOURFOLD
        self.column_count = column - self.columns + 1

    def scores(self, const float[:, ::1] rows not None, bint plain=False):
        """Sum of the leaves that each row falls into: float32 array, shape (rows,).

        The same to the last bit on all processors; `plain` does without what only some of them have.
        """
        cdef bint wide = tm_is_wide() and not plain
        cdef int64_t n = rows.shape[0], width = rows.shape[1], first = 0
        cdef int8_t* bins
        cdef ScoreKernel score_batch
        if width < self.width:
            raise ValueError(f"expected at least {self.width} features, got {width}")
        out = np.zeros((n + BATCH - 1) // BATCH * BATCH, np.float32)
        cdef float[::1] sums = out
        if n and self.trees:
            bins = <int8_t*>malloc(self.column_count * BATCH)
            if bins == NULL:
                raise MemoryError
            with nogil:
                while first < n:
                    self._bins(&rows[first, 0], <int>min(n - first, BATCH), width, wide, bins)
                    score_batch = tm_score_wide if wide else tm_score_plain
                    score_batch(self.conditions, self.sizes, self.trees, self.leaves, bins, n - first > HALF, &sums[first])
                    first += BATCH
            free(bins)
        return out[:n]

    cdef void _bins(self, const float* rows, int n, int64_t width, bint wide, int8_t* bins) noexcept nogil:
        """The places of a batch of rows, column by column; what is missing to a batch is the last row again."""
        cdef float[TRANSPOSED * BATCH] transposed
        cdef const Column* column = self.columns
        cdef const Column* end = self.columns + self.column_count
        cdef const float* values
        cdef int64_t begin = -TRANSPOSED
        cdef int features = <int>min(width, TRANSPOSED)
        while column < end:
            if column.feature >= begin + TRANSPOSED:
                begin = min(column.feature, width - features)
                if wide:
                    tm_transpose_wide(rows + begin, n, width, features, transposed)
                else:
                    tm_transpose_plain(rows + begin, n, width, features, transposed)
            values = transposed + (column.feature - begin) * BATCH
            if wide:
                tm_bin_wide(values, n > HALF, self.thresholds + column.first, column.count, bins)
            else:
                tm_bin_plain(values, n > HALF, self.thresholds + column.first, column.count, bins)
            bins += BATCH
            column += 1


cdef bint build_tree_masks(const int16_t* left, const int16_t* right, const float* leaf, int n, Condition* nodes,
                           float* leaves) noexcept nogil:
    """The leaves that each condition of a tree takes away if it is false, and its leaves by their bit; False if it is none."""
    cdef int[2 * BITS] size, start
    cdef int i, side, child, place, known = 1
    cdef uint32_t lost
    for i in range(2 * BITS):
        start[i] = -1
    # Leaves of each node, children first; a leaf ~k stands at n + k.
    for i in range(n):
        size[n + i] = 1
    size[2 * n] = 1
    for i in range(n - 1, -1, -1):
        size[i] = 0
        for side in range(2):
            child = right[i] if side else left[i]
            if not (i < child < n or 0 <= ~child <= n):
                return False
            size[i] += size[child if child >= 0 else n + ~child]
    start[0] = 0
    for i in range(n):
        if start[i] < 0:
            return False
        for side in range(2):
            child = right[i] if side else left[i]
            place = child if child >= 0 else n + ~child
            if start[place] >= 0:
                return False
            start[place] = start[i]
            if side:
                child = left[i]
                start[place] += size[child if child >= 0 else n + ~child]
            known += 1
    if known != 2 * n + 1 or size[0] != n + 1:
        return False
    for i in range(n):
        child = left[i]
        lost = ((1 << size[child if child >= 0 else n + ~child]) - 1) << start[i]
        nodes[i].low = (lost & 0xFF) * FOURFOLD
        nodes[i].high = (lost >> 8) * FOURFOLD
    for i in range(n + 1):
        leaves[(start[n + i] + BITS - 1) % BITS] = leaf[i]
    return True


# ------------------------------------------------------------------------------------------------------------------- smoothing
# Smoothing of scores over a tree: what stands in a container is no more main text than the container is.
#
# In come the parents of the nodes of a tree, a score and a weight for each; out go the scores that lie nearest to them of
# those that never rise from a node to its child, with a price for each edge along which they fall.  That is the
# regularised isotonic regression on trees of Chakrabarti, Kumar and Punera (Page-level template detection via isotonic
# smoothing, WWW 2007), on a grid of levels, where it is exact and takes time and memory of nodes times levels.


cdef enum:
    DEFAULT_LEVELS = 17

LEVELS = DEFAULT_LEVELS
"""Levels from 0 to 1 that smoothed scores take if no other number is asked for."""


def smooth(const int32_t[::1] parents not None, const double[::1] scores not None, const double[::1] weights not None,
           double price, int levels=LEVELS):
    """Scores x that minimise  sum of weight (x - score)^2 + price for each edge with x[child] < x[parent],
    where x[child] <= x[parent] everywhere and each x is one of `levels` evenly spaced from 0 to 1.

    Parameters
    ----------
    parents : int32 array, shape (nodes,)
        Of each node, before its children; -1 for the first only.
    scores : float64 array, shape (nodes,)
        From 0 to 1.
    weights : float64 array, shape (nodes,)
        From 0 up.
    price : float
        From 0 up.
    levels : int, optional
        From 2 to 256.

    Returns
    -------
    float64 array, shape (nodes,)
        Of several solutions the one with the greatest scores from the root down.
    """
    cdef int64_t n = parents.shape[0], i
    if scores.shape[0] != n or weights.shape[0] != n:
        raise ValueError(f"expected a score and a weight for each of {n} nodes, got {scores.shape[0]} and {weights.shape[0]}")
    check_price(price, levels)
    check_parents(parents)
    for i in range(n):
        if not 0 <= scores[i] <= 1:
            raise ValueError(f"scores: expected numbers from 0 to 1, got {scores[i]} at {i}")
        if not (weights[i] >= 0 and isfinite(weights[i])):
            raise ValueError(f"weights: expected numbers from 0 up, got {weights[i]} at {i}")
    out = np.empty(n, np.float64)
    if n == 0:
        return out
    cdef double[:, ::1] cost = np.empty((n, levels), np.float64)
    cdef uint8_t[:, ::1] below = np.empty((n, levels), np.uint8)
    cdef double[::1] smoothed = out
    with nogil:
        solve_tree(&parents[0], &scores[0], &weights[0], n, price, levels, &cost[0, 0], &below[0, 0], &smoothed[0])
    return out


def smooth_leaves(const int32_t[::1] parents not None, const int32_t[::1] element not None,
                  const double[::1] scores not None, const double[::1] sizes not None, double inner, double price,
                  int levels=LEVELS):
    """`smooth` for leaves that hang in a tree whose other nodes have no score of their own.

    A node gets the mean score of the leaves it holds, by size, and `inner` times what they weigh together; leaves weigh
    their share of the whole.  Nodes without leaves are left out.

    Parameters
    ----------
    parents : int32 array, shape (nodes,)
    element : int32 array, shape (leaves,)
        The node that each leaf hangs in.
    scores, sizes : float64 array, shape (leaves,)
        Scores from 0 to 1, sizes above 0.
    inner, price, levels
        As for `smooth`.

    Returns
    -------
    float64 array, shape (leaves,)
    """
    cdef int64_t n = element.shape[0], i
    if scores.shape[0] != n or sizes.shape[0] != n:
        raise ValueError(f"expected a score and a size for each of {n} leaves, got {scores.shape[0]} and {sizes.shape[0]}")
    check_tree(parents, element)
    check_price(price, levels)
    for i in range(n):
        if not 0 <= scores[i] <= 1:
            raise ValueError(f"scores: expected numbers from 0 to 1, got {scores[i]} at {i}")
        if not (sizes[i] > 0 and isfinite(sizes[i])):
            raise ValueError(f"sizes: expected numbers above 0, got {sizes[i]} at {i}")
    out = np.empty(n, np.float64)
    cdef double[::1] smoothed = out
    if n:
        with nogil:
            solve_leaves(&parents[0], parents.shape[0], &element[0], n, &scores[0], &sizes[0], inner, price, levels,
                         &smoothed[0])
    return out


def smooth_scores(const int32_t[::1] parents not None, const int32_t[::1] element not None,
                  const double[::1] scores not None, const int32_t[::1] words not None, double share_smoothed,
                  double inner, double price, double margin):
    """Log odds, each the weighted mean of its probability and what `smooth_leaves` makes of that.

    Parameters
    ----------
    parents : int32 array, shape (elements,)
    element : int32 array, shape (blocks,)
        The element that each block stands in.
    scores : float64 array, shape (blocks,)
        Log odds.
    words : int32 array, shape (blocks,)
        From 1 up.
    share_smoothed : float
        Weight of the smoothed probability, from 0 to 1.
    inner, price
        As for `smooth_leaves`.
    margin : float
        What the mean keeps away from 0 and 1.

    Returns
    -------
    float64 array, shape (blocks,)
    """
    cdef int64_t n = element.shape[0], i
    cdef double* probability
    cdef double* sizes
    cdef double mixed
    check(scores.shape[0] == n and words.shape[0] == n, "a score and a number of words of each block")
    check_tree(parents, element)
    check_price(price, DEFAULT_LEVELS)
    for i in range(n):
        check(words[i] > 0, "words in each block")
    out = np.empty(n, np.float64)
    if n == 0:
        return out
    cdef double[::1] smoothed = out
    probability = <double*>malloc(2 * n * sizeof(double))
    if probability == NULL:
        raise MemoryError
    sizes = probability + n
    try:
        with nogil:
            for i in range(n):
                probability[i] = probability_of(scores[i])
                sizes[i] = words[i]
            solve_leaves(&parents[0], parents.shape[0], &element[0], n, probability, sizes, inner, price, DEFAULT_LEVELS,
                         &smoothed[0])
            for i in range(n):
                mixed = (1 - share_smoothed) * probability[i] + share_smoothed * smoothed[i]
                mixed = min(max(mixed, margin), 1 - margin)
                smoothed[i] = log(mixed / (1 - mixed))
    finally:
        free(probability)
    return out


cdef void check_price(double price, int levels) except *:
    if not 2 <= levels <= 256:
        raise ValueError(f"levels: expected from 2 to 256, got {levels}")
    if not (price >= 0 and isfinite(price)):
        raise ValueError(f"price: expected a number from 0 up, got {price}")


cdef void check_parents(const int32_t[::1] parents) except *:
    cdef int64_t i
    for i in range(parents.shape[0]):
        if not -1 <= parents[i] < i or (parents[i] < 0) != (i == 0):
            raise ValueError(f"parents: expected each before its children and -1 for the first only, got {parents[i]} at {i}")


cdef void check_tree(const int32_t[::1] parents, const int32_t[::1] element) except *:
    cdef int64_t m = parents.shape[0], i
    check_parents(parents)
    for i in range(element.shape[0]):
        if not 0 <= element[i] < m:
            raise ValueError(f"element: expected places from 0 to {m - 1}, got {element[i]}")


cdef int solve_leaves(const int32_t* parents, int64_t m, const int32_t* element, int64_t n, const double* scores,
                      const double* sizes, double inner, double price, int levels, double* out) except -1 nogil:
    """The tree of the nodes that hold leaves, and of the leaves below them, to `solve_tree`."""
    cdef int64_t i, count = 0, size = m + n
    cdef double whole = 0
    # Of each node: what it holds and its sum of scores, then goal, weight, solution and costs; its place, parent, levels
    cdef double* numbers = <double*>calloc(2 * m + (3 + levels) * size, sizeof(double))
    cdef int32_t* places = <int32_t*>malloc((m + size) * sizeof(int32_t))
    cdef uint8_t* below = <uint8_t*>malloc(size * levels)
    cdef double* held = numbers
    cdef double* sums = held + m
    cdef double* goals = sums + m
    cdef double* weights = goals + size
    cdef double* solution = weights + size
    cdef int32_t* above = places + m
    if numbers == NULL or places == NULL or below == NULL:
        free(numbers)
        free(places)
        free(below)
        with gil:
            raise MemoryError
    for i in range(n):
        held[element[i]] += sizes[i]
        sums[element[i]] += sizes[i] * scores[i]
        whole += sizes[i]
    for i in range(m - 1, 0, -1):
        held[parents[i]] += held[i]
        sums[parents[i]] += sums[i]
    for i in range(m):
        if held[i] > 0:
            places[i] = <int32_t>count
            above[count] = places[parents[i]] if i else -1
            goals[count] = min(1.0, sums[i] / held[i])
            weights[count] = inner * held[i] / whole
            count += 1
    for i in range(n):
        above[count + i] = places[element[i]]
        goals[count + i] = scores[i]
        weights[count + i] = sizes[i] / whole
    solve_tree(above, goals, weights, count + n, price, levels, solution + size, below, solution)
    memcpy(out, solution + count, n * sizeof(double))
    free(numbers)
    free(places)
    free(below)
    return 0


cdef void solve_tree(const int32_t* parents, const double* scores, const double* weights, int64_t n, double price, int levels,
                     double* cost, uint8_t* below, double* out) noexcept nogil:
    """From the leaves up, what a subtree costs for each level of its root; then from the root down, the levels."""
    cdef int64_t i
    cdef int k, least
    cdef double far, step = 1.0 / (levels - 1), best, one
    cdef double* own
    cdef double* above
    cdef uint8_t* lower
    for i in range(n):
        for k in range(levels):
            far = k * step - scores[i]
            cost[i * levels + k] = weights[i] * far * far
    for i in range(n - 1, 0, -1):
        own = cost + i * levels
        above = cost + parents[i] * <int64_t>levels
        lower = below + i * levels
        least = 0
        best = own[0]
        for k in range(levels):
            one = own[k]
            if one <= best:
                least = k
                best = one
            # Its root stays at the parent's level, or falls to the best one below.
            if one <= best + price:
                lower[k] = <uint8_t>k
                above[k] += one
            else:
                lower[k] = <uint8_t>least
                above[k] += best + price
    least = 0
    for k in range(levels):
        if cost[k] <= cost[least]:
            least = k
    # Levels stand in the first column from here on.
    below[0] = <uint8_t>least
    out[0] = least * step
    for i in range(1, n):
        below[i * levels] = below[i * levels + below[parents[i] * <int64_t>levels]]
        out[i] = below[i * levels] * step


# --------------------------------------------------------------------------------------------------------------- over one page
# What the systems that look at a single page compute over its blocks and elements; see `pages.bte`, `pages.density`.
#
# In come the columns of `_html.BlockScanner.scan_blocks` and the bytes of the page, out go numbers and columns.  Elements are
# numbered in the order of their start tags, parents before children, so that one pass down hands a value on from parents
# to children and one pass up sums over subtrees.  Time is linear in the page.


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
        check(0 <= element[i] < m, "elements of the page")
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


def clear_containers(const int32_t[::1] parents not None, const uint32_t[::1] values not None, int64_t element):
    """Values of elements, 0 for an element and all that it stands in, and for the page: uint32 array, shape (elements,).

    Parameters
    ----------
    parents : int32 array, shape (elements,)
        Smaller than the element itself; -1 for none.
    values : uint32 array, shape (elements,)
    element : int
    """
    cdef int64_t m = parents.shape[0]
    check(values.shape[0] == m and 0 <= element < m, "a value of each element, and an element of the page")
    found = np.array(values, np.uint32)
    cdef uint32_t[::1] out = found
    while element > 0:
        out[element] = 0
        element = parents[element] if parents[element] < element else 0
    out[0] = 0
    return found


def mark_named(const int32_t[::1] parents not None, const uint32_t[::1] groups not None, const int32_t[::1] element not None,
               uint32_t mask, int64_t spared=-1):
    """Whether each block stands in an element that is named after some groups of key words: bool array, shape (blocks,).

    Parameters
    ----------
    parents : int32 array, shape (elements,)
        Smaller than the element itself; -1 for none.
    groups : uint32 array, shape (elements,)
        A bit each.
    element : int32 array, shape (blocks,)
        The element that each block stands in.
    mask : int
        The groups that count.
    spared : int, default -1
        An element whose name does not count, nor those of all that it stands in, nor that of the page; -1 for none.
    """
    cdef int64_t m = parents.shape[0], n = element.shape[0], i
    cdef uint8_t* values
    check(groups.shape[0] == m and -1 <= spared < m, "groups of each element, and an element of the page")
    for i in range(n):
        check(0 <= element[i] < m, "elements of the page")
    found = np.zeros(n, np.bool_)
    if n == 0:
        return found
    cdef uint8_t[::1] out = found.view(np.uint8)
    values = <uint8_t*>malloc(m)
    if values == NULL:
        raise MemoryError
    with nogil:
        for i in range(m):
            values[i] = (groups[i] & mask) != 0
        if spared >= 0:
            values[0] = 0
            while spared > 0:
                values[spared] = 0
                spared = parents[spared] if parents[spared] < spared else 0
        for i in range(1, m):
            if 0 <= parents[i] < i:
                values[i] |= values[parents[i]]
        for i in range(n):
            out[i] = values[element[i]]
    free(values)
    return found


def find_row(const float[:, ::1] matrix not None, int64_t column, float value):
    """The first row with a value in a column, -1 if none has it."""
    cdef int64_t n = matrix.shape[0], i
    check(0 <= column < matrix.shape[1], "a column of the matrix")
    with nogil:
        for i in range(n):
            if matrix[i, column] == value:
                break
        else:
            i = -1
    return i if n else -1


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


cdef double doubt_of(const double* scores, const int32_t* words, int64_t n) noexcept nogil:
    cdef double chance, unsure = 0, size = 0
    cdef int64_t i
    for i in range(n):
        chance = probability_of(scores[i])
        unsure += (chance - chance * chance) * words[i]
        size += words[i]
    return 4 * unsure / max(size, 1.0)


def measure_doubt(const double[::1] scores not None, const int32_t[::1] words not None):
    """The share of the words of which log odds are unsure: of a word of probability p, 4 p (1 - p)."""
    cdef int64_t n = scores.shape[0]
    cdef double doubt = 0
    check(words.shape[0] == n, "words of each block")
    if n:
        with nogil:
            doubt = doubt_of(&scores[0], &words[0], n)
    return doubt


def describe_main(const double[::1] scores not None, const int32_t[::1] words not None, const int32_t[:, ::1] counts not None):
    """What is main text by log odds: share of the words, log of the words, their share in links, log of the words of a
    block, share of the longest run of blocks, runs; and of how many words it is unsure, as `measure_doubt` says.

    Parameters
    ----------
    scores : float64 array, shape (blocks,)
    words : int32 array, shape (blocks,)
    counts : int32 array, shape (blocks, len(COUNTS))
    """
    cdef int64_t n = scores.shape[0], i, blocks = 0, runs = 0
    cdef double chance, expected = 0, every = 0, linked = 0, run = 0, longest = 0, kept = 0
    cdef bint before = False
    check(words.shape[0] == n and counts.shape[0] == n and counts.shape[1] == C_SIZE, "words and counts of each block")
    with nogil:
        for i in range(n):
            chance = probability_of(scores[i])
            expected += words[i] * chance
            linked += counts[i, C_LINKED] * chance
            every += words[i]
            if scores[i] > 0:
                runs += not before
                run = words[i] + (run if before else 0)
                longest = max(longest, run)
                kept += words[i]
                blocks += 1
            before = scores[i] > 0
    return [
        expected / max(every, 1.0), log1p(expected), linked / max(expected, 1.0), log1p(kept / max(blocks, 1)),
        longest / max(kept, 1.0), runs, measure_doubt(scores, words),
    ]


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


def find_repeated(const uint64_t[::1] keys not None):
    """Places of the keys that another one is equal to, ascending: int64 array."""
    cdef int64_t n = keys.shape[0], i
    cdef bint found = False
    cdef int64_t* first
    cdef uint8_t* is_repeated
    if n == 0:
        return np.empty(0, np.int64)
    first = <int64_t*>malloc(n * sizeof(int64_t))
    is_repeated = <uint8_t*>calloc(n, 1)
    try:
        if first == NULL or is_repeated == NULL:
            raise MemoryError
        with nogil:
            first_places(&keys[0], 1, n, first)
            for i in range(n):
                if first[i] != i:
                    is_repeated[i] = is_repeated[first[i]] = found = True
        if not found:  # as on most pages
            return np.empty(0, np.int64)
        return np.flatnonzero(np.asarray(<uint8_t[:n]>is_repeated))
    finally:
        free(first)
        free(is_repeated)


def average_by_path(const double[::1] scores not None, const int32_t[::1] words not None, const uint64_t[:, ::1] keys not None):
    """Each score half way to the mean, by words, of those with the same path on the page.

    Parameters
    ----------
    scores : float64 array, shape (blocks,)
    words : int32 array, shape (blocks,)
    keys : uint64 array, shape (blocks, len(KEYS))
        As `_html.BlockScanner.scan_blocks` gives them.

    Returns
    -------
    float64 array, shape (blocks,)
    """
    cdef int64_t n = scores.shape[0], i
    cdef int64_t* group
    cdef double* sums
    cdef double* sizes
    check(words.shape[0] == n and keys.shape[0] == n and keys.shape[1] == K_SIZE, "words and keys of each block")
    found = np.empty(n, np.float64)
    if n == 0:
        return found
    cdef double[::1] out = found
    group = <int64_t*>malloc(n * sizeof(int64_t))
    sums = <double*>calloc(2 * n, sizeof(double))
    try:
        if group == NULL or sums == NULL:
            raise MemoryError
        sizes = sums + n
        with nogil:
            first_places(&keys[0, K_FULL], K_SIZE, n, group)
            for i in range(n):
                sums[group[i]] += words[i] * scores[i]
                sizes[group[i]] += words[i]
            for i in range(n):
                out[i] = (scores[i] + sums[group[i]] / max(sizes[group[i]], 1.0)) / 2
    finally:
        free(group)
        free(sums)
    return found


# ---------------------------------------------------------------------------------------------------------- chances -> codes
# Which blocks are the main text, by their chances; see `pages.decode`, and the slow twin in the tests.

cdef enum:
    LEFT, CHOSEN, FILLED, STRETCH, REPEATED

CODES = ("left", "chosen", "filled", "stretch", "repeated")


def decode_blocks(const double[::1] scores not None, const int32_t[::1] words not None, const uint64_t[::1] paths not None,
                  const uint64_t[::1] texts not None, double least, double fill, double fill_share, int32_t short):
    """The place in `CODES` of each block.

    Parameters
    ----------
    scores : float64 array, shape (blocks,)
        Log odds.
    words : int32 array, shape (blocks,)
    paths, texts : uint64 arrays, shape (blocks,)
        Equal for equal paths and texts.
    least : float
        Of the greatest probability, for the best set of blocks to be sought, and not the best stretch.
    fill, fill_share : float
        Probability of a block, and share of the chosen words under its path, for a gap to be filled with it.
    short : int
        Words below which a text may be said twice.

    Returns
    -------
    int8 array, shape (blocks,)
    """
    cdef int64_t n = scores.shape[0], i
    cdef double* numbers
    cdef int64_t* indices
    check(words.shape[0] == n and paths.shape[0] == n and texts.shape[0] == n, "words, a path and a text of each block")
    found = np.zeros(n, np.int8)
    if n == 0:
        return found
    cdef int8_t[::1] code = found
    numbers = <double*>calloc(2 * n, sizeof(double))
    indices = <int64_t*>malloc(3 * n * sizeof(int64_t))
    try:
        if numbers == NULL or indices == NULL:
            raise MemoryError
        with nogil:
            for i in range(n):
                numbers[i] = probability_of(scores[i])
            choose_blocks(numbers, &words[0], &paths[0], n, least, fill, fill_share, numbers + n, indices, &code[0])
            drop_repeated(&scores[0], &words[0], &paths[0], &texts[0], n, short, indices, &code[0])
    finally:
        free(numbers)
        free(indices)
    return found


cdef int choose_blocks(const double* chance, const int32_t* words, const uint64_t* paths, int64_t n, double least, double fill,
                       double fill_share, double* sums, int64_t* indices, int8_t* code) except -1 nogil:
    """The best set of blocks and what fills its gaps, or the best stretch.  `sums` are n zeros, `indices` has room for 3 n."""
    cdef int64_t i, last = -1, first = -1
    cdef int64_t* order = indices
    cdef int64_t* place = indices + 2 * n
    cdef double expected = 0
    for i in range(n):
        expected += chance[i] * words[i]
    falling_order(chance, n, order, order + n)
    if chance[order[0]] < least:
        choose_best_stretch(chance, words, n, expected, code)
        return 0
    choose_best_set(chance, words, order, n, expected, code)
    first_places(paths, 1, n, place)
    for i in range(n):
        if code[i] == CHOSEN:
            first = i if first < 0 else first
            last = i
            sums[place[i]] += words[i]
    fill_gaps(chance, words, place, first, last, fill, fill_share, sums, code)
    return 0


cdef int drop_repeated(const double* scores, const int32_t* words, const uint64_t* paths, const uint64_t* texts, int64_t n,
                       int32_t short, int64_t* indices, int8_t* code) except -1 nogil:
    """Of each text the likeliest block, and others under its path.  `indices` has room for 2 n."""
    cdef int64_t i
    cdef int64_t* said = indices
    cdef int64_t* best = indices + n
    first_places(texts, 1, n, said)
    memset(best, 0xFF, n * sizeof(int64_t))
    for i in range(n):
        if code[i] != LEFT and words[i] >= short and (best[said[i]] < 0 or scores[i] > scores[best[said[i]]]):
            best[said[i]] = i
    for i in range(n):
        if code[i] != LEFT and words[i] >= short and paths[i] != paths[best[said[i]]]:
            code[i] = REPEATED
    return 0


cdef void choose_best_set(const double* chance, const int32_t* words, const int64_t* order, int64_t n, double expected,
                          int8_t* code) noexcept nogil:
    """The beginning of the order with the greatest expected F1."""
    cdef int64_t i, size = 0, many = 0
    cdef double sure = 0, gain, most = -1
    for i in range(n):
        sure += chance[order[i]] * words[order[i]]
        many += words[order[i]]
        gain = 2 * sure / (many + expected)
        if gain > most:
            most = gain
            size = i + 1
    for i in range(size):
        code[order[i]] = CHOSEN


cdef void choose_best_stretch(const double* chance, const int32_t* words, int64_t n, double expected, int8_t* code) noexcept nogil:
    """The run of blocks with the greatest sum of what is above the page's mean, in words."""
    cdef int64_t i, many = 0, begin = 0, least = 0, end = 0
    cdef double mean, total = 0, lowest = 0, most = 0
    for i in range(n):
        many += words[i]
    mean = expected / many
    for i in range(n):
        total += words[i] * (chance[i] - mean)
        if i == 0 or total - lowest > most:
            most = total - lowest
            begin = least
            end = i + 1
        if total < lowest:
            lowest = total
            least = i + 1
    for i in range(begin, end):
        code[i] = STRETCH


cdef void fill_gaps(const double* chance, const int32_t* words, const int64_t* place, int64_t first, int64_t last, double fill,
                    double fill_share, const double* sums, int8_t* code) noexcept nogil:
    """Between the first and the last chosen block, those likely enough under a path that much of what is chosen has."""
    cdef int64_t i
    cdef double whole = 0
    for i in range(first, last + 1):
        if code[i] == CHOSEN:
            whole += words[i]
    for i in range(first + 1, last):
        if code[i] == LEFT and chance[i] >= fill and sums[place[i]] > 0 and sums[place[i]] >= fill_share * whole:
            code[i] = FILLED


def normalise_texts(const uint8_t[::1] text not None, const int64_t[::1] bounds not None, const int64_t[::1] blocks not None):
    """The words of some blocks: in lower case, a blank between them; None for a block with a character beyond ASCII.

    Words are of letters, digits and underscores.
    """
    cdef int64_t n = blocks.shape[0], k, i, size, most = 0
    cdef uint8_t c, beyond
    cdef uint8_t* room
    cdef bint apart
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
            size, beyond, apart = 0, 0, False
            for i in range(bounds[blocks[k]], bounds[blocks[k] + 1]):
                c = text[i]
                beyond |= c
                c = c | 32 if 65 <= c <= 90 else c
                if 97 <= c <= 122 or 48 <= c <= 57 or c == 95:
                    if apart and size:
                        room[size] = 32
                        size += 1
                    apart = False
                    room[size] = c
                    size += 1
                else:
                    apart = True
            found.append(None if beyond >= 0x80 else room[:size].decode("ascii"))
    finally:
        free(room)
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


def find_densest(const int32_t[::1] parents not None, const int64_t[::1] characters not None,
                 const int64_t[::1] structure not None, int64_t root, double share):
    """The target node of Baisa (2009), algorithm 1.

    From `root` on, down to the child with most characters for each structural element, as long as that child holds more
    than `share` of the characters of its parent.  A child with none counts as one with a single structural element, and
    of equal children the first is taken.

    Parameters
    ----------
    characters, structure : int64 arrays, shape (elements,)
        Sums over subtrees.

    Returns
    -------
    int
        Number of the element.
    """
    cdef int64_t n = parents.shape[0], i, at = root, p, best
    check(characters.shape[0] == n and structure.shape[0] == n, "as many values as elements")
    check(0 <= root < n, "a root that is one of the elements")
    child = np.full(n, -1, np.int64)
    cdef int64_t[::1] first = child
    with nogil:
        for i in range(1, n):
            p = parents[i]
            if p < 0 or p >= i:
                continue
            best = first[p]
            # Products, so that equal densities are equal; a page has less than 2^31 bytes.
            if best < 0 or characters[i] * max(structure[best], 1) > characters[best] * max(structure[i], 1):
                first[p] = i
        while first[at] >= 0 and <double>characters[first[at]] > share * <double>characters[at]:
            at = first[at]
    return at


def count_characters(const uint8_t[::1] text not None, const int64_t[::1] bounds not None):
    """Code points of each block's text: int64 array of shape (blocks,)."""
    cdef int64_t n = bounds.shape[0] - 1, i, j, count
    check_ascending(bounds, text.shape[0], "ascending bounds within the text")
    found = np.empty(n, np.int64)
    cdef int64_t[::1] out = found
    with nogil:
        for i in range(n):
            count = 0
            for j in range(bounds[i], bounds[i + 1]):
                count += (text[j] & 0xC0) != 0x80
            out[i] = count
    return found


def count_line_breaks(const uint8_t[::1] page not None, const int64_t[::1] starts not None, const int64_t[::1] ends not None):
    """How many br and hr stand between each block and the one before it: int64 array of shape (blocks,)."""
    cdef int64_t n = starts.shape[0], i, a, b, count
    cdef const void* hit
    check_places(starts, ends, page.shape[0])
    found = np.zeros(n, np.int64)
    cdef int64_t[::1] out = found
    with nogil:
        for i in range(1, n):
            a, b = ends[i - 1], starts[i]
            count = 0
            while b - a > 3:
                hit = memchr(&page[a], 60, b - a - 3)
                if hit == NULL:
                    break
                a = <const uint8_t*>hit - &page[0]
                if (page[a + 2] | 32) == 114 and ((page[a + 1] | 32) == 98 or (page[a + 1] | 32) == 104):
                    count += page[a + 3] <= 32 or page[a + 3] == 62 or page[a + 3] == 47
                a += 1
            out[i] = count
    return found


# ======================================================================================================================
# BTE
# ======================================================================================================================

cdef struct Best:
    int64_t sum             # of the stretch that is open
    int64_t block           # where it began: the block, and words of it that stand before
    int64_t skipped
    int64_t best            # of the best one so far, and where it lies
    int64_t first
    int64_t first_skipped
    int64_t last
    int64_t last_kept


cdef inline void add_words(Best* s, int64_t block, int64_t before, int64_t count) noexcept nogil:
    """Words, `before` of whose block stand before them."""
    if count <= 0:
        return
    if s.sum <= 0:
        s.sum = 0
        s.block = block
        s.skipped = before
    s.sum += count
    if s.sum > s.best:
        s.best = s.sum
        s.first = s.block
        s.first_skipped = s.skipped
        s.last = block
        s.last_kept = before + count


cdef inline bint is_word(uint8_t c) noexcept nogil:
    return c >= 0x80 or 48 <= c <= 57 or 97 <= (c | 32) <= 122


cdef int64_t count_words(const uint8_t* p, int64_t n) noexcept nogil:
    """Words in a stretch of the page without tags; those of scripts without spaces by the three bytes of a character."""
    cdef int64_t i = 0, j, count = 0
    while i < n:
        if p[i] == 38:                      # a reference parts words; what it stands for matters to no more than one
            j = i + 1
            while j < n and j - i < 32 and (is_word(p[j]) or p[j] == 35):
                j += 1
            i = j + 1 if j < n and p[j] == 59 else i + 1
        elif 0xE3 <= p[i] <= 0xED and i + 2 < n:
            count += not (p[i] == 0xE3 and p[i + 1] == 0x80)
            i += 3
        elif is_word(p[i]):
            # At least one byte: half a character may stand at the end.
            i += 1
            while i < n and is_word(p[i]) and not 0xE3 <= p[i] <= 0xED:
                i += 1
            count += 1
        else:
            i += 1
    return count


cdef int64_t count_inner_tags(const uint8_t* p, int64_t a, int64_t b) noexcept nogil:
    cdef int64_t count = 0
    cdef const void* hit
    while a + 1 < b:
        hit = memchr(p + a, 60, b - a - 1)
        if hit == NULL:
            break
        a = <const uint8_t*>hit - p + 1
        count += p[a] == 47 or 97 <= (p[a] | 32) <= 122
    return count


cdef void add_tagged_block(Best* s, const uint8_t* p, int64_t a, int64_t b, int64_t block, int64_t words) noexcept nogil:
    """The words of a block [a, b) and the tags between them."""
    cdef int64_t before = 0, count, end
    cdef const void* hit
    while a < b:
        hit = memchr(p + a, 60, b - a)
        end = b if hit == NULL else <const uint8_t*>hit - p
        count = words - before if end == b else min(count_words(p + a, end - a), words - before)
        add_words(s, block, before, count)
        before += max(count, 0)
        if end == b:
            return
        if end + 1 < b and (p[end + 1] == 47 or 97 <= (p[end + 1] | 32) <= 122):
            s.sum -= 1
        hit = memchr(p + end, 62, b - end)
        a = b if hit == NULL else <const uint8_t*>hit - p + 1
    add_words(s, block, before, words - before)


def find_stretch(const uint8_t[::1] page not None, const int64_t[::1] starts not None, const int64_t[::1] ends not None,
                 const int32_t[::1] tags not None, const int32_t[::1] words not None, const uint8_t[::1] shown not None):
    """The stretch of a page with most words and fewest tags.

    With B_n = 1 for a tag and 0 for a word, the i and j with the greatest sum of B_n outside of [i, j] and 1 - B_n
    within; as the tags of the whole page are a constant, that is the greatest sum of words less tags over [i, j], found
    in one pass.  Of equal stretches the first and shortest.

    Parameters
    ----------
    page : uint8 array
    starts, ends : int64 arrays, shape (blocks,)
    tags : int32 array, shape (blocks,)
        From the end of the block before up to and with the tag that ends the block.
    words : int32 array, shape (blocks,)
    shown : uint8 array, shape (blocks,)
        0 for blocks that are passed over, with their tags.

    Returns
    -------
    tuple of int
        First block, how many of its words are left out, last block, how many of its words belong to the stretch; the
        first block is -1 if there is no word.
    """
    cdef int64_t n = starts.shape[0], i, inner, before, after = 0
    cdef Best s
    check(ends.shape[0] == tags.shape[0] == words.shape[0] == shown.shape[0] == n, "columns of the same length")
    check_places(starts, ends, page.shape[0])
    s.sum = s.block = s.skipped = s.best = s.first_skipped = s.last = s.last_kept = 0
    s.first = -1
    with nogil:
        for i in range(n):
            inner = count_inner_tags(&page[0], starts[i], ends[i])
            # Of its other tags those stand before its words that the page has there, unless these are script or comment.
            before = count_inner_tags(&page[0], ends[i - 1] if i else 0, starts[i]) - after
            if before < 0 or before > tags[i] - inner:
                before = max(tags[i] - inner - 1, 0)
            s.sum -= before + after
            after = max(tags[i] - inner - before, 0)
            if shown[i] == 0:
                s.sum -= inner
            elif inner == 0:
                add_words(&s, i, 0, words[i])
            else:
                add_tagged_block(&s, &page[0], starts[i], ends[i], i, words[i])
    return s.first, s.first_skipped, s.last, s.last_kept


# ======================================================================================================================
# Shallow text features, keywords
# ======================================================================================================================

cdef enum:
    LINE = 80           # columns of a line of wrapped text


cdef inline int64_t character_width(const uint8_t* p, int64_t left) noexcept nogil:
    """Bytes of the character that begins here."""
    cdef int64_t width = 1 if p[0] < 0xC0 else 2 if p[0] < 0xE0 else 3 if p[0] < 0xF0 else 4
    return min(width, left)


cdef inline bint is_wide_word(const uint8_t* p, int64_t width) noexcept nogil:
    """A word of its own, two columns wide: Han, kana, Hangul."""
    if width == 4:
        return p[0] == 0xF0 and p[1] >= 0xA0
    return width == 3 and 0xE3 <= p[0] <= 0xED and (p[0] > 0xE3 or p[1] >= 0x81)


def measure_wrapped(const uint8_t[::1] text not None, const int64_t[::1] bounds not None):
    """Text density and letters of each block.

    The text is wrapped at 80 columns; its density is the number of words in all lines but the last over the number of
    those lines, or of the only line (Kohlschuetter, Fankhauser and Nejdl, Boilerplate detection using shallow text
    features, 2010, section 3.3).  A word has a letter or a digit.  A Han, kana or Hangul character is a word, two
    columns wide.

    Returns
    -------
    tuple of array
        Densities (float64) and code points that are no white space (int64); of shape (blocks,).
    """
    cdef int64_t n = bounds.shape[0] - 1, k, i, end, width, size, at, line, letters
    cdef bint counts
    cdef double words, before
    check_ascending(bounds, text.shape[0], "ascending bounds within the text")
    density, length = np.empty(n, np.float64), np.empty(n, np.int64)
    cdef double[::1] density_view = density
    cdef int64_t[::1] length_view = length
    with nogil:
        for k in range(n):
            i, end = bounds[k], bounds[k + 1]
            at = line = letters = 0
            words = before = 0
            while i < end:
                if text[i] <= 32:
                    i += 1
                    continue
                size = 0
                counts = False
                width = character_width(&text[i], end - i)
                if is_wide_word(&text[i], width):
                    i += width
                    size = 2
                    letters += 1
                    counts = True
                else:
                    if at:
                        at += 1         # the blank before it
                    while i < end and text[i] > 32:
                        width = character_width(&text[i], end - i)
                        if is_wide_word(&text[i], width):
                            break
                        counts = counts or is_word(text[i])
                        i += width
                        size += 1
                    letters += size
                if at and at + size > LINE:
                    line += 1
                    before = words
                    at = 0
                at += size
                words += counts
            density_view[k] = before / line if line else words
            length_view[k] = letters
    return density, length


def extract_keywords(const uint8_t[::1] text not None, const int64_t[::1] bounds not None, int64_t least):
    """The keywords of each block: words of at least `least` code points, and characters that are words of their own.

    Returns
    -------
    tuple of array
        Hash (uint64) and block (int64) of each keyword, in the order of the text.
    """
    cdef int64_t n = bounds.shape[0] - 1, k, i, j, end, width, size, count = 0
    cdef uint64_t h
    cdef bint single
    check_ascending(bounds, text.shape[0], "ascending bounds within the text")
    hashes, home = np.empty(text.shape[0], np.uint64), np.empty(text.shape[0], np.int64)
    cdef uint64_t[::1] hash_view = hashes
    cdef int64_t[::1] home_view = home
    with nogil:
        for k in range(n):
            i, end = bounds[k], bounds[k + 1]
            while i < end:
                if not is_word(text[i]):
                    i += 1
                    continue
                width = character_width(&text[i], end - i)
                single = is_wide_word(&text[i], width)
                if not single and text[i] == 0xE2:      # dashes, quotes, bullets
                    i += width
                    continue
                h = <uint64_t>0xCBF29CE484222325
                size = 0
                while i < end and is_word(text[i]):
                    width = character_width(&text[i], end - i)
                    if (size and (single or is_wide_word(&text[i], width))) or text[i] == 0xE2:
                        break
                    for j in range(i, i + width):
                        h = (h ^ text[j]) * <uint64_t>0x100000001B3
                    i += width
                    size += 1
                if single or size >= least:
                    hash_view[count] = h
                    home_view[count] = k
                    count += 1
    return hashes[:count].copy(), home[:count].copy()


def compute_cosines(const int64_t[::1] ids not None, const int64_t[::1] counts not None, const int64_t[::1] offsets not None,
                    const int64_t[::1] left not None, const int64_t[::1] right not None):
    """Cosine similarity of pairs of rows; the ids of a row are ascending: float64 array of shape (pairs,)."""
    cdef int64_t n = left.shape[0], rows = offsets.shape[0] - 1, k, i, j
    cdef double dot, one, other
    check(right.shape[0] == n and counts.shape[0] == ids.shape[0], "columns of the same length")
    check_ascending(offsets, ids.shape[0], "ascending offsets within the ids")
    for k in range(n):
        check(0 <= left[k] < rows and 0 <= right[k] < rows, "pairs of rows")
    found = np.zeros(n, np.float64)
    cdef double[::1] out = found
    with nogil:
        for k in range(n):
            dot = one = other = 0
            for i in range(offsets[left[k]], offsets[left[k] + 1]):
                one += <double>counts[i] * counts[i]
            for j in range(offsets[right[k]], offsets[right[k] + 1]):
                other += <double>counts[j] * counts[j]
            i, j = offsets[left[k]], offsets[right[k]]
            while i < offsets[left[k] + 1] and j < offsets[right[k] + 1]:
                if ids[i] == ids[j]:
                    dot += <double>counts[i] * counts[j]
                    i += 1
                    j += 1
                elif ids[i] < ids[j]:
                    i += 1
                else:
                    j += 1
            if one > 0 and other > 0:
                out[k] = dot / sqrt(one * other)
    return found


def walk_trees(const int64_t[::1] feature not None, const double[::1] threshold not None, const int64_t[::1] left not None,
               const int64_t[::1] right not None, const double[::1] value not None, const double[:, ::1] rows not None):
    """What a decision tree says of each row: float64 array of shape (rows,).

    Parameters
    ----------
    feature : int64 array, shape (nodes,)
        What a node asks for, -1 for a leaf; the root comes first and children after their parents.
    threshold : float64 array, shape (nodes,)
        The greatest value that goes left.
    left, right : int64 arrays, shape (nodes,)
    value : float64 array, shape (nodes,)
        Of leaves.
    rows : float64 array, shape (rows, features)
    """
    cdef int64_t n = rows.shape[0], nodes = feature.shape[0], i, node
    check(nodes > 0 and threshold.shape[0] == left.shape[0] == right.shape[0] == value.shape[0] == nodes,
          "columns of the same length")
    for node in range(nodes):
        check(feature[node] < 0 or (feature[node] < rows.shape[1] and node < left[node] < nodes and node < right[node] < nodes),
              "features of the rows, and children behind their parents")
    found = np.empty(n, np.float64)
    cdef double[::1] out = found
    with nogil:
        for i in range(n):
            node = 0
            while feature[node] >= 0:
                node = left[node] if rows[i, feature[node]] <= threshold[node] else right[node]
            out[i] = value[node]
    return found
