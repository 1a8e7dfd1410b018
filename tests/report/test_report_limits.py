"""The limits of `clean --check` and of the report."""

from __future__ import annotations

import pytest

from templatemine.report.limits import format_share, is_over


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


def test_a_single_article_shows_nothing_of_a_source() -> None:
    """Unless none is allowed; and a share that is the limit is within it."""
    assert not is_over(1, 1 / 3, 0.05)
    assert is_over(2, 2 / 3, 0.05)
    assert is_over(1, 1 / 3, 0)
    assert not is_over(10, 0.05, 0.05)
