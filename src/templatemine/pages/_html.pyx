"""A page of HTML into blocks: mark-up, paths of elements, words of blocks, and the scanner."""

import numpy as np

from cpython.buffer cimport PyBUF_WRITABLE, PyBuffer_Release, PyObject_GetBuffer
from cpython.unicode cimport PyUnicode_DecodeUTF8
from libc.stdint cimport int32_t, int64_t, uint16_t, uint32_t, uint64_t, uint8_t
from libc.stdlib cimport free, malloc
from libc.string cimport memchr, memcmp, memcpy, memset

from templatemine.text._reading cimport replace_number, write_char
from templatemine.text._scan cimport (
    Bytes, encode_utf8, is_alnum, is_alpha, is_digit, is_lower, is_upper, reserve, same_letters, script_end,
    StrView, Table, table_add, table_find, table_free, table_init, tm_hash, view_str,
)

__all__ = [
    "BlockScanner", "COUNTS", "FLAGS", "KEYS", "MARKS", "PhraseFinder", "TAGS", "decode_texts", "encode_page", "find_metas",
    "find_styles", "hash_path",
]


# --------------------------------------------------------------------------------------------------------------------- mark-up
# What the scanner of blocks knows of mark-up: the table of tags, what style hides, characters by their number.


# ======================================================================================================================
# Tags
# ======================================================================================================================

cdef enum:
    BLOCK = 1       # stands on lines of its own
    VOID = 2        # has no content
    RAW = 4         # its content is no mark-up
    MUTE = 8        # its text is not shown
    FORMAT = 16     # says how text looks, not what it is: no part of a path
    STRONG = 32     # emphasis
    WALL = 64       # implied ends stop here
    HEADING = 128
    BREAKOUT = 256  # a block that begins inside ends it
    RUBY = 512      # the next of its kind ends it, and no blank stands where it was
    APART = 1024    # a box of its own: its words are not parts of those beside it
    RAISED = 2048   # stands above or below the line, as part of a word or behind one

cdef enum:
    T_UNKNOWN, T_HTML, T_HEAD, T_BODY, T_TITLE, T_A, T_P, T_BR, T_LI, T_UL, T_OL, T_DT, T_DD, T_DL, T_TD, T_TH, T_TR
    T_TBODY, T_THEAD, T_TFOOT, T_TABLE, T_CAPTION, T_PRE, T_IMG, T_SCRIPT, T_STYLE, T_CODE, T_MATH, T_TEMPLATE, T_DIALOG
    T_NOSCRIPT, T_H1

cdef enum:
    # What the attributes of a start tag say of its element
    LINKS = 1
    HIDDEN = 2      # HTML or its style hides it
    OPENED = 4      # a dialog that is shown
    SHADOW = 8      # a template that is shown: the inside of a component
    FORMULA = 16    # what a program made of a formula
    ASIDE = 32      # stands within a text and is none of it: the number of a line, the way back from a footnote

cdef enum:
    HIDDEN_BYTES = 1000     # of what is hidden within a line: a gloss, a tip; a hidden story is longer
    FORMULA_BYTES = 1 << 14


TAGS = (
    ("?", 0), ("html", BLOCK), ("head", BLOCK), ("body", BLOCK), ("title", RAW), ("a", 0), ("p", BLOCK),
    ("br", BLOCK | VOID), ("li", BLOCK), ("ul", BLOCK), ("ol", BLOCK), ("dt", BLOCK), ("dd", BLOCK), ("dl", BLOCK),
    ("td", BLOCK | WALL), ("th", BLOCK | WALL), ("tr", BLOCK), ("tbody", BLOCK), ("thead", BLOCK), ("tfoot", BLOCK),
    ("table", BLOCK | WALL), ("caption", BLOCK | WALL), ("pre", BLOCK), ("img", VOID), ("script", RAW), ("style", RAW),
    ("code", 0), ("math", 0), ("template", MUTE), ("dialog", BLOCK), ("noscript", BLOCK),
    ("h1", BLOCK | HEADING), ("h2", BLOCK | HEADING), ("h3", BLOCK | HEADING), ("h4", BLOCK | HEADING),
    ("h5", BLOCK | HEADING), ("h6", BLOCK | HEADING), ("div", BLOCK), ("article", BLOCK), ("main", BLOCK),
    ("section", BLOCK), ("nav", BLOCK), ("aside", BLOCK), ("header", BLOCK), ("footer", BLOCK), ("form", BLOCK),
    ("figure", BLOCK), ("figcaption", BLOCK), ("blockquote", BLOCK), ("center", BLOCK), ("address", BLOCK),
    ("fieldset", BLOCK), ("details", BLOCK), ("summary", BLOCK), ("hr", BLOCK | VOID),
    ("legend", BLOCK), ("dir", BLOCK), ("menu", BLOCK), ("hgroup", BLOCK), ("search", BLOCK),
    ("listing", BLOCK), ("frameset", BLOCK), ("colgroup", BLOCK),
    ("span", 0), ("label", APART), ("button", WALL | APART), ("time", 0), ("cite", 0), ("q", 0), ("abbr", 0),
    ("b", FORMAT | STRONG), ("strong", FORMAT | STRONG), ("i", FORMAT | STRONG), ("em", FORMAT | STRONG),
    ("u", FORMAT | STRONG), ("font", FORMAT), ("small", FORMAT), ("big", FORMAT), ("tt", FORMAT),
    ("sup", FORMAT | RAISED), ("sub", FORMAT | RAISED), ("s", FORMAT), ("strike", FORMAT), ("nobr", FORMAT),
    ("wbr", VOID | FORMAT), ("ins", FORMAT),
    ("del", FORMAT), ("mark", FORMAT),
    ("input", VOID), ("meta", VOID), ("link", VOID), ("base", VOID), ("area", VOID), ("col", VOID), ("embed", VOID),
    ("param", VOID), ("source", VOID), ("track", VOID), ("frame", VOID), ("basefont", VOID), ("spacer", VOID),
    ("textarea", RAW), ("iframe", RAW), ("noembed", RAW), ("noframes", RAW), ("xmp", RAW),
    ("select", MUTE | BREAKOUT), ("svg", MUTE | BREAKOUT), ("object", MUTE | BREAKOUT), ("video", MUTE | BREAKOUT),
    ("audio", MUTE | BREAKOUT), ("canvas", MUTE | BREAKOUT), ("datalist", MUTE | BREAKOUT),
    ("rt", MUTE | RUBY | BREAKOUT), ("rp", MUTE | RUBY | BREAKOUT), ("rtc", MUTE | RUBY | BREAKOUT), ("rb", RUBY),
)
"""Name and properties of each tag; the first rows in the order of the numbers above."""

FLAGS = {"block": BLOCK, "void": VOID, "raw": RAW, "mute": MUTE, "format": FORMAT, "strong": STRONG, "wall": WALL,
         "heading": HEADING, "breakout": BREAKOUT, "apart": APART, "raised": RAISED}


cdef bint is_hiding(const uint8_t* p, int64_t n) noexcept nogil:
    """The style says display: none (or visibility: hidden)."""
    cdef int64_t i = 0, j
    while i + 11 <= n:
        if same_letters(p + i, b"display", 7) or same_letters(p + i, b"visibility", 10):
            j = i + (7 if same_letters(p + i, b"display", 7) else 10)
            while j < n and (p[j] <= 32 or p[j] == 58):
                j += 1
            if (j + 4 <= n and same_letters(p + j, b"none", 4)) or (j + 6 <= n and same_letters(p + j, b"hidden", 6)):
                return True
        i += 1
    return False


cdef bint has_letters(const uint8_t* p, int64_t n, const char* word, int64_t size) noexcept nogil:
    """Whether a word of ASCII letters, which is given in lower case, stands in a text in any case."""
    cdef int64_t i
    for i in range(n - size + 1):
        if same_letters(p + i, word, size):
            return True
    return False


cdef bint says_numbers_of_lines(const uint8_t* p, int64_t n) noexcept nogil:
    """A class for the numbers of lines of code, as highlighters name it."""
    return (has_letters(p, n, b"gutter", 6) or has_letters(p, n, b"lineno", 6) or has_letters(p, n, b"line-num", 8)
            or has_letters(p, n, b"linenum", 7) or has_letters(p, n, b"ln-num", 6) or (n == 3 and same_letters(p, b"lnt", 3)))


cdef uint8_t read_class(uint16_t tag, const uint8_t* p, int64_t n) noexcept nogil:
    """What a class says of its element, apart from key words."""
    if n >= 5 and (same_letters(p, b"katex", 5) or same_letters(p, b"mathj", 5)):
        return FORMULA
    if tag == T_A and has_letters(p, n, b"footnote", 8) and (has_letters(p, n, b"reverse", 7) or has_letters(p, n, b"back", 4)):
        return ASIDE
    return 0


cdef bint leads_back(const uint8_t* p, int64_t n) noexcept nogil:
    """The address of the place that a footnote belongs to."""
    if n >= 9 and p[5] == 95:
        return same_letters(p, b"#cite", 5) and same_letters(p + 6, b"ref", 3)
    return n >= 6 and same_letters(p, b"#fnref", 6)


cdef bint ends_within(const uint8_t* p, int64_t start, int64_t i, int64_t n) noexcept nogil:
    """Whether the element whose start tag is at `start` ends between i and n."""
    cdef int64_t size = 0, open_elements = 1, j
    cdef const void* hit
    while start + 1 + size < i and (is_alnum(p[start + 1 + size]) or p[start + 1 + size] == 45):
        size += 1
    while i < n:
        hit = memchr(p + i, 60, n - i)
        if hit == NULL:
            return False
        i = <const uint8_t*>hit - p + 1
        j = i + (i < n and p[i] == 47)
        if j + size < n and memcmp(p + j, p + start + 1, size) == 0 and not is_alnum(p[j + size]) and p[j + size] != 45:
            open_elements += 1 if j == i else -1
            if open_elements == 0:
                return True
    return False


# ----------------------------------------------------------------------------------------------------------------------- paths
# Paths of elements: an element's sign, tag.class.class#id with runs of digits as 0, and hashes of the path's forms.


cdef enum:
    SIGN = 160      # bytes of an element's sign in a path

cdef struct Node:
    int32_t parent
    uint16_t tag
    uint64_t full
    uint64_t plain          # without ids
    uint64_t tags
    uint64_t near
    int64_t sign            # where its sign ends in `signs`


cdef inline uint64_t hash_pair(uint64_t a, uint64_t b) noexcept nogil:
    """Hash of a pair."""
    cdef uint64_t h = (a ^ <uint64_t>0x9E3779B97F4A7C15) * <uint64_t>0xD1B54A32D192ED03
    h = (h ^ (h >> 32)) + b
    h *= <uint64_t>0x2545F4914F6CDD1D
    return h ^ (h >> 29)


KEYS = ("full", "parent", "grandparent", "class", "tags", "near")
"""Forms of a path, columns of `keys`: as it stands, without its last element, without the last two, without ids, of
tags alone, and from the nearest element with a class or id on."""


cdef inline int64_t find_byte(const uint8_t* p, int64_t n, uint8_t mark) noexcept nogil:
    """Where `mark` stands first, or n."""
    cdef const void* hit = memchr(p, mark, n) if n else NULL
    return n if hit == NULL else <const uint8_t*>hit - p


cdef void hash_node(Node* node, const Node* parent, const uint8_t* sign, int64_t n) noexcept nogil:
    """All forms of the path that a sign, tag.class.class#id, ends."""
    cdef int64_t name = min(find_byte(sign, n, 46), find_byte(sign, n, 35)), plain = find_byte(sign, n, 35)
    node.full = hash_pair(parent.full, tm_hash(sign, n))
    node.plain = hash_pair(parent.plain, tm_hash(sign, plain))
    node.tags = hash_pair(parent.tags, tm_hash(sign, name))
    node.near = hash_pair(0 if name < n else parent.near, tm_hash(sign, n))


