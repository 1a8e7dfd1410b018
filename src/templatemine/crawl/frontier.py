"""The frontier of a crawl: selects the next address to fetch, and records the responses; it does not use the network.

Each registered domain has a queue of addresses, and domains take turns.  At most two addresses of a domain are handed
out at a time, one being fetched and one waiting for the delay, so that no domain blocks another (the aim of the
priority queue in Foschini's section 4.1).  A domain that asks for more time pauses: none of its addresses is handed
out.  Memory holds a number for each page that is due, and the addresses being fetched.
"""

from __future__ import annotations

import heapq
import re
import time
from collections import Counter, defaultdict, deque
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from urllib.parse import urldefrag, urljoin

from templatemine.config import ReadConfig
from templatemine.crawl.revisit import RevisitSchedule, parse_skip_hours, skip_hours, slow_down, update_schedule
from templatemine.crawl.settings import CrawlConfig
from templatemine.crawl.sitemap import Link, read_sitemap
from templatemine.crawl.state import FETCHED_ALREADY, CrawlState, Feed, Page, PageStatus
from templatemine.crawl.warc_output import CrawlOutput, Exchange
from templatemine.errors import CorpusError
from templatemine.io.feed import date_of, is_sitemap, parse_feed
from templatemine.io.files import READ_ERRORS, Report, open_input, open_unpacked, place_of, read_error, read_whole
from templatemine.io.sources import domain_of
from templatemine.io.web import ArchivedResponse, page_record

_MAX_IN_FLIGHT = 2
"""Most addresses of a domain that are handed out at a time."""

_MAX_FEED_ITEMS = 1000
"""Most items taken from one response of a feed; feeds have ten to a few hundred."""

_MAX_SITEMAP_BYTES = 50 << 20
"""Most bytes of a sitemap: the limit of the protocol."""

_MAX_URL_LENGTH = 4096
_MAX_TITLE_LENGTH = 1000

_FEED = re.compile(rb"<(?:rss|feed|rdf:RDF)[\s>]", re.IGNORECASE)
_JSON_FEED = re.compile(rb"(?:\xef\xbb\xbf)?\s*\{.*jsonfeed\.org/version/", re.DOTALL)
_PAGE = re.compile(rb"<(?:!doctype\s+html|html|head|body)[\s>]", re.IGNORECASE)
_SNIFF_BYTES = 4096


@dataclass(frozen=True, slots=True, kw_only=True)
class CrawlResponse:
    """A response.  `body` has no content encoding left, but is not decoded to text; `exchange` is as received."""

    status: int
    content_type: str
    etag: str | None
    modified: str | None
    body: bytes
    exchange: Exchange


def clean_url(url: str, base: str = "") -> str | None:
    """Return the absolute HTTP address without its fragment; None if the text is not an address."""
    try:
        absolute = urldefrag(urljoin(base, url.strip())).url
    except ValueError:
        return None
    is_valid = (
        absolute.lower().startswith(("http://", "https://"))
        and len(absolute) <= _MAX_URL_LENGTH
        and domain_of(absolute)
    )
    return absolute if is_valid and absolute.isprintable() and " " not in absolute else None


