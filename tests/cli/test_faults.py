"""The world fails: disks fill up, signals come at any moment, outputs are links, pipes and devices, others write too.

One clear line, nothing lost, the exit code of the documentation; and the same command does the work once the fault is
gone.
"""

from __future__ import annotations

import os
import re
import resource
import shutil
import signal
import stat
import subprocess
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from pathlib import Path
from random import Random

import pytest
from cli_support import SOURCES, command, everything, page, read, records, wait_for, write

from conftest import Cli
from io_support import is_locked
from kills import KILLS, contents, visible
from templatemine.__main__ import main
from templatemine.io import lock

Prepare = Callable[[Path], Sequence[str | Path]]
"""Arguments of a command that writes into a folder."""


@pytest.fixture(scope="module")
def world(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """An archive, pages, packs, and packs with windows."""
    folder = tmp_path_factory.mktemp("world")
    sources = [*SOURCES, "delta.example"]
    write(folder / "archive.jsonl", records(sources, documents=40))
    write(folder / "new.jsonl", [{**one, "id": f"new {one['id']}"} for one in records(documents=40, seed=2)])
    write(folder / "pages.jsonl", [page(one) for one in records(documents=20)])
    for line in (
        f"mine {folder}/archive.jsonl -o {folder}/packs -q",
        f"update {folder}/windows {folder}/archive.jsonl --new-sources --today 2024-02-01 -q",
    ):
        assert main(line.split()) == 0
    return folder


@pytest.fixture(scope="module")
def large(world: Path) -> dict[Path, Path]:
    """Forty times the archive and the pages, in place of them."""
    folder = world / "large"
    folder.mkdir()
    files = {world / name: folder / name for name in ("archive.jsonl", "pages.jsonl")}
    for path, larger in files.items():
        larger.write_bytes(path.read_bytes() * 40)
    return files


def commands(world: Path, out: Path) -> dict[str, list[str | Path]]:
    """Every command that writes files, into a folder that is there."""
    archive, packs = world / "archive.jsonl", world / "packs"
    return {
        "mine": ["mine", archive, "-o", out / "packs"],
        "mine on disk": ["mine", archive, "-o", out / "packs", "--memory", "128M"],
        "sort": ["sort", archive, "-o", out / "sorted"],
        "update": ["update", out / "windows", world / "new.jsonl", "--today", "2024-02-02"],
        "clean": ["clean", archive, "-p", packs, "-o", out / "c.jsonl"],
        "clean to gzip": ["clean", archive, "-p", packs, "-o", out / "c.jsonl.gz"],
        "clean to xz": ["clean", archive, "-p", packs, "-o", out / "c.jsonl.xz"],
        "clean with hits": ["clean", archive, "-p", packs, "-o", out / "c.jsonl", "--hits", out / "hits.jsonl"],
        "extract": ["extract", world / "pages.jsonl", "-o", out / "e.jsonl"],
        "report": ["report", packs, "--archive", archive, "-o", out / "report.html"],
    }


NAMES = list(commands(Path(), Path()))


def skip_without(name: str) -> None:
    """Where a library is not installed that the command needs."""
    if name == "report":
        pytest.importorskip("jinja2")


def prepared(world: Path, out: Path, name: str) -> list[str | Path]:
    skip_without(name)
    if name == "update":
        shutil.copytree(world / "windows", out / "windows")
    return [*commands(world, out)[name], "-q"]


@pytest.fixture
def disk(tmp_path: Path) -> Iterator[Callable[[str], Path]]:
    """A file system of a size, in memory; the size can be changed."""
    place = tmp_path / "disk"
    place.mkdir()
    mounted = False

    def sized(size: str) -> Path:
        nonlocal mounted
        options = f"size={size}" + (",remount" if mounted else "")
        done = subprocess.run(["mount", "-t", "tmpfs", "-o", options, "tmpfs", place], capture_output=True, check=False)
        if done.returncode:
            pytest.skip(f"cannot mount a file system: {done.stderr.decode().strip()}")
        mounted = True
        return place

    if shutil.which("mount") is None:
        pytest.skip("needs mount")
    yield sized
    if mounted:
        subprocess.run(["umount", "-l", place], check=True)


@pytest.mark.parametrize("name", NAMES)
def test_a_full_disk(cli: Cli, world: Path, disk: Callable[[str], Path], name: str) -> None:
    out = disk("64m")
    arguments = prepared(world, out, name)
    before = contents(out)
    filler = os.open(out / "filler", os.O_WRONLY | os.O_CREAT)
    with pytest.raises(OSError, match="No space left"):
        while os.write(filler, bytes(1 << 16)):
            pass
    os.close(filler)
    os.truncate(out / "filler", (out / "filler").stat().st_size - 8192)  # all but two blocks
    done = cli(*arguments)
    assert done.code == 2, done
    assert done.error.endswith("No space left on device")
    assert len(done.err.splitlines()) == 1
    os.unlink(out / "filler")
    assert visible(contents(out)) == visible(before)
    assert cli(*arguments).code == 0
    assert len(visible(contents(out))) > len(visible(before)) or name == "update"


@pytest.mark.parametrize("name", NAMES)
def test_a_limit_of_the_size_of_files(cli: Cli, world: Path, tmp_path: Path, name: str) -> None:
    (tmp_path / "out").mkdir()
    arguments = prepared(world, tmp_path / "out", name)
    before = visible(contents(tmp_path / "out"))
    usual = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (700, usual[1]))
    try:
        done = cli(*arguments)
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, usual)
    assert done.code == 2, done
    assert done.error.endswith("File too large")
    assert visible(contents(tmp_path / "out")) == before


