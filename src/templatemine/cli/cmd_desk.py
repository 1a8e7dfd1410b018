"""``templatemine desk``: a local web application for review, annotation and comparison."""

from __future__ import annotations

import argparse
from collections.abc import Iterator
from typing import TYPE_CHECKING

from templatemine.cli import common, messages, pack_paths
from templatemine.progress import report_reading

if TYPE_CHECKING:
    from templatemine.cli.parser import Parser
    from templatemine.model import Record

DESCRIPTION = """\
Serves the desk, and prints its address to open in a browser: review the
templates of each source, annotate pages and articles, compare systems.
Decisions are stored in the packs as overrides, which a later mine keeps;
history and annotations are stored in desk.sqlite beside the packs.

The desk listens only on this machine, unless --host says otherwise; then it
asks for a token. Ctrl-C stops it; everything saved stays.
"""

COMMON = ("--archive", "--gold", "--sample", "--store", "--by", "--host", "--port", "--token")


def add(parser: Parser) -> None:
    """Add the options."""
    common.add_packs_and_archive(parser, common.ONE_PACK_HELP, None, required=True)
    parser.add_argument("--gold", metavar="PATH", help="annotated spans, a file or a folder, for F1 in comparisons")
    common.add_number(parser, "--sample", 1, 300, "documents of each source that are held in memory and shown")
    parser.add_argument("--store", metavar="FILE", default="", help="the file of the desk (default: PACKS/desk.sqlite)")
    parser.add_argument(
        "--by",
        metavar="NAME",
        default="",
        help="who decides and annotates (default: your name on this machine)",
    )
    group = parser.add_argument_group("address")
    group.add_argument("--host", metavar="HOST", default="127.0.0.1", help="where to listen (default: %(default)s)")
    common.add_number(group, "--port", 0, 8642, "0 selects a free port")
    group.add_argument(
        "--token", metavar="TEXT", help="require this token; without the option a new one is made where one is needed"
    )
    group.add_argument(
        "--allow-host", metavar="NAME", action="append", default=[], help="another host name that browsers may use"
    )
    common.add_input_options(parser)
    parser.add_argument("--quiet", "-q", action="store_true", help="print only the address and skipped documents")


def run(args: argparse.Namespace, terminal: messages.Terminal) -> None:
    """Read, serve."""
    from templatemine.desk.serve import ServeConfig, serve
    from templatemine.evaluation.gold import read_spans

    config = common.record_of(ServeConfig, args, names=args.allow_host, name=args.by)
    gold = read_spans(args.gold) if args.gold else None

    def records() -> Iterator[Record]:
        with terminal.progress() as steps:
            found = common.read_archive(args, terminal)
            yield from report_reading(found, steps)
        terminal.tell_more_skipped()

    serve(
        pack_paths.find_pack(args.packs),
        records,
        config,
        lambda address: messages.print_text(f"{address}\n"),
        gold,
        lambda told: terminal.say(messages.escape_line(told)),
    )
    terminal.end_with(0)
