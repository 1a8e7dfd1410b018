"""Pages as they are after their scripts ran, by Chromium: for those that say nothing without.

In comes a page as it was fetched, with its address; out goes the HTML of what its scripts made of it, for any system
to extract.  The page is given to the browser as the answer of its address, so that scripts find the location and the
origin they expect, while nothing is asked of the network.

Pages are not trusted.  Each gets a fresh context (no cookies, no storage, no service workers, no downloads), no network
unless the options allow one, and a number of seconds; a network leads through `PageProxy`, which bounds the bytes.
While a page only waits, its clock runs ahead, so that most pages take a fraction of a second.  A page that cannot be
rendered is returned as it came, with a note that says why; a browser that hangs or dies is replaced for the next page.

Cost: the start of a browser, then some tens of milliseconds a page and the time of its scripts.
"""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Coroutine
from contextlib import suppress
from dataclasses import dataclass
from types import TracebackType
from typing import Any, TypeVar

from templatemine.config import RenderConfig
from templatemine.errors import CapacityError, TemplateMineError
from templatemine.pages.blocks import Page
from templatemine.pages.render.browser import START_SECONDS, STEP_SECONDS, BrowserSession, RenderFailure

Result = TypeVar("Result")

MIN_WORDS = 50
"""Words; a page of fewer has little to lose ("Loading, please wait")."""
MIN_WORD_SHARE = 0.5
"""A page that its scripts leave with a smaller share of its words is taken as it came: most likely they gave up, for
want of resources."""


@dataclass(frozen=True, slots=True, kw_only=True)
class RenderedPage:
    """A page after its scripts ran.

    Attributes
    ----------
    html : str
        As it came, if it is not `done`.
    done : bool
    note : str
        Why it was not rendered, or not to the end; "" if there is nothing to be said.
    """

    html: str
    done: bool = True
    note: str = ""


class Renderer:
    """A browser for any number of pages, started with the first of them; safe to share between threads.

    Close it, or use it in a with-block: a browser is a dozen of processes.

    Parameters
    ----------
    config : RenderConfig, optional

    Examples
    --------
    >>> with Renderer() as renderer:  # doctest: +SKIP
    ...     text = extract(renderer.render(html, "https://example.org/story").html).text
    """

    def __init__(self, config: RenderConfig | None = None) -> None:
        self.config = config or RenderConfig()
        self._lock = threading.Lock()
        self._loop: asyncio.AbstractEventLoop | None = None
        self._thread: threading.Thread | None = None
        self._session: BrowserSession | None = None
        self._has_started = False

    def __enter__(self) -> Renderer:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def start(self) -> None:
        """Start the browser now.

        Raises
        ------
        MissingExtraError
            Playwright or Chromium is not installed.
        ConfigError
            Chromium does not start.
        """
        with self._lock:
            self._live_session()

    def render(self, html: str, url: str | None = None) -> RenderedPage:
        """Render a page.

        Parameters
        ----------
        html : str
        url : str, optional
            Its address; addresses other than http and https count as missing.

        Raises
        ------
        MissingExtraError, ConfigError
            As `start`, with the first page.
        """
        if len(html.encode("utf-8", "replace")) > self.config.max_bytes:
            return _keep_original(html, f"more than {self.config.max_bytes:,} bytes")
        with self._lock:
            try:
                session = self._live_session()
            except TemplateMineError as error:
                if not self._has_started:
                    raise
                return _keep_original(html, f"the browser did not start again: {error}")
            try:
                rendered, note = self._run_in_loop(session.render(html, url), self.config.seconds + 10 * STEP_SECONDS)
            except RenderFailure as error:
                return _keep_original(html, str(error))
            except TimeoutError:
                self._end_session()
                return _keep_original(html, "the browser did not answer")
            finally:
                if not session.is_alive:
                    self._end_session()
        try:
            before, after = _count_words(html), _count_words(rendered)
        except CapacityError as error:
            return _keep_original(html, str(error))
        if before >= MIN_WORDS and after < MIN_WORD_SHARE * before:
            return _keep_original(html, "its scripts took away more than half of its words")
        return RenderedPage(html=rendered, note=note)

    def close(self) -> None:
        """End the browser.  A page after that starts a new one."""
        with self._lock:
            self._end_session()
            if self._loop is not None and self._thread is not None:
                self._loop.call_soon_threadsafe(self._loop.stop)
                self._thread.join()
            self._loop = self._thread = None

    def _live_session(self) -> BrowserSession:
        """Return a browser that is alive."""
        if self._session is None:
            self._session = self._run_in_loop(BrowserSession.start(self.config), START_SECONDS + 2 * STEP_SECONDS)
            self._has_started = True
        return self._session

    def _end_session(self) -> None:
        session, self._session = self._session, None
        if session is not None:
            with suppress(TimeoutError):  # the driver of the browser ends with this process at the latest
                self._run_in_loop(session.stop(), 4 * STEP_SECONDS)

    def _run_in_loop(self, coroutine: Coroutine[Any, Any, Result], seconds: float) -> Result:
        """Do something in the loop, which has a thread of its own: the caller may be in another loop, or have none."""
        if self._loop is None:
            self._loop = asyncio.new_event_loop()
            self._thread = threading.Thread(target=_run_loop, args=(self._loop,), name="rendering", daemon=True)
            self._thread.start()
        future = asyncio.run_coroutine_threadsafe(coroutine, self._loop)
        try:
            return future.result(seconds)
        except BaseException:
            future.cancel()
            raise


def _run_loop(loop: asyncio.AbstractEventLoop) -> None:
    """Run the loop of the thread until it is stopped."""
    asyncio.set_event_loop(loop)
    loop.run_forever()
    tasks = asyncio.all_tasks(loop)
    for task in tasks:
        task.cancel()
    loop.run_until_complete(asyncio.gather(*tasks, return_exceptions=True))
    loop.close()


def _keep_original(html: str, reason: str) -> RenderedPage:
    return RenderedPage(html=html, done=False, note=f"not rendered: {reason}")


def _count_words(html: str) -> int:
    """Count the words that are shown."""
    page = Page(html)
    return page.count_words(~page.hidden)
