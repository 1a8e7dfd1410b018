"""``templatemine extract``: pages in, their text out."""

from __future__ import annotations

import argparse
from collections.abc import Mapping, Sequence
from contextlib import closing
from typing import TYPE_CHECKING, Any

from templatemine.cli import common, tables
from templatemine.config import CleanConfig, ExtractConfig, PageConfig
from templatemine.errors import CorpusError
from templatemine.pages.systems import DEFAULT, SYSTEMS

if TYPE_CHECKING:
    from templatemine.config import ReadConfig
    from templatemine.page_stream import ExtractTally

__all__ = ["DESCRIPTION", "add", "run"]

_ROWS = "".join(f"  {name:8} {what}\n" for name, what in SYSTEMS.items())

DESCRIPTION = f"""\
Takes the text worth reading out of pages.

  templatemine extract page.html
  templatemine extract pages/ --system {DEFAULT} -o out.jsonl

A single page is written as text, anything else as JSON lines with id, source,
title, text and, with --blocks, every block with its place in the page and why
it was kept or dropped.

systems:
{_ROWS}"""


def add(parser: argparse.ArgumentParser) -> None:
    """The options."""
    parser.add_argument("inputs", metavar="INPUT", nargs="+", help=common.INPUT_HELP + "; or a single .html file")
    parser.add_argument(
        "--output", "-o", metavar="FILE", default="-", help="gzip if it ends in .gz (default: standard output)"
    )
    parser.add_argument(
        "--system",
        "-s",
        metavar="NAME",
        choices=tuple(SYSTEMS),
        default=DEFAULT,
        help="one of those above (default: %(default)s)",
    )
    parser.add_argument(
        "--packs",
        "-p",
        metavar="PATH",
        nargs="+",
        action="extend",
        default=[],
        help="packs of the sources, and folders",
    )
    parser.add_argument(
        "--format",
        choices=("jsonl", "text", "cleaneval"),
        help="JSON lines; text, a line a block; or CleanEval's mark-up (default: text for a single page, else jsonl)",
    )
    parser.add_argument(
        "--reference",
        metavar="FILE",
        help="a page of the same site, for diff (default: of each source the page of middle size)",
    )
    parser.add_argument("--blocks", action="store_true", help="write all blocks, in JSON lines")
    common.add_headline_option(parser)
    common.add_field_options(parser)
    common.add_run_options(parser, "processes")


def run(args: argparse.Namespace) -> int:
    """Read, extract, write."""
    from templatemine.io.page import is_page
    from templatemine.io.write import atomic_writer
    from templatemine.page_stream import ExtractStreamConfig, RecordExtractor
    from templatemine.shelf import load_packs
    from templatemine.stream import read_batches

    terminal = common.Terminal(quiet=args.quiet, strict=args.strict)
    common.check_output(args.inputs, args.output)
    common.check_inputs(args.inputs)
    read = common.read_config(args)
    single = len(args.inputs) == 1 and is_page(args.inputs[0])
    form = args.format or ("text" if single and not args.blocks else "jsonl")
    options = ExtractConfig(clean=CleanConfig(page=PageConfig(headline=args.headline)))
    config = ExtractStreamConfig(read=read, system=args.system, form=form, blocks=args.blocks, options=options)
    references = _references(args, read)
    extractor = RecordExtractor(config, load_packs(args.packs), references, jobs=args.jobs)
    extractor.check()
    batches = read_batches(args.inputs, read, terminal.met)
    with atomic_writer(args.output, force=args.force) as output, terminal.progress() as steps:
        done = 0

        def progress(pages: int) -> None:
            nonlocal done
            done += pages
            steps("extracting", done, None)

        with closing(extractor.pieces(batches, terminal.met, progress)) as pieces:
            for piece in pieces:
                output.write(piece)
    terminal.skipped_more()
    _summary(args, terminal, extractor.tally, single)
    return 0


def _references(args: argparse.Namespace, read: ReadConfig) -> Mapping[str, Sequence[str]]:
    from templatemine.io.files import READ_ERRORS, unreadable
    from templatemine.io.folder import read_body
    from templatemine.page_stream import find_references

    if args.reference is not None:
        try:
            return {"": (read_body(args.reference, True, read.max_record),)}
        except READ_ERRORS as error:
            raise unreadable(error, args.reference) from error
        except ValueError as error:
            raise CorpusError(str(error), args.reference, fatal=True) from error
    return find_references(args.inputs, read) if args.system == "diff" else {}


def _summary(args: argparse.Namespace, terminal: common.Terminal, tally: ExtractTally, single: bool) -> None:
    if args.json:
        facts: dict[str, Any] = {name: getattr(tally, name) for name in ("pages", "empty", "kept", "blocks", "notes")}
        facts |= {"characters_html": tally.html, "characters_text": tally.text}
        facts |= {"skipped": terminal.skipped, "met": terminal.met.notes, "seconds": round(terminal.seconds, 3)}
        terminal.report(facts, to_stdout=args.output != "-")
        return
    lines = [f"{tables.count(count, 'page')}: {note}" for note, count in sorted(tally.notes.items())]
    if not single:
        target = "standard output" if args.output == "-" else args.output
        lines.append(f"{tables.count(tally.pages, 'page')} written to {target} in {terminal.seconds:.1f} s")
        lines.append(f"{tally.kept:,} of {tables.count(tally.blocks, 'block')} kept")
        if tally.empty:
            lines.append(f"{tally.empty:,} without any text")
    if terminal.skipped:
        lines.append(f"{terminal.skipped:,} skipped")
    terminal.say(*lines, *terminal.notes())
