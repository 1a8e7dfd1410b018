"""Normalised tokens -> regular expression, and running text -> text in which marks are single characters.

An expression has the shape ``left(tokens)right``: group 1 is what a cut removes, `left` and `right` hold one character
of the token boundary.  It uses the common subset of `re`, `regex` and RE2; ``\\s`` is Unicode white space in the first
two (in `re` also U+001C to U+001F, which here are parts of words), and `for_re2` spells it out for the third, where it
is ASCII only.

The regular expressions of marks (URL, e-mail ...) may hold separators, so an expression applied to raw text could begin
in the middle of a URL.  The reference engine therefore replaces marks, and in HTML tags, by one private-use character
each before it applies the expressions: `rewrite_marks` is the independent twin of what `_scan` does while it scans.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterable, Mapping, Sequence
from functools import lru_cache
from itertools import pairwise
from typing import TYPE_CHECKING, NamedTuple

from templatemine.text import _scan
from templatemine.text._scan import FIRST_USER_ID, MARKER, MAX_HEAD_BREAKS, MIN_BETWEEN, SLOT_SIZE
from templatemine.text.characters import (
    JOINTS,
    LETTER,
    LINE_BREAKS,
    OTHER_LETTER,
    OWN_TOKEN,
    PROSE_ENDS,
    SMALL,
    WIDE_SPACE,
    in_class,
)
from templatemine.text.patterns import TABLE, PatternSet, parse_form
from templatemine.text.reading import ReadingRules, read_form, read_text
from templatemine.text.slots import ANY, DASHES, DATELINE, blank_pattern, filler_pattern, line_end_pattern, max_length

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

__all__ = ["EncodedText"]

# Where in its line a string must be, as the automaton spells it.
ANCHORS: Mapping[str, int] = {
    "": 0,
    "start": _scan.BEGINS_LINE,
    "end": _scan.ENDS_LINE,
    "line": _scan.BEGINS_LINE | _scan.ENDS_LINE,
}
# And how far the match of one with a slot reaches, by the side of the slot.
SLOT_REACH: Mapping[str, int] = {"end": _scan.TO_END, "start": _scan.TO_BEGIN}
_MARK_IDS = frozenset(index + 1 for index, row in enumerate(TABLE) if row.kind == "mark")

# Private-use characters that stand for marks and tags in marked text.  Where the text holds such a character itself,
# two stand for it: _ESCAPE and its counterpart one plane up, so that nothing in a text can pass for a mark.
_MARK_BASE = 0xF0000
_ESCAPE = "\U000f0ffe"
_OTHER_TAG = "\U000f0fff"
_PRIVATE_USE = "[\U000f0000-\U000fffff]"


def is_own_token(form: bytes) -> bool:
    """Return whether a form delimits itself: a tag or a character of a script without spaces."""
    if len(form) > 4 or form[0] < 0x80:  # more bytes than a character has; ASCII
        return False
    text = form.decode("utf-8", "surrogatepass") if form[0] != 0xFF and b"\xff" not in form else ""
    return len(text) == 1 and in_class(text, OWN_TOKEN)


def is_tag(form: bytes, html: bool) -> bool:
    """Return whether a form is mark-up.  A word in HTML can't begin like a tag, so the first bytes decide."""
    return html and len(form) > 1 and form[:1] == b"<" and (form[1:2].isalpha() or form[1:2] in (b"/", b"!", b"?"))


def separator_class(separators: str) -> str:
    """Return the class of characters that part tokens, without its brackets."""
    return r"\s" + "".join("\\" + char for char in separators)


@lru_cache(maxsize=64)
def separator_pattern(separators: str, optional: bool) -> str:
    """Return the expression of separators between two tokens."""
    return f"[{separator_class(separators)}]{'*' if optional else '+'}"


