"""The checks of every request, and the security headers of every answer.

The desk shows hostile pages to people who may change packs, so it trusts neither the network nor what it shows:
the name it is asked for must be its own (DNS rebinding), a change needs the page's own token, origin and JSON (forged
requests), another address than loopback needs a token, bodies are bounded, and the browser may load nothing but the
desk's own files.
"""

from __future__ import annotations

import hmac
from collections.abc import Awaitable, Callable, Iterable, Mapping, MutableMapping
from hashlib import sha256
from http.cookies import CookieError, SimpleCookie
from ipaddress import ip_address
from typing import Any
from urllib.parse import parse_qs, quote, urlencode

from templatemine.errors import ConfigError

Scope = MutableMapping[str, Any]
Message = MutableMapping[str, Any]
Receive = Callable[[], Awaitable[Message]]
Send = Callable[[Message], Awaitable[None]]
App = Callable[[Scope, Receive, Send], Awaitable[None]]

PAGE_POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src 'self'; "
    "frame-src 'self'; base-uri 'none'; form-action 'self'; frame-ancestors 'none'"
)
FRAME_POLICY = (
    "default-src 'none'; style-src 'unsafe-inline'; sandbox allow-same-origin; base-uri 'none'; form-action 'none'; "
    "frame-ancestors 'self'"
)
"""Policy for the pages of archives: no script, no connection; only the style within the page."""

_HEADERS = {
    "x-content-type-options": "nosniff",
    "referrer-policy": "no-referrer",
    "cross-origin-opener-policy": "same-origin",
    "cross-origin-resource-policy": "same-origin",
    "cache-control": "no-store",
}


MAX_BODY = 1 << 20
"""Bytes of a request; a page of 5,000 marks takes a fifth of it."""


def is_loopback(host: str) -> bool:
    """Return whether only this machine can reach an address."""
    if host == "localhost":
        return True
    try:
        return ip_address(host).is_loopback
    except ValueError:
        return False


def allowed_hosts(host: str, port: int, more: Iterable[str] = ()) -> frozenset[str]:
    """Return the host names, with the port, that a request may use."""
    names = {host, *more}
    if is_loopback(host):
        names |= {"localhost", "127.0.0.1", "::1"}
    spelt = {f"[{name}]" if ":" in name else name.lower() for name in names}
    return frozenset({f"{name}:{port}" for name in spelt} | (spelt if port == 80 else set()))


def check_token(token: str | None) -> str | None:
    """Return the token that clients need, None if they need none.

    Raises
    ------
    ConfigError
        It is empty: everybody has that one.
    """
    if token is not None and not token.strip():
        raise ConfigError("token: expected some text, got an empty one, which anybody could give")
    return token


def csrf_token(secret: bytes) -> str:
    """Return the token that the pages of the desk send with every change."""
    return hmac.new(secret, b"csrf", sha256).hexdigest()


