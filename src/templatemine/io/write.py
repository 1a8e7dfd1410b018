"""Files out: whole or not at all.

Everything goes to a hidden temporary file beside the target, which takes the target's name when it is complete and on
disk.  Whatever happens before that (an error, Ctrl-C, a full disk) leaves the directory as it was.  What a kill leaves
behind, the next writer into the directory removes.
"""

from __future__ import annotations

import gzip
import io
import os
import re
import stat
import sys
import unicodedata
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager, suppress
from typing import Any, BinaryIO, cast

from templatemine.errors import CorpusError, spelled
from templatemine.io.abandoned import hold_lock, remove_abandoned, temporary_name
from templatemine.io.decompression import load_zstd

_BUFFER = 1 << 18
_PIECE = 1 << 15
"""Bytes that a file is written in at a time.  From 64 kB on Linux takes large stretches of memory for what it holds of
a file; on virtual machines, whose free memory is lent elsewhere, these are new each time: 0.28 s for 112 MB, against
0.05."""

_AHEAD = 1 << 22
"""Bytes after which the system is told to bring them to the disk: 112 MB then wait 5 ms at the end, and else 60."""

_GZIP_LEVEL = 6
"""The level of the gzip program; Python's own default of 9 takes several times as long for about one per cent."""

_XZ_PRESET = 3
"""Close to zstd in speed; the program's default of 6 takes three times as long for a few per cent."""


@contextmanager
def write_errors(place: str) -> Iterator[None]:
    """Make of an OSError (a full disk, no permission) the error that names the file.

    Raises
    ------
    CorpusError
        Fatal.
    """
    try:
        yield
    except OSError as error:
        raise CorpusError(f"cannot be written: {error.strerror or error}", place, fatal=True) from error


def exists_already() -> str:
    """Return the message about a file that may not be replaced."""
    return f"exists; use {spelled('--force', 'force=True')} to replace it"


@contextmanager
def atomic_writer(path: str | os.PathLike[str], force: bool = False) -> Iterator[BinaryIO]:
    """Open a file for writing that appears under its name only when the with-block ends without an exception.

    Parameters
    ----------
    path : str
        Target; packed if it ends in ``.gz``, ``.zst`` (which takes an extra) or ``.xz``.  ``-`` is standard output.
        Standard output, pipes and devices are written to directly; if the program at the other end of a pipe stops
        reading, the with-block ends there, quietly.
    force : bool, default False
        Replace an existing file (of a link, the file it leads to); its permissions are kept.

    Raises
    ------
    CorpusError
        Fatal: the target exists and `force` is not given (at the start, or having appeared meanwhile), is a directory,
        lies in no directory, or cannot be written (permission, full disk).
    """
    path = os.fspath(path)
    if path == "-":
        with _open_stream(_Sink(_standard_output(), "stdout")) as handle:
            yield handle
        return
    old = _stat_existing(path, force)
    if old is not None and not stat.S_ISREG(old.st_mode):
        with write_errors(path):
            descriptor = os.open(path, os.O_WRONLY)
        try:
            with _open_stream(_Sink(lambda data: os.write(descriptor, data), path)) as handle:
                yield handle
        finally:
            os.close(descriptor)
        return
    with _replace_file(path, force) as handle:
        yield handle


def check_directory(path: str) -> None:
    """Raise a fatal CorpusError if the directory of a file does not exist."""
    directory = os.path.dirname(path) or "."
    if not os.path.isdir(directory):
        raise CorpusError(f"cannot be written: there is no directory {directory}", path, fatal=True)


def _stat_existing(path: str, force: bool) -> os.stat_result | None:
    """Look at the target before any work is done: None if it is free, else what is there and may be written."""
    check_directory(path)
    with write_errors(path):
        try:
            found = os.stat(path)
        except FileNotFoundError:
            if os.path.lexists(path) and not force:  # a link that leads nowhere yet
                raise CorpusError(exists_already(), path, fatal=True) from None
            return None
    if stat.S_ISCHR(found.st_mode) or stat.S_ISFIFO(found.st_mode):
        return found
    if not stat.S_ISREG(found.st_mode):
        what = "a directory" if stat.S_ISDIR(found.st_mode) else "not a regular file"
        raise CorpusError(f"expected the name of a file, found {what}", path, fatal=True)
    if not force:
        raise CorpusError(exists_already(), path, fatal=True)
    return found