cdef int64_t append_sign(const uint8_t* value, int64_t n, uint8_t* out, int64_t size, uint8_t lead) noexcept nogil:
    """Append the words of an attribute in ascending order, runs of digits as 0; returns the new size of the sign."""
    cdef int64_t starts[16]
    cdef int64_t ends[16]
    cdef int64_t i = 0, j, k, m, a, count = 0
    cdef int order
    while i < n and count < 16:
        while i < n and value[i] <= 32:
            i += 1
        j = i
        while j < n and value[j] > 32:
            j += 1
        if j > i:
            k = count
            while k > 0:
                m = min(j - i, ends[k - 1] - starts[k - 1])
                order = memcmp(value + i, value + starts[k - 1], m)
                if order > 0 or (order == 0 and j - i >= ends[k - 1] - starts[k - 1]):
                    break
                starts[k] = starts[k - 1]
                ends[k] = ends[k - 1]
                k -= 1
            starts[k] = i
            ends[k] = j
            count += 1
        i = j
    for k in range(count):
        if size >= SIGN:
            break
        out[size] = lead
        size += 1
        a = starts[k]
        while a < ends[k] and size < SIGN:
            if is_digit(value[a]):
                out[size] = 48
                while a + 1 < ends[k] and is_digit(value[a + 1]):
                    a += 1
            elif value[a] == 62 or value[a] == 35 or value[a] == 46:
                out[size] = 95
            else:
                out[size] = value[a]
            size += 1
            a += 1
    # No character is cut in two.
    if size >= SIGN:
        while size > 0 and (out[size - 1] & 0xC0) == 0x80:
            size -= 1
        if size > 0 and out[size - 1] >= 0x80:
            size -= 1
    return size


def hash_path(list path not None):
    """Forms of a path given as the signs of its elements: uint64 array of shape (len(KEYS),)."""
    cdef Node nodes[3]
    cdef bytes sign
    cdef uint64_t[::1] out = np.zeros(K_SIZE, np.uint64)
    memset(&nodes[0], 0, sizeof(nodes))
    for sign in path:
        nodes[2] = nodes[1]
        nodes[1] = nodes[0]
        hash_node(&nodes[0], &nodes[1], <const uint8_t*>sign, len(sign))
    out[K_FULL] = nodes[0].full
    out[K_PARENT] = hash_pair(nodes[1].full, 1)
    out[K_GRAND] = hash_pair(nodes[2].full, 2)
    out[K_CLASS] = nodes[0].plain
    out[K_TAGS] = nodes[0].tags
    out[K_NEAR] = nodes[0].near
    return np.asarray(out)


def decode_texts(const uint8_t[::1] text not None, const int64_t[::1] bounds not None, const int64_t[::1] blocks not None):
    """Texts of some blocks: list of str.

    Parameters
    ----------
    text, bounds
        As `BlockScanner.scan_blocks` gives them.
    blocks : int64 array
    """
    cdef int64_t i, start, end, block
    cdef const char* data = <const char*>&text[0] if text.shape[0] else NULL
    cdef list texts = []
    for i in range(blocks.shape[0]):
        block = blocks[i]
        if not 0 <= block < bounds.shape[0] - 1:
            raise ValueError(f"blocks: expected places from 0 to {bounds.shape[0] - 2}, got {block}")
        start = bounds[block]
        end = bounds[block + 1]
        if not 0 <= start <= end <= text.shape[0]:
            raise ValueError(f"bounds: expected ascending places within {text.shape[0]} bytes, got {start} and {end}")
        texts.append(PyUnicode_DecodeUTF8(data + start, end - start, "replace"))
    return texts


# -------------------------------------------------------------------------------------------------------- what is said to machines
# Where a page says something of itself; what it says is read in `pages.declared`.


def encode_page(page not None):
    """A page as bytes, lone surrogates as three of them, which is "surrogatepass" and faster."""
    # A str of a subclass (numpy's, lxml's) may mean something else by its text.
    cdef str exact = str.__str__(page) if isinstance(page, str) and type(page) is not str else page
    cdef StrView text = view_str(exact)
    cdef Bytes room
    cdef int64_t size = 0
    cdef const uint8_t* data
    memset(&room, 0, sizeof(Bytes))
    try:
        with nogil:
            data = encode_utf8(&text, True, &room, &size)
        return <bytes>(<const char*>data)[:size]
    finally:
        free(room.data)


cdef int64_t find_next_tag(const uint8_t* p, int64_t i, int64_t n, uint8_t letter) noexcept nogil:
    """Where, from `i` on, the next < stands before this letter in any case; n - 1 or more if nowhere.

    Of stretches without one the compiler looks at many bytes at once.
    """
    cdef int64_t k
    cdef uint8_t seen
    while i + 1 < n:
        if n - i > 64:
            seen = 0
            for k in range(64):
                seen |= (p[i + k] == 60) & ((p[i + k + 1] | 32) == letter)
            if not seen:
                i += 64
                continue
        for k in range(i, min(i + 64, n - 1)):
            if p[k] == 60 and (p[k + 1] | 32) == letter:
                return k
        i += 64
    return n


cdef bint has_any_name(const uint8_t* p, int64_t n, list names) except -1:
    """Whether one of these names, in lower case, stands in the text in any case."""
    cdef int64_t k, i, size
    cdef const uint8_t* name
    for word in names:
        name, size = <const uint8_t*><const char*>(<bytes>word), len(<bytes>word)
        for k in range(n - size + 1):
            i = 0
            while i < size and (p[k + i] | (32 if 65 <= p[k + i] <= 90 else 0)) == name[i]:
                i += 1
            if i == size:
                return True
    return False


def find_metas(const uint8_t[::1] page not None, list names not None):
    """What looks like a ``<meta>`` that ends before another tag begins and has one of some names in it, which are given in
    lower case and stand there in any: list of bytes, in the order of the page."""
    cdef int64_t n = page.shape[0], i, j
    cdef const uint8_t* p
    found = []
    if n == 0:
        return found
    p = &page[0]
    i = find_next_tag(p, 0, n, 109)
    while i + 5 < n:
        j = i + 5
        if same_letters(p + i + 1, b"meta", 4) and not is_alnum(p[j]):
            while j < n and p[j] != 60 and p[j] != 62:
                j += 1
            if j < n and p[j] == 62 and has_any_name(p + i, j - i, names):
                found.append(<bytes>(<const char*>p + i)[:j - i + 1])
        i = find_next_tag(p, i + 1, n, 109)
    return found


def find_styles(const uint8_t[::1] page not None, int64_t before):
    """The style sheets of a page that end before some byte of it: list of (start, end), in bytes, the tags aside."""
    cdef int64_t n = min(before, page.shape[0]), i, j
    cdef const uint8_t* p
    found = []
    if n <= 0:
        return found
    p = &page[0]
    i = find_next_tag(p, 0, n, 115)
    while i + 6 < n:
        if same_letters(p + i + 1, b"style", 5) and not is_alnum(p[i + 6]):
            while i < n and p[i] != 62:
                i += 1
            j = i + 1
            while j + 1 < n and not (p[j] == 60 and p[j + 1] == 47):
                j += 1
            if j + 1 >= n:
                break
            found.append((i + 1, j))
            i = j
        i = find_next_tag(p, i + 1, n, 115)
    return found


cdef enum:
    MAX_PHRASES = 255

# Letters, the rarest of English and of mark-up first; all others are taken for more frequent.
cdef bytes RARE_FIRST = b"@+ZXQJKVYWHGFUBMDPLNRSIOTEACzjqxkvbpygfwmucldrhsnioate"


cdef class PhraseFinder:
    """Finds up to 255 phrases of two bytes or more, all of them in one pass, as they stand.

    Of the pairs of bytes in a text every fourth is looked at, or every second, or each, as the shortest phrase allows: of
    four pairs in a row that a phrase has, one is among them.  Those that are rarest by `RARE_FIRST` are taken.
    """
    cdef tuple _phrases
    cdef int _step
    cdef uint8_t[65536] _first          # pair of bytes -> the first of the entries that it stands for, and one; 0 for none
    cdef uint8_t[MAX_PHRASES] _following    # of each entry
    cdef uint8_t[MAX_PHRASES] _phrase
    cdef int64_t[MAX_PHRASES] _anchor   # bytes of the phrase before the pair
    cdef (const char*)[MAX_PHRASES] _bytes  # of each phrase
    cdef int64_t[MAX_PHRASES] _size

    def __cinit__(self, tuple phrases not None):
        cdef int index, entry = 0
        cdef int64_t place, pair, at
        if len(phrases) > MAX_PHRASES or any(len(phrase) < 2 for phrase in phrases):
            raise ValueError("phrases: expected up to 255, each of two bytes or more")
        self._phrases = phrases
        memset(self._first, 0, sizeof(self._first))
        shortest = min(map(len, phrases), default=2)
        self._step = next(step for step in (4, 2, 1) if step < shortest and step * len(phrases) <= MAX_PHRASES)
        ranks = {letter: rank for rank, letter in enumerate(RARE_FIRST, 1)}
        for index, phrase in enumerate(self._phrases):
            self._bytes[index] = <const char*><bytes>phrase
            self._size[index] = len(phrase)
            rank = [ranks.get(phrase[at], 60) * ranks.get(phrase[at + 1], 60) for at in range(len(phrase) - 1)]
            place = min(range(len(rank) - self._step + 1), key=lambda at: sum(rank[at : at + self._step]))
            for at in range(place, place + self._step):
                pair = phrase[at] | phrase[at + 1] << 8
                self._phrase[entry] = index
                self._anchor[entry] = at
                self._following[entry] = self._first[pair]
                entry += 1
                self._first[pair] = entry

    def find(self, const uint8_t[::1] text not None):
        """Where each phrase stands: a list of ascending lists of int, in bytes; places of one phrase may overlap."""
        cdef int64_t n = text.shape[0], i = 0, start
        cdef int one
        found = [[] for _ in self._phrases]
        while i < n - 1:
            one = self._first[text[i] | <uint16_t>text[i + 1] << 8]
            while one:
                one -= 1
                start = i - self._anchor[one]
                if self._stands_at(&text[0], n, start, self._phrase[one]):
                    found[self._phrase[one]].append(start)
                one = self._following[one]
            i += self._step
        for places in found:
            places.sort()   # of two that overlap the second may have been seen first
        return found

    def stand_in(self, const uint8_t[::1] text not None):
        """Whether each phrase stands somewhere: a list of bool."""
        cdef int64_t n = text.shape[0], i = 0
        cdef int one, phrase
        cdef uint8_t[MAX_PHRASES] found
        memset(found, 0, sizeof(found))
        while i < n - 1:
            one = self._first[text[i] | <uint16_t>text[i + 1] << 8]
            while one:
                one -= 1
                phrase = self._phrase[one]
                if not found[phrase] and self._stands_at(&text[0], n, i - self._anchor[one], phrase):
                    found[phrase] = 1
                one = self._following[one]
            i += self._step
        return [found[phrase] == 1 for phrase in range(len(self._phrases))]

    cdef bint _stands_at(self, const uint8_t* p, int64_t n, int64_t start, int phrase) noexcept:
        return 0 <= start <= n - self._size[phrase] and memcmp(p + start, self._bytes[phrase], self._size[phrase]) == 0


