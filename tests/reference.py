"""Slow, obvious twins of the native kernels and of what rests on them.

Each is written from the contract, not from the code it is held against, and says what it costs (n: length of its input).
"""

from __future__ import annotations

import json
import re
from collections import Counter, defaultdict
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import reduce
from itertools import product
from typing import Any

import regex

from templatemine.model import Span
from templatemine.text.expressions import OWN_TOKEN, tag_form
from templatemine.text.patterns import MARKER, TABLE, PatternSet, parse_form

# ----------------------------------------------------------------------------------------------------------------------
# Suffix array, LCP, maximal strings
# ----------------------------------------------------------------------------------------------------------------------

BREAK = 0


def suffix_array(text: Sequence[int], order: Callable[[int], object] = lambda symbol: symbol) -> list[int]:
    """Suffixes in ascending order, symbols compared by `order`.  O(n^2 log n) time, O(n^2) memory."""
    keys = [order(symbol) for symbol in text]
    return sorted(range(len(text)), key=lambda start: keys[start:])


def lcp_array(text: Sequence[int], sa: Sequence[int]) -> list[int]:
    """Symbols that each suffix shares with the one before it, up to the first break.  O(n^2)."""

    def common(a: int, b: int) -> int:
        length = 0
        while max(a, b) + length < len(text) and text[a + length] == text[b + length] != BREAK:
            length += 1
        return length

    return [0, *(common(sa[rank - 1], sa[rank]) for rank in range(1, len(sa)))][: len(sa)]


def maximal_strings(
    documents: Iterable[Sequence[int]], min_tokens: int = 1, min_df: int = 1
) -> dict[tuple[int, ...], tuple[int, int]]:
    """Every string that occurs twice or more and loses occurrences with any symbol more on either side.

    Breaks (0) stand in no string; as neighbours they, and the ends of documents, differ from everything, each from the
    others too.  O(n^3) time and memory over the longest stretch without a break.

    Returns
    -------
    dict
        String -> (occurrences, documents).
    """
    found = {}
    for string, places in _neighbours(documents).items():
        df = len({number for number, _, _ in places})
        lefts, rights = {left for _, left, _ in places}, {right for _, _, right in places}
        if len(places) > 1 and len(lefts) > 1 and len(rights) > 1 and len(string) >= min_tokens and df >= min_df:
            found[string] = (len(places), df)
    return found


def _neighbours(documents: Iterable[Sequence[int]]) -> dict[tuple[int, ...], list[tuple[int, int, int]]]:
    """(document, symbol before, symbol after) of each occurrence of each string; a break is a symbol of its own."""
    occurrences: dict[tuple[int, ...], list[tuple[int, int, int]]] = defaultdict(list)
    fresh = iter(range(-1, -(10**9), -1))
    for number, document in enumerate(documents):
        for start in range(len(document)):
            for end in range(start + 1, len(document) + 1):
                if document[end - 1] == BREAK:
                    break
                left = document[start - 1] if start and document[start - 1] != BREAK else next(fresh)
                right = document[end] if end < len(document) and document[end] != BREAK else next(fresh)
                occurrences[tuple(document[start:end])].append((number, left, right))
    return occurrences


# ----------------------------------------------------------------------------------------------------------------------
# Intervals and strings of tokens
# ----------------------------------------------------------------------------------------------------------------------


SENTENCE_ENDS = set(
    ".!?\u2026\u203c\u2047\u2048\u2049\u3002\uff01\uff0e\uff1f\uff61\u037e\u0589\u061f\u06d4\u0964\u0965"
    "\u0f0d\u0f0e\u104b\u1362\u1367\u1368\u17d4\u17d5\u1803\u1809"
)
COLONS = (":", "\u1366", "\u17d6", "\uff1a")
OTHER_CLOSES = set("|\u2013\u2014\u2015\uff5c\u2502").union(COLONS)
QUOTES = set("\"'\u00bb\u2019\u201c\u201d\u203a\u3009\u300b\u300d\u300f\u301e\u301f\uff63")
QUOTES_AND_BRACKETS = QUOTES.union(")]\uff09\u3011\u3015\u3017\u3019\u301b\uff3d\uff5d")
_AFTER = f"[{re.escape(''.join(QUOTES_AND_BRACKETS))}]*"
BY_SCRIPT = re.compile(rf"(?:[\u0531-\u0587\ufb13-\ufb17]{_AFTER}:|[\u0370-\u03ff\u1f00-\u1fff]{_AFTER};)\Z")
VALUES = {"number", "number_world", "numeric", "ordinal", "price", "percent"}
FIGURES = VALUES | {"iso_date", "clock", "date", "time"}


