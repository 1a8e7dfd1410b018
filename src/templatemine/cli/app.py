"""The program: its sub-commands, and an exit code for every way in which one of them can end."""

from __future__ import annotations

import argparse
import os
import signal
import sys
import warnings
from collections.abc import Callable, Container, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from importlib import import_module
from typing import Any

from templatemine._version import __version__
from templatemine.cli.defaults import apply_defaults, read_defaults
from templatemine.cli.messages import StrictStop, Terminal, flush_output, print_error
from templatemine.cli.pack_paths import refuse_packs_as_inputs
from templatemine.cli.parser import Parser
from templatemine.cli.signals import EndedBySignal, signals_as_exceptions
from templatemine.errors import ConfigError, TemplateMineError, command_line, did_you_mean

COMMANDS: Mapping[str, str] = {
    "mine": "learn templates from archives and save them as packs",
    "update": "bring packs up to date with new articles",
    "clean": "cut the templates of packs from articles",
    "drift": "warn if a site has changed since its pack was mined",
    "extract": "extract the main text of pages",
    "sort": "split a mixed archive into one file per source",
    "show": "show the contents of a pack, or list the packs of a folder",
    "diff": "compare packs before and after: templates added, removed, moved",
    "ask": "decide about uncertain strings; answers are kept in the packs",
    "explain": "print articles with the cuts marked, and the reasons",
    "report": "write an HTML report of templates and of what they remove",
    "desk": "review packs, annotate pages and compare systems in a browser",
    "evaluate": "measure accuracy on your own archive",
    "crawl": "fetch feeds and pages into an archive, politely, over days",
    "formats": "list the formats that can be read and written",
    "config": "show the defaults that templatemine.toml sets",
    "complete": "print a script that completes options in a shell",
}
"""Command -> description in one line.  Its module, `cmd_` and the name, is imported only if the command is given."""

SYNONYMS: Mapping[str, str] = {
    "annotate": "desk",
    "apply": "clean",
    "extract-templates": "mine",
    "learn": "mine",
    "list": "show",
    "review": "desk",
    "train": "mine",
}
"""What people type for a command -> the command, where letters do not tell."""

_BRIEF = """\
Learns the boilerplate of a news source from its archive, and cuts it out:
  templatemine mine archive.jsonl.gz -o packs/
  templatemine clean new.jsonl --packs packs/ -o cleaned.jsonl
"""

_DESCRIPTION = """\
Learns the boilerplate of a news source (sign-up prompts, agency credits, menus)
from its archive, and removes it from articles.

  templatemine mine archive.jsonl.gz -o packs/
  templatemine clean new.jsonl --packs packs/ -o cleaned.jsonl
  templatemine extract page.html
  templatemine show packs/example.org.json
  templatemine explain article.json --packs packs/
  templatemine report packs/ --archive archive.jsonl.gz -o report.html
  templatemine evaluate injection archive.jsonl.gz

"templatemine help COMMAND" shows the options of a command.
"""


class _Command(Parser):
    """A sub-command.  Its options are added only when it parses: to import all commands took a quarter of the time to
    the first cleaned article."""

    def __init__(self, *, command: str, **options: Any) -> None:
        super().__init__(**options)
        self._command, self._complete = command, False

    def with_options(self) -> _Command:
        """Return the same command, with its options."""
        if not self._complete:
            self._complete = True
            module = import_module(f"templatemine.cli.cmd_{self._command}")
            self.description, self.common = module.DESCRIPTION, module.COMMON
            self.needs = getattr(module, "NEEDS", {})
            self.of_articles = getattr(module, "OF_ARTICLES", "")
            module.add(self)
            self.set_defaults(run=module.run)
        return self

    def find_elsewhere(self, option: str) -> Sequence[str]:
        """Return the commands that have an option."""
        self.beside = [command_parser(name) for name in COMMANDS]
        return super().find_elsewhere(option)

    def parse_known_args(self, args: Any = None, namespace: Any = None) -> Any:
        """Parse as every parser does, after adding the options and the defaults of a file."""
        self.with_options()
        file, tables = read_defaults(tuple(COMMANDS))
        used = apply_defaults(self, file, self._command, tables.get(self._command, {}), args or ())
        namespace, others = super().parse_known_args(args, namespace)
        known = self._option_string_actions
        used = [name for name in used if getattr(namespace, known[f"--{name}"].dest) == known[f"--{name}"].default]
        if used and not getattr(namespace, "quiet", False):
            print_error(f"defaults from {file}: {', '.join(used)}", "")
        return namespace, others