@contextmanager
def _replace_file(path: str, force: bool) -> Iterator[BinaryIO]:
    target = os.path.realpath(path) if os.path.islink(path) else path
    remove_abandoned(os.path.dirname(target))
    temporary = temporary_name(os.path.dirname(target))
    with ExitStack() as held:  # until it has its name
        try:
            with new_file(temporary, path, target) as handle:
                held.enter_context(hold_lock(temporary))
                yield handle
            with write_errors(path):
                place_file(temporary, target, force)
        finally:
            with suppress(OSError):  # not there after a rename, or if it could not be made
                os.unlink(temporary)
    sync_names(os.path.dirname(target) or ".")


@contextmanager
def new_file(path: str, name: str, form: str = "", *, wait: bool = True) -> Iterator[BinaryIO]:
    """Open a file for writing that nobody else knows of yet; it is on the disk when the with-block ends.

    What is there after an exception is the caller's to remove, and its name, once it has its place, to be synced.

    Parameters
    ----------
    path : str
        There must be no such file.
    name : str
        What errors call it.
    form : str
        A name whose suffix says how it is packed, whatever `path` ends in.
    wait : bool, default True
        Without, it may not be on the disk yet, and is the caller's to `sync`.
    """
    descriptor = -1
    try:
        with write_errors(name):
            # Not tempfile: its files are private, and this one becomes the target, with the permissions of the umask.
            descriptor = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o666)
        with _open_layers(_Sink(_descriptor_writer(descriptor), name), form) as handle:
            yield handle
        with write_errors(name):
            if wait:
                os.fsync(descriptor)
            closing, descriptor = descriptor, -1
            os.close(closing)
    finally:
        if descriptor >= 0:
            os.close(descriptor)


def _descriptor_writer(descriptor: int) -> Callable[[Any], int]:
    """Make the writer of a regular file, which has the disk keep up with it, so that the end waits for little."""
    advise = getattr(os, "posix_fadvise", None)
    written = told = 0

    def put(data: Any) -> int:
        nonlocal written, told
        number = 0
        while number < len(data):
            number += os.write(descriptor, data[number : number + _PIECE])
        written += number
        if advise is not None and written - told >= _AHEAD:
            # Pages that are still to be written cannot be dropped: Linux begins to write them.
            with suppress(OSError):
                advise(descriptor, told, written - told, os.POSIX_FADV_DONTNEED)
            told = written
        return number

    return put


def place_file(temporary: str, target: str, force: bool) -> None:
    """Give a file its final name: by `force` in place of another, whose permissions it gets; else as `claim`."""
    if not force:
        claim(temporary, target)
        return
    with suppress(FileNotFoundError):
        os.chmod(temporary, stat.S_IMODE(os.stat(target).st_mode))
    os.replace(temporary, target)


def claim(temporary: str, target: str) -> None:
    """Give a file its final name, but never in place of another: a rename would replace what appeared meanwhile.

    What is left of the temporary name is the caller's to remove.

    Raises
    ------
    CorpusError
        Fatal: there is a file of that name.
    OSError
        It cannot be written.
    """
    try:
        try:
            os.link(temporary, target)
            return
        except FileExistsError:
            raise
        except OSError:
            # File systems without hard links (FAT, some network ones): take the name with an empty file, then fill it.
            os.close(os.open(target, os.O_WRONLY | os.O_CREAT | os.O_EXCL))
    except FileExistsError:
        raise CorpusError(f"appeared while it was being written; it {exists_already()}", target, fatal=True) from None
    try:
        os.replace(temporary, target)
    except BaseException:
        os.unlink(target)
        raise


def sync(path: str, flags: int = os.O_RDONLY) -> None:
    """Wait until a file, or the names in a directory, are on disk; some systems want it open for writing (`flags`)."""
    descriptor = os.open(path, flags)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)


def sync_names(directory: str) -> None:
    """Wait until the names in a directory are on disk, if the system can do that.

    Not every one can.  The files are complete and on disk by now, so failing here must not look like a failure to write
    them.
    """
    with suppress(OSError):
        sync(directory)


# -------------------------------------------------------------------------------------------------- the handles


class _Sink(io.RawIOBase):
    """The bottom of a stack of handles: writes with `put`, and tells its own errors from those of the with-block.

    After the first failure it takes everything and writes nothing, so that closing the handles above does not fail, or
    wait for Ctrl-C, once more.
    """

    def __init__(self, put: Callable[[Any], int], place: str) -> None:
        self._put = put
        self._place = place
        self._failed = False

    def writable(self) -> bool:
        return True

    def write(self, data: Any) -> int:
        if self._failed:
            return len(data)
        try:
            with write_errors(self._place):
                return self._put(data)
        except BaseException as error:
            self._failed = True
            if isinstance(error.__cause__, BrokenPipeError):
                raise _ClosedPipe from None
            raise


