"""JSON lines, plain or .gz, as the scripts of this folder read and write them."""

from __future__ import annotations

import gzip
import json
import os
import sys
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import Any

__all__ = ["format_line", "read_records", "open_writer"]


def format_line(record: object) -> str:
    """One line."""
    return json.dumps(record, ensure_ascii=False) + "\n"


def read_records(path: Path) -> Iterator[tuple[str, dict[str, Any]]]:
    """The objects of a file, each with its position ("file:line"); ValueError for a line that is no JSON object."""
    with gzip.open(path, "rt", encoding="utf-8") if path.suffix == ".gz" else open(path, encoding="utf-8") as lines:
        for number, line in enumerate(lines, 1):
            if not line.strip():
                continue
            where = f"{path.name}:{number}"
            try:
                record = json.loads(line)
            except ValueError as error:
                raise ValueError(f"{where}: expected a JSON object, found {line[:40]!r} ({error})") from None
            if not isinstance(record, dict):
                raise ValueError(f"{where}: expected a JSON object, found {type(record).__name__}")
            yield where, record


@contextmanager
def open_writer(path: str | None) -> Iterator[Callable[[str], object]]:
    """A function that writes lines to `path`, which appears under its name only when all is written.

    "-" is standard output, None is nowhere, a name ending in .gz is packed.
    """
    if path is None or path == "-":
        yield sys.stdout.write if path else len
        return
    Path(path).parent.mkdir(parents=True, exist_ok=True)
    part = f"{path}.part"
    try:
        with open(part, "wb") as raw, ExitStack() as stack:
            # No name and no time in the header, so that the same lines are the same file; level 9 takes far longer.
            packed = gzip.GzipFile("", "wb", 6, raw, mtime=0) if path.endswith(".gz") else None
            write = stack.enter_context(packed).write if packed else raw.write
            yield lambda line: write(line.encode())
        os.replace(part, path)
    except BaseException:
        Path(part).unlink(missing_ok=True)
        raise
