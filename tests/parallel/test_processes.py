"""The worker pool: results in order, errors as they were raised, and no process left behind."""

from __future__ import annotations

import multiprocessing
import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator

import pytest

from templatemine.errors import CapacityError, CorpusError
from templatemine.parallel import processes
from templatemine.parallel.processes import WorkerPool

_offset = 0


def set_offset(offset: int) -> None:
    global _offset
    if offset < 0:
        raise CorpusError("no negative offsets")
    _offset = offset


def add(number: int) -> int:
    return number + _offset


def slow_when_even(number: int) -> int:
    time.sleep(0.05 * (number % 2 == 0))
    return number


def size(data: bytes) -> bytes:
    return data * 2


def fail_at_three(number: int) -> int:
    if number == 3:
        raise CorpusError("expected a, found b", "f:3")
    return number


def divide(number: int) -> float:
    return 1 / number


def gather(seen: list[int], results: Iterator[int]) -> None:
    """Like ``extend``, but what came before an exception is kept on every version of Python."""
    for number in results:
        seen.append(number)


def interrupt_after_one(results: Iterator[None]) -> None:
    next(results)
    raise KeyboardInterrupt


def die_at_three(number: int) -> int:
    if number == 3:
        os.kill(os.getpid(), signal.SIGKILL)
    return number


def not_to_be_sent(number: int) -> object:
    return lambda: number


def process(number: int) -> int:
    time.sleep(0.05)
    return os.getpid()


