"""Matches -> parts of cuts, each of one kind; kept text stays whole.

The reference of what `_cutting.unite_matches` does: texts that the automaton does not decide alone go this way.
Matches that overlap or touch are one part, of the kind of the longest template among them.  Parts with fewer than
`gap` characters between them are one cut: they become one part if they are of one kind, else the gap goes to the
first, and they touch.  A template that is kept takes its occurrences out of the cuts, and matches with a slot that
overlap them.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import NamedTuple

from templatemine.cleaning.regex_engine import Matches
from templatemine.matching import _cutting
from templatemine.text.characters import line_begin, line_end


class Part(NamedTuple):
    """A stretch of a text, the places of its templates in the pack in order, and the code of its kind."""

    start: int
    end: int
    rows: tuple[int, ...]
    kind: int = 0


def merge_matches(matches: Matches, gap: int) -> list[Part]:
    """Return the union of matches, with gaps closed."""
    import numpy as np

    columns = np.array(matches, np.int64)
    starts, ends, member = _cutting.merge(np.ascontiguousarray(columns[:, 0]), np.ascontiguousarray(columns[:, 1]), gap)
    rows: list[set[int]] = [set() for _ in starts]
    for place, row in zip(member.tolist(), columns[:, 2].tolist(), strict=True):
        rows[place].add(row)
    bounds = zip(starts.tolist(), ends.tolist(), rows, strict=True)
    return [Part(start, end, tuple(sorted(some))) for start, end, some in bounds]


class KindsOfRows:
    """The kinds of the templates of a pack.

    Parameters
    ----------
    weights, codes : sequence of int
        Of each template, see `packs.pack_record.kind_weight` and `Pack.kind_codes`.
    """

    def __init__(self, weights: Sequence[int], codes: Sequence[int]) -> None:
        self._weights, self._codes = weights, codes

    def merge_matches(self, matches: Matches, gap: int) -> list[Part]:
        """Call the native `merge_matches`, with a part for each kind."""
        parts: list[Part] = []
        for part in merge_matches(matches, 0):
            kind = self._codes[min(part.rows, key=lambda row: (-self._weights[row], row))]
            part = part._replace(kind=kind)
            if parts and part.start - parts[-1].end < gap:
                last = parts.pop()
                if last.kind == kind:
                    part = part._replace(start=last.start, rows=tuple(sorted({*last.rows, *part.rows})))
                else:
                    parts.append(last._replace(end=part.start))
            parts.append(part)
        return parts


def widen_parts(text: str, parts: Sequence[Part]) -> list[Part]:
    """Widen parts by the punctuation that their cuts would orphan, see `_cutting.widen`."""
    widened = _cutting.widen(text, list(parts))
    return [part._replace(start=start, end=end) for part, (start, end) in zip(parts, widened, strict=True)]


def leave_parts_of_lines(text: str, parts: Sequence[Part]) -> list[Part]:
    """Reduce parts to the whole lines in them; blanks beside a cut do not make its line a longer one."""
    out: list[Part] = []
    for first, last in _touching(parts):
        start, end = parts[first].start, parts[last].end
        begin, stop = line_begin(text, start), line_end(text, end)
        if text[begin:start].strip():
            begin = line_end(text, start)
            while begin < end and text[begin].isspace():
                begin += 1
        else:
            begin = start
        if text[end:stop].strip():
            stop = line_begin(text, end)
            while stop > begin and text[stop - 1].isspace():
                stop -= 1
        else:
            stop = end
        for part in parts[first : last + 1]:
            a, b = max(part.start, begin), min(part.end, stop)
            if a < b:
                out.append(part._replace(start=a, end=b))
    return out


def _touching(parts: Sequence[Part]) -> list[tuple[int, int]]:
    """Return the places of the first and last part of each cut."""
    firsts = [place for place, part in enumerate(parts) if not place or parts[place - 1].end != part.start]
    return list(zip(firsts, [*(place - 1 for place in firsts[1:]), len(parts) - 1], strict=True)) if parts else []


def leave_slots_to_kept(matches: Matches, kept: frozenset[int], slotted: frozenset[int]) -> Matches:
    """Return the matches that are cut: those with a slot go where they overlap one that is kept, for without it what
    fills their slots says nothing.

    Parameters
    ----------
    matches : list of (start, end, row)
    kept, slotted : frozenset of int
        Rows of templates that are kept, and of those with a slot.
    """
    holes = [(start, end) for start, end, row in matches if row in kept]
    return [
        (start, end, row)
        for start, end, row in matches
        if row not in kept and not (row in slotted and any(first < end and start < last for first, last in holes))
    ]


def unite_spans(spans: Iterable[tuple[int, int]]) -> list[tuple[int, int]]:
    """Return spans as disjoint ones, in order.

    >>> unite_spans([(6, 9), (0, 4), (4, 5), (1, 2)])
    [(0, 5), (6, 9)]
    """
    united: list[tuple[int, int]] = []
    for start, end in sorted(spans):
        if united and start <= united[-1][1]:
            united[-1] = united[-1][0], max(end, united[-1][1])
        else:
            united.append((start, end))
    return united


def spare_kept(text: str, parts: Sequence[Part], kept: Sequence[tuple[int, int]]) -> list[Part]:
    """Return parts without kept text, and without white space beside it; parts that become empty go."""
    holes = unite_spans(kept)
    out: list[Part] = []
    for part in parts:
        inner = [hole for hole in holes if hole[0] < part.end and hole[1] > part.start]
        starts = [part.start, *(end for _, end in inner)]
        ends = [*(start for start, _ in inner), part.end]
        for start, end in zip(starts, ends, strict=True):
            while start < end and text[start].isspace() and start != part.start:
                start += 1
            while start < end and text[end - 1].isspace() and end != part.end:
                end -= 1
            if start < end:
                out.append(part._replace(start=start, end=end))
    return out
