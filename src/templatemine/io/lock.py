"""One run at a time on a directory: the second one is told so, and the lock goes with its process, however that ends.

The lock is the system's (flock) on the directory itself: no file is made, so none can be left behind.  Where the file
system knows no such locks, as some network ones, runs are not kept apart.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager

from templatemine.errors import CorpusError

__all__ = ["locked"]


@contextmanager
def locked(directory: str | os.PathLike[str]) -> Iterator[None]:
    """Hold the lock of a directory while the with-block runs.

    Raises
    ------
    CorpusError
        Fatal: another process holds it.
    """
    directory = os.fspath(directory)
    try:
        import fcntl
    except ImportError:  # pragma: no cover - not a POSIX system
        yield
        return
    try:
        descriptor = os.open(directory, os.O_RDONLY)
    except OSError as error:
        raise CorpusError(f"cannot be read: {error.strerror or error}", directory, fatal=True) from error
    try:
        try:
            fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            raise CorpusError(
                "another run is writing to this folder; wait for it, or end it", directory, fatal=True
            ) from None
        except OSError:  # pragma: no cover - a file system without locks
            pass
        yield
    finally:
        os.close(descriptor)