class _ClosedPipe(Exception):
    """The program at the other end of a pipe has stopped reading."""


@contextmanager
def _open_layers(sink: _Sink, name: str) -> Iterator[BinaryIO]:
    """Stack buffer and packing (by the suffix of `name`) on a sink; close them all at the end.

    That writes their contents, after an exception of the with-block too: the reader of a pipe gets whole records.
    """
    stack: list[Any] = [io.BufferedWriter(sink, _PIECE)]
    packed = _open_packing(name.lower(), stack[0])
    if packed is not None:
        stack.append(io.BufferedWriter(cast(io.RawIOBase, packed), _BUFFER))  # spares it the many small pieces
    try:
        yield stack[-1]
        for handle in reversed(stack):
            handle.close()
    except BaseException:
        for handle in reversed(stack):
            with suppress(Exception):
                handle.close()
        raise


def _open_packing(name: str, stream: Any) -> Any:
    """Choose the packer by the suffix of a name; None for a plain file."""
    if name.endswith(".gz"):
        # Without name and time, so that the same content gives the same bytes.
        return gzip.GzipFile(filename="", mode="wb", compresslevel=_GZIP_LEVEL, fileobj=stream, mtime=0)
    if name.endswith(".xz"):
        import lzma

        return lzma.LZMAFile(stream, "wb", preset=_XZ_PRESET)
    if name.endswith(".zst"):
        zstd = load_zstd()
        return zstd.ZstdFile(stream, "wb", options={zstd.CompressionParameter.checksum_flag: 1})
    if name.endswith(".lz4"):
        raise CorpusError("expected an output in .gz, .zst or .xz, or a plain one; lz4 is read only", name, fatal=True)
    return None


@contextmanager
def _open_stream(sink: _Sink) -> Iterator[BinaryIO]:
    with suppress(_ClosedPipe), _open_layers(sink, "") as handle:
        yield handle


def _standard_output() -> Callable[[Any], int]:
    if sys.stdout is None:
        raise CorpusError("standard output is closed", "stdout", fatal=True)
    with write_errors("stdout"), suppress(BrokenPipeError):  # writing will meet the broken pipe again
        sys.stdout.flush()
    try:
        descriptor = sys.stdout.fileno()
    except OSError:  # replaced by an object in memory
        return sys.stdout.buffer.write
    # Past Python's own buffer: what a closed pipe refuses would stay in it, and be complained about at exit.
    return lambda data: os.write(descriptor, data)


# ---------------------------------------------------------------------------------------------------- file names

_MAX_BYTES = 120
_RESERVED = frozenset({"con", "prn", "aux", "nul"} | {f"{port}{n}" for port in ("com", "lpt") for n in "0123456789"})
"""Names that mean devices on Windows, whatever suffix follows them."""


def safe_file_name(source: str) -> str:
    """Make a file name of a source's name: safe on every file system, and another one for every source.

    A plain name in lower case stays as it is (``foxnews.com``).  In any other, what is unsafe becomes ``_`` and the
    first 12 digits of the SHA-256 of the original follow after a ``~``, which no name that stays as it is can hold.
    Upper case, and letters in a form that some file system holds equal to another, count as unsafe.

    Returns
    -------
    str
        At most 120 bytes of UTF-8, neither empty nor hidden.
    """
    name = _readable_name(source) or "source"
    if name == source and len(source.encode()) <= _MAX_BYTES and not _is_reserved(source):
        return source
    import hashlib  # here, for it loads OpenSSL, which cleaning has no need of

    mark = "~" + hashlib.sha256(source.encode("utf-8", "surrogatepass")).hexdigest()[:12]
    if _is_reserved(name):
        name = "_" + name
    return name.encode()[: _MAX_BYTES - len(mark)].decode("utf-8", "ignore") + mark


def _readable_name(source: str) -> str:
    folded = unicodedata.normalize("NFC", unicodedata.normalize("NFD", source).casefold())
    kept = "".join(char if char in "._-" or _is_letter(char) else "_" for char in folded)
    return re.sub(r"^[.\-]+|\.+$", "", kept)  # hidden, taken for an option, cut off by Windows


def _is_letter(char: str) -> bool:
    return unicodedata.category(char) in {"Ll", "Lo", "Lm", "Mn", "Mc", "Nd"}


def _is_reserved(name: str) -> bool:
    return name.split(".", 1)[0] in _RESERVED