CODE = re.compile(
    r"""\A[^A-Za-z0-9]?=\Z | \A\$\Z | [{}] | (?<!=)={1,2}(?=[!-~])(?![="]) | \(\) | \);
    | \A(?=[a-z_]).*[A-Za-z0-9]\(. | (?<=[A-Za-z0-9])_(?=[A-Za-z0-9])""",
    re.VERBOSE | re.DOTALL,
)


OPENING = "\"'([\u00ab\u00bf\u00a1" + "".join(map(chr, range(0x2018, 0x2020)))


BULLETS = "|\u00b6\u00b7\u2022\u203b\u2192\u25a0\u25aa\u25b3\u25b6\u25ba\u25bc\u25c6\u25c7\u25cb\u25cf\u2605\u2606"


def is_code(form: bytes) -> bool:
    """Whether a form holds a sign of a program; an underscore in the name of an account is none."""
    text = form.decode("latin-1")
    return CODE.search(re.sub("(?<=.)_", " ", text) if text.startswith("@") else text) is not None


def traits(form: bytes) -> int:
    """What a form is, as bits."""
    pieces = parse_form(form)
    last = pieces[-1] if pieces else ""
    text = last if isinstance(last, str) else ""
    bare = text
    while bare and bare[-1] in QUOTES_AND_BRACKETS:
        # Germans close with what others open with.
        if bare[-1] == "\u201c" and not (len(bare) > 1 and (_is_letter(bare[-2]) or bare[-2] in SENTENCE_ENDS | {","})):
            break
        bare = bare[:-1]
    # Two word spaces of Ethiopic are its full stop, too; a colon is that of Armenian, a semicolon asks in Greek.
    ends = bare[-1:] in SENTENCE_ENDS or bare.endswith("\u1361\u1361") if bare else False
    ends = ends or BY_SCRIPT.search(bare) is not None
    closes = ends or bare[-1:] in OTHER_CLOSES if bare else False
    whole = pieces[0] if len(pieces) == 1 and isinstance(pieces[0], str) else ""
    return sum(
        (
            1 * (closes or bare != text),
            2 * ends,
            4 * (len(whole) == 1 and is_own(whole)),
            8 * any(isinstance(piece, int) for piece in pieces),
            16 * (isinstance(pieces[0], int) and pieces[0] <= len(TABLE) and TABLE[pieces[0] - 1].name in VALUES),
            32 * text.endswith(COLONS),
            128 * (not bare and set(whole) <= QUOTES if whole else False),
            256 * (isinstance(pieces[0], str) and pieces[0].lstrip(OPENING)[:1].isupper()),
            512 * (isinstance(pieces[0], str) and pieces[0][:1].islower()),
            1024 * (len(whole) == 1 and whole in BULLETS),
            64 * any(isinstance(piece, int) and name_of(piece) in FIGURES for piece in pieces)
            or 64 * (all(isinstance(piece, str) for piece in pieces) and is_code(form)),
        )
    )


def name_of(pattern: int) -> str:
    """Name of a pattern of the table, nothing for a user's own."""
    return TABLE[pattern - 1].name if pattern <= len(TABLE) else ""


def mixed(first: int, second: int) -> int:
    """One number of two, see `_core.find_rare_pairs`."""
    one = (first * 0xBF58476D1CE4E5B9 + second) % 2**64
    one = (one ^ one >> 29) * 0x9E3779B97F4A7C15 % 2**64
    return one ^ one >> 31


def merge(intervals: Sequence[tuple[int, int]], gap: int) -> tuple[list[tuple[int, int]], list[int]]:
    """Union of non-empty intervals on a mask, gaps of fewer than `gap` places filled.  O(range + intervals * unions).

    Returns
    -------
    unions, members
        The unions in order, and for each interval the place of its union.
    """
    covered = [False] * (max((end for _, end in intervals), default=0) + 1)
    for start, end in intervals:
        covered[start:end] = [True] * (end - start)
    unions: list[tuple[int, int]] = []
    for place in range(len(covered)):
        if covered[place] and unions and place - unions[-1][1] < max(gap, 1):
            unions[-1] = (unions[-1][0], place + 1)
        elif covered[place]:
            unions.append((place, place + 1))
    members = [next(k for k, (left, right) in enumerate(unions) if left <= start < right) for start, _ in intervals]
    return unions, members


def occurrences(tokens: Sequence[object], strings: Sequence[Sequence[object]]) -> set[tuple[int, int, int]]:
    """Where each string stands, as (first token, last token, string).  O(tokens * total length of the strings)."""
    return {
        (start, start + len(string) - 1, number)
        for number, string in enumerate(strings)
        for start in range(len(tokens) - len(string) + 1)
        if list(tokens[start : start + len(string)]) == list(string)
    }


# ----------------------------------------------------------------------------------------------------------------------
# Tokeniser
# ----------------------------------------------------------------------------------------------------------------------

WORD, TAG, RAW = 0, 1, 2

