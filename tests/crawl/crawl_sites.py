"""Sites on loopback addresses, some of them ill-behaved, that write down who asked for what and when."""

from __future__ import annotations

import gzip
import http.server
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import NamedTuple

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "cli"))

import cli_support as support


class Hit(NamedTuple):
    """A request as the server saw it."""

    at: float
    host: str
    path: str
    headers: dict[str, str]


Handler = http.server.BaseHTTPRequestHandler
Answer = Callable[[Handler], None]


class QuietServer(http.server.ThreadingHTTPServer):
    """Says nothing of connections that break off."""

    def handle_error(self, request: object, client_address: object) -> None:
        """Pass over it."""


class Sites:
    """One server for all of 127.0.0.0/8: each address is a domain of its own."""

    def __init__(self) -> None:
        self.hits: list[Hit] = []
        self.answers: dict[str, Answer] = {}
        sites = self

        class Site(Handler):
            protocol_version = "HTTP/1.1"

            def log_message(self, *args: object) -> None:
                """Quiet."""

            def do_GET(self) -> None:
                host = self.headers["Host"].partition(":")[0]
                sites.hits.append(Hit(time.monotonic(), host, self.path, dict(self.headers)))
                answer = sites.answers.get(host + self.path) or sites.answers.get(self.path)
                try:
                    (answer or send_not_found)(self)
                except OSError:  # they have seen enough
                    self.close_connection = True

        self.server = QuietServer(("0.0.0.0", 0), Site)
        self.server.daemon_threads = True
        self.port = self.server.server_port

    def url(self, host: str, path: str) -> str:
        """An address."""
        return f"http://{host}:{self.port}{path}"

    def paths(self, host: str) -> list[str]:
        """What was asked of a host, in order."""
        return [hit.path for hit in self.hits if hit.host == host]


@contextmanager
def serve_sites() -> Iterator[Sites]:
    """Sites that answer while the with-block runs."""
    sites = Sites()
    thread = threading.Thread(target=sites.server.serve_forever, kwargs={"poll_interval": 0.05})
    thread.start()
    try:
        yield sites
    finally:
        sites.server.shutdown()
        sites.server.server_close()
        thread.join()


def send(handler: Handler, status: int, body: bytes, kind: str = "text/html", **headers: str) -> None:
    """A whole answer."""
    handler.send_response(status)
    handler.send_header("Content-Type", kind)
    if "Content_Length" not in headers:
        handler.send_header("Content-Length", str(len(body)))
    for name, value in headers.items():
        handler.send_header(name.replace("_", "-"), value)
    handler.end_headers()
    handler.wfile.write(body)


def send_not_found(handler: Handler) -> None:
    """404."""
    send(handler, 404, b"nothing here", "text/plain")


def make_page(text: str, kind: str = "text/html") -> Answer:
    """A page."""
    body = f"<!doctype html><html><body><p>{text}</p></body></html>".encode()
    return lambda handler: send(handler, 200, body, kind)


def make_gzip_page(text: str) -> Answer:
    """A page, packed by gzip."""
    body = gzip.compress(f"<html><body><p>{text}</p></body></html>".encode())
    return lambda handler: send(handler, 200, body, Content_Encoding="gzip")


def make_redirect(to: str) -> Answer:
    """A redirect."""
    return lambda handler: send(handler, 302, b"", Location=to)


def make_feed(links: list[str], extra: str = "") -> bytes:
    """RSS."""
    items = "".join(
        f"<item><title>News {number}</title><link>{link}</link><pubDate>Mon, 05 Jan 2026 10:00:00 GMT</pubDate></item>"
        for number, link in enumerate(links)
    )
    return f'<?xml version="1.0"?><rss version="2.0"><channel><title>F</title>{extra}{items}</channel></rss>'.encode()


def run_crawl(*args: str | Path, before: Callable[[], None] | None = None) -> subprocess.CompletedProcess[str]:
    """``templatemine crawl`` in a process of its own."""
    command = support.command("crawl", *args)
    return subprocess.run(command, capture_output=True, text=True, timeout=100, check=False, preexec_fn=before)
