"""Bytes in: a path, a URL or standard input, opened and unpacked, with every failure as one clear line.

Packed data is recognised by its first bytes, not by the name alone.  A local file is read as far as it reached
when it was opened, so a file that grows meanwhile gives the same records as it did then.  Remote places (``s3://``,
``gs://``, ``hf://``, ``https://`` ...) go through fsspec, an extra.  Memory holds a buffer.
"""

from __future__ import annotations

import glob
import gzip
import io
import os
import re
import stat
import sys
import zlib
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from contextlib import contextmanager, suppress
from itertools import islice
from typing import Any, cast

from templatemine.errors import CorpusError, MissingExtraError, access_hint, did_you_mean, needs_extra, spelled
from templatemine.io.decompression import (
    BUFFER,
    GZIP_MAGIC,
    LZ4_MAGIC,
    PACKING_SUFFIXES,
    XZ_MAGIC,
    ZSTD_MAGIC,
    ChunkStream,
    DamagedData,
    unpack,
)

_UTF_16, _UTF_32 = "UTF-16", "UTF-32"
_SIGNATURES = (
    (b"\xff\xfe\0\0", _UTF_32),
    (b"\0\0\xfe\xff", _UTF_32),
    (b"\xff\xfe", _UTF_16),
    (b"\xfe\xff", _UTF_16),
    (b'{\0"\0', _UTF_16),
    (b'\0{\0"', _UTF_16),
    (GZIP_MAGIC, "gzip data, packed a second time"),
    (ZSTD_MAGIC, "zstd data, packed a second time"),
    (XZ_MAGIC, "xz data, packed a second time"),
    (LZ4_MAGIC, "lz4 data, packed a second time"),
    (b"PK\3\4", "a zip archive"),
    (b"BZh91AY", "bzip2 data"),
    (b"PAR1", "a Parquet file"),
    (b"ARROW1", "an Arrow file"),
    (b"WARC/", "a WARC file"),
    (b"%PDF-", "a PDF file"),
    (b"\x89PNG", "a picture"),
    (b"\xff\xd8\xff", "a picture"),
    (b"GIF8", "a picture"),
    (b"SQLite format 3\0", "a database"),
)
"""Beginnings of files that are often taken for text."""


class _TruncatedFile(OSError):
    """A file that ends before it did when it was opened, or packed data before its end."""


READ_ERRORS = (OSError, EOFError, zlib.error)
"""Errors of opening, reading and unpacking a file; `gzip.BadGzipFile` is an OSError."""


def read_error(error: BaseException, place: str, after: str = "", *, fatal: bool = True) -> CorpusError:
    """Say in one line why a file could not be read; `after` says how far reading came."""
    if isinstance(error, EOFError):
        kind = f"{error} " if error.args and str(error) in ("xz", "zstd", "lz4") else "gzip "
        problem = f"the {kind}data ends too early{after}: the file is truncated"
    elif isinstance(error, (gzip.BadGzipFile, zlib.error)):
        problem = f"the gzip data is damaged{after}: {error}"
    elif isinstance(error, DamagedData):
        problem = f"the {error.kind} data is damaged{after}: {error}"
    else:
        reason = error.strerror if isinstance(error, OSError) and error.strerror else str(error)
        reason = " ".join(reason.split())  # those of pyarrow end lines
        problem = f"cannot be read{after}: {reason}"
    hint = access_hint(error) or (suggest_name(place) if isinstance(error, FileNotFoundError) else "")
    return CorpusError(problem, place, fatal=fatal, hint=hint)


_MAX_NAMES = 10_000
"""Names of a folder among which one like that of a missing file is looked for."""