@pytest.fixture(autouse=True, params=["forked", "spawned"])
def none_left(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """Each test with workers of both kinds."""
    if request.param == "forked" and sys.platform != "linux":
        pytest.skip("processes are forked on Linux alone")
    monkeypatch.setattr(processes, "is_single_threaded", lambda: request.param == "forked")
    yield
    assert multiprocessing.active_children() == []


@pytest.mark.parametrize("ahead", [0, 1, 3])
def test_results_come_in_order(ahead: int) -> None:
    with WorkerPool(3, set_offset, (100,)) as pool:
        for waiting in (1, 4, None):
            assert list(pool.map(add, range(50), ahead, waiting)) == list(range(100, 150)), waiting
            assert list(pool.map(slow_when_even, range(6), ahead, waiting)) == list(range(6)), waiting


def test_no_more_processes_than_items_or_jobs() -> None:
    with WorkerPool(4) as pool:
        assert list(pool.map(add, [])) == []
        assert multiprocessing.active_children() == []
        assert len(set(pool.map(process, range(2)))) == 2
        assert len(set(pool.map(process, range(30)))) == 4


def test_items_are_taken_as_they_are_needed() -> None:
    taken = 0

    def items() -> Iterator[int]:
        nonlocal taken
        for number in range(1000):
            taken += 1
            yield number

    with WorkerPool(2) as pool:
        results = pool.map(add, items(), ahead=1, waiting=4)
        assert [next(results) for _ in range(10)] == list(range(10))
        assert taken <= 10 + 2 * 2 + 4


def test_large_items_and_results() -> None:
    data = [bytes([number]) * 3_000_000 for number in range(6)]
    with WorkerPool(2) as pool:
        assert list(pool.map(size, data, ahead=2)) == [one * 2 for one in data]


def test_errors_come_as_they_were_raised() -> None:
    seen: list[int] = []
    with pytest.raises(CorpusError) as caught, WorkerPool(2) as pool:
        gather(seen, pool.map(fail_at_three, range(10), ahead=1))
    assert seen == [0, 1, 2]
    assert str(caught.value) == "f:3: expected a, found b"
    assert caught.value.where == "f:3"


def test_a_bug_tells_where_it_was() -> None:
    with pytest.raises(ZeroDivisionError) as caught, WorkerPool(1) as pool:
        list(pool.map(divide, [0]))
    (note,) = caught.value.__notes__
    assert note.startswith("in a worker process:")
    assert "in divide" in note


def test_a_failed_start_is_the_answer_to_every_item() -> None:
    with pytest.raises(CorpusError, match="no negative offsets"), WorkerPool(2, set_offset, (-1,)) as pool:
        list(pool.map(add, range(3)))


def test_a_result_that_cannot_be_sent() -> None:
    with pytest.raises(RuntimeError, match=r"(?i)pickle|local object"), WorkerPool(1) as pool:
        list(pool.map(not_to_be_sent, [1]))


@pytest.mark.parametrize("ahead", [0, 2])
def test_a_process_that_dies(ahead: int) -> None:
    with pytest.raises(CapacityError, match="a worker process was ended from outside"), WorkerPool(2) as pool:
        list(pool.map(die_at_three, range(20), ahead))


def test_an_error_outside_ends_them_at_once() -> None:
    began = time.monotonic()
    with pytest.raises(KeyboardInterrupt), WorkerPool(2) as pool:
        interrupt_after_one(pool.map(time.sleep, [0, 60, 60], ahead=1))
    assert time.monotonic() - began < 10


def interrupted(work: Callable[[], None]) -> None:
    work()
    raise KeyboardInterrupt


@pytest.mark.parametrize("before", [False, True])
def test_a_signal_while_a_process_is_started(monkeypatch: pytest.MonkeyPatch, before: bool) -> None:
    """There is a process, or none, and none is left: that of `none_left` is the test."""
    start = processes._Worker.start
    monkeypatch.setattr(processes._Worker, "start", lambda self: interrupted(lambda: None if before else start(self)))
    with pytest.raises(KeyboardInterrupt), WorkerPool(2) as pool:
        list(pool.map(add, [1, 2]))


def test_handlers_and_mask_are_as_before() -> None:
    before = signal.getsignal(signal.SIGINT), signal.pthread_sigmask(signal.SIG_BLOCK, ())
    with WorkerPool(1) as pool:
        list(pool.map(add, [1]))
    assert (signal.getsignal(signal.SIGINT), signal.pthread_sigmask(signal.SIG_BLOCK, ())) == before


def files_of(number: int) -> int:
    return len(os.listdir("/proc/self/fd")) - 1  # that of the list itself


@pytest.mark.skipif(sys.platform != "linux", reason="processes are forked on Linux alone")
def test_forked_workers_have_their_pipe_and_nothing_else(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(processes, "is_single_threaded", lambda: True)
    with open(__file__) as _, WorkerPool(3) as pool:
        assert set(pool.map(files_of, range(30), ahead=1)) == {4}


def hangs_up(number: int) -> bool:
    return signal.getsignal(signal.SIGHUP) is not signal.SIG_IGN


def test_a_signal_that_is_ignored_is_ignored_by_workers() -> None:
    """Such as that of a terminal that goes away, under nohup; one that the parent handles ends them."""
    for handler, ends in ((signal.SIG_IGN, False), (lambda *_: None, True)):
        before = signal.signal(signal.SIGHUP, handler)
        try:
            with WorkerPool(2) as pool:
                found = {*pool.map(hangs_up, range(4))}
        finally:
            signal.signal(signal.SIGHUP, before)
        assert found == {ends}


@pytest.mark.skipif(sys.platform != "linux", reason="processes are forked on Linux alone")
def test_a_process_with_threads_does_not_fork() -> None:
    """In a process of its own, for that of the tests may have threads of libraries."""
    code = (
        "import threading, time; from templatemine.parallel import processes; print(processes.is_single_threaded());"
        "threading.Thread(target=time.sleep, args=(1,), daemon=True).start(); print(processes.is_single_threaded())"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True, timeout=60)
    assert done.stdout.split() == ["True", "False"]


def given_up() -> None:
    """Start two workers that are at work, say so, and wait for the end."""
    with WorkerPool(2) as pool:
        results = pool.map(process, range(1000), ahead=1)
        print(next(results), next(results), flush=True)
        time.sleep(60)


def test_workers_end_with_a_parent_that_is_killed() -> None:
    code = f"import sys; sys.path.insert(0, {os.path.dirname(__file__)!r}); import test_processes as t; t.given_up()"
    with subprocess.Popen([sys.executable, "-c", code], stdout=subprocess.PIPE, text=True) as parent:
        assert parent.stdout is not None
        workers = {int(number) for number in parent.stdout.readline().split()}
        parent.kill()
        parent.wait(10)
    until = time.monotonic() + 20
    while any(map(runs, workers)):
        assert time.monotonic() < until
        time.sleep(0.05)


def runs(number: int) -> bool:
    """Whether there is such a process, other than one whose end nobody has asked for."""
    try:
        with open(f"/proc/{number}/stat") as file:
            return file.read().rpartition(")")[2].split()[0] != "Z"
    except OSError:
        return False
