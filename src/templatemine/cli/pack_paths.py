"""What people write for a pack, its source too -> its path, or an error that says what they may have meant."""

from __future__ import annotations

import argparse
import os
from collections.abc import Iterable, Iterator, Sequence
from contextlib import suppress

from templatemine.cli.parser import more_packs_hint
from templatemine.errors import CorpusError, PackError, did_you_mean, list_names, unreadable

_PACKS = "packs"
"""The folder in which packs are looked for by their source: that of all examples of mine."""
_SUFFIX = ".json"
"""That of packs (`pack_folder.PACK_SUFFIX`), for commands that do not need that module, which takes long to load."""
_OF_DESK = (".sqlite", ".sqlite-wal", ".sqlite-shm")
"""What a desk keeps beside packs."""


def find_packs(paths: Iterable[str]) -> list[str]:
    """Find packs and folders of packs, each as `find_pack` does."""
    return [find_pack(path) for path in paths]


def find_pack(path: str) -> str:
    """Return a path of a pack or of a folder of packs; where there is none, that of the pack of the source of this
    name, beside it or in ``packs``.

    Raises
    ------
    PackError
        There is none of them, and the places are named; or what is at the path is no pack, and one of them is there.
    """
    if not path:
        raise PackError("expected a pack, a folder of packs or the name of a source, got an empty name")
    _refuse_closed(path)
    if os.path.lexists(path):
        if (place := _pack_elsewhere(path)) and (problem := _describe_no_pack(path)):
            raise PackError(f"{problem}; did you mean {place}?")
        return path
    places = list(dict.fromkeys(_pack_places(path)))
    for place in places:
        if os.path.isfile(place):
            return place
    told = [place for place in places if _is_plain(place)]
    looked = f"; looked for {' and '.join(told)}, too" if told else ""
    raise PackError(f"{path}: there is no such pack or folder of packs{looked}{_suggest_source(path)}")


def _refuse_closed(path: str) -> None:
    """Raise an error for what lies in a folder that may not be entered: whether it is there cannot be seen."""
    try:
        os.lstat(path)
    except PermissionError as error:
        raise PackError(f"{path}: {unreadable(error)}") from error
    except (OSError, ValueError):  # told by whoever looks for it
        return


def refuse_packs_as_inputs(args: argparse.Namespace, given: Sequence[str]) -> None:
    """Raise an error if all inputs of a command, which is `given`, are packs, or folders of packs and of nothing else;
    readers skip one among others."""
    for name in ("inputs", "archive"):
        inputs = getattr(args, name, None) or []
        found = [_name_packs(path) for path in inputs]
        if found and found[0] is not None and None not in found:
            hint = _swapped_hint(args) or more_packs_hint(given, inputs[0])
            raise CorpusError(f"expected an archive, found {found[0]}{hint}", inputs[0], fatal=True)


def _swapped_hint(args: argparse.Namespace) -> str:
    """Return what to add to the message about packs among inputs where an archive is among the packs."""
    packs = getattr(args, "packs", None) or []
    others = [one for one in ([packs] if isinstance(packs, str) else packs) if os.path.exists(one)]
    if len(others) == 1 and _name_packs(others[0]) is None and _describe_no_pack(others[0]):
        return f"; {others[0]} is no pack: have the two been swapped?"
    return ""


def _name_packs(path: str) -> str | None:
    """Name a pack, or a folder of packs and of nothing else, and what prints it; None for another path."""
    if not os.path.isdir(path):
        return "a pack, which templatemine show prints" if os.path.isfile(path) and _is_pack(path) else None
    try:
        names = [name for name in os.listdir(path) if name[0] != "."]
    except OSError:  # whoever reads it tells
        return None
    if not any(name.endswith(_SUFFIX) for name in names):
        return None
    from templatemine.packs.pack_folder import rejected_path

    beside = (rejected_path(""), *_OF_DESK)
    names = [name for name in names if not name.endswith(beside)]
    are_packs = all(_is_pack(os.path.join(path, name)) for name in names)
    return "a folder of packs, which templatemine show lists" if are_packs else None