def suggest_name(path: str) -> str:
    """Return a question after what lies beside something missing, of nearly its name; empty if there is nothing."""
    from difflib import get_close_matches

    folder, name = os.path.split(path.rstrip(os.sep))
    with suppress(OSError), os.scandir(folder or os.curdir) as entries:
        names = [one.name for one in islice(entries, _MAX_NAMES)]
        # Without their suffixes, which make short names alike that are not.
        heads = {one: one.partition(".")[0].casefold() for one in (name, *names)}
        alike = get_close_matches(heads[name], {heads[one] for one in names})
        return did_you_mean(name, [one for one in names if heads[one] in alike], os.path.join(folder, ""))
    return ""


def report_damage(error: BaseException, place: str, after: str, report: Callable[[CorpusError], None]) -> None:
    """Report, as fatal for its file, that packed data is damaged or ends too early; what of it is whole is used.

    Parameters
    ----------
    after : str
        How far reading came; empty if nothing was whole.

    Raises
    ------
    CorpusError
        Fatal: nothing was whole, or it is trouble of another kind.
    """
    is_damage = isinstance(error, EOFError | gzip.BadGzipFile | zlib.error | DamagedData)
    found = read_error(error, place, after)
    if not after or not is_damage:
        raise found from error
    report(CorpusError(f"{found.problem}; what is whole is used", place, fatal=True))


class Report:
    """Collects diagnostics of readers: errors, a document each, and things worth a count that lose nothing.

    Parameters
    ----------
    on_error : callable, optional
        Called with each `CorpusError`; without it the first one is raised.

    Attributes
    ----------
    notes : dict of str to int
        What was met, and how often.
    first_places : dict of str to str
        Where it was met first, if that is known.
    errors : int
        Number of errors.
    problems : set of str
        Theirs, two at most: one alone is that of all of them.
    """

    def __init__(self, on_error: Callable[[CorpusError], None] | None = None) -> None:
        self.notes: dict[str, int] = {}
        self.first_places: dict[str, str] = {}
        self.errors = 0
        self.problems: set[str] = set()
        self._on_error = on_error or raise_error

    def __call__(self, error: CorpusError) -> None:
        self.errors += 1
        if len(self.problems) < 2:
            self.problems.add(error.problem)
        self._on_error(error)

    def note(self, what: str, number: int = 1, place: str = "") -> None:
        """Count something, met at a place."""
        self.notes[what] = self.notes.get(what, 0) + number
        if place:
            self.first_places.setdefault(what, place)


def raise_error(error: CorpusError) -> None:
    """Raise the error: the handler of those who passed none."""
    raise error


def not_utf8_problem(error: UnicodeDecodeError, data: bytes, of: str = "") -> str:
    """Return the problem of text that is not UTF-8, with the remedy."""
    found = f"byte 0x{data[error.start]:02x} at byte offset {error.start}{of}"
    return f"expected UTF-8, found {found}; if it is Latin-1, convert it with iconv -f latin1 -t utf-8"


def no_documents_error(paths: Iterable[str], unreadable: int, problems: Collection[str] = ()) -> CorpusError:
    """Return the error for inputs without a document, of which some records could not be read; with the problem, if all
    of several have the same."""
    found = f"found {unreadable:,} that cannot be read" if unreadable else "found none"
    if unreadable > 1 and len(problems) == 1:
        found += f", all for one reason: {next(iter(problems))}"
    return CorpusError(f"expected documents, {found}", ", ".join(map(place_of, paths)), fatal=True)


# ------------------------------------------------------------------------------------------------------------- names

_REMOTE = re.compile(r"[A-Za-z][A-Za-z0-9+.\-]+://|[A-Za-z0-9]{2,}::")
_GLOB = re.compile(r"[*?\[]")


def is_remote(path: str) -> bool:
    """Return whether a path is a URL, which fsspec opens."""
    return _REMOTE.match(path) is not None


def place_of(path: str) -> str:
    """Return a path as errors name it."""
    return "stdin" if path == "-" else path


def file_of(path: str) -> str:
    """Return the part that names the file of a chain of URLs: ``zip://a.jsonl::file:///b.zip`` -> ``zip://a.jsonl``."""
    if not is_remote(path):
        return path
    return next((part for part in path.split("::") if "://" in part), path)


