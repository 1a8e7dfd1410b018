"""Batches of records done by one process, by several, or by threads; what comes out is the same, in the same order.

In come batches and what does one, out go pieces to be written.  Memory holds a few batches a job.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Generator, Iterable, Sequence
from contextlib import closing
from dataclasses import dataclass
from itertools import chain
from typing import TYPE_CHECKING, Any, Generic, TypeVar

from templatemine.errors import CorpusError
from templatemine.io.work import Work

if TYPE_CHECKING:
    from concurrent.futures import Future

__all__ = ["Done", "pieces", "spread"]

Counts = TypeVar("Counts")


@dataclass(frozen=True, slots=True)
class Done(Generic[Counts]):
    """A batch that is done: what is to be written, counts, and the records that could not be done."""

    data: bytes
    tally: Counts
    errors: Sequence[CorpusError]


Doing = Callable[[Work], Done[Counts]]


def spread(
    batches: Iterable[Work],
    jobs: int,
    here: Doing[Counts],
    make: Callable[..., Doing[Counts]],
    arguments: tuple[Any, ...],
    free: Callable[[Work], bool] = lambda work: False,
) -> Generator[Done[Counts], None, None]:
    """Yield what becomes of each batch, in order; close it if it is not used up, so that they end.

    Parameters
    ----------
    batches : iterable
    jobs : int
        Processes, or threads.
    here : callable
        Does a batch in this process.
    make : callable
        A function of a module; ``make(*arguments)`` gives what does a batch in another process.
    free : callable
        Whether a batch is done without Python's lock; then threads of this process do all of them, if it is true of the
        first two.
    """
    rest = iter(batches)
    ahead = [batch for _, batch in zip(range(2 if jobs > 1 else 1), rest, strict=False)]
    everything = chain(ahead, rest)
    if len(ahead) < 2:  # also with several jobs: one batch is not worth the start of a process
        yield from map(here, everything)
        return
    if all(map(free, ahead)):
        yield from _threaded(everything, jobs, here)
        return
    from templatemine.parallel.processes import Workers  # here, for one batch is done without multiprocessing

    # A batch ahead, because reading the next one takes this process a while.
    with Workers(jobs, _start, (make, arguments)) as pool:
        yield from pool.map(_work, everything, ahead=1, waiting=2 * jobs)


def _threaded(batches: Iterable[Work], jobs: int, here: Doing[Counts]) -> Generator[Done[Counts], None, None]:
    """`spread` in threads.  The caller reads and writes in another one, which is at work as long as any of these is."""
    from concurrent.futures import ThreadPoolExecutor  # here, for one job does without

    waiting: deque[Future[Done[Counts]]] = deque()
    with ThreadPoolExecutor(jobs) as pool:
        try:
            for batch in batches:
                waiting.append(pool.submit(here, batch))
                if len(waiting) > 2 * jobs:
                    yield waiting.popleft().result()
            while waiting:
                yield waiting.popleft().result()
        finally:
            for one in waiting:
                one.cancel()


def pieces(
    done: Generator[Done[Counts], None, None],
    count: Callable[[Counts], None],
    on_error: Callable[[CorpusError], None] | None,
) -> Generator[bytes, None, None]:
    """Yield what is to be written, after its errors were told and its counts were given to `count`.

    What gives the batches (`spread`) is closed at the end, or with this iterator.

    Raises
    ------
    CorpusError
        The first error, if there is no `on_error`.
    """
    with closing(done):  # now, and not when the last traceback that leads here is gone
        for batch in done:
            for error in batch.errors:
                if on_error is None:
                    raise error
                on_error(error)
            count(batch.tally)
            yield batch.data


_here: Callable[[Work], Done[Any]] | None = None
"""In a worker process: what does a batch there."""


def _start(make: Callable[..., Callable[[Work], Done[Any]]], arguments: tuple[Any, ...]) -> None:
    global _here
    _here = make(*arguments)


def _work(work: Work) -> Done[Any]:
    if _here is None:  # pragma: no cover
        raise RuntimeError("the worker was not started by _start")
    return _here(work)
