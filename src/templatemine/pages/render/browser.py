"""A Chromium that strangers' pages are run in, driven by Playwright: started, given one page after the other, ended.

Everything here runs in one event loop, and every wait has an end: a page can keep its own process busy for ever, and
then nothing that is asked of it is answered.
"""

from __future__ import annotations

import asyncio
import os
import re
import shutil
from collections.abc import Mapping
from contextlib import suppress
from typing import Any

from templatemine.config import RenderConfig
from templatemine.errors import ConfigError, MissingExtraError, pip_line
from templatemine.pages.render.gate import Gate, host_and_port

__all__ = ["Refused", "Session", "find_browser"]

PROGRAMS = ("chromium", "chromium-browser", "google-chrome-stable", "google-chrome")

TYPE = "text/html; charset=utf-8"

NOWHERE = "https://page.invalid/"
"""The address of pages without one; the name exists nowhere (RFC 6761)."""

ARGUMENTS = (
    # What Playwright does not see of a page's requests (redirects, sockets, names looked up ahead) goes to the proxy,
    # loopback too, and what would go past a proxy does not go.
    "--proxy-bypass-list=<-loopback>",
    "--force-webrtc-ip-handling-policy=disable_non_proxied_udp",
    "--webrtc-ip-handling-policy=disable_non_proxied_udp",
    "--disable-quic",
    "--disable-gpu",
    "--disable-3d-apis",
    # Mebibytes; a script that wants more ends its page, not the machine.
    "--js-flags=--max-old-space-size=512",
)
CLOSED = ("--proxy-server=http://nowhere.invalid:9", "--host-resolver-rules=MAP * ~NOTFOUND")
"""Of a browser without a network: there is no way out, and no name has an address."""
OPEN = ("--proxy-server=http://127.0.0.1:{port}", "--host-resolver-rules=MAP * ~NOTFOUND, EXCLUDE 127.0.0.1")
"""Of one with: the gate is the way out, and looks names up."""

ENVIRONMENT = ("PATH", "HOME", "LANG", "LC_ALL", "TMPDIR", "XDG_CACHE_HOME", "FONTCONFIG_PATH", "LD_LIBRARY_PATH")
"""What the browser learns of the environment; keys and tokens often stand there too."""

UNSEEN = frozenset({"image", "media", "font"})
"""What is not loaded even where the network is open: it makes no text."""

GRACE = 3.0
"""Seconds for each thing that is ours: to make a context, to take the HTML, to end the context."""
START = 60.0
"""Seconds for a browser to start; on a busy machine it has taken ten."""

FRAMES = """
  window.requestAnimationFrame = (act) => window.setTimeout(() => act(performance.now()), 16);
  window.cancelAnimationFrame = window.clearTimeout;
"""
"""Frames by the page's clock; those of the screen go by ours, and would come when the page's time is over."""

DRAWN = "new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(() => done())))"
"""Two frames of the screen, so that who watches what comes into view is told of it."""

FRAME = 0.5
"""Seconds."""

HTML = """(most) => {
  const flatten = (root) => {
    for (const host of root.querySelectorAll("*")) {
      const shadow = host.shadowRoot;
      if (!shadow) continue;
      flatten(shadow);
      for (const style of shadow.querySelectorAll("style")) style.remove();
      for (const slot of shadow.querySelectorAll("slot")) {
        const given = slot.assignedNodes();
        slot.replaceWith(...(given.length ? given : slot.childNodes));
      }
      host.replaceChildren(...shadow.childNodes);
    }
  };
  flatten(document);
  const type = document.doctype ? "<!DOCTYPE " + document.doctype.name + ">" : "";
  const html = type + (document.documentElement ? document.documentElement.outerHTML : "");
  return html.length > most ? html.length : html;
}"""
"""The HTML of the document, with what web components show in their places; its length if it is too long.  It runs in a
world of its own, where nothing is felt of what a page does to the language."""


class Refused(Exception):
    """A page that could not be rendered, and why."""


def find_browser(program: str | None = None) -> str | None:
    """Path of Chromium: the one that is named, the one in CHROMIUM, or one that is installed; None if there is none."""
    named = program or os.environ.get("CHROMIUM")
    if named:
        return named
    return next((found for name in PROGRAMS if (found := shutil.which(name))), None)


