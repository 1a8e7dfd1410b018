"""The slow, obvious twin of `text._reading`: the reading form of a text, step by step and with the tables spelt out."""

from __future__ import annotations

import html
import unicodedata
from bisect import bisect_left, bisect_right
from collections.abc import Callable, Iterable
from functools import cache
from html.entities import html5
from typing import NamedTuple

import regex

from templatemine.text import _reading
from templatemine.text._scan import SLOT_SIZE
from templatemine.text.characters import CASELESS, LETTER, OWN_TOKEN, in_class
from templatemine.text.reading import ReadingRules

MIN_ARTICLE = 1000
"""Characters of a text that no feed has cut off."""
MAX_STAMP = 180
"""Bytes of a stamp in brackets that opens a text."""
Edits = list[tuple[int, int, str]]
"""(start, end, replacement), ascending and disjoint."""


class Step:
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


def read(text: str, rules: ReadingRules) -> tuple[str, list[Step]]:
    """The reading form of a text, and the steps that made it.  O(n) with large factors."""
    steps: list[Step] = []
    makers: list[Callable[[str, ReadingRules], Edits]] = [_fold, _compose, _part]
    if _is_cut_off(text, rules) and not (rules.markup and (_find_unfinished(text, rules) or _ends_within_tag(text))):
        makers.insert(0, _drop_last_word)
    if rules.markup:
        makers.insert(0, _decode)
    if rules.sentences:
        makers.append(_part_sentences)
    for make in makers:
        edits = make(text, rules)
        if edits:
            steps.append(Step(text, edits))
            text = steps[-1].text
    return text, steps


def original_span(steps: list[Step], start: int, end: int) -> tuple[int, int]:
    for step in reversed(steps):
        start, end = step.original_start(start), step.original_end(end)
    return start, max(start, end)


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
_SINGLE_TAGS = ("br", "hr", "img", "wbr")
"""Without an end of their own."""
_AMPERSAND = "&(?:amp;)*"
_OPENS = regex.compile(f"(?:<|{_AMPERSAND}lt;)/?(?P<tag>[A-Za-z][A-Za-z0-9]*)")
_CLOSES = rf"(?:>|{_AMPERSAND}gt;|\Z)"
_REST = regex.compile(rf"(?:[ \t-\r/](?:(?!{_AMPERSAND}[lg]t;)[^<>]){{0,1000}}?)?{_CLOSES}")
_ENTITY = regex.compile(rf"{_AMPERSAND}(?P<entity>#[0-9]{{1,7}}|#[xX][0-9a-fA-F]{{1,6}}|[a-zA-Z][a-zA-Z0-9]{{0,31}});")


class Tag(NamedTuple):
    start: int
    end: int
    name: str
    closes: bool
    whole: bool
    """Not cut off by the end of the text."""


def _read_tag(text: str, place: int) -> Tag | None:
    tag = _OPENS.match(text, place)
    name = tag.group("tag").lower() if tag else ""
    rest = _REST.match(text, tag.end()) if tag and name in (_BLOCK_TAGS + " " + _INLINE_TAGS).split() else None
    if tag is None or rest is None:
        return None
    return Tag(place, rest.end(), name, "/" in tag.group(), rest.group().endswith((">", "gt;")))


_UNFINISHED = regex.compile(rf"(?:(?:<|{_AMPERSAND}lt;)/?[A-Za-z0-9]{{0,10}}|{_AMPERSAND}#?[A-Za-z0-9]{{0,32}})\Z")
"""What the end of a text leaves of a tag without attributes, or of an entity."""
_LAST_WORD = regex.compile(rf"[ \t]+(?:[0-9]|(?=[{LETTER}])[^{OWN_TOKEN}])+\Z")
_SENTENCE_END = regex.compile(r"[.!?\u061f\u06d4\u0964\u0965][)\]\"\u201d\u00bb]?\Z")


def _is_cut_off(text: str, rules: ReadingRules) -> bool:
    return rules.cut_off > 0 and rules.cut_off - 2 <= len(text) <= rules.cut_off


def _decode(text: str, rules: ReadingRules) -> Edits:
    """Tags and entities, and nothing of one that goes on where the text is cut off."""
    unfinished = _find_unfinished(text, rules)
    if unfinished is None:
        return _decode_markup(text)
    before = text[: unfinished.start()]
    edits = _decode_markup(before)
    end = len(before)
    if not _ends_within_tag(before):
        end = max(edits[-1][1] if edits else 0, len(before.rstrip(" \t")))
    return [*edits, (end, len(text), "")]


def _find_unfinished(text: str, rules: ReadingRules) -> regex.Match[str] | None:
    return _UNFINISHED.search(text, max(len(text) - 64, 0)) if _is_cut_off(text, rules) else None


def _ends_within_tag(text: str) -> bool:
    return any((tag := _read_tag(text, place)) and not tag.whole for place in range(len(text)))


