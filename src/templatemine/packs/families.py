"""Templates -> families: variants of one string under the most frequent of them, for people who read a pack.

Two are variants if their strings (without slots) are the same; if one lies within the other; or if they are the same
but for one or two tokens in one place.  Each is compared with the heads of families alone, so that a chain of small
differences does not join different strings.
"""

from __future__ import annotations

import sys
from collections import Counter
from collections.abc import Iterable, Sequence

from templatemine.model import Template

ONE_EDIT_LENGTH, TWO_EDITS_LENGTH = 3, 6
"""From so many tokens on, one of them may differ; from so many, two."""


def group_families(templates: Sequence[Template]) -> list[list[int]]:
    """Group the places of templates, a list a family, its head first.

    Parameters
    ----------
    templates : sequence of Template
        The most frequent first, as in a pack.

    Returns
    -------
    list of list of int
        In the order of the heads; an expression written by hand is alone.
    """
    variants = Variants()
    variants.add(templates)
    return variants.group(range(len(templates)))


class Variants:
    """Which templates are variants of which: found once for each, so that of thousands some can come and go."""

    def __init__(self) -> None:
        self._letters: dict[str, str] = {}
        self._strings: list[str] = []
        self._distinct: list[frozenset[str]] = []
        self._variants: list[list[tuple[int, int]]] = []  # of each, the others: (- shared tokens, place)
        self._holding: dict[str, list[int]] = {}  # letter -> strings that have it
        self._chosen: dict[str, list[int]] = {}  # letter -> strings of which it is one of the rarest

    def add(self, templates: Sequence[Template]) -> None:
        """Add templates; they get the next places."""
        new = [template.string or () for template in templates]
        frequency = Counter(token for tokens in new for token in {*tokens})
        for tokens in new:
            string = _as_letters(tokens, self._letters)
            distinct, place = frozenset(string), len(self._strings)
            rarest = sorted({*tokens}, key=lambda token: (frequency[token], token))[:_RAREST]
            chosen = [self._letters[token] for token in rarest]
            near = {other for letter in chosen for other in self._holding.get(letter, ())}
            near.update(other for letter in distinct for other in self._chosen.get(letter, ()))
            found: list[tuple[int, int]] = []
            for other in near:
                shared = len(distinct & self._distinct[other])
                if _are_variants(string, self._strings[other]):
                    found.append((-shared, other))
                    self._variants[other].append((-shared, place))
            self._strings.append(string)
            self._distinct.append(distinct)
            self._variants.append(found)
            for letter in distinct:
                self._holding.setdefault(letter, []).append(place)
            for letter in chosen:
                self._chosen.setdefault(letter, []).append(place)

    def group(self, places: Iterable[int]) -> list[list[int]]:
        """Group some templates into families, the most frequent first: `group_families`."""
        groups: list[list[int]] = []
        heads: dict[int, int] = {}
        for place in places:
            similar = [(shared, heads[other]) for shared, other in self._variants[place] if other in heads]
            if similar:
                groups[min(similar)[1]].append(place)
            else:
                heads[place] = len(groups)
                groups.append([place])
        return groups


_RAREST = 3
"""Two variants share all tokens of the shorter, or of the longer, but for two at most: so one of its three rarest."""


def _max_edits(length: int) -> int:
    """Return in how many tokens the longer of two variants may differ."""
    return 0 if length < ONE_EDIT_LENGTH else 1 if length < TWO_EDITS_LENGTH else 2


def _as_letters(tokens: Sequence[str], letters: dict[str, str]) -> str:
    """Return a string with a letter for each token: comparisons of texts are faster than those of tokens.

    What is beyond the last letter, of more tokens than packs of today have by far, counts as the same.
    """
    return "".join([letters.setdefault(token, chr(min(len(letters), sys.maxunicode))) for token in tokens])


def _are_variants(first: str, second: str) -> bool:
    short, long = (first, second) if len(first) <= len(second) else (second, first)
    size = len(short)
    if not size or short == long:
        return bool(size)
    # A single token within several others, such as a bar or a month, says little.
    if (size > 1 or len(long) == 2) and short in long:
        return True
    max_edits = _max_edits(len(long))
    unchanged = len(long) - max_edits
    if max_edits == 0 or size < unchanged:
        return False
    prefix = 0
    while prefix < size and short[prefix] == long[prefix]:
        prefix += 1
    suffix, rest = 0, size - prefix
    while suffix < rest and short[-1 - suffix] == long[-1 - suffix]:
        suffix += 1
    return prefix + suffix >= unchanged
