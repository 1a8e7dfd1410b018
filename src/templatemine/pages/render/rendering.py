"""Pages as they are after their scripts ran, by Chromium: for those that say nothing without.

In comes a page as it was fetched, with its address; out goes the HTML of what its scripts made of it, for any system
to extract.  The page is given to the browser as the answer of its address, so that scripts find the location and the
origin they expect, while nothing is asked of the network.

Pages are strangers.  Each gets a fresh context (no cookies, no storage, no service workers, no downloads), no network
unless it is allowed, which then leads through a `gate`, a number of bytes and a number of seconds.  While a page only
waits, its clock runs ahead, so that most pages take a fraction of a second.  Whatever goes wrong with a page, it is
given back as it came, with a note that says why; a browser that hangs or dies is started anew with the next page.

Cost: the start of a browser, then some tens of milliseconds a page and what its scripts take.
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
from templatemine.pages.render.browser import GRACE, START, Refused, Session

__all__ = ["Rendered", "Renderer"]

Answer = TypeVar("Answer")

FEW = 50
"""Words; a page of fewer has little to lose ("Loading, please wait")."""
LEAST = 0.5
"""A page that its scripts leave with a smaller share of its words is taken as it came: most likely they gave up, for
want of what they could not load."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Rendered:
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
        self._one = threading.Lock()
        self._loop: asyncio.AbstractEventLoop | None = None
        self._thread: threading.Thread | None = None
        self._session: Session | None = None
        self._began = False

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
        with self._one:
            self._ready()

    def render(self, html: str, url: str | None = None) -> Rendered:
        """Render a page.

        Parameters
        ----------
        html : str
        url : str, optional
            Its address; what is no address of http or https counts as none.

        Raises
        ------
        MissingExtraError, ConfigError
            As `start`, with the first page.
        """
        if len(html.encode("utf-8", "replace")) > self.config.max_bytes:
            return _left(html, f"more than {self.config.max_bytes:,} bytes")
        with self._one:
            try:
                session = self._ready()
            except TemplateMineError as error:
                if not self._began:
                    raise
                return _left(html, f"the browser did not start again: {error}")
            try:
                made, note = self._wait(session.render(html, url), self.config.seconds + 10 * GRACE)
            except Refused as error:
                return _left(html, str(error))
            except TimeoutError:
                self._end()
                return _left(html, "the browser did not answer")
            finally:
                if not session.alive:
                    self._end()
        try:
            before, after = _words(html), _words(made)
        except CapacityError as error:
            return _left(html, str(error))
        if before >= FEW and after < LEAST * before:
            return _left(html, "its scripts took away more than half of its words")
        return Rendered(html=made, note=note)

    def close(self) -> None:
        """End the browser.  A page after that starts a new one."""
        with self._one:
            self._end()
            if self._loop is not None and self._thread is not None:
                self._loop.call_soon_threadsafe(self._loop.stop)
                self._thread.join()
            self._loop = self._thread = None

    def _ready(self) -> Session:
        """A browser that is alive."""
        if self._session is None:
            self._session = self._wait(Session.start(self.config), START + 2 * GRACE)
            self._began = True
        return self._session

    def _end(self) -> None:
        session, self._session = self._session, None
        if session is not None:
            with suppress(TimeoutError):  # the driver of the browser ends with this process at the latest
                self._wait(session.stop(), 4 * GRACE)

    def _wait(self, work: Coroutine[Any, Any, Answer], seconds: float) -> Answer:
        """Do something in the loop, which has a thread of its own: whoever calls may be in a loop, or have none."""
        if self._loop is None:
            self._loop = asyncio.new_event_loop()
            self._thread = threading.Thread(target=_serve, args=(self._loop,), name="rendering", daemon=True)
            self._thread.start()
        future = asyncio.run_coroutine_threadsafe(work, self._loop)
        try:
            return future.result(seconds)
        except BaseException:
            future.cancel()
            raise


def _serve(loop: asyncio.AbstractEventLoop) -> None:
    """The life of the thread."""
    asyncio.set_event_loop(loop)
    loop.run_forever()
    tasks = asyncio.all_tasks(loop)
    for task in tasks:
        task.cancel()
    loop.run_until_complete(asyncio.gather(*tasks, return_exceptions=True))
    loop.close()


def _left(html: str, why: str) -> Rendered:
    return Rendered(html=html, done=False, note=f"not rendered: {why}")


def _words(html: str) -> int:
    """Words that are shown."""
    page = Page(html)
    return int(page.words[~page.hidden].sum()) if len(page) else 0
