"""Profiles of Hypothesis and the markers of tests that are long, or that nothing else should run beside.

TEMPLATEMINE_TESTS=deep looks for counterexamples with fresh seeds and many examples; the default is the same every time,
and takes a tenth of the examples that a property names; see `scale`.  `make test-all` takes all: TEMPLATEMINE_SCALE=1.
"""

from __future__ import annotations

import os

import pytest
from hypothesis import HealthCheck, settings

from scale import SCALE

SLOW = [HealthCheck.too_slow, HealthCheck.data_too_large, HealthCheck.filter_too_much]

settings.register_profile(
    "fixed",
    max_examples=round(100 * SCALE),
    derandomize=True,
    deadline=None,
    database=None,
    suppress_health_check=SLOW,
)
settings.register_profile("deep", parent=settings.get_profile("fixed"), derandomize=False, max_examples=20_000)
settings.load_profile(os.environ.get("TEMPLATEMINE_TESTS", "fixed"))


def pytest_configure(config: pytest.Config) -> None:
    config.addinivalue_line("markers", "slow: takes long and shows nothing in small; leave out with -m 'not slow'")
    config.addinivalue_line("markers", "alone: holds seconds against a bound, so that nothing runs beside it")


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Files with long tests first, so that no process is left alone with one of them at the end."""
    long = {item.path for item in items if item.get_closest_marker("slow")}
    items.sort(key=lambda item: item.path not in long)


def pytest_make_parametrize_id(val: object, argname: str) -> str | None:
    """Packed bytes hold the time, and tests must have the same names in all processes that run them."""
    return f"{argname}-{len(val)}-packed" if isinstance(val, bytes) and b"\x1f\x8b" in val else None
