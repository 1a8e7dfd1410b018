"""Options of a crawl, and the settings of Scrapy that follow from them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from templatemine._version import __version__
from templatemine.bounds import check_record
from templatemine.errors import ConfigError


@dataclass(frozen=True, slots=True, kw_only=True)
class CrawlConfig:
    """Options of a crawl.

    delay : seconds between the starts of two fetches of one registered domain.  1: Foschini's default (section 4.1).
    hours : duration of the crawl; a killed crawl keeps its end time when it is continued.
    max_pages : pages fetched per registered domain, over all runs with one output.  10,000: fifty times what a pack
        needs, and less than three hours at one page per second.
    max_size : most bytes of a body, compressed and uncompressed.  8 MiB: above what Common Crawl keeps of a page (5
    MiB). timeout : seconds for a whole download. redirects : most redirects followed for one page. retries : most
    retries after temporary failures (no connection, broken connection, 429, 5xx). max_wait : most seconds between two
    fetches that a site may ask for, by Crawl-delay in robots.txt or Retry-After.
        300: Heritrix's limit for the former.
    revisit : fewest and most seconds between two visits of a feed.  A quarter of an hour and a day: feeds of
        news sites hold the items of hours, and RSS readers come every quarter of an hour to an hour.
    concurrent : most concurrent fetches, over all domains.
    allow_private : fetch from addresses that are not public (this machine, the local network).
    agent : user agent, by which sites and their robots.txt know the crawler.
    force : start over, and replace the existing output.
    """

    delay: float = 1.0
    hours: float = 24.0
    max_pages: int = 10_000
    max_size: int = 8 << 20
    timeout: float = 60.0
    redirects: int = 5
    retries: int = 2
    max_wait: float = 300.0
    revisit: tuple[float, float] = (900.0, 86_400.0)
    concurrent: int = 64
    allow_private: bool = False
    agent: str = f"templatemine/{__version__}"
    force: bool = False

    def __post_init__(self) -> None:
        check_record(self)
        if not 0 < self.revisit[0] <= self.revisit[1]:
            raise ConfigError(f"revisit: expected the least and the most seconds above 0, got {self.revisit}")
        if not self.agent.strip() or not self.agent.isprintable():
            raise ConfigError(f"agent: expected a name in one line, got {self.agent!r}")


def scrapy_settings(config: CrawlConfig) -> dict[str, Any]:
    """Return the settings of Scrapy for a crawl; they name four components of this package by their path."""
    here = "templatemine.crawl"
    handler = f"{here}.guard.OneRequestHandler"
    return {
        # One fetch at a time and a full delay after each start, for each slot: a domain, by PolitenessMiddleware.
        "DOWNLOAD_DELAY": config.delay,
        "DOWNLOAD_DELAY_JITTER": 0,
        "CONCURRENT_REQUESTS_PER_DOMAIN": 1,
        "CONCURRENT_REQUESTS": config.concurrent,
        "AUTOTHROTTLE_ENABLED": False,
        "ROBOTSTXT_OBEY": True,
        "USER_AGENT": config.agent,
        "DOWNLOADER_MIDDLEWARES": {f"{here}.guard.PolitenessMiddleware": 900, f"{here}.guard.RobotsMiddleware": 540},
        # Bounds.
        "DOWNLOAD_MAXSIZE": config.max_size,
        "DOWNLOAD_WARNSIZE": 0,
        "DOWNLOAD_TIMEOUT": config.timeout,
        "DOWNLOAD_FAIL_ON_DATALOSS": True,
        "REDIRECT_MAX_TIMES": config.redirects,
        "REDIRECT_ENABLED": config.redirects > 0,
        "RETRY_TIMES": config.retries,
        "RETRY_ENABLED": config.retries > 0,
        "METAREFRESH_ENABLED": False,
        "DEFAULT_REQUEST_HEADERS": {
            "Accept": "text/html,application/rss+xml,application/atom+xml,application/xml;q=0.9,*/*;q=0.5",
            "Accept-Encoding": "gzip, deflate",  # encodings that every reader of the archive can decode
        },
        # HTTP only, and every address is checked before connecting; a proxy would resolve names itself.
        "DOWNLOAD_HANDLERS": {
            **dict.fromkeys(("data", "file", "ftp", "s3")),
            "http": handler,
            "https": handler,
        },
        "TWISTED_DNS_RESOLVER": f"{here}.guard.GuardedResolver",
        "HTTPPROXY_ENABLED": False,
        "TEMPLATEMINE_ALLOW_PRIVATE": config.allow_private,
        "TEMPLATEMINE_MAX_WAIT": config.max_wait,
        # Features that a crawl of news sites does not need.
        "COOKIES_ENABLED": False,
        "REFERER_ENABLED": False,
        "TELNETCONSOLE_ENABLED": False,
        "MEMUSAGE_ENABLED": False,
        "LOG_ENABLED": False,
    }
