"""``templatemine sort``: archives -> a folder with one file per source."""

from __future__ import annotations

import argparse
from typing import TYPE_CHECKING

from templatemine.cli import common, messages, number_types, text_tables
from templatemine.errors import CorpusError, counted

if TYPE_CHECKING:
    from templatemine.cli.parser import Parser

DESCRIPTION = """\
Writes the records of all inputs into a folder, one file of JSON lines per
source (NAME.jsonl.gz). Records keep their order and all fields except the
source, which is the one that was found. The archive may have any size.

All files appear together at the end; a run that fails has written nothing, and
the next one starts anew.
"""

COMMON = ("--output", "--source-of", "--source", "--memory", "--input-format", "--force", "--json")


def add(parser: Parser) -> None:
    """Add the options."""
    common.add_inputs(parser)
    parser.add_argument(
        "--output", "-o", metavar="FOLDER", required=True, help="folder for the files; created if missing"
    )
    parser.add_argument(
        "--memory", metavar="SIZE", type=number_types.parse_size, default=1 << 29, help="memory limit (default: 512M)"
    )
    common.add_input_options(parser)
    common.add_run_options(parser, "")


def run(args: argparse.Namespace, terminal: messages.Terminal) -> None:
    """Read, sort, write."""
    from templatemine.archive.sort import SortConfig, sort_by_source

    if args.output == "-":
        raise CorpusError("expected a folder for the files, found standard output", "-", fatal=True)
    common.check_inputs(args.inputs)
    config = common.record_of(SortConfig, args, read=common.read_config(args))
    with terminal.progress() as steps:
        try:
            found = sort_by_source(args.inputs, args.output, config, progress=steps, on_error=terminal.reader_report)
        finally:
            terminal.tell_more_skipped()
    documents = sum(one.documents for one in found)
    if args.json:
        rows = [
            {"source": one.source, "documents": one.documents, "bytes": one.size, "file": one.path} for one in found
        ]
        terminal.print_json({"documents": documents, **terminal.figures(), "sources": rows}, to_stdout=True)
        return
    shown = sorted(found, key=lambda one: (-one.documents, one.source))
    table = [(one.source, f"{one.documents:,}", f"{one.size:,}", one.path) for one in shown]
    lines = text_tables.capped_table(("source", ">documents", ">bytes", "file"), table)
    total = f"{counted(documents, 'document')} of {counted(len(found), 'source')} in {terminal.seconds:.1f} s"
    terminal.say(*lines, "", total)
    if terminal.skipped:
        terminal.say(f"{counted(terminal.skipped, 'document')} skipped")
    terminal.say(*terminal.notes())
