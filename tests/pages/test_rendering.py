"""Pages after their scripts ran: what comes out, what scripts cannot do, and what is left when they fail."""

from __future__ import annotations

import asyncio
import os
import re
import signal
import socket
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from templatemine import extract
from templatemine.config import RenderConfig
from templatemine.errors import ConfigError, MissingExtraError, pip_line
from templatemine.pages.render.browser import find_browser
from templatemine.pages.render.rendering import RenderedPage, Renderer

STORY = "A sentence of a story that a script wrote, and which goes on for a while. "
URL = "http://site.example:8080/a/story?x=1#part"


def renderer(**options: object) -> Renderer:
    """Without the sandbox, in which Chromium does not start as root or in a container."""
    pytest.importorskip("playwright", reason="playwright is not installed")
    if find_browser() is None:
        pytest.skip("no chromium: apt-get install chromium, or name one in CHROMIUM")
    return Renderer(RenderConfig(sandbox=False, **options))  # type: ignore[arg-type]


@pytest.fixture(scope="module")
def browser() -> Iterator[Renderer]:
    with renderer(seconds=30) as one:  # other work may hold the machine up
        one.start()
        yield one


# ------------------------------------------------------------------------------------------------- what scripts build

BUILT = {
    "at once": "<script>document.body.innerHTML = '<p>BUILT'</script>",
    "later": "<script>setTimeout(() => document.body.innerHTML = '<p>BUILT', 3000)</script>",
    "by parts": "<p id=x></p><script>let n = 0; const t = setInterval(() => { x.append('BUILT'[n++]); if (n == 5) clearInterval(t) }, 400)</script>",
    "by frames": "<script>let n = 0; (function f() { if (n++ < 20) requestAnimationFrame(f); else document.body.innerHTML = '<p>BUILT' })()</script>",
    "in view": "<p id=x>.</p><script>new IntersectionObserver(() => setTimeout(() => document.body.append('BUILT'), 100)).observe(x)</script>",
    "by messages": "<script>const c = new MessageChannel(); c.port1.onmessage = () => document.body.append('BUILT'); c.port2.postMessage(1)</script>",
    "when loaded": "<script>onload = () => document.body.append('BUILT')</script>",
    "without a network": "<script src=/a.js></script><script>fetch('/b').catch(() => document.body.append('BUILT'))</script>",
    "written": "<script>document.write('<p>BUILT')</script>",
    "written anew": "<script>onload = () => { document.open(); document.write('<p>BUILT'); document.close() }</script>",
    "a module": "<script type=module>document.body.append('BUILT')</script>",
    "web component": "<my-x><p>light</p></my-x><script>customElements.define('my-x', class extends HTMLElement { connectedCallback() {"
    " this.attachShadow({mode: 'open'}).innerHTML = '<style>p {}</style><h1>BUILT</h1><slot></slot><p>end</p>' } })</script>",
    "asking": "<script>alert('?'); confirm('?'); prompt('?'); document.body.append('BUILT')</script>",
    "for ever": "<script>document.body.append('BUILT'); setInterval(() => document.body.append('.'), 10)</script>",
    "loading again": "<script>document.body.append('BUILT'); setTimeout(() => location.reload(), 10)</script>",
    "leading elsewhere": "<script>document.body.append('BUILT'); location = 'http://other.example/'</script>",
    "opening windows": "<script>for (let n = 0; n < 50; n++) open('http://other.example/'); document.body.append('BUILT')</script>",
    "not itself": "<script>for (const one of [Element, Document]) for (const name of ['outerHTML', 'querySelectorAll'])"
    " Object.defineProperty(one.prototype, name, {get() { while (true); }}); document.body.append('BUILT')</script>",
}  # fmt: skip


@pytest.mark.parametrize("how", BUILT)
def test_what_scripts_build(browser: Renderer, how: str) -> None:
    found = browser.render(f"<!DOCTYPE html><html><body>{BUILT[how]}</body></html>", URL)
    assert (found.done, found.note) == (True, "")
    assert "BUILT" in extract(found.html, "bte").text
    assert found.html.startswith("<!DOCTYPE html><html>") == (how != "written anew")


def test_what_a_web_component_shows_stands_in_its_place(browser: Renderer) -> None:
    found = browser.render(BUILT["web component"]).html
    assert "<my-x><h1>BUILT</h1><p>light</p><p>end</p></my-x>" in found


