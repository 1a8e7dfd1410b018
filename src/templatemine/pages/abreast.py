"""Pages abreast: each step of the work on several pages is done for all of them before the next one begins.

A step is long code that runs once a page; for pages in a row it is still in the caches of the processor.  In come
generators that yield between their steps, out goes what they return.
"""

from __future__ import annotations

from collections.abc import Generator, Iterable
from typing import TypeVar

__all__ = ["Steps", "take_in_turn"]

T = TypeVar("T")

Steps = Generator[None, None, T]


def take_in_turn(tasks: Iterable[Steps[T]]) -> list[T]:
    """Take a step of each task in turn until all are done, and return their results in the order of the tasks."""
    results: dict[int, T] = {}
    running = list(enumerate(tasks))
    while running:
        waiting = []
        for place, task in running:
            try:
                next(task)
            except StopIteration as end:
                results[place] = end.value
            else:
                waiting.append((place, task))
        running = waiting
    return [results[place] for place in sorted(results)]
