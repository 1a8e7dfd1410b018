"""(text, pack) -> matches, by the expressions of the pack: the reference engine, which the native one equals.

This is what users get who take the expressions elsewhere, with one exception: whether the rest of a line is what a slot
takes is looked at here.  An Aho-Corasick automaton (pyahocorasick) finds the literals of the expressions, so that few
of them are tried; cost grows with the number of these.
"""

from __future__ import annotations

import time
from bisect import bisect_left
from collections.abc import Iterator, Mapping, Sequence
from functools import lru_cache
from typing import TYPE_CHECKING

from templatemine.packs.pack import Pack
from templatemine.text._scan import MIN_BETWEEN, SLOT_SIZE
from templatemine.text.characters import SMALL, line_begin, line_end
from templatemine.text.expressions import (
    RewrittenText,
    expression,
    is_tag,
    literal_pieces,
    rewrite_marks,
    separator_class,
    text_head,
)
from templatemine.text.linear import LinearExpression, compile_linear, time_limit
from templatemine.text.literals import required_literal
from templatemine.text.slots import ANY, DATELINE, HEADLINES, blank_pattern, find_headlines, matches_kind

if TYPE_CHECKING:
    import ahocorasick
    import regex

    from templatemine.text.patterns import PatternSet

Matches = list[tuple[int, int, int]]
"""(start, end, place of the template in the pack), in code points."""

MIN_EXPRESSIONS_TO_FILTER, MIN_LITERAL_LENGTH = 8, 4
"""So many expressions by hand are tried in less time than their literals are looked for, and shorter literals are no
reason not to try one."""


class RegexEngine:
    """The expressions of a pack: literals first, then those whose literals are there, on marked text.

    Parameters
    ----------
    pack : Pack
    """

    def __init__(self, pack: Pack) -> None:
        import regex

        self._pack = pack
        self._separators = regex.compile(f"[{separator_class(pack.tokenise.separators)}]")
        self._tags: dict[bytes, str] = {}
        self._compiled: dict[int, regex.Pattern[str]] = {}
        self._heads: dict[int, regex.Pattern[str]] = {}
        self._always: list[int] = []
        by_literal: dict[str, list[int]] = {}
        for place, template in enumerate(pack.templates):
            if template.tokens is None:
                continue
            forms = pack.forms(template)
            for form in forms:
                if is_tag(form, pack.html):
                    self._tags.setdefault(form, chr(0xF1000 + len(self._tags)))
            # The filler of a slot is checked when its string is found, whose other edge may be that of a line.
            other = {"end": "start", "start": "end"}.get(template.slot, "") if template.anchor == "line" else ""
            anchor = other if template.slot else template.anchor
            if template.slot == "middle":
                head_anchor = "start" if template.anchor in ("start", "line") else ""
                anchor = "end" if template.anchor in ("end", "line") else ""
                head = pack.head_forms(template)
                self._heads[place] = regex.compile(
                    expression(head, pack.patterns, pack.tokenise.separators, pack.html, self._tags, head_anchor)
                )
            source = expression(forms, pack.patterns, pack.tokenise.separators, pack.html, self._tags, anchor)
            self._compiled[place] = regex.compile(source)
            literal = max(literal_pieces(forms, pack.html, self._tags), key=len, default="")
            (by_literal.setdefault(literal, []) if literal else self._always).append(place)
        self._literals = _Literals(by_literal)

    def matches(self, text: str) -> Matches:
        """Find every occurrence of every template that has tokens, with the place of the template in the pack."""
        pack = self._pack
        marked = rewrite_marks(text, pack.patterns, pack.tokenise.separators, pack.html, self._tags)
        candidates = self._literals.find(marked.text).union(self._always)
        lines = _LineBounds(marked.text, self._separators)
        fillers = _SlotFillers(text, pack.patterns, self._separators, pack.tokenise.separators)
        found: Matches = []
        for place in sorted(candidates):
            slot, kind = pack.templates[place].slot, pack.templates[place].filler
            if slot == "middle":
                found += [(*span, place) for span in self._find_two_sided(place, marked, fillers)]
                continue
            for match in self._compiled[place].finditer(marked.text, overlapped=True):
                start, end = match.span(1)
                if kind == HEADLINES:
                    end = fillers.find_headlines(marked.original_offset(end))
                    if end >= 0:
                        found.append((marked.original_offset(start), end, place))
                    continue
                if slot == "end":
                    end = max(end, lines.find_bounds(end)[1])
                elif slot:
                    start = min(start, lines.find_bounds(start)[0])
                start, end, *filler = map(marked.original_offset, (start, end, *match.span(1)))
                if slot == "end" and not fillers.can_fill(filler[1], end, slot, kind):
                    continue
                if slot == "start" and not fillers.can_fill(start, filler[0], slot, kind):
                    continue
                if kind == DATELINE and not fillers.is_dateline(start, filler[1]):
                    continue
                found.append((start, end, place))
        return found

    def _find_two_sided(self, place: int, marked: RewrittenText, fillers: _SlotFillers) -> Iterator[tuple[int, int]]:
        """Yield the matches of a template with a slot in the middle: from each head to the first place of its string
        behind it, if that is in its line and what is between may fill the slot."""
        slot, kind = self._pack.templates[place].slot, self._pack.templates[place].filler
        heads = [match.span(1) for match in self._heads[place].finditer(marked.text, overlapped=True)]
        for match in self._compiled[place].finditer(marked.text, overlapped=True):
            start, end = match.span(1)
            line, left = line_begin(marked.text, start), []
            opening = -1
            for head in heads:
                bounds = marked.original_offset(head[1]), marked.original_offset(start)
                stays = head[1] > start or (
                    bounds[1] - bounds[0] < MIN_BETWEEN if kind == ANY else not fillers.can_fill(*bounds, slot, kind)
                )
                if stays:
                    left.append(head)
                elif opening < 0 and head[0] >= line and (kind != ANY or fillers.measure(*bounds) <= SLOT_SIZE):
                    opening = head[0]
            heads = left
            if opening >= 0:
                yield marked.original_offset(opening), marked.original_offset(end)


