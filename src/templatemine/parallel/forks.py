"""Some calls at a time, each in a copy of this process; in threads where it cannot be copied.

A copy has all that its parent has read, so nothing is handed to it, and it shares no lock with others: what is Python
in the calls runs side by side, too.  What a call gives is pickled on its way back.  Memory holds twice what the calls
touch, once in the parent and once in a copy.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Any, TypeVar

from templatemine.parallel import processes, threads

Item = TypeVar("Item")
Result = TypeVar("Result")

_function: Callable[[int], Any] | None = None
"""Callable inherited by forked workers, which call it with an index."""


def map_as_completed(
    function: Callable[[Item], Result], items: Sequence[Item], jobs: int
) -> Iterator[tuple[int, Result]]:
    """Yield (index of the item, ``function(item)``) as calls come to an end; items are taken in order.

    With one job, or one item, the calls are made here; in threads, if this process has others already (see
    `processes.is_single_threaded`).

    Parameters
    ----------
    function : callable
        Anything; its changes stay in the copy.
    items : sequence
    jobs : int

    Raises
    ------
    CapacityError
        A copy was ended from outside.
    Exception
        The first that `function` raised.
    """
    global _function
    jobs = min(jobs, len(items))
    if jobs < 2 or not processes.is_single_threaded():
        yield from threads.map_as_completed(function, items, jobs)
        return
    before, _function = _function, lambda index: function(items[index])
    try:
        with processes.WorkerPool(jobs) as pool:
            yield from pool.map_as_completed(_call, range(len(items)))
    finally:
        _function = before


def _call(index: int) -> Any:
    assert _function is not None  # this is a copy of the process that has the work
    return _function(index)
