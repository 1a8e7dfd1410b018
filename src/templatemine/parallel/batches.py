"""Batches of records done by one process, by several, or by threads; the output is the same, in the same order.

In come batches and a function, out goes the output in pieces.  Memory holds a few batches a job.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Generator, Iterable, Sequence
from contextlib import closing
from dataclasses import dataclass
from itertools import chain
from typing import TYPE_CHECKING, Any, Generic, TypeVar

from templatemine.errors import CorpusError
from templatemine.io.pending import PendingBatch

if TYPE_CHECKING:
    from concurrent.futures import Future

Counts = TypeVar("Counts")


@dataclass(frozen=True, slots=True)
class BatchResult(Generic[Counts]):
    """The result of a batch: the output, counts, and the errors of records."""

    data: bytes
    tally: Counts
    errors: Sequence[CorpusError]

    @classmethod
    def of(cls, results: Sequence[bytes | CorpusError], tally: Counts) -> BatchResult[Counts]:
        """Return the result of a batch from those of its records."""
        errors = [result for result in results if isinstance(result, CorpusError)]
        return cls(b"".join(result for result in results if isinstance(result, bytes)), tally, errors)


ProcessBatch = Callable[[PendingBatch], BatchResult[Counts]]


def run_batches(
    batches: Iterable[PendingBatch],
    jobs: int,
    process: ProcessBatch[Counts],
    make_process: Callable[..., ProcessBatch[Counts]],
    arguments: tuple[Any, ...],
    lock_free: Callable[[PendingBatch], bool] = lambda batch: False,
) -> Generator[BatchResult[Counts], None, None]:
    """Yield the result of each batch, in order; close it if it is not used up, so that the workers end.

    Parameters
    ----------
    batches : iterable
    jobs : int
        Processes, or threads.
    process : callable
        Processes a batch, in this process.
    make_process : callable
        A function of a module; ``make_process(*arguments)`` gives the one for another process.
    lock_free : callable
        Whether a batch is done without Python's lock; then threads of this process do all of them, if it is true of the
        first two.
    """
    rest = iter(batches)
    ahead = [batch for _, batch in zip(range(2 if jobs > 1 else 1), rest, strict=False)]
    everything = chain(ahead, rest)
    if len(ahead) < 2:  # also with several jobs: one batch is not worth the start of a process
        yield from map(process, everything)
        return
    if all(map(lock_free, ahead)):
        yield from _run_in_threads(everything, jobs, process)
        return
    from templatemine.parallel.processes import WorkerPool  # here, for one batch is done without multiprocessing

    # A batch ahead, because reading the next one takes this process a while.
    with WorkerPool(jobs, _initialize, (make_process, arguments)) as pool:
        yield from pool.map(_process_batch, everything, ahead=1, waiting=2 * jobs)


def _run_in_threads(
    batches: Iterable[PendingBatch], jobs: int, process: ProcessBatch[Counts]
) -> Generator[BatchResult[Counts], None, None]:
    """Run `run_batches` in threads; while any of these is at work, the caller reads and writes in another one."""
    from concurrent.futures import ThreadPoolExecutor  # here, for one job does without

    waiting: deque[Future[BatchResult[Counts]]] = deque()
    with ThreadPoolExecutor(jobs) as pool:
        try:
            for batch in batches:
                waiting.append(pool.submit(process, batch))
                if len(waiting) > 2 * jobs:
                    yield waiting.popleft().result()
            while waiting:
                yield waiting.popleft().result()
        finally:
            for future in waiting:
                future.cancel()


def collect_output(
    results: Generator[BatchResult[Counts], None, None],
    count: Callable[[Counts], None],
    on_error: Callable[[CorpusError], None] | None,
) -> Generator[bytes, None, None]:
    """Yield the output of batches, after their errors were reported and their counts given to `count`.

    What gives the results (`run_batches`) is closed at the end, or with this iterator.

    Raises
    ------
    CorpusError
        The first error, if there is no `on_error`.
    """
    with closing(results):  # now, and not when the last traceback that leads here is gone
        for batch in results:
            for error in batch.errors:
                if on_error is None:
                    raise error
                on_error(error)
            count(batch.tally)
            yield batch.data


_process: Callable[[PendingBatch], BatchResult[Any]] | None = None
"""In a worker process: processes a batch."""


def _initialize(
    make_process: Callable[..., Callable[[PendingBatch], BatchResult[Any]]], arguments: tuple[Any, ...]
) -> None:
    global _process
    _process = make_process(*arguments)


def _process_batch(batch: PendingBatch) -> BatchResult[Any]:
    assert _process is not None  # the worker was started by _initialize
    return _process(batch)