def command_parser(name: str) -> Parser:
    """Return the parser of one command, with its options."""
    return _Command(prog=f"templatemine {name}", command=name).with_options()


def whole_parser() -> Parser:
    """Return the parser with the options of all commands."""
    parser, commands = _program()
    for name, what in COMMANDS.items():
        commands.add_parser(name, help=what, command=name).with_options()
    return parser


def _parser(first: str) -> Parser:
    """Return the parser; if the first argument names a command, with this command only."""
    parser, commands = _program()
    if first not in COMMANDS and not first.startswith("-"):
        meant = SYNONYMS.get(first.casefold(), first)
        parser.error(f"{first!r} is not a command{did_you_mean(meant, COMMANDS)}")
    for name in (first,) if first in COMMANDS else COMMANDS:
        commands.add_parser(name, help=COMMANDS[name], command=name)
    return parser


def _program() -> tuple[Parser, Any]:
    """Return the parser of the program, and the action that adds commands to it."""
    parser = Parser(prog="templatemine", description=_DESCRIPTION)
    parser.add_argument("--version", action="version", version=f"templatemine {__version__}")
    parser.brief = _BRIEF
    return parser, parser.add_subparsers(metavar="COMMAND", required=True, parser_class=_Command)


def run(argv: Sequence[str]) -> int:
    """Parse, call, and turn whatever happens into one clear line and an exit code."""
    first, *rest = argv or ["--help"]
    if first == "help" and not (rest and rest[0].startswith("-")):
        first, rest = (rest[0], ["--help"]) if rest else ("--help", [])

    def work() -> int:
        try:
            args = _parser(first).parse_args([first, *rest])
        except SystemExit as end:  # --help, --version, or a wrong option
            return end.code if isinstance(end.code, int) else 2
        try:
            with command_line():
                refuse_packs_as_inputs(args, rest)
                _tell_of_terminal(args)
                terminal = Terminal(quiet=getattr(args, "quiet", False), strict=getattr(args, "strict", False))
                args.run(args, terminal)
                return terminal.exit_code
        except ConfigError as error:
            raise ConfigError(_name_option(str(error), args.known_options)) from error

    return _exit_code(work)


def _tell_of_terminal(args: argparse.Namespace) -> None:
    """Say that a command waits for what is typed: it would seem to hang."""
    inputs = (*(getattr(args, "inputs", None) or ()), *(getattr(args, "archive", None) or ()))
    if "-" in inputs and sys.stdin is not None and sys.stdin.isatty():
        print_error("reading from the terminal; Ctrl-D ends it", "")


def _name_option(problem: str, options: Container[str]) -> str:
    """Replace the name of a library argument at the start of a message by that of the option."""
    name, mark, told = problem.partition(":")
    option = f"--{name.replace('_', '-')}"
    return f"{option}{mark}{told}" if option in options else problem


def _exit_code(work: Callable[[], int]) -> int:
    try:
        with signals_as_exceptions(), _print_warnings():
            code = work()
            flush_output()
            return code
    except StrictStop as error:
        print_error(str(error))
        return 1
    except TemplateMineError as error:
        print_error(str(error))
    except KeyboardInterrupt:
        print_error("interrupted", "")
        return 128 + signal.SIGINT
    except EndedBySignal as end:
        print_error(f"ended by {signal.Signals(end.number).name}", "")
        return 128 + end.number
    except BrokenPipeError:
        return 0  # the reader has closed the pipe
    except OSError as error:
        print_error(": ".join(str(part) for part in (error.filename, error.strerror or error) if part is not None))
    except MemoryError:
        print_error("out of memory; fewer --jobs or smaller inputs need less")
    finally:
        _close_output()
    return 2


def _close_output() -> None:
    """Redirect standard output to nowhere if it cannot be written, or Python would complain at exit."""
    try:
        if sys.stdout is not None:
            sys.stdout.flush()
    except (OSError, ValueError):
        with suppress(OSError, ValueError):
            nowhere = os.open(os.devnull, os.O_WRONLY)
            os.dup2(nowhere, sys.stdout.fileno())
            os.close(nowhere)


@contextmanager
def _print_warnings() -> Iterator[None]:
    """Print warnings, such as that of an old name in a pack, in one line each."""
    before = warnings.showwarning
    warnings.showwarning = lambda message, *_: print_error(str(message), "warning: ")
    try:
        yield
    finally:
        warnings.showwarning = before
