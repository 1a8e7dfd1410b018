"""The layer between crawler and network: no connection to a private address, no domain fetched too often.

A site that asks for time (Retry-After) gets it, up to a limit; requests that would wait for it are returned to the
queue, so that they take no place among the fetches under way.

Names are looked up at the moment of connecting, and the very addresses that were looked at are those connected to: a
name that leads to a public address now and to a private one later (DNS rebinding) gains nothing, nor does a redirect,
nor an address written as one number.

What a site sends is bounded: the body by Scrapy (packed and unpacked), the head of the answer and the layers of its
encoding here.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache
from time import monotonic, time
from typing import Any

from scrapy.core.downloader.handlers.http11 import HTTP11DownloadHandler
from scrapy.exceptions import IgnoreRequest
from scrapy.http import Request, Response
from twisted.internet.interfaces import IHostnameResolver, IResolutionReceiver
from twisted.python.failure import Failure
from zope.interface import implementer

from templatemine.crawl.rhythm import parse_retry_after
from templatemine.crawl.state import FETCHED_ALREADY
from templatemine.io.addresses import is_public
from templatemine.io.sources import domain_of, host_of

__all__ = [
    "GuardedResolver",
    "PolitenessMiddleware",
    "OneRequestHandler",
    "PostponedRequest",
    "RobotsMiddleware",
    "bound_factory",
    "return_requests",
    "is_public",
]

_RETRY_STATUSES = (429, 503)
"""Status codes whose Retry-After is a request to wait: RFC 6585, section 4, and RFC 9110, section 15.6.4."""

_WAITING = "waits for its site"

_MAX_HEAD_BYTES = 1 << 18
"""Most bytes of the head of an answer, interim ones (1xx) included: Chromium's bound (kMaxHeaderBufSize)."""

_MAX_HEAD_LINES = 1000
"""Most lines of it; Python's http.client takes 100 headers, and real sites send below that."""

_MAX_ENCODINGS = 5
"""Most content encodings of a body, one in the other: curl's bound.  Each layer may take as long as a whole body."""

_MAX_REFUSED = 100_000
"""Most refused names that are remembered, for the message; others are reported as unresolved."""


@implementer(IHostnameResolver)
class GuardedResolver:
    """Looks names up as the system does, and hands on only addresses that are public; for ``TWISTED_DNS_RESOLVER``.

    Attributes
    ----------
    refused : set of str
        Names, or addresses in any way of writing, that led nowhere else.
    """

    def __init__(self, reactor: Any, allow_private: bool) -> None:
        self.refused: set[str] = set()
        self._reactor, self._allow_private = reactor, allow_private
        self._inner = reactor.nameResolver

    @classmethod
    def from_crawler(cls, crawler: Any, reactor: Any) -> GuardedResolver:
        """The constructor that Scrapy calls."""
        return cls(reactor, crawler.settings.getbool("TEMPLATEMINE_ALLOW_PRIVATE"))

    def install_on_reactor(self) -> None:
        """Become the resolver of the reactor."""
        self._reactor.installNameResolver(self)

    def resolveHostName(
        self,
        resolutionReceiver: Any,
        hostName: str,
        portNumber: int = 0,
        addressTypes: Sequence[Any] | None = None,
        transportSemantics: str = "TCP",
    ) -> Any:
        """See `IHostnameResolver`."""
        receiver = (
            resolutionReceiver
            if self._allow_private
            else _PublicAddressReceiver(resolutionReceiver, hostName, self.refused)
        )
        return self._inner.resolveHostName(receiver, hostName, portNumber, addressTypes, transportSemantics)


@implementer(IResolutionReceiver)
class _PublicAddressReceiver:
    def __init__(self, receiver: Any, name: str, refused: set[str]) -> None:
        self._receiver, self._name, self._refused = receiver, name, refused
        self._has_address, self._has_public = False, False

    def resolutionBegan(self, resolution: Any) -> None:
        self._receiver.resolutionBegan(resolution)

    def addressResolved(self, address: Any) -> None:
        self._has_address = True
        if is_public(address.host):
            self._has_public = True
            self._receiver.addressResolved(address)

    def resolutionComplete(self) -> None:
        if self._has_address and not self._has_public and len(self._refused) < _MAX_REFUSED:
            self._refused.add(self._name.lower())
        self._receiver.resolutionComplete()


