"""Time grows with the size of the worst inputs as it does with that of ordinary ones; see `worst_cases`."""

from __future__ import annotations

import pytest

from worst_cases import PARTS, SIZES, exponent, measured, smallest_size

# Takes ten minutes: four sizes of each input; test_linear.py has the kernels alone.  Others use the same caches.
pytestmark = [pytest.mark.slow, pytest.mark.alone]

MOST = 1.4
"""Exponent of the time: linear is 1, a logarithm and caches that no longer hold the input add up to 0.3."""

NOTHING = 2.5e-9
"""Seconds a byte of eight megabytes that are not worth a fit: 20 ms."""


@pytest.mark.parametrize(("part", "name"), [(part, name) for part in PARTS for name in PARTS[part].inputs])
def test_time_is_linear(part: str, name: str) -> None:
    inputs, least = PARTS[part]
    prepare = inputs[name]
    size = smallest_size(prepare, least)
    found = []
    for _ in range(3):  # measured again before it is believed
        rates = measured(prepare, size)
        found.append(exponent(rates))
        if found[-1] < MOST or rates[-1] < NOTHING:
            return
    pytest.fail(f"time grows with the size to the power of {found}, from {size:,} to {size * SIZES[-1]:,} bytes")


def test_the_exponent_tells_linear_from_quadratic() -> None:
    assert exponent([3.0] * 4) == pytest.approx(1)
    assert exponent([size * 3.0 for size in SIZES]) == pytest.approx(2)
    assert exponent([0.3 + 0.7 * size / 8 for size in SIZES]) > MOST  # most of the time of the largest is quadratic