def test_a_page_without_scripts_keeps_its_text(browser: Renderer) -> None:
    html = f"<title>Täglich 日本</title><body><h1>Ünder</h1><p>{STORY}&amp; &lt;b> \U0001f6a2</p><p>a \ud800 b\x00</p>"
    made = browser.render(html).html
    assert [block.text for block in extract(made).blocks][:2] == ["Ünder", f"{STORY}& <b> \U0001f6a2"]
    assert "Täglich 日本" in made


def test_scripts_find_the_address_of_the_page(browser: Renderer) -> None:
    html = "<script>document.body ? 0 : document.write('<p>' + [location.href, origin, document.baseURI, new URL('../b', location).href])</script>"
    assert f"<p>{URL},http://site.example:8080,{URL},http://site.example:8080/b" in browser.render(html, URL).html
    for url in (
        None,
        "",
        "about:blank",
        "file:///etc/passwd",
        "ftp://a.example/",
        "javascript:alert(1)",
        "http://",
        "x" * 5000,
        "http://a.example/" + "x" * 5000,
    ):
        assert "<p>https://page.invalid/," in browser.render(html, url).html


def test_each_page_is_the_first(browser: Renderer) -> None:
    keep = "localStorage.x = sessionStorage.x = 1; document.cookie = 'x=1; max-age=1000'; indexedDB.open('x');"
    tell = "document.body.append('found:' + [localStorage.x, sessionStorage.x, document.cookie, navigator.serviceWorker?.controller])"
    assert "found:1,1,x=1," in browser.render(f"<body><script>{keep}{tell}</script>", URL).html
    assert "found:,,," in browser.render(f"<body><script>{tell}</script>", URL).html


# -------------------------------------------------------------------------------------------------- what they cannot do


class ConnectionRecorder:
    """Listens on this machine, for TCP and UDP, and notes who comes."""

    def __init__(self) -> None:
        self.heard: list[bytes] = []
        self._tcp, self._udp = (
            socket.create_server(("127.0.0.1", 0), backlog=200),
            socket.socket(type=socket.SOCK_DGRAM),
        )
        self._udp.bind(("127.0.0.1", 0))
        self.tcp, self.udp = self._tcp.getsockname()[1], self._udp.getsockname()[1]
        self._threads = [threading.Thread(target=work, daemon=True) for work in (self._accept, self._receive)]
        for thread in self._threads:
            thread.start()

    def _accept(self) -> None:
        while True:
            connection, _ = self._tcp.accept()
            with connection:
                connection.settimeout(5)
                try:
                    said = connection.recv(2000)
                except TimeoutError:
                    said = b"silence"
                if said == b"end":
                    return
                self.heard.append(said.partition(b"\r\n")[0])
                body = b"document.body.append('BUILT')"
                if b" /slow " in said:
                    time.sleep(1.5)
                head = b"HTTP/1.1 200 OK\r\nContent-Type: text/javascript\r\nAccess-Control-Allow-Origin: *\r\n"
                connection.sendall(head + b"Content-Length: %d\r\n\r\n" % len(body) + body)

    def _receive(self) -> None:
        while (said := self._udp.recvfrom(2000)[0]) != b"end":
            self.heard.append(said)

    def close(self) -> None:
        with socket.create_connection(("127.0.0.1", self.tcp)) as one:
            one.sendall(b"end")
        self._udp.sendto(b"end", ("127.0.0.1", self.udp))
        for thread in self._threads:
            thread.join()
        self._tcp.close()
        self._udp.close()


@pytest.fixture
def recorder() -> Iterator[ConnectionRecorder]:
    one = ConnectionRecorder()
    yield one
    one.close()


