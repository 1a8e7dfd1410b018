"""Commands that are killed at any moment, and started again; see `kills`."""

from __future__ import annotations

import json
import multiprocessing
import os
import shutil
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from itertools import count
from pathlib import Path
from random import Random
from typing import Any

import pytest
from cli_support import SOURCES, command, read, records, wait_for, write

from kills import KILLS, contents, run_cli, survive, visible
from templatemine.model import Document, Record


@pytest.fixture(scope="module")
def archive(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Sources enough that a run takes a while in every phase."""
    sources = [*SOURCES, *(f"small{number}.example" for number in range(20))]
    return write(tmp_path_factory.mktemp("archive") / "a.jsonl", records(sources, documents=40))


@pytest.fixture(scope="module")
def packs(archive: Path) -> Path:
    folder = archive.parent / "packs"
    run = subprocess.run(command("mine", archive, "-o", folder, "-q"), check=False, timeout=300)
    assert run.returncode == 0
    return folder


def mine_in_little_memory(arguments: Sequence[str]) -> None:
    from archive_support import small_budget
    from templatemine.archive import partition

    small_budget(300_000)  # no document is too large for it, and each source is
    partition.BUCKET_COUNT = 8
    run_cli(arguments)


def test_mine(archive: Path, tmp_path: Path) -> None:
    def prepare(folder: Path) -> list[str]:
        return ["mine", str(archive), "-o", str(folder / "out"), "--memory", "128M", "-q"]

    assert survive(tmp_path, prepare, mine_in_little_memory).kills == KILLS


def test_sort(archive: Path, tmp_path: Path) -> None:
    def prepare(folder: Path) -> list[str]:
        return ["sort", str(archive), "-o", str(folder / "out"), "-q"]

    assert survive(tmp_path, prepare).kills == KILLS


@pytest.mark.parametrize("force", [False, True])
def test_sort_at_each_rename(tmp_path: Path, force: bool) -> None:
    """The same command again gives what an undisturbed run gives."""
    archive = write(tmp_path / "a.jsonl", records(documents=3))

    def sort(folder: Path, moment: int) -> int | None:
        arguments = ["sort", str(archive), "-o", str(folder), "-q", *(["--force"] if force else [])]
        process = multiprocessing.get_context("forkserver").Process(target=end_at_a_rename, args=(arguments, moment))
        process.start()
        process.join(60)
        return process.exitcode

    assert sort(tmp_path / "whole", sys.maxsize) == 0
    wanted = contents(tmp_path / "whole")
    assert len(wanted) == len(SOURCES)
    found = set()
    for moment in range(20):
        folder = tmp_path / str(moment)
        folder.mkdir()
        if force:
            (folder / f"{SOURCES[1]}.jsonl.gz").write_bytes(b"old")
        code = sort(folder, moment)
        found.add(frozenset(visible(contents(folder)).items() & wanted.items()))
        if code == 0:
            break
        assert code == 9
        assert sort(folder, sys.maxsize) == 0
        assert visible(contents(folder)) == wanted
    assert code == 0
    assert len(found) == len(SOURCES) + 1


def end_at_a_rename(arguments: Sequence[str], moment: int) -> None:
    """The program, in a process that ends before so many renames and links have been made and one more is."""
    made = count()

    def ending(do: Callable[..., None]) -> Callable[..., None]:
        def call(*args: Any, **more: Any) -> None:
            if next(made) >= moment:
                os._exit(9)
            do(*args, **more)

        return call

    for name in ("link", "replace"):
        setattr(os, name, ending(getattr(os, name)))
    run_cli(arguments)


def test_update(archive: Path, tmp_path: Path) -> None:
    """Packs are those of before or those of after, and what was begun is completed."""
    first = command("update", tmp_path / "packs", archive, "--today", "2024-02-01", "-q", "--new-sources")
    assert subprocess.run(first, check=False, timeout=300).returncode == 0
    new = write(
        tmp_path / "new.jsonl", [{**one, "id": f"new {one['id']}"} for one in records(SOURCES, documents=60, seed=2)]
    )

    def prepare(folder: Path) -> list[str]:
        shutil.copytree(tmp_path / "packs", folder / "out")
        return ["update", str(folder / "out"), str(new), "--today", "2024-02-01", "-q"]

    (tmp_path / "runs").mkdir()
    assert survive(tmp_path / "runs", prepare).kills == KILLS


@pytest.mark.parametrize("name", ["c.jsonl", "c.jsonl.gz", "c.parquet"])
def test_clean(archive: Path, packs: Path, tmp_path: Path, name: str) -> None:
    if name.endswith("parquet"):
        table = pytest.importorskip("pyarrow.parquet")
        import pyarrow as pa

        table.write_table(
            pa.Table.from_pylist([{**one, "tags": None} for one in read(archive)]), tmp_path / "a.parquet"
        )
        archive = tmp_path / "a.parquet"

    def prepare(folder: Path) -> list[str]:
        (folder / "out").mkdir()
        return ["clean", str(archive), "-p", str(packs), "-o", str(folder / "out" / name), "-q"]

    (tmp_path / "runs").mkdir()
    assert survive(tmp_path / "runs", prepare).kills == KILLS


# ----------------------------------------------------------------------------------- what is never done, or goes on


def test_a_desk_that_saves(packs: Path, tmp_path: Path) -> None:
    """A pack can always be loaded, is that of some decision, and the desk agrees with it when it is opened again."""
    for name in ("starlette", "jinja2", "uvicorn"):
        pytest.importorskip(name)
    from templatemine.desk.library import Library
    from templatemine.desk.store import Store
    from templatemine.packs.pack import Pack

    folder = Path(shutil.copytree(packs, tmp_path / "packs"))
    path = folder / f"{SOURCES[0]}.json"
    names = [one.id for one in Pack.load(path).templates]
    random, context = Random(5), multiprocessing.get_context("forkserver")
    seen = set()
    for _ in range(KILLS):
        process = context.Process(target=save_for_ever, args=(str(folder),))
        process.start()
        store = Store(folder / "desk.sqlite")
        events = len(store.history(SOURCES[0]))
        wait_for(lambda: len(store.history(SOURCES[0])) > events)  # noqa: B023
        time.sleep(random.uniform(0, 0.3))
        process.kill()
        process.join(60)
        assert process.exitcode == -9
        pack = Pack.load(path)
        rejected = {rule.id for rule in pack.overrides.rules}
        assert rejected <= set(names)
        assert {one.id for one in pack.templates} == set(names) - rejected
        seen.add(frozenset(rejected))
        library = Library(str(folder), articles(), store, wanted=frozenset())
        held = library.stored_pack(SOURCES[0])
        assert held is not None
        (*_, last) = library.reconcile_history(held)
        assert {rule["id"] for rule in json.loads(last.after)} == rejected
    assert len(seen) > 0


def articles() -> Iterator[Record]:
    for one in records(SOURCES, documents=3):
        document = Document(source=one["source"], id=one["id"], text=one["text"])
        yield Record(document=document, fields=one, where="")


def save_for_ever(folder: str) -> None:
    """Reject a template and take it back, again and again."""
    from templatemine.desk.library import Library
    from templatemine.desk.store import Store
    from templatemine.packs.overrides import Rule

    store = Store(Path(folder) / "desk.sqlite")
    library = Library(folder, articles(), store, wanted=frozenset())
    while True:
        held = library.stored_pack(SOURCES[0])
        assert held is not None
        rules = held.pack.overrides.rules
        gone = () if rules else (Rule(action="reject", id=held.pack.templates[0].id),)
        library.decide(SOURCES[0], held.version, gone, name="Ann", what="a test")


def test_crawl(tmp_path: Path) -> None:
    """In the end every page once, however often the crawl was killed."""
    pytest.importorskip("scrapy")
    sys.path.insert(0, str(Path(__file__).parents[1] / "crawl"))
    import crawl_sites as site

    pages, random, output = 2 * KILLS + 4, Random(7), tmp_path / "h.jsonl"
    with site.serve_sites() as sites:
        names = [f"/page{n}" for n in range(pages)]
        sites.answers.update({name: site.make_page(f"This is {name}") for name in names})
        urls = [sites.url("127.0.0.51", name) for name in names]
        (tmp_path / "urls.txt").write_text("\n".join(urls))
        args = command("crawl", tmp_path / "urls.txt", "-o", output, "--delay", "0.05", "--allow-private", "-q")
        for kill in range(KILLS):
            with subprocess.Popen(args, stderr=subprocess.PIPE) as process:
                wait_for(lambda: len(sites.hits) > 2 * kill or process.poll() is not None)  # noqa: B023
                time.sleep(random.uniform(0, 0.2))
                process.kill()
            lines = read(output) if output.exists() else []
            assert [one["url"] for one in lines] == urls[: len(lines)]
        assert subprocess.run(args, check=False, timeout=100).returncode == 0
        fetched = Counter(hit.path for hit in sites.hits if "page" in hit.path)
    assert [one["url"] for one in read(output)] == urls
    assert sum(fetched.values()) <= pages + KILLS


def test_the_harness_finds_what_is_half_written(tmp_path: Path) -> None:
    def prepare(folder: Path) -> list[str]:
        (folder / "out").mkdir()
        return [str(folder / "out" / "file")]

    with pytest.raises(AssertionError, match="half written"):
        survive(tmp_path, prepare, write_slowly, kills=50)


def write_slowly(arguments: Sequence[str]) -> None:
    with open(arguments[0], "wb") as out:
        for _ in range(100):
            out.write(b"x" * 100)
            out.flush()
            time.sleep(0.005)