def expression(
    forms: Sequence[bytes],
    patterns: PatternSet,
    separators: str,
    html: bool,
    tags: Mapping[bytes, str] | None = None,
    anchor: str = "",
    slot: str = "",
    kind: str = ANY,
) -> str:
    """Return the regular expression of a string of normalised tokens.

    With `tags` (form of a tag -> its character) the expression is meant for marked text, otherwise for raw text.
    `anchor` is one of `ANCHORS`: whether the string must begin or end a line, or be one.  `slot` is "end" or "start" if
    the rest of the line up to its end, or from its beginning, is a part of the match, and `kind` what it may be, see
    `slots`; not in marked text, where a mark is one character and nothing can be told of a filler.
    """
    form_infos = _describe_forms(forms, patterns, html, tags)
    parts = _join_tokens(form_infos, separators)
    left, right = _outer_edges(
        form_infos[0], form_infos[-1], _edge_patterns(separators, html, tags is not None), anchor
    )
    if slot:
        _, _, line_start, line_end = _edge_patterns(separators, html, False)
        slot_part = _slot_rest(form_infos, slot, separators, kind)
        if slot == "end":
            parts, right = [*parts, slot_part], line_end
        else:
            parts, left = [slot_part, *parts], line_start
            if kind == DATELINE:
                left = text_head(separators)
                if not ANCHORS[anchor] & _scan.ENDS_LINE:
                    right = dateline_end(separators, form_infos[-1].is_own_token, form_infos[-1].ends_in_joint)
    return f"{left}({''.join(parts)}){right}"


def two_sided_expression(
    head: Sequence[bytes],
    forms: Sequence[bytes],
    patterns: PatternSet,
    separators: str,
    anchor: str = "",
    kind: str = ANY,
) -> str:
    """Return the regular expression, for raw text, of two strings of a line and what is between, of a kind that `slots`
    tells; `anchor` as of `expression`."""
    head_infos, form_infos = (_describe_forms(one, patterns, False, None) for one in (head, forms))
    left, right = _outer_edges(head_infos[0], form_infos[-1], _edge_patterns(separators, False, False), anchor)
    parts = _join_tokens(head_infos, separators, within_line=True)
    parts += [_between_pattern(head_infos[-1], form_infos[0], separators, kind), *_join_tokens(form_infos, separators)]
    return f"{left}({''.join(parts)}){right}"


def _outer_edges(first: _FormInfo, last: _FormInfo, edges: Sequence[str], anchor: str) -> tuple[str, str]:
    """Return the expressions of the context before the first token, and behind the last one."""
    left_edge, right_edge, line_start, line_end = edges
    left = _left_edge(left_edge + (JOINTS if first.begins_with_letter else ""))
    right = _right_edge(right_edge + (LETTER if last.ends_in_joint else ""))
    left = line_start if ANCHORS[anchor] & _scan.BEGINS_LINE else "" if first.is_own_token else left
    return left, line_end if ANCHORS[anchor] & _scan.ENDS_LINE else "" if last.is_own_token else right


def _left_edge(edge: str) -> str:
    return f"(?:^|[{edge}])"


def _right_edge(edge: str) -> str:
    return f"(?:[{edge}]|$)"


def _slot_rest(form_infos: Sequence[_FormInfo], slot: str, separators: str, kind: str) -> str:
    """Return the expression of the filler of a slot."""
    neighbour = form_infos[-1 if slot == "end" else 0]
    max_chars = max_length(kind)
    return (
        _kind_rest(slot, separators, neighbour, kind)
        if max_chars is None
        else _limited_rest(slot, separators, neighbour, max_chars)
    )


def slot_pattern(
    forms: Sequence[bytes], patterns: PatternSet, separators: str, slot: str, kind: str, head: Sequence[bytes] = ()
) -> str:
    """Return the part of an expression for raw text that a filler matches; see `expression`."""
    form_infos = _describe_forms(forms, patterns, False, None)
    if head:
        return _between_pattern(_describe_forms(head, patterns, False, None)[-1], form_infos[0], separators, kind)
    return _slot_rest(form_infos, slot, separators, kind)


