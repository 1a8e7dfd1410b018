"""The recipe of docs/scale.md for many machines: its commands as they stand, and the packs of one run."""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from templatemine.__main__ import main

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "tests" / "cli"))

from cli_support import records, write  # noqa: E402

SCALE = (ROOT / "docs" / "scale.md").read_text(encoding="utf-8")
SHARDED, SLURM = re.findall(r"^```bash\n(.*?)^```$", SCALE, re.MULTILINE | re.DOTALL)
SOURCES = ("a.example", "b.example", "c.example", "d.example", "e.example")

SBATCH = """#!/bin/bash
first=$(echo "$1" | sed 's/--array=\\([0-9]*\\)-\\([0-9]*\\)/\\1 \\2/')
for id in $(seq $first); do SLURM_ARRAY_TASK_ID=$id bash -c "${@: -1}" || exit; done
"""
"""What a cluster does: the command of --wrap, once a task of the array."""


@pytest.fixture
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    if shutil.which("bash") is None or shutil.which("split") is None:
        pytest.skip("bash and split are not installed")
    for name in ("bin", "crawl", "new", "clean"):
        (tmp_path / name).mkdir()
    for name, text in (
        ("templatemine", f'#!/bin/sh\nexec {sys.executable} -m templatemine "$@"\n'),
        ("sbatch", SBATCH),
    ):
        (tmp_path / "bin" / name).write_text(text)
        (tmp_path / "bin" / name).chmod(0o755)
    articles = records(SOURCES, documents=30)
    write(tmp_path / "crawl" / "1.jsonl.gz", articles[:77])
    write(tmp_path / "crawl" / "2.jsonl.gz", articles[77:])
    write(tmp_path / "new" / "of today.jsonl.gz", records(SOURCES, documents=2, seed=3))
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("PATH", f"{tmp_path / 'bin'}{os.pathsep}{os.environ['PATH']}")
    monkeypatch.setenv("PYTHONPATH", os.pathsep.join(filter(None, sys.path)))
    return tmp_path


def run(script: str) -> None:
    done = subprocess.run(["bash", "-e", "-c", script], capture_output=True, text=True, check=False, timeout=300)
    assert done.returncode == 0, done.stderr


def packs_of(folder: Path) -> dict[str, bytes]:
    return {path.name: path.read_bytes() for path in folder.rglob("[!.]*.json")}


@pytest.mark.slow  # starts the program two dozen times
def test_shards_give_the_packs_of_one_run(here: Path) -> None:
    run(SHARDED)
    assert main(["mine", "crawl/1.jsonl.gz", "crawl/2.jsonl.gz", "-o", "whole", "--quiet"]) == 0
    assert packs_of(here / "packs") == packs_of(here / "whole")
    assert len(packs_of(here / "packs")) == len(SOURCES)
    assert len(list((here / "packs").iterdir())) == 4
    assert main(["clean", "new/of today.jsonl.gz", "-p", "whole", "-o", "wanted.jsonl.gz", "--quiet"]) == 0
    made = here / "clean" / "of today.jsonl.gz"
    assert made.read_bytes() == (here / "wanted.jsonl.gz").read_bytes()
    # Given once more, the third line does nothing, and Slurm's gives the same.
    before = packs_of(here / "packs")
    lines = SHARDED.splitlines()
    run(lines[2])
    assert packs_of(here / "packs") == before
    shutil.rmtree(here / "packs")
    run(SLURM)
    assert packs_of(here / "packs") == before


def test_the_array_has_the_shards_that_are_made() -> None:
    (shards,) = re.findall(r"r/(\d+)", SHARDED)
    assert f"--array=0-{int(shards) - 1} " in SLURM
    assert json.dumps("--wrap") in json.dumps(SLURM.split())
