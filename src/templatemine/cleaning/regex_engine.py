"""(text, pack) -> matches, by the expressions of the pack: the reference engine, which the native one equals.

This is what users get who take the expressions elsewhere, with one exception: whether the rest of a line is what a slot
takes is looked at here.  An Aho-Corasick automaton (pyahocorasick) finds the literals of the expressions, so that few
of them are tried; cost grows with the number of these.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from templatemine.packs.pack import Pack
from templatemine.text.characters import line_begin, line_end
from templatemine.text.expressions import Marked, expression, is_tag, literal_pieces, marked_text, separator_class
from templatemine.text.slots import fills

if TYPE_CHECKING:
    import regex

__all__ = ["Matches", "RegexEngine", "written_expressions"]

Matches = list[tuple[int, int, int]]
"""(start, end, place of the template in the pack), in code points."""


class RegexEngine:
    """The expressions of a pack: literals first, then those whose literals are there, on marked text.

    Parameters
    ----------
    pack : Pack
    """

    def __init__(self, pack: Pack) -> None:
        import ahocorasick
        import regex

        self._pack = pack
        self._separators = regex.compile(f"[{separator_class(pack.tokenise.separators)}]")
        self._tags: dict[bytes, str] = {}
        self._compiled: dict[int, regex.Pattern[str]] = {}
        self._always: list[int] = []
        by_literal: dict[str, list[int]] = {}
        for place, template in enumerate(pack.templates):
            if template.tokens is None:
                continue
            forms = pack.forms(template)
            for form in forms:
                if is_tag(form, pack.html):
                    self._tags.setdefault(form, chr(0xF1000 + len(self._tags)))
            # What fills a slot is looked at when its string is found, whose other edge may be that of a line.
            other = {"end": "start", "start": "end"}.get(template.slot, "") if template.anchor == "line" else ""
            anchor = other if template.slot else template.anchor
            source = expression(forms, pack.patterns, pack.tokenise.separators, pack.html, self._tags, anchor)
            self._compiled[place] = regex.compile(source)
            literal = max(literal_pieces(forms, pack.html, self._tags), key=len, default="")
            (by_literal.setdefault(literal, []) if literal else self._always).append(place)
        self._automaton = ahocorasick.Automaton()
        for literal, places in by_literal.items():
            self._automaton.add_word(literal, places)
        if by_literal:
            self._automaton.make_automaton()

    def matches(self, text: str) -> Matches:
        """Every occurrence of every template that has tokens, with the place of the template in the pack."""
        pack = self._pack
        marked = marked_text(text, pack.patterns, pack.tokenise.separators, pack.html, self._tags)
        candidates = set(self._always)
        if len(self._automaton):
            for _, places in self._automaton.iter(marked.text):
                candidates.update(places)
        found: Matches = []
        for place in sorted(candidates):
            slot, kind = pack.templates[place].slot, pack.templates[place].filler
            for match in self._compiled[place].finditer(marked.text, overlapped=True):
                start, end = match.span(1)
                if slot == "end":
                    end = max(end, self._line_end(marked.text, end))
                elif slot:
                    start = min(start, self._line_begin(marked.text, start))
                start, end, *filler = map(marked.original, (start, end, *match.span(1)))
                if slot == "end" and not self._takes(text, filler[1], end, slot, kind):
                    continue
                if slot == "start" and not self._takes(text, start, filler[0], slot, kind):
                    continue
                found.append((start, end, place))
        return found

    def _line_end(self, text: str, place: int) -> int:
        """Where the last token of a line ends."""
        end = line_end(text, place)
        while end > place and self._separators.match(text, end - 1):
            end -= 1
        return end

    def _line_begin(self, text: str, place: int) -> int:
        """Where the first token of a line begins."""
        begin = line_begin(text, place)
        while begin < place and self._separators.match(text, begin):
            begin += 1
        return begin

    def _takes(self, text: str, start: int, end: int, slot: str, kind: str) -> bool:
        """Whether a stretch may fill a slot; what a pattern of the user's own matches is one character to the core."""
        patterns = self._pack.patterns
        own = patterns.user_matches(text, self._separators) if patterns.user else []
        edits = [(a - start, b - start, "\U000f0fff") for a, b, _ in own if a >= start and b <= end]
        filler = Marked(text[start:end], edits).text
        return fills(kind, filler, self._pack.tokenise.separators, slot)


def written_expressions(pack: Pack) -> list[tuple[int, regex.Pattern[str]]]:
    """The expressions that were written by hand, with their places."""
    written = [(place, template.regex) for place, template in enumerate(pack.templates) if template.tokens is None]
    if not written:
        return []
    import regex  # here, for it takes longer to load than most that cleaning needs

    return [(place, regex.compile(source)) for place, source in written]
