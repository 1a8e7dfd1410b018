"""Text -> its reading form, in which what looks the same is the same, with the way back to the original.

Tokeniser, segmenter and both engines see the reading form; offsets in public answers are those of the original.  A text
that is its own reading form, as most are, is not copied.  Three steps make it:

1. Characters (always).  Invisible ones go: marks of direction, joiners, soft hyphens, variation selectors, U+FEFF,
   tatweel.  An apostrophe is ', an ellipsis three full stops, full-width forms are those of ASCII, a line ends with a
   line feed.  In sources whose text fields hold mark-up, tags and entities are decoded first.
2. The result is in NFC.
3. Glue points, where a parser lost a line break ("dialogue.Log in", "ouverteSi"), become line feeds.  Beside Han and
   kana, the signs ! ( ) , : ; ? are full-width, for there they are tokens of their own.

Pages (HTML) are read as they stand.
"""

from __future__ import annotations

import html
import unicodedata
from bisect import bisect_left, bisect_right
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from functools import cache, lru_cache
from typing import TYPE_CHECKING

from templatemine.text.characters import CASELESS, LETTER, OWN_TOKEN, in_class

if TYPE_CHECKING:
    import regex

__all__ = ["PLAIN", "Reading", "ReadingRules", "find_soft_points", "holds_markup", "plain_form", "read_text"]