class _Literals:
    """Literals, all looked for at once, with the numbers of the expressions that each may let in."""

    def __init__(self, numbers: Mapping[str, Sequence[int]]) -> None:
        self._automaton: ahocorasick.Automaton | None = None
        if not numbers:
            return
        import ahocorasick

        self._automaton = ahocorasick.Automaton()
        for literal, some in numbers.items():
            self._automaton.add_word(literal, some)
        self._automaton.make_automaton()

    def find(self, text: str) -> set[int]:
        """Return the numbers of the literals that a text holds."""
        if self._automaton is None:
            return set()
        return {number for _, some in self._automaton.iter(text) for number in some}


class _LineBounds:
    """The lines of a text, each looked for once: strings with a slot may occur often in one."""

    def __init__(self, text: str, separators: regex.Pattern[str]) -> None:
        self._text, self._separators = text, separators
        self._line, self._tokens = (0, -1), (0, 0)

    def find_bounds(self, place: int) -> tuple[int, int]:
        """Find where the first token of the line of a place begins, and where its last one ends."""
        if not self._line[0] <= place <= self._line[1]:
            begin, end = self._line = line_begin(self._text, place), line_end(self._text, place)
            while end > begin and self._separators.match(self._text, end - 1):
                end -= 1
            while begin < end and self._separators.match(self._text, begin):
                begin += 1
            self._tokens = (begin, end)
        return self._tokens


@lru_cache(maxsize=64)
def _compile_small(separators: str) -> regex.Pattern[str]:
    import regex

    return regex.compile(f"(?:{blank_pattern(separators)})*[{SMALL}]")


@lru_cache(maxsize=64)
def _compile_head(separators: str) -> regex.Pattern[str]:
    import regex

    return regex.compile(text_head(separators))


