"""The limits of `clean --check` and of the report."""

from __future__ import annotations

import pytest

from templatemine.report.verdict import Measured, find_over, format_share


@pytest.mark.parametrize(
    ("share", "most", "said"),
    [
        (51 / 1019, 0.05, "5.005%"),
        (0.051, 0.05, "5.1%"),
        (0.05, 0.05, "5.0%"),
        (1e-4, 0, "0.01%"),
        (1.0, 0.5, "100.0%"),
    ],
)
def test_a_share_above_its_limit_is_told_as_one(share: float, most: float, said: str) -> None:
    """ "5.0% of its records, more than 5%"."""
    assert format_share(share, most) == said


def test_what_is_over_is_told_the_farthest_first() -> None:
    """A single article shows nothing of a source; a share that is the limit is within it."""
    torn, stubs, single, just = (
        Measured(name, number, of, "articles", 0.05)
        for name, number, of in (("torn", 12, 200), ("stubs", 40, 200), ("single", 1, 3), ("just", 10, 200))
    )
    assert find_over([torn, single, just, stubs]) == [stubs, torn]
    assert single._replace(most=0).is_over