def make_escape_attempts(recorder: ConnectionRecorder) -> dict[str, str]:
    """Pages that try to reach this machine, each in one way."""
    at = f"http://127.0.0.1:{recorder.tcp}"
    return {
        "script": f"<script src={at}/script></script>",
        "style": f"<link rel=stylesheet href={at}/style><style>@import '{at}/import'; body {{ background: url({at}/background) }}</style>",
        "ahead": f"<link rel=preconnect href={at}><link rel=prefetch href={at}/prefetch><link rel=preload as=script href={at}/preload><link rel=modulepreload href={at}/module>",
        "rules": f'<script type=speculationrules>{{"prerender": [{{"source": "list", "urls": ["{at}/rules"]}}]}}</script>',
        "parts": f"<img src={at}/img><iframe src={at}/frame></iframe><object data={at}/object></object><embed src={at}/embed><video autoplay src={at}/video></video>",
        "refresh": f"<meta http-equiv=refresh content='0; url={at}/refresh'>",
        "location": f"<script>location = '{at}/location'</script>",
        "form": f"<form id=f method=post action={at}/form><input name=a></form><script>f.submit()</script>",
        "links": f"<a id=a href={at}/a target=_blank ping={at}/ping>a</a><a id=b href={at}/b download>b</a><script>a.click(); b.click()</script>",
        "windows": f"<script>open('{at}/open')</script>",
        "fetch": f"<script>fetch('{at}/fetch'); fetch('http://localhost:{recorder.tcp}/name'); fetch('http://[::ffff:127.0.0.1]:{recorder.tcp}/six')</script>",
        "request": f"<script>const x = new XMLHttpRequest(); x.open('GET', '{at}/request', false); try {{ x.send() }} catch {{}}</script>",
        "beacon": f"<script>navigator.sendBeacon('{at}/beacon', 'x'); onpagehide = onunload = () => navigator.sendBeacon('{at}/last', 'x')</script>",
        "events": f"<script>new EventSource('{at}/events')</script>",
        "socket": f"<script>new WebSocket('ws://127.0.0.1:{recorder.tcp}/socket')</script>",
        "worker": f"<script>new Worker(URL.createObjectURL(new Blob([\"fetch('{at}/worker'); importScripts('{at}/import')\"])))</script>",
        "shared": f"<script>new SharedWorker(URL.createObjectURL(new Blob([\"new WebSocket('ws://127.0.0.1:{recorder.tcp}/shared')\"])))</script>",
        "calls": f"<script>const p = new RTCPeerConnection({{iceServers: [{{urls: ['stun:127.0.0.1:{recorder.udp}', 'turn:127.0.0.1:{recorder.tcp}?transport=tcp'],"
        " username: 'a', credential: 'b'}]}); p.createDataChannel('x'); p.createOffer().then(o => p.setLocalDescription(o))</script>",
        "transport": f"<script>try {{ new WebTransport('https://127.0.0.1:{recorder.udp}/') }} catch {{}}</script>",
    }  # fmt: skip


TRY = {
    "script": b"/script",
    "fetch": b"/fetch",
    "request": b"/request",
    "beacon": b"/beacon",
    "events": b"/events",
    "socket": b"/socket",
    "worker": b"/worker",
    "shared": b"/shared",
    "calls": b"\x21\x12\xa4\x42",
}
"""Ways that a network opens, and what is heard then: a path, or what all messages of STUN hold."""


def test_nothing_leaves(browser: Renderer, recorder: ConnectionRecorder) -> None:
    for way, html in make_escape_attempts(recorder).items():
        found = browser.render(f"<body>{html}", f"http://127.0.0.1:{recorder.tcp}/page")
        assert found.done, (way, found.note)
        time.sleep(0.05)
        assert recorder.heard == [], way


def test_with_a_network_private_addresses_are_refused(recorder: ConnectionRecorder) -> None:
    with renderer(seconds=30, network="any") as one:
        assert one.render("<body>" + "".join(make_escape_attempts(recorder)[way] for way in TRY)).done
    assert recorder.heard == []


def test_with_all_of_the_network(recorder: ConnectionRecorder) -> None:
    """The same ways lead somewhere here, so that those tests would notice; but to no picture, frame or other page."""
    with renderer(seconds=30, network="any", allow_private=True) as one:
        for _ in range(8):  # on a busy machine a worker may start when the page is over
            found = one.render("<body>" + "".join(make_escape_attempts(recorder)[way] for way in TRY))
            missing = [way for way, path in TRY.items() if not any(path in line for line in recorder.heard)]
            if not missing:
                break
        assert missing == []
        assert "</script>BUILT" in found.html
        before = len(recorder.heard)
        for way in ("parts", "refresh", "location", "form", "windows"):
            one.render(f"<body>{make_escape_attempts(recorder)[way]}")
        assert recorder.heard[before:] == []


