r"""Expression of a user's own -> its matches, in time linear in the text (RE2).

Engines that backtrack may take exponential time; RE2 follows an automaton, and no expression makes it slow.  But its
letters, digits, blanks and edges of words are those of ASCII, and its cases and its ``$`` are others.  So it gets no
expression as it is written: the classes of characters are read from the parse tree of the standard library as sets of
code points (`code_points`), the characters that no set tells apart become one letter, mostly a byte, and RE2 searches
the text in these letters.  Offsets stay code points, and the meaning is that of `regex`, which property tests hold.

One search takes at most the length of the text times the size of the program, so both are bounded; texts in which very
many matches begin, each of which is searched for, have a limit of time.
"""

from __future__ import annotations

import re
import time
from bisect import bisect_right
from collections.abc import Iterable, Iterator, Sequence
from functools import lru_cache
from itertools import chain
from typing import TYPE_CHECKING, Any

from templatemine.errors import CapacityError
from templatemine.text.code_points import LAST, Ranges, class_ranges, single

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

# The parser of the standard library; it has no public name, and the public one was removed in 3.11.
parse: Any = __import__("re._parser", fromlist=["parse"]).parse

REPEATS = ("MAX_REPEAT", "MIN_REPEAT")
"""Items of a parse tree that stand for rounds of another one."""

SECONDS, SECONDS_PER_CHARACTER = 2.0, 1e-5
"""Time of the thread that expressions may take for one text."""

MAX_ROUNDS = 1000
"""Most rounds of a repeat in RE2, with those of the repeats around it."""

MAX_SIZE, MAX_SIZE_PER_CHARACTER, MAX_WHOLE_SIZE = 5_000, 4, 50_000
"""Steps of a program, repeats written out: of a short expression, more for each of its own characters, and at most.  A
step may take 6 ns for each character of a text (``[ab]*a[ab]{900}c``), most take none."""

_NOT_LINEAR = {
    "ASSERT": "a look-around",
    "ASSERT_NOT": "a look-around",
    "FAILURE": "a look-around",
    "ATOMIC_GROUP": "an atomic group",
    "POSSESSIVE_REPEAT": "a possessive repeat",
    "GROUPREF": "a back-reference",
    "GROUPREF_EXISTS": "a condition",
}
"""Items of expressions that no automaton can follow, in words."""

_ANCHORS = {
    "AT_BEGINNING": r"\A",
    "AT_BEGINNING_STRING": r"\A",
    "AT_END_STRING": r"\z",
    "AT_BOUNDARY": r"\b",
    "AT_NON_BOUNDARY": r"\B",
}

_NEWLINE, _INNER_NEWLINE = ord("\n"), ord("\v")
"""Letters of a line break, the second one of all but that at the end of a text, where ``$`` is looked for: RE2 has but
the ``$`` that is before each."""