def boundary_patterns(separators: str, html: bool) -> dict[str, str]:
    """Return expressions between and around tokens in raw text, by their names in packs."""
    left, right, line_start, line_end = _edge_patterns(separators, html, False)
    return {
        " ": separator_pattern(separators, False),
        "{gap?}": separator_pattern(separators, True),
        "{start}": _left_edge(left),
        "{start:}": _left_edge(left + JOINTS),
        "{end}": _right_edge(right),
        "{end:}": _right_edge(right + LETTER),
        "{line start}": line_start,
        "{line end}": line_end,
    }


def text_head(separators: str) -> str:
    """Return the expression of what is before a line of the head of a text: few lines, none of which ends as prose does
    or holds a dash; in packs ``{text head}``."""
    blank = f"(?:{blank_pattern(separators)})*"
    last = f"[^{separator_class(separators)}{PROSE_ENDS}{DASHES}]"
    return f"^(?:(?:[^{LINE_BREAKS}{DASHES}]*{last})?{blank}[{LINE_BREAKS}]){{0,{MAX_HEAD_BREAKS}}}?{blank}"


def dateline_end(separators: str, is_own_token: bool, ends_in_joint: bool = False) -> str:
    """Return the expression of what is behind the last token of a dateline: text that does not go on with a small
    letter; in packs ``{new text}`` and, behind a token that delimits itself, ``{new text?}``."""
    blank = f"(?:{blank_pattern(separators)})"
    begin = f"(?:[^{separator_class(separators)}{SMALL}]|[{LINE_BREAKS}]|$)"
    if is_own_token:
        return f"{blank}*{begin}"
    glued = OWN_TOKEN + (OTHER_LETTER if ends_in_joint else "")
    return f"(?:{blank}+{begin}|[{glued}{LINE_BREAKS}]|$)"


def within_line_patterns(separators: str) -> dict[str, str]:
    """Return expressions between tokens before a slot in the middle, by their names in packs."""
    blank = blank_pattern(separators)
    return {"{blank}": f"(?:{blank})+", "{blank?}": f"(?:{blank})*"}


def _join_tokens(form_infos: Sequence[_FormInfo], separators: str, within_line: bool = False) -> list[str]:
    """Return the expressions of neighbouring tokens, with joints, which may be line breaks."""
    required, optional = separator_pattern(separators, False), separator_pattern(separators, True)
    if within_line:
        required, optional = within_line_patterns(separators).values()
    parts = [form_infos[0].pattern]
    for left, right in pairwise(form_infos):
        parts.append(
            optional
            if left.is_own_token or right.is_own_token or (left.ends_in_joint and right.begins_with_letter)
            else required
        )
        parts.append(right.pattern)
    return parts


def _between_pattern(left: _FormInfo, right: _FormInfo, separators: str, kind: str) -> str:
    """Return a filler between two tokens of a line that meets both at boundaries, to the first place where the right
    one may be."""
    if kind != ANY:
        return filler_pattern(kind, separators, "middle", "")
    blank, any_char = blank_pattern(separators), f"[^{LINE_BREAKS}]"
    first = any_char if left.is_own_token else f"(?:{blank}|[{OWN_TOKEN}{LETTER if left.ends_in_joint else ''}])"
    last = any_char if right.is_own_token else f"(?:{blank}|[{OWN_TOKEN}{JOINTS if right.begins_with_letter else ''}])"
    return f"{first}{any_char}{{0,{SLOT_SIZE - MIN_BETWEEN}}}?{last}"


