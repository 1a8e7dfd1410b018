"""The slow twin of `_cutting.widen`: cuts take the punctuation with them that they would orphan.

The dash behind a dateline, the bar between two links, empty quotes: what a cut gains is punctuation alone, never a
letter, a figure or a symbol such as a star.
"""

from __future__ import annotations

from collections.abc import Sequence

from templatemine.text.characters import LINE_BREAK

__all__ = ["JOINING_SIGNS", "LONE_MARKS", "widen_cuts"]

JOINING_SIGNS = frozenset("-\u2010\u2011\u2012\u2013\u2014\u2015\u2212|:\u00b7\u2022\u25aa\u25a0\u25ba\u25b6\u2192")
"""Dashes, bars, colons and bullets, which join what stands beside them."""
WIDE_SIGNS = frozenset("\u3001\u3002\uff0c\uff1a\uff1b")
"""Signs of scripts without spaces, which no blank follows."""
HANGING_SIGNS = WIDE_SIGNS | frozenset(",;\u060c\u061b")
"""Those, commas and semicolons: no line begins with one."""
LONE_MARKS = (
    JOINING_SIGNS
    | HANGING_SIGNS
    | frozenset(
        "!\"#$%&'()*+,./;<=>?@[\\]^_`{}~\u00ab\u00bb\u2018\u2019\u201a\u201c\u201d\u201e\u2026\u2039\u203a\u3001\u3002\u3008\u3009"
        "\u300a\u300b\u300c\u300d\u300e\u300f\u3010\u3011\uff01\uff08\uff09\uff0c\uff0e\uff1a\uff1b\uff1f"
        "\u203b\u30fb\u25cf\u25c6\u25b2\u25bc"
    )
)
"""Those, and all punctuation that says nothing where it stands alone."""


def widen_cuts(text: str, spans: Sequence[tuple[int, int]]) -> list[tuple[int, int]]:
    """Cuts with the signs that they leave alone.

    Of a line on which only punctuation is left, and between two cuts on a line, all of it goes; behind a cut that
    its line begins with (before one that it ends with) go signs that blanks part from what follows.

    Parameters
    ----------
    spans : sequence of (int, int)
        Ascending and disjoint, in code points.
    """
    out: list[tuple[int, int]] = []
    low, began = 0, True
    for place, (start, end) in enumerate(spans):
        high = spans[place + 1][0] if place + 1 < len(spans) else len(text)
        left, right = start, end
        while left > low and _is_bare(text[left - 1]):
            left -= 1
        while right < high and _is_bare(text[right]):
            right += 1
        begins = left == 0 or _is_line_break(text[left - 1]) or (left == low and began)
        ends = right == len(text) or _is_line_break(text[right])
        if begins and ends:
            start, end = _skip_blanks(text, left, start), _trim_blanks(text, right, end)
        elif right == high and not ends:
            end = _trim_blanks(text, right, end)
        elif begins:
            end = _end_of_signs(text, end, right)
        elif ends:
            start = _start_of_signs(text, start, left)
        out.append((start, end))
        low, began = end, begins
    return out


def _is_line_break(char: str) -> bool:
    return LINE_BREAK.match(char) is not None


def _is_blank(char: str) -> bool:
    return char.isspace() and not _is_line_break(char)


def _is_bare(char: str) -> bool:
    return _is_blank(char) or char in LONE_MARKS


def _skip_blanks(text: str, left: int, start: int) -> int:
    """The first character of text[left:start] that is no blank."""
    while left < start and _is_blank(text[left]):
        left += 1
    return left


def _trim_blanks(text: str, right: int, end: int) -> int:
    """The end of the last one of text[end:right]."""
    while right > end and _is_blank(text[right - 1]):
        right -= 1
    return right


def _end_of_signs(text: str, end: int, right: int) -> int:
    """Where signs end that stand behind a cut, within text[end:right], and before a blank or, if they are wide, not."""
    place = end
    while True:
        while place < right and _is_blank(text[place]):
            place += 1
        first = place
        while place < right and text[place] in JOINING_SIGNS | HANGING_SIGNS:
            place += 1
        if place == first or place == len(text):
            return end
        if text[place - 1] not in WIDE_SIGNS and not _is_blank(text[place]):
            return end
        end = place


def _start_of_signs(text: str, start: int, left: int) -> int:
    """Where signs begin that stand before a cut, within text[left:start], and behind a blank."""
    place = start
    while True:
        while place > left and _is_blank(text[place - 1]):
            place -= 1
        last = place
        while place > left and text[place - 1] in JOINING_SIGNS:
            place -= 1
        if place == last or place == 0 or not _is_blank(text[place - 1]):
            return start
        start = place
