"""Pages into blocks: one tolerant pass over the bytes of a page with a light stack of open elements.

In come a page as UTF-8 bytes and the tables of `pages.tables`; out go the blocks of its text, as columns: where each
stands in the page, its text with entities resolved and white space folded, counts over its words, its element and the
path that leads there.  A block ends where an element that stands on lines of its own begins or ends, and at each br.
No tree is built and nothing is repaired beyond implied end tags, so any bytes will do.  Time is linear in the page and
memory a few times the page: no more than `DEPTH` elements are open at once, deeper ones count as text of the last.
"""

from libc.stdint cimport int32_t, int64_t, uint8_t, uint16_t, uint32_t, uint64_t
from libc.stdlib cimport free, malloc
from libc.string cimport memchr, memcmp, memcpy, memset

from templatemine._markup cimport (
    BLOCK, BREAKOUT, FORMAT, HEADING, MUTE, RAW, STRONG, T_A, T_BODY, T_BR, T_CAPTION, T_DD, T_DL, T_DT, T_HEAD,
    T_IMG, T_LI, T_OL, T_P, T_PRE, T_SCRIPT, T_STYLE, T_TABLE, T_TBODY, T_TD, T_TFOOT, T_TH, T_THEAD, T_TITLE, T_TR,
    T_UL, T_UNKNOWN, VOID, WALL, encoded, hides,
)
from templatemine._paths cimport SIGN, joined, put_sign
from templatemine._state cimport DEPTH, Element, Page, Run, TITLE, columns, node_of, page_free, page_init
from templatemine._chars cimport is_alnum, is_alpha, is_digit, is_lower, is_upper, same_letters, tm_hash
from templatemine._memory cimport reserve
from templatemine._tables cimport Table, table_add, table_find, table_free, table_init
from templatemine._tags cimport script_end
from templatemine._words cimport (
    C_BREAK, C_BROKEN, C_END, C_IMAGES, C_LETTERS, C_LINKED, C_LOWER, C_OWN, C_SIZE, C_STRONG, C_TAGS, C_TITLE_WORDS,
    C_WORDS, count_mark, count_word, folded, title_words, word_char,
)

from templatemine._markup import FLAGS, TAGS
from templatemine._paths import KEYS, path_keys
from templatemine._words import COUNTS

__all__ = ["COUNTS", "FLAGS", "KEYS", "TAGS", "BlockScanner", "path_keys"]


cdef enum:
    LOOK = 64       # how far up the stack the end tag of an inline element is looked for
    MOST = 1 << 21  # blocks of a page; what is made of each takes a kilobyte and more in some systems


# ======================================================================================================================
# Blocks
# ======================================================================================================================

cdef int block_room(Page* s) except -1 nogil:
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


cdef int end_block(Page* s, const Table* words, const uint8_t* groups, bint by_break) except -1 nogil:
    """Count what is in the open block and begin a new one; a block without a word is none."""
    cdef int32_t* c
    cdef uint64_t seen = 0, h = 0
    cdef int64_t i, j, run = 0, n = s.size
    cdef int width = 0, kind, k
    if s.text_start < 0:
        s.after_break = by_break
        return 0
    block_room(s)
    c = s.counts + s.count * C_SIZE
    memset(c, 0, C_SIZE * sizeof(int32_t))
    i = s.text_start
    while i < n:
        kind = word_char(s.text + i, n - i, &width)
        if kind == 0:
            count_mark(s.text, i, n, c)
            i += width
            continue
        while run + 1 < s.run_count and s.runs[run + 1].at <= i:
            run += 1
        j = i + width
        if kind == 1:
            while j < n and word_char(s.text + j, n - j, &width) == 1:
                j += width
            if c[C_WORDS] == 0:
                c[C_LOWER] = is_lower(s.text[i])
            count_word(s.title, s.title_count, words, groups, s.text + i, j - i, c[C_WORDS], c, &seen)
            # Numbers are equal in what is looked for on other pages.
            h = joined(h, 1 if is_digit(s.text[i]) else folded(s.text + i, j - i))
        else:
            c[C_OWN] += 1
            h = joined(h, folded(s.text + i, j - i))
        c[C_WORDS] += 1
        c[C_LETTERS] += <int32_t>(j - i)
        c[C_LINKED] += s.runs[run].flags & 1
        c[C_STRONG] += s.runs[run].flags >> 1
        c[C_END] = 0
        i = j
    s.run_count = 0
    if c[C_WORDS] == 0:
        s.size = s.text_start
        s.text_start = -1
        s.blank = False
        s.after_break = by_break
        return 0
    for k in range(s.title_count):
        c[C_TITLE_WORDS] += (seen >> k) & 1
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


