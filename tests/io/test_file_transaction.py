"""Several files appear together or not at all."""

from __future__ import annotations

import gzip
import json
import os
import stat
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from io_support import is_locked
from templatemine.errors import CorpusError
from templatemine.io import abandoned, lock
from templatemine.io import file_transaction as module
from templatemine.io.file_transaction import file_transaction
from templatemine.io.lock import locked
from templatemine.io.write import atomic_writer


def names(folder: Path) -> list[str]:
    return sorted(str(path.relative_to(folder)) for path in folder.rglob("*"))


def write_and_raise(folder: Path, error: BaseException, *, inside: bool = False) -> None:
    """Write two files; something goes wrong while the second is written, or after it."""
    with file_transaction(folder) as group:
        with group.open("x") as handle:
            handle.write(b"new")
        with group.open("y") as handle:
            handle.write(b"new")
            if inside:
                raise error
        raise error


def put(folder: Path, *files: str, force: bool = False) -> None:
    with file_transaction(folder, force) as group:
        for name in files:
            with group.open(name) as handle:
                handle.write(f"new {name}".encode())
            assert not os.path.exists(group.path(name)) or force


def test_they_appear_at_the_end(tmp_path: Path) -> None:
    put(tmp_path / "a" / "b", "x.json", "y.gz")
    assert names(tmp_path) == ["a", "a/b", "a/b/x.json", "a/b/y.gz"]
    assert (tmp_path / "a" / "b" / "x.json").read_text() == "new x.json"
    assert gzip.decompress((tmp_path / "a" / "b" / "y.gz").read_bytes()) == b"new y.gz"


def test_the_same_content_gives_the_same_bytes(tmp_path: Path) -> None:
    put(tmp_path / "1", "y.gz")
    put(tmp_path / "2", "y.gz")
    assert (tmp_path / "1" / "y.gz").read_bytes() == (tmp_path / "2" / "y.gz").read_bytes()


def test_a_directory_that_was_there_stays(tmp_path: Path) -> None:
    (tmp_path / "a").mkdir()
    with pytest.raises(KeyboardInterrupt):
        write_and_raise(tmp_path / "a" / "b" / "c", KeyboardInterrupt())
    assert names(tmp_path) == ["a"]


def test_an_error_while_writing_one(tmp_path: Path) -> None:
    with pytest.raises(ValueError, match="mine"):
        write_and_raise(tmp_path, ValueError("mine"), inside=True)
    assert names(tmp_path) == []


def test_existing_files_are_refused_before_anything_is_written(tmp_path: Path) -> None:
    (tmp_path / "y").write_text("old")
    with pytest.raises(CorpusError, match="y: exists; use force=True") as caught:
        put(tmp_path, "x", "y")
    assert caught.value.fatal
    with file_transaction(tmp_path) as group, pytest.raises(CorpusError, match="exists"):
        group.refuse_existing(["x", "y"])
    assert names(tmp_path) == ["y"]
    assert (tmp_path / "y").read_text() == "old"


def test_force_replaces_and_keeps_permissions_and_links(tmp_path: Path) -> None:
    (tmp_path / "real").write_text("old")
    (tmp_path / "real").chmod(0o640)
    (tmp_path / "y").symlink_to("real")
    put(tmp_path, "x", "y", force=True)
    assert names(tmp_path) == ["real", "x", "y"]
    assert (tmp_path / "y").is_symlink()
    assert (tmp_path / "real").read_text() == "new y"
    assert stat.S_IMODE((tmp_path / "real").stat().st_mode) == 0o640


def test_a_directory_in_the_place_of_a_file(tmp_path: Path) -> None:
    (tmp_path / "x").mkdir()
    with pytest.raises(CorpusError, match="found a directory"):
        put(tmp_path, "x", force=True)


@pytest.mark.parametrize("force", [False, True])
def test_a_failure_in_the_middle_of_renaming_takes_all_back(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, force: bool
) -> None:
    if force:
        (tmp_path / "a").write_text("old")
        (tmp_path / "c").write_text("old")
    original = module.place_file
    calls = 0

    def fail(*args: object) -> None:
        nonlocal calls
        calls += 1
        original(*args)  # type: ignore[arg-type]
        if calls == 3:
            raise OSError(28, "No space left on device")

    monkeypatch.setattr(module, "place_file", fail)
    with pytest.raises(CorpusError, match="c: cannot be written: No space left on device"):
        put(tmp_path, "a", "b", "c", "d", force=force)
    assert calls == 3
    assert names(tmp_path) == (["a", "c"] if force else [])
    assert not force or {(tmp_path / name).read_text() for name in "ac"} == {"old"}