def _limited_rest(slot: str, separators: str, neighbour: _FormInfo, max_chars: int) -> str:
    """Return the rest of a line beside a token, of some length at most: nothing, or what begins and ends with tokens
    and meets it at a boundary."""
    edge_char = f"[^{separator_class(separators)}]"
    blank = f"(?:{blank_pattern(separators)})"
    middle = f"[^{LINE_BREAKS}]{{0,{max_chars - (1 if neighbour.is_own_token else 2)}}}"
    if slot == "end":
        glued_char = f"[{OWN_TOKEN}{LETTER if neighbour.ends_in_joint else ''}]"
        body = (
            f"{middle}{edge_char}"
            if neighbour.is_own_token
            else f"{blank}{middle}{edge_char}|{glued_char}(?:{middle}{edge_char})?"
        )
    else:
        glued_char = f"[{OWN_TOKEN}{JOINTS if neighbour.begins_with_letter else ''}]"
        body = (
            f"{edge_char}{middle}"
            if neighbour.is_own_token
            else f"{edge_char}{middle}{blank}|(?:{edge_char}{middle})?{glued_char}"
        )
    return f"(?:{body})?"


def _kind_rest(slot: str, separators: str, neighbour: _FormInfo, kind: str) -> str:
    """Return the rest of a line that is of a kind, or nothing."""
    joins = neighbour.ends_in_joint if slot == "end" else neighbour.begins_with_letter
    return filler_pattern(kind, separators, slot, "any" if neighbour.is_own_token else "joint" if joins else "")


def _ends_in_joint(form: bytes) -> bool:
    return form[-1:] in (b":", b"/", b")")


def for_re2(pattern: str) -> str:
    """Return an expression with ``\\s`` spelt out as Unicode white space, as RE2 needs it."""
    spelt = pattern.replace(r"[\s", r"[\s\v" + WIDE_SPACE).replace(r"[^\s", r"[^\s\v" + WIDE_SPACE)
    return spelt.replace(rf"[^\S{LINE_BREAKS}]", r"[\t\v\f\r " + WIDE_SPACE.replace("\u2028\u2029", "") + "]")


@lru_cache(maxsize=64)
def _edge_patterns(separators: str, html: bool, rewritten: bool) -> tuple[str, str, str, str]:
    """Return classes of characters before a string and behind it, without brackets, and expressions of the beginning
    and the end of a line."""
    edge = separator_class(separators) + OWN_TOKEN
    left, right = edge, edge
    if html:
        left, right = (edge + _OTHER_TAG + "\U000f1000-\U000fffff",) * 2 if rewritten else (edge + ">", edge + "<")
    line_start = f"(?:^|[{LINE_BREAKS}])(?:{blank_pattern(separators)})*"
    line_end = line_end_pattern(separators)
    return left, right, line_start, line_end


def _escape_literal(text: str) -> str:
    return text if text.isalnum() else re.escape(text)


MAX_LITERAL = 256
"""Characters in a row that `regex` may be given.  Before the first search it makes a table for them, with the
interpreter's lock held: 5 ms for 250, 35 ms for 500, 280 ms for 1,000, 2.2 s for 2,000, the cube (version
2026.11.19)."""


def _escape_searched(text: str) -> str:
    """Return a literal that is searched for by `regex`, which takes the cube of its length to prepare for what it does
    not see in parts."""
    if len(text) <= MAX_LITERAL:
        return _escape_literal(text)
    parts = (text[start : start + MAX_LITERAL] for start in range(0, len(text), MAX_LITERAL))
    return "".join(f"(?>{_escape_literal(part)})" for part in parts)


_MAX_CACHED = 50_000


class _FormInfo(NamedTuple):
    """A form's expression; whether it delimits itself, begins with a letter, ends where a letter begins a new token."""

    pattern: str
    is_own_token: bool
    begins_with_letter: bool
    ends_in_joint: bool


