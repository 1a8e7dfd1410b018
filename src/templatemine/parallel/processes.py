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

from templatemine.errors import CapacityError

__all__ = ["Workers", "alone"]

Item = TypeVar("Item")
Result = TypeVar("Result")

_ENDING = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)
_LOST = "a worker process was ended from outside, most likely for want of memory; try fewer --jobs"


class Workers:
    """Processes for a with-block.

    Parameters
    ----------
    jobs : int
        Most processes at a time; each is started when there is work for it.
    initializer, initargs : callable and tuple, optional
        Called once in each process before its first item.

    Examples
    --------
    >>> with Workers(4) as pool:  # doctest: +SKIP
    ...     results = list(pool.map(function, items))
    """

    def __init__(
        self, jobs: int, initializer: Callable[..., object] | None = None, initargs: tuple[Any, ...] = ()
    ) -> None:
        self._jobs = jobs
        self._first = (initializer, initargs)
        self._workers: list[_Worker] = []

    def __enter__(self) -> Workers:
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
        answers: dict[int, tuple[bool, Any]] = {}
        wanted = given = 0
        exhausted = False
        while True:
            room = self._room(ahead)
            if waiting is not None:
                room = max(min(room, waiting - len(answers)), 0)
            batch = [item for _, item in zip(range(room), numbered, strict=False)] if not exhausted else []
            exhausted = exhausted or len(batch) < room
            self._give(function, batch)
            given += len(batch)
            if wanted in answers:
                good, value = answers.pop(wanted)
                wanted += 1
                if not good:
                    raise value
                yield value
            elif wanted < given:
                self._receive(answers)
            elif exhausted:
                return

    def as_finished(self, function: Callable[[Item], Result], items: Iterable[Item]) -> Iterator[tuple[int, Result]]:
        """Yield (place of the item, ``function(item)``) as calls come to an end; otherwise as `map`."""
        numbered = enumerate(items)
        under_way = 0
        while True:
            batch = [item for _, item in zip(range(self._room(0)), numbered, strict=False)]
            self._give(function, batch)
            under_way += len(batch)
            if not under_way:
                return
            answers: dict[int, tuple[bool, Any]] = {}
            self._receive(answers)
            under_way -= len(answers)
            for place, (good, value) in answers.items():
                if not good:
                    raise value
                yield place, value

    def _room(self, ahead: int) -> int:
        return self._jobs * (1 + ahead) - sum(len(worker.numbers) for worker in self._workers)

    def _give(self, function: Callable[[Any], Any], batch: list[tuple[int, Any]]) -> None:
        """Hand out items, each to the process with the fewest."""
        chosen = []
        for number, item in batch:
            worker = min(self._workers, key=lambda worker: len(worker.numbers), default=None)
            if worker is None or (worker.numbers and len(self._workers) < self._jobs):
                worker = _Worker()
                self._workers.append(worker)  # before it starts: a signal in between would leave it to itself
                worker.start()
            worker.numbers.append(number)
            chosen.append((worker, item))
        # Only now, so that all new processes start up at the same time: sending waits for the other side.
        for worker, item in chosen:
            with _lost():
                if not worker.ready:
                    worker.connection.send(self._first)
                    worker.ready = True
                worker.connection.send((function, item))

    def _receive(self, answers: dict[int, tuple[bool, Any]]) -> None:
        """Wait for at least one answer."""
        by_connection: dict[Any, _Worker] = {worker.connection: worker for worker in self._workers if worker.numbers}
        for connection in wait(list(by_connection)):
            worker = by_connection[connection]
            with _lost():
                answers[worker.numbers.popleft()] = worker.connection.recv()


class _Worker:
    """A process, the parent's end of its pipe, and the numbers of the items it was given and has not answered."""

    def __init__(self) -> None:
        self._forks = alone()
        context: Any = multiprocessing.get_context("fork" if self._forks else "spawn")
        self.connection, self._other = context.Pipe()
        serve = _forked if self._forks else _serve
        self.process: BaseProcess = context.Process(target=serve, args=(self._other,), daemon=True)
        self.numbers: deque[int] = deque()
        self.ready = False

    def start(self) -> None:
        """Start the process."""
        try:
            with _signals_held(self._forks):
                self.process.start()
        finally:
            self._other.close()  # or the end of the process would not be the end of the pipe

    @property
    def started(self) -> bool:
        """Whether there is a process."""
        return self.process.pid is not None


def alone() -> bool:
    """This process has no thread but the one that asks, those of native libraries included: nobody can hold a lock."""
    return sys.platform == "linux" and len(os.listdir("/proc/self/task")) == 1


@contextmanager
def _lost() -> Iterator[None]:
    try:
        yield
    except (EOFError, OSError) as error:
        raise CapacityError(_LOST) from error


def _forked(connection: Connection) -> None:
    """`_serve` in a copy of the parent, whose locks and pipes to other workers must not outlive it in here."""
    for number in _ENDING:
        if callable(signal.getsignal(number)):  # one that is ignored stays so, as nohup wants it
            signal.signal(number, signal.SIG_DFL)
    gc.freeze()  # objects of the parent are never ended here, or they would close files of ours
    for name in os.listdir("/proc/self/fd"):
        if int(name) > 2 and int(name) != connection.fileno():
            with suppress(OSError):  # that of the list itself
                os.close(int(name))
    _serve(connection)


def _serve(connection: Connection) -> None:
    """The life of a worker: a function for a start, then items until the pipe is closed."""
    with suppress(EOFError, OSError):
        first = connection.recv_bytes()
        tasks: SimpleQueue[bytes | None] = SimpleQueue()
        # What comes in is read at once, so that parent and worker are never both writing and waiting for the other.
        threading.Thread(target=_listen, args=(connection, tasks), daemon=True).start()
        good, problem = _attempt(_start, first)
        while (task := tasks.get()) is not None:
            answer = _attempt(_work, task) if good else (False, problem)
            try:
                data = pickle.dumps(answer, pickle.HIGHEST_PROTOCOL)
            except Exception as error:  # a result or an exception that cannot be pickled
                data = pickle.dumps((False, RuntimeError(f"{answer[1]!r:.500}: {error}")))
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


def _start(data: bytes) -> None:
    initializer, initargs = pickle.loads(data)
    if initializer is not None:
        initializer(*initargs)


def _work(data: bytes) -> Any:
    function, item = pickle.loads(data)
    return function(item)


@contextmanager
def _signals_held(forked: bool) -> Iterator[None]:
    """Hold back signals while a process is started, or it might be left half started and complain.

    SIGINT is blocked as well: a process inherits what its parent's thread has blocked, and so never gets Ctrl-C.
    Blocking alone would not do: the signal may come in by a thread of a native library, and is then raised here.
    """
    held: list[int] = []

    def hold(number: int, frame: FrameType | None) -> None:
        held.append(number)

    before = {}
    if threading.current_thread() is threading.main_thread():
        for number in _ENDING:
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