class CrawlFrontier:
    """The queues of a crawl, and the recording of its responses.

    Parameters
    ----------
    state, output
    config : CrawlConfig
    """

    def __init__(self, state: CrawlState, output: CrawlOutput, config: CrawlConfig) -> None:
        self.state = state
        self.counters: Counter[str] = Counter()
        self._output, self._config = output, config
        self._queues: defaultdict[str, deque[int | str]] = defaultdict(deque)
        self._rotation: dict[str, None] = {}  # a set in the order of insertion
        self._in_flight: Counter[str] = Counter()
        self._fetch_counts: Counter[str] = Counter(state.count_tried())
        self._feeds: dict[str, Feed] = {}
        self._visit_heap: list[tuple[float, str]] = []
        self.slow_domains: dict[str, float] = {}
        """Domains that ask for a longer delay, in seconds."""
        self._resting_until: dict[str, float] = {}
        self._rest_heap: list[tuple[float, str]] = []
        self._postponements: Counter[str] = Counter()  # how often the site has postponed an address
        for number, source in state.due_pages():
            self._queue(source, number)
        for feed in state.feeds():
            self._schedule_visit(feed)

    # ------------------------------------------------------------------------------------------------------- the queues

    def add(self, urls: Iterator[str]) -> None:
        """Add addresses of pages or feeds from the user; known ones do not change."""
        for page in self.state.add(Page(url=url, source=domain_of(url)) for url in urls):
            self._queue(page.source, page.number)

    def _queue(self, source: str, item: int | str) -> None:
        if isinstance(item, str):
            self._queues[source].appendleft(item)  # a late visit may lose items
        else:
            self._queues[source].append(item)
        self._schedule_source(source)

    def _schedule_source(self, source: str) -> None:
        """Add a domain to the rotation if it has something to fetch.  Pausing domains cost nothing."""
        if source not in self._rotation and self._is_ready(source):
            self._rotation[source] = None

    def _is_ready(self, source: str) -> bool:
        return source not in self._resting_until and self._has_work(source)

    def _has_work(self, source: str) -> bool:
        queue = self._queues.get(source)
        if not queue or self._in_flight[source] >= (1 if source in self.slow_domains else _MAX_IN_FLIGHT):
            return False
        return (
            isinstance(queue[0], str) or self._fetch_counts[source] + self._in_flight[source] < self._config.max_pages
        )

    def _schedule_visit(self, feed: Feed) -> None:
        # Never later than the longest interval, in case the clock was set back.
        feed = replace(feed, due=min(feed.due, time.time() + self._config.revisit[1] + 86_400))
        self._feeds[feed.url] = feed
        heapq.heappush(self._visit_heap, (feed.due, feed.url))

    def _pause_source(self, source: str, seconds: float, now: float) -> None:
        """Hand out no address of a domain for some time."""
        until = now + min(seconds, self._config.max_wait)
        if until > self._resting_until.get(source, now):
            self._resting_until[source] = until
            self._rotation.pop(source, None)
            heapq.heappush(self._rest_heap, (until, source))

    def _end_pauses(self, now: float) -> None:
        # No pause is longer than `max_wait`, unless the clock was set back.
        while self._rest_heap and not now < self._rest_heap[0][0] <= now + self._config.max_wait:
            until, source = heapq.heappop(self._rest_heap)
            if self._resting_until.get(source) == until:
                del self._resting_until[source]
                self._schedule_source(source)

    def next_job(self, now: float) -> Page | Feed | None:
        """Return the next page or feed to fetch; None if there is none at the moment."""
        self._end_pauses(now)
        while self._visit_heap and self._visit_heap[0][0] <= now:
            _, url = heapq.heappop(self._visit_heap)
            self._queue(self._feeds[url].source, url)
        while self._rotation:
            source = next(iter(self._rotation))
            del self._rotation[source]
            if not self._is_ready(source):
                continue
            item = self._queues[source].popleft()
            if not self._queues[source]:
                del self._queues[source]
            job = self._feeds[item] if isinstance(item, str) else self.state.due_page(item)
            if job is not None:  # a redirect may have reached the page in the meantime
                self._in_flight[source] += 1
            self._schedule_source(source)
            if job is not None:
                return job
        return None

    def is_finished(self) -> bool:
        """Return whether no page is due or being fetched, and there are no feeds to visit."""
        return not (self._feeds or self._in_flight or self._rotation or any(map(self._has_work, self._resting_until)))

    def _release(self, job: Page | Feed, now: float) -> None:
        self._in_flight[job.source] -= 1
        if not self._in_flight[job.source]:
            del self._in_flight[job.source]
        if job.source in self.slow_domains:
            self._pause_source(job.source, self.slow_domains[job.source], now)
        self._schedule_source(job.source)

    # ---------------------------------------------------------------------------------------------------- the responses

    def postpone(self, job: Page | Feed, reason: str, seconds: float, now: float, *, answered: bool) -> None:
        """Postpone a request; `answered` if the site asked for it, which after too many times is a failure."""
        self._pause_source(job.source, seconds, now)
        if answered:
            self._postponements[job.url] += 1
            if self._postponements[job.url] > self._config.retries:
                self.record_failure(job, reason, now)
                return
        self._queues[job.source].appendleft(job.url if isinstance(job, Feed) else job.number)
        self._release(job, now)

    def record_failure(self, job: Page | Feed, reason: str, now: float) -> None:
        """Record a failure."""
        self._postponements.pop(job.url, None)
        if isinstance(job, Feed):
            self._release(job, now)
            self.counters["failed visits"] += 1
            schedule = slow_down(job.schedule, self._config.revisit)
            self._store_feed(replace(job, schedule=schedule, due=now + schedule.every))
            return
        self.counters["failed"] += 1
        self._fetch_counts[job.source] += 1
        self._release(job, now)
        self.state.record_page(job, PageStatus.FAILED, reason=reason)

    def record_response(self, job: Page | Feed, response: CrawlResponse, now: float) -> None:
        """Record a response: the items of a feed, or a page.

        Raises
        ------
        CorpusError
            Fatal: the output or the state cannot be written.
        """
        self._postponements.pop(job.url, None)
        head = response.body[:_SNIFF_BYTES]
        if response.status == 304 and isinstance(job, Feed):
            self._record_visit(job, response, now, [])
        elif (entries := read_sitemap(response.body, self._config.max_size)) is not None:
            self._record_visit(job, response, now, _linked_pages(entries, job.url, response.exchange.url))
        elif _JSON_FEED.match(head) or (_FEED.search(head) and not _PAGE.search(head)):
            self._record_feed(job, response, now)
        elif isinstance(job, Feed):
            self.record_failure(job, "no feed", now)
        else:
            self._record_page(job, response, now)

    def _record_page(self, page: Page, response: CrawlResponse, now: float) -> None:
        if self.state.is_finished(response.exchange.url):  # reached by a redirect while it was being fetched itself
            if response.exchange.url == page.url:
                self._release(page, now)
            else:
                self.record_failure(page, FETCHED_ALREADY, now)
            return
        notes: list[str] = []
        report = Report(lambda error: notes.append(error.problem))
        exchange = response.exchange
        fetched = ArchivedResponse(
            id=exchange.url,
            url=exchange.url,
            date=exchange.date,
            status=response.status,
            content_type=response.content_type,
            body=response.body,
            where=exchange.url,
        )
        record = page_record(fetched, page.source, ReadConfig(), report)
        if record is None:
            self.record_failure(page, "no page", now)
            return
        end = self._output.add(exchange, page, record.fields)
        self.state.record_page(page, PageStatus.DONE, finish=end, final=exchange.url)
        self._fetch_counts[page.source] += 1
        self._release(page, now)
        self.counters["pages"] += 1
        self.counters["bytes"] += len(exchange.body)

    def _record_feed(self, job: Page | Feed, response: CrawlResponse, now: float) -> None:
        try:
            parsed = parse_feed(response.body)
        except ValueError:  # tags of any number of attributes
            parsed = {}
        if not parsed.get("version"):
            self.record_failure(job, "no feed", now)
            return
        links = (
            Link(item.get("link") or "", item.get("title"), date_of(item)) for item in parsed.entries[:_MAX_FEED_ITEMS]
        )
        items = _linked_pages(links, job.url, response.exchange.url)
        minutes = str(parsed.feed.get("ttl") or "").strip()
        ttl = 60.0 * int(minutes[:6]) if minutes.isascii() and minutes.isdigit() else 0.0
        self._record_visit(job, response, now, items, ttl, parse_skip_hours(response.body))

    def _record_visit(
        self,
        job: Page | Feed,
        response: CrawlResponse,
        now: float,
        items: list[Page],
        ttl: float = 0.0,
        hours: frozenset[int] = frozenset(),
    ) -> None:
        previous_schedule = job.schedule if isinstance(job, Feed) else RevisitSchedule()
        page = job if isinstance(job, Page) else None
        if page is not None and page.via is not None:  # or chains of feeds would be endless
            self._fetch_counts[page.source] += 1
        feed = Feed(
            url=job.url,
            source=job.source,
            due=now,
            etag=response.etag,
            modified=response.modified,
            schedule=previous_schedule,
        )
        if response.status == 304 and isinstance(job, Feed):
            feed = replace(feed, etag=response.etag or job.etag, modified=response.modified or job.modified)
        # The schedule depends on the number of new items, so the feed is first stored as due at once, and then with its
        # schedule.  A kill between the two transactions costs one more visit, but no item.
        new = self.state.record_visit(feed, items, page)
        schedule = update_schedule(previous_schedule, now, len(new), len(items), self._config.revisit, ttl)
        self._release(job, now)
        for new_page in new:
            self._queue(new_page.source, new_page.number)
        self.counters["visits"] += 1
        self.counters["unchanged"] += response.status == 304
        self.counters["items"] += len(new)
        self._store_feed(replace(feed, schedule=schedule, due=skip_hours(now + schedule.every, hours)))

    def _store_feed(self, feed: Feed) -> None:
        self.state.record_visit(feed)
        self._schedule_visit(feed)


