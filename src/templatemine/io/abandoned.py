"""Hidden temporary files and directories of writers, and the removal of those whose writer was killed.

A writer holds the system's lock (flock) on its files, which goes with its process, however that ends.  The next writer
into the same directory removes files without a lock.  Where the file system knows no such locks, nothing is removed.  A
directory with `RENAME_LOG` stays: its writer was killed among its renames, and `file_transaction` takes them back.
"""

from __future__ import annotations

import fcntl
import os
import re
import shutil
import stat
import time
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager, suppress

RENAME_LOG = "renames.json"
"""File in a temporary directory with the names of its files, from the first rename to the last."""

_NAME = re.compile(r"\.templatemine-[0-9a-f]{16}\.tmp")

_MIN_AGE = 60.0
"""Seconds for which files without a lock are left alone: its writer may be about to take the lock."""

_CHECKED_DIRECTORIES: set[str] = set()
"""Directories that this process has looked through: a run that writes 100,000 files into one looks once."""


def temporary_name(directory: str) -> str:
    """Return a new name in a directory."""
    return os.path.join(directory, f".templatemine-{os.urandom(8).hex()}.tmp")


@contextmanager
def hold_lock(path: str) -> Iterator[None]:
    """Hold the lock of a temporary file or directory while the with-block runs."""
    with ExitStack() as held:
        with suppress(OSError):  # a file system without locks
            held.enter_context(_take_lock(path))
        yield


def remove_abandoned(directory: str) -> None:
    """Remove the temporary files and directories in a directory whose writers are gone; once in each process."""
    directory = os.path.realpath(directory or ".")
    if directory in _CHECKED_DIRECTORIES:
        return
    _CHECKED_DIRECTORIES.add(directory)
    with suppress(OSError), os.scandir(directory) as entries:
        for path in [entry.path for entry in entries if _NAME.fullmatch(entry.name)]:
            with suppress(OSError):
                _remove_unheld(path)


def find_unfinished(directory: str) -> Iterator[str]:
    """Yield temporary directories with `RENAME_LOG` whose writers are gone; each is held meanwhile, and then
    removed."""
    with suppress(OSError), os.scandir(directory) as entries:
        for path in sorted(entry.path for entry in entries if _NAME.fullmatch(entry.name)):
            if os.path.exists(os.path.join(path, RENAME_LOG)):
                with suppress(OSError), _take_lock(path):
                    yield path
                    shutil.rmtree(path, ignore_errors=True)


def _remove_unheld(path: str) -> None:
    """Remove a temporary file or directory; OSError if somebody holds it, or it is something else."""
    if time.time() - os.lstat(path).st_mtime < _MIN_AGE:
        return
    with _take_lock(path) as mode:
        if stat.S_ISDIR(mode):
            if not os.path.exists(os.path.join(path, RENAME_LOG)):
                shutil.rmtree(path, ignore_errors=True)
        elif stat.S_ISREG(mode):
            os.unlink(path)


@contextmanager
def _take_lock(path: str) -> Iterator[int]:
    """Hold the lock of a file or directory, and tell its mode; OSError if somebody holds it."""
    descriptor = os.open(path, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK)
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        yield os.fstat(descriptor).st_mode
    finally:
        os.close(descriptor)
