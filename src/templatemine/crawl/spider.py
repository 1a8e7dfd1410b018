"""The spider: hands out what `History` wants fetched, and hands back what came."""

from __future__ import annotations

import asyncio
import time
from collections.abc import AsyncIterator
from typing import Any

from scrapy import Request, Spider
from scrapy.exceptions import CloseSpider, IgnoreRequest
from scrapy.http import Response
from scrapy.spidermiddlewares.httperror import HttpError

from templatemine.crawl.history import Answer, History
from templatemine.crawl.output import Exchange
from templatemine.crawl.state import Feed, Page
from templatemine.errors import TemplateMineError

__all__ = ["HistorySpider"]

_TICK = 0.05
"""Seconds between looks at the queues when nothing was due."""

_LONGEST_REASON = 200


class HistorySpider(Spider):  # type: ignore[misc]
    """Fetches until the time is up, or nothing is left."""

    name = "history"

    def __init__(self, history: History, seconds: float, **options: Any) -> None:
        super().__init__(**options)
        self.trouble: TemplateMineError | None = None
        self._history, self._end = history, time.monotonic() + seconds

    async def start(self) -> AsyncIterator[Request]:
        """One request after the other, as they become due."""
        while time.monotonic() < self._end and not self._history.over() and self.trouble is None:
            job = self._history.next(time.time())
            if job is None:
                await asyncio.sleep(_TICK)
            else:
                yield self._request(job)

    def _request(self, job: Page | Feed) -> Request:
        meta: dict[str, Any] = {"job": job}
        headers = {}
        if isinstance(job, Feed):
            meta["handle_httpstatus_list"] = [304]
            told = {"If-None-Match": job.etag, "If-Modified-Since": job.modified}
            headers = {name: value for name, value in told.items() if value}
        else:
            meta["fetched"] = self._history.state.finished
        return Request(job.url, callback=self.came, errback=self.failed, headers=headers, meta=meta, dont_filter=True)

    def came(self, response: Response) -> None:
        """Hand on a response."""
        try:
            self._history.answered(response.meta["job"], _answer(response), time.time())
        except TemplateMineError as error:
            self.trouble = self.trouble or error
            raise CloseSpider("trouble") from error

    def failed(self, failure: Any) -> None:
        """Hand on why there is none."""
        error = failure.value
        if isinstance(error, HttpError):
            reason = f"HTTP {error.response.status}"
        elif isinstance(error, IgnoreRequest) and str(error):
            reason = str(error)
        else:
            reason = f"{type(error).__name__}: {error}"
        try:
            self._history.failed(failure.request.meta["job"], " ".join(reason.split())[:_LONGEST_REASON], time.time())
        except TemplateMineError as trouble:
            self.trouble = self.trouble or trouble
            raise CloseSpider("trouble") from trouble


def _answer(response: Response) -> Answer:
    wire: Response = response.meta["wire"]
    reason = _REASONS.get(wire.status, "")
    headers = [(name, value) for name, value in _pairs(wire.headers) if name.lower() not in _OF_THE_TRANSFER]
    headers.append(("Content-Length", str(len(wire.body))))
    exchange = Exchange(
        url=response.url,
        date=time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime()),
        address=str(wire.ip_address) if wire.ip_address else None,
        request=_pairs(response.request.headers),
        status=f"{wire.status} {reason}".rstrip(),
        headers=headers,
        body=wire.body,
    )
    return Answer(
        status=response.status,
        content_type=_first(response.headers, "Content-Type") or "",
        etag=_first(response.headers, "ETag"),
        modified=_first(response.headers, "Last-Modified"),
        body=response.body,
        exchange=exchange,
    )


_OF_THE_TRANSFER = frozenset({"content-length", "transfer-encoding", "connection", "keep-alive"})
"""Undone by the time we see the body."""

_REASONS = {200: "OK", 203: "Non-Authoritative Information", 206: "Partial Content"}


def _pairs(headers: Any) -> list[tuple[str, str]]:
    return [
        (name.decode("latin-1"), " ".join(value.decode("latin-1").split()))
        for name, values in headers.items()
        for value in values
    ]


def _first(headers: Any, name: str) -> str | None:
    value = headers.get(name)
    return None if value is None else value.decode("latin-1")
