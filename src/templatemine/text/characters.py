"""Classes of characters that expressions are made of, without their brackets; and where lines begin and end.

They are spelt out because `re`, `regex` and RE2 share no name for them.  The ranges and their meanings are in
`_scan.pxd`, of which the native modules have them as comparisons.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable
from functools import cache, lru_cache
from itertools import pairwise

from templatemine.text._scan import CLASSES

_NO_ACCENT = (0, 9)
"""Classes of signs that are no accents: letters and vowels, and what joins them (virama)."""


def drop_accents(text: str) -> str:
    """Return a text without the accents of its letters, which are apart from them then."""
    return "".join(char for char in unicodedata.normalize("NFD", text) if unicodedata.combining(char) in _NO_ACCENT)


def _ranges(ranges: str) -> Iterable[tuple[str, str]]:
    return [(part[0], part[-1]) for part in re.findall("(?s).-.|.", ranges)]


def _subtract_ranges(ranges: str, others: str) -> str:
    """Return the characters of a class that are in no other one; both ascend."""
    remaining: list[tuple[int, int]] = []
    for low, high in ((ord(low), ord(high)) for low, high in _ranges(ranges)):
        for first, last in _ranges(others):
            if low <= ord(last) and ord(first) <= high:
                remaining.append((low, ord(first) - 1))
                low = ord(last) + 1
        remaining.append((low, high))
    return "".join(chr(low) if low == high else f"{chr(low)}-{chr(high)}" for low, high in remaining if low <= high)


DIGITS = CLASSES["digits"]
OTHER_DIGITS = CLASSES["other_digits"]
OWN_TOKEN = CLASSES["own_token"]
SPACELESS = _subtract_ranges(OWN_TOKEN, CLASSES["wide_dash"])
LETTER = CLASSES["letter"]
SPACED_LETTER = _subtract_ranges(LETTER, OWN_TOKEN)
JOINTS = CLASSES["joints"]
ADDRESS_SIGNS = CLASSES["address_signs"]
STOPS = CLASSES["stops"]
CLOSERS = CLASSES["closers"]
PROSE_ENDS = CLASSES["prose_ends"]
SMALL = CLASSES["small"]
OTHER_LETTER = _subtract_ranges(LETTER, SMALL)
CAPITAL = "A-ZÀ-ÖØ-ÞΑ-ΩА-ЯЁ"
CASELESS = CLASSES["caseless"]
SIGNS = CLASSES["signs"]
TWO_BYTES = CLASSES["two_bytes"]
WIDE_SPACE = CLASSES["wide_space"]
SPACE = "\t-\r " + WIDE_SPACE
LINE_BREAKS = r"\n" + CLASSES["wide_break"]
LINE_BREAK = re.compile(f"[{LINE_BREAKS}]")
BRACKETS = dict(zip("([{（［【「『〔", ")]}）］】」』〕", strict=True))
"""Opening brackets to closing ones."""
TITLE_SEPARATOR = re.compile(r"\s+(?:[-–—|·•:»«~]|--|::|//)\s+|\s*[|»｜]\s*")
"""What parts a title from the name of its site."""


SENTENCE_MARKS = ".!?。！？｡؟۔।॥։።။។"
"""What ends a sentence, of all scripts; "…" may also say that it goes on elsewhere."""
_SENTENCE_CLOSERS = "\"')]}»“”’›」』】）"
_OWN_MARKS = "。！？｡"
_SENTENCE_END = re.compile(
    "[{own}][{closers}]*\\s*|[{marks}][{closers}]*\\s+".format(
        own=_OWN_MARKS, marks=re.escape(SENTENCE_MARKS + "…"), closers=re.escape(_SENTENCE_CLOSERS)
    )
)


def split_sentences(text: str) -> list[str]:
    """Split a text at the ends of its sentences: marks before white space, or those of scripts without spaces.

    >>> split_sentences('He said: "It rains." It did. 雨。今')
    ['He said: "It rains." ', 'It did. ', '雨。', '今']
    """
    ends = [match.end() for match in _SENTENCE_END.finditer(text)]
    return [text[start:end] for start, end in pairwise([0, *ends, len(text)])]


def ends_sentence(text: str, marks: str = SENTENCE_MARKS + "…") -> bool:
    """Return whether a text ends as a sentence does: with a mark, which quotes and brackets may close.

    >>> ends_sentence('He said: "It is so."'), ends_sentence("Read more")
    (True, False)
    """
    return text.rstrip().rstrip(_SENTENCE_CLOSERS).endswith(tuple(marks))


@lru_cache(maxsize=1 << 13)
def in_class(char: str, ranges: str) -> bool:
    """Return whether a class of characters, of ranges alone, holds a character.

    Its ranges are looked at one by one: to compile a class that spans scripts takes longer than all the questions that
    packs ask.

    >>> in_class("é", SPACED_LETTER), in_class("-", SPACED_LETTER)
    (True, False)
    """
    return any(low <= char <= high for low, high in _bounds(ranges))


_bounds = cache(_ranges)


def words_beside(text: str, start: int, end: int, size: int) -> tuple[str, str]:
    """Return what is before and behind a stretch, at most so many characters each, no half words.

    >>> words_beside("One two three four five", 8, 13, 6)
    ('two ', ' four')
    """
    before, behind = text[max(0, start - size) : start], text[end : end + size]
    if start > size:
        before = before.partition(" ")[2] or before
    if end + size < len(text):
        behind = behind.rpartition(" ")[0] or behind
    return before, behind


def line_begin(text: str, offset: int) -> int:
    """Return the offset of the beginning of the line at an offset."""
    return max(text.rfind(char, 0, offset) for char in "\n\u2028\u2029") + 1


def line_end(text: str, offset: int) -> int:
    """Return the offset of the end of the line at an offset, before its break."""
    match = LINE_BREAK.search(text, offset)
    return match.start() if match else len(text)