# ----------------------------------------------------------------------------------------------------------------------- words
# Words of blocks: words of the title, and the counts over the words and marks of a block.
#
# In come bytes of text whose white space is folded, out go the columns of `COUNTS`.


cdef enum:
    LONGEST = 24    # bytes of a word that is looked up
    W_MONTH = 1
    W_WEEKDAY = 2
    W_CONTROL = 3
    W_BY = 4
    W_RIGHTS = 5
    W_TALK = 6
    W_ANSWER = 7    # of talk, and a control


cdef inline int classify_character(const uint8_t* p, int64_t left, int* width) noexcept nogil:
    """0 no part of a word, 1 part of one, 2 a word of its own (scripts without spaces); `width` in bytes."""
    cdef uint8_t c = p[0]
    width[0] = 1
    if c < 0x80:
        return is_alnum(c)
    if c < 0xE0:
        width[0] = 2 if left > 1 else 1
        if c == 0xC2:
            return left > 1 and (p[1] == 0xAA or p[1] == 0xB5 or p[1] == 0xBA)
        return 0 if c == 0xD8 and left > 1 and (p[1] == 0x8C or p[1] == 0x9B or p[1] == 0x9F) else 1
    if c < 0xF0:
        width[0] = 3 if left > 2 else 1
        if left < 3:
            return 0
        if c == 0xE2 or (c == 0xE3 and p[1] == 0x80):           # punctuation, symbols; Japanese marks
            return 0
        if c == 0xEF and (p[1] >= 0xBC or p[1] == 0xBB):         # full width forms: letters and digits count
            return 1 if (p[1] == 0xBC and p[2] >= 0x90 and p[2] != 0x9A) else 0
        if (c == 0xE3 and p[1] >= 0x81) or 0xE4 <= c <= 0xE9 or (0xEA <= c <= 0xED and p[1] >= 0x80):
            return 2
        return 1
    width[0] = 4 if left > 3 else 1
    return 2 if c == 0xF0 and left > 3 and p[1] >= 0xA0 else 0


cdef uint8_t FOLDED[256]        # bytes, capitals of ASCII as small letters
cdef uint64_t TALLY[256]        # what a byte counts for: capitals in the lower half, digits in the upper


cdef void fill_folded():
    cdef int i
    for i in range(256):
        FOLDED[i] = i | 32 if is_upper(i) else i
        TALLY[i] = is_upper(i) | <uint64_t>is_digit(i) << 32


fill_folded()


cdef struct Word:
    uint64_t hash           # without regard to the case of ASCII
    uint64_t tally


cdef inline void begin_word(Word* word) noexcept nogil:
    word.hash = 0xCBF29CE484222325
    word.tally = 0


cdef inline void add_byte(Word* word, uint8_t byte) noexcept nogil:
    word.hash = (word.hash ^ FOLDED[byte]) * <uint64_t>0x100000001B3
    word.tally += TALLY[byte]


cdef uint64_t hash_folded(const uint8_t* p, int64_t n) noexcept nogil:
    """Hash of a word without regard to the case of ASCII."""
    cdef Word word
    cdef int64_t i
    begin_word(&word)
    for i in range(n):
        add_byte(&word, p[i])
    return word.hash


COUNTS = (
    "words", "linked", "strong", "capital", "upper", "numbers", "short", "letters", "title", "title_words", "month",
    "weekday", "control", "by", "rights", "year", "clock", "sentences", "commas", "colons", "quotes", "bars", "parens",
    "end", "lower", "own", "tags", "images", "break", "broken", "talk",
)
"""Columns of `counts`: words and how many of them are linked, emphasised ...; marks; kind of the last mark; tags and
images since the block before; whether a br stands before and after; words of who says something to others."""


cdef int hash_title_words(const uint8_t* p, int64_t n, uint64_t* title, int room) noexcept nogil:
    """The distinct words of a title, up to `room`; words of two bytes and less say nothing.  Returns how many."""
    cdef int64_t i = 0, j
    cdef int width = 0
    cdef uint64_t h
    cdef int k, count = 0
    while i < n and count < room:
        j = i
        while j < n and classify_character(p + j, n - j, &width) == 1:
            j += width
        if j > i + 2:
            h = hash_folded(p + i, min(j, n) - i)
            for k in range(count):
                if title[k] == h:
                    break
            else:
                title[count] = h
                count += 1
        i = j + 1 if j == i else j
    return count


cdef inline bint is_capital(const uint8_t* p, int64_t n) noexcept nogil:
    return (is_upper(p[0]) or (n > 1 and p[0] == 0xC3 and 0x80 <= p[1] <= 0x9E)
            or (n > 1 and p[0] == 0xD0 and 0x90 <= p[1] <= 0xAF))


cdef struct Words:
    # Words in lower case and the group of each; a bit for the hash of each, as most words of a page are not among them and
    # a table of this size stays in the nearest cache.
    Table table
    uint8_t* groups
    uint64_t known[1024]


cdef void count_word(const uint64_t* title, int titles, uint64_t title_bits, const Words* words, const uint8_t* p, int64_t n,
                     const Word* word, int32_t* c, uint64_t* seen) noexcept nogil:
    """Add a word of n bytes to the counts of its block.

    The lowest six bits of the hash of each word of the title say which of the `title_bits` is set.
    """
    cdef uint8_t low[LONGEST]
    cdef int64_t i, found, upper = <uint32_t>word.tally, digit = word.tally >> 32
    cdef int k
    cdef uint64_t h = word.hash
    if digit * 2 > n:
        c[C_NUMBERS] += 1
        if n == 4 and digit == 4 and (p[0] == 49 or p[0] == 50) and (p[1] == 57 or p[1] == 48):
            c[C_YEAR] += 1
        return
    if upper == n and n > 1:
        c[C_UPPER] += 1
    if is_capital(p, n):
        c[C_CAPITAL] += 1
    elif n <= 3:
        c[C_SHORT] += 1
    if n > 2 and title_bits >> (h & 63) & 1:
        for k in range(titles):
            if title[k] == h:
                c[C_TITLE] += 1
                seen[0] |= <uint64_t>1 << k
                break
    if n <= LONGEST and words.known[h >> 6 & 1023] >> (h & 63) & 1:
        for i in range(n):
            low[i] = FOLDED[p[i]]
        found = table_find(&words.table, low, n, tm_hash(low, n))
        if found >= 0:
            if words.groups[found] == W_MONTH:
                c[C_MONTH] += 1
            elif words.groups[found] == W_WEEKDAY:
                c[C_WEEKDAY] += 1
            elif words.groups[found] == W_CONTROL:
                c[C_CONTROL] += 1
            elif words.groups[found] == W_ANSWER:
                c[C_CONTROL] += 1
                c[C_TALK] += 1
            elif words.groups[found] == W_TALK:
                c[C_TALK] += 1
            elif words.groups[found] == W_BY:
                c[C_BY] += c[C_WORDS] < 2
            elif words.groups[found] == W_RIGHTS:
                c[C_RIGHTS] += 1


cdef void count_other_character(const uint8_t* p, int64_t i, int64_t n, int32_t* c, int64_t* signs) noexcept nogil:
    """Add a character that is no part of a word to the counts of its block, and to those of signs of currencies and
    question marks."""
    cdef uint8_t k = p[i]
    if k == 32:
        return
    if (k == 36 or (k == 0xC2 and i + 1 < n and p[i + 1] == 0xA3)
            or (k == 0xE2 and i + 2 < n and p[i + 1] == 0x82 and p[i + 2] == 0xAC)):
        signs[0] += 1
    elif k == 63:
        signs[1] += 1
    if k == 46 or k == 33 or k == 63:
        if i + 1 >= n or p[i + 1] == 32 or p[i + 1] == 34 or p[i + 1] == 39 or p[i + 1] == 41 or p[i + 1] == 0xE2:
            c[C_SENTENCES] += 1
            c[C_END] = 1
            return
        c[C_END] = 4
    elif k == 44:
        c[C_COMMAS] += 1
        c[C_END] = 4
    elif k == 58:
        c[C_COLONS] += 1
        c[C_END] = 2
        if i and i + 2 < n and is_digit(p[i - 1]) and is_digit(p[i + 1]) and is_digit(p[i + 2]):
            c[C_CLOCK] += 1
    elif k == 34 or k == 39:
        c[C_QUOTES] += 1
        # A quote after the end of a sentence leaves it one.
        c[C_END] = 1 if c[C_END] == 1 else 3
    elif k == 40 or k == 41 or k == 91 or k == 93:
        c[C_PARENS] += 1
        c[C_END] = 1 if c[C_END] == 1 else 4
    elif k == 124 or k == 62 or k == 60 or (k == 47 and i + 1 < n and p[i + 1] == 32):
        c[C_BARS] += 1
        c[C_END] = 5
    elif k == 0xC2 and i + 1 < n:
        if p[i + 1] == 0xA9:
            c[C_RIGHTS] += 1
        elif p[i + 1] == 0xBB or p[i + 1] == 0xAB or p[i + 1] == 0xB7:
            c[C_BARS] += 1
        c[C_END] = 5
    elif k == 0xE2 and i + 2 < n:
        if p[i + 1] == 0x80 and 0x98 <= p[i + 2] <= 0x9F:
            c[C_QUOTES] += 1
            c[C_END] = 1 if c[C_END] == 1 else 3
        elif p[i + 1] == 0x80 and p[i + 2] == 0xA6:
            c[C_END] = 1
        elif p[i + 1] == 0x80 and (p[i + 2] == 0xA2 or p[i + 2] == 0xBA or p[i + 2] == 0xB9):
            c[C_BARS] += 1
            c[C_END] = 5
        else:
            c[C_END] = 4
    elif k == 0xE3 and i + 2 < n and p[i + 1] == 0x80:
        if p[i + 2] == 0x82:
            c[C_SENTENCES] += 1
            c[C_END] = 1
        elif p[i + 2] == 0x81:
            c[C_COMMAS] += 1
    elif k == 0xEF and i + 2 < n and p[i + 1] == 0xBC and (p[i + 2] == 0x81 or p[i + 2] == 0x9F):
        c[C_SENTENCES] += 1
        c[C_END] = 1
    elif k == 0xD8 and i + 1 < n:
        if p[i + 1] == 0x9F:
            c[C_SENTENCES] += 1
            c[C_END] = 1
        else:
            c[C_COMMAS] += 1
    else:
        c[C_END] = 4


# ------------------------------------------------------------------------------------------------------------- state of a page
# The state of a pass over a page: made, given paths, turned into columns, and freed.


cdef enum:
    DEPTH = 256     # elements open at once; browsers stop at 512
    MAX_LOOK_UP = 64    # how far up the end tag of an inline element looks for its beginning
    TITLE = 64      # words of the title that are known again
    SAID = 256      # values of attributes that are kept


cdef struct Element:
    int32_t parent
    int32_t node
    uint16_t tag
    uint8_t closed          # an inline element that ended inside a block it was still open in
    uint8_t hidden
    uint8_t mute            # its text is not shown: 1 by its tag, 2 as it is hidden within a line
    uint8_t formula         # holds what a program made of a formula
    uint8_t link            # is a link itself
    uint32_t words          # groups of key words in its class, id, role


cdef struct Run:
    int64_t at              # offset in the text
    uint8_t flags           # 1 linked, 2 emphasised


cdef struct Said:
    # The value of an attribute, and the groups of key words in it.
    const uint8_t* value
    int64_t size
    uint32_t groups


MARKS = ("open", "close", "void", "other")
"""Kinds of marks: an element begins, ends, a tag without content; end tags, comments, scripts and the like, which have a
place in the page and none in the text."""