def _linked_pages(links: Iterable[Link], via: str, base: str) -> list[Page]:
    """Return the pages that the links of a feed or sitemap lead to."""
    pages = []
    for link in links:
        if (url := clean_url(link.url, base)) is not None:
            title = (link.title or "")[:_MAX_TITLE_LENGTH] or None
            pages.append(Page(url=url, source=domain_of(url), via=via, title=title, published=link.published))
    return pages


_COMMENT = re.compile(r"(?:^|\s)#.*", re.DOTALL)
"""A comment; within an address # begins a fragment."""


def read_urls(path: str, report: Report) -> Iterator[str]:
    """Yield the addresses in a file: those of a sitemap, or one per line. Empty lines and comments (from a # at the
    beginning of a line or after a blank) are skipped. Lines that are not an address are reported.

    Raises
    ------
    CorpusError
        Fatal: the file cannot be read.
    """
    place = place_of(path)
    try:
        with open_input(path) as stream, open_unpacked(path, stream) as lines:
            if is_sitemap(lines.peek()):
                entries = read_sitemap(read_whole(lines, _MAX_SITEMAP_BYTES, is_record=False), _MAX_SITEMAP_BYTES) or ()
                yield from (url for entry in entries if (url := clean_url(entry.url)))
                return
            for number, line in enumerate(lines, 1):
                text = _COMMENT.sub("", line.decode("utf-8-sig" if number == 1 else "utf-8", "replace")).strip()
                if not text:
                    continue
                url = clean_url(text)
                if url is None:
                    problem = f"expected an address that begins with http:// or https://, found {text[:100]!r}"
                    report(CorpusError(problem, f"{place}:{number}"))
                    continue
                yield url
    except READ_ERRORS as error:
        raise read_error(error, place) from error
    except ValueError as error:
        raise CorpusError(str(error), place, fatal=True) from error