# Unicode property White_Space, and what breaks a line of it.
WHITE = frozenset("\t\n\v\f\r \x85\xa0\u1680\u2028\u2029\u202f\u205f\u3000" + "".join(map(chr, range(0x2000, 0x200B))))
LINE_BREAKS = frozenset("\n\u2028\u2029")

# Scripts written without spaces, with their punctuation, and wide dashes: a character is a token.
OWN_RANGES = (
    (0x0E00, 0x0E4F),  # Thai and Lao, without their digits
    (0x0E5A, 0x0ECF),
    (0x0EDA, 0x0EFF),
    (0x1000, 0x103F),  # Myanmar
    (0x104A, 0x109F),
    (0x1780, 0x17DF),  # Khmer
    (0x17EA, 0x17FF),
    (0x2014, 0x2015),  # wide dashes
    (0x3001, 0x30FF),  # CJK punctuation, kana
    (0x31F0, 0x31FF),  # kana extensions
    (0x3400, 0x4DBF),  # Han
    (0x4E00, 0x9FFF),
    (0xF900, 0xFAFF),
    (0xFF01, 0xFF0F),  # full-width punctuation and half-width kana, without full-width digits and letters
    (0xFF1A, 0xFF20),
    (0xFF3B, 0xFF40),
    (0xFF5B, 0xFF9F),
    (0x20000, 0x3FFFF),
)


@dataclass(frozen=True)
class Token:
    """[start, end) in characters, its kind, and whether a line break stands between it and the token before."""

    start: int
    end: int
    kind: int
    first: bool


def is_own(char: str) -> bool:
    """True for a character that is a token by itself.  O(1)."""
    return any(low <= ord(char) <= high for low, high in OWN_RANGES)


def _ascii_letter(char: str) -> bool:
    return "a" <= char.lower() <= "z" and char.isascii()


def _opens(text: str, start: int, name: str) -> bool:
    """True if the element name (with what stands before it) is at `start` and ends there."""
    end = start + len(name)
    here, after = text[start:end], text[end : end + 1]
    return here.isascii() and here.lower() == name and not (after.isascii() and after.isalnum())


def _past(text: str, what: str, start: int) -> int:
    """End of the next `what`, or of the text."""
    place = text.find(what, start)
    return len(text) if place < 0 else place + len(what)


def markup_end(text: str, start: int) -> tuple[int, int]:
    """End and kind of the mark-up at `start`; the end is `start` if there is none.  O(n)."""
    after = text[start + 1 : start + 2]
    if text[start] != "<" or not after or not (_ascii_letter(after) or after in "/!?"):
        return start, WORD
    if text.startswith("<!--", start):
        # "<!-->" and "<!--->" are whole comments.
        for short in ("<!-->", "<!--->"):
            if text.startswith(short, start):
                return start + len(short), RAW
        return _past(text, "-->", start + 4), RAW
    end = _past(text, ">", start)
    for name in ("script", "style"):
        if _opens(text, start, "<" + name):
            place = text.find("</", end)
            while place >= 0 and not _opens(text, place, "</" + name):
                place = text.find("</", place + 1)
            return (len(text) if place < 0 else _past(text, ">", place)), RAW
    return end, TAG


def tokens(text: str, separators: str, patterns: PatternSet, html: bool) -> list[Token]:
    """The tokens of a text without user patterns, by the contract: O(n) chunks, each searched for marks; O(n^2) at worst."""
    out: list[Token] = []
    first = True
    place = 0
    while place < len(text):
        char = text[place]
        if char in WHITE:
            first = first or char in LINE_BREAKS
            place += 1
            continue
        if html and (found := markup_end(text, place))[0] > place:
            end, kind = found
            pieces = [(place, end, kind)]
        elif is_own(char):
            end = place + 1
            pieces = [(place, end, WORD)]
        else:
            end = place
            while end < len(text) and text[end] not in WHITE and not is_own(text[end]):
                if html and markup_end(text, end)[0] > end:
                    break
                end += 1
            pieces = [(place + a, place + b, WORD) for a, b in _words(text[place:end], separators, patterns)]
        for start, stop, kind in pieces:
            out.append(Token(start, stop, kind, first))
            first = False
        place = end
    return out


def marks(chunk: str, patterns: PatternSet) -> list[tuple[int, int, int]]:
    """Marks of a chunk, leftmost first: (start, end, pattern number).  O(n) searches."""
    if patterns.mark_regex is None:
        return []
    return [(*hit.span(), patterns.id_of[str(hit.lastgroup)]) for hit in patterns.mark_regex.finditer(chunk)]


