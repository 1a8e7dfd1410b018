"""``templatemine crawl``: feeds and addresses -> a history of pages."""

from __future__ import annotations

import argparse
import signal

from templatemine.cli import common, messages, number_types
from templatemine.errors import counted

DESCRIPTION = """\
Fetches pages, and the new items of feeds, into one archive (.warc.gz, .warc,
.jsonl.gz or .jsonl). The inputs are files of addresses, one per line, or
sitemaps; whether an address is a feed, a sitemap or a page is decided when it
is fetched.

Each domain gets at most one request per --delay seconds, robots.txt is obeyed,
and private addresses are refused. Ctrl-C stops the crawl in order. The same
command continues where it stopped, also after a kill, and fetches nothing
twice.
"""

COMMON = ("--output", "--delay", "--hours", "--revisit", "--agent", "--max-pages", "--max-size", "--force", "--json")


def add(parser: argparse.ArgumentParser) -> None:
    """Add the options."""
    from templatemine.crawl.settings import CrawlConfig

    defaults = CrawlConfig()
    parser.add_argument(
        "inputs", metavar="FILE", nargs="+", help="addresses of feeds and pages, one per line; - for standard input"
    )
    parser.add_argument(
        "--output", "-o", metavar="FILE", required=True, help="the archive; its state is kept beside it, in FILE.state"
    )
    told = "minimum time between two requests to one domain"
    common.add_field(parser, CrawlConfig, "delay", told, metavar="SECONDS")
    common.add_field(parser, CrawlConfig, "hours", "how long to visit feeds", metavar="HOURS")
    parser.add_argument(
        "--revisit",
        metavar="SECONDS",
        type=number_types.number_of("CrawlConfig.delay"),
        nargs=2,
        default=defaults.revisit,
        help="minimum and maximum time between visits of a feed (default: 900 86400)",
    )
    parser.add_argument("--agent", metavar="NAME", default=defaults.agent, help="the user agent (default: %(default)s)")
    group = parser.add_argument_group("limits")
    common.add_field(group, CrawlConfig, "max_pages", "maximum number of pages per domain, over all runs")
    told = "maximum size of a page (default: 8M)"
    common.add_field(group, CrawlConfig, "max_size", told, metavar="SIZE", type=number_types.parse_size)
    common.add_field(group, CrawlConfig, "timeout", "time limit of one download", metavar="SECONDS")
    common.add_field(group, CrawlConfig, "redirects", "maximum")
    common.add_field(group, CrawlConfig, "retries", "maximum")
    told = "longest Crawl-delay and Retry-After that is respected"
    common.add_field(group, CrawlConfig, "max_wait", told, metavar="SECONDS")
    group.add_argument(
        "--allow-private", action="store_true", help="allow addresses of this machine and the local network"
    )
    parser.add_argument("--force", action="store_true", help="start over and replace the archive")
    parser.add_argument("--quiet", "-q", action="store_true", help="no summary")
    parser.add_argument("--json", action="store_true", help="print the summary as JSON to standard output")


def run(args: argparse.Namespace, terminal: messages.Terminal) -> None:
    """Fetch."""
    from templatemine.crawl.crawler import crawl
    from templatemine.crawl.settings import CrawlConfig

    config = common.record_of(CrawlConfig, args, revisit=tuple(args.revisit))
    done = crawl(args.inputs, args.output, config, terminal.reader_report)
    terminal.tell_more_skipped()
    if args.json:
        totals = {"pages": done.pages, "failed": done.failed, "left": done.left, "resumed": done.resumed}
        reasons = [{"reason": reason, "pages": number} for reason, number in done.reasons]
        seconds = round(terminal.seconds, 3)
        terminal.print_json(
            {**totals, "stopped": done.stopped, "seconds": seconds, "run": done.run, "reasons": reasons}, to_stdout=True
        )
    else:
        run = done.run
        terminal.say(
            f"{counted(run.get('pages', 0), 'page')} fetched in {terminal.seconds:.1f} s"
            + (", continued from an earlier run" if done.resumed else ""),
            f"{counted(run.get('visits', 0), 'visit')} to feeds, {run.get('unchanged', 0):,} of them unchanged",
            f"{counted(done.pages, 'page')} in {args.output}; "
            f"{done.left:,} still to be fetched, {done.failed:,} failed",
            *(f"  {number:,} {reason}" for reason, number in done.reasons),
        )
    tried = done.run.get("failed", 0) + done.run.get("failed visits", 0)
    all_failed = tried and not (done.pages or done.run.get("visits", 0))
    terminal.end_with(128 + signal.SIGINT if done.stopped else 1 if all_failed else 0)
