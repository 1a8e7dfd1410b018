"""A crawl from start to end, in this process; the reactor of Twisted allows one per process."""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Sequence
from contextlib import closing, suppress
from dataclasses import dataclass, field
from typing import Any

from templatemine.crawl.settings import CrawlConfig, scrapy_settings
from templatemine.crawl.state import State, Status
from templatemine.errors import CorpusError, MissingExtraError, pip_line
from templatemine.io.files import Report
from templatemine.io.write import check_directory

__all__ = ["Crawled", "crawl"]

_STATE = ".state"
"""Added to the output's name."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Crawled:
    """The result of a run, and the totals of all runs.

    Attributes
    ----------
    run : dict of str to int
        Of this run: pages, bytes, visits (of feeds), unchanged (of them), items (new ones), failed, failed visits.
    pages, failed, left : int
        Of all runs: in the output, of no use, and still to be fetched.
    reasons : list of (reason, number)
        Why pages failed.
    resumed, stopped : bool
        It went on with a run that was killed; it was itself asked to end before its time.
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
) -> Crawled:
    """Fetch pages, and the items of feeds as they appear, into an archive; or continue one.

    Parameters
    ----------
    inputs : sequence of str
        Files of addresses, one a line, of feeds, sitemaps and pages in any order; which is which shows when they are
        fetched.  Or sitemaps themselves.
    output : str
        ``.warc.gz``, ``.warc``, ``.jsonl.gz`` or ``.jsonl``.  What the crawl knows is kept beside it (``.state``).
    config : CrawlConfig, optional
    on_error : callable, optional
        Called with a `CorpusError` for each line that is no address.  Without it the first one is raised.

    Raises
    ------
    CorpusError
        Fatal: an input cannot be read, the output is there and no crawl's, another crawl has it, the disk is full.
    ConfigError
        The output's name ends in nothing that is written here.
    MissingExtraError
        Scrapy or another library of the extra is not installed.
    """
    config = config or CrawlConfig()
    try:
        from scrapy.crawler import CrawlerProcess

        from templatemine.crawl.crawl_history import History, read_urls
        from templatemine.crawl.spider import HistorySpider
        from templatemine.crawl.warc_output import Output, check_name
    except ImportError as error:
        raise MissingExtraError(f"a crawl needs {error.name}: {pip_line('crawl')}") from error
    check_name(output)
    check_directory(output)
    report = Report(on_error)
    urls = [url for path in inputs for url in read_urls(path, report)]
    state_path = output + _STATE
    _check(output, state_path, config)
    with closing(State(state_path)) as state:
        keep = state.agree(os.path.getsize(output) if os.path.exists(output) else 0)
        end = state.fact("end")
        resumed = end is not None and end > time.time()
        if end is None or not resumed:
            end = time.time() + 3600 * config.hours
            state.keep_fact("end", end)
        seconds = min(end - time.time(), 3600 * config.hours)
        with closing(Output(output, keep)) as archive:
            history = History(state, archive, config)
            history.add(iter(urls))
            process = CrawlerProcess(scrapy_settings(config))
            crawler = process.create_crawler(HistorySpider)
            process.crawl(crawler, history=history, seconds=seconds)
            process.start()
        trouble = getattr(crawler.spider, "trouble", None)
        if trouble is not None:
            raise trouble
        stopped = _reason(crawler) == "shutdown"
        if not stopped:
            state.keep_fact("end", 0.0)
        counts = state.counts()
        return Crawled(
            run=dict(history.fetched),
            pages=counts[Status.DONE],
            failed=counts[Status.FAILED],
            left=counts[Status.DUE],
            reasons=state.reasons(),
            resumed=resumed,
            stopped=stopped,
        )


def _reason(crawler: Any) -> str:
    return str(crawler.stats.get_value("finish_reason") or "")


def _check(output: str, state: str, config: CrawlConfig) -> None:
    """Delete an existing archive if the options say so; never touch a file that no crawl has written."""
    if config.force:
        if os.path.exists(state):
            State(state).close()  # no other crawl may be at it
        for path in (output, state, f"{state}-wal", f"{state}-shm"):
            with suppress(FileNotFoundError):
                os.unlink(path)
    elif os.path.exists(output) and not os.path.exists(state):
        problem = "exists, and no state of a crawl beside it; use --force to replace it"
        raise CorpusError(problem, output, fatal=True)