def _words(chunk: str, separators: str, patterns: PatternSet) -> Iterator[tuple[int, int]]:
    """A chunk is parted at separators, but not at those of a mark."""
    parts = [char in separators for char in chunk]
    for start, end, _ in marks(chunk, patterns):
        parts[start:end] = [False] * (end - start)
    inside = {place for start, end, _ in marks(chunk, patterns) for place in range(start, end)}
    start = 0
    for place, part in enumerate([*parts, True]):
        if part:
            if place > start:
                yield start, place
            start = place + 1
        elif (
            place > start
            and "glued" in patterns.enabled
            and not {place - 1, place} & inside
            and chunk[place - 1] in set(":/)") - set(separators)
            and _is_letter(chunk[place])
        ):
            yield start, place
            start = place


# ----------------------------------------------------------------------------------------------------------------------
# Forms
# ----------------------------------------------------------------------------------------------------------------------

_DIGIT = "[0-9\u0660-\u0669\u06f0-\u06f9\uff10-\uff19]"
_RULE = regex.compile("[_=*~#\u2014\u2013\u2015\u2500\u2501]+")
_NUMBER = regex.compile(f"{_DIGIT}+(?:[.,:/\\\\]{_DIGIT}+)*")
_JOINTS = (("number", ".,"), ("clock", ":"), ("date", "/\\"))

# Of nine scripts of India, Thai, Lao, Tibetan, Myanmar, Khmer and Mongolian.
OTHER_DIGITS = tuple(
    (first, first + 9) for first in (*range(0x0966, 0x0D80, 0x80), 0x0E50, 0x0ED0, 0x0F20, 0x1040, 0x17E0, 0x1810)
)
_OTHER_DIGIT = "[" + "".join(f"{chr(low)}-{chr(high)}" for low, high in OTHER_DIGITS) + "]"
_OTHER_NUMBER = regex.compile(f"{_OTHER_DIGIT}+(?:[.,:/\\\\]{_OTHER_DIGIT}+)*")

# No letters, beyond ASCII and Latin-1 signs: digits, punctuation and symbols.
_NO_LETTERS = (
    (0x0600, 0x061F),
    (0x0660, 0x066D),
    (0x06D4, 0x06D4),
    (0x06F0, 0x06F9),
    (0x0964, 0x0965),
    (0x0589, 0x058A),
    (0x05BE, 0x05BE),
    (0x05C0, 0x05C0),
    (0x05C3, 0x05C3),
    (0x05F3, 0x05F4),
    (0x037E, 0x037E),
    (0x0387, 0x0387),
    (0x2000, 0x2BFF),
    (0x3000, 0x303F),
    (0xD800, 0xF8FF),
    (0xFE10, 0xFE6F),
    (0xFF00, 0xFFEF),
    (0x1F000, 0x10FFFF),
    (0x1360, 0x1368),
    *OTHER_DIGITS,
)


def _is_letter(char: str) -> bool:
    code = ord(char)
    if code < 0x80:
        return char.isalpha()
    return code >= 0xC0 and char not in "\xd7\xf7" and not any(low <= code <= high for low, high in _NO_LETTERS)


def _letters(text: str, start: int) -> str:
    end = start
    while end < len(text) and _is_letter(text[end]):
        end += 1
    return text[start:end]


def form(token: str, patterns: PatternSet) -> bytes:
    """Form of a word: marks first, then from left to right what the rows of the table take.  O(n^2)."""
    out = bytearray()
    position = 0
    for start, end, number in [*marks(token, patterns), (len(token), len(token), 0)]:
        stretch = token[position:start]
        place = 0
        while place < len(stretch):
            taken, name = _piece(stretch, place, patterns)
            out += (
                bytes((MARKER, patterns.id_of[name])) if name else stretch[place:taken].encode("utf-8", "surrogatepass")
            )
            place = taken
        if number:
            out += bytes((MARKER, number))
        position = end
    return bytes(out)


def _piece(text: str, start: int, patterns: PatternSet) -> tuple[int, str]:
    """End of the next piece and its pattern, "" if it is literal."""
    on = patterns.enabled
    if "number" in on and (number := _number(text, start, on))[1]:
        return number
    if "number_world" in on and (number_world := _OTHER_NUMBER.match(text, start)):
        return number_world.end(), "number_world"
    if "rule" in on and (rule := _RULE.match(text, start)):
        return rule.end(), "rule" if len(rule.group()) >= 3 else ""
    run = _letters(text, start)
    if run:
        return _word(text, start, run, patterns)
    if "price" in on and text[start] in "$\u20ac\xa3\xa5\u20b9" and start + 1 < len(text):
        end, name = _number(text, start + 1, on)
        if name == "number":
            return end, "price"
    return start + 1, ""


