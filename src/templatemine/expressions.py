"""Normalised tokens -> regular expression, and running text -> text in which marks are single characters.

An expression has the shape ``left(tokens)right``: group 1 is what a cut removes, `left` and `right` hold one character
of the token boundary.  It uses the common subset of `re`, `regex` and RE2; ``\\s`` is Unicode white space in the first
two, and `for_re2` spells it out for the third, where it is ASCII only.

The regular expressions of marks (URL, e-mail ...) may hold separators, so an expression applied to raw text could begin
in the middle of a URL.  The reference engine therefore replaces marks, and in HTML tags, by one private-use character
each before it applies the expressions: `marked_text` is the independent twin of what `_core` does while it scans.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Mapping, Sequence

import numpy as np
import regex
from numpy.typing import NDArray

from templatemine import _core
from templatemine.patterns import FIRST_USER_ID, TABLE, PatternSet, parse_form

__all__ = ["ANCHORS", "OWN_TOKEN", "Encoded", "Marked", "expression", "for_re2", "is_own_token", "is_tag", "joint", "literal_pieces", "marked_text", "separator_class"]

# Characters that are tokens by themselves: Thai to Khmer, kana, Han, their punctuation and its full-width forms.
OWN_TOKEN = "\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u3001-\u30ff\u31f0-\u31ff\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\uff01-\uff0f\uff1a-\uff20\uff3b-\uff40\uff5b-\uff9f\U00020000-\U0003ffff"
LINE_BREAKS = r"\n" + "\u2028\u2029"
# Where in its line a string must stand, as the automaton spells it: 1 begins it, 2 ends it.
ANCHORS: Mapping[str, int] = {"": 0, "start": 1, "end": 2, "line": 3}
WIDE_SPACE = "\u0085\u00a0\u1680\u2000-\u200a\u2028\u2029\u202f\u205f\u3000"
_OWN = regex.compile(f"[{OWN_TOKEN}]")
_MARK_IDS = frozenset(place + 1 for place, row in enumerate(TABLE) if row.kind == "mark")

# Private-use characters that stand for marks and tags in marked text.
_MARK_BASE = 0xF0000
_TAG_BASE = 0xF1000
_OTHER_TAG = "\U000f0fff"
_CLASH = regex.compile("[\U000f0000-\U000fffff]")


def is_own_token(form: bytes) -> bool:
    """True if a form delimits itself: a tag or a character of a script without spaces."""
    text = form.decode("utf-8", "surrogatepass") if form[0] != 0xFF and b"\xff" not in form else ""
    return len(text) == 1 and _OWN.match(text) is not None


def is_tag(form: bytes, html: bool) -> bool:
    """True if a form is mark-up.  A word in HTML can't begin like a tag, so the first bytes decide."""
    return html and len(form) > 1 and form[:1] == b"<" and (form[1:2].isalpha() or form[1:2] in (b"/", b"!", b"?"))


def separator_class(separators: str) -> str:
    """The class of characters that part tokens, without its brackets."""
    return r"\s" + "".join("\\" + char for char in separators)


def joint(separators: str, optional: bool) -> str:
    """What stands between two tokens."""
    return f"[{separator_class(separators)}]{'*' if optional else '+'}"


def expression(
    forms: Sequence[bytes],
    patterns: PatternSet,
    separators: str,
    html: bool,
    tags: Mapping[bytes, str] | None = None,
    anchor: str = "",
) -> str:
    """The regular expression of a string of normalised tokens.

    With `tags` (form of a tag -> its character) the expression is meant for marked text, otherwise for raw text.
    `anchor` is one of `ANCHORS`: whether the string must begin or end a line, or be one.
    """
    own = [is_own_token(form) or is_tag(form, html) for form in forms]
    body = [_token(form, patterns, is_tag(form, html), tags) for form in forms]
    parts = [body[0]]
    for place in range(1, len(forms)):
        parts.append(joint(separators, own[place - 1] or own[place]))
        parts.append(body[place])
    edge = separator_class(separators) + OWN_TOKEN
    left_edge, right_edge = edge, edge
    if html:
        left_edge, right_edge = (edge + ">", edge + "<") if tags is None else (edge + _OTHER_TAG + "\U000f1000-\U000fffff",) * 2
    left = "" if own[0] else f"(?:^|[{left_edge}])"
    right = "" if own[-1] else f"(?:[{right_edge}]|$)"
    blank = "".join(f"|{re.escape(char)}" for char in separators)
    if ANCHORS[anchor] & 1:
        left = rf"(?:^|[{LINE_BREAKS}])(?:[^\S{LINE_BREAKS}]{blank})*"
    if ANCHORS[anchor] & 2:
        right = rf"(?:[^\S{LINE_BREAKS}]{blank})*(?:[{LINE_BREAKS}]|$)"
    return f"{left}({''.join(parts)}){right}"


