"""A process that runs for days: memory stays flat, threads share what they clean with, forks go on with it.

TEMPLATEMINE_LONG is how much of it is run: 0.01 by default, 1 for a million texts, ten thousand archives and a hundred
thousand pages, which takes some ten minutes of processor time.
"""

from __future__ import annotations

import multiprocessing
import os
import subprocess
import sys
import threading
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest
from cli_support import SOURCES, records

from templatemine import Cleaner, Document, mine
from templatemine.model import Cleaned

LONG = float(os.environ.get("TEMPLATEMINE_LONG", "0.01"))
SEVERAL = 8

CODE = """
import gc, itertools, sys
from cli_support import SOURCES, page, records
from templatemine import Cleaner, Document, extract, mine

def resident():
    gc.collect()
    with open("/proc/self/status") as status:
        return next(int(line.split()[1]) for line in status if line.startswith("VmRSS")) << 10

kind, calls = sys.argv[1], int(sys.argv[2])
rows = records(SOURCES[:1], documents=40)
documents = [Document(source=row["source"], id=row["id"], text=row["text"]) for row in rows]
if kind == "clean":
    cleaner = Cleaner(mine(documents)[SOURCES[0]])
    assert len(cleaner.clean(rows[0]["text"]).text) < len(rows[0]["text"])
    items, work = [row["text"] for row in rows], cleaner.clean
elif kind == "pages":
    items, work = [page(row)["html"] for row in rows], extract
else:
    items, work = [documents], mine
def do(number):
    for item in itertools.islice(itertools.cycle(items), number):
        work(item)
do(max(calls // 10, 20))
before = resident()
do(calls)
print(resident() - before)
"""


@pytest.mark.skipif(sys.platform != "linux", reason="reads the memory as Linux tells it")
@pytest.mark.parametrize(("kind", "calls"), [("clean", 1_000_000), ("mine", 10_000), ("pages", 100_000)])
def test_memory_is_flat(kind: str, calls: int) -> None:
    support = [str(Path(__file__).parent), *sys.path]
    done = subprocess.run(
        [sys.executable, "-c", CODE, kind, str(max(int(calls * LONG), 20))],
        env={**os.environ, "PYTHONPATH": os.pathsep.join(one for one in support if one)},
        stdout=subprocess.PIPE,
        check=True,
    )
    print(f"{kind}: {calls * LONG:,.0f} calls, {int(done.stdout):,} bytes more")
    assert int(done.stdout) < 6 << 20


def made() -> tuple[Cleaner, list[str]]:
    rows = records(SOURCES[:1], documents=200)
    documents = [Document(source=row["source"], id=row["id"], text=row["text"]) for row in rows]
    return Cleaner(mine(documents)[SOURCES[0]]), [str(row["text"]) for row in rows]


def all_cleaned(cleaner: Cleaner, texts: Sequence[str]) -> list[Cleaned]:
    return [cleaner.clean(text) for text in texts]


def test_eight_threads_on_one_cleaner() -> None:
    """It is new to all of them, so that they also make at the same time what it makes at its first text."""
    cleaner, texts = made()
    alone = all_cleaned(Cleaner(cleaner.pack), texts)
    assert any(one.removed for one in alone)
    start = threading.Barrier(SEVERAL)

    def work(_: int) -> list[Cleaned]:
        start.wait(60)
        return all_cleaned(cleaner, texts)

    with ThreadPoolExecutor(SEVERAL) as pool:
        assert all(found == alone for found in pool.map(work, range(SEVERAL)))


@pytest.mark.skipif("fork" not in multiprocessing.get_all_start_methods(), reason="needs fork")
@pytest.mark.filterwarnings("ignore:.*use of fork:DeprecationWarning")
def test_forks_go_on_with_a_cleaner_and_mine() -> None:
    cleaner, texts = made()
    alone = all_cleaned(cleaner, texts)
    context = multiprocessing.get_context("fork")
    receiver, sender = context.Pipe(duplex=False)

    def child() -> None:
        again, _ = made()
        sender.send((all_cleaned(cleaner, texts) == alone, again.pack == cleaner.pack))

    process = context.Process(target=child)
    process.start()
    assert receiver.poll(60)
    assert receiver.recv() == (True, True)
    process.join(60)
    assert process.exitcode == 0
