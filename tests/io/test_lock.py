"""A lock goes with its process, and leaves no file."""

from __future__ import annotations

import subprocess
import sys
import threading
import time
from pathlib import Path

import pytest

from templatemine.errors import CorpusError
from templatemine.io.lock import locked
from templatemine.packs.pack_folder import open_pack_folder

HOLD = """
import sys
from templatemine.io.lock import locked
with locked(sys.argv[1]):
    print("held", flush=True)
    sys.stdin.read()
"""


def test_another_process(tmp_path: Path) -> None:
    with subprocess.Popen(
        [sys.executable, "-c", HOLD, str(tmp_path)], stdin=subprocess.PIPE, stdout=subprocess.PIPE
    ) as process:
        assert process.stdout is not None
        assert process.stdout.readline() == b"held\n"
        with pytest.raises(CorpusError, match="another run is writing to this folder") as caught, locked(tmp_path):
            pass
        assert caught.value.fatal
        process.kill()
    with locked(tmp_path):
        assert not list(tmp_path.iterdir())
    with locked(tmp_path):
        pass


def test_waiting_for_a_moment(tmp_path: Path) -> None:
    """As mine does for a desk that saves a decision."""
    with subprocess.Popen(
        [sys.executable, "-c", HOLD, str(tmp_path)], stdin=subprocess.PIPE, stdout=subprocess.PIPE
    ) as process:
        assert process.stdout is not None
        assert process.stdin is not None
        process.stdout.readline()
        began = time.monotonic()
        with pytest.raises(CorpusError, match="another run"), locked(tmp_path, 0.3):
            pass
        assert 0.3 <= time.monotonic() - began < 5
        threading.Timer(0.2, process.stdin.close).start()
        with open_pack_folder(tmp_path):
            pass


def test_no_directory(tmp_path: Path) -> None:
    with pytest.raises(CorpusError, match="cannot be read"), locked(tmp_path / "none"):
        pass
