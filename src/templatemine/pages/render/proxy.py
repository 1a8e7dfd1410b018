"""The proxy between the browser and the network, on this machine; the browser has no other way to the network.

A browser follows redirects, opens sockets and resolves names by itself, and no observer of its requests sees all of
that.  So it sends everything through this proxy, which applies the rules: one host or all of them, public addresses
only (it connects to the address that was checked, as a crawl does), a number of bytes for each page, and no connection
between two pages.  TLS is passed on unchanged.
"""

from __future__ import annotations

import asyncio
import socket
from contextlib import suppress
from urllib.parse import urlsplit

from templatemine.io.addresses import is_public

MAX_HEAD_BYTES = 64 << 10
"""Most bytes of the head of a request; browsers send fewer, and servers accept no more."""
MAX_CONNECTIONS = 64
"""Most open connections; further ones wait until one is closed."""
TIMEOUT = 10.0
"""Seconds to wait for the head of a request, and for a connection."""
CHUNK_BYTES = 64 << 10

PORTS = {"http": 80, "https": 443, "ws": 80, "wss": 443}


def host_and_port(url: str) -> tuple[str, int] | None:
    """Return host and port of a URL; None if a browser does not fetch it from a host."""
    try:
        parts = urlsplit(url)
        port = parts.port or PORTS[parts.scheme]
    except (ValueError, KeyError):
        return None
    return ((parts.hostname or "").rstrip("."), port) if parts.hostname else None


class PageProxy:
    """A proxy that serves one page after the other.

    Parameters
    ----------
    allow_private : bool
        Connect to addresses of this machine and of local networks too.
    max_bytes : int
        Bytes that a page may load.

    Attributes
    ----------
    port : int
        On 127.0.0.1, once it is started.
    refused : int
        Connections refused so far.
    """

    def __init__(self, allow_private: bool, max_bytes: int) -> None:
        self.port = 0
        self.refused = 0
        self._allow_private, self._max_bytes = allow_private, max_bytes
        self._allowed: tuple[str, int] | None = None
        self._opened = False
        self._bytes_left = 0
        self._tasks: set[asyncio.Task[None]] = set()
        self._slots = asyncio.Semaphore(MAX_CONNECTIONS)
        self._server: asyncio.Server | None = None

    async def start(self) -> None:
        """Start to listen."""
        self._server = await asyncio.start_server(self._accept, "127.0.0.1", 0, limit=MAX_HEAD_BYTES)
        self.port = self._server.sockets[0].getsockname()[1]

    def open(self, allowed: tuple[str, int] | None) -> None:
        """Allow the connections of the next page: to one host and port, or to all."""
        self._allowed, self._opened, self._bytes_left = allowed, True, self._max_bytes

    async def close_page(self) -> None:
        """Refuse further connections, and close the open ones."""
        self._opened = False
        tasks = list(self._tasks)
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)

    async def stop(self) -> None:
        """Stop listening, and close all connections."""
        if self._server is not None:
            self._server.close()
        await self.close_page()

    def _accept(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        task = asyncio.ensure_future(self._serve(reader, writer))
        self._tasks.add(task)

        def on_end(task: asyncio.Task[None]) -> None:
            # Not in the task itself: a task that is cancelled before its first step runs no code.
            self._tasks.discard(task)
            writer.close()

        task.add_done_callback(on_end)

    async def _serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        expected = (OSError, ValueError, EOFError, TimeoutError, asyncio.LimitOverrunError, asyncio.CancelledError)
        with suppress(*expected):
            async with self._slots:
                await self._forward(reader, writer)

    async def _forward(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        head = await asyncio.wait_for(reader.readuntil(b"\r\n\r\n"), TIMEOUT)
        first, _, fields = head.partition(b"\r\n")
        method, target, version = first.decode("latin-1").split(" ")
        tunnel = method == "CONNECT"
        host = host_and_port(f"https://{target}" if tunnel else target)
        connected = None
        if self._opened and self._bytes_left > 0 and host is not None and self._allowed in (None, host):
            connected = await self._connect(*host)
        if connected is None:
            self.refused += 1
            writer.write(b"HTTP/1.1 403 Forbidden\r\nContent-Length: 0\r\nConnection: close\r\n\r\n")
            await writer.drain()
            return
        server, out = connected
        try:
            if tunnel:
                writer.write(b"HTTP/1.1 200 OK\r\n\r\n")
            else:
                out.write(_forward_head(method, target, version, fields))
            copies = [asyncio.ensure_future(self._copy(*pair)) for pair in ((reader, out), (server, writer))]
            try:
                # A request ends with the answer of the server; a tunnel ends with either side.
                await asyncio.wait(copies if tunnel else copies[1:], return_when=asyncio.FIRST_COMPLETED)
            finally:
                for copy in copies:
                    copy.cancel()
                await asyncio.gather(*copies, return_exceptions=True)
        finally:
            out.close()

    async def _connect(self, host: str, port: int) -> tuple[asyncio.StreamReader, asyncio.StreamWriter] | None:
        """Return a connection to the first allowed address of a host that accepts one; None if there is none."""
        loop = asyncio.get_running_loop()
        with suppress(OSError, UnicodeError):
            for *_, socket_address in await loop.getaddrinfo(host, port, type=socket.SOCK_STREAM):
                address = str(socket_address[0])
                if self._allow_private or is_public(address):
                    with suppress(OSError, TimeoutError):
                        return await asyncio.wait_for(asyncio.open_connection(address, port), TIMEOUT)
        return None

    async def _copy(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        with suppress(OSError):
            while self._bytes_left > 0 and (data := await reader.read(CHUNK_BYTES)):
                self._bytes_left -= len(data)
                writer.write(data)
                await writer.drain()


def _forward_head(method: str, target: str, version: str, fields: bytes) -> bytes:
    """Return the head of a request as sent to a server. It closes the connection after one answer, since a second
    request on it would not be checked."""
    parts = urlsplit(target)
    path = (parts.path or "/") + (f"?{parts.query}" if parts.query else "")
    headers = [line for line in fields.split(b"\r\n") if line and not line.lower().startswith(_HOP_HEADERS)]
    lines = [f"{method} {path} {version}".encode("latin-1"), *headers, b"Connection: close", b"", b""]
    return b"\r\n".join(lines)


_HOP_HEADERS = (b"connection:", b"proxy-", b"keep-alive:", b"upgrade:")