class _SlotFillers:
    """The fillers of slots; a match of a user pattern is one character to the core."""

    def __init__(self, text: str, patterns: PatternSet, marks: regex.Pattern[str], separators: str) -> None:
        self._text, self._separators = text, separators
        self._opening = -1, False
        self._user_spans = [span for *span, _ in patterns.user_matches(text, marks)] if patterns.user else []

    def can_fill(self, start: int, end: int, slot: str, kind: str) -> bool:
        """Return whether a stretch may fill a slot."""
        rewritten = self._rewrite(start, end)
        if rewritten is None:
            return matches_kind(kind, self._text, self._separators, slot, start, end)
        return matches_kind(kind, rewritten.text, self._separators, slot)

    def is_dateline(self, start: int, end: int) -> bool:
        """Return whether few lines, none of which ends as prose does or holds a dash, go before the one whose first
        token begins at `start`, and no small letter follows at `end`."""
        rewritten = self._rewrite(end, len(self._text))
        goes_on = _compile_small(self._separators)
        if goes_on.match(self._text, end) if rewritten is None else goes_on.match(rewritten.text):
            return False
        if start != self._opening[0]:
            rewritten = self._rewrite(0, start)
            before = (self._text, start) if rewritten is None else (rewritten.text, len(rewritten.text))
            head = _compile_head(self._separators).fullmatch(before[0], 0, before[1])
            self._opening = start, head is not None
        return self._opening[1]

    def find_headlines(self, start: int) -> int:
        """Find the end of the headlines behind a string; -1 if it does not end its line."""
        rewritten = self._rewrite(start, len(self._text))
        if rewritten is None:
            return find_headlines(self._text, start, self._separators)
        end = find_headlines(rewritten.text, 0, self._separators)
        return start + rewritten.original_offset(end) if end >= 0 else -1

    def measure(self, start: int, end: int) -> int:
        """Count the characters of a stretch, as the core does."""
        rewritten = self._rewrite(start, end)
        return end - start if rewritten is None else len(rewritten.text)

    def _rewrite(self, start: int, end: int) -> RewrittenText | None:
        """Return a stretch as the core has it; None if it is unchanged."""
        own = self._user_spans[bisect_left(self._user_spans, [start, 0]) : bisect_left(self._user_spans, [end, 0])]
        edits = [(a - start, b - start, "\U000f0fff") for a, b in own if b <= end]
        return RewrittenText(self._text[start:end], edits) if edits else None


class ManualExpressions:
    """The expressions of a pack that were written by hand, of which those are tried whose literal the text holds.

    An expression that needs none, or a short one, is tried on each text: time is the length of the text for each.
    """

    def __init__(self, pack: Pack) -> None:
        self._compiled: list[tuple[int, LinearExpression]] = []
        self._always: list[int] = []
        self._literals = _Literals({})
        written = [(place, template.regex) for place, template in enumerate(pack.templates) if template.tokens is None]
        if not written:
            return
        self._compiled = [(place, compile_linear(source)) for place, source in written]
        by_literal: dict[str, list[int]] = {}
        for number, (_, source) in enumerate(written):
            literal = required_literal(source) if len(written) > MIN_EXPRESSIONS_TO_FILTER else ""
            (by_literal.setdefault(literal, []) if len(literal) >= MIN_LITERAL_LENGTH else self._always).append(number)
        self._literals = _Literals(by_literal)

    def matches(self, text: str) -> Matches:
        """Find every match that is not empty, of the first group if there is one, with the place of the template.

        Raises
        ------
        CapacityError
            If the expressions take too long for the text.
        """
        numbers = self._literals.find(text).union(self._always)
        found: Matches = []
        limit = time_limit(text)
        for number in sorted(numbers):
            place, compiled = self._compiled[number]
            began = time.thread_time()
            found += [(*span, place) for span in compiled.spans(text, overlapped=True, limit=limit)]
            limit = max(0.0, limit - (time.thread_time() - began))
        return found