def _number(text: str, start: int, on: frozenset[str]) -> tuple[int, str]:
    digits = _NUMBER.match(text, start)
    if digits is None:
        return start, ""
    used = {kind for kind, joints in _JOINTS if set(joints) & set(digits.group())}
    name = "numeric" if len(used) > 1 else used.pop() if used else "number"
    end = digits.end()
    run, rest = _letters(text, end), text[end:]
    if name == "number" and "ordinal" in on and run in ("st", "nd", "rd", "th"):
        return end + 2, "ordinal"
    if name in ("number", "clock") and "time" in on:
        if run in ("am", "pm", "AM", "PM"):
            return end + 2, "time"
        if rest.startswith(("a.m.", "p.m.")) and not _letters(text, end + 4):
            return end + 4, "time"
    if name == "number" and "percent" in on and rest[:1] and rest[0] in "%\u066a":
        return end + 1, "percent"
    return end, name


def _word(text: str, start: int, run: str, patterns: PatternSet) -> tuple[int, str]:
    on, end = patterns.enabled, start + len(run)
    rules: Mapping[str, str] = {
        "abbreviation": r"[A-Z][A-Za-z]{1,4}\.",
        "initials": r"(?:[A-Z]\.){2,}",
        "meridiem": r"[ap]\.m\.",
    }
    for name, rule in rules.items():
        hit = regex.match(rule, text[start:])
        # An abbreviation takes a whole run of letters; the others begin with a run of one.
        if name in on and hit and len(run) == (len(hit.group()) - 1 if name == "abbreviation" else 1):
            return start + hit.end(), name
    for word, number in zip(*patterns.word_list, strict=True):
        if word.decode() == run:
            return end, patterns.by_id[number][0]
    if "upper" in on and regex.fullmatch("[A-Z\xc0-\xd6\xd8-\xde]{2,}", run):
        return end, "upper"
    return end, ""


def forms(text: str, separators: str, patterns: PatternSet, html: bool) -> list[bytes]:
    """Form of each token of a text."""
    return [
        form(text[token.start : token.end], patterns)
        if token.kind == WORD
        else tag_form(text[token.start : token.end], patterns)
        for token in tokens(text, separators, patterns, html)
    ]


# ----------------------------------------------------------------------------------------------------------------------
# Cut-off
# ----------------------------------------------------------------------------------------------------------------------


def energy(counts: Sequence[int], x: int, y: int) -> int:
    """Equation 3.1 for the centres x < y, in quarters of nothing: whole numbers throughout.  O(bins)."""
    below = sum((i - x) ** 2 * h for i, h in enumerate(counts) if 2 * i < x + y)
    above = sum((i - y) ** 2 * h for i, h in enumerate(counts) if 2 * i >= x + y)
    return below + above


def energy_border(counts: Sequence[int]) -> tuple[float, int]:
    """The border (x + y) / 2 of least energy over all pairs of bins, the lowest of equals, and the energy.  O(bins^3)."""
    pairs = [(energy(counts, x, y), x + y) for y in range(len(counts)) for x in range(y)]
    least, twice = min(pairs)
    return twice / 2, least


# ----------------------------------------------------------------------------------------------------------------------
# Text of a page
# ----------------------------------------------------------------------------------------------------------------------


def strip(page: str, spans: Sequence[tuple[int, int]], blocks: frozenset[str]) -> str:
    """The page without mark-up and without some spans: a line break for each tag of a block, and in place of a span one

    if it holds such a tag, else a blank.  O(n * tags).
    """
    out: list[str] = []
    position = 0
    for start, end in [*spans, (len(page), len(page))]:
        out.append(_without_markup(page, position, start, blocks))
        if end > start or (start, end) in spans:
            out.append("\n" if "\n" in _without_markup(page, start, end, blocks, "") else " ")
        position = end
    return "".join(out)


def _without_markup(page: str, start: int, end: int, blocks: frozenset[str], text: str | None = None) -> str:
    out: list[str] = []
    while start < end:
        after, kind = markup_end(page, start)
        if after > start:
            after = min(after, end)
            name = regex.match("/?([A-Za-z0-9]*)", page[start + 1 : after])
            if kind == TAG and name is not None and name.group(1).lower() in blocks:
                out.append("\n")
            start = after
        else:
            out.append(page[start] if text is None else text)
            start += 1
    return "".join(out)


# ---------------------------------------------------------------------------------------------------------- evaluation


def common_subsequence(one: Sequence[str], other: Sequence[str]) -> int:
    """Length of the longest common subsequence, by the textbook table."""
    table = [[0] * (len(other) + 1) for _ in range(len(one) + 1)]
    for i, left in enumerate(one):
        for j, right in enumerate(other):
            table[i + 1][j + 1] = table[i][j] + 1 if left == right else max(table[i][j + 1], table[i + 1][j])
    return table[-1][-1]


def edits(one: Sequence[str], other: Sequence[str]) -> int:
    """Fewest insertions, deletions and replacements, by the textbook table."""
    table = [list(range(len(other) + 1))]
    for i, left in enumerate(one, 1):
        row = [i]
        for j, right in enumerate(other, 1):
            row.append(min(table[-1][j] + 1, row[-1] + 1, table[-1][j - 1] + (left != right)))
        table.append(row)
    return table[-1][-1]


