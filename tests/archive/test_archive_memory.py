"""The peak of a run on disk is what was asked for, however large the archive."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

pytestmark = [
    pytest.mark.slow,  # memory that grows with the archive is seen only in one of tens of megabytes
    pytest.mark.skipif(sys.platform != "linux", reason="reads the peak as Linux tells it"),
]

CODE = """
import sys
from templatemine.__main__ import main

code = main(sys.argv[1:])
with open("/proc/self/status") as status:
    print(code, next(int(line.split()[1]) * 1024 for line in status if line.startswith("VmHWM")))
"""


def write(path: Path, megabytes: int) -> None:
    """One large source, five of a fifth of its size, and a thousand tiny ones, mixed."""
    random = np.random.default_rng(5)
    words = np.array([f"w{i:x}".translate({48 + k: "aeiouyrstn"[k] for k in range(10)}) for i in range(60_000)])
    sources = ["large"] * 500 + [f"middle{n}" for n in range(5)] * 100 + [f"tiny{n % 1000}" for n in range(100)]
    with path.open("w") as handle:
        number = size = 0
        while size < megabytes << 20:
            text = " ".join(words[np.minimum(random.zipf(1.25, 700), len(words)) - 1].tolist())
            source = sources[int(random.integers(len(sources)))]
            body = f"{text}\nSign up for the letter of {source} today."
            size += handle.write(json.dumps({"source": source, "id": str(number), "text": body}) + "\n")
            number += 1


def peak(*args: str) -> int:
    ran = subprocess.run([sys.executable, "-c", CODE, "mine", "-q", *args], capture_output=True, text=True, check=True)
    code, size = ran.stdout.split()
    assert code == "0", ran.stderr
    return int(size)


def test_the_peak_is_bounded(tmp_path: Path) -> None:
    """It stays below what was asked for, and hardly grows from a small archive to one of six times the size, with which
    a run in memory grows."""
    sizes = (5, 30)
    bounded, free = [], []
    for megabytes in sizes:
        write(tmp_path / "a.jsonl", megabytes)
        archive, name = str(tmp_path / "a.jsonl"), str(megabytes)
        bounded.append(peak(archive, "-o", str(tmp_path / "disk" / name), "--memory", "128M"))
        free.append(peak(archive, "-o", str(tmp_path / "memory" / name)))
    assert max(bounded) < 128 << 20
    assert free[1] - free[0] > (sizes[1] - sizes[0]) << 20  # or the archive is too small to tell
    assert bounded[1] - bounded[0] < 0.7 * (free[1] - free[0])