def test_with_the_network_of_the_origin(recorder: ConnectionRecorder) -> None:
    with renderer(seconds=30, network="origin", allow_private=True) as one:
        script = (
            make_escape_attempts(recorder)["script"]
            + f"<script>new WebSocket('ws://localhost:{recorder.tcp}/other')</script>"
        )
        assert "BUILT" in one.render(f"<body>{script}", f"http://127.0.0.1:{recorder.tcp}/page").html
        assert recorder.heard == [b"GET /script HTTP/1.1"]
        assert "BUILT'" not in one.render(f"<body>{script}", "http://site.example/page").html.replace(
            "append('BUILT'", ""
        )
        one.render(f"<body>{script}")
        assert len(recorder.heard) == 1


def test_the_clock_of_a_page_stands_while_it_loads(recorder: ConnectionRecorder) -> None:
    load = (
        "fetch('/slow').then(answer => answer.text()).then(() => setTimeout(() => document.body.append('BUILT'), 100))"
    )
    with renderer(seconds=30, settle=0.5, network="origin", allow_private=True) as one:
        found = one.render(f"<body><script>{load}</script>", f"http://127.0.0.1:{recorder.tcp}/page")
    assert (recorder.heard, found.note) == ([b"GET /slow HTTP/1.1"], "")
    assert "</script>BUILT" in found.html


# ----------------------------------------------------------------------------------------------------- when they fail

FAILING = {
    "endless": ("<script>while (true);</script>", "its scripts did not end within 2 s"),
    "endless promises": (
        "<script>(function f() { Promise.resolve().then(f) })()</script>",
        "its scripts did not end within 2 s",
    ),
    "memory": (
        "<script>const a = []; while (true) a.push(new Array(1e6).fill(Math.random()))</script>",
        "its scripts ended the page's process",
    ),
    "too much": (
        "<script>document.body.hidden = 1; document.body.append('x'.repeat(300000))</script>",
        "its scripts made more than 200,000 bytes of it",
    ),
    "taken away": ("<script>document.body.innerHTML = 'Nothing here without a network'</script>", "its scripts took away more than half of its words"),
    "too large": (f"<!--{'x' * 200_000}-->", "more than 200,000 bytes"),
}  # fmt: skip


@pytest.fixture(scope="module")
def bounded_renderer() -> Iterator[Renderer]:
    with renderer(seconds=2, max_bytes=200_000) as one:
        yield one


@pytest.mark.parametrize("how", FAILING)
def test_a_page_that_fails_is_left_as_it_came(bounded_renderer: Renderer, how: str) -> None:
    """And the next page is none the worse."""
    script, why = FAILING[how]
    html = f"<body><p>{STORY * 5}</p>{script}"
    begin = time.monotonic()
    found = bounded_renderer.render(html)
    if how == "memory" and "did not end" in found.note:  # a machine too busy to give it all that memory in time
        why = "its scripts did not end within 2 s"
    assert found == RenderedPage(html=html, done=False, note=f"not rendered: {why}")
    assert time.monotonic() - begin < 60
    assert STORY.strip() in extract(found.html).text
    assert "BUILT" in render_patiently(bounded_renderer, f"<body>{BUILT['at once']}").html


def render_patiently(one: Renderer, html: str) -> RenderedPage:
    """Two seconds may be too few on a busy machine, three times two seconds are not."""
    for _ in range(3):
        found = one.render(html)
        if found.done and not found.note:
            break
    return found


def test_a_browser_that_dies_is_started_again(bounded_renderer: Renderer) -> None:
    render_patiently(bounded_renderer, "<p>x")
    for child in children(os.getpid(), "--headless"):
        os.kill(child, signal.SIGKILL)
    found = [bounded_renderer.render(f"<body>{BUILT['at once']}") for _ in range(3)]
    assert all(one.done or one.note for one in found)
    assert "BUILT" in render_patiently(bounded_renderer, f"<body>{BUILT['at once']}").html


def children(parent: int, word: str) -> list[int]:
    """Processes below a process whose command line holds a word."""
    stats = [(int(path.name), path) for path in Path("/proc").iterdir() if path.name.isdecimal()]
    above: dict[int, int] = {}
    lines: dict[int, str] = {}
    for number, path in stats:
        try:
            above[number] = int((path / "stat").read_text().rpartition(")")[2].split()[1])
            lines[number] = (path / "cmdline").read_bytes().replace(b"\0", b" ").decode(errors="replace")
        except OSError:
            continue

    def below(number: int) -> bool:
        while number in above:
            number = above[number]
            if number == parent:
                return True
        return False

    return [number for number, line in lines.items() if word in line and below(number)]


