"""(what cleaning does to the articles of a source) -> whether it is within the limits of `clean --check`."""

from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple

from templatemine.config import ReportConfig

MAX_TORN = 0.05
"""Share of the changed records of a source with a torn sentence above which `--check` fails: eight of 90 publishers
have more, 71 have none."""
MAX_STUBS = 0.05
"""Share of the records of a source that are stubs above which it fails: one of 148 publishers and feeds has more, 140
have none."""
MAX_RESTS = 0.05
"""Share of the changed records that were looked at in which a cut leaves a rest that others share, above which it
fails: 17 of 141 publishers and feeds have more, 113 have none."""
MAX_LOST = 0.5
"""Share of the characters of a source above which a report says so, as the documentation has it for `--check`."""
MAX_SAMPLED = 6_000
"""Articles that are kept to be looked at, of all sources together."""
_MIN_SAMPLED = 20
_MIN_FOUND = 2
"""Records with a torn sentence, or stubs: a single one shows nothing of a source."""


def sample_size(sources: int, most: int = ReportConfig().looked) -> int:
    """Return how many changed articles of each of so many sources are looked at, `most` at most.

    >>> sample_size(2), sample_size(60), sample_size(10_000)
    (200, 100, 20)
    """
    return max(_MIN_SAMPLED, min(most, MAX_SAMPLED // max(1, sources)))


def is_over(number: int, share: float, most: float) -> bool:
    """Return whether so many records, of this share, are more than a limit allows."""
    return share > most and (number >= _MIN_FOUND or not most)


def format_share(share: float, most: float) -> str:
    """Return a share with as many digits as show on which side of a limit it is.

    >>> format_share(0.5001, 0.5), format_share(0.25, 0.5)
    ('50.01%', '25.0%')
    """
    exact = (f"{share:.{digits}%}" for digits in range(1, 9))
    return next((one for one in exact if (float(one[:-1]) > 100 * most) == (share > most)), f"{share:.1%}")


class Measured(NamedTuple):
    """What a source is measured by: what is found, in how many of how many, of what, and the greatest share.

    >>> one = Measured("torn sentences", 12, 200, "changed articles", 0.05)
    >>> one.is_over, one.describe()
    (True, 'torn sentences in 6.0% of 200 changed articles (limit 5%)')
    """

    what: str
    number: int
    of: int
    whole: str
    most: float

    @property
    def share(self) -> float:
        """Return the share that is found."""
        return self.number / max(1, self.of)

    @property
    def is_over(self) -> bool:
        """Return whether that is more than the limit allows."""
        return is_over(self.number, self.share, self.most)

    def describe(self) -> str:
        """Say what is found, and the limit."""
        share = format_share(self.share, self.most)
        return f"{self.what} in {share} of {self.of:,} {self.whole} (limit {100 * self.most:.4g}%)"


def find_over(measures: Iterable[Measured]) -> list[Measured]:
    """Return those that are over their limits, the farthest first."""
    return sorted((one for one in measures if one.is_over), key=lambda one: one.most - one.share)