def for_re2(pattern: str) -> str:
    """An expression with ``\\s`` spelt out as Unicode white space, as RE2 needs it."""
    spelt = pattern.replace(r"[\s", r"[\s\v" + WIDE_SPACE)
    return spelt.replace(rf"[^\S{LINE_BREAKS}]", r"[\t\v\f\r " + WIDE_SPACE.replace("\u2028\u2029", "") + "]")


def _literal(text: str) -> str:
    return re.escape(text)


def _token(form: bytes, patterns: PatternSet, tag: bool, tags: Mapping[bytes, str] | None) -> str:
    if tag:
        return _tag(form, patterns) if tags is None else tags[form]
    parts: list[str] = []
    for piece in parse_form(form):
        if isinstance(piece, str):
            parts.append(_literal(_unclash(piece) if tags is not None else piece))
        elif tags is not None and (piece in _MARK_IDS or piece >= FIRST_USER_ID):
            parts.append(chr(_MARK_BASE + piece))
        else:
            parts.append(patterns.by_id[piece][1])
    return "".join(parts)


def literal_pieces(forms: Sequence[bytes], html: bool, tags: Mapping[bytes, str]) -> list[str]:
    """Text that stands in every match of an expression for marked text."""
    pieces: list[str] = []
    for form in forms:
        if is_tag(form, html):
            pieces.append(tags[form])
        else:
            pieces += [_unclash(piece) for piece in parse_form(form) if isinstance(piece, str)]
    return pieces


def _attribute(name: str, value: bytes, patterns: PatternSet) -> str:
    parts: list[str] = []
    for piece in parse_form(value):
        if isinstance(piece, int):
            parts.append("[0-9]+")
        else:
            parts.append(r"\s+".join(_literal(word) for word in piece.split(" ")))
    return rf"(?i:{name})\s*=\s*[\x22']?\s*{''.join(parts)}\s*"


_TAG_FORM = regex.compile(rb'(?s)<(?P<name>[^ >]+)(?: class="(?P<class>(?:(?!" id=").)*)")?(?: id="(?P<id>.*)")?(?P<close>>?)')


def _tag(form: bytes, patterns: PatternSet) -> str:
    """Expression of a tag in raw HTML: name, class and id as they are, any other attribute."""
    if form == b"<!---->":
        return "<!--(?s:.*?)-->"
    if form in (b"<script>", b"<style>"):
        name = form[1:-1].decode()
        return rf"<(?i:{name})(?:[^a-zA-Z0-9>][^>]*)?>(?s:.*?)</(?i:{name})(?:[^a-zA-Z0-9>][^>]*)?>"
    match = _TAG_FORM.fullmatch(form)
    if match is None:
        return _literal(form.decode("utf-8", "surrogatepass"))
    head = f"<(?i:{_literal(match.group('name').decode('utf-8', 'surrogatepass'))})"
    wanted = [_attribute(name, match.group(name), patterns) for name in ("class", "id") if match.group(name) is not None]
    tail = match.group("close").decode()
    if not wanted:
        return rf"{head}(?:[\s/][^>]*)?{tail}"
    before, after = r"(?:[^>]*[\s/\x22'])?", r"(?:[\x22'\s/][^>]*)?"
    orders = [wanted] if len(wanted) == 1 else [wanted, wanted[::-1]]
    between = rf"[\x22\s/\x27]{before}"
    bodies = [f"{before}{between.join(order)}{after}" for order in orders]
    return rf"{head}[\s/](?:{'|'.join(bodies)}){tail}"


def _unclash(text: str) -> str:
    """Text that holds our private-use characters itself: moved out of the way, one plane up."""
    return _CLASH.sub(lambda hit: chr(ord(hit.group()) + 0x10000), text)


class Marked:
    """Marked text and the way back to the original.

    Attributes
    ----------
    text : str
        The text with one private-use character for each mark and tag.
    """

    def __init__(self, text: str, edits: Sequence[tuple[int, int, str]]) -> None:
        parts: list[str] = []
        self._marked: list[int] = [0]
        self._original: list[int] = [0]
        position = size = 0
        for start, end, char in edits:
            parts.append(_unclash(text[position:start]))
            size += start - position
            parts.append(char)
            self._marked += [size, size + 1]
            self._original += [start, end]
            size += 1
            position = end
        parts.append(_unclash(text[position:]))
        self.text = "".join(parts)

    def original(self, offset: int) -> int:
        """Original offset of the start of a match."""
        place = bisect_right(self._marked, offset) - 1
        return self._original[place] + offset - self._marked[place]


_MARKUP = regex.compile(
    r"""(?is)
    <!--(?:(?<=<!--)(?:.*?(?<=.{3})-->|.*\Z))
  | <(?P<raw>script|style)(?![a-z0-9])[^>]*(?:>.*?(?:</(?P=raw)(?![a-z0-9])[^>]*(?:>|\Z)|\Z)|\Z)
  | <[a-z/!?][^>]*(?:>|\Z)
    """,
    regex.VERBOSE,
)
_ATTRIBUTE = regex.compile(r"""(?s)[\x00-\x20/]*(?P<name>[^\x00-\x20/][^\x00-\x20/=]*|=)(?:[\x00-\x20]*=[\x00-\x20]*(?:"(?P<a>[^"]*)"?|'(?P<b>[^']*)'?|(?P<c>[^\x00-\x20]*)))?""")