def span_counts(
    text: str, gold: Sequence[tuple[int, int, str]], removed: Sequence[tuple[int, int]]
) -> tuple[int, int, int, int]:
    """Template, content, removed template, removed content: character by character."""
    counts = [0, 0, 0, 0]
    for i, char in enumerate(text):
        labels = {label for start, end, label in gold if start <= i < end}
        if char.isspace() or labels == {"dynamic"}:
            continue
        kind = 0 if "template" in labels else 1
        counts[kind] += 1
        counts[kind + 2] += any(start <= i < end for start, end in removed)
    return counts[0], counts[1], counts[2], counts[3]


def jaccard(one: str, other: str, length: int) -> float:
    """Jaccard index of the sets of words in a row of two texts of plain words."""
    sets = []
    for text in (one, other):
        words = text.lower().split()
        sets.append({tuple(words[at : at + length]) for at in range(max(1, len(words) - length + 1))})
    return len(sets[0] & sets[1]) / len(sets[0] | sets[1])


# ----------------------------------------------------------------------------------------------------------------------
# Cut
# ----------------------------------------------------------------------------------------------------------------------


_OWN = regex.compile(f"[{OWN_TOKEN}]")
_BLANK_LINE = re.compile(r"[^\S\n]*\n[^\S\n]*\n\s*")


def cut(text: str, removed: Sequence[Span]) -> str:
    """The text without the spans, white space as `clean.cut` says.  O(n)."""
    if not removed:
        return text
    bounds = [0, *(edge for span in removed for edge in (span.start, span.end)), len(text)]
    pieces = [text[bounds[place] : bounds[place + 1]] for place in range(0, len(bounds), 2)]
    parts: list[str] = []
    gap = ""
    for place, piece in enumerate(pieces):
        first, last = place == 0, place == len(pieces) - 1
        body = piece if first else piece.lstrip()
        lead = piece[: len(piece) - len(body)]
        core = body if last else body.rstrip()
        if not first:
            gap = _stronger(gap, _blank_line(text[removed[place - 1].start : removed[place - 1].end]))
        gap = _stronger(gap, lead)
        if core and not core.isspace():
            if parts:
                parts.append(gap or _needed(parts[-1][-1], core[0]))
            parts.append(core)
            gap = ""
        gap = _stronger(gap, body[len(core) :])
    return "".join(parts)


def _blank_line(cut_out: str) -> str:
    """The strongest blank line within a cut; a single line break may be no more than the end of a full line."""
    return reduce(_stronger, _BLANK_LINE.findall(cut_out), "") if cut_out.count("\n") > 1 else ""


def _stronger(space: str, other: str) -> str:
    """White space with more line breaks, then the longer, then the first."""
    if not other or space == other:
        return space
    if not space:
        return other
    breaks, more = space.count("\n"), other.count("\n")
    return other if more > breaks or (more == breaks and len(other) > len(space)) else space


def _needed(left: str, right: str) -> str:
    return "" if _OWN.match(left) or _OWN.match(right) else " "


# ----------------------------------------------------------------------------------------------------------------------
# Lines of JSON
# ----------------------------------------------------------------------------------------------------------------------

_ORDINARY = regex.compile(
    r"""
    (?(DEFINE)
      (?P<ws>[ \t\r]*)
      (?P<char>[^"\\\x00-\x1f] | \\["\\/bfnrt] | \\u(?![dD][89a-fA-F])[0-9a-fA-F]{4}
        | \\u[dD][89abAB][0-9a-fA-F]{2}\\u[dD][c-fC-F][0-9a-fA-F]{2})
      (?P<string>"(?&char)*+")
      (?P<number>-?(?:0|[1-9][0-9]{0,17}+)(?:\.[0-9]++)?(?:[eE][+-]?[0-9]{1,2}+)?(?![0-9]))
      (?P<pair>(?&string)(?&ws):(?&ws)(?&value))
      (?P<list>\[(?&ws)(?:(?&value)(?&ws)(?:,(?&ws)(?&value)(?&ws))*+)?\])
      (?P<object>\{(?&ws)(?:(?&pair)(?&ws)(?:,(?&ws)(?&pair)(?&ws))*+)?\})
      (?P<value>(?&string)|(?&number)|true|false|null|(?&list)|(?&object))
    )
    (?&ws)(?P<record>\{
      (?&ws)"(?P<key>[^"\\\x00-\x1f]*+)"(?&ws):(?&ws)(?P<item>(?&value))(?&ws)
      (?:,(?&ws)"(?P<key>[^"\\\x00-\x1f]*+)"(?&ws):(?&ws)(?P<item>(?&value))(?&ws))*+
    \})(?&ws)\n?
    """,
    regex.VERBOSE,
)
"""What RFC 8259 calls an object, with integers that surely fit 64 bits, exponents that lead to no infinity, pairs of
surrogates only, and keys without escapes."""


