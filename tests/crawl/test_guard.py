"""What the layer before the network refuses: the heads of answers, and layers of encodings, without end."""

from __future__ import annotations

import gzip
import json
import zlib
from collections.abc import Callable
from pathlib import Path
from typing import Any

import crawl_sites as site
import pytest
from crawl_sites import Handler

pytest.importorskip("scrapy")
pytest.importorskip("warcio")
pytest.importorskip("feedparser")
pytest.importorskip("resiliparse")
pytest.importorskip("tldextract")

MOST = 32 << 20
"""Bytes that a site of these tests sends at most, should nobody stop it."""


def flood(first: bytes, again: bytes, sent: list[int]) -> Callable[[Handler], None]:
    """An answer that begins with some bytes and goes on with others until the client has seen enough."""
    piece = again * (65536 // len(again))

    def answers(handler: Handler) -> None:
        handler.close_connection = True
        place = len(sent)
        sent.append(0)
        handler.wfile.write(first)
        while sent[place] < MOST:
            handler.wfile.write(piece)
            sent[place] += len(piece)

    return answers


FLOODS = {
    "headers": (b"HTTP/1.1 200 OK\r\n", b"X-More: abcdefgh\r\n"),
    "long headers": (b"HTTP/1.1 200 OK\r\n", b"X-More: " + b"x" * 10_000 + b"\r\n"),
    "one header, continued": (b"HTTP/1.1 200 OK\r\nX-More: a\r\n", b" and so on\r\n"),
    "lines without a colon": (b"HTTP/1.1 200 OK\r\n", b"nonsense\r\n"),
    "interim answers": (b"", b"HTTP/1.1 100 Continue\r\n\r\n"),
}


def test_heads_of_answers_are_bounded(tmp_path: Path) -> None:
    sent: list[int] = []
    with site.serve_sites() as sites:
        names = [f"127.0.0.{number}" for number in range(71, 71 + len(FLOODS))]
        for host, told in zip(names, FLOODS.values(), strict=True):
            sites.answers[f"{host}/page"] = flood(*told, sent)
        # A large head that browsers take is taken.
        many = {f"X_{number}": "y" * 200 for number in range(90)}
        page = b"<!doctype html><html><body><p>Fine</p></body></html>"
        sites.answers["127.0.0.70/page"] = lambda handler: site.send(handler, 200, page, **many)
        (tmp_path / "urls.txt").write_text("\n".join(sites.url(host, "/page") for host in ("127.0.0.70", *names)))
        options = ("--delay", "0.05", "--allow-private", "--json", "--timeout", "20")
        ran = site.run_crawl(tmp_path / "urls.txt", "-o", tmp_path / "h.jsonl", *options)
        paths = [sites.paths(host).count("/page") for host in names]
    assert ran.returncode == 0, ran.stderr
    told = json.loads(ran.stdout)
    assert told["reasons"] == [{"reason": "the headers of the answer are too long", "pages": len(FLOODS)}]
    assert told["pages"] == 1
    assert paths == [1] * len(FLOODS)  # none is tried again
    assert max(sent) < MOST / 2  # what the system's buffers hold may be on its way


def layers(body: bytes, number: int) -> bytes:
    for _ in range(number):
        body = gzip.compress(body, 1)
    return body


def test_layers_of_encodings_are_bounded(tmp_path: Path) -> None:
    """So is what each layer unpacks to, whichever way it is packed."""
    text = b"<!doctype html><html><body><p>Fine</p></body></html>"
    bomb = text + b" " * 3_000_000

    def packed(body: bytes, encoding: str) -> site.Answer:
        return lambda handler: site.send(handler, 200, body, Content_Encoding=encoding)

    answers: dict[str, Any] = {
        "127.0.0.81/page": packed(layers(text, 5), "gzip, gzip, gzip, gzip, gzip"),
        "127.0.0.82/page": packed(layers(text, 6), "gzip, gzip, gzip, gzip, gzip, gzip"),
        "127.0.0.83/page": packed(layers(bomb, 1), "gzip"),
        "127.0.0.84/page": packed(zlib.compress(bomb), "deflate"),
        "127.0.0.85/page": packed(layers(bomb, 3), "gzip, gzip, gzip"),
    }
    with site.serve_sites() as sites:
        sites.answers.update(answers)
        (tmp_path / "urls.txt").write_text("\n".join(sites.url(*name.split("/page")[:1], "/page") for name in answers))
        options = ("--delay", "0.05", "--allow-private", "--json", "--max-size", "1M", "--retries", "0")
        ran = site.run_crawl(tmp_path / "urls.txt", "-o", tmp_path / "h.jsonl", *options)
    assert ran.returncode == 0, ran.stderr
    told = json.loads(ran.stdout)
    assert told["pages"] == 1
    reasons = {one["reason"]: one["pages"] for one in told["reasons"]}
    assert reasons == {"has more than 5 content encodings": 1, "larger than --max-size": 3}


class FakeResolver:
    """A resolver whose answers change from one question to the next, as somebody's own name server can have it."""

    def __init__(self, answers: list[list[str]]) -> None:
        self.answers = answers

    def resolveHostName(self, receiver: Any, name: str, *rest: Any) -> None:
        from twisted.internet.address import IPv4Address, IPv6Address

        receiver.resolutionBegan(None)
        for address in self.answers.pop(0):
            kind = IPv6Address if ":" in address else IPv4Address
            receiver.addressResolved(kind("TCP", address, 80))
        receiver.resolutionComplete()


class RecordingReceiver:
    def __init__(self) -> None:
        self.hosts: list[str] = []
        self.ended = False

    def resolutionBegan(self, resolution: Any) -> None:
        pass

    def addressResolved(self, address: Any) -> None:
        self.hosts.append(address.host)

    def resolutionComplete(self) -> None:
        self.ended = True


def resolve_names(answers: list[list[str]], allow_private: bool = False) -> tuple[list[list[str]], set[str]]:
    """What connections are given for a name that is looked up again and again."""
    from types import SimpleNamespace

    from templatemine.crawl.guard import GuardedResolver

    guard = GuardedResolver(SimpleNamespace(nameResolver=FakeResolver([*answers])), allow_private)
    given = []
    for _ in answers:
        received = RecordingReceiver()
        guard.resolveHostName(received, "Changing.example")
        assert received.ended
        given.append(received.hosts)
    return given, guard.refused


def test_a_name_that_leads_elsewhere_the_second_time_gains_nothing() -> None:
    """DNS rebinding: the addresses that are looked at are those that are connected to, each time anew."""
    public, private = (
        "93.184.216.34",
        ["127.0.0.1", "10.0.0.1", "169.254.169.254", "::1", "::ffff:127.0.0.1", "fd00::1"],
    )
    given, refused = resolve_names([[public], private])
    assert given == [[public], []]
    assert refused == {"changing.example"}
    given, refused = resolve_names([[*private, public, *private]])
    assert (given, refused) == ([[public]], set())
    assert resolve_names([private], allow_private=True) == ([private], set())
