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
    sizes: list[tuple[int, int]] = []
    for place, template in enumerate(templates):
        string = template.string or ()
        own = len({*string}), len(string)
        shared = Counter(family for token in {*string} for family in heads.get(token, ()))
        likely = ((-count, family) for family, count in shared.items() if count >= _least(own, sizes[family]))
        family = next(
            (one for _, one in sorted(likely) if are_variants(templates[found[one][0]].string or (), string)), None
        )
        if family is not None:
            found[family].append(place)
            continue
        for token in {*string}:
            heads.setdefault(token, []).append(len(found))
        sizes.append(own)
        found.append([place])
    return found


def _least(one: tuple[int, int], other: tuple[int, int]) -> int:
    """Different tokens that variants with so many different tokens, and tokens, have in common at least: all of the
    shorter, or all of the longer but for those that may differ."""
    return min(one[0], other[0]) - _differing(max(one[1], other[1]))


def _differing(length: int) -> int:
    """Tokens in which the longer of two variants may differ."""
    return 0 if length < FEW else 1 if length < SOME else 2


def are_variants(one: Sequence[str], other: Sequence[str]) -> bool:
    """Whether two strings of tokens are variants of each other."""
    short, long = sorted((tuple(one), tuple(other)), key=len)
    if not short or short == long:
        return bool(short)
    # A single token within several others, such as a bar or a month, says little.
    if (len(short) > 1 or len(long) == 2) and _within(short, long):
        return True
    differing = _differing(len(long))
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
