"""The program, run in this process or in one of its own, and packs for it."""

from __future__ import annotations

import io
import os
import subprocess
import sys
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import pytest
from cli_support import Ran, command, page, records, write

import invented_pages
from templatemine.__main__ import main

Cli = Callable[..., Ran]


@pytest.fixture
def cli(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> Cli:
    """Run the program in this process."""

    def run(*args: str | Path, stdin: bytes | None = None) -> Ran:
        if stdin is not None:
            monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(stdin)))
        code = main([str(arg) for arg in args])
        captured = capsys.readouterr()
        assert "Traceback" not in captured.err
        return Ran(code, captured.out, captured.err)

    return run


@pytest.fixture
def program() -> Cli:
    """Run the program in a process of its own."""

    def run(*args: str | Path, stdin: bytes = b"", env: Mapping[str, str] | None = None, **options: Any) -> Ran:
        done = subprocess.run(
            command(*args),
            input=stdin,
            capture_output=True,
            env={**os.environ, **(env or {})},
            timeout=120,
            check=False,
            **options,
        )
        assert b"Traceback" not in done.stderr, done.stderr.decode()
        return Ran(done.returncode, done.stdout.decode("utf-8", "replace"), done.stderr.decode("utf-8", "replace"))

    return run


@pytest.fixture(scope="session")
def mined(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder of packs of the three sources; not to be changed."""
    folder = tmp_path_factory.mktemp("mined")
    archive = write(folder / "archive.jsonl", records())
    assert main(["mine", str(archive), "-o", str(folder / "packs"), "--quiet"]) == 0
    return folder / "packs"


@pytest.fixture(scope="session")
def mined_html(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with the pack of an HTML source."""
    folder = tmp_path_factory.mktemp("mined_html")
    archive = write(folder / "archive.jsonl", [page(one) for one in records(["page.example"])])
    assert main(["mine", str(archive), "-o", str(folder / "packs"), "--quiet"]) == 0
    return folder / "packs"


@pytest.fixture
def lantern(cli: Cli, tmp_path: Path) -> Path:
    """A folder with the pack of the pages of lantern.example."""
    lines = [
        {"source": "lantern.example", "id": str(n), "html": invented_pages.page(n, invented_pages.CALL)}
        for n in range(20)
    ]
    assert cli("mine", write(tmp_path / "pages.jsonl", lines), "-o", tmp_path / "packs").code == 0
    return tmp_path / "packs"
