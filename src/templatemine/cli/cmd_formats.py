"""``templatemine formats``: lists the formats for reading and writing."""

from __future__ import annotations

import argparse
import sys

from templatemine.cli import common
from templatemine.cli import printing as tables

__all__ = ["DESCRIPTION", "add", "run"]

DESCRIPTION = """\
Lists the formats: the name for --input-format, the suffixes, whether clean can
write it, and the pip command for a missing library.
"""


def add(parser: argparse.ArgumentParser) -> None:
    """The options."""
    parser.add_argument("--json", action="store_true", help="print the list as JSON")


def run(args: argparse.Namespace) -> int:
    """Look up what is installed, print."""
    from templatemine.errors import pip_line
    from templatemine.io.formats import FORMATS, is_installed, suffixes_of

    if args.json:
        facts = [
            {
                "name": one.name,
                "what": one.what,
                "suffixes": one.suffixes,
                "packed": one.packed,
                "writes": one.writes,
                "extra": one.extra or None,
                "installed": is_installed(one),
            }
            for one in FORMATS
        ]
        common.Terminal(quiet=False, strict=False).report({"formats": facts}, to_stdout=True)
        return 0
    header = ("format", "suffixes", "does", "=needs", "what")
    rows = [
        (
            one.name,
            suffixes_of(one) or "-",
            "reads, writes" if one.writes else "reads",
            "-" if not one.extra else f"{one.extra}, installed" if is_installed(one) else pip_line(one.extra),
            one.what,
        )
        for one in FORMATS
    ]
    common.print_text("\n".join(tables.format_table(header, rows, tables.terminal_width(sys.stdout), wrap=True)) + "\n")
    return 0