def _ascii_lower(text: str) -> str:
    return "".join(chr(ord(char) | 32) if "A" <= char <= "Z" else char for char in text)


def tag_form(tag: str, patterns: PatternSet) -> bytes:
    """Form of a piece of mark-up: the twin of the native one."""
    if tag.startswith("<!--"):
        return b"<!---->"
    raw = regex.match(r"(?i)<(script|style)(?![a-z0-9])", tag)
    if raw:
        return f"<{raw.group(1).lower()}>".encode()
    closed = tag.endswith(">")
    inner = tag[1 : -1 if closed else len(tag)]
    slash = "/" if inner.startswith("/") else ""
    name = regex.match(r"[^\x00-\x20/]*", inner, pos=len(slash))
    assert name is not None
    out = f"<{slash}{_ascii_lower(name.group())}".encode("utf-8", "surrogatepass")
    if regex.match("[a-zA-Z]", inner):
        seen: dict[str, bytes] = {}
        for match in _ATTRIBUTE.finditer(inner, pos=name.end()):
            key = _ascii_lower(match.group("name"))
            value = next((match.group(group) for group in "abc" if match.group(group)), "")
            if key in ("class", "id") and value and key not in seen:
                words = " ".join(word for word in regex.split(r"[\x00-\x20]+", value) if word).encode("utf-8", "surrogatepass")
                if "number" in patterns.enabled:
                    words = regex.sub(rb"[0-9]+", bytes((0xFF, patterns.id_of["number"])), words)
                seen[key] = words
        for key in ("class", "id"):
            if key in seen:
                out += b" " + key.encode() + b'="' + seen[key] + b'"'
    return out + (b">" if closed else b"")


def marked_text(text: str, patterns: PatternSet, separators: str, html: bool, tags: Mapping[bytes, str]) -> Marked:
    """Replace user patterns, then tags, then built-in marks by one character each."""
    edits: list[tuple[int, int, str]] = []
    if patterns.user:
        found = patterns.user_matches(text, regex.compile(f"[{separator_class(separators)}]"))
        edits = [(start, end, chr(_MARK_BASE + number)) for start, end, number in found]
    rest = _gaps(text, edits)
    if html:
        for start, end in rest:
            for match in _MARKUP.finditer(text, start, end):
                form = tag_form(match.group(), patterns)
                edits.append((*match.span(), tags.get(form, _OTHER_TAG)))
        rest = _gaps(text, edits)
    if patterns.mark_regex is not None:
        for start, end in rest:
            piece = text[start:end]
            edits += [
                (start + match.start(), start + match.end(), chr(_MARK_BASE + patterns.id_of[str(match.lastgroup)]))
                for match in patterns.mark_regex.finditer(piece)
            ]
    return Marked(text, sorted(edits))


class Encoded:
    """A text as the native core reads it, UTF-8 with user patterns as marks, and the way back to code points.

    Attributes
    ----------
    data : bytes
    """

    def __init__(self, text: str, patterns: PatternSet, separators: str) -> None:
        found = patterns.user_matches(text, regex.compile(f"[{separator_class(separators)}]")) if patterns.user else []
        self._edits = found
        if not found:
            self.data = text.encode("utf-8", "surrogatepass")
            self._plain = len(self.data) == len(text)
            return
        parts: list[bytes] = []
        self._bytes: list[int] = [0]
        self._chars: list[int] = [0]
        position = size = 0
        for start, end, number in found:
            piece = text[position:start].encode("utf-8", "surrogatepass")
            parts += [piece, bytes((0xFF, number))]
            size += len(piece)
            self._bytes += [size, size + 2]
            self._chars += [start, end]
            size += 2
            position = end
        parts.append(text[position:].encode("utf-8", "surrogatepass"))
        self.data = b"".join(parts)

    def code_points(self, offsets: NDArray[np.int64]) -> NDArray[np.int64]:
        """Offsets in `data`, ascending, as code points of the original text."""
        if self._edits:
            return np.array([self._code_point(int(offset)) for offset in offsets], np.int64)
        return offsets if self._plain else _core.code_points(self.data, offsets)

    def _code_point(self, offset: int) -> int:
        place = bisect_right(self._bytes, offset) - 1
        return self._chars[place] + len(self.data[self._bytes[place] : offset].decode("utf-8", "surrogatepass"))


def _gaps(text: str, edits: list[tuple[int, int, str]]) -> list[tuple[int, int]]:
    """What lies between edits; sorts them."""
    edits.sort()
    gaps: list[tuple[int, int]] = []
    position = 0
    for start, end, _ in edits:
        gaps.append((position, start))
        position = end
    gaps.append((position, len(text)))
    return gaps