def _describe_forms(
    forms: Iterable[bytes], patterns: PatternSet, html: bool, tags: Mapping[bytes, str] | None
) -> list[_FormInfo]:
    """Return the properties of forms; for raw text they are kept: templates share tokens."""
    if tags is not None:
        return [_describe_form(form, patterns, html, tags) for form in forms]
    if html not in patterns.form_infos:
        patterns.form_infos[html] = _FormInfos(patterns, html)
    return [*map(patterns.form_infos[html].__getitem__, forms)]


class _FormInfos(dict[bytes, _FormInfo]):
    """Form -> its properties in raw text, of the last forms that were asked for."""

    def __init__(self, patterns: PatternSet, html: bool) -> None:
        self._patterns, self._html = patterns, html

    def __missing__(self, form: bytes) -> _FormInfo:
        if len(self) >= _MAX_CACHED:
            self.clear()
        info = self[form] = _describe_form(form, self._patterns, self._html, None)
        return info


def _describe_form(form: bytes, patterns: PatternSet, html: bool, tags: Mapping[bytes, str] | None) -> _FormInfo:
    tag = is_tag(form, html)
    return _FormInfo(
        _token_pattern(form, patterns, tag, tags),
        tag or is_own_token(form),
        patterns.splits_at_joints and not tag and patterns.begins_with_letter(parse_form(form)[0]),
        patterns.splits_at_joints and _ends_in_joint(form),
    )


def _token_pattern(form: bytes, patterns: PatternSet, tag: bool, tags: Mapping[bytes, str] | None) -> str:
    if tag:
        return _tag_pattern(form, patterns) if tags is None else tags[form]
    parts: list[str] = []
    pieces = parse_form(form)
    for index, piece in enumerate(pieces):
        if isinstance(piece, str):
            parts.append(_escape_literal(piece) if tags is None else _escape_searched(_escape_private(piece)))
        elif tags is not None and (piece in _MARK_IDS or piece >= FIRST_USER_ID):
            parts.append(chr(_MARK_BASE + piece))
        else:
            next_piece = pieces[index + 1] if index + 1 < len(pieces) else None
            parts.append(patterns.expression_of(piece, isinstance(next_piece, str) and next_piece.startswith(".")))
    return "".join(parts)


def literal_pieces(forms: Sequence[bytes], html: bool, tags: Mapping[bytes, str]) -> list[str]:
    """Return text that every match of an expression for marked text contains."""
    pieces: list[str] = []
    for form in forms:
        if is_tag(form, html):
            pieces.append(tags[form])
        else:
            pieces += [_escape_private(piece) for piece in parse_form(form) if isinstance(piece, str)]
    return pieces


# White space in a tag is what the scanner takes for it there: everything up to the blank.
_BLANK = r"[\x00-\x20]"


def _tag_piece_pattern(form: bytes, patterns: PatternSet) -> str:
    """Return the expression of a piece of a tag."""
    parts: list[str] = []
    for piece in parse_form(form):
        if isinstance(piece, str):
            parts.append(f"{_BLANK}+".join(_escape_literal(word) for word in piece.split(" ")))
        else:
            parts.append("[0-9]+" if piece < FIRST_USER_ID else patterns.expression_of(piece))
    return "".join(parts)


def _attribute_pattern(name: str, value: bytes, patterns: PatternSet) -> str:
    return rf"(?i:{name}){_BLANK}*={_BLANK}*[\x22']?{_BLANK}*{_tag_piece_pattern(value, patterns)}{_BLANK}*"


_TAG_FORM = rb'(?s)<(?P<name>[^ >]+)(?: class="(?P<class>(?:(?!" id=").)*)")?(?: id="(?P<id>.*)")?(?P<close>>?)'


