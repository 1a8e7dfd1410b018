"""The cleaning side: the strings of a pack in texts.

In come texts and pages as UTF-8 bytes and the strings of a pack as numbers, out go spans: start, end, which strings.
A match costs time linear in the bytes of the text and in the matches, a pack once time linear in its tokens.  Only buffers
and numbers cross the boundary, but for `Matcher.spans` and `clean`, which read the characters of a str; each kernel is a
public ``def`` that checks and allocates, and a private ``cdef`` loop that runs without the GIL.  Offsets are int64.
Arguments are IN unless a docstring says otherwise.  numpy is imported by what gives arrays: cleaning does without, and so
starts sooner.
"""

from cpython.ref cimport Py_INCREF
from cpython.tuple cimport PyTuple_New, PyTuple_SET_ITEM
from libc.stdint cimport int32_t, int64_t, uint8_t, uint64_t
from libc.stdlib cimport calloc, free, malloc, realloc
from libc.string cimport memchr, memcpy, memset

from templatemine._chars cimport all_upper, is_alpha, tm_hash, tm_key
from templatemine._memory cimport Found, copied, found_free, found_push, reserve
from templatemine._tables cimport (
    SHORT, Word, Words, table_add, table_find, table_free, table_init, words_find, words_init, words_insert,
)
from templatemine._spec cimport ABBREVIATION, FIRST, INITIALS, KIND, LETTERS, MARKER, Spec, UPPER, WORD
from templatemine._tags cimport tag_form
from templatemine._forms cimport normalise
from templatemine._text cimport Scanner, Tokens, scan, tokens_free, tokens_push
from templatemine._utf8 cimport Bytes, Written, count_points, utf8_of, written
from templatemine._automaton cimport Automaton, automaton_build, automaton_free, automaton_step
from templatemine._cut cimport assemble, cut_pieces, pieces_to_points
from templatemine._intervals cimport Outcome, order_by_end, outcome_free, unite
from templatemine._fillers cimport ANYTHING, Fillers, NUMBERS, Walked, fillers_free, fillers_make, fits, walked_forget
from templatemine._clues cimport (
    BEGINS_LINE, ENDS_LINE, REACHES, SLOT_SIZE, Sieve, TO_BEGIN, TO_END, sieve_build, sieve_free, sieve_learn,
)
from templatemine._sieve cimport Regions, sieve_regions

from templatemine.errors import CapacityError

__all__ = ["Matcher"]


cdef extern from *:
    """
    /* A flag for threads that are without the interpreter's lock: who is told sees all that was written before.  Not so
       with a plain one where the processor stores out of order, as ARM's do. */
    #define tm_tell(flag, value) __atomic_store_n(flag, value, __ATOMIC_RELEASE)
    #define tm_told(flag) __atomic_load_n(flag, __ATOMIC_ACQUIRE)
    """
    void tm_tell(bint* flag, bint value) noexcept nogil
    bint tm_told(bint* flag) noexcept nogil


cdef enum:
    NO_FORM = -1            # ids of tokens beside those of the vocabulary: surely no form of it,
    UNSURE = -2             # not to be told by the spelling
    WORTH = 1 << 16         # bytes of text for which the sieve, which takes some milliseconds, is made
    ENOUGH = 1 << 17        # bytes of text that tell whether the sieve is worth while
    LARGEST = 0x7FFFFFF0    # bytes of a text
    # Bytes between an occurrence and the edge of its line: far more than a slot takes.
    LONGEST_REST = 2048


cdef void scratch_free(Scratch* scratch) noexcept nogil:
    tokens_free(&scratch.tokens)
    found_free(&scratch.found)
    free(scratch.regions.region)
    free(scratch.utf8.data)
    free(scratch.form)
    free(scratch)


cdef int64_t put_form(Scanner scanner, const uint8_t* p, int64_t n, uint8_t kind, Scratch* scratch) except -1 nogil:
    """Write a token's form into the scratch; returns its length."""
    reserve(<void**>&scratch.form, &scratch.room, 2 * n + 32, 1)
    if kind == WORD:
        return normalise(&scanner.spec, p, n, scratch.form)
    return tag_form(&scanner.spec, p, n, kind, scratch.form)