def unpacked_name(path: str) -> str:
    """Return a name in lower case without the suffix of packing: ``A.JSONL.GZ`` -> ``a.jsonl``."""
    name = file_of(path).lower()
    return next((name[: -len(suffix)] for suffix in PACKING_SUFFIXES if name.endswith(suffix)), name)


def stem(path: str) -> str:
    """Return the name of a file without its suffixes: ``dir/fox.com.jsonl.gz`` -> ``fox.com``."""
    if path == "-":
        return "stdin"
    name = os.path.basename(file_of(path))
    return os.path.splitext(name[: len(unpacked_name(name))])[0]


def expand_paths(paths: Sequence[str | os.PathLike[str]]) -> list[str]:
    """Replace each pattern (``*``, ``?``, ``[...]``, ``**``) by the paths it matches, sorted; what exists stays.

    Raises
    ------
    CorpusError
        Fatal: a pattern matches nothing.
    """
    found: list[str] = []
    for one in paths:
        path = os.fspath(one)
        if path == "-" or not _GLOB.search(path) or (not is_remote(path) and os.path.lexists(path)):
            found.append(path)
            continue
        if is_remote(path):
            with _remote_errors(path):
                opened = _fsspec().open_files(path, "rb")
                _, *outer = path.split("::") if file_of(path) == path.partition("::")[0] else [path]
                matches = sorted("::".join((one.fs.unstrip_protocol(one.path), *outer)) for one in opened)
        else:
            matches = sorted(glob.glob(path, recursive=True))
        if not matches:
            raise CorpusError("expected a file, found none that matches", path, fatal=True)
        found.extend(matches)
    return found


def _fsspec() -> Any:
    with needs_extra("remote places need fsspec", "remote"):
        import fsspec
    return fsspec


@contextmanager
def _remote_errors(path: str) -> Iterator[None]:
    """Raise fsspec's own complaints as ours: a missing library of the protocol, or a missing place."""
    try:
        yield
    except ImportError as error:
        raise MissingExtraError(f"{path}: {error}") from error
    except (OSError, ValueError, AttributeError, KeyError) as error:  # the last two of URLs that lack a part
        told = error.__cause__ or error if str(error) == path else error  # of a server that does not answer: the path
        text = str(told) or type(told).__name__
        raise CorpusError(f"cannot be read: {text}", path, fatal=True) from error


# ----------------------------------------------------------------------------------------------------------- handles


@contextmanager
def open_input(path: str) -> Iterator[io.BufferedIOBase]:
    """Open a local file, a URL or ``-`` for reading bytes unchanged.

    Raises
    ------
    OSError
        The local file cannot be opened.
    CorpusError
        Fatal: standard input is closed, or the URL cannot be opened.
    MissingExtraError
        A URL, and fsspec or its library for the protocol is not installed.
    """
    if path == "-":
        if sys.stdin is None:
            raise CorpusError("standard input is closed", "stdin", fatal=True)
        yield cast(io.BufferedIOBase, sys.stdin.buffer)
    elif is_remote(path):
        with _remote_errors(path):
            place = _fsspec().open(path, "rb")  # held, for an archive is closed with what opened it
            opened = place.open()
        with opened, io.BufferedReader(_RemoteFile(opened), BUFFER) as stream:
            yield stream
    else:
        with open(path, "rb", buffering=0) as raw:
            found = os.fstat(raw.fileno())
            if stat.S_ISREG(found.st_mode) and found.st_size:
                with io.BufferedReader(_Snapshot(raw, found.st_size), BUFFER) as stream:
                    yield stream
            else:  # a pipe, a device, or nothing in it
                with io.BufferedReader(raw, BUFFER) as stream:
                    yield stream