def test_what_appears_meanwhile_is_not_replaced(tmp_path: Path) -> None:
    def meanwhile() -> None:
        with file_transaction(tmp_path) as group:
            for name in "xy":
                with group.open(name) as handle:
                    handle.write(b"new")
            (tmp_path / "y").write_text("theirs")

    with pytest.raises(CorpusError, match="y: exists"):
        meanwhile()
    assert names(tmp_path) == ["y"]
    assert (tmp_path / "y").read_text() == "theirs"


def test_without_hard_links(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def none(*args: object, **options: object) -> None:
        raise OSError(95, "Operation not supported")

    monkeypatch.setattr(os, "link", none)
    put(tmp_path, "x")
    put(tmp_path, "x", "y", force=True)
    assert names(tmp_path) == ["x", "y"]


def test_without_hard_links_what_appears_last_is_not_replaced(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def none(source: str, target: str) -> None:
        if target.endswith("y"):
            Path(target).write_text("theirs")  # after the last look
        raise OSError(95, "Operation not supported")

    monkeypatch.setattr(os, "link", none)
    with pytest.raises(CorpusError, match="y: appeared while it was being written; .*use force=True"):
        put(tmp_path, "x", "y", "z")
    assert names(tmp_path) == ["y"]
    assert (tmp_path / "y").read_text() == "theirs"


def test_a_directory_that_cannot_be_made(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("x")
    for path, problem in (("file", "expected a folder, found a file"), ("file/below", "cannot be written")):
        with pytest.raises(CorpusError, match=problem) as caught, file_transaction(tmp_path / path):
            pass
        assert caught.value.fatal


# ----------------------------------------------------------------------------------------- what killed writers leave

LEAVE = """
import sys
from templatemine.io.file_transaction import file_transaction
from templatemine.io.write import atomic_writer
folder = sys.argv[1]
with atomic_writer(folder + "/one.json") as one, file_transaction(folder) as group, group.open("two.json") as two:
    one.write(b"x" * 100_000)
    two.write(b"x" * 100_000)
    print("writing", flush=True)
    sys.stdin.read()
"""


def leaving(folder: Path) -> subprocess.Popen[bytes]:
    """A process that is in the middle of writing a file, and some together; all of it looks old."""
    process = subprocess.Popen(
        [sys.executable, "-c", LEAVE, str(folder)], stdin=subprocess.PIPE, stdout=subprocess.PIPE
    )
    assert process.stdout is not None
    assert process.stdout.readline() == b"writing\n"
    for path in folder.iterdir():
        os.utime(path, (1e9, 1e9))
    return process


def write_alone(folder: Path) -> None:
    with atomic_writer(folder / "new.json") as handle:
        handle.write(b"new")


@pytest.mark.parametrize("write", [write_alone, lambda folder: put(folder, "new.json")])
def test_the_next_writer_removes_what_a_killed_one_left(
    tmp_path: Path, write: Callable[[Path], None], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(abandoned, "_CHECKED_DIRECTORIES", set())
    with leaving(tmp_path) as live:
        theirs = names(tmp_path)
        with leaving(tmp_path) as process:
            process.kill()
        assert len(list(tmp_path.iterdir())) == 4
        write(tmp_path)
        assert names(tmp_path) == sorted([*theirs, "new.json"])
        live.communicate(b"")
        assert live.returncode == 0
    assert names(tmp_path) == ["new.json", "one.json", "two.json"]


def test_only_what_writers_leave_is_removed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(abandoned, "_CHECKED_DIRECTORIES", set())
    other = tmp_path / "other"
    other.write_text("kept")
    folder = tmp_path / "folder"
    folder.mkdir()
    name = ".templatemine-{:016x}.tmp"
    (folder / name.format(1)).symlink_to(other)
    os.mkfifo(folder / name.format(2))
    (folder / name.format(3)).write_text("made a moment ago")
    (folder / ".templatemine-0.tmp").write_text("no name of ours")
    for path in folder.iterdir():
        if path.name != name.format(3):
            os.utime(path, (1e9, 1e9), follow_symlinks=False)
    before = names(folder)
    write_alone(folder)
    assert names(folder) == sorted([*before, "new.json"])
    assert other.read_text() == "kept"


KILLED = """
import os, sys
from pathlib import Path
from templatemine.io import file_transaction as module

folder, force, moment, after = sys.argv[1], sys.argv[2] == "True", int(sys.argv[3]), sys.argv[4] == "True"
for name in ("link", "replace", "unlink"):
    def call(*args, do=getattr(os, name), **more):
        global moment
        moment -= 1
        if moment < 0 and not after:
            os._exit(9)
        do(*args, **more)
        if moment < 0:
            os._exit(9)
    setattr(os, name, call)
with module.file_transaction(folder, force) as group:
    for name in "xyz":
        group.put(name, b"new " + name.encode())
os._exit(0)
"""


@pytest.mark.parametrize("after", [False, True])
@pytest.mark.parametrize("force", [False, True])
def test_a_kill_among_the_renames_is_taken_back(tmp_path: Path, force: bool, after: bool) -> None:
    """At each of them; what had appeared as a whole stays, and so does what others have put there since."""
    seen = set()
    for moment in range(20):
        folder = tmp_path / str(moment)
        folder.mkdir()
        before = {"x": b"old", "other": b"mine"} if force else {"other": b"mine"}
        for name, data in before.items():
            (folder / name).write_bytes(data)
        arguments = [folder, str(force), str(moment), str(after)]
        done = subprocess.run([sys.executable, "-c", KILLED, *arguments], check=False, timeout=60)
        whole = {**before, **{name: f"new {name}".encode() for name in "xyz"}}
        half = {path.name: path.read_bytes() for path in folder.iterdir() if path.is_file()}
        assert set(half.items()) <= {*before.items(), *whole.items()}
        seen.add(len(half))
        with file_transaction(folder):
            pass
        left = {path.name: path.read_bytes() for path in folder.iterdir() if path.is_file()}
        assert left == (whole if half == whole else before)
        if done.returncode == 0:
            break
    assert done.returncode == 0
    assert seen == ({2, 3, 4} if force else {1, 2, 3, 4})


def test_what_took_the_place_of_a_file_stays(tmp_path: Path) -> None:
    subprocess.run([sys.executable, "-c", KILLED, tmp_path, "False", "3", "False"], check=False, timeout=60)
    assert (tmp_path / "x").read_bytes() == b"new x"
    (tmp_path / "x").unlink()
    (tmp_path / "x").write_bytes(b"mine")
    with file_transaction(tmp_path):
        pass
    assert names(tmp_path) == ["x"]
    assert (tmp_path / "x").read_bytes() == b"mine"


@pytest.mark.parametrize("case", ["outside", "link", "old", "no name", "no list", "no JSON", "deep"])
def test_notes_of_strangers_take_nothing_away(tmp_path: Path, case: str) -> None:
    victim = tmp_path / "victim"
    victim.write_text("kept")
    folder = tmp_path / "folder"
    hidden = folder / ".templatemine-0000000000000001.tmp"
    hidden.mkdir(parents=True)
    (folder / "link").symlink_to(victim)
    found = victim.stat()
    identity = [found.st_ino, found.st_size, found.st_mtime_ns]
    (folder / "mine").write_text("kept")
    own = (folder / "mine").stat()
    rows: object = {
        "outside": [["../victim", "0.new", *identity], ["none", "1.new", 0, 0, 0]],
        "link": [["link", "0.new", *identity], ["none", "1.new", 0, 0, 0]],
        "old": [["mine", "../../victim", own.st_ino, own.st_size, own.st_mtime_ns], ["none", "1.new", 0, 0, 0]],
        "no name": [["a\0b", "0.new", *identity], ["\ud800", "1.new", *identity]],
        "no list": {"mine": 1},
    }.get(case)
    torn = "[" * (100_000 if case == "deep" else 2)
    (hidden / "renames.json").write_text(torn if rows is None else json.dumps(rows))
    put(folder, "new.json")
    assert victim.read_text() == "kept"
    assert (folder / "mine").read_text() == "kept"
    assert names(folder) == ["link", "mine", "new.json"]


def test_other_writers_leave_it_to_the_next_one(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """They know nothing of names; and a writer that is at its renames is left alone."""
    monkeypatch.setattr(abandoned, "_MIN_AGE", -1.0)
    subprocess.run([sys.executable, "-c", KILLED, tmp_path, "False", "3", "False"], check=False, timeout=60)
    before = names(tmp_path)
    (hidden,) = (path for path in tmp_path.iterdir() if path.is_dir())
    with atomic_writer(tmp_path / "other") as handle:
        handle.write(b"")
    assert names(tmp_path) == sorted([*before, "other"])
    with abandoned.hold_lock(str(hidden)), file_transaction(tmp_path):
        pass
    assert names(tmp_path) == sorted([*before, "other"])
    with file_transaction(tmp_path):
        pass
    assert names(tmp_path) == ["other"]


def test_the_lock_is_held_until_the_files_have_appeared(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    appear = module.FileTransaction._commit
    seen = []

    def watched(self: module.FileTransaction) -> None:
        seen.append(not is_locked(tmp_path))
        appear(self)

    monkeypatch.setattr(module.FileTransaction, "_commit", watched)
    with file_transaction(tmp_path, lock=True) as group, group.open("x") as handle:
        handle.write(b"x")
    assert seen == [False]
    monkeypatch.setattr(lock, "SHORT_WAIT", 0.1)
    with locked(tmp_path), pytest.raises(CorpusError, match="another run"), file_transaction(tmp_path, lock=True):
        pass
    assert names(tmp_path) == ["x"]
