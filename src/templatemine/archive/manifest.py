"""Inputs, options and progress of a run, so that a later one can tell whether it may go on from there.

A file is known by its path, size, time of change and a digest of its head and tail.  Times are compared, never
ordered, and no duration is taken from the clock of the day, so a clock that goes back changes nothing.
"""

from __future__ import annotations

import glob
import json
import os
import shutil
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import asdict, is_dataclass
from hashlib import blake2b
from typing import Any

import orjson

from templatemine.io import lock
from templatemine.io.jsonl import decode_line
from templatemine.io.write import atomic_writer, write_errors

FORM = 2
"""Form of the files that a run works with: later code goes on with those of its own form alone."""
UNKNOWN = "unknown"
"""Identity of inputs that cannot be read twice: standard input, addresses."""

_END_BYTES = 1 << 16


def input_identity(path: str) -> Any:
    """Return the identity of an input: equal if it has not changed; `UNKNOWN` if it has none."""
    if path == "-":
        return UNKNOWN
    if os.path.isdir(path):
        hasher = blake2b(digest_size=16)
        for name in _list_files(path):
            status = os.stat(os.path.join(path, name))
            hasher.update(f"{name}\0{status.st_size}\0{status.st_mtime_ns}\n".encode("utf-8", "surrogateescape"))
        return {"path": os.path.abspath(path), "files": hasher.hexdigest()}
    if not os.path.exists(path):
        matches = sorted(glob.glob(path, recursive=True))
        return [input_identity(match) for match in matches] if matches else UNKNOWN
    status = os.stat(path)
    hasher = blake2b(digest_size=16)
    if os.path.isfile(path):
        with open(path, "rb") as handle:
            hasher.update(handle.read(_END_BYTES))
            handle.seek(max(0, status.st_size - _END_BYTES))
            hasher.update(handle.read(_END_BYTES))
    return {
        "path": os.path.abspath(path),
        "size": status.st_size,
        "changed": status.st_mtime_ns,
        "ends": hasher.hexdigest(),
    }


def _list_files(folder: str) -> Iterator[str]:
    for folder_path, folders, names in os.walk(folder):
        folders.sort()
        for name in sorted(names):
            path = os.path.join(folder_path, name)
            if os.path.isfile(path):
                yield os.path.relpath(path, folder)


def digest_options(*options: Any) -> str:
    """Return a digest of options: dataclasses, and whatever JSON holds."""
    plain = [asdict(option) if is_dataclass(option) and not isinstance(option, type) else option for option in options]
    return blake2b(orjson.dumps(plain, option=orjson.OPT_SORT_KEYS), digest_size=16).hexdigest()


def find_difference(old: Mapping[str, Any], new: Mapping[str, Any], inputs: Sequence[str]) -> str:
    """Say why a run known as `old` cannot go on as `new`; empty if it can.

    Both are mappings with "version", "form", "options" and "inputs", the last a list of identities; and with digests
    of the files that options name, which are inputs, too: "model" and "cues".
    """
    if old.get("version") != new["version"] or old.get("form") != new.get("form"):
        return "it was of another version of templatemine"
    if old.get("options") != new["options"]:
        return "its options were others"
    for name, said in (("model", "its model has"), ("cues", "its cues have")):
        if old.get(name) != new.get(name):
            return f"{said} changed"
    before = old.get("inputs")
    if not isinstance(before, list) or len(before) != len(new["inputs"]):
        return "its inputs were others"
    for old_identity, new_identity, path in zip(before, new["inputs"], inputs, strict=True):
        if old_identity == UNKNOWN or new_identity == UNKNOWN:
            return f"{'standard input' if path == '-' else path} cannot be read from where it stopped"
        if old_identity != new_identity:
            return f"{path} is not what it was"
    return ""


@contextmanager
def hold_folder(folder: str, work: str, progress: str) -> Iterator[None]:
    """Hold the lock of the folder of a run, which is made if it is missing.

    At the end the work in it goes, unless its file of `progress` is there for a later run to go on from; and so does
    the folder, if it was made and is empty.
    """
    is_new = not os.path.isdir(folder)
    with write_errors(folder):
        os.makedirs(folder, exist_ok=True)
    with lock.locked(folder, lock.SHORT_WAIT):
        try:
            yield
        finally:
            if not os.path.exists(progress):
                shutil.rmtree(work, ignore_errors=True)
            if is_new:
                with suppress(OSError):  # not empty: there is a result, or a run to go on with
                    os.rmdir(folder)


def write_json(path: str, value: Any) -> None:
    """Write a file of JSON, whole or not at all."""
    try:
        data = orjson.dumps(value)
    except orjson.JSONEncodeError:  # a lone surrogate, in the name of a source
        data = json.dumps(value).encode("ascii")
    with atomic_writer(path, force=True) as handle:
        handle.write(data)


def read_json(path: str) -> Any:
    """Read a file of `write_json`; None if it is not there or damaged."""
    try:
        with open(path, "rb") as handle:
            return decode_line(handle.read())
    except (OSError, ValueError):
        return None
