"""The spider: requests the addresses that `CrawlFrontier` hands out, and returns the responses to it."""

from __future__ import annotations

import asyncio
import time
from collections.abc import AsyncIterator
from typing import Any
from urllib.parse import urlsplit

from scrapy import Request, Spider, signals
from scrapy.exceptions import CloseSpider, IgnoreRequest
from scrapy.http import Response
from scrapy.spidermiddlewares.httperror import HttpError
from scrapy.utils.asyncio import create_looping_call

from templatemine.crawl.frontier import CrawlFrontier, CrawlResponse
from templatemine.crawl.guard import PostponedRequest, return_requests
from templatemine.crawl.state import Feed, Page
from templatemine.crawl.warc_output import Exchange
from templatemine.errors import TemplateMineError
from templatemine.io.sources import domain_of

_TICK = 0.05
"""Seconds between checks of the queues if nothing is due."""

_END_TICK = 0.2
"""Seconds between checks whether the crawl is about to end."""

_MAX_REASON_LENGTH = 200


class FrontierSpider(Spider):  # type: ignore[misc]
    """Fetches until the time is over, or the frontier is finished.

    At the end, fetches that have begun finish, and waiting requests are returned to the frontier: their pages stay due.
    """

    name = "history"

    def __init__(self, frontier: CrawlFrontier, seconds: float, **options: Any) -> None:
        super().__init__(**options)
        self.fatal_error: TemplateMineError | None = None
        self._frontier, self._end = frontier, time.monotonic() + seconds

    @classmethod
    def from_crawler(cls, crawler: Any, *args: Any, **options: Any) -> FrontierSpider:
        """Construct it; Scrapy calls this."""
        spider: FrontierSpider = super().from_crawler(crawler, *args, **options)
        crawler.signals.connect(spider._robots, signals.robots_parsed)
        crawler.signals.connect(spider._opened, signals.spider_opened)
        crawler.signals.connect(spider._closed, signals.spider_closed)
        return spider

    def _opened(self) -> None:
        self._watching = create_looping_call(self._watch)
        self._watching.start(_END_TICK, now=False)

    def _closed(self) -> None:
        if self._watching.running:
            self._watching.stop()

    def _robots(self, robotparser: Any, request: Request) -> None:
        """Apply the Crawl-delay of a robots.txt; if hosts of a domain ask for several, the longest."""
        settings, downloader = self.crawler.settings, self.crawler.engine.downloader
        requested = robotparser.crawl_delay(settings["USER_AGENT"]) or 0.0
        domain = domain_of(request.url)
        slot_settings = downloader.per_slot_settings.setdefault(domain, {})
        current = slot_settings.get("delay", settings.getfloat("DOWNLOAD_DELAY"))
        delay = min(requested, settings.getfloat("TEMPLATEMINE_MAX_WAIT"))
        if delay > current:
            slot_settings["delay"] = delay  # for slots that are made later
            if domain in downloader.slots:
                downloader.slots[domain].delay = delay
            self._frontier.slow_domains[domain] = delay

    def _watch(self) -> None:
        engine = self.crawler.engine
        if self.fatal_error is not None or time.monotonic() >= self._end or not engine.running:
            for slot in list(engine.downloader.slots.values()):
                return_requests(slot, 0.0, all_of_it=True)

    async def start(self) -> AsyncIterator[Request]:
        """Yield the requests, as they become due."""
        while time.monotonic() < self._end and not self._frontier.is_finished() and self.fatal_error is None:
            job = self._frontier.next_job(time.time())
            if job is None:
                await asyncio.sleep(_TICK)
            else:
                yield self._request(job)

    def _request(self, job: Page | Feed) -> Request:
        meta: dict[str, Any] = {"job": job}
        headers = {}
        if isinstance(job, Feed):
            meta["handle_httpstatus_list"] = [304]
            conditional = {"If-None-Match": job.etag, "If-Modified-Since": job.modified}
            headers = {name: value for name, value in conditional.items() if value}
        else:
            meta["fetched"] = self._frontier.state.is_finished
        return Request(
            job.url,
            callback=self.handle_response,
            errback=self.record_failure,
            headers=headers,
            meta=meta,
            dont_filter=True,
        )

    def handle_response(self, response: Response) -> None:
        """Record a response."""
        try:
            self._frontier.record_response(response.meta["job"], _make_response(response), time.time())
        except TemplateMineError as error:
            self.fatal_error = self.fatal_error or error
            raise CloseSpider("trouble") from error

    def record_failure(self, failure: Any) -> None:
        """Record a failure."""
        error, job = failure.value, failure.request.meta["job"]
        reason = failure_reason(error, failure.request.url)
        try:
            if isinstance(error, PostponedRequest):
                self._frontier.postpone(job, str(error), error.seconds, time.time(), answered=error.answered)
            else:
                self._frontier.record_failure(job, reason, time.time())
        except TemplateMineError as trouble:
            self.fatal_error = self.fatal_error or trouble
            raise CloseSpider("trouble") from trouble


def _make_response(response: Response) -> CrawlResponse:
    wire: Response = response.meta["wire"]
    reason = _REASON_PHRASES.get(wire.status, "")
    headers = [(name, value) for name, value in _header_pairs(wire.headers) if name.lower() not in _TRANSFER_HEADERS]
    headers.append(("Content-Length", str(len(wire.body))))
    exchange = Exchange(
        url=response.url,
        date=time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime()),
        address=str(wire.ip_address) if wire.ip_address else None,
        request=_header_pairs(response.request.headers),
        status=f"{wire.status} {reason}".rstrip(),
        headers=headers,
        body=wire.body,
    )
    return CrawlResponse(
        status=response.status,
        content_type=_header(response.headers, "Content-Type") or "",
        etag=_header(response.headers, "ETag"),
        modified=_header(response.headers, "Last-Modified"),
        body=response.body,
        exchange=exchange,
    )


_TOO_LARGE = "larger than --max-size"
"""Replaces messages of Scrapy that differ from page to page."""


def failure_reason(error: Exception, url: str) -> str:
    """Return the reason of a failure, without address and host, so that equal failures have equal reasons."""
    name = type(error).__name__
    if isinstance(error, HttpError):
        return f"HTTP {error.response.status}"
    if name == "DownloadCancelledError" or "DOWNLOAD_MAXSIZE" in str(error):  # as it came, or unpacked
        return _TOO_LARGE
    text = str(error) if isinstance(error, IgnoreRequest) and str(error) else f"{name}: {error}"
    host = urlsplit(url).hostname or url
    for part in (url, host) if "." in host else (url,):
        text = text.replace(part, "...")
    return " ".join(text.split())[:_MAX_REASON_LENGTH]


_TRANSFER_HEADERS = frozenset({"content-length", "transfer-encoding", "connection", "keep-alive"})
"""Headers of the transfer, which no longer apply to the body that is stored."""

_REASON_PHRASES = {200: "OK", 203: "Non-Authoritative Information", 206: "Partial Content"}


def _header_pairs(headers: Any) -> list[tuple[str, str]]:
    return [
        (name.decode("latin-1"), " ".join(value.decode("latin-1").split()))
        for name, values in headers.items()
        for value in values
    ]


def _header(headers: Any, name: str) -> str | None:
    value = headers.get(name)
    return None if value is None else value.decode("latin-1")