def ordinary_line(line: bytes, names: Sequence[str]) -> tuple[bytes, dict[str, Any]] | None:
    """What stands of a line that `_lines` cleans as it stands, and its fields; None if it is another.  O(n k), k keys.

    `names` are those of text, HTML, source, id, of what was cut, and of what tells that it is a stub.
    """
    try:
        found = _ORDINARY.fullmatch(line.decode())
    except UnicodeDecodeError:
        return None
    if found is None:
        return None
    fields = json.loads(found["record"])
    keys, items = found.captures("key"), found.captures("item")
    text, html, source, identity, removed, stub = names
    if len(keys) > 64 or len(fields) < len(keys) or removed in fields or stub in fields:
        return None
    if type(fields.get(text)) is not str or _levels(list(fields.values())) > 61:
        return None
    if any(fields.get(name) is not None and type(fields[name]) is not str for name in (html, source)):
        return None
    if (fields.get(source) or "")[:1].isspace():
        return None
    if type(fields.get(identity)) in (bool, list, dict) or "\\" in dict(zip(keys, items, strict=True)).get(source, ""):
        return None
    return found["record"].encode(), fields


def _levels(value: object) -> int:
    """Levels of containers that hold something."""
    inner = value.values() if isinstance(value, dict) else value if isinstance(value, list) else ()
    return 1 + max(map(_levels, inner)) if inner else 0


# ------------------------------------------------------------------------------------------------------------- segments


def segments(
    documents: Sequence[Sequence[int]], traits: Sequence[int], gaps: Collection[tuple[int, int]], lines: bool
) -> list[list[tuple[bool, list[int]]]]:
    """Of each document of forms its segments: whether each begins its line, and its forms.

    `gaps` are (document, place) of forms that begin a segment whatever stands before them.
    """
    found = []
    for number, document in enumerate(documents):
        own: list[tuple[bool, list[int]]] = []
        before: int | None = None
        for place, form in enumerate(document):
            if lines and form == 0:
                before = None
                continue
            trait, last = traits[form], 0 if before is None else traits[before]
            sentence = last & 2 and not last & 2048 and not trait & 512 and not (last & 4096 and trait & 64)
            item = trait & 1024 and not last & 1024
            mark = trait & 5 == 5
            if before is None:
                own.append((True, []))
            elif (sentence or item or (number, place) in gaps) and not mark:
                own.append((False, []))
            own[-1][1].append(form)
            before = form
        found.append(own)
    return found


def counted(documents: Sequence[Sequence[int]], strings: Sequence[Sequence[int]]) -> list[int]:
    """How often each string occurs in the documents."""
    return [
        sum(list(one[at : at + len(string)]) == list(string) for one in documents for at in range(len(one)))
        for string in strings
    ]


def labels(
    found: Sequence[tuple[int, Sequence[int]]], repeats: int, least: int, longest: int, maximal: float, last: bool
) -> dict[tuple[int, ...], tuple[int, int]]:
    """What segments begin (end, if `last`) with that do not repeat: string -> (occurrences, documents).

    `found` are (document, forms) of all segments; those in `repeats` documents or of one form tell nothing.
    """
    turned = [(document, tuple(forms[::-1] if last else forms)) for document, forms in found]
    single = [
        (document, forms)
        for document, forms in turned
        if len({other for other, same in turned if same == forms}) < repeats and len(forms) > 1
    ]

    def having(string: tuple[int, ...]) -> list[tuple[int, tuple[int, ...]]]:
        return [one for one in single if one[1][: len(string)] == string and len(one[1]) > len(string)]

    out = {}
    strings = {forms[:size] for _, forms in single for size in range(1, min(longest, len(forms) - 1) + 1)}
    for string in strings:
        own = having(string)
        documents = len({document for document, _ in own})
        # A longer label has something beside it, too; of the longest only the next form is asked for.
        beside = len(string) + (len(string) < longest)
        after = Counter(forms[len(string)] for _, forms in own if len(forms) > beside)
        if documents >= least and max(after.values(), default=0) < maximal * len(own):
            out[string[::-1] if last else string] = (len(own), documents)
    return out


# ----------------------------------------------------------------------------------------------------------------------
# Cues
# ----------------------------------------------------------------------------------------------------------------------