def _drop_last_word(text: str, _: ReadingRules) -> Edits:
    """What is left of the last word of a text, if three others of its sentence stand before it."""
    last = _LAST_WORD.search(text)
    if last is None:
        return []
    words = regex.split("[ \t]+", text[: last.start()].rpartition("\n")[2].lstrip(" \t"))
    if len(words) < 3 or any(_SENTENCE_END.search(word) for word in words[-3:]):
        return []
    return [(last.start(), len(text), "")]


def _decode_markup(text: str) -> Edits:
    """Tags and entities; a tag that the end cuts off is read as text if its line shows nothing else."""
    edits: Edits = []
    place = 0
    shown = True
    while place < len(text):
        tag = _read_tag(text, place)
        if tag and (tag.whole or shown):
            block = tag.name in _BLOCK_TAGS.split()
            shown = shown and not block
            edits.append((place, tag.end, "\n" if block else ""))
            place = tag.end
            continue
        shown = text[place] != "\n" and (shown or text[place] > " ")
        entity = _ENTITY.match(text, place)
        place = place + 1 if entity is None else _add_entity(entity, edits)
    return edits


def take_empty_tags(text: str, spans: list[tuple[int, int]]) -> list[tuple[int, int]]:
    """Widen spans by the tags of elements in which they leave nothing.  O(n^2) and more."""
    tags: list[Tag] = []
    while (place := tags[-1].end if tags else 0) < len(text):
        found = (_read_tag(text, start) for start in range(place, len(text)))
        tag = next((tag for tag in found if tag), None)
        if tag is None:
            break
        tags.append(tag)
    partners: dict[Tag, Tag] = {}
    opened: list[Tag] = []
    for tag in tags:
        if tag.closes:
            of_name = [one for one in opened[-64:] if one.name == tag.name]
            if of_name:
                partners |= {tag: of_name[-1], of_name[-1]: tag}
                del opened[opened.index(of_name[-1]) :]
        elif tag.name not in _SINGLE_TAGS:
            opened.append(tag)
    gone = spans
    while (wider := _widen_once(text, gone, tags, partners)) != gone:
        gone = wider
    return gone


def _widen_once(
    text: str, spans: list[tuple[int, int]], tags: list[Tag], partners: dict[Tag, Tag]
) -> list[tuple[int, int]]:
    cuts: list[list[int]] = []
    """Places of the spans that only white space parts."""
    for place, (start, _) in enumerate(spans):
        if cuts and not text[spans[place - 1][1] : start].strip():
            cuts[-1].append(place)
        else:
            cuts.append([place])
    for cut in cuts:
        start, end = spans[cut[0]][0], spans[cut[-1]][1]
        free = spans[cut[0] - 1][1] if cut[0] else 0, spans[cut[-1] + 1][0] if cut[-1] + 1 < len(spans) else len(text)
        near = [tag for tag in tags if free[0] <= tag.start and tag.end <= free[1]]
        left = next((tag for tag in near if tag.end <= start and not text[tag.end : start].strip()), None)
        right = next((tag for tag in near if tag.start >= end and not text[end : tag.start].strip()), None)
        if right and (not right.whole or (right in partners and start <= partners[right].start < end)):
            return [*spans[: cut[-1]], (spans[cut[-1]][0], right.end), *spans[cut[-1] + 1 :]]
        if left is None or left.closes or left.name in _SINGLE_TAGS:
            continue
        other = partners.get(left)
        before = right is not None and right in partners and partners[right].start < left.start
        if (
            (not text[end:].strip() or before)
            if other is None
            else (start <= other.start and other.end <= end) or other == right
        ):
            return [*spans[: cut[0]], (left.start, spans[cut[0]][1]), *spans[cut[0] + 1 :]]
    return spans


def _add_entity(entity: regex.Match[str], edits: Edits) -> int:
    """The end of an entity, and its edit; of a name that is none, what stands before it may be an ampersand."""
    name = entity.group("entity")
    if name.startswith("#"):
        edits.append((*entity.span(), html.unescape(f"&{name};")))
        return entity.end()
    if f"{name};" in html5:
        edits.append((*entity.span(), html5[f"{name};"]))
        return entity.end()
    if entity.start("entity") > entity.start() + 1:
        edits.append((entity.start(), entity.start("entity"), "&"))
        return entity.start("entity")
    return entity.start() + 1


# ---------------------------------------------------------------------------------------------------------- glue points

_SIGNS = ".!?\u061f\u06d4\u0964\u0965"
"""Signs that end sentences of scripts with spaces."""
_OWN_STOPS = "\u3002\uff01\uff1f"
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
    hard = (
        rf"(?<=[{_SIGNS}\)\]\"\u201d\u00bb\u201c'])(?=[\u00a9\p{{Uppercase}}[{caseless}]{_OPENING.replace('(', '')}\(])"
    )
    return _compile(hard + (r"|(?<=[\p{Lowercase}0-9])(?=\p{Uppercase})" if soft else ""))


def _find_points(text: str, rules: ReadingRules) -> Iterable[int]:
    last_point = -1
    for match in _candidates(rules.soft).finditer(text):
        point = match.start()
        before = text[point - 1]
        if before.islower() or before.isdigit():
            word = soft_word(text, point)
            is_point = word is not None and _parts(word, rules)
        else:
            is_point = _is_hard(text, point, last_point)
        if is_point:
            yield point
            last_point = point


