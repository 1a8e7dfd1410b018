"""The desk as a command: what it refuses, what it prints, who may come in, and how it ends."""

from __future__ import annotations

import http.client
import json
import os
import signal
import socket
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from cli_support import command, records, write

from conftest import Cli
from templatemine.errors import pip_line


@pytest.fixture
def archive(tmp_path: Path) -> Path:
    return write(tmp_path / "archive.jsonl", records(documents=12))


def test_what_is_missing_is_told(
    cli: Cli, mined: Path, archive: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    pytest.importorskip("uvicorn")
    pytest.importorskip("starlette")
    pytest.importorskip("jinja2")
    base = ("desk", mined, "-a", archive, "--port", "0", "--store", tmp_path / "desk.sqlite")
    assert (
        "none: there is no such pack or folder of packs"
        in cli("desk", tmp_path / "none", "-a", archive, "--port", "0").error
    )
    (tmp_path / "store").write_text("something else, and long enough to be taken for a database" * 30)
    assert "expected the store of a desk" in cli(*base[:-1], tmp_path / "store").error
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        port = taken.getsockname()[1]
        assert f"127.0.0.1:{port}: cannot listen there" in cli(*base, "--port", str(port)).error
    assert "port: expected a whole number of at most 65,535, got 65536" in cli(*base, "--port", "65536").error
    monkeypatch.setitem(sys.modules, "uvicorn", None)
    assert pip_line("desk") in cli(*base).error


@pytest.mark.parametrize("token", ["", " "])
def test_an_empty_token_is_refused(mined: Path, archive: Path, token: str) -> None:
    """In a process of its own: a desk that takes it would serve for ever."""
    args = command("desk", mined, "-a", archive, "--host", "0.0.0.0", "--port", "0", "--token", token)
    told = subprocess.run(args, capture_output=True, text=True, timeout=20, check=False)
    assert told.returncode == 2
    assert "token: expected some text, got an empty one" in told.stderr


@contextmanager
def running(*args: str | Path) -> Iterator[tuple[subprocess.Popen[str], str]]:
    """A desk, and the line that it prints."""
    with subprocess.Popen(command("desk", *args), stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as server:
        try:
            assert server.stdout is not None
            yield server, server.stdout.readline().strip()
        finally:
            server.kill()


def ask(port: int, path: str, host: str) -> tuple[int, bytes]:
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=20)
    connection.request("GET", path, headers={"Host": host})
    answer = connection.getresponse()
    found = answer.status, answer.read()
    connection.close()
    return found


def test_it_serves_loopback_and_ends(mined: Path, archive: Path, tmp_path: Path) -> None:
    for name in ("uvicorn", "starlette", "jinja2"):
        pytest.importorskip(name)
    store = tmp_path / "desk.sqlite"
    with running(mined, "-a", archive, "--port", "0", "--store", store) as (server, line):
        assert line.startswith("http://127.0.0.1:")
        port = int(line.rstrip("/").rsplit(":", 1)[1])
        status, body = ask(port, "/api/queue?as=Ann", f"127.0.0.1:{port}")
        assert status == 200
        assert {row["source"] for row in json.loads(body)} == {"alpha.example", "beta.example", "gamma.example"}
        assert ask(port, "/", "evil.example")[0] == 421
        server.send_signal(signal.SIGINT)
        _, told = server.communicate(timeout=30)
    assert server.returncode in (0, 130), told
    assert "Traceback" not in told
    assert f"{mined}: 3 sources; decisions are kept in the packs, their history and\nannotations in {store}; " in told
    assert "Ctrl-C stops the desk\n" in told
    assert "no decisions; the packs are as they were" in told
    assert store.exists()


def test_another_address_asks_for_a_token(mined: Path, archive: Path, tmp_path: Path) -> None:
    for name in ("uvicorn", "starlette", "jinja2"):
        pytest.importorskip(name)
    own = ("--host", "0.0.0.0", "--allow-host", "desk.example")
    with running(mined, "-a", archive, "--port", "0", "--store", tmp_path / "desk.sqlite", *own) as (_, line):
        address, _, token = line.partition("/?token=")
        assert len(token) >= 20
        port = int(address.rsplit(":", 1)[1])
        assert ask(port, "/", f"127.0.0.1:{port}")[0] == 401
        assert ask(port, "/", f"desk.example:{port}")[0] == 401
        assert ask(port, f"/?token={token}", f"desk.example:{port}")[0] == 303
        assert ask(port, f"/?token={token}", f"evil.example:{port}")[0] == 421
    assert os.path.exists(tmp_path / "desk.sqlite")


def test_one_option_says_whose_decisions_they_are(cli: Cli, mined: Path, archive: Path) -> None:
    """It was --name at the desk and --by in ask."""
    assert cli("desk", mined, "-a", archive, "--name", "Ann").code == 2
    for name in ("ask", "desk"):
        assert "--by NAME" in cli(name, "--help").out