def _is_pack(path: str) -> bool:
    from templatemine.io.jsonl import is_pack

    return path.endswith(_SUFFIX) and is_pack(path)


def _pack_places(path: str) -> Iterator[str]:
    """Yield where the pack of a source may be that is named without its folder, or without its suffix; a source may
    hold slashes."""
    from templatemine.packs.pack_folder import pack_names

    source = ""
    folder, last = os.path.split(path)
    if last:
        yield path + _SUFFIX
    while last:
        source = f"{last}/{source}" if source else last
        yield os.path.join(folder, pack_names(source)[0])
        folder, last = os.path.split(folder)
    if not os.path.isabs(path):
        if path.endswith(".json") and path == os.path.basename(path):
            yield os.path.join(_PACKS, path)
        yield os.path.join(_PACKS, pack_names(path)[0])


def _pack_elsewhere(path: str) -> str:
    """Return the pack in ``packs`` that has the name of something else; empty if there is none."""
    from templatemine.packs.pack_folder import pack_names

    if os.path.isabs(path) or not os.path.isdir(_PACKS):
        return ""
    place = os.path.join(_PACKS, path if path.endswith(".json") else pack_names(path)[0])
    return place if os.path.isfile(place) else ""


def _is_plain(place: str) -> bool:
    """Return whether a place tells a person something: no name with a hash in it, and none with two suffixes."""
    return "~" not in os.path.basename(place) and not place.endswith(".json.json")


def _describe_no_pack(path: str) -> str:
    """Say why what is at a path is neither a pack nor a folder with one; empty if it is."""
    from templatemine.packs.pack_folder import PackFiles

    try:
        files = PackFiles([path], errors="skip")
    except PackError as error:
        return str(error)
    return files.unnamed[0] if len(files.unnamed) == len(files) else ""


def _suggest_source(path: str) -> str:
    """Return what to add to a message: a question after the source of a pack in the folder of a path, or in ``packs``,
    that begins with this name or has nearly this name (of a file that was renamed, its name), or after such a folder of
    packs; else what packs there are, or the command that makes them."""
    folder, name = os.path.split(path.rstrip(os.sep))
    before = os.path.join(folder, "") if os.path.isdir(folder) else ""
    given, sources = (name if before else path).removesuffix(".json"), _pack_sources(folder if before else _PACKS)
    small = given.casefold()
    begun = [one for one in sources if one.casefold().startswith(small)]
    if begun:
        # The name of a folder or of a domain ends there; others only begin with the same letters.
        nearest = min(begun, key=lambda one: (one[len(small) : len(small) + 1] not in ("/", "."), one))
        return f"; did you mean {before}{nearest}?"
    beside = os.path.join(folder, "") if folder else ""
    question = did_you_mean(given, sources, before) or did_you_mean(name, _pack_folders(folder or os.curdir), beside)
    there = f"; in {folder if before else _PACKS} are those of {list_names(sources)}" if sources else ""
    return question or there or "; templatemine mine makes packs"


def _pack_sources(folder: str) -> list[str]:
    """Return the sources of the packs of a folder, of files that were renamed their names; none if it has no packs."""
    from templatemine.packs.pack_folder import PackFiles, pack_names

    with suppress(PackError):
        names = {os.path.basename(file): one for one, file in PackFiles([folder], errors="skip").files.items()}
        return sorted(one if file == pack_names(one)[0] else file.removesuffix(".json") for file, one in names.items())
    return []


def _pack_folders(folder: str) -> list[str]:
    """Return the names of the folders in a folder that `mine` wrote packs to."""
    from templatemine.packs.pack_folder import rejected_path

    with suppress(OSError):
        return [
            one.name
            for one in os.scandir(folder)
            if one.is_dir() and any(name.endswith(rejected_path("")) for name in os.listdir(one))
        ]
    return []
