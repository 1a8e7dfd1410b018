"""Calls in copies of this process: what they see, what they give, and what is left of them."""

from __future__ import annotations

import multiprocessing
import os
import signal
import sys
import threading
import time
from collections.abc import Callable

import pytest

from templatemine.errors import CapacityError, CorpusError
from templatemine.parallel import processes
from templatemine.parallel.forks import map_as_completed

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="processes are copied on Linux")


@pytest.fixture
def alone(monkeypatch: pytest.MonkeyPatch) -> None:
    """The process that runs the tests may have threads, but none that holds a lock of ours."""
    monkeypatch.setattr(processes, "is_single_threaded", lambda: True)


def square(number: int) -> int:
    return number * number


@pytest.mark.parametrize("jobs", [1, 2, 3, 9])
@pytest.mark.parametrize("number", [0, 1, 2, 5])
def test_all_results_with_their_places(alone: None, number: int, jobs: int) -> None:
    items = [10 + place for place in range(number)]
    assert sorted(map_as_completed(square, items, jobs)) == [(place, item * item) for place, item in enumerate(items)]
    assert not multiprocessing.active_children()


def test_a_copy_has_what_its_parent_had_and_changes_nothing_there(alone: None) -> None:
    seen = ["here", object()]  # which cannot be sent

    def work(item: str) -> tuple[str, object, int]:
        seen[0] = item
        return item, seen[0], os.getpid()

    found = [value for _, value in map_as_completed(work, ["a", "b", "c"], 2)]
    assert sorted(found)[0][:2] == ("a", "a")
    assert seen[0] == "here"
    pids = {pid for _, _, pid in found}
    assert len(pids) == 2
    assert os.getpid() not in pids


def test_the_first_comes_first(alone: None) -> None:
    def work(item: float) -> float:
        time.sleep(item)
        return item

    assert [place for place, _ in map_as_completed(work, [0.6, 0.0], 2)] == [1, 0]


def test_an_error_is_raised_here_and_ends_the_others(alone: None) -> None:
    def work(item: int) -> int:
        if item == 1:
            raise CorpusError("expected a, found b", "f:3")
        time.sleep(60 * (item > 1))
        return item

    start = time.monotonic()
    with pytest.raises(CorpusError, match="expected a, found b"):
        list(map_as_completed(work, range(9), 2))
    assert time.monotonic() - start < 30
    assert not multiprocessing.active_children()


def test_a_copy_that_is_killed_is_told(alone: None) -> None:
    def work(item: int) -> None:
        os.kill(os.getpid(), signal.SIGKILL)

    with pytest.raises(CapacityError, match="ended from outside"):
        list(map_as_completed(work, range(3), 2))


def test_who_closes_ends_them(alone: None) -> None:
    results = map_as_completed(lambda item: time.sleep(60 * item), range(50), 2)
    assert next(results)[0] == 0
    results.close()
    assert not multiprocessing.active_children()


@pytest.mark.parametrize("jobs", [2, 4])
def test_calls_within_calls(alone: None, jobs: int) -> None:
    outer = map_as_completed(square, range(6), jobs)
    first = next(outer)
    assert sorted(map_as_completed(lambda item: -item, range(6), jobs)) == [(item, -item) for item in range(6)]
    assert sorted([first, *outer]) == [(item, item * item) for item in range(6)]


def test_a_process_with_threads_uses_threads(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(processes, "is_single_threaded", lambda: False)
    work: Callable[[int], int] = lambda item: threading.get_native_id()  # noqa: E731
    assert {value for _, value in map_as_completed(lambda _: os.getpid(), range(4), 2)} == {os.getpid()}
    assert threading.get_native_id() not in {value for _, value in map_as_completed(work, range(4), 2)}