def _tag_pattern(form: bytes, patterns: PatternSet) -> str:
    """Return the expression of a tag in raw HTML: name, class and id as they are, any other attribute."""
    if form == b"<!---->":
        return "<!--(?:-?>|(?s:.*?)-->|(?s:.*)$)"
    if form in (b"<script>", b"<style>"):
        name = form[1:-1].decode()
        rest = "(?:[^a-zA-Z0-9>][^>]*)?"
        return rf"<(?i:{name}){rest}(?:>(?s:.*?)</(?i:{name}){rest}>|>(?s:.*)$|$)"
    match = re.fullmatch(_TAG_FORM, form)
    if match is None:
        return _tag_piece_pattern(form, patterns)
    head = f"<(?i:{_tag_piece_pattern(match.group('name'), patterns)})"
    attributes = [
        _attribute_pattern(name, match.group(name), patterns)
        for name in ("class", "id")
        if match.group(name) is not None
    ]
    tail = match.group("close").decode()
    if not attributes:
        return rf"{head}(?:[\x00-\x20/][^>]*)?{tail}"
    before, after = r"(?:[^>]*[\x00-\x20/\x22'])?", r"(?:[\x22'\x00-\x20/][^>]*)?"
    orders = [attributes] if len(attributes) == 1 else [attributes, attributes[::-1]]
    between = rf"[\x22\x00-\x20/\x27]{before}"
    bodies = [f"{before}{between.join(order)}{after}" for order in orders]
    return rf"{head}[\x00-\x20/](?:{'|'.join(bodies)}){tail}"


def _escape_private(text: str) -> str:
    """Escape a text's own private-use characters."""
    return str(re.sub(_PRIVATE_USE, lambda match: _ESCAPE + chr(ord(match.group()) + 0x10000), text))


def _encode_rewritten(rewritten: str) -> bytes:
    """Return a piece of text with user patterns marked, as the native core spells it."""
    parts = re.split(f"({_ESCAPE}.|[\U000f0000-\U000f0fff])", rewritten)
    encoded = bytearray()
    for index, part in enumerate(parts):
        if index % 2 == 0:
            encoded += part.encode("utf-8", "surrogatepass")
        elif part[0] == _ESCAPE:
            encoded += chr(ord(part[1]) - 0x10000).encode()
        else:
            encoded += bytes((MARKER, ord(part) - _MARK_BASE))
    return bytes(encoded)


class RewrittenText:
    """Text with some pieces replaced, and the way back to the original.

    Parameters
    ----------
    edits : sequence of (start, end, replacement)
        Disjoint, in order.

    Attributes
    ----------
    text : str
        The text with the replacements.
    """

    def __init__(self, text: str, edits: Sequence[tuple[int, int, str]]) -> None:
        parts: list[str] = []
        self._rewritten_offsets: list[int] = [0]
        self._original_offsets: list[int] = [0]
        position = size = 0
        for start, end, replacement in edits:
            parts += [text[position:start], replacement]
            size += start - position
            self._rewritten_offsets += [size, size + len(replacement)]
            self._original_offsets += [start, end]
            size += len(replacement)
            position = end
        parts.append(text[position:])
        self.text = "".join(parts)

    def original_offset(self, offset: int) -> int:
        """Return the original offset of an edge of a match."""
        index = bisect_right(self._rewritten_offsets, offset) - 1
        return self._original_offsets[index] + offset - self._rewritten_offsets[index]


class _RewrittenTwice(RewrittenText):
    """Marked text that was marked once more."""

    def __init__(self, first: RewrittenText, edits: Sequence[tuple[int, int, str]]) -> None:
        super().__init__(first.text, edits)
        self._first = first

    def original_offset(self, offset: int) -> int:
        return self._first.original_offset(super().original_offset(offset))


# Letters of names are ASCII: with (?i) the long s and the Kelvin sign would be letters too.
_SCRIPT, _STYLE, _NAME_END = "[sS][cC][rR][iI][pP][tT]", "[sS][tT][yY][lL][eE]", "(?![a-zA-Z0-9])"
_TAG_REST = r"[^>]*(?:>|\Z)"


