"""Calls in threads: every item once, in any order; errors and early ends take no more items."""

from __future__ import annotations

import threading

import pytest

from templatemine.parallel.threads import as_finished, in_order


@pytest.mark.parametrize("threads", [1, 2, 5])
@pytest.mark.parametrize("items", [[], [3], list(range(20))])
def test_every_item_once(threads: int, items: list[int]) -> None:
    assert sorted(as_finished(lambda item: item * item, items, threads)) == [
        (place, item * item) for place, item in enumerate(items)
    ]


def test_several_at_a_time() -> None:
    """Both wait for the other, so they must run together."""
    both = threading.Barrier(2)
    assert sorted(as_finished(lambda item: (both.wait(10), item)[1], [5, 6], 2)) == [(0, 5), (1, 6)]


def test_one_thread_is_that_of_the_caller() -> None:
    assert list(as_finished(lambda _: threading.get_ident(), [1], 4)) == [(0, threading.get_ident())]


@pytest.mark.parametrize("threads", [1, 2])
def test_an_error_is_raised_and_ends_the_work(threads: int) -> None:
    seen: list[int] = []

    def work(item: int) -> int:
        seen.append(item)
        if item == 1:
            raise ValueError("one")
        return item

    with pytest.raises(ValueError, match="^one$"):
        for _ in as_finished(work, range(10_000), threads):
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

    answers = as_finished(work, range(100), 2)
    assert next(answers) == (0, 0)
    for _ in range(3):
        started.acquire()
    answers.close()
    go_on.set()
    for thread in threading.enumerate():
        if thread.name.startswith("templatemine-"):
            thread.join(10)
    assert len(seen) == 3


@pytest.mark.parametrize("threads", [1, 2, 4])
def test_results_in_the_order_of_the_items(threads: int) -> None:
    assert list(in_order(lambda item: item * item, [*range(9)], threads)) == [item * item for item in range(9)]
    assert list(in_order(str, [], threads)) == []


def test_who_closes_waits_for_what_has_begun() -> None:
    begun, go, ended = threading.Event(), threading.Event(), []

    def work(item: int) -> int:
        if item:
            begun.set()
            go.wait(9)
            ended.append(item)
        return item

    results = in_order(work, [0, *range(1, 50)], 2)
    assert next(results) == 0
    begun.wait(9)
    threading.Timer(0.1, go.set).start()
    results.close()
    number = len(ended)
    assert 1 <= number < 49
    assert go.is_set()
    assert len(ended) == number


@pytest.mark.parametrize("threads", [1, 3])
def test_an_error_comes_at_its_place(threads: int) -> None:
    results = in_order(lambda item: 1 // item, [1, 0, 1], threads)
    assert next(results) == 1
    with pytest.raises(ZeroDivisionError):
        next(results)
