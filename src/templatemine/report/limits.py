"""The limits of `clean --check`, by which a report is judged as well (`verdict`)."""

from __future__ import annotations

from templatemine.config import ReportConfig

MAX_TORN = 0.05
"""Share of the changed records of a source with a torn sentence above which `--check` fails: eight of 90 publishers
have more, 71 have none."""
MAX_STUBS = 0.05
"""Share of the records of a source that are stubs above which it fails: one of 148 publishers and feeds has more, 140
have none."""
MAX_RESTS = 0.05
"""Share of the changed records that were looked at in which a cut leaves a rest that others share, above which it
fails: 12 of 141 publishers and feeds have more, 116 have none.  Also that of all records looked at in which a long
string stays that others share: four of 148 have more."""
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
