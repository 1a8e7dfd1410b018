"""Who may ask the desk for what."""

from __future__ import annotations

import json
import re
import time
from pathlib import Path
from typing import Any

import pytest

for _name in ("starlette", "jinja2", "uvicorn"):
    pytest.importorskip(_name, reason=f"the desk needs {_name}: pip install 'templatemine[desk]'")

from desk_support import Client, opened  # noqa: E402

from templatemine.desk import security  # noqa: E402
from templatemine.desk.security import FRAME_POLICY, PAGE_POLICY, allowed_hosts, is_loopback  # noqa: E402
from templatemine.desk.serve import ServeConfig  # noqa: E402
from templatemine.errors import ConfigError  # noqa: E402

pytest_plugins = ("desk_fixtures",)


def test_names_of_loopback_and_others() -> None:
    for host in ("127.0.0.1", "::1", "localhost", "127.8.8.8"):
        assert is_loopback(host)
    for host in ("0.0.0.0", "192.168.1.5", "example.org"):
        assert not is_loopback(host)
    assert allowed_hosts("127.0.0.1", 80) >= {"localhost", "localhost:80", "[::1]:80"}
    assert allowed_hosts("10.0.0.7", 8642, ["Desk.example"]) == {"10.0.0.7:8642", "desk.example:8642"}


@pytest.mark.parametrize(
    "host", ["evil.example", "evil.example:8642", "127.0.0.1", "127.0.0.1:80", "", "localhost:8642.evil"]
)
def test_another_name_is_refused(client: Client, host: str) -> None:
    client.host = host
    assert client.get("/").status == 421
    assert client.post("/api/save", {}).status == 421


@pytest.mark.parametrize("host", ["127.0.0.1:8642", "localhost:8642", "LOCALHOST:8642", "[::1]:8642"])
def test_its_own_names_are_known(client: Client, host: str) -> None:
    client.host = host
    assert client.get("/").status == 200


@pytest.mark.parametrize(
    ("headers", "status"),
    [
        ({"x-desk-csrf": ""}, 403),
        ({"x-desk-csrf": "0" * 64}, 403),
        ({"origin": "http://evil.example"}, 403),
        ({"origin": "null"}, 403),
        ({"origin": "http://127.0.0.1:8643"}, 403),
        ({"sec-fetch-site": "cross-site"}, 403),
        ({"sec-fetch-site": "same-site"}, 403),
        ({"content-type": "text/plain"}, 415),
        ({"content-type": "application/x-www-form-urlencoded"}, 415),
        ({"origin": "http://127.0.0.1:8642", "sec-fetch-site": "same-origin"}, 200),
    ],
)
def test_forged_changes_are_refused(client: Client, source: str, headers: dict[str, str], status: int) -> None:
    version = client.get("/api/review", source=source).json["version"]
    body = {"source": source, "version": version, "kind": "add", "rule": {"action": "never", "text": "x"}}
    assert client.post("/api/decide", body, headers=headers).status == status
    changed = client.get("/api/review", source=source).json["version"] != version
    assert changed == (status == 200)


@pytest.mark.parametrize("method", ["PUT", "DELETE", "OPTIONS", "PATCH", "TRACE"])
def test_other_methods_are_refused(client: Client, method: str) -> None:
    assert client.call(method, "/api/save", b"", {}).status == 405


def test_changes_are_no_addresses(client: Client) -> None:
    for path in ("/api/save", "/api/decide", "/api/try"):
        assert client.get(path).status == 405


@pytest.mark.parametrize("told", [True, False])
def test_large_bodies_are_refused(client: Client, told: bool) -> None:
    data = b'{"source": "' + b"x" * (1 << 20) + b'"}'
    assert client.post("/api/save", data, headers={"content-length": str(len(data)) if told else ""}).status == 413
    assert client.post("/api/save", b"{}", headers={"content-length": "many"}).status == 413


@pytest.mark.parametrize("data", [b"", b"[]", b"nonsense", b"\xff", b"[" * 100_000, b'{"source": 3}'])
def test_bodies_that_are_none_are_told(client: Client, data: bytes) -> None:
    for path in ("/api/save", "/api/decide", "/api/try"):
        answer = client.post(path, data)
        assert answer.status in (400, 404)
        assert answer.json["problem"]


def test_every_answer_has_the_policies(client: Client, source: str, rows: list[dict[str, Any]]) -> None:
    for path in ("/", "/static/desk.css", "/api/queue", "/nothing", "/api/review?source=none"):
        headers = client.get(path).headers
        assert headers["content-security-policy"] == PAGE_POLICY
        assert headers["x-content-type-options"] == "nosniff"
        assert headers["cross-origin-resource-policy"] == "same-origin"
        assert headers["cache-control"] == "no-store"
    assert client.get("/frame", source=source, id=rows[0]["id"]).headers["content-security-policy"] == FRAME_POLICY


def test_files_outside_are_not_served(client: Client) -> None:
    for path in ("/static/../app.py", "/static/%2e%2e/app.py", "/static//etc/passwd", "/static/../templates/base.html"):
        assert client.get(path).status in (404, 405)


def test_another_address_asks_for_a_token(packs: Path, rows: list[dict[str, Any]]) -> None:
    client, _ = opened(packs, rows, token="s3cret-token")
    for answer in (
        client.get("/"),
        client.get("/api/queue"),
        client.get("/?token=wrong"),
        client.post("/api/save", {}),
    ):
        assert answer.status == 401
        assert b"s3cret" not in answer.body
    entered = client.get("/review?source=a%26b&token=s3cret-token")
    assert (entered.status, entered.headers["location"]) == (303, "/review?source=a%26b")
    cookie = entered.headers["set-cookie"]
    assert {"HttpOnly", "SameSite=Strict"} <= {part.strip() for part in cookie.split(";")}
    assert client.get("/", headers={"cookie": cookie.split(";")[0]}).status == 200
    assert client.get("/", headers={"cookie": cookie.split("=")[0] + "=wrong"}).status == 401
    assert client.get("/", headers={"cookie": 'a="unclosed; ;;=='}).status == 401
    assert client.get("//evil.example/?token=s3cret-token").headers["location"].startswith("/evil")


