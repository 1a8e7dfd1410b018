"""Calls in threads: every item once, in any order; errors and early ends take no more items."""

from __future__ import annotations

import threading

import pytest

from templatemine.parallel.threads import map_as_completed


@pytest.mark.parametrize("threads", [1, 2, 5])
@pytest.mark.parametrize("items", [[], [3], list(range(20))])
def test_every_item_once(threads: int, items: list[int]) -> None:
    assert sorted(map_as_completed(lambda item: item * item, items, threads)) == [
        (place, item * item) for place, item in enumerate(items)
    ]


def test_several_at_a_time() -> None:
    """Both wait for the other, so they must run together."""
    both = threading.Barrier(2)
    assert sorted(map_as_completed(lambda item: (both.wait(10), item)[1], [5, 6], 2)) == [(0, 5), (1, 6)]


def test_one_thread_is_that_of_the_caller() -> None:
    assert list(map_as_completed(lambda _: threading.get_ident(), [1], 4)) == [(0, threading.get_ident())]


@pytest.mark.parametrize("threads", [1, 2])
def test_an_error_is_raised_and_ends_the_work(threads: int) -> None:
    seen: list[int] = []

    def work(item: int) -> int:
        seen.append(item)
        if item == 1:
            raise ValueError("one")
        return item

    with pytest.raises(ValueError, match="^one$"):
        for _ in map_as_completed(work, range(10_000), threads):
            pass
    assert len(seen) < 10_000


def test_who_closes_gets_no_more() -> None:
    started, go_on = threading.Semaphore(0), threading.Event()
    seen: list[int] = []

    def work(item: int) -> int:
        seen.append(item)
        started.release()
        if item:
            go_on.wait(10)
        return item

    answers = map_as_completed(work, range(100), 2)
    assert next(answers) == (0, 0)
    for _ in range(3):
        started.acquire()
    answers.close()
    go_on.set()
    for thread in threading.enumerate():
        if thread.name.startswith("templatemine-"):
            thread.join(10)
    assert len(seen) == 3


def test_no_thread_is_left_after_the_last_result() -> None:
    before = threading.active_count()
    assert len(list(map_as_completed(str, range(50), 3))) == 50
    assert threading.active_count() == before
