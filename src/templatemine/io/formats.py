"""The formats, one module each: a table of their names, suffixes and libraries.

To add a format, write a module with ``read(path, config, report)``, and add a row to `FORMATS`.
"""

from __future__ import annotations

import os
from dataclasses import dataclass
from importlib import import_module
from importlib.util import find_spec
from typing import Any

from templatemine.errors import ConfigError, MissingExtraError, did_you_mean, pip_line
from templatemine.io.decompression import PACKING_SUFFIXES
from templatemine.io.files import file_of, unpacked_name


@dataclass(frozen=True, slots=True, kw_only=True)
class Format:
    """A way in which documents are stored.

    name : as ``--input-format`` takes it.
    what : in a few words.
    suffixes : of its files, in lower case.
    module : that reads it, and perhaps writes it.
    packed : whether the files may be gzip, zstd, xz or lz4, with a suffix more.
    writes : whether `clean` can write it.
    extra, libraries : the extra that brings the libraries, and their names as modules.
    """

    name: str
    what: str
    suffixes: tuple[str, ...]
    module: str
    packed: bool = True
    writes: bool = False
    extra: str = ""
    libraries: tuple[str, ...] = ()


FORMATS: tuple[Format, ...] = (
    Format(
        name="jsonl",
        what="JSON lines, an object a line",
        suffixes=(".jsonl", ".ndjson", ".json"),
        module="jsonl",
        writes=True,
    ),
    Format(
        name="folder",
        what="a folder of .txt and .html files, or else of files of the other formats",
        suffixes=(),
        module="folder",
        packed=False,
    ),
    Format(name="page", what="a single HTML page", suffixes=(".html", ".htm", ".xhtml", ".xht"), module="folder"),
    Format(
        name="warc",
        what="WARC: pages of crawls, and the texts of WET files",
        suffixes=(".warc", ".wet"),
        module="warc",
        extra="warc",
        libraries=("fastwarc", "resiliparse", "tldextract"),
    ),
    Format(
        name="wacz",
        what="WACZ: the WARC files of a crawl in a zip archive",
        suffixes=(".wacz",),
        module="wacz",
        packed=False,
        extra="warc",
        libraries=("fastwarc", "resiliparse", "tldextract"),
    ),
    Format(
        name="arc",
        what="ARC: pages of crawls before 2009",
        suffixes=(".arc",),
        module="arc",
        extra="warc",
        libraries=("warcio", "resiliparse", "tldextract"),
    ),
    Format(
        name="feed",
        what="RSS, Atom, CDF and JSON feeds, the items' contents",
        suffixes=(".rss", ".atom", ".xml", ".rdf", ".cdf"),
        module="feed",
        extra="feeds",
        libraries=("feedparser", "tldextract"),
    ),
    Format(
        name="parquet",
        what="Parquet tables",
        suffixes=(".parquet", ".pq"),
        module="parquet",
        packed=False,
        writes=True,
        extra="tables",
        libraries=("pyarrow",),
    ),
    Format(
        name="arrow",
        what="Arrow IPC files and streams, Feather",
        suffixes=(".arrow", ".feather", ".ipc", ".arrows"),
        module="arrow",
        packed=False,
        writes=True,
        extra="tables",
        libraries=("pyarrow",),
    ),
    Format(
        name="csv",
        what="CSV tables with a header",
        suffixes=(".csv", ".tsv"),
        module="csv",
        writes=True,
    ),
)

_BY_NAME = {one.name: one for one in FORMATS}
_BY_SUFFIX = {suffix: one for one in FORMATS for suffix in one.suffixes}


def format_names() -> str:
    """Return the suffixes of files that can be read, for messages."""
    return ", ".join(_BY_SUFFIX)


def format_by_name(name: str, option: str = "format") -> Format:
    """Return the format of a name, which an option gave; `ConfigError` if there is none."""
    if name not in _BY_NAME:
        known = ", ".join(_BY_NAME)
        raise ConfigError(f"{option}: expected one of {known}, got {name!r}{did_you_mean(name, _BY_NAME)}")
    return _BY_NAME[name]


def format_by_path(path: str) -> Format | None:
    """Return the format of a file by its name, None if it is known to none."""
    unpacked = unpacked_name(path)
    found = _BY_SUFFIX.get(os.path.splitext(unpacked)[1])
    return None if found is None or (not found.packed and unpacked != file_of(path).lower()) else found


def module_of(one: Format) -> Any:
    """Return the module of a format.

    Raises
    ------
    MissingExtraError
        A library that it needs is not installed.
    """
    missing = [name for name in one.libraries if not _has_module(name)]
    if missing:
        raise MissingExtraError(f"the format {one.name} needs {' and '.join(missing)}: {pip_line(one.extra)}")
    return import_module(f"templatemine.io.{one.module}")


def is_installed(one: Format) -> bool:
    """Return whether all libraries are there that a format needs."""
    return all(_has_module(name) for name in one.libraries)


def _has_module(name: str) -> bool:
    try:
        return find_spec(name) is not None
    except (ImportError, ValueError):
        return False


def suffixes_of(one: Format) -> str:
    """Return the suffixes of a format, for people; each also with those of packing where that is so."""
    shown = " ".join(one.suffixes)
    return f"{shown} (+ {' '.join(PACKING_SUFFIXES)})" if one.packed and one.suffixes else shown