Edits = list[tuple[int, int, str]]
"""(start, end, replacement), ascending and disjoint."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ReadingRules:
    """How the texts of a source are read.

    Attributes
    ----------
    soft : bool
        Whether a small letter before a capital may be a glue point.
    starts : tuple of str
        Words that begin lines behind such points: where one stands behind a word with a capital, that is a point, too.
    whole : tuple of str
        Words that are written so, and are not parted: names of products and firms.
    markup : bool
        Whether tags and entities in texts are decoded.
    """

    soft: bool = False
    starts: tuple[str, ...] = ()
    whole: tuple[str, ...] = ()
    markup: bool = False


PLAIN = ReadingRules()
"""The rules of a source of which nothing is known."""


class Reading:
    """The reading form of a text, and the way back to the original.

    Attributes
    ----------
    text : str
    """

    def __init__(self, text: str, steps: Sequence[_Step]) -> None:
        self.text = text
        self._steps = steps[::-1]

    def original_span(self, start: int, end: int) -> tuple[int, int]:
        """Bounds of a stretch, as those of the original.  Invisible characters at its edges are a part of it, and one
        that ends within what a character became has all of that character."""
        for step in self._steps:
            start, end = step.original_start(start), step.original_end(end)
        return start, max(start, end)


class _Step:
    """A text with some pieces replaced."""

    def __init__(self, text: str, edits: Edits) -> None:
        parts: list[str] = []
        self._starts: list[int] = []
        self._ends: list[int] = []
        self._originals: list[tuple[int, int]] = []
        position = size = 0
        for start, end, replacement in edits:
            parts += [text[position:start], replacement]
            size += start - position
            self._starts.append(size)
            size += len(replacement)
            self._ends.append(size)
            self._originals.append((start, end))
            position = end
        parts.append(text[position:])
        self.text = "".join(parts)

    def original_start(self, offset: int) -> int:
        index = bisect_left(self._starts, offset)
        if index < len(self._starts) and self._starts[index] == offset:
            return self._originals[index][0]
        if index and offset < self._ends[index - 1]:
            return self._originals[index - 1][0]
        return self._originals[index - 1][1] + offset - self._ends[index - 1] if index else offset

    def original_end(self, offset: int) -> int:
        index = bisect_right(self._ends, offset)
        if index < len(self._starts) and self._starts[index] < offset:
            return self._originals[index][1]
        return self._originals[index - 1][1] + offset - self._ends[index - 1] if index else offset


def read_text(text: str, rules: ReadingRules = PLAIN) -> Reading | None:
    """The reading form of a text; None if the text is that itself."""
    steps: list[_Step] = []
    makers: list[Callable[[str, ReadingRules], Edits]] = [_fold, _compose, _part]
    if rules.markup:
        makers.insert(0, _decode)
    for make in makers:
        edits = make(steps[-1].text if steps else text, rules)
        if edits:
            steps.append(_Step(steps[-1].text if steps else text, edits))
    return Reading(steps[-1].text, steps) if steps else None


# ----------------------------------------------------------------------------------------------------------- characters

_INVISIBLE = (
    "\u00ad\u034f\u061c\u0640\u180b-\u180d\u180f\u200b-\u200f\u202a-\u202e\u2060-\u2069\ufe00-\ufe0f\ufeff"
    "\U000e0100-\U000e01ef"
)
_APOSTROPHES = "\u2018\u2019\u02bc"
_BREAKS = "\r\x0b\x0c\x85"
HAN = "\u3001-\u30ff\u31f0-\u31ff\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\U00020000-\U0003ffff"
"""Characters beside which some signs are full-width."""
_WIDE_SIGNS = {sign: chr(ord(sign) + 0xFEE0) for sign in "!(),:;?"}


@cache
def _compile(pattern: str) -> regex.Pattern[str]:
    import regex

    return regex.compile(pattern, regex.VERSION1)


def _fold(text: str, _: ReadingRules) -> Edits:
    """Characters that look like others, or like nothing."""
    if text.isascii() and not any(char in text for char in _BREAKS):
        return []
    wide = "".join(_WIDE_SIGNS.values())
    pattern = _compile(
        f"\r(?![{_INVISIBLE}]*\n)|[\x0b\x0c\x85{_INVISIBLE}{_APOSTROPHES}\u2026]|"
        f"[\uff01-\uff5e--{wide}]|(?<![{HAN}])[{wide}](?![{HAN}])"
    )
    return [(match.start(), match.end(), _folded(match.group())) for match in pattern.finditer(text)]


def plain_form(char: str) -> str | None:
    """What a character becomes wherever it stands; None if it stays, or may."""
    return None if char in _WIDE_SIGNS.values() or not _fold(char, PLAIN) else _folded(char)


def _folded(char: str) -> str:
    if char in _BREAKS:
        return "\n"
    if char in _APOSTROPHES:
        return "'"
    if char == "\u2026":
        return "..."
    return chr(ord(char) - 0xFEE0) if "\uff01" <= char <= "\uff5e" else ""


def _compose(text: str, _: ReadingRules) -> Edits:
    """What is not in NFC."""
    if unicodedata.is_normalized("NFC", text):
        return []
    edits: Edits = []
    for run in _compile(r"[\x00-\x7f]?[^\x00-\x7f]+").finditer(text):
        if unicodedata.is_normalized("NFC", run.group()):
            continue
        for cluster in _compile(r"\X").finditer(text, run.start(), run.end()):
            composed = unicodedata.normalize("NFC", cluster.group())
            if composed != cluster.group():
                edits.append((*cluster.span(), composed))
    return edits


# --------------------------------------------------------------------------------------------------------------- markup

_BLOCK_TAGS = (
    "address article aside blockquote br center dd div dl dt figcaption figure footer h1 h2 h3 h4 h5 h6 header hr li "
    "ol p pre section table tbody td tfoot th thead tr ul"
)
_INLINE_TAGS = (
    "a abbr b bdi bdo big cite code del em font i iframe img ins kbd mark q s samp small span strike strong sub sup "
    "time tt u var video wbr"
)
_AMPERSAND = "&(?:amp;)*"
_TAG = (
    rf"(?:<|{_AMPERSAND}lt;)/?(?P<tag>(?i:{'|'.join((_BLOCK_TAGS + ' ' + _INLINE_TAGS).split())}))"
    rf"(?:[\s/](?:(?!{_AMPERSAND}[lg]t;)[^<>]){{0,1000}}?)?(?:>|{_AMPERSAND}gt;|\Z)"
)
_ENTITY = rf"{_AMPERSAND}(?P<entity>#[0-9]{{1,7}}|#[xX][0-9a-fA-F]{{1,6}}|[a-zA-Z][a-zA-Z0-9]{{1,31}});"


def _markup_pattern() -> regex.Pattern[str]:
    """Tags of running text, and entities, escaped once or more."""
    return _compile(f"{_TAG}|{_ENTITY}")


def holds_markup(text: str) -> bool:
    """Whether a text holds tags or entities."""
    return ("&" in text or "<" in text) and _markup_pattern().search(text) is not None


def _decode(text: str, _: ReadingRules) -> Edits:
    """Tags and entities."""
    if "&" not in text and "<" not in text:
        return []
    edits: Edits = []
    for match in _markup_pattern().finditer(text):
        tag = match.group("tag")
        if tag:
            edits.append((*match.span(), "\n" if tag.lower() in _BLOCK_TAGS.split() else ""))
            continue
        entity = f"&{match.group('entity')};"
        char = html.unescape(entity)
        if char != entity:
            edits.append((*match.span(), char))
    return edits


# ---------------------------------------------------------------------------------------------------------- glue points

_SIGNS = ".!?\u061f\u06d4\u0964\u0965"
"""Signs that end sentences of scripts with spaces."""
_CLOSING = ')]"\u201d\u00bb'
_OPENING = "(\u201c\u201e\u00ab"
_MAX_WORD = 40
"""Letters of a word that are looked at."""
_REACH = 200
"""Characters before a point that are looked at."""


def _part(text: str, rules: ReadingRules) -> Edits:
    """Glue points, and signs beside Han."""
    edits: Edits = [(point, point, "\n") for point in _find_points(text, rules)]
    if not text.isascii():
        signs = "".join(_WIDE_SIGNS)
        pattern = _compile(rf"(?<=[{HAN}])[{signs}]|[{signs}](?=[{HAN}])")
        edits += [(match.start(), match.end(), _WIDE_SIGNS[match.group()]) for match in pattern.finditer(text)]
        edits.sort()
    return edits


@cache
def _candidates(soft: bool) -> regex.Pattern[str]:
    caseless = f"[{CASELESS}]&&[{LETTER}]--[{OWN_TOKEN}]"
    hard = rf"(?<=[{_SIGNS}\)\]\"\u201d\u00bb\u201c'])(?=[\p{{Uppercase}}[{caseless}]{_OPENING.replace('(', '')}\(])"
    return _compile(hard + (r"|(?<=[\p{Lowercase}0-9])(?=\p{Uppercase})" if soft else ""))


def _find_points(text: str, rules: ReadingRules) -> Iterable[int]:
    for match in _candidates(rules.soft).finditer(text):
        point = match.start()
        before = text[point - 1]
        if before.islower() or before.isdigit():
            word = soft_word(text, point)
            if word is not None and _parts(word, rules):
                yield point
        elif _is_hard(text, point):
            yield point


def find_soft_points(text: str) -> Iterable[tuple[str, str]]:
    """The words with a soft point, as the halves left and right of it."""
    for match in _compile(r"(?<=[\p{Lowercase}0-9])(?=\p{Uppercase})").finditer(text):
        word = soft_word(text, match.start())
        if word is not None:
            yield word


def _parts(word: tuple[str, str], rules: ReadingRules) -> bool:
    """Whether a soft point parts a word of two halves."""
    left, right = word
    whole, starts = _word_sets(rules)
    return left + right not in whole and (not left[0].isupper() or right in starts)


@lru_cache(maxsize=1 << 10)
def _word_sets(rules: ReadingRules) -> tuple[frozenset[str], frozenset[str]]:
    return frozenset(rules.whole), frozenset(rules.starts)


def soft_word(text: str, point: int) -> tuple[str, str] | None:
    """The halves of the word with a soft point; None if it is none."""
    if not (_char(text, point + 1).islower() or all(_char(text, point + k).isupper() for k in range(4))):
        return None
    start = _letters_start(text, point)
    if start == point:
        start = point - 4
        if start < 0 or not _is_digits(text[start:point]) or _is_digits(_char(text, start - 1)):
            return None
    elif not _char(text, point - 2).islower():
        return None
    if _is_address(text, point):
        return None
    end = point + 1
    while end - point < _MAX_WORD and _is_letter(_char(text, end)) and not _parts_word(text, end):
        end += 1
    return text[start:point], text[point:end]


def _parts_word(text: str, place: int) -> bool:
    """Whether a capital stands behind a small letter."""
    return text[place].isupper() and not text[place - 1].isupper()


def _is_hard(text: str, point: int) -> bool:
    """Whether a line break was lost before a character, behind a sign."""
    before, after = text[point - 1], text[point]
    if after in _OPENING:
        if before not in _SIGNS or not _begins_text(text, point + 1):
            return False
        if after == "\u201c" and _closes_german_quote(text, point):
            return False
        return _ends_sentence(text, point) and not _is_address(text, point)
    if not _begins_text(text, point) or _is_address(text, point):
        return False
    if before in _SIGNS:
        return _ends_sentence(text, point)
    if not after.isupper():  # a particle, as Korean has them behind quotes and brackets
        return False
    inner = _char(text, point - 2)
    if before == "'":
        return inner != "" and inner in _SIGNS
    if before == "\u201c" and not _closes_german_quote(text, point - 1):
        return False
    if before in ")]":
        return _is_own_bracket(text, point - 1)
    return _is_letter(inner) or (inner != "" and inner in _SIGNS + ")]")


def _begins_text(text: str, point: int) -> bool:
    """Whether a sentence may begin at a letter."""
    char, following = _char(text, point), _char(text, point + 1)
    if char.isupper():
        if not (_is_letter(following) or following in ("'", " ", "\u00a0")):
            return False
    elif not _is_caseless(char):
        return False
    end = point
    while end - point <= 3 and _is_letter(_char(text, end)):
        end += 1
    return end - point > 3 or _char(text, end) != "."


def _ends_sentence(text: str, point: int) -> bool:
    """Whether what stands before a point ends a sentence, by the word before its signs."""
    end = point
    while point - end < _REACH and _char(text, end - 1) in _SIGNS and end > 0:
        end -= 1
    last, other = _char(text, end - 1), _char(text, end - 2)
    if point - end > 1 or text[end] != ".":
        return _is_letter(last) or _is_digits(last) or (last != "" and last in _CLOSING + "'%")
    if last != "" and last in _CLOSING + "'%":
        return True
    if _is_digits(last):
        return end >= 4 and _is_digits(text[end - 4 : end])
    if not (_is_letter(last) and _is_letter(other)):
        return False
    start = _letters_start(text, end)
    if _char(text, start - 1) in tuple("./_\\@"):
        return False
    if last.isupper():
        return other.isupper() and not (_char(text, point).isupper() and _char(text, point + 1).isupper())
    if last.islower() and not other.islower():
        return False
    return not (text[start].isupper() and end - start <= 3)


def _is_own_bracket(text: str, closing: int) -> bool:
    """Whether a bracket that closes there is no part of a word, as in "wed(ding)": it begins behind none, or holds a
    blank."""
    opening = "(["[text[closing] == "]"]
    blank = False
    for place in range(closing - 1, max(-1, closing - _REACH), -1):
        char = text[place]
        if char == "\n":
            return False
        if char == opening:
            behind = _char(text, place - 1)
            return blank or not (_is_letter(behind) or _is_digits(behind))
        blank = blank or char in " \u00a0"
    return False


def _closes_german_quote(text: str, place: int) -> bool:
    """Whether the quote there closes one that began low."""
    for char in reversed(text[max(0, place - _REACH) : place]):
        if char in "\u201c\u201d\u201e\n":
            return char == "\u201e"
    return False


def _is_address(text: str, point: int) -> bool:
    """Whether a point lies in an address, a path, or the name of an account."""
    start = point
    while start > 0 and point - start < _REACH and not text[start - 1].isspace():
        start -= 1
    run = text[start:point]
    if any(sign in run for sign in ("://", "www.", "@", "#", "_", "\\")):
        return True
    end = point
    while end < len(text) and end - point < 64 and text[end].isascii() and (text[end].isalnum() or text[end] in ".-+_"):
        end += 1
    return _char(text, end) == "@"


def _letters_start(text: str, end: int) -> int:
    start = end
    while start > 0 and end - start < _MAX_WORD and _is_letter(text[start - 1]):
        start -= 1
    return start


def _char(text: str, place: int) -> str:
    return text[place] if 0 <= place < len(text) else ""


def _is_digits(text: str) -> bool:
    return text.isascii() and text.isdigit()


def _is_letter(char: str) -> bool:
    """A letter or a mark on one, of a script with spaces."""
    return char != "" and in_class(char, LETTER) and not in_class(char, OWN_TOKEN)


def _is_caseless(char: str) -> bool:
    return _is_letter(char) and in_class(char, CASELESS)