class Session:
    """A running browser; see `start`."""

    def __init__(self, playwright: Any, browser: Any, gate: Gate | None, config: RenderConfig) -> None:
        self._playwright, self._browser, self._gate, self._config = playwright, browser, gate, config
        self._stuck = False

    @classmethod
    async def start(cls, config: RenderConfig) -> Session:
        """Start a browser.

        Raises
        ------
        MissingExtraError
            Playwright or Chromium is not installed.
        ConfigError
            Chromium does not start.
        """
        try:
            from playwright.async_api import Error, async_playwright
        except ImportError as error:
            raise MissingExtraError(
                f"rendering needs playwright: {pip_line('render')} && playwright install chromium"
            ) from error
        playwright = await async_playwright().start()
        gate = None if config.network == "none" else Gate(config.allow_private, config.max_loaded)
        try:
            if gate is not None:
                await gate.start()
            browser = await playwright.chromium.launch(
                executable_path=_program(playwright, config),
                chromium_sandbox=config.sandbox,
                args=[*ARGUMENTS, *(one.format(port=gate.port) if gate else one for one in (OPEN if gate else CLOSED))],
                env={name: os.environ[name] for name in ENVIRONMENT if name in os.environ},
                ignore_default_args=["--disable-popup-blocking"],
                timeout=START * 1000,
            )
        except BaseException as error:
            with suppress(Exception):
                await asyncio.wait_for(playwright.stop(), GRACE)
            if gate is not None:
                await gate.stop()
            if isinstance(error, Error):
                raise _told(str(error)) from error
            raise
        return cls(playwright, browser, gate, config)

    @property
    def alive(self) -> bool:
        """Whether another page may be given to it."""
        return not self._stuck and bool(self._browser.is_connected())

    async def stop(self) -> None:
        """End the browser."""
        for work in (self._browser.close, self._playwright.stop):
            with suppress(Exception):
                await asyncio.wait_for(work(), GRACE)
        if self._gate is not None:
            await self._gate.stop()

    async def render(self, html: str, url: str | None) -> tuple[str, str]:
        """The HTML of a page after its scripts ran, and what is to be said of it; "" if nothing is.

        Raises
        ------
        Refused
            They did not end in time, ended the page, or made too much of it.
        """
        from playwright.async_api import Error

        place = host_and_port(url or "")
        address = url if url and place and url.startswith(("http://", "https://")) and len(url) < 2000 else NOWHERE
        context = None
        try:
            context = await asyncio.wait_for(self._context(), GRACE)
            return await self._run(context, html, address)
        except TimeoutError as error:
            raise Refused("the browser did not answer") from error
        except Error as error:
            code = _CODE.search(str(error))
            raise Refused(f"the browser says {code[0] if code else _said(str(error))}") from error
        finally:
            if self._gate is not None:
                await self._gate.shut()
            if context is not None:
                await self._close(context)

    async def _context(self) -> Any:
        return await self._browser.new_context(accept_downloads=False, service_workers="block")

    async def _close(self, context: Any) -> None:
        try:
            await asyncio.wait_for(context.close(), GRACE)
        except Exception:
            self._stuck = True

    async def _run(self, context: Any, html: str, address: str) -> tuple[str, str]:
        page = await asyncio.wait_for(context.new_page(), GRACE)
        gone = asyncio.Event()
        page.on("crash", lambda _: gone.set())
        context.on("page", lambda other: asyncio.ensure_future(_shut(other)))
        await asyncio.wait_for(context.add_init_script(FRAMES), GRACE)
        await asyncio.wait_for(context.route("**/*", self._answer(html)), GRACE)
        work = asyncio.ensure_future(self._scripts(context, page, address))
        crash = asyncio.ensure_future(gone.wait())
        try:
            await asyncio.wait({work, crash}, return_when=asyncio.FIRST_COMPLETED)
            if gone.is_set():
                raise Refused("its scripts ended the page's process")
            return await work
        finally:
            work.cancel()
            crash.cancel()
            await asyncio.gather(work, crash, return_exceptions=True)

    def _answer(self, html: str) -> Any:
        """What becomes of the requests of a page: the first is for the page itself."""
        body, given = html.encode("utf-8", "replace"), False

        async def handle(route: Any, request: Any) -> None:
            nonlocal given
            if request.is_navigation_request():
                # Frames, and scripts that lead elsewhere or load the page again, get an answer that changes nothing.
                again, given = given, True
                answer = {"status": 204} if again else {"status": 200, "content_type": TYPE, "body": body}
                await route.fulfill(**answer)
            elif self._gate is None or request.resource_type in UNSEEN:
                await route.abort()
            else:
                await route.continue_()

        return handle

    async def _scripts(self, context: Any, page: Any, address: str) -> tuple[str, str]:
        """Run the scripts of a page, then take its HTML; and what is to be said of it."""
        config = self._config
        tools = await asyncio.wait_for(context.new_cdp_session(page), GRACE)
        settled = asyncio.Event()
        tools.on("Emulation.virtualTimeBudgetExpired", lambda _: settled.set())
        if self._gate is not None:
            self._gate.open(host_and_port(address) if config.network == "origin" else None)
        late = f"its scripts did not end within {config.seconds:g} s"
        done = True
        try:
            async with asyncio.timeout(config.seconds):
                await page.goto(address, wait_until="commit", timeout=0)
                for share in (0.8, 0.2):
                    settled.clear()
                    clock = {"policy": "pauseIfNetworkFetchesPending", "budget": share * config.settle * 1000}
                    await tools.send("Emulation.setVirtualTimePolicy", clock)
                    await settled.wait()
                    # With the page's clock stopped, frames may not come; then nobody waits for them either.
                    with suppress(TimeoutError):
                        await asyncio.wait_for(_ask(tools, DRAWN), FRAME)
        except TimeoutError:
            done = False
        try:
            found = await asyncio.wait_for(_ask(tools, f"({HTML})({config.max_bytes})"), GRACE)
        except TimeoutError as error:
            raise Refused(late) from error
        if not isinstance(found, str):
            raise Refused(f"its scripts made more than {config.max_bytes:,} bytes of it")
        return found, "" if done else f"{late}; taken as they had left it"