cdef inline int begin_text(Page* s, int64_t at) except -1 nogil:
    """A character of text comes: open a block if none is, and say how it is linked and emphasised."""
    cdef uint8_t flags
    if s.text_start < 0:
        s.text_start = s.size
        s.page_start = at
        s.low = s.dip = s.depth
        s.holder = s.stack[s.depth - 1]
        s.run_count = 0
        s.blank = False
    elif s.blank:
        s.text[s.size] = 32
        s.size += 1
    s.blank = False
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
    cdef Table words
    cdef uint8_t* word_group

    def __cinit__(self, list entities, list keywords, list words):
        cdef int64_t i, place
        cdef bytes name, meaning
        for table in (entities, keywords, words):
            if not all(isinstance(row, tuple) and len(row) == 2 for row in table):
                raise ValueError("expected tables of pairs")
        table_init(&self.tags)
        table_init(&self.entities)
        table_init(&self.keywords)
        table_init(&self.words)
        self.tag_flags = <uint16_t*>malloc(len(TAGS) * sizeof(uint16_t))
        self.meaning = <const uint8_t**>malloc((len(entities) + 1) * sizeof(void*))
        self.meaning_size = <int64_t*>malloc((len(entities) + 1) * sizeof(int64_t))
        self.keyword_group = <uint8_t*>malloc(len(keywords) + 1)
        self.following = <int32_t*>malloc((len(keywords) + 1) * sizeof(int32_t))
        self.first = <int32_t*>malloc(1024 * sizeof(int32_t))
        self.word_group = <uint8_t*>malloc(len(words) + 1)
        if (self.tag_flags == NULL or self.meaning == NULL or self.meaning_size == NULL or self.keyword_group == NULL
                or self.following == NULL or self.first == NULL or self.word_group == NULL):
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
                raise ValueError(f"expected a keyword of at least two lower-case letters and a group below 32, got {name!r}: {group}")
            place = (<const uint8_t*>name)[0] % 32 * 32 + (<const uint8_t*>name)[1] % 32
            self.keyword_group[i] = group
            self.following[i] = self.first[place]
            self.first[place] = <int32_t>i
        for i, (name, group) in enumerate(words):
            if table_add(&self.words, <const uint8_t*>name, len(name)) != i:
                raise ValueError(f"the word {name!r} stands there twice")
            self.word_group[i] = group

    def __dealloc__(self):
        table_free(&self.tags)
        table_free(&self.entities)
        table_free(&self.keywords)
        table_free(&self.words)
        free(self.tag_flags)
        free(self.meaning)
        free(self.meaning_size)
        free(self.keyword_group)
        free(self.following)
        free(self.first)
        free(self.word_group)

    cdef uint32_t _groups(self, const uint8_t* p, int64_t n) noexcept nogil:
        """Groups of the key words in an attribute."""
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
                if i + size <= n and (size > 3 or ((i == 0 or not is_alpha(p[i - 1])) and (i + size == n or not is_lower(p[i + size])))):
                    j = 0
                    while j < size and (p[i + j] | 32) == word[j]:
                        j += 1
                    if j == size:
                        found |= <uint32_t>1 << self.keyword_group[k]
                k = self.following[k]
        return found

    cdef int _pop(self, Page* s) except -1 nogil:
        """Close the innermost element."""
        cdef Element* e = &s.elements[s.stack[s.depth - 1]]
        cdef uint16_t flags = self.tag_flags[e.tag]
        if flags & BLOCK:
            end_block(s, &self.words, self.word_group, False)
        s.depth -= 1
        s.open[e.tag] -= 1
        s.dip = min(s.dip, s.depth)
        if not e.closed:
            self._unmark(s, e, flags)
        if flags & MUTE:
            s.mute -= 1
        if e.tag == T_PRE:
            s.pre -= 1
        return 0

    cdef void _unmark(self, Page* s, Element* e, uint16_t flags) noexcept nogil:
        s.link -= e.link
        if flags & (STRONG | HEADING):
            s.strong -= 1

    cdef int _pop_to(self, Page* s, int depth) except -1 nogil:
        while s.depth > depth:
            self._pop(s)
        return 0

    cdef int _find(self, const Page* s, uint16_t tag, uint16_t walls, int limit) noexcept nogil:
        """Place of the innermost open element of a tag on the stack, not beyond a wall; 0 if there is none."""
        cdef int i = s.depth - 1
        cdef const Element* e
        if tag != T_UNKNOWN and s.open[tag] == 0:
            return 0
        while i > 0 and s.depth - i <= limit:
            e = &s.elements[s.stack[i]]
            if e.tag == tag and not e.closed:
                return i
            if self.tag_flags[e.tag] & walls:
                return 0
            i -= 1
        return 0

    cdef int _close_implied(self, Page* s, uint16_t tag, uint16_t flags) except -1 nogil:
        """End what a start tag ends."""
        cdef int i = 0
        cdef uint16_t other
        if tag == T_LI:
            i = self._item(s, T_LI, T_LI, T_UL, T_OL)
        elif tag == T_DT or tag == T_DD:
            i = self._item(s, T_DT, T_DD, T_DL, T_DL)
        elif tag == T_TD or tag == T_TH:
            i = self._item(s, T_TD, T_TH, T_TABLE, T_TABLE)
        elif tag == T_TR:
            i = self._item(s, T_TR, T_TR, T_TABLE, T_TABLE)
        elif T_TBODY <= tag <= T_TFOOT:
            i = self._item(s, T_TBODY, T_THEAD, T_TABLE, T_TABLE)
        elif tag == T_BODY:
            i = self._find(s, T_HEAD, 0, DEPTH)
        elif flags & HEADING:
            other = s.elements[s.stack[s.depth - 1]].tag
            if self.tag_flags[other] & HEADING:
                i = s.depth - 1
        elif tag == T_A:
            i = self._find(s, T_A, BLOCK | WALL, LOOK)
        if i:
            self._pop_to(s, i)
        if flags & BLOCK and tag != T_BR:
            if s.mute:
                i = s.depth - 1
                while i > 0 and not self.tag_flags[s.elements[s.stack[i]].tag] & MUTE:
                    i -= 1
                if self.tag_flags[s.elements[s.stack[i]].tag] & BREAKOUT:
                    self._hole(s, -1)
                    self._pop_to(s, i)
            # A p ends where a block begins.
            i = self._find(s, T_P, WALL, DEPTH)
            if i:
                self._pop_to(s, i)
        return 0

    cdef int _item(self, const Page* s, uint16_t a, uint16_t b, uint16_t wall, uint16_t wall2) noexcept nogil:
        """Place of the innermost open a or b that is not outside of a list (table); 0 if there is none."""
        cdef int i = s.depth - 1
        cdef uint16_t tag
        if s.open[a] == 0 and s.open[b] == 0:
            return 0
        while i > 0:
            tag = s.elements[s.stack[i]].tag
            if tag == a or tag == b:
                return i
            if tag == wall or tag == wall2:
                return 0
            # Items of a list do not end with a cell that they stand around.
            if (tag == T_TD or tag == T_TH or tag == T_TABLE) and a != T_TR and a != T_TBODY:
                return 0
            i -= 1
        return 0

    cdef int _hole(self, Page* s, int64_t end) except -1 nogil:
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

    cdef int64_t _quote_end(self, Page* s, int64_t i, uint8_t quote) noexcept nogil:
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

    cdef int64_t _tag(self, Page* s, int64_t i) except -1 nogil:
        """Read the mark-up at the '<' at i; returns where it ends, or i if it is text."""
        cdef const uint8_t* p = s.p
        cdef int64_t n = s.n, j, k, value, value_end, after, size = 0, signs = 0
        cdef const void* hit
        cdef uint8_t name[16]
        cdef uint8_t sign[SIGN + 8]
        cdef int64_t class_at = -1, class_size = 0, id_at = -1, id_size = 0
        cdef uint32_t groups = 0
        cdef bint end, href = False, hidden = False
        cdef int64_t found
        cdef uint16_t tag
        if i + 1 >= n:
            return i
        if p[i + 1] == 33 or p[i + 1] == 63:
            return self._declaration(s, i)
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
                if k - j == 6 and (p[j] | 32) == 104 and memcmp(p + j + 1, b"idden", 5) == 0:
                    hidden = True
                continue
            size = k - j
            value = after + 1
            while value < n and p[value] <= 32:
                value += 1
            if value < n and (p[value] == 34 or p[value] == 39):
                value_end = self._quote_end(s, value + 1, p[value])
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
                groups |= self._groups(p + value, class_size)
            elif size == 2 and same_letters(p + j, b"id", 2):
                id_at, id_size = value, max(value_end - value, 0)
                groups |= self._groups(p + value, id_size)
            elif size == 4 and same_letters(p + j, b"href", 4):
                href = True
            elif (size == 4 and same_letters(p + j, b"role", 4)) or (size == 8 and same_letters(p + j, b"itemprop", 8)):
                groups |= self._groups(p + value, max(value_end - value, 0))
            elif size == 5 and same_letters(p + j, b"style", 5):
                hidden = hidden or hides(p + value, value_end - value)
            elif size == 6 and same_letters(p + j, b"hidden", 6):
                hidden = True
        k = min(k + 1, n)
        if end:
            self._end_tag(s, tag, i, k)
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
            signs = put_sign(p + class_at, class_size, sign, signs, 46)
        if id_at >= 0:
            signs = put_sign(p + id_at, id_size, sign, signs, 35)
        return self._start_tag(s, tag, i, k, sign, signs, groups, href, hidden)

    cdef int64_t _declaration(self, Page* s, int64_t i) noexcept nogil:
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

    cdef int64_t _raw_end(self, const Page* s, int64_t i, uint16_t tag) noexcept nogil:
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

    cdef int64_t _start_tag(self, Page* s, uint16_t tag, int64_t i, int64_t after, const uint8_t* sign, int64_t signs,
                            uint32_t groups, bint href, bint hidden) except -1 nogil:
        """Open an element whose start tag is [i, after); returns where to read on."""
        cdef uint16_t flags = self.tag_flags[tag]
        cdef Element* e
        cdef int32_t parent
        cdef int64_t stop
        cdef const void* hit
        s.tags += 1
        if flags & RAW:
            stop = s.n
            if tag == T_SCRIPT and not s.unescaped:
                stop = script_end(s.p, after, s.n)
                s.unescaped = stop == s.n   # then as it stands, and none is looked at in vain again
            if stop == s.n and not s.unended[tag]:
                stop = self._raw_end(s, after, tag)
            if stop == s.n:
                s.unended[tag] = 1
                if tag == T_TITLE and s.title_end == 0 and not s.mute:
                    hit = memchr(s.p + after, 60, s.n - after)
                    s.title_start, s.title_end = after, s.n if hit == NULL else <const uint8_t*>hit - s.p
                # A script that never ends hides the rest; a title or frame that never ends was no more than its tag.
                return s.n if tag == T_SCRIPT or tag == T_STYLE else after
            if tag == T_TITLE and s.title_end == 0 and not s.mute:
                s.title_start, s.title_end = after, stop
            if tag == T_TITLE and s.title_count == 0 and not s.mute:
                s.title_count = title_words(s.p + after, stop - after, s.title, TITLE)
            elif s.text_start >= 0 and not s.mute and stop > after:
                s.mute_start = i
                self._hole(s, stop)
                s.blank = s.blank or not (tag == T_SCRIPT or tag == T_STYLE or tag == T_TITLE)
            return stop
        if tag == T_IMG:
            s.images += 1
        self._close_implied(s, tag, flags)
        if flags & BLOCK:
            end_block(s, &self.words, self.word_group, tag == T_BR)
        if flags & VOID:
            return after
        if s.depth >= DEPTH:
            s.over += 1
            return after
        parent = s.stack[s.depth - 1]
        reserve(<void**>&s.elements, &s.element_room, s.element_count + 1, sizeof(Element))
        e = &s.elements[s.element_count]
        memset(e, 0, sizeof(Element))
        e.parent = parent
        e.tag = tag
        e.words = groups
        e.hidden = hidden
        e.link = tag == T_A and href
        e.node = s.elements[parent].node
        if not flags & FORMAT:
            e.node = node_of(s, e.node, tag, sign, signs)
        s.stack[s.depth] = <int32_t>s.element_count
        s.element_count += 1
        s.depth += 1
        s.open[tag] += 1
        s.link += e.link
        if flags & (STRONG | HEADING):
            s.strong += 1
        if flags & MUTE:
            if s.mute == 0:
                s.mute_start = i
                s.blank = s.blank or flags & BREAKOUT   # a picture or a control parts words, a template is not there
            s.mute += 1
        if tag == T_PRE:
            s.pre += 1
        return after

    cdef int _end_tag(self, Page* s, uint16_t tag, int64_t i, int64_t after) except -1 nogil:
        """Close what an end tag [i, after) closes."""
        cdef uint16_t flags = self.tag_flags[tag]
        cdef int place, k
        cdef Element* e
        s.tags += 1
        if flags & (VOID | RAW):
            if flags & BLOCK:
                end_block(s, &self.words, self.word_group, tag == T_BR)
            return 0
        if s.over:
            s.over -= 1
            if flags & BLOCK:
                end_block(s, &self.words, self.word_group, False)
            return 0
        if flags & HEADING:
            # Any of them ends any other.
            place = s.depth - 1
            while place > 0 and not self.tag_flags[s.elements[s.stack[place]].tag] & (HEADING | WALL):
                place -= 1
            if place and not self.tag_flags[s.elements[s.stack[place]].tag] & HEADING:
                place = 0
        elif flags & BLOCK:
            place = self._find(s, tag, 0 if T_TD <= tag <= T_CAPTION else WALL, DEPTH)
            if place == 0:
                end_block(s, &self.words, self.word_group, False)
        else:
            place = self._find(s, tag, WALL, LOOK)
        if place == 0:
            return 0
        if not flags & BLOCK:
            for k in range(place + 1, s.depth):
                if self.tag_flags[s.elements[s.stack[k]].tag] & BLOCK:
                    # Misnested: it ends here, the blocks in it stay open.
                    e = &s.elements[s.stack[place]]
                    e.closed = True
                    self._unmark(s, e, flags)
                    return 0
        if flags & MUTE and s.mute == 1:
            self._hole(s, after)
        self._pop_to(s, place)
        return 0

    # ==================================================================================================================
    # Text
    # ==================================================================================================================

    cdef int64_t _entity(self, Page* s, int64_t i, int64_t end) except -1 nogil:
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
            self._put(s, c, i)
            return j + (j < end and p[j] == 59)
        while j < end and j - i <= 32 and is_alnum(p[j]):
            j += 1
        if j < end and p[j] == 59:
            found = table_find(&self.entities, p + i + 1, j - i, tm_hash(p + i + 1, j - i))
            if found >= 0:
                self._put_bytes(s, self.meaning[found], self.meaning_size[found], i)
                return j + 1
        # Names that need no semicolon: the longest that the text begins with.
        k = min(j, i + 7)
        while k > i + 2:
            found = table_find(&self.entities, p + i + 1, k - i - 1, tm_hash(p + i + 1, k - i - 1))
            if found >= 0:
                self._put_bytes(s, self.meaning[found], self.meaning_size[found], i)
                return k
            k -= 1
        return i

    cdef int _put_bytes(self, Page* s, const uint8_t* p, int64_t n, int64_t at) except -1 nogil:
        if (n == 2 and p[0] == 0xC2 and p[1] == 0xA0) or (n == 1 and p[0] <= 32) or (n == 3 and is_wide_blank(p)):
            s.blank = True
            return 0
        if is_nothing(p, n):
            return 0
        begin_text(s, at)
        memcpy(s.text + s.size, p, n)
        s.size += n
        return 0

    cdef int _put(self, Page* s, uint32_t c, int64_t at) except -1 nogil:
        """A character by its number."""
        cdef uint8_t b[4]
        return self._put_bytes(s, b, encoded(c, b), at)

    cdef int _text(self, Page* s, int64_t i, int64_t end) except -1 nogil:
        """Text of [i, end), which holds no mark-up."""
        cdef const uint8_t* p = s.p
        cdef int64_t j
        cdef uint8_t c
        if s.mute:
            return 0
        while i < end:
            c = p[i]
            if c <= 32:
                if c == 10 and (s.pre or (s.plain and blank_line(p, i + 1, end))):
                    end_block(s, &self.words, self.word_group, True)
                s.blank = True
                i += 1
                continue
            if c == 38:
                j = self._entity(s, i, end)
                if j > i:
                    i = j
                    s.page_end = i
                    continue
            elif c == 0xC2 and i + 1 < end and p[i + 1] == 0xA0:
                s.blank = True
                i += 2
                continue
            elif (c == 0xC2 or c == 0xEF) and is_nothing(p + i, end - i):
                i += 2 + (c == 0xEF)
                continue
            elif (c == 0xE2 or c == 0xE3) and i + 2 < end and is_wide_blank(p + i):
                s.blank = True
                i += 3
                continue
            begin_text(s, i)
            j = i + 1
            while j < end and STOPS[p[j]] == 0:
                j += 1
            memcpy(s.text + s.size, p + i, j - i)
            s.size += j - i
            i = j
            s.page_end = i
        return 0

    cdef int _scan(self, Page* s) except -1 nogil:
        cdef int64_t i = 0, after
        cdef const void* hit
        s.plain = no_tag(s.p, s.n)
        while i < s.n:
            if s.p[i] == 60:
                after = self._tag(s, i)
                if after > i:
                    i = after
                    continue
                self._text(s, i, i + 1)
                i += 1
                continue
            hit = memchr(s.p + i, 60, s.n - i)
            after = s.n if hit == NULL else <const uint8_t*>hit - s.p
            self._text(s, i, after)
            i = after
        end_block(s, &self.words, self.word_group, False)
        return 0

    def blocks(self, const uint8_t[::1] page not None):
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
        """
        cdef Page* s = <Page*>malloc(sizeof(Page))
        if s == NULL:
            raise MemoryError
        memset(s, 0, sizeof(Page))
        try:
            with nogil:
                page_init(s, &page[0] if page.shape[0] else NULL, page.shape[0])
                self._scan(s)
            return columns(s)
        finally:
            page_free(s)
            free(s)


cdef uint8_t STOPS[256]


cdef void _tables():
    cdef int i
    memset(STOPS, 0, 256)
    for i in range(33):
        STOPS[i] = 1
    for i in (38, 0xC2, 0xE2, 0xE3, 0xEF):
        STOPS[i] = 1


_tables()


cdef inline bint is_nothing(const uint8_t* p, int64_t n) noexcept nogil:
    """Soft hyphens and byte order marks are not there, wherever they stand."""
    return (n >= 2 and p[0] == 0xC2 and p[1] == 0xAD) or (n >= 3 and p[0] == 0xEF and p[1] == 0xBB and p[2] == 0xBF)


cdef bint no_tag(const uint8_t* p, int64_t n) noexcept nogil:
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


cdef inline bint blank_line(const uint8_t* p, int64_t i, int64_t end) noexcept nogil:
    """The line that begins at i is blank."""
    while i < end and (p[i] == 32 or p[i] == 9 or p[i] == 13):
        i += 1
    return i < end and p[i] == 10


cdef inline bint is_wide_blank(const uint8_t* p) noexcept nogil:
    """White space and marks of no width in three bytes."""
    if p[0] == 0xE2 and p[1] == 0x80:
        return 0x80 <= p[2] <= 0x8B or p[2] == 0xA8 or p[2] == 0xA9 or p[2] == 0xAF
    return p[0] == 0xE3 and p[1] == 0x80 and p[2] == 0x80
