"""A lock goes with its process, and leaves no file."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from templatemine.errors import CorpusError
from templatemine.io.lock import locked

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


def test_no_directory(tmp_path: Path) -> None:
    with pytest.raises(CorpusError, match="cannot be read"), locked(tmp_path / "none"):
        pass
