"""Several files that appear in a directory together or not at all.

They are written to a hidden directory beside their places and renamed when all of them are complete and on disk.  An
error, Ctrl-C or a full disk before or during the renaming leaves everything as it was, replaced files included.  What a
kill leaves behind, the next writer into the directory removes; of renames that were begun it takes back what was done.
"""

from __future__ import annotations

import gzip
import json
import os
import re
import shutil
from collections import deque
from collections.abc import Iterable, Iterator
from contextlib import contextmanager, nullcontext, suppress
from io import BytesIO
from itertools import count
from typing import Any, BinaryIO, cast

from templatemine.errors import CorpusError
from templatemine.io import lock as locks
from templatemine.io.abandoned import RENAME_LOG, find_unfinished, hold_lock, remove_abandoned, temporary_name
from templatemine.io.write import exists_already, new_file, place_file, sync, sync_names, write_errors

_GZIP_LEVEL = 1
"""Six times the speed of level 6 at about a fifth more bytes: the packed files are look-up lists."""


_SYNCS_AT_ONCE = 8
"""Files that are waited for at once: 1,600 take 0.4 to 0.9 s on a solid-state disk, and one after the other 1 to 5."""


class FileTransaction:
    """Files that appear in a directory together; made by `file_transaction`."""

    def __init__(self, directory: str, force: bool, hidden: str) -> None:
        self.directory = directory
        self.force = force
        self._hidden = hidden
        self._files: list[tuple[str, str]] = []
        self._numbers = count()

    def path(self, name: str) -> str:
        """Name the place where a file will be."""
        return os.path.join(self.directory, name)

    def refuse_existing(self, names: Iterable[str]) -> None:
        """Raise a fatal `CorpusError` if one of the files is there already, unless it may be replaced."""
        for name in names:
            path = self.path(name)
            if os.path.isdir(path):
                raise CorpusError("expected the name of a file, found a directory", path, fatal=True)
            if not self.force and os.path.lexists(path):
                raise CorpusError(exists_already(), path, fatal=True)

    @contextmanager
    def open(self, name: str) -> Iterator[BinaryIO]:
        """Open one of the files for writing, gzip (for speed, not for size) if its name ends in ``.gz``.

        Raises
        ------
        CorpusError
            Fatal: the file exists and may not be replaced, or cannot be written.
        """
        with self._new(name) as plain, _gzip(plain) if name.endswith(".gz") else nullcontext(plain) as handle:
            yield handle

    def put(self, name: str, data: bytes) -> None:
        """Write one of the files, with `data` as they are; errors are those of `open`."""
        with self._new(name) as handle:
            handle.write(data)

    @contextmanager
    def _new(self, name: str) -> Iterator[BinaryIO]:
        self.refuse_existing([name])
        new = os.path.join(self._hidden, f"{next(self._numbers)}.new")
        with new_file(new, self.path(name), wait=False) as handle:
            yield handle
        self._files.append((name, new))

    def _sync_all(self) -> None:
        """Wait until all files are on disk: of several that are waited for at once a disk takes many together."""
        if len(self._files) < _SYNCS_AT_ONCE:
            for file in self._files:
                self._sync(file)
            return
        from concurrent.futures import ThreadPoolExecutor  # takes a while to load

        with ThreadPoolExecutor(_SYNCS_AT_ONCE) as pool:
            deque(pool.map(self._sync, self._files), maxlen=0)

    def _sync(self, file: tuple[str, str]) -> None:
        name, new = file
        with write_errors(self.path(name)):
            sync(new, os.O_RDWR)

    def _commit(self) -> None:
        """Rename all files to their places; if one of them cannot be, take back the others."""
        self._sync_all()
        path = self.directory
        done: list[tuple[str, str, str]] = []
        notes = os.path.join(self._hidden, RENAME_LOG)
        try:
            if len(self._files) > 1:  # a single one has its place or has it not
                with new_file(notes + ".new", path) as handle:
                    rows = [(name, os.path.basename(new), *_identity(new)) for name, new in self._files]
                    handle.write(json.dumps(rows).encode())
                os.replace(notes + ".new", notes)
            for name, new in self._files:
                self.refuse_existing([name])
                path = os.path.realpath(self.path(name))
                old = new.removesuffix("new") + "old"
                done.append((new, path, old))
                if self.force and os.path.exists(path):
                    _keep_old(path, old)
                place_file(new, path, self.force)
            with suppress(FileNotFoundError):
                os.unlink(notes)
        except BaseException:
            for files in reversed(done):
                _roll_back(*files)
            with write_errors(path):
                raise


