"""``templatemine complete``: prints a script that completes commands, options and files in a shell."""

from __future__ import annotations

import argparse

from templatemine.cli import messages
from templatemine.errors import needs_extra

DESCRIPTION = """\
Prints a script for your shell that completes commands and options; it needs the
extra completion.

  templatemine complete bash >> ~/.bash_completion
  templatemine complete zsh > ~/.zfunc/_templatemine
"""

SHELLS = ("bash", "zsh")

COMMON = ()


def add(parser: argparse.ArgumentParser) -> None:
    """Add the options."""
    parser.add_argument("shell", metavar="SHELL", choices=SHELLS, help=f"one of {', '.join(SHELLS)}")


def run(args: argparse.Namespace, terminal: messages.Terminal) -> None:
    """Make the script of the options of all commands."""
    with needs_extra("completion needs shtab", "completion"):
        import shtab

    from templatemine.cli.app import whole_parser

    print(shtab.complete(whole_parser(), shell=args.shell))