def _element_pattern(name: str) -> str:
    """Return a script or style with all it holds; to the end of the text if it is never closed."""
    return rf"<{name}{_NAME_END}[^>]*(?:>(?s:.*?)(?:</{name}{_NAME_END}{_TAG_REST}|\Z)|\Z)"


_COMMENT = r"<!--(?:-?>|(?s:.*?)-->|(?s:.*)\Z)"
_MARKUP = rf"{_COMMENT}|{_element_pattern(_SCRIPT)}|{_element_pattern(_STYLE)}|<[a-zA-Z/!?]{_TAG_REST}"
_ATTRIBUTE = (
    rf"""[\x00-\x20/]*(?P<name>[^\x00-\x20/][^\x00-\x20/=]*)"""
    rf"""(?:{_BLANK}*={_BLANK}*(?:"(?P<a>[^"]*)"?|'(?P<b>[^']*)'?|(?P<c>[^\x00-\x20]*)))?"""
)


def _ascii_lower(text: str) -> str:
    return "".join(chr(ord(char) | 32) if "A" <= char <= "Z" else char for char in text)


def tag_form(tag: str, patterns: PatternSet) -> bytes:
    """Return the form of a piece of mark-up: the twin of the native one."""
    if tag.startswith("<!--"):
        return b"<!---->"
    raw_element = re.match(f"<({_SCRIPT}|{_STYLE}){_NAME_END}", tag)
    if raw_element:
        return f"<{raw_element.group(1).lower()}>".encode()
    closed = tag.endswith(">")
    inner = tag[1 : -1 if closed else len(tag)]
    slash = "/" if inner.startswith("/") else ""
    name = re.split(r"[\x00-\x20/]", inner[len(slash) :], maxsplit=1)[0]
    form = f"<{slash}".encode() + _encode_rewritten(_ascii_lower(name))
    if re.match("[a-zA-Z]", inner):
        values: dict[str, bytes] = {}
        for match in re.compile(_ATTRIBUTE).finditer(inner, pos=len(slash) + len(name)):
            key = _ascii_lower(match.group("name"))
            value = next((match.group(group) for group in "abc" if match.group(group)), "")
            if key in ("class", "id") and value and key not in values:
                words = _encode_rewritten(" ".join(word for word in re.split(r"[\x00-\x20]+", value) if word))
                if "number" in patterns.enabled:
                    words = re.sub(rb"[0-9]+", bytes((MARKER, patterns.id_of["number"])), words)
                values[key] = words
        for key in ("class", "id"):
            if key in values:
                form += b" " + key.encode() + b'="' + values[key] + b'"'
    return form + (b">" if closed else b"")


def _find_user_matches(text: str, patterns: PatternSet, separators: str) -> list[tuple[int, int, int]]:
    """Find the matches of the user's own patterns."""
    if not patterns.user:
        return []
    import regex

    return patterns.user_matches(text, regex.compile(f"[{separator_class(separators)}]"))


def rewrite_marks(
    text: str, patterns: PatternSet, separators: str, html: bool, tags: Mapping[bytes, str]
) -> RewrittenText:
    """Replace user patterns, then tags, then built-in marks by one character each."""
    user_matches = _find_user_matches(text, patterns, separators)
    edits = [(start, end, chr(_MARK_BASE + number)) for start, end, number in user_matches]
    for start, end in _find_gaps(text, edits):
        edits += [
            (match.start(), match.end(), _escape_private(match.group()))
            for match in re.compile(_PRIVATE_USE).finditer(text, start, end)
        ]
    first = RewrittenText(text, sorted(edits))
    edits = []
    if html:
        # A user's pattern may have replaced a part of a tag, so tags are searched in the rest.
        edits = [
            (*match.span(), tags.get(tag_form(match.group(), patterns), _OTHER_TAG))
            for match in re.finditer(_MARKUP, first.text)
        ]
    if patterns.mark_regex is not None:
        for start, end in _find_gaps(first.text, edits):
            edits += [
                (start + match.start(), start + match.end(), chr(_MARK_BASE + patterns.id_of[str(match.lastgroup)]))
                for match in patterns.mark_regex.finditer(first.text[start:end])
            ]
    return _RewrittenTwice(first, sorted(edits))