cdef struct Mark:
    int64_t at              # offset in the text
    int64_t start           # where its tag stands in the page, (0, 0) for an end that is implied
    int64_t end
    int32_t element         # for a void tag the one it stands in
    uint16_t tag
    uint8_t kind


cdef struct Page:
    const uint8_t* p
    int64_t n
    int64_t quotes[2]       # from here on no double (single) quote is left
    uint8_t unended[256]    # tags whose end tag does not come any more
    bint unescaped          # a script did not end as it should: their ends are just looked for
    # open elements
    int32_t stack[DEPTH]
    int depth
    int64_t over            # elements open beyond DEPTH
    int link
    int strong
    int mute
    int pre
    int formula
    int64_t formula_start   # size of the text where the outermost one began
    bint formula_said       # it has just ended, and had a text
    uint8_t edge            # since the last character an inline element ended: 1, 2 for a link
    uint8_t part            # two words that meet here are two: 1 if the case says so, 2 in any case
    bint plain              # there is no tag: blank lines part paragraphs
    int32_t open[256]       # open elements of each tag
    # the page's elements and paths
    Element* elements
    int64_t element_count
    int64_t element_room
    Node* nodes
    int64_t node_count
    int64_t node_room
    int32_t* slots          # nodes by hash
    uint64_t mask
    uint8_t* signs
    int64_t sign_size
    int64_t sign_room
    # the text
    uint8_t* text
    int64_t size
    bint blank              # white space is due before the next character
    Run* runs
    int64_t run_count
    int64_t run_room
    # the block that is open
    int64_t text_start
    int64_t page_start
    int64_t page_end
    int low                 # depth of the element that holds all of the block's text
    int dip                 # least depth since the last of it
    int32_t holder          # that element
    int64_t tags
    int64_t images
    bint after_break
    # blocks
    int64_t* starts
    int64_t* ends
    int64_t* bounds
    int32_t* element_of
    int32_t* counts
    uint64_t* hashes
    int64_t count
    int64_t room
    # stretches of the page that are not shown
    int64_t* holes
    int64_t hole_count
    int64_t hole_room
    int64_t mute_start
    Said said[SAID]         # by hash
    int64_t currencies      # signs of dollar, euro and pound in the blocks
    int64_t questions
    # words of the title
    uint64_t title[TITLE]
    int title_count
    int64_t title_start
    int64_t title_end       # 0: no title yet
    # the tags, if they are asked for
    bint marked
    Mark* marks
    int64_t mark_count
    int64_t mark_room


cdef void page_free(Page* s) noexcept nogil:
    free(s.elements)
    free(s.nodes)
    free(s.slots)
    free(s.signs)
    free(s.text)
    free(s.runs)
    free(s.starts)
    free(s.ends)
    free(s.bounds)
    free(s.element_of)
    free(s.counts)
    free(s.hashes)
    free(s.holes)
    free(s.marks)


cdef int page_init(Page* s, const uint8_t* p, int64_t n) except -1 nogil:
    s.p = p
    s.n = n
    s.quotes[0] = s.quotes[1] = n + 1
    # An entity never gets longer than its name by more than a byte; a blank may stand before each of them.
    s.text = <uint8_t*>malloc(2 * n + 64)
    s.slots = <int32_t*>malloc(1024 * sizeof(int32_t))
    if s.text == NULL or s.slots == NULL:
        raise MemoryError
    memset(s.slots, 0xFF, 1024 * sizeof(int32_t))
    s.mask = 1023
    s.text_start = -1
    s.mute_start = -1
    reserve(<void**>&s.nodes, &s.node_room, 1, sizeof(Node))
    memset(s.nodes, 0, sizeof(Node))
    s.nodes[0].parent = -1
    s.node_count = 1
    reserve(<void**>&s.elements, &s.element_room, 1, sizeof(Element))
    memset(s.elements, 0, sizeof(Element))
    s.elements[0].parent = -1
    s.element_count = 1
    s.stack[0] = 0
    s.depth = 1
    return 0


cdef int add_mark(Page* s, int kind, uint16_t tag, int32_t element, int64_t start, int64_t end) except -1 nogil:
    """Note a tag that is shown, or what a reader of the source leaves out."""
    cdef Mark* m
    if s.mute and kind != M_OTHER:
        return 0
    reserve(<void**>&s.marks, &s.mark_room, s.mark_count + 1, sizeof(Mark))
    m = &s.marks[s.mark_count]
    m.at, m.start, m.end, m.element, m.tag, m.kind = s.size, start, end, element, tag, kind
    s.mark_count += 1
    return 0


cdef object copy_mark_columns(const Page* s):
    cdef int64_t i, n = s.mark_count
    at, starts, ends = (np.empty(n, np.int64) for _ in range(3))
    elements, tags, kinds = np.empty(n, np.int32), np.empty(n, np.uint16), np.empty(n, np.uint8)
    cdef int64_t[::1] at_view = at, starts_view = starts, ends_view = ends
    cdef int32_t[::1] elements_view = elements
    cdef uint16_t[::1] tags_view = tags
    cdef uint8_t[::1] kinds_view = kinds
    with nogil:
        for i in range(n):
            at_view[i] = s.marks[i].at
            starts_view[i] = s.marks[i].start
            ends_view[i] = s.marks[i].end
            elements_view[i] = s.marks[i].element
            tags_view[i] = s.marks[i].tag
            kinds_view[i] = s.marks[i].kind
    return {"at": at, "starts": starts, "ends": ends, "elements": elements, "tags": tags, "kinds": kinds}


cdef int32_t find_or_add_node(Page* s, int32_t parent, uint16_t tag, const uint8_t* sign, int64_t n) except -1 nogil:
    """The path that leads from `parent` over `sign`, made if it is not there yet."""
    cdef Node made
    cdef uint64_t place, wider
    cdef int32_t i
    cdef int32_t* slots
    hash_node(&made, &s.nodes[parent], sign, n)
    place = made.full & s.mask
    while s.slots[place] >= 0:
        if s.nodes[s.slots[place]].full == made.full:
            return s.slots[place]
        place = (place + 1) & s.mask
    reserve(<void**>&s.nodes, &s.node_room, s.node_count + 1, sizeof(Node))
    reserve(<void**>&s.signs, &s.sign_room, s.sign_size + n, 1)
    memcpy(s.signs + s.sign_size, sign, n)
    s.sign_size += n
    made.parent = parent
    made.tag = tag
    made.sign = s.sign_size
    s.nodes[s.node_count] = made
    s.slots[place] = <int32_t>s.node_count
    s.node_count += 1
    if <uint64_t>s.node_count * 2 > s.mask:
        wider = s.mask * 2 + 1
        slots = <int32_t*>malloc((wider + 1) * sizeof(int32_t))
        if slots == NULL:
            raise MemoryError
        memset(slots, 0xFF, (wider + 1) * sizeof(int32_t))
        for i in range(1, <int32_t>s.node_count):
            place = s.nodes[i].full & wider
            while slots[place] >= 0:
                place = (place + 1) & wider
            slots[place] = i
        free(s.slots)
        s.slots = slots
        s.mask = wider
    return <int32_t>s.node_count - 1


cdef list DTYPES = [np.dtype(name) for name in ("uint8", "uint16", "int32", "uint32", "int64", "uint64")]

cdef enum:
    D_UINT8, D_UINT16, D_INT32, D_UINT32, D_INT64, D_UINT64


cdef void* add_column(dict columns, str name, int64_t count, int dtype) except NULL:
    """Add a column of so many rows, and return where it begins."""
    cdef Py_buffer view
    columns[name] = column = np.empty(count, DTYPES[dtype])
    PyObject_GetBuffer(column, &view, PyBUF_WRITABLE)
    PyBuffer_Release(&view)     # the array stays where it is, in the columns
    return view.buf


cdef int copy_column(dict columns, str name, const void* data, int64_t count, int dtype) except -1:
    cdef void* room = add_column(columns, name, count, dtype)
    if count:
        memcpy(room, data, columns[name].nbytes)
    return 0


cdef dict copy_columns(Page* s):
    """The state of a pass as arrays."""
    cdef int64_t n = s.count, m = s.element_count, k = s.node_count, i, all_words = 0
    cdef int32_t node, parent, grand
    cdef uint32_t all_groups = 0
    cdef int64_t[256] tag_counts
    cdef dict columns = {}
    copy_column(columns, "text", s.text, s.size if n else 0, D_UINT8)
    copy_column(columns, "starts", s.starts, n, D_INT64)
    copy_column(columns, "ends", s.ends, n, D_INT64)
    copy_column(columns, "counts", s.counts, n * C_SIZE, D_INT32)
    copy_column(columns, "element", s.element_of, n, D_INT32)
    copy_column(columns, "hashes", s.hashes, n, D_UINT64)
    copy_column(columns, "signs", s.signs, s.sign_size, D_UINT8)
    copy_column(columns, "holes", s.holes, s.hole_count, D_INT64)
    cdef int64_t* bounds = <int64_t*>add_column(columns, "bounds", n + 1, D_INT64)
    cdef int64_t* sign_bounds = <int64_t*>add_column(columns, "sign_bounds", k + 1, D_INT64)
    cdef uint64_t* keys = <uint64_t*>add_column(columns, "keys", n * K_SIZE, D_UINT64)
    cdef int32_t* nodes = <int32_t*>add_column(columns, "node", n, D_INT32)
    cdef int32_t* parents = <int32_t*>add_column(columns, "parents", m, D_INT32)
    cdef uint16_t* tags = <uint16_t*>add_column(columns, "tags", m, D_UINT16)
    cdef uint32_t* groups = <uint32_t*>add_column(columns, "groups", m, D_UINT32)
    cdef uint8_t* hidden = <uint8_t*>add_column(columns, "hidden", m, D_UINT8)
    cdef int32_t* element_nodes = <int32_t*>add_column(columns, "element_nodes", m, D_INT32)
    cdef int32_t* node_parents = <int32_t*>add_column(columns, "node_parents", k, D_INT32)
    with nogil:
        bounds[0] = sign_bounds[0] = 0
        memset(tag_counts, 0, sizeof(tag_counts))
        for i in range(n):
            bounds[i + 1] = s.bounds[i]
            all_words += s.counts[i * C_SIZE + C_WORDS]
            node = s.elements[s.element_of[i]].node
            parent = max(s.nodes[node].parent, 0)
            grand = max(s.nodes[parent].parent, 0)
            nodes[i] = node
            keys[K_FULL] = s.nodes[node].full
            keys[K_PARENT] = hash_pair(s.nodes[parent].full, 1)
            keys[K_GRAND] = hash_pair(s.nodes[grand].full, 2)
            keys[K_CLASS] = s.nodes[node].plain
            keys[K_TAGS] = s.nodes[node].tags
            keys[K_NEAR] = s.nodes[node].near
            keys += K_SIZE
        for i in range(m):
            parents[i] = s.elements[i].parent
            tags[i] = s.elements[i].tag
            tag_counts[tags[i] & 0xFF] += 1
            groups[i] = s.elements[i].words
            all_groups |= groups[i]
            hidden[i] = s.elements[i].hidden
            element_nodes[i] = s.elements[i].node
        for i in range(k):
            node_parents[i] = s.nodes[i].parent
            sign_bounds[i + 1] = s.nodes[i].sign
    for name, width in (("keys", K_SIZE), ("counts", C_SIZE), ("holes", 2)):
        columns[name] = columns[name].reshape(-1, width)
    columns["title"] = s.title_count
    columns["title_span"] = (s.title_start, s.title_end)
    columns["plain"] = bool(s.plain)
    columns["currencies"] = s.currencies
    columns["questions"] = s.questions
    columns["all_words"] = all_words
    columns["all_groups"] = all_groups
    columns["tag_counts"] = [tag_counts[i] for i in range(<int64_t>len(TAGS))]
    return columns


