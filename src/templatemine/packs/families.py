"""Templates -> families: variants of one string under the most frequent of them, for people who read a pack.

Two are variants if their strings (without slots) are the same; if one lies within the other; or if they are the same
but for one or two tokens in one place.  Each is compared with the heads of families alone, so that a chain of small
differences does not join different strings.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

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
    groups: list[list[int]] = []
    heads: dict[str, list[int]] = {}
    sizes: list[tuple[int, int]] = []
    for index, template in enumerate(templates):
        string = template.string or ()
        size = len({*string}), len(string)
        shared = Counter(family for token in {*string} for family in heads.get(token, ()))
        similar = (
            (-count, family) for family, count in shared.items() if count >= _min_shared_tokens(size, sizes[family])
        )
        family = next(
            (
                candidate
                for _, candidate in sorted(similar)
                if are_variants(templates[groups[candidate][0]].string or (), string)
            ),
            None,
        )
        if family is not None:
            groups[family].append(index)
            continue
        for token in {*string}:
            heads.setdefault(token, []).append(len(groups))
        sizes.append(size)
        groups.append([index])
    return groups


def _min_shared_tokens(first: tuple[int, int], second: tuple[int, int]) -> int:
    """Return how many different tokens two variants share at least, by their numbers of different tokens and of
    tokens: all of the shorter, or all of the longer but those that may differ."""
    return min(first[0], second[0]) - _max_edits(max(first[1], second[1]))


def _max_edits(length: int) -> int:
    """Return in how many tokens the longer of two variants may differ."""
    return 0 if length < ONE_EDIT_LENGTH else 1 if length < TWO_EDITS_LENGTH else 2


def are_variants(first: Sequence[str], second: Sequence[str]) -> bool:
    """Return whether two strings of tokens are variants of each other."""
    short, long = sorted((tuple(first), tuple(second)), key=len)
    if not short or short == long:
        return bool(short)
    # A single token within several others, such as a bar or a month, says little.
    if (len(short) > 1 or len(long) == 2) and _contains(short, long):
        return True
    max_edits = _max_edits(len(long))
    prefix = _common_prefix_length(short, long)
    suffix = _common_prefix_length(short[prefix:][::-1], long[prefix:][::-1])
    return max_edits > 0 and len(long) - prefix - suffix <= max_edits


def _contains(short: Sequence[str], long: Sequence[str]) -> bool:
    return any(long[offset : offset + len(short)] == short for offset in range(len(long) - len(short) + 1))


def _common_prefix_length(first: Sequence[str], second: Sequence[str]) -> int:
    """Count the tokens with which both begin."""
    for index, (token, other_token) in enumerate(zip(first, second, strict=False)):
        if token != other_token:
            return index
    return min(len(first), len(second))