class HeadTooLong(Exception):
    """The head of an answer goes on beyond what any browser takes."""

    def __init__(self) -> None:
        super().__init__("the headers of the answer are too long")


class _BoundedParser:
    """In front of Twisted's parser of answers: the lines of the head are counted, those of a continued header and of
    interim answers too.  Twisted bounds each line and the trailers, not their number.
    """

    _lines = _bytes = 0

    def lineReceived(self, line: bytes) -> None:
        """Pass a line on; an exception ends the connection."""
        self._lines += 1
        self._bytes += len(line) + 1
        if self._lines > _MAX_HEAD_LINES or self._bytes > _MAX_HEAD_BYTES:
            raise HeadTooLong
        super().lineReceived(line)  # type: ignore[misc]


@cache
def _bounded_parser(parser: Any) -> type:
    return type("BoundedParser", (_BoundedParser, parser), {})


@cache
def _bounded_protocol(protocol: Any) -> type:
    def request(self: Any, wanted: Any) -> Any:
        answer = protocol.request(self, wanted)
        # Made by each request anew, of a class that is fixed there.
        self._parser.__class__ = _bounded_parser(self._parser.__class__)
        return answer

    return type("BoundedProtocol", (protocol,), {"request": request})


def bound_factory(factory: Any) -> type:
    """The factory of a pool's connections, with the head of each answer bounded."""

    def build(self: Any, address: Any) -> Any:
        protocol = factory.buildProtocol(self, address)
        protocol.__class__ = _bounded_protocol(protocol.__class__)
        return protocol

    return type("BoundedFactory", (factory,), {"buildProtocol": build})


def _is_head_too_long(error: BaseException | None) -> bool:
    """Whether it is, or was caused by, a head that is too long; Twisted and Scrapy each wrap it."""
    pending, checked = [error], 0
    while pending and checked < 20:
        current = pending.pop()
        checked += 1
        if isinstance(current, HeadTooLong):
            return True
        if current is not None:
            pending += [current.__cause__, current.__context__]
            pending += [getattr(reason, "value", None) for reason in getattr(current, "reasons", None) or ()]
    return False


class OneRequestHandler(HTTP11DownloadHandler):  # type: ignore[misc]
    """Scrapy's, with the delay counted from the end of a fetch, not from its start: what the site sees is never less
    than the delay, however long connecting took.

    After an answer that asks for time the slot rests for so long, and the page is to be asked for again then.  A
    robots.txt waits here itself, as pages wait for it.

    And a request is sent once: Twisted would send it again at once, within the delay, when a connection that was kept
    open turns out to be closed.  Scrapy's own retries wait their turn.
    """

    def __init__(self, crawler: Any) -> None:
        super().__init__(crawler)
        self._pool.retryAutomatically = False
        self._pool._factory = bound_factory(self._pool._factory)
        self._longest = crawler.settings.getfloat("TEMPLATEMINE_MAX_WAIT")

    async def download_request(self, request: Request) -> Response:
        """Fetch; `PostponedRequest` if the answer asks to come again later."""
        pause = 0.0
        try:
            response = await super().download_request(request)
            pause = min(_requested_pause(response), self._longest)
        except Exception as error:
            if _is_head_too_long(error):  # a next attempt would meet the same
                raise IgnoreRequest(str(HeadTooLong())) from error
            raise
        finally:
            slot = self._crawler.engine.downloader.slots.get(request.meta.get("download_slot"))
            if slot is not None:
                # Scrapy adds the delay.
                slot.lastseen = monotonic() + max(0.0, pause - slot.delay)
        if pause and slot is not None:
            return_requests(slot, pause)
        if pause and "job" in request.meta:
            raise PostponedRequest(f"HTTP {response.status}", pause, answered=True)
        return response


