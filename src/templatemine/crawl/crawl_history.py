"""The crawl without the network: decides what to fetch next, and records what was fetched.

Each registered domain has a queue of addresses, and domains take turns.  At most two addresses of a domain are handed
out at a time, one being fetched and one waiting for the delay, so that no domain blocks another (the aim of the
priority queue in Foschini's section 4.1).  Domains that ask for more time wait here, with nothing handed out.
Memory holds a number for each page that is due, and the addresses under way.
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
from templatemine.crawl.rhythm import Rhythm, after_failure, after_visit, skipped_hours, when
from templatemine.crawl.settings import CrawlConfig
from templatemine.crawl.sitemap import Entry, entries_of
from templatemine.crawl.state import FETCHED_ALREADY, Feed, Page, State, Status
from templatemine.crawl.warc_output import Exchange, Output
from templatemine.errors import CorpusError
from templatemine.io.feed import date_of, is_sitemap, parsed_feed
from templatemine.io.files import READ_ERRORS, Report, open_input, place_of, read_whole, unpacked, unreadable
from templatemine.io.sources import domain_of
from templatemine.io.web import Fetched, page_record

__all__ = ["Answer", "History", "clean_url", "read_urls"]

_AHEAD = 2
"""Most addresses of a domain that are handed out at a time."""

_MOST_ITEMS = 1000
"""Most items taken from one answer of a feed; feeds have ten to a few hundred."""

_LARGEST_SITEMAP = 50 << 20
"""The bound of the protocol."""

_LONGEST_URL = 4096
_LONGEST_TITLE = 1000

_FEED = re.compile(rb"<(?:rss|feed|rdf:RDF)[\s>]", re.IGNORECASE)
_JSON_FEED = re.compile(rb"(?:\xef\xbb\xbf)?\s*\{.*jsonfeed\.org/version/", re.DOTALL)
_PAGE = re.compile(rb"<(?:!doctype\s+html|html|head|body)[\s>]", re.IGNORECASE)
_SNIFFED = 4096


@dataclass(frozen=True, slots=True, kw_only=True)
class Answer:
    """A response.  `body` is decoded but for its character set; `exchange` is as it was on the wire."""

    status: int
    content_type: str
    etag: str | None
    modified: str | None
    body: bytes
    exchange: Exchange


def clean_url(url: str, base: str = "") -> str | None:
    """The absolute HTTP address without its fragment; None if the text is no address."""
    try:
        whole = urldefrag(urljoin(base, url.strip())).url
    except ValueError:
        return None
    fine = whole.lower().startswith(("http://", "https://")) and len(whole) <= _LONGEST_URL and domain_of(whole)
    return whole if fine and whole.isprintable() and " " not in whole else None


class History:
    """A crawl.

    Parameters
    ----------
    state, output
    config : CrawlConfig
    """

    def __init__(self, state: State, output: Output, config: CrawlConfig) -> None:
        self.state = state
        self.fetched: Counter[str] = Counter()
        self._output, self._config = output, config
        self._due: defaultdict[str, deque[int | str]] = defaultdict(deque)
        self._turns: dict[str, None] = {}  # in the order of their keys
        self._away: Counter[str] = Counter()
        self._tried: Counter[str] = Counter(state.tried())
        self._feeds: dict[str, Feed] = {}
        self._visits: list[tuple[float, str]] = []
        self.slow: dict[str, float] = {}
        """Domains that ask for a longer delay, in seconds."""
        self._resting: dict[str, float] = {}  # until when
        self._rests: list[tuple[float, str]] = []
        self._asked: Counter[str] = Counter()  # how often an address was answered with "later"
        for number, source in state.due():
            self._queue(source, number)
        for feed in state.feeds():
            self._plan(feed)

    # ------------------------------------------------------------------------------------------------------- the queues

    def add(self, urls: Iterator[str]) -> None:
        """Add addresses of pages or feeds from the user; known ones do not change."""
        for page in self.state.add(Page(url=url, source=domain_of(url)) for url in urls):
            self._queue(page.source, page.number)

    def _queue(self, source: str, what: int | str) -> None:
        if isinstance(what, str):
            self._due[source].appendleft(what)  # a visit that is late may lose items
        else:
            self._due[source].append(what)
        self._line_up(source)

    def _line_up(self, source: str) -> None:
        """Put a domain in the rota if it has something to fetch.  Waiting domains cost nothing."""
        if source not in self._turns and self._ready(source):
            self._turns[source] = None

    def _ready(self, source: str) -> bool:
        return source not in self._resting and self._able(source)

    def _able(self, source: str) -> bool:
        waiting = self._due.get(source)
        if not waiting or self._away[source] >= (1 if source in self.slow else _AHEAD):
            return False
        return isinstance(waiting[0], str) or self._tried[source] + self._away[source] < self._config.max_pages

    def _plan(self, feed: Feed) -> None:
        # Never further away than the longest interval, should the clock have been set back.
        feed = replace(feed, due=min(feed.due, time.time() + self._config.revisit[1] + 86_400))
        self._feeds[feed.url] = feed
        heapq.heappush(self._visits, (feed.due, feed.url))

    def _rest(self, source: str, seconds: float, now: float) -> None:
        """Hand out no address of a domain for some time."""
        until = now + min(seconds, self._config.max_wait)
        if until > self._resting.get(source, now):
            self._resting[source] = until
            self._turns.pop(source, None)
            heapq.heappush(self._rests, (until, source))

    def _wake(self, now: float) -> None:
        # None is longer than that, but for a clock that was set back.
        while self._rests and not now < self._rests[0][0] <= now + self._config.max_wait:
            until, source = heapq.heappop(self._rests)
            if self._resting.get(source) == until:
                del self._resting[source]
                self._line_up(source)

    def next(self, now: float) -> Page | Feed | None:
        """The next page or feed to fetch; None if there is none at the moment."""
        self._wake(now)
        while self._visits and self._visits[0][0] <= now:
            _, url = heapq.heappop(self._visits)
            self._queue(self._feeds[url].source, url)
        while self._turns:
            source = next(iter(self._turns))
            del self._turns[source]
            if not self._ready(source):
                continue
            what = self._due[source].popleft()
            if not self._due[source]:
                del self._due[source]
            job = self._feeds[what] if isinstance(what, str) else self.state.page(what)
            if job is not None:  # a redirect may have led to it meanwhile
                self._away[source] += 1
            self._line_up(source)
            if job is not None:
                return job
        return None

    def over(self) -> bool:
        """True if nothing is due or under way, and no feed is to be visited."""
        return not (self._feeds or self._away or self._turns or any(map(self._able, self._resting)))

    def _back(self, job: Page | Feed, now: float) -> None:
        self._away[job.source] -= 1
        if not self._away[job.source]:
            del self._away[job.source]
        if job.source in self.slow:
            self._rest(job.source, self.slow[job.source], now)
        self._line_up(job.source)

    # ------------------------------------------------------------------------------------------------------ the answers

    def postponed(self, job: Page | Feed, reason: str, seconds: float, now: float, *, answered: bool) -> None:
        """Postpone a request on the wish of the site; it fails if it was `answered` so too often."""
        self._rest(job.source, seconds, now)
        if answered:
            self._asked[job.url] += 1
            if self._asked[job.url] > self._config.retries:
                self.failed(job, reason, now)
                return
        self._due[job.source].appendleft(job.url if isinstance(job, Feed) else job.number)
        self._back(job, now)

    def failed(self, job: Page | Feed, reason: str, now: float) -> None:
        """Record a failure."""
        self._asked.pop(job.url, None)
        if isinstance(job, Feed):
            self._back(job, now)
            self.fetched["failed visits"] += 1
            rhythm = after_failure(job.rhythm, self._config.revisit)
            self._keep(replace(job, rhythm=rhythm, due=now + rhythm.every))
            return
        self.fetched["failed"] += 1
        self._tried[job.source] += 1
        self._back(job, now)
        self.state.settle(job, Status.FAILED, reason=reason)

    def answered(self, job: Page | Feed, answer: Answer, now: float) -> None:
        """Record a response: the items of a feed, or a page.

        Raises
        ------
        CorpusError
            Fatal: the output or the state cannot be written.
        """
        self._asked.pop(job.url, None)
        head = answer.body[:_SNIFFED]
        if answer.status == 304 and isinstance(job, Feed):
            self._visited(job, answer, now, [])
        elif (entries := entries_of(answer.body, self._config.max_size)) is not None:
            self._visited(job, answer, now, list(_pages(entries, job.url, answer.exchange.url)))
        elif _JSON_FEED.match(head) or (_FEED.search(head) and not _PAGE.search(head)):
            self._feed(job, answer, now)
        elif isinstance(job, Feed):
            self.failed(job, "no feed", now)
        else:
            self._page(job, answer, now)

    def _page(self, page: Page, answer: Answer, now: float) -> None:
        if self.state.finished(answer.exchange.url):  # a redirect led there while that page was on its way itself
            if answer.exchange.url == page.url:
                self._back(page, now)
            else:
                self.failed(page, FETCHED_ALREADY, now)
            return
        notes: list[str] = []
        report = Report(lambda error: notes.append(error.problem))
        kind, _, rest = answer.content_type.partition(";")
        charset = rest.lower().partition("charset=")[2].partition(";")[0].strip(" \"'")
        exchange = answer.exchange
        fetched = Fetched(
            id=exchange.url,
            url=exchange.url,
            date=exchange.date,
            status=answer.status,
            content_type=kind,
            charset=charset,
            body=answer.body,
            where=exchange.url,
        )
        record = page_record(fetched, page.source, ReadConfig(), report)
        if record is None:
            self.failed(page, "no page", now)
            return
        end = self._output.add(exchange, page, record.fields)
        self.state.settle(page, Status.DONE, finish=end, final=exchange.url)
        self._tried[page.source] += 1
        self._back(page, now)
        self.fetched["pages"] += 1
        self.fetched["bytes"] += len(exchange.body)

    def _feed(self, job: Page | Feed, answer: Answer, now: float) -> None:
        try:
            parsed = parsed_feed(answer.body)
        except ValueError:  # tags of any number of attributes
            parsed = {}
        if not parsed.get("version"):
            self.failed(job, "no feed", now)
            return
        items = []
        for item in parsed.entries[:_MOST_ITEMS]:
            url = clean_url(item.get("link") or "", answer.exchange.url)
            if url is None:
                continue
            date = date_of(item)
            items.append(
                Page(
                    url=url,
                    source=domain_of(url),
                    via=job.url,
                    title=(item.get("title") or "")[:_LONGEST_TITLE] or None,
                    published=time.strftime("%Y-%m-%dT%H:%M:%SZ", date) if date else None,
                )
            )
        minutes = str(parsed.feed.get("ttl") or "").strip()
        ttl = 60.0 * int(minutes[:6]) if minutes.isascii() and minutes.isdigit() else 0.0
        self._visited(job, answer, now, items, ttl, skipped_hours(answer.body))

    def _visited(
        self,
        job: Page | Feed,
        answer: Answer,
        now: float,
        items: list[Page],
        ttl: float = 0.0,
        hours: frozenset[int] = frozenset(),
    ) -> None:
        before = job.rhythm if isinstance(job, Feed) else Rhythm()
        page = job if isinstance(job, Page) else None
        if page is not None and page.via is not None:  # or feeds that lead to feeds would have no end
            self._tried[page.source] += 1
        feed = Feed(url=job.url, source=job.source, due=now, etag=answer.etag, modified=answer.modified, rhythm=before)
        if answer.status == 304 and isinstance(job, Feed):
            feed = replace(feed, etag=answer.etag or job.etag, modified=answer.modified or job.modified)
        # The feed is due again at once until its rhythm is known, which takes the number of its new items; a kill
        # between the two transactions costs one visit more, and no item.
        new = self.state.visited(feed, items, page)
        rhythm = after_visit(before, now, len(new), len(items), self._config.revisit, ttl)
        self._back(job, now)
        for one in new:
            self._queue(one.source, one.number)
        self.fetched["visits"] += 1
        self.fetched["unchanged"] += answer.status == 304
        self.fetched["items"] += len(new)
        self._keep(replace(feed, rhythm=rhythm, due=when(now + rhythm.every, hours)))

    def _keep(self, feed: Feed) -> None:
        self.state.visited(feed)
        self._plan(feed)


def _pages(entries: Iterable[Entry], via: str, base: str) -> Iterator[Page]:
    for entry in entries:
        url = clean_url(entry.url, base)
        if url is not None:
            title = (entry.title or "")[:_LONGEST_TITLE] or None
            yield Page(url=url, source=domain_of(url), via=via, title=title, published=entry.published)


_REMARK = re.compile(r"(?:^|\s)#.*", re.DOTALL)
"""A comment; within an address # begins a fragment."""


def read_urls(path: str, report: Report) -> Iterator[str]:
    """The addresses in a file: those of a sitemap, or one per line; empty lines are skipped, and text after a # at the
    beginning of a line or after a blank.  Lines that are no address are reported.

    Raises
    ------
    CorpusError
        Fatal: the file cannot be read.
    """
    place = place_of(path)
    try:
        with open_input(path) as stream, unpacked(path, stream) as lines:
            if is_sitemap(lines.peek()):
                entries = entries_of(read_whole(lines, _LARGEST_SITEMAP), _LARGEST_SITEMAP) or ()
                yield from (url for entry in entries if (url := clean_url(entry.url)))
                return
            for number, line in enumerate(lines, 1):
                text = _REMARK.sub("", line.decode("utf-8-sig" if number == 1 else "utf-8", "replace")).strip()
                if not text:
                    continue
                url = clean_url(text)
                if url is None:
                    problem = f"expected an address that begins with http:// or https://, found {text[:100]!r}"
                    report(CorpusError(problem, f"{place}:{number}"))
                    continue
                yield url
    except READ_ERRORS as error:
        raise unreadable(error, place) from error
    except ValueError as error:
        raise CorpusError(str(error), place, fatal=True) from error
