"""A desk in a process of its own, and what a browser shows of it."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from templatemine.packs.pack import Pack
from templatemine.packs.pack_folder import PackFiles


class Place:
    """A running desk."""

    def __init__(self, address: str, packs: Path, rows: list[dict[str, Any]]) -> None:
        self.address = address
        self.packs = packs
        self.texts = list(dict.fromkeys(row["source"] for row in rows if "text" in row))
        self.pages = list(dict.fromkeys(row["source"] for row in rows if "html" in row))
        self.rows = {row["id"]: row for row in rows}

    def of(self, source: str) -> list[str]:
        return [name for name, row in self.rows.items() if row["source"] == source]

    def pack(self, source: str) -> Pack:
        return PackFiles([self.packs]).load_all()[source]


@contextmanager
def running(packs: Path, archive: Path) -> Iterator[str]:
    """A desk in a process of its own; gives its address."""
    command = [sys.executable, "-m", "templatemine", "desk", str(packs), "-a", str(archive), "--port", "0"]
    with subprocess.Popen([*command, "--by", "Ann"], stdout=subprocess.PIPE, text=True) as server:
        assert server.stdout is not None
        try:
            yield server.stdout.readline().strip().rstrip("/")
        finally:  # a test that fails must not wait for it
            server.terminate()
            server.wait(20)


def settled(page: Any) -> None:
    """Nothing waits to be decided."""
    page.wait_for_function("() => document.body.dataset.waiting === '0'")


def chosen(page: Any) -> str:
    found: str = page.locator(".item[aria-selected=true]").get_attribute("data-id")
    return found