class _RemoteFile(io.RawIOBase):
    """A file that fsspec opened.

    The files of its protocols have `read` in common and little else, and raise the errors of the libraries they are
    made with; all become an OSError.
    """

    def __init__(self, opened: Any) -> None:
        self._opened = opened

    def readable(self) -> bool:
        return True

    def seekable(self) -> bool:
        # A server that gives no part of a file does not tell its size either; fsspec takes such a file for seekable.
        return getattr(self._opened, "size", None) is not None

    def seek(self, offset: int, whence: int = os.SEEK_SET) -> int:
        return int(self._opened.seek(offset, whence))

    def tell(self) -> int:
        return int(self._opened.tell())

    def readinto(self, buffer: Any) -> int:
        try:
            piece = self._opened.read(len(buffer))
        except OSError:
            raise
        except Exception as error:
            raise OSError(f"{type(error).__name__}: {error}") from error
        buffer[: len(piece)] = piece
        return len(piece)


class _Snapshot(io.RawIOBase):
    """A file as far as it reached when it was opened."""

    def __init__(self, raw: io.FileIO, size: int) -> None:
        self._raw = raw
        self._size = size
        self._at = 0

    def readable(self) -> bool:
        return True

    def seekable(self) -> bool:
        return True

    def fileno(self) -> int:
        return self._raw.fileno()

    def readinto(self, buffer: Any) -> int:
        left = self._size - self._at
        if left <= 0:
            return 0
        read = self._raw.readinto(memoryview(buffer)[:left])
        if not read:
            raise _TruncatedFile(f"the file became shorter while it was read ({self._at:,} of {self._size:,} bytes)")
        self._at += read
        return read

    def seek(self, offset: int, whence: int = os.SEEK_SET) -> int:
        base = {os.SEEK_SET: 0, os.SEEK_CUR: self._at, os.SEEK_END: self._size}[whence]
        self._at = self._raw.seek(max(0, base + offset))
        return self._at

    def tell(self) -> int:
        return self._at


def detect_content(data: bytes) -> str | None:
    """Name the content of data by its first bytes, if it holds no text in UTF-8."""
    return next((what for magic, what in _SIGNATURES if data.startswith(magic)), None)


def conversion_hint(found: str) -> str:
    """Return how to convert text in what `detect_content` found; empty for what is no text."""
    return f"; convert it with iconv -f {found.lower()} -t utf-8" if found in (_UTF_16, _UTF_32) else ""


def open_unpacked(path: str, stream: io.BufferedIOBase) -> io.BufferedReader[Any]:
    """Return the bytes of a file without gzip, zstd, xz or lz4 around them, told by its first bytes.

    Raises
    ------
    gzip.BadGzipFile, OSError
        The name says packed and the content is not; an empty file is empty under any name.  While reading: damage, or
        far more than is to be expected of a file of its size.
    MissingExtraError
        zstd or lz4, and the library is not installed.
    """
    head = stream.read(6)
    if isinstance(stream, io.BufferedReader) and isinstance(stream.raw, _Snapshot):
        stream.seek(0)
        plain: io.BufferedReader[Any] = stream
    else:
        plain = io.BufferedReader(ChunkStream(stream, head), BUFFER)
    return unpack(plain, head, path)


def too_large_problem(longest: int, found: str = "more") -> str:
    """Return the problem of a record of more bytes than one may have, with the option that sets how many."""
    return f"expected at most {longest:,} bytes ({spelled('--max-record', 'ReadConfig.max_record')}), found {found}"


def read_whole(stream: io.BufferedReader[Any], longest: int, *, is_record: bool = True) -> bytes:
    """Read all that is left; ValueError if it is more than `longest` bytes, those of a record or of something else.

    Piece by piece, for ``read`` asks for as much memory as it may read.
    """
    pieces = []
    left = longest
    while piece := stream.read1(BUFFER):
        left -= len(piece)
        if left < 0:
            raise ValueError(
                too_large_problem(longest) if is_record else f"expected at most {longest:,} bytes, found more"
            )
        pieces.append(piece)
    return b"".join(pieces)
