"""Ray Data on this machine, with two workers: packs byte for byte those of one process, also if a worker is killed."""

from __future__ import annotations

import os
import signal
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from archives_by_hand import documents, make_mixed_archive

from templatemine.adapters.rows import RowCleaner, in_order
from templatemine.api import mine
from templatemine.config import PipelineConfig, ReadConfig
from templatemine.errors import ConfigError
from templatemine.packs.pack import Pack

ray = pytest.importorskip("ray", reason="ray is not installed: pip install '.[ray]'")
pytest.importorskip("ray.data", reason="Ray Data is not installed: pip install '.[ray]'")

from templatemine.adapters import ray as adapter  # noqa: E402

# Starts a cluster of its own; test_tasks.py has the same steps as calls.
pytestmark = [pytest.mark.slow, pytest.mark.filterwarnings("ignore::DeprecationWarning", "ignore::FutureWarning")]

ARCHIVE = make_mixed_archive()


@pytest.fixture(scope="module")
def workers() -> Iterator[None]:
    """Two of them, which see what this process can import."""
    environment = {"PYTHONPATH": os.pathsep.join(one for one in sys.path if one), "RAY_DEDUP_LOGS": "0"}
    ray.init(
        num_cpus=2,
        include_dashboard=False,
        object_store_memory=256 << 20,
        log_to_driver=False,
        runtime_env={"env_vars": environment},
    )
    context = ray.data.DataContext.get_current()
    context.enable_progress_bars, context.default_hash_shuffle_parallelism = False, 4  # 200 tasks by default
    yield
    ray.shutdown()


@pytest.fixture(scope="module")
def wanted() -> dict[str, Pack]:
    with pytest.warns(UserWarning, match="no pack of"):
        return mine(in_order(documents(ARCHIVE)))


def dataset() -> Any:
    return ray.data.from_items(ARCHIVE, override_num_blocks=5)


def test_packs_are_those_of_one_machine(workers: None, wanted: dict[str, Pack]) -> None:
    with pytest.warns(UserWarning, match="no pack of same .all documents are equal.*; small .4 documents"):
        packs = adapter.mine_dataset(dataset())
    assert {source: pack.to_json() for source, pack in packs.items()} == {
        source: pack.to_json() for source, pack in wanted.items()
    }
    assert len(packs) > 5


def test_a_worker_that_is_killed_changes_nothing(
    workers: None, wanted: dict[str, Pack], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    mark, work = tmp_path / "killed", adapter.mine_group

    def mine_or_die(table: Any, **options: Any) -> Any:
        """Kill the process that this runs in, the first time that it is given a certain source."""
        if table["source"][0].as_py() == "big" and not mark.exists():
            mark.touch()
            os.kill(os.getpid(), signal.SIGKILL)
        return work(table, **options)

    monkeypatch.setattr(adapter, "mine_group", mine_or_die)
    with pytest.warns(UserWarning, match="no pack of"):
        packs = adapter.mine_dataset(dataset())
    assert mark.exists()
    assert {source: pack.to_json() for source, pack in packs.items()} == {
        source: pack.to_json() for source, pack in wanted.items()
    }


def test_rows_are_cleaned_as_everywhere(workers: None, wanted: dict[str, Pack]) -> None:
    some = ARCHIVE[::5]
    rows = [{"n": number, **row} for number, row in enumerate(some)]
    done = adapter.clean_dataset(ray.data.from_items(rows, override_num_blocks=2), wanted, batch_size=64).take_all()
    done.sort(key=lambda row: row["n"])
    sources, texts, pages = ([row[name] for row in some] for name in ("source", "text", "html"))
    told = RowCleaner(wanted).columns(sources, texts, pages)
    assert [row["text"] for row in done] == told.texts
    assert [row["removed_stub"] for row in done] == told.stub
    spans = [None if row["removed"] is None else [(one["start"], one["end"]) for one in row["removed"]] for row in done]
    assert spans == [None if row is None else [(one["start"], one["end"]) for one in row] for row in told.removed]
    assert [row["source"] for row in done] == sources


def test_what_needs_all_sources_is_refused(workers: None) -> None:
    with pytest.raises(ConfigError, match="expected the default method"):
        adapter.mine_dataset(dataset(), PipelineConfig(method="energy"))
    with pytest.raises(ConfigError, match="expected the source in a column"):
        adapter.mine_dataset(dataset(), read=ReadConfig(source_of="host"))
    with pytest.raises(ConfigError, match="columns: expected site"):
        adapter.mine_dataset(dataset(), read=ReadConfig(source_field="site"))
