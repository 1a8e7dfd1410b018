"""Bars of progress: a line a step, with how much is done, how fast, and how long it takes yet."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager

__all__ = ["ProgressCallback", "progress_bars"]

MIN_RATE_SECONDS = 2.0
"""Steps that take longer tell their rate."""

ProgressCallback = Callable[[str, int, int | None], None]
"""Called with (name of the step, number done, total or None)."""


@contextmanager
def progress_bars() -> Iterator[ProgressCallback]:
    """Bars on standard error while the with-block runs; they are gone behind it."""
    from rich.console import Console
    from rich.progress import (
        BarColumn,
        Progress,
        SpinnerColumn,
        TaskID,
        TextColumn,
        TimeElapsedColumn,
        TimeRemainingColumn,
    )

    columns = (
        SpinnerColumn(),
        TextColumn("{task.description}"),
        BarColumn(),
        TextColumn("{task.fields[count]}"),
        TimeElapsedColumn(),
        TextColumn("left"),
        TimeRemainingColumn(),
    )
    with Progress(*columns, console=Console(stderr=True), transient=True, redirect_stdout=False) as bars:
        tasks: dict[str, TaskID] = {}
        began: dict[str, float] = {}

        def step(name: str, done: int, total: int | None) -> None:
            if name not in tasks:
                for task in bars.tasks:  # earlier tasks are complete
                    bars.update(task.id, total=task.completed, completed=task.completed)
                tasks[name] = bars.add_task(name, total=total, count="")
                began[name] = time.monotonic()
            count = f"{done:,}" if total is None else f"{done:,} of {total:,}"
            if (seconds := time.monotonic() - began[name]) > MIN_RATE_SECONDS:
                count += f", {done / seconds:,.0f}/s"
            bars.update(tasks[name], completed=done, total=total, count=count)

        yield step