# ---------------------------------------------------------------------------------------------------------------------- blocks
# Pages into blocks: one tolerant pass over the bytes of a page with a light stack of open elements.
#
# In come a page as UTF-8 bytes and the tables of `pages.scanner`; out go the blocks of its text, as columns: where each
# stands in the page, its text with entities resolved and white space folded, counts over its words, its element and the
# path that leads there.  A block ends where an element that stands on lines of its own begins or ends, and at each br.
# No tree is built and nothing is repaired beyond implied end tags, so any bytes will do.  Time is linear in the page and
# memory a few times the page: no more than `DEPTH` elements are open at once, deeper ones count as text of the last.


cdef enum:
    MOST = 1 << 20  # blocks of a page; what is made of each takes a kilobyte and more in some systems


# ======================================================================================================================
# Blocks
# ======================================================================================================================

cdef int reserve_block(Page* s) except -1 nogil:
    cdef int64_t room = s.room
    if s.count >= MOST:
        with gil:
            raise OverflowError(f"a page of more than {<int64_t>MOST:,} blocks of text")
    if s.count + 1 < s.room:
        return 0
    reserve(<void**>&s.starts, &room, s.count + 2, sizeof(int64_t))
    room = s.room
    reserve(<void**>&s.ends, &room, s.count + 2, sizeof(int64_t))
    room = s.room
    reserve(<void**>&s.bounds, &room, s.count + 2, sizeof(int64_t))
    room = s.room
    reserve(<void**>&s.element_of, &room, s.count + 2, sizeof(int32_t))
    room = s.room
    reserve(<void**>&s.counts, &room, s.count + 2, C_SIZE * sizeof(int32_t))
    room = s.room
    reserve(<void**>&s.hashes, &room, s.count + 2, sizeof(uint64_t))
    s.room = room
    return 0


cdef int end_block(Page* s, const Words* words, bint by_break) except -1 nogil:
    """Count what is in the open block and begin a new one; a block without a word is none."""
    cdef int32_t* c
    cdef uint64_t seen = 0, h = 0, title_bits = 0
    cdef int64_t i, j, end, run = 0, n = s.size
    cdef int64_t[2] signs
    cdef int width = 0, kind, k
    cdef Word word
    s.edge = s.part = 0
    if s.text_start < 0:
        s.after_break = by_break
        return 0
    reserve_block(s)
    c = s.counts + s.count * C_SIZE
    memset(c, 0, C_SIZE * sizeof(int32_t))
    signs[0] = signs[1] = 0
    for k in range(s.title_count):
        title_bits |= <uint64_t>1 << (s.title[k] & 63)
    i = s.text_start
    if s.marked:    # nothing but the places of tags is asked for
        while i < n and classify_character(s.text + i, n - i, &width) == 0:
            i += width
        c[C_WORDS] = i < n
        i = n
    while i < n:
        if s.text[i] == 32:
            i += 1
            continue
        kind = classify_character(s.text + i, n - i, &width)
        if kind == 0:
            count_other_character(s.text, i, n, c, signs)
            i += width
            continue
        while run + 1 < s.run_count and s.runs[run + 1].at <= i:
            run += 1
        j = i + width
        if kind == 1:
            begin_word(&word)
            end = j
            j = i
            while True:
                while j < end or (j < n and ALNUM[s.text[j]]):
                    add_byte(&word, s.text[j])
                    j += 1
                if j >= n or s.text[j] < 0x80 or classify_character(s.text + j, n - j, &width) != 1:
                    break
                end = j + width
            if c[C_WORDS] == 0:
                c[C_LOWER] = is_lower(s.text[i])
            count_word(s.title, s.title_count, title_bits, words, s.text + i, j - i, &word, c, &seen)
            # Numbers are equal in what is looked for on other pages.
            h = hash_pair(h, 1 if is_digit(s.text[i]) else word.hash)
        else:
            c[C_OWN] += 1
            h = hash_pair(h, hash_folded(s.text + i, j - i))
        c[C_WORDS] += 1
        c[C_LETTERS] += <int32_t>(j - i)
        c[C_LINKED] += s.runs[run].flags & 1
        c[C_STRONG] += s.runs[run].flags >> 1
        c[C_END] = 0
        i = j
    s.run_count = 0
    if c[C_WORDS] == 0:
        s.size = s.text_start
        k = 0
        while k < s.mark_count and s.marks[s.mark_count - 1 - k].at > s.size:
            s.marks[s.mark_count - 1 - k].at = s.size
            k += 1
        s.text_start = -1
        s.blank = False
        s.after_break = by_break
        return 0
    for k in range(s.title_count):
        c[C_TITLE_WORDS] += (seen >> k) & 1
    s.currencies += signs[0]
    s.questions += signs[1]
    c[C_TAGS] = <int32_t>s.tags
    c[C_IMAGES] = <int32_t>s.images
    c[C_BREAK] = s.after_break
    c[C_BROKEN] = by_break
    s.starts[s.count] = s.page_start
    s.ends[s.count] = s.page_end
    s.bounds[s.count] = s.size
    s.element_of[s.count] = s.holder
    s.hashes[s.count] = h
    s.count += 1
    s.text_start = -1
    s.blank = False
    s.after_break = by_break
    s.tags = s.images = 0
    return 0


cdef bint parts_words(const Page* s, const uint8_t* following, int64_t n) noexcept nogil:
    """Whether the last word of the text, and one that follows where elements meet, are two.

    Boxes and links side by side are; of other elements where a capital follows a small letter, a digit, a bracket or the
    end of a sentence: "KevinMarrow", and not "Kevin" after an initial, "m3", or "foo" of which a part is set off.
    """
    cdef int64_t i = s.size - 1, least = max(s.text_start, s.size - 2)
    cdef const uint8_t* last
    cdef bint letter, closing
    while i > least and (s.text[i] & 0xC0) == 0x80:
        i -= 1
    last = s.text + i
    letter = is_alnum(last[0]) or 0xC3 <= last[0] < 0xE0
    closing = (last[0] == 33 or last[0] == 41 or last[0] == 46 or last[0] == 58 or last[0] == 59 or last[0] == 63
               or last[0] == 93)
    if s.part == 2:
        return (letter or closing or last[0] == 44) and (is_alnum(following[0]) or 0xC3 <= following[0] < 0xE0)
    return is_capital(following, n) and (closing or (letter and not is_capital(last, s.size - i)))


cdef inline int begin_text(Page* s, int64_t at, const uint8_t* following, int64_t n) except -1 nogil:
    """A character of text comes, the first of n bytes: open a block if none is, and say how it is linked and emphasised."""
    cdef uint8_t flags
    if s.text_start < 0:
        s.text_start = s.size
        s.page_start = at
        s.low = s.dip = s.depth
        s.holder = s.stack[s.depth - 1]
        s.run_count = 0
        s.blank = False
    elif s.blank or (s.part and parts_words(s, following, n)):
        s.text[s.size] = 32
        s.size += 1
    s.blank = s.formula_said = False
    s.edge = s.part = 0
    if s.dip < s.low:
        s.low = s.dip
        s.holder = s.stack[s.low - 1]
    s.dip = s.depth
    flags = <uint8_t>((s.link > 0) | ((s.strong > 0) << 1))
    if s.run_count == 0 or s.runs[s.run_count - 1].flags != flags:
        reserve(<void**>&s.runs, &s.run_room, s.run_count + 1, sizeof(Run))
        s.runs[s.run_count].at = s.size
        s.runs[s.run_count].flags = flags
        s.run_count += 1
    return 0


# ======================================================================================================================
# Open elements
# ======================================================================================================================

