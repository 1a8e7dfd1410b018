"""Packs of the small world, mined once; copies of them, to be changed; and a browser.

A plugin of the test modules here, which skip themselves without the desk's libraries before they name it.
"""

from __future__ import annotations

import shutil
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from desk_support import ROOT, Client, opened, page_rows, record, text_rows

from templatemine.desk.answers import Desk
from templatemine.packs.pack_folder import open_pack_folder
from templatemine.pipeline import Miner

sys.path.insert(0, str(ROOT / "tests" / "report"))

from browser import chromium


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


@pytest.fixture(scope="module")
def browser() -> Iterator[Any]:
    with chromium() as one:
        yield one


@pytest.fixture
def page(browser: Any) -> Iterator[Any]:
    context = browser.new_context(viewport={"width": 1280, "height": 800})
    context.set_default_timeout(15_000)
    one = context.new_page()
    errors: list[str] = []
    one.on("pageerror", lambda error: errors.append(str(error)))
    yield one
    context.close()
    assert not errors
