"""Hidden temporary files and directories of writers, and the removal of those whose writer was killed.

A writer holds the system's lock (flock) on what it makes, which goes with its process, however that ends.  The next
writer into the same directory removes what nobody holds.  Where the file system knows no such locks, nothing is
removed.
"""

from __future__ import annotations

import os
import re
import shutil
import stat
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress

__all__ = ["holding", "remove_abandoned", "temporary_name"]

_NAME = re.compile(r"\.templatemine-[0-9a-f]{16}\.tmp")

_FRESH = 60.0
"""Seconds for which what nobody holds is left alone: its writer may be about to take the lock."""

_LOOKED_AT: set[str] = set()
"""Directories that this process has looked through: a run that writes 100,000 files into one looks once."""


def temporary_name(directory: str) -> str:
    """A new name in a directory."""
    return os.path.join(directory, f".templatemine-{os.urandom(8).hex()}.tmp")


@contextmanager
def holding(path: str) -> Iterator[None]:
    """Hold the lock of a temporary file or directory while the with-block runs."""
    descriptor = -1
    try:
        import fcntl

        with suppress(OSError):  # a file system without locks
            descriptor = os.open(path, os.O_RDONLY)
            fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except ImportError:  # pragma: no cover - not a POSIX system
        pass
    try:
        yield
    finally:
        if descriptor >= 0:
            os.close(descriptor)


def remove_abandoned(directory: str) -> None:
    """Remove the temporary files and directories in a directory whose writers are gone; once in each process."""
    directory = os.path.realpath(directory or ".")
    if directory in _LOOKED_AT:
        return
    _LOOKED_AT.add(directory)
    with suppress(OSError), os.scandir(directory) as entries:
        for path in [entry.path for entry in entries if _NAME.fullmatch(entry.name)]:
            with suppress(OSError, ImportError):
                _remove_unheld(path)


def _remove_unheld(path: str) -> None:
    """Remove a temporary file or directory; OSError if somebody holds it, or it is something else."""
    import fcntl

    if time.time() - os.lstat(path).st_mtime < _FRESH:
        return
    descriptor = os.open(path, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK)
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        mode = os.fstat(descriptor).st_mode
        if stat.S_ISDIR(mode):
            shutil.rmtree(path, ignore_errors=True)
        elif stat.S_ISREG(mode):
            os.unlink(path)
    finally:
        os.close(descriptor)
