"""The options of all commands -> the man page, and the same as Markdown: both from the parsers that ``--help`` prints.

python docs/site/manual.py man > templatemine.1
python docs/site/manual.py markdown > cli.md
"""

from __future__ import annotations

import argparse
import re
import sys
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from templatemine._version import __version__
from templatemine.cli.app import whole_parser
from templatemine.cli.parser import Parser, write_option

_WIDTH = 80
_COLOUR = re.compile(r"\x1b\[[0-9;]*m")


@dataclass(frozen=True, slots=True, kw_only=True)
class Entry:
    """The program, a command, or a trial of one.

    Attributes
    ----------
    name : str
        As it is typed: ``templatemine evaluate gold``.
    summary : str
        What the list of commands says of it.
    usage, description, epilog : str
    groups : tuple of (title, rows)
        Of options and arguments: how each is written, and its help.
    """

    name: str
    summary: str
    usage: str
    description: str
    groups: tuple[tuple[str, tuple[tuple[str, str], ...]], ...]
    epilog: str


def command_entries() -> Iterator[Entry]:
    """Yield the program, then its commands, each followed by its own."""
    yield from _walk_commands(whole_parser(), "")


def _walk_commands(parser: Parser, summary: str) -> Iterator[Entry]:
    yield _make_entry(parser, summary)
    for action in parser._actions:
        if isinstance(action, argparse._SubParsersAction):
            told = {one.dest: one.help or "" for one in action._choices_actions}
            for name, inner in action.choices.items():
                yield from _walk_commands(inner, told[name])


def _make_entry(parser: Parser, summary: str) -> Entry:
    formatter = argparse.HelpFormatter(parser.prog, width=_WIDTH)
    formatter.add_usage(parser.usage, parser._actions, parser._mutually_exclusive_groups, "")
    usage = _COLOUR.sub("", formatter.format_help()).strip()
    groups = tuple(
        (group.title or "", rows)
        for group in parser._action_groups
        if (rows := tuple(row for action in group._group_actions for row in _argument_rows(formatter, action)))
    )
    # The parser itself knows which exit codes the command has.
    _, mark, epilog = parser.format_help_all().partition("exit codes:\n")
    return Entry(
        name=parser.prog,
        summary=summary,
        usage=usage,
        description=(parser.description or "").strip("\n"),
        groups=groups,
        epilog=_COLOUR.sub("", mark + epilog).rstrip(),
    )


def _argument_rows(formatter: argparse.HelpFormatter, action: argparse.Action) -> Iterator[tuple[str, str]]:
    """Yield the spelling of an argument, and its help; of sub-commands, each of them."""
    if isinstance(action, argparse._SubParsersAction):
        yield from ((one.dest, one.help or "") for one in action._choices_actions)
    elif action.help != argparse.SUPPRESS:
        yield write_option(action), " ".join(formatter._expand_help(action).split())


def _split_paragraphs(text: str) -> Iterator[tuple[bool, str]]:
    """Yield paragraphs (False), and indented lines that are kept as they are (True)."""
    for block in re.split(r"\n\s*\n", text.strip("\n")):
        kept: list[str] = []
        verbatim = False
        for line in block.splitlines():
            if kept and line.startswith("  ") != verbatim:
                yield verbatim, "\n".join(kept)
                kept = []
            verbatim = line.startswith("  ")
            kept.append(line)
        if kept:
            yield verbatim, "\n".join(kept)


# ------------------------------------------------------------------------------------------------------------ Markdown


def markdown() -> str:
    """Return a page with a section for each command."""
    program, *commands = command_entries()
    lines = ["# Command line", "", "Made from the parsers of the program, as `--help` and the man page are.", ""]
    lines += _markdown_text(program.description)
    for entry in commands:
        depth = "#" * len(entry.name.split())
        lines += [f"{depth} {entry.name.partition(' ')[2]}", "", entry.summary.capitalize() + ".", ""]
        lines += ["```text", entry.usage, "```", "", *_markdown_text(entry.description)]
        for title, rows in entry.groups:
            lines += [f"**{title.capitalize()}**", ""]
            lines += [f"- `{written}`" + (f": {_escape_markdown(told)}" if told else "") for written, told in rows] + [
                ""
            ]
        lines += _markdown_text(entry.epilog)
    return "\n".join(lines).rstrip() + "\n"


def _markdown_text(text: str) -> list[str]:
    lines: list[str] = []
    for verbatim, piece in _split_paragraphs(text):
        lines += ["```text", piece, "```", ""] if verbatim else [_escape_markdown(piece), ""]
    return lines


def _escape_markdown(text: str) -> str:
    """Escape what Markdown would take for mark-up."""
    return re.sub(r"([\\`*_\[\]<>#|~$])", r"\\\1", text)


# ---------------------------------------------------------------------------------------------------------------- roff


def man() -> str:
    """Return a man page of all commands, in man(7)."""
    program, *commands = command_entries()
    lines = [f'.TH TEMPLATEMINE 1 "" "templatemine {__version__}" "User commands"']
    lines += [".SH NAME", r"templatemine \- learn the boilerplate of news sources and cut it out of articles"]
    lines += [".SH SYNOPSIS", *_verbatim(program.usage), ".SH DESCRIPTION", *_roff_text(program.description)]
    lines += _man_options(program)
    for entry in commands:
        name = _escape_roff(entry.name.partition(" ")[2])
        lines += [f".SH {name.upper()}" if " " not in name else f'.SS "{name}"', f"{_escape_roff(entry.summary)}."]
        lines += [".PP", *_verbatim(entry.usage), *_roff_text(entry.description), *_man_options(entry)]
        if entry.epilog != program.epilog:
            lines += _roff_text(entry.epilog)
    return "\n".join([*lines, ".SH EXIT STATUS", *_roff_text(program.epilog.partition("\n")[2])]) + "\n"


def _man_options(entry: Entry) -> list[str]:
    lines = []
    for title, rows in entry.groups:
        lines += [".PP", rf"\fB{_escape_roff(title)}\fR"]
        for written, told in rows:
            lines += [".TP", rf"\fB{_escape_roff(written)}\fR", _escape_roff(told) or r"\&"]
    return lines


def _roff_text(text: str) -> list[str]:
    lines: list[str] = []
    for verbatim, piece in _split_paragraphs(text):
        lines += [".PP", *(_verbatim(piece) if verbatim else [_escape_roff(one) for one in piece.splitlines()])]
    return lines


def _verbatim(text: str) -> list[str]:
    return [".nf", *(_escape_roff(line) for line in text.splitlines()), ".fi"]


def _escape_roff(line: str) -> str:
    """Escape a line so that troff prints it unchanged: hyphens that can be copied, no request at its start."""
    line = line.replace("\\", r"\e").replace("-", r"\-")
    line = "".join(char if char.isascii() else rf"\[u{ord(char):04X}]" for char in line)
    return rf"\&{line}" if line.startswith((".", "'")) else line


FORMATS = {"man": man, "markdown": markdown}


def main(argv: Sequence[str] | None = None) -> int:
    """Print one of the forms."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("form", choices=sorted(FORMATS))
    sys.stdout.write(FORMATS[parser.parse_args(argv).form]())
    return 0


if __name__ == "__main__":
    sys.exit(main())
