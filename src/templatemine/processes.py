"""A pool of worker processes that leaves none behind: not after Ctrl-C, not after an error, not when one of them dies.

Workers are spawned, so they inherit no locks and no threads, and never see Ctrl-C themselves: the parent ends them.
"""

from __future__ import annotations

import multiprocessing
import signal
from collections.abc import Callable, Iterator
from concurrent.futures import Future, ProcessPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from contextlib import contextmanager
from types import TracebackType
from typing import Any, ParamSpec, TypeVar

from templatemine.errors import CapacityError

__all__ = ["Workers"]

P = ParamSpec("P")
T = TypeVar("T")


class Workers(ProcessPoolExecutor):
    """A `ProcessPoolExecutor` for a with-block; if the block ends by an exception, the workers are ended at once.

    Parameters
    ----------
    jobs : int
        Most processes at a time; each starts when there is work for it.
    initializer, initargs
        Called once in each worker.

    Raises
    ------
    CapacityError
        At the end of the block, in place of `BrokenProcessPool`: a worker was ended from outside.
    """

    def __init__(self, jobs: int, initializer: Callable[..., object] | None = None, initargs: tuple[Any, ...] = ()) -> None:
        super().__init__(jobs, mp_context=multiprocessing.get_context("spawn"), initializer=initializer, initargs=initargs)

    def submit(self, fn: Callable[P, T], /, *args: P.args, **kwargs: P.kwargs) -> Future[T]:
        """Queue a call; starts a worker if none is idle."""
        with _interrupts_held():
            return super().submit(fn, *args, **kwargs)

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None) -> None:
        if error is not None:
            # Leaving it to `shutdown` would wait for all calls under way.  The attribute is private, but Python 3.14
            # made a method of just this (`terminate_workers`), which can be used once 3.13 is no longer supported.
            for process in list((self._processes or {}).values()):
                process.terminate()
        self.shutdown(wait=True, cancel_futures=True)
        if isinstance(error, BrokenProcessPool):
            raise CapacityError("a worker process was ended from outside, most likely for want of memory; try fewer --jobs") from error


@contextmanager
def _interrupts_held() -> Iterator[None]:
    """Hold Ctrl-C back while a process is started.

    A process inherits what its parent's thread has blocked and so never gets Ctrl-C, not even while it is still starting
    up and would print a traceback; in the parent it is only late.
    """
    before = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)
