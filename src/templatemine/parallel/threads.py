"""Some calls at a time in threads of this process: for work that leaves Python's lock alone, as the native core does.

Nothing is copied to another process and back, as it is by `processes`; memory holds the input once.  The threads are
daemons, so that Ctrl-C and errors need not wait for what they are at.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator, Sequence
from queue import SimpleQueue
from typing import Any, TypeVar

__all__ = ["as_finished"]

Item = TypeVar("Item")
Result = TypeVar("Result")


def as_finished(
    function: Callable[[Item], Result], items: Sequence[Item], threads: int
) -> Iterator[tuple[int, Result]]:
    """Yield (place of the item, ``function(item)``) as calls come to an end; items are taken in order.

    With one thread, or one item, the calls are made in the thread of the caller.  If a call raises, or the iterator is
    closed, no more items are taken.

    Raises
    ------
    Exception
        The first that `function` raised.
    """
    threads = min(threads, len(items))
    if threads < 2:
        for place, item in enumerate(items):
            yield place, function(item)
        return
    left = iter(range(len(items)))
    lock = threading.Lock()
    answers: SimpleQueue[tuple[int, Any, BaseException | None]] = SimpleQueue()
    over = threading.Event()

    def work() -> None:
        while not over.is_set():
            with lock:
                place = next(left, None)
            if place is None:
                return
            try:
                answers.put((place, function(items[place]), None))
            except BaseException as error:
                over.set()
                answers.put((place, None, error))

    workers = [threading.Thread(target=work, name=f"templatemine-{number}", daemon=True) for number in range(threads)]
    for worker in workers:
        worker.start()
    try:
        for _ in items:
            place, value, error = answers.get()
            if error is not None:
                raise error
            yield place, value
    finally:
        over.set()
    for worker in workers:
        worker.join()  # which have nothing left to do: this process is alone again
