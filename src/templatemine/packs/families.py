"""Templates -> families: variants of one string under the most frequent of them, for people who read a pack.

Two are variants if their strings (without slots) are the same; if one lies within the other; or if they are the same
but for one or two tokens in one place.  Each is compared with the heads of families alone, so that a chain of small
differences does not join what is different.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

from templatemine.model import Template

__all__ = ["are_variants", "families"]

FEW, SOME = 3, 6
"""From so many tokens on, one of them may differ; from so many, two."""


def families(templates: Sequence[Template]) -> list[list[int]]:
    """Places of templates, a list a family, its head first.

    Parameters
    ----------
    templates : sequence of Template
        The most frequent first, as in a pack.

    Returns
    -------
    list of list of int
        In the order of the heads; an expression written by hand is alone.
    """
    found: list[list[int]] = []
    heads: dict[str, list[int]] = {}
    for place, template in enumerate(templates):
        string = template.string or ()
        shared = Counter(family for token in {*string} for family in heads.get(token, ()))
        own = next(
            (
                family
                for family, _ in sorted(shared.items(), key=lambda one: (-one[1], one[0]))
                if are_variants(templates[found[family][0]].string or (), string)
            ),
            None,
        )
        if own is not None:
            found[own].append(place)
            continue
        for token in {*string}:
            heads.setdefault(token, []).append(len(found))
        found.append([place])
    return found


def are_variants(one: Sequence[str], other: Sequence[str]) -> bool:
    """Whether two strings of tokens are variants of each other."""
    short, long = sorted((tuple(one), tuple(other)), key=len)
    if not short or short == long:
        return bool(short)
    # A single token within several others, such as a bar or a month, says little.
    if (len(short) > 1 or len(long) == 2) and _within(short, long):
        return True
    differing = 0 if len(long) < FEW else 1 if len(long) < SOME else 2
    begin = _common(short, long)
    end = _common(short[begin:][::-1], long[begin:][::-1])
    return differing > 0 and len(long) - begin - end <= differing


def _within(short: Sequence[str], long: Sequence[str]) -> bool:
    return any(long[place : place + len(short)] == short for place in range(len(long) - len(short) + 1))


def _common(one: Sequence[str], other: Sequence[str]) -> int:
    """Tokens with which both begin."""
    for place, (mine, its) in enumerate(zip(one, other, strict=False)):
        if mine != its:
            return place
    return min(len(one), len(other))