@contextmanager
def _gzip(stream: BinaryIO) -> Iterator[BinaryIO]:
    """Open a packing writer on a stream, which gives the same bytes for the same content."""
    with gzip.GzipFile(filename="", mode="wb", compresslevel=_GZIP_LEVEL, fileobj=stream, mtime=0) as packed:
        yield cast(BinaryIO, packed)


def compress_lines(lines: Iterable[bytes]) -> bytes:
    """Compress lines as `FileTransaction.open` writes them to a name that ends in ``.gz``."""
    stream = BytesIO()
    with _gzip(stream) as packed:
        packed.writelines(lines)
    return stream.getvalue()


def _keep_old(path: str, old: str) -> None:
    """Keep a file that is about to be replaced under another name, until the end."""
    try:
        os.link(path, old)
    except OSError:  # a file system without hard links
        shutil.copy2(path, old)


def _roll_back(new: str, path: str, old: str) -> None:
    with suppress(OSError):
        if os.path.exists(old):
            os.replace(old, path)
        elif not os.path.exists(new) or os.path.samefile(new, path):
            os.unlink(path)


_NEW = re.compile(r"[0-9]+\.new")


def _identity(path: str) -> tuple[int, int, int]:
    """Identify a file independently of its name."""
    found = os.lstat(path)
    return found.st_ino, found.st_size, found.st_mtime_ns


def _roll_back_killed(directory: str) -> None:
    """Take back the files of writers that were killed among their renames, unless all of it had appeared."""
    for hidden in find_unfinished(directory):
        rows = _read_rename_log(os.path.join(hidden, RENAME_LOG))
        placed: list[tuple[str, str]] = []
        for name, new, *identity in rows:
            path = os.path.join(directory, name)
            with suppress(OSError, ValueError):  # a name that no file can have
                if [*_identity(path)] == identity:  # else somebody has put another one there since
                    placed.append((path, os.path.join(hidden, new.removesuffix("new") + "old")))
        for path, old in reversed(placed if len(placed) < len(rows) else ()):
            with suppress(OSError):
                if os.path.exists(old):
                    os.replace(old, path)
                else:
                    os.unlink(path)


def _read_rename_log(path: str) -> list[Any]:
    """Read the renames that a writer noted; none where they are not of our making, as those that lead out of the
    directory.

    A file behind a link is not taken back: whose it is cannot be told from here.
    """
    try:
        with open(path, "rb") as handle:
            rows = json.load(handle)
        fits = all(os.path.basename(name) == name and _NEW.fullmatch(new) for name, new, *_ in rows)
    except (OSError, ValueError, TypeError, RecursionError):
        return []
    return rows if fits else []


@contextmanager
def file_transaction(
    directory: str | os.PathLike[str], force: bool = False, *, lock: bool = False
) -> Iterator[FileTransaction]:
    """Open a directory for files that appear when the with-block ends without an exception.

    Parameters
    ----------
    directory : str
        Made if it is missing, with those above it; they go again if the block ends by an exception.
    force : bool, default False
        Replace files that exist.
    lock : bool, default False
        Hold the lock of the directory (`locked`) until the files have appeared.

    Raises
    ------
    CorpusError
        Fatal: the directory cannot be made or written to, a file exists, or another run has the lock.
    """
    directory = os.fspath(directory)
    hidden = temporary_name(directory)
    made: list[str] = []
    try:
        try:
            _make_directories(directory, made)
            os.mkdir(hidden)
        except OSError as error:
            if os.path.exists(directory) and not os.path.isdir(directory):
                raise CorpusError("expected a folder, found a file", directory, fatal=True) from error
            with write_errors(directory):
                raise
        remove_abandoned(directory)
        with locks.locked(directory, locks.SHORT_WAIT) if lock else nullcontext(), hold_lock(hidden):
            _roll_back_killed(directory)
            files = FileTransaction(directory, force, hidden)
            yield files
            files._commit()
    finally:
        shutil.rmtree(hidden, ignore_errors=True)
        for path in reversed(made):
            with suppress(OSError):  # not empty: files have appeared
                os.rmdir(path)
    if os.path.isdir(directory):
        sync_names(directory)


def _make_directories(directory: str, made: list[str]) -> None:
    """Make a directory and those above it, noting which were made."""
    if os.path.isdir(directory):
        return
    above = os.path.dirname(os.path.abspath(directory))
    if not os.path.isdir(above):
        _make_directories(above, made)
    os.mkdir(directory)
    made.append(directory)