@pytest.mark.parametrize("name", NAMES)
def test_a_folder_that_cannot_be_written(cli: Cli, world: Path, tmp_path: Path, name: str) -> None:
    out = tmp_path / "out"
    out.mkdir()
    arguments = prepared(world, out, name)
    before = contents(out)
    out = out / "windows" if name == "update" else out
    if os.geteuid() == 0:  # to whom modes mean nothing
        done = subprocess.run(["chattr", "+i", out], capture_output=True, check=False)
        if done.returncode:
            pytest.skip("root may write everything, and folders cannot be made immutable here")
    else:
        out.chmod(0o555)
    try:
        done = cli(*arguments)
        assert done.code == 2
        assert "cannot be" in done.error
        assert contents(tmp_path / "out") == before
    finally:
        if os.geteuid() == 0:
            subprocess.run(["chattr", "-i", out], check=True)
        else:
            out.chmod(0o755)


# ------------------------------------------------------------------------------------------------- what the output is


def test_a_link_stays_and_what_it_leads_to_is_written(cli: Cli, world: Path, tmp_path: Path) -> None:
    arguments = ["clean", world / "new.jsonl", "-p", world / "packs", "-q", "-o", tmp_path / "link.jsonl"]
    (tmp_path / "link.jsonl").symlink_to(tmp_path / "deep" / "real.jsonl")
    assert "cannot be written" in cli(*arguments, "--force").error
    (tmp_path / "deep").mkdir()
    assert cli(*arguments).error.endswith("use --force to replace it")
    assert cli(*arguments, "--force").code == 0
    assert (tmp_path / "link.jsonl").is_symlink()
    assert len(read(tmp_path / "deep" / "real.jsonl")) == 120
    (tmp_path / "round.jsonl").symlink_to(tmp_path / "round.jsonl")
    assert cli(*arguments[:-1], tmp_path / "round.jsonl").error
    assert cli(*arguments[:-1], tmp_path / "deep").error.endswith("found a directory")


@pytest.mark.parametrize("name", ["clean", "clean to gzip", "extract", "report"])
def test_pipes_are_written_as_they_stand(cli: Cli, world: Path, tmp_path: Path, name: str) -> None:
    skip_without(name)
    arguments = commands(world, tmp_path)[name]
    pipe = Path(arguments[-1])
    os.mkfifo(pipe)
    got: list[bytes] = []
    reader = threading.Thread(target=lambda: got.append(pipe.read_bytes()))
    reader.start()
    done = cli(*arguments, "-q")
    reader.join(60)
    assert done.code == 0
    assert len(got[0]) > 1000
    assert stat.S_ISFIFO(pipe.stat().st_mode)


@pytest.mark.parametrize("name", ["clean", "extract", "report"])
@pytest.mark.parametrize("device", ["/dev/full", "/dev/null"])
def test_devices_stay_devices(cli: Cli, world: Path, name: str, device: str) -> None:
    skip_without(name)
    done = cli(*commands(world, Path())[name][:-1], device, "-q")
    assert stat.S_ISCHR(os.stat(device).st_mode)
    if device == "/dev/null":
        assert done.code == 0
    else:
        assert done.error == "/dev/full: cannot be written: No space left on device"


@pytest.mark.parametrize("name", ["mine", "mine on disk", "sort"])
@pytest.mark.parametrize("kind", ["file", "pipe", "device", "link to nowhere"])
def test_folders_that_are_something_else(cli: Cli, world: Path, tmp_path: Path, name: str, kind: str) -> None:
    out = tmp_path / "out"
    if kind == "file":
        out.write_text("mine")
    elif kind == "pipe":
        os.mkfifo(out)
    elif kind == "link to nowhere":
        out.symlink_to(tmp_path / "nowhere" / "out")
    place = Path("/dev/null") if kind == "device" else out
    arguments = [place if one in (Path("packs"), Path("sorted")) else one for one in commands(world, Path())[name]]
    done = cli(*arguments, "-q")
    assert str(place) in done.error
    assert kind != "file" or out.read_text() == "mine"
    assert stat.S_ISCHR(os.stat("/dev/null").st_mode)


