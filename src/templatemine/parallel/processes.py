"""Worker processes that end with their parent: after Ctrl-C, after an error, and when one of them dies.

The pool of the standard library shares locks and pipes among its processes; ending one of them at the wrong moment, as
Ctrl-C does and as the system does when memory runs out, can leave the others waiting for ever.  Here each process has a
pipe of its own and the parent one thread, so there is nothing to be left locked.

A process without another thread, as a command is, forks its workers: they begin at once, with all that is loaded, and
close the files they came with.  Any other spawns them, so that they inherit no lock that a thread holds.  They never
see Ctrl-C themselves: the parent ends them.
"""

from __future__ import annotations

import gc
import multiprocessing
import os
import pickle
import signal
import sys
import threading
import traceback
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager, suppress
from multiprocessing import resource_tracker
from multiprocessing.connection import Connection, wait
from multiprocessing.process import BaseProcess
from queue import SimpleQueue
from types import FrameType, TracebackType
from typing import Any, TypeVar

from templatemine.errors import CapacityError, spelled

Item = TypeVar("Item")
Result = TypeVar("Result")

_TERMINATION_SIGNALS = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)
_LOST_WORKER = "a worker process was ended from outside, most likely for want of memory; try fewer "


class WorkerPool:
    """A pool of processes for a with-block.

    Parameters
    ----------
    jobs : int
        Most processes at a time; each is started when there is work for it.
    initializer, initargs : callable and tuple, optional
        Called once in each process before its first item.

    Examples
    --------
    >>> with WorkerPool(4) as pool:  # doctest: +SKIP
    ...     results = list(pool.map(function, items))
    """

    def __init__(
        self, jobs: int, initializer: Callable[..., object] | None = None, initargs: tuple[Any, ...] = ()
    ) -> None:
        self._jobs = jobs
        self._initializer = (initializer, initargs)
        self._workers: list[_Worker] = []

    def __enter__(self) -> WorkerPool:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        for worker in self._workers:
            if error is not None and worker.started:
                worker.process.kill()
            worker.connection.close()  # which ends a worker that is waiting for work
        for worker in self._workers:
            if worker.started:
                worker.process.join()

    def map(
        self, function: Callable[[Item], Result], items: Iterable[Item], ahead: int = 0, waiting: int | None = None
    ) -> Iterator[Result]:
        """Yield ``function(item)`` for each item, in order; items are taken as they are needed.

        Parameters
        ----------
        function : callable
            A function of a module, so that it can be found by its name in the other process.
        items : iterable
        ahead : int, default 0
            Items that a process is given beside the one at work, so that it need not wait for the next.
        waiting : int, optional
            Most results that are kept because an earlier one is not there yet; without it there is no limit.

        Raises
        ------
        CapacityError
            A process was ended from outside.
        Exception
            The first that `function` raised.
        """
        numbered = enumerate(items)
        results: dict[int, tuple[bool, Any]] = {}
        wanted = given = 0
        exhausted = False
        while True:
            slots = self._free_slots(ahead)
            if waiting is not None:
                slots = max(min(slots, waiting - len(results)), 0)
            batch = [item for _, item in zip(range(slots), numbered, strict=False)] if not exhausted else []
            exhausted = exhausted or len(batch) < slots
            self._submit(function, batch)
            given += len(batch)
            if wanted in results:
                succeeded, value = results.pop(wanted)
                wanted += 1
                if not succeeded:
                    raise value
                yield value
            elif wanted < given:
                self._receive(results)
            elif exhausted:
                return

    def map_as_completed(
        self, function: Callable[[Item], Result], items: Iterable[Item]
    ) -> Iterator[tuple[int, Result]]:
        """Yield (index of the item, ``function(item)``) as calls come to an end; otherwise as `map`."""
        numbered = enumerate(items)
        under_way = 0
        while True:
            batch = [item for _, item in zip(range(self._free_slots(0)), numbered, strict=False)]
            self._submit(function, batch)
            under_way += len(batch)
            if not under_way:
                return
            results: dict[int, tuple[bool, Any]] = {}
            self._receive(results)
            under_way -= len(results)
            for index, (succeeded, value) in results.items():
                if not succeeded:
                    raise value
                yield index, value

    def _free_slots(self, ahead: int) -> int:
        return self._jobs * (1 + ahead) - sum(len(worker.pending) for worker in self._workers)

    def _submit(self, function: Callable[[Any], Any], batch: list[tuple[int, Any]]) -> None:
        """Hand out items, each to the process with the fewest."""
        chosen = []
        for number, item in batch:
            worker = min(self._workers, key=lambda worker: len(worker.pending), default=None)
            if worker is None or (worker.pending and len(self._workers) < self._jobs):
                worker = _Worker()
                self._workers.append(worker)  # before it starts: a signal in between would leave it to itself
                worker.start()
            worker.pending.append(number)
            chosen.append((worker, item))
        # Only now, so that all new processes start up at the same time: sending waits for the other side.
        for worker, item in chosen:
            with _raise_lost_worker():
                if not worker.initialized:
                    worker.connection.send(self._initializer)
                    worker.initialized = True
                worker.connection.send((function, item))

    def _receive(self, results: dict[int, tuple[bool, Any]]) -> None:
        """Wait for at least one result."""
        by_connection: dict[Any, _Worker] = {worker.connection: worker for worker in self._workers if worker.pending}
        for connection in wait(list(by_connection)):
            worker = by_connection[connection]
            with _raise_lost_worker():
                results[worker.pending.popleft()] = worker.connection.recv()


