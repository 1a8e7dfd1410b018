"""Packs of the small world, mined once; copies of them, to be changed.

A plugin of the test modules here, which skip themselves without the desk's libraries before they name it.
"""

from __future__ import annotations

import shutil
from pathlib import Path
from typing import Any

import pytest
from desk_support import Client, opened, page_rows, record, text_rows

from templatemine.desk.answers import Desk
from templatemine.packs.pack_folder import open_pack_folder
from templatemine.pipeline import Miner


@pytest.fixture(scope="session")
def rows() -> list[dict[str, Any]]:
    return [*text_rows(), *page_rows()]


@pytest.fixture(scope="session")
def mined_packs(tmp_path_factory: pytest.TempPathFactory, rows: list[dict[str, Any]]) -> Path:
    folder = tmp_path_factory.mktemp("desk") / "packs"
    with open_pack_folder(folder) as shelf:
        for report in Miner().run(record(row).document for row in rows):
            shelf.save(report)
    return folder


@pytest.fixture
def packs(mined_packs: Path, tmp_path: Path) -> Path:
    return Path(shutil.copytree(mined_packs, tmp_path / "packs"))


@pytest.fixture
def world(packs: Path, rows: list[dict[str, Any]]) -> tuple[Client, Desk]:
    return opened(packs, rows)


@pytest.fixture
def client(world: tuple[Client, Desk]) -> Client:
    return world[0]


@pytest.fixture
def source(rows: list[dict[str, Any]]) -> str:
    """A source of texts in Latin script."""
    return str(rows[0]["source"])
