"""What batches need is prepared while others are done."""

from __future__ import annotations

import threading

from templatemine.io.work import Lines, Work
from templatemine.parallel.batches import WAITING_BATCHES, BatchResult, run_batches


def test_threads_find_what_they_need_prepared() -> None:
    batches = [Lines("file", "source", number, b"") for number in range(1, 30)]
    prepared: list[Work] = []
    ahead = threading.Event()

    def prepare(work: Work) -> None:
        prepared.append(work)
        if len(prepared) > WAITING_BATCHES:
            ahead.set()

    def process(work: Work) -> BatchResult[int]:
        assert ahead.wait(10), "no batch was prepared before the first ones were done"
        assert isinstance(work, Lines)
        return BatchResult(b"", work.number, ())

    results = run_batches(batches, 2, process, lambda: process, (), lambda work: True, prepare)
    assert [result.tally for result in results] == list(range(1, 30))
    assert prepared == batches[: len(prepared)]


def test_what_is_prepared_may_fail() -> None:
    """It is tried again where it is needed, which tells of it."""

    def prepare(work: Work) -> None:
        raise ValueError(work)

    batches = [Lines("file", "source", number, b"") for number in range(1, 4)]
    results = run_batches(
        batches, 2, lambda work: BatchResult(b"", 1, ()), lambda: None, (), lambda work: True, prepare
    )
    assert sum(result.tally for result in results) == 3
