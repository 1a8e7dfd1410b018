"""Some calls at a time, each in a copy of this process; in threads where it cannot be copied.

A copy has all that its parent has read, so nothing is handed to it, and it shares no lock with others: what is Python
in the calls runs side by side, too.  What a call gives is pickled on its way back.  Memory holds twice what the calls
touch, once in the parent and once in a copy.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Any, TypeVar

from templatemine.parallel import processes, threads

__all__ = ["as_finished"]

Item = TypeVar("Item")
Result = TypeVar("Result")

_work: Callable[[int], Any] | None = None
"""What the copies do with a place: they find it here, as it was when they were made."""


def as_finished(function: Callable[[Item], Result], items: Sequence[Item], jobs: int) -> Iterator[tuple[int, Result]]:
    """Yield (place of the item, ``function(item)``) as calls come to an end; items are taken in order.

    With one job, or one item, the calls are made here; in threads, if this process has others already (see
    `processes.alone`).

    Parameters
    ----------
    function : callable
        Anything; what it changes in a copy stays there.
    items : sequence
    jobs : int

    Raises
    ------
    CapacityError
        A copy was ended from outside.
    Exception
        The first that `function` raised.
    """
    global _work
    jobs = min(jobs, len(items))
    if jobs < 2 or not processes.alone():
        yield from threads.as_finished(function, items, jobs)
        return
    before, _work = _work, lambda place: function(items[place])
    try:
        with processes.Workers(jobs) as pool:
            yield from pool.as_finished(_call, range(len(items)))
    finally:
        _work = before


def _call(place: int) -> Any:
    if _work is None:  # pragma: no cover
        raise RuntimeError("expected a copy of the process that has the work, this one was started anew")
    return _work(place)