@pytest.mark.parametrize("name", ["mine", "sort", "clean", "extract", "report", "update"])
def test_standard_output_is_closed(world: Path, tmp_path: Path, name: str) -> None:
    """The summary of --json has nowhere to go: that is told, and what was written stays."""
    (tmp_path / "out").mkdir()
    arguments = prepared(world, tmp_path / "out", name)[:-1]
    if name == "report":
        arguments = [*arguments[:-1], "-"]
    else:
        arguments.append("--json")
    done = subprocess.run(command(*arguments), stderr=subprocess.PIPE, preexec_fn=lambda: os.close(1), check=False)
    (line,) = [one for one in done.stderr.decode().splitlines() if one.startswith("templatemine: ")]
    assert (done.returncode, line) == (2, "templatemine: error: stdout: standard output is closed")


# ------------------------------------------------------------------------------------------------------- at any moment

in_proc = pytest.mark.skipif(not os.path.isdir("/proc/self"), reason="looks for handlers in /proc")


@pytest.mark.slow  # each is some ten runs of the program; test_cli_signals has single moments
@in_proc
@pytest.mark.parametrize("name", ["mine", "mine on disk", "sort", "update", "clean to gzip", "extract"])
@pytest.mark.parametrize(
    ("number", "code", "said"), [(signal.SIGINT, 130, "interrupted"), (signal.SIGTERM, 143, "ended by SIGTERM")]
)
def test_signals_in_each_phase(
    world: Path, large: dict[Path, Path], tmp_path: Path, name: str, number: int, code: int, said: str
) -> None:
    """At moments over the whole run, from its first line of code on."""
    if signal.getsignal(number) is signal.SIG_IGN:
        pytest.skip("the signal is ignored here")
    random, stopped, took = Random(3), 0, 0.0
    inputs = {} if "mine" in name else large
    for attempt in range(-1, 40 + 3 * KILLS):
        if stopped == max(KILLS, 4):
            return
        out = tmp_path / f"out{attempt}"
        out.mkdir()
        arguments = [inputs.get(one, one) for one in prepared(world, out, name)]
        before = visible(contents(out))
        with subprocess.Popen(
            command(*arguments),
            stderr=subprocess.PIPE,
            preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_DFL),
        ) as process:
            wait_for(lambda: process.poll() is not None or works(process.pid))
            began = time.monotonic()
            if attempt >= 0:
                time.sleep(random.uniform(0, took * 0.8))
                process.send_signal(number)
            _, err = process.communicate(timeout=60)
        lines = [one for one in err.decode().splitlines() if "more than --memory" not in one]
        if process.returncode == 0:
            took = took or time.monotonic() - began
            continue
        stopped += 1
        # Before its handlers are there, and when they are gone, the system ends it, for which shells have the same code.
        assert process.returncode in (code, -number)
        assert lines == [f"templatemine: {said}"] or (process.returncode == -number and lines == [])
        assert not [one for one in everything(out) if one.endswith(".tmp")]
        now = visible(contents(out))
        again = subprocess.run(command(*arguments), capture_output=True, check=False, timeout=120)
        # One that had all in place when the signal came is refused the second time.
        assert again.returncode == 0 or re.search(rb"exists|holds .* --force", again.stderr), again.stderr
        after = visible(contents(out))
        assert all(data in (before.get(one), after[one]) for one, data in now.items())
    pytest.fail(f"only {stopped} signals came in time")


def works(pid: int) -> bool:
    """The program has its handlers, that of SIGTERM among them."""
    try:
        caught = next(one for one in Path(f"/proc/{pid}/status").read_text().splitlines() if one.startswith("SigCgt"))
    except (OSError, StopIteration):
        return False
    return bool(int(caught.split()[1], 16) >> (signal.SIGTERM - 1) & 1)


def is_held(folder: Path) -> bool:
    """Something in a folder is locked by a run, be it a folder or what it writes."""
    for path in (folder, *folder.rglob("*")):
        with suppress(OSError):
            if is_locked(path):
                return True
    return False


@pytest.mark.parametrize("name", ["mine", "mine on disk", "sort", "update"])
def test_two_runs_into_one_folder(
    cli: Cli, world: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, name: str
) -> None:
    """The second is refused while the first one is at work, and the first one ends well."""
    monkeypatch.setattr(lock, "SHORT_WAIT", 0.1)
    arguments = prepared(world, tmp_path, name)
    waiting: list[str | Path] = ["-" if isinstance(one, Path) and one.suffix == ".jsonl" else one for one in arguments]
    data = next(Path(one) for one in arguments if str(one).endswith(".jsonl")).read_bytes()
    with subprocess.Popen(command(*waiting), stdin=subprocess.PIPE, stderr=subprocess.PIPE) as first:
        assert first.stdin is not None
        assert first.stderr is not None
        first.stdin.write(data)
        first.stdin.flush()
        wait_for(lambda: is_held(tmp_path) or first.poll() is not None)
        second = cli(*arguments)
        first.stdin.close()
        assert first.wait(60) == 0, first.stderr.read()
    assert "another run" in second.error or "exists" in second.error