cdef bint reach(const Fillers* fillers, const Spec* spec, const uint8_t* p, int64_t n, const Tokens* tokens, uint8_t edge,
                uint8_t kind, Walked* walked, int64_t* first, int64_t* last) noexcept nogil:
    """Move the first or the last token of a match to the edge of its line; False if that is too far, or what stands there
    is not of the kind that the string takes."""
    cdef int64_t i = last[0], k = first[0], most = kind if kind else SLOT_SIZE
    if kind >= NUMBERS:
        if edge & TO_END:
            if not fits(fillers, spec, p, n, tokens.end[i], True, kind, walked):
                return False
            while i + 1 < tokens.size and not tokens.kind[i + 1] & FIRST:
                i += 1
        if edge & TO_BEGIN:
            if not fits(fillers, spec, p, n, tokens.start[k], False, kind, walked):
                return False
            while k > 0 and not tokens.kind[k] & FIRST and not walked.first <= k <= walked.token:
                k -= 1
            if walked.first <= k <= walked.token:
                k = walked.first
            elif k > walked.token:
                walked.first = k
            walked.token = max(walked.token, first[0])
        last[0] = i
        first[0] = k
        return True
    if edge & TO_END:
        while i + 1 < tokens.size and not tokens.kind[i + 1] & FIRST:
            i += 1
            # A code point has at most four bytes.
            if tokens.end[i] - tokens.end[last[0]] > 4 * most:
                return False
        if count_points(p, tokens.end[last[0]], tokens.end[i]) > most:
            return False
    if edge & TO_BEGIN:
        while k > 0 and not tokens.kind[k] & FIRST:
            k -= 1
            if tokens.start[first[0]] - tokens.start[k] > 4 * most:
                return False
        if count_points(p, tokens.start[k], tokens.start[first[0]]) > most:
            return False
    last[0] = i
    first[0] = k
    return True


cdef Text* new_rows(int64_t number) except NULL:
    """Room for what is known of each of some texts."""
    cdef Text* rows = <Text*>calloc(max(number, 1), sizeof(Text))
    if rows == NULL:
        raise MemoryError
    return rows


cdef struct Rest:
    # What stands between an occurrence and an edge of its line, as a part of `Rests.bytes`.
    int64_t text
    int32_t string
    int64_t start
    int64_t end


cdef struct Rests:
    Rest* rest
    int64_t size
    int64_t room
    Bytes bytes


