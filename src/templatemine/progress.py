"""The one type of callback that long runs report their progress to, and bars that show it."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from typing import TypeVar

Item = TypeVar("Item")

READING_STEP = 256
"""Records that are read between two reports."""

MIN_RATE_SECONDS = 2.0
"""Steps that take longer tell their rate."""

Progress = Callable[[str, int, int | None], None]
"""Called with (name of the step, number done, total or None where it is not known)."""


def ignore_progress(step: str, done: int, total: int | None) -> None:
    """Do nothing: the callback of those who passed none."""


def report_reading(records: Iterable[Item], progress: Progress) -> Iterator[Item]:
    """Yield records, and report every `READING_STEP`-th as read."""
    for number, record in enumerate(records, 1):
        if number % READING_STEP == 0:
            progress("reading", number, None)
        yield record


@contextmanager
def progress_bars() -> Iterator[Progress]:
    """Show bars on standard error while the with-block runs, where a terminal or a notebook draws them."""
    from rich.console import Console
    from rich.progress import (
        BarColumn,
        SpinnerColumn,
        TaskID,
        TextColumn,
        TimeElapsedColumn,
        TimeRemainingColumn,
    )
    from rich.progress import Progress as Bars

    columns = (
        SpinnerColumn(),
        TextColumn("{task.description}"),
        BarColumn(),
        TextColumn("{task.fields[count]}"),
        TimeElapsedColumn(),
        TextColumn("left"),
        TimeRemainingColumn(),
    )
    console = Console(stderr=True)
    drawn = console.is_jupyter or (console.is_terminal and not console.is_dumb_terminal)
    with Bars(*columns, console=console, transient=True, redirect_stdout=False, disable=not drawn) as bars:
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