@pytest.mark.parametrize("token", ["", " ", "\t\n"])
def test_an_empty_token_is_refused(packs: Path, rows: list[dict[str, Any]], token: str) -> None:
    """At the edge of the application, whoever makes it."""
    with pytest.raises(ConfigError, match="token: expected some text"):
        opened(packs, rows, token=token)
    with pytest.raises(ConfigError, match="token: expected some text"):
        ServeConfig(host="0.0.0.0", token=token)


@pytest.mark.parametrize("token", ["a;b", "with space", '"quoted"', "пароль", "x=y&z", "Ü"])
def test_any_text_can_be_a_token_and_is_not_kept_by_the_browser(
    packs: Path, rows: list[dict[str, Any]], token: str
) -> None:
    client, _ = opened(packs, rows, token=token)
    entered = client.get("/", token=token)
    assert entered.status == 303
    cookie = entered.headers["set-cookie"]
    assert token not in cookie
    assert client.get("/", headers={"cookie": cookie.split(";")[0]}).status == 200
    other, _ = opened(packs, rows, token="another")
    assert other.get("/", headers={"cookie": cookie.split(";")[0]}).status == 401


def test_tokens_are_compared_in_constant_time(
    packs: Path, rows: list[dict[str, Any]], monkeypatch: pytest.MonkeyPatch
) -> None:
    compared: list[tuple[bytes, bytes]] = []

    def watched(one: bytes, other: bytes) -> bool:
        compared.append((one, other))
        return one == other

    client, _ = opened(packs, rows, token="s3cret-token")
    monkeypatch.setattr(security.hmac, "compare_digest", watched)
    assert client.get("/?token=s3cret-tokem").status == 401
    assert compared == [(b"s3cret-tokem", b"s3cret-token")]
    cookie = client.get("/?token=s3cret-token").headers["set-cookie"].split(";")[0]
    assert client.get("/", headers={"cookie": cookie}).status == 200
    assert len(compared) == 3


def test_an_address_in_any_script_can_be_entered(packs: Path, rows: list[dict[str, Any]]) -> None:
    client, _ = opened(packs, rows, token="s3cret-token")
    assert client.get("/%E2%82%AC?token=s3cret-token").headers["location"] == "/%E2%82%AC"


def test_two_names_at_once_are_refused(client: Client) -> None:
    client.more = [("host", "evil.example")]
    assert client.get("/").status == 421


@pytest.mark.parametrize("length", ["\xb2", "9" * 5000, "-1", "1_0"])
def test_lengths_that_are_none_are_refused(client: Client, length: str) -> None:
    assert client.post("/api/save", b"{}", headers={"content-length": length}).status == 413


@pytest.mark.parametrize("number", ["²", "٣", "-1", "1e3", "9" * 5000])
def test_numbers_that_are_none_are_told(client: Client, source: str, number: str) -> None:
    assert client.get("/api/moved", source=source, df=number).status == 400


def test_names_in_pages_are_text(packs: Path, rows: list[dict[str, Any]]) -> None:
    evil = '<img src=x onerror=alert(1)>"'
    client, _ = opened(packs, [*rows, {"source": evil, "id": evil, "text": evil}], name=evil)
    for path in ("/", "/annotate", "/compare"):
        body = client.get(path).body.decode()
        assert "<img" not in body
        assert "&lt;img" in body


def test_no_script_or_style_within_a_page_runs(client: Client, source: str) -> None:
    """The policy of the desk's own pages allows none, and the pages have none; those of archives may have style."""
    assert "unsafe" not in PAGE_POLICY
    assert "script-src" not in FRAME_POLICY
    assert FRAME_POLICY.startswith("default-src 'none'")
    assert "allow-scripts" not in FRAME_POLICY
    for path in ("/", f"/review?source={source}", f"/annotate?source={source}", f"/compare?source={source}"):
        page = client.get(path).body.decode()
        assert not re.findall(r"<style\b|<script(?![^>]*\bsrc=)|\son[a-z]+\s*=|\sstyle\s*=|javascript:", page), path


def test_a_name_that_is_bound_to_this_machine_later_is_refused(client: Client) -> None:
    """DNS rebinding: the browser asks the desk under a name of the attacker's, with an origin that fits it."""
    client.host = "rebound.evil.example:8642"
    for headers in ({}, {"origin": "http://rebound.evil.example:8642", "sec-fetch-site": "same-origin"}):
        assert client.get("/api/queue", headers=headers).status == 421
        assert client.post("/api/save", {}, headers=headers).status == 421


@pytest.mark.parametrize(
    "expression",
    [
        "a" * 50_000,
        "(?:ab){400}",
        "(a+)+b",
        "(.*)*",
        "(x+x+)+y",
        "(word )+z",
        "\ud800",
        "[",
        "(" * 5000,
        "(?:" * 300 + "a" + ")" * 300,
        "(?:aaaaaaaaaaaaaaaaaaaaaaaaaaaaaa){e<=9}b",
    ],
    ids=lambda one: ascii(one[:12]),
)
def test_no_expression_that_is_tried_hangs_the_desk(client: Client, source: str, expression: str) -> None:
    start = time.process_time()
    answer = client.post("/api/try", json.dumps({"source": source, "regex": expression}).encode())
    assert time.process_time() - start < 5
    assert answer.status == 200