cdef class BlockScanner:
    """Cuts pages into blocks.

    Parameters
    ----------
    entities : list of tuple (bytes, bytes)
        Name without the ampersand, with the semicolon where it must have one, and what it stands for.
    keywords : list of tuple (bytes, int)
        Piece of a class, id or role in lower case, and the group (0 to 31) it stands for.
    words : list of tuple (bytes, int)
        Word in lower case and its group: 1 months, 2 weekdays, 3 controls, 4 bylines, 5 rights, 6 talk,
        7 talk and controls.
    """

    cdef Table tags
    cdef uint16_t* tag_flags
    cdef Table entities
    cdef list _meanings         # keeps what `meaning` points to
    cdef const uint8_t** meaning
    cdef int64_t* meaning_size
    cdef Table keywords
    cdef uint8_t* keyword_group
    cdef int32_t* first         # by the first two letters: keywords that begin with them, -1 ends
    cdef int32_t* following
    cdef Words words

    def __cinit__(self, list entities, list keywords, list words):
        cdef int64_t i, place
        cdef uint64_t h
        cdef bytes name, meaning
        for table in (entities, keywords, words):
            if not all(isinstance(row, tuple) and len(row) == 2 for row in table):
                raise ValueError("expected tables of pairs")
        table_init(&self.tags)
        table_init(&self.entities)
        table_init(&self.keywords)
        table_init(&self.words.table)
        memset(self.words.known, 0, sizeof(self.words.known))
        self.tag_flags = <uint16_t*>malloc(len(TAGS) * sizeof(uint16_t))
        self.meaning = <const uint8_t**>malloc((len(entities) + 1) * sizeof(void*))
        self.meaning_size = <int64_t*>malloc((len(entities) + 1) * sizeof(int64_t))
        self.keyword_group = <uint8_t*>malloc(len(keywords) + 1)
        self.following = <int32_t*>malloc((len(keywords) + 1) * sizeof(int32_t))
        self.first = <int32_t*>malloc(1024 * sizeof(int32_t))
        self.words.groups = <uint8_t*>malloc(len(words) + 1)
        if (self.tag_flags == NULL or self.meaning == NULL or self.meaning_size == NULL or self.keyword_group == NULL
                or self.following == NULL or self.first == NULL or self.words.groups == NULL):
            raise MemoryError
        for i, (tag, flags) in enumerate(TAGS):
            name = tag.encode()
            table_add(&self.tags, <const uint8_t*>name, len(name))
            self.tag_flags[i] = flags
        self._meanings = []
        for i, (name, meaning) in enumerate(entities):
            if table_add(&self.entities, <const uint8_t*>name, len(name)) != i:
                raise ValueError(f"the entity {name!r} stands there twice")
            if len(meaning) > 2 * len(name) + 1:
                raise ValueError(f"the entity {name!r} stands for more than twice its length")
            self._meanings.append(meaning)
            self.meaning[i] = <const uint8_t*>meaning
            self.meaning_size[i] = len(meaning)
        memset(self.first, 0xFF, 1024 * sizeof(int32_t))
        for i, (name, group) in enumerate(keywords):
            if table_add(&self.keywords, <const uint8_t*>name, len(name)) != i:
                raise ValueError(f"the keyword {name!r} stands there twice")
            if len(name) < 2 or not (name.isalpha() and name.islower() and name.isascii()) or not 0 <= group < 32:
                raise ValueError(
                    f"expected a keyword of at least two lower-case letters and a group below 32, got {name!r}: {group}")
            place = (<const uint8_t*>name)[0] % 32 * 32 + (<const uint8_t*>name)[1] % 32
            self.keyword_group[i] = group
            self.following[i] = self.first[place]
            self.first[place] = <int32_t>i
        for i, (name, group) in enumerate(words):
            if table_add(&self.words.table, <const uint8_t*>name, len(name)) != i:
                raise ValueError(f"the word {name!r} stands there twice")
            self.words.groups[i] = group
            h = hash_folded(<const uint8_t*>name, len(name))
            self.words.known[h >> 6 & 1023] |= <uint64_t>1 << (h & 63)

    def __dealloc__(self):
        table_free(&self.tags)
        table_free(&self.entities)
        table_free(&self.keywords)
        table_free(&self.words.table)
        free(self.tag_flags)
        free(self.meaning)
        free(self.meaning_size)
        free(self.keyword_group)
        free(self.following)
        free(self.first)
        free(self.words.groups)

    cdef uint32_t _find_groups(self, Page* s, const uint8_t* p, int64_t n) noexcept nogil:
        """Groups of the key words in an attribute; most say what one shortly before has said."""
        if n == 0:
            return 0
        cdef Said* said = &s.said[tm_hash(p, n) % SAID]
        if said.size != n or memcmp(said.value, p, n) != 0:
            said.value = p
            said.size = n
            said.groups = self._look_up_groups(p, n)
        return said.groups

    cdef uint32_t _look_up_groups(self, const uint8_t* p, int64_t n) noexcept nogil:
        cdef uint32_t found = 0
        cdef int32_t k
        cdef int64_t i, j, size
        cdef const uint8_t* word
        for i in range(n - 1):
            if not is_alpha(p[i]) or not is_alpha(p[i + 1]):
                continue
            k = self.first[p[i] % 32 * 32 + p[i + 1] % 32]
            while k >= 0:
                word = self.keywords.arena + self.keywords.offset[k]
                size = self.keywords.offset[k + 1] - self.keywords.offset[k]
                # Short ones count only as whole words: "ad", "nav".
                if i + size <= n and (size > 3
                                      or ((i == 0 or not is_alpha(p[i - 1])) and (i + size == n or not is_lower(p[i + size])))):
                    j = 0
                    while j < size and (p[i + j] | 32) == word[j]:
                        j += 1
                    if j == size:
                        found |= <uint32_t>1 << self.keyword_group[k]
                k = self.following[k]
        return found

    cdef int _close_innermost(self, Page* s) except -1 nogil:
        """Close the innermost element."""
        cdef Element* e = &s.elements[s.stack[s.depth - 1]]
        cdef uint16_t flags = self.tag_flags[e.tag]
        if flags & BLOCK and not s.mute:
            end_block(s, &self.words, False)
        if s.marked and not e.closed and not e.mute:
            add_mark(s, M_CLOSE, e.tag, s.stack[s.depth - 1], 0, 0)
        s.depth -= 1
        s.open[e.tag] -= 1
        s.dip = min(s.dip, s.depth)
        if not e.closed:
            self._leave_format(s, e, flags)
        if e.mute:
            s.mute -= 1
            if flags & BLOCK:
                s.part = 2
        if not s.mute and not flags & BLOCK:
            s.part = 2 if flags & APART else s.part
            if flags & RAISED:
                s.edge = 0
            elif s.edge < 1 + e.link:
                s.edge = 1 + e.link
        if e.tag == T_PRE:
            s.pre -= 1
        if e.formula:
            s.formula -= 1
            s.formula_said = s.formula == 0 and s.size > s.formula_start
        return 0

    cdef void _leave_format(self, Page* s, Element* e, uint16_t flags) noexcept nogil:
        s.link -= e.link
        if flags & (STRONG | HEADING):
            s.strong -= 1

    cdef int _close_down_to(self, Page* s, int depth) except -1 nogil:
        while s.depth > depth:
            self._close_innermost(s)
        return 0

    cdef int _find_open(self, const Page* s, uint16_t tag, uint16_t walls, int limit) noexcept nogil:
        """Place of the innermost open element of a tag on the stack, not beyond a wall; 0 if there is none."""
        cdef int i = s.depth - 1
        cdef const Element* e
        if tag != T_UNKNOWN and s.open[tag] == 0:
            return 0
        while i > 0 and s.depth - i <= limit:
            e = &s.elements[s.stack[i]]
            if e.tag == tag and not e.closed:
                return i
            if self.tag_flags[e.tag] & walls or e.mute == 2:
                return 0
            i -= 1
        return 0

    cdef int _close_implied(self, Page* s, uint16_t tag, uint16_t flags) except -1 nogil:
        """End what a start tag ends."""
        cdef int i = 0
        cdef uint16_t other
        if tag == T_LI:
            i = self._find_open_item(s, T_LI, T_LI, T_UL, T_OL)
        elif tag == T_DT or tag == T_DD:
            i = self._find_open_item(s, T_DT, T_DD, T_DL, T_DL)
        elif tag == T_TD or tag == T_TH:
            i = self._find_open_item(s, T_TD, T_TH, T_TABLE, T_TABLE)
        elif tag == T_TR:
            i = self._find_open_item(s, T_TR, T_TR, T_TABLE, T_TABLE)
        elif T_TBODY <= tag <= T_TFOOT:
            i = self._find_open_item(s, T_TBODY, T_THEAD, T_TABLE, T_TABLE)
        elif tag == T_BODY:
            i = self._find_open(s, T_HEAD, 0, DEPTH)
        elif flags & HEADING:
            other = s.elements[s.stack[s.depth - 1]].tag
            if self.tag_flags[other] & HEADING:
                i = s.depth - 1
        elif tag == T_A:
            i = self._find_open(s, T_A, BLOCK | WALL, MAX_LOOK_UP)
        elif flags & RUBY and self.tag_flags[s.elements[s.stack[s.depth - 1]].tag] & RUBY:
            i = s.depth - 1
        if i:
            self._close_down_to(s, i)
        if flags & BLOCK and tag != T_BR:
            if s.mute:
                i = s.depth - 1
                while i > 0 and not s.elements[s.stack[i]].mute:
                    i -= 1
                if self.tag_flags[s.elements[s.stack[i]].tag] & BREAKOUT:
                    self._end_hole(s, -1)
                    self._close_down_to(s, i)
            # A p ends where a block begins.
            i = self._find_open(s, T_P, WALL, DEPTH)
            if i:
                self._close_down_to(s, i)
        return 0

    cdef int _find_open_item(self, const Page* s, uint16_t a, uint16_t b, uint16_t wall, uint16_t wall2) noexcept nogil:
        """Place of the innermost open a or b that is not outside of a list (table); 0 if there is none."""
        cdef int i = s.depth - 1
        cdef uint16_t tag
        if s.open[a] == 0 and s.open[b] == 0:
            return 0
        while i > 0:
            tag = s.elements[s.stack[i]].tag
            if tag == a or tag == b:
                return i
            if tag == wall or tag == wall2 or s.elements[s.stack[i]].mute == 2:
                return 0
            # Items of a list do not end with a cell that they stand around.
            if (tag == T_TD or tag == T_TH or tag == T_TABLE) and a != T_TR and a != T_TBODY:
                return 0
            i -= 1
        return 0

    cdef int _end_hole(self, Page* s, int64_t end) except -1 nogil:
        """What was not shown ends at `end` (-1: at the tag that is being read); kept if it stands inside a block."""
        cdef int64_t start = s.mute_start
        if start < 0 or s.text_start < 0:
            s.mute_start = -1
            return 0
        if end < 0:
            s.mute_start = -1
            return 0
        reserve(<void**>&s.holes, &s.hole_room, s.hole_count + 2, sizeof(int64_t))
        s.holes[s.hole_count] = start
        s.holes[s.hole_count + 1] = end
        s.hole_count += 2
        s.mute_start = -1
        return 0

    cdef int64_t _find_quote_end(self, Page* s, int64_t i, uint8_t quote) noexcept nogil:
        """Where the quote that opens before i closes, or -1."""
        cdef const void* hit
        cdef int which = quote == 39
        if i >= s.quotes[which]:
            return -1
        hit = memchr(s.p + i, quote, s.n - i)
        if hit == NULL:
            s.quotes[which] = i
            return -1
        return <const uint8_t*>hit - s.p

    cdef int64_t _read_tag(self, Page* s, int64_t i) except -1 nogil:
        """Read the mark-up at the '<' at i; returns where it ends, or i if it is text."""
        cdef const uint8_t* p = s.p
        cdef int64_t n = s.n, j, k, value, value_end, after, size = 0, signs = 0
        cdef const void* hit
        cdef uint8_t name[16]
        cdef uint8_t sign[SIGN + 8]
        cdef int64_t class_at = -1, class_size = 0, id_at = -1, id_size = 0
        cdef uint32_t groups = 0
        cdef bint end
        cdef uint8_t says = 0
        cdef int64_t found
        cdef uint16_t tag
        if i + 1 >= n:
            return i
        if p[i + 1] == 33 or p[i + 1] == 63:
            return self._skip_declaration(s, i)
        end = p[i + 1] == 47
        j = i + 1 + end
        if j >= n or not is_alpha(p[j]):
            if end:
                hit = memchr(p + i, 62, n - i)
                return n if hit == NULL else <const uint8_t*>hit - p + 1
            return i
        k = j
        while k < n and p[k] > 32 and p[k] != 62 and p[k] != 47:
            if size < 16:
                name[size] = p[k] | 32 if is_upper(p[k]) else p[k]
                size += 1
            k += 1
        found = table_find(&self.tags, name, size, tm_hash(name, size))
        tag = T_UNKNOWN if found < 0 else <uint16_t>found
        # Attributes
        while True:
            while k < n and (p[k] <= 32 or p[k] == 47):
                k += 1
            if k >= n or p[k] == 62:
                break
            j = k
            k += 1
            while k < n and p[k] > 32 and p[k] != 61 and p[k] != 62 and p[k] != 47:
                k += 1
            after = k
            while after < n and p[after] <= 32:
                after += 1
            if after >= n or p[after] != 61:
                if not end:
                    says |= self._read_attribute(s, tag, p + j, k - j, NULL, 0)
                continue
            size = k - j
            value = after + 1
            while value < n and p[value] <= 32:
                value += 1
            if value < n and (p[value] == 34 or p[value] == 39):
                value_end = self._find_quote_end(s, value + 1, p[value])
                if value_end < 0:
                    # Never closed: the tag ends at its next '>'.
                    hit = memchr(p + value, 62, n - value)
                    k = n if hit == NULL else <const uint8_t*>hit - p
                    value_end = k
                else:
                    k = value_end + 1
                value += 1
            else:
                k = value
                while k < n and p[k] > 32 and p[k] != 62:
                    k += 1
                value_end = k
            if end:
                continue
            if size == 5 and same_letters(p + j, b"class", 5):
                class_at, class_size = value, max(value_end - value, 0)
                groups |= self._find_groups(s, p + value, class_size)
                says |= read_class(tag, p + value, class_size)
                if (s.pre or tag == T_TD) and says_numbers_of_lines(p + value, class_size):
                    says |= HIDDEN
            elif size == 2 and same_letters(p + j, b"id", 2):
                id_at, id_size = value, max(value_end - value, 0)
                groups |= self._find_groups(s, p + value, id_size)
            elif (size == 4 and same_letters(p + j, b"role", 4)) or (size == 8 and same_letters(p + j, b"itemprop", 8)):
                groups |= self._find_groups(s, p + value, max(value_end - value, 0))
                says |= self._read_attribute(s, tag, p + j, size, p + value, max(value_end - value, 0))
            else:
                says |= self._read_attribute(s, tag, p + j, size, p + value, max(value_end - value, 0))
        k = min(k + 1, n)
        if end:
            self._read_end_tag(s, tag, i, k)
            return k
        # The sign of the element in a path
        size = 0
        j = i + 1
        while j < n and p[j] > 32 and p[j] != 62 and p[j] != 47 and size < 32:
            sign[size] = p[j] | 32 if is_upper(p[j]) else (95 if p[j] == 46 or p[j] == 35 else p[j])
            size += 1
            j += 1
        signs = size
        if class_at >= 0:
            signs = append_sign(p + class_at, class_size, sign, signs, 46)
        if id_at >= 0:
            signs = append_sign(p + id_at, id_size, sign, signs, 35)
        return self._read_start_tag(s, tag, i, k, sign, signs, groups, says)

    cdef uint8_t _read_attribute(self, Page* s, uint16_t tag, const uint8_t* name, int64_t size, const uint8_t* value,
                                 int64_t n) noexcept nogil:
        """What an attribute says of its element, apart from class and id; without a value it is NULL."""
        if size == 4:
            if same_letters(name, b"href", 4):
                return 0 if value == NULL else LINKS | (ASIDE if leads_back(value, n) else 0)
            if same_letters(name, b"role", 4):
                if n == 7 and same_letters(value, b"tooltip", 7):
                    return HIDDEN
                if n == 12 and same_letters(value, b"doc", 3) and same_letters(value + 4, b"backlink", 8):
                    return ASIDE
            return OPENED if same_letters(name, b"open", 4) else 0
        if size == 5 and same_letters(name, b"style", 5):
            if is_hiding(value, n) or (s.pre and (has_letters(value, n, b"select:none", 11) or has_letters(value, n, b"select: none", 12))):
                return HIDDEN
        elif size == 6 and same_letters(name, b"hidden", 6):
            # Like a closed details, it is shown to whoever looks for it.
            return 0 if n == 11 and same_letters(value, b"until", 5) else HIDDEN
        elif size == 7 and same_letters(name, b"popover", 7):
            return HIDDEN
        elif size == 11 and s.formula and same_letters(name, b"aria", 4) and same_letters(name + 5, b"hidden", 6):
            return HIDDEN if n == 4 and same_letters(value, b"true", 4) else 0
        elif size == 21 and same_letters(name, b"subscriptions", 13):     # AMP's
            return HIDDEN if n == 19 and same_letters(value, b"content-not-granted", 19) else 0
        elif tag == T_TEMPLATE and size >= 10 and same_letters(name, b"shadowroot", 10):
            return SHADOW if size == 10 or (size == 14 and same_letters(name + 10, b"mode", 4)) else 0
        return 0

    cdef int64_t _read_formula(self, Page* s, int64_t i, int64_t after) except -1 nogil:
        """Read the formula whose start tag is [i, after) by its source, if it has one; returns where it ends, or i.

        MathML that was made of TeX says it again, as an annotation.
        """
        cdef int64_t n = min(s.n, after + FORMULA_BYTES), j = after, start = -1, end = -1
        cdef const void* hit
        while j + 12 < n:
            hit = memchr(s.p + j, 60, n - 12 - j)
            if hit == NULL:
                break
            j = <const uint8_t*>hit - s.p
            if start < 0 and same_letters(s.p + j + 1, b"annotation", 10) and s.p[j + 11] <= 32:
                hit = memchr(s.p + j, 62, n - j)
                if hit != NULL and has_letters(s.p + j, <const uint8_t*>hit - s.p - j, b"tex", 3):
                    start = <const uint8_t*>hit - s.p + 1
                    hit = memchr(s.p + start, 60, n - start)
                    end = n if hit == NULL else <const uint8_t*>hit - s.p
            elif s.p[j + 1] == 47 and same_letters(s.p + j + 2, b"math", 4) and not is_alnum(s.p[j + 6]):
                hit = memchr(s.p + j, 62, n - j)
                if hit == NULL or start < 0:
                    return i
                self._skip_within(s, i, start)
                self._read_text(s, start, end)
                self._skip_within(s, end, <const uint8_t*>hit - s.p + 1)
                return <const uint8_t*>hit - s.p + 1
            j += 1
        s.unended[T_MATH] = 1
        return i

    cdef int _skip_within(self, Page* s, int64_t start, int64_t end) except -1 nogil:
        """A stretch of the page is not shown."""
        if s.marked:
            add_mark(s, M_OTHER, T_UNKNOWN, -1, start, end)
        s.mute_start = start
        self._end_hole(s, end)
        return 0

    cdef int64_t _skip_declaration(self, Page* s, int64_t i) noexcept nogil:
        """End of the comment, declaration or instruction at i."""
        cdef const uint8_t* p = s.p
        cdef int64_t j = i + 4
        cdef const void* hit
        if i + 3 < s.n and p[i + 1] == 33 and p[i + 2] == 45 and p[i + 3] == 45:
            while j < s.n:
                hit = memchr(p + j, 62, s.n - j)
                if hit == NULL:
                    return s.n
                j = <const uint8_t*>hit - p + 1
                if (p[j - 2] == 45 and p[j - 3] == 45) or (p[j - 2] == 33 and p[j - 3] == 45 and p[j - 4] == 45):
                    return j
            return s.n
        hit = memchr(p + i, 62, s.n - i)
        return s.n if hit == NULL else <const uint8_t*>hit - p + 1

    cdef int64_t _find_raw_end(self, const Page* s, int64_t i, uint16_t tag) noexcept nogil:
        """Where the end tag of a raw element begins, or n."""
        cdef const uint8_t* name = self.tags.arena + self.tags.offset[tag]
        cdef int64_t size = self.tags.offset[tag + 1] - self.tags.offset[tag], j
        cdef const void* hit
        while i < s.n:
            hit = memchr(s.p + i, 60, s.n - i)
            if hit == NULL:
                return s.n
            i = <const uint8_t*>hit - s.p
            if i + 2 + size <= s.n and s.p[i + 1] == 47:
                j = 0
                while j < size and (s.p[i + 2 + j] | 32) == name[j]:
                    j += 1
                if j == size and (i + 2 + size == s.n or not is_alnum(s.p[i + 2 + size])):
                    return i
            i += 1
        return s.n

    cdef int64_t _read_start_tag(self, Page* s, uint16_t tag, int64_t i, int64_t after, const uint8_t* sign, int64_t signs,
                                 uint32_t groups, uint8_t says) except -1 nogil:
        """Open an element whose start tag is [i, after); returns where to read on."""
        cdef uint16_t flags = self.tag_flags[tag]
        cdef Element* e
        cdef int32_t parent
        cdef int64_t stop
        cdef uint8_t mute
        cdef const void* hit
        s.tags += 1
        if flags & RAW:
            stop = s.n
            if tag == T_SCRIPT and not s.unescaped:
                stop = script_end(s.p, after, s.n)
                s.unescaped = stop == s.n   # then as it stands, and none is looked at in vain again
            if stop == s.n and not s.unended[tag]:
                stop = self._find_raw_end(s, after, tag)
            if stop == s.n:
                s.unended[tag] = 1
                if tag == T_TITLE and s.title_end == 0 and not s.mute:
                    hit = memchr(s.p + after, 60, s.n - after)
                    s.title_start, s.title_end = after, s.n if hit == NULL else <const uint8_t*>hit - s.p
                # A script that never ends hides the rest; a title or frame that never ends was no more than its tag.
                stop = s.n if tag == T_SCRIPT or tag == T_STYLE else after
                if s.marked:
                    add_mark(s, M_OTHER, tag, -1, i, stop)
                return stop
            if (tag == T_SCRIPT and not s.mute and not s.formula_said and after - i > 20
                    and has_letters(s.p + i, min(after - i, 200), b"math/tex", 8)):
                # A formula that a program has yet to draw
                self._skip_within(s, i, after)
                self._read_text(s, after, stop)
                return stop
            if s.marked:
                add_mark(s, M_OTHER, tag, -1, i, stop)
            if tag == T_TITLE and s.title_end == 0 and not s.mute:
                s.title_start, s.title_end = after, stop
            if tag == T_TITLE and s.title_count == 0 and not s.mute:
                s.title_count = hash_title_words(s.p + after, stop - after, s.title, TITLE)
            elif s.text_start >= 0 and not s.mute and stop > after:
                s.mute_start = i
                self._end_hole(s, stop)
                s.blank = s.blank or not (tag == T_SCRIPT or tag == T_STYLE or tag == T_TITLE)
            return stop
        if tag == T_IMG:
            s.images += 1
        if tag == T_MATH and not s.mute and not s.unended[T_MATH]:
            stop = self._read_formula(s, i, after)
            if stop > i:
                return stop
        mute = self._is_mute(s, tag, flags, i, after, says)
        if mute != 2:
            self._close_implied(s, tag, flags)
            if flags & BLOCK and not s.mute:
                end_block(s, &self.words, tag == T_BR)
            elif s.text_start >= 0 and not s.mute and not s.pre and not s.open[T_CODE] and not flags & RAISED:
                if flags & APART or (s.edge == 2 and tag == T_A and says & LINKS):
                    s.part = 2
                elif s.edge and not s.part:
                    s.part = 1
        if flags & VOID:
            if s.marked:
                add_mark(s, M_VOID, tag, s.stack[s.depth - 1], i, after)
            return after
        if s.depth >= DEPTH:
            s.over += 1
            if s.marked:
                add_mark(s, M_OTHER, tag, -1, i, after)
            return after
        parent = s.stack[s.depth - 1]
        reserve(<void**>&s.elements, &s.element_room, s.element_count + 1, sizeof(Element))
        e = &s.elements[s.element_count]
        memset(e, 0, sizeof(Element))
        e.parent = parent
        e.tag = tag
        e.words = groups
        e.hidden = says & HIDDEN != 0 or tag == T_NOSCRIPT or (tag == T_DIALOG and says & OPENED == 0)
        e.mute = mute
        e.formula = says & FORMULA != 0
        e.link = tag == T_A and says & LINKS != 0
        e.node = s.elements[parent].node
        if not flags & FORMAT:
            e.node = find_or_add_node(s, e.node, tag, sign, signs)
        if s.marked:
            add_mark(s, M_OTHER if mute else M_OPEN, tag, <int32_t>s.element_count, i, after)
        s.stack[s.depth] = <int32_t>s.element_count
        s.element_count += 1
        s.depth += 1
        s.open[tag] += 1
        s.link += e.link
        if flags & (STRONG | HEADING):
            s.strong += 1
        if e.formula:
            s.formula_start = s.formula_start if s.formula else s.size
            s.formula += 1
        if mute:
            if s.mute == 0:
                s.mute_start = i
                # A picture or a control parts words; a template is not there, nor is what tells how a word is read.
                s.blank = s.blank or (flags & BREAKOUT and not flags & RUBY)
            s.mute += 1
        if tag == T_PRE:
            s.pre += 1
        return after

    cdef uint8_t _is_mute(self, const Page* s, uint16_t tag, uint16_t flags, int64_t i, int64_t after, uint8_t says) noexcept nogil:
        """Whether the text of an element is not there: 1 by its tag, 2 as it is hidden within a line and ends soon.

        What is hidden has no box, so that it parts no line.  Other hidden elements are blocks, and their readers decide: a
        page may hide all of its story, which a script shows then.
        """
        cdef uint16_t parent
        if flags & MUTE:
            return 0 if says & SHADOW else 1
        if flags & VOID or s.depth >= DEPTH or s.mute:
            return 0
        if says & ASIDE and tag == T_A and after < s.n and not is_alnum(s.p[after]) and s.p[after] != 91:
            return 2 * ends_within(s.p, i, after, min(s.n, after + HIDDEN_BYTES))
        if not says & HIDDEN and tag != T_NOSCRIPT and (tag != T_DIALOG or says & OPENED):
            return 0
        if flags & BLOCK and (tag == T_P or tag == T_LI or T_DT <= tag <= T_DD or T_TD <= tag <= T_TFOOT or tag == T_CAPTION
                              or tag <= T_BODY):
            return 0
        parent = s.elements[s.stack[s.depth - 1]].tag
        if s.text_start < 0 and (flags & BLOCK or not (s.pre or parent == T_P or parent == T_LI
                                                       or self.tag_flags[parent] & HEADING)):
            return 0
        # A formula that is shown as a picture beside it
        if after + 5 < s.n and s.p[after] == 60 and same_letters(s.p + after + 1, b"math", 4):
            return 0
        return 2 * ends_within(s.p, i, after, min(s.n, after + (FORMULA_BYTES if s.formula else HIDDEN_BYTES)))

    cdef int _read_end_tag(self, Page* s, uint16_t tag, int64_t i, int64_t after) except -1 nogil:
        """Close what an end tag [i, after) closes."""
        cdef uint16_t flags = self.tag_flags[tag]
        cdef int place, k
        cdef Element* e
        s.tags += 1
        if flags & (VOID | RAW):
            if flags & BLOCK and not s.mute:
                end_block(s, &self.words, tag == T_BR)
            return 0
        if s.over:
            s.over -= 1
            if flags & BLOCK and not s.mute:
                end_block(s, &self.words, False)
            return 0
        if flags & HEADING:
            # Any of them ends any other.
            place = s.depth - 1
            while place > 0 and not self.tag_flags[s.elements[s.stack[place]].tag] & (HEADING | WALL):
                place -= 1
            if place and not self.tag_flags[s.elements[s.stack[place]].tag] & HEADING:
                place = 0
        elif flags & BLOCK:
            place = self._find_open(s, tag, 0 if T_TD <= tag <= T_CAPTION else WALL, DEPTH)
            if place == 0 and not s.mute:
                end_block(s, &self.words, False)
        else:
            place = self._find_open(s, tag, WALL, MAX_LOOK_UP)
        if place == 0:
            return 0
        if not flags & BLOCK:
            for k in range(place + 1, s.depth):
                if self.tag_flags[s.elements[s.stack[k]].tag] & BLOCK:
                    # Misnested: it ends here, the blocks in it stay open.
                    e = &s.elements[s.stack[place]]
                    e.closed = True
                    if s.marked:
                        add_mark(s, M_CLOSE, e.tag, s.stack[place], 0, 0)
                    self._leave_format(s, e, flags)
                    return 0
        if s.elements[s.stack[place]].mute and s.mute == 1:
            self._end_hole(s, after)
        self._close_down_to(s, place)
        return 0

    # ==================================================================================================================
    # Text
    # ==================================================================================================================

    cdef int64_t _read_reference(self, Page* s, int64_t i, int64_t end) except -1 nogil:
        """Resolve the reference at the '&' at i; returns where it ends, or i if it is none."""
        cdef const uint8_t* p = s.p
        cdef int64_t j = i + 1, k, found
        cdef uint32_t c = 0
        cdef int base
        if j >= end:
            return i
        if p[j] == 35:
            j += 1
            base = 16 if j < end and (p[j] | 32) == 120 else 10
            j += base == 16
            k = j
            while j < end and j - k < 12 and (is_digit(p[j]) or (base == 16 and 97 <= (p[j] | 32) <= 102)):
                if c < 0x200000:
                    c = c * base + (p[j] - 48 if is_digit(p[j]) else (p[j] | 32) - 87)
                j += 1
            if j == k:
                return i
            self._append_character(s, c, i)
            return j + (j < end and p[j] == 59)
        while j < end and j - i <= 32 and is_alnum(p[j]):
            j += 1
        if j < end and p[j] == 59:
            found = table_find(&self.entities, p + i + 1, j - i, tm_hash(p + i + 1, j - i))
            if found >= 0:
                self._append_bytes(s, self.meaning[found], self.meaning_size[found], i)
                return j + 1
        # Names that need no semicolon: the longest that the text begins with.
        k = min(j, i + 7)
        while k > i + 2:
            found = table_find(&self.entities, p + i + 1, k - i - 1, tm_hash(p + i + 1, k - i - 1))
            if found >= 0:
                self._append_bytes(s, self.meaning[found], self.meaning_size[found], i)
                return k
            k -= 1
        return i

    cdef int _append_bytes(self, Page* s, const uint8_t* p, int64_t n, int64_t at) except -1 nogil:
        if (n == 2 and p[0] == 0xC2 and p[1] == 0xA0) or (n == 1 and p[0] <= 32) or (n == 3 and is_wide_blank(p)):
            s.blank = True
            return 0
        if is_invisible(p, n):
            return 0
        begin_text(s, at, p, n)
        memcpy(s.text + s.size, p, n)
        s.size += n
        return 0

    cdef int _append_character(self, Page* s, uint32_t c, int64_t at) except -1 nogil:
        """A character by its number."""
        cdef uint8_t b[4]
        return self._append_bytes(s, b, write_char(replace_number(c), b), at)

    cdef int _read_text(self, Page* s, int64_t i, int64_t end) except -1 nogil:
        """Text of [i, end), which holds no mark-up."""
        cdef const uint8_t* p = s.p
        cdef int64_t j
        cdef int stop
        cdef uint8_t c
        if s.mute:
            if s.marked:
                add_mark(s, M_OTHER, T_UNKNOWN, -1, i, end)
            return 0
        while i < end:
            c = p[i]
            if c <= 32:
                if c == 10 and (s.pre or (s.plain and is_blank_line(p, i + 1, end))):
                    end_block(s, &self.words, True)
                s.blank = True
                i += 1
                continue
            if c == 38:
                j = self._read_reference(s, i, end)
                if j > i:
                    i = j
                    s.page_end = i
                    continue
            elif c == 0xC2 and i + 1 < end and p[i + 1] == 0xA0:
                s.blank = True
                i += 2
                continue
            elif (c == 0xC2 or c == 0xEF) and is_invisible(p + i, end - i):
                i += 2 + (c == 0xEF)
                continue
            elif (c == 0xE2 or c == 0xE3) and i + 2 < end and is_wide_blank(p + i):
                s.blank = True
                i += 3
                continue
            begin_text(s, i, p + i, end - i)
            # Single blanks between words stand as they are: nothing that is open changes there.
            j = i + 1
            stop = 0
            while j < end and stop + STOPS[p[j]] < 2:
                stop = STOPS[p[j]]
                j += 1
            j -= stop
            memcpy(s.text + s.size, p + i, j - i)
            s.size += j - i
            i = j
            s.page_end = i
        return 0

    cdef int _scan(self, Page* s) except -1 nogil:
        cdef int64_t i = 0, after
        cdef const void* hit
        s.plain = has_no_tag(s.p, s.n)
        while i < s.n:
            if s.p[i] == 60:
                after = self._read_tag(s, i)
                if after > i:
                    # Start tags have said where they stand.
                    if s.marked and (i + 1 >= s.n or not is_alpha(s.p[i + 1])):
                        add_mark(s, M_OTHER, T_UNKNOWN, -1, i, after)
                    i = after
                    continue
                self._read_text(s, i, i + 1)
                i += 1
                continue
            hit = memchr(s.p + i, 60, s.n - i)
            after = s.n if hit == NULL else <const uint8_t*>hit - s.p
            self._read_text(s, i, after)
            i = after
        end_block(s, &self.words, False)
        return 0

    def scan_marks(self, const uint8_t[::1] page not None):
        """The tags of a page and their places in the text that `scan_blocks` gives; those within what is not shown are out.

        Returns
        -------
        dict of str to array of shape (marks,)
            In the order of the page.  kinds uint8: places in `MARKS`; tags uint16: in `TAGS`; at int64: bytes of the
            texts of all blocks before; starts, ends int64: bytes of the page, a raw element with its content, 0 for the
            end of an element; elements int32: as in `scan_blocks`, for "void" the one it stands in, for "other" -1 or one
            that is not shown.
        """
        cdef Page* s = <Page*>malloc(sizeof(Page))
        if s == NULL:
            raise MemoryError
        memset(s, 0, sizeof(Page))
        s.marked = True
        try:
            with nogil:
                page_init(s, &page[0] if page.shape[0] else NULL, page.shape[0])
                self._scan(s)
            return copy_mark_columns(s)
        finally:
            page_free(s)
            free(s)

    def scan_blocks(self, const uint8_t[::1] page not None):
        """The blocks of a page.

        Raises
        ------
        OverflowError
            More than 2,097,152 blocks.

        Returns
        -------
        dict of str to array
            text uint8: all texts, one after the other; bounds int64 (n + 1,); starts, ends int64 (n,): bytes of the
            page, end exclusive; counts int32 (n, len(COUNTS)); element int32 (n,); keys uint64 (n, len(KEYS)); hashes
            uint64 (n,): equal for equal words but for numbers and case; node int32 (n,).
            parents, tags, groups, hidden, element_nodes (int32, uint16, uint32, uint8, int32; elements,): of each
            element, 0 is the page; element_nodes is the path that leads to it.
            node_parents int32, signs uint8, sign_bounds int64: the paths, 0 the empty one.
            holes int64 (h, 2): stretches within blocks that are not shown.  title int: distinct words of the title;
            title_span (int, int): where it stands, (0, 0) if there is none.  plain bool: the page has no tag, and its
            blocks are what blank lines part.
            all_words, all_groups int: the sum of the words, and the groups of all elements, a bit each; tag_counts: list
            of the number of elements of each of `TAGS`.  currencies, questions int: signs of dollar, euro and pound, and
            question marks in all texts.
        """
        cdef Page* s = <Page*>malloc(sizeof(Page))
        if s == NULL:
            raise MemoryError
        memset(s, 0, sizeof(Page))
        try:
            with nogil:
                page_init(s, &page[0] if page.shape[0] else NULL, page.shape[0])
                self._scan(s)
            return copy_columns(s)
        finally:
            page_free(s)
            free(s)


