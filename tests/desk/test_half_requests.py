"""Requests that are not what the desk's own page sends: half of one, or values of other types."""

from __future__ import annotations

import asyncio
import contextlib
import socket
import threading
import time
from collections.abc import Iterator
from typing import Any

import pytest

for _name in ("starlette", "uvicorn", "jinja2"):
    pytest.importorskip(_name, reason=f"the desk needs {_name}: pip install 'templatemine[desk]'")

import uvicorn  # noqa: E402
from desk_support import Client  # noqa: E402
from hypothesis import HealthCheck, given, settings  # noqa: E402
from hypothesis import strategies as st  # noqa: E402

from templatemine.desk import connections  # noqa: E402
from templatemine.desk.security import SecurityMiddleware  # noqa: E402

pytest_plugins = ("desk_fixtures",)

HEAD = b"POST / HTTP/1.1\r\nHost: h\r\nContent-Type: application/json\r\nX-Desk-Csrf: %s\r\nContent-Length: 10\r\n\r\n"


async def hello(scope: Any, receive: Any, send: Any) -> None:
    assert len((await receive())["body"]) in (0, 10)
    await send({"type": "http.response.start", "status": 200, "headers": [(b"content-length", b"2")]})
    await send({"type": "http.response.body", "body": b"ok"})


@pytest.fixture
def port(monkeypatch: pytest.MonkeyPatch) -> Iterator[int]:
    monkeypatch.setattr(connections, "REQUEST_SECONDS", 0.5)
    with socket.socket() as listener:
        listener.bind(("127.0.0.1", 0))
        app = SecurityMiddleware(hello, hosts=frozenset({"h"}), secret=b"s")
        options: dict[str, Any] = {"http": connections.BoundedProtocol, "ws": "none", "lifespan": "off"}
        server = uvicorn.Server(uvicorn.Config(app, log_level="error", timeout_keep_alive=60, **options))
        thread = threading.Thread(target=lambda: asyncio.run(server.serve(sockets=[listener])))
        thread.start()
        while not server.started:
            time.sleep(0.01)
        yield listener.getsockname()[1]
        server.should_exit = True
        thread.join()


def head() -> bytes:
    from templatemine.desk.security import csrf_token

    return HEAD % csrf_token(b"s").encode()


@pytest.mark.parametrize("sent", [b"", b"GET / HT", head()[:60], head(), head() + b"12345"])
def test_half_a_request_is_closed(port: int, sent: bytes) -> None:
    with socket.create_connection(("127.0.0.1", port), timeout=20) as one:
        one.sendall(sent)
        began = time.monotonic()
        with contextlib.suppress(ConnectionResetError):
            assert one.recv(100) == b""
        assert 0.3 < time.monotonic() - began < 15


def test_who_sends_a_byte_now_and_then_is_closed_too(port: int) -> None:
    with socket.create_connection(("127.0.0.1", port), timeout=20) as one, pytest.raises(ConnectionError):
        for number in range(100):
            one.sendall(b"GET / HTTP/1.1\r\nA: "[number : number + 1] or b"a")
            time.sleep(0.1)


def test_whole_requests_are_answered_on_one_connection(port: int) -> None:
    with socket.create_connection(("127.0.0.1", port), timeout=20) as one:
        for _ in range(3):
            one.sendall(head() + b"1234567890")
            answer = b""
            while not answer.endswith(b"ok"):
                answer += one.recv(4096)
            assert answer.startswith(b"HTTP/1.1 200")
            time.sleep(0.8)  # idle for longer than a request may take


ATOMS = st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=5)
JSON = st.recursive(
    ATOMS,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=5), inner, max_size=3),
    max_leaves=6,
)
KEYS = (
    "source",
    "version",
    "kind",
    "rule",
    "rules",
    "ids",
    "tokens",
    "answer",
    "regex",
    "id",
    "marks",
    "done",
    "clicks",
)


@settings(max_examples=80, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(
    st.sampled_from(["/api/decide", "/api/save", "/api/try"]),
    st.dictionaries(st.sampled_from(KEYS), JSON, max_size=6),
    st.sampled_from([None, "add", "answer", "remove", "review", "undo", "reset-cutoff"]),
)
def test_no_value_is_an_error_of_the_server(
    client: Client, source: str, path: str, body: dict[str, Any], kind: str | None
) -> None:
    version = client.get("/api/review", source=source).json["version"]
    whole = {**body, "source": source, "version": version}
    if kind is not None:
        whole["kind"] = kind
    assert client.post(path, whole).status in (200, 400, 404, 409)


@pytest.mark.parametrize("ids", [[[]], [{}], [["t1"]], [None, "t1"], [1]])
def test_ids_that_are_no_strings_are_refused(client: Client, source: str, ids: list[Any]) -> None:
    version = client.get("/api/review", source=source).json["version"]
    refused = client.post("/api/decide", {"source": source, "version": version, "kind": "review", "ids": ids})
    assert refused.status == 400
    assert "ids[0]: expected a string, got" in refused.json["problem"]
