"""``templatemine desk``: a local web application for review, annotation and comparison."""

from __future__ import annotations

import argparse

from templatemine.cli import common

__all__ = ["DESCRIPTION", "add", "run"]

DESCRIPTION = """\
Opens a desk in the browser, for people who decide what goes: review the
templates of each source, annotate pages and articles, compare systems.
Decisions go into the packs as overrides, which a later mine keeps; history
and annotations go into desk.sqlite beside them.

Only this machine can reach it, unless --host says otherwise; then it asks for
a token.  Ctrl-C ends it; what was saved is saved.
"""

EXIT_CODES = """\
exit codes:
  2    wrong options, or something cannot be read, trusted or written
  130  ended by Ctrl-C; what was saved is saved
"""


def add(parser: argparse.ArgumentParser) -> None:
    """The options."""
    parser.epilog = EXIT_CODES
    parser.add_argument("packs", metavar="PACKS", help="folder of packs, or one pack")
    parser.add_argument("--archive", "-a", metavar="INPUT", nargs="+", required=True, help=common.INPUT_HELP)
    parser.add_argument("--gold", metavar="PATH", help="annotated spans, a file or a folder, for F1 in comparisons")
    parser.add_argument(
        "--sample",
        metavar="N",
        type=common.at_least(1),
        default=300,
        help="documents of each source that are kept in memory and shown (default: %(default)s)",
    )
    parser.add_argument("--store", metavar="FILE", default="", help="the desk's file (default: PACKS/desk.sqlite)")
    parser.add_argument("--name", metavar="NAME", default="", help="who works here (default: your user name)")
    group = parser.add_argument_group("address")
    group.add_argument("--host", metavar="HOST", default="127.0.0.1", help="where to listen (default: %(default)s)")
    group.add_argument(
        "--port", metavar="N", type=common.at_least(0), default=8642, help="0 takes a free one (default: %(default)s)"
    )
    group.add_argument("--token", metavar="TEXT", help="ask for this token; without it, for a new one, if at all")
    group.add_argument(
        "--allow-host", metavar="NAME", action="append", default=[], help="another name that browsers may ask for"
    )
    common.add_field_options(parser)
    parser.add_argument(
        "--quiet", "-q", action="store_true", help="say nothing but the address; documents skipped are still told"
    )


def run(args: argparse.Namespace) -> int:
    """Read, serve."""
    from templatemine.desk.serve import ServeConfig, serve
    from templatemine.evaluation.gold import read_spans

    terminal = common.Terminal(quiet=args.quiet, strict=False)
    config = ServeConfig(
        host=args.host,
        port=args.port,
        token=args.token,
        names=args.allow_host,
        store=args.store,
        sample=args.sample,
        name=args.name,
    )
    gold = read_spans(args.gold) if args.gold else None
    read = common.read_config(args)
    serve(
        args.packs,
        lambda: common.open_records(args.archive, read, terminal.met),
        config,
        lambda address: common.out(f"{address}\n"),
        gold,
    )
    return 0