cdef uint8_t STOPS[256]         # 2 for what may be no text, 1 for a blank: two of them are not
cdef uint8_t ALNUM[256]


cdef void fill_character_tables():
    cdef int i
    memset(STOPS, 0, 256)
    for i in range(256):
        ALNUM[i] = is_alnum(i)
    for i in (*range(32), 38, 0xC2, 0xE2, 0xE3, 0xEF):
        STOPS[i] = 2
    STOPS[32] = 1


fill_character_tables()


cdef inline bint is_invisible(const uint8_t* p, int64_t n) noexcept nogil:
    """Soft hyphens and byte order marks are not there, wherever they stand."""
    return (n >= 2 and p[0] == 0xC2 and p[1] == 0xAD) or (n >= 3 and p[0] == 0xEF and p[1] == 0xBB and p[2] == 0xBF)


cdef bint has_no_tag(const uint8_t* p, int64_t n) noexcept nogil:
    """Nothing in the page looks like a tag, a comment or a declaration."""
    cdef int64_t i = 0
    cdef const void* hit
    while i < n:
        hit = memchr(p + i, 60, n - i)
        if hit == NULL:
            return True
        i = <const uint8_t*>hit - p + 1
        if i < n and (is_alpha(p[i]) or p[i] == 47 or p[i] == 33 or p[i] == 63):
            return False
    return True


cdef inline bint is_blank_line(const uint8_t* p, int64_t i, int64_t end) noexcept nogil:
    """The line that begins at i is blank."""
    while i < end and (p[i] == 32 or p[i] == 9 or p[i] == 13):
        i += 1
    return i < end and p[i] == 10


cdef inline bint is_wide_blank(const uint8_t* p) noexcept nogil:
    """White space and marks of no width in three bytes."""
    if p[0] == 0xE2 and p[1] == 0x80:
        return 0x80 <= p[2] <= 0x8B or p[2] == 0xA8 or p[2] == 0xA9 or p[2] == 0xAF
    return p[0] == 0xE3 and p[1] == 0x80 and p[2] == 0x80