async def _ask(tools: Any, expression: str) -> Any:
    """The value of an expression in the page, in a world of our own."""
    frame = (await tools.send("Page.getFrameTree"))["frameTree"]["frame"]
    if "unreachableUrl" in frame:
        raise Refused("its scripts led to another page")
    world = await tools.send("Page.createIsolatedWorld", {"frameId": frame["id"]})
    asked = {"contextId": world["executionContextId"], "returnByValue": True, "awaitPromise": True}
    return (await tools.send("Runtime.evaluate", {"expression": expression, **asked}))["result"].get("value")


async def _shut(page: Any) -> None:
    """A window that a page opened is no part of it."""
    with suppress(Exception):
        await asyncio.wait_for(page.close(), GRACE)


def _program(playwright: Any, config: RenderConfig) -> str | None:
    """The path of the browser, None for Playwright's own."""
    named = config.program or os.environ.get("CHROMIUM")
    if not named and os.path.exists(playwright.chromium.executable_path):
        return None
    found = find_browser(named)
    if found is None:
        raise MissingExtraError(
            "rendering needs Chromium: playwright install chromium, or apt-get install chromium, or name one (CHROMIUM)"
        )
    if not os.access(found, os.X_OK):
        raise ConfigError(f"{found}: expected Chromium, found no program that can be run")
    return found


_CODE = re.compile(r"ERR_[A-Z_]+")


_CAUSES: Mapping[str, str] = {
    "without --no-sandbox": "as root it does not start with its sandbox; be another user",
    "No usable sandbox": "this system gives it no sandbox; allow user namespaces",
}
"""What Chromium says when it does not start, and what can be done about it."""


def _told(said: str) -> ConfigError | MissingExtraError:
    if "xecutable doesn't exist" in said:
        return MissingExtraError("rendering needs Chromium: playwright install chromium, or name one in CHROMIUM")
    for words, cause in _CAUSES.items():
        if words in said:
            return ConfigError(
                f"Chromium does not start: {cause}, or do without (--render-no-sandbox) where something else keeps the "
                "pages in, such as a container"
            )
    return ConfigError(f"Chromium does not start: {_said(said)}")


def _said(said: str) -> str:
    """The first line of what Playwright says."""
    return said.strip().partition("\n")[0][:300] or "no reason was given"
