"""The proxy between a browser and the network: what it lets through, and that nothing else passes."""

from __future__ import annotations

import asyncio
import gc
import socket
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager

import pytest

from templatemine.pages.render.proxy import PageProxy, host_and_port

Heads = list[bytes]
Doing = Callable[[PageProxy, int, Heads], Awaitable[None]]


@asynccontextmanager
async def server(answer: bytes) -> AsyncIterator[tuple[int, Heads]]:
    """A server that notes what it is asked, gives one answer and closes."""
    heads: Heads = []
    tasks: list[asyncio.Task[None]] = []

    async def serve(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        heads.append(await reader.readuntil(b"\r\n\r\n"))
        writer.write(answer)
        await writer.drain()

    def accept(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        tasks.append(asyncio.ensure_future(serve(reader, writer)))
        tasks[-1].add_done_callback(lambda _: writer.close())

    made = await asyncio.start_server(accept, "127.0.0.1", 0)
    try:
        yield made.sockets[0].getsockname()[1], heads
    finally:
        made.close()
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)


def run_through_proxy(
    do: Doing, *, private: bool = True, most: int = 1 << 20, answer: bytes = b"HTTP/1.1 200 OK\r\n\r\nhello"
) -> PageProxy:
    async def run() -> PageProxy:
        proxy = PageProxy(private, most)
        await proxy.start()
        try:
            async with server(answer) as (port, heads):
                await asyncio.wait_for(do(proxy, port, heads), 20)
        finally:
            await proxy.stop()
        return proxy

    return asyncio.run(run())


async def ask(proxy: PageProxy, request: str) -> bytes:
    """Everything that comes back."""
    reader, writer = await asyncio.open_connection("127.0.0.1", proxy.port)
    writer.write(request.encode())
    found = await reader.read()
    writer.close()
    return found


@pytest.mark.parametrize(
    ("url", "place"),
    [
        ("http://a.example/x", ("a.example", 80)),
        ("https://A.example./", ("a.example", 443)),
        ("wss://a.example:8443/x?y#z", ("a.example", 8443)),
        ("http://[::1]:80/", ("::1", 80)),
        ("http://user:word@a.example/", ("a.example", 80)),
        ("file:///etc/passwd", None),
        ("http:///x", None),
        ("http://a.example:port/", None),
        ("http://[bad/", None),
        ("", None),
    ],
)
def test_where_addresses_lead(url: str, place: tuple[str, int] | None) -> None:
    assert host_and_port(url) == place


def test_a_request_is_forwarded_once() -> None:
    async def do(proxy: PageProxy, port: int, heads: Heads) -> None:
        proxy.open(None)
        first = f"GET http://127.0.0.1:{port}/a?b HTTP/1.1\r\nHost: x\r\nProxy-Connection: keep-alive\r\n"
        second = f"GET http://127.0.0.1:{port}/second HTTP/1.1\r\n\r\n"
        found = await ask(proxy, f"{first}Connection: keep-alive\r\n\r\n{second}")
        assert found == b"HTTP/1.1 200 OK\r\n\r\nhello"
        assert heads == [b"GET /a?b HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n"]

    assert run_through_proxy(do).refused == 0


def test_a_tunnel() -> None:
    async def do(proxy: PageProxy, port: int, heads: Heads) -> None:
        proxy.open(("127.0.0.1", port))
        reader, writer = await asyncio.open_connection("127.0.0.1", proxy.port)
        writer.write(f"CONNECT 127.0.0.1:{port} HTTP/1.1\r\nHost: x\r\n\r\n".encode())
        assert await reader.readuntil(b"\r\n\r\n") == b"HTTP/1.1 200 OK\r\n\r\n"
        writer.write(b"whatever\r\n\r\n")
        assert (await reader.read()).endswith(b"hello")
        writer.close()
        assert heads == [b"whatever\r\n\r\n"]

    assert run_through_proxy(do).refused == 0


@pytest.mark.parametrize("way", ["CONNECT 127.0.0.1:{port} HTTP/1.1", "GET http://127.0.0.1:{port}/ HTTP/1.1"])
@pytest.mark.parametrize("why", ["not opened", "another host", "another port", "private", "shut again"])
def test_what_is_refused(way: str, why: str) -> None:
    async def do(proxy: PageProxy, port: int, heads: Heads) -> None:
        if why != "not opened":
            hosts = {"another host": ("a.example", port), "another port": ("127.0.0.1", port + 1)}
            proxy.open(hosts.get(why))
        if why == "shut again":
            await proxy.close_page()
        found = await ask(proxy, way.format(port=port) + "\r\n\r\n")
        assert found.startswith(b"HTTP/1.1 403 ")
        assert heads == []

    assert run_through_proxy(do, private=why != "private").refused == 1


@pytest.mark.parametrize("host", ["localhost", "127.1", "2130706433", "0x7f000001", "[::1]", "[::ffff:127.0.0.1]"])
def test_private_addresses_by_any_name(host: str) -> None:
    async def do(proxy: PageProxy, port: int, heads: Heads) -> None:
        proxy.open(None)
        assert (await ask(proxy, f"CONNECT {host}:{port} HTTP/1.1\r\n\r\n")).startswith(b"HTTP/1.1 403 ")
        assert heads == []

    run_through_proxy(do, private=False)


def test_the_address_that_was_looked_at_is_the_one_connected_to(monkeypatch: pytest.MonkeyPatch) -> None:
    """A name that leads elsewhere at the second look gains nothing, for there is none."""
    looked: list[str] = []

    def public(address: str) -> bool:
        looked.append(address)
        return address == "127.0.0.1"

    async def do(proxy: PageProxy, port: int, heads: Heads) -> None:
        proxy.open(None)
        loop = asyncio.get_running_loop()
        real = loop.getaddrinfo
        asked: list[str | bytes | None] = []

        async def names(host: str | bytes | None, port: int, **options: int) -> object:
            asked.append(host)
            answers = {"rebound.example": ["169.254.169.254", "127.0.0.1"]}.get(str(host), [host])
            return [found for name in answers for found in await real(name, port, type=1)]

        monkeypatch.setattr(loop, "getaddrinfo", names)
        found = await ask(proxy, f"GET http://rebound.example:{port}/ HTTP/1.1\r\n\r\n")
        assert found.endswith(b"hello")
        assert looked == ["169.254.169.254", "127.0.0.1"]
        assert asked.count("rebound.example") == 1

    monkeypatch.setattr("templatemine.pages.render.proxy.is_public", public)
    run_through_proxy(do, private=False)


def test_a_page_loads_no_more_than_its_bytes() -> None:
    async def do(proxy: PageProxy, port: int, heads: Heads) -> None:
        proxy.open(None)
        found = await ask(proxy, f"GET http://127.0.0.1:{port}/ HTTP/1.1\r\n\r\n")
        assert 0 < len(found) < 400_000
        assert (await ask(proxy, f"GET http://127.0.0.1:{port}/ HTTP/1.1\r\n\r\n")).startswith(b"HTTP/1.1 403 ")
        assert len(heads) == 1
        proxy.open(None)
        assert await ask(proxy, f"GET http://127.0.0.1:{port}/ HTTP/1.1\r\n\r\n")

    run_through_proxy(do, most=200_000, answer=b"HTTP/1.1 200 OK\r\n\r\n" + b"x" * 5_000_000)


@pytest.mark.parametrize(
    "head", ["\r\n\r\n", "GET\r\n\r\n", "GET / HTTP/1.1\r\n\r\n", "CONNECT : HTTP/1.1\r\n\r\n", "x" * 200_000]
)
def test_what_is_no_request(head: str) -> None:
    async def do(proxy: PageProxy, port: int, heads: Heads) -> None:
        proxy.open(None)
        try:
            found = await ask(proxy, head)
        except ConnectionError:
            found = b""
        assert found == b"" or found.startswith(b"HTTP/1.1 403 ")
        assert (await ask(proxy, f"GET http://127.0.0.1:{port}/ HTTP/1.1\r\n\r\n")).endswith(b"hello")

    run_through_proxy(do)


def test_shutting_ends_what_is_open() -> None:
    async def do(proxy: PageProxy, port: int, heads: Heads) -> None:
        proxy.open(None)
        reader, writer = await asyncio.open_connection("127.0.0.1", proxy.port)
        writer.write(f"CONNECT 127.0.0.1:{port} HTTP/1.1\r\n\r\n".encode())
        await reader.readuntil(b"\r\n\r\n")
        await proxy.close_page()
        assert await reader.read() == b""
        writer.close()

    run_through_proxy(do)


def test_what_has_just_been_let_in_is_closed_when_it_stops() -> None:
    """Its task is cancelled before the first step; a socket that stays open would warn, which is an error here."""

    async def run() -> None:
        proxy = PageProxy(True, 1 << 20)
        accept, stopped = proxy._accept, asyncio.Event()

        def accept_and_stop(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
            accept(reader, writer)
            for task in proxy._tasks:
                task.cancel()
            asyncio.ensure_future(proxy.stop()).add_done_callback(lambda _: stopped.set())

        proxy._accept = accept_and_stop  # type: ignore[method-assign]
        await proxy.start()
        with socket.create_connection(("127.0.0.1", proxy.port), 5) as client:
            await asyncio.wait_for(stopped.wait(), 5)
            client.settimeout(5)
            assert await asyncio.get_running_loop().run_in_executor(None, client.recv, 1) == b""

    asyncio.run(run())
    gc.collect()
