"""Batches of records done by one process or by several; what comes out is the same, in the same order.

In come batches and what does one, out go pieces to be written.  Memory holds a few batches a process.
"""

from __future__ import annotations

from collections.abc import Callable, Generator, Iterable, Sequence
from contextlib import closing
from dataclasses import dataclass
from itertools import chain
from typing import Any, Generic, TypeVar

from templatemine.errors import CorpusError
from templatemine.io.work import Work

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
) -> Generator[Done[Counts], None, None]:
    """Yield what becomes of each batch, in order; close it if it is not used up, so that the processes end.

    Parameters
    ----------
    batches : iterable
    jobs : int
        Processes.
    here : callable
        Does a batch in this process.
    make : callable
        A function of a module; ``make(*arguments)`` gives what does a batch in another process.
    """
    rest = iter(batches)
    ahead = [batch for _, batch in zip(range(2 if jobs > 1 else 1), rest, strict=False)]
    everything = chain(ahead, rest)
    if len(ahead) < 2:  # also with several jobs: one batch is not worth the start of a process
        yield from map(here, everything)
        return
    from templatemine.processes import Workers  # here, for one batch is done without multiprocessing

    # A batch ahead, because reading the next one takes this process a while.
    with Workers(jobs, _start, (make, arguments)) as pool:
        yield from pool.map(_work, everything, ahead=1, waiting=2 * jobs)


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
