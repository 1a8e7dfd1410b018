"""``templatemine config``: shows the defaults that a file sets."""

from __future__ import annotations

import argparse
import json

from templatemine.cli import messages
from templatemine.cli.defaults import CONFIG_FILES, apply_defaults, read_defaults

DESCRIPTION = """\
Shows and checks the defaults that templatemine.toml in the current folder sets,
or the table [tool.templatemine] of pyproject.toml. Write a table for each
command, with a key for each option.

  [clean]
  packs = ["packs/"]
  guard = 0.8

What is given on the command line counts instead.
"""

COMMON = ("--json",)


def add(parser: argparse.ArgumentParser) -> None:
    """Add the options."""
    parser.add_argument("--json", action="store_true", help="print the defaults as JSON")


def run(args: argparse.Namespace, terminal: messages.Terminal) -> None:
    """Read, check, print."""
    from templatemine.cli.app import COMMANDS, command_parser

    file, tables = read_defaults(tuple(COMMANDS))
    for command, table in tables.items():
        apply_defaults(command_parser(command), file, command, table)
    if args.json:
        print(json.dumps({"file": file or None, "defaults": tables}, ensure_ascii=False))
    elif not file:
        print(f"no {CONFIG_FILES[0]} here, and no table tool.templatemine in {CONFIG_FILES[1]}")
    else:
        print(f"# {file}")
        for command, table in tables.items():
            print(f"\n[{command}]")
            for name, value in table.items():
                print(f"{name} = {json.dumps(value, ensure_ascii=False)}")
