"""One run at a time on a directory: the second one gets an error, and the lock ends with its process, in any case.

The lock is the system's (flock) on the directory itself: no file is made, so none can be left behind.  Where the file
system knows no such locks, as some network ones, runs are not kept apart.
"""

from __future__ import annotations

import fcntl
import os
import time
from collections.abc import Iterator
from contextlib import contextmanager

from templatemine.errors import CorpusError, unreadable

SHORT_WAIT = 5.0
"""Seconds that a run waits for another: longer than a desk takes to save a decision, and too short to be taken for a
run that hangs."""

_STEP = 0.05


@contextmanager
def locked(directory: str | os.PathLike[str], wait: float = 0.0) -> Iterator[None]:
    """Hold the lock of a directory while the with-block runs.

    Parameters
    ----------
    wait : float, default 0
        Seconds to wait for a process that holds it.

    Raises
    ------
    CorpusError
        Fatal: another process holds it, still.
    """
    directory = os.fspath(directory)
    try:
        descriptor = os.open(directory, os.O_RDONLY)
    except OSError as error:
        raise CorpusError(unreadable(error), directory, fatal=True) from error
    try:
        deadline = time.monotonic() + wait
        while _is_held_elsewhere(descriptor):
            if time.monotonic() >= deadline:
                problem = "another run is writing to this folder; wait for it, or end it"
                raise CorpusError(problem, directory, fatal=True)
            time.sleep(_STEP)
        yield
    finally:
        os.close(descriptor)


def _is_held_elsewhere(descriptor: int) -> bool:
    """Take the lock, and tell whether another process has it."""
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return True
    except OSError:  # pragma: no cover - a file system without locks
        pass
    return False
