"""Files that other projects keep to test themselves: all are read, or refused in one line, and none ends a run.

`make interop INTEROP=folder`: unpacked source distributions, or checkouts, of warcio, resiliparse, feedparser, html5lib
and whatever else holds archives, feeds, tables or pages.  Added is what installed packages ship.  Where there is
nothing of a kind, its test is skipped.
"""

from __future__ import annotations

import os
import re
import warnings
from collections.abc import Iterator
from functools import cache
from importlib.util import find_spec
from pathlib import Path

import pytest

from io_support import gather
from templatemine import extract
from templatemine.config import ReadConfig
from templatemine.errors import CorpusError, MissingExtraError
from templatemine.io.formats import FORMATS, format_by_path, is_installed
from templatemine.model import Record

FOLDER = os.environ.get("INTEROP", "")
INSTALLED = ("feedparser", "fastwarc", "html5lib", "lxml", "pandas", "pyarrow", "resiliparse", "scrapy", "warcio")
LARGEST = 32 << 20
READ = ReadConfig(max_record=LARGEST)


@cache
def find_test_files() -> dict[str, list[Path]]:
    """Files by the format that their names say."""
    found: dict[str, list[Path]] = {}
    for root in filter(None, [FOLDER, *map(find_package_folder, INSTALLED)]):
        for path in sorted(Path(root).rglob("*")):
            one = format_by_path(path.name)
            if path.suffix == ".dat" and "tree-construction" in path.parts:
                found.setdefault("html5lib", []).append(path)
            elif one is not None and path.is_file() and path.stat().st_size <= LARGEST:
                found.setdefault(one.name, []).append(path)
    return found


def find_package_folder(name: str) -> str:
    try:
        spec = find_spec(name)
    except (ImportError, ValueError):
        return ""
    return os.path.dirname(spec.origin) if spec is not None and spec.origin else ""


def files(kind: str) -> list[Path]:
    found = find_test_files().get(kind, [])
    if not found:
        pytest.skip(f"no files of {kind}: give a folder with some by INTEROP=...")
    return found


def read(path: Path) -> tuple[list[Record], list[CorpusError]]:
    """What is read of a file; each thing that cannot be is one line that names the file."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # of feedparser, about its own
        try:
            found, errors, _ = gather(path, READ)
        except MissingExtraError as error:
            pytest.skip(str(error))
        except CorpusError as error:  # said before anything was read
            found, errors = [], [error]
    for error in errors:
        assert str(error).startswith(str(path))
        assert "\n" not in str(error)
    return found, errors


@pytest.mark.parametrize("kind", [one.name for one in FORMATS if one.name != "folder"])
def test_files(kind: str) -> None:
    (one,) = (one for one in FORMATS if one.name == kind)
    if not is_installed(one):
        pytest.skip(f"needs {' and '.join(one.libraries)}")
    records, broken = 0, []
    for path in files(kind):
        found, errors = read(path)
        records += len(found)
        if any(error.fatal for error in errors):
            broken.append(path)
        for record in found:
            document = record.document
            assert document.source
            assert document.id
            assert (document.text is None) != (document.html is None) or document.html is not None
    print(f"{kind}: {len(files(kind)):,} files, {records:,} records, {len(broken):,} files that end in an error")


def test_feeds_give_what_their_parser_gives() -> None:
    """Each entry is a record, or is told: none is lost without a word."""
    feedparser = pytest.importorskip("feedparser")
    checked = 0
    for path in files("feed"):
        data = path.read_bytes()
        if len(data) > 1 << 20 or re.search(rb"<!ENTITY|^\s*\{", data) or b"\0" in data:
            continue
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            parsed = feedparser.parse(data, sanitize_html=False, resolve_relative_uris=False)
        found, errors = read(path)
        if parsed.get("version"):
            assert len(found) + len(errors) == len(parsed.entries), path
            checked += 1
    assert checked


def test_pages_have_a_main_text() -> None:
    """Whatever a page is made of, extraction ends, and what it takes stands in the page."""
    for path in files("page"):
        for record in read(path)[0]:
            check_extraction(record.document.html or "")


def trees() -> Iterator[str]:
    for path in files("html5lib"):
        for test in re.split(r"^#data\n", path.read_text(encoding="utf-8", errors="replace"), flags=re.MULTILINE)[1:]:
            yield test.partition("\n#errors")[0]


def test_trees_of_html5lib() -> None:
    number = 0
    for number, html in enumerate(trees(), 1):  # noqa: B007
        check_extraction(html)
    assert number


def check_extraction(html: str) -> None:
    found = extract(html)
    assert all(0 <= start <= end <= len(html) for start, end in found.spans)