def find_cues(tokens: Sequence[str], cues: Sequence[tuple[Sequence[str], int, bool]], kinds: int) -> list[float]:
    """What `mining._candidates.CueTrie.find_cues` says of one string.  O(tokens * cues * words of a cue).

    Cues pass over tokens without letters, numbers among them, but for a number that they begin or end with; a cue is its
    words, the number of its kind, and whether it is strong.  One whose last word ends with a colon needs one behind it, in the same token or as the next; one of a word in brackets
    a token in brackets.
    """
    row = [0.0] * (kinds + 3)
    words = [token.strip("(:—)") or None for token in tokens]
    solid = [place for place, word in enumerate(words) if word is not None and not word.isdigit()]
    covered: set[int] = set()
    for start, (phrase, kind, strong) in product(range(len(tokens)), cues):
        for places in _places_of_cue(words, start, [word.strip("(:)") for word in phrase]):
            if phrase[0].startswith("(") and not tokens[places[0]].startswith("("):
                continue
            if phrase[-1].endswith(":") and not (
                tokens[places[-1]].endswith(":") or tokens[places[-1] + 1 : places[-1] + 2] == [":"]
            ):
                continue
            strength = 2.0 if strong else 1.0
            row[kind] = max(row[kind], strength)
            covered.update(range(places[0], places[-1] + 1))
            if not any(place < places[0] for place in solid):
                row[kinds + 1] = max(row[kinds + 1], strength)
            if not any(place > places[-1] for place in solid):
                row[kinds + 2] = max(row[kinds + 2], strength)
    row[kinds] = len(covered) / max(1, len(words))
    return row


def _places_of_cue(words: Sequence[str | None], start: int, phrase: Sequence[str]) -> Iterator[list[int]]:
    """Places of the words of a cue that begins at a token; of a number each in the gap where it may be."""
    wanted, *rest = phrase
    word = words[start]
    if not (word == wanted or (word is not None and word.isdigit() and wanted.isdigit())):
        return
    if not rest:
        yield [start]
        return
    for place in range(start + 1, len(words)):
        for places in _places_of_cue(words, place, rest):
            yield [start, *places]
        word = words[place]
        if word is not None and not word.isdigit():
            return


def _mix(value: int) -> int:
    mask = (1 << 64) - 1
    value = (value ^ value >> 30) * 0xBF58476D1CE4E5B9 & mask
    value = (value ^ value >> 27) * 0x94D049BB133111EB & mask
    return (value ^ value >> 31) | 1


def find_versions(
    documents: list[list[int]],
    kinds: list[int],
    hashes: list[int],
    order: list[int],
    k: int,
    sampled: int,
    foreign_share: float,
) -> list[int]:
    """For each document one that stays and says what it says, or itself; see `_core.find_versions`."""
    version_of, pointers = list(range(len(documents))), dict[int, int]()
    texts = [[form for form in document if kinds[form]] for document in documents]

    def shingles(text: list[int]) -> list[int]:
        found = []
        for first in range(len(text) - k + 1):
            value = 0
            for form in text[first : first + k]:
                value = (value * 0x9E3779B97F4A7C15 + hashes[form]) & ((1 << 64) - 1)
            found.append(_mix(value))
        return found

    for document in order:
        text, own = texts[document], shingles(texts[document])
        weights = [int(kinds[form] > 1) for form in text]
        sample = [
            value >> 32
            for first, value in enumerate(own)
            if (value >> 8) % sampled == 0 and any(weights[first : first + k])
        ]
        votes = dict[int, int]()
        for value in sample:
            if value in pointers:
                votes[pointers[value]] = votes.get(pointers[value], 0) + 1
        candidates = [one for one in sorted(votes, key=lambda one: -votes[one]) if votes[one] >= len(sample) // 8]
        for other in candidates[:4]:
            shared = set(shingles(texts[other]))
            covered = [False] * len(text)
            for first, value in enumerate(own):
                if value in shared:
                    covered[first : first + k] = [True] * k
            foreign, gap = 0, min(3 * k - 1, len(text) // 8)
            place = 0
            while place < len(text):
                end = place
                while end < len(text) and covered[end] == covered[place]:
                    end += 1
                foreign += sum(weights[place:end]) if not covered[place] and end - place > gap else 0
                place = end
            weight = sum(w for w, c in zip(weights, covered, strict=True) if c)
            if weight and 2 * weight >= sum(weights) and foreign <= foreign_share * sum(weights):
                version_of[document] = other
                break
        if version_of[document] == document:
            for value in sample:
                pointers.setdefault(value, document)
    return version_of


def count_long_reference(
    articles: list[tuple[str, list[tuple[int, int]]]], size: int, number: int, share: float
) -> tuple[int, int]:
    """Different articles of several lines, and those with a line of some size that so many of them have, digits equal:
    `report.rests.count_long`, without what stays by choice."""
    kept: dict[str, list[str]] = {}
    for text, cuts in articles:
        for start, end in reversed(cuts):
            text = text[:start] + "\n" + text[end:]
        lines = [" ".join(line.split()) for line in text.split("\n")]
        kept[" ".join(" ".join(lines).split())] = [re.sub("[0-9]+", "0", line) for line in lines if len(line) >= size]
    least = max(number, share * len(kept))
    return len(kept), sum(
        any(sum(line in others for others in kept.values()) >= least for line in lines) for lines in kept.values()
    )
