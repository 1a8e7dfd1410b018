"""Ctrl-C and its like in the middle of a run: one line, exit 130, no file and no process left."""

from __future__ import annotations

import fcntl
import json
import os
import pty
import re
import signal
import struct
import subprocess
import sys
import termios
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from cli_support import command, everything, records, wait_for, write

from kills import KILLS

pytestmark = pytest.mark.skipif(not os.path.isdir("/proc/self"), reason="looks for processes in /proc")


@contextmanager
def running(*args: str | Path) -> Iterator[subprocess.Popen[bytes]]:
    """A run as the leader of its own group, as a shell would start it, with standard input held open."""
    with subprocess.Popen(
        command(*args),
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        start_new_session=True,
        preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_DFL),  # shells have it ignored in the background
    ) as process:
        try:
            yield process
        finally:
            if process.poll() is None:
                os.killpg(process.pid, signal.SIGKILL)


def feed(process: subprocess.Popen[bytes], data: bytes) -> None:
    assert process.stdin is not None
    process.stdin.write(data)
    process.stdin.flush()


def children(process: subprocess.Popen[bytes]) -> list[int]:
    """Processes of the group of a run, without its leader."""
    found = []
    for entry in os.listdir("/proc"):
        if entry.isdigit():
            try:
                fields = Path(f"/proc/{entry}/stat").read_text().rpartition(")")[2].split()
            except OSError:
                continue
            if int(fields[2]) == process.pid and int(entry) != process.pid and fields[0] != "Z":
                found.append(int(entry))
    return found


def ends(process: subprocess.Popen[bytes], code: int, message: str) -> None:
    """The run ends soon, with one line, and takes its processes with it."""
    assert process.stdin is not None
    assert process.stderr is not None
    assert process.wait(30) == code
    assert process.stderr.read().decode() == f"templatemine: {message}\n"
    wait_for(lambda: not children(process), 10)


LINES = b"".join(json.dumps(one).encode() + b"\n" for one in records(documents=300))


def refuse_ignored(number: int) -> None:
    """Skip a test of a signal that nobody would get."""
    if signal.getsignal(number) is signal.SIG_IGN:
        pytest.skip("the signal is ignored here, as under nohup, and so it is by what is started")


@pytest.mark.parametrize(
    ("number", "code", "message"),
    [
        (signal.SIGINT, 130, "interrupted"),
        (signal.SIGTERM, 143, "ended by SIGTERM"),
        (signal.SIGHUP, 129, "ended by SIGHUP"),
    ],
)
def test_while_cleaning(mined: Path, tmp_path: Path, number: int, code: int, message: str) -> None:
    refuse_ignored(number)
    with running("clean", "-", "-p", mined, "-o", tmp_path / "c.jsonl") as process:
        feed(process, LINES)
        wait_for(lambda: everything(tmp_path))
        os.kill(process.pid, number)
        ends(process, code, message)
    assert everything(tmp_path) == []


@pytest.mark.parametrize("group", [False, True])
def test_while_cleaning_with_several_processes(mined: Path, tmp_path: Path, group: bool) -> None:
    with running("clean", "-", "-p", mined, "-o", tmp_path / "c.jsonl", "--jobs", "2", "--engine", "regex") as process:
        feed(process, LINES * 3)
        wait_for(lambda: len(children(process)) >= 2)
        (os.killpg if group else os.kill)(process.pid, signal.SIGINT)
        ends(process, 130, "interrupted")
    assert everything(tmp_path) == []


def test_an_existing_output_survives(mined: Path, tmp_path: Path) -> None:
    (tmp_path / "c.jsonl").write_text("mine")
    with running("clean", "-", "-p", mined, "-o", tmp_path / "c.jsonl", "--force") as process:
        feed(process, LINES)
        wait_for(lambda: len(everything(tmp_path)) > 1)
        os.kill(process.pid, signal.SIGINT)
        ends(process, 130, "interrupted")
    assert (tmp_path / "c.jsonl").read_text() == "mine"
    assert everything(tmp_path) == ["c.jsonl"]