_WORD_LETTERS = sorted(map(ord, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_"))
_OTHER_LETTERS = [code for code in range(256) if code not in (*_WORD_LETTERS, _NEWLINE, _INNER_NEWLINE)]
_WIDE_LETTERS = range(256, 0xD800)


class RefusedExpression(ValueError):
    """An expression that cannot be trusted, or that has what no engine of linear time has."""


class LinearExpression:
    """An expression, ready to be looked for; safe to share between threads.

    Parameters
    ----------
    pattern : str
        As `re` reads it.

    Raises
    ------
    RefusedExpression
        It does not compile, has what RE2 has not, or is too large.
    """

    def __init__(self, pattern: str) -> None:
        import re2  # here, since most packs have no expression by hand

        self.pattern = pattern
        writer = _Writer()
        try:
            tree = parse(pattern)
            writer.add(tree, tree.state.flags, 1)
        except (re.error, OverflowError, RecursionError) as error:
            raise RefusedExpression(f"does not compile: {error}") from error
        self.groups: int = tree.state.groups - 1
        alphabet = _Alphabet(writer)
        options = re2.Options()
        options.log_errors = False
        source = "".join(part if isinstance(part, str) else alphabet.write(part) for part in writer.parts)
        if not alphabet.is_wide:
            options.encoding = re2.Options.Encoding.LATIN1
        try:
            self._compiled = re2.compile(source if alphabet.is_wide else source.encode("ascii"), options)
        except re2.error as error:
            raise RefusedExpression(f"is too large for RE2; {_REMEDY}") from error
        most = min(MAX_SIZE + MAX_SIZE_PER_CHARACTER * len(pattern), MAX_WHOLE_SIZE)
        if self._compiled.programsize > most:
            size = self._compiled.programsize
            raise RefusedExpression(f"is too large: expected at most {most:,} steps, got {size:,}; {_REMEDY}")
        self._alphabet = alphabet

    def find(self, text: str) -> tuple[int, int] | None:
        """Return the bounds of the first match, with what is beside its group."""
        match = self._compiled.search(self._alphabet.spell(text))
        return match.span() if match is not None else None

    def spans(self, text: str, *, overlapped: bool = False, limit: float | None = None) -> Iterator[tuple[int, int]]:
        """Yield the bounds of the matches that are not empty, of the first group if there is one.

        Behind an empty match the next one begins a character further.

        Parameters
        ----------
        overlapped : bool
            The next match may begin right behind where one begins, not only where one ends.
        limit : float, optional
            Seconds; by default those of `time_limit`.

        Raises
        ------
        CapacityError
            If the expression takes longer for the text.
        """
        limit = time_limit(text) if limit is None else limit
        spelt, place, spent = self._alphabet.spell(text), 0, 0.0
        size = len(spelt)
        group = 1 if self.groups else 0
        while place <= size:
            began = time.thread_time()
            match = self._compiled.search(spelt, place)
            spent += time.thread_time() - began
            if match is None:
                return
            if spent > limit:
                raise CapacityError(
                    f"the expression {self.pattern!r} takes longer than {limit:.2g} s for {len(text):,} characters; "
                    "bound its repeats, or begin it with what is rare"
                )
            start, end = match.span()
            place = start + 1 if overlapped or start == end else end
            start, end = match.span(group)
            if start < end:
                yield start, end


def time_limit(text: str) -> float:
    """Return the seconds of a thread that expressions may take for a text, all those of a pack together."""
    return SECONDS + SECONDS_PER_CHARACTER * len(text)


@lru_cache(maxsize=256)
def compile_linear(pattern: str) -> LinearExpression:
    """Return an expression, ready to be looked for; the last ones are kept.

    >>> list(compile_linear(r"(?:a+)+b").spans("xaab"))
    [(1, 4)]
    """
    return LinearExpression(pattern)


_REMEDY = "bound its repeats more closely, or divide it"


class _Writer:
    """Writes a parse tree for RE2: parts of text, and sets of characters in between."""

    def __init__(self) -> None:
        self.parts: list[str | Ranges] = []
        self.words: set[Ranges] = set()
        self.splits_lines = self.has_end = False

    def add(self, items: Iterable[tuple[Any, Any]], flags: int, outer_rounds: int) -> None:
        """Add a sequence under repeats of `outer_rounds` rounds taken together."""
        for operator, argument in items:
            name = str(operator)
            if name in _NOT_LINEAR:
                raise RefusedExpression(f"uses {_NOT_LINEAR[name]}, which engines of linear time (RE2) do not have")
            if name in REPEATS:
                self._add_repeat(name, argument, flags, outer_rounds)
            elif name == "BRANCH":
                self._add_group("(?:", argument[1], flags, outer_rounds)
            elif name == "SUBPATTERN":
                number, added, removed, inner = argument
                self._add_group("(?:" if number is None else "(", [inner], (flags | added) & ~removed, outer_rounds)
            elif name == "AT":
                self.parts.append(self._anchor(str(argument), flags))
            else:
                self.parts.append(class_ranges(name, argument, flags))

    def _add_group(self, opening: str, branches: Sequence[Any], flags: int, outer_rounds: int) -> None:
        for place, branch in enumerate(branches):
            self.parts.append("|" if place else opening)
            self.add(branch, flags, outer_rounds)
        self.parts.append(")")

    def _add_repeat(self, name: str, argument: Any, flags: int, outer_rounds: int) -> None:
        least, most, inner = int(argument[0]), int(argument[1]), argument[2]
        is_bounded = most < 1 << 31
        rounds = outer_rounds * max(1, most if is_bounded else least)
        if rounds > MAX_ROUNDS:
            raise RefusedExpression(
                f"repeats more than {MAX_ROUNDS:,} times, which engines of linear time (RE2) do not do"
            )
        self._add_group("(?:", [inner], flags, rounds)
        self.parts.append(f"{{{least},{most if is_bounded else ''}}}" + "?" * (name == "MIN_REPEAT"))

    def _anchor(self, name: str, flags: int) -> str:
        if name in ("AT_BOUNDARY", "AT_NON_BOUNDARY"):
            self.words.add(class_ranges("IN", [("CATEGORY", "CATEGORY_WORD")], flags))
            if len(self.words) > 1:
                raise RefusedExpression(r"uses \b for ASCII and for all letters; expected one of the two")
        if name in ("AT_BEGINNING", "AT_END"):
            is_of_line = bool(flags & re.MULTILINE)
            self.splits_lines |= is_of_line
            self.has_end |= name == "AT_END" and not is_of_line
            if self.splits_lines and self.has_end:
                raise RefusedExpression(r"uses $ for the end of the text and (?m) for lines; write \Z or (?m:$)")
            if is_of_line or name == "AT_END":
                return "(?m:^)" if name == "AT_BEGINNING" else "(?m:$)"
        return _ANCHORS[name]


class _Alphabet:
    """The letters that stand for the characters of a text: one for all that an expression does not tell apart."""

    def __init__(self, writer: _Writer) -> None:
        (word,) = writer.words or ((),)
        sets = {word: 0, single(_NEWLINE): 1}
        for part in writer.parts:
            if not isinstance(part, str):
                sets.setdefault(part, len(sets))
        changes: dict[int, int] = {0: 0}
        for number, ranges in enumerate(sets):
            for first, last in ranges:
                for boundary in (first, last + 1):
                    changes[boundary] = changes.get(boundary, 0) ^ 1 << number
        changes.pop(LAST + 1, None)
        self._has_end = writer.has_end
        self._starts = sorted(changes)
        self._letters = []
        letter_of: dict[int, int] = {}
        words, others = iter(_WORD_LETTERS), chain(_OTHER_LETTERS, () if word else _WORD_LETTERS, _WIDE_LETTERS)
        members = 0
        for start in self._starts:
            members ^= changes[start]
            if start == _NEWLINE:
                letter_of[members] = _NEWLINE
            elif members not in letter_of:
                letter = next(words if members & 1 else others, None)
                if letter is None:
                    what = r"tells more than 63 letters apart beside \b; write [ ] or ^ for it" if members & 1 else ""
                    raise RefusedExpression(what or f"is too large; {_REMEDY}")
                letter_of[members] = letter
            self._letters.append(letter_of[members])
        letters_of: list[list[int]] = [[] for _ in sets]
        for members, letter in letter_of.items():
            while members:
                letters_of[members.bit_length() - 1].append(letter)
                members ^= 1 << (members.bit_length() - 1)
        self._sets = dict(zip(sets, letters_of, strict=True))
        self.is_wide = max(self._letters) > 255
        self._bytes = b"" if self.is_wide else bytes(map(self._letter, range(256)))
        self._table: NDArray[np.uint8] | NDArray[np.uint16] | None = None

    def _letter(self, code: int) -> int:
        return self._letters[bisect_right(self._starts, code) - 1]

    def write(self, ranges: Ranges) -> str:
        """Return a set of characters as a class of letters."""
        letters = sorted(self._sets[ranges])
        if _NEWLINE in letters and self._has_end:
            letters = sorted([*letters, _INNER_NEWLINE])
        runs: list[list[int]] = []
        for letter in letters:
            if runs and letter == runs[-1][1] + 1:
                runs[-1][1] = letter
            else:
                runs.append([letter, letter])
        if not runs:
            return r"[^\x{0}-\x{10ffff}]" if self.is_wide else r"[^\x{0}-\x{ff}]"
        if len(letters) == 1:
            return f"\\x{{{letters[0]:x}}}"
        return "[" + "".join(f"\\x{{{first:x}}}-\\x{{{last:x}}}" for first, last in runs) + "]"

    def spell(self, text: str) -> str | bytes:
        """Return a text in letters, as many as it has characters."""
        spelt: str | bytes
        text = str.__str__(text)  # of no subclass, which may encode what it does not hold
        try:
            spelt = self._spell_wide(text) if self.is_wide else text.encode("latin-1").translate(self._bytes)
        except UnicodeEncodeError:
            spelt = self._spell_wide(text)
        if not self._has_end:
            return spelt
        if isinstance(spelt, str):
            return spelt[:-1].replace("\n", "\v") + spelt[-1:]
        return spelt[:-1].replace(b"\n", b"\v") + spelt[-1:]

    def _spell_wide(self, text: str) -> str | bytes:
        import numpy as np  # here, since most texts of most packs need none

        codes, beyond, beyond_codes = _code_points(text)
        if self._table is None:
            ends = [*self._starts[1:], LAST + 1]
            lengths = np.diff(np.minimum([0, *ends], _PLANE))
            self._table = np.repeat(np.array(self._letters, "<u2" if self.is_wide else np.uint8), lengths)
        letters = self._table[codes]
        if len(beyond):
            places = np.searchsorted(np.array(self._starts), beyond_codes, side="right") - 1
            letters[beyond] = np.array(self._letters, letters.dtype)[places]
        spelt: bytes = letters.tobytes()
        return spelt.decode("utf-16-le") if self.is_wide else spelt


@lru_cache(maxsize=1)
def _code_points(text: str) -> tuple[NDArray[np.uint16], NDArray[np.intp], NDArray[np.uint32]]:
    """Return the characters of a text, those beyond the table as its last one, and these, with their places; kept for
    the next expression."""
    import numpy as np

    codes = np.frombuffer(text.encode("utf-32-le", "surrogatepass"), "<u4")
    beyond = np.flatnonzero(codes >= _PLANE)
    return np.minimum(codes, _PLANE - 1).astype(np.uint16), beyond, codes[beyond]


_PLANE = 1 << 16
"""Characters that a table tells the letters of; those beyond are rare."""
