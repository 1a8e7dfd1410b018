"""Runs a crawl in this process from start to end; the reactor of Twisted allows one crawl per process."""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Sequence
from contextlib import closing, suppress
from dataclasses import dataclass, field

from templatemine.crawl.settings import CrawlConfig, scrapy_settings
from templatemine.crawl.state import CrawlState, PageStatus
from templatemine.errors import CorpusError, MissingExtraError, pip_line
from templatemine.io.files import Report
from templatemine.io.write import check_directory

_STATE = ".state"
"""Added to the output's name."""


@dataclass(frozen=True, slots=True, kw_only=True)
class CrawlResult:
    """The result of a run, and the totals of all runs.

    Attributes
    ----------
    run : dict of str to int
        Counts of this run: pages, bytes, visits (of feeds), unchanged (feeds), items (new ones), failed, failed visits.
    pages, failed, left : int
        Counts of all runs: pages in the output, pages that failed, and pages still to be fetched.
    reasons : list of (reason, number)
        Why pages failed.
    resumed, stopped : bool
        Whether the run continued a killed one; whether it was itself interrupted before its end.
    """

    run: dict[str, int]
    pages: int
    failed: int
    left: int
    reasons: list[tuple[str, int]] = field(default_factory=list)
    resumed: bool
    stopped: bool


def crawl(
    inputs: Sequence[str],
    output: str,
    config: CrawlConfig | None = None,
    on_error: Callable[[CorpusError], None] | None = None,
) -> CrawlResult:
    """Fetch pages, and the items of feeds as they appear, into an archive; or continue one.

    Parameters
    ----------
    inputs : sequence of str
        Files of addresses, one per line, of feeds, sitemaps and pages in any order (their content decides what they
        are); or sitemap files.
    output : str
        ``.warc.gz``, ``.warc``, ``.jsonl.gz`` or ``.jsonl``.  The state of the crawl is stored beside it (``.state``).
    config : CrawlConfig, optional
    on_error : callable, optional
        Called with a `CorpusError` for each line that is not an address.  Without it the first error is raised.

    Raises
    ------
    CorpusError
        Fatal: an input cannot be read, the output exists and is not of a crawl, another crawl uses it, the disk is
        full.
    ConfigError
        The suffix of the output selects no format.
    MissingExtraError
        Scrapy or another library of the extra is not installed.
    """
    config = config or CrawlConfig()
    try:
        from scrapy.crawler import CrawlerProcess

        from templatemine.crawl.frontier import CrawlFrontier, read_urls
        from templatemine.crawl.spider import FrontierSpider
        from templatemine.crawl.warc_output import CrawlOutput, check_name
    except ImportError as error:
        raise MissingExtraError(f"a crawl needs {error.name}: {pip_line('crawl')}") from error
    check_name(output)
    check_directory(output)
    report = Report(on_error)
    urls = [url for path in inputs for url in read_urls(path, report)]
    state_path = output + _STATE
    _check_output(output, state_path, config)
    with closing(CrawlState(state_path)) as state:
        keep = state.reconcile(os.path.getsize(output) if os.path.exists(output) else 0)
        end = state.read_end()
        resumed = end is not None and end > time.time()
        if end is None or not resumed:
            end = time.time() + 3600 * config.hours
            state.store_end(end)
        seconds = min(end - time.time(), 3600 * config.hours)
        with closing(CrawlOutput(output, keep)) as archive:
            frontier = CrawlFrontier(state, archive, config)
            frontier.add(iter(urls))
            process = CrawlerProcess(scrapy_settings(config))
            crawler = process.create_crawler(FrontierSpider)
            process.crawl(crawler, frontier=frontier, seconds=seconds)
            process.start()
        fatal_error = getattr(crawler.spider, "fatal_error", None)
        if fatal_error is not None:
            raise fatal_error
        stopped = crawler.stats.get_value("finish_reason") == "shutdown"
        if not stopped:
            state.store_end(0.0)
        counts = state.count_by_status()
        return CrawlResult(
            run=dict(frontier.counters),
            pages=counts[PageStatus.DONE],
            failed=counts[PageStatus.FAILED],
            left=counts[PageStatus.DUE],
            reasons=state.reasons(),
            resumed=resumed,
            stopped=stopped,
        )


def _check_output(output: str, state: str, config: CrawlConfig) -> None:
    """Delete the output of an earlier crawl with `force`; refuse an existing file that is not the output of a crawl."""
    if config.force:
        if os.path.exists(state):
            CrawlState(state).close()  # raises if another crawl uses it
        for path in (output, state, f"{state}-wal", f"{state}-shm"):
            with suppress(FileNotFoundError):
                os.unlink(path)
    elif os.path.exists(output) and not os.path.exists(state):
        problem = "exists, and no state of a crawl beside it; use --force to replace it"
        raise CorpusError(problem, output, fatal=True)