def _part_sentences(text: str, rules: ReadingRules) -> Edits:
    """Blanks between sentences, and ends of sentences of scripts without spaces; none within a headline behind a label."""
    edits: Edits = []
    whole_to = 0
    first = 0
    stamp = _compile(
        r"(?:【[^】【〔（\n。！？]*】|〔[^〕【〔（\n。！？]*〕|（[^）【〔（\n。！？]*）)( *+)(?!\n|$)"
    ).match(text)
    if stamp and len(stamp.group()[: -len(stamp.group(1)) or None].encode("utf-8", "surrogatepass")) <= MAX_STAMP:
        edits.append((*stamp.span(1), "\n"))
        first = stamp.end()
    for match in _compile(
        r" +(?=[^ \n\p{Lowercase}])|[\u3002\uff01\uff1f][\u3002\uff01\uff1f\u300d\u300f\u201d\uff09]*+(?=[^ \n])"
    ).finditer(text, first):
        begin, end = max(first, text.rfind("\n", 0, match.start()) + 1), text.find("\n", match.start())
        is_whole = end >= 0 or len(text) >= MIN_ARTICLE
        end = len(text) if end < 0 else end
        if match.start() < whole_to or (begin > 0 and is_whole and _is_headline(text, begin, end)):
            continue
        if text[match.start()] != " ":
            edits.append((match.end(), match.end(), "\n"))
        elif _ends_line(text, match.start()) and not _numbers(text, match.start(), match.end()):
            edits.append((*match.span(), "\n"))
            if is_whole and _has_one_label(text[match.end() : end]) and _is_headline(text, match.end(), end):
                whole_to = end
    return edits


def _has_one_label(text: str) -> bool:
    """Whether a text begins with a few words and a colon, and has no other colon before a blank: forty bytes with four
    blanks at most."""
    label, colon, rest = text.partition(":")
    is_label = 0 < len(label.encode("utf-8", "surrogatepass")) <= 40 and label.count(" ") <= 4
    is_label = is_label and not any(char in ".!?" for char in label)
    return bool(colon) and is_label and rest[:1] == " " and ": " not in rest


def _is_headline(text: str, start: int, end: int) -> bool:
    """Whether text up to a line feed is short and ends without a sign."""
    stretch = text[start:end].rstrip(" ")
    ends = _compile(r"[" + _SIGNS + _OWN_STOPS + r"]" + r"[)\]\"\u201d\u00bb\u201c'\u300d\u300f\uff09]{0,3}$")
    return len(stretch) <= SLOT_SIZE and not ends.search(stretch)


def _numbers(text: str, point: int, after: int) -> bool:
    """Whether a word that has a full stop before a number stands there."""
    start = _letters_start(text, point - 1)
    word = text[start : point - 1]
    return "0" <= _char(text, after) <= "9" and _char(text, point - 1) == "." and word in _reading.NUMBERING


def _ends_line(text: str, point: int) -> bool:
    """Whether a sentence ends at a point, behind closing quotes and brackets or none."""
    for end in range(point, point - 4, -1):
        char = _char(text, end - 1)
        if char and char in _SIGNS:
            return _ends_sentence(text, end, -1, spaced=True)
        if not char or char not in _CLOSING + "\u201c'":
            return False
    return False


def find_soft_points(text: str) -> Iterable[tuple[str, str]]:
    """The words with a soft point, as the halves left and right of it."""
    for match in _compile(r"(?<=[\p{Lowercase}0-9])(?=\p{Uppercase})").finditer(text):
        word = soft_word(text, match.start())
        if word is not None:
            yield word


def _parts(word: tuple[str, str], rules: ReadingRules) -> bool:
    """Whether a soft point parts a word of two halves."""
    left, right = word
    return left + right not in rules.whole and (not left[0].isupper() or right in rules.starts)


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


def _is_hard(text: str, point: int, last_point: int) -> bool:
    """Whether a line break was lost before a character, behind a sign."""
    before, after = text[point - 1], text[point]
    if after == "\u00a9":
        return before in _SIGNS and _ends_sentence(text, point, last_point) and not _is_address(text, point)
    if after in _OPENING:
        if before not in _SIGNS or not _begins_text(text, point + 1):
            return False
        if after == "\u201c" and _closes_german_quote(text, point):
            return False
        return _ends_sentence(text, point, last_point) and not _is_address(text, point)
    if not _begins_text(text, point) or _is_address(text, point):
        return False
    if before in _SIGNS:
        return _ends_sentence(text, point, last_point)
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


def _ends_sentence(text: str, point: int, last_point: int, spaced: bool = False) -> bool:
    """Whether what stands before a point ends a sentence, by the word before its signs.

    A word that begins at the glue point before, if there is one, begins a line.
    """
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
    if start != last_point and _char(text, start - 1) in tuple("._\\@" if spaced else "./_\\@"):
        return False
    if text[start:end] in _reading.TITLES:
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