class _Worker:
    """A process, the parent's end of its pipe, and the numbers of the items without a result yet."""

    def __init__(self) -> None:
        self._forks = is_single_threaded()
        context: Any = multiprocessing.get_context("fork" if self._forks else "spawn")
        self.connection, self._child_end = context.Pipe()
        serve = _serve_forked if self._forks else _serve
        self.process: BaseProcess = context.Process(target=serve, args=(self._child_end,), daemon=True)
        self.pending: deque[int] = deque()
        self.initialized = False

    def start(self) -> None:
        """Start the process."""
        try:
            with _hold_signals(self._forks):
                self.process.start()
        finally:
            self._child_end.close()  # or the end of the process would not be the end of the pipe

    @property
    def started(self) -> bool:
        """Return whether there is a process."""
        return self.process.pid is not None


def is_single_threaded() -> bool:
    """Return whether this process has no other thread, those of native libraries included: then nobody can hold a
    lock."""
    return sys.platform == "linux" and len(os.listdir("/proc/self/task")) == 1


@contextmanager
def _raise_lost_worker() -> Iterator[None]:
    try:
        yield
    except (EOFError, OSError) as error:
        raise CapacityError(_LOST_WORKER + spelled("--jobs", "jobs")) from error


def _serve_forked(connection: Connection) -> None:
    """Call `_serve` in a copy of the parent, whose locks and pipes to other workers must not outlive it in here."""
    for number in _TERMINATION_SIGNALS:
        if callable(signal.getsignal(number)):  # one that is ignored stays so, as nohup wants it
            signal.signal(number, signal.SIG_DFL)
    gc.freeze()  # objects of the parent are never ended here, or they would close files of ours
    for name in os.listdir("/proc/self/fd"):
        if int(name) > 2 and int(name) != connection.fileno():
            with suppress(OSError):  # that of the list itself
                os.close(int(name))
    _serve(connection)


def _serve(connection: Connection) -> None:
    """Serve as a worker: receive a function at the start, then items until the pipe is closed."""
    with suppress(EOFError, OSError):
        first = connection.recv_bytes()
        tasks: SimpleQueue[bytes | None] = SimpleQueue()
        # Input is read at once, so that parent and worker are never both writing and waiting for the other.
        threading.Thread(target=_listen, args=(connection, tasks), daemon=True).start()
        succeeded, problem = _attempt(_initialize, first)
        while (task := tasks.get()) is not None:
            result = _attempt(_run_task, task) if succeeded else (False, problem)
            try:
                data = pickle.dumps(result, pickle.HIGHEST_PROTOCOL)
            except Exception as error:  # a result or an exception that cannot be pickled
                data = pickle.dumps((False, RuntimeError(f"{result[1]!r:.500}: {error}")))
            connection.send_bytes(data)


def _listen(connection: Connection, tasks: SimpleQueue[bytes | None]) -> None:
    with suppress(EOFError, OSError):
        while True:
            tasks.put(connection.recv_bytes())
    tasks.put(None)


def _attempt(function: Callable[[bytes], Any], data: bytes) -> tuple[bool, Any]:
    try:
        return True, function(data)
    except Exception as error:
        error.add_note("in a worker process:\n" + traceback.format_exc())
        return False, error


def _initialize(data: bytes) -> None:
    initializer, initargs = pickle.loads(data)
    if initializer is not None:
        initializer(*initargs)


def _run_task(data: bytes) -> Any:
    function, item = pickle.loads(data)
    return function(item)


@contextmanager
def _hold_signals(forked: bool) -> Iterator[None]:
    """Hold back signals while a process is started, or it might be left half started and complain.

    SIGINT is blocked as well: a process inherits what its parent's thread has blocked, and so never gets Ctrl-C.
    Blocking alone would not do: the signal may come in by a thread of a native library, and is then raised here.
    """
    held: list[int] = []

    def hold(number: int, frame: FrameType | None) -> None:
        held.append(number)

    before = {}
    if threading.current_thread() is threading.main_thread():
        for number in _TERMINATION_SIGNALS:
            if callable(signal.getsignal(number)):
                before[number] = signal.signal(number, hold)
    mask = signal.pthread_sigmask(signal.SIG_BLOCK, ())
    try:
        if not forked:
            # A process that the standard library starts beside the first of ours; doing so, it unblocks SIGINT.
            resource_tracker.ensure_running()
        signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
        yield
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)
        signal.pthread_sigmask(signal.SIG_SETMASK, mask)
        for caught in held:
            signal.raise_signal(caught)
