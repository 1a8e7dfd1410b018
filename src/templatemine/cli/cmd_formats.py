"""``templatemine formats``: lists the formats for reading and writing."""

from __future__ import annotations

import argparse
import shlex
import sys

from templatemine.cli import messages, text_tables
from templatemine.errors import extra_packages, pip_line

DESCRIPTION = """\
Lists the formats: the name for --input-format, the suffixes, whether clean can
write it, and the packages that pip must install for it.
"""

COMMON = ("--json",)


def add(parser: argparse.ArgumentParser) -> None:
    """Add the options."""
    parser.add_argument("--json", action="store_true", help="print the list as JSON")


def run(args: argparse.Namespace, terminal: messages.Terminal) -> None:
    """Look up what is installed, print."""
    from templatemine.io.formats import FORMATS, is_installed, suffixes_of

    if args.json:
        facts = [
            {
                **messages.facts_of(one, "name", "what", "suffixes", "packed", "writes"),
                "extra": one.extra or None,
                "packages": extra_packages(one.extra) if one.extra else [],
                "installed": is_installed(one),
            }
            for one in FORMATS
        ]
        terminal.print_json({"formats": facts}, to_stdout=True)
        return
    header = ("format", "suffixes", "does", "=needs", "what")
    rows = [
        (
            one.name,
            suffixes_of(one) or "-",
            "reads, writes" if one.writes else "reads",
            "-" if not one.extra else f"{one.extra}, installed" if is_installed(one) else f"{one.extra}, missing",
            one.what,
        )
        for one in FORMATS
    ]
    missing = {one.extra: None for one in FORMATS if one.extra and not is_installed(one)}
    lines = [f"for {extra}: {_format_install(extra)}" for extra in missing]
    listed = text_tables.format_table(header, rows, text_tables.terminal_width(sys.stdout), wrap=True)
    messages.print_text("\n".join([*listed, *lines]) + "\n")


def _format_install(extra: str) -> str:
    """Return the pip line by the names of packages: that of the extra would name the folder that this was installed
    from."""
    packages = extra_packages(extra)
    return f"pip install {' '.join(map(shlex.quote, packages))}" if packages else pip_line(extra)