class SecurityMiddleware:
    """ASGI middleware around the whole application.

    Parameters
    ----------
    hosts : set of str
        See `allowed_hosts`.
    token : str or None
        Asked for if given.

    Raises
    ------
    ConfigError
        The token is empty.
    """

    def __init__(
        self,
        app: App,
        *,
        hosts: frozenset[str],
        secret: bytes,
        token: str | None = None,
    ) -> None:
        self._app = app
        self._hosts = hosts
        self._csrf = csrf_token(secret)
        self._token = check_token(token)
        # What the browser keeps is no token: any text can be one, not any text a cookie.
        self._cookie_value = hmac.new(secret, b"token:" + (token or "").encode("utf-8", "replace"), sha256).hexdigest()
        self._cookie = "desk_" + sha256(min(hosts).encode()).hexdigest()[:8]  # cookies know no ports

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Refuse the request, or handle it."""
        if scope["type"] == "lifespan":
            await self._app(scope, receive, send)
            return
        if scope["type"] != "http":
            await send({"type": "websocket.close", "code": 1008})
            return
        rows = [(name.decode("latin-1").lower(), value.decode("latin-1")) for name, value in scope["headers"]]
        headers = dict(rows)
        if sum(name == "host" for name, _ in rows) > 1:
            headers["host"] = ""  # nobody's
        refused = self._find_refusal(scope, headers)
        if refused is not None:
            await _send_answer(send, *refused)
            return
        try:
            body = await self._read_body(receive) if scope["method"] == "POST" else b""
        except ConnectionError:
            return  # nobody is there to answer to
        if body is None:
            await _send_answer(send, 413, f"expected a request of at most {MAX_BODY:,} bytes")
            return
        given = False

        async def replayed() -> Message:
            nonlocal given
            if given:
                return await receive()
            given = True
            return {"type": "http.request", "body": body, "more_body": False}

        async def with_headers(message: Message) -> None:
            if message["type"] == "http.response.start":
                there = {name.lower() for name, _ in message["headers"]}
                extra = {"content-security-policy": PAGE_POLICY, **_HEADERS}
                more = [(name.encode(), value.encode()) for name, value in extra.items() if name.encode() not in there]
                message = {**message, "headers": [*message["headers"], *more]}
            await send(message)

        await self._app(scope, replayed, with_headers)

    async def _read_body(self, receive: Receive) -> bytes | None:
        """Return the body of a request; None if it is longer than allowed, whatever its header says.

        Raises
        ------
        ConnectionError
            The connection was closed before its end.
        """
        pieces: list[bytes] = []
        size = 0
        while True:
            message = await receive()
            if message["type"] == "http.disconnect":
                raise ConnectionError
            pieces.append(message.get("body", b""))
            size += len(pieces[-1])
            if size > MAX_BODY:
                return None
            if not message.get("more_body"):
                return b"".join(pieces)

    def _find_refusal(self, scope: Scope, headers: Mapping[str, str]) -> tuple[int, str, dict[str, str]] | None:
        host = headers.get("host", "").lower()
        if host not in self._hosts:
            return 421, "this desk goes by another name; open the address that it printed when it was started", {}
        if scope["method"] not in ("GET", "HEAD", "POST"):
            return 405, "expected GET or POST", {}
        if self._token is not None and (refused := self._check_token(scope, headers)) is not None:
            return refused
        if scope["method"] != "POST":
            return None
        length = headers.get("content-length", "0")
        if not (length.isascii() and length.isdigit() and len(length) < 16) or int(length) > MAX_BODY:
            return 413, f"expected a request of at most {MAX_BODY:,} bytes", {}
        if not hmac.compare_digest(headers.get("x-desk-csrf", "").encode(), self._csrf.encode()):
            return 403, "expected the token of the desk's own page; reload the page", {}
        origin = headers.get("origin")
        if origin is not None and origin.split("://", 1)[-1] != host:
            return 403, "the request comes from another site", {}
        if headers.get("sec-fetch-site", "same-origin") not in ("same-origin", "none"):
            return 403, "the request comes from another site", {}
        if headers.get("content-type", "").split(";")[0].strip() != "application/json":
            return 415, "expected JSON", {}
        return None

    def _check_token(self, scope: Scope, headers: Mapping[str, str]) -> tuple[int, str, dict[str, str]] | None:
        assert self._token is not None
        try:
            cookie = SimpleCookie(headers.get("cookie", "")).get(self._cookie)
        except CookieError:
            cookie = None
        if cookie is not None and hmac.compare_digest(cookie.value.encode(), self._cookie_value.encode()):
            return None
        query = parse_qs(scope["query_string"].decode("latin-1"))
        given = query.pop("token", [""])[-1]
        if given and hmac.compare_digest(given.encode("utf-8", "replace"), self._token.encode("utf-8", "replace")):
            rest = urlencode(query, doseq=True)
            path = "/" + quote(scope["path"].lstrip("/"))  # "//" would lead to another host
            kept = f"{self._cookie}={self._cookie_value}; Path=/; HttpOnly; SameSite=Strict"
            return 303, "", {"location": path + (f"?{rest}" if rest else ""), "set-cookie": kept}
        return 401, _TOKEN_FORM, {"content-type": "text/html; charset=utf-8"}


_TOKEN_FORM = """<!doctype html><html lang="en"><meta charset="utf-8"><title>templatemine desk</title>
<form><p><label>This desk asks for the token that it printed when it was started:
<input name="token" type="password" autofocus autocomplete="off"></label> <button>Enter</button></form>"""


async def _send_answer(send: Send, status: int, text: str, headers: Mapping[str, str] | None = None) -> None:
    own = {"content-type": "text/plain; charset=utf-8", "content-security-policy": PAGE_POLICY, **_HEADERS}
    rows = [(name.encode(), value.encode("latin-1")) for name, value in {**own, **(headers or {})}.items()]
    await send({"type": "http.response.start", "status": status, "headers": rows})
    await send({"type": "http.response.body", "body": text.encode()})
