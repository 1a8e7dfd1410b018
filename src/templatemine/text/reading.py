"""Text -> its reading form, in which text that looks the same is the same, with the way back to the original.

Tokeniser, segmenter and both engines see the reading form; offsets in public answers are those of the original.  A text
that is its own reading form, as most are, is not copied.  Four steps make it:

1. Characters (always).  Invisible ones go: marks of direction, joiners, soft hyphens, variation selectors, U+FEFF,
   tatweel.  An apostrophe is ', an ellipsis three full stops, full-width forms are those of ASCII, a line ends with a
   line feed.  In sources whose text fields hold mark-up, tags and entities are decoded first.  In sources whose texts
   are cut off at a length, what the end leaves of a word, a tag or an entity goes, too.
2. The result is in NFC.
3. Glue points, where a parser lost a line break ("dialogue.Log in", "ouverteSi"), become line feeds.  Beside Han and
   kana, the signs ! ( ) , : ; ? are full-width, for there they are tokens of their own.
4. In sources whose articles are one line each, sentences are read as lines: what anchors and slots go by elsewhere.  A
   short stretch behind a glue point that ends without a sign, as headlines do, stays one line; at the end of a text, if
   that is as long as no item that a feed cuts off.

Pages (HTML) are read unchanged.
"""

from __future__ import annotations

import unicodedata
from array import array
from bisect import bisect_left, bisect_right
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache, lru_cache
from typing import TYPE_CHECKING, cast

from templatemine.text import _reading

if TYPE_CHECKING:
    import regex

__all__ = [
    "CUT_OFF_SPREAD",
    "PLAIN",
    "Reading",
    "ReadingRules",
    "find_soft_points",
    "holds_markup",
    "plain_form",
    "read_form",
    "read_string",
    "read_text",
]

