"""Agreement of annotators: Cohen's kappa (1960) over the units that two of them have labelled.

kappa = (o - e) / (1 - e): o is the share of units with equal labels, e its expectation if both drew their labels at
random, each with its own frequencies.  If both use one and the same label for everything, e is 1 and kappa is
undefined.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations


@dataclass(frozen=True, slots=True, kw_only=True)
class Agreement:
    """Agreement of two people: documents and units with labels of both, share of equal labels, kappa or None."""

    one: str
    other: str
    documents: int
    units: int
    observed: float
    kappa: float | None


def kappa(one: Sequence[str], other: Sequence[str]) -> float | None:
    """Return Cohen's kappa of two lists of labels of the same units; None if chance explains all agreement."""
    if len(one) != len(other):
        raise ValueError(f"expected labels of the same units, got {len(one)} and {len(other)}")
    if not one:
        return None
    size = len(one)
    equal = sum(a == b for a, b in zip(one, other, strict=True))
    left, right = Counter(one), Counter(other)
    chance = sum(left[label] * right[label] for label in left)
    # In whole numbers, so that "chance explains all" is exact.
    return None if chance == size * size else (equal * size - chance) / (size * size - chance)


def measure_agreements(labelled: Mapping[str, Mapping[tuple[str, str], Sequence[str]]]) -> list[Agreement]:
    """Return the agreement of all pairs of people with a common document.

    Parameters
    ----------
    labelled : mapping
        Name -> document -> label of each of its units.
    """
    found = []
    for one, other in combinations(sorted(labelled), 2):
        both = sorted(labelled[one].keys() & labelled[other].keys())
        if not both:
            continue
        first, second = _join_labels(labelled[one], both), _join_labels(labelled[other], both)
        equal = sum(a == b for a, b in zip(first, second, strict=True))
        found.append(
            Agreement(
                one=one,
                other=other,
                documents=len(both),
                units=len(first),
                observed=equal / max(1, len(first)),
                kappa=kappa(first, second),
            )
        )
    return found


def _join_labels(rows: Mapping[tuple[str, str], Sequence[str]], names: Iterable[tuple[str, str]]) -> list[str]:
    return [label for name in names for label in rows[name]]
