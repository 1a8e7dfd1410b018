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
from templatemine.errors import ConfigError, MissingExtraError, pip_line, spelled
from templatemine.pages.render.proxy import PageProxy, host_and_port

PROGRAMS = ("chromium", "chromium-browser", "google-chrome-stable", "google-chrome")

CONTENT_TYPE = "text/html; charset=utf-8"

NO_ADDRESS = "https://page.invalid/"
"""The address of pages without one; the name exists nowhere (RFC 6761)."""

ARGUMENTS = (
    # Requests that Playwright does not see (redirects, sockets, names looked up ahead) goes to the proxy,
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
CLOSED_ARGUMENTS = ("--proxy-server=http://nowhere.invalid:9", "--host-resolver-rules=MAP * ~NOTFOUND")
"""Options of a browser without a network: nothing leads out, and no name is resolved."""
PROXY_ARGUMENTS = ("--proxy-server=http://127.0.0.1:{port}", "--host-resolver-rules=MAP * ~NOTFOUND, EXCLUDE 127.0.0.1")
"""Options of a browser with a network: `PageProxy` is the only way out, and resolves names."""

ENVIRONMENT = ("PATH", "HOME", "LANG", "LC_ALL", "TMPDIR", "XDG_CACHE_HOME", "FONTCONFIG_PATH", "LD_LIBRARY_PATH")
"""Variables of the environment that the browser gets; keys and tokens are often there too."""

BLOCKED_TYPES = frozenset({"image", "media", "font"})
"""Resources without text, which are not loaded even from an open network."""

STEP_SECONDS = 3.0
"""Seconds for each thing that is ours: to make a context, to take the HTML, to end the context."""
START_SECONDS = 60.0
"""Seconds for a browser to start; on a busy machine it has taken ten."""

FRAMES_SCRIPT = """
  window.requestAnimationFrame = (act) => window.setTimeout(() => act(performance.now()), 16);
  window.cancelAnimationFrame = window.clearTimeout;
"""
"""Frames by the page's clock; those of the screen go by ours, and would come when the page's time is over."""

TWO_FRAMES = "new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(() => done())))"
"""Two frames of the screen, so that scripts that observe the view are called."""

FRAME_SECONDS = 0.5
"""Seconds."""

HTML_SCRIPT = """(most) => {
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


class RenderFailure(Exception):
    """A page that could not be rendered, and why."""


def find_browser(program: str | None = None) -> str | None:
    """Return the path of Chromium: the one that is named, the one in CHROMIUM, or an installed one; None if there is
    none."""
    named = program or os.environ.get("CHROMIUM")
    if named:
        return named
    return next((path for name in PROGRAMS if (path := shutil.which(name))), None)


class BrowserSession:
    """A running browser; see `start`."""

    def __init__(self, playwright: Any, browser: Any, proxy: PageProxy | None, config: RenderConfig) -> None:
        self._playwright, self._browser, self._proxy, self._config = playwright, browser, proxy, config
        self._is_stuck = False

    @classmethod
    async def start(cls, config: RenderConfig) -> BrowserSession:
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
        proxy = None if config.network == "none" else PageProxy(config.allow_private, config.max_loaded)
        try:
            if proxy is not None:
                await proxy.start()
            browser = await playwright.chromium.launch(
                executable_path=_find_program(playwright, config),
                chromium_sandbox=config.sandbox,
                args=[
                    *ARGUMENTS,
                    *(
                        argument.format(port=proxy.port) if proxy else argument
                        for argument in (PROXY_ARGUMENTS if proxy else CLOSED_ARGUMENTS)
                    ),
                ],
                env={name: os.environ[name] for name in ENVIRONMENT if name in os.environ},
                ignore_default_args=["--disable-popup-blocking"],
                timeout=START_SECONDS * 1000,
            )
        except BaseException as error:
            with suppress(Exception):
                await asyncio.wait_for(playwright.stop(), STEP_SECONDS)
            if proxy is not None:
                await proxy.stop()
            if isinstance(error, Error):
                raise _start_error(str(error)) from error
            raise
        return cls(playwright, browser, proxy, config)

    @property
    def is_alive(self) -> bool:
        """Return whether it can take another page."""
        return not self._is_stuck and bool(self._browser.is_connected())

    async def stop(self) -> None:
        """End the browser."""
        for work in (self._browser.close, self._playwright.stop):
            with suppress(Exception):
                await asyncio.wait_for(work(), STEP_SECONDS)
        if self._proxy is not None:
            await self._proxy.stop()

    async def render(self, html: str, url: str | None) -> tuple[str, str]:
        """Return the HTML of a page after its scripts ran, and a note on it, or "".

        Raises
        ------
        RenderFailure
            They did not end in time, ended the page, or made too much of it.
        """
        from playwright.async_api import Error

        host = host_and_port(url or "")
        address = url if url and host and url.startswith(("http://", "https://")) and len(url) < 2000 else NO_ADDRESS
        context = None
        try:
            context = await asyncio.wait_for(self._context(), STEP_SECONDS)
            return await self._run(context, html, address)
        except TimeoutError as error:
            raise RenderFailure("the browser did not answer") from error
        except Error as error:
            code = _ERROR_CODE.search(str(error))
            raise RenderFailure(f"the browser says {code[0] if code else _first_line(str(error))}") from error
        finally:
            if self._proxy is not None:
                await self._proxy.close_page()
            if context is not None:
                await self._close(context)

    async def _context(self) -> Any:
        return await self._browser.new_context(accept_downloads=False, service_workers="block")

    async def _close(self, context: Any) -> None:
        try:
            await asyncio.wait_for(context.close(), STEP_SECONDS)
        except Exception:
            self._is_stuck = True

    async def _run(self, context: Any, html: str, address: str) -> tuple[str, str]:
        page = await asyncio.wait_for(context.new_page(), STEP_SECONDS)
        crashed = asyncio.Event()
        page.on("crash", lambda _: crashed.set())
        context.on("page", lambda window: asyncio.ensure_future(_close_window(window)))
        await asyncio.wait_for(context.add_init_script(FRAMES_SCRIPT), STEP_SECONDS)
        await asyncio.wait_for(context.route("**/*", self._request_handler(html)), STEP_SECONDS)
        scripts = asyncio.ensure_future(self._run_scripts(context, page, address))
        crash = asyncio.ensure_future(crashed.wait())
        try:
            await asyncio.wait({scripts, crash}, return_when=asyncio.FIRST_COMPLETED)
            if crashed.is_set():
                raise RenderFailure("its scripts ended the page's process")
            return await scripts
        finally:
            scripts.cancel()
            crash.cancel()
            await asyncio.gather(scripts, crash, return_exceptions=True)

    def _request_handler(self, html: str) -> Any:
        """Make the handler of the requests of a page: the first is for the page itself."""
        body, served = html.encode("utf-8", "replace"), False

        async def handle(route: Any, request: Any) -> None:
            nonlocal served
            if request.is_navigation_request():
                # Frames, and scripts that lead elsewhere or load the page again, get an answer that changes nothing.
                already_served, served = served, True
                answer = (
                    {"status": 204} if already_served else {"status": 200, "content_type": CONTENT_TYPE, "body": body}
                )
                await route.fulfill(**answer)
            elif self._proxy is None or request.resource_type in BLOCKED_TYPES:
                await route.abort()
            else:
                await route.continue_()

        return handle

    async def _run_scripts(self, context: Any, page: Any, address: str) -> tuple[str, str]:
        """Run the scripts of a page, then take its HTML, and a note on it."""
        config = self._config
        tools = await asyncio.wait_for(context.new_cdp_session(page), STEP_SECONDS)
        settled = asyncio.Event()
        tools.on("Emulation.virtualTimeBudgetExpired", lambda _: settled.set())
        if self._proxy is not None:
            self._proxy.open(host_and_port(address) if config.network == "origin" else None)
        timeout_note = f"its scripts did not end within {config.seconds:g} s"
        finished = True
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
                        await asyncio.wait_for(_evaluate(tools, TWO_FRAMES), FRAME_SECONDS)
        except TimeoutError:
            finished = False
        try:
            html = await asyncio.wait_for(_evaluate(tools, f"({HTML_SCRIPT})({config.max_bytes})"), STEP_SECONDS)
        except TimeoutError as error:
            raise RenderFailure(timeout_note) from error
        if not isinstance(html, str):
            raise RenderFailure(f"its scripts made more than {config.max_bytes:,} bytes of it")
        return html, "" if finished else f"{timeout_note}; taken as they had left it"


async def _evaluate(tools: Any, expression: str) -> Any:
    """Return the value of an expression in the page, in a world of our own."""
    frame = (await tools.send("Page.getFrameTree"))["frameTree"]["frame"]
    if "unreachableUrl" in frame:
        raise RenderFailure("its scripts led to another page")
    world = await tools.send("Page.createIsolatedWorld", {"frameId": frame["id"]})
    options = {"contextId": world["executionContextId"], "returnByValue": True, "awaitPromise": True}
    return (await tools.send("Runtime.evaluate", {"expression": expression, **options}))["result"].get("value")


async def _close_window(page: Any) -> None:
    """Close a window that a page opened: it is no part of the page."""
    with suppress(Exception):
        await asyncio.wait_for(page.close(), STEP_SECONDS)


def _find_program(playwright: Any, config: RenderConfig) -> str | None:
    """Return the path of the browser, None for Playwright's own."""
    named = config.program or os.environ.get("CHROMIUM")
    if not named and os.path.exists(playwright.chromium.executable_path):
        return None
    path = find_browser(named)
    if path is None:
        raise MissingExtraError(
            "rendering needs Chromium: playwright install chromium, or apt-get install chromium, or name one (CHROMIUM)"
        )
    if not os.access(path, os.X_OK):
        raise ConfigError(f"{path}: expected Chromium, found no program that can be run")
    return path


_ERROR_CODE = re.compile(r"ERR_[A-Z_]+")


_CAUSES: Mapping[str, str] = {
    "without --no-sandbox": "as root it does not start with its sandbox; be another user",
    "No usable sandbox": "this system gives it no sandbox; allow user namespaces",
}
"""Messages of Chromium when it does not start, and remedies."""


def _start_error(message: str) -> ConfigError | MissingExtraError:
    if "xecutable doesn't exist" in message:
        return MissingExtraError("rendering needs Chromium: playwright install chromium, or name one in CHROMIUM")
    for words, cause in _CAUSES.items():
        if words in message:
            option = spelled("--render-no-sandbox", "sandbox=False")
            return ConfigError(
                f"Chromium does not start: {cause}, or do without ({option}) where something else keeps the pages in, "
                "such as a container"
            )
    return ConfigError(f"Chromium does not start: {_first_line(message)}")


def _first_line(message: str) -> str:
    """Return the first line of a message of Playwright."""
    return message.strip().partition("\n")[0][:300] or "no reason was given"