def _requested_pause(response: Response) -> float:
    """Seconds that a response asks to wait, 0 if none."""
    if response.status not in _RETRY_STATUSES:
        return 0.0
    after, date = (response.headers.get(name, b"").decode("latin-1") for name in ("Retry-After", "Date"))
    return parse_retry_after(after, date, time())


class PostponedRequest(Exception):
    """A request is postponed: `answered` if the site asked for it, else the request was not sent."""

    def __init__(self, reason: str, seconds: float, *, answered: bool = False) -> None:
        super().__init__(reason)
        self.seconds, self.answered = seconds, answered


def _is_first_request(request: Request) -> bool:
    """Whether a request is for a page or feed itself, not for the target of a redirect."""
    return "job" in request.meta and not request.meta.get("redirect_urls")


def return_requests(slot: Any, seconds: float, *, all_of_it: bool = False) -> None:
    """Return the waiting requests of a slot of Scrapy's downloader: those for pages and feeds, or all."""
    for request, deferred in list(slot.queue):
        if all_of_it or _is_first_request(request):
            slot.queue.remove((request, deferred))
            deferred.errback(Failure(PostponedRequest(_WAITING, seconds)))


class PolitenessMiddleware:
    """The last hand on a request and the first on its response.

    The slot, within which Scrapy keeps the delay, is the registered domain, for pages, robots.txt, retries and what
    redirects lead to alike.  What would wait in it for longer than the delay is postponed (`PostponedRequest`) unless
    a redirect led here.  ``meta["wire"]`` keeps the response as it came, before its content encoding is undone.
    """

    def __init__(self, crawler: Any) -> None:
        self._crawler, self._delay = crawler, crawler.settings.getfloat("DOWNLOAD_DELAY")

    @classmethod
    def from_crawler(cls, crawler: Any) -> PolitenessMiddleware:
        """The constructor that Scrapy calls."""
        return cls(crawler)

    def process_request(self, request: Request) -> None:
        """Name the slot."""
        request.meta.pop("wire", None)
        request.meta["download_slot"] = domain_of(request.url)
        slot = self._crawler.engine.downloader.slots.get(request.meta["download_slot"])
        if slot is not None and _is_first_request(request):
            wait = slot.lastseen + slot.delay - monotonic()
            if wait > self._delay:
                raise PostponedRequest(_WAITING, wait)
        fetched = request.meta.get("fetched")
        if fetched is not None and request.meta.get("redirect_urls") and fetched(request.url):
            raise IgnoreRequest(FETCHED_ALREADY)

    def process_response(self, request: Request, response: Response) -> Response:
        """Keep the response; refuse one that is packed over and over."""
        if sum(line.count(b",") + 1 for line in response.headers.getlist("Content-Encoding")) > _MAX_ENCODINGS:
            raise IgnoreRequest(f"has more than {_MAX_ENCODINGS} content encodings")
        request.meta["wire"] = response.copy()  # what undoes the encoding takes its header away
        return response

    def process_exception(self, request: Request, exception: Exception) -> None:
        """Distinguish a refused name from one that does not exist; it is not retried."""
        from twisted.internet import reactor

        refused = getattr(getattr(reactor, "nameResolver", None), "refused", ())
        if host_of(request.url) in refused:
            raise IgnoreRequest("is a private address; --allow-private allows it") from exception


class RobotsMiddleware:
    """What the answer to a request for robots.txt says if it is no such file (RFC 9309, sections 2.3.1.3 and 2.3.1.4):
    a server error, after the retries, forbids all of the host, and a file that is not there allows all of it."""

    def process_response(self, request: Request, response: Response) -> Response:
        """Replace the text of an error page."""
        if not request.meta.get("dont_obey_robotstxt") or response.status < 400:
            return response
        return response.replace(body=b"User-agent: *\nDisallow: /\n" if response.status >= 500 else b"")
