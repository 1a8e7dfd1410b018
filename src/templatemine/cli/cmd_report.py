"""``templatemine report``: packs and an archive -> one HTML file to look at."""

from __future__ import annotations

import argparse
from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING

from templatemine.cli import common
from templatemine.cli import printing as tables
from templatemine.config import ReportConfig
from templatemine.errors import ConfigError, CorpusError

if TYPE_CHECKING:
    from templatemine.model import Document, Record

__all__ = ["DESCRIPTION", "add", "run"]

DESCRIPTION = """\
Writes one HTML file that shows what was learnt and what is cut: for each
source the histogram over document frequency with its cut-off, the templates,
the rejected candidates with their reasons, and articles with every cut marked.
The file loads nothing, so it can be sent and kept.

Without --archive it tells what the packs know; with it, what they do to the
articles of the archive, which need not be the one they were mined from.
"""

_EVERY = 256
"""Documents between two steps of the progress bar."""


def add(parser: argparse.ArgumentParser) -> None:
    """The options."""
    config = ReportConfig()
    parser.add_argument("packs", metavar="PACKS", nargs="+", help="folders of packs, and packs")
    parser.add_argument(
        "--archive", "-a", metavar="INPUT", nargs="+", action="extend", default=[], help=common.INPUT_HELP
    )
    parser.add_argument("--output", "-o", metavar="FILE", required=True, help="HTML; - for standard output")
    parser.add_argument(
        "--title", metavar="TEXT", default="Templates", help="heading of the page (default: %(default)s)"
    )
    group = parser.add_argument_group("how much is shown")
    group.add_argument(
        "--samples",
        metavar="N",
        type=common.at_least(0),
        default=config.samples,
        help="articles of each source (default: %(default)s)",
    )
    group.add_argument(
        "--context",
        metavar="N",
        type=common.at_least(0),
        default=config.context,
        help="characters beside a cut (default: %(default)s)",
    )
    group.add_argument(
        "--rows",
        metavar="N",
        type=common.at_least(1),
        default=config.rows,
        help="rows of the tables of templates of all sources together (default: %(default)s)",
    )
    group.add_argument(
        "--rejected",
        metavar="N",
        type=common.at_least(0),
        default=config.rejected,
        help="rejected candidates for each reason (default: %(default)s)",
    )
    group.add_argument("--dropped", action=common.OldName, dest="rejected", now="--rejected", type=common.at_least(0))
    common.add_field_options(parser)
    group = parser.add_argument_group("running")
    group.add_argument("--force", "-f", action="store_true", help="replace a file that exists")
    group.add_argument("--strict", action="store_true", help="stop at the first document that cannot be read, exit 1")
    group.add_argument("--quiet", "-q", action="store_true", help="no progress and no summary")


def run(args: argparse.Namespace) -> int:
    """Load, measure, write."""
    from templatemine.io.write import atomic_writer
    from templatemine.packs.pack_folder import PackFiles, RejectedCandidate, read_rejected
    from templatemine.report.page import render, require
    from templatemine.report.view import make_report

    if args.samples and not args.archive and args.samples != ReportConfig().samples:
        raise ConfigError("--samples: articles are taken from an --archive, and none is given")
    require()
    terminal = common.Terminal(quiet=args.quiet, strict=args.strict)
    config = ReportConfig(samples=args.samples, context=args.context, rows=args.rows, rejected=args.rejected)
    with atomic_writer(args.output, force=args.force) as output:
        packs = PackFiles(args.packs)
        records = common.open_records(args.archive, common.read_config(args), terminal.met) if args.archive else None

        def rejected(source: str) -> Iterable[RejectedCandidate]:
            try:
                yield from read_rejected(packs.files[source]) if args.rejected else ()
            except CorpusError as error:
                terminal.say(f"no rejected candidates of {common.one_line(source)}: {common.one_line(str(error))}")

        size = 0
        with terminal.progress() as steps:
            documents = _documents(records, steps) if records is not None else None
            report = make_report(packs, documents, rejected, config)
            terminal.skipped_more()
            for part in render(report, args.title, config):
                size += output.write(part.encode("utf-8", "backslashreplace"))
    target = "standard output" if args.output == "-" else args.output
    what = f"{tables.count(len(packs), 'source')} in {size / 1e6:.1f} MB"
    terminal.say(f"{what} written to {target} in {terminal.seconds:.1f} s", *terminal.notes())
    return 0


def _documents(records: Iterable[Record], steps: common.Steps) -> Iterator[Document]:
    for number, record in enumerate(records, 1):
        if number % _EVERY == 0:
            steps("reading", number, None)
        yield record.document