def test_while_reading_an_archive(tmp_path: Path) -> None:
    with running("mine", "-", "-o", tmp_path / "deep" / "packs") as process:
        feed(process, LINES)
        wait_for(lambda: everything(tmp_path))
        os.kill(process.pid, signal.SIGINT)
        ends(process, 130, "interrupted")
    assert everything(tmp_path) == []


@pytest.fixture(scope="module")
def large(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """An archive that takes some seconds to mine."""
    return write(tmp_path_factory.mktemp("large") / "a.jsonl", records(documents=10_000))


@pytest.mark.parametrize("group", [False, True])
def test_while_mining_with_several_processes(large: Path, tmp_path: Path, group: bool) -> None:
    with running("mine", large, "-o", tmp_path / "packs", "--jobs", "2") as process:
        wait_for(lambda: len(children(process)) >= 2)
        (os.killpg if group else os.kill)(process.pid, signal.SIGINT)
        ends(process, 130, "interrupted")
    assert everything(tmp_path) == []


def test_a_process_that_mines_is_killed(large: Path, tmp_path: Path) -> None:
    with running("mine", large, "-o", tmp_path / "packs", "--jobs", "2") as process:
        wait_for(lambda: len(children(process)) >= 2)
        os.kill(children(process)[0], signal.SIGKILL)
        ends(
            process,
            2,
            "error: a worker process was ended from outside, most likely for want of memory; try fewer --jobs",
        )
    assert everything(tmp_path) == []


def test_a_worker_that_is_killed(mined: Path, tmp_path: Path) -> None:
    with running("clean", "-", "-p", mined, "-o", tmp_path / "c.jsonl", "--jobs", "2", "--engine", "regex") as process:
        feed(process, LINES * 3)
        wait_for(lambda: len(workers(process)) >= 2)
        os.kill(workers(process)[0], signal.SIGKILL)
        assert process.stdin is not None
        process.stdin.close()
        ends(
            process,
            2,
            "error: a worker process was ended from outside, most likely for want of memory; try fewer --jobs",
        )
    assert everything(tmp_path) == []


def workers(process: subprocess.Popen[bytes]) -> list[int]:
    """The processes that do the work; beside them runs one that looks after what they share."""
    return [
        number
        for number in children(process)
        if b"resource_tracker" not in Path(f"/proc/{number}/cmdline").read_bytes()
    ]


def test_progress_on_a_terminal(tmp_path: Path) -> None:
    archive = write(tmp_path / "a.jsonl", records(documents=100))
    leader, follower = pty.openpty()
    fcntl.ioctl(follower, termios.TIOCSWINSZ, struct.pack("HHHH", 40, 80, 0, 0))
    with subprocess.Popen(
        command("mine", archive, "-o", tmp_path / "packs"),
        stdout=subprocess.PIPE,
        stderr=follower,
        env={**os.environ, "TERM": "xterm"},
    ) as process:
        os.close(follower)
        seen = b""
        while True:
            try:
                seen += os.read(leader, 65536)
            except OSError:  # how Linux says that the other side is closed
                break
    os.close(leader)
    assert process.returncode == 0
    text = seen.decode()
    assert "\x1b[?25l" in text  # the cursor is hidden while bars are drawn
    assert text.count("\x1b[?25h") == 1
    assert "reading" in text
    lines = re.sub(r"\x1b\[[0-9;?]*[A-Za-z]", "", text.rpartition("\x1b[?25h")[2]).splitlines()
    assert max(len(line) for line in lines if " packs with " not in line and not line.startswith("next, ")) <= 80
    assert "3 packs with" in lines[-3]


AT_A_BAD_MOMENT = """
import os, signal, sys, threading, time, weakref
from templatemine.cli.signals import EndedBySignal, signals_as_exceptions

number, moment = int(sys.argv[1]), sys.argv[2]
said = []

def come():
    os.kill(os.getpid(), number)
    time.sleep(0.001)  # Python looks for signals here

class Destroyed:
    def __del__(self):
        come()
        said.append("whole")

class Lock:
    def __init__(self):
        self.lock = threading.Lock()
        self.acquire, self.release = self.lock.acquire, self.lock.release
    def __enter__(self):
        self.lock.acquire()
        come()
    def __exit__(self, *_):
        come()
        self.lock.release()

def destructor():
    Destroyed()

def weak():
    one = Destroyed.__new__(type("Watched", (), {}))
    watch = weakref.ref(one, lambda gone: come())
    del one

def dropped():
    try:
        come()
    except BaseException:
        said.append("dropped")

def lock():
    lock = Lock()
    try:
        with threading.Condition(lock):
            pass
    finally:
        said.append("held" if lock.lock.locked() else "free")

def release():
    lock = Lock()
    lock.lock.acquire()
    try:
        lock.__exit__()
    finally:
        said.append("held" if lock.lock.locked() else "free")

def other():
    try:
        come()
    except BaseException:
        raise ValueError("another end") from None

def cleaning():
    try:
        come()
    finally:
        come()
        said.append("cleaned")

def imported():
    import half

signal.signal(signal.SIGINT, signal.default_int_handler)
try:
    with signals_as_exceptions():
        globals()[moment]()
        time.sleep(20)
        said.append("never")
except (EndedBySignal, KeyboardInterrupt) as error:
    said.append(getattr(error, "number", "interrupt"))
if moment == "imported":
    said.append(sys.modules["half"].WHOLE)
assert signal.getsignal(number) in (signal.SIG_DFL, signal.default_int_handler)
assert sys.unraisablehook is sys.__unraisablehook__
print(*said)
"""
HALF = """
import os, signal, sys, time
for _ in range(3):
    os.kill(os.getpid(), int(sys.argv[1]))
    time.sleep(0.02)
WHOLE = "whole"
"""


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM, signal.SIGHUP])
@pytest.mark.parametrize(
    ("moment", "said"),
    [
        ("imported", "SIGNAL whole"),
        ("destructor", "whole SIGNAL"),
        ("weak", "SIGNAL"),
        ("dropped", "dropped SIGNAL"),
        ("lock", "free SIGNAL"),
        ("release", "free SIGNAL"),
        ("other", "SIGNAL"),
        ("cleaning", "cleaned SIGNAL"),
    ],
)
def test_at_a_bad_moment(tmp_path: Path, number: int, moment: str, said: str) -> None:
    """No signal is lost, and nothing is left by half: orjson crashes, and numpy complains of how it was installed, if
    something is raised in what they import; a lock that is held by nobody makes others wait for ever."""
    refuse_ignored(number)
    (tmp_path / "half.py").write_text(HALF)
    done = subprocess.run(
        [sys.executable, "-c", AT_A_BAD_MOMENT, str(int(number)), moment],
        env={**os.environ, "PYTHONPATH": str(tmp_path)},
        capture_output=True,
        check=False,
        timeout=60,
    )
    assert done.stderr == b""
    told = "interrupt" if number == signal.SIGINT else str(int(number))
    assert done.stdout.decode().strip() == said.replace("SIGNAL", told)


