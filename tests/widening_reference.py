"""The slow twin of `_cutting.widen`: cuts take the punctuation with them that they would orphan.

The dash behind a dateline, the bar between two links, empty quotes: what a cut gains is punctuation alone, never a
letter, a figure or a symbol such as a star.
"""

from __future__ import annotations

from collections.abc import Sequence

from templatemine.text.characters import LINE_BREAK

__all__ = ["JOINING_SIGNS", "LONE_MARKS", "RULE_SIGNS", "widen_cuts"]

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
RULE_SIGNS = (
    (JOINING_SIGNS - set(":|\u2192\u25b6\u25ba"))
    | frozenset("#*=_~\u203b\u30fb\u25c6\u25cf")
    | frozenset("\u2500\u2501")
)
"""Signs of which one, again and again, makes a line that parts a text from what comes before or behind it."""
GAP_SIGNS = RULE_SIGNS | HANGING_SIGNS | frozenset(":|.")
"""Signs that say nothing on lines of their own between two cuts; others may be an answer, or close a bracket."""
_DASHES = frozenset("-\u2010\u2011\u2012\u2013\u2014\u2015\u2212")
_OPENING = frozenset('"\u00ab\u2018\u201c\u201e\u300a\u300c\u300e')
_FRAME = frozenset("|+") | frozenset(map(chr, range(0x2500, 0x2580)))
_MAX_HEADING = 60


