"""Types for argparse: text of the command line, or of the file of defaults -> numbers within the rows of `bounds`."""

from __future__ import annotations

import argparse
import os
from collections.abc import Callable

from templatemine.bounds import LARGEST, NUMBERS, Range, whole


def number_of(row: str) -> Callable[[str], float]:
    """Return an argument type: a number of a row of `bounds.NUMBERS`."""
    return lambda text: _checked(text, _read_number(text, NUMBERS[row]), NUMBERS[row])


def int_at_least(least: int, most: int = LARGEST) -> Callable[[str], int]:
    """Return an argument type: a whole number from `least` up to what can be counted."""
    bounds = whole(least, most)
    return lambda text: int(_checked(text, _read_number(text, bounds), bounds))


def parse_size(text: str, row: str = "RunConfig.memory") -> int:
    """Parse bytes, with an optional K, M, G or T for powers of 1,024; the config record checks the least."""
    number, unit = text.strip().upper().removesuffix("B").removesuffix("I"), 0
    if number and number[-1] in "KMGT":
        unit = 10 * ("KMGT".index(number[-1]) + 1)
        number = number[:-1]
    try:
        value = int(float(number) * 2**unit)
    except (ValueError, OverflowError):
        value = 0
    if value < 1:
        raise argparse.ArgumentTypeError(f"expected a size such as 500M or 2G, got {text!r}")
    return int(_checked(text, value, NUMBERS[row]._replace(least=1)))


def parse_jobs(text: str) -> int:
    """Parse a number of processes, 0 for as many as there are processors."""
    processors = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count()
    return int_at_least(0, int(NUMBERS["jobs"].most))(text) or processors or 1


def _read_number(text: str, bounds: Range) -> float | None:
    try:
        return int(text) if bounds.whole else float(text)
    except ValueError:  # also of more digits than Python converts
        return None


def _checked(text: str, value: float | None, bounds: Range) -> float:
    problem = bounds.problem(value)
    if problem:
        if value is None and problem == f"expected {bounds.kind}" and bounds.whole:
            problem += f" of at least {bounds.least:,.0f}"
        got = f"{text:.40}" if len(text) > 40 else repr(text)
        raise argparse.ArgumentTypeError(f"{problem}, got {got}{bounds.remedy(value)}")
    assert value is not None
    return value