@pytest.mark.parametrize("name", ["orjson", "numpy", "regex", "numpy.linalg", "pyarrow.parquet", "pandas"])
def test_ended_while_a_library_is_imported(name: str) -> None:
    """At each of some moments of it, the process ends as it should; hundreds of them with TEMPLATEMINE_KILLS=40."""
    pytest.importorskip(name.partition(".")[0])
    began = time.monotonic()
    assert subprocess.run([sys.executable, "-c", IMPORTING, name, "9"], check=False).returncode == 0
    took = max(0.001, time.monotonic() - began - 0.05)
    moments = max(2 * KILLS, 6)
    for step in range(moments):
        done = subprocess.run(
            [sys.executable, "-c", IMPORTING, name, str(took * step / moments)],
            capture_output=True,
            check=False,
            timeout=60,
        )
        assert (done.returncode, done.stderr) in ((0, b""), (143, b""))


IMPORTING = """
import importlib, os, signal, sys, time
from templatemine.cli.signals import EndedBySignal, signals_as_exceptions
try:
    with signals_as_exceptions():
        signal.signal(signal.SIGALRM, signal.getsignal(signal.SIGTERM))
        signal.setitimer(signal.ITIMER_REAL, float(sys.argv[2]) + 1e-6)
        importlib.import_module(sys.argv[1])
        signal.setitimer(signal.ITIMER_REAL, 0)
except EndedBySignal:
    os._exit(143)
os._exit(0)
"""
