"""Kills work at random moments, by SIGKILL, and starts it again: what stands in its place is whole, and in the end it
is what an undisturbed run gives.

Processes are forks of a server that has everything imported, so that each is killed at its work.  TEMPLATEMINE_KILLS is
the number of kills (1; 3 in `make test-all`, 40 for a thorough run).
"""

from __future__ import annotations

import multiprocessing
import os
import sys
import time
from collections.abc import Callable, Sequence
from contextlib import redirect_stderr
from dataclasses import dataclass, field
from multiprocessing.process import BaseProcess
from pathlib import Path
from random import Random

from scale import scaled

__all__ = ["KILLS", "Survived", "contents", "run_cli", "survive"]

KILLS = int(os.environ.get("TEMPLATEMINE_KILLS", scaled(3)))
PATIENCE = 120.0
"""Seconds for a run that is left alone, on a busy machine."""

_ATTEMPTS = 8
"""Kills of one piece of work; then it is left alone."""


def run_cli(arguments: Sequence[str]) -> None:
    """The program, in a process that is to be killed; what was written outlives it, synced or not."""
    from templatemine.__main__ import main

    os.fsync = lambda descriptor: None
    sys.exit(main(list(arguments)))


def _told_to(path: str, work: Callable[[Sequence[str]], None], arguments: Sequence[str]) -> None:
    with open(path, "w", encoding="utf-8") as told, redirect_stderr(told):
        work(arguments)


def contents(folder: Path) -> dict[str, bytes]:
    """Every file but the notes of what was done and the locks."""
    return {
        str(path.relative_to(folder)): path.read_bytes()
        for path in sorted(folder.rglob("*"))
        if path.is_file() and path.name != ".templatemine-run.json" and not path.name.endswith(".lock")
    }


def visible(files: dict[str, bytes]) -> dict[str, bytes]:
    """Files that a user sees: in no hidden folder, and not hidden themselves."""
    return {name: data for name, data in files.items() if not any(part[0] == "." for part in Path(name).parts)}


def _age(folder: Path) -> None:
    """What a killed run left is removed by the next one if it has lain there for a minute."""
    long_ago = time.time() - 3600
    for path in folder.rglob(".templatemine-*.tmp"):
        os.utime(path, (long_ago, long_ago))


@dataclass
class Survived:
    """How often work was killed, how many rounds that took, and in what states its folder was found."""

    kills: int = 0
    rounds: int = 0
    found: set[frozenset[str]] = field(default_factory=set)


def survive(
    folder: Path,
    prepare: Callable[[Path], Sequence[str]],
    work: Callable[[Sequence[str]], None] = run_cli,
    *,
    kills: int = KILLS,
    seed: int = 23,
) -> Survived:
    """Kill work until it was killed so often, each time started again until it is done.

    Parameters
    ----------
    folder : Path
        An empty one.
    prepare : callable
        Makes a world in a folder of its own, always the same one, and gives the arguments of the work.  Of the world
        everything in ``out`` is looked at.
    work : callable
        Done in another process, which ends with code 0; or with 2, if what it makes is there already.
    """
    context = multiprocessing.get_context("forkserver")
    context.set_forkserver_preload(
        ["kills", "templatemine.cli.app", "templatemine.archive.run", "templatemine.pipeline"]
    )
    random, told = Random(seed), Survived()
    told_to = str(folder / "told")

    def world(name: str) -> tuple[Path, Sequence[str]]:
        (folder / name).mkdir()
        return folder / name / "out", prepare(folder / name)

    def start(arguments: Sequence[str]) -> BaseProcess:
        process = context.Process(target=_told_to, args=(told_to, work, arguments))
        process.start()
        return process

    took = []
    for name in ("one", "two"):
        output, arguments = world(name)
        before = visible(contents(output))
        began = time.monotonic()
        process = start(arguments)
        process.join(PATIENCE)
        took.append(time.monotonic() - began)
        assert process.exitcode == 0, f"ended with {process.exitcode}: {Path(told_to).read_text()}"
        wanted = contents(output)
    assert wanted == contents(folder / "one" / "out"), "the work gives other bytes each time"
    while told.kills < kills:
        output, arguments = world(f"round{told.rounds}")
        told.rounds += 1
        for attempt in range(_ATTEMPTS + 1):
            process = start(arguments)
            process.join(random.uniform(0, min(took)) if attempt < _ATTEMPTS and told.kills < kills else PATIENCE)
            if process.exitcode is None:
                process.kill()
                process.join(PATIENCE)
            now = visible(contents(output))
            broken = [name for name, data in now.items() if data not in (wanted.get(name), before.get(name))]
            assert not broken, f"half written after {told.kills} kills: {broken}"
            assert set(before) <= set(now), "what was there is lost"
            if process.exitcode == -9:
                told.kills += 1
                _age(output)
                told.found.add(frozenset(name for name in now if now[name] != before.get(name)))
                continue
            said = Path(told_to).read_text() if process.exitcode else ""
            there = process.exitcode == 2 and set(now) == set(visible(wanted))
            if process.exitcode == 2 and not there and "exists; use --force" in said:  # killed between two renames
                process = start([*arguments, "--force"])
                process.join(PATIENCE)
                said = Path(told_to).read_text() if process.exitcode else ""
            assert there or process.exitcode == 0, f"ended with {process.exitcode}: {said}"
            break
        left = contents(output)
        if process.exitcode == 2:  # killed when all was done but removing what it was made in
            left = {name: data for name, data in left.items() if not name.endswith(".tmp")}
        assert left == wanted
    return told
