"""Some calls at a time in threads of this process: for work that leaves Python's lock alone, as the native core does.

Nothing is copied to another process and back, as it is by `processes`; memory holds the input once.  The threads are
daemons, so that Ctrl-C and errors need not wait for their calls.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator, Sequence
from queue import SimpleQueue
from typing import Any, TypeVar

Item = TypeVar("Item")
Result = TypeVar("Result")


def map_as_completed(
    function: Callable[[Item], Result], items: Sequence[Item], threads: int
) -> Iterator[tuple[int, Result]]:
    """Yield (index of the item, ``function(item)``) as calls come to an end; items are taken in order.

    With one thread, or one item, the calls are made in the thread of the caller.  If a call raises, or the iterator is
    closed, no more items are taken.

    Raises
    ------
    Exception
        The first that `function` raised.
    """
    threads = min(threads, len(items))
    if threads < 2:
        for index, item in enumerate(items):
            yield index, function(item)
        return
    indices = iter(range(len(items)))
    lock = threading.Lock()
    results: SimpleQueue[tuple[int, Any, BaseException | None]] = SimpleQueue()
    stopped = threading.Event()

    def work() -> None:
        while not stopped.is_set():
            with lock:
                index = next(indices, None)
            if index is None:
                return
            try:
                results.put((index, function(items[index]), None))
            except BaseException as error:
                stopped.set()
                results.put((index, None, error))

    workers = [threading.Thread(target=work, name=f"templatemine-{number}", daemon=True) for number in range(threads)]
    for worker in workers:
        worker.start()
    try:
        for _ in items:
            index, value, error = results.get()
            if error is not None:
                raise error
            yield index, value
    finally:
        stopped.set()
    for worker in workers:
        worker.join()  # which have nothing left to do: this process is alone again
