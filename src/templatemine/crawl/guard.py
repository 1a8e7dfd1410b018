"""The layer between crawler and network: it refuses private addresses, and bounds requests and responses.

A site that asks for a pause (Retry-After) gets it, up to a limit.  Requests that would wait for it go back to the
queue, so that they do not count among the concurrent fetches.

Names are resolved at the moment of connecting, and the connection goes to the address that was checked.  So a name that
resolves to a public address now and to a private one later (DNS rebinding) does not get through, nor does a redirect,
nor an address written as one number.

Responses are bounded: the body by Scrapy (compressed and uncompressed), the head and the number of content encodings
here.
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

from templatemine.crawl.revisit import parse_retry_after
from templatemine.crawl.state import FETCHED_ALREADY
from templatemine.io.addresses import is_public
from templatemine.io.sources import domain_of, host_of

_RETRY_STATUSES = (429, 503)
"""Status codes whose Retry-After is a request to wait: RFC 6585, section 4, and RFC 9110, section 15.6.4."""

_WAITING = "waits for its site"

_MAX_HEAD_BYTES = 1 << 18
"""Most bytes of the head of a response, with interim responses (1xx): Chromium's limit (kMaxHeaderBufSize)."""

_MAX_HEAD_LINES = 1000
"""Most lines of the head; Python's http.client accepts 100 headers, and real sites send fewer."""

_MAX_ENCODINGS = 5
"""Most nested content encodings of a body: curl's limit.  Decoding each may take as long as a whole body."""

_MAX_REFUSED = 100_000
"""Most refused names that are remembered for the message; further ones are reported as unresolved."""


@implementer(IHostnameResolver)
class GuardedResolver:
    """Resolves names with the resolver of the system, and passes on public addresses only (``TWISTED_DNS_RESOLVER``).

    Attributes
    ----------
    refused : set of str
        Names, or addresses in any notation, that resolved to private addresses only.
    """

    def __init__(self, reactor: Any, allow_private: bool) -> None:
        self.refused: set[str] = set()
        self._reactor, self._allow_private = reactor, allow_private
        self._inner = reactor.nameResolver

    @classmethod
    def from_crawler(cls, crawler: Any, reactor: Any) -> GuardedResolver:
        """Construct it; Scrapy calls this."""
        return cls(reactor, crawler.settings.getbool("TEMPLATEMINE_ALLOW_PRIVATE"))

    def install_on_reactor(self) -> None:
        """Install this resolver in the reactor."""
        self._reactor.installNameResolver(self)

    def resolveHostName(
        self,
        resolutionReceiver: Any,
        hostName: str,
        portNumber: int = 0,
        addressTypes: Sequence[Any] | None = None,
        transportSemantics: str = "TCP",
    ) -> Any:
        """Resolve a name; see `IHostnameResolver`."""
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
    """The head of a response is longer than any browser accepts."""

    def __init__(self) -> None:
        super().__init__("the headers of the answer are too long")


class _BoundedParser:
    """Mixin of Twisted's response parser that counts the lines of the head, with those of continued headers and interim
    responses.  Twisted bounds the length of each line and the trailers, but not the number of lines.
    """

    _lines = _bytes = 0

    def lineReceived(self, line: bytes) -> None:
        """Count a line and pass it on; the exception ends the connection."""
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
        # Each request makes a new parser, of a class that cannot be configured.
        self._parser.__class__ = _bounded_parser(self._parser.__class__)
        return answer

    return type("BoundedProtocol", (protocol,), {"request": request})


def bound_factory(factory: Any) -> type:
    """Return a subclass of the connection factory of a pool whose connections bound the head of each response."""

    def build(self: Any, address: Any) -> Any:
        protocol = factory.buildProtocol(self, address)
        protocol.__class__ = _bounded_protocol(protocol.__class__)
        return protocol

    return type("BoundedFactory", (factory,), {"buildProtocol": build})