CUT_OFF_SPREAD = _reading.CUT_OFF_SPREAD
"""Characters by which a text that is cut off is shorter where the blanks at its end are gone."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ReadingRules:
    """The rules by which texts of a source are read.

    Attributes
    ----------
    soft : bool
        Whether a small letter before a capital may be a glue point.
    starts : tuple of str
        Words that begin lines behind such points: where one follows a word with a capital, that is a point, too.
    whole : tuple of str
        Words that are written so, and are not parted: names of products and firms.
    markup : bool
        Whether tags and entities in texts are decoded.
    sentences : bool
        Whether sentences are read as lines, in a source whose articles are one line each.
    cut_off : int
        Length in characters at which texts are cut off; 0 where they are whole.
    """

    soft: bool = False
    starts: tuple[str, ...] = ()
    whole: tuple[str, ...] = ()
    markup: bool = False
    sentences: bool = False
    cut_off: int = 0

    def __hash__(self) -> int:
        """Return a hash of what takes no time: that of thousands of words would, for each text."""
        return len(self.starts) << 20 ^ len(self.whole)

    @property
    def native(self) -> _reading.Rules:
        """Return the native reader of these rules."""
        return _native(self)


PLAIN = ReadingRules()
"""The rules of a source of which nothing is known."""


@lru_cache(maxsize=256)
def _native(rules: ReadingRules) -> _reading.Rules:
    entities = None
    if rules.markup:
        from html.entities import html5

        entities = {name[:-1]: char for name, char in html5.items() if name.endswith(";")}
    return _reading.Rules(rules.soft, rules.starts, rules.whole, rules.sentences, entities, rules.cut_off)


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
        """Map the bounds of a stretch to the original.  Invisible characters at its edges belong to it, and an edge
        within what a character became takes all of that character."""
        for step in self._steps:
            start, end = step.original_start(start), step.original_end(end)
        return start, max(start, end)


class _Step:
    """The edits of one step in a text: for each piece new start, new end, start and end."""

    def __init__(self, edits: array[int]) -> None:
        self._starts, self._ends = edits[::4], edits[1::4]
        self._originals = list(zip(edits[2::4], edits[3::4], strict=True))

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
    """Return the reading form of a text; None if the text is that itself."""
    native = _native(rules)
    found = native.read(text)
    if found is None:
        return None
    if found is not _reading.NOT_COMPOSED:
        form, edits = cast("tuple[str, list[array[int]]]", found)
        return Reading(form, [_Step(step) for step in edits])
    steps: list[array[int]] = []
    for part in ((0, 3), (), (3, 5)):
        found = native.read(text, *part, True) if part else _compose(text)
        if found is not None:
            text, edits = cast("tuple[str, list[array[int]]]", found)
            steps += edits
    return Reading(text, [_Step(step) for step in steps]) if steps else None


def read_form(text: str, rules: ReadingRules, *, encoded: bool = True) -> str | bytes:
    """Return the reading form of a text without the way back, in UTF-8; the text itself if it is that and in ASCII, or
    not to be `encoded`."""
    native = _native(rules)
    form = native.read(text, with_edits=False, encoded=encoded)
    if form is _reading.NOT_COMPOSED:
        folded = cast("bytes | None", native.read(text, 0, 3, True, False))
        text = unicodedata.normalize("NFC", text if folded is None else folded.decode("utf-8", "surrogatepass"))
        form = native.read(text, 3, 5, True, False, encoded)
    return text if form is None else cast("bytes", form)


def read_string(text: str, rules: ReadingRules) -> str:
    """Return the same as a string."""
    form = read_form(text, rules, encoded=False)
    return form if isinstance(form, str) else form.decode("utf-8", "surrogatepass")


@cache
def _compile(pattern: str) -> regex.Pattern[str]:
    import regex

    return regex.compile(pattern)


def _compose(text: str) -> tuple[str, list[array[int]]] | None:
    """Return a text in NFC, with its edits; None if it is so."""
    if unicodedata.is_normalized("NFC", text):
        return None
    parts: list[str] = []
    edits = array("q")
    position = size = 0
    for run in _compile(r"[\x00-\x7f]?[^\x00-\x7f]+").finditer(text):
        if unicodedata.is_normalized("NFC", run.group()):
            continue
        for cluster in _compile(r"\X").finditer(text, run.start(), run.end()):
            composed = unicodedata.normalize("NFC", cluster.group())
            if composed == cluster.group():
                continue
            start, end = cluster.span()
            parts += [text[position:start], composed]
            size += start - position
            edits.extend((size, size + len(composed), start, end))
            size += len(composed)
            position = end
    return "".join([*parts, text[position:]]), [edits]


_COMPOSING_RANGES = ((0xC0, 0x3100), (0xA66F, 0xABF0), (0xF900, 0xFE30))
"""Characters below U+10000 that composition is about: without Han and Hangul."""
_JAMO = (*range(0x1160, 0x1200), *range(0xD7B0, 0xD800))


def _make_composition() -> tuple[bytes, bytes]:
    """Return the classes of characters and the pairs that compose, see `_reading.set_composition`."""
    classes, pairs = bytearray(1 << 16), array("I")
    codes = [code for low, high in _COMPOSING_RANGES for code in range(low, high)]
    for code in codes:
        classes[code] = unicodedata.combining(chr(code))
    for code in codes:
        parts = unicodedata.decomposition(chr(code))
        if not parts or parts[0] == "<":
            continue
        if unicodedata.normalize("NFC", chr(code)) != chr(code):
            classes[code] = _reading.NEVER_COMPOSED
            continue
        classes[code] = classes[code] or _reading.COMPOSED
        first, second = (int(part, 16) for part in parts.split())
        pairs.extend((first, second))
        if classes[second] in (0, _reading.COMPOSED):
            classes[second] = _reading.COMPOSES
    for code in _JAMO:
        classes[code] = _reading.NEVER_COMPOSED
    return bytes(classes), pairs.tobytes()


_reading.set_composition(_make_composition)


def holds_markup(text: str) -> bool:
    """Return whether a text holds tags or entities."""
    return ("<" in text or "&" in text) and _native(_MARKUP).holds_markup(text)


_MARKUP = ReadingRules(markup=True)


def find_soft_points(text: str) -> Sequence[tuple[str, str]]:
    """Return the words with a soft point, as the halves left and right of it."""
    return _native(PLAIN).soft_points(text)


_WIDE_SIGNS = "\uff01\uff08\uff09\uff0c\uff1a\uff1b\uff1f"


def plain_form(char: str) -> str | None:
    """Return the form of a character in any context; None if it stays, or may."""
    found = None if char in _WIDE_SIGNS else read_text(char)
    return None if found is None else found.text