cdef class Matcher(Scanner):
    """All strings of a pack at once, at token boundaries, overlapping ones included.

    Parameters
    ----------
    separators, mask, words, numbers, html
        As the documents were tokenised.
    vocabulary : list of bytes
        Forms that stand in any string, each once.
    flat, bounds : int32 and int64 arrays
        String i is ``flat[bounds[i]:bounds[i + 1]]``, places in `vocabulary`.
    edges : uint8 array, shape (strings,), optional
        Bits: 1 string i counts only where it begins a line, 2 where it ends one; 4 its match reaches to the end of the
        line, 8 to its beginning, where that is near enough and what stands between is of its kind.
    sieve : int, default 1
        Whether to tokenise only where strings may stand (`_sieve`): 0 never, 1 where that is faster, 2 always, for tests.
        What is found is the same.
    kinds : bytes, optional
        `slots.code_of` what stands between string i and the edge of the line that its match reaches to; 0 if it may be
        anything of `slots.SLOT_SIZE` characters.
    known : list of list of bytes, optional
        Words of dates and of durations, if a kind asks for them.
    """

    def __cinit__(self, bytes separators, bytes mask, list words, list numbers, bint html, list vocabulary,
                  const int32_t[::1] flat not None, const int64_t[::1] bounds not None, const uint8_t[::1] edges=None, int sieve=1,
                  bytes kinds=b"", list known=None):
        cdef bytes form
        cdef uint64_t h
        cdef int64_t i, strings = bounds.shape[0] - 1
        memset(&self.fillers, 0, sizeof(Fillers))
        memset(&self.automaton, 0, sizeof(Automaton))
        memset(&self.words, 0, sizeof(Words))
        memset(&self.sieve, 0, sizeof(Sieve))
        self.spare = NULL
        self.spares = 0
        self.spare_room = 0
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
        self.own_form = <uint8_t*>malloc(len(vocabulary) + 1)
        if self.own_form == NULL:
            raise MemoryError
        for i, form in enumerate(vocabulary):
            self.own_form[i] = MARKER not in form and self.form(form) == form
        for i in range(256):
            self.trait[i] = (0 if is_alpha(<uint8_t>i)
                             else 1 if 33 <= i <= 126 and memchr(b"!\"&'(),.:;<>?[]^`{|}", <int>i, 20) != NULL else 2)
        self.dotted = self.spec.on[ABBREVIATION] or self.spec.on[INITIALS]
        memset(self.filter, 0, sizeof(self.filter))
        for i in range(self.vocabulary.count):
            h = tm_hash(self.vocabulary.arena + self.vocabulary.offset[i], self.vocabulary.offset[i + 1] - self.vocabulary.offset[i])
            self.filter[(h >> 6) & 255] |= <uint64_t>1 << (h & 63)
        for i in range(self.spec.words.count):
            h = tm_hash(self.spec.words.arena + self.spec.words.offset[i], self.spec.words.offset[i + 1] - self.spec.words.offset[i])
            self.filter[(h >> 6) & 255] |= <uint64_t>1 << (h & 63)
        if edges is not None and edges.shape[0] != strings:
            raise ValueError(f"expected edges of {strings} strings, got {edges.shape[0]}")
        self.strings = strings
        self.edges = <uint8_t*>malloc(strings + 1)
        if self.edges == NULL:
            raise MemoryError
        for i in range(strings):
            self.edges[i] = edges[i] if edges is not None else 0
        if kinds and len(kinds) != strings:
            raise ValueError(f"expected kinds of {strings} strings, got {len(kinds)}")
        fillers_make(&self.fillers, kinds, known or [[], []])
        automaton_build(&self.automaton, &flat[0] if flat.shape[0] else NULL, &bounds[0], strings, max(len(vocabulary), 1))
        self._learn_words()
        self.sieved = False
        self.forced = sieve == 2
        self.seen = self.passed = 0
        # A tag has other bytes than its form.
        self.plan = (vocabulary, bytes(flat), bytes(bounds)) if sieve and not html else None
        self.learning = self.plan is not None
        if self.forced:
            self._make_sieve()

    cdef int _make_sieve(self) except -1:
        """Make the sieve of what stands in `plan`, once; other threads search without it meanwhile."""
        cdef bytes flat, bounds
        cdef bint useful
        if not self.learning:
            return 0
        vocabulary, flat, bounds = self.plan
        self.plan = None
        self.learning = False
        useful = sieve_build(&self.sieve, &self.spec, vocabulary, <const int32_t*><const char*>flat,
                             <const int64_t*><const char*>bounds, self.strings, self.edges)
        tm_tell(&self.sieved, useful or self.forced)
        return 0

    cdef int _meet(self, const uint8_t* p, int64_t n) except -1:
        """A text is about to be searched; the first ones tell the sieve what is rare, and then it is worth making."""
        if self.learning:
            n = min(n, WORTH - self.seen)
            sieve_learn(&self.sieve, p, n)
            self.seen += n
            if self.seen >= WORTH:
                self.seen = 0
                self._make_sieve()
        return 0

    cdef int _learn(self, const Text* rows, int64_t number, bint surrogates, Scratch* scratch) except -1:
        """`_meet` as many of some texts as it takes."""
        cdef int64_t i = 0, n = 0
        cdef const uint8_t* p
        while self.learning and i < number:
            p = utf8_of(&rows[i].text, surrogates, &scratch.utf8, &n)
            if n > 0:
                self._meet(p, n)
            i += 1
        return 0

    def __dealloc__(self):
        cdef int64_t i
        for i in range(self.spares):
            scratch_free(self.spare[i])
        fillers_free(&self.fillers)
        free(self.spare)
        sieve_free(&self.sieve)
        free(self.words.slots)
        free(self.edges)
        free(self.own_form)
        table_free(&self.vocabulary)
        automaton_free(&self.automaton)

    cdef int _learn_words(self) except -1:
        """The table of short tokens, for those that `_find` meets most."""
        cdef int64_t i, n
        cdef uint64_t h, a = 0, b = 0
        cdef const uint8_t* p
        memset(self.first, 0, sizeof(self.first))
        words_init(&self.words, 2 * (self.vocabulary.count + self.spec.words.count))
        for i in range(self.vocabulary.count + self.spec.words.count):
            if i < self.vocabulary.count:
                p = self.vocabulary.arena + self.vocabulary.offset[i]
                n = self.vocabulary.offset[i + 1] - self.vocabulary.offset[i]
                if not self.own_form[i]:
                    continue
            else:
                p = self.spec.words.arena + self.spec.words.offset[i - self.vocabulary.count]
                n = self.spec.words.offset[i - self.vocabulary.count + 1] - self.spec.words.offset[i - self.vocabulary.count]
            if 0 < n <= SHORT:
                h = tm_key(p, n, p + n, &a, &b)
                if i >= self.vocabulary.count or self.automaton.root[i]:
                    self.first[(h >> 38) & 1023] |= <uint64_t>1 << (h >> 32 & 63)
                if words_find(&self.words, h, a, b, n) == NULL:
                    words_insert(&self.words, h, a, b, <int32_t>n, <int32_t>i if i < self.vocabulary.count else UNSURE)
        return 0

    cdef Scratch* _take(self) except NULL:
        """A scratch of this call's own."""
        cdef Scratch* scratch
        if self.spares:
            self.spares -= 1
            return self.spare[self.spares]
        scratch = <Scratch*>calloc(1, sizeof(Scratch))
        if scratch == NULL:
            raise MemoryError
        return scratch

    cdef void _give(self, Scratch* scratch) noexcept:
        """Take back a scratch."""
        cdef void* grown
        scratch.found.size = 0
        if self.spares == self.spare_room:
            grown = realloc(self.spare, (self.spare_room + 8) * sizeof(Scratch*))
            if grown == NULL:
                scratch_free(scratch)
                return
            self.spare = <Scratch**>grown
            self.spare_room += 8
        self.spare[self.spares] = scratch
        self.spares += 1

    cdef inline bint _plain(self, const uint8_t* p, int64_t n) noexcept nogil:
        """True if a word token is surely its own form: ASCII letters and signs that no pattern begins with, no listed word."""
        cdef int64_t i = 0, start
        cdef uint8_t seen = 0
        cdef uint64_t h
        for i in range(n):
            seen |= self.trait[p[i]]
        if seen > 1 or (seen == 1 and self.dotted):
            return False
        i = 0
        while i < n:
            while i < n and self.trait[p[i]]:
                i += 1
            start = i
            while i < n and not self.trait[p[i]]:
                i += 1
            if i > start:
                h = tm_hash(p + start, i - start)
                if self.filter[(h >> 6) & 255] >> (h & 63) & 1 and table_find(&self.spec.words, p + start, i - start, h) >= 0:
                    return False
                if self.spec.on[UPPER] and all_upper(p, start, i):
                    return False
                if i < n and p[i] == 46 and (i - start == 1 or (i - start == 3 and p[start] == 119)):
                    return False
        return True

    cdef int64_t _look_up(self, const uint8_t* p, int64_t n, uint8_t kind, Scratch* scratch) except -2 nogil:
        """Place of a token's form in the vocabulary, or NO_FORM."""
        cdef int64_t id
        cdef uint64_t h
        if kind == WORD:
            h = tm_hash(p, n)
            if self.filter[(h >> 6) & 255] >> (h & 63) & 1:
                id = table_find(&self.vocabulary, p, n, h)
                if id >= 0 and self.own_form[id]:
                    return id
            if self._plain(p, n):
                return NO_FORM
        n = put_form(self, p, n, kind, scratch)
        return table_find(&self.vocabulary, scratch.form, n, tm_hash(scratch.form, n))

    cdef int _find(self, const uint8_t* p, int64_t n, Scratch* scratch, int64_t* forms) except -1 nogil:
        """All matches into scratch.found: first and last token, string.  With `forms`, which counts tokens, all tokens are
        in scratch.tokens; without, those that the sieve lets pass."""
        cdef int64_t i
        cdef bint ordered = True
        cdef Regions* regions = &scratch.regions
        scratch.tokens.size = 0
        if self.fillers.kind != NULL:
            walked_forget(&scratch.walked)
        if forms != NULL or not tm_told(&self.sieved):
            self._search(p, 0, n, n, scratch, forms, &ordered)
        else:
            sieve_regions(&self.sieve, p, n, regions)
            for i in range(regions.size):
                self.passed += regions.region[i].end - regions.region[i].start
                self._search(p, regions.region[i].start, regions.region[i].end, n, scratch, NULL, &ordered)
            self.seen += n
            if self.seen > ENOUGH and not self.forced and self.passed > self.seen // (4 if self.sieve.threes else 2):
                # It costs more than it saves here; which texts come first changes the time alone.
                self.sieved = False
        if not ordered:
            order_by_end(&scratch.found)
        return 0

    cdef int _search(self, const uint8_t* p, int64_t start, int64_t end, int64_t n, Scratch* scratch, int64_t* forms,
                     bint* ordered) except -1 nogil:
        """Tokenise a region of a text of n bytes and add its matches."""
        cdef int64_t i, k, size, id
        cdef uint8_t edge, kind
        cdef int32_t s, state = 0
        cdef const uint8_t* q
        cdef uint64_t h, a = 0, b = 0
        cdef const Word* word
        cdef Word* known
        cdef Tokens* tokens = &scratch.tokens
        cdef bint letters_tell = not self.spec.on[UPPER], quick = forms == NULL
        cdef int32_t string
        cdef int64_t last, stop, first = tokens.size
        scan(&self.spec, p, start, end, tokens)
        stop = tokens.size
        if end < n and p[end] != 10:
            # The line goes on; what is behind its last token here must not be taken for its end.
            tokens_push(tokens, end, end, WORD)
        for i in range(first, stop):
            q = p + tokens.start[i]
            size = tokens.end[i] - tokens.start[i]
            kind = tokens.kind[i]
            if kind & KIND == WORD and size <= SHORT:
                h = tm_key(q, size, p + n, &a, &b)
                if kind & LETTERS and letters_tell:
                    # Most words begin no string; this is the branch that the processor foresees.
                    if state == 0 and quick and not self.first[(h >> 38) & 1023] >> (h >> 32 & 63) & 1:
                        continue
                    word = words_find(&self.words, h, a, b, size)
                    id = NO_FORM if word == NULL else word.id
                    if id == UNSURE:
                        id = self._look_up(q, size, WORD, scratch)
                else:
                    known = &scratch.known[(h >> 32) & (KNOWN - 1)]
                    if known.a == a and known.b == b and known.size == size:
                        id = known.id
                    else:
                        id = self._look_up(q, size, WORD, scratch)
                        known.a = a
                        known.b = b
                        known.size = <int32_t>size
                        known.id = <int32_t>id
            else:
                id = self._look_up(q, size, kind & KIND, scratch)
            if id < 0:
                state = 0
                continue
            if forms != NULL:
                forms[id] += 1
            state = automaton_step(&self.automaton, state, <int32_t>id)
            s = state if self.automaton.output[state] >= 0 else self.automaton.link[state]
            while s:
                string = self.automaton.output[s]
                while string >= 0:
                    k = i - self.automaton.depth[s] + 1
                    last = i
                    edge = self.edges[string]
                    if edge & REACHES and not reach(&self.fillers, &self.spec, p, n, tokens, edge,
                                                    self.fillers.kind[string] if self.fillers.kind != NULL else ANYTHING,
                                                    &scratch.walked, &k, &last):
                        k = -1
                    if k >= 0 and (not edge & BEGINS_LINE or tokens.kind[k] & FIRST) and (
                            not edge & ENDS_LINE or last + 1 == tokens.size or tokens.kind[last + 1] & FIRST):
                        found_push(&scratch.found, k, last, string, 0)
                        ordered[0] = ordered[0] and last == i
                    string = self.automaton.also[string]
                s = self.automaton.link[s]
        return 0

    def find(self, const uint8_t[::1] document not None):
        """Every occurrence of every string.

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
        cdef Scratch* scratch = self._take()
        cdef Found* found = &scratch.found
        try:
            self._meet(p, document.shape[0])
            with nogil:
                self._find(p, document.shape[0], scratch, NULL)
            starts = np.empty(max(found.size, 1), np.int64)
            ends = np.empty(max(found.size, 1), np.int64)
            for i in range(found.size):
                starts[i] = scratch.tokens.start[found.position[i]]
                ends[i] = scratch.tokens.end[found.length[i]]
            strings = copied(found.count, found.size * sizeof(int32_t), np.int32)
        finally:
            self._give(scratch)
        return np.asarray(starts)[: len(strings)], np.asarray(ends)[: len(strings)], strings

    def rests(self, list texts not None, const uint8_t[::1] sides not None):
        """What stands between every occurrence in some texts and an edge of its line; of more than 2,048 bytes those that
        stand nearest to it, or a line that is all occurrences would take memory by its square.

        All texts are searched before a Python object is made of what was found, so that other threads run meanwhile.

        Parameters
        ----------
        texts : list of (str or bytes)
            bytes are UTF-8, of which marks of a user's patterns may be a part.
        sides : bytes, shape (strings,)
            Of each string, `TO_END` or `TO_BEGIN`.

        Returns
        -------
        list of (text, string, bytes)
            Places of both; the order is that of the texts, within each by the end of the occurrence.
        """
        cdef int64_t i, number, n = 0
        cdef const uint8_t* p
        cdef Text* rows
        cdef Rests out
        cdef Scratch* scratch = NULL
        if sides.shape[0] != self.strings:
            raise ValueError(f"expected sides of {self.strings} strings, got {sides.shape[0]}")
        texts = texts[:]  # the caller's list may change while no lock is held
        number = len(texts)
        rows = new_rows(number)
        memset(&out, 0, sizeof(Rests))
        try:
            for i in range(number):
                text = texts[i]
                if text is None:
                    raise TypeError(f"text {i}: expected a str or bytes, got None")
                rows[i].text = Written(<const char*>text, len(text), 1, True) if isinstance(text, bytes) else written(text)
                _check_size(rows[i].text.points)
            scratch = self._take()
            self._learn(rows, number, True, scratch)
            with nogil:
                for i in range(number):
                    p = utf8_of(&rows[i].text, True, &scratch.utf8, &n)
                    if n > LARGEST:
                        with gil:
                            _check_size(n)
                    self._find(p, n, scratch, NULL)
                    put_rests(p, n, i, scratch, &sides[0] if self.strings else NULL, &out)
            return [(out.rest[i].text, out.rest[i].string, (<const char*>out.bytes.data)[out.rest[i].start : out.rest[i].end])
                    for i in range(out.size)]
        finally:
            if scratch != NULL:
                self._give(scratch)
            free(rows)
            free(out.rest)
            free(out.bytes.data)

    def regions(self, const uint8_t[::1] document not None):
        """Where the sieve lets occurrences stand.

        Returns
        -------
        list of (start, end)
            In bytes, ascending and disjoint.
        """
        cdef const uint8_t* p = &document[0] if document.shape[0] else NULL
        cdef int64_t i
        cdef Scratch* scratch = self._take()
        try:
            self._make_sieve()
            if not self.sieved:
                return [(0, document.shape[0])]
            sieve_regions(&self.sieve, p, document.shape[0], &scratch.regions)
            return [(scratch.regions.region[i].start, scratch.regions.region[i].end) for i in range(scratch.regions.size)]
        finally:
            self._give(scratch)

    def holds(self, const uint8_t[::1] document not None, int64_t string):
        """True if a string occurs from the first byte of a document to the last."""
        cdef const uint8_t* p = &document[0] if document.shape[0] else NULL
        cdef int64_t i
        _check_size(document.shape[0])
        cdef Scratch* scratch = self._take()
        cdef Found* found = &scratch.found
        try:
            with nogil:
                self._find(p, document.shape[0], scratch, NULL)
            for i in range(found.size):
                if (found.count[i] == string and scratch.tokens.start[found.position[i]] == 0
                        and scratch.tokens.end[found.length[i]] == document.shape[0]):
                    return True
            return False
        finally:
            self._give(scratch)

    def count(self, const uint8_t[::1] document not None, int32_t number, int64_t[:, ::1] table not None,
              int64_t[::1] last not None, int64_t[::1] forms not None):
        """Add the occurrences in one more document to running counts.

        Parameters
        ----------
        document : bytes
        number : int
            Number of the document; each has its own.
        table : int64 array, shape (strings, 2), INOUT
            Occurrences and documents.
        last : int64 array, shape (strings,), INOUT
            Last document that held each string; -1 at the start.
        forms : int64 array, shape (vocabulary + 1,), INOUT
            Occurrences of each form of the vocabulary; at the end, all tokens.
        """
        cdef const uint8_t* p = &document[0] if document.shape[0] else NULL
        cdef int64_t i, s
        _check_size(document.shape[0])
        if (table.shape[0] != self.strings or table.shape[1] != 2 or last.shape[0] != self.strings
                or forms.shape[0] != self.vocabulary.count + 1):
            raise ValueError(f"expected tables of {self.strings} x 2, {self.strings} and {self.vocabulary.count + 1}, got "
                             f"{table.shape[0]} x {table.shape[1]}, {last.shape[0]} and {forms.shape[0]}")
        cdef Scratch* scratch = self._take()
        cdef Found* found = &scratch.found
        try:
            with nogil:
                self._find(p, document.shape[0], scratch, &forms[0])
                forms[self.vocabulary.count] += scratch.tokens.size
                for i in range(found.size):
                    s = found.count[i]
                    table[s, 0] += 1
                    if last[s] != number:
                        last[s] = number
                        table[s, 1] += 1
        finally:
            self._give(scratch)

    cdef int _clean(self, const uint8_t* p, int64_t n, int64_t points, int64_t gap, double guard, Scratch* scratch,
                    Outcome* out) except -1 nogil:
        """Add what is found in a text, and what is left of it, to `out`.

        Parameters
        ----------
        points : int
            Code points of the text.
        guard : float
            Share of the text that may go; if less than zero, only the spans are wanted.

        Returns
        -------
        CUT or SPARED
        """
        cdef int64_t first = out.size, members = out.members, total = 0, k
        self._find(p, n, scratch, NULL)
        unite(p, n == points, &scratch.tokens, &scratch.found, gap, out)
        scratch.found.size = 0
        if guard < 0 or out.size == first:
            return CUT
        for k in range(first, out.size):
            total += out.span[k].last - out.span[k].first
        if total > guard * points:
            out.size = first
            out.members = members
            return SPARED
        cut_pieces(p, n, out.span + first, out.size - first, &out.pieces)
        return CUT

    cdef int _read(self, list texts, int64_t gap, double guard, Text* rows, Outcome* out) except -1:
        """`_clean` each of some texts, without the GIL but for the first look at them."""
        cdef int64_t i, number = len(texts), spans, pieces
        cdef str text
        cdef const uint8_t* p
        cdef int64_t n = 0
        cdef Scratch* scratch
        for i in range(number):
            text = texts[i]
            if text is None:
                raise TypeError(f"text {i}: expected a str, got None")
            rows[i].text = written(text)
            _check_size(rows[i].text.points)
        scratch = self._take()
        try:
            self._learn(rows, number, False, scratch)
            with nogil:
                for i in range(number):
                    p = utf8_of(&rows[i].text, False, &scratch.utf8, &n)
                    if n < 0:
                        rows[i].verdict = LONE
                        continue
                    if n > LARGEST:
                        with gil:
                            _check_size(n)
                    spans = out.size
                    pieces = out.pieces.size
                    rows[i].verdict = self._clean(p, n, rows[i].text.points, gap, guard, scratch, out)
                    rows[i].spans = out.size - spans
                    rows[i].pieces = out.pieces.size - pieces
                    if not rows[i].text.ascii:
                        pieces_to_points(p, out.pieces.piece + pieces, rows[i].pieces)
        finally:
            self._give(scratch)
        return 0

    def spans(self, list texts not None, int64_t gap):
        """The union of all occurrences in each of some texts, two with fewer than `gap` characters between them taken together.

        All texts are searched before a Python object is made of what was found, so that other threads run meanwhile.

        Returns
        -------
        list of (list of (start, end, strings), or None)
            Of each text; in code points, ascending and disjoint, with the strings of each span in order.  None for a text
            that holds lone surrogates.
        """
        cdef int64_t i, j, k, number, span = 0, member = 0
        cdef Text* rows
        cdef Outcome found
        cdef list out = [], here
        texts = texts[:]  # the caller's list may change while no lock is held
        number = len(texts)
        rows = new_rows(number)
        memset(&found, 0, sizeof(Outcome))
        try:
            self._read(texts, gap, -1, rows, &found)
            for i in range(number):
                if rows[i].verdict == LONE:
                    out.append(None)
                    continue
                here = []
                for k in range(span, span + rows[i].spans):
                    those = [found.member[j] for j in range(member, found.span[k].members)]
                    here.append((found.span[k].first, found.span[k].last, those))
                    member = found.span[k].members
                span += rows[i].spans
                out.append(here)
        finally:
            free(rows)
            outcome_free(&found)
        return out

    def clean(self, list texts not None, int64_t gap, double guard, list names not None, type span, type cleaned):
        """Each of some texts without all occurrences, which are taken together as by `spans`, as `clean.cut` cuts.

        Parameters
        ----------
        guard : float
            Greatest share of the characters of a text that may go; a text of which more would is left as it is.
        names : list of tuple
            Of each string, its name alone.
        span, cleaned : type
            `model.Span`, a tuple of start and end in code points and the names of the strings of a span in the order of
            the strings; and `model.Cleaned`, a tuple of text, tuple of spans and whether the text was spared.

        Returns
        -------
        list of (cleaned or None)
            None for a text that holds lone surrogates.
        """
        cdef int64_t i, j, k, m, number, at = 0, member = 0, piece = 0
        cdef Text* rows
        cdef Outcome found
        cdef list out = []
        cdef tuple here, those
        texts = texts[:]  # the caller's list may change while no lock is held
        number = len(texts)
        if len(names) < self.strings:
            raise ValueError(f"expected names of {self.strings} strings, got {len(names)}")
        rows = new_rows(number)
        memset(&found, 0, sizeof(Outcome))
        try:
            self._read(texts, gap, max(guard, 0), rows, &found)
            for i in range(number):
                if rows[i].verdict == LONE:
                    out.append(None)
                    continue
                if not rows[i].spans:
                    out.append(new_tuple(cleaned, (texts[i], (), rows[i].verdict == SPARED)))
                    continue
                here = PyTuple_New(rows[i].spans)
                for j in range(rows[i].spans):
                    k = at + j
                    if found.span[k].members == member + 1:
                        those = <tuple?>names[found.member[member]]
                    else:
                        those = tuple([(<tuple?>names[found.member[m]])[0] for m in range(member, found.span[k].members)])
                    member = found.span[k].members
                    made = new_tuple(span, (found.span[k].first, found.span[k].last, those))
                    Py_INCREF(made)
                    PyTuple_SET_ITEM(here, j, made)
                text = assemble(&rows[i].text, found.pieces.piece + piece, rows[i].pieces)
                at += rows[i].spans
                piece += rows[i].pieces
                out.append(new_tuple(cleaned, (text, here, False)))
        finally:
            free(rows)
            outcome_free(&found)
        return out


new_tuple = tuple.__new__


cdef int put_rests(const uint8_t* p, int64_t n, int64_t text, Scratch* scratch, const uint8_t* sides, Rests* out) except -1 nogil:
    """Add what stands between the matches in a text and an edge of their lines, and forget the matches."""
    cdef Found* found = &scratch.found
    cdef int64_t i, start, end
    for i in range(found.size):
        start = scratch.tokens.start[found.position[i]]
        end = scratch.tokens.end[found.length[i]]
        if sides[found.count[i]] & TO_END:
            start = end
            while end < n and end - start < LONGEST_REST and not breaks(p, end, n):
                end += 1
            # No character is cut in two, and no mark.
            while start < end < n and (p[end] & 0xC0 == 0x80 or p[end - 1] == MARKER):
                end -= 1
        else:
            end = start
            while start > 0 and end - start < LONGEST_REST and not (breaks(p, start - 1, n)
                                                                    or start > 2 and breaks(p, start - 3, n) == 3):
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


cdef inline int breaks(const uint8_t* p, int64_t i, int64_t n) noexcept nogil:
    """Bytes of the line break that stands at i, or 0."""
    if p[i] == 10:
        return 1
    return 3 if p[i] == 0xE2 and i + 2 < n and p[i + 1] == 0x80 and p[i + 2] & 0xFE == 0xA8 else 0


cdef int _check_size(int64_t size) except -1:
    if size > LARGEST:
        raise CapacityError(f"a document of {size} bytes; the limit is 2 GiB")
    return 0