class EncodedText:
    """A text as the native core reads it, its reading form in UTF-8 with user patterns as marks, and the way back.

    Parameters
    ----------
    rules : ReadingRules, optional
        How texts of the source are read; without, the text is read unchanged, as pages are.

    Attributes
    ----------
    text : str
        The reading form.
    data : bytes
    """

    def __init__(self, text: str, patterns: PatternSet, separators: str, rules: ReadingRules | None = None) -> None:
        self.reading = None if rules is None else read_text(text, rules)
        self.text = text = text if self.reading is None else self.reading.text
        self._user_matches = _find_user_matches(text, patterns, separators)
        parts: list[bytes] = []
        position = 0
        for start, end, number in self._user_matches:
            parts += [text[position:start].encode("utf-8", "surrogatepass"), bytes((MARKER, number))]
            position = end
        parts.append(text[position:].encode("utf-8", "surrogatepass"))
        self.data = b"".join(parts) if position else parts[0]
        self._is_ascii = len(self.data) == len(text) and not self._user_matches

    def spans(self, starts: NDArray[np.int64], ends: NDArray[np.int64]) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        """Map stretches in bytes, in any order, to stretches of the original in code points."""
        starts, ends = self.points(starts, ends)
        if self.reading is None or not len(starts):
            return starts, ends
        import numpy as np

        spans = zip(starts.tolist(), ends.tolist(), strict=True)
        bounds = np.array([self.reading.original_span(*span) for span in spans], np.int64)
        return bounds[:, 0], bounds[:, 1]

    def original_span(self, start: int, end: int) -> tuple[int, int]:
        """Return a stretch of the reading form, in code points, as one of the original."""
        return (start, end) if self.reading is None else self.reading.original_span(start, end)

    def points(self, starts: NDArray[np.int64], ends: NDArray[np.int64]) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        """Map stretches in bytes, in any order, to stretches of the reading form in code points."""
        if self._is_ascii:
            return starts, ends
        import numpy as np

        offsets, inverse = np.unique(np.concatenate([starts, ends]), return_inverse=True)
        points = self.code_points(offsets)[inverse]
        return points[: len(starts)], points[len(starts) :]

    def code_points(self, offsets: NDArray[np.int64]) -> NDArray[np.int64]:
        """Map ascending offsets in `data` to code points of the reading form."""
        if self._is_ascii:
            return offsets
        points = _scan.code_points(self.data, offsets)
        if self._user_matches:
            import numpy as np

            # A mark counts as one code point: its second byte looks like a continuation.
            extra = np.array([end - start - 1 for start, end, _ in self._user_matches], np.int64)
            starts = np.array([start for start, _, _ in self._user_matches], np.int64) - (np.cumsum(extra) - extra)
            points += np.concatenate([np.zeros(1, np.int64), np.cumsum(extra)])[np.searchsorted(starts, points)]
        return points


def tokeniser_input(text: str, patterns: PatternSet, separators: str, rules: ReadingRules | None = None) -> str | bytes:
    """Return a text for `_scan.Tokeniser.add_all`: its reading form (`read_form`), in UTF-8 where the user's patterns
    become marks."""
    if patterns.user:
        return EncodedText(text, patterns, separators, rules).data
    return text if rules is None else read_form(text, rules)


def _find_gaps(text: str, edits: list[tuple[int, int, str]]) -> list[tuple[int, int]]:
    """Return the gaps between edits; sorts the edits."""
    edits.sort()
    gaps: list[tuple[int, int]] = []
    position = 0
    for start, end, _ in edits:
        gaps.append((position, start))
        position = end
    gaps.append((position, len(text)))
    return gaps