def wait(what: Callable[[], bool]) -> None:
    end = time.monotonic() + 30
    while not what():
        assert time.monotonic() < end, "waited too long"
        time.sleep(0.05)


@contextmanager
def script(code: str) -> Iterator[subprocess.Popen[str]]:
    process = subprocess.Popen([sys.executable, "-c", code], stdout=subprocess.PIPE, stdin=subprocess.PIPE, text=True)
    try:
        yield process
    finally:
        process.kill()
        process.communicate()


@pytest.mark.skipif(not os.path.isdir("/proc/self"), reason="processes are looked for in /proc")
@pytest.mark.parametrize("end", ["close", "exit", "kill"])
def test_no_browser_outlives_its_owner(end: str) -> None:
    renderer()
    code = (
        "from templatemine.config import RenderConfig; from templatemine.pages.render.rendering import Renderer\n"
        "one = Renderer(RenderConfig(sandbox=False)); one.start(); print('ready', flush=True)\n"
        f"input(); {'one.close(); print(1, flush=True); input()' if end == 'close' else ''}"
    )
    with script(code) as process:
        assert process.stdout is not None
        assert process.stdin is not None
        assert process.stdout.readline() == "ready\n"
        begun = children(process.pid, "headless")
        assert begun
        if end == "kill":
            process.kill()
        else:
            process.stdin.write("\n")
            process.stdin.flush()
        if end == "close":
            assert process.stdout.readline() == "1\n"
        wait(
            lambda: (
                not any(
                    Path(f"/proc/{number}/cmdline").exists() and Path(f"/proc/{number}/cmdline").read_bytes()
                    for number in begun
                )
            )
        )


def test_within_a_loop_and_from_several_threads(browser: Renderer) -> None:
    async def inside() -> RenderedPage:
        return browser.render(f"<body>{BUILT['at once']}")

    assert "BUILT" in asyncio.run(inside()).html
    found: list[RenderedPage] = []
    threads = [
        threading.Thread(target=lambda n=n: found.append(browser.render(f"<body><script>document.body.append('n{n}')</script>")))
        for n in range(4)
    ]  # fmt: skip
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert {n for n in range(4) for one in found if f"</script>n{n}" in one.html} == set(range(4))


# ------------------------------------------------------------------------------------------------------- what is missing


def test_without_playwright(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "playwright.async_api", None)
    with (
        Renderer() as one,
        pytest.raises(MissingExtraError, match=re.escape(f"{pip_line('render')} && playwright")),
    ):
        one.render("<p>x")


def test_without_chromium(monkeypatch: pytest.MonkeyPatch) -> None:
    pytest.importorskip("playwright")
    monkeypatch.setenv("PATH", "")
    monkeypatch.delenv("CHROMIUM", raising=False)
    monkeypatch.setenv("PLAYWRIGHT_BROWSERS_PATH", "/nosuch")
    with Renderer() as one, pytest.raises(MissingExtraError, match="playwright install chromium"):
        one.start()
    with (
        Renderer(RenderConfig(program="/nosuch/chromium")) as one,
        pytest.raises(ConfigError, match="/nosuch/chromium: expected"),
    ):
        one.start()


@pytest.mark.skipif(not hasattr(os, "geteuid") or os.geteuid() != 0, reason="root alone is refused")
def test_as_root_the_sandbox_says_why_it_does_not_start() -> None:
    renderer()
    with (
        Renderer() as one,
        pytest.raises(ConfigError, match="as root it does not start with its sandbox.*sandbox=False"),
    ):
        one.start()


@pytest.mark.parametrize(
    ("option", "value", "message"),
    [("network", "some", "network: expected none, origin or any, got 'some'"), ("seconds", 0.0, "seconds: expected"), ("max_bytes", -1, "max_bytes: expected")],
)  # fmt: skip
def test_options(option: str, value: object, message: str) -> None:
    with pytest.raises(ConfigError, match=message):
        RenderConfig(**{option: value})  # type: ignore[arg-type]