def widen_cuts(text: str, spans: Sequence[tuple[int, int]]) -> list[tuple[int, int]]:
    """Cuts with the signs that they leave alone.

    Of a line on which only punctuation is left, and between two cuts on a line, all of it goes; behind a cut where
    a line begins (before one where it ends) go signs that blanks part from what follows, or that joined it.  So do lines of
    signs alone between two cuts, or between a cut and an end of the text; and a line of one sign before a cut that takes
    all that comes behind it, or behind one that takes all before, unless it is a part of what stays.

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
        elif right == high < len(text):
            end = _trim_blanks(text, right, end)
        else:
            # Behind a cut that takes the end of one line and the beginning of another, a line begins.
            parts = any(map(_is_line_break, text[start:end]))
            behind = _end_of_signs(text, end, right) if begins or parts else end
            start, end = _start_of_signs(text, start, left) if ends else start, behind
            begins |= parts
        out.append((start, end))
        low, began = end, begins
    return _take_rules(text, _take_gaps(text, out)) if out else out


def _take_gaps(text: str, spans: Sequence[tuple[int, int]]) -> list[tuple[int, int]]:
    """Cuts with the lines of signs between them, and between them and the ends of the text."""
    out = list(spans)
    for place in range(len(spans) + 1):
        left, right = spans[place - 1][1] if place else 0, spans[place][0] if place < len(spans) else len(text)
        lines = _split_lines(text, left, right)
        # Signs on the line of a cut are of something on it that stays.
        edges = lines[:1] * (place > 0) + lines[-1:] * (place < len(spans))
        signs = [at for at in range(left, right) if not text[at].isspace()]
        if not signs or any(text[slice(*edge)].strip() for edge in edges):
            continue
        if all(text[at] in GAP_SIGNS for at in signs):
            if place:
                out[place - 1] = out[place - 1][0], signs[-1] + 1
            else:
                out[0] = signs[0], out[0][1]
    return out


def _take_rules(text: str, spans: Sequence[tuple[int, int]]) -> list[tuple[int, int]]:
    """Cuts with the rule before the last ones, if nothing is left behind them, and behind the first ones."""
    out = list(spans)
    bounds = [0, *(edge for span in spans for edge in span), len(text)]
    gaps = list(zip(bounds[::2], bounds[1::2], strict=True))
    place = len(spans)
    while place and not text[slice(*gaps[place])].strip():
        place -= 1
    if place < len(spans) and (rule := _rule_before(text, *gaps[place])) and _stays(text, *rule, out):
        out[place] = rule[0], out[place][1]
    bounds = [0, *(edge for span in out for edge in span), len(text)]
    gaps = list(zip(bounds[::2], bounds[1::2], strict=True))
    place = 0
    while place < len(spans) and not text[slice(*gaps[place])].strip():
        place += 1
    if place and (rule := _rule_behind(text, *gaps[place])) and _stays(text, *rule, out):
        out[place - 1] = out[place - 1][0], rule[1]
    return out


def _rule_before(text: str, low: int, high: int) -> tuple[int, int] | None:
    """The rule that is the last line of a gap that is not blank, if it is no part of those before it."""
    above, rule = _cut_last_line(text[low:high])
    if not rule or not _is_rule(rule):
        return None
    other = above.rstrip()
    last = LINE_BREAK.split(other)[-1].strip()
    if last and (last[0] in _FRAME or last[-1] in ":\uff1a"):
        return None
    is_next = len(LINE_BREAK.findall(above[len(other) :])) == 1
    if last and is_next and rule[0] in "-=~" and len(last) <= _MAX_HEADING:
        return None  # it underlines a heading
    start = low + len(above)
    start += len(text[start:high]) - len(text[start:high].lstrip())
    return start, start + len(rule)


def _cut_last_line(gap: str) -> tuple[str, str]:
    """The last line of a gap that is not blank and between two breaks, and all before it; or nothing."""
    rest = gap.rstrip()
    breaks = [match.end() for match in LINE_BREAK.finditer(rest)]
    if not breaks or not LINE_BREAK.search(gap, len(rest)):
        return "", ""
    return gap[: breaks[-1]], rest[breaks[-1] :].strip()


def _rule_behind(text: str, low: int, high: int) -> tuple[int, int] | None:
    """The rule that is the first line of a gap that is not blank, if it is no part of those behind it."""
    gap = text[low:high]
    first = len(gap) - len(gap.lstrip())
    if first == len(gap) or not LINE_BREAK.search(gap[:first]):
        return None
    match = LINE_BREAK.search(gap, first)
    if match is None and high < len(text):
        return None  # the line of the next cut
    rule = gap[first : match.start() if match else len(gap)].rstrip()
    behind = gap[match.end() :].lstrip() if match else ""
    if not _is_rule(rule) or (behind[:1] in _FRAME and behind):
        return None
    return low + first, low + first + len(rule)


def _is_rule(line: str) -> bool:
    return line[0] in RULE_SIGNS and all(char.isspace() or char == line[0] for char in line)


def _stays(text: str, start: int, end: int, spans: Sequence[tuple[int, int]]) -> bool:
    """Whether no other line that stays is the same as a rule: it is no half of a pair."""
    return not any(
        text[first:last].strip() == text[start:end]
        and not first <= start < max(last, first + 1)
        and not any(left <= first < right for left, right in spans)
        for first, last in _split_lines(text, 0, len(text))
    )


def _split_lines(text: str, left: int, right: int) -> list[tuple[int, int]]:
    """The lines of text[left:right], of which the first and the last may be parts."""
    breaks = [match.span() for match in LINE_BREAK.finditer(text, left, right)]
    return list(zip([left, *(end for _, end in breaks)], [*(start for start, _ in breaks), right], strict=True))


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
    """Where signs end that stand behind a cut, within text[end:right], and before a blank; or are wide, or join the cut
    with what stays, without a blank on either side."""
    before = end
    while before and _is_blank(text[before - 1]):
        before -= 1
    if before and _is_line_break(text[before - 1]):
        return end  # the signs are those of the next line
    place, is_glued = end, end > 0 and not text[end - 1].isspace()
    while True:
        while place < right and _is_blank(text[place]):
            place, is_glued = place + 1, False
        first = place
        while place < right and text[place] in JOINING_SIGNS | HANGING_SIGNS:
            place += 1
        if place == first or place == len(text):
            return end
        is_parted = text[place - 1] in WIDE_SIGNS or _is_blank(text[place])
        if not is_parted and not (is_glued and _is_joint(text[place - 1], text[place])):
            return end
        end = place


def _is_joint(sign: str, behind: str) -> bool:
    """Whether a sign without blanks beside it has joined a cut with what is behind; a dash before a figure may be its
    sign, and before a small letter within a word."""
    if sign not in _DASHES | HANGING_SIGNS | {":"}:
        return False
    return behind in _OPENING or (
        behind.isalnum() and not (sign in _DASHES and (behind.isnumeric() or behind.islower()))
    )


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