def _is_head_too_long(error: BaseException | None) -> bool:
    """Return whether an error is, or was caused by, `HeadTooLong`; Twisted and Scrapy each wrap it."""
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
    """Scrapy's handler, with the delay counted from the end of a fetch, not from its start: the site never sees less
    than the delay, however long connecting took.

    After a response that asks for a pause the slot pauses for that time, and the page is requested again afterwards.
    Requests for robots.txt wait in the slot, since pages wait for them.

    Each request is sent once: Twisted would repeat it at once, within the delay, if a connection that was kept open
    turns out to be closed.  Scrapy's own retries respect the delay.
    """

    def __init__(self, crawler: Any) -> None:
        super().__init__(crawler)
        self._pool.retryAutomatically = False
        self._pool._factory = bound_factory(self._pool._factory)
        self._longest = crawler.settings.getfloat("TEMPLATEMINE_MAX_WAIT")

    async def download_request(self, request: Request) -> Response:
        """Fetch; raises `PostponedRequest` if the response asks to come back later."""
        pause = 0.0
        try:
            response = await super().download_request(request)
            pause = min(_requested_pause(response), self._longest)
        except Exception as error:
            if _is_head_too_long(error):  # another attempt would have the same result
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
    """Return the seconds that a response asks to wait, 0 if none."""
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
    """Return whether a request is for a page or feed itself, not for the target of a redirect."""
    return "job" in request.meta and not request.meta.get("redirect_urls")


def return_requests(slot: Any, seconds: float, *, all_of_it: bool = False) -> None:
    """Return the waiting requests of a slot of Scrapy's downloader: those for pages and feeds, or all."""
    for request, deferred in list(slot.queue):
        if all_of_it or _is_first_request(request):
            slot.queue.remove((request, deferred))
            deferred.errback(Failure(PostponedRequest(_WAITING, seconds)))


class PolitenessMiddleware:
    """The middleware closest to the network: it sees a request last, and its response first.

    Scrapy keeps the delay within a slot.  The slot is the registered domain, for pages, robots.txt, retries and targets
    of redirects.  A request that would wait for longer than the delay is postponed (`PostponedRequest`), unless it is
    the target of a redirect.  ``meta["wire"]`` keeps the response as received, before its content encoding is removed.
    """

    def __init__(self, crawler: Any) -> None:
        self._crawler, self._delay = crawler, crawler.settings.getfloat("DOWNLOAD_DELAY")

    @classmethod
    def from_crawler(cls, crawler: Any) -> PolitenessMiddleware:
        """Construct it; Scrapy calls this."""
        return cls(crawler)

    def process_request(self, request: Request) -> None:
        """Set the slot; postpone the request, or refuse a redirect to a page that is already fetched."""
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
        """Keep the response as received; refuse one with too many content encodings."""
        if sum(line.count(b",") + 1 for line in response.headers.getlist("Content-Encoding")) > _MAX_ENCODINGS:
            raise IgnoreRequest(f"has more than {_MAX_ENCODINGS} content encodings")
        request.meta["wire"] = response.copy()  # decompression removes the header
        return response

    def process_exception(self, request: Request, exception: Exception) -> None:
        """Report a name that was refused (and not retry it), as distinct from one that does not exist."""
        from twisted.internet import reactor

        refused = getattr(getattr(reactor, "nameResolver", None), "refused", ())
        if host_of(request.url) in refused:
            raise IgnoreRequest("is a private address; --allow-private allows it") from exception


class RobotsMiddleware:
    """Applies RFC 9309, sections 2.3.1.3 and 2.3.1.4, to failed requests for robots.txt: a server error, after the
    retries, forbids the whole host, and a missing file allows all of it."""

    def process_response(self, request: Request, response: Response) -> Response:
        """Replace the body of an error response by the rules that follow from it."""
        if not request.meta.get("dont_obey_robotstxt") or response.status < 400:
            return response
        return response.replace(body=b"User-agent: *\nDisallow: /\n" if response.status >= 500 else b"")
